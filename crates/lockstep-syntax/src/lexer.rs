//! The lexer: text to tokens.
//!
//! It follows *Specifying Systems* §15.1 and SANY where they differ: text outside of modules is
//! skipped, comments nest, the longest symbol wins (`x<-1` holds `<-`). Invariant: the tokens end
//! with exactly one `Eof`, their spans ascend and do not overlap, and lexing is linear in the text
//! whatever it holds. Nothing here is recursive.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};
use crate::token::{Symbols, Token, TokenKind, keyword};

/// What [`lex`] returns.
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Splits the modules of a file into tokens.
pub(crate) fn lex(file: FileId, text: &str) -> Lexed {
    let mut lexer = Lexer {
        file,
        text,
        bytes: text.as_bytes(),
        pos: 0,
        line_base: 0,
        first_on_line: true,
        depth: 0,
        symbols: Symbols::new(),
        // Real specifications have a token every six bytes or so.
        tokens: Vec::with_capacity(text.len() / 6 + 16),
        diagnostics: Vec::new(),
    };
    lexer.run();
    Lexed { tokens: lexer.tokens, diagnostics: lexer.diagnostics }
}

/// Splits a bare expression (no module around it) into tokens.
pub(crate) fn lex_fragment(file: FileId, text: &str) -> Lexed {
    let mut lexer = Lexer {
        file,
        text,
        bytes: text.as_bytes(),
        pos: 0,
        line_base: 0,
        first_on_line: true,
        depth: 1,
        symbols: Symbols::new(),
        tokens: Vec::new(),
        diagnostics: Vec::new(),
    };
    lexer.run();
    Lexed { tokens: lexer.tokens, diagnostics: lexer.diagnostics }
}

/// The body of a `---- CONFIG Name ----` section outside of all modules, as a range of bytes.
///
/// TLC reads such a section when it is told to use `Name.cfg` and there is no such file.
pub fn config_section(text: &str, name: &str) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let word = from + text[from..].find("CONFIG")?;
        from = word + "CONFIG".len();
        if dashes_before(text.as_bytes(), word).is_none() {
            continue;
        }
        let rest = &text[from..];
        let after = rest.trim_start_matches([' ', '\t']);
        let Some(after_name) = after.strip_prefix(name) else { continue };
        let dashes = after_name.trim_start_matches([' ', '\t']);
        if after.len() == rest.len() || !dashes.starts_with("----") {
            continue;
        }
        let start = text.len() - dashes.trim_start_matches('-').len();
        let end = text[start..].find("====").map_or(text.len(), |at| start + at);
        return Some(start..end);
    }
}

/// Where the run of four or more dashes begins that stands before `word`, blanks between allowed.
fn dashes_before(bytes: &[u8], word: usize) -> Option<usize> {
    let mut at = word;
    while at > 0 && matches!(bytes[at - 1], b' ' | b'\t') {
        at -= 1;
    }
    let end = at;
    while at > 0 && bytes[at - 1] == b'-' {
        at -= 1;
    }
    (end - at >= 4).then_some(at)
}

