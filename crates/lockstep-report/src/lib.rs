//! Verdicts, traces and graphs as text, TLC text, JSON, ITF, DOT, TLA+, HTML, JUnit and SARIF.
//!
//! What goes in: the plain data of [`model`], filled by the command line from the checker's
//! outcome. What comes out: text. Nothing here checks, reads a file or knows an expression.
#![forbid(unsafe_code)]

pub mod model;
pub mod pretty;
pub mod value;

pub use model::*;
pub use value::Value;
