//! Verdicts, traces and graphs as text, TLC text, JSON, ITF, DOT, TLA+, HTML, JUnit and SARIF.
//!
//! What goes in: the plain data of [`model`], filled by the command line from the checker's
//! outcome. What comes out: text. Nothing here checks, reads a file or knows an expression.
#![forbid(unsafe_code)]

pub mod coverage_html;
pub mod dot;
pub mod formats;
pub mod graph;
pub mod html;
pub mod itf;
pub mod json;
pub mod junit;
pub mod model;
mod parse_value;
pub mod pretty;
pub mod read;
pub mod sarif;
pub mod text;
pub mod tla;
pub mod tlc;
pub mod trace_json;
pub mod value;

pub use formats::{FORMATS, Format, format};
pub use model::*;
pub use value::Value;
