//! What users of other systems asked for, each as something a test can check.

use crate::kit::*;
use crate::modes;
use lockstep_ecs::time::*;
use lockstep_ecs::*;
use std::sync::Arc;

fn run(n: usize, x: Executor) -> (World, Schedule) {
    let mut w = World::new();
    let mut s = Schedule::default();
    busy(&mut w, &mut s);
    s.set_executor(x);
    for _ in 0..n {
        s.run(&mut w).unwrap();
    }
    (w, s)
}
fn known() -> (World, Schedule) {
    let mut w = World::new();
    let mut s = Schedule::default();
    busy(&mut w, &mut s);
    (w, s)
}

#[test]
fn req01_equal_states_stay_equal() {
    fn mv(mut q: Query<(Entity, &mut A)>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (e, a)| {
            a.0 = mix(u64::from(a.0) ^ u64::from(e.index())) as u32;
            if a.0 % 97 == 0 {
                c.despawn(e);
                c.spawn(A(a.0 / 2));
            }
        });
    }
    let make = || {
        let mut s = Schedule::default();
        s.add(mv);
        s
    };
    let (mut w, mut s) = (World::new(), make());
    w.spawn_batch((0..100).map(A));
    w.spawn_batch((0..60).map(|i| (A(i), B(i))));
    for _ in 0..5 {
        s.run(&mut w).unwrap();
    }
    let start = w.snapshot().unwrap();
    let mut hashes = Vec::new();
    for _ in 0..1000 {
        s.run(&mut w).unwrap();
        hashes.push(w.hash());
    }
    for (name, x) in modes::executors() {
        let mut w2 = World::new();
        w2.register::<B>();
        w2.register::<A>();
        w2.restore(&start).unwrap();
        let mut s2 = make();
        s2.set_executor(x);
        for (k, hash) in hashes.iter().enumerate() {
            s2.run(&mut w2).unwrap();
            assert_eq!(w2.hash(), *hash, "{name}, frame {k}");
        }
        assert!(w.entities().eq(w2.entities()), "{name}");
    }
}

#[test]
fn req02_a_save_in_the_middle_changes_nothing() {
    let ops = |w: &mut World, from: u32| {
        for i in from..from + 50 {
            let e = w.spawn((A(i), B(i)));
            if i % 3 == 0 {
                w.despawn(e);
            }
            if i % 4 == 0 {
                w.remove::<B>(e);
            }
        }
    };
    let mut w = World::new();
    ops(&mut w, 0);
    let mut w2 = World::new();
    w2.register::<A>();
    w2.register::<B>();
    w2.restore(&Snapshot::from_bytes(&w.snapshot().unwrap().to_bytes()).unwrap()).unwrap();
    ops(&mut w, 50);
    ops(&mut w2, 50);
    assert!(w.entities().eq(w2.entities()));
    assert_eq!(w.state_hash(), w2.state_hash());
}

#[test]
fn req03_handles_survive_and_missing_strategies_are_named() {
    let mut w = World::new();
    let e = w.spawn((A(1), Text("x".into())));
    let snap = w.snapshot().unwrap();
    w.despawn(e);
    w.restore(&snap).unwrap();
    assert_eq!(w.get::<Text>(e), Some(&Text("x".into())));
    let o = w.spawn(Opaque(3));
    assert_eq!(w.get::<Opaque>(o).map(|o| o.0), Some(3));
    let error = w.snapshot().unwrap_err();
    assert_eq!((error.kind, error.name.rsplit("::").next()), ("component", Some("Opaque")));
    assert!(Image::new().capture(&mut w).unwrap_err().to_string().contains("Opaque"));
}

#[test]
fn req04_rollback_over_spawns_and_despawns() {
    modes::all(|x| {
        let (mut w, mut s) = run(3, x.clone());
        let (mut plain, mut ps) = run(3, x);
        for round in 0..6 {
            let mut image = Image::new();
            image.capture(&mut w).unwrap();
            s.run(&mut w).unwrap();
            s.run(&mut w).unwrap();
            image.restore(&mut w);
            s.run(&mut w).unwrap();
            ps.run(&mut plain).unwrap();
            assert_eq!(w.hash(), plain.hash(), "round {round}");
            assert!(w.entities().eq(plain.entities()));
        }
        w.snapshot().unwrap().hash()
    });
}

