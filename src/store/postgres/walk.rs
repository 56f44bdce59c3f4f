//! Writes that must look before they act: those that name what the client has seen, and deletes that bring others
//! along. Step by step, inside the group's transaction.

use bytes::Bytes;
use tokio_postgres::Error;

use super::columns;
use super::group::Group;
use super::line::Parameter;
use super::row;
use super::sql;
use super::write::{Patched, Write};
use crate::catalog::collection::Collection;
use crate::catalog::field::OnDelete;
use crate::record::RecordId;
use crate::record::etag::{ETags, Mismatch};
use crate::store::StoreError;
use crate::store::verdict::Verdict;

pub(super) struct Walk<'a, 'g> {
    pub(super) group: &'a Group<'g>,
}

/// What a deletion met.
enum Deletion {
    Done,
    /// The table that still refers to it.
    Kept(String),
}

impl Walk<'_, '_> {
    pub(super) async fn run(&self, write: &Write) -> Result<Verdict, Error> {
        let collection = self.group.catalog.at(write.collection());
        match write {
            Write::Update { id, change: Patched { given, seen }, .. } => {
                let Some(stored) = self.stored(collection, *id).await? else { return Ok(Verdict::NoRecord) };
                if let Err(mismatch) = check_seen(seen.as_ref(), &stored) {
                    return Ok(Verdict::Refused(mismatch.into()));
                }
                if given.is_empty() {
                    return Ok(Verdict::Unchanged(stored));
                }
                let values = columns::updates(collection, &[(*id, given.as_slice())]);
                let parameters: Vec<Parameter<'_>> =
                    values.iter().map(|value| &**value as Parameter<'_>).collect();
                let text = self.group.update_text(collection, given);
                let rows = self.group.line.query(&text, &parameters).await?;
                rows.first().map_or(Ok(Verdict::NoRecord), |row| self.group.judge_update(collection, row))
            }
            Write::Delete { id, seen, .. } => {
                let Some(stored) = self.stored(collection, *id).await? else { return Ok(Verdict::NoRecord) };
                if let Err(mismatch) = check_seen(seen.as_ref(), &stored) {
                    return Ok(Verdict::Refused(mismatch.into()));
                }
                self.delete_with_others(collection, *id).await
            }
            Write::Insert { .. } => {
                Ok(Verdict::Refused(StoreError::Broken("a create needs no second look".into())))
            }
        }
    }

    /// The record as a client sees it, locked against others.
    async fn stored(&self, collection: &Collection, id: RecordId) -> Result<Option<Bytes>, Error> {
        let text = &self.group.statements[collection.position()].lock_one;
        let rows = self.group.line.query(text, &[&id.get()]).await?;
        let Some(found) = rows.first() else { return Ok(None) };
        let mut record = Vec::with_capacity(256);
        row::write(&mut record, collection, id, found, 1)?;
        Ok(Some(record.into()))
    }

    /// Deletes a record with all that the deletion rules bring along, or nothing at all.
    async fn delete_with_others(&self, collection: &Collection, id: RecordId) -> Result<Verdict, Error> {
        let client = &self.group.line.client;
        client.batch_execute("SAVEPOINT deletion").await?;
        match Box::pin(self.delete(collection, id)).await? {
            Deletion::Done => {
                client.batch_execute("RELEASE deletion").await?;
                Ok(Verdict::Deleted)
            }
            Deletion::Kept(by) => {
                client.batch_execute("ROLLBACK TO deletion; RELEASE deletion").await?;
                Ok(Verdict::Refused(StoreError::StillReferenced(by)))
            }
        }
    }

    /// Does to the records that refer to this one what their rules say, then deletes it: in the order in which
    /// the embedded engine does it, so that both refuse for the same reason.
    async fn delete(&self, collection: &Collection, id: RecordId) -> Result<Deletion, Error> {
        let group = self.group;
        for (referrer, position) in group.catalog.referrers(collection) {
            let rule = referrer.fields()[position].reference().map(|reference| reference.on_delete);
            let rows = group.line.query(&sql::referring(referrer, position), &[&id.get()]).await?;
            for found in &rows {
                let Some(referring) = row::id(found, 0)? else { continue };
                match rule {
                    Some(OnDelete::Cascade) => match Box::pin(self.delete(referrer, referring)).await? {
                        Deletion::Done => {}
                        kept => return Ok(kept),
                    },
                    Some(OnDelete::SetNull) => {
                        group.line.query(&sql::clear(referrer, position), &[&referring.get()]).await?;
                    }
                    Some(OnDelete::Restrict) | None => {
                        return Ok(Deletion::Kept(referrer.name().to_owned()));
                    }
                }
            }
        }
        let text = &group.statements[collection.position()].delete;
        let rows = group.line.query(text, &[&vec![id.get()]]).await?;
        let verdict = rows.first().map(|row| group.judge_delete(collection.position(), row)).transpose()?;
        Ok(match verdict {
            Some(Verdict::Refused(StoreError::StillReferenced(by))) => Deletion::Kept(by),
            _ => Deletion::Done,
        })
    }
}

/// Nobody overwrites what they have not seen.
fn check_seen(seen: Option<&ETags>, stored: &[u8]) -> Result<(), Mismatch> {
    seen.map_or(Ok(()), |tags| tags.check(stored))
}
