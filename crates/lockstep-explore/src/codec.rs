//! States of plain Rust types as bytes, and the fingerprint of bytes.
//!
//! Invariant: equal values give equal bytes and unequal values unequal bytes, because for a plain type the fingerprint of
//! the bytes is the identity of the state. Hence no hash maps here: their order is not the value's.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lockstep_runtime::Fingerprint;

/// The fingerprint of a string of bytes: XXH3 with 128 bits, the same on every machine.
#[must_use]
pub fn fingerprint_of(bytes: &[u8]) -> Fingerprint {
    Fingerprint(xxhash_rust::xxh3::xxh3_128(bytes))
}

/// A type that can be written as bytes and read back.
pub trait Codec: Sized {
    /// Appends the value.
    fn write(&self, out: &mut Vec<u8>);
    /// Takes a value from the front of `bytes`, which hold what [`Codec::write`] wrote.
    fn read(bytes: &mut &[u8]) -> Self;
}

fn take<'a>(bytes: &mut &'a [u8], n: usize) -> &'a [u8] {
    let (head, tail) = bytes.split_at(n);
    *bytes = tail;
    head
}

macro_rules! numbers {
    ($($number:ty)*) => { $(
        impl Codec for $number {
            fn write(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn read(bytes: &mut &[u8]) -> Self {
                let mut raw = [0; size_of::<$number>()];
                raw.copy_from_slice(take(bytes, size_of::<$number>()));
                <$number>::from_le_bytes(raw)
            }
        }
    )* };
}
numbers!(u8 u16 u32 u64 u128 i8 i16 i32 i64 i128);

impl Codec for usize {
    fn write(&self, out: &mut Vec<u8>) {
        (*self as u64).write(out);
    }
    fn read(bytes: &mut &[u8]) -> Self {
        u64::read(bytes) as usize
    }
}

impl Codec for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn read(bytes: &mut &[u8]) -> Self {
        u8::read(bytes) != 0
    }
}

impl Codec for char {
    fn write(&self, out: &mut Vec<u8>) {
        (*self as u32).write(out);
    }
    fn read(bytes: &mut &[u8]) -> Self {
        char::from_u32(u32::read(bytes)).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

impl Codec for () {
    fn write(&self, _out: &mut Vec<u8>) {}
    fn read(_bytes: &mut &[u8]) -> Self {}
}

macro_rules! tuples {
    ($(($($part:ident $index:tt),*))*) => { $(
        impl<$($part: Codec),*> Codec for ($($part,)*) {
            fn write(&self, out: &mut Vec<u8>) {
                $( self.$index.write(out); )*
            }
            fn read(bytes: &mut &[u8]) -> Self {
                ($($part::read(bytes),)*)
            }
        }
    )* };
}
tuples!((A 0)(A 0, B 1)(A 0, B 1, C 2)(A 0, B 1, C 2, D 3)(A 0, B 1, C 2, D 3, E 4));

impl<T: Codec, const N: usize> Codec for [T; N] {
    fn write(&self, out: &mut Vec<u8>) {
        for item in self {
            item.write(out);
        }
    }
    fn read(bytes: &mut &[u8]) -> Self {
        std::array::from_fn(|_| T::read(bytes))
    }
}

impl<T: Codec> Codec for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }
    fn read(bytes: &mut &[u8]) -> Self {
        bool::read(bytes).then(|| T::read(bytes))
    }
}

macro_rules! sequences {
    ($($sequence:ident<$($part:ident $(: $bound:ident)?),*> of $item:ty;)*) => { $(
        impl<$($part: Codec $(+ $bound)?),*> Codec for $sequence<$($part),*> {
            fn write(&self, out: &mut Vec<u8>) {
                (self.len() as u32).write(out);
                for item in self {
                    item.write(out);
                }
            }
            fn read(bytes: &mut &[u8]) -> Self {
                (0..u32::read(bytes)).map(|_| <$item>::read(bytes)).collect()
            }
        }
    )* };
}
sequences! {
    Vec<T> of T;
    VecDeque<T> of T;
    BTreeSet<T: Ord> of T;
}

impl<K: Codec + Ord, V: Codec> Codec for BTreeMap<K, V> {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u32).write(out);
        for (key, value) in self {
            key.write(out);
            value.write(out);
        }
    }
    fn read(bytes: &mut &[u8]) -> Self {
        (0..u32::read(bytes)).map(|_| (K::read(bytes), V::read(bytes))).collect()
    }
}

impl Codec for String {
    fn write(&self, out: &mut Vec<u8>) {
        (self.len() as u32).write(out);
        out.extend_from_slice(self.as_bytes());
    }
    fn read(bytes: &mut &[u8]) -> Self {
        let n = u32::read(bytes) as usize;
        String::from_utf8_lossy(take(bytes, n)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back<T: Codec + PartialEq + std::fmt::Debug>(value: T) {
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        let mut rest = &bytes[..];
        assert_eq!(T::read(&mut rest), value);
        assert!(rest.is_empty(), "{value:?} left {rest:?}");
    }

    #[test]
    fn values_survive_the_bytes() {
        there_and_back((1u8, -2i64, true, 'ß', ()));
        there_and_back(vec![Some("a".to_owned()), None]);
        there_and_back([[1u16, 2], [3, 4]]);
        there_and_back(BTreeMap::from([(1u32, BTreeSet::from([2usize, 3])), (4, BTreeSet::new())]));
        there_and_back(VecDeque::from([u128::MAX]));
    }
}
