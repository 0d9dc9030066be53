//! From systems and constraints to waves.
//!
//! One serial order: the order of registration, each system preceded by those that constraints put before it. Conflicting pairs run
//! in that order, so an ambiguity has one resolution, and it can be printed. A system's wave is one after the last wave of those it must follow.
//!
//! Invariant: two systems of one wave do not conflict, and no constraint orders them.

use crate::query::{Access, Conflict};
use std::collections::BTreeMap;

/// Strength of an edge; a stronger one opposite drops a weaker one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// The order of registration of a conflicting pair.
    Registration = 1,
    /// `prefer_before`.
    Preference = 3,
    /// `before` or `after` naming a set.
    Set = 4,
    /// `before` or `after` naming a system.
    System = 5,
}

/// Why one system comes before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The earlier system.
    pub from: u32,
    /// The later system.
    pub to: u32,
    /// How strong the edge is.
    pub strength: Strength,
    /// Who asked for it.
    pub cause: String,
}

/// A circle of constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleError {
    /// Names of the systems on the circle, the first one not repeated.
    pub chain: Vec<String>,
    /// The cause of the edge from each system to the next.
    pub causes: Vec<String>,
}

impl std::fmt::Display for CycleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "the constraints of the schedule form a circle:")?;
        for (i, name) in self.chain.iter().enumerate() {
            let next = &self.chain[(i + 1) % self.chain.len()];
            writeln!(f, "  {name} runs before {next}: {}", self.causes[i])?;
        }
        write!(f, "remove one of these constraints, or weaken one to `prefer_before`")
    }
}
impl std::error::Error for CycleError {}

/// Two conflicting systems that no constraint orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguity {
    /// The one that runs first.
    pub first: u32,
    /// The one that runs second.
    pub second: u32,
    /// Why they conflict.
    pub conflict: Conflict,
}

/// The order of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Systems by wave, by registration within a wave.
    pub waves: Vec<Vec<u32>>,
    /// The serial order.
    pub order: Vec<u32>,
    /// Constraints that hold.
    pub edges: Vec<Edge>,
    /// Constraints that gave way to stronger ones.
    pub dropped: Vec<Edge>,
    /// For every system, why it is not in an earlier wave: the system it follows, and the cause.
    pub holds: Vec<Option<(u32, String)>>,
}

/// Makes the plan. `constraints` are the wanted edges; names are for errors only.
pub(crate) fn build(
    names: &[String],
    accesses: &[Access],
    constraints: &[Edge],
    describe: &dyn Fn(Conflict) -> String,
) -> Result<Plan, CycleError> {
    let n = names.len();
    let mut wanted: BTreeMap<(u32, u32), Edge> = BTreeMap::new();
    for e in constraints {
        let slot = wanted.entry((e.from, e.to)).or_insert_with(|| e.clone());
        if e.strength > slot.strength {
            *slot = e.clone();
        }
    }
    let mut dropped = Vec::new();
    let mut edges: Vec<Edge> = Vec::new();
    for ((from, to), e) in &wanted {
        match wanted.get(&(*to, *from)) {
            Some(opposite) if opposite.strength > e.strength => dropped.push(e.clone()),
            _ => edges.push(e.clone()),
        }
    }
    // Preferences enter one by one and give way when they would close a circle.
    let (mut firm, preferences): (Vec<Edge>, Vec<Edge>) =
        edges.into_iter().partition(|e| e.strength > Strength::Preference);
    if let Some(cycle) = find_cycle(n, &firm) {
        return Err(CycleError {
            chain: cycle.iter().map(|e| names[e.from as usize].clone()).collect(),
            causes: cycle.iter().map(|e| e.cause.clone()).collect(),
        });
    }
    for e in preferences {
        firm.push(e);
        if find_cycle(n, &firm).is_some() {
            dropped.extend(firm.pop());
        }
    }
    let edges = firm;

    let mut before: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (k, e) in edges.iter().enumerate() {
        before[e.to as usize].push(k);
    }
    before.iter_mut().for_each(|list| list.sort_by_key(|&k| edges[k].from));
    let order = serial_order(n, &edges, &before);

    let mut wave = vec![0u32; n];
    let mut holds: Vec<Option<(u32, String)>> = vec![None; n];
    for (k, &i) in order.iter().enumerate() {
        let i = i as usize;
        let mut hold: Option<(u32, Option<usize>, Option<Conflict>)> = None;
        let mut at = 0;
        for &e in &before[i] {
            let from = edges[e].from;
            if wave[from as usize] + 1 > at {
                at = wave[from as usize] + 1;
                hold = Some((from, Some(e), None));
            }
        }
        for &j in &order[..k] {
            if wave[j as usize] + 1 > at
                && let Some(c) = accesses[i].conflict(&accesses[j as usize])
            {
                at = wave[j as usize] + 1;
                hold = Some((j, None, Some(c)));
            }
        }
        wave[i] = at;
        holds[i] = hold.map(|(j, edge, conflict)| {
            let cause = match (edge, conflict) {
                (Some(e), _) => edges[e].cause.clone(),
                (None, Some(c)) => describe(c),
                (None, None) => String::new(),
            };
            (j, cause)
        });
    }
    let count = wave.iter().max().map_or(0, |w| w + 1) as usize;
    let mut waves = vec![Vec::new(); count];
    for i in 0..n {
        waves[wave[i] as usize].push(i as u32);
    }
    Ok(Plan { waves, order, edges, dropped, holds })
}

