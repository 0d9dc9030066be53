//! The plain evaluator: walks the intermediate representation over values.
//!
//! It is the reference for every faster tier. A [`Machine`] belongs to one worker; what it keeps
//! between evaluations (constants, definitions of the present state) is a cache and never shows.

mod bindings;
mod closure;
mod definition;
mod error;
mod functions;
mod image;
mod machine;
mod node;
mod peek;
mod predicate;
mod recall;

pub(crate) use bindings::Elements;
pub(crate) use closure::grow;
pub(crate) use error::{Role, annotate};
pub(crate) use machine::{Local, Machine, NextState, Shared, Written, thaw};

// Values, results and slots travel in two words.
const _: () = assert!(size_of::<crate::value::Value>() == 16);
const _: () = assert!(size_of::<crate::error::EvalResult<crate::value::Value>>() == 16);
const _: () = assert!(size_of::<Local>() == 16);
