//! The configuration language of TLC models (`.cfg`): what a file says, not what it means.

use lockstep_syntax::Span;
use lockstep_syntax::ast::Name;

/// A name with its place. `M!Inv` is kept as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigName {
    /// The name.
    pub name: Name,
    /// Its place.
    pub span: Span,
}

/// A value of a configuration file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConfigValue {
    /// An integer, never negative.
    Integer(i64),
    /// A string.
    String(Name),
    /// TRUE or FALSE.
    Boolean(bool),
    /// `{v, …}`.
    Set(Vec<ConfigValue>),
    /// Any other token.
    ModelValue(Name),
}

/// One line of CONSTANTS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantBinding {
    /// The left side; `A!B!c` as written.
    pub name: ConfigName,
    /// `Op(1, {a}) = v`: the arguments.
    pub args: Option<Vec<ConfigValue>>,
    /// `[Mod]` after the arrow or equals sign: only inside that module.
    pub module: Option<ConfigName>,
    /// The right side.
    pub to: ConstantTarget,
    /// The whole line.
    pub span: Span,
}

/// The right side of a constant's line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConstantTarget {
    /// `= value`.
    Value(ConfigValue),
    /// `<- Definition`.
    Definition(ConfigName),
}

/// A configuration file.
///
/// TLC reads it before any module, so its tokens and strings come before those of the specification
/// in the order of strings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// CONSTANT lines.
    pub constants: Vec<ConstantBinding>,
    /// INIT.
    pub init: Option<ConfigName>,
    /// NEXT.
    pub next: Option<ConfigName>,
    /// SPECIFICATION.
    pub specification: Option<ConfigName>,
    /// INVARIANTS.
    pub invariants: Vec<ConfigName>,
    /// PROPERTIES.
    pub properties: Vec<ConfigName>,
    /// CONSTRAINTS.
    pub constraints: Vec<ConfigName>,
    /// ACTION_CONSTRAINTS.
    pub action_constraints: Vec<ConfigName>,
    /// SYMMETRY.
    pub symmetry: Option<ConfigName>,
    /// VIEW.
    pub view: Option<ConfigName>,
    /// ALIAS.
    pub alias: Option<ConfigName>,
    /// POSTCONDITIONS.
    pub postconditions: Vec<ConfigName>,
    /// CHECK_DEADLOCK.
    pub check_deadlock: Option<bool>,
    /// _PERIODIC.
    pub periodic: Option<ConfigName>,
    /// _RL_REWARD.
    pub rl_reward: Option<ConfigName>,
    /// _POSSIBLE.
    pub possible: Vec<ConfigName>,
    /// Tokens and strings in the order of their first occurrence.
    pub symbols: Vec<Name>,
}
