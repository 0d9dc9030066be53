//! The hash of a world: of what it holds, not of how it came to hold it.
//!
//! Covered: frame, slots and free list, archetypes in order with their rows, sparse values, pairs, resources, events, locals. Not
//! covered: ticks, capacities, addresses. A page's part is kept and reused while its version stays.
//!
//! Invariant: `hash()` equals `state_hash()`, which computes everything anew.

use crate::storage::archetype::{Archetype, Column, pages_of};
use crate::value::ValueInfo;
use crate::world::World;
use std::sync::atomic::Ordering::Relaxed;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Hashes of pages by archetype, column and page: (version, rows, hash).
#[derive(Debug, Default)]
pub(crate) struct HashCache {
    epoch: u64,
    pages: Vec<Vec<Vec<(u64, usize, u64)>>>,
    sparse: Vec<(u64, usize, u64)>,
    entities: (u64, u64),
    scratch: Vec<u8>,
}

/// Hash of `n` values that lie one behind the other.
///
/// # Safety
/// They are live values of the type.
unsafe fn hash_values(info: &ValueInfo, from: *const u8, n: usize, scratch: &mut Vec<u8>) -> u64 {
    let size = info.layout.size();
    match info.codec {
        // SAFETY: the caller's contract.
        Some(codec) if codec.pod => xxh3_64(unsafe { std::slice::from_raw_parts(from, n * size) }),
        Some(codec) => {
            scratch.clear();
            for k in 0..n {
                // SAFETY: the caller's contract.
                unsafe { (codec.encode)(from.add(k * size), scratch) };
            }
            xxh3_64(scratch)
        }
        // Presence counts even where the value cannot.
        None => n as u64,
    }
}

