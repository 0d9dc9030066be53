//! What queries fetch and how: `&T`, `&mut T`, `Mut<T>`, `Entity`, `Option`, `Has`, `Pairs`, tuples.
//!
//! From the world to a value in three steps: `cols` once per archetype (cached), `page` once per page, `get` once per row.
//!
//! Invariant: what `access` says is what `get` touches. `get` of a `&mut T` marks the row as written when ticks are kept.

use super::access::{QueryAccess, Terms};
use super::matching::Expr;
use crate::component::{Component, ComponentId, Storage};
use crate::entity::Entity;
use crate::relation::{Linked, Relation, Targets};
use crate::storage::Stamp;
use crate::storage::archetype::{Archetype, ColPage, SMALLEST_PAGE};
use crate::storage::arena::ALIGN;
use crate::storage::sparse::SparseSet;
use crate::world::World;
use std::ops::Range;
use std::ptr::NonNull;

/// When a query runs: the stamp of its writes, and the tick of its last run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub(crate) stamp: Stamp,
    pub(crate) last_run: u64,
}

/// What can be fetched for each matched entity. Implemented by the types named in the module; the methods are for the crate.
///
/// # Safety
/// `access` names everything that `get` touches.
#[expect(missing_docs, reason = "the methods are for the crate")]
pub unsafe trait QueryData {
    type Item<'a>;
    type State: Copy + Send + Sync + 'static;
    type Cols: Copy + 'static;
    type Fetch: Copy;
    /// Some rows of a matched archetype may not match.
    const ROWS: bool;
    const TERMS: Terms;
    fn init(world: &mut World) -> Self::State;
    fn expr(state: &Self::State) -> Expr;
    fn access(state: &Self::State, access: &mut QueryAccess);
    /// # Safety
    /// The archetype belongs to the world and matches `expr`.
    unsafe fn cols(state: &Self::State, world: &World, archetype: NonNull<Archetype>)
    -> Self::Cols;
    /// # Safety
    /// The page exists; the caller holds the access that `access` names.
    unsafe fn page(cols: &Self::Cols, page: usize, run: Run) -> Self::Fetch;
    /// All rows of several pages of one extent at once, counted from the first of them; `None`: they have to be had page by page.
    ///
    /// # Safety
    /// As for `page`; the pages are one or more of one extent, in order.
    #[inline(always)]
    unsafe fn span(_cols: &Self::Cols, _pages: Range<usize>, _run: Run) -> Option<Self::Fetch> {
        None
    }
    /// # Safety
    /// The row lies in the page.
    #[inline(always)]
    unsafe fn row(_fetch: &Self::Fetch, _row: usize) -> bool {
        true
    }
    /// # Safety
    /// The row lies in the page and `row` holds; no other item of the row is out that a `&mut` would alias.
    unsafe fn get<'a>(fetch: &Self::Fetch, row: usize) -> Self::Item<'a>;
}

/// Data that only reads.
///
/// # Safety
/// `get` hands out shared references only and marks nothing.
pub unsafe trait ReadOnlyData: QueryData {}

/// Data that can be had as slices, a page at a time.
///
/// # Safety
/// As for `QueryData::get`, for all rows of the range.
#[expect(missing_docs, reason = "the methods are for the crate")]
pub unsafe trait ChunkData: QueryData {
    type Slices<'a>;
    /// # Safety
    /// Rows `start..start + len` lie in the page.
    unsafe fn slices<'a>(fetch: &Self::Fetch, start: usize, len: usize) -> Self::Slices<'a>;
}

/// Column pointers of one component in one archetype.
///
/// The directories move when they grow; `QueryState` looks them up anew then.
#[derive(Clone, Copy, Debug)]
pub struct ColRef {
    /// The data of every page (table components).
    data: NonNull<NonNull<u8>>,
    /// The pages (table components).
    pages: *const ColPage,
    set: *const SparseSet,
    archetype: *const Archetype,
}

