//! A counterexample in the JSON that TLC writes for `-dumpTrace json`.
//!
//! `action` lists `[[n, state], action, [n, state]]`; a stuttering behaviour ends with a step from
//! its last state to itself, a lasso with the step back. Within a state the variables stand in the
//! order of the state; values are those of `ToJson`.

use serde_json::{Map, Value as Json, json};

use crate::model::{ActionRef, Lasso, Outcome, TraceStep};

/// The trace of the first violation; without one the lists are empty.
pub fn counterexample(it: &Outcome) -> Json {
    let steps: &[TraceStep] = it.trace().map_or(&[], |it| &it.steps);
    let mut actions: Vec<Json> = (steps.windows(2))
        .map(|pair| json!([state(&pair[0]), action(pair[1].action.as_ref()), state(&pair[1])]))
        .collect();
    if let Some(last) = steps.last() {
        match it.trace().and_then(|it| it.lasso.as_ref()) {
            None => {}
            Some(Lasso::Stuttering) => {
                actions.push(json!([state(last), action(last.action.as_ref()), state(last)]));
            }
            Some(Lasso::BackTo { n, action: back }) => {
                if let Some(target) = steps.iter().find(|it| it.n == *n) {
                    actions.push(json!([state(last), action(back.as_ref()), state(target)]));
                }
            }
        }
    }
    let states: Vec<Json> = steps.iter().map(state).collect();
    let names: Vec<&str> = match steps.first() {
        Some(step) => step.state.iter().map(|it| it.name.as_str()).collect(),
        None => it.variables.iter().map(String::as_str).collect(),
    };
    json!({"counterexample": {"action": actions, "state": states}, "vars": names})
}

/// The trace as text.
pub fn render(it: &Outcome) -> String {
    counterexample(it).to_string()
}

fn state(step: &TraceStep) -> Json {
    let record: Map<String, Json> =
        step.state.iter().map(|it| (it.name.clone(), it.value.to_json())).collect();
    json!([step.n, record])
}

fn action(it: Option<&ActionRef>) -> Json {
    let Some(it) = it else { return json!({"name": "Initial predicate"}) };
    let mut out = Map::new();
    out.insert("name".into(), json!(it.name));
    if let Some(at) = &it.location {
        let place = json!({
            "beginLine": at.line, "beginColumn": at.col, "endLine": at.end_line,
            "endColumn": at.end_col, "module": at.module,
        });
        out.insert("location".into(), place);
    }
    if !it.context.is_empty() {
        let context: Map<String, Json> =
            it.context.iter().map(|(name, value)| (name.clone(), value.to_json())).collect();
        let names: Vec<&str> = it.context.iter().map(|(name, _)| name.as_str()).collect();
        out.insert("context".into(), Json::Object(context));
        out.insert("parameters".into(), json!(names));
    }
    Json::Object(out)
}
