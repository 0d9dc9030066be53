//! A generic, deterministic, parallel explorer of transition systems.
//!
//! Give it a [`TransitionSystem`] — or, for a plain Rust type, the smaller [`Model`] — and it visits every reachable
//! state, breadth first, with any number of workers, and tells whether an invariant, a step property or the absence of
//! deadlocks fails, with a shortest counterexample. The number of workers never changes what it says: verdict, counts,
//! traces and coverage are the same bytes for one worker and for eight.
//!
//! ```
//! use lockstep_explore::{Emit, Model, Options, Plain, Verdict, check};
//!
//! /// A counter that wraps at 10; it must never show 7.
//! struct Counter;
//!
//! impl Model for Counter {
//!     type State = u8;
//!     const NAMES: &'static [&'static str] = &["tick", "never 7"];
//!
//!     fn initial(&self) -> Vec<u8> {
//!         vec![0]
//!     }
//!
//!     fn successors(&self, state: &u8, emit: Emit<'_, u8>) {
//!         emit("tick", (state + 1) % 10);
//!     }
//!
//!     fn invariant(&self, state: &u8) -> Result<(), &'static str> {
//!         if *state == 7 { Err("never 7") } else { Ok(()) }
//!     }
//! }
//!
//! let system = Plain::new(Counter);
//! let outcome = check(&system, &Options::default());
//! assert_eq!(outcome.verdict, Verdict::Violated);
//! let trace = system.trace(&outcome.violations[0]);
//! assert_eq!(trace.last().unwrap(), &(Some("tick"), 7));
//! ```
//!
//! Beside [`check`] there are [`explore`], which lets a [`Recorder`] listen and an observer look on, [`simulate`] for random
//! walks and [`deepen`] for depth-first search.
//!
//! What to read next: [`TransitionSystem`] for the full surface, [`Options`] for limits and modes, [`Outcome`] for what
//! comes back.
#![forbid(unsafe_code)]

mod bfs;
pub mod checkpoint;
mod codec;
mod deepen;
pub mod liveness;
mod outcome;
mod plain;
mod random;
mod record;
mod simulate;
mod system;
mod trace;

pub use bfs::{Explored, check, explore, explore_kept};
pub use checkpoint::{Checkpoints, NoCheckpoints};
pub use codec::{Codec, fingerprint_of};
pub use deepen::deepen;
pub use lockstep_runtime::Fingerprint;
pub use outcome::{
    ActionCount, Command, Counters, Limit, Options, Outcome, Outdegree, Progress, Statistics, Stop,
    TraceStep, Verdict, Violation, ViolationKind,
};
pub use plain::{Emit, Model, Plain};
pub use record::{NoRecorder, Recorder};
pub use simulate::{WalkCounters, WalkEvent, WalkOptions, WalkOutcome, simulate};
pub use system::{ActionId, ConstraintId, Context, Failure, PropertyId, Share, TransitionSystem};
pub use trace::rebuild;
