//! The number of workers never shows: whole outcomes are equal, traces, statistics and all.

use lockstep_explore::{
    ActionId, Command, Context, Fingerprint, NoRecorder, Options, Outcome, Plain, Recorder,
    TransitionSystem, Verdict, check, explore,
};

use crate::systems::{Fault, Graph, Grid, Puzzle, naive};

const WORKERS: [usize; 5] = [1, 2, 3, 4, 8];

/// Runs the system with every number of workers and gives the outcome that all have.
fn same<S: TransitionSystem>(system: &S, options: &Options) -> Outcome<S::Error>
where
    S::Error: std::fmt::Debug + PartialEq,
{
    let run = |workers| check(system, &Options { workers, ..options.clone() });
    let first = run(1);
    for workers in WORKERS {
        let other = run(workers);
        assert_eq!(format!("{first:?}"), format!("{other:?}"), "{workers} workers");
    }
    first
}

fn every_way() -> Vec<Options> {
    let base = Options { table_slots: 64, coverage: true, outdegree: true, ..Options::default() };
    vec![
        Options { serial_below: 0, ..base.clone() },
        Options { serial_below: 50, ..base.clone() },
        Options { serial_below: 50, coverage: false, outdegree: false, ..base.clone() },
        Options { table_slots: 0, ..base.clone() },
        Options {
            serial_below: 0,
            continue_after_violation: true,
            max_violations: 5,
            ..base.clone()
        },
        Options { serial_below: usize::MAX, ..base },
    ]
}

#[test]
fn a_grid_is_counted_exactly() {
    let system = Plain::new(Grid { counters: 5, modulus: 6 });
    for options in every_way() {
        let outcome = same(&system, &options);
        assert_eq!(outcome.verdict, Verdict::Ok);
        let counters = outcome.statistics.counters;
        assert_eq!((counters.distinct, counters.generated), (7776, 5 * 7776 + 1));
        assert_eq!((counters.depth, counters.queue), (26, 0));
    }
}

#[test]
fn a_puzzle_has_its_known_levels() {
    let outcome = same(&Plain::new(Puzzle), &Options { serial_below: 100, ..Options::default() });
    let statistics = &outcome.statistics;
    assert_eq!(statistics.counters.distinct, 181_440);
    assert_eq!(statistics.counters.depth, 32, "the farthest position is 31 moves away");
    assert_eq!(statistics.levels.last(), Some(&2));
    assert_eq!(statistics.counters.generated, 1 + 483_840);
}

#[test]
fn random_graphs_agree_with_a_naive_search() {
    for seed in 0..6 {
        let outside = if seed % 2 == 0 { 0 } else { 7 };
        let graph = Graph { seed, nodes: 4000, degree: 5, fault: Fault::None, rarity: 1, outside };
        let expected = naive(&graph);
        let mut outdegrees = Vec::new();
        for options in every_way() {
            let outcome = same(&graph, &options);
            let statistics = &outcome.statistics;
            assert_eq!(outcome.verdict, Verdict::Ok);
            assert_eq!(statistics.counters.generated, expected.generated);
            assert_eq!(statistics.levels, expected.levels);
            assert_eq!(statistics.counters.distinct, expected.levels.iter().sum::<u64>());
            assert_eq!(statistics.excluded.get(1).copied().unwrap_or(0), expected.excluded);
            assert_eq!((statistics.initial_generated, statistics.initial_distinct), (4, 3));
            for (action, generated) in &expected.by_action {
                assert_eq!(statistics.actions[*action as usize].generated, *generated);
            }
            if options.coverage {
                let credited: u64 = statistics.actions.iter().map(|it| it.distinct).sum();
                assert_eq!(credited, statistics.counters.distinct - 3);
                let degrees = statistics.outdegree.unwrap();
                let mean = credited as f64 / statistics.counters.distinct as f64;
                assert!((degrees.average - mean).abs() < 1e-12);
                outdegrees.push(degrees.maximum);
            }
        }
        assert!(outdegrees.iter().all(|it| (1..=5).contains(it)));
    }
}

#[test]
fn every_fault_has_one_trace() {
    let faults = [
        Fault::Invariant,
        Fault::Step,
        Fault::Deadlock,
        Fault::SuccessorError,
        Fault::InvariantError,
        Fault::StepError,
        Fault::FingerprintError,
    ];
    for fault in faults {
        for seed in 0..4 {
            let outside = if seed % 2 == 0 { 0 } else { 5 };
            let graph = Graph { seed, nodes: 5000, degree: 4, fault, rarity: 100, outside };
            for options in every_way() {
                let outcome = same(&graph, &options);
                assert_eq!(outcome.verdict, Verdict::Violated, "{fault:?} {seed} {options:?}");
                for violation in &outcome.violations {
                    assert_is_behaviour(&graph, &violation.trace);
                }
            }
        }
    }
}

