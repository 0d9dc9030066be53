//! A labelled step with its control flow made explicit.
//!
//! The statements of one step become a tree whose every path ends by setting `pc`: by a `goto`, a
//! `call`, a `return`, or by falling through to the next label. Only where a branch can leave the
//! step is `pc` set inside the branches; elsewhere once at the end.

use std::ops::Range;

use super::ast::{Label, Stmt, StmtKind, blocks};
use super::expr::Expr;

/// A node of an exploded step.
#[derive(Debug)]
pub(super) enum Node<'a> {
    /// A statement without statements inside; a `call` carries where it returns to.
    Plain {
        stmt: &'a Stmt,
        next: String,
    },
    If {
        stmt: &'a Stmt,
        test: &'a Expr,
        then: Vec<Node<'a>>,
        otherwise: Vec<Node<'a>>,
    },
    Either {
        clauses: Vec<Vec<Node<'a>>>,
    },
    With {
        stmt: &'a Stmt,
        body: Vec<Node<'a>>,
    },
    Goto {
        label: String,
        range: Range<usize>,
    },
}

/// A step: its label, its statements, and the label that follows.
pub(super) struct Step<'a> {
    pub(super) label: &'a Label,
    pub(super) stmts: &'a [Stmt],
    pub(super) next: String,
}

/// All steps of a body in the order of the translation.
pub(super) fn steps<'a>(body: &'a [Stmt], next: &str) -> Vec<Step<'a>> {
    let mut out = Vec::new();
    labelled_steps(body, next, &mut out);
    out
}

/// The steps inside the statements before the first label of a list.
fn plain_steps<'a>(list: &'a [Stmt], next: &str, out: &mut Vec<Step<'a>>) {
    let (plain, labelled) = blocks(list);
    let first = labelled.first().map_or(next, |(label, _)| &label.name.text);
    for stmt in plain {
        nested(stmt, first, None, out);
    }
}

/// The labelled steps of a list, each with the steps inside.
fn labelled_steps<'a>(list: &'a [Stmt], next: &str, out: &mut Vec<Step<'a>>) {
    let (_, labelled) = blocks(list);
    for (idx, (label, stmts)) in labelled.iter().enumerate() {
        let after = labelled.get(idx + 1).map_or(next, |(label, _)| &label.name.text);
        out.push(Step { label, stmts, next: after.to_string() });
        for stmt in *stmts {
            nested(stmt, after, Some(&label.name.text), out);
        }
    }
}

/// The steps inside a statement: those of its own lists, then those of statements in them.
fn nested<'a>(stmt: &'a Stmt, next: &str, label: Option<&str>, out: &mut Vec<Step<'a>>) {
    let next = match (&stmt.kind, label) {
        (StmtKind::While { .. }, Some(label)) => label,
        _ => next,
    };
    for list in stmt.kind.lists() {
        labelled_steps(list, next, out);
    }
    for list in stmt.kind.lists() {
        plain_steps(list, next, out);
    }
}

/// The nodes of a step.
pub(super) fn explode<'a>(step: &Step<'a>) -> Vec<Node<'a>> {
    let Some(first) = step.stmts.first() else { return Vec::new() };
    let StmtKind::While { test, body } = &first.kind else {
        return nodes_of(step.stmts, &step.next);
    };
    let inside = sequence(body, &step.label.name.text);
    if is_true(test) {
        return inside;
    }
    let otherwise = nodes_of(&step.stmts[1..], &step.next);
    vec![Node::If { stmt: first, test, then: inside, otherwise }]
}

/// Whether a test is `TRUE`, in parentheses or not.
pub(super) fn is_true(test: &Expr) -> bool {
    let mut words = test.pieces().filter(|piece| !matches!(piece.text.as_str(), "(" | ")"));
    words.next().is_some_and(|piece| piece.text == "TRUE") && words.next().is_none()
}

/// The nodes of a list up to its first label, which or else `next` follows.
fn sequence<'a>(list: &'a [Stmt], next: &str) -> Vec<Node<'a>> {
    let (plain, labelled) = blocks(list);
    nodes_of(plain, labelled.first().map_or(next, |(label, _)| &label.name.text))
}

/// The nodes of statements that `next` follows; only the first may bear a label.
pub(super) fn nodes_of<'a>(plain: &'a [Stmt], next: &str) -> Vec<Node<'a>> {
    let mut nodes = Vec::new();
    for (idx, stmt) in plain.iter().enumerate() {
        let last = idx + 1 == plain.len();
        if !stmt.transfers() {
            nodes.push(quiet(stmt));
            continue;
        }
        let branch = |list: &'a [Stmt]| sequence(list, next);
        nodes.push(match &stmt.kind {
            StmtKind::If { test, then, otherwise } => {
                Node::If { stmt, test, then: branch(then), otherwise: branch(otherwise) }
            }
            StmtKind::Either(clauses) => {
                let clauses = clauses.iter().map(|clause| branch(clause)).collect();
                Node::Either { clauses }
            }
            StmtKind::With { body, .. } => Node::With { stmt, body: branch(body) },
            StmtKind::Goto(label) => {
                Node::Goto { label: label.text.clone(), range: stmt.range.clone() }
            }
            _ => Node::Plain { stmt, next: next.to_string() },
        });
        if last {
            return nodes;
        }
    }
    let range = plain.last().map_or(0..0, |stmt| stmt.range.clone());
    nodes.push(Node::Goto { label: next.to_string(), range });
    nodes
}

/// The node of a statement that cannot leave the step.
fn quiet(stmt: &Stmt) -> Node<'_> {
    match &stmt.kind {
        StmtKind::If { test, then, otherwise } => Node::If {
            stmt,
            test,
            then: then.iter().map(quiet).collect(),
            otherwise: otherwise.iter().map(quiet).collect(),
        },
        StmtKind::Either(clauses) => Node::Either {
            clauses: clauses.iter().map(|clause| clause.iter().map(quiet).collect()).collect(),
        },
        StmtKind::With { body, .. } => Node::With { stmt, body: body.iter().map(quiet).collect() },
        _ => Node::Plain { stmt, next: String::new() },
    }
}
