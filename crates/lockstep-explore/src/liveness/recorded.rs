//! Recording a behaviour graph beside a search, and putting together what several workers recorded.
//!
//! A worker knows its states by fingerprint; numbers come when all are known. Of a step's target it keeps the upper 56 bits
//! of the fingerprint, which with the class makes 8 bytes a step (more from 128 classes on). Should two states agree in
//! those bits the steps could not be told apart, and there is an error instead of a graph.
//!
//! Invariant: the graph is a function of what was recorded, taken as a set; not of which worker recorded it.

use std::io::{self, Read, Write};
use std::sync::Mutex;

use lockstep_runtime::WorkerPool;

use super::graph::{BLOCK, BehaviorGraph, Block, Classes, Step, read, write};
use crate::Fingerprint;
use crate::checkpoint::parts::{put, put_all, put_bytes, take, take_all, take_bytes};

/// Bytes of a target.
const PREFIX_BYTES: usize = 7;
const PREFIX_SHIFT: u32 = 128 - 8 * PREFIX_BYTES as u32;
/// Bytes of a piece of a log; a step is never torn between two.
const PIECE: usize = 1 << 18;
/// The most bytes of a step.
const STEP_BYTES: usize = PREFIX_BYTES + 5;

fn prefix(fingerprint: Fingerprint) -> u64 {
    (fingerprint.0 >> PREFIX_SHIFT) as u64
}

/// What one worker records.
#[derive(Debug, Default)]
pub struct StepLog {
    /// The classes that this log's steps are of.
    pub classes: Classes,
    initial: Vec<Fingerprint>,
    states: Vec<Fingerprint>,
    /// Of each state the class of stuttering and where its steps begin: the piece, and the place in it.
    stuttering: Vec<u32>,
    starts: Vec<(u32, u32)>,
    pieces: Vec<Vec<u8>>,
}

impl StepLog {
    /// Writes the log to a checkpoint.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        put(out, self.classes.rows().len() as u64)?;
        for row in self.classes.rows() {
            put_all(out, row.iter().copied())?;
        }
        for list in [&self.initial, &self.states] {
            put(out, list.len() as u64)?;
            list.iter().try_for_each(|it| out.write_all(&it.0.to_le_bytes()))?;
        }
        put_all(out, self.stuttering.iter().map(|it| u64::from(*it)))?;
        put_all(out, self.starts.iter().map(|it| u64::from(it.0) << 32 | u64::from(it.1)))?;
        put(out, self.pieces.len() as u64)?;
        self.pieces.iter().try_for_each(|it| put_bytes(out, it))
    }

    /// Reads what [`StepLog::save`] wrote.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn load(input: &mut dyn Read) -> io::Result<Self> {
        let mut log = Self::default();
        for _ in 0..take(input)? {
            let row = take_all(input)?;
            log.classes.intern(&row);
        }
        for list in [&mut log.initial, &mut log.states] {
            for _ in 0..take(input)? {
                let mut bytes = [0; 16];
                input.read_exact(&mut bytes)?;
                list.push(Fingerprint(u128::from_le_bytes(bytes)));
            }
        }
        log.stuttering = take_all(input)?.into_iter().map(|it| it as u32).collect();
        log.starts =
            take_all(input)?.into_iter().map(|it| ((it >> 32) as u32, it as u32)).collect();
        for _ in 0..take(input)? {
            let mut piece = Vec::new();
            take_bytes(input, &mut piece)?;
            log.pieces.push(piece);
        }
        Ok(log)
    }

    /// An initial state.
    pub fn initial(&mut self, fingerprint: Fingerprint) {
        self.initial.push(fingerprint);
    }

    /// A state whose steps follow, and the class of the step that changes nothing.
    pub fn state(&mut self, fingerprint: Fingerprint, stuttering: u32) {
        self.states.push(fingerprint);
        self.stuttering.push(stuttering);
        if self.pieces.is_empty() {
            self.pieces.push(Vec::new());
        }
        let piece = self.pieces.len() as u32 - 1;
        self.starts.push((piece, self.pieces[piece as usize].len() as u32));
    }

    /// A step from the state last announced.
    pub fn step(&mut self, to: Fingerprint, class: u32) {
        let room = self.pieces.last().map_or(0, |it| PIECE - it.len());
        if room < STEP_BYTES {
            // A small log stays small: its first piece grows as it must.
            let capacity = if self.pieces.is_empty() { 0 } else { PIECE };
            self.pieces.push(Vec::with_capacity(capacity));
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.extend_from_slice(&prefix(to).to_be_bytes()[8 - PREFIX_BYTES..]);
            write(piece, class);
        }
    }

    /// Bytes that the log takes.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(Vec::len).sum::<usize>() + self.states.len() * 28
    }

    /// Calls `f` with the target's prefix and the class of each step of the state recorded at `index`.
    fn each_step(&self, index: usize, mut f: impl FnMut(u64, u32)) {
        let (mut piece, start) = self.starts[index];
        let end = self.starts.get(index + 1).copied();
        let mut at = start as usize;
        loop {
            let Some(bytes) = self.pieces.get(piece as usize) else { return };
            let until = match end {
                Some((last, place)) if last == piece => place as usize,
                _ => bytes.len(),
            };
            let mut rest = &bytes[at..until];
            while let Some((head, tail)) = rest.split_at_checked(PREFIX_BYTES) {
                let mut raw = [0; 8];
                raw[8 - PREFIX_BYTES..].copy_from_slice(head);
                rest = tail;
                f(u64::from_be_bytes(raw), read(&mut rest));
            }
            if end.is_some_and(|it| it.0 == piece) {
                return;
            }
            piece += 1;
            at = 0;
        }
    }
}

