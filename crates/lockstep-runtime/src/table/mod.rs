//! The set of fingerprints that all workers share: lock-free to insert into, growable at a safepoint.
//!
//! A table is split into one [`TableWorker`] for each worker. Between rendezvous they insert freely, in batches. When the
//! table would become too full, a worker asks for growth *before* the insert that would overfill it; all workers come to
//! the rendezvous (those that have finished their level are there already), move the keys together, and each goes on at
//! exactly the key at which it stopped. At the end of a level they meet, and worker 0 has the table to itself for a step:
//! [`TableWorker::meet`].
//!
//! Invariant: the storage is replaced only in a step that runs while every worker is at the rendezvous; no worker holds a
//! reference into it there. For each key exactly one insert, ever, is told that it was new.
//!
//! With links, each key carries a number; among all inserts of a key that is new or open under the same tag, the greatest
//! wins, whatever the order: that is how a state's parent comes to depend on the graph alone.
//!
//! The protocol is described in `README.md` beside this file.

mod geometry;
mod growth;
mod storage;

use crossbeam_utils::CachePadded;

use self::geometry::{Geometry, TAG_MASK};
use self::growth::Growth;
pub use self::storage::Links;
use self::storage::{Found, Storage, find, insert};
use crate::fence::{Broken, Fence};
use crate::fingerprint::Fingerprint;
use crate::memory::{OutOfMemory, Pages};
use crate::sync::{AtomicBool, AtomicUsize, Cell, Ordering, lock};

/// The most keys in a batch: the answer is one bit each.
pub const BATCH: usize = 64;

/// Slots of a table that nobody has made larger: 73 bits of each fingerprint count.
const DEFAULT_SLOTS: usize = 1 << 20;

/// Why a worker cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableError {
    /// The table is full and the system gives no memory for a larger one. The keys inserted so far are there.
    OutOfMemory,
    /// Another worker has left for good.
    Broken,
}

impl From<Broken> for TableError {
    fn from(Broken: Broken) -> Self {
        TableError::Broken
    }
}

impl From<OutOfMemory> for TableError {
    fn from(OutOfMemory: OutOfMemory) -> Self {
        TableError::OutOfMemory
    }
}

impl std::fmt::Display for TableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TableError::OutOfMemory => OutOfMemory.fmt(f),
            TableError::Broken => Broken.fmt(f),
        }
    }
}

impl std::error::Error for TableError {}

/// A key to be inserted.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The fingerprint, of which the upper [`FingerprintTable::width`] bits count.
    pub fingerprint: Fingerprint,
    /// The number to be kept with it; only as wide as [`Links`] says.
    pub link: u64,
}

/// What everybody does when the rendezvous is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Go,
    Grow,
    Failed,
}

/// A set of fingerprints. See the [module](self).
pub struct FingerprintTable {
    storage: Cell<Storage>,
    growth: Cell<Option<Growth>>,
    phase: Cell<Phase>,
    width: u32,
    /// The table does not grow beyond so many bytes.
    most_bytes: usize,
    fence: Fence,
    /// Inserts that nobody has been allowed yet before the table must grow.
    remaining: CachePadded<AtomicUsize>,
    /// Inserts that a worker is allowed at a time.
    allowance: usize,
    /// Keys, as of the last rendezvous.
    len: AtomicUsize,
    /// Somebody needs the table to grow.
    wanted: CachePadded<AtomicBool>,
}

// SAFETY: the three cells are written only by the leader's step of a rendezvous, while every worker waits in it, or
// through `&mut self`; workers read them only between rendezvous, which the fence orders.
unsafe impl Sync for FingerprintTable {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for FingerprintTable {}

impl std::fmt::Debug for FingerprintTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FingerprintTable").field("width", &self.width).finish_non_exhaustive()
    }
}

impl FingerprintTable {
    /// An empty table with room for at least `slots` keys and somewhat fewer before it grows; 0 for the usual size.
    ///
    /// The more slots at the start, the more bits of each fingerprint count: 53 and the binary logarithm of the slots.
    ///
    /// # Errors
    /// The system gave no memory.
    pub fn new(slots: usize, links: Links) -> Result<Self, OutOfMemory> {
        FingerprintTable::in_pages(slots, links, Pages::default())
    }

