//! What a group has created, kept until its commit: then memory can follow it without the log of changes.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::own_commits::{MOST_BYTES, Transaction};
use crate::record::RecordId;
use crate::store::change::Change;
use crate::store::write::{Work, Write, WriteOutcome, Written};

/// The transaction of a group, and the records that it has created so far, also those that are taken back again. `None`
/// where memory must follow it by the log.
pub(super) struct GroupCreates(Mutex<Option<Creates>>);

#[derive(Default)]
struct Creates {
    transaction: Option<Transaction>,
    changes: HashMap<(usize, RecordId), Change>,
    /// Also of those that others have taken the place of.
    bytes: usize,
}

impl GroupCreates {
    /// For a group of these writes.
    pub(super) fn of<'w>(mut writes: impl Iterator<Item = &'w Write>) -> Self {
        let may_all_create = writes.all(|write| match write {
            Write::Insert { .. } | Write::Upsert { .. } => true,
            Write::Update { .. } | Write::Delete { .. } => false,
        });
        Self(Mutex::new(may_all_create.then(Creates::default)))
    }

    pub(super) fn begin(&self, transaction: Transaction) {
        if let Some(creates) = &mut *self.0.lock() {
            creates.transaction = Some(transaction);
        }
    }

    pub(super) fn note(&self, change: Change) {
        let mut place = self.0.lock();
        let Some(creates) = &mut *place else { return };
        creates.bytes += change.bytes();
        creates.changes.insert((change.collection, change.id), change);
        // Without some of them the others are of no use: one that was taken back could stand where one was created
        // anew, under the same id.
        if creates.bytes > MOST_BYTES {
            *place = None;
        }
    }

    /// What these writes have created; nothing where they have done anything else.
    pub(super) fn take<'w>(
        &self,
        works: impl Iterator<Item = &'w Work>,
        outcomes: &[WriteOutcome],
    ) -> Option<(Transaction, Vec<Change>)> {
        let mut creates = self.0.lock().take()?;
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
        let transaction = creates.transaction.filter(|_| !changes.is_empty())?;
        Some((transaction, changes))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalog::Catalog;
    use crate::catalog::declaration::{Declaration, FieldDeclaration};
    use crate::record::Value;
    use crate::record::draft::Draft;
    use crate::store::change::After;

    fn create(id: i64, text: &str) -> Change {
        let after = After { values: [Value::Text(text.into())].into(), representation: Default::default() };
        Change { collection: 0, id: RecordId::new(id).unwrap(), before: None, after: Some(after) }
    }

    /// What a group has created that noted these, and has created a record with the id 1.
    fn taken(noted: Vec<Change>) -> Option<Arc<[Value]>> {
        let name = FieldDeclaration { name: "name".into(), kind: "string".into(), ..Default::default() };
        let people = Declaration { name: "people".into(), fields: vec![name], ..Default::default() };
        let catalog = Catalog::declare(&[people], &[]).unwrap();
        let draft = Draft::parse(catalog.at(0), br#"{"name":"x"}"#).unwrap();
        let work = Work::One(Write::Insert { collection: 0, draft, id: None });
        let creates = GroupCreates::of(work.writes());
        creates.begin(Transaction::numbered(1));
        noted.into_iter().for_each(|change| creates.note(change));
        let created = Written::Created { id: RecordId::FIRST, representation: Default::default() };
        let (_, mut changes) = creates.take([&work].into_iter(), &[Ok(created)])?;
        assert_eq!(changes.len(), 1);
        Some(changes.remove(0).after.unwrap().values)
    }

    #[test]
    fn what_was_created_last_under_an_id_is_taken_or_nothing() {
        let first = || create(1, "first");
        assert_eq!(taken(vec![first()]), Some([Value::Text("first".into())].into()));
        assert_eq!(taken(vec![first(), create(1, "again")]), Some([Value::Text("again".into())].into()));
        let large = create(2, &"x".repeat(MOST_BYTES));
        assert_eq!(taken(vec![first(), large, create(1, "again")]), None);
    }
}
