//! Access keys in the database file: the table, and who changes it for the commands and for a server.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, Row, Transaction, TransactionBehavior, params};

use super::connection::{self, Role};
use super::file::{self, DatabaseFile};
use super::{audit, place, reserve};
use crate::record::access_key::{KeyEntry, KeyHash};
use crate::store::audit::{Actor, Deed, Trail};
use crate::store::keys::{Changed, Edit, KEY_COLUMNS, KeyAdminError, KeyChange, KeyRow, Use};
use crate::store::{OpenError, StoreError};

/// The triggers count every change, whoever makes it, so that a look costs one row and not all keys. Uses stand in a
/// table of their own: they are no change.
const TABLES: &str = "
CREATE TABLE IF NOT EXISTS _carnet_keys (
  name TEXT PRIMARY KEY NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  created TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS _carnet_key_uses (
  name TEXT PRIMARY KEY NOT NULL REFERENCES _carnet_keys (name) ON DELETE CASCADE,
  last_used TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS _carnet_key_changes (number INTEGER NOT NULL) STRICT;
INSERT INTO _carnet_key_changes SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM _carnet_key_changes);
CREATE TRIGGER IF NOT EXISTS _carnet_key_inserted AFTER INSERT ON _carnet_keys
  BEGIN UPDATE _carnet_key_changes SET number = number + 1; END;
CREATE TRIGGER IF NOT EXISTS _carnet_key_updated AFTER UPDATE ON _carnet_keys
  BEGIN UPDATE _carnet_key_changes SET number = number + 1; END;
CREATE TRIGGER IF NOT EXISTS _carnet_key_deleted AFTER DELETE ON _carnet_keys
  BEGIN UPDATE _carnet_key_changes SET number = number + 1; END;
";

/// The columns that came later, what they are, and what a key has that was made before: no right to manage keys, a
/// right to all records, no end.
const ADDED: [(&str, &str, &str); 6] = [
    ("admin", "INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1))", "0"),
    ("scopes", "TEXT NOT NULL DEFAULT '*'", "'*'"),
    ("expires", "TEXT", "NULL"),
    ("previous_hash", "BLOB", "NULL"),
    ("previous_until", "TEXT", "NULL"),
    ("first_hash", "BLOB", "NULL"),
];

/// How long to wait for other writers before uses are left for the next time.
const USES_BUSY_TIMEOUT: Duration = Duration::from_millis(100);

/// Makes the tables where they are missing; part of the caller's transaction.
pub(super) fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    for (column, definition, _) in ADDED {
        if !has_column(connection, column)? {
            connection
                .execute_batch(&format!("ALTER TABLE _carnet_keys ADD COLUMN {column} {definition}"))?;
        }
    }
    audit::create_tables(connection)
}

fn has_column(connection: &Connection, column: &str) -> rusqlite::Result<bool> {
    let text = "SELECT 1 FROM pragma_table_info('_carnet_keys') WHERE name = ?1";
    connection.prepare(text)?.exists([column])
}

