//! Two queries of one system that could hand out one value twice.
use lockstep_ecs::*;
#[derive(Component)]
struct A(u32);

fn twice(_: Query<&mut A>, _: Query<&A>) {}

fn main() {
    Schedule::default().add(twice);
}
