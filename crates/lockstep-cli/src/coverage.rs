//! What `-coverage` shows: states by action, evaluations by expression, values by variable.
//!
//! A tree of counts is shown as TLC shows it. An expression whose parts were all evaluated as often
//! as itself stands for them; one that an action never evaluates as a whole (a junction, a choice)
//! is passed over unless its parts agree; what was never evaluated is left out, but for assignments
//! to variables, which then say 0.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_eval::ir::{CostRoot, Costs, Program};
use lockstep_report::{Coverage, CoverageEntry, CoverageKind, CoverageNode, Location};
use lockstep_syntax::{FileId, Span};
use lockstep_tla::Outcome as Checked;

use crate::engine::location;
use crate::load::DefinitionPlace;

/// The counts of a run.
pub(crate) fn coverage(
    program: &Program,
    definitions: &[DefinitionPlace],
    checked: &Checked,
) -> Coverage {
    let shown = Shown { program, definitions };
    let statistics = &checked.statistics;
    let counted = !program.costs.nodes.is_empty();
    let mut out = Coverage { expressions: counted, ..Coverage::default() };
    let mut trees: Vec<Option<Tree>> = Vec::new();
    if counted {
        let mut variables: Vec<_> = program.variables.iter().enumerate().collect();
        variables.sort_by(|a, b| a.1.name.cmp(&b.1.name));
        for (idx, it) in variables {
            let values = checked.distinct_values.get(idx).copied().unwrap_or(0);
            let new = CoverageEntry {
                kind: CoverageKind::Variable,
                name: it.name.to_string(),
                location: location(program, it.span),
                part: None,
                distinct: values,
                generated: 0,
                nodes: Vec::new(),
            };
            out.entries.push(new);
            trees.push(None);
        }
    }
    if let Some(init) = program.init.first() {
        let counts = (statistics.initial_distinct, statistics.initial_generated);
        out.entries.push(shown.entry(CoverageKind::Init, &init.name, init.span, counts));
        trees.push(Tree::of(&program.costs, CostRoot::Act(init.body)));
    }
    let first = out.entries.len();
    let (mut seen, mut places) = (BTreeSet::new(), BTreeMap::new());
    for (idx, action) in program.actions.iter().enumerate() {
        let counts = statistics.actions.get(idx).map_or((0, 0), |it| (it.distinct, it.generated));
        // Parts that differ only in the values of their bound names share their code.
        let tree = seen
            .insert(action.body)
            .then(|| Tree::of(&program.costs, CostRoot::Act(action.body)))
            .flatten();
        let new = shown.entry(CoverageKind::Action, &action.name, action.span, counts);
        let text = |it: &Location| (it.module.clone(), it.line, it.col, it.end_line, it.end_col);
        let place = (new.name.clone(), text(&new.location), new.part.as_ref().map(text));
        let next = out.entries.len();
        match *places.entry(place).or_insert(next) {
            idx if idx < next => {
                out.entries[idx].distinct += new.distinct;
                out.entries[idx].generated += new.generated;
                match (&mut trees[idx], tree) {
                    (Some(known), Some(tree)) => known.add(&tree),
                    (known @ None, tree) => *known = tree,
                    (Some(_), None) => {}
                }
            }
            _ => {
                out.entries.push(new);
                trees.push(tree);
            }
        }
    }
    // In the order of the text.
    let at = |it: &CoverageEntry| {
        let part = it.part.as_ref().map_or((0, 0), |it| (it.line, it.col));
        (it.location.module.clone(), it.location.line, it.location.col, part)
    };
    let mut actions: Vec<_> = out.entries.drain(first..).zip(trees.drain(first..)).collect();
    actions.sort_by_key(|(entry, _)| at(entry));
    for (entry, tree) in actions {
        out.entries.push(entry);
        trees.push(tree);
    }
    for (idx, it) in program.invariants.iter().enumerate() {
        let tree = Tree::of(&program.costs, CostRoot::Node(it.entry.node));
        if counted && tree.as_ref().is_none_or(|it| it.children.is_empty()) {
            // Without a variable it is evaluated once, and not as an invariant.
            continue;
        }
        let name = if idx < program.n_plain_invariants { it.name.as_str() } else { "" };
        out.entries.push(shown.entry(CoverageKind::Property, name, it.span, (0, 0)));
        trees.push(tree);
    }
    if counted {
        for it in program.action_constraints.iter().chain(&program.constraints) {
            let root = CostRoot::Node(it.entry.node);
            let counts = program
                .costs
                .root(root)
                .map_or((0, 0), |at| (program.costs.steps(at), program.costs.count(at)));
            out.entries.push(shown.entry(CoverageKind::Constraint, &it.name, it.span, counts));
            trees.push(Tree::of(&program.costs, root));
        }
    }
    let mut all = BTreeMap::new();
    trees.iter().flatten().flat_map(|it| &it.children).for_each(|it| {
        it.evaluated(&mut all);
    });
    let files: BTreeSet<_> = all.keys().map(|(file, ..)| *file).collect();
    for ((file, start, end), count) in all {
        let location = location(program, Span { file, start, end });
        out.counted.push(CoverageNode { location, depth: 0, count, cost: None });
    }
    for file in files {
        let name = program.module_names.get(file.0 as usize).map_or("", |it| it.as_str());
        let text = &program.sources.file(file).text;
        out.sources.push((name.to_owned(), text.to_owned()));
    }
    for (entry, tree) in out.entries.iter_mut().zip(&trees) {
        for child in tree.iter().flat_map(|it| &it.children) {
            child.show(program, 0, &mut entry.nodes);
        }
    }
    out
}

