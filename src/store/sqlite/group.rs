//! The writes of one group, inside its transaction: each is judged on its own, by the database itself.

use rusqlite::{Connection, ErrorCode, OptionalExtension, params_from_iter};

use super::row::{self, Bound};
use super::strangers::Stranger;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::OnDelete;
use crate::record::draft::{Draft, Patch};
use crate::record::etag::ETags;
use crate::record::representation;
use crate::record::{RecordId, Value};
use crate::store::change::{After, Change};
use crate::store::sql::{self, Statements};
use crate::store::verdict::Verdict;
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
    pub(super) strangers: &'a [Stranger],
    /// What the writes did so far, in order.
    pub(super) changes: Vec<Change>,
}

impl Group<'_> {
    pub(super) fn insert(&mut self, collection: usize, draft: Draft) -> Result<Verdict, Trouble> {
        let collection = self.catalog.at(collection);
        let statement = &self.statements[collection.position()].insert;
        let values = draft.into_values();
        let inserted =
            self.connection.prepare_cached(statement)?.insert(params_from_iter(values.iter().map(Bound)));
        let id = match inserted {
            Ok(id) => RecordId::new(id).ok_or(rusqlite::Error::IntegralValueOutOfRange(0, id))?,
            Err(error) => return Err(self.refusal(collection, None, &values, |_| true, error)?),
        };
        let representation = representation::of(collection, id, &values);
        let after = Some(After { values, representation: representation.clone() });
        self.changes.push(Change { collection: collection.position(), id, before: None, after });
        Ok(Verdict::Created(Created { id, representation }))
    }

    /// Changes a record, unless its content is none of those that the client has seen.
    pub(super) fn update(
        &mut self,
        collection: usize,
        id: RecordId,
        patch: Patch,
        seen: Option<&ETags>,
    ) -> Result<Verdict, Trouble> {
        let collection = self.catalog.at(collection);
        let Some(before) = self.stored(collection, id)? else { return Ok(Verdict::NoRecord) };
        check_seen(collection, id, &before, seen)?;
        let mut positions = Vec::new();
        let mut values = before.clone();
        for (position, value) in patch.into_values().into_iter().enumerate() {
            if let Some(value) = value {
                positions.push(position);
                values[position] = value;
            }
        }
        let representation = representation::of(collection, id, &values);
        if positions.is_empty() {
            return Ok(Verdict::Unchanged(representation));
        }
        let own_id = Value::Integer(id.get());
        let given = positions.iter().map(|&position| &values[position]);
        let updated = self
            .connection
            .prepare_cached(&sql::update(collection, &positions))?
            .execute(params_from_iter(std::iter::once(&own_id).chain(given).map(Bound)));
        if let Err(error) = updated {
            let is_given = |position| positions.contains(&position);
            return Err(self.refusal(collection, Some(id), &values, is_given, error)?);
        }
        let after = Some(After { values, representation: representation.clone() });
        self.changes.push(Change { collection: collection.position(), id, before: Some(before), after });
        Ok(Verdict::Updated(representation))
    }

    /// Deletes a record with all that the deletion rules bring along, or nothing at all.
    pub(super) fn delete(
        &mut self,
        collection: usize,
        id: RecordId,
        seen: Option<&ETags>,
    ) -> Result<Verdict, Trouble> {
        let collection = self.catalog.at(collection);
        let Some(before) = self.stored(collection, id)? else { return Ok(Verdict::NoRecord) };
        check_seen(collection, id, &before, seen)?;
        if self.catalog.referrers(collection).next().is_none() {
            self.delete_one(collection, id, before)?;
            return Ok(Verdict::Deleted);
        }
        // Several statements: those before a refusal must be taken back.
        let changes_before = self.changes.len();
        self.connection.prepare_cached("SAVEPOINT deletion")?.execute([])?;
        let deleted =
            self.release_referrers(collection, id).and_then(|()| self.delete_one(collection, id, before));
        if matches!(deleted, Err(Trouble::Refused(_))) {
            self.connection.prepare_cached("ROLLBACK TO deletion")?.execute([])?;
            self.changes.truncate(changes_before);
        }
        if !matches!(deleted, Err(Trouble::Engine(_))) {
            self.connection.prepare_cached("RELEASE deletion")?.execute([])?;
        }
        deleted.map(|()| Verdict::Deleted)
    }

    fn delete_one(
        &mut self,
        collection: &Collection,
        id: RecordId,
        before: Vec<Value>,
    ) -> Result<(), Trouble> {
        for stranger in self.strangers {
            if let Some(table) = stranger.holding(self.connection, collection, id)? {
                return Err(Trouble::Refused(StoreError::StillReferenced(table.to_owned())));
            }
        }
        let statement = &self.statements[collection.position()].delete;
        let deleted = self.connection.prepare_cached(statement)?.execute([id.get()]);
        deleted.map_err(|error| self.undeclared(error))?;
        let (collection, before) = (collection.position(), Some(before));
        self.changes.push(Change { collection, id, before, after: None });
        Ok(())
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
                if !matches!(rule, Some(OnDelete::Cascade | OnDelete::SetNull)) {
                    return Err(Trouble::Refused(StoreError::StillReferenced(referrer.name().to_owned())));
                }
                let Some(before) = self.stored(referrer, referring)? else { continue };
                if rule == Some(OnDelete::Cascade) {
                    self.release_referrers(referrer, referring)?;
                    self.delete_one(referrer, referring, before)?;
                } else {
                    self.clear(referrer, position, referring, before)?;
                }
            }
        }
        Ok(())
    }

    /// Takes the value of one field away.
    fn clear(
        &mut self,
        collection: &Collection,
        position: usize,
        id: RecordId,
        before: Vec<Value>,
    ) -> Result<(), Trouble> {
        self.connection
            .prepare_cached(&sql::update(collection, &[position]))?
            .execute((id.get(), rusqlite::types::Null))?;
        let mut values = before.clone();
        values[position] = Value::Null;
        let after = Some(After { representation: representation::of(collection, id, &values), values });
        self.changes.push(Change { collection: collection.position(), id, before: Some(before), after });
        Ok(())
    }

    /// What the database refused, in our words: first the references in declared order, then the unique
    /// rules. SQLite does not say which foreign key failed, so we look, inside the same transaction.
    fn refusal(
        &self,
        collection: &Collection,
        id: Option<RecordId>,
        values: &[Value],
        is_given: impl Fn(usize) -> bool,
        error: rusqlite::Error,
    ) -> Result<Trouble, rusqlite::Error> {
        if !is_constraint(&error) {
            return Ok(Trouble::Engine(error));
        }
        for (position, (field, value)) in collection.fields().iter().zip(values).enumerate() {
            let (Some(reference), Value::Integer(target)) = (field.reference(), value) else { continue };
            if !is_given(position) {
                continue;
            }
            let exists = &self.statements[reference.target].exists;
            if !self.connection.prepare_cached(exists)?.exists([target])? {
                return Ok(Trouble::Refused(StoreError::DanglingReference(field.name().to_owned())));
            }
        }
        let own_id = Value::Integer(id.map_or(0, RecordId::get));
        for rule in collection.unique() {
            let wanted = rule.iter().map(|&position| &values[position]);
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
        Ok(self.undeclared(error))
    }

    /// What a constraint or a trigger says that another tool has put there. A trigger may take back more than its
    /// own statement; then everything is in doubt.
    fn undeclared(&self, error: rusqlite::Error) -> Trouble {
        match error {
            rusqlite::Error::SqliteFailure(failure, Some(said))
                if failure.code == ErrorCode::ConstraintViolation && !self.connection.is_autocommit() =>
            {
                Trouble::Refused(StoreError::UndeclaredRule(said))
            }
            error => Trouble::Engine(error),
        }
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

/// Nobody overwrites what they have not seen.
fn check_seen(
    collection: &Collection,
    id: RecordId,
    stored: &[Value],
    seen: Option<&ETags>,
) -> Result<(), Trouble> {
    let Some(tags) = seen else { return Ok(()) };
    let checked = tags.check(&representation::of(collection, id, stored));
    checked.map_err(|mismatch| Trouble::Refused(mismatch.into()))
}

fn is_constraint(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}
