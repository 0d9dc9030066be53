//! Where a translation stands in a module, and whether it still fits.
//!
//! The first line with `\* BEGIN TRANSLATION` and the next with `\* END TRANSLATION` enclose it. A
//! begin line may record the checksums of the algorithm and of the translation; a line whose
//! checksums were removed, or replaced by `\in STRING`, is left as it is and never called stale.

use std::ops::Range;

use crate::{Diagnostic, FileId};

use super::ast::Algorithm;
use super::checksum::checksum;
use super::module::{FairnessOption, apply_fairness, close_calls};
use super::parse::Problem;
use super::{Options, check, find_start, module_options, span, tree_text};

/// A module with its translation.
pub(super) struct Placed {
    pub(super) text: String,
    /// The line of the first generated line, from 1.
    pub(super) first_line: u32,
    /// From which offset of the old text on, and by how much, the text moved.
    pub(super) shift: (usize, i64),
}

/// The checksum of an algorithm.
pub(super) fn pcal_checksum(algorithm: &Algorithm) -> String {
    if algorithm.fair { checksum("fair") } else { checksum(&tree_text::tree_text(algorithm)) }
}

/// The lines of a text with the offset of each.
fn lines_at(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let mut lines = Vec::new();
    for piece in text.split_inclusive('\n') {
        lines.push((at, piece.trim_end_matches(['\n', '\r'])));
        at += piece.len();
    }
    lines
}

/// Whether a line opens or closes a translation.
fn is_mark(line: &str, word: &str) -> bool {
    line.find("\\*").is_some_and(|at| {
        let mut words = line[at + 2..].trim_start_matches('*').split_whitespace();
        words.next() == Some(word) && words.next() == Some("TRANSLATION")
    })
}

/// Indices of the lines that enclose the translation.
fn marks(lines: &[(usize, &str)]) -> Option<(usize, Option<usize>)> {
    let begin = lines.iter().position(|(_, line)| is_mark(line, "BEGIN"))?;
    let end = lines[begin + 1..].iter().position(|(_, line)| is_mark(line, "END"));
    Some((begin, end.map(|end| begin + 1 + end)))
}

/// Where a recorded checksum stands in a begin line.
fn recorded(line: &str, names: &[&str]) -> Option<Range<usize>> {
    let lower = line.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = lower[from..].find("sum") {
        let after = from + at + 3;
        from = after;
        let rest = lower[after..].trim_start();
        let Some(rest) = rest.strip_prefix('(') else { continue };
        let Some(close) = rest.find(')') else { continue };
        if !names.contains(&rest[..close].trim()) {
            continue;
        }
        let value = rest[close + 1..].trim_start();
        let Some(value) = value.strip_prefix('=') else { continue };
        let Some(value) = value.trim_start().strip_prefix('"') else { continue };
        let len = value.find('"')?;
        let start = line.len() - value.len();
        return Some(start..start + len);
    }
    None
}

const PCAL: &[&str] = &["pcal", "pluscal"];
const TLA: &[&str] = &["tla", "tla+"];

