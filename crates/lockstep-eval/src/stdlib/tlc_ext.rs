//! Module TLCExt: assertions on errors, traces, caches, registers with defaults.

use super::args::{operator, text, value};
use super::tlc::{get, set};
use super::{Native, NativeArg, Param, V0, V1, V2, mixed, strict};
use crate::error::EvalResult;
use crate::value::{
    Ctx, SetIter, Value, apply, equal, force, from_pairs, hash64, record, select_field, to_text,
};

pub(super) const TABLE: &[Native] = &[
    strict("TLCExt", "AssertEq", V2, "Equality that prints what differs.", |ctx, a| {
        if equal(ctx, &a[0], &a[1])? {
            return Ok(Value::TRUE);
        }
        let (x, y) = (to_text(ctx, &a[0]), to_text(ctx, &a[1]));
        ctx.print(format!("Value {x} is not equal to value {y}"));
        Ok(Value::FALSE)
    })
    .acts(),
    mixed(
        "TLCExt",
        "AssertError",
        &[Param::Value, Param::Thunk],
        "Whether evaluation fails with that message.",
        assert_error,
    )
    .acts(),
    strict("TLCExt", "Trace", V0, "The behaviour up to here.", |ctx, _| {
        Ok(ctx.search.trace.clone().unwrap_or_else(Value::empty_tuple))
    })
    .reads(),
    strict("TLCExt", "CounterExample", V0, "The counterexample as a graph.", |ctx, _| {
        if let Some(found) = ctx.search.counterexample.clone() {
            return Ok(found);
        }
        let (action, state) = (ctx.names.intern("action"), ctx.names.intern("state"));
        Ok(record(ctx, vec![(action, Value::empty_set()), (state, Value::empty_set())]))
    })
    .reads(),
    strict("TLCExt", "ToTrace", V1, "A counterexample as a sequence of states.", to_trace),
    strict("TLCExt", "TLCModelValue", V1, "The model value of a name.", |ctx, a| {
        let name = text(ctx, "", "TLCModelValue", &a[0])?;
        Ok(ctx.model(&name))
    }),
    mixed(
        "TLCExt",
        "TLCCache",
        &[Param::Value, Param::Thunk],
        "The value of an expression, which may be kept for equal closures.",
        |_, args| Ok(value(args, 0)),
    ),
    mixed("TLCExt", "TLCDefer", &[Param::Thunk], "Evaluates when a step is taken.", |ctx, a| {
        // Without a simulation under way there is no later moment than now.
        operator(a, 0)?.call(ctx, &[])?;
        Ok(Value::TRUE)
    })
    .acts(),
    mixed(
        "TLCExt",
        "PickSuccessor",
        &[Param::Thunk],
        "Where a person may choose; a checker takes every successor.",
        |_, _| Ok(Value::TRUE),
    ),
    strict("TLCExt", "TLCNoOp", V1, "The value.", |_, a| Ok(a[0].clone())),
    strict("TLCExt", "TLCFP", V1, "The lower half of a value's hash.", |ctx, a| {
        Ok(Value::Int(hash64(ctx, &a[0])? as u32 as i32))
    }),
    strict("TLCExt", "TLCGetOrDefault", V2, "A register, or a default.", |ctx, a| {
        Ok(get(ctx, &a[0])?.unwrap_or_else(|| a[1].clone()))
    })
    .reads(),
    mixed(
        "TLCExt",
        "TLCGetAndSet",
        &[Param::Value, Param::Operator(2), Param::Value, Param::Value],
        "Changes a register and yields what it held.",
        get_and_set,
    )
    .acts(),
];

fn assert_error(ctx: &mut Ctx, args: &[NativeArg]) -> EvalResult<Value> {
    let expected = text(ctx, "first", "AssertError", &value(args, 0))?;
    let outcome = operator(args, 1)?.call(ctx, &[]).and_then(|value| force(ctx, &value));
    Ok(match outcome {
        Ok(value) => {
            let shown = to_text(ctx, &value);
            ctx.print(format!("AssertError: no error, the value is {shown}"));
            Value::FALSE
        }
        Err(err) if err.message.trim_end() == expected.trim_end() => Value::TRUE,
        Err(err) => {
            ctx.print(format!("AssertError: another error: {}", err.message));
            Value::FALSE
        }
    })
}

fn to_trace(ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
    let state = ctx.names.intern("state");
    let states = select_field(ctx, &args[0], state)?;
    let mut iter = SetIter::new(ctx, &states)?;
    let mut pairs = Vec::new();
    while let Some(numbered) = iter.next(ctx)? {
        let number = apply(ctx, &numbered, &Value::Int(1))?;
        let state = apply(ctx, &numbered, &Value::Int(2))?;
        pairs.push((number, state));
    }
    from_pairs(ctx, pairs)
}

fn get_and_set(ctx: &mut Ctx, args: &[NativeArg]) -> EvalResult<Value> {
    let key = value(args, 0);
    let old = get(ctx, &key)?.unwrap_or_else(|| value(args, 3));
    let new = operator(args, 1)?.call(ctx, &[old.clone(), value(args, 2)])?;
    set(ctx, &key, &new)?;
    Ok(old)
}
