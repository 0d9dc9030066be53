//! Steps: which values variables get, in which order, and what is an error.

use lockstep_eval::{Evaluator, Options};

use crate::spec::{initial, program, steps, steps_of, text, valid};

/// Checks a table of actions over `x` and `y`, both 0 (`s` is {}); the steps follow `=>`.
fn check(cases: &str) {
    for line in cases.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (next, expected) = line.rsplit_once(" =>").expect("steps");
        let found = steps_of(&format!(
            "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nSet(v) == v' = 5\nGive(e) == x' = e\nBoth == x' = 1 /\\ y' = 2\nOdd == y' = 1\nRECURSIVE Down(_)\nDown(n) == IF n = 0 THEN x' = 7 ELSE Down(n - 1)\nNext == {next}"
        ));
        assert_eq!(found, expected.trim(), "{next}");
    }
}

#[test]
fn assignments() {
    check(
        r"
        x' = 1 /\ y' = 2 => 1, 2
        y' = 2 /\ x' = y' => 2, 2
        x' = x + 1 /\ y' = x => 1, 0
        x' \in {3, 1} /\ y' = x' => 1, 1 | 3, 3
        x' \in 1..2 /\ y' \in 1..2 => 1, 1 | 1, 2 | 2, 1 | 2, 2
        x' \subseteq {1} /\ y' = 0 => {}, 0 | {1}, 0
        UNCHANGED <<x, y>> => 0, 0
        UNCHANGED x /\ y' = 1 => 0, 1
        UNCHANGED <<x, <<y>>>> => 0, 0
        <<x, y>>' = <<1, 2>> => !! In evaluation, the identifier x is either undefined or not an operator.
        x' = 1 /\ x' = 1 /\ y' = 0 => 1, 0
        x' = 1 /\ x' = 2 /\ y' = 0 =>
        x' = 1 /\ x' \in {1, 2} /\ y' = 0 => 1, 0
        x' \in {1, 2} /\ x' # 1 /\ y' = 0 => 2, 0
        Both => 1, 2
        Set(x) /\ y' = 1 => 5, 1
        Give(3) /\ UNCHANGED y => 3, 0
        Down(3) /\ y' = 1 => 7, 1
        ",
    );
}

#[test]
fn alternatives_come_in_the_order_of_the_text() {
    check(
        r"
        (x' = 2 \/ x' = 1) /\ y' = 0 => 2, 0 | 1, 0
        x' = 1 /\ (y' = 2 \/ y' = 1) => 1, 2 | 1, 1
        Both \/ (x' = 3 /\ Odd) => 1, 2 | 3, 1
        \E e \in {2, 1} : x' = e /\ y' = e => 1, 1 | 2, 2
        \E e, f \in 1..2 : x' = e /\ y' = f => 1, 1 | 2, 1 | 1, 2 | 2, 2
        \E e \in {x} : x' = e + 1 /\ y' = e => 1, 0
        x' = 1 /\ \E e \in {4, x'} : y' = e => 1, 1 | 1, 4
        IF x = 0 THEN Both ELSE x' = 9 /\ y' = 9 => 1, 2
        IF x = 1 THEN Both ELSE x' = 9 /\ y' = 9 => 9, 9
        CASE x = 1 -> Both [] x = 0 -> x' = 4 /\ y' = 4 => 4, 4
        CASE x = 1 -> Both [] OTHER -> x' = 6 /\ y' = 6 => 6, 6
        (x' = 1 /\ y' = 1) \/ (x' = 1 /\ y' = 1) => 1, 1 | 1, 1
        \A e \in {1, 2} : x' = 3 /\ y' = 4 => 3, 4
        LET d == x + 1 IN x' = d /\ y' = d + d => 1, 2
        ",
    );
}

