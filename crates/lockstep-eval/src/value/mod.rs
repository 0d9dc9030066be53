//! TLA+ values.
//!
//! A [`Value`] is two words: scalars and intervals are inline, compound values are immutable and
//! shared by reference counts without atomics, so values never leave their worker (they cross
//! threads encoded). Compound nodes keep their structural hash.
//!
//! A hash that is known also says that nothing lazy is inside, so forcing stops there.
//!
//! Invariants: a set node is sorted and without duplicates (see [`order`]), unless its elements
//! cannot be compared, in which case it carries that error and yields it on use; a record's
//! fields are in the order of strings; a function's domain is sorted.
//!
//! [`LazyNode`] holds what is not enumerated yet or cannot be: `Nat`, `SUBSET S`, `[S -> T]`,
//! filters over infinite sets, functions on infinite domains.

pub mod arith;
mod ctx;
mod encode;
mod enumerate;
mod force;
mod functions;
mod hash;
mod image;
mod kinds;
pub mod order;
mod pretty;
mod print;
pub mod sequences;
pub mod sets;
pub mod sort;
mod symbols;
#[cfg(test)]
pub(crate) mod tests;

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

pub use ctx::{Ctx, Host, Limits, OtherRegisters, Output, ProcessOutput, Rng, SearchView, Warning};
pub use encode::{decode, encode};
pub use enumerate::SetIter;
pub use force::{force, permute};
pub(crate) use functions::position;
pub use functions::{
    Entries, apply, domain, domain_of_set, entries, except, except_field, from_pairs,
    function_from_parts, function_on, record, record_from_parts, select_field, update,
};
pub use hash::{
    entry as hash_entry, finish_function, finish_set, fold, hash_bytes, hash_int, hash64, mix,
};
pub(crate) use image::{has_tuple, image};
pub use kinds::kind_phrase;
pub use order::{compare, equal};
pub use pretty::wrap;
pub use print::{print_wrapped, quote, to_text};
pub use symbols::{ModelId, Names, Sym, Symbols};

use crate::error::{EvalError, EvalResult};

/// Elements of a compound value; a few are held without a second allocation.
pub type Items = SmallVec<[Value; 4]>;

/// A TLA+ value.
///
/// The tag has a word of its own: with a tag of one byte the compiler moves values in pieces that
/// straddle what was just stored, and every such move waits for memory.
#[derive(Clone)]
#[repr(u32)]
pub enum Value {
    /// `TRUE` or `FALSE`.
    Bool(bool),
    /// An integer of 32 bits.
    Int(i32),
    /// A string.
    Str(Sym),
    /// A model value.
    Model(ModelId),
    /// `lo..hi`, empty when `hi < lo`.
    Interval(i32, i32),
    /// An enumerated set.
    Set(Rc<SetNode>),
    /// A tuple, which is a function on `1..n`.
    Tuple(Rc<TupleNode>),
    /// A record, which is a function on strings.
    Record(Rc<RecordNode>),
    /// Any other function with a finite domain.
    Function(Rc<FunctionNode>),
    /// What is not enumerated, or cannot be.
    Lazy(Rc<LazyNode>),
}

/// The elements of an enumerated set.
pub struct SetNode {
    pub(crate) hash: Cell<u64>,
    pub(crate) items: Items,
    /// The set as the domain of functions, once one was made.
    pub(crate) domain: OnceCell<Rc<Domain>>,
    /// The hashes of the elements, once membership was asked of a compound value.
    pub(crate) hashes: OnceCell<Box<[u64]>>,
    /// Why the elements could not be brought in order; they stand as written then.
    pub(crate) broken: Option<Box<EvalError>>,
}

impl SetNode {
    fn new(items: Items, broken: Option<Box<EvalError>>) -> Self {
        Self { hash: Cell::new(0), items, domain: OnceCell::new(), hashes: OnceCell::new(), broken }
    }

    /// The elements in order.
    #[inline]
    pub fn elements(&self) -> EvalResult<&[Value]> {
        match &self.broken {
            None => Ok(&self.items),
            Some(err) => Err(err.clone()),
        }
    }
}

/// The elements of a tuple.
pub struct TupleNode {
    pub(crate) hash: Cell<u64>,
    pub(crate) items: Items,
}

impl TupleNode {
    /// The elements.
    #[inline]
    pub fn items(&self) -> &[Value] {
        &self.items
    }
}

/// The field names of a record, in the order of strings.
pub struct Shape {
    pub(crate) names: Box<[Sym]>,
    pub(crate) hashes: Box<[u64]>,
    pub(crate) static_id: Option<u32>,
}

impl Shape {
    /// The field names in order.
    #[inline]
    pub fn names(&self) -> &[Sym] {
        &self.names
    }

    /// Where a field stands.
    #[inline]
    pub fn position(&self, name: Sym) -> Option<usize> {
        self.names.iter().position(|it| *it == name)
    }
}

