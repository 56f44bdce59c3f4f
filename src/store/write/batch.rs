//! Batches: several writes that are done together, one after the other, or not at all.

use std::borrow::Cow;

use bytes::Bytes;

use super::outcome::Written;
use super::work::{Batch, Item, Write};
use crate::record::RecordId;
use crate::store::StoreError;

/// How many bytes the records may have together that the answer to a batch shows. The limit of a body bounds nothing
/// here: an item of a few bytes shows a record of megabytes.
const MOST_SHOWN_BYTES: usize = 32 << 20;

impl Item {
    /// The write once the records of the earlier items are known, in their order.
    fn resolved(&self, records: &[Option<RecordId>]) -> Result<Cow<'_, Write>, StoreError> {
        if self.target.is_none() && self.references.is_empty() {
            return Ok(Cow::Borrowed(&self.write));
        }
        let record = |item: usize| {
            let known = records.get(item).copied().flatten();
            known.ok_or_else(|| StoreError::Broken(format!("item {item} has no record")))
        };
        let mut write = self.write.clone();
        if let (Write::Update { id, .. } | Write::Delete { id, .. }, Some(item)) = (&mut write, self.target) {
            *id = record(item)?;
        }
        for &(field, item) in &self.references {
            let value = record(item)?.get().into();
            match &mut write {
                Write::Insert { draft, .. } => draft.set(field, value),
                Write::Update { patch, .. } | Write::Upsert { patch, .. } => patch.set(field, value),
                Write::Delete { .. } => {}
            }
        }
        Ok(Cow::Owned(write))
    }
}

/// A batch while it is done.
pub(in crate::store) struct BatchRun<'a> {
    batch: &'a Batch,
    done: Vec<Written>,
    /// The record of each item, where it is known.
    records: Vec<Option<RecordId>>,
    shown_bytes: usize,
    /// Whether the item that is refused, for what it would show, had created its record.
    has_created: bool,
}

impl<'a> BatchRun<'a> {
    pub(in crate::store) fn new(batch: &'a Batch) -> Self {
        let room = batch.items.len();
        let (done, records) = (Vec::with_capacity(room), vec![None; room]);
        Self { batch, done, records, shown_bytes: 0, has_created: false }
    }

    /// The place of the item that is to be done next.
    pub(in crate::store) fn place(&self) -> usize {
        self.done.len()
    }

    /// The write at this place, where it is known which records it names.
    pub(in crate::store) fn write_at(&self, place: usize) -> Result<Cow<'a, Write>, StoreError> {
        match self.batch.items.get(place) {
            Some(item) => item.resolved(&self.records),
            None => Err(StoreError::Broken(format!("there is no item {place}"))),
        }
    }

    /// Tells which record the item at this place will create.
    pub(in crate::store) fn foresee(&mut self, place: usize, id: RecordId) {
        if let Some(record) = self.records.get_mut(place) {
            *record = Some(id);
        }
    }

    /// It did this.
    pub(in crate::store) fn push(&mut self, mut written: Written) -> Result<(), StoreError> {
        if let Some(record) = self.records.get_mut(self.done.len()) {
            *record = written.record().map(|(id, _)| id);
        }
        if let Written::Created { representation, .. }
        | Written::Updated { representation, .. }
        | Written::Unchanged { representation, .. } = &mut written
        {
            if !self.batch.shows_records {
                *representation = Bytes::new();
            }
            self.shown_bytes += representation.len();
        }
        if self.shown_bytes > MOST_SHOWN_BYTES {
            self.has_created = matches!(written, Written::Created { .. });
            return Err(StoreError::TooMuchShown(MOST_SHOWN_BYTES));
        }
        self.done.push(written);
        Ok(())
    }

    /// What is said of a batch whose next item is refused.
    pub(in crate::store) fn refusal(&self, error: StoreError) -> StoreError {
        StoreError::Item(self.place(), Box::new(error))
    }

    /// How many creates of a collection used an id if the batch is refused now: all of them, done or not, and what
    /// upserts have created.
    pub(in crate::store) fn used_ids(&self, collection: usize) -> i64 {
        let items = self.batch.items.iter().enumerate();
        let used = items.filter(|(place, item)| match item.write {
            Write::Insert { collection: own, id, .. } => own == collection && id.is_none(),
            Write::Upsert { collection: own, .. } => {
                let has_created = match self.done.get(*place) {
                    Some(written) => matches!(written, Written::Created { .. }),
                    None => *place == self.place() && self.has_created,
                };
                own == collection && has_created
            }
            Write::Update { .. } | Write::Delete { .. } => false,
        });
        i64::try_from(used.count()).unwrap_or(i64::MAX)
    }

    /// What all of them did.
    pub(in crate::store) fn finish(self) -> Written {
        Written::Batch(self.done)
    }
}
