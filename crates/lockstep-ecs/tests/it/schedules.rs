//! Behaviours 33 to 40: what a schedule makes of its systems; states, conditions and sets.

use crate::kit::*;
use crate::modes;
use lockstep_ecs::schedule::{BuildError, NextState, State, Strength};
use lockstep_ecs::*;
use std::collections::BTreeMap;

fn build(f: impl FnOnce(&mut Schedule)) -> (World, Schedule) {
    let mut w = World::new();
    let mut s = Schedule::default();
    f(&mut s);
    s.build(&mut w).unwrap();
    (w, s)
}
fn waves(s: &Schedule) -> Vec<Vec<String>> {
    s.explain().waves.iter().map(|w| w.iter().map(|n| n.name.clone()).collect()).collect()
}

fn read_a(_: Query<&A>) {}
fn write_a(mut q: Query<&mut A>) {
    q.for_each(|a| a.0 += 1);
}
fn read_b(_: Query<&B>) {}
pub(crate) fn write_b(mut q: Query<&mut B>) {
    q.for_each(|b| b.0 += 1);
}
fn write_a_with_tag(mut q: Query<&mut A, With<Tag>>) {
    q.for_each(|a| a.0 *= 3);
}
fn write_a_without_tag(mut q: Query<&mut A, Without<Tag>>) {
    q.for_each(|a| a.0 *= 5);
}
fn read_log(_: Res<Log>) {}
fn write_log(mut l: ResMut<Log>) {
    l.0.push(1);
}
fn write_s(mut q: Query<&mut S>) {
    q.for_each(|s| s.0 += 1);
}
fn read_ab(_: Query<(&A, Option<&B>)>) {}
fn changed_a(_: Query<&B, Changed<A>>) {}
fn exclusive(w: &mut World) {
    w.spawn(B(77));
}

#[test]
fn b33_resources_take_part_in_the_conflict_graph() {
    let (_, s) = build(|s| {
        s.add(read_log);
        s.add(read_log).name("read_log_2");
        s.add(write_log);
        s.add(write_b);
    });
    assert_eq!(waves(&s), [vec!["read_log", "read_log_2", "write_b"], vec!["write_log"]]);
    let cause = s.explain().conflicts;
    assert!(cause.iter().all(|c| c.2.contains("resource") && c.2.contains("Log")), "{cause:?}");
}

#[test]
fn b34_access_comes_from_types() {
    let (_, s) = build(|s| {
        s.add(write_a);
        s.add(changed_a); // reads ticks of A, so it waits for the writer
        s.add(write_a_with_tag);
        s.add(write_a_without_tag);
    });
    assert_eq!(
        waves(&s),
        [vec!["write_a"], vec!["changed_a"], vec!["write_a_with_tag", "write_a_without_tag"]]
    );
    // Parameters that contradict each other are refused by name (where the compiler could not see it).
    #[derive(Component, Plain, Clone)]
    struct Gen<T: Plain + Send + Sync>(T);
    fn twice(_: Query<&mut Gen<u32>>, _: Query<&Gen<u32>>) {}
    let mut s = Schedule::default();
    s.add(twice);
    let error = s.build(&mut World::new()).unwrap_err().to_string();
    assert!(error.contains("twice") && error.contains("Gen"), "{error}");
    fn res_twice(_: ResMut<Log>, _: Res<Log>) {}
    let mut s = Schedule::default();
    s.add(res_twice);
    assert!(matches!(s.build(&mut World::new()), Err(BuildError::System { .. })));
}

#[test]
fn b35_stronger_constraints_win_and_unknown_names_are_errors() {
    let (_, s) = build(|s| {
        s.set("physics").before("write_b");
        s.add(read_a).in_set("physics").after("write_b"); // a system's own word is stronger than its set's
        s.add(write_b).prefer_before("read_a");
    });
    assert_eq!(waves(&s), [vec!["write_b"], vec!["read_a"]]);
    let (_, s) = build(|s| {
        s.add(write_a).prefer_before("read_b"); // gives way
        s.add(read_b).before("write_a");
    });
    assert_eq!(waves(&s), [vec!["read_b"], vec!["write_a"]]);
    assert_eq!(s.explain().dropped.len(), 1);
    assert!(
        Strength::System > Strength::Set
            && Strength::Set > Strength::Preference
            && Strength::Preference > Strength::Registration
    );
    let (_, s) = build(|s| {
        s.add(write_a);
        s.add(read_a).before("write_a"); // against registration order
    });
    assert_eq!(waves(&s), [vec!["read_a"], vec!["write_a"]]);
    let mut s = Schedule::default();
    s.add(read_a).after("no_such_system");
    let error = s.build(&mut World::new()).unwrap_err();
    assert!(error.to_string().contains("no_such_system") && error.to_string().contains("read_a"));
}

#[test]
fn b36_cycles_name_chain_and_causes() {
    let mut s = Schedule::default();
    s.add(read_a).before("read_b");
    s.add(read_b).before("read_log");
    s.add(read_log).in_set("last");
    s.set("last").before("read_a");
    let error = s.build(&mut World::new()).unwrap_err();
    let BuildError::Cycle(cycle) = &error else { panic!("{error}") };
    assert_eq!(cycle.chain, ["read_a", "read_b", "read_log"]);
    assert_eq!(
        error.to_string(),
        "the constraints of the schedule form a circle:\n  read_a runs before read_b: read_a is declared before read_b\n  read_b runs before read_log: read_b is declared before read_log\n  read_log runs before read_a: the set last is declared before read_a\nremove one of these constraints, or weaken one to `prefer_before`"
    );
}

