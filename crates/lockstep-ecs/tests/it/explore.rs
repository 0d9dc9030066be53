//! Worlds explored exhaustively: seeded mistakes are found by the shortest way, sound rules reach a fix-point.

use crate::kit::*;
use lockstep_ecs::explore::Simulation;
use lockstep_ecs::*;
use lockstep_explore::{Options, Verdict, ViolationKind, check};

#[derive(Component, Plain, Clone, Copy, Debug, PartialEq)]
struct Place(i32);
#[derive(Resource, Plain, Clone, Copy, Default)]
struct Order([i32; 2]);
const FLOORS: i32 = 6;

fn moving(careful: bool) -> impl FnMut(Query<(&A, &mut Place)>, Res<Order>) {
    move |mut lifts: Query<(&A, &mut Place)>, order: Res<Order>| {
        let mut places: Vec<i32> = lifts.iter_mut().map(|(_, p)| p.0).collect();
        lifts.for_each(|(a, place)| {
            let me = a.0 as usize;
            let to = (place.0 + order.0[me]).clamp(0, FLOORS - 1);
            if to != places[1 - me] {
                place.0 = to;
                if careful {
                    places[me] = to;
                }
            }
        });
    }
}
fn lifts(careful: bool) -> Simulation<[i32; 2]> {
    let make = move || {
        let mut w = World::new();
        w.insert_resource(Order::default());
        w.spawn((A(0), Place(0)));
        w.spawn((A(1), Place(FLOORS - 1)));
        let mut s = Schedule::default();
        s.add(moving(careful));
        (w, s)
    };
    let inputs = vec![[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, -1]];
    Simulation::new(make, |w, order| w.insert_resource(Order(*order)), inputs)
        .invariant("apart", |w| places(w)[0] != places(w)[1])
}
fn places(w: &mut World) -> Vec<i32> {
    QueryState::<&Place>::new(w).query_ref(w).iter().map(|p| p.0).collect()
}
fn options(workers: usize) -> Options {
    // Every level is shared, however small.
    Options { workers, serial_below: 0, check_deadlock: false, ..Options::default() }
}

#[test]
fn explore_finds_a_seeded_mistake_by_the_shortest_way() {
    let mut first = None;
    for workers in [1, 2, 3, 4, 8] {
        let game = lifts(false);
        let outcome = check(&game, &options(workers));
        assert_eq!(outcome.verdict, Verdict::Violated);
        // From 5 floors apart: single steps cannot meet (each looks), both at once close two floors; 5 → 4 → 2 → 0.
        let inputs = game.inputs_of(&outcome.violations[0]);
        assert_eq!(inputs.len(), 3, "a longer way than needed: {inputs:?}");
        let mut end = game.replay(&inputs, |_| {}).unwrap();
        assert_eq!(places(&mut end)[0], places(&mut end)[1], "the replay does not show it");
        let text = game.report(&outcome, |w| format!("{:?}", places(w))).unwrap();
        assert!(text.starts_with("invariant apart does not hold\n  start: [0, 5]\n"), "{text}");
        assert!(text.trim_end().lines().count() == 5, "{text}");
        let said = (text, outcome.statistics.counters.generated, inputs);
        assert_eq!(*first.get_or_insert_with(|| said.clone()), said, "{workers} workers");
    }
}

#[test]
fn explore_reaches_a_fix_point_where_the_rule_is_sound() {
    // A model of the same rule: positions and the last order are all the state there is.
    let mut seen = std::collections::BTreeSet::from([([0, FLOORS - 1], [0, 0])]);
    let mut todo: Vec<_> = seen.iter().copied().collect();
    while let Some((mut at, _)) = todo.pop() {
        let from = at;
        for order in [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, -1]] {
            at = from;
            for me in 0..2 {
                let to = (at[me] + order[me]).clamp(0, FLOORS - 1);
                if to != at[1 - me] {
                    at[me] = to;
                }
            }
            if seen.insert((at, order)) {
                todo.push((at, order));
            }
        }
    }
    let mut first = None;
    for workers in [1, 2, 3, 4, 8] {
        let outcome = check(&lifts(true), &options(workers));
        assert_eq!(outcome.verdict, Verdict::Ok);
        assert_eq!(outcome.statistics.counters.distinct, seen.len() as u64);
        let counters = outcome.statistics.counters;
        assert_eq!(*first.get_or_insert(counters), counters, "{workers} workers");
    }
}

#[test]
fn explore_finds_panics_and_counts_spawns_and_fresh_changes_as_state() {
    #[derive(Resource, Plain, Clone, Copy, Default)]
    struct Grow(u32);
    fn grow(input: Res<Grow>, mut c: Commands, q: Query<Entity, With<A>>) {
        match input.0 {
            0 => {
                c.spawn(A(q.count() as u32));
            }
            1 => {
                if let Some(e) = q.iter().last() {
                    c.despawn(e);
                }
            }
            _ => {}
        }
    }
    fn notice(fresh: Query<&A, Added<A>>, all: Query<&A>) {
        assert!(!(fresh.count() == 1 && all.count() == 3), "three is a crowd");
    }
    let make = || {
        let mut w = World::new();
        w.insert_resource(Grow::default());
        let mut s = Schedule::default();
        s.add(grow);
        s.add(notice).before("grow");
        (w, s)
    };
    let game = Simulation::new(make, |w, g: &u32| w.insert_resource(Grow(*g)), vec![2, 1, 0])
        .within(|w| w.entity_count() < 4);
    let mut first = None;
    for workers in [1, 2, 3, 4, 8] {
        let outcome = check(&game, &options(workers));
        let violation = &outcome.violations[0];
        let ViolationKind::Error(e) = &violation.kind else { panic!("{:?}", violation.kind) };
        assert!(e.message.contains("three is a crowd"), "{e}");
        // Three spawns make three; the frame after them notices that one is fresh.
        assert_eq!(game.inputs_of(violation), [2, 2, 2]);
        let said = game.report(&outcome, |w| w.entity_count().to_string()).unwrap();
        assert_eq!(*first.get_or_insert_with(|| said.clone()), said, "{workers} workers");
    }
}
