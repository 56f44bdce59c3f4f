//! Stale records: which of them have changed in the database and not yet in memory, but not what they are now.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::record::RecordId;

/// Of more records, which take some 2 MiB, none is told apart.
const MOST: usize = 40_000;
/// Later than every version.
const WHATEVER_COMES: u64 = u64::MAX;

/// A change that memory has not followed.
pub(super) struct Stale {
    pub(super) version: u64,
    /// The collection and the id; none where more has changed than is told.
    pub(super) record: Option<(usize, RecordId)>,
}

#[derive(Default)]
pub(super) struct StaleRecords {
    /// Whether there is anything: mostly there is not.
    is_any: AtomicBool,
    changed: Mutex<Changed>,
}

#[derive(Default)]
struct Changed {
    /// Up to which version everything is noted.
    newest: u64,
    /// With which version each was changed last.
    records: HashMap<(usize, RecordId), u64>,
    /// The last version in which more was changed than is told.
    unknown: Option<u64>,
}

impl StaleRecords {
    /// Whether memory may know another state of this record than the database had when it was last asked.
    pub(super) fn has(&self, collection: usize, id: RecordId) -> bool {
        self.is_any.load(Ordering::Acquire) && {
            let changed = self.changed.lock();
            changed.unknown.is_some() || changed.records.contains_key(&(collection, id))
        }
    }

    /// Up to which version everything is noted; nothing where anything may have changed.
    pub(super) fn newest(&self) -> Option<u64> {
        let changed = self.changed.lock();
        (changed.unknown != Some(WHATEVER_COMES)).then_some(changed.newest)
    }

    /// Notes what has changed since `known` up to `newest`. Where `known` is not the last version that is noted, this
    /// takes the place of what was noted before.
    pub(super) fn note(&self, known: u64, newest: u64, news: impl IntoIterator<Item = Stale>) {
        let mut changed = self.changed.lock();
        if changed.newest != known {
            *changed = Changed::default();
        }
        changed.newest = newest;
        for Stale { version, record } in news {
            match record {
                Some(record) if changed.records.len() < MOST => _ = changed.records.insert(record, version),
                _ => changed.unknown = Some(version),
            }
        }
        self.is_any.store(true, Ordering::Release);
    }

    /// Notes that anything may have changed.
    pub(super) fn note_all(&self) {
        *self.changed.lock() = Changed { unknown: Some(WHATEVER_COMES), ..Changed::default() };
        self.is_any.store(true, Ordering::Release);
    }

    /// Memory is of this version now. Says whether that is all that is noted.
    pub(super) fn follow(&self, version: u64) -> bool {
        let mut changed = self.changed.lock();
        changed.records.retain(|_, changed_at| *changed_at > version);
        changed.unknown = changed.unknown.filter(|changed_at| *changed_at > version);
        let is_any = changed.unknown.is_some() || !changed.records.is_empty();
        self.is_any.store(is_any, Ordering::Release);
        !is_any
    }

    /// Memory is as new as the last look.
    pub(super) fn clear(&self) {
        if self.is_any.load(Ordering::Acquire) {
            *self.changed.lock() = Changed::default();
            self.is_any.store(false, Ordering::Release);
        }
    }
}
