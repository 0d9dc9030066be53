//! Evaluation of expressions to values.

use std::rc::Rc;

use super::bindings::Elements;
use super::error::{Role, annotate};
use super::machine::{Local, Machine, thaw};
use crate::error::{EvalError, EvalResult};
use crate::ir::{Arithmetic, Node, NodeId, Program};
use crate::stdlib::Run;
use crate::value::{Ctx, Items, LazyKind, Shape, Sym, Value, sets};
use crate::value::{apply, domain, equal, record_from_parts, select_field};

impl Machine {
    /// Evaluates an expression.
    #[inline]
    pub(crate) fn eval(&mut self, ctx: &mut Ctx, p: &Program, id: NodeId) -> EvalResult<Value> {
        match p.node(id) {
            Node::Int(n) => return Ok(Value::Int(*n)),
            Node::Str(sym) => return Ok(Value::Str(*sym)),
            Node::Model(model) => return Ok(Value::Model(*model)),
            Node::Local(slot) => {
                if let Local::Value(value) = &self.stack[self.base + usize::from(*slot)] {
                    return Ok(value.clone());
                }
            }
            Node::Const(at) => {
                if let Some(value) = self.shared.consts[at.index()].get() {
                    return Ok(value.clone());
                }
            }
            Node::Apply(..) | Node::Field(..) => {
                if let Some(value) = self.peek(ctx, p, id) {
                    return Ok(value.get().clone());
                }
            }
            _ => {}
        }
        match self.eval_node(ctx, p, id) {
            Ok(value) => Ok(value),
            Err(err) => Err(annotate(p, id, err)),
        }
    }

