//! The protocols in loom's hands: every interleaving of small cases, weak memory included.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test -p lockstep-runtime --release loom`. Each model is the smallest in which the
//! protocol can still go wrong: two workers, two rounds, a handful of keys. Preemptions are bounded where the full space is
//! out of reach; the bound is in the model's name for it, `bounded`.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use crate::signal::{Signal, SpinBudget};
use crate::sync::{Cell, lock};
use crate::{Broken, Fence, Fingerprint, FingerprintTable, Key, Links, Ranges, WorkerPool};

fn bounded(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

/// Data that loom watches: an access that is not ordered against another fails the model.
struct Watched(Cell<usize>);

// SAFETY: this is what the models check: loom reports any two accesses that are not ordered.
unsafe impl Sync for Watched {}
// SAFETY: as above.
unsafe impl Send for Watched {}

impl Watched {
    fn new() -> Self {
        Watched(Cell::new(0))
    }

    fn set(&self, value: usize) {
        // SAFETY: checked by loom.
        self.0.with_mut(|it| unsafe { *it = value });
    }

    fn get(&self) -> usize {
        // SAFETY: checked by loom.
        self.0.with(|it| unsafe { *it })
    }
}

#[test]
fn loom_a_signal_wakes_and_publishes() {
    loom::model(|| {
        let shared = Arc::new((Signal::new(), Watched::new()));
        let theirs = Arc::clone(&shared);
        let waiter = thread::spawn(move || {
            let mut budget = SpinBudget::new(false);
            let mut seen = 0;
            while seen < 2 {
                seen = theirs.0.wait(seen, &mut budget);
            }
            assert_eq!(theirs.1.get(), 7);
        });
        shared.0.set(1);
        shared.1.set(7);
        shared.0.set(2);
        waiter.join().unwrap();
    });
}

#[test]
fn loom_a_fence_orders_two_rounds() {
    loom::model(|| {
        let shared = Arc::new((Fence::new(2), [Watched::new(), Watched::new()], Watched::new()));
        let work = |shared: &(Fence, [Watched; 2], Watched), worker: usize| {
            for round in 1..=2 {
                shared.1[worker].set(round);
                let step = || {
                    assert_eq!((shared.1[0].get(), shared.1[1].get()), (round, round));
                    shared.2.set(round);
                };
                let led = shared.0.wait(worker, step).unwrap();
                assert_eq!(led.is_some(), worker == 0);
                assert_eq!(shared.2.get(), round);
            }
        };
        let theirs = Arc::clone(&shared);
        let helper = thread::spawn(move || work(&theirs, 1));
        work(&shared, 0);
        helper.join().unwrap();
    });
}

#[test]
fn loom_a_broken_fence_keeps_nobody_bounded() {
    bounded(3, || {
        let fence = Arc::new(Fence::new(3));
        let others: Vec<_> = [1, 2]
            .into_iter()
            .map(|worker| {
                let fence = Arc::clone(&fence);
                thread::spawn(move || {
                    if worker == 2 {
                        fence.break_open();
                    } else {
                        assert_eq!(fence.wait(1, || ()), Err(Broken));
                    }
                })
            })
            .collect();
        assert_eq!(fence.wait(0, || ()), Err(Broken));
        for other in others {
            other.join().unwrap();
        }
    });
}

#[test]
fn loom_a_fence_that_ended_is_not_taken_for_broken() {
    loom::model(|| {
        let fence = Arc::new(Fence::new(2));
        let theirs = Arc::clone(&fence);
        let helper = thread::spawn(move || {
            assert_eq!(theirs.wait(1, || ()), Ok(None));
        });
        assert_eq!(fence.wait(0, || ()), Ok(Some(())));
        fence.break_open();
        helper.join().unwrap();
    });
}

#[test]
fn loom_a_pool_lends_and_takes_back() {
    loom::model(|| {
        let pool = WorkerPool::new(2);
        for round in 1..=2 {
            // Lent to both workers, and free again when the run is over: loom would see a late access.
            let cells = [Watched::new(), Watched::new()];
            pool.run(|worker| cells[worker].set(round)).unwrap();
            assert_eq!((cells[0].get(), cells[1].get()), (round, round));
        }
    });
}

#[test]
fn loom_each_index_is_taken_once() {
    loom::model(|| {
        let shared = Arc::new((Ranges::new(2), [const { () }; 4].map(|()| AtomicUsize::new(0))));
        shared.0.deal(4);
        let work = |shared: &(Ranges, [AtomicUsize; 4]), worker: usize| {
            while let Some(range) = shared.0.take(worker, 1) {
                for index in range {
                    assert_eq!(shared.1[index as usize].fetch_add(1, Ordering::Relaxed), 0);
                }
            }
        };
        let theirs = Arc::clone(&shared);
        let helper = thread::spawn(move || work(&theirs, 1));
        work(&shared, 0);
        helper.join().unwrap();
        assert!(shared.1.iter().all(|hits| hits.load(Ordering::Relaxed) == 1));
    });
}

/// Of four homes, keys 1 and 2 have the second, 3 and 4 the third; they part when the table grows.
fn key(number: u64, link: u64) -> Key {
    let home = 1 + (number - 1) / 2;
    Key { fingerprint: Fingerprint(u128::from(home) << 126 | u128::from(number % 2) << 125), link }
}

/// Two workers insert their keys, meet, and must have found each key new once, with the greatest link.
fn insert_together(slots: usize, keys: [&'static [(u64, u64)]; 2]) {
    let mut table = FingerprintTable::new(slots, Links::Wide).unwrap();
    let before_growth = table.leader().capacity();
    let mut handles = table.split(2).into_iter();
    let (first, second) = (handles.next().unwrap(), handles.next().unwrap());
    let found = Arc::new(crate::sync::Mutex::new(Vec::new()));
    let theirs = Arc::clone(&found);
    // Loom's threads want what lives for ever; this lives until they are joined.
    // SAFETY: the table is only used by these two handles and outlives both threads, which are joined below.
    let second: crate::TableWorker<'static> = unsafe { std::mem::transmute(second) };
    let helper = thread::spawn(move || {
        let mut handle = second;
        for (number, link) in keys[1] {
            if handle.insert(&[key(*number, *link)], 1).unwrap() == 1 {
                lock(&theirs).push(*number);
            }
        }
        handle.meet(|_| ()).unwrap();
    });
    let mut handle = first;
    for (number, link) in keys[0] {
        if handle.insert(&[key(*number, *link)], 1).unwrap() == 1 {
            lock(&found).push(*number);
        }
    }
    handle
        .meet(|leader| {
            let mut all = lock(&found).clone();
            all.sort_unstable();
            let before = all.len();
            all.dedup();
            assert_eq!(before, all.len(), "new twice");
            assert_eq!(leader.len(), all.len());
            assert_eq!(leader.capacity() > before_growth, all.len() > before_growth, "growth");
            for (number, _) in keys.into_iter().flatten() {
                let links = keys.into_iter().flatten().filter(|it| it.0 == *number).map(|it| it.1);
                assert_eq!(leader.find(key(*number, 0).fingerprint), links.max());
            }
        })
        .unwrap();
    helper.join().unwrap();
}

#[test]
fn loom_two_workers_insert_the_same_keys_bounded() {
    bounded(3, || insert_together(8, [&[(1, 5), (2, 1)], &[(2, 9), (1, 4)]]));
}

#[test]
fn loom_a_table_grows_under_two_workers_bounded() {
    // Two keys fit; the third makes it grow.
    bounded(2, || insert_together(4, [&[(1, 5), (2, 1)], &[(2, 9), (3, 4)]]));
}
