//! The runtime's parts: table inserts by size, pages, batch and threads; growth; fence; stealing; hashing.
//!
//! `cargo bench -p lockstep-bench --bench runtime [-- NAME]`. Where a case has workers, an item is one key, meeting or
//! index of all of them together.
#![allow(clippy::unwrap_used, reason = "a bench that cannot run should say so")]

use std::fmt;
use std::hint::black_box;
use std::sync::Mutex;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use lockstep_bench::Grid;
use lockstep_explore::fingerprint_of;
use lockstep_runtime::{
    Fence, FingerprintTable, Key, Links, Pages, Ranges, TableWorker, WorkerPool,
};

fn main() {
    divan::main();
}

/// The key with a number.
fn key(number: u64) -> Key {
    Key { fingerprint: Grid::print(number), link: number & 0xffff_ffff }
}

/// Inserts the keys with these numbers, `batch` at a time, each batch fetched ahead.
fn insert(table: &mut TableWorker<'_>, numbers: std::ops::Range<u64>, batch: usize) {
    let mut keys = Vec::with_capacity(batch);
    for number in numbers {
        let key = key(number);
        table.prefetch(key.fingerprint);
        keys.push(key);
        if keys.len() == batch {
            black_box(table.insert(&keys, 1).unwrap());
            keys.clear();
        }
    }
    black_box(table.insert(&keys, 1).unwrap());
}

/// A table with `slots` slots and `keys` keys.
fn filled(slots: usize, pages: Pages, keys: u64) -> FingerprintTable {
    let mut table = FingerprintTable::in_pages(slots, Links::Narrow, pages).unwrap();
    let mut handles = table.split(1);
    insert(&mut handles[0], 0..keys, 64);
    drop(handles);
    table
}

/// Lends each worker of a pool its handle.
fn together(
    pool: &WorkerPool,
    handles: &[Mutex<TableWorker<'_>>],
    f: impl Fn(usize, &mut TableWorker<'_>) + Sync,
) {
    pool.run(|worker| f(worker, &mut handles[worker].lock().unwrap())).unwrap();
}

struct Insert {
    /// The binary logarithm of the slots.
    slots: u32,
    pages: Pages,
    batch: usize,
    threads: usize,
}

impl fmt::Display for Insert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Insert { slots, pages, batch, threads } = self;
        let megabytes = (12u64 << slots) / 1_000_000;
        write!(f, "{megabytes} MB, {pages:?}, batch {batch}, threads {threads}")
    }
}

fn inserts() -> Vec<Insert> {
    let mut all = Vec::new();
    for slots in [20, 23, 27] {
        for (pages, batch, threads) in [
            (Pages::Huge, 1, 1),
            (Pages::Huge, 16, 1),
            (Pages::Huge, 32, 1),
            (Pages::Huge, 64, 1),
            (Pages::Huge, 32, 2),
            (Pages::Small, 1, 1),
            (Pages::Small, 32, 1),
        ] {
            all.push(Insert { slots, pages, batch, threads });
        }
    }
    all
}

const SAMPLES: u32 = 20;

/// Keys that are not in yet, into a table that is a quarter full at first.
#[divan::bench(args = inserts(), sample_count = SAMPLES, sample_size = 1)]
fn insert_new(bencher: Bencher<'_, '_>, case: &Insert) {
    let start = 1u64 << (case.slots - 2);
    // So many that all samples together fill the table to three eighths.
    let items = (start / 2 / u64::from(SAMPLES + 2)).min(1 << 18);
    let mut table = filled(1 << case.slots, case.pages, start);
    let pool = WorkerPool::new(case.threads);
    let handles: Vec<_> = table.split(case.threads).into_iter().map(Mutex::new).collect();
    let mut next = start;
    let share = items / case.threads as u64;
    bencher.counter(ItemsCount::new(share * case.threads as u64)).bench_local(|| {
        together(&pool, &handles, |worker, table| {
            let first = next + worker as u64 * share;
            insert(table, first..first + share, case.batch);
        });
        next += items;
    });
}

