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
    ids: FxHashMap<u64, SmallVec<[u32; 1]>>,
    scratch: Vec<u8>,
}

impl LocalValues {
    pub(crate) fn new(shared: Arc<Interner>) -> Self {
        Self {
            shared,
            values: Vec::new(),
            hashes: Vec::new(),
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
        self.keep(id, hash, value);
        Ok(id)
    }

    fn keep(&mut self, id: u32, hash: u64, value: Value) {
        let at = id as usize;
        if self.values.len() <= at {
            self.values.resize(at + 1, None);
            self.hashes.resize(at + 1, 0);
        }
        self.values[at] = Some(value);
        self.hashes[at] = hash;
        self.ids.entry(hash).or_default().push(id);
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
        self.keep(id, hash, value);
        Ok(())
    }

    /// The hash of a known value.
    #[inline]
    pub(crate) fn hash(&self, id: u32) -> u64 {
        self.hashes[id as usize]
    }

    /// A known value.
    #[inline]
    pub(crate) fn value(&self, id: u32) -> Value {
        self.values.get(id as usize).and_then(Clone::clone).unwrap_or(Value::FALSE)
    }
}
