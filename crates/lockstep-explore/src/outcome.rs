//! What goes into a search and what comes out of it: options, progress, statistics, verdict.
//!
//! Plain data. Counts mean what TLC's mean: *generated* is the initial states and all successors, duplicates and states
//! outside the model included; *distinct* is the states in the model; *depth* is the number of levels.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lockstep_runtime::Fingerprint;

use crate::system::{ActionId, PropertyId};

/// How to search. Everything that bounds a search makes it end with a verdict and a summary, never without.
#[derive(Debug, Clone)]
pub struct Options {
    /// Workers, the calling thread included; 0 means as many as the system runs at the same time.
    pub workers: usize,
    /// Bytes of stack for each worker's thread but the caller's.
    pub stack_size: Option<usize>,
    /// Is a state without successors an error?
    pub check_deadlock: bool,
    /// Go on after a violation and list them all, the one that decides first.
    pub continue_after_violation: bool,
    /// With `continue_after_violation`: how many violations are kept with their traces.
    pub max_violations: usize,
    /// Stop at the first violation that any worker meets, in the middle of a level. Which one that is, and all counts,
    /// then depend on timing.
    pub stop_at_once: bool,
    /// End with [`Limit::States`] at the first fence with at least so many distinct states.
    pub max_states: Option<u64>,
    /// End with [`Limit::Depth`] when states wait that are deeper than this.
    pub max_depth: Option<u32>,
    /// End with [`Limit::Memory`] when the table or the frontier would take more bytes than this.
    pub max_memory: Option<u64>,
    /// Levels with fewer states than this are run by one worker, first in, first out.
    pub serial_below: usize,
    /// Count new states for each action. Costs 4 bytes more a state.
    pub coverage: bool,
    /// Count how many new states each state has. Costs a sort of each large level.
    pub outdegree: bool,
    /// Another thread's (or a signal handler's) wish to end the search.
    pub stop: Option<Arc<AtomicBool>>,
    /// Slots of the fingerprint table at the start; 0 leaves it to the explorer.
    pub table_slots: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            workers: 1,
            stack_size: None,
            check_deadlock: true,
            continue_after_violation: false,
            max_violations: 100,
            stop_at_once: false,
            max_states: None,
            max_depth: None,
            max_memory: None,
            serial_below: 2048,
            coverage: false,
            outdegree: false,
            stop: None,
            table_slots: 0,
        }
    }
}

/// The counts of a search at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Initial states and successors so far.
    pub generated: u64,
    /// States in the table.
    pub distinct: u64,
    /// States that wait to be expanded.
    pub queue: u64,
    /// The deepest level that has a state.
    pub depth: u32,
}

/// What an observer is told: at fences, and every few hundred states within a level that is large.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// The counts; within a level they lag a little.
    pub counters: Counters,
    /// Is this the end of a level, where the counts are exact?
    pub at_fence: bool,
    /// Bytes of the fingerprint table.
    pub table_bytes: u64,
    /// Bytes of the states that wait.
    pub frontier_bytes: u64,
}

/// What the observer wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Go on.
    Continue,
    /// End the search with this limit as its verdict.
    Stop(Limit),
}

/// A bound that ended a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// [`Options::max_states`].
    States,
    /// [`Options::max_depth`].
    Depth,
    /// [`Options::max_memory`], or the system gave no more.
    Memory,
    /// The observer said so.
    Time,
}

/// A wish that ended a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// [`Options::stop`].
    Interrupt,
    /// [`Context::request_stop`](crate::Context::request_stop).
    System,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Everything reachable was visited and nothing found.
    Ok,
    /// See the first of [`Outcome::violations`].
    Violated,
    /// A bound was reached first.
    Limit(Limit),
    /// Somebody wished it.
    Stopped(Stop),
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViolationKind<E> {
    /// The last state of the trace has no successor.
    Deadlock,
    /// The last state of the trace violates an invariant.
    State(PropertyId),
    /// The last step of the trace violates a property of steps.
    Step(PropertyId),
    /// The evaluation failed at the last state or step of the trace.
    Error(E),
    /// The system panicked at the last state of the trace: a fault of the system's code, not of the model.
    Panic(String),
}

/// A finding and the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation<E> {
    /// What was found.
    pub kind: ViolationKind<E>,
    /// A shortest behaviour that leads to it. Empty when the initial states themselves could not be computed.
    pub trace: Vec<TraceStep>,
}

/// One state of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceStep {
    /// The action that led here; `None` for an initial state.
    pub action: Option<ActionId>,
    /// The state's fingerprint.
    pub fingerprint: Fingerprint,
    /// The state, encoded by [`TransitionSystem::encode`](crate::TransitionSystem::encode).
    pub state: Vec<u8>,
}

/// How often an action led somewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActionCount {
    /// States first reached by it. Without [`Options::coverage`] it is 0 once a level was large.
    pub distinct: u64,
    /// Successors generated by it.
    pub generated: u64,
}

/// New states per expanded state.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Outdegree {
    /// The mean.
    pub average: f64,
    /// The least.
    pub minimum: u32,
    /// The greatest.
    pub maximum: u32,
    /// Nineteen of twenty expanded states have at most so many.
    pub percentile_95: u32,
}

/// The counts of a finished search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// The final counts.
    pub counters: Counters,
    /// Initial states generated, duplicates and states outside the model included.
    pub initial_generated: u64,
    /// Distinct initial states in the model.
    pub initial_distinct: u64,
    /// New states on each level.
    pub levels: Vec<u64>,
    /// Indexed by [`ActionId`]; as long as the highest action that was seen.
    pub actions: Vec<ActionCount>,
    /// Indexed by [`ConstraintId`](crate::ConstraintId): states and steps it kept out.
    pub excluded: Vec<u64>,
    /// New states per expanded state. `None` when nothing was expanded or, without [`Options::outdegree`], once a level was
    /// large.
    pub outdegree: Option<Outdegree>,
    /// Bytes of the fingerprint table at the end.
    pub table_bytes: u64,
    /// The most bytes that waiting states took.
    pub frontier_bytes: u64,
}

impl Statistics {
    /// The probability that two states shared a fingerprint of 64 bits, by TLC's optimistic formula.
    #[must_use]
    pub fn collision_probability(&self) -> f64 {
        let distinct = self.counters.distinct as f64;
        let generated = self.counters.generated as f64;
        distinct * (generated - distinct).max(0.0) / 2f64.powi(64)
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome<E> {
    /// How it ended.
    pub verdict: Verdict,
    /// What was found; the first one decides. More than one only with [`Options::continue_after_violation`].
    pub violations: Vec<Violation<E>>,
    /// The counts.
    pub statistics: Statistics,
}
