//! The PlusCal translator.
//!
//! Finds the algorithm in the text of a module, translates it and gives back the text with the
//! translation between `\* BEGIN TRANSLATION` and `\* END TRANSLATION`. Both syntaxes, all
//! statements. Expressions are not parsed: they are token sequences in which names are substituted.
//!
//! The data flow: `token` → `parse` (macros expanded) → `labels` (checked and added) → `rename`
//! (clashes of names) → `explode` (control flow of a step) → `generate` (a step as TLA+) →
//! `module` (everything around). `checksum` and `tree_text` tell whether a translation is stale.
//!
//! Invariant: names, order of definitions and actions are those of the translator of the TLA+
//! tools, so that state counts, traces and coverage agree; see *A PlusCal User's Manual*.
//!
//! ```
//! use lockstep_syntax::FileId;
//! use lockstep_syntax::pluscal::{Options, translate};
//!
//! let module = "---- MODULE M ----
//! (* --algorithm M { variable x = 0; { a: x := x + 1 } } *)
//! ====
//! ";
//! let translation = translate(module, FileId(0), &Options::default());
//! assert!(translation.diagnostics.is_empty());
//! assert!(translation.text.unwrap().contains("/\\ x' = x + 1"));
//! ```

use std::ops::Range;

use crate::{Diagnostic, FileId, Span};

mod ast;
mod checksum;
mod explode;
mod expr;
mod generate;
mod labels;
mod module;
mod options;
mod parse;
mod rename;
mod stale;
mod token;
mod tree_text;

#[cfg(test)]
mod tests;

pub use module::FairnessOption;
pub use options::Options;
pub use stale::translation_is_stale;

use ast::Algorithm;
use labels::Policy;
use parse::Problem;

/// A label of the algorithm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its name in the translation, which is the name of the action.
    pub name: String,
    /// Where it is written, or the statement it was added before.
    pub span: Span,
    /// The translator added it.
    pub added: bool,
}

/// Lines of the translation and the part of the algorithm they come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MappedLines {
    /// First line in the new text, from 1.
    pub first_line: u32,
    /// Last line in the new text.
    pub last_line: u32,
    /// Where it comes from.
    pub span: Span,
}

/// What a translation came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Translation {
    /// The new text of the module; nothing if there was an error or no algorithm.
    pub text: Option<String>,
    /// What a configuration needs, unless `-nocfg`. See [`merge_cfg`].
    pub cfg: Option<String>,
    /// Errors, warnings and notes, in the order they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// All labels in the order of their actions.
    pub labels: Vec<Label>,
    /// Generated lines and their sources, by rising lines.
    pub mapping: Vec<MappedLines>,
    /// The options that held, those of the module included.
    pub options: Options,
}

impl Translation {
    /// The part of the algorithm behind a line of the new text.
    pub fn source_of(&self, line: u32) -> Option<Span> {
        let idx = self.mapping.partition_point(|mapped| mapped.last_line < line);
        self.mapping.get(idx).filter(|mapped| mapped.first_line <= line).map(|mapped| mapped.span)
    }
}

/// Where the algorithm of a module starts: the span of `--algorithm` or `--fair`.
pub fn find_algorithm(text: &str, file: FileId) -> Option<Span> {
    let start = find_start(text)?;
    let len = text[start..].find(char::is_whitespace).unwrap_or(text.len() - start);
    Some(span(file, &(start..start + len)))
}

