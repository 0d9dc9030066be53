//! Lowering of names and applications: declarations through instances, definitions by
//! expansion, operators given as arguments.

use std::rc::Rc;

use lockstep_semantic::hir::{
    Argument, Builtin, DeclId, DeclKind, DefinitionId, DefinitionKind, DefinitionRef, ExprId,
    ExprKind, InstanceStep, Level, LocalId, Operator, OperatorArgument,
};
use lockstep_syntax::Span;

use super::Lowerer;
use super::bind::Replacement;
use super::env::{Bound, Context, ContextId, Delayed, DelayedOperator, Env, Found, Mode, Place};
use super::expr::Scope;
use crate::error::code;
use crate::ir::{Arg, Arithmetic, NativeRef, Node, NodeId, Slot};
use crate::stdlib::{Native, Param, Run};

/// Definitions that took more nodes than this become functions when used again.
const OUTLINE: usize = 400;

/// An operator with everything that its meaning depends on.
#[derive(Clone)]
pub(super) enum Resolved<'a> {
    Builtin(Builtin),
    Lambda(&'a [LocalId], ExprId, Place<'a>),
    /// A definition, with the place of the reference.
    Definition(&'a DefinitionRef, Place<'a>),
    /// A definition by id at the root, from the configuration.
    Target(DefinitionId, Place<'a>),
    /// A constant or variable that nothing replaces.
    Decl(DeclId, Place<'a>),
    /// An operator in a slot.
    Slot(u32, Slot),
    Unknown,
}

impl<'a> Lowerer<'a> {
    /// An operator applied to arguments.
    pub(super) fn apply(
        &mut self,
        op: &'a Operator,
        args: &'a [Argument],
        place: &Place<'a>,
        span: Span,
    ) -> NodeId {
        match op {
            Operator::Builtin(builtin) => self.builtin(*builtin, args, place, span),
            Operator::Decl(decl) if args.is_empty() => self.decl(*decl, place, span),
            _ => {
                let resolved = self.resolve(op, place);
                let lo = self.frame().max;
                let bounds: Vec<Bound<'a>> =
                    args.iter().map(|arg| self.argument(arg, place)).collect();
                let hi = self.frame().max;
                self.apply_resolved(&resolved, bounds, (lo, hi), place.mode, span)
            }
        }
    }

    /// What an operator's name leads to.
    pub(super) fn resolve(&mut self, op: &'a Operator, place: &Place<'a>) -> Resolved<'a> {
        match op {
            Operator::Builtin(builtin) => Resolved::Builtin(*builtin),
            Operator::Definition(reference) => Resolved::Definition(reference, place.clone()),
            Operator::Local(local) => match place.env.local(*local) {
                Some(Bound::Operator(it)) => {
                    let it = it.clone();
                    let mode = self.mode_for(&it.place, place.mode);
                    self.resolve_argument(it.operator, &it.place.with_mode(mode))
                }
                Some(Bound::OperatorSlot(frame, slot)) => Resolved::Slot(*frame, *slot),
                _ => Resolved::Unknown,
            },
            Operator::Decl(decl) => match self.substitute(*decl, place) {
                Some((Argument::Operator(operator), inner)) => {
                    self.resolve_argument(operator, &inner)
                }
                Some((Argument::Expr(_), _)) => Resolved::Unknown,
                None => match self.replacement_of_decl(*decl, place) {
                    Some(Replacement::Definition(target)) => {
                        Resolved::Target(target, self.root_place(place.mode))
                    }
                    _ => Resolved::Decl(*decl, place.clone()),
                },
            },
        }
    }

    /// What an operator argument leads to.
    pub(super) fn resolve_argument(
        &mut self,
        arg: &'a OperatorArgument,
        place: &Place<'a>,
    ) -> Resolved<'a> {
        match arg {
            OperatorArgument::Named(op) => self.resolve(op, place),
            OperatorArgument::Lambda { params, body, .. } => {
                Resolved::Lambda(params, *body, place.clone())
            }
        }
    }

    /// An argument, not evaluated; takes a memo slot unless it is a name.
    pub(super) fn argument(&mut self, arg: &'a Argument, place: &Place<'a>) -> Bound<'a> {
        let cost = self.cost_of_argument(arg);
        match arg {
            Argument::Operator(operator) => {
                Bound::Operator(Rc::new(DelayedOperator { operator, place: place.clone() }))
            }
            Argument::Expr(expr) => {
                if let ExprKind::Local(local) = &self.spec.expr(*expr).kind
                    && cost.is_none()
                    && let Some(bound) = place.env.local(*local)
                {
                    return bound.clone();
                }
                let slot = self.frame_mut().take(1);
                Bound::Delayed(Rc::new(Delayed {
                    expr: *expr,
                    place: place.clone(),
                    memo: Some((self.frame().id, slot)),
                    loops: self.frame().loops,
                    lowered: None.into(),
                    uses: Vec::new().into(),
                    definition: None,
                    busy: false.into(),
                    cost,
                }))
            }
        }
    }

    /// Applies an operator to arguments whose memo slots are `slots`.
    pub(super) fn apply_resolved(
        &mut self,
        resolved: &Resolved<'a>,
        args: Vec<Bound<'a>>,
        slots: (Slot, Slot),
        mode: Mode,
        span: Span,
    ) -> NodeId {
        let node = match resolved {
            Resolved::Builtin(builtin) => {
                let nodes: Vec<NodeId> =
                    args.iter().map(|arg| self.bound(arg, mode, span)).collect();
                self.builtin_on(*builtin, nodes, span)
            }
            Resolved::Lambda(params, body, place) => {
                let place = place.with_mode(mode_at(place, mode));
                let inner = self.bind_params(params, &args, &place);
                let mark = self.cost_mark();
                let node = self.expr(*body, &inner);
                self.share_lambda(*body, mark);
                node
            }
            Resolved::Definition(reference, place) => {
                let place = place.with_mode(mode_at(place, mode));
                self.apply_definition(reference, &args, &place, span)
            }
            Resolved::Target(definition, place) => {
                let place = place.with_mode(mode_at(place, mode));
                self.expand(*definition, &args, &place, span)
            }
            Resolved::Decl(decl, place) => self.apply_constant(*decl, &args, place, mode, span),
            Resolved::Slot(frame, slot) => {
                let slot = self.slot((*frame, *slot), None);
                let args = args.iter().map(|arg| self.arg(arg, mode, span)).collect();
                self.node(Node::CallOperator { slot, args }, span)
            }
            Resolved::Unknown => {
                self.fail(code::GENERAL, "An operator without a definition was applied.", span)
            }
        };
        let fresh = args
            .into_iter()
            .filter_map(|arg| match arg {
                Bound::Delayed(it)
                    if it.memo.is_some_and(|(frame, slot)| {
                        frame == self.frame().id && slot >= slots.0 && slot < slots.1
                    }) =>
                {
                    Some(it)
                }
                _ => None,
            })
            .collect();
        self.close_scope(Scope { lo: slots.0, hi: slots.1, delayed: fresh }, node, span)
    }

    pub(super) fn bind_params(
        &self,
        params: &[LocalId],
        args: &[Bound<'a>],
        place: &Place<'a>,
    ) -> Place<'a> {
        let mut env = place.env.clone();
        for (param, arg) in params.iter().zip(args) {
            env = env.bind(*param, arg.clone());
        }
        place.with_env(env)
    }

    /// A definition applied, seen from the place of the reference.
    fn apply_definition(
        &mut self,
        reference: &'a DefinitionRef,
        args: &[Bound<'a>],
        place: &Place<'a>,
        span: Span,
    ) -> NodeId {
        if reference.path.is_empty()
            && let Some(found) = place.env.definition(reference.definition)
        {
            return match found {
                Found::Bound(bound) => self.bound(&bound, place.mode, span),
                Found::Defined(env) => {
                    let inner = place.with_env(env);
                    self.expand(reference.definition, args, &inner, span)
                }
            };
        }
        let id = reference.definition;
        if let Some(replacement) = self.replacement_of_definition(reference, place) {
            return self.replaced(id, &replacement, args, place, span);
        }
        let inner = self.enter(&reference.path, place);
        let module = self.spec.definition(id).module;
        let inner = Place { module, ..inner };
        self.expand(id, args, &inner, span)
    }

    /// A definition that the configuration replaces.
    fn replaced(
        &mut self,
        id: DefinitionId,
        replacement: &Replacement,
        args: &[Bound<'a>],
        place: &Place<'a>,
        span: Span,
    ) -> NodeId {
        match replacement {
            Replacement::Value(node) => self.literal(node, span),
            Replacement::Points(points) => {
                let nodes: Vec<NodeId> =
                    args.iter().map(|arg| self.bound(arg, place.mode, span)).collect();
                let name = self.spec.definition(id).name.clone();
                self.pointwise(&name, nodes, points, span)
            }
            Replacement::Definition(target) => {
                self.replacing.push(id);
                let inner = self.root_place(place.mode);
                let node = self.uncounted(|this| this.expand(*target, args, &inner, span));
                self.replacing.pop();
                node
            }
        }
    }

    /// A definition with its arguments; `place` is where its body stands.
    pub(super) fn expand(
        &mut self,
        id: DefinitionId,
        args: &[Bound<'a>],
        place: &Place<'a>,
        span: Span,
    ) -> NodeId {
        let spec = self.spec;
        let definition = spec.definition(id);
        if let Some(native) = self.native(id) {
            return self.apply_native(native, args, place.mode, span);
        }
        if args.len() != definition.params.len() {
            let text = format!(
                "The operator {} takes {} arguments, not {}.",
                definition.name,
                definition.params.len(),
                args.len()
            );
            return self.fail(code::GENERAL, text, span);
        }
        let by_value = definition.params.is_empty();
        if by_value && (!definition.recursive || definition.kind == DefinitionKind::Function) {
            return self.expand_value(id, place, span);
        }
        if definition.recursive || self.open.contains(&id) {
            return self.call(id, args, place, span);
        }
        let outline = !self.is_counting()
            && self.cost_of.get(&id).is_some_and(|cost| *cost > OUTLINE)
            && args.iter().all(|arg| !matches!(arg, Bound::Operator(_)))
            && self.spec.expr(definition.body).level < Level::Action
            && !place.mode.init;
        if outline {
            return self.call(id, args, place, span);
        }
        let (before, copies) = (self.program.nodes.len(), self.n_copies);
        let inner = self.bind_params(&definition.params, args, place);
        self.open.push(id);
        let node = self.expr(definition.body, &inner);
        self.open.pop();
        let cost = self.program.nodes.len() - before - (self.n_copies - copies);
        self.cost_of.insert(id, cost);
        self.note_frame(node, id, span, before)
    }

    /// A definition without parameters: constants once, state-level ones once per state.
    fn expand_value(&mut self, id: DefinitionId, place: &Place<'a>, span: Span) -> NodeId {
        let shared = place.env.0.is_none() && self.is_shared(place.context);
        let before = self.program.nodes.len();
        if self.is_counting() && !self.open.contains(&id) {
            if shared && self.spec.definition(id).level == Level::Constant {
                return self.uncounted(|this| this.expand_value(id, place, span));
            }
            self.open.push(id);
            let node = self.value_definition(id, place);
            self.open.pop();
            return self.note_frame(node, id, span, before);
        }
        if !shared {
            let node = self.value_definition(id, place);
            return self.note_frame(node, id, span, before);
        }
        let constant = (id, place.context, Mode::default());
        if let Some(node) = self.definition_of.get(&constant) {
            return self.note_frame(*node, id, span, before);
        }
        let plain = !place.mode.primed && !place.mode.init && place.mode.virtuals == 0;
        if plain && let Some((memo, function)) = self.memo_of.get(&(id, place.context)) {
            let node = Node::StateDef { memo: *memo, function: *function };
            let node = self.node(node, span);
            return self.note_frame(node, id, span, before);
        }
        if self.open.contains(&id) {
            // Functions defined by means of one another.
            return self.call(id, &[], place, span);
        }
        if place.mode.primed && !place.mode.init && place.mode.virtuals == 0 {
            let here = place.with_mode(Mode { primed: false, ..place.mode });
            let present = self.expand_value(id, &here, span);
            if let Node::StateDef { memo, function } = self.program.nodes[present.index()] {
                self.open.push(id);
                let otherwise = self.value_definition(id, place);
                self.open.pop();
                let node = self.node(Node::NextDef { memo, function, otherwise }, span);
                return self.note_frame(node, id, span, before);
            }
        }
        self.open.push(id);
        // On its own frame first, to see what it depends on.
        self.push_frame();
        let body = self.value_definition(id, place);
        let random = self.is_random_constant(id, body);
        let effects = self.effects(body);
        let closed = effects.min_slot == Slot::MAX;
        let node = if closed && (effects.is_constant() || random) {
            self.pop_if_constant(body, random)
        } else {
            None
        };
        let frame = self.pop_frame();
        let node = if let Some(node) = node {
            self.definition_of.insert(constant, node);
            node
        } else if plain
            && closed
            && effects.heavy
            && effects.reads_cur
            && !effects.reads_next
            && !effects.impure
            && frame.captures.is_empty()
        {
            let function = self.add_function(id, &frame, body, 0);
            let memo = crate::ir::MemoId(self.program.n_memos);
            self.program.n_memos += 1;
            self.memo_of.insert((id, place.context), (memo, function));
            self.node(Node::StateDef { memo, function }, span)
        } else {
            self.value_definition(id, place)
        };
        self.open.pop();
        self.note_frame(node, id, span, before)
    }

    fn pop_if_constant(&mut self, body: NodeId, random: bool) -> Option<NodeId> {
        if random {
            // Drawn once and for all.
            self.effects[body.index()].impure = false;
        }
        Some(self.hoisted(body))
    }

    /// A definition of constant level whose only impurity is drawing random values.
    fn is_random_constant(&self, id: DefinitionId, body: NodeId) -> bool {
        self.spec.definition(id).level == Level::Constant
            && self.effects(body).impure
            && self.draws_only(body)
    }

    /// The native operator behind a definition, unless the definition is the user's own.
    pub(super) fn native(&self, id: DefinitionId) -> Option<&'static Native> {
        let definition = self.spec.definition(id);
        if definition.enclosing.is_some() {
            return None;
        }
        let module = &self.spec.module(definition.module).name;
        crate::stdlib::native(module, &definition.name, definition.params.len())
    }

    fn apply_native(
        &mut self,
        native: &'static Native,
        args: &[Bound<'a>],
        mode: Mode,
        span: Span,
    ) -> NodeId {
        if let Run::Strict(_) = native.run {
            let args: Box<[NodeId]> = args.iter().map(|arg| self.bound(arg, mode, span)).collect();
            let native = NativeRef(native);
            return match (arithmetic(native.module, native.name), &*args) {
                (Some(op), [a, b]) => {
                    self.node(Node::Arithmetic { op, native, args: [*a, *b] }, span)
                }
                _ => self.node(Node::Native { native, args }, span),
            };
        }
        let args = native
            .params
            .iter()
            .zip(args)
            .map(|(param, arg)| match param {
                Param::Value => Arg::Eager(self.bound(arg, mode, span)),
                Param::Operator(n) => self.operator_arg(arg, u16::from(*n), mode, span),
                Param::Thunk => Arg::Lazy(self.bound(arg, mode, span)),
            })
            .collect();
        self.node(Node::NativeSpecial { native: NativeRef(native), args }, span)
    }

    /// An operator argument for something that calls it at run time.
    pub(super) fn operator_arg(
        &mut self,
        arg: &Bound<'a>,
        n_params: u16,
        mode: Mode,
        span: Span,
    ) -> Arg {
        let resolved = match arg {
            Bound::Operator(it) => {
                let inner = self.mode_for(&it.place, mode);
                self.resolve_argument(it.operator, &it.place.with_mode(inner))
            }
            Bound::OperatorSlot(frame, slot) => Resolved::Slot(*frame, *slot),
            Bound::Slot(..) | Bound::Delayed(_) | Bound::Frozen(_) => Resolved::Unknown,
        };
        if let Resolved::Slot(frame, slot) = resolved {
            return Arg::Slot(self.slot((frame, slot), None));
        }
        let params = self.frame_mut().take(n_params);
        let frame = self.frame().id;
        let bounds = (0..n_params).map(|idx| Bound::Slot(frame, params + idx)).collect();
        self.frame_mut().loops += 1;
        let depth = self.frame().max;
        let body = self.apply_resolved(&resolved, bounds, (depth, depth), mode, span);
        self.frame_mut().loops -= 1;
        Arg::Operator { body, params, n_params }
    }

    /// An argument of a call with its own frame.
    pub(super) fn arg(&mut self, arg: &Bound<'a>, mode: Mode, span: Span) -> Arg {
        match arg {
            Bound::Slot(frame, slot) => Arg::Slot(self.slot((*frame, *slot), None)),
            Bound::OperatorSlot(frame, slot) => Arg::Slot(self.slot((*frame, *slot), None)),
            Bound::Frozen(_) => Arg::Eager(self.bound(arg, mode, span)),
            Bound::Operator(it) => {
                let n = self.operator_arity(it);
                self.operator_arg(arg, n, mode, span)
            }
            Bound::Delayed(it) => {
                let node = self.delayed(it, mode, span);
                if let Node::Lazy { slot, body } = self.program.node(node) {
                    let (slot, body) = (*slot, *body);
                    if Rc::strong_count(it) > 1 {
                        it.uses.borrow_mut().push((node, u32::MAX));
                        return Arg::Memo { slot, body };
                    }
                    it.uses.borrow_mut().clear();
                    return if self.effects(body).heavy {
                        Arg::Lazy(body)
                    } else {
                        Arg::Eager(body)
                    };
                }
                if self.effects(node).heavy { Arg::Lazy(node) } else { Arg::Eager(node) }
            }
        }
    }

    fn operator_arity(&mut self, it: &DelayedOperator<'a>) -> u16 {
        match self.resolve_argument(it.operator, &it.place) {
            Resolved::Builtin(builtin) => match builtin {
                Builtin::Not
                | Builtin::Subset
                | Builtin::Union
                | Builtin::Domain
                | Builtin::Prime
                | Builtin::Unchanged
                | Builtin::Enabled
                | Builtin::Always
                | Builtin::Eventually => 1,
                _ => 2,
            },
            Resolved::Lambda(params, ..) => params.len() as u16,
            Resolved::Definition(reference, _) => {
                self.spec.definition(reference.definition).params.len() as u16
            }
            Resolved::Target(id, _) => self.spec.definition(id).params.len() as u16,
            Resolved::Decl(decl, _) => self.spec.decl(decl).arity as u16,
            Resolved::Slot(..) | Resolved::Unknown => 0,
        }
    }

    // --- declarations and instances ---

    /// Whether a context is `inner` itself or inside of `outer`.
    pub(super) fn is_within(&self, inner: ContextId, outer: ContextId) -> bool {
        let mut it = inner;
        loop {
            if it == outer {
                return true;
            }
            if it == ContextId::ROOT {
                return false;
            }
            it = self.contexts[it.0 as usize].parent;
        }
    }

    /// Whether a context is the same for every reference, so that what is made in it can be kept.
    pub(super) fn is_shared(&self, context: ContextId) -> bool {
        let mut it = context;
        while it != ContextId::ROOT {
            let entry = &self.contexts[it.0 as usize];
            if self.context_of.get(&(entry.parent, entry.instance)) != Some(&it) {
                return false;
            }
            it = entry.parent;
        }
        true
    }

    /// Goes through instances.
    pub(super) fn enter(&mut self, path: &'a [InstanceStep], place: &Place<'a>) -> Place<'a> {
        if path.is_empty() {
            return Place { env: Env::default(), ..place.clone() };
        }
        let spec = self.spec;
        let mut context = place.context;
        let mut module = place.module;
        for step in path {
            let instance = spec.instance(step.instance);
            let simple = instance.params.is_empty() && !self.needs_env(step.instance);
            if simple && let Some(known) = self.context_of.get(&(context, step.instance)) {
                context = *known;
                module = instance.target;
                continue;
            }
            let mut env = if simple { Env::default() } else { place.env.clone() };
            for (param, arg) in instance.params.iter().zip(&step.args) {
                // Instance arguments have no memo slot: their context outlives any scope.
                let bound = match arg {
                    Argument::Operator(operator) => {
                        Bound::Operator(Rc::new(DelayedOperator { operator, place: place.clone() }))
                    }
                    Argument::Expr(expr) => Bound::Delayed(Rc::new(Delayed {
                        expr: *expr,
                        place: place.with_mode(Mode { primed: false, ..place.mode }),
                        memo: None,
                        loops: 0,
                        lowered: None.into(),
                        uses: Vec::new().into(),
                        definition: None,
                        busy: false.into(),
                        cost: None,
                    })),
                };
                env = env.bind(*param, bound);
            }
            let id = ContextId(self.contexts.len() as u32);
            self.contexts.push(Context {
                parent: context,
                instance: step.instance,
                env,
                module: instance.module,
            });
            if simple {
                self.context_of.insert((context, step.instance), id);
            }
            context = id;
            module = instance.target;
        }
        Place { env: Env::default(), context, module, mode: place.mode }
    }

    /// What an instance puts for a declaration, with the place to lower it in.
    pub(super) fn substitute(
        &mut self,
        decl: DeclId,
        place: &Place<'a>,
    ) -> Option<(&'a Argument, Place<'a>)> {
        let (context, arg) = self.substituting(decl, place.context)?;
        let entry = &self.contexts[context.0 as usize];
        let inner = Place {
            env: entry.env.clone(),
            context: entry.parent,
            module: entry.module,
            mode: place.mode,
        };
        Some((arg, inner))
    }

    /// The innermost context that substitutes a declaration.
    fn substituting(&self, decl: DeclId, from: ContextId) -> Option<(ContextId, &'a Argument)> {
        let spec = self.spec;
        let mut context = from;
        while context != ContextId::ROOT {
            let entry = &self.contexts[context.0 as usize];
            let found =
                spec.instance(entry.instance).substitutions.iter().find(|(it, _)| *it == decl);
            if let Some((_, arg)) = found {
                return Some((context, arg));
            }
            context = entry.parent;
        }
        None
    }

    /// The virtual variable that a primed variable is under an ENABLED of an instantiated module.
    pub(super) fn virtual_variable(&mut self, decl: DeclId, place: &Place<'a>) -> Option<u16> {
        let number = place.mode.virtuals;
        if number == 0 || self.spec.decl(decl).kind != DeclKind::Variable {
            return None;
        }
        let outer = self.virtuals[number as usize].context;
        let (context, _) = self.substituting(decl, place.context)?;
        if !self.is_within(place.context, outer)
            || (context != outer && self.is_within(context, outer))
        {
            return None;
        }
        let n_variables = self.program.variables.len() as u16;
        let decls = &mut self.virtuals[number as usize].decls;
        let idx = decls.iter().position(|it| *it == decl).unwrap_or_else(|| {
            decls.push(decl);
            decls.len() - 1
        });
        Some(n_variables + idx as u16)
    }

    /// A constant or variable without arguments.
    pub(super) fn decl(&mut self, id: DeclId, place: &Place<'a>, span: Span) -> NodeId {
        if place.mode.primed
            && let Some(var) = self.virtual_variable(id, place)
        {
            return self.node(Node::Next(var), span);
        }
        if let Some((arg, inner)) = self.substitute(id, place) {
            return match arg {
                Argument::Expr(expr) => self.substituted(*expr, &inner),
                Argument::Operator(operator) => {
                    let resolved = self.resolve_argument(operator, &inner);
                    let depth = self.frame().max;
                    self.apply_resolved(&resolved, Vec::new(), (depth, depth), place.mode, span)
                }
            };
        }
        let decl = self.spec.decl(id);
        match decl.kind {
            DeclKind::Variable => match self.variable(id) {
                Some(var) if place.mode.primed || place.mode.init => {
                    self.node(Node::Next(var), span)
                }
                Some(var) => self.node(Node::Cur(var), span),
                None => {
                    let text = format!("The variable {} belongs to no state here.", decl.name);
                    self.fail(code::GENERAL, text, span)
                }
            },
            DeclKind::Constant => self.apply_constant(id, &[], place, place.mode, span),
        }
    }

    /// A substitute of an instance; closed constants are lowered once.
    fn substituted(&mut self, expr: ExprId, inner: &Place<'a>) -> NodeId {
        let shared = inner.env.0.is_none() && self.is_shared(inner.context);
        let key = (expr, inner.context, Mode::default());
        if shared && let Some(node) = self.substitute_of.get(&key) {
            return *node;
        }
        let node = self.expr(expr, inner);
        let effects = self.effects(node);
        if shared && effects.is_constant() && effects.min_slot == Slot::MAX {
            let node = self.hoisted(node);
            self.substitute_of.insert(key, node);
            return node;
        }
        node
    }

    /// The number of a variable of the root module.
    pub(super) fn variable(&self, id: DeclId) -> Option<u16> {
        self.spec.variables.iter().position(|it| *it == id).map(|idx| idx as u16)
    }

    fn apply_constant(
        &mut self,
        id: DeclId,
        args: &[Bound<'a>],
        place: &Place<'a>,
        mode: Mode,
        span: Span,
    ) -> NodeId {
        match self.replacement_of_decl(id, place) {
            Some(Replacement::Value(value)) => self.literal(&value, span),
            Some(Replacement::Definition(target)) => {
                let inner = self.root_place(mode);
                self.expand(target, args, &inner, span)
            }
            Some(Replacement::Points(points)) => {
                let nodes: Vec<NodeId> =
                    args.iter().map(|arg| self.bound(arg, mode, span)).collect();
                let name = self.spec.decl(id).name.clone();
                self.pointwise(&name, nodes, &points, span)
            }
            None => {
                let name = &self.spec.decl(id).name;
                let text = format!("The constant parameter {name} is not assigned a value.");
                self.fail(code::GENERAL, text, span)
            }
        }
    }

    // --- built-in operators ---

    fn builtin(
        &mut self,
        builtin: Builtin,
        args: &'a [Argument],
        place: &Place<'a>,
        span: Span,
    ) -> NodeId {
        let first = args.iter().find_map(|arg| match arg {
            Argument::Expr(expr) => Some(*expr),
            Argument::Operator(_) => None,
        });
        match (builtin, first) {
            (Builtin::Prime, Some(expr)) => self.expr(expr, &place.primed()),
            (Builtin::Unchanged, Some(expr)) => self.unchanged_expr(expr, place, span),
            (Builtin::Enabled, Some(expr)) => self.enabled(expr, place, span),
            (Builtin::Cdot, Some(_)) => {
                let act = self.compose(args, place, span);
                self.node(Node::Action(act), span)
            }
            _ => {
                let nodes = args
                    .iter()
                    .map(|arg| match arg {
                        Argument::Expr(expr) => self.expr(*expr, place),
                        Argument::Operator(_) => {
                            self.fail(code::GENERAL, "An operator was used as a value.", span)
                        }
                    })
                    .collect();
                self.builtin_on(builtin, nodes, span)
            }
        }
    }

    /// A built-in operator on lowered arguments.
    fn builtin_on(&mut self, builtin: Builtin, args: Vec<NodeId>, span: Span) -> NodeId {
        let node = match (builtin, args.as_slice()) {
            (Builtin::True, _) => Node::Bool(true),
            (Builtin::False, _) => Node::Bool(false),
            (Builtin::Boolean, _) => Node::Booleans,
            (Builtin::StringSet, _) => Node::Strings,
            (Builtin::Not, [a]) => Node::Not(*a),
            (Builtin::Implies, [a, b]) => Node::Implies(*a, *b),
            (Builtin::Equivalent, [a, b]) => Node::Equivalent(*a, *b),
            (Builtin::Equal, [a, b]) => Node::Equal(*a, *b),
            (Builtin::NotEqual, [a, b]) => Node::NotEqual(*a, *b),
            (Builtin::In, [a, b]) => Node::In(*a, *b),
            (Builtin::NotIn, [a, b]) => Node::NotIn(*a, *b),
            (Builtin::SubsetEq, [a, b]) => Node::SubsetEq(*a, *b),
            (Builtin::Cup, [a, b]) => Node::Cup(*a, *b),
            (Builtin::Cap, [a, b]) => Node::Cap(*a, *b),
            (Builtin::SetMinus, [a, b]) => Node::Minus(*a, *b),
            (Builtin::Subset, [a]) => Node::Subset(*a),
            (Builtin::Union, [a]) => Node::BigUnion(*a),
            (Builtin::Domain, [a]) => Node::Domain(*a),
            (Builtin::Product, items) => Node::Product(items.into()),
            (Builtin::FunctionSet, [a, b]) => Node::FunctionSet(*a, *b),
            (Builtin::Always, _) => return self.temporal_failure("[]A", span),
            (Builtin::Eventually, _) => return self.temporal_failure("<>A", span),
            (Builtin::LeadsTo, _) => return self.temporal_failure("A ~> B", span),
            (Builtin::Guarantees, _) => return self.temporal_failure("A -+-> B", span),
            _ => {
                return self.fail(
                    code::GENERAL,
                    format!("The operator {builtin:?} cannot be used here."),
                    span,
                );
            }
        };
        self.node(node, span)
    }

    /// The body of a definition without parameters with its place, if it may be looked into.
    pub(super) fn open_value_definition(
        &mut self,
        reference: &'a DefinitionRef,
        place: &Place<'a>,
    ) -> Option<(ExprId, Place<'a>)> {
        let id = reference.definition;
        let definition = self.spec.definition(id);
        if !definition.params.is_empty() || definition.recursive || self.native(id).is_some() {
            return None;
        }
        if reference.path.is_empty()
            && let Some(found) = place.env.definition(id)
        {
            return match found {
                Found::Bound(Bound::Delayed(it)) => {
                    let mode = self.mode_for(&it.place, place.mode);
                    Some((it.expr, it.place.with_mode(mode)))
                }
                Found::Bound(_) => None,
                Found::Defined(env) => Some((definition.body, place.with_env(env))),
            };
        }
        match self.replacement_of_definition(reference, place) {
            Some(Replacement::Definition(target)) => {
                let target = self.spec.definition(target);
                (target.params.is_empty() && !target.recursive)
                    .then(|| (target.body, self.root_place(place.mode)))
            }
            Some(_) => None,
            None => {
                let inner = self.enter(&reference.path, place);
                Some((definition.body, Place { module: definition.module, ..inner }))
            }
        }
    }
}

/// The operators with code of their own.
fn arithmetic(module: &str, name: &str) -> Option<Arithmetic> {
    if !matches!(module, "Naturals" | "Integers") {
        return None;
    }
    Some(match name {
        "+" => Arithmetic::Add,
        "-" => Arithmetic::Subtract,
        "*" => Arithmetic::Multiply,
        "<" => Arithmetic::Less,
        "<=" | "=<" | "\\leq" => Arithmetic::LessEqual,
        ">" => Arithmetic::Greater,
        ">=" | "\\geq" => Arithmetic::GreaterEqual,
        ".." => Arithmetic::Range,
        _ => return None,
    })
}

/// The mode of an operator written at `place` and applied in `mode`.
fn mode_at(place: &Place<'_>, mode: Mode) -> Mode {
    Mode { primed: mode.primed || place.mode.primed, virtuals: place.mode.virtuals, ..mode }
}
