//! Verdicts, limits and the order of things, on systems small enough to know the answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lockstep_explore::{
    Command, Emit, Limit, Model, NoRecorder, Options, Plain, Stop, Verdict, ViolationKind, check,
    explore,
};

use crate::systems::{Fault, Graph, Grid};

/// Counts up; forks at 3 into a way that dies and one that breaks the invariant.
struct Fork;

impl Model for Fork {
    type State = u8;
    const NAMES: &'static [&'static str] = &["up", "die", "small"];

    fn initial(&self) -> Vec<u8> {
        vec![0]
    }

    fn successors(&self, state: &u8, emit: Emit<'_, u8>) {
        match state {
            0..3 => emit("up", state + 1),
            3 => {
                emit("die", 100);
                emit("up", 4);
                emit("up", 5);
            }
            4 => emit("up", 50),
            5 => emit("up", 6),
            _ => {}
        }
    }

    fn invariant(&self, state: &u8) -> Result<(), &'static str> {
        if *state == 50 { Err("small") } else { Ok(()) }
    }
}

#[test]
fn first_in_first_out_decides_in_small_levels() {
    let system = Plain::new(Fork);
    let outcome = check(&system, &Options::default());
    // 100 is taken up before 4, so the deadlock comes before the violation, and nothing after it is generated.
    assert_eq!(outcome.violations[0].kind, ViolationKind::Deadlock);
    let counters = outcome.statistics.counters;
    assert_eq!((counters.generated, counters.distinct, counters.queue), (7, 7, 2));
    let outcome = check(&system, &Options { check_deadlock: false, ..Options::default() });
    let trace = system.trace(&outcome.violations[0]);
    assert_eq!(trace.iter().map(|step| step.1).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 50]);
    let counters = outcome.statistics.counters;
    // 50 counts as generated and distinct but is not waiting; 5 is.
    assert_eq!((counters.generated, counters.distinct, counters.queue), (8, 8, 1));
    assert_eq!(counters.depth, 6);
}

#[test]
fn going_on_lists_all_in_order() {
    let options = Options { continue_after_violation: true, ..Options::default() };
    for serial_below in [0, 100] {
        let outcome = check(&Plain::new(Fork), &Options { serial_below, ..options.clone() });
        let kinds: Vec<_> = outcome.violations.iter().map(|it| format!("{:?}", it.kind)).collect();
        assert_eq!(kinds, ["Deadlock", "State(PropertyId(2))", "Deadlock", "Deadlock"]);
        assert_eq!(outcome.verdict, Verdict::Violated);
        assert_eq!(outcome.statistics.counters.queue, 0);
    }
}

#[test]
fn limits_end_with_a_summary() {
    let system = Plain::new(Grid { counters: 4, modulus: 10 });
    for workers in [1, 3] {
        for serial_below in [0, usize::MAX] {
            let base = Options { workers, serial_below, ..Options::default() };
            let outcome = check(&system, &Options { max_states: Some(500), ..base.clone() });
            assert_eq!(outcome.verdict, Verdict::Limit(Limit::States));
            assert!(outcome.statistics.counters.distinct >= 500);
            assert!(outcome.statistics.counters.queue > 0);
            let outcome = check(&system, &Options { max_depth: Some(7), ..base.clone() });
            assert_eq!(outcome.verdict, Verdict::Limit(Limit::Depth));
            assert_eq!(outcome.statistics.counters.depth, 8);
            let small = Options { max_memory: Some(20_000), table_slots: 64, ..base.clone() };
            let outcome = check(&system, &small);
            assert_eq!(outcome.verdict, Verdict::Limit(Limit::Memory));
            assert!(outcome.statistics.table_bytes <= 20_000);
            assert!(outcome.statistics.counters.distinct > 0);
        }
    }
}

#[test]
fn an_observer_sees_the_counts_grow_and_can_end_the_search() {
    let system = Plain::new(Grid { counters: 5, modulus: 8 });
    for workers in [1, 2] {
        let options = Options { workers, serial_below: 100, ..Options::default() };
        let (mut fences, mut within) = (0, 0);
        let mut last = 0;
        let (outcome, _) = explore(&system, &options, &NoRecorder, &mut |progress| {
            assert!(progress.counters.distinct >= last || !progress.at_fence);
            last = progress.counters.distinct;
            *(if progress.at_fence { &mut fences } else { &mut within }) += 1;
            if fences == 20 { Command::Stop(Limit::Time) } else { Command::Continue }
        });
        assert_eq!(outcome.verdict, Verdict::Limit(Limit::Time));
        assert_eq!(outcome.statistics.counters.depth, 20);
        assert!(within > 0);
    }
}

