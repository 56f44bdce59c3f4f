//! The writes of one group, inside its transaction: each is judged on its own, by the database itself.

use rusqlite::{Connection, ErrorCode, OptionalExtension, params_from_iter};

use super::row::{self, Bound};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::OnDelete;
use crate::record::draft::{Draft, Patch};
use crate::record::representation::{self, Cell};
use crate::record::{RecordId, Value};
use crate::store::change::{Change, Deed};
use crate::store::sql::{self, Statements};
use crate::store::{Created, StoreError};

/// Why a write did not go through.
#[derive(Debug)]
pub(super) enum Trouble {
    /// This write alone is refused; it left nothing behind.
    Refused(StoreError),
    /// The engine failed: the whole group is in doubt.
    Engine(rusqlite::Error),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        Self::Engine(error)
    }
}

/// An open transaction that several writes share.
pub(super) struct Group<'a> {
    pub(super) connection: &'a Connection,
    pub(super) catalog: &'a Catalog,
    pub(super) statements: &'a [Statements],
    /// What the writes did so far, in order.
    pub(super) changes: Vec<Change>,
}

impl Group<'_> {
    pub(super) fn insert(&mut self, collection: usize, draft: &Draft) -> Result<Created, Trouble> {
        let collection = self.catalog.at(collection);
        let statement = &self.statements[collection.position()].insert;
        let inserted = self
            .connection
            .prepare_cached(statement)?
            .insert(params_from_iter(draft.values().iter().map(Bound)));
        let id = match inserted {
            Ok(id) => RecordId::new(id).ok_or(rusqlite::Error::IntegralValueOutOfRange(0, id))?,
            Err(error) => {
                let values: Vec<Option<&Value>> = draft.values().iter().map(Some).collect();
                return Err(self.refusal(collection, None, &values, error)?);
            }
        };
        self.changes.push(Change { collection: collection.position(), id, deed: Deed::Created });
        let mut bytes = Vec::with_capacity(256);
        representation::write(&mut bytes, collection, id, draft.values().iter().map(Cell::from));
        Ok(Created { id, representation: bytes.into() })
    }

    pub(super) fn update(
        &mut self,
        collection: usize,
        id: RecordId,
        patch: &Patch,
    ) -> Result<Option<bytes::Bytes>, Trouble> {
        let collection = self.catalog.at(collection);
        let given = patch.values().iter().enumerate();
        let given = given.filter_map(|(position, value)| value.as_ref().map(|value| (position, value)));
        let (positions, values): (Vec<usize>, Vec<&Value>) = given.unzip();
        if !positions.is_empty() {
            let own_id = Value::Integer(id.get());
            let parameters = std::iter::once(&own_id).chain(values).map(Bound);
            let updated = self
                .connection
                .prepare_cached(&sql::update(collection, &positions))?
                .execute(params_from_iter(parameters));
            match updated {
                Ok(0) => return Ok(None),
                Ok(_) => {
                    self.changes.push(Change { collection: collection.position(), id, deed: Deed::Updated })
                }
                Err(error) => {
                    let values: Vec<Option<&Value>> = patch.values().iter().map(Option::as_ref).collect();
                    return Err(self.refusal(collection, Some(id), &values, error)?);
                }
            }
        }
        let mut bytes = Vec::with_capacity(256);
        let mut statement = self.connection.prepare_cached(&self.statements[collection.position()].fetch)?;
        let mut rows = statement.query([id.get()])?;
        match rows.next()? {
            None => Ok(None),
            Some(stored) => {
                row::write(&mut bytes, collection, stored)?;
                Ok(Some(bytes.into()))
            }
        }
    }

    /// Deletes a record with all that the deletion rules bring along, or nothing at all.
    pub(super) fn delete(&mut self, collection: usize, id: RecordId) -> Result<bool, Trouble> {
        let collection = self.catalog.at(collection);
        if self.catalog.referrers(collection).next().is_none() {
            return self.delete_one(collection, id);
        }
        // Several statements: those before a refusal must be taken back.
        let changes_before = self.changes.len();
        self.connection.prepare_cached("SAVEPOINT deletion")?.execute([])?;
        let deleted = self.release_referrers(collection, id).and_then(|()| self.delete_one(collection, id));
        if matches!(deleted, Err(Trouble::Refused(_))) {
            self.connection.prepare_cached("ROLLBACK TO deletion")?.execute([])?;
            self.changes.truncate(changes_before);
        }
        if !matches!(deleted, Err(Trouble::Engine(_))) {
            self.connection.prepare_cached("RELEASE deletion")?.execute([])?;
        }
        deleted
    }

    fn delete_one(&mut self, collection: &Collection, id: RecordId) -> Result<bool, Trouble> {
        let statement = &self.statements[collection.position()].delete;
        match self.connection.prepare_cached(statement)?.execute([id.get()]) {
            Ok(0) => Ok(false),
            Ok(_) => {
                self.changes.push(Change { collection: collection.position(), id, deed: Deed::Deleted });
                Ok(true)
            }
            // A table that is no longer declared, but still refers to this one.
            Err(error) if is_constraint(&error) => Err(Trouble::Refused(StoreError::StillReferenced(
                "a collection that is no longer declared".into(),
            ))),
            Err(error) => Err(error.into()),
        }
    }

    /// Does to the records that refer to this one what their rules say. Done here and not by the foreign
    /// keys' own actions, so that every record it touches is among the changes.
    fn release_referrers(&mut self, collection: &Collection, id: RecordId) -> Result<(), Trouble> {
        let catalog = self.catalog;
        for (referrer, position) in catalog.referrers(collection) {
            let rule = referrer.fields()[position].reference().map(|reference| reference.on_delete);
            let ids: Vec<i64> = {
                let mut statement = self.connection.prepare_cached(&sql::referring(referrer, position))?;
                statement.query_map([id.get()], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?
            };
            for referring in ids.into_iter().filter_map(RecordId::new) {
                match rule {
                    Some(OnDelete::Cascade) => {
                        self.release_referrers(referrer, referring)?;
                        self.delete_one(referrer, referring)?;
                    }
                    Some(OnDelete::SetNull) => {
                        self.connection
                            .prepare_cached(&sql::update(referrer, &[position]))?
                            .execute((referring.get(), rusqlite::types::Null))?;
                        let (collection, id) = (referrer.position(), referring);
                        self.changes.push(Change { collection, id, deed: Deed::Updated });
                    }
                    Some(OnDelete::Restrict) | None => {
                        return Err(Trouble::Refused(StoreError::StillReferenced(
                            referrer.name().to_owned(),
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    /// What the database refused, in our words: first the references in declared order, then the unique
    /// rules. SQLite does not say which foreign key failed, so we look, inside the same transaction.
    fn refusal(
        &self,
        collection: &Collection,
        id: Option<RecordId>,
        values: &[Option<&Value>],
        error: rusqlite::Error,
    ) -> Result<Trouble, rusqlite::Error> {
        if !is_constraint(&error) {
            return Ok(Trouble::Engine(error));
        }
        for (field, value) in collection.fields().iter().zip(values) {
            let (Some(reference), Some(Value::Integer(target))) = (field.reference(), value) else {
                continue;
            };
            let exists = &self.statements[reference.target].exists;
            if !self.connection.prepare_cached(exists)?.exists([target])? {
                return Ok(Trouble::Refused(StoreError::DanglingReference(field.name().to_owned())));
            }
        }
        let stored = match id {
            Some(id) => self.stored(collection, id)?,
            None => None,
        };
        let own_id = Value::Integer(id.map_or(0, RecordId::get));
        for rule in collection.unique() {
            let wanted = rule.iter().map(|&position| match (values[position], &stored) {
                (Some(value), _) => value,
                (None, Some(stored)) => &stored[position],
                (None, None) => &Value::Null,
            });
            let wanted = std::iter::once(&own_id).chain(wanted).map(Bound);
            if self
                .connection
                .prepare_cached(&sql::rival(collection, rule))?
                .exists(params_from_iter(wanted))?
            {
                let names = rule.iter().map(|&position| collection.fields()[position].name().to_owned());
                return Ok(Trouble::Refused(StoreError::Duplicate(names.collect())));
            }
        }
        Ok(Trouble::Engine(error))
    }

    fn stored(&self, collection: &Collection, id: RecordId) -> rusqlite::Result<Option<Vec<Value>>> {
        let statement = &self.statements[collection.position()].fetch;
        let read = |stored: &rusqlite::Row<'_>| {
            let fields = collection.fields().iter().enumerate();
            fields.map(|(position, field)| row::value(stored, position + 1, field.kind())).collect()
        };
        self.connection.prepare_cached(statement)?.query_row([id.get()], read).optional()
    }
}

fn is_constraint(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}
