//! Sort keys: the values that a list is sorted by, as bytes that compare as they do.
//!
//! An order keeps ids ascending where keys are equal. So a sort whose ids descend is kept the other way round, and read
//! from its end; records without a value, which are last in both directions, then stand first.

use std::ops::Range;

use super::set_key::{Probes, searchable};
use crate::catalog::collection::Collection;
use crate::record::Value;
use crate::record::listing::condition::Probe;
use crate::record::listing::sort::{Direction, Sort};

/// How an order is kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::store) struct KeptSort {
    /// Positions, and whether the largest values come first.
    fields: Vec<(usize, bool)>,
    /// Whether records without a value come first.
    is_absent_first: bool,
    /// Whether each word of these fields is a key of its own: this is what is searched.
    is_of_words: bool,
}

/// Before a value of a field that may have none, and instead of one: first or last.
const ABSENT_FIRST: u8 = 0;
const PRESENT: u8 = 1;
const ABSENT_LAST: u8 = 2;
/// What a zero in a text that more follows becomes: nothing in it is as small as its end.
const ESCAPED_ZERO: [u8; 2] = [0, 1];

impl KeptSort {
    /// What ends a text that more follows.
    pub(super) const END: &[u8] = &[0, 0];

    /// How the order of a sort is kept. Where ids descend it is read from its end.
    pub(in crate::store) fn of(collection: &Collection, sort: &Sort) -> Self {
        let is_backwards = sort.ids == Direction::Descending;
        let fields = sort.fields.iter();
        let fields: Vec<_> = fields
            .map(|(position, direction)| (*position, (*direction == Direction::Descending) != is_backwards))
            .collect();
        let has_absent = fields.iter().any(|(position, _)| !collection.fields()[*position].is_required());
        Self { fields, is_absent_first: is_backwards && has_absent, is_of_words: false }
    }

    /// The order of one field, ascending.
    pub(in crate::store) fn ascending(position: usize) -> Self {
        Self { fields: vec![(position, false)], is_absent_first: false, is_of_words: false }
    }

    /// The orders of one field, for both directions: one, but where records may have no value.
    pub(in crate::store) fn of_field(collection: &Collection, position: usize) -> Vec<Self> {
        let ascending = Self::ascending(position);
        let is_required = collection.fields()[position].is_required();
        let descending = (!is_required).then(|| Self { is_absent_first: true, ..ascending.clone() });
        std::iter::once(ascending).chain(descending).collect()
    }

    /// The words of all searchable fields.
    pub(in crate::store) fn of_words(collection: &Collection) -> Self {
        let fields = searchable(collection).map(|position| (position, false)).collect();
        Self { fields, is_absent_first: false, is_of_words: true }
    }

    /// The positions of its fields.
    pub(in crate::store) fn positions(&self) -> impl Iterator<Item = usize> {
        self.fields.iter().map(|(position, _)| *position)
    }

    /// The field that it is sorted by first, where its smallest values come first.
    pub(in crate::store) fn first_ascending(&self) -> Option<usize> {
        self.fields.first().filter(|(_, is_descending)| !is_descending).map(|(position, _)| *position)
    }

    /// How it is named in a message.
    pub(in crate::store) fn names(&self, collection: &Collection) -> String {
        let names = self.positions().map(|position| collection.fields()[position].name().to_owned());
        names.collect::<Vec<_>>().join(",")
    }

    /// The keys of a record: one, but for words.
    pub(in crate::store) fn keys(&self, collection: &Collection, record: &Probes<'_>) -> Vec<Vec<u8>> {
        if self.is_of_words {
            return record.words(collection).iter().map(|word| word.as_bytes().to_vec()).collect();
        }
        vec![self.key(collection, record)]
    }

    /// The key of a record.
    pub(in crate::store) fn key(&self, collection: &Collection, record: &Probes<'_>) -> Vec<u8> {
        let mut key = Vec::new();
        let last = self.fields.len().saturating_sub(1);
        for (place, (position, is_descending)) in self.fields.iter().enumerate() {
            let probe = record.field(*position);
            let is_absent = *probe.value() == Value::Null;
            if !collection.fields()[*position].is_required() {
                key.push(match (is_absent, self.is_absent_first) {
                    (false, _) => PRESENT,
                    (true, true) => ABSENT_FIRST,
                    (true, false) => ABSENT_LAST,
                });
            }
            let value = key.len();
            write_value(&mut key, probe, place < last || *is_descending);
            if *is_descending {
                key[value..].iter_mut().for_each(|byte| *byte = !*byte);
            }
        }
        key
    }

    /// What the keys begin with whose first field, which is one that ascends, has this value.
    pub(super) fn beginning(&self, collection: &Collection, bound: &Value) -> Vec<u8> {
        // A bound that is a text is a fold already.
        if let Some(text) = bound.text() {
            return self.beginning_of_text(collection, &text);
        }
        let mut key = self.present(collection);
        bound.write_ordered(&mut key, self.has_more());
        key
    }

    /// The same, for a text that is folded, or begins so.
    pub(super) fn beginning_of_text(&self, collection: &Collection, text: &str) -> Vec<u8> {
        let mut key = self.present(collection);
        if self.has_more() {
            escape(&mut key, text)
        } else {
            key.extend_from_slice(text.as_bytes())
        }
        key
    }

    /// What stands before a value of the first field.
    fn present(&self, collection: &Collection) -> Vec<u8> {
        if self.values(collection).is_some() { vec![PRESENT] } else { Vec::new() }
    }

    /// Whether it is sorted by more than one field.
    pub(super) fn has_more(&self) -> bool {
        self.fields.len() > 1
    }

    /// Where the value of the first field begins in a key.
    pub(super) fn value_at(&self, collection: &Collection) -> usize {
        usize::from(self.values(collection).is_some())
    }

    /// Between which keys the records with a value in the first field stand; `None` where all have one.
    pub(super) fn values(&self, collection: &Collection) -> Option<Range<&'static [u8]>> {
        let is_required =
            self.fields.first().is_none_or(|(position, _)| collection.fields()[*position].is_required());
        (!is_required).then_some(&[PRESENT]..&[ABSENT_LAST])
    }
}

fn write_value(key: &mut Vec<u8>, probe: &Probe<'_>, must_end: bool) {
    match probe.sort_key() {
        Some(text) if must_end => {
            escape(key, &text);
            key.extend_from_slice(KeptSort::END);
        }
        Some(text) => key.extend_from_slice(text.as_bytes()),
        None => probe.value().write_ordered(key, must_end),
    }
}

/// Appends a text in which nothing is as small as its end.
fn escape(key: &mut Vec<u8>, text: &str) {
    for byte in text.bytes() {
        if byte == 0 { key.extend_from_slice(&ESCAPED_ZERO) } else { key.push(byte) }
    }
}
