//! Writes that must look before they act: those that name what the client has seen, and deletes that bring others along.

use std::sync::atomic::Ordering::Relaxed;

use bytes::Bytes;
use tokio_postgres::Error;

use super::columns;
use super::group::Group;
use super::prepared_conn::Parameter;
use super::row;
use super::sql;
use crate::catalog::collection::Collection;
use crate::catalog::field::OnDelete;
use crate::record::etag::{ETags, Mismatch};
use crate::record::{RecordId, Value};
use crate::store::StoreError;
use crate::store::write::{Write, WriteOutcome, Written};

/// How many records one statement takes at the most.
const MOST_AT_ONCE: usize = 10_000;
/// The deletes of a group touch no more records together, unless one does so alone: the others would wait for it.
const MOST_SHARED: usize = 1_000;

pub(super) struct CheckedWrite<'a, 'g> {
    pub(super) group: &'a Group<'g>,
}

/// What a deletion met.
enum Deletion {
    Done,
    /// Something still refers to it, or a trigger prevents it.
    Refused(StoreError),
    /// It reaches more records than a write may that shares its commit.
    TooLarge,
}

/// What became of it.
pub(super) enum CheckedOutcome {
    To(WriteOutcome),
    /// Nothing was done: it must be tried again without others.
    TooFar,
}

impl CheckedWrite<'_, '_> {
    pub(super) async fn run(&self, write: &Write) -> Result<CheckedOutcome, Error> {
        let collection = self.group.catalog.at(write.collection());
        let outcome = match write {
            Write::Update { id, patch, seen, .. } => {
                let Some(stored) = self.stored(collection, *id).await? else {
                    return Ok(CheckedOutcome::To(Err(StoreError::NoRecord)));
                };
                match check_seen(seen.as_ref(), &stored) {
                    Err(mismatch) => Err(mismatch.into()),
                    Ok(()) if patch.values().is_empty() => {
                        Ok(Written::Unchanged { id: *id, representation: stored })
                    }
                    Ok(()) => self.update(collection, *id, patch.values()).await?,
                }
            }
            Write::Delete { id, seen, .. } => {
                let Some(stored) = self.stored(collection, *id).await? else {
                    return Ok(CheckedOutcome::To(Err(StoreError::NoRecord)));
                };
                match check_seen(seen.as_ref(), &stored) {
                    Err(mismatch) => Err(mismatch.into()),
                    Ok(()) => return self.delete_with_others(collection, *id).await,
                }
            }
            Write::Insert { .. } | Write::Upsert { .. } => {
                Err(StoreError::Broken("a create needs no second look".into()))
            }
        };
        Ok(CheckedOutcome::To(outcome))
    }

    async fn update(
        &self,
        collection: &Collection,
        id: RecordId,
        given: &[(usize, Value)],
    ) -> Result<WriteOutcome, Error> {
        let values = columns::updates(collection, &[(id, given)]);
        let parameters: Vec<Parameter<'_>> = values.iter().map(|value| &**value as Parameter<'_>).collect();
        let text = self.group.update_text(collection, given);
        let rows = self.group.conn.query(&text, &parameters).await?;
        rows.first().map_or(Ok(Err(StoreError::NoRecord)), |row| self.group.judge_update(collection, row))
    }

    /// The record as a client sees it, locked against others.
    async fn stored(&self, collection: &Collection, id: RecordId) -> Result<Option<Bytes>, Error> {
        let text = &self.group.statements[collection.position()].lock_one;
        let rows = self.group.conn.query(text, &[&id.get()]).await?;
        let Some(found) = rows.first() else { return Ok(None) };
        let mut record = Vec::with_capacity(256);
        row::write(&mut record, collection, id, found, 1)?;
        Ok(Some(record.into()))
    }

    /// Deletes a record with all that the deletion rules bring along, or nothing at all.
    async fn delete_with_others(
        &self,
        collection: &Collection,
        id: RecordId,
    ) -> Result<CheckedOutcome, Error> {
        let client = &self.group.conn.client;
        client.batch_execute("SAVEPOINT deletion").await?;
        let deletion = Box::pin(self.delete(collection, &[id.get()])).await?;
        let end = if matches!(deletion, Deletion::Done) { "" } else { "ROLLBACK TO deletion; " };
        client.batch_execute(&format!("{end}RELEASE deletion")).await?;
        Ok(match deletion {
            Deletion::Done => CheckedOutcome::To(Ok(Written::Deleted)),
            Deletion::Refused(error) => CheckedOutcome::To(Err(error)),
            Deletion::TooLarge => CheckedOutcome::TooFar,
        })
    }

    /// Does to the records that refer to these what their rules say, then deletes them: in the order in which
    /// the embedded engine does it, so that both refuse for the same reason.
    async fn delete(&self, collection: &Collection, ids: &[i64]) -> Result<Deletion, Error> {
        let group = self.group;
        for (referrer, position) in group.catalog.referrers(collection) {
            let referring = self.referring(referrer, position, ids).await?;
            if referring.is_empty() {
                continue;
            }
            let rule = referrer.fields()[position].reference().map(|reference| reference.on_delete);
            if !matches!(rule, Some(OnDelete::Cascade | OnDelete::SetNull)) {
                return Ok(Deletion::Refused(StoreError::StillReferenced(referrer.name().to_owned())));
            }
            let reached = group.reached.fetch_add(referring.len(), Relaxed) + referring.len();
            if group.is_shared && reached > MOST_SHARED {
                return Ok(Deletion::TooLarge);
            }
            if rule == Some(OnDelete::Cascade) {
                match Box::pin(self.delete(referrer, &referring)).await? {
                    Deletion::Done => {}
                    other => return Ok(other),
                }
            } else {
                for some in referring.chunks(MOST_AT_ONCE) {
                    group.conn.query(&sql::clear(referrer, position), &[&some]).await?;
                }
            }
        }
        let text = &group.statements[collection.position()].delete;
        for some in ids.chunks(MOST_AT_ONCE) {
            for row in group.conn.query(text, &[&some]).await? {
                if let Err(error) = group.judge_delete(collection.position(), &row)? {
                    return Ok(Deletion::Refused(error));
                }
            }
        }
        Ok(Deletion::Done)
    }

    /// The records whose field refers to one of these.
    async fn referring(
        &self,
        referrer: &Collection,
        position: usize,
        ids: &[i64],
    ) -> Result<Vec<i64>, Error> {
        let text = sql::referring(referrer, position);
        let mut referring = Vec::new();
        for some in ids.chunks(MOST_AT_ONCE) {
            for row in self.group.conn.query(&text, &[&some]).await? {
                referring.extend(row.try_get::<_, Option<Vec<i64>>>(0)?.unwrap_or_default());
            }
        }
        Ok(referring)
    }
}

/// Nobody overwrites what they have not seen.
fn check_seen(seen: Option<&ETags>, stored: &[u8]) -> Result<(), Mismatch> {
    seen.map_or(Ok(()), |tags| tags.check(stored))
}
