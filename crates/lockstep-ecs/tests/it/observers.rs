//! Behaviours 22 to 32: observers, relations, prefabs, events.

use crate::kit::*;
use crate::modes;
use lockstep_ecs::*;
use std::collections::BTreeSet;

fn record(w: &mut World) {
    w.insert_resource(Log::default());
    fn note<T>(t: &mut Trigger<'_, T>, kind: u64, v: u64) {
        let e = t.entity().to_bits();
        t.resource_mut::<Log>().unwrap().0.push(kind << 60 ^ e << 8 ^ v);
    }
    w.on_add::<B>(|t| {
        let v = u64::from(t.value().map_or(0, |b| b.0));
        note(t, 1, v);
    });
    w.on_remove::<B>(|t| {
        let v = u64::from(t.value().unwrap().0);
        note(t, 2, v);
    });
    w.on_change::<B>(|t| {
        let v = u64::from(t.value().map_or(0, |b| b.0));
        note(t, 3, v);
    });
    w.on_add::<S>(|t| {
        let v = u64::from(t.value().map_or(0, |b| b.0));
        note(t, 4, v);
    });
    w.on_remove::<S>(|t| {
        let v = u64::from(t.value().unwrap().0);
        note(t, 5, v);
    });
}

#[test]
fn b22_observers_fire_once_in_one_order() {
    fn touch(mut q: Query<(&mut B, Entity)>) {
        q.par_for_each(|(b, e)| b.0 ^= e.index() & 7);
    }
    let out = modes::frames(
        4,
        |w, s| {
            busy(w, s);
            record(w);
            s.add(touch).before("busy_edit");
        },
        |w| std::mem::take(&mut w.resource_mut::<Log>().unwrap().0),
    );
    // Counted against what must have happened: every B of the start changes in frame 1.
    let changes = out[0].iter().filter(|x| **x >> 60 == 3).count();
    assert!(changes >= 200, "{changes}");
    assert!(out[1].iter().any(|x| *x >> 60 == 1) && out[1].iter().any(|x| *x >> 60 == 4));
}

#[test]
fn b23_last_values_survive_a_reminted_slot() {
    let mut w = World::new();
    let e = w.spawn((B(42), Text("last words".into()), S(7)));
    w.insert_resource(Log::default());
    w.on_remove::<B>(move |t| {
        assert_eq!((t.entity(), t.value().unwrap().0), (e, 42));
        // The slot belongs to somebody else by now.
        assert!(t.world().get::<B>(e).is_none());
        t.resource_mut::<Log>().unwrap().0.push(1);
    });
    w.on_remove::<Text>(|t| assert_eq!(t.value().unwrap().0, "last words"));
    w.on_remove::<S>(|t| {
        assert_eq!(t.value().unwrap().0, 7);
        t.resource_mut::<Log>().unwrap().0.push(2);
    });
    let n = w
        .commands(|c| {
            c.despawn(e);
            c.run(|w, _| {
                let n = w.spawn(B(1));
                assert_eq!(n.index(), 0);
            });
        })
        .map(|()| w.entity_count());
    assert_eq!(n, Ok(1));
    assert_eq!(w.resource::<Log>().unwrap().0, [1, 2]);
}

#[test]
fn b24_handlers_stage_and_may_panic() {
    let mut w = World::new();
    w.insert_resource(Log::default());
    w.on_add::<A>(|t| {
        let (e, n) = (t.entity(), t.value().map_or(0, |a| a.0));
        t.resource_mut::<Log>().unwrap().0.push(u64::from(n));
        if n > 0 {
            let c = t.commands().spawn(A(n - 1));
            t.commands().insert(e, Ref(c));
        }
        assert!(t.world().get::<Ref>(e).is_none(), "staged, not done");
    });
    let e = w.spawn(A(3));
    assert_eq!(w.resource::<Log>().unwrap().0, [3, 2, 1, 0]);
    let next = w.get::<Ref>(e).unwrap().0;
    assert_eq!(w.get::<A>(next), Some(&A(2)));

    fn spawn_many(mut c: Commands) {
        for i in 0..4 {
            c.spawn(B(i));
        }
    }
    modes::all(|x| {
        let mut w = World::new();
        w.insert_resource(Log::default());
        w.on_add::<B>(|t| {
            let b = t.value().unwrap().0;
            assert!(b != 1, "one is bad");
            t.resource_mut::<Log>().unwrap().0.push(u64::from(b));
        });
        let mut s = Schedule::default();
        s.add(spawn_many);
        s.set_executor(x);
        let error = s.run(&mut w).unwrap_err();
        assert_eq!(error.kind, FrameErrorKind::Commit("one is bad".into()));
        // The others were told, and the world works.
        assert_eq!(w.resource::<Log>().unwrap().0, [0, 2, 3]);
        assert_eq!(w.entity_count(), 4);
        w.spawn(B(9));
        (error, w.hash(), w.resource::<Log>().unwrap().0.clone())
    });
}

