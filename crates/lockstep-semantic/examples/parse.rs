//! Analyses one file and prints its diagnostics, as a stand-alone check of this crate.
//!
//! `parse [parse] [--format json|text] [--lib DIR]… FILE`: modules are looked for beside the file,
//! then in the given folders, then in the built-in modules of the workspace.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line example")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lockstep_semantic::{Analysis, ModuleSource, ModuleText, RootText, analyse};
use lockstep_syntax::Severity;

struct Folders(Vec<PathBuf>);

impl ModuleSource for Folders {
    fn load(&self, name: &str) -> Result<Option<ModuleText>, String> {
        for folder in &self.0 {
            let path = folder.join(format!("{name}.tla"));
            if path.exists() {
                let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
                return Ok(Some(ModuleText { path: path.display().to_string(), text }));
            }
        }
        Ok(None)
    }
}

fn quoted(text: &str) -> String {
    let mut result = String::from("\"");
    for ch in text.chars() {
        match ch {
            '"' => result.push_str("\\\""),
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            ch if (ch as u32) < 32 => result.push_str(&format!("\\u{:04x}", ch as u32)),
            ch => result.push(ch),
        }
    }
    result.push('"');
    result
}

fn json(analysis: &Analysis, name: &str) -> String {
    let items: Vec<String> = analysis
        .diagnostics
        .iter()
        .map(|it| {
            let severity = match it.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let mut item = format!(
                "{{\"code\":\"{}\",\"severity\":\"{severity}\",\"message\":{}",
                it.code,
                quoted(&it.headline)
            );
            if let Some(label) = &it.primary {
                let file = analysis.spec.sources.file(label.span.file);
                let at = analysis.spec.sources.location(label.span);
                item.push_str(&format!(
                    ",\"file\":{},\"span\":{{\"line\":{},\"col\":{},\"end_line\":{},\"end_col\":{}}}",
                    quoted(&file.name),
                    at.line,
                    at.col,
                    at.end_line,
                    at.end_col
                ));
            }
            item.push('}');
            item
        })
        .collect();
    format!(
        "{{\"schema\":\"lockstep.parse/1\",\"module\":{},\"diagnostics\":[{}]}}",
        quoted(name),
        items.join(",")
    )
}

fn main() -> ExitCode {
    let mut file = None;
    let mut folders = Vec::new();
    let mut as_json = false;
    let mut args = std::env::args().skip(1).peekable();
    if args.peek().is_some_and(|it| it == "parse") {
        args.next();
    }
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--format" => as_json = args.next().is_some_and(|it| it == "json"),
            "--lib" => folders.extend(args.next().map(PathBuf::from)),
            "--syntax-only" => {}
            _ => file = Some(PathBuf::from(arg)),
        }
    }
    let Some(file) = file else {
        eprintln!("usage: parse [--format json|text] [--lib DIR]... FILE");
        return ExitCode::from(1);
    };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            return ExitCode::from(150);
        }
    };
    folders.insert(0, file.parent().unwrap_or(Path::new("")).to_path_buf());
    if let Some(path) = std::env::var_os("TLA_PATH") {
        folders.extend(std::env::split_paths(&path));
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    folders.push(crates.join("lockstep-eval/src/stdlib/modules"));
    let name = file.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let root = RootText { name: name.clone(), path: file.display().to_string(), text };
    let analysis = analyse(&Folders(folders), root);
    if as_json {
        println!("{}", json(&analysis, &name));
    } else {
        for it in &analysis.diagnostics {
            let place = it.primary.as_ref().map(|label| {
                let at = analysis.spec.sources.location(label.span);
                let file = analysis.spec.sources.file(label.span.file);
                format!("{}:{}:{}: ", file.name, at.line, at.col)
            });
            println!("{}{} {}", place.unwrap_or_default(), it.code, it.headline);
        }
    }
    ExitCode::from(if analysis.has_errors() { 150 } else { 0 })
}
