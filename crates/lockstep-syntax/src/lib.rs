//! Sources, spans, diagnostics, lexer, parser, syntax tree and printer for TLA+ and PlusCal.
//!
//! Text goes in, a tree and diagnostics come out; parsing never fails. This crate does no IO and
//! knows nothing of what names mean.
//!
//! ```
//! use lockstep_syntax::{SourceFile, SourceMap, parse, printer, render::render};
//!
//! let mut sources = SourceMap::default();
//! let file = sources.add(SourceFile::new("Clock.tla", r"
//! ---- MODULE Clock ----
//! VARIABLE hour
//! Next == \/ hour < 12 /\ hour' = hour + 1
//!         \/ hour = 12 /\ hour' = 1
//! ===="));
//! let parsed = parse(file, sources.file(file));
//! assert!(parsed.diagnostics.is_empty(), "{}", render(&sources, &parsed.diagnostics, false));
//! assert!(printer::print(&parsed.ast).contains("VARIABLE hour"));
//! ```
//!
//! What to read next: [`ast`] for the tree, [`operators`] for precedence, `parser/mod.rs` for how
//! the parser goes on after a mistake.
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
