//! A swarm of boids, headless: `boids [COUNT] [FRAMES] [WORKERS]` prints a hash for every frame. The hashes do not depend on the
//! number of workers.
#![allow(clippy::print_stdout, missing_docs, reason = "an example")]

use lockstep_ecs::*;
use std::sync::Arc;

#[derive(Component, Plain, Clone, Copy, Debug)]
struct Position([f32; 2]);
#[derive(Component, Plain, Clone, Copy, Debug)]
struct Velocity([f32; 2]);

const SIDE: usize = 256;
const CELL: f32 = 4.0;

/// Mean position and velocity of every cell of a grid; rebuilt every frame from integers, so that the order of addition is nothing.
#[derive(Resource, Plain, Clone, Debug)]
struct Grid {
    cells: Vec<[i64; 5]>,
}

fn cell(p: &Position) -> usize {
    let at = |x: f32| ((x / CELL) as usize).min(SIDE - 1);
    at(p.0[1]) * SIDE + at(p.0[0])
}

fn fixed(x: f32) -> i64 {
    (x * 65536.0) as i64
}

fn gather(q: Query<(&Position, &Velocity)>, mut grid: ResMut<Grid>) {
    grid.cells.fill([0; 5]);
    for (p, v) in &q {
        let c = &mut grid.cells[cell(p)];
        for (sum, x) in c.iter_mut().zip([p.0[0], p.0[1], v.0[0], v.0[1]]) {
            *sum += fixed(x);
        }
        c[4] += 1;
    }
}

fn steer(mut q: Query<(&Position, &mut Velocity)>, grid: Res<Grid>) {
    q.par_for_each(|(p, v)| {
        let c = &grid.cells[cell(p)];
        let n = c[4].max(1) as f32 * 65536.0;
        let mean = |k: usize| c[k] as f32 / n;
        for k in 0..2 {
            // Towards the centre of the flock, along its way, and back into the box.
            let pull = (mean(k) - p.0[k]) * 0.02;
            let align = (mean(k + 2) - v.0[k]) * 0.05;
            let edge = SIDE as f32 * CELL * 0.5;
            let back = (edge - p.0[k]) * 0.0002;
            v.0[k] = (v.0[k] + pull + align + back).clamp(-1.0, 1.0);
        }
    });
}

fn fly(mut q: Query<(&mut Position, &Velocity)>) {
    q.par_for_each(|(p, v)| {
        for k in 0..2 {
            p.0[k] = (p.0[k] + v.0[k]).clamp(0.0, SIDE as f32 * CELL);
        }
    });
}

fn main() {
    let args: Result<Vec<u64>, _> = std::env::args().skip(1).map(|it| it.parse()).collect();
    let Ok(args) = args else {
        println!("usage: boids [COUNT] [FRAMES] [WORKERS]");
        return;
    };
    let arg = |at: usize, otherwise: u64| args.get(at).copied().unwrap_or(otherwise);
    let (count, frames, workers) = (arg(0, 100_000) as usize, arg(1, 20), arg(2, 2) as usize);
    let mut world = World::new();
    world.insert_resource(Grid { cells: vec![[0; 5]; SIDE * SIDE] });
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / (1u64 << 24) as f32
    };
    let size = SIDE as f32 * CELL;
    world.spawn_batch((0..count).map(|_| {
        let p = Position([random() * size, random() * size]);
        (p, Velocity([random() - 0.5, random() - 0.5]))
    }));
    let mut schedule = Schedule::default();
    schedule.add(gather);
    schedule.add(steer);
    schedule.add(fly);
    schedule.set_executor(Executor::Pool(Arc::new(lockstep_runtime::WorkerPool::new(workers))));
    schedule.hash_frames(true);
    for _ in 0..frames {
        let report = schedule.run(&mut world).expect("boids do not fail");
        println!("frame {:4}  {:016x}", report.frame, report.hash.unwrap_or(0));
    }
}
