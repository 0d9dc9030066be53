//! The checker: a program and settings in, an [`Outcome`] out.
//!
//! The order is TLC's: assumptions, the search with invariants and action properties, temporal
//! properties, `_POSSIBLE`, postconditions. It never fails otherwise than with a violation.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lockstep_eval::error::code;
use lockstep_eval::ir::Program;
use lockstep_eval::value::{Value, record, sets};
use lockstep_eval::{Evaluator, State};
use lockstep_explore as search;
use lockstep_explore::TransitionSystem as _;
use lockstep_explore::liveness::{
    Formula, LivenessError, RecordedGraph, StepLog, WorkerPool, conjunction, find_lassos,
    find_prefix,
};
use lockstep_explore::{
    Checkpoints, Command, Fingerprint, Limit, NoCheckpoints, NoRecorder, Options, Progress,
    Recorder, Statistics, TraceStep, Verdict, WalkCounters, WalkEvent, WalkOptions, explore_kept,
    rebuild,
};

use crate::describe::{self, Config};
use crate::dump::{self, Both, DumpRecorder, Graph};
use crate::fault::{Fault, Phase};
use crate::liveness::{Atom, GraphRecorder, TemporalModel};
use crate::model::{HostFactory, Model, Registers};
use crate::outcome::{Ended, Loop, Outcome, Trace, TraceState, Violation, ViolationKind};
use crate::symmetry::asymmetry;
use crate::tracing::state_record;
use crate::uses::Uses;
use crate::walks::{Walks, graph_of};

/// How to check.
#[derive(Clone)]
pub struct Settings {
    /// Worker threads; 0 means one for each processor.
    pub workers: usize,
    /// Whether a state without successor is an error; `None` leaves it to the configuration.
    pub check_deadlock: Option<bool>,
    /// Go on after a violation.
    pub continue_after_violation: bool,
    /// Do not check temporal properties.
    pub ignore_liveness: bool,
    /// Search depth first, deepening to so many levels; `None` searches breadth first. Temporal
    /// properties are not checked then.
    pub depth_first: Option<u32>,
    /// End at so many distinct states.
    pub max_states: Option<u64>,
    /// End at this depth.
    pub max_depth: Option<u32>,
    /// End when table and frontier take so many bytes.
    pub max_memory: Option<u64>,
    /// Count new states for each action.
    pub coverage: bool,
    /// Keep all states and steps for [`Outcome::graph`].
    pub graph: bool,
    /// The most elements of a set that is enumerated.
    pub max_set_size: usize,
    /// Stop at the first violation in the middle of a level: faster, and not deterministic.
    pub stop_at_once: bool,
    /// Set from elsewhere to end the search.
    pub stop: Option<Arc<AtomicBool>>,
    /// Files, processes and the environment for evaluations.
    pub host: Option<HostFactory>,
    /// Use the plain evaluator only, the oracle of the faster tiers.
    pub plain: bool,
    /// Bytes of stack for each worker thread.
    pub stack_size: usize,
    /// Show what VIEW gives in place of states in behaviours, where it gives a record.
    pub show_view: bool,
    /// The seed that the specification is told.
    pub seed: i64,
    /// Names and values that `TLCGet("-Dname")` answers.
    pub properties: Vec<(String, String)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workers: 1,
            check_deadlock: None,
            continue_after_violation: false,
            ignore_liveness: false,
            depth_first: None,
            max_states: None,
            max_depth: None,
            max_memory: None,
            coverage: false,
            graph: false,
            max_set_size: 1_000_000,
            stop_at_once: false,
            stop: None,
            host: None,
            plain: false,
            stack_size: 1 << 30,
            show_view: false,
            seed: 0,
            properties: Vec::new(),
        }
    }
}

/// Checks `program`. `observe` is called on the calling thread at fences and now and then, with
/// the lines printed since the last call; it can end the search.
pub fn check(
    program: &Arc<Program>,
    settings: &Settings,
    observe: &mut dyn FnMut(&Progress, &[String]) -> Command,
) -> Outcome {
    run(program, settings, None, &mut NoCheckpoints, observe)
}

/// As [`check`], with checkpoints at fences and, if there is one to go on from, from there. One that
/// cannot be used is an [`Ended::Unusable`].
pub fn check_kept(
    program: &Arc<Program>,
    settings: &Settings,
    checkpoints: &mut dyn Checkpoints,
    observe: &mut dyn FnMut(&Progress, &[String]) -> Command,
) -> Outcome {
    run(program, settings, None, checkpoints, observe)
}

