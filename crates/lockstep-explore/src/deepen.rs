//! Depth-first search with a bound that deepens.
//!
//! Needs memory for fingerprints and one path only. Each round starts over with a greater bound, until a round meets no state
//! that the bound cuts off. A state is expanded again when it is met nearer to the start than before in this round.
//!
//! Invariant: one worker, in the system's own order; so the result is a function of the system. A finding's trace is the
//! path at hand: in the round with bound *n* it has at most *n* states, and no finding needs fewer than the first bound at
//! which one is made.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use lockstep_runtime::{Fingerprint, panic_message};
use rustc_hash::FxHashMap;

use crate::outcome::{
    Command, Counters, Limit, Options, Outcome, Progress, Statistics, Stop, TraceStep, Verdict,
    Violation, ViolationKind,
};
use crate::system::{ActionId, Context, Failure, TransitionSystem};

/// Searches depth first, to `start` states at first and one more in each round, up to [`Options::max_depth`].
///
/// Of the options, those about workers, levels and coverage do not apply, and it ends at the first violation. `observe` is
/// called at the end of each round and every few hundred states.
///
/// # Panics
/// When `observe` panics. A panic of the system is a finding instead.
pub fn deepen<S: TransitionSystem>(
    system: &S,
    options: &Options,
    start: u32,
    observe: &mut dyn FnMut(&Progress) -> Command,
) -> Outcome<S::Error> {
    let stop = AtomicBool::new(false);
    let mut search = Search {
        system,
        options,
        stop: &stop,
        observe,
        seen: FxHashMap::default(),
        path: Vec::new(),
        bound: start.max(1),
        cut: false,
        round: 0,
        generated: 0,
        initial: 0,
        deepest: 0,
        expanded: 0,
        end: None,
    };
    let mut scratch = system.worker(0);
    let found = loop {
        let result = catch_unwind(AssertUnwindSafe(|| search.round(&mut scratch)));
        match result {
            Ok(Ok(())) => {}
            Ok(Err(kind)) => break Some(kind),
            Err(panic) => break Some(ViolationKind::Panic(panic_message(&*panic).to_owned())),
        }
        if search.end.is_some() || !search.cut {
            break None;
        }
        if options.max_depth.is_some_and(|most| search.bound >= most) {
            search.end = Some(Verdict::Limit(Limit::Depth));
            break None;
        }
        let progress = search.progress(true);
        if let Command::Stop(limit) = (search.observe)(&progress) {
            search.end = Some(Verdict::Limit(limit));
            break None;
        }
        search.bound += 1;
    };
    let violations: Vec<_> = found
        .into_iter()
        .map(|kind| Violation { kind, trace: std::mem::take(&mut search.path) })
        .collect();
    let verdict = match search.end {
        _ if !violations.is_empty() => Verdict::Violated,
        end => end.unwrap_or(Verdict::Ok),
    };
    let statistics = Statistics {
        counters: search.counters(),
        initial_generated: search.initial,
        ..Statistics::default()
    };
    Outcome { verdict, violations, statistics }
}

/// When a state was met last.
#[derive(Debug, Clone, Copy)]
struct Met {
    round: u32,
    /// How near to the start in that round.
    depth: u32,
}

struct Search<'a, S: TransitionSystem> {
    system: &'a S,
    options: &'a Options,
    stop: &'a AtomicBool,
    observe: &'a mut dyn FnMut(&Progress) -> Command,
    seen: FxHashMap<Fingerprint, Met>,
    path: Vec<TraceStep>,
    bound: u32,
    /// Has this round met a state that it could not expand because of the bound?
    cut: bool,
    round: u32,
    generated: u64,
    initial: u64,
    deepest: u32,
    expanded: u64,
    end: Option<Verdict>,
}

/// A state on the path, and its successors that have not been tried.
type Branches<S> = Vec<(TraceStep, <S as TransitionSystem>::State)>;

