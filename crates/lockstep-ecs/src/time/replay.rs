//! Replays: a start, the inputs of every frame, and the hash after every frame.
//!
//! Invariant: `verify` succeeds iff the same start and inputs give the same hash after every frame, whatever the executor.

use super::snapshot::{RestoreError, Snapshot};
use super::{Image, NotPlain};
use crate::plain::{DecodeError, Plain, Reader, put_slice};
use crate::schedule::{FrameError, Schedule};
use crate::world::World;

/// A recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay<I> {
    /// The seed the run was started with.
    pub seed: u64,
    start: Snapshot,
    frames: Vec<(I, u64)>,
}

/// Why a replay failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// After this frame the hash differs.
    Differs {
        /// The frame, from 0.
        frame: usize,
        /// The recorded hash.
        recorded: u64,
        /// The hash now.
        now: u64,
    },
    /// The start does not fit this world.
    Restore(RestoreError),
    /// A frame failed.
    Frame(FrameError),
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReplayError::Differs { frame, recorded, now } => {
                write!(
                    f,
                    "after frame {frame} the hash is {now:016x}, recorded was {recorded:016x}"
                )
            }
            ReplayError::Restore(e) => e.fmt(f),
            ReplayError::Frame(e) => e.fmt(f),
        }
    }
}
impl std::error::Error for ReplayError {}

impl<I: Plain + Clone> Replay<I> {
    /// Starts to record.
    ///
    /// # Errors
    /// When something in the world has no encoding.
    pub fn start(world: &World, seed: u64) -> Result<Self, NotPlain> {
        Ok(Replay { seed, start: world.snapshot()?, frames: Vec::new() })
    }
    /// Feeds an input, runs a frame and records both.
    ///
    /// # Errors
    /// When the frame fails; it is not recorded then.
    pub fn step(
        &mut self,
        world: &mut World,
        schedule: &mut Schedule,
        input: I,
        feed: impl FnOnce(&mut World, &I),
    ) -> Result<u64, FrameError> {
        feed(world, &input);
        schedule.run(world)?;
        let hash = world.hash();
        self.frames.push((input, hash));
        Ok(hash)
    }
    /// Frames recorded.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frames.len()
    }
    /// Whether no frame is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
    /// Inputs and hashes.
    pub fn frames(&self) -> impl Iterator<Item = (&I, u64)> {
        self.frames.iter().map(|(i, h)| (i, *h))
    }
    /// Plays it back in `world` and checks every hash.
    ///
    /// # Errors
    /// At the first difference.
    pub fn verify(
        &self,
        world: &mut World,
        schedule: &mut Schedule,
        mut feed: impl FnMut(&mut World, &I),
    ) -> Result<(), ReplayError> {
        world.restore(&self.start).map_err(ReplayError::Restore)?;
        for (frame, (input, recorded)) in self.frames.iter().enumerate() {
            feed(world, input);
            schedule.run(world).map_err(ReplayError::Frame)?;
            let now = world.hash();
            if now != *recorded {
                return Err(ReplayError::Differs { frame, recorded: *recorded, now });
            }
        }
        Ok(())
    }
    /// Bytes to keep.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = b"LSECPLAY".to_vec();
        (self.seed, I::SCHEMA).encode(&mut out);
        put_slice(&mut out, &self.start.to_bytes());
        (self.frames.len() as u32).encode(&mut out);
        for (input, hash) in &self.frames {
            input.encode(&mut out);
            hash.encode(&mut out);
        }
        out
    }
    /// Reads what [`Replay::to_bytes`] wrote.
    ///
    /// # Errors
    /// On anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut r = Reader::new(bytes);
        if r.take(8)? != b"LSECPLAY" {
            return Err(DecodeError::Version);
        }
        let (seed, schema) = <(u64, u64)>::decode(&mut r)?;
        if schema != I::SCHEMA {
            return Err(DecodeError::Schema);
        }
        let start = Snapshot::from_bytes(r.slice()?)?;
        let n = r.count(8)?;
        let mut frames = Vec::new();
        for _ in 0..n {
            frames.push((I::decode(&mut r)?, u64::decode(&mut r)?));
        }
        r.end()?;
        Ok(Replay { seed, start, frames })
    }
}

/// The last moments of a world, to go back to; reuses its memory.
#[derive(Debug)]
pub struct History {
    images: Vec<Image>,
    next: usize,
    taken: usize,
}

impl History {
    /// Keeps the last `n` moments (at least one).
    #[must_use]
    pub fn new(n: usize) -> Self {
        History { images: (0..n.max(1)).map(|_| Image::new()).collect(), next: 0, taken: 0 }
    }
    /// Keeps this moment.
    ///
    /// # Errors
    /// When something has no encoding.
    pub fn push(&mut self, world: &mut World) -> Result<(), NotPlain> {
        self.images[self.next].capture(world)?;
        self.next = (self.next + 1) % self.images.len();
        self.taken = (self.taken + 1).min(self.images.len());
        Ok(())
    }
    /// Goes back to the moment kept `back` pushes ago (0 is the last). Returns whether it is still kept.
    pub fn go_back(&mut self, world: &mut World, back: usize) -> bool {
        if back >= self.taken {
            return false;
        }
        let n = self.images.len();
        let k = (self.next + n - 1 - back) % n;
        self.images[k].restore(world)
    }
}