/// Two states whose fingerprints agree in all that is kept of a step's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ambiguous;

impl std::fmt::Display for Ambiguous {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the fingerprints of two states agree in their upper 56 bits")
    }
}

impl std::error::Error for Ambiguous {}

/// The graph of a finished search and the fingerprint of each of its states.
#[derive(Debug, Default)]
pub struct RecordedGraph {
    /// The graph.
    pub graph: BehaviorGraph,
    /// The fingerprints by number, in order.
    pub fingerprints: Vec<Fingerprint>,
}

impl RecordedGraph {
    /// Merges the logs of all workers, with all workers of `pool`.
    ///
    /// # Errors
    /// [`Ambiguous`]; with a million states the odds are one in 300,000.
    ///
    /// # Panics
    /// With more states than 32 bits can number.
    pub fn new(logs: &[StepLog], pool: &WorkerPool) -> Result<Self, Ambiguous> {
        // Where each state was recorded; a state may come more than once, with other steps each time.
        let mut places: Vec<(Fingerprint, u32, u32)> =
            Vec::with_capacity(logs.iter().map(|it| it.states.len()).sum());
        for (log, it) in (0..).zip(logs) {
            places.extend((0..).zip(&it.states).map(|(index, state)| (*state, log, index)));
        }
        places.sort_unstable();
        assert!(u32::try_from(places.len()).is_ok(), "states are numbered with 32 bits");
        let (mut fingerprints, mut firsts) = (Vec::new(), Vec::new());
        for (place, entry) in (0u32..).zip(&places) {
            if fingerprints.last() != Some(&entry.0) {
                fingerprints.push(entry.0);
                firsts.push(place);
            }
        }
        firsts.push(places.len() as u32);
        if fingerprints.windows(2).any(|it| prefix(it[0]) == prefix(it[1])) {
            return Err(Ambiguous);
        }
        let finder = Finder::new(&fingerprints);

        let mut rows: Vec<_> =
            logs.iter().flat_map(|log| log.classes.rows().iter().cloned()).collect();
        rows.sort_unstable();
        rows.dedup();
        let class_of: Vec<Vec<u32>> = logs
            .iter()
            .map(|log| {
                let find = |row| rows.binary_search(row).map_or(0, |idx| idx as u32);
                log.classes.rows().iter().map(find).collect()
            })
            .collect();

        let n_states = fingerprints.len();
        let blocks: Vec<Mutex<Block>> =
            (0..n_states.div_ceil(BLOCK)).map(|_| Mutex::default()).collect();
        let built = pool.for_each_range(n_states, BLOCK, |_, range| {
            let mut block = Block::default();
            let mut steps = Vec::new();
            let number = range.start / BLOCK;
            for state in range {
                steps.clear();
                for (_, log, index) in &places[firsts[state] as usize..firsts[state + 1] as usize] {
                    let classes = &class_of[*log as usize];
                    let log = &logs[*log as usize];
                    let class = classes[log.stuttering[*index as usize] as usize];
                    steps.push(Step { to: state as u32, class });
                    log.each_step(*index as usize, |target, class| {
                        // A state that was not expanded (a limit was reached) has no behaviour.
                        if let Some(to) = finder.number(target) {
                            steps.push(Step { to, class: classes[class as usize] });
                        }
                    });
                }
                block.push(&mut steps);
            }
            block.seal();
            *blocks[number].lock().unwrap_or_else(std::sync::PoisonError::into_inner) = block;
        });
        if let Err(panic) = built {
            panic.resume();
        }
        let blocks = blocks
            .into_iter()
            .map(|it| it.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
            .collect();
        let mut initial: Vec<u32> = logs
            .iter()
            .flat_map(|log| log.initial.iter().filter_map(|it| finder.number(prefix(*it))))
            .collect();
        initial.sort_unstable();
        initial.dedup();
        let graph = BehaviorGraph::of_blocks(n_states as u32, initial, blocks, rows);
        Ok(RecordedGraph { graph, fingerprints })
    }
}

/// Finds a state's number by its prefix: a bucket for about every state, then a look at the few in it.
struct Finder<'a> {
    fingerprints: &'a [Fingerprint],
    /// The first state of each bucket.
    buckets: Vec<u32>,
    shift: u32,
}

