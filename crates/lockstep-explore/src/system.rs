//! The transition system: what the explorer asks of whatever it explores.
//!
//! A state lives in two forms. The *rich* form, [`TransitionSystem::State`], belongs to one worker and may hold anything
//! (shared values without atomic counts, caches). The *encoded* form, bytes, is what waits in the frontier and crosses
//! threads. States that turn out to be known are never encoded.
//!
//! Invariant the system must keep: everything it answers is a function of the state (and, for the operators that ask, of
//! [`Context::counters`], which are those of the last fence in levels that several workers share). Then the number of
//! workers cannot show in any result.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use lockstep_runtime::Fingerprint;

use crate::outcome::Counters;

/// The action that led to a state: a number below the number of the system's actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub u32);

/// A property of states or steps, numbered by the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyId(pub u32);

/// A constraint that cuts the model, numbered by the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstraintId(pub u32);

/// Why a check did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure<E> {
    /// The property is false here.
    Violated(PropertyId),
    /// The property could not be evaluated.
    Error(E),
}

impl<E> From<E> for Failure<E> {
    fn from(error: E) -> Self {
        Failure::Error(error)
    }
}

/// Where the search stands when the system is asked.
#[derive(Debug)]
pub struct Context<'a> {
    /// The level of the state at hand, initial states being on level 1. For a step: the level of its first state.
    pub level: u32,
    /// The counts of the search: of the last fence where several workers share a level, of this moment elsewhere.
    pub counters: Counters,
    pub(crate) stop: &'a AtomicBool,
}

impl<'a> Context<'a> {
    /// A context outside a search, for looking at a behaviour again; `stop` takes the wish to end.
    pub fn outside(level: u32, stop: &'a AtomicBool) -> Self {
        Context { level, counters: Counters::default(), stop }
    }
}

impl Context<'_> {
    /// Asks for the end of the search, as `TLCSet("exit", TRUE)` does. A level that several workers share is finished.
    pub fn request_stop(&self) {
        // ORDERING: a mere wish; it is read at fences and between states.
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// The initial states that fall to one worker when several generate them together: all from a place in their order on, dealt
/// out by turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub(crate) from: u64,
    pub(crate) part: u64,
    pub(crate) parts: u64,
}

/// Initial states that go to one worker before it is the next one's turn.
const TURN: u64 = 64;

impl Share {
    /// Has this share the initial state that [`TransitionSystem::initial`] emits at `place`, counted from 0?
    #[must_use]
    pub fn has(&self, place: u64) -> bool {
        place >= self.from && (place - self.from) / TURN % self.parts == self.part
    }
}

/// What can be explored. See the module for the two forms of a state.
pub trait TransitionSystem: Sync {
    /// What one worker keeps for itself: scratch, caches, interners. Made on the worker's own thread, never moved.
    type Worker;
    /// A state in the form in which it is evaluated. Never crosses threads.
    type State;
    /// What stops an evaluation. Where it happened is the system's to put in.
    type Error: Send;

    /// Makes the scratch of worker `index`, on its thread.
    fn worker(&self, index: usize) -> Self::Worker;

    /// Emits the initial states, duplicates included. Stops when `emit` says so.
    ///
    /// # Errors
    /// What could not be evaluated.
    fn initial(
        &self,
        cx: &Context<'_>,
        worker: &mut Self::Worker,
        emit: impl FnMut(&mut Self::Worker, Self::State) -> ControlFlow<()>,
    ) -> Result<(), Self::Error>;

    /// May several workers generate the initial states, each for itself, and each keep a share? Then all must generate the
    /// same ones in the same order. Asked only when there are very many.
    fn shares_initial(&self) -> bool {
        true
    }

    /// Emits the initial states that `share` has, in order. On worker 0 it is called after [`TransitionSystem::initial`] was
    /// broken off.
    ///
    /// # Errors
    /// What could not be evaluated, on every worker the same.
    fn initial_share(
        &self,
        cx: &Context<'_>,
        worker: &mut Self::Worker,
        share: Share,
        mut emit: impl FnMut(&mut Self::Worker, Self::State) -> ControlFlow<()>,
    ) -> Result<(), Self::Error> {
        let mut place = 0;
        self.initial(cx, worker, |worker, state| {
            place += 1;
            if share.has(place - 1) { emit(worker, state) } else { ControlFlow::Continue(()) }
        })
    }

