//! Many entities with one bundle type at once, written page by page.
//!
//! Invariant: between two pages of a batch the world is whole: a batch that ends early leaves the rows written so far.

use super::World;
use crate::component::{Bundle, BundleSink, Component};
use crate::entity::{Entity, EntityLimit};
use crate::storage::archetype::{SPARSE, locate, page_capacity, page_start};

impl World {
    /// Many entities with one bundle type, written column by column within a page.
    ///
    /// # Panics
    /// At the entity limit; see [`World::try_spawn_batch`].
    pub fn spawn_batch<B: Bundle>(
        &mut self,
        bundles: impl IntoIterator<Item = B, IntoIter: ExactSizeIterator>,
    ) -> Vec<Entity> {
        match self.try_spawn_batch(bundles) {
            Ok(entities) => entities,
            Err(limit) => panic!("{limit}"),
        }
    }
    /// As [`World::spawn_batch`].
    ///
    /// # Errors
    /// When there is not room for all of them; nothing changed then.
    pub fn try_spawn_batch<B: Bundle>(
        &mut self,
        bundles: impl IntoIterator<Item = B, IntoIter: ExactSizeIterator>,
    ) -> Result<Vec<Entity>, EntityLimit> {
        let bundles = bundles.into_iter();
        let mut out = Vec::with_capacity(bundles.len());
        self.spawn_pages(bundles, |ids| out.extend_from_slice(ids))?;
        Ok(out)
    }
    /// As [`World::spawn_batch`], for who does not need the handles; returns how many there are.
    ///
    /// # Panics
    /// At the entity limit; see [`World::try_extend`].
    pub fn extend<B: Bundle>(
        &mut self,
        bundles: impl IntoIterator<Item = B, IntoIter: ExactSizeIterator>,
    ) -> usize {
        match self.try_extend(bundles) {
            Ok(n) => n,
            Err(limit) => panic!("{limit}"),
        }
    }
    /// As [`World::extend`].
    ///
    /// # Errors
    /// When there is not room for all of them; nothing changed then.
    pub fn try_extend<B: Bundle>(
        &mut self,
        bundles: impl IntoIterator<Item = B, IntoIter: ExactSizeIterator>,
    ) -> Result<usize, EntityLimit> {
        let mut n = 0;
        self.spawn_pages(bundles.into_iter(), |ids| n += ids.len())?;
        Ok(n)
    }
    /// Spawns page by page; `seen` gets the ids of each.
    fn spawn_pages<B: Bundle>(
        &mut self,
        mut bundles: impl ExactSizeIterator<Item = B>,
        mut seen: impl FnMut(&[Entity]),
    ) -> Result<(), EntityLimit> {
        let n = bundles.len();
        if n > self.entities.room() {
            return Err(EntityLimit { limit: self.entities.limit });
        }
        let bundle_id = self.bundle_id::<B>();
        // SAFETY: as in `spawn_now`.
        let edge = unsafe { self.insert_edge(0, bundle_id).as_ref() };
        if self.observers.any
            || edge.targets.iter().any(|t| t.column == SPARSE)
            || edge.targets.len() > PageSink::WIDEST
        {
            for bundle in bundles {
                let entity = self.entities.mint()?;
                self.spawn_now(entity, bundle);
                seen(&[entity]);
            }
            self.settle();
            return Ok(());
        }
        let stamp = self.stamp();
        self.archetypes.get_mut(edge.to).reserve(n as u32, &mut self.arena);
        self.entities.reserve(n.saturating_sub(self.entities.free.len()));
        let mut left = n;
        while left > 0 {
            let row = self.archetypes.get(edge.to).len;
            let (page, offset) = locate(row);
            let take = ((page_start(page) + page_capacity(page) - row) as usize).min(left);
            let archetype = self.archetypes.get(edge.to);
            let columns = archetype.columns();
            let mut heads = [std::ptr::null_mut::<u8>(); PageSink::WIDEST];
            for (head, t) in heads.iter_mut().zip(&edge.targets) {
                // SAFETY: the page was reserved.
                *head = unsafe { columns[t.column as usize].at(page, offset) };
            }
            // SAFETY: as above.
            let ids = unsafe { archetype.ids.at(page, offset).cast::<Entity>() };
            // An iterator that says it is longer than it is ends the batch early.
            let mut done = 0;
            bundles.by_ref().take(take).for_each(|bundle| {
                // Row `row + done` lies in the reserved page and is not written yet.
                bundle.put(&mut PageSink { heads: &heads, next: 0, row: done });
                done += 1;
            });
            // SAFETY: the rows lie in the reserved page.
            let ids = unsafe {
                self.entities.mint_rows(edge.to, row, done, ids);
                std::slice::from_raw_parts(ids, done)
            };
            seen(ids);
            let archetype = self.archetypes.get_mut(edge.to);
            archetype.len += done as u32;
            archetype.ids.pages[page].mark(stamp);
            for column in archetype.columns() {
                if column.track_changed | column.track_added {
                    for k in offset..offset + done {
                        // SAFETY: the rows were just written.
                        unsafe { column.mark_added(page, k, stamp) };
                    }
                }
                column.pages[page].mark(stamp);
            }
            self.entities.alive += done as u32;
            left -= take;
            if done < take {
                break;
            }
        }
        self.entities.version = stamp.version;
        Ok(())
    }
}

/// Writes bundles into consecutive rows of a page.
struct PageSink<'a> {
    heads: &'a [*mut u8; PageSink::WIDEST],
    next: usize,
    row: usize,
}

impl PageSink<'_> {
    /// Components a bundle may have to be written this way.
    const WIDEST: usize = 32;
}

impl BundleSink for PageSink<'_> {
    #[inline(always)]
    fn put<T: Component>(&mut self, value: T) {
        // SAFETY: the heads are those of the bundle's columns in order; the row lies in the page.
        unsafe { self.heads[self.next].cast::<T>().add(self.row).write(value) };
        self.next += 1;
    }
}
