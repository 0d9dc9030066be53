//! The stable facade: bind a specification to a model and check it.
//!
//! Load a specification with [`lockstep_semantic::analyse`], parse a configuration, lower both to a
//! [`Program`](lockstep_eval::ir::Program), and [`check`] it.
#![forbid(unsafe_code)]

mod checker;
mod describe;
mod dump;
mod fault;
mod liveness;
mod model;
mod outcome;
mod symmetry;
mod tracing;
mod uses;
mod walks;

pub use checker::{Settings, Walked, check, check_kept, simulate};
pub use dump::{Graph, GraphEdge, GraphState};
pub use fault::{Fault, Phase};
pub use model::{HostFactory, Model, ModelState, ModelWorker};
pub use outcome::{Ended, Loop, Outcome, Trace, TraceState, Violation, ViolationKind};
pub use walks::Walks;
