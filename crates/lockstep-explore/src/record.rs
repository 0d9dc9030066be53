//! A recorder: an ear beside the search, for graphs, dumps and liveness.
//!
//! It hears every expanded state once and every step within the model, on the worker that generated it, with the states
//! at hand; what it keeps is up to it. [`NoRecorder`] is compiled away.
//!
//! Invariant: what is recorded, taken as a set over all workers, does not depend on their number; which worker's log
//! holds it does. `new` in [`Recorder::edge`] tells which of several steps into a state came first and does, too.

use std::io::{self, Read, Write};

use lockstep_runtime::Fingerprint;

use crate::system::{ActionId, Context, TransitionSystem};

/// Listens to a search. All methods do nothing unless they are written.
pub trait Recorder<S: TransitionSystem>: Sync {
    /// Is there anything to record? When false, no method but `log` is called.
    const ACTIVE: bool = true;
    /// Can a log be kept in a checkpoint? When false, a search with this recorder makes none.
    const KEEPS: bool = false;
    /// What one worker records; given back when the search has ended, in the order of the workers.
    type Log: Send;

    /// The empty log of one worker.
    fn log(&self, worker: usize) -> Self::Log;

    /// An initial state in the model, seen for the first time.
    ///
    /// # Errors
    /// Ends the search as an error at this state.
    fn initial(
        &self,
        _log: &mut Self::Log,
        _cx: &Context<'_>,
        _worker: &mut S::Worker,
        _state: &S::State,
        _fingerprint: Fingerprint,
    ) -> Result<(), S::Error> {
        Ok(())
    }

    /// A state that is about to be expanded; its edges follow on the same worker.
    ///
    /// # Errors
    /// Ends the search as an error at this state.
    fn state(
        &self,
        _log: &mut Self::Log,
        _cx: &Context<'_>,
        _worker: &mut S::Worker,
        _state: &S::State,
        _fingerprint: Fingerprint,
    ) -> Result<(), S::Error> {
        Ok(())
    }

    /// A step within the model from the state last announced.
    ///
    /// # Errors
    /// Ends the search as an error at this step.
    fn edge(
        &self,
        _log: &mut Self::Log,
        _cx: &Context<'_>,
        _worker: &mut S::Worker,
        _from: (&S::State, Fingerprint),
        _action: ActionId,
        _to: (&S::State, Fingerprint),
    ) -> Result<(), S::Error> {
        Ok(())
    }

    /// Writes a log to a checkpoint.
    ///
    /// # Errors
    /// Those of the writer.
    fn save(&self, _log: &Self::Log, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Reads what [`Recorder::save`] wrote, as the log of a worker that is no more.
    ///
    /// # Errors
    /// Those of the reader; bytes that are no log.
    fn load(&self, _input: &mut dyn Read) -> io::Result<Self::Log> {
        Ok(self.log(0))
    }
}

/// Records nothing and costs nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRecorder;

impl<S: TransitionSystem> Recorder<S> for NoRecorder {
    const ACTIVE: bool = false;
    const KEEPS: bool = true;
    type Log = ();

    fn log(&self, _worker: usize) {}
}
