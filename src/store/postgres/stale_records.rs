//! Stale records: which of them have changed in the database and not yet in memory, but not what they are now.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio_postgres::{Error, Row};

use crate::catalog::Catalog;
use crate::record::RecordId;

/// Of more records, which take some 2 MiB, none is told apart.
const MOST: usize = 40_000;
/// Later than every version.
const WHATEVER_COMES: u64 = u64::MAX;

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

    /// Notes what has changed since `known`: rows `keys, number, collection, id`. Where that is not the last version that
    /// is noted, they take the place of what was noted before.
    pub(super) fn note(&self, catalog: &Catalog, known: u64, news: &[Row]) -> Result<(), Error> {
        let mut changed = self.changed.lock();
        if changed.newest != known {
            *changed = Changed { newest: known, ..Changed::default() };
        }
        for row in news {
            let version = row.try_get::<_, i64>(1)?.unsigned_abs();
            changed.newest = version;
            let collection = row.try_get::<_, Option<&str>>(2)?.map(|name| catalog.find(name));
            let id = row.try_get::<_, Option<i64>>(3)?.and_then(RecordId::new);
            match (collection, id) {
                (Some(None), _) => {}
                (Some(Some(collection)), Some(id)) if changed.records.len() < MOST => {
                    changed.records.insert((collection.position(), id), version);
                }
                _ => changed.unknown = Some(version),
            }
        }
        self.is_any.store(true, Ordering::Release);
        Ok(())
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
