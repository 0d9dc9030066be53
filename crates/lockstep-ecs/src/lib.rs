//! A deterministic Entity Component System: a parallel schedule that equals the serial one, byte for byte.
//!
//! ```
//! use lockstep_ecs::*;
//!
//! #[derive(Component, Plain, Clone, Copy, Debug)]
//! struct Position([f32; 2]);
//! #[derive(Component, Plain, Clone, Copy, Debug)]
//! struct Velocity([f32; 2]);
//!
//! fn movement(mut q: Query<(&Velocity, &mut Position)>) {
//!     q.par_for_each(|(v, p)| {
//!         p.0[0] += v.0[0];
//!         p.0[1] += v.0[1];
//!     });
//! }
//!
//! let mut world = World::new();
//! let e = world.spawn((Position([0.0, 0.0]), Velocity([1.0, 2.0])));
//! let mut schedule = Schedule::default();
//! schedule.add(movement);
//! schedule.run(&mut world).unwrap();
//! assert_eq!(world.get::<Position>(e).unwrap().0, [1.0, 2.0]);
//! ```
//!
//! What to read next: the [`guide`], then [`World`], [`Query`], [`Schedule`], [`Commands`]; how it is built is in `ARCHITECTURE.md`
//! beside the manifest.

extern crate self as lockstep_ecs;

mod commands;
mod component;
mod entity;
mod erased;
mod event;
#[cfg(feature = "explore")]
pub mod explore;
mod inspect;
mod observer;
mod plain;
mod prefab;
pub mod query;
mod relation;
mod resource;
pub mod schedule;
mod storage;
pub mod system;
pub mod time;
mod value;
mod wire;
mod world;

pub use commands::Commands;
pub use component::{Bundle, BundleSink, Component, ComponentId, ComponentList, Storage};
pub use entity::{Entity, EntityLimit, MAX_ENTITIES, MAX_GENERATION};
pub use event::Event;
pub use inspect::{ArchetypeNote, Inspection};
pub use lockstep_ecs_macros::{Bundle, Component, Event, Plain, Relation, Resource};
pub use observer::{Handler, Trigger};
pub use plain::{DecodeError, Lane, MapEntities, Plain, Pod, Reader, lanes, lanes_mut};
pub use query::{
    Added, Changed, DEFAULT_CHUNK, Has, Mut, Or, PairsOf, Query, QueryData, QueryFilter,
    QueryState, ReadOnlyData, With, Without,
};
pub use relation::{HierarchyCycle, Linked, Relation, Subjects, Targets};
pub use resource::Resource;
pub use schedule::{Executor, FrameError, FrameErrorKind, FrameReport, Schedule};
pub use system::{EventReader, EventWriter, Local, NonSend, Removed, Res, ResMut};
pub use value::{Value, ValueInfo};
pub use wire::{CommandStream, StreamError};
pub use world::{Diagnostic, Prefab, World};

/// For the derives.
#[doc(hidden)]
pub mod __private {
    pub use crate::value::{
        Probe, ViaClone, ViaCodec, ViaDebug, ViaNoClone, ViaNoCodec, ViaNoDebug, codec_of,
        describe, key, pod_struct, schema,
    };
}

#[doc = include_str!("../GUIDE.md")]
pub mod guide {}
