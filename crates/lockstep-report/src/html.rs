//! A run as one self-contained HTML page: the steps with what changed marked, a table with a
//! column for each process, and a search over everything shown.
//!
//! The page is a fixed document with the run's data in it as JSON; it loads nothing.

use serde_json::{Map, Value as Json, json};

use crate::model::{ActionRef, Lasso, Outcome, TraceStep};
use crate::pretty::pretty;
use crate::text::{headline, short};
use crate::value::Value;

const PAGE: &str = include_str!("html/page.html");

/// The page of a run.
pub fn render(it: &Outcome) -> String {
    let title = crate::junit::escaped(&format!("{}: {}", it.spec, headline(it)));
    // A script element ends at the first `</`, wherever that stands.
    let data = data(it).to_string().replace("</", "<\\/").replace("<!--", "<\\!--");
    PAGE.replace("{{title}}", &title).replace("{{data}}", &data)
}

fn data(it: &Outcome) -> Json {
    let steps: &[TraceStep] = it.trace().map_or(&[], |it| &it.steps);
    let lasso = match it.trace().and_then(|it| it.lasso.as_ref()) {
        None => Json::Null,
        Some(Lasso::Stuttering) => json!({"stuttering": true}),
        Some(Lasso::BackTo { n, action }) => {
            json!({"backTo": n, "action": action_json(action.as_ref())})
        }
    };
    let violation = it.violations.first();
    let stack: Vec<Json> = violation.map_or_else(Vec::new, |it| {
        (it.stack.iter().rev())
            .filter_map(|it| Some(json!({"what": it.what, "place": short(it.location.as_ref()?)})))
            .collect()
    });
    json!({
        "spec": it.spec, "verdict": it.verdict.text(), "headline": headline(it),
        "ok": it.exit_status() == 0,
        "message": violation.and_then(|it| it.message.clone()),
        "stack": stack,
        "counts": {
            "generated": it.counts.generated, "distinct": it.counts.distinct,
            "depth": it.counts.depth, "left": it.counts.queue,
        },
        "diagnostics": it.diagnostics.iter().map(|it| {
            json!({"error": it.error, "code": it.code, "message": it.message,
                   "place": it.location.as_ref().map(short)})
        }).collect::<Vec<_>>(),
        "steps": steps.iter().map(step).collect::<Vec<_>>(),
        "lasso": lasso,
    })
}

fn action_json(it: Option<&ActionRef>) -> Json {
    match it {
        None => Json::Null,
        Some(it) => json!({
            "name": it.name, "arguments": it.arguments,
            "place": it.location.as_ref().map(short),
        }),
    }
}

fn step(it: &TraceStep) -> Json {
    let state: Vec<Json> = (it.state.iter())
        .map(|it| {
            let mut out = Map::new();
            out.insert("name".into(), json!(it.name));
            out.insert("text".into(), json!(pretty(&it.text)));
            // A function's parts are the cells of the process view.
            if let Some(parts) = parts(&it.value) {
                out.insert("parts".into(), json!(parts));
            }
            Json::Object(out)
        })
        .collect();
    json!({"n": it.n, "action": action_json(it.action.as_ref()), "state": state})
}

fn parts(it: &Value) -> Option<Vec<(String, String)>> {
    match it {
        Value::Function(pairs) => Some(pairs.iter().map(|(k, v)| (k.text(), v.text())).collect()),
        Value::Tuple(items) if !items.is_empty() => Some(
            items.iter().enumerate().map(|(idx, it)| ((idx + 1).to_string(), it.text())).collect(),
        ),
        Value::Record(fields) => {
            Some(fields.iter().map(|(name, it)| (format!("\"{name}\""), it.text())).collect())
        }
        Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Set(_)
        | Value::Interval(..)
        | Value::Tuple(_)
        | Value::Symbolic(_) => None,
    }
}
