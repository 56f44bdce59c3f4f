//! The write-ahead log, as the writer keeps it short. Nobody waits for a reader that needs it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use super::connection::BUSY_TIMEOUT;
use super::file::DatabaseFile;
use crate::observe::{Event, Observer};

/// A log that has grown beyond this is cut as soon as no reader needs it, which is tried so often at the most.
const LARGEST_BYTES: u64 = 64 << 20;
const CUT_EVERY: Duration = Duration::from_secs(1);

pub(super) struct Log {
    file: Arc<DatabaseFile>,
    observer: Arc<Observer>,
    /// Whether there may be anything in it.
    pub(super) has_pages: bool,
    tried: Option<Instant>,
    /// Whether it was too long at the last try, and a reader in the way.
    is_held: bool,
}

impl Log {
    pub(super) fn new(file: Arc<DatabaseFile>, observer: Arc<Observer>) -> Self {
        Self { file, observer, has_pages: true, tried: None, is_held: false }
    }

    /// Keeps it bounded after a commit. SQLite itself copies it into the database now and then, as far as readers let it;
    /// only where that is not enough it is cut.
    pub(super) fn watch(&mut self, connection: &Connection) -> Result<(), String> {
        let is_due = self.tried.is_none_or(|at| at.elapsed() >= CUT_EVERY);
        if self.measure() > LARGEST_BYTES && is_due { self.cut(connection) } else { Ok(()) }
    }

    /// Empties it while there is nothing else to do.
    pub(super) fn empty(&mut self, connection: &Connection) -> Result<(), String> {
        if self.has_pages { self.cut(connection) } else { Ok(()) }
    }

    fn measure(&self) -> u64 {
        let bytes = self.file.log_bytes();
        self.observer.store().wal_is(bytes);
        bytes
    }

    /// Copies it into the database as far as readers let it, and cuts it if they all do.
    fn cut(&mut self, connection: &Connection) -> Result<(), String> {
        self.tried = Some(Instant::now());
        self.has_pages = match checkpoint(connection) {
            Ok(is_held) => is_held,
            Err(error) => match error.sqlite_error_code() {
                // Somebody holds it, or there is no room: the log stays, nothing is lost.
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::DiskFull) => true,
                _ => return Err(error.to_string()),
            },
        };
        let bytes = self.measure();
        let is_held = self.has_pages && bytes > LARGEST_BYTES;
        if is_held && !self.is_held {
            self.observer.report(Event::Warning(&format!(
                "the write-ahead log has grown to {} MiB and cannot be cut: another program still reads an earlier \
                 state of the file",
                bytes >> 20
            )));
        }
        self.is_held = is_held;
        Ok(())
    }
}

/// Says whether somebody was in the way.
fn checkpoint(connection: &Connection) -> rusqlite::Result<bool> {
    connection.busy_timeout(Duration::ZERO)?;
    let cut = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    cut
}