fn find_start(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find("--")?;
        let rest = &text[at + 2..];
        let begins = |word: &str| {
            let after = rest.strip_prefix(word)?;
            let ends = |ch: char| !(ch.is_alphanumeric() || ch == '_');
            after.starts_with(ends).then_some(())
        };
        let dash = text[..at].ends_with('-');
        if !dash && (begins("algorithm").is_some() || begins("fair").is_some()) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Translates the algorithm of a module; the spans of diagnostics are in `file`.
pub fn translate(text: &str, file: FileId, options: &Options) -> Translation {
    let mut translation = Translation { options: options.clone(), ..Translation::default() };
    match run(text, file, &mut translation) {
        Ok(()) => {}
        Err(problems) => {
            let diagnostics = problems.into_iter().map(|problem| diagnostic(file, problem));
            translation.diagnostics.extend(diagnostics);
        }
    }
    translation
}

/// The algorithm parsed, with labels placed; `labels` tells which were added.
struct Checked {
    algorithm: Algorithm,
    added: Vec<labels::Added>,
    start: usize,
}

fn check(text: &str, options: &Options) -> Result<Checked, Vec<Problem>> {
    let Some(start) = find_start(text) else {
        let message = "No algorithm: neither `--algorithm' nor `--fair algorithm' found";
        return Err(vec![Problem::new("pcal-no-algorithm", 0..0, message)]);
    };
    let (tokens, lex_error) = token::tokenize(text, start);
    let mut algorithm =
        parse::parse(&tokens, lex_error.as_ref()).map_err(|problem| vec![problem])?;
    let policy = Policy { add: options.label, root: &options.label_root };
    let added = labels::place_labels(&mut algorithm, &policy)?;
    Ok(Checked { algorithm, added, start })
}

fn run(text: &str, file: FileId, translation: &mut Translation) -> Result<(), Vec<Problem>> {
    if let Some((range, words)) = module_options(text)? {
        let applied = translation.options.add_module_options(&words);
        applied.map_err(|message| vec![Problem::new("pcal-options", range, message)])?;
    }
    let options = translation.options.clone();
    let Checked { mut algorithm, added, start } = check(text, &options)?;
    let renamed = rename::disambiguate(&mut algorithm)?;
    module::close_calls(&mut algorithm);
    module::apply_fairness(&mut algorithm, options.effective_fairness());
    let pcal = stale::pcal_checksum(&algorithm);
    if !renamed.is_empty() {
        let place = span(file, &renamed[0].range);
        let mut warning = Diagnostic::warning("pcal-renamed", place, "symbols were renamed");
        for one in &renamed {
            warning = warning.note(format!("{} changed to {}", one.what, one.to));
        }
        translation.diagnostics.push(warning);
    }
    let style = module::Style {
        line_width: options.line_width,
        fairness: options.effective_fairness(),
        done_disjunct: !options.no_done_disjunct,
    };
    let output =
        module::translate(&algorithm, &renamed, text, &style).map_err(|problem| vec![problem])?;
    let lines: Vec<&str> = output.lines.iter().map(|line| line.text.as_str()).collect();
    let tla = checksum::checksum(&lines.concat());
    let placed = stale::place(text, start, &lines, &pcal, &tla, options.unix_eol)?;
    translation.labels = output
        .labels
        .iter()
        .map(|(name, range)| Label {
            name: name.clone(),
            span: span(file, range),
            added: added.iter().any(|label| label.range == *range),
        })
        .collect();
    translation.mapping = mapping(&output.lines, placed.first_line, file, placed.shift);
    translation.text = Some(placed.text);
    if !options.no_cfg {
        let mut cfg = String::from("SPECIFICATION Spec\n");
        if options.termination {
            cfg.push_str("PROPERTY Termination\n");
        }
        if output.uses_default {
            cfg.push_str("CONSTANT defaultInitValue = defaultInitValue\n");
        }
        translation.cfg = Some(cfg);
    }
    Ok(())
}

/// Joins lines that come from the same text; `shift` moves what stands behind the translation.
fn mapping(
    lines: &[generate::Line],
    first_line: u32,
    file: FileId,
    shift: (usize, i64),
) -> Vec<MappedLines> {
    let mut mapped: Vec<MappedLines> = Vec::new();
    for (idx, line) in lines.iter().enumerate() {
        let Some(range) = &line.range else { continue };
        let number = first_line + idx as u32;
        let move_by = |at: usize| {
            if at < shift.0 { at } else { (at as i64 + shift.1).max(0) as usize }
        };
        let span = span(file, &(move_by(range.start)..move_by(range.end)));
        match mapped.last_mut() {
            Some(last) if last.span == span && last.last_line + 1 == number => {
                last.last_line = number;
            }
            _ => mapped.push(MappedLines { first_line: number, last_line: number, span }),
        }
    }
    mapped
}

/// A configuration that has what the translation needs: the new statements, a comment, and what
/// stood behind that comment in the old configuration, or all of it if it has none.
///
/// A statement the old text already has is not written again.
pub fn merge_cfg(new: &str, old: Option<&str>) -> String {
    const MARK: &str = "\\* Add statements after this line.";
    let old = old.unwrap_or("");
    let kept = match old.find(MARK) {
        Some(at) => old[at + MARK.len()..].trim_start_matches(['\r', '\n']),
        None => old,
    };
    let has_specification =
        kept.lines().any(|line| line.split_whitespace().next() == Some("SPECIFICATION"));
    let mut text = String::new();
    for line in new.lines() {
        if !(has_specification && line.starts_with("SPECIFICATION")) {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.push_str(MARK);
    text.push('\n');
    text.push_str(kept);
    if !kept.is_empty() && !kept.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The words of `PlusCal options (…)` and where they stand.
#[expect(clippy::type_complexity, reason = "a place and its words, used once")]
fn module_options(text: &str) -> Result<Option<(Range<usize>, Vec<&str>)>, Vec<Problem>> {
    let mut from = 0;
    while let Some(at) = text[from..].find("PlusCal") {
        let start = from + at;
        from = start + "PlusCal".len();
        let rest = text[from..].trim_start();
        let Some(after) = rest.strip_prefix("options") else { continue };
        let after = after.trim_start();
        let base = text.len() - after.len();
        let range = start..base;
        let Some(inside) = after.strip_prefix('(') else {
            // `(* PlusCal options -wf *)`; ordinary prose is no options statement.
            if !after.starts_with('-') {
                continue;
            }
            let end = after.find("*)").or_else(|| after.find('\n')).unwrap_or(after.len());
            return Ok(Some((start..base + end, split_words(&after[..end]))));
        };
        let Some(end) = inside.find(')') else {
            let message = "`PlusCal options (' has no `)'";
            return Err(vec![Problem::new("pcal-options", range, message)]);
        };
        return Ok(Some((start..base + 1 + end, split_words(&inside[..end]))));
    }
    Ok(None)
}

fn split_words(text: &str) -> Vec<&str> {
    text.split(|ch: char| ch.is_whitespace() || ch == ',').filter(|word| !word.is_empty()).collect()
}

fn span(file: FileId, range: &Range<usize>) -> Span {
    Span::new(file, range.start as u32, range.end as u32)
}

fn diagnostic(file: FileId, problem: Problem) -> Diagnostic {
    let mut diagnostic =
        Diagnostic::error(problem.code, span(file, &problem.range), problem.message);
    for call in &problem.called_at {
        diagnostic = diagnostic.also(span(file, call), "in the macro called here");
    }
    if let Some(help) = problem.help {
        diagnostic = diagnostic.help(help);
    }
    diagnostic
}
