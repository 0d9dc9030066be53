//! A number that threads wait on: they spin for a while, then park.
//!
//! Invariant: a waiter that parks has set the lowest bit of the word while the old number was still in it, so the
//! publisher's swap, which takes the whole word, sees the bit and wakes it. One word holds both the number and the bit;
//! therefore no ordering between two variables is needed, and a wake cannot be lost. Spurious wakes are harmless,
//! because a waiter only ever returns on a number that differs from the one it has seen.

use crate::sync::{AtomicU64, Condvar, Mutex, Ordering, SPIN_START, lock, spin};

const SLEEPERS: u64 = 1;
const SPIN_MAX: u32 = 1 << 12;

/// What one waiter has learnt about how long spinning pays.
///
/// A spin that ends in success keeps the budget near its cost; one that had to park anyway halves it.
#[derive(Debug, Clone)]
pub(crate) struct SpinBudget {
    rounds: u32,
    most: u32,
}

impl SpinBudget {
    /// `crowded`: more threads than cores, where a spinning thread keeps the awaited one from running.
    pub(crate) fn new(crowded: bool) -> Self {
        let most = if crowded { SPIN_START.min(32) } else { SPIN_MAX.min(SPIN_START * 4) };
        SpinBudget { rounds: SPIN_START.min(most), most }
    }

    fn succeeded_after(&mut self, used: u32) {
        self.rounds = (self.rounds / 2 + used.saturating_mul(2)).max(self.least()).min(self.most);
    }

    fn failed(&mut self) {
        self.rounds = (self.rounds / 2).max(self.least());
    }

    /// Never quite zero: the next wait may be short again, and this is how it would be found out.
    fn least(&self) -> u32 {
        SPIN_START.min(64).min(self.most)
    }
}

#[derive(Debug)]
pub(crate) struct Signal {
    /// The number, shifted by one; the lowest bit says that somebody is parked or about to park.
    word: AtomicU64,
    parking: Mutex<()>,
    wakes: Condvar,
}

impl Signal {
    pub(crate) fn new() -> Self {
        Signal { word: AtomicU64::new(0), parking: Mutex::new(()), wakes: Condvar::new() }
    }

    pub(crate) fn get(&self) -> u64 {
        // ORDERING: pairs with the swap in `set`; what was written before the number was published is visible.
        self.word.load(Ordering::Acquire) >> 1
    }

    /// Publishes `number` and wakes everybody who waits. Publishers take turns by the caller's protocol.
    pub(crate) fn set(&self, number: u64) {
        // ORDERING: release for what the publisher wrote; acquire is not needed, the bit carries nothing.
        let old = self.word.swap(number << 1, Ordering::AcqRel);
        if old & SLEEPERS != 0 {
            // A waiter holds the lock from setting the bit until it waits, so taking the lock once means that it waits.
            drop(lock(&self.parking));
            self.wakes.notify_all();
        }
    }

    /// Waits until the number is not `seen` any more, and gives the new one.
    pub(crate) fn wait(&self, seen: u64, budget: &mut SpinBudget) -> u64 {
        for used in 0..budget.rounds {
            let number = self.get();
            if number != seen {
                budget.succeeded_after(used);
                return number;
            }
            spin();
        }
        let mut guard = lock(&self.parking);
        let mut parked = false;
        loop {
            // ORDERING: acquire as in `get`; a read-modify-write, so it cannot miss a swap that came before it.
            let number = self.word.fetch_or(SLEEPERS, Ordering::AcqRel) >> 1;
            if number != seen {
                if parked {
                    budget.failed();
                }
                return number;
            }
            parked = true;
            guard = self.wakes.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }
}
