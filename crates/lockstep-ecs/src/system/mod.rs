//! Systems: ordinary functions whose access follows from the types of their parameters.
//!
//! Invariant: a system touches what its `Access` says. There is no way to touch more: parameters are made by the crate.

pub(crate) mod cells;
mod function;
mod param;

pub use function::{IntoSystem, SystemFn};
pub use param::{
    EventReader, EventWriter, Local, NonSend, Removed, Res, ResMut, SystemMeta, SystemParam,
};

use crate::commands::Resolver;
use crate::query::Access;
use crate::query::Run;
use crate::schedule::par::Par;
use crate::world::World;
use std::ptr::NonNull;

/// What a run of a system is given.
#[derive(Clone, Copy, Debug)]
pub struct RunContext<'w> {
    pub(crate) world: NonNull<World>,
    pub(crate) run: Run,
    pub(crate) par: Par<'w>,
}

/// A system made ready for one world.
#[expect(missing_docs, reason = "the methods are for the crate")]
pub trait System: Send {
    type Out;
    fn name(&self) -> &str;
    /// Makes the system ready: registers types, opens cells, collects access.
    fn init(&mut self, world: &mut World, index: u32, key: &str) -> Result<Access, String>;
    /// # Safety
    /// The context's world is the one of `init`, and no one touches what the access names with a conflict while this runs.
    unsafe fn run(&mut self, context: &RunContext<'_>) -> Self::Out;
    fn last_run(&mut self) -> &mut u64;
    #[doc(hidden)]
    fn spawned(&self) -> usize;
    #[doc(hidden)]
    fn overflowed(&self) -> bool;
    #[doc(hidden)]
    fn commit(&mut self, world: &mut World, phase: CommitPhase<'_>);
}

/// A step of a commit, taken by all systems of a wave before the next step begins.
#[doc(hidden)]
#[derive(Debug)]
pub enum CommitPhase<'a> {
    /// Mint ids.
    #[doc(hidden)]
    Mint(&'a mut ResolverBox),
    /// Apply what was recorded.
    #[doc(hidden)]
    Apply(&'a ResolverBox),
    /// Forget what was recorded.
    Discard,
}

/// Keeps the resolver's type out of the public interface.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct ResolverBox(pub(crate) Resolver);
