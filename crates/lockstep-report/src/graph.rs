//! The whole state graph, as TLC's `-dump` writes it: a list of states, or a GraphViz graph.

use std::fmt::Write as _;

use crate::dot::escaped;
use crate::model::{ActionRef, StateGraph};
use crate::tlc::state_text;

/// What the GraphViz graph shows beside states and steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DotOptions {
    /// A colour for each action, with a legend (`colorize`).
    pub colorize: bool,
    /// The name of the action on each step (`actionlabels`).
    pub action_labels: bool,
    /// A dashed step from each state to itself (`stuttering`).
    pub stuttering: bool,
}

/// `State 1:` and its conjuncts, and so on.
pub fn list(graph: &StateGraph) -> String {
    let mut out = String::new();
    for (idx, it) in graph.states.iter().enumerate() {
        let _ = writeln!(out, "State {}:\n{}", idx + 1, state_text(&it.state));
    }
    out
}

/// The colours of the scheme `paired12`, by the place of the action's name.
const COLORS: usize = 12;

/// The graph in the language of GraphViz.
pub fn dot(graph: &StateGraph, options: DotOptions) -> String {
    let mut names: Vec<&str> = Vec::new();
    for it in &graph.actions {
        if !names.contains(&it.name.as_str()) {
            names.push(&it.name);
        }
    }
    // The first colour of the scheme is too light to be read.
    let color = |action: &ActionRef| {
        let place = names.iter().position(|it| *it == action.name).unwrap_or(0);
        (place + 1) % COLORS + 1
    };
    let mut out = String::from("strict digraph DiskGraph {\nnode [shape=box,style=rounded]\n");
    if options.colorize {
        out.push_str("edge [colorscheme=\"paired12\"]\n");
    }
    out.push_str("nodesep=0.35;\nsubgraph cluster_graph {\ncolor=\"white\";\n");
    let mut edges = graph.edges.iter().peekable();
    let mut written = vec![false; graph.states.len()];
    let mut write_state = |idx: usize, out: &mut String| {
        let Some(it) = graph.states.get(idx) else { return };
        if std::mem::replace(&mut written[idx], true) {
            return;
        }
        let label = escaped(state_text(&it.state).trim_end());
        if it.level == 1 {
            let _ = writeln!(out, "{} [label=\"{label}\",style = filled]", it.id);
        } else {
            let _ = writeln!(out, "{} [label=\"{label}\",tooltip=\"{label}\"];", it.id);
        }
    };
    for idx in 0..graph.states.len() {
        write_state(idx, &mut out);
        let from = graph.states[idx].id;
        if options.stuttering {
            let _ = writeln!(out, "{from} -> {from} [style=\"dashed\"];");
        }
        while let Some(edge) = edges.next_if(|it| it.from == idx) {
            let Some(to) = graph.states.get(edge.to) else { continue };
            let mut attributes = Vec::new();
            if let Some(action) = graph.actions.get(edge.action) {
                let name = if action.arguments.is_empty() {
                    action.name.clone()
                } else {
                    format!("{}({})", action.name, action.arguments.join(", "))
                };
                let label = if options.action_labels { name } else { String::new() };
                attributes.push(format!("label=\"{}\"", escaped(&label)));
                if options.colorize {
                    let color = color(action);
                    attributes.push(format!("color=\"{color}\",fontcolor=\"{color}\""));
                }
            }
            let _ = writeln!(out, "{from} -> {} [{}];", to.id, attributes.join(","));
            write_state(edge.to, &mut out);
        }
    }
    for level in graph.states.chunk_by(|a, b| a.level == b.level) {
        out.push_str("{rank = same; ");
        for it in level {
            let _ = write!(out, "{};", it.id);
        }
        out.push_str("}\n");
    }
    out.push_str("}\n");
    if options.colorize {
        out.push_str(
            "subgraph cluster_legend {graph[style=bold];label = \"Next State Actions\" style=\"solid\"\n\
             node [ labeljust=\"l\",colorscheme=\"paired12\",style=filled,shape=record ]\n",
        );
        for it in &names {
            let place = names.iter().position(|name| name == it).unwrap_or(0);
            let color = (place + 1) % COLORS + 1;
            let _ =
                writeln!(out, "{} [label=\"{}\",fillcolor={color}]", identifier(it), escaped(it));
        }
        out.push_str("}\n");
    }
    out.push_str("}\n");
    out
}

/// A name that GraphViz takes without quotes, else in quotes.
fn identifier(name: &str) -> String {
    if name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_') {
        name.to_owned()
    } else {
        format!("\"{}\"", escaped(name))
    }
}

#[cfg(test)]
mod tests {
    use super::{DotOptions, dot, list};
    use crate::model::{ActionRef, Binding, GraphEdge, GraphState, StateGraph};
    use crate::value::Value;
    use expect_test::expect;

    fn graph() -> StateGraph {
        let state = |id: i64, level: u32, n: i64| GraphState {
            id,
            level,
            state: vec![
                Binding::new("n", Value::Int(n)),
                Binding::new("s", Value::Str("a".into())),
            ],
        };
        let up =
            ActionRef { name: "Up".into(), arguments: vec!["1".into()], ..ActionRef::default() };
        let back = ActionRef { name: "Back".into(), ..ActionRef::default() };
        StateGraph {
            states: vec![state(-5, 1, 0), state(7, 2, 1)],
            edges: vec![
                GraphEdge { from: 0, to: 1, action: 0 },
                GraphEdge { from: 1, to: 0, action: 1 },
            ],
            actions: vec![up, back],
        }
    }

    #[test]
    fn as_tlc_lists_states() {
        expect![[r#"
            State 1:
            /\ n = 0
            /\ s = "a"

            State 2:
            /\ n = 1
            /\ s = "a"

        "#]]
        .assert_eq(&list(&graph()));
    }

    #[test]
    fn as_tlc_draws_them() {
        let options = DotOptions { colorize: true, action_labels: true, stuttering: false };
        expect![[r#"
            strict digraph DiskGraph {
            node [shape=box,style=rounded]
            edge [colorscheme="paired12"]
            nodesep=0.35;
            subgraph cluster_graph {
            color="white";
            -5 [label="/\\ n = 0\n/\\ s = \"a\"",style = filled]
            -5 -> 7 [label="Up(1)",color="2",fontcolor="2"];
            7 [label="/\\ n = 1\n/\\ s = \"a\"",tooltip="/\\ n = 1\n/\\ s = \"a\""];
            7 -> -5 [label="Back",color="3",fontcolor="3"];
            {rank = same; -5;}
            {rank = same; 7;}
            }
            subgraph cluster_legend {graph[style=bold];label = "Next State Actions" style="solid"
            node [ labeljust="l",colorscheme="paired12",style=filled,shape=record ]
            Up [label="Up",fillcolor=2]
            Back [label="Back",fillcolor=3]
            }
            }
        "#]]
        .assert_eq(&dot(&graph(), options));
    }
}
