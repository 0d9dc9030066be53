//! Values as bytes: canonical (equal values give equal bytes) and compact.
//!
//! One tag byte, then numbers as variable-length integers. Functions on `1..n` are written as
//! tuples, functions on strings as records, intervals as sets of integers with both ends, strings
//! of the shared table by number and run-time strings by content, so bytes mean the same to every
//! worker. Set elements and function keys stand in normal order. Not a format for disks of other
//! runs: numbers depend on the specification's symbol table.

use std::rc::Rc;

use super::functions::{domain_of_sorted, entries, function_from_parts, record_from_parts};
use super::sets::{is_sequence_entries, set_from_vec};
use super::{Ctx, Domain, Items, ModelId, Sym, Value, force, interval_len, to_text};
use crate::error::{EvalError, EvalResult};

const FALSE: u8 = 0;
const TRUE: u8 = 1;
const INT: u8 = 2;
const STRING: u8 = 3;
const LOCAL_STRING: u8 = 4;
const MODEL: u8 = 5;
const LOCAL_MODEL: u8 = 6;
const RANGE: u8 = 7;
const SET: u8 = 8;
const TUPLE: u8 = 9;
const SHAPED_RECORD: u8 = 10;
const RECORD: u8 = 11;
const RANGE_FUNCTION: u8 = 12;
const FUNCTION: u8 = 13;
/// Sets known by name.
const NAT: u8 = 14;
const INTEGERS: u8 = 15;
const REAL: u8 = 16;
const STRINGS: u8 = 17;
const ANY: u8 = 18;
const SEQ: u8 = 19;
/// From here on one byte holds a small integer from 0.
const SMALL_INT: u8 = 24;
/// From here on one byte holds the number of a string; each takes [`SMALL_COUNT`] values.
const SMALL_STRING: u8 = 88;
const SMALL_MODEL: u8 = 152;
const SMALL_TUPLE: u8 = 216;
const SMALL_SET: u8 = 236;
const SMALL_COUNT: u32 = 64;
const SMALL_LENGTH: usize = 20;

