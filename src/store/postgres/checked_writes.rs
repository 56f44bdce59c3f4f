//! Writes that must look before they act: those that name what the client has seen, and deletes that bring others along.

use std::collections::HashSet;
use std::sync::atomic::Ordering::Relaxed;

use bytes::Bytes;
use tokio_postgres::Error;

use super::change_log::MOST_LOGGED;
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

    /// Deletes records of one collection, all of them others, with all that the deletion rules bring along; nothing at
    /// all, and no outcomes, where it cannot be all of them, or they bring along so many that not each would be logged.
    pub(super) async fn delete_several(
        &self,
        deletes: &[&Write],
    ) -> Result<Option<Vec<WriteOutcome>>, Error> {
        let ids = deletes.iter().filter_map(|write| match write {
            Write::Delete { id, .. } => Some(id.get()),
            _ => None,
        });
        let ids: Vec<i64> = ids.collect();
        let Some(first) = deletes.first() else { return Ok(None) };
        let collection = self.group.catalog.at(first.collection());
        let rows = self.group.conn.query(&sql::lock_some(collection), &[&ids]).await?;
        let there = rows.iter().map(|row| row.try_get(0)).collect::<Result<HashSet<i64>, Error>>()?;
        let found: Vec<i64> = ids.iter().copied().filter(|id| there.contains(id)).collect();
        let reached = self.group.reached.load(Relaxed);
        let deletion = self.delete_or_nothing(collection, &found, Some(MOST_LOGGED)).await?;
        if !matches!(deletion, Deletion::Done) {
            self.group.reached.store(reached, Relaxed);
            return Ok(None);
        }
        let outcome = |id: &i64| there.contains(id).then_some(Written::Deleted).ok_or(StoreError::NoRecord);
        Ok(Some(ids.iter().map(outcome).collect()))
    }

    /// Deletes a record with all that the deletion rules bring along, or nothing at all.
    async fn delete_with_others(
        &self,
        collection: &Collection,
        id: RecordId,
    ) -> Result<CheckedOutcome, Error> {
        Ok(match self.delete_or_nothing(collection, &[id.get()], None).await? {
            Deletion::Done => CheckedOutcome::To(Ok(Written::Deleted)),
            Deletion::Refused(error) => CheckedOutcome::To(Err(error)),
            Deletion::TooLarge => CheckedOutcome::TooFar,
        })
    }

    async fn delete_or_nothing(
        &self,
        collection: &Collection,
        ids: &[i64],
        most: Option<usize>,
    ) -> Result<Deletion, Error> {
        let client = &self.group.conn.client;
        client.batch_execute("SAVEPOINT deletion").await?;
        let deletion = Box::pin(self.delete(collection, ids, most)).await?;
        let end = if matches!(deletion, Deletion::Done) { "" } else { "ROLLBACK TO deletion; " };
        client.batch_execute(&format!("{end}RELEASE deletion")).await?;
        Ok(deletion)
    }

    /// Does to the records that refer to these what their rules say, then deletes them: in the order in which
    /// the embedded engine does it, so that both refuse for the same reason. No field of a collection may have more
    /// referring records than `most`.
    async fn delete(
        &self,
        collection: &Collection,
        ids: &[i64],
        most: Option<usize>,
    ) -> Result<Deletion, Error> {
        let group = self.group;
        for (referrer, position) in group.catalog.referrers(collection) {
            let referring = self.referring(referrer, position, ids, most).await?;
            if referring.is_empty() {
                continue;
            }
            let rule = referrer.fields()[position].reference().map(|reference| reference.on_delete);
            if !matches!(rule, Some(OnDelete::Cascade | OnDelete::SetNull)) {
                return Ok(Deletion::Refused(StoreError::StillReferenced(referrer.name().to_owned())));
            }
            if most.is_some_and(|most| referring.len() > most) {
                return Ok(Deletion::TooLarge);
            }
            let reached = group.reached.fetch_add(referring.len(), Relaxed) + referring.len();
            if group.is_shared && reached > MOST_SHARED {
                return Ok(Deletion::TooLarge);
            }
            if rule == Some(OnDelete::Cascade) {
                match Box::pin(self.delete(referrer, &referring, most)).await? {
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

    /// The records whose field refers to one of these; where there may be so many at the most, no more than one more.
    async fn referring(
        &self,
        referrer: &Collection,
        position: usize,
        ids: &[i64],
        most: Option<usize>,
    ) -> Result<Vec<i64>, Error> {
        let limit = most.map(|most| most as i64 + 1);
        let text = sql::referring(referrer, position);
        let mut referring = Vec::new();
        for some in ids.chunks(MOST_AT_ONCE) {
            for row in self.group.conn.query(&text, &[&some, &limit]).await? {
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
