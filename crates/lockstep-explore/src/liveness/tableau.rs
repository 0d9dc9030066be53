//! The tableau of a temporal formula: a generalised Büchi automaton.
//!
//! A particle says what must hold now (formulas without temporal operators, about a state and the
//! step that leaves it), what must hold from the next state on, and which `<>` it postpones. The
//! construction is that of Gerth, Peled, Vardi and Wolper (*Simple on-the-fly automatic
//! verification of linear temporal logic*, 1995), restricted to `[]` and `<>`.
//!
//! Invariant: an infinite behaviour satisfies the formula exactly if it has a run through the
//! particles on which no `<>` is postponed for ever.

use super::formula::Formula;

/// One node of the automaton.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Particle {
    /// What holds of the state and the step that leaves it.
    pub now: Vec<Formula>,
    /// What holds from the next state on.
    pub next: Vec<Formula>,
    /// The numbers of the `<>` that are put off to the next state.
    pub postponed: Vec<u32>,
    /// The particles that can follow.
    pub successors: Vec<u32>,
}

/// The automaton of a formula.
#[derive(Clone, Debug, Default)]
pub struct Tableau {
    /// The particles.
    pub particles: Vec<Particle>,
    /// Those a behaviour may start in.
    pub initial: Vec<u32>,
    /// How many `<>` there are: an accepting run meets, for each, infinitely many particles that
    /// do not postpone it.
    pub n_promises: u32,
}

impl Tableau {
    /// The tableau of the conjunction of normal formulas.
    pub fn new(formulas: &[Formula]) -> Tableau {
        let mut builder = Builder::default();
        let initial = builder.particles_for(formulas.to_vec());
        let mut done = 0;
        while done < builder.particles.len() {
            let next = builder.particles[done].next.clone();
            let successors = builder.particles_for(next);
            builder.particles[done].successors = successors;
            done += 1;
        }
        Tableau { particles: builder.particles, initial, n_promises: builder.promises.len() as u32 }
    }
}

#[derive(Default)]
struct Builder {
    particles: Vec<Particle>,
    promises: Vec<Formula>,
}

impl Builder {
    fn particles_for(&mut self, formulas: Vec<Formula>) -> Vec<u32> {
        let mut found = Vec::new();
        let empty = Particle { now: vec![], next: vec![], postponed: vec![], successors: vec![] };
        self.expand(formulas, empty, &mut found);
        let mut ids: Vec<u32> = Vec::new();
        for mut particle in found {
            for part in [&mut particle.now, &mut particle.next] {
                part.sort();
                part.dedup();
            }
            particle.postponed.sort_unstable();
            particle.postponed.dedup();
            let same = |it: &Particle| {
                it.now == particle.now
                    && it.next == particle.next
                    && it.postponed == particle.postponed
            };
            let id = match self.particles.iter().position(same) {
                Some(idx) => idx,
                None => {
                    self.particles.push(particle);
                    self.particles.len() - 1
                }
            } as u32;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    fn expand(&mut self, mut todo: Vec<Formula>, mut so_far: Particle, found: &mut Vec<Particle>) {
        while let Some(f) = todo.pop() {
            if !f.is_temporal() {
                match f {
                    Formula::True => {}
                    Formula::False => return,
                    other => so_far.now.push(other),
                }
                continue;
            }
            match f {
                Formula::And(fs) => todo.extend(fs),
                Formula::Or(fs) => {
                    for f in fs {
                        let mut branch = todo.clone();
                        branch.push(f);
                        self.expand(branch, so_far.clone(), found);
                    }
                    return;
                }
                Formula::Always(inner) => {
                    so_far.next.push(Formula::Always(inner.clone()));
                    todo.push(*inner);
                }
                Formula::Eventually(inner) => {
                    let promise = self.promise(&inner);
                    let mut now = todo.clone();
                    now.push((*inner).clone());
                    self.expand(now, so_far.clone(), found);
                    so_far.next.push(Formula::Eventually(inner));
                    so_far.postponed.push(promise);
                }
                // Normal formulas have no negation above a temporal operator.
                Formula::True | Formula::False | Formula::Atom(_) | Formula::Not(_) => {}
            }
        }
        found.push(so_far);
    }

    fn promise(&mut self, f: &Formula) -> u32 {
        match self.promises.iter().position(|it| it == f) {
            Some(idx) => idx as u32,
            None => {
                self.promises.push(f.clone());
                self.promises.len() as u32 - 1
            }
        }
    }
}
