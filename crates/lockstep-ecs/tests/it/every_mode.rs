//! Behaviours that other files test by direct calls, once more through systems: in serial, with 1, 2, 3, 4 and 8 workers and shuffled.

use crate::kit::*;
use crate::modes;
use lockstep_ecs::*;

/// What a query gives from all workers, merged in order of chunks.
fn gather<D, F>(q: &mut Query<'_, '_, D, F>, bits: impl Fn(D::Item<'_>) -> u64 + Sync) -> Vec<u64>
where
    D: QueryData,
    F: QueryFilter,
{
    let join = |mut a: Vec<u64>, mut b: Vec<u64>| {
        a.append(&mut b);
        a
    };
    q.par_fold(5, Vec::new, |v: &mut Vec<u64>, item| v.push(bits(item)), join).unwrap()
}

#[test]
fn b05_b08_one_table_and_one_move_a_bundle() {
    fn edit(mut q: Query<(Entity, &A)>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (e, a)| match a.0 % 3 {
            0 => drop(c.insert(e, (B(1), C(2), D(3)))),
            1 => drop(c.insert(e, (D(3), B(1), C(2)))),
            _ => drop(c.insert(e, (C(2), D(3), B(1), Tag)).remove::<Tag>(e)),
        });
    }
    let out = modes::frames(
        1,
        |w, s| {
            w.insert_resource(Log::default());
            w.on_add::<B>(|t| t.resource_mut::<Log>().unwrap().0.push(1));
            w.on_add::<C>(|t| t.resource_mut::<Log>().unwrap().0.push(2));
            w.on_add::<D>(|t| t.resource_mut::<Log>().unwrap().0.push(3));
            w.spawn_batch((0..300).map(A));
            s.add(edit);
        },
        |w| {
            let tables = w.inspect().archetypes;
            let full: Vec<usize> =
                tables.iter().filter(|a| a.components.len() == 4).map(|a| a.rows).collect();
            // `A`, `A B C D` and the one with the tag: no bundle went through a table of fewer components.
            assert_eq!(
                (full, tables.iter().filter(|a| a.components.len() > 1).count()),
                (vec![300], 2)
            );
            w.resource::<Log>().unwrap().0.clone()
        },
    );
    // Observers of each entity in the order of its bundle, entities in order of rows.
    let want: Vec<u64> = (0..300).flat_map(|i| [[1, 2, 3], [3, 1, 2], [2, 3, 1]][i % 3]).collect();
    assert_eq!(out[0], want);
}

#[test]
fn b07_reused_slots_and_rows_show_nothing_old() {
    fn reuse(mut q: Query<(Entity, &A)>, mut c: Commands, mut turn: Local<u32>) {
        *turn += 1;
        let even = *turn % 2 == 0;
        q.par_for_each_with(&mut c, |c, (e, a)| {
            c.despawn(e);
            if even {
                c.spawn((A(a.0), Text(format!("secret {}", a.0)), Ref(e), S(a.0)));
            } else {
                c.spawn((A(a.0), Text(String::new()), Ref(Entity::default())));
            }
        });
    }
    modes::frames(
        4,
        |w, s| {
            let all =
                (0..200).map(|i| (A(i), Text(format!("secret {i}")), Ref(Entity::NULL), S(i)));
            w.spawn_batch(all);
            s.add(reuse);
        },
        |w| {
            let even = w.frame() % 2 == 0;
            let mut q = QueryState::<(Entity, &A, &Text, &Ref, Option<&S>)>::new(w);
            let mut n = 0;
            for (e, a, t, r, s) in &q.query_ref(w) {
                assert!(e.index() < 400 && e.generation() > 0 || w.frame() == 1);
                if even {
                    assert_eq!(
                        (t.0.as_str(), s),
                        (format!("secret {}", a.0).as_str(), Some(&S(a.0)))
                    );
                    assert_ne!(r.0, Entity::NULL);
                } else {
                    assert_eq!((t.0.as_str(), r.0, s), ("", Entity::NULL, None));
                }
                n += 1;
            }
            assert_eq!(n, 200);
        },
    );
}

#[test]
fn b12_terms_equal_brute_force() {
    type Both = (Or<(With<B>, With<C>)>, Or<(With<S>, Without<Tag>)>);
    fn look(
        mut with: Query<Entity, (With<B>, Without<C>)>,
        mut sparse: Query<(Entity, &S), Without<Tag>>,
        mut either: Query<Entity, Or<(With<B>, With<S>)>>,
        mut both: Query<Entity, Both>,
        mut optional: Query<(Entity, Option<&S>, Has<Tag>, Option<&B>), With<A>>,
        mut log: ResMut<Log>,
    ) {
        log.0.clear();
        log.0.extend(gather(&mut with, Entity::to_bits));
        log.0.push(0);
        log.0.extend(gather(&mut sparse, |(e, s)| e.to_bits() ^ u64::from(s.0) << 40));
        log.0.push(1);
        log.0.extend(gather(&mut either, Entity::to_bits));
        log.0.push(2);
        log.0.extend(gather(&mut both, Entity::to_bits));
        log.0.push(3);
        log.0.extend(gather(&mut optional, |(e, s, t, b)| {
            let some = |x: Option<u32>| u64::from(x.map_or(0, |x| x + 1));
            e.to_bits()
                ^ some(s.map(|s| s.0)) << 36
                ^ u64::from(t) << 63
                ^ some(b.map(|b| b.0)) << 48
        }));
    }
    modes::frames(
        3,
        |w, s| {
            busy(w, s);
            for (k, e) in w.entities().collect::<Vec<_>>().into_iter().enumerate() {
                let h = mix(k as u64);
                if h & 1 != 0 {
                    w.insert(e, C(k as u32));
                }
                if h & 2 != 0 {
                    w.insert(e, S(k as u32));
                }
                if h & 4 != 0 {
                    w.insert(e, Tag);
                }
            }
            // Alone at the end of the frame: what it sees is what is there afterwards.
            s.add(look)
                .after("busy_relate")
                .after("busy_edit")
                .after("busy_move")
                .after("busy_listen");
        },
        |w| {
            let mut want = Vec::new();
            let mut of =
                |keep: &dyn Fn(Entity) -> bool, bits: &dyn Fn(Entity) -> u64, end: Option<u64>| {
                    want.extend(w.entities().filter(|&e| keep(e)).map(bits));
                    want.extend(end);
                };
            let s = |e| w.get::<S>(e).map(|s| s.0);
            let b = |e| w.get::<B>(e).map(|b| b.0);
            of(&|e| w.has::<B>(e) && !w.has::<C>(e), &Entity::to_bits, Some(0));
            of(
                &|e| w.has::<S>(e) && !w.has::<Tag>(e),
                &|e| e.to_bits() ^ u64::from(s(e).unwrap()) << 40,
                Some(1),
            );
            of(&|e| w.has::<B>(e) || w.has::<S>(e), &Entity::to_bits, Some(2));
            let both = |e| (w.has::<B>(e) || w.has::<C>(e)) && (w.has::<S>(e) || !w.has::<Tag>(e));
            of(&both, &Entity::to_bits, Some(3));
            let some = |x: Option<u32>| u64::from(x.map_or(0, |x| x + 1));
            of(
                &|e| w.has::<A>(e),
                &|e| {
                    let t = u64::from(w.has::<Tag>(e)) << 63;
                    e.to_bits() ^ some(s(e)) << 36 ^ t ^ some(b(e)) << 48
                },
                None,
            );
            assert!(w.resource::<Log>().unwrap().0 == want);
        },
    );
}

#[test]
fn b17_sixteen_terms() {
    type Wide<'a> = (
        (&'a A, &'a B, &'a C, &'a D, &'a E, &'a F, &'a G, &'a H),
        (&'a I, &'a J, &'a K, &'a L, &'a M, &'a N, &'a O, &'a mut P),
    );
    fn add(mut q: Query<Wide<'static>>) {
        q.par_for_each(|((a, b, c, d, e, f, g, h), (i, j, k, l, m, n, o, p))| {
            p.0 += a.0 + b.0 + c.0 + d.0 + e.0 + f.0 + g.0 + h.0;
            p.0 += i.0 + j.0 + k.0 + l.0 + m.0 + n.0 + o.0;
        });
    }
    modes::frames(
        2,
        |w, s| {
            w.spawn_batch((0..500u32).map(|x| {
                let first = (A(x), B(1), C(2), D(3), E(4), F(5), G(6), H(7));
                (first, (I(8), J(9), K(10), L(11), M(12), N(13), O(14), P(0)))
            }));
            s.add(add);
        },
        |w| {
            let mut q = QueryState::<(&A, &P)>::new(w);
            let frame = w.frame() as u32;
            assert_eq!(
                q.query_ref(w).iter().filter(|(a, p)| p.0 == frame * (a.0 + 105)).count(),
                500
            );
        },
    );
}

