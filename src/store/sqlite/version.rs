//! The version of the data: a number that every commit raises, so that a reader knows of which moment it reads.

use rusqlite::Connection;

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS _carnet_version (number INTEGER NOT NULL) STRICT;
INSERT INTO _carnet_version SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM _carnet_version);
";

/// Makes the table where it is missing; part of the caller's transaction.
pub(super) fn create_table(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLE)
}

/// The version that this connection sees; inside a transaction, that of the transaction.
pub(super) fn read(connection: &Connection) -> rusqlite::Result<u64> {
    let mut statement = connection.prepare_cached("SELECT number FROM _carnet_version")?;
    statement.query_row([], |row| row.get(0)).map(i64::unsigned_abs)
}

/// Part of the transaction whose changes it numbers.
pub(super) fn raise(connection: &Connection, version: u64) -> rusqlite::Result<()> {
    let version = i64::try_from(version).unwrap_or(i64::MAX);
    match connection.prepare_cached("UPDATE _carnet_version SET number = ?1")?.execute([version])? {
        1 => Ok(()),
        rows => Err(rusqlite::Error::StatementChangedRows(rows)),
    }
}
