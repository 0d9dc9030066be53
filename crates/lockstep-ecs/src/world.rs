//! The world: all entities, components, resources, events and relations, and direct access to them.
//!
//! Invariant: no row, slot or queue changes through `&World` except rows that a query of a running system holds exclusively.
//! Between public calls nothing is pending: observers have been drained.

use crate::component::{
    Bundle, BundleSink, Component, ComponentId, ComponentList, Registry, Storage,
};
use crate::entity::{Entities, Entity, EntityLimit, FREE, RESERVED, Slot};
use crate::erased::ErasedBox;
use crate::event::{Event, Events};
use crate::observer::{Happening, Observers, Pending};
use crate::query::matching::Matches;
use crate::relation::AnyRelation;
use crate::resource::{Resource, Resources};
use crate::storage::archetype::{
    Archetype, Column, InsertEdge, RemoveEdge, SPARSE, Target, locate, page_capacity, page_start,
};
use crate::storage::arena::Arena;
use crate::storage::sparse::SparseSet;
use crate::storage::{Stamp, copy_value};
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

    #[inline]
    pub(crate) fn bundle_id<B: Bundle>(&mut self) -> u32 {
        let type_id = TypeId::of::<B>();
        if let Some((last, id)) = self.bundles.last
            && last == type_id
        {
            return id;
        }
        self.bundle_id_slow::<B>(type_id)
    }
    #[inline(never)]
    fn bundle_id_slow<B: Bundle>(&mut self, type_id: TypeId) -> u32 {
        let id = match self.bundles.by_type.get(&type_id) {
            Some(&id) => id,
            None => {
                let mut list = ComponentList { world: self, ids: Vec::new() };
                B::components(&mut list);
                let ids = list.ids.into_boxed_slice();
                let id = self.bundles.lists.len() as u32;
                self.bundles.lists.push(ids);
                self.bundles.by_type.insert(type_id, id);
                id
            }
        };
        self.bundles.last = Some((type_id, id));
        id
    }

    /// The archetype of a sorted set of table components.
    pub(crate) fn archetype_of(&mut self, set: &[ComponentId]) -> u32 {
        if let Some(&id) = self.by_set.get(set) {
            return id;
        }
        let id = self.archetypes.len() as u32;
        let archetype = Archetype::new(id, set, &self.registry);
        self.matches.add_archetype(&archetype);
        self.archetypes.push(archetype);
        self.by_set.insert(set.into(), id);
        id
    }

    #[inline(always)]
    pub(crate) fn insert_edge(&mut self, from: u32, bundle: u32) -> NonNull<InsertEdge> {
        if let Some(Some(edge)) = self.archetypes.get(from).insert_edges.get(bundle as usize) {
            return NonNull::from(&**edge);
        }
        self.make_insert_edge(from, bundle)
    }
    #[cold]
    fn make_insert_edge(&mut self, from: u32, bundle: u32) -> NonNull<InsertEdge> {
        let list = self.bundles.lists[bundle as usize].clone();
        let here = self.archetypes.get(from).components.clone();
        let mut set: Vec<ComponentId> = here.to_vec();
        set.extend(list.iter().filter(|c| self.registry.info(**c).storage == Storage::Table));
        set.sort_unstable();
        set.dedup();
        let to = self.archetype_of(&set);
        let there = self.archetypes.get(to);
        let column = |c: ComponentId| there.column_index(c).expect("in the set") as u16;
        let moves = here.iter().enumerate().map(|(i, &c)| (i as u16, column(c))).collect();
        let targets = list
            .iter()
            .map(|&component| match self.registry.info(component).storage {
                Storage::Table => Target {
                    column: column(component),
                    component,
                    replace: here.binary_search(&component).is_ok(),
                },
                Storage::Sparse => Target { column: SPARSE, component, replace: false },
            })
            .collect();
        let edges = &mut self.archetypes.get_mut(from).insert_edges;
        if edges.len() <= bundle as usize {
            edges.resize_with(bundle as usize + 1, || None);
        }
        NonNull::from(&**edges[bundle as usize].insert(Box::new(InsertEdge { to, moves, targets })))
    }
    #[cold]
    fn make_remove_edge(&mut self, from: u32, bundle: u32) -> NonNull<RemoveEdge> {
        let list = self.bundles.lists[bundle as usize].clone();
        let here = self.archetypes.get(from).components.clone();
        let set: Vec<ComponentId> = here.iter().copied().filter(|c| !list.contains(c)).collect();
        let to = self.archetype_of(&set);
        let (from_a, there) = (self.archetypes.get(from), self.archetypes.get(to));
        let moves = set
            .iter()
            .map(|&c| {
                let column = |a: &Archetype| a.column_index(c).expect("in both sets") as u16;
                (column(from_a), column(there))
            })
            .collect();
        let removed =
            list.iter().filter_map(|&c| from_a.column_index(c).map(|i| i as u16)).collect();
        let sparse = list
            .iter()
            .copied()
            .filter(|&c| self.registry.info(c).storage == Storage::Sparse)
            .collect();
        let edges = &mut self.archetypes.get_mut(from).remove_edges;
        if edges.len() <= bundle as usize {
            edges.resize_with(bundle as usize + 1, || None);
        }
        let edge = Box::new(RemoveEdge { to, moves, removed, sparse });
        NonNull::from(&**edges[bundle as usize].insert(edge))
    }

    /// Gives a minted id its row.
    #[inline]
    pub(crate) fn spawn_now<B: Bundle>(&mut self, entity: Entity, bundle: B) {
        let bundle_id = self.bundle_id::<B>();
        // SAFETY: edges stay where they are until archetypes are taken back, which does not happen here.
        let edge = unsafe { self.insert_edge(0, bundle_id).as_ref() };
        let stamp = self.stamp();
        let archetype = self.archetypes.get_mut(edge.to);
        let row = archetype.push(entity, &mut self.arena, stamp);
        let place = locate(row);
        self.entities.place(entity.index(), edge.to, place);
        self.entities.alive += 1;
        self.entities.version = stamp.version;
        // SAFETY: the row was made for exactly these targets and is not written yet.
        unsafe { self.put(edge, entity, place, stamp, bundle) };
        if self.observers.any {
            self.pending_adds(edge, entity, None);
        }
    }

    /// Writes a bundle into a row.
    ///
    /// # Safety
    /// The place is one of a row of `edge.to`; targets with `replace` hold live values, the others none.
    #[inline(always)]
    unsafe fn put<B: Bundle>(
        &mut self,
        edge: &InsertEdge,
        entity: Entity,
        (page, offset): (usize, usize),
        stamp: Stamp,
        bundle: B,
    ) {
        let archetype = self.archetypes.get(edge.to);
        let mut sink = RowSink {
            columns: archetype.column_ptr_base(),
            targets: &edge.targets,
            next: 0,
            page,
            offset,
            entity,
            stamp,
            sparse: &raw mut self.sparse,
        };
        bundle.put(&mut sink);
        debug_assert_eq!(sink.next, edge.targets.len());
    }

    #[cold]
    fn pending_adds(&mut self, edge: &InsertEdge, entity: Entity, had: Option<&[bool]>) {
        for (i, t) in edge.targets.iter().enumerate() {
            let had = t.replace || had.is_some_and(|h| h[i]);
            if !had && self.registry.info(t.component).observed_add {
                self.pending.push(Pending {
                    what: Happening::Add,
                    of: t.component.0,
                    entity,
                    target: Entity::NULL,
                    value: None,
                });
            }
        }
    }

    /// Gives components to an entity, replacing those it has. Returns whether it is alive.
    #[inline]
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) -> bool {
        let done = self.insert_now(entity, bundle);
        self.settle();
        done
    }
    #[inline]
    pub(crate) fn insert_now<B: Bundle>(&mut self, entity: Entity, bundle: B) -> bool {
        let Some(slot) = self.entities.get(entity) else { return false };
        let bundle_id = self.bundle_id::<B>();
        if !B::TABLE && !self.observers.any {
            // The archetype stays as it is.
            let (next, stamp) = (0, self.stamp());
            let ids = &self.bundles.lists[bundle_id as usize];
            bundle.put(&mut SetSink { ids, next, entity, stamp, sets: &mut self.sparse });
            return true;
        }
        // SAFETY: as in `spawn_now`.
        let edge = unsafe { self.insert_edge(slot.archetype, bundle_id).as_ref() };
        let stamp = self.stamp();
        let had: Option<Vec<bool>> = self.observers.any.then(|| {
            let sparse = |t: &Target| {
                t.column == SPARSE
                    && self.sparse[t.component.index()]
                        .as_ref()
                        .is_some_and(|s| s.find(entity).is_some())
            };
            edge.targets.iter().map(sparse).collect()
        });
        let place = if edge.to == slot.archetype {
            slot.place()
        } else {
            // SAFETY: the slot says that the row exists; all values are moved along the edge, the rest is written below.
            unsafe { self.migrate(entity, slot, edge.to, &edge.moves, stamp) }
        };
        // SAFETY: targets that are not `replace` are new columns of the row.
        unsafe { self.put(edge, entity, place, stamp, bundle) };
        if had.is_some() {
            self.pending_adds(edge, entity, had.as_deref());
        }
        true
    }

    /// Moves an entity's row to another archetype. Columns that are not in `moves` are left as they are: their values must have
    /// been dropped here and be written there by the caller.
    ///
    /// # Safety
    /// `slot` is the slot of the living `entity`; `moves` are columns of equal components.
    #[inline(always)]
    pub(crate) unsafe fn migrate(
        &mut self,
        entity: Entity,
        slot: Slot,
        to: u32,
        moves: &[(u16, u16)],
        stamp: Stamp,
    ) -> (usize, usize) {
        debug_assert_ne!(slot.archetype, to);
        let (from_page, from_offset) = slot.place();
        let row = self.archetypes.get_mut(to).push(entity, &mut self.arena, stamp);
        let (page, offset) = locate(row);
        // SAFETY: both rows exist; `moves` pairs columns of one component; the archetypes differ, so nothing overlaps.
        unsafe {
            let (source, target) =
                (self.archetypes.get(slot.archetype).columns(), self.archetypes.get(to).columns());
            for &(s, t) in moves {
                let (s, t) = (source.get_unchecked(s as usize), target.get_unchecked(t as usize));
                copy_value(s.at(from_page, from_offset), t.at(page, offset), s.size);
                let from = s.pages.get_unchecked(from_page);
                let to = t.pages.get_unchecked(page);
                to.version.store(stamp.version, std::sync::atomic::Ordering::Relaxed);
                to.tick.store(to.tick().max(from.tick()), std::sync::atomic::Ordering::Relaxed);
                if !to.changed.is_null() {
                    *to.changed.add(offset) = *from.changed.add(from_offset);
                }
                if !to.added.is_null() {
                    *to.added.add(offset) = *from.added.add(from_offset);
                }
            }
            let source = self.archetypes.get_mut(slot.archetype);
            if let Some(moved) = source.close(slot.place(), &mut self.arena, stamp) {
                self.entities.place(moved.index(), slot.archetype, slot.place());
            }
        }
        self.entities.place(entity.index(), to, (page, offset));
        self.entities.version = stamp.version;
        (page, offset)
    }

    /// Takes components from an entity. Returns whether it is alive and had any of them.
    #[inline]
    pub fn remove<B: Bundle>(&mut self, entity: Entity) -> bool {
        let bundle = self.bundle_id::<B>();
        let done = if B::TABLE {
            self.remove_now(entity, bundle)
        } else {
            self.remove_sparse_bundle(entity, bundle)
        };
        self.settle();
        done
    }
    #[inline]
    pub(crate) fn remove_now(&mut self, entity: Entity, bundle: u32) -> bool {
        let Some(slot) = self.entities.get(entity) else { return false };
        let from = self.archetypes.get(slot.archetype);
        let edge = match from.remove_edges.get(bundle as usize) {
            Some(Some(edge)) => NonNull::from(&**edge),
            _ => self.make_remove_edge(slot.archetype, bundle),
        };
        // SAFETY: as in `spawn_now`.
        let edge = unsafe { edge.as_ref() };
        let stamp = self.stamp();
        let mut any = false;
        if !edge.removed.is_empty() {
            any = true;
            for &column in &edge.removed {
                // SAFETY: the row lives; its value is not used after this, the row moves away from it.
                unsafe { self.take_value(entity, slot, column as usize, stamp) };
            }
            // SAFETY: the values not moved were taken just now.
            unsafe { self.migrate(entity, slot, edge.to, &edge.moves, stamp) };
        }
        for &c in &edge.sparse {
            any |= self.remove_sparse(entity, c, stamp);
        }
        any
    }
    /// Removes one component known by id.
    pub(crate) fn remove_component_now(&mut self, entity: Entity, component: ComponentId) -> bool {
        let Some(slot) = self.entities.get(entity) else { return false };
        let stamp = self.stamp();
        if self.registry.info(component).storage == Storage::Sparse {
            return self.remove_sparse(entity, component, stamp);
        }
        let here = self.archetypes.get(slot.archetype);
        let Some(column) = here.column_index(component) else { return false };
        let set: Vec<ComponentId> =
            here.components.iter().copied().filter(|&c| c != component).collect();
        let to = self.archetype_of(&set);
        let (here, there) = (self.archetypes.get(slot.archetype), self.archetypes.get(to));
        let at = |a: &Archetype, c| a.column_index(c).expect("in both sets") as u16;
        let moves: Vec<(u16, u16)> = set.iter().map(|&c| (at(here, c), at(there, c))).collect();
        // SAFETY: as in `remove_now`.
        unsafe {
            self.take_value(entity, slot, column, stamp);
            self.migrate(entity, slot, to, &moves, stamp);
        }
        true
    }

    /// Ends a value of a row: logs it, keeps it for observers, or drops it.
    ///
    /// # Safety
    /// `slot` is the slot of the living `entity`; the value is not used afterwards.
    #[inline(always)]
    unsafe fn take_value(&mut self, entity: Entity, slot: Slot, column: usize, stamp: Stamp) {
        let archetype = self.archetypes.get(slot.archetype);
        // SAFETY: an edge or the component list named the column.
        let column = unsafe { archetype.columns().get_unchecked(column) };
        let (page, offset) = slot.place();
        // SAFETY: the row exists.
        let value = unsafe { column.at(page, offset) };
        let component = column.component;
        let drop = column.drop;
        let info = self.registry.info(component);
        if info.track_removed | info.observed_remove {
            let added = column.pages[page].added;
            // SAFETY: the array, when there is one, has the page's capacity.
            let added = if added.is_null() { 0 } else { unsafe { *added.add(offset) } };
            let (tracked, observed) = (info.track_removed, info.observed_remove);
            if tracked {
                let entry = Removal { entity, tick: stamp.tick, added };
                self.removals[component.index()].entries.push(entry);
            }
            if observed {
                let mut kept = ErasedBox::room(info.value.layout, drop);
                // SAFETY: the room fits the value, which moves there.
                unsafe {
                    value.copy_to_nonoverlapping(kept.ptr(), info.value.layout.size());
                    kept.set_live();
                }
                self.pending.push(Pending {
                    what: Happening::Remove,
                    of: component.0,
                    entity,
                    target: Entity::NULL,
                    value: Some(kept),
                });
                return;
            }
        }
        if let Some(drop) = drop {
            // SAFETY: the caller's contract: live, and not used again.
            unsafe { drop(value) };
        }
    }

    /// Takes a bundle of sparse components only.
    fn remove_sparse_bundle(&mut self, entity: Entity, bundle: u32) -> bool {
        if !self.is_alive(entity) {
            return false;
        }
        let stamp = self.stamp();
        let mut any = false;
        for k in 0..self.bundles.lists[bundle as usize].len() {
            any |= self.remove_sparse(entity, self.bundles.lists[bundle as usize][k], stamp);
        }
        any
    }
    #[inline]
    fn remove_sparse(&mut self, entity: Entity, component: ComponentId, stamp: Stamp) -> bool {
        let info = self.registry.info(component);
        let Some(set) = self.sparse[component.index()].as_deref_mut() else { return false };
        if info.observed_remove {
            let mut kept = ErasedBox::room(info.value.layout, info.value.drop);
            // SAFETY: the room fits the value.
            let Some(added) = (unsafe { set.remove(entity, Some(kept.ptr()), stamp) }) else {
                return false;
            };
            // SAFETY: just moved in.
            unsafe { kept.set_live() };
            if info.track_removed {
                self.removals[component.index()].entries.push(Removal {
                    entity,
                    tick: stamp.tick,
                    added,
                });
            }
            self.pending.push(Pending {
                what: Happening::Remove,
                of: component.0,
                entity,
                target: Entity::NULL,
                value: Some(kept),
            });
            return true;
        }
        // SAFETY: no target: the value is dropped.
        let Some(added) = (unsafe { set.remove(entity, None, stamp) }) else { return false };
        if info.track_removed {
            let entry = Removal { entity, tick: stamp.tick, added };
            self.removals[component.index()].entries.push(entry);
        }
        true
    }

    /// Ends an entity, with all subjects of cascading relations. Returns whether it was alive.
    #[inline]
    pub fn despawn(&mut self, entity: Entity) -> bool {
        let done = self.despawn_now(entity);
        self.settle();
        done
    }
    #[inline]
    pub(crate) fn despawn_now(&mut self, entity: Entity) -> bool {
        if !self.is_alive(entity) {
            return false;
        }
        if self.relations.is_empty() {
            self.despawn_one(entity);
        } else {
            self.despawn_tree(entity);
        }
        true
    }
    /// Breadth first over cascading relations: each entity once, circles included.
    fn despawn_tree(&mut self, entity: Entity) {
        let mut order = vec![entity];
        let cascades: Vec<usize> =
            (0..self.relations.len()).filter(|&r| self.relations[r].cascades()).collect();
        if cascades.iter().any(|&r| self.relations[r].first_subject(entity).is_some()) {
            let mut seen = rustc_hash::FxHashSet::default();
            seen.insert(entity);
            let mut next = Vec::new();
            let mut k = 0;
            while k < order.len() {
                for &r in &cascades {
                    self.relations[r].subjects_of(order[k], &mut next);
                }
                order.extend(next.drain(..).filter(|&e| seen.insert(e)));
                k += 1;
            }
        }
        // Children go before their parents, so that no row moves only because its parent went.
        for e in order.into_iter().rev() {
            self.unrelate_all(e);
            self.despawn_one(e);
        }
    }
    #[inline]
    fn despawn_one(&mut self, entity: Entity) {
        let Some(slot) = self.entities.get(entity) else { return };
        let stamp = self.stamp();
        let archetype = self.archetypes.get(slot.archetype);
        if archetype.needs_drop | self.registry.removals_watched {
            for column in 0..archetype.components.len() {
                // SAFETY: the row lives and goes now.
                unsafe { self.take_value(entity, slot, column, stamp) };
            }
        }
        for k in 0..self.sparse_ids.len() {
            self.remove_sparse(entity, self.sparse_ids[k], stamp);
        }
        let archetype = self.archetypes.get_mut(slot.archetype);
        // SAFETY: the row exists, its values were taken.
        if let Some(moved) = unsafe { archetype.close(slot.place(), &mut self.arena, stamp) } {
            self.entities.place(moved.index(), slot.archetype, slot.place());
        }
        self.entities.release(entity.index());
        self.entities.alive -= 1;
        self.entities.version = stamp.version;
    }

    /// Many entities with one bundle type, written column by column within a page.
    ///
    /// # Panics
    /// At the entity limit.
    pub fn spawn_batch<B: Bundle>(
        &mut self,
        bundles: impl IntoIterator<Item = B, IntoIter: ExactSizeIterator>,
    ) -> Vec<Entity> {
        let bundles = bundles.into_iter();
        let mut out = Vec::with_capacity(bundles.len());
        self.spawn_pages(bundles, |ids| out.extend_from_slice(ids));
        out
    }
    /// As [`World::spawn_batch`], for who does not need the handles; returns how many there are.
    ///
    /// # Panics
    /// At the entity limit.
    pub fn extend<B: Bundle>(
        &mut self,
        bundles: impl IntoIterator<Item = B, IntoIter: ExactSizeIterator>,
    ) -> usize {
        let mut n = 0;
        self.spawn_pages(bundles.into_iter(), |ids| n += ids.len());
        n
    }
    /// Spawns page by page; `seen` gets the ids of each.
    fn spawn_pages<B: Bundle>(
        &mut self,
        mut bundles: impl ExactSizeIterator<Item = B>,
        mut seen: impl FnMut(&[Entity]),
    ) {
        let n = bundles.len();
        let bundle_id = self.bundle_id::<B>();
        // SAFETY: as in `spawn_now`.
        let edge = unsafe { self.insert_edge(0, bundle_id).as_ref() };
        if n > self.entities.room() {
            panic!("{}", EntityLimit { limit: self.entities.limit });
        }
        if self.observers.any
            || edge.targets.iter().any(|t| t.column == SPARSE)
            || edge.targets.len() > PageSink::WIDEST
        {
            for bundle in bundles {
                let entity = self.entities.mint().expect("room was checked");
                self.spawn_now(entity, bundle);
                seen(&[entity]);
            }
            self.settle();
            return;
        }
        let stamp = self.stamp();
        self.archetypes.get_mut(edge.to).reserve(n as u32, &mut self.arena);
        self.entities.reserve(n.saturating_sub(self.entities.free.len()));
        let mut left = n;
        while left > 0 {
            let row = self.archetypes.get(edge.to).len;
            let (page, offset) = locate(row);
            let take = ((page_start(page) + page_capacity(page) - row) as usize).min(left);
            let archetype = self.archetypes.get(edge.to);
            let columns = archetype.columns();
            let mut heads = [std::ptr::null_mut::<u8>(); PageSink::WIDEST];
            for (head, t) in heads.iter_mut().zip(&edge.targets) {
                // SAFETY: the page was reserved.
                *head = unsafe { columns[t.column as usize].at(page, offset) };
            }
            // SAFETY: as above.
            let ids = unsafe { archetype.ids.at(page, offset).cast::<Entity>() };
            // An iterator that says it is longer than it is ends the batch early.
            let mut done = 0;
            bundles.by_ref().take(take).for_each(|bundle| {
                // Row `row + done` lies in the reserved page and is not written yet.
                bundle.put(&mut PageSink { heads: &heads, next: 0, row: done });
                done += 1;
            });
            // SAFETY: the rows lie in the reserved page.
            let ids = unsafe {
                self.entities.mint_rows(edge.to, row, done, ids);
                std::slice::from_raw_parts(ids, done)
            };
            seen(ids);
            let archetype = self.archetypes.get_mut(edge.to);
            archetype.len += done as u32;
            archetype.ids.pages[page].mark(stamp);
            for column in archetype.columns() {
                if column.track_changed | column.track_added {
                    for k in offset..offset + done {
                        // SAFETY: the rows were just written.
                        unsafe { column.mark_added(page, k, stamp) };
                    }
                }
                column.pages[page].mark(stamp);
            }
            self.entities.alive += done as u32;
            left -= take;
            if done < take {
                break;
            }
        }
        self.entities.version = stamp.version;
    }

    // ---- components -----------------------------------------------------------------------------------------------

    pub(crate) fn value_ptr(&self, entity: Entity, component: ComponentId) -> Option<*mut u8> {
        let slot = self.entities.get(entity)?;
        match self.registry.info(component).storage {
            Storage::Table => {
                let archetype = self.archetypes.get(slot.archetype);
                let column = &archetype.columns()[archetype.column_index(component)?];
                let (page, offset) = slot.place();
                // SAFETY: the row exists.
                Some(unsafe { column.at(page, offset) })
            }
            Storage::Sparse => {
                let set = self.sparse[component.index()].as_ref()?;
                Some(set.at(set.find(entity)?))
            }
        }
    }
    pub(crate) fn mark_value(&mut self, entity: Entity, component: ComponentId) {
        let stamp = self.stamp();
        let Some(slot) = self.entities.get(entity) else { return };
        match self.registry.info(component).storage {
            Storage::Table => {
                let archetype = self.archetypes.get(slot.archetype);
                if let Some(c) = archetype.column_index(component) {
                    let (page, offset) = slot.place();
                    // SAFETY: the row exists and `&mut self` is exclusive.
                    unsafe { archetype.columns()[c].pages[page].mark_row(offset, stamp) };
                }
            }
            Storage::Sparse => {
                if let Some(set) = &self.sparse[component.index()]
                    && let Some(k) = set.find(entity)
                {
                    // SAFETY: found just now, and `&mut self` is exclusive.
                    unsafe { set.mark_value(k, stamp) };
                }
            }
        }
    }
    /// A component of an entity.
    #[must_use]
    pub fn get<T: Component>(&self, entity: Entity) -> Option<&T> {
        let id = self.registry.find::<T>()?;
        // SAFETY: the pointer is to a live `T`; `&self` keeps it from being written.
        self.value_ptr(entity, id).map(|p| unsafe { &*p.cast::<T>() })
    }
    /// A component of an entity, to write; counts as written.
    pub fn get_mut<T: Component>(&mut self, entity: Entity) -> Option<&mut T> {
        let id = self.registry.find::<T>()?;
        let ptr = self.value_ptr(entity, id)?;
        self.mark_value(entity, id);
        // SAFETY: the pointer is to a live `T`; `&mut self` is exclusive.
        Some(unsafe { &mut *ptr.cast::<T>() })
    }
    /// Whether an entity has a component.
    #[must_use]
    pub fn has<T: Component>(&self, entity: Entity) -> bool {
        self.registry.find::<T>().is_some_and(|id| self.value_ptr(entity, id).is_some())
    }
    /// Number of components an entity has.
    #[must_use]
    pub fn component_count(&self, entity: Entity) -> usize {
        let Some(slot) = self.entities.get(entity) else { return 0 };
        self.archetypes.get(slot.archetype).components.len()
            + self
                .sparse_ids
                .iter()
                .filter(|c| {
                    self.sparse[c.index()].as_ref().is_some_and(|s| s.find(entity).is_some())
                })
                .count()
    }

    /// Calls `f(entity, added tick)` for every value of the component written after `since`, by archetype and row.
    pub(crate) fn each_changed(
        &self,
        component: ComponentId,
        since: u64,
        mut f: impl FnMut(Entity, u64),
    ) {
        if let Some(set) = &self.sparse[component.index()] {
            if set.tick.load(std::sync::atomic::Ordering::Relaxed) <= since {
                return;
            }
            for archetype in self.archetypes.iter() {
                for row in 0..archetype.len {
                    let e = archetype.entity(row);
                    if let Some(k) = set.find(e)
                        && set.rows[k].changed > since
                    {
                        f(e, set.rows[k].added);
                    }
                }
            }
            return;
        }
        for archetype in self.archetypes.iter() {
            let Some(c) = archetype.column_index(component) else { continue };
            let column: &Column = &archetype.columns()[c];
            for (p, page) in column.pages.iter().enumerate() {
                if page.tick() <= since {
                    continue;
                }
                for (k, &e) in archetype.page_ids(p).iter().enumerate() {
                    // SAFETY: tracked columns have tick arrays of the page's capacity.
                    let (changed, added) = unsafe {
                        let at =
                            |a: *mut u64, default| if a.is_null() { default } else { *a.add(k) };
                        (at(page.changed, page.tick()), at(page.added, 0))
                    };
                    if changed > since {
                        f(e, added);
                    }
                }
            }
        }
    }
    /// Entities whose `T` was written after `since` (see [`World::tick`]), in iteration order.
    pub fn changed_since<T: Component>(&mut self, since: u64) -> Vec<Entity> {
        let id = self.register::<T>();
        self.track(id, true, false, false);
        let mut out = Vec::new();
        self.each_changed(id, since, |e, _| out.push(e));
        out
    }

    /// Turns on bookkeeping that costs something, because a consumer appeared.
    pub(crate) fn track(&mut self, id: ComponentId, changed: bool, added: bool, removed: bool) {
        let info = &mut self.registry.infos[id.index()];
        info.track_removed |= removed;
        self.registry.removals_watched |= removed;
        let info = &mut self.registry.infos[id.index()];
        let added = added | removed;
        if (changed && !info.track_changed) || (added && !info.track_added) {
            info.track_changed |= changed;
            info.track_added |= added;
            for a in 0..self.archetypes.len() {
                let archetype = self.archetypes.get_mut(a as u32);
                if let Some(c) = archetype.column_index(id) {
                    archetype.columns_mut()[c].start_tracking(&mut self.arena, changed, added);
                }
            }
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

impl Archetype {
    #[inline(always)]
    fn column_ptr_base(&self) -> *const Column {
        self.columns().as_ptr()
    }
}

/// Writes a bundle into one row.
struct RowSink<'a> {
    columns: *const Column,
    targets: &'a [Target],
    next: usize,
    page: usize,
    offset: usize,
    entity: Entity,
    stamp: Stamp,
    sparse: *mut Vec<Option<Box<SparseSet>>>,
}

impl BundleSink for RowSink<'_> {
    #[inline(always)]
    fn put<T: Component>(&mut self, value: T) {
        let target = self.targets[self.next];
        self.next += 1;
        if T::STORAGE == Storage::Sparse {
            // SAFETY: the world that made the sink is borrowed exclusively and does not touch its sets meanwhile; the set is `T`'s.
            unsafe {
                put_sparse(&mut *self.sparse, target.component, self.entity, value, self.stamp);
            }
            return;
        }
        // SAFETY: the edge was made for this bundle, so the column is `T`'s and the row is in it.
        unsafe {
            let column = &*self.columns.add(target.column as usize);
            let to = column.at(self.page, self.offset).cast::<T>();
            if target.replace {
                *to = value;
                column.pages.get_unchecked(self.page).mark_row(self.offset, self.stamp);
            } else {
                to.write(value);
                column.mark_added(self.page, self.offset, self.stamp);
            }
        }
    }
}

