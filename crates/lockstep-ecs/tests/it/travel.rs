//! Behaviours 61 to 70: snapshots, deltas, replication, rollback, replay, explanation, inspection.

use crate::kit::*;
use crate::modes;
use expect_test::expect;
use lockstep_ecs::time::*;
use lockstep_ecs::*;
use std::sync::Arc;

fn fresh() -> (World, Schedule) {
    let mut w = World::new();
    let mut s = Schedule::default();
    // The same registrations as `busy`, on an empty world.
    busy(&mut w, &mut s);
    let mut empty = World::new();
    let mut s2 = Schedule::default();
    busy(&mut empty, &mut s2);
    for e in empty.entities().collect::<Vec<_>>() {
        empty.despawn(e);
    }
    (empty, s2)
}

fn run(n: usize) -> (World, Schedule) {
    let mut w = World::new();
    let mut s = Schedule::default();
    busy(&mut w, &mut s);
    for _ in 0..n {
        s.run(&mut w).unwrap();
    }
    (w, s)
}

#[test]
fn b61_snapshots_load_and_save() {
    let (mut w, mut s) = run(5);
    let snap = w.snapshot().unwrap();
    assert_eq!(w.snapshot().unwrap().to_bytes(), snap.to_bytes(), "same state, same bytes");
    let bytes = snap.to_bytes();
    let again = Snapshot::from_bytes(&bytes).unwrap();
    assert_eq!(again, snap);
    // Into another world that knows the types, in another order of registration.
    let (mut w2, mut s2) = fresh();
    w2.restore(&again).unwrap();
    assert_eq!(w2.state_hash(), w.state_hash());
    assert_eq!(w2.snapshot().unwrap().to_bytes(), bytes);
    let all: Vec<Entity> = w.entities().collect();
    assert_eq!(all, w2.entities().collect::<Vec<_>>());
    for &e in &all {
        assert_eq!(w.get::<Ref>(e), w2.get::<Ref>(e));
        assert!(w.targets::<Likes>(e).map(|t| t.0).eq(w2.targets::<Likes>(e).map(|t| t.0)));
    }
    for _ in 0..5 {
        s.run(&mut w).unwrap();
        s2.run(&mut w2).unwrap();
        assert_eq!(w.hash(), w2.hash());
    }
    assert_eq!(w.snapshot().unwrap().to_bytes(), w2.snapshot().unwrap().to_bytes());
    let mut opaque = World::new();
    opaque.spawn(Opaque(1));
    assert!(opaque.snapshot().unwrap_err().to_string().contains("Opaque"));
}

#[test]
fn b62_deltas() {
    let (mut w, mut s) = run(3);
    let base = w.snapshot().unwrap();
    let e = w.entities().next().unwrap();
    w.get_mut::<A>(e).unwrap().0 ^= 0x55;
    let small = base.delta_to(&w.snapshot().unwrap());
    assert!(small.to_bytes().len() < 200, "{} bytes for one value", small.to_bytes().len());
    s.run(&mut w).unwrap();
    let big = base.delta_to(&w.snapshot().unwrap());
    assert!(big.to_bytes().len() > small.to_bytes().len());
    let sent = Delta::from_bytes(&big.to_bytes()).unwrap();
    assert_eq!(base.apply(&sent).unwrap(), w.snapshot().unwrap());
    let other = base.apply(&small).unwrap();
    assert_eq!(other.apply(&sent), Err(DeltaError::NeedBaseline));
    let mut w2 = fresh().0;
    w2.restore(&base.apply(&sent).unwrap()).unwrap();
    assert_eq!(w2.state_hash(), w.state_hash());
}