#[test]
fn b25_relations_add_remove_has() {
    let mut w = World::new();
    let es: Vec<Entity> = (0..4).map(|i| w.spawn(A(i))).collect();
    assert!(!w.has::<Linked<Likes>>(es[0]));
    assert!(w.relate(es[0], Likes(5), es[1]));
    assert!(w.relate(es[0], Likes(6), es[2]));
    assert!(w.has::<Linked<Likes>>(es[0]) && w.has_pair::<Likes>(es[0], es[1]));
    assert_eq!(w.payload::<Likes>(es[0], es[2]), Some(&Likes(6)));
    w.relate(es[0], Likes(7), es[2]);
    assert_eq!(w.payload::<Likes>(es[0], es[2]), Some(&Likes(7)));
    assert_eq!(w.targets::<Likes>(es[0]).map(|t| t.0).collect::<Vec<_>>(), [es[1], es[2]]);
    assert!(w.unrelate::<Likes>(es[0], es[1]) && !w.unrelate::<Likes>(es[0], es[1]));
    assert!(w.has::<Linked<Likes>>(es[0]));
    w.despawn(es[2]);
    assert!(!w.has::<Linked<Likes>>(es[0]), "present iff there is a pair");
    assert_eq!(w.pair_count::<Likes>(), 0);
    assert!(!w.relate(es[0], Likes(1), es[2]), "a dead target");
}

#[test]
fn b26_exclusive_relations_retarget_in_place() {
    let mut w = World::new();
    w.insert_resource(Log::default());
    let es: Vec<Entity> = (0..5).map(|i| w.spawn(A(i))).collect();
    w.on_unrelate::<ChildOf>(|t| {
        let x = u64::from(t.target().index());
        t.resource_mut::<Log>().unwrap().0.push(100 + x);
    });
    w.on_relate::<ChildOf>(|t| {
        let x = u64::from(t.target().index());
        t.resource_mut::<Log>().unwrap().0.push(200 + x);
    });
    w.relate(es[4], ChildOf, es[0]);
    let at = std::ptr::from_ref(w.get::<A>(es[4]).unwrap());
    let archetypes = w.inspect().archetypes;
    w.relate(es[4], ChildOf, es[1]);
    assert!(std::ptr::eq(at, w.get::<A>(es[4]).unwrap()), "no row moved");
    assert_eq!(w.inspect().archetypes, archetypes);
    assert_eq!(w.resource::<Log>().unwrap().0, [200, 100, 201]);
    assert_eq!(w.target::<ChildOf>(es[4]), Some(es[1]));
    let mut q = QueryState::<Entity>::new(&mut w);
    assert_eq!(q.query_ref(&w).related_to::<ChildOf>(es[0]).count(), 0);
    assert_eq!(q.query_ref(&w).related_to::<ChildOf>(es[1]).collect::<Vec<_>>(), [es[4]]);
}