/// Where names stand.
struct Shown<'a> {
    program: &'a Program,
    definitions: &'a [DefinitionPlace],
}

impl Shown<'_> {
    fn entry(
        &self,
        kind: CoverageKind,
        name: &str,
        span: Span,
        (distinct, generated): (u64, u64),
    ) -> CoverageEntry {
        // The head of the innermost definition of that name around a text, and the text if it is
        // not all of the definition.
        let around = (self.definitions.iter())
            .filter(|it| it.name == name && it.span.file == span.file)
            .filter(|it| it.span.start <= span.start && span.end <= it.span.end)
            .min_by_key(|it| it.span.end - it.span.start);
        let (name, location, part) = match around {
            // A part of a behaviour specification that has no name.
            None => ("Action", location(self.program, span), None),
            Some(it) => {
                let whole = it.body == span || it.head == span || kind != CoverageKind::Action;
                let part = (!whole).then(|| location(self.program, span));
                (name, location(self.program, it.head), part)
            }
        };
        CoverageEntry {
            kind,
            name: name.to_owned(),
            location,
            part,
            distinct,
            generated,
            nodes: Vec::new(),
        }
    }
}

/// An expression with its counts.
struct Tree {
    span: Span,
    count: u64,
    steps: u64,
    assigns: bool,
    unchanged: bool,
    names: bool,
    children: Vec<Tree>,
}

impl Tree {
    fn of(costs: &Costs, root: CostRoot) -> Option<Tree> {
        costs.root(root).map(|node| Tree::at(costs, node))
    }

    fn at(costs: &Costs, node: u32) -> Tree {
        let it = &costs.nodes[node as usize];
        Tree {
            span: it.span,
            count: costs.count(node),
            steps: costs.steps(node),
            assigns: it.assigns,
            unchanged: it.unchanged,
            names: it.names,
            children: it.children.iter().map(|child| Tree::at(costs, *child)).collect(),
        }
    }

    /// Adds the counts of the same expressions.
    fn add(&mut self, other: &Tree) {
        self.count += other.count;
        self.steps += other.steps;
        for (child, other) in self.children.iter_mut().zip(&other.children) {
            child.add(other);
        }
    }

    /// How often an expression was evaluated at least in part, by place.
    fn evaluated(&self, out: &mut BTreeMap<(FileId, u32, u32), u64>) -> u64 {
        let parts = self.children.iter().map(|it| it.evaluated(out)).max().unwrap_or(0);
        let count = if self.count > 0 { self.count } else { parts };
        let known = out.entry((self.span.file, self.span.start, self.span.end)).or_insert(0);
        *known = count.max(*known);
        count
    }

    /// The counts that occur, and whether sets were enumerated.
    fn counts(&self, out: &mut BTreeSet<u64>, enumerates: &mut bool) {
        if self.count > 0 || self.assigns {
            out.insert(self.count);
        }
        if self.unchanged {
            // What it leaves alone is not evaluated.
            out.insert(0);
        }
        *enumerates |= self.steps > 0;
        self.children.iter().for_each(|it| it.counts(out, enumerates));
    }

    fn show(&self, program: &Program, depth: usize, out: &mut Vec<CoverageNode>) {
        let (mut below, mut enumerates) = (BTreeSet::new(), false);
        self.children.iter().for_each(|it| it.counts(&mut below, &mut enumerates));
        let mut line = |count: u64| {
            out.push(CoverageNode {
                location: location(program, self.span),
                depth,
                count,
                cost: (self.steps > 0).then_some(self.steps),
            });
        };
        if self.count > 0 || self.assigns {
            line(self.count);
            if enumerates || self.steps > 0 || below.iter().any(|it| *it != self.count) {
                self.children.iter().for_each(|it| it.show(program, depth + 1, out));
            }
            return;
        }
        match below.first() {
            Some(count) if below.len() == 1 && *count > 0 && !enumerates && !self.names => {
                line(*count);
            }
            _ => self.children.iter().for_each(|it| it.show(program, depth, out)),
        }
    }
}