#[test]
fn req05_despawned_entities_come_back_whole() {
    let mut w = World::new();
    w.insert_resource(Log::default());
    w.on_change::<A>(|t| {
        let e = t.entity().to_bits();
        t.resource_mut::<Log>().unwrap().0.push(e);
    });
    let p = w.spawn(A(0));
    let e = w.spawn((A(1), S(2), Text("t".into())));
    w.relate(e, ChildOf, p);
    w.relate(p, Likes(3), e);
    let mut image = Image::new();
    image.capture(&mut w).unwrap();
    let before = w.hash();
    w.despawn(p);
    assert!(!w.is_alive(e));
    image.restore(&mut w);
    assert_eq!(w.hash(), before);
    assert_eq!(
        (w.get::<A>(e), w.get::<S>(e), w.target::<ChildOf>(e)),
        (Some(&A(1)), Some(&S(2)), Some(p))
    );
    assert_eq!(w.payload::<Likes>(p, e), Some(&Likes(3)));
    w.get_mut::<A>(e).unwrap().0 = 5;
    w.spawn(());
    assert_eq!(w.resource::<Log>().unwrap().0, [e.to_bits()]);
}

#[test]
fn req06_only_confirmed_hashes_compare() {
    let (mut w, mut s) = known();
    let mut session = Session::<u32>::new(2, 6, |w: &mut World, i: &[u32]| {
        w.insert_resource(Input(i[0] + 2 * i[1]))
    });
    session.add_input(0, 0, 1).unwrap();
    session.advance(&mut w, &mut s).unwrap();
    // The type has no number to compare while the other player's input is a guess.
    assert_eq!(session.hash(0), Some(FrameHash::Predicted));
    session.add_input(1, 0, 1).unwrap();
    assert_eq!(session.hash(0), Some(FrameHash::Predicted), "simulated with a wrong guess");
    session.advance(&mut w, &mut s).unwrap();
    assert!(matches!(session.hash(0), Some(FrameHash::Confirmed(_))));
}

#[test]
fn req07_a_desync_report_names_everything() {
    let (mut a, _) = run(2, Executor::Serial);
    let (b, _) = run(2, Executor::Serial);
    assert_eq!(first_difference(&a, &b), None);
    let e = a.entities().nth(17).unwrap();
    let was = a.get::<A>(e).unwrap().0;
    a.get_mut::<A>(e).unwrap().0 = was + 1;
    let d = first_difference(&a, &b).unwrap();
    assert_eq!((d.what.as_str(), d.entity), ("value", Some(e)));
    assert!(d.component.unwrap().ends_with("::A") && !d.archetype.unwrap().is_empty());
    assert_eq!((d.left, d.right), (format!("A({})", was + 1), format!("A({was})")));
}

#[test]
fn req08_ambiguities_are_resolved_and_printable() {
    fn double(mut q: Query<&mut A>) {
        q.for_each(|a| a.0 = a.0.wrapping_mul(2));
    }
    fn inc(mut q: Query<&mut A>) {
        q.for_each(|a| a.0 = a.0.wrapping_add(1));
    }
    let mut hashes = Vec::new();
    for n in 1..=16 {
        let mut w = World::new();
        w.spawn_batch((0..500).map(A));
        let mut s = Schedule::default();
        s.add(double);
        s.add(inc);
        s.set_executor(Executor::Eager(Arc::new(lockstep_runtime::WorkerPool::new(n))));
        for _ in 0..3 {
            s.run(&mut w).unwrap();
        }
        hashes.push(w.hash());
        assert!(s.explain().to_text().contains("double before inc: the component"));
        assert_eq!(s.ambiguities().len(), 1);
    }
    hashes.dedup();
    assert_eq!(hashes.len(), 1);
}

#[test]
fn req09_filters_prove_disjointness() {
    fn with(mut q: Query<&mut A, With<B>>) {
        q.for_each(|a| a.0 += 1);
    }
    fn without(mut q: Query<&mut A, Without<B>>) {
        q.for_each(|a| a.0 += 2);
    }
    fn both(mut p: Query<&mut A, With<B>>, mut q: Query<&mut A, Without<B>>) {
        p.for_each(|a| a.0 += 1);
        q.for_each(|a| a.0 += 1);
    }
    modes::frames(
        2,
        |w, s| {
            w.spawn_batch((0..100).map(A));
            w.spawn_batch((0..100).map(|i| (A(i), B(0))));
            s.add(with);
            s.add(without);
            s.add(both);
            s.build(w).unwrap();
            assert_eq!(s.explain().waves[0].len(), 2);
        },
        |_| (),
    );
}

