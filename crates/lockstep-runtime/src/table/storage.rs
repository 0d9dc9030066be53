//! The slots of a table, and the links beside them.
//!
//! Sixteen slots stand together with their links: two cache lines of words, then one or two of links, so that the link of
//! a slot is on the page of the slot. Under loom the same calls go to watched atomics.
//!
//! Invariant: a word is 0 or final but for its tag; it goes from 0 to a key once, by compare-and-swap, and never back.

use super::geometry::{Geometry, STEP, Short, TAG_MASK};
use crate::memory::{OutOfMemory, Pages};
use crate::sync::{AtomicU64, Ordering};

/// What a table keeps beside each key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Nothing.
    None,
    /// A number of 32 bits.
    Narrow,
    /// A number of 64 bits.
    Wide,
}

/// What became of a key that was to be inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    New,
    Known,
    /// The key would be farther from home than a slot can tell.
    Crowded,
}

/// Inserts one key. Any number of threads may do so at the same time.
///
/// If the key is new it gets `tag`. If it is new, or known with the same tag (other than 0), its link becomes `link`
/// unless it is greater already.
pub(crate) fn insert(storage: &Storage, short: Short, tag: u64, link: u64) -> Found {
    let geometry = storage.geometry();
    let (mut place, mut wanted) = geometry.locate(short);
    let last = place + geometry.most_displaced() as usize;
    loop {
        let slot = storage.word(place);
        // ORDERING: relaxed. A word says all by itself, and links are merged by read-modify-writes; whatever else hangs on
        // "new" is handed on at a fence.
        let mut word = slot.load(Ordering::Relaxed);
        if word == 0 {
            match slot.compare_exchange(0, wanted | tag, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    storage.raise_link(place, link);
                    return Found::New;
                }
                Err(other) => word = other,
            }
        }
        if word & !TAG_MASK == wanted {
            if tag != 0 && word & TAG_MASK == tag {
                storage.raise_link(place, link);
            }
            return Found::Known;
        }
        if place == last {
            return Found::Crowded;
        }
        place += 1;
        wanted += STEP;
    }
}

/// The place of a key.
pub(crate) fn find(storage: &Storage, short: Short) -> Option<usize> {
    let geometry = storage.geometry();
    let (mut place, mut wanted) = geometry.locate(short);
    let last = place + geometry.most_displaced() as usize;
    loop {
        // ORDERING: as in `insert`.
        let word = storage.word(place).load(Ordering::Relaxed);
        if word & !TAG_MASK == wanted {
            return Some(place);
        }
        if word == 0 || place == last {
            return None;
        }
        place += 1;
        wanted += STEP;
    }
}

pub(crate) use imp::Storage;

#[cfg(not(loom))]
mod imp {
    use std::sync::atomic::AtomicU32;

    use super::{AtomicU64, Geometry, Links, Ordering, OutOfMemory, Pages};
    use crate::memory::Region;

    use crate::table::geometry::GROUP;

    #[derive(Debug)]
    pub(crate) struct Storage {
        geometry: Geometry,
        links: Links,
        pages: Pages,
        places: usize,
        /// Bytes of a group.
        stride: usize,
        region: Region,
    }

    impl Storage {
        pub(crate) fn new(
            geometry: Geometry,
            links: Links,
            pages: Pages,
        ) -> Result<Self, OutOfMemory> {
            let stride = GROUP
                * match links {
                    Links::None => 8,
                    Links::Narrow => 12,
                    Links::Wide => 16,
                };
            let places = geometry.places();
            let bytes = (places / GROUP).checked_mul(stride).ok_or(OutOfMemory)?;
            let region = Region::new(bytes, pages)?;
            Ok(Storage { geometry, links, pages, places, stride, region })
        }

        /// An empty storage of the next larger size.
        pub(crate) fn grown(&self) -> Result<Self, OutOfMemory> {
            Storage::new(self.geometry.grown(), self.links, self.pages)
        }

        pub(crate) fn geometry(&self) -> Geometry {
            self.geometry
        }

        pub(crate) fn bytes(&self) -> usize {
            self.places / GROUP * self.stride
        }

        pub(crate) fn bytes_when_grown(&self) -> usize {
            self.geometry.grown().places() / GROUP * self.stride
        }

        #[inline]
        fn group(&self, place: usize) -> *mut u8 {
            assert!(place < self.places, "a place beyond the table");
            // SAFETY: `place` is below `places`, so its group lies within the region.
            unsafe { self.region.start().add(place / GROUP * self.stride) }
        }

        #[inline]
        pub(crate) fn word(&self, place: usize) -> &AtomicU64 {
            // SAFETY: the group begins with 16 words, aligned because groups are multiples of 64 bytes; zeroed memory is a
            // valid atomic, and these bytes are never seen as anything else.
            unsafe { &*self.group(place).cast::<AtomicU64>().add(place % GROUP) }
        }

