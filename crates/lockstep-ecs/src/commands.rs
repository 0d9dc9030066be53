//! Commands: structural changes recorded while a wave runs, applied at its end in one order.
//!
//! Order: (wave, system by plan index, chunk, sequence). Ids are minted at the commit, in that order, all of them before the first
//! command is applied; until then a spawn is known by a placeholder, which is resolved wherever it went: in commands, in fields of
//! components written in place, in resources, locals, events and pairs.
//!
//! Invariant: a record in a lane is owned by it until it was applied or dropped; records are typed by the vtable in front of them.

use crate::component::Bundle;
use crate::entity::{Entity, EntityLimit, MAX_CHUNK, MAX_SEQUENCE};
use crate::event::Event;
use crate::relation::Relation;
use crate::resource::Resource;
use crate::world::World;
use std::mem::MaybeUninit;

/// The system number under which observers and ad-hoc commands spawn.
pub(crate) const OBSERVER_SYSTEM: u32 = 0xfffe;

/// A typed record.
trait Op: Send + 'static {
    fn apply(self, cx: &mut Applier<'_>);
}

/// What applies records.
pub(crate) struct Applier<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) resolver: &'a Resolver,
    /// Position of the lane's first id.
    base: u32,
}

/// Ids of the spawns of one commit.
#[derive(Debug, Default)]
pub(crate) struct Resolver {
    /// (system, chunk, position of the first id, number), ascending.
    lanes: Vec<(u32, u32, u32, u32)>,
    ids: Vec<Entity>,
}

impl Resolver {
    pub(crate) fn clear(&mut self) {
        self.lanes.clear();
        self.ids.clear();
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
    /// The minted id of a placeholder; everything else is returned as it is.
    #[inline]
    pub(crate) fn resolve(&self, entity: Entity) -> Entity {
        if !entity.is_placeholder() {
            return entity;
        }
        let (system, chunk, sequence) = entity.placeholder_parts();
        match self.lanes.binary_search_by_key(&(system, chunk), |l| (l.0, l.1)) {
            Ok(k) if sequence < self.lanes[k].3 => self.ids[(self.lanes[k].2 + sequence) as usize],
            _ => entity,
        }
    }
}

struct VTable {
    words: usize,
    apply: unsafe fn(*mut u8, &mut Applier<'_>),
    drop: unsafe fn(*mut u8),
}

struct TableOf<O>(std::marker::PhantomData<O>);
impl<O: Op> TableOf<O> {
    const FITS: bool = align_of::<O>() <= 8;
    const TABLE: &'static VTable = &VTable {
        words: if Self::FITS { size_of::<O>().div_ceil(8) } else { 1 },
        apply: Self::apply,
        drop: Self::drop,
    };
    unsafe fn apply(at: *mut u8, cx: &mut Applier<'_>) {
        // SAFETY: the record was written by `push::<O>` and is read once.
        unsafe {
            if Self::FITS {
                at.cast::<O>().read().apply(cx);
            } else {
                at.cast::<Box<O>>().read().apply(cx);
            }
        }
    }
    unsafe fn drop(at: *mut u8) {
        // SAFETY: as above.
        unsafe {
            if Self::FITS {
                at.cast::<O>().drop_in_place();
            } else {
                at.cast::<Box<O>>().drop_in_place();
            }
        }
    }
}

/// Records of one (system, chunk), in sequence.
#[derive(Default)]
pub(crate) struct Lane {
    words: Vec<MaybeUninit<u64>>,
    /// First record not applied yet.
    cursor: usize,
    system: u32,
    chunk: u32,
    spawns: u32,
    overflow: bool,
}

// SAFETY: records are `Send` (bound of `Op`).
unsafe impl Send for Lane {}
// SAFETY: a shared lane gives no access to its records.
unsafe impl Sync for Lane {}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Lane({}.{}, {} spawns)", self.system, self.chunk, self.spawns)
    }
}