fn put_number(mut n: u64, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn put_signed(n: i32, out: &mut Vec<u8>) {
    put_number(u64::from(((n << 1) ^ (n >> 31)) as u32), out);
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    put_number(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}

fn put_string(ctx: &Ctx, sym: Sym, out: &mut Vec<u8>) {
    if sym.is_local() {
        out.push(LOCAL_STRING);
        put_text(ctx.names.text(sym), out);
    } else if sym.0 < SMALL_COUNT {
        out.push(SMALL_STRING + sym.0 as u8);
    } else {
        out.push(STRING);
        put_number(u64::from(sym.0), out);
    }
}

/// Appends the bytes of a value; lazy parts are forced.
pub fn encode(ctx: &mut Ctx, value: &Value, out: &mut Vec<u8>) -> EvalResult<()> {
    match value {
        Value::Bool(b) => out.push(if *b { TRUE } else { FALSE }),
        Value::Int(n) => {
            if (0..SMALL_COUNT as i32).contains(n) {
                out.push(SMALL_INT + *n as u8);
            } else {
                out.push(INT);
                put_signed(*n, out);
            }
        }
        Value::Str(sym) => put_string(ctx, *sym, out),
        Value::Model(id) => {
            if id.is_local() {
                out.push(LOCAL_MODEL);
                put_text(ctx.names.model_name(*id), out);
            } else if id.0 < SMALL_COUNT {
                out.push(SMALL_MODEL + id.0 as u8);
            } else {
                out.push(MODEL);
                put_number(u64::from(id.0), out);
            }
        }
        Value::Interval(lo, hi) => put_interval(*lo, *hi, out),
        Value::Set(node) => {
            let items = node.elements()?;
            // Three or more consecutive integers are shorter by their ends.
            if let (Some(Value::Int(lo)), Some(Value::Int(hi))) = (items.first(), items.last())
                && interval_len(*lo, *hi) == items.len()
                && items.iter().all(|item| matches!(item, Value::Int(_)))
            {
                put_interval(*lo, *hi, out);
                return Ok(());
            }
            put_length(SMALL_SET, SET, items.len(), out);
            for item in items {
                encode(ctx, item, out)?;
            }
        }
        Value::Tuple(node) => put_tuple(ctx, &node.items, out)?,
        Value::Record(node) => {
            if node.values.is_empty() {
                return put_tuple(ctx, &[], out);
            }
            match node.shape.static_id {
                Some(id) => {
                    out.push(SHAPED_RECORD);
                    put_number(u64::from(id), out);
                }
                None => {
                    out.push(RECORD);
                    put_number(node.values.len() as u64, out);
                    for name in &node.shape.names {
                        put_string(ctx, *name, out);
                    }
                }
            }
            for value in &node.values {
                encode(ctx, value, out)?;
            }
        }
        Value::Function(node) => {
            let is_sequence = entries(value).is_some_and(|list| is_sequence_entries(&list));
            if is_sequence {
                return put_tuple(ctx, &node.values, out);
            }
            match &*node.domain {
                Domain::Interval(lo, hi) => {
                    out.push(RANGE_FUNCTION);
                    put_signed(*lo, out);
                    put_number(interval_len(*lo, *hi) as u64, out);
                }
                Domain::Sorted { keys, bytes, .. } => {
                    let names: Option<Vec<Sym>> = keys
                        .iter()
                        .map(|key| if let Value::Str(sym) = key { Some(*sym) } else { None })
                        .collect();
                    if let Some(names) = names {
                        let shape = ctx.shape(&names);
                        let record = record_from_parts(shape, node.values.clone());
                        return encode(ctx, &record, out);
                    }
                    if bytes.get().is_none() {
                        let mut list = Vec::new();
                        for key in keys {
                            encode(ctx, key, &mut list)?;
                        }
                        // A second initialisation cannot happen: the cell was seen empty.
                        let _ = bytes.set(list.into());
                    }
                    let known = bytes.get().map_or(&[][..], |list| list);
                    out.push(FUNCTION);
                    put_number(known.len() as u64, out);
                    out.extend_from_slice(known);
                }
            }
            for value in &node.values {
                encode(ctx, value, out)?;
            }
        }
        Value::Lazy(node) => {
            use super::LazyKind;
            match &node.kind {
                LazyKind::Nat => out.push(NAT),
                LazyKind::Int => out.push(INTEGERS),
                LazyKind::Real => out.push(REAL),
                LazyKind::Strings => out.push(STRINGS),
                LazyKind::Any => out.push(ANY),
                LazyKind::Seq(base) => {
                    out.push(SEQ);
                    encode(ctx, base, out)?;
                }
                LazyKind::Subset(_)
                | LazyKind::FunctionSet { .. }
                | LazyKind::RecordSet { .. }
                | LazyKind::Product(_)
                | LazyKind::BigUnion(_)
                | LazyKind::Cup(..)
                | LazyKind::Cap(..)
                | LazyKind::Diff(..)
                | LazyKind::Filter { .. }
                | LazyKind::Lambda { .. } => {
                    let forced = force(ctx, value)?;
                    if let Value::Lazy(_) = forced {
                        let text = to_text(ctx, &forced);
                        return Err(EvalError::general(format!(
                            "Attempted to store the value\n{text}\nwhich cannot be enumerated."
                        )));
                    }
                    encode(ctx, &forced, out)?;
                }
            }
        }
    }
    Ok(())
}

fn put_interval(lo: i32, hi: i32, out: &mut Vec<u8>) {
    if hi < lo {
        put_length(SMALL_SET, SET, 0, out);
        return;
    }
    out.push(RANGE);
    put_signed(lo, out);
    put_number(interval_len(lo, hi) as u64, out);
}

fn put_length(small: u8, large: u8, n: usize, out: &mut Vec<u8>) {
    if n < SMALL_LENGTH {
        out.push(small + n as u8);
    } else {
        out.push(large);
        put_number(n as u64, out);
    }
}

fn put_tuple(ctx: &mut Ctx, items: &[Value], out: &mut Vec<u8>) -> EvalResult<()> {
    put_length(SMALL_TUPLE, TUPLE, items.len(), out);
    for item in items {
        encode(ctx, item, out)?;
    }
    Ok(())
}

#[cold]
fn corrupt() -> Box<EvalError> {
    EvalError::general("A stored value is damaged.")
}

fn take(bytes: &mut &[u8]) -> EvalResult<u8> {
    let (first, rest) = bytes.split_first().ok_or_else(corrupt)?;
    *bytes = rest;
    Ok(*first)
}

fn take_number(bytes: &mut &[u8]) -> EvalResult<u64> {
    let mut n = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes)?;
        n |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(n);
        }
    }
    Err(corrupt())
}

