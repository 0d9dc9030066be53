//! What a system touches, as data, and what a query's terms are at compile time.
//!
//! Invariant: two systems that `conflicts` calls free of conflict never touch one value with a write among the touches.

use crate::component::ComponentId;

/// What one query touches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryAccess {
    pub(crate) reads: Vec<ComponentId>,
    pub(crate) writes: Vec<ComponentId>,
    pub(crate) with: Vec<ComponentId>,
    pub(crate) without: Vec<ComponentId>,
}

impl QueryAccess {
    /// No entity can be matched by both.
    fn disjoint(&self, other: &Self) -> bool {
        self.with.iter().any(|c| other.without.contains(c))
            || self.without.iter().any(|c| other.with.contains(c))
    }
    fn clash(&self, other: &Self) -> Option<ComponentId> {
        let hit = self
            .writes
            .iter()
            .find(|c| other.writes.contains(c) || other.reads.contains(c))
            .or_else(|| self.reads.iter().find(|c| other.writes.contains(c)))?;
        if self.disjoint(other) { None } else { Some(*hit) }
    }
}

/// What a system touches. Made from its parameter types, never declared by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    pub(crate) queries: Vec<QueryAccess>,
    pub(crate) resource_reads: Vec<u32>,
    pub(crate) resource_writes: Vec<u32>,
    pub(crate) exclusive: bool,
    pub(crate) main_thread: bool,
    pub(crate) commands: bool,
    pub(crate) touched: u64,
    pub(crate) written: u64,
}

/// Why two systems cannot run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Conflict {
    /// One of them has the world for itself.
    Exclusive,
    /// Both touch the component, one writes.
    Component(ComponentId),
    /// Both touch the resource, one writes.
    Resource(u32),
}

impl Access {
    pub(crate) fn seal(&mut self) {
        let bit = |kind: u64, id: u32| 1u64 << ((u64::from(id) * 2 + kind) % 64);
        for q in &self.queries {
            q.reads.iter().for_each(|c| self.touched |= bit(0, c.0));
            q.writes.iter().for_each(|c| self.written |= bit(0, c.0));
        }
        self.resource_reads.iter().for_each(|&r| self.touched |= bit(1, r));
        self.resource_writes.iter().for_each(|&r| self.written |= bit(1, r));
        self.touched |= self.written;
    }
    /// Adds what another part of the same system touches.
    pub(crate) fn add(&mut self, mut other: Access) {
        self.queries.append(&mut other.queries);
        self.resource_reads.append(&mut other.resource_reads);
        self.resource_writes.append(&mut other.resource_writes);
        self.exclusive |= other.exclusive;
        self.main_thread |= other.main_thread;
        self.seal();
    }
    /// The first cause of a conflict.
    pub(crate) fn conflict(&self, other: &Access) -> Option<Conflict> {
        if self.exclusive || other.exclusive {
            return Some(Conflict::Exclusive);
        }
        if self.written & other.touched == 0 && self.touched & other.written == 0 {
            return None;
        }
        for a in &self.queries {
            for b in &other.queries {
                if let Some(c) = a.clash(b) {
                    return Some(Conflict::Component(c));
                }
            }
        }
        let shared = |writes: &[u32], touches: &Access| {
            writes
                .iter()
                .copied()
                .find(|r| touches.resource_writes.contains(r) || touches.resource_reads.contains(r))
        };
        shared(&self.resource_writes, other)
            .or_else(|| shared(&other.resource_writes, self))
            .map(Conflict::Resource)
    }
    /// The first clash between two parameters of one system.
    pub(crate) fn own_clash(&self) -> Option<Conflict> {
        for (i, a) in self.queries.iter().enumerate() {
            for b in &self.queries[..i] {
                if let Some(c) = a.clash(b) {
                    return Some(Conflict::Component(c));
                }
            }
        }
        let repeated =
            |list: &[u32]| (1..list.len()).find(|&i| list[..i].contains(&list[i])).map(|i| list[i]);
        repeated(&self.resource_writes)
            .or_else(|| {
                self.resource_writes.iter().copied().find(|r| self.resource_reads.contains(r))
            })
            .map(Conflict::Resource)
    }
}

