//! Behaviours 41 to 60: parallel execution, commits, failures.

use crate::kit::*;
use crate::modes;
use crate::schedules::write_b;
use lockstep_ecs::schedule::FixedStep;
use lockstep_ecs::*;
use std::collections::BTreeSet;
use std::sync::Arc;

#[test]
fn b41_one_systems_rows_over_all_workers() {
    fn sum(mut q: Query<(&A, &X)>, mut log: ResMut<Log>) {
        for size in [1, 7, 64, 1000] {
            let f = q
                .par_fold(
                    size,
                    || 0.0f32,
                    |acc, (a, x)| *acc += x.0 / (a.0 + 1) as f32,
                    |a, b| a + b,
                )
                .unwrap();
            log.0.push(u64::from(f.to_bits()));
        }
        assert!(q.par_fold(0, || 0, |_, _| {}, |a, _| a).is_err());
    }
    let out = modes::frames(
        2,
        |w, s| {
            w.insert_resource(Log::default());
            w.spawn_batch((0..5000).map(|i| (A(i), X(1.0 / (i + 1) as f32))));
            w.spawn_batch((0..3000).map(|i| (A(i), X(i as f32), B(0))));
            s.add(sum);
        },
        |w| w.resource::<Log>().unwrap().0.clone(),
    );
    assert_eq!(out[1][..4], out[1][4..]);
}

#[test]
fn b42_commands_land_at_the_end_of_the_wave() {
    fn make(mut c: Commands, q: Query<&A>) {
        let e = c.spawn(A(1));
        c.relate(e, Likes(1), e);
        for a in &q {
            assert_ne!(a.0, 99);
        }
    }
    fn wave_mate(q: Query<&A>, mut log: ResMut<Log>) {
        log.0.push(q.count() as u64);
    }
    fn next(q: Query<(&A, PairsOf<Likes>)>, mut log: ResMut<Log>) {
        log.0.push(1000 + q.count() as u64);
    }
    let out = modes::frames(
        3,
        |w, s| {
            w.insert_resource(Log::default());
            s.add(make);
            s.add(wave_mate);
            s.add(next).after("make").after("wave_mate");
        },
        |w| std::mem::take(&mut w.resource_mut::<Log>().unwrap().0),
    );
    assert_eq!(out, [vec![0, 1001], vec![1, 1002], vec![2, 1003]]);
}

#[test]
fn b43_commands_in_parallel_loops() {
    let out = modes::frames(6, busy, |w| {
        let all: Vec<Entity> = w.entities().collect();
        let pairs: Vec<(Entity, Entity, u32)> = all
            .iter()
            .flat_map(|&e| w.targets::<Likes>(e).map(move |(t, l)| (e, t, l.0)))
            .collect();
        (all, w.events::<Born>().to_vec(), pairs, w.take_diagnostics())
    });
    assert!(out[5].1.len() > 10 && out[5].2.len() > 20);
    for e in out[5].1.iter() {
        assert!(!e.0.is_placeholder());
    }
}

#[test]
fn b44_ids_do_not_depend_on_workers() {
    fn spawn_n(mut q: Query<(Entity, &A)>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (_, a)| {
            for i in 0..a.0 {
                c.spawn(B(i));
            }
        });
    }
    for counts in [[0, 0, 0], [1, 1, 1], [0, 3, 1], [40, 0, 7], [300, 300, 300]] {
        let out = modes::frames(
            2,
            |w, s| {
                for k in 0..900u32 {
                    let n = if k % 300 == 5 { counts[k as usize / 300] } else { 0 };
                    w.spawn(A(n));
                }
                for e in w.entities().skip(100).step_by(3).collect::<Vec<_>>() {
                    w.despawn(e); // recycled slots first
                }
                s.add(spawn_n);
            },
            |w| w.entities().map(Entity::to_bits).collect::<Vec<_>>(),
        );
        let mut unique = out[1].clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), out[1].len());
    }
}

#[test]
fn b45_no_id_is_lost_or_freed_twice() {
    modes::frames(8, busy, |w| {
        let i = w.inspect();
        assert_eq!(i.slots, i.entities + i.free);
        (i.slots, i.free)
    });
}

