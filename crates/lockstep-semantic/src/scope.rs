//! The names visible at one point of a module, with an undo log.
//!
//! Invariant: TLA+ has no shadowing, so a name has at most one meaning at a time; a clash is an
//! error, after which the newer meaning hides the older one until its scope is left.

use std::rc::Rc;

use lockstep_syntax::Span;
use lockstep_syntax::ast::Name;
use rustc_hash::FxHashMap;

use crate::builtins::{PREDEFINED, Predefined};
use crate::hir::{DeclId, DefinitionId, ExprId, InstanceId, InstanceStep, LocalId};

/// The instances to go through, shared between the many names one INSTANCE imports.
pub(crate) type Path = Rc<[InstanceStep]>;

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// A predefined operator.
    Predefined(Predefined),
    /// A bound variable, a parameter, or a declaration of ASSUME/PROVE.
    Local(LocalId),
    /// A CONSTANT or VARIABLE.
    Decl(DeclId),
    /// A definition.
    Definition { path: Path, id: DefinitionId },
    /// `N` of `N == INSTANCE M`.
    Instance { path: Path, id: InstanceId },
    /// A step of a proof.
    Step(Step),
}

/// A step of a proof as a name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A formula, or the definition that stands for it.
    Formula(DefinitionId),
    /// A step that is no formula: its keyword, and a definition whose body has its parts.
    Other { keyword: &'static str, part: Option<DefinitionId> },
}

/// A name's meaning and where it got it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) symbol: Symbol,
    /// `None` for predefined names.
    pub(crate) span: Option<Span>,
}

/// The names visible at one point.
#[derive(Debug)]
pub(crate) struct Scope {
    map: FxHashMap<Name, Entry>,
    undo: Vec<(Name, Option<Entry>)>,
}

/// A point to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

impl Scope {
    /// The scope with the predefined names alone.
    pub(crate) fn new() -> Self {
        let map = PREDEFINED
            .iter()
            .map(|(name, meaning)| {
                let entry = Entry { symbol: Symbol::Predefined(*meaning), span: None };
                (Name::new_static(name), entry)
            })
            .collect();
        Self { map, undo: Vec::new() }
    }

    /// The meaning of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.map.get(name)
    }

    /// Gives a name a meaning until the enclosing mark is restored; returns the meaning it hides.
    pub(crate) fn set(&mut self, name: Name, symbol: Symbol, span: Span) -> Option<Entry> {
        let old = self.map.insert(name.clone(), Entry { symbol, span: Some(span) });
        self.undo.push((name, old.clone()));
        old
    }

    /// The current point.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.undo.len())
    }

    /// Forgets every name set since `mark`.
    pub(crate) fn restore(&mut self, mark: Mark) {
        while self.undo.len() > mark.0 {
            let Some((name, old)) = self.undo.pop() else { return };
            match old {
                Some(entry) => self.map.insert(name, entry),
                None => self.map.remove(&name),
            };
        }
    }

    /// All visible names, sorted.
    pub(crate) fn names(&self) -> Vec<&Name> {
        #[expect(clippy::iter_over_hash_type, reason = "sorted below")]
        let mut names: Vec<&Name> = {
            let mut names = Vec::with_capacity(self.map.len());
            for name in self.map.keys() {
                names.push(name);
            }
            names
        };
        names.sort();
        names
    }
}

/// A label with what is below it, as the names `Op!lab!inner` see it.
#[derive(Clone, Debug)]
pub(crate) struct LabelNode {
    pub(crate) name: Name,
    pub(crate) span: Span,
    pub(crate) params: Vec<LocalId>,
    pub(crate) body: ExprId,
    /// LET definitions in scope at the label.
    pub(crate) lets: Vec<DefinitionId>,
    pub(crate) children: Vec<LabelNode>,
}
