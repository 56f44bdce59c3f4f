//! Rows on their way into a representation.

use rusqlite::Row;

use super::kind;
use crate::catalog::collection::Collection;
use crate::catalog::field::Field;
use crate::record::value::Cell;
use crate::record::{RecordId, Value, representation};
use crate::store::cache::blocks::BlockBuilder;

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
    builder.push(id, |out| write_with_id(out, collection, row, id))
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
    let fields = collection.fields().iter().enumerate();
    representation::write(out, collection, id, fields.map(|(position, field)| cell(row, position, field)))
}

/// The values of a row `id, field, field, …`, in the order of the fields.
pub(super) fn values(row: &Row<'_>, collection: &Collection) -> rusqlite::Result<Vec<Value>> {
    let fields = collection.fields().iter().enumerate();
    fields.map(|(position, field)| Ok(cell(row, position, field)?.to_value())).collect()
}

/// Puts the fields at `positions` of a row `id, field, field, …` that has no others into their places.
pub(super) fn read_some(
    row: &Row<'_>,
    collection: &Collection,
    positions: &[usize],
    values: &mut [Value],
) -> rusqlite::Result<()> {
    for (place, &position) in positions.iter().enumerate() {
        let kind = collection.fields()[position].kind();
        values[position] = kind::lenient_cell(row.get_ref(place + 1)?, kind).to_value();
    }
    Ok(())
}

fn cell<'a>(row: &'a Row<'_>, position: usize, field: &Field) -> rusqlite::Result<Cell<'a>> {
    Ok(kind::lenient_cell(row.get_ref(position + 1)?, field.kind()))
}
