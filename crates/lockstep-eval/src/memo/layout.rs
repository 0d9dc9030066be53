//! The slots of a state: how variables are cut into parts that are read and written on their own.
//!
//! A variable whose value is a function on one and the same small domain in all states seen at the
//! start has a slot for each argument; any other variable is one slot. The cut is a guess: a state
//! that does not fit is kept whole (see [`super::tier`]).

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::error::EvalResult;
use crate::evaluator::{Evaluator, State, salt_of};
use crate::ir::{NodeId, Program, VarId};
use crate::value::{
    Ctx, Domain, Items, Shape, Value, decode, encode, function_from_parts, hash_int, hash64,
    record_from_parts,
};

/// The most slots of one variable: writes of them are a bit set.
pub(crate) const MAX_SLOTS: usize = 64;
/// How many states are looked at to find the cut.
const SAMPLES: usize = 400;

/// A number of a slot.
pub(crate) type SlotId = u16;

/// How a variable is cut.
pub(crate) enum Cut {
    /// Not at all.
    Whole,
    /// A slot for each key of a function.
    Function(Rc<Domain>),
    /// A slot for each field of a record.
    Record(Rc<Shape>),
    /// A slot for each element of a tuple.
    Tuple,
}

/// The slots of one variable.
pub(crate) struct VarSlots {
    pub(crate) first: SlotId,
    pub(crate) n: u16,
    pub(crate) cut: Cut,
}

impl VarSlots {
    /// Whether the variable is a function with a slot for each argument.
    #[inline]
    pub(crate) fn is_cut(&self) -> bool {
        !matches!(self.cut, Cut::Whole)
    }
}

/// The slots of a state.
pub(crate) struct Layout {
    pub(crate) vars: Box<[VarSlots]>,
    pub(crate) n_slots: usize,
    /// The variable of each slot.
    pub(crate) var_of: Box<[u16]>,
    /// For each slot of a cut variable the hash of its key.
    pub(crate) keys: Box<[u64]>,
    /// For each variable what tells its lanes from those of others.
    pub(crate) salts: Box<[u64]>,
    /// Set expressions that denote the domain of a cut variable.
    domains: FxHashMap<NodeId, u16>,
}

/// The cut of a program's variables, to be shared by workers: for each cut variable a value of its
/// shape, encoded.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    samples: Vec<Option<Vec<u8>>>,
}

impl Plan {
    /// Looks at the first states and decides. `None` when they cannot be computed.
    pub fn of(evaluator: &mut Evaluator) -> Option<Plan> {
        let mut states: Vec<State> = Vec::new();
        let mut seen: FxHashMap<u128, ()> = FxHashMap::default();
        let mut fresh = Vec::new();
        evaluator
            .initial_states(&mut |state| {
                fresh.push(state);
                fresh.len() < SAMPLES
            })
            .ok()?;
        let mut done = 0;
        loop {
            for state in fresh.drain(..) {
                let fingerprint = evaluator.fingerprint(&state).ok()?;
                if seen.insert(fingerprint, ()).is_none() {
                    states.push(state);
                }
            }
            if done == states.len() || states.len() >= SAMPLES {
                break;
            }
            let state = states[done].clone();
            done += 1;
            evaluator
                .successors(&state, &mut |_, next| {
                    fresh.push(next);
                    fresh.len() < SAMPLES
                })
                .ok()?;
        }
        evaluator.ctx().warnings.clear();
        let n = evaluator.program().n_variables();
        let mut samples = Vec::with_capacity(n);
        for var in 0..n {
            let mut kept: Option<Value> = None;
            let mut fits = true;
            for state in &states {
                let value = &state.values()[var];
                let same = match &kept {
                    None => cuttable(value),
                    Some(first) => same_shape(evaluator.ctx(), first, value),
                };
                if !same {
                    fits = false;
                    break;
                }
                kept.get_or_insert_with(|| value.clone());
            }
            let bytes = kept.filter(|_| fits).and_then(|value| {
                let mut bytes = Vec::new();
                encode(evaluator.ctx(), &value, &mut bytes).ok().map(|()| bytes)
            });
            samples.push(bytes);
        }
        (!states.is_empty()).then_some(Plan { samples })
    }
}

