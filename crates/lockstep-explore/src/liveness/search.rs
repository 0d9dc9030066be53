//! The search for a lasso that satisfies a formula in a behaviour graph.
//!
//! For every branch of the formula (see [`super::formula`]) the product of the graph with the
//! branch's tableau is searched for a strongly connected component in which all conditions can be
//! met; components that break a Streett pair are cut and searched again (Emerson and Lei,
//! *Modalities for model checking*, 1987). Components come from Tarjan's algorithm with an
//! explicit stack.
//!
//! Invariant: the result depends on the graph and the formula alone.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use lockstep_runtime::WorkerPool;

use super::formula::{Branch, Condition, Formula, branches};
use super::graph::{BehaviorGraph, atom_of};
use super::tableau::Tableau;

/// A behaviour that ends in a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// States from an initial one up to, not including, the first of the cycle.
    pub prefix: Vec<u32>,
    /// The states of the cycle; the last one steps to the first.
    pub cycle: Vec<u32>,
}

impl Lasso {
    /// Whether the cycle stays in one state.
    pub fn is_stuttering(&self) -> bool {
        self.cycle.iter().all(|state| *state == self.cycle[0])
    }

    /// Drops repetitions of a state within the cycle and the prefix: they are stuttering steps
    /// that show nothing. A cycle in one state becomes that state once.
    #[must_use]
    pub fn without_stuttering(mut self) -> Lasso {
        self.cycle.dedup();
        while self.cycle.len() > 1 && self.cycle.first() == self.cycle.last() {
            self.cycle.pop();
        }
        self.prefix.dedup();
        if self.cycle.len() == 1 {
            while self.prefix.last() == self.cycle.first() {
                self.prefix.pop();
            }
        }
        self
    }
}

/// Why no answer could be given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LivenessError {
    /// The formula splits into more branches than the limit.
    TooManyBranches(usize),
    /// The product with the tableau has more nodes than 32 bits can number.
    TooLarge(u64),
}

/// The most branches a formula may split into.
pub const MAX_BRANCHES: usize = 65_536;

/// Searches for a behaviour of `graph` that satisfies `formula`: fairness and the negation of a
/// property, say. Returns the lasso of the first branch that has one.
pub fn find_lasso(
    graph: &BehaviorGraph,
    formula: &Formula,
) -> Result<Option<Lasso>, LivenessError> {
    let mut all = find_lassos(graph, std::slice::from_ref(formula), true, &WorkerPool::new(1));
    all.pop().unwrap_or(Ok(None))
}

/// Searches for a behaviour that satisfies each of several formulas, with all workers of `pool`:
/// every branch of every formula is a search of its own. What is found for a formula is the lasso
/// of its first branch that has one. With `first_only`, formulas after the first with a lasso or
/// an error are answered `None`.
pub fn find_lassos(
    graph: &BehaviorGraph,
    formulas: &[Formula],
    first_only: bool,
    pool: &WorkerPool,
) -> Vec<Result<Option<Lasso>, LivenessError>> {
    let split: Vec<Option<Vec<Branch>>> =
        formulas.iter().map(|formula| branches(formula, MAX_BRANCHES)).collect();
    let mut results: Vec<Result<Option<Lasso>, LivenessError>> = Vec::new();
    let mut tasks = Vec::new();
    for (formula, all) in split.iter().enumerate() {
        results.push(match all {
            Some(_) => Ok(None),
            None => Err(LivenessError::TooManyBranches(MAX_BRANCHES)),
        });
        if all.is_none() && first_only {
            break;
        }
        tasks.extend(all.iter().flatten().map(|branch| (formula, branch)));
    }
    // For each formula the first task that found something; only tasks before it still matter.
    let found: Vec<Mutex<Option<Found>>> = results.iter().map(|_| Mutex::new(None)).collect();
    let lock = |formula: usize| found[formula].lock().unwrap_or_else(PoisonError::into_inner);
    let first_formula = AtomicUsize::new(usize::MAX);
    let ran = pool.for_each_range(tasks.len(), 1, |_, range| {
        for task in range {
            let (formula, branch) = tasks[task];
            // ORDERING: relaxed; seeing it late costs a search that is not needed.
            let is_late = first_only && formula > first_formula.load(Ordering::Relaxed);
            if is_late || lock(formula).as_ref().is_some_and(|it| it.0 < task) {
                continue;
            }
            let result = match Search::new(graph, branch) {
                Ok(search) => match search.run() {
                    Some(lasso) => Ok(lasso),
                    None => continue,
                },
                Err(error) => Err(error),
            };
            let mut best = lock(formula);
            if best.as_ref().is_none_or(|it| task < it.0) {
                *best = Some((task, result));
                first_formula.fetch_min(formula, Ordering::Relaxed);
            }
        }
    });
    if let Err(panic) = ran {
        panic.resume();
    }
    let mut over = false;
    for (formula, result) in results.iter_mut().enumerate() {
        if over {
            *result = Ok(None);
        } else if let Some((_, found)) = lock(formula).take() {
            *result = found.map(Some);
        }
        over |= first_only && !matches!(result, Ok(None));
    }
    results.resize(formulas.len(), Ok(None));
    results
}

