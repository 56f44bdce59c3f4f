//! A change: what one committed write did to one record. Whatever is derived from the data is fed by these.

use crate::record::RecordId;

/// What happened to one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The position of its collection in the catalog.
    pub collection: usize,
    pub id: RecordId,
    pub deed: Deed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    Created,
    Updated,
    Deleted,
}

impl Deed {
    /// Its name in the metrics.
    pub fn name(self) -> &'static str {
        match self {
            Deed::Created => "created",
            Deed::Updated => "updated",
            Deed::Deleted => "deleted",
        }
    }
}
