//! Function application where an action is wanted.
//!
//! `f[e]` in an action is an action itself if `f` is a function constructor that was not made into
//! a value before: each true disjunct and each binding of its body is a way of its own, as in the
//! body of an operator. Constant definitions of a module are values and only tested.

use std::rc::Rc;

use lockstep_semantic::hir::{
    Argument, Binder, Builtin, DefinitionId, DefinitionKind, ExprId, ExprKind, Level, Operator,
};
use lockstep_syntax::Span;

use super::Lowerer;
use super::env::{Bound, Delayed, Env, Found, Place};
use crate::ir::{Act, ActId, Arg, Bind, Node, NodeId, Slot, Target};

/// How far definitions are followed in search of something with several ways.
const DEPTH: u32 = 8;

/// A function constructor that an expression stands for.
struct Constructor<'a> {
    binders: &'a [Binder],
    body: ExprId,
    place: Place<'a>,
    /// The definition, if its body applies itself, and how a LET binds it.
    itself: Option<(DefinitionId, Option<Rc<Delayed<'a>>>)>,
}

impl<'a> Lowerer<'a> {
    /// `f[a, b]` where an action is wanted.
    pub(super) fn action_function_apply(
        &mut self,
        id: ExprId,
        function: ExprId,
        args: &'a [ExprId],
        place: &Place<'a>,
        span: Span,
    ) -> ActId {
        let spec = self.spec;
        let Some(it) = self.constructor(function, place) else { return self.test(id, place) };
        if !self.branches(it.body, DEPTH) {
            return self.test(id, place);
        }
        let n_patterns: usize =
            it.binders.iter().map(|b| if b.tuple { 1 } else { b.locals.len() }).sum();
        let args = match args {
            [one] if n_patterns > 1 => match &spec.expr(*one).kind {
                ExprKind::Tuple(items) if items.len() == n_patterns => items,
                _ => return self.test(id, place),
            },
            _ => args,
        };
        let values: Vec<NodeId> = if n_patterns == 1 {
            vec![self.tuple_of(args, place, span)]
        } else {
            args.iter().map(|arg| self.expr(*arg, place)).collect()
        };
        if values.len() != n_patterns {
            return self.test(id, place);
        }
        // Outside of the domain the application as a value says what is wrong.
        let whole = self.expr(id, place);
        let mut values = values.into_iter();
        let mut env = it.place.env.clone();
        let mut binds = Vec::new();
        let mut inside = Vec::new();
        let mut slots = Vec::new();
        for binder in it.binders {
            let set = self.expr(binder.set, &it.place);
            let patterns = if binder.tuple { 1 } else { binder.locals.len() };
            for (idx, value) in values.by_ref().take(patterns).enumerate() {
                inside.push(self.node(Node::In(value, set), span));
                let locals = if binder.tuple {
                    &binder.locals[..]
                } else {
                    std::slice::from_ref(&binder.locals[idx])
                };
                let first = self.frame_mut().take(locals.len() as u16);
                for (local, slot) in locals.iter().zip(first..) {
                    env = self.bind_slot(&env, *local, slot);
                    slots.push(slot);
                }
                let target = if binder.tuple {
                    Target::Tuple(first, locals.len() as u16)
                } else {
                    Target::Slot(first)
                };
                let set = self.node(Node::SetEnum([value].into()), span);
                binds.push(Bind { target, set, span });
            }
        }
        let inside = self.node(Node::And(inside.into()), span);
        let yes = self.node(Node::Bool(true), span);
        let inside = self.node(Node::If(inside, yes, whole), span);
        let inside = self.act(Act::Test(inside), span);
        self.frame_mut().loops += 1;
        let body = match &it.itself {
            None => self.action(it.body, &it.place.with_env(env)),
            Some((definition, own)) => {
                self.call_constructor(*definition, own.as_ref(), &it, &slots, span)
            }
        };
        self.frame_mut().loops -= 1;
        let body = self.act(Act::Exists(binds.into(), body), span);
        self.act(Act::And([inside, body].into()), span)
    }

