//! Deletes, with all that the deletion rules bring along: level by level, many records with one statement.
//!
//! Inside a savepoint every statement costs as much as all that were done before it: SQLite looks through what it would
//! have to take back. One for each record would make a delete quadratic.

use rusqlite::params;

use super::group::{Group, WriteError, check_seen, no_record, undone};
use super::row;
use crate::catalog::collection::Collection;
use crate::catalog::field::OnDelete;
use crate::record::etag::ETags;
use crate::record::{RecordId, Value, representation};
use crate::store::StoreError;
use crate::store::change::{After, Change};
use crate::store::sqlite::sql;
use crate::store::write::Written;

/// How many records one statement takes at the most.
const MOST_AT_ONCE: usize = 10_000;
/// The deletes of a group touch no more records together, unless one does so alone: the others would wait for it.
const MOST_SHARED: usize = 1_000;

impl Group<'_> {
    /// Deletes a record with all that the deletion rules bring along, or nothing at all.
    pub(super) fn delete(
        &mut self,
        collection: usize,
        id: RecordId,
        seen: Option<&ETags>,
    ) -> Result<Written, WriteError> {
        let collection = self.catalog.at(collection);
        let Some(before) = self.stored(collection, id)? else { return Err(no_record()) };
        check_seen(collection, id, &before, seen)?;
        if self.catalog.referrers(collection).next().is_none() {
            self.delete_one(collection, id, before)?;
            return Ok(Written::Deleted);
        }
        let with_referrers = |group: &mut Self| {
            group.release_referrers(collection, &[id])?;
            group.delete_one(collection, id, before)
        };
        // Several statements: those before a refusal must be taken back.
        if self.is_in_batch {
            with_referrers(self)?
        } else {
            self.in_savepoint(with_referrers)?
        }
        Ok(Written::Deleted)
    }

    fn delete_one(
        &mut self,
        collection: &Collection,
        id: RecordId,
        before: Vec<Value>,
    ) -> Result<(), WriteError> {
        self.check_undeclared_refs(collection, &[id])?;
        let statement = &self.statements[collection.position()].delete;
        let changed_before = self.connection.total_changes();
        let deleted = self.connection.prepare_cached(statement)?.execute([id.get()]);
        let rows = deleted.map_err(|error| self.undeclared(error))?;
        if self.compare(changed_before, rows, 1)? && self.stored(collection, id)?.is_some() {
            return Err(undone());
        }
        let (collection, before) = (collection.position(), Some(before));
        self.changes.note(Change { collection, id, before, after: None });
        Ok(())
    }

    /// Does to the records that refer to these what their rules say. Done here and not by the foreign keys' own
    /// actions, so that every record it touches is among the changes.
    fn release_referrers(&mut self, collection: &Collection, ids: &[RecordId]) -> Result<(), WriteError> {
        let catalog = self.catalog;
        for (referrer, position) in catalog.referrers(collection) {
            let referring = self.referring(referrer, position, ids)?;
            if referring.is_empty() {
                continue;
            }
            let rule = referrer.fields()[position].reference().map(|reference| reference.on_delete);
            if !matches!(rule, Some(OnDelete::Cascade | OnDelete::SetNull)) {
                return Err(WriteError::Refused(StoreError::StillReferenced(referrer.name().to_owned())));
            }
            self.reached += referring.len();
            if self.is_shared && self.reached > MOST_SHARED {
                return Err(WriteError::Large);
            }
            if rule == Some(OnDelete::Cascade) {
                self.release_referrers(referrer, &referring)?;
                self.check_undeclared_refs(referrer, &referring)?;
                self.change_all(referrer, &referring, None)?;
            } else {
                self.change_all(referrer, &referring, Some(position))?;
            }
        }
        Ok(())
    }

    /// The records whose field refers to one of these.
    fn referring(
        &self,
        referrer: &Collection,
        position: usize,
        ids: &[RecordId],
    ) -> rusqlite::Result<Vec<RecordId>> {
        let mut statement = self.connection.prepare_cached(&sql::referring(referrer, position))?;
        let mut referring = Vec::new();
        for some in ids.chunks(MOST_AT_ONCE) {
            for found in statement.query_map([list(some)], row::id)? {
                referring.push(found?);
            }
        }
        Ok(referring)
    }

    /// What a table refers to that is not ours to change stays.
    fn check_undeclared_refs(&self, collection: &Collection, ids: &[RecordId]) -> Result<(), WriteError> {
        for reference in self.undeclared_refs {
            for &id in ids {
                if let Some(table) = reference.holding(self.connection, collection, id)? {
                    return Err(WriteError::Refused(StoreError::StillReferenced(table.to_owned())));
                }
            }
        }
        Ok(())
    }

    /// Takes the value of a field away from these records, or without one deletes them.
    fn change_all(
        &mut self,
        collection: &Collection,
        ids: &[RecordId],
        cleared: Option<usize>,
    ) -> Result<(), WriteError> {
        let text = match cleared {
            Some(position) => sql::clear_all(collection, position),
            None => sql::delete_all(collection),
        };
        for some in ids.chunks(MOST_AT_ONCE) {
            let listed = list(some);
            self.note_all(collection, some.len(), &listed, cleared)?;
            let changed_before = self.connection.total_changes();
            let done = self.connection.prepare_cached(&text)?.execute(params![listed]);
            let rows = done.map_err(|error| self.undeclared(error))?;
            if self.foreign.is_there() {
                self.compare(changed_before, rows, some.len())?;
            }
        }
        Ok(())
    }

    /// Notes what is about to be done to the listed records, of which there are so many.
    fn note_all(
        &mut self,
        collection: &Collection,
        number: usize,
        listed: &str,
        cleared: Option<usize>,
    ) -> rusqlite::Result<()> {
        let deed = if cleared.is_some() { "updated" } else { "deleted" };
        let position = collection.position();
        let mut noted = 0;
        if !self.changes.is_forgotten(position) {
            let mut statement = self.connection.prepare_cached(&sql::fetch_all(collection))?;
            let mut rows = statement.query(params![listed])?;
            while let Some(stored) = rows.next()? {
                let (id, before) = (row::id(stored)?, row::values(stored, collection)?);
                let after = cleared.map(|cleared| {
                    let mut values = before.clone();
                    values[cleared] = Value::Null;
                    After {
                        representation: representation::of(collection, id, &values),
                        values: values.into(),
                    }
                });
                self.changes.note(Change { collection: position, id, before: Some(before), after });
                noted += 1;
                if self.changes.is_forgotten(position) {
                    break;
                }
            }
        }
        self.changes.count(position, deed, number.saturating_sub(noted) as u64);
        Ok(())
    }
}

/// Ids as a JSON array.
pub(super) fn list(ids: &[RecordId]) -> String {
    let ids: Vec<String> = ids.iter().map(|id| id.get().to_string()).collect();
    format!("[{}]", ids.join(","))
}
