//! A counterexample as a GraphViz graph: one node a state, one edge a step.

use std::fmt::Write as _;

use crate::model::{ActionRef, Lasso, Outcome, TraceStep};
use crate::tlc::state_text;

/// The trace of the first violation, or an empty graph.
pub fn render(it: &Outcome) -> String {
    let mut out = String::from("strict digraph DiskGraph {\nnode [shape=box,style=rounded]\n");
    let steps: &[TraceStep] = it.trace().map_or(&[], |it| &it.steps);
    for (idx, step) in steps.iter().enumerate() {
        let fill = if idx == 0 { ",style = filled" } else { "" };
        let state = escaped(state_text(&step.state).trim_end());
        let _ = writeln!(out, "{} [label=\"{}: {state}\"{fill}];", id(step), step.n);
    }
    for pair in steps.windows(2) {
        edge(&pair[0], &pair[1], pair[1].action.as_ref(), &mut out);
    }
    if let Some(last) = steps.last() {
        match it.trace().and_then(|it| it.lasso.as_ref()) {
            None => {}
            Some(Lasso::Stuttering) => {
                let _ = writeln!(out, "{0} -> {0} [label=\"Stuttering\",style=dashed];", id(last));
            }
            Some(Lasso::BackTo { n, action }) => {
                if let Some(target) = steps.iter().find(|it| it.n == *n) {
                    edge(last, target, action.as_ref(), &mut out);
                }
            }
        }
    }
    out.push_str("}\n");
    out
}

fn id(step: &TraceStep) -> String {
    match step.fingerprint {
        // TLC's node names are signed.
        Some(it) => format!("{}", it as i64),
        None => format!("{}", step.n),
    }
}

fn edge(from: &TraceStep, to: &TraceStep, action: Option<&ActionRef>, out: &mut String) {
    let label = action.map_or_else(String::new, |it| {
        if it.arguments.is_empty() {
            it.name.clone()
        } else {
            format!("{}({})", it.name, it.arguments.join(", "))
        }
    });
    let _ = writeln!(out, "{} -> {} [label=\"{}\"];", id(from), id(to), escaped(&label));
}

/// A text within the quotes of a DOT label.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
