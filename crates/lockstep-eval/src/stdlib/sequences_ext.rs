//! Module SequencesExt. The replacing operators take strings, too.

use super::args::{operator, pairs, sequence, test, text, value, wrong};
use super::functions::items;
use super::sequences::concat;
use super::tlc::sort_by;
use super::{Native, NativeArg, Param, V1, V2, V3, V4, mixed, strict};
use crate::error::{EvalError, EvalResult};
use crate::value::{Ctx, Items, Value, equal, from_pairs, sets};

const M: &str = "SequencesExt";
const OP_BASE_SEQ: &[Param] = &[Param::Operator(2), Param::Value, Param::Value];
const SEQ_TEST: &[Param] = &[Param::Value, Param::Operator(1)];
const SUB_TEST: &[Param] = &[Param::Value, Param::Value, Param::Value, Param::Operator(1)];

pub(super) const TABLE: &[Native] = &[
    strict(M, "ToSet", V1, "The elements of a sequence.", |ctx, a| {
        let list = results(ctx, "", "ToSet", &a[0])?;
        Ok(sets::set_from_vec(ctx, list))
    }),
    strict(M, "ToBag", V1, "The elements of a sequence with their numbers.", to_bag),
    strict(M, "SetToSeq", V1, "The elements of a set in order.", |ctx, a| {
        Ok(Value::tuple(items(ctx, &a[0])?))
    }),
    strict(M, "SetToSeqs", V1, "All orders of a set's elements.", set_to_seqs),
    mixed(
        M,
        "SetToSortSeq",
        &[Param::Value, Param::Operator(2)],
        "The elements of a set in the order of an operator.",
        |ctx, a| {
            let list = items(ctx, &value(a, 0))?;
            sort_by(ctx, list.into(), &operator(a, 1)?)
        },
    ),
    strict(M, "Contains", V2, "Whether an element occurs.", |ctx, a| {
        for item in sequence(ctx, "first", "Contains", &a[0])? {
            if equal(ctx, &item, &a[1])? {
                return Ok(Value::TRUE);
            }
        }
        Ok(Value::FALSE)
    }),
    strict(M, "Reverse", V1, "The sequence backwards.", |ctx, a| {
        if let Value::Str(sym) = &a[0] {
            let reversed: String = ctx.text(*sym).chars().rev().collect();
            return Ok(ctx.string(&reversed));
        }
        let mut list = sequence(ctx, "", "Reverse", &a[0])?;
        list.reverse();
        Ok(Value::tuple(list))
    }),
    strict(M, "Remove", V2, "The sequence without an element.", |ctx, a| {
        let mut kept = Items::new();
        for item in sequence(ctx, "first", "Remove", &a[0])? {
            if !equal(ctx, &item, &a[1])? {
                kept.push(item);
            }
        }
        Ok(Value::tuple(kept))
    }),
    strict(M, "ReplaceAll", V3, "The sequence with an element replaced.", |ctx, a| {
        let mut list = sequence(ctx, "first", "ReplaceAll", &a[0])?;
        for item in &mut list {
            if equal(ctx, item, &a[1])? {
                *item = a[2].clone();
            }
        }
        Ok(Value::tuple(list))
    }),
    mixed(M, "SelectInSeq", SEQ_TEST, "The first index that passes a test.", |ctx, a| {
        let list = sequence(ctx, "first", "SelectInSeq", &value(a, 0))?;
        select(ctx, &list, &operator(a, 1)?, false)
    }),
    mixed(M, "SelectLastInSeq", SEQ_TEST, "The last index that passes a test.", |ctx, a| {
        let list = sequence(ctx, "first", "SelectLastInSeq", &value(a, 0))?;
        select(ctx, &list, &operator(a, 1)?, true)
    }),
    mixed(M, "SelectInSubSeq", SUB_TEST, "The first such index of a part.", |ctx, a| {
        let list = part(ctx, a)?;
        select(ctx, &list, &operator(a, 3)?, false)
    }),
    mixed(M, "SelectLastInSubSeq", SUB_TEST, "The last such index of a part.", |ctx, a| {
        let list = part(ctx, a)?;
        select(ctx, &list, &operator(a, 3)?, true)
    }),
    strict(M, "RemoveAt", V2, "The sequence without the element at an index.", |ctx, a| {
        let mut list = sequence(ctx, "first", "RemoveAt", &a[0])?;
        // The definition leaves the sequence as it is for the indices next to its ends.
        if let Value::Int(i) = a[1]
            && (i == 0 || i as usize == list.len() + 1)
        {
            return Ok(Value::tuple(list));
        }
        let at = index(ctx, "RemoveAt", &a[1], list.len())?;
        list.remove(at);
        Ok(Value::tuple(list))
    }),
    strict(M, "InsertAt", V3, "The sequence with one element more.", |ctx, a| {
        let mut list = sequence(ctx, "first", "InsertAt", &a[0])?;
        let at = index(ctx, "InsertAt", &a[1], list.len() + 1)?;
        list.insert(at, a[2].clone());
        Ok(Value::tuple(list))
    }),
    mixed(M, "RemoveFirstMatch", SEQ_TEST, "Without the first that passes a test.", |ctx, a| {
        let mut list = sequence(ctx, "first", "RemoveFirstMatch", &value(a, 0))?;
        let predicate = operator(a, 1)?;
        for at in 0..list.len() {
            let item = list[at].clone();
            if test(ctx, "RemoveFirstMatch", &predicate, &[item])? {
                list.remove(at);
                break;
            }
        }
        Ok(Value::tuple(list))
    }),
    strict(M, "RemoveFirst", V2, "Without the first occurrence of an element.", |ctx, a| {
        let mut list = sequence(ctx, "first", "RemoveFirst", &a[0])?;
        for at in 0..list.len() {
            let item = list[at].clone();
            if equal(ctx, &item, &a[1])? {
                list.remove(at);
                break;
            }
        }
        Ok(Value::tuple(list))
    }),
    strict(M, "Cons", V2, "One element more in front.", |ctx, a| {
        let mut list = sequence(ctx, "second", "Cons", &a[1])?;
        list.insert(0, a[0].clone());
        Ok(Value::tuple(list))
    }),
    strict(M, "IsPrefix", V2, "Whether one sequence starts another.", |ctx, a| {
        is_prefix(ctx, a, false, false)
    }),
    strict(M, "IsStrictPrefix", V2, "Whether it starts a longer one.", |ctx, a| {
        is_prefix(ctx, a, false, true)
    }),
    strict(M, "IsSuffix", V2, "Whether one sequence ends another.", |ctx, a| {
        is_prefix(ctx, a, true, false)
    }),
    strict(M, "IsStrictSuffix", V2, "Whether it ends a longer one.", |ctx, a| {
        is_prefix(ctx, a, true, true)
    }),
    strict(M, "LongestCommonPrefix", V1, "What a set of sequences begins with.", |ctx, a| {
        let mut common: Option<Items> = None;
        let all = items(ctx, &a[0])?;
        if let Some(Value::Str(first)) = all.first() {
            let mut common = ctx.names.text(*first).to_string();
            for it in &all {
                let Value::Str(it) = it else {
                    return Err(EvalError::general(
                        "LongestCommonPrefix of strings together with other sequences is undefined.",
                    ));
                };
                let other = ctx.names.text(*it).to_string();
                let n = common
                    .char_indices()
                    .zip(other.chars())
                    .find(|((_, a), b)| a != b)
                    .map_or(common.len().min(other.len()), |((at, _), _)| at);
                common.truncate(n);
            }
            return Ok(ctx.string(&common));
        }
        for seq in all {
            let list = sequence(ctx, "", "LongestCommonPrefix", &seq)?;
            let Some(known) = &mut common else {
                common = Some(list);
                continue;
            };
            let mut n = 0;
            while n < known.len().min(list.len()) && equal(ctx, &known[n], &list[n])? {
                n += 1;
            }
            known.truncate(n);
        }
        common.map(Value::tuple).ok_or_else(|| {
            EvalError::general("LongestCommonPrefix of no sequences at all is undefined.")
        })
    }),
    mixed(M, "FoldSeq", OP_BASE_SEQ, "Folds a sequence from its end.", |ctx, a| {
        let list = results(ctx, "third", "FoldSeq", &value(a, 2))?;
        fold_right(ctx, a, value(a, 1), list)
    }),
    mixed(M, "FoldLeft", OP_BASE_SEQ, "Folds a sequence from its start.", |ctx, a| {
        let list = results(ctx, "third", "FoldLeft", &value(a, 2))?;
        fold_left(ctx, a, value(a, 1), list)
    }),
    mixed(M, "FoldRight", OP_BASE_SEQ, "Folds a sequence from its end.", |ctx, a| {
        let list = results(ctx, "second", "FoldRight", &value(a, 1))?;
        fold_right(ctx, a, value(a, 2), list)
    }),
    mixed(M, "FoldLeftDomain", OP_BASE_SEQ, "Folds the indices upwards.", |ctx, a| {
        let list = pairs(ctx, "third", "FoldLeftDomain", &value(a, 2))?;
        fold_left(ctx, a, value(a, 1), list.into_iter().map(|(key, _)| key).collect())
    }),
    mixed(M, "FoldRightDomain", OP_BASE_SEQ, "Folds the indices downwards.", |ctx, a| {
        let list = pairs(ctx, "second", "FoldRightDomain", &value(a, 1))?;
        fold_right(ctx, a, value(a, 2), list.into_iter().map(|(key, _)| key).collect())
    }),
    strict(M, "FlattenSeq", V1, "The sequences of a sequence in one.", |ctx, a| {
        let mut all: Option<Value> = None;
        for seq in sequence(ctx, "", "FlattenSeq", &a[0])? {
            all = Some(match all {
                None => seq,
                Some(all) => concat(ctx, &all, &seq)?,
            });
        }
        Ok(all.unwrap_or_else(Value::empty_tuple))
    }),
    strict(M, "Zip", V2, "Pairs of the elements of two sequences.", |ctx, a| {
        let left = sequence(ctx, "first", "Zip", &a[0])?;
        let right = sequence(ctx, "second", "Zip", &a[1])?;
        Ok(Value::tuple_from(left.into_iter().zip(right).map(|(x, y)| Value::tuple_from([x, y]))))
    }),
    strict(M, "SubSeqs", V1, "All parts of consecutive elements.", |ctx, a| {
        let list = sequence(ctx, "", "SubSeqs", &a[0])?;
        let mut all = vec![Value::empty_tuple()];
        for from in 0..list.len() {
            for to in from + 1..=list.len() {
                all.push(Value::tuple_from(list[from..to].iter().cloned()));
                ctx.check_set_size(all.len())?;
            }
        }
        Ok(sets::set_from_vec(ctx, all))
    }),
    strict(M, "ReplaceSubSeqAt", V4, "A part at an index replaced.", |ctx, a| {
        let n = match &a[3] {
            Value::Str(sym) => ctx.text(*sym).chars().count(),
            _ => sequence(ctx, "fourth", "ReplaceSubSeqAt", &a[3])?.len(),
        };
        let at = index(ctx, "ReplaceSubSeqAt", &a[0], n + 1)?;
        replace(ctx, &a[1], &a[2], &a[3], &[at])
    }),
    strict(M, "ReplaceFirstSubSeq", V3, "The first occurrence of a part replaced.", |ctx, a| {
        let found = occurrences(ctx, &a[1], &a[2])?;
        replace(ctx, &a[0], &a[1], &a[2], &found[..found.len().min(1)])
    }),
    strict(M, "ReplaceAllSubSeqs", V3, "Every occurrence of a part replaced.", |ctx, a| {
        if equal(ctx, &a[1], &a[2])? {
            return Ok(a[0].clone());
        }
        let found = occurrences(ctx, &a[1], &a[2])?;
        replace(ctx, &a[0], &a[1], &a[2], &found)
    }),
];

