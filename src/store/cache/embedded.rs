//! Records that those of a page refer to.

use crate::catalog::collection::Collection;
use crate::record::expansion::Expansion;
use crate::record::{RecordId, members};

/// What is embedded into the records of a page.
#[derive(Default)]
pub(in crate::store) struct Embedded {
    /// The position of the field, the id that it refers to, and where the bytes of that record end, all ascending.
    places: Vec<(usize, RecordId, usize)>,
    bytes: Vec<u8>,
}

impl Embedded {
    /// Adds records that a field refers to, by ascending ids; the positions of fields ascend from call to call.
    pub(super) fn extend(&mut self, position: usize, records: &[(RecordId, &[u8])]) {
        self.places.reserve(records.len());
        self.bytes.reserve(records.iter().map(|(_, record)| record.len()).sum());
        for (id, record) in records {
            self.bytes.extend_from_slice(record);
            self.places.push((position, *id, self.bytes.len()));
        }
    }

    /// How many bytes the records have, each counted once.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    fn get(&self, position: usize, id: RecordId) -> Option<&[u8]> {
        let place = self.places.binary_search_by_key(&(position, id), |&(position, id, _)| (position, id));
        let place = place.ok()?;
        let start = if place == 0 { 0 } else { self.places[place - 1].2 };
        Some(&self.bytes[start..self.places[place].2])
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
            self.get(position, id)
        });
        expansion.append(collection, embedded, out);
    }
}
