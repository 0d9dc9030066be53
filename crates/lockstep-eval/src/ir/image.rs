//! Filters that are images under a relation.
//!
//! `{c \in V : <<v, c>> \in E}` is how specifications write the successors of `v` in a graph, and
//! `{c \in V : \E v \in W : <<v, c>> \in E}` those of a set of nodes. Such a filter need not
//! evaluate its predicate element by element: the parts that do not depend on the element are
//! evaluated once, and each element is looked up in the relation by hash. Databases call this a
//! hash semi-join (Ramakrishnan and Gehrke, *Database Management Systems*, section 14.4).
//!
//! Invariant: the entry of a filter speaks of expressions without effects only, so that giving
//! the short way up half-way and evaluating element by element shows nowhere.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::analysis::{Part, captures, is_effect, visit_below};
use super::node::{Bind, Node, NodeId, Slot, Target};
use super::program::Program;

/// A part of the tuple that is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImagePart {
    /// The element of the filter.
    Element,
    /// The element of the set of sources.
    Source,
    /// An expression that depends on neither.
    Fixed(NodeId),
}

/// A filter whose predicate is membership of a tuple in a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The tuple.
    pub parts: Box<[ImagePart]>,
    /// The relation.
    pub relation: NodeId,
    /// The set that `\E` ranges over, if there is one.
    pub sources: Option<NodeId>,
    /// Whether the predicate is `\notin`.
    pub negated: bool,
}

/// The filters of a program that are images.
pub(crate) fn images(program: &Program) -> FxHashMap<NodeId, Image> {
    let filters = program.nodes.iter().enumerate().filter_map(|(idx, node)| match node {
        Node::Filter { bind, body } => Some((NodeId(idx as u32), &**bind, *body)),
        _ => None,
    });
    filters.filter_map(|(id, bind, body)| Some((id, image(program, bind, body)?))).collect()
}

fn image(program: &Program, bind: &Bind, body: NodeId) -> Option<Image> {
    let Target::Slot(element) = bind.target else { return None };
    let (sources, source, body) = match program.node(body) {
        Node::Quantified { for_all: false, binds, body } => match &**binds {
            [Bind { target: Target::Slot(slot), set, .. }] => (Some(*set), Some(*slot), *body),
            _ => return None,
        },
        _ => (None, None, body),
    };
    let (tuple, relation, negated) = match program.node(body) {
        Node::In(tuple, relation) => (*tuple, *relation, false),
        Node::NotIn(tuple, relation) if sources.is_none() => (*tuple, *relation, true),
        _ => return None,
    };
    let Node::Tuple(items) = program.node(tuple) else { return None };
    let bound = [Some(element), source];
    let mut parts = Vec::with_capacity(items.len());
    for item in items {
        parts.push(match program.node(*item) {
            Node::Local(slot) if *slot == element => ImagePart::Element,
            Node::Local(slot) if Some(*slot) == source => ImagePart::Source,
            _ if is_fixed(program, *item, &bound) => ImagePart::Fixed(*item),
            _ => return None,
        });
    }
    let known = parts.contains(&ImagePart::Element)
        && is_fixed(program, relation, &bound)
        && sources.is_none_or(|it| is_fixed(program, it, &bound));
    known.then(|| Image { parts: parts.into(), relation, sources, negated })
}

/// Whether an expression depends on none of these slots and has no effect.
fn is_fixed(program: &Program, node: NodeId, bound: &[Option<Slot>]) -> bool {
    let reads = captures(program, node);
    let pure = visit_below(program, Part::Node(node), &mut |part| match part {
        Part::Node(id) => match program.node(id) {
            // What an operator parameter does is not known here.
            Node::CallOperator { .. } => ControlFlow::Break(()),
            node if is_effect(node) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        },
        Part::Act(_) | Part::CallsAct(_) => ControlFlow::Break(()),
        Part::Calls(_) | Part::Binds(..) | Part::Reads(_) => ControlFlow::Continue(()),
    });
    pure.is_continue() && bound.iter().flatten().all(|slot| !reads.contains(slot))
}
