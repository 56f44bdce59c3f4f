//! A change: what one committed write did to one record. Whatever is derived from the data is fed by these.

use bytes::Bytes;

use crate::record::{RecordId, Value};

/// What happened to one record.
#[derive(Debug)]
pub struct Change {
    /// The position of its collection in the catalog.
    pub collection: usize,
    pub id: RecordId,
    /// The values before, in the order of the fields; `None` for a record that was created.
    pub before: Option<Vec<Value>>,
    /// What it is now; `None` for a record that was deleted.
    pub after: Option<After>,
}

/// A record after a change.
#[derive(Debug)]
pub struct After {
    pub values: Vec<Value>,
    pub representation: Bytes,
}

impl Change {
    /// What was done, for the metrics.
    pub fn deed(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "created",
            (Some(_), Some(_)) => "updated",
            (Some(_), None) => "deleted",
        }
    }
}
