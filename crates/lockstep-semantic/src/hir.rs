//! The resolved form of a specification: every name is an id, every operator a definition.
//!
//! What goes in: the syntax trees of the root module and of all it reaches. What comes out:
//! arenas of modules, declarations, definitions, instances and expressions. Nothing here is a
//! string that a later phase has to look up again; names are kept for messages only.
//!
//! INSTANCE is *not* expanded. A reference to a definition carries the `path` of instances to go
//! through (`N(3)!K!Op` has the steps `N(3)` and `K`), relative to the module in which the
//! reference stands; a body is meant in the context of the instance it was reached through, and a
//! declaration (constant, variable) of an instantiated module means the expression that the
//! innermost step of the context substitutes for it, evaluated in the context outside that step.

use lockstep_syntax::ast::Name;
use lockstep_syntax::{SourceMap, Span};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The place in its arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A module, nested ones included.
    ModuleId;
    /// A CONSTANT or VARIABLE declaration.
    DeclId;
    /// An operator or function definition, those of LET and named facts included.
    DefinitionId;
    /// An INSTANCE, named or not.
    InstanceId;
    /// A bound variable, an operator parameter or the `@` of one EXCEPT update.
    LocalId;
    /// An expression.
    ExprId;
}

/// Constant, state, action, temporal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Level {
    /// Mentions no variable.
    #[default]
    Constant,
    /// Mentions unprimed variables.
    State,
    /// Mentions primed variables.
    Action,
    /// Mentions temporal operators.
    Temporal,
}

/// A specification with all names resolved.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// All source files, built-in ones included.
    pub sources: SourceMap,
    /// The modules; a module comes after those it extends or instantiates.
    pub modules: Vec<Module>,
    /// The declarations.
    pub decls: Vec<Decl>,
    /// The definitions.
    pub definitions: Vec<Definition>,
    /// The instances.
    pub instances: Vec<Instance>,
    /// The bound names.
    pub locals: Vec<Local>,
    /// The expressions.
    pub exprs: Vec<Expr>,
    /// Which of them, by number, belong to proofs: nobody evaluates those.
    pub proofs: Vec<std::ops::Range<usize>>,
    /// The facts that TLC evaluates: ASSUMEs of the root module and of those it EXTENDs
    /// (transitively), in order.
    pub assumptions: Vec<Assumption>,
    /// The root module.
    pub root: Option<ModuleId>,
    /// The variables of the root module (its EXTENDS included) in order of declaration.
    pub variables: Vec<DeclId>,
    /// The constants of the root module (its EXTENDS included) in order of declaration.
    pub constants: Vec<DeclId>,
    /// Identifiers and strings in the order of their first occurrence over all files as loaded.
    /// TLC orders strings by it.
    pub symbols: Vec<Name>,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: Name,
    /// Its text.
    pub span: Span,
    /// The modules it extends, directly, in order.
    pub extends: Vec<ModuleId>,
    /// The module it is nested in.
    pub parent: Option<ModuleId>,
    /// All names visible at its end, sorted by name, with what they mean (imports through EXTENDS
    /// and unnamed INSTANCE included).
    pub scope: Vec<(Name, Meaning)>,
}

/// What a name of a module's scope means.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// A constant or variable.
    Decl(DeclId),
    /// A definition, through unnamed instances if `path` is not empty.
    Definition(DefinitionRef),
    /// A named instance (`N == INSTANCE M`), through unnamed instances if `path` is not empty.
    Instance {
        /// The steps before it.
        path: Vec<InstanceStep>,
        /// The instance.
        instance: InstanceId,
    },
    /// A nested module.
    Module(ModuleId),
}

/// Constant or variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeclKind {
    /// CONSTANT.
    Constant,
    /// VARIABLE.
    Variable,
}

/// A CONSTANT or VARIABLE declaration. Declarations of ASSUME/PROVE are `Local`s.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Its name.
    pub name: Name,
    /// Where it is declared.
    pub span: Span,
    /// The module.
    pub module: ModuleId,
    /// Constant or variable.
    pub kind: DeclKind,
    /// Number of arguments (0 for variables).
    pub arity: u32,
}

