//! Diagnostics as text for people: source excerpts with the places marked.
//!
//! The only file that knows annotate-snippets. It shows the renderer no more of a file than the
//! lines around a place, so a problem in a file of 100 MB, or in one line of that length, costs no
//! more than any other.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::renderer::DEFAULT_TERM_WIDTH;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::{FileId, SourceFile, SourceMap, Span};

/// Places of one file further apart than this many lines are shown in separate excerpts.
const FAR_LINES: u32 = 300;

/// Lines longer than this are cut around the place.
const LONG_LINE: usize = 1_000;

/// Renders diagnostics one after another, each followed by an empty line.
pub fn render(sources: &SourceMap, diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.term_width(DEFAULT_TERM_WIDTH);
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&renderer.render(&[group(sources, diagnostic)]));
        out.push_str("\n\n");
    }
    out
}

fn group<'a>(sources: &'a SourceMap, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group =
        Group::with_title(level.primary_title(diagnostic.headline.as_str()).id(diagnostic.code));
    for excerpt in excerpts(sources, diagnostic) {
        if let Some(origin) = excerpt.origin {
            group = group.element(origin);
        }
        group = group.element(excerpt.snippet);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}

struct Excerpt<'a> {
    /// Where the renderer cannot find it out.
    origin: Option<Origin<'a>>,
    snippet: Snippet<'a, Annotation<'a>>,
}

/// The places of a diagnostic, near ones of one file together, the primary one first.
fn excerpts<'a>(sources: &'a SourceMap, diagnostic: &'a Diagnostic) -> Vec<Excerpt<'a>> {
    let mut clusters: Vec<Vec<(&Label, AnnotationKind)>> = Vec::new();
    let primary = diagnostic.primary.iter().map(|label| (label, AnnotationKind::Primary));
    let secondary = diagnostic.secondary.iter().map(|label| (label, AnnotationKind::Context));
    for (label, kind) in primary.chain(secondary) {
        let near = clusters.iter_mut().find(|cluster| {
            let first = cluster[0].0.span;
            first.file == label.span.file && is_near(sources.file(first.file), first, label.span)
        });
        match near {
            Some(cluster) => cluster.push((label, kind)),
            None => clusters.push(vec![(label, kind)]),
        }
    }
    clusters
        .into_iter()
        .map(|cluster| {
            let file: FileId = cluster[0].0.span.file;
            excerpt(sources.file(file), &cluster)
        })
        .collect()
}

fn is_near(source: &SourceFile, a: Span, b: Span) -> bool {
    let (a_line, _) = source.line_col(a.start);
    let (b_line, _) = source.line_col(b.start);
    let window = |span: Span| line_range(source, span.start).len() <= LONG_LINE;
    a_line.abs_diff(b_line) <= FAR_LINES && window(a) && window(b)
}

/// The bytes of the line that holds an offset, its end excluded.
fn line_range(source: &SourceFile, offset: u32) -> Range<usize> {
    let text = source.text.as_str();
    let offset = (offset as usize).min(text.len());
    let (line, _) = source.line_col(offset as u32);
    let start = source.line_start(line).unwrap_or(0) as usize;
    let end = source.line_start(line + 1).map_or(text.len(), |next| next as usize);
    start..end.max(start)
}

fn excerpt<'a>(source: &'a SourceFile, labels: &[(&'a Label, AnnotationKind)]) -> Excerpt<'a> {
    let (line, col) = source.line_col(labels[0].0.span.start);
    let origin = Origin::path(source.name.as_str()).line(line as usize).char_column(col as usize);
    let mut shown = line_range(source, labels[0].0.span.start);
    if shown.len() > LONG_LINE {
        let at = labels[0].0.span.start as usize;
        shown = char_boundary(&source.text, at.saturating_sub(LONG_LINE / 4))
            ..char_boundary(&source.text, (at + LONG_LINE / 2).min(shown.end));
        shown.start = shown.start.max(line_range(source, at as u32).start);
    } else {
        for (label, _) in labels {
            let first = line_range(source, label.span.start);
            shown = shown.start.min(first.start)..shown.end.max(first.end);
            let last = line_range(source, label.span.end.max(label.span.start + 1) - 1);
            let (start_line, _) = source.line_col(label.span.start);
            let (end_line, _) = source.line_col(last.start as u32);
            if end_line - start_line <= FAR_LINES && last.len() <= LONG_LINE {
                shown.end = shown.end.max(last.end);
            }
        }
    }
    let first_line = source.line_col(shown.start as u32).0;
    let is_cut = shown.start != line_range(source, shown.start as u32).start;
    let (text, offsets) = expand_tabs(&source.text[shown.clone()]);
    let place = |offset: u32| {
        let inside = (offset as usize).clamp(shown.start, shown.end) - shown.start;
        let shift: usize = offsets.iter().take_while(|tab| tab.0 < inside).map(|tab| tab.1).sum();
        char_boundary(&text, inside + shift)
    };
    let annotations: Vec<_> = labels
        .iter()
        .map(|(label, kind)| {
            let start = place(label.span.start);
            let annotation = kind.span(start..place(label.span.end).max(start));
            let label = Some(label.text.as_str()).filter(|text| !text.is_empty());
            annotation.label(label)
        })
        .collect();
    let snippet = Snippet::source(text).line_start(first_line as usize).annotations(annotations);
    if is_cut {
        // The renderer would count the column from the cut.
        return Excerpt { origin: Some(origin), snippet };
    }
    Excerpt { origin: None, snippet: snippet.path(source.name.as_str()) }
}

/// The text with tabs as the spaces they stand for, and for each tab its offset in `text` and by
/// how much it grew.
fn expand_tabs(text: &str) -> (Cow<'_, str>, Vec<(usize, usize)>) {
    if !text.contains('\t') {
        return (Cow::Borrowed(text), Vec::new());
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut tabs = Vec::new();
    let mut col = 0;
    for (offset, ch) in text.char_indices() {
        if ch == '\t' {
            let width = 8 - col % 8;
            out.extend(std::iter::repeat_n(' ', width));
            tabs.push((offset, width - 1));
            col += width;
        } else {
            out.push(ch);
            col = if matches!(ch, '\n' | '\r') { 0 } else { col + 1 };
        }
    }
    (Cow::Owned(out), tabs)
}

/// The last character boundary at or before an offset.
fn char_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
