//! Functions of all sorts: construction, application, `DOMAIN`, `EXCEPT`, fields.

use std::cell::{Cell, OnceCell};
use std::cmp::Ordering;
use std::rc::Rc;

use super::sort::merge_sort;
use super::{
    Closure, Ctx, Domain, FunctionNode, Items, LazyKind, LazyNode, RecordNode, Shape, Sym,
    TupleNode, Value, compare, equal, force, hash64, interval_len, kind_phrase, sets, to_text,
};
use crate::error::{EvalError, EvalResult, code};

/// The entries of an enumerated function, whatever sort it is.
pub enum Entries<'a> {
    /// A tuple: keys `1..n`.
    Tuple(&'a TupleNode),
    /// A record: keys are strings.
    Record(&'a RecordNode),
    /// Any other function.
    Function(&'a FunctionNode),
}

/// The entries of a function; `None` for other values and for lazy ones.
pub fn entries(value: &Value) -> Option<Entries<'_>> {
    match value {
        Value::Tuple(node) => Some(Entries::Tuple(node)),
        Value::Record(node) => Some(Entries::Record(node)),
        Value::Function(node) => Some(Entries::Function(node)),
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Interval(..)
        | Value::Set(_)
        | Value::Lazy(_) => None,
    }
}

impl<'a> Entries<'a> {
    /// How many entries there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.values().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key at `idx` in normal order.
    #[inline]
    pub fn key(&self, idx: usize) -> Value {
        match self {
            Entries::Tuple(_) => Value::Int(idx as i32 + 1),
            Entries::Record(node) => Value::Str(node.shape.names[idx]),
            Entries::Function(node) => node.domain.key(idx),
        }
    }

    /// The results in the order of keys.
    #[inline]
    pub fn values(&self) -> &'a [Value] {
        match self {
            Entries::Tuple(node) => &node.items,
            Entries::Record(node) => &node.values,
            Entries::Function(node) => &node.values,
        }
    }

    /// The result at `idx`.
    #[inline]
    pub fn value(&self, idx: usize) -> &'a Value {
        &self.values()[idx]
    }
}

/// A record from its shape and the values in the shape's order.
#[inline]
pub fn record_from_parts(shape: Rc<Shape>, values: Items) -> Value {
    Value::Record(Rc::new(RecordNode { hash: Cell::new(0), shape, values }))
}

/// A function from its domain and the results in the order of keys.
#[inline]
pub fn function_from_parts(domain: Rc<Domain>, values: Items) -> Value {
    Value::Function(Rc::new(FunctionNode { hash: Cell::new(0), domain, values }))
}

/// A record from named fields in any order; a later field of the same name wins.
pub fn record(ctx: &mut Ctx, fields: Vec<(Sym, Value)>) -> Value {
    let mut sorted: Vec<(Sym, Value)> = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        match sorted.binary_search_by(|(it, _)| ctx.names.compare(*it, name)) {
            Ok(at) => sorted[at].1 = value,
            Err(at) => sorted.insert(at, (name, value)),
        }
    }
    let names: Vec<Sym> = sorted.iter().map(|(name, _)| *name).collect();
    let shape = ctx.shape(&names);
    record_from_parts(shape, sorted.into_iter().map(|(_, value)| value).collect())
}

/// A domain from keys that are in order and distinct.
pub(crate) fn domain_of_sorted(keys: Vec<Value>) -> Rc<Domain> {
    // Integers without gaps need no list.
    if let (Some(Value::Int(lo)), Some(Value::Int(hi))) = (keys.first(), keys.last())
        && interval_len(*lo, *hi) == keys.len()
        && keys.iter().all(|key| matches!(key, Value::Int(_)))
    {
        return Rc::new(Domain::Interval(*lo, *hi));
    }
    Rc::new(Domain::Sorted { keys: keys.into(), hashes: OnceCell::new(), bytes: OnceCell::new() })
}