fn cuttable(value: &Value) -> bool {
    let n = match value {
        Value::Function(node) => node.values().len(),
        Value::Record(node) => node.values().len(),
        Value::Tuple(node) => node.items().len(),
        _ => 0,
    };
    (1..=MAX_SLOTS).contains(&n)
}

/// Whether two values are functions of one sort on the same domain.
fn same_shape(ctx: &mut Ctx, a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Function(a), Value::Function(b)) => same_domain(ctx, a.domain(), b.domain()),
        (Value::Record(a), Value::Record(b)) => a.shape().names() == b.shape().names(),
        (Value::Tuple(a), Value::Tuple(b)) => a.items().len() == b.items().len(),
        _ => false,
    }
}

fn same_domain(ctx: &mut Ctx, a: &Rc<Domain>, b: &Rc<Domain>) -> bool {
    if Rc::ptr_eq(a, b) {
        return true;
    }
    a.len() == b.len()
        && (0..a.len())
            .all(|idx| crate::value::equal(ctx, &a.key(idx), &b.key(idx)).is_ok_and(|same| same))
}

impl Layout {
    /// The layout of a plan, in one worker's terms.
    pub(crate) fn new(ctx: &mut Ctx, program: &Program, plan: &Plan) -> EvalResult<Layout> {
        let mut vars: Vec<VarSlots> = Vec::new();
        let mut var_of = Vec::new();
        let mut keys = Vec::new();
        for var in 0..program.n_variables() {
            let sample = match plan.samples.get(var) {
                Some(Some(bytes)) => Some(decode(&mut bytes.as_slice(), ctx)?),
                _ => None,
            };
            let (cut, hashes): (Cut, Vec<u64>) = match sample {
                Some(Value::Function(node)) => {
                    let domain = node.domain().clone();
                    let mut hashes = Vec::new();
                    for idx in 0..domain.len() {
                        hashes.push(hash64(ctx, &domain.key(idx))?);
                    }
                    (Cut::Function(domain), hashes)
                }
                Some(Value::Record(node)) => {
                    let shape = node.shape().clone();
                    let hashes = shape.names().iter().map(|it| ctx.names.hash(*it)).collect();
                    (Cut::Record(shape), hashes)
                }
                Some(Value::Tuple(node)) => {
                    (Cut::Tuple, (1..=node.items().len() as i32).map(hash_int).collect())
                }
                _ => (Cut::Whole, Vec::new()),
            };
            let n = hashes.len().max(1);
            keys.extend(hashes);
            keys.resize(var_of.len() + n, 0);
            vars.push(VarSlots { first: var_of.len() as SlotId, n: n as u16, cut });
            var_of.extend(std::iter::repeat_n(var as u16, n));
        }
        let salts = (0..vars.len()).map(salt_of).collect();
        Ok(Layout {
            vars: vars.into(),
            n_slots: var_of.len(),
            var_of: var_of.into(),
            keys: keys.into(),
            salts,
            domains: FxHashMap::default(),
        })
    }

    /// Whether the set that `set` denotes is the domain of a cut variable: decided for the forms
    /// in which domains are written, not by evaluation.
    pub(crate) fn is_domain(&self, program: &Program, var: usize, set: NodeId) -> bool {
        // The same constant as that of the initial value: compared by `domains`, filled once.
        let _ = program;
        self.domains.get(&set).is_some_and(|it| *it == var as u16)
    }

