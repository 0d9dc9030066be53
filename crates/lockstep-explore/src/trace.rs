//! Traces: from a chain of fingerprints back to states.
//!
//! The search keeps no states, only who came from whom. A trace is rebuilt by walking forward along the chain and taking,
//! at each state, the first successor with the next fingerprint: so the actions of a trace are the first ones, in the
//! system's own order, that make its steps.

use std::ops::ControlFlow;

use lockstep_runtime::Fingerprint;

use crate::outcome::TraceStep;
use crate::system::{Context, TransitionSystem};

/// The behaviour whose states have the fingerprints in `chain`, as far as there is one; the first is an initial state.
///
/// Errors of the evaluation are passed over: the chain was walked once before, and what is looked for was emitted then.
pub(crate) fn replay<S: TransitionSystem>(
    system: &S,
    worker: &mut S::Worker,
    cx: &mut Context<'_>,
    chain: &[Fingerprint],
) -> Vec<TraceStep> {
    let mut steps: Vec<TraceStep> = Vec::with_capacity(chain.len());
    let mut current: Option<S::State> = None;
    for (depth, wanted) in chain.iter().enumerate() {
        let mut found = None;
        let mut look = |worker: &mut S::Worker, action, state| {
            if system.fingerprint(worker, &state).is_ok_and(|it| it == *wanted) {
                found = Some((action, state));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let _ = match &current {
            None => {
                cx.level = 1;
                system.initial(cx, worker, |worker, state| look(worker, None, state))
            }
            Some(from) => {
                cx.level = depth as u32;
                system.successors(cx, worker, from, |worker, action, state| {
                    look(worker, Some(action), state)
                })
            }
        };
        let Some((action, state)) = found else { break };
        let mut bytes = Vec::new();
        system.encode(worker, &state, &mut bytes);
        steps.push(TraceStep { action, fingerprint: *wanted, state: bytes });
        current = Some(state);
    }
    steps
}
