//! States as numbers of values, and their fingerprints.
//!
//! Invariant: the fingerprint of a state is that of its values, however it was made.

use std::cell::OnceCell;
use std::rc::Rc;

use smallvec::SmallVec;

use super::Tier;
use crate::error::EvalResult;
use crate::evaluator::{Evaluator, State, finish_lanes, lanes_of};
use crate::memo::layout::{Cut, SlotId};
use crate::value::{Items, Value, finish_function, finish_set, hash_entry};
/// A state as numbers of values: those of the state it was made from, and what differs. It is
/// moved about more often than it is read, so it is small.
#[derive(Clone, Debug)]
pub struct SlotState {
    pub(super) base: Rc<Base>,
    /// The slots in which it differs from `base`, each once.
    pub(super) changes: SmallVec<[(SlotId, u32); 4]>,
}

/// A state in the form in which it is evaluated.
#[derive(Clone, Debug)]
pub enum Form {
    /// As numbers of values, in the tier that remembers.
    Slots(SlotState),
    /// As values.
    Plain(State),
}

/// A state in full.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) ids: Box<[u32]>,
    pub(super) hashes: Hashes,
    /// The same under each permutation of the symmetry sets, once asked for.
    pub(super) permuted: OnceCell<Box<[Hashes]>>,
}

/// What the fingerprint of a state is made of, kept so that of a successor only what changes is
/// hashed.
#[derive(Debug)]
pub(super) struct Hashes {
    pub(super) lanes: (u64, u64),
    /// For each slot of a cut variable the hash of its entry; then, for each variable, the sum of
    /// its entries, its two lanes, and of a set in classes how many elements it has.
    words: Box<[u64]>,
}

/// The hash under a permutation that is not known yet.
const UNHASHED: u64 = 0;

/// The numbers of a state in full.
pub(super) type Ids = SmallVec<[u32; 32]>;

impl SlotState {
    /// The number in a slot.
    #[inline]
    pub(super) fn id(&self, slot: SlotId) -> u32 {
        for (changed, id) in &self.changes {
            if *changed == slot {
                return *id;
            }
        }
        self.base.ids[usize::from(slot)]
    }

    pub(super) fn ids(&self) -> Ids {
        let mut ids = Ids::from_slice(&self.base.ids);
        for (slot, id) in &self.changes {
            ids[usize::from(*slot)] = *id;
        }
        ids
    }
}

impl Tier {
    /// The slots of a state, if it has the shape of the layout.
    pub fn slots_of(
        &mut self,
        evaluator: &mut Evaluator,
        state: &State,
    ) -> EvalResult<Option<SlotState>> {
        let layout = self.layout.clone();
        let mut ids = Ids::new();
        for (var, value) in state.values().iter().enumerate() {
            let value = crate::value::force(evaluator.ctx(), value)?;
            let Some(parts) = layout.parts(evaluator.ctx(), var, &value, u64::MAX) else {
                return Ok(None);
            };
            for part in &*parts {
                ids.push(self.values.intern(evaluator.ctx(), part)?);
            }
        }
        Ok(Some(self.complete(ids)))
    }

    /// A state from the numbers of its slots.
    pub(super) fn complete(&self, ids: Ids) -> SlotState {
        let hashes = self.hashes_of(&ids, &self.layout.keys, |id| self.values.hash(id));
        let base = Rc::new(Base { ids: ids.as_slice().into(), hashes, permuted: OnceCell::new() });
        SlotState { base, changes: SmallVec::new() }
    }

