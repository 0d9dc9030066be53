//! Worker pool, fences, range stealing, safepoints and the growable fingerprint table.
//!
//! This crate is the part of Lockstep in which threads meet. It knows neither states nor systems: it hands out
//! indices, ranges and verdicts of "new" or "known", and everything whose order could show happens at a fence.
//!
//! * [`WorkerPool`]: threads that stay; the caller is worker 0.
//! * [`Fence`]: all workers arrive, worker 0 takes a step alone, all go on.
//! * [`Ranges`]: indices dealt out to workers, who steal from each other.
//! * [`FingerprintTable`]: the set that all workers insert into, and the safepoint at which it grows.
//! * [`merge_keyed`]: what workers gathered, in an order that does not depend on them.
//!
//! Every protocol has a `README.md` in its folder: its states, who may write what, and why each memory ordering
//! suffices. The protocols are checked by loom (`RUSTFLAGS="--cfg loom" cargo test -p lockstep-runtime --release
//! loom`), which is why atomics, cells and threads come from one private module, `sync`. The unit tests pass under Miri, too,
//! with fewer keys (`MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p lockstep-runtime --lib`, some minutes).

pub mod fence;
mod fingerprint;
#[cfg(all(test, loom))]
mod loom_models;
mod memory;
mod merge;
pub mod pool;
mod signal;
mod steal;
mod sync;
pub mod table;

pub use fence::{Broken, Fence};
pub use fingerprint::Fingerprint;
pub use memory::{OutOfMemory, Pages};
pub use merge::merge_keyed;
pub use pool::{Tickets, WorkerPanic, WorkerPool, WorkerPoolBuilder, panic_message};
pub use steal::Ranges;
pub use table::{FingerprintTable, Key, Links, TableError, TableLeader, TableWorker};
