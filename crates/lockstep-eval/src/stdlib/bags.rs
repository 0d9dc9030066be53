//! Module Bags: functions from elements to positive numbers.

use super::args::{applying, operator, value, wrong};
use super::{Native, NativeArg, Param, V0, V1, V2, mixed, strict};
use crate::error::{EvalError, EvalResult, code};
use crate::value::{Ctx, SetIter, Value, apply, domain, entries, force, from_pairs, sets, to_text};

pub(super) const TABLE: &[Native] = &[
    strict("Bags", "EmptyBag", V0, "The bag of nothing.", |_, _| Ok(Value::empty_tuple())),
    strict("Bags", "IsABag", V1, "Whether a value is a bag.", is_a_bag),
    strict("Bags", "BagToSet", V1, "The elements of a bag.", |ctx, a| {
        if !a[0].is_function() {
            return Err(applying(ctx, "BagToSet", "a function with a finite domain", &a[0]));
        }
        // Listed also when it is 1..n: a bag is no sequence.
        let elements = domain(ctx, &a[0])?;
        let mut iter = SetIter::new(ctx, &elements)?;
        let mut items = Vec::new();
        while let Some(item) = iter.next(ctx)? {
            items.push(item);
        }
        Ok(Value::set_of_sorted(items))
    }),
    strict("Bags", "SetToBag", V1, "One copy of each element.", set_to_bag),
    strict("Bags", "BagIn", V2, "Whether an element is in a bag.", |ctx, a| {
        Ok(Value::Bool(copies(ctx, &a[0], &a[1])? > 0))
    }),
    strict("Bags", "CopiesIn", V2, "How often an element is in a bag.", |ctx, a| {
        Ok(Value::Int(copies(ctx, &a[0], &a[1])?))
    }),
    strict("Bags", "\\oplus", V2, "Union of bags.", |ctx, a| {
        positive(ctx, "first", "(+)", &a[0])?;
        positive(ctx, "second", "(+)", &a[1])?;
        combine(ctx, &a[0], &a[1], true)
    }),
    strict("Bags", "\\ominus", V2, "Difference of bags.", |ctx, a| {
        combine(ctx, &a[0], &a[1], false)
    }),
    strict("Bags", "BagUnion", V1, "Union of a set of bags.", bag_union),
    strict("Bags", "\\sqsubseteq", V2, "Whether one bag is part of another.", contained),
    strict("Bags", "SubBag", V1, "All bags that are part of one.", sub_bag),
    mixed(
        "Bags",
        "BagOfAll",
        &[Param::Operator(1), Param::Value],
        "The bag of the images of a bag's elements.",
        bag_of_all,
    ),
    strict("Bags", "BagCardinality", V1, "The number of copies in all.", |ctx, a| {
        let mut total = 0_i32;
        for (_, n) in counts(ctx, "BagCardinality", &a[0])? {
            if n <= 0 {
                return Err(applying(ctx, "BagCardinality", "a bag", &a[0]));
            }
            total = total.checked_add(n).ok_or_else(overflow)?;
        }
        Ok(Value::Int(total))
    }),
];

#[cold]
fn overflow() -> Box<EvalError> {
    EvalError::new(code::OVERFLOW, "Overflow when computing the number of copies in a bag")
}

/// The elements of a bag with their numbers.
pub(super) fn counts(ctx: &mut Ctx, operator: &str, bag: &Value) -> EvalResult<Vec<(Value, i32)>> {
    if !bag.is_function() {
        return Err(applying(ctx, operator, "a function with a finite domain", bag));
    }
    let bag = force(ctx, bag)?;
    let Some(list) = entries(&bag) else {
        return Err(applying(ctx, operator, "a function with a finite domain", &bag));
    };
    let mut counts = Vec::with_capacity(list.len());
    for idx in 0..list.len() {
        match list.value(idx) {
            Value::Int(n) => counts.push((list.key(idx), *n)),
            _ => return Err(applying(ctx, operator, "a bag", &bag)),
        }
    }
    Ok(counts)
}

/// That a function is a bag: some numbers of copies of each element.
fn positive(ctx: &mut Ctx, which: &str, operator: &str, bag: &Value) -> EvalResult<()> {
    if counts(ctx, operator, bag)?.iter().all(|(_, n)| *n > 0) {
        return Ok(());
    }
    Err(wrong(ctx, which, operator, "a bag", bag))
}

