//! The state of one evaluation: frames of slots, the two states, caches.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use lockstep_syntax::Span;
use rustc_hash::FxHashMap;

use super::closure::{Code, Thunk};
use super::recall::Recall;
use crate::error::{EvalError, EvalResult, code};
use crate::ir::{Frozen, Node, NodeId, Program, Slot, VarId};
use crate::memo::note_key;
use crate::value::{Ctx, Domain, Shape, Value, decode};

/// What a slot holds.
#[derive(Clone)]
pub(crate) enum Local {
    /// Nothing yet.
    Empty,
    /// A value.
    Value(Value),
    /// An expression to be evaluated when it is read.
    Thunk(Rc<Thunk>),
    /// An operator.
    Operator(Rc<Code>),
    /// An argument whose evaluation failed; the error appears if it is read.
    Failed(Box<EvalError>),
}

/// How a variable of the next state got its value: what of the present state the value repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Written {
    /// By an expression.
    #[default]
    Whole,
    /// It is that of the present state.
    Unchanged,
    /// It is that of the present state but for these slots of the variable.
    Slots(u64),
    /// It was there before the evaluation: the next state is an operand, as in `[A]_v`.
    Given,
}

/// The next state as far as it is known.
#[derive(Clone, Default)]
pub(crate) struct NextState {
    /// The values given so far.
    pub(crate) values: Vec<Option<Value>>,
    /// How many there are.
    pub(crate) n_assigned: usize,
    /// Where they come from.
    pub(crate) written: Vec<Written>,
    /// Numbers the next states that were given in full, for what is kept per step; 0 for others.
    pub(crate) serial: u64,
}

impl NextState {
    /// No variable has a value.
    pub(crate) fn empty(n: usize) -> Self {
        Self { values: vec![None; n], n_assigned: 0, written: vec![Written::Whole; n], serial: 0 }
    }

    /// A complete state.
    pub(crate) fn complete(values: &[Value], serial: u64) -> Self {
        Self {
            values: values.iter().cloned().map(Some).collect(),
            n_assigned: values.len(),
            written: vec![Written::Given; values.len()],
            serial,
        }
    }

    /// Whether every variable has a value.
    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        self.n_assigned == self.values.len()
    }

    pub(crate) fn assign(&mut self, var: VarId, value: Value) {
        self.values[usize::from(var)] = Some(value);
        self.written[usize::from(var)] = Written::Whole;
        self.n_assigned += 1;
    }

    pub(crate) fn retract(&mut self, var: VarId) {
        self.values[usize::from(var)] = None;
        self.n_assigned -= 1;
    }
}

/// The shape of a record literal, and where each written field goes.
pub(crate) type LiteralShape = (Rc<Shape>, Rc<[usize]>);

/// Keys with results, by the place of an expression and the hash of the key.
pub(crate) type CacheByPlace = FxHashMap<(Span, u64), Vec<(Value, Value)>>;

/// What all machines of a worker share: caches that fill as evaluation goes on.
pub(crate) struct Shared {
    pub(crate) program: Arc<Program>,
    pub(crate) consts: Vec<OnceCell<Value>>,
    pub(crate) frozen: Vec<OnceCell<Value>>,
    /// The domains of function literals by node, with the set they were made from.
    pub(crate) domains: RefCell<FxHashMap<NodeId, (Value, Rc<Domain>)>>,
    /// The shapes of record literals by node, with where each written field goes.
    pub(crate) shapes: RefCell<FxHashMap<NodeId, LiteralShape>>,
    /// What `TLCCache` keeps: by the place of the expression and the hash of the key.
    pub(crate) cached: RefCell<CacheByPlace>,
    /// Results of recursive definitions.
    pub(crate) recall: RefCell<Recall>,
    /// Machines at rest, for closures.
    pub(crate) pool: RefCell<Vec<Machine>>,
}

impl Shared {
    pub(crate) fn new(program: Arc<Program>) -> Rc<Self> {
        Rc::new(Self {
            consts: (0..program.consts.len()).map(|_| OnceCell::new()).collect(),
            frozen: (0..program.frozen.len()).map(|_| OnceCell::new()).collect(),
            domains: RefCell::default(),
            shapes: RefCell::default(),
            cached: RefCell::default(),
            recall: RefCell::default(),
            pool: RefCell::default(),
            program,
        })
    }
}

/// The value behind its bytes.
pub(crate) fn thaw(ctx: &mut Ctx, frozen: &Frozen) -> EvalResult<Value> {
    decode(&mut &frozen.0[..], ctx)
}

