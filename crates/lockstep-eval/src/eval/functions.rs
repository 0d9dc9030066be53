//! Calls, closures, function literals, filters and EXCEPT.

use std::rc::Rc;
use std::sync::Arc;

use super::bindings::Elements;
use super::closure::{Code, Params, Thunk, grow};
use super::error::Role;
use super::machine::{Local, Machine};
use crate::error::{EvalError, EvalResult};
use crate::ir::{Arg, Bind, FunctionId, Guard, NodeId, Program, Slot, Step, Target, Update};
use crate::memo::passing;
use crate::stdlib::{Native, NativeArg, Run};
use crate::value::{
    Ctx, Domain, Items, Value, domain_of_set, equal, function_from_parts, hash64, sets, update,
};

/// Function literals and filters over more elements than this stay lazy.
const EAGER: u64 = 200_000;

impl Machine {
    /// Calls a definition that has its own frame.
    pub(crate) fn call(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: FunctionId,
        args: &[Arg],
    ) -> EvalResult<Value> {
        let function = &p.functions[id.index()];
        // Put into the new frame once all are known: evaluating one may use the stack above.
        let mut list: smallvec::SmallVec<[Local; 6]> = smallvec::SmallVec::new();
        for (idx, arg) in args.iter().enumerate() {
            let strict = function.strict.get(idx).copied().unwrap_or(false);
            list.push(self.argument(ctx, p, arg, strict)?);
        }
        if p.costs.nodes.is_empty() && self.shared.recall.borrow_mut().is_eligible(p, id) {
            return self.recall(ctx, p, id, list, Machine::call_with);
        }
        self.call_with(ctx, p, id, list)
    }

    /// Calls a definition with arguments as it finds them in its slots.
    fn call_with(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: FunctionId,
        list: smallvec::SmallVec<[Local; 6]>,
    ) -> EvalResult<Value> {
        let function = &p.functions[id.index()];
        Machine::deeper(ctx)?;
        let saved = self.open_frame(function.n_slots);
        for (local, value) in self.stack[self.base..].iter_mut().zip(list) {
            *local = value;
        }
        let result = grow(|| self.eval(ctx, p, function.body));
        self.close_frame(saved);
        ctx.depth -= 1;
        result
    }

    /// An argument as the callee finds it in its slot.
    pub(crate) fn argument(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        arg: &Arg,
        strict: bool,
    ) -> EvalResult<Local> {
        Ok(match arg {
            Arg::Eager(node) => match self.eval(ctx, p, *node) {
                Ok(value) => Local::Value(value),
                Err(err) if strict => return Err(err),
                Err(err) => Local::Failed(err),
            },
            Arg::Lazy(node) if strict => Local::Value(self.eval(ctx, p, *node)?),
            Arg::Lazy(node) => Local::Thunk(Rc::new(self.thunk(*node))),
            Arg::Slot(slot) => self.stack[self.base + usize::from(*slot)].clone(),
            Arg::Memo { slot, body } => {
                let at = self.base + usize::from(*slot);
                if let Local::Empty = self.stack[at] {
                    if strict {
                        let value = self.eval(ctx, p, *body)?;
                        self.stack[at] = Local::Value(value);
                    } else {
                        let thunk = Local::Thunk(Rc::new(self.thunk(*body)));
                        self.stack[at] = thunk;
                    }
                }
                self.stack[at].clone()
            }
            Arg::Operator { body, params, n_params } => {
                Local::Operator(Rc::new(self.operator(*body, *params, *n_params)))
            }
        })
    }

    fn thunk(&self, node: NodeId) -> Thunk {
        Thunk::new(Code::new(self, node, node, Params::Slots(0, 0), None))
    }

    fn operator(&self, body: NodeId, params: Slot, n_params: u16) -> Code {
        Code::new(self, body, body, Params::Slots(params, n_params), None)
    }

    /// Calls an operator parameter.
    pub(crate) fn call_operator(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        slot: Slot,
        args: &[Arg],
    ) -> EvalResult<Value> {
        let Local::Operator(code) = &self.stack[self.base + usize::from(slot)] else {
            return Err(EvalError::general("A value was applied as an operator."));
        };
        let code = code.clone();
        let mut list: smallvec::SmallVec<[Local; 4]> = smallvec::SmallVec::new();
        for arg in args {
            list.push(self.argument(ctx, p, arg, false)?);
        }
        code.run(ctx, &list)
    }

