//! `Plain`: types with one canonical little-endian encoding.
//!
//! Invariant: `decode(encode(x)) == x`, and equal values have equal bytes. `POD` may be `Pod::YES`-like only where the bytes in
//! memory are that encoding, with no padding, and every bit pattern is a value; then columns are copied and hashed as they lie.

use crate::entity::Entity;
use std::fmt;

/// Proof that a type's memory is its encoding. Made by the derive and for primitives only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pod {
    is: bool,
    /// The number type that the value is made of, 0 when it is of several or none.
    lane: u8,
}

impl Pod {
    /// The bytes in memory are not the encoding.
    pub const NO: Pod = Pod { is: false, lane: 0 };
    const NATIVE: Pod = Pod::lane(0);
    const fn lane(lane: u8) -> Pod {
        Pod { is: cfg!(target_endian = "little"), lane }
    }
    /// Whether memory is the encoding.
    #[must_use]
    pub const fn is(self) -> bool {
        self.is
    }
    /// For the derive: all fields are POD and lie one behind the other without a gap.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_fields(size: usize, fields: &[(usize, usize, Pod)]) -> Pod {
        let mut total = 0;
        let mut i = 0;
        let mut lane = if fields.is_empty() { 0 } else { fields[0].2.lane };
        while i < fields.len() {
            if !fields[i].2.is || fields[i].0 != total {
                return Pod::NO;
            }
            if fields[i].2.lane != lane {
                lane = 0;
            }
            total += fields[i].1;
            i += 1;
        }
        Pod { is: total == size, lane }
    }
}

/// Why bytes could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The input ended inside a value.
    Truncated,
    /// A tag, a length or a checksum that no encoder writes.
    Tag,
    /// Bytes are left over.
    Trailing,
    /// Another kind of file or another version.
    Version,
    /// The types registered here differ from those that were written.
    Schema,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DecodeError::Truncated => "the input ends inside a value",
            DecodeError::Tag => "the input holds a tag, length or checksum that no encoder writes",
            DecodeError::Trailing => "the input has bytes left over",
            DecodeError::Version => "the input is of another kind or version",
            DecodeError::Schema => "the input was written with other types",
        })
    }
}

impl std::error::Error for DecodeError {}

/// A cursor over bytes being decoded.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes }
    }
    /// The next `n` bytes.
    ///
    /// # Errors
    /// `Truncated` when fewer are left.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        if n > self.bytes.len() {
            return Err(DecodeError::Truncated);
        }
        let (head, tail) = self.bytes.split_at(n);
        self.bytes = tail;
        Ok(head)
    }
    /// Bytes not read yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.bytes.len()
    }
    /// A count of things that take at least `least` bytes each, so that a lie cannot make us allocate.
    ///
    /// # Errors
    /// `Truncated` when the count cannot be true.
    pub fn count(&mut self, least: usize) -> Result<usize, DecodeError> {
        let n = u32::decode(self)? as usize;
        if n.saturating_mul(least) > self.left() {
            return Err(DecodeError::Truncated);
        }
        Ok(n)
    }
    /// A length-prefixed slice.
    ///
    /// # Errors
    /// `Truncated` when it is not all there.
    pub fn slice(&mut self) -> Result<&'a [u8], DecodeError> {
        let n = self.count(1)?;
        self.take(n)
    }
    /// A length-prefixed string.
    ///
    /// # Errors
    /// `Truncated`, or `Tag` when it is not UTF-8.
    pub fn string(&mut self) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.slice()?).map_err(|_| DecodeError::Tag)
    }
    /// Fails unless everything was read.
    ///
    /// # Errors
    /// `Trailing`.
    pub fn end(&self) -> Result<(), DecodeError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(DecodeError::Trailing) }
    }
}

pub(crate) fn put_slice(out: &mut Vec<u8>, bytes: &[u8]) {
    (bytes.len() as u32).encode(out);
    out.extend_from_slice(bytes);
}

/// A type with one canonical little-endian encoding.
pub trait Plain: Sized + 'static {
    /// A hash over the names and types of all fields.
    const SCHEMA: u64;
    /// Whether memory is the encoding.
    const POD: Pod = Pod::NO;
    /// Whether [`Plain::visit_entities`] can find one.
    const HAS_ENTITIES: bool = false;
    /// Appends the encoding.
    fn encode(&self, out: &mut Vec<u8>);
    /// Reads one value.
    ///
    /// # Errors
    /// When the bytes are not an encoding.
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError>;
    /// Shows every entity in the value, so that placeholders and ids can be mapped.
    fn visit_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        let _ = visit;
    }
}