/// Is the trace a behaviour of the graph, from a root, with the actions it names?
pub(crate) fn assert_is_behaviour(graph: &Graph, trace: &[lockstep_explore::TraceStep]) {
    let state =
        |step: &lockstep_explore::TraceStep| u64::from_le_bytes(step.state[..].try_into().unwrap());
    assert!(graph.roots().contains(&state(&trace[0])));
    assert_eq!(trace[0].action, None);
    for pair in trace.windows(2) {
        let step = (pair[1].action.unwrap().0, state(&pair[1]));
        assert!(graph.next(state(&pair[0])).contains(&step), "{pair:?}");
    }
}

/// Records the graph as text.
struct Edges;

impl Recorder<Graph> for Edges {
    type Log = Vec<String>;

    fn log(&self, _worker: usize) -> Vec<String> {
        Vec::new()
    }

    fn state(
        &self,
        log: &mut Vec<String>,
        cx: &Context<'_>,
        _worker: &mut std::rc::Rc<u64>,
        state: &std::rc::Rc<u64>,
        _fingerprint: Fingerprint,
    ) -> Result<(), String> {
        log.push(format!("{state} on {}", cx.level));
        Ok(())
    }

    fn edge(
        &self,
        log: &mut Vec<String>,
        _cx: &Context<'_>,
        _worker: &mut std::rc::Rc<u64>,
        from: (&std::rc::Rc<u64>, Fingerprint),
        action: ActionId,
        to: (&std::rc::Rc<u64>, Fingerprint),
    ) -> Result<(), String> {
        log.push(format!("{} -{}-> {}", from.0, action.0, to.0));
        Ok(())
    }
}

#[test]
fn what_is_recorded_is_the_graph() {
    let graph =
        Graph { seed: 3, nodes: 3000, degree: 4, fault: Fault::None, rarity: 1, outside: 0 };
    let mut expected: Option<Vec<String>> = None;
    for workers in WORKERS {
        let options = Options { workers, serial_below: 40, ..Options::default() };
        let (outcome, logs) = explore(&graph, &options, &Edges, &mut |_| Command::Continue);
        let mut all: Vec<String> = logs.into_iter().flatten().collect();
        all.sort_unstable();
        let counters = outcome.statistics.counters;
        assert_eq!(all.len() as u64, counters.distinct + counters.generated - 4);
        assert_eq!(*expected.get_or_insert_with(|| all.clone()), all);
    }
    let plain = explore(&graph, &Options::default(), &NoRecorder, &mut |_| Command::Continue);
    assert_eq!(plain.1.len(), 1);
}

/// Very many initial states, some of them twice, some of them bad.
struct ManyStarts {
    bad: Option<u32>,
}

impl lockstep_explore::Model for ManyStarts {
    type State = u32;
    const NAMES: &'static [&'static str] = &["halve", "bad"];

    fn initial(&self) -> Vec<u32> {
        (0..9000).map(|it| it % 7000).collect()
    }

    fn successors(&self, state: &u32, emit: lockstep_explore::Emit<'_, u32>) {
        emit("halve", state / 2);
        emit("halve", state + 7000);
    }

    fn within(&self, state: &u32) -> bool {
        *state < 20_000
    }

    fn invariant(&self, state: &u32) -> Result<(), &'static str> {
        if self.bad.is_some_and(|bad| state % bad == bad - 1) { Err("bad") } else { Ok(()) }
    }
}

#[test]
fn many_initial_states_are_shared() {
    for bad in [None, Some(5000), Some(70), Some(19_999)] {
        for serial_below in [0, 64, 2048, 8000, usize::MAX] {
            for continue_after_violation in [false, true] {
                let options = Options {
                    serial_below,
                    continue_after_violation,
                    table_slots: 64,
                    coverage: true,
                    outdegree: true,
                    ..Options::default()
                };
                let system = Plain::new(ManyStarts { bad });
                let outcome = same(&system, &options);
                let statistics = &outcome.statistics;
                if bad.is_none() {
                    assert_eq!(outcome.verdict, Verdict::Ok);
                    let initial = (statistics.initial_generated, statistics.initial_distinct);
                    assert_eq!(initial, (9000, 7000));
                    assert_eq!(statistics.levels[..2], [7000, 7000]);
                } else {
                    assert_eq!(outcome.verdict, Verdict::Violated);
                    let trace = system.trace(&outcome.violations[0]);
                    let wanted = if bad == Some(19_999) { 3 } else { 1 };
                    assert_eq!(trace.len(), wanted, "{bad:?} {serial_below}");
                }
            }
        }
    }
}
