//! All ordered pairs of infix operators, and the pairs with prefix and postfix operators, against
//! the precedence rule; and our operator table against the corpus's.

use lockstep_syntax::operators::{Fix, OPERATORS, Operator};
use lockstep_syntax::{Parse, SourceFile, SourceMap, parse};

use super::corpus::corpus;

/// What `a op1 b op2 c` must be, from the rule as it is written down, not from `binding`.
#[derive(PartialEq, Debug)]
enum Grouping {
    Left,
    Right,
    Error,
}

fn rule(left: &Operator, right: &Operator) -> Grouping {
    if left.low > right.high {
        Grouping::Left
    } else if right.low > left.high {
        Grouping::Right
    } else if left.name == right.name && left.left_associative {
        Grouping::Left
    } else {
        Grouping::Error
    }
}

fn symbols(fixes: &[Fix]) -> Vec<&'static Operator> {
    OPERATORS.iter().filter(|op| fixes.contains(&op.fix) && !matches!(op.name, "." | "[")).collect()
}

fn parse_body(body: &str) -> Parse {
    let mut sources = SourceMap::default();
    let file =
        sources.add(SourceFile::new("T.tla", format!("---- MODULE T ----\nop == {body}\n====\n")));
    parse(file, sources.file(file))
}

fn check(body: &str, expected: Option<&str>) {
    let parsed = parse_body(body);
    match expected {
        None => {
            let code = parsed.diagnostics.first().map(|it| it.code);
            let is_conflict = matches!(code, Some("E1012" | "E1013" | "E1014"));
            assert!(is_conflict, "`{body}` must be a conflict, got {code:?}");
        }
        Some(tree) => {
            assert!(parsed.diagnostics.is_empty(), "`{body}`: {:?}", parsed.diagnostics);
            let expected = format!("(module T (operator op (params) {tree}))\n");
            assert_eq!(parsed.ast.debug_tree(), expected, "`{body}`");
        }
    }
}

fn infix(op: &Operator, left: &str, right: &str) -> String {
    match op.fix {
        Fix::Nfix => format!("(product {left} {right})"),
        _ => format!("(infix {} {left} {right})", op.name),
    }
}

fn spellings(op: &Operator) -> Vec<&'static str> {
    let name = if op.name == "-." { "-" } else { op.name };
    [name].iter().chain(op.ascii).chain(op.unicode).copied().collect()
}

#[test]
fn infix_pairs() {
    let ops = symbols(&[Fix::Infix, Fix::Nfix]);
    let mut n_pairs = 0;
    for left in &ops {
        for right in &ops {
            let (l, r) = (left.name, right.name);
            let expected = match rule(left, right) {
                Grouping::Error => None,
                Grouping::Left if left.fix == Fix::Nfix && l == r => {
                    Some("(product a b c)".to_owned())
                }
                Grouping::Left => Some(infix(right, &infix(left, "a", "b"), "c")),
                Grouping::Right => Some(infix(left, "a", &infix(right, "b", "c"))),
            };
            check(&format!("a {l} b {r} c"), expected.as_deref());
            n_pairs += 1;
        }
    }
    assert_eq!(n_pairs, ops.len() * ops.len());
    assert!(ops.len() > 80, "the table has all operators");
}

#[test]
fn every_spelling_is_its_operator() {
    for op in symbols(&[Fix::Infix, Fix::Nfix]) {
        for spelling in spellings(op) {
            check(&format!("a {spelling} b"), Some(&infix(op, "a", "b")));
        }
    }
    for op in symbols(&[Fix::Prefix]) {
        for spelling in spellings(op) {
            check(&format!("{spelling} a"), Some(&format!("(prefix {} a)", op.name)));
        }
    }
    for op in symbols(&[Fix::Postfix]) {
        for spelling in spellings(op) {
            check(&format!("a {spelling}"), Some(&format!("(postfix {} a)", op.name)));
        }
    }
}

#[test]
fn prefix_and_infix_pairs() {
    for prefix in symbols(&[Fix::Prefix]) {
        let p = spellings(prefix)[0];
        for op in symbols(&[Fix::Infix, Fix::Nfix]) {
            let i = op.name;
            let name = prefix.name;
            let expected = match rule(prefix, op) {
                Grouping::Error => None,
                Grouping::Left => Some(infix(op, &format!("(prefix {name} a)"), "b")),
                Grouping::Right => Some(format!("(prefix {name} {})", infix(op, "a", "b"))),
            };
            check(&format!("{p} a {i} b"), expected.as_deref());
            // After an infix operator a prefix operator never conflicts.
            check(&format!("a {i} {p} b"), Some(&infix(op, "a", &format!("(prefix {name} b)"))));
        }
        for postfix in symbols(&[Fix::Postfix]) {
            let (name, x) = (prefix.name, postfix.name);
            let expected = match rule(prefix, postfix) {
                Grouping::Error => None,
                Grouping::Left => Some(format!("(postfix {x} (prefix {name} a))")),
                Grouping::Right => Some(format!("(prefix {name} (postfix {x} a))")),
            };
            check(&format!("{p} a {x}"), expected.as_deref());
        }
        for other in symbols(&[Fix::Prefix]) {
            let o = spellings(other)[0];
            let expected = format!("(prefix {} (prefix {} a))", prefix.name, other.name);
            check(&format!("{p} {o} a"), Some(&expected));
        }
    }
}

#[test]
fn postfix_pairs() {
    for first in symbols(&[Fix::Postfix]) {
        for second in symbols(&[Fix::Postfix]) {
            let expected = format!("(postfix {} (postfix {} a))", second.name, first.name);
            check(&format!("a {} {}", first.name, second.name), Some(&expected));
        }
        for op in symbols(&[Fix::Infix, Fix::Nfix]) {
            let x = first.name;
            let expected = infix(op, &format!("(postfix {x} a)"), "b");
            check(&format!("a {x} {} b", op.name), Some(&expected));
            let expected = infix(op, "a", &format!("(postfix {x} b)"));
            check(&format!("a {} b {x}", op.name), Some(&expected));
        }
    }
}

#[test]
fn table_is_the_language_s() {
    let Some(corpus) = corpus() else { return };
    let text = std::fs::read_to_string(corpus.join("syntax/operators.tsv"))
        .expect("the corpus has the operator table");
    let mut rows = text.lines();
    assert_eq!(
        rows.next(),
        Some("canonical\tfix\tprec_low\tprec_high\tassoc\tascii_synonyms\tunicode")
    );
    let mut n_rows = 0;
    for row in rows {
        let cells: Vec<_> = row.split('\t').collect();
        let ours = OPERATORS
            .iter()
            .find(|op| op.name == cells[0])
            .unwrap_or_else(|| panic!("{} is missing", cells[0]));
        let fix = match ours.fix {
            Fix::Prefix => "prefix",
            Fix::Infix => "infix",
            Fix::Postfix => "postfix",
            Fix::Nfix => "nfix",
        };
        assert_eq!(fix, cells[1], "{}", cells[0]);
        assert_eq!(ours.low.to_string(), cells[2], "{}", cells[0]);
        assert_eq!(ours.high.to_string(), cells[3], "{}", cells[0]);
        assert_eq!(ours.left_associative, cells[4] == "left", "{}", cells[0]);
        assert_eq!(ours.ascii.join(" "), cells[5], "{}", cells[0]);
        assert_eq!(ours.unicode.join(" "), cells[6], "{}", cells[0]);
        n_rows += 1;
    }
    assert_eq!(n_rows, OPERATORS.len());
}