pub(crate) const fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    hash
}
pub(crate) const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// A number that structs of nothing else can be seen as a row of; see [`lanes`].
pub trait Lane: Plain + Copy + sealed::Sealed {}
mod sealed {
    pub trait Sealed {}
}

/// The values as one flat slice of the numbers they are made of. Loops over it can be vectorised, loops over rows of structs
/// of three cannot. Refused by the compiler where a value is not made of `L` alone.
///
/// ```
/// use lockstep_ecs::*;
/// #[derive(Component, Plain, Clone, Copy)]
/// struct Position([f32; 3]);
/// assert_eq!(lanes::<Position, f32>(&[Position([1.0; 3]), Position([2.0; 3])]).len(), 6);
/// ```
///
/// ```compile_fail
/// use lockstep_ecs::*;
/// #[derive(Component, Plain, Clone, Copy)]
/// struct Mixed(f32, u32);
/// lanes::<Mixed, f32>(&[Mixed(1.0, 2)]);
/// ```
#[inline(always)]
#[must_use]
pub fn lanes<T: Plain, L: Lane>(values: &[T]) -> &[L] {
    const { assert_lanes::<T, L>() };
    // SAFETY: `T` is `L`s one behind the other, without a gap (`Pod`), so its size is a multiple of `L`'s and its alignment at
    // least `L`'s; every bit pattern of `L` is a value.
    unsafe {
        std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values) / size_of::<L>())
    }
}
/// As [`lanes`], to write.
#[inline(always)]
#[must_use]
pub fn lanes_mut<T: Plain, L: Lane>(values: &mut [T]) -> &mut [L] {
    const { assert_lanes::<T, L>() };
    let n = size_of_val(values) / size_of::<L>();
    // SAFETY: as above; every `L` written makes a `T`, and the borrow is exclusive.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), n) }
}
const fn assert_lanes<T: Plain, L: Lane>() {
    assert!(
        T::POD.is && T::POD.lane == L::POD.lane && align_of::<T>() >= align_of::<L>(),
        "the type is not made of this number type alone"
    );
}

macro_rules! primitive {
    ($($t:ident $lane:literal)*) => {$(
        impl sealed::Sealed for $t {}
        impl Lane for $t {}
        impl Plain for $t {
            const SCHEMA: u64 = fnv(FNV_START, stringify!($t).as_bytes());
            const POD: Pod = Pod::lane($lane);
            fn encode(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let mut bytes = [0; size_of::<$t>()];
                bytes.copy_from_slice(input.take(size_of::<$t>())?);
                Ok($t::from_le_bytes(bytes))
            }
        }
    )*};
}
primitive!(u8 1 u16 2 u32 3 u64 4 u128 5 i8 6 i16 7 i32 8 i64 9 i128 10 f32 11 f64 12);

impl Plain for usize {
    const SCHEMA: u64 = fnv(FNV_START, b"usize");
    fn encode(&self, out: &mut Vec<u8>) {
        (*self as u64).encode(out);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        usize::try_from(u64::decode(input)?).map_err(|_| DecodeError::Tag)
    }
}

impl Plain for bool {
    const SCHEMA: u64 = fnv(FNV_START, b"bool");
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match u8::decode(input)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError::Tag),
        }
    }
}

impl Plain for char {
    const SCHEMA: u64 = fnv(FNV_START, b"char");
    fn encode(&self, out: &mut Vec<u8>) {
        (*self as u32).encode(out);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        char::from_u32(u32::decode(input)?).ok_or(DecodeError::Tag)
    }
}

impl Plain for () {
    const SCHEMA: u64 = fnv(FNV_START, b"()");
    const POD: Pod = Pod::NATIVE;
    fn encode(&self, _: &mut Vec<u8>) {}
    fn decode(_: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(())
    }
}

impl Plain for Entity {
    const SCHEMA: u64 = fnv(FNV_START, b"Entity");
    const POD: Pod = Pod::NATIVE;
    const HAS_ENTITIES: bool = true;
    fn encode(&self, out: &mut Vec<u8>) {
        self.to_bits().encode(out);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        u64::decode(input).map(Entity::from_bits)
    }
    fn visit_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        visit(self);
    }
}