/// What kind of definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefinitionKind {
    /// `Op(a) == e`.
    Operator,
    /// `f[x \in S] == e`; the body is an [`ExprKind::Function`], and `f` in it means this
    /// definition itself.
    Function,
    /// A named THEOREM or ASSUME; the body is its formula.
    Fact,
    /// Made for a label or a subexpression name: the parameters are those of the definition and
    /// the bound names above the subexpression.
    Subexpression,
}

/// A definition.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name (the symbol for infix ones).
    pub name: Name,
    /// The name's place.
    pub name_span: Span,
    /// The whole text.
    pub span: Span,
    /// The module it stands in.
    pub module: ModuleId,
    /// The definition whose LET holds it.
    pub enclosing: Option<DefinitionId>,
    /// What kind.
    pub kind: DefinitionKind,
    /// Its parameters.
    pub params: Vec<LocalId>,
    /// Its body.
    pub body: ExprId,
    /// Whether RECURSIVE declares it, or it is a function whose body mentions itself.
    pub recursive: bool,
    /// Whether LOCAL stands before it.
    pub local: bool,
    /// The level of the body with constant arguments.
    pub level: Level,
}

/// An INSTANCE.
#[derive(Clone, Debug)]
pub struct Instance {
    /// `N` of `N == INSTANCE M`.
    pub name: Option<Name>,
    /// Its text.
    pub span: Span,
    /// The module it stands in.
    pub module: ModuleId,
    /// The module instantiated.
    pub target: ModuleId,
    /// The parameters of `N(x, y)`.
    pub params: Vec<LocalId>,
    /// For every declaration of the target (its EXTENDS included), what is put for it; implicit
    /// substitutions (same name) are listed too.
    pub substitutions: Vec<(DeclId, Argument)>,
    /// Whether LOCAL stands before it.
    pub local: bool,
}

/// A locally bound name.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// Where it is bound.
    pub span: Span,
    /// Number of arguments (operator parameters may have some).
    pub arity: u32,
}

/// An ASSUME that TLC evaluates.
#[derive(Clone, Debug)]
pub struct Assumption {
    /// Its name.
    pub name: Option<Name>,
    /// The formula.
    pub body: ExprId,
    /// The module.
    pub module: ModuleId,
}

/// A reference to a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct DefinitionRef {
    /// The instances to go through, outermost first; empty within one module.
    pub path: Vec<InstanceStep>,
    /// The definition.
    pub definition: DefinitionId,
}

/// One step of a path: an instance with the arguments of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceStep {
    /// The instance.
    pub instance: InstanceId,
    /// One argument a parameter.
    pub args: Vec<Argument>,
}

/// An argument: a value or an operator.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// An expression.
    Expr(ExprId),
    /// An operator with one or more parameters.
    Operator(OperatorArgument),
}

/// An operator given as an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum OperatorArgument {
    /// By name.
    Named(Operator),
    /// `LAMBDA x, y : e`.
    Lambda {
        /// The parameters.
        params: Vec<LocalId>,
        /// The body.
        body: ExprId,
        /// Its text.
        span: Span,
    },
}

/// What is applied.
#[derive(Clone, Debug, PartialEq)]
pub enum Operator {
    /// A built-in operator of the language.
    Builtin(Builtin),
    /// A constant (with or without arguments) or a variable.
    Decl(DeclId),
    /// A definition.
    Definition(DefinitionRef),
    /// An operator parameter with arguments.
    Local(LocalId),
}

