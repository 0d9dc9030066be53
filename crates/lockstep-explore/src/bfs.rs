//! Breadth-first search, first in, first out, by one worker.
//!
//! Invariant: a state is checked, counted and recorded in the order in which TLC with one worker would do it.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use lockstep_runtime::Fingerprint;

use crate::outcome::{
    ActionCount, Command, Counters, Limit, Options, Outcome, Outdegree, Progress, Statistics, Stop,
    Verdict, Violation, ViolationKind,
};
use crate::record::{NoRecorder, Recorder};
use crate::system::{ActionId, Context, Failure, TransitionSystem};
use crate::trace::replay;

/// Explores `system` and records nothing. See [`explore`].
pub fn check<S: TransitionSystem>(system: &S, options: &Options) -> Outcome<S::Error> {
    explore(system, options, &NoRecorder, &mut |_| Command::Continue).0
}

/// Explores `system`, lets `recorder` listen and tells `observe` how it goes.
///
/// `observe` is called on the calling thread at every fence and about every few thousand states; it may look at a clock
/// and end the search. The logs of the recorder come back in the order of the workers.
pub fn explore<S: TransitionSystem, R: Recorder<S>>(
    system: &S,
    options: &Options,
    recorder: &R,
    observe: &mut dyn FnMut(&Progress) -> Command,
) -> (Outcome<S::Error>, Vec<R::Log>) {
    let stop = AtomicBool::new(false);
    let mut search = Search {
        system,
        options,
        recorder,
        log: recorder.log(0),
        stop: &stop,
        seen: HashMap::new(),
        queue: VecDeque::new(),
        counters: Counters::default(),
        actions: Vec::new(),
        excluded: Vec::new(),
        found: Vec::new(),
        degrees: Vec::new(),
    };
    let mut worker = system.worker(0);
    let (limit, levels, initial) = search.run(&mut worker, observe);
    search.counters.queue = search.queue.len() as u64;
    let found = std::mem::take(&mut search.found);
    let verdict = match limit {
        _ if !found.is_empty() => Verdict::Violated,
        Some(end) => end,
        None => Verdict::Ok,
    };
    let mut cx = Context { level: 0, counters: search.counters, stop: &stop };
    let violations = found
        .into_iter()
        .map(|(kind, chain)| Violation {
            kind,
            trace: replay(system, &mut worker, &mut cx, &chain),
        })
        .collect();
    let statistics = Statistics {
        counters: search.counters,
        initial_generated: initial,
        initial_distinct: levels.first().copied().unwrap_or(0),
        levels,
        actions: search.actions,
        excluded: search.excluded,
        outdegree: outdegree(search.degrees),
        table_bytes: 0,
        frontier_bytes: 0,
    };
    (Outcome { verdict, violations, statistics }, vec![search.log])
}

fn outdegree(mut degrees: Vec<u32>) -> Option<Outdegree> {
    degrees.sort_unstable();
    let (first, last) = (*degrees.first()?, *degrees.last()?);
    let sum: u64 = degrees.iter().map(|d| u64::from(*d)).sum();
    Some(Outdegree {
        average: sum as f64 / degrees.len() as f64,
        minimum: first,
        maximum: last,
        percentile_95: degrees[(degrees.len() * 95).div_ceil(100) - 1],
    })
}

fn count<T: Default + Clone>(counts: &mut Vec<T>, index: u32) -> &mut T {
    let index = index as usize;
    if counts.len() <= index {
        counts.resize(index + 1, T::default());
    }
    &mut counts[index]
}

type Found<E> = (ViolationKind<E>, Vec<Fingerprint>);

struct Waiting {
    level: u32,
    fingerprint: Fingerprint,
    state: Vec<u8>,
}

struct Search<'a, S: TransitionSystem, R: Recorder<S>> {
    system: &'a S,
    options: &'a Options,
    recorder: &'a R,
    log: R::Log,
    stop: &'a AtomicBool,
    seen: HashMap<Fingerprint, Option<Fingerprint>>,
    queue: VecDeque<Waiting>,
    counters: Counters,
    actions: Vec<ActionCount>,
    excluded: Vec<u64>,
    found: Vec<Found<S::Error>>,
    degrees: Vec<u32>,
}

