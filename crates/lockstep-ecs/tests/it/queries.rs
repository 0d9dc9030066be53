//! Behaviours 12 to 21: queries, filters, change detection.

use crate::kit::*;
use crate::modes;
use lockstep_ecs::*;

fn mixed(n: u32) -> World {
    let mut w = World::new();
    for i in 0..n {
        let h = mix(u64::from(i));
        let e = w.spawn(A(i));
        if h & 1 != 0 {
            w.insert(e, B(i));
        }
        if h & 2 != 0 {
            w.insert(e, C(i));
        }
        if h & 4 != 0 {
            w.insert(e, S(i));
        }
        if h & 8 != 0 {
            w.insert(e, Tag);
        }
    }
    w
}

#[test]
fn b12_terms_equal_brute_force() {
    let mut w = mixed(3000);
    macro_rules! check {
        ($d:ty, $f:ty, |$w:ident, $e:ident| $keep:expr) => {{
            let mut q = QueryState::<(Entity, $d), $f>::new(&mut w);
            let got: Vec<Entity> = q.query_ref(&w).iter().map(|x| x.0).collect();
            let $w = &w;
            let want: Vec<Entity> = w.entities().filter(|&$e| $keep).collect();
            assert_eq!(got, want, "{} {}", stringify!($d), stringify!($f));
            assert_eq!(q.query_ref(&w).count(), want.len());
            for e in w.entities() {
                assert_eq!(q.query_ref(&w).contains(e), want.contains(&e));
            }
        }};
    }
    check!(&A, With<B>, |w, e| w.has::<B>(e));
    check!(&A, (With<B>, Without<C>), |w, e| w.has::<B>(e) && !w.has::<C>(e));
    check!(&S, Without<Tag>, |w, e| w.has::<S>(e) && !w.has::<Tag>(e));
    check!((&B, Option<&C>), Without<S>, |w, e| w.has::<B>(e) && !w.has::<S>(e));
    check!(&A, Or<(With<B>, With<S>)>, |w, e| w.has::<B>(e) || w.has::<S>(e));
    check!(&A, Or<(Without<B>, With<Tag>)>, |w, e| !w.has::<B>(e) || w.has::<Tag>(e));
    check!(&A, (Or<(With<B>, With<C>)>, Or<(With<S>, Without<Tag>)>), |w, e| {
        (w.has::<B>(e) || w.has::<C>(e)) && (w.has::<S>(e) || !w.has::<Tag>(e))
    });
    check!((&A, Option<&S>, Has<Tag>), (With<C>, With<S>), |w, e| w.has::<C>(e) && w.has::<S>(e));
    let mut q = QueryState::<(Entity, Option<&S>, Has<Tag>, Option<&B>)>::new(&mut w);
    for (e, s, t, b) in &q.query_ref(&w) {
        assert_eq!((s, t, b), (w.get::<S>(e), w.has::<Tag>(e), w.get::<B>(e)));
    }
}

#[test]
fn b13_permuted_terms_share_one_match_set() {
    let mut w = mixed(10);
    let a = QueryState::<(&A, &B), Without<C>>::new(&mut w).match_set();
    let b = QueryState::<(&B, &A), Without<C>>::new(&mut w).match_set();
    let c = QueryState::<&mut B, (Without<C>, With<A>, With<A>)>::new(&mut w).match_set();
    let d = QueryState::<(&A, &B), Without<Tag>>::new(&mut w).match_set();
    let e = QueryState::<&A, Or<(With<B>, With<C>)>>::new(&mut w).match_set();
    let f = QueryState::<&A, Or<(With<C>, With<B>, With<C>)>>::new(&mut w).match_set();
    assert!(a == b && b == c && e == f);
    assert!(a != d && a != e);
}

#[test]
fn b14_matching_costs_archetypes_not_entities() {
    let count = |n: u32| {
        let mut w = mixed(n);
        let mut q = QueryState::<&A, With<B>>::new(&mut w);
        for _ in 0..10 {
            q.query_ref(&w).iter().count();
        }
        (q.archetype_tests(&w), w.inspect().archetypes.len() as u64)
    };
    let (small, archetypes) = count(200);
    assert_eq!(small, archetypes);
    assert_eq!(count(20_000).0, small);
}

