//! The pool against what it promises: every worker once, borrows allowed, panics reported by the lowest number.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[test]
fn every_worker_runs_once_and_the_caller_is_worker_0() {
    for workers in [1, 2, 3, 8] {
        let pool = WorkerPool::new(workers);
        let seen: Vec<AtomicUsize> = (0..workers).map(|_| AtomicUsize::new(0)).collect();
        let caller = std::thread::current().id();
        for round in 1..=200 {
            pool.run(|worker| {
                seen[worker].fetch_add(1, Ordering::Relaxed);
                assert_eq!(worker == 0, std::thread::current().id() == caller);
            })
            .unwrap();
            assert!(seen.iter().all(|n| n.load(Ordering::Relaxed) == round));
        }
    }
}

#[test]
fn the_lowest_panic_is_reported_and_the_pool_stays_usable() {
    let pool = WorkerPool::new(4);
    for _ in 0..50 {
        let error = pool
            .run(|worker| {
                if worker >= 2 {
                    std::panic::resume_unwind(Box::new(format!("worker {worker} fell")));
                }
            })
            .unwrap_err();
        assert_eq!((error.worker, error.message()), (2, "worker 2 fell"));
        pool.run(|_| {}).unwrap();
    }
}

#[test]
fn a_run_within_a_run_is_made_on_the_spot() {
    let pool = WorkerPool::new(3);
    let calls = AtomicUsize::new(0);
    pool.run(|_| {
        pool.run(|_| {
            calls.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
    })
    .unwrap();
    assert_eq!(calls.into_inner(), 9);
}

#[test]
fn ranges_cover_every_index_once() {
    for workers in [1, 2, 5] {
        let pool = WorkerPool::new(workers);
        for (n, chunk) in [(0, 4), (1, 4), (4, 4), (5, 4), (1000, 7), (64, 1)] {
            let hits: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
            pool.for_each_range(n, chunk, |_, range| {
                assert_eq!(range.start % chunk, 0);
                for index in range {
                    hits[index].fetch_add(1, Ordering::Relaxed);
                }
            })
            .unwrap();
            assert!(hits.iter().all(|hit| hit.load(Ordering::Relaxed) == 1));
        }
    }
}
