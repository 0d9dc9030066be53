//! The syntax tree of TLA+2: what was written, before any name means anything.
//!
//! Expressions of one file live in an arena (`Ast::exprs`) and are named by `ExprId`, so a tree is
//! compact, has no recursive drop, and later phases can keep tables beside it. The tree keeps
//! what the printer needs (parentheses, junction lists) and nothing else of the layout; comments
//! are dropped.

use crate::source::{FileId, Span};

/// A name of the specification. Short names are stored inline.
pub type Name = smol_str::SmolStr;

/// An expression of one [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

/// The tree of one file.
#[derive(Clone, Debug)]
pub struct Ast {
    /// The file.
    pub file: FileId,
    /// All expressions, children before parents where possible.
    pub exprs: Vec<Expr>,
    /// The top-level modules in the order of the file (a "monolith" has several).
    pub modules: Vec<Module>,
}

impl Ast {
    /// The expression behind an id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }
}

/// A name with its place. Operators are named canonically: `\leq` and `=<` both give `\leq`
/// (see `operators::OPERATORS`), prefix minus is `-.`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The canonical name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// `---- MODULE Name ---- … ====`.
#[derive(Clone, Debug)]
pub struct Module {
    /// The module's name.
    pub name: Ident,
    /// From the first dash to the last equals sign.
    pub span: Span,
    /// The modules of `EXTENDS`.
    pub extends: Vec<Ident>,
    /// The units in order.
    pub units: Vec<Unit>,
}

/// One unit of a module, or one definition of a LET.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The whole text of the unit, `LOCAL` included.
    pub span: Span,
    /// Whether `LOCAL` stands before it.
    pub local: bool,
    /// What it is.
    pub kind: UnitKind,
}

/// The kinds of units.
#[derive(Clone, Debug)]
pub enum UnitKind {
    /// `CONSTANTS a, F(_), _+_`.
    Constants(Vec<OperatorDecl>),
    /// `VARIABLES x, y`.
    Variables(Vec<Ident>),
    /// `RECURSIVE F(_), G`.
    Recursive(Vec<OperatorDecl>),
    /// `F(a, G(_)) == e`, `a + b == e`, `-. a == e`, `a^+ == e`, `x == e`.
    Operator(OperatorDefinition),
    /// `f[x \in S, y \in T] == e`.
    Function(FunctionDefinition),
    /// `N(x) == INSTANCE M WITH …`.
    ModuleDefinition {
        /// The instance's name.
        name: Ident,
        /// Its parameters.
        params: Vec<OperatorDecl>,
        /// What is instantiated.
        instance: Instance,
    },
    /// `INSTANCE M WITH …`.
    Instance(Instance),
    /// `ASSUME Name == e`; `AXIOM` is told apart because TLC does not evaluate it.
    Assume {
        /// `ASSUME` or `ASSUMPTION` (not `AXIOM`).
        checked: bool,
        /// The optional name.
        name: Option<Ident>,
        /// The fact (an expression; SANY allows an ASSUME/PROVE only in theorems).
        body: ExprId,
    },
    /// `THEOREM Name == e PROOF …`.
    Theorem {
        /// The optional name.
        name: Option<Ident>,
        /// An expression; [`ExprKind::AssumeProve`] where it is one.
        body: ExprId,
        /// The proof.
        proof: Option<Proof>,
    },
    /// `USE …` or `HIDE …`.
    UseOrHide(UseOrHide),
    /// A nested module.
    Module(Box<Module>),
    /// `----`.
    Separator,
    /// Text that could not be parsed; an error was reported.
    Error,
}

/// A declared operator or parameter: `x`, `F(_, _)`, `_+_`, `-._`, `_^+`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatorDecl {
    /// The name.
    pub name: Ident,
    /// The number of arguments.
    pub arity: u32,
}

/// An operator definition. For infix, prefix and postfix symbols the name is the symbol.
#[derive(Clone, Debug)]
pub struct OperatorDefinition {
    /// The name.
    pub name: Ident,
    /// The parameters.
    pub params: Vec<OperatorDecl>,
    /// The body; in proofs' `DEFINE` too. May be an [`ExprKind::AssumeProve`] only in theorems.
    pub body: ExprId,
}

