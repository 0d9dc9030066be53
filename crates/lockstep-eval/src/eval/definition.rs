//! State-level definitions: evaluated once per state, and once per value of what they read while
//! reads are noted (see [`crate::memo`]).

use std::rc::Rc;

use super::machine::{Machine, Written};
use crate::error::EvalResult;
use crate::ir::{FunctionId, MemoId, NodeId, Program};
use crate::memo::{SlotId, number_of};
use crate::value::{Ctx, Value};

impl Machine {
    /// The value of a definition in the present state.
    pub(super) fn definition(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        memo: MemoId,
        function: FunctionId,
    ) -> EvalResult<Value> {
        let (at, epoch) = (memo.index(), self.epoch);
        if let Some((known, serial, Some(value))) = self.memos.get(at)
            && *known == epoch
            && *serial == ctx.reads.serial
        {
            return Ok(value.clone());
        }
        let numbered = self.numbered(ctx, p, memo, function);
        let value = match numbered {
            Some(value) => value,
            None => self.body(ctx, p, function)?,
        };
        if let Some(entry) = self.memos.get_mut(at) {
            *entry = (epoch, ctx.reads.serial, Some(value.clone()));
        }
        Ok(value)
    }

    fn body(&mut self, ctx: &mut Ctx, p: &Program, function: FunctionId) -> EvalResult<Value> {
        let function = &p.functions[function.index()];
        let saved = self.open_frame(function.n_slots);
        let value = self.eval(ctx, p, function.body);
        self.close_frame(saved);
        value
    }

    /// The value by its number. `None` where the definition has none: evaluate it.
    fn numbered(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        memo: MemoId,
        function: FunctionId,
    ) -> Option<Value> {
        if !ctx.reads.is_about(&self.cur) || !ctx.reads.derived.is_numbered(memo) {
            return None;
        }
        if let Some(value) = ctx.reads.definition(memo, false) {
            return Some(value);
        }
        match self.number(ctx, p, memo, function, false) {
            Ok(value) => Some(value),
            // What fails as a whole may be asked for a part that does not.
            Err(reads) => {
                ctx.reads.add_all(&reads);
                None
            }
        }
    }

    /// The value of a definition in the next state: once a step, where that state was given in
    /// full. `otherwise` is its primed body.
    pub(super) fn next_definition(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        memo: MemoId,
        function: FunctionId,
        otherwise: NodeId,
    ) -> EvalResult<Value> {
        let (at, step) = (memo.index(), self.next.serial);
        if step == 0 {
            return self.eval(ctx, p, otherwise);
        }
        if let Some((known, serial, Some(value))) = self.next_memos.get(at)
            && *known == step
            && *serial == ctx.reads.serial
        {
            return Ok(value.clone());
        }
        let value = match self.numbered_next(ctx, p, memo, function) {
            Some(value) => value,
            None => self.eval(ctx, p, otherwise)?,
        };
        if let Some(entry) = self.next_memos.get_mut(at) {
            *entry = (step, ctx.reads.serial, Some(value.clone()));
        }
        Ok(value)
    }

    /// The value by its number. `None` where the definition has none.
    fn numbered_next(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        memo: MemoId,
        function: FunctionId,
    ) -> Option<Value> {
        let given = ctx.reads.knows_next()
            && ctx.reads.is_about(&self.cur)
            && ctx.reads.derived.is_numbered(memo)
            && self.next.is_complete()
            && self.next.written.iter().all(|it| *it == Written::Given);
        if !given {
            return None;
        }
        if let Some(value) = ctx.reads.definition(memo, true) {
            return Some(value);
        }
        let next: Rc<[Value]> = self.next.values.iter().flatten().cloned().collect();
        let cur = std::mem::replace(&mut self.cur, next);
        let next = std::mem::take(&mut self.next);
        let epoch = self.epoch;
        self.new_epoch();
        let result = self.number(ctx, p, memo, function, true);
        self.epoch = epoch;
        self.next = next;
        self.cur = cur;
        result.ok()
    }

    /// Evaluates a definition under a log of its own and numbers its value. What was read, if that
    /// fails.
    fn number(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        memo: MemoId,
        function: FunctionId,
        next: bool,
    ) -> Result<Value, Vec<SlotId>> {
        let outer = ctx.reads.push(&self.cur, next);
        let result = self.body(ctx, p, function).and_then(|value| number_of(ctx, &value));
        let reads = ctx.reads.pop(outer);
        let Ok((number, value)) = result else { return Err(reads) };
        ctx.reads.keep(memo, &reads, next, number);
        Ok(value)
    }
}
