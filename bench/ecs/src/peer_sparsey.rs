//! sparsey, with position and velocity in a group.

use crate::cases::shuffle;
use crate::comps::*;
use crate::{Contestant, checked, fresh, repeat};
use sparsey::World;
use sparsey::entity::Entity;
use std::hint::black_box;

const N: &str = "sparsey 0.13.4";

struct Children(Vec<Entity>);

fn new() -> World {
    let mut builder = World::builder();
    builder.add_group::<(Pos, Vel)>();
    builder.register::<Mat>().register::<Rot>().register::<Data>().register::<Global>();
    builder.register::<Children>().register::<A>().register::<B>();
    builder.build()
}
fn pv(n: usize) -> (World, Vec<Entity>) {
    let mut w = new();
    let es = w.extend((0..n).map(|_| (P, V))).to_vec();
    (w, es)
}
fn full(n: usize) -> (World, Vec<Entity>) {
    let mut w = new();
    let es = w.extend((0..n).map(|_| (mat(), P, R, V))).to_vec();
    (w, es)
}
fn sum(w: &World) -> f64 {
    let mut sum = 0.0;
    w.for_each::<&Pos>(|p| sum += weigh(p));
    sum
}

pub fn make(case: &str) -> Vec<Contestant> {
    let found = match case {
        "world_new_drop" => repeat(N, || {
            black_box(new());
            f64::NAN
        }),
        "simple_insert" => {
            fresh(N, new, |w| drop(w.extend((0..10_000).map(|_| (mat(), P, R, V)))), |w| sum(w))
        }
        "spawn_single_10k" => {
            fresh(N, new, |w| (0..10_000).for_each(|_| drop(w.create((P, V)))), |w| sum(w))
        }
        "batch_spawn_1m" => {
            fresh(N, new, |w| drop(w.extend((0..1_000_000).map(|_| (P, V)))), |w| sum(w))
        }
        "simple_iter_10k" | "iter_1m" => {
            let w = if case == "iter_1m" { pv(1_000_000).0 } else { full(10_000).0 };
            checked("sparsey grouped", move |look| {
                if look {
                    return sum(&w);
                }
                w.for_each::<(&Vel, &mut Pos)>(|(v, p)| step(p, v));
                0.0
            })
        }
        "frag_iter" => {
            let mut w = new();
            macro_rules! add { ($($f:ident)*) => {$( w.register::<$f>(); w.extend((0..20).map(|_| ($f(0.0), Data(1.0)))); )*} }
            fragments!(add);
            checked(N, move |look| {
                if look {
                    let mut sum = 0.0;
                    w.for_each::<&Data>(|d| sum += f64::from(d.0));
                    return sum;
                }
                w.for_each::<&mut Data>(|d| d.0 *= 1.0001);
                0.0
            })
        }
        "add_remove_10k" | "add_remove_fat_10k" | "add_remove_sparse_10k" => {
            let (mut w, es) = if case == "add_remove_10k" {
                let mut w = new();
                let es = w.extend((0..10_000).map(|_| (A(0.0),))).to_vec();
                (w, es)
            } else {
                full(10_000)
            };
            checked(N, move |look| {
                if look {
                    let mut n = 0.0;
                    w.for_each::<&B>(|_| n += 1.0);
                    return n;
                }
                for &e in &es {
                    w.insert(e, (B(0.0),));
                }
                for &e in &es {
                    w.delete::<(B,)>(e);
                }
                0.0
            })
        }
        "despawn_10k" => {
            let run =
                |(w, es): &mut (World, Vec<Entity>)| es.iter().for_each(|&e| drop(w.destroy(e)));
            fresh(N, || full(10_000), run, |s| sum(&s.0))
        }
        "get_random_10k" | "get_random_1m" => {
            let (w, mut es) = pv(rows(case));
            shuffle(&mut es);
            repeat(N, move || {
                let view = w.borrow::<Pos>();
                es.iter().map(|&e| f64::from(view.get(e).unwrap().0[0])).sum()
            })
        }
        "hierarchy_11k" => {
            fn tree(w: &mut World, depth: usize) -> Entity {
                let children =
                    if depth < 4 { (0..10).map(|_| tree(w, depth + 1)).collect() } else { vec![] };
                w.create((P, Global([0.0; 3]), Children(children)))
            }
            let mut w = new();
            let root = tree(&mut w, 0);
            let mut stack = Vec::new();
            checked("sparsey depth first", move |look| {
                if look {
                    let mut sum = 0.0;
                    w.for_each::<&Global>(|g| sum += crate::cases::weigh(&g.0));
                    return sum;
                }
                let mut q = w.query_one::<(&Pos, &mut Global, &Children)>();
                stack.push((root, [0.0; 3]));
                while let Some((e, base)) = stack.pop() {
                    let (p, g, children) = q.get(e).unwrap();
                    g.0 = base;
                    crate::cases::step(&mut g.0, &p.0);
                    let base = g.0;
                    stack.extend(children.0.iter().map(|&c| (c, base)));
                }
                0.0
            })
        }
        "heavy_compute" => {
            let w = full(1000).0;
            checked(N, move |look| {
                if look {
                    return sum(&w);
                }
                w.par_for_each::<(&mut Pos, &mut Mat)>(|(p, m)| heavy(m, p));
                0.0
            })
        }
        "par_iter_1m" | "par_iter_10k" => {
            let w = pv(rows(case)).0;
            checked("sparsey grouped", move |look| {
                if look {
                    return sum(&w);
                }
                w.par_for_each::<(&Vel, &mut Pos)>(|(v, p)| step(p, v));
                0.0
            })
        }
        _ => return vec![],
    };
    vec![found]
}
