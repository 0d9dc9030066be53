//! Rollback sessions: play on with predicted inputs, go back and simulate again when a late input differs.
//!
//! Invariant: the world after frame *n* is the one that the inputs known so far (predictions where none is known) lead to. A
//! correction that would go back further than the window changes nothing and is an error.

use super::{Image, NotPlain};
use crate::plain::Plain;
use crate::schedule::{FrameError, Schedule};
use crate::world::World;
use std::collections::BTreeMap;

/// What players do in a frame.
pub trait PlayerInput: Plain + Clone + PartialEq + Default {}
impl<I: Plain + Clone + PartialEq + Default> PlayerInput for I {}

/// A hash of a frame all of whose inputs are known. Only such hashes can be compared between peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Confirmed(pub u64);

/// A hash with what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameHash {
    /// All inputs up to the frame are known.
    Confirmed(Confirmed),
    /// Some input is a guess; this says nothing about peers, so it shows no number.
    Predicted,
}

/// Why a session could not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionError {
    /// The input belongs to a frame too far back. The world was not touched.
    TooDeep {
        /// The frame of the input.
        frame: u64,
        /// The oldest frame that can still be corrected.
        oldest: u64,
    },
    /// Another input was given for that frame before.
    Contradiction {
        /// The frame.
        frame: u64,
        /// The player.
        player: usize,
    },
    /// There is no such player.
    NoPlayer(usize),
    /// Something in the world has no encoding.
    NotPlain(NotPlain),
    /// A frame failed.
    Frame(FrameError),
}

impl std::fmt::Display for SessionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SessionError::TooDeep { frame, oldest } => {
                write!(
                    f,
                    "an input for frame {frame} came too late: {oldest} is the oldest that can change"
                )
            }
            SessionError::Contradiction { frame, player } => {
                write!(f, "player {player} gave two different inputs for frame {frame}")
            }
            SessionError::NoPlayer(p) => write!(f, "there is no player {p}"),
            SessionError::NotPlain(e) => e.fmt(f),
            SessionError::Frame(e) => e.fmt(f),
        }
    }
}
impl std::error::Error for SessionError {}
impl From<NotPlain> for SessionError {
    fn from(e: NotPlain) -> Self {
        SessionError::NotPlain(e)
    }
}
impl From<FrameError> for SessionError {
    fn from(e: FrameError) -> Self {
        SessionError::Frame(e)
    }
}

/// What a session did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionStats {
    /// Frames shown.
    pub frames: u64,
    /// Times the world was put back.
    pub rollbacks: u64,
    /// Frames simulated again.
    pub resimulated: u64,
}

/// Puts the inputs of a frame into the world.
type Feed<I> = Box<dyn FnMut(&mut World, &[I]) + Send>;

/// A rollback session. Frames are counted from 0 by the session.
pub struct Session<I> {
    window: u64,
    /// `images[f % n]`: the world before frame `f`.
    images: Vec<Image>,
    frame: u64,
    known: Vec<BTreeMap<u64, I>>,
    used: BTreeMap<u64, Vec<I>>,
    hashes: BTreeMap<u64, u64>,
    /// The earliest frame that was simulated with a wrong guess.
    wrong: Option<u64>,
    stats: SessionStats,
    feed: Feed<I>,
}

impl<I> std::fmt::Debug for Session<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("frame", &self.frame)
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}

