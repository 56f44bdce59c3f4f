//! What a client wants written: one write, or a batch of them.

use crate::record::draft::{Draft, Patch};
use crate::record::etag::ETags;
use crate::record::{RecordId, Value};

/// What a client wants done to one record. A collection is named by its position in the catalog.
#[derive(Debug, Clone)]
pub enum Write {
    /// References and unique rules are judged inside the write, in declared order. With an id, the record gets that one,
    /// which no record has had.
    Insert { collection: usize, draft: Draft, id: Option<RecordId> },
    /// With `seen`, only a record that is still one of those the client has seen, judged inside the write.
    Update { collection: usize, id: RecordId, patch: Patch, seen: Option<ETags> },
    /// As the rules of those that refer to the record allow; `seen` as for an update.
    Delete { collection: usize, id: RecordId, seen: Option<ETags> },
    /// Changes the record that has the values of a unique rule, or creates it. What is given is enough for a create, and
    /// has a value for each field of the rule, which is named by its position. `seen` as for an update; where there is
    /// no record, one that names what was seen (`If-Match`) refuses the create.
    Upsert { collection: usize, patch: Patch, rule: usize, seen: Option<ETags> },
}

impl Write {
    /// The position of its collection.
    pub(in crate::store) fn collection(&self) -> usize {
        match self {
            Self::Insert { collection, .. }
            | Self::Update { collection, .. }
            | Self::Delete { collection, .. }
            | Self::Upsert { collection, .. } => *collection,
        }
    }

    /// The record that it names.
    pub(in crate::store) fn id(&self) -> Option<RecordId> {
        match self {
            Self::Insert { .. } | Self::Upsert { .. } => None,
            Self::Update { id, .. } | Self::Delete { id, .. } => Some(*id),
        }
    }

    /// How many bytes its texts take.
    pub(super) fn text_bytes(&self) -> usize {
        match self {
            Self::Insert { draft, .. } => draft.values().iter().map(Value::text_bytes).sum(),
            Self::Update { patch, .. } | Self::Upsert { patch, .. } => {
                patch.values().iter().map(|(_, value)| value.text_bytes()).sum()
            }
            Self::Delete { .. } => 0,
        }
    }
}

/// What is done wholly or not at all.
#[derive(Debug)]
pub enum Work {
    One(Write),
    Batch(Batch),
}

impl Work {
    /// How many writes it is.
    pub(in crate::store) fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Batch(batch) => batch.items.len(),
        }
    }

    pub(in crate::store) fn writes(&self) -> impl Iterator<Item = &Write> {
        let (one, items) = match self {
            Self::One(write) => (Some(write), &[][..]),
            Self::Batch(batch) => (None, &batch.items[..]),
        };
        one.into_iter().chain(items.iter().map(|item| &item.write))
    }

    /// How many bytes its texts take.
    pub(super) fn text_bytes(&self) -> usize {
        self.writes().map(Write::text_bytes).sum()
    }
}

/// Writes of which each is done on top of those before it. There is at least one.
#[derive(Debug)]
pub struct Batch {
    pub items: Vec<Item>,
    /// Whether the answer shows the records that are created or changed.
    pub shows_records: bool,
}

/// A write of a batch.
#[derive(Debug)]
pub struct Item {
    /// It may name what is not known yet: `BatchRun` knows when it is.
    pub write: Write,
    /// The fields, by position, that refer to what an earlier item creates or finds: they hold any value until then.
    pub references: Vec<(usize, usize)>,
    /// The earlier item that creates or finds the record that this one changes or deletes.
    pub target: Option<usize>,
}
