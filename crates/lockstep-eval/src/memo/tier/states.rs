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
use crate::value::{Items, Value, finish_function, hash_entry};
/// A state as numbers of values: those of the state it was made from, and what differs. It is
/// moved about more often than it is read, so it is small.
#[derive(Clone, Debug)]
pub struct SlotState {
    pub(super) base: Rc<Base>,
    /// The slots in which it differs from `base`, each once.
    pub(super) changes: SmallVec<[(SlotId, u32); 4]>,
    pub(super) lanes: (u64, u64),
}

/// A state in full.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) ids: Box<[u32]>,
    /// For each cut variable the sum of its entries' hashes.
    pub(super) sums: Box<[u64]>,
    /// The same under each permutation of the symmetry sets, once asked for.
    pub(super) permuted: OnceCell<Box<[Permuted]>>,
}

/// A state's hashes under one permutation.
#[derive(Debug)]
pub(super) struct Permuted {
    pub(super) lanes: (u64, u64),
    pub(super) sums: SmallVec<[u64; 6]>,
}

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
            let Some(parts) = layout.parts(evaluator.ctx(), var, &value) else { return Ok(None) };
            for part in parts {
                ids.push(self.values.intern(evaluator.ctx(), part)?);
            }
        }
        Ok(Some(self.complete(ids)))
    }

    /// A state from the numbers of its slots.
    pub(super) fn complete(&self, ids: Ids) -> SlotState {
        let mut sums: SmallVec<[u64; 16]> = SmallVec::new();
        let mut lanes = (0_u64, 0_u64);
        for (var, slots) in self.layout.vars.iter().enumerate() {
            let first = usize::from(slots.first);
            let hash = match &slots.split {
                None => self.values.hash(ids[first]),
                Some((_, keys)) => {
                    let mut sum = 0_u64;
                    for (idx, key) in keys.iter().enumerate() {
                        sum =
                            sum.wrapping_add(hash_entry(*key, self.values.hash(ids[first + idx])));
                    }
                    sums.push(sum);
                    finish_function(keys.len(), sum)
                }
            };
            let (high, low) = lanes_of(var, hash);
            lanes = (lanes.0.wrapping_add(high), lanes.1.wrapping_add(low));
        }
        let base = Rc::new(Base {
            ids: ids.as_slice().into(),
            sums: sums.as_slice().into(),
            permuted: OnceCell::new(),
        });
        SlotState { base, changes: SmallVec::new(), lanes }
    }

    /// The fingerprint, where neither VIEW nor SYMMETRY has a say.
    #[inline]
    pub fn fingerprint(&self, state: &SlotState) -> u128 {
        finish_lanes(state.lanes).max(1)
    }

    /// The smallest fingerprint among all permutations of the state, as the plain tier takes it.
    /// What a permutation makes of a value's hash is kept by the value's number.
    pub fn symmetric_fingerprint(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
    ) -> EvalResult<u128> {
        let permutations = evaluator.permutations()?;
        if self.permuted_keys.len() != permutations.len() {
            self.permuted_keys = permutations
                .iter()
                .map(|renaming| self.keys_under(evaluator, renaming))
                .collect::<EvalResult<_>>()?;
        }
        let base = &*state.base;
        if base.permuted.get().is_none() {
            for id in &base.ids {
                self.permute(evaluator, *id)?;
            }
            let all = (0..permutations.len()).map(|at| self.permuted_base(&base.ids, at)).collect();
            // It was seen empty, and nothing in between fills it.
            let _ = base.permuted.set(all);
        }
        for (_, id) in &state.changes {
            self.permute(evaluator, *id)?;
        }
        let mut smallest = self.fingerprint(state);
        for (at, from) in base.permuted.get().map_or(&[][..], |all| all).iter().enumerate() {
            let lanes = self.lanes_after(
                &state.changes,
                base,
                (from.lanes, &from.sums),
                |number, idx| self.permuted_keys[at][number][idx],
                |id| self.permuted[id as usize].as_deref().map_or(0, |row| row[at]),
            );
            smallest = smallest.min(finish_lanes(lanes));
        }
        Ok(smallest.max(1))
    }

    /// Makes sure that the hashes of a value under all permutations are known.
    pub(super) fn permute(&mut self, evaluator: &mut Evaluator, id: u32) -> EvalResult<()> {
        let at = id as usize;
        if self.permuted.len() <= at {
            self.permuted.resize(at + 1, None);
        }
        if self.permuted[at].is_none() {
            let value = self.values.value(id);
            self.permuted[at] = Some(evaluator.hashes_under_permutations(&value)?.into());
        }
        Ok(())
    }

    /// The hashes of a state in full under one permutation.
    pub(super) fn permuted_base(&self, ids: &[u32], at: usize) -> Permuted {
        let hash_of = |id: u32| self.permuted[id as usize].as_deref().map_or(0, |row| row[at]);
        let mut permuted = Permuted { lanes: (0, 0), sums: SmallVec::new() };
        for (var, slots) in self.layout.vars.iter().enumerate() {
            let first = usize::from(slots.first);
            let hash = match &slots.split {
                None => hash_of(ids[first]),
                Some((number, _)) => {
                    let keys = &self.permuted_keys[at][*number];
                    let mut sum = 0_u64;
                    for (idx, key) in keys.iter().enumerate() {
                        sum = sum.wrapping_add(hash_entry(*key, hash_of(ids[first + idx])));
                    }
                    permuted.sums.push(sum);
                    finish_function(keys.len(), sum)
                }
            };
            let (high, low) = lanes_of(var, hash);
            permuted.lanes.0 = permuted.lanes.0.wrapping_add(high);
            permuted.lanes.1 = permuted.lanes.1.wrapping_add(low);
        }
        permuted
    }

    /// The lanes of a state's fingerprint after changes in some slots. `key_of` gives the hash of
    /// a cut variable's key, `hash_of` that of a value.
    #[inline]
    pub(super) fn lanes_after(
        &self,
        changes: &[(SlotId, u32)],
        base: &Base,
        (mut lanes, sums): ((u64, u64), &[u64]),
        key_of: impl Fn(usize, usize) -> u64,
        hash_of: impl Fn(u32) -> u64,
    ) -> (u64, u64) {
        let layout = &*self.layout;
        // The cut variables written, with their sums.
        let mut touched: SmallVec<[(u16, u64); 4]> = SmallVec::new();
        for (slot, id) in changes {
            let at = usize::from(*slot);
            let var = layout.var_of[at];
            let slots = &layout.vars[usize::from(var)];
            let (before, after) = (hash_of(base.ids[at]), hash_of(*id));
            match &slots.split {
                None => self.shift(&mut lanes, usize::from(var), before, after),
                Some((number, _)) => {
                    let key = key_of(*number, at - usize::from(slots.first));
                    let at = match touched.iter().position(|it| it.0 == var) {
                        Some(at) => at,
                        None => {
                            touched.push((var, sums[*number]));
                            touched.len() - 1
                        }
                    };
                    touched[at].1 = touched[at]
                        .1
                        .wrapping_sub(hash_entry(key, before))
                        .wrapping_add(hash_entry(key, after));
                }
            }
        }
        for (var, sum) in touched {
            if let Some((number, keys)) = &layout.vars[usize::from(var)].split {
                let before = finish_function(keys.len(), sums[*number]);
                let after = finish_function(keys.len(), sum);
                self.shift(&mut lanes, usize::from(var), before, after);
            }
        }
        lanes
    }

    /// The hashes of the keys of all cut variables under a permutation.
    pub(super) fn keys_under(
        &self,
        evaluator: &mut Evaluator,
        renaming: &[crate::value::ModelId],
    ) -> EvalResult<Vec<Box<[u64]>>> {
        let mut all = Vec::new();
        for slots in self.layout.vars.iter() {
            let Some((_, keys)) = &slots.split else { continue };
            all.push(match &slots.cut {
                Cut::Function(domain) => {
                    let mut hashes = Vec::with_capacity(domain.len());
                    for idx in 0..domain.len() {
                        let key =
                            crate::value::permute(evaluator.ctx(), &domain.key(idx), renaming)?;
                        hashes.push(crate::value::hash64(evaluator.ctx(), &key)?);
                    }
                    hashes.into()
                }
                _ => keys.clone(),
            });
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
    pub fn state(&mut self, state: &SlotState) -> State {
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
            list.push(self.layout.join(var, parts));
        }
        let values = State::new(list);
        self.cached.swap(0, 1);
        self.cached[0] = Some((wanted, values.clone()));
        values
    }

    /// The state that a delta makes of another, which is in full.
    pub(super) fn step(&self, from: &SlotState, delta: &[(SlotId, u32)]) -> SlotState {
        debug_assert!(from.changes.is_empty(), "what is expanded was decoded");
        let base = &*from.base;
        let mut changes: SmallVec<[(SlotId, u32); 4]> = SmallVec::new();
        for (slot, id) in delta {
            if base.ids[usize::from(*slot)] != *id {
                changes.push((*slot, *id));
            }
        }
        let lanes = self.lanes_after(
            &changes,
            base,
            (from.lanes, &base.sums),
            |number, idx| self.layout.keys(number)[idx],
            |id| self.values.hash(id),
        );
        SlotState { base: from.base.clone(), changes, lanes }
    }

    #[inline]
    pub(super) fn shift(&self, lanes: &mut (u64, u64), var: usize, before: u64, after: u64) {
        let (a, b) = (lanes_of(var, before), lanes_of(var, after));
        lanes.0 = lanes.0.wrapping_sub(a.0).wrapping_add(b.0);
        lanes.1 = lanes.1.wrapping_sub(a.1).wrapping_add(b.1);
    }
}
