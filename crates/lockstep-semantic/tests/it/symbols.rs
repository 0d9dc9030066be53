//! The order of strings: tokens in the order of parsing, then strings in the order of analysis.

use super::analyse_text;

#[test]
fn tokens_of_all_files_come_before_strings() {
    let analysis = analyse_text(
        "notes before the module
---- MODULE Test ----
EXTENDS X, Y
z == <<\"s2\", \"s1\", \"z\">> \\* comment words
I == INSTANCE W
(* more (* comment *) words *)
q == \"s4\"
====
---- MODULE X ----
EXTENDS P
x == \"s3\"
====
---- MODULE Y ----
y == \"s1\"
====
---- MODULE P ----
p == \"s5\"
====
---- MODULE W ----
w == \"s6\"
====
",
    );
    assert!(analysis.diagnostics.is_empty());
    let interesting =
        ["Test", "x", "y", "z", "p", "w", "q", "s1", "s2", "s3", "s4", "s5", "s6", "words"];
    let found: Vec<&str> = analysis
        .spec
        .symbols
        .iter()
        .map(|it| it.as_str())
        .filter(|it| interesting.contains(it))
        .collect();
    let expected = ["Test", "z", "q", "x", "y", "p", "w", "s5", "s3", "s1", "s6", "s2", "s4"];
    assert_eq!(found, expected);
}

#[test]
fn escapes_are_resolved() {
    let analysis = analyse_text("---- MODULE Test ----\na == \"x\\\"y\"\n====\n");
    assert!(analysis.spec.symbols.iter().any(|it| it == "x\"y"));
}
