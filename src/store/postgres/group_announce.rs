//! What a group has created: read for its writers, and announced to memory before it is committed.

use tokio_postgres::{Error, Row};

use super::group::Group;
use super::kind;
use super::own_commits::Announced;
use crate::catalog::collection::Collection;
use crate::record::{RecordId, Value, representation};
use crate::store::change::{After, Change};
use crate::store::write::{Work, WriteOutcome, Written};

impl Group<'_> {
    /// Reads a record that was created, and whose fields begin at `column`.
    pub(super) fn created(
        &self,
        collection: &Collection,
        id: RecordId,
        row: &Row,
        column: usize,
    ) -> Result<Written, Error> {
        let fields = collection.fields().iter().enumerate();
        let value = |(position, field): (usize, &crate::catalog::field::Field)| {
            kind::cell(row, column + position, field.kind()).map(|cell| cell.to_value())
        };
        let values: Vec<Value> = fields.map(value).collect::<Result<_, Error>>()?;
        let representation = representation::of(collection, id, &values);
        let after = Some(After { values: values.into(), representation: representation.clone() });
        self.creates.note(Change { collection: collection.position(), id, before: None, after });
        Ok(Written::Created { id, representation })
    }

    /// Tells of what is committed next, or was just now, if these are creates alone. To be called once.
    pub(super) fn announce<'w>(
        &self,
        works: impl Iterator<Item = &'w Work>,
        outcomes: &[WriteOutcome],
    ) -> Option<Announced<'_>> {
        let (transaction, changes) = self.creates.take(works, outcomes)?;
        Some(self.own.announce(transaction, changes))
    }
}
