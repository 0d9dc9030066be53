//! Iteration over the matches of a query: row by row, and in slices.
//!
//! Invariant: every matching row is yielded exactly once, in order of (archetype creation, row).

use super::fetch::{ChunkData, QueryData, Run};
use super::filter::QueryFilter;
use super::{Matched, Query};
use crate::storage::archetype::{SMALLEST_PAGE, page_start, pages_of};

/// Where an iteration is: which archetype, which page, and what is fetched of it.
struct Cursor<'q, D: QueryData, F: QueryFilter> {
    rest: std::slice::Iter<'q, Matched<D, F>>,
    now: Option<&'q Matched<D, F>>,
    page: usize,
    pages: usize,
    run: Run,
}

impl<D: QueryData, F: QueryFilter> Cursor<'_, D, F> {
    /// The next page that may have matches: data, filter, number of rows.
    #[inline(always)]
    unsafe fn next_page(&mut self) -> Option<(D::Fetch, F::Fetch, usize)> {
        loop {
            if self.page < self.pages {
                let m = self.now?;
                let page = self.page;
                self.page += 1;
                // SAFETY: the archetype lives as long as the world, and the page exists.
                unsafe {
                    let Some(filter) = F::page(&m.filter, page, self.run) else { continue };
                    let len = m.archetype.as_ref().page_len(page);
                    return Some((D::page(&m.data, page, self.run), filter, len));
                }
            }
            let m = self.rest.next()?;
            self.now = Some(m);
            self.page = 0;
            // SAFETY: the archetype lives as long as the world.
            self.pages = pages_of(unsafe { m.archetype.as_ref() }.len);
        }
    }
}

/// Iterator over matches.
pub struct Iter<'q, D: QueryData, F: QueryFilter> {
    cursor: Cursor<'q, D, F>,
    fetch: Option<(D::Fetch, F::Fetch)>,
    row: usize,
    len: usize,
}

impl<'q, D: QueryData, F: QueryFilter> Iter<'q, D, F> {
    /// # Safety
    /// The caller's borrow of the query fits the access of `D`.
    #[inline]
    pub(super) unsafe fn new(query: &'q Query<'_, '_, D, F>) -> Self {
        Iter {
            cursor: Cursor {
                rest: query.state.list.iter(),
                now: None,
                page: 0,
                pages: 0,
                run: query.run,
            },
            fetch: None,
            row: 0,
            len: 0,
        }
    }
}

impl<D: QueryData, F: QueryFilter> std::fmt::Debug for Iter<'_, D, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Iter")
    }
}

impl<'q, D: QueryData, F: QueryFilter> Iterator for Iter<'q, D, F> {
    type Item = D::Item<'q>;

    #[inline(always)]
    fn next(&mut self) -> Option<D::Item<'q>> {
        loop {
            if self.row < self.len {
                let row = self.row;
                self.row += 1;
                let (data, filter) = self.fetch.as_ref()?;
                // SAFETY: the row lies in the page, is asked first, and is yielded once.
                unsafe {
                    if (F::ROWS && !F::row(filter, row)) || (D::ROWS && !D::row(data, row)) {
                        continue;
                    }
                    return Some(D::get(data, row));
                }
            }
            // SAFETY: the contract of `new`.
            let (data, filter, len) = unsafe { self.cursor.next_page()? };
            self.fetch = Some((data, filter));
            (self.row, self.len) = (0, len);
        }
    }

    #[inline(always)]
    fn fold<B, G: FnMut(B, D::Item<'q>) -> B>(mut self, init: B, mut g: G) -> B {
        let mut acc = init;
        let mut page = |acc: B, data: &D::Fetch, filter: &F::Fetch, from: usize, to: usize| {
            let mut acc = acc;
            for row in from..to {
                // SAFETY: the row lies in the page, is asked first, and is yielded once.
                unsafe {
                    if (!F::ROWS || F::row(filter, row)) && (!D::ROWS || D::row(data, row)) {
                        acc = g(acc, D::get(data, row));
                    }
                }
            }
            acc
        };
        if let Some((data, filter)) = self.fetch.take() {
            acc = page(acc, &data, &filter, self.row, self.len);
        }
        // What is left of the archetype at hand page by page, then all others an extent at a time where that is possible.
        let run = self.cursor.run;
        if let Some(m) = self.cursor.now {
            for at in self.cursor.page..self.cursor.pages {
                // SAFETY: the archetype lives as long as the world; pages below `pages` exist.
                unsafe {
                    if let Some(filter) = F::page(&m.filter, at, run) {
                        let rows = m.archetype.as_ref().page_len(at);
                        acc = page(acc, &D::page(&m.data, at, run), &filter, 0, rows);
                    }
                }
            }
        }
        for m in self.cursor.rest {
            // SAFETY: the archetype lives as long as the world; pages below its length exist, and extents end with a page.
            unsafe {
                let archetype = m.archetype.as_ref();
                let len = archetype.len;
                let (mut at, mut start) = (0, 0);
                while start < len {
                    // A small archetype has one page: nothing is gained by asking for more.
                    let (mut end, mut next, mut data) = (len, at + 1, None);
                    if len > SMALLEST_PAGE as u32 {
                        if !F::ROWS {
                            let used = archetype.extent_end(at).min(pages_of(len));
                            data = D::span(&m.data, at..used, run);
                            if data.is_some() {
                                next = used;
                            }
                        }
                        end = page_start(next).min(len);
                    }
                    if let Some(filter) = F::page(&m.filter, at, run) {
                        let data = match data {
                            Some(data) => data,
                            None => D::page(&m.data, at, run),
                        };
                        acc = page(acc, &data, &filter, 0, (end - start) as usize);
                    }
                    (at, start) = (next, end);
                }
            }
        }
        acc
    }
}

/// Iterator over slices of matches.
pub struct Chunks<'q, D: QueryData, F: QueryFilter> {
    cursor: Cursor<'q, D, F>,
    fetch: Option<(D::Fetch, F::Fetch)>,
    row: usize,
    len: usize,
}

impl<'q, D: QueryData, F: QueryFilter> Chunks<'q, D, F> {
    /// # Safety
    /// The caller's borrow of the query fits the access of `D`.
    pub(super) unsafe fn new(query: &'q Query<'_, '_, D, F>) -> Self {
        // SAFETY: the contract is the same.
        let Iter { cursor, fetch, row, len } = unsafe { Iter::new(query) };
        Chunks { cursor, fetch, row, len }
    }
}

impl<D: QueryData, F: QueryFilter> std::fmt::Debug for Chunks<'_, D, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Chunks")
    }
}

impl<'q, D: ChunkData, F: QueryFilter> Iterator for Chunks<'q, D, F> {
    type Item = D::Slices<'q>;

    #[inline(always)]
    fn next(&mut self) -> Option<D::Slices<'q>> {
        loop {
            if self.row < self.len {
                let (data, filter) = self.fetch.as_ref()?;
                // SAFETY: rows lie in the page; a run is yielded once.
                unsafe {
                    let mut start = self.row;
                    let mut end = self.len;
                    if F::ROWS {
                        while start < self.len && !F::row(filter, start) {
                            start += 1;
                        }
                        end = start;
                        while end < self.len && F::row(filter, end) {
                            end += 1;
                        }
                    }
                    self.row = end;
                    if start < end {
                        return Some(D::slices(data, start, end - start));
                    }
                    continue;
                }
            }
            // SAFETY: the contract of `new`.
            let (data, filter, len) = unsafe { self.cursor.next_page()? };
            self.fetch = Some((data, filter));
            (self.row, self.len) = (0, len);
        }
    }
}
