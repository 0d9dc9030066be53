//! Tests of the translator on algorithms of our own.

mod mistakes;
mod modules;
mod options;
mod statements;

use expect_test::Expect;

use super::{Options, translate};
use crate::{FileId, SourceFile};

/// Wraps an algorithm into a module.
fn module(algorithm: &str) -> String {
    format!("---- MODULE M ----\nEXTENDS Naturals\n(*\n{algorithm}\n*)\n====\n")
}

/// What lies between the marks of the translated module.
fn generated(algorithm: &str, options: &[&str]) -> String {
    let (options, _) = Options::from_args(options.iter().copied()).expect("options");
    let translation = translate(&module(algorithm), FileId(0), &options);
    assert_eq!(translation.diagnostics.iter().filter(|one| one.is_error()).count(), 0);
    let text = translation.text.expect("a translation");
    let lines = text.lines().skip_while(|line| !line.contains("BEGIN TRANSLATION")).skip(1);
    let inside: Vec<&str> = lines.take_while(|line| !line.contains("END TRANSLATION")).collect();
    inside.join("\n")
}

fn check(algorithm: &str, options: &[&str], expected: Expect) {
    expected.assert_eq(&generated(algorithm, options));
}

/// Errors as `line:column: code: headline`, the line counted in the algorithm.
fn errors(algorithm: &str) -> String {
    let text = module(algorithm);
    let file = SourceFile::new("M.tla", text.clone());
    let translation = translate(&text, FileId(0), &Options::default());
    let mut out = String::new();
    for one in translation.diagnostics.iter().filter(|one| one.is_error()) {
        let place = |start| {
            let (line, col) = file.line_col(start);
            format!("{}:{col}", line - 3)
        };
        let start = one.primary.as_ref().map_or(0, |label| label.span.start);
        out.push_str(&format!("{}: {}: {}", place(start), one.code, one.headline));
        for call in &one.secondary {
            out.push_str(&format!(", called at {}", place(call.span.start)));
        }
        out.push('\n');
    }
    out
}

fn check_errors(algorithm: &str, expected: Expect) {
    expected.assert_eq(&errors(algorithm));
}
