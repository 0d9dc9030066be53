//! A lowered specification as a transition system.
//!
//! Actions, invariants, action properties and constraints keep the numbers they have in the
//! [`Program`]. Properties of states are numbered: invariants first, then the predicates that hold
//! of initial states only.
//!
//! Invariant: what is answered depends on the states alone; what an evaluation leaves behind
//! (output, warnings, registers) is collected per worker and merged in an order that the states fix.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use lockstep_eval::error::EvalResult;
use lockstep_eval::ir::{EntryPoint, Program};
pub use lockstep_eval::memo::Form as ModelState;
use lockstep_eval::memo::{Shared as Memory, Tier};
use lockstep_eval::value::{Host, OtherRegisters, Rng, Value, Warning, decode, encode, record};
use lockstep_eval::{Cached, Evaluator, State};
use lockstep_explore::checkpoint::parts::{put, put_all, put_bytes, take, take_all, take_bytes};
use lockstep_explore::{
    ActionId, ConstraintId, Context, Failure, Fingerprint, PropertyId, Share, TransitionSystem,
};
use lockstep_syntax::{FileId, Span};
use smol_str::SmolStr;

use crate::describe::{Config, describe};
use crate::fault::{Fault, Phase};
use crate::tracing::{Tracing, as_sequence};

/// The first byte of an encoded state tells its form.
const PLAIN: u8 = 0;
const SLOTS: u8 = 1;

/// Makes the host of a worker, on the worker's thread.
pub type HostFactory = Arc<dyn Fn() -> Rc<dyn Host> + Send + Sync>;

/// What was printed while a state was at hand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Printed {
    /// The level and the state's fingerprint: they fix the order.
    level: u32,
    fingerprint: u64,
    sequence: u32,
    text: String,
}

/// The registers of `TLCSet`, encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    numbered: Vec<(i32, Vec<u8>)>,
    named: Vec<(SmolStr, Vec<u8>)>,
}

impl Registers {
    /// The registers of an evaluator.
    pub(crate) fn of(evaluator: &mut Evaluator) -> Self {
        let ctx = evaluator.ctx();
        let numbered: Vec<(i32, Value)> =
            ctx.registers.iter().map(|(key, value)| (*key, value.clone())).collect();
        let named: Vec<(SmolStr, Value)> =
            ctx.named_registers.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        let mut bytes = |value: &Value| {
            let mut out = Vec::new();
            encode(ctx, value, &mut out).map(|()| out).ok()
        };
        Self {
            numbered: numbered
                .into_iter()
                .filter_map(|(key, value)| Some((key, bytes(&value)?)))
                .collect(),
            named: named
                .into_iter()
                .filter_map(|(key, value)| Some((key, bytes(&value)?)))
                .collect(),
        }
    }

    /// Their values in another evaluator.
    pub(crate) fn thaw(&self, evaluator: &mut Evaluator) -> OtherRegisters {
        let ctx = evaluator.ctx();
        let mut out = OtherRegisters::default();
        for (key, bytes) in &self.numbered {
            if let Ok(value) = decode(&mut bytes.as_slice(), ctx) {
                out.numbered.insert(*key, value);
            }
        }
        for (key, bytes) in &self.named {
            if let Ok(value) = decode(&mut bytes.as_slice(), ctx) {
                out.named.insert(key.clone(), value);
            }
        }
        out
    }

    /// Puts them into another evaluator.
    pub(crate) fn install(&self, evaluator: &mut Evaluator) {
        let OtherRegisters { numbered, named } = self.thaw(evaluator);
        let ctx = evaluator.ctx();
        ctx.registers.extend(numbered);
        ctx.named_registers.extend(named);
    }
}

/// What workers leave behind, shared.
#[derive(Default)]
struct Shared {
    printed: Vec<Printed>,
    warnings: Vec<Warning>,
    /// Of the first worker at the last fence.
    registers: Option<Registers>,
    /// After the initial states, which every worker starts with.
    initial_registers: Option<Registers>,
}

