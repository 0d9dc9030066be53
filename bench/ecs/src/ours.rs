//! lockstep-ecs.

use crate::cases::{P, R, V, heavy, matrix, shuffle, step, weigh};
use crate::{Contestant, checked, fresh, repeat};
use lockstep_ecs::time::Image;
use lockstep_ecs::*;
use lockstep_runtime::WorkerPool;
use std::hint::black_box;
use std::sync::Arc;

#[derive(Component, Plain, Clone, Copy)]
struct Mat([f32; 16]);
#[derive(Component, Plain, Clone, Copy)]
struct Pos([f32; 3]);
#[derive(Component, Plain, Clone, Copy)]
struct Rot([f32; 3]);
#[derive(Component, Plain, Clone, Copy)]
struct Vel([f32; 3]);
#[derive(Component, Plain, Clone, Copy)]
struct A(f32);
#[derive(Component, Plain, Clone, Copy)]
struct B(f32);
#[derive(Component, Plain, Clone, Copy)]
struct C(f32);
#[derive(Component, Plain, Clone, Copy)]
struct D(f32);
#[derive(Component, Plain, Clone, Copy)]
struct E(f32);
#[derive(Component, Plain, Clone, Copy)]
struct Data(f32);
#[derive(Component, Plain, Clone, Copy)]
#[component(storage = "sparse")]
struct Sparse(f32);
#[derive(Component, Plain, Clone, Copy)]
struct Global([f32; 3]);
#[derive(Component, Plain, Clone, Copy)]
struct Id(u64);
#[derive(Relation, Plain, Clone, Copy)]
#[relation(exclusive, cascade)]
struct ChildOf;
#[derive(Event, Plain, Clone, Copy)]
struct Message(u64);

