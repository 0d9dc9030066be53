//! Actions of the intermediate representation: what makes successors.
//!
//! *Run*, an action enumerates the ways in which variables of the next state can be given values;
//! *tested*, it is a predicate on two states. The same tree serves both; in Init the state being
//! made is the "next" one.

use super::node::{Arg, Bind, NodeId, Slot, VarId};
use super::program::ActFunctionId;

/// An action in [`Program::acts`](super::Program::acts).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ActId(pub u32);

impl ActId {
    /// The place in the arena.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An action.
#[derive(Clone, Debug)]
pub enum Act {
    /// A predicate.
    Test(NodeId),
    /// `x' = e`.
    Assign(VarId, NodeId),
    /// `x' \in S`.
    AssignIn(VarId, NodeId),
    /// `x' \subseteq S`.
    AssignSubset(VarId, NodeId),
    /// `UNCHANGED` of variables.
    Unchanged(Box<[VarId]>),
    /// These variables must have next values: the subscript of a fairness condition mentions them.
    Specified(Box<[VarId]>),
    /// Conjunction.
    And(Box<[ActId]>),
    /// Disjunction: every branch is explored.
    Or(Box<[ActId]>),
    /// `\E`: every binding is explored.
    Exists(Box<[Bind]>, ActId),
    /// `\A`: a conjunction over the bindings.
    Forall {
        /// The bounds.
        binds: Box<[Bind]>,
        /// The body.
        body: ActId,
        /// The first slot of one conjunct.
        lo: Slot,
        /// One past its last slot.
        hi: Slot,
    },
    /// IF.
    If(NodeId, ActId, ActId),
    /// CASE.
    Case(Box<[(NodeId, ActId)]>, Option<ActId>),
    /// Empties memo slots, then goes on.
    Scope {
        /// The first slot.
        lo: Slot,
        /// One past the last.
        hi: Slot,
        /// What follows.
        body: ActId,
    },
    /// A call of a recursive action.
    Call {
        /// Which.
        function: ActFunctionId,
        /// One a parameter, then one a captured slot.
        args: Box<[Arg]>,
    },
    /// `A \cdot B`.
    Compose(ActId, ActId),
    /// Counts, then goes on. Only made when expressions are counted.
    Count {
        /// Where it is counted, in [`Costs`](super::Costs).
        counter: u32,
        /// When it counts while states are made.
        when: Counted,
        /// Whether it counts where it is only tested.
        tested: bool,
        /// What follows.
        body: ActId,
    },
}

/// When an action that makes states counts as evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Never: its parts do.
    Never,
    /// Each time that it led to a state.
    Success,
    /// Each time that it led to a state by giving the last variable its value.
    Completion,
}