fn col_ref<T: Component>(id: ComponentId, world: &World, archetype: NonNull<Archetype>) -> ColRef {
    // SAFETY: archetypes of a world live as long as it has them; shared access only.
    let a = unsafe { archetype.as_ref() };
    let (data, pages) = match T::STORAGE {
        Storage::Table => {
            let column = &a.columns()[a.column_index(id).expect("the archetype matches")];
            // SAFETY: the pointer of a vector is not null.
            let data = unsafe { NonNull::new_unchecked(column.data.as_ptr().cast_mut()) };
            (data, column.pages.as_ptr())
        }
        Storage::Sparse => (NonNull::dangling(), std::ptr::null()),
    };
    ColRef {
        data,
        pages,
        set: match T::STORAGE {
            Storage::Table => std::ptr::null(),
            Storage::Sparse => &raw const **world.sparse[id.index()].as_ref().expect("registered"),
        },
        archetype: archetype.as_ptr(),
    }
}

fn with<T: Component>(id: ComponentId) -> Expr {
    match T::STORAGE {
        Storage::Table => Expr::With(id),
        Storage::Sparse => Expr::True,
    }
}

/// Whether the values of a page end where those of the next page of its extent begin.
const fn seamless<T>() -> bool {
    (size_of::<T>() * SMALLEST_PAGE).is_multiple_of(ALIGN)
}

/// One page of a component being read.
#[derive(Debug)]
pub struct ReadFetch<T> {
    data: *const T,
    set: *const SparseSet,
    ids: *const Entity,
}
impl<T> Clone for ReadFetch<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for ReadFetch<T> {}