#[test]
fn b46_create_then_use_in_one_buffer() {
    fn make(mut c: Commands, old: Query<Entity, With<Tag>>) {
        let a = c.spawn(A(1));
        let b = c.spawn((B(2), Ref(a)));
        c.insert(a, Ref(b)).insert(a, S(3)).relate(b, Likes(4), a).send(Born(b, 5));
        let gone = c.spawn(C(1));
        c.despawn(gone).insert(gone, D(1)).relate(a, Likes(9), gone);
        for e in &old {
            c.insert(e, Ref(a));
        }
    }
    let out = modes::frames(
        1,
        |w, s| {
            w.spawn(Tag);
            s.add(make);
        },
        |w| {
            let mut q = QueryState::<(Entity, &A, &Ref, &S)>::new(w);
            let (a, b) = q.query_ref(w).iter().map(|x| (x.0, x.2.0)).next().unwrap();
            assert_eq!(w.get::<Ref>(b), Some(&Ref(a)));
            assert_eq!(w.payload::<Likes>(b, a), Some(&Likes(4)));
            assert_eq!(w.events::<Born>(), [Born(b, 5)]);
            let mut tagged = QueryState::<(&Tag, &Ref)>::new(w);
            assert_eq!(tagged.query_ref(w).iter().next().unwrap().1, &Ref(a));
            (w.entity_count(), w.take_diagnostics().0)
        },
    );
    assert_eq!(out[0].0, 3);
    assert_eq!(out[0].1.iter().map(|d| d.what).collect::<Vec<_>>(), ["insert", "relate"]);
}

#[test]
fn b46b_placeholders_written_in_place_are_resolved() {
    fn make(
        mut q: Query<&mut Ref>,
        mut c: Commands,
        mut own: Local<Entity>,
        mut w: EventWriter<Born>,
    ) {
        *own = c.spawn(Tag);
        q.for_each(|r| r.0 = c.spawn(B(1)));
        w.send(Born(*own, 1));
    }
    fn check(
        q: Query<&Ref>,
        own: Query<Entity, With<Tag>>,
        b: Query<&B>,
        mut r: EventReader<Born>,
    ) {
        for x in &q {
            assert!(b.get(x.0).is_some(), "{:?}", x.0);
        }
        for e in r.read() {
            assert!(own.contains(e.0));
        }
    }
    modes::frames(
        2,
        |w, s| {
            w.spawn_batch((0..300).map(|_| Ref(Entity::NULL)));
            s.add(make);
            s.add(check).after("make");
        },
        |w| w.entity_count(),
    );
}

#[test]
fn b47_dead_targets_are_told() {
    fn kill(q: Query<Entity>, mut c: Commands) {
        for e in &q {
            c.despawn(e);
        }
    }
    fn use_them(q: Query<Entity>, mut c: Commands) {
        for e in &q {
            c.insert(e, A(9));
            c.remove::<A>(e);
            c.despawn(e);
        }
    }
    let out = modes::frames(
        1,
        |w, s| {
            w.spawn(A(1));
            w.spawn(A(2));
            s.add(kill);
            s.add(use_them);
        },
        |w| (w.entity_count(), w.take_diagnostics()),
    );
    let (n, (told, more)) = &out[0];
    assert_eq!((*n, told.len(), *more), (0, 6, 0));
    assert!(told.iter().all(|d| d.code == "dead-entity" && d.system == Some(1)));
}

