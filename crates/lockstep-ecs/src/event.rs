//! Events: queues with one order and readers that see each event exactly once.
//!
//! Order within a type: (frame, wave, system, first in first out); what is sent outside a frame comes before its first wave.
//! An event stays readable to the end of the frame after the one it was sent in; a reader that comes later is told how many it missed.
//!
//! Invariant: `items[k]` has number `base + k`; numbers are never reused.

use crate::plain::{DecodeError, Reader};
use crate::value::{Codec, Value, ValueInfo};
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};

/// A message between systems. Derive it.
pub trait Event: Value + Send + Sync {}

#[derive(Debug)]
pub(crate) struct Queue<E> {
    pub(crate) items: Vec<E>,
    pub(crate) base: u64,
    /// Number of the first event of the frame before the running one.
    previous: u64,
    /// Number of the first event of the running frame.
    current: u64,
}

pub(crate) trait AnyQueue: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// A frame begins: what was sent before the frame that just ended goes.
    fn rotate(&mut self);
    /// (base, previous, current, count).
    fn marks(&self) -> [u64; 3];
    fn len(&self) -> usize;
    fn at(&self, k: usize) -> *const u8;
    fn reset(&mut self, marks: [u64; 3]);
    /// Decodes one event to the end. SAFETY contract: the codec is that of the queue's type.
    unsafe fn push_decoded(
        &mut self,
        codec: &Codec,
        input: &mut Reader<'_>,
    ) -> Result<(), DecodeError>;
}

impl<E: Event> AnyQueue for Queue<E> {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn rotate(&mut self) {
        let gone = (self.current.max(self.base) - self.base) as usize;
        self.items.drain(..gone);
        self.base += gone as u64;
        self.previous = self.current;
        self.current = self.base + self.items.len() as u64;
    }
    fn marks(&self) -> [u64; 3] {
        [self.base, self.previous, self.current]
    }
    fn len(&self) -> usize {
        self.items.len()
    }
    fn at(&self, k: usize) -> *const u8 {
        (&raw const self.items[k]).cast()
    }
    fn reset(&mut self, [base, previous, current]: [u64; 3]) {
        self.items.clear();
        (self.base, self.previous, self.current) = (base, previous, current);
    }
    unsafe fn push_decoded(
        &mut self,
        codec: &Codec,
        input: &mut Reader<'_>,
    ) -> Result<(), DecodeError> {
        let mut event = std::mem::MaybeUninit::<E>::uninit();
        // SAFETY: room for an `E`; it holds one when `decode` succeeds.
        unsafe {
            (codec.decode)(input, event.as_mut_ptr().cast())?;
            self.items.push(event.assume_init());
        }
        Ok(())
    }
}

/// All queues of a world.
#[derive(Default)]
pub(crate) struct Events {
    by_type: FxHashMap<TypeId, u32>,
    pub(crate) infos: Vec<ValueInfo>,
    pub(crate) queues: Vec<Box<dyn AnyQueue>>,
    pub(crate) version: u64,
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.infos.iter().map(|i| i.name)).finish()
    }
}

impl Events {
    pub(crate) fn id<E: Event>(&mut self) -> u32 {
        if let Some(&id) = self.by_type.get(&TypeId::of::<E>()) {
            return id;
        }
        let id = self.queues.len() as u32;
        self.by_type.insert(TypeId::of::<E>(), id);
        self.infos.push(E::describe());
        self.queues.push(Box::new(Queue::<E> {
            items: Vec::new(),
            base: 0,
            previous: 0,
            current: 0,
        }));
        id
    }
    pub(crate) fn queue<E: Event>(&self, id: u32) -> &Queue<E> {
        self.queues[id as usize].as_any().downcast_ref().expect("the id was made for this type")
    }
    pub(crate) fn queue_mut<E: Event>(&mut self, id: u32) -> &mut Queue<E> {
        self.version += 1;
        self.queues[id as usize].as_any_mut().downcast_mut().expect("the id was made for this type")
    }
    pub(crate) fn rotate(&mut self) {
        self.version += 1;
        self.queues.iter_mut().for_each(|q| q.rotate());
    }
    pub(crate) fn by_name(&self, name: &str) -> Option<usize> {
        self.infos.iter().position(|i| i.name == name)
    }
}
