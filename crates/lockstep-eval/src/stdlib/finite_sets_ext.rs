//! Module FiniteSetsExt.

use super::args::{operator, test, value, wrong};
use super::functions::items;
use super::{Native, NativeArg, Param, V1, V2, mixed, strict};
use crate::error::{EvalError, EvalResult};
use crate::value::{Ctx, Items, Value, arith, sets, to_text};

pub(super) const TABLE: &[Native] = &[
    mixed(
        "FiniteSetsExt",
        "FoldSet",
        &[Param::Operator(2), Param::Value, Param::Value],
        "Folds an operator over a set.",
        |ctx, a| fold_set(ctx, a, 1, 2),
    ),
    mixed(
        "FiniteSetsExt",
        "ReduceSet",
        &[Param::Operator(2), Param::Value, Param::Value],
        "Folds an operator over a set.",
        |ctx, a| fold_set(ctx, a, 2, 1),
    ),
    strict("FiniteSetsExt", "SumSet", V1, "Sum of the elements.", |ctx, a| {
        total(ctx, &a[0], Value::Int(0), arith::add)
    }),
    strict("FiniteSetsExt", "ProductSet", V1, "Product of the elements.", |ctx, a| {
        total(ctx, &a[0], Value::Int(1), arith::multiply)
    }),
    mixed(
        "FiniteSetsExt",
        "MapThenSumSet",
        &[Param::Operator(1), Param::Value],
        "Sum of the elements' images.",
        |ctx, a| {
            let image = operator(a, 0)?;
            let mut sum = Value::Int(0);
            for item in items(ctx, &value(a, 1))? {
                let mapped = image.call(ctx, &[item])?;
                sum = arith::add(ctx, &mapped, &sum)?;
            }
            Ok(sum)
        },
    ),
    strict("FiniteSetsExt", "FlattenSet", V1, "Union of the elements.", |ctx, a| {
        sets::big_union(ctx, &a[0])
    }),
    strict("FiniteSetsExt", "SymDiff", V2, "What is in one set only.", |ctx, a| {
        let left = sets::difference(ctx, &a[0], &a[1])?;
        let right = sets::difference(ctx, &a[1], &a[0])?;
        sets::cup(ctx, &left, &right)
    }),
    mixed(
        "FiniteSetsExt",
        "Quantify",
        &[Param::Value, Param::Operator(1)],
        "How many elements pass a test.",
        |ctx, a| {
            let predicate = operator(a, 1)?;
            let mut n = 0;
            for item in items(ctx, &value(a, 0))? {
                n += i32::from(test(ctx, "Quantify", &predicate, &[item])?);
            }
            Ok(Value::Int(n))
        },
    ),
    strict("FiniteSetsExt", "kSubset", V2, "The subsets of a size.", k_subset),
    strict("FiniteSetsExt", "Max", V1, "The largest element.", |ctx, a| {
        extremum(ctx, &a[0], "Max")
    }),
    strict("FiniteSetsExt", "Min", V1, "The smallest element.", |ctx, a| {
        extremum(ctx, &a[0], "Min")
    }),
];

fn fold_set(ctx: &mut Ctx, args: &[NativeArg], base: usize, set: usize) -> EvalResult<Value> {
    let (op, mut result) = (operator(args, 0)?, value(args, base));
    for item in items(ctx, &value(args, set))?.into_iter().rev() {
        result = op.call(ctx, &[item, result])?;
    }
    Ok(result)
}

type Arithmetic = fn(&mut Ctx, &Value, &Value) -> EvalResult<Value>;

fn total(ctx: &mut Ctx, set: &Value, start: Value, op: Arithmetic) -> EvalResult<Value> {
    let mut result = start;
    for item in items(ctx, set)? {
        result = op(ctx, &item, &result)?;
    }
    Ok(result)
}

fn k_subset(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let list = items(ctx, &args[1])?;
    let Value::Int(k) = &args[0] else {
        return Err(wrong(ctx, "first", "kSubset", "a nonnegative integer", &args[0]));
    };
    let (n, k) = (list.len(), *k);
    if k < 0 || k as usize > n {
        return Ok(Value::empty_set());
    }
    let k = k as usize;
    let mut chosen: Vec<usize> = (0..k).collect();
    let mut all = Items::new();
    loop {
        all.push(Value::set_of_sorted(
            chosen.iter().map(|at| list[*at].clone()).collect::<Items>(),
        ));
        ctx.check_set_size(all.len())?;
        let Some(idx) = (0..k).rev().find(|idx| chosen[*idx] < n - k + idx) else { break };
        chosen[idx] += 1;
        for later in idx + 1..k {
            chosen[later] = chosen[later - 1] + 1;
        }
    }
    // Lexicographic order is the normal order of sets of one size.
    Ok(Value::set_of_sorted(all))
}

fn extremum(ctx: &mut Ctx, set: &Value, name: &str) -> EvalResult<Value> {
    if let Value::Interval(lo, hi) = set
        && lo <= hi
    {
        return Ok(Value::Int(if name == "Max" { *hi } else { *lo }));
    }
    let list = items(ctx, set)?;
    let mut best: Option<Value> = None;
    for item in list {
        best = Some(match best {
            None => {
                // A single element must be a number, too.
                arith::greater_equal(ctx, &item, &item)?;
                item
            }
            Some(best) => {
                let better = if name == "Max" {
                    arith::greater_equal(ctx, &item, &best)?
                } else {
                    arith::less_equal(ctx, &item, &best)?
                };
                if let Value::Bool(true) = better { item } else { best }
            }
        });
    }
    match best {
        Some(best) => Ok(best),
        None => {
            let text = to_text(ctx, set);
            Err(EvalError::general(
                "Attempted to compute the value of an expression of form\nCHOOSE x \\in S: P, but \
                 no element of S satisfied P.",
            )
            .with_values(vec![text]))
        }
    }
}
