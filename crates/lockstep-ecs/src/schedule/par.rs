//! How chunks of one loop reach workers: serially, by a pool, by the workers of a running wave, or shuffled on purpose.
//!
//! Invariant: `run` calls its body for every chunk exactly once and returns after the last call; which worker and when never shows.
//! What a body does must depend on the chunk alone. The panic passed on is that of the smallest chunk, after all chunks ran.

use lockstep_runtime::WorkerPool;
use std::any::Any;
use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// A panic and the number of the chunk or system it came from.
pub(crate) type Failure = (u32, Box<dyn Any + Send>);

/// How chunks reach workers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Par<'w> {
    /// One after the other.
    Serial,
    /// One after the other, in an order made up from the seed. For tests.
    Shuffled(u64),
    /// By a pool, when it is worth it.
    Pool(&'w WorkerPool),
    /// By a pool, always, chunk by chunk. For tests.
    Eager(&'w WorkerPool),
    /// By the workers of the wave that the calling system runs in.
    Wave(&'w WaveShare),
}

/// Cycles that opening a loop to other workers must save: a wake-up costs 10–20 µs where we measured.
const WORTH: u64 = 45_000;
/// Cycles spent alone before the rest is estimated: a first chunk with cold caches would mislead.
const PROBE: u64 = 15_000;
/// Cycles that a worker should take with one grab.
const GRAIN: u64 = 30_000;

/// A clock of the processor: only decides who does the work, never what it does.
#[inline(always)]
pub(crate) fn cycles() -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the instruction exists on every x86-64 processor and touches no memory.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    0
}

/// A body runs a range of chunks and gives back the failure of the smallest chunk that panicked.
pub(crate) type Body<'b> = dyn Fn(Range<u32>) -> Option<Failure> + Sync + 'b;

fn worse(a: Option<Failure>, b: Option<Failure>) -> Option<Failure> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
        (a, b) => a.or(b),
    }
}

impl Par<'_> {
    /// Runs chunk by chunk.
    pub(crate) fn run(&self, n: u32, each: &(dyn Fn(u32) + Sync)) {
        self.run_ranges(n, &|range| {
            let mut failure = None;
            for chunk in range {
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| each(chunk))) {
                    failure = worse(failure, Some((chunk, panic)));
                }
            }
            failure
        });
    }

    /// Runs ranges of chunks.
    pub(crate) fn run_ranges(&self, n: u32, body: &Body<'_>) {
        if n == 0 {
            return;
        }
        let failure = match *self {
            Par::Serial => body(0..n),
            Par::Shuffled(seed) => {
                let mut order: Vec<u32> = (0..n).collect();
                shuffle(&mut order, seed ^ u64::from(n));
                order.into_iter().fold(None, |f, c| worse(f, body(c..c + 1)))
            }
            Par::Eager(pool) => share(pool, 0..n, 1, body),
            Par::Pool(pool) => {
                if pool.workers() < 2 {
                    body(0..n)
                } else {
                    adaptive(n, body, |rest, grain| share(pool, rest, grain, body))
                }
            }
            Par::Wave(wave) => adaptive(n, body, |rest, grain| wave.share(rest, grain, body)),
        };
        if let Some((_, panic)) = failure {
            resume_unwind(panic);
        }
    }
}

/// Runs alone in growing steps, as long as what remains is not worth sharing.
fn adaptive(
    n: u32,
    body: &Body<'_>,
    open: impl FnOnce(Range<u32>, u32) -> Option<Failure>,
) -> Option<Failure> {
    let begin = cycles();
    let mut done = 0;
    let mut step = 1;
    let mut failure = None;
    while done < n {
        let next = (done + step).min(n);
        failure = worse(failure, body(done..next));
        done = next;
        let spent = cycles().wrapping_sub(begin);
        let left = u64::from(n - done);
        if spent == 0 {
            // No clock: many chunks are taken to be worth it.
            if left >= 64 {
                return worse(failure, open(done..n, 8));
            }
        } else if spent >= PROBE {
            let each = (spent / u64::from(done)).max(1);
            if left * each >= WORTH && left > 1 {
                let grain = (GRAIN / each).clamp(1, (left / 4).max(1)) as u32;
                return worse(failure, open(done..n, grain));
            }
            step = n - done;
        } else {
            step *= 2;
        }
    }
    failure
}

