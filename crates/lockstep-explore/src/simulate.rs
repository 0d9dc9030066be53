//! Random walks.
//!
//! A walk starts in an initial state drawn at random; at each state all successors are generated and checked. Of the actions
//! that have a successor in the model one is drawn, then one of its successors: drawn among all successors, actions with many
//! bindings would crowd out the others. It ends at its depth, where no successor is in the model, or with a finding.
//!
//! Invariant: what walk *i* does is a function of the seed and *i*. Workers take walks in turn; of all findings the one with
//! the lowest walk decides, and only walks up to that one count. So the number of workers does not show.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use lockstep_runtime::{Broken, Fence, Fingerprint, Tickets, WorkerPoolBuilder, panic_message};

use crate::outcome::{Command, Counters, Stop, TraceStep, Verdict, Violation, ViolationKind};
use crate::random::Random;
use crate::system::{ActionId, Context, Failure, TransitionSystem};

/// Walks between two fences, at first; they double up to [`WAVE_MOST`].
const WAVE_START: u64 = 32;
const WAVE_MOST: u64 = 1024;

/// How to walk.
#[derive(Debug, Clone)]
pub struct WalkOptions {
    /// Decides every choice.
    pub seed: u64,
    /// How many walks; `None` for no end but a finding, a wish or the observer's.
    pub walks: Option<u64>,
    /// States of a walk at most.
    pub depth: u32,
    /// Workers, the calling thread included; 0 means as many as the system runs at the same time.
    pub workers: usize,
    /// Bytes of stack for each worker's thread but the caller's.
    pub stack_size: Option<usize>,
    /// Is a state without successors an error?
    pub check_deadlock: bool,
    /// Go on after a violation, up to this many; the first one decides. At least 1.
    pub max_violations: usize,
    /// Hand every walk to the observer.
    pub show_walks: bool,
    /// Another thread's (or a signal handler's) wish to end.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for WalkOptions {
    fn default() -> Self {
        WalkOptions {
            seed: 0,
            walks: None,
            depth: 100,
            workers: 1,
            stack_size: None,
            check_deadlock: true,
            max_violations: 1,
            show_walks: false,
            stop: None,
        }
    }
}

/// The counts of random walks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WalkCounters {
    /// Walks that have ended.
    pub walks: u64,
    /// Initial states, and successors generated on the walks.
    pub generated: u64,
    /// States walked through.
    pub steps: u64,
    /// States of the longest walk.
    pub longest: u32,
}

/// What an observer of walks is told, on the calling thread.
#[derive(Debug)]
pub enum WalkEvent<'a> {
    /// A walk has ended; in the order of their numbers, with [`WalkOptions::show_walks`].
    Walk {
        /// Its number.
        index: u64,
        /// Its states.
        trace: &'a [TraceStep],
    },
    /// Some walks have ended.
    Progress(WalkCounters),
}

/// What walking found.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkOutcome<E> {
    /// How it ended: `Ok` when all walks were made.
    pub verdict: Verdict,
    /// What was found, each with its walk; the first one decides.
    pub violations: Vec<Violation<E>>,
    /// The counts.
    pub counters: WalkCounters,
}

/// Walks at random through `system`.
///
/// # Panics
/// When `observe` panics. A panic of the system is a finding instead.
pub fn simulate<S: TransitionSystem>(
    system: &S,
    options: &WalkOptions,
    observe: &mut dyn FnMut(&WalkEvent<'_>) -> Command,
) -> WalkOutcome<S::Error> {
    let pool = WorkerPoolBuilder {
        workers: options.workers,
        stack_size: options.stack_size,
        name: "walker".to_owned(),
    }
    .build();
    let shared = Shared {
        system,
        options,
        stop: AtomicBool::new(false),
        roots: RwLock::new(Vec::new()),
        wave: RwLock::new(None),
        lowest: AtomicU64::new(u64::MAX),
        walks: Mutex::new(Vec::new()),
        generated: AtomicU64::new(0),
    };
    let fence = Fence::new(pool.workers());
    let result = pool.run_led(
        || {
            let mut leader = Leader {
                shared: &shared,
                observe,
                next: 0,
                wave: WAVE_START,
                counters: WalkCounters::default(),
                violations: Vec::new(),
                verdict: None,
            };
            let mut scratch = system.worker(0);
            let walked = walk_on(&shared, &fence, 0, &mut scratch, |scratch| leader.fence(scratch));
            // Broken only by a panic, which the pool reports.
            walked.ok().map(|()| WalkOutcome {
                verdict: leader.verdict.unwrap_or(Verdict::Ok),
                violations: leader.violations,
                counters: leader.counters,
            })
        },
        |worker| {
            let guard = BreakOnPanic(&fence);
            let mut scratch = system.worker(worker);
            let _ = walk_on(&shared, &fence, worker, &mut scratch, |_| ());
            std::mem::forget(guard);
        },
    );
    match result {
        Ok(Some(outcome)) => outcome,
        Ok(None) => unreachable!("the fence breaks only when a worker panics"),
        Err(panic) => panic.resume(),
    }
}

struct BreakOnPanic<'a>(&'a Fence);

