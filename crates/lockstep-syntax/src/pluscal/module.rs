//! The whole translation: declarations, initial predicate, actions, next-state action, fairness.
//!
//! Input is a checked tree with labels placed and names disambiguated. The order of definitions and
//! the layout follow the translator of the TLA+ tools, so that a translation made by either can be
//! compared with `diff`.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Algorithm, Body, Fairness, Process, Stmt, StmtKind, Uses, Variable};
use super::explode::steps;
use super::expr::Expr;
use super::generate::{
    Block, Line, Scope, bare_or_bracketed, conjunction, default_value, indent, line, lines, wrap,
};
use super::parse::Problem;
use super::rename::Renamed;
use super::token;

/// Fairness of all that is not declared fair itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FairnessOption {
    /// `-nof`: none.
    #[default]
    None,
    /// `-wf`: weak fairness of each process.
    Weak,
    /// `-sf`: strong fairness of each process.
    Strong,
    /// `-wfNext`: weak fairness of the next-state action.
    Next,
}

/// How the translation is to look.
pub(super) struct Style {
    pub(super) line_width: usize,
    pub(super) fairness: FairnessOption,
    /// Add the disjunct that lets a finished algorithm stutter.
    pub(super) done_disjunct: bool,
}

/// The lines of a translation and whether it declares `defaultInitValue`.
pub(super) struct Output {
    pub(super) lines: Vec<Line>,
    pub(super) uses_default: bool,
    /// Labels with the actions' names in the order of the translation.
    pub(super) labels: Vec<(String, Range<usize>)>,
}

/// Translates.
pub(super) fn translate(
    algorithm: &Algorithm,
    renamed: &[Renamed],
    source: &str,
    style: &Style,
) -> Result<Output, Problem> {
    check_gotos(algorithm)?;
    let translator = Translator::new(algorithm, source, style);
    translator.run(renamed)
}

/// Gives processes that are not declared fair the fairness of an option.
pub(super) fn apply_fairness(algorithm: &mut Algorithm, option: FairnessOption) {
    let fairness = match option {
        FairnessOption::Weak => Fairness::Weak,
        FairnessOption::Strong => Fairness::Strong,
        FairnessOption::None | FairnessOption::Next => return,
    };
    if let Body::Processes(processes) = &mut algorithm.body {
        for process in processes.iter_mut().filter(|one| one.fairness == Fairness::Unfair) {
            process.fairness = fairness;
        }
    }
}

