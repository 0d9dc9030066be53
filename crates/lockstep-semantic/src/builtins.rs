//! The operators that every module knows without a definition.
//!
//! Names are the canonical ones of the operator table; the other spellings are accepted as well, so
//! that this table does not depend on which one the parser picked.

use crate::hir::{Builtin, Level};

/// What a predefined name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Predefined {
    /// An operator with plain arguments.
    Operator(Builtin),
    /// `/\`.
    And,
    /// `\/`.
    Or,
}

impl Predefined {
    /// Number of arguments; for `\X` the smallest.
    pub(crate) fn arity(self) -> usize {
        match self {
            Predefined::And | Predefined::Or => 2,
            Predefined::Operator(builtin) => arity(builtin),
        }
    }
}

/// Every predefined name with its meaning.
pub(crate) const PREDEFINED: &[(&str, Predefined)] = &[
    ("TRUE", Predefined::Operator(Builtin::True)),
    ("FALSE", Predefined::Operator(Builtin::False)),
    ("BOOLEAN", Predefined::Operator(Builtin::Boolean)),
    ("STRING", Predefined::Operator(Builtin::StringSet)),
    ("\\lnot", Predefined::Operator(Builtin::Not)),
    ("\\neg", Predefined::Operator(Builtin::Not)),
    ("~", Predefined::Operator(Builtin::Not)),
    ("=>", Predefined::Operator(Builtin::Implies)),
    ("\\equiv", Predefined::Operator(Builtin::Equivalent)),
    ("<=>", Predefined::Operator(Builtin::Equivalent)),
    ("=", Predefined::Operator(Builtin::Equal)),
    ("/=", Predefined::Operator(Builtin::NotEqual)),
    ("#", Predefined::Operator(Builtin::NotEqual)),
    ("\\in", Predefined::Operator(Builtin::In)),
    ("\\notin", Predefined::Operator(Builtin::NotIn)),
    ("\\subseteq", Predefined::Operator(Builtin::SubsetEq)),
    ("\\union", Predefined::Operator(Builtin::Cup)),
    ("\\cup", Predefined::Operator(Builtin::Cup)),
    ("\\intersect", Predefined::Operator(Builtin::Cap)),
    ("\\cap", Predefined::Operator(Builtin::Cap)),
    ("\\", Predefined::Operator(Builtin::SetMinus)),
    ("SUBSET", Predefined::Operator(Builtin::Subset)),
    ("UNION", Predefined::Operator(Builtin::Union)),
    ("DOMAIN", Predefined::Operator(Builtin::Domain)),
    ("'", Predefined::Operator(Builtin::Prime)),
    ("UNCHANGED", Predefined::Operator(Builtin::Unchanged)),
    ("ENABLED", Predefined::Operator(Builtin::Enabled)),
    ("\\cdot", Predefined::Operator(Builtin::Cdot)),
    ("[]", Predefined::Operator(Builtin::Always)),
    ("<>", Predefined::Operator(Builtin::Eventually)),
    ("~>", Predefined::Operator(Builtin::LeadsTo)),
    ("-+->", Predefined::Operator(Builtin::Guarantees)),
    ("\\times", Predefined::Operator(Builtin::Product)),
    ("\\X", Predefined::Operator(Builtin::Product)),
    ("\\land", Predefined::And),
    ("/\\", Predefined::And),
    ("\\lor", Predefined::Or),
    ("\\/", Predefined::Or),
];

/// Number of arguments of a predefined operator (the smallest for `\X`).
pub(crate) fn arity(builtin: Builtin) -> usize {
    match builtin {
        Builtin::True | Builtin::False | Builtin::Boolean | Builtin::StringSet => 0,
        Builtin::Not
        | Builtin::Subset
        | Builtin::Union
        | Builtin::Domain
        | Builtin::Prime
        | Builtin::Unchanged
        | Builtin::Enabled
        | Builtin::Always
        | Builtin::Eventually => 1,
        Builtin::Implies
        | Builtin::Equivalent
        | Builtin::Equal
        | Builtin::NotEqual
        | Builtin::In
        | Builtin::NotIn
        | Builtin::SubsetEq
        | Builtin::Cup
        | Builtin::Cap
        | Builtin::SetMinus
        | Builtin::Cdot
        | Builtin::LeadsTo
        | Builtin::Guarantees
        | Builtin::Product
        | Builtin::FunctionSet => 2,
    }
}

/// How a predefined operator is written in messages.
pub(crate) fn spelling(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::True => "TRUE",
        Builtin::False => "FALSE",
        Builtin::Boolean => "BOOLEAN",
        Builtin::StringSet => "STRING",
        Builtin::Not => "~",
        Builtin::Implies => "=>",
        Builtin::Equivalent => "<=>",
        Builtin::Equal => "=",
        Builtin::NotEqual => "#",
        Builtin::In => "\\in",
        Builtin::NotIn => "\\notin",
        Builtin::SubsetEq => "\\subseteq",
        Builtin::Cup => "\\cup",
        Builtin::Cap => "\\cap",
        Builtin::SetMinus => "\\",
        Builtin::Subset => "SUBSET",
        Builtin::Union => "UNION",
        Builtin::Domain => "DOMAIN",
        Builtin::Prime => "'",
        Builtin::Unchanged => "UNCHANGED",
        Builtin::Enabled => "ENABLED",
        Builtin::Cdot => "\\cdot",
        Builtin::Always => "[]",
        Builtin::Eventually => "<>",
        Builtin::LeadsTo => "~>",
        Builtin::Guarantees => "-+->",
        Builtin::Product => "\\X",
        Builtin::FunctionSet => "[S -> T]",
    }
}

/// The levels of a predefined operator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuiltinLevels {
    /// The level of an application whose arguments do not count.
    pub(crate) own: Level,
    /// The highest level of any argument.
    pub(crate) max: Level,
    /// Whether the level of an argument passes to the application.
    pub(crate) passes: bool,
    /// Whether equal arguments give equal results in one state (Leibniz' rule).
    pub(crate) leibniz: bool,
}

/// The level rule of a predefined operator.
pub(crate) fn levels(builtin: Builtin) -> BuiltinLevels {
    let plain = |max| BuiltinLevels { own: Level::Constant, max, passes: true, leibniz: true };
    let modal = |own, max| BuiltinLevels { own, max, passes: false, leibniz: false };
    match builtin {
        Builtin::True | Builtin::False | Builtin::Boolean | Builtin::StringSet => {
            plain(Level::Temporal)
        }
        Builtin::Not | Builtin::Implies | Builtin::Equivalent => plain(Level::Temporal),
        Builtin::Equal
        | Builtin::NotEqual
        | Builtin::In
        | Builtin::NotIn
        | Builtin::SubsetEq
        | Builtin::Cup
        | Builtin::Cap
        | Builtin::SetMinus
        | Builtin::Subset
        | Builtin::Union
        | Builtin::Domain
        | Builtin::Product
        | Builtin::FunctionSet => plain(Level::Action),
        Builtin::Prime => modal(Level::Action, Level::State),
        Builtin::Unchanged => modal(Level::Action, Level::State),
        Builtin::Enabled => modal(Level::State, Level::Action),
        Builtin::Cdot => modal(Level::Action, Level::Action),
        Builtin::Always | Builtin::Eventually | Builtin::LeadsTo | Builtin::Guarantees => {
            modal(Level::Temporal, Level::Temporal)
        }
    }
}
