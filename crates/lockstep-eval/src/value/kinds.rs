//! What kind of thing a value is, in words, for error messages.

use super::{LazyKind, Value};

/// The phrase that TLC uses for a value's kind, as in `an integer`.
pub fn kind_phrase(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "a boolean",
        Value::Int(_) => "an integer",
        Value::Str(_) => "a string",
        Value::Model(_) => "a model value",
        Value::Interval(..) => "a set of the form i..j",
        Value::Set(_) => "a set of the form {e1, ... ,eN}",
        Value::Tuple(_) => "a tuple",
        Value::Record(_) => "a record",
        Value::Function(_) => "a function  of the form (d1 :> e1 @@ ... @@ dN :> eN)",
        Value::Lazy(node) => match &node.kind {
            LazyKind::Nat
            | LazyKind::Int
            | LazyKind::Real
            | LazyKind::Strings
            | LazyKind::Any
            | LazyKind::Seq(_) => "a special set constant",
            LazyKind::Subset(_) => "a set of the form SUBSET S",
            LazyKind::FunctionSet { .. } => "a set of the form [S -> T]",
            LazyKind::RecordSet { .. } => "a set of the form [d1 : S1, ... , dN : SN]",
            LazyKind::Product(_) => "a cartesian product",
            LazyKind::BigUnion(_) => "a set of the form UNION S",
            LazyKind::Cup(..) => "a set of the form S \\cup T",
            LazyKind::Cap(..) => "a set of the form S \\cap T",
            LazyKind::Diff(..) => "a set of the form S \\ T",
            LazyKind::Filter { .. } => "a set of the form {x \\in S : P(x)}",
            LazyKind::Lambda { .. } => "a function of the form  [x \\in S |-> expr]",
        },
    }
}
