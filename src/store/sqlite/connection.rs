//! A connection to the database file with the settings that each must have, and whose file it is.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::file::{self, DatabaseFile};
use super::{free_pages, place, reserve};
use crate::store::OpenError;

/// `PRAGMA application_id` of our files: "carn".
const APPLICATION_ID: i64 = 0x6361_726e;
/// The format of the tables that this version writes and reads, in `PRAGMA user_version`. 2: access keys have scopes
/// and an end, of which earlier versions know nothing.
const FORMAT: i64 = 2;
/// Older versions can corrupt a database when two connections write and checkpoint at once.
const OLDEST_SQLITE: i32 = 3_051_003;
/// No request should ever wait this long; recovery after a crash may.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The write-ahead log is cut back to this size once it has been copied.
const JOURNAL_SIZE_LIMIT: i64 = 64 << 20;
/// The pages that a connection keeps. Few for readers: records are kept as bytes, what they miss is in the operating
/// system's cache, and to take memory for a page costs more than to read it anew into that of another.
const WRITER_CACHE_KIB: i64 = 49_152;
const READER_CACHE_KIB: i64 = 256;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Changes data; every commit is on disk when it returns.
    Writer,
    Reader,
    /// Looks at a file that must not change at all, and leaves none beside it.
    Inspector,
}

/// Opens the file. Its format is checked before anything that could change it. The index of the log, which SQLite makes
/// where there is none, may be made in room of the reserve.
pub(super) fn open(path: &Path, role: Role) -> Result<Connection, OpenError> {
    let is_full = |error: &OpenError| matches!(error, OpenError::Full { .. });
    reserve::give_back_for_index(path);
    reserve::with_room(path, is_full, || try_open(path, role))
}

/// A further connection to this file and to no other: the file is checked before, because SQLite would make a log that
/// is missing anew, and afterwards, because it goes by the path.
pub(super) fn connect(file: &DatabaseFile, role: Role) -> Result<Connection, OpenError> {
    let checked = |cause| OpenError::Unusable { place: file.path().display().to_string(), cause };
    file.check().map_err(checked)?;
    let connection = open(file.path(), role)?;
    file.check_log(&connection).map_err(checked)?;
    Ok(connection)
}

fn try_open(path: &Path, role: Role) -> Result<Connection, OpenError> {
    if rusqlite::version_number() < OLDEST_SQLITE {
        return Err(OpenError::OldSqlite(rusqlite::version()));
    }
    if role == Role::Inspector {
        file::refuse_other_name(path)?;
    }
    let opened = Connection::open_with_flags(path, access(path, role) | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .and_then(|connection| settle(&connection, role).map(|()| connection));
    let connection = opened.map_err(|error| unusable(path, &error))?;
    check_format(path, &connection)?;
    if role == Role::Writer {
        free_pages::prepare(&connection).map_err(|error| unusable(path, &error))?;
        write_ahead(&connection).map_err(|error| unusable(path, &error))?;
    }
    Ok(connection)
}

/// Opens a file that must not change to look at its pages, whatever is in them and whosever it is.
pub(super) fn open_as_it_is(path: &Path) -> rusqlite::Result<Connection> {
    let flags = access(path, Role::Inspector) | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

fn access(path: &Path, role: Role) -> OpenFlags {
    match role {
        Role::Writer | Role::Reader => OpenFlags::SQLITE_OPEN_READ_WRITE,
        // A log that is there must stay as it is.
        Role::Inspector if place::has_log(path) => OpenFlags::SQLITE_OPEN_READ_ONLY,
        // SQLite makes one while it looks, and takes it away again only if it may write.
        Role::Inspector => OpenFlags::SQLITE_OPEN_READ_WRITE,
    }
}

/// Marks the file as ours; part of the transaction that makes its first tables.
pub(super) fn mark(connection: &Connection) -> rusqlite::Result<()> {
    for (pragma, value) in [("application_id", APPLICATION_ID), ("user_version", FORMAT)] {
        // Written where it is there already, it would need room, and no start were possible on a full disk.
        if connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0))? != value {
            connection.pragma_update(None, pragma, value)?;
        }
    }
    Ok(())
}

/// Whether the file is marked as ours.
pub(super) fn is_marked(connection: &Connection) -> rusqlite::Result<bool> {
    let found: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    Ok(found == APPLICATION_ID)
}

/// An error of SQLite while opening, in words.
pub(super) fn unusable(path: &Path, error: &rusqlite::Error) -> OpenError {
    match error.sqlite_error_code() {
        _ if lacks_room(error) => {
            OpenError::Full { path: path.to_owned(), folder: place::folder(path).to_owned() }
        }
        Some(ErrorCode::NotADatabase) => OpenError::Foreign(path.to_owned()),
        Some(ErrorCode::CannotOpen) if path.is_dir() => OpenError::Folder(path.to_owned()),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            OpenError::Denied {
                path: path.to_owned(),
                folder: place::folder(path).to_owned(),
                cause: error.to_string(),
            }
        }
        _ => OpenError::Unusable { place: path.display().to_string(), cause: error.to_string() },
    }
}

/// Whether the disk is full. The index of the log, which a connection makes, is told apart by its own code.
fn lacks_room(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| {
        error.code == ErrorCode::DiskFull || error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE
    })
}

fn settle(connection: &Connection, role: Role) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(128);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64)?;
    // A memory-mapped file turns an I/O error into a signal that ends the process.
    connection.pragma_update(None, "mmap_size", 0)?;
    let cache = if role == Role::Writer { WRITER_CACHE_KIB } else { READER_CACHE_KIB };
    connection.pragma_update(None, "cache_size", -cache)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    match role {
        Role::Writer => {
            // In WAL mode NORMAL does not sync at commit: a power cut would lose what was acknowledged.
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.pragma_update(None, "journal_size_limit", JOURNAL_SIZE_LIMIT)?;
        }
        Role::Reader | Role::Inspector => {
            connection.pragma_update(None, "query_only", true)?;
        }
    }
    // SQLite tells nobody when a copy of the log that it began by itself fails. The writer does it: see `log.rs`.
    connection.pragma_update(None, "wal_autocheckpoint", 0)
}

fn check_format(path: &Path, connection: &Connection) -> Result<(), OpenError> {
    let read = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let application = read("application_id").map_err(|error| unusable(path, &error))?;
    let format = read("user_version").map_err(|error| unusable(path, &error))?;
    let is_ours = match application {
        APPLICATION_ID => true,
        // Nobody's yet: new, or restored from a dump, which keeps our tables and not the mark.
        0 => is_new_or_restored(connection).map_err(|error| unusable(path, &error))?,
        _ => false,
    };
    match is_ours {
        false => Err(OpenError::Foreign(path.to_owned())),
        true if format > FORMAT => {
            Err(OpenError::Newer { place: path.display().to_string(), found: format, known: FORMAT })
        }
        true => Ok(()),
    }
}

fn is_new_or_restored(connection: &Connection) -> rusqlite::Result<bool> {
    let text = "SELECT count(*) = 0 OR sum(name GLOB '_carnet_*') > 0 FROM sqlite_schema";
    connection.query_row(text, [], |row| row.get(0))
}

/// Switches the file to write-ahead logging, and makes sure that it took.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode.eq_ignore_ascii_case("wal") {
        return Ok(());
    }
    let reason = format!("the journal mode is {mode}, not WAL");
    Err(rusqlite::Error::SqliteFailure(
        rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN),
        Some(reason),
    ))
}