impl<I: PlayerInput> Session<I> {
    /// A session of `players` that can correct the last `window` frames; `feed` puts the inputs of a frame into the world.
    pub fn new(
        players: usize,
        window: u64,
        feed: impl FnMut(&mut World, &[I]) + Send + 'static,
    ) -> Self {
        Session {
            window,
            images: (0..=window).map(|_| Image::new()).collect(),
            frame: 0,
            known: vec![BTreeMap::new(); players],
            used: BTreeMap::new(),
            hashes: BTreeMap::new(),
            wrong: None,
            stats: SessionStats::default(),
            feed: Box::new(feed),
        }
    }
    /// The next frame.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.frame
    }
    /// What happened so far.
    #[must_use]
    pub fn stats(&self) -> SessionStats {
        self.stats
    }
    /// The first frame for which some player's input is not known.
    #[must_use]
    pub fn confirmed_until(&self) -> u64 {
        self.known
            .iter()
            .map(|k| (0..).find(|f| !k.contains_key(f) && *f >= self.forgotten()).unwrap_or(0))
            .min()
            .unwrap_or(self.frame)
    }
    fn forgotten(&self) -> u64 {
        // Inputs older than the window are dropped; they were all confirmed or the session failed.
        self.used.keys().next().copied().unwrap_or(0)
    }
    fn guess(&self, player: usize, frame: u64) -> I {
        self.known[player].range(..=frame).next_back().map(|x| x.1.clone()).unwrap_or_default()
    }

    /// Tells what a player did in a frame, past or future.
    ///
    /// # Errors
    /// When it is too late, or contradicts what was told before. Nothing was changed then.
    pub fn add_input(&mut self, player: usize, frame: u64, input: I) -> Result<(), SessionError> {
        let known = self.known.get(player).ok_or(SessionError::NoPlayer(player))?;
        if let Some(old) = known.get(&frame) {
            return if *old == input {
                Ok(())
            } else {
                Err(SessionError::Contradiction { frame, player })
            };
        }
        let oldest = self.frame.saturating_sub(self.window);
        if frame < oldest {
            let right = self.used.get(&frame).is_some_and(|u| u[player] == input);
            if !right {
                return Err(SessionError::TooDeep { frame, oldest });
            }
        }
        self.known[player].insert(frame, input);
        // Later guesses of this player repeat the newest input known, so they may be wrong now, too.
        for f in frame.max(oldest)..self.frame {
            let now = self.guess(player, f);
            if self.used.get(&f).is_some_and(|u| u[player] != now) {
                self.wrong = Some(self.wrong.map_or(f, |w| w.min(f)));
                break;
            }
        }
        Ok(())
    }

    /// Simulates the next frame, after correcting what late inputs made wrong.
    ///
    /// # Errors
    /// When a frame fails or something has no encoding.
    pub fn advance(
        &mut self,
        world: &mut World,
        schedule: &mut Schedule,
    ) -> Result<(), SessionError> {
        self.correct(world, schedule)?;
        self.step(world, schedule)?;
        self.stats.frames += 1;
        let keep = self.frame.saturating_sub(self.window + 1);
        self.used = self.used.split_off(&keep);
        Ok(())
    }
    /// Corrects what late inputs made wrong, without going on.
    ///
    /// # Errors
    /// As [`Session::advance`].
    pub fn correct(
        &mut self,
        world: &mut World,
        schedule: &mut Schedule,
    ) -> Result<(), SessionError> {
        let Some(from) = self.wrong.take() else { return Ok(()) };
        let until = self.frame;
        let n = self.images.len() as u64;
        if !self.images[(from % n) as usize].restore(world) {
            return Err(SessionError::TooDeep {
                frame: from,
                oldest: until.saturating_sub(self.window),
            });
        }
        self.stats.rollbacks += 1;
        self.frame = from;
        while self.frame < until {
            self.step(world, schedule)?;
            self.stats.resimulated += 1;
        }
        Ok(())
    }
    fn step(&mut self, world: &mut World, schedule: &mut Schedule) -> Result<(), SessionError> {
        let frame = self.frame;
        let n = self.images.len() as u64;
        // Cells and archetypes of the schedule must exist before the first image is taken.
        schedule.build(world).map_err(|e| {
            SessionError::Frame(FrameError {
                frame,
                wave: 0,
                system: None,
                kind: crate::FrameErrorKind::Build(e),
            })
        })?;
        self.images[(frame % n) as usize].capture(world)?;
        let inputs: Vec<I> = (0..self.known.len()).map(|p| self.guess(p, frame)).collect();
        (self.feed)(world, &inputs);
        self.used.insert(frame, inputs);
        schedule.run(world)?;
        self.hashes.insert(frame, world.hash());
        self.frame += 1;
        Ok(())
    }

    /// The hash after a frame: comparable when all inputs up to it are known and nothing waits for correction.
    #[must_use]
    pub fn hash(&self, frame: u64) -> Option<FrameHash> {
        let hash = *self.hashes.get(&frame)?;
        let sure = frame < self.confirmed_until() && self.wrong.is_none_or(|w| w > frame);
        Some(if sure { FrameHash::Confirmed(Confirmed(hash)) } else { FrameHash::Predicted })
    }
}
