//! The parser of both PlusCal syntaxes.
//!
//! Builds the tree with macros expanded (a macro may use the macros before it only) and with
//! `call` joined to the `return` or `goto` behind it. Labels are checked and added elsewhere. The
//! first error ends the parse, as no later one could be trusted.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::ast::{
    After, Algorithm, Assign, Body, Fairness, Label, Name, Procedure, Process, Stmt, StmtKind,
    Uses, Variable,
};
use super::expr::Expr;
use super::token::{Kind, LexError, Token};

/// What is wrong and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Problem {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) range: Range<usize>,
    /// Calls of macros the place was expanded from, the innermost first.
    pub(super) called_at: Vec<Range<usize>>,
    pub(super) help: Option<&'static str>,
}

impl Problem {
    pub(super) fn new(code: &'static str, range: Range<usize>, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), range, called_at: Vec::new(), help: None }
    }

    pub(super) fn at(code: &'static str, stmt: &Stmt, message: impl Into<String>) -> Self {
        let mut problem = Self::new(code, stmt.range.clone(), message);
        problem.called_at.clone_from(&stmt.called_at);
        problem
    }

    pub(super) fn help(mut self, help: &'static str) -> Self {
        self.help = Some(help);
        self
    }
}

/// Words that no expression contains.
const KEYWORDS: &[&str] = &[
    "assert",
    "await",
    "begin",
    "call",
    "define",
    "do",
    "either",
    "else",
    "elsif",
    "end",
    "fair",
    "goto",
    "if",
    "macro",
    "or",
    "print",
    "procedure",
    "process",
    "return",
    "skip",
    "then",
    "variable",
    "variables",
    "when",
    "while",
    "with",
];

fn is_keyword(token: &Token) -> bool {
    token.kind == Kind::Ident && KEYWORDS.contains(&token.text.as_str())
}

/// How deep statements may nest: far more than anyone writes, and little enough for recursion.
const NESTING_LIMIT: usize = 250;

struct MacroDef {
    parameters: Vec<String>,
    body: Vec<Stmt>,
}

struct Parser<'a> {
    tokens: &'a [Token],
    lex_error: Option<&'a LexError>,
    at: usize,
    /// Braces rather than `begin` and `end`.
    braces: bool,
    macros: FxHashMap<String, MacroDef>,
    in_macro: bool,
    procedure: Option<String>,
    uses: Uses,
    depth: usize,
}

type Parsed<T> = Result<T, Problem>;