    /// A call of the body of a function that applies itself, with its arguments in slots.
    fn call_constructor(
        &mut self,
        id: DefinitionId,
        own: Option<&Rc<Delayed<'a>>>,
        it: &Constructor<'a>,
        slots: &[Slot],
        span: Span,
    ) -> ActId {
        let key = self.key(id, &it.place);
        let function = match self.act_function_of.get(&key) {
            Some(function) => *function,
            None => self.lower_act_function(key, id, slots.len() as u16, it.body, |this| {
                let frame = this.frame().id;
                let mut env: Env<'a> = it.place.env.clone();
                if let Some(own) = own {
                    env = env.define(id, Some(Bound::Delayed(own.clone())));
                }
                let locals = it.binders.iter().flat_map(|binder| &binder.locals);
                for (local, slot) in locals.zip(0..) {
                    env = env.bind(*local, Bound::Slot(frame, slot));
                }
                it.place.with_env(env)
            }),
        };
        let args = slots.iter().map(|slot| Arg::Slot(*slot)).collect();
        self.call_act_function(function, args, span)
    }

    /// The function constructor that an expression stands for, if it is one.
    fn constructor(&mut self, id: ExprId, place: &Place<'a>) -> Option<Constructor<'a>> {
        let spec = self.spec;
        match &spec.expr(id).kind {
            ExprKind::Function { binders, body } => {
                Some(Constructor { binders, body: *body, place: place.clone(), itself: None })
            }
            ExprKind::Label { body, .. } => self.constructor(*body, place),
            ExprKind::Local(local) => match place.env.local(*local).cloned() {
                Some(Bound::Delayed(it)) => {
                    let inner = it.place.with_mode(self.mode_for(&it.place, place.mode));
                    self.constructor(it.expr, &inner)
                }
                _ => None,
            },
            ExprKind::Apply { op: Operator::Decl(decl), args } if args.is_empty() => {
                match self.substitute(*decl, place) {
                    Some((Argument::Expr(expr), inner)) => self.constructor(*expr, &inner),
                    _ => None,
                }
            }
            ExprKind::Apply { op: Operator::Definition(reference), args } if args.is_empty() => {
                let id = reference.definition;
                let definition = spec.definition(id);
                if !definition.params.is_empty()
                    || definition.recursive && definition.kind != DefinitionKind::Function
                    || self.native(id).is_some()
                {
                    return None;
                }
                let found = match reference.path.is_empty() {
                    true => place.env.definition(id),
                    false => None,
                };
                let (own, body, inner) = match found {
                    Some(Found::Bound(Bound::Delayed(it))) => {
                        let inner = it.place.with_mode(self.mode_for(&it.place, place.mode));
                        (Some(it.clone()), it.expr, inner)
                    }
                    Some(_) => return None,
                    None => {
                        if definition.level == Level::Constant
                            || self.replacement_of_definition(reference, place).is_some()
                        {
                            return None;
                        }
                        let inner = self.enter(&reference.path, place);
                        (None, definition.body, Place { module: definition.module, ..inner })
                    }
                };
                if !definition.recursive {
                    return self.constructor(body, &inner);
                }
                match &spec.expr(body).kind {
                    ExprKind::Function { binders, body } => Some(Constructor {
                        binders,
                        body: *body,
                        place: inner,
                        itself: Some((id, own)),
                    }),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether an action may go on in more than one way, or give a variable its next value.
    fn branches(&self, id: ExprId, depth: u32) -> bool {
        let spec = self.spec;
        let expr = spec.expr(id);
        if expr.level >= Level::Action {
            return true;
        }
        match &expr.kind {
            ExprKind::Or(_) | ExprKind::Quantified { for_all: false, .. } => true,
            ExprKind::And(items) => items.iter().any(|item| self.branches(*item, depth)),
            ExprKind::Quantified { body, .. }
            | ExprKind::Let { body, .. }
            | ExprKind::Label { body, .. } => self.branches(*body, depth),
            ExprKind::If { then, otherwise, .. } => {
                self.branches(*then, depth) || self.branches(*otherwise, depth)
            }
            ExprKind::Case { arms, other } => {
                arms.iter().any(|arm| self.branches(arm.value, depth))
                    || other.is_some_and(|other| self.branches(other, depth))
            }
            ExprKind::Apply { op: Operator::Builtin(Builtin::Implies), args } => match &args[..] {
                [_, Argument::Expr(then)] => self.branches(*then, depth),
                _ => false,
            },
            ExprKind::Apply { op: Operator::Definition(reference), .. } => {
                let id = reference.definition;
                depth == 0
                    || self.native(id).is_none()
                        && self.branches(spec.definition(id).body, depth - 1)
            }
            _ => false,
        }
    }
}
