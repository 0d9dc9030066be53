//! Loops over one query's rows by all workers: `par_for_each`, `par_for_each_with`, `par_fold`.
//!
//! A chunk is rows `k·size .. (k+1)·size` of one archetype; chunks are numbered in iteration order. Workers take chunks in any order;
//! what has an order is merged by chunk number. Every chunk runs, also when one panics; the panic passed on is that of the smallest.
//!
//! Invariant: a row is in exactly one chunk, so no two workers touch it.

use super::fetch::QueryData;
use super::filter::QueryFilter;
use super::{Matched, Query};
use crate::commands::{Commands, Lane};
use crate::schedule::par::Failure;
use crate::storage::archetype::{locate, page_capacity, page_start};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

/// Rows of a chunk where none are asked for: few, so that costly rows are shared out evenly. Workers take many chunks at a time where
/// rows are cheap.
pub const DEFAULT_CHUNK: u32 = 8;
/// Rows of a chunk where commands are recorded by chunk.
const COMMAND_CHUNK: u32 = 256;

/// A chunk of no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmptyChunk;

impl std::fmt::Display for EmptyChunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a chunk needs at least one row")
    }
}
impl std::error::Error for EmptyChunk {}

/// The row being worked on; told when it is dropped, so that a loop does not write it down for every row in case of a panic.
struct Here<'a> {
    offset: usize,
    start: u32,
    cursor: &'a mut u32,
}

impl Drop for Here<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.cursor = self.start + self.offset as u32;
    }
}

impl<D: QueryData, F: QueryFilter> Query<'_, '_, D, F> {
    /// Fills `bases` with the first chunk number of every matched archetype, and the total.
    fn cut(&self, size: u32, bases: &mut Vec<u32>) {
        bases.clear();
        let mut n = 0u32;
        for m in &self.state.list {
            bases.push(n);
            // SAFETY: archetypes of the list live as long as the world.
            n += unsafe { m.archetype.as_ref() }.len.div_ceil(size);
        }
        bases.push(n);
    }

    /// Calls `f` for the matching rows `row..end` of one archetype; a panic leaves `cursor` at its row.
    ///
    /// # Safety
    /// The caller holds the query exclusively, and no one else runs these rows.
    #[inline(always)]
    unsafe fn run_rows<'q>(
        &'q self,
        m: &'q Matched<D, F>,
        mut row: u32,
        end: u32,
        cursor: &mut u32,
        f: &mut impl FnMut(D::Item<'q>),
    ) {
        while row < end {
            let (page, offset) = locate(row);
            let stop = (page_start(page) + page_capacity(page)).min(end);
            // SAFETY: the page exists and rows `offset..` up to `stop` lie in it; the caller's contract.
            unsafe {
                if let Some(filter) = F::page(&m.filter, page, self.run) {
                    let data = D::page(&m.data, page, self.run);
                    let end = offset + (stop - row) as usize;
                    let mut here = Here { offset, start: page_start(page), cursor };
                    while here.offset < end {
                        let r = here.offset;
                        if (!F::ROWS || F::row(&filter, r)) && (!D::ROWS || D::row(&data, r)) {
                            f(D::get(&data, r));
                        }
                        here.offset += 1;
                    }
                }
            }
            row = stop;
        }
    }

    /// Calls `f` for the rows of a range of chunks. A panic ends its chunk, not the range.
    ///
    /// # Safety
    /// As for `run_rows`.
    #[inline(always)]
    unsafe fn run_range<'q>(
        &'q self,
        size: u32,
        bases: &[u32],
        range: Range<u32>,
        f: &mut impl FnMut(D::Item<'q>),
    ) -> Option<Failure> {
        let mut failure: Option<Failure> = None;
        let mut chunk = range.start;
        while chunk < range.end {
            let at = bases.partition_point(|&b| b <= chunk) - 1;
            let m = &self.state.list[at];
            let base = bases[at];
            let stop = range.end.min(bases[at + 1]);
            // SAFETY: archetypes of the list live as long as the world.
            let len = unsafe { m.archetype.as_ref() }.len;
            let mut row = (chunk - base) * size;
            let end = ((stop - base) * size).min(len);
            while row < end {
                let mut cursor = row;
                let result = catch_unwind(AssertUnwindSafe(|| {
                    // SAFETY: the contract is the same.
                    unsafe { self.run_rows(m, row, end, &mut cursor, f) };
                }));
                match result {
                    Ok(()) => break,
                    Err(panic) => {
                        let bad = cursor / size;
                        if failure.as_ref().is_none_or(|x| base + bad < x.0) {
                            failure = Some((base + bad, panic));
                        }
                        row = (bad + 1) * size;
                    }
                }
            }
            chunk = stop;
        }
        failure
    }

