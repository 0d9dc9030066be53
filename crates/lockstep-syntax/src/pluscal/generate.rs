//! The TLA+ text of steps.
//!
//! A step is a conjunction; each node of the exploded step gives one or more conjuncts, each a few
//! lines whose columns count from the conjunct's own start, so that they can be put anywhere.
//! Variables assigned earlier in the step are primed, variables of a process set get `[self]`.
//! What one branch assigns and another does not is said to be unchanged at the end of the latter.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{After, Assign, Name, Procedure, Stmt, StmtKind};
use super::explode::{Node, Step, explode};
use super::expr::{Expr, width};
use super::parse::Problem;
use super::token;

/// A line of the translation and the text of the algorithm it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) range: Option<Range<usize>>,
}

/// Some lines that belong together, the first starting at column 0.
pub(super) type Block = Vec<Line>;

/// What the steps of one body have in common.
pub(super) struct Scope<'a> {
    /// The module, for the places in assertion messages.
    pub(super) source: &'a str,
    pub(super) procedures: &'a [Procedure],
    /// All variables but `pc`, in the order of `vars`.
    pub(super) variables: Vec<String>,
    /// Variables that are functions of `self` as seen from this body.
    pub(super) arrays: FxHashSet<String>,
    /// `self`, or the identifier of a lone process; nothing without processes.
    pub(super) id: Option<String>,
    /// `pc` plays no part.
    pub(super) omit_pc: bool,
    pub(super) line_width: usize,
    /// The first label of each procedure.
    pub(super) entries: FxHashMap<String, String>,
}

/// The variables assigned so far in a step.
type Changed = BTreeSet<String>;

pub(super) fn line(text: impl Into<String>, range: Option<Range<usize>>) -> Line {
    Line { text: text.into(), range }
}

/// Puts `prefix` before the first line and as many spaces before the others.
pub(super) fn indent(prefix: &str, block: Block) -> Block {
    let spaces = " ".repeat(width(prefix).max(0) as usize);
    let indented = block.into_iter().enumerate().map(|(idx, one)| {
        let text = if idx == 0 {
            format!("{prefix}{}", one.text)
        } else {
            format!("{spaces}{}", one.text)
        };
        Line { text, range: one.range }
    });
    indented.collect()
}

/// Appends `suffix` to the last line.
fn close(mut block: Block, suffix: &str) -> Block {
    if let Some(last) = block.last_mut() {
        last.text.push_str(suffix);
    }
    block
}

/// A conjunction list.
pub(super) fn conjunction(blocks: Vec<Block>) -> Block {
    blocks.into_iter().flat_map(|block| indent("/\\ ", block)).collect()
}

/// `open a, b, c close`, broken where the next item would pass `limit` columns; where
/// `close_alone`, `close` may stand on a line of its own.
pub(super) fn wrap(
    items: &[String],
    open: &str,
    close: &str,
    col: usize,
    limit: usize,
    close_alone: bool,
) -> Vec<String> {
    let inner = " ".repeat(open.len());
    let mut lines = Vec::new();
    let mut current = open.to_string();
    let mut fresh = true;
    for (idx, item) in items.iter().enumerate() {
        let last = idx + 1 == items.len();
        let piece = match (last, close_alone) {
            // A comma's room is kept for the last item, too.
            (true, true) => format!("{item} "),
            (true, false) => format!("{item} "),
            (false, _) => format!("{item},"),
        };
        if !fresh && col + current.chars().count() + 1 + piece.chars().count() > limit {
            lines.push(format!("{current} "));
            current = inner.clone();
            fresh = true;
        }
        if !fresh {
            current.push(' ');
        }
        current.push_str(&piece);
        fresh = false;
    }
    current.truncate(current.trim_end().len());
    if !close_alone {
        current.push_str(close);
    } else {
        if close.is_empty() {
            // Nothing to put.
        } else if col + current.chars().count() + close.len() > limit - 1 {
            lines.push(current);
            current = format!("{}{}", " ".repeat(open.len() - close.len()), close.trim_start());
        } else {
            current.push_str(close);
        }
    }
    lines.push(current);
    lines
}

