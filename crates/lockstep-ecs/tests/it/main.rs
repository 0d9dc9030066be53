//! What lockstep-ecs promises, one named test a promise.
//!
//! `modes` holds every executor that must give the same bytes; most tests here run in all of them and compare whole streams,
//! unsorted.
#![allow(clippy::print_stdout, clippy::type_complexity, missing_docs, reason = "tests")]

mod modes;

mod basics;
