//! Resources: one value a type, in the world; and values that must stay on their thread.
//!
//! Invariant: a cell's box holds a value of the cell's type; a pinned cell is touched and dropped on its own thread only.

use crate::erased::ErasedBox;
use crate::storage::Stamp;
use crate::value::{Value, ValueInfo};
use rustc_hash::FxHashMap;
use std::any::TypeId;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::ThreadId;

/// A value of which the world holds at most one. Derive it.
pub trait Resource: Value + Send + Sync {
    /// Left out of snapshots and hashes on purpose.
    const TRANSIENT: bool = false;
}

#[derive(Debug)]
pub(crate) struct ResourceCell {
    /// `None` for pinned values, which need no description.
    pub(crate) info: Option<ValueInfo>,
    pub(crate) name: &'static str,
    pub(crate) transient: bool,
    pub(crate) value: Option<ErasedBox>,
    pub(crate) tick: AtomicU64,
    pub(crate) version: AtomicU64,
    pinned: Option<ThreadId>,
}

impl ResourceCell {
    pub(crate) fn mark(&self, stamp: Stamp) {
        self.tick.store(stamp.tick, Relaxed);
        self.version.store(stamp.version, Relaxed);
    }
    pub(crate) fn check_thread(&self) {
        if let Some(thread) = self.pinned {
            assert_eq!(
                thread,
                std::thread::current().id(),
                "{} is pinned to the thread that made it",
                self.name
            );
        }
    }
}

impl Drop for ResourceCell {
    fn drop(&mut self) {
        if let Some(thread) = self.pinned
            && thread != std::thread::current().id()
            && let Some(value) = self.value.take()
        {
            // A pinned value must not be dropped on another thread; losing its memory is the lesser evil.
            std::mem::forget(value);
        }
    }
}

/// All resources of a world.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    by_type: FxHashMap<TypeId, u32>,
    pub(crate) cells: Vec<ResourceCell>,
}

// SAFETY: values of described cells are `Send + Sync` (bound of `Resource`); pinned cells check the thread before every use.
unsafe impl Send for Resources {}
// SAFETY: as above; mutation through `&Resources` happens only where the conflict graph made it exclusive.
unsafe impl Sync for Resources {}

impl Resources {
    pub(crate) fn id<T: Resource>(&mut self) -> u32 {
        let cells = &mut self.cells;
        *self.by_type.entry(TypeId::of::<T>()).or_insert_with(|| {
            cells.push(ResourceCell {
                info: Some(T::describe()),
                name: T::type_name(),
                transient: T::TRANSIENT,
                value: None,
                tick: AtomicU64::new(0),
                version: AtomicU64::new(0),
                pinned: None,
            });
            cells.len() as u32 - 1
        })
    }
    pub(crate) fn pinned_id<T: 'static>(&mut self) -> u32 {
        let cells = &mut self.cells;
        *self.by_type.entry(TypeId::of::<Pinned<T>>()).or_insert_with(|| {
            cells.push(ResourceCell {
                info: None,
                name: std::any::type_name::<T>(),
                transient: true,
                value: None,
                tick: AtomicU64::new(0),
                version: AtomicU64::new(0),
                pinned: None,
            });
            cells.len() as u32 - 1
        })
    }
    pub(crate) fn find<T: 'static>(&self) -> Option<&ResourceCell> {
        self.by_type.get(&TypeId::of::<T>()).map(|&i| &self.cells[i as usize])
    }
    pub(crate) fn find_pinned<T: 'static>(&self) -> Option<&ResourceCell> {
        self.find::<Pinned<T>>()
    }
    pub(crate) fn set<T: Resource>(&mut self, value: T, stamp: Stamp) {
        let id = self.id::<T>() as usize;
        let cell = &mut self.cells[id];
        match &cell.value {
            // Replaced in place: the address of a resource stays for as long as it exists.
            // SAFETY: the box holds a live `T`; `&mut self` is exclusive.
            Some(b) => unsafe { *b.ptr().cast::<T>() = value },
            None => cell.value = Some(ErasedBox::new(value)),
        }
        cell.mark(stamp);
    }
    pub(crate) fn set_pinned<T: 'static>(&mut self, value: T, stamp: Stamp) {
        let id = self.pinned_id::<T>() as usize;
        let cell = &mut self.cells[id];
        cell.check_thread();
        cell.pinned = Some(std::thread::current().id());
        cell.value = Some(ErasedBox::new(value));
        cell.mark(stamp);
    }
    pub(crate) fn by_name(&self, name: &str) -> Option<usize> {
        self.cells.iter().position(|c| c.info.is_some() && c.name == name)
    }
}

/// Keeps the type ids of pinned values apart from those of resources.
struct Pinned<T>(std::marker::PhantomData<T>);