fn is_ident_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
    /// The column of `pos` is `pos - line_base + 1`; moved for tabs and wide characters.
    line_base: i64,
    first_on_line: bool,
    /// How many modules are open.
    depth: u32,
    symbols: Symbols,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        let limit = u32::MAX as usize - 1;
        if self.bytes.len() > limit {
            let span = Span::new(self.file, 0, 0);
            self.diagnostics.push(Diagnostic::error("E1021", span, "the file is larger than 4 GB"));
            self.bytes = &[];
            self.text = "";
        }
        loop {
            if self.depth == 0 && !self.skip_to_module() {
                break;
            }
            if self.pos >= self.bytes.len() {
                break;
            }
            self.step();
        }
        self.pos = self.bytes.len();
        self.push(TokenKind::Eof, 0);
    }

    fn col(&self) -> u32 {
        (self.pos as i64 - self.line_base + 1) as u32
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    /// Emits a token of `len` bytes at the current position.
    fn push(&mut self, kind: TokenKind, len: usize) {
        let (start, col) = (self.pos as u32, self.col());
        self.tokens.push(Token {
            kind,
            first_on_line: self.first_on_line,
            start,
            end: start + len as u32,
            col,
        });
        self.first_on_line = false;
        self.pos += len;
    }

    fn error(&mut self, code: &'static str, range: Range<usize>, headline: String) -> Diagnostic {
        let span = Span::new(self.file, range.start as u32, range.end as u32);
        Diagnostic::error(code, span, headline)
    }

    fn newline(&mut self, len: usize) {
        self.pos += len;
        self.line_base = self.pos as i64;
        self.first_on_line = true;
    }

    fn tab(&mut self) {
        let col = self.col();
        let next = (col - 1) / 8 * 8 + 9;
        self.pos += 1;
        self.line_base = self.pos as i64 - i64::from(next) + 1;
    }

    /// Moves to the dashes of the next module header; false if there is none.
    fn skip_to_module(&mut self) -> bool {
        let mut from = self.pos;
        let header = loop {
            let Some(found) = self.text.get(from..).and_then(|rest| rest.find("MODULE")) else {
                return false;
            };
            let word = from + found;
            from = word + "MODULE".len();
            if let Some(dashes) = dashes_before(self.bytes, word)
                && dashes >= self.pos
                && !self.bytes.get(from).is_some_and(|byte| is_ident_byte(*byte))
            {
                break dashes;
            }
        };
        let line_start = self.bytes[self.pos..header]
            .iter()
            .rposition(|byte| matches!(byte, b'\n' | b'\r'))
            .map(|at| self.pos + at + 1);
        if let Some(line_start) = line_start {
            self.pos = line_start;
            self.newline(0);
        }
        while self.pos < header {
            self.advance_inert();
        }
        // The header opens the module, and `step` counts it when it sees the word.
        let len = self.bytes[header..].iter().take_while(|byte| **byte == b'-').count();
        self.push(TokenKind::Dashes, len);
        while matches!(self.peek(0), b' ' | b'\t') {
            self.advance_inert();
        }
        self.push(TokenKind::Module, "MODULE".len());
        self.depth = 1;
        true
    }

    /// Moves over one byte of text that makes no token, keeping the column right.
    fn advance_inert(&mut self) {
        match self.bytes[self.pos] {
            b'\t' => self.tab(),
            b'\n' => self.newline(1),
            b'\r' if self.peek(1) != b'\n' => self.newline(1),
            byte => {
                if byte & 0xc0 == 0x80 {
                    self.line_base += 1;
                }
                self.pos += 1;
            }
        }
    }

    fn step(&mut self) {
        let byte = self.bytes[self.pos];
        match byte {
            b' ' | 0x0c => self.pos += 1,
            b'\n' => self.newline(1),
            b'\r' if self.peek(1) == b'\n' => self.pos += 1,
            b'\r' => self.newline(1),
            b'\t' => self.tab(),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => self.word(),
            b'"' => self.string(),
            b'\\' => self.backslash(),
            b'(' if self.peek(1) == b'*' => self.block_comment(),
            b'-' if self.bytes[self.pos..].starts_with(b"----") => {
                let len = self.run_of(b'-');
                self.push(TokenKind::Dashes, len);
            }
            b'=' if self.bytes[self.pos..].starts_with(b"====") => {
                let len = self.run_of(b'=');
                self.push(TokenKind::ModuleEnd, len);
                self.depth -= 1;
                if self.depth == 0 {
                    // Whatever follows on this line is outside of the module.
                    self.first_on_line = false;
                }
            }
            b'<' if self.proof_step() => {}
            b'.' if self.leading_dot_decimal() => {}
            _ => self.symbol(),
        }
    }

    fn run_of(&self, byte: u8) -> usize {
        self.bytes[self.pos..].iter().take_while(|it| **it == byte).count()
    }

    /// An identifier, reserved word, fairness prefix, number or underscore.
    fn word(&mut self) {
        let rest = &self.bytes[self.pos..];
        let mut len = 0;
        let mut has_letter = false;
        while let Some(byte) = rest.get(len).filter(|byte| is_ident_byte(**byte)) {
            has_letter |= byte.is_ascii_alphabetic();
            len += 1;
        }
        if !has_letter {
            return self.number_or_underscore();
        }
        let text = &self.text[self.pos..self.pos + len];
        let kind = match text.as_bytes() {
            [b'W', b'F', b'_', ..] => return self.push(TokenKind::WeakFairness, 3),
            [b'S', b'F', b'_', ..] => return self.push(TokenKind::StrongFairness, 3),
            [b'A'..=b'Z', ..] => keyword(text).unwrap_or(TokenKind::Ident),
            _ => TokenKind::Ident,
        };
        if kind == TokenKind::Module
            && self.tokens.last().is_some_and(|last| last.kind == TokenKind::Dashes)
        {
            self.depth += 1;
        }
        self.push(kind, len);
    }

    fn number_or_underscore(&mut self) {
        if self.peek(0) == b'_' {
            return self.push(TokenKind::Underscore, 1);
        }
        let digits = self.digits(0, |byte| byte.is_ascii_digit());
        if self.peek(digits) == b'.' {
            let fraction = self.digits(digits + 1, |byte| byte.is_ascii_digit());
            if fraction > 0 && !is_ident_byte(self.peek(digits + 1 + fraction)) {
                return self.push(TokenKind::Decimal, digits + 1 + fraction);
            }
        }
        self.push(TokenKind::Number, digits);
    }

    /// How many bytes from `ahead` on satisfy the test.
    fn digits(&self, ahead: usize, test: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(self.pos + ahead..).unwrap_or(&[]);
        rest.iter().take_while(|byte| test(**byte)).count()
    }

    /// `.5`, unless the dot selects a field of what stands right before it.
    fn leading_dot_decimal(&mut self) -> bool {
        let fraction = self.digits(1, |byte| byte.is_ascii_digit());
        if fraction == 0 || is_ident_byte(self.peek(1 + fraction)) {
            return false;
        }
        let after_operand = self.tokens.last().is_some_and(|last| {
            matches!(
                last.kind,
                TokenKind::Ident
                    | TokenKind::Number
                    | TokenKind::Str
                    | TokenKind::At
                    | TokenKind::RightParen
                    | TokenKind::RightBracket
                    | TokenKind::RightBrace
                    | TokenKind::RightAngle
                    | TokenKind::Bang
            )
        });
        if after_operand {
            return false;
        }
        self.push(TokenKind::Decimal, 1 + fraction);
        true
    }

    /// `<1>name.`, `<*>`, `<+>`; longest match makes this one token even in `3 <4> 5`.
    fn proof_step(&mut self) -> bool {
        let level = match self.peek(1) {
            b'*' | b'+' => 1,
            _ => self.digits(1, |byte| byte.is_ascii_digit()),
        };
        if level == 0 || self.peek(1 + level) != b'>' {
            return false;
        }
        let mut len = level + 2;
        len += self.digits(len, is_ident_byte);
        len += self.digits(len, |byte| byte == b'.');
        self.push(TokenKind::Step, len);
        true
    }

    fn backslash(&mut self) {
        let next = self.peek(1);
        if next == b'*' {
            let rest = &self.bytes[self.pos..];
            let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            self.pos += len.unwrap_or(rest.len());
            return;
        }
        let digits = match next {
            b'b' | b'B' => self.digits(2, |byte| matches!(byte, b'0' | b'1')),
            b'o' | b'O' => self.digits(2, |byte| matches!(byte, b'0'..=b'7')),
            b'h' | b'H' => self.digits(2, |byte| byte.is_ascii_hexdigit()),
            _ => 0,
        };
        let symbol = self.symbols.longest(&self.bytes[self.pos..]);
        match symbol {
            Some((len, kind)) if digits == 0 || len > digits + 2 => self.push(kind, len),
            _ if digits > 0 => self.push(TokenKind::Number, digits + 2),
            _ => self.symbol(),
        }
    }

    fn block_comment(&mut self) {
        let start = self.pos;
        let mut depth = 0_u32;
        while self.pos < self.bytes.len() {
            match self.bytes[self.pos] {
                b'(' if self.peek(1) == b'*' => {
                    depth += 1;
                    self.pos += 2;
                }
                b'*' if self.peek(1) == b')' => {
                    depth -= 1;
                    self.pos += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.advance_inert(),
            }
        }
        let error = self
            .error("E1003", start..start + 2, "this comment is not closed".to_owned())
            .label(if depth > 1 {
                format!("{depth} comments are open at the end of the file; this is the outermost")
            } else {
                "the comment begins here".to_owned()
            })
            .help("end it with `*)`; comments nest, so each `(*` needs its own `*)`");
        self.diagnostics.push(error);
    }

    fn string(&mut self) {
        let start = self.pos;
        let col = self.col();
        let mut wide = 0;
        self.pos += 1;
        loop {
            match self.bytes.get(self.pos) {
                Some(b'"') => {
                    self.pos += 1;
                    break;
                }
                Some(b'\\') => {
                    let next = self.peek(1);
                    if matches!(next, b'"' | b'\\' | b't' | b'n' | b'f' | b'r') {
                        self.pos += 2;
                        continue;
                    }
                    let bad = self.pos..self.pos + 1 + usize::from(next.is_ascii_graphic());
                    let error = self
                        .error("E1002", bad, "unknown escape in a string".to_owned())
                        .note("the escapes are `\\\"` `\\\\` `\\t` `\\n` `\\f` `\\r`")
                        .help("write `\\\\` for a backslash");
                    self.diagnostics.push(error);
                    self.pos += 1;
                }
                None | Some(b'\n' | b'\r') => {
                    let error = self
                        .error("E1001", start..self.pos, "this string is not closed".to_owned())
                        .help("end it with `\"` on the same line");
                    self.diagnostics.push(error);
                    break;
                }
                Some(byte) => {
                    if byte & 0xc0 == 0x80 {
                        wide += 1;
                    }
                    self.pos += 1;
                }
            }
        }
        let first_on_line = self.first_on_line;
        self.first_on_line = false;
        self.line_base += wide;
        self.tokens.push(Token {
            kind: TokenKind::Str,
            first_on_line,
            start: start as u32,
            end: self.pos as u32,
            col,
        });
    }

    fn symbol(&mut self) {
        if let Some((len, kind)) = self.symbols.longest(&self.bytes[self.pos..]) {
            let non_ascii = self.bytes[self.pos] >= 0x80;
            let end = self.pos + len;
            self.push(kind, len);
            if non_ascii {
                let text = &self.bytes[end - len..end];
                self.line_base += text.iter().filter(|byte| **byte & 0xc0 == 0x80).count() as i64;
            }
            return;
        }
        let ch = self.text[self.pos..].chars().next().unwrap_or('\0');
        if matches!(ch, 'ℕ' | 'ℤ' | 'ℝ') {
            self.push(TokenKind::Ident, ch.len_utf8());
            self.line_base += ch.len_utf8() as i64 - 1;
            return;
        }
        self.unexpected(ch);
    }

    /// Reports a run of characters that belong to no token, once.
    fn unexpected(&mut self, ch: char) {
        let start = self.pos;
        while self.text[self.pos..].starts_with(ch) {
            self.pos += ch.len_utf8();
            self.line_base += ch.len_utf8() as i64 - 1;
        }
        let shown = if ch.is_control() || ch.is_whitespace() || ch as u32 == 0xfeff {
            format!("U+{:04X}", ch as u32)
        } else {
            format!("`{ch}`")
        };
        let error = self.error(
            "E1004",
            start..start + ch.len_utf8(),
            format!("{shown} is no character of TLA+ outside of strings and comments"),
        );
        let help = match ch {
            '`' | '‘' | '’' | '“' | '”' => {
                Some("strings are written in straight double quotes")
            }
            ';' => {
                Some("definitions need no separator; if this is PlusCal, it belongs in a comment")
            }
            '?' => Some("the operator is `??`"),
            '\u{a0}' => Some("this is a non-breaking space; write an ordinary one"),
            '–' | '—' | '−' => Some("write the ASCII minus sign `-`"),
            'λ' => Some("write `LAMBDA`"),
            '∅' => Some("write `{}`"),
            _ if ch.is_alphabetic() => Some("identifiers have letters a-z, A-Z, digits and `_`"),
            _ => None,
        };
        self.diagnostics.push(match help {
            Some(help) => error.help(help),
            None => error,
        });
    }
}
