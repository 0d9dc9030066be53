//! The behaviour up to a state, kept for `Trace` of TLCExt while a search is under way.
//!
//! Invariant: one worker does the search (see [`crate::uses`]), so what it first reached a state
//! from is known to it when the state is evaluated.

use lockstep_eval::value::{Value, record};
use lockstep_eval::{Evaluator, State};
use rustc_hash::FxHashMap;

/// How the behaviour up to a state is kept, where a specification asks for it.
pub(crate) enum Tracing {
    /// It does not ask.
    Off,
    /// Every state with the one it was first reached from.
    Links {
        /// By their hashes.
        known: FxHashMap<u128, (Option<u128>, State)>,
        /// The state whose successors are generated.
        expanding: Option<u128>,
    },
    /// The states of the one behaviour that is followed.
    Path(Vec<State>),
}

impl Tracing {
    /// For a search; `deep` says whether it follows one behaviour at a time.
    pub(crate) fn new(wanted: bool, deep: bool) -> Self {
        match (wanted, deep) {
            (false, _) => Tracing::Off,
            (true, true) => Tracing::Path(Vec::new()),
            (true, false) => Tracing::Links { known: FxHashMap::default(), expanding: None },
        }
    }

    pub(crate) fn is_off(&self) -> bool {
        matches!(self, Tracing::Off)
    }

    /// The states up to `state`, which is at `level`.
    pub(crate) fn up_to(&mut self, level: u32, state: State, hash: u128) -> Vec<State> {
        match self {
            Tracing::Off => Vec::new(),
            Tracing::Path(path) => {
                let before = path.len().min(level.saturating_sub(1) as usize);
                path[..before].iter().cloned().chain([state]).collect()
            }
            Tracing::Links { known, expanding } => {
                let parent = expanding.filter(|it| *it != hash);
                let mut states = vec![state.clone()];
                let mut before = known.entry(hash).or_insert((parent, state)).0;
                while let Some((next, state)) = before.and_then(|it| known.get(&it)) {
                    states.push(state.clone());
                    before = *next;
                }
                states.reverse();
                states
            }
        }
    }

    /// The successors of `state` come next.
    pub(crate) fn expand(&mut self, level: u32, state: State, hash: u128) {
        match self {
            Tracing::Off => {}
            Tracing::Path(path) => {
                path.truncate(level.saturating_sub(1) as usize);
                path.push(state);
            }
            Tracing::Links { expanding, .. } => *expanding = Some(hash),
        }
    }
}

/// States as records of their variables.
pub(crate) fn as_sequence(evaluator: &mut Evaluator, states: &[State]) -> Value {
    let records: Vec<Value> = states.iter().map(|it| state_record(evaluator, it)).collect();
    Value::tuple_from(records)
}

/// A state as a record of its variables.
pub(crate) fn state_record(evaluator: &mut Evaluator, state: &State) -> Value {
    let program = evaluator.program().clone();
    let ctx = evaluator.ctx();
    let fields = (program.variables.iter().zip(state.values()))
        .map(|(variable, value)| (ctx.names.intern(&variable.name), value.clone()))
        .collect();
    record(ctx, fields)
}
