//! legion.

use crate::cases::shuffle;
use crate::comps::*;
use crate::{Contestant, checked, fresh, repeat};
use legion::systems::CommandBuffer;
use legion::world::SubWorld;
use legion::*;
use std::hint::black_box;

const N: &str = "legion 0.4.0";

struct Children(Vec<Entity>);

fn pv(n: usize) -> (World, Vec<Entity>) {
    let mut w = World::default();
    let es = w.extend((0..n).map(|_| (P, V))).to_vec();
    (w, es)
}
fn full(n: usize) -> (World, Vec<Entity>) {
    let mut w = World::default();
    let es = w.extend((0..n).map(|_| (mat(), P, R, V))).to_vec();
    (w, es)
}
fn sum(w: &World) -> f64 {
    <Read<Pos>>::query().iter(w).map(weigh).sum()
}
#[system(for_each)]
fn ab(a: &mut A, b: &mut B) {
    std::mem::swap(&mut a.0, &mut b.0);
}
#[system(for_each)]
fn cd(a: &mut C, b: &mut D) {
    std::mem::swap(&mut a.0, &mut b.0);
}
#[system(for_each)]
fn ce(a: &mut C, b: &mut E) {
    std::mem::swap(&mut a.0, &mut b.0);
}

pub fn make(case: &str) -> Vec<Contestant> {
    let found = match case {
        "world_new_drop" => repeat(N, || {
            black_box(World::default());
            f64::NAN
        }),
        "simple_insert" => fresh(
            N,
            World::default,
            |w| drop(w.extend((0..10_000).map(|_| (mat(), P, R, V))).len()),
            |w| sum(w),
        ),
        "spawn_single_10k" => {
            fresh(N, World::default, |w| (0..10_000).for_each(|_| drop(w.push((P, V)))), |w| sum(w))
        }
        "batch_spawn_1m" => fresh(
            N,
            World::default,
            |w| drop(w.extend((0..1_000_000).map(|_| (P, V))).len()),
            |w| sum(w),
        ),
        "simple_iter_10k" | "iter_1m" => {
            let mut w = if case == "iter_1m" { pv(1_000_000).0 } else { full(10_000).0 };
            let mut q = <(Read<Vel>, Write<Pos>)>::query();
            checked(N, move |look| {
                if look {
                    return sum(&w);
                }
                q.for_each_mut(&mut w, |(v, p)| step(p, v));
                0.0
            })
        }
        "frag_iter" => {
            let mut w = World::default();
            macro_rules! add { ($($f:ident)*) => {$( w.extend((0..20).map(|_| ($f(0.0), Data(1.0)))); )*} }
            fragments!(add);
            let mut q = <Write<Data>>::query();
            checked(N, move |look| {
                if look {
                    return <Read<Data>>::query().iter(&w).map(|d| f64::from(d.0)).sum();
                }
                q.for_each_mut(&mut w, |d| d.0 *= 1.0001);
                0.0
            })
        }
        "add_remove_10k" | "add_remove_fat_10k" => {
            let (mut w, es) = if case == "add_remove_10k" {
                let mut w = World::default();
                let es = w.extend((0..10_000).map(|_| (A(0.0),))).to_vec();
                (w, es)
            } else {
                full(10_000)
            };
            checked(N, move |look| {
                if look {
                    return <Read<B>>::query().iter(&w).count() as f64;
                }
                for &e in &es {
                    w.entry(e).unwrap().add_component(B(0.0));
                }
                for &e in &es {
                    w.entry(e).unwrap().remove_component::<B>();
                }
                0.0
            })
        }
        "despawn_10k" => {
            let run =
                |(w, es): &mut (World, Vec<Entity>)| es.iter().for_each(|&e| drop(w.remove(e)));
            fresh(N, || full(10_000), run, |s| sum(&s.0))
        }
        "get_random_10k" | "get_random_1m" => {
            let (w, mut es) = pv(rows(case));
            shuffle(&mut es);
            let mut q = <Read<Pos>>::query();
            repeat(N, move || es.iter().map(|&e| f64::from(q.get(&w, e).unwrap().0[0])).sum())
        }
        "change_scan_100k" => {
            let (mut w, mut es) = pv(100_000);
            shuffle(&mut es);
            es.truncate(1000);
            let mut write = <Write<Pos>>::query();
            let mut scan = <Read<Pos>>::query().filter(maybe_changed::<Pos>());
            // It tells archetypes, not rows: its sum is over all of them.
            repeat("legion by archetype", move || {
                for &e in &es {
                    write.get_mut(&mut w, e).unwrap().0[0] += 1.0;
                }
                let mut sum = 0.0;
                scan.for_each(&w, |p| sum += f64::from(p.0[0]));
                black_box(sum);
                f64::NAN
            })
        }
        "commands_10k" => {
            let (mut w, mut r) = (World::default(), Resources::default());
            let mut c = CommandBuffer::new(&w);
            let mut q = <(Entity, Read<Pos>)>::query();
            repeat(N, move || {
                for _ in 0..10_000 {
                    c.push((P, V));
                }
                c.flush(&mut w, &mut r);
                let n = w.len();
                q.for_each(&w, |(e, _)| c.remove(*e));
                c.flush(&mut w, &mut r);
                (n + w.len()) as f64
            })
        }
        "hierarchy_11k" => {
            fn tree(w: &mut World, depth: usize) -> Entity {
                let children =
                    if depth < 4 { (0..10).map(|_| tree(w, depth + 1)).collect() } else { vec![] };
                w.push((P, Global([0.0; 3]), Children(children)))
            }
            let mut w = World::default();
            let root = tree(&mut w, 0);
            let mut stack = Vec::new();
            let mut q = <(Read<Pos>, Write<Global>, Read<Children>)>::query();
            checked("legion depth first", move |look| {
                if look {
                    return <Read<Global>>::query()
                        .iter(&w)
                        .map(|g| crate::cases::weigh(&g.0))
                        .sum();
                }
                stack.push((root, [0.0; 3]));
                while let Some((e, base)) = stack.pop() {
                    let (p, g, children) = q.get_mut(&mut w, e).unwrap();
                    g.0 = base;
                    crate::cases::step(&mut g.0, &p.0);
                    let base = g.0;
                    stack.extend(children.0.iter().map(|&c| (c, base)));
                }
                0.0
            })
        }
        "heavy_compute" => {
            let mut w = full(1000).0;
            let mut q = <(Write<Pos>, Write<Mat>)>::query();
            checked(N, move |look| {
                if look {
                    return sum(&w);
                }
                q.par_for_each_mut(&mut w, |(p, m)| heavy(m, p));
                0.0
            })
        }
        "par_iter_1m" | "par_iter_10k" => {
            let mut w = pv(rows(case)).0;
            let mut q = <(Read<Vel>, Write<Pos>)>::query();
            checked(N, move |look| {
                if look {
                    return sum(&w);
                }
                q.par_for_each_mut(&mut w, |(v, p)| step(p, v));
                0.0
            })
        }
        "schedule_60k" => {
            let mut w = World::default();
            w.extend((0..10_000).map(|_| (A(1.0), B(2.0))));
            w.extend((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0))));
            w.extend((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0), D(4.0))));
            w.extend((0..10_000).map(|_| (A(1.0), B(2.0), C(3.0), E(5.0))));
            let mut s = Schedule::builder()
                .add_system(ab_system())
                .add_system(cd_system())
                .add_system(ce_system())
                .build();
            let mut r = Resources::default();
            checked("legion 2 threads", move |look| {
                if look {
                    let ab: f64 = <(Read<A>, Read<B>)>::query()
                        .iter(&w)
                        .map(|(a, b)| f64::from(a.0 + 2.0 * b.0))
                        .sum();
                    let cd: f64 = <(Read<C>, Read<D>)>::query()
                        .iter(&w)
                        .map(|(a, b)| f64::from(a.0 + 2.0 * b.0))
                        .sum();
                    return ab + cd;
                }
                s.execute(&mut w, &mut r);
                0.0
            })
        }
        "empty_systems_100_pool" => {
            let mut b = Schedule::builder();
            for _ in 0..100 {
                b.add_system(
                    SystemBuilder::new("empty")
                        .build(|_: &mut CommandBuffer, _: &mut SubWorld, _, _| {}),
                );
            }
            let (mut s, mut w, mut r) = (b.build(), World::default(), Resources::default());
            repeat(N, move || {
                s.execute(&mut w, &mut r);
                f64::NAN
            })
        }
        _ => return vec![],
    };
    vec![found]
}
