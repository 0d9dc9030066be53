//! First steps: spawn, query, schedule, commands.

use crate::modes;
use lockstep_ecs::*;

#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
struct Pos(f32, f32);
#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
struct Vel(f32, f32);
#[derive(Component, Clone, Debug, PartialEq)]
#[component(plain)]
struct Name(String);
#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Mark(u32);
#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
struct Link(Entity);
#[derive(Event, Plain, Clone, Debug, PartialEq)]
struct Hit(Entity, u32);
#[derive(Resource, Plain, Default, Debug)]
struct Seen(Vec<u32>);

#[test]
fn spawn_get_insert_remove() {
    let mut w = World::new();
    let es: Vec<Entity> =
        (0..3000).map(|i| w.spawn((Pos(i as f32, 0.0), Name(format!("n{i}"))))).collect();
    for (i, &e) in es.iter().enumerate() {
        if i % 3 == 0 {
            assert!(w.insert(e, (Vel(1.0, 2.0), Mark(i as u32))));
        }
        if i % 5 == 0 {
            assert!(w.remove::<Name>(e));
        }
        if i % 7 == 0 {
            assert!(w.despawn(e));
            assert!(!w.despawn(e));
        }
    }
    for (i, &e) in es.iter().enumerate() {
        assert_eq!(w.is_alive(e), i % 7 != 0);
        if i % 7 == 0 {
            assert!(w.get::<Pos>(e).is_none());
            continue;
        }
        assert_eq!(w.get::<Pos>(e), Some(&Pos(i as f32, 0.0)));
        assert_eq!(w.get::<Name>(e).map(|n| n.0.clone()), (i % 5 != 0).then(|| format!("n{i}")));
        assert_eq!(w.get::<Mark>(e).map(|m| m.0), (i % 3 == 0).then_some(i as u32));
        assert_eq!(w.has::<Vel>(e), i % 3 == 0);
    }
    let mut q = w_query(&mut w);
    let n = q.query(&mut w).iter().count();
    assert_eq!(n, es.iter().enumerate().filter(|(i, _)| i % 7 != 0 && i % 3 == 0).count());
}

fn w_query(w: &mut World) -> QueryState<(&'static Pos, &'static Mark), With<Vel>> {
    QueryState::new(w)
}

#[test]
fn schedule_in_all_modes() {
    fn movement(mut q: Query<(&Vel, &mut Pos)>) {
        q.par_for_each(|(v, p)| {
            p.0 += v.0;
            p.1 += v.1;
        });
    }
    fn split(mut q: Query<(Entity, &Pos), Without<Link>>, mut c: Commands) {
        q.par_for_each_with(&mut c, |c, (e, p)| {
            if p.0 as u32 % 4 == 1 {
                let n = c.spawn((*p, Vel(0.5, 0.5)));
                c.insert(n, Link(e));
                c.insert(e, Link(n));
                c.send(Hit(n, p.0 as u32));
            } else if p.0 as u32 % 4 == 2 {
                c.despawn(e);
            }
        });
    }
    fn listen(mut r: EventReader<Hit>, mut s: ResMut<Seen>) {
        s.0.extend(r.read().map(|h| h.0.index() ^ h.1));
    }
    let out = modes::frames(
        8,
        |w, s| {
            w.insert_resource(Seen::default());
            w.spawn_batch((0..4000).map(|i| (Pos(i as f32, 1.0), Vel((i % 3) as f32, 1.0))));
            s.add(movement);
            s.add(split);
            s.add(listen).after("split");
        },
        |w| (w.resource::<Seen>().unwrap().0.clone(), w.take_diagnostics()),
    );
    assert!(out.last().unwrap().0.len() > 1000);
}

#[test]
fn image_restores() {
    let mut w = World::new();
    let es: Vec<Entity> = (0..2000).map(|i| w.spawn((Pos(i as f32, 0.0), Vel(1.0, 0.0)))).collect();
    w.insert(es[7], (Name("seven".into()), Mark(3)));
    let before = w.hash();
    let mut image = lockstep_ecs::time::Image::new();
    image.capture(&mut w).unwrap();
    for _ in 0..3 {
        for e in &es[..1500] {
            w.despawn(*e);
        }
        w.spawn((Pos(0.0, 0.0), Link(es[9])));
        w.get_mut::<Pos>(es[1999]).unwrap().0 = 5.0;
        assert_ne!(w.hash(), before);
        assert!(image.restore(&mut w));
        assert_eq!(w.hash(), before);
        assert_eq!(w.state_hash(), before);
        assert_eq!(w.get::<Name>(es[7]), Some(&Name("seven".into())));
    }
}