/// The fields of a record.
pub struct RecordNode {
    pub(crate) hash: Cell<u64>,
    pub(crate) shape: Rc<Shape>,
    pub(crate) values: Items,
}

impl RecordNode {
    /// The field names.
    #[inline]
    pub fn shape(&self) -> &Rc<Shape> {
        &self.shape
    }

    /// The values, in the order of the names.
    #[inline]
    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

/// The finite domain of a function; shared by all functions made from one another by `EXCEPT`.
pub enum Domain {
    /// `lo..hi`.
    Interval(i32, i32),
    /// The keys in order.
    Sorted {
        /// The keys.
        keys: Box<[Value]>,
        /// Their hashes, once known.
        hashes: OnceCell<Box<[u64]>>,
        /// Their encoding, once known.
        bytes: OnceCell<Rc<[u8]>>,
    },
}

impl Domain {
    /// How many keys there are.
    pub fn len(&self) -> usize {
        match self {
            Domain::Interval(lo, hi) => interval_len(*lo, *hi),
            Domain::Sorted { keys, .. } => keys.len(),
        }
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key at `idx`, which must be below [`Domain::len`].
    #[inline]
    pub fn key(&self, idx: usize) -> Value {
        match self {
            Domain::Interval(lo, _) => Value::Int(lo + idx as i32),
            Domain::Sorted { keys, .. } => keys[idx].clone(),
        }
    }
}

/// A function with a finite domain.
pub struct FunctionNode {
    pub(crate) hash: Cell<u64>,
    pub(crate) domain: Rc<Domain>,
    pub(crate) values: Items,
}

impl FunctionNode {
    /// The domain.
    #[inline]
    pub fn domain(&self) -> &Rc<Domain> {
        &self.domain
    }

    /// The results, in the order of the keys.
    #[inline]
    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

/// Code of the specification as a value: an operator argument, the predicate of a filter, the
/// body of a function. The evaluator implements it.
pub trait Closure {
    /// Evaluates the body for these arguments.
    fn call(&self, ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value>;

    /// How many arguments there are.
    fn arity(&self) -> usize {
        1
    }

    /// The bound names as written, for printing (`x`, or `<<a, b>>`).
    fn binder(&self) -> String {
        "x".to_owned()
    }

    /// Where the body stands, as in `line 13, col 21 to line 13, col 25 of module Ev`.
    fn location(&self) -> String {
        String::new()
    }

    /// The place of the body, for errors about its value.
    fn span(&self) -> Option<lockstep_syntax::Span> {
        None
    }
}

/// A set or function that is not enumerated.
pub struct LazyNode {
    pub(crate) hash: Cell<u64>,
    /// The enumerated value, once it was needed.
    pub(crate) forced: OnceCell<Value>,
    pub(crate) kind: LazyKind,
}

impl LazyNode {
    /// What it is.
    pub fn kind(&self) -> &LazyKind {
        &self.kind
    }
}

/// Results of a function known so far: argument and result by hash of the argument.
pub type Memo = FxHashMap<u64, SmallVec<[(Value, Value); 1]>>;

/// The kinds of unenumerated values.
pub enum LazyKind {
    /// `Nat`.
    Nat,
    /// `Int`.
    Int,
    /// `Real`.
    Real,
    /// `STRING`.
    Strings,
    /// `Any` of module TLC: everything is a member.
    Any,
    /// `Seq(S)`.
    Seq(Value),
    /// `SUBSET S`.
    Subset(Value),
    /// `[S -> T]`.
    FunctionSet {
        /// `S`.
        domain: Value,
        /// `T`.
        range: Value,
    },
    /// `[a : S, b : T]`.
    RecordSet {
        /// The field names.
        shape: Rc<Shape>,
        /// The sets, in the order of the names.
        sets: Box<[Value]>,
    },
    /// `S \X T \X U`.
    Product(Box<[Value]>),
    /// `UNION S`.
    BigUnion(Value),
    /// `S \cup T` where one is infinite.
    Cup(Value, Value),
    /// `S \cap T` where the left one is infinite.
    Cap(Value, Value),
    /// `S \ T` where the left one is infinite.
    Diff(Value, Value),
    /// `{x \in S : P(x)}`.
    Filter {
        /// `S`.
        base: Value,
        /// `P`.
        predicate: Rc<dyn Closure>,
    },
    /// `[x \in S |-> e]`; several arguments come as one tuple.
    Lambda {
        /// `S`, a product when there are several bounds.
        domain: Value,
        /// `e`.
        body: Rc<dyn Closure>,
        /// Results known so far, by hash of the argument; only when `memoize`.
        memo: RefCell<Memo>,
        /// Whether results may be kept: not when the body has side effects.
        memoize: bool,
    },
}

/// The number of elements of `lo..hi`.
#[inline]
pub fn interval_len(lo: i32, hi: i32) -> usize {
    if hi < lo { 0 } else { (i64::from(hi) - i64::from(lo) + 1) as usize }
}

impl Value {
    /// `TRUE`.
    pub const TRUE: Value = Value::Bool(true);
    /// `FALSE`.
    pub const FALSE: Value = Value::Bool(false);