/// A bag from elements with positive numbers.
pub(super) fn bag_from(ctx: &mut Ctx, counts: Vec<(Value, i32)>) -> EvalResult<Value> {
    let pairs =
        counts.into_iter().filter(|(_, n)| *n > 0).map(|(key, n)| (key, Value::Int(n))).collect();
    from_pairs(ctx, pairs)
}

fn is_a_bag(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    if !args[0].is_function() {
        return Ok(Value::FALSE);
    }
    let bag = force(ctx, &args[0])?;
    Ok(Value::Bool(
        entries(&bag)
            .is_some_and(|list| list.values().iter().all(|n| matches!(n, Value::Int(n) if *n > 0))),
    ))
}

fn set_to_bag(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    if !args[0].is_set() {
        return Err(applying(ctx, "SetToBag", "a finite enumerable set", &args[0]));
    }
    let mut iter = SetIter::new(ctx, &args[0])?;
    let mut pairs = Vec::new();
    while let Some(item) = iter.next(ctx)? {
        pairs.push((item, Value::Int(1)));
    }
    from_pairs(ctx, pairs)
}

fn copies(ctx: &mut Ctx, element: &Value, bag: &Value) -> EvalResult<i32> {
    if !bag.is_function() {
        return Err(applying(ctx, "CopiesIn", "a function with a finite domain", bag));
    }
    let keys = domain(ctx, bag)?;
    if !sets::member(ctx, element, &keys)? {
        return Ok(0);
    }
    match apply(ctx, bag, element)? {
        Value::Int(n) => Ok(n),
        _ => {
            let text = to_text(ctx, bag);
            Err(EvalError::general(format!("The following value is not a bag:\n{text}")))
        }
    }
}

fn combine(ctx: &mut Ctx, a: &Value, b: &Value, add: bool) -> EvalResult<Value> {
    let name = if add { "(+)" } else { "(-)" };
    let mut result = counts(ctx, name, a)?;
    let keys = domain(ctx, a)?;
    for (key, n) in counts(ctx, name, b)? {
        if sets::member(ctx, &key, &keys)? {
            for (it, m) in &mut result {
                if crate::value::equal(ctx, it, &key)? {
                    *m = if add {
                        m.checked_add(n).ok_or_else(overflow)?
                    } else {
                        m.saturating_sub(n)
                    };
                    break;
                }
            }
        } else if add {
            result.push((key, n));
        }
    }
    bag_from(ctx, result)
}

fn bag_union(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    if !sets::is_enumerable(&args[0]) {
        return Err(applying(ctx, "BagUnion", "a finite enumerable set", &args[0]));
    }
    let mut iter = SetIter::new(ctx, &args[0])?;
    let mut total = Value::empty_tuple();
    while let Some(bag) = iter.next(ctx)? {
        total = combine(ctx, &total, &bag, true)?;
    }
    Ok(total)
}

fn contained(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    for (key, n) in counts(ctx, "\\sqsubseteq", &args[0])? {
        if copies(ctx, &key, &args[1])? < n {
            return Ok(Value::FALSE);
        }
    }
    counts(ctx, "\\sqsubseteq", &args[1])?;
    Ok(Value::TRUE)
}

fn sub_bag(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    positive(ctx, "first", "SubBag", &args[0])?;
    let whole = counts(ctx, "SubBag", &args[0])?;
    let mut parts: Vec<Vec<(Value, i32)>> = vec![Vec::new()];
    for (key, n) in whole {
        let mut longer = Vec::with_capacity(parts.len() * (n.max(0) as usize + 1));
        for part in &parts {
            for m in 0..=n {
                let mut part = part.clone();
                part.push((key.clone(), m));
                longer.push(part);
                ctx.check_set_size(longer.len())?;
            }
        }
        parts = longer;
    }
    let mut bags = Vec::with_capacity(parts.len());
    for part in parts {
        bags.push(bag_from(ctx, part)?);
    }
    Ok(sets::set_from_vec(ctx, bags))
}

fn bag_of_all(ctx: &mut Ctx, args: &[NativeArg]) -> EvalResult<Value> {
    let image = operator(args, 0)?;
    let mut total = Value::empty_tuple();
    for (key, n) in counts(ctx, "BagOfAll", &value(args, 1))? {
        let key = image.call(ctx, &[key])?;
        let one = bag_from(ctx, vec![(key, n)])?;
        total = combine(ctx, &total, &one, true)?;
    }
    Ok(total)
}
