//! Random text: the parser must return, and what it accepts must survive printing.

use lockstep_syntax::render::render;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::{check_round_trip, parse_text};

/// Pieces of which token soup is made; white space is as important as any other token.
const PIECES: &[&str] = &[
    "x",
    "y",
    "F",
    "1",
    "2.5",
    "\\b01",
    "\"s\"",
    "@",
    "(",
    ")",
    "[",
    "]",
    "]_",
    "{",
    "}",
    "<<",
    ">>",
    ">>_",
    ",",
    ":",
    "::",
    "!",
    "!!",
    ".",
    "'",
    "==",
    "=",
    "->",
    "<-",
    "|->",
    "/\\",
    "\\/",
    "~",
    "-",
    "+",
    "*",
    "\\in",
    "\\X",
    "\\cup",
    "=>",
    "[]",
    "<>",
    "\\A",
    "\\E",
    "\\EE",
    "CHOOSE",
    "IF",
    "THEN",
    "ELSE",
    "CASE",
    "OTHER",
    "LET",
    "IN",
    "LAMBDA",
    "EXCEPT",
    "DOMAIN",
    "SUBSET",
    "UNCHANGED",
    "ENABLED",
    "WF_",
    "SF_",
    "ASSUME",
    "PROVE",
    "NEW",
    "THEOREM",
    "PROOF",
    "BY",
    "DEF",
    "QED",
    "<1>",
    "<1>a.",
    "<*>",
    "<+>",
    "OBVIOUS",
    "TAKE",
    "PICK",
    "HAVE",
    "WITNESS",
    "SUFFICES",
    "DEFINE",
    "USE",
    "HIDE",
    "INSTANCE",
    "WITH",
    "LOCAL",
    "RECURSIVE",
    "CONSTANT",
    "VARIABLE",
    "EXTENDS",
    "----",
    "MODULE",
    "====",
    "_",
    "(*",
    "*)",
    "\\*",
    "\n",
    "\n",
    "\n  ",
    "\n    ",
    "\t",
    "∧",
    "∃",
    "⟨",
    "⟩_",
    "ℕ",
    "é",
    "\"",
    "\\",
    "#",
    "\r\n",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec((0..PIECES.len(), any::<bool>()), 0..120).prop_map(|pieces| {
        let mut text = "---- MODULE T ----\nop == ".to_owned();
        for (piece, space) in pieces {
            text.push_str(PIECES[piece]);
            if space {
                text.push(' ');
            }
        }
        text
    })
}

/// Expressions that are right by construction, with junction lists laid out in columns.
fn expression() -> impl Strategy<Value = Vec<String>> {
    let leaf =
        prop::sample::select(vec!["x", "1", "F(x)", "f[x]", "{}", "<<x, y>>", "r.a", "\"s\""])
            .prop_map(|text| vec![text.to_owned()]);
    leaf.prop_recursive(5, 60, 3, |inner| {
        let list =
            (prop::sample::select(vec!["/\\", "\\/"]), prop::collection::vec(inner.clone(), 1..4))
                .prop_map(|(bullet, items)| {
                    let mut lines = Vec::new();
                    for item in items {
                        for (idx, line) in item.into_iter().enumerate() {
                            let lead = if idx == 0 { bullet } else { "  " };
                            lines.push(format!("{lead} {line}"));
                        }
                    }
                    lines
                });
        let infix = (
            prop::sample::select(vec![
                "+", "=", "\\cup", "=>", "\\X", "/\\", "\\/", "..", "@@", "'",
            ]),
            inner.clone(),
            inner.clone(),
        )
            .prop_map(|(op, left, right)| {
                // An operator left of the lists in its left operand.
                let mut lines: Vec<_> =
                    left.into_iter().map(|line| format!("    {line}")).collect();
                if op == "'" {
                    lines.push(" '".to_owned());
                    return lines;
                }
                for (idx, line) in right.into_iter().enumerate() {
                    let lead = if idx == 0 { op } else { "" };
                    lines.push(format!(" {lead:<4} {line}"));
                }
                lines
            });
        let wrapped = (
            prop::sample::select(vec![
                ("(", ")"),
                ("{", "}"),
                ("<<", ">>"),
                ("\\A x \\in S : ", ""),
                ("~", ""),
                ("IF x THEN y ELSE ", ""),
                ("IF ", " THEN x ELSE y"),
                ("[x \\in S |-> ", "]"),
                ("CHOOSE x : ", ""),
                ("LET d == ", " IN x"),
                ("LET d == x IN ", ""),
                ("[]", ""),
                ("[", "]_v"),
                ("CASE x -> ", " [] OTHER -> y"),
                ("- ", ""),
                ("{x \\in S : ", "}"),
                ("{", " : x \\in S}"),
                ("f[", "]"),
                ("F(", ")"),
                ("lab :: ", ""),
                ("SUBSET ", ""),
                ("[f EXCEPT ![1] = ", "]"),
                ("[a |-> ", ", b |-> 1]"),
                ("WF_v(", ")"),
            ]),
            inner,
        )
            .prop_map(|((before, after), body)| {
                let n_lines = body.len();
                body.into_iter()
                    .enumerate()
                    .map(|(idx, line)| {
                        let lead =
                            if idx == 0 { before.to_owned() } else { " ".repeat(before.len()) };
                        let tail = if idx + 1 == n_lines { after } else { "" };
                        format!("{lead}{line}{tail}")
                    })
                    .collect()
            });
        prop_oneof![list, infix, wrapped]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn token_soup_is_survived(text in soup()) {
        let (sources, parsed) = parse_text("T.tla", &text);
        render(&sources, &parsed.diagnostics, false);
        parsed.ast.debug_tree();
        if parsed.diagnostics.is_empty() && parsed.deferred.iter().all(Vec::is_empty) {
            check_round_trip("T.tla", &parsed);
        }
    }

    #[test]
    fn accepted_expressions_round_trip(lines in expression()) {
        let text = format!("---- MODULE T ----\nop ==\n  {}\n====\n", lines.join("\n  "));
        let (_, parsed) = parse_text("T.tla", &text);
        // Many are precedence conflicts; those that are not must print right.
        if parsed.diagnostics.is_empty() {
            check_round_trip("T.tla", &parsed);
        }
    }
}

#[test]
fn enough_random_expressions_are_accepted() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut n_accepted = 0;
    for _ in 0..400 {
        let tree = expression().new_tree(&mut runner).expect("the strategy yields");
        let text = format!("---- MODULE T ----\nop ==\n  {}\n====\n", tree.current().join("\n  "));
        n_accepted += usize::from(parse_text("T.tla", &text).1.diagnostics.is_empty());
    }
    assert!(n_accepted > 100, "only {n_accepted} of 400 parse: the test would show little");
}
