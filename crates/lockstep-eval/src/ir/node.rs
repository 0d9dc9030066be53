//! Expressions of the intermediate representation.

use std::sync::Arc;

use lockstep_syntax::Span;

use super::ActId;
use super::program::{ConstId, FunctionId, MemoId};
use crate::stdlib::Native;
use crate::value::{ModelId, Sym};

/// An expression in [`Program::nodes`](super::Program::nodes).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The place in the arena.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A standard operator of the tables.
#[derive(Clone, Copy)]
pub struct NativeRef(pub &'static Native);

impl std::ops::Deref for NativeRef {
    type Target = Native;

    fn deref(&self) -> &Native {
        self.0
    }
}

impl std::fmt::Debug for NativeRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}!{}", self.module, self.name)
    }
}

/// The operators of [`Node::Arithmetic`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `..`.
    Range,
}

/// A slot of the present frame.
pub type Slot = u16;

/// A state variable, in order of declaration. Numbers from the number of variables on are those
/// of an instantiated module under ENABLED, which have no place in a state.
pub type VarId = u16;

/// What one bound of a quantifier fills.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A slot.
    Slot(Slot),
    /// Takes a tuple apart into `n` slots from the first on.
    Tuple(Slot, u16),
}

/// `x \in S`.
#[derive(Clone, Debug)]
pub struct Bind {
    /// What is bound.
    pub target: Target,
    /// The set.
    pub set: NodeId,
    /// The bound's text, for messages.
    pub span: Span,
}

/// One step of an EXCEPT path.
#[derive(Clone, Debug)]
pub enum Step {
    /// `[i]`.
    Index(NodeId),
    /// `.a`.
    Field(Sym),
}

/// One update of an EXCEPT.
#[derive(Clone, Debug)]
pub struct Update {
    /// The path.
    pub path: Box<[Step]>,
    /// Where `@` is put.
    pub at: Slot,
    /// Whether `value` reads `@`.
    pub uses_at: bool,
    /// The new value.
    pub value: NodeId,
    /// From `!` on.
    pub span: Span,
}

/// An argument of a call that makes a new frame.
#[derive(Clone, Debug)]
pub enum Arg {
    /// Evaluated before the call; an error is kept until the parameter is read.
    Eager(NodeId),
    /// Evaluated when first read, unless the callee reads it in any case.
    Lazy(NodeId),
    /// A slot as it is.
    Slot(Slot),
    /// A memo slot: made a thunk of `body` if it is empty.
    Memo {
        /// The slot.
        slot: Slot,
        /// What fills it.
        body: NodeId,
    },
    /// An operator given as an argument.
    Operator {
        /// Its body.
        body: NodeId,
        /// The slots of its parameters, from the first on.
        params: Slot,
        /// How many parameters.
        n_params: u16,
    },
}