    /// Emits the successors of `state`, in an order that depends on the state alone, duplicates included. Stops when
    /// `emit` says so. A state without successors is a deadlock.
    ///
    /// # Errors
    /// What could not be evaluated; successors emitted before count.
    fn successors(
        &self,
        cx: &Context<'_>,
        worker: &mut Self::Worker,
        state: &Self::State,
        emit: impl FnMut(&mut Self::Worker, ActionId, Self::State) -> ControlFlow<()>,
    ) -> Result<(), Self::Error>;

    /// How many states were made on the way to the successors emitted since the last call, without being successors
    /// themselves: the one in the middle of a composed step. They count as generated.
    fn take_passing_states(&self, _worker: &mut Self::Worker) -> u64 {
        0
    }

    /// The fingerprint of the state's canonical form (after view and symmetry). Its bits must be well mixed, the
    /// highest above all: states are told apart by the upper 70 bits or so, and by nothing else.
    ///
    /// # Errors
    /// A view that cannot be evaluated.
    fn fingerprint(
        &self,
        worker: &mut Self::Worker,
        state: &Self::State,
    ) -> Result<Fingerprint, Self::Error>;

    /// Appends the encoded form to `out`. Called once for every new state.
    fn encode(&self, worker: &mut Self::Worker, state: &Self::State, out: &mut Vec<u8>);

    /// The state that was encoded as `bytes`, perhaps by another worker.
    fn decode(&self, worker: &mut Self::Worker, bytes: &[u8]) -> Self::State;

    /// Appends the bytes that a checkpoint keeps for the state that was encoded as `bytes`: whatever is a number of this
    /// process must be spelled out in them.
    fn export(&self, _worker: &mut Self::Worker, bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(bytes);
    }

    /// Appends the encoded form of a state that a checkpoint keeps as `bytes`.
    fn import(&self, _worker: &mut Self::Worker, bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(bytes);
    }

    /// Tests the invariants: once for every new state, and every time a state outside the model is generated.
    ///
    /// # Errors
    /// The first invariant that does not hold or cannot be evaluated.
    fn check_state(
        &self,
        _cx: &Context<'_>,
        _worker: &mut Self::Worker,
        _state: &Self::State,
    ) -> Result<(), Failure<Self::Error>> {
        Ok(())
    }

    /// Tests the properties of steps: for every step, to known states and to states outside the model, too.
    ///
    /// # Errors
    /// The first property that does not hold or cannot be evaluated.
    fn check_step(
        &self,
        _cx: &Context<'_>,
        _worker: &mut Self::Worker,
        _from: &Self::State,
        _action: ActionId,
        _to: &Self::State,
    ) -> Result<(), Failure<Self::Error>> {
        Ok(())
    }

    /// The first constraint that keeps `state` out of the model, if one does. Such a state is generated and checked, but
    /// neither counted as distinct nor expanded.
    ///
    /// # Errors
    /// A constraint that cannot be evaluated.
    fn excluded(
        &self,
        _cx: &Context<'_>,
        _worker: &mut Self::Worker,
        _state: &Self::State,
    ) -> Result<Option<ConstraintId>, Self::Error> {
        Ok(None)
    }

    /// The first constraint on steps that keeps this one out of the model, if one does.
    ///
    /// # Errors
    /// A constraint that cannot be evaluated.
    fn step_excluded(
        &self,
        _cx: &Context<'_>,
        _worker: &mut Self::Worker,
        _from: &Self::State,
        _action: ActionId,
        _to: &Self::State,
    ) -> Result<Option<ConstraintId>, Self::Error> {
        Ok(None)
    }

    /// Called on every worker's thread when a level has ended and no rich state is alive: the moment to collect garbage.
    fn level_ended(&self, _worker: &mut Self::Worker) {}
}