// SAFETY: reads `T` and says so.
unsafe impl<T: Component> QueryData for &T {
    type Item<'a> = &'a T;
    type State = ComponentId;
    type Cols = ColRef;
    type Fetch = ReadFetch<T>;
    const ROWS: bool = matches!(T::STORAGE, Storage::Sparse);
    const TERMS: Terms = Terms::read(T::KEY);
    fn init(world: &mut World) -> ComponentId {
        world.register::<T>()
    }
    fn expr(state: &ComponentId) -> Expr {
        with::<T>(*state)
    }
    fn access(state: &ComponentId, access: &mut QueryAccess) {
        access.reads.push(*state);
        access.with.push(*state);
    }
    unsafe fn cols(state: &ComponentId, world: &World, archetype: NonNull<Archetype>) -> ColRef {
        col_ref::<T>(*state, world, archetype)
    }
    #[inline(always)]
    unsafe fn page(cols: &ColRef, page: usize, _: Run) -> ReadFetch<T> {
        // SAFETY: the page exists (contract); pointers of a matched archetype are valid.
        unsafe {
            if Self::ROWS {
                ReadFetch {
                    data: std::ptr::null(),
                    set: cols.set,
                    ids: (*cols.archetype).ids.at(page, 0).cast(),
                }
            } else {
                ReadFetch {
                    data: cols.data.add(page).read().as_ptr().cast(),
                    set: std::ptr::null(),
                    ids: std::ptr::null(),
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn span(cols: &ColRef, pages: Range<usize>, run: Run) -> Option<ReadFetch<T>> {
        // SAFETY: the contract is the same.
        (!Self::ROWS && seamless::<T>()).then(|| unsafe { Self::page(cols, pages.start, run) })
    }
    #[inline(always)]
    unsafe fn row(fetch: &ReadFetch<T>, row: usize) -> bool {
        // SAFETY: the row lies in the page, so its id exists.
        !Self::ROWS || unsafe { (*fetch.set).find(*fetch.ids.add(row)).is_some() }
    }
    #[inline(always)]
    unsafe fn get<'a>(fetch: &ReadFetch<T>, row: usize) -> &'a T {
        // SAFETY: the row lies in the page; shared access is held (contract). A sparse row was found to have the value.
        unsafe {
            if Self::ROWS {
                let set = &*fetch.set;
                &*set.at(set.find(*fetch.ids.add(row)).unwrap_unchecked()).cast::<T>()
            } else {
                &*fetch.data.add(row)
            }
        }
    }
}
// SAFETY: shared references only.
unsafe impl<T: Component> ReadOnlyData for &T {}
// SAFETY: as `get`, for a range.
unsafe impl<T: Component> ChunkData for &T {
    type Slices<'a> = &'a [T];
    #[inline(always)]
    unsafe fn slices<'a>(fetch: &ReadFetch<T>, start: usize, len: usize) -> &'a [T] {
        const { assert!(!Self::ROWS, "sparse components do not lie in slices: use the row API") };
        // SAFETY: the rows lie in the page (contract), one behind the other.
        unsafe { std::slice::from_raw_parts(fetch.data.add(start), len) }
    }
}

/// One page of a component being written.
#[derive(Debug)]
pub struct WriteFetch<T> {
    data: *mut T,
    changed: *mut u64,
    set: *const SparseSet,
    ids: *const Entity,
    page: *const crate::storage::archetype::ColPage,
    stamp: Stamp,
}
impl<T> Clone for WriteFetch<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for WriteFetch<T> {}

impl<T: Component> WriteFetch<T> {
    const SPARSE: bool = matches!(T::STORAGE, Storage::Sparse);
    #[inline(always)]
    unsafe fn open(cols: &ColRef, page: usize, run: Run, mark: bool) -> Self {
        // SAFETY: the page exists (contract of `page`); pointers of a matched archetype are valid.
        unsafe {
            if Self::SPARSE {
                WriteFetch {
                    data: std::ptr::null_mut(),
                    changed: std::ptr::null_mut(),
                    set: cols.set,
                    ids: (*cols.archetype).ids.at(page, 0).cast(),
                    page: std::ptr::null(),
                    stamp: run.stamp,
                }
            } else {
                let p = &*cols.pages.add(page);
                if mark {
                    p.mark(run.stamp);
                }
                WriteFetch {
                    data: p.data.as_ptr().cast(),
                    changed: p.changed,
                    set: std::ptr::null(),
                    ids: std::ptr::null(),
                    page: p,
                    stamp: run.stamp,
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn present(&self, row: usize) -> bool {
        // SAFETY: the row lies in the page.
        !Self::SPARSE || unsafe { (*self.set).find(*self.ids.add(row)).is_some() }
    }
}

// SAFETY: writes `T` and says so.
unsafe impl<T: Component> QueryData for &mut T {
    type Item<'a> = &'a mut T;
    type State = ComponentId;
    type Cols = ColRef;
    type Fetch = WriteFetch<T>;
    const ROWS: bool = matches!(T::STORAGE, Storage::Sparse);
    const TERMS: Terms = Terms::write(T::KEY);
    fn init(world: &mut World) -> ComponentId {
        world.register::<T>()
    }
    fn expr(state: &ComponentId) -> Expr {
        with::<T>(*state)
    }
    fn access(state: &ComponentId, access: &mut QueryAccess) {
        access.writes.push(*state);
        access.with.push(*state);
    }
    unsafe fn cols(state: &ComponentId, world: &World, archetype: NonNull<Archetype>) -> ColRef {
        col_ref::<T>(*state, world, archetype)
    }
    #[inline(always)]
    unsafe fn page(cols: &ColRef, page: usize, run: Run) -> WriteFetch<T> {
        // SAFETY: the contract is the same.
        unsafe { WriteFetch::open(cols, page, run, true) }
    }
    #[inline(always)]
    unsafe fn span(cols: &ColRef, pages: Range<usize>, run: Run) -> Option<WriteFetch<T>> {
        if Self::ROWS || !seamless::<T>() {
            return None;
        }
        // SAFETY: the pages exist (contract); pointers of a matched archetype are valid. Row ticks are kept of all pages of a
        // column or of none, but not one behind the other.
        unsafe {
            let first = WriteFetch::open(cols, pages.start, run, false);
            if !first.changed.is_null() {
                return None;
            }
            pages.for_each(|p| (*cols.pages.add(p)).mark(run.stamp));
            Some(first)
        }
    }
    #[inline(always)]
    unsafe fn row(fetch: &WriteFetch<T>, row: usize) -> bool {
        // SAFETY: the contract is the same.
        unsafe { fetch.present(row) }
    }
    #[inline(always)]
    unsafe fn get<'a>(fetch: &WriteFetch<T>, row: usize) -> &'a mut T {
        // SAFETY: the row lies in the page and is ours alone (contract); tick arrays have the page's capacity.
        unsafe {
            if Self::ROWS {
                let set = &*fetch.set;
                let k = set.find(*fetch.ids.add(row)).unwrap_unchecked();
                set.mark_value(k, fetch.stamp);
                &mut *set.at(k).cast::<T>()
            } else {
                if !fetch.changed.is_null() {
                    fetch.changed.add(row).write(fetch.stamp.tick);
                }
                &mut *fetch.data.add(row)
            }
        }
    }
}
// SAFETY: as `get`, for a range.
unsafe impl<T: Component> ChunkData for &mut T {
    type Slices<'a> = &'a mut [T];
    #[inline(always)]
    unsafe fn slices<'a>(fetch: &WriteFetch<T>, start: usize, len: usize) -> &'a mut [T] {
        const { assert!(!Self::ROWS, "sparse components do not lie in slices: use the row API") };
        // SAFETY: the rows lie in the page and are ours alone (contract).
        unsafe {
            if !fetch.changed.is_null() {
                std::slice::from_raw_parts_mut(fetch.changed.add(start), len)
                    .fill(fetch.stamp.tick);
            }
            std::slice::from_raw_parts_mut(fetch.data.add(start), len)
        }
    }
}

/// Write access that counts as a write only when it is used to write.
#[derive(Debug)]
pub struct Mut<'a, T> {
    value: &'a mut T,
    changed: *mut u64,
    mark: *const dyn MarkPage,
    stamp: Stamp,
}

trait MarkPage {
    fn mark_page(&self, stamp: Stamp);
}
impl MarkPage for crate::storage::archetype::ColPage {
    fn mark_page(&self, stamp: Stamp) {
        self.mark(stamp);
    }
}
impl MarkPage for SparseSet {
    fn mark_page(&self, stamp: Stamp) {
        self.mark(stamp);
    }
}
impl std::fmt::Debug for dyn MarkPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("page")
    }
}

// SAFETY: a `Mut` is an exclusive borrow of one value and of its tick.
unsafe impl<T: Send> Send for Mut<'_, T> {}

impl<T> std::ops::Deref for Mut<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.value
    }
}
impl<T> std::ops::DerefMut for Mut<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the page or set outlives the borrow of the world; the tick belongs to this row, which is ours.
        unsafe {
            (*self.mark).mark_page(self.stamp);
            if !self.changed.is_null() {
                self.changed.write(self.stamp.tick);
            }
        }
        self.value
    }
}

// SAFETY: writes `T` and says so.
unsafe impl<T: Component> QueryData for Mut<'_, T> {
    type Item<'a> = Mut<'a, T>;
    type State = ComponentId;
    type Cols = ColRef;
    type Fetch = WriteFetch<T>;
    const ROWS: bool = matches!(T::STORAGE, Storage::Sparse);
    const TERMS: Terms = Terms::write(T::KEY);
    fn init(world: &mut World) -> ComponentId {
        world.register::<T>()
    }
    fn expr(state: &ComponentId) -> Expr {
        with::<T>(*state)
    }
    fn access(state: &ComponentId, access: &mut QueryAccess) {
        access.writes.push(*state);
        access.with.push(*state);
    }
    unsafe fn cols(state: &ComponentId, world: &World, archetype: NonNull<Archetype>) -> ColRef {
        col_ref::<T>(*state, world, archetype)
    }
    #[inline(always)]
    unsafe fn page(cols: &ColRef, page: usize, run: Run) -> WriteFetch<T> {
        // SAFETY: the contract is the same.
        unsafe { WriteFetch::open(cols, page, run, false) }
    }
    #[inline(always)]
    unsafe fn row(fetch: &WriteFetch<T>, row: usize) -> bool {
        // SAFETY: the contract is the same.
        unsafe { fetch.present(row) }
    }
    #[inline(always)]
    unsafe fn get<'a>(fetch: &WriteFetch<T>, row: usize) -> Mut<'a, T> {
        // SAFETY: the row lies in the page and is ours alone (contract); tick arrays have the page's capacity.
        unsafe {
            if Self::ROWS {
                let set = &*fetch.set;
                let k = set.find(*fetch.ids.add(row)).unwrap_unchecked();
                Mut {
                    value: &mut *set.at(k).cast::<T>(),
                    changed: set.changed_at(k),
                    mark: fetch.set,
                    stamp: fetch.stamp,
                }
            } else {
                Mut {
                    value: &mut *fetch.data.add(row),
                    changed: if fetch.changed.is_null() {
                        fetch.changed
                    } else {
                        fetch.changed.add(row)
                    },
                    mark: fetch.page,
                    stamp: fetch.stamp,
                }
            }
        }
    }
}

