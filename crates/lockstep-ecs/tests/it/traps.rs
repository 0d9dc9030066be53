//! The eleven traps that a known system of this kind fell into, each in every mode, streams unsorted.

use crate::kit::*;
use crate::modes;
use lockstep_ecs::*;

fn spawn_by_value(mut q: Query<&A, Without<B>>, mut c: Commands) {
    q.par_for_each_with(&mut c, |c, a| {
        for i in 0..a.0 {
            c.spawn((B(i), X(i as f32)));
        }
    });
}

#[test]
fn trap01_no_id_in_use_is_freed() {
    for counts in [&[0][..], &[1], &[2, 0, 5], &[17; 40], &[5000]] {
        modes::frames(
            3,
            |w, s| {
                counts.iter().for_each(|&n| drop(w.spawn(A(n))));
                s.add(spawn_by_value);
            },
            |w| {
                let mut q = QueryState::<Entity>::new(w);
                let all: Vec<Entity> = q.query_ref(w).iter().collect();
                assert!(all.iter().all(|&e| w.is_alive(e)));
                let mut slots: Vec<u32> = all.iter().map(|e| e.index()).collect();
                slots.sort_unstable();
                slots.dedup();
                assert_eq!(slots.len(), all.len());
                all
            },
        );
    }
}

#[test]
fn trap02_ids_do_not_depend_on_workers() {
    modes::frames(5, busy, |w| w.entities().map(Entity::to_bits).collect::<Vec<_>>());
}

#[test]
fn trap03_a_despawn_is_invisible_to_wave_mates() {
    fn kill(q: Query<Entity, With<A>>, mut c: Commands) {
        q.iter().for_each(|e| drop(c.despawn(e)));
    }
    fn mate(q: Query<Entity, With<A>>, all: Query<&A>, mut log: ResMut<Log>) {
        for e in &q {
            assert!(all.get(e).is_some());
            log.0.push(e.to_bits());
        }
    }
    let out = modes::frames(
        2,
        |w, s| {
            w.insert_resource(Log::default());
            w.spawn_batch((0..50).map(A));
            s.add(kill);
            s.add(mate);
        },
        |w| std::mem::take(&mut w.resource_mut::<Log>().unwrap().0),
    );
    assert_eq!((out[0].len(), out[1].len()), (50, 0));
}

#[test]
fn trap04_streams_do_not_depend_on_pinning_or_workers() {
    fn free(q: Query<(Entity, &A)>, mut w: EventWriter<Born>, mut c: Commands) {
        for (e, a) in &q {
            w.send(Born(e, a.0));
            c.insert(e, B(1));
        }
    }
    fn pinned(_: NonSend<u16>, q: Query<(Entity, &A)>, mut w: EventWriter<Born>, mut c: Commands) {
        for (e, a) in &q {
            w.send(Born(e, 1000 + a.0));
            c.insert(e, S(1));
        }
    }
    for pinned_first in [false, true] {
        modes::frames(
            2,
            |w, s| {
                w.insert_resource(Log::default());
                w.insert_non_send(1u16);
                w.on_add::<B>(|t| {
                    let e = t.entity().to_bits();
                    t.resource_mut::<Log>().unwrap().0.push(e << 1);
                });
                w.on_add::<S>(|t| {
                    let e = t.entity().to_bits();
                    t.resource_mut::<Log>().unwrap().0.push(e << 1 | 1);
                });
                w.spawn_batch((0..70).map(A));
                if pinned_first {
                    s.add(pinned);
                    s.add(free);
                } else {
                    s.add(free);
                    s.add(pinned);
                }
            },
            |w| {
                let b = w.events::<Born>().to_vec();
                assert!(b[0].1 == if pinned_first { 1000 } else { 0 });
                (b, w.resource::<Log>().unwrap().0.clone())
            },
        );
    }
}

#[test]
fn trap05_a_panic_leaves_the_same_world_everywhere() {
    fn bad(mut q: Query<(&mut A, Entity)>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (a, e)| {
            a.0 += 1;
            c.despawn(e);
            assert!(a.0 % 500 != 123, "{}", a.0);
        });
    }
    fn good(mut q: Query<&mut X>) {
        q.par_for_each(|x| x.0 += 1.0);
    }
    modes::frames(
        3,
        |w, s| {
            w.spawn_batch((0..2000).map(|i| (A(i), X(0.0))));
            s.add(bad);
            s.add(good);
        },
        |w| (w.entity_count(), w.snapshot().unwrap().to_bytes()),
    );
}

#[test]
fn trap06_budgets_are_the_same_or_absent() {
    fn flood(mut q: Query<(Entity, &mut A)>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (e, a)| {
            a.0 += 1;
            for _ in 0..40 {
                c.insert(e, B(a.0));
                c.send(Ping(a.0));
            }
        });
    }
    let out = modes::frames(
        1,
        |w, s| {
            w.spawn_batch((0..500).map(A));
            s.add(flood);
        },
        |w| w.events::<Ping>().len(),
    );
    assert_eq!(out, [20_000]);
}

