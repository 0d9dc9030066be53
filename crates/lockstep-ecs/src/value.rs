//! Types as data: what the world has to know about a value's type once the type is erased.
//!
//! Invariant: the functions in a [`ValueInfo`] belong to the type of its `type_id`; they are made by [`describe`] alone.

use crate::entity::Entity;
use crate::plain::{DecodeError, FNV_START, Plain, Pod, Reader, fnv};
use std::alloc::Layout;
use std::any::TypeId;
use std::fmt::Debug;
use std::marker::PhantomData;

/// A value the world may hold: component, resource, event or payload. Derived, not written.
pub trait Value: 'static + Sized {
    /// A name that is the same on every machine and in every build.
    fn type_name() -> &'static str;
    /// The type as data.
    fn describe() -> ValueInfo;
    /// Shows every entity in the value.
    fn visit_entities(&mut self, visit: &mut dyn FnMut(&mut Entity)) {
        let _ = visit;
    }
}

/// Encoding of an erased type.
#[derive(Clone, Copy)]
pub(crate) struct Codec {
    pub(crate) schema: u64,
    pub(crate) pod: bool,
    /// SAFETY contract: the pointer is to a live value of the type.
    pub(crate) encode: unsafe fn(*const u8, &mut Vec<u8>),
    /// SAFETY contract: the pointer is to room for a value of the type; on `Ok` it holds one.
    pub(crate) decode: unsafe fn(&mut Reader<'_>, *mut u8) -> Result<(), DecodeError>,
}

pub(crate) type VisitFn = unsafe fn(*mut u8, &mut dyn FnMut(&mut Entity));

/// An erased type.
#[derive(Clone)]
pub struct ValueInfo {
    pub(crate) name: &'static str,
    pub(crate) type_id: TypeId,
    pub(crate) layout: Layout,
    pub(crate) drop: Option<unsafe fn(*mut u8)>,
    pub(crate) codec: Option<Codec>,
    pub(crate) cloner: Option<unsafe fn(*const u8, *mut u8)>,
    pub(crate) debug: Option<unsafe fn(*const u8) -> String>,
    pub(crate) visit: Option<VisitFn>,
}

impl ValueInfo {
    /// The stable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }
    /// Whether values can be snapshot.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.codec.is_some()
    }
    /// Bytes a value takes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.layout.size()
    }
    /// Text of a value for reports: `Debug` where the type has it, else its encoding in hexadecimal.
    ///
    /// # Safety
    /// `value` points to a live value of this type.
    pub(crate) unsafe fn show(&self, value: *const u8) -> String {
        if let Some(debug) = self.debug {
            // SAFETY: the caller's contract.
            return unsafe { debug(value) };
        }
        let Some(codec) = self.codec else { return format!("<{}>", self.name) };
        let mut bytes = Vec::new();
        // SAFETY: the caller's contract.
        unsafe { (codec.encode)(value, &mut bytes) };
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }
    /// Copies a value, by `Clone` or through its encoding.
    ///
    /// # Safety
    /// `from` points to a live value of this type, `to` to room for one.
    pub(crate) unsafe fn copy_value(&self, from: *const u8, to: *mut u8) -> bool {
        if let Some(cloner) = self.cloner {
            // SAFETY: the caller's contract.
            unsafe { cloner(from, to) };
            return true;
        }
        let Some(codec) = self.codec else { return false };
        let mut bytes = Vec::new();
        // SAFETY: the caller's contract; what was encoded decodes.
        unsafe {
            (codec.encode)(from, &mut bytes);
            (codec.decode)(&mut Reader::new(&bytes), to).is_ok()
        }
    }
}

impl std::fmt::Debug for ValueInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ValueInfo")
            .field("name", &self.name)
            .field("plain", &self.is_plain())
            .finish()
    }
}

unsafe fn drop_value<T>(value: *mut u8) {
    // SAFETY: `ValueInfo` contract: a live value of `T`, not used afterwards.
    unsafe { value.cast::<T>().drop_in_place() }
}
unsafe fn encode_value<T: Plain>(value: *const u8, out: &mut Vec<u8>) {
    // SAFETY: `Codec` contract.
    unsafe { (*value.cast::<T>()).encode(out) }
}
unsafe fn decode_value<T: Plain>(input: &mut Reader<'_>, to: *mut u8) -> Result<(), DecodeError> {
    let value = T::decode(input)?;
    // SAFETY: `Codec` contract.
    unsafe { to.cast::<T>().write(value) };
    Ok(())
}
unsafe fn clone_value<T: Clone>(from: *const u8, to: *mut u8) {
    // SAFETY: `ValueInfo::copy_value` contract.
    unsafe { to.cast::<T>().write((*from.cast::<T>()).clone()) }
}
unsafe fn debug_value<T: Debug>(value: *const u8) -> String {
    // SAFETY: `ValueInfo::show` contract.
    format!("{:?}", unsafe { &*value.cast::<T>() })
}
unsafe fn visit_value<T: Value>(value: *mut u8, visit: &mut dyn FnMut(&mut Entity)) {
    // SAFETY: the pointer is to a live value of `T` that the caller may write.
    unsafe { (*value.cast::<T>()).visit_entities(visit) }
}
unsafe fn visit_plain<T: Plain>(value: *mut u8, visit: &mut dyn FnMut(&mut Entity)) {
    // SAFETY: as in `visit_value`.
    unsafe { (*value.cast::<T>()).visit_entities(visit) }
}

