//! Explores a synthetic system and prints what the explorer itself costs.
//!
//! `cargo run --release -p lockstep-bench --bin synthetic -- --digits 8 --base 10 --workers 1,2`
//!
//! The bare cost of making the successors and their fingerprints is measured beside it, in the same run; what is left is
//! the explorer's: looking up, keeping, frontier, fences, growth.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

use std::hint::black_box;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;

use lockstep_bench::{Grid, GridRecorder};
use lockstep_explore::liveness::{Formula, RecordedGraph, WorkerPool, find_lassos};
use lockstep_explore::{Command, Options, Verdict, check, explore};

const HELP: &str = "\
usage: synthetic [--digits N] [--base N] [--work N] [--workers 1,2] [--slots N] [--coverage]
                 [--liveness]

  --digits, --base  the system has base^digits states and digits successors for each (8, 8)
  --work            rounds of arithmetic for each successor, about 1 ns each (0)
  --workers         one run for each number (1,2)
  --slots           slots of the fingerprint table at the start; 0: as usual (0)
  --liveness        record the behaviour graph, too, and search it
  --coverage        keep actions with the states, as -coverage does
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|it| it == "--help" || it == "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let text = |name: &str| {
        let at = words.iter().position(|it| it == name)?;
        words.get(at + 1).map(String::as_str)
    };
    let number = |name: &str, usual: u64| text(name).map_or(Some(usual), |it| it.parse().ok());
    let (Some(digits), Some(base), Some(work), Some(slots)) =
        (number("--digits", 8), number("--base", 8), number("--work", 0), number("--slots", 0))
    else {
        eprint!("{HELP}");
        return ExitCode::FAILURE;
    };
    let grid = Grid { digits: digits as u32, base, work: work as u32 };
    println!(
        "grid: {} counters modulo {}, {} states, {} generated, {} rounds of work",
        digits,
        base,
        grid.states(),
        grid.generated(),
        work
    );
    let bare = bare_nanoseconds(&grid);
    println!("bare successor and fingerprint: {bare:.1} ns");
    println!(
        "{:>7} {:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9} {:>7} {:>8}",
        "workers",
        "wall s",
        "CPU s",
        "gen/s",
        "dist/s",
        "ns/gen",
        "cost ns",
        "table MB",
        "front MB",
        "B/state",
        "peak MB"
    );
    let mut first = None;
    for workers in text("--workers").unwrap_or("1,2").split(',').filter_map(|it| it.parse().ok()) {
        let options = Options {
            workers,
            table_slots: slots as usize,
            coverage: words.iter().any(|it| it == "--coverage"),
            ..Options::default()
        };
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let outcome = check(&grid, &options);
        let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        let statistics = &outcome.statistics;
        let counters = statistics.counters;
        if outcome.verdict != Verdict::Ok
            || (counters.generated, counters.distinct) != (grid.generated(), grid.states())
        {
            eprintln!("wrong: {:?} {counters:?}", outcome.verdict);
            return ExitCode::FAILURE;
        }
        let (generated, distinct) = (counters.generated as f64, counters.distinct as f64);
        // Processor time counts every worker's; the cost of a successor is what one core spends on it.
        let each = cpu / generated * 1e9;
        println!(
            "{workers:>7} {wall:>9.2} {cpu:>9.2} {:>10.0} {:>10.0} {each:>9.1} {:>9.1} {:>9.1} \
             {:>9.1} {:>7.2} {:>8.1}",
            generated / wall,
            distinct / wall,
            each - bare,
            statistics.table_bytes as f64 / 1e6,
            statistics.frontier_bytes as f64 / 1e6,
            statistics.table_bytes as f64 / distinct,
            peak_megabytes(),
        );
        match first {
            None => first = Some(wall),
            Some(one) => println!("        {:.2} times the speed of the first", one / wall),
        }
        if words.iter().any(|it| it == "--liveness") && !liveness(&grid, &options, cpu) {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Records the behaviour graph, searches it twice, and prints what each phase took. `safety` is what the same search took
/// without recording, in processor seconds.
fn liveness(grid: &Grid, options: &Options, safety: f64) -> bool {
    let pool = WorkerPool::new(options.workers);
    let clocks = || (Instant::now(), cpu_seconds());
    let since = |it: (Instant, f64)| (it.0.elapsed().as_secs_f64(), cpu_seconds() - it.1);
    let start = clocks();
    let (outcome, logs) = explore(grid, options, &GridRecorder, &mut |_| Command::Continue);
    let (wall, cpu) = since(start);
    let bytes: usize = logs.iter().map(|it| it.bytes()).sum();
    let n_steps = outcome.statistics.counters.generated as f64 - 1.0;
    println!(
        "        recording: {wall:.2} s, CPU {cpu:.2} s, {:.2} of the speed without; {:.2} bytes a step in the logs",
        safety / cpu,
        bytes as f64 / n_steps
    );
    let start = clocks();
    let Ok(recorded) = RecordedGraph::new(&logs, &pool) else { return false };
    drop(logs);
    let (wall, cpu) = since(start);
    let graph = &recorded.graph;
    println!(
        "        graph: {wall:.2} s, CPU {cpu:.2} s; {} steps, {:.2} bytes a step",
        graph.n_steps(),
        graph.step_bytes() as f64 / graph.n_steps() as f64
    );
    let (first, moves, wraps) = (Formula::Atom(0), Formula::Atom(1), Formula::Atom(2));
    let often = |it: &Formula| it.clone().eventually().always();
    let at_last = |it: &Formula| it.clone().always().eventually();
    for (name, formula, expected) in [
        (
            "moves for ever, at last without going round (none)",
            vec![often(&moves), at_last(&wraps.clone().negated())],
            false,
        ),
        ("comes back to the first state (a lasso)", vec![often(&first), often(&wraps)], true),
    ] {
        let start = clocks();
        let mut found = find_lassos(graph, &[Formula::And(formula)], true, &pool);
        let (wall, cpu) = since(start);
        let is_found = matches!(found.pop(), Some(Ok(Some(_))));
        println!(
            "        {name}: {wall:.2} s, CPU {cpu:.2} s, {:.0} ns a step",
            cpu / graph.n_steps() as f64 * 1e9
        );
        if is_found != expected {
            eprintln!("wrong: {is_found}");
            return false;
        }
    }
    true
}

/// Nanoseconds to make one successor and its fingerprint, with nobody to look it up.
fn bare_nanoseconds(grid: &Grid) -> f64 {
    let states = grid.states().min(2_000_000);
    (0..3)
        .map(|_| {
            let start = cpu_seconds();
            for state in 0..states {
                grid.each_successor(black_box(state), |_, next| {
                    black_box(Grid::print(next));
                    ControlFlow::Continue(())
                });
            }
            (cpu_seconds() - start) / (states * u64::from(grid.digits)) as f64 * 1e9
        })
        .fold(f64::INFINITY, f64::min)
}

/// Processor seconds of this process, all threads, user and system; from `/proc`, 0 where there is none.
fn cpu_seconds() -> f64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/schedstat") else { return 0.0 };
    let main = text.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(0.0);
    // The file above is about the main thread; others are listed below `task`. Threads that have ended are counted by
    // `stat` alone, in ticks of a hundredth: the greater one is nearer the truth.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: f64 = stat
        .rsplit(") ")
        .next()
        .unwrap_or("")
        .split(' ')
        .skip(11)
        .take(2)
        .filter_map(|it| it.parse::<f64>().ok())
        .sum();
    f64::max(main / 1e9, ticks / 100.0)
}

/// The most memory this process has held, in MB.
fn peak_megabytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap_or("");
    let kib: f64 = line.split_whitespace().next().and_then(|it| it.parse().ok()).unwrap_or(0.0);
    kib * 1024.0 / 1e6
}
