//! Structural 64-bit hashes.
//!
//! Equal values have equal hashes whatever they are made of: a tuple and a function on `1..n`, a
//! record and a function on strings, an interval and an enumerated set. Sets add the hashes of
//! their elements, functions add a mix of argument and result, so the order in which a worker
//! holds run-time strings cannot show. Nodes keep their hash once it is known.

use std::cell::Cell;

use super::{Domain, LazyKind, Value, enumerate::SetIter};
use crate::error::{EvalError, EvalResult};
use crate::value::Ctx;

const SET: u64 = 0x9ae1_6a3b_2f90_404f;
const FUNCTION: u64 = 0xc3a5_c85c_97cb_3127;
const INT: u64 = 0x1b87_3593_cc9e_2d51;
const KEY: u64 = 0x2d35_8dcc_aa6c_78a5;
const RESULT: u64 = 0x8bb8_4b93_962e_acc9;

/// The finaliser of splitmix64: every input bit moves every output bit.
#[inline]
pub fn mix(mut x: u64) -> u64 {
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Folds the 128-bit product of two words.
#[inline]
pub fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// A stable hash of bytes.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64 ^ 0xa076_1d64_78bd_642f;
    for chunk in bytes.chunks(8) {
        let mut word = [0_u8; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state =
            fold(state ^ u64::from_le_bytes(word), 0xe703_7ed1_a0b4_28db) ^ state.rotate_left(23);
    }
    mix(state)
}

/// The hash of an integer.
#[inline]
pub fn hash_int(n: i32) -> u64 {
    mix(u64::from(n as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ INT)
}

#[inline]
fn hash_bool(b: bool) -> u64 {
    if b { 0x6c62_272e_07bb_0142 } else { 0xaf63_bd4c_8601_b7df }
}

/// The hash of one entry of a function: an argument's with its result's.
#[inline]
pub fn entry(key: u64, result: u64) -> u64 {
    fold(key ^ KEY, result ^ RESULT)
}

/// Zero marks a hash not yet known.
#[inline]
fn nonzero(hash: u64) -> u64 {
    if hash == 0 { 1 } else { hash }
}

/// The hash of a function with so many entries whose hashes have this sum.
#[inline]
pub fn finish_function(n: usize, sum: u64) -> u64 {
    finish(FUNCTION, n, sum)
}

/// The hash of a set of so many elements whose hashes have this sum.
#[inline]
pub fn finish_set(n: usize, sum: u64) -> u64 {
    finish(SET, n, sum)
}

#[inline]
fn finish(kind: u64, n: usize, sum: u64) -> u64 {
    nonzero(mix(sum ^ kind.wrapping_add((n as u64).wrapping_mul(0x9fb2_1c65_1e98_df25))))
}

/// The hash of a value. Lazy values are enumerated for it, which may fail.
#[inline]
pub fn hash64(ctx: &mut Ctx, value: &Value) -> EvalResult<u64> {
    hash(ctx, value, &mut true)
}

/// The hash of a value; `concrete` becomes false when something lazy is inside. Nodes keep their
/// hash only when nothing is, so that a known hash also says that there is nothing to force.
fn hash(ctx: &mut Ctx, value: &Value, concrete: &mut bool) -> EvalResult<u64> {
    Ok(match value {
        Value::Bool(b) => hash_bool(*b),
        Value::Int(n) => hash_int(*n),
        Value::Str(sym) => ctx.names.hash(*sym),
        Value::Model(id) => ctx.names.model_hash(*id),
        Value::Interval(lo, hi) => {
            let mut sum = 0_u64;
            let mut n = 0;
            for i in *lo..=*hi {
                sum = sum.wrapping_add(hash_int(i));
                n += 1;
            }
            finish(SET, n, sum)
        }
        Value::Set(node) => {
            if node.hash.get() != 0 {
                return Ok(node.hash.get());
            }
            let items = node.elements()?;
            let (mut sum, mut inside) = (0_u64, true);
            for item in items {
                sum = sum.wrapping_add(hash(ctx, item, &mut inside)?);
            }
            keep(&node.hash, finish(SET, items.len(), sum), inside, concrete)
        }
        Value::Tuple(node) => {
            if node.hash.get() != 0 {
                return Ok(node.hash.get());
            }
            let (mut sum, mut inside) = (0_u64, true);
            for (idx, item) in node.items.iter().enumerate() {
                let key = hash_int(idx as i32 + 1);
                sum = sum.wrapping_add(entry(key, hash(ctx, item, &mut inside)?));
            }
            keep(&node.hash, finish(FUNCTION, node.items.len(), sum), inside, concrete)
        }
        Value::Record(node) => {
            if node.hash.get() != 0 {
                return Ok(node.hash.get());
            }
            let (mut sum, mut inside) = (0_u64, true);
            for (key, item) in node.shape.hashes.iter().zip(&node.values) {
                sum = sum.wrapping_add(entry(*key, hash(ctx, item, &mut inside)?));
            }
            keep(&node.hash, finish(FUNCTION, node.values.len(), sum), inside, concrete)
        }
        Value::Function(node) => {
            if node.hash.get() != 0 {
                return Ok(node.hash.get());
            }
            let (mut sum, mut inside) = (0_u64, true);
            match &*node.domain {
                Domain::Interval(lo, _) => {
                    for (idx, item) in node.values.iter().enumerate() {
                        let key = hash_int(lo + idx as i32);
                        sum = sum.wrapping_add(entry(key, hash(ctx, item, &mut inside)?));
                    }
                }
                Domain::Sorted { keys, hashes, .. } => {
                    if hashes.get().is_none() {
                        let mut list = Vec::with_capacity(keys.len());
                        for key in keys {
                            list.push(hash64(ctx, key)?);
                        }
                        // A second initialisation cannot happen: the cell was seen empty.
                        let _ = hashes.set(list.into());
                    }
                    let known = hashes.get().map_or(&[][..], |list| list);
                    for (key, item) in known.iter().zip(&node.values) {
                        sum = sum.wrapping_add(entry(*key, hash(ctx, item, &mut inside)?));
                    }
                }
            }
            keep(&node.hash, finish(FUNCTION, node.values.len(), sum), inside, concrete)
        }
        Value::Lazy(node) => {
            *concrete = false;
            if node.hash.get() != 0 {
                return Ok(node.hash.get());
            }
            let hash = match &node.kind {
                LazyKind::Nat
                | LazyKind::Int
                | LazyKind::Real
                | LazyKind::Strings
                | LazyKind::Any
                | LazyKind::Seq(_) => return Err(infinite(ctx, value)),
                LazyKind::Lambda { .. } => {
                    let function = super::force(ctx, value)?;
                    hash64(ctx, &function)?
                }
                LazyKind::Subset(_)
                | LazyKind::FunctionSet { .. }
                | LazyKind::RecordSet { .. }
                | LazyKind::Product(_)
                | LazyKind::BigUnion(_)
                | LazyKind::Cup(..)
                | LazyKind::Cap(..)
                | LazyKind::Diff(..)
                | LazyKind::Filter { .. } => {
                    // Streamed, so that a large set of functions need not be built.
                    let mut iter = SetIter::new(ctx, value)?;
                    let (mut sum, mut n) = (0_u64, 0);
                    while let Some(item) = iter.next(ctx)? {
                        sum = sum.wrapping_add(hash64(ctx, &item)?);
                        n += 1;
                    }
                    finish(SET, n, sum)
                }
            };
            node.hash.set(nonzero(hash));
            nonzero(hash)
        }
    })
}

/// What has no end has no hash: a state that holds it could not be told from others.
#[cold]
fn infinite(ctx: &mut Ctx, value: &Value) -> Box<EvalError> {
    let text = super::to_text(ctx, value);
    EvalError::general(format!(
        "TLC has found a state in which the value of a variable contains {text}"
    ))
    .with_values(vec![text])
}

#[inline]
fn keep(cell: &Cell<u64>, hash: u64, inside: bool, concrete: &mut bool) -> u64 {
    if inside {
        cell.set(hash);
    } else {
        *concrete = false;
    }
    hash
}