#[test]
fn b63_what_does_not_fit_is_refused() {
    let (w, _) = run(2);
    let snap = w.snapshot().unwrap();
    let bytes = snap.to_bytes();
    for cut in [0, 7, 8, 11, 40, bytes.len() / 2, bytes.len() - 1] {
        assert!(Snapshot::from_bytes(&bytes[..cut]).is_err());
    }
    let mut version = bytes.clone();
    version[8] ^= 1;
    assert!(Snapshot::from_bytes(&version).is_err());
    // A world that lacks a type.
    let mut other = World::new();
    other.register::<A>();
    let before = other.state_hash();
    assert!(matches!(other.restore(&snap), Err(RestoreError::Unknown(_))));
    assert_eq!(other.state_hash(), before);
    // A type with other fields under the same name.
    #[derive(Component, Plain, Clone)]
    #[component(name = "same name")]
    struct One(u32);
    #[derive(Component, Plain, Clone)]
    #[component(name = "same name")]
    struct Two(f32);
    let mut a = World::new();
    a.spawn(One(1));
    let mut b = World::new();
    b.register::<Two>();
    assert!(matches!(b.restore(&a.snapshot().unwrap()), Err(RestoreError::Schema(_))));
    // Damage that keeps the checksum right: change blocks, write again. Never a panic; an error changes nothing.
    let mut r = Rng(63);
    let (mut target, _) = fresh();
    let before = target.state_hash();
    let mut refused = 0;
    for _ in 0..300 {
        let mut bytes = bytes[..bytes.len() - 8].to_vec();
        for _ in 0..1 + r.below(3) {
            let i = 16 + r.below(bytes.len() - 16);
            bytes[i] = r.next() as u8;
        }
        let sum = xxhash(&bytes);
        bytes.extend(sum.to_le_bytes());
        let Ok(bad) = Snapshot::from_bytes(&bytes) else {
            refused += 1;
            continue;
        };
        if target.restore(&bad).is_err() {
            refused += 1;
            assert_eq!(target.state_hash(), before);
        } else {
            target = fresh().0;
        }
        let _ = Delta::from_bytes(&bytes);
        let _ = Replay::<u32>::from_bytes(&bytes);
    }
    assert!(refused > 20);
}