/// Parses the algorithm whose tokens begin with `--algorithm` or `--fair algorithm`.
pub(super) fn parse(tokens: &[Token], lex_error: Option<&LexError>) -> Parsed<Algorithm> {
    let mut parser = Parser {
        tokens,
        lex_error,
        at: 0,
        braces: false,
        macros: FxHashMap::default(),
        in_macro: false,
        procedure: None,
        uses: Uses::default(),
        depth: 0,
    };
    parser.algorithm().map_err(|problem| match lex_error {
        // Without its end the comment swallows what follows; no other error means anything.
        Some(error) if error.unterminated => {
            Problem::new("pcal-lexical", error.range.clone(), error.message.clone())
        }
        _ => problem,
    })
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.nth(0)
    }

    fn nth(&self, n: usize) -> &Token {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is(text)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.next();
        }
        found
    }

    /// The problem of finding something else than `wanted`; a lexical error goes first.
    fn unexpected(&self, wanted: &str) -> Problem {
        let token = self.peek();
        if token.kind == Kind::End {
            if let Some(error) = self.lex_error {
                return Problem::new("pcal-lexical", error.range.clone(), error.message.clone());
            }
            let message = format!("Expected {wanted} but found the end of the comment");
            return Problem::new("pcal-syntax", token.range.clone(), message);
        }
        let found = if token.kind == Kind::String {
            token.text.clone()
        } else {
            format!("\"{}\"", token.text)
        };
        let message = format!("Expected {wanted} but found {found}");
        Problem::new("pcal-syntax", token.range.clone(), message)
    }

    fn expect(&mut self, text: &str) -> Parsed<Token> {
        if self.is(text) { Ok(self.next()) } else { Err(self.unexpected(&format!("\"{text}\""))) }
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != Kind::Ident || is_keyword(token) {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        Ok(Name { text: token.text, range: token.range })
    }

    fn algorithm(&mut self) -> Parsed<Algorithm> {
        let start = self.next();
        let fair = self.eat("fair");
        if !self.is("algorithm") {
            let range = start.range.start..self.peek().range.end;
            return Err(Problem::new("pcal-syntax", range, "`--fair' not followed by `algorithm'"));
        }
        self.next();
        let name = self.name("the name of the algorithm")?;
        self.braces = self.is("{");
        if self.braces {
            self.next();
        }
        let variables = self.declarations()?;
        let define = self.define()?;
        while self.is("macro") {
            self.macro_definition()?;
        }
        let mut procedures = Vec::new();
        while self.is("procedure") {
            procedures.push(self.procedure()?);
        }
        let lone_fair = self.braces
            && self.is("fair")
            && (self.nth(1).is("{") || self.nth(1).is("+") && self.nth(2).is("{"));
        if lone_fair {
            // `fair { … }`, as version 1.5 has it for a lone body.
            self.next();
            self.eat("+");
        }
        let body = if self.is("process") || self.is("fair") {
            let mut processes = Vec::new();
            while self.is("process") || self.is("fair") {
                processes.push(self.process()?);
            }
            Body::Processes(processes)
        } else {
            // The labels and calls of a lone body count for the last procedure, as the checksum of
            // the reference translator shows; without procedures they count for nothing.
            let shared = procedures.last().map(|last: &Procedure| last.uses.clone());
            self.uses = shared.unwrap_or_default();
            let body = self.body("algorithm")?;
            if let Some(last) = procedures.last_mut() {
                last.uses = std::mem::take(&mut self.uses);
            }
            Body::Single(body)
        };
        if self.braces {
            self.expect("}")?;
        } else if matches!(body, Body::Processes(_)) {
            self.expect("end")?;
            if !self.is("algorithm") {
                return Err(self.unexpected("\"algorithm\""));
            }
            self.next();
        }
        Ok(Algorithm { name, fair, fair_body: lone_fair, variables, define, procedures, body })
    }

    /// The body of an algorithm, a procedure or a process: `{ … }` or `begin … end what`.
    fn body(&mut self, what: &str) -> Parsed<Vec<Stmt>> {
        let mut stmts;
        if self.braces {
            let open = self.expect("{")?;
            stmts = self.statements()?;
            self.expect("}")?;
            if stmts.is_empty() {
                return Err(Problem::new(
                    "pcal-empty",
                    open.range,
                    format!("Empty body of {what}"),
                ));
            }
        } else {
            let begin = self.expect("begin")?;
            stmts = self.statements()?;
            self.end(what)?;
            if stmts.is_empty() {
                return Err(Problem::new(
                    "pcal-empty",
                    begin.range,
                    format!("Empty body of {what}"),
                ));
            }
        }
        join_calls(&mut stmts);
        collect_uses(&stmts, &mut self.uses);
        Ok(stmts)
    }

    fn end(&mut self, what: &str) -> Parsed<()> {
        if !self.is("end") {
            // What cannot start a statement is read as an assignment that lacks its `:=`.
            return Err(self.unexpected("\":=\" or \"end\""));
        }
        self.next();
        self.expect(what)?;
        Ok(())
    }

    /// `variables x = 1, y \in S; …`, if there are any.
    fn declarations(&mut self) -> Parsed<Vec<Variable>> {
        let mut variables = Vec::new();
        if !(self.eat("variables") || self.eat("variable")) {
            return Ok(variables);
        }
        loop {
            variables.push(self.declaration()?);
            let separated = self.eat(";") || self.eat(",");
            let more = self.peek().kind == Kind::Ident && !is_keyword(self.peek());
            if !more {
                return Ok(variables);
            }
            if !separated {
                return Err(self.unexpected("\";\""));
            }
        }
    }

    fn declaration(&mut self) -> Parsed<Variable> {
        let name = self.name("the name of a variable")?;
        let is_in = self.is("\\in") || self.is("∈");
        let mut value = None;
        if is_in || self.is("=") {
            let sign = self.next();
            let expr = self.expr()?;
            if expr.is_empty() {
                let message = format!("Empty value of variable {}", name.text);
                return Err(Problem::new("pcal-empty", sign.range, message));
            }
            value = Some(expr);
        }
        Ok(Variable { name, is_in, value })
    }

    fn define(&mut self) -> Parsed<Expr> {
        if !self.eat("define") {
            return Ok(Expr::default());
        }
        let start = self.at + usize::from(self.braces);
        let mut depth = 0;
        if self.braces {
            self.expect("{")?;
        }
        loop {
            let token = self.peek();
            if token.kind == Kind::End {
                return Err(self.unexpected("the end of the define statement"));
            }
            if self.braces {
                if token.is("{") {
                    depth += 1;
                } else if token.is("}") {
                    if depth == 0 {
                        break;
                    }
                    depth -= 1;
                }
            } else if token.is("end") {
                break;
            }
            self.next();
        }
        let expr = Expr::new(&self.tokens[start..self.at]);
        self.next();
        if !self.braces {
            self.expect("define")?;
        }
        self.eat(";");
        Ok(expr)
    }

    fn macro_definition(&mut self) -> Parsed<()> {
        self.next();
        let name = self.name("the name of a macro")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            parameters.push(self.name("a parameter")?.text);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        self.in_macro = true;
        let mut body;
        if self.braces {
            self.expect("{")?;
            body = self.statements()?;
            self.expect("}")?;
        } else {
            self.expect("begin")?;
            body = self.statements()?;
            self.end("macro")?;
        }
        self.in_macro = false;
        self.eat(";");
        join_calls(&mut body);
        if self.macros.contains_key(&name.text) {
            let message = format!("Macro {} redefined", name.text);
            return Err(Problem::new("pcal-redefined", name.range, message));
        }
        self.macros.insert(name.text, MacroDef { parameters, body });
        Ok(())
    }

    fn procedure(&mut self) -> Parsed<Procedure> {
        self.next();
        let name = self.name("the name of a procedure")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.is(")") {
            parameters.push(self.declaration()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        let variables = self.declarations()?;
        self.uses = Uses::default();
        self.procedure = Some(name.text.clone());
        let body = self.body("procedure")?;
        self.procedure = None;
        self.eat(";");
        let uses = std::mem::take(&mut self.uses);
        Ok(Procedure { name, parameters, variables, body, uses })
    }

    fn process(&mut self) -> Parsed<Process> {
        let mut fairness = Fairness::Unfair;
        if self.eat("fair") {
            fairness = if self.eat("+") { Fairness::Strong } else { Fairness::Weak };
        }
        self.expect("process")?;
        if self.braces {
            self.expect("(")?;
        }
        let name = self.name("the name of a process")?;
        let is_in = self.is("\\in") || self.is("∈");
        if !is_in && !self.is("=") {
            return Err(self.unexpected("\"=\" or \"\\in\""));
        }
        let sign = self.next();
        let id = self.expr()?;
        if id.is_empty() {
            return Err(Problem::new("pcal-empty", sign.range, "Empty process identifier"));
        }
        if self.braces {
            self.expect(")")?;
        } else {
            self.eat(";");
        }
        let variables = self.declarations()?;
        self.uses = Uses::default();
        let body = self.body("process")?;
        self.eat(";");
        let uses = std::mem::take(&mut self.uses);
        Ok(Process { name, fairness, is_in, id, variables, body, uses })
    }

    /// An expression: all up to a separator, a closing bracket or a keyword outside brackets.
    fn expr(&mut self) -> Parsed<Expr> {
        let start = self.at;
        let mut depth = 0;
        // In `\A i, j \in S :` commas belong to the expression up to the colon.
        let mut quantified = false;
        loop {
            let token = self.peek();
            let stop = token.kind == Kind::End
                || is_keyword(token)
                || token.kind == Kind::Symbol && matches!(token.text.as_str(), ";" | ":=");
            if stop && depth > 0 {
                if token.kind == Kind::End && self.lex_error.is_some() {
                    return Err(self.unexpected(""));
                }
                let message = format!(
                    "Expression with an unmatched (, [, {{, or << followed by `{}' found",
                    token.text
                );
                return Err(Problem::new("pcal-unmatched", token.range.clone(), message));
            }
            if stop {
                break;
            }
            if token.kind == Kind::Symbol {
                match token.text.as_str() {
                    "(" | "[" | "{" | "<<" => depth += 1,
                    ")" | "]" | "}" | ">>" | "]_" | ">>_" => {
                        if depth == 0 {
                            break;
                        }
                        depth -= 1;
                    }
                    "||" if depth == 0 => break,
                    "," if depth == 0 && !quantified => break,
                    "\\A" | "\\E" | "\\AA" | "\\EE" | "\\forall" | "\\exists" | "∀" | "∃" => {
                        quantified |= depth == 0;
                    }
                    ":" if depth == 0 => quantified = false,
                    _ => {}
                }
            }
            self.next();
        }
        Ok(Expr::new(&self.tokens[start..self.at]))
    }

    /// An expression that must not be empty; `place` is where the problem is shown.
    fn full_expr(&mut self, place: &Range<usize>, what: &str) -> Parsed<Expr> {
        let expr = self.expr()?;
        if expr.is_empty() {
            if self.peek().kind == Kind::End && self.lex_error.is_some() {
                return Err(self.unexpected(""));
            }
            return Err(Problem::new("pcal-empty", place.clone(), format!("Empty {what}")));
        }
        Ok(expr)
    }

    /// Statements up to what cannot start one.
    fn statements(&mut self) -> Parsed<Vec<Stmt>> {
        let mut stmts = Vec::new();
        loop {
            let stops = ["}", "end", "else", "elsif", "or"];
            if self.peek().kind == Kind::End || stops.iter().any(|stop| self.is(stop)) {
                return Ok(stmts);
            }
            let before = self.at;
            self.statement(&mut stmts)?;
            let closed = self.braces && self.at > before && self.tokens[self.at - 1].is("}");
            let stopped = self.peek().kind == Kind::End || stops.iter().any(|stop| self.is(stop));
            if !self.eat(";") && !closed && !stopped {
                let token = self.peek();
                let separator = matches!(token.text.as_str(), "," | ":=" | "||" | ")" | "]" | ">>");
                return Err(if token.kind == Kind::Symbol && separator {
                    self.unexpected("\";\"")
                } else {
                    let range = token.range.clone();
                    Problem::new(
                        "pcal-syntax",
                        range,
                        format!("Missing `;' before \"{}\"", token.text),
                    )
                });
            }
        }
    }

    fn label(&mut self) -> Parsed<Option<Label>> {
        let token = self.peek();
        if token.kind != Kind::Ident || is_keyword(token) || !self.nth(1).is(":") {
            return Ok(None);
        }
        let name = self.name("a label")?;
        self.next();
        if self.in_macro {
            return Err(Problem::new(
                "pcal-label-in-macro",
                name.range,
                "A label may not appear in a macro",
            ));
        }
        if name.text == "Done" || name.text == "Error" {
            let message = format!("Cannot use `{}' as a label", name.text);
            return Err(Problem::new("pcal-label-name", name.range, message));
        }
        let modifier = if self.eat("+") {
            Some('+')
        } else if self.eat("-") {
            Some('-')
        } else {
            None
        };
        if let Some(modifier) = modifier {
            let list = if modifier == '+' { &mut self.uses.plus } else { &mut self.uses.minus };
            list.push(name.text.clone());
        }
        Ok(Some(Label { name, modifier }))
    }

    /// One statement, or the statements of a block or a macro, appended to `out`.
    fn statement(&mut self, out: &mut Vec<Stmt>) -> Parsed<()> {
        if self.depth == NESTING_LIMIT {
            let message = format!("Statements nested more than {NESTING_LIMIT} deep");
            return Err(Problem::new("pcal-nesting", self.peek().range.clone(), message));
        }
        self.depth += 1;
        let parsed = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.statement_inner(out));
        self.depth -= 1;
        parsed
    }

    fn statement_inner(&mut self, out: &mut Vec<Stmt>) -> Parsed<()> {
        let label = self.label()?;
        let first = out.len();
        let token = self.peek().clone();
        if self.braces && token.is("{") {
            self.next();
            let stmts = self.statements()?;
            self.expect("}")?;
            if stmts.is_empty() {
                return Err(Problem::new("pcal-empty", token.range, "Empty block"));
            }
            out.extend(stmts);
        } else {
            let kind = self.simple(&token)?;
            let mut range = token.range.clone();
            let whole = matches!(
                kind,
                StmtKind::Assign(_)
                    | StmtKind::Goto(_)
                    | StmtKind::Call { .. }
                    | StmtKind::Macro { .. }
            );
            if whole {
                range.end = self.tokens[self.at.saturating_sub(1)].range.end.max(range.end);
            }
            let stmt = Stmt { label: None, kind, range, called_at: Vec::new() };
            match &stmt.kind {
                StmtKind::Macro { name, args } => {
                    let expanded = self.expand(&stmt, name, args)?;
                    out.extend(expanded);
                }
                _ => out.push(stmt),
            }
        }
        let Some(label) = label else { return Ok(()) };
        match out.get_mut(first) {
            Some(stmt) if stmt.label.is_none() => stmt.label = Some(label),
            Some(_) => {
                let message = format!("Two labels on one statement: {}", label.name.text);
                return Err(Problem::new("pcal-label-twice", label.name.range, message));
            }
            None => {
                let message = format!("Label {} stands before no statement", label.name.text);
                return Err(Problem::new("pcal-empty", label.name.range, message));
            }
        }
        Ok(())
    }

    fn simple(&mut self, token: &Token) -> Parsed<StmtKind> {
        let place = &token.range;
        let keyword = if token.kind == Kind::Ident { token.text.as_str() } else { "" };
        match keyword {
            "if" => self.if_statement(),
            "either" => self.either(token),
            "while" => {
                self.next();
                let test = self.test("do", place, "while test")?;
                let body = self.sub_body("do", "while")?;
                if body.is_empty() {
                    let range = self.peek().range.clone();
                    return Err(Problem::new(
                        "pcal-empty",
                        range,
                        "Missing body of while statement",
                    ));
                }
                Ok(StmtKind::While { test, body })
            }
            "with" => self.with(token),
            "await" | "when" => {
                self.next();
                Ok(StmtKind::When(self.full_expr(place, &format!("`{keyword}' expression"))?))
            }
            "print" => {
                self.next();
                Ok(StmtKind::Print(self.full_expr(place, "`print' expression")?))
            }
            "assert" => {
                self.next();
                Ok(StmtKind::Assert(self.full_expr(place, "`assert' expression")?))
            }
            "skip" => {
                self.next();
                Ok(StmtKind::Skip)
            }
            "goto" => {
                self.next();
                Ok(StmtKind::Goto(self.name("a label")?))
            }
            "call" => {
                self.next();
                let procedure = self.name("the name of a procedure")?;
                if !self.uses.calls.contains(&procedure.text) {
                    self.uses.calls.push(procedure.text.clone());
                }
                let args = self.arguments()?;
                Ok(StmtKind::Call { procedure, args, after: After::Nothing })
            }
            "return" => {
                self.next();
                match &self.procedure {
                    Some(name) => Ok(StmtKind::Return(name.clone())),
                    None => Err(Problem::new(
                        "pcal-return",
                        place.clone(),
                        "return statement not in a procedure",
                    )),
                }
            }
            _ if self.nth(1).is("(") && token.kind == Kind::Ident && !is_keyword(token) => {
                let name = self.name("the name of a macro")?;
                let args = self.arguments()?;
                Ok(StmtKind::Macro { name, args })
            }
            _ => self.assignment(),
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let open = self.expect("(")?;
        let mut args = Vec::new();
        if self.eat(")") {
            return Ok(args);
        }
        loop {
            args.push(self.full_expr(&open.range, "argument")?);
            if self.eat(")") {
                return Ok(args);
            }
            self.expect(",")?;
        }
    }

    fn assignment(&mut self) -> Parsed<StmtKind> {
        let mut assigns = Vec::new();
        let mut sign_before = None;
        loop {
            let mut variable = self.name("a statement")?;
            // A later assignment is shown with the `||` it comes after, as one statement has them.
            variable.range.start = sign_before.unwrap_or(variable.range.start);
            let subscript = self.expr()?;
            let sign = self.expect(":=")?;
            let value = self.full_expr(&sign.range, "right-hand side of assignment")?;
            assigns.push(Assign { variable, subscript, value });
            sign_before = Some(self.peek().range.start);
            if !self.eat("||") {
                return Ok(StmtKind::Assign(assigns));
            }
        }
    }

    /// A test: in parentheses, or up to `until`.
    fn test(&mut self, until: &str, place: &Range<usize>, what: &str) -> Parsed<Expr> {
        if self.braces {
            self.expect("(")?;
            let expr = self.full_expr(place, what)?;
            self.expect(")")?;
            Ok(expr)
        } else {
            let expr = self.full_expr(place, what)?;
            if !self.is(until) {
                return Err(self.unexpected(&format!("\"{until}\"")));
            }
            Ok(expr)
        }
    }

    /// One statement in braces syntax, else `open … end what`.
    fn sub_body(&mut self, open: &str, what: &str) -> Parsed<Vec<Stmt>> {
        if self.braces {
            return self.single();
        }
        self.expect(open)?;
        let mut body = self.statements()?;
        self.end(what)?;
        join_calls(&mut body);
        Ok(body)
    }

    /// One statement of the braces syntax as a list.
    fn single(&mut self) -> Parsed<Vec<Stmt>> {
        let mut body = Vec::new();
        if self.is("{") && self.nth(1).is("}") {
            self.next();
            self.next();
            return Ok(body);
        }
        self.statement(&mut body)?;
        join_calls(&mut body);
        Ok(body)
    }

    /// `clause ; else` is read as `clause else`.
    fn eat_before(&mut self, word: &str) {
        if self.is(";") && self.nth(1).is(word) {
            self.next();
        }
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        let start = self.next();
        let test = self.test("then", &start.range, "if test")?;
        if self.braces {
            let then = self.single()?;
            if then.is_empty() {
                let range = self.peek().range.clone();
                return Err(Problem::new("pcal-empty", range, "Missing body of `then' clause"));
            }
            self.eat_before("else");
            let otherwise = if self.eat("else") { self.single()? } else { Vec::new() };
            return Ok(StmtKind::If { test, then, otherwise });
        }
        self.expect("then")?;
        let mut then = self.statements()?;
        join_calls(&mut then);
        let mut otherwise = Vec::new();
        let mut has_else = false;
        if self.is("elsif") {
            let range = self.peek().range.clone();
            self.depth += 1;
            if self.depth >= NESTING_LIMIT {
                let message = format!("Statements nested more than {NESTING_LIMIT} deep");
                return Err(Problem::new("pcal-nesting", range, message));
            }
            let kind = self.if_statement()?;
            self.depth -= 1;
            otherwise.push(Stmt { label: None, kind, range, called_at: Vec::new() });
            has_else = true;
        } else {
            if self.eat("else") {
                has_else = true;
                otherwise = self.statements()?;
                join_calls(&mut otherwise);
            }
            self.end("if")?;
        }
        if then.is_empty() {
            let range = self.peek().range.clone();
            return Err(Problem::new("pcal-empty", range, "Missing body of `then' clause"));
        }
        if has_else && otherwise.is_empty() {
            let range = self.peek().range.clone();
            return Err(Problem::new("pcal-empty", range, "Missing body of `else' clause"));
        }
        Ok(StmtKind::If { test, then, otherwise })
    }

    fn either(&mut self, start: &Token) -> Parsed<StmtKind> {
        self.next();
        let mut clauses = Vec::new();
        loop {
            let place = self.peek().range.clone();
            let clause = if self.braces {
                self.single()?
            } else {
                let mut clause = self.statements()?;
                join_calls(&mut clause);
                clause
            };
            if clause.is_empty() {
                return Err(Problem::new("pcal-empty", place, "Missing body of `either' clause"));
            }
            clauses.push(clause);
            if self.braces {
                self.eat_before("or");
            }
            if !self.eat("or") {
                break;
            }
        }
        if !self.braces {
            self.end("either")?;
        }
        if clauses.len() < 2 {
            return Err(Problem::new(
                "pcal-either",
                start.range.clone(),
                "`either' statement has no `or'",
            ));
        }
        Ok(StmtKind::Either(clauses))
    }

    fn with(&mut self, start: &Token) -> Parsed<StmtKind> {
        self.next();
        if self.braces {
            self.expect("(")?;
        }
        let mut bound = Vec::new();
        loop {
            let name = self.name("a variable")?;
            let is_in = self.is("\\in") || self.is("∈");
            if !is_in && !self.is("=") {
                return Err(self.unexpected("\"=\" or \"\\in\""));
            }
            let sign = self.next();
            let value = self.full_expr(&sign.range, "with expression")?;
            bound.push((name, is_in, value));
            let separated = self.eat(";") || self.eat(",");
            if self.is(")") || self.is("do") {
                break;
            }
            if !separated {
                return Err(self.unexpected(if self.braces { "\")\"" } else { "\"do\"" }));
            }
        }
        if self.braces {
            self.expect(")")?;
        }
        let mut body = self.sub_body("do", "with")?;
        if body.is_empty() {
            return Err(Problem::new(
                "pcal-empty",
                start.range.clone(),
                "Missing body of with statement",
            ));
        }
        let inner = bound.split_off(1);
        for (variable, is_in, value) in inner.into_iter().rev() {
            let range = start.range.clone();
            let kind = StmtKind::With { variable, is_in, value, body };
            body = vec![Stmt { label: None, kind, range, called_at: Vec::new() }];
        }
        match bound.pop() {
            Some((variable, is_in, value)) => Ok(StmtKind::With { variable, is_in, value, body }),
            None => Err(self.unexpected("a variable")),
        }
    }

    fn expand(&self, call: &Stmt, name: &Name, args: &[Expr]) -> Parsed<Vec<Stmt>> {
        let Some(found) = self.macros.get(&name.text) else {
            let message = format!("Macro {} undefined", name.text);
            return Err(Problem::new("pcal-macro-undefined", name.range.clone(), message)
                .help("a macro is defined before it is used, and does not use itself"));
        };
        if found.parameters.len() != args.len() {
            let message = format!(
                "Macro {} called with wrong number of arguments: {} instead of {}",
                name.text,
                args.len(),
                found.parameters.len()
            );
            return Err(Problem::new("pcal-arguments", name.range.clone(), message));
        }
        let map: FxHashMap<String, Expr> =
            found.parameters.iter().cloned().zip(args.iter().cloned()).collect();
        let mut body = found.body.clone();
        for stmt in &mut body {
            expand_statement(stmt, &map, call)?;
        }
        Ok(body)
    }
}

fn expand_statement(stmt: &mut Stmt, args: &FxHashMap<String, Expr>, call: &Stmt) -> Parsed<()> {
    stmt.called_at.push(call.range.clone());
    for expr in stmt.kind.exprs_mut() {
        expr.substitute(args);
    }
    let called_at = stmt.called_at.clone();
    if let StmtKind::Assign(assigns) = &mut stmt.kind {
        for assign in assigns {
            let Some(arg) = args.get(&assign.variable.text) else { continue };
            let mut pieces = arg.pieces();
            let variable = pieces.next().filter(|piece| piece.kind == Kind::Ident);
            let rest_is_subscript =
                pieces.next().is_none_or(|piece| matches!(piece.text.as_str(), "[" | "."));
            let Some(variable) = variable.filter(|_| rest_is_subscript) else {
                let message = format!(
                    "Macro expansion substitutes `{}' for assignment variable",
                    arg.to_line()
                );
                let mut problem =
                    Problem::new("pcal-macro-assign", assign.variable.range.clone(), message);
                problem.called_at = called_at;
                return Err(problem);
            };
            assign.variable.text.clone_from(&variable.text);
            let mut subscript = arg.without_first();
            subscript.append(&assign.subscript);
            assign.subscript = subscript;
        }
    }
    if let StmtKind::Goto(label) = &mut stmt.kind
        && let Some(piece) = args.get(&label.text).and_then(Expr::single)
    {
        label.text.clone_from(&piece.text);
    }
    for list in stmt.kind.lists_mut() {
        for inner in list {
            expand_statement(inner, args, call)?;
        }
    }
    Ok(())
}

/// Joins each `call` with an unlabelled `return` or `goto` right behind it.
fn join_calls(stmts: &mut Vec<Stmt>) {
    let mut idx = 0;
    while idx + 1 < stmts.len() {
        let next = &stmts[idx + 1];
        let joined = match &next.kind {
            _ if next.label.is_some() => None,
            StmtKind::Return(from) => Some(After::Return(from.clone())),
            StmtKind::Goto(label) => Some(After::Goto(label.clone())),
            _ => None,
        };
        if let (StmtKind::Call { after, .. }, Some(joined)) = (&mut stmts[idx].kind, joined)
            && *after == After::Nothing
        {
            *after = joined;
            stmts.remove(idx + 1);
        }
        idx += 1;
    }
}

/// Adds the calls of expanded macros, which the parser did not see at their place.
fn collect_uses(stmts: &[Stmt], uses: &mut Uses) {
    for stmt in stmts {
        if let StmtKind::Call { procedure, .. } = &stmt.kind
            && !uses.calls.contains(&procedure.text)
        {
            uses.calls.push(procedure.text.clone());
        }
        for list in stmt.kind.lists() {
            collect_uses(list, uses);
        }
    }
}
