//! Replication: what a client may see of a world, sent as differences.
//!
//! A server makes a *view*, the entities and components its filters let through, and sends what changed against the last view the
//! client acknowledged. Messages may be lost or overtake each other: a client that lacks the view a message starts from says so.
//! References to entities that are not in the view are sent as null.
//!
//! Invariant: no byte of a hidden entity or component gets into a message.

use crate::component::ComponentId;
use crate::entity::Entity;
use crate::erased::ErasedBox;
use crate::plain::{DecodeError, Plain, Reader, put_slice};
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};

type View = BTreeMap<Entity, BTreeMap<String, Vec<u8>>>;

/// Views kept by either side for messages under way.
const KEPT: usize = 64;

/// The sending side, one for each client.
#[derive(Debug, Default)]
pub struct ReplicationServer {
    sent: BTreeMap<u64, View>,
    next: u64,
    acknowledged: Option<u64>,
}

/// Why a client could not use a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicationError {
    /// It starts from a view this client does not have: ask for a baseline.
    NeedBaseline,
    /// Something newer was applied already.
    Stale,
    /// It names a component that is not registered here.
    Unknown(String),
    /// It is damaged.
    Decode(DecodeError),
}

impl std::fmt::Display for ReplicationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReplicationError::NeedBaseline => {
                f.write_str("the message starts from a view that is not here")
            }
            ReplicationError::Stale => f.write_str("something newer was applied already"),
            ReplicationError::Unknown(n) => write!(f, "the component {n} is not registered here"),
            ReplicationError::Decode(e) => e.fmt(f),
        }
    }
}
impl std::error::Error for ReplicationError {}
impl From<DecodeError> for ReplicationError {
    fn from(e: DecodeError) -> Self {
        ReplicationError::Decode(e)
    }
}

fn make_view(
    world: &World,
    sees: &dyn Fn(&World, Entity) -> bool,
    shows: &dyn Fn(Entity, &str) -> bool,
) -> View {
    let visible: BTreeSet<Entity> = world.entities().filter(|&e| sees(world, e)).collect();
    let mut view = View::new();
    for &e in &visible {
        let mut values = BTreeMap::new();
        for (i, info) in world.registry.infos.iter().enumerate() {
            let info = &info.value;
            let (Some(codec), Some(ptr)) = (info.codec, world.value_ptr(e, ComponentId(i as u32)))
            else {
                continue;
            };
            if info.layout.size() == 0 && info.name.contains("Linked<") {
                continue;
            }
            if !shows(e, info.name) {
                continue;
            }
            let mut bytes = Vec::new();
            match info.visit {
                None => {
                    // SAFETY: a live value of the type.
                    unsafe { (codec.encode)(ptr, &mut bytes) };
                }
                Some(visit) => {
                    let mut copy = ErasedBox::room(info.layout, info.drop);
                    // SAFETY: a live value of the type, room for one, live afterwards.
                    unsafe {
                        if !info.copy_value(ptr, copy.ptr()) {
                            continue;
                        }
                        copy.set_live();
                        visit(copy.ptr(), &mut |x| {
                            if !visible.contains(x) {
                                *x = Entity::NULL;
                            }
                        });
                        (codec.encode)(copy.ptr(), &mut bytes);
                    }
                }
            }
            values.insert(info.name.to_owned(), bytes);
        }
        view.insert(e, values);
    }
    view
}

impl ReplicationServer {
    /// A server whose client has nothing yet.
    #[must_use]
    pub fn new() -> Self {
        ReplicationServer { next: 1, ..ReplicationServer::default() }
    }
    /// The client has applied message `number`.
    pub fn acknowledge(&mut self, number: u64) {
        if self.sent.contains_key(&number) && self.acknowledged.is_none_or(|a| a < number) {
            self.acknowledged = Some(number);
            self.sent = self.sent.split_off(&number);
        }
    }
    /// The client asked for a baseline: the next message holds everything it may see.
    pub fn reset(&mut self) {
        self.acknowledged = None;
    }
    /// The next message. `sees` decides on entities, `shows` on components (by name) of those.
    pub fn message(
        &mut self,
        world: &World,
        sees: &dyn Fn(&World, Entity) -> bool,
        shows: &dyn Fn(Entity, &str) -> bool,
    ) -> Vec<u8> {
        let view = make_view(world, sees, shows);
        let number = self.next;
        self.next += 1;
        let nothing = View::new();
        let base = self.acknowledged.and_then(|a| self.sent.get(&a));
        let base_number = base.and(self.acknowledged).unwrap_or(0);
        let base = base.unwrap_or(&nothing);
        let mut out = b"LSECVIEW".to_vec();
        (number, base_number).encode(&mut out);
        let gone: Vec<&Entity> = base.keys().filter(|e| !view.contains_key(*e)).collect();
        (gone.len() as u32).encode(&mut out);
        gone.iter().for_each(|e| e.encode(&mut out));
        let changed: Vec<_> = view.iter().filter(|(e, v)| base.get(*e) != Some(v)).collect();
        (changed.len() as u32).encode(&mut out);
        let none = BTreeMap::new();
        for (e, values) in changed {
            e.encode(&mut out);
            let old = base.get(e).unwrap_or(&none);
            let lost: Vec<&String> = old.keys().filter(|c| !values.contains_key(*c)).collect();
            (lost.len() as u32).encode(&mut out);
            lost.iter().for_each(|c| put_slice(&mut out, c.as_bytes()));
            let new: Vec<_> = values.iter().filter(|(c, v)| old.get(*c) != Some(v)).collect();
            (new.len() as u32).encode(&mut out);
            for (c, v) in new {
                put_slice(&mut out, c.as_bytes());
                put_slice(&mut out, v);
            }
        }
        self.sent.insert(number, view);
        while self.sent.len() > KEPT {
            let oldest = *self.sent.keys().next().expect("not empty");
            if Some(oldest) == self.acknowledged {
                // The client has been silent for too long; the next message is a baseline.
                self.acknowledged = None;
            }
            self.sent.remove(&oldest);
        }
        out
    }
}

