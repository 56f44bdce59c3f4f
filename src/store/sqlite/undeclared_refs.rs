//! Tables that are not declared, or no longer, and still refer to one that is: their rows are not ours to
//! change, so a record that they refer to stays.

use rusqlite::Connection;

use super::tables;
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::store::sqlite::sql;

/// A column of a table that is not declared that refers to a collection.
pub(super) struct UndeclaredRef {
    table: String,
    target: usize,
    referring: String,
}

impl UndeclaredRef {
    /// All of them, at start; nobody else changes tables while a server runs.
    pub(super) fn find_all(connection: &Connection, catalog: &Catalog) -> rusqlite::Result<Vec<Self>> {
        let mut undeclared_refs = Vec::new();
        let mut statement =
            connection.prepare("SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1)")?;
        for table in tables::undeclared(connection, catalog)? {
            let mut rows = statement.query([&table])?;
            while let Some(row) = rows.next()? {
                let (column, target): (String, String) = (row.get(0)?, row.get(1)?);
                if let Some(target) = catalog.find(&target) {
                    let referring = sql::referring_row(&table, &column);
                    undeclared_refs.push(Self { table: table.clone(), target: target.position(), referring });
                }
            }
        }
        Ok(undeclared_refs)
    }

    /// The table's name, if one of its rows refers to this record.
    pub(super) fn holding(
        &self,
        connection: &Connection,
        collection: &Collection,
        id: RecordId,
    ) -> rusqlite::Result<Option<&str>> {
        if self.target != collection.position() {
            return Ok(None);
        }
        let holds = connection.prepare_cached(&self.referring)?.exists([id.get()])?;
        Ok(holds.then_some(self.table.as_str()))
    }
}