#[test]
fn trap07_all_paths_match_the_same_entities() {
    fn look(
        mut q: Query<(Entity, &mut A), Or<(With<S>, Without<B>)>>,
        mut c: Commands,
        mut log: ResMut<Log>,
    ) {
        let mut serial: Vec<u64> = q.iter_mut().map(|(e, _)| e.to_bits()).collect();
        let n = q.par_fold(
            13,
            Vec::new,
            |v, (e, _)| v.push(e.to_bits()),
            |mut a, mut b| {
                a.append(&mut b);
                a
            },
        );
        assert_eq!(serial, n.unwrap());
        q.par_for_each_with(&mut c, |c, (e, _)| drop(c.send(Born(e, 0))));
        log.0.append(&mut serial);
    }
    modes::frames(
        3,
        |w, s| {
            busy(w, s);
            s.add(look).name("look").after("busy_edit");
        },
        |w| (w.resource::<Log>().unwrap().0.clone(), w.events::<Born>().to_vec()),
    );
}

#[test]
fn trap08_rare_archetypes_are_not_skipped() {
    fn all(mut q: Query<&mut A>) {
        q.par_for_each(|a| a.0 += 1);
    }
    modes::frames(
        2,
        |w, s| {
            for i in 0..256u32 {
                let e = w.spawn(A(0));
                if i & 1 != 0 {
                    w.insert(e, B(0));
                }
                if i & 2 != 0 {
                    w.insert(e, C(0));
                }
                if i & 4 != 0 {
                    w.insert(e, D(0));
                }
                if i & 8 != 0 {
                    w.insert(e, E(0));
                }
                if i & 16 != 0 {
                    w.insert(e, F(0));
                }
                if i & 32 != 0 {
                    w.insert(e, G(0));
                }
                if i & 64 != 0 {
                    w.insert(e, H(0));
                }
                if i & 128 != 0 {
                    w.insert(e, I(0));
                }
            }
            w.spawn_batch((0..3000).map(|_| (A(0), X(0.0))));
            s.add(all);
        },
        |w| {
            let mut q = QueryState::<&A>::new(w);
            let f = w.frame() as u32;
            assert!(q.query_ref(w).iter().all(|a| a.0 == f));
        },
    );
}

#[test]
fn trap09_a_nearly_full_world_fills_to_the_last_id() {
    modes::all(|x| {
        let mut w = World::new();
        w.set_entity_limit(1000);
        w.spawn_batch((0..9).map(|_| A(11)));
        w.spawn_batch((0..891).map(|_| (A(0), B(0))));
        let mut s = Schedule::default();
        s.add(spawn_by_value); // 99 spawns into room for 100
        s.set_executor(x);
        s.run(&mut w).unwrap();
        assert_eq!(w.entity_count(), 999);
        let before: Vec<Entity> = w.entities().collect();
        let error = s.run(&mut w).unwrap_err();
        assert_eq!(error.kind, FrameErrorKind::EntityLimit(1000));
        assert_eq!(w.entities().collect::<Vec<_>>(), before);
        (w.hash(), error)
    });
}

#[test]
fn trap10_workers_name_entities_in_recycled_slots() {
    fn point(mut q: Query<(Entity, &mut Ref)>, all: Query<&A>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (e, r)| {
            assert!(all.get(r.0).is_some());
            c.insert(r.0, B(e.index()));
            c.relate(e, Likes(1), r.0);
        });
    }
    modes::frames(
        2,
        |w, s| {
            let old: Vec<Entity> = (0..500).map(|i| w.spawn(A(i))).collect();
            old.iter().for_each(|&e| drop(w.despawn(e)));
            let new: Vec<Entity> = (0..500).map(|i| w.spawn(A(i))).collect();
            assert!(new.iter().all(|e| e.generation() == 1));
            for &e in &new {
                w.spawn(Ref(e));
            }
            s.add(point);
        },
        |w| {
            assert!(w.take_diagnostics().0.is_empty());
            w.pair_count::<Likes>()
        },
    );
}

#[test]
fn trap11_one_body_and_exact_steps() {
    fn body(mut q: Query<(&mut X, &A)>, dt: Res<Dt>) {
        q.par_for_each(|(x, a)| x.0 = (x.0 + dt.0 * a.0 as f32).sin());
    }
    let mut bits = modes::frames(
        4,
        |w, s| {
            w.insert_resource(Dt(1.0 / 60.0));
            w.spawn_batch((0..4000).map(|i| (X(0.1), A(i))));
            s.add(body);
        },
        |w| {
            let mut q = QueryState::<&X>::new(w);
            q.query_ref(w).iter().map(|x| x.0.to_bits()).collect::<Vec<_>>()
        },
    );
    assert_ne!(bits.pop(), bits.pop());
}
