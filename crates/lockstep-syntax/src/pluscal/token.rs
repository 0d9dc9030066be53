//! The tokens of a PlusCal algorithm.
//!
//! Not the TLA+ lexer: PlusCal keeps expressions as token sequences, so all that matters here is
//! where a token starts and ends, which column it stands in, and whether it is a name. Comments are
//! dropped. Invariant: tokens are in the order of their offsets, and columns count code points from
//! 0 with a tab moving to the next multiple of 8.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or keyword.
    Ident,
    /// A number.
    Number,
    /// A string with its quotes.
    String,
    /// An operator, a bracket or punctuation.
    Symbol,
    /// The end of the comment that holds the algorithm.
    End,
}

/// One token of the algorithm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) kind: Kind,
    /// Bytes in the module.
    pub(super) range: Range<usize>,
    /// Line from 1.
    pub(super) line: u32,
    /// Column from 0.
    pub(super) col: u32,
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::String && self.text == text
    }
}

/// A lexical error: where, and what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LexError {
    pub(super) range: Range<usize>,
    pub(super) message: String,
    /// The comment that holds the algorithm has no end.
    pub(super) unterminated: bool,
}

/// Symbols of more than one character, longest first among those that share a start.
const SYMBOLS: &[&str] = &[
    "<=>", "-+->", "::=", "|->", "...", "(+)", "(-)", "(.)", "(/)", "(\\X)", ">>_", "]_", "<<",
    ">>", "<=", "<-", "<:", "<>", ">=", "=<", "=>", "==", "=|", "~>", "->", "-|", "--", "-.", "|-",
    "|=", "||", ":=", ":>", "::", "..", "/\\", "\\/", "/=", "//", "[]", "##", "$$", "%%", "&&",
    "**", "++", "^+", "^*", "^#", "^^", "!!", "??", "@@",
];

/// Advances columns over `text`.
fn advance(col: u32, ch: char) -> u32 {
    if ch == '\t' { (col / 8 + 1) * 8 } else { col + 1 }
}

/// Where an offset lies: line from 1 and column from 0.
pub(super) fn position(text: &str, offset: usize) -> (u32, u32) {
    let before = &text[..offset];
    let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().fold(0, advance))
}

/// Splits the algorithm that starts at `start` into tokens, up to the end of its comment.
///
/// Stops at the first error. The last token is always [`Kind::End`].
pub(super) fn tokenize(text: &str, start: usize) -> (Vec<Token>, Option<LexError>) {
    let (line, col) = position(text, start);
    let mut lexer = Lexer { text, start, at: start, line, col, tokens: Vec::new() };
    let error = lexer.run().err();
    let (line, col, at) = (lexer.line, lexer.col, lexer.at);
    let end = (at + 2).min(text.len()).max(at);
    let end = if text.is_char_boundary(end) { end } else { at };
    lexer.tokens.push(Token {
        text: "end of the comment".into(),
        kind: Kind::End,
        range: at..end,
        line,
        col,
    });
    (lexer.tokens, error)
}

struct Lexer<'a> {
    text: &'a str,
    start: usize,
    at: usize,
    line: u32,
    col: u32,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn bump(&mut self) {
        let Some(ch) = self.rest().chars().next() else { return };
        self.at += ch.len_utf8();
        if ch == '\n' {
            self.line += 1;
            self.col = 0;
        } else if ch != '\r' {
            self.col = advance(self.col, ch);
        }
    }

    fn bump_bytes(&mut self, n: usize) {
        let end = self.at + n;
        while self.at < end {
            self.bump();
        }
    }

    fn push(&mut self, kind: Kind, len: usize) {
        let range = self.at..self.at + len;
        let text = self.text[range.clone()].to_string();
        self.tokens.push(Token { text, kind, range, line: self.line, col: self.col });
        self.bump_bytes(len);
    }

    fn run(&mut self) -> Result<(), LexError> {
        loop {
            let rest = self.rest();
            let Some(ch) = rest.chars().next() else {
                return Err(LexError {
                    range: self.start..self.start + 2,
                    message: "Algorithm not in properly terminated comment".into(),
                    unterminated: true,
                });
            };
            if ch.is_whitespace() {
                self.bump();
            } else if rest.starts_with("*)") {
                return Ok(());
            } else if rest.starts_with("(*") {
                self.comment()?;
            } else if rest.starts_with("\\*") {
                let len = rest.find('\n').unwrap_or(rest.len());
                self.bump_bytes(len);
            } else if ch == '"' {
                let len = string_len(rest).ok_or_else(|| LexError {
                    range: self.at..self.at + rest.find('\n').unwrap_or(rest.len()),
                    message: format!("Unterminated string in line {}", self.line),
                    unterminated: false,
                })?;
                self.push(Kind::String, len);
            } else if ch.is_alphanumeric() || ch == '_' {
                let len = word_len(rest);
                let number = rest[..len].bytes().all(|byte| byte.is_ascii_digit());
                self.push(if number { Kind::Number } else { Kind::Ident }, len);
            } else if let Some(len) = backslash_word(rest) {
                let number = matches!(rest.as_bytes()[1], b'b' | b'B' | b'o' | b'O' | b'h' | b'H')
                    && rest.as_bytes()[2..len].iter().any(u8::is_ascii_digit);
                self.push(if number { Kind::Number } else { Kind::Symbol }, len);
            } else {
                let symbol = SYMBOLS.iter().filter(|symbol| rest.starts_with(**symbol));
                let len = symbol.map(|symbol| symbol.len()).max().unwrap_or(ch.len_utf8());
                self.push(Kind::Symbol, len);
            }
        }
    }

    fn comment(&mut self) -> Result<(), LexError> {
        let start = self.at;
        let mut depth = 0;
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Err(LexError {
                    range: start..start + 2,
                    message: "Algorithm not in properly terminated comment".into(),
                    unterminated: true,
                });
            } else if rest.starts_with("(*") {
                depth += 1;
                self.bump_bytes(2);
            } else if rest.starts_with("*)") {
                depth -= 1;
                self.bump_bytes(2);
                if depth == 0 {
                    return Ok(());
                }
            } else {
                self.bump();
            }
        }
    }
}

fn word_len(text: &str) -> usize {
    text.find(|ch: char| !(ch.is_alphanumeric() || ch == '_')).unwrap_or(text.len())
}

/// Length of a `\name` symbol or of a number such as `\hFF`.
fn backslash_word(text: &str) -> Option<usize> {
    let name = text.strip_prefix('\\')?;
    let is_word = name.starts_with(|ch: char| ch.is_ascii_alphabetic());
    is_word.then(|| 1 + word_len(name))
}

/// Length of the string literal at the start of `text`, if its line ends it.
fn string_len(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (idx, ch) in text.char_indices().skip(1) {
        match ch {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(idx + 1),
            _ => {}
        }
    }
    None
}
