//! The standard and community modules: their TLA+ text and their native operators.
//!
//! A module is TLA+ text of our own writing (`modules/NAME.tla`) and, where a definition cannot be
//! evaluated or would be slow, a row in that module's table of natives. Natives apply by module
//! name, operator name and arity, also when the text came from a file on the search path. An
//! operator without a row is evaluated by its definition.

mod args;
mod bags;
mod bags_ext;
mod bitwise;
mod csv;
mod finite_sets;
mod finite_sets_ext;
mod functions;
mod graphs;
mod io_utils;
mod json;
mod numbers;
mod randomization;
mod sequences;
mod sequences_ext;
mod svg;
#[cfg(test)]
mod tests;
mod tlc;
mod tlc_ext;

use std::rc::Rc;

use lockstep_syntax::operators::canonical_name;

use crate::error::EvalResult;
use crate::value::{Closure, Ctx, Value};

pub use json::{from_json, to_json};
pub use tlc::sort_by;

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

/// What besides its arguments a native operator reads or does. Only results of [`Effect::Pure`]
/// may be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    Pure,
    /// Reads the state of the search, a register or the outside.
    Reads,
    /// Prints, sets a register, draws a random number, or changes the outside.
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
    /// Its canonical name.
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

impl Native {
    /// Marks a row that reads the state of the search or the outside.
    const fn reads(mut self) -> Self {
        self.effect = Effect::Reads;
        self
    }

    /// Whether it does more than compute: prints, sets, draws, writes or runs something.
    pub fn changes_the_outside(&self) -> bool {
        self.effect == Effect::Acts
    }

    /// Marks a row that does more than compute.
    const fn acts(mut self) -> Self {
        self.effect = Effect::Acts;
        self
    }
}

/// A row whose arguments are all values.
const fn strict(
    module: &'static str,
    name: &'static str,
    params: &'static [Param],
    doc: &'static str,
    run: fn(&mut Ctx, &[Value]) -> EvalResult<Value>,
) -> Native {
    Native { module, name, params, effect: Effect::Pure, doc, run: Run::Strict(run) }
}

/// A row with operators or unevaluated expressions among its arguments.
const fn mixed(
    module: &'static str,
    name: &'static str,
    params: &'static [Param],
    doc: &'static str,
    run: fn(&mut Ctx, &[NativeArg]) -> EvalResult<Value>,
) -> Native {
    Native { module, name, params, effect: Effect::Pure, doc, run: Run::Mixed(run) }
}

/// Parameter lists of strict operators by arity.
const V0: &[Param] = &[];
const V1: &[Param] = &[Param::Value];
const V2: &[Param] = &[Param::Value; 2];
const V3: &[Param] = &[Param::Value; 3];
const V4: &[Param] = &[Param::Value; 4];

/// Every module's table.
const TABLES: &[&[Native]] = &[
    numbers::TABLE,
    sequences::TABLE,
    finite_sets::TABLE,
    bags::TABLE,
    tlc::TABLE,
    tlc_ext::TABLE,
    randomization::TABLE,
    json::TABLE,
    functions::TABLE,
    finite_sets_ext::TABLE,
    sequences_ext::TABLE,
    bags_ext::TABLE,
    bitwise::TABLE,
    graphs::TABLE,
    io_utils::TABLE,
    csv::TABLE,
    svg::TABLE,
];

/// All native operators.
pub fn natives() -> impl Iterator<Item = &'static Native> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The native operator of that module, name (any spelling) and arity.
pub fn native(module: &str, name: &str, arity: usize) -> Option<&'static Native> {
    let matches = |it: &&Native, name: &str| {
        it.name == name && it.module == module && it.params.len() == arity
    };
    natives().find(|it| matches(it, name)).or_else(|| {
        let name = canonical_name(name)?;
        natives().find(|it| matches(it, name))
    })
}

macro_rules! modules {
    ($($name:literal)*) => {
        /// The modules that are built in.
        pub const MODULES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("modules/", $name, ".tla")))),*];
    };
}

modules! {
    "Apalache" "Bags" "BagsExt" "Bitwise" "CSV" "Combinatorics" "DifferentialEquations"
    "DyadicRationals" "FiniteSets" "FiniteSetsExt" "Folds" "Functions" "GraphViz" "Graphs" "HTML"
    "IOUtils" "Integers" "Json" "Naturals" "Option" "Peano" "ProtoReals" "Quorum" "Randomization"
    "RealTime" "Reals" "Relation" "SVG" "Sequences" "SequencesExt" "ShiViz" "Statistics" "TLAPS"
    "TLC" "TLCExt" "Toolbox" "UndirectedGraphs" "Variants" "VectorClocks" "_Possible"
}

/// The text of a built-in module.
pub fn module_source(name: &str) -> Option<&'static str> {
    MODULES.iter().find(|(it, _)| *it == name).map(|(_, text)| *text)
}
