//! Components of entities one by one, and which of them changed.
//!
//! Invariant: whatever hands out a `&mut` to a value marks it as written.

use super::World;
use crate::component::{Component, ComponentId, Storage};
use crate::entity::Entity;
use crate::storage::archetype::Column;

impl World {
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
}
