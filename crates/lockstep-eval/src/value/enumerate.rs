//! Enumeration of sets in normal order, without building them.
//!
//! `SUBSET S` goes by size, `[S -> T]` and products with the last argument fastest. A set that is
//! infinite, or a thing that is no set, is an error.

use std::rc::Rc;

use super::{Ctx, Domain, Items, LazyKind, LazyNode, SetNode, Shape, Value, force, to_text};
use crate::error::{EvalError, EvalResult, code};
use crate::value::functions;

/// An iterator over the elements of a set in normal order. It is not a Rust iterator because
/// each step may evaluate a predicate.
pub struct SetIter {
    state: State,
}

enum State {
    Interval { next: i64, hi: i64 },
    Slice { node: Rc<SetNode>, idx: usize },
    Subset(Subsets),
    Odometer { odometer: Odometer, build: Build },
    Filter { base: Box<SetIter>, node: Rc<LazyNode> },
}

/// What is made of one setting of an odometer.
enum Build {
    Tuple,
    Record(Rc<Shape>),
    Function(Rc<Domain>),
}

/// Counts through all choices of one element per list, the last list fastest.
struct Odometer {
    lists: Vec<Rc<[Value]>>,
    positions: Vec<usize>,
    done: bool,
}

impl Odometer {
    fn new(lists: Vec<Rc<[Value]>>) -> Self {
        let done = lists.iter().any(|list| list.is_empty());
        Self { positions: vec![0; lists.len()], lists, done }
    }

    fn next(&mut self) -> Option<Items> {
        if self.done {
            return None;
        }
        let items =
            self.lists.iter().zip(&self.positions).map(|(list, at)| list[*at].clone()).collect();
        self.done = true;
        for idx in (0..self.lists.len()).rev() {
            self.positions[idx] += 1;
            if self.positions[idx] < self.lists[idx].len() {
                self.done = false;
                break;
            }
            self.positions[idx] = 0;
        }
        Some(items)
    }
}

/// All subsets, small ones first, each size in lexicographic order.
struct Subsets {
    items: Rc<[Value]>,
    /// Positions of the present subset.
    chosen: Vec<usize>,
    done: bool,
}

impl Subsets {
    fn next(&mut self) -> Option<Value> {
        if self.done {
            return None;
        }
        let set = Value::set_of_sorted(
            self.chosen.iter().map(|at| self.items[*at].clone()).collect::<Items>(),
        );
        let (n, k) = (self.items.len(), self.chosen.len());
        // The rightmost position that can still move.
        match (0..k).rev().find(|idx| self.chosen[*idx] < n - k + idx) {
            Some(idx) => {
                self.chosen[idx] += 1;
                for later in idx + 1..k {
                    self.chosen[later] = self.chosen[later - 1] + 1;
                }
            }
            None if k < n => {
                self.chosen.clear();
                self.chosen.extend(0..=k);
            }
            None => self.done = true,
        }
        Some(set)
    }
}

/// The elements of a set as a shared list.
pub(crate) fn list(ctx: &mut Ctx, set: &Value) -> EvalResult<Rc<[Value]>> {
    let mut iter = SetIter::new(ctx, set)?;
    let mut items = Vec::new();
    while let Some(item) = iter.next(ctx)? {
        items.push(item);
        ctx.check_set_size(items.len())?;
    }
    Ok(items.into())
}

impl SetIter {
    /// Starts the enumeration of `set`.
    pub fn new(ctx: &mut Ctx, set: &Value) -> EvalResult<Self> {
        let state = match set {
            Value::Interval(lo, hi) => State::Interval { next: i64::from(*lo), hi: i64::from(*hi) },
            Value::Set(node) => {
                node.elements()?;
                State::Slice { node: node.clone(), idx: 0 }
            }
            Value::Lazy(node) => {
                if let Some(value) = node.forced.get() {
                    let value = value.clone();
                    return Self::new(ctx, &value);
                }
                Self::lazy(ctx, set, node)?
            }
            Value::Bool(_)
            | Value::Int(_)
            | Value::Str(_)
            | Value::Model(_)
            | Value::Tuple(_)
            | Value::Record(_)
            | Value::Function(_) => return Err(not_enumerable(ctx, set)),
        };
        Ok(Self { state })
    }

