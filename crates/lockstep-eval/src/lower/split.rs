//! Splitting Next into ground actions, as TLC does.
//!
//! The split goes through `\/`, through `\E` whose bounds can be evaluated without a state,
//! through definitions whose arguments are all constant, LET and labels. Bound names and
//! parameters above a part are slots filled before it starts (*presets*), so that all parts that
//! differ only in their values share their code.

use lockstep_semantic::hir::{Argument, DefinitionId, ExprId, ExprKind, Level, Operator};
use lockstep_syntax::Span;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::sync::Arc;

use super::Lowerer;
use super::bind::Replacement;
use super::env::{Bound, Found, Place};
use crate::error::EvalResult;
use crate::eval::{Elements, Machine, Shared};
use crate::ir::{
    Act, ActId, ActionInfo, Bind, CostRoot, Frozen, NodeId, Part, Slot, Target, footprint,
};
use crate::value::{Ctx, Value, encode, force, sets};

/// More parts than this are not made by one quantifier: it stays a quantifier.
const MAX_PARTS: usize = 100_000;

/// What is known above a part.
#[derive(Clone, Default)]
pub(super) struct Above {
    name: SmolStr,
    params: Vec<(SmolStr, Frozen)>,
    context: Vec<(SmolStr, Frozen)>,
    presets: Vec<(Slot, Frozen)>,
    /// The memo slots of LETs gone through.
    scopes: Vec<(Slot, Slot)>,
}

impl Above {
    pub(super) fn named(name: &str) -> Self {
        Above { name: name.into(), ..Above::default() }
    }
}

/// The parts made so far.
#[derive(Default)]
pub(super) struct Parts {
    list: Vec<ActionInfo>,
    known: FxHashMap<(ExprId, usize), ActId>,
}

impl<'a> Lowerer<'a> {
    /// Lowers a predicate or action as one part.
    pub(super) fn whole(
        &mut self,
        name: &str,
        span: Span,
        lower: impl FnOnce(&mut Self) -> ActId,
    ) -> ActionInfo {
        self.push_frame();
        let body = self.counted(span, lower, |body| CostRoot::Act(*body));
        let frame = self.pop_frame();
        ActionInfo {
            name: name.into(),
            span,
            params: Vec::new(),
            context: Vec::new(),
            body,
            n_slots: frame.max,
            presets: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            impure: self.act_effects[body.index()].impure,
        }
    }

    /// Splits an action.
    pub(super) fn split(
        &mut self,
        id: ExprId,
        place: &Place<'a>,
        above: &Above,
    ) -> Vec<ActionInfo> {
        self.push_frame();
        let mut parts = Parts::default();
        self.split_expr(id, place, above, &mut parts);
        self.pop_frame();
        parts.list
    }

    /// Fills in what parts read and write, once everything is lowered.
    pub(super) fn footprints(program: &mut crate::ir::Program) {
        let mut known: FxHashMap<ActId, (Vec<u16>, Vec<u16>)> = FxHashMap::default();
        let mut lists = [std::mem::take(&mut program.init), std::mem::take(&mut program.actions)];
        for action in lists.iter_mut().flatten() {
            let (reads, writes) = known.entry(action.body).or_insert_with(|| {
                let it = footprint(program, Part::Act(action.body));
                (it.reads, it.writes)
            });
            action.reads.clone_from(reads);
            action.writes.clone_from(writes);
        }
        let [init, actions] = lists;
        program.init = init;
        program.actions = actions;
    }

    fn leaf(&mut self, id: ExprId, place: &Place<'a>, above: &Above, parts: &mut Parts) {
        let key = (id, place.env.identity());
        let body = match parts.known.get(&key) {
            Some(body) => *body,
            None => {
                self.kept.push(place.env.clone());
                let span = self.spec.expr(id).span;
                let lower = |this: &mut Self| this.action(id, place);
                let mut body = self.counted(span, lower, |body| CostRoot::Act(*body));
                let counted = body;
                for (lo, hi) in above.scopes.iter().rev() {
                    body = self.act(Act::Scope { lo: *lo, hi: *hi, body }, self.spec.expr(id).span);
                }
                // Its tree is the last one made, if any was.
                if let Some((root, _)) = self.program.costs.roots.last_mut()
                    && *root == CostRoot::Act(counted)
                {
                    *root = CostRoot::Act(body);
                }
                parts.known.insert(key, body);
                body
            }
        };
        self.part(body, self.spec.expr(id).span, above, parts);
    }

    fn part(&mut self, body: ActId, span: Span, above: &Above, parts: &mut Parts) {
        parts.list.push(ActionInfo {
            name: above.name.clone(),
            span,
            params: above.params.clone(),
            context: above.context.clone(),
            body,
            n_slots: self.frame().max,
            presets: above.presets.clone(),
            reads: Vec::new(),
            writes: Vec::new(),
            impure: self.act_effects[body.index()].impure,
        });
    }

