//! Random walks and depth-first search: what they find, and that only the seed decides.

use lockstep_explore::{
    Command, Limit, Options, Plain, Stop, Verdict, ViolationKind, WalkEvent, WalkOptions, check,
    deepen, simulate,
};

use crate::determinism::assert_is_behaviour;
use crate::systems::{Fault, Graph, Grid, Puzzle};

const FAULTS: [Fault; 7] = [
    Fault::Invariant,
    Fault::Step,
    Fault::Deadlock,
    Fault::SuccessorError,
    Fault::InvariantError,
    Fault::StepError,
    Fault::FingerprintError,
];

#[test]
fn walks_depend_on_the_seed_alone() {
    for seed in 0..3 {
        for fault in FAULTS.into_iter().chain([Fault::None]) {
            let graph = Graph { seed, nodes: 5000, degree: 4, fault, rarity: 150, outside: 9 };
            let mut first: Option<(String, Vec<String>)> = None;
            for workers in [1, 2, 3, 8] {
                let options = WalkOptions {
                    seed: seed * 7,
                    walks: Some(300),
                    depth: 30,
                    workers,
                    show_walks: true,
                    max_violations: 1 + seed as usize,
                    ..WalkOptions::default()
                };
                let mut shown = Vec::new();
                let outcome = simulate(&graph, &options, &mut |event| {
                    shown.push(format!("{event:?}"));
                    Command::Continue
                });
                for violation in &outcome.violations {
                    if fault != Fault::FingerprintError {
                        assert_is_behaviour(&graph, &violation.trace);
                    }
                }
                assert_eq!(outcome.verdict == Verdict::Ok, fault == Fault::None, "{fault:?}");
                let all = (format!("{outcome:?}"), shown);
                assert_eq!(*first.get_or_insert_with(|| all.clone()), all, "{workers} workers");
            }
        }
    }
}

#[test]
fn another_seed_walks_elsewhere() {
    let walk = |seed| {
        let mut last = Vec::new();
        let options =
            WalkOptions { seed, walks: Some(3), show_walks: true, ..WalkOptions::default() };
        let outcome = simulate(&Plain::new(Puzzle), &options, &mut |event| {
            if let WalkEvent::Walk { trace, .. } = event {
                last = trace.last().unwrap().state.clone();
                assert_eq!(trace.len(), 100);
            }
            Command::Continue
        });
        assert_eq!((outcome.counters.walks, outcome.counters.longest), (3, 100));
        last
    };
    assert_ne!(walk(1), walk(2));
}

#[test]
fn walks_without_end_are_ended_from_outside() {
    let system = Plain::new(Grid { counters: 3, modulus: 5 });
    for workers in [1, 3] {
        let options = WalkOptions { workers, ..WalkOptions::default() };
        let outcome = simulate(&system, &options, &mut |event| match event {
            WalkEvent::Progress(counters) if counters.walks > 500 => Command::Stop(Limit::Time),
            _ => Command::Continue,
        });
        assert_eq!(outcome.verdict, Verdict::Limit(Limit::Time));
        assert!(outcome.counters.walks > 500);
        assert_eq!(outcome.counters.generated, outcome.counters.walks * 99 * 3 + 1);
        let stop = Some(std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true)));
        let outcome =
            simulate(&system, &WalkOptions { stop, ..options }, &mut |_| Command::Continue);
        assert_eq!(outcome.verdict, Verdict::Stopped(Stop::Interrupt));
    }
}

#[test]
fn a_panic_on_a_walk_is_a_finding() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let graph = Graph {
        seed: 1,
        nodes: 3000,
        degree: 4,
        fault: Fault::InvariantPanic,
        rarity: 100,
        outside: 0,
    };
    for workers in [1, 2] {
        let options = WalkOptions { workers, walks: Some(500), ..WalkOptions::default() };
        let outcome = simulate(&graph, &options, &mut |_| Command::Continue);
        assert!(matches!(outcome.violations[0].kind, ViolationKind::Panic(_)));
    }
    std::panic::set_hook(hook);
}

#[test]
fn depth_first_agrees_with_breadth_first() {
    for seed in 0..3 {
        for fault in FAULTS.into_iter().chain([Fault::None]) {
            let graph = Graph { seed, nodes: 400, degree: 4, fault, rarity: 60, outside: 9 };
            let broad = check(&graph, &Options::default());
            let deep = deepen(&graph, &Options::default(), 1, &mut |_| Command::Continue);
            assert_eq!(broad.verdict, deep.verdict);
            match (broad.violations.first(), deep.violations.first()) {
                (Some(broad), Some(deep)) if fault != Fault::FingerprintError => {
                    assert_is_behaviour(&graph, &deep.trace);
                    let lengths = (broad.trace.len(), deep.trace.len());
                    assert!(lengths.1 >= lengths.0 && lengths.1 <= lengths.0 + 1, "{lengths:?}");
                }
                (None, None) => {
                    let (broad, deep) = (broad.statistics.counters, deep.statistics.counters);
                    assert_eq!(broad.distinct, deep.distinct);
                }
                _ => {}
            }
        }
    }
}

#[test]
fn depth_first_stops_at_its_greatest_depth() {
    let options = Options { max_depth: Some(5), ..Options::default() };
    let outcome = deepen(&Plain::new(Puzzle), &options, 2, &mut |_| Command::Continue);
    assert_eq!(outcome.verdict, Verdict::Limit(Limit::Depth));
    assert_eq!(outcome.statistics.counters.depth, 5);
    let broad = check(&Plain::new(Puzzle), &Options { max_depth: Some(4), ..Options::default() });
    assert_eq!(outcome.statistics.counters.distinct, broad.statistics.counters.distinct);
}
