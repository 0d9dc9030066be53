//! TLA+ values, standard modules, intermediate representation and evaluators.
#![forbid(unsafe_code)]

pub mod error;
pub mod stdlib;
pub mod value;
