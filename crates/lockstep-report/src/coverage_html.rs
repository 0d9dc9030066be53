//! The sources of a run as one self-contained page, each expression with how often it was evaluated.
//!
//! A line's number of evaluations is that of the expression begun on it that was evaluated most;
//! what was never evaluated stands out. The page loads nothing and needs no script.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::junit::escaped;
use crate::model::{CoverageKind, Outcome};
use crate::text::{headline, short};

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2em;max-width:75em}\
h1{font-size:1.3em}h2{font-size:1.1em;margin-top:2em}\
table{border-collapse:collapse}td,th{padding:.1em .8em .1em 0;text-align:left;vertical-align:top}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\
pre{font:13px/1.5 ui-monospace,monospace;margin:0;white-space:pre-wrap}\
.src td{padding:0 .8em 0 0}.src td.n{color:#777;font:13px/1.5 ui-monospace,monospace}\
.never{background:#ffd6d6}.hot{background:#fff0c2}.row-never td.n{color:#b00;font-weight:bold}\
@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}.never{background:#5a1f1f}\
.hot{background:#4d4010}}";

/// The page of a run; says so where nothing was counted.
pub fn render(it: &Outcome) -> String {
    let title = escaped(&format!("{}: coverage", it.spec));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n<p>{}. {} states generated, {} \
         distinct.</p>\n",
        escaped(&headline(it)),
        it.counts.generated,
        it.counts.distinct
    );
    let Some(coverage) = &it.coverage else {
        return out + "<p>Nothing was counted: run with --coverage.</p></body></html>\n";
    };
    out += "<h2>Actions and constraints</h2>\n<table><tr><th>Name</th><th>Place</th>\
            <th class=\"n\">new states</th><th class=\"n\">generated</th></tr>\n";
    for entry in &coverage.entries {
        let (first, second) = match entry.kind {
            CoverageKind::Variable | CoverageKind::Property => continue,
            CoverageKind::Init | CoverageKind::Action | CoverageKind::Constraint => {
                (entry.distinct, entry.generated)
            }
        };
        let class = if second == 0 { " class=\"never\"" } else { "" };
        let place = entry.part.as_ref().unwrap_or(&entry.location);
        let _ = writeln!(
            out,
            "<tr{class}><td>{}</td><td>{}</td><td class=\"n\">{first}</td><td class=\"n\">{second}\
             </td></tr>",
            escaped(&entry.name),
            escaped(&short(place))
        );
    }
    out += "</table>\n<h2>Variables</h2>\n<table><tr><th>Name</th><th class=\"n\">values in new \
            states</th></tr>\n";
    for entry in coverage.entries.iter().filter(|it| it.kind == CoverageKind::Variable) {
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"n\">{}</td></tr>",
            escaped(&entry.name),
            entry.distinct
        );
    }
    out += "</table>\n";
    let most = coverage.counted.iter().map(|it| it.count).max().unwrap_or(0);
    for (module, text) in &coverage.sources {
        let _ = writeln!(out, "<h2>{}</h2>\n<table class=\"src\">", escaped(module));
        for (idx, line) in text.lines().enumerate() {
            let number = idx as u32 + 1;
            // The innermost expression over each column.
            let mut over: Vec<Option<u64>> = vec![None; line.chars().count()];
            let mut begun: Option<u64> = None;
            let mut here: Vec<_> = coverage
                .counted
                .iter()
                .filter(|it| it.location.module == *module)
                .filter(|it| it.location.line <= number && number <= it.location.end_line)
                .collect();
            here.sort_by_key(|it| {
                let at = &it.location;
                std::cmp::Reverse((at.end_line - at.line, at.end_col.abs_diff(at.col)))
            });
            for it in here {
                let at = &it.location;
                let first = if at.line == number { at.col as usize - 1 } else { 0 };
                let last = if at.end_line == number { at.end_col as usize } else { over.len() };
                let n = over.len();
                over[first.min(n)..last.min(n)].fill(Some(it.count));
                if at.line == number {
                    begun = Some(begun.map_or(it.count, |known| known.max(it.count)));
                }
            }
            let row = if begun == Some(0) { " class=\"row-never\"" } else { "" };
            let count = begun.map_or_else(String::new, |it| it.to_string());
            let _ = writeln!(
                out,
                "<tr{row}><td class=\"n\">{number}</td><td class=\"n\">{count}</td><td><pre>{}\
                 </pre></td></tr>",
                marked(line, &over, most)
            );
        }
        out += "</table>\n";
    }
    out + "</body></html>\n"
}

/// A line with its expressions marked.
fn marked(line: &str, over: &[Option<u64>], most: u64) -> String {
    let mut out = String::new();
    let mut runs: BTreeMap<usize, (Option<u64>, String)> = BTreeMap::new();
    let mut last = None;
    for (idx, (letter, count)) in line.chars().zip(over).enumerate() {
        if last.is_none_or(|(_, known)| known != *count) {
            last = Some((idx, *count));
        }
        if let Some((at, count)) = last {
            runs.entry(at).or_insert_with(|| (count, String::new())).1.push(letter);
        }
    }
    for (count, text) in runs.into_values() {
        let text = escaped(&text);
        match count {
            None => out += &text,
            Some(0) => {
                let _ =
                    write!(out, "<span class=\"never\" title=\"never evaluated\">{text}</span>");
            }
            Some(n) => {
                let class = if n > most / 2 && most > 16 { " class=\"hot\"" } else { "" };
                let _ = write!(out, "<span{class} title=\"{n}\">{text}</span>");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::model::{Coverage, CoverageNode, Location, Outcome};

    #[test]
    fn what_is_never_evaluated_stands_out() {
        let mut run = Outcome::new("M", "M.tla");
        let at = |line, col, end_col| Location {
            file: String::new(),
            module: "M".to_owned(),
            line,
            col,
            end_line: line,
            end_col,
        };
        let node = |location, count| CoverageNode { location, depth: 0, count, cost: None };
        run.coverage = Some(Coverage {
            counted: vec![node(at(1, 6, 14), 7), node(at(1, 6, 6), 9), node(at(2, 6, 6), 0)],
            sources: vec![("M".to_owned(), "A == x < y + z\nB == q".to_owned())],
            ..Coverage::default()
        });
        let page = render(&run);
        assert!(
            page.contains("A == <span title=\"9\">x</span><span title=\"7\"> &lt; y + z</span>")
        );
        assert!(
            page.contains("<span class=\"never\" title=\"never evaluated\">q</span>"),
            "{page}"
        );
        assert!(
            page.contains("<tr class=\"row-never\"><td class=\"n\">2</td><td class=\"n\">0</td>")
        );
        assert!(!page.contains("<script") && !page.contains("http"));
    }
}