    fn eval_node(&mut self, ctx: &mut Ctx, p: &Program, id: NodeId) -> EvalResult<Value> {
        match p.node(id) {
            Node::Int(n) => Ok(Value::Int(*n)),
            Node::Bool(b) => Ok(Value::Bool(*b)),
            Node::Str(sym) => Ok(Value::Str(*sym)),
            Node::Model(model) => Ok(Value::Model(*model)),
            Node::Const(id) => {
                let at = id.index();
                if let Some(value) = self.shared.consts[at].get() {
                    return Ok(value.clone());
                }
                self.constant(ctx, p, at)?;
                let value = self.shared.consts[at].get();
                value.cloned().ok_or_else(|| EvalError::general("A constant depends on itself."))
            }
            Node::Booleans => Ok(Value::booleans()),
            Node::Strings => Ok(Value::lazy(LazyKind::Strings)),
            Node::Cur(var) => match self.cur.get(usize::from(*var)) {
                Some(value) => {
                    if ctx.reads.active {
                        ctx.reads.variable(*var, false);
                    }
                    Ok(value.clone())
                }
                None => Err(no_state(p, *var)),
            },
            Node::Next(var) => match self.next.values.get(usize::from(*var)) {
                Some(Some(value)) => {
                    if ctx.reads.active {
                        self.note_next(ctx, *var);
                    }
                    Ok(value.clone())
                }
                _ => Err(unassigned(p, *var)),
            },
            Node::Local(slot) => {
                if let Local::Value(value) = &self.stack[self.base + usize::from(*slot)] {
                    return Ok(value.clone());
                }
                self.read_slot(ctx, *slot)
            }
            Node::Lazy { slot, body } => {
                let at = self.base + usize::from(*slot);
                if !matches!(self.stack[at], Local::Value(_)) {
                    self.lazy(ctx, p, *slot, *body)?;
                }
                self.read_slot(ctx, *slot)
            }
            Node::Scope { lo, hi, body } => {
                self.clear(*lo, *hi);
                self.eval(ctx, p, *body)
            }
            Node::And(_)
            | Node::Or(_)
            | Node::Implies(..)
            | Node::Equivalent(..)
            | Node::Not(_)
            | Node::Equal(..)
            | Node::NotEqual(..)
            | Node::In(..)
            | Node::NotIn(..)
            | Node::SubsetEq(..)
            | Node::Quantified { .. }
            | Node::Enabled { .. }
            | Node::Action(_) => self.predicate(ctx, p, id).map(Value::Bool),
            Node::If(condition, then, otherwise) => {
                if self.test(ctx, p, *condition, Role::If)? {
                    self.eval(ctx, p, *then)
                } else {
                    self.eval(ctx, p, *otherwise)
                }
            }
            Node::Cup(a, b) => self.with_two(ctx, p, *a, *b, sets::cup),
            Node::Cap(a, b) => self.with_two(ctx, p, *a, *b, sets::cap),
            Node::Minus(a, b) => self.with_two(ctx, p, *a, *b, sets::difference),
            Node::BigUnion(a) => {
                let base = self.operand(ctx, p, *a)?;
                sets::big_union(ctx, self.get(&base))
            }
            Node::Domain(a) => {
                let function = self.operand(ctx, p, *a)?;
                domain(ctx, self.get(&function))
            }
            Node::SetEnum(items) => {
                let mut list = Items::with_capacity(items.len());
                for item in items {
                    list.push(self.eval(ctx, p, *item)?);
                }
                Ok(sets::set_from_vec(ctx, list))
            }
            Node::Tuple(items) => {
                let mut list = Items::with_capacity(items.len());
                for item in items {
                    list.push(self.eval(ctx, p, *item)?);
                }
                Ok(Value::tuple(list))
            }
            Node::Filter { bind, body } => self.filter(ctx, p, id, bind, *body),
            Node::Function { binds, body, itself } => {
                self.function_literal(ctx, p, id, binds, *body, *itself)
            }
            Node::Apply(f, x) if ctx.reads.active => {
                let arg = self.operand(ctx, p, *x)?;
                let arg = self.take(arg);
                if let Some(result) = self.apply_noted(ctx, p, *f, &arg) {
                    return result;
                }
                let function = self.operand(ctx, p, *f)?;
                apply(ctx, self.get(&function), &arg)
            }
            Node::Apply(f, x) => {
                let function = self.operand(ctx, p, *f)?;
                let arg = self.operand(ctx, p, *x)?;
                apply(ctx, self.get(&function), self.get(&arg))
            }
            Node::Field(record, name) if ctx.reads.active => {
                if let Some(result) = self.apply_noted(ctx, p, *record, &Value::Str(*name)) {
                    return result;
                }
                let record = self.operand(ctx, p, *record)?;
                select_field(ctx, self.get(&record), *name)
            }
            Node::Field(record, name) => {
                let record = self.operand(ctx, p, *record)?;
                select_field(ctx, self.get(&record), *name)
            }
            Node::Except { base, updates } => self.except(ctx, p, *base, updates),
            Node::Arithmetic { op, native, args } => {
                let a = self.eval(ctx, p, args[0])?;
                let b = self.eval(ctx, p, args[1])?;
                if let (Value::Int(a), Value::Int(b)) = (&a, &b)
                    && let Some(result) = arithmetic(*op, *a, *b)
                {
                    return Ok(result);
                }
                match native.run {
                    Run::Strict(run) => run(ctx, &[a, b]),
                    Run::Mixed(_) => Err(EvalError::general("A standard operator is miscalled.")),
                }
            }
            Node::Native { native, args } => {
                let Run::Strict(run) = native.run else {
                    return Err(EvalError::general("A standard operator is miscalled."));
                };
                match &**args {
                    [] => run(ctx, &[]),
                    [a] => {
                        let args = [self.eval(ctx, p, *a)?];
                        run(ctx, &args)
                    }
                    [a, b] => {
                        let args = [self.eval(ctx, p, *a)?, self.eval(ctx, p, *b)?];
                        run(ctx, &args)
                    }
                    [a, b, c] => {
                        let args = [
                            self.eval(ctx, p, *a)?,
                            self.eval(ctx, p, *b)?,
                            self.eval(ctx, p, *c)?,
                        ];
                        run(ctx, &args)
                    }
                    _ => {
                        let mut list = Vec::with_capacity(args.len());
                        for arg in args {
                            list.push(self.eval(ctx, p, *arg)?);
                        }
                        run(ctx, &list)
                    }
                }
            }
            Node::NativeSpecial { native, args } => self.native_special(ctx, p, native.0, args),
            Node::Call { function, args } => self.call(ctx, p, *function, args),
            Node::CallOperator { slot, args } => self.call_operator(ctx, p, *slot, args),
            _ => self.eval_rare(ctx, p, id),
        }
    }

