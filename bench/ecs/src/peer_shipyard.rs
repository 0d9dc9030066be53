//! shipyard.

use crate::cases::shuffle;
use crate::comps::*;
use crate::{Contestant, checked, fresh, repeat};
use shipyard::*;
use std::hint::black_box;

const N: &str = "shipyard 0.11.5";

fn pv(n: usize) -> (World, Vec<EntityId>) {
    let mut w = World::new();
    let es = w.bulk_add_entity((0..n).map(|_| (P, V))).collect();
    (w, es)
}
fn full(n: usize) -> (World, Vec<EntityId>) {
    let mut w = World::new();
    let es = w.bulk_add_entity((0..n).map(|_| (mat(), P, R, V))).collect();
    (w, es)
}
fn sum(w: &World) -> f64 {
    w.run(|p: View<Pos>| p.iter().map(weigh).sum())
}
fn ab(mut a: ViewMut<A>, mut b: ViewMut<B>) {
    (&mut a, &mut b).iter().for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
}
fn cd(mut a: ViewMut<C>, mut b: ViewMut<D>) {
    (&mut a, &mut b).iter().for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
}
fn ce(mut a: ViewMut<C>, mut b: ViewMut<E>) {
    (&mut a, &mut b).iter().for_each(|(a, b)| std::mem::swap(&mut a.0, &mut b.0));
}
fn empty() {}

pub fn make(case: &str) -> Vec<Contestant> {
    let found = match case {
        "world_new_drop" => repeat(N, || {
            black_box(World::new());
            f64::NAN
        }),
        "simple_insert" => fresh(
            N,
            World::new,
            |w| drop(w.bulk_add_entity((0..10_000).map(|_| (mat(), P, R, V)))),
            |w| sum(w),
        ),
        "spawn_single_10k" => fresh(
            N,
            World::new,
            |w| (0..10_000).for_each(|_| drop(w.add_entity((P, V)))),
            |w| sum(w),
        ),
        "batch_spawn_1m" => fresh(
            N,
            World::new,
            |w| drop(w.bulk_add_entity((0..1_000_000).map(|_| (P, V)))),
            |w| sum(w),
        ),
        "simple_iter_10k" | "iter_1m" => {
            let w = if case == "iter_1m" { pv(1_000_000).0 } else { full(10_000).0 };
            checked(N, move |look| {
                if look {
                    return sum(&w);
                }
                w.run(|v: View<Vel>, mut p: ViewMut<Pos>| {
                    (&v, &mut p).iter().for_each(|(v, p)| step(p, v))
                });
                0.0
            })
        }
        "frag_iter" => {
            let mut w = World::new();
            macro_rules! add { ($($f:ident)*) => {$( w.bulk_add_entity((0..20).map(|_| ($f(0.0), Data(1.0)))); )*} }
            fragments!(add);
            checked(N, move |look| {
                if look {
                    return w.run(|d: View<Data>| d.iter().map(|d| f64::from(d.0)).sum());
                }
                w.run(|mut d: ViewMut<Data>| (&mut d).iter().for_each(|d| d.0 *= 1.0001));
                0.0
            })
        }
        "add_remove_10k" | "add_remove_fat_10k" | "add_remove_sparse_10k" => {
            let (w, es) = if case == "add_remove_10k" {
                let mut w = World::new();
                let es: Vec<EntityId> = w.bulk_add_entity((0..10_000).map(|_| A(0.0))).collect();
                (w, es)
            } else {
                full(10_000)
            };
            checked(N, move |look| {
                if look {
                    return w.run(|b: View<B>| b.iter().count() as f64);
                }
                w.run(|all: EntitiesView, mut b: ViewMut<B>| {
                    for &e in &es {
                        all.add_component(e, &mut b, B(0.0));
                    }
                });
                w.run(|mut b: ViewMut<B>| {
                    for &e in &es {
                        b.remove(e);
                    }
                });
                0.0
            })
        }
        "despawn_10k" => {
            let run = |(w, es): &mut (World, Vec<EntityId>)| {
                es.iter().for_each(|&e| drop(w.delete_entity(e)))
            };
            fresh(N, || full(10_000), run, |s| sum(&s.0))
        }
        "get_random_10k" | "get_random_1m" => {
            let (w, mut es) = pv(rows(case));
            shuffle(&mut es);
            repeat(N, move || {
                w.run(|p: View<Pos>| es.iter().map(|&e| f64::from(p.get(e).unwrap().0[0])).sum())
            })
        }
        "change_scan_100k" => {
            let mut w = World::new();
            w.track_modification::<Pos>();
            let mut es: Vec<EntityId> = w.bulk_add_entity((0..100_000).map(|_| (P, V))).collect();
            shuffle(&mut es);
            es.truncate(1000);
            repeat(N, move || {
                w.run(|mut p: ViewMut<Pos, track::Modification>| {
                    for &e in &es {
                        (&mut p).get(e).unwrap().0[0] += 1.0;
                    }
                });
                w.run(|p: ViewMut<Pos, track::Modification>| {
                    let sum = p.modified().iter().map(|p| f64::from(p.0[0])).sum();
                    p.clear_all_modified();
                    sum
                })
            })
        }
        "heavy_compute" => {
            let w = full(1000).0;
            checked(N, move |look| {
                use rayon::prelude::*;
                if look {
                    return sum(&w);
                }
                w.run(|mut p: ViewMut<Pos>, mut m: ViewMut<Mat>| {
                    (&mut p, &mut m).par_iter().for_each(|(p, m)| heavy(m, p));
                });
                0.0
            })
        }
        "par_iter_1m" | "par_iter_10k" => {
            let w = pv(rows(case)).0;
            checked(N, move |look| {
                use rayon::prelude::*;
                if look {
                    return sum(&w);
                }
                w.run(|v: View<Vel>, mut p: ViewMut<Pos>| {
                    (&v, &mut p).par_iter().for_each(|(v, p)| step(p, v))
                });
                0.0
            })
        }
        "schedule_60k" => {
            let mut w = World::new();
            w.bulk_add_entity((0..10_000).map(|_| (A(1.0), B(2.0))));
            w.bulk_add_entity((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0))));
            w.bulk_add_entity((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0), D(4.0))));
            w.bulk_add_entity((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0), E(5.0))));
            Workload::new("w")
                .with_system(ab)
                .with_system(cd)
                .with_system(ce)
                .add_to_world(&w)
                .unwrap();
            checked(N, move |look| {
                if look {
                    let ab: f64 = w.run(|a: View<A>, b: View<B>| {
                        (&a, &b).iter().map(|(a, b)| f64::from(a.0 + 2.0 * b.0)).sum()
                    });
                    let cd: f64 = w.run(|a: View<C>, b: View<D>| {
                        (&a, &b).iter().map(|(a, b)| f64::from(a.0 + 2.0 * b.0)).sum()
                    });
                    return ab + cd;
                }
                w.run_workload("w").unwrap();
                0.0
            })
        }
        "empty_systems_100_pool" => {
            let w = World::new();
            let mut all = Workload::new("w");
            for _ in 0..100 {
                all = all.with_system(empty);
            }
            all.add_to_world(&w).unwrap();
            repeat(N, move || {
                w.run_workload("w").unwrap();
                f64::NAN
            })
        }
        _ => return vec![],
    };
    vec![found]
}
