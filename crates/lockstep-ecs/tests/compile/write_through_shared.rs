//! A write through a shared query.
use lockstep_ecs::*;
#[derive(Component)]
struct A(u32);

fn sneaky(q: Query<&mut A>) {
    for a in q.iter() {
        a.0 += 1;
    }
}

fn main() {
    Schedule::default().add(sneaky);
}
