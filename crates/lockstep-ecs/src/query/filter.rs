//! Filters of queries: `With`, `Without`, `Or`, `Added`, `Changed`, tuples (all of them).
//!
//! Invariant: a filter reads presence and ticks only. Ticks of a component that another system of the wave writes are read under
//! the conflict graph: `Added` and `Changed` count as reads of the component.

use super::access::{QueryAccess, Terms};
use super::fetch::Run;
use super::matching::Expr;
use crate::component::{Component, ComponentId, Storage};
use crate::entity::Entity;
use crate::storage::archetype::{Archetype, Column};
use crate::storage::sparse::SparseSet;
use crate::world::World;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;

/// What an entity must be like to be matched. Implemented by the types of this module; the methods are for the crate.
///
/// # Safety
/// `access` names the components whose ticks are read.
#[expect(missing_docs, reason = "the methods are for the crate")]
pub unsafe trait QueryFilter {
    type State: Copy + Send + Sync + 'static;
    type Cols: Copy + 'static;
    type Fetch: Copy;
    /// Rows have to be asked one by one.
    const ROWS: bool;
    const TERMS: Terms;
    fn init(world: &mut World) -> Self::State;
    fn expr(state: &Self::State) -> Expr;
    fn access(state: &Self::State, access: &mut QueryAccess);
    /// # Safety
    /// The archetype belongs to the world and matches `expr`.
    unsafe fn cols(state: &Self::State, world: &World, archetype: NonNull<Archetype>)
    -> Self::Cols;
    /// `None`: no row of the page passes.
    ///
    /// # Safety
    /// The page exists.
    unsafe fn page(cols: &Self::Cols, page: usize, run: Run) -> Option<Self::Fetch>;
    /// # Safety
    /// The row lies in the page.
    unsafe fn row(fetch: &Self::Fetch, row: usize) -> bool;
}

/// The entity has `T`.
#[derive(Debug)]
pub struct With<T>(PhantomData<T>);
/// The entity lacks `T`.
#[derive(Debug)]
pub struct Without<T>(PhantomData<T>);
/// At least one of the filters of the tuple holds.
#[derive(Debug)]
pub struct Or<T>(PhantomData<T>);
/// `T` was added after the system's last run.
#[derive(Debug)]
pub struct Added<T>(PhantomData<T>);
/// `T` was added or written after the system's last run.
#[derive(Debug)]
pub struct Changed<T>(PhantomData<T>);

/// A sparse set and the archetype whose rows are asked.
#[derive(Clone, Copy, Debug)]
pub struct SetRef {
    set: *const SparseSet,
    archetype: *const Archetype,
    column: *const Column,
}

fn set_ref(id: ComponentId, world: &World, archetype: NonNull<Archetype>) -> SetRef {
    // SAFETY: the archetype is alive.
    let a = unsafe { archetype.as_ref() };
    SetRef {
        set: world.sparse[id.index()].as_deref().map_or(std::ptr::null(), std::ptr::from_ref),
        archetype: archetype.as_ptr(),
        column: a.column_index(id).map_or(std::ptr::null(), |c| a.column_ptr(c)),
    }
}

const fn sparse<T: Component>() -> bool {
    matches!(T::STORAGE, Storage::Sparse)
}

macro_rules! presence {
    ($name:ident, $wanted:literal, $expr:ident, $list:ident, $terms:ident) => {
        // SAFETY: presence only.
        unsafe impl<T: Component> QueryFilter for $name<T> {
            type State = ComponentId;
            type Cols = SetRef;
            type Fetch = (*const SparseSet, *const Entity);
            const ROWS: bool = sparse::<T>();
            const TERMS: Terms = Terms::$terms(T::KEY);
            fn init(world: &mut World) -> ComponentId {
                world.register::<T>()
            }
            fn expr(state: &ComponentId) -> Expr {
                if sparse::<T>() { Expr::True } else { Expr::$expr(*state) }
            }
            fn access(state: &ComponentId, access: &mut QueryAccess) {
                access.$list.push(*state);
            }
            unsafe fn cols(
                state: &ComponentId,
                world: &World,
                archetype: NonNull<Archetype>,
            ) -> SetRef {
                set_ref(*state, world, archetype)
            }
            #[inline(always)]
            unsafe fn page(cols: &SetRef, page: usize, _: Run) -> Option<Self::Fetch> {
                if !sparse::<T>() {
                    return Some((std::ptr::null(), std::ptr::null()));
                }
                // SAFETY: the page exists.
                Some((cols.set, unsafe { (*cols.archetype).ids.at(page, 0).cast() }))
            }
            #[inline(always)]
            unsafe fn row(fetch: &Self::Fetch, row: usize) -> bool {
                // SAFETY: the set lives as long as the world; the row lies in the page.
                !sparse::<T>() || unsafe { (*fetch.0).find(*fetch.1.add(row)).is_some() } == $wanted
            }
        }
    };
}
presence!(With, true, With, with, with);
presence!(Without, false, Without, without, without);

/// One page of ticks.
#[derive(Clone, Copy, Debug)]
pub struct TickFetch {
    ticks: *const u64,
    set: *const SparseSet,
    ids: *const Entity,
    since: u64,
}

