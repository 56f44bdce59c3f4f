//! The trail in the database file.

use rusqlite::{Connection, params};

use crate::store::audit::{Actor, Deed, Head, Row, Trail};

/// The triggers keep tools from changing by mistake what is only ever added to; the chain tells of those who mean to.
const TABLES: &str = "
CREATE TABLE IF NOT EXISTS _carnet_audit (
  number INTEGER PRIMARY KEY NOT NULL,
  at TEXT NOT NULL,
  event TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT NOT NULL,
  actor TEXT NOT NULL,
  address TEXT NOT NULL,
  request_id TEXT NOT NULL,
  hash BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS _carnet_audit_head (number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
INSERT INTO _carnet_audit_head SELECT 0, zeroblob(32) WHERE NOT EXISTS (SELECT 1 FROM _carnet_audit_head);
CREATE TRIGGER IF NOT EXISTS _carnet_audit_updated BEFORE UPDATE ON _carnet_audit
  BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;
CREATE TRIGGER IF NOT EXISTS _carnet_audit_deleted BEFORE DELETE ON _carnet_audit
  BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;
";

pub(super) fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)
}

/// Adds a row; part of the caller's transaction, which writes alone.
pub(super) fn append(connection: &Connection, deed: Deed, by: &Actor) -> rusqlite::Result<()> {
    let row = head(connection)?.next(deed, by);
    insert(connection, &row)?;
    set_head(connection, &Head { number: row.number, hash: row.hash })
}

/// Puts another trail in the place of this one; part of the caller's transaction.
pub(super) fn replace(connection: &Connection, trail: &Trail) -> rusqlite::Result<()> {
    // What is only added to cannot be emptied.
    connection
        .execute_batch("DROP TABLE IF EXISTS _carnet_audit; DROP TABLE IF EXISTS _carnet_audit_head")?;
    create_tables(connection)?;
    trail.rows.iter().try_for_each(|row| insert(connection, row))?;
    set_head(connection, &trail.head)
}

fn insert(connection: &Connection, row: &Row) -> rusqlite::Result<()> {
    let text = "INSERT INTO _carnet_audit (number, at, event, subject, details, actor, address, request_id, hash) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let Row { number, at, event, subject, details, by, address, request_id, hash } = row;
    connection.execute(text, params![number, at, event, subject, details, by, address, request_id, hash])?;
    Ok(())
}

fn set_head(connection: &Connection, head: &Head) -> rusqlite::Result<()> {
    let text = "UPDATE _carnet_audit_head SET number = ?1, hash = ?2";
    connection.execute(text, params![head.number, head.hash]).map(drop)
}

pub(super) fn head(connection: &Connection) -> rusqlite::Result<Head> {
    let text = "SELECT number, hash FROM _carnet_audit_head";
    connection.query_row(text, [], |row| Ok(Head { number: row.get(0)?, hash: row.get(1)? }))
}

/// All of it, of one moment.
pub(super) fn read(connection: &Connection) -> rusqlite::Result<Trail> {
    let moment = connection.unchecked_transaction()?;
    read_within(&moment)
}

/// All of it, as the caller's transaction sees it; a file without the tables has nothing in it yet.
pub(super) fn read_within(moment: &Connection) -> rusqlite::Result<Trail> {
    if !moment.table_exists(None, "_carnet_audit")? {
        return Ok(Trail { rows: Vec::new(), head: Head::beginning() });
    }
    let text = "SELECT number, at, event, subject, details, actor, address, request_id, hash \
         FROM _carnet_audit ORDER BY number";
    let mut statement = moment.prepare(text)?;
    let rows = statement.query_map([], |row| {
        Ok(Row {
            number: row.get(0)?,
            at: row.get(1)?,
            event: row.get(2)?,
            subject: row.get(3)?,
            details: row.get(4)?,
            by: row.get(5)?,
            address: row.get(6)?,
            request_id: row.get(7)?,
            hash: row.get(8)?,
        })
    })?;
    let rows = rows.collect::<rusqlite::Result<_>>()?;
    Ok(Trail { rows, head: head(moment)? })
}
