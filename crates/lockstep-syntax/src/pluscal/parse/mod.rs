//! The parser of both PlusCal syntaxes.
//!
//! Builds the tree with macros expanded (a macro may use the macros before it only) and with
//! `call` joined to the `return` or `goto` behind it. Labels are checked and added elsewhere. The
//! first error ends the parse, as no later one could be trusted.

mod macros;
mod statements;

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::ast::{Algorithm, Body, Fairness, Name, Procedure, Process, Stmt, Uses, Variable};
use super::expr::Expr;
use super::token::{Kind, LexError, Token};
use statements::{collect_uses, join_calls};

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
}
