//! Behaviours 1 to 11: entities, archetypes, storage.

use crate::kit::*;
use crate::modes;
use lockstep_ecs::*;
use std::collections::BTreeMap;

#[test]
fn b01_spawn_despawn_counts() {
    let mut w = World::new();
    let mut r = Rng(1);
    let (mut all, mut spawned, mut despawned) = (Vec::new(), 0, 0);
    for _ in 0..5000 {
        if r.below(3) > 0 || all.is_empty() {
            all.push(w.spawn(A(1)));
            spawned += 1;
            assert!(w.is_alive(*all.last().unwrap()));
        } else {
            let e = all[r.below(all.len())];
            let was = w.is_alive(e);
            assert_eq!(w.despawn(e), was);
            assert!(!w.despawn(e));
            despawned += usize::from(was);
        }
        assert_eq!(w.entity_count(), spawned - despawned);
    }
}

#[test]
fn b02_generational_handles() {
    for index in [0, 1, 77, u32::MAX - 20] {
        for generation in [0, 1, 12345, MAX_GENERATION] {
            let e = Entity::from_parts(index, generation);
            assert_eq!((e.index(), e.generation()), (index, generation));
            assert_eq!(Entity::from_bits(e.to_bits()), e);
            assert!(!e.is_placeholder() && !e.is_null());
        }
    }
    let mut w = World::new();
    let first = w.spawn(A(0));
    w.despawn(first);
    // Every other generation of the slot is another entity; only after exactly 2^31 of them the handle returns.
    for g in [1, 2, 1 << 20, MAX_GENERATION] {
        assert!(w.set_free_generation(first.index(), g));
        let e = w.spawn(A(g));
        assert_eq!((e.index(), e.generation()), (first.index(), g));
        assert!(!w.is_alive(first));
        w.despawn(e);
    }
    assert_eq!(w.spawn(A(9)), first);
}

#[test]
fn b03_null_is_never_minted() {
    let mut w = World::new();
    let e = w.spawn(A(0));
    w.despawn(e);
    for g in [0, MAX_GENERATION - 1, MAX_GENERATION, 0] {
        w.set_free_generation(0, g);
        let e = w.spawn(A(0));
        assert_ne!(e, Entity::NULL);
        assert!(!w.is_alive(Entity::NULL) && !w.despawn(Entity::NULL));
        w.despawn(e);
    }
    assert!(Entity::default().is_null());
}

#[test]
fn b04_capacity_is_a_typed_error() {
    fn grow(mut q: Query<&mut A>, input: Res<Input>, mut c: Commands) {
        q.for_each(|a| a.0 += 1);
        for i in 0..input.0 {
            c.spawn(A(i));
        }
    }
    modes::all(|x| {
        let mut w = World::new();
        let mut s = Schedule::default();
        s.add(grow);
        s.set_executor(x);
        w.set_entity_limit(20);
        w.insert_resource(Input(30));
        w.spawn_batch((0..5).map(A));
        let before: Vec<Entity> = w.entities().collect();
        let error = s.run(&mut w).unwrap_err();
        assert_eq!(error.kind, FrameErrorKind::EntityLimit(20));
        assert_eq!(w.entities().collect::<Vec<_>>(), before);
        w.insert_resource(Input(15));
        s.run(&mut w).unwrap();
        assert_eq!(w.entity_count(), 20);
        assert!(w.try_spawn(A(0)).is_err());
        assert!(w.try_spawn_batch([A(0)]).is_err() && w.try_extend([(A(0), S(0))]).is_err());
        assert_eq!(w.entity_count(), 20);
        w.set_entity_limit(23);
        assert!(w.try_spawn_batch((0..4).map(A)).is_err());
        assert_eq!(w.try_extend((0..3).map(|i| (A(i), S(i)))), Ok(3));
        assert_eq!(w.entity_count(), 23);
        (error, w.hash())
    });
}

