//! A generic, deterministic, parallel explorer of transition systems.
#![forbid(unsafe_code)]

pub mod liveness;
