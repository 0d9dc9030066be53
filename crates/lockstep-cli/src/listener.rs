//! What a run tells while it goes on. `check` shows it to a person, `tlc` prints TLC's messages.

use lockstep_report::{Counts, Message, Outcome};

/// Told of the stages of a run, in order. Called from the thread that runs the checker.
pub(crate) trait Listener {
    /// The sources were read and analysed: files as read, modules as analysed. `outcome` has the
    /// diagnostics and, when they end the run, the verdict.
    fn parsed(&mut self, _files: &[String], _modules: &[String], _outcome: &Outcome) {}

    /// The model is bound; the search begins.
    fn started(&mut self, _outcome: &Outcome) {}

    /// The initial states are computed.
    fn initial_states(&mut self, _counts: &Counts) {}

    /// How far the search has come.
    fn progress(&mut self, _counts: &Counts) {}

    /// Print and PrintT.
    fn printed(&mut self, _text: &str) {}

    /// A checkpoint is being made in a folder.
    fn checkpointing(&mut self, _folder: &str) {}

    /// It is there.
    fn checkpointed(&mut self) {}

    /// The search goes on from a checkpoint; `counts` are those it has reached.
    fn recovered(&mut self, _folder: &str, _counts: &Counts) {}

    /// A warning of the run.
    fn warning(&mut self, _it: &Message) {}
}
