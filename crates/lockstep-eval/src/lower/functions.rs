//! Definitions with frames of their own: recursive ones and large ones used often.
//!
//! A function may read slots of the frames around the place where it is defined (the bound names
//! around a LET, the arguments of an instance). Which ones is known only after its body is
//! lowered, while calls inside the body need the list; so the body is lowered again until the
//! list no longer grows.

use std::rc::Rc;

use lockstep_semantic::hir::{DefinitionId, ExprId, Level};
use lockstep_syntax::Span;

use super::Lowerer;
use super::env::{Bound, Capture, ContextId, Delayed, Frame, Mode, Place};
use crate::ir::{
    Act, ActFunction, ActFunctionId, ActId, Arg, Effects, FunctionId, Node, NodeFunction, NodeId,
    Part, Slot, parts,
};

/// What a function was made from: definition, context, mode, environment.
pub(super) type FunctionKey = (DefinitionId, ContextId, Mode, usize);

impl<'a> Lowerer<'a> {
    /// The number that a slot of some frame has in the present one.
    pub(super) fn slot(&mut self, outer: (u32, Slot), memo: Option<&Rc<Delayed<'a>>>) -> Slot {
        let frame = self.frame_mut();
        if outer.0 == frame.id {
            return outer.1;
        }
        let idx = match frame.captures.iter().position(|it| it.outer == outer) {
            Some(idx) => idx,
            None => {
                frame.captures.push(Capture { outer, memo: memo.cloned() });
                frame.captures.len() - 1
            }
        };
        frame.capture_base + idx as Slot
    }

    pub(super) fn key(&mut self, id: DefinitionId, place: &Place<'a>) -> FunctionKey {
        if place.env.0.is_some() {
            self.kept.push(place.env.clone());
        }
        (id, place.context, place.mode, place.env.identity())
    }