/// A lowered specification with what a run of it shares.
pub struct Model {
    program: Arc<Program>,
    host: Option<HostFactory>,
    max_set_size: Option<usize>,
    config: Option<Config>,
    now_ms: u64,
    stop: Option<Arc<AtomicBool>>,
    start: Mutex<Registers>,
    /// What TLCCache kept before the search.
    cached: Vec<Cached>,
    memory: Option<Arc<Memory>>,
    inherit: bool,
    shared: Mutex<Shared>,
    /// Whether the behaviour up to each state is kept, and whether the search follows one behaviour
    /// at a time.
    traced: (bool, bool),
    /// For each `_POSSIBLE`, how often it was true.
    possible: Vec<AtomicU64>,
    /// Whether the specification asks how often, so that one find is not enough.
    counts_possible: bool,
    /// While evaluations are counted: the hashes of the values that each variable had in states that
    /// some step led to first.
    variables: Mutex<Vec<BTreeSet<u64>>>,
}

/// What one worker keeps.
pub struct ModelWorker {
    /// The evaluator.
    pub evaluator: Evaluator,
    index: usize,
    tier: Option<Tier>,
    found: Vec<(lockstep_eval::ActionId, ModelState)>,
    printed: Vec<Printed>,
    /// The level and fingerprint of the state at hand.
    at: (u32, u64),
    /// Initial states that were made but not taken, and the place of the first of them.
    initial: Option<(u64, Vec<State>)>,
    tracing: Tracing,
}

impl Model {
    /// A model of `program`.
    pub fn new(program: Arc<Program>) -> Self {
        let possible = program.possible.iter().map(|_| AtomicU64::new(0)).collect();
        // The register in which TLC counts is the only way to ask.
        let counts_possible = program.symbols.find("s:_possible").is_some()
            || program.symbols.find("_possible").is_some();
        Self {
            program,
            host: None,
            max_set_size: None,
            config: None,
            now_ms: 0,
            stop: None,
            start: Mutex::default(),
            cached: Vec::new(),
            memory: None,
            inherit: true,
            shared: Mutex::default(),
            traced: (false, false),
            possible,
            counts_possible,
            variables: Mutex::default(),
        }
    }

    /// Gives evaluations files, processes and the environment.
    pub fn set_host(&mut self, host: HostFactory) {
        self.host = Some(host);
    }

    /// Lets the specification ask how the run was set up.
    pub(crate) fn set_config(&mut self, config: Config) {
        self.config = Some(config);
    }

    /// Evaluations end with an error once this is set.
    pub fn set_stop(&mut self, stop: Arc<AtomicBool>) {
        self.stop = Some(stop);
    }

    /// The most elements a set may have when it is enumerated.
    pub fn set_max_set_size(&mut self, n: usize) {
        self.max_set_size = Some(n);
    }

    /// Uses the tier that remembers results, if the program is fit for it. `inherit` says whether
    /// a state's invariants may be taken from its parent's, which holds as long as a violation
    /// ends the search.
    pub fn remember(&mut self, inherit: bool) {
        let mut evaluator = self.evaluator();
        self.memory = Memory::new(&mut evaluator).map(Arc::new);
        self.inherit = inherit;
    }

    /// Keeps the behaviour up to each state, for `Trace` of TLCExt. A search with it has one
    /// worker; `deep` says whether it follows one behaviour at a time.
    pub(crate) fn keep_trace(&mut self, deep: bool) {
        self.traced = (true, deep);
    }

    /// The values of an encoded state.
    pub fn values_of(&self, worker: &mut ModelWorker, bytes: &[u8]) -> State {
        let state = self.decode(worker, bytes);
        worker.plain(&state)
    }

    /// The registers that every worker starts with.
    pub(crate) fn set_registers(&mut self, registers: Registers) {
        self.start = Mutex::new(registers);
    }

    /// What every worker need not compute again.
    pub(crate) fn set_cached(&mut self, cached: Vec<Cached>) {
        self.cached = cached;
    }

    /// The registers of the first worker at the last fence.
    pub(crate) fn registers(&self) -> Option<Registers> {
        self.lock().registers.clone()
    }

