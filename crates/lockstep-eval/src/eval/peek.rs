//! Reading values where they are: no copy, no reference count.
//!
//! A *peek* succeeds for names, literals, kept values and applications of them; it evaluates
//! nothing and reports no error. Whatever it cannot do, the general evaluation does, which also
//! finds the error if there is one.

use super::machine::{Local, Machine};
use crate::ir::{Node, NodeId, Program};
use crate::value::{Ctx, Domain, Sym, Value};

/// A value in its place, or a scalar.
pub(crate) enum Peek<'a> {
    Place(&'a Value),
    Scalar(Value),
}

impl Peek<'_> {
    /// The value.
    #[inline]
    pub(crate) fn get(&self) -> &Value {
        match self {
            Peek::Place(value) => value,
            Peek::Scalar(value) => value,
        }
    }
}

/// Longer lists of keys are left to the general search.
const LINEAR: usize = 24;

/// Whether two values are equal, where that takes one look.
#[inline]
pub(crate) fn equal_scalars(a: &Value, b: &Value) -> Option<bool> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a == b),
        (Value::Str(a), Value::Str(b)) => Some(a == b),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        (Value::Model(a), Value::Model(b)) if a == b => Some(true),
        _ => None,
    }
}

/// `function[arg]`, if it is found at once.
#[inline]
fn look_up<'a>(function: &'a Value, arg: &Value) -> Option<&'a Value> {
    match (function, arg) {
        (Value::Tuple(node), Value::Int(n)) => node.items().get((*n as usize).wrapping_sub(1)),
        (Value::Function(node), _) => match (&**node.domain(), arg) {
            (Domain::Interval(lo, _), Value::Int(n)) => {
                let at = i64::from(*n) - i64::from(*lo);
                node.values().get(usize::try_from(at).ok()?)
            }
            (Domain::Sorted { keys, .. }, Value::Model(id)) if keys.len() <= LINEAR => {
                let at = keys.iter().position(|key| matches!(key, Value::Model(it) if it == id))?;
                node.values().get(at)
            }
            (Domain::Sorted { keys, .. }, Value::Str(sym)) if keys.len() <= LINEAR => {
                let at = keys.iter().position(|key| matches!(key, Value::Str(it) if it == sym))?;
                node.values().get(at)
            }
            _ => None,
        },
        (Value::Record(_), Value::Str(name)) => field(function, *name),
        _ => None,
    }
}

#[inline]
fn field(record: &Value, name: Sym) -> Option<&Value> {
    match record {
        Value::Record(node) => node.values().get(node.shape().position(name)?),
        _ => None,
    }
}

impl Machine {
    /// The value of a node, if it can be read where it is.
    #[inline]
    pub(crate) fn peek<'m>(&'m self, ctx: &mut Ctx, p: &Program, id: NodeId) -> Option<Peek<'m>> {
        match p.node(id) {
            Node::Int(n) => Some(Peek::Scalar(Value::Int(*n))),
            Node::Bool(b) => Some(Peek::Scalar(Value::Bool(*b))),
            Node::Str(sym) => Some(Peek::Scalar(Value::Str(*sym))),
            Node::Model(model) => Some(Peek::Scalar(Value::Model(*model))),
            Node::Local(_)
            | Node::Lazy { .. }
            | Node::Const(_)
            | Node::Cur(_)
            | Node::Next(_)
            | Node::Apply(..)
            | Node::Field(..)
            | Node::StateDef { .. } => self.peek_place(ctx, p, id).map(Peek::Place),
            _ => None,
        }
    }

    fn peek_place<'m>(&'m self, ctx: &mut Ctx, p: &Program, id: NodeId) -> Option<&'m Value> {
        match p.node(id) {
            Node::Local(slot) | Node::Lazy { slot, .. } => {
                match self.stack.get(self.base + usize::from(*slot)) {
                    Some(Local::Value(value)) => Some(value),
                    _ => None,
                }
            }
            Node::Const(at) => self.shared.consts[at.index()].get(),
            Node::Cur(var) => {
                if ctx.reads.active {
                    ctx.reads.variable(*var, false);
                }
                self.cur.get(usize::from(*var))
            }
            Node::Next(var) => {
                let value = self.next.values.get(usize::from(*var))?.as_ref()?;
                if ctx.reads.active {
                    self.note_next(ctx, *var);
                }
                Some(value)
            }
            Node::StateDef { memo, .. } if !ctx.reads.active => {
                match self.memos.get(memo.index()) {
                    Some((epoch, _, Some(value))) if *epoch == self.epoch => Some(value),
                    _ => None,
                }
            }
            Node::Apply(f, x) => {
                let arg = self.peek(ctx, p, *x)?;
                let function = self.peek_function(ctx, p, *f, arg.get())?;
                look_up(function, arg.get())
            }
            Node::Field(record, name) => {
                let record = self.peek_function(ctx, p, *record, &Value::Str(*name))?;
                field(record, *name)
            }
            _ => None,
        }
    }

    /// A function about to be applied: of a variable only the slot of the argument is noted.
    #[inline]
    fn peek_function<'m>(
        &'m self,
        ctx: &mut Ctx,
        p: &Program,
        id: NodeId,
        arg: &Value,
    ) -> Option<&'m Value> {
        if ctx.reads.active
            && let Some(function) = self.noted_function(ctx, p, id, arg)
        {
            return Some(function);
        }
        self.peek_place(ctx, p, id)
    }
}
