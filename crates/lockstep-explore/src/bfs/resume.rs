//! A breadth-first search as a checkpoint, and a checkpoint as a search.
//!
//! Written at a fence, while nobody else runs. A state goes in as [`TransitionSystem::export`] has it, so nothing in it is
//! a number of this process. Keys and links go in as they are; which of them are still open is told by the frontier.
//!
//! Invariant: after `restore` the leader stands where it stood when `write` was called, so the rest of the search, its
//! counts and its traces are those of a search that was never stopped. Findings are never written: with one the search
//! ends or, told to go on, makes no more checkpoints, and whoever recovers finds it again.

use std::io::{self, Read, Write};
use std::sync::PoisonError;

use lockstep_runtime::{Fingerprint, Key, TableLeader};

use super::frontier::Writer;
use super::worker::{Tally, Worker};
use super::{Leader, lock};
use crate::checkpoint::parts::{put, put_all, put_bytes, take, take_all, take_bytes};
use crate::outcome::ActionCount;
use crate::record::Recorder;
use crate::system::TransitionSystem;

/// Raised whenever what is written changes.
const VERSION: u64 = 1;

fn put_print(out: &mut dyn Write, it: Fingerprint) -> io::Result<()> {
    out.write_all(&it.0.to_le_bytes())
}

fn take_print(input: &mut dyn Read) -> io::Result<Fingerprint> {
    let mut bytes = [0; 16];
    input.read_exact(&mut bytes)?;
    Ok(Fingerprint(u128::from_le_bytes(bytes)))
}

