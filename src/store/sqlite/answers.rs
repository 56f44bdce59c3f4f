//! Stored answers in the database file: what a write was told, for a day.

use rusqlite::{Connection, OptionalExtension, params};

use crate::store::retry::{Ticket, Told};
use crate::store::verdict::Verdict;

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS _carnet_answers (
  identity BLOB PRIMARY KEY NOT NULL,
  fingerprint BLOB NOT NULL,
  moment TEXT NOT NULL,
  verdict TEXT NOT NULL,
  id INTEGER,
  detail TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS _carnet_answers_moment ON _carnet_answers (moment);
";

const LOOK_UP: &str = "SELECT fingerprint, verdict, id, detail FROM _carnet_answers \
     WHERE identity = ?1 AND moment > strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 day')";

/// In place of one that is too old, if there is one.
const KEEP: &str = "INSERT OR REPLACE INTO _carnet_answers (identity, fingerprint, moment, verdict, id, detail) \
     VALUES (?1, ?2, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?3, ?4, ?5)";

const CLEAR: &str = "DELETE FROM _carnet_answers WHERE rowid IN (SELECT rowid FROM _carnet_answers \
     WHERE moment <= strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 day') ORDER BY moment LIMIT ?1)";

/// Makes the table where it is missing; part of the caller's transaction.
pub(super) fn create_table(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLE)
}

/// What the holder of this ticket was told before.
pub(super) fn look_up(connection: &Connection, ticket: &Ticket) -> rusqlite::Result<Option<Told<Verdict>>> {
    let mut statement = connection.prepare_cached(LOOK_UP)?;
    let read = |row: &rusqlite::Row<'_>| {
        let (fingerprint, verdict): (Vec<u8>, String) = (row.get(0)?, row.get(1)?);
        Ok(ticket.told(&fingerprint, &verdict, row.get(2)?, row.get(3)?))
    };
    statement.query_row([&ticket.identity[..]], read).optional()
}

/// Stores what its holder is told; part of the transaction of the write. Says whether there was anything to store.
pub(super) fn keep(connection: &Connection, ticket: &Ticket, verdict: &Verdict) -> rusqlite::Result<bool> {
    let Some(words) = verdict.words(ticket.shows_record) else { return Ok(false) };
    let Ticket { identity, fingerprint, .. } = ticket;
    connection.prepare_cached(KEEP)?.execute(params![
        &identity[..],
        &fingerprint[..],
        words.verdict,
        words.id,
        words.detail
    ])?;
    Ok(true)
}

/// Takes away so many of those that are too old to be told again, at the most; says how many there were.
pub(super) fn clear(connection: &Connection, most: usize) -> rusqlite::Result<usize> {
    connection.prepare_cached(CLEAR)?.execute([i64::try_from(most).unwrap_or(i64::MAX)])
}
