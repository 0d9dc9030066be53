//! Breaking the text of a value into lines of at most 80 columns.
//!
//! Works on the text alone: brackets are found again, strings are kept whole. What fits stays on
//! one line; what does not is opened with a blank behind its bracket, one element a line, and a
//! result too wide for its line goes below its key, four columns in.

/// The widest line.
const WIDTH: usize = 80;

/// Breaks the text of one value.
pub fn wrap(text: &str) -> String {
    // TLC does not break what holds an escaped quote, and tools compare.
    if text.contains("\\\"") {
        return text.to_owned();
    }
    wrap_at(text, 0)
}

/// Breaks the text of one value that starts in column `column`.
fn wrap_at(text: &str, column: usize) -> String {
    let mut out = String::new();
    write_wrapped(text, column, 0, &mut out);
    out
}

/// The bracket that a text opens with and the one that must close it.
fn brackets(text: &str) -> Option<(&'static str, &'static str)> {
    [("<<", ">>"), ("{", "}"), ("[", "]"), ("(", ")")]
        .into_iter()
        .find(|(open, close)| text.starts_with(open) && text.ends_with(close))
}

/// Writes `text`; `reserve` columns are needed behind it on its last line.
fn write_wrapped(text: &str, column: usize, reserve: usize, out: &mut String) {
    let fits = column + text.chars().count() + reserve <= WIDTH;
    let Some((open, close)) = brackets(text) else {
        out.push_str(text);
        return;
    };
    let inner = &text[open.len()..text.len() - close.len()];
    let separator = if open == "(" { " @@ " } else { ", " };
    let parts = split(inner, separator);
    if fits || inner.is_empty() || (parts.len() == 1 && open == "(" && !inner.contains(":>")) {
        out.push_str(text);
        return;
    }
    let inside = column + open.len() + 1;
    out.push_str(open);
    out.push(' ');
    let last = parts.len() - 1;
    for (idx, part) in parts.iter().enumerate() {
        if idx > 0 {
            new_line(inside, out);
        }
        let behind = if idx < last { separator.trim_end().len() } else { close.len() + 1 };
        let arrow = if open == "[" { " |-> " } else { " :> " };
        let keyed = if open == "[" || open == "(" { split_once(part, arrow) } else { None };
        match keyed {
            Some((key, result)) if inside + part.chars().count() + behind > WIDTH => {
                out.push_str(key);
                out.push_str(arrow.trim_end());
                new_line(inside + 4, out);
                write_wrapped(result, inside + 4, behind, out);
            }
            Some(_) => out.push_str(part),
            None => write_wrapped(part, inside, behind, out),
        }
        if idx < last {
            out.push_str(separator.trim_end());
        }
    }
    out.push(' ');
    out.push_str(close);
}

fn new_line(column: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', column));
}

/// Splits at a separator that stands outside brackets and strings.
fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut rest = 0;
    while let Some(at) = find(&text[rest..], separator).map(|at| at + rest) {
        parts.push(&text[start..at]);
        start = at + separator.len();
        rest = start;
    }
    parts.push(&text[start..]);
    parts
}

fn split_once<'a>(text: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let at = find(text, separator)?;
    Some((&text[..at], &text[at + separator.len()..]))
}

/// The first place of `needle` outside brackets and strings.
fn find(text: &str, needle: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut idx = 0;
    while idx < bytes.len() {
        if depth == 0 && text.is_char_boundary(idx) && text[idx..].starts_with(needle) {
            return Some(idx);
        }
        match bytes[idx] {
            b'"' => {
                idx += 1;
                while idx < bytes.len() && bytes[idx] != b'"' {
                    idx += if bytes[idx] == b'\\' { 2 } else { 1 };
                }
            }
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            b'<' if bytes.get(idx + 1) == Some(&b'<') => {
                depth += 1;
                idx += 1;
            }
            b'>' if bytes.get(idx + 1) == Some(&b'>') => {
                depth = depth.saturating_sub(1);
                idx += 1;
            }
            _ => {}
        }
        idx += 1;
    }
    None
}
