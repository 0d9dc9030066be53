//! The small surface: a model that is a plain Rust type.
//!
//! A [`Model`] has named actions and named invariants and no scratch; [`Plain`] makes a [`TransitionSystem`] of it. The
//! state's bytes are its identity.

use std::ops::ControlFlow;

use lockstep_runtime::Fingerprint;

use crate::codec::{Codec, fingerprint_of};
use crate::outcome::Violation;
use crate::system::{ActionId, Context, Failure, PropertyId, TransitionSystem};

/// Where a model puts its successors: the name of the action and the state it leads to.
pub type Emit<'a, S> = &'a mut dyn FnMut(&'static str, S);

/// A transition system that is a plain Rust type.
pub trait Model: Sync {
    /// The state. Equal states must encode to equal bytes.
    type State: Codec;

    /// The names of all actions and properties. Their places are their numbers in statistics.
    const NAMES: &'static [&'static str];

    /// The initial states.
    fn initial(&self) -> Vec<Self::State>;

    /// Calls `emit` for every successor, always in the same order.
    fn successors(&self, state: &Self::State, emit: Emit<'_, Self::State>);

    /// Tests the invariants of a state.
    ///
    /// # Errors
    /// The name of the one that does not hold.
    fn invariant(&self, _state: &Self::State) -> Result<(), &'static str> {
        Ok(())
    }

    /// Tests the properties of a step.
    ///
    /// # Errors
    /// The name of the one that does not hold.
    fn step(&self, _from: &Self::State, _to: &Self::State) -> Result<(), &'static str> {
        Ok(())
    }

    /// Is the state within the part that is to be explored?
    fn within(&self, _state: &Self::State) -> bool {
        true
    }
}

/// A [`Model`] as a [`TransitionSystem`].
#[derive(Debug)]
pub struct Plain<M> {
    model: M,
}

impl<M: Model> Plain<M> {
    /// Wraps a model.
    pub fn new(model: M) -> Self {
        Plain { model }
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The name of a property that a violation names.
    pub fn property(&self, id: PropertyId) -> &'static str {
        M::NAMES[id.0 as usize]
    }

    /// The name of an action that a statistic names.
    pub fn action(&self, id: ActionId) -> &'static str {
        M::NAMES[id.0 as usize]
    }

    /// The behaviour that leads to a violation: the action and the state it led to.
    pub fn trace<E>(&self, violation: &Violation<E>) -> Vec<(Option<&'static str>, M::State)> {
        let steps = violation.trace.iter();
        steps
            .map(|step| {
                (step.action.map(|id| self.action(id)), M::State::read(&mut &step.state[..]))
            })
            .collect()
    }

    fn id(name: &'static str) -> u32 {
        // Names are few and literal: comparing addresses first makes this a handful of instructions.
        let place = M::NAMES.iter().position(|known| std::ptr::eq(*known, name) || *known == name);
        place.unwrap_or_else(|| panic!("`{name}` is not among the model's NAMES")) as u32
    }
}

/// The scratch of one worker of a [`Plain`] system.
#[derive(Debug, Default)]
pub struct PlainWorker {
    bytes: Vec<u8>,
}

impl<M: Model> TransitionSystem for Plain<M> {
    type Worker = PlainWorker;
    type State = M::State;
    type Error = std::convert::Infallible;

    fn worker(&self, _index: usize) -> PlainWorker {
        PlainWorker::default()
    }

    fn initial(
        &self,
        _cx: &Context<'_>,
        worker: &mut PlainWorker,
        mut emit: impl FnMut(&mut PlainWorker, M::State) -> ControlFlow<()>,
    ) -> Result<(), Self::Error> {
        for state in self.model.initial() {
            if emit(worker, state).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn successors(
        &self,
        _cx: &Context<'_>,
        worker: &mut PlainWorker,
        state: &M::State,
        mut emit: impl FnMut(&mut PlainWorker, ActionId, M::State) -> ControlFlow<()>,
    ) -> Result<(), Self::Error> {
        let mut open = true;
        self.model.successors(state, &mut |name, next| {
            if open {
                let id = Self::id(name);
                open = emit(worker, ActionId(id), next).is_continue();
            }
        });
        Ok(())
    }

    fn fingerprint(
        &self,
        worker: &mut PlainWorker,
        state: &M::State,
    ) -> Result<Fingerprint, Self::Error> {
        worker.bytes.clear();
        state.write(&mut worker.bytes);
        Ok(fingerprint_of(&worker.bytes))
    }

    fn encode(&self, _worker: &mut PlainWorker, state: &M::State, out: &mut Vec<u8>) {
        state.write(out);
    }

    fn decode(&self, _worker: &mut PlainWorker, mut bytes: &[u8]) -> M::State {
        M::State::read(&mut bytes)
    }

    fn check_state(
        &self,
        _cx: &Context<'_>,
        _worker: &mut PlainWorker,
        state: &M::State,
    ) -> Result<(), Failure<Self::Error>> {
        self.model.invariant(state).map_err(|name| Failure::Violated(PropertyId(Self::id(name))))
    }

    fn check_step(
        &self,
        _cx: &Context<'_>,
        _worker: &mut PlainWorker,
        from: &M::State,
        _action: ActionId,
        to: &M::State,
    ) -> Result<(), Failure<Self::Error>> {
        self.model.step(from, to).map_err(|name| Failure::Violated(PropertyId(Self::id(name))))
    }

    fn excluded(
        &self,
        _cx: &Context<'_>,
        _worker: &mut PlainWorker,
        state: &M::State,
    ) -> Result<Option<crate::ConstraintId>, Self::Error> {
        Ok((!self.model.within(state)).then_some(crate::ConstraintId(0)))
    }
}
