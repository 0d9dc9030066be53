//! Errors as people see them: each snapshot holds the specification, the model and the report.
//!
//! An error of evaluation must show its message, its place with the source line, the values
//! involved, the chain of definitions that led to it, the behaviour up to the state in which it
//! arose, and a way out. The snapshots under `snapshots/errors` are written by `UPDATE_EXPECT=1`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use expect_test::expect_file;

use crate::run::Folder;

/// Errors of evaluation: a name, and what `Inner(a)` is; it is evaluated in the second state.
const EXPRESSIONS: &[(&str, &str)] = &[
    ("equal-integer-string", "a = \"one\""),
    ("equal-boolean-integer", "TRUE = a"),
    ("equal-set-integer", "{a} = a"),
    ("equal-function-integer", "[i \\in {a} |-> i] = a"),
    ("equal-record-tuple", "[f |-> a] = <<a>>"),
    ("member-of-strings", "a \\in {\"one\"}"),
    ("member-of-integer", "a \\in 1"),
    ("set-of-mixed-kinds", "Cardinality({a, \"one\"})"),
    ("tuple-index", "<<4, 5>>[a + 4]"),
    ("function-argument", "[i \\in {7, 9} |-> i][a]"),
    ("function-of-two-arguments", "[i, j \\in 2..3 |-> i][a, a]"),
    ("record-field", "[first |-> a].second"),
    ("record-argument", "[first |-> a][\"second\"]"),
    ("applied-integer", "a[1]"),
    ("field-of-integer", "a.first"),
    ("plus-string", "a + \"one\""),
    ("minus-set", "{} - a"),
    ("times-boolean", "a * TRUE"),
    ("negative-string", "-\"one\""),
    ("less-than-string", "a < \"one\""),
    ("at-least-tuple", "<<>> >= a"),
    ("interval-of-strings", "a..\"z\""),
    ("division-by-zero", "a \\div (a - 1)"),
    ("modulo-zero", "a % (a - 1)"),
    ("overflow-plus", "2147483647 + a"),
    ("overflow-times", "65536 * 65536 * a"),
    ("negative-exponent", "2^(a - 2)"),
    ("zero-to-the-zero", "(a - 1)^(a - 1)"),
    ("head-of-empty", "Head(SubSeq(<<a>>, 2, 1))"),
    ("tail-of-empty", "Tail(<<>>)"),
    ("length-of-integer", "Len(a)"),
    ("append-to-integer", "Append(a, 1)"),
    ("concatenation-of-integer", "<<1>> \\o a"),
    ("subsequence-index", "SubSeq(<<7, 8>>, a, 5)"),
    ("selection-without-boolean", "SelectSeq(<<a>>, LAMBDA e : e)"),
    ("cardinality-of-integer", "Cardinality(a)"),
    ("cardinality-of-infinite", "Cardinality(Nat)"),
    ("exists-over-infinite", "\\E n \\in Nat : n > a"),
    ("all-over-infinite", "\\A n \\in Int : n # a"),
    ("all-over-integer", "\\A n \\in a : n = 1"),
    ("unbounded-quantifier", "\\A n : n = a"),
    ("choose-nothing", "CHOOSE n \\in {1, 2} : n > a + 1"),
    ("unbounded-choose", "CHOOSE n : n = a"),
    ("case-without-arm", "CASE a = 7 -> 1 [] a = 8 -> 2"),
    ("case-guard", "CASE a -> 1"),
    ("if-condition", "IF a THEN 1 ELSE 2"),
    ("and-left", "a /\\ TRUE"),
    ("or-right", "a = 2 \\/ a"),
    ("not-integer", "~a"),
    ("premise", "a => TRUE"),
    ("equivalence", "(a = 1) <=> a"),
    ("filter", "{n \\in {a} : n}"),
    ("subset-of-integer", "a \\subseteq {1}"),
    ("union-of-integer", "a \\cup {1}"),
    ("big-union", "UNION {a}"),
    ("power-set-of-integer", "SUBSET a"),
    ("set-too-large", "Cardinality({i + a : i \\in 1..2000000})"),
    ("domain-of-integer", "DOMAIN a"),
    ("except-of-integer", "[a EXCEPT ![1] = 2]"),
    ("register-never-set", "TLCGet(a + 70)"),
    ("random-of-nothing", "RandomElement({n \\in {a} : n > 5})"),
    ("permutations-of-integer", "Permutations(a)"),
    ("sort-of-integer", "SortSeq(a, <)"),
    ("bag-of-integer", "BagCardinality(a)"),
    ("member-of-sequences-over-integer", "<<a>> \\in Seq(1)"),
    ("endless-recursion", "Endless(a)"),
];

/// Those whose set is made when the state is complete.
const PUT_OFF: &[&str] = &["filter", "power-set-of-integer"];

