//! Entity handles and the table of slots behind them.
//!
//! Invariant: a handle is alive iff its slot holds the same generation and a place. The free list is a stack and part of the
//! state: the ids that will be minted next depend on nothing else.

use crate::storage::archetype::{PAGE, locate};
use std::fmt;

/// A handle: index (32 bits), generation (31 bits), and one bit that marks a placeholder of a spawn not yet committed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Entity(u64);

const PLACEHOLDER: u64 = 1 << 63;
/// Largest generation; after it a slot starts again at 0.
pub const MAX_GENERATION: u32 = (1 << 31) - 1;
/// Largest number of entities (live, free and reserved) of a world.
pub const MAX_ENTITIES: u32 = u32::MAX - 16;
pub(crate) const MAX_CHUNK: u32 = (1 << 24) - 1;
pub(crate) const MAX_SEQUENCE: u32 = (1 << 23) - 1;
pub(crate) const MAX_SYSTEMS: usize = (1 << 16) - 16;

impl Entity {
    /// The handle that is never minted and never alive.
    pub const NULL: Entity = Entity(u64::MAX);

    /// A handle from its parts. The generation is taken modulo 2^31.
    #[must_use]
    pub const fn from_parts(index: u32, generation: u32) -> Self {
        Entity(index as u64 | ((generation & MAX_GENERATION) as u64) << 32)
    }
    /// The bits, as they go into snapshots.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0
    }
    /// The inverse of [`Entity::to_bits`].
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Entity(bits)
    }
    /// The slot.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.0 as u32
    }
    /// How often the slot had been given back when this handle was minted (modulo 2^31).
    #[must_use]
    pub const fn generation(self) -> u32 {
        (self.0 >> 32) as u32 & MAX_GENERATION
    }
    /// Whether this is [`Entity::NULL`].
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.0 == u64::MAX
    }
    /// Whether this names a spawn of the running wave that has no id yet.
    #[must_use]
    pub const fn is_placeholder(self) -> bool {
        self.0 & PLACEHOLDER != 0 && !self.is_null()
    }
    pub(crate) const fn placeholder(system: u32, chunk: u32, sequence: u32) -> Self {
        Entity(PLACEHOLDER | (system as u64) << 47 | (chunk as u64) << 23 | sequence as u64)
    }
    /// (system, chunk, sequence) of a placeholder.
    pub(crate) const fn placeholder_parts(self) -> (u32, u32, u32) {
        (
            (self.0 >> 47) as u32 & 0xffff,
            (self.0 >> 23) as u32 & MAX_CHUNK,
            self.0 as u32 & MAX_SEQUENCE,
        )
    }
}

impl Default for Entity {
    fn default() -> Self {
        Entity::NULL
    }
}

impl fmt::Debug for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_null() {
            f.write_str("null")
        } else if self.is_placeholder() {
            let (system, chunk, sequence) = self.placeholder_parts();
            write!(f, "new({system}.{chunk}.{sequence})")
        } else {
            write!(f, "{}v{}", self.index(), self.generation())
        }
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// The world has no id left to mint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityLimit {
    /// The limit that was met.
    pub limit: u32,
}

impl fmt::Display for EntityLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the world is at its limit of {} entities", self.limit)
    }
}

impl std::error::Error for EntityLimit {}

pub(crate) const FREE: u32 = u32::MAX;
pub(crate) const RESERVED: u32 = u32::MAX - 1;

/// Where an entity lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) generation: u32,
    /// Archetype, or `FREE`, or `RESERVED`.
    pub(crate) archetype: u32,
    /// Page and offset of the row, packed: random access need not compute them.
    pub(crate) at: u32,
}

impl Slot {
    #[inline(always)]
    pub(crate) const fn pack(page: usize, offset: usize) -> u32 {
        (page as u32) << PAGE.trailing_zeros() | offset as u32
    }
    /// (page, offset) of the row.
    #[inline(always)]
    pub(crate) const fn place(self) -> (usize, usize) {
        ((self.at >> PAGE.trailing_zeros()) as usize, (self.at & (PAGE - 1)) as usize)
    }
}

