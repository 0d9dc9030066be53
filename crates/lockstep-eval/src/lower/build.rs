//! Making nodes: effects from parts, and the hoisting of closed constant expressions.

use std::sync::Arc;

use lockstep_syntax::Span;

use super::Lowerer;
use crate::ir::{
    Act, ActId, Arg, ConstId, Effects, EntryPoint, Node, NodeId, Part, Slot, act_parts, parts,
};
use crate::stdlib::Effect;

impl Lowerer<'_> {
    /// The effects of a node made before.
    pub(super) fn effects(&self, node: NodeId) -> Effects {
        self.effects[node.index()]
    }

    fn part_effects(&self, part: Part) -> Effects {
        match part {
            Part::Node(node) => self.effects[node.index()],
            Part::Act(act) => self.act_effects[act.index()],
            Part::Binds(..) => Effects::NONE,
            Part::Reads(slot) => Effects { min_slot: slot, ..Effects::NONE },
            Part::Calls(function) => {
                Effects { heavy: true, ..self.program.functions[function.index()].effects }
            }
            Part::CallsAct(_) => Effects {
                reads_cur: true,
                reads_next: true,
                impure: true,
                heavy: true,
                min_slot: Slot::MAX,
            },
        }
    }

    fn own_effects(node: &Node) -> Effects {
        let mut own = Effects::NONE;
        match node {
            Node::Cur(_) => own.reads_cur = true,
            Node::Next(_) => own.reads_next = true,
            Node::StateDef { .. } => own.reads_cur = true,
            Node::Native { native, .. } => own.impure = native.effect != Effect::Pure,
            Node::NativeSpecial { native, .. } => {
                own.impure = native.effect != Effect::Pure;
                own.heavy = true;
            }
            Node::Quantified { .. }
            | Node::Choose { .. }
            | Node::Filter { .. }
            | Node::Map { .. }
            | Node::Function { .. } => own.heavy = true,
            // What an operator parameter does is not known here.
            Node::CallOperator { .. } => {
                own = Effects {
                    reads_cur: true,
                    reads_next: true,
                    impure: true,
                    heavy: true,
                    min_slot: Slot::MAX,
                };
            }
            _ => {}
        }
        own
    }

    /// Adds a node.
    pub(super) fn node(&mut self, mut node: Node, span: Span) -> NodeId {
        let mut effects = Self::own_effects(&node);
        parts(&node, &mut |part| effects = effects.and(self.part_effects(part)));
        if let Node::Enabled { primed, .. } = &node {
            // The next state inside is made there.
            effects.reads_cur = true;
            effects.reads_next = *primed;
            effects.heavy = true;
        }
        // Slots taken later than the first one bound here are bound here or below.
        if effects.min_slot >= first_bound(|each| parts(&node, each)) {
            effects.min_slot = Slot::MAX;
        }
        if !(effects.is_constant() && effects.min_slot == Slot::MAX) {
            self.hoist_parts(&mut node);
        }
        let id = NodeId(self.program.nodes.len() as u32);
        self.program.nodes.push(node);
        self.program.spans.push(span);
        self.effects.push(effects);
        id
    }

    /// Adds an action.
    pub(super) fn act(&mut self, act: Act, span: Span) -> ActId {
        let mut act = act;
        let mut effects = Effects::NONE;
        act_parts(&act, &mut |part| effects = effects.and(self.part_effects(part)));
        match &act {
            Act::Assign(..) | Act::AssignIn(..) | Act::AssignSubset(..) => {
                effects.reads_next = true;
            }
            Act::Unchanged(_) | Act::Specified(_) => {
                effects.reads_cur = true;
                effects.reads_next = true;
            }
            _ => {}
        }
        if effects.min_slot >= first_bound(|each| act_parts(&act, each)) {
            effects.min_slot = Slot::MAX;
        }
        match &mut act {
            Act::Test(node)
            | Act::Assign(_, node)
            | Act::AssignIn(_, node)
            | Act::AssignSubset(_, node)
            | Act::If(node, ..) => *node = self.hoisted(*node),
            Act::Exists(binds, _) | Act::Forall { binds, .. } => {
                for bind in binds {
                    bind.set = self.hoisted(bind.set);
                }
            }
            Act::Case(arms, _) => {
                for (guard, _) in arms {
                    *guard = self.hoisted(*guard);
                }
            }
            Act::Call { args, .. } => self.hoist_args(args),
            _ => {}
        }
        let id = ActId(self.program.acts.len() as u32);
        self.program.acts.push(act);
        self.program.act_spans.push(span);
        self.act_effects.push(effects);
        id
    }

    /// The node, or a constant in its place if it is closed and constant.
    pub(super) fn hoisted(&mut self, node: NodeId) -> NodeId {
        let effects = self.effects(node);
        if !effects.is_constant() || effects.min_slot != Slot::MAX || self.is_counting() {
            return node;
        }
        match self.program.node(node) {
            Node::Int(_)
            | Node::Bool(_)
            | Node::Str(_)
            | Node::Model(_)
            | Node::Frozen(_)
            | Node::Const(_)
            | Node::Booleans
            | Node::Strings
            | Node::Fail(_) => return node,
            _ => {}
        }
        if let Some(known) = self.const_of.get(&node) {
            return *known;
        }
        let id = ConstId(self.program.consts.len() as u32);
        let n_slots = self.frame().max;
        self.program.consts.push(EntryPoint { node, n_slots });
        let made = NodeId(self.program.nodes.len() as u32);
        self.program.nodes.push(Node::Const(id));
        self.program.spans.push(self.program.spans[node.index()]);
        self.effects.push(Effects::NONE);
        self.const_of.insert(node, made);
        made
    }

    fn hoist_args(&mut self, args: &mut [Arg]) {
        for arg in args {
            match arg {
                Arg::Eager(node) | Arg::Lazy(node) | Arg::Memo { body: node, .. } => {
                    *node = self.hoisted(*node);
                }
                Arg::Operator { body, .. } => *body = self.hoisted(*body),
                Arg::Slot(_) => {}
            }
        }
    }

    fn hoist_parts(&mut self, node: &mut Node) {
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
            | Node::Local(_)
            | Node::StateDef { .. }
            | Node::NextDef { .. }
            | Node::Enabled { .. }
            | Node::Action(_)
            | Node::Fail(_) => {}
            Node::Lazy { body, .. }
            | Node::Scope { body, .. }
            | Node::Count { body, .. }
            | Node::Enumerate { body, .. } => *body = self.hoisted(*body),
            Node::And(items)
            | Node::Or(items)
            | Node::Product(items)
            | Node::SetEnum(items)
            | Node::Tuple(items)
            | Node::Native { args: items, .. }
            | Node::Pointwise { args: items, .. } => {
                for item in items {
                    *item = self.hoisted(*item);
                }
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
            | Node::Arithmetic { args: [a, b], .. }
            | Node::Apply(a, b) => {
                *a = self.hoisted(*a);
                *b = self.hoisted(*b);
            }
            Node::Not(a)
            | Node::Subset(a)
            | Node::BigUnion(a)
            | Node::Domain(a)
            | Node::Field(a, _) => *a = self.hoisted(*a),
            Node::If(a, b, c) => {
                *a = self.hoisted(*a);
                *b = self.hoisted(*b);
                *c = self.hoisted(*c);
            }
            Node::Case { arms, other } => {
                for (guard, value) in arms {
                    *guard = self.hoisted(*guard);
                    *value = self.hoisted(*value);
                }
                if let Some(other) = other {
                    *other = self.hoisted(*other);
                }
            }
            Node::RecordSet(fields) | Node::Record(fields) => {
                for (_, value) in fields {
                    *value = self.hoisted(*value);
                }
            }
            Node::Filter { bind, body } | Node::Choose { bind, body } => {
                bind.set = self.hoisted(bind.set);
                *body = self.hoisted(*body);
            }
            Node::Map { binds, body } | Node::Quantified { binds, body, .. } => {
                for bind in binds {
                    bind.set = self.hoisted(bind.set);
                }
                *body = self.hoisted(*body);
            }
            Node::Function { binds, body, .. } => {
                for bind in Arc::make_mut(binds) {
                    bind.set = self.hoisted(bind.set);
                }
                *body = self.hoisted(*body);
            }
            Node::Except { base, updates } => {
                *base = self.hoisted(*base);
                for update in updates {
                    for step in &mut update.path {
                        if let crate::ir::Step::Index(node) = step {
                            *node = self.hoisted(*node);
                        }
                    }
                    update.value = self.hoisted(update.value);
                }
            }
            Node::NativeSpecial { args, .. }
            | Node::Call { args, .. }
            | Node::CallOperator { args, .. } => self.hoist_args(args),
        }
    }

    /// Whether a node is a value as it stands, so that no error can come from it.
    pub(super) fn is_literal(&self, node: NodeId) -> bool {
        matches!(
            self.program.node(node),
            Node::Int(_)
                | Node::Bool(_)
                | Node::Str(_)
                | Node::Model(_)
                | Node::Frozen(_)
                | Node::Booleans
                | Node::Strings
        )
    }

    /// Whether a node is so small that it is repeated rather than kept in a slot.
    pub(super) fn is_trivial(&self, node: NodeId) -> bool {
        self.is_literal(node)
            || matches!(
                self.program.node(node),
                Node::Const(_)
                    | Node::Cur(_)
                    | Node::Next(_)
                    | Node::Local(_)
                    | Node::Lazy { .. }
                    | Node::StateDef { .. }
                    | Node::NextDef { .. }
            )
    }
}

/// The lowest slot that one of the parts binds.
fn first_bound(parts: impl FnOnce(&mut dyn FnMut(Part))) -> Slot {
    let mut first = Slot::MAX;
    parts(&mut |part| {
        if let Part::Binds(slot, n) = part
            && n > 0
        {
            first = first.min(slot);
        }
    });
    first
}
