//! Values on their way into a statement, rows on their way into a representation.

use std::borrow::Cow;

use rusqlite::Row;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

use crate::catalog::collection::Collection;
use crate::catalog::field::FieldKind;
use crate::record::representation::{self, Cell};
use crate::record::{RecordId, Value};
use crate::store::cache::blocks::BlockBuilder;

/// A value to bind.
pub(super) struct Bound<'a>(pub(super) &'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Integer(integer) => ValueRef::Integer(*integer),
            Value::Float(float) => ValueRef::Real(*float),
            Value::Boolean(boolean) => ValueRef::Integer(i64::from(*boolean)),
            Value::Garbled(bytes) => ValueRef::Text(bytes),
        }))
    }
}

/// Appends the representation of a row `id, field, field, …` to `out`.
pub(super) fn write(out: &mut Vec<u8>, collection: &Collection, row: &Row<'_>) -> rusqlite::Result<()> {
    write_with_id(out, collection, row, id(row)?)
}

/// Adds a row `id, field, field, …` to a block.
pub(super) fn push(
    builder: &mut BlockBuilder,
    collection: &Collection,
    row: &Row<'_>,
) -> rusqlite::Result<()> {
    let id = id(row)?;
    let mut outcome = Ok(());
    builder.push(id, |out| outcome = write_with_id(out, collection, row, id));
    outcome
}

/// The table's own check keeps other ids out.
pub(super) fn id(row: &Row<'_>) -> rusqlite::Result<RecordId> {
    let id = row.get(0)?;
    RecordId::new(id).ok_or(rusqlite::Error::IntegralValueOutOfRange(0, id))
}

fn write_with_id(
    out: &mut Vec<u8>,
    collection: &Collection,
    row: &Row<'_>,
    id: RecordId,
) -> rusqlite::Result<()> {
    let mut failure = None;
    let cells = collection.fields().iter().enumerate().map(|(position, field)| {
        cell(row, position + 1, field.kind()).unwrap_or_else(|error| {
            failure = Some(error);
            Cell::Null
        })
    });
    representation::write(out, collection, id, cells);
    failure.map_or(Ok(()), Err)
}

fn cell<'a>(row: &'a Row<'_>, column: usize, kind: FieldKind) -> rusqlite::Result<Cell<'a>> {
    Ok(match (row.get_ref(column)?, kind) {
        (ValueRef::Integer(integer), FieldKind::Boolean) => Cell::Boolean(integer != 0),
        (ValueRef::Integer(integer), _) => Cell::Integer(integer),
        (ValueRef::Real(float), _) => Cell::Float(float),
        // Another tool may have stored bytes that are no UTF-8; JSON has no way to say them.
        (ValueRef::Text(text), _) => Cell::Text(String::from_utf8_lossy(text)),
        (ValueRef::Null, _) => Cell::Null,
        (ValueRef::Blob(blob), _) => Cell::Text(Cow::Owned(String::from_utf8_lossy(blob).into_owned())),
    })
}

/// The values of a row `id, field, field, …`, in the order of the fields.
pub(super) fn values(row: &Row<'_>, collection: &Collection) -> rusqlite::Result<Vec<Value>> {
    let fields = collection.fields().iter().enumerate();
    fields.map(|(position, field)| value(row, position + 1, field.kind())).collect()
}

/// One stored value, as a value of its field.
fn value(row: &Row<'_>, column: usize, kind: FieldKind) -> rusqlite::Result<Value> {
    if let ValueRef::Text(bytes) = row.get_ref(column)?
        && std::str::from_utf8(bytes).is_err()
    {
        return Ok(Value::Garbled(bytes.to_vec()));
    }
    Ok(match cell(row, column, kind)? {
        Cell::Null => Value::Null,
        Cell::Text(text) => Value::Text(text.into_owned()),
        Cell::Integer(integer) => Value::Integer(integer),
        Cell::Float(float) => Value::Float(float),
        Cell::Boolean(boolean) => Value::Boolean(boolean),
    })
}
