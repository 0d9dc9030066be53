//! Successors and predicates on slots: one worker's tier, and what the tiers of all workers share.

mod idle;
mod invariants;
mod pieces;
mod states;

use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use smallvec::SmallVec;

use idle::Idle;
use invariants::{InvariantPart, PartHere, take_apart};
pub(crate) use pieces::PieceKind;
use pieces::{Piece, literal_domains, pieces_of};
use states::Ids;
pub use states::{Form, SlotState};

use super::derived::Derived;
use super::interner::{Interner, LocalValues};
use super::layout::{Layout, Plan, SlotId};
use super::trie::{Found, Root, Trie, UNKNOWN};
use crate::error::EvalResult;
use crate::eval::Written;
use crate::evaluator::{ActionId, Evaluator, State};
use crate::ir::{EntryPoint, Node, NodeId, Part, Program, is_effect, visit_below, visit_below_all};

/// What the tiers of all workers share.
pub struct Shared {
    plan: Plan,
    interner: Arc<Interner>,
    /// For each part of an invariant the slots it ever read, a bit each.
    supports: Vec<Box<[AtomicU64]>>,
    version: AtomicU64,
    n_words: usize,
    parts: Vec<InvariantPart>,
}

/// The most bytes of values that are kept by number.
const MAX_INTERNED: usize = 768 << 20;

impl Shared {
    /// Looks at a program and its first states. `None` when this tier has no use for it.
    pub fn new(evaluator: &mut Evaluator) -> Option<Shared> {
        let program = evaluator.program().clone();
        // What is printed or drawn must happen once a step, as in the plain tier.
        let acts = program.actions.iter().chain(&program.init).map(|it| Part::Act(it.body));
        let pure = !have_effects(&program, acts);
        if !pure || program.actions.is_empty() {
            return None;
        }
        let plan = Plan::of(evaluator)?;
        let layout = Layout::new(evaluator.ctx(), &program, &plan).ok()?;
        if !layout.is_usable() {
            return None;
        }
        let mut all = Vec::new();
        for invariant in &program.invariants {
            let mut list = Vec::new();
            take_apart(
                evaluator,
                (&program, &layout),
                (invariant.entry.node, invariant.entry.n_slots),
                &[],
                &mut list,
            );
            all.extend(list);
        }
        let n_words = layout.n_slots.div_ceil(64);
        let supports =
            all.iter().map(|_| (0..n_words).map(|_| AtomicU64::new(0)).collect()).collect();
        Some(Shared {
            plan,
            interner: Arc::default(),
            supports,
            version: AtomicU64::new(0),
            n_words,
            parts: all,
        })
    }
}

/// Whether something below prints, sets or reads registers, or draws random values.
pub(in crate::memo) fn is_impure(program: &Program, root: Part) -> bool {
    have_effects(program, [root])
}

