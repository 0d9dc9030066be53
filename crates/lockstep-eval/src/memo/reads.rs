//! What an evaluation read of the states, slot by slot, in the order of first reading.
//!
//! Evaluation is a function of what it reads, and what it reads next is a function of what it has
//! read so far. So the slots in order, with their values, are a path in a tree (see
//! [`super::trie`]) whose leaf is the result.

use std::rc::Rc;

use super::layout::{Layout, SlotId};
use crate::ir::VarId;
use crate::value::{Ctx, Value};

/// The log of one evaluation. Slots of the next state are numbered after those of the present one.
#[derive(Default)]
pub(crate) struct ReadLog {
    /// Whether reads are logged.
    pub(crate) active: bool,
    layout: Option<Rc<Layout>>,
    seen: Vec<u64>,
    order: Vec<SlotId>,
}

impl ReadLog {
    /// Starts a log.
    pub(crate) fn start(&mut self, layout: &Rc<Layout>) {
        let words = (2 * layout.n_slots).div_ceil(64);
        self.seen.clear();
        self.seen.resize(words, 0);
        self.order.clear();
        if self.layout.as_ref().is_none_or(|it| !Rc::ptr_eq(it, layout)) {
            self.layout = Some(layout.clone());
        }
        self.active = true;
    }

    /// Ends it; the slots in order of first reading.
    pub(crate) fn finish(&mut self) -> &[SlotId] {
        self.active = false;
        &self.order
    }

    #[inline]
    fn add(&mut self, slot: SlotId) {
        let (word, bit) = (usize::from(slot) / 64, slot % 64);
        if self.seen[word] >> bit & 1 == 0 {
            self.seen[word] |= 1 << bit;
            self.order.push(slot);
        }
    }

    /// Whether a variable is cut.
    pub(crate) fn is_split(&self, var: VarId) -> bool {
        let layout = self.layout.as_ref();
        layout.and_then(|it| it.vars.get(usize::from(var))).is_some_and(|it| it.split.is_some())
    }

    /// All of a variable.
    #[cold]
    pub(crate) fn variable(&mut self, var: VarId, next: bool) {
        let Some(layout) = self.layout.clone() else { return };
        // Virtual variables have no place in a state.
        let Some(slots) = layout.vars.get(usize::from(var)) else { return };
        let base = slots.first + if next { layout.n_slots as SlotId } else { 0 };
        for slot in base..base + slots.n {
            self.add(slot);
        }
    }

    /// All of both states: for what is too entangled to follow.
    #[cold]
    pub(crate) fn everything(&mut self, next: bool) {
        let Some(layout) = self.layout.clone() else { return };
        for slot in 0..layout.n_slots as SlotId * if next { 2 } else { 1 } {
            self.add(slot);
        }
    }
}

/// Notes that `f[key]` is read of a variable: one slot if the variable is cut there. `false` if
/// the caller has to note the whole variable.
#[cold]
pub(crate) fn note_key(ctx: &mut Ctx, var: VarId, key: &Value, next: bool) -> bool {
    let Some(layout) = ctx.reads.layout.clone() else { return false };
    if layout.vars.get(usize::from(var)).is_none_or(|it| it.split.is_none()) {
        return false;
    }
    match layout.slot_of_key(ctx, var, key) {
        Some(slot) => {
            ctx.reads.add(slot + if next { layout.n_slots as SlotId } else { 0 });
            true
        }
        None => false,
    }
}

/// The place of `key` among the slots of a cut variable.
pub(crate) fn place_of_key(ctx: &mut Ctx, var: VarId, key: &Value) -> Option<u16> {
    let layout = ctx.reads.layout.clone()?;
    layout.vars.get(usize::from(var))?.split.as_ref()?;
    let slot = layout.slot_of_key(ctx, var, key)?;
    Some(slot - layout.vars[usize::from(var)].first)
}
