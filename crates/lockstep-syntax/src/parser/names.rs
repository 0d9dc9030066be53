//! General names `A!B(x)!+(1, 2)!<<`, labels, argument lists, field names and subscripts.

use super::Parser;
use crate::ast::{ExprId, ExprKind, Ident, Name, PathStep, Selector};
use crate::diagnostic::Diagnostic;
use crate::operators::{BANG_BANG, EQUALS, Fix, MINUS, NEGATE, OperatorId, canonical_name};
use crate::source::Span;
use crate::token::{Token, TokenKind};

impl Parser<'_> {
    /// A name without arguments.
    pub(super) fn plain_name(&mut self, name: Name, span: Span) -> ExprId {
        let step = PathStep { selector: Selector::Name(name), args: Vec::new(), span };
        self.add(span, ExprKind::Name(vec![step]))
    }

    /// An operator symbol as an argument.
    pub(super) fn operator_name(&mut self) -> ExprId {
        let token = self.bump();
        let name = match token.kind {
            TokenKind::Op(op) => Name::new_static(op.get().name),
            _ => self.name(token),
        };
        let span = self.token_span(token);
        self.plain_name(name, span)
    }

    /// A general name or a labelled expression. `base` is where the enclosing chain begins.
    pub(super) fn name_or_label(&mut self, base: usize) -> ExprId {
        let first = self.token();
        let steps = self.path(true);
        if self.peek() == TokenKind::ColonColon {
            return self.label(first, steps, base);
        }
        let span = self.span_from(first.start);
        self.add(span, ExprKind::Name(steps))
    }

    /// The steps of a general name; the current token is its first one.
    fn path(&mut self, trailing_args: bool) -> Vec<PathStep> {
        let token = self.bump();
        let name = self.selector_name(token);
        let mut steps = Vec::with_capacity(1);
        let args = if trailing_args { self.step_arguments() } else { Vec::new() };
        let span = self.span_from(token.start);
        steps.push(PathStep { selector: Selector::Name(name), args, span });
        self.more_steps(&mut steps, trailing_args);
        steps
    }

    fn more_steps(&mut self, steps: &mut Vec<PathStep>, trailing_args: bool) {
        loop {
            match self.peek() {
                TokenKind::Bang => {
                    let bang = self.bump();
                    if self.is_other_inequality(bang) {
                        return;
                    }
                }
                // `A!!!(x, y)` is `!` and `!!`, though the longest match cuts it the other way.
                TokenKind::Op(BANG_BANG) if self.adjacent_bang() => {
                    let token = self.bump();
                    self.bump();
                    let args = if trailing_args { self.step_arguments() } else { Vec::new() };
                    let span = self.span_from(token.start);
                    let name = Name::new_static(BANG_BANG.get().name);
                    steps.push(PathStep { selector: Selector::Name(name), args, span });
                    continue;
                }
                _ => return,
            }
            let token = self.token();
            let (selector, may_have_args) = match self.peek() {
                TokenKind::Ident | TokenKind::Op(_) => {
                    self.bump();
                    (Selector::Name(self.selector_name(token)), true)
                }
                TokenKind::Number => {
                    self.bump();
                    let number = self.token_text(token).parse().unwrap_or(u32::MAX);
                    (Selector::Number(number), false)
                }
                TokenKind::LeftAngle => {
                    self.bump();
                    (Selector::First, false)
                }
                TokenKind::RightAngle => {
                    self.bump();
                    (Selector::Last, false)
                }
                TokenKind::At => {
                    self.bump();
                    (Selector::Body, false)
                }
                TokenKind::Colon => {
                    self.bump();
                    (Selector::Colon, false)
                }
                TokenKind::LeftParen => (Selector::Arguments, true),
                _ => {
                    self.expected("a name, an operator or a selector after `!`");
                    return;
                }
            };
            let is_arguments = selector == Selector::Arguments;
            let args = if may_have_args && (trailing_args || is_arguments) {
                self.step_arguments()
            } else {
                Vec::new()
            };
            let span = self.span_from(token.start);
            steps.push(PathStep { selector, args, span });
        }
    }

    /// `x != y`, as other languages write it. (`M!=(x, y)` is the operator `=` of `M`.)
    fn is_other_inequality(&mut self, bang: Token) -> bool {
        let equals = self.token();
        let is_it = self.peek() == TokenKind::Op(EQUALS)
            && equals.start == bang.end
            && self.peek_at(1) != TokenKind::LeftParen
            && self.begins_operand(1);
        if is_it {
            let span = self.token_span(bang).to(self.token_span(equals));
            let error = Diagnostic::error("E1010", span, "`!=` is no operator")
                .help("write `#` or `/=` for inequality");
            self.fail(error);
        }
        is_it
    }

    fn adjacent_bang(&self) -> bool {
        let next = self.tokens.get(self.pos + 1);
        next.is_some_and(|it| it.kind == TokenKind::Bang && it.start == self.token().end)
    }

    /// The name of a token: canonical for an operator, `<1>a` without dots for a proof step.
    fn selector_name(&self, token: Token) -> Name {
        match token.kind {
            TokenKind::Op(op) => Name::new_static(op.get().name),
            TokenKind::Step => self.step_name(token),
            _ => self.name(token),
        }
    }

    fn step_arguments(&mut self) -> Vec<ExprId> {
        match self.peek() {
            TokenKind::LeftParen => self.arguments(),
            TokenKind::Op(op) => self.parenthesised_operator(op).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// `F(+)`: the longest match reads the operator `(+)`, so this is a mistake unless an operand
    /// follows. It is reported and taken for the argument that was meant.
    fn parenthesised_operator(&mut self, op: OperatorId) -> Option<ExprId> {
        let token = self.token();
        let text = self.token_text(token);
        let inner = text.strip_prefix('(')?.strip_suffix(')')?;
        let name = canonical_name(inner)?;
        let previous = self.tokens[self.pos.checked_sub(1)?];
        let is_operator = op.get().is_infix()
            && (previous.end != token.start || self.begins_operand(1) && !self.is_definition(1));
        if is_operator {
            return None;
        }
        self.bump();
        let applied = self.token_text(previous);
        self.report(
            Diagnostic::error(
                "E1029",
                self.token_span(previous).to(self.token_span(token)),
                format!("`{text}` is one symbol, an infix operator, and has no right operand"),
            )
            .help(format!("to give `{inner}` as an argument write `{applied}( {inner} )`")),
        );
        let span = Span::new(self.file, token.start + 1, token.end - 1);
        Some(self.plain_name(Name::new_static(name), span))
    }

    /// Whether the token `ahead` of the current one can begin an expression.
    pub(super) fn begins_operand(&self, ahead: usize) -> bool {
        use TokenKind as T;
        match self.peek_at(ahead) {
            T::Op(op) if op.get().fix == Fix::Prefix || op == MINUS => true,
            T::Op(_) => {
                self.tokens.get(self.pos + ahead).is_some_and(|token| self.is_bullet(*token))
                    && self.peek_at(ahead + 1) != T::Comma
            }
            T::Ident
            | T::Number
            | T::Decimal
            | T::Str
            | T::Step
            | T::At
            | T::LeftParen
            | T::LeftBracket
            | T::LeftBrace
            | T::LeftAngle
            | T::ForAll
            | T::Exists
            | T::TemporalForAll
            | T::TemporalExists
            | T::WeakFairness
            | T::StrongFairness
            | T::If
            | T::Case
            | T::Let
            | T::Choose
            | T::Lambda => true,
            _ => false,
        }
    }

    /// `(a, b)`; the current token is the parenthesis.
    pub(super) fn arguments(&mut self) -> Vec<ExprId> {
        let open = self.bump();
        let mut args = Vec::new();
        if self.peek() == TokenKind::RightParen {
            let close = self.bump();
            let span = self.token_span(open).to(self.token_span(close));
            self.report(
                Diagnostic::error("E1010", span, "expected an argument, found `)`")
                    .help("an operator without arguments is written without parentheses"),
            );
            return args;
        }
        args.push(self.argument());
        while self.eat(TokenKind::Comma) {
            args.push(self.argument());
        }
        if !self.eat(TokenKind::RightParen) {
            self.expected_closing("`,` or `)`", open);
        }
        args
    }

    /// An expression, an operator symbol or a LAMBDA.
    pub(super) fn argument(&mut self) -> ExprId {
        match self.peek() {
            TokenKind::Lambda => self.nested(Self::lambda),
            TokenKind::Op(_)
                if matches!(self.peek_at(1), TokenKind::Comma | TokenKind::RightParen) =>
            {
                self.operator_name()
            }
            _ => self.expression(),
        }
    }

    /// What stands right of `<-`.
    pub(super) fn substitute(&mut self) -> ExprId {
        match self.peek() {
            TokenKind::Lambda => self.nested(Self::lambda),
            TokenKind::Op(op) if !self.is_bullet(self.token()) => {
                let next_is_operand = if op.get().is_infix() && op != MINUS {
                    self.peek_at(1) == TokenKind::LeftParen
                } else {
                    self.begins_operand(1) && !self.is_definition(1)
                };
                if next_is_operand { self.expression() } else { self.operator_name() }
            }
            TokenKind::Op(_) if self.peek_at(1) == TokenKind::Comma => self.operator_name(),
            _ => self.expression(),
        }
    }

    /// `LAMBDA x, y : e`.
    pub(super) fn lambda(&mut self) -> ExprId {
        let start = self.bump().start;
        let params = self.ident_list("a parameter name");
        self.expect(TokenKind::Colon, "`:` before the body of the LAMBDA");
        let body = self.expression();
        let span = self.span_from(start);
        self.add(span, ExprKind::Lambda { params, body })
    }

    /// `lab(x, y) :: e`; the current token is `::`.
    fn label(&mut self, first: Token, mut steps: Vec<PathStep>, base: usize) -> ExprId {
        let colons = self.bump();
        let span = self.span_from(first.start);
        let is_simple = steps.len() == 1 && first.kind == TokenKind::Ident;
        if !is_simple {
            self.report(
                Diagnostic::error("E1018", span, "a label must be a plain name")
                    .label("this names something else")
                    .also(self.token_span(colons), "`::` makes it a label"),
            );
        }
        let mut params = Vec::new();
        let step = steps.swap_remove(0);
        for arg in step.args {
            let expr = &self.exprs[arg.0 as usize];
            let plain = match &expr.kind {
                ExprKind::Name(path) => match path.as_slice() {
                    [PathStep { selector: Selector::Name(name), args, .. }] if args.is_empty() => {
                        Some(Ident { name: name.clone(), span: expr.span })
                    }
                    _ => None,
                },
                ExprKind::Error => continue,
                _ => None,
            };
            match plain {
                Some(param) => params.push(param),
                None => {
                    let span = expr.span;
                    self.report(
                        Diagnostic::error(
                            "E1018",
                            span,
                            "a label's parameter must be a plain name",
                        )
                        .help("a label lists the bound identifiers around it"),
                    );
                }
            }
        }
        let Selector::Name(name) = step.selector else { return self.error_expr() };
        let name = Ident { name, span: self.token_span(first) };
        let body = if self.at_assume() {
            if !self.in_theorem {
                let span = self.token_span(self.token());
                self.report(
                    Diagnostic::error("E1028", span, "ASSUME … PROVE is no expression").help(
                        "it may be the body of a theorem, of a proof step or of a label in one",
                    ),
                );
            }
            self.assume_prove()
        } else {
            self.expression()
        };
        self.check_label(body, base);
        let span = self.span_from(first.start);
        self.add(span, ExprKind::Label { name, params, body })
    }

    /// A field name: any identifier, reserved words and word operators included.
    pub(super) fn field_name(&mut self) -> Ident {
        if !self.at_field_name(0) {
            let token = self.token();
            self.expected("a field name");
            let span = Span::new(self.file, token.start, token.start);
            return Ident { name: Name::new_static(""), span };
        }
        let token = self.bump();
        let mut span = self.token_span(token);
        // `SF_x` is lexed as the fairness prefix and `x`.
        let fairness = matches!(token.kind, TokenKind::WeakFairness | TokenKind::StrongFairness);
        if fairness && self.peek() == TokenKind::Ident && self.token().start == token.end {
            let rest = self.bump();
            span = span.to(self.token_span(rest));
        }
        Ident { name: Name::new(&self.text[span.start as usize..span.end as usize]), span }
    }

    pub(super) fn at_field_name(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            TokenKind::Ident => true,
            TokenKind::Number
            | TokenKind::Decimal
            | TokenKind::Step
            | TokenKind::Eof
            | TokenKind::ItemEnd => false,
            // Reserved words and operators written as words.
            _ => self
                .tokens
                .get(self.pos + ahead)
                .is_some_and(|token| self.token_text(*token).as_bytes()[0].is_ascii_alphabetic()),
        }
    }

    /// The `v` of `[A]_v`.
    pub(super) fn subscript(&mut self) -> ExprId {
        match self.peek() {
            TokenKind::Ident => {
                let start = self.token().start;
                let steps = self.path(true);
                let span = self.span_from(start);
                self.add(span, ExprKind::Name(steps))
            }
            TokenKind::LeftAngle
            | TokenKind::LeftParen
            | TokenKind::LeftBrace
            | TokenKind::LeftBracket
            | TokenKind::At => {
                let base = self.pending.len();
                self.operand(base)
            }
            _ => {
                self.expected("a name, a tuple or `(` as the subscript");
                self.error_expr()
            }
        }
    }

    /// `WF_v(A)`, `SF_v(A)`.
    pub(super) fn fairness(&mut self) -> ExprId {
        let token = self.bump();
        let strong = token.kind == TokenKind::StrongFairness;
        let (subscript, action) = if self.peek() == TokenKind::Ident {
            self.fairness_of_name()
        } else {
            (self.subscript(), None)
        };
        let action = match action {
            Some(action) => action,
            None => {
                let open = self.token();
                self.expect(TokenKind::LeftParen, "`(` and the action");
                let action = self.expression();
                if !self.eat(TokenKind::RightParen) {
                    self.expected_closing("`)`", open);
                }
                action
            }
        };
        let span = self.span_from(token.start);
        self.add(span, ExprKind::Fairness { strong, subscript, action })
    }

    /// In `WF_M(x)!v(A)` and `WF_f(x)(A)` only what follows tells arguments and action apart.
    fn fairness_of_name(&mut self) -> (ExprId, Option<ExprId>) {
        let start = self.token().start;
        let mut steps = Vec::with_capacity(1);
        loop {
            let token = self.token();
            if !matches!(self.peek(), TokenKind::Ident | TokenKind::Op(_)) {
                self.expected("a name after `!`");
                break;
            }
            self.bump();
            let name = self.selector_name(token);
            let end = token.end;
            let mut args = Vec::new();
            if self.peek() == TokenKind::LeftParen {
                let open = self.token();
                args = self.arguments();
                let are_arguments = matches!(self.peek(), TokenKind::Bang | TokenKind::LeftParen);
                if !are_arguments {
                    let span = Span::new(self.file, token.start, end);
                    steps.push(PathStep { selector: Selector::Name(name), args: Vec::new(), span });
                    let subscript =
                        self.add(Span::new(self.file, start, end), ExprKind::Name(steps));
                    if args.len() > 1 {
                        let span = self.span_from(open.start);
                        self.report(Diagnostic::error("E1010", span, "fairness takes one action"));
                    }
                    let action = match args.first() {
                        Some(action) => *action,
                        None => self.error_expr(),
                    };
                    return (subscript, Some(action));
                }
            }
            let span = self.span_from(token.start);
            steps.push(PathStep { selector: Selector::Name(name), args, span });
            if !self.eat(TokenKind::Bang) {
                break;
            }
        }
        let span = self.span_from(start);
        (self.add(span, ExprKind::Name(steps)), None)
    }

    /// An operator symbol where an operand must stand: `+(a, b)`, or a mistake.
    pub(super) fn nonfix(&mut self, op: OperatorId) -> ExprId {
        let token = self.token();
        let steps = self.path(true);
        let span = self.span_from(token.start);
        if steps.len() == 1 && steps[0].args.is_empty() && !self.stopped {
            let symbol = self.token_text(token);
            let mut error = Diagnostic::error(
                "E1027",
                self.token_span(token),
                format!("`{symbol}` has no left operand"),
            )
            .label("expected an expression before it");
            if op == NEGATE {
                error.headline = "`-.` is the name of prefix minus, not its symbol".to_owned();
                error = error.help("write `-`").label("");
            } else if matches!(symbol, "\\land" | "\\lor") {
                error = error.help("only `/\\` and `\\/` can be the bullets of a list");
            } else if op.get().fix != Fix::Postfix {
                error = error.help(format!(
                    "to use the operator itself write `{symbol}(a, b)`, or `{symbol}` as an argument"
                ));
            }
            self.fail(error);
        }
        self.add(span, ExprKind::Name(steps))
    }
}