#[test]
fn b05_archetype_identity() {
    let mut w = World::new();
    let orders: [fn(&mut World, Entity); 4] = [
        |w, e| {
            w.insert(e, A(1));
            w.insert(e, B(1));
            w.insert(e, C(1));
        },
        |w, e| {
            w.insert(e, C(1));
            w.insert(e, A(1));
            w.insert(e, B(1));
        },
        |w, e| {
            w.insert(e, (B(1), C(1), A(1)));
        },
        |w, e| {
            w.insert(e, (A(1), B(1), C(1), Tag));
            w.remove::<Tag>(e);
        },
    ];
    for f in orders {
        let e = w.spawn(());
        f(&mut w, e);
    }
    let full: Vec<_> = w
        .inspect()
        .archetypes
        .into_iter()
        .filter(|a| a.components.len() == 3 && a.rows > 0)
        .collect();
    assert_eq!(full.len(), 1);
    assert_eq!(full[0].rows, 4);
}

#[test]
fn b06_migration_keeps_values_and_costs_one_row() {
    for n in [50u32, 20_000] {
        let mut w = World::new();
        let es = w.spawn_batch((0..n).map(|i| (A(i), Text(format!("t{i}")))));
        let e = es[n as usize / 2];
        w.insert(es[0], B(1));
        let mut image = time::Image::new();
        image.capture(&mut w).unwrap();
        w.insert(e, B(7));
        assert_eq!(w.get::<A>(e), Some(&A(n / 2)));
        assert_eq!(w.get::<Text>(e).unwrap().0, format!("t{}", n / 2));
        assert_eq!(w.get::<B>(e), Some(&B(7)));
        image.capture(&mut w).unwrap();
        // At most the two pages touched in each table, whatever the size of the table.
        assert!(image.copied() < 70_000, "{} bytes for a table of {n}", image.copied());
    }
}

#[test]
fn b07_reused_rows_show_nothing_old() {
    let mut w = World::new();
    let e = w.spawn((A(7), Text("secret".into()), Ref(Entity::from_parts(5, 5)), S(9)));
    w.despawn(e);
    let n = w.spawn((A(0), Ref(Entity::default())));
    assert_eq!(n.index(), e.index());
    assert!(w.get::<Text>(n).is_none() && w.get::<S>(n).is_none());
    assert_eq!(w.get::<Ref>(n), Some(&Ref(Entity::NULL)));
    let m = w.spawn((A(1), Text(String::new()), Ref(Entity::NULL), S(0)));
    assert_eq!((w.get::<Text>(m).unwrap().0.as_str(), w.get::<S>(m)), ("", Some(&S(0))));
}

#[test]
fn b08_a_bundle_is_one_migration() {
    let mut w = World::new();
    w.insert_resource(Log::default());
    w.on_add::<A>(|t| t.resource_mut::<Log>().unwrap().0.push(1));
    w.on_add::<B>(|t| t.resource_mut::<Log>().unwrap().0.push(2));
    w.on_add::<C>(|t| t.resource_mut::<Log>().unwrap().0.push(3));
    w.on_remove::<A>(|t| t.resource_mut::<Log>().unwrap().0.push(11));
    w.on_remove::<C>(|t| t.resource_mut::<Log>().unwrap().0.push(13));
    let e = w.spawn(Tag);
    let before = w.inspect().archetypes.len();
    w.insert(e, (C(1), A(1), B(1)));
    assert_eq!(w.inspect().archetypes.len(), before + 1, "no archetype in between");
    // Observers in order of the bundle.
    assert_eq!(w.resource::<Log>().unwrap().0, [3, 1, 2]);
    w.insert(e, (A(5), B(5)));
    assert_eq!(w.resource::<Log>().unwrap().0, [3, 1, 2], "replacing is not adding");
    w.remove::<(A, C)>(e);
    assert_eq!(w.resource::<Log>().unwrap().0, [3, 1, 2, 11, 13]);
    assert_eq!(w.inspect().archetypes.len(), before + 2);
}

