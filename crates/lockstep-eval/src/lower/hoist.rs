//! Loop-invariant code motion.
//!
//! What is evaluated for every element of a set though it depends on none of them,
//! `Max({…})` in `CHOOSE x \in S : x.round = Max({…})`, is evaluated once a loop: it becomes a
//! memo slot that the loop empties before it starts (Muchnick, *Advanced Compiler Design and
//! Implementation*, section 13.2). Memo slots are filled when they are first read, so what is
//! evaluated, in which order, and what fails stay as written.
//!
//! Invariants: only expressions without effects move, which read no slot that the loop binds and
//! nothing of the next state; an expression moves only if the loop is all that leads to it, for
//! its memo slot is emptied there alone. Slots are new at the end of the frame, for none is used
//! twice.

use rustc_hash::FxHashSet;

use crate::ir::{
    Act, ActId, Arg, Bind, Effects, EntryPoint, Node, NodeId, Part, Program, Slot, Target,
    Temporal, act_parts, captures, parts,
};

/// Moves what can be moved. `effects` are those of the nodes made so far.
pub(super) fn hoist(program: &mut Program, effects: &[Effects]) {
    let mut frames = Frames::of(program);
    let mut counts = counts_of(program);
    let mut seen = FxHashSet::default();
    for root in 0..frames.roots.len() {
        let mut todo = vec![frames.roots[root]];
        let group = frames.group(root);
        let mut next = frames.n_slots[group];
        while let Some(part) = todo.pop() {
            let key = match part {
                Part::Node(id) => (false, id.0),
                Part::Act(id) => (true, id.0),
                _ => continue,
            };
            if !seen.insert(key) {
                continue;
            }
            // Outer loops first: what moves, moves as far as it can.
            let found = loop_of(program, part)
                .map_or_else(Vec::new, |it| candidates(program, effects, &counts, it));
            let mut inner = part;
            if !found.is_empty() && usize::from(next) + found.len() < usize::from(Slot::MAX) {
                let lo = next;
                for node in found {
                    let body = push_node(program, node);
                    program.nodes[node.index()] = Node::Lazy { slot: next, body };
                    next += 1;
                }
                inner = wrap(program, part, lo, next);
                counts.resize(program.nodes.len(), 1);
            }
            each_part(program, inner, &mut |part| todo.push(part));
        }
        frames.n_slots[group] = next;
    }
    let mut root = 0;
    each_root(program, &mut |_, n_slots| {
        let group = frames.group(root);
        *n_slots = frames.n_slots[group];
        root += 1;
    });
}

/// A copy of a node under a number of its own.
fn push_node(program: &mut Program, id: NodeId) -> NodeId {
    let copy = NodeId(program.nodes.len() as u32);
    program.nodes.push(program.nodes[id.index()].clone());
    program.spans.push(program.spans[id.index()]);
    copy
}

/// Puts a scope in the place of a loop, which moves inside.
fn wrap(program: &mut Program, part: Part, lo: Slot, hi: Slot) -> Part {
    match part {
        Part::Node(id) => {
            let body = push_node(program, id);
            program.nodes[id.index()] = Node::Scope { lo, hi, body };
            Part::Node(body)
        }
        Part::Act(id) => {
            let body = ActId(program.acts.len() as u32);
            program.acts.push(program.acts[id.index()].clone());
            program.act_spans.push(program.act_spans[id.index()]);
            program.acts[id.index()] = Act::Scope { lo, hi, body };
            Part::Act(body)
        }
        other => other,
    }
}

fn each_part(program: &Program, part: Part, each: &mut dyn FnMut(Part)) {
    match part {
        Part::Node(id) => parts(program.node(id), each),
        Part::Act(id) => act_parts(program.act(id), each),
        _ => {}
    }
}

