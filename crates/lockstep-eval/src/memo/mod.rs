//! The tier that remembers: states as numbered slots, results by what was read.
//!
//! A state is an array of numbers of values (`interner`), cut finer than variables where that
//! pays (`layout`). Every action, invariant and predicate has a tree of results (`trie`) whose
//! paths are the slots that the plain evaluator read (`reads`). A result that is known costs a
//! few table lookups instead of an evaluation; what is not known is evaluated by the plain
//! evaluator, so both tiers have one meaning. Compare the local caches of LTSmin and ProB's
//! operation caching (Leuschel, *Operation caching and state compression for model checking of
//! high-level models*, iFM 2022); here the reads are observed, not approximated.
//!
//! Invariant: successors, verdicts and fingerprints are those of the plain evaluator.

mod classes;
mod derived;
mod interner;
mod layout;
mod reads;
mod tier;
mod trie;

pub(crate) use classes::{has_classes, note_change, note_element, passing};
pub(crate) use derived::number_of;
pub use interner::Interner;
pub use layout::Plan;
pub(crate) use layout::{Layout, SlotId};
pub(crate) use reads::{ReadLog, note_key, place_of_key};
pub(crate) use tier::PieceKind;
pub use tier::{Form, Shared, SlotState, Tier};

use crate::ir::VarId;
use crate::value::Ctx;

/// Whether a variable has more slots than one.
#[inline]
pub(crate) fn is_split(ctx: &Ctx, var: VarId) -> bool {
    ctx.reads.is_split(var)
}
