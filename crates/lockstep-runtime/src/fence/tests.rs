//! The fence against what it promises: the step is alone, writes are visible, a broken fence keeps nobody.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::WorkerPool;

#[test]
fn the_step_sees_all_arrivals_and_all_see_the_step() {
    for workers in [1, 2, 3, 8] {
        let pool = WorkerPool::new(workers);
        let fence = Fence::new(workers);
        let arrivals = AtomicUsize::new(0);
        let steps = AtomicUsize::new(0);
        pool.run(|worker| {
            for round in 1..=300 {
                arrivals.fetch_add(1, Ordering::Relaxed);
                fence
                    .wait(worker, || {
                        assert_eq!(arrivals.load(Ordering::Relaxed), round * workers);
                        steps.store(round, Ordering::Relaxed);
                    })
                    .unwrap();
                assert_eq!(steps.load(Ordering::Relaxed), round);
                fence.wait(worker, || ()).unwrap();
            }
        })
        .unwrap();
    }
}

#[test]
fn a_broken_fence_lets_everybody_go() {
    for breaker in 0..3 {
        let pool = WorkerPool::new(3);
        let fence = Fence::new(3);
        pool.run(|worker| {
            fence.wait(worker, || ()).unwrap();
            if worker == breaker {
                fence.break_open();
            } else {
                assert_eq!(fence.wait(worker, || ()), Err(Broken));
            }
            assert_eq!(fence.wait(worker, || ()), Err(Broken));
        })
        .unwrap();
    }
}

#[test]
fn a_panic_in_the_step_breaks_the_fence() {
    let pool = WorkerPool::new(2);
    let fence = Fence::new(2);
    let result = pool.run(|worker| {
        let waited = fence.wait(worker, || std::panic::resume_unwind(Box::new("the step")));
        assert!(waited.is_err());
    });
    assert_eq!(result.unwrap_err().message(), "the step");
}
