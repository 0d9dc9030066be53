//! Lowering: a resolved specification and a configuration become a [`Program`].
//!
//! Definitions are expanded where they are used (recursive and large ones become functions with
//! their own frames), instances by *contexts*: a declaration of an instantiated module means its
//! substitute, lowered in the context outside. Primes distribute down to variables; ENABLED makes
//! the primed variables of an instantiated module independent ones, as *Specifying Systems*
//! §17.8 demands. Fails on mistakes of the configuration and of the shape of the formulas.

mod actions;
mod apply;
mod bind;
mod build;
mod constructor;
mod cost;
mod env;
mod expr;
mod functions;
mod hoist;
mod model;
mod split;
mod temporal;
mod walk;

use std::sync::Arc;

use lockstep_semantic::config::Config;
use lockstep_semantic::hir::{DefinitionId, ExprId, InstanceId, ModuleId, Spec};
use lockstep_syntax::{Diagnostic, Severity, Span};
use rustc_hash::FxHashMap;

use self::bind::Bindings;
use self::env::{Capture, Context, ContextId, Env, Frame, Mode, Place};
use self::functions::FunctionKey;
use crate::ir::{ActFunctionId, Effects, EntryPoint, FunctionId, MemoId, NodeId, Program};

/// Choices that are not in the configuration.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether `A \cdot B` may be used (TLC has a switch for it).
    pub cdot: bool,
    /// Whether a definition may be replaced by one that mentions it.
    pub allow_cyclic_redefinition: bool,
    /// Whether expressions are wanted alone: no behaviour needs to be given.
    pub expressions_only: bool,
    /// Whether evaluations are counted, expression by expression. Nothing is then kept from one
    /// evaluation to the next but constants, as TLC has it.
    pub count: bool,
    /// Invariants besides those of the configuration, by name.
    pub extra_invariants: Vec<String>,
    /// Whether every expression is to be evaluated as often as the text says: nothing moves out
    /// of loops, no filter is taken as a whole.
    pub as_written: bool,
}

/// Lowers a specification with its model.
///
/// Errors are those of the configuration and of formulas that cannot be checked; warnings are in
/// [`Program::warnings`].
pub fn lower(spec: &Spec, config: &Config, options: &Options) -> Result<Program, Vec<Diagnostic>> {
    let mut lowerer = Lowerer::new(spec, config, options)?;
    lowerer.model();
    lowerer.finish()
}

/// The state of lowering.
struct Lowerer<'a> {
    spec: &'a Spec,
    config: &'a Config,
    options: &'a Options,
    root: ModuleId,
    bindings: Bindings,
    program: Program,
    /// What each node may do and depends on.
    effects: Vec<Effects>,
    act_effects: Vec<Effects>,
    const_of: FxHashMap<NodeId, NodeId>,
    contexts: Vec<Context<'a>>,
    context_of: FxHashMap<(ContextId, InstanceId), ContextId>,
    frames: Vec<Frame<'a>>,
    next_frame: u32,
    /// Functions by what they were made from.
    function_of: FxHashMap<FunctionKey, FunctionId>,
    act_function_of: FxHashMap<FunctionKey, ActFunctionId>,
    /// Captures of finished functions and those found so far of the others.
    captures: Vec<Vec<Capture<'a>>>,
    act_captures: Vec<Vec<Capture<'a>>>,
    /// Keys in order of insertion, to take back what an abandoned pass made.
    function_log: Vec<FunctionKey>,
    act_function_log: Vec<FunctionKey>,
    /// Environments whose addresses are in use as keys.
    kept: Vec<Env<'a>>,
    /// Closed constant definitions and state-level ones by what they were made from.
    definition_of: FxHashMap<(DefinitionId, ContextId, Mode), NodeId>,
    /// Substitutes of instances that are closed constants.
    substitute_of: FxHashMap<(ExprId, ContextId, Mode), NodeId>,
    memo_of: FxHashMap<(DefinitionId, ContextId), (MemoId, FunctionId)>,
    /// Nodes that expanding a definition took, to decide when to make it a function.
    cost_of: FxHashMap<DefinitionId, usize>,
    /// Nodes that repeat others; they count for nothing in the cost of a definition.
    n_copies: usize,
    /// Definitions under expansion: catches recursion that nobody declared.
    open: Vec<DefinitionId>,
    /// Definitions whose replacement is under expansion.
    replacing: Vec<DefinitionId>,
    /// Virtual variables by the number of their ENABLED.
    virtuals: Vec<Virtuals>,
    n_enabled: u32,
    /// Whether the substitutions of an instance depend on where it is entered.
    env_needed: FxHashMap<InstanceId, bool>,
    /// The node under which what is being lowered is counted, if it is.
    costing: Option<u32>,
    /// Slots that hold subsets, with the node of their SUBSET.
    subset_costs: FxHashMap<(u32, crate::ir::Slot), u32>,
    /// The node of a LAMBDA as an argument, by its body.
    lambda_costs: FxHashMap<ExprId, u32>,
    /// How many nodes have had their captures computed.
    completed: usize,
    errors: Vec<Diagnostic>,
}

