//! An algorithm's tree as a TLA+ record, the text that `chksum(pcal)` is computed from.
//!
//! The text is that of the reference translator to the last blank (its option `-writeAST` shows most
//! of it), since a checksum made from anything else would call every translation of that tool stale.
//! It is the tree as that translator leaves it behind: labels added, names renamed, multiple
//! assignments sorted, fairness options applied, and branches that leave a step ending in an
//! assignment to `pc`.

use super::ast::{
    After, Algorithm, Assign, Body, Fairness, Procedure, Stmt, StmtKind, Uses, Variable, blocks,
};
use super::explode::{Node, nodes_of};
use super::expr::Expr;
use super::generate::default_value;
use super::token::Kind;

/// The text.
pub(super) fn tree_text(algorithm: &Algorithm) -> String {
    let procedures = &algorithm.procedures;
    let mut text = Text { out: String::new(), col: 0, procedures };
    text.algorithm(algorithm);
    text.out
}

struct Text<'a> {
    out: String,
    col: usize,
    procedures: &'a [Procedure],
}

impl Text<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        match text.rfind('\n') {
            Some(at) => self.col = text[at + 1..].chars().count(),
            None => self.col += text.chars().count(),
        }
    }

    /// A new line that starts in column `col`.
    fn line(&mut self, col: usize) {
        self.put("\n");
        self.put(&" ".repeat(col));
    }

    /// `<<a, \nb>>` with the elements below each other.
    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        self.put("<<");
        let col = self.col;
        for (idx, item) in items.into_iter().enumerate() {
            if idx > 0 {
                self.put(", ");
                self.line(col);
            }
            each(self, item);
        }
        self.put(">>");
    }

    fn words(&mut self, words: &[String]) {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        self.put(&format!("<<{}>>", quoted.join(", ")));
    }

    fn algorithm(&mut self, algorithm: &Algorithm) {
        let single = matches!(algorithm.body, Body::Single(_));
        let pad = if single { "  " } else { " " };
        if single {
            self.put("[type     |-> \"uniprocess\", ");
        } else {
            self.put("[type    |-> \"multiprocess\", ");
        }
        self.put(&format!("\n name  |-> \"{}\", ", algorithm.name.text));
        self.put(&format!("\n decls{pad}|-> "));
        self.list(&algorithm.variables, Self::variable);
        self.put(&format!(",\n defs {pad}|-> "));
        self.expr(&algorithm.define);
        self.put(&format!(",\n prcds{pad}|-> "));
        self.list(&algorithm.procedures, |text, procedure| {
            let col = text.col;
            text.put(&format!("[name   |-> \"{}\", ", procedure.name.text));
            text.line(col);
            text.uses(&procedure.uses);
            text.line(col + 1);
            text.put("params |-> ");
            text.list(&procedure.parameters, Self::variable);
            text.put(",");
            text.line(col + 1);
            text.put("decls  |-> ");
            text.list(&procedure.variables, Self::variable);
            text.put(",");
            text.line(col + 1);
            text.put("body   |-> ");
            text.steps(&procedure.body, "Error");
            text.put("]");
        });
        match &algorithm.body {
            Body::Single(body) => {
                self.put(",\n body  |-> ");
                self.steps(body, "Done");
            }
            Body::Processes(processes) => {
                self.put(",\n procs |-> ");
                self.list(processes, |text, process| {
                    let col = text.col + 1;
                    text.put(&format!("[name   |-> \"{}\",", process.name.text));
                    text.line(col);
                    let fairness = match process.fairness {
                        Fairness::Unfair => "unfair",
                        Fairness::Weak => "wf",
                        Fairness::Strong => "sf",
                    };
                    text.put(&format!("fairness |-> \"{fairness}\", "));
                    text.uses(&process.uses);
                    text.line(col);
                    text.put(&format!("eqOrIn |-> \"{}\",", sign(process.is_in)));
                    text.line(col);
                    text.put("id     |-> ");
                    text.expr(&process.id);
                    text.put(",");
                    text.line(col);
                    text.put("decls  |-> ");
                    text.list(&process.variables, Self::variable);
                    text.put(",");
                    text.line(col);
                    text.put("body   |-> ");
                    text.steps(&process.body, "Done");
                    text.put("]");
                });
            }
        }
        self.put("]");
    }

    fn uses(&mut self, uses: &Uses) {
        self.put("minusLabels |-> ");
        self.words(&uses.minus);
        self.put(", plusLabels |->");
        self.words(&uses.plus);
        self.put(", proceduresCalled |->");
        self.words(&uses.calls);
        self.put(",");
    }

    fn variable(&mut self, variable: &Variable) {
        let sign = sign(variable.is_in);
        self.put(&format!("[var |-> \"{}\", eqOrIn |-> \"{sign}\", val |-> ", variable.name.text));
        match &variable.value {
            Some(value) => self.expr(value),
            None => self.put("<< \"defaultInitValue\" >>"),
        }
        self.put("]");
    }

    fn expr(&mut self, expr: &Expr) {
        let text = expr_words(expr);
        self.put(&format!("<< {text} >>"));
    }

    fn steps(&mut self, list: &[Stmt], next: &str) {
        let (_, labelled) = blocks(list);
        let labels: Vec<&str> =
            labelled.iter().map(|(label, _)| label.name.text.as_str()).collect();
        self.list(labelled.into_iter().enumerate(), |text, (idx, (label, stmts))| {
            let col = text.col + 1;
            let after = labels.get(idx + 1).copied().unwrap_or(next);
            text.put(&format!("[label |-> \"{}\",", label.name.text));
            text.line(col);
            text.put("stmts |-> ");
            text.list(stmts, |text, stmt| match &stmt.kind {
                StmtKind::While { .. } => text.stmt(stmt, &label.name.text),
                _ => text.stmt(stmt, after),
            });
            text.put("]");
        });
    }

    fn plain(&mut self, list: &[Stmt], next: &str) {
        let (plain, labelled) = blocks(list);
        let next = labelled.first().map_or(next, |(label, _)| &label.name.text);
        self.stmts(plain, next);
    }

    fn stmts(&mut self, list: &[Stmt], next: &str) {
        self.list(list, |text, stmt| text.stmt(stmt, next));
    }

    /// The statements before the first label of a branch, with `pc` set at their end.
    ///
    /// The reference translator computes its checksum after it has translated, which leaves these
    /// assignments behind in the branches that hold labels, and only there.
    fn exploded(&mut self, list: &[Stmt], next: &str) {
        let (plain, labelled) = blocks(list);
        if plain.is_empty() {
            self.put("<<>>");
            return;
        }
        let next = labelled.first().map_or(next, |(label, _)| &label.name.text);
        self.list(nodes_of(plain, next), |text, node| text.node(&node));
    }

    fn node(&mut self, node: &Node<'_>) {
        let nodes = |text: &mut Self, list: &[Node<'_>]| text.list(list, Self::node);
        match node {
            Node::Plain { stmt, next } => match &stmt.kind {
                StmtKind::Return(from) => self.returned(from),
                StmtKind::Call { procedure, args, after } => {
                    self.called(&procedure.text, args, after, next);
                }
                _ => self.stmt(stmt, ""),
            },
            Node::Goto { label, .. } => self.set_pc(label),
            Node::If { test, then, otherwise, .. } => {
                self.if_text(test, |text| nodes(text, then), |text| nodes(text, otherwise));
            }
            Node::Either { clauses } => self.either_text(clauses, |text, one| nodes(text, one)),
            Node::With { stmt, body } => self.with_text(stmt, |text| nodes(text, body)),
        }
    }

    /// An assignment to whole variables; the values are given as words.
    fn set(&mut self, parts: &[(&str, String)]) {
        let col = self.col + 1;
        self.put("[type |-> \"assignment\"");
        self.field(col, "ass  |-> ");
        self.list(parts, |text, (name, value)| {
            let col = text.col + 1;
            text.put(&format!("[lhs |-> [var |-> \"{name}\", sub |-> <<  >>]"));
            text.field(col, &format!("rhs |-> << {value} >>]"));
        });
        self.put("]");
    }

    fn set_pc(&mut self, label: &str) {
        self.set(&[("pc", quoted(label))]);
    }

    /// Assignments one below the other.
    fn assignments(&mut self, sets: &[Vec<(&str, String)>]) {
        let col = self.col;
        for (idx, parts) in sets.iter().enumerate() {
            if idx > 0 {
                self.put(", ");
                self.line(col);
            }
            self.set(parts);
        }
    }

    fn returned(&mut self, from: &str) {
        let procedures = self.procedures;
        let mut sets = vec![vec![("pc", words("Head ( stack ) . pc"))]];
        if let Some(procedure) = procedures.iter().find(|one| one.name.text == from) {
            for variable in procedure.variables.iter().chain(&procedure.parameters) {
                let name = variable.name.text.as_str();
                sets.push(vec![(name, words(&format!("Head ( stack ) . {name}")))]);
            }
        }
        sets.push(vec![("stack", words("Tail ( stack )"))]);
        self.assignments(&sets);
    }

    fn called(&mut self, name: &str, args: &[Expr], after: &After, next: &str) {
        let procedures = self.procedures;
        let find = |name: &str| procedures.iter().find(|one| one.name.text == name);
        let Some(callee) = find(name) else { return };
        let mut parts: Vec<(&str, String)> = Vec::new();
        for (parameter, arg) in callee.parameters.iter().zip(args) {
            parts.push((&parameter.name.text, expr_words(arg)));
        }
        let head = "Head ( stack ) .";
        let (pc, rest, caller) = match after {
            After::Nothing => (quoted(next), "stack", None),
            After::Goto(label) => (quoted(&label.text), "stack", None),
            After::Return(from) => (words(&format!("{head} pc")), "Tail ( stack )", Some(from)),
        };
        if caller.is_none_or(|from| from != name) {
            let restored = caller.and_then(|from| find(from)).map_or(&[][..], |one| &one.variables);
            for variable in restored {
                let own = variable.name.text.as_str();
                parts.push((own, words(&format!("{head} {own}"))));
            }
            let mut fields = vec![format!("{}, {}", words("<< [ procedure |->"), quoted(name))];
            fields.push(format!("{}, {pc}", words("pc |->")));
            for variable in callee.variables.iter().chain(&callee.parameters) {
                let own = &variable.name.text;
                fields.push(words(&format!("{own} |-> {own}")));
            }
            let (end, push) = (words("] >>"), words(&format!("\\\\o {rest}")));
            parts.push(("stack", format!("{}, {end}\n, {push}", fields.join(", \",\"\n, "))));
        }
        parts.sort_by(|a, b| a.0.cmp(b.0));
        let mut sets = Vec::new();
        if !parts.is_empty() {
            sets.push(parts);
        }
        for variable in &callee.variables {
            let default = default_value();
            let value = expr_words(variable.value.as_ref().unwrap_or(&default));
            sets.push(vec![(variable.name.text.as_str(), value)]);
        }
        let first = callee.body.first().and_then(|stmt| stmt.label.as_ref());
        sets.push(vec![("pc", quoted(first.map_or("", |label| &label.name.text)))]);
        self.assignments(&sets);
    }

    fn if_text(
        &mut self,
        test: &Expr,
        then: impl FnOnce(&mut Self),
        otherwise: impl FnOnce(&mut Self),
    ) {
        let col = self.col;
        self.put("[type    |-> \"if\", ");
        self.line(col + 1);
        self.put("test    |-> ");
        self.expr(test);
        self.field(col + 1, "then |-> ");
        then(self);
        self.field(col + 1, "else |-> ");
        otherwise(self);
        self.put("]");
    }

    fn either_text<T>(&mut self, clauses: &[T], mut each: impl FnMut(&mut Self, &T)) {
        let col = self.col;
        self.put("[type |-> \"either\", ");
        self.line(col + 1);
        self.put("ors  |-> << ");
        let inner = self.col;
        for (idx, clause) in clauses.iter().enumerate() {
            if idx > 0 {
                self.put(", ");
                self.line(inner);
            }
            each(self, clause);
        }
        self.put(" >>]");
    }

    fn with_text(&mut self, stmt: &Stmt, body: impl FnOnce(&mut Self)) {
        let StmtKind::With { variable, is_in, value, .. } = &stmt.kind else { return };
        let col = self.col;
        self.put("[type   |-> \"with\", ");
        self.line(col + 1);
        self.put(&format!("var    |-> \"{}\"", variable.text));
        self.field(col + 1, &format!("eqOrIn |-> \"{}\"", sign(*is_in)));
        self.field(col + 1, "exp    |-> ");
        self.expr(value);
        self.field(col + 1, "do     |-> ");
        body(self);
        self.put("]");
    }

    fn assign(&mut self, assign: &Assign) {
        let col = self.col + 1;
        self.put(&format!("[lhs |-> [var |-> \"{}\", sub |-> ", assign.variable.text));
        self.expr(&assign.subscript);
        self.put("],");
        self.line(col);
        self.put("rhs |-> ");
        self.expr(&assign.value);
        self.put("]");
    }

    fn single(&mut self, kind: &str, expr: &Expr) {
        let col = self.col + 1;
        self.put(&format!("[type |-> \"{kind}\", "));
        self.line(col);
        self.put("exp |-> ");
        self.expr(expr);
        self.put("]");
    }

    fn field(&mut self, col: usize, name: &str) {
        self.put(",");
        self.line(col);
        self.put(name);
    }

    fn stmt(&mut self, stmt: &Stmt, next: &str) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.stmt_inner(stmt, next));
    }

    fn stmt_inner(&mut self, stmt: &Stmt, next: &str) {
        let col = self.col;
        match &stmt.kind {
            StmtKind::Assign(assigns) => {
                self.put("[type |-> \"assignment\"");
                self.field(col + 1, "ass  |-> ");
                let mut order: Vec<&Assign> = assigns.iter().collect();
                order.sort_by(|a, b| a.variable.text.cmp(&b.variable.text));
                self.list(order, Self::assign);
                self.put("]");
            }
            StmtKind::If { test, then, otherwise } if stmt.has_inner_label() => {
                self.put("[type      |-> \"labelIf\"");
                self.field(col + 1, "test      |-> ");
                self.expr(test);
                for (name, list) in [("Then", then), ("Else", otherwise)] {
                    self.field(col + 1, &format!("unlab{name} |-> "));
                    self.exploded(list, next);
                    self.field(col + 1, &format!("lab{name}   |-> "));
                    self.steps(list, next);
                }
                self.put("]");
                self.line(col);
            }
            StmtKind::If { test, then, otherwise } if stmt.transfers() => self.if_text(
                test,
                |text| text.list(nodes_of(then, next), |text, node| text.node(&node)),
                |text| text.list(nodes_of(otherwise, next), |text, node| text.node(&node)),
            ),
            StmtKind::If { test, then, otherwise } => self.if_text(
                test,
                |text| text.stmts(then, next),
                |text| text.stmts(otherwise, next),
            ),
            StmtKind::Either(clauses) if stmt.has_inner_label() => {
                self.put("[type    |-> \"labelEither\"");
                self.field(col + 1, "clauses |-> ");
                self.list(clauses, |text, clause| {
                    let col = text.col;
                    text.put("[unlabOr |-> ");
                    text.exploded(clause, next);
                    text.field(col + 1, "labOr   |-> ");
                    text.steps(clause, next);
                    text.put("]");
                    text.line(col);
                });
                self.put("]");
                self.line(col);
            }
            StmtKind::Either(clauses) if stmt.transfers() => {
                self.either_text(clauses, |text, clause| text.exploded(clause, next));
            }
            StmtKind::Either(clauses) => {
                self.either_text(clauses, |text, clause| text.stmts(clause, next));
            }
            StmtKind::While { test, body } => {
                self.put("[type    |-> \"while\", ");
                self.line(col + 1);
                self.put("test    |-> ");
                self.expr(test);
                self.field(col + 1, "labDo   |-> ");
                self.steps(body, next);
                self.field(col + 1, "unlabDo |-> ");
                self.plain(body, next);
                self.put("]");
            }
            StmtKind::With { body, .. } if stmt.transfers() => {
                self.with_text(stmt, |text| text.exploded(body, next));
            }
            StmtKind::With { body, .. } => self.with_text(stmt, |text| text.stmts(body, next)),
            StmtKind::When(expr) => self.single("when", expr),
            StmtKind::Print(expr) => self.single("print", expr),
            StmtKind::Assert(expr) => self.single("assert", expr),
            StmtKind::Skip => self.put("[type |-> \"skip\"]"),
            StmtKind::Goto(label) => {
                self.put(&format!("[type |-> \"goto\",  to |-> \"{}\"]", label.text));
            }
            StmtKind::Return(from) => {
                self.put(&format!("[type |-> \"return\", from |-> \"{from}\"]"));
            }
            StmtKind::Call { procedure, args, after } => self.call(&procedure.text, args, after),
            StmtKind::Macro { .. } => {}
        }
    }

    fn call(&mut self, procedure: &str, args: &[Expr], after: &After) {
        let col = self.col;
        let (kind, field) = match after {
            After::Nothing => ("call", "returnTo |-> \"\"".to_string()),
            After::Return(from) => ("callReturn", format!("from     |-> \"{from}\"")),
            After::Goto(label) => ("callGoto", format!("after    |-> \"{}\"", label.text)),
        };
        self.put(&format!("[type     |-> \"{kind}\""));
        self.field(col + 1, &field);
        self.field(col + 1, &format!("to       |-> \"{procedure}\""));
        let own = usize::from(*after == After::Nothing);
        self.field(col + own, "args     |-> ");
        let inner = self.col;
        self.list(args, Self::expr);
        self.put("]");
        if *after != After::Nothing {
            self.line(inner);
        }
    }
}