fn xxhash(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

#[test]
fn b64_replication_survives_loss_and_reordering() {
    let (mut w, mut s) = run(1);
    let (mut client_world, _) = fresh();
    let (mut server, mut client) = (ReplicationServer::new(), ReplicationClient::new());
    let mut r = Rng(64);
    let mut late: Option<Vec<u8>> = None;
    let mut baselines = 0;
    for round in 0..25 {
        s.run(&mut w).unwrap();
        let message = server.message(&w, &|_, _| true, &|_, _| true);
        match r.below(4) {
            0 => late = Some(message),
            1 => {} // lost
            _ => {
                match client.apply(&message, &mut client_world) {
                    Ok(n) => {
                        if r.below(3) > 0 {
                            server.acknowledge(n);
                        }
                    }
                    Err(ReplicationError::NeedBaseline) => {
                        baselines += 1;
                        server.reset();
                    }
                    Err(e) => panic!("{e}"),
                }
                if let Some(old) = late.take() {
                    assert_eq!(client.apply(&old, &mut client_world), Err(ReplicationError::Stale));
                }
            }
        }
        if round == 12 {
            client = ReplicationClient::new(); // the client starts again
            client_world = fresh().0;
        }
    }
    assert!(baselines >= 1);
    server.reset();
    client.apply(&server.message(&w, &|_, _| true, &|_, _| true), &mut client_world).unwrap();
    assert_eq!(client_world.entity_count(), w.entity_count());
    for e in w.entities() {
        let here = client.local(e).unwrap();
        assert_eq!(client_world.get::<A>(here), w.get::<A>(e));
        assert_eq!(client_world.get::<S>(here), w.get::<S>(e));
        assert_eq!(client_world.has::<B>(here), w.has::<B>(e));
        let want = w.get::<Ref>(e).map(|r| client.local(r.0).unwrap_or(Entity::NULL));
        assert_eq!(client_world.get::<Ref>(here).map(|r| r.0), want);
    }
}

#[test]
fn b65_hidden_bytes_do_not_leave() {
    let mut w = World::new();
    let hidden = w.spawn((A(0x1bad_cafe), Text("hidden entity".into())));
    let seen = w.spawn((A(1), B(0x2bad_cafe), Ref(hidden), Text("shown".into())));
    let find = |hay: &[u8], needle: &[u8]| hay.windows(needle.len()).any(|w| w == needle);
    let mut server = ReplicationServer::new();
    for round in 0..3 {
        let m = server.message(&w, &|_, e| e != hidden, &|_, c| !c.ends_with("::B"));
        assert!(!find(&m, &0x1bad_cafeu32.to_le_bytes()));
        assert!(!find(&m, &0x2bad_cafeu32.to_le_bytes()));
        assert!(!find(&m, b"hidden entity") && !find(&m, b"::B"));
        assert!(!find(&m, &hidden.to_bits().to_le_bytes()) || hidden.to_bits() == 0);
        assert_eq!(find(&m, b"shown"), round == 0);
        w.get_mut::<Text>(hidden).unwrap().0.push('!');
        w.get_mut::<B>(seen).unwrap().0 ^= 0;
        server.acknowledge(round + 1);
    }
    let mut c = World::new();
    c.register::<A>();
    c.register::<Ref>();
    c.register::<Text>();
    server.reset();
    let m = server.message(&w, &|_, e| e != hidden, &|_, c| !c.ends_with("::B"));
    let mut client = ReplicationClient::new();
    client.apply(&m, &mut c).unwrap();
    assert_eq!(c.get::<Ref>(client.local(seen).unwrap()), Some(&Ref(Entity::NULL)));
}

#[test]
fn b63b_decoders_never_panic() {
    // Noise, and good input damaged in every way we know, to every decoder. `LOCKSTEP_ECS_FUZZ=n` for more rounds.
    let rounds = std::env::var("LOCKSTEP_ECS_FUZZ").ok().and_then(|v| v.parse().ok());
    let (mut w, mut s) = run(2);
    let old = w.snapshot().unwrap();
    s.run(&mut w).unwrap();
    let new = w.snapshot().unwrap();
    let mut recorder = Replay::<u32>::start(&w, 5).unwrap();
    for i in 0..4 {
        recorder.step(&mut w, &mut s, i, |w, i| feed(w, &[*i])).unwrap();
    }
    let mut server = ReplicationServer::new();
    let mut commands = CommandStream::new();
    let e = commands.spawn();
    commands.insert(e, &A(3));
    commands.insert(e, &Text("some text".to_owned()));
    commands.remove::<A>(e);
    commands.despawn(e);
    let good: Vec<Vec<u8>> = vec![
        new.to_bytes(),
        old.delta_to(&new).to_bytes(),
        recorder.to_bytes(),
        server.message(&w, &|_, _| true, &|_, _| true),
        commands.as_bytes().to_vec(),
    ];
    let (mut target, _) = fresh();
    target.register::<Text>();
    let mut decode = |bytes: &[u8]| {
        let _ = Snapshot::from_bytes(bytes);
        if let Ok(delta) = Delta::from_bytes(bytes) {
            let _ = old.apply(&delta);
            let _ = new.apply(&delta);
        }
        let _ = Replay::<u32>::from_bytes(bytes);
        let _ = ReplicationClient::new().apply(bytes, &mut target);
        let stream = CommandStream::from_bytes(bytes);
        let _ = stream.records().map(|r| r.len());
        let _ = target.apply_stream(&stream);
        let mut r = Reader::new(bytes);
        let _ = Vec::<String>::decode(&mut r);
        let _ = <(Option<u64>, Entity, [bool; 3], char)>::decode(&mut r);
    };
    good.iter().for_each(|bytes| decode(bytes));
    let mut r = Rng(0x63b);
    for round in 0..rounds.unwrap_or(600) {
        let mut bytes = match round % 6 {
            0 => (0..r.below(200)).map(|_| r.next() as u8).collect(),
            k => good[k - 1].clone(),
        };
        for _ in 0..r.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = r.below(bytes.len());
            match r.below(5) {
                0 => bytes[at] = r.next() as u8,
                1 => bytes[at] ^= 1 << r.below(8),
                2 => bytes.truncate(at),
                3 => bytes.insert(at, r.next() as u8),
                // A length that lies.
                _ => (at..(at + 4).min(bytes.len())).for_each(|k| bytes[k] = 0xff),
            }
        }
        // Half of the time with a checksum that is right, so that the damage gets past it.
        if r.below(2) == 0 && bytes.len() > 8 {
            let body = bytes.len() - 8;
            let sum = xxhash(&bytes[..body]);
            bytes[body..].copy_from_slice(&sum.to_le_bytes());
        }
        decode(&bytes);
    }
}

