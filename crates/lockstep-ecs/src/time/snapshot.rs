//! Snapshots: a world as canonical bytes, and the differences between two of them.
//!
//! A snapshot is a list of named blocks in order of their names; the same state gives the same bytes. It holds all state: frame,
//! ticks, slots, generations, free list, archetypes and rows in order, sparse values, pairs, resources, events with their numbers,
//! what systems remember. Integers are little-endian. Types are named, and a hash over their fields is checked.
//!
//! Invariant: `restore` changes nothing unless the whole snapshot was found good.

use super::NotPlain;
use crate::component::{ComponentId, Storage};
use crate::entity::{Entity, FREE, RESERVED, Slot};
use crate::erased::ErasedBox;
use crate::plain::{DecodeError, Plain, Reader, put_slice};
use crate::storage::Stamp;
use crate::storage::archetype::{locate, page_capacity, page_start, pages_of};
use crate::value::ValueInfo;
use crate::world::{Removal, World};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"LSECSNAP";
const VERSION: u32 = 1;
const SLOTS_A_BLOCK: usize = 4096;

/// A world's whole state as named blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    blocks: BTreeMap<String, Vec<u8>>,
}

/// Runs of bytes: (start, bytes).
type Runs = Vec<(u32, Vec<u8>)>;

/// What turns one snapshot into another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    base: u64,
    result: u64,
    gone: Vec<String>,
    /// Name, length of the result, and runs of bytes that differ: (start, bytes).
    changed: Vec<(String, u32, Runs)>,
}

/// Why a delta cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeltaError {
    /// It starts from another snapshot: ask for a whole one.
    NeedBaseline,
    /// It is damaged.
    Decode(DecodeError),
}

impl std::fmt::Display for DeltaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DeltaError::NeedBaseline => f.write_str("the delta starts from another snapshot"),
            DeltaError::Decode(e) => e.fmt(f),
        }
    }
}
impl std::error::Error for DeltaError {}
impl From<DecodeError> for DeltaError {
    fn from(e: DecodeError) -> Self {
        DeltaError::Decode(e)
    }
}

impl Snapshot {
    /// The blocks, by name.
    pub fn blocks(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.blocks.iter().map(|(k, v)| (k.as_str(), v.as_slice()))
    }
    /// A hash over all blocks.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut h = xxhash_rust::xxh3::Xxh3::new();
        for (k, v) in &self.blocks {
            h.update(k.as_bytes());
            h.update(&(v.len() as u64).to_le_bytes());
            h.update(v);
        }
        h.digest()
    }
    /// The frame it was taken after.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.blocks.get("0head").and_then(|b| u64::decode(&mut Reader::new(b)).ok()).unwrap_or(0)
    }
    /// Bytes to keep or send.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        VERSION.encode(&mut out);
        (self.blocks.len() as u32).encode(&mut out);
        for (k, v) in &self.blocks {
            put_slice(&mut out, k.as_bytes());
            put_slice(&mut out, v);
        }
        let sum = xxh3_64(&out);
        sum.encode(&mut out);
        out
    }
    /// Reads what [`Snapshot::to_bytes`] wrote.
    ///
    /// # Errors
    /// On anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let body = bytes.len().checked_sub(8).ok_or(DecodeError::Truncated)?;
        if !bytes.starts_with(MAGIC) {
            return Err(DecodeError::Version);
        }
        let sum = u64::decode(&mut Reader::new(&bytes[body..]))?;
        if sum != xxh3_64(&bytes[..body]) {
            return Err(DecodeError::Tag);
        }
        let mut r = Reader::new(&bytes[8..body]);
        if u32::decode(&mut r)? != VERSION {
            return Err(DecodeError::Version);
        }
        let n = r.count(8)?;
        let mut blocks = BTreeMap::new();
        let mut last: Option<String> = None;
        for _ in 0..n {
            let name = r.string()?.to_owned();
            if last.as_ref().is_some_and(|l| *l >= name) {
                return Err(DecodeError::Tag);
            }
            blocks.insert(name.clone(), r.slice()?.to_vec());
            last = Some(name);
        }
        r.end()?;
        Ok(Snapshot { blocks })
    }

    /// What turns `self` into `new`; its size follows what differs.
    #[must_use]
    pub fn delta_to(&self, new: &Snapshot) -> Delta {
        let gone = self.blocks.keys().filter(|k| !new.blocks.contains_key(*k)).cloned().collect();
        let mut changed = Vec::new();
        for (name, bytes) in &new.blocks {
            let old = self.blocks.get(name).map_or(&[][..], Vec::as_slice);
            if self.blocks.contains_key(name) && old == bytes.as_slice() {
                continue;
            }
            changed.push((name.clone(), bytes.len() as u32, runs(old, bytes)));
        }
        Delta { base: self.hash(), result: new.hash(), gone, changed }
    }
    /// The snapshot that a delta from this one leads to.
    ///
    /// # Errors
    /// When the delta starts elsewhere or is damaged.
    pub fn apply(&self, delta: &Delta) -> Result<Snapshot, DeltaError> {
        if self.hash() != delta.base {
            return Err(DeltaError::NeedBaseline);
        }
        let mut out = self.clone();
        for name in &delta.gone {
            out.blocks.remove(name);
        }
        for (name, len, runs) in &delta.changed {
            let block = out.blocks.entry(name.clone()).or_default();
            block.resize(*len as usize, 0);
            for (start, bytes) in runs {
                let start = *start as usize;
                let to = block.get_mut(start..start + bytes.len()).ok_or(DecodeError::Truncated)?;
                to.copy_from_slice(bytes);
            }
        }
        if out.hash() != delta.result {
            return Err(DeltaError::Decode(DecodeError::Tag));
        }
        Ok(out)
    }
}

