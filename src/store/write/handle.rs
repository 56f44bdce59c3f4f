//! The handle of a store's writer: how writes reach it, and how each is answered. The same for both engines.

use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::idempotency::{IdempotencyToken, InFlight, InFlightGuard};
use super::queue::{Queue, Weight};
use super::{Origin, Work, Write, WriteReply, WriteRequest};
use crate::observe::{Event, Observer};
use crate::record::RecordId;
use crate::store::StoreError;
use crate::store::keys::Credential;

/// By which everybody else reaches the writer.
#[derive(Default)]
pub(in crate::store) struct WriterHandle {
    pub(in crate::store) queue: Queue<PendingWrite>,
    in_flight: Arc<InFlight>,
}

/// The position of a collection, and a record of it.
pub(in crate::store) type Record = (usize, RecordId);

/// A write that waits or is being done, and where to answer.
pub(in crate::store) struct PendingWrite {
    pub(in crate::store) work: Work,
    origin: Origin,
    /// Its number in the queue, once it was taken from there.
    number: u64,
    /// When it was handed in.
    since: Instant,
    guard: Option<InFlightGuard>,
    reply: oneshot::Sender<WriteReply>,
}

impl WriterHandle {
    /// Hands in a write and waits until it is committed or refused.
    pub(in crate::store) async fn submit(&self, request: WriteRequest) -> WriteReply {
        let reply = match self.hand_in(request) {
            Ok((number, answer)) => self.queue.answer(number, answer).await,
            Err(error) => Err(error),
        };
        reply.unwrap_or_else(|error| WriteReply::first(Err(error)))
    }

    fn hand_in(
        &self,
        WriteRequest { work, token, origin }: WriteRequest,
    ) -> Result<(u64, oneshot::Receiver<WriteReply>), StoreError> {
        let guard = token.map(|token| self.in_flight.enter(token)).transpose()?;
        let (reply, answer) = oneshot::channel();
        let pending = PendingWrite { work, origin, number: 0, since: Instant::now(), guard, reply };
        let weight = pending.weight();
        let number = self.queue.push(pending, weight)?;
        Ok((number, answer))
    }

    /// The first that waits, if it is no more writes than `most`. From here on it is the writer's.
    pub(in crate::store) fn take(&self, most: usize) -> Option<PendingWrite> {
        let (number, pending) = self.queue.take(most)?;
        Some(PendingWrite { number, ..pending })
    }

    /// Lets a write wait again, where it stood: nothing of it was done.
    pub(in crate::store) fn put_back(&self, pending: PendingWrite) {
        let weight = pending.weight();
        self.queue.put_back(pending.number, pending, weight);
    }
}

impl PendingWrite {
    pub(in crate::store) fn token(&self) -> Option<&IdempotencyToken> {
        self.guard.as_ref().map(|guard| &guard.token)
    }

    /// What its author was let in by, where nobody else is.
    pub(in crate::store) fn credential(&self) -> Option<&Credential> {
        self.origin.credential.as_ref()
    }

    /// The one write that it is, where it is no batch.
    pub(in crate::store) fn one(&self) -> Option<&Write> {
        match &self.work {
            Work::One(write) => Some(write),
            Work::Batch(_) => None,
        }
    }

    /// The record that it names; a create has none yet, and a batch may have many.
    pub(in crate::store) fn record(&self) -> Option<Record> {
        let write = self.one()?;
        write.id().map(|id| (write.collection(), id))
    }

    /// All records that it names by their ids.
    pub(in crate::store) fn records(&self) -> Vec<Record> {
        let record = |write: &Write| write.id().map(|id| (write.collection(), id));
        match &self.work {
            Work::One(write) => record(write).into_iter().collect(),
            Work::Batch(batch) => {
                let known = batch.items.iter().filter(|item| item.target.is_none());
                known.filter_map(|item| record(&item.write)).collect()
            }
        }
    }

    pub(in crate::store) fn since(&self) -> Instant {
        self.since
    }

    /// How many bytes its texts take.
    pub(in crate::store) fn bytes(&self) -> usize {
        self.work.text_bytes()
    }

    fn weight(&self) -> Weight {
        Weight { writes: self.work.len(), bytes: self.bytes() }
    }

    /// One whose answer nobody waits for.
    #[cfg(test)]
    pub(in crate::store) fn unheard(work: Work, since: Instant) -> Self {
        let (reply, _) = oneshot::channel();
        Self { work, origin: Origin::default(), number: 0, since, guard: None, reply }
    }

    pub(in crate::store) fn answer(self, reply: WriteReply) {
        // Before anybody hears of it: who is answered may come again at once.
        drop(self.guard);
        // Who no longer listens has hung up; the write stands.
        let _ = self.reply.send(reply);
    }

    /// Names a write of which nobody can say whether it was done, for whoever looks after it.
    pub(in crate::store) fn report_unknown(&self, observer: &Observer) {
        observer.report(Event::Detail(&format!("the outcome of a write is unknown: {}", self.origin)));
    }

    pub(in crate::store) fn refuse(self, error: StoreError) {
        self.answer(WriteReply::first(Err(error)));
    }
}
