//! Growth: an order-preserving sweep from a full table into a larger one, by all workers.
//!
//! The old places are cut into segments at boundaries of clusters. Homes are ordered as keys are in both tables, so the keys
//! of a segment have their new homes in a stretch of the new table that is no other segment's, and are put there by plain
//! stores. What would run over the end of its stretch is left over and inserted by the leader when all have finished.
//!
//! Invariant: every key of the old table, with its tag and link, is in the new one once. Nobody inserts meanwhile (all
//! workers are at the rendezvous). Source: T. Maier, P. Sanders, R. Dementiev, "Concurrent hash tables: fast and
//! general(?)!", 2016, for the idea that linear probing migrates by contiguous blocks.

use super::geometry::{STEP, Short, TAG_MASK};
use super::storage::Storage;
use crate::memory::OutOfMemory;
use crate::pool::Tickets;
use crate::sync::{AtomicUsize, Mutex, Ordering, lock};

/// Places in a segment at most: a whole number of huge pages for every kind of links.
const SEGMENT: usize = if cfg!(loom) { 4 } else { 1 << 19 };

const OPEN: usize = 0;
const SWEPT: usize = 1;
const RELEASED: usize = 2;

/// A key on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leftover {
    pub(crate) key: Short,
    pub(crate) tag: u64,
    pub(crate) link: u64,
}

/// A growth under way.
#[derive(Debug)]
pub(crate) struct Growth {
    pub(crate) to: Storage,
    tickets: Tickets,
    segment: usize,
    /// How far each segment is, so that the last of three neighbours gives the middle one's memory back.
    stages: Vec<AtomicUsize>,
    pub(crate) leftovers: Mutex<Vec<Leftover>>,
}

impl Growth {
    pub(crate) fn new(from: &Storage) -> Result<Self, OutOfMemory> {
        let places = from.geometry().places();
        // Small tables are cut, too, but not into crumbs.
        let segment = if cfg!(loom) { SEGMENT } else { (places / 16).clamp(1 << 12, SEGMENT) };
        Ok(Growth {
            to: from.grown()?,
            tickets: Tickets::new(places, segment),
            segment,
            stages: (0..places.div_ceil(segment)).map(|_| AtomicUsize::new(OPEN)).collect(),
            leftovers: Mutex::new(Vec::new()),
        })
    }

    /// Sweeps segments until none is left.
    pub(crate) fn sweep(&self, from: &Storage) {
        while let Some(range) = self.tickets.take() {
            let index = range.start / self.segment;
            self.sweep_segment(from, range.start, range.end);
            self.swept(from, index);
        }
    }

    fn sweep_segment(&self, from: &Storage, start: usize, end: usize) {
        let (start, end) = (boundary(from, start), boundary(from, end));
        if start >= end {
            return;
        }
        let (old, new) = (from.geometry(), self.to.geometry());
        let limit =
            if end >= old.places() { new.places() } else { new.locate(old.first_key_at(end)).0 };
        let most = new.most_displaced();
        let mut leftovers = Vec::new();
        for place in start..end {
            // ORDERING: relaxed throughout; the fences before and after the sweep order it against everything else, and
            // within it no other worker touches this segment's stretch of the new table.
            let word = from.word(place).load(Ordering::Relaxed);
            if word == 0 {
                continue;
            }
            let key = old.key(place, word);
            let (tag, link) = (word & TAG_MASK, from.link(place));
            let (home, mut word) = new.locate(key);
            let mut at = home;
            let last = limit.min(home + most as usize + 1);
            loop {
                if at >= last {
                    leftovers.push(Leftover { key, tag, link });
                    break;
                }
                let slot = self.to.word(at);
                if slot.load(Ordering::Relaxed) == 0 {
                    slot.store(word | tag, Ordering::Relaxed);
                    self.to.raise_link(at, link);
                    break;
                }
                at += 1;
                word += STEP;
            }
        }
        if !leftovers.is_empty() {
            lock(&self.leftovers).append(&mut leftovers);
        }
    }

    /// A segment is read by its own sweep and, at its ends, by its neighbours'. When all three are through, its memory goes
    /// back to the system: so old and new table together hardly take more than the new one alone.
    fn swept(&self, from: &Storage, index: usize) {
        // ORDERING: release our reads of the old table; whoever releases memory acquires them from all three.
        self.stages[index].store(SWEPT, Ordering::Release);
        let through = |index: usize| self.stages[index].load(Ordering::Acquire) != OPEN;
        let count = self.stages.len();
        for middle in index.saturating_sub(1)..=(index + 1).min(count - 1) {
            let (left, right) = (middle.saturating_sub(1), (middle + 1).min(count - 1));
            if through(left)
                && through(middle)
                && through(right)
                && self.stages[middle]
                    .compare_exchange(SWEPT, RELEASED, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
            {
                // SAFETY: the sweeps that read these places have ended (acquired above), and after the growth the old table
                // is dropped unread.
                unsafe { from.release(middle * self.segment, (middle + 1) * self.segment) };
            }
        }
    }
}

/// The first place at or after `place` that no cluster from before it covers.
fn boundary(from: &Storage, place: usize) -> usize {
    let places = from.geometry().places();
    let full = |place: usize| from.word(place).load(Ordering::Relaxed) != 0;
    if place == 0 || place >= places || !full(place - 1) {
        return place.min(places);
    }
    (place..places).find(|place| !full(*place)).unwrap_or(places)
}
