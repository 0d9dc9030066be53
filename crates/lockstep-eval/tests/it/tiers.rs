//! The tier that remembers yields what the plain evaluator yields: successors in the same order,
//! fingerprints, predicates, and errors where there are errors.
//!
//! Random small specifications over an integer, a set and a function; every reachable state of a
//! few levels is expanded by both.

use std::collections::BTreeSet;
use std::sync::Arc;

use lockstep_eval::memo::{Form, Shared, Tier};
use lockstep_eval::{Evaluator, State};
use proptest::prelude::*;

use crate::spec::{initial, steps, valid};

/// How deep random expressions nest.
const DEPTH: u32 = 3;

fn integer(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        (0..3_i32).prop_map(move |it| it.to_string()),
        Just("x".to_owned()),
        Just("Sum".to_owned()),
        Just("f[1]".to_owned()),
        Just("f[2]".to_owned()),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let (int, set, test) = (integer(depth - 1), set(depth - 1), boolean(depth - 1));
    prop_oneof![
        3 => leaf,
        1 => (int.clone(), int.clone()).prop_map(move |(a, b)| format!("(({a} + {b}) % 3)")),
        1 => set.clone().prop_map(move |it| format!("(Cardinality({it}) % 3)")),
        1 => (test.clone(), int.clone(), int.clone())
            .prop_map(move |(c, a, b)| format!("(IF {c} THEN {a} ELSE {b})")),
        1 => int.clone().prop_map(move |it| format!("f[({it} % 2) + 1]")),
        1 => set.prop_map(move |it| format!("(IF {it} = {{}} THEN 0 ELSE CHOOSE e{depth} \\in {it} : TRUE)")),
        1 => (int.clone(), int).prop_map(move |(a, b)| format!("(LET d{depth} == {a} IN (d{depth} + d{depth} + {b}) % 3)")),
    ]
    .boxed()
}

fn set(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("s".to_owned()),
        Just("{}".to_owned()),
        Just("{0, 1}".to_owned()),
        Just("Used".to_owned()),
        Just("(0..2)".to_owned()),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let (int, set, test) = (integer(depth - 1), set(depth - 1), boolean(depth - 1));
    prop_oneof![
        2 => leaf,
        1 => int.clone().prop_map(move |it| format!("{{{it}}}")),
        1 => (set.clone(), set.clone()).prop_map(move |(a, b)| format!("({a} \\cup {b})")),
        1 => (set.clone(), set.clone()).prop_map(move |(a, b)| format!("({a} \\cap {b})")),
        1 => (set.clone(), set.clone()).prop_map(move |(a, b)| format!("({a} \\ {b})")),
        1 => (set.clone(), int).prop_map(move |(s, i)| format!("{{e{depth} \\in {s} : e{depth} # {i}}}")),
        1 => set.clone().prop_map(move |s| format!("{{(e{depth} + x) % 3 : e{depth} \\in {s}}}")),
        1 => (test, set.clone(), set).prop_map(move |(c, a, b)| format!("(IF {c} THEN {a} ELSE {b})")),
    ]
    .boxed()
}

fn boolean(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("x = 1".to_owned()),
        Just("x \\in s".to_owned()),
        Just("f[1] < f[2]".to_owned()),
        Just("s # {}".to_owned()),
    ];
    if depth == 0 {
        return leaf.prop_map(move |it| format!("({it})")).boxed();
    }
    let (int, set, test) = (integer(depth - 1), set(depth - 1), boolean(depth - 1));
    prop_oneof![
        2 => leaf,
        1 => (int.clone(), int.clone()).prop_map(move |(a, b)| format!("{a} <= {b}")),
        1 => (set.clone(), set.clone()).prop_map(move |(a, b)| format!("{a} \\subseteq {b}")),
        1 => (int.clone(), set.clone()).prop_map(move |(a, b)| format!("{a} \\in {b}")),
        1 => (test.clone(), test.clone()).prop_map(move |(a, b)| format!("{a} /\\ {b}")),
        1 => (test.clone(), test.clone()).prop_map(move |(a, b)| format!("({a} \\/ {b})")),
        1 => test.prop_map(move |it| format!("~{it}")),
        1 => (set.clone(), int.clone()).prop_map(move |(s, i)| format!("\\E e{depth} \\in {s} : e{depth} > {i}")),
        1 => (set, int).prop_map(move |(s, i)| format!("\\A e{depth} \\in {s} : f[(e{depth} % 2) + 1] # {i}")),
    ]
    .prop_map(move |it| format!("({it})"))
    .boxed()
}

/// What gives `f` its next value.
fn function() -> BoxedStrategy<String> {
    prop_oneof![
        Just("f".to_owned()),
        (integer(1), integer(2))
            .prop_map(move |(k, v)| format!("[f EXCEPT ![({k} % 2) + 1] = {v}]")),
        integer(2).prop_map(move |v| format!("[i \\in 1..2 |-> (i + {v}) % 3]")),
        integer(1).prop_map(move |v| format!("[f EXCEPT ![1] = (@ + {v}) % 3, ![2] = f[1]]")),
        // Now and then an error.
        Just("[f EXCEPT ![2] = IF x = 2 THEN Head(<<>>) ELSE @]".to_owned()),
    ]
    .boxed()
}