/// The results of a function in the order of its keys: what the definitions of folds use of a
/// sequence, whose domain need not start at 1.
fn results(ctx: &mut Ctx, which: &str, operator: &str, value: &Value) -> EvalResult<Items> {
    Ok(pairs(ctx, which, operator, value)?.into_iter().map(|(_, result)| result).collect())
}

/// A position from an index that must lie in `1..n`.
fn index(ctx: &mut Ctx, operator: &str, value: &Value, n: usize) -> EvalResult<usize> {
    match value {
        Value::Int(i) if *i >= 1 && *i as usize <= n => Ok(*i as usize - 1),
        _ => Err(wrong(ctx, "second", operator, &format!("an index in 1..{n}"), value)),
    }
}

fn to_bag(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let list = results(ctx, "", "ToBag", &args[0])?;
    let set = sets::set_from_vec(ctx, list.clone());
    let mut pairs = Vec::new();
    for item in items(ctx, &set)? {
        let mut n = 0;
        for it in &list {
            n += i32::from(equal(ctx, it, &item)?);
        }
        pairs.push((item, Value::Int(n)));
    }
    from_pairs(ctx, pairs)
}

fn set_to_seqs(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let list = items(ctx, &args[0])?;
    let mut all = Vec::new();
    let mut order: Vec<usize> = (0..list.len()).collect();
    loop {
        all.push(Value::tuple_from(order.iter().map(|at| list[*at].clone())));
        ctx.check_set_size(all.len())?;
        // The next order in lexicographic sequence.
        let Some(at) = (1..order.len()).rev().find(|at| order[at - 1] < order[*at]) else { break };
        let swap = (at..order.len()).rev().find(|it| order[*it] > order[at - 1]).unwrap_or(at);
        order.swap(at - 1, swap);
        order[at..].reverse();
    }
    Ok(Value::set_of_sorted(all))
}

