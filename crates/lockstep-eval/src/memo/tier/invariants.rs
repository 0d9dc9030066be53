//! Invariants in parts: conjuncts, and the bindings of `\A` over constant sets.
//!
//! A part is looked at again only if a slot changed that it ever read (the parent state satisfied
//! it). Which slots a part ever read is shared by all workers, because the parent may have been
//! looked at by another one.

use std::sync::atomic::Ordering;

use smallvec::SmallVec;

use super::{SlotState, Tier, is_closed, number_after};
use crate::error::EvalResult;
use crate::evaluator::Evaluator;
use crate::ir::{EntryPoint, Node, NodeId, Program, Slot, Target};
use crate::memo::derived::Derived;
use crate::memo::layout::{Cut, Layout, SlotId};
use crate::memo::trie::Root;
use crate::value::{SetIter, Value, sets};
/// A part of an invariant with the values of the bound names above it.
#[derive(Clone, Debug)]
pub(super) struct InvariantPart {
    pub(super) node: NodeId,
    pub(super) n_slots: u16,
    pub(super) presets: Vec<(Slot, Vec<u8>)>,
    /// The part is about one class of a variable's elements.
    pub(super) class: Option<Bounded>,
}

/// A class of a variable's elements, all of which have to be in one and the same set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounded {
    pub(super) slot: SlotId,
    /// The set; with `is_member` the set of all sets of its elements.
    pub(super) set: NodeId,
    pub(super) is_member: bool,
}

/// The most parts an invariant is taken apart into.
pub(super) const MAX_PARTS: usize = 4096;

/// Takes a conjunction apart, also through `\A` over closed sets, and through the classes of a
/// variable that has to be a subset of a closed set.
pub(super) fn take_apart(
    evaluator: &mut Evaluator,
    (program, layout): (&Program, &Layout),
    (node, n_slots): (NodeId, u16),
    presets: &[(Slot, Vec<u8>)],
    out: &mut Vec<InvariantPart>,
) {
    match program.node(node) {
        Node::And(items) => {
            for item in items {
                take_apart(evaluator, (program, layout), (*item, n_slots), presets, out);
            }
            return;
        }
        // The whole frame is cleared before a part is evaluated.
        Node::Scope { body, .. } => {
            return take_apart(evaluator, (program, layout), (*body, n_slots), presets, out);
        }
        Node::StateDef { function, .. } => {
            let function = &program.functions[function.index()];
            let root = (function.body, function.n_slots);
            return take_apart(evaluator, (program, layout), root, &[], out);
        }
        Node::SubsetEq(sub, set) | Node::In(sub, set)
            if let Some((slots, n)) = classes_of(program, layout, *sub)
                && is_closed(program, *set)
                && (matches!(program.node(node), Node::SubsetEq(..))
                    || is_powerset(program, *set)) =>
        {
            let is_member = matches!(program.node(node), Node::In(..));
            for slot in slots..slots + n {
                let class = Some(Bounded { slot, set: *set, is_member });
                out.push(InvariantPart { node, n_slots, presets: presets.to_vec(), class });
            }
            return;
        }
        Node::Quantified { for_all: true, binds, body }
            if binds
                .iter()
                .all(|it| is_closed(program, it.set) && matches!(it.target, Target::Slot(_))) =>
        {
            let mut rows: Vec<Vec<(Slot, Vec<u8>)>> = vec![presets.to_vec()];
            let mut fits = true;
            'binds: for bind in binds.iter() {
                let Target::Slot(slot) = bind.target else { break };
                let Some(elements) = elements_of(evaluator, bind.set, n_slots) else {
                    fits = false;
                    break 'binds;
                };
                if rows.len() * elements.len() > MAX_PARTS {
                    fits = false;
                    break 'binds;
                }
                rows = rows
                    .iter()
                    .flat_map(|row| {
                        elements.iter().map(move |it| {
                            let mut row = row.clone();
                            row.push((slot, it.clone()));
                            row
                        })
                    })
                    .collect();
            }
            if fits && out.len() + rows.len() <= MAX_PARTS {
                for row in rows {
                    take_apart(evaluator, (program, layout), (*body, n_slots), &row, out);
                }
                return;
            }
        }
        _ => {}
    }
    out.push(InvariantPart { node, n_slots, presets: presets.to_vec(), class: None });
}

/// The slots of a variable that is a set in classes.
fn classes_of(program: &Program, layout: &Layout, node: NodeId) -> Option<(SlotId, u16)> {
    let Node::Cur(var) = program.node(node) else { return None };
    let slots = layout.vars.get(usize::from(*var))?;
    matches!(slots.cut, Cut::Classes(_)).then_some((slots.first, slots.n))
}

fn is_powerset(program: &Program, node: NodeId) -> bool {
    match program.node(node) {
        Node::Subset(_) => true,
        Node::Const(id) => is_powerset(program, program.consts[id.index()].node),
        _ => false,
    }
}

pub(super) fn elements_of(
    evaluator: &mut Evaluator,
    set: NodeId,
    n_slots: u16,
) -> Option<Vec<Vec<u8>>> {
    let set = evaluator.eval_constant(&EntryPoint { node: set, n_slots }).ok()?;
    let ctx = evaluator.ctx();
    let mut iter = SetIter::new(ctx, &set).ok()?;
    let mut all = Vec::new();
    while let Some(item) = iter.next(ctx).ok()? {
        let mut bytes = Vec::new();
        crate::value::encode(ctx, &item, &mut bytes).ok()?;
        all.push(bytes);
        if all.len() > MAX_PARTS {
            return None;
        }
    }
    Some(all)
}