// SAFETY: reads ids, which no system writes.
unsafe impl QueryData for Entity {
    type Item<'a> = Entity;
    type State = ();
    type Cols = NonNull<Archetype>;
    type Fetch = *const Entity;
    const ROWS: bool = false;
    const TERMS: Terms = Terms::NONE;
    fn init(_: &mut World) {}
    fn expr((): &()) -> Expr {
        Expr::True
    }
    fn access((): &(), _: &mut QueryAccess) {}
    unsafe fn cols((): &(), _: &World, archetype: NonNull<Archetype>) -> NonNull<Archetype> {
        archetype
    }
    #[inline(always)]
    unsafe fn page(cols: &NonNull<Archetype>, page: usize, _: Run) -> *const Entity {
        // SAFETY: the page exists.
        unsafe { (*cols.as_ptr()).ids.at(page, 0).cast() }
    }
    #[inline(always)]
    unsafe fn span(cols: &Self::Cols, pages: Range<usize>, run: Run) -> Option<*const Entity> {
        // SAFETY: the contract is the same; ids of the pages of an extent lie one behind the other.
        Some(unsafe { Self::page(cols, pages.start, run) })
    }
    #[inline(always)]
    unsafe fn get<'a>(fetch: &*const Entity, row: usize) -> Self::Item<'a> {
        // SAFETY: the row lies in the page.
        unsafe { *fetch.add(row) }
    }
}
// SAFETY: copies ids.
unsafe impl ReadOnlyData for Entity {}
// SAFETY: ids of the range.
unsafe impl ChunkData for Entity {
    type Slices<'a> = &'a [Entity];
    #[inline(always)]
    unsafe fn slices<'a>(fetch: &*const Entity, start: usize, len: usize) -> &'a [Entity] {
        // SAFETY: the rows lie in the page.
        unsafe { std::slice::from_raw_parts(fetch.add(start), len) }
    }
}

