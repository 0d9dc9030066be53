//! The fence between two levels or two waves.
//!
//! Not a general barrier: worker 0 leads. Everybody arrives, the leader takes a step alone, then all go on; so the
//! leader may be the thread that called, with whatever it holds that no other thread may touch.
//!
//! Invariant: what any worker wrote before it arrived is visible to the leader's step, and what the step wrote is
//! visible to every worker after the fence. A worker that cannot arrive any more (it panicked) breaks the fence: all
//! waiters return [`Broken`], now and ever after, and nobody is left waiting.
//!
//! The protocol is described in `README.md` beside this file.

use crossbeam_utils::CachePadded;

use crate::signal::{Signal, SpinBudget};
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering, parallelism};

/// Somebody has broken the fence: there is no waiting at it any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a worker left the fence for good")
    }
}

impl std::error::Error for Broken {}

/// A meeting point for a fixed number of workers, of which number 0 leads.
#[derive(Debug)]
pub struct Fence {
    workers: usize,
    arrived: CachePadded<AtomicUsize>,
    broken: AtomicBool,
    /// Counts the meetings at which all have arrived.
    gathered: CachePadded<Signal>,
    /// Counts the meetings which the leader has ended.
    released: CachePadded<Signal>,
    /// The same count, which breaking leaves alone: tells a meeting that ended from one that was broken off.
    ended: AtomicU64,
    crowded: bool,
}

impl Fence {
    /// A fence for `workers` workers; at least one.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        assert!(workers > 0, "a fence needs somebody to lead");
        Fence {
            workers,
            arrived: CachePadded::new(AtomicUsize::new(0)),
            broken: AtomicBool::new(false),
            gathered: CachePadded::new(Signal::new()),
            released: CachePadded::new(Signal::new()),
            ended: AtomicU64::new(0),
            crowded: workers > parallelism(),
        }
    }

    /// How many workers meet here.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Arrives and waits for the others. Worker 0 runs `step` when all are there, before anybody goes on; the other
    /// workers drop theirs unused.
    ///
    /// # Errors
    /// [`Broken`] when the fence was broken before the step began or, for the others, before the step ended.
    ///
    /// # Panics
    /// When `step` panics, the fence is broken and the panic goes on in worker 0.
    pub fn wait<R>(&self, worker: usize, step: impl FnOnce() -> R) -> Result<Option<R>, Broken> {
        let mut budget = SpinBudget::new(self.crowded);
        // The number of this meeting: nobody can end it before this worker has arrived.
        let meeting = self.released.get();
        if self.is_broken() {
            return Err(Broken);
        }
        // ORDERING: release what this worker wrote; the last arrival's acquire collects all of it.
        let before = self.arrived.fetch_add(1, Ordering::AcqRel);
        if before + 1 == self.workers {
            self.gathered.set(meeting + 1);
        }
        if worker != 0 {
            self.released.wait(meeting, &mut budget);
            // ORDERING: relaxed; the acquire in `wait` is of the release or of a break that came after it.
            return if self.ended.load(Ordering::Relaxed) > meeting {
                Ok(None)
            } else {
                Err(Broken)
            };
        }
        if self.gathered.get() == meeting {
            self.gathered.wait(meeting, &mut budget);
        }
        if self.is_broken() {
            return Err(Broken);
        }
        let guard = BreakOnPanic(self);
        let result = step();
        std::mem::forget(guard);
        // ORDERING: relaxed, because the release of the meeting publishes it.
        self.arrived.store(0, Ordering::Relaxed);
        self.ended.store(meeting + 1, Ordering::Relaxed);
        self.released.set(meeting + 1);
        Ok(Some(result))
    }

    /// Breaks the fence for good and sends everybody who waits on their way.
    pub fn break_open(&self) {
        // ORDERING: the two signals publish it to those who wait; a worker that arrives later reads it by itself.
        if !self.broken.swap(true, Ordering::AcqRel) {
            self.gathered.set(u64::MAX >> 1);
            self.released.set(u64::MAX >> 1);
        }
    }

    /// Has somebody broken the fence?
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }
}

struct BreakOnPanic<'a>(&'a Fence);

impl Drop for BreakOnPanic<'_> {
    fn drop(&mut self) {
        self.0.break_open();
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
