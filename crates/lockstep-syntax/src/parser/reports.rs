//! What the parser says about mistakes: exact places, what was found, what was expected, and a
//! hint where a usual mistake is recognisable.
//!
//! Codes: `E1005` no module, `E1006` module without end, `E1010` unexpected token, `E1011` `=` for
//! `==`, `E1012` precedence conflict, `E1013` `/\` mixed with `\/`, `E1014` not associative,
//! `E1015` nested too deeply, `E1016` misplaced LOCAL, `E1018` label, `E1019` `<-` in an
//! expression, `E1020` proof structure, `E1022` unclosed bracket, `E1023` empty tuple of names,
//! `E1024` misplaced EXTENDS, `E1025` reserved word as a name, `E1026` misplaced LAMBDA, `E1027`
//! operator without its left operand, `E1028` misplaced ASSUME/PROVE, `E1029` `F(+)`. The lexer
//! has `E1001` to `E1004` and `E1021`.

use super::{ERROR_LIMIT, Parser};
use crate::ast::Ident;
use crate::diagnostic::Diagnostic;
use crate::operators::{AND, EQUALS, OR, OperatorId};
use crate::source::Span;
use crate::token::{Token, TokenKind, keyword};

impl Parser<'_> {
    /// Adds an error unless the parser has stopped or said enough.
    pub(super) fn report(&mut self, error: Diagnostic) {
        if self.stopped || self.diagnostics.len() > ERROR_LIMIT {
            return;
        }
        if self.diagnostics.len() == ERROR_LIMIT {
            let span = error.primary.map_or(Span::new(self.file, 0, 0), |it| it.span);
            let last = Diagnostic::error("E1010", span, "too many errors; the rest is not shown");
            self.diagnostics.push(last);
            return;
        }
        self.diagnostics.push(error);
    }

    /// Adds an error and stops until the next unit.
    pub(super) fn fail(&mut self, error: Diagnostic) {
        self.report(error);
        self.stopped = true;
    }

    /// The current token is not what must stand here.
    pub(super) fn expected(&mut self, what: &str) {
        if self.stopped {
            return;
        }
        let error = self.unexpected_token(what);
        self.fail(error);
    }

    /// A bracket is not closed where it must be.
    pub(super) fn expected_closing(&mut self, what: &str, open: Token) {
        if self.stopped {
            return;
        }
        let text = self.token_text(open);
        let mut error = self.unexpected_token(what);
        if error.code == "E1010" {
            error.code = "E1022";
        }
        let error = error.also(self.token_span(open), format!("`{text}` is open since here"));
        self.fail(error);
    }

    fn unexpected_token(&self, what: &str) -> Diagnostic {
        let token = self.token();
        let span = self.token_span(token);
        let found = self.describe(token);
        let error = Diagnostic::error("E1010", span, format!("expected {what}, found {found}"))
            .label(format!("expected {what}"));
        if token.kind == TokenKind::Eof {
            return error.help("end the module with a line `====`");
        }
        if self.peek() == TokenKind::ItemEnd {
            return self.explain_fence(error, token);
        }
        self.explain_token(error, token, what)
    }

    /// A junction list ended before its item was complete.
    fn explain_fence(&self, error: Diagnostic, token: Token) -> Diagnostic {
        let bullet = self.tokens[self.fence.bullet as usize];
        let mut error = error
            .also(self.token_span(bullet), format!("this list stands in column {}", bullet.col))
            .note("what stands in the column of a junction list or left of it ends the list's item")
            .help(format!(
                "indent {} further than column {}, or complete the item before it",
                self.describe(token),
                bullet.col
            ));
        if self.line_has_tab(token) || self.line_has_tab(bullet) {
            error = error.note("a tab counts to the next multiple of 8 columns; use spaces");
        }
        error
    }

    fn line_has_tab(&self, token: Token) -> bool {
        let before = &self.text[..token.start as usize];
        let line = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        before[line..].contains('\t')
    }

    fn explain_token(&self, mut error: Diagnostic, token: Token, what: &str) -> Diagnostic {
        let text = self.token_text(token);
        let previous = self.pos.checked_sub(1).map(|at| self.tokens[at]);
        match token.kind {
            TokenKind::LeftArrow => {
                error.code = "E1019";
                error
                    .note("`<-` is one symbol: it gives a constant its value in INSTANCE … WITH")
                    .help("put a space between `<` and `-` to compare with a negative number")
            }
            TokenKind::DefEq if previous.is_some_and(|it| it.first_on_line) => {
                let name = previous.map_or("", |it| self.token_text(it));
                error
                    .note(format!("the definition before it has taken `{name}` as an operand"))
                    .help("complete the definition before it; its last operator lacks an operand")
            }
            TokenKind::DefEq => error
                .help("`==` defines; write `=` for equality, or begin the definition with a name"),
            TokenKind::Op(EQUALS) if what.contains("`==`") => {
                error.code = "E1011";
                error.help("write `==` to define")
            }
            TokenKind::MapsTo => error.help("`|->` belongs in `[x \\in S |-> e]` or `[a |-> e]`"),
            TokenKind::Dashes | TokenKind::ModuleEnd => {
                error.note("a run of four or more of these characters always ends what is open")
            }
            TokenKind::Prove if !self.in_theorem => {
                error.help("ASSUME … PROVE may only be the body of a theorem or a proof step")
            }
            TokenKind::Step
                if previous.is_some_and(|it| it.kind == TokenKind::Op(crate::operators::LESS)) =>
            {
                error.help("put spaces around `<` and `>`")
            }
            TokenKind::Step if token.first_on_line => {
                error.note("proof steps follow a theorem or a step, up to the step QED")
            }
            TokenKind::Step if self.proof_level < 0 => {
                error.note("`<n>` begins a proof step").help("put spaces around `<` and `>`")
            }
            _ if what.contains("name") && keyword(text).is_some() => {
                error.code = "E1025";
                error.note(format!("`{text}` is a reserved word")).help("choose another name")
            }
            TokenKind::Ident
                if matches!(text, "and" | "or" | "not" | "forall" | "exists" | "else" | "then") =>
            {
                error.help("TLA+ writes `/\\`, `\\/`, `~`, `\\A`, `\\E`, `IF … THEN … ELSE`")
            }
            _ => error,
        }
    }

    /// A token for people.
    pub(super) fn describe(&self, token: Token) -> String {
        match token.kind {
            TokenKind::Eof => "the end of the file".to_owned(),
            TokenKind::Str => "a string".to_owned(),
            TokenKind::Dashes => "`----`".to_owned(),
            TokenKind::ModuleEnd => "`====`".to_owned(),
            _ => {
                let text: String = self.token_text(token).chars().take(40).collect();
                format!("`{text}`")
            }
        }
    }

    pub(super) fn no_module(&self) -> Diagnostic {
        let end = self.text.len().min(1) as u32;
        let mut error =
            Diagnostic::error("E1005", Span::new(self.file, 0, end), "there is no module here")
                .help("a module begins with `---- MODULE Name ----` and ends with `====`");
        if self.text.contains("MODULE") {
            error = error.note("before MODULE stand four or more dashes on the same line");
        }
        error
    }

    pub(super) fn no_module_end(&mut self, name: &Ident) {
        let token = self.token();
        let span = Span::new(self.file, token.start, token.end);
        let error = Diagnostic::error(
            "E1006",
            span,
            format!("the file ends inside of module `{}`", name.name),
        )
        .label("expected `====`")
        .also(name.span, "this module has no end")
        .help("end it with a line of four or more equals signs");
        self.report(error);
    }

    pub(super) fn too_deep(&mut self, limit: u32) {
        let span = self.token_span(self.token());
        let error = Diagnostic::error("E1015", span, "this is nested too deeply")
            .note(format!("the limit is {limit} levels"))
            .help("give parts of it names");
        self.fail(error);
    }

    /// Two neighbouring operators whose precedence does not decide.
    pub(super) fn conflict(&mut self, left: (OperatorId, Span), right: (OperatorId, Span)) {
        let (l, r) = (left.0.get(), right.0.get());
        let (ls, rs) = (l.spelling(), r.spelling());
        let error = if left.0 == right.0 {
            Diagnostic::error("E1014", right.1, format!("`{rs}` is not associative"))
                .label("which one binds first?")
                .also(left.1, "the operator before it")
                .help(format!("write `(a {ls} b) {ls} c` or `a {ls} (b {ls} c)`"))
        } else if [left.0, right.0].iter().all(|op| matches!(*op, AND | OR)) {
            Diagnostic::error("E1013", right.1, "`/\\` and `\\/` are mixed without parentheses")
                .label("which one binds first?")
                .also(left.1, "the operator before it")
                .note("they have the same precedence")
                .help("add parentheses, or write a list with the bullets in one column")
        } else {
            Diagnostic::error(
                "E1012",
                right.1,
                format!("`{ls}` and `{rs}` need parentheses to say which binds first"),
            )
            .label(format!("precedence {}", range(r.low, r.high)))
            .also(left.1, format!("precedence {}", range(l.low, l.high)))
            .help("add parentheses")
        };
        self.report(error);
    }
}

fn range(low: u8, high: u8) -> String {
    if low == high { low.to_string() } else { format!("{low}-{high}") }
}
