//! Lowering of actions: which conjuncts give a variable its next value.
//!
//! `x' = e`, `x' \in S`, `x' \subseteq S` and UNCHANGED assign, where `x'` may also be named by an
//! operator parameter, a LET definition or the substitution of an instance. In Init unprimed
//! variables take the place of primed ones.

use lockstep_semantic::hir::{
    Argument, Builtin, DefinitionId, DefinitionKind, ExprId, ExprKind, Operator,
};
use lockstep_syntax::Span;

use super::env::{Bound, ContextId, Found, Mode, Place};
use super::expr::Scope;
use super::{Lowerer, Virtuals};
use crate::ir::{Act, ActId, Node, NodeId, VarId};

impl<'a> Lowerer<'a> {
    /// Lowers an expression as an action (or as an initial predicate, by the mode).
    pub(super) fn action(&mut self, id: ExprId, place: &Place<'a>) -> ActId {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            if self.is_counting() {
                self.counted_action(id, place)
            } else {
                self.action_inner(id, place)
            }
        })
    }

    pub(super) fn test(&mut self, id: ExprId, place: &Place<'a>) -> ActId {
        if self.is_counting() {
            return self.counted_test(id, place);
        }
        let span = self.spec.expr(id).span;
        let node = self.expr(id, place);
        self.act(Act::Test(node), span)
    }

    fn actions(&mut self, ids: &[ExprId], place: &Place<'a>) -> Box<[ActId]> {
        ids.iter().map(|id| self.action(*id, place)).collect()
    }

    pub(super) fn action_inner(&mut self, id: ExprId, place: &Place<'a>) -> ActId {
        let spec = self.spec;
        let expr = spec.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::And(items) => {
                let items = self.actions(items, place);
                self.act(Act::And(items), span)
            }
            ExprKind::Or(items) => {
                let items = self.actions(items, place);
                self.act(Act::Or(items), span)
            }
            ExprKind::Quantified { for_all, binders, body } => {
                let lo = self.frame().max;
                let (binds, inner) = self.binders(binders, place);
                self.frame_mut().loops += 1;
                let body = self.action(*body, &inner);
                self.frame_mut().loops -= 1;
                let hi = self.frame().max;
                let act = if *for_all {
                    Act::Forall { binds, body, lo, hi }
                } else {
                    Act::Exists(binds, body)
                };
                self.act(act, span)
            }
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.expr(*condition, place);
                let then = self.action(*then, place);
                let otherwise = self.action(*otherwise, place);
                self.act(Act::If(condition, then, otherwise), span)
            }
            ExprKind::Case { arms, other } => {
                let arms = arms
                    .iter()
                    .map(|arm| (self.expr(arm.guard, place), self.action(arm.value, place)))
                    .collect();
                let other = other.map(|other| self.action(other, place));
                self.act(Act::Case(arms, other), span)
            }
            ExprKind::Let { definitions, body } => {
                let (inner, scope) = self.open_let(definitions, place);
                let act = self.action(*body, &inner);
                self.close_act_scope(scope, act, span)
            }
            ExprKind::Label { body, .. } => self.action(*body, place),
            ExprKind::BoxAction { action, subscript } => {
                let action = self.action(*action, place);
                let same = self.unchanged_act(*subscript, place, span);
                self.act(Act::Or([action, same].into()), span)
            }
            ExprKind::AngleAction { action, subscript } => {
                let action = self.action(*action, place);
                let same = self.unchanged_expr(*subscript, place, span);
                let differs = self.node(Node::Not(same), span);
                let differs = self.act(Act::Test(differs), span);
                self.act(Act::And([action, differs].into()), span)
            }
            ExprKind::Local(local) => match place.env.local(*local).cloned() {
                Some(Bound::Delayed(it)) => {
                    let mode = self.mode_for(&it.place, place.mode);
                    let inner = it.place.with_mode(mode);
                    self.action(it.expr, &inner)
                }
                _ => self.test(id, place),
            },
            ExprKind::Apply { op, args } => self.action_apply(id, op, args, place, span),
            ExprKind::FunctionApply { function, args } => {
                self.action_function_apply(id, *function, args, place, span)
            }
            _ => self.test(id, place),
        }
    }

    fn action_apply(
        &mut self,
        id: ExprId,
        op: &'a Operator,
        args: &'a [Argument],
        place: &Place<'a>,
        span: Span,
    ) -> ActId {
        match (op, args) {
            (Operator::Builtin(builtin), [Argument::Expr(a), Argument::Expr(b)]) => match builtin {
                Builtin::Equal | Builtin::In | Builtin::SubsetEq => {
                    let Some(var) = self.target(*a, place) else {
                        return self.test(id, place);
                    };
                    let mut value = self.expr(*b, place);
                    if *builtin == Builtin::In {
                        value = self.enumerated(value);
                    }
                    let act = match builtin {
                        Builtin::Equal => Act::Assign(var, value),
                        Builtin::In => Act::AssignIn(var, value),
                        _ => Act::AssignSubset(var, value),
                    };
                    self.act(act, span)
                }
                Builtin::Cdot => self.compose(args, place, span),
                Builtin::Implies => {
                    let condition = self.expr(*a, place);
                    let then = self.action(*b, place);
                    let otherwise = self.act(Act::And(Box::default()), span);
                    self.act(Act::If(condition, then, otherwise), span)
                }
                _ => self.test(id, place),
            },
            (Operator::Builtin(Builtin::Unchanged), [Argument::Expr(a)]) => {
                self.unchanged_act(*a, place, span)
            }
            (Operator::Builtin(Builtin::Prime), [Argument::Expr(a)]) => {
                self.action(*a, &place.primed())
            }
            (Operator::Builtin(_), _) => self.test(id, place),
            (Operator::Decl(decl), []) => match self.substitute(*decl, place) {
                Some((Argument::Expr(expr), inner)) => self.action(*expr, &inner),
                _ => self.test(id, place),
            },
            _ => {
                let resolved = self.resolve(op, place);
                let lo = self.frame().max;
                let bounds: Vec<Bound<'a>> =
                    args.iter().map(|arg| self.argument(arg, place)).collect();
                let hi = self.frame().max;
                let act = self.action_resolved(&resolved, &bounds, place, span);
                let delayed = bounds
                    .into_iter()
                    .filter_map(|bound| match bound {
                        Bound::Delayed(it)
                            if it.memo.is_some_and(|(frame, slot)| {
                                frame == self.frame().id && slot >= lo && slot < hi
                            }) =>
                        {
                            Some(it)
                        }
                        _ => None,
                    })
                    .collect();
                self.close_act_scope(Scope { lo, hi, delayed }, act, span)
            }
        }
    }

    /// An operator applied where an action is wanted.
    pub(super) fn action_resolved(
        &mut self,
        resolved: &super::apply::Resolved<'a>,
        args: &[Bound<'a>],
        place: &Place<'a>,
        span: Span,
    ) -> ActId {
        use super::apply::Resolved;
        match resolved {
            Resolved::Lambda(params, body, inner) => {
                let inner = inner.with_mode(Mode { virtuals: inner.mode.virtuals, ..place.mode });
                let inner = self.bind_params(params, args, &inner);
                let mark = self.cost_mark();
                let act = self.action(*body, &inner);
                self.share_lambda(*body, mark);
                act
            }
            Resolved::Definition(reference, at) => {
                let at = at.with_mode(Mode { virtuals: at.mode.virtuals, ..place.mode });
                let definition = reference.definition;
                if reference.path.is_empty()
                    && let Some(found) = at.env.definition(definition)
                {
                    return match found {
                        Found::Bound(Bound::Delayed(it)) => {
                            let mode = self.mode_for(&it.place, place.mode);
                            let inner = it.place.with_mode(mode);
                            self.action_value(definition, it.expr, &inner, span)
                        }
                        Found::Bound(_) => self.test_resolved(resolved, args, place, span),
                        Found::Defined(env) => {
                            let inner = at.with_env(env);
                            self.action_expand(definition, args, &inner, span)
                        }
                    };
                }
                match self.replacement_of_definition(reference, &at) {
                    Some(super::bind::Replacement::Definition(target)) => {
                        self.replacing.push(definition);
                        let inner = self.root_place(place.mode);
                        let act = self.action_expand(target, args, &inner, span);
                        self.replacing.pop();
                        act
                    }
                    Some(_) => self.test_resolved(resolved, args, place, span),
                    None => {
                        let inner = self.enter(&reference.path, &at);
                        let module = self.spec.definition(definition).module;
                        let inner = Place { module, ..inner };
                        self.action_expand(definition, args, &inner, span)
                    }
                }
            }
            Resolved::Target(definition, inner) => {
                let inner = inner.with_mode(place.mode);
                self.action_expand(*definition, args, &inner, span)
            }
            Resolved::Builtin(_) | Resolved::Decl(..) | Resolved::Slot(..) | Resolved::Unknown => {
                self.test_resolved(resolved, args, place, span)
            }
        }
    }

    fn test_resolved(
        &mut self,
        resolved: &super::apply::Resolved<'a>,
        args: &[Bound<'a>],
        place: &Place<'a>,
        span: Span,
    ) -> ActId {
        let depth = self.frame().max;
        let node = self.apply_resolved(resolved, args.to_vec(), (depth, depth), place.mode, span);
        self.act(Act::Test(node), span)
    }

    /// A LET definition without parameters where an action is wanted.
    fn action_value(
        &mut self,
        definition: DefinitionId,
        body: ExprId,
        inner: &Place<'a>,
        span: Span,
    ) -> ActId {
        if self.spec.definition(definition).kind == DefinitionKind::Function {
            let before = self.program.nodes.len();
            let node = self.value_definition(definition, inner);
            let node = self.note_frame(node, definition, span, before);
            return self.act(Act::Test(node), span);
        }
        let act = self.action(body, inner);
        self.note_act_frame(act, definition, span);
        act
    }

    fn action_expand(
        &mut self,
        definition_id: DefinitionId,
        args: &[Bound<'a>],
        inner: &Place<'a>,
        span: Span,
    ) -> ActId {
        let spec = self.spec;
        let definition = spec.definition(definition_id);
        let as_value = self.native(definition_id).is_some()
            || args.len() != definition.params.len()
            || definition.kind == DefinitionKind::Function;
        if as_value {
            let node = self.expand(definition_id, args, inner, span);
            return self.act(Act::Test(node), span);
        }
        if definition.recursive || self.open.contains(&definition_id) {
            let act = self.call_act(definition_id, args, inner, span);
            self.note_act_frame(act, definition_id, span);
            return act;
        }
        let inner = self.bind_params(&definition.params, args, inner);
        self.open.push(definition_id);
        let act = self.action(definition.body, &inner);
        self.open.pop();
        self.note_act_frame(act, definition_id, span);
        act
    }

    /// Remembers that an action is what a definition used at `span` stands for.
    fn note_act_frame(&mut self, act: ActId, definition: DefinitionId, span: Span) {
        let name = self.spec.definition(definition).name.clone();
        self.program.act_frames.entry(act).or_default().push((name, span));
    }

    /// Ends a scope: its slots are emptied before the action if any is used.
    pub(super) fn close_act_scope(&mut self, scope: Scope<'a>, act: ActId, span: Span) -> ActId {
        if self.settle(&scope) {
            return self.act(Act::Scope { lo: scope.lo, hi: scope.hi, body: act }, span);
        }
        let effects = &mut self.act_effects[act.index()];
        if effects.min_slot >= scope.lo {
            effects.min_slot = crate::ir::Slot::MAX;
        }
        act
    }

    /// The variable that an expression stands for, if it may be given a value here.
    fn target(&mut self, id: ExprId, place: &Place<'a>) -> Option<VarId> {
        let spec = self.spec;
        match &spec.expr(id).kind {
            ExprKind::Apply { op: Operator::Builtin(Builtin::Prime), args } => match &args[..] {
                [Argument::Expr(expr)] if !place.mode.primed && !place.mode.init => {
                    self.target(*expr, &place.primed())
                }
                _ => None,
            },
            ExprKind::Apply { op: Operator::Decl(decl), args } if args.is_empty() => {
                if place.mode.primed
                    && let Some(var) = self.virtual_variable(*decl, place)
                {
                    return Some(var);
                }
                match self.substitute(*decl, place) {
                    Some((Argument::Expr(expr), inner)) => self.target(*expr, &inner),
                    Some(_) => None,
                    None if place.mode.primed || place.mode.init => self.variable(*decl),
                    None => None,
                }
            }
            ExprKind::Apply { op: Operator::Definition(reference), args } if args.is_empty() => {
                let (body, inner) = self.open_value_definition(reference, place)?;
                self.target(body, &inner)
            }
            ExprKind::Local(local) => match place.env.local(*local).cloned() {
                Some(Bound::Delayed(it)) => {
                    let mode = self.mode_for(&it.place, place.mode);
                    let inner = it.place.with_mode(mode);
                    self.target(it.expr, &inner)
                }
                _ => None,
            },
            ExprKind::Label { body, .. } => self.target(*body, place),
            ExprKind::Let { definitions, body } => {
                // Only to see what the body stands for: nothing is kept.
                let mut env = place.env.clone();
                for id in definitions {
                    let definition = spec.definition(*id);
                    let by_value = definition.params.is_empty() && !definition.recursive;
                    let bound = by_value.then(|| {
                        let inner = place.with_env(env.clone());
                        Bound::Delayed(self.plain_delayed(definition.body, &inner))
                    });
                    env = env.define(*id, bound);
                }
                self.target(*body, &place.with_env(env))
            }
            _ => None,
        }
    }

    /// `UNCHANGED e` (or `v' = v` of a subscript): every variable in it keeps its value.
    pub(super) fn unchanged_act(&mut self, id: ExprId, place: &Place<'a>, span: Span) -> ActId {
        let mut parts = Vec::new();
        self.tuple_parts(id, place, &mut parts);
        let mut acts: Vec<ActId> = Vec::new();
        let mut run: Vec<VarId> = Vec::new();
        for (expr, place) in parts {
            let primed = place.primed();
            match self.target(expr, &primed) {
                Some(var) if usize::from(var) < self.program.variables.len() => run.push(var),
                target => {
                    if !run.is_empty() {
                        let vars = std::mem::take(&mut run);
                        acts.push(self.act(Act::Unchanged(vars.into()), span));
                    }
                    let now = self.expr(expr, &place);
                    let act = match target {
                        Some(var) => Act::Assign(var, now),
                        None => {
                            let then = self.expr(expr, &primed);
                            Act::Test(self.node(Node::Equal(then, now), span))
                        }
                    };
                    acts.push(self.act(act, span));
                }
            }
        }
        if !run.is_empty() {
            acts.push(self.act(Act::Unchanged(run.into()), span));
        }
        match acts.as_slice() {
            [one] => *one,
            _ => self.act(Act::And(acts.into()), span),
        }
    }

    /// `ENABLED A`.
    pub(super) fn enabled(&mut self, id: ExprId, place: &Place<'a>, span: Span) -> NodeId {
        self.enabled_with(place, span, |this, inner| this.action(id, inner))
    }

    /// `ENABLED` of what `lower` makes.
    pub(super) fn enabled_with(
        &mut self,
        place: &Place<'a>,
        span: Span,
        lower: impl FnOnce(&mut Self, &Place<'a>) -> ActId,
    ) -> NodeId {
        self.n_enabled += 1;
        let virtuals = if place.context == ContextId::ROOT {
            0
        } else {
            self.virtuals.push(Virtuals { context: place.context, decls: Vec::new() });
            self.virtuals.len() as u32 - 1
        };
        let mode =
            Mode { primed: false, init: false, stable: false, enabled: self.n_enabled, virtuals };
        let inner = place.with_mode(mode);
        let action = lower(self, &inner);
        let n_virtual = self.virtuals[virtuals as usize].decls.len() as u16;
        let primed = place.mode.primed || place.mode.init;
        self.node(Node::Enabled { action, n_virtual, primed }, span)
    }

    /// `A \cdot B`.
    pub(super) fn compose(&mut self, args: &'a [Argument], place: &Place<'a>, span: Span) -> ActId {
        let [Argument::Expr(a), Argument::Expr(b)] = args else {
            let node =
                self.fail(crate::error::code::GENERAL, "An operator was used as a value.", span);
            return self.act(Act::Test(node), span);
        };
        if !self.options.cdot {
            let node = self.fail(
                crate::error::code::GENERAL,
                "TLC does not support the action composition operator \\cdot by default.",
                span,
            );
            return self.act(Act::Test(node), span);
        }
        let inner = place.with_mode(Mode { stable: false, ..place.mode });
        let first = self.action(*a, &inner);
        let second = self.action(*b, &inner);
        self.act(Act::Compose(first, second), span)
    }
}