/// Runs of `new` that differ from `old`; gaps of less than 8 equal bytes are bridged.
fn runs(old: &[u8], new: &[u8]) -> Runs {
    let mut out = Runs::new();
    let mut k = 0;
    while k < new.len() {
        if old.get(k) == Some(&new[k]) {
            k += 1;
            continue;
        }
        let start = k;
        let mut end = k + 1;
        let mut at = end;
        while at < new.len() && at < end + 8 {
            if old.get(at) != Some(&new[at]) {
                end = at + 1;
            }
            at += 1;
        }
        out.push((start as u32, new[start..end].to_vec()));
        k = end;
    }
    out
}

impl Delta {
    /// Bytes to send.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = b"LSECDELT".to_vec();
        VERSION.encode(&mut out);
        self.base.encode(&mut out);
        self.result.encode(&mut out);
        (self.gone.len() as u32).encode(&mut out);
        self.gone.iter().for_each(|g| put_slice(&mut out, g.as_bytes()));
        (self.changed.len() as u32).encode(&mut out);
        for (name, len, runs) in &self.changed {
            put_slice(&mut out, name.as_bytes());
            len.encode(&mut out);
            (runs.len() as u32).encode(&mut out);
            for (start, bytes) in runs {
                start.encode(&mut out);
                put_slice(&mut out, bytes);
            }
        }
        out
    }
    /// Reads what [`Delta::to_bytes`] wrote.
    ///
    /// # Errors
    /// On anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut r = Reader::new(bytes);
        if r.take(8)? != b"LSECDELT" || u32::decode(&mut r)? != VERSION {
            return Err(DecodeError::Version);
        }
        let (base, result) = (u64::decode(&mut r)?, u64::decode(&mut r)?);
        let mut gone = Vec::new();
        for _ in 0..r.count(4)? {
            gone.push(r.string()?.to_owned());
        }
        let mut changed = Vec::new();
        for _ in 0..r.count(12)? {
            let name = r.string()?.to_owned();
            let len = u32::decode(&mut r)?;
            let mut runs = Vec::new();
            for _ in 0..r.count(8)? {
                runs.push((u32::decode(&mut r)?, r.slice()?.to_vec()));
            }
            // A block's length is bounded by what was there and what comes, never by a claim.
            changed.push((name, len.min(1 << 30), runs));
        }
        r.end()?;
        Ok(Delta { base, result, gone, changed })
    }
}

/// Why a snapshot could not be restored. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// A type of the snapshot is not registered here.
    Unknown(String),
    /// A type has other fields here.
    Schema(String),
    /// A block is missing or damaged.
    Damaged(String),
}

impl std::fmt::Display for RestoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RestoreError::Unknown(n) => {
                write!(f, "the snapshot holds {n}, which is not registered here")
            }
            RestoreError::Schema(n) => write!(f, "{n} has other fields here than in the snapshot"),
            RestoreError::Damaged(n) => write!(f, "the block {n} of the snapshot is damaged"),
        }
    }
}
impl std::error::Error for RestoreError {}

