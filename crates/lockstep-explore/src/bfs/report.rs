//! The end of a search: traces and statistics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

use lockstep_runtime::{Fingerprint, TableLeader};

use super::Leader;
use super::worker::{Finding, Tally, Way, Worker, count};
use crate::outcome::{Outcome, Outdegree, Statistics, TraceStep, Verdict, Violation};
use crate::record::Recorder;
use crate::system::{Context, TransitionSystem};
use crate::trace::replay;

/// How many states have how many new successors.
///
/// A level that is run alone counts them directly. In a shared level a new state is a child of the parent that its link
/// names when the level has ended; who that is comes out when the child is taken up, one level later.
#[derive(Debug, Default)]
pub(super) struct Degrees {
    /// Indexed by the number of new successors.
    pub(super) histogram: Vec<u64>,
    /// States of the last shared level, whose children have not been asked yet.
    pub(super) childless: u64,
    pub(super) any_shared: bool,
}

impl Degrees {
    /// Counts a level that was run alone; `tagged` if the level of its states was shared.
    pub(super) fn level_alone(&mut self, tally: &mut Tally, tagged: bool) {
        self.settle(tally, tagged);
        for (degree, n) in std::mem::take(&mut tally.degrees).into_iter().enumerate() {
            *count(&mut self.histogram, degree) += n;
        }
    }

    /// Counts a shared level.
    pub(super) fn shared_level(&mut self, tally: &mut Tally, tagged: bool) {
        self.settle(tally, tagged);
        self.any_shared = true;
        self.childless = tally.expanded;
    }

    /// The children of the last shared level have named their parents.
    pub(super) fn settle(&mut self, tally: &mut Tally, tagged: bool) {
        let mut parents = std::mem::take(&mut tally.parents);
        if !tagged {
            return;
        }
        parents.sort_unstable();
        for children in parents.chunk_by(|a, b| a == b) {
            *count(&mut self.histogram, children.len()) += 1;
            self.childless = self.childless.saturating_sub(1);
        }
        *count(&mut self.histogram, 0) += std::mem::take(&mut self.childless);
    }

    pub(super) fn any_shared(&self) -> bool {
        self.any_shared
    }

    fn outdegree(&self) -> Option<Outdegree> {
        let states: u64 = self.histogram.iter().sum();
        let children: u64 =
            (0..).zip(&self.histogram).map(|(degree, n): (u64, &u64)| degree * n).sum();
        // The least degree that a share of the states does not exceed.
        let at = |share: u64| {
            let mut below = 0;
            self.histogram.iter().position(|n| {
                below += n;
                below >= share.max(1)
            })
        };
        Some(Outdegree {
            average: children as f64 / states as f64,
            minimum: at(1)? as u32,
            maximum: at(states)? as u32,
            percentile_95: at((states * 95).div_ceil(100))? as u32,
        })
        .filter(|_| states > 0)
    }
}

impl<S: TransitionSystem, R: Recorder<S>> Leader<'_, S, R> {
    /// Ends the search.
    pub(super) fn finish(
        &mut self,
        verdict: Verdict,
        me: &mut Worker<'_, S, R>,
        table: &mut TableLeader<'_>,
    ) {
        let options = self.shared.options;
        if self.tagged && (options.coverage || options.outdegree) {
            // The last states have not been asked for their parents.
            for chunk in &self.frontier.chunks {
                for (fingerprint, _) in chunk.entries(self.shared.width) {
                    me.credit(table.close(fingerprint));
                }
            }
            let mut tally = me.deliver().tally;
            self.degrees.settle(&mut tally, true);
            self.totals.add(tally);
        }
        let any_shared = self.degrees.any_shared();
        let mut actions = std::mem::take(&mut self.totals.actions);
        if any_shared && !options.coverage {
            actions.iter_mut().for_each(|it| it.distinct = 0);
        }
        let known = options.outdegree || !any_shared;
        let statistics = Statistics {
            counters: self.counters,
            initial_generated: self.initial.0,
            initial_distinct: self.initial.1,
            levels: std::mem::take(&mut self.levels),
            actions,
            excluded: std::mem::take(&mut self.totals.excluded),
            outdegree: self.degrees.outdegree().filter(|_| known),
            table_bytes: self.table_bytes,
            frontier_bytes: self.frontier_most,
        };
        let mut fresh = None;
        let scratch = if me.fallen() {
            // The scratch is in doubt; a trace deserves a sound one.
            fresh.insert(self.shared.system.worker(0))
        } else {
            me.scratch()
        };
        let findings = std::mem::take(&mut self.findings);
        let verdict = if findings.is_empty() { verdict } else { Verdict::Violated };
        let violations = findings
            .into_iter()
            .map(|finding| {
                let trace = self.trace(&finding, scratch, table);
                Violation { kind: finding.kind, trace }
            })
            .collect();
        self.outcome = Some(Outcome { verdict, violations, statistics });
        self.stage.plan.write().unwrap_or_else(PoisonError::into_inner).go = false;
    }

    /// The way to a finding. As far as it can be had, should it not be had wholly.
    fn trace(
        &self,
        finding: &Finding<S::Error>,
        scratch: &mut S::Worker,
        table: &TableLeader<'_>,
    ) -> Vec<TraceStep> {
        let shared = self.shared;
        let mut longest = Vec::new();
        let mut walk = |way: &[Fingerprint]| {
            let mut cx = Context { level: 0, counters: self.counters, stop: &shared.stop };
            let steps = catch_unwind(AssertUnwindSafe(|| {
                replay(shared.system, scratch, &mut cx, way, shared.width)
            }))
            .unwrap_or_default();
            if steps.len() > longest.len() {
                longest.clone_from(&steps);
            }
            (steps.len() == way.len()).then_some(steps)
        };
        let (length, last) = (finding.key.length, finding.key.last);
        let found = match finding.way {
            Way::Nowhere => Some(Vec::new()),
            Way::Initial => walk(&[last]),
            Way::To => shared.form.ways(table, last, length, &mut walk),
            Way::From(parent) => shared.form.ways(table, parent, length - 1, &mut |way| {
                let mut way = way.to_vec();
                way.push(last);
                walk(&way)
            }),
        };
        found.unwrap_or(longest)
    }
}
