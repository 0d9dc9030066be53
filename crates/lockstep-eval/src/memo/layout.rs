//! The slots of a state: how variables are cut into parts that are read and written on their own.
//!
//! A variable whose value is a function on one and the same small domain in all states seen at the
//! start has a slot for each argument; any other variable is one slot. The cut is a guess: a state
//! that does not fit is kept whole (see [`super::tier`]).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::classes::Classes;
use super::tier::is_impure;
use crate::error::EvalResult;
use crate::evaluator::{Evaluator, State, salt_of};
use crate::ir::{Node, NodeId, Part, Program, Property, VarId};
use crate::value::{
    Ctx, Domain, Items, Shape, Sym, Value, decode, encode, function_from_parts, hash_int, hash64,
    record_from_parts, sets,
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
    /// A slot for each kind of element of a set.
    Classes(Classes),
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
    pub(crate) fn is_function(&self) -> bool {
        matches!(self.cut, Cut::Function(_) | Cut::Record(_) | Cut::Tuple)
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
    /// For each variable that is a set in classes: the field and its strings.
    classes: Vec<Option<(Sym, Vec<Sym>)>>,
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
        let program = evaluator.program().clone();
        // One that prints or writes does so when the search asks, and not before.
        let quiet = |it: &&Property| !is_impure(&program, Part::Node(it.entry.node));
        let constraints: Vec<Property> =
            program.constraints.iter().filter(quiet).cloned().collect();
        let mut done = 0;
        loop {
            for state in fresh.drain(..) {
                let fingerprint = evaluator.fingerprint(&state).ok()?;
                // Outside of the model states may be large, and nobody goes there.
                let inside =
                    constraints.iter().all(|it| evaluator.holds(it, &state).unwrap_or(false));
                if inside && seen.insert(fingerprint, ()).is_none() {
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
        let fields = written_strings(&program);
        let classes = (0..n)
            .map(|var| classes_for(&program, &fields, states.iter().map(|it| &it.values()[var])))
            .collect();
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
        (!states.is_empty()).then_some(Plan { samples, classes })
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

/// The strings that record literals of a program have in a field, by field; in order. Only fields
/// that never have another value there.
fn written_strings(program: &Program) -> BTreeMap<u32, Vec<Sym>> {
    let mut fields: BTreeMap<u32, Vec<Sym>> = BTreeMap::new();
    let mut others: FxHashSet<u32> = FxHashSet::default();
    for node in &program.nodes {
        let Node::Record(items) = node else { continue };
        for (field, value) in items {
            if let Node::Str(name) = program.node(*value) {
                let names = fields.entry(field.0).or_default();
                if let Err(at) = names.binary_search_by_key(&name.0, |it| it.0) {
                    names.insert(at, *name);
                }
            } else {
                others.insert(field.0);
            }
        }
    }
    fields.retain(|field, _| !others.contains(field));
    fields
}

/// The field, with its strings, that tells the elements of a variable's values apart best; `None`
/// where the values are no sets of records with one.
fn classes_for<'s>(
    program: &Program,
    fields: &BTreeMap<u32, Vec<Sym>>,
    values: impl Iterator<Item = &'s Value>,
) -> Option<(Sym, Vec<Sym>)> {
    // Under permutations a set is hashed as a whole.
    if program.symmetry.is_some() {
        return None;
    }
    let mut possible: Vec<Sym> = fields
        .iter()
        .filter(|(_, names)| (2..MAX_SLOTS / 2).contains(&names.len()))
        .map(|(field, _)| Sym(*field))
        .collect();
    let mut n_elements = 0_usize;
    for value in values {
        let items = match value {
            Value::Set(node) => node.elements().ok()?,
            Value::Interval(lo, hi) if hi < lo => continue,
            _ => return None,
        };
        for item in items {
            let Value::Record(node) = item else { return None };
            n_elements += 1;
            possible.retain(|field| {
                node.shape().position(*field).is_some_and(|at| match &node.values()[at] {
                    Value::Str(name) => fields[&field.0].contains(name),
                    _ => false,
                })
            });
        }
    }
    // The first of those with the most strings.
    let field = possible.into_iter().rev().max_by_key(|field| fields[&field.0].len())?;
    (n_elements > 0).then(|| (field, fields[&field.0].clone()))
}

/// The union of the classes of a set.
fn union(ctx: &mut Ctx, parts: &[Value]) -> Value {
    let mut all: Option<Value> = None;
    for part in parts {
        all = match all {
            None => Some(part.clone()),
            Some(_) if matches!(part, Value::Set(node) if node.items.is_empty()) => all,
            Some(so_far) => match sets::cup(ctx, &so_far, part) {
                Ok(more) => Some(more),
                // Elements that cannot be compared: the set says so when it is used.
                Err(_) => {
                    let items = parts.iter().filter_map(|it| match it {
                        Value::Set(node) => Some(node.items.iter().cloned()),
                        _ => None,
                    });
                    return sets::set_from_vec(ctx, items.flatten().collect::<Items>());
                }
            },
        };
    }
    all.unwrap_or_else(Value::empty_set)
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
            let (cut, n) = match plan.classes.get(var) {
                Some(Some((field, names))) if matches!(cut, Cut::Whole) => {
                    let classes = Classes { field: *field, names: names.as_slice().into() };
                    (Cut::Classes(classes), names.len())
                }
                _ => (cut, hashes.len().max(1)),
            };
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
                Cut::Record(_) | Cut::Classes(_) | Cut::Whole => continue,
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

    /// Whether any variable is a set in classes.
    pub(crate) fn has_classes(&self) -> bool {
        self.vars.iter().any(|it| matches!(it.cut, Cut::Classes(_)))
    }

    /// Whether the slots can be numbered.
    pub(crate) fn is_usable(&self) -> bool {
        self.n_slots > 0 && self.n_slots < usize::from(SlotId::MAX) / 2
    }

    /// The parts of a variable's value, if it has the shape of the layout; those of a set only for
    /// the slots in `mask`.
    pub(crate) fn parts<'v>(
        &self,
        ctx: &mut Ctx,
        var: usize,
        value: &'v Value,
        mask: u64,
    ) -> Option<Cow<'v, [Value]>> {
        let parts: Option<&[Value]> = match (&self.vars[var].cut, value) {
            (Cut::Classes(classes), value) => return classes.split(value, mask).map(Cow::Owned),
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
        };
        parts.map(Cow::Borrowed)
    }

    /// The key of a cut variable at a place in order.
    pub(crate) fn key(&self, var: usize, idx: usize) -> Value {
        match &self.vars[var].cut {
            Cut::Function(domain) => domain.key(idx),
            Cut::Record(shape) => Value::Str(shape.names()[idx]),
            Cut::Tuple | Cut::Classes(_) | Cut::Whole => Value::Int(idx as i32 + 1),
        }
    }

    /// The value of a cut variable from its parts.
    pub(crate) fn join(&self, ctx: &mut Ctx, var: usize, parts: Items) -> Value {
        match &self.vars[var].cut {
            Cut::Classes(_) => union(ctx, &parts),
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
