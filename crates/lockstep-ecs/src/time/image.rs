//! An image of a world in memory, for going back within the same world.
//!
//! Buffers are reused: capturing into a used image and restoring from it allocate nothing once sizes are known. Pages whose version
//! the image already has are skipped, so both directions cost what changed.
//!
//! Invariant: a page image with version `v` holds the bytes that every page with version `v` holds.

use super::NotPlain;
use crate::component::ComponentId;
use crate::entity::Slot;
use crate::plain::Reader;
use crate::storage::archetype::{Archetype, ColPage, page_capacity, pages_of};
use crate::storage::sparse::SparseRow;
use crate::value::ValueInfo;
use crate::world::{RemovalLog, World};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

#[derive(Debug, Default)]
struct PageImage {
    version: u64,
    tick: u64,
    len: usize,
    bytes: Vec<u8>,
    changed: Vec<u64>,
    added: Vec<u64>,
}

#[derive(Debug, Default)]
struct ArchetypeImage {
    components: Box<[ComponentId]>,
    len: u32,
    /// Ids first, then columns.
    columns: Vec<Vec<PageImage>>,
}

#[derive(Debug, Default)]
struct SparseImage {
    version: u64,
    tick: u64,
    len: usize,
    rows: Vec<SparseRow>,
    bytes: Vec<u8>,
}

#[derive(Debug, Default)]
struct ValueImage {
    version: u64,
    tick: u64,
    present: bool,
    bytes: Vec<u8>,
}

/// A world's state at one moment. Reuse it.
#[derive(Debug, Default)]
pub struct Image {
    of: Option<Arc<()>>,
    tick: u64,
    frame: u64,
    seen: u64,
    entities_version: u64,
    slots: Vec<Slot>,
    free: Vec<u32>,
    alive: u32,
    archetypes: Vec<ArchetypeImage>,
    archetype_count: usize,
    sparse: Vec<SparseImage>,
    resources: Vec<ValueImage>,
    relations: Vec<ValueImage>,
    events: Vec<([u64; 3], usize, Vec<u8>)>,
    cells: Vec<Vec<u8>>,
    removals: Vec<RemovalLog>,
    /// Bytes copied by the last capture or restore.
    copied: usize,
}

fn grow<T: Default>(list: &mut Vec<T>, n: usize) {
    if list.len() < n {
        list.resize_with(n, T::default);
    }
}

/// Appends `n` values that lie `size` apart.
///
/// # Safety
/// They are live values of the type.
unsafe fn pack(
    info: &ValueInfo,
    from: *const u8,
    n: usize,
    out: &mut Vec<u8>,
) -> Result<(), NotPlain> {
    let Some(codec) = info.codec else {
        return if n == 0 { Ok(()) } else { Err(NotPlain { name: info.name, kind: "component" }) };
    };
    let size = info.layout.size();
    // SAFETY: the caller's contract.
    unsafe {
        if codec.pod {
            out.extend_from_slice(std::slice::from_raw_parts(from, n * size));
        } else {
            for k in 0..n {
                (codec.encode)(from.add(k * size), out);
            }
        }
    }
    Ok(())
}

/// The inverse of `pack`.
///
/// # Safety
/// There is room for `n` values, and `bytes` were packed from as many.
unsafe fn unpack(info: &ValueInfo, bytes: &[u8], n: usize, to: *mut u8) {
    let Some(codec) = info.codec else { return };
    let size = info.layout.size();
    // SAFETY: the caller's contract; what was packed decodes.
    unsafe {
        if codec.pod {
            to.copy_from_nonoverlapping(bytes.as_ptr(), n * size);
        } else {
            let mut reader = Reader::new(bytes);
            for k in 0..n {
                let done = (codec.decode)(&mut reader, to.add(k * size));
                assert!(done.is_ok(), "{} does not decode what it encoded", info.name);
            }
        }
    }
}

fn copy_into<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    to.clear();
    to.extend_from_slice(from);
}

impl Image {
    /// An empty image.
    #[must_use]
    pub fn new() -> Self {
        Image::default()
    }
    /// The frame it holds, if it holds one.
    #[must_use]
    pub fn frame(&self) -> Option<u64> {
        self.of.as_ref().map(|_| self.frame)
    }
    /// Bytes copied by the last capture or restore.
    #[must_use]
    pub fn copied(&self) -> usize {
        self.copied
    }

