//! Temporal formulas, kept for liveness checking.
//!
//! Quantifiers over constant sets are expanded and definitions inlined, so the leaves are
//! predicates on one state or on a step, with no free locals.

use lockstep_syntax::Span;
use smol_str::SmolStr;

use super::program::EntryPoint;

/// A temporal formula.
#[derive(Clone, Debug)]
pub enum Temporal {
    /// A predicate on a state.
    State(EntryPoint),
    /// A predicate on a step (`A`, `[A]_v`, `<<A>>_v` inside `[]<>` or `<>[]`).
    Action(EntryPoint),
    /// `~`.
    Not(Box<Temporal>),
    /// Conjunction.
    And(Vec<Temporal>),
    /// Disjunction.
    Or(Vec<Temporal>),
    /// `[]`.
    Always(Box<Temporal>),
    /// `<>`.
    Eventually(Box<Temporal>),
    /// `WF_v(A)`, `SF_v(A)`.
    Fairness(Fairness),
}

/// `WF_v(A)` or `SF_v(A)`.
#[derive(Clone, Debug)]
pub struct Fairness {
    /// `SF`.
    pub strong: bool,
    /// `<<A>>_v` as a predicate on steps.
    pub step: EntryPoint,
    /// `ENABLED <<A>>_v` as a predicate on states.
    pub enabled: EntryPoint,
    /// The text.
    pub span: Span,
}

/// A temporal property of the configuration, or the fairness of the specification.
#[derive(Clone, Debug)]
pub struct TemporalProperty {
    /// The name in the configuration.
    pub name: SmolStr,
    /// Where it is defined.
    pub span: Span,
    /// The formula.
    pub formula: Temporal,
}
