//! Arguments of native operators, checked, with TLC's words when they are of the wrong kind.

use std::rc::Rc;

use super::NativeArg;
use crate::error::{EvalError, EvalResult, code};
use crate::value::{Closure, Ctx, Entries, Items, Value, entries, force, sequences, to_text};

/// The error of an argument of the wrong kind.
#[cold]
pub(super) fn wrong(
    ctx: &mut Ctx,
    which: &str,
    operator: &str,
    should: &str,
    value: &Value,
) -> Box<EvalError> {
    let text = to_text(ctx, value);
    let which = if which.is_empty() { "The".to_owned() } else { format!("The {which}") };
    let code = match (operator, should.starts_with("an ")) {
        ("Len", _) => code::LEN,
        (_, true) => code::ARGUMENT_AN,
        (_, false) => code::ARGUMENT,
    };
    EvalError::new(
        code,
        format!("{which} argument of {operator} should be {should}, but instead it is:\n{text}"),
    )
    .with_values(vec![text])
}

/// The error of an operator that wants a sort of value.
#[cold]
pub(super) fn applying(ctx: &mut Ctx, operator: &str, want: &str, value: &Value) -> Box<EvalError> {
    let text = to_text(ctx, value);
    EvalError::new(
        code::APPLYING,
        format!("Applying {operator} to the following value,\nwhich is not {want}:\n{text}"),
    )
    .with_values(vec![text])
}

/// A sequence.
pub(super) fn sequence(
    ctx: &mut Ctx,
    which: &str,
    operator: &str,
    value: &Value,
) -> EvalResult<Items> {
    match sequences::elements(ctx, value)? {
        Some(items) => Ok(items),
        None => Err(wrong(ctx, which, operator, "a sequence", value)),
    }
}

/// An integer.
pub(super) fn integer(
    ctx: &mut Ctx,
    which: &str,
    operator: &str,
    value: &Value,
) -> EvalResult<i32> {
    match value {
        Value::Int(n) => Ok(*n),
        _ => Err(wrong(ctx, which, operator, "an integer", value)),
    }
}

/// A number that is not negative.
pub(super) fn natural(
    ctx: &mut Ctx,
    which: &str,
    operator: &str,
    value: &Value,
) -> EvalResult<usize> {
    match value {
        Value::Int(n) if *n >= 0 => Ok(*n as usize),
        _ => Err(wrong(ctx, which, operator, "a nonnegative integer", value)),
    }
}

/// The text of a string.
pub(super) fn text(
    ctx: &mut Ctx,
    which: &str,
    operator: &str,
    value: &Value,
) -> EvalResult<smol_str::SmolStr> {
    match value {
        Value::Str(sym) => Ok(ctx.text(*sym).clone()),
        _ => Err(wrong(ctx, which, operator, "a string", value)),
    }
}

/// The entries of a function as pairs.
pub(super) fn pairs(
    ctx: &mut Ctx,
    which: &str,
    operator: &str,
    value: &Value,
) -> EvalResult<Vec<(Value, Value)>> {
    if !value.is_function() {
        return Err(wrong(ctx, which, operator, "a function", value));
    }
    let value = force(ctx, value)?;
    match entries(&value) {
        Some(list) => Ok(pairs_of(&list)),
        None => Err(wrong(ctx, which, operator, "a function", &value)),
    }
}

fn pairs_of(list: &Entries<'_>) -> Vec<(Value, Value)> {
    (0..list.len()).map(|idx| (list.key(idx), list.value(idx).clone())).collect()
}

/// The value at a position of a mixed argument list. The table's parameter list has fixed what
/// stands there, so the fallback is never seen.
pub(super) fn value(args: &[NativeArg], idx: usize) -> Value {
    match &args[idx] {
        NativeArg::Value(value) => value.clone(),
        NativeArg::Operator(_) => Value::FALSE,
    }
}

/// The operator at a position of a mixed argument list.
pub(super) fn operator(args: &[NativeArg], idx: usize) -> EvalResult<Rc<dyn Closure>> {
    match &args[idx] {
        NativeArg::Operator(operator) => Ok(operator.clone()),
        NativeArg::Value(_) => Err(EvalError::general("An operator was expected as an argument.")),
    }
}

/// Calls a predicate.
pub(super) fn test(
    ctx: &mut Ctx,
    name: &str,
    predicate: &Rc<dyn Closure>,
    args: &[Value],
) -> EvalResult<bool> {
    match predicate.call(ctx, args)? {
        Value::Bool(b) => Ok(b),
        other => Err(wrong(ctx, "second", name, "a operator", &other)),
    }
}