    /// Takes the world's state.
    ///
    /// # Errors
    /// When something in the world has no encoding; the image is empty then.
    pub fn capture(&mut self, world: &mut World) -> Result<(), NotPlain> {
        let same = self.of.as_ref().is_some_and(|t| Arc::ptr_eq(t, &world.token));
        if !same {
            *self = Image::default();
        }
        self.of = None;
        self.copied = 0;
        (self.tick, self.frame, self.seen) = (world.tick, world.frame, world.observers.seen);
        if !same || self.entities_version != world.entities.version {
            copy_into(&mut self.slots, &world.entities.slots);
            copy_into(&mut self.free, &world.entities.free);
            self.entities_version = world.entities.version;
        }
        self.alive = world.entities.alive;
        self.archetype_count = world.archetypes.len();
        grow(&mut self.archetypes, self.archetype_count);
        for (archetype, image) in world.archetypes.iter().zip(&mut self.archetypes) {
            image.capture(archetype, world, &mut self.copied)?;
        }
        grow(&mut self.sparse, world.sparse.len());
        for (i, set) in world.sparse.iter().enumerate() {
            let Some(set) = set else { continue };
            let image = &mut self.sparse[i];
            let version = set.version.load(Relaxed);
            if image.version == version && image.len == set.len() {
                continue;
            }
            (image.version, image.tick, image.len) = (version, set.tick.load(Relaxed), set.len());
            copy_into(&mut image.rows, &set.rows);
            image.bytes.clear();
            // SAFETY: the first `len` values are live.
            unsafe {
                pack(&world.registry.infos[i].value, set.at(0), set.len(), &mut image.bytes)?;
            }
            self.copied += image.bytes.len();
        }
        grow(&mut self.resources, world.resources.cells.len());
        for (cell, image) in world.resources.cells.iter().zip(&mut self.resources) {
            let Some(info) = cell.info.as_ref().filter(|_| !cell.transient) else { continue };
            let version = cell.version.load(Relaxed);
            if image.version == version {
                continue;
            }
            (image.version, image.tick) = (version, cell.tick.load(Relaxed));
            image.present = cell.value.is_some();
            image.bytes.clear();
            if let Some(value) = &cell.value {
                // SAFETY: the cell holds a live value.
                unsafe { pack(info, value.ptr(), 1, &mut image.bytes) }
                    .map_err(|e| NotPlain { kind: "resource", ..e })?;
            }
        }
        grow(&mut self.relations, world.relations.len());
        for (store, image) in world.relations.iter().zip(&mut self.relations) {
            if image.present && image.version == store.version() {
                continue;
            }
            (image.version, image.present) = (store.version(), true);
            image.bytes.clear();
            store.encode(&mut image.bytes).map_err(|name| NotPlain { name, kind: "relation" })?;
        }
        grow(&mut self.events, world.events.queues.len());
        for ((queue, info), image) in
            world.events.queues.iter().zip(&world.events.infos).zip(&mut self.events)
        {
            image.0 = queue.marks();
            image.1 = queue.len();
            image.2.clear();
            if queue.len() > 0 {
                // SAFETY: a queue's items lie one behind the other, all live.
                unsafe { pack(info, queue.at(0), queue.len(), &mut image.2) }
                    .map_err(|e| NotPlain { kind: "event", ..e })?;
            }
        }
        grow(&mut self.cells, world.cells.list.len());
        for (cell, image) in world.cells.list.iter().zip(&mut self.cells) {
            image.clear();
            // SAFETY: the cell holds a live value.
            unsafe { pack(&cell.info, cell.value.ptr(), 1, image)? };
        }
        grow(&mut self.removals, world.removals.len());
        for (log, image) in world.removals.iter().zip(&mut self.removals) {
            copy_into(&mut image.entries, &log.entries);
            (image.base, image.previous, image.current) = (log.base, log.previous, log.current);
        }
        self.of = Some(world.token.clone());
        // Whatever is written from here on can be told from what the image holds.
        world.version += 1;
        Ok(())
    }

