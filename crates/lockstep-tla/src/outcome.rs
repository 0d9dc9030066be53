//! What a check came to.
//!
//! States are in the evaluator's form; the outcome keeps an evaluator with which they can be shown.

use lockstep_eval::error::{EvalError, code};
use lockstep_eval::value::{Value, Warning};
use lockstep_eval::{Evaluator, State};
use lockstep_explore::{Fingerprint, Limit, Statistics, Stop, WalkCounters};

use crate::dump::Graph;
use crate::fault::{Fault, Phase};

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub enum ViolationKind {
    /// An ASSUME (by number) is false, or could not be evaluated.
    Assumption(u32, Option<Box<EvalError>>),
    /// A state has no successor.
    Deadlock,
    /// An invariant (by number) is false.
    Invariant(u32),
    /// A predicate of PROPERTY (by number) is false in an initial state.
    InitialProperty(u32),
    /// A step breaks an action property (by number).
    ActionProperty(u32),
    /// A behaviour breaks a temporal property (by number).
    Temporal(u32),
    /// A temporal property (by number) cannot be false.
    Tautology(u32),
    /// The temporal properties could not be checked.
    LivenessUnsupported(String),
    /// A POSTCONDITION (by number) is false, or could not be evaluated.
    Postcondition(u32, Option<Box<EvalError>>),
    /// There is no next-state relation to search with.
    NoNext,
    /// A `_POSSIBLE` (by number) was never true.
    Impossible(u32),
    /// `Assert(FALSE, …)`.
    Assert(Fault),
    /// An evaluation failed.
    Error(Fault),
    /// A fault of the checker itself.
    Internal(String),
}

/// One state of a behaviour.
#[derive(Clone, Debug)]
pub struct TraceState {
    /// The action that led here (by number); `None` for an initial state.
    pub action: Option<u32>,
    /// The state.
    pub state: State,
    /// What ALIAS shows instead, where it could be evaluated.
    pub shown: Option<Value>,
    /// The state's fingerprint.
    pub fingerprint: Fingerprint,
}

/// How a behaviour goes on for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loop {
    /// The last state stutters.
    Stuttering,
    /// An action (by number, where known) leads from the last state back to state `to`, counted
    /// from 1.
    BackTo {
        /// The state.
        to: usize,
        /// The action.
        action: Option<u32>,
    },
}

/// A behaviour.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Its states.
    pub states: Vec<TraceState>,
    /// Its loop.
    pub ends_in: Option<Loop>,
}

/// A finding with the behaviour that shows it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What was found.
    pub kind: ViolationKind,
    /// The behaviour; empty where there is none.
    pub trace: Trace,
}

impl Violation {
    /// TLC's exit status.
    pub fn exit_status(&self) -> u8 {
        match &self.kind {
            ViolationKind::Assumption(..)
            | ViolationKind::Postcondition(..)
            | ViolationKind::Impossible(_) => 10,
            ViolationKind::NoNext => 75,
            ViolationKind::Deadlock => 11,
            ViolationKind::Invariant(_) => 12,
            // A finite behaviour: however it goes on, the property stays broken.
            ViolationKind::Temporal(_) if self.trace.ends_in.is_none() => 12,
            ViolationKind::InitialProperty(_)
            | ViolationKind::ActionProperty(_)
            | ViolationKind::Temporal(_) => 13,
            ViolationKind::Assert(_) => 14,
            ViolationKind::Tautology(_) => 77,
            ViolationKind::LivenessUnsupported(_) | ViolationKind::Internal(_) => 153,
            ViolationKind::Error(fault) => match fault.phase {
                // An invariant that cannot be evaluated in an initial state is to TLC an error of
                // computing the initial states.
                Phase::Invariant(_) if self.trace.states.len() <= 1 => 75,
                Phase::Invariant(_) => 76,
                // The same goes for constraints, and for a state that cannot be told from others;
                // but not where values within it cannot be put in order.
                Phase::Init if fault.error.code == code::INIT_INCOMPLETE => 255,
                Phase::Init | Phase::Constraint(_) if self.trace.states.len() <= 1 => 75,
                Phase::Fingerprint if self.trace.states.is_empty() => match fault.error.code {
                    code::INCOMPARABLE => 255,
                    _ => 75,
                },
                _ if code::is_of_operator(fault.error.code) => 255,
                // What TLC meets while it records or checks the behaviour graph.
                Phase::Liveness => 255,
                _ => 75,
            },
        }
    }
}

/// How the search itself ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It never began: there is no behaviour, or an assumption failed.
    NotSearched,
    /// All reachable states were visited, or the first violation ended it.
    Complete,
    /// It never began: the checkpoint to go on from cannot be used.
    Unusable,
    /// A limit was reached.
    Limit(Limit),
    /// Somebody asked for its end.
    Stopped(Stop),
}

/// What a check came to.
pub struct Outcome {
    /// What was found, in the order to report; the first decides.
    pub violations: Vec<Violation>,
    /// How the search ended.
    pub ended: Ended,
    /// The counts.
    pub statistics: Statistics,
    /// Warnings of the run.
    pub warnings: Vec<Warning>,
    /// What was printed and not yet handed to the observer.
    pub printed: Vec<String>,
    /// Things to say beside the verdict.
    pub notes: Vec<String>,
    /// The state graph, where it was asked for.
    pub graph: Option<Graph>,
    /// Why the checkpoint to go on from cannot be used.
    pub unusable: Option<String>,
    /// The counts of random walks, where there were any.
    pub walks: Option<WalkCounters>,
    /// While evaluations were counted: how many values each variable had in states that some step led
    /// to first.
    pub distinct_values: Vec<u64>,
    /// Shows values and states.
    pub evaluator: Evaluator,
}

impl Outcome {
    /// TLC's exit status: that of the first violation; 0 after a search that a limit ended.
    pub fn exit_status(&self) -> u8 {
        self.violations.first().map_or(0, Violation::exit_status)
    }
}