impl<S: TransitionSystem> Search<'_, S> {
    fn counters(&self) -> Counters {
        Counters {
            generated: self.generated,
            distinct: self.seen.len() as u64,
            queue: 0,
            depth: self.deepest,
        }
    }

    fn progress(&self, at_fence: bool) -> Progress {
        Progress { counters: self.counters(), at_fence, ..Progress::default() }
    }

    fn context(&self, level: u32) -> Context<'_> {
        Context { level, counters: self.counters(), stop: self.stop }
    }

    /// Has something but a finding ended the search?
    fn over(&mut self) -> bool {
        if self.options.stop.as_ref().is_some_and(|it| it.load(Ordering::Relaxed)) {
            self.end = Some(Verdict::Stopped(Stop::Interrupt));
        } else if self.stop.load(Ordering::Relaxed) {
            self.end = Some(Verdict::Stopped(Stop::System));
        } else if self.options.max_states.is_some_and(|most| self.seen.len() as u64 >= most) {
            self.end = Some(Verdict::Limit(Limit::States));
        } else if self.expanded.is_multiple_of(256) {
            let progress = self.progress(false);
            if let Command::Stop(limit) = (self.observe)(&progress) {
                self.end = Some(Verdict::Limit(limit));
            }
        }
        self.end.is_some()
    }

    /// One search to the bound. On a finding the path is left as it is.
    fn round(&mut self, scratch: &mut S::Worker) -> Result<(), ViolationKind<S::Error>> {
        self.round += 1;
        self.cut = false;
        self.path.clear();
        let mut stack: Vec<Branches<S>> = vec![self.roots(scratch)?];
        while let Some(branches) = stack.last_mut() {
            let Some((step, state)) = branches.pop() else {
                stack.pop();
                self.path.pop();
                continue;
            };
            let depth = stack.len() as u32;
            if !self.is_nearer(step.fingerprint, depth) {
                continue;
            }
            self.path.push(step);
            self.deepest = self.deepest.max(depth);
            if depth >= self.bound {
                self.cut = true;
                self.path.pop();
                continue;
            }
            if self.over() {
                return Ok(());
            }
            let branches = self.expand(scratch, &state)?;
            stack.push(branches);
        }
        self.system.level_ended(scratch);
        Ok(())
    }

    /// Meets a state at a depth; must it be taken up?
    fn is_nearer(&mut self, fingerprint: Fingerprint, depth: u32) -> bool {
        let round = self.round;
        let met = self.seen.entry(fingerprint).or_insert(Met { round: 0, depth: u32::MAX });
        let nearer = met.round < round || depth < met.depth;
        if nearer {
            *met = Met { round, depth };
        }
        nearer
    }

    fn roots(&mut self, scratch: &mut S::Worker) -> Result<Branches<S>, ViolationKind<S::Error>> {
        let mut roots = Vec::new();
        let mut found = None;
        let cx = self.context(1);
        let (system, first) = (self.system, self.round == 1);
        let mut generated = 0;
        let seen = &self.seen;
        let result = system.initial(&cx, scratch, |scratch, state| {
            generated += 1;
            match look(system, &cx, scratch, None, state, |it| seen.contains_key(&it)) {
                Ok(root) => {
                    roots.extend(root);
                    ControlFlow::Continue(())
                }
                Err(it) => {
                    found = Some(it);
                    ControlFlow::Break(())
                }
            }
        });
        if first {
            self.initial = generated;
        }
        self.generated += generated;
        self.settle(found, result)?;
        roots.reverse();
        Ok(roots)
    }

    fn expand(
        &mut self,
        scratch: &mut S::Worker,
        state: &S::State,
    ) -> Result<Branches<S>, ViolationKind<S::Error>> {
        self.expanded += 1;
        let cx = self.context(self.path.len() as u32);
        let system = self.system;
        let (mut branches, mut found, mut emitted) = (Vec::new(), None, 0u64);
        let seen = &self.seen;
        let result = system.successors(&cx, scratch, state, |scratch, action, next| {
            emitted += 1;
            let from = Some((state, action));
            match look(system, &cx, scratch, from, next, |it| seen.contains_key(&it)) {
                Ok(branch) => {
                    branches.extend(branch);
                    ControlFlow::Continue(())
                }
                Err(it) => {
                    found = Some(it);
                    ControlFlow::Break(())
                }
            }
        });
        self.generated += emitted;
        self.settle(found, result)?;
        if emitted == 0 && self.options.check_deadlock {
            return Err(ViolationKind::Deadlock);
        }
        branches.reverse();
        Ok(branches)
    }

    fn settle(
        &mut self,
        found: Option<(ViolationKind<S::Error>, Option<TraceStep>)>,
        result: Result<(), S::Error>,
    ) -> Result<(), ViolationKind<S::Error>> {
        if let Some((kind, last)) = found {
            self.path.extend(last);
            return Err(kind);
        }
        result.map_err(ViolationKind::Error)
    }
}

type Looked<S> = Result<
    Option<(TraceStep, <S as TransitionSystem>::State)>,
    (ViolationKind<<S as TransitionSystem>::Error>, Option<TraceStep>),
>;

/// Checks a generated state, and gives it back if it is in the model. A state that was met before is not checked again.
fn look<S: TransitionSystem>(
    system: &S,
    cx: &Context<'_>,
    scratch: &mut S::Worker,
    from: Option<(&S::State, ActionId)>,
    state: S::State,
    known: impl Fn(Fingerprint) -> bool,
) -> Looked<S> {
    let error = |error| (ViolationKind::Error(error), None);
    let fingerprint = system.fingerprint(scratch, &state).map_err(error)?;
    let mut bytes = Vec::new();
    system.encode(scratch, &state, &mut bytes);
    let step = TraceStep { action: from.map(|it| it.1), fingerprint, state: bytes };
    let level = if from.is_some() { cx.level + 1 } else { cx.level };
    let own = Context { level, counters: cx.counters, stop: cx.stop };
    let checked = (|| {
        let mut excluded = system.excluded(&own, scratch, &state).map_err(ViolationKind::Error)?;
        if let Some((parent, action)) = from
            && excluded.is_none()
        {
            excluded = system
                .step_excluded(cx, scratch, parent, action, &state)
                .map_err(ViolationKind::Error)?;
        }
        if excluded.is_some() || !known(fingerprint) {
            system.check_state(&own, scratch, &state).map_err(|failure| match failure {
                Failure::Violated(property) => ViolationKind::State(property),
                Failure::Error(error) => ViolationKind::Error(error),
            })?;
        }
        if let Some((parent, action)) = from {
            system.check_step(cx, scratch, parent, action, &state).map_err(
                |failure| match failure {
                    Failure::Violated(property) => ViolationKind::Step(property),
                    Failure::Error(error) => ViolationKind::Error(error),
                },
            )?;
        }
        Ok(excluded.is_none())
    })();
    match checked {
        Ok(within) => Ok(within.then_some((step, state))),
        Err(kind) => Err((kind, Some(step))),
    }
}
