//! One worker of a breadth-first search: expands states, collects successors, and keeps what is new.
//!
//! A successor is not looked up at once. It waits in a batch while the memory where its fingerprint belongs is fetched;
//! when the batch is full, all are inserted. Then what is new is checked, and encoded into the next frontier.
//!
//! Two modes, one code. *Alone*, the worker is the leader with the table to itself, and everything happens in the order in
//! which it was emitted: first found, first reported. *Shared*, several workers run a level together; then whatever is found
//! is reported with a key that depends on the graph alone, and the smallest key decides at the fence.
//!
//! Invariant: in a shared level a worker's deliveries depend on the schedule only in who found what; their union (counts,
//! new states, findings) does not.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use lockstep_runtime::{
    Fingerprint, Key, OutOfMemory, TableError, TableLeader, TableWorker, panic_message,
};

use super::frontier::{Chunk, Frontier, Writer};
use super::links::LinkForm;
use crate::outcome::{ActionCount, Counters, Limit, Options, ViolationKind};
use crate::record::Recorder;
use crate::system::{ActionId, ConstraintId, Context, Failure, Share, TransitionSystem};

/// Successors that are looked up together.
const BATCH: usize = 32;
/// How many entries ahead the slots of states to be closed are fetched.
const AHEAD: usize = 6;

/// Why the workers should drop everything. Bits, so that the weightiest can be told at the end.
pub(super) const HALT_FOUND: u8 = 1;
pub(super) const HALT_INTERRUPT: u8 = 2;
pub(super) const HALT_MEMORY: u8 = 4;
pub(super) const HALT_OBSERVER: u8 = 8;
pub(super) const HALT_BROKEN: u8 = 16;

/// What all workers look at.
pub(super) struct Shared<'a, S: TransitionSystem, R: Recorder<S>> {
    pub(super) system: &'a S,
    pub(super) options: &'a Options,
    pub(super) recorder: &'a R,
    pub(super) form: LinkForm,
    pub(super) width: u32,
    /// The system's own wish to end.
    pub(super) stop: AtomicBool,
    /// Reasons to drop everything, [`HALT_FOUND`] and its like.
    pub(super) halt: AtomicU8,
    pub(super) live: Live,
}

/// How a shared level is getting on, for observers. Nothing that is reported at the end comes from here.
#[derive(Default)]
pub(super) struct Live {
    pub(super) generated: AtomicU64,
    pub(super) distinct: AtomicU64,
    pub(super) expanded: AtomicU64,
    pub(super) frontier_bytes: AtomicU64,
}

impl<S: TransitionSystem, R: Recorder<S>> Shared<'_, S, R> {
    pub(super) fn halt(&self, reason: u8) {
        // ORDERING: a wish; whoever misses it sees it at the next state.
        self.halt.fetch_or(reason, Ordering::Relaxed);
    }

    pub(super) fn halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed) != 0
    }

    /// Has somebody outside asked for the end? Then everybody halts.
    pub(super) fn interrupted(&self) -> bool {
        let interrupted = self.options.stop.as_ref().is_some_and(|it| it.load(Ordering::Relaxed));
        if interrupted {
            self.halt(HALT_INTERRUPT);
        }
        interrupted
    }
}

/// Where a finding stands among others: the smallest key decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FindingKey {
    /// States of the trace.
    pub(super) length: u32,
    /// The trace's last state.
    pub(super) last: Fingerprint,
    /// Invariants before properties of steps, as the search tests them.
    rank: u8,
    /// The state before the last.
    parent: Fingerprint,
}

/// Something found, and how to get there.
pub(super) struct Finding<E> {
    pub(super) key: FindingKey,
    pub(super) kind: ViolationKind<E>,
    pub(super) way: Way,
}

/// How to get to a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// There is no state to get to.
    Nowhere,
    /// The last state is in the table.
    To,
    /// The last state is one step from this one, which is in the table.
    From(Fingerprint),
    /// The last state is an initial state that is not in the table.
    Initial,
}

/// What a worker has counted since it last delivered.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) generated: u64,
    pub(super) distinct: u64,
    pub(super) expanded: u64,
    pub(super) actions: Vec<ActionCount>,
    pub(super) excluded: Vec<u64>,
    /// How many states were expanded alone with so many new successors.
    pub(super) degrees: Vec<u64>,
    /// Of each closed state, the prefix of its parent.
    pub(super) parents: Vec<u64>,
}

