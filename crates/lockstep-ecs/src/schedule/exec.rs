//! How a frame runs: waves, systems, commits, failures.
//!
//! Every executor runs the same steps: all conditions of a wave, all its systems (also when one panics), one commit. They differ in
//! who runs a system and in which order within a wave, which cannot show.
//!
//! Invariant: while systems of a wave run, nothing holds `&mut World`, and each system is run by one worker.

use super::Schedule;
use super::par::{Par, WaveShare, cycles, shuffle};
use crate::query::Run;
use crate::system::{CommitPhase, RunContext};
use crate::world::World;
use lockstep_runtime::WorkerPool;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

/// Who runs systems.
#[derive(Clone, Debug, Default)]
pub enum Executor {
    /// The caller.
    #[default]
    Serial,
    /// The workers of a pool, where that is worth it. The caller works too.
    Pool(Arc<WorkerPool>),
    /// The workers of a pool, even where it is not worth it, in the smallest portions. For tests.
    Eager(Arc<WorkerPool>),
    /// The caller, in an order made up from the seed. For tests.
    Shuffled(u64),
}

/// How long a system took, by the schedule's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The system.
    pub system: u32,
    /// Its wave.
    pub wave: u32,
    /// Who ran it (0 is the caller).
    pub worker: u32,
    /// When it began.
    pub begin: u64,
    /// When it ended.
    pub end: u64,
}

/// What a frame came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameReport {
    /// Its number, from 1.
    pub frame: u64,
    /// The world's hash after it, when asked for.
    pub hash: Option<u64>,
    /// Times of systems, when there is a clock.
    pub timings: Vec<Timing>,
    /// Systems that ran.
    pub systems_run: u32,
    /// Commands that found their entity dead, and the like, so far.
    pub diagnostics: usize,
}

/// What went wrong in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameErrorKind {
    /// The schedule cannot be built.
    Build(super::BuildError),
    /// A system panicked. Commands of its wave were dropped, later waves did not run.
    Panic(String),
    /// The wave's spawns do not fit. Its commands were dropped, later waves did not run.
    EntityLimit(u32),
    /// A system recorded more chunks or spawns than can be numbered.
    CommandLimit,
    /// A command or an observer panicked while the wave was committed.
    Commit(String),
}

/// A frame that failed. The same in every mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameError {
    /// The frame.
    pub frame: u64,
    /// The wave.
    pub wave: u32,
    /// The system, the first by registration if several failed.
    pub system: Option<String>,
    /// What happened.
    pub kind: FrameErrorKind,
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "frame {}, wave {}", self.frame, self.wave)?;
        if let Some(system) = &self.system {
            write!(f, ", system {system}")?;
        }
        match &self.kind {
            FrameErrorKind::Build(e) => write!(f, ": {e}"),
            FrameErrorKind::Panic(m) => write!(f, ": panicked: {m}"),
            FrameErrorKind::EntityLimit(n) => {
                write!(f, ": the world is at its limit of {n} entities")
            }
            FrameErrorKind::CommandLimit => write!(f, ": too many spawns or chunks in one system"),
            FrameErrorKind::Commit(m) => write!(f, ": panicked while committing: {m}"),
        }
    }
}
impl std::error::Error for FrameError {}

fn message(panic: &(dyn Any + Send)) -> String {
    lockstep_runtime::pool::panic_message(panic).to_owned()
}

/// Below this many cycles of gain a wave stays on one thread.
const WORTH: u64 = 60_000;

/// What something costs, after another measurement: falls at once and doubles at most, because a thread that the machine took away for
/// a moment looks like a thousandfold cost.
fn estimate(known: u64, spent: u64) -> u64 {
    if known == 0 { spent } else { spent.min(known * 2 + 64) }
}

/// What the workers of a wave share.
struct Shared {
    entries: *mut super::Entry,
    world: NonNull<World>,
}
// SAFETY: every entry is used by one worker at a time: numbers are dealt out once. The world is shared; what systems touch in it
// does not conflict within a wave.
unsafe impl Sync for Shared {}

impl Schedule {
    /// Runs one frame.
    ///
    /// # Errors
    /// When the schedule cannot be built or a wave failed; the same error for every executor, and the world can be used on.
    pub fn run(&mut self, world: &mut World) -> Result<FrameReport, FrameError> {
        self.run_watched(world, |_, _| {})
    }