// SAFETY: touches what `D` touches.
unsafe impl<D: QueryData> QueryData for Option<D> {
    type Item<'a> = Option<D::Item<'a>>;
    type State = D::State;
    type Cols = Option<D::Cols>;
    type Fetch = Option<D::Fetch>;
    const ROWS: bool = false;
    const TERMS: Terms = D::TERMS.optional();
    fn init(world: &mut World) -> D::State {
        D::init(world)
    }
    fn expr(_: &D::State) -> Expr {
        Expr::True
    }
    fn access(state: &D::State, access: &mut QueryAccess) {
        let mut inner = QueryAccess::default();
        D::access(state, &mut inner);
        access.reads.append(&mut inner.reads);
        access.writes.append(&mut inner.writes);
    }
    unsafe fn cols(state: &D::State, world: &World, archetype: NonNull<Archetype>) -> Self::Cols {
        // SAFETY: the archetype is alive; `D` is asked only where it matches.
        unsafe {
            D::expr(state).holds(archetype.as_ref()).then(|| D::cols(state, world, archetype))
        }
    }
    #[inline(always)]
    unsafe fn page(cols: &Self::Cols, page: usize, run: Run) -> Self::Fetch {
        // SAFETY: the contract is the same.
        cols.as_ref().map(|c| unsafe { D::page(c, page, run) })
    }
    #[inline(always)]
    unsafe fn get<'a>(fetch: &Self::Fetch, row: usize) -> Self::Item<'a> {
        match fetch {
            // SAFETY: the contract is the same, and the row was asked.
            Some(f) => unsafe { (!D::ROWS || D::row(f, row)).then(|| D::get(f, row)) },
            None => None,
        }
    }
}
// SAFETY: as `D`.
unsafe impl<D: ReadOnlyData> ReadOnlyData for Option<D> {}
// SAFETY: as `D`.
unsafe impl<D: ChunkData> ChunkData for Option<D> {
    type Slices<'a> = Option<D::Slices<'a>>;
    #[inline(always)]
    unsafe fn slices<'a>(fetch: &Self::Fetch, start: usize, len: usize) -> Self::Slices<'a> {
        // SAFETY: the contract is the same.
        fetch.as_ref().map(|f| unsafe { D::slices(f, start, len) })
    }
}