#[test]
fn a_stop_from_outside_ends_with_what_there_is() {
    let stop = Arc::new(AtomicBool::new(false));
    for workers in [1, 2, 4] {
        for serial_below in [0, 100, usize::MAX] {
            stop.store(false, Ordering::Relaxed);
            let system = Plain::new(Grid { counters: 5, modulus: 8 });
            let stop = Some(Arc::clone(&stop));
            let options =
                Options { workers, serial_below, stop: stop.clone(), ..Options::default() };
            let (outcome, _) = explore(&system, &options, &NoRecorder, &mut |progress| {
                if progress.counters.distinct > 3000 {
                    stop.as_ref().unwrap().store(true, Ordering::Relaxed);
                }
                Command::Continue
            });
            assert_eq!(outcome.verdict, Verdict::Stopped(Stop::Interrupt));
            let counters = outcome.statistics.counters;
            assert!(counters.distinct > 3000 && counters.distinct < 32_768, "{counters:?}");
        }
    }
}

#[test]
fn the_system_may_end_the_search() {
    /// Asks for the end when it sees a certain state.
    struct Quitter(AtomicU64);
    impl Model for Quitter {
        type State = u64;
        const NAMES: &'static [&'static str] = &["double", "next"];
        fn initial(&self) -> Vec<u64> {
            vec![1]
        }
        fn successors(&self, state: &u64, emit: Emit<'_, u64>) {
            self.0.fetch_add(1, Ordering::Relaxed);
            emit("double", state * 2);
            emit("next", state * 2 + 1);
        }
        fn within(&self, state: &u64) -> bool {
            *state < 1 << 20
        }
    }
    // The plain surface has no such wish, so it is made through the system surface.
    use lockstep_explore::{ActionId, Codec, Context, Fingerprint, TransitionSystem};
    use std::ops::ControlFlow;
    struct Wisher(Quitter);
    impl TransitionSystem for Wisher {
        type Worker = ();
        type State = u64;
        type Error = ();
        fn worker(&self, _index: usize) {}
        fn initial(
            &self,
            _cx: &Context<'_>,
            worker: &mut (),
            mut emit: impl FnMut(&mut (), u64) -> ControlFlow<()>,
        ) -> Result<(), ()> {
            for state in self.0.initial() {
                let _ = emit(worker, state);
            }
            Ok(())
        }
        fn successors(
            &self,
            cx: &Context<'_>,
            worker: &mut (),
            state: &u64,
            mut emit: impl FnMut(&mut (), ActionId, u64) -> ControlFlow<()>,
        ) -> Result<(), ()> {
            if *state == 70 {
                cx.request_stop();
            }
            self.0.successors(state, &mut |_, next| {
                let _ = emit(worker, ActionId(0), next);
            });
            Ok(())
        }
        fn fingerprint(&self, _worker: &mut (), state: &u64) -> Result<Fingerprint, ()> {
            Ok(lockstep_explore::fingerprint_of(&state.to_le_bytes()))
        }
        fn encode(&self, _worker: &mut (), state: &u64, out: &mut Vec<u8>) {
            state.write(out);
        }
        fn decode(&self, _worker: &mut (), mut bytes: &[u8]) -> u64 {
            u64::read(&mut bytes)
        }
    }
    let alone = check(&Wisher(Quitter(AtomicU64::new(0))), &Options::default());
    assert_eq!(alone.verdict, Verdict::Stopped(Stop::System));
    assert_eq!(alone.statistics.counters.distinct, 141, "it stops after state 70");
    for workers in [1, 2, 4] {
        let options = Options { workers, serial_below: 0, ..Options::default() };
        let shared = check(&Wisher(Quitter(AtomicU64::new(0))), &options);
        assert_eq!(shared.verdict, Verdict::Stopped(Stop::System));
        assert_eq!(shared.statistics.counters.distinct, 255, "a shared level is finished");
    }
}

#[test]
fn stopping_at_once_finds_something() {
    let graph = Graph {
        seed: 1,
        nodes: 50_000,
        degree: 4,
        fault: Fault::Invariant,
        rarity: 200,
        outside: 0,
    };
    let options = Options { workers: 2, serial_below: 0, stop_at_once: true, ..Options::default() };
    let outcome = check(&graph, &options);
    assert_eq!(outcome.verdict, Verdict::Violated);
    assert!(matches!(outcome.violations[0].kind, ViolationKind::State(_)));
    assert!(!outcome.violations[0].trace.is_empty());
}
