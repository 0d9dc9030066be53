//! Temporal properties: recording the behaviour graph beside the search, and looking for a lasso.
//!
//! Every leaf of the temporal formulas becomes an atom. While the search runs, each worker logs the
//! truth of all atoms on every step within the model (and on stuttering) as the number of a class,
//! see [`lockstep_explore::liveness`]. Afterwards the logs become one graph whose states are
//! numbered in the order of their fingerprints, so that neither the workers nor their timing show.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use lockstep_eval::ir::{EntryPoint, Fairness, Node, Program, Temporal};
use lockstep_explore::liveness::{Formula, StepLog};
use lockstep_explore::{ActionId, Context, Fingerprint, Recorder};

use crate::fault::{Fault, Phase};
use crate::model::{Model, ModelState, ModelWorker};

/// A leaf of a temporal formula.
#[derive(Clone, Debug)]
pub(crate) enum Atom {
    /// A predicate on a state.
    State(EntryPoint),
    /// A predicate on a step.
    Step(EntryPoint),
}

/// The atoms of all formulas of a model, and the formulas over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemporalModel {
    /// The atoms.
    pub(crate) atoms: Vec<Atom>,
    /// The fairness of the specification.
    pub(crate) fairness: Vec<Formula>,
    /// One formula a temporal property, in order.
    pub(crate) properties: Vec<Formula>,
    atom_of: BTreeMap<(u32, bool), u32>,
    /// Which expressions are the words TRUE and FALSE. What they make of a formula is known before
    /// the search: a property that cannot fail is an error.
    literals: BTreeMap<u32, bool>,
}

impl TemporalModel {
    /// The formulas of a program.
    pub(crate) fn new(program: &Program) -> Self {
        let literals = (program.nodes.iter().enumerate())
            .filter_map(|(idx, node)| match node {
                Node::Bool(value) => Some((idx as u32, *value)),
                _ => None,
            })
            .collect();
        let mut model = Self { literals, ..Self::default() };
        model.fairness =
            program.fairness.iter().map(|it| model.formula(&it.formula, true)).collect();
        model.properties =
            program.temporal_properties.iter().map(|it| model.formula(&it.formula, true)).collect();
        model
    }

    fn atom(&mut self, entry: &EntryPoint, step: bool) -> Formula {
        // One expression is one atom, however often it occurs.
        let id = *self.atom_of.entry((entry.node.0, step)).or_insert_with(|| {
            self.atoms.push(if step {
                Atom::Step(entry.clone())
            } else {
                Atom::State(entry.clone())
            });
            self.atoms.len() as u32 - 1
        });
        Formula::Atom(id)
    }

    /// `top` is whether no `[]` or `<>` is around: there a literal decides, inside it is an atom
    /// like others, as it is to TLC.
    fn formula(&mut self, temporal: &Temporal, top: bool) -> Formula {
        match temporal {
            Temporal::State(entry) => match self.literals.get(&entry.node.0).filter(|_| top) {
                Some(true) => Formula::True,
                Some(false) => Formula::False,
                None => self.atom(entry, false),
            },
            Temporal::Action(entry) => self.atom(entry, true),
            Temporal::Not(f) => self.formula(f, top).negated(),
            Temporal::And(fs) => Formula::And(fs.iter().map(|f| self.formula(f, top)).collect()),
            Temporal::Or(fs) => Formula::Or(fs.iter().map(|f| self.formula(f, top)).collect()),
            Temporal::Always(f) => self.formula(f, false).always(),
            Temporal::Eventually(f) => self.formula(f, false).eventually(),
            Temporal::Fairness(fairness) => self.fairness_formula(fairness),
        }
    }

    /// `WF_v(A)` is `[]<>~ENABLED <<A>>_v \/ []<><<A>>_v`, `SF_v(A)` is
    /// `<>[]~ENABLED <<A>>_v \/ []<><<A>>_v` (*Specifying Systems* §8.4, 8.6).
    fn fairness_formula(&mut self, fairness: &Fairness) -> Formula {
        let disabled = self.atom(&fairness.enabled, false).negated();
        let taken = self.atom(&fairness.step, true).eventually().always();
        let disabled = if fairness.strong {
            disabled.always().eventually()
        } else {
            disabled.eventually().always()
        };
        Formula::Or(vec![disabled, taken])
    }
}

/// Records the graph for a [`TemporalModel`].
pub(crate) struct GraphRecorder<'a> {
    /// The atoms.
    pub(crate) temporal: &'a TemporalModel,
}

/// What one worker recorded.
#[derive(Default)]
pub(crate) struct GraphLog {
    pub(crate) steps: StepLog,
    /// The row of the state being expanded: the atoms about it alone.
    row: Vec<u64>,
    scratch: Vec<u64>,
}

impl GraphRecorder<'_> {
    fn step(
        &self,
        log: &mut GraphLog,
        worker: &mut ModelWorker,
        from: &ModelState,
        to: &ModelState,
    ) -> Result<u32, Fault> {
        let GraphLog { row, scratch, steps } = log;
        scratch.clear();
        scratch.extend_from_slice(row);
        for (idx, atom) in self.temporal.atoms.iter().enumerate() {
            if let Atom::Step(entry) = atom {
                let holds = worker
                    .holds(entry, from, Some(to))
                    .map_err(|error| Fault::new(error, Phase::Liveness))?;
                if holds {
                    scratch[idx / 64] |= 1 << (idx % 64);
                }
            }
        }
        Ok(steps.classes.intern(scratch))
    }
}

impl Recorder<Model> for GraphRecorder<'_> {
    type Log = GraphLog;
    const KEEPS: bool = true;

    fn log(&self, _worker: usize) -> GraphLog {
        GraphLog::default()
    }

    fn save(&self, log: &GraphLog, out: &mut dyn Write) -> io::Result<()> {
        log.steps.save(out)
    }

    fn load(&self, input: &mut dyn Read) -> io::Result<GraphLog> {
        Ok(GraphLog { steps: StepLog::load(input)?, ..GraphLog::default() })
    }

    fn initial(
        &self,
        log: &mut GraphLog,
        _cx: &Context<'_>,
        _worker: &mut ModelWorker,
        _state: &ModelState,
        fingerprint: Fingerprint,
    ) -> Result<(), Fault> {
        log.steps.initial(fingerprint);
        Ok(())
    }

    fn state(
        &self,
        log: &mut GraphLog,
        _cx: &Context<'_>,
        worker: &mut ModelWorker,
        state: &ModelState,
        fingerprint: Fingerprint,
    ) -> Result<(), Fault> {
        log.row.clear();
        log.row.resize(self.temporal.atoms.len().div_ceil(64), 0);
        for (idx, atom) in self.temporal.atoms.iter().enumerate() {
            if let Atom::State(entry) = atom {
                let holds = worker
                    .holds(entry, state, None)
                    .map_err(|error| Fault::new(error, Phase::Liveness))?;
                if holds {
                    log.row[idx / 64] |= 1 << (idx % 64);
                }
            }
        }
        // Stuttering is always possible.
        let class = self.step(log, worker, state, state)?;
        log.steps.state(fingerprint, class);
        Ok(())
    }

    fn edge(
        &self,
        log: &mut GraphLog,
        _cx: &Context<'_>,
        worker: &mut ModelWorker,
        from: (&ModelState, Fingerprint),
        _action: ActionId,
        to: (&ModelState, Fingerprint),
    ) -> Result<(), Fault> {
        if from.1 == to.1 {
            return Ok(());
        }
        let class = self.step(log, worker, from.0, to.0)?;
        log.steps.step(to.1, class);
        Ok(())
    }
}