/// The virtual variables of one ENABLED in an instantiated module.
struct Virtuals {
    context: ContextId,
    decls: Vec<lockstep_semantic::hir::DeclId>,
}

impl<'a> Lowerer<'a> {
    fn new(
        spec: &'a Spec,
        config: &'a Config,
        options: &'a Options,
    ) -> Result<Self, Vec<Diagnostic>> {
        let Some(root) = spec.root else {
            return Err(vec![Diagnostic::new(
                "E4200",
                Severity::Error,
                None,
                "there is no module to check",
            )]);
        };
        let (bindings, symbols) = Bindings::new(spec, config, options, root)?;
        let variables = spec
            .variables
            .iter()
            .map(|decl| {
                let decl = spec.decl(*decl);
                crate::ir::VariableInfo { name: decl.name.clone(), span: decl.span }
            })
            .collect();
        let mut module_names = Vec::new();
        for (file, _) in spec.sources.files() {
            let name = spec
                .modules
                .iter()
                .filter(|module| module.span.file == file && module.parent.is_none())
                .min_by_key(|module| module.span.start)
                .map_or_else(Default::default, |module| module.name.clone());
            module_names.push(name);
        }
        let program = Program {
            sources: spec.sources.clone(),
            module_names,
            symbols: Arc::new(symbols),
            variables,
            check_deadlock: config.check_deadlock,
            ..Program::default()
        };
        let mut this = Self {
            spec,
            config,
            options,
            root,
            bindings,
            program,
            effects: Vec::new(),
            act_effects: Vec::new(),
            const_of: FxHashMap::default(),
            contexts: Vec::new(),
            context_of: FxHashMap::default(),
            frames: Vec::new(),
            next_frame: 0,
            function_of: FxHashMap::default(),
            act_function_of: FxHashMap::default(),
            captures: Vec::new(),
            act_captures: Vec::new(),
            function_log: Vec::new(),
            act_function_log: Vec::new(),
            kept: Vec::new(),
            definition_of: FxHashMap::default(),
            substitute_of: FxHashMap::default(),
            memo_of: FxHashMap::default(),
            cost_of: FxHashMap::default(),
            n_copies: 0,
            open: Vec::new(),
            replacing: Vec::new(),
            virtuals: vec![Virtuals { context: ContextId::ROOT, decls: Vec::new() }],
            n_enabled: 0,
            env_needed: FxHashMap::default(),
            costing: None,
            subset_costs: FxHashMap::default(),
            lambda_costs: FxHashMap::default(),
            completed: 0,
            errors: Vec::new(),
        };
        // The root context; its instance is never looked at.
        this.contexts.push(Context {
            parent: ContextId::ROOT,
            instance: InstanceId(0),
            env: Env::default(),
            module: root,
        });
        this.program.warnings = std::mem::take(&mut this.bindings.warnings);
        Ok(this)
    }

