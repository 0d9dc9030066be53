//! A lowered specification with its model: everything that workers share.

use std::sync::Arc;

use lockstep_syntax::{Diagnostic, SourceMap, Span};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::action::{Act, ActId};
use super::analysis::Effects;
use super::costs::Costs;
use super::guard::Guard;
use super::image::Image;
use super::node::{Node, NodeId, Slot};
use super::temporal::TemporalProperty;
use crate::value::Symbols;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The place in its arena.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A function (a definition with its own frame).
    FunctionId;
    /// A recursive action.
    ActFunctionId;
    /// A hoisted constant expression.
    ConstId;
    /// A state-level definition that is kept per state.
    MemoId;
}

/// A value as bytes, to cross threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frozen(pub Arc<[u8]>);

/// A definition with its own frame.
#[derive(Clone, Debug)]
pub struct NodeFunction {
    /// Its name.
    pub name: SmolStr,
    /// Where it is defined.
    pub span: Span,
    /// How many parameters; they are the first slots, the captured ones follow.
    pub n_params: u16,
    /// How many captured slots.
    pub n_captures: u16,
    /// How many slots.
    pub n_slots: u16,
    /// The body.
    pub body: NodeId,
    /// Which parameters and captures are read in any case.
    pub strict: Box<[bool]>,
    /// What evaluating it may do.
    pub effects: Effects,
}

/// A recursive action with its own frame.
#[derive(Clone, Debug)]
pub struct ActFunction {
    /// Its name.
    pub name: SmolStr,
    /// Where it is defined.
    pub span: Span,
    /// How many parameters and captures.
    pub n_params: u16,
    /// How many slots.
    pub n_slots: u16,
    /// The body.
    pub body: ActId,
}

/// An expression that can be evaluated by itself.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    /// The expression.
    pub node: NodeId,
    /// How many slots it needs.
    pub n_slots: u16,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct VariableInfo {
    /// Its name.
    pub name: SmolStr,
    /// Where it is declared.
    pub span: Span,
}

/// A part of Next (or Init) with the values of the bound names above it.
#[derive(Clone, Debug)]
pub struct ActionInfo {
    /// The innermost definition entered; `Next`'s own name for an unnamed part.
    pub name: SmolStr,
    /// The part's text, as TLC shows it.
    pub span: Span,
    /// The parameters of that definition with their values.
    pub params: Vec<(SmolStr, Frozen)>,
    /// All bound names above the part with their values, outermost first.
    pub context: Vec<(SmolStr, Frozen)>,
    /// The action.
    pub body: ActId,
    /// How many slots it needs.
    pub n_slots: u16,
    /// Slots filled before it starts.
    pub presets: Vec<(Slot, Frozen)>,
    /// The variables of the present state it may read, by number; sorted.
    pub reads: Vec<u16>,
    /// The variables of the next state it may write; sorted.
    pub writes: Vec<u16>,
    /// Whether it prints, sets registers or draws random values.
    pub impure: bool,
}

/// Something to check or evaluate, by name.
#[derive(Clone, Debug)]
pub struct Property {
    /// The name in the configuration.
    pub name: SmolStr,
    /// Where its definition (or the part of it meant) stands.
    pub span: Span,
    /// What to evaluate.
    pub entry: EntryPoint,
}