#[test]
fn b66c_rollback_to_before_the_first_frame() {
    // What systems remember did not exist when the image was taken: it must begin again.
    fn count(mut turn: Local<u32>, q: Query<&A, Added<A>>, mut log: ResMut<Log>) {
        *turn += 1;
        log.0.push(u64::from(*turn) << 32 | q.count() as u64);
    }
    modes::all(|x| {
        let mut w = World::new();
        w.insert_resource(Log::default());
        w.spawn_batch((0..100).map(A));
        let mut image = Image::new();
        image.capture(&mut w).unwrap();
        let saved = w.snapshot().unwrap();
        let mut s = Schedule::default();
        s.add(count);
        s.set_executor(x);
        let mut logs = Vec::new();
        for round in 0..3 {
            for _ in 0..2 {
                s.run(&mut w).unwrap();
            }
            logs.push(w.resource::<Log>().unwrap().0.clone());
            if round == 0 {
                assert!(image.restore(&mut w));
            } else {
                w.restore(&saved).unwrap();
            }
        }
        assert_eq!(logs[0], [1 << 32 | 100, 2 << 32]);
        assert_eq!(logs[1], logs[0]);
        assert_eq!(logs[2], logs[0]);
        logs
    });
}

#[test]
fn b66b_rollback_allocates_nothing() {
    let mut w = World::new();
    w.spawn_batch((0..100_000).map(|i| (A(i), B(i), X(i as f32), C(i))));
    let mut q = QueryState::<(&mut A, &mut B, &mut X, &mut C)>::new(&mut w);
    let mut image = Image::new();
    let mut there_and_back = |w: &mut World| {
        image.capture(w).unwrap();
        q.query(w).for_each(|(a, b, x, c)| {
            (a.0, b.0, x.0, c.0) = (a.0 ^ 1, b.0 ^ 2, x.0 + 1.0, c.0 ^ 3);
        });
        assert!(image.restore(w));
        image.copied()
    };
    let hash = w.hash();
    there_and_back(&mut w);
    there_and_back(&mut w);
    let before = allocations();
    let copied = there_and_back(&mut w);
    assert_eq!(allocations(), before, "capture or restore allocated");
    // Everything was written, so everything was copied back: four columns of four bytes.
    assert_eq!(copied, 100_000 * 16);
    assert_eq!(w.state_hash(), hash);
}