impl World {
    /// A hash of everything the world holds, using what is known of pages not written since the last call.
    pub fn hash(&mut self) -> u64 {
        let mut cache = std::mem::take(&mut self.hash_cache);
        let hash = self.hash_with(&mut cache);
        self.hash_cache = cache;
        // What is written from here on can be told from what was hashed.
        self.version += 1;
        hash
    }
    /// The same hash, computed anew.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.hash_with(&mut HashCache::default())
    }

    fn hash_with(&self, cache: &mut HashCache) -> u64 {
        if cache.epoch != self.epoch {
            // Archetype numbers were taken back; versions still tell pages apart, but be plain about it.
            *cache = HashCache { epoch: self.epoch, ..HashCache::default() };
        }
        let mut h = Xxh3::new();
        let put = |h: &mut Xxh3, x: u64| h.update(&x.to_le_bytes());
        put(&mut h, self.frame);
        if cache.entities.0 != self.entities.version || cache.entities.1 == 0 {
            let mut e = Xxh3::new();
            for slot in &self.entities.slots {
                let state =
                    if slot.archetype >= crate::entity::RESERVED { slot.archetype } else { 0 };
                put(&mut e, u64::from(slot.generation) << 32 | u64::from(state));
            }
            put(&mut e, self.entities.free.len() as u64);
            for &f in &self.entities.free {
                e.update(&f.to_le_bytes());
            }
            cache.entities = (self.entities.version, e.digest());
        }
        put(&mut h, cache.entities.1);
        if cache.pages.len() < self.archetypes.len() {
            cache.pages.resize_with(self.archetypes.len(), Vec::new);
        }
        for (archetype, pages) in self.archetypes.iter().zip(&mut cache.pages) {
            put(&mut h, u64::from(archetype.len));
            self.hash_archetype(archetype, pages, &mut cache.scratch, &mut h);
        }
        cache.sparse.resize(self.sparse.len(), (0, usize::MAX, 0));
        for (i, set) in self.sparse.iter().enumerate() {
            // What is merely registered does not count.
            let Some(set) = set.as_ref().filter(|s| s.len() > 0) else { continue };
            let known = &mut cache.sparse[i];
            let version = set.version.load(Relaxed);
            if known.0 != version || known.1 != set.len() {
                let info = &self.registry.infos[i].value;
                let mut order: Vec<usize> = (0..set.len()).collect();
                order.sort_unstable_by_key(|&k| set.rows[k].entity.index());
                let mut s = Xxh3::new();
                for k in order {
                    put(&mut s, set.rows[k].entity.to_bits());
                    // SAFETY: `k` is below the length.
                    put(&mut s, unsafe { hash_values(info, set.at(k), 1, &mut cache.scratch) });
                }
                *known = (version, set.len(), s.digest());
            }
            h.update(self.registry.infos[i].value.name.as_bytes());
            put(&mut h, known.2);
        }
        let mut bytes = Vec::new();
        for store in &self.relations {
            if store.len() == 0 {
                continue;
            }
            bytes.clear();
            h.update(store.info().name.as_bytes());
            if store.encode(&mut bytes).is_ok() {
                put(&mut h, xxh3_64(&bytes));
            }
        }
        let mut named: Vec<(&str, u64)> = Vec::new();
        for cell in &self.resources.cells {
            if let (Some(info), Some(value)) = (&cell.info, &cell.value)
                && !cell.transient
            {
                // SAFETY: the cell holds a live value.
                named.push((info.name, unsafe {
                    hash_values(info, value.ptr(), 1, &mut cache.scratch)
                }));
            }
        }
        named.sort_unstable();
        for (name, x) in named.drain(..) {
            h.update(name.as_bytes());
            put(&mut h, x);
        }
        for (queue, info) in self.events.queues.iter().zip(&self.events.infos) {
            if queue.len() > 0 {
                // SAFETY: a queue's items lie one behind the other, all live.
                let x = unsafe { hash_values(info, queue.at(0), queue.len(), &mut cache.scratch) };
                named.push((info.name, x ^ queue.marks()[0]));
            }
        }
        named.sort_unstable();
        for (name, x) in named {
            h.update(name.as_bytes());
            put(&mut h, x);
        }
        // Cells restored before their system was made count like those that are open. Ticks of last runs are not content.
        let mut cells: Vec<(&str, u64)> = Vec::new();
        for cell in &self.cells.list {
            // SAFETY: the cell holds a live value.
            let x = unsafe { hash_values(&cell.info, cell.value.ptr(), 1, &mut cache.scratch) };
            cells.push((&cell.key, x));
        }
        cells.extend(self.cells.waiting.iter().map(|(key, bytes)| (key.as_str(), xxh3_64(bytes))));
        cells.retain(|c| !c.0.ends_with("/last-run"));
        cells.sort_unstable();
        for (key, x) in cells {
            h.update(key.as_bytes());
            put(&mut h, x);
        }
        h.digest()
    }

    fn hash_archetype(
        &self,
        archetype: &Archetype,
        known: &mut Vec<Vec<(u64, usize, u64)>>,
        scratch: &mut Vec<u8>,
        h: &mut Xxh3,
    ) {
        let pages = pages_of(archetype.len);
        known.resize_with(archetype.components.len() + 1, Vec::new);
        let mut one = |column: &Column,
                       info: Option<&ValueInfo>,
                       known: &mut Vec<(u64, usize, u64)>| {
            known.resize(pages, (0, usize::MAX, 0));
            for (p, known) in known.iter_mut().enumerate() {
                let len = archetype.page_len(p);
                let version = column.pages[p].version();
                if known.0 != version || known.1 != len {
                    // SAFETY: rows below the length are live; ids are plain.
                    let hash = unsafe {
                        match info {
                            Some(info) => hash_values(info, column.at(p, 0), len, scratch),
                            None => xxh3_64(std::slice::from_raw_parts(column.at(p, 0), len * 8)),
                        }
                    };
                    *known = (version, len, hash);
                }
                h.update(&known.2.to_le_bytes());
            }
        };
        // Columns by name: component numbers depend on the order of registration.
        let mut order: Vec<(&str, usize)> = archetype
            .components
            .iter()
            .enumerate()
            .map(|(i, &c)| (self.registry.info(c).value.name, i))
            .collect();
        order.sort_unstable();
        one(&archetype.ids, None, &mut known[0]);
        for &(_, c) in &order {
            let column = &archetype.columns()[c];
            let info = &self.registry.info(column.component).value;
            one(column, Some(info), &mut known[c + 1]);
        }
        for (name, _) in order {
            h.update(name.as_bytes());
        }
    }
}
