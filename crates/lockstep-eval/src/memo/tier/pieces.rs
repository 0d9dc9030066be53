//! Actions in pieces: tests and assignments that each depend on the present state alone.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use super::{Delta, Form, SlotState, Steps, Tier, is_closed, number_in};
use crate::eval::Written;
use crate::evaluator::{ActionId, Evaluator};
use crate::ir::{Act, ActionInfo, Node, NodeId, Part, Program, Target, VarId, visit_below};
use crate::memo::layout::{Layout, SlotId};
use crate::memo::trie::{Root, Trie};
/// The leaf of a piece that was evaluated and not kept.
pub(super) const UNKEPT: u32 = u32::MAX;

/// A part of an action that makes at most one successor: each depends on the present state alone.
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    pub(super) root: Root,
}

/// What a piece does.
pub(crate) enum PieceKind {
    /// Tests.
    Test(NodeId),
    /// Gives a variable its value.
    Assign(VarId, NodeId),
    /// Gives one slot its value: an element of a function literal on the slots' own domain.
    Element {
        /// The literal's bound.
        target: Target,
        /// Its variable.
        var: VarId,
        /// Which key, in order.
        idx: usize,
        /// The slot.
        slot: SlotId,
        /// The element's expression.
        body: NodeId,
    },
}

/// Takes an action apart if it is a conjunction of tests and assignments that do not look at the
/// next state. `None` for all others.
pub(super) fn pieces_of(
    program: &Program,
    layout: &Layout,
    action: &ActionInfo,
    trie: &mut Trie,
) -> Option<Vec<Piece>> {
    let mut kinds = Vec::new();
    let mut assigned = vec![false; program.n_variables()];
    let mut todo = vec![action.body];
    while let Some(act) = todo.pop() {
        match program.act(act) {
            Act::And(items) => todo.extend(items.iter().rev()),
            Act::Scope { body, .. } | Act::Count { body, .. } => todo.push(*body),
            Act::Test(node) => {
                if reads_next(program, *node) {
                    return None;
                }
                kinds.push(PieceKind::Test(*node));
            }
            Act::Unchanged(vars) => {
                for var in vars {
                    if std::mem::replace(assigned.get_mut(usize::from(*var))?, true) {
                        return None;
                    }
                }
            }
            Act::Assign(var, node) => {
                if std::mem::replace(assigned.get_mut(usize::from(*var))?, true)
                    || reads_next(program, *node)
                {
                    return None;
                }
                let slots = &layout.vars[usize::from(*var)];
                match program.node(*node) {
                    Node::Function { binds, body, itself: None }
                        if binds.len() == 1
                            && slots.is_function()
                            && layout.is_domain(program, usize::from(*var), binds[0].set) =>
                    {
                        for idx in 0..usize::from(slots.n) {
                            kinds.push(PieceKind::Element {
                                target: binds[0].target,
                                var: *var,
                                idx,
                                slot: slots.first + idx as SlotId,
                                body: *body,
                            });
                        }
                    }
                    _ => kinds.push(PieceKind::Assign(*var, *node)),
                }
            }
            Act::AssignIn(..)
            | Act::AssignSubset(..)
            | Act::Or(_)
            | Act::Exists(..)
            | Act::Forall { .. }
            | Act::If(..)
            | Act::Case(..)
            | Act::Call { .. }
            | Act::Specified(_)
            | Act::Compose(..) => return None,
        }
    }
    assigned
        .iter()
        .all(|it| *it)
        .then(|| kinds.into_iter().map(|kind| Piece { kind, root: trie.tree() }).collect())
}

/// The closed sets on which function literals are given to variables.
pub(super) fn literal_domains(program: &Program) -> Vec<(VarId, NodeId)> {
    let mut found = Vec::new();
    for act in &program.acts {
        if let Act::Assign(var, node) = act
            && let Node::Function { binds, itself: None, .. } = program.node(*node)
            && let [bind] = &**binds
            && is_closed(program, bind.set)
        {
            found.push((*var, bind.set));
        }
    }
    found
}

