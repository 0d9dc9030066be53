//! Worker threads that stay, with the caller as worker 0.
//!
//! Not a task queue: a run calls one closure once on every worker and returns when all calls have returned. How the
//! work is cut is the closure's business ([`WorkerPool::for_each_range`] deals it out in chunks).
//!
//! Invariant: between two runs no worker holds anything that the caller lent; [`WorkerPool::run`] returns only after
//! the last worker has left the closure, also when it panicked. The protocol is described in `README.md` beside this
//! file.

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crossbeam_utils::CachePadded;

use crate::signal::{Signal, SpinBudget};
use crate::sync::{
    Arc, AtomicBool, AtomicUsize, Cell, JoinHandle, Mutex, Ordering, lock, parallelism, spawn,
};

/// A panic that was caught in a worker: of all workers that panicked in a run, the one with the lowest number.
pub struct WorkerPanic {
    /// The worker that panicked.
    pub worker: usize,
    payload: Box<dyn Any + Send>,
}

impl WorkerPanic {
    /// Wraps what `catch_unwind` gave.
    #[must_use]
    pub fn new(worker: usize, payload: Box<dyn Any + Send>) -> Self {
        WorkerPanic { worker, payload }
    }

    /// The text of the panic, where it has one.
    #[must_use]
    pub fn message(&self) -> &str {
        panic_message(&*self.payload)
    }

    /// Lets the panic go on in the calling thread.
    pub fn resume(self) -> ! {
        resume_unwind(self.payload)
    }

    /// What the panic carries.
    #[must_use]
    pub fn into_payload(self) -> Box<dyn Any + Send> {
        self.payload
    }
}

/// The text that a panic carries, where it carries text.
#[must_use]
pub fn panic_message(payload: &(dyn Any + Send)) -> &str {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        text
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text
    } else {
        "a panic without a message"
    }
}

impl std::fmt::Debug for WorkerPanic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerPanic")
            .field("worker", &self.worker)
            .field("message", &self.message())
            .finish()
    }
}

impl std::fmt::Display for WorkerPanic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "worker {} panicked: {}", self.worker, self.message())
    }
}

impl std::error::Error for WorkerPanic {}

/// How a pool is made.
#[derive(Debug, Clone)]
pub struct WorkerPoolBuilder {
    /// Workers, the caller included; 0 means as many as the system runs at the same time.
    pub workers: usize,
    /// Bytes of stack for each thread but the caller's; `None` leaves it to the system.
    pub stack_size: Option<usize>,
    /// Threads are named `name-1`, `name-2`, ….
    pub name: String,
}

impl Default for WorkerPoolBuilder {
    fn default() -> Self {
        WorkerPoolBuilder { workers: 0, stack_size: None, name: "worker".to_owned() }
    }
}

impl WorkerPoolBuilder {
    /// Starts the threads. Where a thread cannot be had the pool has fewer workers, down to the caller alone:
    /// [`WorkerPool::workers`] tells, and by the rules of this crate the number never shows in a result.
    #[must_use]
    pub fn build(&self) -> WorkerPool {
        let wanted = if self.workers == 0 { parallelism() } else { self.workers };
        let shared = Arc::new(Shared {
            start: CachePadded::new(Signal::new()),
            done: CachePadded::new(Signal::new()),
            running: CachePadded::new(AtomicUsize::new(0)),
            order: Cell::new(Order::Exit),
            panics: Mutex::new(Vec::new()),
            crowded: wanted > parallelism(),
        });
        let mut threads = Vec::new();
        for worker in 1..wanted {
            let mine = Arc::clone(&shared);
            match spawn(format!("{}-{worker}", self.name), self.stack_size, move || {
                mine.serve(worker);
            }) {
                Ok(thread) => threads.push(thread),
                Err(_) => break,
            }
        }
        WorkerPool { shared, threads, busy: AtomicBool::new(false) }
    }
}

/// A closure lent to the workers for the length of one run.
#[derive(Clone, Copy)]
struct Job {
    data: *const (),
    call: unsafe fn(*const (), usize),
}

