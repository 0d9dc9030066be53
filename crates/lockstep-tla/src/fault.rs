//! What stops a check: an error of evaluation and what was being evaluated.

use lockstep_eval::error::EvalError;

/// What was being evaluated when an error arose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// The initial predicate.
    Init,
    /// The next-state relation.
    Next,
    /// The invariant of that number.
    Invariant(u32),
    /// The action property of that number.
    ActionProperty(u32),
    /// The state constraint of that number.
    Constraint(u32),
    /// The action constraint of that number.
    ActionConstraint(u32),
    /// The view, a symmetry permutation, or what a fingerprint needs.
    Fingerprint,
    /// A leaf of a temporal formula.
    Liveness,
    /// `_POSSIBLE`.
    Possible,
}

/// An error of evaluation with its phase.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// What went wrong, where, with which values.
    pub error: Box<EvalError>,
    /// What was being evaluated.
    pub phase: Phase,
}

impl Fault {
    /// An error in a phase.
    pub fn new(error: Box<EvalError>, phase: Phase) -> Self {
        Self { error, phase }
    }
}
