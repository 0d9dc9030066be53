//! Liveness checking over a recorded behaviour graph.
//!
//! The caller records the graph beside the search ([`StepLog`], [`RecordedGraph`]), states what is to be found
//! as a [`Formula`] (the fairness of the specification and the negation of a property), and gets
//! the lasso of a behaviour that satisfies it, or none. Terms follow *Specifying Systems* §8 and
//! Manna and Pnueli, *Temporal Verification of Reactive Systems: Safety* §5.
//!
//! ```
//! use lockstep_explore::liveness::{BehaviorGraph, Classes, Formula, Step, find_lasso};
//!
//! // Two states; atom 0 is "in state 1", atom 1 is "the step leaves state 0".
//! let mut classes = Classes::default();
//! let (stay, go, rest) = (classes.intern(&[0b00]), classes.intern(&[0b10]), classes.intern(&[0b01]));
//! let steps = [
//!     (0, Step { to: 0, class: stay }),
//!     (0, Step { to: 1, class: go }),
//!     (1, Step { to: 1, class: rest }),
//! ];
//! let graph = BehaviorGraph::new(2, vec![0], &steps, classes.rows().to_vec());
//! // <>(in state 1) fails without fairness: stutter in state 0 for ever.
//! let never = Formula::Atom(0).eventually().negated();
//! let lasso = find_lasso(&graph, &never).unwrap().unwrap();
//! assert!(lasso.is_stuttering());
//! ```

mod formula;
mod graph;
mod recorded;
mod search;
mod tableau;
#[cfg(test)]
mod tests;

pub use formula::{Branch, Condition, Formula, branches, conjunction, disjunction};
pub use graph::{AtomBits, BehaviorGraph, Classes, Step, Steps, atom_of};
pub use lockstep_runtime::WorkerPool;
pub use recorded::{Ambiguous, RecordedGraph, StepLog};
pub use search::{Lasso, LivenessError, MAX_BRANCHES, find_lasso, find_lassos, find_prefix};
pub use tableau::{Particle, Tableau};
