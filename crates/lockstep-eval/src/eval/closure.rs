//! Code with the slots and states it needs: operators and unevaluated expressions as values.

use std::cell::{OnceCell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use super::machine::{Local, Machine, NextState, Shared};
use crate::error::EvalResult;
use crate::ir::{Bind, NodeId, Slot, Target};
use crate::value::{Closure, Ctx, LazyNode, Value};

/// How much stack one level of evaluation may need, and by how much to grow it.
const RED_ZONE: usize = 256 * 1024;
const GROWTH: usize = 8 * 1024 * 1024;

/// Runs something that may nest deeply.
#[inline]
pub(crate) fn grow<R>(run: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, GROWTH, run)
}

/// How arguments reach the slots of the code.
pub(crate) enum Params {
    /// One argument a slot.
    Slots(Slot, u16),
    /// The argument of a function literal: one bind takes it whole, several a tuple of it.
    Binds(Arc<[Bind]>),
}

/// Code with the slots and states it needs.
pub(crate) struct Code {
    shared: Rc<Shared>,
    body: NodeId,
    params: Params,
    captured: Box<[(Slot, Local)]>,
    n_slots: u16,
    cur: Rc<[Value]>,
    next: NextState,
    /// The function that this is the body of, where the body mentions it.
    itself: Option<(Slot, RefCell<Weak<LazyNode>>)>,
}

impl Code {
    /// Takes what `node` (around `body`) reads from the present frame.
    pub(crate) fn new(
        machine: &Machine,
        node: NodeId,
        body: NodeId,
        params: Params,
        itself: Option<Slot>,
    ) -> Self {
        let program = &machine.shared.program;
        let slots = program.captures.get(&node).map_or(&[][..], |slots| slots);
        let captured = slots
            .iter()
            .filter_map(|slot| {
                let local = machine.stack.get(machine.base + usize::from(*slot))?;
                Some((*slot, local.clone()))
            })
            .collect();
        let n_slots = (machine.top - machine.base) as u16;
        Self {
            shared: machine.shared.clone(),
            body,
            params,
            captured,
            n_slots,
            cur: machine.cur.clone(),
            next: machine.next.clone(),
            itself: itself.map(|slot| (slot, RefCell::new(Weak::new()))),
        }
    }

    /// Tells the body which function it belongs to.
    pub(crate) fn tie(&self, function: &Value) {
        if let (Some((_, cell)), Value::Lazy(node)) = (&self.itself, function) {
            *cell.borrow_mut() = Rc::downgrade(node);
        }
    }

    /// Evaluates the body with these arguments.
    pub(crate) fn run(&self, ctx: &mut Ctx, args: &[Local]) -> EvalResult<Value> {
        Machine::deeper(ctx)?;
        let result = grow(|| self.run_inner(ctx, args));
        ctx.depth -= 1;
        result
    }

    fn run_inner(&self, ctx: &mut Ctx, args: &[Local]) -> EvalResult<Value> {
        let pooled = self.shared.pool.borrow_mut().pop();
        let mut machine = pooled.unwrap_or_else(|| Machine::new(self.shared.clone()));
        machine.base = 0;
        machine.top = 0;
        machine.open_frame(self.n_slots);
        machine.cur = self.cur.clone();
        machine.next.values.clone_from(&self.next.values);
        machine.next.n_assigned = self.next.n_assigned;
        machine.next.serial = 0;
        machine.next.written.clone_from(&self.next.written);
        machine.new_epoch();
        for (slot, local) in &self.captured {
            machine.stack[usize::from(*slot)] = local.clone();
        }
        if let Some((slot, cell)) = &self.itself
            && let Some(node) = cell.borrow().upgrade()
        {
            machine.stack[usize::from(*slot)] = Local::Value(Value::Lazy(node));
        }
        let program = self.shared.program.clone();
        let bound = match &self.params {
            Params::Slots(first, n) => {
                for (idx, arg) in args.iter().take(usize::from(*n)).enumerate() {
                    machine.stack[usize::from(*first) + idx] = arg.clone();
                }
                Ok(())
            }
            Params::Binds(binds) => match args {
                [Local::Value(value)] => machine.bind_all(ctx, binds, value),
                _ => Ok(()),
            },
        };
        let result = bound.and_then(|()| machine.eval(ctx, &program, self.body));
        machine.next.values.clear();
        self.shared.pool.borrow_mut().push(machine);
        result
    }

    fn place(&self) -> crate::ir::NodeId {
        self.body
    }
}

impl Machine {
    /// Binds the argument of a function literal.
    pub(crate) fn bind_all(
        &mut self,
        ctx: &mut Ctx,
        binds: &[Bind],
        value: &Value,
    ) -> EvalResult<()> {
        match binds {
            [bind] => self.bind(ctx, bind.target, value.clone()),
            _ => {
                for (idx, bind) in binds.iter().enumerate() {
                    let part = crate::value::apply(ctx, value, &Value::Int(idx as i32 + 1))?;
                    self.bind(ctx, bind.target, part)?;
                }
                Ok(())
            }
        }
    }
}

impl Closure for Code {
    fn call(&self, ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
        match args {
            [] => self.run(ctx, &[]),
            [a] => self.run(ctx, &[Local::Value(a.clone())]),
            [a, b] => self.run(ctx, &[Local::Value(a.clone()), Local::Value(b.clone())]),
            _ => {
                let args: Vec<Local> = args.iter().cloned().map(Local::Value).collect();
                self.run(ctx, &args)
            }
        }
    }

    fn arity(&self) -> usize {
        match &self.params {
            Params::Slots(_, n) => usize::from(*n),
            Params::Binds(_) => 1,
        }
    }

    fn binder(&self) -> String {
        let program = &self.shared.program;
        let name = |bind: &Bind| -> String {
            // The bound's text is the set; the names stand before it on the same line.
            let file = program.sources.file(bind.span.file);
            let before = file.text.get(..bind.span.start as usize).unwrap_or("");
            let before = before.trim_end();
            let before = before.strip_suffix("\\in").or(before.strip_suffix('∈'));
            let before = before.unwrap_or("x").trim_end();
            let start = match bind.target {
                Target::Slot(_) => before
                    .rfind(|ch: char| !(ch.is_alphanumeric() || ch == '_'))
                    .map_or(0, |at| at + 1),
                Target::Tuple(..) => before.rfind("<<").or(before.rfind('⟨')).unwrap_or(0),
            };
            before[start.min(before.len())..].to_owned()
        };
        match &self.params {
            Params::Slots(..) => "x".to_owned(),
            Params::Binds(binds) => binds.iter().map(name).collect::<Vec<_>>().join(", "),
        }
    }

    fn location(&self) -> String {
        let program = &self.shared.program;
        program.location(program.span(self.place()))
    }

    fn span(&self) -> Option<lockstep_syntax::Span> {
        Some(self.shared.program.span(self.place()))
    }
}

/// An expression that is evaluated at most once, when it is read.
pub(crate) struct Thunk {
    code: Code,
    value: OnceCell<Value>,
}

impl Thunk {
    pub(crate) fn new(code: Code) -> Self {
        Self { code, value: OnceCell::new() }
    }

    /// The expression.
    pub(crate) fn node(&self) -> NodeId {
        self.code.body
    }

    /// Its value.
    pub(crate) fn force(&self, ctx: &mut Ctx) -> EvalResult<Value> {
        if let Some(value) = self.value.get() {
            return Ok(value.clone());
        }
        let value = self.code.run(ctx, &[])?;
        Ok(self.value.get_or_init(|| value).clone())
    }
}
