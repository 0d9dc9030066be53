//! The parser: tokens to a syntax tree, after *Specifying Systems* §15.2 and the TLA+2 additions.
//!
//! One function a production, over a cursor that is this module. Parsing never fails: each
//! production returns a node, an [`ExprKind::Error`] one where the text is wrong. After a mistake
//! that leaves no good guess the parser *stops*: the cursor shows nothing but the end of the file,
//! so every open production returns at once, and the module continues at the next unit.
//!
//! Invariants: the cursor never moves back except at two marked places that are bounded, so
//! parsing is linear; every recursion passes through [`Parser::nested`], which grows the stack and
//! limits the depth.

mod binders;
mod expressions;
mod names;
mod operator_chains;
mod proofs;
mod reports;
mod units;

use rustc_hash::FxHashSet;

use crate::ast::{Ast, Expr, ExprId, ExprKind, Ident, Module, Name};
use crate::diagnostic::Diagnostic;
use crate::lexer::{lex, lex_fragment};
use crate::operators::OperatorId;
use crate::source::{FileId, SourceFile, Span};
use crate::token::{Token, TokenKind};

/// How deeply expressions may nest in each other. (Chains of operators may be longer: they need no
/// nesting to parse.)
pub const NESTING_LIMIT: u32 = 20_000;

/// How deeply modules and proofs may nest: their nodes own each other, so it is the depth of
/// recursion for everyone who walks them.
const STRUCTURE_LIMIT: u32 = 500;

/// How many errors of one module are reported.
const ERROR_LIMIT: usize = 100;

/// The result of [`parse`].
#[derive(Clone, Debug)]
pub struct Parse {
    /// The tree, with [`ExprKind::Error`] and `UnitKind::Error` where the text is wrong.
    pub ast: Ast,
    /// The problems of the first module (or of a file without one), in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// For each module of the tree the problems that matter only if that module is used: those of
    /// the modules after the first. Text after the first module is free (notes, old versions),
    /// but a later module there may be extended or instantiated.
    pub deferred: Vec<Vec<Diagnostic>>,
}

/// Parses all modules of a file.
pub fn parse(file: FileId, source: &SourceFile) -> Parse {
    let lexed = lex(file, &source.text);
    let mut parser = Parser::new(file, &source.text, lexed.tokens);
    let (modules, parse_errors) = parser.modules();
    let mut problems = lexed.diagnostics;
    // A comment that swallows the rest of the file swallows the module's end.
    let is_swallowed = problems.iter().any(|problem| problem.code == "E1003");
    problems.extend(parse_errors.into_iter().filter(|it| !is_swallowed || it.code != "E1006"));
    order(&mut problems);
    let mut deferred = vec![Vec::new(); modules.len()];
    let mut diagnostics = Vec::new();
    for problem in problems {
        let at = problem.primary.as_ref().map_or(0, |it| it.span.start);
        let owner = modules.iter().rposition(|module: &Module| module.span.start <= at);
        match owner {
            Some(idx) if idx > 0 => deferred[idx].push(problem),
            _ => diagnostics.push(problem),
        }
    }
    Parse { ast: Ast { file, exprs: parser.exprs, modules }, diagnostics, deferred }
}

/// Sorts by place. Where a lexical error has caused a syntax error at the same place, the first
/// one explains.
fn order(problems: &mut Vec<Diagnostic>) {
    let start = |problem: &Diagnostic| problem.primary.as_ref().map_or(0, |it| it.span.start);
    problems.sort_by_key(start);
    problems.dedup_by_key(|problem| start(problem));
}

/// The result of [`parse_expression`].
#[derive(Clone, Debug)]
pub struct ExpressionParse {
    /// The arena; it has no modules.
    pub ast: Ast,
    /// The expression.
    pub root: ExprId,
    /// The problems in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a file that holds one bare expression, as given to an evaluator.
pub fn parse_expression(file: FileId, source: &SourceFile) -> ExpressionParse {
    let lexed = lex_fragment(file, &source.text);
    let mut parser = Parser::new(file, &source.text, lexed.tokens);
    let root = parser.expression();
    if parser.peek() != TokenKind::Eof {
        parser.expected("an operator or the end of the expression");
    }
    let mut diagnostics = lexed.diagnostics;
    diagnostics.extend(parser.diagnostics);
    order(&mut diagnostics);
    ExpressionParse {
        ast: Ast { file, exprs: parser.exprs, modules: Vec::new() },
        root,
        diagnostics,
    }
}

/// An open junction list: what limits which tokens the productions inside may see.
#[derive(Clone, Copy)]
struct Fence {
    /// Tokens in this column or left of it are not shown. 0 outside of junction lists.
    col: u32,
    /// The token index of the bullet, to explain errors.
    bullet: u32,
}

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    tokens: Vec<Token>,
    pos: usize,
    fence: Fence,
    /// After a mistake, until the next unit.
    stopped: bool,
    depth: u32,
    /// How many modules and proofs are open.
    structure_depth: u32,
    /// Whether an ASSUME/PROVE may stand where a label is.
    in_theorem: bool,
    /// The level of the steps being parsed; -1 outside of proofs.
    proof_level: i64,
    exprs: Vec<Expr>,
    diagnostics: Vec<Diagnostic>,
    /// Operators whose right operand is not complete, of all open chains.
    pending: Vec<operator_chains::Pending>,
    /// Operands of all open chains.
    operands: Vec<ExprId>,
    /// Brackets known to hold a binder whose set is more than an operand of `\in`.
    wide_binders: FxHashSet<usize>,
}

