//! Queries: which entities, which of their components, in a fixed order.
//!
//! Order: archetypes in order of creation, rows in order within them. It is the same for iteration, chunks and parallel loops, and
//! survives snapshot and rollback. Inside a chunk rows are visited in order; chunks of a parallel loop may run in any order, so the
//! order of their *effects* is fixed by the chunk: commands and folds are merged by chunk number.
//!
//! Invariant: `list` holds the archetypes of the match set in its order, each with resolved column pointers.

pub(crate) mod access;
pub(crate) mod fetch;
pub(crate) mod filter;
mod iter;
pub(crate) mod matching;
mod parallel;

pub use access::{Access, Conflict, QueryAccess, Terms};
pub use fetch::{ChunkData, Has, Mut, PairsOf, QueryData, ReadOnlyData, Run};
pub use filter::{Added, Changed, Or, QueryFilter, With, Without};
pub use iter::{Chunks, Iter};
pub use parallel::DEFAULT_CHUNK;

use crate::entity::Entity;
use crate::relation::Relation;
use crate::schedule::par::Par;
use crate::storage::archetype::Archetype;
use crate::world::{PREFAB, World};
use matching::Expr;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

pub(crate) struct Matched<D: QueryData, F: QueryFilter> {
    pub(crate) archetype: NonNull<Archetype>,
    pub(crate) data: D::Cols,
    pub(crate) filter: F::Cols,
}

/// No archetype has this number, and no slot names it.
const NO_ARCHETYPE: u32 = crate::entity::RESERVED - 1;

type PairOfCols<D, F> = (<D as QueryData>::Cols, <F as QueryFilter>::Cols);

/// A query made ready for one world. Make it once, use it often.
pub struct QueryState<D: QueryData, F: QueryFilter = ()> {
    token: Arc<()>,
    data: D::State,
    filter: F::State,
    pub(crate) access: QueryAccess,
    matches: u32,
    epoch: u64,
    /// `Arena::moves` when the directories were looked up.
    moves: u64,
    pub(crate) list: Vec<Matched<D, F>>,
    /// The same by archetype, for random access.
    table: Vec<Option<PairOfCols<D, F>>>,
    /// The archetype when `list` has one only, else `NO_ARCHETYPE`: random access to it looks nothing up.
    only: u32,
    pub(crate) last_run: u64,
    pub(crate) scratch: Mutex<Vec<u32>>,
}

// SAFETY: the pointers in `list` are to archetypes of the world of `token`, which are `Send + Sync`; they are used only together
// with a borrow of that world.
unsafe impl<D: QueryData, F: QueryFilter> Send for QueryState<D, F> {}
// SAFETY: as above.
unsafe impl<D: QueryData, F: QueryFilter> Sync for QueryState<D, F> {}

impl<D: QueryData, F: QueryFilter> std::fmt::Debug for QueryState<D, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueryState").field("archetypes", &self.list.len()).finish_non_exhaustive()
    }
}

/// A query that names a component twice where one of the names writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasError {
    /// The component.
    pub component: &'static str,
}

impl std::fmt::Display for AliasError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the query names {} twice and writes it", self.component)
    }
}
impl std::error::Error for AliasError {}