#[test]
fn b20_ticks_are_strict_and_survive_moves() {
    fn write(mut q: Query<(Mut<A>, Entity)>, mut c: Commands, mut turn: Local<u32>) {
        *turn += 1;
        let turn = *turn;
        q.par_for_each_with(&mut c, |c, (mut a, e)| {
            if (e.index() + turn) % 5 == 0 {
                a.0 += 1;
            }
            // Moves rows that were written and rows that were not.
            match (e.index() + turn) % 3 {
                0 => drop(c.insert(e, B(turn))),
                1 => drop(c.remove::<B>(e)),
                _ => {}
            }
        });
    }
    fn see(mut q: Query<Entity, Changed<A>>, mut log: ResMut<Log>) {
        log.0 = gather(&mut q, Entity::to_bits);
    }
    let out = modes::frames(
        5,
        |w, s| {
            w.insert_resource(Log::default());
            w.spawn_batch((0..600).map(A));
            s.add(write);
            s.add(see).after("write");
        },
        |w| {
            let turn = w.frame() as u32;
            let seen = w.resource::<Log>().unwrap().0.clone();
            let written = |e: &Entity| turn == 1 || (e.index() + turn) % 5 == 0;
            let want: Vec<u64> = w.entities().filter(written).map(Entity::to_bits).collect();
            assert_eq!(seen, want, "exactly what was written since, in iteration order");
            w.skip_ticks(1 << 33);
            seen.len()
        },
    );
    assert_eq!(out, [600, 120, 120, 120, 120]);
}