pub(super) fn count<T: Default + Clone>(counts: &mut Vec<T>, index: usize) -> &mut T {
    if counts.len() <= index {
        counts.resize(index + 1, T::default());
    }
    &mut counts[index]
}

impl Tally {
    pub(super) fn add(&mut self, other: Tally) {
        self.generated += other.generated;
        self.distinct += other.distinct;
        self.expanded += other.expanded;
        for (index, it) in other.actions.into_iter().enumerate() {
            let sum = count(&mut self.actions, index);
            sum.generated += it.generated;
            sum.distinct += it.distinct;
        }
        for (index, it) in other.excluded.into_iter().enumerate() {
            *count(&mut self.excluded, index) += it;
        }
        for (index, it) in other.degrees.into_iter().enumerate() {
            *count(&mut self.degrees, index) += it;
        }
        self.parents.extend(other.parents);
    }
}

/// What a worker hands over at a fence.
pub(super) struct Delivery<E> {
    pub(super) frontier: Frontier,
    pub(super) tally: Tally,
    pub(super) findings: Vec<Finding<E>>,
}

/// The table, in one of the two modes.
pub(super) enum Store<'x, 'w, 'l> {
    Shared(&'x mut TableWorker<'w>),
    Alone(&'x mut TableLeader<'l>),
}

impl Store<'_, '_, '_> {
    fn prefetch(&self, fingerprint: Fingerprint) {
        match self {
            Store::Shared(table) => table.prefetch(fingerprint),
            Store::Alone(table) => table.prefetch(fingerprint),
        }
    }

    pub(super) fn close(&mut self, fingerprint: Fingerprint) -> Option<u64> {
        match self {
            Store::Shared(table) => table.close(fingerprint),
            Store::Alone(table) => table.close(fingerprint),
        }
    }

    fn is_alone(&self) -> bool {
        matches!(self, Store::Alone(_))
    }
}

/// What is true of all states of the level being expanded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LevelInfo {
    /// Of the states being expanded; 0 while the initial states are made.
    pub(super) level: u32,
    /// Were they found by several workers, so that their links are still open?
    pub(super) tagged: bool,
    /// Under which tag new states are inserted; 0 when the worker is alone.
    pub(super) tag: u8,
    /// The counts to tell the system.
    pub(super) counters: Counters,
}

/// A successor that waits to be looked up.
struct Pending<S: TransitionSystem> {
    state: S::State,
    fingerprint: Fingerprint,
    excluded: Option<ConstraintId>,
    /// What the check of the step said; reported after the check of the state.
    step: Option<Box<Failure<S::Error>>>,
    from: Option<(Fingerprint, ActionId)>,
}

/// One worker.
pub(super) struct Worker<'a, S: TransitionSystem, R: Recorder<S>> {
    scratch: S::Worker,
    hot: Hot<'a, S, R>,
}

/// All of a worker but the system's scratch, which is lent to the system while it emits.
struct Hot<'a, S: TransitionSystem, R: Recorder<S>> {
    shared: &'a Shared<'a, S, R>,
    log: R::Log,
    info: LevelInfo,
    pending: Vec<Pending<S>>,
    writer: Writer,
    tally: Tally,
    findings: Vec<Finding<S::Error>>,
    /// New states of the state being expanded, when alone.
    degree: usize,
    /// Alone: a finding ends the search at once.
    ended: bool,
    /// A panic has left the system's scratch in doubt.
    fallen: bool,
}

impl<'a, S: TransitionSystem, R: Recorder<S>> Worker<'a, S, R> {
    pub(super) fn new(shared: &'a Shared<'a, S, R>, index: usize) -> Self {
        Worker {
            scratch: shared.system.worker(index),
            hot: Hot {
                shared,
                log: shared.recorder.log(index),
                info: LevelInfo::default(),
                pending: Vec::with_capacity(BATCH),
                writer: Writer::new(shared.width),
                tally: Tally::default(),
                findings: Vec::new(),
                degree: 0,
                ended: false,
                fallen: false,
            },
        }
    }

    pub(super) fn shared(&self) -> &'a Shared<'a, S, R> {
        self.hot.shared
    }

    pub(super) fn begin(&mut self, info: LevelInfo) {
        self.hot.info = info;
    }