impl<D: QueryData, F: QueryFilter> QueryState<D, F> {
    /// Makes a query ready.
    ///
    /// # Panics
    /// When it names a component twice and writes it (where the compiler could not see it); see [`QueryState::try_new`].
    #[must_use]
    pub fn new(world: &mut World) -> Self {
        match Self::try_new(world) {
            Ok(state) => state,
            Err(e) => panic!("{e}"),
        }
    }
    /// Makes a query ready.
    ///
    /// # Errors
    /// When it names a component twice and writes it. Where the types say so, it does not even compile.
    pub fn try_new(world: &mut World) -> Result<Self, AliasError> {
        const { D::TERMS.assert_no_alias() };
        let data = D::init(world);
        let filter = F::init(world);
        let mut access = QueryAccess::default();
        D::access(&data, &mut access);
        for (i, c) in access.writes.iter().enumerate() {
            if access.writes[..i].contains(c) || access.reads.contains(c) {
                return Err(AliasError { component: world.registry.info(*c).value.name });
            }
        }
        let mut filters = QueryAccess::default();
        F::access(&filter, &mut filters);
        // A tick filter over a component that the query itself writes needs no second access.
        filters.reads.retain(|c| !access.writes.contains(c));
        access.reads.append(&mut filters.reads);
        access.with.append(&mut filters.with);
        access.without.append(&mut filters.without);
        let mut expr = Expr::All(vec![D::expr(&data), F::expr(&filter)]);
        if !expr.mentions(PREFAB) {
            expr = Expr::All(vec![expr, Expr::Without(PREFAB)]);
        }
        let matches = world.matches.set(expr, world.archetypes.iter());
        let mut state = QueryState {
            token: world.token.clone(),
            data,
            filter,
            access,
            matches,
            epoch: world.epoch,
            moves: world.arena.moves,
            list: Vec::new(),
            table: Vec::new(),
            only: NO_ARCHETYPE,
            last_run: 0,
            scratch: Mutex::new(Vec::new()),
        };
        state.update(world);
        Ok(state)
    }

    /// A state that matches nothing, for a system that is going to be refused.
    pub(crate) fn refused(world: &mut World) -> Self {
        let (data, filter) = (D::init(world), F::init(world));
        let matches = world.matches.set(Expr::Any(Vec::new()), std::iter::empty());
        QueryState {
            token: world.token.clone(),
            data,
            filter,
            access: QueryAccess::default(),
            matches,
            epoch: world.epoch,
            moves: world.arena.moves,
            list: Vec::new(),
            table: Vec::new(),
            only: NO_ARCHETYPE,
            last_run: 0,
            scratch: Mutex::new(Vec::new()),
        }
    }

    /// How many archetypes were tested for this query's match set so far.
    #[must_use]
    pub fn archetype_tests(&self, world: &World) -> u64 {
        world.matches.sets[self.matches as usize].tests
    }
    /// The number of the match set: equal for queries of equal meaning.
    #[must_use]
    pub fn match_set(&self) -> u32 {
        self.matches
    }

    #[inline]
    pub(crate) fn update(&mut self, world: &World) {
        let set = &world.matches.sets[self.matches as usize];
        if self.list.len() != set.archetypes.len()
            || self.epoch != world.epoch
            || self.moves != world.arena.moves
        {
            self.update_slow(world);
        }
    }
    #[cold]
    fn update_slow(&mut self, world: &World) {
        assert!(Arc::ptr_eq(&self.token, &world.token), "a query is used with another world");
        if self.epoch != world.epoch || self.moves != world.arena.moves {
            self.epoch = world.epoch;
            self.moves = world.arena.moves;
            self.list.clear();
            self.table.clear();
        }
        for &id in &world.matches.sets[self.matches as usize].archetypes[self.list.len()..] {
            let archetype = world.archetypes.0[id as usize];
            if self.table.len() <= id as usize {
                self.table.resize(id as usize + 1, None);
            }
            // SAFETY: the archetype is the world's and matches the expression.
            let (data, filter) = unsafe {
                (D::cols(&self.data, world, archetype), F::cols(&self.filter, world, archetype))
            };
            self.table[id as usize] = Some((data, filter));
            self.list.push(Matched { archetype, data, filter });
        }
        self.only = match self.list.as_slice() {
            // SAFETY: archetypes of the list are the world's.
            [only] => unsafe { only.archetype.as_ref() }.id,
            _ => NO_ARCHETYPE,
        };
    }

