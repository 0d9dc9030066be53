//! The tree of a PlusCal algorithm, the same for both syntaxes.
//!
//! Labels are kept on the statement they stand before; `blocks` groups a statement list into the
//! labelled steps that a translation and the checksum are made of.

use std::ops::Range;

use super::expr::Expr;

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) range: Range<usize>,
}

/// Fairness of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fairness {
    Unfair,
    Weak,
    Strong,
}

/// A whole algorithm.
#[derive(Clone, Debug)]
pub(super) struct Algorithm {
    pub(super) name: Name,
    /// `--fair algorithm`.
    pub(super) fair: bool,
    /// `fair { … }` for the body.
    pub(super) fair_body: bool,
    pub(super) variables: Vec<Variable>,
    pub(super) define: Expr,
    pub(super) procedures: Vec<Procedure>,
    pub(super) body: Body,
}

/// What the algorithm runs.
#[derive(Clone, Debug)]
pub(super) enum Body {
    Single(Vec<Stmt>),
    Processes(Vec<Process>),
}

/// A declared variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Name,
    /// `x \in e` rather than `x = e`.
    pub(super) is_in: bool,
    /// `None` where no value is given.
    pub(super) value: Option<Expr>,
}

/// Labels with a modifier and procedures called, as the fairness formulas need them.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub(super) minus: Vec<String>,
    pub(super) plus: Vec<String>,
    pub(super) calls: Vec<String>,
}

/// A procedure.
#[derive(Clone, Debug)]
pub(super) struct Procedure {
    pub(super) name: Name,
    pub(super) parameters: Vec<Variable>,
    pub(super) variables: Vec<Variable>,
    pub(super) body: Vec<Stmt>,
    pub(super) uses: Uses,
}

/// A process or a set of processes.
#[derive(Clone, Debug)]
pub(super) struct Process {
    pub(super) name: Name,
    pub(super) fairness: Fairness,
    /// `process P \in S` rather than `process P = e`.
    pub(super) is_in: bool,
    pub(super) id: Expr,
    pub(super) variables: Vec<Variable>,
    pub(super) body: Vec<Stmt>,
    pub(super) uses: Uses,
}

/// A label before a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Label {
    pub(super) name: Name,
    /// `'+'`, `'-'` or nothing.
    pub(super) modifier: Option<char>,
}

/// One statement.
#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub(super) label: Option<Label>,
    pub(super) kind: StmtKind,
    /// Bytes of the statement's first token, or of the whole statement if it is short.
    pub(super) range: Range<usize>,
    /// The macro calls this statement comes from, the innermost first.
    pub(super) called_at: Vec<Range<usize>>,
}

/// One assignment of `x := e || y := f`.
#[derive(Clone, Debug)]
pub(super) struct Assign {
    pub(super) variable: Name,
    pub(super) subscript: Expr,
    pub(super) value: Expr,
}

/// What a `call` is followed by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum After {
    /// Another statement or the end.
    Nothing,
    /// `return`, from this procedure.
    Return(String),
    /// `goto` this label.
    Goto(Name),
}

/// What a statement does.
#[derive(Clone, Debug)]
pub(super) enum StmtKind {
    Assign(Vec<Assign>),
    If { test: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    Either(Vec<Vec<Stmt>>),
    While { test: Expr, body: Vec<Stmt> },
    With { variable: Name, is_in: bool, value: Expr, body: Vec<Stmt> },
    When(Expr),
    Print(Expr),
    Assert(Expr),
    Skip,
    Goto(Name),
    Call { procedure: Name, args: Vec<Expr>, after: After },
    Return(String),
    Macro { name: Name, args: Vec<Expr> },
}

impl StmtKind {
    /// The statement lists inside.
    pub(super) fn lists(&self) -> Vec<&[Stmt]> {
        match self {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::Either(clauses) => clauses.iter().map(Vec::as_slice).collect(),
            StmtKind::While { body, .. } | StmtKind::With { body, .. } => vec![body],
            StmtKind::Assign(_)
            | StmtKind::When(_)
            | StmtKind::Print(_)
            | StmtKind::Assert(_)
            | StmtKind::Skip
            | StmtKind::Goto(_)
            | StmtKind::Call { .. }
            | StmtKind::Return(_)
            | StmtKind::Macro { .. } => Vec::new(),
        }
    }

    /// The same, to change them.
    pub(super) fn lists_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::Either(clauses) => clauses.iter_mut().collect(),
            StmtKind::While { body, .. } | StmtKind::With { body, .. } => vec![body],
            StmtKind::Assign(_)
            | StmtKind::When(_)
            | StmtKind::Print(_)
            | StmtKind::Assert(_)
            | StmtKind::Skip
            | StmtKind::Goto(_)
            | StmtKind::Call { .. }
            | StmtKind::Return(_)
            | StmtKind::Macro { .. } => Vec::new(),
        }
    }

    /// The expressions of this statement itself.
    pub(super) fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            StmtKind::Assign(assigns) => {
                assigns.iter_mut().flat_map(|one| [&mut one.subscript, &mut one.value]).collect()
            }
            StmtKind::If { test, .. } | StmtKind::While { test, .. } => vec![test],
            StmtKind::With { value, .. } => vec![value],
            StmtKind::When(expr) | StmtKind::Print(expr) | StmtKind::Assert(expr) => vec![expr],
            StmtKind::Call { args, .. } | StmtKind::Macro { args, .. } => args.iter_mut().collect(),
            StmtKind::Either(_) | StmtKind::Skip | StmtKind::Goto(_) | StmtKind::Return(_) => {
                Vec::new()
            }
        }
    }
}

impl Stmt {
    /// Whether a label stands inside.
    pub(super) fn has_inner_label(&self) -> bool {
        let labelled = |stmt: &Stmt| stmt.label.is_some() || stmt.has_inner_label();
        self.kind.lists().into_iter().flatten().any(labelled)
    }

    /// Whether control can leave from inside other than to the next statement.
    pub(super) fn transfers(&self) -> bool {
        match &self.kind {
            StmtKind::Goto(_) | StmtKind::Call { .. } | StmtKind::Return(_) => true,
            kind => {
                let inner = |stmt: &Stmt| stmt.label.is_some() || stmt.transfers();
                kind.lists().into_iter().flatten().any(inner)
            }
        }
    }
}

/// A list split at its labels: the statements before the first label, then each labelled step.
pub(super) fn blocks(stmts: &[Stmt]) -> (&[Stmt], Vec<(&Label, &[Stmt])>) {
    let starts: Vec<usize> = (0..stmts.len()).filter(|idx| stmts[*idx].label.is_some()).collect();
    let first = starts.first().copied().unwrap_or(stmts.len());
    let mut labelled = Vec::new();
    for (nth, start) in starts.iter().enumerate() {
        let end = starts.get(nth + 1).copied().unwrap_or(stmts.len());
        if let Some(label) = &stmts[*start].label {
            labelled.push((label, &stmts[*start..end]));
        }
    }
    (&stmts[..first], labelled)
}