/// One evaluation.
pub(crate) struct Machine {
    pub(crate) shared: Rc<Shared>,
    pub(crate) stack: Vec<Local>,
    /// Where the present frame starts.
    pub(crate) base: usize,
    /// Where the next frame starts. What lies above is left over: every slot is written (or, for a
    /// memo slot, emptied) before it is read.
    pub(crate) top: usize,
    /// The present state; empty where there is none.
    pub(crate) cur: Rc<[Value]>,
    /// The next state; without entries where there is none.
    pub(crate) next: NextState,
    /// Numbers the present state, for what is kept per state.
    pub(crate) epoch: u64,
    pub(crate) last_epoch: u64,
    /// States in the middle of `A \cdot B`, which TLC counts as generated.
    pub(crate) n_middle: u64,
    /// How many states actions have led to.
    pub(crate) n_found: u64,
    /// State-level definitions, with the state they were evaluated in and the log of reads.
    pub(crate) memos: Vec<(u64, u64, Option<Value>)>,
    /// The same in the next state, with that state's number.
    pub(crate) next_memos: Vec<(u64, u64, Option<Value>)>,
    pub(crate) last_step: u64,
}

/// An operand that is read in place where it has a place.
pub(crate) enum Operand {
    Owned(Value),
    Cur(VarId),
    Next(VarId),
    Local(usize),
    Const(usize),
}

impl Machine {
    pub(crate) fn new(shared: Rc<Shared>) -> Self {
        let n_memos = shared.program.n_memos as usize;
        Self {
            shared,
            stack: Vec::new(),
            base: 0,
            top: 0,
            cur: Rc::from([]),
            next: NextState::default(),
            epoch: 1,
            last_epoch: 1,
            n_middle: 0,
            n_found: 0,
            memos: vec![(0, 0, None); n_memos],
            next_memos: vec![(0, 0, None); n_memos],
            last_step: 0,
        }
    }

    /// Makes `cur` the present state and forgets the next one.
    pub(crate) fn set_state(&mut self, cur: Rc<[Value]>) {
        self.cur = cur;
        self.new_epoch();
    }

    pub(crate) fn new_epoch(&mut self) {
        self.last_epoch += 1;
        self.epoch = self.last_epoch;
    }

    /// Opens a frame and returns what closes it.
    #[inline]
    pub(crate) fn open_frame(&mut self, n_slots: u16) -> (usize, usize) {
        let saved = (self.base, self.top);
        self.base = self.top;
        self.top += usize::from(n_slots);
        if self.stack.len() < self.top {
            self.stack.resize(self.top + 64, Local::Empty);
        }
        saved
    }

    #[inline]
    pub(crate) fn close_frame(&mut self, saved: (usize, usize)) {
        self.top = saved.1;
        self.base = saved.0;
    }

    #[inline]
    pub(crate) fn set(&mut self, slot: Slot, value: Value) {
        let at = self.base + usize::from(slot);
        self.stack[at] = Local::Value(value);
    }

    /// Empties memo slots.
    #[inline]
    pub(crate) fn clear(&mut self, lo: Slot, hi: Slot) {
        let base = self.base;
        for local in &mut self.stack[base + usize::from(lo)..base + usize::from(hi)] {
            *local = Local::Empty;
        }
    }

    /// The operand of a node: evaluated unless it can be read where it is.
    #[inline]
    pub(crate) fn operand(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        node: NodeId,
    ) -> EvalResult<Operand> {
        match p.node(node) {
            Node::Cur(var) if usize::from(*var) < self.cur.len() => {
                if ctx.reads.active {
                    ctx.reads.variable(*var, false);
                }
                Ok(Operand::Cur(*var))
            }
            Node::Next(var) if matches!(self.next.values.get(usize::from(*var)), Some(Some(_))) => {
                if ctx.reads.active {
                    self.note_next(ctx, *var);
                }
                Ok(Operand::Next(*var))
            }
            Node::Local(slot) => {
                let at = self.base + usize::from(*slot);
                if let Local::Value(_) = &self.stack[at] {
                    return Ok(Operand::Local(at));
                }
                Ok(Operand::Owned(self.eval(ctx, p, node)?))
            }
            Node::Lazy { slot, body } => {
                let at = self.base + usize::from(*slot);
                if let Local::Value(_) = &self.stack[at] {
                    return Ok(Operand::Local(at));
                }
                self.lazy(ctx, p, *slot, *body)?;
                Ok(Operand::Local(at))
            }
            Node::Const(id) => {
                let at = id.index();
                if self.shared.consts[at].get().is_none() {
                    self.constant(ctx, p, at)?;
                }
                Ok(Operand::Const(at))
            }
            Node::Apply(..) | Node::Field(..) => {
                if let Some(value) = self.peek(ctx, p, node) {
                    return Ok(Operand::Owned(value.get().clone()));
                }
                Ok(Operand::Owned(self.eval(ctx, p, node)?))
            }
            _ => Ok(Operand::Owned(self.eval(ctx, p, node)?)),
        }
    }

    /// Notes that a variable of the next state is read.
    #[cold]
    pub(crate) fn note_next(&self, ctx: &mut Ctx, var: VarId) {
        match self.next.written.get(usize::from(var)) {
            Some(Written::Given) => ctx.reads.variable(var, true),
            Some(Written::Unchanged | Written::Slots(_)) => ctx.reads.variable(var, false),
            // It was computed from what is noted already.
            Some(Written::Whole) | None => {}
        }
    }

