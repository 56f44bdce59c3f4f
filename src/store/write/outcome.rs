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
    Updated {
        id: RecordId,
        representation: Bytes,
    },
    /// There was nothing to change.
    Unchanged {
        id: RecordId,
        representation: Bytes,
    },
    Deleted,
    /// What each item of a batch did, in order.
    Batch(Vec<Written>),
}

impl Written {
    /// What was done, for the metrics.
    pub(in crate::store) fn deed(&self) -> Option<&'static str> {
        match self {
            Self::Created { .. } => Some("created"),
            Self::Updated { .. } => Some("updated"),
            Self::Deleted => Some("deleted"),
            Self::Unchanged { .. } | Self::Batch(_) => None,
        }
    }

    /// The record that there is now.
    pub fn record(&self) -> Option<(RecordId, &Bytes)> {
        match self {
            Self::Created { id, representation }
            | Self::Updated { id, representation }
            | Self::Unchanged { id, representation } => Some((*id, representation)),
            Self::Deleted | Self::Batch(_) => None,
        }
    }

    /// What its items did, or it alone.
    pub(in crate::store) fn each(&self) -> &[Self] {
        match self {
            Self::Batch(items) => items,
            one => std::slice::from_ref(one),
        }
    }

    pub(in crate::store) fn each_mut(&mut self) -> &mut [Self] {
        match self {
            Self::Batch(items) => items,
            one => std::slice::from_mut(one),
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
    /// The tags of records that the answer showed and that were too large to be kept with it, each with the place of its
    /// item. Only the store sees a reply without its records.
    pub(in crate::store) missing: Vec<(usize, ETag)>,
}

impl WriteReply {
    /// What nobody was told before.
    pub(in crate::store) fn first(outcome: WriteOutcome) -> Self {
        Self { outcome, is_replayed: false, missing: Vec::new() }
    }
}