/// One action.
fn action() -> BoxedStrategy<String> {
    let next_x = prop_oneof![
        integer(DEPTH).prop_map(move |it| format!("x' = {it}")),
        Just("UNCHANGED x".to_owned()),
        set(2).prop_map(move |it| format!("x' \\in {it}")),
    ];
    let next_s = prop_oneof![
        set(DEPTH).prop_map(move |it| format!("s' = {it}")),
        Just("UNCHANGED s".to_owned()),
        Just("s' = s \\cup {x'}".to_owned()),
    ];
    let next_f = prop_oneof![
        3 => function().prop_map(move |it| format!("f' = {it}")),
        1 => Just("UNCHANGED f".to_owned()),
    ];
    (boolean(2), next_x, next_s, next_f)
        .prop_map(move |(guard, x, s, f)| format!("{guard} /\\ {x} /\\ {s} /\\ {f}"))
        .boxed()
}

/// A module body.
fn specification() -> impl Strategy<Value = (String, String)> {
    (prop::collection::vec(action(), 1..4), boolean(DEPTH)).prop_map(move |(actions, invariant)| {
        let body = format!(
            "VARIABLES x, s, f\nSum == (x + f[1] + f[2]) % 3\nUsed == {{f[i] : i \\in 1..2}} \\cup s\nInit == x = 0 /\\ s = {{}} /\\ f = <<0, 1>>\nNext == \\/ {}\nInv == {invariant}",
            actions.join("\n        \\/ ")
        );
        (body, "INIT Init\nNEXT Next\nINVARIANT Inv\n".to_owned())
    })
}

/// The steps with the fingerprints of their states, and whether there was an error.
fn plain(evaluator: &mut Evaluator, state: &State) -> (Vec<(usize, u128)>, bool) {
    let (list, error) = steps(evaluator, state);
    let of = |(action, it): &(usize, State)| {
        (*action, evaluator.fingerprint(it).expect("a fingerprint"))
    };
    (list.iter().map(of).collect(), error.is_some())
}

/// Compares both tiers on all states of a few levels; how many states there were.
fn compare(body: &str, model: &str) -> usize {
    let program = valid(body, model);
    let (states, _) = initial(&program);
    let mut oracle = Evaluator::new(program.clone());
    let mut evaluator = Evaluator::new(program.clone());
    let Some(shared) = Shared::new(&mut evaluator) else { return 0 };
    let mut tier = Tier::new(Arc::new(shared), &mut evaluator).expect("a tier");
    let mut level: Vec<State> = states;
    let mut seen = BTreeSet::new();
    for _ in 0..5 {
        let mut next_level = Vec::new();
        for state in level {
            let key = oracle.fingerprint(&state).expect("a fingerprint");
            if !seen.insert(key) || seen.len() > 60 {
                continue;
            }
            let Some(slots) = tier.slots_of(&mut evaluator, &state).expect("slots") else {
                continue;
            };
            // Twice: the second time from memory. What is equal may be written in two ways, 0..1 and
            // {0, 1}, and the first way seen is kept.
            for round in 0..2 {
                let (expected, fails) = plain(&mut oracle, &state);
                let mut found = Vec::new();
                let result = tier.successors(&mut evaluator, &slots, &mut found);
                assert_eq!(result.is_err(), fails, "round {round} of {state:?}\n{body}");
                if fails {
                    continue;
                }
                let mut shown = Vec::new();
                for (action, next) in found {
                    let values = match &next {
                        Form::Slots(slots) => {
                            let values = tier.state(&mut evaluator, slots);
                            let fingerprint = evaluator.fingerprint(&values).expect("one");
                            assert_eq!(tier.fingerprint(slots), fingerprint, "{body}");
                            values
                        }
                        Form::Plain(state) => state.clone(),
                    };
                    shown.push((action.index(), evaluator.fingerprint(&values).expect("one")));
                    next_level.push(values);
                }
                assert_eq!(shown, expected, "round {round}\n{body}");
            }
            let entry = &program.invariants[0].entry;
            let expected = oracle.holds_entry(entry, &state);
            let found = tier.holds(&mut evaluator, entry, &slots, None);
            match (expected, found) {
                (Ok(expected), Ok(found)) => assert_eq!(expected, found, "{body}"),
                (expected, found) => assert_eq!(expected.is_err(), found.is_err(), "{body}"),
            }
        }
        level = next_level;
    }
    seen.len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_tiers_agree((body, model) in specification()) {
        compare(&body, &model);
    }
}

#[test]
fn specifications_that_were_worth_a_thought() {
    let cases = [
        // A definition whose value repeats, used primed and plain.
        "VARIABLES x, s, f\nUsed == {f[i] : i \\in 1..2}\nInit == x = 0 /\\ s = {} /\\ f = <<0, 1>>\nNext == x' = (x + 1) % 3 /\\ f' = [f EXCEPT ![1] = x] /\\ s' = Used'\nInv == Used \\subseteq 0..2",
        // What is written last counts.
        "VARIABLES x, s, f\nInit == x = 0 /\\ s = {} /\\ f = <<0, 1>>\nNext == x' = (x + 1) % 3 /\\ UNCHANGED s /\\ f' = [[f EXCEPT ![1] = 2] EXCEPT ![1] = x, ![2] = @]\nInv == f[1] < 3",
        // A variable of several shapes.
        "VARIABLES x, s, f\nInit == x = 0 /\\ s = {} /\\ f = <<0, 1>>\nNext == x' = 1 - x /\\ s' = {x} /\\ f' = (IF x = 0 THEN <<1>> ELSE <<0, 1>>)\nInv == s # {5}",
    ];
    for body in cases {
        assert!(compare(body, "INIT Init\nNEXT Next\nINVARIANT Inv\n") > 1, "{body}");
    }
}