/// Whether an expression looks at the next state, or below ENABLED makes one.
pub(super) fn reads_next(program: &Program, node: NodeId) -> bool {
    visit_below(program, Part::Node(node), &mut |part| match part {
        Part::Node(id) if matches!(program.node(id), Node::Next(_)) => ControlFlow::Break(()),
        Part::Act(_) | Part::CallsAct(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

impl Tier {
    /// Adds the one successor that an action taken apart makes, if its tests hold.
    /// `None` sends the caller to the plain tier.
    pub(super) fn by_pieces(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        action: ActionId,
        out: &mut Vec<(ActionId, Form)>,
    ) -> Option<()> {
        let pieces = self.pieces[action.index()].take()?;
        let mut delta: SmallVec<[(SlotId, u32); 16]> = SmallVec::new();
        let mut result = Some(true);
        for (place, piece) in pieces.iter().enumerate() {
            let hopeless = self.trie.is_hopeless(piece.root);
            let known = if hopeless { None } else { self.find(evaluator, piece.root, state, None) };
            let leaf = match known {
                Some(leaf) => Some(leaf),
                None => {
                    let at = (action, place);
                    self.evaluate_piece(evaluator, state, at, piece, hopeless, &mut delta)
                }
            };
            match (&piece.kind, leaf) {
                (_, None) => result = None,
                (PieceKind::Test(_), Some(0)) => result = Some(false),
                (PieceKind::Test(_), Some(_)) => {}
                // It was put into the delta as it was evaluated.
                (_, Some(UNKEPT)) => {}
                (_, Some(leaf)) => {
                    if let Steps::Known(first, _) = self.steps[leaf as usize] {
                        let start = self.ends[first as usize] as usize;
                        let end = self.ends[first as usize + 1] as usize;
                        delta.extend_from_slice(&self.deltas[start..end]);
                    }
                }
            }
            if result != Some(true) {
                break;
            }
        }
        self.pieces[action.index()] = Some(pieces);
        if result? {
            out.push((action, Form::Slots(self.step(state, &delta))));
        }
        Some(())
    }

    /// Evaluates a piece of an action. `None` after an error or where a value does not fit.
    #[inline(never)]
    pub(super) fn evaluate_piece(
        &mut self,
        evaluator: &mut Evaluator,
        state: &SlotState,
        (action, place): (ActionId, usize),
        piece: &Piece,
        hopeless: bool,
        delta: &mut SmallVec<[(SlotId, u32); 16]>,
    ) -> Option<u32> {
        let from = self.state(evaluator, state);
        let layout = self.layout.clone();
        evaluator.ctx().reads.start(&layout, (from.values(), &state.base.ids), None);
        let ids = &state.base.ids;
        let result = evaluator.evaluate_piece(action, &piece.kind, &layout, &from);
        let reads: SmallVec<[SlotId; 32]> = evaluator.ctx().reads.finish().into();
        let (value, written) = result.ok()?;
        let found = match &piece.kind {
            PieceKind::Test(_) => {
                let holds = value.as_bool()?;
                if let [slot] = &*reads
                    // What comes before a later test may fail, which this one must not hide.
                    && place == 0
                    && !holds
                    && let Some(id) = ids.get(usize::from(*slot))
                {
                    self.idle.note(action.index(), *slot, *id);
                }
                if !hopeless {
                    let derived = &evaluator.ctx().reads.derived;
                    self.trie.insert(
                        piece.root,
                        &reads,
                        |slot| number_in(derived, ids, slot),
                        u32::from(holds),
                    );
                }
                return Some(u32::from(holds));
            }
            PieceKind::Element { slot, .. } => {
                let value = crate::value::force(evaluator.ctx(), &value).ok()?;
                let mut found = Delta::new();
                found.push((*slot, self.values.intern(evaluator.ctx(), &value).ok()?));
                found
            }
            PieceKind::Assign(var, _) => {
                let slots = &layout.vars[usize::from(*var)];
                let mask = match written {
                    Written::Unchanged => 0,
                    Written::Slots(mask) => mask,
                    Written::Whole | Written::Given => u64::MAX,
                };
                let mut found = Delta::new();
                if mask != 0 {
                    let value = crate::value::force(evaluator.ctx(), &value).ok()?;
                    let parts = layout.parts(evaluator.ctx(), usize::from(*var), &value, mask)?;
                    for (idx, part) in parts.iter().enumerate() {
                        if mask >> idx & 1 == 1 {
                            let id = self.values.intern(evaluator.ctx(), part).ok()?;
                            found.push((slots.first + idx as SlotId, id));
                        }
                    }
                }
                found
            }
        };
        if hopeless {
            delta.extend(found);
            return Some(UNKEPT);
        }
        if self.ends.is_empty() {
            self.ends.push(0);
        }
        let first = self.ends.len() as u32 - 1;
        self.deltas.extend(found);
        self.ends.push(self.deltas.len() as u32);
        let leaf = self.steps.len() as u32;
        self.steps.push(Steps::Known(first, first + 1));
        let derived = &evaluator.ctx().reads.derived;
        self.trie.insert(piece.root, &reads, |slot| number_in(derived, ids, slot), leaf);
        Some(leaf)
    }
}