/// A loop: the first slot it binds and what it repeats. The sets of later bounds do not count.
fn loop_of(program: &Program, part: Part) -> Option<(Slot, Part)> {
    let first = |binds: &[Bind]| {
        binds
            .iter()
            .map(|bind| match bind.target {
                Target::Slot(slot) | Target::Tuple(slot, _) => slot,
            })
            .min()
    };
    match part {
        Part::Node(id) => match program.node(id) {
            Node::Filter { bind, body } | Node::Choose { bind, body } => {
                Some((first(std::slice::from_ref(bind))?, Part::Node(*body)))
            }
            Node::Map { binds, body } | Node::Quantified { binds, body, .. } => {
                Some((first(binds)?, Part::Node(*body)))
            }
            Node::Function { binds, body, itself } => {
                let slot = first(binds)?;
                Some((itself.map_or(slot, |it| it.min(slot)), Part::Node(*body)))
            }
            _ => None,
        },
        Part::Act(id) => match program.act(id) {
            Act::Exists(binds, body) => Some((first(binds)?, Part::Act(*body))),
            _ => None,
        },
        _ => None,
    }
}

/// The largest expressions of a loop's body that are worth a slot and do not depend on the loop.
fn candidates(
    program: &Program,
    effects: &[Effects],
    counts: &[u32],
    (bound, body): (Slot, Part),
) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut todo = vec![body];
    while let Some(part) = todo.pop() {
        match part {
            Part::Node(id) => {
                // What this pass made itself has no effects on record, and is settled.
                let Some(own) = effects.get(id.index()) else { continue };
                if counts[id.index()] != 1 {
                    continue;
                }
                if is_worth_it(program.node(id), *own)
                    && !own.impure
                    && !own.reads_next
                    && captures(program, id).iter().all(|slot| *slot < bound)
                {
                    found.push(id);
                    continue;
                }
                inside(program.node(id), &mut |part| todo.push(part));
            }
            // The present state of what follows a composition is another one.
            Part::Act(id) if !matches!(program.act(id), Act::Compose(..) | Act::Call { .. }) => {
                act_parts(program.act(id), &mut |part| todo.push(part));
            }
            _ => {}
        }
    }
    found
}

/// The parts of an expression that are evaluated in the same frame and states.
fn inside(node: &Node, each: &mut dyn FnMut(Part)) {
    match node {
        Node::Enabled { .. } | Node::Action(_) | Node::NextDef { .. } => {}
        Node::NativeSpecial { args, .. }
        | Node::Call { args, .. }
        | Node::CallOperator { args, .. } => {
            for arg in args {
                if let Arg::Eager(node) = arg {
                    each(Part::Node(*node));
                }
            }
        }
        _ => parts(node, each),
    }
}

/// Whether evaluating a node takes work without a small bound.
fn is_worth_it(node: &Node, effects: Effects) -> bool {
    match node {
        Node::Scope { .. } => effects.heavy,
        _ => matches!(
            node,
            Node::Quantified { .. }
                | Node::Choose { .. }
                | Node::Filter { .. }
                | Node::Map { .. }
                | Node::Function { .. }
                | Node::BigUnion(_)
                | Node::Call { .. }
                | Node::NativeSpecial { .. }
        ),
    }
}

/// How often each node is a part of something.
fn counts_of(program: &mut Program) -> Vec<u32> {
    let mut nodes = vec![0_u32; program.nodes.len()];
    let mut count = |part: Part| {
        if let Part::Node(id) = part {
            nodes[id.index()] = nodes[id.index()].saturating_add(1);
        }
    };
    for node in &program.nodes {
        parts(node, &mut count);
        if let Node::Pointwise { points, .. } = node {
            for (args, value) in points {
                args.iter().for_each(|it| count(Part::Node(*it)));
                count(Part::Node(*value));
            }
        }
    }
    for act in &program.acts {
        act_parts(act, &mut count);
    }
    each_root(program, &mut |part, _| count(part));
    nodes
}

/// The frames of a program. Roots that lead to a common expression share their slots.
struct Frames {
    roots: Vec<Part>,
    parents: Vec<usize>,
    /// By group: how many slots are taken.
    n_slots: Vec<Slot>,
}