    fn split_expr(&mut self, id: ExprId, place: &Place<'a>, above: &Above, parts: &mut Parts) {
        let spec = self.spec;
        match &spec.expr(id).kind {
            ExprKind::Or(items) => {
                for item in items {
                    self.split_expr(*item, place, above, parts);
                }
            }
            ExprKind::Label { body, .. } => self.split_expr(*body, place, above, parts),
            ExprKind::Let { definitions, body } => {
                let (inner, scope) = self.open_let(definitions, place);
                let mut above = above.clone();
                above.scopes.push((scope.lo, scope.hi));
                self.split_expr(*body, &inner, &above, parts);
            }
            ExprKind::Quantified { for_all: false, binders, body } => {
                let (binds, inner) = self.binders(binders, place);
                let names: Vec<SmolStr> = binders
                    .iter()
                    .flat_map(|it| it.locals.iter())
                    .map(|local| spec.local(*local).name.clone())
                    .collect();
                match self.bindings_of(&binds, above) {
                    Some(rows) if rows.len() <= MAX_PARTS => {
                        if rows.is_empty() {
                            // Nothing to choose: still an action, which is never enabled.
                            let span = spec.expr(id).span;
                            let act = self.act(Act::Or(Box::default()), span);
                            self.part(act, span, above, parts);
                            return;
                        }
                        for row in rows {
                            let mut inside = above.clone();
                            for ((slot, value), name) in row.into_iter().zip(&names) {
                                inside.context.push((name.clone(), value.clone()));
                                inside.presets.push((slot, value));
                            }
                            self.split_expr(*body, &inner, &inside, parts);
                        }
                    }
                    _ => self.leaf(id, place, above, parts),
                }
            }
            ExprKind::Apply { op, args } => self.split_apply(id, op, args, place, above, parts),
            _ => self.leaf(id, place, above, parts),
        }
    }

    fn split_apply(
        &mut self,
        id: ExprId,
        op: &'a Operator,
        args: &'a [Argument],
        place: &Place<'a>,
        above: &Above,
        parts: &mut Parts,
    ) {
        let Operator::Definition(reference) = op else {
            return self.leaf(id, place, above, parts);
        };
        let definition_id = reference.definition;
        if reference.path.is_empty()
            && let Some(found) = place.env.definition(definition_id)
        {
            return match found {
                Found::Bound(Bound::Delayed(it)) => {
                    let inner = it.place.with_mode(place.mode);
                    let above = Above {
                        name: self.spec.definition(definition_id).name.clone(),
                        params: Vec::new(),
                        ..above.clone()
                    };
                    self.split_expr(it.expr, &inner, &above, parts);
                }
                Found::Bound(_) => self.leaf(id, place, above, parts),
                Found::Defined(env) => {
                    let inner = place.with_env(env);
                    self.split_definition(id, definition_id, args, place, &inner, above, parts);
                }
            };
        }
        if let Some(replacement) = self.replacement_of_definition(reference, place) {
            return match replacement {
                Replacement::Definition(target) => {
                    self.replacing.push(definition_id);
                    let inner = self.root_place(place.mode);
                    self.split_definition(id, target, args, place, &inner, above, parts);
                    self.replacing.pop();
                }
                _ => self.leaf(id, place, above, parts),
            };
        }
        let through = reference
            .path
            .iter()
            .all(|step| self.spec.instance(step.instance).substitutions.is_empty());
        if !through {
            let above =
                Above { name: self.path_name(reference), params: Vec::new(), ..above.clone() };
            return self.leaf(id, place, &above, parts);
        }
        let inner = self.enter(&reference.path, place);
        let module = self.spec.definition(definition_id).module;
        let inner = Place { module, ..inner };
        self.split_definition(id, definition_id, args, place, &inner, above, parts);
    }

