//! The summary object `lockstep.check/1`: one line of JSON, the last on standard output.
//!
//! The keys and their order are a contract that scripts rely on; new ones go to the end.

use serde_json::{Map, Value as Json, json};

use crate::model::{
    ActionRef, Coverage, CoverageKind, Diagnostic, Lasso, Location, Outcome, Trace, Violation,
};

/// The summary of a run.
pub fn summary(it: &Outcome) -> Json {
    let first = it.violations.first();
    let mut out = Map::new();
    out.insert("schema".into(), json!("lockstep.check/1"));
    out.insert("spec".into(), json!(it.spec));
    out.insert("verdict".into(), json!(it.verdict.text()));
    out.insert("property".into(), json!(it.property()));
    out.insert("exit".into(), json!(it.exit_status()));
    out.insert("generated".into(), json!(it.counts.generated));
    out.insert("distinct".into(), json!(it.counts.distinct));
    out.insert("queue".into(), json!(it.counts.queue));
    out.insert("depth".into(), json!(it.counts.depth));
    out.insert("workers".into(), json!(it.workers));
    out.insert("seconds".into(), json!(rounded(it.seconds)));
    out.insert("trace".into(), first.map_or(json!([]), |it| steps(&it.trace)));
    out.insert("diagnostics".into(), it.diagnostics.iter().map(diagnostic).collect());
    out.insert("initial".into(), json!(it.counts.initial));
    if let Some(it) = first {
        out.insert("lasso".into(), lasso(&it.trace));
        out.insert("message".into(), json!(it.message));
        out.insert("location".into(), it.location.as_ref().map_or(Json::Null, location));
        out.insert("stack".into(), stack(it));
    }
    if it.violations.len() > 1 {
        out.insert("more".into(), it.violations[1..].iter().map(violation).collect());
    }
    if !it.warnings.is_empty() {
        let warnings = it.warnings.iter().map(|it| json!({"code": it.code, "message": it.text}));
        out.insert("warnings".into(), warnings.collect());
    }
    if !it.notes.is_empty() {
        out.insert("notes".into(), json!(it.notes));
    }
    if let Some(limit) = &it.limit {
        out.insert("limit".into(), json!(limit));
    }
    if it.interrupted {
        out.insert("interrupted".into(), json!(true));
    }
    if it.counts.traces > 0 {
        out.insert("traces".into(), json!(it.counts.traces));
    }
    if let Some(seed) = it.seed {
        out.insert("seed".into(), json!(seed));
    }
    if let Some(it) = &it.coverage {
        out.insert("coverage".into(), coverage(it));
    }
    if !it.never_taken.is_empty() {
        let names = it
            .never_taken
            .iter()
            .map(|it| json!({"name": it.name, "location": it.location.as_ref().map(location)}));
        out.insert("never_taken".into(), names.collect());
    }
    if !it.pruned.is_empty() {
        let pruned = it.pruned.iter().map(|(name, n)| json!({"constraint": name, "pruned": n}));
        out.insert("pruned".into(), pruned.collect());
    }
    if !it.levels.is_empty() {
        out.insert("levels".into(), json!(it.levels));
    }
    Json::Object(out)
}

/// The summary as one line.
pub fn line(it: &Outcome) -> String {
    summary(it).to_string()
}

/// A diagnostic as `lockstep parse` and `lockstep check` print it.
pub fn diagnostic(it: &Diagnostic) -> Json {
    let mut out = Map::new();
    out.insert("code".into(), json!(it.code));
    out.insert("severity".into(), json!(if it.error { "error" } else { "warning" }));
    out.insert("message".into(), json!(it.message));
    match &it.location {
        Some(at) => {
            out.insert("file".into(), json!(at.file));
            let span = json!({
                "line": at.line, "col": at.col, "end_line": at.end_line, "end_col": at.end_col,
            });
            out.insert("span".into(), span);
        }
        None => {
            out.insert("file".into(), Json::Null);
            out.insert("span".into(), Json::Null);
        }
    }
    if !it.notes.is_empty() {
        out.insert("notes".into(), json!(it.notes));
    }
    if let Some(help) = &it.help {
        out.insert("help".into(), json!(help));
    }
    Json::Object(out)
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

fn location(it: &Location) -> Json {
    json!({
        "module": it.module, "file": it.file, "line": it.line, "col": it.col,
        "end_line": it.end_line, "end_col": it.end_col,
    })
}

fn stack(it: &Violation) -> Json {
    let frames = it.stack.iter().map(
        |it| json!({"what": it.what, "location": it.location.as_ref().map_or(Json::Null, location)}),
    );
    frames.collect()
}

fn violation(it: &Violation) -> Json {
    json!({
        "verdict": it.verdict.text(), "property": it.property, "message": it.message,
        "trace": steps(&it.trace), "lasso": lasso(&it.trace),
    })
}

fn name_of(action: Option<&ActionRef>) -> String {
    action.map_or_else(
        || "Init".to_owned(),
        |it| {
            if it.arguments.is_empty() {
                it.name.clone()
            } else {
                format!("{}({})", it.name, it.arguments.join(", "))
            }
        },
    )
}

fn steps(trace: &Trace) -> Json {
    let steps = trace.steps.iter().map(|step| {
        let state: Map<String, Json> =
            step.state.iter().map(|it| (it.name.clone(), it.value.to_json())).collect();
        let mut out = Map::new();
        out.insert("n".into(), json!(step.n));
        out.insert("action".into(), json!(name_of(step.action.as_ref())));
        if let Some(at) = step.action.as_ref().and_then(|it| it.location.as_ref()) {
            out.insert("location".into(), location(at));
        }
        out.insert("state".into(), Json::Object(state));
        Json::Object(out)
    });
    steps.collect()
}

fn lasso(trace: &Trace) -> Json {
    match &trace.lasso {
        None => Json::Null,
        Some(Lasso::Stuttering) => json!("stuttering"),
        Some(Lasso::BackTo { n, action }) => {
            json!({"back_to": n, "action": action.as_ref().map(|it| name_of(Some(it)))})
        }
    }
}

fn coverage(it: &Coverage) -> Json {
    let entries = it.entries.iter().map(|it| {
        let kind = match it.kind {
            CoverageKind::Init => "init",
            CoverageKind::Action => "action",
            CoverageKind::Property => "property",
            CoverageKind::Constraint => "constraint",
            CoverageKind::Variable => "variable",
        };
        let mut entry = json!({
            "kind": kind, "name": it.name, "location": location(&it.location),
            "distinct": it.distinct, "generated": it.generated,
        });
        if !it.nodes.is_empty() {
            let nodes = it.nodes.iter().map(|it| {
                json!({
                    "location": location(&it.location), "depth": it.depth, "count": it.count,
                    "cost": it.cost,
                })
            });
            entry["expressions"] = nodes.collect();
        }
        entry
    });
    entries.collect()
}
