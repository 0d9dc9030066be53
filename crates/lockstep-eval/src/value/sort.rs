//! Stable merge sort whose comparison may fail.
//!
//! The standard library's sort may panic when a comparison is no total order, and operators of a
//! specification promise nothing; this one always ends.

use std::cmp::Ordering;

use super::Ctx;
use crate::error::EvalResult;

/// Compares two items; may evaluate code of the specification.
pub type Comparison<'a, T> = dyn FnMut(&mut Ctx, &T, &T) -> EvalResult<Ordering> + 'a;

/// Sorts; the first failing comparison ends it.
pub fn merge_sort<T>(
    ctx: &mut Ctx,
    mut items: Vec<T>,
    compare: &mut Comparison<'_, T>,
) -> EvalResult<Vec<T>> {
    if items.len() < 2 {
        return Ok(items);
    }
    let right = items.split_off(items.len() / 2);
    let n = items.len() + right.len();
    let left = merge_sort(ctx, items, compare)?;
    let right = merge_sort(ctx, right, compare)?;
    let mut sorted = Vec::with_capacity(n);
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        if compare(ctx, b, a)? == Ordering::Less {
            sorted.extend(right.next());
        } else {
            sorted.extend(left.next());
        }
    }
    sorted.extend(left);
    sorted.extend(right);
    Ok(sorted)
}
