//! Edits of single entities: spawn, insert, remove, despawn, and the moves between archetypes they are made of.
//!
//! Invariant: after each function that does not say otherwise every column of every row below an archetype's length holds a live
//! value, and the slot of every living entity says where its row is.

use super::World;
use crate::component::{Bundle, BundleSink, Component, ComponentId, ComponentList, Storage};
use crate::entity::{Entity, Slot};
use crate::erased::ErasedBox;
use crate::observer::{Happening, Pending};
use crate::storage::archetype::{
    Archetype, Column, InsertEdge, RemoveEdge, SPARSE, Target, locate,
};
use crate::storage::sparse::SparseSet;
use crate::storage::{Stamp, copy_value};
use crate::world::Removal;
use std::any::TypeId;
use std::ptr::NonNull;

impl World {
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
                self.removals[component.index()].entries.push(Removal {
                    entity,
                    tick: stamp.tick,
                    added,
                });
            }
            if observed {
                let mut kept = ErasedBox::room(info.value.layout, drop);
                // SAFETY: the room fits the value, which moves there.
                unsafe {
                    value.copy_to_nonoverlapping(kept.ptr(), info.value.layout.size());
                    kept.set_live();
                }
                self.tell_removed(component, entity, kept);
                return;
            }
        }
        if let Some(drop) = drop {
            // SAFETY: the caller's contract: live, and not used again.
            unsafe { drop(value) };
        }
    }

    /// Keeps a value that was taken for the observers of removals.
    fn tell_removed(&mut self, component: ComponentId, entity: Entity, kept: ErasedBox) {
        self.pending.push(Pending {
            what: Happening::Remove,
            of: component.0,
            entity,
            target: Entity::NULL,
            value: Some(kept),
        });
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
            self.tell_removed(component, entity, kept);
            return true;
        }
        // SAFETY: no target: the value is dropped.
        let Some(added) = (unsafe { set.remove(entity, None, stamp) }) else { return false };
        if info.track_removed {
            self.removals[component.index()].entries.push(Removal {
                entity,
                tick: stamp.tick,
                added,
            });
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
