//! Module TLC: output, assertions, registers, functions written out, sorting.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

use smol_str::SmolStr;

use super::args::{applying, operator, pairs, test, value, wrong};
use super::randomization::draw;
use super::{Native, NativeArg, Param, V0, V1, V2, mixed, strict};
use crate::error::{EvalError, EvalResult, code};
use crate::value::{
    Closure, Ctx, Domain, Items, LazyKind, SetIter, Value, domain_of_set, force, from_pairs,
    function_from_parts, print_wrapped, record, sets, sort::merge_sort, to_text,
};

pub(super) const TABLE: &[Native] = &[
    strict("TLC", "Print", V2, "Prints a value and yields another.", print).acts(),
    strict("TLC", "PrintT", V1, "Prints a value.", print_t).acts(),
    mixed(
        "TLC",
        "Assert",
        &[Param::Value, Param::Value],
        "Stops with a message unless the first argument is TRUE.",
        assert,
    ),
    strict("TLC", "JavaTime", V0, "Milliseconds since 1970, 31 bits of them.", |ctx, _| {
        let now = ctx.host.as_ref().map_or(ctx.search.now_ms, |host| host.now_ms());
        Ok(Value::Int((now & 0x7fff_ffff) as i32))
    })
    .acts(),
    strict("TLC", "TLCGet", V1, "A register or a figure of the search.", |ctx, a| {
        match get(ctx, &a[0])? {
            Some(value) => Ok(value),
            None => Err(undefined(ctx, &a[0])),
        }
    })
    .reads(),
    strict("TLC", "TLCSet", V2, "Sets a register.", |ctx, a| set(ctx, &a[0], &a[1])).acts(),
    strict("TLC", ":>", V2, "A function with one entry.", |ctx, a| {
        from_pairs(ctx, vec![(a[0].clone(), a[1].clone())])
    }),
    strict("TLC", "@@", V2, "Union of functions; the left one wins.", |ctx, a| {
        let mut all = pairs(ctx, "first", "@@", &a[0])?;
        all.extend(pairs(ctx, "second", "@@", &a[1])?);
        // Of equal keys the first one counts.
        from_pairs(ctx, all)
    }),
    strict("TLC", "Permutations", V1, "All permutations of a set.", permutations),
    mixed(
        "TLC",
        "SortSeq",
        &[Param::Value, Param::Operator(2)],
        "A sequence in the order of an operator.",
        |ctx, args| {
            let seq = value(args, 0);
            let Some(items) = crate::value::sequences::elements(ctx, &seq)? else {
                return Err(wrong(ctx, "first", "SortSeq", "a natural number", &seq));
            };
            sort_by(ctx, items, &operator(args, 1)?)
        },
    ),
    strict("TLC", "RandomElement", V1, "A random element of a set.", random_element).acts(),
    strict("TLC", "Any", V0, "The set of everything.", |_, _| Ok(Value::lazy(LazyKind::Any))),
    strict("TLC", "ToString", V1, "A value as text.", |ctx, a| {
        let shown = shown(ctx, &a[0])?;
        let text = to_text(ctx, &shown);
        Ok(ctx.string(&text))
    }),
    strict("TLC", "TLCEval", V1, "The value, fully evaluated.", |ctx, a| force(ctx, &a[0])),
];

fn print(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let (shown, result) = (shown(ctx, &args[0])?, shown(ctx, &args[1])?);
    let text = format!("{}  {}", print_wrapped(ctx, &shown), to_text(ctx, &result));
    ctx.print(text);
    Ok(args[1].clone())
}

fn print_t(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let shown = shown(ctx, &args[0])?;
    let text = print_wrapped(ctx, &shown);
    ctx.print(text);
    Ok(Value::TRUE)
}

/// A value with everything evaluated that its text shows. Functions without end are shown as they
/// were written; what cannot be computed otherwise is an error.
pub(super) fn shown(ctx: &mut Ctx, value: &Value) -> EvalResult<Value> {
    match force(ctx, value) {
        Ok(forced) => Ok(forced),
        Err(_) if holds_endless_function(value) => Ok(value.clone()),
        Err(err) => Err(err),
    }
}

fn holds_endless_function(value: &Value) -> bool {
    match value {
        Value::Tuple(node) => node.items().iter().any(holds_endless_function),
        Value::Record(node) => node.values().iter().any(holds_endless_function),
        Value::Function(node) => node.values().iter().any(holds_endless_function),
        Value::Set(node) => node.elements().is_ok_and(|it| it.iter().any(holds_endless_function)),
        Value::Lazy(node) => {
            matches!(node.kind(), LazyKind::Lambda { domain, .. } if !sets::is_enumerable(domain))
        }
        Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::Model(_) | Value::Interval(..) => {
            false
        }
    }
}