/// The elements of a set as the domain of functions.
pub fn domain_of_set(ctx: &mut Ctx, set: &Value) -> EvalResult<Rc<Domain>> {
    let set = super::force::enumerated(ctx, set)?;
    match &set {
        Value::Interval(lo, hi) => {
            ctx.check_set_size(interval_len(*lo, *hi))?;
            Ok(Rc::new(Domain::Interval(*lo, *hi)))
        }
        Value::Set(node) => {
            let items = node.elements()?;
            Ok(node.domain.get_or_init(|| domain_of_sorted(items.to_vec())).clone())
        }
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Tuple(_)
        | Value::Record(_)
        | Value::Function(_)
        | Value::Lazy(_) => Err(super::enumerate::not_enumerable(ctx, &set)),
    }
}

/// `[x \in set |-> body]`, evaluated at once. When that fails the function stays lazy, for the
/// failing entry may never be asked for.
pub fn function_on(ctx: &mut Ctx, set: &Value, body: &Rc<dyn Closure>) -> EvalResult<Value> {
    if !sets::is_enumerable(set) {
        return Ok(Value::lambda(set.clone(), body.clone(), true));
    }
    let domain = domain_of_set(ctx, set)?;
    let mut values = Items::with_capacity(domain.len());
    for idx in 0..domain.len() {
        match body.call(ctx, &[domain.key(idx)]) {
            Ok(value) => values.push(value),
            Err(_) => return Ok(Value::lambda(set.clone(), body.clone(), true)),
        }
    }
    Ok(function_from_parts(domain, values))
}

/// A function from pairs in any order; of equal keys the first wins. The sort of the result is a
/// tuple for keys `1..n`, a record for strings, a function otherwise.
pub fn from_pairs(ctx: &mut Ctx, pairs: Vec<(Value, Value)>) -> EvalResult<Value> {
    if pairs.is_empty() {
        return Ok(Value::empty_tuple());
    }
    let pairs = merge_sort(ctx, pairs, &mut |ctx, a, b| compare(ctx, &a.0, &b.0))?;
    let mut keys: Vec<Value> = Vec::with_capacity(pairs.len());
    let mut values = Items::with_capacity(pairs.len());
    for (key, value) in pairs {
        if let Some(last) = keys.last()
            && equal(ctx, last, &key)?
        {
            continue;
        }
        keys.push(key);
        values.push(value);
    }
    if keys.iter().all(|key| matches!(key, Value::Str(_))) {
        let names: Vec<Sym> = keys
            .iter()
            .filter_map(|key| if let Value::Str(sym) = key { Some(*sym) } else { None })
            .collect();
        let shape = ctx.shape(&names);
        return Ok(record_from_parts(shape, values));
    }
    let domain = domain_of_sorted(keys);
    if let Domain::Interval(1, _) = &*domain {
        return Ok(Value::tuple(values));
    }
    Ok(function_from_parts(domain, values))
}

/// Where a key stands in a domain. An error when the kinds do not agree.
pub(crate) fn position(ctx: &mut Ctx, domain: &Domain, key: &Value) -> EvalResult<Option<usize>> {
    match domain {
        Domain::Interval(lo, hi) => match key {
            Value::Int(n) => {
                Ok((lo <= n && n <= hi).then(|| (i64::from(*n) - i64::from(*lo)) as usize))
            }
            Value::Model(id) if ctx.names.model_kind(*id) == 0 => Ok(None),
            _ if hi < lo => Ok(None),
            _ => {
                let text = to_text(ctx, key);
                Err(EvalError::new(
                    code::NOT_IN_DOMAIN,
                    format!(
                        "Attempted to apply function with integer domain to the non-integer \
                         argument {text}"
                    ),
                )
                .with_values(vec![text]))
            }
        },
        Domain::Sorted { keys, .. } => {
            match key {
                // The kinds that need no error and no look inside.
                Value::Model(_) | Value::Str(_) if keys.len() <= 16 => {
                    for (idx, it) in keys.iter().enumerate() {
                        if it.same_node(key) {
                            return Ok(Some(idx));
                        }
                    }
                    if let (Value::Str(_), Some(Value::Str(_))) = (key, keys.last()) {
                        return Ok(None);
                    }
                }
                _ => {}
            }
            search(ctx, keys, key)
        }
    }
}

