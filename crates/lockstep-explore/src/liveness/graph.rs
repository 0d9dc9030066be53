//! The behaviour graph: states by number, steps with the truth of every atom.
//!
//! Many steps agree on all atoms, so each step stores the number of a class, and a class stores
//! the bits once: 8 bytes a step whatever the number of atoms. A class of a step covers the
//! atoms about its first state too.
//!
//! Invariant: every state has a step to itself (stuttering is always allowed).

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

/// A finite graph of behaviours in compressed rows.
#[derive(Clone, Debug, Default)]
pub struct BehaviorGraph {
    /// Where a behaviour may start.
    pub initial: Vec<u32>,
    /// `steps[offsets[s]..offsets[s + 1]]` leave state `s`.
    pub offsets: Vec<u64>,
    /// The steps, grouped by their first state.
    pub steps: Vec<Step>,
    /// The truth of the atoms by class.
    pub classes: Vec<AtomBits>,
}

impl BehaviorGraph {
    /// Groups `(from, step)` pairs by `from`. The order of a state's steps is by target, then by
    /// class, so that it does not depend on the order in which they were found; duplicates go.
    pub fn new(
        n_states: u32,
        initial: Vec<u32>,
        pairs: &[(u32, Step)],
        classes: Vec<AtomBits>,
    ) -> Self {
        let mut offsets = vec![0u64; n_states as usize + 1];
        for (from, _) in pairs {
            offsets[*from as usize + 1] += 1;
        }
        for idx in 1..offsets.len() {
            offsets[idx] += offsets[idx - 1];
        }
        let mut next = offsets.clone();
        let mut steps = vec![Step { to: 0, class: 0 }; pairs.len()];
        for (from, step) in pairs {
            let slot = &mut next[*from as usize];
            steps[*slot as usize] = *step;
            *slot += 1;
        }
        let mut graph = Self { initial, offsets, steps, classes };
        graph.sort_steps();
        graph
    }

    fn sort_steps(&mut self) {
        let mut kept = 0usize;
        for state in 0..self.n_states() as usize {
            let range = self.offsets[state] as usize..self.offsets[state + 1] as usize;
            self.steps[range.clone()].sort_unstable();
            self.offsets[state] = kept as u64;
            let mut last = None;
            for idx in range {
                let step = self.steps[idx];
                if last != Some(step) {
                    self.steps[kept] = step;
                    kept += 1;
                    last = Some(step);
                }
            }
        }
        if let Some(end) = self.offsets.last_mut() {
            *end = kept as u64;
        }
        self.steps.truncate(kept);
    }

    /// Number of states.
    pub fn n_states(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// The steps that leave a state.
    pub fn steps_from(&self, state: u32) -> &[Step] {
        let state = state as usize;
        &self.steps[self.offsets[state] as usize..self.offsets[state + 1] as usize]
    }
}