fn share(pool: &WorkerPool, range: Range<u32>, grain: u32, body: &Body<'_>) -> Option<Failure> {
    let next = AtomicU32::new(range.start);
    let failure = Mutex::new(None);
    let outcome = pool.run(|_| {
        while let Some(range) = take(&next, range.end, grain) {
            if let Some(f) = body(range) {
                let mut slot = failure.lock().expect("never poisoned");
                *slot = worse(slot.take(), Some(f));
            }
        }
    });
    if let Err(panic) = outcome {
        // Bodies catch their panics; whatever this is, it is not lost.
        panic.resume();
    }
    failure.into_inner().expect("never poisoned")
}

#[inline]
fn take(next: &AtomicU32, end: u32, grain: u32) -> Option<Range<u32>> {
    // ORDERING: the counter only deals out numbers; results are published by the end of the pool's run or of the job.
    let start = next.fetch_add(grain, Ordering::Relaxed);
    if start >= end {
        // Stops the counter from wrapping when many ask after the end.
        next.store(end, Ordering::Relaxed);
        return None;
    }
    Some(start..start.saturating_add(grain).min(end))
}

pub(crate) fn shuffle(order: &mut [u32], seed: u64) {
    let mut state = seed;
    for i in (1..order.len()).rev() {
        order.swap(i, (split_mix(&mut state) % (i as u64 + 1)) as usize);
    }
}

/// The next number of a splitmix64 generator.
pub(crate) fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One loop opened to the workers of a wave.
struct Job {
    body: *const Body<'static>,
    next: AtomicU32,
    end: u32,
    grain: u32,
    failure: Mutex<Option<Failure>>,
    helpers: AtomicUsize,
    /// The job below in the list; touched under the list's lock.
    below: Cell<*const Job>,
}

#[derive(Clone, Copy)]
struct JobPtr(*const Job);
// SAFETY: a job is used by other workers only between its publication and the end of `share`, which waits for them.
unsafe impl Send for JobPtr {}

/// What the workers of one running wave share: systems to take, and loops to help with.
pub(crate) struct WaveShare {
    next: AtomicUsize,
    finished: AtomicUsize,
    total: usize,
    /// The top of a list of jobs that lie on their owners' stacks: opening a loop allocates nothing.
    jobs: Mutex<JobPtr>,
}

impl std::fmt::Debug for WaveShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WaveShare({} systems)", self.total)
    }
}

impl WaveShare {
    pub(crate) fn new(total: usize) -> Self {
        WaveShare {
            next: AtomicUsize::new(0),
            finished: AtomicUsize::new(0),
            total,
            jobs: Mutex::new(JobPtr(std::ptr::null())),
        }
    }

