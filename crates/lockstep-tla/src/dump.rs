//! The whole state graph, recorded beside a search for those who want to see it.
//!
//! Not for liveness, which has a graph of its own that is far smaller: this one keeps every state.
//! Invariant: states are sorted by level, then fingerprint, edges by their ends, then action, so
//! that the number of workers does not show.

use lockstep_eval::{Evaluator, State};
use lockstep_explore::{ActionId, Context, Fingerprint, Recorder};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::fault::{Fault, Phase};
use crate::model::{Model, ModelState, ModelWorker};

/// A reachable state.
#[derive(Clone)]
pub struct GraphState {
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// Its level; initial states have level 1.
    pub level: u32,
    /// The state.
    pub state: State,
}

/// A step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GraphEdge {
    /// The number of its first state in [`Graph::states`].
    pub from: u32,
    /// The number of its second state.
    pub to: u32,
    /// The action, by number.
    pub action: u32,
}

/// All states found and all steps taken within the model.
#[derive(Clone, Default)]
pub struct Graph {
    /// The states.
    pub states: Vec<GraphState>,
    /// The steps.
    pub edges: Vec<GraphEdge>,
}

/// Records everything.
pub(crate) struct DumpRecorder;

/// What one worker hears.
#[derive(Default)]
pub(crate) struct DumpLog {
    states: Vec<(Fingerprint, u32, Vec<u8>)>,
    edges: Vec<(Fingerprint, u32, Fingerprint)>,
    seen: FxHashSet<Fingerprint>,
}

impl DumpLog {
    fn keep(
        &mut self,
        worker: &mut ModelWorker,
        state: &ModelState,
        fingerprint: Fingerprint,
        level: u32,
    ) -> Result<(), Fault> {
        if !self.seen.insert(fingerprint) {
            return Ok(());
        }
        let plain = worker.plain(state);
        let mut bytes = Vec::new();
        let encoded = worker.evaluator.encode_state(&plain, &mut bytes);
        encoded.map_err(|error| Fault::new(error, Phase::Fingerprint))?;
        self.states.push((fingerprint, level, bytes));
        Ok(())
    }
}

impl Recorder<Model> for DumpRecorder {
    type Log = DumpLog;

    fn log(&self, _worker: usize) -> DumpLog {
        DumpLog::default()
    }

    fn initial(
        &self,
        log: &mut DumpLog,
        _cx: &Context<'_>,
        worker: &mut ModelWorker,
        state: &ModelState,
        fingerprint: Fingerprint,
    ) -> Result<(), Fault> {
        log.keep(worker, state, fingerprint, 1)
    }

    fn edge(
        &self,
        log: &mut DumpLog,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        from: (&ModelState, Fingerprint),
        action: ActionId,
        to: (&ModelState, Fingerprint),
    ) -> Result<(), Fault> {
        log.edges.push((from.1, action.0, to.1));
        log.keep(worker, to.0, to.1, cx.level + 1)
    }
}

/// Puts the logs of all workers together.
pub(crate) fn graph(logs: Vec<DumpLog>, evaluator: &mut Evaluator) -> Graph {
    let mut found: FxHashMap<Fingerprint, (u32, Vec<u8>)> = FxHashMap::default();
    let mut edges = Vec::new();
    for log in logs {
        for (fingerprint, level, bytes) in log.states {
            let entry = found.entry(fingerprint).or_insert((level, bytes));
            entry.0 = entry.0.min(level);
        }
        edges.extend(log.edges);
    }
    let mut order: Vec<(u32, Fingerprint)> =
        found.iter().map(|(fingerprint, it)| (it.0, *fingerprint)).collect();
    order.sort_unstable();
    let number: FxHashMap<Fingerprint, u32> =
        order.iter().enumerate().map(|(idx, it)| (it.1, idx as u32)).collect();
    let states = order
        .iter()
        .map(|(level, fingerprint)| GraphState {
            fingerprint: *fingerprint,
            level: *level,
            state: evaluator.decode_state(&found[fingerprint].1).unwrap_or_else(|_| State::new([])),
        })
        .collect();
    let mut edges: Vec<GraphEdge> = edges
        .into_iter()
        .map(|(from, action, to)| GraphEdge { from: number[&from], to: number[&to], action })
        .collect();
    edges.sort_unstable();
    edges.dedup();
    Graph { states, edges }
}

/// Two recorders that hear the same search.
pub(crate) struct Both<'a, A, B>(pub(crate) &'a A, pub(crate) &'a B);

impl<A: Recorder<Model>, B: Recorder<Model>> Recorder<Model> for Both<'_, A, B> {
    type Log = (A::Log, B::Log);

    fn log(&self, worker: usize) -> Self::Log {
        (self.0.log(worker), self.1.log(worker))
    }

    fn initial(
        &self,
        log: &mut Self::Log,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        state: &ModelState,
        fingerprint: Fingerprint,
    ) -> Result<(), Fault> {
        self.0.initial(&mut log.0, cx, worker, state, fingerprint)?;
        self.1.initial(&mut log.1, cx, worker, state, fingerprint)
    }

    fn state(
        &self,
        log: &mut Self::Log,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        state: &ModelState,
        fingerprint: Fingerprint,
    ) -> Result<(), Fault> {
        self.0.state(&mut log.0, cx, worker, state, fingerprint)?;
        self.1.state(&mut log.1, cx, worker, state, fingerprint)
    }

    fn edge(
        &self,
        log: &mut Self::Log,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        from: (&ModelState, Fingerprint),
        action: ActionId,
        to: (&ModelState, Fingerprint),
    ) -> Result<(), Fault> {
        self.0.edge(&mut log.0, cx, worker, from, action, to)?;
        self.1.edge(&mut log.1, cx, worker, from, action, to)
    }
}
