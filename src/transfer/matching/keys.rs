//! What entries and records are compared by: a hash of the fields that decide.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::catalog::collection::Collection;
use crate::record::value::Cell;
use crate::record::{RecordId, Value, representation};
use crate::transfer::judge::Judged;

/// What makes an entry mean a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match {
    /// The id that the entry gives.
    Id,
    /// These fields, where the entry has a value for each; otherwise the whole entry: two that say nothing have nothing
    /// in common.
    Fields(Vec<usize>),
    /// All fields: the k-th equal entry is the k-th equal record.
    Whole,
    /// Nothing: every entry is a new record.
    None,
}

impl Match {
    /// The fields that are compared, in words.
    pub(super) fn names(&self, collection: &Collection) -> String {
        match self {
            Self::Fields(fields) => collection.rule_name(fields),
            Self::Id => "id".to_owned(),
            Self::Whole | Self::None => "fields".to_owned(),
        }
    }

    /// Whether these fields, in whatever order, are what is compared.
    pub(in crate::transfer) fn is_by(&self, fields: &[usize]) -> bool {
        let Self::Fields(own) = self else { return false };
        own.len() == fields.len() && fields.iter().all(|field| own.contains(field))
    }

    /// The key of an entry, and whether it is that of the whole entry. Without one it means no record.
    pub(in crate::transfer) fn key(&self, collection: &Collection, judged: &Judged) -> Option<(u128, bool)> {
        let value = |position: usize| judged.values.iter().find(|(given, _)| *given == position);
        let of_fields = |fields: &[usize]| {
            key(
                1,
                fields.iter().map(|&position| value(position).map_or(Cell::Null, |(_, value)| value.cell())),
            )
        };
        match self {
            Self::None => None,
            Self::Id => judged.id.map(|id| (of_id(id.get()), false)),
            Self::Fields(fields)
                if fields
                    .iter()
                    .all(|&position| value(position).is_some_and(|(_, value)| *value != Value::Null)) =>
            {
                Some((of_fields(fields), false))
            }
            Self::Fields(_) | Self::Whole => Some((whole(&values(collection, judged)), true)),
        }
    }

    /// The keys of a record: an entry with one of them means it.
    pub(super) fn keys_of(&self, id: RecordId, cells: &[Cell<'_>]) -> [Option<u128>; 2] {
        let of_fields = |fields: &[usize]| key(1, fields.iter().map(|&position| cells[position]));
        let whole = || key(2, cells.iter().copied());
        match self {
            Self::None => [None, None],
            Self::Id => [Some(of_id(id.get())), None],
            Self::Fields(fields) => [Some(of_fields(fields)), Some(whole())],
            Self::Whole => [Some(whole()), None],
        }
    }
}

/// The key of a record that is found by its id.
pub(in crate::transfer) fn of_id(id: i64) -> u128 {
    u128::from(id.cast_unsigned())
}

/// All values of the record that an entry would create.
pub(in crate::transfer) fn values(collection: &Collection, judged: &Judged) -> Vec<Value> {
    let mut values: Vec<Value> = collection.fields().iter().map(Value::default_of).collect();
    for (position, value) in &judged.values {
        values[*position] = value.clone();
    }
    values
}

/// The key of a record that is found by all its fields.
pub(in crate::transfer) fn whole(values: &[Value]) -> u128 {
    key(2, values.iter().map(Value::cell))
}

/// 128 bits, so that among millions of entries and records no two different ones ever meet.
fn key<'a>(kind: u8, cells: impl Iterator<Item = Cell<'a>>) -> u128 {
    let mut hasher = Xxh3::new();
    hasher.update(&[kind]);
    for cell in cells {
        feed(&mut hasher, cell);
    }
    hasher.digest128()
}

/// Equal values, and only they, feed the same bytes.
fn feed(hasher: &mut Xxh3, cell: Cell<'_>) {
    let mut put = |kind: u8, bytes: &[u8]| {
        hasher.update(&[kind]);
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    match cell {
        Cell::Null => put(0, &[]),
        Cell::Text(text) => put(1, text.as_bytes()),
        Cell::Garbled(bytes) => put(1, bytes),
        Cell::Integer(integer) => put(2, &integer.to_le_bytes()),
        Cell::Float(float) => put(3, &(float + 0.0).to_bits().to_le_bytes()),
        Cell::Boolean(boolean) => put(4, &[u8::from(boolean)]),
        Cell::Date(day) => put(5, &day.since_2000().to_le_bytes()),
        Cell::Datetime(moment) => put(6, &moment.since_2000().to_le_bytes()),
    }
}

/// What an entry gives, to be compared with a record: which fields, and the hash of their values.
pub(in crate::transfer) fn given(judged: &Judged) -> (u64, u64) {
    let mask = judged.values.iter().fold(0, |mask, (position, _)| mask | bit(*position));
    (mask, hash(judged.values.iter().map(|(_, value)| value.cell())))
}

/// Whether a record has what an entry gives. Where it cannot be said, it has not.
pub(super) fn has_given(cells: &[Cell<'_>], mask: u64, given: u64) -> bool {
    let same = cells.iter().enumerate().filter(|(position, _)| mask & bit(*position) != 0);
    mask & (1 << 63) == 0 && hash(same.map(|(_, cell)| *cell)) == given
}

/// Two values are compared by it, not many with many: half the bits do.
#[expect(clippy::cast_possible_truncation, reason = "half of them")]
fn hash<'a>(cells: impl Iterator<Item = Cell<'a>>) -> u64 {
    key(3, cells) as u64
}

/// A field beyond the 63rd is not compared here; the store compares once more.
fn bit(position: usize) -> u64 {
    if position < 63 { 1 << position } else { 1 << 63 }
}

/// The hash of a record as it is answered.
pub(super) fn tag(collection: &Collection, id: RecordId, cells: &[Cell<'_>]) -> u64 {
    let mut record = Vec::with_capacity(256);
    let cells = cells.iter().map(|cell| Ok::<_, std::convert::Infallible>(*cell));
    let Ok(()) = representation::write(&mut record, collection, id, cells);
    tag_of(&record)
}

/// Never 0, which says something else.
pub(in crate::transfer) fn tag_of(record: &[u8]) -> u64 {
    xxh3_64(record).max(1)
}