/// All slots of a world.
#[derive(Clone, Debug)]
pub(crate) struct Entities {
    pub(crate) slots: Vec<Slot>,
    pub(crate) free: Vec<u32>,
    pub(crate) alive: u32,
    pub(crate) limit: u32,
    /// Changes whenever a slot or the free list does.
    pub(crate) version: u64,
}

impl Entities {
    pub(crate) fn new() -> Self {
        Entities { slots: Vec::new(), free: Vec::new(), alive: 0, limit: MAX_ENTITIES, version: 0 }
    }

    /// How many ids can still be minted.
    pub(crate) fn room(&self) -> usize {
        self.free.len() + (self.limit as usize).saturating_sub(self.slots.len())
    }

    #[inline]
    pub(crate) fn mint(&mut self) -> Result<Entity, EntityLimit> {
        if let Some(index) = self.free.pop() {
            return Ok(Entity::from_parts(index, self.slots[index as usize].generation));
        }
        let index = self.slots.len() as u32;
        if index >= self.limit {
            return Err(EntityLimit { limit: self.limit });
        }
        self.slots.push(Slot { generation: 0, archetype: FREE, at: 0 });
        Ok(Entity::from_parts(index, 0))
    }

    /// Makes room for `more` slots.
    pub(crate) fn reserve(&mut self, more: usize) {
        let before = self.slots.capacity();
        self.slots.reserve(more);
        if self.slots.capacity() > before {
            // SAFETY: the buffer is the vector's, of that capacity.
            unsafe {
                crate::storage::arena::advise(
                    self.slots.as_mut_ptr().cast(),
                    self.slots.capacity() * size_of::<Slot>(),
                );
            }
        }
    }

    /// Mints ids for `n` rows of one page from `row` on and writes them to `ids`. Room was checked.
    ///
    /// # Safety
    /// `ids` has room for `n` ids.
    pub(crate) unsafe fn mint_rows(
        &mut self,
        archetype: u32,
        row: u32,
        n: usize,
        ids: *mut Entity,
    ) {
        let used = n.min(self.free.len());
        let (page, offset) = locate(row);
        let first_at = Slot::pack(page, offset);
        for k in 0..used {
            let entity = self.mint().expect("the free list has one");
            self.place(entity.index(), archetype, (page, offset + k));
            // SAFETY: `k < n`.
            unsafe { ids.add(k).write(entity) };
        }
        let first = self.slots.len() as u32;
        debug_assert!(first as usize + (n - used) <= self.limit as usize);
        self.slots.extend((used..n).map(|k| Slot {
            generation: 0,
            archetype,
            at: first_at + k as u32,
        }));
        for k in used..n {
            // SAFETY: `k < n`.
            unsafe { ids.add(k).write(Entity::from_parts(first + (k - used) as u32, 0)) };
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, entity: Entity) -> Option<Slot> {
        let slot = *self.slots.get(entity.index() as usize)?;
        // A placeholder carries bit 63, so its upper half differs from every generation.
        (slot.generation == (entity.to_bits() >> 32) as u32 && slot.archetype < RESERVED)
            .then_some(slot)
    }

    #[inline]
    pub(crate) fn place(&mut self, index: u32, archetype: u32, (page, offset): (usize, usize)) {
        let slot = &mut self.slots[index as usize];
        slot.archetype = archetype;
        slot.at = Slot::pack(page, offset);
    }

    /// Gives a slot back; its handles are dead from here on.
    #[inline]
    pub(crate) fn release(&mut self, index: u32) {
        let slot = &mut self.slots[index as usize];
        slot.generation = (slot.generation + 1) & MAX_GENERATION;
        slot.archetype = FREE;
        self.free.push(index);
    }
}
