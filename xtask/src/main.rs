//! Automation: tidy checks, blessing of expectations, release steps.

fn main() {}
