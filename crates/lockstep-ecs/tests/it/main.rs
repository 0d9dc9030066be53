//! What lockstep-ecs promises, one named test a promise.
//!
//! `modes` holds every executor that must give the same bytes; most tests here run in all of them and compare whole streams,
//! unsorted.
#![allow(
    clippy::print_stdout,
    clippy::type_complexity,
    clippy::drop_non_drop,
    clippy::manual_is_multiple_of,
    clippy::semicolon_if_nothing_returned,
    dropping_references,
    dropping_copy_types,
    missing_docs,
    unreachable_pub,
    reason = "tests"
)]

mod modes;

mod basics;
mod every_mode;
mod explore;
mod kit;
mod observers;
mod queries;
mod reference;
mod requests;
mod schedules;
mod storage;
mod traps;
mod travel;
mod waves;
