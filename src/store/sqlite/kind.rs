//! What a kind of field is in SQLite: the type and the check of its column, values on their way in and out.

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

use crate::catalog::date::{Date, Datetime};
use crate::catalog::field::FieldKind;
use crate::record::Value;
use crate::record::value::Cell;
use crate::store::ident;

/// The type of its column in a STRICT table.
pub(super) fn column_type(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::String | FieldKind::Date | FieldKind::Datetime => "TEXT",
        FieldKind::Integer | FieldKind::Boolean => "INTEGER",
        FieldKind::Float => "REAL",
    }
}

/// What must hold for its column and is not kept by the type alone: other tools write here too.
pub(super) fn check(kind: FieldKind, column: &str) -> Option<String> {
    condition(kind, column).map(|condition| format!("CHECK ({condition})"))
}

/// The same as a condition.
pub(super) fn condition(kind: FieldKind, column: &str) -> Option<String> {
    let first = first_condition(kind, column)?;
    Some(match kind {
        FieldKind::String | FieldKind::Integer | FieldKind::Boolean | FieldKind::Float => first,
        FieldKind::Date => format!("{first} AND {}", is_in_its_month(column)),
        FieldKind::Datetime => {
            let is_in_its_month = is_in_its_month(&format!("substr({column}, 1, 10)"));
            format!("{first} AND {is_in_its_month} AND substr({column}, 12, 2) < '24'")
        }
    })
}

/// What the condition begins with, and is all of it in columns that were made before days were counted.
fn first_condition(kind: FieldKind, column: &str) -> Option<String> {
    match kind {
        FieldKind::String | FieldKind::Integer => None,
        FieldKind::Boolean => Some(format!("{column} IN (0, 1)")),
        // Infinity has no text in JSON.
        FieldKind::Float => {
            Some(format!("{column} BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308"))
        }
        FieldKind::Date => Some(format!("date({column}) IS {column} AND {column} >= '0001-01-01'")),
        FieldKind::Datetime => Some(format!(
            "strftime('%Y-%m-%dT%H:%M:%S', substr({column}, 1, 19)) IS substr({column}, 1, 19) \
             AND substr({column}, 20) GLOB '.[0-9][0-9][0-9][0-9][0-9][0-9]Z' AND {column} >= '0001-01-01'"
        )),
    }
}

/// SQLite lets every month have 31 days. Of a day that there is not, new versions make the one after; older ones that
/// other tools bring, such as 3.40, repeat it, and 24 o'clock as well. The way from a day to its number is the same and
/// right in all of them. The way back is not: it makes the 29th of February 300 of the first of March.
fn is_in_its_month(day: &str) -> String {
    format!("julianday({day}) < julianday(substr({day}, 1, 8) || '01', '+1 month')")
}

/// The kind that a stored column was made for. Booleans are integers, days and moments are texts, each with a check of
/// its own, which the text of the table tells.
pub(super) fn of_column(table: &str, column: &str, column_type: &str) -> Option<FieldKind> {
    let has_check = |kind| {
        first_condition(kind, column).is_some_and(|condition| table.contains(&format!("CHECK ({condition}")))
    };
    match column_type.to_ascii_uppercase().as_str() {
        "TEXT" if has_check(FieldKind::Date) => Some(FieldKind::Date),
        "TEXT" if has_check(FieldKind::Datetime) => Some(FieldKind::Datetime),
        "TEXT" => Some(FieldKind::String),
        "REAL" => Some(FieldKind::Float),
        "INTEGER" if has_check(FieldKind::Boolean) => Some(FieldKind::Boolean),
        "INTEGER" | "INT" => Some(FieldKind::Integer),
        _ => None,
    }
}

/// A value as SQL writes it.
pub(super) fn literal(value: &Value) -> String {
    match value.cell() {
        Cell::Null | Cell::Garbled(_) => "NULL".to_owned(),
        Cell::Text(text) => ident::literal(text),
        Cell::Integer(integer) => integer.to_string(),
        Cell::Float(float) => format!("{float:?}"),
        Cell::Boolean(boolean) => u8::from(boolean).to_string(),
        Cell::Date(day) => ident::literal(&day.to_string()),
        Cell::Datetime(moment) => ident::literal(&moment.full_text()),
    }
}

