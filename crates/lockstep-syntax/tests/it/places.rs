//! Places, files with several modules, CONFIG sections and bare expressions.

use lockstep_syntax::ast::{ExprKind, UnitKind};
use lockstep_syntax::{FileId, SourceFile, SourceMap, config_section, parse_expression};

use super::{parse_text, parse_valid};

#[test]
fn columns_count_characters_and_tabs() {
    let text = "---- MODULE T ----\n\tA == \"é∀\" = [b\n∀∀ == 1\n====\n";
    let (sources, parsed) = parse_text("T.tla", text);
    let places: Vec<_> = parsed
        .diagnostics
        .iter()
        .map(|it| {
            let span = it.primary.as_ref().expect("parse errors have a place").span;
            let at = sources.location(span);
            (at.line, at.col)
        })
        .collect();
    assert_eq!(places, [(3, 1)]);
    let UnitKind::Operator(definition) = &parsed.ast.modules[0].units[0].kind else {
        panic!("a definition")
    };
    assert_eq!(sources.location(definition.name.span).col, 9);
    let ExprKind::Infix { op, right, .. } = &parsed.ast.expr(definition.body).kind else {
        panic!("an infix operator")
    };
    assert_eq!(sources.location(op.span).col, 19);
    assert_eq!(sources.location(parsed.ast.expr(*right).span).col, 21);
}

#[test]
fn junctions_see_tabs_as_columns() {
    let with_tab = "---- MODULE T ----\nA ==\n\t/\\ 1\n        /\\ 2\n====\n";
    let with_spaces = with_tab.replace('\t', "        ");
    let tree = |text: &str| parse_valid("T.tla", text).ast.debug_tree();
    assert_eq!(tree(with_tab), tree(&with_spaces));
    assert!(tree(with_tab).contains("(and-list 1 2)"));
}

#[test]
fn line_ends_are_equal() {
    let unix = "---- MODULE T ----\nA == \\* comment\n  /\\ 1 (* x\n y *)\n  /\\ 2\n====\n";
    let tree = |text: &str| parse_valid("T.tla", text).ast.debug_tree();
    for end in ["\r\n", "\r"] {
        assert_eq!(tree(unix), tree(&unix.replace('\n', end)), "{end:?}");
    }
}

#[test]
fn spans_are_those_of_the_text() {
    let text = "---- MODULE T ----\nA == x  +  F(1 , 2)'\nLOCAL B == [ a |-> 1 ]\n====\nrest";
    let (sources, parsed) = parse_text("T.tla", text);
    let module = &parsed.ast.modules[0];
    assert_eq!(sources.text(module.span), &text[..text.len() - "\nrest".len()]);
    assert_eq!(sources.text(module.units[0].span), "A == x  +  F(1 , 2)'");
    assert_eq!(sources.text(module.units[1].span), "LOCAL B == [ a |-> 1 ]");
    let UnitKind::Operator(definition) = &module.units[0].kind else { panic!("a definition") };
    assert_eq!(sources.text(parsed.ast.expr(definition.body).span), "x  +  F(1 , 2)'");
}

#[test]
fn modules_after_the_first_do_not_spoil_it() {
    let text = "---- MODULE A ----\nx == 1\n====\n---- MODULE B ----\ny == (\n====\n\
                ---- MODULE C ----\nz == 1\n====\n";
    let (_, parsed) = parse_text("A.tla", text);
    assert!(parsed.diagnostics.is_empty());
    let names: Vec<_> = parsed.ast.modules.iter().map(|it| it.name.name.as_str()).collect();
    assert_eq!(names, ["A", "B", "C"]);
    let counts: Vec<_> = parsed.deferred.iter().map(Vec::len).collect();
    assert_eq!(counts, [0, 1, 0]);
}

#[test]
fn config_sections_are_found_by_name() {
    let text = "---- MODULE A ----\n====\n---- CONFIG A ----\nINIT Init\n====\n\
                -----CONFIG  B-----\nNEXT Next\n====\n";
    let section = |name| config_section(text, name).map(|range| text[range].trim());
    assert_eq!(section("A"), Some("INIT Init"));
    assert_eq!(section("B"), Some("NEXT Next"));
    assert_eq!(section("C"), None);
    assert_eq!(config_section("CONFIG A\n---- CONFIG A", "A"), None);
}

#[test]
fn bare_expressions() {
    let parse = |text: &str| {
        let mut sources = SourceMap::default();
        let file: FileId = sources.add(SourceFile::new("<expression>", text));
        let parsed = parse_expression(file, sources.file(file));
        (parsed.ast.debug_expr(parsed.root), parsed.diagnostics.len())
    };
    assert_eq!(parse("1 + 2"), ("(infix + 1 2)".to_owned(), 0));
    assert_eq!(parse("/\\ a\n/\\ b"), ("(and-list a b)".to_owned(), 0));
    assert_eq!(
        parse("LET f[x \\in S] == x IN f"),
        ("(let (function-definition f (in x S) x) f)".to_owned(), 0)
    );
    assert_eq!(parse("1 2").1, 1);
    assert_eq!(parse("").1, 1);
}
