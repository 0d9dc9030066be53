//! evenio.

use crate::cases::shuffle;
use crate::comps::*;
use crate::{Contestant, checked, fresh, repeat};
use evenio::prelude::*;
use std::hint::black_box;

const N: &str = "evenio 0.6.0";

#[derive(GlobalEvent)]
struct Tick;
#[derive(GlobalEvent)]
struct Kill;
#[derive(Component)]
struct Children(Vec<EntityId>);

fn one(w: &mut World) -> EntityId {
    let e = w.spawn();
    w.insert(e, P);
    w.insert(e, V);
    e
}
fn pv(n: usize) -> (World, Vec<EntityId>) {
    let mut w = World::new();
    let es = (0..n).map(|_| one(&mut w)).collect();
    (w, es)
}
fn fill(w: &mut World, n: usize) -> Vec<EntityId> {
    let mut all = Vec::with_capacity(n);
    for _ in 0..n {
        let e = w.spawn();
        w.insert(e, mat());
        w.insert(e, P);
        w.insert(e, R);
        w.insert(e, V);
        all.push(e);
    }
    all
}
fn full(n: usize) -> (World, Vec<EntityId>) {
    let mut w = World::new();
    let es = fill(&mut w, n);
    (w, es)
}
fn sum(w: &World, es: &[EntityId]) -> f64 {
    es.iter().filter_map(|&e| w.get::<Pos>(e)).map(weigh).sum()
}
fn ticks((mut w, es): (World, Vec<EntityId>)) -> Contestant {
    checked(N, move |look| {
        if look {
            return sum(&w, &es);
        }
        w.send(Tick);
        0.0
    })
}

pub fn make(case: &str) -> Vec<Contestant> {
    let found = match case {
        "world_new_drop" => repeat(N, || {
            black_box(World::new());
            f64::NAN
        }),
        "simple_insert" => fresh(
            N,
            || (World::new(), vec![]),
            |(w, es)| *es = fill(w, 10_000),
            |(w, es)| sum(w, es),
        ),
        "spawn_single_10k" | "batch_spawn_1m" => {
            let n = rows(case);
            let run =
                move |(w, es): &mut (World, Vec<EntityId>)| (0..n).for_each(|_| es.push(one(w)));
            fresh(N, || (World::new(), vec![]), run, |(w, es)| sum(w, es))
        }
        "simple_iter_10k" | "iter_1m" => {
            let mut all = if case == "iter_1m" { pv(1_000_000) } else { full(10_000) };
            all.0.add_handler(|_: Receiver<Tick>, f: Fetcher<(&Vel, &mut Pos)>| {
                for (v, p) in f {
                    step(p, v);
                }
            });
            ticks(all)
        }
        "frag_iter" => {
            let mut w = World::new();
            let mut es = Vec::new();
            macro_rules! add { ($($f:ident)*) => {$(
                for _ in 0..20 {
                    let e = w.spawn();
                    w.insert(e, $f(0.0));
                    w.insert(e, Data(1.0));
                    es.push(e);
                }
            )*} }
            fragments!(add);
            w.add_handler(|_: Receiver<Tick>, f: Fetcher<&mut Data>| {
                for d in f {
                    d.0 *= 1.0001;
                }
            });
            checked(N, move |look| {
                if look {
                    return es.iter().map(|&e| f64::from(w.get::<Data>(e).unwrap().0)).sum();
                }
                w.send(Tick);
                0.0
            })
        }
        "add_remove_10k" | "add_remove_fat_10k" => {
            let (mut w, es) = if case == "add_remove_10k" {
                let mut w = World::new();
                let mut es = Vec::new();
                for _ in 0..10_000 {
                    let e = w.spawn();
                    w.insert(e, A(0.0));
                    es.push(e);
                }
                (w, es)
            } else {
                full(10_000)
            };
            checked(N, move |look| {
                if look {
                    return es.iter().filter(|&&e| w.get::<B>(e).is_some()).count() as f64;
                }
                for &e in &es {
                    w.insert(e, B(0.0));
                }
                for &e in &es {
                    w.remove::<B>(e);
                }
                0.0
            })
        }
        "despawn_10k" => {
            let run = |(w, es): &mut (World, Vec<EntityId>)| es.iter().for_each(|&e| w.despawn(e));
            fresh(N, || full(10_000), run, |(w, es)| sum(w, es))
        }
        "get_random_10k" | "get_random_1m" => {
            let (w, mut es) = pv(rows(case));
            shuffle(&mut es);
            repeat(N, move || es.iter().map(|&e| f64::from(w.get::<Pos>(e).unwrap().0[0])).sum())
        }
        "commands_10k" => {
            let mut w = World::new();
            w.add_handler(|_: Receiver<Tick>, mut s: Sender<(Spawn, Insert<Pos>, Insert<Vel>)>| {
                for _ in 0..10_000 {
                    let e = s.spawn();
                    s.insert(e, P);
                    s.insert(e, V);
                }
            });
            w.add_handler(
                |_: Receiver<Kill>, f: Fetcher<(EntityId, With<&Pos>)>, mut s: Sender<Despawn>| {
                    for (e, _) in f {
                        s.despawn(e);
                    }
                },
            );
            repeat(N, move || {
                w.send(Tick);
                let n = w.entities().len();
                w.send(Kill);
                (n + w.entities().len()) as f64
            })
        }
        "hierarchy_11k" => {
            fn tree(w: &mut World, depth: usize, all: &mut Vec<EntityId>) -> EntityId {
                let children = if depth < 4 {
                    (0..10).map(|_| tree(w, depth + 1, all)).collect()
                } else {
                    vec![]
                };
                let e = w.spawn();
                w.insert(e, P);
                w.insert(e, Global([0.0; 3]));
                w.insert(e, Children(children));
                all.push(e);
                e
            }
            let mut w = World::new();
            let mut all = Vec::new();
            let root = tree(&mut w, 0, &mut all);
            let mut stack = Vec::new();
            w.add_handler(
                move |_: Receiver<Tick>, mut f: Fetcher<(&Pos, &mut Global, &Children)>| {
                    stack.push((root, [0.0; 3]));
                    while let Some((e, base)) = stack.pop() {
                        let (p, g, children) = f.get_mut(e).unwrap();
                        g.0 = base;
                        crate::cases::step(&mut g.0, &p.0);
                        let base = g.0;
                        stack.extend(children.0.iter().map(|&c| (c, base)));
                    }
                },
            );
            checked("evenio depth first", move |look| {
                if look {
                    return all
                        .iter()
                        .map(|&e| crate::cases::weigh(&w.get::<Global>(e).unwrap().0))
                        .sum();
                }
                w.send(Tick);
                0.0
            })
        }
        "heavy_compute" => {
            let mut all = full(1000);
            all.0.add_handler(|_: Receiver<Tick>, f: Fetcher<(&mut Pos, &mut Mat)>| {
                use rayon::prelude::*;
                f.into_par_iter().for_each(|(p, m)| heavy(m, p));
            });
            ticks(all)
        }
        "par_iter_1m" | "par_iter_10k" => {
            let mut all = pv(rows(case));
            all.0.add_handler(|_: Receiver<Tick>, f: Fetcher<(&Vel, &mut Pos)>| {
                use rayon::prelude::*;
                f.into_par_iter().for_each(|(v, p)| step(p, v));
            });
            ticks(all)
        }
        _ => return vec![],
    };
    vec![found]
}