impl Drop for BreakOnPanic<'_> {
    fn drop(&mut self) {
        self.0.break_open();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The walks between two fences.
struct Wave {
    first: u64,
    tickets: Tickets,
}

struct Shared<'a, S: TransitionSystem> {
    system: &'a S,
    options: &'a WalkOptions,
    stop: AtomicBool,
    /// The initial states in the model, encoded, in order, without duplicates removed.
    roots: RwLock<Vec<(Fingerprint, Vec<u8>)>>,
    wave: RwLock<Option<Wave>>,
    /// The lowest walk with a finding, when one finding is enough: later walks are not worth making.
    lowest: AtomicU64,
    walks: Mutex<Vec<Walk<S::Error>>>,
    /// For the system's eyes: successors generated up to the last fence.
    generated: AtomicU64,
}

/// One walk, when it has ended.
struct Walk<E> {
    index: u64,
    generated: u64,
    trace: Vec<TraceStep>,
    found: Option<ViolationKind<E>>,
}

fn walk_on<S: TransitionSystem>(
    shared: &Shared<'_, S>,
    fence: &Fence,
    worker: usize,
    scratch: &mut S::Worker,
    mut step: impl FnMut(&mut S::Worker),
) -> Result<(), Broken> {
    loop {
        fence.wait(worker, || step(scratch))?;
        let wave = shared.wave.read().unwrap_or_else(PoisonError::into_inner);
        let Some(wave) = &*wave else { return Ok(()) };
        while let Some(range) = wave.tickets.take() {
            for offset in range {
                let index = wave.first + offset as u64;
                // ORDERING: relaxed; a walk that is made in vain does no harm.
                if index > shared.lowest.load(Ordering::Relaxed) || shared.interrupted() {
                    continue;
                }
                let walk = shared.walk(index, scratch);
                if walk.found.is_some() && shared.options.max_violations <= 1 {
                    shared.lowest.fetch_min(index, Ordering::Relaxed);
                }
                lock(&shared.walks).push(walk);
            }
        }
    }
}

