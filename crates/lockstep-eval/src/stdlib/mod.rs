//! The standard and community modules: their TLA+ text and their native operators.
//!
//! A module is TLA+ text of our own writing (`modules/NAME.tla`) and, where TLC evaluates an
//! operator natively or the definition would be slow, a row in that module's table of natives.
//! Natives apply by module name, operator name and arity, also when the text came from a file on
//! the search path. An operator without a row is evaluated by its definition.

use crate::error::EvalResult;
use crate::value::{Closure, Ctx, Value};
use std::rc::Rc;

/// How one argument reaches a native operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Param {
    /// Evaluated.
    Value,
    /// An operator of this arity.
    Operator(u8),
    /// Not evaluated: a closure without arguments.
    Thunk,
}

/// What besides its arguments a native operator reads or does. Only [`Effect::Pure`] results may
/// be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    Pure,
    /// Reads the state of the search or a register.
    Reads,
    /// Prints, sets a register, draws a random number, or leaves the program.
    Acts,
}

/// One argument of a native operator.
#[derive(Clone)]
pub enum NativeArg {
    /// A value.
    Value(Value),
    /// An operator, or for [`Param::Thunk`] an unevaluated expression.
    Operator(Rc<dyn Closure>),
}

/// The code of a native operator.
#[derive(Clone, Copy)]
pub enum Run {
    /// All arguments are values.
    Strict(fn(&mut Ctx, &[Value]) -> EvalResult<Value>),
    /// Some arguments are operators or unevaluated.
    Mixed(fn(&mut Ctx, &[NativeArg]) -> EvalResult<Value>),
}

/// A native operator.
#[derive(Clone, Copy)]
pub struct Native {
    /// The module that defines it.
    pub module: &'static str,
    /// Its name as in the definition; infix operators by their canonical symbol.
    pub name: &'static str,
    /// How its arguments are passed; the length is the arity.
    pub params: &'static [Param],
    /// What else it does.
    pub effect: Effect,
    /// One line for people.
    pub doc: &'static str,
    /// The code.
    pub run: Run,
}

/// Every module's table.
const TABLES: &[&[Native]] = &[];

/// All native operators.
pub fn natives() -> impl Iterator<Item = &'static Native> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The native operator of that module, name and arity.
pub fn native(module: &str, name: &str, arity: usize) -> Option<&'static Native> {
    natives().find(|it| it.name == name && it.module == module && it.params.len() == arity)
}