fn assert(ctx: &mut Ctx, args: &[NativeArg]) -> EvalResult<Value> {
    if let Value::Bool(true) = value(args, 0) {
        return Ok(Value::TRUE);
    }
    let shown = shown(ctx, &value(args, 1))?;
    let message = to_text(ctx, &shown);
    Err(EvalError::new(
        code::ASSERT,
        format!(
            "The first argument of Assert evaluated to FALSE; the second argument was:\n{message}"
        ),
    )
    .with_values(vec![message]))
}

/// The name of a register or figure as TLC shows it in messages.
fn key_text(ctx: &mut Ctx, key: &Value) -> String {
    match key {
        Value::Str(sym) => ctx.text(*sym).to_string(),
        _ => to_text(ctx, key),
    }
}

#[cold]
fn undefined(ctx: &mut Ctx, key: &Value) -> Box<EvalError> {
    let key = key_text(ctx, key);
    EvalError::new(code::REGISTER_UNDEFINED, format!("TLCGet({key}) was undefined."))
}

fn count(n: u64) -> Value {
    Value::Int(i32::try_from(n).unwrap_or(i32::MAX))
}

/// A record of named figures.
fn figures(ctx: &mut Ctx, fields: Vec<(&str, Value)>) -> Value {
    let fields = fields.into_iter().map(|(name, v)| (ctx.names.intern(name), v)).collect();
    record(ctx, fields)
}

/// The value of a register or figure, `None` when there is none.
pub(super) fn get(ctx: &mut Ctx, key: &Value) -> EvalResult<Option<Value>> {
    let name = match key {
        Value::Int(n) if *n >= 0 => return Ok(ctx.registers.get(n).cloned()),
        Value::Str(sym) => ctx.text(*sym).clone(),
        _ => return Err(wrong(ctx, "", "TLCGet", "a nonnegative integer", key)),
    };
    if let Some(register) = name.strip_prefix("s:") {
        return Ok(ctx.named_registers.get(register).cloned());
    }
    if let Some(property) = name.strip_prefix("-D") {
        let found = ctx.search.properties.iter().find(|it| it.0 == property);
        let text = found.map(|it| it.1.clone());
        return Ok(text.map(|it| ctx.string(&it)));
    }
    Ok(match &*name {
        "level" => Some(Value::Int(i32::try_from(ctx.search.level).unwrap_or(i32::MAX))),
        "distinct" => Some(count(ctx.search.distinct)),
        "generated" => Some(count(ctx.search.generated)),
        "queue" => Some(count(ctx.search.queue)),
        "diameter" => Some(count(ctx.search.diameter)),
        "duration" => Some(count(ctx.search.duration)),
        "stats" => Some(stats(ctx)),
        "config" => ctx.search.config.clone(),
        "spec" => ctx.search.spec.clone(),
        "action" => ctx.search.action.clone(),
        "revision" => {
            let (date, tag) = (ctx.string(""), ctx.string("development"));
            let calver = ctx.string("0.1");
            Some(figures(
                ctx,
                vec![
                    ("count", Value::Int(0)),
                    ("timestamp", Value::Int(0)),
                    ("date", date),
                    ("tag", tag),
                    ("calver", calver),
                ],
            ))
        }
        "all" => {
            let keys: BTreeSet<i32> = (ctx.registers.keys().copied())
                .chain(ctx.other_registers.iter().flat_map(|it| it.numbered.keys().copied()))
                .collect();
            let pairs = (keys.into_iter())
                .map(|key| {
                    let own = ctx.registers.get(&key).into_iter();
                    let others = ctx.other_registers.iter().filter_map(|it| it.numbered.get(&key));
                    (Value::Int(key), Value::tuple_from(own.chain(others).cloned()))
                })
                .collect();
            Some(from_pairs(ctx, pairs)?)
        }
        "all:named" => {
            let keys: BTreeSet<SmolStr> = (ctx.named_registers.keys().cloned())
                .chain(ctx.other_registers.iter().flat_map(|it| it.named.keys().cloned()))
                .collect();
            let pairs: Vec<(String, Value)> = (keys.into_iter())
                .map(|key| {
                    let own = ctx.named_registers.get(&key).into_iter();
                    let others = ctx.other_registers.iter().filter_map(|it| it.named.get(&key));
                    (format!("s:{key}"), Value::tuple_from(own.chain(others).cloned()))
                })
                .collect();
            let fields = pairs.into_iter().map(|(key, v)| (ctx.names.intern(&key), v)).collect();
            Some(record(ctx, fields))
        }
        _ => None,
    })
}

