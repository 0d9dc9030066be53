//! What systems remember between frames: locals, event cursors, ticks of last runs.
//!
//! It lies in the world, under a stable key, so that snapshots and rollbacks hold it.
//!
//! Invariant: a cell's address does not change while the world lives; its value has the cell's type.

use crate::erased::ErasedBox;
use crate::plain::{Plain, Reader};
use crate::value::{ValueInfo, describe_plain};
use std::collections::BTreeMap;

#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) key: String,
    pub(crate) info: ValueInfo,
    pub(crate) value: ErasedBox,
    /// The encoding of what it began with, for going back to a moment before it was there.
    pub(crate) first: Vec<u8>,
}

impl Cell {
    /// Takes the value that `bytes` are the encoding of.
    pub(crate) fn set(&mut self, bytes: &[u8]) {
        self.value.clear();
        let Some(codec) = self.info.codec else { return };
        // SAFETY: room for one value; live once decoded.
        unsafe {
            let done = (codec.decode)(&mut Reader::new(bytes), self.value.ptr());
            assert!(done.is_ok(), "{} does not decode what it encoded", self.info.name);
            self.value.set_live();
        }
    }
    /// Goes back to the first value.
    pub(crate) fn reset(&mut self) {
        let first = std::mem::take(&mut self.first);
        self.set(&first);
        self.first = first;
    }
}

#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub(crate) list: Vec<Cell>,
    pub(crate) by_key: BTreeMap<String, u32>,
    /// Values restored before their system was made.
    pub(crate) waiting: BTreeMap<String, Vec<u8>>,
}

// SAFETY: cells hold plain values of `Send + Sync` types (bound of `open`).
unsafe impl Send for Cells {}
// SAFETY: as above; a running system has its cells for itself.
unsafe impl Sync for Cells {}

impl Cells {
    /// The cell under `key`, made with `initial` unless it is there or was restored.
    pub(crate) fn open<T: Plain + Send + Sync>(&mut self, key: String, initial: T) -> *mut T {
        let mut first = Vec::new();
        initial.encode(&mut first);
        if let Some(&i) = self.by_key.get(&key) {
            let cell = &mut self.list[i as usize];
            if cell.info.type_id == std::any::TypeId::of::<T>() {
                return cell.value.ptr().cast();
            }
            cell.info = describe_plain::<T>(std::any::type_name::<T>());
            cell.value = ErasedBox::new(initial);
            cell.first = first;
            return cell.value.ptr().cast();
        }
        let initial = match self.waiting.remove(&key) {
            Some(bytes) => T::decode(&mut Reader::new(&bytes)).unwrap_or(initial),
            None => initial,
        };
        let value = ErasedBox::new(initial);
        let ptr = value.ptr().cast();
        self.by_key.insert(key.clone(), self.list.len() as u32);
        let info = describe_plain::<T>(std::any::type_name::<T>());
        self.list.push(Cell { key, info, value, first });
        ptr
    }
}
