//! The world: all entities, components, resources, events and relations, and direct access to them.
//!
//! Invariant: no row, slot or queue changes through `&World` except rows that a query of a running system holds exclusively.
//! Between public calls nothing is pending: observers have been drained.

mod batch;
mod edit;
mod values;

use crate::component::{Bundle, Component, ComponentId, Registry, Storage};
use crate::entity::{Entities, Entity, EntityLimit, FREE, RESERVED, Slot};
use crate::event::{Event, Events};
use crate::observer::{Happening, Observers, Pending};
use crate::query::matching::Matches;
use crate::relation::AnyRelation;
use crate::resource::{Resource, Resources};
use crate::storage::Stamp;
use crate::storage::archetype::Archetype;
use crate::storage::arena::Arena;
use crate::storage::sparse::SparseSet;
use crate::system::cells::Cells;
use rustc_hash::FxHashMap;
use std::any::TypeId;
use std::ptr::NonNull;
use std::sync::Arc;

/// Something a command could not do, told instead of hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable code: `dead-entity`, `observer-loop`.
    pub code: &'static str,
    /// The command.
    pub what: &'static str,
    /// The system, by plan index, if one was at work.
    pub system: Option<u32>,
    /// The entity it was about.
    pub entity: Entity,
}

/// A component removed: entity, when, and when it had been added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Removal {
    pub(crate) entity: Entity,
    pub(crate) tick: u64,
    pub(crate) added: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RemovalLog {
    pub(crate) entries: Vec<Removal>,
    pub(crate) base: u64,
    pub(crate) previous: u64,
    pub(crate) current: u64,
}

/// The list of archetypes in order of creation.
#[derive(Debug, Default)]
pub(crate) struct Archetypes(pub(crate) Vec<NonNull<Archetype>>);

// SAFETY: the list owns its archetypes, which are `Send + Sync`.
unsafe impl Send for Archetypes {}
// SAFETY: as above.
unsafe impl Sync for Archetypes {}

impl Archetypes {
    #[inline(always)]
    pub(crate) fn get(&self, id: u32) -> &Archetype {
        // SAFETY: the pointers are leaked boxes, freed in `pop` and `drop` only.
        unsafe { self.0[id as usize].as_ref() }
    }
    #[inline(always)]
    pub(crate) fn get_mut(&mut self, id: u32) -> &mut Archetype {
        // SAFETY: as above; `&mut self` is exclusive.
        unsafe { self.0[id as usize].as_mut() }
    }
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Archetype> {
        // SAFETY: as above.
        self.0.iter().map(|p| unsafe { p.as_ref() })
    }
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
    pub(crate) fn push(&mut self, archetype: Archetype) {
        self.0.push(NonNull::from(Box::leak(Box::new(archetype))));
    }
    pub(crate) fn pop(&mut self) -> Option<Box<Archetype>> {
        // SAFETY: leaked from a box in `push`, and not in the list any more.
        self.0.pop().map(|p| unsafe { Box::from_raw(p.as_ptr()) })
    }
}

impl Drop for Archetypes {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}

#[derive(Debug, Default)]
pub(crate) struct Bundles {
    by_type: FxHashMap<TypeId, u32>,
    last: Option<(TypeId, u32)>,
    pub(crate) lists: Vec<Box<[ComponentId]>>,
}

