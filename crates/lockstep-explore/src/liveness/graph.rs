//! The behaviour graph: states by number, steps with the truth of every atom.
//!
//! Many steps agree on all atoms, so each step has the number of a class, and a class stores the bits once. A class of a
//! step covers the atoms about its first state too. Steps are kept as bytes, those of a state together: the way from one
//! target to the next and the class, both in base 128. That is 2 to 6 bytes a step.
//!
//! Invariants: every state has a step to itself (stuttering is always allowed); the steps of a state are in order, by
//! target and then by class, and no two are equal.

use rustc_hash::FxHashMap;

/// The truth of all atoms, 64 to a word.
pub type AtomBits = Box<[u64]>;

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Step {
    /// The state it leads to.
    pub to: u32,
    /// The class of its atoms.
    pub class: u32,
}

/// Interns rows of atom bits.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    rows: Vec<AtomBits>,
    ids: FxHashMap<AtomBits, u32>,
}

impl Classes {
    /// The class of a row.
    pub fn intern(&mut self, row: &[u64]) -> u32 {
        if let Some(id) = self.ids.get(row) {
            return *id;
        }
        let id = self.rows.len() as u32;
        self.rows.push(row.into());
        self.ids.insert(row.into(), id);
        id
    }

    /// All rows by class.
    pub fn rows(&self) -> &[AtomBits] {
        &self.rows
    }
}

/// Whether an atom is set in a row.
pub fn atom_of(row: &[u64], atom: u32) -> bool {
    row.get(atom as usize / 64).is_some_and(|word| word >> (atom % 64) & 1 == 1)
}

/// States whose steps stand in one block.
pub(super) const BLOCK: usize = 1024;

/// The steps of [`BLOCK`] states (of fewer at the end).
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// The steps of the block's state `i` begin at `starts[i]`.
    starts: Vec<u32>,
    bytes: Vec<u8>,
}

impl Block {
    /// Appends the steps of the next state.
    pub(super) fn push(&mut self, steps: &mut Vec<Step>) {
        steps.sort_unstable();
        steps.dedup();
        self.starts.push(self.bytes.len() as u32);
        let mut last = 0;
        for step in &*steps {
            write(&mut self.bytes, step.to - last);
            write(&mut self.bytes, step.class);
            last = step.to;
        }
    }

    pub(super) fn seal(&mut self) {
        self.starts.shrink_to_fit();
        self.bytes.shrink_to_fit();
    }
}

/// Appends a number in base 128.
pub(super) fn write(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number in base 128 from the front.
#[inline]
pub(super) fn read(bytes: &mut &[u8]) -> u32 {
    let (mut number, mut shift) = (0, 0);
    while let [byte, rest @ ..] = *bytes {
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            break;
        }
        shift += 7;
    }
    number
}

/// The steps that leave one state, in order.
#[derive(Clone, Debug)]
pub struct Steps<'a> {
    rest: &'a [u8],
    last: u32,
}

impl Iterator for Steps<'_> {
    type Item = Step;

    #[inline]
    fn next(&mut self) -> Option<Step> {
        if self.rest.is_empty() {
            return None;
        }
        self.last += read(&mut self.rest);
        Some(Step { to: self.last, class: read(&mut self.rest) })
    }
}

/// A finite graph of behaviours.
#[derive(Clone, Debug, Default)]
pub struct BehaviorGraph {
    /// Where a behaviour may start.
    pub initial: Vec<u32>,
    /// The truth of the atoms by class.
    pub classes: Vec<AtomBits>,
    n_states: u32,
    blocks: Vec<Block>,
}

impl BehaviorGraph {
    /// Groups `(from, step)` pairs by `from`. The order in which they were found does not show, and duplicates go.
    pub fn new(
        n_states: u32,
        initial: Vec<u32>,
        pairs: &[(u32, Step)],
        classes: Vec<AtomBits>,
    ) -> Self {
        let mut by_state: Vec<Vec<Step>> = vec![Vec::new(); n_states as usize];
        for (from, step) in pairs {
            by_state[*from as usize].push(*step);
        }
        let blocks = by_state.chunks_mut(BLOCK).map(|states| {
            let mut block = Block::default();
            states.iter_mut().for_each(|steps| block.push(steps));
            block
        });
        let blocks = blocks.collect();
        Self::of_blocks(n_states, initial, blocks, classes)
    }

    pub(super) fn of_blocks(
        n_states: u32,
        initial: Vec<u32>,
        blocks: Vec<Block>,
        classes: Vec<AtomBits>,
    ) -> Self {
        BehaviorGraph { initial, classes, n_states, blocks }
    }

    /// Number of states.
    pub fn n_states(&self) -> u32 {
        self.n_states
    }

    /// The steps that leave a state.
    #[inline]
    pub fn steps_from(&self, state: u32) -> Steps<'_> {
        let block = &self.blocks[state as usize / BLOCK];
        let at = state as usize % BLOCK;
        let end = block.starts.get(at + 1).map_or(block.bytes.len(), |it| *it as usize);
        Steps { rest: &block.bytes[block.starts[at] as usize..end], last: 0 }
    }

    /// Bytes that the steps take.
    pub fn step_bytes(&self) -> usize {
        self.blocks.iter().map(|it| it.bytes.len() + 4 * it.starts.len()).sum()
    }

    /// Number of steps; counts them.
    pub fn n_steps(&self) -> u64 {
        (0..self.n_states).map(|state| self.steps_from(state).count() as u64).sum()
    }
}