impl Lane {
    pub(crate) fn open(&mut self, system: u32, chunk: u32) {
        debug_assert!(self.words.is_empty());
        (self.system, self.chunk, self.spawns, self.overflow) =
            (system, chunk, 0, chunk > MAX_CHUNK);
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.spawns == 0
    }
    #[inline]
    fn push<O: Op>(&mut self, op: O) {
        let table = TableOf::<O>::TABLE;
        let at = self.words.len();
        self.words.reserve(1 + table.words);
        // SAFETY: room for the header and the record was reserved; records of alignment above 8 are boxed.
        unsafe {
            let header = self.words.as_mut_ptr().add(at);
            header.cast::<&'static VTable>().write(table);
            let body = header.add(1);
            if TableOf::<O>::FITS {
                body.cast::<O>().write(op);
            } else {
                body.cast::<Box<O>>().write(Box::new(op));
            }
            self.words.set_len(at + 1 + table.words);
        }
    }
    #[inline]
    fn next_placeholder(&mut self) -> (u32, Entity) {
        let sequence = self.spawns;
        if sequence > MAX_SEQUENCE {
            self.overflow = true;
            return (0, Entity::NULL);
        }
        self.spawns += 1;
        (sequence, Entity::placeholder(self.system, self.chunk, sequence))
    }
    /// Takes the next record's body.
    fn next(&mut self) -> Option<(&'static VTable, *mut u8)> {
        if self.cursor >= self.words.len() {
            return None;
        }
        // SAFETY: at `cursor` lies a header, behind it its record; both were written by `push`.
        unsafe {
            let header = self.words.as_mut_ptr().add(self.cursor);
            let table = header.cast::<&'static VTable>().read();
            self.cursor += 1 + table.words;
            Some((table, header.add(1).cast()))
        }
    }
    fn apply(&mut self, cx: &mut Applier<'_>) {
        while let Some((table, at)) = self.next() {
            // SAFETY: the record is live and is not seen again: `next` moved past it.
            unsafe { (table.apply)(at, cx) };
        }
        self.reset();
    }
    fn reset(&mut self) {
        while let Some((table, at)) = self.next() {
            // SAFETY: as in `apply`.
            unsafe { (table.drop)(at) };
        }
        self.words.clear();
        self.cursor = 0;
        self.spawns = 0;
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.reset();
    }
}

/// All lanes of one `Commands` parameter.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct CommandState {
    system: u32,
    /// Lanes in use, ascending by chunk; the last one is the open serial lane.
    lanes: Vec<Lane>,
    spare: Vec<Lane>,
    next_chunk: u32,
    first_chunk: u32,
}

impl CommandState {
    pub(crate) fn for_system(system: u32, param: u32) -> Self {
        // Several `Commands` of one system share its number; each has a range of chunks of its own.
        let first_chunk = param << 20;
        CommandState { system, first_chunk, next_chunk: first_chunk, ..CommandState::default() }
    }
    /// Commands at the end of what was recorded so far.
    pub(crate) fn open(&mut self, system: u32, first_chunk: u32) -> Commands<'_> {
        if self.lanes.is_empty() {
            (self.system, self.first_chunk, self.next_chunk) = (system, first_chunk, first_chunk);
        }
        self.commands()
    }
    pub(crate) fn commands(&mut self) -> Commands<'_> {
        if self.lanes.is_empty() {
            self.next_chunk = self.first_chunk;
            self.open_lane();
        }
        Commands { to: To::State(self) }
    }
    fn open_lane(&mut self) {
        let mut lane = self.spare.pop().unwrap_or_default();
        lane.open(self.system, self.next_chunk);
        self.next_chunk += 1;
        self.lanes.push(lane);
    }
    pub(crate) fn spawned(&self) -> usize {
        self.lanes.iter().map(|l| l.spawns as usize).sum()
    }
    pub(crate) fn overflowed(&self) -> bool {
        self.lanes.iter().any(|l| l.overflow)
    }
    pub(crate) fn mint(&mut self, world: &mut World, resolver: &mut Resolver) {
        for lane in &self.lanes {
            if lane.spawns == 0 {
                continue;
            }
            let base = resolver.ids.len() as u32;
            resolver.lanes.push((lane.system, lane.chunk, base, lane.spawns));
            for _ in 0..lane.spawns {
                resolver
                    .ids
                    .push(world.entities.mint().expect("room was checked before the commit"));
            }
        }
    }
    pub(crate) fn apply(&mut self, world: &mut World, resolver: &Resolver) {
        for lane in &mut self.lanes {
            let key = (lane.system, lane.chunk);
            let base = match resolver.lanes.binary_search_by_key(&key, |l| (l.0, l.1)) {
                Ok(k) => resolver.lanes[k].2,
                Err(_) => 0,
            };
            lane.apply(&mut Applier { world, resolver, base });
        }
        self.discard();
    }
    /// Drops everything recorded.
    pub(crate) fn discard(&mut self) {
        for lane in &mut self.lanes {
            lane.reset();
        }
        self.spare.append(&mut self.lanes);
    }
    /// A commit of these commands alone.
    pub(crate) fn commit_alone(&mut self, world: &mut World) -> Result<(), EntityLimit> {
        if self.lanes.is_empty() {
            return Ok(());
        }
        if self.spawned() > world.entities.room() || self.overflowed() {
            self.discard();
            return Err(EntityLimit { limit: world.entities.limit });
        }
        let mut resolver = Resolver::default();
        self.mint(world, &mut resolver);
        self.apply(world, &resolver);
        Ok(())
    }
}

