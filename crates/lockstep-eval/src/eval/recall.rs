//! Results of recursive definitions that depend on their arguments alone, kept by the arguments.
//!
//! A recursive definition walks the same parts of a value again and again, in one state and in
//! the next. What is kept is keyed by the values of all arguments, so arguments that would be
//! evaluated late are evaluated before the call where that comes to an end; one that fails is
//! passed on as a failure, as elsewhere, and the call is then not kept. Whether arguments are
//! evaluated early is decided by the text alone, so what an evaluation reads stays a function of
//! the state (see [`crate::memo`]).

use std::ops::ControlFlow;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::machine::{Local, Machine};
use crate::error::EvalResult;
use crate::ir::{FunctionId, Node, NodeId, Part, Program, is_effect, visit_below};
use crate::value::{Ctx, Value, equal, force, hash64, interval_len, mix};

/// How many calls of a definition are looked up before it is judged.
const TRIAL: u32 = 2048;
/// How many results are kept; beyond, all is forgotten.
const MAX_RESULTS: usize = 400_000;
/// Larger intervals are not hashed for the sake of a lookup.
const MAX_INTERVAL: usize = 1024;

type Arguments = SmallVec<[Value; 3]>;

/// Arguments with their results; mostly one pair has a hash.
type Results = SmallVec<[(Arguments, Value); 1]>;

/// What evaluates a call.
type Call =
    fn(&mut Machine, &mut Ctx, &Program, FunctionId, SmallVec<[Local; 6]>) -> EvalResult<Value>;

/// The results that one worker keeps.
#[derive(Default)]
pub(crate) struct Recall {
    functions: Vec<Option<Function>>,
    results: FxHashMap<(u32, u64), Results>,
    n_results: usize,
}

/// What is known of a definition.
#[derive(Default)]
struct Function {
    /// It is recursive, and its result depends on its arguments alone.
    eligible: bool,
    /// Arguments by their expression: whether evaluating one cannot lead back to the definition.
    early: FxHashMap<NodeId, bool>,
    lookups: u32,
    hits: u32,
    /// Looking results up does not pay.
    hopeless: bool,
}

impl Recall {
    fn function(&mut self, p: &Program, id: FunctionId) -> &mut Function {
        if self.functions.len() <= id.index() {
            self.functions.resize_with(p.functions.len().max(id.index() + 1), || None);
        }
        self.functions[id.index()]
            .get_or_insert_with(|| Function { eligible: is_eligible(p, id), ..Function::default() })
    }

    /// Whether calls of a definition are looked up.
    pub(crate) fn is_eligible(&mut self, p: &Program, id: FunctionId) -> bool {
        self.function(p, id).eligible
    }

    fn may_be_early(&mut self, p: &Program, id: FunctionId, arg: NodeId) -> bool {
        *self
            .function(p, id)
            .early
            .entry(arg)
            .or_insert_with(|| walk(p, Part::Node(arg)).is_some_and(|it| !it.calls.contains(&id.0)))
    }

    fn is_hopeless(&mut self, p: &Program, id: FunctionId) -> bool {
        self.function(p, id).hopeless
    }

    fn judge(&mut self, p: &Program, id: FunctionId, hit: bool) {
        let function = self.function(p, id);
        function.lookups += 1;
        function.hits += u32::from(hit);
        if function.lookups == TRIAL {
            function.hopeless = function.hits < TRIAL / 8;
            (function.lookups, function.hits) = (0, 0);
        }
    }
}

/// What is found below an expression.
struct Below {
    calls: FxHashSet<u32>,
    reads_state: bool,
}

/// Everything below an expression; `None` where it cannot be known: an operator parameter is
/// called, or something happens besides evaluation.
fn walk(p: &Program, root: Part) -> Option<Below> {
    let mut below = Below { calls: FxHashSet::default(), reads_state: false };
    let known = visit_below(p, root, &mut |part| {
        match part {
            Part::Node(id) => match p.node(id) {
                Node::CallOperator { .. } => return ControlFlow::Break(()),
                node if is_effect(node) => return ControlFlow::Break(()),
                Node::Cur(_) | Node::Next(_) | Node::StateDef { .. } => below.reads_state = true,
                _ => {}
            },
            Part::Calls(id) => {
                below.calls.insert(id.0);
            }
            Part::Act(_) | Part::CallsAct(_) => return ControlFlow::Break(()),
            Part::Binds(..) | Part::Reads(_) => {}
        }
        ControlFlow::Continue(())
    });
    known.is_continue().then_some(below)
}

fn is_eligible(p: &Program, id: FunctionId) -> bool {
    walk(p, Part::Node(p.functions[id.index()].body))
        .is_some_and(|it| it.calls.contains(&id.0) && !it.reads_state)
}

/// Whether hashing a value takes no evaluation that the definition might not do. Of a function
/// that is not evaluated yet it may need a few results only, and those may be all that a state
/// has to do with it.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Interval(lo, hi) => interval_len(*lo, *hi) <= MAX_INTERVAL,
        Value::Lazy(_) => false,
        Value::Tuple(node) => node.items().iter().all(is_plain),
        Value::Record(node) => node.values().iter().all(is_plain),
        Value::Function(node) => node.values().iter().all(is_plain),
        _ => true,
    }
}

impl Machine {
    /// The result of a call whose arguments are known so far as `list`: looked up, or made by
    /// `run` and kept.
    pub(crate) fn recall(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: FunctionId,
        mut list: SmallVec<[Local; 6]>,
        run: Call,
    ) -> EvalResult<Value> {
        let shared = self.shared.clone();
        let mut arguments = Arguments::new();
        for local in &mut list {
            if let Local::Thunk(thunk) = &*local {
                let thunk = thunk.clone();
                if shared.recall.borrow_mut().may_be_early(p, id, thunk.node()) {
                    *local = match thunk.force(ctx) {
                        Ok(value) => Local::Value(value),
                        Err(err) => Local::Failed(err),
                    };
                }
            }
            if let Local::Value(value) = &*local {
                arguments.push(value.clone());
            }
        }
        if arguments.len() != list.len()
            || shared.recall.borrow_mut().is_hopeless(p, id)
            || !arguments.iter().all(is_plain)
        {
            return run(self, ctx, p, id, list);
        }
        let mut hash = 0_u64;
        for argument in &arguments {
            match hash64(ctx, argument) {
                Ok(it) => hash = mix(hash.rotate_left(17) ^ it),
                // It has no hash (it is infinite, say): the call decides what of it is needed.
                Err(_) => return run(self, ctx, p, id, list),
            }
        }
        let key = (id.0, hash);
        let mut known = None;
        if let Some(rows) = shared.recall.borrow().results.get(&key) {
            'rows: for (row, result) in rows {
                for (a, b) in row.iter().zip(&arguments) {
                    if !equal(ctx, a, b).unwrap_or(false) {
                        continue 'rows;
                    }
                }
                known = Some(result.clone());
                break;
            }
        }
        shared.recall.borrow_mut().judge(p, id, known.is_some());
        if let Some(result) = known {
            return Ok(result);
        }
        let result = run(self, ctx, p, id, list)?;
        if is_plain(&result)
            && let Ok(result) = force(ctx, &result)
        {
            let mut recall = shared.recall.borrow_mut();
            if recall.n_results >= MAX_RESULTS {
                recall.results.clear();
                recall.n_results = 0;
            }
            recall.n_results += 1;
            recall.results.entry(key).or_default().push((arguments, result));
        }
        Ok(result)
    }
}
