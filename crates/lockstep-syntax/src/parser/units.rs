//! Modules and their units.

use super::{Fence, Parser};
use crate::ast::{
    FunctionDefinition, Ident, Instance, Module, Name, OperatorDecl, OperatorDefinition, Unit,
    UnitKind,
};
use crate::diagnostic::Diagnostic;
use crate::operators::{EQUALS, Fix, MINUS};
use crate::source::Span;
use crate::token::{Token, TokenKind};

/// How far the search for a definition's `==` goes past its name.
const DEFINITION_LOOKAHEAD: usize = 2_000;

impl Parser<'_> {
    /// `---- MODULE Name ---- … ====`; the current token is the first dashes.
    pub(super) fn module(&mut self) -> Module {
        let start = self.token().start;
        match self.nested_structure(Self::module_here) {
            Some(module) => module,
            None => {
                // The header is skipped, so that this is not tried again.
                self.bump();
                self.bump();
                let span = self.span_from(start);
                let name = Ident { name: Name::new_static(""), span };
                Module { name, span, extends: Vec::new(), units: Vec::new() }
            }
        }
    }

    fn module_here(&mut self) -> Module {
        let start = self.bump().start;
        self.bump();
        let name = self.ident("the module's name");
        self.expect(TokenKind::Dashes, "`----` after the module's name");
        let mut extends = Vec::new();
        if self.eat(TokenKind::Extends) {
            extends = self.ident_list("a module name");
        }
        let mut units = Vec::new();
        loop {
            if self.stopped {
                self.resume(start, units.last());
            }
            match self.peek() {
                TokenKind::ModuleEnd => {
                    self.bump();
                    break;
                }
                TokenKind::Eof => {
                    self.no_module_end(&name);
                    break;
                }
                TokenKind::Extends => {
                    let token = self.bump();
                    extends.extend(self.ident_list("a module name"));
                    let span = self.token_span(token);
                    self.report(
                        Diagnostic::error("E1024", span, "EXTENDS must come first in its module")
                            .help("move it under the module's first line; it takes a list"),
                    );
                }
                _ => units.push(self.unit()),
            }
        }
        let span = self.span_from(start);
        Module { name, span, extends, units }
    }

    /// Goes on after a mistake in a module whose header starts at `header`: moves to the next token
    /// that surely begins a unit.
    fn resume(&mut self, header: u32, failed: Option<&Unit>) {
        self.stopped = false;
        self.fence = Fence { col: 0, bullet: 0 };
        self.in_theorem = false;
        self.proof_level = -1;
        let unit_col = match failed {
            Some(unit) => {
                let at = self.tokens.partition_point(|it| it.start < unit.span.start);
                self.tokens[at.min(self.tokens.len() - 1)].col
            }
            None => u32::MAX,
        };
        // The unit, or the header, that failed must not be tried again.
        let tried = failed.map_or(header, |unit| unit.span.start);
        self.return_to_head(tried, unit_col);
        loop {
            let token = self.token();
            let begins = match token.kind {
                TokenKind::Eof | TokenKind::ModuleEnd | TokenKind::Dashes => return,
                TokenKind::Assume
                | TokenKind::Axiom
                | TokenKind::Constant
                | TokenKind::Extends
                | TokenKind::Hide
                | TokenKind::Instance
                | TokenKind::Local
                | TokenKind::Recursive
                | TokenKind::Theorem
                | TokenKind::Use
                | TokenKind::Variable => token.first_on_line && token.col <= unit_col,
                TokenKind::Ident | TokenKind::Op(_) => {
                    token.first_on_line && token.col <= unit_col && self.is_definition(0)
                }
                _ => false,
            };
            if begins && (failed.is_none() || token.start > tried) {
                return;
            }
            self.bump();
        }
    }

    /// When an operator at the end of a unit has taken the head of the next definition as its
    /// operand, the mistake shows at that definition's `==`: goes back to the start of the line if
    /// a definition begins there. Bounded, as the cursor must not wander.
    fn return_to_head(&mut self, tried: u32, unit_col: u32) {
        let (failed_at, mut at) = (self.pos, self.pos);
        while at > 0 && failed_at - at < 50 && !self.tokens[at].first_on_line {
            at -= 1;
        }
        let head = self.tokens[at];
        self.pos = at;
        let is_next = head.kind == TokenKind::Ident
            && head.first_on_line
            && head.start > tried
            && head.col <= unit_col
            && self.is_definition(0);
        if !is_next {
            self.pos = failed_at;
        }
    }

    /// One unit of a module.
    fn unit(&mut self) -> Unit {
        let start = self.token().start;
        let local = self.peek() == TokenKind::Local;
        if local {
            let word = self.bump();
            let is_error = !matches!(
                self.peek(),
                TokenKind::Ident | TokenKind::Op(_) | TokenKind::Instance | TokenKind::Eof
            );
            if is_error {
                let span = self.token_span(word);
                self.report(
                    Diagnostic::error("E1016", span, "only definitions and INSTANCE can be LOCAL")
                        .label("remove this word"),
                );
            }
        }
        let errors = self.diagnostics.len();
        let kind = self.unit_kind();
        let kind = if self.stopped && self.diagnostics.len() > errors {
            // Half a unit is worth nothing to later phases, but a definition's name is.
            match kind {
                UnitKind::Operator(_) | UnitKind::Function(_) | UnitKind::Module(_) => kind,
                UnitKind::Constants(_) | UnitKind::Variables(_) | UnitKind::Recursive(_) => kind,
                _ => UnitKind::Error,
            }
        } else {
            kind
        };
        Unit { span: self.span_from(start), local, kind }
    }

    fn unit_kind(&mut self) -> UnitKind {
        match self.peek() {
            TokenKind::Constant => {
                self.bump();
                UnitKind::Constants(self.declarations())
            }
            TokenKind::Variable => {
                self.bump();
                UnitKind::Variables(self.ident_list("a variable name"))
            }
            TokenKind::Recursive => {
                self.bump();
                UnitKind::Recursive(self.declarations())
            }
            TokenKind::Assume | TokenKind::Axiom => self.assume(),
            TokenKind::Theorem => self.theorem(),
            TokenKind::Instance => UnitKind::Instance(self.instance()),
            TokenKind::Use | TokenKind::Hide => UnitKind::UseOrHide(self.use_or_hide()),
            TokenKind::Dashes if self.peek_at(1) == TokenKind::Module => {
                UnitKind::Module(Box::new(self.module()))
            }
            TokenKind::Dashes => {
                self.bump();
                UnitKind::Separator
            }
            TokenKind::Ident | TokenKind::Op(_) => self.definition(),
            _ => {
                self.expected("a definition or another unit of the module");
                UnitKind::Error
            }
        }
    }

    fn assume(&mut self) -> UnitKind {
        let checked = self.bump().kind == TokenKind::Assume;
        let name = self.fact_name();
        let body = self.expression();
        UnitKind::Assume { checked, name, body }
    }

    /// `Name ==` before a fact.
    fn fact_name(&mut self) -> Option<Ident> {
        if self.peek() != TokenKind::Ident || self.peek_at(1) != TokenKind::DefEq {
            return None;
        }
        let token = self.bump();
        self.bump();
        Some(self.ident_of(token))
    }

    fn theorem(&mut self) -> UnitKind {
        self.bump();
        self.in_theorem = true;
        let name = self.fact_name();
        let body = if self.at_assume() { self.assume_prove() } else { self.expression() };
        self.proof_level = -1;
        let proof = self.proof();
        self.in_theorem = false;
        UnitKind::Theorem { name, body, proof }
    }

    /// `INSTANCE M WITH a <- e, + <- Plus`.
    pub(super) fn instance(&mut self) -> Instance {
        let start = self.bump().start;
        let module = self.ident("a module name");
        let mut substitutions = Vec::new();
        if self.eat(TokenKind::With) {
            loop {
                let target = match self.peek() {
                    TokenKind::Op(op) => {
                        let token = self.bump();
                        self.operator_ident(token, op)
                    }
                    _ => self.ident("the name of a constant or variable"),
                };
                self.expect(TokenKind::LeftArrow, "`<-`");
                substitutions.push((target, self.substitute()));
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        Instance { module, substitutions, span: self.span_from(start) }
    }

    fn declarations(&mut self) -> Vec<OperatorDecl> {
        let mut decls = vec![self.declaration()];
        while self.eat(TokenKind::Comma) {
            decls.push(self.declaration());
        }
        decls
    }

    /// `x`, `F(_, _)`, `_+_`, `-._`, `_^+`.
    pub(super) fn declaration(&mut self) -> OperatorDecl {
        match self.peek() {
            TokenKind::Underscore => {
                self.bump();
                let TokenKind::Op(op) = self.peek() else {
                    self.expected("an infix or postfix operator after `_`");
                    return self.no_declaration();
                };
                let token = self.bump();
                let name = self.operator_ident(token, op);
                match op.get().fix {
                    Fix::Infix | Fix::Nfix => {
                        self.expect(TokenKind::Underscore, "`_` after the operator");
                    }
                    Fix::Postfix => {}
                    Fix::Prefix => {
                        let span = self.token_span(token);
                        let error =
                            Diagnostic::error("E1010", span, "a prefix operator follows no `_`")
                                .help(format!("write `{} _`", op.get().spelling()));
                        self.report(error);
                    }
                }
                OperatorDecl { name, arity: op.get().arity() }
            }
            TokenKind::Op(op) if op.get().fix == Fix::Prefix => {
                let token = self.bump();
                let name = self.operator_ident(token, op);
                self.expect(TokenKind::Underscore, "`_` after the operator");
                OperatorDecl { name, arity: 1 }
            }
            _ => {
                let name = self.ident("a name or an operator with `_`");
                let mut arity = 0;
                if self.peek() == TokenKind::LeftParen {
                    let open = self.bump();
                    loop {
                        self.expect(TokenKind::Underscore, "`_`");
                        arity += 1;
                        if !self.eat(TokenKind::Comma) {
                            break;
                        }
                    }
                    if !self.eat(TokenKind::RightParen) {
                        self.expected_closing("`,` or `)`", open);
                    }
                }
                OperatorDecl { name, arity }
            }
        }
    }

    fn no_declaration(&self) -> OperatorDecl {
        let at = self.token().start;
        let name = Ident { name: Name::new_static(""), span: Span::new(self.file, at, at) };
        OperatorDecl { name, arity: 0 }
    }

    // ---- Definitions. ----

    /// A definition of an operator, function or instance.
    pub(super) fn definition(&mut self) -> UnitKind {
        let first = self.token();
        if let TokenKind::Op(op) = self.peek() {
            if op.get().fix != Fix::Prefix {
                self.expected("a definition or another unit of the module");
                return UnitKind::Error;
            }
            self.bump();
            let name = self.operator_ident(first, op);
            let param = self.parameter();
            return self.operator_body(name, vec![param]);
        }
        match self.peek_at(1) {
            TokenKind::LeftParen => {
                let name = self.ident("a name");
                let params = self.parameters();
                self.operator_body(name, params)
            }
            TokenKind::LeftBracket => {
                let name = self.ident("a name");
                let open = self.bump();
                let binders = self.binders();
                if !self.eat(TokenKind::RightBracket) {
                    self.expected_closing("`,` or `]`", open);
                }
                self.def_eq("`==`");
                let body = self.expression();
                UnitKind::Function(FunctionDefinition { name, binders, body })
            }
            TokenKind::Op(op) if op.get().fix == Fix::Postfix => {
                let param = self.parameter();
                let token = self.bump();
                let name = self.operator_ident(token, op);
                self.operator_body(name, vec![param])
            }
            TokenKind::Op(op)
                if op.get().is_infix()
                    && (op != EQUALS
                        || self.peek_at(2) == TokenKind::Ident
                            && self.peek_at(3) == TokenKind::DefEq) =>
            {
                let left = self.parameter();
                let token = self.bump();
                let name = self.operator_ident(token, op);
                if self.peek() != TokenKind::Ident || self.peek_at(1) != TokenKind::DefEq {
                    return self.not_a_definition(first, token);
                }
                let right = self.parameter();
                self.operator_body(name, vec![left, right])
            }
            next => {
                let may_begin = matches!(next, TokenKind::DefEq | TokenKind::Op(EQUALS));
                if !may_begin && (!first.first_on_line || self.tokens[self.pos + 1].first_on_line) {
                    return self.stray_name(first);
                }
                let name = self.ident("a definition or another unit of the module");
                self.operator_body(name, Vec::new())
            }
        }
    }

    /// A name that begins nothing, and so is more likely the rest of the unit before it.
    fn stray_name(&mut self, name: Token) -> UnitKind {
        let text = self.describe(name);
        let mut error = Diagnostic::error(
            "E1010",
            self.token_span(name),
            format!("expected an operator or another unit of the module, found {text}"),
        )
        .label("expected an operator before this name or `==` after it");
        let before = self.pos.checked_sub(2).map(|at| self.tokens[at].kind);
        if matches!(before, Some(TokenKind::Variable | TokenKind::Constant | TokenKind::Comma)) {
            error = error.help("names in a list have commas between them");
        }
        self.fail(error);
        UnitKind::Error
    }

    /// An expression where a unit must stand.
    fn not_a_definition(&mut self, first: Token, operator: Token) -> UnitKind {
        let span = self.token_span(first).to(self.token_span(operator));
        let mut error =
            Diagnostic::error("E1010", span, "expected a definition or another unit of the module")
                .label("this looks like an expression")
                .help("an operator is defined as `a + b == e`");
        if self.is_bullet(operator) || operator.kind == TokenKind::Op(MINUS) {
            error = error.note("the unit before it is complete without this line");
        }
        self.fail(error);
        UnitKind::Error
    }

    fn parameter(&mut self) -> OperatorDecl {
        OperatorDecl { name: self.ident("a parameter name"), arity: 0 }
    }

    /// `(a, F(_), _+_)`.
    fn parameters(&mut self) -> Vec<OperatorDecl> {
        let open = self.bump();
        let params = self.declarations();
        if !self.eat(TokenKind::RightParen) {
            self.expected_closing("`,` or `)`", open);
        }
        params
    }

    fn operator_body(&mut self, name: Ident, params: Vec<OperatorDecl>) -> UnitKind {
        self.def_eq(if params.is_empty() { "`==`, `(` or `[`" } else { "`==`" });
        if self.peek() == TokenKind::Instance {
            let instance = self.instance();
            return UnitKind::ModuleDefinition { name, params, instance };
        }
        let body = if self.stopped { self.error_expr() } else { self.expression() };
        UnitKind::Operator(OperatorDefinition { name, params, body })
    }

    /// `==`; a single `=` is reported and taken for it.
    fn def_eq(&mut self, what: &str) {
        if self.peek() == TokenKind::Op(EQUALS) {
            let token = self.bump();
            let span = self.token_span(token);
            let error = Diagnostic::error("E1011", span, format!("expected {what}, found `=`"))
                .label("write `==` to define")
                .note("`=` compares, `==` defines");
            return self.report(error);
        }
        self.expect(TokenKind::DefEq, what);
    }

    /// Whether a definition begins `ahead` of the current token.
    pub(super) fn is_definition(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            TokenKind::Ident => match self.peek_at(ahead + 1) {
                TokenKind::DefEq => true,
                TokenKind::LeftParen | TokenKind::LeftBracket => {
                    self.closes_before_def_eq(ahead + 1)
                }
                TokenKind::Op(op) => match op.get().fix {
                    Fix::Postfix => self.peek_at(ahead + 2) == TokenKind::DefEq,
                    Fix::Infix | Fix::Nfix => {
                        self.peek_at(ahead + 2) == TokenKind::Ident
                            && self.peek_at(ahead + 3) == TokenKind::DefEq
                    }
                    Fix::Prefix => false,
                },
                _ => false,
            },
            TokenKind::Op(op) => {
                op.get().fix == Fix::Prefix
                    && self.peek_at(ahead + 1) == TokenKind::Ident
                    && self.peek_at(ahead + 2) == TokenKind::DefEq
            }
            _ => false,
        }
    }

    /// Whether `==` follows the bracket that closes the one `ahead`.
    fn closes_before_def_eq(&self, ahead: usize) -> bool {
        let mut depth = 0_usize;
        for offset in ahead..ahead + DEFINITION_LOOKAHEAD {
            match self.peek_at(offset) {
                TokenKind::LeftParen
                | TokenKind::LeftBracket
                | TokenKind::LeftBrace
                | TokenKind::LeftAngle => depth += 1,
                TokenKind::RightParen
                | TokenKind::RightBracket
                | TokenKind::RightBrace
                | TokenKind::RightAngle => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return self.peek_at(offset + 1) == TokenKind::DefEq;
                    }
                }
                TokenKind::DefEq | TokenKind::Eof | TokenKind::ItemEnd | TokenKind::ModuleEnd => {
                    return false;
                }
                _ => {}
            }
        }
        false
    }

    // ---- LET. ----

    pub(super) fn at_let_unit(&self) -> bool {
        match self.peek() {
            TokenKind::Ident | TokenKind::Recursive | TokenKind::Local => true,
            TokenKind::Op(_) => self.is_definition(0),
            _ => false,
        }
    }

    /// A definition or RECURSIVE declaration of a LET or DEFINE.
    pub(super) fn let_unit(&mut self) -> Unit {
        let start = self.token().start;
        if self.peek() == TokenKind::Local {
            let word = self.bump();
            let span = self.token_span(word);
            self.report(
                Diagnostic::error("E1016", span, "LOCAL has no meaning here")
                    .label("remove this word")
                    .note("a definition inside of an expression or proof is local anyway"),
            );
        }
        let kind = match self.peek() {
            TokenKind::Recursive => {
                self.bump();
                UnitKind::Recursive(self.declarations())
            }
            TokenKind::Ident | TokenKind::Op(_) => self.definition(),
            _ => {
                self.expected("a definition");
                UnitKind::Error
            }
        };
        Unit { span: self.span_from(start), local: false, kind }
    }
}