    /// Puts the world back. Handles stay valid; as often as wanted. Returns whether the image is one of this world.
    pub fn restore(&mut self, world: &mut World) -> bool {
        if !self.of.as_ref().is_some_and(|t| Arc::ptr_eq(t, &world.token)) {
            return false;
        }
        self.copied = 0;
        (world.tick, world.frame, world.observers.seen) = (self.tick, self.frame, self.seen);
        world.pending.clear();
        if self.entities_version != world.entities.version {
            copy_into(&mut world.entities.slots, &self.slots);
            copy_into(&mut world.entities.free, &self.free);
            world.entities.version = self.entities_version;
        }
        world.entities.alive = self.alive;
        world.truncate_archetypes(self.archetype_count as u32);
        for id in 0..self.archetype_count {
            self.archetypes[id].restore(id as u32, world, &mut self.copied);
        }
        let version = world.version;
        for (i, set) in world.sparse.iter_mut().enumerate() {
            let Some(set) = set else { continue };
            let Some(image) = self.sparse.get(i) else {
                // Its component was not known when the image was taken.
                set.clear();
                set.mark(crate::storage::Stamp { tick: 0, version });
                continue;
            };
            if image.version == set.version.load(Relaxed) && image.len == set.len() {
                continue;
            }
            set.clear();
            let size = world.registry.infos[i].value.layout.size();
            let stamp = crate::storage::Stamp { tick: image.tick, version: image.version };
            for row in &image.rows {
                set.push(row.entity, stamp);
            }
            set.rows.copy_from_slice(&image.rows);
            // SAFETY: room for all values was made by `push`; an interrupted decode would only leave values undropped.
            unsafe { unpack(&world.registry.infos[i].value, &image.bytes, image.len, set.at(0)) };
            set.mark(stamp);
            self.copied += size * image.len;
        }
        for (i, cell) in world.resources.cells.iter_mut().enumerate() {
            let Some(info) = cell.info.as_ref().filter(|_| !cell.transient) else { continue };
            let Some(image) = self.resources.get(i) else {
                // Came to be after the image was taken.
                cell.value = None;
                cell.version.store(world.version, Relaxed);
                continue;
            };
            if image.version == cell.version.load(Relaxed) {
                continue;
            }
            cell.tick.store(image.tick, Relaxed);
            cell.version.store(image.version, Relaxed);
            if !image.present {
                cell.value = None;
                continue;
            }
            let value = cell
                .value
                .get_or_insert_with(|| crate::erased::ErasedBox::room(info.layout, info.drop));
            value.clear();
            // SAFETY: room for one value; live once decoded.
            unsafe {
                unpack(info, &image.bytes, 1, value.ptr());
                value.set_live();
            }
        }
        for (i, store) in world.relations.iter_mut().enumerate() {
            match self.relations.get_mut(i) {
                Some(image) if image.version == store.version() => {}
                Some(image) => {
                    store.decode(&mut Reader::new(&image.bytes)).expect("decodes what it encoded");
                    // A version of its own: others may have used the numbers in between.
                    image.version = store.version();
                }
                None => store.clear(),
            }
        }
        for (i, queue) in world.events.queues.iter_mut().enumerate() {
            let info = &world.events.infos[i];
            let Some((marks, n, bytes)) = self.events.get(i) else {
                queue.reset([0; 3]);
                continue;
            };
            queue.reset(*marks);
            let Some(codec) = info.codec else { continue };
            let mut reader = Reader::new(bytes);
            for _ in 0..*n {
                // SAFETY: the queue writes what `decode` gives.
                unsafe { queue.push_decoded(&codec, &mut reader) }
                    .expect("decodes what it encoded");
            }
        }
        for (i, cell) in world.cells.list.iter_mut().enumerate() {
            match self.cells.get(i) {
                Some(bytes) => cell.set(bytes),
                // Made after the image was taken: it begins again.
                None => cell.reset(),
            }
        }
        for (i, log) in world.removals.iter_mut().enumerate() {
            let image = self.removals.get(i).cloned().unwrap_or_default();
            if image.entries.is_empty() && log.entries.is_empty() {
                (log.base, log.previous, log.current) = (image.base, image.previous, image.current);
                continue;
            }
            *log = image;
        }
        world.version += 1;
        true
    }
}

fn capture_page(
    page: &ColPage,
    len: usize,
    image: &mut PageImage,
    copied: &mut usize,
    pack: impl FnOnce(&mut Vec<u8>) -> Result<(), NotPlain>,
) -> Result<(), NotPlain> {
    let ticks_known = image.changed.is_empty() == page.changed.is_null()
        && image.added.is_empty() == page.added.is_null();
    if image.version == page.version() && image.len == len && ticks_known {
        return Ok(());
    }
    image.bytes.clear();
    image.len = 0;
    pack(&mut image.bytes)?;
    (image.version, image.tick, image.len) = (page.version(), page.tick(), len);
    *copied += image.bytes.len();
    for (ticks, array) in [(&mut image.changed, page.changed), (&mut image.added, page.added)] {
        ticks.clear();
        if !array.is_null() {
            // SAFETY: the array has the page's capacity, and the first `len` ticks were written.
            ticks.extend_from_slice(unsafe { std::slice::from_raw_parts(array, len) });
        }
    }
    Ok(())
}