    /// The query over the whole world, borrowed exclusively. Counts as a run: `Added` and `Changed` see what happened after the last one.
    pub fn query<'w, 's>(&'s mut self, world: &'w mut World) -> Query<'w, 's, D, F> {
        assert!(Arc::ptr_eq(&self.token, &world.token), "a query is used with another world");
        self.update(world);
        let run = Run { stamp: world.stamp(), last_run: self.last_run };
        self.last_run = run.stamp.tick;
        world.advance();
        Query {
            world: NonNull::from(&*world),
            state: self,
            run,
            par: Par::Serial,
            life: PhantomData,
        }
    }
    /// The query over a shared world.
    pub fn query_ref<'w, 's>(&'s mut self, world: &'w World) -> Query<'w, 's, D, F>
    where
        D: ReadOnlyData,
    {
        assert!(Arc::ptr_eq(&self.token, &world.token), "a query is used with another world");
        self.update(world);
        let run = Run { stamp: world.stamp(), last_run: self.last_run };
        Query { world: NonNull::from(world), state: self, run, par: Par::Serial, life: PhantomData }
    }
}

/// Entities with the wanted components, open for access.
pub struct Query<'w, 's, D: QueryData, F: QueryFilter = ()> {
    pub(crate) world: NonNull<World>,
    pub(crate) state: &'s QueryState<D, F>,
    pub(crate) run: Run,
    pub(crate) par: Par<'w>,
    pub(crate) life: PhantomData<&'w World>,
}

impl<D: QueryData, F: QueryFilter> std::fmt::Debug for Query<'_, '_, D, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.state.fmt(f)
    }
}

// SAFETY: a query is shared or exclusive access to components, which are `Send + Sync`.
unsafe impl<D: QueryData, F: QueryFilter> Send for Query<'_, '_, D, F> {}
// SAFETY: as above; writing needs `&mut Query`.
unsafe impl<D: QueryData, F: QueryFilter> Sync for Query<'_, '_, D, F> {}

