//! The one place where atomics, cells, locks and threads are named: std's, or loom's under `--cfg loom`.
//!
//! Invariant: no other file of this crate names `std::sync`, `std::thread` or `std::cell`.

#[cfg(not(loom))]
mod imp {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
    pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard};

    /// A cell whose accesses loom can watch.
    #[derive(Debug)]
    pub(crate) struct Cell<T>(std::cell::UnsafeCell<T>);

    impl<T> Cell<T> {
        pub(crate) fn new(value: T) -> Self {
            Cell(std::cell::UnsafeCell::new(value))
        }

        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }

    pub(crate) type JoinHandle = std::thread::JoinHandle<()>;

    pub(crate) fn spawn(
        name: String,
        stack_size: Option<usize>,
        body: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<JoinHandle> {
        let mut builder = std::thread::Builder::new().name(name);
        if let Some(bytes) = stack_size {
            builder = builder.stack_size(bytes);
        }
        builder.spawn(body)
    }

    pub(crate) fn spin() {
        std::hint::spin_loop();
    }

    /// How many threads can run at the same time, as far as the system tells.
    pub(crate) fn parallelism() -> usize {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    }

    /// Spinning is worth this many rounds when nothing is known yet.
    pub(crate) const SPIN_START: u32 = 1 << 10;
}

#[cfg(loom)]
mod imp {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
    pub(crate) use loom::sync::{Arc, Condvar, Mutex, MutexGuard};

    #[derive(Debug)]
    pub(crate) struct Cell<T>(loom::cell::UnsafeCell<T>);

    impl<T> Cell<T> {
        pub(crate) fn new(value: T) -> Self {
            Cell(loom::cell::UnsafeCell::new(value))
        }

        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            self.0.with(f)
        }

        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            self.0.with_mut(f)
        }
    }

    pub(crate) type JoinHandle = loom::thread::JoinHandle<()>;

    pub(crate) fn spawn(
        _name: String,
        _stack_size: Option<usize>,
        body: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<JoinHandle> {
        Ok(loom::thread::spawn(body))
    }

    pub(crate) fn spin() {
        loom::thread::yield_now();
    }

    pub(crate) fn parallelism() -> usize {
        2
    }

    /// Loom explores every interleaving anyway; a spin would only multiply them.
    pub(crate) const SPIN_START: u32 = 0;
}

pub(crate) use imp::*;

/// Locks and ignores poison: every critical section of this crate leaves its data whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
