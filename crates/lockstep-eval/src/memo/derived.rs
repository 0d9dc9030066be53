//! Values of state-level definitions as slots of their own.
//!
//! A refinement mapping often takes few values where the variables behind it take many: what looks
//! at the mapping alone is then the same for all those states. So a definition's value gets a
//! number, found by a tree over what the definition reads, and an evaluation that uses the
//! definition has read that number and not what lies behind it.
//!
//! Invariant: the number of a definition's value in a state is a function of the slots that the
//! definition reads there. Numbers are of one worker and never leave it.

use std::ops::ControlFlow;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::layout::SlotId;
use super::trie::{Found, Root, Trie, UNKNOWN};
use crate::error::EvalResult;
use crate::ir::{FunctionId, MemoId, Node, NodeId, Part, Program, VarId, is_effect, visit_below};
use crate::value::{Ctx, Value, equal, force, hash64};

/// How many evaluations of a definition are looked at to judge it.
const TRIAL: u32 = 1 << 10;
/// The most of them, in eighths, that may yield a value not seen before: a definition that tells
/// states apart as the variables do only hides which parts of them an evaluation needs.
const FRESH: u32 = 5;
/// The most values that are kept.
const MAX_VALUES: usize = 1 << 21;

/// The definitions of one worker.
#[derive(Default)]
pub(crate) struct Derived {
    /// By memo number: the tree over what the definition reads, where it has one.
    roots: Vec<Option<Root>>,
    /// By memo number: an expression that yields it.
    nodes: Vec<NodeId>,
    /// By memo number: the variables it may read.
    vars: Vec<Box<[VarId]>>,
    /// How many slots a state has.
    n_slots: usize,
    trie: Trie,
    values: Vec<Value>,
    by_hash: FxHashMap<u64, SmallVec<[u32; 1]>>,
    /// By memo number: how the values of a definition repeat.
    repetition: Vec<Repetition>,
}

/// How the values of a definition repeat.
#[derive(Clone, Copy, Default)]
struct Repetition {
    evaluations: u32,
    fresh: u32,
    /// One more than the greatest number that it yielded.
    next: u32,
}

impl Derived {
    /// The definitions of a program.
    pub(crate) fn new(program: &Program, n_slots: usize) -> Self {
        let mut derived = Derived { n_slots, ..Derived::default() };
        if 2 * (n_slots + program.n_memos as usize) >= usize::from(SlotId::MAX) {
            return derived;
        }
        derived.roots.resize(program.n_memos as usize, None);
        derived.repetition.resize(program.n_memos as usize, Repetition::default());
        derived.nodes.resize(program.n_memos as usize, NodeId(0));
        derived.vars.resize(program.n_memos as usize, Box::default());
        for (at, node) in program.nodes.iter().enumerate() {
            if let Node::StateDef { memo, function } = node
                && derived.roots[memo.index()].is_none()
                && let Some(vars) = variables_of(program, *function)
            {
                derived.roots[memo.index()] = Some(derived.trie.tree());
                derived.nodes[memo.index()] = NodeId(at as u32);
                derived.vars[memo.index()] = vars;
            }
        }
        derived
    }

    /// How many definitions there may be.
    pub(crate) fn len(&self) -> usize {
        self.roots.len()
    }

    /// The first slot number of definitions: those of the present state, then of the next one.
    fn first(&self) -> usize {
        2 * self.n_slots
    }

    /// The slot of a definition.
    pub(crate) fn slot(&self, memo: MemoId, next: bool) -> SlotId {
        (self.first() + memo.index() + if next { self.len() } else { 0 }) as SlotId
    }

    /// Whether the values of a definition are worth their numbers.
    pub(crate) fn is_numbered(&self, memo: MemoId) -> bool {
        let root = self.roots.get(memo.index()).copied().flatten();
        root.is_some_and(|root| !self.trie.is_hopeless(root))
    }

    /// The expression behind a slot number, and whether it is about the next state.
    pub(crate) fn expression(&self, slot: SlotId) -> Option<(NodeId, bool)> {
        let at = usize::from(slot).checked_sub(self.first())?;
        Some((*self.nodes.get(at % self.len().max(1))?, at >= self.len()))
    }

    /// The variables behind a slot number, if it is one of a definition.
    pub(crate) fn variables(&self, slot: SlotId) -> Option<&[VarId]> {
        let at = usize::from(slot).checked_sub(self.first())?;
        self.vars.get(at % self.len().max(1)).map(|it| &**it)
    }