    fn lazy(ctx: &mut Ctx, set: &Value, node: &Rc<LazyNode>) -> EvalResult<State> {
        Ok(match &node.kind {
            LazyKind::Nat
            | LazyKind::Int
            | LazyKind::Real
            | LazyKind::Strings
            | LazyKind::Any
            | LazyKind::Seq(_)
            | LazyKind::Lambda { .. } => return Err(not_enumerable(ctx, set)),
            LazyKind::Subset(base) => {
                if !super::sets::is_enumerable(base) {
                    let text = to_text(ctx, base);
                    let kind = if base.is_set() { "overridden value" } else { "value" };
                    return Err(EvalError::new(
                        code::NOT_ENUMERABLE,
                        format!(
                            "Attempted to compute the number of elements in the {kind} {text}."
                        ),
                    )
                    .with_values(vec![text]));
                }
                State::Subset(Subsets { items: list(ctx, base)?, chosen: Vec::new(), done: false })
            }
            LazyKind::FunctionSet { domain, range } => {
                let keys = functions::domain_of_set(ctx, domain)?;
                let odometer = if keys.is_empty() {
                    // One function, whatever the range, even if that is infinite.
                    Odometer::new(Vec::new())
                } else {
                    let values = list(ctx, range)?;
                    Odometer::new(vec![values; keys.len()])
                };
                State::Odometer { odometer, build: Build::Function(keys) }
            }
            LazyKind::RecordSet { shape, sets } => {
                let lists = sets.iter().map(|it| list(ctx, it)).collect::<EvalResult<Vec<_>>>()?;
                State::Odometer {
                    odometer: Odometer::new(lists),
                    build: Build::Record(shape.clone()),
                }
            }
            LazyKind::Product(sets) => {
                if let Some(at) = sets.iter().position(|it| !super::sets::is_enumerable(it)) {
                    let text = to_text(ctx, &sets[at]);
                    return Err(EvalError::new(
                        code::NOT_ENUMERABLE,
                        format!(
                            "Attempted to enumerate a set of the form s1 \\X s2 ... \\X sn,\nbut \
                             can't enumerate s{at}:\n{text}"
                        ),
                    )
                    .with_values(vec![text]));
                }
                let lists = sets.iter().map(|it| list(ctx, it)).collect::<EvalResult<Vec<_>>>()?;
                State::Odometer { odometer: Odometer::new(lists), build: Build::Tuple }
            }
            LazyKind::Filter { base, .. } => {
                State::Filter { base: Box::new(SetIter::new(ctx, base)?), node: node.clone() }
            }
            LazyKind::BigUnion(_) | LazyKind::Cup(..) | LazyKind::Cap(..) | LazyKind::Diff(..) => {
                // These need sorting, so they are built.
                let built = force(ctx, set)?;
                if let Value::Lazy(_) = built {
                    return Err(not_enumerable(ctx, set));
                }
                return Ok(SetIter::new(ctx, &built)?.state);
            }
        })
    }

    /// The next element.
    pub fn next(&mut self, ctx: &mut Ctx) -> EvalResult<Option<Value>> {
        ctx.tick()?;
        Ok(match &mut self.state {
            State::Interval { next, hi } => {
                if *next > *hi {
                    return Ok(None);
                }
                let value = Value::Int(*next as i32);
                *next += 1;
                Some(value)
            }
            State::Slice { node, idx } => {
                let value = node.items.get(*idx).cloned();
                *idx += 1;
                value
            }
            State::Subset(subsets) => subsets.next(),
            State::Odometer { odometer, build } => odometer.next().map(|items| match build {
                Build::Tuple => Value::tuple(items),
                Build::Record(shape) => functions::record_from_parts(shape.clone(), items),
                Build::Function(domain) => functions::function_from_parts(domain.clone(), items),
            }),
            State::Filter { base, node } => {
                let LazyKind::Filter { predicate, .. } = &node.kind else { return Ok(None) };
                while let Some(item) = base.next(ctx)? {
                    if holds(ctx, &**predicate, &item)? {
                        return Ok(Some(item));
                    }
                }
                None
            }
        })
    }
}

/// Whether a filter's predicate holds of an element.
pub(crate) fn holds(
    ctx: &mut Ctx,
    predicate: &dyn super::Closure,
    item: &Value,
) -> EvalResult<bool> {
    match predicate.call(ctx, std::slice::from_ref(item))? {
        Value::Bool(b) => Ok(b),
        other => {
            let kind = super::kind_phrase(&other);
            let text = to_text(ctx, &other);
            let err = EvalError::general(format!(
                "Attempted to evaluate an expression of form {{x \\in S : P(x)}} when P was \
                 {kind}.\n{text}"
            ));
            Err(match predicate.span() {
                Some(span) => err.at(span),
                None => err,
            })
        }
    }
}

#[cold]
pub(crate) fn not_enumerable(ctx: &mut Ctx, set: &Value) -> Box<EvalError> {
    let text = to_text(ctx, set);
    let what = if set.is_set() { "infinite set" } else { "value that is not a set" };
    EvalError::new(
        code::NOT_ENUMERABLE,
        format!("Attempted to enumerate the elements of the {what}:\n{text}"),
    )
    .with_values(vec![text])
}
