//! Sources, spans, diagnostics, lexer, parser, syntax tree and printer for TLA+ and PlusCal.
//!
//! Parsing never fails: it returns a tree and diagnostics. This crate does no IO.
#![forbid(unsafe_code)]

pub mod ast;
pub mod diagnostic;
mod lexer;
pub mod operators;
mod parser;
pub mod pluscal;
pub mod printer;
pub mod render;
pub mod source;
mod token;
mod tree;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use lexer::config_section;
pub use parser::{ExpressionParse, NESTING_LIMIT, Parse, parse, parse_expression};
pub use source::{FileId, Location, SourceFile, SourceMap, Span};
