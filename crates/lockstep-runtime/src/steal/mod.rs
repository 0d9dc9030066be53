//! Ranges of work that idle workers take from busy ones.
//!
//! The indices below *n* are dealt out evenly. A worker takes from the front of its own range; when that is empty it takes
//! half of what the richest peer has not started, from the back, and asks again while any peer has two or more. A last
//! single index is left to the peer, which will start it next.
//!
//! Invariant: each index is taken once. A range is one word, begin and end together, so a compare-and-swap that finds it
//! unchanged takes from exactly the range it has read; and only its owner ever fills a range, when it is empty.
//!
//! The protocol is described in `README.md` beside this file.

use std::ops::Range;

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU64, Ordering};

/// The ranges of all workers.
#[derive(Debug)]
pub struct Ranges {
    /// Begin in the upper half, end in the lower.
    of: Box<[CachePadded<AtomicU64>]>,
}

fn pack(range: &Range<u32>) -> u64 {
    u64::from(range.start) << 32 | u64::from(range.end)
}

fn unpack(word: u64) -> Range<u32> {
    (word >> 32) as u32..word as u32
}

impl Ranges {
    /// Empty ranges for `workers` workers.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        Ranges { of: (0..workers).map(|_| CachePadded::new(AtomicU64::new(0))).collect() }
    }

    /// Deals the indices below `n` out evenly. For the leader of a fence: nobody takes meanwhile.
    pub fn deal(&self, n: u32) {
        let workers = self.of.len() as u64;
        let cut = |i: u64| (u64::from(n) * i / workers) as u32;
        for (i, range) in (0..).zip(&*self.of) {
            // ORDERING: relaxed; the fence hands it on.
            range.store(pack(&(cut(i)..cut(i + 1))), Ordering::Relaxed);
        }
    }

    /// The next indices for `worker`, at most `most` of them; from its own range or from another's. `None` when nobody has
    /// any to spare.
    pub fn take(&self, worker: usize, most: u32) -> Option<Range<u32>> {
        loop {
            if let Some(range) = self.take_own(worker, most) {
                return Some(range);
            }
            let stolen = self.steal(worker)?;
            // ORDERING: relaxed; a range carries no data but itself. Thieves leave an empty range alone, so nobody but us
            // writes ours now.
            self.of[worker].store(pack(&stolen), Ordering::Relaxed);
        }
    }

    /// Drops what nobody has started. What is dropped is not worked on.
    pub fn clear(&self) {
        for range in &*self.of {
            range.store(0, Ordering::Relaxed);
        }
    }

    fn take_own(&self, worker: usize, most: u32) -> Option<Range<u32>> {
        let own = &self.of[worker];
        let mut word = own.load(Ordering::Relaxed);
        loop {
            let range = unpack(word);
            if range.is_empty() {
                return None;
            }
            let middle = range.end.min(range.start.saturating_add(most.max(1)));
            let rest = pack(&(middle..range.end));
            match own.compare_exchange_weak(word, rest, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(range.start..middle),
                Err(now) => word = now,
            }
        }
    }

    /// Half of what the richest peer has not started.
    fn steal(&self, worker: usize) -> Option<Range<u32>> {
        loop {
            let (mut richest, mut wealth) = (None, 1);
            for (peer, range) in self.of.iter().enumerate() {
                let word = range.load(Ordering::Relaxed);
                let len = unpack(word).len();
                if peer != worker && len > wealth {
                    (richest, wealth) = (Some((peer, word)), len);
                }
            }
            let (peer, word) = richest?;
            let range = unpack(word);
            let middle = range.end - (wealth / 2) as u32;
            let rest = pack(&(range.start..middle));
            if self.of[peer]
                .compare_exchange(word, rest, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
            {
                return Some(middle..range.end);
            }
            // Somebody was faster, so somebody got on: look again.
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