    /// The hashes of a state in full. `keys` are those of the slots' keys, `hash_of` gives that of
    /// a value.
    fn hashes_of(&self, ids: &[u32], keys: &[u64], hash_of: impl Fn(u32) -> u64) -> Hashes {
        let layout = &*self.layout;
        let mut words: SmallVec<[u64; 64]> =
            SmallVec::with_capacity(layout.n_slots + 4 * layout.vars.len());
        words.resize(layout.n_slots, 0);
        let mut lanes = (0_u64, 0_u64);
        for (var, slots) in layout.vars.iter().enumerate() {
            let first = usize::from(slots.first);
            let (mut sum, mut n_elements) = (0_u64, 0_u32);
            let all = first..first + usize::from(slots.n);
            let hash = match &slots.cut {
                Cut::Whole => hash_of(ids[first]),
                Cut::Classes(_) => {
                    for at in all {
                        let (entry, n) = self.values.sum(ids[at]);
                        words[at] = entry;
                        sum = sum.wrapping_add(entry);
                        n_elements += n;
                    }
                    finish_set(n_elements as usize, sum)
                }
                Cut::Function(_) | Cut::Record(_) | Cut::Tuple => {
                    for at in all {
                        let entry = hash_entry(keys[at], hash_of(ids[at]));
                        words[at] = entry;
                        sum = sum.wrapping_add(entry);
                    }
                    finish_function(usize::from(slots.n), sum)
                }
            };
            let (high, low) = lanes_of(layout.salts[var], hash);
            lanes = (lanes.0.wrapping_add(high), lanes.1.wrapping_add(low));
            words.extend([sum, high, low, u64::from(n_elements)]);
        }
        Hashes { lanes, words: words.as_slice().into() }
    }

    /// The fingerprint, where neither VIEW nor SYMMETRY has a say.
    #[inline]
    pub fn fingerprint(&self, state: &SlotState) -> u128 {
        let of = |id: u32| self.values.hash(id);
        finish_lanes(self.lanes_after(
            &state.changes,
            (&state.base.ids, &state.base.hashes),
            &self.layout.keys,
            of,
        ))
        .max(1)
    }

    /// The smallest fingerprint among all permutations of the state, as the plain tier takes it.
    /// What a permutation makes of a value's hash is kept by the value's number.
    pub fn symmetric_fingerprint(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
    ) -> EvalResult<u128> {
        let permutations = evaluator.permutations()?;
        let n = permutations.len();
        if self.permuted_keys.len() != n {
            self.permuted_keys = permutations
                .iter()
                .map(|renaming| self.keys_under(evaluator, renaming))
                .collect::<EvalResult<_>>()?;
        }
        let base = &*state.base;
        if base.permuted.get().is_none() {
            for id in &base.ids {
                self.permute(evaluator, *id, n)?;
            }
            let all = (0..n)
                .map(|at| {
                    let of = |id: u32| self.permuted[id as usize * n + at];
                    self.hashes_of(&base.ids, &self.permuted_keys[at], of)
                })
                .collect();
            // It was seen empty, and nothing in between fills it.
            let _ = base.permuted.set(all);
        }
        for (_, id) in &state.changes {
            self.permute(evaluator, *id, n)?;
        }
        let mut smallest = self.fingerprint(state);
        for (at, from) in base.permuted.get().map_or(&[][..], |all| all).iter().enumerate() {
            let of = |id: u32| self.permuted[id as usize * n + at];
            let lanes =
                self.lanes_after(&state.changes, (&base.ids, from), &self.permuted_keys[at], of);
            smallest = smallest.min(finish_lanes(lanes));
        }
        Ok(smallest.max(1))
    }

    /// Makes sure that the hashes of a value under all `n` permutations are known.
    fn permute(&mut self, evaluator: &mut Evaluator, id: u32, n: usize) -> EvalResult<()> {
        let at = id as usize * n;
        if self.permuted.len() < at + n {
            self.permuted.resize(at + n, UNHASHED);
        }
        if n > 0 && self.permuted[at] == UNHASHED {
            let value = self.values.value(id);
            let row = evaluator.hashes_under_permutations(&value)?;
            self.permuted[at..at + n].copy_from_slice(&row);
        }
        Ok(())
    }

