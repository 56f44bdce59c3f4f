//! Collections that have used up their ids: the highest that there is was given, to a record or by another tool.
//!
//! SQLite says of such a table that the disk is full, and takes the whole transaction back. So it is not asked.

use rusqlite::Connection;

use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::store::ident::quote;

/// Whether each collection has no id left, in declared order.
pub(super) fn used_up(connection: &Connection, catalog: &Catalog) -> rusqlite::Result<Vec<bool>> {
    catalog.collections().iter().map(|collection| is_used_up(connection, collection)).collect()
}

fn is_used_up(connection: &Connection, collection: &Collection) -> rusqlite::Result<bool> {
    let text = format!(
        "SELECT EXISTS (SELECT 1 FROM {} WHERE id = ?1) \
         OR EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?2 AND seq = ?1)",
        quote(collection.name())
    );
    connection.query_row(&text, (i64::MAX, collection.name()), |row| row.get(0))
}
