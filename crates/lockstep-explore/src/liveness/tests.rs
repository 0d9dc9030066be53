//! The search against a naive oracle on random graphs and formulas.
//!
//! The oracle guesses the truth of every temporal subformula at every step and looks for a
//! self-fulfilling component; it shares nothing with the search but the `Formula` type. Every
//! lasso found is evaluated directly as well.

use super::*;
use std::collections::BTreeMap;

/// A small random number generator (xorshift), so that a failure is its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

/// Atoms 0 and 1 are about states, 2 and 3 about steps.
fn random_graph(random: &mut Random) -> BehaviorGraph {
    let n = 1 + random.below(5);
    let mut classes = Classes::default();
    let state_bits: Vec<u64> = (0..n).map(|_| u64::from(random.below(4))).collect();
    let mut steps = Vec::new();
    for from in 0..n {
        for to in 0..n {
            if from == to || random.below(3) == 0 {
                let bits = state_bits[from as usize] | u64::from(random.below(4)) << 2;
                steps.push((from, Step { to, class: classes.intern(&[bits]) }));
            }
        }
    }
    BehaviorGraph::new(n, vec![random.below(n)], &steps, classes.rows().to_vec())
}

fn random_formula(random: &mut Random, depth: u32) -> Formula {
    if depth == 0 {
        return Formula::Atom(random.below(4));
    }
    let sub = |random: &mut Random| random_formula(random, depth - 1);
    match random.below(8) {
        0 => Formula::Atom(random.below(4)),
        1 => sub(random).negated(),
        2 => Formula::And(vec![sub(random), sub(random)]),
        3 => Formula::Or(vec![sub(random), sub(random)]),
        4 | 5 => sub(random).always(),
        _ => sub(random).eventually(),
    }
}

/// The truth of a formula at every position of a lasso word, from the last position back.
fn on_word(f: &Formula, rows: &[&[u64]], start: usize) -> Vec<bool> {
    let n = rows.len();
    match f {
        Formula::True => vec![true; n],
        Formula::False => vec![false; n],
        Formula::Atom(id) => rows.iter().map(|row| atom_of(row, *id)).collect(),
        Formula::Not(f) => on_word(f, rows, start).iter().map(|it| !it).collect(),
        Formula::And(fs) => fs.iter().fold(vec![true; n], |all, f| {
            all.iter().zip(on_word(f, rows, start)).map(|(a, b)| *a && b).collect()
        }),
        Formula::Or(fs) => fs.iter().fold(vec![false; n], |all, f| {
            all.iter().zip(on_word(f, rows, start)).map(|(a, b)| *a || b).collect()
        }),
        Formula::Always(inner) | Formula::Eventually(inner) => {
            let always = matches!(f, Formula::Always(_));
            let inner = on_word(inner, rows, start);
            let cycle = &inner[start..];
            let in_cycle = if always { cycle.iter().all(|it| *it) } else { cycle.contains(&true) };
            let mut result = vec![in_cycle; n];
            for idx in (0..start).rev() {
                result[idx] = if always {
                    inner[idx] && result[idx + 1]
                } else {
                    inner[idx] || result[idx + 1]
                };
            }
            result
        }
    }
}

fn lasso_satisfies(graph: &BehaviorGraph, lasso: &Lasso, f: &Formula) -> bool {
    let states: Vec<u32> = lasso.prefix.iter().chain(&lasso.cycle).copied().collect();
    assert!(graph.initial.contains(&states[0]), "starts in an initial state");
    let mut rows: Vec<&[u64]> = Vec::new();
    for (idx, from) in states.iter().enumerate() {
        let to = states.get(idx + 1).copied().unwrap_or(lasso.cycle[0]);
        let step = graph.steps_from(*from).find(|step| step.to == to);
        rows.push(&graph.classes[step.expect("a step of the graph").class as usize]);
    }
    on_word(f, &rows, lasso.prefix.len())[0]
}