/// Completes the lists of called procedures by those called indirectly, where processes have to be
/// fair to them: procedures list them in the order of their declaration, processes their own first.
pub(super) fn close_calls(algorithm: &mut Algorithm) {
    let Body::Processes(processes) = &mut algorithm.body else { return };
    let procedures = &mut algorithm.procedures;
    let names: Vec<String> = procedures.iter().map(|one| one.name.text.clone()).collect();
    let position = |name: &String| names.iter().position(|one| one == name);
    let mut reach: Vec<Vec<bool>> = procedures
        .iter()
        .map(|one| names.iter().map(|name| one.uses.calls.contains(name)).collect())
        .collect();
    for via in 0..names.len() {
        for from in 0..names.len() {
            for to in 0..names.len() {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    let listed = |row: &[bool]| -> Vec<String> {
        names.iter().zip(row).filter(|(_, on)| **on).map(|(name, _)| name.clone()).collect()
    };
    for (procedure, row) in procedures.iter_mut().zip(&reach) {
        procedure.uses.calls = listed(row);
    }
    for process in processes {
        for name in process.uses.calls.clone() {
            let Some(called) = position(&name) else { continue };
            for indirect in listed(&reach[called]) {
                if !process.uses.calls.contains(&indirect) {
                    process.uses.calls.push(indirect);
                }
            }
        }
    }
}

fn first_label(body: &[Stmt]) -> String {
    body.first()
        .and_then(|stmt| stmt.label.as_ref())
        .map_or_else(String::new, |label| label.name.text.clone())
}

/// Every `goto` needs its label in the same body.
fn check_gotos(algorithm: &Algorithm) -> Result<(), Problem> {
    for procedure in &algorithm.procedures {
        check_body_gotos(&procedure.body)?;
    }
    match &algorithm.body {
        Body::Single(body) => check_body_gotos(body),
        Body::Processes(list) => list.iter().try_for_each(|one| check_body_gotos(&one.body)),
    }
}

fn check_body_gotos(body: &[Stmt]) -> Result<(), Problem> {
    let labels: FxHashSet<String> =
        steps(body, "").iter().map(|step| step.label.name.text.clone()).collect();
    check_targets(body, &labels)
}

fn check_targets(stmts: &[Stmt], labels: &FxHashSet<String>) -> Result<(), Problem> {
    for stmt in stmts {
        let target = match &stmt.kind {
            StmtKind::Goto(label) => Some(label),
            StmtKind::Call { after: super::ast::After::Goto(label), .. } => Some(label),
            _ => None,
        };
        if let Some(label) = target.filter(|one| one.text != "Done" && !labels.contains(&one.text))
        {
            let message = format!("goto to non-existent label `{}'", label.text);
            return Err(Problem::at("pcal-goto", stmt, message)
                .help("a goto stays in its process or procedure"));
        }
        for list in stmt.kind.lists() {
            check_targets(list, labels)?;
        }
    }
    Ok(())
}

struct Translator<'a> {
    algorithm: &'a Algorithm,
    source: &'a str,
    style: &'a Style,
    globals: Vec<String>,
    /// All variables but `pc`.
    variables: Vec<String>,
    entries: FxHashMap<String, String>,
    omit_pc: bool,
    /// Some process never ends.
    endless: bool,
    out: Vec<Line>,
    labels: Vec<(String, Range<usize>)>,
}

/// The body of `while TRUE`, if that is all a body consists of.
fn lone_loop(body: &[Stmt]) -> Option<&[Stmt]> {
    match body {
        [only] => match &only.kind {
            StmtKind::While { test, body } if test.is_word("TRUE") => Some(body),
            _ => None,
        },
        _ => None,
    }
}

/// A body that is one step under `while TRUE`.
fn is_one_step(body: &[Stmt]) -> bool {
    let leaves = |stmt: &Stmt| stmt.label.is_some() || stmt.transfers();
    lone_loop(body).is_some_and(|inside| !inside.iter().any(leaves))
}

impl<'a> Translator<'a> {
    fn new(algorithm: &'a Algorithm, source: &'a str, style: &'a Style) -> Self {
        let names = |list: &[Variable]| -> Vec<String> {
            list.iter().map(|variable| variable.name.text.clone()).collect()
        };
        let mut globals = names(&algorithm.variables);
        if !algorithm.procedures.is_empty() {
            globals.push("stack".into());
        }
        let mut variables = globals.clone();
        for procedure in &algorithm.procedures {
            variables.extend(names(&procedure.parameters));
            variables.extend(names(&procedure.variables));
        }
        let bodies: Vec<&[Stmt]> = match &algorithm.body {
            Body::Single(body) => vec![body],
            Body::Processes(list) => list.iter().map(|one| one.body.as_slice()).collect(),
        };
        if let Body::Processes(list) = &algorithm.body {
            for process in list {
                variables.extend(names(&process.variables));
            }
        }
        let omit_pc =
            algorithm.procedures.is_empty() && bodies.iter().all(|body| is_one_step(body));
        let endless = bodies.iter().any(|body| lone_loop(body).is_some());
        let entries = algorithm
            .procedures
            .iter()
            .map(|procedure| (procedure.name.text.clone(), first_label(&procedure.body)));
        Self {
            algorithm,
            source,
            style,
            globals,
            variables,
            entries: entries.collect(),
            omit_pc,
            endless,
            out: Vec::new(),
            labels: Vec::new(),
        }
    }

    fn processes(&self) -> Option<&'a [Process]> {
        match &self.algorithm.body {
            Body::Single(_) => None,
            Body::Processes(list) => Some(list),
        }
    }

    fn push(&mut self, text: impl Into<String>) {
        self.out.push(line(text, None));
    }

    fn push_at(&mut self, text: impl Into<String>, range: &Range<usize>) {
        self.out.push(line(text, Some(range.clone())));
    }

    fn uses_default(&self) -> bool {
        let unset = |list: &[Variable]| list.iter().any(|variable| variable.value.is_none());
        unset(&self.algorithm.variables)
            || self
                .algorithm
                .procedures
                .iter()
                .any(|procedure| unset(&procedure.parameters) || unset(&procedure.variables))
            || self.processes().unwrap_or(&[]).iter().any(|one| unset(&one.variables))
    }

    fn run(mut self, renamed: &[Renamed]) -> Result<Output, Problem> {
        for one in renamed {
            let (at, col) = token::position(self.source, one.range.start);
            let text =
                format!("\\* {} at line {at} col {} changed to {}", one.what, col + 1, one.to);
            self.push_at(text, &one.range);
        }
        let uses_default = self.uses_default();
        if uses_default {
            self.push("CONSTANT defaultInitValue");
        }
        self.declarations();
        self.proc_set();
        self.init();
        let mut procedures = Vec::new();
        for procedure in &self.algorithm.procedures {
            let scope = self.scope(None, Some("self"));
            procedures.push(procedure.name.text.clone());
            self.actions(
                &procedure.body,
                "Error",
                &scope,
                &procedure.name.text,
                &procedure.name.range,
            )?;
        }
        let mut singles = Vec::new();
        match &self.algorithm.body {
            Body::Single(body) => {
                let scope = self.scope(None, None);
                if self.omit_pc {
                    self.inline(body, &scope, "Next")?;
                } else {
                    singles = self.step_actions(body, "Done", &scope)?;
                }
            }
            Body::Processes(list) => {
                for process in list {
                    let id = process.id.to_line();
                    let id = if process.is_in { "self".to_string() } else { id };
                    let scope = self.scope(Some(process), Some(&id));
                    let name = &process.name;
                    if self.omit_pc {
                        let head = if process.is_in {
                            format!("{}(self)", name.text)
                        } else {
                            name.text.clone()
                        };
                        self.inline(&process.body, &scope, &head)?;
                    } else {
                        self.actions(&process.body, "Done", &scope, &name.text, &name.range)?;
                    }
                    if !process.is_in {
                        singles.push(name.text.clone());
                    }
                }
            }
        }
        self.next(&singles, &procedures);
        self.spec();
        self.termination();
        Ok(Output { lines: self.out, uses_default, labels: self.labels })
    }

    /// How the variables look from a body: of a process, or of a procedure or lone algorithm.
    fn scope(&self, process: Option<&Process>, id: Option<&str>) -> Scope<'a> {
        let mut arrays = FxHashSet::default();
        let id = id.filter(|_| self.processes().is_some()).map(str::to_string);
        if id.is_some() {
            for procedure in &self.algorithm.procedures {
                let all = procedure.parameters.iter().chain(&procedure.variables);
                arrays.extend(all.map(|variable| variable.name.text.clone()));
            }
        }
        if let Some(process) = process.filter(|process| process.is_in) {
            arrays.extend(process.variables.iter().map(|variable| variable.name.text.clone()));
        }
        Scope {
            source: self.source,
            procedures: &self.algorithm.procedures,
            variables: self.variables.clone(),
            arrays,
            id,
            omit_pc: self.omit_pc,
            line_width: self.style.line_width,
            entries: self.entries.clone(),
        }
    }

    fn wrapped(&mut self, items: &[String], open: &str, close: &str) {
        for text in wrap(items, open, close, 0, self.style.line_width, true) {
            self.push(text);
        }
    }

    fn declarations(&mut self) {
        let with_pc = |names: &[String], omit: bool| {
            let mut all: Vec<String> = if omit { vec![] } else { vec!["pc".to_string()] };
            all.extend(names.iter().cloned());
            all
        };
        let keyword = |names: &[String]| if names.len() == 1 { "VARIABLE " } else { "VARIABLES " };
        let all = with_pc(&self.variables, self.omit_pc);
        if self.algorithm.define.is_empty() {
            if !all.is_empty() {
                self.wrapped(&all, keyword(&all), "");
            }
            self.push("");
        } else {
            let first = with_pc(&self.globals, self.omit_pc);
            if !first.is_empty() {
                self.wrapped(&first, keyword(&first), "");
            }
            self.push("");
            self.push("(* define statement *)");
            let range = self.algorithm.define.range.clone();
            self.out.extend(lines(&self.algorithm.define, &range));
            self.push("");
            let rest: Vec<String> = self.variables[self.globals.len()..].to_vec();
            if !rest.is_empty() {
                self.wrapped(&rest, keyword(&rest), "");
            }
            self.push("");
        }
        self.wrapped(&all, "vars == << ", " >>");
        self.push("");
    }

    fn proc_set(&mut self) {
        let Some(processes) = self.processes() else { return };
        let mut text = Text::new("ProcSet == ");
        for (idx, process) in processes.iter().enumerate() {
            text.put(if idx == 0 { "" } else { " \\cup " });
            text.put(if process.is_in { "(" } else { "{" });
            text.expr(&process.id);
            text.put(if process.is_in { ")" } else { "}" });
        }
        self.out.extend(text.lines.into_iter().map(|text| line(text, None)));
        self.push("");
    }

    /// `x = e` or `x \in e`.
    fn initial(&self, variable: &Variable) -> Block {
        let default = default_value();
        let value = variable.value.as_ref().unwrap_or(&default);
        let sign = if variable.is_in { "\\in" } else { "=" };
        let head = format!("{} {sign} ", variable.name.text);
        bare_or_bracketed(&head, value, &variable.name.range)
    }

    /// `x = [self \in S |-> e]` or `x \in [S -> e]`.
    ///
    /// `open` is `[` or, for a procedure's variables, `[ `: only the layout differs.
    fn initial_array(
        &self,
        variable: &Variable,
        open: &str,
        set: &Expr,
        scope: &Scope<'_>,
    ) -> Block {
        let range = &variable.name.range;
        let default = default_value();
        let value = variable.value.as_ref().unwrap_or(&default);
        let value = scope.substitute(value, &std::collections::BTreeSet::new());
        let mut text = Text::new(&variable.name.text);
        if variable.is_in {
            text.put(" \\in [");
            text.expr(set);
            text.put(" -> ");
        } else {
            text.put(&format!(" = {open}self \\in "));
            text.expr(set);
            text.put(" |-> ");
        }
        text.expr(&value);
        text.put("]");
        text.lines.into_iter().map(|text| line(text, Some(range.clone()))).collect()
    }

    fn init(&mut self) {
        let proc_set = Expr::word("ProcSet", token::Kind::Ident, 0..0);
        let mut blocks: Vec<(Option<String>, Vec<Block>)> = Vec::new();
        let globals: Vec<Block> =
            self.algorithm.variables.iter().map(|variable| self.initial(variable)).collect();
        if !globals.is_empty() {
            blocks.push((Some("(* Global variables *)".into()), globals));
        }
        for procedure in &self.algorithm.procedures {
            let scope = self.scope(None, Some("self"));
            let all = procedure.parameters.iter().chain(&procedure.variables);
            let group: Vec<Block> = all
                .map(|variable| match scope.id {
                    Some(_) => self.initial_array(variable, "[ ", &proc_set, &scope),
                    None => self.initial(variable),
                })
                .collect();
            if !group.is_empty() {
                blocks.push((Some(format!("(* Procedure {} *)", procedure.name.text)), group));
            }
        }
        for process in self.processes().unwrap_or(&[]) {
            let scope = self.scope(Some(process), Some("self"));
            let group: Vec<Block> = process
                .variables
                .iter()
                .map(|variable| {
                    if process.is_in {
                        self.initial_array(variable, "[", &process.id, &scope)
                    } else {
                        self.initial(variable)
                    }
                })
                .collect();
            if !group.is_empty() {
                blocks.push((Some(format!("(* Process {} *)", process.name.text)), group));
            }
        }
        let mut own = Vec::new();
        let multi = self.processes().is_some();
        if !self.algorithm.procedures.is_empty() {
            let value = if multi { "[self \\in ProcSet |-> << >>]" } else { "<< >>" };
            own.push(vec![line(format!("stack = {value}"), None)]);
        }
        if !self.omit_pc {
            own.push(self.initial_pc());
        }
        blocks.push((None, own));
        let mut first = true;
        for (comment, group) in blocks {
            if let Some(comment) = comment {
                let prefix = if first { "Init == " } else { "        " };
                self.push(format!("{prefix}{comment}"));
                first = false;
            }
            for block in group {
                let prefix = if first { "Init == " } else { "        " };
                first = false;
                let block = indent(prefix, conjunction(vec![block]));
                self.out.extend(block);
            }
        }
        if first {
            self.push("Init == TRUE");
        }
        self.push("");
    }

    fn initial_pc(&self) -> Block {
        match &self.algorithm.body {
            Body::Single(body) => vec![line(format!("pc = \"{}\"", first_label(body)), None)],
            Body::Processes(list) if list.len() == 1 => {
                let label = first_label(&list[0].body);
                vec![line(format!("pc = [self \\in ProcSet |-> \"{label}\"]"), None)]
            }
            Body::Processes(list) => {
                let mut block = Block::new();
                for (idx, process) in list.iter().enumerate() {
                    let mut text = Text::new(if idx == 0 {
                        "pc = [self \\in ProcSet |-> CASE self "
                    } else {
                        "                             [] self "
                    });
                    text.put(if process.is_in { "\\in " } else { "= " });
                    text.expr(&process.id);
                    text.put(&format!(" -> \"{}\"", first_label(&process.body)));
                    if idx + 1 == list.len() {
                        text.put("]");
                    }
                    let range = Some(process.name.range.clone());
                    block.extend(text.lines.into_iter().map(|text| line(text, range.clone())));
                }
                block
            }
        }
    }

    /// The actions of all steps; returns their names.
    fn step_actions(
        &mut self,
        body: &[Stmt],
        next: &str,
        scope: &Scope<'_>,
    ) -> Result<Vec<String>, Problem> {
        let argument = if scope.id.as_deref() == Some("self") { "(self)" } else { "" };
        let mut names = Vec::new();
        for step in steps(body, next) {
            let name = format!("{}{argument}", step.label.name.text);
            let head = format!("{name} == ");
            let blocks = scope.step(&step, head.chars().count())?;
            let mut block = indent(&head, conjunction(blocks));
            if let Some(first) = block.first_mut() {
                first.range = Some(step.label.name.range.clone());
            }
            self.out.extend(block);
            self.push("");
            self.labels.push((step.label.name.text.clone(), step.label.name.range.clone()));
            names.push(name);
        }
        Ok(names)
    }

    /// The actions of a procedure or process and their disjunction.
    fn actions(
        &mut self,
        body: &[Stmt],
        next: &str,
        scope: &Scope<'_>,
        name: &str,
        range: &Range<usize>,
    ) -> Result<(), Problem> {
        let names = self.step_actions(body, next, scope)?;
        let argument = if scope.id.as_deref() == Some("self") { "(self)" } else { "" };
        let head = format!("{name}{argument} == ");
        for text in self.disjunction(&names, &head) {
            self.push_at(text, range);
        }
        self.push("");
        Ok(())
    }

    /// `head a \/ b`, later lines starting with `\/`.
    fn disjunction(&self, names: &[String], head: &str) -> Vec<String> {
        let spaces = " ".repeat(head.chars().count() + 3);
        let mut texts = Vec::new();
        let mut current = head.to_string();
        for (idx, name) in names.iter().enumerate() {
            if idx == 0 {
                current.push_str(name);
                continue;
            }
            let piece = format!(" \\/ {name}");
            if current.chars().count() + piece.chars().count() > self.style.line_width - 3 {
                texts.push(std::mem::replace(&mut current, format!("{spaces}\\/ {name}")));
            } else {
                current.push_str(&piece);
            }
        }
        texts.push(current);
        texts
    }

    /// The only step of a body without `pc`, as the definition of `head`.
    fn inline(&mut self, body: &[Stmt], scope: &Scope<'_>, head: &str) -> Result<(), Problem> {
        let head = format!("{head} == ");
        for step in steps(body, "Done") {
            let mut blocks = scope.step(&step, head.chars().count())?;
            let block = match blocks.len() {
                0 => vec![line("TRUE", None)],
                1 => blocks.remove(0),
                _ => conjunction(blocks),
            };
            self.out.extend(indent(&head, block));
            self.push("");
            self.labels.push((step.label.name.text.clone(), step.label.name.range.clone()));
        }
        Ok(())
    }

    fn next(&mut self, singles: &[String], procedures: &[String]) {
        let terminating = self.style.done_disjunct && !self.endless;
        let single_body = self.processes().is_none();
        if terminating {
            self.push("(* Allow infinite stuttering to prevent deadlock on termination. *)");
            if single_body {
                self.push("Terminating == pc = \"Done\" /\\ UNCHANGED vars");
            } else {
                self.push("Terminating == /\\ \\A self \\in ProcSet: pc[self] = \"Done\"");
                self.push("               /\\ UNCHANGED vars");
            }
            self.push("");
        }
        if single_body && self.omit_pc {
            return;
        }
        let mut parts = Vec::new();
        if single_body {
            let mut names = procedures.to_vec();
            names.extend(singles.iter().cloned());
            parts.extend(self.disjunction(&names, "Next == "));
        } else {
            let mut first = true;
            if !singles.is_empty() {
                parts.extend(self.disjunction(singles, "Next == "));
                first = false;
            }
            if !procedures.is_empty() {
                let start = if first { "Next == (" } else { "           \\/ (" };
                first = false;
                let head = format!("{start}\\E self \\in ProcSet: ");
                let names: Vec<String> =
                    procedures.iter().map(|name| format!("{name}(self)")).collect();
                let mut texts = vec![format!("{head}{}", names.join(" \\/ "))];
                if texts[0].chars().count() + 1 > self.style.line_width - 2 {
                    // The first disjunct is put under the same sign as those that follow.
                    texts = self.disjunction(&names, &format!("{head} \\/ "));
                    let spaces = head.chars().count() + 1;
                    for text in &mut texts[1..] {
                        *text = format!("{}{}", " ".repeat(spaces), text.trim_start());
                    }
                }
                if let Some(last) = texts.last_mut() {
                    last.push(')');
                }
                parts.extend(texts);
            }
            for process in self.processes().unwrap_or(&[]).iter().filter(|one| one.is_in) {
                let start = if first { "Next == (" } else { "           \\/ (" };
                first = false;
                let mut text = Text::new(&format!("{start}\\E self \\in "));
                text.expr(&process.id);
                text.put(&format!(": {}(self))", process.name.text));
                parts.extend(text.lines);
            }
        }
        for text in parts {
            self.push(text);
        }
        if terminating {
            self.push("           \\/ Terminating");
        }
        self.push("");
    }

    fn spec(&mut self) {
        let mut conjuncts: Vec<Vec<String>> = Vec::new();
        let option = self.style.fairness;
        match self.processes() {
            None => {
                let fair = self.algorithm.fair || self.algorithm.fair_body;
                if fair || option != FairnessOption::None {
                    conjuncts.push(vec!["WF_vars(Next)".into()]);
                }
            }
            Some(list) => {
                if self.algorithm.fair || option == FairnessOption::Next {
                    conjuncts.push(vec!["WF_vars(Next)".into()]);
                }
                for process in list {
                    let fairness = process.fairness;
                    if fairness != Fairness::Unfair {
                        conjuncts.push(self.process_fairness(process, fairness));
                    }
                }
            }
        }
        if conjuncts.is_empty() {
            self.push("Spec == Init /\\ [][Next]_vars");
        } else {
            self.push("Spec == /\\ Init /\\ [][Next]_vars");
            for conjunct in conjuncts {
                for (idx, text) in conjunct.into_iter().enumerate() {
                    let start = if idx == 0 { "        /\\ " } else { "           " };
                    self.push(format!("{start}{text}"));
                }
            }
        }
        self.push("");
    }

    /// The fairness conjunct of a process as lines.
    fn process_fairness(&self, process: &Process, fairness: Fairness) -> Vec<String> {
        let id = process.id.to_line();
        let subject = if process.is_in { "self" } else { id.as_str() };
        let own = if process.is_in { "(self)" } else { "" };
        let called = format!("({subject})");
        let mut groups = Vec::new();
        groups.push(fair_group(&process.name.text, own, own, &process.uses, subject, fairness));
        for name in &process.uses.calls {
            if let Some(found) =
                self.algorithm.procedures.iter().find(|procedure| procedure.name.text == *name)
            {
                groups.push(fair_group(name, &called, &called, &found.uses, subject, fairness));
            }
        }
        let mut prefix = Text::new("");
        if process.is_in {
            prefix.put("\\A self \\in ");
            prefix.expr(&process.id);
            prefix.put(" : ");
        }
        let flat: Vec<String> = groups.iter().flatten().cloned().collect();
        let one_line = flat.join(" /\\ ");
        if one_line.chars().count() <= self.style.line_width {
            prefix.put(&one_line);
            return prefix.lines;
        }
        let start = prefix.lines.last().map_or(0, |last| last.chars().count());
        let mut items: Vec<String> = Vec::new();
        for mut group in groups {
            let joined = group.join(" /\\ ");
            if 11 + start + 3 + joined.chars().count() <= self.style.line_width {
                items.push(joined);
            } else {
                let labels = group.split_off(1);
                items.append(&mut group);
                if !labels.is_empty() {
                    items.push(labels.join(" /\\ "));
                }
            }
        }
        let spaces = " ".repeat(start);
        for (idx, item) in items.iter().enumerate() {
            if idx == 0 {
                prefix.put(&format!("/\\ {item}"));
            } else {
                prefix.lines.push(format!("{spaces}/\\ {item}"));
            }
        }
        prefix.lines
    }

    fn termination(&mut self) {
        if self.endless {
            return;
        }
        if self.processes().is_some() {
            self.push("Termination == <>(\\A self \\in ProcSet: pc[self] = \"Done\")");
        } else {
            self.push("Termination == <>(pc = \"Done\")");
        }
        self.push("");
    }
}