    /// Has this worker found, alone, what ends the search?
    pub(super) fn ended(&self) -> bool {
        self.hot.ended
    }

    pub(super) fn fallen(&self) -> bool {
        self.hot.fallen
    }

    pub(super) fn level_ended(&mut self) {
        if self.hot.fallen {
            return;
        }
        let (scratch, hot) = (&mut self.scratch, &mut self.hot);
        let ended = catch_unwind(AssertUnwindSafe(|| hot.shared.system.level_ended(scratch)));
        if let Err(panic) = ended {
            let (kind, nothing) = (hot.fall(&*panic), Fingerprint(0));
            let key = FindingKey { length: 0, last: nothing, rank: 0, parent: nothing };
            hot.find(false, Finding { key, kind, way: Way::Nowhere });
        }
    }

    pub(super) fn scratch(&mut self) -> &mut S::Worker {
        &mut self.scratch
    }

    pub(super) fn log(&self) -> &R::Log {
        &self.hot.log
    }

    /// Goes on with another log and gives back its own.
    pub(super) fn swap_log(&mut self, log: R::Log) -> R::Log {
        std::mem::replace(&mut self.hot.log, log)
    }

    pub(super) fn into_log(self) -> R::Log {
        self.hot.log
    }

    pub(super) fn tally(&self) -> &Tally {
        &self.hot.tally
    }

    /// States and bytes written for the next level so far.
    pub(super) fn written(&self) -> (usize, usize) {
        (self.hot.writer.states(), self.hot.writer.bytes())
    }

    pub(super) fn deliver(&mut self) -> Delivery<S::Error> {
        let hot = &mut self.hot;
        Delivery {
            frontier: hot.writer.take(),
            tally: std::mem::take(&mut hot.tally),
            findings: std::mem::take(&mut hot.findings),
        }
    }

    /// Generates the initial states, alone and in order; the first `most` of them when there are more. Says whether there
    /// are more.
    pub(super) fn initial(&mut self, table: &mut TableLeader<'_>, most: u64) -> bool {
        let shared = self.hot.shared;
        let mut place = 0;
        let store = &mut Store::Alone(table);
        self.generate(store, |cx, scratch, emit| {
            shared.system.initial(cx, scratch, |scratch, state| {
                place += 1;
                if place > most { ControlFlow::Break(()) } else { emit(scratch, state) }
            })
        });
        place > most
    }

    /// Generates a share of the initial states, together with others.
    pub(super) fn initial_share(&mut self, table: &mut TableWorker<'_>, share: Share) {
        let shared = self.hot.shared;
        let store = &mut Store::Shared(table);
        self.generate(store, |cx, scratch, emit| {
            shared.system.initial_share(cx, scratch, share, emit)
        });
    }

