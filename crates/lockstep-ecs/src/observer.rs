//! Observers and hooks: code that runs at the drain, after structure changed.
//!
//! Total order: by what happened (records in commit order; within a record, components in order of the bundle; for a despawn,
//! components in order of registration; then in-place changes by component, archetype, row), and for one happening the hook first,
//! then observers in order of registration. What a handler stages is committed when the handlers of this round are done, and
//! drained in a next round.
//!
//! Invariant: a removed value lives in its pending record until every handler has seen it.

use crate::commands::{CommandState, Commands};
use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::erased::ErasedBox;
use crate::relation::Relation;
use crate::resource::Resource;
use crate::world::World;

/// A hook: a plain function called at the drain.
pub type Handler<T> = fn(&mut Trigger<'_, T>);

/// What a handler is given.
#[derive(Debug)]
pub struct Trigger<'a, T> {
    pub(crate) world: &'a mut World,
    pub(crate) commands: &'a mut CommandState,
    pub(crate) entity: Entity,
    pub(crate) target: Entity,
    pub(crate) value: Option<&'a T>,
}

impl<T> Trigger<'_, T> {
    /// The entity it happened to.
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.entity
    }
    /// The target of the pair, for relations.
    #[must_use]
    pub fn target(&self) -> Entity {
        self.target
    }
    /// The value: the current one, or the last one when it was removed. `None` when it is gone already because an
    /// earlier handler's edits were committed.
    #[must_use]
    pub fn value(&self) -> Option<&T> {
        self.value
    }
    /// The world as it is now.
    #[must_use]
    pub fn world(&self) -> &World {
        self.world
    }
    /// A resource to write to.
    pub fn resource_mut<R: Resource>(&mut self) -> Option<&mut R> {
        self.world.resource_mut::<R>()
    }
    /// Commands, committed after this round of handlers.
    pub fn commands(&mut self) -> Commands<'_> {
        self.commands.open(crate::commands::OBSERVER_SYSTEM, 0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Happening {
    Add,
    Remove,
    Change,
    Relate,
    Unrelate,
}

#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) what: Happening,
    /// Component or relation.
    pub(crate) of: u32,
    pub(crate) entity: Entity,
    pub(crate) target: Entity,
    pub(crate) value: Option<ErasedBox>,
}

// SAFETY: the value is a component or payload, which are `Send + Sync`.
unsafe impl Send for Pending {}
// SAFETY: as above.
unsafe impl Sync for Pending {}

type Erased =
    Box<dyn FnMut(&mut World, &mut CommandState, Entity, Entity, Option<*const u8>) + Send + Sync>;

#[derive(Default)]
pub(crate) struct Observers {
    pub(crate) handlers: Vec<(Happening, u32, Erased)>,
    pub(crate) any: bool,
    pub(crate) any_change: bool,
    /// Changes up to this tick were shown.
    pub(crate) seen: u64,
}

impl std::fmt::Debug for Observers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} observers", self.handlers.len())
    }
}

impl World {
    pub(crate) fn add_handler<T: 'static>(
        &mut self,
        what: Happening,
        of: u32,
        mut handler: impl FnMut(&mut Trigger<'_, T>) + Send + Sync + 'static,
    ) {
        self.observers.any = true;
        if matches!(what, Happening::Add | Happening::Remove | Happening::Change) {
            let id = ComponentId(of);
            let info = &mut self.registry.infos[id.index()];
            match what {
                Happening::Add => info.observed_add = true,
                Happening::Remove => {
                    info.observed_remove = true;
                    self.registry.removals_watched = true;
                }
                _ => {
                    info.observed_change = true;
                    self.observers.any_change = true;
                }
            }
            if what == Happening::Change {
                self.track(id, true, true, false);
                if self.observers.seen == 0 {
                    self.observers.seen = self.tick;
                    self.advance();
                }
            }
        }
        self.observers.handlers.push((
            what,
            of,
            Box::new(move |world, commands, entity, target, value| {
                // SAFETY: the drain passes a live value of the type observed, which is `T`; it is not written while the
                // handler runs, because a handler changes components by commands only.
                let value = value.map(|v| unsafe { &*v.cast::<T>() });
                handler(&mut Trigger { world, commands, entity, target, value });
            }),
        ));
    }

