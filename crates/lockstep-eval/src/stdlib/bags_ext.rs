//! Module BagsExt.

use super::args::{operator, value};
use super::bags::{bag_from, counts};
use super::{Native, NativeArg, Param, V1, V2, mixed, strict};
use crate::error::EvalResult;
use crate::value::{Ctx, Value, arith, equal};

pub(super) const TABLE: &[Native] = &[
    strict("BagsExt", "BagAdd", V2, "One more copy.", |ctx, a| change(ctx, &a[0], &a[1], 1)),
    strict("BagsExt", "BagRemove", V2, "One copy less.", |ctx, a| change(ctx, &a[0], &a[1], -1)),
    strict("BagsExt", "BagRemoveAll", V2, "No copy left.", |ctx, a| {
        change(ctx, &a[0], &a[1], i32::MIN)
    }),
    mixed(
        "BagsExt",
        "FoldBag",
        &[Param::Operator(2), Param::Value, Param::Value],
        "Folds an operator over all copies.",
        fold_bag,
    ),
    strict("BagsExt", "SumBag", V1, "Sum over all copies.", |ctx, a| {
        total(ctx, &a[0], Value::Int(0), arith::add)
    }),
    strict("BagsExt", "ProductBag", V1, "Product over all copies.", |ctx, a| {
        total(ctx, &a[0], Value::Int(1), arith::multiply)
    }),
];

fn change(ctx: &mut Ctx, bag: &Value, element: &Value, by: i32) -> EvalResult<Value> {
    let mut list = counts(ctx, "BagAdd", bag)?;
    for (key, n) in &mut list {
        if equal(ctx, key, element)? {
            *n = n.saturating_add(by);
            return bag_from(ctx, list);
        }
    }
    if by > 0 {
        list.push((element.clone(), by));
    }
    bag_from(ctx, list)
}

fn fold_bag(ctx: &mut Ctx, args: &[NativeArg]) -> EvalResult<Value> {
    let op = operator(args, 0)?;
    let mut result = value(args, 1);
    for (key, n) in counts(ctx, "FoldBag", &value(args, 2))?.into_iter().rev() {
        for _ in 0..n {
            result = op.call(ctx, &[key.clone(), result])?;
        }
    }
    Ok(result)
}

type Arithmetic = fn(&mut Ctx, &Value, &Value) -> EvalResult<Value>;

fn total(ctx: &mut Ctx, bag: &Value, start: Value, op: Arithmetic) -> EvalResult<Value> {
    let mut result = start;
    for (key, n) in counts(ctx, "SumBag", bag)? {
        for _ in 0..n {
            result = op(ctx, &result, &key)?;
        }
    }
    Ok(result)
}
