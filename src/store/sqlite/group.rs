//! The writes of one group, inside its transaction: each is judged on its own, by the database itself. How many share
//! one is the matter of `writer.rs`.

use std::sync::Arc;

use rusqlite::{CachedStatement, Connection, ErrorCode, OptionalExtension, params_from_iter};

use super::foreign::Foreign;
use super::kind::Bound;
use super::row;
use super::undeclared_refs::UndeclaredRef;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::draft::Patch;
use crate::record::etag::ETags;
use crate::record::representation;
use crate::record::{RecordId, Value};
use crate::store::StoreError;
use crate::store::change::{After, Change, Changes};
use crate::store::sqlite::sql::{self, Statements};
use crate::store::write::answer_budget::AnswerBudget;
use crate::store::write::{Write, Written};

/// Why a write did not go through.
#[derive(Debug)]
pub(super) enum WriteError {
    /// This write alone is refused; it left nothing behind.
    Refused(StoreError),
    /// It touches so many records that it must not share its commit; it left nothing behind.
    Large,
    /// It is refused, and cannot be taken back alone: the whole group is to be done again.
    Repeat,
    /// The engine failed: the whole group is in doubt.
    Engine(rusqlite::Error),
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Engine(error)
    }
}

/// An open transaction that several writes share.
pub(super) struct Group<'a> {
    pub(super) connection: &'a Connection,
    pub(super) catalog: &'a Catalog,
    pub(super) statements: &'a [Statements],
    pub(super) undeclared_refs: &'a [UndeclaredRef],
    /// What the writes did so far, in order.
    pub(super) changes: Changes,
    /// Which collections have no id left.
    pub(super) used_up: Vec<bool>,
    /// Whether others have written in this transaction, who would wait for one that takes long.
    pub(super) is_shared: bool,
    /// Whether the transaction was begun again, and others may have written in between.
    pub(super) is_begun_again: bool,
    /// Whether all that others have written in this transaction can be done again. Then a batch does without a
    /// savepoint, which copies each page that it changes, and hardly any batch is refused.
    pub(super) can_be_repeated: bool,
    /// Whether the write in hand is one of a batch, all of which is taken back where it is refused.
    pub(super) is_in_batch: bool,
    /// How many records its deletes have brought along so far.
    pub(super) reached: usize,
    /// What the database does of its own accord.
    pub(super) foreign: &'a Foreign,
    pub(super) budget: &'a AnswerBudget,
    /// The statement of the last create: of which collection, and whether its id was given.
    pub(super) insert_at_hand: Option<((usize, bool), CachedStatement<'a>)>,
}

impl<'a> Group<'a> {
    /// What its writes did, which collections have no id left, and whether the transaction was begun again.
    pub(super) fn end(self) -> (Changes, Vec<bool>, bool) {
        (self.changes, self.used_up, self.is_begun_again)
    }

    /// Does a write, and nothing of it where it is refused.
    pub(super) fn run(&mut self, write: &Write) -> Result<Written, WriteError> {
        match write {
            Write::Insert { collection, draft, id } => self.insert(*collection, draft.shared_values(), *id),
            Write::Update { collection, id, patch, seen } => {
                self.update(*collection, *id, patch.values(), seen.as_ref())
            }
            Write::Delete { collection, id, seen } => self.delete(*collection, *id, seen.as_ref()),
            Write::Upsert { collection, patch, rule, seen } => {
                self.upsert(*collection, patch, *rule, seen.as_ref())
            }
        }
    }

    /// Changes the record that has the values of the rule, or creates it.
    fn upsert(
        &mut self,
        collection: usize,
        patch: &Patch,
        rule: usize,
        seen: Option<&ETags>,
    ) -> Result<Written, WriteError> {
        let declared = self.catalog.at(collection);
        match self.holder(declared, &declared.unique()[rule], None, |position| patch.value(position))? {
            Some(id) => self.update(collection, id, patch.values(), seen),
            None if seen.is_some_and(ETags::asks_for_one) => {
                Err(WriteError::Refused(StoreError::NoneToMatch))
            }
            None => self.insert(collection, patch.clone().into_draft(declared).shared_values(), None),
        }
    }

