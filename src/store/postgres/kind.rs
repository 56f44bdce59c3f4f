//! What a kind of field is in PostgreSQL: the type, the collation and the check of its column, how it is indexed and
//! copied, values on their way in and out.

use std::error::Error as StdError;

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Error, Row};

use crate::catalog::field::FieldKind;
use crate::record::Value;
use crate::record::value::Cell;

pub(super) fn column_type(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::String => "text",
        FieldKind::Integer => "bigint",
        FieldKind::Float => "double precision",
        FieldKind::Boolean => "boolean",
    }
}

/// What follows the type, or a value that is compared.
pub(super) fn collation(kind: FieldKind) -> &'static str {
    match kind {
        // Compared byte by byte, on every machine the same.
        FieldKind::String => " COLLATE \"C\"",
        FieldKind::Integer | FieldKind::Float | FieldKind::Boolean => "",
    }
}

/// What must hold for its column and is not kept by the type alone, with the name of that.
pub(super) fn check(kind: FieldKind, column: &str) -> Option<(&'static str, String)> {
    match kind {
        // JSON has no text for what is not finite. PostgreSQL sorts NaN above infinity.
        FieldKind::Float => {
            Some(("finite", format!("{column} BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308")))
        }
        FieldKind::String | FieldKind::Integer | FieldKind::Boolean => None,
    }
}

/// The kind that a stored column is for.
pub(super) fn of_column(column_type: &str) -> Option<FieldKind> {
    FieldKind::ALL.into_iter().find(|&kind| self::column_type(kind) == column_type)
}

/// The kind that a narrower type can become without a loss.
pub(super) fn wider(column_type: &str) -> Option<FieldKind> {
    match column_type {
        "integer" | "smallint" => Some(FieldKind::Integer),
        "real" => Some(FieldKind::Float),
        _ => column_type.starts_with("character varying").then_some(FieldKind::String),
    }
}

/// Whether a value may be too long for an entry of a B-tree.
pub(super) fn may_be_long(kind: FieldKind) -> bool {
    match kind {
        FieldKind::String => true,
        FieldKind::Integer | FieldKind::Float | FieldKind::Boolean => false,
    }
}

/// A value as text: equal where the values are, whatever the settings of the session that writes.
pub(super) fn as_text(kind: FieldKind, value: &str) -> String {
    match kind {
        FieldKind::String => value.to_owned(),
        FieldKind::Integer | FieldKind::Boolean => format!("{value}::text"),
        // The text of a float follows extra_float_digits. Adding zero makes one of the two zeros.
        FieldKind::Float => format!("encode(float8send({value} + 0), 'hex')"),
    }
}

/// What is copied out of its column.
pub(super) fn copied(kind: FieldKind, column: &str) -> String {
    match kind {
        // Adding zero turns -0 into 0: the engines would not keep its sign alike.
        FieldKind::Float => format!("{column} + 0::double precision"),
        FieldKind::String | FieldKind::Integer | FieldKind::Boolean => column.to_owned(),
    }
}

/// A value, bound to a parameter of its field's type.
#[derive(Debug)]
pub(super) struct Bound<'a>(pub(super) &'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self.0.cell() {
            Cell::Null => Ok(IsNull::Yes),
            Cell::Text(text) => text.to_sql(kind, out),
            Cell::Integer(integer) => integer.to_sql(kind, out),
            Cell::Float(float) => float.to_sql(kind, out),
            Cell::Boolean(boolean) => boolean.to_sql(kind, out),
            // PostgreSQL holds no such text; what was read there never is.
            Cell::Garbled(_) => Err("text that is no Unicode cannot be stored".into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value on its way into a statement.
pub(super) type BoxedValue<'f> = Box<dyn ToSql + Sync + Send + 'f>;

/// The values of one field of several records.
pub(super) fn array<'f>(kind: FieldKind, values: impl Iterator<Item = &'f Value>) -> BoxedValue<'f> {
    fn each<'f, T: ToSql + Sync + Send + 'f>(
        values: impl Iterator<Item = &'f Value>,
        pick: impl Fn(Cell<'f>) -> Option<T>,
    ) -> BoxedValue<'f> {
        Box::new(values.map(|value| pick(value.cell())).collect::<Vec<_>>())
    }
    match kind {
        FieldKind::String => each(values, |cell| if let Cell::Text(text) = cell { Some(text) } else { None }),
        FieldKind::Integer => each(values, |cell| if let Cell::Integer(it) = cell { Some(it) } else { None }),
        FieldKind::Float => each(values, |cell| if let Cell::Float(it) = cell { Some(it) } else { None }),
        FieldKind::Boolean => each(values, |cell| if let Cell::Boolean(it) = cell { Some(it) } else { None }),
    }
}

pub(super) fn cell(row: &Row, column: usize, kind: FieldKind) -> Result<Cell<'_>, Error> {
    let cell = match kind {
        FieldKind::String => row.try_get::<_, Option<&str>>(column)?.map(Cell::Text),
        FieldKind::Integer => row.try_get::<_, Option<i64>>(column)?.map(Cell::Integer),
        FieldKind::Float => row.try_get::<_, Option<f64>>(column)?.map(|float| Cell::Float(float + 0.0)),
        FieldKind::Boolean => row.try_get::<_, Option<bool>>(column)?.map(Cell::Boolean),
    };
    Ok(cell.unwrap_or(Cell::Null))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_type_of_its_own() {
        for kind in FieldKind::ALL {
            assert_eq!(of_column(column_type(kind)), Some(kind));
        }
        assert_eq!(of_column("character varying(20)"), None);
    }
}
