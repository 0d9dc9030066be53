//! Time travel: hashes, images, snapshots, deltas, views, rollback sessions, replays.
//!
//! Invariant: two worlds with equal snapshots behave equally from then on.

mod diff;
mod hash;
mod image;
mod replay;
mod replicate;
mod session;
mod snapshot;

pub use diff::{Difference, Divergence, Side, find_divergence, first_difference};
pub use replay::{History, Replay, ReplayError};
pub use replicate::{ReplicationClient, ReplicationError, ReplicationServer};
pub use session::{Confirmed, FrameHash, PlayerInput, Session, SessionError, SessionStats};
pub use snapshot::{Delta, DeltaError, RestoreError, Snapshot};

pub(crate) use hash::HashCache;
pub use image::Image;

/// A type that cannot be put into bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotPlain {
    /// The type.
    pub name: &'static str,
    /// `component`, `resource`, `event` or `relation`.
    pub kind: &'static str,
}

impl std::fmt::Display for NotPlain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the {} {} has no encoding: derive `Plain` for it{}",
            self.kind,
            self.name,
            if self.kind == "resource" { ", or mark it `transient`" } else { "" }
        )
    }
}
impl std::error::Error for NotPlain {}