    /// Calls `f` for all matches, by all workers.
    pub fn par_for_each<'q>(&'q mut self, f: impl Fn(D::Item<'q>) + Sync) {
        self.par_chunked(DEFAULT_CHUNK, f);
    }
    /// As [`Query::par_for_each`], with chunks of `size` rows. The size does not change any result.
    ///
    /// # Errors
    /// When `size` is 0.
    pub fn par_for_each_chunked<'q>(
        &'q mut self,
        size: u32,
        f: impl Fn(D::Item<'q>) + Sync,
    ) -> Result<(), EmptyChunk> {
        if size == 0 {
            return Err(EmptyChunk);
        }
        self.par_chunked(size, f);
        Ok(())
    }
    fn par_chunked<'q>(&'q self, size: u32, f: impl Fn(D::Item<'q>) + Sync) {
        let mut bases = std::mem::take(&mut *self.state.scratch.lock().expect("never poisoned"));
        self.cut(size, &mut bases);
        let n = *bases.last().expect("the total is there");
        let result = catch_unwind(AssertUnwindSafe(|| {
            self.par.run_ranges(n, &|range| {
                // SAFETY: `par_*` take `&mut self`; `run_ranges` gives every chunk to one worker.
                unsafe { self.run_range(size, &bases, range, &mut |item| f(item)) }
            });
        }));
        *self.state.scratch.lock().expect("never poisoned") = bases;
        if let Err(panic) = result {
            resume_unwind(panic);
        }
    }

    /// Calls `f` for all matches, by all workers, with commands that are merged in order of rows.
    pub fn par_for_each_with<'q>(
        &'q mut self,
        commands: &mut Commands<'_>,
        f: impl Fn(&mut Commands<'_>, D::Item<'q>) + Sync,
    ) {
        let this: &'q Self = self;
        let mut bases = Vec::new();
        this.cut(COMMAND_CHUNK, &mut bases);
        let n = *bases.last().expect("the total is there");
        let (system, first) = commands.begin_chunks(n);
        let done: Mutex<Vec<Lane>> = Mutex::new(commands.spare_lanes());
        let finished: Mutex<Vec<Lane>> = Mutex::new(Vec::new());
        let result = catch_unwind(AssertUnwindSafe(|| {
            this.par.run(n, &|chunk| {
                let spare = done.lock().expect("never poisoned").pop();
                let mut lane = spare.unwrap_or_default();
                lane.open(system, first + chunk);
                let mut commands = Commands::of_lane(&mut lane);
                // SAFETY: as in `par_chunked`.
                let failure = unsafe {
                    this.run_range(COMMAND_CHUNK, &bases, chunk..chunk + 1, &mut |item| {
                        f(&mut commands, item);
                    })
                };
                let to = if lane.is_empty() { &done } else { &finished };
                to.lock().expect("never poisoned").push(lane);
                if let Some((_, panic)) = failure {
                    resume_unwind(panic);
                }
            });
        }));
        let lanes = finished.into_inner().expect("never poisoned");
        commands.end_chunks(lanes, done.into_inner().expect("never poisoned"));
        if let Err(panic) = result {
            resume_unwind(panic);
        }
    }

    /// Folds all matches: one accumulator a chunk of `size` rows, merged in order of chunks. The same value for every number of
    /// workers, floats included; `size` is part of the result's definition.
    ///
    /// # Errors
    /// When `size` is 0.
    pub fn par_fold<'q, A: Send>(
        &'q mut self,
        size: u32,
        init: impl Fn() -> A + Sync,
        fold: impl Fn(&mut A, D::Item<'q>) + Sync,
        mut merge: impl FnMut(A, A) -> A,
    ) -> Result<A, EmptyChunk> {
        if size == 0 {
            return Err(EmptyChunk);
        }
        let this: &'q Self = self;
        let mut bases = Vec::new();
        this.cut(size, &mut bases);
        let n = *bases.last().expect("the total is there");
        let slots: Vec<Mutex<Option<A>>> = (0..n).map(|_| Mutex::new(None)).collect();
        this.par.run(n, &|chunk| {
            let mut acc = init();
            // SAFETY: as in `par_chunked`.
            let failure = unsafe {
                this.run_range(size, &bases, chunk..chunk + 1, &mut |item| fold(&mut acc, item))
            };
            if let Some((_, panic)) = failure {
                resume_unwind(panic);
            }
            *slots[chunk as usize].lock().expect("never poisoned") = Some(acc);
        });
        let all = slots.into_iter().filter_map(|s| s.into_inner().expect("never poisoned"));
        Ok(all.reduce(&mut merge).unwrap_or_else(init))
    }
}
