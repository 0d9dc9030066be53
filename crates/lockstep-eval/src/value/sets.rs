//! Sets: construction, membership, inclusion, union and the like.
//!
//! Membership and inclusion are decided without enumerating what need not be. A set whose
//! elements cannot be compared is made all the same and yields its error when its order is
//! needed, as in TLC, where sets are brought in order as late as possible.

use std::cmp::Ordering;
use std::rc::Rc;

use super::force::enumerated;
use super::functions::{Entries, domain_value, entries};
use super::order::SetSlice;
use super::sort::merge_sort;
use super::{
    Ctx, Items, LazyKind, SetIter, SetNode, Value, compare, equal, force, hash64, interval_len,
    kind_phrase, to_text,
};
use crate::error::{EvalError, EvalResult, code};

/// The set of these elements, in any order and with repetitions.
pub fn set_from_vec(ctx: &mut Ctx, items: impl Into<Items>) -> Value {
    let mut items: Items = items.into();
    if items.len() < 2 {
        return Value::set_of_sorted(items);
    }
    if items.iter().all(|item| matches!(item, Value::Int(_))) {
        let key = |item: &Value| if let Value::Int(n) = item { *n } else { 0 };
        items.sort_unstable_by_key(key);
        items.dedup_by_key(|item| key(item));
        return Value::set_of_sorted(items);
    }
    match sort(ctx, &mut items) {
        Ok(()) => Value::set_of_sorted(items),
        Err(err) => broken(ctx, items, err),
    }
}

/// Sorts and drops repetitions. On an error the items keep all elements in some order.
fn sort(ctx: &mut Ctx, items: &mut Items) -> EvalResult<()> {
    if items.len() <= 12 {
        return insert_all(ctx, items);
    }
    let sorted = merge_sort(ctx, items.to_vec(), &mut |ctx, a, b| compare(ctx, a, b))?;
    *items = sorted.into();
    let mut kept = 0;
    for idx in 0..items.len() {
        if kept > 0 && compare(ctx, &items[kept - 1], &items[idx])? == Ordering::Equal {
            continue;
        }
        items.swap(kept, idx);
        kept += 1;
    }
    items.truncate(kept);
    Ok(())
}

/// Insertion sort, which is also what fixes which two elements an error names: each element is
/// compared with the ones written before it.
fn insert_all(ctx: &mut Ctx, items: &mut Items) -> EvalResult<()> {
    let mut sorted = Items::with_capacity(items.len());
    for item in items.iter() {
        let mut at = sorted.len();
        let mut known = false;
        while at > 0 {
            match compare(ctx, item, &sorted[at - 1])? {
                Ordering::Greater => break,
                Ordering::Equal => {
                    known = true;
                    break;
                }
                Ordering::Less => at -= 1,
            }
        }
        if !known {
            sorted.insert(at, item.clone());
        }
    }
    *items = sorted;
    Ok(())
}

fn broken(ctx: &mut Ctx, items: Items, err: Box<EvalError>) -> Value {
    // The two elements TLC names come from insertion; prefer its error where there is one.
    let mut again = items.clone();
    let err = if items.len() > 12 && items.len() < 1000 {
        insert_all(ctx, &mut again).err().unwrap_or(err)
    } else {
        err
    };
    Value::Set(Rc::new(SetNode::new(items, Some(err))))
}

/// Whether a set can be enumerated as it stands.
pub fn is_enumerable(set: &Value) -> bool {
    match set {
        Value::Interval(..) | Value::Set(_) => true,
        Value::Lazy(node) => match &node.kind {
            LazyKind::Nat
            | LazyKind::Int
            | LazyKind::Real
            | LazyKind::Strings
            | LazyKind::Any
            | LazyKind::Seq(_)
            | LazyKind::Lambda { .. } => false,
            LazyKind::Subset(base) | LazyKind::BigUnion(base) => is_enumerable(base),
            LazyKind::FunctionSet { domain, range } => {
                is_enumerable(domain) && is_enumerable(range)
            }
            LazyKind::RecordSet { sets, .. } | LazyKind::Product(sets) => {
                sets.iter().all(is_enumerable)
            }
            LazyKind::Cup(a, b) => is_enumerable(a) && is_enumerable(b),
            LazyKind::Cap(a, _) | LazyKind::Diff(a, _) => is_enumerable(a),
            LazyKind::Filter { base, .. } => is_enumerable(base),
        },
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Tuple(_)
        | Value::Record(_)
        | Value::Function(_) => false,
    }
}