    /// The nodes that are rare, or large enough not to notice one more call.
    #[inline(never)]
    fn eval_rare(&mut self, ctx: &mut Ctx, p: &Program, id: NodeId) -> EvalResult<Value> {
        match p.node(id) {
            Node::Frozen(idx) => {
                let at = *idx as usize;
                if let Some(value) = self.shared.frozen[at].get() {
                    return Ok(value.clone());
                }
                let value = thaw(ctx, &p.frozen[at])?;
                Ok(self.shared.frozen[at].get_or_init(|| value).clone())
            }
            Node::StateDef { memo, function } => self.definition(ctx, p, *memo, *function),
            Node::NextDef { memo, function, otherwise } => {
                self.next_definition(ctx, p, *memo, *function, *otherwise)
            }
            Node::Case { arms, other } => {
                for (guard, value) in arms {
                    if self.test(ctx, p, *guard, Role::Case)? {
                        return self.eval(ctx, p, *value);
                    }
                }
                match other {
                    Some(other) => self.eval(ctx, p, *other),
                    None => Err(EvalError::general(
                        "Attempted to evaluate a CASE with no conditions true.",
                    )),
                }
            }
            Node::Count { counter, body } => {
                p.costs.evaluated(*counter);
                self.eval(ctx, p, *body)
            }
            Node::Enumerate { counter, body } => {
                let set = self.eval(ctx, p, *body)?;
                if let Some(n) = sets::size(ctx, &set)? {
                    // The last step finds that there is no more.
                    p.costs.enumerated(*counter, n + 1);
                }
                Ok(set)
            }
            Node::Subset(a) => {
                let base = self.eval(ctx, p, *a)?;
                Ok(Value::subset(base))
            }
            Node::Product(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    list.push(self.eval(ctx, p, *item)?);
                }
                Ok(Value::product(list))
            }
            Node::FunctionSet(a, b) => {
                let domain = self.eval(ctx, p, *a)?;
                let range = self.eval(ctx, p, *b)?;
                Ok(Value::function_set(domain, range))
            }
            Node::RecordSet(fields) => {
                let (shape, order) = self.shape(ctx, id, fields);
                let mut list = vec![Value::FALSE; shape.names().len()];
                for ((_, set), at) in fields.iter().zip(order.iter()) {
                    list[*at] = self.eval(ctx, p, *set)?;
                }
                Ok(Value::lazy(LazyKind::RecordSet { shape, sets: list.into() }))
            }
            Node::Record(fields) => {
                let (shape, order) = self.shape(ctx, id, fields);
                let mut list: Items =
                    std::iter::repeat_n(Value::FALSE, shape.names().len()).collect();
                for ((_, value), at) in fields.iter().zip(order.iter()) {
                    list[*at] = self.eval(ctx, p, *value)?;
                }
                Ok(record_from_parts(shape, list))
            }
            Node::Map { binds, body } => {
                let mut list = Items::new();
                if let [bind] = &**binds {
                    let set = self.bound_set(ctx, p, bind)?;
                    let mut elements = Elements::of(ctx, &set)?;
                    while let Some(value) = elements.next(ctx)? {
                        self.bind(ctx, bind.target, value)?;
                        list.push(self.eval(ctx, p, *body)?);
                        ctx.check_set_size(list.len())?;
                    }
                } else {
                    let sets = self.bound_sets(ctx, p, binds)?;
                    self.for_each(ctx, binds, &sets, &mut |this, ctx| {
                        list.push(this.eval(ctx, p, *body)?);
                        ctx.check_set_size(list.len())?;
                        Ok(true)
                    })?;
                }
                Ok(sets::set_from_vec(ctx, list))
            }
            Node::Choose { bind, body } => {
                let mut elements = match self.passing(ctx, p.guards.get(&id)) {
                    Some(elements) => elements,
                    None => {
                        let set = self.eval(ctx, p, bind.set)?;
                        if !sets::is_enumerable(&set) {
                            let text = crate::value::to_text(ctx, &set);
                            return Err(EvalError::general(
                                "Attempted to compute the value of an expression of\nform CHOOSE \
                                 x \\in S: P, but S was not enumerable.",
                            )
                            .with_values(vec![text]));
                        }
                        Elements::of(ctx, &set)?
                    }
                };
                while let Some(value) = elements.next(ctx)? {
                    self.bind(ctx, bind.target, value.clone())?;
                    if self.test(ctx, p, *body, Role::Body)? {
                        return Ok(value);
                    }
                }
                let set = self.eval(ctx, p, bind.set)?;
                let text = crate::value::to_text(ctx, &set);
                Err(EvalError::general(
                    "Attempted to compute the value of an expression of form\nCHOOSE x \\in S: \
                     P, but no element of S satisfied P.",
                )
                .with_values(vec![text]))
            }
            Node::Pointwise { name, args, points } => {
                let mut list = Vec::with_capacity(args.len());
                for arg in args {
                    list.push(self.eval(ctx, p, *arg)?);
                }
                'points: for (point, value) in points {
                    for (wanted, arg) in point.iter().zip(&list) {
                        let wanted = self.operand(ctx, p, *wanted)?;
                        if !equal(ctx, self.get(&wanted), arg)? {
                            continue 'points;
                        }
                    }
                    return self.eval(ctx, p, *value);
                }
                let text = Value::tuple_from(list);
                let text = crate::value::to_text(ctx, &text);
                Err(EvalError::general(format!(
                    "The configuration gives the operator {name} no value for the arguments {text}."
                ))
                .with_values(vec![text]))
            }
            Node::Fail(failure) => Err(EvalError::new(failure.code, failure.message.clone())),
            _ => Err(EvalError::general("An expression has no evaluation.")),
        }
    }

    #[inline]
    fn with_two(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        a: NodeId,
        b: NodeId,
        run: fn(&mut Ctx, &Value, &Value) -> EvalResult<Value>,
    ) -> EvalResult<Value> {
        let a = self.operand(ctx, p, a)?;
        let b = self.operand(ctx, p, b)?;
        run(ctx, self.get(&a), self.get(&b))
    }

    /// The shape of a record literal, and where each written field goes.
    fn shape(
        &mut self,
        ctx: &mut Ctx,
        id: NodeId,
        fields: &[(Sym, NodeId)],
    ) -> (Rc<Shape>, Rc<[usize]>) {
        if let Some(known) = self.shared.shapes.borrow().get(&id) {
            return known.clone();
        }
        let mut names: Vec<Sym> = fields.iter().map(|(name, _)| *name).collect();
        names.sort_unstable_by(|a, b| ctx.names.compare(*a, *b));
        names.dedup();
        let shape = ctx.shape(&names);
        let order: Rc<[usize]> = fields
            .iter()
            .map(|(name, _)| names.iter().position(|it| it == name).unwrap_or(0))
            .collect();
        self.shared.shapes.borrow_mut().insert(id, (shape.clone(), order.clone()));
        (shape, order)
    }
}