    /// A standard operator with operators or unevaluated expressions among its arguments.
    pub(crate) fn native_special(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        native: &'static Native,
        args: &[Arg],
    ) -> EvalResult<Value> {
        let Run::Mixed(run) = native.run else {
            return Err(EvalError::general("A standard operator is miscalled."));
        };
        if let ("TLCExt", "TLCCache", [Arg::Eager(node), Arg::Lazy(key)]) =
            (native.module, native.name, args)
        {
            return self.cached(ctx, p, *node, *key);
        }
        let mut list = Vec::with_capacity(args.len());
        for arg in args {
            list.push(match arg {
                Arg::Eager(node) => NativeArg::Value(self.eval(ctx, p, *node)?),
                Arg::Lazy(node) => NativeArg::Operator(Rc::new(Code::new(
                    self,
                    *node,
                    *node,
                    Params::Slots(0, 0),
                    None,
                ))),
                Arg::Operator { body, params, n_params } => {
                    NativeArg::Operator(Rc::new(self.operator(*body, *params, *n_params)))
                }
                Arg::Slot(slot) => match &self.stack[self.base + usize::from(*slot)] {
                    Local::Operator(code) => NativeArg::Operator(code.clone()),
                    _ => NativeArg::Value(self.read_slot(ctx, *slot)?),
                },
                Arg::Memo { slot, body } => {
                    self.lazy(ctx, p, *slot, *body)?;
                    NativeArg::Value(self.read_slot(ctx, *slot)?)
                }
            });
        }
        run(ctx, &list)
    }

    /// `TLCCache(e, key)`: `e` is evaluated once for each value of the key. The place of `e` tells
    /// it from other cached expressions.
    fn cached(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        node: NodeId,
        key: NodeId,
    ) -> EvalResult<Value> {
        let key = self.eval(ctx, p, key)?;
        // A key without end has no hash.
        let Ok(hash) = hash64(ctx, &key) else { return self.eval(ctx, p, node) };
        // Whether a definition was expanded in place or is called must not show.
        let frames = p.frames.get(&node).and_then(|it| it.first());
        let place = frames.map_or(p.span(node), |(_, call)| *call);
        let id = (place, hash);
        let known = self.shared.cached.borrow().get(&id).cloned();
        for (known, value) in known.iter().flatten() {
            if equal(ctx, known, &key)? {
                return Ok(value.clone());
            }
        }
        let value = self.eval(ctx, p, node)?;
        self.shared.cached.borrow_mut().entry(id).or_default().push((key, value.clone()));
        Ok(value)
    }

    // --- sets and functions with bodies ---

    /// `{x \in S : p}`: evaluated at once unless that fails or is too much.
    pub(crate) fn filter(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: NodeId,
        bind: &Bind,
        body: NodeId,
    ) -> EvalResult<Value> {
        if ctx.reads.active
            && let Some(guard) = p.guards.get(&id)
            && let Some(value) = self.filter_class(ctx, p, guard, bind, body)
        {
            return Ok(value);
        }
        let set = self.eval(ctx, p, bind.set)?;
        if let Some(image) = p.images.get(&id)
            && let Some(value) = self.image(ctx, p, &set, image)
        {
            return Ok(value);
        }
        if self.is_small(ctx, &set) {
            match self.filter_now(ctx, p, &set, bind, body) {
                Ok(value) => return Ok(value),
                // The failing element may never be asked for.
                Err(err) if is_final(&err) => return Err(err),
                Err(_) => {}
            }
        } else if !set.is_set() {
            // TLC's complaint names the value.
            return Err(match Elements::of(ctx, &set) {
                Err(err) => err,
                Ok(_) => EvalError::general("A set was expected."),
            });
        }
        let binds: Arc<[Bind]> = Arc::from([bind.clone()]);
        let code = Code::new(self, id, body, Params::Binds(binds), None);
        Ok(Value::filter(set, Rc::new(code)))
    }

    /// A filter that only one class of a variable's elements can pass. `None` where the variable
    /// has no classes, or something fails, which the elements may not be asked for.
    fn filter_class(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        guard: &Guard,
        bind: &Bind,
        body: NodeId,
    ) -> Option<Value> {
        let value = self.cur.get(usize::from(guard.var))?;
        let items = passing(ctx, guard, value)?;
        self.filter_now(ctx, p, &Value::set_of_sorted(items), bind, body).ok()
    }

    fn filter_now(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        set: &Value,
        bind: &Bind,
        body: NodeId,
    ) -> EvalResult<Value> {
        let mut list = Items::new();
        let mut elements = Elements::of(ctx, set)?;
        while let Some(value) = elements.next(ctx)? {
            if let Target::Slot(slot) = bind.target {
                // Only elements that stay are counted once more.
                self.set(slot, value);
                if self.test(ctx, p, body, Role::Filter)? {
                    list.push(self.read_slot(ctx, slot)?);
                }
                continue;
            }
            self.bind(ctx, bind.target, value.clone())?;
            if self.test(ctx, p, body, Role::Filter)? {
                list.push(value);
            }
        }
        // A part of a set in order is in order.
        Ok(Value::set_of_sorted(list))
    }

    fn is_small(&self, ctx: &mut Ctx, set: &Value) -> bool {
        match set {
            Value::Interval(..) | Value::Set(_) => true,
            other => {
                sets::is_enumerable(other)
                    && matches!(sets::size(ctx, other), Ok(Some(n)) if n <= EAGER)
            }
        }
    }

