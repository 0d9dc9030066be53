//! Name resolution: from syntax trees to a [`Spec`].
//!
//! One pass in the order of the text, because TLA+ defines before use: a name's meaning is what the
//! scope says where the name stands. What is left for later (levels) is noted as [`Check`]s in the
//! order in which SANY makes them. Rules: *Specifying Systems* chapter 17 and the TLA+ version 2
//! guide (recursion, proofs, labels).

mod expression;
mod instance;
mod label;
mod module;
mod path;
mod proof;
mod subexpression;
mod unit;

use std::rc::Rc;

use lockstep_syntax::ast::{self, Ast, Name};
use lockstep_syntax::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyse::{Analysis, LoadedFile};
use crate::builtins::Predefined;
use crate::check::Check;
use crate::hir::{
    Argument, Assumption, DeclId, Definition, DefinitionId, DefinitionKind, Expr, ExprId, ExprKind,
    Level, Local, LocalId, Module, ModuleId, Spec,
};
use crate::levels::Role;
use crate::order::Node;
use crate::scope::{LabelNode, Path, Scope, Symbol};
use crate::source::ModuleSource;
use crate::suggest;

/// A name that a module defines or imports.
#[derive(Clone, Debug)]
pub(crate) struct Export {
    pub(crate) name: Name,
    pub(crate) symbol: Symbol,
    pub(crate) span: Span,
    /// Not visible to modules that extend or instantiate this one.
    pub(crate) local: bool,
}

/// What later phases of the analysis need to know of a module, beside its [`Module`].
#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleInfo {
    pub(crate) exports: Vec<Export>,
    pub(crate) index: FxHashMap<Name, usize>,
    pub(crate) nested: Vec<(Name, ModuleId)>,
    /// Declarations, those of extended modules first.
    pub(crate) decls: Vec<DeclId>,
    pub(crate) assumptions: Vec<Assumption>,
    /// All modules extended, directly or not.
    pub(crate) extended: Vec<ModuleId>,
    /// Something it imports is missing or broken, so that unknown names in it mean nothing.
    pub(crate) incomplete: bool,
    /// Its definitions cannot mention a declaration, because none is visible in it.
    pub(crate) closed: bool,
    /// Declarations of modules around it are visible in it.
    pub(crate) not_closed: bool,
}

/// Whether a module that was asked for is there.
#[derive(Clone, Copy, Debug)]
enum Load {
    InProgress,
    Failed,
    Done(ModuleId),
}

/// A RECURSIVE declaration without its definition so far.
#[derive(Clone, Debug)]
struct Pending {
    name: Name,
    span: Span,
    id: DefinitionId,
    arity: u32,
}

/// The module being resolved.
#[derive(Debug)]
struct Frame {
    module: ModuleId,
    ast: Rc<Ast>,
    info: ModuleInfo,
    /// Nested modules that an INSTANCE may name here, enclosing modules' included.
    visible: FxHashMap<Name, ModuleId>,
    /// RECURSIVE declarations not yet defined, one list for the module and one for each LET around.
    pending: Vec<Vec<Pending>>,
    /// Definitions since the first of the open RECURSIVE declarations.
    group: Vec<DefinitionId>,
    context: Context,
}

/// Where an expression stands.
#[derive(Clone, Debug, Default)]
struct Context {
    /// The innermost definition.
    definition: Option<DefinitionId>,
    /// What `@` means.
    at: Option<LocalId>,
    /// Bound names from the innermost definition inwards.
    bound: Vec<LocalId>,
    /// LET definitions in scope, from the innermost definition inwards.
    lets: Vec<DefinitionId>,
    /// Where labels may stand, and those found so far.
    labels: LabelContext,
}

/// Whether labels are allowed.
#[derive(Clone, Debug, Default)]
enum LabelContext {
    /// Not in a definition.
    #[default]
    Outside,
    /// Inside EXCEPT.
    Except,
    /// Inside an inner ASSUME/PROVE with NEW.
    InnerAssume,
    /// Allowed: the labels found at each depth, with the number of bound names at its start.
    Inside(Vec<(Vec<LabelNode>, usize)>),
}

