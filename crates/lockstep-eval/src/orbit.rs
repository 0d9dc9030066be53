//! Fingerprints that symmetric states share, without making the permuted states.
//!
//! A structural hash does not depend on order: sets add the hashes of their elements, functions
//! those of their entries. So the hash of a value under every permutation of model values is
//! computed in one pass over the value, all permutations side by side. Values inside of others
//! (messages, log entries) recur from state to state; their hashes are kept.
//!
//! Invariant: the hash under a permutation is that of the permuted value.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::error::EvalResult;
use crate::evaluator::{finish_lanes, lanes_of, salt_of};
use crate::value::{
    Ctx, Domain, ModelId, Value, finish_function, finish_set, force, hash_entry as entry, hash_int,
    hash64,
};

/// How many hashes are kept at most, over all values.
const KEPT: usize = 1 << 22;

/// The hashes of one value: one for all permutations, or one for each.
#[derive(Clone)]
enum Hashes {
    Same(u64),
    Each(Rc<[u64]>),
}

/// The permutations of a symmetry and what is known under them.
pub(crate) struct Orbit {
    permutations: Rc<[Box<[ModelId]>]>,
    known: FxHashMap<u64, Hashes>,
}

impl Orbit {
    /// For these permutations, the identity left out.
    pub(crate) fn new(permutations: Rc<[Box<[ModelId]>]>) -> Self {
        Self { permutations, known: FxHashMap::default() }
    }

    /// The smallest fingerprint over all permutations of a state, `plain` being its own.
    pub(crate) fn smallest(
        &mut self,
        ctx: &mut Ctx,
        values: &[Value],
        plain: u128,
    ) -> EvalResult<u128> {
        let n = self.permutations.len();
        let mut lanes = vec![(0_u64, 0_u64); n];
        for (idx, value) in values.iter().enumerate() {
            match self.hashes(ctx, value, false)? {
                Hashes::Same(hash) => {
                    let (high, low) = lanes_of(salt_of(idx), hash);
                    for lane in &mut lanes {
                        *lane = (lane.0.wrapping_add(high), lane.1.wrapping_add(low));
                    }
                }
                Hashes::Each(hashes) => {
                    for (lane, hash) in lanes.iter_mut().zip(hashes.iter()) {
                        let (high, low) = lanes_of(salt_of(idx), *hash);
                        *lane = (lane.0.wrapping_add(high), lane.1.wrapping_add(low));
                    }
                }
            }
        }
        Ok(lanes.into_iter().map(finish_lanes).fold(plain, u128::min))
    }

    /// The hashes of one value, a permutation at a time.
    pub(crate) fn hashes_of(&mut self, ctx: &mut Ctx, value: &Value) -> EvalResult<Vec<u64>> {
        Ok(match self.hashes(ctx, value, false)? {
            Hashes::Same(hash) => vec![hash; self.permutations.len()],
            Hashes::Each(list) => list.to_vec(),
        })
    }

    fn hashes(&mut self, ctx: &mut Ctx, value: &Value, keep: bool) -> EvalResult<Hashes> {
        match value {
            Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::Interval(..) => {
                return Ok(Hashes::Same(hash64(ctx, value)?));
            }
            Value::Model(id) => {
                let at = id.0 as usize;
                let list: Rc<[u64]> = self
                    .permutations
                    .iter()
                    .map(|renaming| {
                        let id = renaming.get(at).copied().unwrap_or(*id);
                        ctx.names.model_hash(id)
                    })
                    .collect();
                let own = ctx.names.model_hash(*id);
                let fixed = list.iter().all(|hash| *hash == own);
                return Ok(if fixed { Hashes::Same(own) } else { Hashes::Each(list) });
            }
            Value::Lazy(_) => {
                let forced = force(ctx, value)?;
                if let Value::Lazy(_) = forced {
                    return Ok(Hashes::Same(hash64(ctx, &forced)?));
                }
                return self.hashes(ctx, &forced, keep);
            }
            Value::Set(_) | Value::Tuple(_) | Value::Record(_) | Value::Function(_) => {}
        }
        let own = hash64(ctx, value)?;
        if keep && let Some(hashes) = self.known.get(&own) {
            return Ok(hashes.clone());
        }
        let hashes = self.compound(ctx, value, own)?;
        if keep {
            let room = self.known.len() * self.permutations.len().max(1) < KEPT;
            if !room {
                self.known.clear();
            }
            self.known.insert(own, hashes.clone());
        }
        Ok(hashes)
    }

