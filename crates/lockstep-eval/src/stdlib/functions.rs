//! Modules Functions and Folds.
//!
//! Folds over sets take elements in normal order from the outside in, as the definitions do:
//! `op(x1, op(x2, ... op(xn, base)))`.

use super::args::{operator, pairs, test, value};
use super::{Native, NativeArg, Param, V1, V2, mixed, strict};
use crate::error::EvalResult;
use crate::value::{
    Ctx, Domain, Items, SetIter, Value, apply, arith, domain, domain_of_set, force, from_pairs,
    function_from_parts, sets,
};

const FOLD: &[Param] = &[Param::Operator(2), Param::Value, Param::Value];

pub(super) const TABLE: &[Native] = &[
    mixed(
        "Folds",
        "MapThenFoldSet",
        &[Param::Operator(2), Param::Value, Param::Operator(1), Param::Operator(1), Param::Value],
        "Folds the images of a set's elements in a chosen order.",
        map_then_fold_set,
    ),
    strict("Functions", "Range", V1, "The results of a function.", range),
    strict("Functions", "Restrict", V2, "A function on part of its domain.", |ctx, a| {
        restrict(ctx, &a[0], &a[1])
    }),
    mixed(
        "Functions",
        "RestrictDomain",
        &[Param::Value, Param::Operator(1)],
        "A function on the keys that pass a test.",
        |ctx, a| restrict_if(ctx, a, true),
    ),
    mixed(
        "Functions",
        "RestrictValues",
        &[Param::Value, Param::Operator(1)],
        "A function on the keys whose results pass a test.",
        |ctx, a| restrict_if(ctx, a, false),
    ),
    strict("Functions", "IsInjective", V1, "Whether no result occurs twice.", |ctx, a| {
        let all = pairs(ctx, "", "IsInjective", &a[0])?;
        let n = all.len();
        let results: Vec<Value> = all.into_iter().map(|(_, result)| result).collect();
        let set = sets::set_from_vec(ctx, results);
        Ok(Value::Bool(sets::size(ctx, &set)? == Some(n as u64)))
    }),
    mixed(
        "Functions",
        "Pointwise",
        &[Param::Value, Param::Value, Param::Operator(2)],
        "Combines two functions result by result.",
        pointwise,
    ),
    mixed("Functions", "FoldFunction", FOLD, "Folds the results of a function.", |ctx, a| {
        let keys = domain(ctx, &value(a, 2))?;
        fold_function(ctx, a, &keys)
    }),
    mixed(
        "Functions",
        "FoldFunctionOnSet",
        &[Param::Operator(2), Param::Value, Param::Value, Param::Value],
        "Folds the results of a function on some keys.",
        |ctx, a| fold_function(ctx, a, &value(a, 3)),
    ),
    strict("Functions", "SumFunction", V1, "Sum of the results.", |ctx, a| {
        let keys = domain(ctx, &a[0])?;
        sum(ctx, &a[0], &keys)
    }),
    strict("Functions", "SumFunctionOnSet", V2, "Sum of the results on some keys.", |ctx, a| {
        sum(ctx, &a[0], &a[1])
    }),
];

/// The elements of a finite set in normal order.
pub(super) fn items(ctx: &mut Ctx, set: &Value) -> EvalResult<Vec<Value>> {
    let mut iter = SetIter::new(ctx, set)?;
    let mut items = Vec::new();
    while let Some(item) = iter.next(ctx)? {
        items.push(item);
    }
    Ok(items)
}

fn map_then_fold_set(ctx: &mut Ctx, args: &[NativeArg]) -> EvalResult<Value> {
    let (op, image, choose) = (operator(args, 0)?, operator(args, 2)?, operator(args, 3)?);
    // The choice sees ever smaller sets; the operator is applied from the last choice back.
    let mut left = Value::set_of_sorted(items(ctx, &value(args, 4))?);
    let mut chosen = Vec::new();
    while sets::size(ctx, &left)? != Some(0) {
        let first = choose.call(ctx, std::slice::from_ref(&left))?;
        let one = Value::set_of_sorted([first.clone()].into_iter().collect::<Items>());
        let smaller = sets::difference(ctx, &left, &one)?;
        if sets::size(ctx, &smaller)? == sets::size(ctx, &left)? {
            return Err(crate::error::EvalError::general(
                "The choice of MapThenFoldSet is not an element of the set.",
            ));
        }
        left = smaller;
        chosen.push(first);
    }
    let mut result = value(args, 1);
    for item in chosen.into_iter().rev() {
        let mapped = image.call(ctx, &[item])?;
        result = op.call(ctx, &[mapped, result])?;
    }
    Ok(result)
}

fn range(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let results: Vec<Value> =
        pairs(ctx, "", "Range", &args[0])?.into_iter().map(|(_, result)| result).collect();
    Ok(sets::set_from_vec(ctx, results))
}

fn restrict(ctx: &mut Ctx, function: &Value, set: &Value) -> EvalResult<Value> {
    let keys = domain_of_set(ctx, set)?;
    let mut values = Items::with_capacity(keys.len());
    for idx in 0..keys.len() {
        values.push(apply(ctx, function, &keys.key(idx))?);
    }
    if let Domain::Interval(1, _) = &*keys {
        return Ok(Value::tuple(values));
    }
    Ok(function_from_parts(keys, values))
}

fn restrict_if(ctx: &mut Ctx, args: &[NativeArg], by_key: bool) -> EvalResult<Value> {
    let predicate = operator(args, 1)?;
    let mut kept = Vec::new();
    for (key, result) in pairs(ctx, "first", "RestrictDomain", &value(args, 0))? {
        let subject = if by_key { &key } else { &result };
        if test(ctx, "RestrictDomain", &predicate, std::slice::from_ref(subject))? {
            kept.push((key, result));
        }
    }
    from_pairs(ctx, kept)
}

fn pointwise(ctx: &mut Ctx, args: &[NativeArg]) -> EvalResult<Value> {
    let op = operator(args, 2)?;
    let other = value(args, 1);
    let mut combined = Vec::new();
    for (key, result) in pairs(ctx, "first", "Pointwise", &value(args, 0))? {
        let theirs = apply(ctx, &other, &key)?;
        let result = op.call(ctx, &[result, theirs])?;
        combined.push((key, result));
    }
    from_pairs(ctx, combined)
}

fn fold_function(ctx: &mut Ctx, args: &[NativeArg], keys: &Value) -> EvalResult<Value> {
    let (op, mut result) = (operator(args, 0)?, value(args, 1));
    let function = value(args, 2);
    let function = force(ctx, &function).unwrap_or(function);
    for key in items(ctx, keys)?.into_iter().rev() {
        let item = apply(ctx, &function, &key)?;
        result = op.call(ctx, &[item, result])?;
    }
    Ok(result)
}

fn sum(ctx: &mut Ctx, function: &Value, keys: &Value) -> EvalResult<Value> {
    let mut total = Value::Int(0);
    for key in items(ctx, keys)? {
        let item = apply(ctx, function, &key)?;
        total = arith::add(ctx, &total, &item)?;
    }
    Ok(total)
}
