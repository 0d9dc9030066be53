//! A fingerprint: 128 well-mixed bits that stand for a state.
//!
//! Not a hash function: whoever makes one answers for its quality. The table keeps some 70 to 80 of the *highest* bits,
//! and tells two states apart only by those.

/// 128 bits that stand for a state. Ordered as numbers; the order decides between equals everywhere in Lockstep.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// The upper 64 bits: the short form for printing and for files.
    #[must_use]
    pub fn high(self) -> u64 {
        (self.0 >> 64) as u64
    }
}

impl std::fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