/// `f[x \in S] == e`.
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    /// The name.
    pub name: Ident,
    /// The arguments with their sets.
    pub binders: Vec<Binder>,
    /// The body.
    pub body: ExprId,
}

/// `INSTANCE M WITH a <- e`.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The module.
    pub module: Ident,
    /// The substitutions. An operator argument is a bare name, a symbol or a LAMBDA.
    pub substitutions: Vec<(Ident, ExprId)>,
    /// From `INSTANCE` to its end.
    pub span: Span,
}

/// `x, y \in S` or `<<x, y>> \in S`.
#[derive(Clone, Debug)]
pub struct Binder {
    /// What is bound.
    pub pattern: Pattern,
    /// The set.
    pub set: ExprId,
}

/// The left side of a binder.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `x, y`: each ranges over the set.
    Names(Vec<Ident>),
    /// `<<x, y>>`: taken apart.
    Tuple(Vec<Ident>),
}

impl Pattern {
    /// The names bound.
    pub fn names(&self) -> &[Ident] {
        match self {
            Pattern::Names(names) | Pattern::Tuple(names) => names,
        }
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its text.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// Conjunction or disjunction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JunctionKind {
    /// `/\`.
    And,
    /// `\/`.
    Or,
}

/// Quantifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `\A`.
    ForAll,
    /// `\E`.
    Exists,
    /// `\AA`.
    TemporalForAll,
    /// `\EE`.
    TemporalExists,
}

/// One step of a general name such as `A!B(x)!C(y)!1!<<`.
#[derive(Clone, Debug)]
pub struct PathStep {
    /// What is selected.
    pub selector: Selector,
    /// The arguments in parentheses after it; empty if there are none.
    pub args: Vec<ExprId>,
    /// The text of the step, arguments included.
    pub span: Span,
}

/// What a step of a general name selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// An identifier or an operator symbol in nonfix form.
    Name(Name),
    /// `!3`.
    Number(u32),
    /// `!<<`.
    First,
    /// `!>>`.
    Last,
    /// `!@`.
    Body,
    /// `!:`.
    Colon,
    /// `!(a, b)`: only arguments, instantiating bound names.
    Arguments,
}

/// One arm of a CASE.
#[derive(Clone, Debug)]
pub struct CaseArm {
    /// The guard.
    pub guard: ExprId,
    /// The value.
    pub value: ExprId,
    /// From the guard to the value.
    pub span: Span,
}

/// One `![i].a = e` of an EXCEPT.
#[derive(Clone, Debug)]
pub struct ExceptUpdate {
    /// The path.
    pub path: Vec<ExceptStep>,
    /// The new value.
    pub value: ExprId,
    /// From `!` to the value's end.
    pub span: Span,
}