    /// `I!Op` as written.
    fn path_name(&self, reference: &lockstep_semantic::hir::DefinitionRef) -> SmolStr {
        let mut text = String::new();
        for step in &reference.path {
            if let Some(name) = &self.spec.instance(step.instance).name {
                text.push_str(name);
                text.push('!');
            }
        }
        text.push_str(&self.spec.definition(reference.definition).name);
        text.into()
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one recursive walk")]
    fn split_definition(
        &mut self,
        id: ExprId,
        definition_id: DefinitionId,
        args: &'a [Argument],
        place: &Place<'a>,
        inner: &Place<'a>,
        above: &Above,
        parts: &mut Parts,
    ) {
        let spec = self.spec;
        let definition = spec.definition(definition_id);
        let opaque = definition.recursive
            || self.native(definition_id).is_some()
            || definition.params.len() != args.len()
            || self.open.contains(&definition_id);
        let mut above =
            Above { name: definition.name.clone(), params: Vec::new(), ..above.clone() };
        if opaque {
            return self.leaf(id, place, &above, parts);
        }
        let mut env = inner.env.clone();
        for (param, arg) in definition.params.iter().zip(args) {
            let bound = match arg {
                Argument::Operator(_) => Some(self.argument(arg, place)),
                Argument::Expr(expr) => {
                    if spec.expr(*expr).level == Level::Constant {
                        let node = self.expr(*expr, place);
                        self.evaluate(node, &above).map(|value| {
                            let slot = self.frame_mut().take(1);
                            let name = spec.local(*param).name.clone();
                            above.params.push((name, value.clone()));
                            above.presets.push((slot, value));
                            Bound::Slot(self.frame().id, slot)
                        })
                    } else {
                        None
                    }
                }
            };
            match bound {
                Some(bound) => env = env.bind(*param, bound),
                None => {
                    above.params.clear();
                    return self.leaf(id, place, &above, parts);
                }
            }
        }
        let inner = inner.with_env(env);
        self.open.push(definition_id);
        self.split_expr(definition.body, &inner, &above, parts);
        self.open.pop();
    }

    // --- evaluation without a state ---

    /// Runs something on a machine over the program made so far, with the presets in place.
    fn on_machine<R>(
        &mut self,
        above: &Above,
        run: impl FnOnce(&mut Machine, &mut Ctx, &crate::ir::Program) -> EvalResult<R>,
    ) -> Option<R> {
        super::complete_captures(&mut self.program, &mut self.completed);
        let program = Arc::new(std::mem::take(&mut self.program));
        let result = {
            let mut ctx = Ctx::new(program.symbols.clone());
            let shared = Shared::new(program.clone());
            let mut machine = Machine::new(shared);
            let saved = machine.open_frame(self.frame().max);
            let mut presets = Ok(());
            for (slot, value) in &above.presets {
                match crate::eval::thaw(&mut ctx, value) {
                    Ok(value) => machine.set(*slot, value),
                    Err(err) => presets = Err(err),
                }
            }
            let result = presets.and_then(|()| run(&mut machine, &mut ctx, &program));
            machine.close_frame(saved);
            result.ok()
        };
        match Arc::try_unwrap(program) {
            Ok(program) => self.program = program,
            // A value kept alive somewhere: pay for a copy.
            Err(program) => self.program = (*program).clone(),
        }
        result
    }

    /// Whether a conjunct is FALSE without looking at a state.
    pub(super) fn is_false(&mut self, id: ExprId, place: &Place<'a>) -> bool {
        self.push_frame();
        let node = self.expr(id, place);
        let result = if self.effects(node).impure {
            None
        } else {
            self.on_machine(&Above::default(), |machine, ctx, p| {
                Ok(matches!(machine.eval(ctx, p, node)?, Value::Bool(false)))
            })
        };
        self.pop_frame();
        result == Some(true)
    }

    /// The value of an expression that needs no state.
    fn evaluate(&mut self, node: NodeId, above: &Above) -> Option<Frozen> {
        if self.effects(node).impure {
            return None;
        }
        self.on_machine(above, |machine, ctx, p| {
            let value = machine.eval(ctx, p, node)?;
            freeze(ctx, &value)
        })
    }

    /// All bindings of a quantifier whose bounds need no state: a value for each slot.
    pub(super) fn bindings_of(
        &mut self,
        binds: &[Bind],
        above: &Above,
    ) -> Option<Vec<Vec<(Slot, Frozen)>>> {
        if binds.iter().any(|bind| self.effects(bind.set).impure) {
            return None;
        }
        let binds = binds.to_vec();
        self.on_machine(above, |machine, ctx, p| {
            let list = machine.bound_sets(ctx, p, &binds)?;
            for set in &list {
                if !matches!(sets::size(ctx, set)?, Some(n) if n <= MAX_PARTS as u64) {
                    return Ok(None);
                }
                let _ = Elements::of(ctx, set)?;
            }
            let mut rows = Vec::new();
            machine.for_each(ctx, &binds, &list, &mut |this, ctx| {
                let mut row = Vec::new();
                for bind in &binds {
                    let slots = match bind.target {
                        Target::Slot(slot) => slot..slot + 1,
                        Target::Tuple(slot, n) => slot..slot + n,
                    };
                    for slot in slots {
                        let value = this.read_slot(ctx, slot)?;
                        row.push((slot, freeze(ctx, &value)?));
                    }
                }
                rows.push(row);
                Ok(rows.len() <= MAX_PARTS)
            })?;
            Ok(Some(rows))
        })
        .flatten()
    }
}

/// A value as bytes.
fn freeze(ctx: &mut Ctx, value: &Value) -> EvalResult<Frozen> {
    let value = force(ctx, value)?;
    let mut bytes = Vec::new();
    encode(ctx, &value, &mut bytes)?;
    Ok(Frozen(bytes.into()))
}