#[test]
fn b21_no_consumer_no_tracking() {
    modes::frames(
        2,
        |w, s| {
            w.spawn_batch((0..600).map(|i| (A(i), X(0.5))));
            s.add(|mut q: Query<(&mut A, Mut<X>)>| {
                q.par_for_each(|(a, mut x)| {
                    a.0 += 1;
                    x.0 += 1.0;
                });
            });
        },
        |w| {
            let i = w.inspect();
            assert!((i.tick_arrays, i.tracked.len()) == (0, 0));
        },
    );
}

#[test]
fn b23_last_values_survive_a_reminted_slot() {
    fn kill(mut q: Query<(Entity, &B), Without<A>>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (e, b)| {
            let n = b.0;
            c.despawn(e);
            c.run(move |w, _| {
                let other = w.spawn((A(n), B(n + 1000)));
                assert_eq!(other.index(), e.index(), "the slot has a new tenant");
            });
        });
    }
    let out = modes::frames(
        1,
        |w, s| {
            w.insert_resource(Log::default());
            w.on_remove::<B>(|t| {
                let (v, e) = (t.value().unwrap().0, t.entity());
                assert!(!t.world().is_alive(e));
                t.resource_mut::<Log>().unwrap().0.push(u64::from(v));
            });
            w.spawn_batch((0..150).map(B));
            s.add(kill);
        },
        |w| w.resource::<Log>().unwrap().0.clone(),
    );
    assert_eq!(out[0], (0..150).collect::<Vec<u64>>());
}

