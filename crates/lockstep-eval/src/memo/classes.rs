//! Sets of records in classes: a slot for the elements of each kind.
//!
//! A protocol's messages are one set, and every action looks at one kind of them only. A set whose
//! elements are records told apart by a field with a string (`type`) is cut by that field: a slot
//! for the elements with each string that the specification writes there. A set with any other
//! element does not fit, and its state is kept whole.
//!
//! Invariant: what is noted as read covers every element that the evaluation may depend on.

use super::layout::{Cut, SlotId, VarSlots};
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

fn classes_of(slots: &VarSlots) -> Option<&Classes> {
    match &slots.cut {
        Cut::Classes(classes) => Some(classes),
        _ => None,
    }
}

/// Notes that of a variable only one class is read. `false` if the caller has to note it whole.
fn note(ctx: &mut Ctx, var: VarId, class: usize) -> bool {
    let Some(layout) = ctx.reads.layout() else { return false };
    let Some(slots) = layout.vars.get(usize::from(var)) else { return false };
    if classes_of(slots).is_none() {
        return false;
    }
    ctx.reads.add(slots.first + class as SlotId);
    true
}

/// The elements of a variable's value that may pass a guard, the reading of which is noted. `None`
/// where the variable is not cut by the guard's field.
#[cold]
pub(crate) fn passing(ctx: &mut Ctx, guard: &Guard, value: &Value) -> Option<Items> {
    let layout = ctx.reads.layout()?;
    let classes = classes_of(layout.vars.get(usize::from(guard.var))?)?;
    if classes.field != guard.field {
        return None;
    }
    let class = classes.names.iter().position(|it| *it == guard.name)?;
    let Value::Set(node) = value else { return None };
    let items = node.elements().ok()?;
    note(ctx, guard.var, class);
    let may_pass = |it: &&Value| classes.of(it).is_none_or(|it| it == class);
    Some(items.iter().filter(may_pass).cloned().collect())
}

/// Notes that it is asked whether an element is in a variable's value. `false` if the caller has to
/// note the whole variable.
#[cold]
pub(crate) fn note_element(ctx: &mut Ctx, var: VarId, element: &Value) -> bool {
    match class_of(ctx, var, element) {
        Some(class) => note(ctx, var, class),
        None => false,
    }
}

/// Whether a variable is cut into classes.
pub(crate) fn has_classes(ctx: &Ctx, var: VarId) -> bool {
    ctx.reads.active
        && ctx
            .reads
            .layout()
            .and_then(|it| it.vars.get(usize::from(var)).map(|it| classes_of(it).is_some()))
            .unwrap_or(false)
}

fn class_of(ctx: &Ctx, var: VarId, element: &Value) -> Option<usize> {
    let layout = ctx.reads.layout()?;
    classes_of(layout.vars.get(usize::from(var))?)?.of(element)
}

/// Notes that elements are added to a variable's value or taken from it; the classes they belong
/// to, a bit each. `None` if the caller has to note the whole variable.
pub(crate) fn note_change(ctx: &mut Ctx, var: VarId, elements: &Value) -> Option<u64> {
    let Value::Set(node) = elements else { return None };
    let mut mask = 0_u64;
    for item in node.elements().ok()? {
        mask |= 1 << class_of(ctx, var, item)?;
    }
    for class in 0..64 {
        if mask >> class & 1 == 1 {
            note(ctx, var, class);
        }
    }
    Some(mask)
}
