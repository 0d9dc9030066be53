//! `lockstep-bench-ecs [CASE…]`: nanoseconds an operation, ours beside the peers and beside bare loops.
//!
//! Samples of all contestants of a case take turns, so that a slow moment hits all alike; the median counts. Every contestant
//! returns a checksum of what it computed; they must agree.

mod cases;
mod peer_hecs;
mod ours;
mod raw;

use std::time::Instant;

/// One contestant of a case: runs `n` times, returns nanoseconds and a checksum of the last run.
pub struct Contestant {
    pub name: &'static str,
    pub run: Box<dyn FnMut(u64) -> (f64, f64)>,
}

/// Repeats `f` in one world.
pub fn repeat(name: &'static str, mut f: impl FnMut() -> f64 + 'static) -> Contestant {
    Contestant {
        name,
        run: Box::new(move |n| {
            let begin = Instant::now();
            let mut sum = 0.0;
            for _ in 0..n {
                sum = f();
            }
            (begin.elapsed().as_nanos() as f64, sum)
        }),
    }
}

/// Times `f` alone, with a fresh `S` for every run.
pub fn fresh<S>(
    name: &'static str,
    mut setup: impl FnMut() -> S + 'static,
    mut f: impl FnMut(&mut S) -> f64 + 'static,
) -> Contestant {
    Contestant {
        name,
        run: Box::new(move |n| {
            let (mut nanos, mut sum) = (0.0, 0.0);
            for _ in 0..n {
                let mut state = setup();
                let begin = Instant::now();
                sum = f(&mut state);
                nanos += begin.elapsed().as_nanos() as f64;
            }
            (nanos, sum)
        }),
    }
}

fn main() {
    let only: Vec<String> = std::env::args().skip(1).collect();
    println!("{:<26} {:<22} {:>10} {:>8}", "case", "contestant", "ns/op", "ratio");
    for &(case, operations) in cases::CASES {
        if !only.is_empty() && !only.iter().any(|o| o == case) {
            continue;
        }
        let mut all = ours::make(case);
        all.extend(raw::make(case));
        all.extend(peer_hecs::make(case));
        let mut samples: Vec<Vec<f64>> = vec![Vec::new(); all.len()];
        let mut sums = vec![0.0; all.len()];
        let counts: Vec<u64> = all
            .iter_mut()
            .map(|c| {
                let once = (0..3).map(|_| (c.run)(1).0).fold(f64::MAX, f64::min);
                ((3e6 / once.max(50.0)) as u64).clamp(1, 50_000)
            })
            .collect();
        for _ in 0..25 {
            for (k, c) in all.iter_mut().enumerate() {
                let (nanos, sum) = (c.run)(counts[k]);
                samples[k].push(nanos / (counts[k] * operations) as f64);
                sums[k] = sum;
            }
        }
        let medians: Vec<f64> = samples
            .iter_mut()
            .map(|s| {
                s.sort_by(f64::total_cmp);
                s[s.len() / 2]
            })
            .collect();
        let best = all
            .iter()
            .zip(&medians)
            .filter(|(c, _)| !c.name.starts_with("raw") && !c.name.starts_with("lockstep"))
            .map(|(_, m)| *m)
            .fold(f64::MAX, f64::min);
        for (c, m) in all.iter().zip(&medians) {
            println!("{case:<26} {:<22} {m:>10.3} {:>8.2}", c.name, m / best);
        }
        for (c, s) in all.iter().zip(&sums) {
            let same = (s - sums[0]).abs() <= 1e-6 * sums[0].abs().max(1.0);
            assert!(same || s.is_nan() || sums[0].is_nan(), "{case}: {} computed {s}, {} computed {}", c.name, all[0].name, sums[0]);
        }
    }
}
