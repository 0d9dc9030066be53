//! A generic, deterministic, parallel explorer of transition systems.