#[test]
fn guards() {
    check(
        r"
        x = 0 /\ Both => 1, 2
        x = 1 /\ Both =>
        Both /\ x' = 1 => 1, 2
        Both /\ y' = 1 =>
        (x = 1 => FALSE) /\ Both => 1, 2
        ~(x = 1) /\ Both => 1, 2
        (\E e \in 1..3 : e = x) /\ Both =>
        (x = 0 \/ x = 1) /\ Both => 1, 2
        (x = 0 \/ x < 1) /\ Both => 1, 2 | 1, 2
        ENABLED (x' = 1 /\ y' = x') /\ Both => 1, 2
        ENABLED (x = 1 /\ x' = 1 /\ y' = 1) /\ Both =>
        ~ENABLED FALSE /\ Both => 1, 2
        ",
    );
}

#[test]
fn errors_of_steps() {
    check(
        r"
        x' = y' /\ y' = 1 => !! In evaluation, the identifier y is either undefined or not an operator.
        x' = 1 + {} /\ y' = 0 => !! The second argument of + should be an integer, but instead it is: {}
        x' \in Nat /\ y' = 0 => !! Attempted to enumerate the elements of the infinite set: Nat
        CASE x = 1 -> Both => !! Attempted to evaluate a CASE with no conditions true.
        Both \/ (x' = 1 /\ y' = Head(<<>>)) => 1, 2 | !! Attempted to apply Head to the empty sequence.
        x /\ Both => !! TLC expected a boolean value, but did not find one. line 11, col 9 to line 11, col 9 of module Test
        ",
    );
}

#[test]
fn a_state_that_lacks_a_value_is_an_error() {
    let text = steps_of("VARIABLES x, y\nInit == x = 0 /\\ y = 0\nNext == x' = 1");
    assert!(text.contains("y"), "{text}");
    assert!(text.starts_with("!! Successor state is not completely specified"), "{text}");
    let program =
        valid("VARIABLES x, y\nInit == x = 0\nNext == x' = 1 /\\ y' = 1", "INIT Init\nNEXT Next");
    let (states, error) = initial(&program);
    assert!(states.is_empty());
    assert!(error.is_some_and(|it| it.message.contains("not a legal state")));
}

#[test]
fn initial_states_come_in_order() {
    for (init, expected) in [
        ("x = 1 /\\ y = 2", "1, 2"),
        ("x \\in {2, 1} /\\ y = x", "1, 1 | 2, 2"),
        ("(x = 2 \\/ x = 1) /\\ y = 0", "2, 0 | 1, 0"),
        ("x \\in 1..2 /\\ y \\in 1..2 /\\ x < y", "1, 2"),
        ("<<x, y>> \\in {<<1, 2>>}", "!!"),
        ("x \\in [1..2 -> {5}] /\\ y \\in SUBSET {1}", "<<5, 5>>, {} | <<5, 5>>, {1}"),
        ("\\E e \\in 1..2 : x = e /\\ y = e * e", "1, 1 | 2, 4"),
        ("IF TRUE THEN x = 1 /\\ y = 1 ELSE FALSE", "1, 1"),
        ("FALSE /\\ x = 1 /\\ y = 1", ""),
        ("x = 1 /\\ x = 2 /\\ y = 1", ""),
        ("x \\subseteq {1} /\\ y = 0", "{}, 0 | {1}, 0"),
    ] {
        let program = valid(
            &format!("VARIABLES x, y\nInit == {init}\nNext == UNCHANGED <<x, y>>"),
            "INIT Init\nNEXT Next",
        );
        let (states, error) = initial(&program);
        let mut evaluator = Evaluator::new(program);
        let list: Vec<String> = states.iter().map(|it| text(&mut evaluator, it)).collect();
        let list = if error.is_some() { "!!".to_owned() } else { list.join(" | ") };
        assert_eq!(list, expected, "{init}");
    }
}

#[test]
fn composition() {
    let body = "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nInc == x' = x + 1 /\\ UNCHANGED y\nCopy == y' = x /\\ UNCHANGED x\nTwo == x' \\in {x + 1, x + 2} /\\ UNCHANGED y\nNext == ";
    for (next, expected) in [
        ("Inc \\cdot Copy", "1, 1"),
        ("Inc \\cdot Inc", "2, 0"),
        ("Copy \\cdot Inc", "1, 0"),
        ("Two \\cdot Copy", "1, 1 | 2, 2"),
        ("(Inc \\cdot Inc) \\cdot Copy", "2, 2"),
        ("(x = 1 /\\ Inc) \\cdot Copy", ""),
    ] {
        let options = Options { cdot: true, ..Options::default() };
        let program = program(&format!("{body}{next}"), "INIT Init\nNEXT Next", &options)
            .unwrap_or_else(|it| panic!("{it}"));
        let program = std::sync::Arc::new(program);
        let (states, _) = initial(&program);
        let mut evaluator = Evaluator::new(program);
        let (list, error) = steps(&mut evaluator, &states[0]);
        assert!(error.is_none(), "{next}: {error:?}");
        let list: Vec<String> = list.iter().map(|(_, it)| text(&mut evaluator, it)).collect();
        assert_eq!(list.join(" | "), expected, "{next}");
    }
}

#[test]
fn checks_of_states_and_steps() {
    let program = valid(
        "VARIABLES x, y\nInit == x \\in 0..3 /\\ y = 0\nNext == x' = (x + 1) % 4 /\\ y' = 0\nSmall == x < 3\nUp == [][x' > x]_x\nNear == x < 2\nBound == x' < 3",
        "INIT Init\nNEXT Next\nINVARIANT Small\nPROPERTY Up\nCONSTRAINT Near\nACTION_CONSTRAINT Bound",
    );
    let (states, _) = initial(&program);
    let mut evaluator = Evaluator::new(program);
    let mut rows = Vec::new();
    for (idx, state) in states.iter().enumerate() {
        let next = &states[(idx + 1) % 4];
        rows.push((
            evaluator.check_invariant(0, state).expect("a value"),
            evaluator.check_action_property(0, state, next).expect("a value"),
            evaluator.constraint(state).expect("a value"),
            evaluator.action_constraint(state, next).expect("a value"),
        ));
        assert!(evaluator.check_action_property(0, state, state).expect("stuttering"));
    }
    assert_eq!(
        rows,
        [
            (true, true, true, true),
            (true, true, true, true),
            (true, true, false, false),
            (false, false, false, true)
        ]
    );
}

#[test]
fn fingerprints_are_those_of_values_not_of_representations() {
    let program = valid(
        "VARIABLE x\nInit == x \\in {1..2, {2, 1}} \\/ x = SUBSET {1} \\/ x = {{}, {1}} \\/ x = [i \\in 1..2 |-> i] \\/ x = <<1, 2>> \\/ x = [a |-> 1] \\/ x = (\"a\" :> 1)\nNext == x' = x",
        "INIT Init\nNEXT Next",
    );
    let (states, error) = initial(&program);
    assert!(error.is_none(), "{error:?}");
    let mut evaluator = Evaluator::new(program);
    let prints: Vec<u128> =
        states.iter().map(|it| evaluator.fingerprint(it).expect("a fingerprint")).collect();
    assert_eq!(prints.len(), 7);
    assert_eq!(prints[1], prints[2]);
    assert_eq!(prints[3], prints[4]);
    assert_eq!(prints[5], prints[6]);
    let different: std::collections::BTreeSet<_> = prints.iter().collect();
    assert_eq!(different.len(), 4);
    for state in &states {
        let mut bytes = Vec::new();
        evaluator.encode_state(state, &mut bytes).expect("bytes");
        let back = evaluator.decode_state(&bytes).expect("a state");
        assert!(evaluator.same_state(state, &back).expect("comparable"));
    }
}
