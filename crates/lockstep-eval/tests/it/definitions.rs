//! Definitions: parameters, operators as arguments, recursion and its limit, instances, constants
//! that the model gives.

use lockstep_eval::{Evaluator, Options};

use crate::spec::{check_after, evaluate, initial, program, text, valid};

#[test]
fn operators_as_arguments() {
    check_after(
        "Twice(F(_), a) == F(F(a))\nInc(n) == n + 1\nBoth(F(_, _), a, b) == <<F(a, b), F(b, a)>>\na (.) b == a * 10 + b\nCompose(F(_), G(_), a) == F(G(a))",
        r"
        Twice(Inc, 5) => 7
        Twice(LAMBDA x : x * x, 3) => 81
        Both(+, 1, 2) => <<3, 3>>
        Both(-, 1, 2) => <<-1, 1>>
        Both(LAMBDA x, y : <<x, y>>, 1, 2) => <<<<1, 2>>, <<2, 1>>>>
        3 (.) 4 => 34
        Both((.), 1, 2) => <<12, 21>>
        Compose(Inc, LAMBDA x : x * 2, 4) => 9
        LET Add(n) == LET m == n IN [x \in 1..2 |-> x + m] IN Add(3)[2] => 5
        ",
    );
}

#[test]
fn parameters_do_not_leak() {
    check_after(
        "F(x) == LET y == x * 2 IN y + 1\nG(y) == F(y + 1) + y\nH(s) == {F(e) : e \\in s}\nK(x) == [y \\in 1..2 |-> F(x + y)]",
        r"
        G(1) => 6
        F(F(2)) => 11
        H({1, 2}) => {3, 5}
        K(1) => <<5, 7>>
        {G(z) : z \in 1..2} => {6, 9}
        [z \in 1..2 |-> K(z)[z]] => <<5, 9>>
        ",
    );
}

#[test]
fn recursion() {
    check_after(
        "RECURSIVE Sum(_), Even(_), Odd(_), Gather(_, _)\nSum(s) == IF s = {} THEN 0 ELSE LET e == CHOOSE e \\in s : TRUE IN e + Sum(s \\ {e})\nEven(n) == IF n = 0 THEN TRUE ELSE Odd(n - 1)\nOdd(n) == IF n = 0 THEN FALSE ELSE Even(n - 1)\nGather(n, acc) == IF n = 0 THEN acc ELSE Gather(n - 1, acc \\cup {n})\nRECURSIVE Forever(_)\nForever(n) == Forever(n + 1)",
        r"
        Sum(1..10) => 55
        Even(1001) => FALSE
        Odd(7) => TRUE
        Gather(3, {}) => {1, 2, 3}
        Even(20000) => TRUE
        Forever(0) !! calls deep
        LET RECURSIVE f(_) f(n) == IF n = 0 THEN 1 ELSE 2 * f(n - 1) IN f(10) => 1024
        ",
    );
}

#[test]
fn the_limit_of_recursion_is_the_callers() {
    let body =
        "RECURSIVE Down(_)\nDown(n) == IF n = 0 THEN 0 ELSE Down(n - 1)\n_Value == Down(500)";
    let options = Options { expressions_only: true, ..Options::default() };
    let program = program(body, "", &options).expect("a program");
    let entry = program.alias.as_ref().expect("an expression").entry.clone();
    for (limit, good) in [(400, false), (2000, true)] {
        let mut evaluator = Evaluator::new(program.clone().into());
        evaluator.ctx().limits.max_depth = limit;
        let result = evaluator.eval_constant(&entry);
        assert_eq!(result.is_ok(), good, "{limit}");
        if let Err(error) = result {
            assert!(error.message.contains("400 calls deep"), "{error}");
            // What comes after a failure is not affected.
            evaluator.ctx().limits.max_depth = 2000;
            assert!(evaluator.eval_constant(&entry).is_ok());
        }
    }
}

#[test]
fn a_set_may_not_grow_beyond_the_limit() {
    let error = evaluate("", "Cardinality({<<a, b>> : a, b \\in 1..2000})", false).unwrap_err();
    assert!(error.message.contains("too many elements"), "{error}");
}

#[test]
fn instances() {
    check_after(
        "---- MODULE Inner ----\nCONSTANT C\nD(x) == x + C\nE == C * 2\n====\nI == INSTANCE Inner WITH C <- 10\nJ(C) == INSTANCE Inner\nK(n) == INSTANCE Inner WITH C <- n + 1",
        r"
        I!D(1) => 11
        I!E => 20
        J(3)!D(1) => 4
        K(3)!E => 8
        [n \in 1..2 |-> K(n)!E] => <<4, 6>>
        {J(n)!D(n) : n \in 1..3} => {2, 4, 6}
        ",
    );
}

#[test]
fn what_the_model_gives() {
    let cases = [
        ("CONSTANT N", "N + 1", "CONSTANT N = 4", "5"),
        ("CONSTANT S", "Cardinality(S)", "CONSTANT S = {a, b, c}", "3"),
        ("CONSTANT S", "S", "CONSTANT S = {1, 2, 2}", "{1, 2}"),
        ("CONSTANT N\nM == 7", "N", "CONSTANT N <- M", "7"),
        ("D == 1\nM == 7\nE == D + 1", "E", "CONSTANT D <- M", "8"),
        ("CONSTANT F(_)\nG(n) == n * 3", "F(4)", "CONSTANT F <- G", "12"),
        ("CONSTANT a", "a", "CONSTANT a = a", "a"),
        ("CONSTANTS a, b", "a = b", "CONSTANTS a = a\nb = b", "FALSE"),
        ("CONSTANT a", "a = 1", "CONSTANT a = a", "FALSE"),
        ("CONSTANT a", "a \\in {1, a}", "CONSTANT a = a", "TRUE"),
        ("CONSTANT s", "s", "CONSTANT s = \"text\"", "\"text\""),
        ("Small == 0..2", "CHOOSE n \\in Nat : n > 1", "CONSTANT Nat <- Small", "2"),
    ];
    for (body, value, model, expected) in cases {
        assert_eq!(under_init(body, value, model), expected, "{body}; {value}; {model}");
    }
}

/// The value that `x` gets in the only initial state.
fn under_init(body: &str, value: &str, model: &str) -> String {
    let program = valid(
        &format!("{body}\nVARIABLE x\nInit == x = ({value})\nNext == x' = x"),
        &format!("INIT Init\nNEXT Next\n{model}"),
    );
    let (states, error) = initial(&program);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(states.len(), 1);
    text(&mut Evaluator::new(program), &states[0])
}

#[test]
fn definitions_of_the_state_are_kept_for_that_state_alone() {
    let body = "VARIABLE x\nDouble == {2 * e : e \\in {x}}\nInit == x = 1\nNext == x' = CHOOSE e \\in Double : TRUE";
    let program = valid(body, "INIT Init\nNEXT Next\n");
    let mut evaluator = Evaluator::new(program.clone());
    let (states, _) = initial(&program);
    let mut state = states[0].clone();
    for expected in ["2", "4", "8", "16"] {
        let mut next = None;
        evaluator
            .successors(&state, &mut |_, it| {
                next = Some(it);
                true
            })
            .expect("a step");
        state = next.expect("a step");
        assert_eq!(text(&mut evaluator, &state), expected);
    }
}
