//! Sequences: functions on `1..n` however they were built, and what strings share with them.

use super::functions::entries;
use super::sets::is_sequence_entries;
use super::{Ctx, Items, LazyKind, Value, force, sets};
use crate::error::EvalResult;

/// The elements of a sequence; `None` when the value is no sequence.
pub fn elements(ctx: &mut Ctx, value: &Value) -> EvalResult<Option<Items>> {
    match value {
        Value::Tuple(node) => Ok(Some(node.items.clone())),
        Value::Record(_) | Value::Function(_) => {
            let Some(list) = entries(value) else { return Ok(None) };
            Ok(is_sequence_entries(&list).then(|| list.values().iter().cloned().collect()))
        }
        Value::Lazy(node) => {
            if let LazyKind::Lambda { domain, .. } = &node.kind
                && sets::is_enumerable(domain)
            {
                let forced = force(ctx, value)?;
                return elements(ctx, &forced);
            }
            Ok(None)
        }
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Interval(..)
        | Value::Set(_) => Ok(None),
    }
}

/// A sequence as a tuple, shared when it is one already.
pub fn to_tuple(ctx: &mut Ctx, value: &Value) -> EvalResult<Option<Value>> {
    if let Value::Tuple(_) = value {
        return Ok(Some(value.clone()));
    }
    Ok(elements(ctx, value)?.map(Value::tuple))
}
