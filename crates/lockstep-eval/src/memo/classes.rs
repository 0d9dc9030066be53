//! Sets of records in classes: a slot for the elements of each kind.
//!
//! A protocol's messages are one set, and every action looks at one kind of them only. A set whose
//! elements are records told apart by a field with a string (`type`) is cut by that field: a slot
//! for the elements with each string that the specification writes there. A set with any other
//! element does not fit, and its state is kept whole.
//!
//! Invariant: what is noted as read covers every element that the evaluation may depend on.

use super::layout::{Cut, SlotId};
use crate::ir::{Guard, VarId};
use crate::value::{Ctx, Items, Sym, Value};

/// How a set is cut.
pub(crate) struct Classes {
    pub(crate) field: Sym,
    /// The strings that have a class.
    pub(crate) names: Box<[Sym]>,
}

impl Classes {
    /// The class of an element among those with a name.
    #[inline]
    pub(crate) fn of(&self, element: &Value) -> Option<usize> {
        let Value::Record(node) = element else { return None };
        let at = node.shape().position(self.field)?;
        match &node.values()[at] {
            Value::Str(name) => self.names.iter().position(|it| it == name),
            _ => None,
        }
    }

    /// The elements of a set by class: of the classes in `mask`, the others are left empty. `None`
    /// for what is no enumerated set of such elements.
    pub(crate) fn split(&self, set: &Value, mask: u64) -> Option<Vec<Value>> {
        let mut lists = vec![Items::new(); self.names.len()];
        match set {
            Value::Set(node) => {
                for item in node.elements().ok()? {
                    let class = self.of(item)?;
                    if mask >> class & 1 == 1 {
                        lists[class].push(item.clone());
                    }
                }
            }
            Value::Interval(lo, hi) if hi < lo => {}
            _ => return None,
        }
        // A part of a set in order is in order.
        Some(lists.into_iter().map(Value::set_of_sorted).collect())
    }
}

/// The slots of a variable that is cut into classes.
fn cut(ctx: &Ctx, var: VarId) -> Option<(SlotId, &Classes)> {
    let slots = ctx.reads.layout()?.vars.get(usize::from(var))?;
    match &slots.cut {
        Cut::Classes(classes) => Some((slots.first, classes)),
        _ => None,
    }
}

/// The elements of a variable's value that may pass a guard, the reading of which is noted. `None`
/// where the variable is not cut by the guard's field.
#[cold]
pub(crate) fn passing(ctx: &mut Ctx, guard: &Guard, value: &Value) -> Option<Items> {
    let (first, classes) = cut(ctx, guard.var).filter(|(_, it)| it.field == guard.field)?;
    let class = classes.names.iter().position(|it| *it == guard.name)?;
    let Value::Set(node) = value else { return None };
    let may_pass = |it: &&Value| classes.of(it).is_none_or(|it| it == class);
    let items = node.elements().ok()?.iter().filter(may_pass).cloned().collect();
    ctx.reads.add(first + class as SlotId);
    Some(items)
}

/// Notes that it is asked whether an element is in a variable's value. `false` if the caller has to
/// note the whole variable.
#[cold]
pub(crate) fn note_element(ctx: &mut Ctx, var: VarId, element: &Value) -> bool {
    let Some((first, classes)) = cut(ctx, var) else { return false };
    let Some(class) = classes.of(element) else { return false };
    ctx.reads.add(first + class as SlotId);
    true
}

/// Whether a variable is cut into classes, and reads are noted.
pub(crate) fn has_classes(ctx: &Ctx, var: VarId) -> bool {
    ctx.reads.active && cut(ctx, var).is_some()
}

/// Notes that elements are added to a variable's value or taken from it; the classes they belong
/// to, a bit each. `None` if the caller has to note the whole variable.
pub(crate) fn note_change(ctx: &mut Ctx, var: VarId, elements: &Value) -> Option<u64> {
    let (first, classes) = cut(ctx, var)?;
    let Value::Set(node) = elements else { return None };
    let mut mask = 0_u64;
    for item in node.elements().ok()? {
        mask |= 1 << classes.of(item)?;
    }
    for class in (0..64).filter(|it| mask >> it & 1 == 1) {
        ctx.reads.add(first + class);
    }
    Some(mask)
}
