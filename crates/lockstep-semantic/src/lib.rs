//! Module graph, name resolution, level checking and the configuration language of TLA+.
//!
//! What goes in: module texts over a [`ModuleSource`]. What comes out: a resolved
//! [`hir::Spec`] and diagnostics with SANY's codes. This crate does no IO.
#![forbid(unsafe_code)]

pub mod config;
pub mod hir;
pub mod source;

pub use source::{ModuleSource, ModuleText};
