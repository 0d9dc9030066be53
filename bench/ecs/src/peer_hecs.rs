//! hecs.

use crate::cases::{P, R, V, heavy, matrix, shuffle, step, weigh};
use crate::{Contestant, checked, fresh, repeat};
use hecs::{CommandBuffer, Entity, World};
use std::hint::black_box;

#[derive(Clone, Copy)]
struct Mat([f32; 16]);
#[derive(Clone, Copy)]
struct Pos([f32; 3]);
#[derive(Clone, Copy)]
struct Rot(#[allow(dead_code)] [f32; 3]);
#[derive(Clone, Copy)]
struct Vel([f32; 3]);
struct A(f32);
struct B(f32);
struct C(f32);
struct D(f32);
struct E(f32);
struct Data(f32);
struct Frag<const N: usize>(#[allow(dead_code)] f32);

const N: &str = "hecs 0.11.2";

fn pv(n: usize) -> (World, Vec<Entity>) {
    let mut w = World::new();
    let es = w.spawn_batch((0..n).map(|_| (Pos(P), Vel(V)))).collect();
    (w, es)
}
fn full(n: usize) -> (World, Vec<Entity>) {
    let mut w = World::new();
    let es = w.spawn_batch((0..n).map(|_| (Mat(matrix()), Pos(P), Rot(R), Vel(V)))).collect();
    (w, es)
}
fn sum(w: &World) -> f64 {
    w.query::<&Pos>().iter().map(|p| weigh(&p.0)).sum()
}
fn add_remove(mut w: World, es: Vec<Entity>) -> Contestant {
    checked(N, move |look| {
        if look {
            return w.query::<&B>().iter().count() as f64;
        }
        for &e in &es {
            w.insert_one(e, B(0.0)).unwrap();
        }
        for &e in &es {
            w.remove_one::<B>(e).unwrap();
        }
        f64::NAN
    })
}

pub fn make(case: &str) -> Vec<Contestant> {
    let one = match case {
        "world_new_drop" => repeat(N, || {
            black_box(World::new());
            f64::NAN
        }),
        "simple_insert" => fresh(
            N,
            World::new,
            |w| drop(w.spawn_batch((0..10_000).map(|_| (Mat(matrix()), Pos(P), Rot(R), Vel(V))))),
            |w| sum(w),
        ),
        "spawn_single_10k" => fresh(
            N,
            World::new,
            |w| {
                for _ in 0..10_000 {
                    w.spawn((Pos(P), Vel(V)));
                }
            },
            |w| sum(w),
        ),
        "batch_spawn_1m" => fresh(
            N,
            World::new,
            |w| drop(w.spawn_batch((0..1_000_000).map(|_| (Pos(P), Vel(V))))),
            |w| sum(w),
        ),
        "simple_iter_10k" | "iter_1m" => {
            let (mut w, es) = if case == "iter_1m" { pv(1_000_000) } else { full(10_000) };
            let _ = es;
            checked(N, move |look| {
                if look {
                    return sum(&w);
                }
                w.query_mut::<(&Vel, &mut Pos)>()
                    .into_iter()
                    .for_each(|(v, p)| step(&mut p.0, &v.0));
                f64::NAN
            })
        }
        "frag_iter" => {
            let mut w = World::new();
            macro_rules! many { ($($n:literal)*) => {$( w.spawn_batch((0..20).map(|_| (Frag::<$n>(0.0), Data(1.0)))); )*} }
            many!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
            checked(N, move |look| {
                if look {
                    return w.query::<&Data>().iter().map(|d| f64::from(d.0)).sum();
                }
                w.query_mut::<&mut Data>().into_iter().for_each(|d| d.0 *= 1.0001);
                f64::NAN
            })
        }
        "add_remove_10k" => {
            let mut w = World::new();
            let es: Vec<Entity> = w.spawn_batch((0..10_000).map(|_| (A(0.0),))).collect();
            add_remove(w, es)
        }
        "add_remove_fat_10k" => {
            let (w, es) = full(10_000);
            add_remove(w, es)
        }
        "despawn_10k" => fresh(
            N,
            || full(10_000),
            |(w, es)| {
                for &e in es.iter() {
                    w.despawn(e).unwrap();
                }
            },
            |s| sum(&s.0),
        ),
        "get_random_10k" | "get_random_1m" => {
            let (mut w, mut es) = pv(if case == "get_random_1m" { 1_000_000 } else { 10_000 });
            shuffle(&mut es);
            repeat(N, move || {
                let v = w.view_mut::<&Pos>();
                es.iter().map(|&e| f64::from(v.get(e).unwrap().0[0])).sum()
            })
        }
        "commands_10k" => {
            let (mut w, mut c) = (World::new(), CommandBuffer::new());
            repeat(N, move || {
                for _ in 0..10_000 {
                    c.spawn((Pos(P), Vel(V)));
                }
                c.run_on(&mut w);
                let n = w.len();
                for (e, _) in w.query_mut::<(Entity, &Pos)>() {
                    c.despawn(e);
                }
                c.run_on(&mut w);
                f64::from(n + w.len())
            })
        }
        "heavy_compute_serial" => {
            let (mut w, _) = full(1000);
            checked(N, move |look| {
                if look {
                    return sum(&w);
                }
                w.query_mut::<(&mut Pos, &mut Mat)>()
                    .into_iter()
                    .for_each(|(p, m)| heavy(&mut m.0, &mut p.0));
                f64::NAN
            })
        }
        "schedule_60k" => {
            let mut w = World::new();
            w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0))));
            w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0))));
            w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0), D(4.0))));
            w.spawn_batch((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0), E(5.0))));
            checked("hecs plain calls", move |look| {
                if look {
                    let ab: f64 =
                        w.query::<(&A, &B)>().iter().map(|(a, b)| f64::from(a.0 + 2.0 * b.0)).sum();
                    let cd: f64 =
                        w.query::<(&C, &D)>().iter().map(|(a, b)| f64::from(a.0 + 2.0 * b.0)).sum();
                    return ab + cd;
                }
                w.query_mut::<(&mut A, &mut B)>()
                    .into_iter()
                    .for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
                w.query_mut::<(&mut C, &mut D)>()
                    .into_iter()
                    .for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
                w.query_mut::<(&mut C, &mut E)>()
                    .into_iter()
                    .for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
                f64::NAN
            })
        }
        "par_iter_10k" => {
            let (mut w, _) = pv(10_000);
            checked("hecs serial", move |look| {
                if look {
                    return sum(&w);
                }
                w.query_mut::<(&Vel, &mut Pos)>()
                    .into_iter()
                    .for_each(|(v, p)| step(&mut p.0, &v.0));
                f64::NAN
            })
        }
        _ => return vec![],
    };
    vec![one]
}