#[test]
fn b48_command_streams_describe_themselves() {
    let mut w = World::new();
    w.register::<A>();
    w.register::<Text>();
    w.register::<Ref>();
    let old = w.spawn(A(1));
    let mut s = CommandStream::new();
    let e = s.spawn();
    s.insert(e, &Text("hello".into()));
    s.insert(e, &Ref(e));
    s.insert(old, &A(5));
    s.remove::<Text>(old);
    let f = s.spawn();
    s.despawn(f);
    assert_eq!(s.records().unwrap().iter().map(|r| r.0).collect::<Vec<_>>(), [1, 2, 2, 2, 3, 1, 4]);
    let ids = w.apply_stream(&CommandStream::from_bytes(s.as_bytes())).unwrap();
    assert_eq!(w.get::<Ref>(ids[0]), Some(&Ref(ids[0])));
    assert_eq!((w.get::<A>(old), w.is_alive(ids[1])), (Some(&A(5)), false));
    let before = w.state_hash();
    let mut r = Rng(48);
    for k in 0..3000 {
        let mut bytes = s.as_bytes().to_vec();
        if k % 3 == 0 {
            bytes.truncate(r.below(bytes.len()));
        }
        for _ in 0..1 + k % 3 {
            if !bytes.is_empty() {
                let i = r.below(bytes.len());
                bytes[i] = r.next() as u8;
            }
        }
        // Never a panic; an error changes nothing.
        let mut copy = World::new();
        copy.register::<A>();
        copy.register::<Text>();
        copy.register::<Ref>();
        let empty = copy.state_hash();
        if copy.apply_stream(&CommandStream::from_bytes(&bytes)).is_err() {
            assert_eq!(copy.state_hash(), empty);
        }
    }
    let mut bad = s.as_bytes().to_vec();
    bad[0] = 77;
    assert!(matches!(
        w.apply_stream(&CommandStream::from_bytes(&bad)),
        Err(StreamError::Decode(0, _))
    ));
    assert_eq!(w.state_hash(), before);
}

#[test]
fn b49_buffers_grow() {
    fn many(mut c: Commands, mut w: EventWriter<Ping>) {
        for i in 0..60_000 {
            let e = c.spawn(A(i));
            c.insert(e, B(i));
            w.send(Ping(i));
        }
    }
    let out = modes::frames(
        1,
        |_, s| {
            s.add(many);
        },
        |w| (w.entity_count(), w.events::<Ping>().len(), w.take_diagnostics().1),
    );
    assert_eq!(out[0], (60_000, 60_000, 0));
}

#[test]
fn b50_change_marks_equal_the_serial_ones() {
    modes::frames(
        4,
        |w, s| {
            busy(w, s);
            let _ = QueryState::<&A, Changed<A>>::new(w);
        },
        |w| {
            let now = w.tick();
            let a = w.changed_since::<A>(now.saturating_sub(4));
            (a, w.changed_since::<X>(now.saturating_sub(8)))
        },
    );
}

#[test]
fn b51_structure_cannot_change_within_a_wave() {
    // By types: a shared system has no way to the world (`tests/compile/world_param.rs`). What it can do, it only records: nobody in
    // the wave sees any of it, however systems and chunks are dealt out. An exclusive system is alone in its wave.
    static INSIDE: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    use std::sync::atomic::Ordering::SeqCst;
    type All<'w, 's> = Query<'w, 's, (Entity, Option<&'static B>, Has<S>, Has<Tag>)>;
    fn look(q: &All<'_, '_>) -> Vec<(Entity, Option<u32>, bool, bool)> {
        q.iter().map(|(e, b, s, t)| (e, b.map(|b| b.0), s, t)).collect()
    }
    fn edit<const K: u32>(mut q: All<'_, '_>, mut c: Commands, mut seen: EventWriter<Ping>) {
        INSIDE.fetch_add(1, SeqCst);
        let before = look(&q);
        q.par_for_each_with(&mut c, |c, (e, b, s, _)| match (e.index() + K) % 7 {
            0 => drop(c.despawn(e)),
            1 => drop(c.spawn((A(K), B(K)))),
            2 if s => drop(c.remove::<S>(e)),
            2 => drop(c.insert(e, S(K))),
            3 if b.is_some() => drop(c.remove::<B>(e)),
            3 => drop(c.insert(e, B(K))),
            4 => drop(c.run(move |w, _| {
                w.spawn((A(100 + K), Tag));
            })),
            _ => {}
        });
        assert_eq!(look(&q), before, "a wave saw structure change");
        seen.send(Ping(before.len() as u32));
        INSIDE.fetch_sub(1, SeqCst);
    }
    fn alone(w: &mut World) {
        assert_eq!(INSIDE.load(SeqCst), 0, "an exclusive system was not alone");
        let e = w.spawn(A(7));
        w.despawn(e);
    }
    modes::frames(
        3,
        |w, s| {
            w.register_event::<Ping>();
            w.spawn_batch((0..150).map(|i| (A(i), B(i))));
            s.add(edit::<0>).name("edit 0");
            s.add(edit::<1>).name("edit 1");
            s.add(edit::<2>).name("edit 2");
            s.add(alone);
            s.add(edit::<3>).name("edit 3");
            s.add(edit::<4>).name("edit 4");
            s.build(w).unwrap();
            let plan = s.explain();
            assert_eq!(plan.waves.iter().map(Vec::len).sum::<usize>(), 6);
            assert_eq!(plan.waves.iter().find(|w| w[0].exclusive).unwrap().len(), 1);
        },
        |w| w.events::<Ping>().to_vec(),
    );
    // A query made for one world is refused by another.
    let (mut one, mut two) = (World::new(), World::new());
    let mut q = QueryState::<&A>::new(&mut one);
    let other =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| q.query(&mut two).count()));
    assert!(other.is_err());
}