/// Text to which expressions of several lines are appended.
struct Text {
    lines: Vec<String>,
}

impl Text {
    fn new(start: &str) -> Self {
        Self { lines: vec![start.to_string()] }
    }

    fn put(&mut self, text: &str) {
        if let Some(last) = self.lines.last_mut() {
            last.push_str(text);
        }
    }

    /// The expression's later lines keep their columns relative to the first.
    fn expr(&mut self, expr: &Expr) {
        let spaces = " ".repeat(self.lines.last().map_or(0, |last| last.chars().count()));
        for (idx, text) in expr.to_lines().into_iter().enumerate() {
            if idx == 0 {
                self.put(&text);
            } else {
                self.lines.push(format!("{spaces}{text}"));
            }
        }
    }
}

/// The fairness formulas of one action: its own, then those of its `+` labels.
fn fair_group(
    action: &str,
    argument: &str,
    label_argument: &str,
    uses: &Uses,
    subject: &str,
    fairness: Fairness,
) -> Vec<String> {
    let letter = if fairness == Fairness::Strong { "SF" } else { "WF" };
    let quoted: Vec<String> = uses.minus.iter().map(|label| format!("\"{label}\"")).collect();
    let body = match quoted.as_slice() {
        [] => format!("{action}{argument}"),
        [one] => format!("(pc[{subject}] # {one}) /\\ {action}{argument}"),
        many => {
            format!("(pc[{subject}] \\notin {{{}}}) /\\ {action}{argument}", many.join(", "))
        }
    };
    let mut group = vec![format!("{letter}_vars({body})")];
    if fairness == Fairness::Weak {
        group.extend(uses.plus.iter().map(|label| format!("SF_vars({label}{label_argument})")));
    }
    group
}