    /// As [`FingerprintTable::new`], in pages of one's choice.
    ///
    /// # Errors
    /// The system gave no memory.
    pub fn in_pages(slots: usize, links: Links, pages: Pages) -> Result<Self, OutOfMemory> {
        let geometry = Geometry::new(if slots == 0 { DEFAULT_SLOTS } else { slots });
        Ok(FingerprintTable {
            storage: Cell::new(Storage::new(geometry, links, pages)?),
            growth: Cell::new(None),
            phase: Cell::new(Phase::Go),
            width: geometry.width(),
            most_bytes: usize::MAX,
            fence: Fence::new(1),
            remaining: CachePadded::new(AtomicUsize::new(geometry.capacity())),
            allowance: 1,
            len: AtomicUsize::new(0),
            wanted: CachePadded::new(AtomicBool::new(false)),
        })
    }

    /// How many of the upper bits of a fingerprint count.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Bounds the table: it reports [`OutOfMemory`] rather than take more than `bytes`.
    pub fn limit_bytes(&mut self, bytes: usize) {
        self.most_bytes = bytes;
    }

    /// One handle for each of `workers` workers, who must all meet from then on; a handle that is dropped breaks the
    /// rendezvous for the others.
    pub fn split(&mut self, workers: usize) -> Vec<TableWorker<'_>> {
        self.fence = Fence::new(workers);
        let capacity = self.leader().capacity();
        self.allowance = (capacity / (16 * workers)).clamp(1, 1024);
        let table = &*self;
        (0..workers).map(|worker| TableWorker { table, worker, allowed: 0, inserted: 0 }).collect()
    }

    /// The table for the one who has it alone.
    pub fn leader(&mut self) -> TableLeader<'_> {
        TableLeader { table: self }
    }

    /// Decides, in the leader's step, what this rendezvous is for.
    fn lead<R>(&self, step: &mut Option<impl FnOnce(&mut TableLeader<'_>) -> R>) -> Option<R> {
        let mut result = None;
        // ORDERING: relaxed; the fence orders the arrivals before this step and this step before the departures.
        let phase = if self.wanted.swap(false, Ordering::Relaxed) {
            // SAFETY: every worker is at the rendezvous.
            match unsafe { self.start_growth() } {
                Ok(()) => Phase::Grow,
                Err(OutOfMemory) => Phase::Failed,
            }
        } else {
            // Whoever has not finished its level came because growth was wanted. So all have, the leader included.
            let mut leader = TableLeader { table: self };
            result = step.take().map(|step| step(&mut leader));
            Phase::Go
        };
        // SAFETY: every worker is at the rendezvous.
        self.phase.with_mut(|it| unsafe { *it = phase });
        self.allow();
        result
    }

    /// Deals out what room there is, anew.
    fn allow(&self) {
        // SAFETY: called while every worker is at the rendezvous; the storage is only read.
        let capacity = self.storage.with(|it| unsafe { (*it).geometry().capacity() });
        let len = self.len.load(Ordering::Relaxed);
        self.remaining.store(capacity.saturating_sub(len), Ordering::Relaxed);
    }

    /// # Safety
    /// Every worker is at the rendezvous, and the caller is in the leader's step.
    unsafe fn start_growth(&self) -> Result<(), OutOfMemory> {
        // SAFETY: by contract nobody else is looking.
        if self.storage.with(|it| unsafe { (*it).bytes_when_grown() }) > self.most_bytes {
            return Err(OutOfMemory);
        }
        // SAFETY: by contract nobody else is looking.
        let growth = self.storage.with(|it| unsafe { Growth::new(&*it) })?;
        // SAFETY: by contract nobody else is looking.
        self.growth.with_mut(|it| unsafe { *it = Some(growth) });
        Ok(())
    }

    /// # Safety
    /// A growth is under way: no worker inserts, and the storage is not replaced before all have left this function.
    unsafe fn sweep(&self) {
        self.storage.with(|from| {
            self.growth.with(|growth| {
                // SAFETY: by contract both are only read now, by everybody.
                let (from, growth) = unsafe { (&*from, &*growth) };
                if let Some(growth) = growth {
                    growth.sweep(from);
                }
            });
        });
    }

    /// Puts the new storage in the place of the old one.
    ///
    /// # Safety
    /// Every worker is at the rendezvous, and the caller is in the leader's step.
    unsafe fn finish_growth(&self) -> Result<(), OutOfMemory> {
        let mut pending = Vec::new();
        loop {
            // SAFETY: by contract nobody else is looking.
            let Some(growth) = self.growth.with_mut(|it| unsafe { (*it).take() }) else {
                return Ok(());
            };
            pending.append(&mut lock(&growth.leftovers));
            // SAFETY: by contract nobody else is looking.
            self.storage.with_mut(|it| unsafe { *it = growth.to });
            // SAFETY: as above.
            let crowded = self.storage.with(|it| unsafe {
                pending.retain(|it2| insert(&*it, it2.key, it2.tag, it2.link) == Found::Crowded);
                !pending.is_empty()
            });
            if crowded {
                self.check_mixing();
                // SAFETY: by contract; the sweep is ours alone.
                unsafe {
                    self.start_growth()?;
                    self.sweep();
                }
            }
        }
    }

    /// A table that is nearly empty and crowded all the same was given fingerprints that are not mixed.
    fn check_mixing(&self) {
        // SAFETY: called at the rendezvous or with the table to itself; the storage is only read.
        let slots = self.storage.with(|it| unsafe { (*it).geometry().slots() });
        let len = self.len.load(Ordering::Relaxed);
        assert!(
            slots < 1 << 16 || len > slots / 64,
            "the upper bits of the fingerprints are not mixed: {len} keys crowd a table of {slots} slots"
        );
    }
}