    /// The number in any slot, `here` and `there` giving the slots of the present and the next
    /// state. [`UNKNOWN`] where a definition's value is not known.
    pub(crate) fn read(
        &self,
        slot: SlotId,
        here: &dyn Fn(SlotId) -> u32,
        there: &dyn Fn(SlotId) -> u32,
    ) -> u32 {
        let at = usize::from(slot);
        if at < self.n_slots {
            return here(slot);
        }
        if at < self.first() {
            return there(slot - self.n_slots as SlotId);
        }
        let memo = at - self.first();
        if memo < self.len() {
            self.number(memo, here)
        } else {
            self.number(memo - self.len(), there)
        }
    }

    /// The number of a definition's value in a state.
    pub(crate) fn number(&self, memo: usize, state: &dyn Fn(SlotId) -> u32) -> u32 {
        let Some(root) = self.roots[memo] else { return UNKNOWN };
        match self.trie.find(root, |slot| self.read(slot, state, &|_| UNKNOWN)) {
            Found::Leaf(number) => number,
            Found::Nothing | Found::Blocked(_) => UNKNOWN,
        }
    }

    /// A value by its number.
    pub(crate) fn value(&self, number: u32) -> Value {
        self.values.get(number as usize).map_or(Value::FALSE, Clone::clone)
    }

    /// Keeps what a definition yields where it reads these slots.
    pub(crate) fn insert(
        &mut self,
        memo: MemoId,
        reads: &[SlotId],
        state: &dyn Fn(SlotId) -> u32,
        number: u32,
    ) {
        let Some(root) = self.roots[memo.index()] else { return };
        // Definitions that this one reads are found in the tree that is being added to.
        let row: SmallVec<[(SlotId, u32); 32]> =
            reads.iter().map(|it| (*it, self.read(*it, state, &|_| UNKNOWN))).collect();
        self.trie.insert(
            root,
            reads,
            |slot| row.iter().find(|it| it.0 == slot).map_or(UNKNOWN, |it| it.1),
            number,
        );
        let seen = &mut self.repetition[memo.index()];
        seen.evaluations += 1;
        if number >= seen.next {
            seen.fresh += 1;
            seen.next = number + 1;
        }
        if seen.evaluations == TRIAL {
            if seen.fresh > TRIAL / 8 * FRESH {
                self.trie.give_up(root);
            }
            (seen.evaluations, seen.fresh) = (0, 0);
        }
    }

    /// Whether everything should be forgotten: too much is kept, or a definition proved hopeless.
    pub(crate) fn is_full(&self) -> bool {
        self.values.len() >= MAX_VALUES || self.trie.is_full()
    }

    /// Whether a definition proved hopeless since the last call.
    pub(crate) fn gave_up(&self) -> bool {
        self.trie.gave_up()
    }

    /// Forgets all values. What was read under their numbers must be forgotten with them.
    pub(crate) fn clear(&mut self) {
        self.trie.clear();
        self.values.clear();
        self.by_hash.clear();
        self.repetition.fill(Repetition::default());
    }
}

/// The number of a value; it must not be lazy.
pub(crate) fn number_of(ctx: &mut Ctx, value: &Value) -> EvalResult<(u32, Value)> {
    let value = force(ctx, value)?;
    let hash = hash64(ctx, &value)?;
    let same: SmallVec<[u32; 1]> =
        ctx.reads.derived.by_hash.get(&hash).cloned().unwrap_or_default();
    for number in same {
        let known = ctx.reads.derived.value(number);
        if equal(ctx, &known, &value)? {
            return Ok((number, known));
        }
    }
    let derived = &mut ctx.reads.derived;
    let number = derived.values.len() as u32;
    derived.values.push(value.clone());
    derived.by_hash.entry(hash).or_default().push(number);
    Ok((number, value))
}

/// The variables that a definition may read; `None` if it looks further than the present state or
/// is not worth a number.
fn variables_of(program: &Program, function: FunctionId) -> Option<Box<[VarId]>> {
    let mut vars = FxHashSet::default();
    let known = visit_below(program, Part::Calls(function), &mut |part| match part {
        Part::Node(id) => match program.node(id) {
            Node::Cur(var) => {
                vars.insert(*var);
                ControlFlow::Continue(())
            }
            Node::Next(_) => ControlFlow::Break(()),
            node if is_effect(node) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        },
        Part::Act(_) | Part::CallsAct(_) => ControlFlow::Break(()),
        Part::Calls(_) | Part::Binds(..) | Part::Reads(_) => ControlFlow::Continue(()),
    });
    if known.is_break() {
        return None;
    }
    let mut vars: Vec<VarId> = vars.into_iter().collect();
    vars.sort_unstable();
    vars.iter().all(|it| usize::from(*it) < program.n_variables()).then(|| vars.into())
}
