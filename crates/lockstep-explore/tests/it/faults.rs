//! What can go wrong in a system's own code: the search ends with a verdict, every thread is joined, nothing hangs.

use lockstep_explore::{Options, Verdict, ViolationKind, check};

use crate::systems::{Fault, Graph};

#[test]
fn a_panic_is_a_finding_with_a_trace() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for fault in [Fault::Panic, Fault::InvariantPanic] {
        for workers in [1, 2, 4] {
            for serial_below in [0, 30, usize::MAX] {
                let graph =
                    Graph { seed: 5, nodes: 5000, degree: 4, fault, rarity: 150, outside: 0 };
                let options = Options { workers, serial_below, ..Options::default() };
                let outcome = check(&graph, &options);
                assert_eq!(outcome.verdict, Verdict::Violated);
                let violation = &outcome.violations[0];
                let ViolationKind::Panic(message) = &violation.kind else {
                    panic!("{:?}", violation.kind)
                };
                let last = u64::from_le_bytes(
                    violation.trace.last().unwrap().state[..].try_into().unwrap(),
                );
                let expected = if fault == Fault::Panic { "fell at" } else { "fell on" };
                assert_eq!(*message, format!("{expected} {last}"));
                assert!(outcome.statistics.counters.distinct > 0);
            }
        }
    }
    std::panic::set_hook(hook);
}

#[test]
fn a_panic_of_the_observer_goes_on_in_the_caller() {
    let graph =
        Graph { seed: 5, nodes: 5000, degree: 4, fault: Fault::None, rarity: 1, outside: 0 };
    for workers in [1, 3] {
        let options = Options { workers, serial_below: 0, ..Options::default() };
        let result = std::panic::catch_unwind(|| {
            let mut calls = 0;
            lockstep_explore::explore(&graph, &options, &lockstep_explore::NoRecorder, &mut |_| {
                calls += 1;
                if calls == 5 {
                    std::panic::resume_unwind(Box::new("enough"));
                }
                lockstep_explore::Command::Continue
            })
        });
        assert_eq!(*result.unwrap_err().downcast::<&str>().unwrap(), "enough");
    }
}
