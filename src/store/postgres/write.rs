//! A write that waits, and the verdict on it.

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::record::etag::ETags;
use crate::record::{RecordId, Value};
use crate::store::{Created, StoreError};

type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What a client wants done, and where to answer.
pub(super) enum Write {
    Insert { collection: usize, values: Vec<Value>, reply: Reply<Created> },
    Update { collection: usize, id: RecordId, change: Patched, reply: Reply<Option<Bytes>> },
    Delete { collection: usize, id: RecordId, seen: Option<ETags>, reply: Reply<bool> },
}

/// The fields to change, by position, and what the client has seen of the record.
pub(super) struct Patched {
    pub(super) given: Vec<(usize, Value)>,
    pub(super) seen: Option<ETags>,
}

/// What became of a write.
#[derive(Debug)]
pub(super) enum Verdict {
    Refused(StoreError),
    Created(Created),
    Updated(Bytes),
    /// There was nothing to change.
    Unchanged(Bytes),
    Deleted,
    NoRecord,
}

impl Verdict {
    /// What was done, for the metrics.
    pub(super) fn deed(&self) -> Option<&'static str> {
        match self {
            Self::Created(_) => Some("created"),
            Self::Updated(_) => Some("updated"),
            Self::Deleted => Some("deleted"),
            Self::Refused(_) | Self::Unchanged(_) | Self::NoRecord => None,
        }
    }
}

impl Write {
    /// The position of its collection.
    pub(super) fn collection(&self) -> usize {
        match self {
            Self::Insert { collection, .. }
            | Self::Update { collection, .. }
            | Self::Delete { collection, .. } => *collection,
        }
    }

    /// Answers the client. Who no longer listens has hung up; the write stands.
    pub(super) fn answer(self, verdict: Verdict) {
        let strange = || StoreError::Broken("a write got a verdict of another kind".into());
        match self {
            Self::Insert { reply, .. } => {
                let _ = reply.send(match verdict {
                    Verdict::Created(created) => Ok(created),
                    Verdict::Refused(error) => Err(error),
                    _ => Err(strange()),
                });
            }
            Self::Update { reply, .. } => {
                let _ = reply.send(match verdict {
                    Verdict::Updated(record) | Verdict::Unchanged(record) => Ok(Some(record)),
                    Verdict::NoRecord => Ok(None),
                    Verdict::Refused(error) => Err(error),
                    _ => Err(strange()),
                });
            }
            Self::Delete { reply, .. } => {
                let _ = reply.send(match verdict {
                    Verdict::Deleted => Ok(true),
                    Verdict::NoRecord => Ok(false),
                    Verdict::Refused(error) => Err(error),
                    _ => Err(strange()),
                });
            }
        }
    }

    pub(super) fn refuse(self, error: StoreError) {
        self.answer(Verdict::Refused(error));
    }
}
