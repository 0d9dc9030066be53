//! What an expression or action reads, binds, calls and may do.
//!
//! One enumeration of parts ([`parts`], [`act_parts`]) is behind all analyses. A slot that is
//! both read and bound in a subtree is bound there: slots are numbered by nesting, so a subtree
//! never binds a slot that is live around it.

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::action::{Act, ActId};
use super::node::{Arg, Bind, Node, NodeId, Slot, Step, Target};
use super::program::{ActFunctionId, FunctionId, Program};
use crate::stdlib::Effect;

/// What evaluating may do, and what it depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Reads the present state.
    pub reads_cur: bool,
    /// Reads the next state.
    pub reads_next: bool,
    /// Prints, sets registers, draws random values, or depends on such.
    pub impure: bool,
    /// Contains a call, quantifier or other work without a small bound.
    pub heavy: bool,
    /// The lowest slot read, `Slot::MAX` for none.
    pub min_slot: Slot,
}

impl Effects {
    /// Depends on nothing.
    pub const NONE: Effects = Effects {
        reads_cur: false,
        reads_next: false,
        impure: false,
        heavy: false,
        min_slot: Slot::MAX,
    };

    /// The effects of both.
    #[must_use]
    pub fn and(self, other: Effects) -> Effects {
        Effects {
            reads_cur: self.reads_cur || other.reads_cur,
            reads_next: self.reads_next || other.reads_next,
            impure: self.impure || other.impure,
            heavy: self.heavy || other.heavy,
            min_slot: self.min_slot.min(other.min_slot),
        }
    }

    /// Whether the value is the same in every state.
    pub fn is_constant(self) -> bool {
        !self.reads_cur && !self.reads_next && !self.impure
    }
}

/// A part of an expression or action.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// An expression.
    Node(NodeId),
    /// An action.
    Act(ActId),
    /// Slots from the first, so many, are bound.
    Binds(Slot, u16),
    /// A slot is read.
    Reads(Slot),
    /// A function is called.
    Calls(FunctionId),
    /// A recursive action is called.
    CallsAct(ActFunctionId),
}

fn bind_parts(binds: &[Bind], each: &mut dyn FnMut(Part)) {
    for bind in binds {
        each(Part::Node(bind.set));
        match bind.target {
            Target::Slot(slot) => each(Part::Binds(slot, 1)),
            Target::Tuple(slot, n) => each(Part::Binds(slot, n)),
        }
    }
}

fn arg_parts(args: &[Arg], each: &mut dyn FnMut(Part)) {
    for arg in args {
        match arg {
            Arg::Eager(node) | Arg::Lazy(node) => each(Part::Node(*node)),
            Arg::Slot(slot) => each(Part::Reads(*slot)),
            Arg::Memo { slot, body } => {
                each(Part::Reads(*slot));
                each(Part::Node(*body));
            }
            Arg::Operator { body, params, n_params } => {
                each(Part::Binds(*params, *n_params));
                each(Part::Node(*body));
            }
        }
    }
}

