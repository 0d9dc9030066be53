//! What a specification can ask about itself: `TLCGet("config")` and `TLCGet("spec")`.
//!
//! Plain data first ([`Config`]), values only per evaluator, because values stay on their thread.

use lockstep_eval::Evaluator;
use lockstep_eval::ir::{ActionInfo, Program, Property};
use lockstep_eval::value::{Ctx, Value, record, sets};
use lockstep_syntax::Span;

/// How the run was set up, as `TLCGet("config")` tells it.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// `bfs`, `simulate` or `generate`.
    pub(crate) mode: &'static str,
    /// Whether deadlock is an error.
    pub(crate) deadlock: bool,
    /// Workers.
    pub(crate) workers: usize,
    /// The seed.
    pub(crate) seed: i64,
    /// Steps of a random walk.
    pub(crate) depth: Option<u32>,
    /// How many random walks.
    pub(crate) traces: Option<u64>,
    /// Names and values that `TLCGet("-Dname")` answers.
    pub(crate) properties: Vec<(String, String)>,
}

/// Lets `evaluator` answer.
pub(crate) fn describe(evaluator: &mut Evaluator, config: &Config) {
    let program = evaluator.program().clone();
    let properties = config.properties.iter();
    evaluator.ctx().search.properties =
        properties.map(|(name, it)| (name.as_str().into(), it.as_str().into())).collect();
    // Only a text that mentions the key can ask for it.
    let asks = |key: &str| program.symbols.find(key).is_some();
    if asks("config") {
        let it = config_record(evaluator.ctx(), config);
        evaluator.ctx().search.config = Some(it);
    }
    if asks("spec") {
        let it = spec_record(evaluator, &program);
        evaluator.ctx().search.spec = Some(it);
    }
}

fn fields(ctx: &mut Ctx, fields: Vec<(&str, Value)>) -> Value {
    let fields = fields.into_iter().map(|(name, it)| (ctx.names.intern(name), it)).collect();
    record(ctx, fields)
}

fn number(it: u64) -> Value {
    Value::Int(i32::try_from(it).unwrap_or(i32::MAX))
}

fn config_record(ctx: &mut Ctx, it: &Config) -> Value {
    let mode = ctx.string(it.mode);
    let seed = ctx.string(&it.seed.to_string());
    let install = ctx.string("");
    let mut out = vec![
        ("mode", mode),
        ("deadlock", Value::Bool(it.deadlock)),
        ("worker", number(it.workers as u64)),
        ("seed", seed),
        ("install", install),
    ];
    if it.mode == "bfs" {
        out.push(("fingerprint", ctx.string("0")));
    } else {
        out.push(("depth", it.depth.map_or(Value::Int(-1), |it| number(u64::from(it)))));
        out.push(("traces", it.traces.map_or(Value::Int(-1), number)));
        out.push(("aril", ctx.string("0")));
        out.push(("sched", ctx.string("random")));
    }
    fields(ctx, out)
}

/// `[beginLine |-> …, module |-> …]`.
fn location(ctx: &mut Ctx, program: &Program, span: Span) -> Value {
    let it = program.sources.location(span);
    let module = program.module_names.get(span.file.0 as usize).map_or("", |it| it.as_str());
    let module = ctx.string(module);
    let line = |it: u32| number(u64::from(it));
    fields(
        ctx,
        vec![
            ("beginLine", line(it.line)),
            ("beginColumn", line(it.col)),
            ("endLine", line(it.end_line)),
            ("endColumn", line(it.end_col)),
            ("module", module),
        ],
    )
}

/// An action as a record: its name, its place, and its arguments if it has any.
pub(crate) fn action(evaluator: &mut Evaluator, program: &Program, it: &ActionInfo) -> Value {
    let mut context = Vec::new();
    for (name, frozen) in &it.params {
        if let Ok(value) = evaluator.thaw(frozen) {
            context.push((name.as_str(), value));
        }
    }
    let ctx = evaluator.ctx();
    let mut out =
        vec![("name", ctx.string(&it.name)), ("location", location(ctx, program, it.span))];
    if !context.is_empty() {
        let parameters: Vec<Value> = context.iter().map(|(name, _)| ctx.string(name)).collect();
        out.push(("context", fields(ctx, context)));
        out.push(("parameters", Value::tuple_from(parameters)));
    }
    fields(ctx, out)
}

/// Nothing is counted before the search begins.
fn uncounted(ctx: &mut Ctx) -> Value {
    fields(ctx, vec![("distinct", Value::Int(0)), ("generated", Value::Int(0))])
}

fn actions(evaluator: &mut Evaluator, program: &Program, list: &[ActionInfo]) -> Value {
    let mut out = Vec::new();
    for it in list {
        let named = action(evaluator, program, it);
        let ctx = evaluator.ctx();
        let coverage = uncounted(ctx);
        out.push(with(ctx, &named, "coverage", coverage));
    }
    sets::set_from_vec(evaluator.ctx(), out)
}

/// A record with one more field.
fn with(ctx: &mut Ctx, it: &Value, name: &str, value: Value) -> Value {
    let mut all = vec![(ctx.names.intern(name), value)];
    if let Value::Record(node) = it {
        all.extend(node.shape().names().iter().copied().zip(node.values().iter().cloned()));
    }
    record(ctx, all)
}

fn named<'a>(
    ctx: &mut Ctx,
    program: &Program,
    list: impl Iterator<Item = (&'a str, Span)>,
) -> Value {
    let mut out = Vec::new();
    for (name, span) in list {
        let place = location(ctx, program, span);
        let name = ctx.string(name);
        out.push(fields(ctx, vec![("name", name), ("location", place)]));
    }
    sets::set_from_vec(ctx, out)
}

fn properties(ctx: &mut Ctx, program: &Program, list: &[Property]) -> Value {
    named(ctx, program, list.iter().map(|it| (it.name.as_str(), it.span)))
}

fn spec_record(evaluator: &mut Evaluator, program: &Program) -> Value {
    let inits = actions(evaluator, program, &program.init);
    let next = actions(evaluator, program, &program.actions);
    let ctx = evaluator.ctx();
    let temporals = program.fairness.iter().map(|it| (it.name.as_str(), it.span));
    let implied = program.temporal_properties.iter().map(|it| (it.name.as_str(), it.span));
    let variables = program.variables.iter().map(|it| (it.name.as_str(), it.span));
    let out = vec![
        ("inits", inits),
        ("actions", next),
        ("temporals", named(ctx, program, temporals)),
        ("invariants", properties(ctx, program, &program.invariants)),
        ("impliedinits", properties(ctx, program, &program.initial_properties)),
        ("impliedactions", properties(ctx, program, &program.action_properties)),
        ("impliedtemporals", named(ctx, program, implied)),
        ("variables", named(ctx, program, variables)),
        ("constraints", properties(ctx, program, &program.constraints)),
        ("actionconstraints", properties(ctx, program, &program.action_constraints)),
    ];
    fields(ctx, out)
}