impl Scope<'_> {
    /// The conjuncts of a whole step, `UNCHANGED` included; `col` is where they will stand.
    pub(super) fn step(&self, step: &Step<'_>, col: usize) -> Result<Vec<Block>, Problem> {
        let mut out = Vec::new();
        if !self.omit_pc {
            let label = &step.label.name;
            let text = format!("pc{} = \"{}\"", self.subscript(), label.text);
            let place = step.stmts.first().map(|stmt| stmt.range.clone());
            out.push(vec![line(text, Some(place.unwrap_or_else(|| label.range.clone())))]);
        }
        let mut changed = Changed::new();
        self.nodes(&explode(step), &mut changed, col + 3, &mut out)?;
        let unchanged: Vec<String> =
            self.variables.iter().filter(|name| !changed.contains(*name)).cloned().collect();
        out.extend(self.unchanged(&unchanged, col + 3));
        Ok(out)
    }

    fn subscript(&self) -> String {
        self.id.as_ref().map_or_else(String::new, |id| format!("[{id}]"))
    }

    fn unchanged(&self, names: &[String], col: usize) -> Option<Block> {
        match names {
            [] => None,
            // The reference translator writes short names this way, and so do we.
            [one] if one.len() <= 5 => Some(vec![line(format!("{one}' = {one}"), None)]),
            [one] => Some(vec![line(format!("UNCHANGED {one}"), None)]),
            many => {
                let lines = wrap(many, "UNCHANGED << ", " >>", col, self.line_width + 1, false);
                Some(lines.into_iter().map(|text| line(text, None)).collect())
            }
        }
    }

    fn nodes(
        &self,
        nodes: &[Node<'_>],
        changed: &mut Changed,
        col: usize,
        out: &mut Vec<Block>,
    ) -> Result<(), Problem> {
        for node in nodes {
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.node(node, changed, col, out))?;
        }
        Ok(())
    }

    fn node(
        &self,
        node: &Node<'_>,
        changed: &mut Changed,
        col: usize,
        out: &mut Vec<Block>,
    ) -> Result<(), Problem> {
        match node {
            Node::Goto { label, range } => self.goto(label, range, out),
            Node::Plain { stmt, next } => self.plain(stmt, next, changed, col, out)?,
            Node::If { stmt, test, then, otherwise } => {
                let test = self.substitute(test, changed);
                let mut block = indent("IF ", lines(&test, &stmt.range));
                let branches = [then.as_slice(), otherwise.as_slice()];
                let branches = self.branches(&branches, changed, col + 8, true)?;
                for (branch, word) in branches.into_iter().zip(["   THEN ", "   ELSE "]) {
                    block.extend(indent(word, conjunction(branch)));
                }
                out.push(block);
            }
            Node::Either { clauses } => {
                let clauses: Vec<&[Node<'_>]> = clauses.iter().map(Vec::as_slice).collect();
                let branches = self.branches(&clauses, changed, col + 3, false)?;
                let block = branches
                    .into_iter()
                    .flat_map(|branch| indent("\\/ ", conjunction(branch)))
                    .collect();
                out.push(block);
            }
            Node::With { stmt, body } => {
                let StmtKind::With { variable, is_in, value, .. } = &stmt.kind else {
                    return Ok(());
                };
                let value = lines(&self.substitute(value, changed), &stmt.range);
                let mut block = if *is_in {
                    close(indent(&format!("\\E {} \\in ", variable.text), value), ":")
                } else {
                    close(indent(&format!("LET {} == ", variable.text), value), " IN")
                };
                let mut inner = Vec::new();
                self.nodes(body, changed, col + 5, &mut inner)?;
                let inner = if inner.len() == 1 { inner.remove(0) } else { conjunction(inner) };
                block.extend(indent("  ", inner));
                out.push(block);
            }
        }
        Ok(())
    }

    fn goto(&self, label: &str, range: &Range<usize>, out: &mut Vec<Block>) {
        if !self.omit_pc {
            let text = self.set_array("pc", &format!("\"{label}\""));
            out.push(vec![line(text, Some(range.clone()))]);
        }
    }

    /// `x' = e` or `x' = [x EXCEPT ![self] = e]` for one of the translation's own variables.
    fn set_array(&self, name: &str, value: &str) -> String {
        match &self.id {
            Some(id) => format!("{name}' = [{name} EXCEPT ![{id}] = {value}]"),
            None => format!("{name}' = {value}"),
        }
    }

    /// The conjuncts of each branch, all made to assign the same variables.
    fn branches(
        &self,
        branches: &[&[Node<'_>]],
        changed: &mut Changed,
        col: usize,
        wrapped: bool,
    ) -> Result<Vec<Vec<Block>>, Problem> {
        let before = changed.clone();
        let mut parts = Vec::new();
        for nodes in branches {
            let mut after = before.clone();
            let mut blocks = Vec::new();
            self.nodes(nodes, &mut after, col + 3, &mut blocks)?;
            if blocks.is_empty() {
                blocks.push(vec![line("TRUE", None)]);
            }
            changed.extend(after.iter().cloned());
            parts.push((blocks, after));
        }
        let mut out = Vec::new();
        for (mut blocks, after) in parts {
            let missing = |name: &&String| changed.contains(*name) && !after.contains(*name);
            let unchanged: Vec<String> = self.variables.iter().filter(missing).cloned().collect();
            if wrapped || unchanged.len() < 2 {
                blocks.extend(self.unchanged(&unchanged, col + 3));
            } else {
                let text = format!("UNCHANGED <<{}>>", unchanged.join(", "));
                blocks.push(vec![line(text, None)]);
            }
            out.push(blocks);
        }
        Ok(out)
    }

    /// The expression with primes and subscripts.
    pub(super) fn substitute(&self, expr: &Expr, changed: &Changed) -> Expr {
        let mut expr = expr.clone();
        expr.rename(|name| {
            let prime = if changed.contains(name) { "'" } else { "" };
            let array = self.arrays.contains(name);
            let subscript = if array { self.subscript() } else { String::new() };
            (array || !prime.is_empty()).then(|| format!("{name}{prime}{subscript}"))
        });
        expr
    }

    fn plain(
        &self,
        stmt: &Stmt,
        next: &str,
        changed: &mut Changed,
        col: usize,
        out: &mut Vec<Block>,
    ) -> Result<(), Problem> {
        let range = &stmt.range;
        match &stmt.kind {
            StmtKind::Skip => out.push(vec![line("TRUE", Some(range.clone()))]),
            StmtKind::When(expr) => out.push(lines(&self.substitute(expr, changed), range)),
            StmtKind::Print(expr) => {
                let value = lines(&self.substitute(expr, changed), range);
                out.push(close(indent("PrintT(", value), ")"));
            }
            StmtKind::Assert(expr) => {
                let value = lines(&self.substitute(expr, changed), range);
                let message = format!("\"Failure of assertion at {}.\")", self.place(stmt));
                let mut block = indent("Assert(", value);
                let first = block.first().map_or(0, |first| first.text.chars().count());
                let total = col + first + 2 + message.chars().count();
                if block.len() > 1 || total > self.line_width {
                    block = close(block, ", ");
                    block.push(line(format!("       {message}"), Some(range.clone())));
                } else {
                    block = close(block, &format!(", {message}"));
                }
                out.push(block);
            }
            StmtKind::Assign(assigns) => self.assign(stmt, assigns, changed, out)?,
            StmtKind::Call { procedure, args, after } => {
                self.call(stmt, procedure, args, after, next, changed, out)?;
            }
            StmtKind::Return(from) => {
                let head = format!("Head(stack{})", self.subscript());
                let mut push = |text: String| out.push(vec![line(text, Some(range.clone()))]);
                push(self.set_array("pc", &format!("{head}.pc")));
                if let Some(procedure) = self.procedure(from) {
                    for variable in procedure.variables.iter().chain(&procedure.parameters) {
                        let name = &variable.name.text;
                        push(self.set_array(name, &format!("{head}.{name}")));
                        changed.insert(name.clone());
                    }
                }
                push(self.set_array("stack", &format!("Tail(stack{})", self.subscript())));
                changed.insert("stack".into());
            }
            StmtKind::If { .. }
            | StmtKind::Either(_)
            | StmtKind::While { .. }
            | StmtKind::With { .. }
            | StmtKind::Goto(_)
            | StmtKind::Macro { .. } => {}
        }
        Ok(())
    }

    /// Where a statement stands, for messages.
    fn place(&self, stmt: &Stmt) -> String {
        let at = |range: &Range<usize>| {
            let (line, col) = token::position(self.source, range.start);
            format!("line {line}, column {}", col + 1)
        };
        let mut text = at(&stmt.range);
        for call in &stmt.called_at {
            text.push_str(&format!(" of macro called at {}", at(call)));
        }
        text
    }

    fn procedure(&self, name: &str) -> Option<&Procedure> {
        self.procedures.iter().find(|procedure| procedure.name.text == name)
    }

    /// The assignments to one variable as a block.
    fn assign_one(&self, assigns: &[&Assign], changed: &Changed, range: &Range<usize>) -> Block {
        let name = &assigns[0].variable.text;
        let array = self.arrays.contains(name);
        if !array && assigns.iter().all(|assign| assign.subscript.is_empty()) {
            let value = self.substitute(&assigns[0].value, changed);
            let head = format!("{name}' = ");
            return bare_or_bracketed(&head, &value, range);
        }
        let mut block = Block::new();
        let head = format!("{name}' = [{name} EXCEPT ");
        for (idx, assign) in assigns.iter().enumerate() {
            let own = if array { self.subscript() } else { String::new() };
            let subscript = self.substitute(&assign.subscript, changed).to_line();
            let start = if idx == 0 { head.clone() } else { " ".repeat(head.len()) };
            let value = lines(&self.substitute(&assign.value, changed), range);
            let end = if idx + 1 == assigns.len() { "]" } else { "," };
            block.extend(close(indent(&format!("{start}!{own}{subscript} = "), value), end));
        }
        block
    }

    fn assign(
        &self,
        stmt: &Stmt,
        assigns: &[Assign],
        changed: &mut Changed,
        out: &mut Vec<Block>,
    ) -> Result<(), Problem> {
        let mut order: Vec<&Assign> = assigns.iter().collect();
        order.sort_by(|a, b| a.variable.text.cmp(&b.variable.text));
        let mut blocks = Vec::new();
        let before = changed.clone();
        for group in order.chunk_by(|a, b| a.variable.text == b.variable.text) {
            self.check(stmt, group, &before)?;
            blocks.push(self.assign_one(group, &before, &stmt.range));
            changed.insert(group[0].variable.text.clone());
        }
        out.push(if blocks.len() == 1 { blocks.remove(0) } else { conjunction(blocks) });
        Ok(())
    }

    /// Whether the assignments to one variable make sense.
    fn check(&self, stmt: &Stmt, group: &[&Assign], before: &Changed) -> Result<(), Problem> {
        let name = &group[0].variable;
        let problem = |code, message: String| {
            let mut problem = Problem::new(code, name.range.clone(), message);
            problem.called_at.clone_from(&stmt.called_at);
            problem
        };
        if !self.variables.contains(&name.text) || name.text == "stack" {
            let message = format!("Assignment to undeclared variable {}", name.text);
            return Err(problem("pcal-undeclared", message)
                .help("only variables declared in the algorithm can be assigned"));
        }
        let whole = group.iter().any(|assign| assign.subscript.is_empty());
        if before.contains(&name.text) || group.len() > 1 && whole {
            let message = format!("Multiple assignment to {}", name.text);
            return Err(problem("pcal-multiple-assignment", message)
                .help("a step assigns a variable at most once; put a label between"));
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one call statement")]
    fn call(
        &self,
        stmt: &Stmt,
        name: &Name,
        args: &[Expr],
        after: &After,
        next: &str,
        changed: &mut Changed,
        out: &mut Vec<Block>,
    ) -> Result<(), Problem> {
        let Some(callee) = self.procedure(&name.text) else {
            let message = format!("Call of non-existent procedure {}", name.text);
            return Err(Problem::at("pcal-no-procedure", stmt, message));
        };
        if callee.parameters.len() != args.len() {
            let message = format!(
                "Procedure {} called with wrong number of arguments: {} instead of {}",
                name.text,
                args.len(),
                callee.parameters.len()
            );
            return Err(Problem::at("pcal-arguments", stmt, message));
        }
        let range = &stmt.range;
        let subscript = self.subscript();
        let before = changed.clone();
        let mut parts: Vec<(String, Block)> = Vec::new();
        for (parameter, arg) in callee.parameters.iter().zip(args) {
            let target = &parameter.name.text;
            let value = self.substitute(arg, &before);
            parts.push((target.clone(), self.set(target, &value, range)));
        }
        let tail_call = match after {
            After::Return(from) => Some(from),
            After::Nothing | After::Goto(_) => None,
        };
        if tail_call != Some(&name.text) {
            let (pc, rest) = match after {
                After::Nothing => (format!("\"{next}\""), format!("stack{subscript}")),
                After::Goto(label) => (format!("\"{}\"", label.text), format!("stack{subscript}")),
                After::Return(from) => {
                    let head = format!("Head(stack{subscript})");
                    if let Some(caller) = self.procedure(from) {
                        for variable in &caller.variables {
                            let own = &variable.name.text;
                            let text = self.set_array(own, &format!("{head}.{own}"));
                            parts.push((own.clone(), vec![line(text, Some(range.clone()))]));
                        }
                    }
                    (format!("{head}.pc"), format!("Tail(stack{subscript})"))
                }
            };
            let mut fields = vec![
                ("procedure".to_string(), format!("\"{}\"", name.text)),
                ("pc".to_string(), pc),
            ];
            for variable in callee.variables.iter().chain(&callee.parameters) {
                let own = &variable.name.text;
                let prime = if before.contains(own) { "'" } else { "" };
                fields.push((own.clone(), format!("{own}{prime}{subscript}")));
            }
            parts.push(("stack".into(), self.push_stack(&fields, &rest, range)));
        }
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        changed.extend(parts.iter().map(|(name, _)| name.clone()));
        let mut blocks: Vec<Block> = parts.into_iter().map(|(_, block)| block).collect();
        match blocks.len() {
            0 => {}
            1 => out.push(blocks.remove(0)),
            _ => out.push(conjunction(blocks)),
        }
        for variable in &callee.variables {
            let target = &variable.name.text;
            let default = default_value();
            let value = self.substitute(variable.value.as_ref().unwrap_or(&default), changed);
            out.push(self.set(target, &value, range));
            changed.insert(target.clone());
        }
        let entry = self.entries.get(&name.text).cloned().unwrap_or_default();
        let text = self.set_array("pc", &format!("\"{entry}\""));
        out.push(vec![line(text, Some(range.clone()))]);
        Ok(())
    }

    /// An assignment of a whole procedure variable.
    fn set(&self, name: &str, value: &Expr, range: &Range<usize>) -> Block {
        match &self.id {
            Some(id) => {
                let head = format!("{name}' = [{name} EXCEPT ![{id}] = ");
                close(indent(&head, lines(value, range)), "]")
            }
            None => bare_or_bracketed(&format!("{name}' = "), value, range),
        }
    }

    fn push_stack(&self, fields: &[(String, String)], rest: &str, range: &Range<usize>) -> Block {
        let pad = fields.iter().map(|(name, _)| width(name)).max().unwrap_or(0) as usize;
        let mut texts = Vec::new();
        for (idx, (name, value)) in fields.iter().enumerate() {
            let start = if idx == 0 { "<< [ " } else { "     " };
            let end = if idx + 1 == fields.len() { " ] >>" } else { "," };
            texts.push(format!("{start}{name:pad$} |->  {value}{end}"));
        }
        texts.push(format!(" \\o {rest}"));
        let block = texts.into_iter().map(|text| line(text, Some(range.clone()))).collect();
        match &self.id {
            Some(id) => close(indent(&format!("stack' = [stack EXCEPT ![{id}] = "), block), "]"),
            None => indent("stack' = ", block),
        }
    }
}

/// `head e`, with `e` in parentheses where it must be.
pub(super) fn bare_or_bracketed(head: &str, value: &Expr, range: &Range<usize>) -> Block {
    let block = lines(value, range);
    if value.needs_parentheses() {
        close(indent(&format!("{head}("), block), ")")
    } else {
        indent(head, block)
    }
}

/// The lines of an expression.
pub(super) fn lines(expr: &Expr, range: &Range<usize>) -> Block {
    expr.to_lines().into_iter().map(|text| line(text, Some(range.clone()))).collect()
}

/// The value of a variable that is given none.
pub(super) fn default_value() -> Expr {
    Expr::word("defaultInitValue", token::Kind::Ident, 0..0)
}