/// Gives a sparse component to an entity, or replaces its value.
///
/// # Safety
/// The component is `T`.
#[inline(always)]
unsafe fn put_sparse<T: Component>(
    sets: &mut [Option<Box<SparseSet>>],
    component: ComponentId,
    entity: Entity,
    value: T,
    stamp: Stamp,
) {
    let set = sets[component.index()].as_mut().expect("made at registration");
    match set.find(entity) {
        // SAFETY: a live `T`, exclusively ours.
        Some(k) => unsafe {
            *set.at(k).cast::<T>() = value;
            set.mark_value(k, stamp);
        },
        // SAFETY: `push` makes room for one `T`.
        None => unsafe { set.push(entity, stamp).cast::<T>().write(value) },
    }
}

/// Writes a bundle of sparse components only.
struct SetSink<'a> {
    ids: &'a [ComponentId],
    next: usize,
    entity: Entity,
    stamp: Stamp,
    sets: &'a mut [Option<Box<SparseSet>>],
}

impl BundleSink for SetSink<'_> {
    #[inline(always)]
    fn put<T: Component>(&mut self, value: T) {
        let component = self.ids[self.next];
        self.next += 1;
        // SAFETY: the list was made for this bundle, in this order.
        unsafe { put_sparse(self.sets, component, self.entity, value, self.stamp) };
    }
}

/// Writes bundles into consecutive rows of a page.
struct PageSink<'a> {
    heads: &'a [*mut u8; PageSink::WIDEST],
    next: usize,
    row: usize,
}

impl PageSink<'_> {
    /// Components a bundle may have to be written this way.
    const WIDEST: usize = 32;
}

impl BundleSink for PageSink<'_> {
    #[inline(always)]
    fn put<T: Component>(&mut self, value: T) {
        // SAFETY: the heads are those of the bundle's columns in order; the row lies in the page.
        unsafe { self.heads[self.next].cast::<T>().add(self.row).write(value) };
        self.next += 1;
    }
}
