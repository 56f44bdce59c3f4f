//! Stored answers in the database file: what a write was told, for a day.

use rusqlite::{Connection, OptionalExtension, params};

use crate::record::RecordId;
use crate::store::write::answer_budget::AnswerBudget;
use crate::store::write::idempotency::IdempotencyToken;
use crate::store::write::stored_answer::{BYTES_BESIDES, StoredAnswer};
use crate::store::write::{WriteOutcome, WriteReply};

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

/// In place of one that is too old, if there is one. A row that `INSERT OR REPLACE` takes away would be told to no
/// trigger.
const KEEP: &str = "INSERT INTO _carnet_answers (identity, fingerprint, moment, verdict, id, detail) \
     VALUES (?1, ?2, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?3, ?4, ?5) \
     ON CONFLICT (identity) DO UPDATE SET fingerprint = excluded.fingerprint, moment = excluded.moment, \
       verdict = excluded.verdict, id = excluded.id, detail = excluded.detail";

const CLEAR: &str = "DELETE FROM _carnet_answers WHERE rowid IN (SELECT rowid FROM _carnet_answers \
     WHERE moment <= strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 day') ORDER BY moment LIMIT ?1)";

/// How many are looked at for one that finds no room.
const CLEARED_FOR_ROOM: usize = 100;

/// Makes the tables where they are missing; part of the caller's transaction.
pub(super) fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLE)?;
    connection.execute_batch(&counting())
}

/// What all of them take is counted by triggers: so it is right whoever stores or takes away, in the same transaction.
/// Counting them anew would read all of them at every start. Functions that older tools do not know are not used.
fn counting() -> String {
    let bytes = |row: &str| format!("{BYTES_BESIDES} + coalesce(length(CAST({row}detail AS BLOB)), 0)");
    let (of_each, of_new, of_old) = (bytes(""), bytes("NEW."), bytes("OLD."));
    format!(
        "
CREATE TABLE IF NOT EXISTS _carnet_answer_bytes (number INTEGER NOT NULL) STRICT;
INSERT INTO _carnet_answer_bytes SELECT (SELECT coalesce(sum({of_each}), 0) FROM _carnet_answers)
  WHERE NOT EXISTS (SELECT 1 FROM _carnet_answer_bytes);
CREATE TRIGGER IF NOT EXISTS _carnet_answer_inserted AFTER INSERT ON _carnet_answers
  BEGIN UPDATE _carnet_answer_bytes SET number = number + {of_new}; END;
CREATE TRIGGER IF NOT EXISTS _carnet_answer_updated AFTER UPDATE OF detail ON _carnet_answers
  BEGIN UPDATE _carnet_answer_bytes SET number = number + ({of_new}) - ({of_old}); END;
CREATE TRIGGER IF NOT EXISTS _carnet_answer_deleted AFTER DELETE ON _carnet_answers
  BEGIN UPDATE _carnet_answer_bytes SET number = number - ({of_old}); END;
"
    )
}

/// Brings the budget in line with what all of them take.
pub(super) fn count(connection: &Connection, budget: &AnswerBudget) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("SELECT number FROM _carnet_answer_bytes")?;
    let bytes: i64 = statement.query_row([], |row| row.get(0)).optional()?.unwrap_or(0);
    budget.set(u64::try_from(bytes).unwrap_or(0));
    Ok(())
}

/// Where there is no room for one more, takes some away that are too old. A server that is never idle and refuses all
/// that would be stored had no other occasion for that.
pub(super) fn make_room(connection: &Connection, budget: &AnswerBudget) -> rusqlite::Result<()> {
    if !budget.has_room() {
        // What is known may be too much: a group that failed, or another tool that has cleared the table.
        clear(connection, CLEARED_FOR_ROOM)?;
        count(connection, budget)?;
    }
    Ok(())
}

/// What the holder of this token was told before; `named` is the record that the request names.
pub(super) fn look_up(
    connection: &Connection,
    token: &IdempotencyToken,
    named: Option<RecordId>,
) -> rusqlite::Result<Option<WriteReply>> {
    let mut statement = connection.prepare_cached(LOOK_UP)?;
    let read = |row: &rusqlite::Row<'_>| {
        let (fingerprint, verdict): (Vec<u8>, String) = (row.get(0)?, row.get(1)?);
        let detail: Option<String> = row.get(3)?;
        let answer = StoredAnswer { verdict: &verdict, id: row.get(2)?, detail: detail.map(Into::into) };
        Ok(token.replay(&fingerprint, answer, named))
    };
    statement.query_row([&token.identity[..]], read).optional()
}

/// Stores what its holder is told; part of the transaction of the write. Says whether there was anything to store.
pub(super) fn keep(
    connection: &Connection,
    token: &IdempotencyToken,
    outcome: &WriteOutcome,
    budget: &AnswerBudget,
) -> rusqlite::Result<bool> {
    let Some(answer) = StoredAnswer::of(outcome, token.shows_record) else { return Ok(false) };
    budget.add(answer.bytes());
    let IdempotencyToken { identity, fingerprint, .. } = token;
    connection.prepare_cached(KEEP)?.execute(params![
        &identity[..],
        &fingerprint[..],
        answer.verdict,
        answer.id,
        answer.detail
    ])?;
    Ok(true)
}

/// Takes away so many of those that are too old to be told again, at the most; says how many there were.
pub(super) fn clear(connection: &Connection, most: usize) -> rusqlite::Result<usize> {
    connection.prepare_cached(CLEAR)?.execute([i64::try_from(most).unwrap_or(i64::MAX)])
}