/// The kind of a value without its article.
fn noun(value: &Value) -> &'static str {
    if value.is_function() {
        return "function";
    }
    kind_phrase(value).trim_start_matches("an ").trim_start_matches("a ")
}

/// `IsFiniteSet(set)`.
pub fn is_finite(ctx: &mut Ctx, set: &Value) -> EvalResult<bool> {
    if set.is_function() {
        // A function is a set, too; TLC only cares whether its domain is finite.
        let domain = super::domain(ctx, set)?;
        return Ok(is_enumerable(&domain));
    }
    if !set.is_set() {
        let text = to_text(ctx, set);
        let kind = noun(set);
        return Err(EvalError::general(format!(
            "Attempted to check if the {kind} {text} is a finite set."
        ))
        .with_values(vec![text]));
    }
    if let Value::Lazy(node) = set
        && let LazyKind::Filter { base, .. } = &node.kind
        && !is_enumerable(base)
    {
        let text = to_text(ctx, base);
        return Err(EvalError::general(format!(
            "Attempted to check if expression of form {{x \\in S : p(x)}} is a finite set, but \
             cannot check if S:\n{text}\nis finite."
        ))
        .with_values(vec![text]));
    }
    if let Value::Lazy(node) = set
        && let LazyKind::BigUnion(base) = &node.kind
        && is_enumerable(base)
    {
        let mut iter = SetIter::new(ctx, base)?;
        while let Some(item) = iter.next(ctx)? {
            if !is_finite(ctx, &item)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    Ok(is_enumerable(set))
}

/// `Cardinality(set)`.
pub fn cardinality(ctx: &mut Ctx, set: &Value) -> EvalResult<i32> {
    let size = size(ctx, set)?;
    match size {
        Some(size) => i32::try_from(size).map_err(|_| {
            let text = to_text(ctx, set);
            EvalError::new(
                code::OVERFLOW,
                format!("Overflow when computing the number of elements in:\n{text}"),
            )
        }),
        None => {
            let text = to_text(ctx, set);
            Err(EvalError::new(
                code::CARDINALITY,
                format!("Attempted to compute cardinality of the value\n{text}"),
            )
            .with_values(vec![text]))
        }
    }
}

/// The number of elements, computed without enumerating products and powers; `None` for infinite
/// sets and for values that are no sets.
pub fn size(ctx: &mut Ctx, set: &Value) -> EvalResult<Option<u64>> {
    if !is_enumerable(set) {
        return Ok(None);
    }
    Ok(match set {
        Value::Interval(lo, hi) => Some(interval_len(*lo, *hi) as u64),
        Value::Set(node) => Some(node.elements()?.len() as u64),
        Value::Lazy(node) => {
            if let Some(forced) = node.forced.get() {
                let forced = forced.clone();
                return size(ctx, &forced);
            }
            match &node.kind {
                LazyKind::Subset(base) => {
                    let n = size(ctx, base)?.unwrap_or(0);
                    Some(
                        u32::try_from(n)
                            .ok()
                            .and_then(|n| 1_u64.checked_shl(n))
                            .unwrap_or(u64::MAX),
                    )
                }
                LazyKind::FunctionSet { domain, range } => {
                    let (n, k) = (size(ctx, domain)?.unwrap_or(0), size(ctx, range)?.unwrap_or(0));
                    let n = u32::try_from(n).unwrap_or(u32::MAX);
                    Some(k.checked_pow(n).unwrap_or(u64::MAX))
                }
                LazyKind::RecordSet { sets, .. } | LazyKind::Product(sets) => {
                    let mut total = 1_u64;
                    for set in sets {
                        total = total.saturating_mul(size(ctx, set)?.unwrap_or(0));
                    }
                    Some(total)
                }
                LazyKind::Nat
                | LazyKind::Int
                | LazyKind::Real
                | LazyKind::Strings
                | LazyKind::Any
                | LazyKind::Seq(_)
                | LazyKind::Lambda { .. }
                | LazyKind::BigUnion(_)
                | LazyKind::Cup(..)
                | LazyKind::Cap(..)
                | LazyKind::Diff(..)
                | LazyKind::Filter { .. } => {
                    let forced = force(ctx, set)?;
                    if let Value::Lazy(_) = forced {
                        // A union with an infinite element, or one that is no set.
                        return Ok(None);
                    }
                    return size(ctx, &forced);
                }
            }
        }
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Tuple(_)
        | Value::Record(_)
        | Value::Function(_) => None,
    })
}

/// Below this size a set is searched element by element, with equality, as TLC does.
pub(super) const LINEAR: usize = 8;

/// `x \in set`.
#[inline]
pub fn member(ctx: &mut Ctx, x: &Value, set: &Value) -> EvalResult<bool> {
    match (set, x) {
        (Value::Interval(lo, hi), Value::Int(n)) => Ok(lo <= n && n <= hi),
        (Value::Set(node), _) => member_of_node(ctx, x, node),
        _ => member_slow(ctx, x, set),
    }
}

fn member_of_node(ctx: &mut Ctx, x: &Value, node: &SetNode) -> EvalResult<bool> {
    if node.items.len() > LINEAR && node.broken.is_none() {
        if node.items.len() <= HASHED
            && matches!(x, Value::Tuple(_) | Value::Record(_) | Value::Function(_))
            && let Some(found) = member_by_hash(ctx, x, node)
        {
            return Ok(found);
        }
        // An error of the binary search may be one that equality, or an earlier hit, avoids.
        if let Ok(found) = super::functions::search(ctx, &node.items, x) {
            return Ok(found.is_some());
        }
    }
    for item in &node.items {
        if equal(ctx, item, x)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Up to this size the hashes of all elements are looked through.
pub(super) const HASHED: usize = 256;

/// The hashes of all elements, if they have any.
pub(super) fn hashes_of<'n>(ctx: &mut Ctx, node: &'n SetNode) -> Option<&'n [u64]> {
    if let Some(hashes) = node.hashes.get() {
        return Some(hashes);
    }
    let mut list = Vec::with_capacity(node.items.len());
    for item in &node.items {
        list.push(hash64(ctx, item).ok()?);
    }
    Some(node.hashes.get_or_init(|| list.into()))
}

/// Membership of a compound value by hash; `None` leaves it to the comparison of elements, which
/// also finds out whether they can be compared.
fn member_by_hash(ctx: &mut Ctx, x: &Value, node: &SetNode) -> Option<bool> {
    let hashes = hashes_of(ctx, node)?;
    let wanted = hash64(ctx, x).ok()?;
    for (hash, item) in hashes.iter().zip(&node.items) {
        if *hash == wanted && equal(ctx, item, x).ok()? {
            return Some(true);
        }
    }
    // One comparison tells whether the value is of the elements' kind.
    compare(ctx, x, &node.items[node.items.len() / 2]).ok()?;
    Some(false)
}

fn member_slow(ctx: &mut Ctx, x: &Value, set: &Value) -> EvalResult<bool> {
    match set {
        Value::Interval(lo, hi) => {
            if hi < lo {
                return Ok(false);
            }
            if let Value::Model(id) = x
                && ctx.names.model_kind(*id) == 0
            {
                return Ok(false);
            }
            let (x, set) = (to_text(ctx, x), to_text(ctx, set));
            Err(EvalError::general(format!(
                "Attempted to check if the value:\n{x}\nis in the integer interval {set}"
            ))
            .with_values(vec![x, set]))
        }
        Value::Set(node) => member_of_node(ctx, x, node),
        Value::Lazy(node) => member_symbolic(ctx, x, set, &node.kind),
        Value::Record(_) => {
            let (x, set) = (to_text(ctx, x), to_text(ctx, set));
            Err(EvalError::general(format!(
                "Attempted to check if element:\n{x}\nis in the record:\n{set}"
            ))
            .with_values(vec![x, set]))
        }
        Value::Tuple(_) => {
            let kind = kind_phrase(set);
            Err(EvalError::general(format!("Attempted to check set membership in {kind} value.")))
        }
        Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::Model(_) | Value::Function(_) => {
            let (x, text) = (to_text(ctx, x), to_text(ctx, set));
            let kind = noun(set);
            Err(EvalError::general(format!(
                "Attempted to check if the value:\n{x}\nis an element of the {kind} {text}"
            ))
            .with_values(vec![x, text]))
        }
    }
}

#[cold]
fn element_of(ctx: &mut Ctx, x: &Value, set: &Value) -> Box<EvalError> {
    let (x, set) = (to_text(ctx, x), to_text(ctx, set));
    EvalError::general(format!("Attempted to check if the value:\n{x}\nis an element of {set}."))
        .with_values(vec![x, set])
}

fn member_symbolic(ctx: &mut Ctx, x: &Value, set: &Value, kind: &LazyKind) -> EvalResult<bool> {
    let untyped_model =
        if let Value::Model(id) = x { ctx.names.model_kind(*id) == 0 } else { false };
    match kind {
        LazyKind::Any => Ok(true),
        LazyKind::Nat | LazyKind::Int | LazyKind::Real => match x {
            Value::Int(n) => Ok(!matches!(kind, LazyKind::Nat) || *n >= 0),
            _ if untyped_model => Ok(false),
            _ => Err(element_of(ctx, x, set)),
        },
        LazyKind::Strings => match x {
            Value::Str(_) => Ok(true),
            _ if untyped_model => Ok(false),
            _ => Err(element_of(ctx, x, set)),
        },
        LazyKind::Seq(base) => {
            if untyped_model {
                return Ok(false);
            }
            if !x.is_function() {
                return Err(element_of(ctx, x, set));
            }
            let x = force(ctx, x)?;
            let Some(list) = entries(&x) else { return Err(element_of(ctx, &x, set)) };
            if !list.is_empty() && !is_sequence_entries(&list) {
                return Err(element_of(ctx, &x, set));
            }
            all_members(ctx, list.values(), base)
        }
        LazyKind::Subset(base) => {
            if !is_enumerable(x) {
                if let (Value::Lazy(node), Value::Lazy(outer)) = (x, base) {
                    // Nat \in SUBSET Int and the like need no enumeration.
                    if Rc::ptr_eq(node, outer) {
                        return Ok(true);
                    }
                }
                let (x, set) = (to_text(ctx, x), to_text(ctx, set));
                return Err(EvalError::general(format!(
                    "Attempted to check if the non-enumerable value\n{x}\nis element of\n{set}"
                ))
                .with_values(vec![x, set]));
            }
            subset_eq(ctx, x, base)
        }
        LazyKind::FunctionSet { domain, range } => {
            if untyped_model {
                return Ok(false);
            }
            if !x.is_function() {
                let (x, set) = (to_text(ctx, x), to_text(ctx, set));
                return Err(EvalError::general(format!(
                    "Attempted to check if \n{x}\nwhich is not a TLC function value, is in the \
                     set of functions:\n{set}"
                ))
                .with_values(vec![x, set]));
            }
            if let Value::Lazy(node) = x
                && let LazyKind::Lambda { domain: own, .. } = &node.kind
                && !is_enumerable(own)
            {
                let text = to_text(ctx, own);
                return Err(EvalError::general(format!(
                    "Attempted to compute the number of elements in the overridden value {text}."
                ))
                .with_values(vec![text]));
            }
            let x = force(ctx, x)?;
            let own = match entries(&x) {
                // The set is shown with its elements, as TLC shows it.
                Some(Entries::Tuple(node)) => Value::Interval(1, node.items.len() as i32),
                Some(Entries::Record(_)) => super::domain(ctx, &x)?,
                Some(Entries::Function(node)) => domain_value(&node.domain),
                None => return Ok(false),
            };
            if !equal(ctx, &own, domain)? {
                return Ok(false);
            }
            let Some(list) = entries(&x) else { return Ok(false) };
            all_members(ctx, list.values(), range)
        }
        LazyKind::RecordSet { shape, sets } => {
            if untyped_model {
                return Ok(false);
            }
            let forced = if x.is_function() { force(ctx, x)? } else { x.clone() };
            let values = match &forced {
                Value::Record(node) => {
                    if node.shape.names != shape.names {
                        return Ok(false);
                    }
                    &node.values
                }
                Value::Function(node)
                    if matches!(&*node.domain, super::Domain::Sorted { keys, .. }
                        if keys.iter().all(|it| matches!(it, Value::Str(_)))) =>
                {
                    let fields = (0..node.domain.len()).all(|idx| {
                        matches!((node.domain.key(idx), shape.names.get(idx)),
                            (Value::Str(key), Some(name)) if key == *name)
                    });
                    if !fields || node.domain.len() != shape.names.len() {
                        return Ok(false);
                    }
                    &node.values
                }
                Value::Tuple(node) if node.items.is_empty() => return Ok(false),
                Value::Tuple(_)
                | Value::Function(_)
                | Value::Bool(_)
                | Value::Int(_)
                | Value::Str(_)
                | Value::Model(_)
                | Value::Interval(..)
                | Value::Set(_)
                | Value::Lazy(_) => {
                    let (x, set) = (to_text(ctx, x), to_text(ctx, set));
                    return Err(EvalError::general(format!(
                        "Attempted to check if non-record\n{x}\nis in the set of records:\n{set}"
                    ))
                    .with_values(vec![x, set]));
                }
            };
            for (value, set) in values.iter().zip(sets) {
                if !member(ctx, value, set)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        LazyKind::Product(sets) => {
            if untyped_model {
                return Ok(false);
            }
            let forced = if x.is_function() { force(ctx, x)? } else { x.clone() };
            let Some(list) = entries(&forced).filter(is_sequence_entries) else {
                let (x, set) = (to_text(ctx, x), to_text(ctx, set));
                return Err(EvalError::general(format!(
                    "Attempted to check if non-tuple\n{x}\nis in the set of tuples:\n{set}"
                ))
                .with_values(vec![x, set]));
            };
            if list.len() != sets.len() {
                return Ok(false);
            }
            for (value, set) in list.values().iter().zip(sets) {
                if !member(ctx, value, set)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        LazyKind::BigUnion(base) => {
            let mut iter = SetIter::new(ctx, base)?;
            while let Some(set) = iter.next(ctx)? {
                if member(ctx, x, &set)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        LazyKind::Cup(a, b) => Ok(member(ctx, x, a)? || member(ctx, x, b)?),
        LazyKind::Cap(a, b) => Ok(member(ctx, x, a)? && member(ctx, x, b)?),
        LazyKind::Diff(a, b) => Ok(member(ctx, x, a)? && !member(ctx, x, b)?),
        LazyKind::Filter { base, predicate } => {
            Ok(member(ctx, x, base)? && super::enumerate::holds(ctx, &**predicate, x)?)
        }
        LazyKind::Lambda { .. } => {
            let (x, text) = (to_text(ctx, x), to_text(ctx, set));
            Err(EvalError::general(format!(
                "Attempted to check if the value:\n{x}\nis an element of the function {text}"
            )))
        }
    }
}

/// Whether the keys are `1..n`.
pub(crate) fn is_sequence_entries(list: &Entries<'_>) -> bool {
    match list {
        Entries::Tuple(_) => true,
        Entries::Record(node) => node.values.is_empty(),
        Entries::Function(node) => match &*node.domain {
            super::Domain::Interval(lo, hi) => *lo == 1 || hi < lo,
            super::Domain::Sorted { keys, .. } => keys.is_empty(),
        },
    }
}

fn all_members(ctx: &mut Ctx, values: &[Value], set: &Value) -> EvalResult<bool> {
    for value in values {
        if !member(ctx, value, set)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `a \subseteq b`.
pub fn subset_eq(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<bool> {
    match (a, b) {
        (Value::Interval(lo, hi), Value::Interval(lo2, hi2)) => {
            return Ok(hi < lo || (lo2 <= lo && hi <= hi2));
        }
        (Value::Set(x), Value::Set(y)) => {
            if Rc::ptr_eq(x, y) && x.broken.is_none() {
                return Ok(true);
            }
            if x.items.len() > LINEAR
                && y.items.len() > LINEAR
                && x.broken.is_none()
                && y.broken.is_none()
                && let Ok(answer) = merge_subset(ctx, &x.items, &y.items)
            {
                return Ok(answer);
            }
        }
        // Interval by element would take as long as the interval.
        (Value::Interval(lo, hi), Value::Lazy(y)) => match &y.kind {
            LazyKind::Int => return Ok(true),
            LazyKind::Nat => return Ok(hi < lo || *lo >= 0),
            _ => {}
        },
        (Value::Lazy(x), Value::Lazy(y)) => {
            if let (LazyKind::Subset(x), LazyKind::Subset(y)) = (&x.kind, &y.kind)
                && is_enumerable(x)
            {
                return subset_eq(ctx, x, y);
            }
        }
        _ => {}
    }
    if !is_enumerable(a) {
        let text = to_text(ctx, a);
        return Err(EvalError::new(
            code::NOT_ENUMERABLE,
            "Attempted to evaluate an expression of form S \\subseteq T, but S was not enumerable.",
        )
        .with_values(vec![text]));
    }
    let mut iter = SetIter::new(ctx, a)?;
    while let Some(item) = iter.next(ctx)? {
        if !member(ctx, &item, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn merge_subset(ctx: &mut Ctx, a: &[Value], b: &[Value]) -> EvalResult<bool> {
    if a.len() > b.len() {
        return Ok(false);
    }
    let mut at = 0;
    for item in a {
        loop {
            let Some(other) = b.get(at) else { return Ok(false) };
            at += 1;
            match compare(ctx, item, other)? {
                Ordering::Less => return Ok(false),
                Ordering::Equal => break,
                Ordering::Greater => {}
            }
        }
    }
    Ok(true)
}

fn need_set(ctx: &mut Ctx, operator: &str, set: &Value) -> EvalResult<()> {
    if set.is_set() {
        return Ok(());
    }
    let text = to_text(ctx, set);
    Err(EvalError::general(format!(
        "The first argument of {operator} should be a set, but instead it is:\n{text}"
    ))
    .with_values(vec![text]))
}

fn is_listed_empty(set: &Value) -> bool {
    match set {
        Value::Set(node) => node.items.is_empty() && node.broken.is_none(),
        Value::Interval(lo, hi) => hi < lo,
        _ => false,
    }
}

/// `a \cup b`.
pub fn cup(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    // A union with nothing is the other operand, even if that cannot be enumerated.
    if is_listed_empty(a) {
        return Ok(b.clone());
    }
    if is_listed_empty(b) {
        return Ok(a.clone());
    }
    if !a.is_set() || !b.is_set() {
        let (a, b) = (to_text(ctx, a), to_text(ctx, b));
        return Err(EvalError::general(format!(
            "Attempted to enumerate S \\cup T when S:\n{a}\nand T:\n{b}\nare not both enumerable"
        ))
        .with_values(vec![a, b]));
    }
    if !is_enumerable(a) || !is_enumerable(b) {
        return Ok(Value::lazy(LazyKind::Cup(a.clone(), b.clone())));
    }
    let (a, b) = (enumerated(ctx, a)?, enumerated(ctx, b)?);
    union(ctx, &a, &b)
}

/// The union of two enumerated sets.
pub(crate) fn union(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    let (x, y) = (SetSlice::of(a)?, SetSlice::of(b)?);
    if y.len() == 0 {
        return Ok(a.clone());
    }
    if x.len() == 0 {
        return Ok(b.clone());
    }
    ctx.check_set_size(x.len().max(y.len()))?;
    let mut items = Items::with_capacity(x.len() + y.len());
    let (mut i, mut j) = (0, 0);
    while i < x.len() && j < y.len() {
        let (item, other) = (x.get(i), y.get(j));
        match compare(ctx, &other, &item) {
            Ok(Ordering::Greater) => {
                items.push(item);
                i += 1;
            }
            Ok(Ordering::Less) => {
                items.push(other);
                j += 1;
            }
            Ok(Ordering::Equal) => {
                items.push(item);
                i += 1;
                j += 1;
            }
            Err(_) => {
                let all: Items = (0..x.len())
                    .map(|idx| x.get(idx))
                    .chain((0..y.len()).map(|idx| y.get(idx)))
                    .collect();
                return Ok(set_from_vec(ctx, all));
            }
        }
    }
    items.extend((i..x.len()).map(|idx| x.get(idx)));
    items.extend((j..y.len()).map(|idx| y.get(idx)));
    if items.len() == x.len() {
        return Ok(a.clone());
    }
    ctx.check_set_size(items.len())?;
    Ok(Value::set_of_sorted(items))
}

/// `a \cap b`.
pub fn cap(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    need_set(ctx, "\\cap", a)?;
    if let (Value::Interval(lo, hi), Value::Interval(lo2, hi2)) = (a, b) {
        return Ok(Value::Interval(*lo.max(lo2), *hi.min(hi2)));
    }
    match (is_enumerable(a), is_enumerable(b)) {
        (true, _) => select(ctx, a, b, true),
        (false, true) => select(ctx, b, a, true),
        (false, false) => Ok(Value::lazy(LazyKind::Cap(a.clone(), b.clone()))),
    }
}

/// `a \ b`.
pub fn difference(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    need_set(ctx, "\\", a)?;
    if is_enumerable(a) {
        select(ctx, a, b, false)
    } else {
        Ok(Value::lazy(LazyKind::Diff(a.clone(), b.clone())))
    }
}

/// The elements of `a` that are (`keep`), or are not, in `b`.
pub(crate) fn select(ctx: &mut Ctx, a: &Value, b: &Value, keep: bool) -> EvalResult<Value> {
    let mut iter = SetIter::new(ctx, a)?;
    let mut items = Items::new();
    let mut dropped = false;
    while let Some(item) = iter.next(ctx)? {
        if member(ctx, &item, b)? == keep {
            items.push(item);
        } else {
            dropped = true;
        }
    }
    if !dropped && matches!(a, Value::Set(_)) {
        return Ok(a.clone());
    }
    Ok(Value::set_of_sorted(items))
}

/// `UNION base`, symbolic when `base` or an element is infinite.
pub fn big_union(ctx: &mut Ctx, base: &Value) -> EvalResult<Value> {
    if !base.is_set() {
        let text = to_text(ctx, base);
        return Err(EvalError::general(format!(
            "Attempted to apply the operator UNION to a non-set\n({})\n{text}",
            kind_phrase(base)
        )));
    }
    if is_enumerable(base) {
        big_union_now(ctx, base)
    } else {
        Ok(Value::lazy(LazyKind::BigUnion(base.clone())))
    }
}

pub(crate) fn big_union_now(ctx: &mut Ctx, base: &Value) -> EvalResult<Value> {
    let mut iter = SetIter::new(ctx, base)?;
    let mut sets = Vec::new();
    while let Some(set) = iter.next(ctx)? {
        if !set.is_set() {
            let text = to_text(ctx, &set);
            return Err(EvalError::general(
                "Attempted to enumerate UNION(s), but some element of s is nonenumerable.",
            )
            .with_values(vec![text]));
        }
        if !is_enumerable(&set) {
            return Ok(Value::lazy(LazyKind::BigUnion(base.clone())));
        }
        sets.push(enumerated(ctx, &set)?);
    }
    if let [only] = &sets[..] {
        return Ok(only.clone());
    }
    if sets.len() == 2 {
        return union(ctx, &sets[0], &sets[1]);
    }
    let mut items = Items::new();
    for set in &sets {
        let slice = SetSlice::of(set)?;
        items.extend((0..slice.len()).map(|idx| slice.get(idx)));
        ctx.check_set_size(items.len())?;
    }
    Ok(set_from_vec(ctx, items))
}