macro_rules! ticks {
    ($name:ident, $array:ident, $track:expr) => {
        // SAFETY: reads ticks of `T` and says so.
        unsafe impl<T: Component> QueryFilter for $name<T> {
            type State = ComponentId;
            type Cols = SetRef;
            type Fetch = TickFetch;
            const ROWS: bool = true;
            const TERMS: Terms = Terms::with(T::KEY);
            fn init(world: &mut World) -> ComponentId {
                let id = world.register::<T>();
                let track: fn(&mut World, ComponentId) = $track;
                track(world, id);
                id
            }
            fn expr(state: &ComponentId) -> Expr {
                if sparse::<T>() { Expr::True } else { Expr::With(*state) }
            }
            fn access(state: &ComponentId, access: &mut QueryAccess) {
                access.reads.push(*state);
                access.with.push(*state);
            }
            unsafe fn cols(
                state: &ComponentId,
                world: &World,
                archetype: NonNull<Archetype>,
            ) -> SetRef {
                set_ref(*state, world, archetype)
            }
            #[inline(always)]
            unsafe fn page(cols: &SetRef, page: usize, run: Run) -> Option<TickFetch> {
                let since = run.last_run;
                // SAFETY: the page exists; pointers of a matched archetype are valid.
                unsafe {
                    if sparse::<T>() {
                        if (*cols.set).tick.load(Relaxed) <= since {
                            return None;
                        }
                        let ids = (*cols.archetype).ids.at(page, 0).cast();
                        return Some(TickFetch {
                            ticks: std::ptr::null(),
                            set: cols.set,
                            ids,
                            since,
                        });
                    }
                    let p = (&*cols.column).pages.get_unchecked(page);
                    if p.tick() <= since {
                        return None;
                    }
                    Some(TickFetch {
                        ticks: p.$array,
                        set: std::ptr::null(),
                        ids: std::ptr::null(),
                        since,
                    })
                }
            }
            #[inline(always)]
            unsafe fn row(fetch: &TickFetch, row: usize) -> bool {
                // SAFETY: the arrays exist since `init` and have the page's capacity; the row lies in the page.
                unsafe {
                    if sparse::<T>() {
                        let set = &*fetch.set;
                        return set
                            .find(*fetch.ids.add(row))
                            .is_some_and(|k| set.rows[k].$array > fetch.since);
                    }
                    *fetch.ticks.add(row) > fetch.since
                }
            }
        }
    };
}
ticks!(Added, added, |world, id| world.track(id, false, true, false));
ticks!(Changed, changed, |world, id| world.track(id, true, false, false));

macro_rules! tuples {
    ($($($t:ident $i:tt),*;)*) => {$(
        // SAFETY: as the members.
        #[allow(unused_variables, unused_unsafe, clippy::unused_unit, reason = "the macro covers the empty tuple")]
        unsafe impl<$($t: QueryFilter),*> QueryFilter for ($($t,)*) {
            type State = ($($t::State,)*);
            type Cols = ($($t::Cols,)*);
            type Fetch = ($($t::Fetch,)*);
            const ROWS: bool = false $(|| $t::ROWS)*;
            const TERMS: Terms = Terms::NONE $(.and($t::TERMS))*;
            fn init(world: &mut World) -> Self::State { ($($t::init(world),)*) }
            fn expr(state: &Self::State) -> Expr { Expr::All(vec![$($t::expr(&state.$i)),*]) }
            fn access(state: &Self::State, access: &mut QueryAccess) { $($t::access(&state.$i, access);)* }
            unsafe fn cols(state: &Self::State, world: &World, archetype: NonNull<Archetype>) -> Self::Cols {
                // SAFETY: the contract is the same.
                unsafe { ($($t::cols(&state.$i, world, archetype),)*) }
            }
            #[inline(always)]
            unsafe fn page(cols: &Self::Cols, page: usize, run: Run) -> Option<Self::Fetch> {
                // SAFETY: the contract is the same.
                unsafe { Some(($($t::page(&cols.$i, page, run)?,)*)) }
            }
            #[inline(always)]
            unsafe fn row(fetch: &Self::Fetch, row: usize) -> bool {
                // SAFETY: the contract is the same.
                true $(&& (!$t::ROWS || unsafe { $t::row(&fetch.$i, row) }))*
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
}

macro_rules! ors {
    ($($($t:ident $i:tt),+;)*) => {$(
        // SAFETY: as the members.
        unsafe impl<$($t: QueryFilter),+> QueryFilter for Or<($($t,)+)> {
            type State = ($($t::State,)+);
            type Cols = ($(Option<$t::Cols>,)+);
            type Fetch = ($(Option<$t::Fetch>,)+);
            const ROWS: bool = false $(|| $t::ROWS)+;
            const TERMS: Terms = Terms::NONE;
            fn init(world: &mut World) -> Self::State { ($($t::init(world),)+) }
            fn expr(state: &Self::State) -> Expr { Expr::Any(vec![$($t::expr(&state.$i)),+]) }
            fn access(state: &Self::State, access: &mut QueryAccess) {
                let mut inner = QueryAccess::default();
                $($t::access(&state.$i, &mut inner);)+
                access.reads.append(&mut inner.reads);
            }
            unsafe fn cols(state: &Self::State, world: &World, archetype: NonNull<Archetype>) -> Self::Cols {
                // SAFETY: the archetype is alive; a member is asked only where it matches.
                unsafe { ($($t::expr(&state.$i).holds(archetype.as_ref()).then(|| $t::cols(&state.$i, world, archetype)),)+) }
            }
            #[inline(always)]
            unsafe fn page(cols: &Self::Cols, page: usize, run: Run) -> Option<Self::Fetch> {
                // SAFETY: the contract is the same.
                let fetch: Self::Fetch = unsafe { ($(cols.$i.as_ref().and_then(|c| $t::page(c, page, run)),)+) };
                (false $(|| fetch.$i.is_some())+).then_some(fetch)
            }
            #[inline(always)]
            unsafe fn row(fetch: &Self::Fetch, row: usize) -> bool {
                // SAFETY: the contract is the same.
                false $(|| fetch.$i.as_ref().is_some_and(|f| !$t::ROWS || unsafe { $t::row(f, row) }))+
            }
        }
    )*};
}
ors! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}