#[test]
fn b52_waves_wait_for_all() {
    // Every row of a wave is done before any of the next begins, with uneven work, with more workers than processors, and while
    // somebody wakes the workers for no reason. Late wake-ups of one frame must not count in the next. (The fence itself: loom models
    // of lockstep-runtime.)
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
    static DONE: AtomicU64 = AtomicU64::new(0);
    static WORKERS: Mutex<Vec<std::thread::Thread>> = Mutex::new(Vec::new());
    const ROWS: u64 = 400;
    fn note_thread() {
        let me = std::thread::current();
        let mut all = WORKERS.lock().unwrap();
        if all.iter().all(|t| t.id() != me.id()) {
            all.push(me);
        }
    }
    fn step_a(mut q: Query<&mut A>) {
        q.par_for_each(|a| {
            note_thread();
            // Uneven: some rows take a thousand times as long as others.
            let work = if a.0 % 97 == 0 { 20_000 } else { 20 };
            a.0 += 1;
            (0..work).for_each(|k| {
                std::hint::black_box(k);
            });
            DONE.fetch_add(1, SeqCst);
        });
    }
    fn check(mut q: Query<(&A, &mut B)>) {
        q.par_for_each(|(a, b)| {
            b.0 += 1;
            assert_eq!(a.0 % 1000, b.0, "a wave began before the last one had ended");
            assert_eq!(DONE.load(SeqCst) % ROWS, 0, "a chunk of the last wave still ran");
        });
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(SeqCst) {
                WORKERS.lock().unwrap().iter().for_each(std::thread::Thread::unpark);
                std::thread::yield_now();
            }
        });
        let result = std::panic::catch_unwind(|| {
            modes::all(|x| {
                DONE.store(0, SeqCst);
                let mut w = World::new();
                w.spawn_batch((0..ROWS as u32).map(|i| (A(1000 * i), B(0))));
                let mut s = Schedule::default();
                s.add(step_a);
                s.add(check);
                s.set_executor(x);
                for frame in 1..=15 {
                    s.run(&mut w).unwrap();
                    assert_eq!(DONE.load(SeqCst), ROWS * frame, "run came back too early");
                }
                w.hash()
            })
        });
        stop.store(true, SeqCst);
        result.unwrap();
    });
}

