//! Records that those of a page refer to.

use std::collections::HashMap;

use bytes::Bytes;

use crate::catalog::collection::Collection;
use crate::record::expansion::Expansion;
use crate::record::{RecordId, members};

/// What is embedded into the records of a page.
#[derive(Default)]
pub(in crate::store) struct Embedded {
    /// By the position of the field, and the id that it refers to.
    records: HashMap<(usize, RecordId), Bytes>,
    bytes: usize,
}

impl Embedded {
    pub(super) fn insert(&mut self, position: usize, id: RecordId, record: Bytes) {
        self.bytes += record.len();
        self.records.insert((position, id), record);
    }

    /// How many bytes the records have, each counted once.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds what a record refers to, to that record at the end of `out`.
    pub(super) fn append(
        &self,
        collection: &Collection,
        expansion: &Expansion,
        record: &[u8],
        out: &mut Vec<u8>,
    ) {
        let embedded = expansion.fields.iter().map(|&position| {
            let id = members::reference(collection, record, position)?;
            self.records.get(&(position, id)).map(|record| &record[..])
        });
        expansion.append(collection, embedded, out);
    }
}
