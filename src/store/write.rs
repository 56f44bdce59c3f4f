//! The write path of both engines: what a client wants written, and how it reaches the one writer of its store.
//!
//! The engines have the writers: each takes what waits in the queue into one transaction, and answers after its commit.

pub(super) mod answer_budget;
pub(super) mod handle;
pub(super) mod idempotency;
mod outcome;
pub(super) mod queue;
pub(super) mod stored_answer;

use std::fmt;
use std::sync::Arc;

use super::keys::{Credential, Holder};
use crate::record::draft::{Draft, Patch};
use crate::record::etag::ETags;
use crate::record::{RecordId, Value};
pub use idempotency::IdempotencyToken;
pub(super) use outcome::WriteOutcome;
pub use outcome::{WriteReply, Written};

/// What a client wants done to one record. A collection is named by its position in the catalog.
#[derive(Debug)]
pub enum Write {
    /// References and unique rules are judged inside the write, in declared order.
    Insert { collection: usize, draft: Draft },
    /// With `seen`, only a record that is still one of those the client has seen, judged inside the write.
    Update { collection: usize, id: RecordId, patch: Patch, seen: Option<ETags> },
    /// As the rules of those that refer to the record allow; `seen` as for an update.
    Delete { collection: usize, id: RecordId, seen: Option<ETags> },
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

    /// The record that it is about, where there is one before.
    pub(super) fn id(&self) -> Option<RecordId> {
        match self {
            Self::Insert { .. } => None,
            Self::Update { id, .. } | Self::Delete { id, .. } => Some(*id),
        }
    }

    /// How many bytes its texts take.
    fn text_bytes(&self) -> usize {
        match self {
            Self::Insert { draft, .. } => draft.values().iter().map(Value::text_bytes).sum(),
            Self::Update { patch, .. } => patch.values().iter().map(|(_, value)| value.text_bytes()).sum(),
            Self::Delete { .. } => 0,
        }
    }
}

/// What is handed in to be done wholly or not at all, and answered once. It is one write: several that belong together
/// would be a list of them here, and nowhere else.
#[derive(Debug)]
pub struct WriteRequest {
    pub write: Write,
    /// Whoever was told something within the last day is told it again, and nothing is done twice.
    pub token: Option<IdempotencyToken>,
    pub origin: Origin,
}

/// Who makes a write, and in which request.
#[derive(Debug, Default)]
pub struct Origin {
    /// The holder of the access key; `None` for the anonymous.
    pub author: Option<Arc<Holder>>,
    /// What the author was let in by, where nobody else is: with PostgreSQL it is looked at again inside the write.
    pub credential: Option<Credential>,
    /// The `X-Request-Id`.
    pub request_id: Box<str>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "request {}", self.request_id)?;
        match &self.author {
            Some(holder) => write!(f, " by key {}", holder.name),
            None => Ok(()),
        }
    }
}
