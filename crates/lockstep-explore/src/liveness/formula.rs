//! Temporal formulas over numbered atoms, their normal form, and its split into branches.
//!
//! A formula is about a behaviour: state atoms speak of one state, action atoms of one step.
//! `[]` and `<>` are the only temporal operators (`P ~> Q` is `[](P => <>Q)`, WF and SF are
//! conjunctions and disjunctions of `[]<>` and `<>[]`; *Specifying Systems* §8).
//!
//! Invariant: [`Formula::normal`] and [`branches`] keep the meaning of a formula on every infinite
//! behaviour.

/// A temporal formula.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    /// Holds.
    True,
    /// Does not hold.
    False,
    /// An atom, about a state or a step (the graph knows which).
    Atom(u32),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction.
    And(Vec<Formula>),
    /// Disjunction.
    Or(Vec<Formula>),
    /// `[]F`.
    Always(Box<Formula>),
    /// `<>F`.
    Eventually(Box<Formula>),
}

impl Formula {
    /// `[]self`.
    #[must_use]
    pub fn always(self) -> Formula {
        Formula::Always(Box::new(self))
    }

    /// `<>self`.
    #[must_use]
    pub fn eventually(self) -> Formula {
        Formula::Eventually(Box::new(self))
    }

    /// `~self`.
    #[must_use]
    pub fn negated(self) -> Formula {
        Formula::Not(Box::new(self))
    }

    /// Whether `[]` or `<>` occurs.
    pub fn is_temporal(&self) -> bool {
        match self {
            Formula::True | Formula::False | Formula::Atom(_) => false,
            Formula::Not(f) => f.is_temporal(),
            Formula::And(fs) | Formula::Or(fs) => fs.iter().any(Formula::is_temporal),
            Formula::Always(_) | Formula::Eventually(_) => true,
        }
    }

    /// Whether there is no temporal operator, and every atom is one that `wanted` accepts.
    pub fn is_about(&self, wanted: &dyn Fn(u32) -> bool) -> bool {
        match self {
            Formula::True | Formula::False => true,
            Formula::Atom(id) => wanted(*id),
            Formula::Not(f) => f.is_about(wanted),
            Formula::And(fs) | Formula::Or(fs) => fs.iter().all(|f| f.is_about(wanted)),
            Formula::Always(_) | Formula::Eventually(_) => false,
        }
    }

    /// The value of a formula without temporal operators, given its atoms.
    pub fn holds(&self, atom: &impl Fn(u32) -> bool) -> bool {
        match self {
            Formula::True => true,
            Formula::False => false,
            Formula::Atom(id) => atom(*id),
            Formula::Not(f) => !f.holds(atom),
            Formula::And(fs) => fs.iter().all(|f| f.holds(atom)),
            Formula::Or(fs) => fs.iter().any(|f| f.holds(atom)),
            Formula::Always(f) | Formula::Eventually(f) => f.holds(atom),
        }
    }

    /// Negations pushed to formulas without temporal operators, nested `[]` and `<>` collapsed,
    /// `[]` distributed over `/\` and `<>` over `\/`, constants folded.
    #[must_use]
    pub fn normal(&self) -> Formula {
        self.push(false)
    }

    fn push(&self, negate: bool) -> Formula {
        if !self.is_temporal() {
            return if negate { not(self.clone()) } else { fold(self.clone()) };
        }
        match self {
            Formula::True | Formula::False | Formula::Atom(_) => {
                if negate {
                    not(self.clone())
                } else {
                    self.clone()
                }
            }
            Formula::Not(f) => f.push(!negate),
            Formula::And(fs) | Formula::Or(fs) => {
                let is_and = matches!(self, Formula::And(_)) != negate;
                let parts = fs.iter().map(|f| f.push(negate));
                if is_and { conjunction(parts) } else { disjunction(parts) }
            }
            Formula::Always(f) | Formula::Eventually(f) => {
                let inner = f.push(negate);
                let always = matches!(self, Formula::Always(_)) != negate;
                if always { box_of(inner) } else { diamond_of(inner) }
            }
        }
    }
}

