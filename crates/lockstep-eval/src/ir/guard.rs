//! Loops over the value of a variable that first ask for the kind of an element.
//!
//! Protocols keep their messages in one set and tell them apart by a field:
//! `\E m \in msgs : m.type = "1b" /\ …`. Where the set is kept in classes by that field (see
//! [`crate::memo`]), such a loop reads one class. A guard is found where it is the first thing that
//! is evaluated for an element and settles the element if it is false.

use rustc_hash::FxHashMap;

use super::action::{Act, ActId};
use super::node::{Bind, Node, NodeId, Slot, Target, VarId};
use super::program::Program;
use crate::value::Sym;

/// `m.field = name` for the elements `m` of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The variable that is looked through.
    pub var: VarId,
    /// The field.
    pub field: Sym,
    /// The only value for which the rest is evaluated.
    pub name: Sym,
}

/// The guards of a program's loops, by expression and by action.
pub(crate) fn guards(program: &Program) -> (FxHashMap<NodeId, Guard>, FxHashMap<ActId, Guard>) {
    let mut nodes = FxHashMap::default();
    for (idx, node) in program.nodes.iter().enumerate() {
        let found = match node {
            Node::Filter { bind, body } | Node::Choose { bind, body } => {
                over(program, bind).and_then(|it| needs(program, it, *body))
            }
            Node::Quantified { for_all, binds, body } => match (&**binds, for_all) {
                ([bind], false) => over(program, bind).and_then(|it| needs(program, it, *body)),
                ([bind], true) => over(program, bind).and_then(|it| excuses(program, it, *body)),
                _ => None,
            },
            _ => None,
        };
        if let Some(guard) = found {
            nodes.insert(NodeId(idx as u32), guard);
        }
    }
    let mut acts = FxHashMap::default();
    for (idx, act) in program.acts.iter().enumerate() {
        if let Act::Exists(binds, body) = act
            && let [bind] = &**binds
            && let Some(guard) = over(program, bind).and_then(|it| needs_act(program, it, *body))
        {
            acts.insert(ActId(idx as u32), guard);
        }
    }
    (nodes, acts)
}

fn over(program: &Program, bind: &Bind) -> Option<(VarId, Slot)> {
    match (program.node(bind.set), bind.target) {
        (Node::Cur(var), Target::Slot(slot)) => Some((*var, slot)),
        _ => None,
    }
}

/// The guard of a body that is false without it.
fn needs(program: &Program, it: (VarId, Slot), body: NodeId) -> Option<Guard> {
    match program.node(body) {
        Node::And(items) => needs(program, it, *items.first()?),
        Node::Scope { body, .. } => needs(program, it, *body),
        Node::Equal(a, b) => asks(program, it, *a, *b).or_else(|| asks(program, it, *b, *a)),
        _ => None,
    }
}

/// The guard of a body that is true without it.
fn excuses(program: &Program, it: (VarId, Slot), body: NodeId) -> Option<Guard> {
    match program.node(body) {
        Node::Scope { body, .. } => excuses(program, it, *body),
        Node::Implies(premise, _) => needs(program, it, *premise),
        _ => None,
    }
}

fn needs_act(program: &Program, it: (VarId, Slot), body: ActId) -> Option<Guard> {
    match program.act(body) {
        Act::And(items) => needs_act(program, it, *items.first()?),
        Act::Scope { body, .. } => needs_act(program, it, *body),
        Act::Test(node) => needs(program, it, *node),
        _ => None,
    }
}

fn asks(program: &Program, it: (VarId, Slot), field: NodeId, name: NodeId) -> Option<Guard> {
    match (program.node(field), program.node(name)) {
        (Node::Field(record, field), Node::Str(name)) => match program.node(*record) {
            Node::Local(slot) if *slot == it.1 => {
                Some(Guard { var: it.0, field: *field, name: *name })
            }
            _ => None,
        },
        _ => None,
    }
}
