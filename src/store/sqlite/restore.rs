//! Puts a backup in the place of a database file: whatever stops it, the old one or the new one is there.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::connection::{self, Role};
use super::file::DatabaseFile;
use super::{audit, backup, key_table, place};
use crate::record::moment::Moment;
use crate::store::audit::{Actor, Deed, Trail};
use crate::store::backup::{BackupError, Partial, sync_folder};
use crate::store::copy::Watch;
use crate::store::ident::quote;
use crate::store::keys::KeyRow;

/// Which file goes where, and how.
pub(in crate::store) struct Place {
    pub(in crate::store) backup: PathBuf,
    pub(in crate::store) store: PathBuf,
    pub(in crate::store) replaces: bool,
    pub(in crate::store) takes_keys: bool,
    pub(in crate::store) any_filesystem: bool,
}

/// What is kept of the store that goes.
struct Before {
    keys: Vec<KeyRow>,
    trail: Trail,
    connection: Connection,
}

/// Says where the store from before is kept, and which access keys are good again.
pub(in crate::store) fn restore(
    order: &Place,
    watch: &Watch,
) -> Result<(Option<PathBuf>, Vec<String>), BackupError> {
    let Place { backup, store, replaces, takes_keys, any_filesystem } = order;
    place::check(store, *any_filesystem)?;
    place::make_private(store)?;
    // The server's own lock: none serves the store, and none starts.
    let _file = DatabaseFile::lock(store)?;
    // A link stays one: what it leads to is replaced.
    let target = fs::canonicalize(store).map_err(BackupError::at(store))?;
    let before = before(store)?;
    let failed = BackupError::at(store);
    if let Some(before) = &before
        && !replaces
    {
        let records = records(&before.connection).map_err(&failed)?;
        if records > 0 {
            return Err(BackupError::HasRecords { path: store.clone(), records });
        }
    }
    let made = Partial::claim(place::beside(store, ".restoring"))?;
    backup::copy_pages(backup, &made, false, watch)?;
    made.leave_log_mode()?;
    let returned =
        settle(made.path(), backup, before.as_ref(), *takes_keys).map_err(BackupError::at(made.path()))?;
    made.sync()?;
    let kept = before.map(|before| put_aside(&target, before)).transpose()?;
    fs::rename(made.path(), &target).map_err(BackupError::at(store))?;
    sync_folder(&target)?;
    Ok((kept, returned))
}

/// The store that is there, unless it is an empty file.
fn before(store: &Path) -> Result<Option<Before>, BackupError> {
    let has_bytes = fs::metadata(store).is_ok_and(|found| found.len() > 0) || place::has_log(store);
    if !has_bytes {
        return Ok(None);
    }
    let failed = BackupError::at(store);
    let connection = connection::open(store, Role::Writer)?;
    let keys = key_table::rows(&connection).map_err(&failed)?;
    let trail = audit::read(&connection).map_err(&failed)?;
    Ok(Some(Before { keys, trail, connection }))
}

/// All records, of whatever collections.
fn records(connection: &Connection) -> rusqlite::Result<u64> {
    let text = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_carnet_*' AND name NOT GLOB 'sqlite_*'";
    let mut statement = connection.prepare(text)?;
    let tables = statement.query_map([], |row| row.get::<_, String>(0))?;
    tables
        .map(|name| {
            let text = format!("SELECT count(*) FROM {}", quote(&name?));
            connection.query_row(&text, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
        })
        .sum()
}

/// Gives the new file the keys and the trail that it shall have, and tells the trail what was done. Keys are not data:
/// one that was revoked after the backup must not be good again unless that was asked for.
fn settle(
    path: &Path,
    backup: &Path,
    before: Option<&Before>,
    takes_keys: bool,
) -> rusqlite::Result<Vec<String>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    key_table::create_tables(&transaction)?;
    let (keys, head) = (key_table::rows(&transaction)?, audit::head(&transaction)?);
    let is_new =
        |key: &&KeyRow| before.is_none_or(|before| !before.keys.iter().any(|old| old.hash == key.hash));
    let mut returned = Vec::new();
    match before {
        Some(before) if !takes_keys => {
            transaction.execute_batch("DELETE FROM _carnet_key_uses; DELETE FROM _carnet_keys")?;
            before.keys.iter().try_for_each(|key| key_table::insert(&transaction, key))?;
            audit::replace(&transaction, &before.trail)?;
        }
        Some(_) => returned = keys.iter().filter(is_new).map(|key| key.name.clone()).collect(),
        None => {}
    }
    let trail = Trail::empty();
    let replaced = before.map_or(&trail, |before| &before.trail).head();
    let deed = Deed::restored(&backup.display().to_string(), &head, replaced);
    audit::append(&transaction, deed, &Actor::command_line())?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(returned)
}

/// Empties the log of the old file, which would be taken for the new one's, and gives the old file a further name.
fn put_aside(store: &Path, before: Before) -> Result<PathBuf, BackupError> {
    let failed = BackupError::at(store);
    let emptied =
        before.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    let is_busy = emptied.map_err(&failed)? != 0;
    before.connection.close().map_err(|(_, error)| failed(error))?;
    if is_busy || place::has_log(store) {
        return Err(BackupError::StillOpen(store.to_owned()));
    }
    let suffix = format!(".before-{}", Moment::now().compact());
    let mut kept = place::beside(store, &suffix);
    // Another one of the same second is kept, too.
    let mut number = 2;
    loop {
        match fs::hard_link(store, &kept) {
            Ok(()) => return Ok(kept),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                kept = place::beside(store, &format!("{suffix}-{number}"));
                number += 1;
            }
            Err(error) => return Err(BackupError::at(&kept)(error)),
        }
    }
}
