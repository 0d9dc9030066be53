//! Errors of evaluation in TLC's words, and their places.

use crate::error::EvalError;
use crate::ir::{NodeId, Program};
use crate::value::{Ctx, Value, kind_phrase, to_text};

/// What a value that is no Boolean was used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// The first part of `/\` or `\/` (`true` for `/\`).
    Left(bool),
    /// A later part.
    Right(bool),
    /// The left side of `=>`.
    Premise,
    /// The right side of `=>`.
    Conclusion,
    /// The first side of `<=>`.
    EquivalentLeft,
    /// The second.
    EquivalentRight,
    /// Under `~`.
    Not,
    /// The condition of an IF.
    If,
    /// A guard of a CASE.
    Case,
    /// The predicate of a set.
    Filter,
    /// The body of a quantifier, or of CHOOSE.
    Body,
    /// A conjunct of an action or a formula to be checked.
    Formula,
}

/// The error for a value that is no Boolean.
#[cold]
pub(crate) fn not_boolean(
    ctx: &mut Ctx,
    p: &Program,
    node: NodeId,
    role: Role,
    value: &Value,
) -> Box<EvalError> {
    let kind = kind_phrase(value);
    let text = to_text(ctx, value);
    let sign = |and: bool| if and { "/\\" } else { "\\/" };
    let message = match role {
        Role::Left(and) => {
            let sign = sign(and);
            format!("Attempted to evaluate an expression of form P {sign} Q when P was\n{kind}.")
        }
        Role::Right(and) => {
            let sign = sign(and);
            format!("Attempted to evaluate an expression of form P {sign} Q when Q was\n{kind}.")
        }
        Role::Premise => {
            format!("Attempted to evaluate an expression of form P => Q when P was\n{kind}.")
        }
        Role::Conclusion => {
            format!("Attempted to evaluate an expression of form P => Q when Q was\n{kind}.")
        }
        Role::EquivalentLeft => {
            format!("Attempted to evaluate an expression of form P <=> Q when P was\n{kind}.")
        }
        Role::EquivalentRight => {
            format!("Attempted to evaluate an expression of form P <=> Q when Q was\n{kind}.")
        }
        Role::Not => format!("Attempted to apply the operator ~ to a non-boolean\n({kind})"),
        Role::If => {
            format!("A non-boolean expression ({kind}) was used as the condition of an IF.")
        }
        Role::Case => {
            format!("A non-boolean expression ({kind}) was used as a condition of a CASE. {text}")
        }
        Role::Filter => format!(
            "Attempted to evaluate an expression of form {{x \\in S : P(x)}} when P was {kind}.\n{text}"
        ),
        Role::Body | Role::Formula => {
            let place = p.location(p.span(node));
            format!("TLC expected a boolean value, but did not find one. {place}")
        }
    };
    EvalError::general(message).with_values(vec![text]).at(p.span(node))
}

/// Gives an error its place and the definition it passed through.
#[cold]
pub(crate) fn annotate(p: &Program, node: NodeId, err: Box<EvalError>) -> Box<EvalError> {
    let mut err = err.at(p.span(node));
    // An action that asks for this value is where the error arose.
    err.act = None;
    for (name, span) in p.frames.get(&node).into_iter().flatten() {
        err = err.within(name.as_str(), Some(*span));
    }
    err
}

/// The error for a bound that cannot be enumerated.
#[cold]
pub(crate) fn bound_not_enumerable(
    ctx: &mut Ctx,
    p: &Program,
    span: lockstep_syntax::Span,
    set: &Value,
) -> Box<EvalError> {
    let text = to_text(ctx, set);
    let place = p.location(span);
    let mut message =
        format!("TLC encountered the non-enumerable quantifier bound\n{text}\n{place}");
    if matches!(set, Value::Lazy(_)) {
        message.push_str(&format!(
            "\nThe set {text} contains infinitely many elements. As a result, TLC cannot evaluate \
             expressions that\nuniversally (\\A) or existentially (\\E) quantify over {text}, \
             because this would require checking an\ninfinite number of cases. Note that TLC \
             handles set membership like T \\subseteq {text} for any finite set"
        ));
    }
    EvalError::new(crate::error::code::NOT_ENUMERABLE, message).with_values(vec![text]).at(span)
}
