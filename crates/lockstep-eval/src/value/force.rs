//! Full evaluation of lazy values, and renaming of model values.

use super::functions::{domain_of_set, function_from_parts, record_from_parts};
use super::sets;
use super::{Ctx, Domain, Items, LazyKind, ModelId, SetIter, Value, apply};
use crate::error::EvalResult;

/// Enumerates what is lazy, at any depth: afterwards the value holds no code of the
/// specification. Sets known by name (`Nat`, `Seq(S)`) stay as they are.
pub fn force(ctx: &mut Ctx, value: &Value) -> EvalResult<Value> {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::Model(_) | Value::Interval(..) => {
            Ok(value.clone())
        }
        Value::Set(node) if node.hash.get() != 0 => Ok(value.clone()),
        Value::Tuple(node) if node.hash.get() != 0 => Ok(value.clone()),
        Value::Record(node) if node.hash.get() != 0 => Ok(value.clone()),
        Value::Function(node) if node.hash.get() != 0 => Ok(value.clone()),
        Value::Set(node) => {
            let items = node.elements()?;
            Ok(match force_all(ctx, items)? {
                None => value.clone(),
                // The elements keep their places: forcing does not change their order.
                Some(items) => Value::set_of_sorted(items),
            })
        }
        Value::Tuple(node) => Ok(match force_all(ctx, &node.items)? {
            None => value.clone(),
            Some(items) => Value::tuple(items),
        }),
        Value::Record(node) => Ok(match force_all(ctx, &node.values)? {
            None => value.clone(),
            Some(items) => record_from_parts(node.shape.clone(), items),
        }),
        Value::Function(node) => Ok(match force_all(ctx, &node.values)? {
            None => value.clone(),
            Some(items) => function_from_parts(node.domain.clone(), items),
        }),
        Value::Lazy(node) => {
            if let Some(value) = node.forced.get() {
                return Ok(value.clone());
            }
            let forced = match &node.kind {
                LazyKind::Nat
                | LazyKind::Int
                | LazyKind::Real
                | LazyKind::Strings
                | LazyKind::Any
                | LazyKind::Seq(_) => return Ok(value.clone()),
                LazyKind::Subset(_)
                | LazyKind::FunctionSet { .. }
                | LazyKind::RecordSet { .. }
                | LazyKind::Product(_)
                | LazyKind::Filter { .. } => {
                    let mut iter = SetIter::new(ctx, value)?;
                    let mut items = Items::new();
                    while let Some(item) = iter.next(ctx)? {
                        items.push(item);
                        ctx.check_set_size(items.len())?;
                    }
                    Value::set_of_sorted(items)
                }
                LazyKind::BigUnion(base) => sets::big_union_now(ctx, base)?,
                LazyKind::Cup(a, b) => {
                    let (a, b) = (enumerated(ctx, a)?, enumerated(ctx, b)?);
                    sets::union(ctx, &a, &b)?
                }
                LazyKind::Cap(a, b) | LazyKind::Diff(a, b) => {
                    let keep = matches!(node.kind, LazyKind::Cap(..));
                    sets::select(ctx, a, b, keep)?
                }
                LazyKind::Lambda { domain, .. } => {
                    let keys = domain_of_set(ctx, domain)?;
                    let mut items = Items::with_capacity(keys.len());
                    for idx in 0..keys.len() {
                        let key = keys.key(idx);
                        let item = apply(ctx, value, &key)?;
                        items.push(force(ctx, &item)?);
                    }
                    function_from_parts(keys, items)
                }
            };
            // Forcing may have forced this very node through recursion: either value will do.
            let _ = node.forced.set(forced.clone());
            Ok(forced)
        }
    }
}

/// The set with its elements listed; an error when it is infinite.
pub(crate) fn enumerated(ctx: &mut Ctx, set: &Value) -> EvalResult<Value> {
    let set = force(ctx, set)?;
    if let Value::Lazy(_) = set {
        return Err(super::enumerate::not_enumerable(ctx, &set));
    }
    Ok(set)
}