struct ArchetypePlan {
    names: Vec<String>,
    ids: Vec<ComponentId>,
    len: u32,
    entities: Vec<Entity>,
}

/// Encodes `n` values that lie one behind the other.
///
/// # Safety
/// They are live values of the type.
unsafe fn encode_values(
    info: &ValueInfo,
    kind: &'static str,
    from: *const u8,
    n: usize,
    out: &mut Vec<u8>,
) -> Result<(), NotPlain> {
    let codec = info.codec.ok_or(NotPlain { name: info.name, kind })?;
    let size = info.layout.size();
    // SAFETY: the caller's contract.
    unsafe {
        if codec.pod {
            out.extend_from_slice(std::slice::from_raw_parts(from, n * size));
        } else {
            (0..n).for_each(|k| (codec.encode)(from.add(k * size), out));
        }
    }
    Ok(())
}

/// Whether `n` values can be read; reads them into a box and drops them.
fn check_values(info: &ValueInfo, r: &mut Reader<'_>, n: usize) -> bool {
    let Some(codec) = info.codec else { return false };
    if codec.pod {
        return r.take(n * info.layout.size()).is_ok();
    }
    let mut room = ErasedBox::room(info.layout, info.drop);
    for _ in 0..n {
        // SAFETY: room for one value; live when `decode` succeeds, and dropped before the next.
        unsafe {
            if (codec.decode)(r, room.ptr()).is_err() {
                return false;
            }
            room.set_live();
        }
        room.clear();
    }
    true
}

/// Reads `n` values that were checked before.
///
/// # Safety
/// There is room for them at `to`.
unsafe fn read_values(info: &ValueInfo, r: &mut Reader<'_>, n: usize, to: *mut u8) {
    let codec = info.codec.expect("checked before");
    let size = info.layout.size();
    // SAFETY: the caller's contract.
    unsafe {
        if codec.pod {
            let bytes = r.take(n * size).expect("checked before");
            to.copy_from_nonoverlapping(bytes.as_ptr(), n * size);
        } else {
            for k in 0..n {
                (codec.decode)(r, to.add(k * size)).expect("checked before");
            }
        }
    }
}

