//! Modules Graphs, UndirectedGraphs, Relation and GraphViz: what their definitions find only by
//! enumerating powers.

use std::rc::Rc;

use super::args::{operator, value};
use super::functions::items;
use super::{Native, NativeArg, Param, V1, V2, V3, mixed, strict};
use crate::error::{EvalError, EvalResult};
use crate::value::{
    Closure, Ctx, Domain, Items, Value, apply, domain_of_set, equal, function_from_parts,
    select_field, sequences, sets, to_text,
};

pub(super) const TABLE: &[Native] = &[
    strict("Graphs", "SimplePath", V1, "All paths without repeated nodes.", |ctx, a| {
        Graph::read(ctx, &a[0], true)?.simple_paths(ctx)
    }),
    strict("Graphs", "AreConnectedIn", V3, "Whether there is a path.", |ctx, a| {
        connected(ctx, a, true)
    }),
    strict("Graphs", "IsStronglyConnected", V1, "Whether all nodes are connected.", |ctx, a| {
        let graph = Graph::read(ctx, &a[0], true)?;
        let n = graph.nodes.len();
        Ok(Value::Bool((0..n).all(|at| graph.reach(at).iter().filter(|it| **it).count() == n)))
    }),
    strict("Graphs", "ConnectionsIn", V1, "Which nodes reach which.", |ctx, a| {
        let graph = Graph::read(ctx, &a[0], true)?;
        let rows = (0..graph.nodes.len()).map(|at| graph.reach(at)).collect::<Vec<_>>();
        pair_table(ctx, &graph.nodes, &rows)
    }),
    strict("UndirectedGraphs", "SimplePath", V1, "All paths without repeated nodes.", |ctx, a| {
        Graph::read(ctx, &a[0], false)?.simple_paths(ctx)
    }),
    strict("UndirectedGraphs", "AreConnectedIn", V3, "Whether there is a path.", |ctx, a| {
        connected(ctx, a, false)
    }),
    strict("UndirectedGraphs", "ConnectedComponents", V1, "The connected parts.", |ctx, a| {
        let graph = Graph::read(ctx, &a[0], false)?;
        let mut parts = Vec::new();
        for at in 0..graph.nodes.len() {
            let reach = graph.reach(at);
            if reach.iter().position(|it| *it) == Some(at) {
                let part = graph.nodes.iter().zip(&reach).filter(|(_, it)| **it);
                parts.push(Value::set_of_sorted(
                    part.map(|(node, _)| node.clone()).collect::<Items>(),
                ));
            }
        }
        Ok(sets::set_from_vec(ctx, parts))
    }),
    strict("Relation", "TransitiveClosure", V2, "The transitive closure.", |ctx, a| {
        closure(ctx, &a[0], &a[1], false)
    }),
    strict("Relation", "ReflexiveTransitiveClosure", V2, "With the identity.", |ctx, a| {
        closure(ctx, &a[0], &a[1], true)
    }),
    mixed(
        "GraphViz",
        "DotDiGraph",
        &[Param::Value, Param::Operator(1), Param::Operator(1)],
        "A graph in the DOT language.",
        dot,
    ),
];

/// A graph with numbered nodes.
struct Graph {
    nodes: Vec<Value>,
    successors: Vec<Vec<usize>>,
}

fn field(ctx: &mut Ctx, record: &Value, name: &str) -> EvalResult<Value> {
    let name = ctx.names.intern(name);
    select_field(ctx, record, name)
}

fn position(ctx: &mut Ctx, nodes: &[Value], node: &Value) -> EvalResult<Option<usize>> {
    for (idx, it) in nodes.iter().enumerate() {
        if equal(ctx, it, node)? {
            return Ok(Some(idx));
        }
    }
    Ok(None)
}

impl Graph {
    fn read(ctx: &mut Ctx, graph: &Value, directed: bool) -> EvalResult<Self> {
        let node = field(ctx, graph, "node")?;
        let edge = field(ctx, graph, "edge")?;
        let nodes = items(ctx, &node)?;
        let mut successors = vec![Vec::new(); nodes.len()];
        for edge in items(ctx, &edge)? {
            let (from, to) = if directed {
                // What is no pair is no edge.
                match sequences::elements(ctx, &edge)?.as_deref() {
                    Some([from, to]) => (from.clone(), to.clone()),
                    _ => continue,
                }
            } else {
                match &items(ctx, &edge)?[..] {
                    [only] => (only.clone(), only.clone()),
                    [a, b] => (a.clone(), b.clone()),
                    _ => continue,
                }
            };
            let (Some(from), Some(to)) =
                (position(ctx, &nodes, &from)?, position(ctx, &nodes, &to)?)
            else {
                continue;
            };
            successors[from].push(to);
            if !directed {
                successors[to].push(from);
            }
        }
        Ok(Self { nodes, successors })
    }

