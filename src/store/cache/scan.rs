//! A scan: some fields of records, read at one moment and judged here, where the database cannot.

use crate::catalog::collection::Collection;
use crate::record::listing::{Column, Condition};
use crate::record::{RecordId, Value};

/// What to read.
#[derive(Clone, Copy)]
pub(in crate::store) struct Scan<'a> {
    pub(in crate::store) collection: &'a Collection,
    /// Positions, ascending.
    pub(in crate::store) fields: &'a [usize],
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

impl Scan<'_> {
    /// Values for all fields, none of them read yet.
    pub(in crate::store) fn no_values(&self) -> Vec<Value> {
        vec![Value::Null; self.collection.fields().len()]
    }
}
