//! Enumeration of the ways in which an action gives variables their next values.
//!
//! What is left to do after a conjunct is a [`Continuation`] on the native stack, so no list of
//! partial states is ever built. Once every variable has a value, the rest is a plain predicate
//! that yields at most one successor, as in TLC.

use crate::error::EvalResult;
use crate::eval::{Elements, Local, Machine, NextState, Role, Written};
use crate::ir::{Act, ActId, Arg, Bind, Counted, Node, NodeId, Part, Program, Update, VarId};
use crate::memo::{has_classes, is_split, note_change, note_key, place_of_key};
use crate::value::{Ctx, Value, equal, sets};

/// What is left to do.
pub(crate) enum Continuation<'a> {
    /// Nothing: a state is found.
    Done,
    /// More conjuncts.
    Acts(&'a [ActId], &'a Continuation<'a>),
    /// More conjuncts of a `\A`: the bindings from the index on.
    Forall { act: &'a Act, rows: &'a [Vec<Value>], next: &'a Continuation<'a> },
    /// Back to the frame of the caller.
    Return(usize, &'a Continuation<'a>),
    /// The second action of a composition.
    Compose(ActId, &'a NextState, &'a Continuation<'a>),
    /// Counts if what follows leads to a state; only a complete one, if so told.
    Count(u32, bool, &'a Continuation<'a>),
}

impl Continuation<'_> {
    /// Whether the second action of a composition is still to come.
    fn composes(&self) -> bool {
        let mut it = self;
        loop {
            it = match it {
                Continuation::Done => return false,
                Continuation::Compose(..) => return true,
                Continuation::Acts(_, next)
                | Continuation::Forall { next, .. }
                | Continuation::Return(_, next)
                | Continuation::Count(_, _, next) => next,
            };
        }
    }
}

/// What is called for every state found; `false` ends the enumeration.
pub(crate) type Found<'a> = dyn FnMut(&mut Machine, &mut Ctx) -> EvalResult<bool> + 'a;

impl Machine {
    /// Runs an action. The result is `false` if the enumeration was ended.
    pub(crate) fn run(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: ActId,
        rest: &Continuation<'_>,
        found: &mut Found<'_>,
    ) -> EvalResult<bool> {
        let result = if self.next.is_complete() {
            match self.holds(ctx, p, id) {
                Ok(true) => self.resume(ctx, p, rest, found),
                Ok(false) => Ok(true),
                Err(err) => Err(err),
            }
        } else {
            self.run_act(ctx, p, id, rest, found)
        };
        match result {
            Ok(go_on) => Ok(go_on),
            Err(err) => Err(annotate(p, id, err)),
        }
    }

    fn resume(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        rest: &Continuation<'_>,
        found: &mut Found<'_>,
    ) -> EvalResult<bool> {
        match rest {
            Continuation::Done => {
                self.n_found += 1;
                found(self, ctx)
            }
            Continuation::Count(counter, completed, next) => {
                let (before, complete) = (self.n_found, self.next.is_complete());
                let result = self.resume(ctx, p, next, found);
                if self.n_found > before && (complete || !completed) {
                    p.costs.evaluated(*counter);
                }
                result
            }
            Continuation::Acts([], next) => self.resume(ctx, p, next, found),
            Continuation::Acts([act], next) => self.run(ctx, p, *act, next, found),
            Continuation::Acts([act, acts @ ..], next) => {
                self.run(ctx, p, *act, &Continuation::Acts(acts, next), found)
            }
            Continuation::Forall { act, rows, next } => {
                let Act::Forall { binds, body, lo, hi } = act else { return Ok(true) };
                let Some((row, rows)) = rows.split_first() else {
                    return self.resume(ctx, p, next, found);
                };
                // The conjunct before this one goes on after it, with its own slots.
                let range = self.base + usize::from(*lo)..self.base + usize::from(*hi);
                let saved: Vec<Local> = self.stack[range.clone()].to_vec();
                for (bind, value) in binds.iter().zip(row) {
                    self.bind(ctx, bind.target, value.clone())?;
                }
                let rest = Continuation::Forall { act, rows, next };
                let result = self.run(ctx, p, *body, &rest, found);
                for (local, value) in self.stack[range].iter_mut().zip(saved) {
                    *local = value;
                }
                result
            }
            Continuation::Return(base, next) => {
                let callee = std::mem::replace(&mut self.base, *base);
                let result = self.resume(ctx, p, next, found);
                self.base = callee;
                result
            }
            Continuation::Compose(act, after, next) => {
                // The state in between becomes the present one.
                let middle: Option<Vec<Value>> = self.next.values.iter().cloned().collect();
                let Some(middle) = middle else {
                    return Err(crate::error::EvalError::general(
                        "The first action of \\cdot leaves a variable without a value.",
                    ));
                };
                if !next.composes() {
                    self.n_middle += 1;
                }
                let cur = std::mem::replace(&mut self.cur, middle.into());
                let first = std::mem::replace(&mut self.next, (*after).clone());
                let epoch = self.epoch;
                self.new_epoch();
                let result = self.run(ctx, p, *act, &Continuation::Acts(&[], next), found);
                self.cur = cur;
                self.next = first;
                self.epoch = epoch;
                result
            }
        }
    }

