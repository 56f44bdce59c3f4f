//! The write-ahead log, as the writer keeps it short. Nobody waits for a reader that needs it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rusqlite::hooks::Wal;
use rusqlite::{Connection, DEFAULT_NAME, ErrorCode, FileControl};

use super::connection::BUSY_TIMEOUT;
use super::file::{self, DatabaseFile};
use super::reserve;
use crate::observe::{Event, Observer};

/// The log is copied into the database, as far as readers let it, once it has this many pages. It then begins anew, and
/// keeps its length.
const COPIED_PAGES: u64 = 12_000;
/// A log that has grown beyond this is cut as soon as no reader needs it, which is tried so often at the most. A shorter
/// one keeps its length for a while: a sync after which the file has become longer takes half as long again.
const LARGEST_BYTES: u64 = 64 << 20;
const CUT_EVERY: Duration = Duration::from_secs(1);
/// Where less is free than the log may take, it is copied more often: what the database must grow by is then no more
/// than the reserve can give once the disk is full, and a log that can be copied is one that can be cut.
const SCARCE_BYTES: u64 = LARGEST_BYTES;
const COPIED_PAGES_IF_SCARCE: u64 = 64;

pub(super) struct Log {
    file: Arc<DatabaseFile>,
    observer: Arc<Observer>,
    /// Whether there may be anything in it.
    pub(super) has_pages: bool,
    tried: Option<Instant>,
    /// Whether it was too long at the last try, and a reader in the way.
    is_held: bool,
    /// How many frames are in use, as SQLite tells at a commit that has changed anything; taken from here.
    told: Arc<AtomicU64>,
    /// How many were in use after the last such commit.
    frames: u64,
    page_bytes: u64,
    /// How long it was when it was last looked at, or must be since.
    bytes: u64,
    /// How many were in use when the room on the disk was last looked at.
    frames_with_room: u64,
    /// The version of the file after the last commit, by SQLite's count; none where others may have been between.
    left: Option<u32>,
}

impl Log {
    pub(super) fn new(
        file: Arc<DatabaseFile>,
        observer: Arc<Observer>,
        connection: &mut Connection,
    ) -> rusqlite::Result<Self> {
        let told = Arc::new(AtomicU64::new(0));
        let telling = told.clone();
        connection.wal_hook(Some(move |_: &mut Wal, pages: i32| {
            telling.store(pages.unsigned_abs().into(), Relaxed);
            Ok(())
        }))?;
        let page_bytes: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        let bytes = file.log_bytes();
        Ok(Self {
            file,
            observer,
            has_pages: true,
            tried: None,
            is_held: false,
            told,
            frames: 0,
            page_bytes: page_bytes.into(),
            bytes,
            frames_with_room: 0,
            left: None,
        })
    }

    /// Remembers what a commit of the writer left. Where the transaction failed, or was not the first since the last
    /// look at what others did, nothing is known.
    pub(super) fn note_commit(&mut self, connection: &Connection, is_known: bool) {
        self.has_pages = true;
        // One that has changed nothing tells nothing.
        let told = self.told.swap(0, Relaxed);
        self.left = if is_known && told > 0 { data_version(connection) } else { None };
        if told > 0 {
            self.frames = told;
            self.bytes = self.bytes.max(file::log_bytes(self.frames, self.page_bytes));
        }
    }

    /// Whether nobody else has written since, nor cut it. Inside a transaction, in which nobody can. Where it says no,
    /// [`DatabaseFile::check_log`] knows more.
    pub(super) fn is_as_left(&self, connection: &Connection) -> bool {
        // What was told of other commits of this connection is not of the next.
        self.told.store(0, Relaxed);
        let least = file::log_bytes(self.frames, self.page_bytes);
        self.left.is_some() && self.left == data_version(connection) && self.file.log_bytes() >= least
    }

    /// Keeps it bounded after a commit. It is copied into the database now and then, as far as readers let it; only
    /// where that is not enough it is cut.
    pub(super) fn watch(&mut self, connection: &Connection) -> Result<(), String> {
        self.observer.store().wal_is(self.bytes);
        if self.bytes > LARGEST_BYTES && self.is_due() {
            self.cut(connection)
        } else if self.frames >= COPIED_PAGES || self.is_scarce() {
            copy(connection)
        } else {
            Ok(())
        }
    }

    /// Whether little room is left on the disk. Looked at once for so many pages.
    fn is_scarce(&mut self) -> bool {
        // It has begun anew.
        if self.frames < self.frames_with_room {
            self.frames_with_room = 0;
        }
        if self.frames < self.frames_with_room + COPIED_PAGES_IF_SCARCE {
            return false;
        }
        let is_scarce = !self.file.has_room(SCARCE_BYTES);
        if !is_scarce {
            self.frames_with_room = self.frames;
        }
        is_scarce
    }