/// An expression that cannot be evaluated, with TLC's number and words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// TLC's error number.
    pub code: u32,
    /// The message.
    pub message: String,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Node {
    /// An integer.
    Int(i32),
    /// A Boolean.
    Bool(bool),
    /// A string.
    Str(Sym),
    /// A model value.
    Model(ModelId),
    /// A value of the configuration, thawed once per worker.
    Frozen(u32),
    /// A closed constant expression, evaluated at most once per worker.
    Const(ConstId),
    /// `BOOLEAN`.
    Booleans,
    /// `STRING`.
    Strings,
    /// A variable in the present state.
    Cur(VarId),
    /// A variable in the next state (in Init: in the state being made).
    Next(VarId),
    /// A local value.
    Local(Slot),
    /// A LET definition or an operator argument: evaluated when first read.
    Lazy {
        /// Where it is kept.
        slot: Slot,
        /// What it is.
        body: NodeId,
    },
    /// A state-level definition without arguments: at most once per state.
    StateDef {
        /// Where it is kept.
        memo: MemoId,
        /// Its body.
        function: FunctionId,
    },
    /// A state-level definition without arguments in the next state.
    NextDef {
        /// Where its value in the present state is kept.
        memo: MemoId,
        /// Its body, for the present state.
        function: FunctionId,
        /// Its body, primed: for next states that are not complete.
        otherwise: NodeId,
    },
    /// Empties memo slots, then evaluates.
    Scope {
        /// The first slot.
        lo: Slot,
        /// One past the last slot.
        hi: Slot,
        /// What is evaluated.
        body: NodeId,
    },
    /// Conjunction.
    And(Box<[NodeId]>),
    /// Disjunction.
    Or(Box<[NodeId]>),
    /// `=>`.
    Implies(NodeId, NodeId),
    /// `<=>`.
    Equivalent(NodeId, NodeId),
    /// `~`.
    Not(NodeId),
    /// IF.
    If(NodeId, NodeId, NodeId),
    /// CASE.
    Case {
        /// Guards with values.
        arms: Box<[(NodeId, NodeId)]>,
        /// OTHER.
        other: Option<NodeId>,
    },
    /// `=`.
    Equal(NodeId, NodeId),
    /// `#`.
    NotEqual(NodeId, NodeId),
    /// `\in`.
    In(NodeId, NodeId),
    /// `\notin`.
    NotIn(NodeId, NodeId),
    /// `\subseteq`.
    SubsetEq(NodeId, NodeId),
    /// `\cup`.
    Cup(NodeId, NodeId),
    /// `\cap`.
    Cap(NodeId, NodeId),
    /// `\`.
    Minus(NodeId, NodeId),
    /// `SUBSET`.
    Subset(NodeId),
    /// `UNION`.
    BigUnion(NodeId),
    /// `DOMAIN`.
    Domain(NodeId),
    /// `S \X T`.
    Product(Box<[NodeId]>),
    /// `[S -> T]`.
    FunctionSet(NodeId, NodeId),
    /// `[a : S]`; fields in the order of strings.
    RecordSet(Box<[(Sym, NodeId)]>),
    /// `{a, b}`.
    SetEnum(Box<[NodeId]>),
    /// `<<a, b>>`.
    Tuple(Box<[NodeId]>),
    /// `[a |-> e]`, in the order written.
    Record(Box<[(Sym, NodeId)]>),
    /// `{x \in S : p}`.
    Filter {
        /// The bound.
        bind: Box<Bind>,
        /// The predicate.
        body: NodeId,
    },
    /// `{e : x \in S}`.
    Map {
        /// The bounds.
        binds: Box<[Bind]>,
        /// The element.
        body: NodeId,
    },
    /// `[x \in S |-> e]`.
    Function {
        /// The bounds.
        binds: Arc<[Bind]>,
        /// The value.
        body: NodeId,
        /// Where the function itself is found, if its body mentions it.
        itself: Option<Slot>,
    },
    /// `\A`, `\E`.
    Quantified {
        /// Whether it is `\A`.
        for_all: bool,
        /// The bounds.
        binds: Box<[Bind]>,
        /// The body.
        body: NodeId,
    },
    /// `CHOOSE x \in S : p`.
    Choose {
        /// The bound.
        bind: Box<Bind>,
        /// The predicate.
        body: NodeId,
    },
    /// `f[x]`.
    Apply(NodeId, NodeId),
    /// `r.a`.
    Field(NodeId, Sym),
    /// `[f EXCEPT …]`.
    Except {
        /// The function.
        base: NodeId,
        /// The updates.
        updates: Box<[Update]>,
    },
    /// An operator of Naturals or Integers that is common enough to have its own code.
    Arithmetic {
        /// Which.
        op: Arithmetic,
        /// The same as a standard operator, for what is no integer.
        native: NativeRef,
        /// The arguments.
        args: [NodeId; 2],
    },
    /// A standard operator.
    Native {
        /// Which.
        native: NativeRef,
        /// The arguments.
        args: Box<[NodeId]>,
    },
    /// A standard operator that takes operators or decides itself what to evaluate.
    NativeSpecial {
        /// Which.
        native: NativeRef,
        /// The arguments.
        args: Box<[Arg]>,
    },
    /// A call of a definition that has its own frame.
    Call {
        /// Which.
        function: FunctionId,
        /// One a parameter, then one a captured slot.
        args: Box<[Arg]>,
    },
    /// A call of an operator parameter.
    CallOperator {
        /// Where the operator is.
        slot: Slot,
        /// The arguments.
        args: Box<[Arg]>,
    },
    /// `ENABLED A`.
    Enabled {
        /// The action.
        action: ActId,
        /// How many variables it has besides those of the state.
        n_virtual: u16,
        /// Whether it is asked of the next state.
        primed: bool,
    },
    /// An action where a value is needed: tested, all variables it reads being there.
    Action(ActId),
    /// An operator constant given point by point: arguments (frozen tuples) with results.
    Pointwise {
        /// The name, for messages.
        name: Box<str>,
        /// The arguments.
        args: Box<[NodeId]>,
        /// Arguments with result, all constants.
        points: Box<[(Box<[NodeId]>, NodeId)]>,
    },
    /// Counts an evaluation, then evaluates. Only made when expressions are counted.
    Count {
        /// Where it is counted, in [`Costs`](super::Costs).
        counter: u32,
        /// What is evaluated.
        body: NodeId,
    },
    /// A set that is going to be enumerated: counts the steps that takes, then is the set.
    Enumerate {
        /// Where it is counted.
        counter: u32,
        /// The set.
        body: NodeId,
    },
    /// What cannot be evaluated.
    Fail(Box<Failure>),
}
