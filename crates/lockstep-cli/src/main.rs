//! The lockstep command line.

fn main() {}