/// A part of an invariant, ready to be evaluated.
pub(super) struct PartHere {
    pub(super) node: NodeId,
    pub(super) n_slots: u16,
    pub(super) presets: Vec<(Slot, Value)>,
    pub(super) root: Root,
    /// Whether it depends on more than the state: looked at every time.
    pub(super) always: bool,
    pub(super) support: Vec<u64>,
    pub(super) class: Option<Bounded>,
    /// The value of the set that bounds the class, once it was needed.
    pub(super) bound: Option<Value>,
}

impl Tier {
    /// Whether all invariants hold, as far as can be said without an error: `false` sends the
    /// caller to the plain tier, which says which one and how.
    pub fn invariants_hold(&mut self, evaluator: &mut Evaluator, state: &SlotState) -> bool {
        if self.parts.is_empty() {
            return true;
        }
        // ORDERING: supports grow on a level before the one whose states rely on them, and a fence
        // lies between.
        if self.shared.version.load(Ordering::Acquire) != self.version {
            self.merge_supports();
        }
        // A state that was not made from another has nothing to take over.
        if state.changes.is_empty() || !self.inherit {
            return (0..self.parts.len()).all(|idx| self.part_holds(evaluator, state, idx));
        }
        self.mark = self.mark.wrapping_add(1);
        for at in 0..self.always.len() {
            let idx = self.always[at];
            self.marks[idx] = self.mark;
            if !self.part_holds(evaluator, state, idx) {
                return false;
            }
        }
        for (slot, _) in &state.changes {
            for at in 0..self.readers[usize::from(*slot)].len() {
                let idx = self.readers[usize::from(*slot)][at] as usize;
                if self.marks[idx] != self.mark {
                    self.marks[idx] = self.mark;
                    if !self.part_holds(evaluator, state, idx) {
                        return false;
                    }
                }
            }
        }
        true
    }

    pub(super) fn part_holds(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        idx: usize,
    ) -> bool {
        let root = self.parts[idx].root;
        let hopeless = self.trie.is_hopeless(root);
        if !hopeless && let Some(leaf) = self.find(evaluator, root, state, None) {
            return leaf == 1;
        }
        if let Some(class) = self.parts[idx].class {
            return self.class_holds(evaluator, state, idx, class).unwrap_or(false);
        }
        let values = self.state(evaluator, state);
        let layout = self.layout.clone();
        evaluator.ctx().reads.start(&layout, (values.values(), &state.ids()), None);
        let part = &self.parts[idx];
        let result = evaluator.test_node(part.node, part.n_slots, &part.presets, &values);
        let reads: SmallVec<[SlotId; 32]> = evaluator.ctx().reads.finish().into();
        let derived = &evaluator.ctx().reads.derived;
        self.grow_support(derived, idx, &reads);
        let Ok(holds) = result else { return false };
        if !hopeless {
            self.trie.insert(
                root,
                &reads,
                |slot| number_after(derived, state, slot),
                u32::from(holds),
            );
        }
        holds
    }

    /// Whether the elements of one class are all in the set that bounds them.
    fn class_holds(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        idx: usize,
        class: Bounded,
    ) -> EvalResult<bool> {
        self.supported(idx, class.slot);
        if self.parts[idx].bound.is_none() {
            let entry = EntryPoint { node: class.set, n_slots: self.parts[idx].n_slots };
            self.parts[idx].bound = Some(evaluator.eval_constant(&entry)?);
        }
        let Some(bound) = &self.parts[idx].bound else { return Ok(false) };
        let number = state.id(class.slot);
        let value = self.values.value(number);
        let ctx = evaluator.ctx();
        let holds = if class.is_member {
            sets::member(ctx, &value, bound)?
        } else {
            sets::subset_eq(ctx, &value, bound)?
        };
        let root = self.parts[idx].root;
        if !self.trie.is_hopeless(root) {
            self.trie.insert(root, &[class.slot], |_| number, u32::from(holds));
        }
        Ok(holds)
    }

    /// Notes that a part depends on a slot.
    fn supported(&mut self, idx: usize, slot: SlotId) {
        if self.supported_by(idx, usize::from(slot)) {
            self.shared.version.fetch_add(1, Ordering::Release);
        }
    }

    pub(super) fn grow_support(&mut self, derived: &Derived, idx: usize, reads: &[SlotId]) {
        let mut grew = false;
        let layout = self.layout.clone();
        for slot in reads {
            // Behind a definition stands all that it may ever read.
            for var in derived.variables(*slot).unwrap_or(&[]) {
                let slots = &layout.vars[usize::from(*var)];
                for at in slots.first..slots.first + slots.n {
                    grew |= self.supported_by(idx, usize::from(at));
                }
            }
            if usize::from(*slot) < layout.n_slots {
                grew |= self.supported_by(idx, usize::from(*slot));
            }
        }
        if grew {
            self.shared.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Notes that a part depends on a slot; whether that is new.
    pub(super) fn supported_by(&mut self, idx: usize, at: usize) -> bool {
        let (word, bit) = (at / 64, 1_u64 << (at % 64));
        if self.parts[idx].support[word] & bit != 0 {
            return false;
        }
        self.parts[idx].support[word] |= bit;
        self.readers[at].push(idx as u32);
        self.shared.supports[idx][word].fetch_or(bit, Ordering::Release);
        true
    }

    #[cold]
    pub(super) fn merge_supports(&mut self) {
        self.version = self.shared.version.load(Ordering::Acquire);
        for (idx, part) in self.parts.iter_mut().enumerate() {
            for word in 0..self.shared.n_words {
                let all = self.shared.supports[idx][word].load(Ordering::Acquire);
                let mut new = all & !part.support[word];
                part.support[word] |= all;
                while new != 0 {
                    let bit = new.trailing_zeros() as usize;
                    new &= new - 1;
                    self.readers[word * 64 + bit].push(idx as u32);
                }
            }
        }
    }
}
