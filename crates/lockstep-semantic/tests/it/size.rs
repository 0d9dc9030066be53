//! Large and deep specifications.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::analyse_text;

/// Analyses a text and checks that it is accepted in time. The limit is generous, for a debug
/// build on a busy machine; what is exponential takes far longer.
fn accepted_in_time(text: &str) {
    let start = Instant::now();
    let analysis = analyse_text(text);
    assert!(analysis.diagnostics.is_empty(), "{:?}", analysis.diagnostics.first());
    assert!(start.elapsed() < Duration::from_secs(120), "took {:?}", start.elapsed());
}

#[test]
fn ten_thousand_definitions() {
    let mut text = String::from("---- MODULE Test ----\nEXTENDS Naturals\nCONSTANTS c0, c1, c2\n");
    text.push_str("VARIABLES x, y, z\nD0(a) == a + x\n");
    for idx in 1..10_000 {
        let before = idx - 1;
        writeln!(
            text,
            "D{idx}(a) == /\\ D{before}(a + c{})\n  /\\ \\E i \\in 1..3 : x' = i + y",
            idx % 3
        )
        .expect("writing to a string");
    }
    text.push_str("====\n");
    accepted_in_time(&text);
}

#[test]
fn a_deep_expression() {
    let depth = 5_000;
    let text =
        format!("---- MODULE Test ----\nA == {}1{}\n====\n", "{".repeat(depth), "}".repeat(depth));
    accepted_in_time(&text);
}

#[test]
fn many_variables_and_instances() {
    let mut text = String::from("---- MODULE Test ----\n---- MODULE Inner ----\nCONSTANTS c0");
    for idx in 1..100 {
        write!(text, ", c{idx}").expect("writing to a string");
    }
    text.push_str("\nF == <<c0, c99>>\n====\nCONSTANTS c0");
    for idx in 1..100 {
        write!(text, ", c{idx}").expect("writing to a string");
    }
    text.push('\n');
    for idx in 0..200 {
        writeln!(text, "I{idx} == INSTANCE Inner\nA{idx} == I{idx}!F")
            .expect("writing to a string");
    }
    text.push_str("====\n");
    accepted_in_time(&text);
}

#[test]
fn many_nested_lets_with_recursive_functions() {
    let mut text = String::from("---- MODULE Test ----\nA ==\n");
    let depth = 24;
    for idx in 0..depth {
        writeln!(text, "LET f{idx}[i \\in {{1}}] == IF i = 1 THEN 1 ELSE f{idx}[i] IN")
            .expect("writing to a string");
    }
    text.push_str("1\n====\n");
    accepted_in_time(&text);
}

#[test]
fn recursive_lets_nested_in_each_other() {
    let mut text = String::from("---- MODULE Test ----\nVARIABLE x\nA ==\n");
    let depth = 16;
    for idx in 0..depth {
        writeln!(text, "LET RECURSIVE F{idx}(_) F{idx}(a{idx}) ==").expect("writing to a string");
    }
    text.push_str("x\n");
    for idx in (0..depth).rev() {
        writeln!(text, "IN F{idx}(1)").expect("writing to a string");
    }
    text.push_str("====\n");
    accepted_in_time(&text);
}

#[test]
fn thousands_of_unknown_names() {
    let mut text = String::from("---- MODULE Test ----\n");
    for idx in 0..5_000 {
        writeln!(text, "D{idx} == unknown{idx}").expect("writing to a string");
    }
    text.push_str("====\n");
    let start = Instant::now();
    let analysis = analyse_text(&text);
    assert_eq!(analysis.diagnostics.len(), 5_000);
    assert!(start.elapsed() < Duration::from_secs(60), "took {:?}", start.elapsed());
}