impl<S: TransitionSystem> Shared<'_, S> {
    fn interrupted(&self) -> bool {
        self.options.stop.as_ref().is_some_and(|it| it.load(Ordering::Relaxed))
    }

    fn context(&self, level: u32) -> Context<'_> {
        let generated = self.generated.load(Ordering::Relaxed);
        let counters = Counters { generated, ..Counters::default() };
        Context { level, counters, stop: &self.stop }
    }

    fn step(
        &self,
        scratch: &mut S::Worker,
        action: Option<ActionId>,
        fingerprint: Fingerprint,
        state: &S::State,
    ) -> TraceStep {
        let mut bytes = Vec::new();
        self.system.encode(scratch, state, &mut bytes);
        TraceStep { action, fingerprint, state: bytes }
    }

    /// Makes walk `index`.
    fn walk(&self, index: u64, scratch: &mut S::Worker) -> Walk<S::Error> {
        let mut walk = Walk { index, generated: 0, trace: Vec::new(), found: None };
        let result = catch_unwind(AssertUnwindSafe(|| self.go(&mut walk, scratch)));
        match result {
            Ok(Ok(())) => {}
            Ok(Err(kind)) => walk.found = Some(kind),
            Err(panic) => {
                // The scratch is in doubt; the next walk gets a sound one.
                *scratch = self.system.worker(0);
                walk.found = Some(ViolationKind::Panic(panic_message(&*panic).to_owned()));
            }
        }
        walk
    }

    fn go(
        &self,
        walk: &mut Walk<S::Error>,
        scratch: &mut S::Worker,
    ) -> Result<(), ViolationKind<S::Error>> {
        let Shared { system, options, .. } = *self;
        let mut random = Random::new(options.seed, walk.index);
        let mut state = {
            let roots = self.roots.read().unwrap_or_else(PoisonError::into_inner);
            if roots.is_empty() {
                return Ok(());
            }
            let (fingerprint, bytes) = &roots[random.below(roots.len() as u64) as usize];
            let root = TraceStep { action: None, fingerprint: *fingerprint, state: bytes.clone() };
            walk.trace.push(root);
            system.decode(scratch, bytes)
        };
        while (walk.trace.len() as u32) < options.depth && !self.interrupted() {
            let level = walk.trace.len() as u32;
            let (cx, own) = (self.context(level), self.context(level + 1));
            let mut emitted = 0u64;
            // For each action with a successor in the model: how many there were, and the one kept.
            let mut kept: Vec<(ActionId, u64, S::State)> = Vec::new();
            let mut found: Option<(ViolationKind<S::Error>, Option<TraceStep>)> = None;
            let result = system.successors(&cx, scratch, &state, |scratch, action, next| {
                emitted += 1;
                match self.check(&cx, &own, scratch, &state, action, &next) {
                    Ok(false) => {}
                    Ok(true) => {
                        // Successors of an action mostly come together.
                        match kept.iter_mut().rev().find(|it| it.0 == action) {
                            None => kept.push((action, 1, next)),
                            Some((_, n, state)) => {
                                *n += 1;
                                // Each of the first n is kept with probability 1 / n.
                                if random.below(*n) == 0 {
                                    *state = next;
                                }
                            }
                        }
                    }
                    Err(kind) => {
                        let print = system.fingerprint(scratch, &next).unwrap_or_default();
                        found = Some((kind, Some(self.step(scratch, Some(action), print, &next))));
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(())
            });
            walk.generated += emitted;
            if let Some((kind, last)) = found {
                walk.trace.extend(last);
                return Err(kind);
            }
            result.map_err(ViolationKind::Error)?;
            if emitted == 0 && options.check_deadlock {
                return Err(ViolationKind::Deadlock);
            }
            if kept.is_empty() {
                break;
            }
            let (action, _, next) = kept.swap_remove(random.below(kept.len() as u64) as usize);
            let print = system.fingerprint(scratch, &next).map_err(ViolationKind::Error)?;
            walk.trace.push(self.step(scratch, Some(action), print, &next));
            state = next;
        }
        drop(state);
        system.level_ended(scratch);
        Ok(())
    }

    /// Checks a step and the state it leads to; is it in the model?
    fn check(
        &self,
        cx: &Context<'_>,
        own: &Context<'_>,
        scratch: &mut S::Worker,
        from: &S::State,
        action: ActionId,
        to: &S::State,
    ) -> Result<bool, ViolationKind<S::Error>> {
        let system = self.system;
        let state = |failure| match failure {
            Failure::Violated(property) => ViolationKind::State(property),
            Failure::Error(error) => ViolationKind::Error(error),
        };
        let step = |failure| match failure {
            Failure::Violated(property) => ViolationKind::Step(property),
            Failure::Error(error) => ViolationKind::Error(error),
        };
        let mut excluded = system.excluded(own, scratch, to).map_err(ViolationKind::Error)?;
        if excluded.is_none() {
            excluded = system
                .step_excluded(cx, scratch, from, action, to)
                .map_err(ViolationKind::Error)?;
        }
        system.check_state(own, scratch, to).map_err(state)?;
        system.check_step(cx, scratch, from, action, to).map_err(step)?;
        Ok(excluded.is_none())
    }
}

struct Leader<'a, S: TransitionSystem> {
    shared: &'a Shared<'a, S>,
    observe: &'a mut dyn FnMut(&WalkEvent<'_>) -> Command,
    /// The first walk that has not been handed out.
    next: u64,
    wave: u64,
    counters: WalkCounters,
    violations: Vec<Violation<S::Error>>,
    verdict: Option<Verdict>,
}

