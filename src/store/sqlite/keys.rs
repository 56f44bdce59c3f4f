//! Access keys in the database file: the table, and the ring that changes it, for the commands and for a server.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};

use super::connection::{self, Role};
use super::place;
use crate::record::access_key::KeyEntry;
use crate::store::keys::{KeyRingError, NewKey};
use crate::store::{OpenError, StoreError};

/// The triggers count every change, whoever makes it, so that a look costs one row and not all keys.
const TABLES: &str = "
CREATE TABLE IF NOT EXISTS _carnet_keys (
  name TEXT PRIMARY KEY NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  created TEXT NOT NULL,
  admin INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1))
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

/// For files from before there were keys that manage keys: none of theirs does.
const ADD_ADMIN: &str =
    "ALTER TABLE _carnet_keys ADD COLUMN admin INTEGER NOT NULL DEFAULT 0 CHECK (admin IN (0, 1))";

/// Makes the tables where they are missing; part of the caller's transaction.
pub(super) fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    if knows_admins(connection)? { Ok(()) } else { connection.execute_batch(ADD_ADMIN) }
}

/// Whether the file can tell keys that manage keys from others.
pub(super) fn knows_admins(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM pragma_table_info('_carnet_keys') WHERE name = 'admin'")?.exists([])
}

/// The stored keys, on a connection of their own.
pub struct KeyTable {
    connection: Connection,
}

impl KeyTable {
    pub(in crate::store) fn open(path: &Path) -> Result<Self, OpenError> {
        place::check(path, true)?;
        place::make_private(path)?;
        let mut connection = connection::open(path, Role::Writer)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        transaction
            .and_then(|transaction| {
                create_tables(&transaction)?;
                connection::mark(&transaction)?;
                transaction.commit()
            })
            .map_err(|error| connection::unusable(path, &error))?;
        Ok(Self { connection })
    }

    /// The keys of a file whose tables are there already. Opened for each change: those are few, and a
    /// connection that is kept would be one more that the end of the server waits for.
    pub(super) fn beside(path: &Path) -> Result<Self, KeyRingError> {
        let opened = connection::open(path, Role::Writer);
        let connection = opened.map_err(|error| StoreError::Broken(error.to_string()))?;
        Ok(Self { connection })
    }

    pub(in crate::store) fn create(&mut self, key: NewKey<'_>) -> Result<String, KeyRingError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let hash = key.access_key.hash();
        let holder = transaction
            .query_row("SELECT name FROM _carnet_keys WHERE hash = ?1", [hash.as_bytes()], |row| row.get(0))
            .optional()
            .map_err(failed)?;
        if let Some(holder) = holder {
            return Err(KeyRingError::KeyInUse(holder));
        }
        let name = match key.name.map(|name| name.as_str()) {
            Some(name) if has_name(&transaction, name)? => {
                return Err(KeyRingError::NameInUse(name.to_owned()));
            }
            Some(name) => name.to_owned(),
            None => free_name(&transaction)?,
        };
        let created = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        transaction
            .execute(
                "INSERT INTO _carnet_keys (name, hash, prefix, created, admin) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![name, hash.as_bytes(), key.access_key.prefix(), created, key.is_admin],
            )
            .map_err(failed)?;
        transaction.commit().map_err(failed)?;
        Ok(name)
    }

    pub(in crate::store) fn list(&self) -> Result<Vec<KeyEntry>, KeyRingError> {
        let read = || -> rusqlite::Result<Vec<KeyEntry>> {
            self.connection
                .prepare("SELECT name, prefix, created, admin FROM _carnet_keys ORDER BY name")?
                .query_map([], |row| {
                    Ok(KeyEntry {
                        name: row.get(0)?,
                        prefix: row.get(1)?,
                        created: row.get(2)?,
                        is_admin: row.get(3)?,
                    })
                })?
                .collect()
        };
        read().map_err(failed)
    }

    pub(in crate::store) fn revoke(&mut self, name: &str) -> Result<bool, KeyRingError> {
        let revoked =
            self.connection.execute("DELETE FROM _carnet_keys WHERE name = ?1", [name]).map_err(failed)?;
        Ok(revoked > 0)
    }
}

fn has_name(connection: &Connection, name: &str) -> Result<bool, KeyRingError> {
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM _carnet_keys WHERE name = ?1").map_err(failed)?;
    statement.exists([name]).map_err(failed)
}

fn free_name(connection: &Connection) -> Result<String, KeyRingError> {
    let mut number = 1u64;
    loop {
        let name = format!("key-{number}");
        if !has_name(connection, &name)? {
            return Ok(name);
        }
        number += 1;
    }
}

/// What a failure means. Each change is one transaction, which went through or left nothing behind.
fn failed(error: rusqlite::Error) -> KeyRingError {
    KeyRingError::Failed(match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        Some(ErrorCode::DiskFull) => StoreError::Full,
        _ => StoreError::Broken(error.to_string()),
    })
}