/// A lowered specification with its model.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The texts, for messages.
    pub sources: SourceMap,
    /// The names of modules by file, for locations as TLC prints them: the file's first module.
    pub module_names: Vec<SmolStr>,
    /// Strings and model values.
    pub symbols: Arc<Symbols>,
    /// The variables in order of declaration.
    pub variables: Vec<VariableInfo>,
    /// Expressions.
    pub nodes: Vec<Node>,
    /// Their texts.
    pub spans: Vec<Span>,
    /// Actions.
    pub acts: Vec<Act>,
    /// Their texts.
    pub act_spans: Vec<Span>,
    /// Definitions with their own frames.
    pub functions: Vec<NodeFunction>,
    /// Recursive actions.
    pub act_functions: Vec<ActFunction>,
    /// Hoisted constant expressions.
    pub consts: Vec<EntryPoint>,
    /// How many state-level definitions are kept per state.
    pub n_memos: u32,
    /// Values of the configuration.
    pub frozen: Vec<Frozen>,
    /// Nodes that definitions stand for: their names and where they are used, innermost first.
    /// Several where the body of a definition is nothing but another one.
    pub frames: FxHashMap<NodeId, Vec<(SmolStr, Span)>>,
    /// The same for actions.
    pub act_frames: FxHashMap<ActId, Vec<(SmolStr, Span)>>,
    /// The slots that lazily evaluated nodes read from outside, by node.
    pub captures: FxHashMap<NodeId, Box<[Slot]>>,
    /// The filters that can be evaluated as a whole. Without them every element is looked at.
    pub images: FxHashMap<NodeId, Image>,
    /// The loops that first ask for the kind of an element.
    pub guards: FxHashMap<NodeId, Guard>,
    /// The same of actions.
    pub act_guards: FxHashMap<ActId, Guard>,

    /// The parts of Init; empty when there is no behaviour to explore.
    pub init: Vec<ActionInfo>,
    /// The parts of Next.
    pub actions: Vec<ActionInfo>,
    /// Whether there is a next-state relation. Without one, a state that needs a successor is
    /// TLC's error 2115.
    pub has_next: bool,
    /// Assumptions in order.
    pub assumptions: Vec<Property>,
    /// Invariants: INVARIANT first, then those that came from PROPERTY.
    pub invariants: Vec<Property>,
    /// How many of `invariants` came from INVARIANT.
    pub n_plain_invariants: usize,
    /// Predicates of PROPERTY checked on initial states only.
    pub initial_properties: Vec<Property>,
    /// `[A]_v` of PROPERTY, checked on every step.
    pub action_properties: Vec<Property>,
    /// What is left of PROPERTY for liveness checking.
    pub temporal_properties: Vec<TemporalProperty>,
    /// Fairness and other temporal conjuncts of SPECIFICATION.
    pub fairness: Vec<TemporalProperty>,
    /// CONSTRAINT.
    pub constraints: Vec<Property>,
    /// ACTION_CONSTRAINT.
    pub action_constraints: Vec<Property>,
    /// VIEW.
    pub view: Option<Property>,
    /// SYMMETRY: the set of permutations as an expression.
    pub symmetry: Option<Property>,
    /// ALIAS.
    pub alias: Option<Property>,
    /// POSTCONDITION.
    pub postconditions: Vec<Property>,
    /// Statements of the configuration whose value does not depend on the state, with what they
    /// are. One that is FALSE is a mistake of the configuration.
    pub constant_statements: Vec<(&'static str, Property)>,
    /// `_POSSIBLE` with whether it is about a step.
    pub possible: Vec<(Property, bool)>,
    /// `_PERIODIC`.
    pub periodic: Option<Property>,
    /// `_RL_REWARD`.
    pub rl_reward: Option<Property>,
    /// CHECK_DEADLOCK, if the configuration says so.
    pub check_deadlock: Option<bool>,
    /// What is counted, when evaluations are.
    pub costs: Costs,
    /// Warnings of lowering.
    pub warnings: Vec<Diagnostic>,
}

impl Program {
    /// An expression.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// An action.
    #[inline]
    pub fn act(&self, id: ActId) -> &Act {
        &self.acts[id.index()]
    }

    /// The text of an expression.
    pub fn span(&self, id: NodeId) -> Span {
        self.spans[id.index()]
    }

    /// How many variables a state has.
    #[inline]
    pub fn n_variables(&self) -> usize {
        self.variables.len()
    }

    /// `line 3, col 1 to line 3, col 9 of module M`, as TLC writes a place.
    pub fn location(&self, span: Span) -> String {
        let it = self.sources.location(span);
        let module =
            self.module_names.get(span.file.0 as usize).map_or("--unknown--", |name| name.as_str());
        format!(
            "line {}, col {} to line {}, col {} of module {module}",
            it.line, it.col, it.end_line, it.end_col
        )
    }
}
