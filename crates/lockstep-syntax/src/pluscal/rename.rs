//! Names that clash, and the renaming that resolves it.
//!
//! A translation puts the labels, procedures, processes and variables of all scopes side by side.
//! Kind by kind and in the order of the text, a name that another still bears gets a suffix: `_`,
//! then as many letters of the name of its procedure or process as make it unique. So the last one
//! keeps its name. Global variables, `pc` and `stack` are never renamed. Two equal names in one
//! scope are an error.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::ast::{Algorithm, Body, Name, Stmt, StmtKind, Variable};
use super::parse::Problem;

/// A renaming, for the comment in the translation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Renamed {
    /// What was renamed, as `Label a of process P`.
    pub(super) what: String,
    pub(super) range: Range<usize>,
    pub(super) to: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Global,
    Label,
    Procedure,
    Process,
    ProcessVariable,
    ProcedureVariable,
    Parameter,
}

/// The scope of an entity: the algorithm, a procedure or a process by its index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Scope {
    Algorithm,
    Procedure(usize),
    Process(usize),
}

struct Entity {
    kind: Kind,
    scope: Scope,
    name: Name,
    /// Letters for the suffix.
    context: String,
    new: String,
}

/// Renames what clashes; the problems are names declared twice in one scope.
pub(super) fn disambiguate(algorithm: &mut Algorithm) -> Result<Vec<Renamed>, Vec<Problem>> {
    let mut entities = collect(algorithm);
    let problems = redefinitions(&entities);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for fixed in fixed_names(algorithm) {
        *taken.entry(fixed.to_string()).or_default() += 1;
    }
    for entity in &entities {
        *taken.entry(entity.name.text.clone()).or_default() += 1;
    }
    entities.sort_by_key(|entity| entity.kind);
    let mut renamed = Vec::new();
    for entity in entities.iter_mut().filter(|entity| entity.kind != Kind::Global) {
        if taken.get(&entity.name.text).is_none_or(|n| *n < 2) {
            continue;
        }
        let mut new = format!("{}_", entity.name.text);
        let mut letters = entity.context.chars().filter(|ch| ch.is_alphanumeric() || *ch == '_');
        let mut n = 0;
        while taken.contains_key(&new) {
            match letters.next() {
                Some(letter) => new.push(letter),
                None => {
                    n += 1;
                    new = format!("{}_{}_{n}", entity.name.text, entity.context);
                }
            }
        }
        if let Some(n) = taken.get_mut(&entity.name.text) {
            *n -= 1;
        }
        taken.insert(new.clone(), 1);
        let what = describe(entity, algorithm);
        renamed.push(Renamed { what, range: entity.name.range.clone(), to: new.clone() });
        entity.new = new;
    }
    apply(algorithm, &entities);
    Ok(renamed)
}

fn fixed_names(algorithm: &Algorithm) -> Vec<&'static str> {
    if algorithm.procedures.is_empty() { vec!["pc"] } else { vec!["pc", "stack"] }
}

fn describe(entity: &Entity, algorithm: &Algorithm) -> String {
    let kind = match entity.kind {
        Kind::Global => "Global variable",
        Kind::Label => "Label",
        Kind::Procedure => "Procedure",
        Kind::Process => "Process",
        Kind::ProcessVariable => "Process variable",
        Kind::ProcedureVariable => "Procedure variable",
        Kind::Parameter => "Parameter",
    };
    let name = &entity.name.text;
    if matches!(entity.kind, Kind::Procedure | Kind::Process) {
        return format!("{kind} {name}");
    }
    match (entity.scope, &algorithm.body) {
        (Scope::Procedure(idx), _) => {
            format!("{kind} {name} of procedure {}", algorithm.procedures[idx].name.text)
        }
        (Scope::Process(idx), Body::Processes(processes)) => {
            format!("{kind} {name} of process {}", processes[idx].name.text)
        }
        _ => format!("{kind} {name}"),
    }
}