fn not(f: Formula) -> Formula {
    match f {
        Formula::True => Formula::False,
        Formula::False => Formula::True,
        Formula::Not(f) => *f,
        other => Formula::Not(Box::new(other)),
    }
}

fn fold(f: Formula) -> Formula {
    match f {
        Formula::And(fs) => conjunction(fs.into_iter().map(fold)),
        Formula::Or(fs) => disjunction(fs.into_iter().map(fold)),
        Formula::Not(f) => not(fold(*f)),
        other => other,
    }
}

/// The conjunction, flattened.
pub fn conjunction(parts: impl IntoIterator<Item = Formula>) -> Formula {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Formula::True => {}
            Formula::False => return Formula::False,
            Formula::And(fs) => all.extend(fs),
            other => all.push(other),
        }
    }
    all.sort();
    all.dedup();
    match all.len() {
        0 => Formula::True,
        1 => all.swap_remove(0),
        _ => Formula::And(all),
    }
}

/// The disjunction, flattened.
pub fn disjunction(parts: impl IntoIterator<Item = Formula>) -> Formula {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Formula::False => {}
            Formula::True => return Formula::True,
            Formula::Or(fs) => all.extend(fs),
            other => all.push(other),
        }
    }
    all.sort();
    all.dedup();
    match all.len() {
        0 => Formula::False,
        1 => all.swap_remove(0),
        _ => Formula::Or(all),
    }
}

/// `[]f` for a normal `f`.
fn box_of(f: Formula) -> Formula {
    match f {
        Formula::True | Formula::False | Formula::Always(_) => f,
        Formula::And(fs) if fs.iter().any(Formula::is_temporal) => {
            conjunction(fs.into_iter().map(box_of))
        }
        // []<>[]f is <>[]f, and []<>(f \/ g) is []<>f \/ []<>g.
        Formula::Eventually(inner) => match *inner {
            Formula::Always(_) => Formula::Eventually(inner),
            Formula::Or(fs) if fs.iter().any(Formula::is_temporal) => {
                disjunction(fs.into_iter().map(|it| box_of(diamond_of(it))))
            }
            other => Formula::Eventually(Box::new(other)).always(),
        },
        // [](<>f \/ <>g) is []<>(f \/ g): one promise instead of two. Not where f is temporal, because
        // the diamond would be distributed again.
        Formula::Or(fs)
            if fs.iter().all(|it| matches!(it, Formula::Eventually(f) if !f.is_temporal())) =>
        {
            let inner = fs.into_iter().map(|it| match it {
                Formula::Eventually(f) => *f,
                other => other,
            });
            box_of(diamond_of(disjunction(inner)))
        }
        // A disjunct that does not change along a behaviour (its tail has it exactly if the
        // whole has it) can leave the box.
        Formula::Or(fs) if fs.iter().any(is_tail_invariant) => {
            let (stable, moving): (Vec<_>, Vec<_>) = fs.into_iter().partition(is_tail_invariant);
            disjunction(stable.into_iter().chain([box_of(disjunction(moving))]))
        }
        other => other.always(),
    }
}

/// `<>f` for a normal `f`.
fn diamond_of(f: Formula) -> Formula {
    match f {
        Formula::True | Formula::False | Formula::Eventually(_) => f,
        Formula::Or(fs) if fs.iter().any(Formula::is_temporal) => {
            disjunction(fs.into_iter().map(diamond_of))
        }
        Formula::Always(inner) => match *inner {
            Formula::Eventually(_) => Formula::Always(inner),
            Formula::And(fs) if fs.iter().any(Formula::is_temporal) => {
                conjunction(fs.into_iter().map(|it| diamond_of(box_of(it))))
            }
            other => Formula::Always(Box::new(other)).eventually(),
        },
        Formula::And(fs)
            if fs.iter().all(|it| matches!(it, Formula::Always(f) if !f.is_temporal())) =>
        {
            let inner = fs.into_iter().map(|it| match it {
                Formula::Always(f) => *f,
                other => other,
            });
            diamond_of(box_of(conjunction(inner)))
        }
        Formula::And(fs) if fs.iter().any(is_tail_invariant) => {
            let (stable, moving): (Vec<_>, Vec<_>) = fs.into_iter().partition(is_tail_invariant);
            conjunction(stable.into_iter().chain([diamond_of(conjunction(moving))]))
        }
        other => other.eventually(),
    }
}