#[test]
fn b27_wildcard_and_reverse_equal_a_model() {
    let mut w = World::new();
    let es: Vec<Entity> = (0..60).map(|i| w.spawn(A(i))).collect();
    let mut model: Vec<(Entity, Entity, u32)> = Vec::new();
    let mut r = Rng(27);
    for step in 0..4000u32 {
        let (s, t) = (es[r.below(60)], es[r.below(60)]);
        if r.below(3) > 0 {
            w.relate(s, Likes(step), t);
            match model.iter_mut().find(|m| (m.0, m.1) == (s, t)) {
                Some(m) => m.2 = step,
                None => model.push((s, t, step)),
            }
        } else {
            assert_eq!(w.unrelate::<Likes>(s, t), model.iter().any(|m| (m.0, m.1) == (s, t)));
            model.retain(|m| (m.0, m.1) != (s, t));
        }
    }
    for &e in &es {
        let reverse: Vec<Entity> = w.subjects::<Likes>(e).collect();
        assert_eq!(reverse, model.iter().filter(|m| m.1 == e).map(|m| m.0).collect::<Vec<_>>());
        let forward: Vec<(Entity, u32)> = w.targets::<Likes>(e).map(|(t, l)| (t, l.0)).collect();
        let want: Vec<_> = model.iter().filter(|m| m.0 == e).map(|m| (m.1, m.2)).collect();
        assert_eq!(forward, want);
    }
    let mut q = QueryState::<(Entity, PairsOf<Likes>)>::new(&mut w);
    let any: BTreeSet<Entity> = q
        .query_ref(&w)
        .iter()
        .map(|(e, pairs)| {
            assert_eq!(pairs.count(), model.iter().filter(|m| m.0 == e).count());
            e
        })
        .collect();
    assert_eq!(any, model.iter().map(|m| m.0).collect());
}

#[test]
fn b28_cascades_end() {
    // A chain of 100,000.
    let mut w = World::new();
    let mut last = w.spawn(A(0));
    let root = last;
    for i in 1..100_000 {
        let e = w.spawn(A(i));
        w.relate(e, ChildOf, last);
        last = e;
    }
    w.insert_resource(Log::default());
    let other = w.spawn(B(1));
    w.relate(other, Likes(1), last);
    w.despawn(root);
    assert_eq!((w.entity_count(), w.pair_count::<ChildOf>(), w.pair_count::<Likes>()), (1, 0, 0));
    // A circle: each once.
    w.on_remove::<A>(|t| {
        let e = t.entity().to_bits();
        t.resource_mut::<Log>().unwrap().0.push(e);
    });
    let es: Vec<Entity> = (0..10).map(|i| w.spawn(A(i))).collect();
    for i in 0..10 {
        w.relate(es[i], ChildOf, es[(i + 1) % 10]);
    }
    w.despawn(es[3]);
    let mut log = w.resource::<Log>().unwrap().0.clone();
    assert_eq!(log.len(), 10);
    log.sort_unstable();
    log.dedup();
    assert_eq!(log.len(), 10);
    assert_eq!((w.entity_count(), w.pair_count::<ChildOf>()), (1, 0));
}