/// Systems in order of registration, each preceded by what must come before it.
fn serial_order(n: usize, edges: &[Edge], before: &[Vec<usize>]) -> Vec<u32> {
    let mut order = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for start in 0..n {
        if !std::mem::replace(&mut seen[start], true) {
            stack.push((start, 0));
        }
        while let Some((i, next)) = stack.last_mut() {
            match before[*i].get(*next) {
                Some(&k) => {
                    *next += 1;
                    let from = edges[k].from as usize;
                    if !std::mem::replace(&mut seen[from], true) {
                        stack.push((from, 0));
                    }
                }
                None => {
                    order.push(*i as u32);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// The edges of some circle, in order.
fn find_cycle(n: usize, edges: &[Edge]) -> Option<Vec<Edge>> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (k, e) in edges.iter().enumerate() {
        out[e.from as usize].push(k);
    }
    // 0 not seen, 1 on the path, 2 done.
    let mut mark = vec![0u8; n];
    for start in 0..n {
        if mark[start] != 0 {
            continue;
        }
        let mut path: Vec<usize> = Vec::new();
        let mut stack = vec![(start, 0usize)];
        mark[start] = 1;
        while let Some((node, next)) = stack.last_mut() {
            let Some(&k) = out[*node].get(*next) else {
                mark[*node] = 2;
                stack.pop();
                path.pop();
                continue;
            };
            *next += 1;
            let to = edges[k].to as usize;
            match mark[to] {
                0 => {
                    mark[to] = 1;
                    path.push(k);
                    stack.push((to, 0));
                }
                1 => {
                    path.push(k);
                    let from = path.iter().position(|&k| edges[k].from as usize == to).unwrap_or(0);
                    return Some(path[from..].iter().map(|&k| edges[k].clone()).collect());
                }
                _ => {}
            }
        }
    }
    None
}

/// Conflicting pairs that no chain of constraints orders.
pub(crate) fn ambiguities(plan: &Plan, accesses: &[Access]) -> Vec<Ambiguity> {
    let n = accesses.len();
    let words = n.div_ceil(64);
    // reach[i]: systems that some chain puts before `i`.
    let mut reach = vec![0u64; n * words];
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); n];
    for e in &plan.edges {
        before[e.to as usize].push(e.from);
    }
    let mut out = Vec::new();
    for (k, &i) in plan.order.iter().enumerate() {
        let i = i as usize;
        for &j in &before[i] {
            for w in 0..words {
                let bits = reach[j as usize * words + w];
                reach[i * words + w] |= bits;
            }
            reach[i * words + j as usize / 64] |= 1 << (j % 64);
        }
        for &j in &plan.order[..k] {
            if reach[i * words + j as usize / 64] >> (j % 64) & 1 == 0
                && let Some(conflict) = accesses[i].conflict(&accesses[j as usize])
            {
                out.push(Ambiguity { first: j, second: i as u32, conflict });
            }
        }
    }
    out.sort_by_key(|a| (a.first, a.second));
    out
}