/// The value of this kind that a default is, as [`literal`] writes it; `None` where it is something else.
pub(super) fn default(kind: FieldKind, text: &str) -> Option<Value> {
    let value = match (kind, text) {
        (FieldKind::Boolean, "0" | "1") => Value::Boolean(text == "1"),
        (FieldKind::Integer | FieldKind::Float, _) => Value::from_query(kind, text)?,
        _ => Value::from_query(kind, &ident::unquote(text)?)?,
    };
    Some(value)
}

/// A value to bind.
pub(super) struct Bound<'a>(pub(super) &'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(stored(self.0.cell()))
    }
}

/// A value as SQLite takes it.
pub(super) fn stored(cell: Cell<'_>) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(match cell {
        Cell::Date(day) => return day.to_string().into(),
        Cell::Datetime(moment) => return moment.full_text().into(),
        Cell::Null => ValueRef::Null,
        Cell::Text(text) => ValueRef::Text(text.as_bytes()),
        Cell::Integer(integer) => ValueRef::Integer(integer),
        Cell::Float(float) => ValueRef::Real(float),
        Cell::Boolean(boolean) => ValueRef::Integer(i64::from(boolean)),
        Cell::Garbled(bytes) => ValueRef::Text(bytes),
    })
}

/// A stored value, as one of this kind; `None` where it is none.
pub(super) fn cell(stored: ValueRef<'_>, kind: FieldKind) -> Option<Cell<'_>> {
    match (stored, kind) {
        (ValueRef::Null, _) => Some(Cell::Null),
        (ValueRef::Text(text), FieldKind::String) => Some(Cell::text(text)),
        (ValueRef::Integer(integer), FieldKind::Integer) => Some(Cell::Integer(integer)),
        (ValueRef::Integer(integer), FieldKind::Boolean) => Some(Cell::Boolean(integer != 0)),
        (ValueRef::Real(float), FieldKind::Float) => Some(Cell::Float(float)),
        (ValueRef::Text(text), FieldKind::Date) => {
            Date::parse(std::str::from_utf8(text).ok()?).map(Cell::Date)
        }
        (ValueRef::Text(text), FieldKind::Datetime) => {
            Datetime::parse(std::str::from_utf8(text).ok()?).map(Cell::Datetime)
        }
        _ => None,
    }
}

/// A stored value, even where it is none of this kind: another tool may change a table while it is served.
pub(super) fn lenient_cell(stored: ValueRef<'_>, kind: FieldKind) -> Cell<'_> {
    cell(stored, kind).unwrap_or_else(|| match stored {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(integer) => Cell::Integer(integer),
        ValueRef::Real(float) => Cell::Float(float),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Cell::text(bytes),
    })
}

/// What other tools can put into a file, and PostgreSQL has no place for.
pub(super) fn storable(cell: Cell<'_>) -> Result<(), &'static str> {
    match cell {
        Cell::Garbled(_) => Err("text that is not UTF-8"),
        Cell::Text(text) if text.contains('\0') => Err("text with the character U+0000"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn postgresql_has_no_place_for_some_texts() {
        assert_eq!(storable(Cell::Text("Zoë")), Ok(()));
        assert!(storable(Cell::text(b"Zo\xeb")).is_err());
        assert!(storable(Cell::text(b"Zo\0")).is_err());
    }

    #[test]
    fn a_column_takes_every_day_that_there_is_and_no_other() {
        let connection = Connection::open_in_memory().unwrap();
        // The 1st and the 28th to 31st of every month of 2,400 years, and their last seconds.
        let days = "WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < 28799), \
             ends(d) AS (VALUES (1), (28), (29), (30), (31)), \
             days(day) AS (SELECT printf('%04d-%02d-%02d', n / 12 + 1, n % 12 + 1, d) FROM counted, ends), \
             moments(moment) AS (SELECT day || 'T23:59:59.999999Z' FROM days)";
        let counted = |from: &str, column: &str, kind: FieldKind| {
            let condition = condition(kind, column).unwrap();
            let text = format!("{days} SELECT count(*) FROM {from} WHERE {condition}");
            connection.query_row(&text, [], |row| row.get::<_, i64>(0)).unwrap()
        };
        let there_are = 2400 * (12 + 12 + 11 + 11 + 7) + 582;
        assert_eq!(counted("days", "day", FieldKind::Date), there_are);
        assert_eq!(counted("moments", "moment", FieldKind::Datetime), there_are);
    }
}
