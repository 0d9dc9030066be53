//! Where a name leads: environments of bound names, contexts of instances, frames of slots.
//!
//! An [`Env`] is a persistent list, so that an operator argument keeps the environment it was
//! written in. A [`Place`] is everything the meaning of an expression depends on besides its
//! text: bound names, instances entered, module, and how variables are read.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lockstep_semantic::hir::{
    DefinitionId, ExprId, InstanceId, LocalId, ModuleId, OperatorArgument,
};

use crate::ir::{NodeId, Slot};

/// A chain of instances entered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ContextId(pub(super) u32);

impl ContextId {
    /// No instance.
    pub(super) const ROOT: ContextId = ContextId(0);
}

/// One instance entered.
#[derive(Clone)]
pub(super) struct Context<'a> {
    /// The context outside.
    pub(super) parent: ContextId,
    /// The instance.
    pub(super) instance: InstanceId,
    /// Where its substitutions are evaluated: parameters and names of an enclosing LET.
    pub(super) env: Env<'a>,
    /// The module in which the INSTANCE stands.
    pub(super) module: ModuleId,
}

/// How variables are read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Mode {
    /// Under a prime.
    pub(super) primed: bool,
    /// In Init: unprimed variables are those being given values.
    pub(super) init: bool,
    /// Both states are complete, so that values that depend on the next one may be kept.
    pub(super) stable: bool,
    /// How many ENABLED are around, 0 for none; each has a number of its own.
    pub(super) enabled: u32,
    /// The virtual variables in force, 0 for none.
    pub(super) virtuals: u32,
}

/// Everything that the meaning of an expression depends on besides its text.
#[derive(Clone)]
pub(super) struct Place<'a> {
    pub(super) env: Env<'a>,
    pub(super) context: ContextId,
    pub(super) module: ModuleId,
    pub(super) mode: Mode,
}

impl<'a> Place<'a> {
    pub(super) fn with_env(&self, env: Env<'a>) -> Self {
        Place { env, ..self.clone() }
    }

    pub(super) fn with_mode(&self, mode: Mode) -> Self {
        Place { mode, ..self.clone() }
    }

    pub(super) fn primed(&self) -> Self {
        self.with_mode(Mode { primed: true, ..self.mode })
    }
}

/// What a bound name stands for.
#[derive(Clone)]
pub(super) enum Bound<'a> {
    /// A slot of a frame.
    Slot(u32, Slot),
    /// An operator in a slot of a frame.
    OperatorSlot(u32, Slot),
    /// A value of a quantifier that was expanded.
    Frozen(u32),
    /// An expression with its place.
    Delayed(Rc<Delayed<'a>>),
    /// An operator with its place.
    Operator(Rc<DelayedOperator<'a>>),
}

/// An expression that is evaluated where it is used, at most once.
pub(super) struct Delayed<'a> {
    pub(super) expr: ExprId,
    pub(super) place: Place<'a>,
    /// The frame and slot that keep its value, if any.
    pub(super) memo: Option<(u32, Slot)>,
    /// How many loops are around the place where it is bound.
    pub(super) loops: u32,
    /// What it was lowered to at its own place.
    pub(super) lowered: Cell<Option<NodeId>>,
    /// The uses through the memo slot: the node and how many loops are around it.
    pub(super) uses: RefCell<Vec<(NodeId, u32)>>,
    /// The definition, if it is one of a LET.
    pub(super) definition: Option<DefinitionId>,
    /// Guards against a value that needs itself.
    pub(super) busy: Cell<bool>,
    /// The node under which it is counted, if it is.
    pub(super) cost: Option<u32>,
}

/// An operator with the place it was written in.
pub(super) struct DelayedOperator<'a> {
    pub(super) operator: &'a OperatorArgument,
    pub(super) place: Place<'a>,
}

/// A key of an environment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Local(LocalId),
    Definition(DefinitionId),
}

/// The names bound so far.
#[derive(Clone, Default)]
pub(super) struct Env<'a>(pub(super) Option<Rc<EnvNode<'a>>>);

/// One bound name.
pub(super) struct EnvNode<'a> {
    key: Key,
    bound: Option<Bound<'a>>,
    rest: Env<'a>,
}

/// What an environment knows of a LET definition.
pub(super) enum Found<'a> {
    /// Its value.
    Bound(Bound<'a>),
    /// An operator with the environment it was defined in (itself included).
    Defined(Env<'a>),
}

impl<'a> Env<'a> {
    /// This environment with one more name.
    pub(super) fn bind(&self, local: LocalId, bound: Bound<'a>) -> Env<'a> {
        self.push(Key::Local(local), Some(bound))
    }

    /// This environment with a definition of a LET; `None` for an operator to be expanded.
    pub(super) fn define(&self, definition: DefinitionId, bound: Option<Bound<'a>>) -> Env<'a> {
        self.push(Key::Definition(definition), bound)
    }

    fn push(&self, key: Key, bound: Option<Bound<'a>>) -> Env<'a> {
        Env(Some(Rc::new(EnvNode { key, bound, rest: self.clone() })))
    }

    /// What a bound name stands for.
    pub(super) fn local(&self, local: LocalId) -> Option<&Bound<'a>> {
        let mut env = self;
        while let Some(node) = &env.0 {
            if node.key == Key::Local(local) {
                return node.bound.as_ref();
            }
            env = &node.rest;
        }
        None
    }

    /// What is known of a definition.
    pub(super) fn definition(&self, definition: DefinitionId) -> Option<Found<'a>> {
        let mut env = self;
        while let Some(node) = &env.0 {
            if node.key == Key::Definition(definition) {
                return Some(match &node.bound {
                    Some(bound) => Found::Bound(bound.clone()),
                    None => Found::Defined(env.clone()),
                });
            }
            env = &node.rest;
        }
        None
    }

    /// Tells environments apart; equal numbers mean the same bindings.
    pub(super) fn identity(&self) -> usize {
        self.0.as_ref().map_or(0, |node| Rc::as_ptr(node) as usize)
    }
}

/// A slot of an outer frame that an inner one reads.
#[derive(Clone)]
pub(super) struct Capture<'a> {
    /// The outer frame and slot.
    pub(super) outer: (u32, Slot),
    /// What fills the outer slot when it is a memo slot.
    pub(super) memo: Option<Rc<Delayed<'a>>>,
}

/// The slots of the function (or entry point) being lowered.
pub(super) struct Frame<'a> {
    pub(super) id: u32,
    /// How many slots are taken. No slot is used twice, for what is bound outside of a kept value
    /// must not be overwritten when that value is made.
    pub(super) max: Slot,
    /// How many loops are around.
    pub(super) loops: u32,
    /// The first captured slot's number.
    pub(super) capture_base: Slot,
    /// Captured slots in order.
    pub(super) captures: Vec<Capture<'a>>,
}

impl Frame<'_> {
    /// Takes `n` slots.
    pub(super) fn take(&mut self, n: u16) -> Slot {
        let slot = self.max;
        self.max += n;
        slot
    }
}
