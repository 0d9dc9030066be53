//! Module Sequences. Strings have a length, can be joined and cut, and nothing else.

use super::args::{operator, sequence, test, value, wrong};
use super::{Native, NativeArg, Param, V1, V2, V3, mixed, strict};
use crate::error::{EvalError, EvalResult, code};
use crate::value::{Ctx, Items, LazyKind, Value, sequences, to_text};

pub(super) const TABLE: &[Native] = &[
    strict("Sequences", "Seq", V1, "All finite sequences over a set.", |_, a| {
        Ok(Value::lazy(LazyKind::Seq(a[0].clone())))
    }),
    strict("Sequences", "Len", V1, "Length.", len),
    strict("Sequences", "\\o", V2, "Concatenation.", |ctx, a| concat(ctx, &a[0], &a[1])),
    strict("Sequences", "Append", V2, "One element more at the end.", append),
    strict("Sequences", "Head", V1, "First element.", head),
    strict("Sequences", "Tail", V1, "All but the first element.", tail),
    strict("Sequences", "SubSeq", V3, "The part from one index to another.", sub_seq),
    mixed(
        "Sequences",
        "SelectSeq",
        &[Param::Value, Param::Operator(1)],
        "The elements that pass a test.",
        select_seq,
    ),
];

fn len(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    if let Value::Tuple(node) = &args[0] {
        return Ok(Value::Int(node.items().len() as i32));
    }
    if let Value::Str(sym) = &args[0] {
        return Ok(Value::Int(ctx.text(*sym).chars().count() as i32));
    }
    Ok(Value::Int(sequence(ctx, "", "Len", &args[0])?.len() as i32))
}

#[cold]
fn not_a_sequence(ctx: &mut Ctx, form: &str, what: &str, value: &Value) -> Box<EvalError> {
    let text = to_text(ctx, value);
    EvalError::new(
        code::NOT_A_SEQUENCE,
        format!("Evaluating an expression of the form {form} when s is not a {what}:\n{text}"),
    )
    .with_values(vec![text])
}

/// `a \o b`.
pub(super) fn concat(ctx: &mut Ctx, a: &Value, b: &Value) -> EvalResult<Value> {
    if let Value::Str(x) = a {
        let Value::Str(y) = b else {
            return Err(not_a_sequence(ctx, "t \\o s", "string", b));
        };
        let joined = format!("{}{}", ctx.text(*x), ctx.text(*y));
        return Ok(ctx.string(&joined));
    }
    let Some(mut items) = sequences::elements(ctx, a)? else {
        return Err(not_a_sequence(ctx, "s \\o t", "sequence", a));
    };
    match sequences::elements(ctx, b)? {
        None => Err(not_a_sequence(ctx, "t \\o s", "sequence", b)),
        Some(more) if more.is_empty() && matches!(a, Value::Tuple(_)) => Ok(a.clone()),
        Some(more) if items.is_empty() => Ok(Value::tuple(more)),
        Some(more) => {
            items.extend(more);
            Ok(Value::tuple(items))
        }
    }
}

fn append(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    if let Value::Tuple(node) = &args[0] {
        let mut items = Items::with_capacity(node.items().len() + 1);
        items.extend(node.items().iter().cloned());
        items.push(args[1].clone());
        return Ok(Value::tuple(items));
    }
    let Some(mut items) = sequences::elements(ctx, &args[0])? else {
        return Err(not_a_sequence(ctx, "Append(s, v)", "sequence", &args[0]));
    };
    items.push(args[1].clone());
    Ok(Value::tuple(items))
}

#[cold]
fn empty(operator: &str) -> Box<EvalError> {
    EvalError::new(
        code::EMPTY_SEQUENCE,
        format!("Attempted to apply {operator} to the empty sequence."),
    )
}

fn head(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    if let Value::Tuple(node) = &args[0] {
        return node.items().first().cloned().ok_or_else(|| empty("Head"));
    }
    sequence(ctx, "", "Head", &args[0])?.first().cloned().ok_or_else(|| empty("Head"))
}

fn tail(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    if let Value::Str(sym) = &args[0] {
        let text = ctx.text(*sym).clone();
        let mut chars = text.chars();
        if chars.next().is_none() {
            return Err(empty("Tail"));
        }
        return Ok(ctx.string(chars.as_str()));
    }
    if let Value::Tuple(node) = &args[0] {
        return match node.items().split_first() {
            Some((_, rest)) => Ok(Value::tuple(rest.iter().cloned().collect::<Items>())),
            None => Err(empty("Tail")),
        };
    }
    let mut items = sequence(ctx, "", "Tail", &args[0])?;
    if items.is_empty() {
        return Err(empty("Tail"));
    }
    items.remove(0);
    Ok(Value::tuple(items))
}

fn sub_seq(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let (from, to) = match (&args[1], &args[2]) {
        (Value::Int(from), Value::Int(to)) => (*from, *to),
        (Value::Int(_), other) => {
            return Err(wrong(ctx, "third", "SubSeq", "a natural number", other));
        }
        (other, _) => return Err(wrong(ctx, "second", "SubSeq", "a natural number", other)),
    };
    if let Value::Str(sym) = &args[0] {
        if from > to {
            return Ok(ctx.string(""));
        }
        let text = ctx.text(*sym).clone();
        let n = text.chars().count();
        check_range(ctx, &args[0], n, from, to)?;
        let part: String =
            text.chars().skip(from as usize - 1).take((to - from + 1) as usize).collect();
        return Ok(ctx.string(&part));
    }
    if let Value::Tuple(node) = &args[0]
        && from >= 1
        && from <= to
        && (to as usize) <= node.items().len()
    {
        let part = &node.items()[from as usize - 1..to as usize];
        return Ok(Value::tuple(part.iter().cloned().collect::<Items>()));
    }
    let items = sequence(ctx, "first", "SubSeq", &args[0])?;
    if from > to {
        return Ok(Value::empty_tuple());
    }
    check_range(ctx, &args[0], items.len(), from, to)?;
    Ok(Value::tuple(items[from as usize - 1..to as usize].iter().cloned().collect::<Items>()))
}

fn check_range(ctx: &mut Ctx, seq: &Value, n: usize, from: i32, to: i32) -> EvalResult<()> {
    let outside = |i: i32| i < 1 || i as usize > n;
    let (which, index) = if outside(from) {
        ("second", from)
    } else if outside(to) {
        ("third", to)
    } else {
        return Ok(());
    };
    let text = to_text(ctx, seq);
    Err(EvalError::new(
        code::INDEX,
        format!(
            "The {which} argument of SubSeq must be in the domain of its first argument:\n{text}\n\
             , but instead it is\n{index}"
        ),
    )
    .with_values(vec![text, index.to_string()]))
}

fn select_seq(ctx: &mut Ctx, args: &[NativeArg]) -> EvalResult<Value> {
    let seq = value(args, 0);
    let predicate = operator(args, 1)?;
    let items = sequence(ctx, "first", "SelectSeq", &seq)?;
    let mut kept = Items::new();
    for item in items {
        if test(ctx, "SelectSeq", &predicate, std::slice::from_ref(&item))? {
            kept.push(item);
        }
    }
    Ok(Value::tuple(kept))
}
