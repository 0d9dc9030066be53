//! Ranges against what they promise: every index once, whoever takes it.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::WorkerPool;

#[test]
fn every_index_is_taken_once() {
    for workers in [1, 2, 3, 8] {
        let pool = WorkerPool::new(workers);
        for (n, most) in [
            (0, 1),
            (1, 1),
            (2, 1),
            (7, 3),
            (if cfg!(miri) { 60 } else { 1000 }, 1),
            (if cfg!(miri) { 100 } else { 10_000 }, 16),
        ] {
            let ranges = Ranges::new(workers);
            ranges.deal(n);
            let hits: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
            pool.run(|worker| {
                while let Some(range) = ranges.take(worker, most) {
                    assert!(!range.is_empty() && range.len() as u32 <= most);
                    for index in range {
                        hits[index as usize].fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
            .unwrap();
            assert!(hits.iter().all(|hit| hit.load(Ordering::Relaxed) == 1));
        }
    }
}

#[test]
fn a_thief_takes_half_of_the_richest_and_leaves_a_single_one() {
    let ranges = Ranges::new(3);
    ranges.of[0].store(pack(&(0..9)), Ordering::Relaxed);
    ranges.of[1].store(pack(&(20..24)), Ordering::Relaxed);
    assert_eq!(ranges.take(2, 10), Some(5..9));
    assert_eq!(ranges.take(2, 10), Some(3..5));
    assert_eq!(ranges.take(2, 10), Some(22..24));
    assert_eq!(ranges.take(2, 10), Some(2..3));
    assert_eq!(ranges.take(2, 10), Some(1..2), "of equals, the first");
    assert_eq!(ranges.take(2, 10), Some(21..22));
    assert_eq!(ranges.take(2, 10), None, "both peers have a single one left");
    assert_eq!(ranges.take(0, 10), Some(0..1));
}

#[test]
fn what_is_cleared_is_not_taken() {
    let ranges = Ranges::new(2);
    ranges.deal(10);
    assert_eq!(ranges.take(0, 2), Some(0..2));
    ranges.clear();
    assert_eq!((ranges.take(0, 2), ranges.take(1, 2)), (None, None));
}
