//! Parameters of systems.
//!
//! Invariant: `init` adds to the system's access everything that `get` hands out.

use super::{CommitPhase, RunContext};
use crate::commands::{CommandState, Commands};
use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::event::{Event, Queue};
use crate::plain::Plain;
use crate::query::{Access, Query, QueryData, QueryFilter, QueryState, Terms};
use crate::resource::Resource;
use crate::world::World;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// What `init` of parameters fills in.
#[derive(Debug)]
pub struct SystemMeta {
    pub(crate) index: u32,
    pub(crate) key: String,
    pub(crate) access: Access,
    pub(crate) next_cell: u32,
    pub(crate) next_commands: u32,
    pub(crate) failure: Option<String>,
}

impl SystemMeta {
    fn cell_key(&mut self, kind: &str) -> String {
        let k = self.next_cell;
        self.next_cell += 1;
        format!("{}/{k}:{kind}", self.key)
    }
}

/// A type that systems can have as a parameter.
///
/// # Safety
/// `init` declares in the access everything that `get` hands out.
#[expect(missing_docs, reason = "the methods are for the crate")]
pub unsafe trait SystemParam {
    type State: Send + 'static;
    type Item<'w, 's>: SystemParam<State = Self::State>;
    const TERMS: Terms = Terms::NONE;
    fn init(world: &mut World, meta: &mut SystemMeta) -> Self::State;
    /// # Safety
    /// The contract of `System::run`.
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cx: &RunContext<'w>) -> Self::Item<'w, 's>;
    #[doc(hidden)]
    fn spawned(_: &Self::State) -> usize {
        0
    }
    #[doc(hidden)]
    fn overflowed(_: &Self::State) -> bool {
        false
    }
    #[doc(hidden)]
    fn commit(_: &mut Self::State, _: &mut World, _: &mut CommitPhase<'_>) {}
}

// SAFETY: the query's access is added.
unsafe impl<D, F> SystemParam for Query<'_, '_, D, F>
where
    D: QueryData + 'static,
    F: QueryFilter + 'static,
{
    type State = QueryState<D, F>;
    type Item<'w, 's> = Query<'w, 's, D, F>;
    const TERMS: Terms = D::TERMS.and(F::TERMS);
    fn init(world: &mut World, meta: &mut SystemMeta) -> Self::State {
        match QueryState::try_new(world) {
            Ok(state) => {
                meta.access.queries.push(state.access.clone());
                state
            }
            Err(e) => {
                // The system is refused; an empty state stands in until the error is reported.
                meta.failure.get_or_insert(e.to_string());
                QueryState::refused(world)
            }
        }
    }
    #[inline]
    unsafe fn get<'w, 's>(state: &'s mut Self::State, cx: &RunContext<'w>) -> Query<'w, 's, D, F> {
        // SAFETY: shared borrow; the world lives for `'w`.
        state.update(unsafe { cx.world.as_ref() });
        Query { world: cx.world, state, run: cx.run, par: cx.par, life: PhantomData }
    }
}

/// Shared access to a resource.
#[derive(Debug)]
pub struct Res<'w, T> {
    value: &'w T,
    changed: bool,
}
impl<T> Res<'_, T> {
    /// Whether it was written after the system's last run.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.changed
    }
}
impl<T> Deref for Res<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

fn missing(name: &str) -> ! {
    panic!("the resource {name} is not there: insert it before the schedule runs")
}

// SAFETY: a read of the resource is added.
unsafe impl<T: Resource> SystemParam for Res<'_, T> {
    type State = u32;
    type Item<'w, 's> = Res<'w, T>;
    fn init(world: &mut World, meta: &mut SystemMeta) -> u32 {
        let id = world.resources.id::<T>();
        meta.access.resource_reads.push(id);
        id
    }
    #[inline]
    unsafe fn get<'w>(state: &mut u32, cx: &RunContext<'w>) -> Res<'w, T> {
        // SAFETY: shared borrow of the world; the cell holds a live `T` that no one writes meanwhile (access).
        let cell = unsafe { &cx.world.as_ref().resources.cells[*state as usize] };
        let Some(value) = &cell.value else { missing(cell.name) };
        let changed = cell.tick.load(std::sync::atomic::Ordering::Relaxed) > cx.run.last_run;
        // SAFETY: as above.
        Res { value: unsafe { &*value.ptr().cast::<T>() }, changed }
    }
}

