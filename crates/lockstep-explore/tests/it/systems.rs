//! Systems to explore, and a naive explorer to compare with.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;

use lockstep_explore::{
    ActionId, Codec, ConstraintId, Context, Emit, Failure, Fingerprint, Model, PropertyId,
    TransitionSystem, fingerprint_of,
};

/// Counters that go round; every state has as many successors as there are counters.
pub(crate) struct Grid {
    pub counters: usize,
    pub modulus: u8,
}

impl Model for Grid {
    type State = Vec<u8>;
    const NAMES: &'static [&'static str] = &["tick"];

    fn initial(&self) -> Vec<Vec<u8>> {
        vec![vec![0; self.counters]]
    }

    fn successors(&self, state: &Vec<u8>, emit: Emit<'_, Vec<u8>>) {
        for i in 0..self.counters {
            let mut next = state.clone();
            next[i] = (next[i] + 1) % self.modulus;
            emit("tick", next);
        }
    }
}

/// The sliding puzzle of 3 by 3: every step can be taken back, levels swell and shrink.
pub(crate) struct Puzzle;

impl Model for Puzzle {
    type State = [u8; 9];
    const NAMES: &'static [&'static str] = &["up", "down", "left", "right"];

    fn initial(&self) -> Vec<[u8; 9]> {
        vec![[0, 1, 2, 3, 4, 5, 6, 7, 8]]
    }

    fn successors(&self, state: &[u8; 9], emit: Emit<'_, [u8; 9]>) {
        let hole = state.iter().position(|tile| *tile == 0).unwrap();
        let mut slide = |name, to: usize| {
            let mut next = *state;
            next.swap(hole, to);
            emit(name, next);
        };
        if hole >= 3 {
            slide("up", hole - 3);
        }
        if hole < 6 {
            slide("down", hole + 3);
        }
        if hole % 3 > 0 {
            slide("left", hole - 1);
        }
        if hole % 3 < 2 {
            slide("right", hole + 1);
        }
    }
}

/// What is wrong with a random graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    Invariant,
    Step,
    Deadlock,
    SuccessorError,
    InvariantError,
    StepError,
    FingerprintError,
    Panic,
    InvariantPanic,
}

/// A graph drawn from a seed. States are shared numbers that must not cross threads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Graph {
    pub seed: u64,
    pub nodes: u64,
    pub degree: u64,
    pub fault: Fault,
    /// One in so many states or steps has the fault.
    pub rarity: u64,
    /// One in so many states is outside the model; 0 for none.
    pub outside: u64,
}

pub(crate) fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Graph {
    fn draw(&self, what: u64, state: u64) -> u64 {
        mix(mix(self.seed ^ what << 56) ^ state)
    }

    fn hits(&self, fault: Fault, state: u64) -> bool {
        self.fault == fault && state > 20 && self.draw(1, state).is_multiple_of(self.rarity)
    }

    fn is_outside(&self, state: u64) -> bool {
        self.outside > 0 && state > 3 && self.draw(2, state).is_multiple_of(self.outside)
    }

    pub(crate) fn next(&self, state: u64) -> Vec<(u32, u64)> {
        if self.hits(Fault::Deadlock, state) {
            return Vec::new();
        }
        (0..1 + self.draw(3, state) % self.degree)
            .map(|i| {
                let to = match i % 3 {
                    0 => (state * 2 + 1) % self.nodes,
                    1 => self.draw(4 + i, state) % self.nodes,
                    _ => self.draw(4 + i, state) % (state + 1),
                };
                ((i % 5) as u32, to)
            })
            .collect()
    }

    pub(crate) fn roots(&self) -> Vec<u64> {
        vec![0, 1, 1, 2]
    }
}

impl TransitionSystem for Graph {
    /// Counts what it was asked; is not to be sent.
    type Worker = Rc<u64>;
    type State = Rc<u64>;
    type Error = String;

    fn worker(&self, index: usize) -> Rc<u64> {
        Rc::new(index as u64)
    }

