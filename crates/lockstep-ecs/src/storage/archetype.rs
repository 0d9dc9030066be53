//! Archetypes: all entities with the same set of table components, their values in paged columns.
//!
//! Page capacities are 32, 32, 64, 128, … 512, 1024, 1024, …: the page of a row is arithmetic on the row alone. Pages are units of
//! change, hashing and copying; memory comes in extents of one or more pages, a column of an extent in one piece, so that a loop
//! over many pages reads as if over one array.
//!
//! Invariant: rows `0..len` of every column hold live values; a page's `tick` is at least every row tick in it; two moments with
//! the same page `version` saw the same bytes.

use super::arena::{ALIGN, Arena};
use super::{Stamp, copy_value};
use crate::component::{ComponentId, Registry, Storage};
use crate::entity::Entity;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Rows of a full page.
pub(crate) const PAGE: u32 = 1024;
const FIRST: u32 = 32;
/// Rows of the smallest page.
pub(crate) const SMALLEST_PAGE: usize = FIRST as usize;
/// The first page of full size.
const FULL: usize = 6;
/// Pages of the largest extent that is taken without being asked for.
const LARGEST_EXTENT: usize = 32;
/// Pages a directory has room for at first.
const FIRST_DIRECTORY: usize = 4;
/// Bytes between columns of an extent: without them columns start a multiple of 4096 apart, and loads wait for stores to addresses
/// that only look the same. A store buffer holds fewer bytes than this.
const SKEW: usize = 17 * 64;

/// (page, offset) of a row.
#[inline(always)]
pub(crate) fn locate(row: u32) -> (usize, usize) {
    if row >= PAGE {
        (5 + (row >> 10) as usize, (row & (PAGE - 1)) as usize)
    } else if row < FIRST {
        (0, row as usize)
    } else {
        let log = 31 - row.leading_zeros();
        ((log - 4) as usize, (row - (1 << log)) as usize)
    }
}

/// First row of a page.
#[inline(always)]
pub(crate) fn page_start(page: usize) -> u32 {
    match page {
        0 => 0,
        1..6 => 1 << (page + 4),
        _ => (page as u32 - 5) << 10,
    }
}

/// Rows a page can hold.
#[inline(always)]
pub(crate) fn page_capacity(page: usize) -> u32 {
    match page {
        0 => FIRST,
        1..6 => 1 << (page + 4),
        _ => PAGE,
    }
}

/// How many pages `len` rows take.
#[inline(always)]
pub(crate) fn pages_of(len: u32) -> usize {
    if len == 0 { 0 } else { locate(len - 1).0 + 1 }
}

/// How many pages an extent from `page` on has when up to `most` are wanted. Small pages stand alone or all together, others come in
/// powers of two: so the number of block sizes is small, and blocks given back find a use.
fn extent_length(page: usize, most: usize) -> usize {
    if page >= FULL {
        1 << most.min(LARGEST_EXTENT).ilog2()
    } else if page == 0 && most >= FULL {
        FULL
    } else {
        1
    }
}

/// One page of one column.
#[derive(Debug)]
pub(crate) struct ColPage {
    pub(crate) data: NonNull<u8>,
    pub(crate) tick: AtomicU64,
    pub(crate) version: AtomicU64,
    /// Change ticks by row, null when nobody asked for them.
    pub(crate) changed: *mut u64,
    /// Add ticks by row, null when nobody asked for them.
    pub(crate) added: *mut u64,
}

impl ColPage {
    /// Says that something in the page was written at `stamp`. Several chunks of one system may say so at once, with one stamp.
    #[inline(always)]
    pub(crate) fn mark(&self, stamp: Stamp) {
        self.tick.store(stamp.tick, Relaxed);
        self.version.store(stamp.version, Relaxed);
    }
    #[inline(always)]
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Relaxed)
    }
    #[inline(always)]
    pub(crate) fn tick(&self) -> u64 {
        self.tick.load(Relaxed)
    }
    /// Says that the value of a row was written.
    ///
    /// # Safety
    /// `offset` is within the page, and no one else writes that row now.
    #[inline(always)]
    pub(crate) unsafe fn mark_row(&self, offset: usize, stamp: Stamp) {
        self.mark(stamp);
        if !self.changed.is_null() {
            // SAFETY: the array has the page's capacity; the caller's contract.
            unsafe { self.changed.add(offset).write(stamp.tick) };
        }
    }
}

