//! Lowering of expressions.

use std::rc::Rc;

use lockstep_semantic::hir::{
    Argument, Binder, DefinitionKind, ExceptStep, ExceptUpdate, ExprId, ExprKind, LocalId, Operator,
};
use lockstep_syntax::Span;

use super::Lowerer;
use super::env::{Bound, Delayed, Env, Mode, Place};
use crate::error::code;
use crate::ir::{Bind, Failure, Node, NodeId, Slot, Step, Target, Update};

/// Room for one level of lowering, and how much to grow by.
const RED_ZONE: usize = 128 * 1024;
const GROWTH: usize = 4 * 1024 * 1024;

impl<'a> Lowerer<'a> {
    /// Lowers an expression.
    pub(super) fn expr(&mut self, id: ExprId, place: &Place<'a>) -> NodeId {
        stacker::maybe_grow(RED_ZONE, GROWTH, || {
            if self.is_counting() {
                self.counted_expr(id, place)
            } else {
                self.expr_inner(id, place)
            }
        })
    }

    pub(super) fn expr_inner(&mut self, id: ExprId, place: &Place<'a>) -> NodeId {
        let spec = self.spec;
        let expr = spec.expr(id);
        let span = expr.span;
        match &expr.kind {
            ExprKind::Error => self.fail(code::GENERAL, "An expression that has an error", span),
            ExprKind::Integer(value) => match value.and_then(|n| i32::try_from(n).ok()) {
                Some(n) => self.node(Node::Int(n), span),
                None => {
                    let text = spec.sources.text(span).to_owned();
                    let text = format!("TLC can't handle a number this big.\n{text}");
                    self.fail(code::NUMBER_TOO_BIG, text, span)
                }
            },
            ExprKind::Decimal(text) => {
                let text = format!("TLC can't handle real numbers.\n{text}");
                self.fail(code::GENERAL, text, span)
            }
            ExprKind::String(text) => {
                let sym = self.symbol(text);
                self.node(Node::Str(sym), span)
            }
            ExprKind::Local(local) => self.local(*local, place, span),
            ExprKind::Apply { op, args } => self.apply(op, args, place, span),
            ExprKind::And(items) => {
                let items = self.exprs(items, place);
                self.node(Node::And(items), span)
            }
            ExprKind::Or(items) => {
                let items = self.exprs(items, place);
                self.node(Node::Or(items), span)
            }
            ExprKind::FunctionApply { function, args } => {
                let function = self.expr(*function, place);
                let arg = self.tuple_of(args, place, span);
                match self.component(function, arg) {
                    Some(part) => part,
                    None => self.node(Node::Apply(function, arg), span),
                }
            }
            ExprKind::Field { record, field } => {
                let record = self.expr(*record, place);
                let field = self.symbol(field);
                self.node(Node::Field(record, field), span)
            }
            ExprKind::Tuple(items) => {
                let items = self.exprs(items, place);
                self.node(Node::Tuple(items), span)
            }
            ExprKind::SetEnum(items) => {
                let items = self.exprs(items, place);
                self.node(Node::SetEnum(items), span)
            }
            ExprKind::SetFilter { binder, body } => {
                let (bind, inner) = self.one_binder(binder, place);
                let body = self.loop_body(*body, &inner);
                self.node(Node::Filter { bind: Box::new(bind), body }, span)
            }
            ExprKind::SetMap { binders, body } => {
                let (binds, inner) = self.binders(binders, place);
                let body = self.loop_body(*body, &inner);
                self.node(Node::Map { binds, body }, span)
            }
            ExprKind::Function { binders, body } => {
                self.function_literal(binders, *body, None, place, span)
            }
            ExprKind::Record(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| (self.symbol(name), self.expr(*value, place)))
                    .collect();
                self.node(Node::Record(fields), span)
            }
            ExprKind::RecordSet(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, set)| (self.symbol(name), self.expr(*set, place)))
                    .collect();
                self.node(Node::RecordSet(fields), span)
            }
            ExprKind::Except { base, updates } => {
                let base = self.expr(*base, place);
                let updates = updates.iter().map(|it| self.update(it, place)).collect();
                self.node(Node::Except { base, updates }, span)
            }
            ExprKind::Quantified { for_all, binders, body } => {
                let (binds, inner) = self.binders(binders, place);
                let body = self.loop_body(*body, &inner);
                self.node(Node::Quantified { for_all: *for_all, binds, body }, span)
            }
            ExprKind::Unbounded { for_all, .. } => {
                let sign = if *for_all { "\\A" } else { "\\E" };
                let text = format!(
                    "TLC attempted to evaluate an unbounded {sign}.\nMake sure that the \
                     expression is of form {sign} x \\in S: P(x)."
                );
                self.fail(code::GENERAL, text, span)
            }
            ExprKind::TemporalQuantified { for_all, .. } => {
                let sign = if *for_all { "\\AA" } else { "\\EE" };
                let text = format!("TLC cannot handle the temporal formula {sign}.");
                self.fail(2301, text, span)
            }
            ExprKind::Choose { locals, tuple, set, body } => match set {
                Some(set) => {
                    let binder = Binder { locals: locals.clone(), tuple: *tuple, set: *set };
                    let (bind, inner) = self.one_binder(&binder, place);
                    let body = self.loop_body(*body, &inner);
                    self.node(Node::Choose { bind: Box::new(bind), body }, span)
                }
                None => self.fail(
                    code::GENERAL,
                    "TLC attempted to evaluate an unbounded CHOOSE.\nMake sure that the \
                     expression is of form CHOOSE x \\in S: P(x).",
                    span,
                ),
            },
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.expr(*condition, place);
                let then = self.expr(*then, place);
                let otherwise = self.expr(*otherwise, place);
                self.node(Node::If(condition, then, otherwise), span)
            }
            ExprKind::Case { arms, other } => {
                let arms = arms
                    .iter()
                    .map(|arm| (self.expr(arm.guard, place), self.expr(arm.value, place)))
                    .collect();
                let other = other.map(|other| self.expr(other, place));
                self.node(Node::Case { arms, other }, span)
            }
            ExprKind::Let { definitions, body } => {
                let (inner, scope) = self.open_let(definitions, place);
                let node = self.expr(*body, &inner);
                self.close_scope(scope, node, span)
            }
            ExprKind::BoxAction { action, subscript } => {
                // Of a refinement most steps change nothing, and that is cheap to see.
                let same = self.unchanged_expr(*subscript, place, span);
                let action = self.expr(*action, place);
                self.node(Node::Or([same, action].into()), span)
            }
            ExprKind::AngleAction { action, subscript } => {
                let action = self.expr(*action, place);
                let same = self.unchanged_expr(*subscript, place, span);
                let differs = self.node(Node::Not(same), span);
                self.node(Node::And([action, differs].into()), span)
            }
            ExprKind::Fairness { strong, .. } => {
                let sign = if *strong { "SF" } else { "WF" };
                self.temporal_failure(sign, span)
            }
            ExprKind::Label { body, .. } => self.expr(*body, place),
            ExprKind::AssumeProve => {
                self.fail(code::GENERAL, "ASSUME/PROVE cannot be evaluated.", span)
            }
        }
    }

    pub(super) fn temporal_failure(&mut self, sign: &str, span: Span) -> NodeId {
        let text = format!(
            "TLC encountered a temporal formula ({sign}) when evaluating a predicate or action."
        );
        self.fail(code::GENERAL, text, span)
    }

    pub(super) fn fail(&mut self, code: u32, message: impl Into<String>, span: Span) -> NodeId {
        self.node(Node::Fail(Box::new(Failure { code, message: message.into() })), span)
    }

    pub(super) fn exprs(&mut self, ids: &[ExprId], place: &Place<'a>) -> Box<[NodeId]> {
        ids.iter().map(|id| self.expr(*id, place)).collect()
    }

    /// The component of a tuple literal that is applied to a number. Only where leaving out the
    /// other components cannot leave out an error.
    fn component(&self, function: NodeId, arg: NodeId) -> Option<NodeId> {
        let function = match self.program.node(function) {
            Node::Lazy { body, .. } => *body,
            _ => function,
        };
        let Node::Tuple(items) = self.program.node(function) else { return None };
        let Node::Int(at) = self.program.node(arg) else { return None };
        let harmless = items.iter().all(|item| {
            matches!(
                self.program.node(*item),
                Node::Cur(_)
                    | Node::Int(_)
                    | Node::Bool(_)
                    | Node::Str(_)
                    | Node::Model(_)
                    | Node::Frozen(_)
            )
        });
        if !harmless {
            return None;
        }
        items.get(usize::try_from(*at).ok()?.checked_sub(1)?).copied()
    }

    pub(super) fn tuple_of(&mut self, args: &[ExprId], place: &Place<'a>, span: Span) -> NodeId {
        match args {
            [arg] => self.expr(*arg, place),
            _ => {
                let items = self.exprs(args, place);
                self.node(Node::Tuple(items), span)
            }
        }
    }

    /// A body that is evaluated many times.
    pub(super) fn loop_body(&mut self, body: ExprId, place: &Place<'a>) -> NodeId {
        self.frame_mut().loops += 1;
        let node = self.expr(body, place);
        self.frame_mut().loops -= 1;
        node
    }

    /// Takes slots for one binder.
    fn one_binder(&mut self, binder: &Binder, place: &Place<'a>) -> (Bind, Place<'a>) {
        let (binds, inner) = self.binders(std::slice::from_ref(binder), place);
        match <[Bind; 1]>::try_from(binds.into_vec()) {
            Ok([bind]) => (bind, inner),
            // SANY refuses several names here.
            Err(_) => unreachable!("one binder with one pattern makes one bind"),
        }
    }

    /// Takes slots for binders; the sets are evaluated outside of all of them.
    pub(super) fn binders(
        &mut self,
        binders: &[Binder],
        place: &Place<'a>,
    ) -> (Box<[Bind]>, Place<'a>) {
        self.binders_in(binders, place, true)
    }

    /// The same, where it is told whether the sets are enumerated one by one.
    pub(super) fn binders_in(
        &mut self,
        binders: &[Binder],
        place: &Place<'a>,
        enumerates: bool,
    ) -> (Box<[Bind]>, Place<'a>) {
        let sets: Vec<NodeId> = binders
            .iter()
            .map(|it| {
                let set = self.expr(it.set, place);
                if enumerates { self.enumerated(set) } else { set }
            })
            .collect();
        let mut env = place.env.clone();
        let mut binds = Vec::new();
        for (binder, set) in binders.iter().zip(sets) {
            let span = self.spec.expr(binder.set).span;
            if binder.tuple {
                let n = binder.locals.len() as u16;
                let first = self.frame_mut().take(n);
                for (idx, local) in binder.locals.iter().enumerate() {
                    env = self.bind_slot(&env, *local, first + idx as u16);
                }
                binds.push(Bind { target: Target::Tuple(first, n), set, span });
            } else {
                for local in &binder.locals {
                    let slot = self.frame_mut().take(1);
                    env = self.bind_slot(&env, *local, slot);
                    self.holds_elements(slot, set);
                    binds.push(Bind { target: Target::Slot(slot), set, span });
                }
            }
        }
        (binds.into(), place.with_env(env))
    }

    pub(super) fn bind_slot(&self, env: &Env<'a>, local: LocalId, slot: Slot) -> Env<'a> {
        env.bind(local, Bound::Slot(self.frame().id, slot))
    }

    /// `[x \in S |-> e]`; with `itself`, the definition of a function that its body mentions.
    pub(super) fn function_literal(
        &mut self,
        binders: &[Binder],
        body: ExprId,
        itself: Option<lockstep_semantic::hir::DefinitionId>,
        place: &Place<'a>,
        span: Span,
    ) -> NodeId {
        let mut place = place.clone();
        let own = itself.map(|definition| {
            let slot = self.frame_mut().take(1);
            let bound = Bound::Slot(self.frame().id, slot);
            place.env = place.env.define(definition, Some(bound));
            slot
        });
        // The bounds of a function are not made step by step.
        let (binds, inner) = self.binders_in(binders, &place, false);
        let body = self.loop_body(body, &inner);
        self.node(Node::Function { binds: binds.into(), body, itself: own }, span)
    }

    fn update(&mut self, update: &ExceptUpdate, place: &Place<'a>) -> Update {
        let path = update
            .path
            .iter()
            .map(|step| match step {
                ExceptStep::Index(args) => Step::Index(self.tuple_of(args, place, update.span)),
                ExceptStep::Field(name) => Step::Field(self.symbol(name)),
            })
            .collect();
        let at = self.frame_mut().take(1);
        let inner = place.with_env(self.bind_slot(&place.env, update.at, at));
        let value = self.expr(update.value, &inner);
        let uses_at = self.reads_slot(value, at);
        Update { path, at, uses_at, value, span: update.span }
    }

    fn reads_slot(&self, node: NodeId, slot: Slot) -> bool {
        self.effects(node).min_slot <= slot
            && crate::ir::captures(&self.program, node).contains(&slot)
    }

    /// Binds the definitions of a LET. The scope is the range of memo slots taken.
    pub(super) fn open_let(
        &mut self,
        definitions: &[lockstep_semantic::hir::DefinitionId],
        place: &Place<'a>,
    ) -> (Place<'a>, Scope<'a>) {
        let mut env = place.env.clone();
        let lo = self.frame().max;
        let mut delayed = Vec::new();
        for id in definitions {
            let definition = self.spec.definition(*id);
            let by_value = definition.params.is_empty()
                && definition.kind != DefinitionKind::Subexpression
                && !(definition.recursive && definition.kind != DefinitionKind::Function);
            if by_value {
                let slot = self.frame_mut().take(1);
                let it = Rc::new(Delayed {
                    expr: definition.body,
                    place: place.with_env(env.clone()),
                    memo: Some((self.frame().id, slot)),
                    loops: self.frame().loops,
                    lowered: None.into(),
                    uses: Vec::new().into(),
                    definition: Some(*id),
                    busy: false.into(),
                    cost: self.cost_of_definition(definition.body),
                });
                delayed.push(it.clone());
                env = env.define(*id, Some(Bound::Delayed(it)));
            } else {
                env = env.define(*id, None);
            }
        }
        let hi = self.frame().max;
        (place.with_env(env), Scope { lo, hi, delayed })
    }

    /// Ends a scope: its slots are emptied before `node` if any is used.
    pub(super) fn close_scope(&mut self, scope: Scope<'a>, node: NodeId, span: Span) -> NodeId {
        if self.settle(&scope) {
            return self.node(Node::Scope { lo: scope.lo, hi: scope.hi, body: node }, span);
        }
        // Reads of the scope's slots were replaced by what they stood for.
        let effects = &mut self.effects[node.index()];
        if effects.min_slot >= scope.lo {
            effects.min_slot = Slot::MAX;
        }
        node
    }

    /// Writes values that are used once in their place; whether any slot is still used.
    pub(super) fn settle(&mut self, scope: &Scope<'a>) -> bool {
        let mut used = false;
        for it in &scope.delayed {
            let uses = it.uses.borrow();
            match uses.as_slice() {
                [] => {}
                [(node, loops)] if *loops == it.loops => {
                    if let Some(body) = it.lowered.get() {
                        self.program.nodes[node.index()] = self.program.nodes[body.index()].clone();
                        self.program.spans[node.index()] = self.program.spans[body.index()];
                        if let Some(mut frames) = self.program.frames.get(&body).cloned() {
                            frames.extend(self.program.frames.remove(node).into_iter().flatten());
                            self.program.frames.insert(*node, frames);
                        }
                    }
                }
                _ => used = true,
            }
        }
        used
    }

    /// A bound variable, parameter or `@`.
    fn local(&mut self, local: LocalId, place: &Place<'a>, span: Span) -> NodeId {
        match place.env.local(local).cloned() {
            Some(bound) => self.bound(&bound, place.mode, span),
            None => {
                let name = self.spec.local(local).name.clone();
                self.fail(code::GENERAL, format!("The name {name} has no value here."), span)
            }
        }
    }

    /// What a bound name stands for, as an expression.
    pub(super) fn bound(&mut self, bound: &Bound<'a>, mode: Mode, span: Span) -> NodeId {
        match bound {
            Bound::Slot(frame, slot) => {
                let slot = self.slot((*frame, *slot), None);
                self.node(Node::Local(slot), span)
            }
            Bound::Frozen(idx) => self.node(Node::Frozen(*idx), span),
            Bound::Delayed(delayed) => self.delayed(delayed, mode, span),
            Bound::OperatorSlot(..) | Bound::Operator(_) => {
                self.fail(code::GENERAL, "An operator was used as a value.", span)
            }
        }
    }

    /// The mode in which something bound elsewhere is lowered here.
    pub(super) fn mode_for(&self, place: &Place<'a>, mode: Mode) -> Mode {
        let virtuals = if mode.virtuals != 0
            && self.is_within(place.context, self.virtuals[mode.virtuals as usize].context)
        {
            mode.virtuals
        } else {
            0
        };
        Mode { primed: mode.primed || place.mode.primed, virtuals, ..mode }
    }

    /// An operator argument or LET definition, kept in its slot where that is sound.
    pub(super) fn delayed(&mut self, it: &Rc<Delayed<'a>>, mode: Mode, span: Span) -> NodeId {
        let mode = self.mode_for(&it.place, mode);
        let Some((frame, slot)) = it.memo.filter(|_| mode == it.place.mode) else {
            return self.delayed_use(it, mode, span);
        };
        if frame != self.frame().id {
            if let Some(node) = it.lowered.get()
                && self.effects(node).min_slot == Slot::MAX
                && self.is_trivial(node)
            {
                return node;
            }
            if !self.may_keep_delayed(it) {
                return self.delayed_use(it, mode, span);
            }
            let slot = self.slot((frame, slot), Some(it));
            it.uses.borrow_mut().extend([(NodeId(0), u32::MAX); 2]);
            let node = self.node(Node::Local(slot), span);
            return match it.definition {
                Some(definition) => self.note_frame(node, definition, span, 0),
                None => node,
            };
        }
        let body = match it.lowered.get() {
            Some(body) => body,
            None => {
                let body = self.delayed_body(it, mode);
                let body = self.hoisted(body);
                it.lowered.set(Some(body));
                body
            }
        };
        let effects = self.effects(body);
        if self.is_trivial(body) {
            // Where it is used, not where it was written, is its place.
            return match self.program.node(body) {
                Node::Lazy { .. } => body,
                _ => self.copy(body, Some(span)),
            };
        }
        if effects.reads_next && !mode.stable {
            return body;
        }
        let node = self.node(Node::Lazy { slot, body }, span);
        if let Some(definition) = it.definition {
            self.note_frame(node, definition, span, 0);
        }
        let loops = self.frame().loops;
        it.uses.borrow_mut().push((node, loops));
        node
    }

    /// Whether the value of something of an outer frame may be passed to an inner one.
    fn may_keep_delayed(&self, it: &Delayed<'a>) -> bool {
        match it.lowered.get() {
            Some(node) => !self.effects(node).reads_next || it.place.mode.stable,
            // Not lowered yet: go by the level that the analysis found.
            None => {
                it.place.mode.stable
                    || (!it.place.mode.init
                        && self.spec.expr(it.expr).level < lockstep_semantic::hir::Level::Action)
            }
        }
    }

    fn delayed_use(&mut self, it: &Rc<Delayed<'a>>, mode: Mode, span: Span) -> NodeId {
        let before = self.program.nodes.len();
        let node = self.delayed_body(it, mode);
        match it.definition {
            Some(definition) => self.note_frame(node, definition, span, before),
            None => node,
        }
    }

    fn delayed_body(&mut self, it: &Rc<Delayed<'a>>, mode: Mode) -> NodeId {
        let span = self.spec.expr(it.expr).span;
        if it.busy.replace(true) {
            return self.fail(code::GENERAL, "The value of a name depends on itself.", span);
        }
        let place = it.place.with_mode(mode);
        let node = match it.definition {
            Some(definition) => {
                self.counted_at(it.cost, |this| this.value_definition(definition, &place))
            }
            None => self.counted_at(it.cost, |this| this.expr(it.expr, &place)),
        };
        it.busy.set(false);
        node
    }

    /// The body of a definition without parameters.
    pub(super) fn value_definition(
        &mut self,
        id: lockstep_semantic::hir::DefinitionId,
        place: &Place<'a>,
    ) -> NodeId {
        let definition = self.spec.definition(id);
        match &self.spec.expr(definition.body).kind {
            ExprKind::Function { binders, body }
                if definition.kind == DefinitionKind::Function && definition.recursive =>
            {
                let span = self.spec.expr(definition.body).span;
                self.counted_under(definition.body, |this| {
                    this.function_literal(binders, *body, Some(id), place, span)
                })
            }
            _ => self.expr(definition.body, place),
        }
    }

    /// Remembers that a node is what a definition used at `span` stands for, in its own node where
    /// other uses share it. Nodes from `fresh` on were made for this use.
    pub(super) fn note_frame(
        &mut self,
        node: NodeId,
        id: lockstep_semantic::hir::DefinitionId,
        span: Span,
        fresh: usize,
    ) -> NodeId {
        let node = match self.program.node(node) {
            Node::Const(_) => self.copy(node, None),
            _ if self.is_literal(node) || node.index() < fresh => return node,
            _ => node,
        };
        let name = self.spec.definition(id).name.clone();
        self.program.frames.entry(node).or_default().push((name, span));
        node
    }

    /// A node of its own for something that others share.
    fn copy(&mut self, node: NodeId, span: Option<Span>) -> NodeId {
        let id = NodeId(self.program.nodes.len() as u32);
        self.program.nodes.push(self.program.nodes[node.index()].clone());
        self.program.spans.push(span.unwrap_or(self.program.spans[node.index()]));
        self.effects.push(self.effects[node.index()]);
        if let Some(frames) = self.program.frames.get(&node).cloned() {
            self.program.frames.insert(id, frames);
        }
        self.n_copies += 1;
        id
    }

    /// Whether two nodes read the same thing, if they are so small that this shows.
    fn is_same(&self, a: NodeId, b: NodeId) -> bool {
        match (self.program.node(a), self.program.node(b)) {
            (Node::Const(a), Node::Const(b)) => a == b,
            (Node::Frozen(a), Node::Frozen(b)) => a == b,
            (Node::Local(a), Node::Local(b)) => a == b,
            (Node::Int(a), Node::Int(b)) => a == b,
            (Node::Bool(a), Node::Bool(b)) => a == b,
            (Node::Str(a), Node::Str(b)) => a == b,
            (Node::Model(a), Node::Model(b)) => a == b,
            _ => a == b,
        }
    }

    /// `e' = e`, variable by variable where `e` is a tuple.
    pub(super) fn unchanged_expr(&mut self, id: ExprId, place: &Place<'a>, span: Span) -> NodeId {
        let mut parts = Vec::new();
        self.tuple_parts(id, place, &mut parts);
        let mut tests: Vec<NodeId> = Vec::new();
        for (expr, place) in parts {
            let now = self.expr(expr, &place);
            let then = self.expr(expr, &place.primed());
            if self.is_same(now, then) {
                continue;
            }
            tests.push(self.node(Node::Equal(then, now), span));
        }
        match tests.as_slice() {
            [one] => *one,
            _ => self.node(Node::And(tests.into()), span),
        }
    }

    /// The parts of a tuple of tuples, through definitions.
    pub(super) fn tuple_parts(
        &mut self,
        id: ExprId,
        place: &Place<'a>,
        parts: &mut Vec<(ExprId, Place<'a>)>,
    ) {
        let spec = self.spec;
        match &spec.expr(id).kind {
            ExprKind::Tuple(items) => {
                for item in items {
                    self.tuple_parts(*item, place, parts);
                }
            }
            ExprKind::Label { body, .. } => self.tuple_parts(*body, place, parts),
            ExprKind::Local(local) => match place.env.local(*local) {
                Some(Bound::Delayed(it)) => {
                    let it = it.clone();
                    let place = it.place.with_mode(self.mode_for(&it.place, place.mode));
                    self.tuple_parts(it.expr, &place, parts);
                }
                _ => parts.push((id, place.clone())),
            },
            ExprKind::Apply { op: Operator::Definition(reference), args } if args.is_empty() => {
                match self.open_value_definition(reference, place) {
                    Some((body, inner)) => {
                        let before = parts.len();
                        self.tuple_parts(body, &inner, parts);
                        // What is no tuple stays a definition: its value may be kept.
                        if let [(only, _)] = &parts[before..]
                            && *only == body
                        {
                            parts[before] = (id, place.clone());
                        }
                    }
                    None => parts.push((id, place.clone())),
                }
            }
            ExprKind::Apply { op: Operator::Decl(decl), args } if args.is_empty() => {
                if self.virtual_variable(*decl, place).is_some() {
                    // Under ENABLED its next value is its own, not that of the substitute.
                    parts.push((id, place.clone()));
                    return;
                }
                match self.substitute(*decl, place) {
                    Some((Argument::Expr(expr), inner)) => self.tuple_parts(*expr, &inner, parts),
                    _ => parts.push((id, place.clone())),
                }
            }
            _ => parts.push((id, place.clone())),
        }
    }
}

/// Memo slots taken for the parameters of an expanded definition or the definitions of a LET.
pub(super) struct Scope<'a> {
    pub(super) lo: Slot,
    pub(super) hi: Slot,
    pub(super) delayed: Vec<Rc<Delayed<'a>>>,
}
