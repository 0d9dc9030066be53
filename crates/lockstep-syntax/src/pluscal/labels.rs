//! Where labels have to stand, and the labels added where they are missing.
//!
//! A step runs from one label to the next. A label is needed at the start of a body, before a
//! `while`, behind what may leave the step (a `goto`, `return` or `call`, or an `if` or `either`
//! that holds one or a label), and before a statement that would assign a variable twice in a step.
//! A `with` is one step: no label can stand in it. (P-Syntax manual §3.7, "Where labels must and
//! can't go".)

use std::collections::BTreeSet;
use std::ops::Range;

use super::ast::{After, Algorithm, Body, Label, Name, Procedure, Stmt, StmtKind, Variable};
use super::parse::Problem;

/// A label that was added: its name and the statement it stands before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Added {
    pub(super) name: String,
    pub(super) range: Range<usize>,
}

/// What to do about missing labels.
pub(super) struct Policy<'a> {
    /// Add them even though some labels are written.
    pub(super) add: bool,
    /// The start of the names added.
    pub(super) root: &'a str,
}

/// Checks all bodies and adds labels, or reports each missing one.
pub(super) fn place_labels(
    algorithm: &mut Algorithm,
    policy: &Policy<'_>,
) -> Result<Vec<Added>, Vec<Problem>> {
    let single = matches!(algorithm.body, Body::Single(_));
    let bare = single && !has_label(algorithm);
    let procedures: Vec<ProcedureNames> =
        algorithm.procedures.iter().map(ProcedureNames::new).collect();
    let mut placer = Placer {
        procedures: &procedures,
        add: policy.add || bare,
        root: policy.root,
        current: None,
        locals: BTreeSet::new(),
        added: Vec::new(),
        missing: Vec::new(),
        errors: Vec::new(),
    };
    for (idx, procedure) in algorithm.procedures.iter_mut().enumerate() {
        placer.current = Some(idx);
        placer.locals = procedures[idx].all().cloned().collect();
        placer.body(&mut procedure.body);
    }
    placer.current = None;
    match &mut algorithm.body {
        Body::Single(body) => {
            placer.locals = BTreeSet::new();
            placer.body(body);
        }
        Body::Processes(processes) => {
            for process in processes {
                placer.locals = names(&process.variables).into_iter().collect();
                placer.body(&mut process.body);
            }
        }
    }
    let mut problems = placer.errors;
    problems.extend(placer.missing);
    if problems.is_empty() { Ok(placer.added) } else { Err(problems) }
}

fn has_label(algorithm: &Algorithm) -> bool {
    let labelled =
        |stmts: &[Stmt]| stmts.iter().any(|stmt| stmt.label.is_some() || stmt.has_inner_label());
    algorithm.procedures.iter().any(|procedure| labelled(&procedure.body))
        || matches!(&algorithm.body, Body::Single(body) if labelled(body))
}

fn names(variables: &[Variable]) -> Vec<String> {
    variables.iter().map(|variable| variable.name.text.clone()).collect()
}

struct ProcedureNames {
    name: String,
    parameters: Vec<String>,
    variables: Vec<String>,
}

impl ProcedureNames {
    fn new(procedure: &Procedure) -> Self {
        Self {
            name: procedure.name.text.clone(),
            parameters: names(&procedure.parameters),
            variables: names(&procedure.variables),
        }
    }

    fn all(&self) -> impl Iterator<Item = &String> {
        self.parameters.iter().chain(&self.variables)
    }
}

/// What holds before a statement.
#[derive(Clone, Default)]
struct State {
    /// Variables assigned since the last label.
    assigned: BTreeSet<Key>,
    /// A label has to stand here whatever comes.
    must: bool,
}

/// A variable: one of the body's own, or any other.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Own(String),
    Other(String),
}

struct Placer<'a> {
    procedures: &'a [ProcedureNames],
    add: bool,
    root: &'a str,
    /// The procedure whose body this is.
    current: Option<usize>,
    locals: BTreeSet<String>,
    added: Vec<Added>,
    missing: Vec<Problem>,
    errors: Vec<Problem>,
}