#[test]
fn b09_rows_and_locations_agree_with_a_model() {
    let mut w = World::new();
    let mut model: BTreeMap<Entity, (u32, Option<u32>, Option<String>, Option<u32>)> =
        BTreeMap::new();
    let mut r = Rng(9);
    for step in 0..20_000u32 {
        let pick = |r: &mut Rng, m: &BTreeMap<Entity, _>| {
            (!m.is_empty()).then(|| *m.keys().nth(r.below(m.len())).unwrap())
        };
        match r.below(if model.len() < 400 { 6 } else { 9 }) {
            0 | 1 => {
                let e = w.spawn((A(step), X(1.0)));
                assert!(model.insert(e, (step, None, None, None)).is_none());
            }
            2 => {
                if let Some(e) = pick(&mut r, &model) {
                    w.insert(e, B(step));
                    model.get_mut(&e).unwrap().1 = Some(step);
                }
            }
            3 => {
                if let Some(e) = pick(&mut r, &model) {
                    w.insert(e, (Text(step.to_string()), S(step)));
                    let m = model.get_mut(&e).unwrap();
                    (m.2, m.3) = (Some(step.to_string()), Some(step));
                }
            }
            4 => {
                if let Some(e) = pick(&mut r, &model) {
                    w.remove::<(B, S)>(e);
                    let m = model.get_mut(&e).unwrap();
                    (m.1, m.3) = (None, None);
                }
            }
            5 => {
                if let Some(e) = pick(&mut r, &model) {
                    w.remove::<Text>(e);
                    model.get_mut(&e).unwrap().2 = None;
                }
            }
            _ => {
                if let Some(e) = pick(&mut r, &model) {
                    w.despawn(e);
                    model.remove(&e);
                }
            }
        }
        if step % 1000 == 999 {
            assert_eq!(w.entity_count(), model.len());
            let mut q =
                QueryState::<(Entity, &A, Option<&B>, Option<&Text>, Option<&S>)>::new(&mut w);
            let q = q.query_ref(&w);
            let mut seen = 0;
            for (e, a, b, t, s) in &q {
                let m = &model[&e];
                assert_eq!((a.0, b.map(|b| b.0), t.map(|t| t.0.clone()), s.map(|s| s.0)), *m);
                seen += 1;
            }
            assert_eq!(seen, model.len());
        }
    }
}

#[test]
fn b10_values_stay_where_they_are_while_columns_grow() {
    let mut w = World::new();
    let es: Vec<Entity> = (0..40).map(|i| w.spawn((A(i), X(i as f32)))).collect();
    let at: Vec<*const A> =
        es.iter().map(|&e| std::ptr::from_ref(w.get::<A>(e).unwrap())).collect();
    for i in 0..50_000 {
        w.spawn((A(i), X(0.0)));
    }
    for (i, &e) in es.iter().enumerate() {
        assert_eq!(w.get::<A>(e), Some(&A(i as u32)));
        assert!(std::ptr::eq(w.get::<A>(e).unwrap(), at[i]));
    }
    // Growth in a frame does not show in the frame's queries.
    fn grow(q: Query<&A>, mut c: Commands, mut log: ResMut<Log>) {
        let before = q.count() as u64;
        for a in &q {
            c.spawn((A(a.0), X(1.0)));
        }
        log.0.push(before);
        log.0.push(q.count() as u64);
    }
    let logs = modes::frames(
        4,
        |w, s| {
            w.insert_resource(Log::default());
            w.spawn_batch((0..100).map(|i| (A(i), X(0.0))));
            s.add(grow);
        },
        |w| w.resource::<Log>().unwrap().0.clone(),
    );
    assert_eq!(logs[3], [100, 100, 200, 200, 400, 400, 800, 800]);
}

#[test]
fn b11_sparse_and_table_give_the_same_results() {
    // `S` is sparse and `B` is not; every entity has both or none, in one archetype family each.
    fn with_sparse(mut q: Query<(Entity, &mut S), Without<Tag>>, mut log: ResMut<Log>) {
        for (e, s) in &mut q {
            s.0 = s.0.wrapping_mul(31) ^ e.index();
            log.0.push(e.to_bits() ^ u64::from(s.0) << 32);
        }
    }
    fn par_sparse(mut q: Query<(&mut S, &A)>) {
        q.par_for_each(|(s, a)| s.0 ^= a.0);
    }
    modes::frames(
        3,
        |w, s| {
            w.insert_resource(Log::default());
            for i in 0..600 {
                let e = w.spawn(A(i));
                if i % 3 == 0 {
                    w.insert(e, (S(i), B(i)));
                }
            }
            s.add(par_sparse);
            s.add(with_sparse);
        },
        |w| {
            let mut by_sparse = QueryState::<Entity, With<S>>::new(w);
            let mut by_table = QueryState::<Entity, With<B>>::new(w);
            let a: Vec<Entity> = by_sparse.query_ref(w).iter().collect();
            let b: Vec<Entity> = by_table.query_ref(w).iter().collect();
            assert_eq!(a, b);
            assert_eq!(a.len(), 200);
            w.resource::<Log>().unwrap().0.clone()
        },
    );
}