/// What [`Value::describe`] is made of. For the derives.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct CodecOf<T>(Codec, PhantomData<T>);
#[doc(hidden)]
pub struct CloneOf<T>(unsafe fn(*const u8, *mut u8), PhantomData<T>);
#[doc(hidden)]
pub struct DebugOf<T>(unsafe fn(*const u8) -> String, PhantomData<T>);

#[doc(hidden)]
#[must_use]
pub fn codec_of<T: Plain>() -> CodecOf<T> {
    CodecOf(
        Codec {
            schema: fnv(T::SCHEMA, b"value"),
            pod: T::POD.is(),
            encode: encode_value::<T>,
            decode: decode_value::<T>,
        },
        PhantomData,
    )
}

#[doc(hidden)]
#[must_use]
pub fn describe<T: Value>(
    name: &'static str,
    codec: Option<CodecOf<T>>,
    cloner: Option<CloneOf<T>>,
    debug: Option<DebugOf<T>>,
    has_entities: bool,
) -> ValueInfo {
    ValueInfo {
        name,
        type_id: TypeId::of::<T>(),
        layout: Layout::new::<T>(),
        drop: if std::mem::needs_drop::<T>() { Some(drop_value::<T>) } else { None },
        codec: codec.map(|c| c.0),
        cloner: cloner.map(|c| c.0),
        debug: debug.map(|c| c.0),
        visit: has_entities.then_some(visit_value::<T> as VisitFn),
    }
}

/// The description of a plain type that is not a derived value (a `Local`, an input).
pub(crate) fn describe_plain<T: Plain>(name: &'static str) -> ValueInfo {
    ValueInfo {
        name,
        type_id: TypeId::of::<T>(),
        layout: Layout::new::<T>(),
        drop: if std::mem::needs_drop::<T>() { Some(drop_value::<T>) } else { None },
        codec: Some(codec_of::<T>().0),
        cloner: None,
        debug: None,
        visit: T::HAS_ENTITIES.then_some(visit_plain::<T> as VisitFn),
    }
}

/// Finds out, for a concrete type, which traits it has: a method on `Probe<T>` wins over one on `&Probe<T>`.
#[doc(hidden)]
pub struct Probe<T>(PhantomData<fn() -> T>);
impl<T> Probe<T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new() -> Self {
        Probe(PhantomData)
    }
}
#[doc(hidden)]
pub trait ViaCodec<T> {
    fn codec(&self) -> Option<CodecOf<T>>;
    fn has_entities(&self) -> bool;
    fn visit(&self, value: &mut T, visit: &mut dyn FnMut(&mut Entity)) -> bool;
}
impl<T: Plain> ViaCodec<T> for Probe<T> {
    fn codec(&self) -> Option<CodecOf<T>> {
        Some(codec_of())
    }
    fn has_entities(&self) -> bool {
        T::HAS_ENTITIES
    }
    fn visit(&self, value: &mut T, visit: &mut dyn FnMut(&mut Entity)) -> bool {
        value.visit_entities(visit);
        true
    }
}
#[doc(hidden)]
pub trait ViaNoCodec<T> {
    fn codec(&self) -> Option<CodecOf<T>>;
    fn has_entities(&self) -> bool;
    fn visit(&self, value: &mut T, visit: &mut dyn FnMut(&mut Entity)) -> bool;
}
impl<T> ViaNoCodec<T> for &Probe<T> {
    fn codec(&self) -> Option<CodecOf<T>> {
        None
    }
    fn has_entities(&self) -> bool {
        false
    }
    fn visit(&self, _: &mut T, _: &mut dyn FnMut(&mut Entity)) -> bool {
        false
    }
}
#[doc(hidden)]
pub trait ViaClone<T> {
    fn cloner(&self) -> Option<CloneOf<T>>;
}
impl<T: Clone> ViaClone<T> for Probe<T> {
    fn cloner(&self) -> Option<CloneOf<T>> {
        Some(CloneOf(clone_value::<T>, PhantomData))
    }
}
#[doc(hidden)]
pub trait ViaNoClone<T> {
    fn cloner(&self) -> Option<CloneOf<T>>;
}
impl<T> ViaNoClone<T> for &Probe<T> {
    fn cloner(&self) -> Option<CloneOf<T>> {
        None
    }
}
#[doc(hidden)]
pub trait ViaDebug<T> {
    fn debugger(&self) -> Option<DebugOf<T>>;
}
impl<T: Debug> ViaDebug<T> for Probe<T> {
    fn debugger(&self) -> Option<DebugOf<T>> {
        Some(DebugOf(debug_value::<T>, PhantomData))
    }
}
#[doc(hidden)]
pub trait ViaNoDebug<T> {
    fn debugger(&self) -> Option<DebugOf<T>>;
}
impl<T> ViaNoDebug<T> for &Probe<T> {
    fn debugger(&self) -> Option<DebugOf<T>> {
        None
    }
}

#[doc(hidden)]
#[must_use]
pub const fn schema(name: &str, fields: &[(&str, u64)]) -> u64 {
    let mut hash = fnv(FNV_START, name.as_bytes());
    let mut i = 0;
    while i < fields.len() {
        hash = fnv(fnv(hash, fields[i].0.as_bytes()), &fields[i].1.to_le_bytes());
        i += 1;
    }
    hash
}
#[doc(hidden)]
#[must_use]
pub const fn pod_struct<T>(fields: &[(usize, usize, Pod)]) -> Pod {
    Pod::of_fields(size_of::<T>(), fields)
}
/// A key of a component type at compile time; 0 means unknown.
#[doc(hidden)]
#[must_use]
pub const fn key(name: &str, line: u32, column: u32) -> u64 {
    fnv(fnv(FNV_START, name.as_bytes()), &((line as u64) << 32 | column as u64).to_le_bytes()) | 1
}