    /// Whether it may be tried again to cut it.
    fn is_due(&self) -> bool {
        self.tried.is_none_or(|at| at.elapsed() >= CUT_EVERY)
    }

    /// Copies all of it into the database while there is nothing else to do. The next write begins it anew, where nobody
    /// reads from it then.
    pub(super) fn copy_all(&mut self, connection: &Connection) -> Result<(), String> {
        let is_copied = !self.has_pages || !settled(checkpoint(connection, "PRAGMA wal_checkpoint(FULL)"))?;
        self.has_pages = !is_copied;
        self.measure();
        // Where room is scarce, others may want what it takes.
        let may_stay = is_copied && self.bytes <= LARGEST_BYTES && self.file.has_room(SCARCE_BYTES);
        if may_stay { Ok(()) } else { self.empty(connection) }
    }

    /// Empties it. Others write to it as well: who changes keys, who notes their use.
    pub(super) fn empty(&mut self, connection: &Connection) -> Result<(), String> {
        if self.bytes > 0 || self.has_pages || pages(connection) > 0 { self.cut(connection) } else { Ok(()) }
    }

    /// Empties it where a write found the disk full: what it takes may be most of what is missing.
    pub(super) fn make_room(&mut self, connection: &Connection) -> Result<(), String> {
        if self.is_due() { self.empty(connection) } else { Ok(()) }
    }

    fn measure(&mut self) {
        self.bytes = self.file.log_bytes();
        self.observer.store().wal_is(self.bytes);
    }

    /// Copies it into the database as far as readers let it, and cuts it if they all do.
    fn cut(&mut self, connection: &Connection) -> Result<(), String> {
        self.tried = Some(Instant::now());
        self.has_pages = settled(self.checkpoint_with_room(connection))?;
        self.measure();
        if !self.has_pages {
            (self.frames, self.frames_with_room) = (0, 0);
        }
        let is_held = self.has_pages && self.bytes > LARGEST_BYTES;
        if is_held && !self.is_held {
            self.observer.report(Event::Warning(&format!(
                "the write-ahead log has grown to {} MiB and cannot be cut: another program still reads an earlier \
                 state of the file",
                self.bytes >> 20
            )));
        }
        self.is_held = is_held;
        Ok(())
    }

    /// Says whether somebody was in the way. Where the disk is full and the database would have to grow, nothing could
    /// ever be copied, and the log never let go of its room: the reserve is for that, too.
    fn checkpoint_with_room(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let cut = || checkpoint(connection, "PRAGMA wal_checkpoint(TRUNCATE)");
        let done = cut();
        let is_full = |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DiskFull);
        let gives = |growth| reserve::give_back_for_growth(self.file.path(), growth);
        if !done.as_ref().is_err_and(is_full) || !self.file.missing_bytes(connection).is_some_and(gives) {
            return done;
        }
        let is_held = cut()?;
        // With the room that the log had, and before the next write takes it.
        reserve::fill(self.file.path());
        Ok(is_held)
    }
}

/// Has it copied whole, in one way or another, and waits for nobody; says whether somebody was in the way.
fn checkpoint(connection: &Connection, pragma: &str) -> rusqlite::Result<bool> {
    connection.busy_timeout(Duration::ZERO)?;
    let is_held = connection.query_row(pragma, [], |row| row.get(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    is_held
}

/// Whether pages are left in it after that.
fn settled(done: rusqlite::Result<bool>) -> Result<bool, String> {
    match done {
        Ok(is_held) => Ok(is_held),
        Err(error) if is_passing(&error) => Ok(true),
        Err(error) => Err(error.to_string()),
    }
}

/// Copies it as far as readers let it, and waits for nobody. After a failed sync the pages that were copied may be lost
/// although a later sync says yes: that is the end, as it is for the log itself.
fn copy(connection: &Connection) -> Result<(), String> {
    let copied = connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)");
    match copied.and_then(|mut copied| copied.query_row([], |_| Ok(()))) {
        Err(error) if !is_passing(&error) => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// Whether somebody holds the log, or there is no room: it stays, and nothing is lost.
fn is_passing(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::DiskFull))
}

/// A number that changes with every commit that this connection sees, its own ones as well.
fn data_version(connection: &Connection) -> Option<u32> {
    let mut version = 0;
    connection.file_control(DEFAULT_NAME, FileControl::DataVersion(&mut version)).ok()?;
    Some(version)
}

/// How many pages of it are in use.
fn pages(connection: &Connection) -> u64 {
    file::frames(connection).map_or(0, |(frames, _)| frames)
}