    /// The record that has these values in the fields of a unique rule, besides the one that is told.
    fn holder<'v>(
        &self,
        collection: &Collection,
        rule: &[usize],
        besides: Option<RecordId>,
        value: impl Fn(usize) -> &'v Value,
    ) -> rusqlite::Result<Option<RecordId>> {
        let own_id = Value::from(besides.map_or(0, RecordId::get));
        let wanted = rule.iter().map(|&position| value(position));
        let wanted = std::iter::once(&own_id).chain(wanted).map(Bound);
        let mut statement = self.connection.prepare_cached(&sql::holder(collection, rule))?;
        statement.query_row(params_from_iter(wanted), row::id).optional()
    }

    /// Creates a record, under this id where one is given.
    fn insert(
        &mut self,
        collection: usize,
        mut values: Arc<[Value]>,
        given: Option<RecordId>,
    ) -> Result<Written, WriteError> {
        let collection = self.catalog.at(collection);
        if self.used_up[collection.position()] {
            return Err(WriteError::Refused(StoreError::NoIdLeft));
        }
        let given = given.map(|id| Value::from(id.get()));
        let before = self.connection.total_changes();
        let statement = self.insert_statement(collection, given.is_some())?;
        let inserted = statement.execute(params_from_iter(given.iter().chain(&*values).map(Bound)));
        let has_interfered = match inserted {
            Ok(rows) => self.compare(before, rows, 1)?,
            Err(error) => return Err(self.refusal(collection, None, &values, |_| true, error)?),
        };
        let id = self.connection.last_insert_rowid();
        let id = RecordId::new(id).ok_or(rusqlite::Error::IntegralValueOutOfRange(0, id))?;
        if has_interfered {
            values = self.stored(collection, id)?.ok_or_else(undone)?.into();
        }
        self.used_up[collection.position()] = id.get() == i64::MAX;
        let representation = representation::of(collection, id, &values);
        let after = Some(After { values, representation: representation.clone() });
        self.changes.note(Change { collection: collection.position(), id, before: None, after });
        Ok(Written::Created { id, representation })
    }

    /// The statement that creates a record, at hand for the next one of the same kind.
    fn insert_statement(
        &mut self,
        collection: &Collection,
        has_id: bool,
    ) -> rusqlite::Result<&mut CachedStatement<'a>> {
        let kind = (collection.position(), has_id);
        let at_hand = self.insert_at_hand.take().filter(|(own, _)| *own == kind);
        let (_, statement) = match at_hand {
            Some(at_hand) => self.insert_at_hand.insert(at_hand),
            None => {
                let statements = &self.statements[collection.position()];
                let text = if has_id { &statements.insert_as } else { &statements.insert };
                self.insert_at_hand.insert((kind, self.connection.prepare_cached(text)?))
            }
        };
        Ok(statement)
    }

    /// Changes a record, unless its content is none of those that the client has seen.
    fn update(
        &mut self,
        collection: usize,
        id: RecordId,
        given: &[(usize, Value)],
        seen: Option<&ETags>,
    ) -> Result<Written, WriteError> {
        let collection = self.catalog.at(collection);
        let Some(before) = self.stored(collection, id)? else { return Err(no_record()) };
        check_seen(collection, id, &before, seen)?;
        let mut positions = Vec::with_capacity(given.len());
        let mut values = before.clone();
        for (position, value) in given {
            positions.push(*position);
            values[*position] = value.clone();
        }
        if positions.is_empty() {
            let representation = representation::of(collection, id, &values);
            return Ok(Written::Unchanged { id, representation });
        }
        let own_id = Value::from(id.get());
        let given = positions.iter().map(|&position| &values[position]);
        let changed_before = self.connection.total_changes();
        let updated = self
            .connection
            .prepare_cached(&sql::update(collection, &positions))?
            .execute(params_from_iter(std::iter::once(&own_id).chain(given).map(Bound)));
        let has_interfered = match updated {
            Ok(rows) => self.compare(changed_before, rows, 1)?,
            Err(error) => {
                let is_given = |position| positions.contains(&position);
                return Err(self.refusal(collection, Some(id), &values, is_given, error)?);
            }
        };
        if has_interfered {
            values = self.stored(collection, id)?.ok_or_else(undone)?;
        }
        let representation = representation::of(collection, id, &values);
        let after = Some(After { values: values.into(), representation: representation.clone() });
        self.changes.note(Change { collection: collection.position(), id, before: Some(before), after });
        Ok(Written::Updated { id, representation })
    }

    /// Compares what a statement did with what was meant. One that changed fewer rows was kept from it; where more
    /// changed, says so: records may be other than we think.
    pub(super) fn compare(
        &mut self,
        changed_before: u64,
        rows: usize,
        meant: usize,
    ) -> Result<bool, WriteError> {
        if rows != meant {
            let said = "a trigger or a clause of the table skips it";
            return Err(WriteError::Refused(StoreError::UndeclaredRule(said.into())));
        }
        let changed = self.connection.total_changes() - changed_before;
        let has_interfered = self.foreign.has_interfered(changed, meant as u64);
        if has_interfered {
            (0..self.catalog.collections().len()).for_each(|collection| self.changes.forget(collection));
        }
        Ok(has_interfered)
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
    ) -> Result<WriteError, rusqlite::Error> {
        if !is_constraint(&error) {
            return Ok(WriteError::Engine(error));
        }
        for (position, (field, value)) in collection.fields().iter().zip(values).enumerate() {
            let (Some(reference), Some(target)) = (field.reference(), value.id()) else { continue };
            if !is_given(position) {
                continue;
            }
            let exists = &self.statements[reference.target].exists;
            if !self.connection.prepare_cached(exists)?.exists([target])? {
                return Ok(WriteError::Refused(StoreError::DanglingReference(field.name().to_owned())));
            }
        }
        for rule in collection.unique() {
            if self.holder(collection, rule, id, |position| &values[position])?.is_some() {
                let names = rule.iter().map(|&position| collection.fields()[position].name().to_owned());
                return Ok(WriteError::Refused(StoreError::Duplicate(names.collect())));
            }
        }
        Ok(self.undeclared(error))
    }

    /// What a constraint or a trigger says that another tool has put there. It may take back the whole transaction,
    /// which nobody shares where that is to be feared.
    pub(super) fn undeclared(&self, error: rusqlite::Error) -> WriteError {
        match error {
            rusqlite::Error::SqliteFailure(failure, Some(said))
                if failure.code == ErrorCode::ConstraintViolation
                    && (self.foreign.may_roll_back || !self.connection.is_autocommit()) =>
            {
                WriteError::Refused(StoreError::UndeclaredRule(said))
            }
            error => WriteError::Engine(error),
        }
    }

    pub(super) fn stored(
        &self,
        collection: &Collection,
        id: RecordId,
    ) -> rusqlite::Result<Option<Vec<Value>>> {
        let statement = &self.statements[collection.position()].fetch;
        let read = |stored: &rusqlite::Row<'_>| row::values(stored, collection);
        self.connection.prepare_cached(statement)?.query_row([id.get()], read).optional()
    }
}

pub(super) fn no_record() -> WriteError {
    WriteError::Refused(StoreError::NoRecord)
}

/// What is said of a write that a trigger takes back behind it.
pub(super) fn undone() -> WriteError {
    WriteError::Refused(StoreError::UndeclaredRule("a trigger undoes it".into()))
}

/// Nobody overwrites what they have not seen.
pub(super) fn check_seen(
    collection: &Collection,
    id: RecordId,
    stored: &[Value],
    seen: Option<&ETags>,
) -> Result<(), WriteError> {
    let Some(tags) = seen else { return Ok(()) };
    let checked = tags.check(&representation::of(collection, id, stored));
    checked.map_err(|mismatch| WriteError::Refused(mismatch.into()))
}

fn is_constraint(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}