    /// The lanes of a state's fingerprint after changes in some slots, each once. `keys` are the
    /// hashes of the slots' keys, `hash_of` gives that of a value.
    #[inline]
    fn lanes_after(
        &self,
        changes: &[(SlotId, u32)],
        (ids, from): (&[u32], &Hashes),
        keys: &[u64],
        hash_of: impl Fn(u32) -> u64,
    ) -> (u64, u64) {
        let layout = &*self.layout;
        let mut lanes = from.lanes;
        let mut replace = |var: usize, hash: u64| {
            let at = layout.n_slots + 4 * var;
            let (high, low) = lanes_of(layout.salts[var], hash);
            lanes.0 = lanes.0.wrapping_sub(from.words[at + 1]).wrapping_add(high);
            lanes.1 = lanes.1.wrapping_sub(from.words[at + 2]).wrapping_add(low);
        };
        // The cut variables written, with their sums and how many elements they have.
        let mut touched: SmallVec<[(u16, u64, u64); 4]> = SmallVec::new();
        for (slot, id) in changes {
            let at = usize::from(*slot);
            let var = layout.var_of[at];
            let cut = &layout.vars[usize::from(var)].cut;
            if let Cut::Whole = cut {
                replace(usize::from(var), hash_of(*id));
                continue;
            }
            let place = match touched.iter().position(|it| it.0 == var) {
                Some(place) => place,
                None => {
                    let of = layout.n_slots + 4 * usize::from(var);
                    touched.push((var, from.words[of], from.words[of + 3]));
                    touched.len() - 1
                }
            };
            let (_, sum, n_elements) = &mut touched[place];
            let entry = if let Cut::Classes(_) = cut {
                let ((entry, n), (_, before)) = (self.values.sum(*id), self.values.sum(ids[at]));
                *n_elements = *n_elements + u64::from(n) - u64::from(before);
                entry
            } else {
                hash_entry(keys[at], hash_of(*id))
            };
            *sum = sum.wrapping_sub(from.words[at]).wrapping_add(entry);
        }
        for &(var, sum, n_elements) in &touched {
            let slots = &layout.vars[usize::from(var)];
            let hash = if let Cut::Classes(_) = slots.cut {
                finish_set(n_elements as usize, sum)
            } else {
                finish_function(usize::from(slots.n), sum)
            };
            replace(usize::from(var), hash);
        }
        lanes
    }

    /// The hashes of the slots' keys under a permutation.
    fn keys_under(
        &self,
        evaluator: &mut Evaluator,
        renaming: &[crate::value::ModelId],
    ) -> EvalResult<Box<[u64]>> {
        let mut all = self.layout.keys.clone();
        for slots in self.layout.vars.iter() {
            let Cut::Function(domain) = &slots.cut else { continue };
            for idx in 0..domain.len() {
                let key = crate::value::permute(evaluator.ctx(), &domain.key(idx), renaming)?;
                all[usize::from(slots.first) + idx] = crate::value::hash64(evaluator.ctx(), &key)?;
            }
        }
        Ok(all)
    }

    /// Appends the state as bytes that all workers of this run understand.
    pub fn encode(&self, state: &SlotState, out: &mut Vec<u8>) {
        for id in state.ids() {
            let mut n = id;
            while n >= 0x80 {
                out.push(n as u8 | 0x80);
                n >>= 7;
            }
            out.push(n as u8);
        }
    }

    /// The state behind its bytes.
    pub fn decode(&mut self, evaluator: &mut Evaluator, bytes: &[u8]) -> EvalResult<SlotState> {
        let mut ids = Ids::new();
        let (mut n, mut shift) = (0_u32, 0);
        for byte in bytes {
            n |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                self.values.know(evaluator.ctx(), n)?;
                ids.push(n);
                (n, shift) = (0, 0);
            } else {
                shift += 7;
            }
        }
        Ok(self.complete(ids))
    }

    /// The values of a state.
    pub fn state(&mut self, evaluator: &mut Evaluator, state: &SlotState) -> State {
        let wanted = state.ids();
        for (at, cached) in self.cached.iter().enumerate() {
            if let Some((ids, values)) = cached
                && *ids == wanted
            {
                let values = values.clone();
                if at == 1 {
                    self.cached.swap(0, 1);
                }
                return values;
            }
        }
        let mut list: Vec<Value> = Vec::with_capacity(self.layout.vars.len());
        for (var, slots) in self.layout.vars.iter().enumerate() {
            let first = usize::from(slots.first);
            let parts: Items = wanted[first..first + usize::from(slots.n)]
                .iter()
                .map(|id| self.values.value(*id))
                .collect();
            list.push(self.layout.join(evaluator.ctx(), var, parts));
        }
        let values = State::new(list);
        self.cached.swap(0, 1);
        self.cached[0] = Some((wanted, values.clone()));
        values
    }

    /// The state that a delta makes of another, which is in full.
    pub(super) fn step(&self, from: &SlotState, delta: &[(SlotId, u32)]) -> SlotState {
        debug_assert!(from.changes.is_empty(), "what is expanded was decoded");
        let mut state = SlotState { base: from.base.clone(), changes: SmallVec::new() };
        for (slot, id) in delta {
            if from.base.ids[usize::from(*slot)] != *id {
                state.changes.push((*slot, *id));
            }
        }
        state
    }
}
