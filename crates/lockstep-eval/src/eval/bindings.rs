//! Enumerating the elements that bound names range over.

use crate::error::{EvalError, EvalResult};
use crate::eval::machine::{Local, Machine};
use crate::ir::{Bind, Guard, Program, Target};
use crate::memo::passing;
use crate::value::{Ctx, SetIter, Value, apply, sets, to_text};

use super::error::bound_not_enumerable;

/// The elements of a set in normal order, cheap for the sets that are common.
pub(crate) enum Elements {
    Interval(i64, i64),
    Set(std::rc::Rc<crate::value::SetNode>, usize),
    Some(smallvec::IntoIter<[Value; 4]>),
    Other(Box<SetIter>),
}

impl Elements {
    /// Starts over the elements of a set.
    #[inline]
    pub(crate) fn of(ctx: &mut Ctx, set: &Value) -> EvalResult<Self> {
        ctx.tick()?;
        Ok(match set {
            Value::Interval(lo, hi) => Elements::Interval(i64::from(*lo), i64::from(*hi)),
            Value::Set(node) => {
                node.elements()?;
                Elements::Set(node.clone(), 0)
            }
            _ => Elements::Other(Box::new(SetIter::new(ctx, set)?)),
        })
    }

    /// The next element.
    #[inline]
    pub(crate) fn next(&mut self, ctx: &mut Ctx) -> EvalResult<Option<Value>> {
        match self {
            Elements::Interval(next, hi) => {
                if *next > *hi {
                    return Ok(None);
                }
                let value = Value::Int(*next as i32);
                *next += 1;
                if *next & 0xffff == 0 {
                    ctx.look_up()?;
                }
                Ok(Some(value))
            }
            Elements::Set(node, idx) => {
                let item = node.elements()?.get(*idx).cloned();
                *idx += 1;
                if *idx & 0xffff == 0 {
                    ctx.look_up()?;
                }
                Ok(item)
            }
            Elements::Some(iter) => Ok(iter.next()),
            Elements::Other(iter) => iter.next(ctx),
        }
    }
}

impl Machine {
    /// Puts an element into the slots of a bound.
    #[inline]
    pub(crate) fn bind(&mut self, ctx: &mut Ctx, target: Target, value: Value) -> EvalResult<()> {
        match target {
            Target::Slot(slot) => {
                let at = self.base + usize::from(slot);
                self.stack[at] = Local::Value(value);
                Ok(())
            }
            Target::Tuple(first, n) => self.bind_tuple(ctx, first, n, &value),
        }
    }

    fn bind_tuple(&mut self, ctx: &mut Ctx, first: u16, n: u16, value: &Value) -> EvalResult<()> {
        if let Value::Tuple(node) = value
            && node.items().len() == usize::from(n)
        {
            for (idx, item) in node.items().iter().enumerate() {
                self.set(first + idx as u16, item.clone());
            }
            return Ok(());
        }
        if !value.is_function() || sets_len(ctx, value)? != Some(u64::from(n)) {
            let text = to_text(ctx, value);
            return Err(EvalError::general(format!(
                "Attempted to match a tuple of {n} names with the value\n{text}"
            ))
            .with_values(vec![text]));
        }
        for idx in 0..n {
            let item = apply(ctx, value, &Value::Int(i32::from(idx) + 1))?;
            self.set(first + idx, item);
        }
        Ok(())
    }

    /// The elements that a guard does not rule out, while reads are noted.
    #[inline]
    pub(crate) fn passing(&self, ctx: &mut Ctx, guard: Option<&Guard>) -> Option<Elements> {
        if !ctx.reads.active {
            return None;
        }
        let guard = guard?;
        let items = passing(ctx, guard, self.cur.get(usize::from(guard.var))?)?;
        Some(Elements::Some(items.into_iter()))
    }

    /// The elements that a bound ranges over, those left out that a guard rules out.
    #[inline]
    pub(crate) fn elements(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        guard: Option<&Guard>,
        bind: &Bind,
    ) -> EvalResult<Elements> {
        if let Some(elements) = self.passing(ctx, guard) {
            return Ok(elements);
        }
        let set = self.bound_set(ctx, p, bind)?;
        Elements::of(ctx, &set)
    }

    /// The sets of bounds, all evaluated before any is enumerated.
    pub(crate) fn bound_sets(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        binds: &[Bind],
    ) -> EvalResult<Vec<Value>> {
        let mut list = Vec::with_capacity(binds.len());
        for bind in binds {
            list.push(self.bound_set(ctx, p, bind)?);
        }
        Ok(list)
    }

    /// The set of one bound.
    #[inline]
    pub(crate) fn bound_set(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        bind: &Bind,
    ) -> EvalResult<Value> {
        let set = self.eval(ctx, p, bind.set)?;
        match &set {
            Value::Interval(..) | Value::Set(_) => Ok(set),
            other if sets::is_enumerable(other) => Ok(set),
            other => Err(bound_not_enumerable(ctx, p, bind.span, other)),
        }
    }

    /// Calls `each` for every binding, in TLC's order, until it says `false`: the first
    /// bound varies fastest.
    pub(crate) fn for_each(
        &mut self,
        ctx: &mut Ctx,
        binds: &[Bind],
        sets: &[Value],
        each: &mut dyn FnMut(&mut Machine, &mut Ctx) -> EvalResult<bool>,
    ) -> EvalResult<bool> {
        let [binds @ .., bind] = binds else { return each(self, ctx) };
        let [sets @ .., set] = sets else { return each(self, ctx) };
        let mut elements = Elements::of(ctx, set)?;
        while let Some(value) = elements.next(ctx)? {
            self.bind(ctx, bind.target, value)?;
            if !self.for_each(ctx, binds, sets, each)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn sets_len(ctx: &mut Ctx, function: &Value) -> EvalResult<Option<u64>> {
    let domain = crate::value::domain(ctx, function)?;
    sets::size(ctx, &domain)
}
