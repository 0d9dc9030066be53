//! Links: what is kept with each state so that a trace can be rebuilt, and how it is.
//!
//! A state's link holds the upper bits of its parent's fingerprint, inverted, so that "the greatest link wins" makes the
//! smallest parent win: which parent that is depends on the graph alone. With coverage the number of the action stands
//! below, and the smallest (parent, action) wins. Initial states have link 0.
//!
//! The way back from a state follows the links. A few bits of a fingerprint may fit several states of the table; then all of
//! them are tried, in order, until a way of the right length ends in an initial state and can be walked forward.

use lockstep_runtime::{Fingerprint, Links, TableLeader};

use crate::system::ActionId;

const NARROW_BITS: u32 = 32;
const WIDE_BITS: u32 = 40;
const ACTION_BITS: u32 = 64 - WIDE_BITS;
const ACTION_MASK: u64 = (1 << ACTION_BITS) - 1;

/// How links are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkForm {
    pub(crate) with_actions: bool,
}

impl LinkForm {
    pub(crate) fn links(self) -> Links {
        if self.with_actions { Links::Wide } else { Links::Narrow }
    }

    fn parent_bits(self) -> u32 {
        if self.with_actions { WIDE_BITS } else { NARROW_BITS }
    }

    /// The upper bits of a fingerprint that a link keeps.
    pub(crate) fn prefix(self, fingerprint: Fingerprint) -> u64 {
        // The largest prefix stands for its lower neighbour, too: its inverse would be the 0 of initial states.
        let prefix = fingerprint.high() >> (64 - self.parent_bits());
        prefix.min((1 << self.parent_bits()) - 2)
    }

    pub(crate) fn link(self, parent: Fingerprint, action: ActionId) -> u64 {
        let prefix = self.prefix(parent);
        if self.with_actions {
            !(prefix << ACTION_BITS | u64::from(action.0).min(ACTION_MASK))
        } else {
            u64::from(!(prefix as u32))
        }
    }

    /// The action in a link that has one.
    pub(crate) fn action(self, link: u64) -> Option<ActionId> {
        (self.with_actions && link != 0).then_some(ActionId((!link & ACTION_MASK) as u32))
    }

    /// The prefix of the parent, unless this is the link of an initial state.
    pub(crate) fn parent(self, link: u64) -> Option<u64> {
        if link == 0 {
            None
        } else if self.with_actions {
            Some(!link >> ACTION_BITS)
        } else {
            Some(u64::from(!(link as u32)))
        }
    }

    /// All states whose fingerprints have this prefix, in order, with their links.
    fn with_prefix(self, table: &TableLeader<'_>, prefix: u64) -> Vec<(Fingerprint, u64)> {
        let shift = 128 - self.parent_bits();
        let last = if prefix == (1 << self.parent_bits()) - 2 { prefix + 1 } else { prefix };
        let low = u128::from(prefix) << shift;
        let high = u128::from(last) << shift | ((1 << shift) - 1);
        let mut found = Vec::new();
        table.between(Fingerprint(low), Fingerprint(high), |key, link| found.push((key, link)));
        found.sort_unstable();
        found
    }

    /// Tries the ways of `length` states that lead from an initial state to `last`, until `accept` takes one.
    pub(crate) fn ways<T>(
        self,
        table: &TableLeader<'_>,
        last: Fingerprint,
        length: u32,
        accept: &mut dyn FnMut(&[Fingerprint]) -> Option<T>,
    ) -> Option<T> {
        let link = table.find(last)?;
        let mut way = vec![last];
        self.back(table, link, length, &mut way, accept)
    }

    fn back<T>(
        self,
        table: &TableLeader<'_>,
        link: u64,
        length: u32,
        way: &mut Vec<Fingerprint>,
        accept: &mut dyn FnMut(&[Fingerprint]) -> Option<T>,
    ) -> Option<T> {
        // Iterative where there is one candidate, which is nearly always: a trace may be long.
        let start = way.len();
        let mut link = link;
        loop {
            let result = match (self.parent(link), way.len() as u32) {
                (None, n) if n == length => {
                    let forward: Vec<_> = way.iter().rev().copied().collect();
                    accept(&forward)
                }
                (Some(prefix), n) if n < length => {
                    let candidates = self.with_prefix(table, prefix);
                    if let [(only, next)] = candidates[..] {
                        way.push(only);
                        link = next;
                        continue;
                    }
                    candidates.into_iter().find_map(|(candidate, next)| {
                        way.push(candidate);
                        let found = self.back(table, next, length, way, accept);
                        way.pop();
                        found
                    })
                }
                _ => None,
            };
            way.truncate(start);
            return result;
        }
    }
}
