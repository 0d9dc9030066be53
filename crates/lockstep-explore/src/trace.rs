//! Traces: from a chain of fingerprints back to states.
//!
//! The search keeps no states, only who came from whom. A trace is rebuilt by walking forward along the chain and taking,
//! at each state, the first successor in the model with the next fingerprint (the first at all if there is none): so the
//! actions of a trace are the first ones, in the system's own order, that make its steps.

use std::ops::ControlFlow;

use lockstep_runtime::Fingerprint;

use crate::outcome::TraceStep;
use crate::system::{Context, TransitionSystem};

/// The behaviour whose states have the fingerprints in `chain`, as far as there is one; the first is an initial state. Of
/// fingerprints only the upper `width` bits count.
///
/// Errors of the evaluation are passed over: the chain was walked once before, and what is looked for was emitted then.
pub(crate) fn replay<S: TransitionSystem>(
    system: &S,
    scratch: &mut S::Worker,
    cx: &mut Context<'_>,
    chain: &[Fingerprint],
    width: u32,
) -> Vec<TraceStep> {
    let mut steps: Vec<TraceStep> = Vec::with_capacity(chain.len());
    let mut current: Option<S::State> = None;
    for (depth, wanted) in chain.iter().enumerate() {
        let same = |it: Fingerprint| it.0 >> (128 - width) == wanted.0 >> (128 - width);
        let own = Context { level: depth as u32 + 1, counters: cx.counters, stop: cx.stop };
        cx.level = depth.max(1) as u32;
        let mut found = None;
        let _ = match &current {
            None => system.initial(cx, scratch, |scratch, state| {
                if !system.fingerprint(scratch, &state).is_ok_and(same) {
                    return ControlFlow::Continue(());
                }
                found = Some((None, state));
                ControlFlow::Break(())
            }),
            Some(from) => {
                let cx = &*cx;
                system.successors(cx, scratch, from, |scratch, action, state| {
                    if !system.fingerprint(scratch, &state).is_ok_and(same) {
                        return ControlFlow::Continue(());
                    }
                    let within =
                        system.excluded(&own, scratch, &state).is_ok_and(|it| it.is_none())
                            && system
                                .step_excluded(cx, scratch, from, action, &state)
                                .is_ok_and(|it| it.is_none());
                    if within || found.is_none() {
                        found = Some((Some(action), state));
                    }
                    if within { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })
            }
        };
        let Some((action, state)) = found else { break };
        let mut bytes = Vec::new();
        system.encode(scratch, &state, &mut bytes);
        // As in the search, what is expanded was decoded: a system may emit successors in a form
        // that is good for encoding only.
        current = Some(system.decode(scratch, &bytes));
        steps.push(TraceStep { action, fingerprint: *wanted, state: bytes });
    }
    steps
}

/// Rebuilds a behaviour from the fingerprints of its states, the first of them an initial state.
///
/// Shorter than `chain` where the system has no such step.
pub fn rebuild<S: TransitionSystem>(system: &S, chain: &[Fingerprint]) -> Vec<TraceStep> {
    let stop = std::sync::atomic::AtomicBool::new(false);
    let mut worker = system.worker(0);
    let mut cx = Context { level: 0, counters: crate::outcome::Counters::default(), stop: &stop };
    // A search keeps 64 bits unless asked for more, and a recorder sees what the search keeps.
    replay(system, &mut worker, &mut cx, chain, 64)
}
