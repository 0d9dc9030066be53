//! TLA+ values, standard modules, intermediate representation and evaluators.
//!
//! [`lower`] makes a [`Program`](ir::Program) of a resolved specification and its configuration;
//! an [`Evaluator`] per worker computes states, checks and values from it. This crate does no IO
//! and never reaches the explorer.
#![forbid(unsafe_code)]

mod action;
pub mod error;
mod eval;
mod evaluator;
pub mod help;
pub mod ir;
mod lower;
pub mod memo;
mod orbit;
pub mod stdlib;
pub mod value;

pub use evaluator::{ActionId, Cached, Evaluator, State};
pub use lower::{Options, lower};
