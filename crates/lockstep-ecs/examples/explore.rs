//! Every input sequence of a small game, checked: two lifts share a shaft, and a hasty rule lets them meet.
//!
//! `cargo run -p lockstep-ecs --features explore --example explore` finds the shortest input sequence that makes them meet, prints
//! it, and then shows that the mended rule has none.
#![allow(clippy::print_stdout, missing_docs, reason = "an example")]

use lockstep_ecs::explore::Simulation;
use lockstep_ecs::*;
use lockstep_explore::{Options, check};

const FLOORS: i32 = 6;

#[derive(Component, Plain, Clone, Copy, PartialEq, Debug)]
struct Floor(i32);
#[derive(Component, Plain, Clone, Copy, Debug)]
struct Lift(u32);
#[derive(Clone, Copy, Debug, PartialEq)]
enum Input {
    Wait,
    Up(u32),
    Down(u32),
    BothIn,
}
/// What the lifts are asked to do in this frame.
#[derive(Resource, Plain, Clone, Copy, Default)]
struct Order([i32; 2]);

/// The mistake: each lift looks where the other *is*, not where it is going.
fn hasty(mut lifts: Query<(&Lift, &mut Floor)>, order: Res<Order>) {
    let places: Vec<i32> = lifts.iter_mut().map(|(_, f)| f.0).collect();
    lifts.for_each(|(lift, floor)| {
        let to = (floor.0 + order.0[lift.0 as usize]).clamp(0, FLOORS - 1);
        if to != places[1 - lift.0 as usize] {
            floor.0 = to;
        }
    });
}
fn careful(mut lifts: Query<(&Lift, &mut Floor)>, order: Res<Order>) {
    let mut places: Vec<i32> = lifts.iter_mut().map(|(_, f)| f.0).collect();
    lifts.for_each(|(lift, floor)| {
        let me = lift.0 as usize;
        let to = (floor.0 + order.0[me]).clamp(0, FLOORS - 1);
        if to != places[1 - me] {
            floor.0 = to;
            places[me] = to;
        }
    });
}

fn game(mended: bool) -> Simulation<Input> {
    let make = move || {
        let mut world = World::new();
        world.insert_resource(Order::default());
        world.spawn((Lift(0), Floor(0)));
        world.spawn((Lift(1), Floor(FLOORS - 1)));
        let mut schedule = Schedule::default();
        if mended {
            schedule.add(careful);
        } else {
            schedule.add(hasty);
        }
        (world, schedule)
    };
    let apply = |world: &mut World, input: &Input| {
        let order = match *input {
            Input::Wait => [0, 0],
            Input::Up(0) => [1, 0],
            Input::Up(_) => [0, 1],
            Input::Down(0) => [-1, 0],
            Input::Down(_) => [0, -1],
            Input::BothIn => [1, -1],
        };
        world.insert_resource(Order(order));
    };
    let inputs = vec![
        Input::Wait,
        Input::Up(0),
        Input::Down(0),
        Input::Up(1),
        Input::Down(1),
        Input::BothIn,
    ];
    Simulation::new(make, apply, inputs).invariant("lifts do not meet", |world| {
        let mut q = QueryState::<&Floor>::new(world);
        let floors: Vec<Floor> = q.query_ref(world).iter().copied().collect();
        floors[0] != floors[1]
    })
}

fn main() {
    for mended in [false, true] {
        let game = game(mended);
        let outcome = check(&game, &Options::default());
        let text = game.report(&outcome, |world| {
            let mut q = QueryState::<&Floor>::new(world);
            let floors: Vec<String> = q.query_ref(world).iter().map(|f| f.0.to_string()).collect();
            format!("lifts at {}", floors.join(" and "))
        });
        println!("{}", text.unwrap_or_else(|e| e.to_string()));
    }
}