    fn run_act(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: ActId,
        rest: &Continuation<'_>,
        found: &mut Found<'_>,
    ) -> EvalResult<bool> {
        let act = p.act(id);
        match act {
            Act::Test(node) => {
                if self.test(ctx, p, *node, Role::Formula)? {
                    self.resume(ctx, p, rest, found)
                } else {
                    Ok(true)
                }
            }
            Act::Assign(var, node)
                if ctx.reads.active && self.next.values[usize::from(*var)].is_none() =>
            {
                let (value, written) = self.value_noted(ctx, p, *var, *node)?;
                self.next.assign(*var, value);
                self.next.written[usize::from(*var)] = written;
                let result = self.resume(ctx, p, rest, found);
                self.next.retract(*var);
                result
            }
            Act::Assign(var, node) => {
                let value = self.eval(ctx, p, *node)?;
                self.assign(ctx, p, *var, value, rest, found)
            }
            Act::AssignIn(var, node) => {
                let set = self.eval(ctx, p, *node)?;
                if let Some(known) = self.assigned(ctx, *var) {
                    return if sets::member(ctx, &known, &set)? {
                        self.resume(ctx, p, rest, found)
                    } else {
                        Ok(true)
                    };
                }
                let mut elements = Elements::of(ctx, &set)?;
                while let Some(value) = elements.next(ctx)? {
                    let value =
                        if ctx.reads.active { crate::value::force(ctx, &value)? } else { value };
                    self.next.assign(*var, value);
                    let result = self.resume(ctx, p, rest, found);
                    self.next.retract(*var);
                    if !result? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Act::AssignSubset(var, node) => {
                let set = self.eval(ctx, p, *node)?;
                if let Some(known) = self.assigned(ctx, *var) {
                    return if sets::subset_eq(ctx, &known, &set)? {
                        self.resume(ctx, p, rest, found)
                    } else {
                        Ok(true)
                    };
                }
                let mut elements = Elements::of(ctx, &Value::subset(set))?;
                while let Some(value) = elements.next(ctx)? {
                    let value =
                        if ctx.reads.active { crate::value::force(ctx, &value)? } else { value };
                    self.next.assign(*var, value);
                    let result = self.resume(ctx, p, rest, found);
                    self.next.retract(*var);
                    if !result? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Act::Unchanged(vars) => self.unchanged(ctx, p, id, vars, rest, found),
            Act::Specified(vars) => {
                let missing = vars.iter().find(|it| self.next.values[usize::from(**it)].is_none());
                match missing {
                    None => self.resume(ctx, p, rest, found),
                    Some(var) => Err(unspecified(p, *var)),
                }
            }
            Act::And(items) => match &**items {
                [] => self.resume(ctx, p, rest, found),
                [act] => self.run(ctx, p, *act, rest, found),
                [act, acts @ ..] => self.run(ctx, p, *act, &Continuation::Acts(acts, rest), found),
            },
            Act::Or(items) => {
                for item in items {
                    if !self.run(ctx, p, *item, rest, found)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Act::Exists(binds, body) => {
                if let [bind] = &**binds {
                    let mut elements = self.elements(ctx, p, p.act_guards.get(&id), bind)?;
                    while let Some(value) = elements.next(ctx)? {
                        self.bind(ctx, bind.target, value)?;
                        if !self.run(ctx, p, *body, rest, found)? {
                            return Ok(false);
                        }
                    }
                    return Ok(true);
                }
                let sets = self.bound_sets(ctx, p, binds)?;
                self.for_each(ctx, binds, &sets, &mut |this, ctx| {
                    this.run(ctx, p, *body, rest, found)
                })
            }
            Act::Forall { binds, .. } => {
                let rows = self.rows(ctx, p, binds)?;
                self.resume(ctx, p, &Continuation::Forall { act, rows: &rows, next: rest }, found)
            }
            Act::If(condition, then, otherwise) => {
                let side =
                    if self.test(ctx, p, *condition, Role::If)? { *then } else { *otherwise };
                self.run(ctx, p, side, rest, found)
            }
            Act::Case(arms, other) => match self.arm(ctx, p, arms, *other)? {
                Some(act) => self.run(ctx, p, act, rest, found),
                None => Err(no_arm()),
            },
            Act::Scope { lo, hi, body } => {
                self.clear(*lo, *hi);
                self.run(ctx, p, *body, rest, found)
            }
            Act::Call { function, args } => {
                let function = &p.act_functions[function.index()];
                let saved = self.open_act_frame(ctx, p, function.n_slots, args)?;
                let rest = Continuation::Return(saved.0, rest);
                let result = crate::eval::grow(|| self.run(ctx, p, function.body, &rest, found));
                self.close_frame(saved);
                ctx.depth -= 1;
                result
            }
            Act::Compose(first, second) => {
                if ctx.reads.active {
                    ctx.reads.everything(false);
                }
                let n = self.next.values.len();
                let after = std::mem::replace(&mut self.next, NextState::empty(n));
                let rest = Continuation::Compose(*second, &after, rest);
                let result = self.run(ctx, p, *first, &rest, found);
                self.next = after;
                result
            }
            Act::Count { counter, when, body, .. } => match when {
                Counted::Never => self.run(ctx, p, *body, rest, found),
                Counted::Success | Counted::Completion => {
                    let completed = *when == Counted::Completion;
                    let rest = Continuation::Count(*counter, completed, rest);
                    self.run(ctx, p, *body, &rest, found)
                }
            },
        }
    }

    /// The value of `x' = e`, and what of `x` it repeats; that much is not read.
    pub(crate) fn value_noted(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        var: VarId,
        id: NodeId,
    ) -> EvalResult<(Value, Written)> {
        match p.node(id) {
            Node::Cur(it) if *it == var && usize::from(var) < self.cur.len() => {
                Ok((self.cur[usize::from(var)].clone(), Written::Unchanged))
            }
            Node::If(condition, then, otherwise) => {
                let side =
                    if self.test(ctx, p, *condition, Role::If)? { *then } else { *otherwise };
                self.value_noted(ctx, p, var, side)
            }
            Node::Scope { lo, hi, body } => {
                self.clear(*lo, *hi);
                self.value_noted(ctx, p, var, *body)
            }
            Node::Except { base, updates }
                if matches!(p.node(*base), Node::Cur(it) if *it == var)
                    && is_split(ctx, var)
                    && usize::from(var) < self.cur.len() =>
            {
                self.except_noted(ctx, p, var, updates)
                    .map_err(|err| crate::eval::annotate(p, id, err))
            }
            Node::Cup(..) | Node::Minus(..)
                if has_classes(ctx, var)
                    && usize::from(var) < self.cur.len()
                    && changes(p, var, id) =>
            {
                let (value, mask) = self
                    .set_noted(ctx, p, var, id)
                    .map_err(|err| crate::eval::annotate(p, id, err))?;
                let written = mask.map_or(Written::Whole, Written::Slots);
                Ok((crate::value::force(ctx, &value)?, written))
            }
            _ => {
                // Whatever is still to be computed reads the state: now, while it is noted.
                let value = self.eval(ctx, p, id)?;
                Ok((crate::value::force(ctx, &value)?, Written::Whole))
            }
        }
    }

    /// `x \cup S`, `x \ S` for `x'` where `x` is a set in classes: reads and writes only those that
    /// elements of `S` are in. Which, a bit each; `None` for all.
    fn set_noted(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        var: VarId,
        id: NodeId,
    ) -> EvalResult<(Value, Option<u64>)> {
        let (from, other, is_union) = match p.node(id) {
            Node::Cup(a, b) if changes(p, var, *a) => (*a, *b, true),
            Node::Cup(a, b) => (*b, *a, true),
            Node::Minus(a, b) => (*a, *b, false),
            // It is the variable itself.
            _ => return Ok((self.cur[usize::from(var)].clone(), Some(0))),
        };
        let (value, mask) = self.set_noted(ctx, p, var, from)?;
        let other = self.eval(ctx, p, other)?;
        let other = crate::value::force(ctx, &other)?;
        let more = note_change(ctx, var, &other);
        if more.is_none() {
            ctx.reads.variable(var, false);
        }
        let value = if is_union {
            sets::cup(ctx, &value, &other)?
        } else {
            sets::difference(ctx, &value, &other)?
        };
        Ok((value, mask.zip(more).map(|(mask, more)| mask | more)))
    }

    /// `[x EXCEPT …]` for `x'` where `x` has slots: reads and writes only those on the paths.
    fn except_noted(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        var: VarId,
        updates: &[Update],
    ) -> EvalResult<(Value, Written)> {
        let mut value = self.cur[usize::from(var)].clone();
        let mut mask = 0_u64;
        for it in updates {
            let Some((step, rest)) = it.path.split_first() else { continue };
            let key = self.step_key(ctx, p, step)?;
            if let Some(place) = place_of_key(ctx, var, &key) {
                if it.uses_at || !rest.is_empty() {
                    note_key(ctx, var, &key, false);
                }
                mask |= 1 << place;
            }
            if let Some(changed) = self.except_at(ctx, p, &value, &key, rest, it)? {
                value = changed;
            }
        }
        Ok((crate::value::force(ctx, &value)?, Written::Slots(mask)))
    }

    /// The value that a variable has been given.
    #[inline]
    fn assigned(&self, ctx: &mut Ctx, var: VarId) -> Option<Value> {
        if ctx.reads.active {
            self.note_next(ctx, var);
        }
        self.next.values.get(usize::from(var)).and_then(Clone::clone)
    }

    fn assign(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        var: VarId,
        value: Value,
        rest: &Continuation<'_>,
        found: &mut Found<'_>,
    ) -> EvalResult<bool> {
        if ctx.reads.active {
            self.note_next(ctx, var);
        }
        match &self.next.values[usize::from(var)] {
            Some(known) => {
                if equal(ctx, known, &value)? {
                    self.resume(ctx, p, rest, found)
                } else {
                    Ok(true)
                }
            }
            None => {
                self.next.assign(var, value);
                let result = self.resume(ctx, p, rest, found);
                self.next.retract(var);
                result
            }
        }
    }

    fn unchanged(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        id: ActId,
        vars: &[VarId],
        rest: &Continuation<'_>,
        found: &mut Found<'_>,
    ) -> EvalResult<bool> {
        // A bit for each variable given its value here.
        let mut given: smallvec::SmallVec<[VarId; 16]> = smallvec::SmallVec::new();
        let mut same = Ok(true);
        for var in vars {
            let at = usize::from(*var);
            match &self.next.values[at] {
                Some(known) => {
                    if ctx.reads.active {
                        self.note_next(ctx, *var);
                        ctx.reads.variable(*var, false);
                    }
                    match equal(ctx, known, &self.cur[at]) {
                        Ok(true) => {}
                        other => {
                            if let Ok(false) = other {
                                warn_of_change(ctx, p, id, *var);
                            }
                            same = other;
                            break;
                        }
                    }
                }
                None => {
                    let value = self.cur[at].clone();
                    self.next.assign(*var, value);
                    self.next.written[at] = Written::Unchanged;
                    given.push(*var);
                }
            }
        }
        let result = match same {
            Ok(true) => self.resume(ctx, p, rest, found),
            Ok(false) => Ok(true),
            Err(err) => Err(err),
        };
        for var in given {
            self.next.retract(var);
        }
        result
    }

    fn rows(&mut self, ctx: &mut Ctx, p: &Program, binds: &[Bind]) -> EvalResult<Vec<Vec<Value>>> {
        let sets = self.bound_sets(ctx, p, binds)?;
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for set in sets.iter().rev() {
            let mut longer = Vec::new();
            for row in &rows {
                let mut elements = Elements::of(ctx, set)?;
                while let Some(value) = elements.next(ctx)? {
                    let mut it = vec![value];
                    it.extend(row.iter().cloned());
                    longer.push(it);
                }
            }
            rows = longer;
        }
        Ok(rows)
    }

    fn arm(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        arms: &[(NodeId, ActId)],
        other: Option<ActId>,
    ) -> EvalResult<Option<ActId>> {
        for (guard, act) in arms {
            if self.test(ctx, p, *guard, Role::Case)? {
                return Ok(Some(*act));
            }
        }
        Ok(other)
    }

    fn open_act_frame(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        n_slots: u16,
        args: &[Arg],
    ) -> EvalResult<(usize, usize)> {
        let mut list: smallvec::SmallVec<[Local; 6]> = smallvec::SmallVec::new();
        for arg in args {
            list.push(self.argument(ctx, p, arg, false)?);
        }
        Machine::deeper(ctx)?;
        let saved = self.open_frame(n_slots);
        for (idx, local) in list.into_iter().enumerate() {
            let at = self.base + idx;
            self.stack[at] = local;
        }
        Ok(saved)
    }

    /// An action as a predicate on the present and the next state.
    pub(crate) fn holds(&mut self, ctx: &mut Ctx, p: &Program, id: ActId) -> EvalResult<bool> {
        self.holds_inner(ctx, p, id).map_err(|err| annotate(p, id, err))
    }

    fn holds_inner(&mut self, ctx: &mut Ctx, p: &Program, id: ActId) -> EvalResult<bool> {
        match p.act(id) {
            Act::Test(node) => self.test(ctx, p, *node, Role::Formula),
            Act::Assign(var, node) => {
                let value = self.operand(ctx, p, *node)?;
                if ctx.reads.active {
                    self.note_next(ctx, *var);
                }
                match &self.next.values[usize::from(*var)] {
                    Some(known) => equal(ctx, known, self.get(&value)),
                    None => Err(self.unassigned(p, *var)),
                }
            }
            Act::AssignIn(var, node) => {
                let set = self.operand(ctx, p, *node)?;
                if ctx.reads.active {
                    self.note_next(ctx, *var);
                }
                match &self.next.values[usize::from(*var)] {
                    Some(known) => sets::member(ctx, known, self.get(&set)),
                    None => Err(self.unassigned(p, *var)),
                }
            }
            Act::AssignSubset(var, node) => {
                let set = self.operand(ctx, p, *node)?;
                if ctx.reads.active {
                    self.note_next(ctx, *var);
                }
                match &self.next.values[usize::from(*var)] {
                    Some(known) => sets::subset_eq(ctx, known, self.get(&set)),
                    None => Err(self.unassigned(p, *var)),
                }
            }
            Act::Specified(_) => Ok(true),
            Act::Unchanged(vars) => {
                for var in vars {
                    let at = usize::from(*var);
                    if ctx.reads.active {
                        self.note_next(ctx, *var);
                        ctx.reads.variable(*var, false);
                    }
                    match &self.next.values[at] {
                        Some(known) => {
                            if !equal(ctx, known, &self.cur[at])? {
                                return Ok(false);
                            }
                        }
                        None => return Err(self.unassigned(p, *var)),
                    }
                }
                Ok(true)
            }
            Act::And(items) => {
                for item in items {
                    if !self.holds(ctx, p, *item)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Act::Or(items) => {
                for item in items {
                    if self.holds(ctx, p, *item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Act::Exists(binds, body) => {
                let sets = self.bound_sets(ctx, p, binds)?;
                let missed = self.for_each(ctx, binds, &sets, &mut |this, ctx| {
                    Ok(!this.holds(ctx, p, *body)?)
                })?;
                Ok(!missed)
            }
            Act::Forall { binds, body, .. } => {
                let sets = self.bound_sets(ctx, p, binds)?;
                self.for_each(ctx, binds, &sets, &mut |this, ctx| this.holds(ctx, p, *body))
            }
            Act::If(condition, then, otherwise) => {
                let side =
                    if self.test(ctx, p, *condition, Role::If)? { *then } else { *otherwise };
                self.holds(ctx, p, side)
            }
            Act::Case(arms, other) => match self.arm(ctx, p, arms, *other)? {
                Some(act) => self.holds(ctx, p, act),
                None => Err(no_arm()),
            },
            Act::Scope { lo, hi, body } => {
                self.clear(*lo, *hi);
                self.holds(ctx, p, *body)
            }
            Act::Count { counter, tested, body, .. } => {
                if *tested {
                    p.costs.evaluated(*counter);
                }
                self.holds(ctx, p, *body)
            }
            Act::Call { function, args } => {
                let function = &p.act_functions[function.index()];
                let saved = self.open_act_frame(ctx, p, function.n_slots, args)?;
                let result = crate::eval::grow(|| self.holds(ctx, p, function.body));
                self.close_frame(saved);
                ctx.depth -= 1;
                result
            }
            Act::Compose(..) => {
                if ctx.reads.active {
                    ctx.reads.everything(true);
                }
                let mut held = false;
                let wanted = self.next.clone();
                let n = wanted.values.len();
                self.next = NextState::empty(n);
                let result = self.run_act(ctx, p, id, &Continuation::Done, &mut |this, ctx| {
                    let mut all = true;
                    for (value, wanted) in this.next.values.iter().zip(&wanted.values) {
                        if let (Some(value), Some(wanted)) = (value, wanted)
                            && !equal(ctx, value, wanted)?
                        {
                            all = false;
                            break;
                        }
                    }
                    held = all;
                    Ok(!all)
                });
                self.next = wanted;
                result?;
                Ok(held)
            }
        }
    }

    #[cold]
    fn unassigned(&self, p: &Program, var: VarId) -> Box<crate::error::EvalError> {
        let name = p.variables.get(usize::from(var)).map_or("", |it| it.name.as_str());
        crate::error::EvalError::general(format!(
            "In evaluation, the identifier {name} is either undefined or not an operator."
        ))
    }

    /// `ENABLED A`.
    pub(crate) fn enabled(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        action: ActId,
        n_virtual: u16,
        primed: bool,
    ) -> EvalResult<bool> {
        let n = p.n_variables() + usize::from(n_virtual);
        if ctx.reads.active && primed {
            for var in 0..p.n_variables() {
                self.note_next(ctx, var as VarId);
            }
        }
        let outer = std::mem::replace(&mut self.next, NextState::empty(n));
        let saved = if primed {
            let values: Option<Vec<Value>> = outer.values.iter().cloned().collect();
            let Some(values) = values else {
                self.next = outer;
                return Err(crate::error::EvalError::general(
                    "ENABLED was asked of a next state that is not known.",
                ));
            };
            let cur = std::mem::replace(&mut self.cur, values.into());
            let epoch = self.epoch;
            self.new_epoch();
            Some((cur, epoch))
        } else {
            None
        };
        let mut possible = false;
        let result = self.run(ctx, p, action, &Continuation::Done, &mut |_, _| {
            possible = true;
            Ok(false)
        });
        self.next = outer;
        if let Some((cur, epoch)) = saved {
            self.cur = cur;
            self.epoch = epoch;
        }
        result?;
        Ok(possible)
    }
}

#[cold]
fn warn_of_change(ctx: &mut Ctx, p: &Program, id: ActId, var: VarId) {
    let name = p.variables.get(usize::from(var)).map_or("", |it| it.name.as_str());
    let place = p.location(p.act_spans[id.index()]);
    let text =
        format!("The variable {name} was changed while it is specified as UNCHANGED at\n{place}");
    ctx.warn(2143, None, text);
}

#[cold]
fn unspecified(p: &Program, var: VarId) -> Box<crate::error::EvalError> {
    let name = p.variables.get(usize::from(var)).map_or("", |it| it.name.as_str());
    crate::error::EvalError::new(
        crate::error::code::UNSPECIFIED,
        format!(
            "The action formula A appearing in a WF_v(A) or SF_v(A) operator does not specify the \
             primed value of the variable {name} occurring in the state formula v."
        ),
    )
}

#[cold]
fn no_arm() -> Box<crate::error::EvalError> {
    crate::error::EvalError::general("Attempted to evaluate a CASE with no conditions true.")
}

#[cold]
fn annotate(
    p: &Program,
    id: ActId,
    err: Box<crate::error::EvalError>,
) -> Box<crate::error::EvalError> {
    let mut err = err.at(p.act_spans[id.index()]);
    let origin = *err.act.get_or_insert(id);
    if let Some(frames) = p.act_frames.get(&id)
        && is_part(p, origin, id)
    {
        for (name, span) in frames {
            err = err.within(name.as_str(), Some(*span));
        }
    }
    err
}

/// Whether an action is a part of another one.
fn is_part(p: &Program, part: ActId, whole: ActId) -> bool {
    let mut todo = vec![whole];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = todo.pop() {
        if id == part {
            return true;
        }
        if seen.insert(id) {
            crate::ir::act_parts(p.act(id), &mut |it| match it {
                Part::Act(act) => todo.push(act),
                Part::CallsAct(function) => {
                    todo.push(p.act_functions[function.index()].body);
                }
                _ => {}
            });
        }
    }
    false
}

/// Whether an expression is a variable with elements added or taken away.
fn changes(p: &Program, var: VarId, id: NodeId) -> bool {
    match p.node(id) {
        Node::Cur(it) => *it == var,
        Node::Cup(a, b) => changes(p, var, *a) || changes(p, var, *b),
        Node::Minus(a, _) => changes(p, var, *a),
        _ => false,
    }
}
