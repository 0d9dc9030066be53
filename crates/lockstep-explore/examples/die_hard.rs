//! The water puzzle of *Die Hard 3*: a jug of 3 gallons, a jug of 5, and exactly 4 are wanted.
//!
//! "The big jug never holds 4" is stated as an invariant; its counterexample is the solution.
//!
//! Run with `cargo run -p lockstep-explore --example die_hard`.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use lockstep_explore::{Emit, Model, Options, Plain, Verdict, check};

struct Jugs;

impl Model for Jugs {
    /// Gallons in the small jug and in the big one.
    type State = (u8, u8);
    const NAMES: &'static [&'static str] = &[
        "fill small",
        "fill big",
        "empty small",
        "empty big",
        "small to big",
        "big to small",
        "not 4",
    ];

    fn initial(&self) -> Vec<(u8, u8)> {
        vec![(0, 0)]
    }

    fn successors(&self, &(small, big): &(u8, u8), emit: Emit<'_, (u8, u8)>) {
        emit("fill small", (3, big));
        emit("fill big", (small, 5));
        emit("empty small", (0, big));
        emit("empty big", (small, 0));
        let poured = small.min(5 - big);
        emit("small to big", (small - poured, big + poured));
        let poured = big.min(3 - small);
        emit("big to small", (small + poured, big - poured));
    }

    fn invariant(&self, &(_, big): &(u8, u8)) -> Result<(), &'static str> {
        if big == 4 { Err("not 4") } else { Ok(()) }
    }
}

fn main() {
    let system = Plain::new(Jugs);
    let outcome = check(&system, &Options::default());
    assert_eq!(outcome.verdict, Verdict::Violated);
    for (action, (small, big)) in system.trace(&outcome.violations[0]) {
        println!("{:<14} small {small}, big {big}", action.unwrap_or("start"));
    }
    println!("{} distinct states", outcome.statistics.counters.distinct);
}
