//! From the evaluator's values (shared, lazy, interned) to those of a report (plain trees).

use lockstep_eval::value::{Ctx, Value, entries, force, to_text};
use lockstep_report as report;

/// Sets larger than this are shown by their text; nobody reads their elements one by one.
const LISTED: usize = 100_000;

/// The tree of a value. What cannot be listed becomes its text.
pub(crate) fn convert(ctx: &mut Ctx, value: &Value) -> report::Value {
    match value {
        Value::Bool(it) => report::Value::Bool(*it),
        Value::Int(it) => report::Value::Int(i64::from(*it)),
        Value::Str(sym) => report::Value::Str(ctx.text(*sym).to_string()),
        Value::Model(id) => report::Value::Model(ctx.model_name(*id).to_string()),
        Value::Interval(lo, hi) if lo > hi => report::Value::Set(Vec::new()),
        Value::Interval(lo, hi) => report::Value::Interval(i64::from(*lo), i64::from(*hi)),
        Value::Set(node) => match node.elements() {
            Ok(items) => report::Value::Set(list(ctx, items)),
            Err(_) => report::Value::Symbolic(to_text(ctx, value)),
        },
        Value::Tuple(node) => report::Value::Tuple(list(ctx, node.items())),
        Value::Record(node) => {
            let mut fields = Vec::new();
            for (name, it) in node.shape().names().iter().zip(node.values()) {
                fields.push((ctx.text(*name).to_string(), convert(ctx, it)));
            }
            report::Value::Record(fields)
        }
        Value::Function(_) => function(ctx, value),
        Value::Lazy(_) => match force(ctx, value) {
            Ok(Value::Lazy(_)) | Err(_) => report::Value::Symbolic(to_text(ctx, value)),
            Ok(forced) => convert(ctx, &forced),
        },
    }
}

fn list(ctx: &mut Ctx, items: &[Value]) -> Vec<report::Value> {
    items.iter().map(|it| convert(ctx, it)).collect()
}

/// A function on `1..n` is a tuple and one on strings a record, however it was built.
fn function(ctx: &mut Ctx, value: &Value) -> report::Value {
    let Some(found) = entries(value) else { return report::Value::Symbolic(to_text(ctx, value)) };
    if found.len() > LISTED {
        return report::Value::Symbolic(to_text(ctx, value));
    }
    let pairs: Vec<(Value, Value)> =
        (0..found.len()).map(|idx| (found.key(idx), found.value(idx).clone())).collect();
    let is_tuple = (pairs.iter().enumerate())
        .all(|(idx, (key, _))| matches!(key, Value::Int(it) if *it as usize == idx + 1));
    if is_tuple {
        return report::Value::Tuple(pairs.iter().map(|(_, it)| convert(ctx, it)).collect());
    }
    if pairs.iter().all(|(key, _)| matches!(key, Value::Str(_))) {
        let mut fields = Vec::new();
        for (key, it) in &pairs {
            if let Value::Str(name) = key {
                fields.push((ctx.text(*name).to_string(), convert(ctx, it)));
            }
        }
        return report::Value::Record(fields);
    }
    report::Value::Function(
        pairs.iter().map(|(key, it)| (convert(ctx, key), convert(ctx, it))).collect(),
    )
}