/// All state of a simulation.
pub struct World {
    pub(crate) token: Arc<()>,
    pub(crate) registry: Registry,
    pub(crate) entities: Entities,
    pub(crate) archetypes: Archetypes,
    pub(crate) by_set: FxHashMap<Box<[ComponentId]>, u32>,
    /// Changes when archetypes were taken back, so that caches start again.
    pub(crate) epoch: u64,
    pub(crate) bundles: Bundles,
    pub(crate) sparse: Vec<Option<Box<SparseSet>>>,
    pub(crate) sparse_ids: Vec<ComponentId>,
    pub(crate) resources: Resources,
    pub(crate) events: Events,
    pub(crate) relations: Vec<Box<dyn AnyRelation>>,
    pub(crate) relation_ids: FxHashMap<TypeId, u32>,
    pub(crate) observers: Observers,
    pub(crate) observer_commands: crate::commands::CommandState,
    pub(crate) pending: Vec<Pending>,
    pub(crate) removals: Vec<RemovalLog>,
    pub(crate) matches: Matches,
    pub(crate) cells: Cells,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) dropped_diagnostics: u64,
    pub(crate) running_system: Option<u32>,
    pub(crate) tick: u64,
    pub(crate) version: u64,
    pub(crate) frame: u64,
    pub(crate) hash_cache: crate::time::HashCache,
    /// Last, because blocks are used by archetypes while they drop.
    pub(crate) arena: Arena,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("frame", &self.frame)
            .field("entities", &self.entities.alive)
            .field("archetypes", &self.archetypes.len())
            .finish_non_exhaustive()
    }
}

// SAFETY: everything in a world is `Send + Sync` or checks its thread; raw page pointers point into memory the world owns.
unsafe impl Send for World {}
// SAFETY: as above; `&World` gives shared access only, rows are written under the rules of the schedule.
unsafe impl Sync for World {}

impl Default for World {
    fn default() -> Self {
        World::new()
    }
}

/// Marks templates: queries do not see entities with it unless they name it.
#[derive(Clone, Copy, Debug)]
pub struct Prefab;

impl crate::plain::Plain for Prefab {
    const SCHEMA: u64 = crate::plain::FNV_START;
    const POD: crate::plain::Pod = <() as crate::plain::Plain>::POD;
    fn encode(&self, _: &mut Vec<u8>) {}
    fn decode(_: &mut crate::plain::Reader<'_>) -> Result<Self, crate::plain::DecodeError> {
        Ok(Prefab)
    }
}
impl crate::value::Value for Prefab {
    fn type_name() -> &'static str {
        "lockstep_ecs::Prefab"
    }
    fn describe() -> crate::value::ValueInfo {
        crate::value::describe::<Self>(
            Self::type_name(),
            Some(crate::value::codec_of::<Self>()),
            None,
            None,
            false,
        )
    }
}
impl Component for Prefab {
    const KEY: u64 = 1;
}

pub(crate) const PREFAB: ComponentId = ComponentId(0);

impl World {
    /// An empty world.
    #[must_use]
    pub fn new() -> Self {
        let mut world = World {
            token: Arc::new(()),
            registry: Registry::default(),
            entities: Entities::new(),
            archetypes: Archetypes::default(),
            by_set: FxHashMap::default(),
            epoch: 0,
            bundles: Bundles::default(),
            sparse: Vec::new(),
            sparse_ids: Vec::new(),
            resources: Resources::default(),
            events: Events::default(),
            relations: Vec::new(),
            relation_ids: FxHashMap::default(),
            observers: Observers::default(),
            observer_commands: crate::commands::CommandState::default(),
            pending: Vec::new(),
            removals: Vec::new(),
            matches: Matches::default(),
            cells: Cells::default(),
            diagnostics: Vec::new(),
            dropped_diagnostics: 0,
            running_system: None,
            tick: 1,
            version: 1,
            frame: 0,
            hash_cache: crate::time::HashCache::default(),
            arena: Arena::new(),
        };
        world.register::<Prefab>();
        world.archetype_of(&[]);
        world
    }

    /// Makes a component type known. Happens by itself on first use; `restore` into a fresh world needs it before.
    pub fn register<T: Component>(&mut self) -> ComponentId {
        if let Some(id) = self.registry.find::<T>() {
            return id;
        }
        let info = T::describe();
        let set = (T::STORAGE == Storage::Sparse).then(|| Box::new(SparseSet::new(&info)));
        let id = self.registry.add(info, T::STORAGE);
        if set.is_some() {
            self.sparse_ids.push(id);
        }
        self.sparse.push(set);
        self.removals.push(RemovalLog::default());
        if let Some(hook) = T::on_add() {
            self.add_handler(Happening::Add, id.0, hook);
        }
        if let Some(hook) = T::on_remove() {
            self.add_handler(Happening::Remove, id.0, hook);
        }
        if let Some(hook) = T::on_change() {
            self.add_handler(Happening::Change, id.0, hook);
        }
        id
    }
    /// Makes an event type known.
    pub fn register_event<E: Event>(&mut self) {
        self.events.id::<E>();
    }
    /// Makes a relation type known.
    pub fn register_relation<R: crate::relation::Relation>(&mut self) {
        self.relation_id::<R>();
    }
    /// Makes a resource type known.
    pub fn register_resource<R: Resource>(&mut self) {
        self.resources.id::<R>();
    }

