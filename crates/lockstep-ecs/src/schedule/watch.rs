//! What is running right now, for a watchdog in another thread.
//!
//! A system that never ends cannot be stopped from outside: its thread holds the world. But it can be named within any bound, so
//! that the process can say which system hangs before it gives up.
//!
//! Invariant: slot `k` holds the system that worker `k` is in, or nothing; reading it disturbs nobody.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

const WORKERS: usize = 64;

#[derive(Debug)]
struct Shared {
    /// System number + 1 by worker.
    running: [AtomicU32; WORKERS],
    names: Mutex<Arc<[String]>>,
}

/// Shows which systems of a schedule run right now; see [`super::Schedule::watch`].
#[derive(Clone, Debug)]
pub struct Watch(Arc<Shared>);

impl Watch {
    pub(super) fn new() -> Self {
        Watch(Arc::new(Shared {
            running: std::array::from_fn(|_| AtomicU32::new(0)),
            names: Mutex::new(Arc::new([])),
        }))
    }
    pub(super) fn rename(&self, names: impl Iterator<Item = String>) {
        *self.0.names.lock().expect("never poisoned") = names.collect();
    }
    pub(super) fn enter(&self, worker: usize, system: u32) {
        // ORDERING: a look from outside; nothing is concluded from it about the world.
        self.0.running[worker % WORKERS].store(system + 1, Relaxed);
    }
    pub(super) fn leave(&self, worker: usize) {
        self.0.running[worker % WORKERS].store(0, Relaxed);
    }
    /// The names of the systems running now, by worker (0 is the caller).
    #[must_use]
    pub fn running(&self) -> Vec<(usize, String)> {
        let names = self.0.names.lock().expect("never poisoned").clone();
        let slots = self.0.running.iter().enumerate();
        slots
            .filter_map(|(worker, slot)| {
                let system = slot.load(Relaxed).checked_sub(1)? as usize;
                names.get(system).map(|name| (worker, name.clone()))
            })
            .collect()
    }
}
