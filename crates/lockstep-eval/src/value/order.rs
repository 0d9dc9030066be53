//! Equality and the normal order of values, with TLC's errors.
//!
//! Integers ascend; `FALSE < TRUE`; strings by first occurrence in the specification; model
//! values before all others; sets by size, then element by element; functions of all sorts by
//! size, then domain, then results. Values of different kinds can neither be compared nor be
//! asked for equality: that is an error of the specification. No answer rests on hashes alone.

use std::cmp::Ordering;
use std::rc::Rc;

use super::functions::{Entries, entries};
use super::{Ctx, Domain, LazyKind, RecordNode, Value, force, interval_len, to_text};
use crate::error::{EvalError, EvalResult, code};

/// Whether `a = b`.
#[inline]
pub fn equal(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<bool> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok(x == y),
        (Value::Str(x), Value::Str(y)) => Ok(x == y),
        (Value::Bool(x), Value::Bool(y)) => Ok(x == y),
        (Value::Tuple(x), Value::Tuple(y)) => {
            if Rc::ptr_eq(x, y) {
                return Ok(true);
            }
            if x.items.len() != y.items.len() {
                return Ok(false);
            }
            equal_all(ctx, &x.items, &y.items)
        }
        _ => equal_slow(ctx, a, b),
    }
}

