//! Where a fingerprint lives and what its slot holds: the arithmetic of the table, without any memory.
//!
//! A table with `m * 2^e` slots (`m` from 4 to 7, so that it can grow by less than twice) takes the upper `width` bits *f* of
//! a fingerprint. Its *home* is the integer part of `f * slots / 2^width`, its *remainder* the rest, `width - e` bits. The
//! slot at `home + d` holds the remainder and `d + 1`; so home, remainder and thereby *f* can be had back from the slot's
//! place and its 64 bits: the bits that the place says need not be stored (J. G. Cleary, "Compact hash tables using
//! bidirectional linear probing", IEEE Trans. Comp. 1984, in the form for linear probing).
//!
//! Invariant: the width never changes as the table grows; every bit that the place gains is one that the displacement may use.
//! Homes are ordered as fingerprints are, in every geometry, which is what lets growth be a sweep.

use crate::fingerprint::Fingerprint;

/// Two bits of a slot beside fingerprint and displacement.
pub(crate) const TAG_BITS: u32 = 2;
pub(crate) const TAG_MASK: u64 = (1 << TAG_BITS) - 1;
/// One step of displacement in a slot's word.
pub(crate) const STEP: u64 = 1 << TAG_BITS;
/// A table with 2^k slots at the start tells k + 53 bits apart.
const WIDTH_OVER_START: u32 = 53;
/// However many bits there are for it: a longer way than this means that the table must grow.
const MOST_DISPLACED: u64 = if cfg!(loom) { 3 } else { 1022 };
/// The smallest table.
const LEAST_SLOTS: usize = if cfg!(loom) { 4 } else { 8 };
/// Places stand together in groups of so many.
pub(crate) const GROUP: usize = if cfg!(loom) { 4 } else { 16 };

/// The upper bits of a fingerprint that the table tells apart, as a number.
pub(crate) type Short = u128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// 4, 5, 6 or 7.
    m: u32,
    e: u32,
    width: u32,
}

impl Geometry {
    /// The geometry of a new table with at least `slots` slots.
    pub(crate) fn new(slots: usize) -> Self {
        let k = slots.max(LEAST_SLOTS).next_power_of_two().trailing_zeros();
        Geometry { m: 4, e: k - 2, width: (k + WIDTH_OVER_START).min(100) }
    }

    /// The next larger one: in big strides while the table is small, then in quarters.
    pub(crate) fn grown(self) -> Self {
        let slots = self.slots();
        if cfg!(loom) {
            // Every place is one more thing to interleave.
            Geometry { e: self.e + 1, ..self }
        } else if slots < 1 << 22 {
            Geometry { e: self.e + 2, ..self }
        } else if slots < 1 << 26 {
            Geometry { e: self.e + 1, ..self }
        } else if self.m == 7 {
            Geometry { m: 4, e: self.e + 1, ..self }
        } else {
            Geometry { m: self.m + 1, ..self }
        }
    }

    /// Homes there are.
    pub(crate) fn slots(self) -> usize {
        (self.m as usize) << self.e
    }

    /// Slots there are, with those that only displaced keys can have.
    pub(crate) fn places(self) -> usize {
        (self.slots() + self.most_displaced() as usize + 1).next_multiple_of(GROUP)
    }

    /// How many keys the table takes before it grows.
    pub(crate) fn capacity(self) -> usize {
        let slots = self.slots();
        // Short ways matter more than bytes while there are few of them.
        let percent = if slots < 1 << 22 {
            50
        } else if slots < 1 << 26 {
            65
        } else {
            78
        };
        slots / 100 * percent + slots % 100 * percent / 100
    }

    pub(crate) fn width(self) -> u32 {
        self.width
    }

    fn remainder_bits(self) -> u32 {
        self.width - self.e
    }

    /// The longest way from home that a slot can tell.
    pub(crate) fn most_displaced(self) -> u64 {
        let bits = 64 - TAG_BITS - self.remainder_bits();
        MOST_DISPLACED.min((1 << bits.min(32)) - 2)
    }

    pub(crate) fn short(self, fingerprint: Fingerprint) -> Short {
        fingerprint.0 >> (128 - self.width)
    }

    pub(crate) fn long(self, short: Short) -> Fingerprint {
        Fingerprint(short << (128 - self.width))
    }

    /// Home of a key, and the word it would have there.
    pub(crate) fn locate(self, short: Short) -> (usize, u64) {
        let scaled = short * u128::from(self.m);
        let r = self.remainder_bits();
        let home = (scaled >> r) as usize;
        // The shift drops the bits above the remainder.
        let word = (scaled as u64) << (64 - r) | STEP;
        (home, word)
    }

    /// The key that a slot holds.
    pub(crate) fn key(self, place: usize, word: u64) -> Short {
        let r = self.remainder_bits();
        let displaced = (word << r >> r >> TAG_BITS) - 1;
        let remainder = word >> (64 - r);
        let home = (place as u64 - displaced) as u128;
        let scaled = home << r | u128::from(remainder);
        // Division by 4, 5, 6 or 7 without a rest: a shift and a product with the inverse of the odd part.
        const FIFTH: u128 = inverse(5);
        const THIRD: u128 = inverse(3);
        const SEVENTH: u128 = inverse(7);
        match self.m {
            4 => scaled >> 2,
            5 => scaled.wrapping_mul(FIFTH),
            6 => (scaled >> 1).wrapping_mul(THIRD),
            _ => scaled.wrapping_mul(SEVENTH),
        }
    }

    /// The smallest key whose home is `home` or later.
    pub(crate) fn first_key_at(self, home: usize) -> Short {
        ((home as u128) << self.remainder_bits()).div_ceil(u128::from(self.m))
    }
}

/// The inverse of an odd number modulo 2^128, by Newton's iteration.
const fn inverse(odd: u128) -> u128 {
    let mut x = odd;
    let mut i = 0;
    while i < 7 {
        x = x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x)));
        i += 1;
    }
    x
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn geometries() -> Vec<Geometry> {
        let mut all = Vec::new();
        for start in [8, 64, 1 << 20, 1 << 26] {
            let mut it = Geometry::new(start);
            for _ in 0..20 {
                all.push(it);
                it = it.grown();
            }
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 2 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn a_slot_gives_its_key_back(raw: u128, steps in 0u64..126, tag in 0u64..4) {
            for it in geometries() {
                let short = it.short(Fingerprint(raw));
                let (home, word) = it.locate(short);
                prop_assert!(home < it.slots());
                let steps = steps.min(it.most_displaced());
                let word = (word + steps * STEP) | tag;
                prop_assert_eq!(it.key(home + steps as usize, word), short);
                prop_assert!(it.first_key_at(home) <= short);
                prop_assert!(it.first_key_at(home + 1) > short);
            }
        }

        #[test]
        fn homes_are_ordered_as_fingerprints(a: u128, b: u128) {
            for it in geometries() {
                let (x, y) = (it.short(Fingerprint(a.min(b))), it.short(Fingerprint(a.max(b))));
                prop_assert!(it.locate(x).0 <= it.locate(y).0);
            }
        }
    }
}