fn part(ctx: &mut Ctx, args: &[NativeArg]) -> EvalResult<Items> {
    let list = sequence(ctx, "first", "SelectInSubSeq", &value(args, 0))?;
    let (Value::Int(from), Value::Int(to)) = (value(args, 1), value(args, 2)) else {
        return Err(wrong(ctx, "second", "SelectInSubSeq", "an index", &value(args, 1)));
    };
    if from > to {
        return Ok(Items::new());
    }
    if from < 1 || to as usize > list.len() {
        return Err(wrong(ctx, "third", "SelectInSubSeq", "an index", &value(args, 2)));
    }
    Ok(list[from as usize - 1..to as usize].iter().cloned().collect())
}

fn select(
    ctx: &mut Ctx,
    list: &[Value],
    predicate: &std::rc::Rc<dyn crate::value::Closure>,
    last: bool,
) -> EvalResult<Value> {
    for step in 0..list.len() {
        let at = if last { list.len() - 1 - step } else { step };
        if test(ctx, "SelectInSeq", predicate, std::slice::from_ref(&list[at]))? {
            return Ok(Value::Int(at as i32 + 1));
        }
    }
    Ok(Value::Int(0))
}

fn is_prefix(ctx: &mut Ctx, args: &[Value], from_end: bool, strictly: bool) -> EvalResult<Value> {
    let mut short = sequence(ctx, "first", "IsPrefix", &args[0])?;
    let mut long = sequence(ctx, "second", "IsPrefix", &args[1])?;
    if short.len() > long.len() || (strictly && short.len() == long.len()) {
        return Ok(Value::FALSE);
    }
    if from_end {
        short.reverse();
        long.reverse();
    }
    for (x, y) in short.iter().zip(&long) {
        if !equal(ctx, x, y)? {
            return Ok(Value::FALSE);
        }
    }
    Ok(Value::TRUE)
}