impl<S: TransitionSystem> Leader<'_, S> {
    fn fence(&mut self, scratch: &mut S::Worker) {
        if self.next == 0 {
            self.roots(scratch);
        } else {
            self.gather();
        }
        self.shared.generated.store(self.counters.generated, Ordering::Relaxed);
        let wave = match self.ending() {
            Some(verdict) => {
                self.verdict = Some(verdict);
                None
            }
            None => {
                let left = self.shared.options.walks.map_or(u64::MAX, |all| all - self.next);
                let n = self.wave.min(left);
                let first = self.next;
                self.next += n;
                self.wave = (self.wave * 2).min(WAVE_MOST);
                Some(Wave { first, tickets: Tickets::new(n as usize, 1) })
            }
        };
        *self.shared.wave.write().unwrap_or_else(PoisonError::into_inner) = wave;
    }

    fn ending(&mut self) -> Option<Verdict> {
        let options = self.shared.options;
        if self.violations.len() >= options.max_violations.max(1) {
            return Some(Verdict::Violated);
        }
        let by_findings = if self.violations.is_empty() { Verdict::Ok } else { Verdict::Violated };
        let over = |verdict| if by_findings == Verdict::Ok { verdict } else { by_findings };
        if self.shared.interrupted() {
            return Some(over(Verdict::Stopped(Stop::Interrupt)));
        }
        if self.shared.stop.load(Ordering::Relaxed) {
            return Some(over(Verdict::Stopped(Stop::System)));
        }
        if let Command::Stop(limit) = (self.observe)(&WalkEvent::Progress(self.counters)) {
            return Some(over(Verdict::Limit(limit)));
        }
        let nowhere = self.shared.roots.read().unwrap_or_else(PoisonError::into_inner).is_empty();
        let all = options.walks.is_some_and(|all| self.next >= all);
        (nowhere || all).then_some(by_findings)
    }

    /// Generates and checks the initial states.
    fn roots(&mut self, scratch: &mut S::Worker) {
        let shared = self.shared;
        let system = shared.system;
        let cx = shared.context(1);
        let mut roots = Vec::new();
        let mut found: Option<(ViolationKind<S::Error>, Vec<TraceStep>)> = None;
        let mut generated = 0;
        let result = catch_unwind(AssertUnwindSafe(|| {
            system.initial(&cx, scratch, |scratch, state| {
                generated += 1;
                let checked = (|| {
                    let excluded =
                        system.excluded(&cx, scratch, &state).map_err(ViolationKind::Error)?;
                    system.check_state(&cx, scratch, &state).map_err(|failure| match failure {
                        Failure::Violated(property) => ViolationKind::State(property),
                        Failure::Error(error) => ViolationKind::Error(error),
                    })?;
                    let print =
                        system.fingerprint(scratch, &state).map_err(ViolationKind::Error)?;
                    Ok((excluded.is_none(), print))
                })();
                let print = checked.as_ref().map_or(Fingerprint::default(), |it| it.1);
                let root = shared.step(scratch, None, print, &state);
                match checked {
                    Ok((within, _)) => {
                        if within {
                            roots.push((root.fingerprint, root.state));
                        }
                        ControlFlow::Continue(())
                    }
                    Err(kind) => {
                        found = Some((kind, vec![root]));
                        ControlFlow::Break(())
                    }
                }
            })
        }));
        match result {
            Ok(Ok(())) => {}
            Ok(Err(error)) => found = Some((ViolationKind::Error(error), Vec::new())),
            Err(panic) => {
                found = Some((ViolationKind::Panic(panic_message(&*panic).to_owned()), Vec::new()));
            }
        }
        self.counters.generated = generated;
        if let Some((kind, trace)) = found {
            // There is nothing to start from that could be trusted.
            self.violations.push(Violation { kind, trace });
            roots.clear();
        }
        *shared.roots.write().unwrap_or_else(PoisonError::into_inner) = roots;
    }

    /// Takes in the walks of a wave, in order, up to the one that decides.
    fn gather(&mut self) {
        let mut walks = std::mem::take(&mut *lock(&self.shared.walks));
        walks.sort_unstable_by_key(|walk| walk.index);
        for walk in walks {
            let counters = &mut self.counters;
            counters.walks += 1;
            counters.generated += walk.generated;
            counters.steps += walk.trace.len() as u64;
            counters.longest = counters.longest.max(walk.trace.len() as u32);
            if self.shared.options.show_walks {
                let event = WalkEvent::Walk { index: walk.index, trace: &walk.trace };
                if (self.observe)(&event) != Command::Continue {
                    self.shared.stop.store(true, Ordering::Relaxed);
                }
            }
            if let Some(kind) = walk.found {
                self.violations.push(Violation { kind, trace: walk.trace });
                if self.violations.len() >= self.shared.options.max_violations.max(1) {
                    break;
                }
            }
        }
    }
}