#[test]
fn req10_thousands_of_systems() {
    modes::all(thousands_of_systems);
}

fn thousands_of_systems(x: Executor) -> u64 {
    let mut w = World::new();
    let mut s = Schedule::default();
    s.set_executor(x);
    for i in 0..6000 {
        s.add(|| {}).name(&format!("s{i}"));
    }
    for i in 0..200 {
        let c = s.add(|mut q: Query<&mut A>| q.for_each(|a| a.0 += 1)).name(&format!("c{i}"));
        if i > 0 {
            c.after(&format!("c{}", i - 1));
        }
    }
    w.spawn(A(0));
    let plan = s.build(&mut w).unwrap();
    assert_eq!((plan.waves.len(), plan.waves[0].len()), (200, 6001));
    for _ in 0..3 {
        assert_eq!(s.run(&mut w).unwrap().systems_run, 6200);
    }
    let mut q = QueryState::<&A>::new(&mut w);
    assert_eq!(q.query_ref(&w).iter().next(), Some(&A(600)));
    w.hash()
}

#[test]
fn req11_chunk_sizes_change_nothing() {
    let out: Vec<u64> = [1, 3, 16, 100, 4096]
        .map(|size| {
            modes::all(|x| {
                let mut w = World::new();
                w.spawn_batch((0..1500).map(|i| (A(i), X(i as f32))));
                let mut s = Schedule::default();
                s.add(move |mut q: Query<(&A, &mut X)>| {
                    assert!(q.par_for_each_chunked(0, |_| {}).is_err());
                    q.par_for_each_chunked(size, |(a, x)| x.0 = (x.0 + a.0 as f32).sqrt()).unwrap();
                });
                s.set_executor(x);
                s.run(&mut w).unwrap();
                w.hash()
            })
        })
        .to_vec();
    assert!(out.iter().all(|h| *h == out[0]));
}

#[test]
fn req12_iteration_order_is_specified_and_restored() {
    modes::all(|x| {
        let (mut w, mut s) = run(4, x);
        let order: Vec<Entity> = w.entities().collect();
        let mut q = QueryState::<Entity>::new(&mut w);
        assert_eq!(q.query_ref(&w).iter().collect::<Vec<_>>(), order);
        let snap = w.snapshot().unwrap();
        for e in order.iter().step_by(2) {
            w.despawn(*e);
        }
        w.restore(&snap).unwrap();
        assert_eq!(q.query_ref(&w).iter().collect::<Vec<_>>(), order);
        s.run(&mut w).unwrap();
        (order, w.entities().collect::<Vec<_>>())
    });
}

#[test]
fn req13_hooks_and_observers_run_in_declaration_order() {
    fn hook(t: &mut Trigger<'_, Hooked>) {
        let v = u64::from(t.value().unwrap().0);
        t.resource_mut::<Log>().unwrap().0.push(10 + v);
    }
    #[derive(Component, Plain, Clone, Debug)]
    #[component(on_add = hook)]
    struct Hooked(u32);
    let out = modes::frames(
        1,
        |w, s| {
            w.insert_resource(Log::default());
            w.register::<Hooked>();
            w.on_add::<Hooked>(|t| t.resource_mut::<Log>().unwrap().0.push(1));
            w.on_add::<Hooked>(|t| t.resource_mut::<Log>().unwrap().0.push(2));
            w.on_add::<A>(|t| t.resource_mut::<Log>().unwrap().0.push(3));
            s.add(|mut c: Commands| {
                c.spawn((A(0), Hooked(5)));
                c.spawn((Hooked(6), A(0)));
            });
        },
        |w| w.resource::<Log>().unwrap().0.clone(),
    );
    assert_eq!(out[0], [3, 15, 1, 2, 16, 1, 2, 3]);
}

#[test]
fn req14_a_system_that_slept_for_ages_sees_what_changed() {
    fn sleepy(q: Query<Entity, Changed<A>>, mut log: ResMut<Log>) {
        log.0 = q.iter().map(Entity::to_bits).collect();
    }
    fn awake(i: Res<Input>) -> bool {
        i.0 == 1
    }
    modes::all(|x| {
        let mut w = World::new();
        w.insert_resource(Log::default());
        w.insert_resource(Input(1));
        let es = w.spawn_batch((0..10).map(A));
        let mut s = Schedule::default();
        s.add(sleepy).run_if(awake);
        s.set_executor(x);
        s.run(&mut w).unwrap();
        assert_eq!(w.resource::<Log>().unwrap().0.len(), 10);
        w.insert_resource(Input(0));
        w.get_mut::<A>(es[3]).unwrap().0 = 77;
        for _ in 0..3 {
            s.run(&mut w).unwrap();
            w.skip_ticks(1 << 33);
        }
        w.get_mut::<A>(es[8]).unwrap().0 = 78;
        w.insert_resource(Input(1));
        s.run(&mut w).unwrap();
        assert_eq!(w.resource::<Log>().unwrap().0, [es[3].to_bits(), es[8].to_bits()]);
        w.hash()
    });
}

