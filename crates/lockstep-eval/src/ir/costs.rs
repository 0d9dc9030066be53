//! What is counted when a run is to tell how often each expression was evaluated.
//!
//! The expressions of an action, invariant or constraint form a tree: under an applied definition
//! stand the definition's body and the arguments, so that one definition used in two places has
//! counts of its own in each. Counts are shared by all workers; they are sums, so no order shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_syntax::Span;

use super::{ActId, NodeId};

/// An expression that is counted.
#[derive(Clone, Debug)]
pub struct CostNode {
    /// Its text.
    pub span: Span,
    /// Its parts in the order in which TLC lists them.
    pub children: Vec<u32>,
    /// Whether it gives variables of the next state their values: then it shows that it never did.
    pub assigns: bool,
    /// Whether it is UNCHANGED.
    pub unchanged: bool,
    /// Whether it only stands for its parts: the name of a definition, or an argument.
    pub names: bool,
}

/// What a tree is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CostRoot {
    /// A part of Init or Next, by its body.
    Act(ActId),
    /// A property, by what is evaluated.
    Node(NodeId),
}

/// The counts of one expression.
#[derive(Debug, Default)]
pub(super) struct Tally {
    count: AtomicU64,
    steps: AtomicU64,
}

/// All that is counted. Empty unless lowering was asked to count.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    /// The expressions.
    pub nodes: Vec<CostNode>,
    /// The trees with the number of their uppermost node, which itself is no expression.
    pub roots: Vec<(CostRoot, u32)>,
    tallies: Arc<[Tally]>,
}

impl Costs {
    /// Makes room for the counts of all nodes.
    pub(crate) fn complete(&mut self) {
        self.tallies = self.nodes.iter().map(|_| Tally::default()).collect();
    }

    /// Counts an evaluation.
    pub(crate) fn evaluated(&self, counter: u32) {
        if let Some(it) = self.tallies.get(counter as usize) {
            // ORDERING: a sum, read once the workers are joined or at a fence.
            it.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts steps of enumerating a set.
    pub(crate) fn enumerated(&self, counter: u32, steps: u64) {
        if let Some(it) = self.tallies.get(counter as usize) {
            // ORDERING: as above.
            it.steps.fetch_add(steps, Ordering::Relaxed);
        }
    }

    /// Counts that a constraint was asked, and whether it held: as steps of its uppermost node.
    pub fn constrained(&self, entry: NodeId, held: bool) {
        if let Some(root) = self.root(CostRoot::Node(entry)) {
            self.evaluated(root);
            self.enumerated(root, u64::from(held));
        }
    }

    /// The evaluations of a node so far.
    pub fn count(&self, node: u32) -> u64 {
        // ORDERING: as above.
        self.tallies.get(node as usize).map_or(0, |it| it.count.load(Ordering::Relaxed))
    }

    /// The steps of enumeration of a node so far.
    pub fn steps(&self, node: u32) -> u64 {
        // ORDERING: as above.
        self.tallies.get(node as usize).map_or(0, |it| it.steps.load(Ordering::Relaxed))
    }

    /// Takes up counts that were read before, for a run that goes on.
    pub fn restore(&self, counts: impl Iterator<Item = (u64, u64)>) {
        for (it, (count, steps)) in self.tallies.iter().zip(counts) {
            // ORDERING: nobody else counts yet.
            it.count.store(count, Ordering::Relaxed);
            it.steps.store(steps, Ordering::Relaxed);
        }
    }

    /// The uppermost node of a tree.
    pub fn root(&self, of: CostRoot) -> Option<u32> {
        self.roots.iter().find(|(it, _)| *it == of).map(|(_, node)| *node)
    }
}
