//! A write, and whoever waits for the outcome on it.

use tokio::sync::oneshot;

use crate::record::etag::ETags;
use crate::record::{RecordId, Value};
use crate::store::StoreError;
use crate::store::idempotency::{IdempotencyToken, InFlightGuard, Replayable};
use crate::store::write_outcome::WriteOutcome;

/// What a client wants done.
pub(super) enum Write {
    Insert { collection: usize, values: Vec<Value> },
    Update { collection: usize, id: RecordId, change: Patched },
    Delete { collection: usize, id: RecordId, seen: Option<ETags> },
}

/// The fields to change, by position, and what the client has seen of the record.
pub(super) struct Patched {
    pub(super) given: Vec<(usize, Value)>,
    pub(super) seen: Option<ETags>,
}

impl Write {
    /// How many bytes its texts take.
    pub(super) fn text_bytes(&self) -> usize {
        match self {
            Self::Insert { values, .. } => values.iter().map(Value::text_bytes).sum(),
            Self::Update { change, .. } => change.given.iter().map(|(_, value)| value.text_bytes()).sum(),
            Self::Delete { .. } => 0,
        }
    }

    /// The position of its collection.
    pub(super) fn collection(&self) -> usize {
        match self {
            Self::Insert { collection, .. }
            | Self::Update { collection, .. }
            | Self::Delete { collection, .. } => *collection,
        }
    }
}

/// A write that waits, and where to answer.
pub(super) struct Waiting {
    /// Its number in the queue, once it was taken from there.
    pub(super) number: u64,
    pub(super) write: Write,
    pub(super) guard: Option<InFlightGuard>,
    pub(super) reply: oneshot::Sender<Replayable<WriteOutcome>>,
}

impl Waiting {
    pub(super) fn token(&self) -> Option<&IdempotencyToken> {
        self.guard.as_ref().map(|guard| &guard.token)
    }

    pub(super) fn answer(self, told: Replayable<WriteOutcome>) {
        // Before anybody hears of it: who is answered may come again at once.
        drop(self.guard);
        // Who no longer listens has hung up; the write stands.
        let _ = self.reply.send(told);
    }

    pub(super) fn refuse(self, error: StoreError) {
        self.answer(Replayable::first(WriteOutcome::Refused(error)));
    }
}