/// One step of an EXCEPT path.
#[derive(Clone, Debug)]
pub enum ExceptStep {
    /// `[i, j]`.
    Index(Vec<ExprId>),
    /// `.a`.
    Field(Ident),
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Text that could not be parsed; an error was reported.
    Error,
    /// `12`, `\b101`, `\o17`, `\hff`: the text as written.
    Number(Name),
    /// `1.5`.
    Decimal(Name),
    /// `"text"`, escapes resolved.
    String(Name),
    /// `@`.
    At,
    /// A general name, applied if its last step has arguments: `x`, `F(a, b)`, `A!B(x)!C`, `+`
    /// (a symbol as an operator argument or in nonfix form). `TRUE`, `FALSE`, `BOOLEAN`,
    /// `STRING` are names too.
    Name(Vec<PathStep>),
    /// `~e`, `-e`, `[]F`, `<>F`, `ENABLED A`, `UNCHANGED e`, `SUBSET S`, `UNION S`, `DOMAIN f`.
    Prefix {
        /// The canonical operator.
        op: Ident,
        /// The operand.
        arg: ExprId,
    },
    /// `a + b` and so on, also infix `/\` and `\/`, `=`, `\in`, `~>`, `-+->`, `\cdot`.
    Infix {
        /// The canonical operator.
        op: Ident,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// `e'`, `R^+`.
    Postfix {
        /// The canonical operator.
        op: Ident,
        /// The operand.
        arg: ExprId,
    },
    /// `a \X b \X c`, two or more factors.
    Product(Vec<ExprId>),
    /// A bulleted list of one or more items.
    Junction {
        /// Which list.
        kind: JunctionKind,
        /// The items.
        items: Vec<ExprId>,
    },
    /// `(e)`.
    Parens(ExprId),
    /// `f[a, b]`.
    Apply {
        /// The function.
        function: ExprId,
        /// One or more arguments.
        args: Vec<ExprId>,
    },
    /// `r.a`.
    Field {
        /// The record.
        record: ExprId,
        /// The field.
        field: Ident,
    },
    /// `<<a, b>>`.
    Tuple(Vec<ExprId>),
    /// `{a, b}`.
    SetEnum(Vec<ExprId>),
    /// `{x \in S : p}`, `{<<x, y>> \in S : p}`.
    SetFilter {
        /// The single binder (with one name, or a tuple).
        binder: Binder,
        /// The predicate.
        body: ExprId,
    },
    /// `{e : x \in S, y \in T}`.
    SetMap {
        /// The element.
        body: ExprId,
        /// The binders.
        binders: Vec<Binder>,
    },
    /// `[x \in S |-> e]`.
    Function {
        /// The binders.
        binders: Vec<Binder>,
        /// The value.
        body: ExprId,
    },
    /// `[S -> T]`.
    FunctionSet {
        /// The domain.
        domain: ExprId,
        /// The range.
        range: ExprId,
    },
    /// `[a |-> e, b |-> f]`.
    Record(Vec<(Ident, ExprId)>),
    /// `[a : S, b : T]`.
    RecordSet(Vec<(Ident, ExprId)>),
    /// `[f EXCEPT ![i] = e]`.
    Except {
        /// The function or record.
        base: ExprId,
        /// The updates, left to right.
        updates: Vec<ExceptUpdate>,
    },
    /// `\A x \in S, <<y, z>> \in T : p`.
    Quantified {
        /// `\A` or `\E`.
        quantifier: Quantifier,
        /// The binders.
        binders: Vec<Binder>,
        /// The body.
        body: ExprId,
    },
    /// `\E x, y : p`, `\EE x : F`.
    Unbounded {
        /// The quantifier.
        quantifier: Quantifier,
        /// The names bound.
        names: Vec<Ident>,
        /// The body.
        body: ExprId,
    },
    /// `CHOOSE x \in S : p`, `CHOOSE x : p`, `CHOOSE <<x, y>> \in S : p`.
    Choose {
        /// One name or a tuple.
        pattern: Pattern,
        /// The set, if bounded.
        set: Option<ExprId>,
        /// The predicate.
        body: ExprId,
    },
    /// `IF c THEN a ELSE b`.
    If {
        /// The condition.
        condition: ExprId,
        /// The value if true.
        then: ExprId,
        /// The value if false.
        otherwise: ExprId,
    },
    /// `CASE p -> e [] q -> f [] OTHER -> g`.
    Case {
        /// The arms.
        arms: Vec<CaseArm>,
        /// The `OTHER` arm.
        other: Option<ExprId>,
    },
    /// `LET … IN e`. Units are operators, functions, instances and RECURSIVE declarations.
    Let {
        /// The definitions.
        units: Vec<Unit>,
        /// The body.
        body: ExprId,
    },
    /// `LAMBDA x, y : e`.
    Lambda {
        /// The parameters.
        params: Vec<Ident>,
        /// The body.
        body: ExprId,
    },
    /// `[A]_v`.
    BoxAction {
        /// The action.
        action: ExprId,
        /// The subscript.
        subscript: ExprId,
    },
    /// `<<A>>_v`.
    AngleAction {
        /// The action.
        action: ExprId,
        /// The subscript.
        subscript: ExprId,
    },
    /// `WF_v(A)`, `SF_v(A)`.
    Fairness {
        /// `SF` rather than `WF`.
        strong: bool,
        /// The subscript.
        subscript: ExprId,
        /// The action.
        action: ExprId,
    },
    /// `lab(x, y) :: e`.
    Label {
        /// The label's name.
        name: Ident,
        /// Its parameters.
        params: Vec<Ident>,
        /// The labelled expression (or ASSUME/PROVE).
        body: ExprId,
    },
    /// `ASSUME … PROVE …`, only as the body of a theorem, a proof step or a label in one.
    AssumeProve(AssumeProve),
}

/// `ASSUME a, NEW x \in S PROVE g`.
#[derive(Clone, Debug)]
pub struct AssumeProve {
    /// Whether it is `[]ASSUME … []PROVE`.
    pub boxed: bool,
    /// The assumptions.
    pub assumptions: Vec<Assumption>,
    /// The goal.
    pub goal: ExprId,
}

/// One assumption of an ASSUME/PROVE.
#[derive(Clone, Debug)]
pub enum Assumption {
    /// A fact; an inner ASSUME/PROVE is an [`ExprKind::AssumeProve`].
    Fact(ExprId),
    /// `NEW x`, `NEW CONSTANT x \in S`, `VARIABLE v`, `STATE s`, `ACTION a`, `TEMPORAL t`.
    New {
        /// Its level.
        level: NewLevel,
        /// What is declared.
        decl: OperatorDecl,
        /// The set after `\in`.
        set: Option<ExprId>,
    },
}

/// The level of a declared identifier in an ASSUME/PROVE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewLevel {
    /// `CONSTANT`, the default.
    Constant,
    /// `VARIABLE`.
    Variable,
    /// `STATE`.
    State,
    /// `ACTION`.
    Action,
    /// `TEMPORAL`.
    Temporal,
}

