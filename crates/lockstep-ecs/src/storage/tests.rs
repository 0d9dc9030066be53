//! A walk through everything that touches raw memory, small enough for Miri:
//! `cargo +nightly miri test -p lockstep-ecs --lib storage`.

use crate::*;

#[derive(Component, Plain, Clone, Debug, PartialEq)]
struct Name(String);
#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
struct Spot([f32; 3]);
#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
struct Nothing;
#[derive(Component, Plain, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Note(String);
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[repr(align(256))]
struct Wide(u8);
#[derive(Relation, Plain, Clone, Copy)]
#[relation(exclusive, cascade)]
struct In;

fn name(i: u32) -> Name {
    Name(format!("name {i}"))
}

#[test]
fn rows_come_and_go() {
    let mut w = World::new();
    let es: Vec<Entity> = (0..70).map(|i| w.spawn((name(i), Spot([i as f32; 3])))).collect();
    for (i, &e) in es.iter().enumerate() {
        match i % 5 {
            0 => drop(w.insert(e, (Nothing, Note(format!("note {i}"))))),
            1 => drop(w.remove::<Name>(e)),
            2 => drop(w.despawn(e)),
            3 => drop(w.insert(e, (name(1000), Wide(i as u8)))),
            _ => {}
        }
    }
    for (i, &e) in es.iter().enumerate() {
        let expected = match i % 5 {
            1 | 2 => None,
            3 => Some(name(1000)),
            _ => Some(name(i as u32)),
        };
        assert_eq!(w.get::<Name>(e), expected.as_ref());
        if let Some(wide) = w.get::<Wide>(e) {
            assert_eq!(std::ptr::from_ref(wide).addr() % 256, 0);
            assert_eq!(wide.0, i as u8);
        }
        if i % 10 == 0 {
            assert!(w.remove::<Note>(e));
            assert!(w.get::<Note>(e).is_none());
        }
    }
    let again = w.spawn_batch((0..40).map(|i| (name(i), Spot([0.5; 3]))));
    w.extend((0..20).map(|i| (Spot([i as f32; 3]), Nothing)));
    assert_eq!(w.get::<Name>(again[39]), Some(&name(39)));
}

#[test]
fn queries_touch_what_they_say() {
    let mut w = World::new();
    let es = w.spawn_batch((0..50).map(|i| (name(i), Spot([i as f32; 3]))));
    for &e in es.iter().step_by(3) {
        w.insert(e, Note("n".to_owned()));
    }
    let mut changed = QueryState::<(Entity, &Spot), Changed<Spot>>::new(&mut w);
    assert_eq!(changed.query(&mut w).iter().count(), 50);
    let mut write = QueryState::<(&mut Spot, &Name, Option<&mut Note>)>::new(&mut w);
    for (spot, name, note) in write.query(&mut w).iter_mut() {
        spot.0[0] += name.0.len() as f32;
        if let Some(note) = note {
            note.0.push('!');
        }
    }
    let mut spots = QueryState::<&mut Spot>::new(&mut w);
    for s in spots.query(&mut w).chunks_mut() {
        lanes_mut::<Spot, f32>(s).iter_mut().for_each(|x| *x *= 2.0);
    }
    let mut q = spots.query(&mut w);
    let [a, b] = q.get_many_mut([es[1], es[2]]).unwrap();
    std::mem::swap(a, b);
    q.for_each_pair(|a, b| a.0[2] += b.0[2]);
    assert_eq!(changed.query(&mut w).iter().count(), 50);
    let mut marked = QueryState::<Mut<Spot>>::new(&mut w);
    for (i, mut m) in marked.query(&mut w).iter_mut().enumerate() {
        if i == 7 {
            m.0 = [0.0; 3];
        }
    }
    assert_eq!(changed.query(&mut w).iter().map(|c| c.0).collect::<Vec<_>>(), [es[7]]);
}

#[test]
fn commands_observers_and_relations() {
    let mut w = World::new();
    w.on_remove::<Name>(|t| {
        let copy = Note(t.value().unwrap().0.clone());
        t.commands().spawn(copy);
    });
    let root = w.spawn(name(0));
    w.commands(|c| {
        for i in 0..20 {
            let e = c.spawn((name(i), Nothing));
            c.relate(e, In, root);
            if i % 2 == 0 {
                c.insert(e, (name(i + 100), Wide(1)));
            }
        }
    })
    .unwrap();
    assert_eq!(w.subjects::<In>(root).count(), 20);
    w.despawn(root);
    let mut notes = QueryState::<&Note>::new(&mut w);
    assert_eq!(notes.query_ref(&w).iter().count(), 21);
}

