//! Tests of the front end's public interface.
#![expect(clippy::print_stderr, reason = "a skipped test must be seen")]

mod corpus;
mod fixtures;
mod limits;
mod operator_pairs;
mod places;
mod random;

use lockstep_syntax::{Parse, SourceFile, SourceMap, parse, printer::print, render::render};

/// Parses a text as a file of that name.
fn parse_text(name: &str, text: &str) -> (SourceMap, Parse) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(name, text));
    let parsed = parse(file, sources.file(file));
    (sources, parsed)
}

/// Parses a text that must be right, later modules included.
fn parse_valid(name: &str, text: &str) -> Parse {
    let (sources, parsed) = parse_text(name, text);
    let errors = render(&sources, &parsed.diagnostics, false);
    assert!(parsed.diagnostics.is_empty(), "{name} must parse:\n{errors}");
    parsed
}

/// The printed text must parse to the same tree, and print the same again.
fn check_round_trip(name: &str, parsed: &Parse) {
    let printed = print(&parsed.ast);
    let again = parse_valid(&format!("{name} printed"), &printed);
    let (before, after) = (parsed.ast.debug_tree(), again.ast.debug_tree());
    if before != after {
        let at = before.lines().zip(after.lines()).position(|(a, b)| a != b).unwrap_or(0);
        let context = |tree: &str| {
            tree.lines().skip(at.saturating_sub(3)).take(8).collect::<Vec<_>>().join("\n")
        };
        panic!(
            "{name} changes when printed\n--- before\n{}\n--- after\n{}\n--- text\n{printed}",
            context(&before),
            context(&after),
        );
    }
    assert_eq!(printed, print(&again.ast), "{name}: printing again changes the text");
}