#[test]
fn b53_a_steady_frame_allocates_nothing() {
    fn mv(mut q: Query<(&mut X, &A)>) {
        q.par_for_each(|(x, a)| x.0 += a.0 as f32);
    }
    fn send(mut w: EventWriter<Ping>, q: Query<&A>) {
        for a in &q {
            w.send(Ping(a.0));
        }
    }
    fn read(mut r: EventReader<Ping>, mut i: ResMut<Input>) {
        i.0 = r.read().fold(0, |s, p| s.wrapping_add(p.0));
    }
    fn edit(q: Query<(Entity, Has<S>)>, mut c: Commands) {
        for (e, has) in q.iter().take(20) {
            if has {
                c.remove::<S>(e);
            } else {
                c.insert(e, S(1));
            }
        }
    }
    // Allocations are counted on the thread that runs the schedule. The executors for tests allocate.
    for (name, x) in modes::executors() {
        if name != "serial" && !name.starts_with("pool") {
            continue;
        }
        let mut w = World::new();
        w.insert_resource(Input(0));
        w.spawn_batch((0..3000).map(|i| (A(i), X(0.0))));
        let mut s = Schedule::default();
        s.add(mv);
        s.add(send);
        s.add(edit);
        s.add(read).after("send");
        s.set_executor(x);
        let mut image = time::Image::new();
        for _ in 0..8 {
            s.run(&mut w).unwrap();
            image.capture(&mut w).unwrap();
        }
        let blocks = w.inspect().block_requests;
        let before = allocations();
        for _ in 0..10 {
            s.run(&mut w).unwrap();
            image.capture(&mut w).unwrap();
        }
        assert_eq!(allocations() - before, 0, "allocations in steady frames, {name}");
        assert_eq!(w.inspect().block_requests, blocks, "{name}");
    }
}

#[test]
fn b54_systems_without_matches_run() {
    fn produce(q: Query<&P>, mut w: EventWriter<Ping>, mut c: Commands) {
        assert_eq!(q.count(), 0);
        w.send(Ping(1));
        c.spawn(A(1));
    }
    let out = modes::frames(
        2,
        |_, s| {
            s.add(produce);
        },
        |w| (w.entity_count(), w.events::<Ping>().len()),
    );
    assert_eq!(out, [(1, 1), (2, 2)]);
}

#[test]
fn b55_panics_are_the_same_error_everywhere() {
    fn first(mut q: Query<(&mut X, &A)>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (x, a)| {
            x.0 += 1.0;
            c.spawn(B(a.0));
            assert!(a.0 % 1000 != 777, "row {}", a.0);
        });
    }
    fn second(_: Query<&C>, mut c: Commands) {
        c.spawn(C(1));
        panic!("second");
    }
    fn later(mut i: ResMut<Input>) {
        i.0 = 1;
    }
    modes::all(|x| {
        let mut w = World::new();
        w.insert_resource(Input(0));
        w.spawn_batch((0..3000).map(|i| (A(i), X(0.0))));
        let mut s = Schedule::default();
        s.add(first);
        s.add(second);
        s.add(later).after("second");
        s.set_executor(x.clone());
        let error = s.run(&mut w).unwrap_err();
        assert_eq!((error.system.as_deref(), error.wave), (Some("first"), 0));
        assert_eq!(error.kind, FrameErrorKind::Panic("row 777".into()));
        assert_eq!((w.entity_count(), w.resource::<Input>()), (3000, Some(&Input(0))));
        let half = w.state_hash();
        // With rollback on, the frame leaves nothing.
        let mut s2 = Schedule::new("again");
        s2.add(first);
        s2.set_executor(x).set_rollback(true);
        let before = w.state_hash();
        s2.run(&mut w).unwrap_err();
        assert_eq!(w.state_hash(), before);
        // And the world is usable.
        let e = w.spawn((A(1), X(1.0)));
        let mut q = QueryState::<&mut X>::new(&mut w);
        q.query(&mut w).for_each(|x| x.0 = 0.0);
        (error, half, w.is_alive(e), w.hash())
    });
}

