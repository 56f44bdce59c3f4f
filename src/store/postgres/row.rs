//! Rows on their way into a representation.

use tokio_postgres::{Error, Row};

use super::kind;
use crate::catalog::collection::Collection;
use crate::record::{RecordId, Value, representation};

/// Appends the representation of a record whose fields begin at `column`.
pub(super) fn write(
    out: &mut Vec<u8>,
    collection: &Collection,
    id: RecordId,
    row: &Row,
    column: usize,
) -> Result<(), Error> {
    let fields = collection.fields().iter().enumerate();
    let cells = fields.map(|(position, field)| kind::cell(row, column + position, field.kind()));
    representation::write(out, collection, id, cells)
}

/// Puts the fields at `positions`, which begin at `column`, into their places.
pub(super) fn read_some(
    row: &Row,
    collection: &Collection,
    positions: &[usize],
    column: usize,
    values: &mut [Value],
) -> Result<(), Error> {
    for (place, &position) in positions.iter().enumerate() {
        values[position] = kind::cell(row, column + place, collection.fields()[position].kind())?.to_value();
    }
    Ok(())
}

/// The id in a column; none where an outer join found no record.
pub(super) fn id(row: &Row, column: usize) -> Result<Option<RecordId>, Error> {
    Ok(row.try_get::<_, Option<i64>>(column)?.and_then(RecordId::new))
}