// SAFETY: a read of the resource is added.
unsafe impl<T: Resource> SystemParam for Option<Res<'_, T>> {
    type State = u32;
    type Item<'w, 's> = Option<Res<'w, T>>;
    fn init(world: &mut World, meta: &mut SystemMeta) -> u32 {
        <Res<'_, T> as SystemParam>::init(world, meta)
    }
    unsafe fn get<'w>(state: &mut u32, cx: &RunContext<'w>) -> Option<Res<'w, T>> {
        // SAFETY: as for `Res`.
        unsafe {
            let cell = &cx.world.as_ref().resources.cells[*state as usize];
            cell.value.is_some().then(|| <Res<'_, T> as SystemParam>::get(state, cx))
        }
    }
}

/// Exclusive access to a resource; counts as written when it is used to write.
#[derive(Debug)]
pub struct ResMut<'w, T> {
    value: &'w mut T,
    cell: &'w crate::resource::ResourceCell,
    stamp: crate::storage::Stamp,
}
// SAFETY: an exclusive borrow of a `Send + Sync` value; the cell is used for its atomics only.
unsafe impl<T: Send> Send for ResMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for ResMut<'_, T> {}
impl<T> Deref for ResMut<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}
impl<T> DerefMut for ResMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.cell.mark(self.stamp);
        self.value
    }
}

// SAFETY: a write of the resource is added.
unsafe impl<T: Resource> SystemParam for ResMut<'_, T> {
    type State = u32;
    type Item<'w, 's> = ResMut<'w, T>;
    fn init(world: &mut World, meta: &mut SystemMeta) -> u32 {
        let id = world.resources.id::<T>();
        meta.access.resource_writes.push(id);
        id
    }
    #[inline]
    unsafe fn get<'w>(state: &mut u32, cx: &RunContext<'w>) -> ResMut<'w, T> {
        // SAFETY: the cell holds a live `T` that no one else touches meanwhile (access).
        unsafe {
            let cell = &cx.world.as_ref().resources.cells[*state as usize];
            let Some(value) = &cell.value else { missing(cell.name) };
            ResMut { value: &mut *value.ptr().cast::<T>(), cell, stamp: cx.run.stamp }
        }
    }
}

/// Exclusive access to a value that stays on its thread; the system runs on the caller of the schedule.
#[derive(Debug)]
pub struct NonSend<'w, T>(&'w mut T);
impl<T> Deref for NonSend<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0
    }
}
impl<T> DerefMut for NonSend<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

// SAFETY: a write of the resource is added, and the main thread asked for.
unsafe impl<T: 'static> SystemParam for NonSend<'_, T> {
    type State = u32;
    type Item<'w, 's> = NonSend<'w, T>;
    fn init(world: &mut World, meta: &mut SystemMeta) -> u32 {
        let id = world.resources.pinned_id::<T>();
        meta.access.resource_writes.push(id);
        meta.access.main_thread = true;
        id
    }
    unsafe fn get<'w>(state: &mut u32, cx: &RunContext<'w>) -> NonSend<'w, T> {
        // SAFETY: the cell holds a live `T` of this thread (checked) that no one else touches meanwhile (access).
        unsafe {
            let cell = &cx.world.as_ref().resources.cells[*state as usize];
            cell.check_thread();
            let Some(value) = &cell.value else { missing(cell.name) };
            NonSend(&mut *value.ptr().cast::<T>())
        }
    }
}

/// A pointer into a cell of the world.
#[doc(hidden)]
#[derive(Debug)]
pub struct CellPtr<T>(pub(crate) *mut T);
// SAFETY: cells hold `Send + Sync` values, and each belongs to one parameter of one system.
unsafe impl<T: Send> Send for CellPtr<T> {}

/// What one system remembers; part of the world's state, of snapshots and of rollbacks.
#[derive(Debug)]
pub struct Local<'s, T>(&'s mut T);
impl<T> Deref for Local<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0
    }
}
impl<T> DerefMut for Local<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

