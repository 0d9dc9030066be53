//! Blocks of memory that are handed out and taken back but never moved.
//!
//! Fresh memory is an order of magnitude slower than used memory (first touch), so slabs stay until the world goes, and a freed
//! block waits in a list of its size. Slabs double in size, so a big world needs few and a small one is small. Slabs of 2 MiB and
//! more ask for huge pages: fewer first touches, and random access to a big world misses the translation cache less.
//!
//! Invariant: a block is either out, or in exactly one free list, or not cut from its slab yet.

use rustc_hash::FxHashMap;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Alignment of every block and every column in it.
pub(crate) const ALIGN: usize = 64;
const FIRST_SLAB: usize = 16 << 10;
const LAST_SLAB: usize = 16 << 20;
/// Size and alignment of a huge page.
const HUGE: usize = 2 << 20;

fn slab_layout(length: usize) -> Layout {
    let align = if length >= HUGE { HUGE } else { ALIGN };
    Layout::from_size_align(length, align).expect("slab sizes are small")
}

/// Asks for huge pages for as much of the range as can have them. Advice only: where it is refused, the pages are small.
///
/// # Safety
/// The range is one allocation.
pub(crate) unsafe fn advise(start: *mut u8, length: usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        let skip = start.align_offset(HUGE);
        if length >= HUGE && length - HUGE >= skip {
            let whole = (length - skip) & !(HUGE - 1);
            // SAFETY: `skip + whole <= length`; the advice changes no content.
            unsafe { libc::madvise(start.add(skip).cast(), whole, libc::MADV_HUGEPAGE) };
        }
    }
    let _ = (start, length);
}

#[derive(Debug)]
pub(crate) struct Arena {
    slabs: Vec<(NonNull<u8>, usize)>,
    cursor: usize,
    next: usize,
    /// Bytes that somebody is about to ask for.
    expected: usize,
    free: FxHashMap<usize, Vec<NonNull<u8>>>,
    /// Bytes handed out.
    pub(crate) used: usize,
    /// Bytes held from the allocator.
    pub(crate) held: usize,
    /// How often a directory of pages moved: what points into directories is looked up anew then.
    pub(crate) moves: u64,
    /// How often a block was asked for.
    pub(crate) requests: u64,
}

impl Arena {
    pub(crate) fn new() -> Self {
        Arena {
            slabs: Vec::new(),
            cursor: 0,
            next: FIRST_SLAB,
            expected: 0,
            free: FxHashMap::default(),
            used: 0,
            held: 0,
            moves: 0,
            requests: 0,
        }
    }

    pub(crate) const fn round(size: usize) -> usize {
        (size + ALIGN - 1) & !(ALIGN - 1)
    }

    /// A block of `size` bytes (rounded up to 64), aligned to 64. Its content is not defined.
    pub(crate) fn take(&mut self, size: usize) -> NonNull<u8> {
        let size = Self::round(size);
        self.used += size;
        self.requests += 1;
        if let Some(block) = self.free.get_mut(&size).and_then(Vec::pop) {
            return block;
        }
        if let Some(&(slab, length)) = self.slabs.last()
            && length - self.cursor >= size
        {
            let at = self.cursor;
            self.cursor += size;
            // SAFETY: `at + size <= length`, the slab's length.
            return unsafe { slab.add(at) };
        }
        let wanted = self.expected.min(LAST_SLAB).next_multiple_of(FIRST_SLAB);
        let mut length = self.next.max(size).max(wanted);
        if length >= HUGE {
            length = length.next_multiple_of(HUGE);
        }
        self.expected = self.expected.saturating_sub(length);
        self.next = (self.next * 2).min(LAST_SLAB);
        let layout = slab_layout(length);
        // SAFETY: `length` is not 0.
        let Some(slab) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        // SAFETY: the slab is one allocation of that length.
        unsafe { advise(slab.as_ptr(), length) };
        self.held += length;
        self.slabs.push((slab, length));
        self.cursor = size;
        slab
    }

    /// Says that blocks of `bytes` together will be asked for, so that slabs are made to measure.
    pub(crate) fn expect(&mut self, bytes: usize) {
        let left = self.slabs.last().map_or(0, |&(_, length)| length - self.cursor);
        self.expected = bytes.saturating_sub(left);
    }
    /// The estimate is used up.
    pub(crate) fn expect_no_more(&mut self) {
        self.expected = 0;
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// `block` came from `take(size)` of this arena, is out, and is not used any more.
    pub(crate) unsafe fn give(&mut self, block: NonNull<u8>, size: usize) {
        let size = Self::round(size);
        self.used -= size;
        self.free.entry(size).or_default().push(block);
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for &(slab, length) in &self.slabs {
            let layout = slab_layout(length);
            // SAFETY: allocated in `take` with this layout; the world that used the blocks is gone.
            unsafe { dealloc(slab.as_ptr(), layout) };
        }
    }
}