        /// Makes the link at least `link`. Does nothing in a table without links.
        #[inline]
        pub(crate) fn raise_link(&self, place: usize, link: u64) {
            // ORDERING: relaxed; the greatest wins whatever the order, and it is read behind a fence.
            match self.links {
                Links::None => {}
                Links::Narrow => {
                    let cell = self.narrow(place);
                    // Mostly it is great enough already, and a read does not take the line from others.
                    if cell.load(Ordering::Relaxed) < link as u32 {
                        cell.fetch_max(link as u32, Ordering::Relaxed);
                    }
                }
                Links::Wide => {
                    let cell = self.wide(place);
                    if cell.load(Ordering::Relaxed) < link {
                        cell.fetch_max(link, Ordering::Relaxed);
                    }
                }
            }
        }

        pub(crate) fn link(&self, place: usize) -> u64 {
            // ORDERING: as in `raise_link`.
            match self.links {
                Links::None => 0,
                Links::Narrow => u64::from(self.narrow(place).load(Ordering::Relaxed)),
                Links::Wide => self.wide(place).load(Ordering::Relaxed),
            }
        }

        #[inline]
        fn narrow(&self, place: usize) -> &AtomicU32 {
            // SAFETY: behind the 16 words of the group stand 16 links of 4 bytes; the rest as in `word`.
            unsafe { &*self.group(place).add(GROUP * 8).cast::<AtomicU32>().add(place % GROUP) }
        }

        #[inline]
        fn wide(&self, place: usize) -> &AtomicU64 {
            // SAFETY: behind the 16 words of the group stand 16 links of 8 bytes; the rest as in `word`.
            unsafe { &*self.group(place).add(GROUP * 8).cast::<AtomicU64>().add(place % GROUP) }
        }

        /// Asks for the cache lines of a place, without waiting for them.
        #[inline]
        pub(crate) fn prefetch(&self, place: usize) {
            let group = self.group(place);
            let links = if self.links == Links::Narrow { 4 } else { 8 };
            // SAFETY: both addresses lie within the group; with no links the second is the end of it, and a prefetch does not
            // fault anyway.
            unsafe {
                prefetch(group.add(place % GROUP * 8));
                if self.links != Links::None {
                    prefetch(group.add(GROUP * 8 + place % GROUP * links));
                }
            }
        }

        /// Gives the memory of a range of places back to the system, as far as it makes whole pages.
        ///
        /// # Safety
        /// Nobody looks at these places any more.
        pub(crate) unsafe fn release(&self, from: usize, to: usize) {
            // SAFETY: by contract; groups that are only partly in the range are left alone.
            unsafe {
                self.region.release(from.div_ceil(GROUP) * self.stride, to / GROUP * self.stride);
            }
        }
    }

    /// # Safety
    /// None needed: a prefetch has no effect but on time.
    #[inline]
    unsafe fn prefetch(address: *const u8) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: SSE is part of x86-64, and a prefetch never faults.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(address.cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = address;
    }
}

#[cfg(loom)]
mod imp {
    use super::{AtomicU64, Geometry, Links, Ordering, OutOfMemory, Pages};

    #[derive(Debug)]
    pub(crate) struct Storage {
        geometry: Geometry,
        links: Links,
        slots: Vec<(AtomicU64, AtomicU64)>,
    }

    impl Storage {
        pub(crate) fn new(
            geometry: Geometry,
            links: Links,
            _pages: Pages,
        ) -> Result<Self, OutOfMemory> {
            let fresh = |_| (AtomicU64::new(0), AtomicU64::new(0));
            Ok(Storage { geometry, links, slots: (0..geometry.places()).map(fresh).collect() })
        }

        pub(crate) fn grown(&self) -> Result<Self, OutOfMemory> {
            Storage::new(self.geometry.grown(), self.links, Pages::Small)
        }

        pub(crate) fn geometry(&self) -> Geometry {
            self.geometry
        }

        pub(crate) fn bytes(&self) -> usize {
            self.slots.len() * 16
        }

        pub(crate) fn bytes_when_grown(&self) -> usize {
            self.geometry.grown().places() * 16
        }

        pub(crate) fn word(&self, place: usize) -> &AtomicU64 {
            &self.slots[place].0
        }

        pub(crate) fn raise_link(&self, place: usize, link: u64) {
            if self.links != Links::None {
                self.slots[place].1.fetch_max(link, Ordering::Relaxed);
            }
        }

        pub(crate) fn link(&self, place: usize) -> u64 {
            self.slots[place].1.load(Ordering::Relaxed)
        }

        pub(crate) fn prefetch(&self, _place: usize) {}

        pub(crate) unsafe fn release(&self, _from: usize, _to: usize) {}
    }
}