    /// `[x \in S |-> e]`.
    pub(crate) fn function_literal(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: NodeId,
        binds: &Arc<[Bind]>,
        body: NodeId,
        itself: Option<Slot>,
    ) -> EvalResult<Value> {
        let _ = p;
        let set = self.function_domain(ctx, p, binds)?;
        // While reads are noted, only what is asked of a function should count as read.
        if itself.is_none() && !ctx.reads.active && self.is_small(ctx, &set) {
            match self.function_now(ctx, p, id, &set, binds, body) {
                Ok(value) => return Ok(value),
                Err(err) if is_final(&err) => return Err(err),
                Err(_) => {}
            }
        } else if !set.is_set() {
            return Err(match Elements::of(ctx, &set) {
                Err(err) => err,
                Ok(_) => EvalError::general("A set was expected."),
            });
        }
        let code = Rc::new(Code::new(self, id, body, Params::Binds(binds.clone()), itself));
        let function = Value::lambda(set, code.clone(), true);
        code.tie(&function);
        Ok(function)
    }

    fn function_domain(&mut self, ctx: &mut Ctx, p: &Program, binds: &[Bind]) -> EvalResult<Value> {
        match binds {
            [bind] => self.eval(ctx, p, bind.set),
            _ => {
                let mut sets = Vec::with_capacity(binds.len());
                for bind in binds {
                    sets.push(self.eval(ctx, p, bind.set)?);
                }
                Ok(Value::product(sets))
            }
        }
    }

    fn function_now(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: NodeId,
        set: &Value,
        binds: &[Bind],
        body: NodeId,
    ) -> EvalResult<Value> {
        let domain = self.domain_for(ctx, id, set)?;
        let mut values = Items::with_capacity(domain.len());
        for idx in 0..domain.len() {
            let key = domain.key(idx);
            match binds {
                [bind] => self.bind(ctx, bind.target, key)?,
                _ => self.bind_all(ctx, binds, &key)?,
            }
            values.push(self.eval(ctx, p, body)?);
        }
        Ok(function_from_parts(domain, values))
    }

    /// The domain of a function literal; kept as long as its set is the same.
    fn domain_for(&mut self, ctx: &mut Ctx, id: NodeId, set: &Value) -> EvalResult<Rc<Domain>> {
        if let Value::Interval(lo, hi) = set {
            return Ok(Rc::new(Domain::Interval(*lo, *hi)));
        }
        if let Some((known, domain)) = self.shared.domains.borrow().get(&id)
            && known.same_node(set)
        {
            return Ok(domain.clone());
        }
        let domain = domain_of_set(ctx, set)?;
        self.shared.domains.borrow_mut().insert(id, (set.clone(), domain.clone()));
        Ok(domain)
    }

    // --- EXCEPT ---

    /// `[f EXCEPT …]`.
    pub(crate) fn except(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        base: NodeId,
        updates: &[Update],
    ) -> EvalResult<Value> {
        let operand = self.operand(ctx, p, base)?;
        let mut value = self.take(operand);
        for it in updates {
            if let Some(changed) = self.except_path(ctx, p, &value, &it.path, it)? {
                value = changed;
            }
        }
        Ok(value)
    }

    fn except_path(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        value: &Value,
        path: &[Step],
        it: &Update,
    ) -> EvalResult<Option<Value>> {
        let Some((step, rest)) = path.split_first() else { return Ok(None) };
        let key = self.step_key(ctx, p, step)?;
        self.except_at(ctx, p, value, &key, rest, it)
    }

    /// The argument that a step of an EXCEPT path names.
    pub(crate) fn step_key(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        step: &Step,
    ) -> EvalResult<Value> {
        match step {
            Step::Field(name) => Ok(Value::Str(*name)),
            Step::Index(node) => self.eval(ctx, p, *node),
        }
    }

    /// One update at a key, the rest of the path below it.
    pub(crate) fn except_at(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        value: &Value,
        key: &Value,
        rest: &[Step],
        it: &Update,
    ) -> EvalResult<Option<Value>> {
        let changed = update(ctx, value, key, &mut |ctx, old| {
            if !rest.is_empty() {
                let inner = self.except_path(ctx, p, old, rest, it)?;
                return Ok(inner.unwrap_or_else(|| old.clone()));
            }
            if it.uses_at {
                self.set(it.at, old.clone());
            }
            self.eval(ctx, p, it.value)
        })?;
        if changed.is_none() {
            let (text, key) = (crate::value::to_text(ctx, value), crate::value::to_text(ctx, key));
            ctx.warn(
                2144,
                Some(it.span),
                format!(
                    "The EXCEPT was applied to non-existing fields of the value\n{text}\nat {key}"
                ),
            );
        }
        Ok(changed)
    }
}

/// Whether an error ends the run wherever it happens, so that putting it off would be wrong.
fn is_final(err: &EvalError) -> bool {
    use crate::error::code;
    matches!(err.code, code::ASSERT | code::TOO_DEEP | code::INTERRUPTED)
}
