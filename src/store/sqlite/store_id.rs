//! The id of the store, in the table `_carnet_store`.

use rusqlite::Connection;

use crate::store::StoreId;

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS _carnet_store (id BLOB NOT NULL CHECK (length(id) = 16)) STRICT;
INSERT INTO _carnet_store SELECT randomblob(16) WHERE NOT EXISTS (SELECT 1 FROM _carnet_store);
";

/// Makes the table where it is missing, and an id in it; part of the caller's transaction.
pub(super) fn create_table(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLE)
}

pub(super) fn read(connection: &Connection) -> rusqlite::Result<StoreId> {
    connection.query_row("SELECT id FROM _carnet_store", [], |row| row.get(0)).map(StoreId::new)
}

/// Takes over the id of the store that is copied.
pub(super) fn replace(connection: &Connection, id: StoreId) -> rusqlite::Result<()> {
    connection.execute("UPDATE _carnet_store SET id = ?1", [id.bytes()]).map(|_| ())
}
