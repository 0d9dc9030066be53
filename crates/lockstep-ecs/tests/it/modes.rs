//! Every way to run a schedule, and the comparison of what they give.
//!
//! Invariant: `all` returns only if every mode gave equal values.

use lockstep_ecs::*;
use lockstep_runtime::WorkerPool;
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

fn pools() -> &'static [Arc<WorkerPool>] {
    static POOLS: OnceLock<Vec<Arc<WorkerPool>>> = OnceLock::new();
    POOLS.get_or_init(|| [1, 2, 3, 4, 8].map(|n| Arc::new(WorkerPool::new(n))).to_vec())
}

/// Serial, 1, 2, 3, 4, 8 workers (where it is worth it, and always), and shuffled orders.
pub fn executors() -> Vec<(String, Executor)> {
    let mut out = vec![("serial".to_owned(), Executor::Serial)];
    for pool in pools() {
        let n = pool.workers();
        out.push((format!("pool {n}"), Executor::Pool(pool.clone())));
        out.push((format!("eager {n}"), Executor::Eager(pool.clone())));
    }
    for seed in 1..4 {
        out.push((
            format!("shuffled {seed}"),
            Executor::Shuffled(0x5851_f42d_4c95_7f2d_u64.wrapping_mul(seed)),
        ));
    }
    out
}

/// Runs `f` in every mode and returns the one value they all gave.
pub fn all<T: PartialEq + Debug>(mut f: impl FnMut(Executor) -> T) -> T {
    let mut first: Option<T> = None;
    for (name, executor) in executors() {
        let value = f(executor);
        match &first {
            None => first = Some(value),
            Some(serial) => {
                assert!(*serial == value, "{name} differs from serial:\n{value:?}\n{serial:?}")
            }
        }
    }
    first.expect("there is a serial mode")
}

/// Runs a world of `setup` for some frames in every mode; compares ids, hashes and what `look` shows after every frame.
pub fn frames<T: PartialEq + Debug>(
    n: usize,
    setup: impl Fn(&mut World, &mut Schedule),
    mut look: impl FnMut(&mut World) -> T,
) -> Vec<T> {
    all(|executor| {
        let mut world = World::new();
        let mut schedule = Schedule::default();
        setup(&mut world, &mut schedule);
        schedule.set_executor(executor);
        let mut out = Vec::new();
        let mut marks = Vec::new();
        for _ in 0..n {
            let result = schedule.run(&mut world);
            marks.push((
                result.map(|r| r.systems_run).map_err(|e| e.to_string()),
                world.entities().collect::<Vec<_>>(),
                world.hash(),
                world.state_hash(),
                world.tick(),
            ));
            assert_eq!(marks.last().unwrap().2, marks.last().unwrap().3, "cached hash is stale");
            out.push(look(&mut world));
        }
        (marks, out)
    })
    .1
}
