//! Records on their way from one store to another, as bytes that are the same whichever engine they come from.
//!
//! The form is that of a row in PostgreSQL's binary COPY: the number of columns, then the id and each field in declared
//! order as its length and its bytes. A server makes and takes it as it is, and nothing is lost in it.

use bytes::{Buf, Bytes};
use xxhash_rust::xxh3::Xxh3;

use crate::catalog::collection::Collection;
use crate::catalog::date::{Date, Datetime};
use crate::catalog::field::FieldKind;
use crate::record::value::Cell;

/// How large a batch grows before it moves on.
const BATCH: usize = 64 << 10;
/// In place of a length: no value.
const NULL: i32 = -1;

/// Some whole rows.
#[derive(Debug)]
pub(in crate::store) struct Batch {
    pub(in crate::store) rows: Bytes,
    pub(in crate::store) count: u64,
}

/// What was counted: of two stores with the same records, the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::store) struct Sum {
    pub(in crate::store) records: u64,
    pub(in crate::store) digest: u128,
}

/// Counts and digests what passes.
#[derive(Default)]
pub(in crate::store) struct Tally {
    records: u64,
    hasher: Xxh3,
}

impl Tally {
    pub(in crate::store) fn add(&mut self, records: u64, bytes: &[u8]) {
        self.records += records;
        self.hasher.update(bytes);
    }

    pub(in crate::store) fn sum(&self) -> Sum {
        Sum { records: self.records, digest: self.hasher.digest128() }
    }
}

/// Collects rows into batches.
#[derive(Default)]
pub(in crate::store) struct Packer {
    rows: Vec<u8>,
    count: u64,
}

impl Packer {
    /// Begins a row of so many fields.
    pub(in crate::store) fn begin(&mut self, id: i64, fields: usize) {
        self.rows.extend_from_slice(&columns(fields).to_be_bytes());
        self.push(Cell::Integer(id));
        self.count += 1;
    }

    /// Adds a field to the row that was begun.
    pub(in crate::store) fn push(&mut self, cell: Cell<'_>) {
        match cell {
            Cell::Null => self.rows.extend_from_slice(&NULL.to_be_bytes()),
            Cell::Text(text) => self.value(text.as_bytes()),
            Cell::Integer(integer) => self.value(&integer.to_be_bytes()),
            // Adding zero turns -0.0 into 0.0: the engines would not keep its sign alike.
            Cell::Float(float) => self.value(&(float + 0.0).to_be_bytes()),
            Cell::Boolean(boolean) => self.value(&[u8::from(boolean)]),
            Cell::Date(day) => self.value(&day.since_2000().to_be_bytes()),
            Cell::Datetime(moment) => self.value(&moment.since_2000().to_be_bytes()),
            Cell::Garbled(bytes) => self.value(bytes),
        }
    }

    /// A row that is in its form already.
    pub(in crate::store) fn row(&mut self, row: &[u8]) {
        self.rows.extend_from_slice(row);
        self.count += 1;
    }

    fn value(&mut self, bytes: &[u8]) {
        // No engine holds a value of two gibibytes.
        let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
        self.rows.extend_from_slice(&length.to_be_bytes());
        self.rows.extend_from_slice(bytes);
    }

    /// The rows so far, once they are worth a move.
    pub(in crate::store) fn full(&mut self) -> Option<Batch> {
        (self.rows.len() >= BATCH).then(|| self.take())
    }

    pub(in crate::store) fn rest(mut self) -> Option<Batch> {
        (self.count > 0).then(|| self.take())
    }

    fn take(&mut self) -> Batch {
        let rows = std::mem::replace(&mut self.rows, Vec::with_capacity(BATCH + BATCH / 4));
        Batch { rows: rows.into(), count: std::mem::take(&mut self.count) }
    }
}

/// The number of columns of a row: the fields and the id.
pub(in crate::store) fn columns(fields: usize) -> i16 {
    i16::try_from(fields + 1).unwrap_or(i16::MAX)
}

/// The first row of a text that may go on, or end within it: its length, where it is whole.
pub(in crate::store) fn first_row(bytes: &[u8], columns: i16) -> Option<usize> {
    let mut rest = bytes;
    (rest.try_get_i16().ok()? == columns).then_some(())?;
    for _ in 0..columns {
        let length = usize::try_from(rest.try_get_i32().ok()?).unwrap_or(0);
        rest = rest.get(length..)?;
    }
    Some(bytes.len() - rest.len())
}

/// Takes the next row off a batch: its id, and its fields into `cells`. None where none is left, or its form is wrong.
pub(in crate::store) fn next_row<'a>(
    rows: &mut &'a [u8],
    collection: &Collection,
    cells: &mut Vec<Cell<'a>>,
) -> Option<i64> {
    cells.clear();
    (rows.try_get_i16().ok()? == columns(collection.fields().len())).then_some(())?;
    let id = value(rows)??.try_get_i64().ok()?;
    for field in collection.fields() {
        cells.push(match value(rows)? {
            None => Cell::Null,
            Some(bytes) => cell(field.kind(), bytes)?,
        });
    }
    Some(id)
}

fn cell(kind: FieldKind, mut bytes: &[u8]) -> Option<Cell<'_>> {
    Some(match kind {
        FieldKind::String => Cell::text(bytes),
        FieldKind::Integer => Cell::Integer(bytes.try_get_i64().ok()?),
        FieldKind::Float => Cell::Float(bytes.try_get_f64().ok()?),
        FieldKind::Boolean => Cell::Boolean(bytes.try_get_u8().ok()? != 0),
        FieldKind::Date => Cell::Date(Date::from_days_since_2000(bytes.try_get_i32().ok()?)),
        FieldKind::Datetime => Cell::Datetime(Datetime::from_micros_since_2000(bytes.try_get_i64().ok()?)),
    })
}

/// Takes one value off; `Some(None)` is no value, `None` an end within it.
fn value<'a>(rows: &mut &'a [u8]) -> Option<Option<&'a [u8]>> {
    let Ok(length) = usize::try_from(rows.try_get_i32().ok()?) else { return Some(None) };
    let (value, rest) = rows.split_at_checked(length)?;
    *rows = rest;
    Some(Some(value))
}
