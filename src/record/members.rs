//! The members of a record, found in the bytes that were written for it.

use memchr::{memchr, memchr2};

use super::RecordId;
use super::value::integer;
use crate::catalog::collection::Collection;

/// The values of the fields, as JSON, in declared order. `record` is what [`super::representation::write`] wrote.
pub fn values<'a>(collection: &Collection, record: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = record.get(1..);
    collection.fields().iter().map_while(move |field| {
        let value = rest?.get(field.member().len()..)?;
        let end = value_len(value)?;
        // Another member always follows.
        rest = value.get(end + 1..);
        value.get(..end)
    })
}

/// The id that the field at this position refers to.
pub fn reference(collection: &Collection, record: &[u8], position: usize) -> Option<RecordId> {
    let value = values(collection, record).nth(position)?;
    integer(std::str::from_utf8(value).ok()?).and_then(RecordId::new)
}

/// How long the value is that stands at the beginning: what comes behind it is a comma.
pub(super) fn value_len(json: &[u8]) -> Option<usize> {
    if json.first() != Some(&b'"') {
        return memchr(b',', json);
    }
    let mut at = 1;
    loop {
        at += memchr2(b'"', b'\\', json.get(at..)?)?;
        match json[at] {
            b'"' => return Some(at + 1),
            // What is escaped may be a quote.
            _ => at += 2,
        }
    }
}
