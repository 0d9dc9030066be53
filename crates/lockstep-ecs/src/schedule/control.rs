//! States, conditions and fixed steps.
//!
//! Invariant: a state changes at one place only, the system `apply_state`; everything here is ordinary resources, so snapshots hold it.

use crate::plain::{DecodeError, Plain, Reader};
use crate::resource::Resource;
use crate::system::{Local, Res, ResMut};
use crate::value::{Value, ValueInfo, codec_of, describe};

/// A value that can be a state.
pub trait StateValue: Plain + Clone + PartialEq + Send + Sync {}
impl<S: Plain + Clone + PartialEq + Send + Sync> StateValue for S {}

/// The state a machine is in, and the one it came from in this frame.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S> {
    now: S,
    /// The state left by the last change, and whether that change was in this frame.
    before: Option<S>,
    fresh: bool,
}

/// The state a machine will be in from the next frame on.
#[derive(Clone, Debug, PartialEq)]
pub struct NextState<S>(pub Option<S>);

impl<S: StateValue> State<S> {
    /// A machine that starts in `initial`.
    pub fn new(initial: S) -> Self {
        State { now: initial, before: None, fresh: true }
    }
    /// The state.
    pub fn get(&self) -> &S {
        &self.now
    }
}

impl<S: StateValue> Plain for State<S> {
    const SCHEMA: u64 = crate::plain::fnv(S::SCHEMA, b"state");
    const HAS_ENTITIES: bool = S::HAS_ENTITIES;
    fn encode(&self, out: &mut Vec<u8>) {
        self.now.encode(out);
        self.before.encode(out);
        self.fresh.encode(out);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(State {
            now: S::decode(input)?,
            before: Plain::decode(input)?,
            fresh: bool::decode(input)?,
        })
    }
}
impl<S: StateValue> Plain for NextState<S> {
    const SCHEMA: u64 = crate::plain::fnv(S::SCHEMA, b"next");
    const HAS_ENTITIES: bool = S::HAS_ENTITIES;
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Plain::decode(input).map(NextState)
    }
}
impl<S: StateValue> Value for State<S> {
    fn type_name() -> &'static str {
        std::any::type_name::<Self>()
    }
    fn describe() -> ValueInfo {
        describe::<Self>(Self::type_name(), Some(codec_of()), None, None, false)
    }
}
impl<S: StateValue> Value for NextState<S> {
    fn type_name() -> &'static str {
        std::any::type_name::<Self>()
    }
    fn describe() -> ValueInfo {
        describe::<Self>(Self::type_name(), Some(codec_of()), None, None, false)
    }
}
impl<S: StateValue> Resource for State<S> {}
impl<S: StateValue> Resource for NextState<S> {}

impl super::Schedule {
    /// Gives the schedule a state machine: the resources are made, and `apply_state` takes over what `NextState` asks for. Add it
    /// before the systems that depend on the state: it is an ordinary system, ordered by its conflicts.
    pub fn add_state<S: StateValue>(&mut self, world: &mut crate::World, initial: S) {
        if world.resource::<State<S>>().is_none() {
            world.insert_resource(State::new(initial));
            world.insert_resource(NextState::<S>(None));
        }
        self.add(apply_state::<S>);
    }
}

fn apply_state<S: StateValue>(
    mut state: ResMut<'_, State<S>>,
    mut next: ResMut<'_, NextState<S>>,
    mut ran: Local<'_, bool>,
) {
    if let Some(to) = next.0.take()
        && to != state.now
    {
        let from = std::mem::replace(&mut state.now, to);
        state.before = Some(from);
        state.fresh = true;
    } else if *ran && state.fresh {
        state.fresh = false;
    }
    *ran = true;
}

/// Condition: the machine is in `wanted`.
pub fn in_state<S: StateValue>(
    wanted: S,
) -> impl FnMut(Res<'_, State<S>>) -> bool + Send + 'static {
    move |state: Res<'_, State<S>>| state.now == wanted
}
/// Condition: the machine came into `wanted` in this frame.
pub fn entered<S: StateValue>(wanted: S) -> impl FnMut(Res<'_, State<S>>) -> bool + Send + 'static {
    move |state: Res<'_, State<S>>| state.fresh && state.now == wanted
}
/// Condition: the machine left `wanted` in this frame.
pub fn left<S: StateValue>(wanted: S) -> impl FnMut(Res<'_, State<S>>) -> bool + Send + 'static {
    move |state: Res<'_, State<S>>| state.fresh && state.before.as_ref() == Some(&wanted)
}
/// Condition: holds the first time it is asked. What it remembers is part of the world.
pub fn run_once(mut done: Local<'_, bool>) -> bool {
    !std::mem::replace(&mut *done, true)
}

/// Cuts elapsed time into steps of one length, in whole nanoseconds: no rounding, so the number of steps is the same everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedStep {
    /// Length of a step in nanoseconds.
    pub step: u64,
    rest: u64,
    /// The most steps of one call, so that a stall does not become an avalanche.
    pub most: u32,
}

impl FixedStep {
    /// Steps of `step` nanoseconds (at least 1).
    #[must_use]
    pub fn new(step: u64) -> Self {
        FixedStep { step: step.max(1), rest: 0, most: 8 }
    }
    /// Takes elapsed time; returns how many steps are due. Time beyond `most` steps is dropped.
    pub fn advance(&mut self, elapsed: u64) -> u32 {
        self.rest = self.rest.saturating_add(elapsed);
        let due = self.rest / self.step;
        self.rest %= self.step;
        due.min(u64::from(self.most)) as u32
    }
    /// Runs the schedule once for every step that is due.
    ///
    /// # Errors
    /// The first frame's that failed.
    pub fn run(
        &mut self,
        elapsed: u64,
        schedule: &mut super::Schedule,
        world: &mut crate::World,
    ) -> Result<u32, super::FrameError> {
        let n = self.advance(elapsed);
        for _ in 0..n {
            schedule.run(world)?;
        }
        Ok(n)
    }
}