impl<S: TransitionSystem, R: Recorder<S>> Leader<'_, S, R> {
    /// What must be the same for a checkpoint to be of use.
    fn form(&self) -> [u64; 5] {
        let options = self.shared.options;
        [
            VERSION,
            u64::from(self.shared.width),
            u64::from(options.coverage),
            u64::from(options.outdegree),
            options.serial_below as u64,
        ]
    }

    /// Makes a checkpoint if one is due and possible.
    pub(super) fn checkpoint(&mut self, me: &mut Worker<'_, S, R>, table: &TableLeader<'_>) {
        let progress = self.progress(true);
        if !R::KEEPS || !self.findings.is_empty() || !self.checkpoints.due(&progress) {
            return;
        }
        // Lent out for the call, which needs the rest of the leader.
        let checkpoints = std::mem::replace(&mut self.checkpoints, Box::new(crate::NoCheckpoints));
        let mut checkpoints = checkpoints;
        checkpoints.save(&mut |out| self.write(me, table, out));
        self.checkpoints = checkpoints;
    }

    fn write(
        &self,
        me: &mut Worker<'_, S, R>,
        table: &TableLeader<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        put_all(out, self.form().into_iter())?;
        let flags = [self.tagged, self.ordered, self.degrees.any_shared].map(u64::from);
        put_all(out, flags.into_iter())?;
        let totals = &self.totals;
        let numbers = [
            u64::from(self.level),
            totals.generated,
            totals.distinct,
            totals.expanded,
            self.unexpanded,
            self.initial.0,
            self.initial.1,
            self.frontier_most,
            self.degrees.childless,
        ];
        put_all(out, numbers.into_iter())?;
        put_all(out, self.levels.iter().copied())?;
        put_all(out, self.degrees.histogram.iter().copied())?;
        put_all(out, totals.actions.iter().map(|it| it.distinct))?;
        put_all(out, totals.actions.iter().map(|it| it.generated))?;
        put_all(out, totals.excluded.iter().copied())?;
        put(out, self.frontier.states as u64)?;
        let mut exported = Vec::new();
        for (fingerprint, bytes) in
            self.frontier.chunks.iter().flat_map(|it| it.entries(self.shared.width))
        {
            exported.clear();
            self.shared.system.export(me.scratch(), bytes, &mut exported);
            put_print(out, fingerprint)?;
            put_bytes(out, &exported)?;
        }
        put(out, table.len() as u64)?;
        let mut result = Ok(());
        table.between(Fingerprint(0), Fingerprint(u128::MAX), |fingerprint, link| {
            if result.is_ok() {
                result = put_print(out, fingerprint).and_then(|()| put(out, link));
            }
        });
        result?;
        let recorder = self.shared.recorder;
        let logs: Vec<_> = self.stage.logs.iter().map(lock).collect();
        let logs: Vec<&R::Log> = std::iter::once(me.log())
            .chain(self.kept.iter())
            .chain(logs.iter().skip(1).filter_map(|it| it.as_ref()))
            .collect();
        put(out, logs.len() as u64)?;
        logs.into_iter().try_for_each(|log| recorder.save(log, out))
    }

    /// Goes on from a checkpoint. Whatever is wrong with it, the search does not begin then.
    pub(super) fn restore(
        &mut self,
        input: &mut dyn Read,
        me: &mut Worker<'_, S, R>,
        table: &mut TableLeader<'_>,
    ) {
        match self.read(input, me, table) {
            Ok(()) => self.advance(me, table),
            Err(error) => {
                self.unusable = Some(error);
                self.stage.plan.write().unwrap_or_else(PoisonError::into_inner).go = false;
            }
        }
    }

    fn read(
        &mut self,
        input: &mut dyn Read,
        me: &mut Worker<'_, S, R>,
        table: &mut TableLeader<'_>,
    ) -> io::Result<()> {
        let wrong = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text);
        let form = take_all(input)?;
        if form.first() != Some(&VERSION) {
            return Err(wrong("the checkpoint was made by another version of Lockstep"));
        }
        if form != self.form() {
            return Err(wrong("the checkpoint was made with other options"));
        }
        let flags = take_all(input)?;
        let [tagged, ordered, any_shared] = flags[..] else {
            return Err(wrong("the checkpoint is damaged"));
        };
        let numbers = take_all(input)?;
        let [level, generated, distinct, expanded, unexpanded, first, firsts, most, childless] =
            numbers[..]
        else {
            return Err(wrong("the checkpoint is damaged"));
        };
        self.level = level as u32;
        (self.tagged, self.ordered) = (tagged != 0, ordered != 0);
        self.unexpanded = unexpanded;
        self.initial = (first, firsts);
        self.frontier_most = most;
        self.levels = take_all(input)?;
        self.degrees.histogram = take_all(input)?;
        self.degrees.childless = childless;
        self.degrees.any_shared = any_shared != 0;
        self.totals = Tally { generated, distinct, expanded, ..Tally::default() };
        let fresh = take_all(input)?;
        let all = take_all(input)?;
        self.totals.actions = fresh
            .into_iter()
            .zip(all)
            .map(|(distinct, generated)| ActionCount { distinct, generated })
            .collect();
        self.totals.excluded = take_all(input)?;
        let mut writer = Writer::new(self.shared.width);
        let mut exported = Vec::new();
        let mut open = Vec::new();
        for _ in 0..take(input)? {
            let fingerprint = take_print(input)?;
            take_bytes(input, &mut exported)?;
            writer.state.clear();
            self.shared.system.import(me.scratch(), &exported, &mut writer.state);
            writer.push(fingerprint);
            if self.tagged {
                open.push(fingerprint);
            }
        }
        open.sort_unstable();
        self.frontier = writer.take();
        // The tag under which the level that has ended inserted.
        let tag = 1 + ((self.level + 1) % 2) as u8;
        for _ in 0..take(input)? {
            let fingerprint = take_print(input)?;
            let link = take(input)?;
            let tag = if open.binary_search(&fingerprint).is_ok() { tag } else { 0 };
            table.insert(Key { fingerprint, link }, tag).map_err(|_| {
                wrong("there is not enough memory for the states of the checkpoint")
            })?;
        }
        for _ in 0..take(input)? {
            self.kept.push(self.shared.recorder.load(input)?);
        }
        // Reaching the end proves that nothing is missing.
        if input.read(&mut [0])? == 0 { Ok(()) } else { Err(wrong("the checkpoint is damaged")) }
    }
}