/// All values of one component in one archetype.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) component: ComponentId,
    pub(crate) size: usize,
    pub(crate) align: usize,
    pub(crate) drop: Option<unsafe fn(*mut u8)>,
    pub(crate) track_changed: bool,
    pub(crate) track_added: bool,
    pub(crate) pages: Vec<ColPage>,
    /// The `data` of every page, close together for random access.
    pub(crate) data: Vec<NonNull<u8>>,
}

impl Column {
    /// Makes room for `pages` pages in the directories; returns whether they moved.
    fn widen(&mut self, pages: usize) -> bool {
        if pages <= self.pages.capacity().min(self.data.capacity()) {
            return false;
        }
        let room = pages.next_power_of_two().max(FIRST_DIRECTORY);
        self.pages.reserve_exact(room - self.pages.len());
        self.data.reserve_exact(room - self.data.len());
        true
    }
    /// Bytes an extent needs to align this column.
    fn room(&self) -> usize {
        if self.align > ALIGN { self.align } else { 0 }
    }
    /// Bytes of a page's values, rounded up to whole cache lines.
    fn page_bytes(&self, page: usize) -> usize {
        Arena::round(self.size * page_capacity(page) as usize)
    }
    /// Bytes of this column in an extent of such pages.
    fn extent_bytes(&self, pages: &Range<usize>) -> usize {
        pages.clone().map(|p| self.page_bytes(p)).sum()
    }
    /// Takes pages into use whose values lie one behind the other from `data` on.
    ///
    /// # Safety
    /// `data` is the start of `extent_bytes(pages)` bytes that are this column's alone.
    unsafe fn open(&mut self, data: NonNull<u8>, pages: Range<usize>, arena: &mut Arena) {
        let mut at = 0;
        for page in pages {
            let mut ticks = |wanted: bool| {
                if wanted {
                    arena.take(page_capacity(page) as usize * 8).as_ptr().cast()
                } else {
                    std::ptr::null_mut()
                }
            };
            let (changed, added) = (ticks(self.track_changed), ticks(self.track_added));
            // SAFETY: within the bytes of the contract.
            let data = unsafe { data.add(at) };
            let (tick, version) = (AtomicU64::new(0), AtomicU64::new(0));
            self.pages.push(ColPage { data, tick, version, changed, added });
            self.data.push(data);
            at += self.page_bytes(page);
        }
    }
    /// Gives up pages from `first` on; their values' memory is the caller's.
    fn close(&mut self, first: usize, arena: &mut Arena) {
        for (page, p) in self.pages.drain(first..).enumerate() {
            for array in [p.changed, p.added] {
                if let Some(array) = NonNull::new(array.cast()) {
                    let bytes = page_capacity(first + page) as usize * 8;
                    // SAFETY: taken with this size in `open` or `start_tracking`; the page is unused.
                    unsafe { arena.give(array, bytes) };
                }
            }
        }
        self.data.truncate(first);
    }
    /// Where the value of a row lies (or will lie).
    ///
    /// # Safety
    /// The page exists and `offset` is within it.
    #[inline(always)]
    pub(crate) unsafe fn at(&self, page: usize, offset: usize) -> *mut u8 {
        // SAFETY: the caller's contract.
        unsafe { self.data.get_unchecked(page).as_ptr().add(offset * self.size) }
    }
    /// Marks a row as added (and written) at `stamp`.
    ///
    /// # Safety
    /// As for `at`, and nobody else writes that row now.
    #[inline(always)]
    pub(crate) unsafe fn mark_added(&self, page: usize, offset: usize, stamp: Stamp) {
        // SAFETY: the caller's contract; the tick arrays have the page's capacity.
        unsafe {
            let p = self.pages.get_unchecked(page);
            p.mark_row(offset, stamp);
            if !p.added.is_null() {
                p.added.add(offset).write(stamp.tick);
            }
        }
    }

    /// Starts to keep row ticks; rows that exist get the page's tick.
    pub(crate) fn start_tracking(&mut self, arena: &mut Arena, changed: bool, added: bool) {
        self.track_changed |= changed;
        self.track_added |= added;
        for (i, page) in self.pages.iter_mut().enumerate() {
            let capacity = page_capacity(i) as usize;
            let tick = page.tick();
            for (wanted, array) in
                [(self.track_changed, &mut page.changed), (self.track_added, &mut page.added)]
            {
                if wanted && array.is_null() {
                    *array = arena.take(capacity * 8).as_ptr().cast();
                    for k in 0..capacity {
                        // SAFETY: the block has room for `capacity` ticks and is aligned to 64.
                        unsafe { array.add(k).write(tick) };
                    }
                }
            }
        }
    }
}

