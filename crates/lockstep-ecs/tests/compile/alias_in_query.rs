//! A query that names a component twice and writes it.
use lockstep_ecs::*;
#[derive(Component)]
struct A(u32);

fn main() {
    let mut w = World::new();
    let _ = QueryState::<(&mut A, &A)>::new(&mut w);
}
