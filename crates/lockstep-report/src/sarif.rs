//! A run as a SARIF 2.1.0 log, for code hosts and editors that show findings beside the source.

use serde_json::{Map, Value as Json, json};

use crate::model::{Location, Outcome, Violation};

/// The log of one run.
pub fn render(it: &Outcome) -> String {
    let mut results: Vec<Json> = (it.diagnostics.iter())
        .map(|it| {
            let level = if it.error { "error" } else { "warning" };
            result(&it.code, level, &it.message, it.location.as_ref())
        })
        .collect();
    results.extend(it.violations.iter().map(violation));
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "lockstep", "version": env!("CARGO_PKG_VERSION"), "rules": []}},
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

fn violation(it: &Violation) -> Json {
    let name = it.property.as_deref().unwrap_or_default();
    let text = match &it.message {
        Some(message) => format!("{name} {message}").trim().to_owned(),
        None => format!("{} {name}", it.verdict.text()).trim().to_owned(),
    };
    // The innermost place of an error, the property, or the last action of the behaviour.
    let place = (it.stack.iter().rev().find_map(|it| it.location.as_ref()))
        .or(it.location.as_ref())
        .or_else(|| {
            it.trace.steps.iter().rev().find_map(|it| it.action.as_ref()?.location.as_ref())
        });
    let mut out = result(it.verdict.text(), "error", &text, place);
    let steps: Vec<Json> = (it.trace.steps.iter())
        .filter_map(|step| {
            let at = step.action.as_ref()?.location.as_ref()?;
            let state: Vec<String> =
                step.state.iter().map(|it| format!("{} = {}", it.name, it.text)).collect();
            let mut flow = location(at);
            flow["message"] = json!({"text": format!("State {}: {}", step.n, state.join(", "))});
            Some(json!({"location": flow}))
        })
        .collect();
    if !steps.is_empty() {
        out["codeFlows"] = json!([{"threadFlows": [{"locations": steps}]}]);
    }
    out
}

fn result(rule: &str, level: &str, text: &str, place: Option<&Location>) -> Json {
    let mut out = Map::new();
    out.insert("ruleId".into(), json!(rule));
    out.insert("level".into(), json!(level));
    out.insert("message".into(), json!({"text": text}));
    if let Some(it) = place {
        out.insert("locations".into(), json!([location(it)]));
    }
    Json::Object(out)
}

fn location(it: &Location) -> Json {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": it.file},
        "region": {
            "startLine": it.line, "startColumn": it.col, "endLine": it.end_line,
            // SARIF's end is exclusive.
            "endColumn": it.end_col + 1,
        },
    }})
}
