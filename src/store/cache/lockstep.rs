//! Readers for whom memory and the database must be of one version: as long as there is one, the writer is never ahead.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Cache;

/// A reader in lockstep with the writer.
pub(in crate::store) struct Lockstep<'a>(&'a AtomicUsize);

impl Drop for Lockstep<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Cache {
    /// Lets no commit begin before the last one is applied, as long as what is given back is there: for a reader that
    /// memory and the database must meet for.
    pub(in crate::store) fn lockstep(&self) -> Lockstep<'_> {
        self.in_lockstep.fetch_add(1, Ordering::Relaxed);
        Lockstep(&self.in_lockstep)
    }

    /// Whether a commit must be applied before the next one begins.
    pub(in crate::store) fn is_in_lockstep(&self) -> bool {
        self.in_lockstep.load(Ordering::Relaxed) > 0
    }
}