    /// Runs one frame, showing the world after every wave.
    ///
    /// # Errors
    /// As [`Schedule::run`].
    pub fn run_watched(
        &mut self,
        world: &mut World,
        mut watch: impl FnMut(u32, &mut World),
    ) -> Result<FrameReport, FrameError> {
        if let Err(e) = self.build(world) {
            let kind = FrameErrorKind::Build(e);
            return Err(FrameError { frame: world.frame + 1, wave: 0, system: None, kind });
        }
        if let Some(image) = &mut self.rollback {
            // What cannot be captured cannot be rolled back; the caller asked for it, so it is told.
            if let Err(e) = image.capture(world) {
                let kind = FrameErrorKind::Commit(e.to_string());
                return Err(FrameError { frame: world.frame + 1, wave: 0, system: None, kind });
            }
        }
        world.begin_frame();
        let mut report = FrameReport { frame: world.frame, ..FrameReport::default() };
        for wave in 0..self.plan.waves.len() {
            if let Err((system, kind)) = self.run_wave(world, wave, &mut report) {
                let system = system.map(|s| self.entries[s as usize].name.clone());
                let error = FrameError { frame: world.frame, wave: wave as u32, system, kind };
                if let Some(image) = &mut self.rollback {
                    image.restore(world);
                }
                return Err(error);
            }
            watch(wave as u32, world);
        }
        report.diagnostics = world.diagnostics.len();
        if self.hash_frames {
            report.hash = Some(world.hash());
        }
        Ok(report)
    }

    fn run_wave(
        &mut self,
        world: &mut World,
        wave: usize,
        report: &mut FrameReport,
    ) -> Result<(), (Option<u32>, FrameErrorKind)> {
        let stamp = world.stamp();
        let ptr = NonNull::from(&mut *world);
        let clock = self.clock.clone();
        let watch = self.watch.clone();
        let timings = Mutex::new(std::mem::take(&mut report.timings));
        let failures: Mutex<Vec<(u32, Box<dyn Any + Send>)>> = Mutex::new(Vec::new());
        let members = std::mem::take(&mut self.plan.waves[wave]);

        // Conditions first, all of them, before any system of the wave writes. The usual wave has none.
        let conditional = members.iter().any(|&i| !self.entries[i as usize].conditions.is_empty());
        let mut chosen: Vec<u32> = Vec::new();
        if conditional {
            for &i in &members {
                let mut hold = true;
                for condition in &mut self.entries[i as usize].conditions {
                    let run = Run { stamp, last_run: *condition.last_run() };
                    let cx = RunContext { world: ptr, run, par: Par::Serial };
                    // SAFETY: nothing else runs; the condition was made ready for this world.
                    match catch_unwind(AssertUnwindSafe(|| unsafe { condition.run(&cx) })) {
                        Ok(yes) => hold &= yes,
                        Err(panic) => {
                            hold = false;
                            failures.lock().expect("never poisoned").push((i, panic));
                        }
                    }
                    *condition.last_run() = stamp.tick;
                }
                if hold {
                    chosen.push(i);
                }
            }
        }
        let run_list: &[u32] = if conditional { &chosen } else { &members };
        report.systems_run += run_list.len() as u32;

        let shared = Shared { entries: self.entries.as_mut_ptr(), world: ptr };
        let wave_cost = self.wave_cost[wave];
        let measure = wave_cost > WORTH / 2;
        let run_one = |i: u32, worker: usize, par: Par<'_>| {
            let shared = &shared;
            // SAFETY: `i` is a system of this wave, dealt out once, and the entries outlive the wave.
            let entry = unsafe { &mut *shared.entries.add(i as usize) };
            let run = Run { stamp, last_run: *entry.system.last_run() };
            let cx = RunContext { world: shared.world, run, par };
            let begin = clock.as_ref().map(|c| c());
            let from = if measure { cycles() } else { 0 };
            if let Some(watch) = &watch {
                watch.enter(worker, i);
            }
            // SAFETY: systems of one wave do not conflict; the system was made ready for this world.
            let result = catch_unwind(AssertUnwindSafe(|| unsafe { entry.system.run(&cx) }));
            if let Some(watch) = &watch {
                watch.leave(worker);
            }
            if measure {
                let spent = cycles().wrapping_sub(from);
                entry.cost = estimate(entry.cost, spent);
            }
            *entry.system.last_run() = stamp.tick;
            if let (Some(begin), Some(clock)) = (begin, &clock) {
                let timing = Timing {
                    system: i,
                    wave: wave as u32,
                    worker: worker as u32,
                    begin,
                    end: clock(),
                };
                timings.lock().expect("never poisoned").push(timing);
            }
            if let Err(panic) = result {
                failures.lock().expect("never poisoned").push((i, panic));
            }
        };

