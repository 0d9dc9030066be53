//! `lockstep-bench-ecs [--markdown] [--peer NAME] [CASE…]`: nanoseconds an operation, ours beside the peers and beside bare loops.
//!
//! First every contestant runs a case three times and shows a checksum of what its world then holds; all must agree. Then samples of
//! all contestants take turns, so that a slow moment hits all alike; long runs are made warm by one that is not timed. Cases on one
//! thread are timed by the thread's processor time,
//! parallel ones by the wall clock; of 31 samples the one at the lower quarter counts.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a bench")]

mod cases;
mod comps;
mod ours;
mod peer_bevy;
mod peer_evenio;
mod peer_flecs;
mod peer_hecs;
mod peer_legion;
mod peer_shipyard;
mod peer_sparsey;
mod raw;

use std::time::Instant;

/// What a contestant is asked to do.
#[derive(Clone, Copy)]
pub enum Ask {
    /// Run so many times and tell the nanoseconds.
    Time(u64),
    /// Tell a checksum of the world as it is now; `NaN` when there is nothing to compare.
    Look,
}

/// One contestant of a case.
pub struct Contestant {
    pub name: &'static str,
    pub ask: Box<dyn FnMut(Ask) -> f64>,
}

#[derive(Clone, Copy)]
enum Clock {
    Thread,
    Wall,
}
thread_local!(static CLOCK: std::cell::Cell<Clock> = const { std::cell::Cell::new(Clock::Thread) });

/// Nanoseconds of the clock that the case is timed by.
fn now() -> f64 {
    thread_local!(static START: Instant = Instant::now());
    match CLOCK.get() {
        Clock::Wall => START.with(|s| s.elapsed().as_nanos() as f64),
        Clock::Thread => cpu_time::ThreadTime::now().as_duration().as_nanos() as f64,
    }
}

/// Repeats `f` in one world. `f(true)` only gives the checksum.
pub fn checked(name: &'static str, mut f: impl FnMut(bool) -> f64 + 'static) -> Contestant {
    Contestant {
        name,
        ask: Box::new(move |ask| match ask {
            Ask::Look => f(true),
            Ask::Time(n) => {
                let begin = now();
                for _ in 0..n {
                    std::hint::black_box(f(false));
                }
                now() - begin
            }
        }),
    }
}

/// Repeats `f`, which gives the checksum by the way.
pub fn repeat(name: &'static str, mut f: impl FnMut() -> f64 + 'static) -> Contestant {
    let mut sum = f64::NAN;
    checked(name, move |look| {
        if !look {
            sum = f();
        }
        sum
    })
}

/// Times `f` alone, with a fresh `S` for every run; `look` gives the checksum of what `f` left.
pub fn fresh<S>(
    name: &'static str,
    mut setup: impl FnMut() -> S + 'static,
    mut f: impl FnMut(&mut S) + 'static,
    mut look: impl FnMut(&mut S) -> f64 + 'static,
) -> Contestant {
    Contestant {
        name,
        ask: Box::new(move |ask| match ask {
            Ask::Look => {
                let mut state = setup();
                f(&mut state);
                look(&mut state)
            }
            Ask::Time(n) => {
                let mut nanos = 0.0;
                for _ in 0..n {
                    let mut state = setup();
                    let begin = now();
                    f(&mut state);
                    nanos += now() - begin;
                }
                nanos
            }
        }),
    }
}

const SAMPLES: usize = 31;

fn main() {
    let mut markdown = false;
    let mut peer: Option<String> = None;
    let mut only: Vec<String> = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--markdown" => markdown = true,
            "--peer" => peer = words.next(),
            _ => only.push(word),
        }
    }
    if markdown {
        println!("| case | lockstep | best peer | ratio | all |\n| --- | --- | --- | --- | --- |");
    } else {
        println!("{:<24} {:<26} {:>10} {:>7}", "case", "contestant", "ns/op", "ratio");
    }
    for &(case, operations, parallel) in cases::CASES {
        if !only.is_empty() && !only.iter().any(|o| o == case) {
            continue;
        }
        CLOCK.set(if parallel { Clock::Wall } else { Clock::Thread });
        let mut all = ours::make(case);
        all.extend(raw::make(case));
        all.extend(peer_bevy::make(case));
        all.extend(peer_evenio::make(case));
        all.extend(peer_flecs::make(case));
        all.extend(peer_hecs::make(case));
        all.extend(peer_legion::make(case));
        all.extend(peer_shipyard::make(case));
        all.extend(peer_sparsey::make(case));
        if let Some(peer) = &peer {
            all.retain(|c| c.name.contains(peer.as_str()) || c.name.starts_with("lockstep"));
        }
        let mut reference: Option<(f64, &str)> = None;
        for c in &mut all {
            (c.ask)(Ask::Time(3));
            let sum = (c.ask)(Ask::Look);
            if sum.is_nan() {
                continue;
            }
            let (expected, of) = *reference.get_or_insert((sum, c.name));
            let same = (sum - expected).abs() <= 1e-6 * expected.abs().max(1.0);
            assert!(same, "{case}: {} computed {sum}, {of} computed {expected}", c.name);
        }
        let counts: Vec<u64> = all
            .iter_mut()
            .map(|c| {
                let once = (0..3).map(|_| (c.ask)(Ask::Time(1))).fold(f64::MAX, f64::min);
                ((2e6 / once.max(50.0)) as u64).clamp(1, 50_000)
            })
            .collect();
        let mut samples: Vec<Vec<f64>> = vec![Vec::new(); all.len()];
        for _ in 0..SAMPLES {
            for ((c, &n), samples) in all.iter_mut().zip(&counts).zip(&mut samples) {
                // Others have had the caches since: without this, who runs once a sample would be timed cold and who runs twice
                // half warm.
                if n < 20 {
                    (c.ask)(Ask::Time(1));
                }
                samples.push((c.ask)(Ask::Time(n)) / (n * operations) as f64);
            }
        }
        let figures: Vec<f64> = samples
            .iter_mut()
            .map(|s| {
                s.sort_by(f64::total_cmp);
                s[s.len() / 4]
            })
            .collect();
        let ours = |c: &Contestant| c.name.starts_with("lockstep");
        let best = all
            .iter()
            .zip(&figures)
            .filter(|(c, _)| !c.name.starts_with("raw") && !ours(c))
            .min_by(|a, b| a.1.total_cmp(b.1));
        let bar = best.map_or(f64::NAN, |b| *b.1);
        if markdown {
            let list = |keep: &dyn Fn(&Contestant) -> bool| {
                let named = all.iter().zip(&figures).filter(|(c, _)| keep(c));
                named.map(|(c, f)| format!("{} {f:.2}", c.name)).collect::<Vec<_>>().join(", ")
            };
            let mine = list(&ours).replace("lockstep ", "");
            let ratio = all.iter().zip(&figures).filter(|(c, _)| ours(c));
            let ratio: Vec<String> = ratio.map(|(_, f)| format!("{:.2}", f / bar)).collect();
            let best = best.map_or("none".to_owned(), |(c, f)| format!("{} {f:.2}", c.name));
            let ratio = if bar.is_nan() { "".to_owned() } else { ratio.join(", ") };
            println!("| {case} | {mine} | {best} | {ratio} | {} |", list(&|c| !ours(c)));
        } else {
            for (c, f) in all.iter().zip(&figures) {
                println!("{case:<24} {:<26} {f:>10.3} {:>7.2}", c.name, f / bar);
            }
        }
    }
}
