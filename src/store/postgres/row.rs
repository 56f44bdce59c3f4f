//! Values on their way into statements, and rows on their way out.

use std::borrow::Cow;
use std::error::Error as StdError;

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Error, Row};

use crate::catalog::collection::Collection;
use crate::catalog::field::FieldKind;
use crate::record::representation::{self, Cell};
use crate::record::{RecordId, Value};

/// A value, bound to a parameter of its field's type.
#[derive(Debug)]
pub(super) struct Bound<'a>(pub(super) &'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Text(text) => text.to_sql(kind, out),
            Value::Integer(integer) => integer.to_sql(kind, out),
            Value::Float(float) => float.to_sql(kind, out),
            Value::Boolean(boolean) => boolean.to_sql(kind, out),
            // PostgreSQL holds no such text; what was read there never is.
            Value::Garbled(_) => Err("text that is no Unicode cannot be stored".into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Appends the representation of a record whose fields begin at `column`.
pub(super) fn write(
    out: &mut Vec<u8>,
    collection: &Collection,
    id: RecordId,
    row: &Row,
    column: usize,
) -> Result<(), Error> {
    let mut failure = None;
    let cells = collection.fields().iter().enumerate().map(|(position, field)| {
        cell(row, column + position, field.kind()).unwrap_or_else(|error| {
            failure = Some(error);
            Cell::Null
        })
    });
    representation::write(out, collection, id, cells);
    failure.map_or(Ok(()), Err)
}

/// The id in a column; none where an outer join found no record.
pub(super) fn id(row: &Row, column: usize) -> Result<Option<RecordId>, Error> {
    Ok(row.try_get::<_, Option<i64>>(column)?.and_then(RecordId::new))
}

fn cell(row: &Row, column: usize, kind: FieldKind) -> Result<Cell<'_>, Error> {
    let cell = match kind {
        FieldKind::String => {
            row.try_get::<_, Option<&str>>(column)?.map(|text| Cell::Text(Cow::Borrowed(text)))
        }
        FieldKind::Integer => row.try_get::<_, Option<i64>>(column)?.map(Cell::Integer),
        FieldKind::Float => row.try_get::<_, Option<f64>>(column)?.map(|float| Cell::Float(float + 0.0)),
        FieldKind::Boolean => row.try_get::<_, Option<bool>>(column)?.map(Cell::Boolean),
    };
    Ok(cell.unwrap_or(Cell::Null))
}