#[derive(Clone, Copy)]
enum Order {
    Run(Job),
    Exit,
}

struct Shared {
    /// The number of the run that was started last.
    start: CachePadded<Signal>,
    /// The number of the run that ended last.
    done: CachePadded<Signal>,
    /// Threads that have not left the current run.
    running: CachePadded<AtomicUsize>,
    /// Written by the caller between two runs, read by the threads within one.
    order: Cell<Order>,
    panics: Mutex<Vec<WorkerPanic>>,
    crowded: bool,
}

// SAFETY: the only field that is not Sync by itself is `order`. It is written only by the caller of `run` (one at a time,
// by `busy`) while no thread is in a run, and read by threads only between `start` and their decrement of `running`.
unsafe impl Sync for Shared {}
// SAFETY: the raw pointer in `order` is only followed within a run, during which the closure it points to is borrowed and
// `Sync` (a bound of `run`).
unsafe impl Send for Shared {}

impl Shared {
    /// What a thread of the pool does all its life.
    fn serve(&self, worker: usize) {
        let mut budget = SpinBudget::new(self.crowded);
        let mut run = 0;
        loop {
            run = self.start.wait(run, &mut budget);
            // SAFETY: the caller wrote the order before it published this run and will not write again before `running`
            // has come down to zero, to which this thread contributes below.
            let order = self.order.with(|order| unsafe { *order });
            let job = match order {
                Order::Run(job) => job,
                Order::Exit => return,
            };
            // SAFETY: `data` is the closure borrowed by `run`, which waits for this thread; `call` is its own shim.
            let result = catch_unwind(AssertUnwindSafe(|| unsafe { (job.call)(job.data, worker) }));
            if let Err(payload) = result {
                lock(&self.panics).push(WorkerPanic { worker, payload });
            }
            // ORDERING: release what the closure wrote; the last one's acquire collects it and `done` passes it on.
            if self.running.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.done.set(run);
            }
        }
    }
}

/// Threads that wait for work between runs. See the [module](self).
pub struct WorkerPool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle>,
    busy: AtomicBool,
}

impl std::fmt::Debug for WorkerPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerPool").field("workers", &self.workers()).finish_non_exhaustive()
    }
}