/// Whether the entity has `T`.
#[derive(Debug)]
pub struct Has<T>(std::marker::PhantomData<T>);

// SAFETY: reads presence, which no system writes.
unsafe impl<T: Component> QueryData for Has<T> {
    type Item<'a> = bool;
    type State = ComponentId;
    type Cols = (bool, ColRef);
    type Fetch = (bool, *const SparseSet, *const Entity);
    const ROWS: bool = false;
    const TERMS: Terms = Terms::NONE;
    fn init(world: &mut World) -> ComponentId {
        world.register::<T>()
    }
    fn expr(_: &ComponentId) -> Expr {
        Expr::True
    }
    fn access(_: &ComponentId, _: &mut QueryAccess) {}
    unsafe fn cols(
        state: &ComponentId,
        world: &World,
        archetype: NonNull<Archetype>,
    ) -> Self::Cols {
        // SAFETY: the archetype is alive.
        let has = unsafe { archetype.as_ref() }.has(*state);
        let none = ColRef {
            data: NonNull::dangling(),
            pages: std::ptr::null(),
            set: std::ptr::null(),
            archetype: archetype.as_ptr(),
        };
        let sparse = matches!(T::STORAGE, Storage::Sparse);
        (has, if sparse { col_ref::<T>(*state, world, archetype) } else { none })
    }
    #[inline(always)]
    unsafe fn page(cols: &Self::Cols, page: usize, _: Run) -> Self::Fetch {
        // SAFETY: the page exists.
        (cols.0, cols.1.set, unsafe { (*cols.1.archetype).ids.at(page, 0).cast() })
    }
    #[inline(always)]
    unsafe fn get<'a>(fetch: &Self::Fetch, row: usize) -> Self::Item<'a> {
        if fetch.1.is_null() {
            return fetch.0;
        }
        // SAFETY: the set lives as long as the world; the row lies in the page.
        unsafe { (*fetch.1).find(*fetch.2.add(row)).is_some() }
    }
}
// SAFETY: presence only.
unsafe impl<T: Component> ReadOnlyData for Has<T> {}

/// The pairs of relation `R` of an entity: an iterator over (target, payload). Matches subjects only.
#[derive(Debug)]
pub struct PairsOf<R>(std::marker::PhantomData<R>);