/// Puts a translation into its module.
pub(super) fn place(
    text: &str,
    algorithm: usize,
    translation: &[&str],
    pcal: &str,
    tla: &str,
    unix_eol: bool,
) -> Result<Placed, Vec<Problem>> {
    let lines = lines_at(text);
    let eol = if !unix_eol && text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out: Vec<String> = Vec::new();
    let (before, tail) = match marks(&lines) {
        Some((begin, Some(end))) => {
            let mut line = lines[begin].1.to_string();
            for (names, value) in [(TLA, tla), (PCAL, pcal)] {
                if let Some(range) = recorded(&line, names) {
                    line.replace_range(range, value);
                }
            }
            out.extend(lines[..begin].iter().map(|(_, line)| (*line).to_string()));
            out.push(line);
            (begin + 1, end)
        }
        Some((begin, None)) => {
            let (at, line) = lines[begin];
            let message = "No line containing `END TRANSLATION'";
            return Err(vec![Problem::new("pcal-no-end", at..at + line.len(), message)]);
        }
        None => {
            let end = comment_end(text, algorithm);
            let idx = lines.partition_point(|(at, _)| *at <= end);
            out.extend(lines[..idx].iter().map(|(_, line)| (*line).to_string()));
            out.push(format!(
                "\\* BEGIN TRANSLATION (chksum(pcal) = \"{pcal}\" /\\ chksum(tla) = \"{tla}\")"
            ));
            (idx, idx)
        }
    };
    let added_end = before == tail;
    let first_line = out.len() as u32 + 1;
    out.extend(translation.iter().map(|line| (*line).to_string()));
    if added_end && marks(&lines).is_none() {
        out.push("\\* END TRANSLATION ".into());
    }
    out.extend(lines[tail..].iter().map(|(_, line)| (*line).to_string()));
    let mut new = out.join(eol);
    new.push_str(eol);
    let start = lines.get(tail).map_or(text.len(), |(at, _)| *at);
    let moved = (new.len() - text.len().min(new.len())) as i64
        - (text.len() - new.len().min(text.len())) as i64;
    Ok(Placed { text: new, first_line, shift: (start, moved) })
}

/// The offset of the end of the comment around the algorithm.
fn comment_end(text: &str, algorithm: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 1;
    let mut at = algorithm;
    while at + 1 < bytes.len() {
        if &bytes[at..at + 2] == b"(*" {
            depth += 1;
            at += 2;
        } else if &bytes[at..at + 2] == b"*)" {
            depth -= 1;
            if depth == 0 {
                return at;
            }
            at += 2;
        } else {
            at += 1;
        }
    }
    algorithm
}

/// A warning if the module's translation no longer fits its algorithm, or was changed by hand.
///
/// Only what the begin line records is compared, as an editor that knows the TLA+ tools expects.
/// Of a `--fair algorithm` the recorded checksum says nothing, so a change in it goes unnoticed.
pub fn translation_is_stale(text: &str, file: FileId) -> Option<Diagnostic> {
    let start = find_start(text)?;
    let lines = lines_at(text);
    let (begin, Some(end)) = marks(&lines)? else { return None };
    let (at, line) = lines[begin];
    let mut what = Vec::new();
    if let Some(range) = recorded(line, PCAL) {
        let mut options = Options::default();
        if let Ok(Some((_, words))) = module_options(text) {
            options.add_module_options(&words).ok();
        }
        // A translation exists, so its author let missing labels be added if there are any.
        options.label = true;
        match check(text, &options) {
            Ok(mut checked) => {
                let renamed = super::rename::disambiguate(&mut checked.algorithm).is_ok();
                close_calls(&mut checked.algorithm);
                // A fairness option of the command line is part of the checksum.
                let fits = |option| {
                    let mut algorithm = checked.algorithm.clone();
                    apply_fairness(&mut algorithm, option);
                    pcal_checksum(&algorithm) == line[range.clone()]
                };
                let known = [FairnessOption::None, FairnessOption::Weak, FairnessOption::Strong];
                if !renamed || !known.into_iter().any(fits) {
                    what.push("the algorithm");
                }
            }
            Err(_) => what.push("the algorithm"),
        }
    }
    if let Some(range) = recorded(line, TLA) {
        let inside: String = lines[begin + 1..end].iter().map(|(_, line)| *line).collect();
        if checksum(&inside) != line[range] {
            what.push("the translation");
        }
    }
    let (code, headline) = match what.as_slice() {
        [] => return None,
        [one] if *one == "the algorithm" => {
            ("W4804", "the PlusCal algorithm has changed since its last translation")
        }
        [_] => ("W4805", "the TLA+ translation has changed since its last translation"),
        _ => (
            "W4803",
            "both the PlusCal algorithm and its TLA+ translation have changed since the last \
             translation",
        ),
    };
    let place = span(file, &(at..at + line.len()));
    let mut warning = Diagnostic::warning(code, place, headline)
        .help("translate again, or remove the checksums to silence this warning");
    if what.contains(&"the algorithm") {
        warning = warning.also(span(file, &(start..start + 2)), "the algorithm");
    }
    Some(warning)
}