    /// Notes which of these closed set expressions denote the domain of a cut variable.
    pub(crate) fn note_domains(&mut self, evaluator: &mut Evaluator, sets: &[(VarId, NodeId)]) {
        for (var, set) in sets {
            let Some(slots) = self.vars.get(usize::from(*var)) else { continue };
            let domain = match &slots.cut {
                Cut::Function(domain) => domain.clone(),
                Cut::Tuple => Rc::new(Domain::Interval(1, i32::from(slots.n))),
                Cut::Record(_) | Cut::Whole => continue,
            };
            let entry = crate::ir::EntryPoint { node: *set, n_slots: 64 };
            let Ok(value) = evaluator.eval_constant(&entry) else { continue };
            let ctx = evaluator.ctx();
            if crate::value::domain_of_set(ctx, &value)
                .is_ok_and(|it| same_domain(ctx, &it, &domain))
            {
                self.domains.insert(*set, *var);
            }
        }
    }

    /// Whether the slots can be numbered.
    pub(crate) fn is_usable(&self) -> bool {
        self.n_slots > 0 && self.n_slots < usize::from(SlotId::MAX) / 2
    }

    /// The parts of a variable's value, if it has the shape of the layout.
    pub(crate) fn parts<'v>(
        &self,
        ctx: &mut Ctx,
        var: usize,
        value: &'v Value,
    ) -> Option<&'v [Value]> {
        match (&self.vars[var].cut, value) {
            (Cut::Whole, value) => Some(std::slice::from_ref(value)),
            (Cut::Function(domain), Value::Function(node)) => {
                same_domain(ctx, domain, node.domain()).then(|| node.values())
            }
            (Cut::Record(shape), Value::Record(node)) => {
                (shape.names() == node.shape().names()).then(|| node.values())
            }
            (Cut::Tuple, Value::Tuple(node)) => {
                (node.items().len() == usize::from(self.vars[var].n)).then(|| node.items())
            }
            // The same functions in another form.
            (Cut::Tuple, Value::Function(node)) => {
                let n = i32::from(self.vars[var].n);
                matches!(**node.domain(), Domain::Interval(1, hi) if hi == n).then(|| node.values())
            }
            (Cut::Record(shape), Value::Function(node)) => {
                let names = shape.names();
                let domain = node.domain();
                (domain.len() == names.len()
                    && names.iter().enumerate().all(
                        |(idx, name)| matches!(domain.key(idx), Value::Str(key) if key == *name),
                    ))
                .then(|| node.values())
            }
            _ => None,
        }
    }

    /// The key of a cut variable at a place in order.
    pub(crate) fn key(&self, var: usize, idx: usize) -> Value {
        match &self.vars[var].cut {
            Cut::Function(domain) => domain.key(idx),
            Cut::Record(shape) => Value::Str(shape.names()[idx]),
            Cut::Tuple | Cut::Whole => Value::Int(idx as i32 + 1),
        }
    }

    /// The value of a cut variable from its parts.
    pub(crate) fn join(&self, var: usize, parts: Items) -> Value {
        match &self.vars[var].cut {
            Cut::Whole => parts.into_iter().next().unwrap_or(Value::FALSE),
            Cut::Function(domain) => function_from_parts(domain.clone(), parts),
            Cut::Record(shape) => record_from_parts(shape.clone(), parts),
            Cut::Tuple => Value::tuple(parts),
        }
    }

    /// The slot of `key` within a cut variable.
    pub(crate) fn slot_of_key(&self, ctx: &mut Ctx, var: VarId, key: &Value) -> Option<SlotId> {
        let slots = self.vars.get(usize::from(var))?;
        let at = match (&slots.cut, key) {
            (Cut::Function(domain), key) => {
                crate::value::position(ctx, domain, key).ok().flatten()?
            }
            (Cut::Record(shape), Value::Str(name)) => shape.position(*name)?,
            (Cut::Tuple, Value::Int(n)) => {
                usize::try_from(*n).ok()?.checked_sub(1).filter(|at| *at < usize::from(slots.n))?
            }
            _ => return None,
        };
        Some(slots.first + at as SlotId)
    }
}
