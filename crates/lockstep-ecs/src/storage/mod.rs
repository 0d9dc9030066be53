//! Where component values lie: blocks, pages, columns, archetypes, sparse sets.
//!
//! Invariant: a page never moves while it is in use; structure changes only under `&mut World`.

pub(crate) mod archetype;
pub(crate) mod arena;
pub(crate) mod sparse;
#[cfg(test)]
mod tests;

/// The moment of a write: `tick` is logical time (rolled back with the world), `version` physical (never rolled back).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) tick: u64,
    pub(crate) version: u64,
}

/// Copies one value of `size` bytes.
///
/// # Safety
/// `from` is readable and `to` writable for `size` bytes and they do not overlap.
#[inline(always)]
pub(crate) unsafe fn copy_value(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: the caller's contract; constant sizes become register moves.
    unsafe {
        match size {
            0 => {}
            4 => from.copy_to_nonoverlapping(to, 4),
            8 => from.copy_to_nonoverlapping(to, 8),
            12 => from.copy_to_nonoverlapping(to, 12),
            16 => from.copy_to_nonoverlapping(to, 16),
            24 => from.copy_to_nonoverlapping(to, 24),
            32 => from.copy_to_nonoverlapping(to, 32),
            64 => from.copy_to_nonoverlapping(to, 64),
            _ => from.copy_to_nonoverlapping(to, size),
        }
    }
}