#[test]
fn req15_reserved_ids_survive() {
    let mut w = World::new();
    w.spawn(A(0));
    let ids = w.reserve_ids(5).unwrap();
    let before = w.spawn(A(1));
    assert!(!ids.contains(&before) && ids.iter().all(|&e| !w.is_alive(e)));
    let mut w2 = World::new();
    w2.register::<A>();
    w2.restore(&w.snapshot().unwrap()).unwrap();
    for w in [&mut w, &mut w2] {
        assert!(w.spawn_reserved(ids[3], A(3)));
        assert!(!w.spawn_reserved(ids[3], A(3)) && w.is_alive(ids[3]));
        assert_eq!(w.spawn(A(2)).index(), 7);
    }
    assert_eq!(w.state_hash(), w2.state_hash());
    // Systems that mint ids leave reserved ones alone, whoever runs them.
    modes::frames(
        2,
        |w, s| {
            w.spawn_batch((0..50).map(A));
            assert_eq!(w.reserve_ids(100).unwrap().len(), 100);
            s.add(|mut q: Query<&A>, mut c: Commands| {
                q.par_for_each_with(&mut c, |c, a| drop(c.spawn(B(a.0))));
            });
        },
        |w| {
            let all: Vec<u32> = w.entities().map(Entity::index).collect();
            assert!(all.iter().all(|i| !(50..150).contains(i)));
            all
        },
    );
}

#[test]
fn req16_empty_archetypes_cost_and_change_nothing() {
    let mut w = World::new();
    w.spawn_batch((0..100).map(A));
    let e = w.spawn((A(0), B(0), C(0)));
    w.despawn(e);
    let mut q = QueryState::<(Entity, &A)>::new(&mut w);
    let n = q.archetype_tests(&w);
    assert_eq!(q.query_ref(&w).iter().count(), 100);
    let empty = w.inspect().archetypes.iter().filter(|a| a.rows == 0).count();
    assert!(empty > 0);
    for a in w.inspect().archetypes {
        assert!(a.rows > 0 || a.pages <= 1, "at most one spare page");
    }
    assert_eq!(q.archetype_tests(&w), n);
}

#[test]
fn req17_commit_points_are_part_of_the_plan() {
    let (_, s) = run(1, Executor::Serial);
    let text = s.explain().to_text();
    assert_eq!(text.matches("-- commit").count(), s.explain().waves.len());
    for (_, x) in modes::executors() {
        assert_eq!(run(1, x).1.explain().to_text(), text);
    }
}

#[test]
fn req18_the_first_panic_in_serial_order_is_returned() {
    fn late(_: Query<&A>) {
        std::thread::yield_now();
        panic!("first by order");
    }
    fn early(_: Query<&B>) {
        panic!("second by order");
    }
    let errors = modes::frames(
        3,
        |w, s| {
            w.spawn_batch((0..10).map(A));
            s.add(late);
            s.add(early);
        },
        |w| w.entity_count(),
    );
    assert_eq!(errors, [10, 10, 10]);
    let mut w = World::new();
    let mut s = Schedule::default();
    s.add(late);
    s.add(early);
    assert!(s.run(&mut w).unwrap_err().to_string().ends_with("late: panicked: first by order"));
}

