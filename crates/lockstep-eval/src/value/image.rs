//! Tuples in a relation, found by hash without being made: one, or those of all elements of a set.

use smallvec::SmallVec;

use super::hash::{entry, finish_function, hash_int, hash64};
use super::order::{compare, equal};
use super::sets::{HASHED, LINEAR, hashes_of};
use super::{Ctx, Items, SetNode, Value};

/// What of a row does not depend on the element.
struct Prepared {
    sum: u64,
    /// The closed parts before the first open one settle the comparison with a tuple of the
    /// relation.
    is_settled: bool,
}

/// Whether the tuple of these parts, which need not be made for it, is an element. `None` leaves
/// the answer, or the error, to the comparison of values.
pub(crate) fn has_tuple(ctx: &mut Ctx, parts: &[Value], set: &Value) -> Option<bool> {
    let Value::Set(node) = set else { return None };
    if node.broken.is_some() || node.items.len() > HASHED {
        return None;
    }
    let part = |idx: usize| &parts[idx];
    if node.items.len() <= LINEAR {
        for item in &node.items {
            if is_tuple(ctx, item, parts.len(), part)? {
                return Some(true);
            }
        }
        return Some(false);
    }
    let hashes = hashes_of(ctx, node)?;
    let mut sum = 0_u64;
    for (idx, part) in parts.iter().enumerate() {
        sum = sum.wrapping_add(entry(hash_int(idx as i32 + 1), hash64(ctx, part).ok()?));
    }
    let wanted = finish_function(parts.len(), sum);
    for (hash, item) in hashes.iter().zip(&node.items) {
        if *hash == wanted && is_tuple(ctx, item, parts.len(), part)? {
            return Some(true);
        }
    }
    compares(ctx, middle(node, parts.len())?, part)?;
    Some(false)
}

/// The elements of `base` for which some row, the element put into its open places, is in the
/// relation (with `negated`: for which none is). What stands in the open places of a row does not
/// matter. `None` leaves the answer, or the error, to the evaluation of every element.
pub(crate) fn image(
    ctx: &mut Ctx,
    base: &[Value],
    relation: &SetNode,
    open: &[bool],
    rows: &[Items],
    negated: bool,
) -> Option<Items> {
    if relation.broken.is_some() || relation.items.len() > HASHED {
        return None;
    }
    let n = open.len();
    let mut found = Items::new();
    if relation.items.len() <= LINEAR {
        for x in base {
            let mut holds = false;
            'rows: for row in rows {
                for item in &relation.items {
                    if is_tuple(ctx, item, n, |idx| if open[idx] { x } else { &row[idx] })? {
                        holds = true;
                        break 'rows;
                    }
                }
            }
            if holds != negated {
                found.push(x.clone());
            }
        }
        return Some(found);
    }
    let middle = middle(relation, n)?;
    let hashes = hashes_of(ctx, relation)?;
    let keys: SmallVec<[u64; 4]> = (1..=n as i32).map(hash_int).collect();
    let mut prepared: SmallVec<[Prepared; 4]> = SmallVec::with_capacity(rows.len());
    for row in rows {
        let mut sum = 0_u64;
        for (idx, part) in row.iter().enumerate().filter(|(idx, _)| !open[*idx]) {
            sum = sum.wrapping_add(entry(keys[idx], hash64(ctx, part).ok()?));
        }
        let closed = open.iter().position(|it| *it).unwrap_or(n);
        let is_settled = compares(ctx, &middle[..closed], |idx| &row[idx])?;
        prepared.push(Prepared { sum, is_settled });
    }
    for x in base {
        let hash = hash64(ctx, x).ok()?;
        let mut of_element = 0_u64;
        for (key, _) in keys.iter().zip(open).filter(|(_, open)| **open) {
            of_element = of_element.wrapping_add(entry(*key, hash));
        }
        let mut holds = false;
        'rows: for (row, it) in rows.iter().zip(&prepared) {
            let part = |idx: usize| if open[idx] { x } else { &row[idx] };
            let wanted = finish_function(n, it.sum.wrapping_add(of_element));
            for (hash, item) in hashes.iter().zip(&relation.items) {
                if *hash == wanted && is_tuple(ctx, item, n, part)? {
                    holds = true;
                    break 'rows;
                }
            }
            if !it.is_settled {
                compares(ctx, middle, part)?;
            }
        }
        if holds != negated {
            found.push(x.clone());
        }
    }
    Some(found)
}

/// A tuple of so many parts among the elements of a set: one comparison with it tells whether
/// another tuple is of the elements' kind.
fn middle(node: &SetNode, n: usize) -> Option<&[Value]> {
    match &node.items[node.items.len() / 2] {
        Value::Tuple(it) if it.items.len() == n => Some(&it.items),
        _ => None,
    }
}

/// Compares parts with those of a tuple, as far as it takes to put them in order; whether they
/// differ. `None` where they cannot be compared.
#[inline]
fn compares<'v>(ctx: &mut Ctx, tuple: &[Value], part: impl Fn(usize) -> &'v Value) -> Option<bool> {
    for (idx, other) in tuple.iter().enumerate() {
        if compare(ctx, part(idx), other).ok()?.is_ne() {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether a value is the tuple of these `n` parts. `None` where that cannot be told.
#[inline]
fn is_tuple<'v>(
    ctx: &mut Ctx,
    item: &Value,
    n: usize,
    part: impl Fn(usize) -> &'v Value,
) -> Option<bool> {
    let Value::Tuple(item) = item else { return None };
    if item.items.len() != n {
        return Some(false);
    }
    for (idx, item) in item.items.iter().enumerate() {
        if !equal(ctx, item, part(idx)).ok()? {
            return Some(false);
        }
    }
    Some(true)
}
