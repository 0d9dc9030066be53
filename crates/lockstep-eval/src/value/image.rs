//! The image of a set under a relation, by hash.

use smallvec::SmallVec;

use super::hash::{entry, finish_function, hash_int, hash64};
use super::order::{compare, equal};
use super::sets::{HASHED, LINEAR, hashes_of};
use super::{Ctx, Items, SetNode, Value};

/// A tuple with places left open for an element.
pub(crate) struct Row {
    /// The parts; what stands in an open place does not matter.
    pub(crate) parts: Items,
}

/// What of a row does not depend on the element.
struct Prepared {
    sum: u64,
    /// The closed parts before the first open one settle the comparison with a tuple of the
    /// relation.
    is_settled: bool,
}

/// The elements of `base` for which some row, the element put into its open places, is in the
/// relation (with `negated`: for which none is). `None` leaves the answer, or the error, to the
/// evaluation of every element; see [`super::sets::has_tuple`].
pub(crate) fn image(
    ctx: &mut Ctx,
    base: &[Value],
    relation: &SetNode,
    open: &[bool],
    rows: &[Row],
    negated: bool,
) -> Option<Items> {
    if relation.broken.is_some() || relation.items.len() > HASHED {
        return None;
    }
    let mut found = Items::new();
    if relation.items.len() <= LINEAR {
        for x in base {
            if some_row(ctx, x, &relation.items, open, rows)? != negated {
                found.push(x.clone());
            }
        }
        return Some(found);
    }
    // As in `has_tuple`: one comparison tells whether a tuple is of the elements' kind.
    let Value::Tuple(middle) = &relation.items[relation.items.len() / 2] else { return None };
    if middle.items.len() != open.len() {
        return None;
    }
    let hashes = hashes_of(ctx, relation)?;
    let keys: SmallVec<[u64; 4]> = (1..=open.len() as i32).map(hash_int).collect();
    let mut prepared: SmallVec<[Prepared; 4]> = SmallVec::with_capacity(rows.len());
    for row in rows {
        let mut it = Prepared { sum: 0, is_settled: false };
        for (idx, part) in row.parts.iter().enumerate() {
            if !open[idx] {
                it.sum = it.sum.wrapping_add(entry(keys[idx], hash64(ctx, part).ok()?));
            }
        }
        for (idx, part) in row.parts.iter().enumerate() {
            if open[idx] {
                break;
            }
            if compare(ctx, part, &middle.items[idx]).ok()?.is_ne() {
                it.is_settled = true;
                break;
            }
        }
        prepared.push(it);
    }
    for x in base {
        let hash = hash64(ctx, x).ok()?;
        let mut of_element = 0_u64;
        for (key, _) in keys.iter().zip(open).filter(|(_, open)| **open) {
            of_element = of_element.wrapping_add(entry(*key, hash));
        }
        let mut holds = false;
        for (row, it) in rows.iter().zip(&prepared) {
            let wanted = finish_function(open.len(), it.sum.wrapping_add(of_element));
            let mut is_there = false;
            for (idx, hash) in hashes.iter().enumerate() {
                if *hash == wanted && is_row(ctx, x, &relation.items[idx], open, row)? {
                    is_there = true;
                    break;
                }
            }
            if is_there {
                holds = true;
                break;
            }
            if !it.is_settled {
                for (idx, part) in row.parts.iter().enumerate() {
                    let part = if open[idx] { x } else { part };
                    if compare(ctx, part, &middle.items[idx]).ok()?.is_ne() {
                        break;
                    }
                }
            }
        }
        if holds != negated {
            found.push(x.clone());
        }
    }
    Some(found)
}

fn some_row(
    ctx: &mut Ctx,
    x: &Value,
    items: &[Value],
    open: &[bool],
    rows: &[Row],
) -> Option<bool> {
    for row in rows {
        for item in items {
            if is_row(ctx, x, item, open, row)? {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// Whether an element of the relation is the row with `x` in its open places.
fn is_row(ctx: &mut Ctx, x: &Value, item: &Value, open: &[bool], row: &Row) -> Option<bool> {
    let Value::Tuple(item) = item else { return None };
    if item.items.len() != open.len() {
        return Some(false);
    }
    for ((item, part), open) in item.items.iter().zip(&row.parts).zip(open) {
        if !equal(ctx, item, if *open { x } else { part }).ok()? {
            return Some(false);
        }
    }
    Some(true)
}