fn collect(algorithm: &Algorithm) -> Vec<Entity> {
    let mut entities = Vec::new();
    let mut push = |kind, scope, name: &Name, context: &str| {
        let (name, context, new) = (name.clone(), context.to_string(), name.text.clone());
        entities.push(Entity { kind, scope, name, context, new });
    };
    for variable in &algorithm.variables {
        push(Kind::Global, Scope::Algorithm, &variable.name, "");
    }
    for (idx, procedure) in algorithm.procedures.iter().enumerate() {
        let (scope, context) = (Scope::Procedure(idx), procedure.name.text.as_str());
        push(Kind::Procedure, Scope::Algorithm, &procedure.name, "");
        for variable in &procedure.variables {
            push(Kind::ProcedureVariable, scope, &variable.name, context);
        }
        for parameter in &procedure.parameters {
            push(Kind::Parameter, scope, &parameter.name, context);
        }
        for_labels(&procedure.body, &mut |name| push(Kind::Label, scope, name, context));
    }
    match &algorithm.body {
        Body::Single(body) => for_labels(body, &mut |name| {
            push(Kind::Label, Scope::Algorithm, name, "");
        }),
        Body::Processes(processes) => {
            for (idx, process) in processes.iter().enumerate() {
                let (scope, context) = (Scope::Process(idx), process.name.text.as_str());
                push(Kind::Process, Scope::Algorithm, &process.name, &process.id.to_line());
                for variable in &process.variables {
                    push(Kind::ProcessVariable, scope, &variable.name, context);
                }
                for_labels(&process.body, &mut |name| push(Kind::Label, scope, name, context));
            }
        }
    }
    entities
}

/// Visits the labels with the place of the statement they stand before.
fn for_labels(stmts: &[Stmt], visit: &mut impl FnMut(&Name)) {
    for stmt in stmts {
        if let Some(label) = &stmt.label {
            visit(&Name { text: label.name.text.clone(), range: stmt.range.clone() });
        }
        for list in stmt.kind.lists() {
            for_labels(list, visit);
        }
    }
}

/// Names declared twice where both would be meant.
fn redefinitions(entities: &[Entity]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (idx, entity) in entities.iter().enumerate() {
        let reserved = entity.kind == Kind::Global && matches!(entity.name.text.as_str(), "pc");
        let variable = |kind| {
            matches!(kind, Kind::ProcessVariable | Kind::ProcedureVariable | Kind::Parameter)
        };
        let clash = |other: &&Entity| {
            other.name.text == entity.name.text
                && (other.kind == entity.kind && other.scope == entity.scope
                    || variable(entity.kind) && other.kind == Kind::Global
                    || entity.kind == Kind::Parameter
                        && other.kind == Kind::ProcedureVariable
                        && other.scope == entity.scope)
        };
        let earlier = entities[..idx].iter().find(clash);
        if reserved || earlier.is_some() {
            let what = match entity.kind {
                Kind::Global => "Global variable",
                Kind::Label => "Label",
                Kind::Procedure => "Procedure",
                Kind::Process => "Process",
                Kind::ProcessVariable => "Process variable",
                Kind::ProcedureVariable => "Procedure variable",
                Kind::Parameter => "Parameter",
            };
            let message = format!("{what} {} redefined", entity.name.text);
            problems.push(Problem::new("pcal-redefined", entity.name.range.clone(), message));
        }
    }
    problems
}

