//! Input that is large or deep: an answer, in time linear in its size.

use std::time::{Duration, Instant};

use super::{check_round_trip, parse_text, parse_valid};

/// Parses `op == body` and returns the code of the first problem.
fn first_code(body: &str) -> Option<&'static str> {
    let began = Instant::now();
    let text = format!("---- MODULE T ----\nop == {body}\n====\n");
    let (_, parsed) = parse_text("T.tla", &text);
    // Generous: debug builds on a busy machine. Quadratic time would take minutes.
    assert!(began.elapsed() < Duration::from_secs(20), "{} bytes", text.len());
    parsed.diagnostics.first().map(|it| it.code)
}

fn nest(before: &str, inner: &str, after: &str, depth: usize) -> String {
    format!("{}{inner}{}", before.repeat(depth), after.repeat(depth))
}

#[test]
fn deep_nesting_is_parsed_up_to_the_limit() {
    for (before, after) in [("(", ")"), ("IF a THEN b ELSE ", ""), ("\\A x \\in S : ", "")] {
        assert_eq!(first_code(&nest(before, "x", after, 15_000)), None, "{before}");
    }
    for (before, after) in [("{", "}"), ("<<", ">>"), ("[a |-> ", "]"), ("f[", "]"), ("F(", ")")] {
        assert_eq!(first_code(&nest(before, "x", after, 5_000)), None, "{before}");
    }
}

#[test]
fn deeper_nesting_is_an_error() {
    let deep = 200_000;
    for before in
        ["(", "{", "[a |-> ", "<<", "F(", "f[", "LET a == ", "IF ", "CASE ", "\\A x : ", "/\\"]
    {
        assert_eq!(first_code(&before.repeat(deep)), Some("E1015"), "{before}");
    }
    assert_eq!(first_code(&nest("(", "x", ")", deep)), Some("E1015"));
    assert_eq!(first_code(&"(*".repeat(deep)), Some("E1003"));
}

#[test]
fn long_chains_need_no_stack() {
    let many = 100_000;
    assert_eq!(first_code(&format!("a{}", " + a".repeat(many))), None);
    assert_eq!(first_code(&format!("a{}", " \\X a".repeat(many))), None);
    assert_eq!(first_code(&format!("{}a", "~".repeat(many))), None);
    assert_eq!(first_code(&format!("a{}", "[1]".repeat(many))), None);
    assert_eq!(first_code(&format!("{{a{}}}", ", a".repeat(many))), None);
    assert_eq!(first_code(&format!("a{}", " /\\ b \\/ a".repeat(many))), Some("E1013"));
}

#[test]
fn binders_with_wide_sets_do_not_explode() {
    let text = format!("{}S{}", "{x \\in ".repeat(400), " /\\ T : x}".repeat(400));
    assert_eq!(first_code(&text), None);
    let text = format!("{}S{}", "{x \\in ".repeat(5_000), " : x}".repeat(5_000));
    assert_eq!(first_code(&text), None);
}

#[test]
fn many_mistakes_are_cut_off() {
    let step = "<+> a\n";
    for line in [step, "a(\n", "a == (\n", "THEOREM\n", "<1> ", "x = = 1\n", "---- MODULE M\n"] {
        let text = format!("---- MODULE T ----\nTHEOREM a\n{}\n====\n", line.repeat(50_000));
        let began = Instant::now();
        let (_, parsed) = parse_text("T.tla", &text);
        assert!(!parsed.diagnostics.is_empty());
        assert!(parsed.diagnostics.len() <= 101, "{line}: {}", parsed.diagnostics.len());
        assert!(began.elapsed() < Duration::from_secs(20), "{line}");
    }
}

#[test]
fn deep_trees_print() {
    let text = format!("---- MODULE T ----\nop == {}\n====\n", nest("(", "x", ")", 10_000));
    check_round_trip("deep", &parse_valid("deep", &text));
    let text = format!("---- MODULE T ----\nop == a{}\n====\n", " + a".repeat(50_000));
    check_round_trip("long", &parse_valid("long", &text));
}

#[test]
fn a_damaged_header_in_the_middle_of_a_line_is_passed_once() {
    let text = "---- MODULE A ----\nH == 1 ====---- MODULE>> ====\nI == 2\n====\n";
    let (_, parsed) = parse_text("A.tla", text);
    assert_eq!(parsed.ast.modules.len(), 2, "{}", parsed.ast.debug_tree());
    // What comes after the first module is not held against it.
    assert!(parsed.diagnostics.is_empty() && !parsed.deferred[1].is_empty());
}