/// The built-in operators that take plain arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// `TRUE`.
    True,
    /// `FALSE`.
    False,
    /// `BOOLEAN`.
    Boolean,
    /// `STRING`.
    StringSet,
    /// `~`.
    Not,
    /// `=>`.
    Implies,
    /// `<=>`, `\equiv`.
    Equivalent,
    /// `=`.
    Equal,
    /// `#`, `/=`.
    NotEqual,
    /// `\in`.
    In,
    /// `\notin`.
    NotIn,
    /// `\subseteq`.
    SubsetEq,
    /// `\cup`.
    Cup,
    /// `\cap`.
    Cap,
    /// `\`.
    SetMinus,
    /// `SUBSET`.
    Subset,
    /// `UNION`.
    Union,
    /// `DOMAIN`.
    Domain,
    /// `'`.
    Prime,
    /// `UNCHANGED`.
    Unchanged,
    /// `ENABLED`.
    Enabled,
    /// `\cdot`.
    Cdot,
    /// `[]F`.
    Always,
    /// `<>F`.
    Eventually,
    /// `~>`.
    LeadsTo,
    /// `-+->`.
    Guarantees,
    /// `S \X T \X …`, two or more arguments.
    Product,
    /// `[S -> T]`.
    FunctionSet,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its text.
    pub span: Span,
    /// Its level with constant parameters.
    pub level: Level,
    /// What it is.
    pub kind: ExprKind,
}

/// `x, y \in S` (each ranges over S) or `<<x, y>> \in S`.
#[derive(Clone, Debug, PartialEq)]
pub struct Binder {
    /// The names bound.
    pub locals: Vec<LocalId>,
    /// Whether the names take a tuple apart.
    pub tuple: bool,
    /// The set.
    pub set: ExprId,
}

/// One `![i].a = e`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExceptUpdate {
    /// The path.
    pub path: Vec<ExceptStep>,
    /// What `@` means in `value`.
    pub at: LocalId,
    /// The new value.
    pub value: ExprId,
    /// From `!` to the end.
    pub span: Span,
}

/// One step of an EXCEPT path.
#[derive(Clone, Debug, PartialEq)]
pub enum ExceptStep {
    /// `[i, j]`; several arguments mean a tuple.
    Index(Vec<ExprId>),
    /// `.a`.
    Field(Name),
}

/// One arm of a CASE.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    /// The guard.
    pub guard: ExprId,
    /// The value.
    pub value: ExprId,
}