        match &self.executor {
            Executor::Serial => run_list.iter().for_each(|&i| run_one(i, 0, Par::Serial)),
            Executor::Shuffled(seed) => {
                let mut order = run_list.to_vec();
                let seed = seed ^ world.frame.wrapping_mul(31) ^ (wave as u64) << 40;
                shuffle(&mut order, seed);
                order.iter().for_each(|&i| run_one(i, 0, Par::Shuffled(seed)));
            }
            Executor::Eager(pool) => {
                if run_list.len() > 1 {
                    self.run_shared(pool, run_list, &run_one);
                } else {
                    run_list.iter().for_each(|&i| run_one(i, 0, Par::Eager(pool)));
                }
            }
            Executor::Pool(pool) => {
                let begin = cycles();
                let most = run_list.iter().map(|&i| self.entries[i as usize].cost).max();
                let all: u64 = run_list.iter().map(|&i| self.entries[i as usize].cost).sum();
                let gain = all - most.unwrap_or(0).max(all / pool.workers() as u64).min(all);
                if run_list.len() > 1 && pool.workers() > 1 && measure && gain > WORTH {
                    self.run_shared(pool, run_list, &run_one);
                    // Costs of systems stay current; the wave's own cost is their sum.
                    self.wave_cost[wave] = all;
                } else {
                    let par = if pool.workers() > 1 { Par::Pool(pool) } else { Par::Serial };
                    run_list.iter().for_each(|&i| run_one(i, 0, par));
                    let spent = cycles().wrapping_sub(begin);
                    self.wave_cost[wave] = estimate(self.wave_cost[wave], spent);
                }
            }
        }
        self.plan.waves[wave] = members;
        report.timings = timings.into_inner().expect("never poisoned");
        report.timings.sort_by_key(|t| (t.wave, t.system));

        world.advance();
        let mut failures = failures.into_inner().expect("never poisoned");
        failures.sort_by_key(|f| f.0);
        if let Some((i, panic)) = failures.into_iter().next() {
            self.discard(world, wave);
            return Err((Some(i), FrameErrorKind::Panic(message(&*panic))));
        }
        self.commit(world, wave, stamp.tick)
    }

    /// Systems of a wave by all workers; pinned ones by the caller, first.
    fn run_shared(
        &self,
        pool: &WorkerPool,
        run_list: &[u32],
        run_one: &(dyn Fn(u32, usize, Par<'_>) + Sync),
    ) {
        let pinned = |i: &u32| self.accesses[*i as usize].main_thread;
        let main: Vec<u32> = run_list.iter().copied().filter(pinned).collect();
        let free: Vec<u32> = run_list.iter().copied().filter(|i| !pinned(i)).collect();
        let share = WaveShare::new(run_list.len());
        let outcome = pool.run(|worker| {
            if worker == 0 {
                for &i in &main {
                    run_one(i, 0, Par::Wave(&share));
                    share.finish_one();
                }
            }
            share.work(free.len(), &|k| run_one(free[k], worker, Par::Wave(&share)));
        });
        if let Err(panic) = outcome {
            // Systems' panics are caught one by one; whatever this is, it is not lost.
            panic.resume();
        }
    }

    fn discard(&mut self, world: &mut World, wave: usize) {
        for &i in &self.plan.waves[wave] {
            self.entries[i as usize].system.commit(world, CommitPhase::Discard);
        }
    }

    /// The fence: everything the wave recorded, in order of (system, chunk, sequence).
    fn commit(
        &mut self,
        world: &mut World,
        wave: usize,
        tick: u64,
    ) -> Result<(), (Option<u32>, FrameErrorKind)> {
        let members = &self.plan.waves[wave];
        let mut spawned = 0;
        for &i in members {
            let system = &self.entries[i as usize].system;
            spawned += system.spawned();
            if system.overflowed() {
                self.discard(world, wave);
                return Err((Some(i), FrameErrorKind::CommandLimit));
            }
        }
        if spawned > world.entities.room() {
            self.discard(world, wave);
            return Err((None, FrameErrorKind::EntityLimit(world.entities.limit)));
        }
        let resolver = &mut self.resolver;
        resolver.0.clear();
        if spawned > 0 {
            for &i in members {
                self.entries[i as usize].system.commit(world, CommitPhase::Mint(resolver));
            }
            world.resolve_in_place(tick, &resolver.0);
        }
        let mut failure = None;
        for &i in members {
            let system = &mut self.entries[i as usize].system;
            world.running_system = Some(i);
            let result = catch_unwind(AssertUnwindSafe(|| {
                system.commit(world, CommitPhase::Apply(resolver));
            }));
            if let Err(panic) = result {
                // The rest of this system's commands is dropped; the others' land, in every mode alike.
                system.commit(world, CommitPhase::Discard);
                failure.get_or_insert((Some(i), FrameErrorKind::Commit(message(&*panic))));
            }
        }
        world.running_system = None;
        if world.observers.any
            && (!world.pending.is_empty() || world.observers.any_change)
            && let Some(panic) = world.drain()
        {
            failure.get_or_insert((None, FrameErrorKind::Commit(message(&*panic))));
        }
        world.advance();
        failure.map_or(Ok(()), Err)
    }
}
