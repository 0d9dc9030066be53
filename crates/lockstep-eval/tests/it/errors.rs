//! The places of errors and the chains of definitions that led to them.

use lockstep_eval::Evaluator;
use lockstep_eval::error::EvalError;
use lockstep_eval::help::help;
use lockstep_eval::ir::Program;

use crate::spec::{LINES_BEFORE, initial, steps, valid};

/// `Name@line:col` of each frame, innermost first, after the error's own place. Lines are those of
/// the body.
fn chain(program: &Program, error: &EvalError) -> String {
    let place = |span| {
        let it = program.sources.location(span);
        format!("{}:{}", it.line - LINES_BEFORE, it.col)
    };
    let mut out = error.span.map_or_else(|| "?".to_owned(), place);
    for frame in &error.stack {
        out += &format!(" {}@{}", frame.name, frame.span.map_or_else(|| "?".to_owned(), place));
    }
    out
}

/// The chain of the error that the first step ends in.
fn of_step(body: &str) -> String {
    let program = valid(body, "INIT Init\nNEXT Next");
    let (states, _) = initial(&program);
    let mut evaluator = Evaluator::new(program.clone());
    let (_, error) = steps(&mut evaluator, &states[0]);
    chain(&program, &error.expect("an error"))
}

#[test]
fn definitions_that_only_pass_on() {
    let found = of_step(
        "VARIABLE x
A(p) == Head(p)
B(q) == A(q)
C(r) == B(r)
Init == x = <<>>
Next == x' = C(x)",
    );
    assert_eq!(found, "2:9 A@3:9 B@4:9 C@6:14 Next@6:9");
}

#[test]
fn definitions_without_parameters() {
    let found = of_step(
        "VARIABLE x
A == Head(x)
B == A
Init == x = <<>>
Next == x' = B",
    );
    assert_eq!(found, "2:6 A@3:6 B@5:14 Next@5:9");
}

#[test]
fn constants_are_evaluated_for_who_asks_first() {
    let body = "VARIABLE x
A == Head(Tail(<<1>>))
B == A
C == A
Init == x = 1
Next == ";
    assert_eq!(of_step(&format!("{body}x' = B")), "2:6 A@3:6 B@6:14 Next@6:9");
    // Both share the constant's value, not the way that led to it.
    let other = of_step(&format!("{body}x' = (IF x = 1 THEN C ELSE B)"));
    assert_eq!(other, "2:6 A@4:6 C@6:29 Next@6:9");
}

#[test]
fn an_argument_fails_in_its_own_place_for_who_asked() {
    let found = of_step(
        "VARIABLE x
A(p) == p + p
B(q) == A(q)
Init == x = <<>>
Next == x' = B(Head(x))",
    );
    assert_eq!(found, "5:16 A@3:9 B@5:14 Next@5:9");
    let found = of_step(
        "VARIABLE x
RECURSIVE R(_, _)
R(n, p) == IF n = 0 THEN p ELSE R(n - 1, p)
Init == x = <<>>
Next == x' = R(2, Head(x))",
    );
    // Strict parameters are evaluated before the call.
    assert!(found.starts_with("5:19"), "{found}");
    assert!(found.ends_with("Next@5:9"), "{found}");
}

#[test]
fn local_definitions_and_operators() {
    let found = of_step(
        "VARIABLE x
A(p) == LET d == Head(p) IN d
M(F(_), p) == F(p)
Init == x = <<>>
Next == x' = M(A, x)",
    );
    assert_eq!(found, "2:18 d@2:29 A@3:15 M@5:14 Next@5:9");
}

#[test]
fn recursion_shows_every_call() {
    let found = of_step(
        "VARIABLE x
RECURSIVE R(_)
R(n) == IF n = 0 THEN Head(x) ELSE R(n - 1) + 1
Init == x = <<>>
Next == x' = R(2)",
    );
    assert_eq!(found, "3:23 R@3:36 R@3:36 R@5:14 Next@5:9");
}

#[test]
fn an_error_belongs_to_its_conjunct_alone() {
    let found = of_step(
        "VARIABLES x, y
A == x' = 1
B == y' = Head(<<>>)
C == A /\\ B
Init == x = 0 /\\ y = 0
Next == C",
    );
    assert!(found.starts_with("3:11 B@4:11"), "{found}");
    assert!(!found.contains("A@"), "A was done: {found}");
}

#[test]
fn a_value_that_is_no_boolean_is_shown_where_it_is_used() {
    let found = of_step(
        "VARIABLE x
A(p) == IF p THEN 1 ELSE 2
Init == x = 5
Next == x' = A(x)",
    );
    assert_eq!(found, "2:12 A@4:14 Next@4:9");
}

#[test]
fn parts_are_named_with_their_arguments() {
    let found = of_step(
        "VARIABLE x
A(p) == x' = Head(p)
Init == x = 0
Next == \\E e \\in {<<>>} : A(e)",
    );
    assert_eq!(found, "2:14 A(<<>>)@2:9");
}

#[test]
fn a_set_without_end_is_told_where_the_value_is_given() {
    let found = of_step(
        "VARIABLE x
A == SUBSET x
Init == x = 1
Next == x' = A",
    );
    assert!(found.starts_with("2:6") || found.starts_with("4:14"), "{found}");
    assert!(found.ends_with("Next@4:9"), "{found}");
}

#[test]
fn a_deep_chain_keeps_both_ends() {
    let program = valid(
        "VARIABLE x\nRECURSIVE R(_)\nR(n) == 1 + R(n + 1)\nOuter == R(0)\nInit == x = 0\nNext == x' = Outer",
        "INIT Init\nNEXT Next",
    );
    let (states, _) = initial(&program);
    let mut evaluator = Evaluator::new(program.clone());
    evaluator.ctx().limits.max_depth = 5000;
    let (_, error) = steps(&mut evaluator, &states[0]);
    let error = error.expect("an error");
    assert_eq!(error.stack.len(), lockstep_eval::error::MAX_FRAMES);
    let names: Vec<&str> = error.stack.iter().rev().take(3).map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Next", "Outer", "R"]);
}

#[test]
fn there_is_a_way_out() {
    for (expression, words) in [
        ("Head(<<>>)", "empty"),
        ("1 \\div 0", "not 0"),
        ("2147483647 + 1", "32 bits"),
        ("CHOOSE e \\in {1} : e = 2", "\\E x"),
        ("CHOOSE e : TRUE", "model value"),
        ("<<1>>[2]", "DOMAIN"),
        ("1 = \"a\"", "kinds"),
        ("CASE FALSE -> 1", "OTHER"),
        ("\\E e \\in Nat : e = 1", "finite set"),
        ("3[1]", "operators"),
    ] {
        let error = crate::spec::evaluate("", expression, false).expect_err(expression);
        let text = help(&error).unwrap_or_else(|| panic!("{expression}: {error}"));
        assert!(text.contains(words), "{expression}: {text}");
    }
}