enum To<'a> {
    State(&'a mut CommandState),
    Lane(&'a mut Lane),
}

/// Records structural changes; see the module. As a system parameter, or in `par_for_each_with`.
pub struct Commands<'a> {
    to: To<'a>,
}

impl std::fmt::Debug for Commands<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Commands")
    }
}

impl<'a> Commands<'a> {
    pub(crate) fn of_lane(lane: &'a mut Lane) -> Self {
        Commands { to: To::Lane(lane) }
    }
    #[inline]
    fn lane(&mut self) -> &mut Lane {
        match &mut self.to {
            To::State(state) => state.lanes.last_mut().expect("open commands have a lane"),
            To::Lane(lane) => lane,
        }
    }
    pub(crate) fn begin_chunks(&mut self, n: u32) -> (u32, u32) {
        let To::State(state) = &mut self.to else {
            panic!("commands of a chunk cannot be split again");
        };
        let first = state.next_chunk;
        state.next_chunk += n;
        (state.system, first)
    }
    pub(crate) fn spare_lanes(&mut self) -> Vec<Lane> {
        match &mut self.to {
            To::State(state) => std::mem::take(&mut state.spare),
            To::Lane(_) => Vec::new(),
        }
    }
    pub(crate) fn end_chunks(&mut self, mut lanes: Vec<Lane>, spare: Vec<Lane>) {
        if let To::State(state) = &mut self.to {
            lanes.sort_unstable_by_key(|l| l.chunk);
            state.lanes.append(&mut lanes);
            state.spare = spare;
            state.open_lane();
        }
    }

    /// Spawns an entity; the handle can be used at once in further commands, fields, pairs and events.
    #[inline]
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> Entity {
        let (sequence, entity) = self.placeholder();
        self.lane().push(Spawn { sequence, bundle });
        entity
    }
    #[inline]
    fn placeholder(&mut self) -> (u32, Entity) {
        if let To::State(state) = &mut self.to
            && state.lanes.last().is_some_and(|l| l.spawns > MAX_SEQUENCE)
        {
            state.open_lane();
        }
        self.lane().next_placeholder()
    }
    /// Gives components to an entity.
    #[inline]
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) -> &mut Self {
        self.lane().push(Insert { entity, bundle });
        self
    }
    /// Takes components from an entity.
    #[inline]
    pub fn remove<B: Bundle>(&mut self, entity: Entity) -> &mut Self {
        self.lane().push(Remove::<B> { entity, bundle: std::marker::PhantomData });
        self
    }
    /// Ends an entity.
    #[inline]
    pub fn despawn(&mut self, entity: Entity) -> &mut Self {
        self.lane().push(Despawn { entity });
        self
    }
    /// Makes a pair.
    pub fn relate<R: Relation>(
        &mut self,
        subject: Entity,
        payload: R,
        target: Entity,
    ) -> &mut Self {
        self.lane().push(Relate { subject, payload, target });
        self
    }
    /// Removes a pair.
    pub fn unrelate<R: Relation>(&mut self, subject: Entity, target: Entity) -> &mut Self {
        self.lane().push(Unrelate::<R> { subject, target, relation: std::marker::PhantomData });
        self
    }
    /// Sends an event in sequence with the other commands.
    pub fn send<E: Event>(&mut self, event: E) -> &mut Self {
        self.lane().push(SendEvent { event });
        self
    }
    /// Sets a resource.
    pub fn insert_resource<R: Resource>(&mut self, value: R) -> &mut Self {
        self.lane().push(SetResource { value });
        self
    }
    /// Copies an entity with all its components that can be copied, and the pairs it is the subject of.
    pub fn clone_entity(&mut self, source: Entity) -> Entity {
        let (sequence, entity) = self.placeholder();
        self.lane().push(CloneEntity { sequence, source });
        entity
    }
    /// Spawns a copy of a template and all its children by `R`, with components of `overrides` on top.
    pub fn instantiate<R: Relation, B: Bundle>(&mut self, prefab: Entity, overrides: B) -> Entity {
        let (sequence, entity) = self.placeholder();
        let relation = std::marker::PhantomData::<R>;
        self.lane().push(Instantiate { sequence, prefab, overrides, relation });
        entity
    }
    /// Calls `f` with the world at the commit. `resolve` (second argument) turns handles of this wave's spawns into ids.
    pub fn run(
        &mut self,
        f: impl FnOnce(&mut World, &dyn Fn(Entity) -> Entity) + Send + 'static,
    ) -> &mut Self {
        self.lane().push(Call { f });
        self
    }
}