fn temporal_parts(f: &Formula, parts: &mut Vec<Formula>) {
    match f {
        Formula::True | Formula::False | Formula::Atom(_) => {}
        Formula::Not(f) => temporal_parts(f, parts),
        Formula::And(fs) | Formula::Or(fs) => fs.iter().for_each(|f| temporal_parts(f, parts)),
        Formula::Always(inner) | Formula::Eventually(inner) => {
            temporal_parts(inner, parts);
            if !parts.contains(f) {
                parts.push(f.clone());
            }
        }
    }
}

fn guessed(f: &Formula, row: &[u64], parts: &[Formula], guess: u32) -> bool {
    match f {
        Formula::True => true,
        Formula::False => false,
        Formula::Atom(id) => atom_of(row, *id),
        Formula::Not(f) => !guessed(f, row, parts, guess),
        Formula::And(fs) => fs.iter().all(|f| guessed(f, row, parts, guess)),
        Formula::Or(fs) => fs.iter().any(|f| guessed(f, row, parts, guess)),
        Formula::Always(_) | Formula::Eventually(_) => {
            let idx = parts.iter().position(|it| it == f).expect("a temporal part");
            guess >> idx & 1 == 1
        }
    }
}

/// Whether some behaviour of the graph satisfies `f`.
fn oracle(graph: &BehaviorGraph, f: &Formula) -> bool {
    let mut parts = Vec::new();
    temporal_parts(f, &mut parts);
    let guesses = 1u32 << parts.len();
    // Nodes: (from, step, guess).
    let mut nodes = Vec::new();
    for from in 0..graph.n_states() {
        for step in graph.steps_from(from) {
            nodes.extend((0..guesses).map(|guess| (from, step, guess)));
        }
    }
    let row = |node: &(u32, Step, u32)| &graph.classes[node.1.class as usize];
    let bit = |guess: u32, idx: usize| guess >> idx & 1 == 1;
    let follows = |a: &(u32, Step, u32), b: &(u32, Step, u32)| {
        a.1.to == b.0
            && parts.iter().enumerate().all(|(idx, part)| {
                let later = bit(b.2, idx);
                bit(a.2, idx)
                    == match part {
                        Formula::Always(inner) => guessed(inner, row(a), &parts, a.2) && later,
                        Formula::Eventually(inner) => guessed(inner, row(a), &parts, a.2) || later,
                        _ => unreachable!("temporal parts only"),
                    }
            })
    };
    let next: Vec<Vec<usize>> = nodes
        .iter()
        .map(|a| (0..nodes.len()).filter(|b| follows(a, &nodes[*b])).collect())
        .collect();
    let reach = |starts: Vec<usize>| {
        let mut seen = vec![false; nodes.len()];
        let mut todo = starts;
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                todo.extend(&next[node]);
            }
        }
        seen
    };
    let starts: Vec<usize> = (0..nodes.len())
        .filter(|idx| {
            let node = &nodes[*idx];
            graph.initial.contains(&node.0) && guessed(f, row(node), &parts, node.2)
        })
        .collect();
    let reachable = reach(starts);
    let from: Vec<Vec<bool>> = (0..nodes.len())
        .map(|idx| if reachable[idx] { reach(next[idx].clone()) } else { vec![] })
        .collect();
    (0..nodes.len()).any(|idx| {
        reachable[idx] && from[idx][idx] && {
            // The component of `idx`.
            let members: Vec<usize> =
                (0..nodes.len()).filter(|b| from[idx][*b] && from[*b][idx]).collect();
            parts.iter().enumerate().all(|(part_idx, part)| {
                members.iter().any(|member| {
                    let node = &nodes[*member];
                    match part {
                        Formula::Always(inner) => {
                            bit(node.2, part_idx) || !guessed(inner, row(node), &parts, node.2)
                        }
                        Formula::Eventually(inner) => {
                            !bit(node.2, part_idx) || guessed(inner, row(node), &parts, node.2)
                        }
                        _ => unreachable!("temporal parts only"),
                    }
                })
            })
        }
    })
}

