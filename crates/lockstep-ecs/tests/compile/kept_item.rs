//! An item that outlives its query.
use lockstep_ecs::*;
#[derive(Component)]
struct A(u32);

fn main() {
    let mut w = World::new();
    let e = w.spawn(A(1));
    let a = w.get::<A>(e).unwrap();
    w.despawn(e);
    assert_eq!(a.0, 1);
}