/// The state of the pass.
pub(crate) struct Resolver<'s> {
    source: &'s dyn ModuleSource,
    pub(crate) spec: Spec,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) files: Vec<LoadedFile>,
    loaded: FxHashMap<Name, Load>,
    /// Modules being loaded, outermost first, with the place of the import.
    loading: Vec<(Name, Option<Span>)>,
    /// The root file's tree and which top-level modules it holds.
    root_ast: Option<Rc<Ast>>,
    root_modules: FxHashMap<Name, usize>,
    /// Problems of the root file's later modules, which matter once they are used.
    root_deferred: Vec<Vec<Diagnostic>>,
    /// Completed modules in order of completion.
    completed: Vec<ModuleId>,
    pub(crate) modules: Vec<ModuleInfo>,
    scope: Scope,
    frame: Option<Box<Frame>>,
    pub(crate) roles: Vec<Role>,
    /// For each definition the numbers of arguments of its parameters.
    signatures: Vec<Vec<u32>>,
    /// Number of arguments of functions.
    function_arity: FxHashMap<DefinitionId, usize>,
    /// Definitions whose body is an ASSUME/PROVE.
    assume_proves: FxHashMap<ExprId, Vec<ExprId>>,
    labels: FxHashMap<DefinitionId, Vec<LabelNode>>,
    subexpressions: FxHashMap<(DefinitionId, ExprId, usize), DefinitionId>,
    /// Facts (THEOREM and ASSUME names), which HIDE accepts.
    facts: FxHashSet<DefinitionId>,
    pub(crate) checks: Vec<Check>,
    /// Names declared by the statement being resolved that stay visible after it.
    declared: Vec<(ast::Ident, LocalId)>,
    /// What `@` means in the statement about to be resolved.
    chain: Option<LocalId>,
    /// Nested modules of the file being resolved.
    nested: Vec<(ast::Ident, ModuleId)>,
    /// The top-level modules and what they import.
    graph: Vec<Node>,
    /// The top-level module being resolved.
    node: usize,
    /// Clashes of imported names that were reported.
    clashes: FxHashSet<(Name, Span)>,
    /// Functions whose bodies are being resolved, and whether each was mentioned.
    open_functions: Vec<(DefinitionId, bool)>,
    /// 0 where definitions belong to the module.
    depth: u32,
}

impl<'s> Resolver<'s> {
    /// A resolver that has seen nothing.
    pub(crate) fn new(source: &'s dyn ModuleSource) -> Self {
        Self {
            source,
            spec: Spec::default(),
            diagnostics: Vec::new(),
            files: Vec::new(),
            loaded: FxHashMap::default(),
            loading: Vec::new(),
            root_ast: None,
            root_modules: FxHashMap::default(),
            root_deferred: Vec::new(),
            completed: Vec::new(),
            modules: Vec::new(),
            scope: Scope::new(),
            frame: None,
            roles: Vec::new(),
            signatures: Vec::new(),
            function_arity: FxHashMap::default(),
            assume_proves: FxHashMap::default(),
            labels: FxHashMap::default(),
            subexpressions: FxHashMap::default(),
            facts: FxHashSet::default(),
            checks: Vec::new(),
            declared: Vec::new(),
            chain: None,
            nested: Vec::new(),
            graph: Vec::new(),
            node: 0,
            clashes: FxHashSet::default(),
            open_functions: Vec::new(),
            depth: 0,
        }
    }

    /// Runs the checks that need the whole and gives up the result.
    pub(crate) fn finish(mut self) -> Analysis {
        crate::check::run(&mut self);
        crate::order::finish(&mut self.spec, &self.completed, &self.graph);
        let mut seen = FxHashSet::default();
        self.diagnostics.retain(|it| {
            let place = it.primary.as_ref().map(|label| label.span);
            seen.insert((it.code, place, it.headline.clone()))
        });
        Analysis { spec: self.spec, diagnostics: self.diagnostics, files: self.files }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frame.as_mut().expect("a module is being resolved")
    }

    fn context(&mut self) -> &mut Context {
        &mut self.frame().context
    }

