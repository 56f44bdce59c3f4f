//! Writes that a server refuses for want of room: told of once for each collection, until one goes through again.

use std::collections::BTreeSet;

use parking_lot::Mutex;

use crate::observe::{Event, Observer};
use crate::store::write::Write;
use crate::store::write::handle::PendingWrite;

/// The collections whose last write was refused so. Each may have a tablespace of its own.
#[derive(Default)]
pub(super) struct WriteRefusals(Mutex<BTreeSet<usize>>);

impl WriteRefusals {
    pub(super) fn note(&self, writes: &[PendingWrite], cause: &str, observer: &Observer) {
        let mut refused = self.0.lock();
        let known = refused.len();
        refused.extend(writes.iter().flat_map(|pending| pending.work.writes()).map(Write::collection));
        if refused.len() > known {
            observer.report(Event::WritesRefused { cause });
        }
    }

    /// These went through. Of a delete nothing follows: it needs no room.
    pub(super) fn clear(&self, writes: &[PendingWrite], observer: &Observer) {
        let mut refused = self.0.lock();
        if refused.is_empty() {
            return;
        }
        for write in writes.iter().flat_map(|pending| pending.work.writes()) {
            if !matches!(write, Write::Delete { .. }) {
                refused.remove(&write.collection());
            }
        }
        if refused.is_empty() {
            observer.report(Event::WritesResumed);
        }
    }
}