#[test]
fn agrees_with_the_oracle_on_random_graphs_and_formulas() {
    let mut verdicts = BTreeMap::new();
    for seed in 1..=10_000u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let graph = random_graph(&mut random);
        let depth = 1 + random.below(3);
        let formula = random_formula(&mut random, depth);
        let mut parts = Vec::new();
        temporal_parts(&formula, &mut parts);
        if parts.len() > 4 {
            continue;
        }
        let found = find_lasso(&graph, &formula).expect("within the limits");
        if let Some(lasso) = &found {
            assert!(
                lasso_satisfies(&graph, lasso, &formula),
                "seed {seed}: {lasso:?} does not satisfy {formula:?} in {graph:?}"
            );
        }
        assert_eq!(found.is_some(), oracle(&graph, &formula), "seed {seed}: {formula:?} {graph:?}");
        *verdicts.entry(found.is_some()).or_insert(0) += 1;
    }
    // Neither answer may be rare, else the test shows little.
    assert!(verdicts[&true] > 2_000 && verdicts[&false] > 1_000, "{verdicts:?}");
}

#[test]
fn strong_fairness_rules_out_what_weak_fairness_allows() {
    // State 0 <-> 1; in 0 the action `go` to 2 is enabled, in 1 it is not.
    // Atom 0: in state 2. Atom 1: go is enabled. Atom 2: go is taken.
    let mut classes = Classes::default();
    let zero = classes.intern(&[0b010]);
    let go = classes.intern(&[0b110]);
    let one = classes.intern(&[0b000]);
    let two = classes.intern(&[0b001]);
    let steps = [
        (0, Step { to: 0, class: zero }),
        (0, Step { to: 1, class: zero }),
        (0, Step { to: 2, class: go }),
        (1, Step { to: 1, class: one }),
        (1, Step { to: 0, class: one }),
        (2, Step { to: 2, class: two }),
    ];
    let graph = BehaviorGraph::new(3, vec![0], &steps, classes.rows().to_vec());
    let (enabled, taken) = (Formula::Atom(1), Formula::Atom(2));
    let weak = Formula::Or(vec![enabled.clone().negated(), taken.clone()]).eventually().always();
    let strong =
        Formula::Or(vec![enabled.negated().always().eventually(), taken.eventually().always()]);
    // Going between 0 and 1 for ever, so that `1` is left again and again.
    let moving = Formula::Or(vec![Formula::Atom(1)]).eventually().always();
    let never = Formula::Atom(0).eventually().negated();
    let with = |fair: Formula| {
        find_lasso(&graph, &Formula::And(vec![fair, moving.clone(), never.clone()])).unwrap()
    };
    let lasso = with(weak).expect("weak fairness allows 0 -> 1 -> 0");
    assert_eq!(lasso.without_stuttering(), Lasso { prefix: vec![], cycle: vec![0, 1] });
    assert_eq!(with(strong), None);
}

#[test]
fn fairness_of_one_kind_stays_one_branch() {
    let pair = |idx: u32| {
        Formula::Or(vec![
            Formula::Atom(idx).negated().always().eventually(),
            Formula::Atom(idx + 1).eventually().always(),
        ])
    };
    let many = Formula::And((0..40).map(pair).collect());
    let all = branches(&many, 16).expect("few branches");
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].conditions.len(), 40);
    assert!(all[0].conditions.iter().all(|it| matches!(it, Condition::Streett(..))));
}

#[test]
fn boxes_under_a_diamond_and_diamonds_under_a_box_come_to_an_end() {
    let (a, b) = (Formula::Atom(0), Formula::Atom(1));
    // <>([]<>a /\ []b) is []<>a /\ <>[]b, and [](<>[]a \/ <>b) is <>[]a \/ []<>b.
    let often = a.clone().eventually().always();
    let f = conjunction([often.clone(), b.clone().always()]).eventually();
    assert_eq!(f.normal(), conjunction([often, b.clone().always().eventually()]));
    let stays = a.always().eventually();
    let f = disjunction([stays.clone(), b.clone().eventually()]).always();
    assert_eq!(f.normal(), disjunction([stays, b.eventually().always()]));
}