    /// Binds the parameters to the first slots of the present frame.
    fn param_place(&mut self, id: DefinitionId, place: &Place<'a>) -> Place<'a> {
        let spec = self.spec;
        let definition = spec.definition(id);
        let frame = self.frame().id;
        let mut env = place.env.clone();
        for (idx, param) in definition.params.iter().enumerate() {
            let slot = idx as Slot;
            let bound = if spec.local(*param).arity > 0 {
                Bound::OperatorSlot(frame, slot)
            } else {
                Bound::Slot(frame, slot)
            };
            env = env.bind(*param, bound);
        }
        place.with_env(env)
    }

    /// Opens a frame for a function with `n` parameters and the captures known so far.
    fn open_function(&mut self, n: u16, known: Vec<Capture<'a>>) {
        self.push_frame();
        let frame = self.frame_mut();
        frame.take(n + known.len() as u16);
        frame.capture_base = n;
        frame.captures = known;
    }

    /// A call of a definition that has its own frame.
    pub(super) fn call(
        &mut self,
        id: DefinitionId,
        args: &[Bound<'a>],
        place: &Place<'a>,
        span: Span,
    ) -> NodeId {
        let key = self.key(id, place);
        let function = match self.function_of.get(&key) {
            Some(function) => *function,
            None => self.lower_function(key, id, place),
        };
        let mut list: Vec<Arg> = args.iter().map(|arg| self.arg(arg, place.mode, span)).collect();
        for capture in self.captures[function.index()].clone() {
            list.push(self.captured(&capture));
        }
        let node = self.node(Node::Call { function, args: list.into() }, span);
        self.note_frame(node, id, span, 0)
    }

    fn captured(&mut self, capture: &Capture<'a>) -> Arg {
        if capture.outer.0 == self.frame().id
            && let Some(it) = &capture.memo
        {
            let body = match it.lowered.get() {
                Some(body) => body,
                None => {
                    let span = self.spec.expr(it.expr).span;
                    let node = self.delayed(it, it.place.mode, span);
                    match self.program.node(node) {
                        Node::Lazy { body, .. } => *body,
                        _ => node,
                    }
                }
            };
            return Arg::Memo { slot: capture.outer.1, body };
        }
        Arg::Slot(self.slot(capture.outer, capture.memo.as_ref()))
    }

    fn lower_function(
        &mut self,
        key: FunctionKey,
        id: DefinitionId,
        place: &Place<'a>,
    ) -> FunctionId {
        let spec = self.spec;
        let definition = spec.definition(id);
        let function = FunctionId(self.program.functions.len() as u32);
        let n_params = definition.params.len() as u16;
        let constant = definition.level == Level::Constant && place.context == ContextId::ROOT;
        let all = Effects {
            reads_cur: !constant,
            reads_next: !constant && definition.level >= Level::Action,
            impure: false,
            heavy: true,
            min_slot: Slot::MAX,
        };
        self.program.functions.push(NodeFunction {
            name: definition.name.clone(),
            span: definition.name_span,
            n_params,
            n_captures: 0,
            n_slots: 0,
            body: NodeId(0),
            strict: Box::default(),
            effects: all,
        });
        self.captures.push(Vec::new());
        self.function_of.insert(key, function);
        self.function_log.push(key);
        let mark = (self.function_log.len(), self.act_function_log.len());
        let mut effects = all;
        let cost = self.cost_mark();
        loop {
            self.drop_costs(cost);
            let known = self.captures[function.index()].clone();
            let n_known = known.len();
            self.open_function(n_params, known);
            let inner = self.param_place(id, place);
            let body = self.value_or_body(id, &inner);
            let body = self.hoisted(body);
            let frame = self.pop_frame();
            let found = Effects { min_slot: Slot::MAX, ..self.effects(body).and(effects) };
            let settled = frame.captures.len() == n_known && found == effects;
            effects = found;
            let it = &mut self.program.functions[function.index()];
            it.n_captures = n_known as u16;
            it.n_slots = frame.max;
            it.body = body;
            it.effects = effects;
            if settled {
                return function;
            }
            self.captures[function.index()] = frame.captures;
            self.forget_functions(mark);
        }
    }

    fn value_or_body(&mut self, id: DefinitionId, place: &Place<'a>) -> NodeId {
        if self.spec.definition(id).params.is_empty() {
            return self.value_definition(id, place);
        }
        let body = self.spec.definition(id).body;
        self.expr(body, place)
    }

    /// Takes back the functions made by an abandoned pass.
    fn forget_functions(&mut self, mark: (usize, usize)) {
        for key in self.function_log.drain(mark.0..) {
            self.function_of.remove(&key);
        }
        for key in self.act_function_log.drain(mark.1..) {
            self.act_function_of.remove(&key);
        }
    }

    /// Adds a finished function without captures.
    pub(super) fn add_function(
        &mut self,
        id: DefinitionId,
        frame: &Frame<'a>,
        body: NodeId,
        n_params: u16,
    ) -> FunctionId {
        let definition = self.spec.definition(id);
        let function = FunctionId(self.program.functions.len() as u32);
        self.program.functions.push(NodeFunction {
            name: definition.name.clone(),
            span: definition.name_span,
            n_params,
            n_captures: 0,
            n_slots: frame.max,
            body,
            strict: Box::default(),
            effects: Effects { min_slot: Slot::MAX, ..self.effects(body) },
        });
        self.captures.push(Vec::new());
        function
    }

    /// A call of a recursive action.
    pub(super) fn call_act(
        &mut self,
        id: DefinitionId,
        args: &[Bound<'a>],
        place: &Place<'a>,
        span: Span,
    ) -> ActId {
        let key = self.key(id, place);
        let function = match self.act_function_of.get(&key) {
            Some(function) => *function,
            None => {
                let definition = self.spec.definition(id);
                let (n_params, body) = (definition.params.len() as u16, definition.body);
                let inner = |this: &mut Self| this.param_place(id, place);
                self.lower_act_function(key, id, n_params, body, inner)
            }
        };
        let list: Vec<Arg> = args.iter().map(|arg| self.arg(arg, place.mode, span)).collect();
        self.call_act_function(function, list, span)
    }

    /// A call of an action with a frame of its own: the arguments, then what it captures.
    pub(super) fn call_act_function(
        &mut self,
        function: ActFunctionId,
        mut list: Vec<Arg>,
        span: Span,
    ) -> ActId {
        for capture in self.act_captures[function.index()].clone() {
            list.push(self.captured(&capture));
        }
        self.act(Act::Call { function, args: list.into() }, span)
    }

    /// Lowers an action in a frame of its own; `place` binds its parameters there.
    pub(super) fn lower_act_function(
        &mut self,
        key: FunctionKey,
        id: DefinitionId,
        n_params: u16,
        body: ExprId,
        place: impl Fn(&mut Self) -> Place<'a>,
    ) -> ActFunctionId {
        let spec = self.spec;
        let definition = spec.definition(id);
        let function = ActFunctionId(self.program.act_functions.len() as u32);
        self.program.act_functions.push(ActFunction {
            name: definition.name.clone(),
            span: definition.name_span,
            n_params,
            n_slots: 0,
            body: ActId(0),
        });
        self.act_captures.push(Vec::new());
        self.act_function_of.insert(key, function);
        self.act_function_log.push(key);
        let mark = (self.function_log.len(), self.act_function_log.len());
        let cost = self.cost_mark();
        loop {
            self.drop_costs(cost);
            let known = self.act_captures[function.index()].clone();
            let n_known = known.len();
            self.open_function(n_params, known);
            let inner = place(self);
            let body = self.action(body, &inner);
            let frame = self.pop_frame();
            let it = &mut self.program.act_functions[function.index()];
            it.n_params = n_params + n_known as u16;
            it.n_slots = frame.max;
            it.body = body;
            if frame.captures.len() == n_known {
                return function;
            }
            self.act_captures[function.index()] = frame.captures;
            self.forget_functions(mark);
        }
    }

    /// Whether the only impure operators below a node draw random values.
    pub(super) fn draws_only(&self, root: NodeId) -> bool {
        let mut todo = vec![root];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(node) = todo.pop() {
            if !seen.insert(node) {
                continue;
            }
            match self.program.node(node) {
                Node::Native { native, .. } | Node::NativeSpecial { native, .. }
                    if native.effect != crate::stdlib::Effect::Pure
                        && !native.name.starts_with("Random")
                        && !native.name.contains("RandomSet") =>
                {
                    return false;
                }
                Node::CallOperator { .. } => return false,
                _ => {}
            }
            parts(self.program.node(node), &mut |part| match part {
                Part::Node(node) => todo.push(node),
                Part::Calls(function) => {
                    todo.push(self.program.functions[function.index()].body);
                }
                _ => {}
            });
        }
        true
    }
}