impl Frames {
    fn of(program: &mut Program) -> Self {
        let (mut roots, mut n_slots) = (Vec::new(), Vec::new());
        each_root(program, &mut |part, n| {
            roots.push(part);
            n_slots.push(*n);
        });
        let mut this = Self { parents: (0..roots.len()).collect(), roots, n_slots };
        let mut nodes = vec![usize::MAX; program.nodes.len()];
        let mut acts = vec![usize::MAX; program.acts.len()];
        for root in 0..this.roots.len() {
            let mut todo = vec![this.roots[root]];
            while let Some(part) = todo.pop() {
                let owner = match part {
                    Part::Node(id) => &mut nodes[id.index()],
                    Part::Act(id) => &mut acts[id.index()],
                    _ => continue,
                };
                if *owner != usize::MAX {
                    let owner = *owner;
                    this.join(root, owner);
                    continue;
                }
                *owner = root;
                each_part(program, part, &mut |part| todo.push(part));
            }
        }
        this
    }

    fn group(&mut self, root: usize) -> usize {
        let mut at = root;
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.group(a), self.group(b));
        if a != b {
            self.parents[a] = b;
            self.n_slots[b] = self.n_slots[b].max(self.n_slots[a]);
        }
    }
}

/// Calls `each` with everything that is evaluated in a frame of its own, and its number of slots.
fn each_root(program: &mut Program, each: &mut dyn FnMut(Part, &mut Slot)) {
    fn entry(it: &mut EntryPoint, each: &mut dyn FnMut(Part, &mut Slot)) {
        each(Part::Node(it.node), &mut it.n_slots);
    }
    fn temporal(it: &mut Temporal, each: &mut dyn FnMut(Part, &mut Slot)) {
        match it {
            Temporal::State(it) | Temporal::Action(it) => entry(it, each),
            Temporal::Not(it) | Temporal::Always(it) | Temporal::Eventually(it) => {
                temporal(it, each);
            }
            Temporal::And(items) | Temporal::Or(items) => {
                items.iter_mut().for_each(|it| temporal(it, each));
            }
            Temporal::Fairness(it) => {
                entry(&mut it.step, each);
                entry(&mut it.enabled, each);
            }
        }
    }
    // Every field is named, so that none with roots of its own is forgotten.
    let Program {
        sources: _,
        module_names: _,
        symbols: _,
        variables: _,
        nodes: _,
        spans: _,
        acts: _,
        act_spans: _,
        functions,
        act_functions,
        consts,
        n_memos: _,
        frozen: _,
        frames: _,
        act_frames: _,
        captures: _,
        images: _,
        guards: _,
        act_guards: _,
        init,
        actions,
        has_next: _,
        assumptions,
        invariants,
        n_plain_invariants: _,
        initial_properties,
        action_properties,
        temporal_properties,
        fairness,
        constraints,
        action_constraints,
        view,
        symmetry,
        alias,
        postconditions,
        constant_statements,
        possible,
        periodic,
        rl_reward,
        check_deadlock: _,
        costs: _,
        warnings: _,
    } = program;
    let lists = [
        assumptions,
        invariants,
        initial_properties,
        action_properties,
        constraints,
        action_constraints,
        postconditions,
    ];
    (lists.into_iter().flatten())
        .chain(constant_statements.iter_mut().map(|(_, it)| it))
        .chain(possible.iter_mut().map(|(it, _)| it))
        .chain([view, symmetry, alias, periodic, rl_reward].into_iter().flatten())
        .for_each(|it| entry(&mut it.entry, each));
    for it in temporal_properties.iter_mut().chain(fairness) {
        temporal(&mut it.formula, each);
    }
    consts.iter_mut().for_each(|it| entry(it, each));
    functions.iter_mut().for_each(|it| each(Part::Node(it.body), &mut it.n_slots));
    act_functions.iter_mut().for_each(|it| each(Part::Act(it.body), &mut it.n_slots));
    for it in init.iter_mut().chain(actions) {
        each(Part::Act(it.body), &mut it.n_slots);
    }
}