#[test]
fn b15_iteration_order_is_archetype_then_row() {
    fn look(q: Query<(Entity, &A)>, mut log: ResMut<Log>) {
        log.0 = q.iter().map(|(e, a)| e.to_bits() ^ u64::from(a.0) << 40).collect();
    }
    let out = modes::frames(
        5,
        |w, s| {
            busy(w, s);
            s.add(look).name("look").after("busy_relate").after("busy_listen");
        },
        |w| {
            // The world's own order: tables in order of creation, rows in order within them.
            let mut by_table = Vec::new();
            let mut q = QueryState::<(Entity, &A)>::new(w);
            let q = q.query_ref(w);
            q.chunks().for_each(|(ids, _)| by_table.extend_from_slice(ids));
            let order: Vec<Entity> = w.entities().filter(|&e| w.has::<A>(e)).collect();
            assert_eq!(by_table, order);
            assert!(q.iter().map(|x| x.0).eq(order.iter().copied()));
            (w.resource::<Log>().unwrap().0.clone(), order)
        },
    );
    for (log, order) in &out {
        assert!(log.len() > 900);
        // The system is in the last wave but those that change no rows: it saw what is there now.
        assert_eq!(log.len(), order.len());
        assert!(log.iter().zip(order).all(|(l, e)| *l as u32 == e.index()));
    }
}

#[test]
fn b16_edits_while_iterating_are_deferred() {
    fn edit(mut q: Query<(Entity, &mut A)>, mut c: Commands, mut log: ResMut<Log>) {
        let mut visits = Vec::new();
        for (e, a) in &mut q {
            visits.push(e.to_bits());
            a.0 += 1;
            c.spawn(A(0));
            if e.index() % 2 == 0 {
                c.despawn(e);
            }
            c.insert(e, B(1));
        }
        let n = visits.len();
        visits.sort_unstable();
        visits.dedup();
        assert_eq!(visits.len(), n, "no row twice");
        log.0.push(n as u64);
    }
    let out = modes::frames(
        3,
        |w, s| {
            w.insert_resource(Log::default());
            w.spawn_batch((0..200).map(A));
            s.add(edit);
        },
        |w| (w.resource::<Log>().unwrap().0.clone(), w.entity_count()),
    );
    assert_eq!(out[0], (vec![200], 300));
}

#[test]
fn b17_sixteen_terms() {
    let mut w = World::new();
    let e = w.spawn((
        A(0),
        B(1),
        C(2),
        D(3),
        E(4),
        F(5),
        G(6),
        H(7),
        I(8),
        J(9),
        K(10),
        L(11),
        M(12),
        N(13),
        O(14),
        P(15),
    ));
    let mut q =
        QueryState::<(&A, &B, &C, &D, &E, &F, &G, &H, &I, &J, &K, &L, &M, &N, &O, &mut P)>::new(
            &mut w,
        );
    let mut n = 0;
    for (a, b, c, d, e, f, g, h, i, j, k, l, m, n2, o, p) in &mut q.query(&mut w) {
        p.0 += a.0
            + b.0
            + c.0
            + d.0
            + e.0
            + f.0
            + g.0
            + h.0
            + i.0
            + j.0
            + k.0
            + l.0
            + m.0
            + n2.0
            + o.0;
        n += 1;
    }
    assert_eq!((n, w.get::<P>(e)), (1, Some(&P(120))));
}

#[test]
fn b18_added_and_removed_are_net() {
    fn watch(added: Query<Entity, Added<B>>, removed: Removed<B>, mut log: ResMut<Log>) {
        log.0.clear();
        log.0.extend(added.iter().map(Entity::to_bits));
        log.0.push(u64::MAX);
        log.0.extend(removed.iter().map(Entity::to_bits));
    }
    modes::all(|x| {
        let mut w = World::new();
        w.insert_resource(Log::default());
        let es: Vec<Entity> = (0..6).map(|i| w.spawn(A(i))).collect();
        let mut s = Schedule::default();
        s.add(watch);
        s.set_executor(x);
        w.insert(es[0], B(0));
        s.run(&mut w).unwrap();
        assert_eq!(w.resource::<Log>().unwrap().0, [es[0].to_bits(), u64::MAX]);
        s.run(&mut w).unwrap();
        assert_eq!(w.resource::<Log>().unwrap().0, [u64::MAX]);
        w.insert(es[1], B(1));
        w.insert(es[2], B(2));
        w.remove::<B>(es[2]); // came and went: nothing
        w.remove::<B>(es[0]);
        s.run(&mut w).unwrap();
        assert_eq!(w.resource::<Log>().unwrap().0, [es[1].to_bits(), u64::MAX, es[0].to_bits()]);
        w.despawn(es[1]); // the dead handle is kept
        s.run(&mut w).unwrap();
        assert_eq!(w.resource::<Log>().unwrap().0, [u64::MAX, es[1].to_bits()]);
        s.run(&mut w).unwrap();
        assert_eq!(w.resource::<Log>().unwrap().0, [u64::MAX]);
        w.hash()
    });
}