// SAFETY: the cell belongs to this parameter alone.
unsafe impl<T: Plain + Default + Send + Sync> SystemParam for Local<'_, T> {
    type State = CellPtr<T>;
    type Item<'w, 's> = Local<'s, T>;
    fn init(world: &mut World, meta: &mut SystemMeta) -> Self::State {
        CellPtr(world.cells.open(meta.cell_key("local"), T::default()))
    }
    unsafe fn get<'w, 's>(state: &'s mut Self::State, _: &RunContext<'w>) -> Local<'s, T> {
        // SAFETY: the cell lives as long as the world and belongs to this parameter alone.
        Local(unsafe { &mut *state.0 })
    }
}

// SAFETY: commands touch nothing until the commit.
unsafe impl SystemParam for Commands<'_> {
    type State = CommandState;
    type Item<'w, 's> = Commands<'s>;
    fn init(_: &mut World, meta: &mut SystemMeta) -> CommandState {
        meta.access.commands = true;
        let param = meta.next_commands;
        meta.next_commands += 1;
        if param >= 16 {
            meta.failure.get_or_insert_with(|| "a system has at most 16 Commands".to_owned());
        }
        CommandState::for_system(meta.index, param.min(15))
    }
    unsafe fn get<'w, 's>(state: &'s mut CommandState, _: &RunContext<'w>) -> Commands<'s> {
        state.commands()
    }
    fn spawned(state: &CommandState) -> usize {
        state.spawned()
    }
    fn overflowed(state: &CommandState) -> bool {
        state.overflowed()
    }
    fn commit(state: &mut CommandState, world: &mut World, phase: &mut CommitPhase<'_>) {
        match phase {
            CommitPhase::Mint(resolver) => state.mint(world, &mut resolver.0),
            CommitPhase::Apply(resolver) => state.apply(world, &resolver.0),
            CommitPhase::Discard => state.discard(),
        }
    }
}

/// Sends events; they reach the queue at the end of the wave. The events of a system's writers come before those its commands send.
#[derive(Debug)]
pub struct EventWriter<'s, E>(&'s mut Vec<E>);
impl<E: Event> EventWriter<'_, E> {
    /// Sends one event.
    #[inline]
    pub fn send(&mut self, event: E) {
        self.0.push(event);
    }
}

/// State of an [`EventWriter`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Outbox<E> {
    queue: u32,
    items: Vec<E>,
}

// SAFETY: writes into a buffer of its own.
unsafe impl<E: Event> SystemParam for EventWriter<'_, E> {
    type State = Outbox<E>;
    type Item<'w, 's> = EventWriter<'s, E>;
    fn init(world: &mut World, _: &mut SystemMeta) -> Outbox<E> {
        Outbox { queue: world.events.id::<E>(), items: Vec::new() }
    }
    unsafe fn get<'w, 's>(state: &'s mut Outbox<E>, _: &RunContext<'w>) -> EventWriter<'s, E> {
        EventWriter(&mut state.items)
    }
    fn commit(state: &mut Outbox<E>, world: &mut World, phase: &mut CommitPhase<'_>) {
        match phase {
            CommitPhase::Mint(_) => {}
            CommitPhase::Apply(resolver) => {
                if state.items.is_empty() {
                    return;
                }
                if !resolver.0.is_empty() {
                    for e in &mut state.items {
                        e.visit_entities(&mut |x| *x = resolver.0.resolve(*x));
                    }
                }
                let queue = world.events.queue_mut::<E>(state.queue);
                if queue.items.is_empty() {
                    // The usual case: one writer, and the queue's old buffer is reused for the next frame.
                    std::mem::swap(&mut queue.items, &mut state.items);
                } else {
                    queue.items.append(&mut state.items);
                }
            }
            CommitPhase::Discard => state.items.clear(),
        }
    }
}

/// Reads events, each exactly once.
#[derive(Debug)]
pub struct EventReader<'w, 's, E> {
    queue: &'w Queue<E>,
    cursor: &'s mut u64,
}
impl<'w, E: Event> EventReader<'w, '_, E> {
    /// Events not read yet, oldest first. They count as read.
    pub fn read(&mut self) -> std::slice::Iter<'w, E> {
        let from = (*self.cursor).max(self.queue.base) - self.queue.base;
        *self.cursor = self.queue.base + self.queue.items.len() as u64;
        self.queue.items.get(from as usize..).unwrap_or(&[]).iter()
    }
    /// How many events went before this reader came to read them.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.queue.base.saturating_sub(*self.cursor)
    }
    /// How many events are waiting.
    #[must_use]
    pub fn len(&self) -> usize {
        (self.queue.base + self.queue.items.len() as u64 - (*self.cursor).max(self.queue.base))
            as usize
    }
    /// Whether no event is waiting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