/// Calls `each` with every direct part of an expression.
pub fn parts(node: &Node, each: &mut dyn FnMut(Part)) {
    match node {
        Node::Int(_)
        | Node::Bool(_)
        | Node::Str(_)
        | Node::Model(_)
        | Node::Frozen(_)
        | Node::Const(_)
        | Node::Booleans
        | Node::Strings
        | Node::Cur(_)
        | Node::Next(_)
        | Node::Fail(_) => {}
        Node::Local(slot) => each(Part::Reads(*slot)),
        Node::Lazy { slot, body } => {
            each(Part::Reads(*slot));
            each(Part::Node(*body));
        }
        Node::StateDef { function, .. } => each(Part::Calls(*function)),
        Node::NextDef { otherwise, .. } => each(Part::Node(*otherwise)),
        Node::Scope { lo, hi, body } => {
            each(Part::Binds(*lo, hi - lo));
            each(Part::Node(*body));
        }
        Node::Count { body, .. } | Node::Enumerate { body, .. } => each(Part::Node(*body)),
        Node::And(items)
        | Node::Or(items)
        | Node::Product(items)
        | Node::SetEnum(items)
        | Node::Tuple(items) => items.iter().for_each(|it| each(Part::Node(*it))),
        Node::Arithmetic { args, .. } => args.iter().for_each(|it| each(Part::Node(*it))),
        Node::Native { args, .. } | Node::Pointwise { args, .. } => {
            args.iter().for_each(|it| each(Part::Node(*it)));
        }
        Node::Implies(a, b)
        | Node::Equivalent(a, b)
        | Node::Equal(a, b)
        | Node::NotEqual(a, b)
        | Node::In(a, b)
        | Node::NotIn(a, b)
        | Node::SubsetEq(a, b)
        | Node::Cup(a, b)
        | Node::Cap(a, b)
        | Node::Minus(a, b)
        | Node::FunctionSet(a, b)
        | Node::Apply(a, b) => {
            each(Part::Node(*a));
            each(Part::Node(*b));
        }
        Node::Not(a)
        | Node::Subset(a)
        | Node::BigUnion(a)
        | Node::Domain(a)
        | Node::Field(a, _) => each(Part::Node(*a)),
        Node::If(a, b, c) => {
            each(Part::Node(*a));
            each(Part::Node(*b));
            each(Part::Node(*c));
        }
        Node::Case { arms, other } => {
            for (guard, value) in arms {
                each(Part::Node(*guard));
                each(Part::Node(*value));
            }
            if let Some(other) = other {
                each(Part::Node(*other));
            }
        }
        Node::RecordSet(fields) | Node::Record(fields) => {
            fields.iter().for_each(|(_, it)| each(Part::Node(*it)));
        }
        Node::Filter { bind, body } | Node::Choose { bind, body } => {
            bind_parts(std::slice::from_ref(bind), each);
            each(Part::Node(*body));
        }
        Node::Map { binds, body } | Node::Quantified { binds, body, .. } => {
            bind_parts(binds, each);
            each(Part::Node(*body));
        }
        Node::Function { binds, body, itself } => {
            bind_parts(binds, each);
            if let Some(slot) = itself {
                each(Part::Binds(*slot, 1));
            }
            each(Part::Node(*body));
        }
        Node::Except { base, updates } => {
            each(Part::Node(*base));
            for update in updates {
                for step in &update.path {
                    if let Step::Index(node) = step {
                        each(Part::Node(*node));
                    }
                }
                each(Part::Binds(update.at, 1));
                each(Part::Node(update.value));
            }
        }
        Node::NativeSpecial { args, .. } => arg_parts(args, each),
        Node::Call { function, args } => {
            each(Part::Calls(*function));
            arg_parts(args, each);
        }
        Node::CallOperator { slot, args } => {
            each(Part::Reads(*slot));
            arg_parts(args, each);
        }
        Node::Enabled { action, .. } | Node::Action(action) => each(Part::Act(*action)),
    }
}

/// Calls `visit` with everything below an expression or action, through calls too: each expression,
/// action and function once. Ends when `visit` says so, with what it said.
pub fn visit_below(
    program: &Program,
    root: Part,
    visit: &mut dyn FnMut(Part) -> ControlFlow<()>,
) -> ControlFlow<()> {
    visit_below_all(program, [root], visit)
}

/// The same below several roots: what they share is visited once.
pub fn visit_below_all(
    program: &Program,
    roots: impl IntoIterator<Item = Part>,
    visit: &mut dyn FnMut(Part) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut seen = FxHashSet::default();
    let mut todo: Vec<Part> = roots.into_iter().collect();
    while let Some(part) = todo.pop() {
        let id = match part {
            Part::Node(id) => (0, id.0),
            Part::Act(id) => (1, id.0),
            Part::Calls(id) => (2, id.0),
            Part::CallsAct(id) => (3, id.0),
            Part::Binds(..) | Part::Reads(_) => continue,
        };
        if !seen.insert(id) {
            continue;
        }
        visit(part)?;
        match part {
            Part::Node(id) => parts(program.node(id), &mut |part| todo.push(part)),
            Part::Act(id) => act_parts(program.act(id), &mut |part| todo.push(part)),
            Part::Calls(id) => todo.push(Part::Node(program.functions[id.index()].body)),
            Part::CallsAct(id) => todo.push(Part::Act(program.act_functions[id.index()].body)),
            Part::Binds(..) | Part::Reads(_) => {}
        }
    }
    ControlFlow::Continue(())
}

/// Whether an expression calls an operator that prints, sets or reads registers, or draws random
/// values.
pub fn is_effect(node: &Node) -> bool {
    matches!(
        node,
        Node::Native { native, .. } | Node::NativeSpecial { native, .. }
            if native.effect != Effect::Pure
    )
}

