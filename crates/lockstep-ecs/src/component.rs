//! Components, their registry, and bundles.
//!
//! Invariant: a `ComponentId` is an index into the registry; ids grow in order of first use and are never taken back. Nothing
//! that is written out depends on them: snapshots and hashes name types by their stable names.

use crate::entity::Entity;
use crate::value::{Value, ValueInfo};
use rustc_hash::FxHashMap;
use std::any::TypeId;

/// Where values of a component live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In the columns of the archetype: fastest iteration.
    Table,
    /// In a sparse set of its own: cheapest to add and remove.
    Sparse,
}

/// A type that entities can carry. Derive it.
pub trait Component: Value + Send + Sync {
    /// A key known at compile time, 0 when it is not (generic types).
    const KEY: u64;
    /// Where values live.
    const STORAGE: Storage = Storage::Table;
    /// Called at the drain after the component was added, before observers.
    fn on_add() -> Option<crate::observer::Handler<Self>> {
        None
    }
    /// Called at the drain after the component was removed, with its last value.
    fn on_remove() -> Option<crate::observer::Handler<Self>> {
        None
    }
    /// Called at the drain after the component was written.
    fn on_change() -> Option<crate::observer::Handler<Self>> {
        None
    }
}

/// Index of a component type in its world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentId(pub(crate) u32);

impl ComponentId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the world knows about a component type.
#[derive(Debug)]
pub(crate) struct ComponentInfo {
    pub(crate) value: ValueInfo,
    pub(crate) storage: Storage,
    /// A consumer of row change ticks exists.
    pub(crate) track_changed: bool,
    /// A consumer of row add ticks exists.
    pub(crate) track_added: bool,
    /// A reader of removals exists.
    pub(crate) track_removed: bool,
    pub(crate) observed_add: bool,
    pub(crate) observed_remove: bool,
    pub(crate) observed_change: bool,
}

/// All component types of a world.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    by_type: FxHashMap<TypeId, ComponentId>,
    pub(crate) infos: Vec<ComponentInfo>,
    /// Some component's removals are observed or tracked.
    pub(crate) removals_watched: bool,
}

impl Registry {
    #[inline]
    pub(crate) fn find<T: 'static>(&self) -> Option<ComponentId> {
        self.by_type.get(&TypeId::of::<T>()).copied()
    }
    pub(crate) fn add(&mut self, value: ValueInfo, storage: Storage) -> ComponentId {
        let id = ComponentId(self.infos.len() as u32);
        self.by_type.insert(value.type_id, id);
        self.infos.push(ComponentInfo {
            value,
            storage,
            track_changed: false,
            track_added: false,
            track_removed: false,
            observed_add: false,
            observed_remove: false,
            observed_change: false,
        });
        id
    }
    pub(crate) fn by_name(&self, name: &str) -> Option<ComponentId> {
        self.infos.iter().position(|i| i.value.name == name).map(|i| ComponentId(i as u32))
    }
    #[inline]
    pub(crate) fn info(&self, id: ComponentId) -> &ComponentInfo {
        &self.infos[id.index()]
    }
}

/// Collects the component types of a bundle in order of declaration.
#[derive(Debug)]
pub struct ComponentList<'a> {
    pub(crate) world: &'a mut crate::world::World,
    pub(crate) ids: Vec<ComponentId>,
}

impl ComponentList<'_> {
    /// Names the next component.
    pub fn push<T: Component>(&mut self) {
        let id = self.world.register::<T>();
        assert!(!self.ids.contains(&id), "a bundle names the component {} twice", T::type_name());
        self.ids.push(id);
    }
}

/// Takes the values of a bundle in order of declaration.
pub trait BundleSink {
    /// The next value.
    fn put<T: Component>(&mut self, value: T);
}

/// A set of components given or taken in one call: one migration, observers in order of declaration. Components, tuples up to 16 of
/// bundles, and structs by derive. Implemented by these only: `put` must hand over exactly what `components` names, in that order.
pub trait Bundle: Send + Sync + 'static {
    /// Some component lies in a table.
    const TABLE: bool;
    /// Names the component types.
    fn components(out: &mut ComponentList<'_>);
    /// Hands the values over.
    fn put<S: BundleSink>(self, sink: &mut S);
    /// Shows every entity in the values.
    fn visit_entities(&mut self, visit: &mut dyn FnMut(&mut Entity));
}

impl<T: Component> Bundle for T {
    const TABLE: bool = matches!(T::STORAGE, Storage::Table);
    fn components(out: &mut ComponentList<'_>) {
        out.push::<T>();
    }
    #[inline(always)]
    fn put<S: BundleSink>(self, sink: &mut S) {
        sink.put(self);
    }
    #[inline]
    fn visit_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        Value::visit_entities(self, visit);
    }
}

macro_rules! bundles {
    ($($($t:ident $i:tt),*;)*) => {$(
        impl<$($t: Bundle),*> Bundle for ($($t,)*) {
            const TABLE: bool = false $(|| $t::TABLE)*;
            fn components(_out: &mut ComponentList<'_>) {
                $($t::components(_out);)*
            }
            #[inline(always)]
            fn put<S: BundleSink>(self, _sink: &mut S) {
                $(self.$i.put(_sink);)*
            }
            #[inline]
            fn visit_entities(&mut self, _visit: &mut dyn FnMut(&mut Entity)) {
                $(self.$i.visit_entities(_visit);)*
            }
        }
    )*};
}
bundles! {
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
