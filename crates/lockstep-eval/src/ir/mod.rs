//! The intermediate representation: what lowering makes and the evaluators run.
//!
//! Names are gone: variables, locals, functions and constants are numbers. A [`Program`] is
//! immutable and shared by all workers; it holds no reference-counted value, only literals and
//! encoded values that each worker thaws for itself.
//!
//! Invariants: slots are numbered by nesting, so a node that reads only slots at or above the
//! depth at which it was made is closed; a [`Node::Const`] is closed, pure and reads no state.

mod action;
mod analysis;
mod costs;
mod guard;
mod image;
mod node;
mod program;
mod temporal;

pub use action::{Act, ActId, Counted};
pub use analysis::{
    Effects, Footprint, Part, Strictness, act_parts, captures, footprint, is_effect, parts,
    visit_below, visit_below_all,
};
pub use costs::{CostNode, CostRoot, Costs};
pub use guard::Guard;
pub(crate) use guard::guards;
pub(crate) use image::images;
pub use image::{Image, ImagePart};
pub use node::{
    Arg, Arithmetic, Bind, Failure, NativeRef, Node, NodeId, Slot, Step, Target, Update, VarId,
};
pub use program::{
    ActFunction, ActFunctionId, ActionInfo, ConstId, EntryPoint, Frozen, FunctionId, MemoId,
    NodeFunction, Program, Property, VariableInfo,
};
pub use temporal::{Fairness, Temporal, TemporalProperty};
