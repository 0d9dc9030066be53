//! flecs_ecs (C core), with its safety locks: built without them, version 0.2.2 crashes in `EntityView::get`.

use crate::cases::shuffle;
use crate::comps::*;
use crate::{Contestant, checked, fresh, repeat};
use flecs_ecs::prelude::*;
use std::hint::black_box;

const N: &str = "flecs_ecs 0.2.2";

fn new() -> World {
    let w = World::new();
    macro_rules! register { ($($t:ty)*) => {$( w.component::<$t>(); )*} }
    register!(Mat Pos Rot Vel Data A B C D E);
    w
}
fn bulk_full(w: &World, n: usize) -> Vec<Entity> {
    w.entity_bulk(n as u32)
        .set(&vec![mat(); n])
        .set(&vec![P; n])
        .set(&vec![R; n])
        .set(&vec![V; n])
        .build()
}
fn bulk_pv(w: &World, n: usize) -> Vec<Entity> {
    w.entity_bulk(n as u32).set(&vec![P; n]).set(&vec![V; n]).build()
}
fn pv(n: usize) -> (World, Vec<Entity>) {
    let w = new();
    let es = bulk_pv(&w, n);
    (w, es)
}
fn full(n: usize) -> (World, Vec<Entity>) {
    let w = new();
    let es = bulk_full(&w, n);
    (w, es)
}
fn sum(w: &World) -> f64 {
    let mut sum = 0.0;
    w.new_query::<&Pos>().each(|p| sum += weigh(p));
    sum
}
fn progress(name: &'static str, w: World, sum: fn(&World) -> f64) -> Contestant {
    checked(name, move |look| {
        if look {
            return sum(&w);
        }
        w.progress();
        0.0
    })
}
fn letters(w: &World) -> f64 {
    let mut sum = 0.0;
    w.new_query::<(&A, &B)>().each(|(a, b)| sum += f64::from(a.0 + 2.0 * b.0));
    w.new_query::<(&C, &D)>().each(|(a, b)| sum += f64::from(a.0 + 2.0 * b.0));
    sum
}

pub fn make(case: &str) -> Vec<Contestant> {
    let found = match case {
        "world_new_drop" => repeat(N, || {
            black_box(World::new());
            f64::NAN
        }),
        "simple_insert" => {
            let n = 10_000;
            let (m, p, r, v) = (vec![mat(); n], vec![P; n], vec![R; n], vec![V; n]);
            let run = move |w: &mut World| {
                drop(w.entity_bulk(n as u32).set(&m).set(&p).set(&r).set(&v).build())
            };
            fresh(N, new, run, |w| sum(w))
        }
        "spawn_single_10k" => {
            let run = |w: &mut World| {
                for _ in 0..10_000 {
                    w.entity().set(P).set(V);
                }
            };
            fresh(N, new, run, |w| sum(w))
        }
        "batch_spawn_1m" => {
            let n = 1_000_000;
            let (p, v) = (vec![P; n], vec![V; n]);
            fresh(
                N,
                new,
                move |w| drop(w.entity_bulk(n as u32).set(&p).set(&v).build()),
                |w| sum(w),
            )
        }
        "simple_iter_10k" | "iter_1m" => {
            let w = if case == "iter_1m" { pv(1_000_000).0 } else { full(10_000).0 };
            let q = w.query::<(&Vel, &mut Pos)>().set_cached().build();
            checked(N, move |look| {
                // Named first, so captured and dropped first: the query must go before its world.
                let q = &q;
                if look {
                    return sum(&w);
                }
                q.each(|(v, p)| step(p, v));
                0.0
            })
        }
        "frag_iter" => {
            let w = new();
            macro_rules! add { ($($f:ident)*) => {$( for _ in 0..20 { w.entity().set($f(0.0)).set(Data(1.0)); } )*} }
            fragments!(add);
            let q = w.query::<&mut Data>().set_cached().build();
            checked(N, move |look| {
                if look {
                    let mut sum = 0.0;
                    q.each(|d| sum += f64::from(d.0));
                    black_box(&w);
                    return sum;
                }
                q.each(|d| d.0 *= 1.0001);
                0.0
            })
        }
        "add_remove_10k" | "add_remove_fat_10k" => {
            let (w, es) = if case == "add_remove_10k" {
                let w = new();
                let es = w.entity_bulk(10_000).set(&vec![A(0.0); 10_000]).build();
                (w, es)
            } else {
                full(10_000)
            };
            checked(N, move |look| {
                if look {
                    return w.new_query::<&B>().count() as f64;
                }
                for &e in &es {
                    w.entity_from_id(e).set(B(0.0));
                }
                for &e in &es {
                    w.entity_from_id(e).remove(B::id());
                }
                0.0
            })
        }
        "despawn_10k" => {
            let run = |(w, es): &mut (World, Vec<Entity>)| {
                es.iter().for_each(|&e| w.entity_from_id(e).destruct())
            };
            fresh(N, || full(10_000), run, |s| sum(&s.0))
        }
        "get_random_10k" | "get_random_1m" => {
            let (w, mut es) = pv(rows(case));
            shuffle(&mut es);
            repeat(N, move || {
                let mut sum = 0.0;
                for &e in &es {
                    w.entity_from_id(e).get::<&Pos>(|p| sum += f64::from(p.0[0]));
                }
                sum
            })
        }
        "heavy_compute" => {
            let w = full(1000).0;
            w.system::<(&mut Pos, &mut Mat)>().par_each(|(p, m)| heavy(m, p));
            w.set_threads(2);
            progress(N, w, sum)
        }
        "par_iter_1m" | "par_iter_10k" => {
            let w = pv(rows(case)).0;
            w.system::<(&Vel, &mut Pos)>().par_each(|(v, p)| step(p, v));
            w.set_threads(2);
            progress(N, w, sum)
        }
        "schedule_60k" => {
            let make = || {
                let w = new();
                let n = 10_000;
                let (a, b, c) = (vec![A(1.0); n], vec![B(2.0); n], vec![C(3.0); n]);
                w.entity_bulk(n as u32).set(&a).set(&b).build();
                w.entity_bulk(n as u32).set(&a).set(&b).set(&c).build();
                w.entity_bulk(n as u32).set(&a).set(&b).set(&c).set(&vec![D(4.0); n]).build();
                w.entity_bulk(n as u32).set(&a).set(&b).set(&c).set(&vec![E(5.0); n]).build();
                w
            };
            let (serial, parallel) = (make(), make());
            serial.system::<(&mut A, &mut B)>().each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            serial.system::<(&mut C, &mut D)>().each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            serial.system::<(&mut C, &mut E)>().each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            parallel
                .system::<(&mut A, &mut B)>()
                .par_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            parallel
                .system::<(&mut C, &mut D)>()
                .par_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            parallel
                .system::<(&mut C, &mut E)>()
                .par_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
            parallel.set_threads(2);
            return vec![
                progress("flecs_ecs 2 threads", parallel, letters),
                progress("flecs_ecs 1 thread", serial, letters),
            ];
        }
        "empty_systems_100" | "empty_systems_100_pool" => {
            let w = new();
            w.entity().set(Data(0.0));
            let parallel = case.ends_with("pool");
            for _ in 0..100 {
                if parallel {
                    w.system::<&Data>().par_each(|_| {});
                } else {
                    w.system::<&Data>().each(|_| {});
                }
            }
            if parallel {
                w.set_threads(2);
            }
            progress(N, w, |_| f64::NAN)
        }
        _ => return vec![],
    };
    vec![found]
}