    /// A worker's part: takes systems below `free` by number, then helps with loops until all systems have finished.
    pub(crate) fn work(&self, free: usize, run: &(dyn Fn(usize) + Sync)) {
        loop {
            // ORDERING: deals out numbers only.
            let k = self.next.fetch_add(1, Ordering::Relaxed);
            if k >= free {
                break;
            }
            run(k);
            self.finish_one();
        }
        let mut idle = 0u32;
        // ORDERING: pairs with `finish_one`; when all are counted, their writes are visible.
        while self.finished.load(Ordering::Acquire) < self.total {
            if self.help() {
                idle = 0;
                continue;
            }
            idle += 1;
            if idle < 64 {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
    pub(crate) fn finish_one(&self) {
        // ORDERING: publishes the system's writes to whoever sees the count.
        self.finished.fetch_add(1, Ordering::AcqRel);
    }

    fn help(&self) -> bool {
        let job = {
            let jobs = self.jobs.lock().expect("never poisoned");
            let mut at = jobs.0;
            loop {
                // SAFETY: jobs in the list are alive: their owner takes them out, under this lock, before it leaves.
                let Some(job) = (unsafe { at.as_ref() }) else { return false };
                if job.next.load(Ordering::Relaxed) < job.end {
                    // Counted in while the lock is held, so the owner waits for us.
                    job.helpers.fetch_add(1, Ordering::AcqRel);
                    break at;
                }
                at = job.below.get();
            }
        };
        // SAFETY: the owner waits until we have counted ourselves out.
        let job = unsafe { &*job };
        job.work();
        // ORDERING: publishes what the body wrote to the owner.
        job.helpers.fetch_sub(1, Ordering::AcqRel);
        true
    }

    fn share(&self, range: Range<u32>, grain: u32, body: &Body<'_>) -> Option<Failure> {
        // SAFETY: only the lifetime is erased: `share` does not return before all helpers have left the body.
        let body: *const Body<'static> =
            unsafe { std::mem::transmute::<*const Body<'_>, *const Body<'static>>(body) };
        let job = Job {
            body,
            next: AtomicU32::new(range.start),
            end: range.end,
            grain,
            failure: Mutex::new(None),
            helpers: AtomicUsize::new(0),
            below: Cell::new(std::ptr::null()),
        };
        let ptr = &raw const job;
        {
            let mut jobs = self.jobs.lock().expect("never poisoned");
            job.below.set(jobs.0);
            jobs.0 = ptr;
        }
        job.work();
        {
            let mut jobs = self.jobs.lock().expect("never poisoned");
            if std::ptr::eq(jobs.0, ptr) {
                jobs.0 = job.below.get();
            } else {
                let mut at = jobs.0;
                // SAFETY: ours is in the list below others; all of them are alive while the lock is held.
                unsafe {
                    while !std::ptr::eq((*at).below.get(), ptr) {
                        at = (*at).below.get();
                    }
                    (*at).below.set(job.below.get());
                }
            }
        }
        let mut spins = 0u32;
        // ORDERING: pairs with `help`; what helpers wrote is visible after this.
        while job.helpers.load(Ordering::Acquire) > 0 {
            spins += 1;
            if spins < 64 {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        job.failure.into_inner().expect("never poisoned")
    }
}

impl Job {
    fn work(&self) {
        while let Some(range) = take(&self.next, self.end, self.grain) {
            // SAFETY: the body outlives the job (`WaveShare::share`).
            if let Some(f) = unsafe { (*self.body)(range) } {
                let mut slot = self.failure.lock().expect("never poisoned");
                *slot = worse(slot.take(), Some(f));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Small enough for Miri, which sees races and dangling jobs: `cargo +nightly miri test -p lockstep-ecs --lib par`.

    use super::*;

    #[test]
    fn loops_of_a_wave_run_every_chunk_once() {
        const SYSTEMS: usize = 3;
        const CHUNKS: u32 = 9;
        for round in 0..if cfg!(miri) { 4 } else { 300 } {
            let wave = WaveShare::new(SYSTEMS);
            // Plain cells, one a chunk: two workers on one chunk would be a race.
            struct Cells(Vec<std::cell::UnsafeCell<u32>>);
            // SAFETY: each chunk is dealt out once; that is what is tested.
            unsafe impl Sync for Cells {}
            let cells = |n| Cells((0..n).map(|_| std::cell::UnsafeCell::new(0)).collect());
            let all: Vec<Cells> = (0..SYSTEMS).map(|_| cells(CHUNKS)).collect();
            let told = Mutex::new(Vec::new());
            let system = |k: usize| {
                let failure = wave.share(0..CHUNKS, 1 + round % 3, &|range| {
                    let mut failure = None;
                    for chunk in range {
                        let cell = all[k].0[chunk as usize].get();
                        // SAFETY: nobody else has this chunk.
                        unsafe { *cell += 1 };
                        if chunk % 4 == 3 {
                            failure = worse(failure, Some((chunk, Box::new(chunk))));
                        }
                    }
                    failure
                });
                // The caller of `share` sees what helpers wrote.
                // SAFETY: all chunks are done.
                assert!(all[k].0.iter().all(|c| unsafe { *c.get() } == 1));
                told.lock().unwrap().push(failure.map(|f| f.0));
            };
            std::thread::scope(|s| {
                for _ in 0..3 {
                    s.spawn(|| wave.work(SYSTEMS, &system));
                }
            });
            assert_eq!(
                told.into_inner().unwrap(),
                [Some(3); SYSTEMS],
                "the smallest chunk is told"
            );
        }
    }

    #[test]
    fn every_way_runs_every_chunk_once_and_tells_the_smallest_panic() {
        let pool = WorkerPool::new(if cfg!(miri) { 2 } else { 3 });
        for par in [Par::Serial, Par::Shuffled(7), Par::Pool(&pool), Par::Eager(&pool)] {
            let runs: Vec<AtomicU32> = (0..100).map(|_| AtomicU32::new(0)).collect();
            let told = catch_unwind(AssertUnwindSafe(|| {
                par.run(100, &|chunk| {
                    runs[chunk as usize].fetch_add(1, Ordering::Relaxed);
                    if chunk % 30 == 29 {
                        std::panic::resume_unwind(Box::new(chunk));
                    }
                });
            }));
            assert_eq!(told.unwrap_err().downcast_ref::<u32>(), Some(&29), "{par:?}");
            assert!(runs.iter().all(|r| r.load(Ordering::Relaxed) == 1), "{par:?}");
        }
    }
}