impl<'t> Parser<'t> {
    fn new(file: FileId, text: &'t str, tokens: Vec<Token>) -> Self {
        Self {
            file,
            text,
            exprs: Vec::with_capacity(tokens.len() / 2),
            tokens,
            pos: 0,
            fence: Fence { col: 0, bullet: 0 },
            stopped: false,
            depth: 0,
            structure_depth: 0,
            in_theorem: false,
            proof_level: -1,
            diagnostics: Vec::new(),
            pending: Vec::new(),
            operands: Vec::new(),
            wide_binders: FxHashSet::default(),
        }
    }

    /// All modules, with the errors found.
    fn modules(&mut self) -> (Vec<Module>, Vec<Diagnostic>) {
        let mut modules = Vec::new();
        let mut errors = Vec::new();
        // The lexer shows nothing but headers outside of modules.
        while self.peek() == TokenKind::Dashes {
            modules.push(self.module());
            self.stopped = false;
            errors.append(&mut self.diagnostics);
        }
        if modules.is_empty() && !self.has_bare_algorithm() {
            errors.push(self.no_module());
        }
        (modules, errors)
    }

    /// Whether the file is a PlusCal algorithm without a module around it, which the translator
    /// reads.
    fn has_bare_algorithm(&self) -> bool {
        self.text.match_indices("--").any(|(at, _)| {
            let rest = self.text[at + 2..].trim_start_matches([' ', '\t']);
            let rest = rest.strip_prefix("fair").map_or(rest, str::trim_start);
            rest.strip_prefix("algorithm").is_some_and(|name| name.starts_with(char::is_whitespace))
        })
    }

    // ---- The cursor. ----

    /// The current token as far as it may be seen.
    #[inline]
    fn peek(&self) -> TokenKind {
        self.visible(self.tokens[self.pos])
    }

    /// The token `ahead` of the current one.
    #[inline]
    fn peek_at(&self, ahead: usize) -> TokenKind {
        match self.tokens.get(self.pos + ahead) {
            Some(token) => self.visible(*token),
            None => TokenKind::Eof,
        }
    }

    #[inline]
    fn visible(&self, token: Token) -> TokenKind {
        if self.stopped {
            TokenKind::Eof
        } else if token.col <= self.fence.col {
            TokenKind::ItemEnd
        } else {
            token.kind
        }
    }

    #[inline]
    fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    /// Takes the current token.
    #[inline]
    fn bump(&mut self) -> Token {
        let token = self.tokens[self.pos];
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
        token
    }

    /// Takes the current token if it is of this kind.
    #[inline]
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Takes a token of this kind or reports that it is missing.
    fn expect(&mut self, kind: TokenKind, what: &str) -> bool {
        let found = self.eat(kind);
        if !found {
            self.expected(what);
        }
        found
    }

    fn token_text(&self, token: Token) -> &'t str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn token_span(&self, token: Token) -> Span {
        Span::new(self.file, token.start, token.end)
    }

    /// From a byte to the end of the last token taken.
    fn span_from(&self, start: u32) -> Span {
        let end = match self.pos.checked_sub(1) {
            Some(last) => self.tokens[last].end,
            None => start,
        };
        Span::new(self.file, start, end.max(start))
    }

    // ---- Building. ----

    fn add(&mut self, span: Span, kind: ExprKind) -> ExprId {
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(Expr { span, kind });
        id
    }

    fn span_of(&self, id: ExprId) -> Span {
        self.exprs[id.0 as usize].span
    }

    /// An error node at the current token.
    fn error_expr(&mut self) -> ExprId {
        let token = self.token();
        let span = self.token_span(token);
        self.add(span, ExprKind::Error)
    }

    fn name(&self, token: Token) -> Name {
        Name::new(self.token_text(token))
    }

    fn ident_of(&self, token: Token) -> Ident {
        Ident { name: self.name(token), span: self.token_span(token) }
    }

    fn operator_ident(&self, token: Token, id: OperatorId) -> Ident {
        Ident { name: Name::new_static(id.get().name), span: self.token_span(token) }
    }

    /// Takes an identifier or reports that it is missing.
    fn ident(&mut self, what: &str) -> Ident {
        if self.peek() == TokenKind::Ident {
            let token = self.bump();
            return self.ident_of(token);
        }
        let token = self.token();
        self.expected(what);
        Ident { name: Name::new_static(""), span: Span::new(self.file, token.start, token.start) }
    }

    /// One or more identifiers with commas between them.
    fn ident_list(&mut self, what: &str) -> Vec<Ident> {
        let mut names = vec![self.ident(what)];
        while self.eat(TokenKind::Comma) {
            names.push(self.ident(what));
        }
        names
    }

    /// Runs a production one level deeper, on a stack that is large enough.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= NESTING_LIMIT && !self.stopped {
            self.too_deep(NESTING_LIMIT);
        }
        self.depth += 1;
        let result = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || production(self));
        self.depth -= 1;
        result
    }

    /// The same for what owns its parts: at the limit the production does not run.
    fn nested_structure<T>(&mut self, production: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.structure_depth >= STRUCTURE_LIMIT {
            self.too_deep(STRUCTURE_LIMIT);
            return None;
        }
        self.structure_depth += 1;
        let result = self.nested(production);
        self.structure_depth -= 1;
        Some(result)
    }
}