    fn ast(&mut self) -> Rc<Ast> {
        Rc::clone(&self.frame().ast)
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn expr(&mut self, span: Span, kind: ExprKind) -> ExprId {
        self.spec.exprs.push(Expr { span, level: Level::Constant, kind });
        ExprId(self.spec.exprs.len() as u32 - 1)
    }

    fn error_expr(&mut self, span: Span) -> ExprId {
        self.expr(span, ExprKind::Error)
    }

    fn new_local(&mut self, name: &Name, span: Span, arity: u32, role: Role) -> LocalId {
        self.spec.locals.push(Local { name: name.clone(), span, arity });
        self.roles.push(role);
        LocalId(self.spec.locals.len() as u32 - 1)
    }

    /// Makes a bound name and puts it in scope.
    fn bind(&mut self, ident: &ast::Ident, arity: u32, role: Role) -> LocalId {
        let local = self.new_local(&ident.name, ident.span, arity, role);
        self.declare(ident, Symbol::Local(local));
        local
    }

    /// Puts a name in scope; a clash is an error.
    fn declare(&mut self, ident: &ast::Ident, symbol: Symbol) -> bool {
        self.check_free(ident, |_| false) & {
            self.scope.set(ident.name.clone(), symbol, ident.span);
            true
        }
    }

    /// Reports a name that already has a meaning, unless `allowed` says it may.
    fn check_free(&mut self, ident: &ast::Ident, allowed: impl Fn(&Symbol) -> bool) -> bool {
        let Some(entry) = self.scope.get(&ident.name) else { return true };
        if allowed(&entry.symbol) {
            return true;
        }
        let name = &ident.name;
        let diagnostic = match entry.span {
            None => Diagnostic::error(
                "E4202",
                ident.span,
                format!("`{name}` is built into TLA+ and cannot be defined again"),
            )
            .label("a new meaning for a built-in operator")
            .help("choose another name"),
            Some(before) => Diagnostic::error(
                "E4201",
                ident.span,
                format!("`{name}` already has a meaning here"),
            )
            .label("this would give it a second one")
            .also(before, format!("`{name}` gets its first meaning here"))
            .note(
                "TLA+ has no shadowing: a visible name cannot be declared, bound or defined again",
            )
            .help(format!("rename one of them, for example to `{}`", fresh_name(name))),
        };
        self.report(diagnostic);
        false
    }

    /// Adds a definition without a body so far.
    fn new_definition(
        &mut self,
        name: &ast::Ident,
        span: Span,
        kind: DefinitionKind,
        signature: Vec<u32>,
    ) -> DefinitionId {
        let frame = self.frame();
        let module = frame.module;
        let enclosing = frame.context.definition;
        let body = self.error_expr(span);
        self.spec.definitions.push(Definition {
            name: name.name.clone(),
            name_span: name.span,
            span,
            module,
            enclosing,
            kind,
            params: Vec::new(),
            body,
            recursive: false,
            local: false,
            level: Level::Constant,
        });
        self.signatures.push(signature);
        DefinitionId(self.spec.definitions.len() as u32 - 1)
    }

    /// Whether unknown names are worth reporting.
    fn complete(&mut self) -> bool {
        !self.frame().info.incomplete
    }

    /// The error for a name that means nothing.
    fn unknown(&mut self, name: &Name, span: Span) {
        if !self.complete() {
            return;
        }
        let mut diagnostic = Diagnostic::error("E4200", span, format!("unknown operator `{name}`"))
            .label("nothing visible here has this name");
        // The first errors deserve a guess; thousands of them would take long.
        if self.diagnostics.len() > GUESSES {
            self.report(diagnostic);
            return;
        }
        if let Some(close) = suggest::closest(name, self.scope.names()) {
            diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
            if let Some(before) = self.scope.get(close).and_then(|entry| entry.span) {
                diagnostic = diagnostic.also(before, format!("`{close}` gets its meaning here"));
            }
        } else if let Some(module) = suggest::module_of(name) {
            diagnostic = diagnostic.help(format!("add `{module}` to this module's EXTENDS"));
        } else if self.spec.definitions.iter().rev().take(50_000).any(|it| it.name == *name) {
            diagnostic = diagnostic
                .note("there is such a definition elsewhere, but it is not visible at this place");
        }
        self.report(diagnostic);
    }
}

/// How many diagnostics may come with guesses.
const GUESSES: usize = 200;

/// A similar name.
fn fresh_name(name: &str) -> String {
    if name.chars().all(|ch| ch.is_alphanumeric() || ch == '_') {
        format!("{name}2")
    } else {
        "another symbol".to_owned()
    }
}

/// What can be applied or passed on.
#[derive(Clone, Debug)]
enum Callee {
    Predefined(Predefined),
    Operator(crate::hir::Operator),
}

/// A resolved general name: what it is, how many arguments it takes, and those given.
#[derive(Clone, Debug)]
struct Target {
    callee: Callee,
    /// Numbers of arguments of the parameters still to be given.
    signature: Vec<u32>,
    /// Arguments given by earlier steps of the name.
    given: Vec<Argument>,
    /// Arguments of the last step.
    args: Vec<ast::ExprId>,
    /// Parameters of instances on the way that were given no arguments.
    lead: Vec<LocalId>,
    name: Name,
    span: Span,
}

fn empty_path() -> Path {
    Rc::from(Vec::new())
}

/// The module record before its units are read.
fn empty_module(name: &Name, span: Span, parent: Option<ModuleId>) -> Module {
    Module { name: name.clone(), span, extends: Vec::new(), parent, scope: Vec::new() }
}

impl Resolver<'_> {
    /// Assumptions and goal of an ASSUME/PROVE.
    pub(crate) fn assume_prove_parts(&self, id: ExprId) -> Vec<ExprId> {
        self.assume_proves.get(&id).cloned().unwrap_or_default()
    }
}