/// The task that found something, and what.
type Found = (usize, Result<Lasso, LivenessError>);

/// Searches for a finite behaviour after which `formula` holds however it goes on, as `<>(p /\ <>q)`
/// does once `q` was seen. `is_state` tells the atoms that are about states alone. Only branches
/// without conditions on the cycle can have one; the behaviour is a shortest one of the first
/// branch that does.
pub fn find_prefix(
    graph: &BehaviorGraph,
    formula: &Formula,
    is_state: &dyn Fn(u32) -> bool,
) -> Result<Option<Vec<u32>>, LivenessError> {
    let all =
        branches(formula, MAX_BRANCHES).ok_or(LivenessError::TooManyBranches(MAX_BRANCHES))?;
    for branch in all.iter().filter(|it| it.conditions.is_empty() && !it.rest.is_empty()) {
        if let Some(prefix) = Search::new(graph, branch)?.prefix(is_state) {
            return Ok(Some(prefix));
        }
    }
    Ok(None)
}

/// Nodes of the product are `state * n_particles + particle`.
type Node = u32;

struct Search<'a> {
    graph: &'a BehaviorGraph,
    tableau: Tableau,
    n_particles: u32,
    /// Whether a particle's `now` holds of a class: by class, then by particle.
    now: Vec<bool>,
    /// For every class and condition formula: its truth.
    truth: Vec<Vec<bool>>,
    /// Numbers into `truth` of what must hold on every step of the cycle.
    finally: Vec<usize>,
    /// Numbers into `truth` of what must hold on some step of the cycle.
    infinitely: Vec<usize>,
    /// Numbers into `truth` of Streett pairs.
    streett: Vec<(usize, usize)>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a BehaviorGraph, branch: &Branch) -> Result<Self, LivenessError> {
        let tableau = Tableau::new(&branch.rest);
        let n_particles = tableau.particles.len() as u32;
        let size = u64::from(n_particles) * u64::from(graph.n_states());
        if size >= u64::from(u32::MAX) {
            return Err(LivenessError::TooLarge(size));
        }
        let mut formulas: Vec<Formula> = Vec::new();
        let mut number = |f: &Formula| {
            formulas.iter().position(|it| it == f).unwrap_or_else(|| {
                formulas.push(f.clone());
                formulas.len() - 1
            })
        };
        let (mut finally, mut infinitely, mut streett) = (vec![], vec![], vec![]);
        for condition in &branch.conditions {
            match condition {
                Condition::Finally(p) => finally.push(number(p)),
                Condition::Infinitely(p) => infinitely.push(number(p)),
                Condition::Streett(p, q) => {
                    streett.push((number(p), number(q)));
                }
            }
        }
        let mut now = Vec::new();
        let mut truth = Vec::new();
        for row in &graph.classes {
            let atom = |id| atom_of(row, id);
            now.extend(tableau.particles.iter().map(|it| it.now.iter().all(|f| f.holds(&atom))));
            truth.push(formulas.iter().map(|f| f.holds(&atom)).collect());
        }
        Ok(Self { graph, tableau, n_particles, now, truth, finally, infinitely, streett })
    }

    fn node(&self, state: u32, particle: u32) -> Node {
        state * self.n_particles + particle
    }

    fn split(&self, node: Node) -> (u32, u32) {
        (node / self.n_particles, node % self.n_particles)
    }

    /// Calls `f(successor, class)` for every step of the product. A particle's `now` is about the
    /// step that leaves its state.
    fn for_each_step(&self, node: Node, mut f: impl FnMut(Node, u32)) {
        let (state, particle) = self.split(node);
        for step in self.graph.steps_from(state) {
            if self.now[(step.class * self.n_particles + particle) as usize] {
                for next in &self.tableau.particles[particle as usize].successors {
                    f(self.node(step.to, *next), step.class);
                }
            }
        }
    }

    fn run(&self) -> Option<Lasso> {
        if self.n_particles == 0 {
            return None;
        }
        let size = self.graph.n_states() as usize * self.n_particles as usize;
        // Which component a node belongs to: 0 is none.
        let mut marks = vec![Mark::default(); size];
        let reachable = self.reach(&mut marks);
        // A region is searched with the conditions that its steps must keep.
        let mut todo = vec![(1u32, reachable, self.finally.clone())];
        let mut next_region = 2;
        let mut seen = Seen::default();
        while let Some((id, nodes, keep)) = todo.pop() {
            let components = components_of(self, &nodes, id, &keep, &mut marks);
            for component in components.iter() {
                let here = next_region;
                next_region += 1;
                for node in component {
                    marks[*node as usize].region = here;
                }
                match self.judge(component, here, &keep, &marks, &mut seen) {
                    Judgement::Fair => return Some(self.lasso(component, here, &keep, &marks)),
                    Judgement::Unfair => {}
                    Judgement::Cut(more) => {
                        let mut keep = keep.clone();
                        keep.extend(more);
                        todo.push((here, component.to_vec(), keep));
                    }
                }
            }
        }
        None
    }

    /// The states of a shortest way to a particle that asks for nothing more.
    fn prefix(&self, is_state: &dyn Fn(u32) -> bool) -> Option<Vec<u32>> {
        let particles = &self.tableau.particles;
        let ends: Vec<bool> = (particles.iter())
            .map(|it| it.next.is_empty() && it.now.iter().all(|f| f.is_about(is_state)))
            .collect();
        if !ends.contains(&true) {
            return None;
        }
        let ended = |node: Node| {
            let (state, particle) = self.split(node);
            // What holds of a state is in the class of each of its steps.
            ends[particle as usize]
                && (self.graph.steps_from(state).next()).is_some_and(|step| {
                    self.now[(step.class * self.n_particles + particle) as usize]
                })
        };
        let size = self.graph.n_states() as usize * self.n_particles as usize;
        let starts: Vec<Node> = (self.graph.initial.iter())
            .flat_map(|s| self.tableau.initial.iter().map(|p| self.node(*s, *p)))
            .collect();
        let way = Paths::new(size).find(self, &starts, |_, _| true, ended, None)?;
        let mut states: Vec<u32> = way.into_iter().map(|node| self.split(node).0).collect();
        states.dedup();
        Some(states)
    }

    /// All nodes reachable from the initial ones, in breadth-first order; marks them region 1.
    fn reach(&self, marks: &mut [Mark]) -> Vec<Node> {
        let mut order = Vec::new();
        for state in &self.graph.initial {
            for particle in &self.tableau.initial {
                let node = self.node(*state, *particle);
                if marks[node as usize].region == 0 {
                    marks[node as usize].region = 1;
                    order.push(node);
                }
            }
        }
        let mut done = 0;
        while done < order.len() {
            let node = order[done];
            done += 1;
            self.for_each_step(node, |next, _| {
                if marks[next as usize].region == 0 {
                    marks[next as usize].region = 1;
                    order.push(next);
                }
            });
        }
        order
    }

    /// `keep` holds numbers into `truth`; `usize::MAX - n` means that `n` must be false.
    fn kept(&self, class: u32, keep: &[usize]) -> bool {
        let truth = &self.truth[class as usize];
        keep.iter().all(
            |idx| {
                if *idx > usize::MAX / 2 { !truth[usize::MAX - *idx] } else { truth[*idx] }
            },
        )
    }

    fn judge(
        &self,
        nodes: &[Node],
        here: u32,
        keep: &[usize],
        marks: &[Mark],
        seen: &mut Seen,
    ) -> Judgement {
        let Seen { formulas: seen, kept_promise } = seen;
        seen.clear();
        seen.resize(self.truth.first().map_or(0, Vec::len), false);
        kept_promise.clear();
        kept_promise.resize(self.tableau.n_promises as usize, false);
        let mut has_step = false;
        for node in nodes {
            let (_, particle) = self.split(*node);
            for (promise, kept) in kept_promise.iter_mut().enumerate() {
                let postponed = &self.tableau.particles[particle as usize].postponed;
                *kept |= !postponed.contains(&(promise as u32));
            }
            self.for_each_step(*node, |next, class| {
                // Of a component of one node only the step that stays is inside.
                let inside = if nodes.len() == 1 {
                    next == *node
                } else {
                    marks[next as usize].region == here
                };
                if inside && self.kept(class, keep) {
                    has_step = true;
                    for (seen, holds) in (*seen).iter_mut().zip(&self.truth[class as usize]) {
                        *seen |= holds;
                    }
                }
            });
        }
        if !has_step
            || kept_promise.contains(&false)
            || self.infinitely.iter().any(|idx| !seen[*idx])
        {
            return Judgement::Unfair;
        }
        let broken: Vec<usize> = self
            .streett
            .iter()
            .filter(|(p, q)| seen[*p] && !seen[*q])
            .map(|(p, _)| usize::MAX - *p)
            .collect();
        if broken.is_empty() { Judgement::Fair } else { Judgement::Cut(broken) }
    }

    /// A shortest way into the component, then a short cycle through all that must occur in it.
    fn lasso(&self, nodes: &[Node], here: u32, keep: &[usize], marks: &[Mark]) -> Lasso {
        let size = self.graph.n_states() as usize * self.n_particles as usize;
        let mut member = vec![false; size];
        for node in nodes {
            member[*node as usize] = true;
        }
        let starts: Vec<Node> = self
            .graph
            .initial
            .iter()
            .flat_map(|s| self.tableau.initial.iter().map(|p| self.node(*s, *p)))
            .collect();
        let mut paths = Paths::new(size);
        let way_in = paths.find(self, &starts, |_, _| true, |node| member[node as usize], None);
        let way_in = way_in.unwrap_or_default();
        let Some(&start) = way_in.last() else {
            return Lasso { prefix: vec![], cycle: vec![self.split(nodes[0]).0] };
        };
        // What has to occur: formulas on some step, and particles that keep each promise.
        let mut wanted: Vec<usize> = self.infinitely.clone();
        let seen_p = |idx: usize| {
            nodes.iter().any(|node| {
                let mut found = false;
                self.for_each_step(*node, |next, class| {
                    found |= marks[next as usize].region == here
                        && self.kept(class, keep)
                        && self.truth[class as usize][idx];
                });
                found
            })
        };
        for (p, q) in &self.streett {
            if seen_p(*p) {
                wanted.push(*q);
            }
        }
        let mut promises: Vec<u32> = (0..self.tableau.n_promises).collect();
        let inside =
            |class: u32, next: Node| marks[next as usize].region == here && self.kept(class, keep);
        let mut cycle: Vec<Node> = vec![start];
        let mut current = start;
        let settle = |node: Node, promises: &mut Vec<u32>| {
            let (_, particle) = self.split(node);
            let postponed = &self.tableau.particles[particle as usize].postponed;
            promises.retain(|promise| postponed.contains(promise));
        };
        settle(current, &mut promises);
        loop {
            if let Some(promise) = promises.first().copied() {
                let keeps = |node: Node| {
                    let (_, particle) = self.split(node);
                    !self.tableau.particles[particle as usize].postponed.contains(&promise)
                };
                let Some(path) = paths.find(self, &[current], inside, keeps, None) else { break };
                self.follow(&path, &mut cycle, &mut wanted);
                for node in &path {
                    settle(*node, &mut promises);
                }
                current = *cycle.last().unwrap_or(&current);
                continue;
            }
            let Some(idx) = wanted.first().copied() else { break };
            let Some(path) = paths.find(self, &[current], inside, |_| false, Some(idx)) else {
                break;
            };
            self.follow(&path, &mut cycle, &mut wanted);
            wanted.retain(|it| *it != idx);
            current = *cycle.last().unwrap_or(&current);
        }
        // Close the cycle with at least one step.
        if current != start || cycle.len() == 1 {
            let mut firsts = Vec::new();
            self.for_each_step(current, |next, class| {
                if inside(class, next) {
                    firsts.push(next);
                }
            });
            if let Some(back) = paths.find(self, &firsts, inside, |node| node == start, None) {
                cycle.extend(back);
            }
        }
        if cycle.len() > 1 && cycle.last() == Some(&start) {
            cycle.pop();
        }
        let states = |nodes: &[Node]| nodes.iter().map(|node| self.split(*node).0).collect();
        Lasso { prefix: states(&way_in[..way_in.len() - 1]), cycle: states(&cycle) }
    }

    /// Appends a path to the cycle and strikes out what its steps satisfy. The truth of atoms on a
    /// step depends on its two states alone, so there is one class between two states.
    fn follow(&self, path: &[Node], cycle: &mut Vec<Node>, wanted: &mut Vec<usize>) {
        for pair in path.windows(2) {
            self.for_each_step(pair[0], |next, class| {
                if next == pair[1] {
                    wanted.retain(|idx| !self.truth[class as usize][*idx]);
                }
            });
            cycle.push(pair[1]);
        }
    }
}