impl<S: TransitionSystem, R: Recorder<S>> Search<'_, S, R> {
    fn run(
        &mut self,
        worker: &mut S::Worker,
        observe: &mut dyn FnMut(&Progress) -> Command,
    ) -> (Option<Verdict>, Vec<u64>, u64) {
        let mut levels = Vec::new();
        let cx = Context { level: 1, counters: self.counters, stop: self.stop };
        let system = self.system;
        let result = system.initial(&cx, worker, |worker, state| {
            self.counters.generated += 1;
            self.arrive(worker, None, state)
        });
        if let Err(error) = result {
            self.found.push((ViolationKind::Error(error), Vec::new()));
        }
        let initial = self.counters.generated;
        loop {
            let width = self.queue.len();
            if width > 0 {
                levels.push(width as u64);
                self.counters.depth = levels.len() as u32;
            }
            self.counters.queue = width as u64;
            let progress =
                Progress { counters: self.counters, at_fence: true, ..Progress::default() };
            let end = if self.ended() {
                Some(Verdict::Violated)
            } else if self.options.stop.as_ref().is_some_and(|it| it.load(Ordering::Relaxed)) {
                Some(Verdict::Stopped(Stop::Interrupt))
            } else if self.stop.load(Ordering::Relaxed) {
                Some(Verdict::Stopped(Stop::System))
            } else if let Command::Stop(limit) = observe(&progress) {
                Some(Verdict::Limit(limit))
            } else if width == 0 {
                return (None, levels, initial);
            } else if self.options.max_states.is_some_and(|it| self.counters.distinct >= it) {
                Some(Verdict::Limit(Limit::States))
            } else if self.options.max_depth.is_some_and(|it| levels.len() as u32 > it) {
                Some(Verdict::Limit(Limit::Depth))
            } else {
                None
            };
            if end.is_some() {
                return (end, levels, initial);
            }
            for _ in 0..width {
                let waiting = self.queue.pop_front().expect("as many as counted");
                self.expand(worker, &waiting);
                if self.ended() || self.stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            system.level_ended(worker);
        }
    }

    fn ended(&self) -> bool {
        !self.found.is_empty()
            && (!self.options.continue_after_violation
                || self.found.len() >= self.options.max_violations
                || matches!(self.found[0].0, ViolationKind::Error(_)))
    }

    fn expand(&mut self, worker: &mut S::Worker, waiting: &Waiting) {
        let system = self.system;
        let state = system.decode(worker, &waiting.state);
        let cx = Context { level: waiting.level, counters: self.counters, stop: self.stop };
        let fingerprint = waiting.fingerprint;
        let mut out = 0;
        let before = self.counters.distinct;
        let recorded = if R::ACTIVE {
            self.recorder.state(&mut self.log, &cx, worker, &state, fingerprint)
        } else {
            Ok(())
        };
        let result = recorded.and_then(|()| {
            system.successors(&cx, worker, &state, |worker, action, next| {
                self.counters.generated += 1;
                out += 1;
                count(&mut self.actions, action.0).generated += 1;
                self.arrive(worker, Some((&cx, &state, fingerprint, action)), next)
            })
        });
        if let Err(error) = result {
            let chain = self.chain(fingerprint);
            self.found.push((ViolationKind::Error(error), chain));
        } else if out == 0 && self.options.check_deadlock {
            let chain = self.chain(fingerprint);
            self.found.push((ViolationKind::Deadlock, chain));
        }
        self.degrees.push((self.counters.distinct - before) as u32);
    }

    fn arrive(
        &mut self,
        worker: &mut S::Worker,
        from: Option<(&Context<'_>, &S::State, Fingerprint, ActionId)>,
        state: S::State,
    ) -> ControlFlow<()> {
        if let Err((kind, fingerprint)) = self.visit(worker, from, &state) {
            let mut chain = from.map_or_else(Vec::new, |(_, _, parent, _)| self.chain(parent));
            chain.extend(fingerprint);
            self.found.push((kind, chain));
        }
        if self.ended() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn visit(
        &mut self,
        worker: &mut S::Worker,
        from: Option<(&Context<'_>, &S::State, Fingerprint, ActionId)>,
        state: &S::State,
    ) -> Result<(), (ViolationKind<S::Error>, Option<Fingerprint>)> {
        let system = self.system;
        let fingerprint = system
            .fingerprint(worker, state)
            .map_err(|error| (ViolationKind::Error(error), None))?;
        let error = |error| (ViolationKind::Error(error), Some(fingerprint));
        let level = from.map_or(1, |(cx, ..)| cx.level + 1);
        let cx = Context { level, counters: self.counters, stop: self.stop };
        let mut excluded = system.excluded(&cx, worker, state).map_err(error)?;
        if let Some((cx, parent, _, action)) = from
            && excluded.is_none()
        {
            excluded = system.step_excluded(cx, worker, parent, action, state).map_err(error)?;
        }
        let mut new = false;
        if let Some(constraint) = excluded {
            *count(&mut self.excluded, constraint.0) += 1;
        } else {
            let parent = from.map(|(_, _, parent, _)| parent);
            if let std::collections::hash_map::Entry::Vacant(entry) = self.seen.entry(fingerprint) {
                entry.insert(parent);
                self.counters.distinct += 1;
                new = true;
                if let Some((.., action)) = from {
                    count(&mut self.actions, action.0).distinct += 1;
                }
            }
        }
        if new || excluded.is_some() {
            system.check_state(&cx, worker, state).map_err(|failure| match failure {
                Failure::Violated(property) => (ViolationKind::State(property), Some(fingerprint)),
                Failure::Error(it) => error(it),
            })?;
        }
        if let Some((cx, parent, parent_fingerprint, action)) = from {
            system.check_step(cx, worker, parent, action, state).map_err(
                |failure| match failure {
                    Failure::Violated(property) => {
                        (ViolationKind::Step(property), Some(fingerprint))
                    }
                    Failure::Error(it) => error(it),
                },
            )?;
            if R::ACTIVE && excluded.is_none() {
                let log = &mut self.log;
                let (from, to) = ((parent, parent_fingerprint), (state, fingerprint));
                self.recorder.edge(log, cx, worker, from, action, to).map_err(error)?;
            }
        } else if R::ACTIVE && new {
            self.recorder.initial(&mut self.log, &cx, worker, state, fingerprint).map_err(error)?;
        }
        if new {
            let mut bytes = Vec::new();
            system.encode(worker, state, &mut bytes);
            self.queue.push_back(Waiting { level, fingerprint, state: bytes });
        }
        Ok(())
    }

    fn chain(&self, last: Fingerprint) -> Vec<Fingerprint> {
        let mut chain = vec![last];
        let mut at = last;
        while let Some(Some(parent)) = self.seen.get(&at) {
            chain.push(*parent);
            at = *parent;
        }
        chain.reverse();
        chain
    }
}