    /// The registers of a worker that did nothing but start.
    pub(crate) fn idle_registers(&self) -> Registers {
        let initial = self.lock().initial_registers.clone();
        let start = self.start.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        initial.unwrap_or_else(|| start.clone())
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Whether the `_POSSIBLE` of that number was true somewhere.
    pub fn was_possible(&self, idx: usize) -> bool {
        // ORDERING: read after the workers were joined.
        self.possible[idx].load(Ordering::Relaxed) > 0
    }

    /// Puts the counts of `_POSSIBLE` into the register where TLC keeps them.
    pub(crate) fn install_possible(&self, evaluator: &mut Evaluator) {
        if self.possible.is_empty() {
            return;
        }
        let ctx = evaluator.ctx();
        let mut fields = Vec::new();
        for ((property, _), count) in self.program.possible.iter().zip(&self.possible) {
            // ORDERING: read after the workers were joined.
            let count = i32::try_from(count.load(Ordering::Relaxed)).unwrap_or(i32::MAX);
            fields.push((ctx.names.intern(&property.name), Value::Int(count)));
        }
        let counts = record(ctx, fields);
        ctx.named_registers.insert("_possible".into(), counts);
    }

    /// Takes what was printed since the last call, in an order that the states fix. To be called at
    /// fences.
    pub fn take_printed(&self) -> Vec<String> {
        let mut printed = std::mem::take(&mut self.lock().printed);
        printed.sort();
        printed.into_iter().map(|it| it.text).collect()
    }

    /// Takes the warnings given so far, each once, sorted.
    pub fn take_warnings(&self) -> Vec<Warning> {
        let mut warnings = std::mem::take(&mut self.lock().warnings);
        warnings.sort_by(|a, b| (a.code, a.span, &a.message).cmp(&(b.code, b.span, &b.message)));
        warnings.dedup();
        warnings
    }

    /// While evaluations are counted: how many values each variable had in states that some step
    /// led to first.
    pub fn distinct_values(&self) -> Vec<u64> {
        let variables = self.variables.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        variables.iter().map(|it| it.len() as u64).collect()
    }

    fn note_values(&self, worker: &mut ModelWorker, state: &ModelState) {
        let state = worker.plain(state);
        let hashes = state.hashes(worker.evaluator.ctx());
        let mut variables =
            self.variables.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        variables.resize_with(hashes.len(), BTreeSet::new);
        for (known, hash) in variables.iter_mut().zip(hashes) {
            known.insert(hash);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shared> {
        // A worker that panicked left whole entries behind, so the data is good.
        self.shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// An evaluator for this model, outside the search.
    pub fn evaluator(&self) -> Evaluator {
        let mut evaluator = Evaluator::new(self.program.clone());
        if let Some(host) = &self.host {
            evaluator.ctx().host = Some(host());
        }
        if let Some(n) = self.max_set_size {
            evaluator.ctx().limits.max_set_size = n;
        }
        evaluator.ctx().search.now_ms = self.now_ms;
        evaluator.ctx().interrupt = self.stop.clone();
        if let Some(config) = &self.config {
            describe(&mut evaluator, config);
        }
        evaluator
    }

    /// Writes what a run has left behind so far to a checkpoint. What was printed is out already.
    pub(crate) fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let shared = self.lock();
        let none = Registers::default();
        let registers = shared.registers.as_ref().unwrap_or(&none);
        put(out, registers.numbered.len() as u64)?;
        for (key, bytes) in &registers.numbered {
            put(out, i64::from(*key) as u64)?;
            put_bytes(out, bytes)?;
        }
        put(out, registers.named.len() as u64)?;
        for (key, bytes) in &registers.named {
            put_bytes(out, key.as_bytes())?;
            put_bytes(out, bytes)?;
        }
        put(out, shared.warnings.len() as u64)?;
        for it in &shared.warnings {
            let span = it.span.map_or([0; 4], |it| {
                [1, u64::from(it.file.0), u64::from(it.start), u64::from(it.end)]
            });
            put(out, u64::from(it.code))?;
            put_bytes(out, it.message.as_bytes())?;
            put_all(out, span.into_iter())?;
        }
        let costs = &self.program.costs;
        let nodes = 0..costs.nodes.len() as u32;
        let counts: Vec<u64> = nodes.flat_map(|it| [costs.count(it), costs.steps(it)]).collect();
        put_all(out, counts.into_iter())?;
        let variables = self.variables.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        put(out, variables.len() as u64)?;
        for known in variables.iter() {
            put_all(out, known.iter().copied())?;
        }
        // ORDERING: at a fence nobody else counts.
        put_all(out, self.possible.iter().map(|it| it.load(Ordering::Relaxed)))
    }

    /// Goes on from what [`Model::save`] wrote. To be called before there is a worker.
    pub(crate) fn restore(&self, input: &mut dyn Read) -> io::Result<()> {
        let damaged = |_| io::Error::new(io::ErrorKind::InvalidData, "the checkpoint is damaged");
        let text = |input: &mut dyn Read| {
            let mut bytes = Vec::new();
            take_bytes(input, &mut bytes)?;
            String::from_utf8(bytes).map_err(damaged)
        };
        let mut registers = Registers::default();
        for _ in 0..take(input)? {
            let (key, mut bytes) = (take(input)? as i32, Vec::new());
            take_bytes(input, &mut bytes)?;
            registers.numbered.push((key, bytes));
        }
        for _ in 0..take(input)? {
            let (key, mut bytes) = (text(input)?, Vec::new());
            take_bytes(input, &mut bytes)?;
            registers.named.push((key.into(), bytes));
        }
        let mut shared = self.lock();
        for _ in 0..take(input)? {
            let (code, message) = (take(input)? as u32, text(input)?);
            let span = match take_all(input)?[..] {
                [1, file, start, end] => {
                    Some(Span { file: FileId(file as u32), start: start as u32, end: end as u32 })
                }
                _ => None,
            };
            shared.warnings.push(Warning { code, message, span });
        }
        let counts = take_all(input)?;
        let pairs = counts.chunks_exact(2).map(|it| (it[0], it[1]));
        self.program.costs.restore(pairs);
        let mut variables =
            self.variables.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for _ in 0..take(input)? {
            variables.push(take_all(input)?.into_iter().collect());
        }
        for (it, count) in self.possible.iter().zip(take_all(input)?) {
            // ORDERING: nobody else is there yet.
            it.store(count, Ordering::Relaxed);
        }
        if registers != Registers::default() {
            shared.registers = Some(registers.clone());
            *self.start.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = registers;
        }
        Ok(())
    }

    /// Hands over what a worker collected.
    fn collect(&self, worker: &mut ModelWorker) {
        worker.gather();
        let has_registers = {
            let ctx = worker.evaluator.ctx();
            !ctx.registers.is_empty() || !ctx.named_registers.is_empty()
        };
        let registers =
            (worker.index == 0 && has_registers).then(|| Registers::of(&mut worker.evaluator));
        let warnings = std::mem::take(&mut worker.evaluator.ctx().warnings);
        if worker.printed.is_empty() && warnings.is_empty() && registers.is_none() {
            return;
        }
        let mut shared = self.lock();
        shared.printed.append(&mut worker.printed);
        shared.warnings.extend(warnings);
        if registers.is_some() {
            shared.registers = registers;
        }
    }

    fn possible(
        &self,
        worker: &mut ModelWorker,
        from: Option<&ModelState>,
        to: &ModelState,
        inside: bool,
    ) -> Result<(), Fault> {
        for (idx, (property, step)) in self.program.possible.iter().enumerate() {
            // ORDERING: a count that only goes up; seeing it late costs one evaluation.
            // TLC counts states each time they are generated. Where only the first matters, it is
            // enough to look at new ones.
            let at_hand = *step == from.is_some()
                || (self.counts_possible && inside && !*step && from.is_some());
            let wanted = self.counts_possible || self.possible[idx].load(Ordering::Relaxed) == 0;
            if at_hand && wanted {
                let holds = match from.filter(|_| *step) {
                    Some(from) => worker.holds(&property.entry, from, Some(to)),
                    None => worker.holds(&property.entry, to, None),
                };
                if holds.map_err(|error| Fault::new(error, Phase::Possible))? {
                    self.possible[idx].fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }
}

impl ModelWorker {
    /// The values of a state.
    pub fn plain(&mut self, state: &ModelState) -> State {
        match (state, &mut self.tier) {
            (ModelState::Plain(state), _) => state.clone(),
            (ModelState::Slots(slots), Some(tier)) => tier.state(&mut self.evaluator, slots),
            (ModelState::Slots(_), None) => State::new([]),
        }
    }

    /// The form that this worker prefers.
    fn prefer(&mut self, state: State) -> ModelState {
        if let Some(tier) = &mut self.tier
            && !tier.is_full()
            && let Ok(Some(slots)) = tier.slots_of(&mut self.evaluator, &state)
        {
            return ModelState::Slots(slots);
        }
        ModelState::Plain(state)
    }

    /// Whether a predicate holds of a state, or of a step when `next` is there.
    pub fn holds(
        &mut self,
        entry: &EntryPoint,
        state: &ModelState,
        next: Option<&ModelState>,
    ) -> EvalResult<bool> {
        if let Some(tier) = &mut self.tier {
            match (state, next) {
                (ModelState::Slots(state), None) => {
                    return tier.holds(&mut self.evaluator, entry, state, None);
                }
                (ModelState::Slots(state), Some(ModelState::Slots(next))) => {
                    return tier.holds(&mut self.evaluator, entry, state, Some(next));
                }
                _ => {}
            }
        }
        let state = self.plain(state);
        match next {
            None => self.evaluator.holds_entry(entry, &state),
            Some(next) => {
                let next = self.plain(next);
                self.evaluator.holds_entry_of_step(entry, &state, &next)
            }
        }
    }

    /// Tells the evaluator where the search stands.
    fn enter(&mut self, cx: &Context<'_>, level: u32, fingerprint: u64) {
        let search = &mut self.evaluator.ctx().search;
        search.level = i64::from(level);
        search.distinct = cx.counters.distinct;
        search.generated = cx.counters.generated;
        // The state at hand has left the queue.
        search.queue = cx.counters.queue.saturating_sub(u64::from(level > 0));
        // TLC counts the level at hand from the start.
        search.diameter = u64::from(cx.counters.depth).max(1);
        self.at = (level, fingerprint);
        self.evaluator.ctx().rng = Rng::new(fingerprint);
    }

    /// The same for a state at the context's level. What the evaluation prints is ordered, and
    /// what it draws at random is seeded, by the state's fingerprint.
    fn enter_state(&mut self, cx: &Context<'_>, state: &ModelState) {
        let fingerprint = match (state, &self.tier) {
            (ModelState::Slots(slots), Some(tier)) => tier.fingerprint(slots),
            (ModelState::Plain(state), _) => self.evaluator.fingerprint(state).unwrap_or(0),
            (ModelState::Slots(_), None) => 0,
        };
        self.enter(cx, cx.level, (fingerprint >> 64) as u64);
        if !self.tracing.is_off() {
            let state = self.plain(state);
            let states = self.tracing.up_to(cx.level, state, fingerprint);
            self.evaluator.ctx().search.trace = Some(as_sequence(&mut self.evaluator, &states));
        }
    }

    /// Notes that the successors of a state come next.
    fn expand(&mut self, level: u32, state: &ModelState) {
        if self.tracing.is_off() {
            return;
        }
        let state = self.plain(state);
        let hash = self.evaluator.fingerprint(&state).unwrap_or(0);
        self.tracing.expand(level, state, hash);
    }

    /// Takes over what the evaluator printed.
    fn gather(&mut self) {
        let output = &mut self.evaluator.ctx().output;
        if output.is_empty() {
            return;
        }
        let (level, fingerprint) = self.at;
        for (sequence, it) in std::mem::take(output).into_iter().enumerate() {
            self.printed.push(Printed {
                level,
                fingerprint,
                sequence: self.printed.len() as u32 + sequence as u32,
                text: it.text,
            });
        }
    }

    fn leave(&mut self, cx: &Context<'_>) {
        self.gather();
        if self.evaluator.ctx().exit_requested {
            cx.request_stop();
        }
    }
}

impl TransitionSystem for Model {
    type Worker = ModelWorker;
    type State = ModelState;
    type Error = Fault;

    fn worker(&self, index: usize) -> ModelWorker {
        let mut evaluator = self.evaluator();
        self.start
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .install(&mut evaluator);
        evaluator.ctx().search.worker = index as u32;
        // What cannot be taken over is computed when it is needed.
        let _ = evaluator.install_cached(&self.cached);
        let tier = self.memory.as_ref().and_then(|memory| {
            let mut tier = Tier::new(memory.clone(), &mut evaluator).ok()?;
            tier.inherit = self.inherit;
            Some(tier)
        });
        ModelWorker {
            evaluator,
            index,
            tier,
            found: Vec::new(),
            printed: Vec::new(),
            at: (0, 0),
            initial: None,
            tracing: Tracing::new(self.traced.0, self.traced.1),
        }
    }

    fn initial(
        &self,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        mut emit: impl FnMut(&mut ModelWorker, ModelState) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        worker.enter(cx, 0, 0);
        let mut states = Vec::new();
        let result = worker.evaluator.initial_states(&mut |state| {
            states.push(state);
            true
        });
        worker.leave(cx);
        let ctx = worker.evaluator.ctx();
        if !ctx.registers.is_empty() || !ctx.named_registers.is_empty() {
            self.lock().initial_registers = Some(Registers::of(&mut worker.evaluator));
        }
        for (place, state) in states.iter().enumerate() {
            let state = worker.prefer(state.clone());
            if emit(worker, state).is_break() {
                // The others may be asked for soon, and need not be made again then.
                states.drain(..place);
                worker.initial = result.is_ok().then_some((place as u64, states));
                return Ok(());
            }
        }
        result.map_err(|error| Fault::new(error, Phase::Init))
    }

    fn shares_initial(&self) -> bool {
        self.program.init.iter().all(|it| !it.impure)
    }

    fn initial_share(
        &self,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        share: Share,
        mut emit: impl FnMut(&mut ModelWorker, ModelState) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        let (mut first, mut states) = worker.initial.take().unwrap_or_default();
        let mut result = Ok(());
        if states.is_empty() {
            worker.enter(cx, 0, 0);
            let mut place = 0;
            result = worker.evaluator.initial_states(&mut |state| {
                if share.has(place) {
                    states.push(state);
                }
                place += 1;
                true
            });
            worker.leave(cx);
        } else {
            states.retain(|_| {
                first += 1;
                share.has(first - 1)
            });
        }
        for state in states {
            let state = worker.prefer(state);
            if emit(worker, state).is_break() {
                return Ok(());
            }
        }
        result.map_err(|error| Fault::new(error, Phase::Init))
    }

    fn successors(
        &self,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        state: &ModelState,
        mut emit: impl FnMut(&mut ModelWorker, ActionId, ModelState) -> ControlFlow<()>,
    ) -> Result<(), Fault> {
        worker.enter_state(cx, state);
        worker.expand(cx.level, state);
        let mut found = std::mem::take(&mut worker.found);
        let result = match (state, &mut worker.tier) {
            (ModelState::Slots(slots), Some(tier)) if !tier.is_full() => {
                tier.successors(&mut worker.evaluator, slots, &mut found)
            }
            _ => {
                let state = worker.plain(state);
                worker.evaluator.successors(&state, &mut |action, next| {
                    found.push((action, ModelState::Plain(next)));
                    true
                })
            }
        };
        worker.leave(cx);
        // The explorer checks each successor with the same evaluator, so they are handed over
        // once the enumeration is done.
        let mut stopped = false;
        for (action, next) in found.drain(..) {
            stopped = stopped || emit(worker, ActionId(action.0), next).is_break();
        }
        worker.found = found;
        if stopped {
            return Ok(());
        }
        result.map_err(|error| Fault::new(error, Phase::Next))
    }

    fn take_passing_states(&self, worker: &mut ModelWorker) -> u64 {
        worker.evaluator.take_middle_states()
    }

    fn fingerprint(
        &self,
        worker: &mut ModelWorker,
        state: &ModelState,
    ) -> Result<Fingerprint, Fault> {
        if let (ModelState::Slots(slots), Some(tier)) = (state, &mut worker.tier)
            && self.program.view.is_none()
        {
            if self.program.symmetry.is_none() {
                return Ok(Fingerprint(tier.fingerprint(slots)));
            }
            return tier
                .symmetric_fingerprint(&mut worker.evaluator, slots)
                .map(Fingerprint)
                .map_err(|error| Fault::new(error, Phase::Fingerprint));
        }
        let state = worker.plain(state);
        worker
            .evaluator
            .fingerprint(&state)
            .map(Fingerprint)
            .map_err(|error| Fault::new(error, Phase::Fingerprint))
    }

    fn encode(&self, worker: &mut ModelWorker, state: &ModelState, out: &mut Vec<u8>) {
        match (state, &worker.tier) {
            (ModelState::Slots(slots), Some(tier)) => {
                out.push(SLOTS);
                tier.encode(slots, out);
            }
            _ => {
                out.push(PLAIN);
                let state = worker.plain(state);
                // The state was fingerprinted before, so it can be enumerated.
                let encoded = worker.evaluator.encode_state(&state, out);
                debug_assert!(encoded.is_ok(), "a fingerprinted state has bytes");
            }
        }
    }

    fn decode(&self, worker: &mut ModelWorker, bytes: &[u8]) -> ModelState {
        match (bytes.split_first(), &mut worker.tier) {
            (Some((&SLOTS, rest)), Some(tier)) => match tier.decode(&mut worker.evaluator, rest) {
                Ok(state) => ModelState::Slots(state),
                Err(_) => ModelState::Plain(State::new([])),
            },
            (Some((_, rest)), _) => ModelState::Plain(
                worker.evaluator.decode_state(rest).unwrap_or_else(|_| State::new([])),
            ),
            (None, _) => ModelState::Plain(State::new([])),
        }
    }

    fn export(&self, worker: &mut ModelWorker, bytes: &[u8], out: &mut Vec<u8>) {
        let state = self.values_of(worker, bytes);
        out.push(PLAIN);
        // It was encoded before, if in another form.
        let encoded = worker.evaluator.encode_state(&state, out);
        debug_assert!(encoded.is_ok(), "a state that waits has bytes");
    }

    fn import(&self, worker: &mut ModelWorker, bytes: &[u8], out: &mut Vec<u8>) {
        let state = self.values_of(worker, bytes);
        let state = worker.prefer(state);
        if let (ModelState::Slots(slots), Some(tier)) = (&state, &mut worker.tier) {
            // They hold, but what they read here has to be learnt: successors rely on it.
            tier.invariants_hold(&mut worker.evaluator, slots);
            // What they print was printed when the state was new.
            worker.evaluator.ctx().output.clear();
        }
        self.encode(worker, &state, out);
    }

    fn check_state(
        &self,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        state: &ModelState,
    ) -> Result<(), Failure<Fault>> {
        let program = &*self.program;
        if cx.level > 1 && !program.costs.nodes.is_empty() {
            self.note_values(worker, state);
        }
        if program.invariants.is_empty()
            && program.initial_properties.is_empty()
            && program.possible.is_empty()
        {
            return Ok(());
        }
        worker.enter_state(cx, state);
        let mut result = Ok(());
        let fine = match (state, &mut worker.tier) {
            (ModelState::Slots(slots), Some(tier)) => {
                tier.invariants_hold(&mut worker.evaluator, slots)
            }
            _ => false,
        };
        let n_invariants = if fine { 0 } else { program.invariants.len() };
        let plain = (n_invariants > 0 || cx.level <= 1).then(|| worker.plain(state));
        for idx in 0..n_invariants {
            let Some(state) = &plain else { break };
            match worker.evaluator.check_invariant(idx, state) {
                Ok(true) => {}
                Ok(false) => {
                    result = Err(Failure::Violated(PropertyId(idx as u32)));
                    break;
                }
                Err(error) => {
                    result = Err(Failure::Error(Fault::new(error, Phase::Invariant(idx as u32))));
                    break;
                }
            }
        }
        if result.is_ok() && cx.level <= 1 {
            for (idx, property) in program.initial_properties.iter().enumerate() {
                let id = (program.invariants.len() + idx) as u32;
                match worker.holds(&property.entry, state, None) {
                    Ok(true) => {}
                    Ok(false) => {
                        result = Err(Failure::Violated(PropertyId(id)));
                        break;
                    }
                    Err(error) => {
                        result = Err(Failure::Error(Fault::new(error, Phase::Invariant(id))));
                        break;
                    }
                }
            }
        }
        if result.is_ok() && (!self.counts_possible || cx.level <= 1) {
            result = self.possible(worker, None, state, true).map_err(Failure::Error);
        }
        worker.leave(cx);
        result
    }

    fn check_step(
        &self,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        from: &ModelState,
        _action: ActionId,
        to: &ModelState,
    ) -> Result<(), Failure<Fault>> {
        let program = &*self.program;
        if program.action_properties.is_empty() && program.possible.is_empty() {
            return Ok(());
        }
        // As to TLC, a state outside the model is not counted.
        let inside = !self.counts_possible
            || self.excluded(cx, worker, to).map_err(Failure::Error)?.is_none();
        worker.enter_state(cx, from);
        let mut result = Ok(());
        for (idx, property) in program.action_properties.iter().enumerate() {
            match worker.holds(&property.entry, from, Some(to)) {
                Ok(true) => {}
                Ok(false) => {
                    result = Err(Failure::Violated(PropertyId(idx as u32)));
                    break;
                }
                Err(error) => {
                    let phase = Phase::ActionProperty(idx as u32);
                    result = Err(Failure::Error(Fault::new(error, phase)));
                    break;
                }
            }
        }
        if result.is_ok() {
            result = self.possible(worker, Some(from), to, inside).map_err(Failure::Error);
        }
        worker.leave(cx);
        result
    }

    fn excluded(
        &self,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        state: &ModelState,
    ) -> Result<Option<ConstraintId>, Fault> {
        if self.program.constraints.is_empty() {
            return Ok(None);
        }
        worker.enter_state(cx, state);
        let mut result = Ok(None);
        for (idx, property) in self.program.constraints.iter().enumerate() {
            let held = worker.holds(&property.entry, state, None);
            if let Ok(held) = held {
                self.program.costs.constrained(property.entry.node, held);
            }
            match held {
                Ok(true) => {}
                Ok(false) => {
                    result = Ok(Some(ConstraintId(idx as u32)));
                    break;
                }
                Err(error) => {
                    result = Err(Fault::new(error, Phase::Constraint(idx as u32)));
                    break;
                }
            }
        }
        worker.leave(cx);
        result
    }

    fn step_excluded(
        &self,
        cx: &Context<'_>,
        worker: &mut ModelWorker,
        from: &ModelState,
        _action: ActionId,
        to: &ModelState,
    ) -> Result<Option<ConstraintId>, Fault> {
        if self.program.action_constraints.is_empty() {
            return Ok(None);
        }
        worker.enter_state(cx, from);
        let mut result = Ok(None);
        for (idx, property) in self.program.action_constraints.iter().enumerate() {
            let held = worker.holds(&property.entry, from, Some(to));
            if let Ok(held) = held {
                self.program.costs.constrained(property.entry.node, held);
            }
            match held {
                Ok(true) => {}
                Ok(false) => {
                    let id = self.program.constraints.len() + idx;
                    result = Ok(Some(ConstraintId(id as u32)));
                    break;
                }
                Err(error) => {
                    result = Err(Fault::new(error, Phase::ActionConstraint(idx as u32)));
                    break;
                }
            }
        }
        worker.leave(cx);
        result
    }

    fn level_ended(&self, worker: &mut ModelWorker) {
        self.collect(worker);
    }
}