/// `[]<>f` and `<>[]f`: true of a behaviour exactly if true of each of its tails.
fn is_tail_invariant(f: &Formula) -> bool {
    match f {
        Formula::Always(f) => matches!(**f, Formula::Eventually(_)),
        Formula::Eventually(f) => matches!(**f, Formula::Always(_)),
        Formula::And(fs) | Formula::Or(fs) => fs.iter().all(is_tail_invariant),
        Formula::True | Formula::False | Formula::Atom(_) | Formula::Not(_) => false,
    }
}

/// What the steps of a cycle must satisfy. The formulas have no temporal operators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// `[]<>p`: some step.
    Infinitely(Formula),
    /// `<>[]p`: every step.
    Finally(Formula),
    /// `<>[]~p \/ []<>q`: no step with `p`, or some step with `q` (a Streett pair; strong
    /// fairness has this form).
    Streett(Formula, Formula),
}

/// One way to satisfy a formula: conditions on the cycle, and a formula for the tableau.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Branch {
    /// What the cycle must satisfy.
    pub conditions: Vec<Condition>,
    /// What the whole behaviour must satisfy.
    pub rest: Vec<Formula>,
}

/// Splits a formula into branches whose disjunction it is. `None` when there would be more than
/// `limit` of them.
pub fn branches(formula: &Formula, limit: usize) -> Option<Vec<Branch>> {
    let mut done = vec![Branch::default()];
    let conjuncts = match formula.normal() {
        Formula::And(fs) => fs,
        other => vec![other],
    };
    for conjunct in &conjuncts {
        let choices = choices(conjunct, limit)?;
        let mut next = Vec::new();
        for branch in &done {
            for choice in &choices {
                let mut both = branch.clone();
                for condition in &choice.conditions {
                    if !both.conditions.contains(condition) {
                        both.conditions.push(condition.clone());
                    }
                }
                both.rest.extend(choice.rest.iter().cloned());
                next.push(both);
            }
        }
        if next.len() > limit {
            return None;
        }
        done = next;
    }
    Some(done)
}

fn choices(f: &Formula, limit: usize) -> Option<Vec<Branch>> {
    let with = |condition| vec![Branch { conditions: vec![condition], rest: vec![] }];
    Some(match f {
        Formula::True => vec![Branch::default()],
        Formula::False => vec![],
        Formula::Or(fs) => {
            let mut infinitely = Vec::new();
            let mut finally = Vec::new();
            let mut others = Vec::new();
            for f in fs {
                match as_condition(f) {
                    Some(Condition::Infinitely(p)) => infinitely.push(p),
                    Some(Condition::Finally(p)) => finally.push(p),
                    _ => others.push(f),
                }
            }
            let mut all = Vec::new();
            // []<>p \/ []<>q is []<>(p \/ q); with one <>[] beside it, it is a Streett pair.
            match (infinitely.is_empty(), finally.len()) {
                (false, 1) => all.extend(with(Condition::Streett(
                    not(finally.swap_remove(0)),
                    disjunction(infinitely),
                ))),
                (no_infinitely, _) => {
                    if !no_infinitely {
                        all.extend(with(Condition::Infinitely(disjunction(infinitely))));
                    }
                    for p in finally {
                        all.extend(with(Condition::Finally(p)));
                    }
                }
            }
            for f in others {
                all.extend(branches(f, limit)?);
            }
            if all.len() > limit {
                return None;
            }
            all
        }
        other => match as_condition(other) {
            Some(condition) => with(condition),
            None => vec![Branch { conditions: vec![], rest: vec![other.clone()] }],
        },
    })
}

fn as_condition(f: &Formula) -> Option<Condition> {
    match f {
        Formula::Always(inner) => match &**inner {
            Formula::Eventually(p) if !p.is_temporal() => {
                Some(Condition::Infinitely((**p).clone()))
            }
            _ => None,
        },
        Formula::Eventually(inner) => match &**inner {
            Formula::Always(p) if !p.is_temporal() => Some(Condition::Finally((**p).clone())),
            _ => None,
        },
        _ => None,
    }
}