#[test]
fn b56_a_worker_that_dies_is_named_and_the_pool_lives() {
    fn fine(mut q: Query<&mut B>) {
        q.par_for_each(|b| b.0 += 1);
    }
    fn bad(mut q: Query<&mut A>, i: Res<Input>) {
        let limit = i.0;
        q.par_for_each(|a| assert!(a.0 < limit, "worker died"));
    }
    modes::all(|x| {
        let mut w = World::new();
        w.insert_resource(Input(100));
        w.spawn_batch((0..500).map(|i| (A(i), B(i))));
        let mut s = Schedule::default();
        s.add(fine);
        s.add(bad);
        s.set_executor(x);
        s.set_rollback(true);
        let mut marks = Vec::new();
        for _ in 0..5 {
            let before = w.hash();
            let e = s.run(&mut w).unwrap_err();
            assert_eq!(e.system.as_deref(), Some("bad"));
            assert_eq!(w.hash(), before, "with rollback a failed frame leaves nothing");
            marks.push((e, before));
        }
        w.insert_resource(Input(1000));
        s.run(&mut w).unwrap();
        // A new pool goes on from the last frame, with any number of workers.
        let mut hashes = Vec::new();
        for n in [1, 2, 3, 4, 8] {
            s.set_executor(Executor::Eager(Arc::new(lockstep_runtime::WorkerPool::new(n))));
            s.run(&mut w).unwrap();
            hashes.push(w.hash());
        }
        assert_eq!(w.frame(), 6);
        (marks, hashes)
    });
}

#[test]
fn b56b_a_system_that_hangs_is_named_from_outside() {
    // The watchdog is another thread; it names the system while it hangs, and only then lets it go on.
    use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
    for (_, x) in modes::executors() {
        let free = Arc::new(AtomicBool::new(false));
        let let_go = free.clone();
        let mut w = World::new();
        w.spawn_batch((0..200).map(|i| (A(i), B(i))));
        let mut s = Schedule::default();
        s.add(write_b);
        s.add(move |_: Query<&mut A>| {
            while !let_go.load(SeqCst) {
                std::thread::yield_now();
            }
        })
        .name("hangs");
        s.set_executor(x);
        let watch = s.watch();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !watch.running().iter().any(|(_, name)| name == "hangs") {
                    std::thread::yield_now();
                }
                free.store(true, SeqCst);
            });
            s.run(&mut w).unwrap();
        });
        assert_eq!(watch.running(), []);
    }
}

#[test]
fn b57_one_worker_means_no_threads() {
    // With a pool of one every row is done by the caller, and the outcome is that of every other number of workers.
    let here = std::thread::current().id();
    let run = |x: Executor, alone: bool| {
        let mut w = World::new();
        let mut s = Schedule::default();
        busy(&mut w, &mut s);
        s.add(move |mut q: Query<&mut X>| {
            q.par_for_each(|x| {
                assert!(!alone || std::thread::current().id() == here, "another thread");
                x.0 += 0.5;
            });
        });
        s.set_executor(x);
        (0..4)
            .map(|_| {
                s.run(&mut w).unwrap();
                w.hash()
            })
            .collect::<Vec<_>>()
    };
    let one = Arc::new(lockstep_runtime::WorkerPool::new(1));
    let alone = run(Executor::Pool(one.clone()), true);
    assert_eq!(alone, run(Executor::Eager(one), true));
    for (name, x) in modes::executors() {
        assert_eq!(alone, run(x, false), "{name}");
    }
}