#[test]
fn b66_rollback_is_handle_stable() {
    modes::all(|x| {
        let (mut w, mut s) = run(2);
        s.set_executor(x);
        let handles: Vec<Entity> = w.entities().collect();
        let mut image = Image::new();
        image.capture(&mut w).unwrap();
        let mut first = Vec::new();
        for _ in 0..4 {
            s.run(&mut w).unwrap();
            first.push((w.hash(), w.entities().collect::<Vec<_>>()));
        }
        let end = w.snapshot().unwrap().to_bytes();
        for round in 0..2 {
            assert!(image.restore(&mut w));
            assert_eq!(w.entities().collect::<Vec<_>>(), handles);
            if round == 1 {
                // On purpose: a world that differs must not pass.
                w.get_mut::<A>(handles[3]).unwrap().0 ^= 1;
            }
            let mut second = Vec::new();
            for _ in 0..4 {
                s.run(&mut w).unwrap();
                second.push((w.hash(), w.entities().collect::<Vec<_>>()));
            }
            assert_eq!(second == first, round == 0);
            assert_eq!(w.snapshot().unwrap().to_bytes() == end, round == 0);
        }
        first
    });
}

fn feed(w: &mut World, inputs: &[u32]) {
    w.insert_resource(Input(inputs.iter().fold(7, |a, b| a * 31 + b)));
}

#[test]
fn b67_sessions_predict_and_correct() {
    let input = |p: usize, f: u64| (mix(f / 5 * 2 + p as u64) % 3) as u32;
    // What all inputs known in time would have given.
    let (mut w, mut s) = run(0);
    let mut want = Vec::new();
    for f in 0..30 {
        feed(&mut w, &[input(0, f), input(1, f)]);
        s.run(&mut w).unwrap();
        want.push(w.hash());
    }
    let (mut w, mut s) = run(0);
    let mut session = Session::<u32>::new(2, 8, feed);
    for f in 0..30u64 {
        session.add_input(0, f, input(0, f)).unwrap();
        if f >= 5 {
            session.add_input(1, f - 5, input(1, f - 5)).unwrap();
        }
        session.advance(&mut w, &mut s).unwrap();
        assert_eq!(session.hash(f), Some(FrameHash::Predicted));
    }
    for f in 25..30 {
        session.add_input(1, f, input(1, f)).unwrap();
    }
    session.correct(&mut w, &mut s).unwrap();
    assert_eq!(w.hash(), want[29]);
    for f in 0..30u64 {
        assert_eq!(
            session.hash(f),
            Some(FrameHash::Confirmed(Confirmed(want[f as usize]))),
            "frame {f}"
        );
    }
    let stats = session.stats();
    assert!(stats.rollbacks > 2 && stats.resimulated < 60, "{stats:?}");
    // Right guesses cost nothing.
    let (mut w, mut s) = run(0);
    let mut session = Session::<u32>::new(1, 4, feed);
    for f in 0..20u64 {
        session.advance(&mut w, &mut s).unwrap();
        if f >= 2 {
            session.add_input(0, f - 2, 0).unwrap();
        }
    }
    assert_eq!(session.stats().rollbacks, 0);
    // Too late: nothing changes.
    let before = w.hash();
    assert!(matches!(session.add_input(0, 3, 9), Err(SessionError::Contradiction { .. })));
    let mut session = Session::<u32>::new(1, 4, feed);
    for _ in 0..20 {
        session.advance(&mut w, &mut s).unwrap();
    }
    let now = w.hash();
    assert!(matches!(
        session.add_input(0, 3, 9),
        Err(SessionError::TooDeep { frame: 3, oldest: 16 })
    ));
    session.correct(&mut w, &mut s).unwrap();
    assert_eq!(w.hash(), now);
    assert_ne!(before, now);
}