/// Where a component of a bundle goes in an archetype.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// Column, or `SPARSE`.
    pub(crate) column: u16,
    pub(crate) component: ComponentId,
    /// The row had the component already (table components).
    pub(crate) replace: bool,
}
pub(crate) const SPARSE: u16 = u16::MAX;

/// What inserting a bundle into rows of an archetype does.
#[derive(Debug)]
pub(crate) struct InsertEdge {
    pub(crate) to: u32,
    /// (column here, column there) of values that move.
    pub(crate) moves: Box<[(u16, u16)]>,
    pub(crate) targets: Box<[Target]>,
}

/// What removing a bundle from rows of an archetype does.
#[derive(Debug)]
pub(crate) struct RemoveEdge {
    pub(crate) to: u32,
    pub(crate) moves: Box<[(u16, u16)]>,
    /// Columns here whose values go, in order of the bundle.
    pub(crate) removed: Box<[u16]>,
    pub(crate) sparse: Box<[ComponentId]>,
}

/// Pages whose memory is one block.
#[derive(Debug)]
struct Extent {
    first: usize,
    /// The page behind its last.
    end: usize,
    block: NonNull<u8>,
    bytes: usize,
}

/// All entities with one set of table components.
#[derive(Debug)]
pub struct Archetype {
    pub(crate) id: u32,
    pub(crate) components: Box<[ComponentId]>,
    columns: NonNull<Column>,
    column_of: Box<[u16]>,
    pub(crate) ids: Column,
    pub(crate) len: u32,
    extents: Vec<Extent>,
    pub(crate) insert_edges: Vec<Option<Box<InsertEdge>>>,
    pub(crate) remove_edges: Vec<Option<Box<RemoveEdge>>>,
    row_bytes: usize,
    /// Some column's values must be dropped.
    pub(crate) needs_drop: bool,
}

// SAFETY: an archetype owns its columns; the values in them are `Send + Sync` (bound of `Component`). Access to rows from several
// threads goes through raw pointers under the rules of the schedule.
unsafe impl Send for Archetype {}
// SAFETY: as above.
unsafe impl Sync for Archetype {}

const NO_COLUMN: u16 = u16::MAX;

impl Archetype {
    /// `components` is sorted and holds table components only.
    pub(crate) fn new(id: u32, components: &[ComponentId], registry: &Registry) -> Self {
        let width = components.last().map_or(0, |c| c.index() + 1);
        let mut column_of = vec![NO_COLUMN; width].into_boxed_slice();
        let mut columns = Vec::with_capacity(components.len());
        for (i, &c) in components.iter().enumerate() {
            let info = registry.info(c);
            debug_assert_eq!(info.storage, Storage::Table);
            column_of[c.index()] = i as u16;
            columns.push(Column {
                component: c,
                size: info.value.layout.size(),
                align: info.value.layout.align(),
                drop: info.value.drop,
                track_changed: info.track_changed,
                track_added: info.track_added,
                pages: Vec::with_capacity(FIRST_DIRECTORY),
                data: Vec::with_capacity(FIRST_DIRECTORY),
            });
        }
        let needs_drop = columns.iter().any(|c: &Column| c.drop.is_some());
        let row_bytes = columns.iter().map(|c| c.size).sum::<usize>() + 8;
        let columns = Box::leak(columns.into_boxed_slice());
        Archetype {
            id,
            components: components.into(),
            columns: NonNull::from(columns).cast(),
            column_of,
            ids: Column {
                component: ComponentId(u32::MAX),
                size: 8,
                align: 8,
                drop: None,
                track_changed: false,
                track_added: false,
                pages: Vec::with_capacity(FIRST_DIRECTORY),
                data: Vec::with_capacity(FIRST_DIRECTORY),
            },
            len: 0,
            extents: Vec::new(),
            insert_edges: Vec::new(),
            remove_edges: Vec::new(),
            row_bytes,
            needs_drop,
        }
    }