#[test]
fn b25_b26_pairs_come_go_and_move_in_place() {
    fn turn(mut q: Query<(Entity, &A, &Ref)>, mut c: Commands, mut turn: Local<u32>) {
        *turn += 1;
        let turn = *turn;
        q.par_for_each_with(&mut c, |c, (e, a, first)| {
            c.relate(e, Likes(turn), first.0);
            if (a.0 + turn) % 4 == 0 {
                c.unrelate::<Likes>(e, first.0);
            }
            c.relate(e, ChildOf, first.0);
        });
    }
    modes::frames(
        4,
        |w, s| {
            w.insert_resource(Log::default());
            w.on_unrelate::<ChildOf>(|t| {
                let x = t.entity().to_bits() ^ t.target().to_bits() << 40;
                t.resource_mut::<Log>().unwrap().0.push(x);
            });
            w.on_relate::<ChildOf>(|t| {
                let x = t.entity().to_bits() ^ t.target().to_bits() << 40 ^ 1 << 39;
                t.resource_mut::<Log>().unwrap().0.push(x);
            });
            let parents = w.spawn_batch((0..7).map(B));
            w.spawn_batch((0..300).map(|i| (A(i), Ref(parents[i as usize % 7]))));
            s.add(turn);
            s.add(|mut q: Query<&mut Ref>, parents: Query<Entity, With<B>>| {
                let all: Vec<Entity> = parents.iter().collect();
                q.par_for_each(|r| {
                    let at = all.iter().position(|&e| e == r.0).unwrap();
                    r.0 = all[(at + 1) % 7];
                });
            })
            .name("next")
            .after("turn");
        },
        |w| {
            let turn = w.frame() as u32;
            let log = std::mem::take(&mut w.resource_mut::<Log>().unwrap().0);
            // Each move in place tells first what went, then what came.
            assert_eq!(log.len(), if turn == 1 { 300 } else { 600 });
            let parents: Vec<Entity> = w.entities().filter(|&e| w.has::<B>(e)).collect();
            for e in w.entities().filter(|&e| w.has::<A>(e)) {
                let a = w.get::<A>(e).unwrap().0;
                let i = a as usize;
                let now = parents[(i + turn as usize - 1) % 7];
                assert_eq!(w.target::<ChildOf>(e), Some(now));
                let likes: Vec<(Entity, u32)> =
                    w.targets::<Likes>(e).map(|(t, l)| (t, l.0)).collect();
                let want: Vec<(Entity, u32)> = (1..=turn)
                    .filter(|t| (a + t) % 4 != 0)
                    .map(|t| (parents[(i + t as usize - 1) % 7], t))
                    .collect();
                assert_eq!(likes, want);
                assert_eq!(w.has::<Linked<Likes>>(e), !want.is_empty());
            }
            log
        },
    );
}

#[test]
fn b28_b29_cascades_and_depths_after_edits_in_a_wave() {
    fn grow(mut q: Query<(Entity, &A)>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (e, a)| {
            if a.0 > 0 {
                let kid = c.spawn(A(a.0 - 1));
                c.relate(kid, ChildOf, e).insert(e, A(0));
            }
        });
    }
    fn cut(q: Query<(Entity, &B)>, mut c: Commands, mut turn: Local<u32>) {
        *turn += 1;
        if *turn == 5 {
            for (e, b) in &q {
                match b.0 {
                    // A circle of two, killed through one of them.
                    0 => {
                        let x = c.spawn(Tag);
                        let y = c.spawn(Tag);
                        c.relate(x, ChildOf, y).relate(y, ChildOf, x).despawn(x);
                    }
                    1 => drop(c.despawn(e)),
                    _ => {}
                }
            }
        }
    }
    let out = modes::frames(
        6,
        |w, s| {
            for i in 0..40 {
                w.spawn((A(10), B(i % 4)));
            }
            s.add(grow);
            s.add(cut).after("grow");
        },
        |w| {
            let order = w.depth_order::<ChildOf>().unwrap();
            for &(e, parent) in &order {
                let of = w.target::<ChildOf>(e);
                assert_eq!(of, order.get(parent as usize).map(|p| p.0), "parents come first");
                let depth = of.map_or(0, |p| 1 + w.depth::<ChildOf>(p).unwrap());
                assert_eq!(w.depth::<ChildOf>(e), Ok(depth));
            }
            assert_eq!(
                w.pair_count::<ChildOf>() + 40 - if w.frame() < 5 { 0 } else { 10 },
                w.entity_count()
            );
            (order.len(), w.entity_count())
        },
    );
    assert_eq!(out.iter().map(|o| o.1).collect::<Vec<_>>(), [80, 120, 160, 200, 180, 210]);
}
