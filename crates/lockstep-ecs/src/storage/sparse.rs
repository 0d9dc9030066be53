//! Sparse sets: one dense array a component type, and an index by entity slot.
//!
//! Invariant: `index[slot] == k` iff `entities[k]` has that slot; `data[..len]` holds live values. The dense order is never shown:
//! queries go by archetype and row.

use super::{Stamp, copy_value};
use crate::entity::Entity;
use crate::value::ValueInfo;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What belongs to one value of a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SparseRow {
    pub(crate) entity: Entity,
    pub(crate) changed: u64,
    pub(crate) added: u64,
}

#[derive(Debug)]
pub struct SparseSet {
    layout: Layout,
    drop: Option<unsafe fn(*mut u8)>,
    data: NonNull<u8>,
    capacity: usize,
    pub(crate) rows: Vec<SparseRow>,
    index: Vec<u32>,
    pub(crate) tick: AtomicU64,
    pub(crate) version: AtomicU64,
}

// SAFETY: the set owns its values, which are `Send + Sync` (bound of `Component`).
unsafe impl Send for SparseSet {}
// SAFETY: as above.
unsafe impl Sync for SparseSet {}

const NONE: u32 = u32::MAX;

impl SparseSet {
    pub(crate) fn new(info: &ValueInfo) -> Self {
        SparseSet {
            layout: info.layout,
            drop: info.drop,
            data: NonNull::without_provenance(
                std::num::NonZero::new(info.layout.align()).expect("alignments are not 0"),
            ),
            capacity: if info.layout.size() == 0 { usize::MAX } else { 0 },
            rows: Vec::new(),
            index: Vec::new(),
            tick: AtomicU64::new(0),
            version: AtomicU64::new(0),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }
    #[inline(always)]
    pub(crate) fn find(&self, entity: Entity) -> Option<usize> {
        match self.index.get(entity.index() as usize) {
            Some(&k) if k != NONE => Some(k as usize),
            _ => None,
        }
    }
    /// Where the `k`th value lies.
    #[inline(always)]
    pub(crate) fn at(&self, k: usize) -> *mut u8 {
        debug_assert!(k <= self.rows.len());
        // SAFETY: `k` is within the capacity.
        unsafe { self.data.as_ptr().add(k * self.layout.size()) }
    }
    #[inline(always)]
    pub(crate) fn mark(&self, stamp: Stamp) {
        self.tick.store(stamp.tick, Relaxed);
        self.version.store(stamp.version, Relaxed);
    }
    /// Marks the `k`th value as written.
    ///
    /// # Safety
    /// `k < len`, and nobody else reads or writes that tick now.
    #[inline(always)]
    pub(crate) unsafe fn mark_value(&self, k: usize, stamp: Stamp) {
        self.mark(stamp);
        // SAFETY: `k < len`; the caller's contract makes the write exclusive.
        unsafe { self.changed_at(k).write(stamp.tick) };
    }
    /// Where the change tick of the `k`th value lies.
    ///
    /// # Safety
    /// `k < len`.
    #[inline(always)]
    pub(crate) unsafe fn changed_at(&self, k: usize) -> *mut u64 {
        // SAFETY: `k < len`; nothing is read.
        unsafe { &raw mut (*self.rows.as_ptr().cast_mut().add(k)).changed }
    }

    #[cold]
    fn grow(&mut self) {
        let capacity = (self.capacity * 2).max(16);
        let size = self.layout.size();
        let layout = Layout::from_size_align(size * capacity, self.layout.align())
            .expect("a set of this size cannot exist");
        // SAFETY: the size is not 0 (a set of empty values never grows).
        let Some(data) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        // SAFETY: the old buffer holds `len` values; buffers do not overlap.
        unsafe { self.data.copy_to_nonoverlapping(data, size * self.rows.len()) };
        self.free_buffer();
        self.data = data;
        self.capacity = capacity;
    }

    fn free_buffer(&mut self) {
        let size = self.layout.size();
        if size != 0 && self.capacity != 0 {
            let layout = Layout::from_size_align(size * self.capacity, self.layout.align())
                .expect("made with this layout");
            // SAFETY: allocated in `grow` with this layout.
            unsafe { dealloc(self.data.as_ptr(), layout) };
        }
    }

    /// Makes room for `entity`'s value and returns where it goes; the caller writes it at once. The entity must not be in the set.
    #[inline]
    pub(crate) fn push(&mut self, entity: Entity, stamp: Stamp) -> *mut u8 {
        let slot = entity.index() as usize;
        let k = self.rows.len();
        if k == self.capacity {
            self.grow();
        }
        if slot >= self.index.len() {
            self.index.resize((slot + 1).next_power_of_two(), NONE);
        }
        debug_assert_eq!(self.index[slot], NONE);
        self.index[slot] = k as u32;
        self.rows.push(SparseRow { entity, changed: stamp.tick, added: stamp.tick });
        self.mark(stamp);
        self.at(k)
    }

    /// Takes a value out, by dropping it or by moving it to `to`. Returns its add tick.
    ///
    /// # Safety
    /// `to`, when given, has room for a value.
    #[inline]
    pub(crate) unsafe fn remove(
        &mut self,
        entity: Entity,
        to: Option<*mut u8>,
        stamp: Stamp,
    ) -> Option<u64> {
        let k = self.find(entity)?;
        let last = self.rows.len() - 1;
        // SAFETY: `k` and `last` are within `len`; the value at `k` is moved or dropped exactly once.
        unsafe {
            match (to, self.drop) {
                (Some(to), _) => copy_value(self.at(k), to, self.layout.size()),
                (None, Some(drop)) => drop(self.at(k)),
                (None, None) => {}
            }
            if k != last {
                copy_value(self.at(last), self.at(k), self.layout.size());
            }
        }
        self.index[self.rows[last].entity.index() as usize] = k as u32;
        self.index[entity.index() as usize] = NONE;
        let row = self.rows.swap_remove(k);
        self.mark(stamp);
        Some(row.added)
    }

    /// Drops all values.
    pub(crate) fn clear(&mut self) {
        let n = self.rows.len();
        for row in self.rows.drain(..) {
            self.index[row.entity.index() as usize] = NONE;
        }
        if let Some(drop) = self.drop {
            for k in 0..n {
                // SAFETY: the first `n` values are live, and nobody sees them again.
                unsafe { drop(self.data.as_ptr().add(k * self.layout.size())) };
            }
        }
    }
}

impl Drop for SparseSet {
    fn drop(&mut self) {
        self.clear();
        self.free_buffer();
    }
}
