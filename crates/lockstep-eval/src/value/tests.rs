//! Laws of values: order, equality, hashes, bytes and text agree with each other.

use std::sync::Arc;

use super::*;

/// A context with a few names.
pub(crate) fn ctx() -> Ctx {
    let mut symbols = Symbols::new();
    for text in ["zeta", "alpha", "a", "b", "x"] {
        symbols.intern(text);
    }
    for name in ["m", "n", "T_a", "T_b", "S_b"] {
        symbols.intern_model(name);
    }
    Ctx::new(Arc::new(symbols))
}