impl Applier<'_> {
    /// The id of a spawn of this lane.
    #[inline]
    fn own(&self, sequence: u32) -> Entity {
        self.resolver.ids[(self.base + sequence) as usize]
    }
    #[inline]
    fn map<B: Bundle>(&self, bundle: &mut B) {
        if !self.resolver.is_empty() {
            bundle.visit_entities(&mut |e| *e = self.resolver.resolve(*e));
        }
    }
    fn dead(&mut self, what: &'static str, entity: Entity) {
        self.world.diagnose("dead-entity", what, entity);
    }
}

struct Spawn<B> {
    sequence: u32,
    bundle: B,
}
impl<B: Bundle> Op for Spawn<B> {
    #[inline]
    fn apply(mut self, cx: &mut Applier<'_>) {
        cx.map(&mut self.bundle);
        let entity = cx.own(self.sequence);
        cx.world.spawn_now(entity, self.bundle);
    }
}
struct Insert<B> {
    entity: Entity,
    bundle: B,
}
impl<B: Bundle> Op for Insert<B> {
    fn apply(mut self, cx: &mut Applier<'_>) {
        cx.map(&mut self.bundle);
        let entity = cx.resolver.resolve(self.entity);
        if !cx.world.insert_now(entity, self.bundle) {
            cx.dead("insert", entity);
        }
    }
}
struct Remove<B> {
    entity: Entity,
    bundle: std::marker::PhantomData<fn() -> B>,
}
impl<B: Bundle> Op for Remove<B> {
    fn apply(self, cx: &mut Applier<'_>) {
        let entity = cx.resolver.resolve(self.entity);
        if !cx.world.is_alive(entity) {
            return cx.dead("remove", entity);
        }
        let bundle = cx.world.bundle_id::<B>();
        cx.world.remove_now(entity, bundle);
    }
}
struct Despawn {
    entity: Entity,
}
impl Op for Despawn {
    #[inline]
    fn apply(self, cx: &mut Applier<'_>) {
        let entity = cx.resolver.resolve(self.entity);
        if !cx.world.despawn_now(entity) {
            cx.dead("despawn", entity);
        }
    }
}
struct Relate<R> {
    subject: Entity,
    payload: R,
    target: Entity,
}
impl<R: Relation> Op for Relate<R> {
    fn apply(mut self, cx: &mut Applier<'_>) {
        let subject = cx.resolver.resolve(self.subject);
        let target = cx.resolver.resolve(self.target);
        self.payload.visit_entities(&mut |e| *e = cx.resolver.resolve(*e));
        if !cx.world.relate_now(subject, self.payload, target) {
            let dead = if cx.world.is_alive(subject) { target } else { subject };
            cx.dead("relate", dead);
        }
    }
}
struct Unrelate<R> {
    subject: Entity,
    target: Entity,
    relation: std::marker::PhantomData<fn() -> R>,
}
impl<R: Relation> Op for Unrelate<R> {
    fn apply(self, cx: &mut Applier<'_>) {
        let subject = cx.resolver.resolve(self.subject);
        let target = cx.resolver.resolve(self.target);
        if !cx.world.is_alive(subject) {
            return cx.dead("unrelate", subject);
        }
        let relation = cx.world.relation_id::<R>();
        cx.world.unrelate_now(relation, subject, target);
    }
}
struct SendEvent<E> {
    event: E,
}
impl<E: Event> Op for SendEvent<E> {
    fn apply(mut self, cx: &mut Applier<'_>) {
        self.event.visit_entities(&mut |e| *e = cx.resolver.resolve(*e));
        cx.world.send(self.event);
    }
}
struct SetResource<R> {
    value: R,
}
impl<R: Resource> Op for SetResource<R> {
    fn apply(mut self, cx: &mut Applier<'_>) {
        self.value.visit_entities(&mut |e| *e = cx.resolver.resolve(*e));
        cx.world.insert_resource(self.value);
    }
}
struct CloneEntity {
    sequence: u32,
    source: Entity,
}
impl Op for CloneEntity {
    fn apply(self, cx: &mut Applier<'_>) {
        let source = cx.resolver.resolve(self.source);
        let entity = cx.own(self.sequence);
        cx.world.spawn_now(entity, ());
        if !cx.world.is_alive(source) {
            return cx.dead("clone", source);
        }
        cx.world.clone_onto(source, entity, true);
    }
}
struct Instantiate<R, B> {
    sequence: u32,
    prefab: Entity,
    overrides: B,
    relation: std::marker::PhantomData<R>,
}
impl<R: Relation, B: Bundle> Op for Instantiate<R, B> {
    fn apply(mut self, cx: &mut Applier<'_>) {
        cx.map(&mut self.overrides);
        let prefab = cx.resolver.resolve(self.prefab);
        let entity = cx.own(self.sequence);
        cx.world.spawn_now(entity, ());
        if !cx.world.is_alive(prefab) {
            cx.dead("instantiate", prefab);
        } else if cx.world.instantiate_onto::<R>(prefab, entity).is_err() {
            cx.world.diagnose("entity-limit", "instantiate", entity);
        }
        cx.world.insert_now(entity, self.overrides);
    }
}
struct Call<F> {
    f: F,
}
impl<F: FnOnce(&mut World, &dyn Fn(Entity) -> Entity) + Send + 'static> Op for Call<F> {
    fn apply(self, cx: &mut Applier<'_>) {
        let resolver = cx.resolver;
        (self.f)(cx.world, &|e| resolver.resolve(e));
    }
}

