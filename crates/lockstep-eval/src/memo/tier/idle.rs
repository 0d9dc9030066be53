//! Actions that one slot rules out.
//!
//! Most actions are not enabled in most states, and mostly the first thing that they read says so.
//! For each slot and number the actions are kept whose evaluation read that slot alone and made no
//! successor. A state's idle actions are then a union over its slots, and only the others are
//! looked up one by one.
//!
//! Invariant: an action is idle in a state only if its evaluation in that state would make no
//! successor and no error.

use smallvec::SmallVec;

use crate::memo::layout::SlotId;

/// Greater numbers are not kept: a table has a place for each.
const MAX_NUMBER: usize = 1 << 16;

/// A set of actions, a bit each.
pub(super) type ActionSet = SmallVec<[u64; 2]>;

/// The actions that each slot rules out, by its number.
pub(super) struct Idle {
    n_words: usize,
    /// The slots that rule any action out.
    slots: Vec<SlotId>,
    tables: Vec<Vec<u64>>,
}

impl Idle {
    pub(super) fn new(n_slots: usize, n_actions: usize) -> Self {
        Self {
            n_words: n_actions.div_ceil(64),
            slots: Vec::new(),
            tables: vec![Vec::new(); n_slots],
        }
    }

    /// Keeps that an action makes nothing where a slot has this number.
    pub(super) fn note(&mut self, action: usize, slot: SlotId, number: u32) {
        let Some(table) = self.tables.get_mut(usize::from(slot)) else { return };
        let number = number as usize;
        if number >= MAX_NUMBER {
            return;
        }
        if table.is_empty() {
            self.slots.push(slot);
        }
        let end = (number + 1) * self.n_words;
        if table.len() < end {
            table.resize(end, 0);
        }
        table[number * self.n_words + action / 64] |= 1 << (action % 64);
    }

    /// The actions known to make nothing of a state with these numbers.
    #[inline]
    pub(super) fn of(&self, ids: &[u32]) -> ActionSet {
        let mut set = ActionSet::from_elem(0, self.n_words);
        for slot in &self.slots {
            let at = usize::from(*slot);
            let start = ids[at] as usize * self.n_words;
            if let Some(row) = self.tables[at].get(start..start + self.n_words) {
                for (word, bits) in set.iter_mut().zip(row) {
                    *word |= bits;
                }
            }
        }
        set
    }

    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.tables.iter_mut().for_each(Vec::clear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_rules_out_what_any_of_its_slots_does() {
        let mut idle = Idle::new(3, 130);
        idle.note(0, 1, 7);
        idle.note(129, 1, 7);
        idle.note(64, 2, 0);
        idle.note(5, 0, MAX_NUMBER as u32);
        idle.note(5, 9, 0);
        assert_eq!(idle.of(&[1, 7, 3])[..], [1, 0, 2]);
        assert_eq!(idle.of(&[1, 7, 0])[..], [1, 1, 2]);
        assert_eq!(idle.of(&[MAX_NUMBER as u32, 6, 9])[..], [0, 0, 0]);
        idle.clear();
        assert_eq!(idle.of(&[1, 7, 0])[..], [0, 0, 0]);
    }
}