/// Calls `each` with every direct part of an action.
pub fn act_parts(act: &Act, each: &mut dyn FnMut(Part)) {
    match act {
        Act::Test(node) | Act::Assign(_, node) | Act::AssignIn(_, node) => each(Part::Node(*node)),
        Act::AssignSubset(_, node) => each(Part::Node(*node)),
        Act::Unchanged(_) | Act::Specified(_) => {}
        Act::And(items) | Act::Or(items) => items.iter().for_each(|it| each(Part::Act(*it))),
        Act::Exists(binds, body) | Act::Forall { binds, body, .. } => {
            bind_parts(binds, each);
            each(Part::Act(*body));
        }
        Act::If(condition, a, b) => {
            each(Part::Node(*condition));
            each(Part::Act(*a));
            each(Part::Act(*b));
        }
        Act::Case(arms, other) => {
            for (guard, act) in arms {
                each(Part::Node(*guard));
                each(Part::Act(*act));
            }
            if let Some(other) = other {
                each(Part::Act(*other));
            }
        }
        Act::Scope { lo, hi, body } => {
            each(Part::Binds(*lo, hi - lo));
            each(Part::Act(*body));
        }
        Act::Call { function, args } => {
            each(Part::CallsAct(*function));
            arg_parts(args, each);
        }
        Act::Compose(a, b) => {
            each(Part::Act(*a));
            each(Part::Act(*b));
        }
        Act::Count { body, .. } => each(Part::Act(*body)),
    }
}

/// The slots that an expression reads and does not bind itself, sorted.
pub fn captures(program: &Program, node: NodeId) -> Vec<Slot> {
    let (mut read, mut bound) = (FxHashSet::default(), FxHashSet::default());
    let mut todo = vec![Part::Node(node)];
    let mut seen = FxHashSet::default();
    while let Some(part) = todo.pop() {
        let mut each = |part: Part| match part {
            Part::Node(_) | Part::Act(_) => todo.push(part),
            Part::Binds(slot, n) => bound.extend(slot..slot + n),
            Part::Reads(slot) => {
                read.insert(slot);
            }
            Part::Calls(_) | Part::CallsAct(_) => {}
        };
        match part {
            Part::Node(node) => {
                if seen.insert((false, node.0)) {
                    parts(program.node(node), &mut each);
                }
            }
            Part::Act(act) => {
                if seen.insert((true, act.0)) {
                    act_parts(program.act(act), &mut each);
                }
            }
            Part::Binds(..) | Part::Reads(_) | Part::Calls(_) | Part::CallsAct(_) => {}
        }
    }
    let mut list: Vec<Slot> = read.difference(&bound).copied().collect();
    list.sort_unstable();
    list
}

/// The variables an action reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Read in the present state, sorted.
    pub reads: Vec<u16>,
    /// Given a value in the next state, sorted.
    pub writes: Vec<u16>,
}

/// What an action (or, with [`Part::Node`], an expression) reads and writes.
pub fn footprint(program: &Program, root: Part) -> Footprint {
    let (mut reads, mut writes) = (FxHashSet::default(), FxHashSet::default());
    let n_variables = program.n_variables() as u16;
    let mut todo = vec![root];
    let mut seen = FxHashSet::default();
    while let Some(part) = todo.pop() {
        match part {
            Part::Node(node) => {
                if seen.insert((0, node.0)) {
                    if let Node::Cur(var) = program.node(node) {
                        reads.insert(*var);
                    }
                    parts(program.node(node), &mut |part| todo.push(part));
                }
            }
            Part::Act(act) => {
                if seen.insert((1, act.0)) {
                    match program.act(act) {
                        Act::Assign(var, _) | Act::AssignIn(var, _) | Act::AssignSubset(var, _) => {
                            writes.insert(*var);
                        }
                        Act::Unchanged(vars) => {
                            reads.extend(vars.iter().copied());
                            writes.extend(vars.iter().copied());
                        }
                        Act::Test(_)
                        | Act::And(_)
                        | Act::Or(_)
                        | Act::Exists(..)
                        | Act::Forall { .. }
                        | Act::If(..)
                        | Act::Case(..)
                        | Act::Scope { .. }
                        | Act::Call { .. }
                        | Act::Specified(_)
                        | Act::Count { .. }
                        | Act::Compose(..) => {}
                    }
                    act_parts(program.act(act), &mut |part| todo.push(part));
                }
            }
            Part::Calls(function) => {
                if seen.insert((2, function.0)) {
                    todo.push(Part::Node(program.functions[function.index()].body));
                }
            }
            Part::CallsAct(function) => {
                if seen.insert((3, function.0)) {
                    todo.push(Part::Act(program.act_functions[function.index()].body));
                }
            }
            Part::Binds(..) | Part::Reads(_) => {}
        }
    }
    let sorted = |set: FxHashSet<u16>| {
        let mut list: Vec<u16> = set.into_iter().filter(|var| *var < n_variables).collect();
        list.sort_unstable();
        list
    };
    Footprint { reads: sorted(reads), writes: sorted(writes) }
}