/// One worker's hold on the table.
pub struct TableWorker<'t> {
    table: &'t FingerprintTable,
    worker: usize,
    /// Inserts of new keys that this worker may still make.
    allowed: usize,
    /// New keys since the last rendezvous.
    inserted: usize,
}

impl std::fmt::Debug for TableWorker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableWorker").field("worker", &self.worker).finish_non_exhaustive()
    }
}

impl TableWorker<'_> {
    /// This worker's number.
    #[must_use]
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// How many of the upper bits of a fingerprint count.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.table.width
    }

    /// Asks for the memory where the fingerprint belongs, without waiting for it. Worth it some thirty keys ahead.
    #[inline]
    pub fn prefetch(&self, fingerprint: Fingerprint) {
        // SAFETY: this worker is not at a rendezvous, so the storage stays; it is only read.
        self.table.storage.with(|it| unsafe {
            let geometry = (*it).geometry();
            (*it).prefetch(geometry.locate(geometry.short(fingerprint)).0);
        });
    }

    /// Inserts up to [`BATCH`] keys under `tag`, which is at most 3. Bit *i* of the answer says that key *i* is new: that
    /// this very insert put it in.
    ///
    /// The table may grow in the midst of it; then this waits for all workers and takes part.
    ///
    /// # Errors
    /// [`TableError`]; what was inserted before stays in.
    pub fn insert(&mut self, keys: &[Key], tag: u8) -> Result<u64, TableError> {
        assert!(keys.len() <= BATCH && u64::from(tag) <= TAG_MASK, "a batch beyond the bounds");
        let table = self.table;
        let mut new = 0;
        let mut next = 0;
        while next < keys.len() {
            if self.allowed == 0 {
                self.obtain()?;
                continue;
            }
            // ORDERING: relaxed; the wish carries no data, and whoever misses it sees it at the next batch.
            if table.wanted.load(Ordering::Relaxed) {
                self.rendezvous(None::<fn(&mut TableLeader<'_>)>)?;
                continue;
            }
            // SAFETY: this worker is not at a rendezvous, so the storage stays.
            let crowded = table.storage.with(|storage| unsafe {
                let geometry = (*storage).geometry();
                while next < keys.len() && self.allowed > 0 {
                    let Key { fingerprint, link } = keys[next];
                    match insert(&*storage, geometry.short(fingerprint), u64::from(tag), link) {
                        Found::New => {
                            new |= 1 << next;
                            self.allowed -= 1;
                            self.inserted += 1;
                        }
                        Found::Known => {}
                        Found::Crowded => return true,
                    }
                    next += 1;
                }
                false
            });
            if crowded {
                table.wanted.store(true, Ordering::Relaxed);
            }
        }
        Ok(new)
    }

    /// Takes the tag off a key and gives its link. Only one worker may close a key, and only once all inserts under its
    /// tag are over.
    pub fn close(&mut self, fingerprint: Fingerprint) -> Option<u64> {
        // SAFETY: this worker is not at a rendezvous, so the storage stays.
        self.table.storage.with(|storage| unsafe {
            let storage = &*storage;
            let place = find(storage, storage.geometry().short(fingerprint))?;
            let word = storage.word(place);
            // ORDERING: relaxed; nobody else writes this word any more, and who reads it looks at the key alone or, for the
            // tag, behind the next fence.
            word.store(word.load(Ordering::Relaxed) & !TAG_MASK, Ordering::Relaxed);
            Some(storage.link(place))
        })
    }

    /// Meets the others at the end of a level: waits for all, lends a hand whenever the table must grow meanwhile, and has
    /// worker 0 run `step` with the table to itself. The other workers' steps are dropped unused.
    ///
    /// # Errors
    /// [`TableError::Broken`].
    pub fn meet<R>(
        &mut self,
        step: impl FnOnce(&mut TableLeader<'_>) -> R,
    ) -> Result<Option<R>, TableError> {
        self.rendezvous(Some(step))
    }

    /// Has the table grow now, not only when it is full. All workers come together for it, as for any growth: each calls
    /// this, inserts or meets.
    ///
    /// # Errors
    /// [`TableError`]; without memory for a larger table it stays as it is.
    pub fn grow(&mut self) -> Result<(), TableError> {
        // ORDERING: relaxed; the fence hands it on to the leader.
        self.table.wanted.store(true, Ordering::Relaxed);
        self.rendezvous(None::<fn(&mut TableLeader<'_>)>).map(|_| ())
    }

    /// Leaves for good: the others' rendezvous are broken from now on.
    pub fn break_open(&self) {
        self.table.fence.break_open();
    }

    /// Gets leave for more inserts, or has the table grow.
    #[cold]
    fn obtain(&mut self) -> Result<(), TableError> {
        let table = self.table;
        let share = table.allowance;
        // ORDERING: relaxed; the counter is all there is to it.
        let mut remaining = table.remaining.load(Ordering::Relaxed);
        while remaining > 0 {
            let taken = share.min(remaining);
            match table.remaining.compare_exchange_weak(
                remaining,
                remaining - taken,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    self.allowed = taken;
                    return Ok(());
                }
                Err(now) => remaining = now,
            }
        }
        table.wanted.store(true, Ordering::Relaxed);
        self.rendezvous(None::<fn(&mut TableLeader<'_>)>).map(|_| ())
    }

    /// Comes to the rendezvous, with a step if this worker has finished its level.
    #[cold]
    fn rendezvous<R>(
        &mut self,
        mut step: Option<impl FnOnce(&mut TableLeader<'_>) -> R>,
    ) -> Result<Option<R>, TableError> {
        let table = self.table;
        let finished = step.is_some();
        loop {
            // ORDERING: relaxed; the fence hands it on to the leader.
            table.len.fetch_add(std::mem::take(&mut self.inserted), Ordering::Relaxed);
            self.allowed = 0;
            let result = table.fence.wait(self.worker, || table.lead(&mut step))?.flatten();
            // SAFETY: written by the leader before the fence opened, and not again before all have come back to it.
            match table.phase.with(|it| unsafe { *it }) {
                Phase::Go => return Ok(result),
                Phase::Grow => {
                    // SAFETY: all workers are in here until the next fence, whose step alone replaces the storage.
                    unsafe { table.sweep() };
                    table.fence.wait(self.worker, || {
                        // SAFETY: every worker is at this fence.
                        let grown = unsafe { table.finish_growth() };
                        table.allow();
                        if grown.is_err() {
                            // SAFETY: as above.
                            table.phase.with_mut(|it| unsafe { *it = Phase::Failed });
                        }
                    })?;
                }
                Phase::Failed => {}
            }
            if !finished {
                // SAFETY: as above.
                return match table.phase.with(|it| unsafe { *it }) {
                    Phase::Failed => Err(TableError::OutOfMemory),
                    Phase::Go | Phase::Grow => Ok(None),
                };
            }
        }
    }
}

impl Drop for TableWorker<'_> {
    fn drop(&mut self) {
        self.break_open();
    }
}

/// The table in the hands of one: in the leader's step of a meeting, or before and after all work.
pub struct TableLeader<'t> {
    table: &'t FingerprintTable,
}

impl std::fmt::Debug for TableLeader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableLeader").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl TableLeader<'_> {
    fn storage<R>(&self, f: impl FnOnce(&Storage) -> R) -> R {
        // SAFETY: a leader exists only while nobody else uses the table, and replaces the storage only through `&mut self`.
        self.table.storage.with(|it| f(unsafe { &*it }))
    }

    /// Keys in the table.
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len.load(Ordering::Relaxed)
    }

    /// Is there no key yet?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keys that fit before the table grows.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.storage(|it| it.geometry().capacity())
    }

    /// Bytes of memory the table takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.storage(Storage::bytes)
    }

    /// As [`TableWorker::prefetch`].
    #[inline]
    pub fn prefetch(&self, fingerprint: Fingerprint) {
        self.storage(|it| {
            it.prefetch(it.geometry().locate(it.geometry().short(fingerprint)).0);
        });
    }

    /// Inserts one key under `tag`; is it new? Grows the table when it must.
    ///
    /// # Errors
    /// The system gave no memory for a larger table; the key is not in.
    pub fn insert(&mut self, key: Key, tag: u8) -> Result<bool, OutOfMemory> {
        loop {
            // A full table still takes what it has, for the link.
            if self.len() < self.capacity() || self.find(key.fingerprint).is_some() {
                let found = self.storage(|it| {
                    insert(it, it.geometry().short(key.fingerprint), u64::from(tag), key.link)
                });
                match found {
                    Found::New => {
                        self.table.len.fetch_add(1, Ordering::Relaxed);
                        return Ok(true);
                    }
                    Found::Known => return Ok(false),
                    Found::Crowded => self.table.check_mixing(),
                }
            }
            // SAFETY: the table is ours alone.
            unsafe {
                self.table.start_growth()?;
                self.table.sweep();
                self.table.finish_growth()?;
            }
        }
    }

    /// The link of a key, if the key is in.
    #[must_use]
    pub fn find(&self, fingerprint: Fingerprint) -> Option<u64> {
        self.storage(|it| find(it, it.geometry().short(fingerprint)).map(|place| it.link(place)))
    }

    /// As [`TableWorker::close`].
    pub fn close(&mut self, fingerprint: Fingerprint) -> Option<u64> {
        self.storage(|it| {
            let place = find(it, it.geometry().short(fingerprint))?;
            let word = it.word(place);
            word.store(word.load(Ordering::Relaxed) & !TAG_MASK, Ordering::Relaxed);
            Some(it.link(place))
        })
    }

    /// Calls `f` with the key (its upper bits, the others 0) and the link of every key from `low` to `high`, both included,
    /// in no particular order.
    pub fn between(
        &self,
        low: Fingerprint,
        high: Fingerprint,
        mut f: impl FnMut(Fingerprint, u64),
    ) {
        self.storage(|it| {
            let geometry = it.geometry();
            let (low, high) = (geometry.short(low), geometry.short(high));
            let first = geometry.locate(low).0;
            let last = geometry.locate(high).0 + geometry.most_displaced() as usize;
            for place in first..=last {
                let word = it.word(place).load(Ordering::Relaxed);
                if word != 0 {
                    let key = geometry.key(place, word);
                    if low <= key && key <= high {
                        f(geometry.long(key), it.link(place));
                    }
                }
            }
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