#[test]
fn b19_changed_is_exactly_what_was_written() {
    fn write(mut q: Query<(&mut A, Entity), With<B>>, mut m: Query<Mut<C>>) {
        for (a, e) in &mut q {
            if e.index() % 7 == 0 {
                break; // rows not reached are not written
            }
            a.0 += 1;
        }
        for mut c in &mut m {
            if c.0 % 3 == 0 {
                c.0 += 3;
            }
        }
    }
    fn watch(a: Query<Entity, Changed<A>>, c: Query<Entity, Changed<C>>, mut log: ResMut<Log>) {
        log.0 = a.iter().chain(c.iter()).map(Entity::to_bits).collect();
    }
    modes::all(|x| {
        let mut w = mixed(2000);
        w.insert_resource(Log::default());
        let mut s = Schedule::default();
        s.add(write);
        s.add(watch);
        s.set_executor(x);
        s.run(&mut w).unwrap();
        let since = w.tick();
        w.skip_ticks(1);
        s.run(&mut w).unwrap();
        let log = w.resource::<Log>().unwrap().0.clone();
        let mut want: Vec<u64> = w.changed_since::<A>(since).iter().map(|e| e.to_bits()).collect();
        want.extend(w.changed_since::<C>(since).iter().map(|e| e.to_bits()));
        assert_eq!(log, want);
        let brute: Vec<u64> = w
            .entities()
            .filter(|&e| w.get::<C>(e).is_some_and(|c| c.0 % 3 == 0))
            .map(Entity::to_bits)
            .collect();
        assert!(log.ends_with(&brute), "exactly the thirds of C");
        // Of A those that were handed out: up to the first that ended the loop, and that one.
        let rows = w.entities().filter(|&e| w.has::<B>(e)).map(Entity::to_bits);
        let mut written: Vec<u64> = Vec::new();
        for e in rows {
            written.push(e);
            if Entity::from_bits(e).index() % 7 == 0 {
                break;
            }
        }
        assert_eq!(log[..log.len() - brute.len()], written);
        log
    });
}

#[test]
fn b20_ticks_are_strict_survive_moves_and_do_not_wrap() {
    let mut w = World::new();
    let e = w.spawn(A(1));
    let f = w.spawn(A(2));
    let mut q = QueryState::<Entity, Changed<A>>::new(&mut w);
    let see = |q: &mut QueryState<Entity, Changed<A>>, w: &mut World| {
        q.query(w).iter().collect::<Vec<_>>()
    };
    assert_eq!(see(&mut q, &mut w), [e, f]);
    assert_eq!(see(&mut q, &mut w), []);
    w.get_mut::<A>(f).unwrap().0 = 3;
    w.insert(f, B(1)); // moves the row
    w.insert(e, C(1));
    assert_eq!(see(&mut q, &mut w), [f], "a move keeps the mark and makes none");
    w.skip_ticks(1 << 33);
    assert_eq!(see(&mut q, &mut w), []);
    w.get_mut::<A>(e).unwrap().0 = 9;
    w.skip_ticks(1 << 40);
    assert_eq!(see(&mut q, &mut w), [e]);
}

#[test]
fn b21_no_consumer_no_tracking() {
    let mut w = mixed(3000);
    let mut q = QueryState::<&mut A>::new(&mut w);
    q.query(&mut w).for_each(|a| a.0 += 1);
    assert_eq!(w.inspect().tick_arrays, 0);
    assert!(w.inspect().tracked.is_empty());
    let _ = QueryState::<&B, Changed<A>>::new(&mut w);
    let tracked = w.inspect();
    assert!(tracked.tick_arrays > 0);
    assert_eq!(tracked.tracked.len(), 1);
}
