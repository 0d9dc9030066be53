//! A system that asks for the whole world beside others.
use lockstep_ecs::*;
fn undeclared(w: &World) {
    let _ = w;
}

fn main() {
    Schedule::default().add(undeclared);
}
