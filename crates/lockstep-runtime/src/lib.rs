//! Worker pool, fences, range stealing, safepoints and the growable fingerprint table.
//!
//! This crate is the part of Lockstep in which threads meet. It knows neither states nor systems: it hands out
//! indices, ranges and verdicts of "new" or "known", and everything whose order could show happens at a fence.
//!
//! * [`WorkerPool`]: threads that stay; the caller is worker 0.
//! * [`Fence`]: all workers arrive, worker 0 takes a step alone, all go on.
//!
//! Every protocol has a `README.md` in its folder: its states, who may write what, and why each memory ordering
//! suffices. The protocols are checked by loom (`RUSTFLAGS="--cfg loom" cargo test -p lockstep-runtime --release
//! loom`), which is why atomics, cells and threads come from one private module, `sync`.

pub mod fence;
mod fingerprint;
pub mod pool;
mod signal;
mod sync;

pub use fence::{Broken, Fence};
pub use fingerprint::Fingerprint;
pub use pool::{WorkerPanic, WorkerPool, WorkerPoolBuilder};