fn stats(ctx: &mut Ctx) -> Value {
    let view = ctx.search.clone();
    let worker = Value::Int(i32::try_from(view.worker).unwrap_or(0));
    if view.simulating {
        let fields = vec![
            ("traces", count(view.traces)),
            ("duration", count(view.duration)),
            ("generated", count(view.generated)),
            ("distinct", count(view.distinct)),
            ("worker", worker),
        ];
        return figures(ctx, fields);
    }
    let fields = vec![
        ("queue", count(view.queue)),
        ("distinct", count(view.distinct)),
        ("initial", count(view.initial)),
        ("generated", count(view.generated)),
        ("diameter", count(view.diameter)),
        ("duration", count(view.duration)),
        ("worker", worker),
    ];
    figures(ctx, fields)
}

/// `TLCSet(key, value)`.
pub(super) fn set(ctx: &mut Ctx, key: &Value, value: &Value) -> EvalResult<Value> {
    // Registers outlive the evaluation, so nothing lazy may stay in them.
    let value = &force(ctx, value)?;
    match key {
        Value::Int(n) if *n >= 0 => {
            ctx.registers.insert(*n, value.clone());
            return Ok(Value::TRUE);
        }
        Value::Str(sym) => {
            let name = ctx.text(*sym).clone();
            if let Some(register) = name.strip_prefix("s:") {
                ctx.named_registers.insert(SmolStr::new(register), value.clone());
                return Ok(Value::TRUE);
            }
            if name == "exit" {
                if let Value::Bool(true) = value {
                    ctx.exit_requested = true;
                }
                return Ok(Value::TRUE);
            }
            if name == "pause" || name.starts_with("-D") {
                return Ok(Value::TRUE);
            }
        }
        _ => {}
    }
    Err(wrong(ctx, "first", "TLCSet", "a nonnegative integer", key))
}

fn permutations(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    if !sets::is_enumerable(&args[0]) {
        return Err(applying(ctx, "Permutations", "a finite set", &args[0]));
    }
    let domain = domain_of_set(ctx, &args[0])?;
    let keys: Items = (0..domain.len()).map(|idx| domain.key(idx)).collect();
    let mut all = Vec::new();
    let mut chosen = Vec::with_capacity(keys.len());
    arrange(ctx, &domain, &keys, &mut vec![false; keys.len()], &mut chosen, &mut all)?;
    // Keys in order make arrangements in order.
    Ok(Value::set_of_sorted(all))
}

fn arrange(
    ctx: &mut Ctx,
    domain: &Rc<Domain>,
    keys: &Items,
    used: &mut Vec<bool>,
    chosen: &mut Vec<Value>,
    all: &mut Vec<Value>,
) -> EvalResult<()> {
    if chosen.len() == keys.len() {
        all.push(if keys.is_empty() {
            Value::empty_tuple()
        } else {
            function_from_parts(domain.clone(), chosen.iter().cloned().collect())
        });
        return ctx.check_set_size(all.len());
    }
    for idx in 0..keys.len() {
        if used[idx] {
            continue;
        }
        used[idx] = true;
        chosen.push(keys[idx].clone());
        arrange(ctx, domain, keys, used, chosen, all)?;
        chosen.pop();
        used[idx] = false;
    }
    Ok(())
}

/// Sorts elements by an operator that says whether one comes before another.
pub fn sort_by(ctx: &mut Ctx, items: Items, before: &Rc<dyn Closure>) -> EvalResult<Value> {
    let sorted = merge_sort(ctx, items.into_vec(), &mut |ctx, a, b| {
        let args = [a.clone(), b.clone()];
        Ok(if test(ctx, "SortSeq", before, &args)? { Ordering::Less } else { Ordering::Equal })
    })?;
    Ok(Value::tuple(sorted))
}

fn random_element(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    if !sets::is_enumerable(&args[0]) {
        return Err(applying(ctx, "RandomElement", "a finite set", &args[0]));
    }
    if let Some(item) = draw(ctx, &args[0])? {
        return Ok(item);
    }
    let n = sets::size(ctx, &args[0])?.unwrap_or(0);
    if n == 0 {
        return Err(EvalError::general("Attempted to draw an element from the empty set."));
    }
    let mut skip = ctx.rng.below(n);
    let mut iter = SetIter::new(ctx, &args[0])?;
    while let Some(item) = iter.next(ctx)? {
        if skip == 0 {
            return Ok(item);
        }
        skip -= 1;
    }
    Err(EvalError::general("Attempted to draw an element from the empty set."))
}
