//! Values of slots by number.
//!
//! One table of bytes is shared by all workers; each worker has the values behind the numbers it
//! met. Numbers depend on timing, so nothing that is reported may depend on them: fingerprints are
//! made of the values' hashes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::error::EvalResult;
use crate::value::{Ctx, Value, decode, encode, equal, force, hash64};

const SHARDS: usize = 64;

/// The table that workers share.
pub struct Interner {
    shards: Vec<Mutex<FxHashMap<u64, SmallVec<[u32; 1]>>>>,
    bytes: RwLock<Vec<Arc<[u8]>>>,
    size: AtomicUsize,
}

impl Default for Interner {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            bytes: RwLock::default(),
            size: AtomicUsize::new(0),
        }
    }
}

impl Interner {
    fn number(&self, hash: u64, bytes: &[u8]) -> u32 {
        let shard = &self.shards[(hash >> 58) as usize % SHARDS];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = shard.entry(hash).or_default();
        {
            let known = self.bytes.read().unwrap_or_else(PoisonError::into_inner);
            for id in ids.iter() {
                if *known[*id as usize] == *bytes {
                    return *id;
                }
            }
        }
        let mut all = self.bytes.write().unwrap_or_else(PoisonError::into_inner);
        let id = all.len() as u32;
        all.push(bytes.into());
        // ORDERING: a statistic.
        self.size.fetch_add(bytes.len() + 64, Ordering::Relaxed);
        ids.push(id);
        id
    }

    fn bytes(&self, id: u32) -> Option<Arc<[u8]>> {
        self.bytes.read().unwrap_or_else(PoisonError::into_inner).get(id as usize).cloned()
    }

    /// Roughly how many bytes are held, the workers' copies not counted.
    pub fn size(&self) -> usize {
        // ORDERING: a statistic.
        self.size.load(Ordering::Relaxed)
    }
}

/// The values that one worker knows by number.
pub(crate) struct LocalValues {
    shared: Arc<Interner>,
    values: Vec<Option<Value>>,
    hashes: Vec<u64>,
    /// Of sets, where that is wanted: the sum of the elements' hashes, and how many there are.
    sums: Vec<(u64, u32)>,
    with_sums: bool,
    ids: FxHashMap<u64, SmallVec<[u32; 1]>>,
    scratch: Vec<u8>,
}

impl LocalValues {
    pub(crate) fn new(shared: Arc<Interner>, with_sums: bool) -> Self {
        Self {
            shared,
            values: Vec::new(),
            hashes: Vec::new(),
            sums: Vec::new(),
            with_sums,
            ids: FxHashMap::default(),
            scratch: Vec::new(),
        }
    }

    pub(crate) fn shared(&self) -> &Interner {
        &self.shared
    }

    /// The number of a value.
    pub(crate) fn intern(&mut self, ctx: &mut Ctx, value: &Value) -> EvalResult<u32> {
        let hash = hash64(ctx, value)?;
        if let Some(ids) = self.ids.get(&hash) {
            for id in ids {
                if let Some(Some(known)) = self.values.get(*id as usize)
                    && equal(ctx, known, value)?
                {
                    return Ok(*id);
                }
            }
        }
        self.scratch.clear();
        encode(ctx, value, &mut self.scratch)?;
        let id = self.shared.number(hash, &self.scratch);
        let value = force(ctx, value)?;
        self.keep(ctx, id, hash, value)?;
        Ok(id)
    }

    fn keep(&mut self, ctx: &mut Ctx, id: u32, hash: u64, value: Value) -> EvalResult<()> {
        let at = id as usize;
        if self.values.len() <= at {
            self.values.resize(at + 1, None);
            self.hashes.resize(at + 1, 0);
        }
        if self.with_sums
            && let Value::Set(node) = &value
        {
            let (mut sum, items) = (0_u64, node.elements()?);
            for item in items {
                sum = sum.wrapping_add(hash64(ctx, item)?);
            }
            self.sums.resize(self.values.len(), (0, 0));
            self.sums[at] = (sum, items.len() as u32);
        }
        self.values[at] = Some(value);
        self.hashes[at] = hash;
        self.ids.entry(hash).or_default().push(id);
        Ok(())
    }

    /// Makes sure that a number from elsewhere is known here.
    #[inline]
    pub(crate) fn know(&mut self, ctx: &mut Ctx, id: u32) -> EvalResult<()> {
        if matches!(self.values.get(id as usize), Some(Some(_))) {
            return Ok(());
        }
        self.learn(ctx, id)
    }

    #[cold]
    fn learn(&mut self, ctx: &mut Ctx, id: u32) -> EvalResult<()> {
        let Some(bytes) = self.shared.bytes(id) else { return Ok(()) };
        let value = decode(&mut &bytes[..], ctx)?;
        let hash = hash64(ctx, &value)?;
        self.keep(ctx, id, hash, value)
    }

    /// The hash of a known value.
    #[inline]
    pub(crate) fn hash(&self, id: u32) -> u64 {
        self.hashes[id as usize]
    }

    /// The sum of the hashes of a known set's elements, and how many there are.
    #[inline]
    pub(crate) fn sum(&self, id: u32) -> (u64, u32) {
        self.sums.get(id as usize).copied().unwrap_or_default()
    }

    /// A known value.
    #[inline]
    pub(crate) fn value(&self, id: u32) -> Value {
        self.values.get(id as usize).and_then(Clone::clone).unwrap_or(Value::FALSE)
    }
}