/// The kinds of expressions. Junction lists and infix `/\`, `\/` are both `And`/`Or`; nested
/// infix ones are kept nested. Parentheses are gone.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An expression that could not be resolved; an error was reported.
    Error,
    /// A number; `None` when it does not fit 64 bits (TLC reports its own limit).
    Integer(Option<i64>),
    /// `1.5`; TLC cannot evaluate it.
    Decimal(Name),
    /// A string.
    String(Name),
    /// A bound variable, a parameter without arguments, or `@`.
    Local(LocalId),
    /// An operator with its arguments (none for `x`, `TRUE`, a definition without parameters).
    Apply {
        /// The operator.
        op: Operator,
        /// The arguments.
        args: Vec<Argument>,
    },
    /// Conjunction, left to right.
    And(Vec<ExprId>),
    /// Disjunction, left to right.
    Or(Vec<ExprId>),
    /// `f[a, b]`; several arguments mean a tuple.
    FunctionApply {
        /// The function.
        function: ExprId,
        /// The arguments.
        args: Vec<ExprId>,
    },
    /// `r.a`.
    Field {
        /// The record.
        record: ExprId,
        /// The field.
        field: Name,
    },
    /// `<<a, b>>`.
    Tuple(Vec<ExprId>),
    /// `{a, b}`.
    SetEnum(Vec<ExprId>),
    /// `{x \in S : p}`.
    SetFilter {
        /// The binder.
        binder: Binder,
        /// The predicate.
        body: ExprId,
    },
    /// `{e : x \in S}`.
    SetMap {
        /// The binders.
        binders: Vec<Binder>,
        /// The element.
        body: ExprId,
    },
    /// `[x \in S |-> e]`; with several names the domain is a product.
    Function {
        /// The binders.
        binders: Vec<Binder>,
        /// The value.
        body: ExprId,
    },
    /// `[a |-> e]`.
    Record(Vec<(Name, ExprId)>),
    /// `[a : S]`.
    RecordSet(Vec<(Name, ExprId)>),
    /// `[f EXCEPT …]`.
    Except {
        /// The function.
        base: ExprId,
        /// The updates.
        updates: Vec<ExceptUpdate>,
    },
    /// `\A` (`true`) or `\E` (`false`), bounded.
    Quantified {
        /// Whether it is `\A`.
        for_all: bool,
        /// The binders.
        binders: Vec<Binder>,
        /// The body.
        body: ExprId,
    },
    /// Unbounded `\A`, `\E`.
    Unbounded {
        /// Whether it is `\A`.
        for_all: bool,
        /// The names.
        locals: Vec<LocalId>,
        /// The body.
        body: ExprId,
    },
    /// `\AA`, `\EE`.
    TemporalQuantified {
        /// Whether it is `\AA`.
        for_all: bool,
        /// The names.
        locals: Vec<LocalId>,
        /// The body.
        body: ExprId,
    },
    /// CHOOSE.
    Choose {
        /// The names.
        locals: Vec<LocalId>,
        /// Whether they take a tuple apart.
        tuple: bool,
        /// The set, if bounded.
        set: Option<ExprId>,
        /// The predicate.
        body: ExprId,
    },
    /// IF.
    If {
        /// The condition.
        condition: ExprId,
        /// If true.
        then: ExprId,
        /// If false.
        otherwise: ExprId,
    },
    /// CASE.
    Case {
        /// The arms.
        arms: Vec<CaseArm>,
        /// OTHER.
        other: Option<ExprId>,
    },
    /// LET. Instances of the LET need no entry: paths name them.
    Let {
        /// The definitions in order.
        definitions: Vec<DefinitionId>,
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
        /// `SF`.
        strong: bool,
        /// The subscript.
        subscript: ExprId,
        /// The action.
        action: ExprId,
    },
    /// `lab :: e`: transparent for evaluation, but it names actions as TLC does.
    Label {
        /// The label.
        name: Name,
        /// The expression.
        body: ExprId,
    },
    /// ASSUME/PROVE as the body of a fact: cannot be evaluated.
    AssumeProve,
}

impl Spec {
    /// The expression behind an id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// The definition behind an id.
    pub fn definition(&self, id: DefinitionId) -> &Definition {
        &self.definitions[id.index()]
    }

    /// The declaration behind an id.
    pub fn decl(&self, id: DeclId) -> &Decl {
        &self.decls[id.index()]
    }

    /// The module behind an id.
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.index()]
    }

    /// The instance behind an id.
    pub fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id.index()]
    }

    /// The bound name behind an id.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }

    /// A module by name; a top-level one before a nested one.
    pub fn module_named(&self, name: &str) -> Option<ModuleId> {
        let by_name = |nested: bool| {
            self.modules
                .iter()
                .position(|module| module.name == name && module.parent.is_some() == nested)
                .map(|idx| ModuleId(idx as u32))
        };
        by_name(false).or_else(|| by_name(true))
    }

    /// What a name means at the end of a module.
    pub fn lookup(&self, module: ModuleId, name: &str) -> Option<&Meaning> {
        let scope = &self.module(module).scope;
        let idx = scope.binary_search_by(|(it, _)| it.as_str().cmp(name)).ok()?;
        Some(&scope[idx].1)
    }

    /// The definition of a module's scope that a name may have been meant for; none of the built-in
    /// modules'.
    pub fn similar_definition(&self, module: ModuleId, name: &str) -> Option<&Name> {
        let scope = &self.module(module).scope;
        let definitions = scope.iter().filter(|(_, it)| match it {
            Meaning::Definition(it) => {
                let file = self.definition(it.definition).name_span.file;
                !self.sources.file(file).name.starts_with("<built-in")
            }
            _ => false,
        });
        crate::suggest::closest(name, definitions.map(|(it, _)| it))
    }
}