// SAFETY: reads pairs, which only commits write.
unsafe impl<R: Relation> QueryData for PairsOf<R> {
    type Item<'a> = Targets<'a, R>;
    type State = ComponentId;
    type Cols = (*const crate::relation::Pairs<R>, NonNull<Archetype>);
    type Fetch = (*const crate::relation::Pairs<R>, *const Entity);
    const ROWS: bool = false;
    const TERMS: Terms = Terms::NONE;
    fn init(world: &mut World) -> ComponentId {
        world.relation_id::<R>();
        world.register::<Linked<R>>()
    }
    fn expr(state: &ComponentId) -> Expr {
        Expr::With(*state)
    }
    fn access(state: &ComponentId, access: &mut QueryAccess) {
        access.with.push(*state);
    }
    unsafe fn cols(_: &ComponentId, world: &World, archetype: NonNull<Archetype>) -> Self::Cols {
        (std::ptr::from_ref(world.pairs::<R>().expect("made in init")), archetype)
    }
    #[inline(always)]
    unsafe fn page(cols: &Self::Cols, page: usize, _: Run) -> Self::Fetch {
        // SAFETY: the page exists.
        (cols.0, unsafe { (*cols.1.as_ptr()).ids.at(page, 0).cast() })
    }
    #[inline(always)]
    unsafe fn get<'a>(fetch: &Self::Fetch, row: usize) -> Targets<'a, R> {
        // SAFETY: the store of a relation is boxed and lives as long as the world; the row lies in the page.
        unsafe { (*fetch.0).targets(*fetch.1.add(row)) }
    }
}
// SAFETY: shared references only.
unsafe impl<R: Relation> ReadOnlyData for PairsOf<R> {}

macro_rules! tuples {
    ($($($t:ident $i:tt),*;)*) => {$(
        // SAFETY: touches what the members touch; aliasing between members is refused at compile time or when the query is made.
        #[allow(clippy::unused_unit, unused_unsafe, unused_variables, non_snake_case, reason = "the macro covers the empty tuple")]
        unsafe impl<$($t: QueryData),*> QueryData for ($($t,)*) {
            type Item<'a> = ($($t::Item<'a>,)*);
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
            unsafe fn page(cols: &Self::Cols, page: usize, run: Run) -> Self::Fetch {
                // SAFETY: the contract is the same.
                unsafe { ($($t::page(&cols.$i, page, run),)*) }
            }
            #[inline(always)]
            unsafe fn span(cols: &Self::Cols, pages: Range<usize>, run: Run) -> Option<Self::Fetch> {
                // SAFETY: the contract is the same.
                unsafe { Some(($($t::span(&cols.$i, pages.clone(), run)?,)*)) }
            }
            #[inline(always)]
            unsafe fn row(fetch: &Self::Fetch, row: usize) -> bool {
                // SAFETY: the contract is the same.
                true $(&& (!$t::ROWS || unsafe { $t::row(&fetch.$i, row) }))*
            }
            #[inline(always)]
            unsafe fn get<'a>(fetch: &Self::Fetch, row: usize) -> Self::Item<'a> {
                // SAFETY: the contract is the same.
                unsafe { ($($t::get(&fetch.$i, row),)*) }
            }
        }
        // SAFETY: as the members.
        unsafe impl<$($t: ReadOnlyData),*> ReadOnlyData for ($($t,)*) {}
        // SAFETY: as the members.
        #[allow(clippy::unused_unit, unused_unsafe, unused_variables, reason = "the macro covers the empty tuple")]
        unsafe impl<$($t: ChunkData),*> ChunkData for ($($t,)*) {
            type Slices<'a> = ($($t::Slices<'a>,)*);
            #[inline(always)]
            unsafe fn slices<'a>(fetch: &Self::Fetch, start: usize, len: usize) -> Self::Slices<'a> {
                // SAFETY: the contract is the same.
                unsafe { ($($t::slices(&fetch.$i, start, len),)*) }
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