/// Whether two lists of the same length are equal, tested from the left.
fn equal_all(ctx: &mut Ctx, a: &[Value], b: &[Value]) -> EvalResult<bool> {
    for (x, y) in a.iter().zip(b) {
        if !equal(ctx, x, y)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equal_slow(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<bool> {
    // The match on the left value names every variant: a new one must decide its equality.
    match a {
        Value::Model(x) => {
            if let Value::Model(y) = b {
                if x == y {
                    return Ok(true);
                }
                let (s, t) = (ctx.names.model_kind(*x), ctx.names.model_kind(*y));
                if s != 0 && t != 0 && s != t {
                    return Err(differently_typed(ctx, "check equality of", a, b));
                }
                return Ok(false);
            }
            if ctx.names.model_kind(*x) != 0 {
                let (a, b) = (to_text(ctx, a), to_text(ctx, b));
                return Err(incomparable(format!(
                    "Attempted to check equality of typed model value {a} and non-model value\n{b}"
                )));
            }
            return Ok(false);
        }
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Interval(..)
        | Value::Set(_)
        | Value::Tuple(_)
        | Value::Record(_)
        | Value::Function(_)
        | Value::Lazy(_) => {}
    }
    if let Value::Model(y) = b {
        if ctx.names.model_kind(*y) != 0 {
            let (a, b) = (to_text(ctx, a), to_text(ctx, b));
            return Err(incomparable(format!(
                "Attempted to check equality of the typed model value {b} and the non-model \
                 value\n{a}"
            )));
        }
        return Ok(false);
    }
    match a {
        Value::Int(_) => Err(mismatch(ctx, "check equality of integer", a, "non-integer", b)),
        Value::Str(_) => Err(mismatch(ctx, "check equality of string", a, "non-string", b)),
        Value::Bool(_) => Err(mismatch(ctx, "compare equality of boolean", a, "non-boolean", b)),
        Value::Interval(lo, hi) => match b {
            Value::Interval(lo2, hi2) => Ok((lo == lo2 && hi == hi2) || (hi < lo && hi2 < lo2)),
            _ => equal_sets(ctx, a, b),
        },
        Value::Set(_) => equal_sets(ctx, a, b),
        Value::Tuple(_) | Value::Record(_) | Value::Function(_) => equal_functions(ctx, a, b),
        Value::Lazy(node) => {
            if let Value::Lazy(other) = b
                && Rc::ptr_eq(node, other)
            {
                return Ok(true);
            }
            if let LazyKind::Lambda { .. } = node.kind {
                if !b.is_function() {
                    return Err(mismatch_plain(ctx, "check equality of the function", a, b));
                }
                return equal_functions(ctx, a, b);
            }
            if let Some(name) = overridden_name(&node.kind) {
                if let Value::Lazy(other) = b
                    && let Some(name2) = overridden_name(&other.kind)
                {
                    return Ok(name == name2);
                }
                let b = to_text(ctx, b);
                return Err(incomparable(format!(
                    "Attempted to compare overridden value {name} with non-overridden value:\n{b}"
                )));
            }
            equal_sets(ctx, a, b)
        }
        Value::Model(_) => Ok(false),
    }
}

/// The names of the sets that are known by name alone.
fn overridden_name(kind: &LazyKind) -> Option<&'static str> {
    match kind {
        LazyKind::Nat => Some("Nat"),
        LazyKind::Int => Some("Int"),
        LazyKind::Real => Some("Real"),
        LazyKind::Strings => Some("STRING"),
        LazyKind::Any => Some("ANY"),
        LazyKind::Seq(_)
        | LazyKind::Subset(_)
        | LazyKind::FunctionSet { .. }
        | LazyKind::RecordSet { .. }
        | LazyKind::Product(_)
        | LazyKind::BigUnion(_)
        | LazyKind::Cup(..)
        | LazyKind::Cap(..)
        | LazyKind::Diff(..)
        | LazyKind::Filter { .. }
        | LazyKind::Lambda { .. } => None,
    }
}

fn equal_sets(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<bool> {
    if !b.is_set() || infinite_by_name(b) {
        return Err(mismatch_plain(ctx, "check equality of the set", a, b));
    }
    // Symbolic sets of one sort are compared by their parts where that decides.
    if let (Value::Lazy(x), Value::Lazy(y)) = (a, b)
        && let Some(answer) = equal_symbolic(ctx, &x.kind, &y.kind)?
    {
        return Ok(answer);
    }
    // Elements are forced as they are compared: forcing all of them at every level would take the
    // square of the depth.
    let (a, b) = (listed(ctx, a)?, listed(ctx, b)?);
    match (&a, &b) {
        (Value::Set(x), Value::Set(y)) => {
            if Rc::ptr_eq(x, y) {
                return Ok(true);
            }
            let (x, y) = (x.elements()?, y.elements()?);
            if x.len() != y.len() {
                return Ok(false);
            }
            equal_all(ctx, x, y)
        }
        (Value::Interval(lo, hi), Value::Set(set)) | (Value::Set(set), Value::Interval(lo, hi)) => {
            let items = set.elements()?;
            if items.len() != interval_len(*lo, *hi) {
                return Ok(false);
            }
            for (idx, item) in items.iter().enumerate() {
                let n = Value::Int(lo + idx as i32);
                let same = if matches!(a, Value::Set(_)) {
                    equal(ctx, item, &n)?
                } else {
                    equal(ctx, &n, item)?
                };
                if !same {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Interval(..), Value::Interval(..)) => equal(ctx, &a, &b),
        _ => Err(mismatch_plain(ctx, "check equality of the set", &a, &b)),
    }
}

/// A set or function that is not symbolic itself; its elements may be.
fn listed(ctx: &mut Ctx, value: &Value) -> EvalResult<Value> {
    match value {
        Value::Lazy(_) => force(ctx, value),
        _ => Ok(value.clone()),
    }
}

fn infinite_by_name(value: &Value) -> bool {
    match value {
        Value::Lazy(node) => overridden_name(&node.kind).is_some(),
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Interval(..)
        | Value::Set(_)
        | Value::Tuple(_)
        | Value::Record(_)
        | Value::Function(_) => false,
    }
}

/// Equality of symbolic sets that need not be enumerated; `None` when they must be.
fn equal_symbolic(ctx: &mut Ctx, a: &LazyKind, b: &LazyKind) -> EvalResult<Option<bool>> {
    match (a, b) {
        (LazyKind::Subset(x), LazyKind::Subset(y)) | (LazyKind::Seq(x), LazyKind::Seq(y)) => {
            Ok(Some(equal(ctx, x, y)?))
        }
        (
            LazyKind::FunctionSet { domain: d, range: r },
            LazyKind::FunctionSet { domain: d2, range: r2 },
        ) => {
            // Equal parts make equal sets. Different ones need not make different sets: an empty
            // domain or range is the exception, so the slow way decides.
            Ok((equal(ctx, d, d2)? && equal(ctx, r, r2)?).then_some(true))
        }
        _ => Ok(None),
    }
}

/// Whether a function has nothing but strings in its domain.
fn on_strings(value: &Value) -> bool {
    match value {
        Value::Record(_) => true,
        Value::Tuple(node) => node.items.is_empty(),
        Value::Function(node) => match &*node.domain {
            Domain::Interval(lo, hi) => hi < lo,
            Domain::Sorted { keys, .. } => keys.iter().all(|key| matches!(key, Value::Str(_))),
        },
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Interval(..)
        | Value::Set(_)
        | Value::Lazy(_) => false,
    }
}

fn equal_functions(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<bool> {
    if !b.is_function() {
        return Err(if let Value::Record(_) = a {
            mismatch_record(ctx, "check equality of record", a, b)
        } else {
            mismatch_plain(ctx, "check equality of the function", a, b)
        });
    }
    match (a, b) {
        (Value::Record(x), Value::Record(y)) => {
            if Rc::ptr_eq(x, y) {
                return Ok(true);
            }
            if !same_shape(x, y) {
                return Ok(false);
            }
            return equal_all(ctx, &x.values, &y.values);
        }
        (Value::Function(x), Value::Function(y)) => {
            if Rc::ptr_eq(x, y) {
                return Ok(true);
            }
            if x.values.len() != y.values.len() {
                return Ok(false);
            }
            if !Rc::ptr_eq(&x.domain, &y.domain) && !equal_domains(ctx, &x.domain, &y.domain)? {
                return Ok(false);
            }
            return equal_all(ctx, &x.values, &y.values);
        }
        _ => {}
    }
    let (a, b) = (listed(ctx, a)?, listed(ctx, b)?);
    if matches!(a, Value::Record(_)) && !on_strings(&b) {
        return Err(mismatch_record(ctx, "check equality of record", &a, &b));
    }
    let (Some(x), Some(y)) = (entries(&a), entries(&b)) else {
        return Err(mismatch_plain(ctx, "check equality of the function", &a, &b));
    };
    if x.len() != y.len() {
        return Ok(false);
    }
    for idx in 0..x.len() {
        let (key, key2) = (x.key(idx), y.key(idx));
        if let (Value::Int(_), Value::Str(_)) = (&key, &key2) {
            let key2 = to_text(ctx, &key2);
            return Err(incomparable(format!(
                "Attempted to compare an integer with non-integer:\n{key2}."
            )));
        }
        if !equal(ctx, &key, &key2)? {
            return Ok(false);
        }
    }
    for idx in 0..x.len() {
        if !equal(ctx, x.value(idx), y.value(idx))? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[inline]
fn same_shape(a: &RecordNode, b: &RecordNode) -> bool {
    Rc::ptr_eq(&a.shape, &b.shape) || a.shape.names == b.shape.names
}

/// Whether two domains of the same size are equal.
fn equal_domains(ctx: &mut Ctx, a: &Domain, b: &Domain) -> EvalResult<bool> {
    match (a, b) {
        (Domain::Interval(lo, hi), Domain::Interval(lo2, _)) => Ok(lo == lo2 || hi < lo),
        (Domain::Sorted { keys, .. }, Domain::Sorted { keys: keys2, .. }) => {
            equal_all(ctx, keys, keys2)
        }
        _ => {
            for idx in 0..a.len() {
                if !equal(ctx, &a.key(idx), &b.key(idx))? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

/// The normal order.
#[inline]
pub fn compare(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Ordering> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => Ok(x.cmp(y)),
        (Value::Str(x), Value::Str(y)) => Ok(ctx.names.compare(*x, *y)),
        (Value::Bool(x), Value::Bool(y)) => Ok(x.cmp(y)),
        (Value::Model(x), Value::Model(y)) => {
            let (s, t) = (ctx.names.model_kind(*x), ctx.names.model_kind(*y));
            if s != t && s != 0 && t != 0 {
                return Err(differently_typed(ctx, "compare", a, b));
            }
            Ok(ctx.names.compare_models(*x, *y))
        }
        (Value::Tuple(x), Value::Tuple(y)) => {
            let by_size = x.items.len().cmp(&y.items.len());
            if by_size != Ordering::Equal {
                return Ok(by_size);
            }
            compare_all(ctx, &x.items, &y.items)
        }
        _ => compare_slow(ctx, a, b),
    }
}

fn compare_all(ctx: &mut Ctx, a: &[Value], b: &[Value]) -> EvalResult<Ordering> {
    for (x, y) in a.iter().zip(b) {
        let order = compare(ctx, x, y)?;
        if order != Ordering::Equal {
            return Ok(order);
        }
    }
    Ok(Ordering::Equal)
}

fn compare_slow(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Ordering> {
    if let Value::Model(x) = a {
        if ctx.names.model_kind(*x) != 0 {
            let (a, b) = (to_text(ctx, a), to_text(ctx, b));
            return Err(incomparable(format!(
                "Attempted to compare the typed model value {a} and the non-model value\n{b}"
            )));
        }
        return Ok(Ordering::Less);
    }
    if let Value::Model(y) = b {
        if ctx.names.model_kind(*y) != 0 {
            let (a, b) = (to_text(ctx, a), to_text(ctx, b));
            return Err(incomparable(format!(
                "Attempted to compare the typed model value {b} and the non-model value\n{a}"
            )));
        }
        return Ok(Ordering::Greater);
    }
    match a {
        Value::Int(_) => Err(mismatch(ctx, "compare integer", a, "non-integer", b)),
        Value::Str(_) => Err(mismatch(ctx, "compare string", a, "non-string", b)),
        Value::Bool(_) => Err(mismatch(ctx, "compare boolean", a, "non-boolean", b)),
        Value::Interval(..) | Value::Set(_) => compare_sets(ctx, a, b),
        Value::Tuple(_) | Value::Record(_) | Value::Function(_) => compare_functions(ctx, a, b),
        Value::Lazy(node) => {
            if let Value::Lazy(other) = b
                && Rc::ptr_eq(node, other)
            {
                return Ok(Ordering::Equal);
            }
            if let LazyKind::Lambda { .. } = node.kind {
                return compare_functions(ctx, a, b);
            }
            if let Some(name) = overridden_name(&node.kind) {
                if let Value::Lazy(other) = b
                    && let Some(name2) = overridden_name(&other.kind)
                {
                    return Ok(name.cmp(name2));
                }
                let b = to_text(ctx, b);
                return Err(incomparable(format!(
                    "Attempted to compare overridden value {name} with non-overridden value:\n{b}"
                )));
            }
            compare_sets(ctx, a, b)
        }
        Value::Model(_) => Ok(Ordering::Less),
    }
}

fn compare_sets(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Ordering> {
    if !b.is_set() || infinite_by_name(b) {
        return Err(mismatch_plain(ctx, "compare the set", a, b));
    }
    let (a, b) = (listed(ctx, a)?, listed(ctx, b)?);
    let (x, y) = (SetSlice::of(&a)?, SetSlice::of(&b)?);
    let by_size = x.len().cmp(&y.len());
    if by_size != Ordering::Equal {
        return Ok(by_size);
    }
    if let (SetSlice::Items(x), SetSlice::Items(y)) = (&x, &y) {
        return compare_all(ctx, x, y);
    }
    for idx in 0..x.len() {
        let order = compare(ctx, &x.get(idx), &y.get(idx))?;
        if order != Ordering::Equal {
            return Ok(order);
        }
    }
    Ok(Ordering::Equal)
}

/// The elements of a set that is enumerated.
pub(crate) enum SetSlice<'a> {
    Range(i32, i32),
    Items(&'a [Value]),
}

impl<'a> SetSlice<'a> {
    /// A view of an enumerated set; other values look empty, callers force first.
    pub(crate) fn of(value: &'a Value) -> EvalResult<Self> {
        Ok(match value {
            Value::Interval(lo, hi) => SetSlice::Range(*lo, *hi),
            Value::Set(node) => SetSlice::Items(node.elements()?),
            Value::Bool(_)
            | Value::Int(_)
            | Value::Str(_)
            | Value::Model(_)
            | Value::Tuple(_)
            | Value::Record(_)
            | Value::Function(_)
            | Value::Lazy(_) => SetSlice::Items(&[]),
        })
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            SetSlice::Range(lo, hi) => interval_len(*lo, *hi),
            SetSlice::Items(items) => items.len(),
        }
    }

    pub(crate) fn get(&self, idx: usize) -> Value {
        match self {
            SetSlice::Range(lo, _) => Value::Int(lo + idx as i32),
            SetSlice::Items(items) => items[idx].clone(),
        }
    }
}

fn compare_functions(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Ordering> {
    let (a, b) = (listed(ctx, a)?, listed(ctx, b)?);
    if matches!(a, Value::Record(_)) && !on_strings(&b) {
        return Err(mismatch_record(ctx, "compare record", &a, &b));
    }
    if !b.is_function() {
        return Err(mismatch_plain(ctx, "compare the function", &a, &b));
    }
    let (Some(x), Some(y)) = (entries(&a), entries(&b)) else {
        return Err(mismatch_plain(ctx, "compare the function", &a, &b));
    };
    let by_size = x.len().cmp(&y.len());
    if by_size != Ordering::Equal {
        return Ok(by_size);
    }
    let same_domain = match (&x, &y) {
        (Entries::Record(s), Entries::Record(t)) => Rc::ptr_eq(&s.shape, &t.shape),
        (Entries::Function(s), Entries::Function(t)) => Rc::ptr_eq(&s.domain, &t.domain),
        (Entries::Tuple(_), Entries::Tuple(_)) => true,
        _ => false,
    };
    if !same_domain {
        for idx in 0..x.len() {
            let order = compare(ctx, &x.key(idx), &y.key(idx))?;
            if order != Ordering::Equal {
                return Ok(order);
            }
        }
    }
    compare_all(ctx, x.values(), y.values())
}

#[cold]
fn incomparable(message: String) -> Box<EvalError> {
    EvalError::new(code::INCOMPARABLE, message)
}

#[cold]
fn differently_typed(ctx: &mut Ctx, verb: &str, a: &Value, b: &Value) -> Box<EvalError> {
    let (a, b) = (to_text(ctx, a), to_text(ctx, b));
    incomparable(format!("Attempted to {verb} the differently-typed model values {a} and {b}"))
        .with_values(vec![a, b])
}

#[cold]
fn mismatch(ctx: &mut Ctx, verb: &str, a: &Value, other: &str, b: &Value) -> Box<EvalError> {
    let (a, b) = (to_text(ctx, a), to_text(ctx, b));
    incomparable(format!("Attempted to {verb} {a} with {other}:\n{b}")).with_values(vec![a, b])
}

#[cold]
fn mismatch_plain(ctx: &mut Ctx, verb: &str, a: &Value, b: &Value) -> Box<EvalError> {
    let (a, b) = (to_text(ctx, a), to_text(ctx, b));
    incomparable(format!("Attempted to {verb} {a} with the value:\n{b}")).with_values(vec![a, b])
}

#[cold]
fn mismatch_record(ctx: &mut Ctx, verb: &str, a: &Value, b: &Value) -> Box<EvalError> {
    let (a, b) = (to_text(ctx, a), to_text(ctx, b));
    incomparable(format!("Attempted to {verb}:\n{a}\nwith non-record\n{b}")).with_values(vec![a, b])
}