    fn compound(&mut self, ctx: &mut Ctx, value: &Value, own: u64) -> EvalResult<Hashes> {
        let mut sums = Sums::new(self.permutations.len());
        match value {
            Value::Set(node) => {
                let items = node.elements()?;
                for item in items {
                    let hashes = self.hashes(ctx, item, true)?;
                    sums.add(&hashes, |hash| hash);
                }
                Ok(sums.finish(own, |sum| finish_set(items.len(), sum)))
            }
            Value::Tuple(node) => {
                for (idx, item) in node.items().iter().enumerate() {
                    let key = hash_int(idx as i32 + 1);
                    let hashes = self.hashes(ctx, item, true)?;
                    sums.add(&hashes, |hash| entry(key, hash));
                }
                Ok(sums.finish(own, |sum| finish_function(node.items().len(), sum)))
            }
            Value::Record(node) => {
                for (name, item) in node.shape().names().iter().zip(node.values()) {
                    let key = ctx.names.hash(*name);
                    let hashes = self.hashes(ctx, item, true)?;
                    sums.add(&hashes, |hash| entry(key, hash));
                }
                Ok(sums.finish(own, |sum| finish_function(node.values().len(), sum)))
            }
            Value::Function(node) => {
                let n = node.values().len();
                match &**node.domain() {
                    Domain::Interval(lo, _) => {
                        for (idx, item) in node.values().iter().enumerate() {
                            let key = hash_int(lo + idx as i32);
                            let hashes = self.hashes(ctx, item, true)?;
                            sums.add(&hashes, |hash| entry(key, hash));
                        }
                    }
                    Domain::Sorted { keys, .. } => {
                        for (key, item) in keys.iter().zip(node.values()) {
                            let keys = self.hashes(ctx, key, true)?;
                            let results = self.hashes(ctx, item, true)?;
                            sums.add_entries(&keys, &results);
                        }
                    }
                }
                Ok(sums.finish(own, |sum| finish_function(n, sum)))
            }
            Value::Bool(_)
            | Value::Int(_)
            | Value::Str(_)
            | Value::Model(_)
            | Value::Interval(..)
            | Value::Lazy(_) => Ok(Hashes::Same(own)),
        }
    }
}

/// Sums side by side; as long as nothing varies there is only one.
struct Sums {
    n: usize,
    same: u64,
    each: Option<Vec<u64>>,
}

impl Sums {
    fn new(n: usize) -> Self {
        Self { n, same: 0, each: None }
    }

    fn add(&mut self, hashes: &Hashes, map: impl Fn(u64) -> u64) {
        match hashes {
            Hashes::Same(hash) => self.same = self.same.wrapping_add(map(*hash)),
            Hashes::Each(list) => {
                let each = self.each.get_or_insert_with(|| vec![0; self.n]);
                for (sum, hash) in each.iter_mut().zip(list.iter()) {
                    *sum = sum.wrapping_add(map(*hash));
                }
            }
        }
    }

    fn add_entries(&mut self, keys: &Hashes, results: &Hashes) {
        match (keys, results) {
            (Hashes::Same(key), _) => self.add(results, |hash| entry(*key, hash)),
            (Hashes::Each(keys), Hashes::Same(result)) => {
                let each = self.each.get_or_insert_with(|| vec![0; self.n]);
                for (sum, key) in each.iter_mut().zip(keys.iter()) {
                    *sum = sum.wrapping_add(entry(*key, *result));
                }
            }
            (Hashes::Each(keys), Hashes::Each(results)) => {
                let each = self.each.get_or_insert_with(|| vec![0; self.n]);
                for ((sum, key), result) in each.iter_mut().zip(keys.iter()).zip(results.iter()) {
                    *sum = sum.wrapping_add(entry(*key, *result));
                }
            }
        }
    }

    fn finish(self, own: u64, finish: impl Fn(u64) -> u64) -> Hashes {
        match self.each {
            None => Hashes::Same(own),
            Some(mut each) => {
                for sum in &mut each {
                    *sum = finish(sum.wrapping_add(self.same));
                }
                Hashes::Each(each.into())
            }
        }
    }
}