#[test]
fn there_and_back() {
    fn grow(mut q: Query<(Entity, &mut Spot)>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (e, s)| {
            s.0[1] += 1.0;
            match e.index() % 3 {
                0 => drop(c.spawn((name(e.index()), *s))),
                1 => drop(c.despawn(e)),
                _ => {}
            }
        });
    }
    let mut w = World::new();
    w.spawn_batch((0..30).map(|i| (name(i), Spot([i as f32; 3]))));
    let mut s = Schedule::default();
    s.add(grow);
    let mut image = time::Image::new();
    image.capture(&mut w).unwrap();
    let start = w.state_hash();
    for _ in 0..2 {
        s.run(&mut w).unwrap();
    }
    let end = w.snapshot().unwrap();
    assert!(image.restore(&mut w));
    assert_eq!(w.state_hash(), start);
    for _ in 0..2 {
        s.run(&mut w).unwrap();
    }
    assert_eq!(w.state_hash(), {
        let mut copy = World::new();
        copy.register::<Name>();
        copy.register::<Spot>();
        copy.restore(&end).unwrap();
        copy.state_hash()
    });
}

/// Rows over many extents come, move and go, by batch and one by one; every value stays with its entity, and a query that was made
/// before the directories grew sees all of them.
#[test]
fn extents_come_and_go() {
    const MANY: u32 = if cfg!(miri) { 1_100 } else { 150_000 };
    let mut w = World::new();
    let mut q = QueryState::<(Entity, &Spot)>::new(&mut w);
    let mut wide = QueryState::<(&Spot, &mut Wide)>::new(&mut w);
    let spot = |i: u32| Spot([i as f32, 0.5, -(i as f32)]);
    let mut model: Vec<(Entity, u32)> = Vec::new();
    let check = |w: &mut World, q: &mut QueryState<(Entity, &Spot)>, model: &[(Entity, u32)]| {
        let mut rows = 0;
        q.query(w).for_each(|(e, s)| {
            assert_eq!(e, model[rows].0);
            assert_eq!(*s, spot(model[rows].1));
            rows += 1;
        });
        assert_eq!(rows, model.len());
        assert!(
            q.query_ref(w).iter().eq(model.iter().map(|&(e, _)| (e, w.get::<Spot>(e).unwrap())))
        );
        assert!(model.iter().all(|&(e, i)| q.query_ref(w).get(e).is_some_and(|x| *x.1 == spot(i))));
    };
    for i in 0..MANY / 3 {
        model.push((w.spawn(spot(i)), i));
    }
    check(&mut w, &mut q, &model);
    let batch = w.spawn_batch((0..MANY).map(spot));
    model.extend(batch.into_iter().zip(0..));
    check(&mut w, &mut q, &model);
    // The last row takes the place of one that goes, here and in another archetype.
    for k in (0..MANY as usize / 2).map(|k| k * 7 % (MANY as usize / 2)) {
        let (e, i) = model.swap_remove(k);
        if i % 3 == 0 {
            assert!(w.insert(e, Wide(i as u8)));
        } else {
            assert!(w.despawn(e));
        }
    }
    let all = rest(&w, &model);
    check(&mut w, &mut q, &all);
    let mut seen = 0;
    wide.query(&mut w).for_each(|(s, wide)| {
        assert_eq!(std::ptr::from_mut(wide).addr() % 256, 0);
        assert_eq!(wide.0, s.0[0] as u32 as u8);
        seen += 1;
    });
    assert!(seen > 0);
    let before = w.inspect().held_bytes;
    for round in 0..if cfg!(miri) { 1 } else { 4 } {
        let all: Vec<Entity> = w.entities().collect();
        all.into_iter().rev().for_each(|e| assert!(w.despawn(e)));
        w.extend((0..MANY).map(|i| spot(i + round)));
    }
    assert_eq!(q.query(&mut w).count(), MANY as usize);
    assert!(w.inspect().held_bytes <= before * 2, "blocks given back are used again");
}

/// The rows of the model, then those of the archetype that came second.
fn rest(w: &World, model: &[(Entity, u32)]) -> Vec<(Entity, u32)> {
    let second = w.entities().filter(|&e| w.has::<Wide>(e));
    let second = second.map(|e| (e, w.get::<Spot>(e).unwrap().0[0] as u32));
    model.iter().copied().chain(second).collect()
}