fn fold_left(ctx: &mut Ctx, args: &[NativeArg], base: Value, list: Items) -> EvalResult<Value> {
    let op = operator(args, 0)?;
    let mut result = base;
    for item in list {
        result = op.call(ctx, &[result, item])?;
    }
    Ok(result)
}

fn fold_right(ctx: &mut Ctx, args: &[NativeArg], base: Value, list: Items) -> EvalResult<Value> {
    let op = operator(args, 0)?;
    let mut result = base;
    for item in list.into_iter().rev() {
        result = op.call(ctx, &[item, result])?;
    }
    Ok(result)
}

/// The elements of a sequence, or the characters of a string as strings.
fn letters(ctx: &mut Ctx, which: &str, value: &Value) -> EvalResult<Items> {
    if let Value::Str(_) = value {
        let text = text(ctx, which, "ReplaceSubSeq", value)?;
        return Ok(text.chars().map(|c| ctx.string(c.encode_utf8(&mut [0; 4]))).collect());
    }
    sequence(ctx, which, "ReplaceSubSeq", value)
}

/// Where `part` occurs in `whole`, without overlaps, from the left.
fn occurrences(ctx: &mut Ctx, part: &Value, whole: &Value) -> EvalResult<Vec<usize>> {
    let (part, whole) = (letters(ctx, "second", part)?, letters(ctx, "third", whole)?);
    let mut found = Vec::new();
    let mut at = 0;
    while at + part.len() <= whole.len() {
        let mut same = true;
        for (x, y) in part.iter().zip(&whole[at..]) {
            if !equal(ctx, x, y)? {
                same = false;
                break;
            }
        }
        if same {
            found.push(at);
        }
        at += if same { part.len().max(1) } else { 1 };
    }
    if part.is_empty() && found.len() > 1 {
        // Nothing is inserted behind the last element.
        found.pop();
    }
    Ok(found)
}

/// `whole` with `part` at the given places replaced by `new`.
fn replace(
    ctx: &mut Ctx,
    new: &Value,
    part: &Value,
    whole: &Value,
    places: &[usize],
) -> EvalResult<Value> {
    let n = letters(ctx, "second", part)?.len();
    let as_text = matches!(whole, Value::Str(_));
    let (new, whole) = (letters(ctx, "first", new)?, letters(ctx, "third", whole)?);
    let mut out = Items::new();
    let mut at = 0;
    for place in places {
        if *place < at || *place > whole.len() {
            continue;
        }
        out.extend(whole[at..*place].iter().cloned());
        out.extend(new.iter().cloned());
        at = (*place + n).min(whole.len());
    }
    out.extend(whole[at..].iter().cloned());
    if as_text {
        let mut joined = String::new();
        for item in &out {
            if let Value::Str(sym) = item {
                joined.push_str(ctx.text(*sym));
            }
        }
        return Ok(ctx.string(&joined));
    }
    Ok(Value::tuple(out))
}