    fn frame(&self) -> &Frame<'a> {
        match self.frames.last() {
            Some(frame) => frame,
            None => unreachable!("lowering happens inside a frame"),
        }
    }

    fn frame_mut(&mut self) -> &mut Frame<'a> {
        match self.frames.last_mut() {
            Some(frame) => frame,
            None => unreachable!("lowering happens inside a frame"),
        }
    }

    fn push_frame(&mut self) {
        let id = self.next_frame;
        self.next_frame += 1;
        self.frames.push(Frame { id, max: 0, loops: 0, capture_base: 0, captures: Vec::new() });
    }

    fn pop_frame(&mut self) -> Frame<'a> {
        match self.frames.pop() {
            Some(frame) => frame,
            None => unreachable!("frames are pushed and popped in pairs"),
        }
    }

    /// The place of a formula of the root module.
    fn root_place(&self, mode: Mode) -> Place<'a> {
        Place { env: Env::default(), context: ContextId::ROOT, module: self.root, mode }
    }

    /// Lowers something that is evaluated by itself.
    fn entry(&mut self, lower: impl FnOnce(&mut Self) -> NodeId) -> EntryPoint {
        self.push_frame();
        let node = lower(self);
        let node = self.hoisted(node);
        let frame = self.pop_frame();
        EntryPoint { node, n_slots: frame.max }
    }

    fn error(&mut self, code: &'static str, span: Span, text: impl Into<String>) {
        self.errors.push(Diagnostic::error(code, span, text));
    }

    fn finish(mut self) -> Result<Program, Vec<Diagnostic>> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let as_written = self.options.as_written;
        if !as_written {
            hoist::hoist(&mut self.program, &self.effects);
        }
        complete(&mut self.program);
        if !as_written {
            self.program.images = crate::ir::images(&self.program);
            (self.program.guards, self.program.act_guards) = crate::ir::guards(&self.program);
        }
        self.program.costs.complete();
        Ok(self.program)
    }
}

/// Fills in what is computed from the whole program: strict parameters, captured slots.
fn complete(program: &mut Program) {
    let strict = crate::ir::Strictness::of_all(program);
    for (function, bits) in program.functions.iter_mut().zip(strict) {
        let n = function.n_params + function.n_captures;
        function.strict = (0..n).map(|slot| slot < 64 && bits & (1 << slot) != 0).collect();
    }
    // From scratch: nodes were changed in place after they were first looked at.
    program.captures.clear();
    complete_captures(program, &mut 0);
    for idx in 0..program.acts.len() {
        if let crate::ir::Act::Call { args, .. } = &program.acts[idx] {
            for root in arg_nodes(args) {
                let slots = crate::ir::captures(program, root);
                program.captures.insert(root, slots.into());
            }
        }
    }
    Lowerer::footprints(program);
}

/// Computes the captured slots of the nodes from `completed` on.
fn complete_captures(program: &mut Program, completed: &mut usize) {
    for idx in *completed..program.nodes.len() {
        for root in delayed_nodes(program, NodeId(idx as u32)) {
            let slots = crate::ir::captures(program, root);
            program.captures.insert(root, slots.into());
        }
    }
    *completed = program.nodes.len();
}

/// The nodes that a node may turn into closures: they need to know what they read.
fn delayed_nodes(program: &Program, id: NodeId) -> Vec<NodeId> {
    use crate::ir::Node;
    match program.node(id) {
        Node::Filter { .. } | Node::Function { .. } => vec![id],
        Node::NativeSpecial { args, .. }
        | Node::Call { args, .. }
        | Node::CallOperator { args, .. } => arg_nodes(args),
        _ => Vec::new(),
    }
}

fn arg_nodes(args: &[crate::ir::Arg]) -> Vec<NodeId> {
    use crate::ir::Arg;
    args.iter()
        .filter_map(|arg| match arg {
            Arg::Eager(node) | Arg::Lazy(node) => Some(*node),
            Arg::Memo { body, .. } | Arg::Operator { body, .. } => Some(*body),
            Arg::Slot(_) => None,
        })
        .collect()
}