    #[inline(always)]
    pub(crate) fn columns(&self) -> &[Column] {
        // SAFETY: `columns` is the leaked box of `components.len()` columns, freed in `drop` only.
        unsafe { std::slice::from_raw_parts(self.columns.as_ptr(), self.components.len()) }
    }
    #[inline(always)]
    pub(crate) fn columns_mut(&mut self) -> &mut [Column] {
        // SAFETY: as above, and `&mut self` is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.columns.as_ptr(), self.components.len()) }
    }
    /// A pointer to a column that stays valid as long as the archetype.
    pub(crate) fn column_ptr(&self, column: usize) -> *const Column {
        debug_assert!(column < self.components.len());
        // SAFETY: within the box.
        unsafe { self.columns.as_ptr().add(column) }
    }
    #[inline(always)]
    pub(crate) fn column_index(&self, component: ComponentId) -> Option<usize> {
        match self.column_of.get(component.index()) {
            Some(&c) if c != NO_COLUMN => Some(c as usize),
            _ => None,
        }
    }
    #[inline(always)]
    pub(crate) fn has(&self, component: ComponentId) -> bool {
        self.column_index(component).is_some()
    }
    #[inline(always)]
    pub(crate) fn entity(&self, row: u32) -> Entity {
        debug_assert!(row < self.len);
        let (page, offset) = locate(row);
        // SAFETY: `row < len`, so page and offset exist.
        unsafe { self.ids.at(page, offset).cast::<Entity>().read() }
    }
    /// The ids of one page.
    #[inline(always)]
    pub(crate) fn page_ids(&self, page: usize) -> &[Entity] {
        let n = self.page_len(page);
        // SAFETY: the first `n` ids of the page are written.
        unsafe { std::slice::from_raw_parts(self.ids.at(page, 0).cast(), n) }
    }
    /// The page behind the extent that a page is in.
    pub(crate) fn extent_end(&self, page: usize) -> usize {
        self.extents[self.extents.partition_point(|e| e.end <= page)].end
    }
    /// Rows used in a page.
    #[inline(always)]
    pub(crate) fn page_len(&self, page: usize) -> usize {
        let start = page_start(page);
        (self.len.saturating_sub(start)).min(page_capacity(page)) as usize
    }
    /// Bytes of values and ids in use.
    pub(crate) fn bytes(&self) -> usize {
        self.row_bytes * self.len as usize
    }

    /// Bytes of an extent of such pages.
    fn extent_bytes(&self, pages: &Range<usize>) -> usize {
        let column = |c: &Column| c.extent_bytes(pages) + self.gap(pages) + c.room();
        self.ids.extent_bytes(pages) + self.columns().iter().map(column).sum::<usize>()
    }
    /// Bytes before each column of an extent.
    fn gap(&self, pages: &Range<usize>) -> usize {
        if page_start(pages.end) - page_start(pages.start) >= 256 { SKEW } else { 0 }
    }

    /// Takes memory for pages up to `end`.
    #[cold]
    fn add_extent(&mut self, end: usize, arena: &mut Arena) {
        let pages = self.ids.pages.len()..end;
        let bytes = self.extent_bytes(&pages);
        let gap = self.gap(&pages);
        let block = arena.take(bytes);
        self.extents.push(Extent { first: pages.start, end, block, bytes });
        let mut moved = self.ids.widen(end);
        let mut at = self.ids.extent_bytes(&pages);
        // SAFETY: `extent_bytes` is the sum of the steps taken here and below, column by column.
        unsafe { self.ids.open(block, pages.clone(), arena) };
        for column in self.columns_mut() {
            at += gap;
            // SAFETY: as above.
            let mut data = unsafe { block.add(at) };
            if column.align > ALIGN {
                // SAFETY: `room` holds `align` more bytes for such a column.
                data = unsafe { data.add(data.align_offset(column.align)) };
            }
            at += column.extent_bytes(&pages) + column.room();
            moved |= column.widen(end);
            // SAFETY: as above.
            unsafe { column.open(data, pages.clone(), arena) };
        }
        if moved {
            arena.moves += 1;
        }
    }

    /// Makes ready for the first row of a page.
    #[cold]
    fn open_page(&mut self, page: usize, arena: &mut Arena) {
        if page == self.ids.pages.len() {
            // Extents double, as far as that goes: few pieces, and at most as much to spare as is used.
            self.add_extent(page + extent_length(page, page), arena);
        }
        // A spare page forgets the ticks of its last rows: they are no part of the state.
        for column in self.columns() {
            column.pages[page].tick.store(0, Relaxed);
        }
    }

    /// Gives back extents that hold no page below `keep`.
    #[cold]
    fn drop_extents(&mut self, keep: usize, arena: &mut Arena) {
        while let Some(extent) = self.extents.pop_if(|e| e.first >= keep) {
            for column in self.columns_mut() {
                column.close(extent.first, arena);
            }
            self.ids.close(extent.first, arena);
            // SAFETY: taken with this size in `add_extent`; no row lies in it any more.
            unsafe { arena.give(extent.block, extent.bytes) };
        }
    }

