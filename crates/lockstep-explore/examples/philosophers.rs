//! Dining philosophers: each takes the left fork, then the right one. They can starve; who takes the right fork first
//! saves them all.
//!
//! Run with `cargo run --release -p lockstep-explore --example philosophers`.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use lockstep_explore::{Emit, Model, Options, Plain, check};

struct Table {
    seats: usize,
    /// Does the last philosopher take the right fork first?
    polite: bool,
}

impl Model for Table {
    /// For each fork, the philosopher who holds it.
    type State = Vec<Option<u8>>;
    const NAMES: &'static [&'static str] = &["take first", "take second", "put down"];

    fn initial(&self) -> Vec<Self::State> {
        vec![vec![None; self.seats]]
    }

    fn successors(&self, forks: &Self::State, emit: Emit<'_, Self::State>) {
        for who in 0..self.seats {
            let (left, right) = (who, (who + 1) % self.seats);
            let last = who + 1 == self.seats;
            let (first, second) = if self.polite && last { (right, left) } else { (left, right) };
            let me = Some(who as u8);
            let mut next = forks.clone();
            match (forks[first] == me, forks[second] == me) {
                (true, true) => {
                    (next[first], next[second]) = (None, None);
                    emit("put down", next);
                }
                (true, false) if forks[second].is_none() => {
                    next[second] = me;
                    emit("take second", next);
                }
                (false, false) if forks[first].is_none() => {
                    next[first] = me;
                    emit("take first", next);
                }
                _ => {}
            }
        }
    }
}

fn main() {
    for polite in [false, true] {
        let system = Plain::new(Table { seats: 9, polite });
        let outcome = check(&system, &Options { workers: 0, ..Options::default() });
        let states = outcome.statistics.counters.distinct;
        println!("polite: {polite}, {states} states, verdict {:?}", outcome.verdict);
        for violation in &outcome.violations {
            for (action, forks) in system.trace(violation) {
                println!("  {:<12} {forks:?}", action.unwrap_or("start"));
            }
        }
    }
}