#[test]
fn b58_everything_is_dropped_once() {
    static LIVE: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);
    #[derive(Component)]
    struct Counted(#[expect(dead_code, reason = "something to own")] Box<u32>);
    impl Counted {
        fn new() -> Self {
            LIVE.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Counted(Box::new(1))
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            LIVE.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
    fn churn(mut q: Query<(Entity, &Counted)>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (e, _)| {
            c.spawn(Counted::new());
            if e.index() % 2 == 0 {
                c.insert(e, Counted::new());
            } else {
                c.despawn(e);
            }
            assert!(e.index() != 33, "commands of a failed wave are dropped, too");
        });
    }
    for (_, executor) in modes::executors() {
        let mut w = World::new();
        w.on_remove::<Counted>(|_| {});
        let mut s = Schedule::default();
        s.add(churn);
        s.set_executor(executor);
        for _ in 0..20 {
            w.spawn(Counted::new());
        }
        for _ in 0..4 {
            let _ = s.run(&mut w);
        }
        drop(s);
        drop(w);
        assert_eq!(LIVE.load(std::sync::atomic::Ordering::Relaxed), 0);
    }
}

#[test]
fn b58b_a_pool_joins_its_threads() {
    // Each worker thread leaves a guard in its thread-local storage: when the pool is gone, so are all guards.
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
    static THREADS: AtomicI64 = AtomicI64::new(0);
    static NAMES: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            THREADS.fetch_sub(1, SeqCst);
        }
    }
    thread_local!(static GUARD: Guard = {
        THREADS.fetch_add(1, SeqCst);
        Guard
    });
    fn touch(mut q: Query<&mut A>) {
        q.par_for_each(|a| {
            GUARD.with(|_| a.0 += 1);
            NAMES.lock().unwrap().insert(format!("{:?}", std::thread::current().id()));
            // Gives others their turn, so that every worker gets a chunk now and then.
            std::thread::yield_now();
        });
    }
    GUARD.with(|_| {});
    for n in [1, 2, 3, 4, 8] {
        let pool = Arc::new(lockstep_runtime::WorkerPool::new(n));
        let mut w = World::new();
        w.spawn_batch((0..600).map(A));
        let mut s = Schedule::default();
        s.add(touch);
        s.set_executor(Executor::Eager(pool.clone()));
        for _ in 0..10 {
            s.run(&mut w).unwrap();
        }
        // The schedule's handle is the last one: with it the threads end.
        drop(pool);
        assert!(THREADS.load(SeqCst) >= 1);
        drop(s);
        assert_eq!(THREADS.load(SeqCst), 1, "a thread of {n} workers outlives its pool");
    }
    assert!(NAMES.lock().unwrap().len() > 1, "no worker ever worked");
}

#[test]
fn b59_time_steps_reach_workers_bit_exactly() {
    fn integrate(mut q: Query<(&mut X, &mut A)>, dt: Res<Dt>) {
        q.par_for_each(|(x, a)| {
            a.0 = dt.0.to_bits();
            x.0 += dt.0;
        });
    }
    for bits in [0x3c88_8889, 1, 0x7f7f_ffff, 0x3f80_0001u32] {
        modes::frames(
            2,
            |w, s| {
                w.insert_resource(Dt(f32::from_bits(bits)));
                w.spawn_batch((0..3000).map(|i| (X(i as f32), A(0))));
                s.add(integrate);
            },
            |w| {
                let mut q = QueryState::<&A>::new(w);
                assert!(q.query_ref(w).iter().all(|a| a.0 == bits));
            },
        );
    }
    let mut f = FixedStep::new(16_666_667);
    let steps: Vec<u32> = [16_666_667, 1, 33_333_333, 0, 16_666_667].map(|e| f.advance(e)).to_vec();
    assert_eq!(steps, [1, 0, 2, 0, 1]);
}

#[test]
fn b60_hashes_tell_every_bit() {
    let out = modes::frames(5, busy, |w| w.hash());
    assert_eq!(out.iter().collect::<BTreeSet<_>>().len(), 5);
    let mut w = World::new();
    let e = w.spawn((X(1.0), A(0), S(0), Text("abc".into())));
    w.insert_resource(Input(0));
    let t = w.spawn(B(0));
    w.relate(e, Likes(0), t);
    let base = w.hash();
    for bit in 0..32 {
        let mut check = |f: &dyn Fn(&mut World)| {
            f(&mut w);
            assert_ne!(w.hash(), base);
            assert_eq!(w.hash(), w.state_hash());
            f(&mut w);
            assert_eq!(w.hash(), base);
        };
        check(&|w| {
            let x = w.get_mut::<X>(e).unwrap();
            x.0 = f32::from_bits(x.0.to_bits() ^ 1 << bit);
        });
        check(&|w| w.get_mut::<S>(e).unwrap().0 ^= 1 << bit);
        check(&|w| w.resource_mut::<Input>().unwrap().0 ^= 1 << bit);
        check(&|w| {
            let p = w.payload::<Likes>(e, t).unwrap().0;
            w.relate(e, Likes(p ^ 1 << bit), t);
        });
    }
    w.get_mut::<Text>(e).unwrap().0.push('d');
    assert_ne!(w.hash(), base);
}