/// The receiving side: keeps entities of its own for those of the server.
#[derive(Debug, Default)]
pub struct ReplicationClient {
    views: BTreeMap<u64, View>,
    current: u64,
    ids: BTreeMap<Entity, Entity>,
}

impl ReplicationClient {
    /// A client that has nothing yet.
    #[must_use]
    pub fn new() -> Self {
        ReplicationClient::default()
    }
    /// The entity here for one of the server.
    #[must_use]
    pub fn local(&self, remote: Entity) -> Option<Entity> {
        self.ids.get(&remote).copied()
    }
    /// Applies a message to the world; returns its number, to be acknowledged.
    ///
    /// # Errors
    /// When it cannot be used; nothing was changed then.
    pub fn apply(&mut self, bytes: &[u8], world: &mut World) -> Result<u64, ReplicationError> {
        let mut r = Reader::new(bytes);
        if r.take(8)? != b"LSECVIEW" {
            return Err(DecodeError::Version.into());
        }
        let (number, base) = <(u64, u64)>::decode(&mut r)?;
        if number <= self.current {
            return Err(ReplicationError::Stale);
        }
        let mut view = match base {
            0 => View::new(),
            _ => self.views.get(&base).cloned().ok_or(ReplicationError::NeedBaseline)?,
        };
        for _ in 0..r.count(8)? {
            view.remove(&Entity::decode(&mut r)?);
        }
        for _ in 0..r.count(16)? {
            let values = view.entry(Entity::decode(&mut r)?).or_default();
            for _ in 0..r.count(4)? {
                values.remove(r.string()?);
            }
            for _ in 0..r.count(8)? {
                let name = r.string()?.to_owned();
                values.insert(name, r.slice()?.to_vec());
            }
        }
        r.end()?;
        // Everything must decode before anything is changed.
        let mut decoded: Vec<(Entity, ComponentId, ErasedBox)> = Vec::new();
        let nothing = View::new();
        let old = self.views.get(&self.current).unwrap_or(&nothing);
        for (e, values) in &view {
            for (name, bytes) in values {
                if old.get(e).and_then(|v| v.get(name)) == Some(bytes) {
                    continue;
                }
                let id = world
                    .registry
                    .by_name(name)
                    .ok_or_else(|| ReplicationError::Unknown(name.clone()))?;
                let info = &world.registry.info(id).value;
                let codec = info.codec.ok_or_else(|| ReplicationError::Unknown(name.clone()))?;
                let mut value = ErasedBox::room(info.layout, info.drop);
                let mut r = Reader::new(bytes);
                // SAFETY: room for one value; live when `decode` succeeds.
                unsafe {
                    (codec.decode)(&mut r, value.ptr())?;
                    value.set_live();
                }
                r.end()?;
                decoded.push((*e, id, value));
            }
        }
        let lost: Vec<(Entity, ComponentId)> = old
            .iter()
            .filter_map(|(e, values)| view.get(e).map(|now| (e, values, now)))
            .flat_map(|(e, values, now)| {
                values.keys().filter(|c| !now.contains_key(*c)).map(|c| (*e, c))
            })
            .filter_map(|(e, c)| world.registry.by_name(c).map(|id| (e, id)))
            .collect();
        let gone: Vec<Entity> = old.keys().filter(|e| !view.contains_key(e)).copied().collect();
        for e in gone {
            if let Some(local) = self.ids.remove(&e) {
                world.despawn(local);
            }
        }
        for &e in view.keys() {
            self.ids.entry(e).or_insert_with(|| world.spawn(()));
        }
        for (e, id) in lost {
            world.remove_component_now(self.ids[&e], id);
        }
        for (e, id, value) in decoded {
            if let Some(visit) = world.registry.info(id).value.visit {
                // SAFETY: the box holds a live value of the type.
                unsafe {
                    visit(value.ptr(), &mut |x| {
                        *x = self.ids.get(x).copied().unwrap_or(Entity::NULL);
                    });
                };
            }
            let local = self.ids[&e];
            world.insert_erased(local, id, value);
        }
        world.settle();
        self.current = number;
        self.views.insert(number, view);
        while self.views.len() > KEPT {
            self.views.pop_first();
        }
        Ok(number)
    }
}