/// Keys that are in already, spread over a table that is a quarter full.
#[divan::bench(args = inserts(), sample_count = SAMPLES, sample_size = 1)]
fn insert_known(bencher: Bencher<'_, '_>, case: &Insert) {
    let keys = 1u64 << (case.slots - 2);
    let items = (keys / 2).min(1 << 18);
    let mut table = filled(1 << case.slots, case.pages, keys);
    let pool = WorkerPool::new(case.threads);
    let handles: Vec<_> = table.split(case.threads).into_iter().map(Mutex::new).collect();
    let mut next = 0;
    let share = items / case.threads as u64;
    bencher.counter(ItemsCount::new(share * case.threads as u64)).bench_local(|| {
        together(&pool, &handles, |worker, table| {
            let first = next + worker as u64 * share;
            insert(table, first..first + share, case.batch);
        });
        next = (next + items) % (keys - items).max(1);
    });
}

struct Growth {
    slots: u32,
    threads: usize,
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2^{} slots, threads {}", self.slots, self.threads)
    }
}

/// The pause of a growth from a full table, memory still to be had from the system. An item is one key.
#[divan::bench(
    args = [20, 23, 26].map(|slots| [1, 2].map(|threads| Growth { slots, threads })).into_iter().flatten(),
    sample_count = 5,
    sample_size = 1,
)]
fn growth(bencher: Bencher<'_, '_>, case: &Growth) {
    let pool = WorkerPool::new(case.threads);
    let mut empty = FingerprintTable::new(1 << case.slots, Links::Narrow).unwrap();
    let keys = empty.leader().capacity() as u64 - 1;
    drop(empty);
    bencher
        .counter(ItemsCount::new(keys))
        .with_inputs(|| filled(1 << case.slots, Pages::Huge, keys))
        .bench_local_values(|mut table| {
            let handles: Vec<_> = table.split(case.threads).into_iter().map(Mutex::new).collect();
            together(&pool, &handles, |_, table| table.grow().unwrap());
            drop(handles);
            table
        });
}

/// Meetings of all workers, with nothing to do between them.
#[divan::bench(args = [1, 2, 4], sample_count = 20, sample_size = 1)]
fn fence(bencher: Bencher<'_, '_>, workers: usize) {
    const ROUNDS: usize = 2000;
    let pool = WorkerPool::new(workers);
    let fence = Fence::new(workers);
    bencher.counter(ItemsCount::new(ROUNDS)).bench_local(|| {
        pool.run(|worker| {
            for _ in 0..ROUNDS {
                black_box(fence.wait(worker, || ()).unwrap());
            }
        })
        .unwrap();
    });
}

/// Runs of a pool, with nothing to do in them.
#[divan::bench(args = [1, 2, 4], sample_count = 20, sample_size = 1)]
fn pool_run(bencher: Bencher<'_, '_>, workers: usize) {
    const ROUNDS: usize = 1000;
    let pool = WorkerPool::new(workers);
    bencher.counter(ItemsCount::new(ROUNDS)).bench_local(|| {
        for _ in 0..ROUNDS {
            pool.run(|worker| {
                black_box(worker);
            })
            .unwrap();
        }
    });
}

/// Indices taken one at a time from ranges that start with one worker alone, so that the others live on stealing.
#[divan::bench(args = [1, 2, 4], sample_count = 20, sample_size = 1)]
fn stealing(bencher: Bencher<'_, '_>, workers: usize) {
    const INDICES: u32 = 200_000;
    let pool = WorkerPool::new(workers);
    let ranges = Ranges::new(workers);
    bencher.counter(ItemsCount::new(INDICES)).bench_local(|| {
        ranges.deal(INDICES);
        pool.run(|worker| {
            // Uneven on purpose: the first worker has far more to do for each index.
            let rounds = if worker == 0 { 64 } else { 1 };
            while let Some(range) = ranges.take(worker, 1) {
                for _ in 0..rounds {
                    black_box(range.start);
                }
            }
        })
        .unwrap();
    });
}

/// The fingerprint of so many bytes.
#[divan::bench(args = [16, 100, 256, 1000])]
fn fingerprint(bencher: Bencher<'_, '_>, bytes: usize) {
    let text = vec![7u8; bytes];
    bencher.counter(BytesCount::new(bytes)).bench(|| fingerprint_of(black_box(&text)));
}
