//! Results by what was read: a tree for each expression or action.
//!
//! An inner node names the slot that is read next; its edges are the slot's values. A path ends in
//! a leaf, the number of a result. A lookup reads exactly the slots that the evaluation would have
//! read, so a guard that fails early costs one step.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::layout::SlotId;

/// A place in the tree: nothing yet, an inner node or a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place(u32);

impl Place {
    const UNKNOWN: Place = Place(0);

    fn node(idx: usize) -> Place {
        Place((idx as u32 + 1) << 1)
    }

    fn leaf(leaf: u32) -> Place {
        Place(((leaf + 1) << 1) | 1)
    }
}

/// What a lookup comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// A result.
    Leaf(u32),
    /// Nothing: the evaluation was not seen yet.
    Nothing,
    /// The number in this slot is needed, and not known.
    Blocked(SlotId),
}

/// One tree among those of a [`Trie`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Root(pub(crate) u32);

struct Tree {
    top: Place,
    lookups: Cell<u32>,
    misses: Cell<u32>,
    /// Looking results up does not pay: evaluate.
    hopeless: Cell<bool>,
}

/// The number of what is not known: no edge has it.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Trees with a common table of edges.
#[derive(Default)]
pub(crate) struct Trie {
    trees: Vec<Tree>,
    nodes: Vec<SlotId>,
    edges: FxHashMap<u64, Place>,
    /// Whether a tree proved hopeless and nobody took notice yet.
    gave_up: Cell<bool>,
}

/// How many lookups a tree gets before it is judged.
const TRIAL: u32 = 1 << 16;
/// How many edges there may be; beyond, all is forgotten.
const MAX_EDGES: usize = 12_000_000;

impl Trie {
    /// A new tree.
    pub(crate) fn tree(&mut self) -> Root {
        self.trees.push(Tree {
            top: Place::UNKNOWN,
            lookups: Cell::new(0),
            misses: Cell::new(0),
            hopeless: Cell::new(false),
        });
        Root(self.trees.len() as u32 - 1)
    }

    /// A new tree that is never looked at.
    pub(crate) fn hopeless_tree(&mut self) -> Root {
        let root = self.tree();
        self.trees[root.0 as usize].hopeless.set(true);
        root
    }

    /// Results of a tree turned out not to be worth keeping.
    pub(crate) fn give_up(&self, root: Root) {
        self.trees[root.0 as usize].hopeless.set(true);
        self.gave_up.set(true);
    }

    /// Whether results of this tree are kept at all.
    #[inline]
    pub(crate) fn is_hopeless(&self, root: Root) -> bool {
        self.trees[root.0 as usize].hopeless.get()
    }

    #[inline]
    fn edge(node: usize, value: u32) -> u64 {
        (node as u64) << 32 | u64::from(value)
    }

    /// The leaf for the values that `read` gives, as far as it gives any.
    #[inline]
    pub(crate) fn find(&self, root: Root, read: impl Fn(SlotId) -> u32) -> Found {
        let tree = &self.trees[root.0 as usize];
        tree.lookups.set(tree.lookups.get().wrapping_add(1));
        let mut place = tree.top;
        loop {
            if place == Place::UNKNOWN {
                break;
            }
            let idx = (place.0 >> 1) - 1;
            if place.0 & 1 == 1 {
                return Found::Leaf(idx);
            }
            let slot = self.nodes[idx as usize];
            let number = read(slot);
            place = match self.edges.get(&Self::edge(idx as usize, number)) {
                Some(next) => *next,
                None if number == UNKNOWN => return Found::Blocked(slot),
                None => break,
            };
        }
        self.missed(tree);
        Found::Nothing
    }

    fn missed(&self, tree: &Tree) {
        tree.misses.set(tree.misses.get().wrapping_add(1));
        if tree.lookups.get() >= TRIAL {
            if !tree.hopeless.get() && tree.misses.get() > tree.lookups.get() / 8 * 7 {
                tree.hopeless.set(true);
                self.gave_up.set(true);
            }
            tree.lookups.set(0);
            tree.misses.set(0);
        }
    }

    /// Whether a tree proved hopeless since the last call.
    pub(crate) fn gave_up(&self) -> bool {
        self.gave_up.replace(false)
    }

    /// Whether everything should be forgotten before more is added.
    pub(crate) fn is_full(&self) -> bool {
        self.edges.len() >= MAX_EDGES
    }

    /// Forgets all paths.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        for tree in &mut self.trees {
            tree.top = Place::UNKNOWN;
        }
    }

    /// Adds the path of an evaluation that read these slots. `false` when it contradicts the tree,
    /// which a deterministic evaluation does not do.
    pub(crate) fn insert(
        &mut self,
        root: Root,
        reads: &[SlotId],
        read: impl Fn(SlotId) -> u32,
        leaf: u32,
    ) -> bool {
        let mut from: Option<u64> = None;
        let mut place = self.trees[root.0 as usize].top;
        for slot in reads {
            if place == Place::UNKNOWN {
                self.nodes.push(*slot);
                place = Place::node(self.nodes.len() - 1);
                self.set(root, from, place);
            }
            let idx = ((place.0 >> 1) - 1) as usize;
            if place.0 & 1 == 1 || self.nodes[idx] != *slot {
                return false;
            }
            let number = read(*slot);
            if number == UNKNOWN {
                return false;
            }
            let edge = Self::edge(idx, number);
            from = Some(edge);
            place = self.edges.get(&edge).copied().unwrap_or(Place::UNKNOWN);
        }
        if place != Place::UNKNOWN {
            return false;
        }
        self.set(root, from, Place::leaf(leaf));
        true
    }

    fn set(&mut self, root: Root, from: Option<u64>, place: Place) {
        match from {
            None => self.trees[root.0 as usize].top = place,
            Some(edge) => {
                self.edges.insert(edge, place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_inserted_and_nothing_else() {
        let mut trie = Trie::default();
        let (a, b) = (trie.tree(), trie.tree());
        let state = |values: [u32; 3]| move |slot: SlotId| values[usize::from(slot)];
        assert_eq!(trie.find(a, state([1, 2, 3])), Found::Nothing);
        assert!(trie.insert(a, &[2, 0], state([1, 2, 3]), 7));
        // Slot 1 was not read.
        assert_eq!(trie.find(a, state([1, 9, 3])), Found::Leaf(7));
        assert_eq!(trie.find(a, state([2, 2, 3])), Found::Nothing);
        assert!(trie.insert(a, &[2, 0, 1], state([2, 2, 3]), 8));
        assert_eq!(trie.find(a, state([2, 2, 3])), Found::Leaf(8));
        // What is not known stops the lookup, and is not kept.
        assert_eq!(trie.find(a, state([1, 2, UNKNOWN])), Found::Blocked(2));
        assert!(!trie.insert(a, &[2], state([1, 2, UNKNOWN]), 9));
        assert_eq!(trie.find(b, state([1, 2, 3])), Found::Nothing);
        assert!(trie.insert(b, &[], state([0, 0, 0]), 1));
        assert_eq!(trie.find(b, state([5, 5, 5])), Found::Leaf(1));
        // A path that reads another slot first contradicts the tree.
        assert!(!trie.insert(a, &[1], state([1, 2, 3]), 9));
    }
}