    /// Makes room for `more` rows.
    pub(crate) fn reserve(&mut self, more: u32, arena: &mut Arena) {
        let end = pages_of(self.len + more);
        if self.ids.pages.len() < end {
            arena.expect(self.extent_bytes(&(self.ids.pages.len()..end)));
            while self.ids.pages.len() < end {
                let page = self.ids.pages.len();
                self.add_extent(page + extent_length(page, end - page), arena);
            }
            arena.expect_no_more();
        }
    }

    /// Adds a row; the caller writes and marks every column at the returned place at once.
    #[inline(always)]
    pub(crate) fn push(&mut self, entity: Entity, arena: &mut Arena, stamp: Stamp) -> u32 {
        let row = self.len;
        let (page, offset) = locate(row);
        if offset == 0 {
            self.open_page(page, arena);
        }
        // SAFETY: the page exists and `offset` is within it.
        unsafe {
            self.ids.at(page, offset).cast::<Entity>().write(entity);
            self.ids.pages.get_unchecked(page).mark(stamp);
        }
        self.len += 1;
        row
    }

    /// Takes a row out by moving the last one into its place; returns the entity that moved.
    ///
    /// # Safety
    /// The place is one of a row below `len`, whose values were dropped or moved away already.
    #[inline(always)]
    pub(crate) unsafe fn close(
        &mut self,
        (page, offset): (usize, usize),
        arena: &mut Arena,
        stamp: Stamp,
    ) -> Option<Entity> {
        let last = self.len - 1;
        let (last_page, last_offset) = locate(last);
        let mut moved = None;
        if (page, offset) != (last_page, last_offset) {
            // SAFETY: both rows are within `len`; they differ, so the values do not overlap.
            unsafe {
                let entity = self.ids.at(last_page, last_offset).cast::<Entity>().read();
                self.ids.at(page, offset).cast::<Entity>().write(entity);
                self.ids.pages.get_unchecked(page).mark(stamp);
                for column in self.columns() {
                    copy_value(
                        column.at(last_page, last_offset),
                        column.at(page, offset),
                        column.size,
                    );
                    let from = column.pages.get_unchecked(last_page);
                    let to = column.pages.get_unchecked(page);
                    to.version.store(stamp.version, Relaxed);
                    // A move is not a change: the row keeps its ticks, the page the larger maximum.
                    to.tick.store(to.tick().max(from.tick()), Relaxed);
                    if !to.changed.is_null() {
                        *to.changed.add(offset) = *from.changed.add(last_offset);
                    }
                    if !to.added.is_null() {
                        *to.added.add(offset) = *from.added.add(last_offset);
                    }
                }
                moved = Some(entity);
            }
        }
        self.len = last;
        // One spare page stays, so that a row coming and going does not take and give pages.
        if last_offset == 0 && self.ids.pages.len() > last_page + 1 {
            self.drop_extents(last_page + 1, arena);
        }
        moved
    }

    /// Makes the archetype `len` rows long, whatever was there.
    ///
    /// # Safety
    /// Values of rows that go were dropped; values of new rows are written by the caller at once.
    pub(crate) unsafe fn resize_rows(&mut self, len: u32, arena: &mut Arena) {
        if len > self.len {
            self.reserve(len - self.len, arena);
        }
        self.len = len;
        self.drop_extents(pages_of(len) + 1, arena);
    }

    /// Drops all values and rows.
    pub(crate) fn clear(&mut self, arena: &mut Arena) {
        let len = self.len;
        self.len = 0;
        for column in self.columns() {
            if let Some(drop) = column.drop {
                for row in 0..len {
                    let (page, offset) = locate(row);
                    // SAFETY: rows below the old `len` hold live values, and nobody sees them again.
                    unsafe { drop(column.at(page, offset)) };
                }
            }
        }
        self.drop_extents(0, arena);
    }
}

impl Drop for Archetype {
    fn drop(&mut self) {
        for column in self.columns() {
            if let Some(drop) = column.drop {
                for row in 0..self.len {
                    let (page, offset) = locate(row);
                    // SAFETY: rows below `len` hold live values, and nobody sees them again.
                    unsafe { drop(column.at(page, offset)) };
                }
            }
        }
        let all = NonNull::slice_from_raw_parts(self.columns, self.components.len());
        // SAFETY: leaked from a box in `new`.
        drop(unsafe { Box::from_raw(all.as_ptr()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_tile_the_rows() {
        let mut next = 0;
        for page in 0..40 {
            assert_eq!(page_start(page), next);
            for offset in 0..page_capacity(page) {
                assert_eq!(locate(next), (page, offset as usize));
                next += 1;
                assert_eq!(pages_of(next), page + 1);
            }
        }
    }
}
