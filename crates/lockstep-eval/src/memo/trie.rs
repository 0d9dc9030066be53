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

/// An inner node: the slot it reads, its first edge, and where the others are.
struct Inner {
    slot: SlotId,
    others: Others,
    value: u32,
    first: Place,
}

/// Where the edges of a node besides its first are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Others {
    None,
    /// In a table of their own.
    Dense(u32),
    /// In the common table.
    Sparse,
}

/// The edges of a node whose values are close to one another: by value, from `lo` on.
struct Dense {
    lo: u32,
    n: u32,
    places: Vec<Place>,
}

impl Dense {
    #[inline]
    fn get(&self, value: u32) -> Place {
        let at = value.wrapping_sub(self.lo) as usize;
        self.places.get(at).copied().unwrap_or(Place::UNKNOWN)
    }

    /// Sets an edge. `false` where the table would be mostly empty.
    fn set(&mut self, value: u32, place: Place) -> bool {
        let n = self.places.len() as u32;
        let (lo, hi) = if n == 0 {
            (value, value)
        } else {
            (self.lo.min(value), (self.lo + n - 1).max(value))
        };
        let span = hi - lo + 1;
        if span > DENSE && span / SPREAD > self.n {
            return false;
        }
        if n == 0 {
            self.lo = value;
        } else if lo < self.lo {
            // As much again, so that values that come in falling order cost no more than others.
            let lo = lo.saturating_sub(n / 2);
            let more = (self.lo - lo) as usize;
            self.places.splice(0..0, std::iter::repeat_n(Place::UNKNOWN, more));
            self.lo = lo;
        }
        let at = (value - self.lo) as usize;
        if at >= self.places.len() {
            self.places.resize(at + 1, Place::UNKNOWN);
        }
        if self.places[at] == Place::UNKNOWN {
            self.n += 1;
        }
        self.places[at] = place;
        true
    }
}

/// Tables up to this length are dense whatever is in them.
const DENSE: u32 = 32;
/// How many places there may be for each edge in longer ones.
const SPREAD: u32 = 8;

/// Trees with common tables of edges.
#[derive(Default)]
pub(crate) struct Trie {
    trees: Vec<Tree>,
    nodes: Vec<Inner>,
    dense: Vec<Dense>,
    sparse: FxHashMap<u64, Place>,
    n_edges: usize,
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
            let node = &self.nodes[idx as usize];
            let number = read(node.slot);
            place = self.follow(idx as usize, node, number);
            if place == Place::UNKNOWN && number == UNKNOWN {
                return Found::Blocked(node.slot);
            }
        }
        self.missed(tree);
        Found::Nothing
    }

    /// Where an edge leads.
    #[inline]
    fn follow(&self, idx: usize, node: &Inner, value: u32) -> Place {
        if node.value == value {
            return node.first;
        }
        match node.others {
            Others::None => Place::UNKNOWN,
            Others::Dense(at) => self.dense[at as usize].get(value),
            Others::Sparse => {
                self.sparse.get(&Self::edge(idx, value)).copied().unwrap_or(Place::UNKNOWN)
            }
        }
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
        self.n_edges >= MAX_EDGES
    }

    /// Forgets all paths.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.dense.clear();
        self.sparse.clear();
        self.n_edges = 0;
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
        let mut from: Option<(usize, u32)> = None;
        let mut place = self.trees[root.0 as usize].top;
        for slot in reads {
            if place == Place::UNKNOWN {
                self.nodes.push(Inner {
                    slot: *slot,
                    others: Others::None,
                    value: UNKNOWN,
                    first: Place::UNKNOWN,
                });
                place = Place::node(self.nodes.len() - 1);
                self.set(root, from, place);
            }
            let idx = ((place.0 >> 1) - 1) as usize;
            if place.0 & 1 == 1 || self.nodes[idx].slot != *slot {
                return false;
            }
            let number = read(*slot);
            if number == UNKNOWN {
                return false;
            }
            from = Some((idx, number));
            place = self.follow(idx, &self.nodes[idx], number);
        }
        if place != Place::UNKNOWN {
            return false;
        }
        self.set(root, from, Place::leaf(leaf));
        true
    }

    fn set(&mut self, root: Root, from: Option<(usize, u32)>, place: Place) {
        let Some((idx, value)) = from else {
            self.trees[root.0 as usize].top = place;
            return;
        };
        let node = &mut self.nodes[idx];
        if node.value == UNKNOWN || node.value == value {
            self.n_edges += usize::from(node.value == UNKNOWN);
            (node.value, node.first) = (value, place);
            return;
        }
        self.n_edges += 1;
        if node.others == Others::None {
            node.others = Others::Dense(self.dense.len() as u32);
            self.dense.push(Dense { lo: 0, n: 0, places: Vec::new() });
        }
        if let Others::Dense(at) = node.others {
            let dense = &mut self.dense[at as usize];
            if dense.set(value, place) {
                return;
            }
            node.others = Others::Sparse;
            let places = std::mem::take(&mut dense.places);
            for (at, place) in places.into_iter().enumerate() {
                if place != Place::UNKNOWN {
                    self.sparse.insert(Self::edge(idx, dense.lo + at as u32), place);
                }
            }
        }
        self.sparse.insert(Self::edge(idx, value), place);
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

    #[test]
    fn keeps_every_edge_of_a_node_however_its_values_lie() {
        let orders: [fn(u32) -> u32; 4] = [
            |i| 1000 + i,
            |i| 100_000 - i,
            |i| i.wrapping_mul(0x9e37_79b9) >> 3,
            |i| if i % 2 == 0 { 500 + i } else { 40_000_000 - i * 7 },
        ];
        for order in orders {
            let mut trie = Trie::default();
            let root = trie.tree();
            for i in 0..2000 {
                assert_eq!(trie.find(root, |_| order(i)), Found::Nothing);
                assert!(trie.insert(root, &[3], |_| order(i), i));
                assert!(!trie.insert(root, &[3], |_| order(i), i + 1), "it is known already");
                assert_eq!(trie.find(root, |_| order(i)), Found::Leaf(i));
            }
            for i in 0..2000 {
                assert_eq!(trie.find(root, |_| order(i)), Found::Leaf(i));
            }
            assert_eq!(trie.n_edges, 2000);
            assert_eq!(trie.find(root, |_| UNKNOWN), Found::Blocked(3));
        }
    }
}
