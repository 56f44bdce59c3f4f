//! Which records changed lately, and when: so that what was read at one version can complete a page of another.

use std::collections::{HashSet, VecDeque};

use crate::record::RecordId;
use crate::store::change::Change;

/// How many changes are remembered.
const MOST: usize = 65_536;

/// The last changes, by version.
#[derive(Default)]
pub(super) struct Recent {
    changes: VecDeque<(u64, usize, RecordId)>,
    /// What changed up to this version may be missing here.
    floor: u64,
}

impl Recent {
    pub(super) fn new(version: u64) -> Self {
        Self { changes: VecDeque::new(), floor: version }
    }

    pub(super) fn note(&mut self, version: u64, changes: &[Change]) {
        for change in changes {
            if self.changes.len() == MOST
                && let Some((oldest, ..)) = self.changes.pop_front()
            {
                self.floor = oldest;
            }
            self.changes.push_back((version, change.collection, change.id));
        }
    }

    /// More has changed up to this version than was told.
    pub(super) fn forget(&mut self, version: u64) {
        self.changes.clear();
        self.floor = version;
    }

    /// The records of a collection that changed after a version, as far as memory has followed; `None` where that is
    /// not known. Several commits may have been followed as one, and count as its last.
    pub(super) fn since(&self, collection: usize, version: u64) -> Option<HashSet<RecordId>> {
        if version < self.floor {
            return None;
        }
        let changes = self.changes.iter().rev().take_while(|(changed_at, ..)| *changed_at > version);
        Some(changes.filter(|(_, of, _)| *of == collection).map(|(.., id)| *id).collect())
    }
}
