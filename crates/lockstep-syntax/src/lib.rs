//! Sources, spans, diagnostics, lexer, parser, syntax tree and printer for TLA+ and PlusCal.
//!
//! Parsing never fails: it returns a tree and diagnostics. This crate does no IO.
#![forbid(unsafe_code)]

pub mod ast;
pub mod diagnostic;
pub mod source;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use source::{FileId, Location, SourceFile, SourceMap, Span};
