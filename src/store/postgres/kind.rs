//! What a kind of field is in PostgreSQL: the type, the collation and the check of its column, how it is indexed and
//! copied, values on their way in and out.

use std::error::Error as StdError;

use bytes::{BufMut, BytesMut};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Error, Row};

use crate::catalog::date::{Date, Datetime};
use crate::catalog::field::FieldKind;
use crate::record::Value;
use crate::record::value::{Cell, text};
use crate::store::ident;

pub(super) fn column_type(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::String => "text",
        FieldKind::Integer => "bigint",
        FieldKind::Float => "double precision",
        FieldKind::Boolean => "boolean",
        FieldKind::Date => "date",
        FieldKind::Datetime => "timestamp with time zone",
    }
}

/// What follows the type, or a value that is compared.
pub(super) fn collation(kind: FieldKind) -> &'static str {
    match kind {
        // Compared byte by byte, on every machine the same.
        FieldKind::String => " COLLATE \"C\"",
        FieldKind::Integer
        | FieldKind::Float
        | FieldKind::Boolean
        | FieldKind::Date
        | FieldKind::Datetime => "",
    }
}

/// What must hold for its column and is not kept by the type alone, with the name of that.
pub(super) fn check(kind: FieldKind, column: &str) -> Option<(&'static str, String)> {
    match kind {
        // JSON has no text for what is not finite. PostgreSQL sorts NaN above infinity.
        FieldKind::Float => {
            Some(("finite", format!("{column} BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308")))
        }
        // Neither infinity nor another year has four digits.
        FieldKind::Date => Some(("years", format!("{column} BETWEEN '0001-01-01' AND '9999-12-31'"))),
        FieldKind::Datetime => Some((
            "years",
            format!("{column} BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'"),
        )),
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
        FieldKind::Integer
        | FieldKind::Float
        | FieldKind::Boolean
        | FieldKind::Date
        | FieldKind::Datetime => false,
    }
}

/// A value as text: equal where the values are, whatever the settings of the session that writes.
pub(super) fn as_text(kind: FieldKind, value: &str) -> String {
    match kind {
        FieldKind::String => value.to_owned(),
        FieldKind::Integer | FieldKind::Boolean => format!("{value}::text"),
        // The text of a float follows extra_float_digits. Adding zero makes one of the two zeros.
        FieldKind::Float => format!("encode(float8send({value} + 0), 'hex')"),
        // That of a day follows DateStyle, that of a moment TimeZone.
        FieldKind::Date => format!("encode(date_send({value}), 'hex')"),
        FieldKind::Datetime => format!("encode(timestamptz_send({value}), 'hex')"),
    }
}

/// A value as SQL writes it.
pub(super) fn literal(kind: FieldKind, value: &Value) -> String {
    let text = match value.cell() {
        Cell::Null | Cell::Garbled(_) => return "NULL".to_owned(),
        Cell::Boolean(boolean) => return boolean.to_string(),
        Cell::Text(text) => text.to_owned(),
        Cell::Integer(integer) => integer.to_string(),
        Cell::Float(float) => format!("{float:?}"),
        Cell::Date(day) => day.to_string(),
        Cell::Datetime(moment) => moment.to_string(),
    };
    format!("{}::{}", ident::literal(&text), column_type(kind))
}

/// The value of this kind that a default is, as PostgreSQL shows one that [`literal`] wrote; `None` where it is something
/// else.
pub(super) fn default(kind: FieldKind, shown: &str) -> Option<Value> {
    if kind == FieldKind::Boolean {
        return Value::from_json(kind, shown);
    }
    let quoted = shown.strip_suffix(column_type(kind))?.strip_suffix("::")?;
    let text = match quoted.strip_prefix('E') {
        Some(escaped) => ident::unquote(escaped)?.replace("\\\\", "\\"),
        None => ident::unquote(quoted)?,
    };
    match kind {
        FieldKind::Float => text.parse().ok().map(Value::Float),
        FieldKind::Datetime => Datetime::parse_stored(&text).map(Value::Datetime),
        _ => Value::from_query(kind, &text),
    }
}

