//! Commands as bytes: for editors, tools and networks.
//!
//! Each record is a kind, a length and a body, so that a reader can walk a stream without knowing the types in it. Spawns are
//! numbered within the stream; a reference is either a real handle or such a number.
//!
//! Invariant: a stream is checked to its end before anything is applied.

use crate::component::{Component, ComponentId};
use crate::entity::{Entity, EntityLimit};
use crate::erased::ErasedBox;
use crate::plain::{DecodeError, Plain, Reader, put_slice};
use crate::world::World;

const SPAWN: u8 = 1;
const INSERT: u8 = 2;
const REMOVE: u8 = 3;
const DESPAWN: u8 = 4;

/// The system number of spawns in a stream: their placeholders are resolved by [`World::apply_stream`].
const STREAM: u32 = 0xfffd;

/// Commands being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandStream {
    bytes: Vec<u8>,
    spawns: u32,
}

/// Why a stream was not applied. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamError {
    /// It is damaged, at this offset.
    Decode(usize, DecodeError),
    /// It names a component that is not registered here or has no encoding.
    Unknown(String),
    /// Its spawns do not fit.
    Limit(EntityLimit),
}

impl std::fmt::Display for StreamError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StreamError::Decode(at, e) => write!(f, "at byte {at}: {e}"),
            StreamError::Unknown(n) => write!(f, "the component {n} is not registered here"),
            StreamError::Limit(e) => e.fmt(f),
        }
    }
}
impl std::error::Error for StreamError {}

impl CommandStream {
    /// An empty stream.
    #[must_use]
    pub fn new() -> Self {
        CommandStream::default()
    }
    /// A stream from bytes; checked when applied.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        CommandStream { bytes: bytes.to_vec(), spawns: 0 }
    }
    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
    fn record(&mut self, kind: u8, body: impl FnOnce(&mut Vec<u8>)) {
        self.bytes.push(kind);
        let mut out = Vec::new();
        body(&mut out);
        put_slice(&mut self.bytes, &out);
    }
    /// Spawns an empty entity; the handle can be used in this stream.
    pub fn spawn(&mut self) -> Entity {
        let entity = Entity::placeholder(STREAM, 0, self.spawns);
        self.spawns += 1;
        self.record(SPAWN, |_| {});
        entity
    }
    /// Gives a component to an entity.
    pub fn insert<T: Component + Plain>(&mut self, entity: Entity, value: &T) {
        self.record(INSERT, |out| {
            entity.encode(out);
            put_slice(out, T::type_name().as_bytes());
            value.encode(out);
        });
    }
    /// Takes a component from an entity.
    pub fn remove<T: Component>(&mut self, entity: Entity) {
        self.record(REMOVE, |out| {
            entity.encode(out);
            put_slice(out, T::type_name().as_bytes());
        });
    }
    /// Ends an entity.
    pub fn despawn(&mut self, entity: Entity) {
        self.record(DESPAWN, |out| entity.encode(out));
    }
    /// Walks the records without knowing their types: (kind, body).
    ///
    /// # Errors
    /// At an unknown kind or a record that is cut off, with its offset.
    pub fn records(&self) -> Result<Vec<(u8, &[u8])>, StreamError> {
        let mut r = Reader::new(&self.bytes);
        let mut out = Vec::new();
        while r.left() > 0 {
            let at = self.bytes.len() - r.left();
            let fail = |e| StreamError::Decode(at, e);
            let kind = u8::decode(&mut r).map_err(fail)?;
            if !(SPAWN..=DESPAWN).contains(&kind) {
                return Err(fail(DecodeError::Tag));
            }
            out.push((kind, r.slice().map_err(fail)?));
        }
        Ok(out)
    }
}

enum Step {
    Spawn,
    Insert(Entity, ComponentId, ErasedBox),
    Remove(Entity, ComponentId),
    Despawn(Entity),
}

impl World {
    /// Applies a stream of commands; returns the entities it spawned. Commands on dead entities are dropped with a diagnostic.
    ///
    /// # Errors
    /// When anything in it cannot be read; nothing was changed then.
    pub fn apply_stream(&mut self, stream: &CommandStream) -> Result<Vec<Entity>, StreamError> {
        let mut steps = Vec::new();
        let mut spawns = 0;
        for (kind, body) in stream.records()? {
            let at = body.as_ptr() as usize - stream.bytes.as_ptr() as usize;
            let fail = |e| StreamError::Decode(at, e);
            let mut r = Reader::new(body);
            if kind == SPAWN {
                spawns += 1;
                steps.push(Step::Spawn);
                r.end().map_err(fail)?;
                continue;
            }
            let entity = Entity::decode(&mut r).map_err(fail)?;
            if kind == DESPAWN {
                steps.push(Step::Despawn(entity));
                r.end().map_err(fail)?;
                continue;
            }
            let name = r.string().map_err(fail)?;
            let unknown = || StreamError::Unknown(name.to_owned());
            let id = self.registry.by_name(name).ok_or_else(unknown)?;
            if kind == REMOVE {
                steps.push(Step::Remove(entity, id));
            } else {
                let info = &self.registry.info(id).value;
                let codec = info.codec.ok_or_else(unknown)?;
                let mut value = ErasedBox::room(info.layout, info.drop);
                // SAFETY: room for one value; live when `decode` succeeds.
                unsafe {
                    (codec.decode)(&mut r, value.ptr()).map_err(fail)?;
                    value.set_live();
                }
                steps.push(Step::Insert(entity, id, value));
            }
            r.end().map_err(fail)?;
        }
        if spawns > self.entities.room() {
            return Err(StreamError::Limit(EntityLimit { limit: self.entities.limit }));
        }
        let mut ids = Vec::with_capacity(spawns);
        for _ in 0..spawns {
            ids.push(self.entities.mint().expect("room was checked"));
        }
        let resolve = |e: Entity| {
            let (system, _, k) = e.placeholder_parts();
            if e.is_placeholder() && system == STREAM {
                ids.get(k as usize).copied().unwrap_or(Entity::NULL)
            } else {
                e
            }
        };
        let mut next = 0;
        for step in steps {
            match step {
                Step::Spawn => {
                    self.spawn_now(ids[next], ());
                    next += 1;
                }
                Step::Insert(e, id, value) => {
                    let e = resolve(e);
                    if let Some(visit) = self.registry.info(id).value.visit {
                        // SAFETY: the box holds a live value of the type.
                        unsafe { visit(value.ptr(), &mut |x| *x = resolve(*x)) };
                    }
                    if self.is_alive(e) {
                        self.insert_erased(e, id, value);
                    } else {
                        self.diagnose("dead-entity", "insert", e);
                    }
                }
                Step::Remove(e, id) => {
                    let e = resolve(e);
                    if self.is_alive(e) {
                        self.remove_component_now(e, id);
                    } else {
                        self.diagnose("dead-entity", "remove", e);
                    }
                }
                Step::Despawn(e) => {
                    let e = resolve(e);
                    if !self.despawn_now(e) {
                        self.diagnose("dead-entity", "despawn", e);
                    }
                }
            }
        }
        self.settle();
        Ok(ids)
    }
}