/// Finds a value in a sorted list.
pub(crate) fn search(ctx: &mut Ctx, keys: &[Value], key: &Value) -> EvalResult<Option<usize>> {
    let (mut low, mut high) = (0, keys.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match compare(ctx, key, &keys[middle])? {
            Ordering::Less => high = middle,
            Ordering::Greater => low = middle + 1,
            Ordering::Equal => return Ok(Some(middle)),
        }
    }
    Ok(None)
}

/// `f[arg]`.
#[inline]
pub fn apply(ctx: &mut Ctx, function: &Value, arg: &Value) -> EvalResult<Value> {
    match function {
        Value::Tuple(node) => {
            if let Value::Int(n) = arg {
                // Zero and negative numbers wrap to large ones and are found missing.
                if let Some(item) = node.items.get((*n as usize).wrapping_sub(1)) {
                    return Ok(item.clone());
                }
            }
            Err(tuple_error(ctx, function, arg))
        }
        Value::Function(node) => {
            if let (Domain::Interval(lo, _), Value::Int(n)) = (&*node.domain, arg) {
                let at = i64::from(*n) - i64::from(*lo);
                if let Some(item) = usize::try_from(at).ok().and_then(|at| node.values.get(at)) {
                    return Ok(item.clone());
                }
            }
            match position(ctx, &node.domain, arg)? {
                Some(at) => Ok(node.values[at].clone()),
                None => Err(outside_domain(ctx, function, arg)),
            }
        }
        Value::Record(node) => {
            if let Value::Str(sym) = arg {
                return match node.shape.position(*sym) {
                    Some(at) => Ok(node.values[at].clone()),
                    None => Err(missing_field(ctx, function, *sym)),
                };
            }
            let text = to_text(ctx, arg);
            Err(EvalError::new(
                code::NOT_IN_DOMAIN,
                format!("Attempted to access record by a non-string argument: {text}"),
            )
            .with_values(vec![text]))
        }
        Value::Lazy(node) => apply_lazy(ctx, function, node, arg),
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Interval(..)
        | Value::Set(_) => Err(not_a_function(ctx, function, arg)),
    }
}

fn apply_lazy(
    ctx: &mut Ctx,
    function: &Value,
    node: &Rc<LazyNode>,
    arg: &Value,
) -> EvalResult<Value> {
    let LazyKind::Lambda { domain, body, memo, memoize } = &node.kind else {
        return Err(not_a_function(ctx, function, arg));
    };
    if let Some(forced) = node.forced.get() {
        let forced = forced.clone();
        return apply(ctx, &forced, arg);
    }
    if !sets::member(ctx, arg, domain)? {
        return Err(outside_domain(ctx, function, arg));
    }
    if !*memoize {
        return body.call(ctx, std::slice::from_ref(arg));
    }
    // An argument without end has no hash.
    let Ok(key) = hash64(ctx, arg) else {
        return body.call(ctx, std::slice::from_ref(arg));
    };
    let candidates = memo.borrow().get(&key).cloned();
    if let Some(candidates) = candidates {
        for (known, result) in &candidates {
            if equal(ctx, known, arg)? {
                return Ok(result.clone());
            }
        }
    }
    let result = body.call(ctx, std::slice::from_ref(arg))?;
    memo.borrow_mut().entry(key).or_default().push((arg.clone(), result.clone()));
    Ok(result)
}

#[cold]
fn tuple_error(ctx: &mut Ctx, tuple: &Value, arg: &Value) -> Box<EvalError> {
    let (tuple, text) = (to_text(ctx, tuple), to_text(ctx, arg));
    let message = if let Value::Int(_) = arg {
        format!("Attempted to access index {text} of tuple\n{tuple}\nwhich is out of bounds.")
    } else {
        format!("Attempted to access tuple at a non integral index: {text}")
    };
    EvalError::new(code::NOT_IN_DOMAIN, message).with_values(vec![tuple, text])
}

