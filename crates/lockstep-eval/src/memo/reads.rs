//! What an evaluation read of the states, slot by slot, in the order of first reading.
//!
//! Evaluation is a function of what it reads, and what it reads next is a function of what it has
//! read so far. So the slots in order, with their values, are a path in a tree (see
//! [`super::trie`]) whose leaf is the result.

use std::rc::Rc;

use smallvec::SmallVec;

use super::derived::Derived;
use super::layout::{Layout, SlotId};
use super::trie::UNKNOWN;
use crate::ir::{MemoId, VarId};
use crate::value::{Ctx, Value};

/// The log of one evaluation. Slots of the next state are numbered after those of the present one.
#[derive(Default)]
pub(crate) struct ReadLog {
    /// Whether reads are logged.
    pub(crate) active: bool,
    layout: Option<Rc<Layout>>,
    seen: Vec<u64>,
    order: Vec<SlotId>,
    /// The definitions whose values are slots of their own.
    pub(crate) derived: Derived,
    /// The values behind the present state's numbers, by address, and whether that is the next
    /// state of the step under evaluation.
    here: (usize, bool),
    /// The numbers of the present state and of the next one.
    ids: [SmallVec<[u32; 32]>; 2],
    /// Tells logs apart: what was evaluated under one log says nothing under another.
    pub(crate) serial: u64,
    last_serial: u64,
}

/// An outer log while an inner one is kept.
pub(crate) struct Outer {
    seen: Vec<u64>,
    order: Vec<SlotId>,
    here: (usize, bool),
    serial: u64,
}

impl ReadLog {
    /// Starts a log about a state, or a step.
    pub(crate) fn start(
        &mut self,
        layout: &Rc<Layout>,
        state: (&[Value], &[u32]),
        next: Option<&[u32]>,
    ) {
        let words = (2 * layout.n_slots + 2 * self.derived.len()).div_ceil(64);
        self.here = (state.0.as_ptr().addr(), false);
        self.ids[0].clear();
        self.ids[0].extend_from_slice(state.1);
        self.ids[1].clear();
        self.ids[1].extend_from_slice(next.unwrap_or(&[]));
        self.renew();
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

    /// How the states of this log are cut.
    pub(super) fn layout(&self) -> Option<&Layout> {
        self.layout.as_deref()
    }

    #[inline]
    pub(super) fn add(&mut self, slot: SlotId) {
        let (word, bit) = (usize::from(slot) / 64, slot % 64);
        if self.seen[word] >> bit & 1 == 0 {
            self.seen[word] |= 1 << bit;
            self.order.push(slot);
        }
    }

    fn renew(&mut self) {
        self.last_serial += 1;
        self.serial = self.last_serial;
    }

    // --- definitions ---

    /// Whether `state` is the present state of this log: what its numbers are about.
    pub(crate) fn is_about(&self, state: &[Value]) -> bool {
        self.active && self.here.0 == state.as_ptr().addr()
    }

    /// Whether there is a next state, complete, whose numbers are known.
    pub(crate) fn knows_next(&self) -> bool {
        self.active && !self.here.1 && !self.ids[1].is_empty()
    }

    /// The slots of the present state (or the next one).
    fn ids(&self, next: bool) -> &[u32] {
        &self.ids[usize::from(next || self.here.1)]
    }

    /// The value of a definition in the present state (or the next one), noted as read. `None` if
    /// its number is not known yet.
    pub(crate) fn definition(&mut self, memo: MemoId, next: bool) -> Option<Value> {
        let ids = self.ids(next);
        let number = self.derived.number(memo.index(), &|slot| slot_in(ids, slot));
        if number == UNKNOWN {
            return None;
        }
        self.add(self.derived.slot(memo, next));
        Some(self.derived.value(number))
    }

    /// Starts a log within this one, about a state of these values.
    pub(crate) fn push(&mut self, state: &[Value], next: bool) -> Outer {
        let n = self.seen.len();
        let outer = Outer {
            seen: std::mem::replace(&mut self.seen, vec![0; n]),
            order: std::mem::take(&mut self.order),
            here: self.here,
            serial: self.serial,
        };
        self.here = (state.as_ptr().addr(), next || outer.here.1);
        self.renew();
        outer
    }

    /// Ends it; what was read in it, in order.
    pub(crate) fn pop(&mut self, outer: Outer) -> Vec<SlotId> {
        self.seen = outer.seen;
        self.here = outer.here;
        self.serial = outer.serial;
        std::mem::replace(&mut self.order, outer.order)
    }

    /// Notes what an inner log about the same state read.
    pub(crate) fn add_all(&mut self, reads: &[SlotId]) {
        for slot in reads {
            self.add(*slot);
        }
    }

    /// Keeps what a definition yields where it reads these slots of the state, and notes it as read.
    pub(crate) fn keep(&mut self, memo: MemoId, reads: &[SlotId], next: bool, number: u32) {
        let ids = &self.ids[usize::from(next || self.here.1)];
        self.derived.insert(memo, reads, &|slot| slot_in(ids, slot), number);
        self.add(self.derived.slot(memo, next));
    }

    /// Whether a variable is cut.
    pub(crate) fn is_split(&self, var: VarId) -> bool {
        let layout = self.layout.as_ref();
        layout.and_then(|it| it.vars.get(usize::from(var))).is_some_and(|it| it.is_function())
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

/// A number among those of a state.
fn slot_in(ids: &[u32], slot: SlotId) -> u32 {
    ids.get(usize::from(slot)).copied().unwrap_or(UNKNOWN)
}

/// Notes that `f[key]` is read of a variable: one slot if the variable is cut there. `false` if
/// the caller has to note the whole variable.
#[cold]
pub(crate) fn note_key(ctx: &mut Ctx, var: VarId, key: &Value, next: bool) -> bool {
    let Some(layout) = ctx.reads.layout.clone() else { return false };
    if layout.vars.get(usize::from(var)).is_none_or(|it| !it.is_function()) {
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
    layout.vars.get(usize::from(var)).filter(|it| it.is_function())?;
    let slot = layout.slot_of_key(ctx, var, key)?;
    Some(slot - layout.vars[usize::from(var)].first)
}
