//! bevy_ecs.

use crate::cases::shuffle;
use crate::comps::*;
use crate::{Contestant, checked, fresh, repeat};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};
use bevy_ecs::world::CommandQueue;
use std::hint::black_box;

const N: &str = "bevy_ecs 0.20.1";

fn pv(n: usize) -> (World, Vec<Entity>) {
    let mut w = World::new();
    let es = w.spawn_batch((0..n).map(|_| (P, V))).collect();
    (w, es)
}
fn full(n: usize) -> (World, Vec<Entity>) {
    let mut w = World::new();
    let es = w.spawn_batch((0..n).map(|_| (mat(), P, R, V))).collect();
    (w, es)
}
fn sum(w: &mut World) -> f64 {
    w.query::<&Pos>().iter(w).map(weigh).sum()
}
fn frames(
    name: &'static str,
    parallel: bool,
    mut w: World,
    add: impl Fn(&mut Schedule),
    sum: fn(&mut World) -> f64,
) -> Contestant {
    let mut s = Schedule::default();
    if parallel {
        s.set_executor(MultiThreadedExecutor::new());
    } else {
        s.set_executor(SingleThreadedExecutor::new());
    }
    add(&mut s);
    checked(name, move |look| {
        if look {
            return sum(&mut w);
        }
        s.run(&mut w);
        0.0
    })
}
fn letters(w: &mut World) -> f64 {
    let ab: f64 = w.query::<(&A, &B)>().iter(w).map(|(a, b)| f64::from(a.0 + 2.0 * b.0)).sum();
    let cd: f64 = w.query::<(&C, &D)>().iter(w).map(|(a, b)| f64::from(a.0 + 2.0 * b.0)).sum();
    ab + cd
}

