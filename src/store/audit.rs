//! The trail: what was done with keys and tables, by whom, each row chained to the one before.
//!
//! A row is written in the transaction of what it tells. Its hash is over its own content and the hash of the row
//! before, so whoever changes or removes one must change all that follow; and the head, kept apart, tells how many
//! there are.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::record::moment::Moment;

/// The hash before the first row.
pub(super) const BEGINNING: [u8; 32] = [0; 32];

/// Who did something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    by: String,
    address: String,
    request_id: String,
}

impl Actor {
    /// Whoever may run commands on the store.
    pub fn command_line() -> Self {
        Self::nobody("command line")
    }

    /// A server that starts.
    pub(super) fn start() -> Self {
        Self::nobody("start")
    }

    /// Whoever has this access key, over HTTP. A key may be called anything, so the word comes before its name.
    pub fn key(name: &str, address: String, request_id: String) -> Self {
        Self { by: format!("key {name}"), address, request_id }
    }

    /// Whoever asks without a key, over HTTP.
    pub fn anonymous(address: String, request_id: String) -> Self {
        Self { by: "anybody".into(), address, request_id }
    }

    fn nobody(by: &str) -> Self {
        Self { by: by.into(), address: String::new(), request_id: String::new() }
    }
}

/// What is told of an export: the names of its filters, and never their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    pub collection: String,
    pub format: &'static str,
    pub filters: Vec<String>,
    /// How many left the store.
    pub records: u64,
    /// Whether all that matched did.
    pub is_whole: bool,
}

/// What is told of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub collection: String,
    pub format: &'static str,
    pub number: i64,
    /// How it ended.
    pub state: &'static str,
    pub created: u64,
    pub updated: u64,
    /// How many records were created that others refer to, by collection.
    pub related: BTreeMap<String, u64>,
}

/// Something that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Deed {
    event: &'static str,
    /// The key, or the change in words.
    subject: String,
    /// JSON.
    details: String,
}

impl Deed {
    pub(super) fn new(event: &'static str, subject: &str, details: &Value) -> Self {
        Self { event, subject: subject.into(), details: details.to_string() }
    }

    /// A step of a plan that was applied.
    pub(super) fn configured(words: &str) -> Self {
        Self::new("configured", words, &json!({}))
    }

    /// Records were handed out in a file.
    pub(super) fn exported(export: &Exported) -> Self {
        let Exported { collection, format, filters, records, is_whole } = export;
        let details = json!({ "format": format, "filters": filters, "records": records, "whole": is_whole });
        Self::new("exported", collection, &details)
    }

    /// A file was taken in.
    pub(super) fn imported(import: &Imported) -> Self {
        let Imported { collection, format, number, state, created, updated, related } = import;
        let details = json!({
            "format": format, "import": number, "state": state,
            "created": created, "updated": updated, "related": related,
        });
        Self::new("imported", collection, &details)
    }

    /// The store was replaced by a backup of another moment: where the trails of both ended.
    pub(super) fn restored(from: &str, backup: &Head, replaced: &Head) -> Self {
        let end = |head: &Head| json!({ "events": head.number, "ends_with": hexadecimal(&head.hash) });
        Self::new("restored", from, &json!({ "backup": end(backup), "replaced": end(replaced) }))
    }

    /// All of this store came from another one, whose own trail ends so.
    pub(super) fn copied(from: &str, head: &Head) -> Self {
        Self::new("copied", from, &json!({ "events": head.number, "ends_with": hexadecimal(&head.hash) }))
    }
}

/// Where the trail ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) number: i64,
    pub(super) hash: Vec<u8>,
}

impl Head {
    /// Of a trail with nothing in it.
    pub(super) fn beginning() -> Self {
        Self { number: 0, hash: BEGINNING.to_vec() }
    }

    /// The row that comes next.
    pub(super) fn next(&self, deed: Deed, by: &Actor) -> Row {
        let Actor { by, address, request_id } = by.clone();
        let Deed { event, subject, details } = deed;
        let (number, at, event) = (self.number + 1, Moment::now().to_string(), event.to_owned());
        let mut row = Row { number, at, event, subject, details, by, address, request_id, hash: Vec::new() };
        row.hash = row.link(&self.hash);
        row
    }
}

/// One row of the trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub number: i64,
    /// RFC 3339.
    pub at: String,
    pub event: String,
    pub subject: String,
    /// JSON.
    pub details: String,
    pub by: String,
    /// Empty where nobody called.
    pub address: String,
    pub request_id: String,
    pub(super) hash: Vec<u8>,
}

