//! Temporal formulas: the conjuncts of a specification or property, and what is left for
//! liveness checking as a tree with predicates at its leaves.

use std::ops::ControlFlow;
use std::rc::Rc;

use lockstep_semantic::hir::{Argument, Builtin, ExprId, ExprKind, Level, LocalId, Operator};
use lockstep_syntax::Span;

use super::Lowerer;
use super::apply::Resolved;
use super::env::{Bound, Delayed, Found, Place};
use super::split::Above;
use super::walk::{Met, walk};
use crate::ir::{Act, ActId, Fairness, Node, Part, Temporal, visit_below};

/// A conjunct of a specification or property, by kind.
pub(super) enum Conjunct<'a> {
    /// A state predicate (or a constant).
    State(ExprId, Place<'a>),
    /// The `P` of `[]P`, a state predicate.
    Invariant(ExprId, Place<'a>),
    /// `[][A]_v`.
    BoxAction {
        /// `[A]_v`.
        expr: ExprId,
        /// `A`.
        action: ExprId,
        /// Where both stand.
        place: Place<'a>,
        /// The text of `[][A]_v`.
        span: Span,
    },
    /// An action by itself.
    Action(ExprId),
    /// Anything else.
    Temporal(ExprId, Place<'a>),
}

impl<'a> Lowerer<'a> {
    /// Takes a formula apart through definitions, instances and operator parameters.
    pub(super) fn conjuncts(
        &mut self,
        id: ExprId,
        place: &Place<'a>,
        found: &mut Vec<Conjunct<'a>>,
    ) {
        let spec = self.spec;
        let level = self.level(id, place);
        if level <= Level::State {
            found.push(Conjunct::State(id, place.clone()));
            return;
        }
        let span = spec.expr(id).span;
        match &spec.expr(id).kind {
            ExprKind::And(items) => {
                for item in items {
                    self.conjuncts(*item, place, found);
                }
            }
            ExprKind::Apply { op: Operator::Builtin(Builtin::Always), args } => {
                let [Argument::Expr(body)] = &args[..] else {
                    found.push(Conjunct::Temporal(id, place.clone()));
                    return;
                };
                let (body, inner) = self.look_through(*body, place);
                match &spec.expr(body).kind {
                    ExprKind::BoxAction { action, .. } => found.push(Conjunct::BoxAction {
                        expr: body,
                        action: *action,
                        place: inner,
                        span,
                    }),
                    _ if self.level(body, &inner) <= Level::State => {
                        found.push(Conjunct::Invariant(body, inner));
                    }
                    _ => found.push(Conjunct::Temporal(id, place.clone())),
                }
            }
            _ => {
                let (body, inner) = self.look_through(id, place);
                if body != id {
                    self.conjuncts(body, &inner, found);
                } else if level == Level::Action {
                    found.push(Conjunct::Action(id));
                } else {
                    found.push(Conjunct::Temporal(id, place.clone()));
                }
            }
        }
    }

    /// The formula behind names, labels and LETs; operator arguments are bound.
    pub(super) fn look_through(&mut self, id: ExprId, place: &Place<'a>) -> (ExprId, Place<'a>) {
        let spec = self.spec;
        match &spec.expr(id).kind {
            ExprKind::Label { body, .. } => self.look_through(*body, place),
            ExprKind::Local(local) => match place.env.local(*local).cloned() {
                Some(Bound::Delayed(it)) => {
                    let mode = self.mode_for(&it.place, place.mode);
                    let inner = it.place.with_mode(mode);
                    self.look_through(it.expr, &inner)
                }
                _ => (id, place.clone()),
            },
            ExprKind::Let { definitions, body } => {
                let inner = self.let_place(definitions, place);
                self.look_through(*body, &inner)
            }
            ExprKind::Apply { op, args } => match self.enter_definition(op, args, place) {
                Some((body, inner)) => self.look_through(body, &inner),
                None => (id, place.clone()),
            },
            _ => (id, place.clone()),
        }
    }

    /// The definitions of a LET without memo slots.
    fn let_place(
        &mut self,
        definitions: &[lockstep_semantic::hir::DefinitionId],
        place: &Place<'a>,
    ) -> Place<'a> {
        let mut env = place.env.clone();
        for id in definitions {
            let definition = self.spec.definition(*id);
            if definition.params.is_empty() && !definition.recursive {
                let it = self.plain_delayed(definition.body, &place.with_env(env.clone()));
                env = env.define(*id, Some(Bound::Delayed(it)));
            } else {
                env = env.define(*id, None);
            }
        }
        place.with_env(env)
    }

    pub(super) fn plain_delayed(&self, expr: ExprId, place: &Place<'a>) -> Rc<Delayed<'a>> {
        Rc::new(Delayed {
            expr,
            place: place.clone(),
            memo: None,
            loops: 0,
            lowered: None.into(),
            uses: Vec::new().into(),
            definition: None,
            busy: false.into(),
            cost: None,
        })
    }

    /// The body of an applied definition with its parameters bound.
    fn enter_definition(
        &mut self,
        op: &'a Operator,
        args: &'a [Argument],
        place: &Place<'a>,
    ) -> Option<(ExprId, Place<'a>)> {
        let spec = self.spec;
        if let Operator::Decl(decl) = op {
            return match self.substitute(*decl, place) {
                Some((Argument::Expr(expr), inner)) if args.is_empty() => Some((*expr, inner)),
                _ => None,
            };
        }
        let resolved = self.resolve(op, place);
        let bounds: Vec<Bound<'a>> = args
            .iter()
            .map(|arg| match arg {
                Argument::Expr(expr) => match &spec.expr(*expr).kind {
                    ExprKind::Local(local) if place.env.local(*local).is_some() => {
                        place.env.local(*local).cloned()
                    }
                    _ => Some(Bound::Delayed(self.plain_delayed(*expr, place))),
                },
                Argument::Operator(_) => Some(self.argument(arg, place)),
            })
            .collect::<Option<_>>()?;
        let (reference, at) = match &resolved {
            Resolved::Definition(reference, at) => (*reference, at.clone()),
            Resolved::Lambda(params, body, at) => {
                let inner = self.bind_params(params, &bounds, &at.with_mode(place.mode));
                return Some((*body, inner));
            }
            Resolved::Target(id, at) => {
                let definition = spec.definition(*id);
                let inner = self.bind_params(&definition.params, &bounds, at);
                return Some((definition.body, inner));
            }
            _ => return None,
        };
        let id = reference.definition;
        let definition = spec.definition(id);
        if definition.recursive
            || self.native(id).is_some()
            || definition.params.len() != bounds.len()
        {
            return None;
        }
        if bounds.is_empty() {
            return self.open_value_definition(reference, &at);
        }
        if self.replacement_of_definition(reference, &at).is_some() {
            return None;
        }
        if reference.path.is_empty()
            && let Some(found) = at.env.definition(id)
        {
            return match found {
                Found::Defined(env) => {
                    let inner = self.bind_params(&definition.params, &bounds, &at.with_env(env));
                    Some((definition.body, inner))
                }
                Found::Bound(_) => None,
            };
        }
        let inner = self.enter(&reference.path, &at);
        let inner = Place { module: definition.module, ..inner };
        Some((definition.body, self.bind_params(&definition.params, &bounds, &inner)))
    }

    /// The level of an expression, its parameters being what they are bound to.
    pub(super) fn level(&mut self, id: ExprId, place: &Place<'a>) -> Level {
        let mut level = self.spec.expr(id).level;
        let mut locals: Vec<LocalId> = Vec::new();
        walk(self.spec, id, &mut |met| {
            if let Met::Local(local) = met {
                locals.push(local);
            }
        });
        for local in locals {
            match place.env.local(local).cloned() {
                Some(Bound::Delayed(it)) => level = level.max(self.level(it.expr, &it.place)),
                Some(Bound::Operator(it)) => {
                    if let Resolved::Definition(reference, _) =
                        self.resolve_argument(it.operator, &it.place)
                    {
                        level = level.max(self.spec.definition(reference.definition).level);
                    }
                }
                _ => {}
            }
        }
        level
    }

    /// A temporal formula as a tree; `None` after an error was reported.
    pub(super) fn temporal(&mut self, id: ExprId, place: &Place<'a>) -> Option<Temporal> {
        let spec = self.spec;
        let span = spec.expr(id).span;
        match self.level(id, place) {
            Level::Constant | Level::State => {
                return Some(Temporal::State(self.entry(|this| this.expr(id, place))));
            }
            Level::Action => {
                return Some(Temporal::Action(self.entry(|this| this.expr(id, place))));
            }
            Level::Temporal => {}
        }
        match &spec.expr(id).kind {
            ExprKind::And(items) => Some(Temporal::And(self.temporals(items, place)?)),
            ExprKind::Or(items) => Some(Temporal::Or(self.temporals(items, place)?)),
            ExprKind::Quantified { for_all, binders, body } => {
                let rows = self.constant_rows(binders, place, span)?;
                let mut list = Vec::new();
                for row in rows {
                    let mut env = place.env.clone();
                    for (local, frozen) in row {
                        env = env.bind(local, Bound::Frozen(frozen));
                    }
                    list.push(self.temporal(*body, &place.with_env(env))?);
                }
                Some(if *for_all { Temporal::And(list) } else { Temporal::Or(list) })
            }
            ExprKind::Fairness { strong, subscript, action } => {
                Some(Temporal::Fairness(self.fairness(*strong, *subscript, *action, place, span)))
            }
            ExprKind::TemporalQuantified { .. } => {
                self.error("E2301", span, "temporal quantifiers cannot be checked");
                None
            }
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.temporal(*condition, place)?;
                let then = self.temporal(*then, place)?;
                let otherwise = self.temporal(*otherwise, place)?;
                let denied = Temporal::Not(Box::new(condition.clone()));
                Some(Temporal::And(vec![
                    Temporal::Or(vec![denied, then]),
                    Temporal::Or(vec![condition, otherwise]),
                ]))
            }
            ExprKind::Apply { op: Operator::Builtin(builtin), args } => {
                self.temporal_builtin(*builtin, args, place, span)
            }
            _ => {
                let (body, inner) = self.look_through(id, place);
                if body == id {
                    self.error("E2213", span, "this part of a temporal formula cannot be checked");
                    return None;
                }
                self.temporal(body, &inner)
            }
        }
    }

    fn temporals(&mut self, ids: &[ExprId], place: &Place<'a>) -> Option<Vec<Temporal>> {
        ids.iter().map(|id| self.temporal(*id, place)).collect()
    }

    fn temporal_builtin(
        &mut self,
        builtin: Builtin,
        args: &[Argument],
        place: &Place<'a>,
        span: Span,
    ) -> Option<Temporal> {
        let mut parts = Vec::new();
        for arg in args {
            if let Argument::Expr(expr) = arg {
                parts.push(self.temporal(*expr, place)?);
            }
        }
        let mut parts = parts.into_iter();
        let (first, second) = (parts.next(), parts.next());
        let not = |it: Temporal| Temporal::Not(Box::new(it));
        match (builtin, first, second) {
            (Builtin::Not, Some(a), _) => Some(not(a)),
            (Builtin::Always, Some(a), _) => Some(Temporal::Always(Box::new(a))),
            (Builtin::Eventually, Some(a), _) => Some(Temporal::Eventually(Box::new(a))),
            (Builtin::Implies, Some(a), Some(b)) => Some(Temporal::Or(vec![not(a), b])),
            (Builtin::Equivalent, Some(a), Some(b)) => Some(Temporal::Or(vec![
                Temporal::And(vec![a.clone(), b.clone()]),
                Temporal::And(vec![not(a), not(b)]),
            ])),
            (Builtin::LeadsTo, Some(a), Some(b)) => {
                Some(Temporal::Always(Box::new(Temporal::Or(vec![
                    not(a),
                    Temporal::Eventually(Box::new(b)),
                ]))))
            }
            _ => {
                self.error("E2213", span, "this temporal operator cannot be checked");
                None
            }
        }
    }

    /// The bindings of a quantifier around a temporal formula, as frozen values.
    fn constant_rows(
        &mut self,
        binders: &[lockstep_semantic::hir::Binder],
        place: &Place<'a>,
        span: Span,
    ) -> Option<Vec<Vec<(LocalId, u32)>>> {
        self.push_frame();
        let (binds, _) = self.binders(binders, place);
        let rows = self.bindings_of(&binds, &Above::default());
        self.pop_frame();
        let Some(rows) = rows else {
            self.error(
                "E2213",
                span,
                "the bounds of a quantifier around a temporal formula must be constant and finite",
            );
            return None;
        };
        let locals: Vec<LocalId> =
            binders.iter().flat_map(|it| it.locals.iter().copied()).collect();
        let mut list = Vec::new();
        for row in rows {
            let mut bound = Vec::new();
            for (local, (_, frozen)) in locals.iter().zip(row) {
                let idx = self.program.frozen.len() as u32;
                self.program.frozen.push(frozen);
                bound.push((*local, idx));
            }
            list.push(bound);
        }
        Some(list)
    }

    /// `WF_v(A)` or `SF_v(A)`.
    fn fairness(
        &mut self,
        strong: bool,
        subscript: ExprId,
        action: ExprId,
        place: &Place<'a>,
        span: Span,
    ) -> Fairness {
        let step = self.entry(|this| {
            let happens = this.expr(action, place);
            let same = this.unchanged_expr(subscript, place, span);
            let changes = this.node(Node::Not(same), span);
            this.node(Node::And([happens, changes].into()), span)
        });
        let enabled = self.entry(|this| {
            this.enabled_with(place, span, |this, inner| -> ActId {
                let happens = this.action(action, inner);
                let same = this.unchanged_expr(subscript, inner, span);
                let changes = this.node(Node::Not(same), span);
                let mut primed = Vec::new();
                let _ = visit_below(&this.program, Part::Node(changes), &mut |part| {
                    if let Part::Node(id) = part
                        && let Node::Next(var) = this.program.node(id)
                        && !primed.contains(var)
                    {
                        primed.push(*var);
                    }
                    ControlFlow::Continue(())
                });
                let specified = this.act(Act::Specified(primed.into()), span);
                let changes = this.act(Act::Test(changes), span);
                this.act(Act::And([happens, specified, changes].into()), span)
            })
        });
        Fairness { strong, step, enabled, span }
    }

    /// An operator applied where an action is wanted.
    pub(super) fn action_of(
        &mut self,
        resolved: &Resolved<'a>,
        place: &Place<'a>,
        span: Span,
    ) -> ActId {
        self.action_resolved(resolved, &[], place, span)
    }
}