    fn generate(
        &mut self,
        store: &mut Store<'_, '_, '_>,
        states: impl FnOnce(
            &Context<'_>,
            &mut S::Worker,
            &mut dyn FnMut(&mut S::Worker, S::State) -> ControlFlow<()>,
        ) -> Result<(), S::Error>,
    ) {
        let (scratch, hot) = (&mut self.scratch, &mut self.hot);
        let shared = hot.shared;
        let cx = Context { level: 1, counters: hot.info.counters, stop: &shared.stop };
        let result = catch_unwind(AssertUnwindSafe(|| {
            states(&cx, scratch, &mut |scratch, state| {
                hot.arrive(scratch, store, &cx, None, state);
                // Interrupts are looked for here, too: initial states may be many.
                if hot.ended || hot.fallen || shared.halted() || shared.interrupted() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
        }));
        hot.flush(scratch, store);
        let kind = match result {
            Ok(Ok(())) => return,
            Ok(Err(error)) => ViolationKind::Error(error),
            Err(panic) => hot.fall(&*panic),
        };
        if !hot.ended {
            let nothing = Fingerprint(0);
            let key = FindingKey { length: 0, last: nothing, rank: 0, parent: nothing };
            hot.find(store.is_alone(), Finding { key, kind, way: Way::Nowhere });
        }
    }

    /// Expands the states of a chunk. Stops early when the search has ended, the workers should halt or the system fell.
    pub(super) fn expand_chunk(
        &mut self,
        store: &mut Store<'_, '_, '_>,
        chunk: &Chunk,
        between: &mut dyn FnMut(&mut Self) -> ControlFlow<()>,
    ) {
        let width = self.hot.shared.width;
        let mut ahead = chunk.entries(width);
        if self.hot.info.tagged {
            for (fingerprint, _) in ahead.by_ref().take(AHEAD) {
                store.prefetch(fingerprint);
            }
        }
        for (fingerprint, bytes) in chunk.entries(width) {
            if self.hot.info.tagged {
                if let Some((next, _)) = ahead.next() {
                    store.prefetch(next);
                }
                let link = store.close(fingerprint);
                self.hot.credit(link);
            }
            self.expand(store, fingerprint, bytes);
            if self.hot.ended
                || self.hot.fallen
                || self.hot.shared.halted()
                || between(self).is_break()
            {
                return;
            }
        }
    }

    /// Inserts what still waits.
    pub(super) fn flush(&mut self, store: &mut Store<'_, '_, '_>) {
        self.hot.flush(&mut self.scratch, store);
    }

    /// Counts what a state's link tells once it is settled, for states that are not to be expanded.
    pub(super) fn credit(&mut self, link: Option<u64>) {
        self.hot.credit(link);
    }

    fn expand(&mut self, store: &mut Store<'_, '_, '_>, fingerprint: Fingerprint, bytes: &[u8]) {
        let (scratch, hot) = (&mut self.scratch, &mut self.hot);
        let shared = hot.shared;
        let level = hot.info.level;
        let cx = Context { level, counters: hot.info.counters, stop: &shared.stop };
        let mut emitted = 0u64;
        hot.degree = 0;
        let result = catch_unwind(AssertUnwindSafe(|| {
            let state = shared.system.decode(scratch, bytes);
            if R::ACTIVE {
                shared.recorder.state(&mut hot.log, &cx, scratch, &state, fingerprint)?;
            }
            shared.system.successors(&cx, scratch, &state, |scratch, action, next| {
                emitted += 1;
                hot.arrive(scratch, store, &cx, Some((&state, fingerprint, action)), next);
                if hot.ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        }));
        hot.tally.expanded += 1;
        hot.tally.generated += shared.system.take_passing_states(scratch);
        if store.is_alone() {
            // In order: what this state's successors have to tell comes before what the state itself has, and before all
            // that the next state has.
            hot.flush(scratch, store);
            *count(&mut hot.tally.degrees, hot.degree) += 1;
        }
        let kind = match result {
            Ok(Ok(())) if emitted > 0 || !shared.options.check_deadlock => return,
            Ok(Ok(())) => ViolationKind::Deadlock,
            Ok(Err(error)) => ViolationKind::Error(error),
            Err(panic) => hot.fall(&*panic),
        };
        if !hot.ended {
            let parent = Fingerprint(0);
            let key = FindingKey { length: level, last: fingerprint, rank: 0, parent };
            hot.find(store.is_alone(), Finding { key, kind, way: Way::To });
        }
    }
}

impl<S: TransitionSystem, R: Recorder<S>> Hot<'_, S, R> {
    /// Takes in one generated state.
    fn arrive(
        &mut self,
        scratch: &mut S::Worker,
        store: &mut Store<'_, '_, '_>,
        cx: &Context<'_>,
        from: Option<(&S::State, Fingerprint, ActionId)>,
        state: S::State,
    ) {
        match self.look_at(scratch, cx, from, state) {
            Ok(pending) => {
                if pending.excluded.is_none() {
                    store.prefetch(pending.fingerprint);
                }
                self.pending.push(pending);
                if self.pending.len() == BATCH {
                    self.flush(scratch, store);
                }
            }
            Err((error, last)) => {
                // Everything before it is reported before it.
                self.flush(scratch, store);
                if self.ended {
                    return;
                }
                self.tally.generated += 1;
                let level = self.info.level;
                let (length, parent, way) = match (from, last) {
                    (Some((_, parent, _)), Some(_)) => (level + 1, parent, Way::From(parent)),
                    (Some((_, parent, _)), None) => (level, parent, Way::To),
                    (None, Some(_)) => (1, Fingerprint(0), Way::Initial),
                    (None, None) => (0, Fingerprint(0), Way::Nowhere),
                };
                let last = last.unwrap_or(parent);
                let key = FindingKey { length, last, rank: 3, parent };
                let kind = ViolationKind::Error(error);
                self.find(store.is_alone(), Finding { key, kind, way });
            }
        }
    }

    /// Everything there is to ask about a generated state before it is known whether it is new. An error comes with the
    /// fingerprint, where there is one already.
    fn look_at(
        &mut self,
        scratch: &mut S::Worker,
        cx: &Context<'_>,
        from: Option<(&S::State, Fingerprint, ActionId)>,
        state: S::State,
    ) -> Result<Pending<S>, (S::Error, Option<Fingerprint>)> {
        let Shared { system, recorder, width, .. } = *self.shared;
        let fingerprint = system.fingerprint(scratch, &state).map_err(|error| (error, None))?;
        let fingerprint = Fingerprint(fingerprint.0 >> (128 - width) << (128 - width));
        let error = |error| (error, Some(fingerprint));
        let own = Context { level: self.info.level + 1, counters: cx.counters, stop: cx.stop };
        let mut excluded = system.excluded(&own, scratch, &state).map_err(error)?;
        let mut step = None;
        if let Some((parent, parent_print, action)) = from {
            if excluded.is_none() {
                excluded =
                    system.step_excluded(cx, scratch, parent, action, &state).map_err(error)?;
            }
            // In a box: it is nearly never there, and what waits should be small.
            step = system.check_step(cx, scratch, parent, action, &state).err().map(Box::new);
            if R::ACTIVE && excluded.is_none() {
                let (from, to) = ((parent, parent_print), (&state, fingerprint));
                recorder.edge(&mut self.log, cx, scratch, from, action, to).map_err(error)?;
            }
        }
        let from = from.map(|(_, parent, action)| (parent, action));
        Ok(Pending { state, fingerprint, excluded, step, from })
    }

    /// Looks up what waits and deals with it.
    fn flush(&mut self, scratch: &mut S::Worker, store: &mut Store<'_, '_, '_>) {
        if self.pending.is_empty() {
            return;
        }
        let form = self.shared.form;
        let key = |it: &Pending<S>| Key {
            fingerprint: it.fingerprint,
            link: it.from.map_or(0, |(parent, action)| form.link(parent, action)),
        };
        let mut pending = std::mem::take(&mut self.pending);
        let mut new = 0u64;
        if let Store::Shared(table) = store {
            let mut keys = [Key { fingerprint: Fingerprint(0), link: 0 }; BATCH];
            let mut places = [0; BATCH];
            let mut n = 0;
            for (place, it) in pending.iter().enumerate().filter(|it| it.1.excluded.is_none()) {
                keys[n] = key(it);
                places[n] = place;
                n += 1;
            }
            match table.insert(&keys[..n], self.info.tag) {
                Ok(answer) if n == pending.len() => new = answer,
                Ok(answer) => {
                    for (i, place) in places[..n].iter().enumerate() {
                        new |= (answer >> i & 1) << place;
                    }
                }
                Err(TableError::OutOfMemory) => self.shared.halt(HALT_MEMORY),
                Err(TableError::Broken) => self.shared.halt(HALT_BROKEN),
            }
        }
        for (place, it) in pending.drain(..).enumerate() {
            if self.ended {
                break;
            }
            let is_new = match store {
                Store::Alone(table) if it.excluded.is_none() => match table.insert(key(&it), 0) {
                    Ok(is_new) => is_new,
                    Err(OutOfMemory) => {
                        self.shared.halt(HALT_MEMORY);
                        self.ended = true;
                        break;
                    }
                },
                Store::Alone(_) => false,
                Store::Shared(_) => new >> place & 1 == 1,
            };
            self.settle(scratch, store.is_alone(), it, is_new);
        }
        self.pending = pending;
    }

    /// Counts, checks and keeps one generated state.
    fn settle(&mut self, scratch: &mut S::Worker, alone: bool, it: Pending<S>, is_new: bool) {
        let shared = self.shared;
        let level = self.info.level + 1;
        self.tally.generated += 1;
        if let Some((_, action)) = it.from {
            let sums = count(&mut self.tally.actions, action.0 as usize);
            sums.generated += 1;
            // In a shared level it is the fence that knows whose a new state is.
            sums.distinct += u64::from(is_new && alone);
        }
        if let Some(constraint) = it.excluded {
            *count(&mut self.tally.excluded, constraint.0 as usize) += 1;
        }
        if is_new {
            self.tally.distinct += 1;
            self.degree += 1;
        }
        let parent = it.from.map_or(Fingerprint(0), |(parent, _)| parent);
        let way = match it.from {
            _ if it.excluded.is_none() => Way::To,
            Some((parent, _)) => Way::From(parent),
            None => Way::Initial,
        };
        if is_new || it.excluded.is_some() {
            let counters = self.info.counters;
            let cx = Context { level, counters, stop: &shared.stop };
            let result = catch_unwind(AssertUnwindSafe(|| {
                shared.system.check_state(&cx, scratch, &it.state)?;
                if R::ACTIVE && is_new && it.from.is_none() {
                    let print = it.fingerprint;
                    shared.recorder.initial(&mut self.log, &cx, scratch, &it.state, print)?;
                }
                Ok(())
            }));
            let kind = match result {
                Ok(Ok(())) => None,
                Ok(Err(Failure::Violated(property))) => Some(ViolationKind::State(property)),
                Ok(Err(Failure::Error(error))) => Some(ViolationKind::Error(error)),
                Err(panic) => Some(self.fall(&*panic)),
            };
            if let Some(kind) = kind {
                // A new state's parent is for the links to tell, not for whoever came first.
                let parent = if way == Way::To { Fingerprint(0) } else { parent };
                let key = FindingKey { length: level, last: it.fingerprint, rank: 1, parent };
                self.find(alone, Finding { key, kind, way });
                if self.ended || self.fallen {
                    return;
                }
            }
        }
        if let Some(failure) = it.step {
            let kind = match *failure {
                Failure::Violated(property) => ViolationKind::Step(property),
                Failure::Error(error) => ViolationKind::Error(error),
            };
            let key = FindingKey { length: level, last: it.fingerprint, rank: 2, parent };
            self.find(alone, Finding { key, kind, way: Way::From(parent) });
            if self.ended {
                return;
            }
        }
        if is_new {
            let writer = &mut self.writer;
            writer.state.clear();
            let encoded = catch_unwind(AssertUnwindSafe(|| {
                shared.system.encode(scratch, &it.state, &mut writer.state);
            }));
            match encoded {
                Ok(()) => self.writer.push(it.fingerprint),
                Err(panic) => {
                    let kind = self.fall(&*panic);
                    let parent = Fingerprint(0);
                    let key = FindingKey { length: level, last: it.fingerprint, rank: 1, parent };
                    self.find(alone, Finding { key, kind, way: Way::To });
                }
            }
        }
    }

    /// Keeps a finding, if it can still be one of those that are reported.
    fn find(&mut self, alone: bool, finding: Finding<S::Error>) {
        let options = self.shared.options;
        let going_on = options.continue_after_violation
            && !matches!(finding.kind, ViolationKind::Error(_) | ViolationKind::Panic(_));
        let most = if options.continue_after_violation { options.max_violations.max(1) } else { 1 };
        self.findings.push(finding);
        if alone {
            self.ended |= !going_on || self.findings.len() >= most;
            return;
        }
        if options.stop_at_once {
            self.shared.halt(HALT_FOUND);
        }
        if self.findings.len() > 2 * most {
            prune(&mut self.findings, most);
        }
    }

    /// The system panicked: this worker does nothing more.
    fn fall(&mut self, panic: &(dyn std::any::Any + Send)) -> ViolationKind<S::Error> {
        self.fallen = true;
        ViolationKind::Panic(panic_message(panic).to_owned())
    }

    /// Counts what a state's link tells once it is settled.
    fn credit(&mut self, link: Option<u64>) {
        let form = self.shared.form;
        let Some(link) = link else { return };
        if let Some(action) = form.action(link) {
            count(&mut self.tally.actions, action.0 as usize).distinct += 1;
        }
        if self.shared.options.outdegree
            && let Some(parent) = form.parent(link)
        {
            self.tally.parents.push(parent);
        }
    }
}

/// Keeps the `most` smallest findings, in order.
pub(super) fn prune<E>(findings: &mut Vec<Finding<E>>, most: usize) {
    findings.sort_by_key(|finding| finding.key);
    findings.truncate(most);
}

/// The limit that a halt stands for, if it is one.
pub(super) fn halt_limit(reasons: u8) -> Option<Limit> {
    (reasons & HALT_MEMORY != 0).then_some(Limit::Memory)
}