#[cold]
fn outside_domain(ctx: &mut Ctx, function: &Value, arg: &Value) -> Box<EvalError> {
    let (function, arg) = (to_text(ctx, function), to_text(ctx, arg));
    EvalError::new(
        code::NOT_IN_DOMAIN,
        format!(
            "Attempted to apply function:\n{function}\nto argument {arg}, which is not in the \
             domain of the function."
        ),
    )
    .with_values(vec![function, arg])
}

#[cold]
fn not_a_function(ctx: &mut Ctx, value: &Value, arg: &Value) -> Box<EvalError> {
    let (text, arg) = (to_text(ctx, value), to_text(ctx, arg));
    EvalError::general(format!(
        "A non-function ({}) was applied as a function.\n{text}",
        kind_phrase(value)
    ))
    .with_values(vec![text, arg])
}

#[cold]
fn missing_field(ctx: &mut Ctx, record: &Value, name: Sym) -> Box<EvalError> {
    let (record, name) = (to_text(ctx, record), to_text(ctx, &Value::Str(name)));
    EvalError::general(format!(
        "Attempted to select nonexistent field {name} from the record\n{record}"
    ))
    .with_values(vec![record, name])
}

/// `r.name`.
#[inline]
pub fn select_field(ctx: &mut Ctx, record: &Value, name: Sym) -> EvalResult<Value> {
    match record {
        Value::Record(node) => match node.shape.position(name) {
            Some(at) => Ok(node.values[at].clone()),
            None => Err(missing_field(ctx, record, name)),
        },
        Value::Function(_) => apply(ctx, record, &Value::Str(name)),
        Value::Lazy(node) if matches!(node.kind, LazyKind::Lambda { .. }) => {
            apply(ctx, record, &Value::Str(name))
        }
        Value::Tuple(_) => {
            let name = to_text(ctx, &Value::Str(name));
            Err(EvalError::new(
                code::NOT_IN_DOMAIN,
                format!(
                    "Attempted to apply function with integer domain to the non-integer argument \
                     {name}"
                ),
            ))
        }
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Interval(..)
        | Value::Set(_)
        | Value::Lazy(_) => {
            let (name, text) = (to_text(ctx, &Value::Str(name)), to_text(ctx, record));
            Err(EvalError::general(format!(
                "Attempted to select field {name} from a non-record value {text}"
            ))
            .with_values(vec![text]))
        }
    }
}

/// `DOMAIN f`.
pub fn domain(ctx: &mut Ctx, function: &Value) -> EvalResult<Value> {
    Ok(match function {
        Value::Tuple(node) => Value::Interval(1, node.items.len() as i32),
        Value::Record(node) => Value::set_of_sorted(
            node.shape.names.iter().map(|name| Value::Str(*name)).collect::<Items>(),
        ),
        Value::Function(node) => domain_value(&node.domain),
        Value::Lazy(node) if matches!(node.kind, LazyKind::Lambda { .. }) => {
            let LazyKind::Lambda { domain, .. } = &node.kind else { return Ok(Value::TRUE) };
            domain.clone()
        }
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Interval(..)
        | Value::Set(_)
        | Value::Lazy(_) => {
            let text = to_text(ctx, function);
            return Err(EvalError::general(format!(
                "Attempted to apply the operator DOMAIN to a non-function\n({})",
                kind_phrase(function)
            ))
            .with_values(vec![text]));
        }
    })
}

/// A domain as a set.
pub(crate) fn domain_value(domain: &Domain) -> Value {
    match domain {
        Domain::Interval(lo, hi) => Value::Interval(*lo, *hi),
        Domain::Sorted { keys, .. } => {
            Value::set_of_sorted(keys.iter().cloned().collect::<Items>())
        }
    }
}

/// TLC's warning about an `EXCEPT` that changes nothing.
const EXCEPT_ABSENT: u32 = 2144;