impl World {
    /// All state as canonical bytes.
    ///
    /// # Errors
    /// When something has no encoding: the error names it.
    pub fn snapshot(&self) -> Result<Snapshot, NotPlain> {
        let mut blocks = BTreeMap::new();
        let mut schema: BTreeMap<String, u64> = BTreeMap::new();
        let mut head = Vec::new();
        (self.frame, self.tick, self.observers.seen).encode(&mut head);
        blocks.insert("0head".to_owned(), head);
        for (k, slots) in self.entities.slots.chunks(SLOTS_A_BLOCK).enumerate() {
            let mut out = Vec::with_capacity(slots.len() * 5);
            for s in slots {
                s.generation.encode(&mut out);
                out.push(match s.archetype {
                    FREE => 0,
                    RESERVED => 2,
                    _ => 1,
                });
            }
            blocks.insert(format!("1slots/{k:06}"), out);
        }
        let mut free = Vec::new();
        self.entities.free.encode(&mut free);
        blocks.insert("1free".to_owned(), free);

        let mut note = |kind: &'static str, info: &ValueInfo| -> Result<(), NotPlain> {
            let codec = info.codec.ok_or(NotPlain { name: info.name, kind })?;
            schema.insert(format!("{kind} {}", info.name), codec.schema);
            Ok(())
        };
        for (a, archetype) in self.archetypes.iter().enumerate() {
            let mut names: Vec<(&str, usize)> = Vec::new();
            for (c, &id) in archetype.components.iter().enumerate() {
                let info = &self.registry.info(id).value;
                if archetype.len > 0 || info.codec.is_some() {
                    note("component", info)?;
                }
                names.push((info.name, c));
            }
            names.sort_unstable();
            let mut out = Vec::new();
            archetype.len.encode(&mut out);
            (names.len() as u32).encode(&mut out);
            names.iter().for_each(|(n, _)| put_slice(&mut out, n.as_bytes()));
            blocks.insert(format!("3arch/{a:06}"), out);
            for p in 0..pages_of(archetype.len) {
                let n = archetype.page_len(p);
                // SAFETY: ids below the page's length are written.
                let ids = unsafe { std::slice::from_raw_parts(archetype.ids.at(p, 0), n * 8) };
                blocks.insert(format!("3arch/{a:06}/ids/{p:06}"), ids.to_vec());
                for &(name, c) in &names {
                    let column = &archetype.columns()[c];
                    let page = &column.pages[p];
                    let info = &self.registry.info(column.component).value;
                    let mut out = Vec::with_capacity(8 + n * column.size);
                    page.tick().encode(&mut out);
                    // SAFETY: rows below the page's length are live.
                    unsafe { encode_values(info, "component", column.at(p, 0), n, &mut out)? };
                    blocks.insert(format!("3arch/{a:06}/col/{name}/{p:06}"), out);
                    for (kind, array) in [("changed", page.changed), ("added", page.added)] {
                        if !array.is_null() {
                            // SAFETY: tick arrays have the page's capacity, all rows below the length are written.
                            let ticks = unsafe { std::slice::from_raw_parts(array, n) };
                            let mut out = Vec::with_capacity(n * 8);
                            ticks.iter().for_each(|t| t.encode(&mut out));
                            blocks.insert(format!("3arch/{a:06}/{kind}/{name}/{p:06}"), out);
                        }
                    }
                }
            }
        }
        for (i, set) in self.sparse.iter().enumerate() {
            let Some(set) = set.as_ref().filter(|s| s.len() > 0) else { continue };
            let info = &self.registry.infos[i].value;
            note("component", info)?;
            let mut order: Vec<usize> = (0..set.len()).collect();
            order.sort_unstable_by_key(|&k| set.rows[k].entity.index());
            let mut out = Vec::new();
            (set.len() as u32).encode(&mut out);
            for k in order {
                let row = set.rows[k];
                (row.entity, row.changed, row.added).encode(&mut out);
                // SAFETY: `k` is below the length.
                unsafe { encode_values(info, "component", set.at(k), 1, &mut out)? };
            }
            blocks.insert(format!("4sparse/{}", info.name), out);
        }
        for store in &self.relations {
            if store.len() == 0 {
                continue;
            }
            let info = store.info();
            note("relation", info)?;
            let mut out = Vec::new();
            store.encode(&mut out).map_err(|name| NotPlain { name, kind: "relation" })?;
            blocks.insert(format!("5pairs/{}", info.name), out);
        }
        for cell in &self.resources.cells {
            let (Some(info), Some(value)) = (&cell.info, &cell.value) else { continue };
            if cell.transient {
                continue;
            }
            note("resource", info)?;
            let mut out = Vec::new();
            cell.tick.load(Relaxed).encode(&mut out);
            // SAFETY: the cell holds a live value.
            unsafe { encode_values(info, "resource", value.ptr(), 1, &mut out)? };
            blocks.insert(format!("6res/{}", info.name), out);
        }
        for (queue, info) in self.events.queues.iter().zip(&self.events.infos) {
            let marks = queue.marks();
            if queue.len() == 0 && marks == [0; 3] {
                continue;
            }
            let mut out = Vec::new();
            marks.encode(&mut out);
            (queue.len() as u32).encode(&mut out);
            if queue.len() > 0 {
                note("event", info)?;
                // SAFETY: a queue's items lie one behind the other, all live.
                unsafe { encode_values(info, "event", queue.at(0), queue.len(), &mut out)? };
            }
            blocks.insert(format!("7events/{}", info.name), out);
        }
        for cell in &self.cells.list {
            let mut out = Vec::new();
            // SAFETY: the cell holds a live value.
            unsafe { encode_values(&cell.info, "local", cell.value.ptr(), 1, &mut out)? };
            blocks.insert(format!("8cell/{}", cell.key), out);
        }
        for (key, bytes) in &self.cells.waiting {
            blocks.insert(format!("8cell/{key}"), bytes.clone());
        }
        for (i, log) in self.removals.iter().enumerate() {
            if log.entries.is_empty() && log.base == 0 && log.current == 0 {
                continue;
            }
            let mut out = Vec::new();
            [log.base, log.previous, log.current].encode(&mut out);
            (log.entries.len() as u32).encode(&mut out);
            for r in &log.entries {
                (r.entity, r.tick, r.added).encode(&mut out);
            }
            blocks.insert(format!("9gone/{}", self.registry.infos[i].value.name), out);
        }
        let mut out = Vec::new();
        (schema.len() as u32).encode(&mut out);
        for (name, hash) in schema {
            put_slice(&mut out, name.as_bytes());
            hash.encode(&mut out);
        }
        blocks.insert("2schema".to_owned(), out);
        Ok(Snapshot { blocks })
    }

    /// Whether every type of the snapshot is here with the same fields.
    fn check_schema(&self, block: &[u8]) -> Result<(), RestoreError> {
        let damaged = |_| RestoreError::Damaged("2schema".to_owned());
        let mut r = Reader::new(block);
        let n = r.count(12).map_err(damaged)?;
        for _ in 0..n {
            let name = r.string().map_err(damaged)?;
            let hash = u64::decode(&mut r).map_err(damaged)?;
            let (kind, bare) = name.split_once(' ').unwrap_or(("", name));
            let info = match kind {
                "component" => self.registry.by_name(bare).map(|c| &self.registry.info(c).value),
                "relation" => self.relations.iter().map(|s| s.info()).find(|i| i.name == bare),
                "resource" => {
                    self.resources.by_name(bare).and_then(|k| self.resources.cells[k].info.as_ref())
                }
                "event" => self.events.by_name(bare).map(|k| &self.events.infos[k]),
                _ => None,
            };
            let info = info.ok_or_else(|| RestoreError::Unknown(name.to_owned()))?;
            if info.codec.map(|c| c.schema) != Some(hash) {
                return Err(RestoreError::Schema(name.to_owned()));
            }
        }
        r.end().map_err(damaged)
    }

    /// Replaces all state by the snapshot's. Handles of the snapshot are valid afterwards; as often as wanted.
    ///
    /// # Errors
    /// When the snapshot does not fit or is damaged; nothing was changed then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), RestoreError> {
        let damaged = |name: &str| RestoreError::Damaged(name.to_owned());
        let block = |name: &str| snapshot.blocks.get(name).ok_or_else(|| damaged(name));
        self.check_schema(block("2schema")?)?;
        let mut r = Reader::new(block("0head")?);
        let (frame, tick, seen) =
            <(u64, u64, u64)>::decode(&mut r).map_err(|_| damaged("0head"))?;

        // Everything is read and checked before anything is changed.
        let mut slots: Vec<Slot> = Vec::new();
        for (name, bytes) in snapshot.blocks.range("1slots/".to_owned().."1slots0".to_owned()) {
            let mut r = Reader::new(bytes);
            while r.left() > 0 {
                let generation = u32::decode(&mut r).map_err(|_| damaged(name))?;
                let archetype = match u8::decode(&mut r).map_err(|_| damaged(name))? {
                    0 => FREE,
                    1 => 0,
                    2 => RESERVED,
                    _ => return Err(damaged(name)),
                };
                slots.push(Slot { generation, archetype, at: u32::MAX });
            }
        }
        let free =
            Vec::<u32>::decode(&mut Reader::new(block("1free")?)).map_err(|_| damaged("1free"))?;
        let mut is_free = vec![false; slots.len()];
        for &f in &free {
            let ok = slots.get(f as usize).is_some_and(|s| s.archetype == FREE)
                && !std::mem::replace(&mut is_free[f as usize], true);
            if !ok {
                return Err(damaged("1free"));
            }
        }
        let mut plans: Vec<ArchetypePlan> = Vec::new();
        loop {
            let a = plans.len();
            let name = format!("3arch/{a:06}");
            let Some(bytes) = snapshot.blocks.get(&name) else { break };
            plans.push(self.plan_archetype(snapshot, &name, bytes, &slots)?);
        }
        if plans.first().is_none_or(|p| !p.ids.is_empty()) {
            return Err(damaged("3arch/000000"));
        }
        let mut placed = 0;
        for (a, plan) in plans.iter().enumerate() {
            for (row, e) in plan.entities.iter().enumerate() {
                let slot = &mut slots[e.index() as usize];
                if slot.at != u32::MAX {
                    return Err(damaged("3arch"));
                }
                let (page, offset) = locate(row as u32);
                (slot.archetype, slot.at) = (a as u32, Slot::pack(page, offset));
                placed += 1;
            }
        }
        let live = slots.iter().filter(|s| s.archetype < RESERVED).count();
        if live != placed || slots.iter().any(|s| s.archetype < RESERVED && s.at == u32::MAX) {
            return Err(damaged("1slots"));
        }
        let alive = |e: Entity| {
            slots
                .get(e.index() as usize)
                .is_some_and(|s| s.archetype < RESERVED && s.generation == e.generation())
        };
        for (name, bytes) in snapshot.blocks.range("4".to_owned()..) {
            self.check_block(name, bytes, &alive)?;
        }

        // From here on nothing can fail.
        self.pending.clear();
        self.hash_cache = crate::time::HashCache::default();
        self.version += 1;
        let version = self.version;
        (self.frame, self.tick, self.observers.seen) = (frame, tick, seen);
        self.truncate_archetypes(1);
        self.archetypes.get_mut(0).clear(&mut self.arena);
        // Row numbers and columns changed even if archetypes did not.
        self.epoch += 1;
        self.entities.slots = slots;
        self.entities.free = free;
        self.entities.alive = placed as u32;
        self.entities.version = version;
        for (a, plan) in plans.iter().enumerate() {
            self.fill_archetype(snapshot, a, plan, version);
        }
        for set in self.sparse.iter_mut().flatten() {
            set.clear();
            set.mark(Stamp { tick: 0, version });
        }
        self.relations.iter_mut().for_each(|r| r.clear());
        for cell in self.resources.cells.iter_mut().filter(|c| c.info.is_some() && !c.transient) {
            cell.value = None;
            cell.version.store(version, Relaxed);
        }
        self.events.queues.iter_mut().for_each(|q| q.reset([0; 3]));
        self.cells.list.iter_mut().for_each(crate::system::cells::Cell::reset);
        self.cells.waiting.clear();
        self.removals.iter_mut().for_each(|l| *l = crate::world::RemovalLog::default());
        for (name, bytes) in snapshot.blocks.range("4".to_owned()..) {
            self.read_block(name, bytes, version);
        }
        self.version += 1;
        Ok(())
    }

    fn plan_archetype(
        &self,
        snapshot: &Snapshot,
        name: &str,
        bytes: &[u8],
        slots: &[Slot],
    ) -> Result<ArchetypePlan, RestoreError> {
        let damaged = |name: &str| RestoreError::Damaged(name.to_owned());
        let fail = |_| damaged(name);
        let mut r = Reader::new(bytes);
        let len = u32::decode(&mut r).map_err(fail)?;
        if len as usize > slots.len() {
            return Err(damaged(name));
        }
        let n = r.count(4).map_err(fail)?;
        let mut names = Vec::new();
        let mut ids = Vec::new();
        for _ in 0..n {
            let c = r.string().map_err(fail)?;
            let id = self
                .registry
                .by_name(c)
                .ok_or_else(|| RestoreError::Unknown(format!("component {c}")))?;
            if ids.contains(&id) || self.registry.info(id).storage != Storage::Table {
                return Err(RestoreError::Schema(format!("component {c}")));
            }
            names.push(c.to_owned());
            ids.push(id);
        }
        r.end().map_err(fail)?;
        let mut entities = Vec::new();
        for p in 0..pages_of(len) {
            let rows = (len - page_start(p)).min(page_capacity(p)) as usize;
            let key = format!("{name}/ids/{p:06}");
            let bytes = snapshot.blocks.get(&key).ok_or_else(|| damaged(&key))?;
            if bytes.len() != rows * 8 {
                return Err(damaged(&key));
            }
            let mut r = Reader::new(bytes);
            for _ in 0..rows {
                let e = Entity::decode(&mut r).map_err(|_| damaged(&key))?;
                let slot = slots.get(e.index() as usize);
                if slot
                    .is_none_or(|s| s.archetype != 0 || s.generation != (e.to_bits() >> 32) as u32)
                {
                    return Err(damaged(&key));
                }
                entities.push(e);
            }
            for (c, id) in names.iter().zip(&ids) {
                let key = format!("{name}/col/{c}/{p:06}");
                let bytes = snapshot.blocks.get(&key).ok_or_else(|| damaged(&key))?;
                let mut r = Reader::new(bytes);
                u64::decode(&mut r).map_err(|_| damaged(&key))?;
                if !check_values(&self.registry.info(*id).value, &mut r, rows) || r.left() > 0 {
                    return Err(damaged(&key));
                }
                for kind in ["changed", "added"] {
                    let key = format!("{name}/{kind}/{c}/{p:06}");
                    if snapshot.blocks.get(&key).is_some_and(|b| b.len() != rows * 8) {
                        return Err(damaged(&key));
                    }
                }
            }
        }
        Ok(ArchetypePlan { names, ids, len, entities })
    }

    fn fill_archetype(
        &mut self,
        snapshot: &Snapshot,
        a: usize,
        plan: &ArchetypePlan,
        version: u64,
    ) {
        for (name, &id) in plan.names.iter().zip(&plan.ids) {
            let has =
                |kind| snapshot.blocks.contains_key(&format!("3arch/{a:06}/{kind}/{name}/000000"));
            self.track(id, has("changed"), has("added"), false);
        }
        let mut set = plan.ids.clone();
        set.sort_unstable();
        let id = self.archetype_of(&set);
        debug_assert_eq!(id as usize, a);
        let registry = &self.registry;
        let archetype = self.archetypes.get_mut(id);
        // SAFETY: the archetype is empty, and all rows are written below.
        unsafe { archetype.resize_rows(plan.len, &mut self.arena) };
        for p in 0..pages_of(plan.len) {
            let rows = archetype.page_len(p);
            let ids = &snapshot.blocks[&format!("3arch/{a:06}/ids/{p:06}")];
            // SAFETY: room for as many ids; the length was checked.
            unsafe { archetype.ids.at(p, 0).copy_from_nonoverlapping(ids.as_ptr(), rows * 8) };
            archetype.ids.pages[p].mark(Stamp { tick: 0, version });
            for (name, &c) in plan.names.iter().zip(&plan.ids) {
                let Some(column) = archetype.column_index(c) else { continue };
                let column = &archetype.columns()[column];
                let mut r =
                    Reader::new(&snapshot.blocks[&format!("3arch/{a:06}/col/{name}/{p:06}")]);
                let tick = u64::decode(&mut r).expect("checked before");
                // SAFETY: room for as many values.
                unsafe { read_values(&registry.info(c).value, &mut r, rows, column.at(p, 0)) };
                let page = &column.pages[p];
                page.mark(Stamp { tick, version });
                for (kind, array) in [("changed", page.changed), ("added", page.added)] {
                    if array.is_null() {
                        continue;
                    }
                    let bytes = snapshot.blocks.get(&format!("3arch/{a:06}/{kind}/{name}/{p:06}"));
                    let mut r = Reader::new(bytes.map_or(&[], Vec::as_slice));
                    for k in 0..rows {
                        let tick = u64::decode(&mut r).unwrap_or(tick);
                        // SAFETY: the array has the page's capacity.
                        unsafe { array.add(k).write(tick) };
                    }
                }
            }
        }
    }

    fn check_block(
        &self,
        name: &str,
        bytes: &[u8],
        alive: &dyn Fn(Entity) -> bool,
    ) -> Result<(), RestoreError> {
        let good = (|| -> Option<()> {
            let (kind, bare) = name.split_once('/')?;
            let mut r = Reader::new(bytes);
            match kind {
                "4sparse" => {
                    let info = self.registry.info(self.registry.by_name(bare)?);
                    if info.storage != Storage::Sparse {
                        return None;
                    }
                    let n = r.count(24).ok()?;
                    let mut last = None;
                    for _ in 0..n {
                        let (e, _, _) = <(Entity, u64, u64)>::decode(&mut r).ok()?;
                        if !alive(e) || last.is_some_and(|l| l >= e.index()) {
                            return None;
                        }
                        last = Some(e.index());
                        check_values(&info.value, &mut r, 1).then_some(())?;
                    }
                }
                "5pairs" => {
                    let store = self.relations.iter().find(|s| s.info().name == bare)?;
                    let n = r.count(16).ok()?;
                    for _ in 0..n {
                        let (s, t) = <(Entity, Entity)>::decode(&mut r).ok()?;
                        if !alive(s) || !alive(t) {
                            return None;
                        }
                        check_values(store.info(), &mut r, 1).then_some(())?;
                    }
                }
                "6res" => {
                    let cell = &self.resources.cells[self.resources.by_name(bare)?];
                    u64::decode(&mut r).ok()?;
                    check_values(cell.info.as_ref()?, &mut r, 1).then_some(())?;
                }
                "7events" => {
                    let marks = <[u64; 3]>::decode(&mut r).ok()?;
                    let n = r.count(0).ok()? as u64;
                    if n == 0 {
                        return (r.left() == 0).then_some(());
                    }
                    let end = marks[0].checked_add(n)?;
                    if marks[1] > end || marks[2] > end {
                        return None;
                    }
                    let info = &self.events.infos[self.events.by_name(bare)?];
                    check_values(info, &mut r, n as usize).then_some(())?;
                }
                "8cell" => {
                    if let Some(&i) = self.cells.by_key.get(bare) {
                        check_values(&self.cells.list[i as usize].info, &mut r, 1).then_some(())?;
                    } else {
                        return Some(());
                    }
                }
                "9gone" => {
                    self.registry.by_name(bare)?;
                    <[u64; 3]>::decode(&mut r).ok()?;
                    let n = r.count(24).ok()?;
                    for _ in 0..n {
                        <(Entity, u64, u64)>::decode(&mut r).ok()?;
                    }
                }
                _ => return None,
            }
            r.end().ok()
        })();
        good.ok_or_else(|| RestoreError::Damaged(name.to_owned()))
    }

    fn read_block(&mut self, name: &str, bytes: &[u8], version: u64) {
        let Some((kind, bare)) = name.split_once('/') else { return };
        let mut r = Reader::new(bytes);
        match kind {
            "4sparse" => {
                let Some(id) = self.registry.by_name(bare) else { return };
                let Some(set) = &mut self.sparse[id.index()] else { return };
                let info = &self.registry.info(id).value;
                let n = r.count(24).unwrap_or(0);
                let mut top = 0;
                for _ in 0..n {
                    let (e, changed, added) =
                        <(Entity, u64, u64)>::decode(&mut r).expect("checked before");
                    let to = set.push(e, Stamp { tick: changed, version });
                    // SAFETY: `push` makes room for one value.
                    unsafe { read_values(info, &mut r, 1, to) };
                    set.rows.last_mut().expect("just pushed").added = added;
                    top = top.max(changed);
                }
                set.mark(Stamp { tick: top, version });
            }
            "5pairs" => {
                if let Some(store) = self.relations.iter_mut().find(|s| s.info().name == bare) {
                    store.decode(&mut r).expect("checked before");
                }
            }
            "6res" => {
                let Some(k) = self.resources.by_name(bare) else { return };
                let cell = &mut self.resources.cells[k];
                let Some(info) = &cell.info else { return };
                let tick = u64::decode(&mut r).expect("checked before");
                let mut value = ErasedBox::room(info.layout, info.drop);
                // SAFETY: room for one value, live afterwards.
                unsafe {
                    read_values(info, &mut r, 1, value.ptr());
                    value.set_live();
                }
                cell.value = Some(value);
                cell.mark(Stamp { tick, version });
            }
            "7events" => {
                let Some(k) = self.events.by_name(bare) else { return };
                let marks = <[u64; 3]>::decode(&mut r).expect("checked before");
                let n = r.count(0).unwrap_or(0);
                let queue = &mut self.events.queues[k];
                queue.reset(marks);
                if let Some(codec) = self.events.infos[k].codec {
                    for _ in 0..n {
                        // SAFETY: the codec is that of the queue's type.
                        unsafe { queue.push_decoded(&codec, &mut r) }.expect("checked before");
                    }
                }
            }
            "8cell" => match self.cells.by_key.get(bare) {
                Some(&i) => {
                    let cell = &mut self.cells.list[i as usize];
                    cell.value.clear();
                    // SAFETY: room for one value, live afterwards.
                    unsafe {
                        read_values(&cell.info, &mut r, 1, cell.value.ptr());
                        cell.value.set_live();
                    }
                }
                None => {
                    self.cells.waiting.insert(bare.to_owned(), bytes.to_vec());
                }
            },
            "9gone" => {
                let Some(id) = self.registry.by_name(bare) else { return };
                let [base, previous, current] = <[u64; 3]>::decode(&mut r).expect("checked before");
                let n = r.count(24).unwrap_or(0);
                let entries = (0..n)
                    .map(|_| {
                        let (entity, tick, added) =
                            <(Entity, u64, u64)>::decode(&mut r).expect("checked before");
                        Removal { entity, tick, added }
                    })
                    .collect();
                self.registry.infos[id.index()].track_removed = true;
                self.registry.removals_watched = true;
                self.removals[id.index()] =
                    crate::world::RemovalLog { entries, base, previous, current };
            }
            _ => {}
        }
    }
}
