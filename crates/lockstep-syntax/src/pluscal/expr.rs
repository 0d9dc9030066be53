//! Expressions as lines of tokens.
//!
//! PlusCal does not parse expressions; it substitutes names in them and prints them again. Junction
//! lists give columns a meaning, so an expression keeps its lines and the columns of its tokens.
//! When a substitution makes a token longer, what follows on the line moves, and so does each later
//! line that is *anchored* to a token that moved: a line's anchor is the last token that starts at
//! or left of it on the nearest earlier line that has such a token.
//!
//! Invariant: after `normalize` the least column of a token is 0.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::token::{Kind, Token};

/// A token inside an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) kind: Kind,
    /// Column relative to the expression.
    pub(super) col: i64,
    /// Identity within the expression, for anchors.
    id: u32,
}

/// One line of an expression.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Line {
    pub(super) pieces: Vec<Piece>,
    anchor: Option<u32>,
}

/// A sequence of tokens with its layout.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Expr {
    pub(super) lines: Vec<Line>,
    /// Bytes in the module.
    pub(super) range: Range<usize>,
    n_ids: u32,
}

/// Symbols that keep an expression from standing bare after `=` although they bind tighter.
const TIGHT_NAMES: &[&str] =
    &["\\o", "\\X", "\\oplus", "\\ominus", "\\odot", "\\otimes", "\\oslash"];