impl Row {
    /// The hash of the row, given that of the one before.
    fn link(&self, previous: &[u8]) -> Vec<u8> {
        let Self { number, at, event, subject, details, by, address, request_id, hash: _ } = self;
        let mut digest = Sha256::new();
        digest.update(previous);
        digest.update(number.to_be_bytes());
        for part in [at, event, subject, details, by, address, request_id] {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part.as_bytes());
        }
        digest.finalize().to_vec()
    }

    pub fn hash_text(&self) -> String {
        hexadecimal(&self.hash)
    }

    /// As JSON; what is not there is null.
    pub fn to_json(&self) -> Value {
        let given = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
        let details = serde_json::from_str(&self.details).unwrap_or(Value::Null);
        json!({
            "number": self.number, "at": self.at, "event": self.event, "subject": self.subject,
            "details": details, "by": self.by, "address": given(&self.address),
            "request_id": given(&self.request_id), "hash": self.hash_text(),
        })
    }
}

/// All of it, of one moment.
#[derive(Debug)]
pub struct Trail {
    pub rows: Vec<Row>,
    pub(super) head: Head,
}

/// The first row that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("row {0} is missing: row {1} stands in its place")]
    Missing(i64, i64),
    #[error("row {0} is not as it was written, or the one before it was removed")]
    Changed(i64),
    #[error("row {0} is missing at the end: there were {1}")]
    Cut(i64, i64),
    #[error("row {0} is one too many at the end: {1} were written")]
    Added(i64, i64),
}

impl Trail {
    pub(super) fn empty() -> Self {
        Self { rows: Vec::new(), head: Head::beginning() }
    }

    /// Where it ends.
    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    /// What is wrong with it, in words.
    pub(super) fn fault(&self) -> Option<String> {
        self.verify().err().map(|fault| format!("the audit trail is not whole: {fault}"))
    }

    /// Whether every row is there, and as it was written.
    pub fn verify(&self) -> Result<(), Fault> {
        let mut head = Head::beginning();
        for row in &self.rows {
            if row.number != head.number + 1 {
                return Err(Fault::Missing(head.number + 1, row.number));
            }
            if row.number > self.head.number {
                return Err(Fault::Added(row.number, self.head.number));
            }
            if row.hash != row.link(&head.hash) {
                return Err(Fault::Changed(row.number));
            }
            head = Head { number: row.number, hash: row.hash.clone() };
        }
        if head.number < self.head.number {
            return Err(Fault::Cut(head.number + 1, self.head.number));
        }
        if head == self.head { Ok(()) } else { Err(Fault::Changed(head.number)) }
    }

    /// The hash of the last row: noted elsewhere, it tells later whether all up to it is still the same.
    pub fn ends_with(&self) -> String {
        hexadecimal(&self.head.hash)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail() -> Trail {
        let mut head = Head::beginning();
        let mut rows = Vec::new();
        for name in ["a", "b", "c"] {
            let row = head.next(Deed::configured(name), &Actor::command_line());
            head = Head { number: row.number, hash: row.hash.clone() };
            rows.push(row);
        }
        Trail { rows, head }
    }

    #[test]
    fn a_row_that_is_changed_removed_or_added_shows() {
        let found = |change: fn(&mut Trail)| {
            let mut trail = trail();
            change(&mut trail);
            trail.verify()
        };
        assert_eq!(found(|_| ()), Ok(()));
        assert_eq!(found(|trail| trail.rows[1].subject = "x".into()), Err(Fault::Changed(2)));
        assert_eq!(found(|trail| trail.rows[2].hash[0] ^= 1), Err(Fault::Changed(3)));
        assert_eq!(found(|trail| drop(trail.rows.remove(1))), Err(Fault::Missing(2, 3)));
        assert_eq!(found(|trail| drop(trail.rows.remove(0))), Err(Fault::Missing(1, 2)));
        assert_eq!(found(|trail| drop(trail.rows.pop())), Err(Fault::Cut(3, 3)));
        assert_eq!(found(|trail| trail.rows.clear()), Err(Fault::Cut(1, 3)));
        assert_eq!(found(|trail| trail.head.number = 2), Err(Fault::Added(3, 2)));
        // What moves from one member into the next is a change too.
        let moved = |trail: &mut Trail| {
            trail.rows[0].event = "configureda".into();
            trail.rows[0].subject = String::new();
        };
        assert_eq!(found(moved), Err(Fault::Changed(1)));
    }
}