/// Forces elements; `None` when none of them was lazy.
fn force_all(ctx: &mut Ctx, items: &[Value]) -> EvalResult<Option<Items>> {
    let mut changed: Option<Items> = None;
    for (idx, item) in items.iter().enumerate() {
        if item.is_flat() {
            if let Some(list) = &mut changed {
                list.push(item.clone());
            }
            continue;
        }
        let forced = force(ctx, item)?;
        match &mut changed {
            Some(list) => list.push(forced),
            None if !forced.same_node(item) => {
                let mut list: Items = items[..idx].iter().cloned().collect();
                list.push(forced);
                changed = Some(list);
            }
            None => {}
        }
    }
    Ok(changed)
}

/// Renames model values: the one numbered `i` becomes `renaming[i]`. Values without model values
/// are shared, not copied. Lazy values must have been forced.
pub fn permute(ctx: &mut Ctx, value: &Value, renaming: &[ModelId]) -> EvalResult<Value> {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::Interval(..) => Ok(value.clone()),
        Value::Model(id) => Ok(Value::Model(renaming.get(id.0 as usize).copied().unwrap_or(*id))),
        Value::Set(node) => {
            let items = node.elements()?;
            Ok(match permute_all(ctx, items, renaming)? {
                None => value.clone(),
                Some(items) => sets::set_from_vec(ctx, items),
            })
        }
        Value::Tuple(node) => Ok(match permute_all(ctx, &node.items, renaming)? {
            None => value.clone(),
            Some(items) => Value::tuple(items),
        }),
        Value::Record(node) => Ok(match permute_all(ctx, &node.values, renaming)? {
            None => value.clone(),
            Some(items) => record_from_parts(node.shape.clone(), items),
        }),
        Value::Function(node) => {
            let values = permute_all(ctx, &node.values, renaming)?;
            let keys = match &*node.domain {
                Domain::Interval(..) => None,
                Domain::Sorted { keys, .. } => permute_all(ctx, keys, renaming)?,
            };
            Ok(match (keys, values) {
                (None, None) => value.clone(),
                (None, Some(values)) => function_from_parts(node.domain.clone(), values),
                (Some(keys), values) => {
                    let values = values.unwrap_or_else(|| node.values.clone());
                    super::from_pairs(ctx, keys.into_iter().zip(values).collect())?
                }
            })
        }
        Value::Lazy(_) => {
            let forced = force(ctx, value)?;
            if let Value::Lazy(_) = forced {
                return Ok(forced);
            }
            permute(ctx, &forced, renaming)
        }
    }
}

fn permute_all(ctx: &mut Ctx, items: &[Value], renaming: &[ModelId]) -> EvalResult<Option<Items>> {
    let mut changed: Option<Items> = None;
    for (idx, item) in items.iter().enumerate() {
        let renamed = permute(ctx, item, renaming)?;
        match &mut changed {
            Some(list) => list.push(renamed),
            None if !renamed.same_node(item) => {
                let mut list: Items = items[..idx].iter().cloned().collect();
                list.push(renamed);
                changed = Some(list);
            }
            None => {}
        }
    }
    Ok(changed)
}

impl Value {
    /// Whether the value holds nothing that could be lazy.
    #[inline]
    fn is_flat(&self) -> bool {
        matches!(
            self,
            Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::Model(_) | Value::Interval(..)
        )
    }

    /// Whether two values are the same scalar or the very same node: a cheap test that may say
    /// no for equal values.
    pub fn same_node(&self, other: &Value) -> bool {
        use std::rc::Rc;
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Model(a), Value::Model(b)) => a == b,
            (Value::Interval(a, b), Value::Interval(c, d)) => a == c && b == d,
            (Value::Set(a), Value::Set(b)) => Rc::ptr_eq(a, b),
            (Value::Tuple(a), Value::Tuple(b)) => Rc::ptr_eq(a, b),
            (Value::Record(a), Value::Record(b)) => Rc::ptr_eq(a, b),
            (Value::Function(a), Value::Function(b)) => Rc::ptr_eq(a, b),
            (Value::Lazy(a), Value::Lazy(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}