/// The value of this kind that the JSON of a row has. A moment has the offset of the session that wrote it.
pub(super) fn from_json(kind: FieldKind, json: &str) -> Option<Value> {
    match kind {
        FieldKind::Datetime => Datetime::parse_stored(&text(json)?).map(Value::Datetime),
        _ => Value::from_json(kind, json),
    }
}

/// What is copied out of its column.
pub(super) fn copied(kind: FieldKind, column: &str) -> String {
    match kind {
        // Adding zero turns -0 into 0: the engines would not keep its sign alike.
        FieldKind::Float => format!("{column} + 0::double precision"),
        FieldKind::String
        | FieldKind::Integer
        | FieldKind::Boolean
        | FieldKind::Date
        | FieldKind::Datetime => column.to_owned(),
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
            Cell::Date(day) => {
                out.put_i32(day.since_2000());
                Ok(IsNull::No)
            }
            Cell::Datetime(moment) => {
                out.put_i64(moment.since_2000());
                Ok(IsNull::No)
            }
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
        FieldKind::Date | FieldKind::Datetime => {
            let is_there = |value: &'f Value| (*value != Value::Null).then_some(Bound(value));
            Box::new(values.map(is_there).collect::<Vec<_>>())
        }
    }
}

pub(super) fn cell(row: &Row, column: usize, kind: FieldKind) -> Result<Cell<'_>, Error> {
    let cell = match kind {
        FieldKind::String => row.try_get::<_, Option<&str>>(column)?.map(Cell::Text),
        FieldKind::Integer => row.try_get::<_, Option<i64>>(column)?.map(Cell::Integer),
        FieldKind::Float => row.try_get::<_, Option<f64>>(column)?.map(|float| Cell::Float(float + 0.0)),
        FieldKind::Boolean => row.try_get::<_, Option<bool>>(column)?.map(Cell::Boolean),
        FieldKind::Date | FieldKind::Datetime => row.try_get::<_, Option<Binary>>(column)?.map(|it| it.0),
    };
    Ok(cell.unwrap_or(Cell::Null))
}

/// A day or a moment as PostgreSQL counts it.
struct Binary(Cell<'static>);

impl FromSql<'_> for Binary {
    fn from_sql(kind: &Type, bytes: &[u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(match *kind {
            Type::DATE => Cell::Date(Date::from_days_since_2000(i32::from_be_bytes(bytes.try_into()?))),
            _ => Cell::Datetime(Datetime::from_micros_since_2000(i64::from_be_bytes(bytes.try_into()?))),
        }))
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::DATE | Type::TIMESTAMPTZ)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_is_read_as_the_server_shows_it() {
        for (kind, shown, value) in [
            (FieldKind::String, "'it''s'::text", Some(Value::Text("it's".into()))),
            (FieldKind::String, r"E'a\\b'::text", Some(Value::Text(r"a\b".into()))),
            (FieldKind::String, "upper('a'::text)", None),
            (FieldKind::Integer, "'-5'::bigint", Some(Value::Integer(-5))),
            (FieldKind::Integer, "nextval('a'::regclass)", None),
            (FieldKind::Float, "'1e+300'::double precision", Some(Value::Float(1e300))),
            (FieldKind::Boolean, "true", Some(Value::Boolean(true))),
            (FieldKind::Date, "'1815-12-10'::date", Value::from_query(FieldKind::Date, "1815-12-10")),
            (
                FieldKind::Datetime,
                "'2027-01-31 14:00:00+02'::timestamp with time zone",
                Value::from_query(FieldKind::Datetime, "2027-01-31T12:00:00Z"),
            ),
            (FieldKind::Datetime, "now()", None),
        ] {
            assert_eq!(default(kind, shown), value, "{shown}");
        }
    }

    #[test]
    fn every_kind_has_a_type_of_its_own() {
        for kind in FieldKind::ALL {
            assert_eq!(of_column(column_type(kind)), Some(kind));
        }
        assert_eq!(of_column("character varying(20)"), None);
    }
}
