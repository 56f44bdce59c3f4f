//! A change: what one committed write did to one record. Whatever is derived from the data is fed by these.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;

use crate::record::{RecordId, Value};

/// What happened to one record.
#[derive(Debug)]
pub struct Change {
    /// The position of its collection in the catalog.
    pub collection: usize,
    pub id: RecordId,
    /// The values before, in the order of the fields; `None` for a record that was created.
    pub before: Option<Vec<Value>>,
    /// What it is now; `None` for a record that was deleted.
    pub after: Option<After>,
}

/// A record after a change.
#[derive(Debug)]
pub struct After {
    pub values: Arc<[Value]>,
    pub representation: Bytes,
}

impl Change {
    /// What was done, for the metrics.
    pub fn deed(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => "created",
            (Some(_), Some(_)) => "updated",
            (Some(_), None) => "deleted",
        }
    }

    /// How many bytes of text there are before and after.
    pub(in crate::store) fn text_bytes(&self) -> usize {
        let after = self.after.iter().flat_map(|after| after.values.iter());
        self.before.iter().flatten().chain(after).map(Value::text_bytes).sum()
    }

    /// What it takes in memory, roughly.
    pub(in crate::store) fn bytes(&self) -> usize {
        let of_values =
            |values: &[Value]| -> usize { values.iter().map(|value| EACH_VALUE + value.text_bytes()).sum() };
        let before = self.before.as_deref().map_or(0, of_values);
        let after = self.after.as_ref();
        OVERHEAD + before + after.map_or(0, |after| of_values(&after.values) + after.representation.len())
    }
}

/// How many bytes of changes one commit keeps. Beyond it a whole collection is read anew by those who need it, which
/// is better than to hold any number of records twice.
const MOST_KEPT_BYTES: usize = 32 << 20;
/// What a change takes besides its texts: itself, and a value of each field before and after.
const OVERHEAD: usize = 160;
const EACH_VALUE: usize = 64;

/// What the writes of one commit did, in order: every change, or of a collection of which there are too many, that it
/// must be forgotten.
#[derive(Debug, Default)]
pub struct Changes {
    kept: Vec<Change>,
    bytes: usize,
    forgotten: BTreeSet<usize>,
    counts: BTreeMap<(usize, &'static str), u64>,
}

impl Changes {
    pub fn note(&mut self, change: Change) {
        self.count(change.collection, change.deed(), 1);
        self.keep(change);
    }

    /// Counts changes that nobody looks at: those of a collection that is forgotten.
    pub fn count(&mut self, collection: usize, deed: &'static str, number: u64) {
        *self.counts.entry((collection, deed)).or_default() += number;
    }

    /// Adds what was done after this.
    pub fn extend(&mut self, later: Self) {
        for ((collection, deed), number) in later.counts {
            self.count(collection, deed, number);
        }
        later.forgotten.into_iter().for_each(|collection| self.forget(collection));
        later.kept.into_iter().for_each(|change| self.keep(change));
    }

    fn keep(&mut self, change: Change) {
        if !self.is_forgotten(change.collection) {
            let collection = change.collection;
            self.bytes += change.bytes();
            self.kept.push(change);
            if self.bytes > MOST_KEPT_BYTES {
                self.forget(collection);
            }
        }
    }

    /// Says that more has changed in a collection than is told here.
    pub fn forget(&mut self, collection: usize) {
        if self.forgotten.insert(collection) {
            self.kept.retain(|change| change.collection != collection);
            self.bytes = self.kept.iter().map(Change::bytes).sum();
        }
    }

    pub fn is_forgotten(&self, collection: usize) -> bool {
        self.forgotten.contains(&collection)
    }

    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    pub fn kept(&self) -> &[Change] {
        &self.kept
    }

    pub fn forgotten(&self) -> Vec<usize> {
        self.forgotten.iter().copied().collect()
    }

    /// How many of each kind, kept or not: the collection, what was done, the number.
    pub fn counts(&self) -> impl Iterator<Item = (usize, &'static str, u64)> {
        self.counts.iter().map(|(&(collection, deed), &number)| (collection, deed, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(collection: usize, id: i64, text: &str) -> Change {
        let before = Some(vec![Value::Text(text.to_owned())]);
        Change { collection, id: RecordId::new(id).unwrap(), before, after: None }
    }

    #[test]
    fn beyond_the_bound_a_collection_is_forgotten_and_its_changes_still_count() {
        let large = "x".repeat(1 << 20);
        let mut changes = Changes::default();
        changes.note(change(0, 1, "small"));
        for id in 1..=40 {
            changes.note(change(1, id, &large));
            assert!(changes.bytes <= MOST_KEPT_BYTES);
        }
        changes.count(1, "deleted", 2);
        assert_eq!((changes.kept().len(), changes.forgotten()), (1, vec![1]));
        assert_eq!(changes.counts().collect::<Vec<_>>(), [(0, "deleted", 1), (1, "deleted", 42)]);
    }

    #[test]
    fn what_is_added_is_as_if_it_had_been_noted() {
        let (mut first, mut second) = (Changes::default(), Changes::default());
        first.note(change(0, 1, "a"));
        first.note(change(1, 1, "b"));
        second.note(change(0, 2, "c"));
        second.forget(1);
        first.extend(second);
        let ids: Vec<i64> = first.kept().iter().map(|change| change.id.get()).collect();
        assert_eq!((ids, first.forgotten()), (vec![1, 2], vec![1]));
        assert_eq!(first.counts().map(|(_, _, number)| number).sum::<u64>(), 3);
    }
}
