//! Module Randomization: draws from the context's generator, which is seeded by the state.

use super::args::{applying, natural, wrong};
use super::{Native, V2, V3, strict};
use crate::error::EvalResult;
use crate::value::{Ctx, Items, SetIter, Value, sets};

pub(super) const TABLE: &[Native] = &[
    strict("Randomization", "RandomSubset", V2, "A random subset of a size.", random_subset).acts(),
    strict(
        "Randomization",
        "RandomSetOfSubsets",
        V3,
        "Random subsets of an expected size.",
        |ctx, a| random_subsets(ctx, &a[0], &a[1], &a[2]),
    )
    .acts(),
    strict(
        "Randomization",
        "TestRandomSetOfSubsets",
        V3,
        "How many subsets five draws give.",
        |ctx, a| {
            let mut sizes = Items::new();
            for _ in 0..5 {
                let set = random_subsets(ctx, &a[0], &a[1], &a[2])?;
                sizes.push(Value::Int(sets::cardinality(ctx, &set)?));
            }
            Ok(Value::tuple(sizes))
        },
    )
    .acts(),
];

fn items(ctx: &mut Ctx, operator: &str, set: &Value) -> EvalResult<Vec<Value>> {
    if !sets::is_enumerable(set) {
        return Err(applying(ctx, operator, "a finite set", set));
    }
    let mut iter = SetIter::new(ctx, set)?;
    let mut items = Vec::new();
    while let Some(item) = iter.next(ctx)? {
        items.push(item);
    }
    Ok(items)
}

fn random_subset(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let k = natural(ctx, "first", "RandomSubset", &args[0])?;
    if let Some(n) = sets::size(ctx, &args[1])?
        && n > 100_000
        && k < 100_000
        && let Some(subset) = sparse(ctx, k, n, &args[1])?
    {
        return Ok(subset);
    }
    let mut items = items(ctx, "RandomSubset", &args[1])?;
    let n = items.len();
    // The first k places of a shuffle.
    for idx in 0..k.min(n) {
        let other = idx + ctx.rng.below((n - idx) as u64) as usize;
        items.swap(idx, other);
    }
    items.truncate(k);
    Ok(sets::set_from_vec(ctx, items))
}

/// A few elements of a large power set or set of functions, drawn without enumerating it.
fn sparse(ctx: &mut Ctx, k: usize, n: u64, set: &Value) -> EvalResult<Option<Value>> {
    let mut drawn: Vec<Value> = Vec::new();
    let mut tries = 0;
    while drawn.len() < k {
        tries += 1;
        if tries > 100 * (k + 1) || (k as u64) > n {
            return Ok(None);
        }
        let Some(item) = draw(ctx, set)? else { return Ok(None) };
        drawn.push(item);
        let set = sets::set_from_vec(ctx, drawn);
        drawn = items(ctx, "RandomSubset", &set)?;
    }
    Ok(Some(sets::set_from_vec(ctx, drawn)))
}

/// One random element of a symbolic set, `None` for sets that must be enumerated.
pub(super) fn draw(ctx: &mut Ctx, set: &Value) -> EvalResult<Option<Value>> {
    use crate::value::{LazyKind, domain_of_set, function_from_parts, record_from_parts};
    match set {
        Value::Interval(lo, hi) if lo <= hi => {
            let n = (i64::from(*hi) - i64::from(*lo) + 1) as u64;
            let offset = ctx.rng.below(n) as i64;
            Ok(Some(Value::Int((i64::from(*lo) + offset) as i32)))
        }
        Value::Set(node) => {
            let items = node.elements()?;
            if items.is_empty() {
                return Ok(None);
            }
            let at = ctx.rng.below(items.len() as u64) as usize;
            Ok(Some(items[at].clone()))
        }
        Value::Lazy(node) => match node.kind() {
            LazyKind::Subset(base) => {
                let list = items(ctx, "RandomSubset", base)?;
                let mut kept = Items::new();
                for item in list {
                    if ctx.rng.next_u64() & 1 == 1 {
                        kept.push(item);
                    }
                }
                Ok(Some(Value::set_of_sorted(kept)))
            }
            LazyKind::FunctionSet { domain, range } => {
                let keys = domain_of_set(ctx, domain)?;
                let mut values = Items::with_capacity(keys.len());
                for _ in 0..keys.len() {
                    let Some(value) = draw(ctx, range)? else { return Ok(None) };
                    values.push(value);
                }
                Ok(Some(function_from_parts(keys, values)))
            }
            LazyKind::RecordSet { shape, sets } => {
                let mut values = Items::with_capacity(sets.len());
                for set in sets {
                    let Some(value) = draw(ctx, set)? else { return Ok(None) };
                    values.push(value);
                }
                Ok(Some(record_from_parts(shape.clone(), values)))
            }
            LazyKind::Product(sets) => {
                let mut values = Items::with_capacity(sets.len());
                for set in sets {
                    let Some(value) = draw(ctx, set)? else { return Ok(None) };
                    values.push(value);
                }
                Ok(Some(Value::tuple(values)))
            }
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

fn random_subsets(ctx: &mut Ctx, k: &Value, n: &Value, set: &Value) -> EvalResult<Value> {
    let name = "RandomSetOfSubsets";
    let k = natural(ctx, "first", name, k)?;
    let size = natural(ctx, "second", name, n)?;
    let items = items(ctx, name, set)?;
    if size > items.len() {
        let want = format!("a nonnegative integer that is at most {}", items.len());
        return Err(wrong(ctx, "second", name, &want, n));
    }
    let p = if items.is_empty() { 0.0 } else { size as f64 / items.len() as f64 };
    let mut subsets = Vec::with_capacity(k);
    for _ in 0..k {
        let mut kept = Items::new();
        for item in &items {
            if ctx.rng.chance(p) {
                kept.push(item.clone());
            }
        }
        subsets.push(Value::set_of_sorted(kept));
    }
    Ok(sets::set_from_vec(ctx, subsets))
}
