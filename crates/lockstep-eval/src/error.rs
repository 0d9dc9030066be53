//! Evaluation errors: what went wrong, where, with which values.
//!
//! An [`EvalError`] is data about the user's specification, never an internal bug. The message is
//! in TLC's words where people look for them. The place and the stack of definitions are added by
//! the evaluator on the way up; operators of this crate's value layer only give the message.

use std::fmt;

use lockstep_syntax::source::Span;

use crate::ir::ActId;

/// The result of anything that evaluates. Errors are boxed: the happy path stays small.
pub type EvalResult<T> = Result<T, Box<EvalError>>;

/// TLC's numbers for the errors that tools look for.
pub mod code {
    /// Any error without a number of its own.
    pub const GENERAL: u32 = 1000;
    /// `Assert(FALSE, m)`.
    pub const ASSERT: u32 = 2132;
    /// The value of a definition could not be computed by its native implementation.
    pub const MODULE_OVERRIDE: u32 = 2154;
    /// A set grew beyond the limit.
    pub const SET_TOO_LARGE: u32 = 2152;
    /// An argument of a standard operator has the wrong kind ("should be a ...").
    pub const ARGUMENT: u32 = 2169;
    /// The same in the words "should be an ...".
    pub const ARGUMENT_AN: u32 = 2266;
    /// A standard operator was applied to a value of the wrong kind.
    pub const APPLYING: u32 = 2180;
    /// The cardinality of what is no finite set.
    pub const CARDINALITY: u32 = 2181;
    /// A sequence operator was applied to what is no sequence.
    pub const NOT_A_SEQUENCE: u32 = 2182;
    /// An index of `SubSeq` is outside the sequence.
    pub const INDEX: u32 = 2183;
    /// `Head` or `Tail` of the empty sequence.
    pub const EMPTY_SEQUENCE: u32 = 2184;
    /// `Len` of what is no sequence.
    pub const LEN: u32 = 2283;
    /// An initial state leaves a variable without a value.
    pub const INIT_INCOMPLETE: u32 = 2106;
    /// A successor leaves a variable without a value.
    pub const NEXT_INCOMPLETE: u32 = 2109;
    /// The action of a fairness condition leaves a variable of its subscript without a value.
    pub const UNSPECIFIED: u32 = 2148;
    /// `TLCGet` of a register that was never set.
    pub const REGISTER_UNDEFINED: u32 = 2145;
    /// Division by zero.
    pub const DIVISION_BY_ZERO: u32 = 2179;
    /// An integer does not fit 32 bits.
    pub const OVERFLOW: u32 = 2178;
    /// A number in the text does not fit 32 bits.
    pub const NUMBER_TOO_BIG: u32 = 2265;
    /// Kinds that cannot be compared.
    pub const INCOMPARABLE: u32 = 2150;
    /// A set cannot be enumerated.
    pub const NOT_ENUMERABLE: u32 = 2153;
    /// A function was applied outside its domain.
    pub const NOT_IN_DOMAIN: u32 = 2136;
    /// Somebody ended the evaluation.
    pub const INTERRUPTED: u32 = 2;
    /// Evaluation went too deep.
    pub const TOO_DEEP: u32 = 1005;

    /// Whether a standard operator raised the error about its arguments. TLC tells these apart
    /// from errors of the language itself: they have their own numbers, and another exit status.
    pub fn is_of_operator(code: u32) -> bool {
        matches!(code, ARGUMENT..=EMPTY_SEQUENCE | ARGUMENT_AN | LEN)
    }
}

/// The most frames that an error keeps.
pub const MAX_FRAMES: usize = 1000;

/// How many of these are the outermost ones.
const OUTERMOST: usize = 12;

/// One entry of the chain of definitions and expressions that led to an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What was evaluated: a definition's name, or a construct such as `\A`.
    pub name: String,
    /// Where it is used, or where it stands if it is not used by an expression.
    pub span: Option<Span>,
}

/// What went wrong during evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError {
    /// TLC's error number, [`code::GENERAL`] when it has none.
    pub code: u32,
    /// The message in TLC's words; may have several lines.
    pub message: String,
    /// The innermost expression that failed.
    pub span: Option<Span>,
    /// The values involved, as text.
    pub values: Vec<String>,
    /// The definitions and expressions under evaluation, innermost first.
    pub stack: Vec<Frame>,
    /// The state that lacks values of variables, if that is the error.
    pub partial: Option<Box<Partial>>,
    /// The innermost action that the error arose in. What is left to do after a conjunct runs
    /// inside of that conjunct's call, so being called from an action is not being a part of it.
    pub(crate) act: Option<ActId>,
}

/// A state in which not all variables have values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// The number of the action that leads to it; of an initial state there is none.
    pub action: Option<u32>,
    /// The values as bytes, see [`crate::value::encode`], in the order of the variables.
    pub values: Vec<Option<Vec<u8>>>,
}

impl EvalError {
    /// An error with a code and a message.
    #[cold]
    pub fn new(code: u32, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            code,
            message: message.into(),
            span: None,
            values: Vec::new(),
            stack: Vec::new(),
            partial: None,
            act: None,
        })
    }

    /// An error without a number of its own.
    #[cold]
    pub fn general(message: impl Into<String>) -> Box<Self> {
        Self::new(code::GENERAL, message)
    }

    /// Adds the values involved.
    #[must_use]
    pub fn with_values(mut self: Box<Self>, values: Vec<String>) -> Box<Self> {
        self.values = values;
        self
    }

    /// Adds the state that lacks values.
    #[must_use]
    pub fn with_partial(mut self: Box<Self>, partial: Partial) -> Box<Self> {
        self.partial = Some(Box::new(partial));
        self
    }

    /// Sets the place unless an inner one is known.
    #[must_use]
    pub fn at(mut self: Box<Self>, span: Span) -> Box<Self> {
        if self.span.is_none() {
            self.span = Some(span);
        }
        self
    }

    /// Adds an outer frame.
    #[must_use]
    pub fn within(mut self: Box<Self>, name: impl Into<String>, span: Option<Span>) -> Box<Self> {
        // A runaway recursion would otherwise make an error as large as its stack. Where it
        // happened and where it began tell more than what lies between.
        if self.stack.len() >= MAX_FRAMES {
            self.stack.remove(MAX_FRAMES - OUTERMOST);
        }
        self.stack.push(Frame { name: name.into(), span });
        self
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EvalError {}