pub fn make(case: &str) -> Vec<Contestant> {
    bevy_tasks::ComputeTaskPool::get_or_init(|| {
        bevy_tasks::TaskPoolBuilder::new().num_threads(2).build()
    });
    match case {
        "world_new_drop" => vec![repeat(N, || {
            black_box(World::new());
            f64::NAN
        })],
        "simple_insert" => vec![fresh(
            N,
            World::new,
            |w| drop(w.spawn_batch((0..10_000).map(|_| (mat(), P, R, V)))),
            sum,
        )],
        "spawn_single_10k" => {
            let run = |w: &mut World| {
                for _ in 0..10_000 {
                    w.spawn((P, V));
                }
            };
            vec![fresh(N, World::new, run, sum)]
        }
        "batch_spawn_1m" => {
            vec![fresh(N, World::new, |w| drop(w.spawn_batch((0..1_000_000).map(|_| (P, V)))), sum)]
        }
        "simple_iter_10k" | "iter_1m" => {
            let make = || if case == "iter_1m" { pv(1_000_000).0 } else { full(10_000).0 };
            let (mut w, mut w2) = (make(), make());
            let (mut q, mut q2) = (w.query::<(&Vel, &mut Pos)>(), w2.query::<(&Vel, &mut Pos)>());
            vec![
                checked(N, move |look| {
                    if look {
                        return sum(&mut w);
                    }
                    q.iter_mut(&mut w).for_each(|(v, mut p)| step(&mut p, v));
                    0.0
                }),
                checked("bevy_ecs contiguous", move |look| {
                    if look {
                        return sum(&mut w2);
                    }
                    for (v, mut p) in q2.contiguous_iter_mut(&mut w2).unwrap() {
                        for (p, v) in p.iter_mut().zip(v) {
                            step(p, v);
                        }
                    }
                    0.0
                }),
            ]
        }
        "frag_iter" => {
            let mut w = World::new();
            macro_rules! add { ($($f:ident)*) => {$( w.spawn_batch((0..20).map(|_| ($f(0.0), Data(1.0)))); )*} }
            fragments!(add);
            let mut q = w.query::<&mut Data>();
            vec![checked(N, move |look| {
                if look {
                    return q.iter(&w).map(|d| f64::from(d.0)).sum();
                }
                q.iter_mut(&mut w).for_each(|mut d| d.0 *= 1.0001);
                0.0
            })]
        }
        "add_remove_10k" | "add_remove_fat_10k" => {
            let (mut w, es) = if case == "add_remove_10k" {
                let mut w = World::new();
                let es: Vec<Entity> = w.spawn_batch((0..10_000).map(|_| A(0.0))).collect();
                (w, es)
            } else {
                full(10_000)
            };
            vec![checked(N, move |look| {
                if look {
                    return w.query::<&B>().iter(&w).count() as f64;
                }
                for &e in &es {
                    w.entity_mut(e).insert(B(0.0));
                }
                for &e in &es {
                    w.entity_mut(e).remove::<B>();
                }
                0.0
            })]
        }
        "add_remove_sparse_10k" => {
            #[derive(Component)]
            #[component(storage = "SparseSet")]
            struct S(#[expect(dead_code, reason = "never read")] f32);
            let (mut w, es) = full(10_000);
            vec![repeat("bevy_ecs SparseSet", move || {
                for &e in &es {
                    w.entity_mut(e).insert(S(0.0));
                }
                for &e in &es {
                    w.entity_mut(e).remove::<S>();
                }
                f64::NAN
            })]
        }
        "despawn_10k" => {
            let run =
                |(w, es): &mut (World, Vec<Entity>)| es.iter().for_each(|&e| drop(w.despawn(e)));
            vec![fresh(N, || full(10_000), run, |s| sum(&mut s.0))]
        }
        "get_random_10k" | "get_random_1m" => {
            let (mut w, mut es) = pv(rows(case));
            shuffle(&mut es);
            let mut q = w.query::<&Pos>();
            vec![repeat(N, move || {
                let q = q.query(&w);
                es.iter().map(|&e| f64::from(q.get(e).unwrap().0[0])).sum()
            })]
        }
        "change_scan_100k" => {
            let (mut w, mut es) = pv(100_000);
            shuffle(&mut es);
            es.truncate(1000);
            let mut scan = IntoSystem::into_system(|q: Query<&Pos, Changed<Pos>>| -> f64 {
                q.iter().map(|p| f64::from(p.0[0])).sum()
            });
            scan.initialize(&mut w);
            scan.run((), &mut w).unwrap();
            let mut q = w.query::<&mut Pos>();
            vec![repeat(N, move || {
                let mut all = q.query_mut(&mut w);
                for &e in &es {
                    all.get_mut(e).unwrap().0[0] += 1.0;
                }
                scan.run((), &mut w).unwrap()
            })]
        }
        "commands_10k" => {
            let mut w = World::new();
            let mut queue = CommandQueue::default();
            let mut q = w.query_filtered::<Entity, With<Pos>>();
            vec![repeat(N, move || {
                let mut c = Commands::new(&mut queue, &w);
                for _ in 0..10_000 {
                    c.spawn((P, V));
                }
                queue.apply(&mut w);
                let n = q.iter(&w).count();
                let all = q.query(&w);
                let mut c = Commands::new(&mut queue, &w);
                for e in all.iter() {
                    c.entity(e).despawn();
                }
                queue.apply(&mut w);
                (n + q.iter(&w).count()) as f64
            })]
        }
        "hierarchy_11k" => {
            fn tree(w: &mut World, depth: usize, parent: Option<Entity>) -> Entity {
                let e = w.spawn((P, Global([0.0; 3]))).id();
                if let Some(p) = parent {
                    w.entity_mut(e).insert(ChildOf(p));
                }
                if depth < 4 {
                    (0..10).for_each(|_| drop(tree(w, depth + 1, Some(e))));
                }
                e
            }
            let mut w = World::new();
            let root = tree(&mut w, 0, None);
            let mut stack = Vec::new();
            let mut q = w.query::<(&Pos, &mut Global, Option<&Children>)>();
            vec![checked("bevy_ecs depth first", move |look| {
                if look {
                    return w.query::<&Global>().iter(&w).map(|g| crate::cases::weigh(&g.0)).sum();
                }
                let mut all = q.query_mut(&mut w);
                stack.push((root, [0.0f32; 3]));
                while let Some((e, base)) = stack.pop() {
                    let (p, mut g, children) = all.get_mut(e).unwrap();
                    g.0 = base;
                    crate::cases::step(&mut g.0, &p.0);
                    let base = g.0;
                    if let Some(children) = children {
                        stack.extend(children.iter().map(|c| (c, base)));
                    }
                }
                0.0
            })]
        }
        "messages_100k" => {
            #[derive(Message, Clone, Copy)]
            struct M(u64);
            fn send(mut w: MessageWriter<M>) {
                for i in 0..100_000 {
                    w.write(M(i));
                }
            }
            fn read(mut r: MessageReader<M>) {
                black_box(r.read().fold(0u64, |s, m| s.wrapping_add(m.0)));
            }
            let mut w = World::new();
            w.init_resource::<Messages<M>>();
            let update = |mut m: ResMut<Messages<M>>| m.update();
            vec![frames(
                "bevy_ecs 1 thread",
                false,
                w,
                move |s| drop(s.add_systems((update, send, read).chain())),
                |_| f64::NAN,
            )]
        }
        "heavy_compute" => {
            let mut w = full(1000).0;
            let mut q = w.query::<(&mut Pos, &mut Mat)>();
            vec![checked(N, move |look| {
                if look {
                    return sum(&mut w);
                }
                q.par_iter_mut(&mut w).for_each(|(mut p, mut m)| heavy(&mut m, &mut p));
                0.0
            })]
        }
        "par_iter_1m" | "par_iter_10k" => {
            let mut w = pv(rows(case)).0;
            let mut q = w.query::<(&Vel, &mut Pos)>();
            vec![checked(N, move |look| {
                if look {
                    return sum(&mut w);
                }
                q.par_iter_mut(&mut w).for_each(|(v, mut p)| step(&mut p, v));
                0.0
            })]
        }
        "schedule_60k" => {
            fn ab(mut q: Query<(&mut A, &mut B)>) {
                q.iter_mut().for_each(|(mut a, mut b)| std::mem::swap(&mut a.0, &mut b.0));
            }
            fn cd(mut q: Query<(&mut C, &mut D)>) {
                q.iter_mut().for_each(|(mut a, mut b)| std::mem::swap(&mut a.0, &mut b.0));
            }
            fn ce(mut q: Query<(&mut C, &mut E)>) {
                q.iter_mut().for_each(|(mut a, mut b)| std::mem::swap(&mut a.0, &mut b.0));
            }
            let world = || {
                let mut w = World::new();
                w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0))));
                w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0))));
                w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0), D(4.0))));
                w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0), E(5.0))));
                w
            };
            let add = |s: &mut Schedule| drop(s.add_systems((ab, cd, ce)));
            vec![
                frames("bevy_ecs 2 threads", true, world(), add, letters),
                frames("bevy_ecs 1 thread", false, world(), add, letters),
            ]
        }
        "empty_systems_100" | "empty_systems_100_pool" => {
            let add = |s: &mut Schedule| (0..100).for_each(|_| drop(s.add_systems(|| {})));
            let parallel = case.ends_with("pool");
            vec![frames(N, parallel, World::new(), add, |_| f64::NAN)]
        }
        _ => vec![],
    }
}