fn take_signed(bytes: &mut &[u8]) -> EvalResult<i32> {
    let n = take_number(bytes)? as u32;
    Ok((n >> 1) as i32 ^ -((n & 1) as i32))
}

/// A length, which cannot exceed `limit` in sound input.
fn take_length(bytes: &mut &[u8], limit: usize) -> EvalResult<usize> {
    let n = take_number(bytes)? as usize;
    if n > limit { Err(corrupt()) } else { Ok(n) }
}

fn take_text<'a>(bytes: &mut &'a [u8]) -> EvalResult<&'a str> {
    let n = take_length(bytes, bytes.len())?;
    let (text, rest) = bytes.split_at_checked(n).ok_or_else(corrupt)?;
    *bytes = rest;
    std::str::from_utf8(text).map_err(|_| corrupt())
}

fn take_items(ctx: &mut Ctx, n: usize, bytes: &mut &[u8]) -> EvalResult<Items> {
    let mut items = Items::with_capacity(n);
    for _ in 0..n {
        items.push(decode(bytes, ctx)?);
    }
    Ok(items)
}

/// Reads one value and moves `bytes` behind it.
pub fn decode(bytes: &mut &[u8], ctx: &mut Ctx) -> EvalResult<Value> {
    let tag = take(bytes)?;
    Ok(match tag {
        FALSE => Value::FALSE,
        TRUE => Value::TRUE,
        INT => Value::Int(take_signed(bytes)?),
        STRING => {
            let id = take_number(bytes)? as usize;
            if id >= ctx.names.shared().n_strings() {
                return Err(corrupt());
            }
            Value::Str(Sym(id as u32))
        }
        LOCAL_STRING => Value::Str(ctx.names.intern(take_text(bytes)?)),
        MODEL => {
            let id = take_number(bytes)? as usize;
            if id >= ctx.names.shared().n_models() {
                return Err(corrupt());
            }
            Value::Model(ModelId(id as u32))
        }
        LOCAL_MODEL => Value::Model(ctx.names.intern_model(take_text(bytes)?)),
        RANGE => {
            let lo = take_signed(bytes)?;
            let n = take_number(bytes)? as i64;
            let hi = i32::try_from(i64::from(lo) + n - 1).map_err(|_| corrupt())?;
            // Shown by its elements whichever way it was built: printing must not depend on which
            // of two equal sets was stored first. Large ones stay compact.
            if n <= 64 {
                Value::set_of_sorted((lo..=hi).map(Value::Int).collect::<Items>())
            } else {
                Value::Interval(lo, hi)
            }
        }
        SET => {
            let n = take_length(bytes, bytes.len())?;
            take_set(ctx, n, bytes)?
        }
        TUPLE => {
            let n = take_length(bytes, bytes.len())?;
            Value::tuple(take_items(ctx, n, bytes)?)
        }
        SHAPED_RECORD => {
            let id = u32::try_from(take_number(bytes)?).map_err(|_| corrupt())?;
            let shape = ctx.static_shape(id).ok_or_else(corrupt)?;
            let values = take_items(ctx, shape.names.len(), bytes)?;
            record_from_parts(shape, values)
        }
        RECORD => {
            let n = take_length(bytes, bytes.len())?;
            let mut names = Vec::with_capacity(n);
            for _ in 0..n {
                let Value::Str(name) = decode(bytes, ctx)? else { return Err(corrupt()) };
                names.push(name);
            }
            let shape = ctx.shape(&names);
            let values = take_items(ctx, n, bytes)?;
            record_from_parts(shape, values)
        }
        RANGE_FUNCTION => {
            let lo = take_signed(bytes)?;
            let n = take_length(bytes, bytes.len())?;
            let hi = i32::try_from(i64::from(lo) + n as i64 - 1).map_err(|_| corrupt())?;
            function_from_parts(Rc::new(Domain::Interval(lo, hi)), take_items(ctx, n, bytes)?)
        }
        FUNCTION => {
            let n = take_length(bytes, bytes.len())?;
            let (keys, rest) = bytes.split_at_checked(n).ok_or_else(corrupt)?;
            *bytes = rest;
            let domain = decode_domain(keys, ctx)?;
            let values = take_items(ctx, domain.len(), bytes)?;
            function_from_parts(domain, values)
        }
        NAT => Value::lazy(super::LazyKind::Nat),
        INTEGERS => Value::lazy(super::LazyKind::Int),
        REAL => Value::lazy(super::LazyKind::Real),
        STRINGS => Value::lazy(super::LazyKind::Strings),
        ANY => Value::lazy(super::LazyKind::Any),
        SEQ => Value::lazy(super::LazyKind::Seq(decode(bytes, ctx)?)),
        SMALL_INT..SMALL_STRING => Value::Int(i32::from(tag - SMALL_INT)),
        SMALL_STRING..SMALL_MODEL => Value::Str(Sym(u32::from(tag - SMALL_STRING))),
        SMALL_MODEL..SMALL_TUPLE => Value::Model(ModelId(u32::from(tag - SMALL_MODEL))),
        SMALL_TUPLE..SMALL_SET => {
            Value::tuple(take_items(ctx, usize::from(tag - SMALL_TUPLE), bytes)?)
        }
        SMALL_SET.. => take_set(ctx, usize::from(tag - SMALL_SET), bytes)?,
        20..SMALL_INT => return Err(corrupt()),
    })
}

