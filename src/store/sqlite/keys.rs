//! Access keys in the database file: the table, the ring for the commands, and the server's view of it,
//! which follows what the commands change.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::connection::{self, Role};
use super::place;
use crate::observe::{Event, Observer};
use crate::record::access_key::{AccessKey, KeyEntry, KeyHash};
use crate::store::OpenError;
use crate::store::keys::{KeyRingError, KeySet};

/// How often a server looks whether the keys have changed; a revoked key is refused within one second.
const LOOK: Duration = Duration::from_millis(250);

/// The triggers count every change, whoever makes it, so that a look costs one row and not all keys.
const TABLES: &str = "
CREATE TABLE IF NOT EXISTS _carnet_keys (
  name TEXT PRIMARY KEY NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  created TEXT NOT NULL
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

/// Makes the tables where they are missing; part of the caller's transaction.
pub(super) fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)
}

/// The stored keys, for the `keys` commands.
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

    pub(in crate::store) fn create(
        &mut self,
        name: Option<&str>,
        access_key: &AccessKey,
    ) -> Result<String, KeyRingError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(broken)?;
        let hash = access_key.hash();
        let holder = transaction
            .query_row("SELECT name FROM _carnet_keys WHERE hash = ?1", [hash.as_bytes()], |row| row.get(0))
            .optional()
            .map_err(broken)?;
        if let Some(holder) = holder {
            return Err(KeyRingError::KeyInUse(holder));
        }
        let name = match name {
            Some(name) if has_name(&transaction, name)? => {
                return Err(KeyRingError::NameInUse(name.to_owned()));
            }
            Some(name) => name.to_owned(),
            None => free_name(&transaction)?,
        };
        let created = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        transaction
            .execute(
                "INSERT INTO _carnet_keys (name, hash, prefix, created) VALUES (?1, ?2, ?3, ?4)",
                params![name, hash.as_bytes(), access_key.prefix(), created],
            )
            .map_err(broken)?;
        transaction.commit().map_err(broken)?;
        Ok(name)
    }

    pub(in crate::store) fn list(&self) -> Result<Vec<KeyEntry>, KeyRingError> {
        let read = || -> rusqlite::Result<Vec<KeyEntry>> {
            self.connection
                .prepare("SELECT name, prefix, created FROM _carnet_keys ORDER BY name")?
                .query_map([], |row| {
                    Ok(KeyEntry { name: row.get(0)?, prefix: row.get(1)?, created: row.get(2)? })
                })?
                .collect()
        };
        read().map_err(broken)
    }

    pub(in crate::store) fn revoke(&mut self, name: &str) -> Result<bool, KeyRingError> {
        let revoked =
            self.connection.execute("DELETE FROM _carnet_keys WHERE name = ?1", [name]).map_err(broken)?;
        Ok(revoked > 0)
    }
}

fn has_name(connection: &Connection, name: &str) -> Result<bool, KeyRingError> {
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM _carnet_keys WHERE name = ?1").map_err(broken)?;
    statement.exists([name]).map_err(broken)
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

fn broken(error: rusqlite::Error) -> KeyRingError {
    KeyRingError::Broken(error.to_string())
}

/// A server's view of the stored keys, kept fresh by a thread of its own.
pub(super) struct Follower {
    current: Arc<ArcSwap<KeySet>>,
    stop: Mutex<Option<Sender<()>>>,
}

impl Follower {
    pub(super) fn start(path: &Path, observer: Arc<Observer>) -> Result<Self, OpenError> {
        let unusable = |error: rusqlite::Error| connection::unusable(path, &error);
        let connection = connection::open(path, Role::Reader)?;
        let (mut seen, keys) = read_keys(&connection).map_err(unusable)?;
        let current = Arc::new(ArcSwap::from_pointee(keys));
        let (stop, stopped) = channel();
        let published = current.clone();
        let follow = move || {
            let mut is_readable = true;
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(LOOK) {
                let fresh = changes(&connection)
                    .and_then(|now| (now != seen).then(|| read_keys(&connection)).transpose());
                let was_readable = std::mem::replace(&mut is_readable, fresh.is_ok());
                match fresh {
                    Ok(None) => {}
                    Ok(Some((now, keys))) => {
                        seen = now;
                        observer.report(Event::KeysReloaded { keys: keys.len() });
                        published.store(Arc::new(keys));
                    }
                    // Said once, not four times a second; the keys last read stay in force.
                    Err(error) if was_readable => {
                        observer.report(Event::Warning(&format!("the access keys cannot be read: {error}")));
                    }
                    Err(_) => {}
                }
            }
        };
        let spawned = std::thread::Builder::new().name("access keys".into()).spawn(follow);
        spawned.map_err(|error| OpenError::Unusable { path: path.to_owned(), cause: error.to_string() })?;
        Ok(Self { current, stop: Mutex::new(Some(stop)) })
    }

    pub(super) fn current(&self) -> Arc<KeySet> {
        self.current.load_full()
    }

    pub(super) fn stop(&self) {
        self.stop.lock().take();
    }
}

fn changes(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("SELECT number FROM _carnet_key_changes")?.query_row([], |row| row.get(0))
}

/// The keys and the number of changes that led to them, of one moment.
fn read_keys(connection: &Connection) -> rusqlite::Result<(i64, KeySet)> {
    let moment = connection.unchecked_transaction()?;
    let seen = changes(&moment)?;
    let mut statement = moment.prepare_cached("SELECT hash, name FROM _carnet_keys")?;
    let mut keys = Vec::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let hash: Vec<u8> = row.get(0)?;
        // A row that another tool spoiled opens no door.
        if let Some(hash) = KeyHash::from_bytes(&hash) {
            keys.push((hash, row.get(1)?));
        }
    }
    Ok((seen, KeySet::new(keys.into_iter())))
}
