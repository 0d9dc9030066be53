//! Module graph, name resolution, level checking and the configuration language of TLA+.
//!
//! What goes in: module texts over a [`ModuleSource`]. What comes out: a resolved
//! [`hir::Spec`] and diagnostics with SANY's codes. This crate does no IO.
#![forbid(unsafe_code)]

mod analyse;
mod builtins;
mod check;
pub mod config;
mod config_parser;
pub mod hir;
mod levels;
mod lint;
mod order;
mod resolve;
mod scope;
pub mod source;
mod suggest;

pub use analyse::{Analysis, LoadedFile, RootText, analyse};
pub use config_parser::{parse_config, parse_config_section};
pub use source::{ModuleSource, ModuleText};