    fn initial(
        &self,
        _cx: &Context<'_>,
        worker: &mut Rc<u64>,
        mut emit: impl FnMut(&mut Rc<u64>, Rc<u64>) -> ControlFlow<()>,
    ) -> Result<(), String> {
        for root in self.roots() {
            if emit(worker, Rc::new(root)).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn successors(
        &self,
        _cx: &Context<'_>,
        worker: &mut Rc<u64>,
        state: &Rc<u64>,
        mut emit: impl FnMut(&mut Rc<u64>, ActionId, Rc<u64>) -> ControlFlow<()>,
    ) -> Result<(), String> {
        for (i, (action, to)) in self.next(**state).into_iter().enumerate() {
            if i == 1 && self.hits(Fault::SuccessorError, **state) {
                return Err(format!("no successor of {state}"));
            }
            assert!(i != 1 || !self.hits(Fault::Panic, **state), "fell at {state}");
            if emit(worker, ActionId(action), Rc::new(to)).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn fingerprint(&self, _worker: &mut Rc<u64>, state: &Rc<u64>) -> Result<Fingerprint, String> {
        if self.hits(Fault::FingerprintError, **state) {
            return Err(format!("no view of {state}"));
        }
        Ok(fingerprint_of(&state.to_le_bytes()))
    }

    fn encode(&self, _worker: &mut Rc<u64>, state: &Rc<u64>, out: &mut Vec<u8>) {
        state.write(out);
    }

    fn decode(&self, _worker: &mut Rc<u64>, mut bytes: &[u8]) -> Rc<u64> {
        Rc::new(u64::read(&mut bytes))
    }

    fn check_state(
        &self,
        _cx: &Context<'_>,
        _worker: &mut Rc<u64>,
        state: &Rc<u64>,
    ) -> Result<(), Failure<String>> {
        assert!(!self.hits(Fault::InvariantPanic, **state), "fell on {state}");
        if self.hits(Fault::InvariantError, **state) {
            return Err(Failure::Error(format!("no value in {state}")));
        }
        if self.hits(Fault::Invariant, **state) {
            return Err(Failure::Violated(PropertyId((**state % 3) as u32)));
        }
        Ok(())
    }

    fn check_step(
        &self,
        _cx: &Context<'_>,
        _worker: &mut Rc<u64>,
        from: &Rc<u64>,
        _action: ActionId,
        to: &Rc<u64>,
    ) -> Result<(), Failure<String>> {
        let step = 21 + self.draw(9, **from ^ **to << 32);
        if self.hits(Fault::StepError, step) {
            return Err(Failure::Error(format!("no value from {from} to {to}")));
        }
        if self.hits(Fault::Step, step) {
            return Err(Failure::Violated(PropertyId(7)));
        }
        Ok(())
    }

    fn excluded(
        &self,
        _cx: &Context<'_>,
        _worker: &mut Rc<u64>,
        state: &Rc<u64>,
    ) -> Result<Option<ConstraintId>, String> {
        Ok(self.is_outside(**state).then_some(ConstraintId(1)))
    }
}

/// What a naive search of a graph without faults counts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Naive {
    pub generated: u64,
    pub levels: Vec<u64>,
    pub excluded: u64,
    pub by_action: BTreeMap<u32, u64>,
}

pub(crate) fn naive(graph: &Graph) -> Naive {
    let mut found = Naive::default();
    let mut seen = BTreeSet::new();
    let mut level: Vec<u64> = Vec::new();
    for root in graph.roots() {
        found.generated += 1;
        if seen.insert(root) {
            level.push(root);
        }
    }
    while !level.is_empty() {
        found.levels.push(level.len() as u64);
        let mut next = Vec::new();
        for state in level {
            for (action, to) in graph.next(state) {
                found.generated += 1;
                *found.by_action.entry(action).or_default() += 1;
                if graph.is_outside(to) {
                    found.excluded += 1;
                } else if seen.insert(to) {
                    next.push(to);
                }
            }
        }
        level = next;
    }
    found
}