/// Replaces one entry: `change` gets the old result and yields the new one. `None` when there is
/// no such entry, which TLA+ defines as no change; the caller gives the warning its place.
pub fn update(
    ctx: &mut Ctx,
    function: &Value,
    key: &Value,
    change: &mut dyn FnMut(&mut Ctx, &Value) -> EvalResult<Value>,
) -> EvalResult<Option<Value>> {
    match function {
        Value::Tuple(node) => {
            let Value::Int(n) = key else { return Err(tuple_error(ctx, function, key)) };
            let at = (*n as usize).wrapping_sub(1);
            let Some(old) = node.items.get(at) else { return Ok(None) };
            let new = change(ctx, old)?;
            let mut items = node.items.clone();
            items[at] = new;
            Ok(Some(Value::tuple(items)))
        }
        Value::Record(node) => {
            let Value::Str(name) = key else {
                let text = to_text(ctx, key);
                return Err(EvalError::general(format!(
                    "Attempted to access record by a non-string argument: {text}"
                )));
            };
            let Some(at) = node.shape.position(*name) else { return Ok(None) };
            let new = change(ctx, &node.values[at])?;
            let mut values = node.values.clone();
            values[at] = new;
            Ok(Some(record_from_parts(node.shape.clone(), values)))
        }
        Value::Function(node) => {
            let Some(at) = position(ctx, &node.domain, key)? else { return Ok(None) };
            let new = change(ctx, &node.values[at])?;
            let mut values = node.values.clone();
            values[at] = new;
            Ok(Some(function_from_parts(node.domain.clone(), values)))
        }
        Value::Lazy(node) if matches!(node.kind, LazyKind::Lambda { .. }) => {
            let LazyKind::Lambda { domain, .. } = &node.kind else { return Ok(None) };
            if sets::is_enumerable(domain) {
                let forced = force(ctx, function)?;
                return update(ctx, &forced, key, change);
            }
            if !sets::member(ctx, key, domain)? {
                return Ok(None);
            }
            let old = apply(ctx, function, key)?;
            let new = change(ctx, &old)?;
            let patched = Patched { base: function.clone(), key: key.clone(), result: new };
            Ok(Some(Value::lambda(domain.clone(), Rc::new(patched), false)))
        }
        Value::Bool(_)
        | Value::Int(_)
        | Value::Str(_)
        | Value::Model(_)
        | Value::Interval(..)
        | Value::Set(_)
        | Value::Lazy(_) => {
            let text = to_text(ctx, function);
            Err(EvalError::general(format!(
                "Attempted to apply EXCEPT construct to the value {text}."
            ))
            .with_values(vec![text]))
        }
    }
}

/// A function on an infinite domain with one entry replaced.
struct Patched {
    base: Value,
    key: Value,
    result: Value,
}

impl Closure for Patched {
    fn call(&self, ctx: &mut Ctx, args: &[Value]) -> EvalResult<Value> {
        if equal(ctx, &self.key, &args[0])? {
            return Ok(self.result.clone());
        }
        apply(ctx, &self.base, &args[0])
    }
}

/// `[f EXCEPT ![p1][p2]... = value]` for a value that does not depend on the old one. An absent
/// entry leaves the function as it is, with a warning.
pub fn except(ctx: &mut Ctx, function: &Value, path: &[Value], value: Value) -> EvalResult<Value> {
    let Some((key, rest)) = path.split_first() else { return Ok(value) };
    let mut value = Some(value);
    let updated = update(ctx, function, key, &mut |ctx, old| {
        let value = value.take().unwrap_or(Value::FALSE);
        if rest.is_empty() { Ok(value) } else { except(ctx, old, rest, value) }
    })?;
    match updated {
        Some(updated) => Ok(updated),
        None => {
            let (function_text, key) = (to_text(ctx, function), to_text(ctx, key));
            ctx.warn(
                EXCEPT_ABSENT,
                None,
                format!(
                    "The EXCEPT was applied to non-existing fields of the value {function_text} \
                     at {key}"
                ),
            );
            Ok(function.clone())
        }
    }
}

/// `[r EXCEPT !.name = value]`.
pub fn except_field(ctx: &mut Ctx, record: &Value, name: Sym, value: Value) -> EvalResult<Value> {
    except(ctx, record, &[Value::Str(name)], value)
}