macro_rules! frags {
    ($($n:ident)*) => {
        $( #[derive(Component, Plain, Clone, Copy)] struct $n(f32); )*
        fn fragmented() -> World {
            let mut w = World::new();
            $( w.spawn_batch((0..20).map(|_| ($n(0.0), Data(1.0)))); )*
            w
        }
    };
}
frags!(F0 F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24 F25);

const N: &str = "lockstep";

fn pv(n: usize) -> (World, Vec<Entity>) {
    let mut w = World::new();
    let es = w.spawn_batch((0..n).map(|_| (Pos(P), Vel(V))));
    (w, es)
}
fn full(n: usize) -> (World, Vec<Entity>) {
    let mut w = World::new();
    let es = w.spawn_batch((0..n).map(|_| (Mat(matrix()), Pos(P), Rot(R), Vel(V))));
    (w, es)
}
fn four(n: usize) -> World {
    let mut w = World::new();
    w.spawn_batch((0..n).map(|i| (Pos(P), Vel(V), Rot(R), Id(i as u64))));
    w
}
fn sum(w: &mut World) -> f64 {
    QueryState::<&Pos>::new(w).query_ref(w).iter().map(|p| weigh(&p.0)).sum()
}
fn letters(w: &mut World) -> f64 {
    let ab: f64 = QueryState::<(&A, &B)>::new(w)
        .query_ref(w)
        .iter()
        .map(|(a, b)| f64::from(a.0 + 2.0 * b.0))
        .sum();
    let cd: f64 = QueryState::<(&C, &D)>::new(w)
        .query_ref(w)
        .iter()
        .map(|(a, b)| f64::from(a.0 + 2.0 * b.0))
        .sum();
    ab + cd
}
fn add_remove<T: Component + Copy>(
    mut w: World,
    es: Vec<Entity>,
    value: T,
    name: &'static str,
) -> Contestant {
    checked(name, move |look| {
        if look {
            return es.iter().filter(|&&e| w.has::<T>(e)).count() as f64;
        }
        for &e in &es {
            w.insert(e, value);
        }
        for &e in &es {
            w.remove::<T>(e);
        }
        f64::NAN
    })
}
fn schedule(workers: usize) -> Schedule {
    let mut s = Schedule::default();
    if workers > 1 {
        s.set_executor(Executor::Pool(Arc::new(WorkerPool::new(workers))));
    }
    s
}
fn frame(
    name: &'static str,
    mut w: World,
    mut s: Schedule,
    look_at: fn(&mut World) -> f64,
) -> Contestant {
    s.build(&mut w).unwrap();
    checked(name, move |look| {
        if look {
            return look_at(&mut w);
        }
        s.run(&mut w).unwrap();
        0.0
    })
}
fn nothing(_: &mut World) -> f64 {
    f64::NAN
}
fn move_par(mut q: Query<(&Vel, &mut Pos)>) {
    q.par_for_each(|(v, p)| step(&mut p.0, &v.0));
}
fn move_serial(mut q: Query<(&Vel, &mut Pos)>) {
    q.for_each(|(v, p)| step(&mut p.0, &v.0));
}
fn heavy_par(mut q: Query<(&mut Pos, &mut Mat)>) {
    q.par_for_each(|(p, m)| heavy(&mut m.0, &mut p.0));
}
fn heavy_serial(mut q: Query<(&mut Pos, &mut Mat)>) {
    q.for_each(|(p, m)| heavy(&mut m.0, &mut p.0));
}

pub fn make(case: &str) -> Vec<Contestant> {
    match case {
        "world_new_drop" => vec![repeat(N, || {
            black_box(World::new());
            f64::NAN
        })],
        "simple_insert" => vec![fresh(
            N,
            World::new,
            |w| drop(w.extend((0..10_000).map(|_| (Mat(matrix()), Pos(P), Rot(R), Vel(V))))),
            sum,
        )],
        "spawn_single_10k" => vec![fresh(
            N,
            World::new,
            |w| {
                for _ in 0..10_000 {
                    w.spawn((Pos(P), Vel(V)));
                }
            },
            sum,
        )],
        "batch_spawn_1m" => vec![fresh(
            N,
            World::new,
            |w| drop(w.extend((0..1_000_000).map(|_| (Pos(P), Vel(V))))),
            sum,
        )],
        "simple_iter_10k" | "iter_1m" => {
            let make = || if case == "iter_1m" { pv(1_000_000).0 } else { full(10_000).0 };
            let (mut w, mut w2) = (make(), make());
            let mut q = QueryState::<(&Vel, &mut Pos)>::new(&mut w);
            let mut q2 = QueryState::<(&Vel, &mut Pos)>::new(&mut w2);
            vec![
                checked("lockstep rows", move |look| {
                    if look {
                        return sum(&mut w);
                    }
                    q.query(&mut w).for_each(|(v, p)| step(&mut p.0, &v.0));
                    f64::NAN
                }),
                checked("lockstep slices", move |look| {
                    if look {
                        return sum(&mut w2);
                    }
                    for (v, p) in q2.query(&mut w2).chunks_mut() {
                        for (p, v) in lanes_mut::<Pos, f32>(p).iter_mut().zip(lanes::<Vel, f32>(v))
                        {
                            *p += v;
                        }
                    }
                    f64::NAN
                }),
            ]
        }
        "frag_iter" => {
            let mut w = fragmented();
            let mut q = QueryState::<&mut Data>::new(&mut w);
            vec![checked(N, move |look| {
                if look {
                    return QueryState::<&Data>::new(&mut w)
                        .query_ref(&w)
                        .iter()
                        .map(|d| f64::from(d.0))
                        .sum();
                }
                q.query(&mut w).for_each(|d| d.0 *= 1.0001);
                f64::NAN
            })]
        }
        "add_remove_10k" => {
            let mut w = World::new();
            let es = w.spawn_batch((0..10_000).map(|_| (A(0.0),)));
            vec![add_remove(w, es, B(0.0), N)]
        }
        "add_remove_fat_10k" => {
            let (w, es) = full(10_000);
            vec![add_remove(w, es, B(0.0), N)]
        }
        "add_remove_sparse_10k" => {
            let (w, es) = full(10_000);
            vec![add_remove(w, es, Sparse(0.0), "lockstep sparse")]
        }
        "despawn_10k" => vec![fresh(
            N,
            || full(10_000),
            |(w, es)| {
                for &e in es.iter() {
                    w.despawn(e);
                }
            },
            |s| sum(&mut s.0),
        )],
        "get_random_10k" | "get_random_1m" => {
            let (mut w, mut es) = pv(if case == "get_random_1m" { 1_000_000 } else { 10_000 });
            shuffle(&mut es);
            let mut q = QueryState::<&Pos>::new(&mut w);
            vec![repeat(N, move || {
                let q = q.query_ref(&w);
                es.iter().map(|&e| f64::from(q.get(e).unwrap().0[0])).sum()
            })]
        }
        "change_scan_100k" => {
            let (mut w, mut es) = pv(100_000);
            shuffle(&mut es);
            es.truncate(1000);
            let mut write = QueryState::<&mut Pos>::new(&mut w);
            let mut scan = QueryState::<&Pos, Changed<Pos>>::new(&mut w);
            let (mut w2, _) = pv(100_000);
            let mut idle = QueryState::<&Pos, Changed<Pos>>::new(&mut w2);
            vec![
                repeat("lockstep 1% written", move || {
                    {
                        let mut q = write.query(&mut w);
                        for &e in &es {
                            q.get_mut(e).unwrap().0[0] += 1.0;
                        }
                    }
                    scan.query(&mut w).iter().map(|p| f64::from(p.0[0])).sum::<f64>()
                }),
                repeat("lockstep idle", move || {
                    idle.query(&mut w2).iter().map(|p| f64::from(p.0[0])).sum::<f64>() * f64::NAN
                }),
            ]
        }
        "commands_10k" => {
            let mut w = World::new();
            let mut all = QueryState::<Entity, With<Pos>>::new(&mut w);
            vec![repeat(N, move || {
                w.commands(|c| {
                    for _ in 0..10_000 {
                        c.spawn((Pos(P), Vel(V)));
                    }
                })
                .unwrap();
                let es: Vec<Entity> = all.query_ref(&w).iter().collect();
                let n = w.entity_count();
                w.commands(|c| {
                    for &e in &es {
                        c.despawn(e);
                    }
                })
                .unwrap();
                (n + w.entity_count()) as f64
            })]
        }
        "hierarchy_11k" => {
            let mut w = World::new();
            let root = w.spawn((Pos(P), Global([0.0; 3])));
            let mut level = vec![root];
            for _ in 0..4 {
                let parents = std::mem::take(&mut level);
                for p in parents {
                    for _ in 0..10 {
                        let e = w.spawn((Pos(P), Global([0.0; 3])));
                        w.relate(e, ChildOf, p);
                        level.push(e);
                    }
                }
            }
            let mut q = QueryState::<(&Pos, &mut Global)>::new(&mut w);
            let order = w.depth_order::<ChildOf>().unwrap();
            vec![checked("lockstep by depth", move |look| {
                if look {
                    return QueryState::<&Global>::new(&mut w)
                        .query_ref(&w)
                        .iter()
                        .map(|g| weigh(&g.0))
                        .sum();
                }
                let mut q = q.query(&mut w);
                let mut places: Vec<[f32; 3]> = Vec::with_capacity(order.len());
                for &(e, parent) in &order {
                    let base = places.get(parent as usize).copied().unwrap_or([0.0; 3]);
                    let (p, g) = q.get_mut(e).unwrap();
                    g.0 = base;
                    step(&mut g.0, &p.0);
                    places.push(g.0);
                }
                f64::NAN
            })]
        }
        "messages_100k" => {
            fn send(mut w: EventWriter<Message>) {
                for i in 0..100_000 {
                    w.send(Message(i));
                }
            }
            fn read(mut r: EventReader<Message>) {
                black_box(r.read().fold(0u64, |s, m| s.wrapping_add(m.0)));
            }
            let mut s = schedule(1);
            s.add(send);
            s.add(read).after("send");
            vec![frame(N, World::new(), s, nothing)]
        }
        "snapshot_100k" => {
            let (mut w, mut w2, w3) = (four(100_000), four(100_000), four(100_000));
            let (mut full_image, mut image) = (Image::new(), Image::new());
            let mut touch = QueryState::<(&mut Pos, &mut Vel, &mut Rot, &mut Id)>::new(&mut w);
            vec![
                repeat("lockstep all pages", move || {
                    // Marks every page as written, which costs next to nothing, so that every page is copied.
                    touch.query(&mut w).chunks_mut().for_each(|c| drop(black_box(c)));
                    full_image.capture(&mut w).unwrap();
                    f64::NAN
                }),
                repeat("lockstep nothing dirty", move || {
                    image.capture(&mut w2).unwrap();
                    f64::NAN
                }),
                repeat("lockstep to blocks", move || {
                    black_box(w3.snapshot().unwrap());
                    f64::NAN
                }),
            ]
        }
        "hash_100k" => {
            let (w, mut w2) = (four(100_000), four(100_000));
            vec![
                repeat("lockstep anew", move || {
                    black_box(w.state_hash());
                    f64::NAN
                }),
                repeat("lockstep nothing dirty", move || {
                    black_box(w2.hash());
                    f64::NAN
                }),
            ]
        }
        "rollback_100k" => {
            let mut w = four(100_000);
            let mut image = Image::new();
            let mut touch = QueryState::<(&mut Pos, &mut Vel, &mut Rot, &mut Id)>::new(&mut w);
            vec![repeat("lockstep there and back", move || {
                image.capture(&mut w).unwrap();
                touch.query(&mut w).chunks_mut().for_each(|c| drop(black_box(c)));
                image.restore(&mut w);
                f64::NAN
            })]
        }
        "heavy_compute" => {
            let mut s = schedule(2);
            s.add(heavy_par);
            vec![frame("lockstep 2 workers", full(1000).0, s, sum)]
        }
        "heavy_compute_serial" => {
            let mut s = schedule(1);
            s.add(heavy_serial);
            vec![frame(N, full(1000).0, s, sum)]
        }
        "par_iter_1m" | "par_iter_10k" => {
            let n = if case == "par_iter_1m" { 1_000_000 } else { 10_000 };
            let mut s = schedule(2);
            s.add(move_par);
            let mut serial = schedule(1);
            serial.add(move_serial);
            vec![
                frame("lockstep 2 workers", pv(n).0, s, sum),
                frame("lockstep serial", pv(n).0, serial, sum),
            ]
        }
        "schedule_60k" => {
            fn ab(mut q: Query<(&mut A, &mut B)>) {
                q.for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            }
            fn cd(mut q: Query<(&mut C, &mut D)>) {
                q.for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            }
            fn ce(mut q: Query<(&mut C, &mut E)>) {
                q.for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            }
            let make = |workers| {
                let mut w = World::new();
                w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0))));
                w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0))));
                w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0), D(4.0))));
                w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0), E(5.0))));
                let mut s = schedule(workers);
                s.add(ab);
                s.add(cd);
                s.add(ce);
                (w, s)
            };
            let ((w1, s1), (w2, s2)) = (make(1), make(2));
            vec![
                frame("lockstep serial", w1, s1, letters),
                frame("lockstep 2 workers", w2, s2, letters),
            ]
        }
        "empty_systems_100" | "empty_systems_100_pool" => {
            let mut s = schedule(if case == "empty_systems_100" { 1 } else { 2 });
            for _ in 0..100 {
                s.add(|| {});
            }
            vec![frame(N, World::new(), s, nothing)]
        }
        "frame_6000" | "frame_6000_pool" => {
            let mut s = schedule(if case == "frame_6000" { 1 } else { 2 });
            for _ in 0..6000 {
                s.add(|| {});
            }
            vec![frame(N, World::new(), s, nothing)]
        }
        "plan_6000" => {
            // Planned anew in every run: systems of ten components, every tenth of them in conflict.
            let mut w = World::new();
            let setup = || {
                let mut s = schedule(1);
                for _ in 0..600 {
                    s.add(|_: Query<&mut A>| {});
                    s.add(|_: Query<&mut B>| {});
                    s.add(|_: Query<(&A, &mut C)>| {});
                    s.add(|_: Query<(&B, &mut D)>| {});
                    s.add(|_: Query<&E>| {});
                    (0..5).for_each(|_| drop(s.add(|| {})));
                }
                s
            };
            vec![fresh(N, setup, move |s| drop(s.build(&mut w).unwrap()), |_| f64::NAN)]
        }
        _ => vec![],
    }
}
