//! What to check and how, as both `check` and `tlc` say it.

use std::path::PathBuf;
use std::time::Duration;

/// Random walks instead of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Walks {
    /// Draw one action and binding a step instead of computing all successors.
    pub(crate) generate: bool,
    /// How many; without end if not given.
    pub(crate) number: Option<u64>,
    /// The longest.
    pub(crate) depth: Option<u64>,
    /// Store each behaviour in a file of this prefix.
    pub(crate) file: Option<String>,
}

/// What to check and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Request {
    /// The file of the root module.
    pub(crate) spec: PathBuf,
    /// The model; beside the specification under its name if not given.
    pub(crate) config: Option<PathBuf>,
    /// More folders with modules.
    pub(crate) path: Vec<PathBuf>,
    /// Worker threads; 0 is one a processor.
    pub(crate) workers: usize,
    /// Overrides CHECK_DEADLOCK.
    pub(crate) check_deadlock: Option<bool>,
    /// Go on after a violation.
    pub(crate) keep_going: bool,
    /// Stop at the first violation found, whichever that is.
    pub(crate) stop_at_once: bool,
    /// Depth-first iterative deepening to this depth.
    pub(crate) dfid: Option<u64>,
    /// Do not check temporal properties; say so.
    pub(crate) ignore_liveness: bool,
    /// Remember no results.
    pub(crate) plain: bool,
    /// At most so many distinct states.
    pub(crate) max_states: Option<u64>,
    /// At most so many levels.
    pub(crate) max_depth: Option<u64>,
    /// At most so long.
    pub(crate) max_time: Option<Duration>,
    /// At most so many bytes.
    pub(crate) max_memory: Option<u64>,
    /// The largest set to enumerate.
    pub(crate) max_set_size: Option<u64>,
    /// Walk at random.
    pub(crate) walks: Option<Walks>,
    /// The seed of random choices.
    pub(crate) seed: Option<i64>,
    /// Count evaluations.
    pub(crate) coverage: bool,
    /// Expressions that are invariants, too.
    pub(crate) invariants: Vec<String>,
    /// `MODULE!OPERATOR` that are postconditions, too.
    pub(crate) postconditions: Vec<String>,
    /// Warnings of the sources that are errors.
    pub(crate) as_errors: Vec<u32>,
    /// `-D` properties of TLC.
    pub(crate) properties: Vec<(String, String)>,
    /// Show VIEW in place of states.
    pub(crate) show_view: bool,
    /// Write all states (`-dump`).
    pub(crate) dump: bool,
    /// Follow a stored behaviour (`-loadTrace`).
    pub(crate) follow: Option<Behavior>,
    /// Make checkpoints.
    pub(crate) checkpoint: Option<crate::checkpoint::Plan>,
    /// Go on from the checkpoint in this folder (`-recover`).
    pub(crate) recover: Option<PathBuf>,
    /// Operators may start programs (IOExec).
    pub(crate) allow_exec: bool,
}

/// A stored behaviour that the search is to follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Behavior {
    /// Its form: `json` or `tlc`.
    pub(crate) format: String,
    /// Its file.
    pub(crate) file: PathBuf,
}