impl Placer<'_> {
    fn body(&mut self, stmts: &mut [Stmt]) {
        self.walk(stmts, State { assigned: BTreeSet::new(), must: true }, false);
    }

    fn key(&self, name: &str) -> Key {
        if self.locals.contains(name) {
            Key::Own(name.to_string())
        } else {
            Key::Other(name.to_string())
        }
    }

    /// The variables that one statement assigns itself.
    fn assigns(&self, kind: &StmtKind) -> BTreeSet<Key> {
        let mut keys = BTreeSet::new();
        match kind {
            StmtKind::Assign(assigns) => {
                keys.extend(assigns.iter().map(|assign| self.key(&assign.variable.text)));
            }
            StmtKind::Call { procedure, after, .. } => {
                let called = self.procedures.iter().position(|one| one.name == procedure.text);
                if let Some(called) = called {
                    for name in self.procedures[called].all() {
                        if Some(called) == self.current {
                            keys.insert(Key::Own(name.clone()));
                        } else if !self.locals.contains(name) {
                            keys.insert(Key::Other(name.clone()));
                        }
                    }
                }
                if let After::Return(_) = after {
                    keys.extend(self.locals.iter().cloned().map(Key::Own));
                }
            }
            StmtKind::Return(_) => keys.extend(self.locals.iter().cloned().map(Key::Own)),
            _ => {}
        }
        keys
    }

    fn assigns_within(&self, stmt: &Stmt) -> BTreeSet<Key> {
        let mut keys = self.assigns(&stmt.kind);
        for inner in stmt.kind.lists().into_iter().flatten() {
            keys.extend(self.assigns_within(inner));
        }
        keys
    }

    fn need_label(&mut self, stmt: &mut Stmt, in_with: bool, state: &State) {
        if in_with {
            let message = if state.must {
                "Statement follows `call', `return' or `goto' inside a `with' statement"
            } else {
                "Second assignment to same variable inside a `with' statement"
            };
            self.errors.push(
                Problem::at("pcal-with", stmt, message)
                    .help("a `with' is one step and can hold no label"),
            );
        } else if self.add {
            let name = format!("{}{}", self.root, self.added.len() + 1);
            let range = stmt.range.clone();
            self.added.push(Added { name: name.clone(), range: range.clone() });
            stmt.label = Some(Label { name: Name { text: name, range }, modifier: None });
        } else {
            self.missing.push(
                Problem::at("pcal-missing-label", stmt, "Missing label").help(
                    "write a label here, or let the translator add it with the option -label",
                ),
            );
        }
    }

    fn walk(&mut self, stmts: &mut [Stmt], mut state: State, in_with: bool) -> State {
        for stmt in stmts {
            let own = if matches!(stmt.kind, StmtKind::With { .. }) && !in_with {
                self.assigns_within(stmt)
            } else {
                self.assigns(&stmt.kind)
            };
            let is_while = matches!(stmt.kind, StmtKind::While { .. });
            if is_while && in_with {
                self.errors.push(Problem::at(
                    "pcal-with",
                    stmt,
                    "`while' inside a `with' statement",
                ));
                return State::default();
            }
            if stmt.label.is_some() && in_with {
                self.errors.push(Problem::at("pcal-with", stmt, "Label in `with' statement"));
            }
            if stmt.label.is_none() {
                let twice = own.intersection(&state.assigned).next().is_some();
                if state.must || is_while || twice {
                    self.need_label(stmt, in_with, &state);
                    state = State::default();
                }
            } else {
                state = State::default();
            }
            state = self.after(stmt, state, own, in_with);
        }
        state
    }

    /// What holds after `stmt`, its inside walked.
    fn after(
        &mut self,
        stmt: &mut Stmt,
        before: State,
        own: BTreeSet<Key>,
        in_with: bool,
    ) -> State {
        let mut state = before.clone();
        match &mut stmt.kind {
            StmtKind::Call { .. } | StmtKind::Return(_) | StmtKind::Goto(_) => {
                state.assigned.extend(own);
                state.must = true;
            }
            StmtKind::While { body, .. } => {
                self.walk(body, State::default(), in_with);
                state = State::default();
            }
            StmtKind::If { .. } | StmtKind::Either(_) => {
                for list in stmt.kind.lists_mut() {
                    let end = self.walk(list, before.clone(), in_with);
                    state.assigned.extend(end.assigned);
                }
                state.must = stmt.transfers();
            }
            StmtKind::With { body, .. } => {
                let end = self.walk(body, before, true);
                state.assigned.extend(end.assigned);
                state.must = stmt.transfers();
            }
            _ => state.assigned.extend(own),
        }
        state
    }
}
