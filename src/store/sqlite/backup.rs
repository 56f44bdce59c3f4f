//! Copies a database file page by page while a server has it: all pages are of one moment.

use std::fs;
use std::path::Path;
use std::time::Instant;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::connection::{self, Role};
use super::throttle::rest;
use super::{place, reserve};
use crate::store::backup::{BackupError, Partial};
use crate::store::copy::{CopyError, Progress, Watch, tell};

/// So many pages at a time, which is a mebibyte.
const STEP: i32 = 256;
/// The copy is on disk after so many of them: one sync of everything at the end would hold up the server's.
const STEPS_A_SYNC: u64 = 16;
/// The log grows while somebody reads. Beyond this and the size of the database itself, the copy is given up.
const LARGEST_LOG: u64 = 1 << 30;

/// Copies all pages. A reader that holds its moment never has to begin anew, whatever is written meanwhile.
pub(in crate::store) fn copy_pages(
    from: &Path,
    to: &Partial,
    rests: bool,
    watch: &Watch,
) -> Result<(), BackupError> {
    let failed = BackupError::at(from);
    if !from.exists() {
        return Err(CopyError::NoSource(format!("sqlite:{}", from.display())).into());
    }
    let source = connection::open(from, Role::Inspector)?;
    if !connection::is_marked(&source).map_err(&failed)? {
        return Err(CopyError::NoSource(format!("sqlite:{}", from.display())).into());
    }
    source.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema").map_err(&failed)?;
    let bytes = bytes(&source).map_err(&failed)?;
    if !reserve::has_room(to.path(), bytes) {
        return Err(BackupError::NoRoom { folder: place::folder(to.path()).to_owned(), bytes });
    }
    let mut target = without_locks(to.path()).map_err(BackupError::at(to.path()))?;
    let backup = Backup::new(&source, &mut target).map_err(&failed)?;
    let (mut steps, mut told, log) = (0_u64, 0, place::beside(from, "-wal"));
    loop {
        if watch.is_closed() {
            return Err(CopyError::Stopped.into());
        }
        let begun = Instant::now();
        let stepped = backup.step(STEP).map_err(&failed)?;
        let pages = backup.progress();
        if steps == 0 {
            let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
            tell(watch, Progress::CopyingPages { name, pages: pages.pagecount.unsigned_abs().into() });
        }
        let done = u64::from((pages.pagecount - pages.remaining).unsigned_abs());
        tell(watch, Progress::Moved(done.saturating_sub(told)));
        (steps, told) = (steps + 1, done);
        if steps.is_multiple_of(STEPS_A_SYNC) {
            to.sync()?;
        }
        match stepped {
            StepResult::Done => break,
            _ if rests => rest(begun.elapsed()),
            _ => {}
        }
        let log_bytes = fs::metadata(&log).map_or(0, |found| found.len());
        if log_bytes > LARGEST_LOG.max(bytes) {
            return Err(BackupError::LogGrew(log_bytes));
        }
    }
    drop(backup);
    target.close().map_err(|(_, error)| BackupError::at(to.path())(error))?;
    to.sync()
}

fn bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let ask = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    Ok(ask("page_count")?.unsigned_abs().saturating_mul(ask("page_size")?.unsigned_abs()))
}

/// A connection to a file that is ours alone, by a lock that SQLite does not know. Neither journal nor sync: half a
/// copy is of no use, and the whole one is synced by its owner.
fn without_locks(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags_and_vfs(path, flags, "unix-none")?;
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")?;
    Ok(connection)
}