/// The result on integers; `None` on overflow, for the general code to report.
#[inline]
pub(super) fn arithmetic(op: Arithmetic, a: i32, b: i32) -> Option<Value> {
    Some(match op {
        Arithmetic::Add => Value::Int(a.checked_add(b)?),
        Arithmetic::Subtract => Value::Int(a.checked_sub(b)?),
        Arithmetic::Multiply => Value::Int(a.checked_mul(b)?),
        Arithmetic::Less => Value::Bool(a < b),
        Arithmetic::LessEqual => Value::Bool(a <= b),
        Arithmetic::Greater => Value::Bool(a > b),
        Arithmetic::GreaterEqual => Value::Bool(a >= b),
        Arithmetic::Range => Value::Interval(a, b),
    })
}

#[cold]
fn unassigned(p: &Program, var: u16) -> Box<EvalError> {
    let name = p.variables.get(usize::from(var)).map_or("", |it| it.name.as_str());
    EvalError::general(format!(
        "In evaluation, the identifier {name} is either undefined or not an operator."
    ))
}

#[cold]
fn no_state(p: &Program, var: u16) -> Box<EvalError> {
    let name = p.variables.get(usize::from(var)).map_or("", |it| it.name.as_str());
    EvalError::general(format!(
        "In evaluation, the identifier {name} is either undefined or not an operator."
    ))
}