impl<'w, 's, D: QueryData, F: QueryFilter> Query<'w, 's, D, F> {
    #[inline(always)]
    pub(crate) fn world(&self) -> &'w World {
        // SAFETY: the query borrows the world for `'w`; what is touched through it was declared.
        unsafe { self.world.as_ref() }
    }

    /// Uses a pool for `par_*` calls of an ad-hoc query. Queries of systems have the schedule's already.
    #[must_use]
    pub fn with_pool<'p>(self, pool: &'p lockstep_runtime::WorkerPool) -> Query<'p, 's, D, F>
    where
        'w: 'p,
    {
        Query {
            world: self.world,
            state: self.state,
            run: self.run,
            par: Par::Pool(pool),
            life: PhantomData,
        }
    }

    /// All matches, shared.
    #[inline]
    pub fn iter(&self) -> Iter<'_, D, F>
    where
        D: ReadOnlyData,
    {
        // SAFETY: shared references only.
        unsafe { Iter::new(self) }
    }
    /// All matches.
    #[inline]
    pub fn iter_mut(&mut self) -> Iter<'_, D, F> {
        // SAFETY: `&mut self` keeps other accesses away; each row is yielded once.
        unsafe { Iter::new(self) }
    }
    /// Calls `f` for all matches, the fastest way row by row.
    #[inline]
    pub fn for_each<'q>(&'q mut self, f: impl FnMut(D::Item<'q>)) {
        self.iter_mut().for_each(f);
    }
    /// All matches as slices, a run of matching rows of one page at a time.
    #[inline]
    pub fn chunks(&self) -> Chunks<'_, D, F>
    where
        D: ReadOnlyData + ChunkData,
    {
        // SAFETY: shared references only.
        unsafe { Chunks::new(self) }
    }
    /// All matches as slices, a run of matching rows of one page at a time; all of them count as written.
    #[inline]
    pub fn chunks_mut(&mut self) -> Chunks<'_, D, F>
    where
        D: ChunkData,
    {
        // SAFETY: `&mut self` keeps other accesses away; each row is yielded once.
        unsafe { Chunks::new(self) }
    }
    /// How many matches there are.
    #[must_use]
    pub fn count(&self) -> usize {
        if !D::ROWS && !F::ROWS {
            // SAFETY: archetypes of the list live as long as the world.
            return self
                .state
                .list
                .iter()
                .map(|m| unsafe { m.archetype.as_ref() }.len as usize)
                .sum();
        }
        let mut n = 0;
        // SAFETY: nothing is fetched, rows are only asked.
        unsafe { self.ask_rows(|_| n += 1) };
        n
    }
    /// Whether there is no match.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }
    unsafe fn ask_rows(&self, mut f: impl FnMut(Entity)) {
        for m in &self.state.list {
            // SAFETY: archetypes of the list live as long as the world; pages and rows are within its length.
            unsafe {
                let archetype = m.archetype.as_ref();
                for page in 0..crate::storage::archetype::pages_of(archetype.len) {
                    let Some(filter) = F::page(&m.filter, page, self.run) else { continue };
                    let data = if D::ROWS { Some(D::page(&m.data, page, self.run)) } else { None };
                    for (row, &e) in archetype.page_ids(page).iter().enumerate() {
                        if F::row(&filter, row) && data.as_ref().is_none_or(|d| D::row(d, row)) {
                            f(e);
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn place(&self, entity: Entity) -> Option<(PairOfCols<D, F>, usize, usize)> {
        let slot = self.world().entities.slots.get(entity.index() as usize)?;
        // A placeholder carries bit 63, so its upper half differs from every generation. Slots that are free or reserved name no
        // archetype that is in the table.
        if slot.generation != (entity.to_bits() >> 32) as u32 {
            return None;
        }
        let (page, offset) = slot.place();
        if slot.archetype == self.state.only {
            // SAFETY: `only` is the number of the one archetype of the list.
            let Matched { data, filter, .. } = unsafe { self.state.list.get_unchecked(0) };
            return Some(((*data, *filter), page, offset));
        }
        let cols = (*self.state.table.get(slot.archetype as usize)?)?;
        Some((cols, page, offset))
    }
    /// # Safety
    /// No other item of the entity is out that a `&mut` would alias.
    #[inline(always)]
    unsafe fn fetch<'q>(&self, entity: Entity) -> Option<D::Item<'q>> {
        let ((data, filter), page, offset) = self.place(entity)?;
        // SAFETY: the place is a row of the matched archetype; the caller's contract.
        unsafe {
            if F::ROWS && !F::row(&F::page(&filter, page, self.run)?, offset) {
                return None;
            }
            let fetch = D::page(&data, page, self.run);
            if D::ROWS && !D::row(&fetch, offset) {
                return None;
            }
            Some(D::get(&fetch, offset))
        }
    }
    /// The match of one entity, shared.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<D::Item<'_>>
    where
        D: ReadOnlyData,
    {
        // SAFETY: shared references only.
        unsafe { self.fetch(entity) }
    }
    /// The match of one entity.
    #[inline(always)]
    pub fn get_mut(&mut self, entity: Entity) -> Option<D::Item<'_>> {
        // SAFETY: `&mut self` keeps other accesses away.
        unsafe { self.fetch(entity) }
    }
    /// The matches of several different entities at once; `None` when two are equal or one does not match.
    pub fn get_many_mut<const N: usize>(
        &mut self,
        entities: [Entity; N],
    ) -> Option<[D::Item<'_>; N]> {
        for (i, e) in entities.iter().enumerate() {
            if entities[..i].contains(e) || !self.contains(*e) {
                return None;
            }
        }
        // SAFETY: the entities differ, so no two items alias; `&mut self` keeps other accesses away.
        Some(entities.map(|e| unsafe { self.fetch(e) }.expect("asked above")))
    }
    /// Whether the entity matches.
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        let Some(((data, filter), page, offset)) = self.place(entity) else { return false };
        // SAFETY: the place is a row of the matched archetype; nothing is handed out.
        unsafe {
            (!F::ROWS || F::page(&filter, page, self.run).is_some_and(|f| F::row(&f, offset)))
                && (!D::ROWS || D::row(&D::page(&data, page, self.run), offset))
        }
    }
    /// The only match; `None` when there is none or more than one.
    pub fn single_mut(&mut self) -> Option<D::Item<'_>> {
        let mut only = None;
        let mut n = 0;
        // SAFETY: rows are only asked.
        unsafe {
            self.ask_rows(|e| {
                only = Some(e);
                n += 1;
            });
        }
        if n == 1 { self.get_mut(only?) } else { None }
    }
    /// Calls `f` for every unordered pair of matches, in order.
    pub fn for_each_pair(&mut self, mut f: impl FnMut(D::Item<'_>, D::Item<'_>)) {
        let mut all = Vec::new();
        // SAFETY: rows are only asked.
        unsafe { self.ask_rows(|e| all.push(e)) };
        for (i, &a) in all.iter().enumerate() {
            for &b in &all[i + 1..] {
                // SAFETY: the rows differ, and each item is dropped before the next pair is fetched.
                unsafe {
                    if let (Some(a), Some(b)) = (self.fetch(a), self.fetch(b)) {
                        f(a, b);
                    }
                }
            }
        }
    }
    /// Every combination of `K` matches, in order.
    pub fn combinations<const K: usize>(&self) -> impl Iterator<Item = [D::Item<'_>; K]>
    where
        D: ReadOnlyData,
    {
        let mut all = Vec::new();
        // SAFETY: rows are only asked.
        unsafe { self.ask_rows(|e| all.push(e)) };
        let mut at: Option<[usize; K]> = (K <= all.len()).then(|| std::array::from_fn(|i| i));
        std::iter::from_fn(move || {
            let now = at?;
            let mut next = now;
            at = (0..K).rev().find(|&i| now[i] < all.len() - (K - i)).map(|i| {
                next[i] += 1;
                for j in i + 1..K {
                    next[j] = next[j - 1] + 1;
                }
                next
            });
            Some(now.map(|i| self.get(all[i]).expect("asked above")))
        })
    }
    /// The matches among the subjects of `target`, in order of the pairs; costs as much as there are subjects.
    pub fn related_to<R: Relation>(&self, target: Entity) -> impl Iterator<Item = D::Item<'_>>
    where
        D: ReadOnlyData,
    {
        let pairs = self.world().pairs::<R>().filter(|_| self.world().is_alive(target));
        pairs.into_iter().flat_map(move |p| p.subjects(target)).filter_map(|e| self.get(e))
    }
    /// Calls `f` for the matches among the subjects of `target`.
    pub fn for_each_related<R: Relation>(
        &mut self,
        target: Entity,
        mut f: impl FnMut(D::Item<'_>),
    ) {
        let Some(pairs) = self.world().pairs::<R>().filter(|_| self.world().is_alive(target))
        else {
            return;
        };
        for e in pairs.subjects(target) {
            if let Some(item) = self.get_mut(e) {
                f(item);
            }
        }
    }
}

impl<'q, D: ReadOnlyData, F: QueryFilter> IntoIterator for &'q Query<'_, '_, D, F> {
    type Item = D::Item<'q>;
    type IntoIter = Iter<'q, D, F>;
    fn into_iter(self) -> Iter<'q, D, F> {
        self.iter()
    }
}
impl<'q, D: QueryData, F: QueryFilter> IntoIterator for &'q mut Query<'_, '_, D, F> {
    type Item = D::Item<'q>;
    type IntoIter = Iter<'q, D, F>;
    fn into_iter(self) -> Iter<'q, D, F> {
        self.iter_mut()
    }
}