/// Which of the first 64 slots are read in any case when a node is evaluated.
#[derive(Debug)]
pub struct Strictness<'a> {
    program: &'a Program,
    /// What is assumed of each function.
    assumed: Vec<u64>,
}

impl<'a> Strictness<'a> {
    /// The strict parameters of every function: the greatest fixed point.
    pub fn of_all(program: &'a Program) -> Vec<u64> {
        let mut this = Self { program, assumed: vec![u64::MAX; program.functions.len()] };
        loop {
            let next: Vec<u64> = program
                .functions
                .iter()
                .zip(&this.assumed)
                .map(|(function, before)| this.node(function.body) & before)
                .collect();
            if next == this.assumed {
                return next;
            }
            this.assumed = next;
        }
    }

    fn all(&self, nodes: &[NodeId]) -> u64 {
        nodes.iter().fold(0, |bits, node| bits | self.node(*node))
    }

    fn binds(&self, binds: &[Bind]) -> u64 {
        binds.iter().fold(0, |bits, bind| bits | self.node(bind.set))
    }

    fn node(&self, id: NodeId) -> u64 {
        match self.program.node(id) {
            Node::Local(slot) => bit(*slot),
            Node::Lazy { slot, body } => bit(*slot) | self.node(*body),
            Node::Scope { body, .. } | Node::Count { body, .. } | Node::Enumerate { body, .. } => {
                self.node(*body)
            }
            Node::And(items) | Node::Or(items) => {
                items.first().map_or(0, |first| self.node(*first))
            }
            Node::Implies(a, _) => self.node(*a),
            Node::If(a, b, c) => self.node(*a) | (self.node(*b) & self.node(*c)),
            Node::Case { arms, .. } => arms.first().map_or(0, |(guard, _)| self.node(*guard)),
            Node::Equivalent(a, b)
            | Node::Equal(a, b)
            | Node::NotEqual(a, b)
            | Node::In(a, b)
            | Node::NotIn(a, b)
            | Node::SubsetEq(a, b)
            | Node::Cup(a, b)
            | Node::Cap(a, b)
            | Node::Minus(a, b)
            | Node::FunctionSet(a, b)
            | Node::Apply(a, b) => self.node(*a) | self.node(*b),
            Node::Not(a)
            | Node::Subset(a)
            | Node::BigUnion(a)
            | Node::Domain(a)
            | Node::Field(a, _) => self.node(*a),
            Node::Product(items) | Node::SetEnum(items) | Node::Tuple(items) => self.all(items),
            Node::Arithmetic { args, .. } => self.all(args),
            Node::Native { args, .. } | Node::Pointwise { args, .. } => self.all(args),
            Node::RecordSet(fields) | Node::Record(fields) => {
                fields.iter().fold(0, |bits, (_, node)| bits | self.node(*node))
            }
            Node::Filter { bind, .. } | Node::Choose { bind, .. } => self.node(bind.set),
            Node::Map { binds, .. } | Node::Quantified { binds, .. } => self.binds(binds),
            Node::Function { binds, .. } => self.binds(binds),
            Node::Except { base, .. } => self.node(*base),
            Node::Call { function, args } => {
                let strict = self.assumed[function.index()];
                args.iter().enumerate().fold(0, |bits, (idx, arg)| {
                    if strict & bit(idx as Slot) == 0 {
                        return bits;
                    }
                    bits | match arg {
                        Arg::Eager(node) | Arg::Lazy(node) => self.node(*node),
                        Arg::Slot(slot) => bit(*slot),
                        Arg::Memo { slot, body } => bit(*slot) | self.node(*body),
                        Arg::Operator { .. } => 0,
                    }
                })
            }
            Node::CallOperator { slot, .. } => bit(*slot),
            Node::Int(_)
            | Node::Bool(_)
            | Node::Str(_)
            | Node::Model(_)
            | Node::Frozen(_)
            | Node::Const(_)
            | Node::Booleans
            | Node::Strings
            | Node::Cur(_)
            | Node::Next(_)
            | Node::StateDef { .. }
            | Node::NextDef { .. }
            | Node::NativeSpecial { .. }
            | Node::Enabled { .. }
            | Node::Action(_)
            | Node::Fail(_) => 0,
        }
    }
}

fn bit(slot: Slot) -> u64 {
    if slot < 64 { 1 << slot } else { 0 }
}