/// When keys were last used, by their names.
fn uses(connection: &Connection) -> rusqlite::Result<HashMap<String, String>> {
    if !connection.table_exists(None, "_carnet_key_uses")? {
        return Ok(HashMap::new());
    }
    let mut statement = connection.prepare("SELECT name, last_used FROM _carnet_key_uses")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// All keys in the order of their names, also of a file that lacks what came later.
pub(super) fn rows(connection: &Connection) -> rusqlite::Result<Vec<KeyRow>> {
    if !connection.table_exists(None, "_carnet_keys")? {
        return Ok(Vec::new());
    }
    let mut columns = KEY_COLUMNS.to_owned();
    for (column, _, instead) in ADDED {
        if !has_column(connection, column)? {
            columns = columns.replace(&format!(", {column}"), &format!(", {instead}"));
        }
    }
    let text = format!("SELECT {columns} FROM _carnet_keys ORDER BY name");
    connection.prepare(&text)?.query_map([], read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<KeyRow> {
    Ok(KeyRow {
        name: row.get(0)?,
        hash: row.get(1)?,
        prefix: row.get(2)?,
        created: row.get(3)?,
        is_admin: row.get(4)?,
        scopes: row.get(5)?,
        expires: row.get(6)?,
        previous_hash: row.get(7)?,
        previous_until: row.get(8)?,
        first_hash: row.get(9)?,
    })
}

/// Stores a key as it is.
pub(super) fn insert(connection: &Connection, row: &KeyRow) -> rusqlite::Result<()> {
    let text =
        format!("INSERT INTO _carnet_keys ({KEY_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
    let KeyRow { name, hash, prefix, created, is_admin, scopes, .. } = row;
    let KeyRow { expires, previous_hash, previous_until, first_hash, .. } = row;
    connection.prepare_cached(&text)?.execute(params![
        name,
        hash,
        prefix,
        created,
        is_admin,
        scopes,
        expires,
        previous_hash,
        previous_until,
        first_hash
    ])?;
    Ok(())
}

/// The keys that a change needs to know of.
fn find(connection: &Connection, change: &KeyChange) -> rusqlite::Result<Vec<KeyRow>> {
    let text = format!(
        "SELECT {KEY_COLUMNS} FROM _carnet_keys WHERE name = ?1 OR (?1 IS NULL AND name LIKE 'key-%') \
         OR hash = ?2 OR previous_hash = ?2 OR first_hash = ?2"
    );
    let hash = change.hash();
    let wanted = params![change.name(), hash.as_ref().map(KeyHash::as_bytes)];
    connection.prepare(&text)?.query_map(wanted, read)?.collect()
}

fn write(connection: &Connection, edit: &Edit) -> rusqlite::Result<()> {
    match edit {
        Edit::Insert(row) => insert(connection, row),
        Edit::Update(KeyRow { name, hash, prefix, previous_hash, previous_until, first_hash, .. }) => {
            let text = "UPDATE _carnet_keys SET hash = ?2, prefix = ?3, previous_hash = ?4, \
                 previous_until = ?5, first_hash = ?6 WHERE name = ?1";
            let secrets = params![name, hash, prefix, previous_hash, previous_until, first_hash];
            connection.execute(text, secrets).map(|_| ())
        }
        Edit::Delete(name) => {
            connection.execute("DELETE FROM _carnet_keys WHERE name = ?1", [name]).map(|_| ())
        }
    }
}

/// The stored keys, on a connection of their own.
pub struct KeyTable {
    path: PathBuf,
    pub(super) connection: Connection,
}

impl KeyTable {
    pub(in crate::store) fn open(path: &Path) -> Result<Self, OpenError> {
        place::check(path, true)?;
        place::make_private(path)?;
        file::refuse_other_name(path)?;
        let mut connection = connection::open(path, Role::Writer)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        transaction
            .and_then(|transaction| {
                create_tables(&transaction)?;
                connection::mark(&transaction)?;
                transaction.commit()
            })
            .map_err(|error| connection::unusable(path, &error))?;
        Ok(Self { path: path.to_owned(), connection })
    }

    /// The keys of a file, to read them; `None` where there is no file. Nothing is changed or made.
    pub(in crate::store) fn inspect(path: &Path) -> Result<Option<Self>, OpenError> {
        place::refuse_lost(path)?;
        if !path.exists() {
            return Ok(None);
        }
        let connection = connection::open(path, Role::Inspector)?;
        Ok(Some(Self { path: path.to_owned(), connection }))
    }

    /// The keys of a file whose tables are there already. Opened for each change: those are few, and a
    /// connection that is kept would be one more that the end of the server waits for.
    pub(super) fn beside(file: &DatabaseFile) -> Result<Self, KeyAdminError> {
        let opened = connection::connect(file, Role::Writer);
        let connection = opened.map_err(|error| StoreError::Broken(error.to_string()))?;
        Ok(Self { path: file.path().to_owned(), connection })
    }

    pub(in crate::store) fn list(&self) -> Result<Vec<KeyEntry>, KeyAdminError> {
        let read = || -> rusqlite::Result<Vec<KeyEntry>> {
            let moment = self.connection.unchecked_transaction()?;
            let mut uses = uses(&moment)?;
            let entries = rows(&moment)?.into_iter().map(|row| {
                let last_used = uses.remove(&row.name);
                row.entry(last_used)
            });
            Ok(entries.collect())
        };
        read().map_err(failed)
    }

    /// Makes a change, on a full disk in room of the reserve: who may read must not depend on who filled the disk.
    pub(in crate::store) fn change(
        &mut self,
        change: &KeyChange,
        by: &Actor,
    ) -> Result<Changed, KeyAdminError> {
        let path = self.path.clone();
        reserve::with_room(&path, is_full, || self.try_change(change, by))
    }

    fn try_change(&mut self, change: &KeyChange, by: &Actor) -> Result<Changed, KeyAdminError> {
        let transaction = self.begin()?;
        let (edit, deed, changed) = change.apply(&find(&transaction, change).map_err(failed)?)?;
        write(&transaction, &edit).map_err(failed)?;
        audit::append(&transaction, deed, by).map_err(failed)?;
        transaction.commit().map_err(uncommitted)?;
        Ok(changed)
    }

    /// Adds to the trail what changes nothing, on a full disk in room of the reserve: whoever must make room may want
    /// the records elsewhere first.
    pub(super) fn note(&mut self, deed: &Deed, by: &Actor) -> Result<(), KeyAdminError> {
        let path = self.path.clone();
        reserve::with_room(&path, is_full, || {
            let transaction = self.begin()?;
            audit::append(&transaction, deed.clone(), by).map_err(failed)?;
            transaction.commit().map_err(uncommitted)
        })
    }

    pub(in crate::store) fn trail(&self) -> Result<Trail, KeyAdminError> {
        audit::read(&self.connection).map_err(failed)
    }

    /// Writes when keys were last used. A key that is gone meanwhile has no uses. Not worth a sync of the disk, nor a
    /// long wait: whoever does this follows changes of keys, too.
    pub(super) fn write_uses(&mut self, uses: &[Use]) -> Result<(), KeyAdminError> {
        self.connection.busy_timeout(USES_BUSY_TIMEOUT).map_err(failed)?;
        self.connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
        let transaction = self.begin()?;
        let text = "INSERT INTO _carnet_key_uses (name, last_used) SELECT name, ?2 FROM _carnet_keys WHERE name = ?1 \
             ON CONFLICT (name) DO UPDATE SET last_used = max(last_used, excluded.last_used)";
        for used in uses {
            transaction.execute(text, params![used.name, used.at.to_string()]).map_err(failed)?;
        }
        transaction.commit().map_err(uncommitted)?;
        uses.iter().for_each(Use::is_written);
        Ok(())
    }

    pub(super) fn begin(&mut self) -> Result<Transaction<'_>, KeyAdminError> {
        self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)
    }
}

fn is_full(error: &KeyAdminError) -> bool {
    matches!(error, KeyAdminError::Failed(StoreError::Full))
}

/// What it means that a commit failed. Where it is the disk that did, the next start may find the change all the same.
pub(super) fn uncommitted(error: rusqlite::Error) -> KeyAdminError {
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) => StoreError::OutcomeUnknown.into(),
        _ => failed(error),
    }
}

/// What a failure before the commit means: nothing is left behind.
pub(super) fn failed(error: rusqlite::Error) -> KeyAdminError {
    KeyAdminError::Failed(match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        Some(ErrorCode::DiskFull) => StoreError::Full,
        _ => StoreError::Broken(error.to_string()),
    })
}
