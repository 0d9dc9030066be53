//! Evaluation of expressions that are wanted as Booleans: no value is made on the way.

use super::error::{Role, annotate, not_boolean};
use super::machine::Machine;
use super::peek::equal_scalars;
use crate::error::EvalResult;
use crate::ir::{Bind, Node, NodeId, Program};
use crate::memo::{has_classes, note_element};
use crate::value::{Ctx, Items, Value, equal, has_tuple, sets};

impl Machine {
    /// The Boolean that an expression yields; the role says what a wrong value was used for.
    #[inline]
    pub(crate) fn test(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: NodeId,
        role: Role,
    ) -> EvalResult<bool> {
        match p.node(id) {
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
            | Node::Action(_) => match self.predicate(ctx, p, id) {
                Ok(b) => Ok(b),
                Err(err) => Err(annotate(p, id, err)),
            },
            Node::If(condition, then, otherwise) => {
                let (condition, then, otherwise) = (*condition, *then, *otherwise);
                let result = match self.test(ctx, p, condition, Role::If) {
                    Ok(true) => self.test(ctx, p, then, role),
                    Ok(false) => self.test(ctx, p, otherwise, role),
                    Err(err) => Err(err),
                };
                result.map_err(|err| annotate(p, id, err))
            }
            Node::Scope { lo, hi, body } => {
                self.clear(*lo, *hi);
                self.test(ctx, p, *body, role).map_err(|err| annotate(p, id, err))
            }
            Node::Bool(b) => Ok(*b),
            _ => match self.eval(ctx, p, id)? {
                Value::Bool(b) => Ok(b),
                other => Err(annotate(p, id, not_boolean(ctx, p, id, role, &other))),
            },
        }
    }