impl WorkerPool {
    /// A pool of `workers` workers, the caller included; 0 means as many as the system runs at the same time.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        WorkerPoolBuilder { workers, ..WorkerPoolBuilder::default() }.build()
    }

    /// How many workers there are, the caller included.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.threads.len() + 1
    }

    /// Calls `f` once for every worker number, each call on that worker's thread, number 0 on the caller's, and waits for
    /// all of them.
    ///
    /// A run started from within a run (or from another thread meanwhile) makes all its calls one after another on the
    /// calling thread; the calls of such a run must not wait for each other.
    ///
    /// # Errors
    /// The panic of the lowest worker that panicked. All calls have ended by then.
    pub fn run(&self, f: impl Fn(usize) + Sync) -> Result<(), WorkerPanic> {
        self.run_led(|| f(0), &f)
    }

    /// As [`WorkerPool::run`], with a body of its own for the caller, which may hold what no other thread may touch: `lead`
    /// runs in the place of `f(0)`.
    ///
    /// # Errors
    /// As [`WorkerPool::run`].
    pub fn run_led<R>(
        &self,
        lead: impl FnOnce() -> R,
        f: impl Fn(usize) + Sync,
    ) -> Result<R, WorkerPanic> {
        // ORDERING: acquire what the run before left behind.
        if self.threads.is_empty() || self.busy.swap(true, Ordering::Acquire) {
            return run_alone(self.workers(), lead, &f);
        }
        let result = self.run_together(lead, &f);
        self.busy.store(false, Ordering::Release);
        result
    }

    fn run_together<F: Fn(usize) + Sync, R>(
        &self,
        lead: impl FnOnce() -> R,
        f: &F,
    ) -> Result<R, WorkerPanic> {
        /// # Safety
        /// `data` must point to a live `F`.
        unsafe fn shim<F: Fn(usize) + Sync>(data: *const (), worker: usize) {
            // SAFETY: by the contract of this function.
            let f = unsafe { &*data.cast::<F>() };
            f(worker);
        }
        let shared = &*self.shared;
        let job = Job { data: std::ptr::from_ref(f).cast(), call: shim::<F> };
        // SAFETY: no run is on (`busy` is ours and every run waits for its threads), so nobody reads the order now.
        shared.order.with_mut(|order| unsafe { *order = Order::Run(job) });
        // ORDERING: relaxed, because `start` publishes it.
        shared.running.store(self.threads.len(), Ordering::Relaxed);
        let before = shared.start.get();
        shared.start.set(before + 1);
        let mine = catch_unwind(AssertUnwindSafe(lead));
        shared.done.wait(before, &mut SpinBudget::new(shared.crowded));
        let mut panics = std::mem::take(&mut *lock(&shared.panics));
        let mine = mine.map_err(|payload| WorkerPanic { worker: 0, payload })?;
        panics.sort_by_key(|panic| panic.worker);
        match panics.into_iter().next() {
            Some(panic) => Err(panic),
            None => Ok(mine),
        }
    }

    /// Deals the indices below `n` out to all workers, `chunk` at a time: `f(worker, range)` is called for ranges that
    /// cover each index once. Where a chunk begins does not depend on the number of workers: at the multiples of `chunk`.
    ///
    /// # Errors
    /// The panic of the lowest worker that panicked; a worker that panicked takes no further chunk.
    pub fn for_each_range(
        &self,
        n: usize,
        chunk: usize,
        f: impl Fn(usize, Range<usize>) + Sync,
    ) -> Result<(), WorkerPanic> {
        let chunk = chunk.max(1);
        if n == 0 {
            return Ok(());
        }
        if n <= chunk {
            return catch_unwind(AssertUnwindSafe(|| f(0, 0..n)))
                .map_err(|payload| WorkerPanic { worker: 0, payload });
        }
        let tickets = Tickets::new(n, chunk);
        self.run(|worker| {
            while let Some(range) = tickets.take() {
                f(worker, range);
            }
        })
    }
}

fn run_alone<R>(
    workers: usize,
    lead: impl FnOnce() -> R,
    f: &dyn Fn(usize),
) -> Result<R, WorkerPanic> {
    let mut first =
        catch_unwind(AssertUnwindSafe(lead)).map_err(|payload| WorkerPanic { worker: 0, payload });
    for worker in 1..workers {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| f(worker)))
            && first.is_ok()
        {
            first = Err(WorkerPanic { worker, payload });
        }
    }
    first
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        let shared = &*self.shared;
        // SAFETY: `&mut self`: no run is on, so nobody reads the order now.
        shared.order.with_mut(|order| unsafe { *order = Order::Exit });
        let before = shared.start.get();
        shared.start.set(before + 1);
        for thread in self.threads.drain(..) {
            // A thread of the pool catches every panic of a job; there is nothing to learn from its result.
            drop(thread.join());
        }
    }
}

/// A counter from which workers draw ranges of indices, `chunk` at a time.
#[derive(Debug)]
pub struct Tickets {
    next: CachePadded<AtomicUsize>,
    end: usize,
    chunk: usize,
}

impl Tickets {
    /// Tickets for the indices below `n`.
    #[must_use]
    pub fn new(n: usize, chunk: usize) -> Self {
        Tickets { next: CachePadded::new(AtomicUsize::new(0)), end: n, chunk: chunk.max(1) }
    }

    /// The next range that nobody has drawn.
    pub fn take(&self) -> Option<Range<usize>> {
        // ORDERING: relaxed; a ticket carries no data. The read first keeps the counter from running away.
        if self.next.load(Ordering::Relaxed) >= self.end {
            return None;
        }
        let start = self.next.fetch_add(self.chunk, Ordering::Relaxed);
        (start < self.end).then(|| start..self.end.min(start + self.chunk))
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