/// The tokens of an expression, quoted.
fn expr_words(expr: &Expr) -> String {
    let mut text = String::new();
    for (idx, line) in expr.lines.iter().enumerate() {
        let words: Vec<String> = line
            .pieces
            .iter()
            .map(|piece| match piece.kind {
                Kind::String => {
                    let inner = &piece.text[1..piece.text.len() - 1];
                    format!("\"\\\"\", \"{}\", \"\\\"\"", inner.replace('\\', "\\\\"))
                }
                _ if matches!(piece.text.as_str(), "/\\" | "\\/") => {
                    format!("\"(col{}) {}\"", piece.col, piece.text.replace('\\', "\\\\"))
                }
                _ => format!("\"{}\"", piece.text.replace('\\', "\\\\")),
            })
            .collect();
        match (idx, words.is_empty()) {
            (0, _) => {}
            (_, true) => text.push('\n'),
            (_, false) => text.push_str("\n, "),
        }
        text.push_str(&words.join(", "));
    }
    text
}

/// Tokens that are parted by blanks, quoted.
fn words(text: &str) -> String {
    let quoted: Vec<String> = text.split(' ').map(|word| format!("\"{word}\"")).collect();
    quoted.join(", ")
}

/// A string literal as the three tokens it counts as.
fn quoted(text: &str) -> String {
    format!("\"\\\"\", \"{text}\", \"\\\"\"")
}

fn sign(is_in: bool) -> &'static str {
    if is_in { "\\\\in" } else { "=" }
}
