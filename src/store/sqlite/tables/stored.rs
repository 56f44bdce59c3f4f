//! A stored table, as SQLite describes it.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::catalog::field::FieldKind;
use crate::store::plan::Obstacle;
use crate::store::sql::quote;

/// How many ids an obstacle names.
const NAMED_IDS: usize = 10;

/// A stored table, as SQLite describes it.
pub(super) struct Table {
    pub(super) text: String,
    pub(super) is_strict: bool,
    pub(super) columns: Vec<StoredColumn>,
    pub(super) references: Vec<StoredReference>,
    pub(super) indexes: Vec<(String, Option<String>)>,
}

pub(super) struct StoredColumn {
    pub(super) name: String,
    pub(super) column_type: String,
    pub(super) is_not_null: bool,
    pub(super) is_key: bool,
}

pub(super) struct StoredReference {
    pub(super) from: String,
    pub(super) target: String,
    pub(super) on_delete: String,
}

impl Table {
    pub(super) fn read(connection: &Connection, name: &str) -> rusqlite::Result<Option<Self>> {
        let text: Option<String> = connection
            .query_row("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1", [name], |row| {
                row.get(0)
            })
            .optional()?;
        let Some(text) = text else { return Ok(None) };
        let is_strict =
            connection.query_row("SELECT strict FROM pragma_table_list(?1)", [name], |row| row.get(0))?;
        let columns = collect(
            connection,
            "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?1)",
            name,
            |row| {
                Ok(StoredColumn {
                    name: row.get(0)?,
                    column_type: row.get(1)?,
                    is_not_null: row.get(2)?,
                    is_key: row.get::<_, i64>(3)? > 0,
                })
            },
        )?;
        let references = collect(
            connection,
            "SELECT \"from\", \"table\", on_delete FROM pragma_foreign_key_list(?1)",
            name,
            |row| Ok(StoredReference { from: row.get(0)?, target: row.get(1)?, on_delete: row.get(2)? }),
        )?;
        let indexes = collect(
            connection,
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1",
            name,
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(Some(Self { text, is_strict, columns, references, indexes }))
    }

    pub(super) fn column(&self, name: &str) -> Option<&StoredColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The kind of field that a column was made for. Booleans are integers with a check of their own.
    pub(super) fn kind(&self, column: &StoredColumn) -> Option<FieldKind> {
        match column.column_type.to_ascii_uppercase().as_str() {
            "TEXT" => Some(FieldKind::String),
            "REAL" => Some(FieldKind::Float),
            "INTEGER" if self.text.contains(&format!("CHECK ({} IN (0, 1))", quote(&column.name))) => {
                Some(FieldKind::Boolean)
            }
            "INTEGER" | "INT" => Some(FieldKind::Integer),
            _ => None,
        }
    }
}

fn collect<T>(
    connection: &Connection,
    text: &str,
    table: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare(text)?.query_map([table], read)?.collect()
}

/// The records for which a condition holds: the first ids, and how many there are.
pub(super) struct Offenders {
    pub(super) ids: Vec<i64>,
    pub(super) count: u64,
}

impl Offenders {
    pub(super) fn obstacle(self, message: String, remedy: String) -> Obstacle {
        Obstacle { message, ids: self.ids, count: self.count, remedy }
    }
}

pub(super) fn offenders(
    connection: &Connection,
    table: &str,
    condition: &str,
) -> rusqlite::Result<Offenders> {
    let table = quote(table);
    let count: i64 =
        connection
            .query_row(&format!("SELECT count(*) FROM {table} WHERE {condition}"), [], |row| row.get(0))?;
    let mut statement =
        connection.prepare(&format!("SELECT id FROM {table} WHERE {condition} ORDER BY id LIMIT ?1"))?;
    let ids = statement.query_map(params![NAMED_IDS as i64], |row| row.get(0))?;
    Ok(Offenders { ids: ids.collect::<rusqlite::Result<_>>()?, count: count.unsigned_abs() })
}