#[test]
fn b68_replays_reproduce_every_hash() {
    let (mut w, mut s) = run(1);
    let mut replay = Replay::start(&w, 68).unwrap();
    for f in 0..12u32 {
        replay.step(&mut w, &mut s, f % 4, |w, i| w.insert_resource(Input(*i))).unwrap();
    }
    let bytes = replay.to_bytes();
    let replay = Replay::<u32>::from_bytes(&bytes).unwrap();
    assert_eq!(replay.len(), 12);
    for (name, x) in modes::executors() {
        let (mut w, mut s) = fresh();
        s.set_executor(x);
        replay
            .verify(&mut w, &mut s, |w, i| w.insert_resource(Input(*i)))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let (mut w, mut s) = fresh();
    let mut n = 0;
    let error = replay.verify(&mut w, &mut s, |w, i| {
        n += 1;
        w.insert_resource(Input(if n == 6 { 99 } else { *i }));
    });
    assert!(matches!(error, Err(ReplayError::Differs { frame: 5, .. })));
}

#[test]
fn b68b_divergence_is_found_to_the_value() {
    fn steady(mut q: Query<&mut X>) {
        q.for_each(|x| x.0 += 1.0);
    }
    fn buggy(mut q: Query<(Entity, &mut A)>, i: Res<Input>, mut n: Local<u32>) {
        *n += 1;
        for (e, a) in &mut q {
            a.0 += 1;
            if i.0 == 1 && *n == 4 && e.index() == 37 {
                a.0 += 100;
            }
        }
    }
    let make = |bug: u32| {
        let mut w = World::new();
        w.insert_resource(Input(0));
        w.insert_resource(Log::default());
        w.spawn_batch((0..100).map(|i| (A(i), X(0.0))));
        let mut s = Schedule::default();
        s.add(steady);
        s.add(buggy).after("steady");
        (w, s, bug)
    };
    let (mut w1, mut s1, _) = make(0);
    let (mut w2, mut s2, bug) = make(1);
    // The trigger is not part of the state's difference: both worlds say the same until the bug strikes.
    let mut f1 = |w: &mut World, _: u64| w.insert_resource(Input(0));
    let mut f2 = |w: &mut World, n: u64| {
        let _ = n;
        w.insert_resource(Input(0));
    };
    assert_eq!(
        find_divergence(3, (&mut w1, &mut s1, &mut f1), (&mut w2, &mut s2, &mut f2)),
        Ok(None)
    );
    let mut s3 = Schedule::default();
    fn with_bug(mut q: Query<(Entity, &mut A)>, mut n: Local<u32>) {
        *n += 1;
        for (e, a) in &mut q {
            a.0 += if *n == 4 && e.index() == 37 { 101 } else { 1 };
        }
    }
    assert_eq!(bug, 1);
    fn without_bug(mut q: Query<(Entity, &mut A)>, mut n: Local<u32>) {
        *n += 1;
        q.for_each(|(_, a)| a.0 += 1);
    }
    let fresh = || make(0).0;
    let mut s4 = Schedule::default();
    s3.add(steady);
    s3.add(with_bug).name("suspect").after("steady");
    s4.add(steady);
    s4.add(without_bug).name("suspect").after("steady");
    let (mut w3, mut w4) = (fresh(), fresh());
    let mut nop = |_: &mut World, _: u64| {};
    let mut nop2 = |_: &mut World, _: u64| {};
    let d = find_divergence(9, (&mut w3, &mut s3, &mut nop), (&mut w4, &mut s4, &mut nop2))
        .unwrap()
        .unwrap();
    assert_eq!((d.frame, d.wave, d.systems.as_slice()), (3, Some(1), &["suspect".to_owned()][..]));
    assert_eq!(d.difference.entity.unwrap().index(), 37);
    assert!(d.difference.component.as_deref().unwrap().ends_with("::A"));
    assert_eq!((d.difference.left.as_str(), d.difference.right.as_str()), ("A(141)", "A(41)"));
    assert!(d.to_string().contains("suspect") && d.to_string().contains("37v0"));
}

#[test]
fn b69_plans_explain_themselves() {
    fn input(_: ResMut<Input>) {}
    fn movement(_: Query<(&mut X, &A)>, _: Res<Input>) {}
    fn sound(_: NonSend<u8>, _: Query<&X>) {}
    fn collect(_: &mut World) {}
    fn count(_: Query<&A>) {}
    fn spoil(_: Query<&mut A>) {}
    let mut w = World::new();
    let mut s = Schedule::new("game");
    s.add(input);
    s.add(movement).in_set("sim");
    s.add(sound).after("sim");
    s.add(count);
    s.add(spoil);
    s.add(collect);
    s.build(&mut w).unwrap();
    let x = s.explain();
    expect![[r#"
        schedule game
        wave 0
          input
          count
          -- commit
        wave 1
          movement  (after input: the resource it::kit::Input)
          -- commit
        wave 2
          sound [main thread]  (after movement: sound is declared after the set sim)
          spoil  (after movement: the component it::kit::A)
          -- commit
        wave 3
          collect [exclusive]  (after sound: exclusive access to the world)
          -- commit
        decided by registration order
          input before movement: the resource it::kit::Input
          input before collect: exclusive access to the world
          movement before spoil: the component it::kit::A
          movement before collect: exclusive access to the world
          sound before collect: exclusive access to the world
          count before spoil: the component it::kit::A
          count before collect: exclusive access to the world
          spoil before collect: exclusive access to the world
    "#]]
    .assert_eq(&x.to_text());
    assert!(x.to_dot().starts_with("digraph") && x.to_dot().contains("s1 -> s2"));
    assert!(x.to_svg().contains("<svg") && x.to_svg().contains("movement"));
    assert_eq!(x.conflicts.len(), 9);
    // Timings by the caller's clock, as trace events.
    let now = std::sync::atomic::AtomicU64::new(0);
    s.set_clock(Arc::new(move || now.fetch_add(500, std::sync::atomic::Ordering::Relaxed)));
    w.insert_resource(Input(0));
    w.insert_non_send(1u8);
    let report = s.run(&mut w).unwrap();
    assert_eq!(report.timings.len(), 6);
    let mut log = schedule::TraceLog::new();
    log.add(&s, &report);
    assert!(log.to_json().contains("{\"name\":\"input\",\"cat\":\"system\",\"ph\":\"X\",\"pid\":1,\"tid\":0,\"ts\":0.000,\"dur\":0.500"));
}

#[test]
fn b70_inspection_equals_a_model_and_changes_nothing() {
    let (mut w, mut s) = run(3);
    s.run(&mut w).unwrap();
    let (hash, tick, snap) = (w.state_hash(), w.tick(), w.snapshot().unwrap());
    let i = w.inspect();
    assert_eq!(i.entities, w.entities().count());
    assert_eq!(i.archetypes.iter().map(|a| a.rows).sum::<usize>(), i.entities);
    let count = |f: &dyn Fn(Entity) -> bool| w.entities().filter(|&e| f(e)).count();
    let with = |name: &str| {
        let has = |a: &&ArchetypeNote| a.components.iter().any(|c| c.ends_with(name));
        i.archetypes.iter().filter(has).map(|a| a.rows).sum::<usize>()
    };
    assert_eq!(with("::A"), count(&|e| w.has::<A>(e)));
    assert_eq!(with("::B"), count(&|e| w.has::<B>(e)));
    assert_eq!(i.sparse[0].1, count(&|e| w.has::<S>(e)));
    for a in &i.archetypes {
        let size = |c: &str| match c.rsplit("::").next() {
            Some("A" | "B" | "X") => 4,
            Some("Ref") => 8,
            _ => 0,
        };
        let row: usize = 8 + a.components.iter().map(|c| size(c)).sum::<usize>();
        assert_eq!(a.bytes, a.rows * row, "{:?}", a.components);
    }
    assert_eq!(
        i.pairs.iter().map(|p| p.1).sum::<usize>(),
        w.pair_count::<Likes>() + w.pair_count::<ChildOf>()
    );
    let e = w.entities().next().unwrap();
    assert!(w.show(e, "it::kit::A").unwrap().starts_with("A("));
    assert_eq!((w.state_hash(), w.tick()), (hash, tick));
    assert_eq!(w.snapshot().unwrap(), snap);
}
