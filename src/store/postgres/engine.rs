//! What a node has, whichever server it is with: what all work on that writes, reads, or looks for a server.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use arc_swap::ArcSwapOption;

use super::session::{Session, SessionContext};
use super::write_refusals::WriteRefusals;
use crate::store::write::handle::WriterHandle;
use crate::store::{StoreError, StoreId};

/// A database on a server, open for one node.
pub struct Postgres {
    pub(in crate::store) id: StoreId,
    pub(super) context: SessionContext,
    pub(super) writer: WriterHandle,
    pub(super) refusals: WriteRefusals,
    /// How many groups are to do their batches one after the other.
    pub(super) careful_groups: AtomicUsize,
    /// None while no server takes writes.
    pub(super) current: ArcSwapOption<Session>,
}

impl Postgres {
    pub(super) fn session(&self) -> Option<Arc<Session>> {
        self.current.load_full()
    }

    pub(super) fn in_session(&self) -> Result<Arc<Session>, StoreError> {
        self.session().ok_or(StoreError::Unavailable)
    }
}
