//! Cloning of entities, and templates.
//!
//! A template is an entity with [`Prefab`](crate::Prefab); queries do not see it unless they name `Prefab`. An instance is a flat copy:
//! all components of the template except the mark, overrides on top, and the same for everything below it in a hierarchy.
//!
//! Invariant: entities inside a copied tree that point into the tree point into the copy.

use crate::component::{Bundle, ComponentId, Storage};
use crate::entity::{Entity, EntityLimit};
use crate::erased::ErasedBox;
use crate::relation::Relation;
use crate::world::{PREFAB, World};
use std::collections::BTreeMap;

impl World {
    /// Puts a value whose type is known by id only.
    pub(crate) fn insert_erased(
        &mut self,
        entity: Entity,
        component: ComponentId,
        mut value: ErasedBox,
    ) {
        let Some(slot) = self.entities.get(entity) else { return };
        let stamp = self.stamp();
        let info = &self.registry.info(component).value;
        let size = info.layout.size();
        let had = self.value_ptr(entity, component);
        let drop = info.drop;
        let to = match (had, self.registry.info(component).storage) {
            (Some(old), _) => {
                if let Some(drop) = drop {
                    // SAFETY: the old value is live and overwritten at once.
                    unsafe { drop(old) };
                }
                old
            }
            (None, Storage::Sparse) => match self.sparse[component.index()].as_deref_mut() {
                Some(set) => set.push(entity, stamp),
                None => return,
            },
            (None, Storage::Table) => {
                let mut set = self.archetypes.get(slot.archetype).components.to_vec();
                set.push(component);
                set.sort_unstable();
                let to = self.archetype_of(&set);
                let (here, there) = (self.archetypes.get(slot.archetype), self.archetypes.get(to));
                let moves: Vec<(u16, u16)> = here
                    .components
                    .iter()
                    .enumerate()
                    .map(|(i, &c)| (i as u16, there.column_index(c).unwrap_or(0) as u16))
                    .collect();
                // SAFETY: the slot is the entity's; the new column is written and marked below.
                unsafe { self.migrate(entity, slot, to, &moves, stamp) };
                match self.value_ptr(entity, component) {
                    Some(to) => to,
                    None => return,
                }
            }
        };
        // SAFETY: `to` is room for a value of the component's type, and the box holds one, which moves.
        unsafe {
            value.ptr().copy_to_nonoverlapping(to, size);
            value.forget();
        }
        if had.is_some() {
            self.mark_value(entity, component);
        } else {
            self.mark_added(entity, component);
            if self.registry.info(component).observed_add {
                self.pending.push(crate::observer::Pending {
                    what: crate::observer::Happening::Add,
                    of: component.0,
                    entity,
                    target: Entity::NULL,
                    value: None,
                });
            }
        }
    }

    fn mark_added(&mut self, entity: Entity, component: ComponentId) {
        let stamp = self.stamp();
        let Some(slot) = self.entities.get(entity) else { return };
        let archetype = self.archetypes.get(slot.archetype);
        if let Some(c) = archetype.column_index(component) {
            let (page, offset) = slot.place();
            // SAFETY: the row exists and `&mut self` is exclusive.
            unsafe { archetype.columns()[c].mark_added(page, offset, stamp) };
        }
    }

    /// Copies the components of `source` that can be copied onto `entity`, and with `pairs` the pairs it is the subject of.
    pub(crate) fn clone_onto(&mut self, source: Entity, entity: Entity, pairs: bool) {
        let Some(slot) = self.entities.get(source) else { return };
        let mut ids: Vec<ComponentId> = self.archetypes.get(slot.archetype).components.to_vec();
        ids.extend(self.sparse_ids.iter().copied());
        let markers: Vec<ComponentId> = self.relations.iter().map(|r| r.marker()).collect();
        for id in ids {
            if id == PREFAB || markers.contains(&id) {
                continue;
            }
            let Some(from) = self.value_ptr(source, id) else { continue };
            let info = &self.registry.info(id).value;
            let mut value = ErasedBox::room(info.layout, info.drop);
            // SAFETY: `from` is a live value of the type, the box is room for one.
            if unsafe { info.copy_value(from, value.ptr()) } {
                // SAFETY: just written.
                unsafe { value.set_live() };
                self.insert_erased(entity, id, value);
            }
        }
        if pairs {
            for relation in 0..self.relations.len() {
                for (target, payload) in self.relations[relation].copy_links(source) {
                    self.relate_erased(relation, entity, target, payload);
                }
            }
        }
    }

