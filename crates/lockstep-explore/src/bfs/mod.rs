//! Breadth-first search, level by level, by any number of workers.
//!
//! A level ends at a fence. There the leader gathers what the workers deliver, decides whether the search is over, and
//! hands out the next level. A level with few states the leader expands by itself, first in, first out, exactly as TLC
//! with one worker does; so do all of them, until there is a large one. A large level is shared by all workers (one is
//! enough) under rules that no schedule can bend: a state's parent is the smallest of the level before that leads to it,
//! and of all that is found in a level, which is always finished, the smallest decides.
//!
//! Invariant: which levels are shared depends on their sizes alone. So verdict, counts, traces and coverage are functions
//! of the system and the options, not of the number of workers or of time (interrupts and observers excepted).

mod frontier;
mod links;
mod report;
mod resume;
mod worker;

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use lockstep_runtime::{
    FingerprintTable, Ranges, TableError, TableLeader, TableWorker, WorkerPool, WorkerPoolBuilder,
    merge_keyed,
};

use self::frontier::{Chunk, Frontier};
use self::links::LinkForm;
use self::report::Degrees;
use self::worker::{
    Delivery, Finding, HALT_INTERRUPT, HALT_OBSERVER, LevelInfo, Live, Shared, Store, Tally,
    Worker, halt_limit, prune,
};
use crate::checkpoint::{Checkpoints, NoCheckpoints};
use crate::outcome::{
    Command, Counters, Limit, Options, Outcome, Progress, Statistics, Stop, Verdict, ViolationKind,
};
use crate::record::{NoRecorder, Recorder};
use crate::system::{Share, TransitionSystem};

/// Expanded states between two calls of the observer within a level.
const TICK: u64 = 256;

/// What a search came to, and the logs of its recorder.
pub type Explored<E, L> = (Outcome<E>, Vec<L>);

/// Explores `system` and records nothing. See [`explore`].
pub fn check<S: TransitionSystem>(system: &S, options: &Options) -> Outcome<S::Error> {
    explore(system, options, &NoRecorder, &mut |_| Command::Continue).0
}

/// Explores `system`, lets `recorder` listen and tells `observe` how it goes.
///
/// `observe` is called on the calling thread, which is worker 0: at every fence, and every few hundred states. It should be
/// quick; it may look at a clock and end the search. The logs of the recorder come back in the order of the workers.
///
/// # Panics
/// When `observe` or the recorder's `log` panics. A panic of the system is a finding instead.
pub fn explore<S: TransitionSystem, R: Recorder<S>>(
    system: &S,
    options: &Options,
    recorder: &R,
    observe: &mut dyn FnMut(&Progress) -> Command,
) -> (Outcome<S::Error>, Vec<R::Log>) {
    let result = explore_kept(system, options, recorder, &mut NoCheckpoints, observe);
    match result {
        Ok(it) => it,
        Err(_) => unreachable!("without checkpoints there is none that cannot be used"),
    }
}