    /// `f[x]` where `f` is a variable and reads are noted: only the slot of `x` is read.
    #[cold]
    pub(crate) fn apply_noted(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        function: NodeId,
        arg: &Value,
    ) -> Option<EvalResult<Value>> {
        let function = self.noted_function(ctx, p, function, arg)?;
        Some(crate::value::apply(ctx, function, arg))
    }

    /// The variable that is about to be applied, its slot of `arg` noted.
    #[cold]
    pub(crate) fn noted_function(
        &self,
        ctx: &mut Ctx,
        p: &Program,
        function: NodeId,
        arg: &Value,
    ) -> Option<&Value> {
        match p.node(function) {
            Node::Cur(var) if usize::from(*var) < self.cur.len() => {
                if !note_key(ctx, *var, arg, false) {
                    ctx.reads.variable(*var, false);
                }
                Some(&self.cur[usize::from(*var)])
            }
            Node::Next(var) => {
                let at = usize::from(*var);
                let Some(Some(function)) = self.next.values.get(at) else { return None };
                let noted = match self.next.written[at] {
                    Written::Given => note_key(ctx, *var, arg, true),
                    Written::Unchanged => note_key(ctx, *var, arg, false),
                    Written::Slots(_) => false,
                    Written::Whole => true,
                };
                if !noted {
                    self.note_next(ctx, *var);
                }
                Some(function)
            }
            _ => None,
        }
    }

    /// The value of an operand.
    #[inline]
    pub(crate) fn get<'s>(&'s self, operand: &'s Operand) -> &'s Value {
        const ABSENT: Value = Value::FALSE;
        match operand {
            Operand::Owned(value) => value,
            Operand::Cur(var) => &self.cur[usize::from(*var)],
            Operand::Next(var) => match &self.next.values[usize::from(*var)] {
                Some(value) => value,
                None => &ABSENT,
            },
            Operand::Local(at) => match &self.stack[*at] {
                Local::Value(value) => value,
                _ => &ABSENT,
            },
            Operand::Const(at) => self.shared.consts[*at].get().unwrap_or(&ABSENT),
        }
    }

    /// The value of an operand, cloned if it lives elsewhere.
    #[inline]
    pub(crate) fn take(&self, operand: Operand) -> Value {
        match operand {
            Operand::Owned(value) => value,
            other => self.get(&other).clone(),
        }
    }

    /// Evaluates a hoisted constant and keeps it.
    #[cold]
    pub(crate) fn constant(&mut self, ctx: &mut Ctx, p: &Program, at: usize) -> EvalResult<()> {
        let entry = &p.consts[at];
        let saved = self.open_frame(entry.n_slots);
        let value = self.eval(ctx, p, entry.node);
        self.close_frame(saved);
        // A constant that needs itself was an error before it got here.
        let _ = self.shared.consts[at].set(value?);
        Ok(())
    }

    /// Fills a memo slot and returns the value.
    pub(crate) fn lazy(
        &mut self,
        ctx: &mut Ctx,
        p: &Program,
        slot: Slot,
        body: NodeId,
    ) -> EvalResult<()> {
        let at = self.base + usize::from(slot);
        let value = match &self.stack[at] {
            Local::Value(_) => return Ok(()),
            Local::Empty => self.eval(ctx, p, body)?,
            Local::Thunk(thunk) => {
                let thunk = thunk.clone();
                thunk.force(ctx)?
            }
            Local::Failed(err) => return Err(err.clone()),
            Local::Operator(_) => return Err(operator_as_value()),
        };
        self.stack[at] = Local::Value(value);
        Ok(())
    }

    /// The value in a slot.
    pub(crate) fn read_slot(&mut self, ctx: &mut Ctx, slot: Slot) -> EvalResult<Value> {
        let at = self.base + usize::from(slot);
        match &self.stack[at] {
            Local::Value(value) => Ok(value.clone()),
            Local::Thunk(thunk) => {
                let thunk = thunk.clone();
                let value = thunk.force(ctx)?;
                self.stack[at] = Local::Value(value.clone());
                Ok(value)
            }
            Local::Failed(err) => Err(err.clone()),
            Local::Operator(_) => Err(operator_as_value()),
            Local::Empty => Err(EvalError::general("A name was read before it had a value.")),
        }
    }

    /// Checks the depth of calls.
    #[inline]
    pub(crate) fn deeper(ctx: &mut Ctx) -> EvalResult<()> {
        ctx.tick()?;
        ctx.depth += 1;
        if ctx.depth > ctx.limits.max_depth {
            ctx.depth -= 1;
            return Err(too_deep(ctx.limits.max_depth));
        }
        Ok(())
    }
}

#[cold]
fn operator_as_value() -> Box<EvalError> {
    EvalError::general("An operator was used as a value.")
}

#[cold]
fn too_deep(limit: usize) -> Box<EvalError> {
    EvalError::new(
        code::TOO_DEEP,
        format!(
            "Evaluation went {limit} calls deep; a recursive definition may not come to an end."
        ),
    )
}
