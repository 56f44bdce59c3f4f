//! What a group has created, kept until its commit: then memory can follow it without the log of changes.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio_postgres::{Error, Row};

use super::group::Group;
use super::kind;
use super::own_commits::{Announced, MOST_BYTES, Transaction};
use crate::catalog::collection::Collection;
use crate::record::{RecordId, Value, representation};
use crate::store::change::{After, Change};
use crate::store::write::{Work, WriteOutcome, Written};

/// The transaction of a group, and the records that it has created so far, also those that are taken back again.
#[derive(Default)]
pub(super) struct GroupCreates(Mutex<Creates>);

#[derive(Default)]
struct Creates {
    transaction: Option<Transaction>,
    changes: HashMap<(usize, RecordId), Change>,
    bytes: usize,
}

impl GroupCreates {
    pub(super) fn begin(&self, transaction: Transaction) {
        self.0.lock().transaction = Some(transaction);
    }

    fn note(&self, change: Change) {
        let mut creates = self.0.lock();
        creates.bytes += change.bytes();
        if creates.bytes <= MOST_BYTES {
            creates.changes.insert((change.collection, change.id), change);
        }
    }
}

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
        let after = Some(After { values, representation: representation.clone() });
        self.creates.note(Change { collection: collection.position(), id, before: None, after });
        Ok(Written::Created { id, representation })
    }

    /// Tells of what is committed next, or was just now; nothing where these are not creates alone.
    pub(super) fn announce<'w>(
        &self,
        works: impl Iterator<Item = &'w Work>,
        outcomes: &[WriteOutcome],
    ) -> Option<Announced<'_>> {
        let mut creates = self.creates.0.lock();
        let mut changes = Vec::with_capacity(creates.changes.len());
        for (work, outcome) in works.zip(outcomes) {
            let Ok(written) = outcome else { continue };
            for (write, written) in work.writes().zip(written.each()) {
                match written {
                    Written::Created { id, .. } => {
                        changes.push(creates.changes.remove(&(write.collection(), *id))?);
                    }
                    Written::Unchanged { .. } => {}
                    // What was there before is not known.
                    Written::Updated { .. } | Written::Deleted | Written::Batch(_) => return None,
                }
            }
        }
        let transaction = creates.transaction.take().filter(|_| !changes.is_empty())?;
        Some(self.own.announce(transaction, changes))
    }
}
