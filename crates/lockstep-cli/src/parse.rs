//! `lockstep parse`: syntax and analysis without a model.
//!
//! The JSON object is `lockstep.parse/1`, one line, the last on standard output. The exit status is
//! 0, or 150 when anything is an error; warnings do not count.

use std::path::Path;

use lockstep_report as report;
use lockstep_semantic::{RootText, analyse};
use lockstep_syntax::{SourceFile, SourceMap};
use serde_json::json;

use crate::arguments::ParseArguments;
use crate::diagnostics::{convert, plain};
use crate::files::{Folders, read};
use crate::output::{Output, is_terminal, note};

/// The exit status of a specification that cannot be used.
pub(crate) const PARSE_ERROR: u8 = 150;

pub(crate) fn run(arguments: &ParseArguments, out: &mut Output) -> u8 {
    let module = module_name(&arguments.file);
    let json = arguments.format == "json";
    let diagnostics = match read(&arguments.file) {
        Ok(text) => look(arguments, &module, text, !json && is_terminal()),
        Err(error) => vec![plain(error.code(), error.about(&arguments.file))],
    };
    let failed = diagnostics.iter().any(|it| it.error);
    if json {
        let list: Vec<_> = diagnostics.iter().map(report::json::diagnostic).collect();
        let object = json!({"schema": "lockstep.parse/1", "module": module, "diagnostics": list});
        out.line(&object.to_string());
    } else {
        for it in &diagnostics {
            print(it);
        }
        let n = diagnostics.iter().filter(|it| it.error).count();
        match n {
            0 => out.line(&format!("{module}: no errors")),
            1 => out.line(&format!("{module}: 1 error")),
            _ => out.line(&format!("{module}: {n} errors")),
        }
    }
    if failed { PARSE_ERROR } else { 0 }
}

/// The module that a file of this name must hold.
pub(crate) fn module_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or(file.as_os_str());
    stem.to_string_lossy().into_owned()
}

/// A diagnostic for people, on standard error.
pub(crate) fn print(it: &report::Diagnostic) {
    if it.rendered.is_empty() {
        let kind = if it.error { "error" } else { "warning" };
        note(&format!("{kind}[{}]: {}", it.code, it.message));
    } else {
        note(&format!("{}\n", it.rendered.trim_end()));
    }
}

fn look(
    arguments: &ParseArguments,
    module: &str,
    text: String,
    color: bool,
) -> Vec<report::Diagnostic> {
    let path = arguments.file.display().to_string();
    if arguments.syntax_only {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new(path, text));
        let parsed = lockstep_syntax::parse(file, sources.file(file));
        return parsed.diagnostics.iter().map(|it| convert(&sources, it, color)).collect();
    }
    let folders = Folders::new(&arguments.file, &arguments.path);
    let analysis = analyse(&folders, RootText { name: module.to_owned(), path, text });
    let sources = &analysis.spec.sources;
    analysis.diagnostics.iter().map(|it| convert(sources, it, color)).collect()
}