impl World {
    /// Records commands and commits them at once.
    ///
    /// # Errors
    /// When there are not enough ids; nothing changed then.
    pub fn commands<T>(
        &mut self,
        f: impl FnOnce(&mut Commands<'_>) -> T,
    ) -> Result<T, EntityLimit> {
        let mut state = CommandState::default();
        let out = f(&mut state.open(OBSERVER_SYSTEM, 0));
        state.commit_alone(self)?;
        self.settle();
        Ok(out)
    }

    /// Turns placeholders that systems of the wave wrote in place into ids.
    pub(crate) fn resolve_in_place(&mut self, tick: u64, resolver: &Resolver) {
        if resolver.is_empty() {
            return;
        }
        let map = &mut |e: &mut Entity| *e = resolver.resolve(*e);
        for (i, info) in self.registry.infos.iter().enumerate() {
            let Some(visit) = info.value.visit else { continue };
            let id = crate::component::ComponentId(i as u32);
            if let Some(set) = &self.sparse[i] {
                for k in 0..set.len() {
                    if set.rows[k].changed == tick {
                        // SAFETY: a live value, and `&mut self` is exclusive.
                        unsafe { visit(set.at(k), map) };
                    }
                }
                continue;
            }
            for archetype in self.archetypes.iter() {
                let Some(c) = archetype.column_index(id) else { continue };
                let column = &archetype.columns()[c];
                for (p, page) in column.pages.iter().enumerate() {
                    if page.tick() != tick {
                        continue;
                    }
                    for k in 0..archetype.page_len(p) {
                        // SAFETY: rows below the page's length hold live values; `&mut self` is exclusive.
                        unsafe { visit(column.at(p, k), map) };
                    }
                }
            }
        }
        for cell in &self.resources.cells {
            if let (Some(info), Some(value)) = (&cell.info, &cell.value)
                && let Some(visit) = info.visit
                && cell.tick.load(std::sync::atomic::Ordering::Relaxed) == tick
            {
                // SAFETY: the cell holds a live value; `&mut self` is exclusive.
                unsafe { visit(value.ptr(), map) };
            }
        }
        for cell in &self.cells.list {
            if let Some(visit) = cell.info.visit {
                // SAFETY: the cell holds a live value; no system runs.
                unsafe { visit(cell.value.ptr(), map) };
            }
        }
    }
}
