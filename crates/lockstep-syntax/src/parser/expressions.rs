//! Operands: everything that is not put together by operators alone.

use super::binders::Start;
use super::{Fence, Parser};
use crate::ast::{
    CaseArm, ExceptStep, ExceptUpdate, ExprId, ExprKind, JunctionKind, Name, PathStep, Selector,
};
use crate::diagnostic::Diagnostic;
use crate::operators::{AND, BOX, EQUALS, MINUS, NEGATE};
use crate::token::{Token, TokenKind};

impl Parser<'_> {
    /// One operand of the chain whose operators are above `base`.
    pub(super) fn operand(&mut self, base: usize) -> ExprId {
        use TokenKind as T;
        match self.peek() {
            T::Ident | T::Step => self.name_or_label(base),
            T::Number => self.literal(ExprKind::Number),
            T::Decimal => self.literal(ExprKind::Decimal),
            T::Str => self.string(),
            T::At => {
                let token = self.bump();
                let span = self.token_span(token);
                self.add(span, ExprKind::At)
            }
            T::LeftParen => self.parens(base),
            T::LeftBrace => self.nested(Self::braces),
            T::LeftBracket => self.nested(Self::brackets),
            T::LeftAngle => self.nested(Self::angles),
            T::ForAll | T::Exists | T::TemporalForAll | T::TemporalExists => self.quantified(),
            T::Choose => self.choose(),
            T::If => self.if_then_else(),
            T::Case => self.case(),
            T::Let => self.let_in(),
            T::WeakFairness | T::StrongFairness => self.fairness(),
            T::Lambda => {
                let span = self.token_span(self.token());
                self.report(
                    Diagnostic::error("E1026", span, "LAMBDA is no expression of its own")
                        .help("give it as an argument or after `<-`; else define an operator"),
                );
                self.lambda()
            }
            T::Op(op) if self.is_bullet(self.token()) => {
                self.junction(if op == AND { JunctionKind::And } else { JunctionKind::Or })
            }
            T::Op(op) => self.nonfix(op),
            _ => {
                self.expected("an expression");
                self.error_expr()
            }
        }
    }

    fn literal(&mut self, kind: fn(Name) -> ExprKind) -> ExprId {
        let token = self.bump();
        let (name, span) = (self.name(token), self.token_span(token));
        self.add(span, kind(name))
    }

    fn string(&mut self) -> ExprId {
        let token = self.bump();
        let span = self.token_span(token);
        let text = self.token_text(token);
        // The lexer has reported a string that is not closed.
        let inner = text.strip_prefix('"').unwrap_or(text);
        let inner = match inner.strip_suffix('"') {
            Some(closed) => closed,
            None => inner,
        };
        let value = if inner.contains('\\') { unescape(inner).into() } else { Name::new(inner) };
        self.add(span, ExprKind::String(value))
    }

    /// `(e)`, or the arguments of a nonfix minus `- (a, b)`.
    fn parens(&mut self, base: usize) -> ExprId {
        let open = self.bump();
        let first = self.expression();
        let negated = self.pending.get(base..).and_then(|pending| pending.last()).copied();
        if self.peek() == TokenKind::Comma
            && let Some(minus) = negated.filter(|it| it.op == NEGATE && it.is_prefix)
            && self.tokens[self.pos_of(open) - 1].start == minus.span.start
        {
            self.pending.pop();
            let mut args = vec![first];
            while self.eat(TokenKind::Comma) {
                args.push(self.argument());
            }
            self.close(TokenKind::RightParen, "`,` or `)`", open);
            let span = self.span_from(minus.span.start);
            let name = Name::new_static(MINUS.get().name);
            let step = PathStep { selector: Selector::Name(name), args, span };
            return self.add(span, ExprKind::Name(vec![step]));
        }
        self.close(TokenKind::RightParen, "an operator or `)`", open);
        let span = self.span_from(open.start);
        self.add(span, ExprKind::Parens(first))
    }

    fn pos_of(&self, token: Token) -> usize {
        self.tokens[..self.pos].partition_point(|it| it.start < token.start)
    }

    fn close(&mut self, kind: TokenKind, what: &str, open: Token) {
        if !self.eat(kind) {
            self.expected_closing(what, open);
        }
    }

    /// A bulleted list: the bullets stand in one column, and an item ends before the first token
    /// in that column or left of it.
    fn junction(&mut self, kind: JunctionKind) -> ExprId {
        let first = self.token();
        let outer = self.fence;
        let mut items = Vec::with_capacity(2);
        loop {
            let bullet = self.pos as u32;
            self.bump();
            self.fence = Fence { col: first.col, bullet };
            items.push(self.expression());
            self.fence = outer;
            let next = self.token();
            let continues =
                self.peek() == first.kind && next.col == first.col && self.is_bullet(next);
            if !continues {
                break;
            }
        }
        let span = self.span_from(first.start);
        self.add(span, ExprKind::Junction { kind, items })
    }

    /// `{…}`.
    fn braces(&mut self) -> ExprId {
        let bracket = self.pos;
        let open = self.bump();
        if self.eat(TokenKind::RightBrace) {
            let span = self.span_from(open.start);
            return self.add(span, ExprKind::SetEnum(Vec::new()));
        }
        let kind = match self.binder_or_expression(bracket, |kind| kind == TokenKind::Colon) {
            Start::Binder(binder) => {
                self.bump();
                let body = self.expression();
                ExprKind::SetFilter { binder, body }
            }
            Start::Expression(body) if self.eat(TokenKind::Colon) => {
                let binders = self.binders();
                ExprKind::SetMap { body, binders }
            }
            Start::Expression(first) => {
                let mut items = vec![first];
                while self.eat(TokenKind::Comma) {
                    items.push(self.expression());
                }
                if items.len() > 1 && self.peek() == TokenKind::Colon {
                    let span = self.token_span(self.token());
                    let error = Diagnostic::error("E1010", span, "expected `,` or `}`, found `:`")
                        .label("expected `,` or `}`")
                        .note("`{x \\in S : p}` has one name or one tuple of names")
                        .help("write `{<<x, y>> \\in S \\X T : p}`");
                    self.fail(error);
                }
                ExprKind::SetEnum(items)
            }
        };
        let what = match kind {
            ExprKind::SetEnum(_) => "`,`, `:` or `}`",
            _ => "`}`",
        };
        self.close(TokenKind::RightBrace, what, open);
        let span = self.span_from(open.start);
        self.add(span, kind)
    }

    /// `[…]` and `[A]_v`.
    fn brackets(&mut self) -> ExprId {
        let bracket = self.pos;
        let open = self.bump();
        if self.at_field_name(0) {
            match self.peek_at(1) {
                TokenKind::MapsTo => return self.record(open, TokenKind::MapsTo, ExprKind::Record),
                TokenKind::Colon => {
                    return self.record(open, TokenKind::Colon, ExprKind::RecordSet);
                }
                TokenKind::Comma if self.peek() == TokenKind::Ident => {
                    let binders = self.binders();
                    return self.function(open, binders);
                }
                _ => {}
            }
        }
        let start = self.binder_or_expression(bracket, |kind| {
            matches!(kind, TokenKind::MapsTo | TokenKind::Comma)
        });
        let kind = match start {
            Start::Binder(binder) => {
                let mut binders = vec![binder];
                if self.eat(TokenKind::Comma) {
                    binders.extend(self.binders());
                }
                return self.function(open, binders);
            }
            Start::Expression(first) => match self.peek() {
                TokenKind::Arrow => {
                    self.bump();
                    let range = self.expression();
                    ExprKind::FunctionSet { domain: first, range }
                }
                TokenKind::Except => {
                    self.bump();
                    let updates = self.updates();
                    ExprKind::Except { base: first, updates }
                }
                TokenKind::RightBracketSub => {
                    self.bump();
                    let subscript = self.subscript();
                    let span = self.span_from(open.start);
                    return self.add(span, ExprKind::BoxAction { action: first, subscript });
                }
                _ => {
                    self.expected_closing("`->`, `|->`, `EXCEPT` or `]_`", open);
                    ExprKind::Error
                }
            },
        };
        self.close(TokenKind::RightBracket, "`]`", open);
        let span = self.span_from(open.start);
        self.add(span, kind)
    }

    fn function(&mut self, open: Token, binders: Vec<crate::ast::Binder>) -> ExprId {
        self.expect(TokenKind::MapsTo, "`|->`");
        let body = self.expression();
        self.close(TokenKind::RightBracket, "`]`", open);
        let span = self.span_from(open.start);
        self.add(span, ExprKind::Function { binders, body })
    }

    /// `[a |-> e, b |-> f]` or `[a : S, b : T]`.
    fn record(
        &mut self,
        open: Token,
        separator: TokenKind,
        kind: fn(Vec<(crate::ast::Ident, ExprId)>) -> ExprKind,
    ) -> ExprId {
        let what = if separator == TokenKind::Colon { "`:`" } else { "`|->`" };
        let mut fields = Vec::new();
        loop {
            let field = self.field_name();
            self.expect(separator, what);
            let value = self.expression();
            fields.push((field, value));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(TokenKind::RightBracket, "`,` or `]`", open);
        let span = self.span_from(open.start);
        self.add(span, kind(fields))
    }

    /// `![i].a = e, !.b = f`.
    fn updates(&mut self) -> Vec<ExceptUpdate> {
        let mut updates = Vec::new();
        loop {
            let start = self.token().start;
            self.expect(TokenKind::Bang, "`!` after EXCEPT");
            let mut path = Vec::new();
            loop {
                match self.peek() {
                    TokenKind::Dot => {
                        self.bump();
                        path.push(ExceptStep::Field(self.field_name()));
                    }
                    TokenKind::LeftBracket => {
                        path.push(ExceptStep::Index(self.index()));
                    }
                    _ => break,
                }
            }
            if path.is_empty() {
                self.expected("`[` or `.` after `!`");
            }
            self.expect(TokenKind::Op(EQUALS), "`=`");
            let value = self.expression();
            let span = self.span_from(start);
            updates.push(ExceptUpdate { path, value, span });
            if !self.eat(TokenKind::Comma) {
                return updates;
            }
        }
    }

    /// `[i, j]`.
    fn index(&mut self) -> Vec<ExprId> {
        let open = self.bump();
        let mut args = vec![self.expression()];
        while self.eat(TokenKind::Comma) {
            args.push(self.expression());
        }
        self.close(TokenKind::RightBracket, "`,` or `]`", open);
        args
    }

    /// `f[a, b]`; the current token is the bracket.
    pub(super) fn application(&mut self, function: ExprId) -> ExprId {
        let args = self.index();
        let span = self.span_from(self.span_of(function).start);
        self.add(span, ExprKind::Apply { function, args })
    }

    /// `<<a, b>>` and `<<A>>_v`.
    fn angles(&mut self) -> ExprId {
        let open = self.bump();
        let mut items = Vec::new();
        if self.peek() != TokenKind::RightAngle {
            items.push(self.expression());
            while self.eat(TokenKind::Comma) {
                items.push(self.expression());
            }
        }
        if items.len() == 1 && self.eat(TokenKind::RightAngleSub) {
            let subscript = self.subscript();
            let span = self.span_from(open.start);
            return self.add(span, ExprKind::AngleAction { action: items[0], subscript });
        }
        self.close(TokenKind::RightAngle, "`,` or `>>`", open);
        let span = self.span_from(open.start);
        self.add(span, ExprKind::Tuple(items))
    }

    fn if_then_else(&mut self) -> ExprId {
        let start = self.bump().start;
        let condition = self.expression();
        self.expect(TokenKind::Then, "an operator or THEN");
        let then = self.expression();
        self.expect(TokenKind::Else, "an operator or ELSE");
        let otherwise = self.expression();
        let span = self.span_from(start);
        self.add(span, ExprKind::If { condition, then, otherwise })
    }

    fn case(&mut self) -> ExprId {
        let start = self.bump().start;
        self.case_arms(start, None)
    }

    /// The arms of a CASE whose first guard may have been read already.
    pub(super) fn case_arms(&mut self, start: u32, first_guard: Option<ExprId>) -> ExprId {
        let mut arms = Vec::new();
        let mut other = None;
        let mut guard = first_guard;
        loop {
            if guard.is_none() && self.eat(TokenKind::Other) {
                self.expect(TokenKind::Arrow, "`->` after OTHER");
                other = Some(self.expression());
                break;
            }
            let arm_start = self.token().start;
            let test = match guard.take() {
                Some(test) => test,
                None => self.expression(),
            };
            let arm_start = arm_start.min(self.span_of(test).start);
            self.expect(TokenKind::Arrow, "an operator or `->`");
            let value = self.expression();
            let span = self.span_from(arm_start);
            arms.push(CaseArm { guard: test, value, span });
            if !self.eat(TokenKind::Op(BOX)) {
                break;
            }
        }
        let span = self.span_from(start);
        self.add(span, ExprKind::Case { arms, other })
    }

    fn let_in(&mut self) -> ExprId {
        let start = self.bump().start;
        let mut units = vec![self.let_unit()];
        while self.peek() != TokenKind::In && self.at_let_unit() {
            units.push(self.let_unit());
        }
        self.expect(TokenKind::In, "another definition or IN");
        let body = self.expression();
        let span = self.span_from(start);
        self.add(span, ExprKind::Let { units, body })
    }
}

/// A string's text without its quotes, escapes resolved.
fn unescape(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(ch) = chars.next() {
        if ch != '\\' {
            value.push(ch);
            continue;
        }
        match chars.clone().next() {
            Some('t') => value.push('\t'),
            Some('n') => value.push('\n'),
            Some('f') => value.push('\u{c}'),
            Some('r') => value.push('\r'),
            Some(quoted @ ('"' | '\\')) => value.push(quoted),
            // An error has been reported; the text is kept.
            _ => {
                value.push(ch);
                continue;
            }
        }
        chars.next();
    }
    value
}
