//! From the front end's diagnostics (spans in sources) to those of a report (lines and columns).

use lockstep_report as report;
use lockstep_syntax::{Diagnostic, SourceFile, SourceMap, Span, render};

/// Places and renders a diagnostic.
pub(crate) fn convert(sources: &SourceMap, it: &Diagnostic, color: bool) -> report::Diagnostic {
    let span = it.primary.as_ref().map(|it| it.span);
    report::Diagnostic {
        code: it.code.to_owned(),
        error: it.is_error(),
        message: it.headline.clone(),
        location: span.map(|span| location(sources, span)),
        notes: it.notes.clone(),
        help: it.help.clone(),
        found: span.map_or_else(String::new, |span| first_word(sources, span)),
        rendered: render::render(sources, std::slice::from_ref(it), color),
    }
}

/// A problem without a place, found by the command line itself.
pub(crate) fn plain(code: &str, message: String) -> report::Diagnostic {
    report::Diagnostic {
        code: code.to_owned(),
        error: true,
        message,
        location: None,
        notes: Vec::new(),
        help: None,
        found: String::new(),
        rendered: String::new(),
    }
}

/// Lines and columns of a span, with the module's name as TLC gives it.
pub(crate) fn location(sources: &SourceMap, span: Span) -> report::Location {
    let file = sources.file(span.file);
    let it = sources.location(span);
    report::Location {
        line: it.line,
        col: it.col,
        end_line: it.end_line,
        end_col: it.end_col,
        module: module_of(file),
        file: if file.name.starts_with('<') { String::new() } else { file.name.clone() },
    }
}

/// `dir/DieHard.tla` holds module DieHard; a built-in file is called `<built-in Naturals>`.
fn module_of(file: &SourceFile) -> String {
    let name = file.name.trim_start_matches("<built-in ").trim_end_matches('>');
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.strip_suffix(".tla").unwrap_or(name).to_owned()
}

/// The text at a place as an error message quotes it: up to white space, at most 40 characters.
fn first_word(sources: &SourceMap, span: Span) -> String {
    let text = &sources.file(span.file).text;
    let rest = text.get(span.start as usize..).unwrap_or("");
    rest.chars().take_while(|it| !it.is_whitespace()).take(40).collect()
}