// SAFETY: reads a queue that only commits write.
unsafe impl<E: Event> SystemParam for EventReader<'_, '_, E> {
    type State = (u32, CellPtr<u64>);
    type Item<'w, 's> = EventReader<'w, 's, E>;
    fn init(world: &mut World, meta: &mut SystemMeta) -> Self::State {
        let queue = world.events.id::<E>();
        // A new reader starts with what is still in the queue.
        let cursor = world.events.queue::<E>(queue).base;
        (queue, CellPtr(world.cells.open(meta.cell_key("cursor"), cursor)))
    }
    #[inline]
    unsafe fn get<'w, 's>(
        state: &'s mut Self::State,
        cx: &RunContext<'w>,
    ) -> EventReader<'w, 's, E> {
        // SAFETY: shared borrow of the queue; the cell belongs to this parameter alone.
        unsafe {
            EventReader {
                queue: cx.world.as_ref().events.queue::<E>(state.0),
                cursor: &mut *state.1.0,
            }
        }
    }
}

/// Entities that lost a `T` since the system's last run, in order of the commits, each once; net: not those that have it again, nor
/// those that got and lost it in between. The entities may be dead.
#[derive(Debug)]
pub struct Removed<'w, T> {
    found: Vec<Entity>,
    life: PhantomData<&'w fn() -> T>,
}
impl<T> Removed<'_, T> {
    /// The entities.
    pub fn iter(&self) -> impl Iterator<Item = Entity> + '_ {
        self.found.iter().copied()
    }
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }
}

// SAFETY: reads the log of removals and presence, which only commits write.
unsafe impl<T: Component> SystemParam for Removed<'_, T> {
    type State = ComponentId;
    type Item<'w, 's> = Removed<'w, T>;
    fn init(world: &mut World, _: &mut SystemMeta) -> ComponentId {
        let id = world.register::<T>();
        world.track(id, false, true, true);
        id
    }
    unsafe fn get<'w>(state: &mut ComponentId, cx: &RunContext<'w>) -> Removed<'w, T> {
        // SAFETY: shared borrow of structure, which does not change while a wave runs.
        let world = unsafe { cx.world.as_ref() };
        let since = cx.run.last_run;
        let mut found: Vec<Entity> = Vec::new();
        for r in &world.removals[state.index()].entries {
            if r.tick > since
                && r.added <= since
                && world.value_ptr(r.entity, *state).is_none()
                && !found.contains(&r.entity)
            {
                found.push(r.entity);
            }
        }
        Removed { found, life: PhantomData }
    }
}

macro_rules! tuples {
    ($($($t:ident $i:tt),*;)*) => {$(
        // SAFETY: as the members.
        #[allow(unused_variables, unused_unsafe, clippy::unused_unit, reason = "the macro covers the empty tuple")]
        unsafe impl<$($t: SystemParam),*> SystemParam for ($($t,)*) {
            type State = ($($t::State,)*);
            type Item<'w, 's> = ($($t::Item<'w, 's>,)*);
            const TERMS: Terms = Terms::NONE $(.and($t::TERMS))*;
            fn init(world: &mut World, meta: &mut SystemMeta) -> Self::State {
                ($($t::init(world, meta),)*)
            }
            #[inline]
            unsafe fn get<'w, 's>(state: &'s mut Self::State, cx: &RunContext<'w>) -> Self::Item<'w, 's> {
                // SAFETY: the contract is the same.
                unsafe { ($($t::get(&mut state.$i, cx),)*) }
            }
            fn spawned(state: &Self::State) -> usize { 0 $(+ $t::spawned(&state.$i))* }
            fn overflowed(state: &Self::State) -> bool { false $(|| $t::overflowed(&state.$i))* }
            fn commit(state: &mut Self::State, world: &mut World, phase: &mut CommitPhase<'_>) {
                $($t::commit(&mut state.$i, world, phase);)*
            }
        }
    )*};
}
tuples! {
    ;
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15;
}