fn apply(algorithm: &mut Algorithm, entities: &[Entity]) {
    let map = |scope: Scope, labels: bool| -> FxHashMap<String, String> {
        entities
            .iter()
            .filter(|entity| entity.scope == scope && (entity.kind == Kind::Label) == labels)
            .filter(|entity| entity.new != entity.name.text)
            .filter(|entity| !matches!(entity.kind, Kind::Procedure | Kind::Process))
            .map(|entity| (entity.name.text.clone(), entity.new.clone()))
            .collect()
    };
    let named = |kind: Kind| -> FxHashMap<String, String> {
        entities
            .iter()
            .filter(|entity| entity.kind == kind)
            .map(|entity| (entity.name.text.clone(), entity.new.clone()))
            .collect()
    };
    let procedures = named(Kind::Procedure);
    let processes = named(Kind::Process);
    for (idx, procedure) in algorithm.procedures.iter_mut().enumerate() {
        let names = map(Scope::Procedure(idx), false);
        let labels = map(Scope::Procedure(idx), true);
        rename_variables(&mut procedure.parameters, &names);
        rename_variables(&mut procedure.variables, &names);
        rename_statements(&mut procedure.body, &names, &labels, &procedures);
        rename_list(&mut procedure.uses.plus, &labels);
        rename_list(&mut procedure.uses.minus, &labels);
        rename_list(&mut procedure.uses.calls, &procedures);
        rename_text(&mut procedure.name.text, &procedures);
    }
    match &mut algorithm.body {
        Body::Single(body) => {
            let labels = map(Scope::Algorithm, true);
            rename_statements(body, &FxHashMap::default(), &labels, &procedures);
        }
        Body::Processes(list) => {
            for (idx, process) in list.iter_mut().enumerate() {
                let names = map(Scope::Process(idx), false);
                let labels = map(Scope::Process(idx), true);
                rename_variables(&mut process.variables, &names);
                rename_statements(&mut process.body, &names, &labels, &procedures);
                rename_list(&mut process.uses.plus, &labels);
                rename_list(&mut process.uses.minus, &labels);
                rename_list(&mut process.uses.calls, &procedures);
                rename_text(&mut process.name.text, &processes);
            }
        }
    }
}

fn rename_text(text: &mut String, names: &FxHashMap<String, String>) {
    if let Some(new) = names.get(text) {
        text.clone_from(new);
    }
}

fn rename_list(list: &mut [String], names: &FxHashMap<String, String>) {
    for text in list {
        rename_text(text, names);
    }
}

fn rename_variables(variables: &mut [Variable], names: &FxHashMap<String, String>) {
    for variable in variables {
        rename_text(&mut variable.name.text, names);
        if let Some(value) = &mut variable.value {
            value.rename(|name| names.get(name).cloned());
        }
    }
}

fn rename_statements(
    stmts: &mut [Stmt],
    names: &FxHashMap<String, String>,
    labels: &FxHashMap<String, String>,
    procedures: &FxHashMap<String, String>,
) {
    for stmt in stmts {
        if let Some(label) = &mut stmt.label {
            rename_text(&mut label.name.text, labels);
        }
        for expr in stmt.kind.exprs_mut() {
            expr.rename(|name| names.get(name).cloned());
        }
        match &mut stmt.kind {
            StmtKind::Assign(assigns) => {
                for assign in assigns {
                    rename_text(&mut assign.variable.text, names);
                }
            }
            StmtKind::Goto(label) => rename_text(&mut label.text, labels),
            StmtKind::Return(from) => rename_text(from, procedures),
            StmtKind::Call { procedure, after, .. } => {
                rename_text(&mut procedure.text, procedures);
                match after {
                    super::ast::After::Nothing => {}
                    super::ast::After::Return(from) => rename_text(from, procedures),
                    super::ast::After::Goto(label) => rename_text(&mut label.text, labels),
                }
            }
            StmtKind::If { .. }
            | StmtKind::Either(_)
            | StmtKind::While { .. }
            | StmtKind::With { .. }
            | StmtKind::When(_)
            | StmtKind::Print(_)
            | StmtKind::Assert(_)
            | StmtKind::Skip
            | StmtKind::Macro { .. } => {}
        }
        for list in stmt.kind.lists_mut() {
            rename_statements(list, names, labels, procedures);
        }
    }
}
