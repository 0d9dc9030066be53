//! A value of TLA+ as a report needs it: a tree without sharing, laziness or hashes.
//!
//! Not the evaluator's value. Sets are listed in normal order, functions in the order of their
//! normalised domain, record fields in the order in which they are to be printed.

/// A value, for printing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// TRUE or FALSE.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer that needs more than 64 bits, in decimal digits.
    BigInt(String),
    /// A string, without its quotes and unescaped.
    Str(String),
    /// A model value.
    Model(String),
    /// `{a, b}`, in normal order.
    Set(Vec<Value>),
    /// `a..b`, where it was built so.
    Interval(i64, i64),
    /// `<<a, b>>`.
    Tuple(Vec<Value>),
    /// `[a |-> 1]`.
    Record(Vec<(String, Value)>),
    /// `(a :> 1 @@ b :> 2)`, in the order of the domain. The empty function is the empty tuple.
    Function(Vec<(Value, Value)>),
    /// What has no finite listing (`Nat`, `[S -> T]`, an operator): the text that TLC prints.
    Symbolic(String),
}