#[test]
fn req19_joins_over_differently_fragmented_components() {
    let fragmented = || {
        let mut w = World::new();
        for i in 0..2000u32 {
            let e = w.spawn(A(i));
            if i % 2 == 0 {
                w.insert(e, B(i));
            }
            if i % 3 == 0 {
                w.insert(e, C(i));
            }
            if i % 5 == 0 {
                w.insert(e, S(i));
            }
            if i % 7 == 0 {
                w.insert(e, D(i));
            }
        }
        w
    };
    let want: u64 = (0..2000).step_by(30).sum();
    let mut w = fragmented();
    let mut q = QueryState::<(&B, &C, &S)>::new(&mut w);
    let got: u64 = q
        .query_ref(&w)
        .iter()
        .map(|(b, c, s)| {
            assert!(b.0 == c.0 && c.0 == s.0);
            u64::from(b.0)
        })
        .sum();
    assert_eq!(got, want);
    // The same join by all workers.
    let sums = modes::all(|x| {
        let mut w = fragmented();
        w.insert_resource(Log::default());
        let mut s = Schedule::default();
        s.add(|mut q: Query<(&B, &C, &S)>, mut log: ResMut<Log>| {
            let add = |sum: &mut Vec<u64>, (b, _, _): (&B, &C, &S)| sum.push(u64::from(b.0));
            let join = |mut a: Vec<u64>, mut b: Vec<u64>| {
                a.append(&mut b);
                a
            };
            log.0 = q.par_fold(3, Vec::new, add, join).unwrap();
        });
        s.set_executor(x);
        s.run(&mut w).unwrap();
        w.resource::<Log>().unwrap().0.clone()
    });
    assert_eq!((sums.len(), sums.iter().sum::<u64>()), (67, want));
}

#[test]
fn req20_restoring_is_idempotent() {
    modes::all(|x| {
        let (mut w, mut s) = run(2, x);
        let mut image = Image::new();
        image.capture(&mut w).unwrap();
        let (snap, hash) = (w.snapshot().unwrap(), w.hash());
        for _ in 0..3 {
            for _ in 0..2 {
                image.restore(&mut w);
                assert_eq!(w.state_hash(), hash);
            }
            s.run(&mut w).unwrap();
            for _ in 0..2 {
                w.restore(&snap).unwrap();
                assert_eq!((w.state_hash(), w.hash()), (hash, hash));
                assert_eq!(w.snapshot().unwrap(), snap);
            }
            s.run(&mut w).unwrap();
        }
        w.hash()
    });
}

#[test]
fn req21_events_states_locals_and_rng_are_in_the_snapshot() {
    #[derive(Plain, Clone, PartialEq, Debug)]
    enum Mode {
        One,
        Two(u32),
    }
    fn dice(
        mut rng: Local<u64>,
        mut w: EventWriter<Ping>,
        mut n: ResMut<schedule::NextState<Mode>>,
    ) {
        *rng = mix(*rng + 1);
        w.send(Ping(*rng as u32));
        n.0 = Some(if *rng % 2 == 0 { Mode::One } else { Mode::Two(*rng as u32 & 7) });
    }
    fn hear(mut r: EventReader<Ping>, m: Res<schedule::State<Mode>>, mut log: ResMut<Log>) {
        let k = if let Mode::Two(k) = m.get() { u64::from(*k) } else { 99 };
        log.0.extend(r.read().map(|p| u64::from(p.0) ^ k << 40));
    }
    let make = || {
        let mut w = World::new();
        let mut s = Schedule::default();
        w.insert_resource(Log::default());
        s.add_state(&mut w, Mode::One);
        s.add(hear); // reads in the next frame what is sent in this one
        s.add(dice).after("hear");
        (w, s)
    };
    modes::all(|x| {
        let (mut w, mut s) = make();
        for _ in 0..3 {
            s.run(&mut w).unwrap();
        }
        let (mut w2, mut s2) = make();
        s2.set_executor(x);
        w2.register_event::<Ping>();
        w2.restore(&w.snapshot().unwrap()).unwrap();
        for _ in 0..5 {
            s.run(&mut w).unwrap();
            s2.run(&mut w2).unwrap();
            assert_eq!(w.hash(), w2.hash());
            assert_eq!(w.resource::<Log>(), w2.resource::<Log>());
        }
        // Every part counts in the hash.
        let h = w.state_hash();
        w.send(Ping(1));
        assert_ne!(w.state_hash(), h);
        h
    });
}

#[test]
fn req22_spawn_and_set_from_every_worker() {
    fn storm(mut q: Query<(Entity, &mut A)>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (e, a)| {
            a.0 = a.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            for i in 0..2 {
                let n = c.spawn((A(a.0 ^ i), Text("new".into())));
                c.insert(n, (B(i), S(a.0))).insert(e, Ref(n));
                if (a.0 >> 7) % 3 == i {
                    c.despawn(n);
                }
            }
            if a.0 >> 30 > 0 {
                c.despawn(e);
            }
        });
    }
    modes::frames(
        9,
        |w, s| {
            w.spawn_batch((0..400).map(|i| A(i * 7919)));
            s.add(storm);
        },
        |w| w.entity_count(),
    );
}