impl<'a> Finder<'a> {
    fn new(fingerprints: &'a [Fingerprint]) -> Self {
        let bits = fingerprints.len().max(2).ilog2().min(31);
        let shift = 8 * PREFIX_BYTES as u32 - bits;
        let mut buckets = vec![0u32; (1 << bits) + 1];
        for it in fingerprints {
            buckets[(prefix(*it) >> shift) as usize + 1] += 1;
        }
        for bucket in 1..buckets.len() {
            buckets[bucket] += buckets[bucket - 1];
        }
        Finder { fingerprints, buckets, shift }
    }

    fn number(&self, wanted: u64) -> Option<u32> {
        let bucket = (wanted >> self.shift) as usize;
        let (from, to) = (self.buckets[bucket] as usize, self.buckets[bucket + 1] as usize);
        let found = self.fingerprints[from..to].iter().position(|it| prefix(*it) == wanted)?;
        Some((from + found) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(number: u64) -> Fingerprint {
        let high = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Fingerprint(u128::from(high ^ high >> 29) << 64)
    }

    /// Each state `n` steps to `2n` and `3n`, in the log of some worker.
    fn record(n: u64, workers: usize) -> Vec<StepLog> {
        let mut logs: Vec<StepLog> = (0..workers).map(|_| StepLog::default()).collect();
        logs[0].initial(print(1));
        for state in 1..n {
            let log = &mut logs[(state * 7 % workers as u64) as usize];
            let still = log.classes.intern(&[state % 3]);
            log.state(print(state), still);
            for factor in [2, 3] {
                let class = log.classes.intern(&[state % 200 + 1000 * factor]);
                log.step(print(state * factor % n), class);
            }
        }
        logs
    }

    fn listing(recorded: &RecordedGraph) -> Vec<(Fingerprint, Fingerprint, u64)> {
        let graph = &recorded.graph;
        (0..graph.n_states())
            .flat_map(|from| graph.steps_from(from).map(move |step| (from, step)))
            .map(|(from, step)| {
                let of = |state: u32| recorded.fingerprints[state as usize];
                (of(from), of(step.to), graph.classes[step.class as usize][0])
            })
            .collect()
    }

    #[test]
    fn the_graph_does_not_depend_on_who_recorded_it() {
        // So many that a log has several pieces.
        let n = 60_000;
        let mut expected: Vec<_> = (1..n)
            .flat_map(|s| {
                let to = |factor: u64| (print(s), print(s * factor % n), s % 200 + 1000 * factor);
                [(print(s), print(s), s % 3), to(2), to(3)]
            })
            .filter(|it| it.1 != print(0))
            .collect();
        expected.sort_unstable();
        expected.dedup();
        for workers in [1, 2, 5] {
            let logs = record(n, workers);
            assert!(workers > 1 || logs[0].pieces.len() > 2);
            let recorded = RecordedGraph::new(&logs, &WorkerPool::new(workers)).unwrap();
            let mut found = listing(&recorded);
            found.sort_unstable();
            assert_eq!(found, expected);
            assert_eq!(recorded.graph.initial.len(), 1);
            let per_step = recorded.graph.step_bytes() as f64 / recorded.graph.n_steps() as f64;
            assert!(per_step <= 8.0, "{per_step} bytes a step");
        }
    }

    #[test]
    fn states_that_cannot_be_told_apart_are_an_error() {
        let mut log = StepLog::default();
        let class = log.classes.intern(&[0]);
        log.state(Fingerprint(1), class);
        log.state(Fingerprint(2), class);
        assert_eq!(RecordedGraph::new(&[log], &WorkerPool::new(1)).err(), Some(Ambiguous));
    }
}
