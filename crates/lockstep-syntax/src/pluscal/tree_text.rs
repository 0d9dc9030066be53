//! An algorithm's tree as a TLA+ record, the text that `chksum(pcal)` is computed from.
//!
//! The text is that of the reference translator to the last blank (its option `-writeAST` shows it),
//! since a checksum made from anything else would call every translation of that tool stale. Labels
//! that were added are in it; renamed names appear as written.

use super::ast::{
    After, Algorithm, Assign, Body, Fairness, Stmt, StmtKind, Uses, Variable, blocks,
};
use super::expr::Expr;
use super::token::Kind;

/// The text.
pub(super) fn tree_text(algorithm: &Algorithm) -> String {
    let mut text = Text { out: String::new(), col: 0 };
    text.algorithm(algorithm);
    text.out
}

struct Text {
    out: String,
    col: usize,
}

impl Text {
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
            text.steps(&procedure.body);
            text.put("]");
        });
        match &algorithm.body {
            Body::Single(body) => {
                self.put(",\n body  |-> ");
                self.steps(body);
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
                    text.steps(&process.body);
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
        let mut lines = Vec::new();
        for line in &expr.lines {
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
            lines.push(words.join(", "));
        }
        self.put(&format!("<< {} >>", lines.join("\n, ")));
    }

    fn steps(&mut self, list: &[Stmt]) {
        let (_, labelled) = blocks(list);
        self.list(labelled, |text, (label, stmts)| {
            let col = text.col + 1;
            text.put(&format!("[label |-> \"{}\",", label.name.text));
            text.line(col);
            text.put("stmts |-> ");
            text.list(stmts, Self::stmt);
            text.put("]");
        });
    }

    fn plain(&mut self, list: &[Stmt]) {
        let (plain, _) = blocks(list);
        self.list(plain, Self::stmt);
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

    fn stmt(&mut self, stmt: &Stmt) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.stmt_inner(stmt));
    }

    fn stmt_inner(&mut self, stmt: &Stmt) {
        let col = self.col;
        match &stmt.kind {
            StmtKind::Assign(assigns) => {
                self.put("[type |-> \"assignment\"");
                self.field(col + 1, "ass  |-> ");
                self.list(assigns, Self::assign);
                self.put("]");
            }
            StmtKind::If { test, then, otherwise } if stmt.has_inner_label() => {
                self.put("[type      |-> \"labelIf\"");
                self.field(col + 1, "test      |-> ");
                self.expr(test);
                for (name, list) in [("Then", then), ("Else", otherwise)] {
                    self.field(col + 1, &format!("unlab{name} |-> "));
                    self.plain(list);
                    self.field(col + 1, &format!("lab{name}   |-> "));
                    self.steps(list);
                }
                self.put("]");
                self.line(col);
            }
            StmtKind::If { test, then, otherwise } => {
                self.put("[type    |-> \"if\", ");
                self.line(col + 1);
                self.put("test    |-> ");
                self.expr(test);
                self.field(col + 1, "then |-> ");
                self.list(then, Self::stmt);
                self.field(col + 1, "else |-> ");
                self.list(otherwise, Self::stmt);
                self.put("]");
            }
            StmtKind::Either(clauses) if stmt.has_inner_label() => {
                self.put("[type    |-> \"labelEither\"");
                self.field(col + 1, "clauses |-> ");
                self.list(clauses, |text, clause| {
                    let col = text.col;
                    text.put("[unlabOr |-> ");
                    text.plain(clause);
                    text.field(col + 1, "labOr   |-> ");
                    text.steps(clause);
                    text.put("]");
                    text.line(col);
                });
                self.put("]");
                self.line(col);
            }
            StmtKind::Either(clauses) => {
                self.put("[type |-> \"either\", ");
                self.line(col + 1);
                self.put("ors  |-> << ");
                let inner = self.col;
                for (idx, clause) in clauses.iter().enumerate() {
                    if idx > 0 {
                        self.put(", ");
                        self.line(inner);
                    }
                    self.list(clause, Self::stmt);
                }
                self.put(" >>]");
            }
            StmtKind::While { test, body } => {
                self.put("[type    |-> \"while\", ");
                self.line(col + 1);
                self.put("test    |-> ");
                self.expr(test);
                self.field(col + 1, "labDo   |-> ");
                self.steps(body);
                self.field(col + 1, "unlabDo |-> ");
                self.plain(body);
                self.put("]");
            }
            StmtKind::With { variable, is_in, value, body } => {
                self.put("[type   |-> \"with\", ");
                self.line(col + 1);
                self.put(&format!("var    |-> \"{}\"", variable.text));
                self.field(col + 1, &format!("eqOrIn |-> \"{}\"", sign(*is_in)));
                self.field(col + 1, "exp    |-> ");
                self.expr(value);
                self.field(col + 1, "do     |-> ");
                self.list(body, Self::stmt);
                self.put("]");
            }
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

fn sign(is_in: bool) -> &'static str {
    if is_in { "\\\\in" } else { "=" }
}
