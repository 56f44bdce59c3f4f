//! A scan: some fields of records, read at one moment and judged here, where the database cannot.

use crate::catalog::collection::Collection;
use crate::record::listing::{Column, Condition};
use crate::record::{RecordId, Value};

/// What to read.
pub(in crate::store) struct Scan<'a> {
    pub(in crate::store) collection: &'a Collection,
    /// Positions, ascending, each once.
    pub(in crate::store) fields: Vec<usize>,
    pub(in crate::store) which: Which<'a>,
}

/// Of which records.
#[derive(Clone, Copy)]
pub(in crate::store) enum Which<'a> {
    /// All that meet these conditions, as far as the database can tell.
    Meeting(&'a [(Column, Condition)]),
    These(&'a [RecordId]),
}

/// Told of each record: its id and its values, in the order of the fields, those that are not read as none. Says whether
/// to go on.
pub(in crate::store) type Each<'a> = dyn FnMut(RecordId, &[Value]) -> bool + Send + 'a;

impl<'a> Scan<'a> {
    /// Reads the fields at these positions, in any order.
    pub(in crate::store) fn new(
        collection: &'a Collection,
        positions: impl Iterator<Item = usize>,
        which: Which<'a>,
    ) -> Self {
        let mut fields: Vec<usize> = positions.collect();
        fields.sort_unstable();
        fields.dedup();
        Self { collection, fields, which }
    }

    /// Values for all fields, none of them read yet.
    pub(in crate::store) fn no_values(&self) -> Vec<Value> {
        vec![Value::Null; self.collection.fields().len()]
    }
}