/// As [`explore`], with checkpoints at fences, and from one if there is one to go on from.
///
/// # Errors
/// The checkpoint to go on from cannot be used.
///
/// # Panics
/// As [`explore`].
pub fn explore_kept<S: TransitionSystem, R: Recorder<S>>(
    system: &S,
    options: &Options,
    recorder: &R,
    checkpoints: &mut dyn Checkpoints,
    observe: &mut dyn FnMut(&Progress) -> Command,
) -> io::Result<Explored<S::Error, R::Log>> {
    let start = checkpoints.open()?;
    let form = LinkForm { with_actions: options.coverage };
    let Ok(mut table) = FingerprintTable::new(options.table_slots, form.links()) else {
        let statistics = Statistics::default();
        let verdict = Verdict::Limit(Limit::Memory);
        return Ok((Outcome { verdict, violations: Vec::new(), statistics }, Vec::new()));
    };
    if let Some(bytes) = options.max_memory {
        table.limit_bytes(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    let pool = WorkerPoolBuilder {
        workers: options.workers,
        stack_size: options.stack_size,
        name: "explorer".to_owned(),
    }
    .build();
    let shared = Shared {
        system,
        options,
        recorder,
        form,
        width: table.width(),
        stop: AtomicBool::new(false),
        halt: AtomicU8::new(0),
        live: Live::default(),
    };
    search(&shared, &pool, &mut table, (checkpoints, start), observe)
}

fn search<S: TransitionSystem, R: Recorder<S>>(
    shared: &Shared<'_, S, R>,
    pool: &WorkerPool,
    table: &mut FingerprintTable,
    (checkpoints, start): (&mut dyn Checkpoints, Option<Box<dyn Read>>),
    observe: &mut dyn FnMut(&Progress) -> Command,
) -> io::Result<Explored<S::Error, R::Log>> {
    let workers = pool.workers();
    let mut handles: Vec<Mutex<Option<TableWorker<'_>>>> =
        table.split(workers).into_iter().map(|handle| Mutex::new(Some(handle))).collect();
    let first = handles[0].get_mut().unwrap_or_else(PoisonError::into_inner).take();
    let stage = Stage {
        plan: RwLock::new(Plan { go: true, ..Plan::default() }),
        ranges: Ranges::new(workers),
        deliveries: (0..workers).map(|_| Mutex::new(None)).collect(),
        logs: (0..workers).map(|_| Mutex::new(None)).collect(),
    };
    let result = pool.run_led(
        || {
            let mut table = first.expect("the leader's handle");
            let mut me = Worker::new(shared, 0);
            let mut leader = Leader::new(shared, &stage, checkpoints, observe);
            leader.start = start;
            let result = lead(&mut leader, &mut me, &mut table);
            if result.is_err() {
                // Another worker has fallen in a way that it could not catch; its panic is reported by the pool.
                return None;
            }
            if let Some(error) = leader.unusable {
                return Some(Err(error));
            }
            let mut logs = leader.kept;
            let outcome = leader.outcome?;
            logs.push(me.into_log());
            Some(Ok((outcome, logs)))
        },
        |worker| {
            let Some(mut table) = lock(&handles[worker]).take() else { return };
            let mut me = Worker::new(shared, worker);
            // The leader sees a broken table by itself.
            let _ = follow(&stage, &mut me, &mut table);
        },
    );
    match result {
        Ok(Some(result)) => result.map(|(outcome, mut logs)| {
            logs.extend(stage.logs.iter().filter_map(|log| lock(log).take()));
            (outcome, logs)
        }),
        Ok(None) => unreachable!("a search breaks only when a worker panics"),
        Err(panic) => panic.resume(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the leader hands out at a fence.
#[derive(Default)]
struct Plan {
    /// Is there a level to expand, or to begin with?
    go: bool,
    /// Initial states are to be generated, from this place in their order on.
    initial: Option<u64>,
    info: LevelInfo,
    chunks: Vec<Mutex<Option<Chunk>>>,
}

/// Where leader and workers put things down for each other.
struct Stage<E, L> {
    plan: RwLock<Plan>,
    ranges: Ranges,
    deliveries: Vec<Mutex<Option<Delivery<E>>>>,
    logs: Vec<Mutex<Option<L>>>,
}

fn lead<S: TransitionSystem, R: Recorder<S>>(
    leader: &mut Leader<'_, S, R>,
    me: &mut Worker<'_, S, R>,
    table: &mut TableWorker<'_>,
) -> Result<(), TableError> {
    table.meet(|table| leader.initial(me, table))?;
    while read(&leader.stage.plan).go {
        let stage = leader.stage;
        run_level(leader.shared, stage, me, table, &mut || leader.tick());
        *lock(&stage.deliveries[0]) = Some(me.deliver());
        table.meet(|table| leader.gather(me, table))?;
    }
    Ok(())
}

fn follow<S: TransitionSystem, R: Recorder<S>>(
    stage: &Stage<S::Error, R::Log>,
    me: &mut Worker<'_, S, R>,
    table: &mut TableWorker<'_>,
) -> Result<(), TableError> {
    table.meet(|_| ())?;
    let log = &stage.logs[table.worker()];
    while read(&stage.plan).go {
        let shared = me.shared();
        // At a fence the log lies where the leader can read it.
        if let Some(log) = lock(log).take() {
            me.swap_log(log);
        }
        run_level(shared, stage, me, table, &mut || {});
        *lock(&stage.deliveries[table.worker()]) = Some(me.deliver());
        me.level_ended();
        *lock(log) = Some(me.swap_log(shared.recorder.log(table.worker())));
        table.meet(|_| ())?;
    }
    Ok(())
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// One worker's part of a shared level.
fn run_level<S: TransitionSystem, R: Recorder<S>>(
    shared: &Shared<'_, S, R>,
    stage: &Stage<S::Error, R::Log>,
    me: &mut Worker<'_, S, R>,
    table: &mut TableWorker<'_>,
    tick: &mut dyn FnMut(),
) {
    let plan = read(&stage.plan);
    me.begin(plan.info);
    let worker = table.worker();
    if let Some(from) = plan.initial {
        let parts = stage.deliveries.len() as u64;
        me.initial_share(table, Share { from, part: worker as u64, parts });
        return;
    }
    let store = &mut Store::Shared(table);
    let live = &shared.live;
    let mut told = (0, 0, 0, 0);
    while let Some(range) = stage.ranges.take(worker, 1) {
        for index in range {
            let Some(chunk) = lock(&plan.chunks[index as usize]).take() else { continue };
            if shared.halted() || shared.interrupted() || me.fallen() {
                continue;
            }
            me.expand_chunk(store, &chunk, &mut |me| {
                if me.tally().expanded % TICK == 0 {
                    tick();
                    shared.interrupted();
                }
                ControlFlow::Continue(())
            });
            let tally = me.tally();
            let now = (tally.generated, tally.distinct, tally.expanded, me.written().1 as u64);
            // ORDERING: relaxed; these are for progress alone.
            live.generated.fetch_add(now.0 - told.0, Ordering::Relaxed);
            live.distinct.fetch_add(now.1 - told.1, Ordering::Relaxed);
            live.expanded.fetch_add(now.2 - told.2, Ordering::Relaxed);
            let freed = chunk.bytes() as u64;
            live.frontier_bytes.fetch_add((now.3 - told.3).wrapping_sub(freed), Ordering::Relaxed);
            told = now;
        }
    }
    me.flush(store);
}

/// Worker 0 in its other role.
struct Leader<'a, S: TransitionSystem, R: Recorder<S>> {
    shared: &'a Shared<'a, S, R>,
    stage: &'a Stage<S::Error, R::Log>,
    observe: &'a mut dyn FnMut(&Progress) -> Command,
    checkpoints: Box<dyn Checkpoints + 'a>,
    /// The checkpoint to go on from.
    start: Option<Box<dyn Read>>,
    /// What is wrong with it.
    unusable: Option<io::Error>,
    /// What a recorder had heard before the checkpoint.
    kept: Vec<R::Log>,
    /// The states of the level to be expanded next.
    frontier: Frontier,
    /// The level of those states.
    level: u32,
    /// Were they found by several workers?
    tagged: bool,
    /// Do they stand in the order in which they were found?
    ordered: bool,
    totals: Tally,
    degrees: Degrees,
    /// States that were taken up but not expanded, because the search ended.
    unexpanded: u64,
    initial: (u64, u64),
    /// What the first initial states have brought, while the others are generated by all workers.
    begun: Option<Tally>,
    levels: Vec<u64>,
    counters: Counters,
    findings: Vec<Finding<S::Error>>,
    observed: Option<Limit>,
    table_bytes: u64,
    frontier_most: u64,
    outcome: Option<Outcome<S::Error>>,
}

impl<'a, S: TransitionSystem, R: Recorder<S>> Leader<'a, S, R> {
    fn new(
        shared: &'a Shared<'a, S, R>,
        stage: &'a Stage<S::Error, R::Log>,
        checkpoints: &'a mut dyn Checkpoints,
        observe: &'a mut dyn FnMut(&Progress) -> Command,
    ) -> Self {
        Leader {
            shared,
            stage,
            observe,
            checkpoints: Box::new(checkpoints),
            start: None,
            unusable: None,
            kept: Vec::new(),
            frontier: Frontier::default(),
            level: 0,
            tagged: false,
            ordered: true,
            totals: Tally::default(),
            degrees: Degrees::default(),
            unexpanded: 0,
            initial: (0, 0),
            begun: None,
            levels: Vec::new(),
            counters: Counters::default(),
            findings: Vec::new(),
            observed: None,
            table_bytes: 0,
            frontier_most: 0,
            outcome: None,
        }
    }

    /// The first step: generates the initial states, and goes on with levels until there is one to share. When there are
    /// very many initial states, all but the first are shared, too.
    fn initial(&mut self, me: &mut Worker<'_, S, R>, table: &mut TableLeader<'_>) {
        me.begin(LevelInfo::default());
        if let Some(mut start) = self.start.take() {
            self.restore(&mut start, me, table);
            return;
        }
        let shares = self.shared.system.shares_initial();
        let most = if shares { self.shared.options.serial_below as u64 } else { u64::MAX };
        let more = me.initial(table, most);
        let delivery = me.deliver();
        if more && !me.ended() && !me.fallen() && !self.shared.halted() {
            self.frontier = delivery.frontier;
            self.findings = delivery.findings;
            self.begun = Some(delivery.tally);
            let mut plan = self.stage.plan.write().unwrap_or_else(PoisonError::into_inner);
            plan.info = LevelInfo { tag: 1, ..LevelInfo::default() };
            plan.initial = Some(most);
            return;
        }
        self.initial = (delivery.tally.generated, delivery.tally.distinct);
        self.take_alone(delivery);
        self.advance(me, table);
    }

    /// The step after a shared level.
    fn gather(&mut self, me: &mut Worker<'_, S, R>, table: &mut TableLeader<'_>) {
        let most = self.most_findings();
        let begun = self.begun.take();
        let is_initial = begun.is_some();
        if !is_initial {
            self.frontier = Frontier::default();
        }
        let (mut runs, mut sum) = (Vec::new(), begun.unwrap_or_default());
        for slot in &self.stage.deliveries {
            let Some(delivery) = lock(slot).take() else { continue };
            self.frontier.append(delivery.frontier);
            sum.add(delivery.tally);
            let mut findings = delivery.findings;
            prune(&mut findings, most);
            runs.push(findings.into_iter().map(|it| (it.key, it)).collect());
        }
        let room = most.saturating_sub(self.findings.len());
        let mut found: Vec<_> = merge_keyed(runs).into_iter().map(|it| it.1).collect();
        // What goes wrong before there is a state goes wrong on every worker that generates initial states.
        found.dedup_by_key(|it| (it.key.length == 0).then_some(0).ok_or(it.key));
        self.findings.extend(found.into_iter().take(room));
        if is_initial {
            self.initial = (sum.generated, sum.distinct);
            // Their links name no parents, so the level before has no states to be told of.
            self.degrees.shared_level(&mut sum, false);
        } else {
            let waited = self.levels.last().copied().unwrap_or(0);
            self.unexpanded += waited.saturating_sub(sum.expanded);
            self.degrees.shared_level(&mut sum, self.tagged);
        }
        self.took(sum);
        self.tagged = true;
        self.ordered = false;
        me.level_ended();
        self.advance(me, table);
    }

    /// Adds up what a level has brought.
    fn took(&mut self, tally: Tally) {
        self.level += 1;
        if tally.distinct > 0 {
            self.levels.push(tally.distinct);
        }
        self.totals.add(tally);
    }

    fn most_findings(&self) -> usize {
        let options = self.shared.options;
        if options.continue_after_violation { options.max_violations.max(1) } else { 1 }
    }

    /// Takes over what was delivered by a level that the leader ran alone.
    fn take_alone(&mut self, delivery: Delivery<S::Error>) {
        let mut tally = delivery.tally;
        self.frontier = delivery.frontier;
        let room = self.most_findings().saturating_sub(self.findings.len());
        self.findings.extend(delivery.findings.into_iter().take(room));
        self.degrees.level_alone(&mut tally, self.tagged);
        self.took(tally);
        self.tagged = false;
        self.ordered = true;
    }

    /// Goes on until the search is over or there is a level to share.
    fn advance(&mut self, me: &mut Worker<'_, S, R>, table: &mut TableLeader<'_>) {
        loop {
            self.count(table);
            if let Some(verdict) = self.verdict() {
                self.finish(verdict, me, table);
                return;
            }
            self.checkpoint(me, table);
            let alone = self.frontier.states < self.shared.options.serial_below;
            let tag = if alone { 0 } else { 1 + (self.level % 2) as u8 };
            let info =
                LevelInfo { level: self.level, tagged: self.tagged, tag, counters: self.counters };
            if !alone {
                self.share(info);
                return;
            }
            self.run_alone(info, me, table);
        }
    }

    /// Brings the counts up to the end of a level.
    fn count(&mut self, table: &TableLeader<'_>) {
        self.counters = Counters {
            generated: self.totals.generated,
            distinct: self.totals.distinct,
            queue: self.frontier.states as u64 + self.unexpanded,
            depth: self.levels.len() as u32,
        };
        self.table_bytes = table.bytes() as u64;
        self.frontier_most = self.frontier_most.max(self.frontier.bytes as u64);
        let live = &self.shared.live;
        live.generated.store(self.counters.generated, Ordering::Relaxed);
        live.distinct.store(self.counters.distinct, Ordering::Relaxed);
        live.expanded.store(0, Ordering::Relaxed);
        live.frontier_bytes.store(self.frontier.bytes as u64, Ordering::Relaxed);
    }

    /// How the search has ended, if it has.
    fn verdict(&mut self) -> Option<Verdict> {
        let options = self.shared.options;
        if self.must_end() {
            return Some(Verdict::Violated);
        }
        let reasons = self.shared.halt.load(Ordering::Relaxed);
        if let Some(limit) = halt_limit(reasons) {
            return Some(Verdict::Limit(limit));
        }
        if reasons & HALT_INTERRUPT != 0 || self.shared.interrupted() {
            return Some(Verdict::Stopped(Stop::Interrupt));
        }
        if reasons & HALT_OBSERVER != 0 {
            return Some(Verdict::Limit(self.observed.unwrap_or(Limit::Time)));
        }
        if self.shared.stop.load(Ordering::Relaxed) {
            return Some(Verdict::Stopped(Stop::System));
        }
        let progress = self.progress(true);
        if let Command::Stop(limit) = (self.observe)(&progress) {
            return Some(Verdict::Limit(limit));
        }
        if self.frontier.states == 0 {
            return Some(Verdict::Ok);
        }
        let bytes = self.table_bytes + self.frontier.bytes as u64;
        if options.max_states.is_some_and(|most| self.counters.distinct >= most) {
            Some(Verdict::Limit(Limit::States))
        } else if options.max_depth.is_some_and(|most| self.level > most) {
            Some(Verdict::Limit(Limit::Depth))
        } else if options.max_memory.is_some_and(|most| bytes > most) {
            Some(Verdict::Limit(Limit::Memory))
        } else {
            None
        }
    }

    fn must_end(&self) -> bool {
        let fatal = |kind: &ViolationKind<_>| {
            matches!(kind, ViolationKind::Error(_) | ViolationKind::Panic(_))
        };
        !self.findings.is_empty()
            && (!self.shared.options.continue_after_violation
                || self.findings.len() >= self.most_findings()
                || self.findings.iter().any(|it| fatal(&it.kind)))
    }

    fn progress(&self, at_fence: bool) -> Progress {
        // ORDERING: relaxed; within a level these are estimates, at a fence nobody else writes them.
        let live = &self.shared.live;
        let (distinct, expanded) =
            (live.distinct.load(Ordering::Relaxed), live.expanded.load(Ordering::Relaxed));
        let queue = (self.counters.queue + distinct)
            .saturating_sub(self.counters.distinct)
            .saturating_sub(expanded);
        Progress {
            counters: Counters {
                generated: live.generated.load(Ordering::Relaxed),
                distinct,
                queue,
                depth: self.counters.depth,
            },
            at_fence,
            table_bytes: self.table_bytes,
            frontier_bytes: live.frontier_bytes.load(Ordering::Relaxed),
        }
    }

    /// Tells the observer within a level, and looks whether the memory still suffices.
    fn tick(&mut self) {
        let progress = self.progress(false);
        if let Command::Stop(limit) = (self.observe)(&progress) {
            self.observed = Some(limit);
            self.shared.halt(HALT_OBSERVER);
        }
        let most = self.shared.options.max_memory;
        if most.is_some_and(|most| progress.table_bytes + progress.frontier_bytes > most) {
            self.observed = Some(Limit::Memory);
            self.shared.halt(HALT_OBSERVER);
        }
    }

    /// Hands the frontier out to all workers.
    fn share(&mut self, info: LevelInfo) {
        let frontier = std::mem::take(&mut self.frontier);
        let mut plan = self.stage.plan.write().unwrap_or_else(PoisonError::into_inner);
        plan.info = info;
        plan.initial = None;
        plan.chunks = frontier.chunks.into_iter().map(|chunk| Mutex::new(Some(chunk))).collect();
        self.stage.ranges.deal(plan.chunks.len() as u32);
    }

    /// Expands the frontier, first in, first out.
    fn run_alone(
        &mut self,
        mut info: LevelInfo,
        me: &mut Worker<'_, S, R>,
        table: &mut TableLeader<'_>,
    ) {
        let mut frontier = std::mem::take(&mut self.frontier);
        if !self.ordered {
            frontier = frontier.sorted(self.shared.width);
        }
        let shared = self.shared;
        let waiting = frontier.states as u64;
        for chunk in frontier.chunks {
            let base = (self.counters.generated, self.counters.distinct, self.levels.len() as u32);
            let mut now = |me: &mut Worker<'_, S, R>| {
                let tally = me.tally();
                let next = me.written().0 as u64;
                info.counters = Counters {
                    generated: base.0 + tally.generated,
                    distinct: base.1 + tally.distinct,
                    queue: waiting - tally.expanded + next,
                    depth: base.2 + u32::from(next > 0),
                };
                me.begin(info);
            };
            now(me);
            me.expand_chunk(&mut Store::Alone(table), &chunk, &mut |me| {
                now(me);
                let over = shared.interrupted() || shared.stop.load(Ordering::Relaxed);
                if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            let over = me.ended() || me.fallen() || shared.halted();
            if over || shared.stop.load(Ordering::Relaxed) {
                break;
            }
        }
        let delivery = me.deliver();
        // Not 0 only when the search has ended.
        self.unexpanded += waiting - delivery.tally.expanded;
        self.take_alone(delivery);
        me.level_ended();
    }
}
