//! Which archetypes a query matches: canonical expressions and their lists.
//!
//! Invariant: a `MatchSet` lists, in order of creation, exactly the archetypes its expression holds for. Two queries whose
//! expressions are equal after sorting and removal of repeats share one set. An archetype is tested once per set, when it is made.

use crate::component::ComponentId;
use crate::storage::archetype::Archetype;
use rustc_hash::FxHashMap;

/// A question to an archetype.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// Always.
    True,
    /// Has the component.
    With(ComponentId),
    /// Lacks the component.
    Without(ComponentId),
    /// All hold.
    All(Vec<Expr>),
    /// At least one holds.
    Any(Vec<Expr>),
}

impl Expr {
    pub(crate) fn holds(&self, archetype: &Archetype) -> bool {
        match self {
            Expr::True => true,
            Expr::With(c) => archetype.has(*c),
            Expr::Without(c) => !archetype.has(*c),
            Expr::All(all) => all.iter().all(|e| e.holds(archetype)),
            Expr::Any(any) => any.iter().any(|e| e.holds(archetype)),
        }
    }
    pub(crate) fn mentions(&self, c: ComponentId) -> bool {
        match self {
            Expr::True => false,
            Expr::With(x) | Expr::Without(x) => *x == c,
            Expr::All(list) | Expr::Any(list) => list.iter().any(|e| e.mentions(c)),
        }
    }
    pub(crate) fn canonical(self) -> Expr {
        match self {
            Expr::All(list) => {
                let mut out = Vec::new();
                for e in list {
                    match e.canonical() {
                        Expr::True => {}
                        Expr::All(inner) => out.extend(inner),
                        e => out.push(e),
                    }
                }
                out.sort();
                out.dedup();
                match out.len() {
                    0 => Expr::True,
                    1 => out.remove(0),
                    _ => Expr::All(out),
                }
            }
            Expr::Any(list) => {
                let mut out: Vec<Expr> = list.into_iter().map(Expr::canonical).collect();
                out.sort();
                out.dedup();
                if out.contains(&Expr::True) {
                    Expr::True
                } else if out.len() == 1 {
                    out.remove(0)
                } else {
                    Expr::Any(out)
                }
            }
            e => e,
        }
    }
}

#[derive(Debug)]
pub(crate) struct MatchSet {
    pub(crate) expr: Expr,
    pub(crate) archetypes: Vec<u32>,
    pub(crate) tests: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Matches {
    pub(crate) sets: Vec<MatchSet>,
    by_expr: FxHashMap<Expr, u32>,
}

impl Matches {
    pub(crate) fn set<'a>(
        &mut self,
        expr: Expr,
        archetypes: impl Iterator<Item = &'a Archetype>,
    ) -> u32 {
        let expr = expr.canonical();
        if let Some(&id) = self.by_expr.get(&expr) {
            return id;
        }
        let mut set = MatchSet { expr: expr.clone(), archetypes: Vec::new(), tests: 0 };
        archetypes.for_each(|a| set.test(a));
        let id = self.sets.len() as u32;
        self.sets.push(set);
        self.by_expr.insert(expr, id);
        id
    }
    pub(crate) fn add_archetype(&mut self, archetype: &Archetype) {
        self.sets.iter_mut().for_each(|s| s.test(archetype));
    }
    /// Forgets archetypes from `len` on.
    pub(crate) fn truncate(&mut self, len: u32) {
        for set in &mut self.sets {
            let keep = set.archetypes.partition_point(|&a| a < len);
            set.archetypes.truncate(keep);
        }
    }
}

impl MatchSet {
    fn test(&mut self, archetype: &Archetype) {
        self.tests += 1;
        if self.expr.holds(archetype) {
            self.archetypes.push(archetype.id);
        }
    }
}