fn take_set(ctx: &mut Ctx, n: usize, bytes: &mut &[u8]) -> EvalResult<Value> {
    Ok(Value::set_of_sorted(take_items(ctx, n, bytes)?))
}

/// The most domains a worker remembers by their bytes.
const KNOWN_DOMAINS: usize = 4096;

/// The domain whose keys these bytes are. States of one specification share a few domains, so
/// each is made once and then found by its bytes.
fn decode_domain(bytes: &[u8], ctx: &mut Ctx) -> EvalResult<Rc<Domain>> {
    if let Some(domain) = ctx.domains.get(bytes) {
        return Ok(domain.clone());
    }
    let mut rest = bytes;
    let mut keys = Vec::new();
    while !rest.is_empty() {
        keys.push(decode(&mut rest, ctx)?);
    }
    let domain = domain_of_sorted(keys);
    if let Domain::Sorted { bytes: cell, .. } = &*domain {
        // The cell of a new domain is empty.
        let _ = cell.set(bytes.into());
    }
    if ctx.domains.len() >= KNOWN_DOMAINS {
        ctx.domains.clear();
    }
    ctx.domains.insert(bytes.into(), domain.clone());
    Ok(domain)
}

impl Ctx {
    /// The set of these elements, in any order and with repetitions.
    pub fn set(&mut self, items: impl Into<Items>) -> Value {
        set_from_vec(self, items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_and_set_give_the_same_bytes() {
        let mut ctx = crate::value::tests::ctx();
        let set = ctx.set(vec![Value::Int(3), Value::Int(1), Value::Int(2)]);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        encode(&mut ctx, &set, &mut a).unwrap();
        encode(&mut ctx, &Value::Interval(1, 3), &mut b).unwrap();
        assert_eq!(a, b);
    }
}