    /// Evaluates one of the nodes that always yield a Boolean.
    pub(crate) fn predicate(&mut self, ctx: &mut Ctx, p: &Program, id: NodeId) -> EvalResult<bool> {
        match p.node(id) {
            Node::And(items) => {
                for (idx, item) in items.iter().enumerate() {
                    if !self.test(ctx, p, *item, side(idx, true))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Node::Or(items) => {
                for (idx, item) in items.iter().enumerate() {
                    if self.test(ctx, p, *item, side(idx, false))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Implies(a, b) => Ok(!self.test(ctx, p, *a, Role::Premise)?
                || self.test(ctx, p, *b, Role::Conclusion)?),
            Node::Equivalent(a, b) => Ok(self.test(ctx, p, *a, Role::EquivalentLeft)?
                == self.test(ctx, p, *b, Role::EquivalentRight)?),
            Node::Not(a) => Ok(!self.test(ctx, p, *a, Role::Not)?),
            Node::Equal(a, b) => self.equal(ctx, p, *a, *b),
            Node::NotEqual(a, b) => Ok(!self.equal(ctx, p, *a, *b)?),
            Node::In(x, set) => self.member(ctx, p, *x, *set),
            Node::NotIn(x, set) => Ok(!self.member(ctx, p, *x, *set)?),
            Node::SubsetEq(a, b) => {
                let a = self.operand(ctx, p, *a)?;
                let b = self.operand(ctx, p, *b)?;
                sets::subset_eq(ctx, self.get(&a), self.get(&b))
            }
            Node::Quantified { for_all, binds, body } => {
                self.quantified(ctx, p, id, (*for_all, binds, *body))
            }
            Node::Enabled { action, n_virtual, primed } => {
                self.enabled(ctx, p, *action, *n_virtual, *primed)
            }
            Node::Action(action) => self.holds(ctx, p, *action),
            _ => match self.eval(ctx, p, id)? {
                Value::Bool(b) => Ok(b),
                other => Err(not_boolean(ctx, p, id, Role::Formula, &other)),
            },
        }
    }

    #[inline]
    fn equal(&mut self, ctx: &mut Ctx, p: &Program, a: NodeId, b: NodeId) -> EvalResult<bool> {
        if let Some(left) = self.peek(ctx, p, a)
            && let Some(right) = self.peek(ctx, p, b)
        {
            if let Some(result) = equal_scalars(left.get(), right.get()) {
                return Ok(result);
            }
            return equal(ctx, left.get(), right.get());
        }
        let a = self.operand(ctx, p, a)?;
        let b = self.operand(ctx, p, b)?;
        equal(ctx, self.get(&a), self.get(&b))
    }

    /// `x \in S`, without making `S` where its form decides.
    fn member(&mut self, ctx: &mut Ctx, p: &Program, x: NodeId, set: NodeId) -> EvalResult<bool> {
        match p.node(set) {
            Node::Filter { bind, body } => {
                let x = self.eval(ctx, p, x)?;
                let base = self.operand(ctx, p, bind.set)?;
                if !sets::member(ctx, &x, self.get(&base))? {
                    return Ok(false);
                }
                self.bind(ctx, bind.target, x)?;
                self.test(ctx, p, *body, Role::Filter)
            }
            // A filter with what its elements share.
            Node::Scope { lo, hi, body } if matches!(p.node(*body), Node::Filter { .. }) => {
                self.clear(*lo, *hi);
                self.member(ctx, p, x, *body)
            }
            Node::Cup(a, b) => Ok(self.member(ctx, p, x, *a)? || self.member(ctx, p, x, *b)?),
            _ => {
                if let Node::Cur(var) = p.node(set)
                    && has_classes(ctx, *var)
                    && usize::from(*var) < self.cur.len()
                {
                    let x = self.eval(ctx, p, x)?;
                    if !note_element(ctx, *var, &x) {
                        ctx.reads.variable(*var, false);
                    }
                    return sets::member(ctx, &x, &self.cur[usize::from(*var)]);
                }
                if let Node::Tuple(items) = p.node(x) {
                    return self.member_tuple(ctx, p, x, items, set);
                }
                if let Some(x) = self.peek(ctx, p, x)
                    && let Some(set) = self.peek(ctx, p, set)
                {
                    return sets::member(ctx, x.get(), set.get());
                }
                let x = self.operand(ctx, p, x)?;
                let set = self.operand(ctx, p, set)?;
                sets::member(ctx, self.get(&x), self.get(&set))
            }
        }
    }

    /// `<<a, b>> \in S`: mostly the tuple is not needed.
    fn member_tuple(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        x: NodeId,
        items: &[NodeId],
        set: NodeId,
    ) -> EvalResult<bool> {
        let mut parts = Items::with_capacity(items.len());
        for item in items {
            match self.eval(ctx, p, *item) {
                Ok(part) => parts.push(part),
                Err(err) => return Err(annotate(p, x, err)),
            }
        }
        let set = self.operand(ctx, p, set)?;
        if let Some(found) = has_tuple(ctx, &parts, self.get(&set)) {
            return Ok(found);
        }
        sets::member(ctx, &Value::tuple(parts), self.get(&set))
    }

    fn quantified(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: NodeId,
        (for_all, binds, body): (bool, &[Bind], NodeId),
    ) -> EvalResult<bool> {
        if let [bind] = binds {
            let mut elements = self.elements(ctx, p, p.guards.get(&id), bind)?;
            while let Some(value) = elements.next(ctx)? {
                self.bind(ctx, bind.target, value)?;
                if self.test(ctx, p, body, Role::Body)? != for_all {
                    return Ok(!for_all);
                }
            }
            return Ok(for_all);
        }
        let sets = self.bound_sets(ctx, p, binds)?;
        let settled = self.for_each(ctx, binds, &sets, &mut |this, ctx| {
            Ok(this.test(ctx, p, body, Role::Body)? == for_all)
        })?;
        Ok(settled == for_all)
    }
}

#[inline]
fn side(idx: usize, and: bool) -> Role {
    if idx == 0 { Role::Left(and) } else { Role::Right(and) }
}