/// What the steps and particles of a component show; kept from one component to the next.
#[derive(Default)]
struct Seen {
    formulas: Vec<bool>,
    kept_promise: Vec<bool>,
}

enum Judgement {
    Fair,
    Unfair,
    Cut(Vec<usize>),
}

/// Breadth-first search of the product, with reusable marks.
struct Paths {
    from: Vec<Node>,
    mark: Vec<u32>,
    round: u32,
}

impl Paths {
    fn new(size: usize) -> Self {
        Self { from: vec![0; size], mark: vec![0; size], round: 0 }
    }

    /// A shortest path from one of `starts` to a node with `goal`, or through a step on which
    /// formula `via` holds; its nodes, the start included.
    fn find(
        &mut self,
        search: &Search<'_>,
        starts: &[Node],
        allowed: impl Fn(u32, Node) -> bool,
        goal: impl Fn(Node) -> bool,
        via: Option<usize>,
    ) -> Option<Vec<Node>> {
        self.round += 1;
        let mut queue = VecDeque::new();
        for start in starts {
            if self.mark[*start as usize] != self.round {
                self.mark[*start as usize] = self.round;
                self.from[*start as usize] = *start;
                if goal(*start) {
                    return Some(vec![*start]);
                }
                queue.push_back(*start);
            }
        }
        while let Some(node) = queue.pop_front() {
            let mut hit = None;
            search.for_each_step(node, |next, class| {
                if hit.is_some() || !allowed(class, next) {
                    return;
                }
                if via.is_some_and(|idx| search.truth[class as usize][idx]) {
                    hit = Some(next);
                    return;
                }
                if self.mark[next as usize] != self.round {
                    self.mark[next as usize] = self.round;
                    self.from[next as usize] = node;
                    if goal(next) {
                        hit = Some(next);
                        return;
                    }
                    queue.push_back(next);
                }
            });
            if let Some(last) = hit {
                let mut path = vec![last, node];
                let mut at = node;
                while self.from[at as usize] != at {
                    at = self.from[at as usize];
                    path.push(at);
                }
                path.reverse();
                return Some(path);
            }
        }
        None
    }
}