impl Expr {
    /// The expression made of `tokens`.
    pub(super) fn new(tokens: &[Token]) -> Self {
        let mut expr = Expr::default();
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return expr };
        expr.range = first.range.start..last.range.end;
        let mut line_number = 0;
        for token in tokens {
            if expr.lines.is_empty() {
                expr.lines.push(Line::default());
                line_number = token.line;
            }
            while line_number < token.line {
                expr.lines.push(Line::default());
                line_number += 1;
            }
            let piece = Piece {
                text: token.text.clone(),
                kind: token.kind,
                col: i64::from(token.col),
                id: expr.n_ids,
            };
            expr.n_ids += 1;
            if let Some(line) = expr.lines.last_mut() {
                line.pieces.push(piece);
            }
        }
        for idx in 1..expr.lines.len() {
            let Some(col) = expr.lines[idx].pieces.first().map(|piece| piece.col) else { continue };
            expr.lines[idx].anchor = expr.lines[..idx].iter().rev().find_map(|line| {
                line.pieces.iter().rev().find(|piece| piece.col <= col).map(|piece| piece.id)
            });
        }
        expr.normalize();
        expr
    }

    /// An expression of one token.
    pub(super) fn word(text: &str, kind: Kind, range: Range<usize>) -> Self {
        let piece = Piece { text: text.into(), kind, col: 0, id: 0 };
        let line = Line { pieces: vec![piece], anchor: None };
        Expr { lines: vec![line], range, n_ids: 1 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn is_word(&self, text: &str) -> bool {
        self.single().is_some_and(|piece| piece.kind == Kind::Ident && piece.text == text)
    }

    /// The only token, if there is one only.
    pub(super) fn single(&self) -> Option<&Piece> {
        match self.lines.as_slice() {
            [line] if line.pieces.len() == 1 => line.pieces.first(),
            _ => None,
        }
    }

    /// All tokens in order.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.lines.iter().flat_map(|line| &line.pieces)
    }

    /// All but the first token.
    pub(super) fn without_first(&self) -> Self {
        let mut expr = self.clone();
        if let Some(line) = expr.lines.first_mut() {
            line.pieces.remove(0);
            if line.pieces.is_empty() {
                expr.lines.remove(0);
            }
        }
        expr.normalize();
        expr
    }

    /// Puts `other` behind the last token.
    pub(super) fn append(&mut self, other: &Expr) {
        if self.is_empty() {
            *self = other.clone();
            return;
        }
        let end = self.lines.last().and_then(|line| line.pieces.last());
        let end = end.map_or(0, |piece| piece.col + width(&piece.text));
        let base = self.n_ids;
        self.n_ids += other.n_ids;
        for (idx, line) in other.lines.iter().enumerate() {
            let offset = if idx == 0 { end } else { 0 };
            let pieces = line.pieces.iter().map(|piece| Piece {
                col: piece.col + offset,
                id: piece.id + base,
                ..piece.clone()
            });
            if let (0, Some(last)) = (idx, self.lines.last_mut()) {
                last.pieces.extend(pieces);
            } else {
                let anchor = line.anchor.map(|anchor| anchor + base);
                self.lines.push(Line { pieces: pieces.collect(), anchor });
            }
        }
    }

    fn normalize(&mut self) {
        let least = self.pieces().map(|piece| piece.col).min().unwrap_or(0);
        for piece in self.lines.iter_mut().flat_map(|line| &mut line.pieces) {
            piece.col -= least;
        }
    }

    /// Replaces the text of names: `change` gets each name that is not a field name and returns
    /// its new text, if any.
    pub(super) fn rename(&mut self, mut change: impl FnMut(&str) -> Option<String>) {
        let fields = self.field_names();
        let mut moved: FxHashMap<u32, i64> = FxHashMap::default();
        for line in &mut self.lines {
            let mut shift = line.anchor.and_then(|anchor| moved.get(&anchor).copied()).unwrap_or(0);
            for piece in &mut line.pieces {
                moved.insert(piece.id, shift);
                piece.col += shift;
                if piece.kind == Kind::Ident
                    && !fields.contains(&piece.id)
                    && let Some(text) = change(&piece.text)
                {
                    shift += width(&text) - width(&piece.text);
                    piece.text = text;
                }
            }
        }
    }

    /// Replaces each use of a macro parameter by its argument, in parentheses where the argument
    /// is not one token and not the whole expression.
    pub(super) fn substitute(&mut self, args: &FxHashMap<String, Expr>) {
        if let Some(piece) = self.single() {
            if piece.kind == Kind::Ident
                && let Some(arg) = args.get(&piece.text)
            {
                let range = self.range.clone();
                *self = arg.clone();
                self.range = range;
            }
            return;
        }
        let fields = self.field_names();
        let mut moved: FxHashMap<u32, i64> = FxHashMap::default();
        let mut lines: Vec<Line> = Vec::new();
        for line in std::mem::take(&mut self.lines) {
            let mut shift = line.anchor.and_then(|anchor| moved.get(&anchor).copied()).unwrap_or(0);
            let mut out = Line { pieces: Vec::new(), anchor: line.anchor };
            for mut piece in line.pieces {
                moved.insert(piece.id, shift);
                piece.col += shift;
                let arg = (piece.kind == Kind::Ident && !fields.contains(&piece.id))
                    .then(|| args.get(&piece.text))
                    .flatten();
                let Some(arg) = arg else {
                    out.pieces.push(piece);
                    continue;
                };
                if let Some(single) = arg.single() {
                    shift += width(&single.text) - width(&piece.text);
                    out.pieces.push(Piece {
                        text: single.text.clone(),
                        kind: single.kind,
                        ..piece
                    });
                    continue;
                }
                let old_end = piece.col + width(&piece.text);
                let base = self.n_ids;
                self.n_ids += arg.n_ids + 1;
                let start = piece.col;
                out.pieces.push(Piece { text: "(".into(), kind: Kind::Symbol, ..piece });
                for (idx, arg_line) in arg.lines.iter().enumerate() {
                    let offset = if idx == 0 { start + 1 } else { 0 };
                    if idx > 0 {
                        let anchor = arg_line.anchor.map(|anchor| anchor + base);
                        lines.push(std::mem::replace(&mut out, Line { pieces: vec![], anchor }));
                    }
                    out.pieces.extend(arg_line.pieces.iter().map(|piece| Piece {
                        text: piece.text.clone(),
                        kind: piece.kind,
                        col: piece.col + offset,
                        id: piece.id + base,
                    }));
                }
                let end = out.pieces.last().map_or(0, |piece| piece.col + width(&piece.text));
                let id = base + arg.n_ids;
                out.pieces.push(Piece { text: ")".into(), kind: Kind::Symbol, col: end, id });
                shift += end + 1 - old_end;
            }
            lines.push(out);
        }
        self.lines = lines;
        self.normalize();
    }

    /// Ids of the tokens that name a field: after a dot, or before `|->` or `:` in a record.
    fn field_names(&self) -> Vec<u32> {
        let pieces: Vec<&Piece> = self.pieces().collect();
        let mut found = Vec::new();
        let mut open: Vec<&str> = Vec::new();
        for (idx, piece) in pieces.iter().enumerate() {
            if piece.kind == Kind::Symbol {
                match piece.text.as_str() {
                    "(" | "[" | "{" | "<<" => open.push(&piece.text),
                    ")" | "]" | "}" | ">>" | "]_" | ">>_" => drop(open.pop()),
                    _ => {}
                }
            }
            if piece.kind != Kind::Ident {
                continue;
            }
            let before = idx.checked_sub(1).map_or("", |before| pieces[before].text.as_str());
            let after = pieces.get(idx + 1).map_or("", |after| after.text.as_str());
            let in_record = open.last() == Some(&"[") && matches!(before, "[" | ",");
            if before == "." || after == "|->" && in_record || after == ":" && in_record {
                found.push(piece.id);
            }
        }
        found
    }

    /// Whether the expression is to stand in parentheses after `=`: its first line has an operator
    /// that may bind as loosely as `=`. Later lines stand to the right of the sign anyway.
    pub(super) fn needs_parentheses(&self) -> bool {
        let mut depth = 0;
        for piece in self.lines.iter().take(1).flat_map(|line| &line.pieces) {
            if piece.kind != Kind::Symbol {
                continue;
            }
            match piece.text.as_str() {
                "(" | "[" | "{" | "<<" => depth += 1,
                ")" | "]" | "}" | ">>" | "]_" | ">>_" => depth -= 1,
                text if depth == 0 => {
                    let loose = text.contains(['=', '<', '>', '#'])
                        || matches!(text, "/\\" | "\\/" | "|-" | "-|")
                        || text.starts_with('\\') && text.len() > 1 && !TIGHT_NAMES.contains(&text);
                    if loose {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// The lines of text, column 0 being the expression's.
    pub(super) fn to_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for line in &self.lines {
            let mut text = String::new();
            let mut col = 0;
            for piece in &line.pieces {
                while col < piece.col {
                    text.push(' ');
                    col += 1;
                }
                text.push_str(&piece.text);
                col += width(&piece.text);
            }
            lines.push(text);
        }
        if lines.is_empty() {
            lines.push(String::new());
        }
        lines
    }

    /// The text on one line.
    pub(super) fn to_line(&self) -> String {
        self.to_lines().join(" ")
    }
}

/// Width of a text in columns.
pub(super) fn width(text: &str) -> i64 {
    text.chars().count() as i64
}