#[test]
fn b29_hierarchy_depth_and_order() {
    let mut w = World::new();
    let es: Vec<Entity> = (0..8).map(|i| w.spawn(A(i))).collect();
    for (c, p) in [(1, 0), (2, 0), (3, 1), (4, 1), (5, 2), (6, 5), (7, 6)] {
        w.relate(es[c], ChildOf, es[p]);
    }
    let order = |w: &World| {
        let d = w.depth_order::<ChildOf>().unwrap();
        d.iter().map(|(e, _)| e.index()).collect::<Vec<_>>()
    };
    assert_eq!(order(&w), [0, 1, 2, 3, 4, 5, 6, 7]);
    w.relate(es[5], ChildOf, es[4]); // in the middle of a chain
    assert_eq!(order(&w), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(w.depth::<ChildOf>(es[7]), Ok(5));
    let mut down = Vec::new();
    w.walk_down::<ChildOf>(es[0], |e, d| down.push((e.index(), d)));
    assert_eq!(down, [(0, 0), (1, 1), (3, 2), (4, 2), (5, 3), (6, 4), (7, 5), (2, 1)]);
    w.relate(es[0], ChildOf, es[7]);
    let cycle = w.depth_order::<ChildOf>().unwrap_err();
    assert_eq!(cycle.members.len(), 6);
    assert!(cycle.to_string().contains("circle"));
    assert!(w.depth::<ChildOf>(es[3]).is_err());
}

#[test]
fn b30_prefabs() {
    let mut w = World::new();
    let prefab = w.spawn((Prefab, A(1), Text("orc".into()), S(4)));
    let weapon = w.spawn((Prefab, B(2), Ref(prefab)));
    w.relate(weapon, ChildOf, prefab);
    let mut all = QueryState::<Entity>::new(&mut w);
    let mut templates = QueryState::<Entity, With<Prefab>>::new(&mut w);
    assert_eq!(all.query_ref(&w).count(), 0);
    assert_eq!(templates.query_ref(&w).count(), 2);
    let one = w.instantiate::<ChildOf>(prefab, (A(9), C(3))).unwrap().unwrap();
    assert_eq!(
        (w.get::<A>(one), w.get::<C>(one), w.get::<S>(one)),
        (Some(&A(9)), Some(&C(3)), Some(&S(4)))
    );
    assert_eq!(w.get::<Text>(one), Some(&Text("orc".into())));
    assert!(!w.has::<Prefab>(one));
    let kids: Vec<Entity> = w.subjects::<ChildOf>(one).collect();
    assert_eq!(kids.len(), 1);
    assert_eq!((w.get::<B>(kids[0]), w.get::<Ref>(kids[0])), (Some(&B(2)), Some(&Ref(one))));
    assert_eq!(all.query_ref(&w).count(), 2);
    let copy = w.clone_entity(one).unwrap().unwrap();
    assert_eq!((w.get::<A>(copy), w.get::<Text>(copy)), (Some(&A(9)), Some(&Text("orc".into()))));
    fn many(q: Query<Entity, With<Prefab>>, mut c: Commands) {
        for e in &q {
            c.instantiate::<ChildOf, _>(e, A(100));
            c.clone_entity(e);
        }
    }
    modes::frames(
        3,
        |w, s| {
            let p = w.spawn((Prefab, A(1), Text("orc".into())));
            let k = w.spawn((Prefab, B(1)));
            w.relate(k, ChildOf, p);
            s.add(many);
        },
        |w| w.entity_count(),
    );
}

#[test]
fn b31_events() {
    fn send_a(mut w: EventWriter<Ping>) {
        w.send(Ping(10));
        w.send(Ping(11));
    }
    fn send_b(mut w: EventWriter<Ping>, mut c: Commands, q: Query<&A>) {
        for a in &q {
            w.send(Ping(20 + a.0));
        }
        c.send(Ping(30));
    }
    fn read(mut r: EventReader<Ping>, mut log: ResMut<Log>) {
        log.0.push(1000 + r.missed());
        log.0.extend(r.read().map(|p| u64::from(p.0)));
        assert!(r.is_empty());
    }
    fn late(mut r: EventReader<Ping>, mut log: ResMut<Log>) {
        log.0.push(5000 + r.missed());
        log.0.push(6000 + r.read().count() as u64);
    }
    fn third(n: Local<u32>) -> bool {
        let mut n = n;
        *n += 1;
        *n == 4
    }
    let out = modes::frames(
        4,
        |w, s| {
            w.insert_resource(Log::default());
            w.spawn_batch((0..2).map(A));
            s.add(send_a);
            s.add(send_b);
            s.add(read).after("send_a").after("send_b");
            s.add(late).after("read").run_if(third);
        },
        |w| std::mem::take(&mut w.resource_mut::<Log>().unwrap().0),
    );
    let frame = [1000, 10, 11, 20, 21, 30];
    assert_eq!(out[0], frame);
    assert_eq!(out[1], frame);
    // Five events a frame; two frames are kept, two are missed.
    let mut last = frame.to_vec();
    last.extend([5010, 6010]);
    assert_eq!(out[3], last);
}

#[test]
fn b32_events_from_outside_come_first() {
    fn send(mut w: EventWriter<Ping>) {
        w.send(Ping(2));
    }
    fn early(mut r: EventReader<Ping>, mut log: ResMut<Log>) {
        log.0.extend(r.read().map(|p| u64::from(p.0)));
    }
    modes::all(|x| {
        let mut w = World::new();
        w.insert_resource(Log::default());
        let mut s = Schedule::default();
        s.add(early);
        s.add(send).after("early");
        s.add(early).name("again").after("send");
        s.set_executor(x);
        w.send(Ping(1));
        s.run(&mut w).unwrap();
        assert_eq!(w.resource::<Log>().unwrap().0, [1, 1, 2]);
        w.hash()
    });
}