impl<T: Plain, const N: usize> Plain for [T; N] {
    const SCHEMA: u64 = fnv(fnv(T::SCHEMA, b"array"), &(N as u64).to_le_bytes());
    const POD: Pod = T::POD;
    const HAS_ENTITIES: bool = T::HAS_ENTITIES;
    fn encode(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|x| x.encode(out));
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut failure = None;
        let values = [(); N].map(|()| match T::decode(input) {
            Ok(value) if failure.is_none() => Some(value),
            Ok(_) => None,
            Err(e) => {
                failure.get_or_insert(e);
                None
            }
        });
        match failure {
            Some(e) => Err(e),
            None => Ok(values.map(|v| v.expect("no failure was seen"))),
        }
    }
    fn visit_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        if T::HAS_ENTITIES {
            self.iter_mut().for_each(|x| x.visit_entities(visit));
        }
    }
}

impl<T: Plain> Plain for Option<T> {
    const SCHEMA: u64 = fnv(T::SCHEMA, b"option");
    const HAS_ENTITIES: bool = T::HAS_ENTITIES;
    fn encode(&self, out: &mut Vec<u8>) {
        self.is_some().encode(out);
        if let Some(x) = self {
            x.encode(out);
        }
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(if bool::decode(input)? { Some(T::decode(input)?) } else { None })
    }
    fn visit_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        if let Some(x) = self {
            x.visit_entities(visit);
        }
    }
}

impl<T: Plain> Plain for Vec<T> {
    const SCHEMA: u64 = fnv(T::SCHEMA, b"vec");
    const HAS_ENTITIES: bool = T::HAS_ENTITIES;
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u32).encode(out);
        self.iter().for_each(|x| x.encode(out));
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let n = input.count(usize::from(size_of::<T>() > 0))?;
        let mut out = Vec::with_capacity(n.min(1 << 16));
        for _ in 0..n {
            out.push(T::decode(input)?);
        }
        Ok(out)
    }
    fn visit_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        if T::HAS_ENTITIES {
            self.iter_mut().for_each(|x| x.visit_entities(visit));
        }
    }
}

impl Plain for String {
    const SCHEMA: u64 = fnv(FNV_START, b"string");
    fn encode(&self, out: &mut Vec<u8>) {
        put_slice(out, self.as_bytes());
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        input.string().map(str::to_owned)
    }
}

impl<T: Plain> Plain for Box<T> {
    const SCHEMA: u64 = T::SCHEMA;
    const HAS_ENTITIES: bool = T::HAS_ENTITIES;
    fn encode(&self, out: &mut Vec<u8>) {
        (**self).encode(out);
    }
    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        T::decode(input).map(Box::new)
    }
    fn visit_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        (**self).visit_entities(visit);
    }
}

macro_rules! tuples {
    ($($($t:ident $i:tt),+;)*) => {$(
        impl<$($t: Plain),+> Plain for ($($t,)+) {
            const SCHEMA: u64 = { let h = fnv(FNV_START, b"tuple"); $(let h = fnv(h, &$t::SCHEMA.to_le_bytes());)+ h };
            const HAS_ENTITIES: bool = false $(|| $t::HAS_ENTITIES)+;
            fn encode(&self, out: &mut Vec<u8>) {
                $(self.$i.encode(out);)+
            }
            fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(($($t::decode(input)?,)+))
            }
            fn visit_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
                $(self.$i.visit_entities(visit);)+
            }
        }
    )*};
}
tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
}

/// Shows the entities inside a field of a type that need not be [`Plain`]; the derives call it on fields that name `Entity`.
pub trait MapEntities {
    /// Calls `visit` on every entity inside.
    fn map_entities(&mut self, visit: &mut dyn FnMut(&mut Entity));
}

impl MapEntities for Entity {
    fn map_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        visit(self);
    }
}
impl<T: MapEntities> MapEntities for Option<T> {
    fn map_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        self.iter_mut().for_each(|x| x.map_entities(visit));
    }
}
impl<T: MapEntities> MapEntities for Vec<T> {
    fn map_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        self.iter_mut().for_each(|x| x.map_entities(visit));
    }
}
impl<T: MapEntities, const N: usize> MapEntities for [T; N] {
    fn map_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        self.iter_mut().for_each(|x| x.map_entities(visit));
    }
}

macro_rules! without_entities {
    ($($t:ty)*) => {$(
        impl MapEntities for $t {
            fn map_entities(&mut self, _: &mut dyn FnMut(&mut Entity)) {}
        }
    )*};
}
without_entities!(() u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 usize isize f32 f64 bool char String);
macro_rules! map_tuples {
    ($($($t:ident $i:tt),+;)*) => {$(
        impl<$($t: MapEntities),+> MapEntities for ($($t,)+) {
            fn map_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
                $(self.$i.map_entities(visit);)+
            }
        }
    )*};
}
map_tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
}