/// What a search knows of a node; together, because each look at a node is a wait for memory.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// The component or part that it is known to belong to; 0 is none.
    region: u32,
    /// Tarjan's index: 0 before the node is met, [`CLOSED`] when its component is known.
    index: u32,
    low: u32,
}

const CLOSED: u32 = u32::MAX;

struct Frame {
    node: Node,
    /// Where its successors begin in the stack of successors, and which is next.
    first: usize,
    next: usize,
}

/// Components one behind another, each in order; visited by their smallest nodes.
#[derive(Default)]
struct Components {
    nodes: Vec<Node>,
    /// Smallest node, begin and end.
    bounds: Vec<(Node, u32, u32)>,
}

impl Components {
    fn iter(&self) -> impl Iterator<Item = &[Node]> {
        self.bounds.iter().map(|(_, from, to)| &self.nodes[*from as usize..*to as usize])
    }
}

/// The components of one region by Tarjan's algorithm, along the steps that `keep` allows.
fn components_of(
    search: &Search<'_>,
    nodes: &[Node],
    id: u32,
    keep: &[usize],
    marks: &mut [Mark],
) -> Components {
    for node in nodes {
        marks[*node as usize].index = 0;
    }
    // The successors of all nodes on the way, those of the last one on top.
    let mut successors: Vec<Node> = Vec::new();
    let mut counter = 0;
    let mut stack: Vec<Node> = Vec::new();
    let mut frames: Vec<Frame> = Vec::new();
    let mut components = Components::default();
    components.nodes.reserve_exact(nodes.len());
    for root in nodes {
        if marks[*root as usize].index != 0 {
            continue;
        }
        let mut enter = Some(*root);
        loop {
            if let Some(node) = enter.take() {
                counter += 1;
                let mark = &mut marks[node as usize];
                (mark.index, mark.low) = (counter, counter);
                stack.push(node);
                let first = successors.len();
                search.for_each_step(node, |next, class| {
                    // A step that stays is nothing to this algorithm, and every state has one.
                    if next != node && marks[next as usize].region == id && search.kept(class, keep)
                    {
                        successors.push(next);
                    }
                });
                frames.push(Frame { node, first, next: first });
            }
            let Some(frame) = frames.last_mut() else { break };
            let node = frame.node as usize;
            if let Some(next) = successors.get(frame.next).copied() {
                frame.next += 1;
                // A closed one changes nothing: its index is the greatest.
                let index = marks[next as usize].index;
                if index == 0 {
                    enter = Some(next);
                } else {
                    marks[node].low = marks[node].low.min(index);
                }
                continue;
            }
            successors.truncate(frame.first);
            frames.pop();
            if let Some(parent) = frames.last() {
                let parent = parent.node as usize;
                marks[parent].low = marks[parent].low.min(marks[node].low);
            }
            if marks[node].low == marks[node].index {
                let from = components.nodes.len();
                while let Some(top) = stack.pop() {
                    marks[top as usize].index = CLOSED;
                    components.nodes.push(top);
                    if top as usize == node {
                        break;
                    }
                }
                let component = &mut components.nodes[from..];
                component.sort_unstable();
                let to = from + component.len();
                components.bounds.push((component[0], from as u32, to as u32));
            }
        }
    }
    // The order of components must not depend on how deep the search went first.
    components.bounds.sort_unstable();
    components
}
