//! A counterexample in the Informal Trace Format (ITF) of Apalache, ADR-015.
//!
//! Integers beyond 53 bits are `#bigint`; a tuple whose elements are all of one kind is a list,
//! because TLA+ does not tell sequences from tuples; model values are strings.

use serde_json::{Map, Value as Json, json};

use crate::model::{Lasso, Outcome};
use crate::value::Value;

/// The trace of the first violation, or no states.
pub fn render(it: &Outcome) -> String {
    let trace = it.trace();
    let states: Vec<Json> = (trace.map_or(&[][..], |it| &it.steps).iter().enumerate())
        .map(|(idx, step)| {
            let mut out = Map::new();
            let mut meta = Map::new();
            meta.insert("index".into(), json!(idx));
            if let Some(action) = &step.action {
                meta.insert("action".into(), json!(action.name));
            }
            out.insert("#meta".into(), Json::Object(meta));
            for it in &step.state {
                out.insert(it.name.clone(), value(&it.value));
            }
            Json::Object(out)
        })
        .collect();
    let vars: Vec<&str> = match trace.and_then(|it| it.steps.first()) {
        Some(step) => step.state.iter().map(|it| it.name.as_str()).collect(),
        None => it.variables.iter().map(String::as_str).collect(),
    };
    let status = if it.violations.is_empty() { "ok" } else { "violation" };
    let mut out = Map::new();
    out.insert(
        "#meta".into(),
        json!({"format": "ITF", "format-description": "https://apalache.informal.systems/docs/adr/015adr-trace.html", "source": it.file, "status": status}),
    );
    out.insert("vars".into(), json!(vars));
    out.insert("states".into(), Json::Array(states));
    match trace.and_then(|it| it.lasso.as_ref()) {
        None => {}
        Some(Lasso::Stuttering) => {
            let last = trace.map_or(0, |it| it.steps.len().saturating_sub(1));
            out.insert("loop".into(), json!(last));
        }
        Some(Lasso::BackTo { n, .. }) => {
            out.insert("loop".into(), json!(n.saturating_sub(1)));
        }
    }
    serde_json::to_string_pretty(&Json::Object(out)).unwrap_or_default() + "\n"
}

fn value(it: &Value) -> Json {
    let list = |items: &[Value]| Json::Array(items.iter().map(value).collect());
    match it {
        Value::Bool(it) => json!(it),
        Value::Int(it) if it.unsigned_abs() < 1 << 53 => json!(it),
        Value::Int(it) => json!({"#bigint": it.to_string()}),
        Value::BigInt(text) => json!({"#bigint": text}),
        Value::Str(text) | Value::Model(text) => json!(text),
        Value::Set(items) => json!({"#set": list(items)}),
        Value::Interval(..) => json!({"#set": list(&it.interval_elements())}),
        Value::Tuple(items) => {
            let kind = std::mem::discriminant;
            let one_kind = items.windows(2).all(|pair| kind(&pair[0]) == kind(&pair[1]));
            if one_kind { list(items) } else { json!({"#tup": list(items)}) }
        }
        Value::Record(fields) => {
            Json::Object(fields.iter().map(|(name, it)| (name.clone(), value(it))).collect())
        }
        Value::Function(pairs) => {
            let pairs: Vec<Json> = pairs.iter().map(|(k, v)| json!([value(k), value(v)])).collect();
            json!({"#map": pairs})
        }
        Value::Symbolic(text) => json!({"#unserializable": text}),
    }
}
