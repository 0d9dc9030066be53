//! What a world holds, in numbers. Reads only.
//!
//! Invariant: inspecting changes nothing, not even a tick.

use crate::world::World;

/// One archetype in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchetypeNote {
    /// Names of its components.
    pub components: Vec<&'static str>,
    /// Entities.
    pub rows: usize,
    /// Bytes of their values and ids.
    pub bytes: usize,
    /// Pages held.
    pub pages: usize,
}

/// A world in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Living entities.
    pub entities: usize,
    /// Slots ever used.
    pub slots: usize,
    /// Slots waiting to be used again.
    pub free: usize,
    /// Archetypes in order.
    pub archetypes: Vec<ArchetypeNote>,
    /// Sparse components: name, values, bytes.
    pub sparse: Vec<(&'static str, usize, usize)>,
    /// Resources that are there.
    pub resources: Vec<&'static str>,
    /// Event types and how many are readable.
    pub events: Vec<(&'static str, usize)>,
    /// Relations and how many pairs there are.
    pub pairs: Vec<(&'static str, usize)>,
    /// Components whose row ticks are kept because a consumer exists.
    pub tracked: Vec<&'static str>,
    /// Arrays of row ticks held.
    pub tick_arrays: usize,
    /// Bytes of blocks in use.
    pub block_bytes: usize,
    /// Bytes held from the allocator.
    pub held_bytes: usize,
    /// How often a block was asked for.
    pub block_requests: u64,
}

impl World {
    /// The world in numbers.
    #[must_use]
    pub fn inspect(&self) -> Inspection {
        let name = |c: &crate::ComponentId| self.registry.info(*c).value.name;
        Inspection {
            entities: self.entities.alive as usize,
            slots: self.entities.slots.len(),
            free: self.entities.free.len(),
            archetypes: self
                .archetypes
                .iter()
                .map(|a| ArchetypeNote {
                    components: a.components.iter().map(name).collect(),
                    rows: a.len as usize,
                    bytes: a.bytes(),
                    pages: a.ids.pages.len(),
                })
                .collect(),
            sparse: self
                .sparse
                .iter()
                .enumerate()
                .filter_map(|(i, s)| s.as_ref().map(|s| (&self.registry.infos[i].value, s.len())))
                .map(|(info, n)| (info.name, n, n * info.layout.size()))
                .collect(),
            resources: self
                .resources
                .cells
                .iter()
                .filter(|c| c.value.is_some())
                .map(|c| c.name)
                .collect(),
            events: self
                .events
                .queues
                .iter()
                .zip(&self.events.infos)
                .map(|(q, i)| (i.name, q.len()))
                .collect(),
            pairs: self.relations.iter().map(|r| (r.info().name, r.len())).collect(),
            tracked: self
                .registry
                .infos
                .iter()
                .filter(|i| i.track_changed || i.track_added)
                .map(|i| i.value.name)
                .collect(),
            tick_arrays: self
                .archetypes
                .iter()
                .flat_map(|a| a.columns())
                .flat_map(|c| &c.pages)
                .map(|p| usize::from(!p.changed.is_null()) + usize::from(!p.added.is_null()))
                .sum(),
            block_bytes: self.arena.used,
            held_bytes: self.arena.held,
            block_requests: self.arena.requests,
        }
    }

    /// Text of a component of an entity, by the component's name.
    #[must_use]
    pub fn show(&self, entity: crate::Entity, component: &str) -> Option<String> {
        let id = self.registry.by_name(component)?;
        let value = self.value_ptr(entity, id)?;
        // SAFETY: a live value of the component's type.
        Some(unsafe { self.registry.info(id).value.show(value) })
    }
}
