//! Random walks through a specification: what to walk, and temporal properties of one walk.
//!
//! A walk is a finite behaviour; of a temporal property it shows what the graph of its own states
//! and steps can show: a lasso where it came back to a state, stuttering anywhere. That is how TLC
//! checks properties in simulation.

use std::sync::atomic::AtomicBool;

use lockstep_explore::liveness::{RecordedGraph, WorkerPool};
use lockstep_explore::{ActionId, Context, Recorder, TraceStep, TransitionSystem};

use crate::fault::Fault;
use crate::liveness::GraphRecorder;
use crate::model::{Model, ModelWorker};

/// What to walk.
#[derive(Clone, Debug)]
pub struct Walks {
    /// How many; `None` goes on until something is found or somebody ends it.
    pub number: Option<u64>,
    /// Steps of a walk at most.
    pub depth: u32,
    /// Decides every choice.
    pub seed: u64,
    /// Hand every walk to the caller.
    pub show: bool,
    /// The specification is told that one action and binding a step is drawn. The behaviours are
    /// the same.
    pub generate: bool,
}

impl Default for Walks {
    fn default() -> Self {
        Self { number: None, depth: 100, seed: 0, show: false, generate: false }
    }
}

/// The behaviour graph of one walk.
pub(crate) fn graph_of(
    model: &Model,
    worker: &mut ModelWorker,
    recorder: &GraphRecorder<'_>,
    trace: &[TraceStep],
) -> Result<RecordedGraph, Fault> {
    let stop = AtomicBool::new(false);
    let mut log = recorder.log(0);
    let mut present = None;
    for (idx, step) in trace.iter().enumerate() {
        let level = idx as u32 + 1;
        let cx = Context::outside(level, &stop);
        let state = match present.take() {
            Some(state) => state,
            None => {
                let state = model.decode(worker, &step.state);
                recorder.initial(&mut log, &cx, worker, &state, step.fingerprint)?;
                state
            }
        };
        recorder.state(&mut log, &cx, worker, &state, step.fingerprint)?;
        if let Some(next) = trace.get(idx + 1) {
            let to = model.decode(worker, &next.state);
            let action = next.action.unwrap_or(ActionId(0));
            let from = (&state, step.fingerprint);
            recorder.edge(&mut log, &cx, worker, from, action, (&to, next.fingerprint))?;
            present = Some(to);
        }
    }
    // A walk has few states; two that agree in 56 bits would be one state to the search, too.
    Ok(RecordedGraph::new(&[log.steps], &WorkerPool::new(1)).unwrap_or_default())
}
