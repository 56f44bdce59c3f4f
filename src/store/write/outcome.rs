//! What became of a write, from the writer up to the client.

use bytes::Bytes;

use crate::record::RecordId;
use crate::record::etag::ETag;
use crate::store::StoreError;

/// What a write did.
#[derive(Debug)]
pub enum Written {
    /// The representation is there unless the token says that no answer shows it.
    Created {
        id: RecordId,
        representation: Bytes,
    },
    /// The whole representation.
    Updated(Bytes),
    /// There was nothing to change.
    Unchanged(Bytes),
    Deleted,
    /// There was none to change or to delete.
    NoRecord,
}

impl Written {
    /// What was done, for the metrics.
    pub(in crate::store) fn deed(&self) -> Option<&'static str> {
        match self {
            Self::Created { .. } => Some("created"),
            Self::Updated(_) => Some("updated"),
            Self::Deleted => Some("deleted"),
            Self::Unchanged(_) | Self::NoRecord => None,
        }
    }
}

pub(in crate::store) type WriteOutcome = Result<Written, StoreError>;

/// What is told of a write, from the writer up to the client.
#[derive(Debug)]
pub struct WriteReply {
    pub outcome: Result<Written, StoreError>,
    /// Whether it had been told so before.
    pub is_replayed: bool,
    /// The tag of the record that the answer showed, where it was too large to be kept with it. Only the store sees a
    /// reply without its record.
    pub(in crate::store) missing: Option<ETag>,
}

impl WriteReply {
    /// What nobody was told before.
    pub(in crate::store) fn first(outcome: WriteOutcome) -> Self {
        Self { outcome, is_replayed: false, missing: None }
    }
}
