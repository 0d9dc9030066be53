//! A running world in a terminal: `terminal [FRAMES]` draws particles that split and die.
#![allow(clippy::print_stdout, missing_docs, reason = "an example")]

use lockstep_ecs::*;
use std::io::Write as _;

#[derive(Component, Plain, Clone, Copy, Debug)]
struct At([f32; 2]);
#[derive(Component, Plain, Clone, Copy, Debug)]
struct Speed([f32; 2]);
#[derive(Component, Plain, Clone, Copy, Debug)]
struct Age(u32);

const WIDTH: usize = 72;
const HEIGHT: usize = 20;

fn fly(mut q: Query<(&mut At, &mut Speed)>) {
    q.par_for_each(|(at, speed)| {
        for (k, end) in [WIDTH as f32, HEIGHT as f32].into_iter().enumerate() {
            at.0[k] += speed.0[k];
            if at.0[k] < 0.0 || at.0[k] >= end {
                speed.0[k] = -speed.0[k];
                at.0[k] = at.0[k].clamp(0.0, end - 0.01);
            }
        }
    });
}
fn live(mut q: Query<(Entity, &At, &Speed, &mut Age)>, mut c: Commands) {
    q.par_for_each_with(&mut c, |c, (e, at, speed, age)| {
        age.0 += 1;
        if age.0 == 25 {
            let turned = Speed([-speed.0[1] * 2.0, speed.0[0] * 0.5]);
            c.spawn((*at, turned, Age(e.index() % 9)));
        } else if age.0 > 55 {
            c.despawn(e);
        }
    });
}

fn draw(world: &mut World, query: &mut QueryState<(&'static At, &'static Age)>) -> String {
    let mut screen = vec![vec![' '; WIDTH]; HEIGHT];
    for (at, age) in &query.query_ref(world) {
        screen[at.0[1] as usize][at.0[0] as usize] = if age.0 < 25 { '*' } else { '.' };
    }
    screen.into_iter().map(|line| line.into_iter().collect::<String>() + "\n").collect()
}

fn main() {
    let Ok(frames) = std::env::args().nth(1).map_or(Ok(120), |it| it.parse()) else {
        println!("usage: terminal [FRAMES]");
        return;
    };
    let mut world = World::new();
    for i in 0..40u32 {
        let x = i as f32;
        world.spawn((At([x * 1.7, x * 0.4]), Speed([0.4 + x * 0.02, 0.3 - x * 0.01]), Age(i % 20)));
    }
    let mut schedule = Schedule::default();
    schedule.add(fly);
    schedule.add(live);
    let mut query = QueryState::new(&mut world);
    for _ in 0..frames {
        schedule.run(&mut world).expect("particles do not fail");
        let picture = draw(&mut world, &mut query);
        let shown = writeln!(
            std::io::stdout(),
            "\x1b[H\x1b[2J{picture}frame {} · {} entities · {:016x}",
            world.frame(),
            world.entity_count(),
            world.hash()
        );
        // Whoever watched has gone.
        if shown.is_err() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(33));
    }
}