    /// Frames run so far.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.frame
    }
    /// The stamp of the next direct write.
    #[must_use]
    pub fn tick(&self) -> u64 {
        self.tick
    }
    /// Jumps ahead in logical time.
    pub fn skip_ticks(&mut self, n: u64) {
        self.tick += n;
        self.version += 1;
    }
    #[inline(always)]
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { tick: self.tick, version: self.version }
    }
    /// Time passes: later writes can be told from earlier ones.
    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        self.tick += 1;
        self.version += 1;
    }
    /// Ends a direct operation: observers run.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        if self.observers.any && (!self.pending.is_empty() || self.observers.any_change) {
            self.settle_slow();
        }
    }
    #[cold]
    fn settle_slow(&mut self) {
        if let Some(panic) = self.drain() {
            std::panic::resume_unwind(panic);
        }
    }
    pub(crate) fn diagnose(&mut self, code: &'static str, what: &'static str, entity: Entity) {
        const KEPT: usize = 1024;
        if self.diagnostics.len() < KEPT {
            let system = self.running_system;
            self.diagnostics.push(Diagnostic { code, what, system, entity });
        } else {
            self.dropped_diagnostics += 1;
        }
    }
    /// What commands could not do since the last call (the first 1024 of it), and how much more there was.
    pub fn take_diagnostics(&mut self) -> (Vec<Diagnostic>, u64) {
        (std::mem::take(&mut self.diagnostics), std::mem::take(&mut self.dropped_diagnostics))
    }

    // ---- entities -------------------------------------------------------------------------------------------------

    /// Whether the entity is alive.
    #[inline]
    #[must_use]
    pub fn is_alive(&self, entity: Entity) -> bool {
        self.entities.get(entity).is_some()
    }
    /// How many entities are alive, templates included.
    #[must_use]
    pub fn entity_count(&self) -> usize {
        self.entities.alive as usize
    }
    /// Limits how many slots the world may have. Spawning past it is a typed error.
    pub fn set_entity_limit(&mut self, limit: u32) {
        self.entities.limit = limit.min(crate::entity::MAX_ENTITIES);
    }
    /// All living entities in iteration order.
    pub fn entities(&self) -> impl Iterator<Item = Entity> + '_ {
        self.archetypes.iter().flat_map(|a| (0..a.len).map(|row| a.entity(row)))
    }

    /// A new entity with the bundle's components.
    ///
    /// # Panics
    /// At the entity limit; see [`World::try_spawn`].
    #[inline]
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> Entity {
        match self.try_spawn(bundle) {
            Ok(entity) => entity,
            Err(limit) => panic!("{limit}"),
        }
    }
    /// A new entity with the bundle's components.
    ///
    /// # Errors
    /// At the entity limit; nothing changed then.
    #[inline]
    pub fn try_spawn<B: Bundle>(&mut self, bundle: B) -> Result<Entity, EntityLimit> {
        let entity = self.entities.mint()?;
        self.spawn_now(entity, bundle);
        self.settle();
        Ok(entity)
    }
    /// Sets ids aside that only [`World::spawn_reserved`] will use. They survive snapshots.
    ///
    /// # Errors
    /// When there are not as many slots left.
    pub fn reserve_ids(&mut self, n: u32) -> Result<Vec<Entity>, EntityLimit> {
        let first = self.entities.slots.len() as u32;
        if first as u64 + n as u64 > self.entities.limit as u64 {
            return Err(EntityLimit { limit: self.entities.limit });
        }
        for _ in 0..n {
            self.entities.slots.push(Slot { generation: 0, archetype: RESERVED, at: 0 });
        }
        self.entities.version = self.version;
        Ok((first..first + n).map(|i| Entity::from_parts(i, 0)).collect())
    }
    /// Spawns under a reserved id; returns whether it was reserved.
    pub fn spawn_reserved<B: Bundle>(&mut self, entity: Entity, bundle: B) -> bool {
        match self.entities.slots.get(entity.index() as usize) {
            Some(slot) if slot.archetype == RESERVED && slot.generation == entity.generation() => {
                self.spawn_now(entity, bundle);
                self.settle();
                true
            }
            _ => false,
        }
    }
    /// For tests of wrap-around: sets the generation of a free slot.
    #[doc(hidden)]
    pub fn set_free_generation(&mut self, index: u32, generation: u32) -> bool {
        match self.entities.slots.get_mut(index as usize) {
            Some(slot) if slot.archetype == FREE => {
                slot.generation = generation & crate::entity::MAX_GENERATION;
                true
            }
            _ => false,
        }
    }

    // ---- resources and events ---------------------------------------------------------------------------------------

    /// Sets a resource, replacing the one there was.
    pub fn insert_resource<R: Resource>(&mut self, value: R) {
        let stamp = self.stamp();
        self.resources.set(value, stamp);
    }
    /// A resource.
    #[must_use]
    pub fn resource<R: Resource>(&self) -> Option<&R> {
        let value = self.resources.find::<R>()?.value.as_ref()?;
        // SAFETY: the cell of `R` holds a live `R`; `&self` keeps it from being written.
        Some(unsafe { &*value.ptr().cast::<R>() })
    }
    /// A resource to write.
    pub fn resource_mut<R: Resource>(&mut self) -> Option<&mut R> {
        let stamp = self.stamp();
        let cell = self.resources.find::<R>()?;
        let value = cell.value.as_ref()?;
        cell.mark(stamp);
        // SAFETY: the cell of `R` holds a live `R`; `&mut self` is exclusive.
        Some(unsafe { &mut *value.ptr().cast::<R>() })
    }
    /// Takes a resource out.
    pub fn remove_resource<R: Resource>(&mut self) -> bool {
        let id = self.resources.id::<R>() as usize;
        let stamp = self.stamp();
        self.resources.cells[id].mark(stamp);
        self.resources.cells[id].value.take().is_some()
    }
    /// Sets a value that stays on this thread.
    pub fn insert_non_send<T: 'static>(&mut self, value: T) {
        let stamp = self.stamp();
        self.resources.set_pinned(value, stamp);
    }
    /// A value that stays on its thread.
    ///
    /// # Panics
    /// On another thread than the one that made it.
    pub fn non_send_mut<T: 'static>(&mut self) -> Option<&mut T> {
        let cell = self.resources.find_pinned::<T>()?;
        cell.check_thread();
        let value = cell.value.as_ref()?;
        // SAFETY: the cell holds a live `T`; right thread; `&mut self` is exclusive.
        Some(unsafe { &mut *value.ptr().cast::<T>() })
    }
    /// Sends an event from outside a frame: it comes before the next frame's first wave.
    pub fn send<E: Event>(&mut self, event: E) {
        let id = self.events.id::<E>();
        self.events.queue_mut::<E>(id).items.push(event);
    }
    /// Events of a type that are still readable, oldest first.
    #[must_use]
    pub fn events<E: Event>(&mut self) -> &[E] {
        let id = self.events.id::<E>();
        &self.events.queue::<E>(id).items
    }

    /// A frame begins.
    pub(crate) fn begin_frame(&mut self) {
        self.frame += 1;
        self.events.rotate();
        for log in &mut self.removals {
            if log.entries.is_empty() && log.current == log.base {
                continue;
            }
            let gone = (log.current.max(log.base) - log.base) as usize;
            log.entries.drain(..gone);
            log.base += gone as u64;
            log.previous = log.current;
            log.current = log.base + log.entries.len() as u64;
        }
    }
}
