//! What looks alike and is not: queries that exclude each other.
use lockstep_ecs::*;
#[derive(Component)]
struct A(u32);
#[derive(Component)]
struct B;

fn fine(mut p: Query<&mut A, With<B>>, mut q: Query<&mut A, Without<B>>) {
    p.for_each(|a| a.0 += 1);
    q.for_each(|a| a.0 += 2);
}

fn main() {
    let mut s = Schedule::default();
    s.add(fine);
    s.run(&mut World::new()).unwrap();
}