/// The terms of a query at compile time.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    n: usize,
    keys: [u64; MAX_TERMS],
    kinds: [u8; MAX_TERMS],
}
const MAX_TERMS: usize = 64;
const READ: u8 = 1;
const WRITE: u8 = 2;
const WITH: u8 = 4;
const WITHOUT: u8 = 8;

#[doc(hidden)]
impl Terms {
    pub const NONE: Terms = Terms { n: 0, keys: [0; MAX_TERMS], kinds: [0; MAX_TERMS] };
    const fn one(key: u64, kind: u8) -> Terms {
        let mut t = Terms::NONE;
        if key != 0 {
            t.n = 1;
            t.keys[0] = key;
            t.kinds[0] = kind;
        }
        t
    }
    pub const fn read(key: u64) -> Terms {
        Terms::one(key, READ)
    }
    pub const fn write(key: u64) -> Terms {
        Terms::one(key, WRITE)
    }
    pub const fn with(key: u64) -> Terms {
        Terms::one(key, WITH)
    }
    pub const fn without(key: u64) -> Terms {
        Terms::one(key, WITHOUT)
    }
    pub const fn and(mut self, other: Terms) -> Terms {
        let mut i = 0;
        while i < other.n && self.n < MAX_TERMS {
            self.keys[self.n] = other.keys[i];
            self.kinds[self.n] = other.kinds[i];
            self.n += 1;
            i += 1;
        }
        self
    }
    /// Reads and writes only: what is inside `Option` or `Or` proves no presence.
    pub const fn optional(mut self) -> Terms {
        let mut i = 0;
        while i < self.n {
            // A mark that this touch does not imply presence.
            self.kinds[i] |= 16;
            i += 1;
        }
        self
    }
    /// Refuses a query that would hand out one component twice with a write.
    pub const fn assert_no_alias(&self) {
        let mut i = 0;
        while i < self.n {
            let mut j = 0;
            while j < i {
                if self.keys[i] == self.keys[j]
                    && self.kinds[i] & (READ | WRITE) != 0
                    && self.kinds[j] & (READ | WRITE) != 0
                    && (self.kinds[i] | self.kinds[j]) & WRITE != 0
                {
                    panic!(
                        "a query names one component twice and writes it: it would hand out two references to one value"
                    );
                }
                j += 1;
            }
            i += 1;
        }
    }
    const fn excludes(&self, other: &Terms) -> bool {
        let mut i = 0;
        while i < self.n {
            let present = self.kinds[i] & (READ | WRITE | WITH) != 0 && self.kinds[i] & 16 == 0;
            let mut j = 0;
            while j < other.n {
                if self.keys[i] == other.keys[j] && present && other.kinds[j] & WITHOUT != 0 {
                    return true;
                }
                j += 1;
            }
            i += 1;
        }
        false
    }
    /// Refuses two queries of one system that could hand out one value twice with a write.
    pub const fn assert_disjoint(&self, other: &Terms) {
        if self.excludes(other) || other.excludes(self) {
            return;
        }
        let mut i = 0;
        while i < self.n {
            let mut j = 0;
            while j < other.n {
                if self.keys[i] == other.keys[j]
                    && self.kinds[i] & (READ | WRITE) != 0
                    && other.kinds[j] & (READ | WRITE) != 0
                    && (self.kinds[i] | other.kinds[j]) & WRITE != 0
                {
                    panic!(
                        "two queries of one system touch one component and one writes it: add With/Without filters that exclude each other, or use one query"
                    );
                }
                j += 1;
            }
            i += 1;
        }
    }
}
