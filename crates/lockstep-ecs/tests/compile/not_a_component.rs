//! A type that is no component.
use lockstep_ecs::*;
struct A(u32);

fn main() {
    World::new().spawn(A(1));
}