/// Walks at random instead of searching. `walked` gets every walk in order, with its number, if
/// [`Walks::show`] is set.
pub fn simulate(
    program: &Arc<Program>,
    settings: &Settings,
    walks: &Walks,
    walked: &mut Walked<'_>,
    observe: &mut dyn FnMut(&Progress, &[String]) -> Command,
) -> Outcome {
    run(program, settings, Some((walks, walked)), &mut NoCheckpoints, observe)
}

/// Gets a walk with its number and an evaluator that shows its states.
pub type Walked<'a> = dyn FnMut(u64, &Trace, &mut Evaluator) + 'a;

fn run(
    program: &Arc<Program>,
    settings: &Settings,
    walks: Option<(&Walks, &mut Walked<'_>)>,
    checkpoints: &mut dyn Checkpoints,
    observe: &mut dyn FnMut(&Progress, &[String]) -> Command,
) -> Outcome {
    let mut model = Model::new(program.clone());
    if let Some(host) = &settings.host {
        model.set_host(host.clone());
    }
    model.set_max_set_size(settings.max_set_size);
    if let Some(stop) = &settings.stop {
        model.set_stop(stop.clone());
    }
    model.set_config(config(program, settings, walks.as_ref().map(|it| it.0)));
    let uses = Uses::of(program);
    if uses.trace {
        model.keep_trace(walks.is_some() || settings.depth_first.is_some());
    }
    let mut run = Run {
        uses,
        graph: None,
        walks: None,
        checkpoints,
        unusable: None,
        program,
        settings,
        evaluator: model.evaluator(),
        violations: Vec::new(),
    };
    run.assumptions();
    let printed: Vec<String> =
        std::mem::take(&mut run.evaluator.ctx().output).into_iter().map(|it| it.text).collect();
    if !printed.is_empty() {
        observe(&Progress::default(), &printed);
    }
    model.set_registers(Registers::of(&mut run.evaluator));
    model.set_cached(run.evaluator.cached());
    let mut statistics = Statistics::default();
    let mut ended = Ended::NotSearched;
    let mut notes = Vec::new();
    if run.violations.is_empty() && !program.init.is_empty() && walks.is_none() && !program.has_next
    {
        run.found(ViolationKind::NoNext, Trace::default());
    }
    if run.violations.is_empty() && !program.init.is_empty() {
        // The tier that remembers results expects what it expands to come from its own bytes, which
        // the states of a walk do not. Nor does it evaluate again what it remembers, which would miss
        // what the behaviour was.
        if !settings.plain
            && program.costs.nodes.is_empty()
            && walks.is_none()
            && settings.depth_first.is_none()
            && !uses.trace
        {
            model.remember(!settings.continue_after_violation);
        }
        (statistics, ended) = match walks {
            None => run.search(&model, observe, &mut notes),
            Some((walks, walked)) => run.walk(&model, walks, walked, observe),
        };
        if let Some(registers) = model.registers() {
            registers.install(&mut run.evaluator);
        }
        if uses.leaves {
            let idle = model.idle_registers();
            let asked = threads(settings.workers);
            for _ in 1..asked {
                let registers = idle.thaw(&mut run.evaluator);
                run.evaluator.ctx().other_registers.push(registers);
            }
        }
        model.install_possible(&mut run.evaluator);
        if run.walks.is_none() {
            run.impossible(&model, ended);
        }
    }
    if let Some(interrupted) = run.interrupted() {
        ended = interrupted;
    }
    let failed =
        |it: &Violation| matches!(it.kind, ViolationKind::Assumption(..) | ViolationKind::NoNext);
    if ended != Ended::Unusable && !run.violations.iter().any(failed) {
        run.postconditions(&statistics);
        if let Some(interrupted) = run.interrupted() {
            ended = interrupted;
        }
    }
    // A violation is one whatever the symmetry; that there is none may be for want of it.
    if ended == Ended::Complete && run.violations.is_empty() && program.symmetry.is_some() {
        let warning = asymmetry(&mut model.evaluator());
        run.evaluator.ctx().warnings.extend(warning);
    }
    let mut printed = model.take_printed();
    printed.extend(std::mem::take(&mut run.evaluator.ctx().output).into_iter().map(|it| it.text));
    let mut warnings = std::mem::take(&mut run.evaluator.ctx().warnings);
    for warning in model.take_warnings() {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    Outcome {
        violations: run.violations,
        ended,
        statistics,
        warnings,
        printed,
        notes,
        graph: run.graph,
        unusable: run.unusable,
        walks: run.walks,
        distinct_values: model.distinct_values(),
        evaluator: run.evaluator,
    }
}

/// How many workers were asked for.
fn threads(workers: usize) -> usize {
    match workers {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

fn config(program: &Program, settings: &Settings, walks: Option<&Walks>) -> Config {
    Config {
        mode: match walks {
            None => "bfs",
            Some(walks) if walks.generate => "generate",
            Some(_) => "simulate",
        },
        deadlock: settings.check_deadlock.or(program.check_deadlock).unwrap_or(true),
        workers: threads(settings.workers),
        seed: walks.map_or(settings.seed, |it| it.seed as i64),
        depth: walks.map(|it| it.depth),
        traces: walks.and_then(|it| it.number),
        properties: settings.properties.clone(),
    }
}

/// Checkpoints with what the model itself has to keep before what the search has.
struct KeptModel<'a> {
    inner: &'a mut dyn Checkpoints,
    model: &'a Model,
}

impl Checkpoints for KeptModel<'_> {
    fn due(&mut self, progress: &Progress) -> bool {
        self.inner.due(progress)
    }

    fn save(&mut self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let model = self.model;
        self.inner.save(&mut |out| {
            model.save(out)?;
            write(out)
        });
    }

    fn open(&mut self) -> io::Result<Option<Box<dyn Read>>> {
        let mut start = self.inner.open()?;
        if let Some(input) = &mut start {
            self.model.restore(input)?;
        }
        Ok(start)
    }
}

struct Run<'a> {
    /// What the search does besides computing.
    uses: Uses,
    /// What [`Settings::graph`] asks for.
    graph: Option<Graph>,
    /// The counts of random walks.
    walks: Option<WalkCounters>,
    checkpoints: &'a mut dyn Checkpoints,
    /// Why the checkpoint to go on from cannot be used.
    unusable: Option<String>,
    program: &'a Arc<Program>,
    settings: &'a Settings,
    evaluator: Evaluator,
    violations: Vec<Violation>,
}

impl Run<'_> {
    /// An evaluation that was ended is no finding; says so if there was one.
    fn interrupted(&mut self) -> Option<Ended> {
        let n = self.violations.len();
        self.violations.retain(|it| match &it.kind {
            ViolationKind::Assumption(_, Some(error))
            | ViolationKind::Postcondition(_, Some(error)) => error.code != code::INTERRUPTED,
            ViolationKind::Error(fault) => fault.error.code != code::INTERRUPTED,
            _ => true,
        });
        (self.violations.len() < n).then_some(Ended::Stopped(search::Stop::Interrupt))
    }

    fn found(&mut self, kind: ViolationKind, trace: Trace) {
        self.violations.push(Violation { kind, trace });
    }

    /// All assumptions are evaluated, so that all that fail are told.
    fn assumptions(&mut self) {
        for (idx, assumption) in self.program.assumptions.iter().enumerate() {
            let error = match self.evaluator.check_constant(assumption) {
                Ok(true) => continue,
                Ok(false) => None,
                Err(error) => Some(error),
            };
            self.found(ViolationKind::Assumption(idx as u32, error), Trace::default());
        }
    }

    fn options(&self) -> Options {
        let settings = self.settings;
        Options {
            workers: if self.uses.one_worker() { 1 } else { settings.workers },
            stack_size: Some(settings.stack_size),
            check_deadlock: settings.check_deadlock.or(self.program.check_deadlock).unwrap_or(true),
            continue_after_violation: settings.continue_after_violation,
            stop_at_once: settings.stop_at_once,
            max_states: settings.max_states,
            max_depth: settings.max_depth,
            max_memory: settings.max_memory,
            coverage: settings.coverage,
            stop: settings.stop.clone(),
            ..Options::default()
        }
    }

    fn search(
        &mut self,
        model: &Model,
        observe: &mut dyn FnMut(&Progress, &[String]) -> Command,
        notes: &mut Vec<String>,
    ) -> (Statistics, Ended) {
        let temporal = !self.program.temporal_properties.is_empty();
        if let Some(depth) = self.settings.depth_first {
            if temporal {
                notes.push("a depth-first search does not check temporal properties".into());
            }
            return self.deepen(model, depth, observe, notes);
        }
        if temporal && self.settings.ignore_liveness {
            let names: Vec<&str> =
                self.program.temporal_properties.iter().map(|it| it.name.as_str()).collect();
            notes.push(format!("temporal properties were not checked: {}", names.join(", ")));
        }
        if !temporal || self.settings.ignore_liveness {
            if !self.settings.graph {
                return self.explore(model, &NoRecorder, observe).0;
            }
            let (result, logs) = self.explore(model, &DumpRecorder, observe);
            self.graph = Some(dump::graph(logs, &mut self.evaluator));
            return result;
        }
        let temporal = TemporalModel::new(self.program);
        let recorder = GraphRecorder { temporal: &temporal };
        let ((statistics, ended), logs) = if self.settings.graph {
            let (result, logs) = self.explore(model, &Both(&recorder, &DumpRecorder), observe);
            let (logs, dumps) = logs.into_iter().unzip();
            self.graph = Some(dump::graph(dumps, &mut self.evaluator));
            (result, logs)
        } else {
            self.explore(model, &recorder, observe)
        };
        let complete = ended == Ended::Complete;
        if complete && (self.violations.is_empty() || self.settings.continue_after_violation) {
            let logs: Vec<StepLog> = logs.into_iter().map(|log| log.steps).collect();
            let pool = WorkerPool::new(self.settings.workers);
            match RecordedGraph::new(&logs, &pool) {
                Ok(recorded) => {
                    drop(logs);
                    self.temporal(model, &temporal, &recorded, &pool);
                }
                Err(error) => {
                    let text = format!("temporal properties cannot be checked: {error}");
                    self.found(ViolationKind::LivenessUnsupported(text), Trace::default());
                }
            }
        } else if self.violations.is_empty() {
            notes.push(
                "the search was not complete, so temporal properties were not checked".into(),
            );
        }
        (statistics, ended)
    }

    /// Counts the initial states, where a search does not tell.
    fn count_initial(&mut self, statistics: &mut Statistics) {
        let mut found: Vec<u128> = Vec::new();
        let mut states = Vec::new();
        let counted = self.evaluator.initial_states(&mut |state| {
            states.push(state);
            true
        });
        // Why they cannot be computed is told by the search.
        drop(counted);
        for state in &states {
            found.extend(self.evaluator.fingerprint(state));
        }
        found.sort_unstable();
        found.dedup();
        statistics.initial_generated = states.len() as u64;
        statistics.initial_distinct = found.len() as u64;
    }

    fn deepen(
        &mut self,
        model: &Model,
        depth: u32,
        observe: &mut dyn FnMut(&Progress, &[String]) -> Command,
        notes: &mut Vec<String>,
    ) -> (Statistics, Ended) {
        let options = Options { max_depth: Some(depth), ..self.options() };
        let outcome = lockstep_explore::deepen(model, &options, 2.min(depth), &mut |progress| {
            let printed = if progress.at_fence { model.take_printed() } else { Vec::new() };
            observe(progress, &printed)
        });
        self.violations_of(model, outcome.violations);
        let ended = match outcome.verdict {
            Verdict::Limit(Limit::Depth) => {
                notes.push(format!("the search went to depth {depth}, not to the end"));
                Ended::Complete
            }
            Verdict::Ok | Verdict::Violated => Ended::Complete,
            Verdict::Limit(limit) => Ended::Limit(limit),
            Verdict::Stopped(stop) => Ended::Stopped(stop),
        };
        let mut statistics = outcome.statistics;
        self.count_initial(&mut statistics);
        (statistics, ended)
    }

    fn explore<R: Recorder<Model>>(
        &mut self,
        model: &Model,
        recorder: &R,
        observe: &mut dyn FnMut(&Progress, &[String]) -> Command,
    ) -> ((Statistics, Ended), Vec<R::Log>) {
        let options = self.options();
        let mut kept = KeptModel { inner: &mut *self.checkpoints, model };
        let explored = explore_kept(model, &options, recorder, &mut kept, &mut |progress| {
            let printed = if progress.at_fence { model.take_printed() } else { Vec::new() };
            observe(progress, &printed)
        });
        let (outcome, logs) = match explored {
            Ok(it) => it,
            Err(error) => {
                self.unusable = Some(error.to_string());
                return ((Statistics::default(), Ended::Unusable), Vec::new());
            }
        };
        self.violations_of(model, outcome.violations);
        let mut ended = match outcome.verdict {
            Verdict::Ok | Verdict::Violated => Ended::Complete,
            Verdict::Limit(limit) => Ended::Limit(limit),
            Verdict::Stopped(stop) => Ended::Stopped(stop),
        };
        let mut statistics = outcome.statistics;
        if let Some(ViolationKind::Error(fault)) = self.violations.first().map(|it| &it.kind) {
            match fault.error.code {
                // There is no state to begin with.
                code::INIT_INCOMPLETE => ended = Ended::NotSearched,
                code::INCOMPARABLE
                    if fault.phase == Phase::Fingerprint && statistics.counters.distinct == 0 =>
                {
                    ended = Ended::NotSearched;
                }
                // What lacks values was generated, too.
                code::NEXT_INCOMPLETE => statistics.counters.generated += 1,
                _ => {}
            }
        }
        ((statistics, ended), logs)
    }

    /// Names what a search found.
    fn violations_of(&mut self, model: &Model, found: Vec<search::Violation<Fault>>) {
        for violation in found {
            let n_invariants = self.program.invariants.len() as u32;
            let kind = match violation.kind {
                search::ViolationKind::Deadlock => ViolationKind::Deadlock,
                search::ViolationKind::State(id) if id.0 < n_invariants => {
                    ViolationKind::Invariant(id.0)
                }
                search::ViolationKind::State(id) => {
                    ViolationKind::InitialProperty(id.0 - n_invariants)
                }
                search::ViolationKind::Step(id) => ViolationKind::ActionProperty(id.0),
                search::ViolationKind::Error(fault) => error_kind(fault),
                search::ViolationKind::Panic(text) => ViolationKind::Internal(text),
            };
            let trace = self.trace(model, &violation.trace);
            let kind = match kind {
                // Initial states that cannot be computed are told as such.
                ViolationKind::Assert(fault)
                    if matches!(fault.phase, Phase::Constraint(_)) && trace.states.len() <= 1 =>
                {
                    ViolationKind::Error(fault)
                }
                kind => kind,
            };
            self.found(kind, trace);
        }
    }

    /// Random walks, each checked as it is made; temporal properties at its end.
    fn walk(
        &mut self,
        model: &Model,
        walks: &Walks,
        walked: &mut Walked<'_>,
        observe: &mut dyn FnMut(&Progress, &[String]) -> Command,
    ) -> (Statistics, Ended) {
        let search = self.options();
        let live = !self.program.temporal_properties.is_empty() && !self.settings.ignore_liveness;
        let temporal = live.then(|| TemporalModel::new(self.program));
        let mut reader = model.worker(0);
        let mut statistics = Statistics::default();
        self.count_initial(&mut statistics);
        let options = WalkOptions {
            seed: walks.seed,
            walks: walks.number,
            depth: walks.depth.saturating_add(1),
            workers: search.workers,
            stack_size: search.stack_size,
            check_deadlock: search.check_deadlock,
            max_violations: if search.continue_after_violation { search.max_violations } else { 1 },
            show_walks: walks.show || live,
            stop: search.stop,
        };
        let initial = statistics.initial_generated;
        let mut broken = false;
        let outcome = lockstep_explore::simulate(model, &options, &mut |event| match event {
            WalkEvent::Walk { index, trace } => {
                if walks.show {
                    let shown = self.trace(model, trace);
                    walked(*index, &shown, &mut self.evaluator);
                }
                let Some(temporal) = &temporal else { return Command::Continue };
                let before = self.violations.len();
                let recorder = GraphRecorder { temporal };
                match graph_of(model, &mut reader, &recorder, trace) {
                    Ok(recorded) => {
                        self.temporal(model, temporal, &recorded, &WorkerPool::new(1));
                    }
                    Err(fault) => {
                        let trace = self.trace(model, trace);
                        self.found(error_kind(fault), trace);
                    }
                }
                if self.violations.len() > before && !self.settings.continue_after_violation {
                    broken = true;
                    // Any reason ends the walks; what was found is what counts.
                    return Command::Stop(Limit::States);
                }
                Command::Continue
            }
            WalkEvent::Progress(it) => {
                let mut progress = Progress { at_fence: true, ..Progress::default() };
                progress.counters.generated = (initial + it.steps).saturating_sub(it.walks);
                progress.counters.depth = it.longest;
                observe(&progress, &model.take_printed())
            }
        });
        let counters = outcome.counters;
        statistics.counters.generated = (initial + counters.steps).saturating_sub(counters.walks);
        statistics.counters.depth = counters.longest;
        self.walks = Some(counters);
        self.violations_of(model, outcome.violations);
        let ended = match outcome.verdict {
            Verdict::Limit(_) if broken => Ended::Complete,
            Verdict::Ok | Verdict::Violated => Ended::Complete,
            Verdict::Limit(limit) => Ended::Limit(limit),
            Verdict::Stopped(stop) => Ended::Stopped(stop),
        };
        (statistics, ended)
    }

    fn trace(&mut self, model: &Model, steps: &[TraceStep]) -> Trace {
        let mut states = Vec::with_capacity(steps.len());
        // The bytes are those of the search; they are turned into those of any evaluator.
        let mut reader = model.worker(0);
        for step in steps {
            let state = model.values_of(&mut reader, &step.state);
            let mut bytes = Vec::new();
            let state = match reader.evaluator.encode_state(&state, &mut bytes) {
                Ok(()) => self.evaluator.decode_state(&bytes),
                Err(error) => Err(error),
            };
            states.push(TraceState {
                action: step.action.map(|it| it.0),
                state: state.unwrap_or_else(|_| State::new([])),
                shown: None,
                fingerprint: step.fingerprint,
            });
        }
        let mut trace = Trace { states, ends_in: None };
        self.alias(&mut trace);
        trace
    }

    /// What ALIAS shows: evaluated on each state with the one after it, the last with itself.
    fn alias(&mut self, trace: &mut Trace) {
        let view = self.program.view.as_ref().filter(|_| self.settings.show_view);
        let Some(alias) = view.or(self.program.alias.as_ref()) else { return };
        let mut before = Vec::new();
        for idx in 0..trace.states.len() {
            before.push(state_record(&mut self.evaluator, &trace.states[idx].state));
            self.evaluator.ctx().search.trace = Some(Value::tuple_from(before.iter().cloned()));
            let next = (idx + 1).min(trace.states.len() - 1);
            self.evaluator.ctx().search.level = idx as i64 + 1;
            let (from, to) = (trace.states[idx].state.clone(), trace.states[next].state.clone());
            trace.states[idx].shown = self.evaluator.eval_on_step(&alias.entry, &from, &to).ok();
        }
    }

    fn temporal(
        &mut self,
        model: &Model,
        temporal: &TemporalModel,
        recorded: &RecordedGraph,
        pool: &WorkerPool,
    ) {
        let going_on = self.settings.continue_after_violation;
        let mut negated = temporal.properties.iter().map(|it| it.clone().negated().normal());
        let wanted: Vec<Formula> = negated
            .by_ref()
            .take_while(|it| *it != Formula::False)
            .map(|it| conjunction(temporal.fairness.iter().cloned().chain([it])))
            .collect();
        // Only a tautology leaves properties behind that nothing is wanted of.
        let tautology = (wanted.len() < temporal.properties.len()).then_some(wanted.len() as u32);
        let lassos = find_lassos(&recorded.graph, &wanted, !going_on, pool);
        for (idx, lasso) in lassos.into_iter().enumerate() {
            let about_state = |atom: u32| matches!(temporal.atoms[atom as usize], Atom::State(_));
            if matches!(lasso, Ok(Some(_)))
                && let Ok(Some(prefix)) = find_prefix(&recorded.graph, &wanted[idx], &about_state)
            {
                let chain: Vec<Fingerprint> =
                    prefix.iter().map(|state| recorded.fingerprints[*state as usize]).collect();
                let steps = rebuild(model, &chain);
                let trace = self.trace(model, &steps);
                self.found(ViolationKind::Temporal(idx as u32), trace);
                if !going_on {
                    return;
                }
                continue;
            }
            let lasso = match lasso {
                Ok(None) => continue,
                Ok(Some(lasso)) => lasso.without_stuttering(),
                Err(error) => {
                    let text = match error {
                        LivenessError::TooManyBranches(n) => format!(
                            "the temporal formulas split into more than {n} cases; \
                             check fewer properties at once"
                        ),
                        LivenessError::TooLarge(n) => format!(
                            "the product of the state graph with the property has {n} nodes; \
                             4294967294 is the most"
                        ),
                    };
                    self.found(ViolationKind::LivenessUnsupported(text), Trace::default());
                    return;
                }
            };
            let of = |state: &u32| recorded.fingerprints[*state as usize];
            let mut chain: Vec<Fingerprint> =
                lasso.prefix.iter().chain(&lasso.cycle).map(of).collect();
            let n_states = chain.len();
            let stuttering = lasso.is_stuttering();
            if !stuttering {
                chain.push(of(&lasso.cycle[0]));
            }
            let mut steps = rebuild(model, &chain);
            let back = (!stuttering && steps.len() > n_states).then(|| steps.pop()).flatten();
            let mut trace = self.trace(model, &steps);
            trace.ends_in = Some(if stuttering {
                Loop::Stuttering
            } else {
                Loop::BackTo {
                    to: lasso.prefix.len() + 1,
                    action: back.and_then(|step| step.action).map(|it| it.0),
                }
            });
            self.found(ViolationKind::Temporal(idx as u32), trace);
            if !going_on {
                return;
            }
        }
        if let Some(idx) = tautology {
            self.found(ViolationKind::Tautology(idx), Trace::default());
        }
    }

    /// What `_POSSIBLE` names must have been true somewhere, if the search was complete.
    fn impossible(&mut self, model: &Model, ended: Ended) {
        if ended != Ended::Complete || !self.violations.is_empty() {
            return;
        }
        for idx in 0..self.program.possible.len() {
            if !model.was_possible(idx) {
                self.found(ViolationKind::Impossible(idx as u32), Trace::default());
            }
        }
    }

    fn postconditions(&mut self, statistics: &Statistics) {
        if self.program.postconditions.is_empty() {
            return;
        }
        let counters = statistics.counters;
        let counterexample = self.counterexample();
        let search = &mut self.evaluator.ctx().search;
        search.level = 0;
        search.distinct = counters.distinct;
        search.generated = counters.generated;
        search.queue = counters.queue;
        search.initial = statistics.initial_distinct;
        search.diameter = u64::from(counters.depth);
        search.counterexample = counterexample;
        if let Some(walks) = &self.walks {
            search.simulating = true;
            search.traces = walks.walks;
        }
        for (idx, postcondition) in self.program.postconditions.iter().enumerate() {
            let error = match self.evaluator.check_constant(postcondition) {
                Ok(true) => continue,
                Ok(false) => None,
                Err(error) => Some(error),
            };
            self.found(ViolationKind::Postcondition(idx as u32, error), Trace::default());
        }
    }

    /// `CounterExample` of TLCExt: numbered states, and the steps between them.
    fn counterexample(&mut self) -> Option<Value> {
        let states: Vec<(Option<u32>, State)> = self
            .violations
            .first()
            .map(|it| it.trace.states.iter().map(|s| (s.action, s.state.clone())).collect())
            .unwrap_or_default();
        let mut numbered = Vec::new();
        for (idx, (_, state)) in states.iter().enumerate() {
            let shown = state_record(&mut self.evaluator, state);
            numbered.push(Value::tuple_from([Value::Int(idx as i32 + 1), shown]));
        }
        let mut actions = Vec::new();
        for idx in 1..states.len() {
            let program = self.program.clone();
            let action = states[idx].0.and_then(|it| program.actions.get(it as usize));
            let action = match action {
                Some(it) => describe::action(&mut self.evaluator, &program, it),
                None => Value::empty_tuple(),
            };
            actions.push(Value::tuple_from([
                numbered[idx - 1].clone(),
                action,
                numbered[idx].clone(),
            ]));
        }
        let ctx = self.evaluator.ctx();
        let state = sets::set_from_vec(ctx, numbered);
        let action = sets::set_from_vec(ctx, actions);
        let (name_state, name_action) = (ctx.names.intern("state"), ctx.names.intern("action"));
        Some(record(ctx, vec![(name_action, action), (name_state, state)]))
    }
}

fn error_kind(fault: Fault) -> ViolationKind {
    // TLC tells a failed Assert of an invariant or of the initial predicate as an error of theirs.
    let own = !matches!(fault.phase, Phase::Invariant(_) | Phase::Init | Phase::Liveness);
    if fault.error.code == code::ASSERT && own {
        ViolationKind::Assert(fault)
    } else {
        ViolationKind::Error(fault)
    }
}