impl ArchetypeImage {
    fn capture(
        &mut self,
        archetype: &Archetype,
        world: &World,
        copied: &mut usize,
    ) -> Result<(), NotPlain> {
        if self.components != archetype.components {
            // Another archetype has taken the number.
            *self = ArchetypeImage {
                components: archetype.components.clone(),
                ..ArchetypeImage::default()
            };
        }
        self.len = archetype.len;
        let pages = pages_of(archetype.len);
        grow(&mut self.columns, archetype.components.len() + 1);
        for image in &mut self.columns {
            grow(image, pages);
        }
        for p in 0..pages {
            let len = archetype.page_len(p);
            capture_page(&archetype.ids.pages[p], len, &mut self.columns[0][p], copied, |out| {
                // SAFETY: the ids of rows below the length are written.
                out.extend_from_slice(unsafe {
                    std::slice::from_raw_parts(archetype.ids.at(p, 0), len * 8)
                });
                Ok(())
            })?;
            for (c, column) in archetype.columns().iter().enumerate() {
                let info = &world.registry.info(column.component).value;
                capture_page(&column.pages[p], len, &mut self.columns[c + 1][p], copied, |out| {
                    // SAFETY: rows below the length are live.
                    unsafe { pack(info, column.at(p, 0), len, out) }
                })?;
            }
        }
        Ok(())
    }

    fn restore(&self, id: u32, world: &mut World, copied: &mut usize) {
        let registry = &world.registry;
        let archetype = world.archetypes.get_mut(id);
        let old_len = archetype.len;
        let pages = pages_of(self.len);
        let same = |page: &ColPage, image: Option<&PageImage>, old: usize| {
            image.is_some_and(|i| i.version == page.version() && i.len == old)
        };
        // Values that will be overwritten or are too many end first.
        for p in 0..pages_of(old_len) {
            let old = archetype.page_len(p);
            for (c, column) in archetype.columns().iter().enumerate() {
                let image = self.columns.get(c + 1).and_then(|x| x.get(p)).filter(|_| p < pages);
                let page_image = image.filter(|i| i.len > 0);
                if same(&column.pages[p], page_image, old) {
                    continue;
                }
                if let Some(drop) = column.drop {
                    for k in 0..old {
                        // SAFETY: a live value; its page is rewritten or given back below.
                        unsafe { drop(column.at(p, k)) };
                    }
                }
            }
        }
        // SAFETY: values were dropped above; rows are written below.
        unsafe { archetype.resize_rows(self.len, &mut world.arena) };
        for p in 0..pages {
            let len = archetype.page_len(p);
            let old = (old_len.saturating_sub(crate::storage::archetype::page_start(p)))
                .min(page_capacity(p)) as usize;
            let image = &self.columns[0][p];
            let page = &archetype.ids.pages[p];
            if !same(page, Some(image), old) {
                // SAFETY: room for `len` ids.
                unsafe {
                    archetype.ids.at(p, 0).copy_from_nonoverlapping(image.bytes.as_ptr(), len * 8);
                }
                page.mark(crate::storage::Stamp { tick: image.tick, version: image.version });
                *copied += len * 8;
            }
            for (c, column) in archetype.columns().iter().enumerate() {
                let image = &self.columns[c + 1][p];
                let page = &column.pages[p];
                if same(page, Some(image), old) {
                    continue;
                }
                let info = &registry.info(column.component).value;
                // SAFETY: room for `len` values; old ones were dropped above.
                unsafe { unpack(info, &image.bytes, len, column.at(p, 0)) };
                *copied += len * column.size;
                page.mark(crate::storage::Stamp { tick: image.tick, version: image.version });
                for (ticks, array) in [(&image.changed, page.changed), (&image.added, page.added)] {
                    if array.is_null() {
                        continue;
                    }
                    for k in 0..len {
                        let tick = ticks.get(k).copied().unwrap_or(image.tick);
                        // SAFETY: the array has the page's capacity.
                        unsafe { array.add(k).write(tick) };
                    }
                }
            }
        }
    }
}

impl World {
    /// Takes back all archetypes from `len` on, so that the order of creation starts again from there.
    pub(crate) fn truncate_archetypes(&mut self, len: u32) {
        if self.archetypes.len() as u32 <= len {
            return;
        }
        self.epoch += 1;
        while self.archetypes.len() as u32 > len {
            let Some(mut last) = self.archetypes.pop() else { break };
            last.clear(&mut self.arena);
            self.by_set.remove(&last.components);
        }
        for id in 0..len {
            let archetype = self.archetypes.get_mut(id);
            for edge in &mut archetype.insert_edges {
                if edge.as_ref().is_some_and(|e| e.to >= len) {
                    *edge = None;
                }
            }
            for edge in &mut archetype.remove_edges {
                if edge.as_ref().is_some_and(|e| e.to >= len) {
                    *edge = None;
                }
            }
        }
        self.matches.truncate(len);
    }
}