    pub(crate) fn relate_erased(
        &mut self,
        relation: usize,
        subject: Entity,
        target: Entity,
        mut payload: ErasedBox,
    ) {
        let store = &mut self.relations[relation];
        let first = store.first_target(subject).is_none();
        let marker = store.marker();
        // SAFETY: the payload is of the relation's type and moves in.
        unsafe {
            store.link_raw(subject, target, payload.ptr());
            payload.forget();
        }
        if first {
            let layout = self.registry.info(marker).value.layout;
            let mut mark = ErasedBox::room(layout, None);
            // SAFETY: the marker is a type without size: there is nothing to write.
            unsafe { mark.set_live() };
            self.insert_erased(subject, marker, mark);
        }
        if self.observers.any {
            let what = crate::observer::Happening::Relate;
            self.pending_pair(what, relation as u32, subject, target, None);
        }
    }

    /// A copy of an entity: components that can be copied, and the pairs it is the subject of. `None` if it is dead.
    ///
    /// # Errors
    /// At the entity limit.
    pub fn clone_entity(&mut self, source: Entity) -> Result<Option<Entity>, EntityLimit> {
        if !self.is_alive(source) {
            return Ok(None);
        }
        let entity = self.entities.mint()?;
        self.spawn_now(entity, ());
        self.clone_onto(source, entity, true);
        self.settle();
        Ok(Some(entity))
    }

    /// A copy of a template and of everything below it by `R`, with `overrides` on top. `None` if it is dead.
    ///
    /// # Errors
    /// At the entity limit.
    pub fn instantiate<R: Relation>(
        &mut self,
        prefab: Entity,
        overrides: impl Bundle,
    ) -> Result<Option<Entity>, EntityLimit> {
        if !self.is_alive(prefab) {
            return Ok(None);
        }
        let entity = self.entities.mint()?;
        self.spawn_now(entity, ());
        let done = self.instantiate_onto::<R>(prefab, entity);
        self.insert_now(entity, overrides);
        self.settle();
        done.map(|()| Some(entity))
    }

    /// Copies the tree below `prefab` onto `root`.
    pub(crate) fn instantiate_onto<R: Relation>(
        &mut self,
        prefab: Entity,
        root: Entity,
    ) -> Result<(), EntityLimit> {
        let mut tree = Vec::new();
        self.walk_down::<R>(prefab, |e, _| tree.push(e));
        if tree.len() - 1 > self.entities.room() {
            return Err(EntityLimit { limit: self.entities.limit });
        }
        let relation = self.relation_id::<R>() as usize;
        let mut map = BTreeMap::new();
        map.insert(prefab, root);
        for &source in &tree[1..] {
            let copy = self.entities.mint()?;
            self.spawn_now(copy, ());
            map.insert(source, copy);
        }
        for &source in &tree {
            let copy = map[&source];
            self.clone_onto(source, copy, false);
            let Some(slot) = self.entities.get(copy) else { continue };
            for id in self.archetypes.get(slot.archetype).components.clone() {
                if let (Some(visit), Some(value)) =
                    (self.registry.info(id).value.visit, self.value_ptr(copy, id))
                {
                    // SAFETY: a live value of the type; `&mut self` is exclusive.
                    unsafe { visit(value, &mut |e| *e = map.get(e).copied().unwrap_or(*e)) };
                }
            }
            if source != prefab {
                for (target, payload) in self.relations[relation].copy_links(source) {
                    if let Some(&target) = map.get(&target) {
                        self.relate_erased(relation, copy, target, payload);
                    }
                }
            }
        }
        Ok(())
    }
}