    /// The nodes that `start` reaches, itself included.
    fn reach(&self, start: usize) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = vec![start];
        seen[start] = true;
        while let Some(at) = stack.pop() {
            for next in &self.successors[at] {
                if !seen[*next] {
                    seen[*next] = true;
                    stack.push(*next);
                }
            }
        }
        seen
    }

    fn simple_paths(&self, ctx: &mut Ctx) -> EvalResult<Value> {
        let mut all = Vec::new();
        let mut path = Vec::new();
        for start in 0..self.nodes.len() {
            self.extend(ctx, start, &mut path, &mut all)?;
        }
        Ok(sets::set_from_vec(ctx, all))
    }

    fn extend(
        &self,
        ctx: &mut Ctx,
        at: usize,
        path: &mut Vec<usize>,
        all: &mut Vec<Value>,
    ) -> EvalResult<()> {
        path.push(at);
        all.push(Value::tuple_from(path.iter().map(|it| self.nodes[*it].clone())));
        ctx.check_set_size(all.len())?;
        for next in &self.successors[at] {
            if !path.contains(next) {
                self.extend(ctx, *next, path, all)?;
            }
        }
        path.pop();
        Ok(())
    }
}

fn connected(ctx: &mut Ctx, args: &[Value], directed: bool) -> EvalResult<Value> {
    let graph = Graph::read(ctx, &args[2], directed)?;
    let from = position(ctx, &graph.nodes, &args[0])?;
    let to = position(ctx, &graph.nodes, &args[1])?;
    Ok(Value::Bool(match (from, to) {
        (Some(from), Some(to)) => graph.reach(from)[to],
        _ => false,
    }))
}

/// `[x, y \in nodes |-> rows[x][y]]`.
fn pair_table(ctx: &mut Ctx, nodes: &[Value], rows: &[Vec<bool>]) -> EvalResult<Value> {
    let set = Value::set_of_sorted(nodes.to_vec());
    let pairs = Value::product(vec![set.clone(), set]);
    let domain: Rc<Domain> = domain_of_set(ctx, &pairs)?;
    // Pairs stand in the order of rows.
    let values = rows.iter().flatten().map(|it| Value::Bool(*it)).collect();
    Ok(function_from_parts(domain, values))
}

fn closure(ctx: &mut Ctx, relation: &Value, set: &Value, reflexive: bool) -> EvalResult<Value> {
    let nodes = items(ctx, set)?;
    let n = nodes.len();
    let mut rows = vec![vec![false; n]; n];
    for (x, row) in rows.iter_mut().enumerate() {
        for (y, cell) in row.iter_mut().enumerate() {
            let pair = Value::tuple_from([nodes[x].clone(), nodes[y].clone()]);
            let related = apply(ctx, relation, &pair)?;
            let Value::Bool(related) = related else {
                let text = to_text(ctx, &related);
                return Err(EvalError::general(format!(
                    "The relation of TransitiveClosure should yield a boolean, but yields:\n{text}"
                )));
            };
            *cell = related || (reflexive && x == y);
        }
    }
    for via in 0..n {
        let through = rows[via].clone();
        for row in &mut rows {
            if row[via] {
                for (cell, more) in row.iter_mut().zip(&through) {
                    *cell |= *more;
                }
            }
        }
    }
    pair_table(ctx, &nodes, &rows)
}

fn label(ctx: &mut Ctx, text: &Rc<dyn Closure>, of: &Value) -> EvalResult<String> {
    let label = match text.call(ctx, std::slice::from_ref(of))? {
        Value::Str(sym) => ctx.text(sym).to_string(),
        other => to_text(ctx, &other),
    };
    Ok(label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn dot(ctx: &mut Ctx, args: &[NativeArg]) -> EvalResult<Value> {
    let graph = value(args, 0);
    let (node_label, edge_label) = (operator(args, 1)?, operator(args, 2)?);
    let node = field(ctx, &graph, "node")?;
    let edge = field(ctx, &graph, "edge")?;
    let nodes = items(ctx, &node)?;
    let mut out = String::from("digraph MyGraph {\n");
    for (idx, node) in nodes.iter().enumerate() {
        let text = label(ctx, &node_label, node)?;
        out.push_str(&format!("{idx}[label=\"{text}\"];\n"));
    }
    for edge in items(ctx, &edge)? {
        let from = apply(ctx, &edge, &Value::Int(1))?;
        let to = apply(ctx, &edge, &Value::Int(2))?;
        let (Some(from), Some(to)) = (position(ctx, &nodes, &from)?, position(ctx, &nodes, &to)?)
        else {
            continue;
        };
        let text = label(ctx, &edge_label, &edge)?;
        out.push_str(&format!("{from} -> {to}[label=\"{text}\"];\n"));
    }
    out.push_str("}\n");
    Ok(ctx.string(&out))
}