fn have_effects(program: &Program, roots: impl IntoIterator<Item = Part>) -> bool {
    visit_below_all(program, roots, &mut |part| match part {
        Part::Node(id) if is_effect(program.node(id)) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

/// Whether a set's expression is the same in every state and under every binding.
fn is_closed(program: &Program, node: NodeId) -> bool {
    visit_below(program, Part::Node(node), &mut |part| match part {
        Part::Node(id) => match program.node(id) {
            Node::Cur(_) | Node::Next(_) | Node::Local(_) | Node::Lazy { .. } => {
                ControlFlow::Break(())
            }
            Node::CallOperator { .. } => ControlFlow::Break(()),
            node if is_effect(node) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        },
        Part::Act(_) | Part::Calls(_) | Part::CallsAct(_) => ControlFlow::Break(()),
        Part::Binds(..) | Part::Reads(_) => ControlFlow::Continue(()),
    })
    .is_continue()
}

/// A successor: the slots that change.
type Delta = SmallVec<[(SlotId, u32); 6]>;

/// What an action makes of a state.
enum Steps {
    /// These successors, in order: ranges of [`Tier::deltas`].
    Known(u32, u32),
    /// Some successor does not fit the layout: evaluate each time.
    Unfit,
}

/// One worker's tier.
pub struct Tier {
    shared: Arc<Shared>,
    layout: Rc<Layout>,
    values: LocalValues,
    trie: Trie,
    actions: Vec<Root>,
    /// Actions taken apart, where that can be done.
    pieces: Vec<Option<Vec<Piece>>>,
    idle: Idle,
    steps: Vec<Steps>,
    /// Ends of successors in `deltas`, and the deltas.
    ends: Vec<u32>,
    deltas: Vec<(SlotId, u32)>,
    parts: Vec<PartHere>,
    /// The parts that ever read a slot.
    readers: Vec<Vec<u32>>,
    /// The parts that are looked at every time.
    always: Vec<usize>,
    marks: Vec<u32>,
    mark: u32,
    version: u64,
    /// Trees of predicates, by entry point and whether it is about a step.
    predicates: rustc_hash::FxHashMap<(NodeId, bool), Root>,
    /// The values of the states used last.
    cached: [Option<(Ids, State)>; 2],
    /// By number of a value: the hashes of its permutations.
    permuted: Vec<u64>,
    /// By permutation and slot: the hash of its key.
    permuted_keys: Vec<Box<[u64]>>,
    /// Whether a state's invariants may be taken from its parent's.
    pub inherit: bool,
}

impl Tier {
    /// The tier of one worker.
    pub fn new(shared: Arc<Shared>, evaluator: &mut Evaluator) -> EvalResult<Tier> {
        let program = evaluator.program().clone();
        let ctx = evaluator.ctx();
        let mut layout = Layout::new(ctx, &program, &shared.plan)?;
        layout.note_domains(evaluator, &literal_domains(&program));
        let layout = Rc::new(layout);
        let ctx = evaluator.ctx();
        ctx.reads.derived = Derived::new(&program, layout.n_slots);
        let mut trie = Trie::default();
        let actions: Vec<Root> = program.actions.iter().map(|_| trie.tree()).collect();
        let pieces =
            program.actions.iter().map(|it| pieces_of(&program, &layout, it, &mut trie)).collect();
        let mut all = Vec::new();
        for part in &shared.parts {
            let mut presets = Vec::new();
            for (slot, bytes) in &part.presets {
                presets.push((*slot, crate::value::decode(&mut bytes.as_slice(), ctx)?));
            }
            let always = is_impure(&program, Part::Node(part.node));
            let root = if always { trie.hopeless_tree() } else { trie.tree() };
            all.push(PartHere {
                always,
                node: part.node,
                n_slots: part.n_slots,
                presets,
                root,
                support: vec![0; shared.n_words],
                class: part.class,
                bound: None,
            });
        }
        Ok(Tier {
            values: LocalValues::new(shared.interner.clone(), layout.has_classes()),
            readers: vec![Vec::new(); layout.n_slots],
            always: (0..all.len()).filter(|idx| all[*idx].always).collect(),
            marks: vec![0; all.len()],
            mark: 0,
            version: 0,
            idle: Idle::new(layout.n_slots, program.actions.len()),
            layout,
            trie,
            actions,
            pieces,
            steps: Vec::new(),
            ends: Vec::new(),
            deltas: Vec::new(),
            parts: all,
            predicates: rustc_hash::FxHashMap::default(),
            cached: [None, None],
            permuted: Vec::new(),
            permuted_keys: Vec::new(),
            inherit: true,
            shared,
        })
    }

    /// Whether new values should no longer be kept by number.
    pub fn is_full(&self) -> bool {
        self.values.shared().size() > MAX_INTERNED
    }

    // --- results ---

    /// The result that is known for a state or a step.
    #[inline]
    fn find(
        &mut self,
        evaluator: &mut Evaluator,
        root: Root,
        state: &SlotState,
        next: Option<&SlotState>,
    ) -> Option<u32> {
        let derived = &evaluator.ctx().reads.derived;
        match self.trie.find(root, |slot| number_on_step(derived, state, next, slot)) {
            Found::Leaf(leaf) => Some(leaf),
            Found::Nothing => None,
            Found::Blocked(slot) => self.find_blocked(evaluator, root, (state, next), slot),
        }
    }

    /// Goes on with a lookup that needs the value of a definition.
    #[cold]
    fn find_blocked(
        &mut self,
        evaluator: &mut Evaluator,
        root: Root,
        (state, next): (&SlotState, Option<&SlotState>),
        mut slot: SlotId,
    ) -> Option<u32> {
        loop {
            let (node, of_next) = evaluator.ctx().reads.derived.expression(slot)?;
            let of = if of_next { next? } else { state };
            let values = self.state(evaluator, of);
            let layout = self.layout.clone();
            evaluator.ctx().reads.start(&layout, (values.values(), &of.ids()), None);
            let result = evaluator.define(node, &values);
            evaluator.ctx().reads.finish();
            result.ok()?;
            let derived = &evaluator.ctx().reads.derived;
            if number_on_step(derived, state, next, slot) == UNKNOWN {
                return None;
            }
            match self.trie.find(root, |slot| number_on_step(derived, state, next, slot)) {
                Found::Leaf(leaf) => return Some(leaf),
                Found::Nothing => return None,
                Found::Blocked(other) => slot = other,
            }
        }
    }

    // --- successors ---

    /// Adds every step from a state, in the order of the plain tier. A successor that does not fit
    /// comes with its values.
    pub fn successors(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        out: &mut Vec<(ActionId, Form)>,
    ) -> EvalResult<()> {
        let derived = &mut evaluator.ctx().reads.derived;
        if self.trie.is_full() || derived.is_full() || derived.gave_up() {
            derived.clear();
            self.trie.clear();
            self.steps.clear();
            self.idle.clear();
            self.ends.clear();
            self.deltas.clear();
        }
        let idle = self.idle.of(&state.base.ids);
        for idx in 0..self.actions.len() {
            if idle[idx / 64] >> (idx % 64) & 1 == 1 {
                continue;
            }
            let action = ActionId(idx as u32);
            let root = self.actions[idx];
            if self.pieces[idx].is_some() {
                // An error, or a value that does not fit: the plain tier tells.
                if self.by_pieces(evaluator, state, action, out).is_none() {
                    self.unfit(evaluator, state, action, out)?;
                }
                continue;
            }
            let hopeless = self.trie.is_hopeless(root);
            let known = if hopeless { None } else { self.find(evaluator, root, state, None) };
            match known {
                Some(leaf) => match self.steps[leaf as usize] {
                    Steps::Known(first, last) => {
                        let mut start = self.ends[first as usize];
                        for at in first..last {
                            let end = self.ends[at as usize + 1];
                            let delta = &self.deltas[start as usize..end as usize];
                            out.push((action, Form::Slots(self.step(state, delta))));
                            start = end;
                        }
                    }
                    Steps::Unfit => self.unfit(evaluator, state, action, out)?,
                },
                None => self.evaluate(evaluator, state, action, hopeless, out)?,
            }
        }
        Ok(())
    }

    /// Evaluates an action and, unless that is hopeless, remembers what it makes.
    #[inline(never)]
    fn evaluate(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        action: ActionId,
        hopeless: bool,
        out: &mut Vec<(ActionId, Form)>,
    ) -> EvalResult<()> {
        let from = self.state(evaluator, state);
        let layout = self.layout.clone();
        let mut found: Vec<(State, Vec<Written>)> = Vec::new();
        evaluator.ctx().reads.start(&layout, (from.values(), &state.base.ids), None);
        let result = evaluator.successors_written(action, &from, &mut |next, written| {
            found.push((next, written.to_vec()));
            true
        });
        let reads: SmallVec<[SlotId; 32]> = evaluator.ctx().reads.finish().into();
        let mut list: Vec<Delta> = Vec::with_capacity(found.len());
        let mut fits = true;
        'found: for (next, written) in &found {
            let mut delta = Delta::new();
            for (var, written) in written.iter().enumerate() {
                let slots = &layout.vars[var];
                let mask = match written {
                    Written::Unchanged => continue,
                    Written::Slots(mask) => *mask,
                    Written::Whole | Written::Given => u64::MAX,
                };
                let value = crate::value::force(evaluator.ctx(), &next.values()[var])?;
                let Some(parts) = layout.parts(evaluator.ctx(), var, &value, mask) else {
                    fits = false;
                    break 'found;
                };
                for (idx, part) in parts.iter().enumerate() {
                    if mask >> idx & 1 == 1 {
                        let id = self.values.intern(evaluator.ctx(), part)?;
                        delta.push((slots.first + idx as SlotId, id));
                    }
                }
            }
            list.push(delta);
        }
        if fits {
            for delta in &list {
                out.push((action, Form::Slots(self.step(state, delta))));
            }
        } else {
            for (next, _) in found {
                let slots = self.slots_of(evaluator, &next)?;
                out.push((action, slots.map_or(Form::Plain(next), Form::Slots)));
            }
        }
        result?;
        if !hopeless {
            let leaf = self.steps.len() as u32;
            if fits {
                if self.ends.is_empty() {
                    self.ends.push(0);
                }
                if let ([slot], []) = (&*reads, &*list)
                    && let Some(id) = state.base.ids.get(usize::from(*slot))
                {
                    self.idle.note(action.index(), *slot, *id);
                }
                let first = self.ends.len() as u32 - 1;
                for delta in list {
                    self.deltas.extend(delta);
                    self.ends.push(self.deltas.len() as u32);
                }
                self.steps.push(Steps::Known(first, self.ends.len() as u32 - 1));
            } else {
                self.steps.push(Steps::Unfit);
            }
            let ids = &state.base.ids;
            let derived = &evaluator.ctx().reads.derived;
            self.trie.insert(
                self.actions[action.index()],
                &reads,
                |slot| number_in(derived, ids, slot),
                leaf,
            );
        }
        Ok(())
    }

    #[cold]
    fn unfit(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        action: ActionId,
        out: &mut Vec<(ActionId, Form)>,
    ) -> EvalResult<()> {
        let from = self.state(evaluator, state);
        let mut found = Vec::new();
        let result = evaluator.successors_by(action, &from, &mut |next| {
            found.push(next);
            true
        });
        for next in found {
            let slots = self.slots_of(evaluator, &next)?;
            out.push((action, slots.map_or(Form::Plain(next), Form::Slots)));
        }
        result
    }

    // --- predicates ---

    /// Whether a predicate holds of a state, or of a step when `next` is there.
    pub fn holds(
        &mut self,
        evaluator: &mut Evaluator,
        entry: &EntryPoint,
        state: &SlotState,
        next: Option<&SlotState>,
    ) -> EvalResult<bool> {
        let root = match self.predicates.get(&(entry.node, next.is_some())) {
            Some(root) => *root,
            None => {
                let program = evaluator.program().clone();
                let root = if is_impure(&program, Part::Node(entry.node)) {
                    self.trie.hopeless_tree()
                } else {
                    self.trie.tree()
                };
                self.predicates.insert((entry.node, next.is_some()), root);
                root
            }
        };
        let hopeless = self.trie.is_hopeless(root);
        if !hopeless && let Some(leaf) = self.find(evaluator, root, state, next) {
            return Ok(leaf == 1);
        }
        let values = self.state(evaluator, state);
        let next_values = next.map(|it| self.state(evaluator, it));
        let layout = self.layout.clone();
        if !hopeless {
            evaluator.forget();
            let there = next.map(SlotState::ids);
            evaluator.ctx().reads.start(&layout, (values.values(), &state.ids()), there.as_deref());
        }
        let result = match &next_values {
            None => evaluator.holds_entry(entry, &values),
            Some(next) => evaluator.holds_entry_of_step(entry, &values, next),
        };
        if hopeless {
            return result;
        }
        let reads: SmallVec<[SlotId; 32]> = evaluator.ctx().reads.finish().into();
        let holds = result?;
        let derived = &evaluator.ctx().reads.derived;
        let read = |slot| number_on_step(derived, state, next, slot);
        self.trie.insert(root, &reads, read, u32::from(holds));
        Ok(holds)
    }
}

/// The number in a slot of a state in full, or of a definition's value there.
#[inline]
fn number_in(derived: &Derived, ids: &[u32], slot: SlotId) -> u32 {
    match ids.get(usize::from(slot)) {
        Some(id) => *id,
        None => derived.read(slot, &|slot| ids[usize::from(slot)], &|_| UNKNOWN),
    }
}

/// The same of a state that was made from another.
#[inline]
fn number_after(derived: &Derived, state: &SlotState, slot: SlotId) -> u32 {
    if usize::from(slot) < state.base.ids.len() {
        return state.id(slot);
    }
    derived.read(slot, &|slot| state.id(slot), &|_| UNKNOWN)
}

/// The same of a step.
#[inline]
fn number_on_step(
    derived: &Derived,
    state: &SlotState,
    next: Option<&SlotState>,
    slot: SlotId,
) -> u32 {
    if usize::from(slot) < state.base.ids.len() {
        return state.id(slot);
    }
    derived.read(slot, &|slot| state.id(slot), &|slot| next.map_or(UNKNOWN, |next| next.id(slot)))
}