/// A proof.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Its text.
    pub span: Span,
    /// What it is.
    pub kind: ProofKind,
}

/// The kinds of proofs.
#[derive(Clone, Debug)]
pub enum ProofKind {
    /// `OBVIOUS`.
    Obvious,
    /// `OMITTED`.
    Omitted,
    /// `BY …`.
    By(UseOrHide),
    /// Steps.
    Steps(Vec<ProofStep>),
}

/// `BY/USE/HIDE facts DEF operators`.
#[derive(Clone, Debug)]
pub struct UseOrHide {
    /// `HIDE`.
    pub hide: bool,
    /// `ONLY`.
    pub only: bool,
    /// The facts; `MODULE M` is kept in `modules`, a step `<1>2` is a name.
    pub facts: Vec<ExprId>,
    /// `MODULE M` among the facts.
    pub fact_modules: Vec<Ident>,
    /// The names after DEF: general names.
    pub definitions: Vec<ExprId>,
    /// `MODULE M` among the definitions.
    pub definition_modules: Vec<Ident>,
}

/// One step of a proof.
#[derive(Clone, Debug)]
pub struct ProofStep {
    /// The level in `<n>`; `<*>` and `<+>` resolved to numbers.
    pub level: u32,
    /// Whether the level was written `<*>` or `<+>`.
    pub implicit_level: bool,
    /// The name as it is referred to, such as `<1>2`; `None` for `<1>` alone.
    pub name: Option<Ident>,
    /// The text of the step, its proof included.
    pub span: Span,
    /// What it is.
    pub kind: StepKind,
    /// Its proof.
    pub proof: Option<Proof>,
}

/// The kinds of proof steps.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// A formula or ASSUME/PROVE.
    Assert {
        /// Whether `SUFFICES` stands before it.
        suffices: bool,
        /// The formula.
        body: ExprId,
    },
    /// `CASE e`.
    Case(ExprId),
    /// `HAVE e`.
    Have(ExprId),
    /// `TAKE x \in S` or `TAKE x, y`.
    Take {
        /// Bounded names.
        binders: Vec<Binder>,
        /// Unbounded names.
        names: Vec<Ident>,
    },
    /// `WITNESS e, f`.
    Witness(Vec<ExprId>),
    /// `PICK x \in S : p` or `PICK x, y : p`.
    Pick {
        /// Bounded names.
        binders: Vec<Binder>,
        /// Unbounded names.
        names: Vec<Ident>,
        /// The property.
        body: ExprId,
    },
    /// `DEFINE …`.
    Define(Vec<Unit>),
    /// `INSTANCE M …`.
    Instance(Instance),
    /// `USE` or `HIDE`.
    UseOrHide(UseOrHide),
    /// `QED`.
    Qed,
}