#[test]
fn b37_waves_are_topological_and_complete() {
    let (_, s) = build(|s| {
        s.add(read_a);
        s.add(read_ab);
        s.add(write_b);
        s.add(exclusive);
        s.add(read_b);
        s.add(read_b).name("read_b_2");
        s.add(write_a).before("read_a");
    });
    assert_eq!(
        waves(&s),
        [
            vec!["write_a"],
            vec!["read_a", "read_ab"],
            vec!["write_b"],
            vec!["exclusive"],
            vec!["read_b", "read_b_2"]
        ]
    );
}

type Add = fn(&mut Schedule);
/// Systems with what they touch, written down by hand: the oracle of `b39`.
const POOL: &[(&str, Add, &[&str], &[&str])] = &[
    ("read_a", |s| drop(s.add(read_a)), &["A"], &[]),
    ("write_a", |s| drop(s.add(write_a)), &[], &["A"]),
    ("read_b", |s| drop(s.add(read_b)), &["B"], &[]),
    ("write_b", |s| drop(s.add(write_b)), &[], &["B"]),
    ("read_log", |s| drop(s.add(read_log)), &["Log"], &[]),
    ("write_log", |s| drop(s.add(write_log)), &[], &["Log"]),
    ("write_s", |s| drop(s.add(write_s)), &[], &["S"]),
    ("read_ab", |s| drop(s.add(read_ab)), &["A", "B"], &[]),
    ("changed_a", |s| drop(s.add(changed_a)), &["A", "B"], &[]),
];

#[test]
fn b38_equal_registrations_equal_plans() {
    for seed in 0..20 {
        let plan = || {
            let mut r = Rng(seed);
            let (_, s) = build(|s| {
                for _ in 0..12 {
                    POOL[r_below(&mut r, POOL.len())].1(s);
                }
            });
            (s.explain(), s.explain().to_text())
        };
        assert_eq!(plan(), plan());
    }
    fn r_below(r: &mut Rng, n: usize) -> usize {
        r.below(n)
    }
}

#[test]
fn b39_no_wave_shares_a_write() {
    let oracle: BTreeMap<&str, (&[&str], &[&str])> =
        POOL.iter().map(|p| (p.0, (p.2, p.3))).collect();
    for seed in 0..60 {
        let mut r = Rng(seed);
        let picks: Vec<usize> = (0..15).map(|_| r.below(POOL.len())).collect();
        let (_, s) = build(|s| picks.iter().for_each(|&k| POOL[k].1(s)));
        let plan = waves(&s);
        assert_eq!(plan.iter().map(Vec::len).sum::<usize>(), 15);
        for wave in &plan {
            for (i, a) in wave.iter().enumerate() {
                for b in &wave[..i] {
                    let (ra, wa) = oracle[a.as_str()];
                    let (rb, wb) = oracle[b.as_str()];
                    let clash = wa.iter().any(|x| wb.contains(x) || rb.contains(x))
                        || wb.iter().any(|x| ra.contains(x));
                    assert!(!clash, "{a} and {b} share a wave");
                }
            }
        }
    }
}

struct Handle(std::rc::Rc<std::cell::Cell<u32>>);

#[test]
fn b40_pinned_systems_run_on_the_caller() {
    fn pinned(h: NonSend<Handle>, q: Query<&A>, mut c: Commands) {
        h.0.set(h.0.get() + q.count() as u32);
        c.spawn(A(h.0.get()));
    }
    modes::all(|x| {
        let mut w = World::new();
        let count = std::rc::Rc::new(std::cell::Cell::new(0));
        w.insert_non_send(Handle(count.clone()));
        w.insert_resource(Log::default());
        w.spawn_batch((0..2000).map(A));
        let mut s = Schedule::default();
        s.add(write_b);
        s.add(write_log);
        s.add(pinned); // a use on another thread would panic in the cell's check
        s.set_executor(x);
        for _ in 0..3 {
            s.run(&mut w).unwrap();
        }
        assert!(s.explain().waves[0].iter().any(|n| n.name == "pinned" && n.pinned));
        (count.get(), w.hash())
    });
}

#[test]
fn states_conditions_and_sets() {
    #[derive(Plain, Clone, PartialEq, Debug)]
    enum Phase {
        Menu,
        Play,
    }
    fn start(mut n: ResMut<NextState<Phase>>) {
        n.0 = Some(Phase::Play);
    }
    fn note(k: u64) -> impl FnMut(ResMut<Log>) + Send + 'static {
        move |mut l: ResMut<Log>| l.0.push(k)
    }
    let out = modes::frames(
        4,
        |w, s| {
            w.insert_resource(Log::default());
            s.add_state(w, Phase::Menu);
            s.add(note(1)).name("menu").run_if(schedule::in_state(Phase::Menu));
            s.add(note(2)).name("enter").run_if(schedule::entered(Phase::Play));
            s.add(note(3)).name("leave").run_if(schedule::left(Phase::Menu));
            s.add(note(4)).name("play").run_if(schedule::in_state(Phase::Play));
            s.add(note(5)).name("once").run_if(schedule::run_once);
            s.add(start).run_if(schedule::in_state(Phase::Menu));
        },
        |w| {
            assert!(w.resource::<State<Phase>>().is_some());
            std::mem::take(&mut w.resource_mut::<Log>().unwrap().0)
        },
    );
    assert_eq!(out, [vec![1, 5], vec![2, 3, 4], vec![4], vec![4]]);
}