/// Errors in other places: a name, what is added to the module, and the model.
const MODELS: &[(&str, &str, &str)] = &[
    ("assertion", "Inv == Assert(x < 2, <<\"x is\", x>>)", "ACTION_CONSTRAINT Inv"),
    ("invariant-violated", "Inv == x < 2", "INVARIANT Inv"),
    ("invariant-without-value", "Inv == x = 2 => Len(x) = 1", "INVARIANT Inv"),
    ("invariant-without-boolean", "Inv == x", "INVARIANT Inv"),
    ("constraint-without-value", "Con == x = 2 => x \\in {\"two\"}", "CONSTRAINT Con"),
    ("constraint-without-boolean", "Con == x", "CONSTRAINT Con"),
    ("action-constraint-without-value", "Con == x' = 2 => Head(<<>>)", "ACTION_CONSTRAINT Con"),
    ("action-property-violated", "Prop == [][x' = 1]_x", "PROPERTY Prop"),
    ("liveness-violated", "Prop == <>(x = 9)", "PROPERTY Prop"),
    ("finite-liveness-violated", "Prop == [](x = 1 => [](x # 2))", "PROPERTY Prop"),
    ("tautology", "Prop == TRUE \\/ <>(x = 9)", "PROPERTY Prop"),
    ("assumption-false", "ASSUME Cardinality({1, 2}) = 3", ""),
    ("assumption-without-value", "ASSUME Head(<<>>) = 3", ""),
    ("postcondition-false", "Post == TLCGet(\"distinct\") = 77", "POSTCONDITION Post"),
    ("view-without-value", "View == IF x = 1 THEN x + \"a\" ELSE 1", "VIEW View"),
    ("unknown-postcondition", "", "POSTCONDITION Absent"),
    ("unknown-constraint", "", "CONSTRAINT Absent"),
    ("property-with-arguments", "Prop(a) == [](x = a)", "PROPERTY Prop"),
    ("invariant-of-a-step", "Inv == x' = x", "INVARIANT Inv"),
    ("keyword-twice", "", "NEXT Next"),
    ("unknown-keyword", "", "INVARIENT Inv"),
    ("undefined-name", "Inv == z = 1", "INVARIANT Inv"),
    ("wrong-number-of-arguments", "Inv == Outer(1, 2)", "INVARIANT Inv"),
    ("defined-twice", "Outer(b) == b", ""),
    ("bound-name-in-use", "Inv == \\A x \\in {1} : x = 1", "INVARIANT Inv"),
    ("primed-twice", "Inv == x'' = 1", "INVARIANT Inv"),
    ("operators-that-clash", "Inv == 1 = 2 = 3", "INVARIANT Inv"),
    ("and-with-or", "Inv == x = 1 /\\ x = 2 \\/ x = 3", "INVARIANT Inv"),
    ("open-bracket", "Inv == (x = 1", "INVARIANT Inv"),
    ("open-string", "Inv == \"abc", "INVARIANT Inv"),
];

fn module(inner: &str, more: &str) -> String {
    format!(
        "---- MODULE M ----\n\
         EXTENDS Integers, Sequences, FiniteSets, TLC, Bags\n\
         VARIABLES x, y\n\
         RECURSIVE Endless(_)\n\
         Endless(n) == 1 + Endless(n + 1)\n\
         Inner(a) == {inner}\n\
         Outer(b) == Inner(b)\n\
         Init == x = 0 /\\ y = 0\n\
         Next == x' = (x + 1) % 3 /\\ y' = IF x = 1 THEN Outer(x) ELSE 0\n\
         {more}\n\
         ====\n"
    )
}

/// The folder of the snapshots.
fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/errors")
}

/// Runs a model and compares it with its snapshot.
fn check(name: &str, module: &str, model: &str) -> String {
    let folder = Folder::new(&[("M.tla", module), ("M.cfg", model)]);
    let ran = folder.run(&["check", "M.tla", "--workers", "1"]);
    assert!(!ran.err.contains("panicked"), "{name}: {}", ran.err);
    assert_ne!(ran.status, 0, "{name} is an error");
    let text = format!("--- M.tla\n{module}--- M.cfg\n{model}--- report\n{}", ran.text());
    expect_file![snapshots().join(format!("{name}.txt"))].assert_eq(&text);
    ran.text()
}

#[test]
fn errors_of_evaluation() {
    for (name, inner) in EXPRESSIONS {
        let text = check(name, &module(inner, ""), "INIT Init\nNEXT Next\n");
        for part in ["error[", "--> M.tla:", "help: ", "in Next, at", "Behavior of 2 states"] {
            assert!(text.contains(part), "{name} does not show {part}:\n{text}");
        }
        // What is put off until the state is complete no longer knows who asked for it.
        if !PUT_OFF.contains(name) {
            for part in ["in Inner, at M.tla:7:13", "in Outer, at M.tla:9:48"] {
                assert!(text.contains(part), "{name} does not show {part}:\n{text}");
            }
        }
    }
}

#[test]
fn errors_elsewhere() {
    for (name, more, model) in MODELS {
        let text = check(name, &module("a", more), &format!("INIT Init\nNEXT Next\n{model}\n"));
        assert!(text.contains("--> M."), "{name} does not show its place:\n{text}");
    }
}

/// The headlines are different ones, and no snapshot is left over.
#[test]
fn errors_differ() {
    let (mut headlines, mut n_files) = (BTreeSet::new(), 0);
    for entry in std::fs::read_dir(snapshots()).expect("the snapshots") {
        let text = std::fs::read_to_string(entry.expect("a file").path()).expect("a snapshot");
        let (_, report) = text.split_once("--- report\n").expect("a report");
        let headline: Vec<&str> = (report.lines().skip(2))
            .take_while(|it| !it.contains("-->"))
            .filter(|it| !it.starts_with("M: "))
            .collect();
        headlines.insert(headline.join("\n"));
        n_files += 1;
    }
    assert_eq!(n_files, EXPRESSIONS.len() + MODELS.len());
    assert!(headlines.len() >= 80, "only {} different headlines", headlines.len());
}
