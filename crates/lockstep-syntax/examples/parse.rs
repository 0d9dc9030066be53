//! Parses one file and prints its diagnostics as JSON: `parse --syntax-only --format json FILE`.
//!
//! A small stand-in for `lockstep parse` that needs this crate alone. Exit status 0 or 150.
#![expect(clippy::print_stdout, reason = "an example is a program")]
#![expect(clippy::print_stderr, reason = "an example is a program")]

use std::process::ExitCode;

use lockstep_syntax::{SourceFile, SourceMap, parse, render};
use serde_json::json;

fn main() -> ExitCode {
    let Some(path) = std::env::args().skip(1).find(|arg| arg.ends_with(".tla")) else {
        eprintln!("usage: parse --syntax-only --format json FILE.tla");
        return ExitCode::from(255);
    };
    let text = match std::fs::read(&path).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(error)) => {
            eprintln!("{path}: not UTF-8: {error}");
            return ExitCode::from(150);
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(150);
        }
    };
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(path, text));
    let parsed = parse(file, sources.file(file));
    eprint!("{}", render::render(&sources, &parsed.diagnostics, false));
    let diagnostics: Vec<_> = parsed
        .diagnostics
        .iter()
        .map(|it| {
            let span = it.primary.as_ref().map(|label| {
                let at = sources.location(label.span);
                json!({"line": at.line, "col": at.col, "end_line": at.end_line, "end_col": at.end_col})
            });
            json!({"code": it.code, "severity": "error", "message": it.headline, "span": span})
        })
        .collect();
    let module = parsed.ast.modules.first().map(|module| module.name.name.to_string());
    println!(
        "{}",
        json!({"schema": "lockstep.parse/1", "module": module, "diagnostics": diagnostics})
    );
    ExitCode::from(if diagnostics.is_empty() { 0 } else { 150 })
}