    /// Calls `handler` at the drain after a `T` was added to an entity that had none.
    pub fn on_add<T: Component>(
        &mut self,
        handler: impl FnMut(&mut Trigger<'_, T>) + Send + Sync + 'static,
    ) {
        let id = self.register::<T>();
        self.add_handler(Happening::Add, id.0, handler);
    }
    /// Calls `handler` at the drain after a `T` was removed, by `remove` or with its entity; it sees the last value.
    pub fn on_remove<T: Component>(
        &mut self,
        handler: impl FnMut(&mut Trigger<'_, T>) + Send + Sync + 'static,
    ) {
        let id = self.register::<T>();
        self.add_handler(Happening::Remove, id.0, handler);
    }
    /// Calls `handler` at the drain after a `T` that had been there was written.
    pub fn on_change<T: Component>(
        &mut self,
        handler: impl FnMut(&mut Trigger<'_, T>) + Send + Sync + 'static,
    ) {
        let id = self.register::<T>();
        self.add_handler(Happening::Change, id.0, handler);
    }
    /// Calls `handler` at the drain after a pair came to be.
    pub fn on_relate<R: Relation>(
        &mut self,
        handler: impl FnMut(&mut Trigger<'_, R>) + Send + Sync + 'static,
    ) {
        let id = self.relation_id::<R>();
        self.add_handler(Happening::Relate, id, handler);
    }
    /// Calls `handler` at the drain after a pair went; it sees the last payload.
    pub fn on_unrelate<R: Relation>(
        &mut self,
        handler: impl FnMut(&mut Trigger<'_, R>) + Send + Sync + 'static,
    ) {
        let id = self.relation_id::<R>();
        self.add_handler(Happening::Unrelate, id, handler);
    }

    /// Runs handlers until nothing is pending. Returns the message of the first panic of a handler.
    pub(crate) fn drain(&mut self) -> Option<Box<dyn std::any::Any + Send>> {
        const ROUNDS: usize = 1000;
        let mut failure = None;
        for round in 0.. {
            self.collect_changes();
            if self.pending.is_empty() {
                break;
            }
            if round == ROUNDS {
                self.pending.clear();
                self.diagnose("observer-loop", "observers", Entity::NULL);
                break;
            }
            let mut batch = std::mem::take(&mut self.pending);
            let mut observers = std::mem::take(&mut self.observers.handlers);
            let mut state = std::mem::take(&mut self.observer_commands);
            for p in &batch {
                for (what, of, handler) in &mut observers {
                    if *what != p.what || *of != p.of {
                        continue;
                    }
                    let value = match &p.value {
                        Some(value) => Some(value.ptr().cast_const()),
                        None => self.observed_value(p),
                    };
                    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        handler(self, &mut state, p.entity, p.target, value);
                    }));
                    if let Err(panic) = result {
                        failure.get_or_insert(panic);
                    }
                }
            }
            // Observers registered by handlers cannot exist: they hold no `&mut World`.
            self.observers.handlers = observers;
            batch.clear();
            if self.pending.is_empty() {
                self.pending = batch;
            }
            self.advance();
            if let Err(limit) = state.commit_alone(self) {
                failure.get_or_insert(Box::new(limit.to_string()));
            }
            self.observer_commands = state;
        }
        failure
    }

    fn observed_value(&self, p: &Pending) -> Option<*const u8> {
        match p.what {
            Happening::Relate | Happening::Unrelate => {
                self.relations[p.of as usize].payload(p.entity, p.target)
            }
            _ => self.value_ptr(p.entity, ComponentId(p.of)).map(<*mut u8>::cast_const),
        }
    }

    /// Turns in-place writes since the last drain into pending records.
    fn collect_changes(&mut self) {
        if !self.observers.any_change {
            return;
        }
        let since = self.observers.seen;
        self.observers.seen = self.tick;
        let mut found = Vec::new();
        for (i, info) in self.registry.infos.iter().enumerate() {
            if !info.observed_change {
                continue;
            }
            let id = ComponentId(i as u32);
            self.each_changed(id, since, |entity, added| {
                if added <= since {
                    found.push(Pending {
                        what: Happening::Change,
                        of: id.0,
                        entity,
                        target: Entity::NULL,
                        value: None,
                    });
                }
            });
        }
        self.pending.append(&mut found);
        self.advance();
    }
}