    /// `{}`.
    pub fn empty_set() -> Value {
        Value::Set(Rc::new(SetNode::new(Items::new(), None)))
    }

    /// `<<>>`.
    pub fn empty_tuple() -> Value {
        Value::tuple(Items::new())
    }

    /// `BOOLEAN`.
    pub fn booleans() -> Value {
        Value::set_of_sorted(smallvec::smallvec![Value::FALSE, Value::TRUE])
    }

    /// A tuple.
    #[inline]
    pub fn tuple(items: impl Into<Items>) -> Value {
        Value::Tuple(Rc::new(TupleNode { hash: Cell::new(0), items: items.into() }))
    }

    /// A tuple of the elements that an iterator yields.
    pub fn tuple_from(items: impl IntoIterator<Item = Value>) -> Value {
        Value::tuple(items.into_iter().collect::<Items>())
    }

    /// A set of elements that are in order and distinct already.
    #[inline]
    pub fn set_of_sorted(items: impl Into<Items>) -> Value {
        Value::Set(Rc::new(SetNode::new(items.into(), None)))
    }

    /// A lazy value.
    pub fn lazy(kind: LazyKind) -> Value {
        Value::Lazy(Rc::new(LazyNode { hash: Cell::new(0), forced: OnceCell::new(), kind }))
    }

    /// `SUBSET base`.
    pub fn subset(base: Value) -> Value {
        Value::lazy(LazyKind::Subset(base))
    }

    /// `[domain -> range]`.
    pub fn function_set(domain: Value, range: Value) -> Value {
        Value::lazy(LazyKind::FunctionSet { domain, range })
    }

    /// `S \X T ...`.
    pub fn product(sets: impl Into<Box<[Value]>>) -> Value {
        Value::lazy(LazyKind::Product(sets.into()))
    }

    /// `{x \in base : predicate}`, not evaluated.
    pub fn filter(base: Value, predicate: Rc<dyn Closure>) -> Value {
        Value::lazy(LazyKind::Filter { base, predicate })
    }

    /// `[x \in domain |-> body]`, not evaluated.
    pub fn lambda(domain: Value, body: Rc<dyn Closure>, memoize: bool) -> Value {
        Value::lazy(LazyKind::Lambda {
            domain,
            body,
            memo: RefCell::new(FxHashMap::default()),
            memoize,
        })
    }

    /// Whether this is a set of any sort.
    pub fn is_set(&self) -> bool {
        match self {
            Value::Interval(..) | Value::Set(_) => true,
            Value::Lazy(node) => !matches!(node.kind, LazyKind::Lambda { .. }),
            Value::Bool(_)
            | Value::Int(_)
            | Value::Str(_)
            | Value::Model(_)
            | Value::Tuple(_)
            | Value::Record(_)
            | Value::Function(_) => false,
        }
    }

    /// Whether this is a function of any sort (tuples and records are).
    pub fn is_function(&self) -> bool {
        match self {
            Value::Tuple(_) | Value::Record(_) | Value::Function(_) => true,
            Value::Lazy(node) => matches!(node.kind, LazyKind::Lambda { .. }),
            Value::Bool(_)
            | Value::Int(_)
            | Value::Str(_)
            | Value::Model(_)
            | Value::Interval(..)
            | Value::Set(_) => false,
        }
    }

    /// The Boolean, if it is one.
    #[inline]
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(b) = self { Some(*b) } else { None }
    }

    /// The integer, if it is one.
    #[inline]
    pub fn as_int(&self) -> Option<i32> {
        if let Value::Int(n) = self { Some(*n) } else { None }
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl From<i32> for Value {
    fn from(n: i32) -> Self {
        Value::Int(n)
    }
}

/// Structure for debugging; people are shown [`to_text`].
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) => write!(f, "{n}"),
            Value::Str(sym) => write!(f, "str#{:x}", sym.0),
            Value::Model(id) => write!(f, "model#{:x}", id.0),
            Value::Interval(lo, hi) => write!(f, "{lo}..{hi}"),
            Value::Set(node) => f.debug_set().entries(&node.items).finish(),
            Value::Tuple(node) => f.debug_list().entries(&node.items).finish(),
            Value::Record(node) => {
                f.debug_map().entries(node.shape.names.iter().zip(&node.values)).finish()
            }
            Value::Function(node) => f
                .debug_map()
                .entries(node.values.iter().enumerate().map(|(i, it)| (node.domain.key(i), it)))
                .finish(),
            Value::Lazy(_) => f.write_str("lazy"),
        }
    }
}
