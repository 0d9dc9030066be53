//! Statements in both syntaxes.

use std::ops::Range;

use super::{NESTING_LIMIT, Parsed, Parser, Problem, is_keyword};
use crate::pluscal::ast::{After, Assign, Label, Stmt, StmtKind, Uses};
use crate::pluscal::expr::Expr;
use crate::pluscal::token::{Kind, Token};

impl Parser<'_> {
    /// Statements up to what cannot start one.
    pub(super) fn statements(&mut self) -> Parsed<Vec<Stmt>> {
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
    pub(super) fn sub_body(&mut self, open: &str, what: &str) -> Parsed<Vec<Stmt>> {
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
}

/// Joins each `call` with an unlabelled `return` or `goto` right behind it.
pub(super) fn join_calls(stmts: &mut Vec<Stmt>) {
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
pub(super) fn collect_uses(stmts: &[Stmt], uses: &mut Uses) {
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
