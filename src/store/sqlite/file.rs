//! The database file itself: held open and locked for the life of a store, and compared with what stands at its path.
//!
//! Closing any descriptor of the file drops the locks that SQLite holds for this process. So ours is opened before
//! the first connection and closed after the last one, and nothing else opens the file.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;

use super::place::{beside, unusable};
use super::reserve;
use crate::observe::{Event, Observer};
use crate::store::OpenError;

/// SQLite's write-ahead log begins with a header, and each of its frames is a header and a page.
const LOG_HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: u64 = 24;
/// How often a log must be found too short before it counts: somebody may be emptying it between two looks.
const LOOKS_AT_LOG: usize = 3;

/// A file of which this process is the only server. The kernel gives the locks back when the process ends, however
/// it ends.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    path: PathBuf,
    log: PathBuf,
    identity: Identity,
    /// The log and its index, from the moment on at which SQLite has them open.
    companions: OnceLock<[(PathBuf, Identity); 2]>,
    /// How much of the reserve there was when it was last looked at.
    reserve_bytes: AtomicU64,
    /// The index of the log, open for as long as the file and for the same reason.
    index: OnceLock<File>,
    _file: File,
    _lock_file: File,
}

/// Which file it is, whatever its name. No other file has the same while we hold ours open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

impl From<&Metadata> for Identity {
    fn from(found: &Metadata) -> Self {
        Self { device: found.dev(), inode: found.ino() }
    }
}

/// What stands at a path, and how long it is. Nobody asks for its times: where a time was asked for, Linux (from 6.13
/// on) notes a new one with the next write, and the sync behind that write has the inode to write as well, which takes
/// half as long again.
#[cfg(target_os = "linux")]
fn look(path: &Path) -> std::io::Result<(Identity, u64)> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, makedev, statx};
    use rustix::io::Errno;
    match statx(CWD, path, AtFlags::empty(), StatxFlags::INO | StatxFlags::SIZE) {
        Ok(found) => {
            let device = makedev(found.stx_dev_major, found.stx_dev_minor);
            Ok((Identity { device, inode: found.stx_ino }, found.stx_size))
        }
        // A container that knows nothing of this call.
        Err(Errno::NOSYS | Errno::PERM) => stat(path),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn look(path: &Path) -> std::io::Result<(Identity, u64)> {
    stat(path)
}

fn stat(path: &Path) -> std::io::Result<(Identity, u64)> {
    let found = fs::metadata(path)?;
    Ok(((&found).into(), found.len()))
}

impl DatabaseFile {
    /// Takes hold of the file, or says that another server has it.
    pub(super) fn lock(path: &Path) -> Result<Self, OpenError> {
        let unusable = |error: std::io::Error| unusable(path, &error);
        // Open for writing, though nothing is written through it: an overlay file system would otherwise show the
        // layer below, which is another file once the first page is written.
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(unusable)?;
        // Where the two kinds of locks are one, ours would keep SQLite out.
        if cfg!(target_os = "linux") {
            take(&file, path)?;
        }
        let identity = (&file.metadata().map_err(unusable)?).into();
        let lock_file = lock_file(path)?;
        let reserve_bytes = AtomicU64::new(reserve::bytes_left(path).unwrap_or(0));
        Ok(Self {
            path: path.to_owned(),
            log: beside(path, "-wal"),
            identity,
            companions: OnceLock::new(),
            reserve_bytes,
            index: OnceLock::new(),
            _file: file,
            _lock_file: lock_file,
        })
    }

    /// From now on the log and its index are watched, too; SQLite has them open.
    pub(super) fn watch_companions(&self) -> Result<(), OpenError> {
        let found = |suffix: &str| {
            let path = beside(&self.path, suffix);
            let (identity, _) = look(&path).map_err(|error| unusable(&path, &error))?;
            Ok::<_, OpenError>((path, identity))
        };
        let companions = [found("-wal")?, found("-shm")?];
        self.allocate_index(&companions[1].0)?;
        // Set once: a store is opened once.
        let _ = self.companions.set(companions);
        self.check().map_err(|cause| OpenError::Unusable { place: self.path.display().to_string(), cause })
    }

    /// Has all blocks of the index allocated. SQLite maps it, and a page of it that has no block when the disk is full
    /// would end the process by a signal.
    fn allocate_index(&self, path: &Path) -> Result<(), OpenError> {
        let index = OpenOptions::new().read(true).write(true).open(path);
        let index = index.map_err(|error| unusable(path, &error))?;
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::FallocateFlags;
            use rustix::io::Errno;
            let bytes = index.metadata().map_err(|error| unusable(path, &error))?.len();
            let allocate = || rustix::fs::fallocate(&index, FallocateFlags::KEEP_SIZE, 0, bytes);
            let allocated = reserve::with_room(&self.path, |error| *error == Errno::NOSPC, allocate);
            if allocated == Err(Errno::NOSPC) {
                return Err(unusable(path, &Errno::NOSPC.into()));
            }
        }
        // Never closed before the last connection: that would drop the locks that SQLite has on it.
        let _ = self.index.set(index);
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// How long the log is.
    pub(super) fn log_bytes(&self) -> u64 {
        look(&self.log).map_or(0, |(_, bytes)| bytes)
    }

    /// Whether so much is free for the log and the database, by what the system says.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        reserve::has_room(&self.log, bytes)
    }

    /// Looks at the reserve, which commands use as well: says what was taken from it, and makes it whole once it can.
    pub(super) fn keep_reserve(&self, observer: &Observer) {
        let left = reserve::bytes_left(&self.path);
        let before = self.reserve_bytes.swap(left.unwrap_or(0), Ordering::Relaxed);
        if let Some(bytes_left) = left
            && bytes_left < before
        {
            observer.report(Event::ReserveUsed { bytes_left });
        }
        if reserve::fill(&self.path) {
            let filled = reserve::bytes_left(&self.path).unwrap_or(0);
            self.reserve_bytes.store(filled, Ordering::Relaxed);
            // One that is made for the first time was never used.
            if left.is_some() {
                observer.report(Event::ReserveFilled);
            }
        }
    }

    /// How many bytes the database lacks on disk of what the log has for it; none where SQLite cannot say.
    pub(super) fn missing_bytes(&self, connection: &Connection) -> Option<u64> {
        let ask = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).ok();
        let bytes = ask("page_count")?.unsigned_abs().saturating_mul(ask("page_size")?.unsigned_abs());
        Some(bytes.saturating_sub(fs::metadata(&self.path).ok()?.len()))
    }

    /// Whether the files that SQLite has open are still those that the next start would open. What is written to
    /// others is lost with the process.
    pub(super) fn check(&self) -> Result<(), String> {
        compare(&self.path, self.identity)?;
        let companions = self.companions.get().into_iter().flatten();
        companions.into_iter().try_for_each(|(path, identity)| compare(path, *identity))
    }

    /// Whether the log holds all that its index says. Where it was cut by hand, the next commit would leave a hole in
    /// it, and the next checkpoint carry the hole into the database. With [`DatabaseFile::check`]; not inside a
    /// transaction.
    pub(super) fn check_log(&self, connection: &Connection) -> Result<(), String> {
        self.check()?;
        for _ in 0..LOOKS_AT_LOG {
            let Some((frames, page)) = frames(connection) else { return Ok(()) };
            let bytes = self.log_bytes();
            if frames == 0 || bytes >= log_bytes(frames, page) {
                return Ok(());
            }
        }
        Err(format!("{} was cut by another program", name(&self.log)))
    }
}

/// How long a log is that has so many frames in use.
pub(super) fn log_bytes(frames: u64, page: u64) -> u64 {
    LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + page)
}

/// How many frames of the log are in use, and how long a page is; none where SQLite cannot say. Two statements that are
/// parsed anew each time.
pub(super) fn frames(connection: &Connection) -> Option<(u64, u64)> {
    let ask = |text: &str, column: usize| {
        connection.prepare_cached(text).and_then(|mut asked| asked.query_row([], |row| row.get(column)))
    };
    let frames: i64 = ask("PRAGMA wal_checkpoint(NOOP)", 1).ok()?;
    let page: i64 = ask("PRAGMA page_size", 0).ok()?;
    Some((u64::try_from(frames).ok()?, page.unsigned_abs()))
}

fn compare(path: &Path, identity: Identity) -> Result<(), String> {
    match look(path) {
        Ok((found, _)) if found == identity => Ok(()),
        Ok(_) => Err(format!("{} was replaced by another file", name(path))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(format!("{} was deleted or moved", name(path)))
        }
        Err(error) => Err(format!("{} cannot be found: {error}", name(path))),
    }
}

/// Without the folder: `/readyz` tells it to everybody.
fn name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// Refuses a file that a server has open by another name. SQLite keeps the log beside the name, so we would neither
/// see what the server has written nor be seen by it.
pub(super) fn refuse_other_name(path: &Path) -> Result<(), OpenError> {
    let Ok(found) = fs::metadata(path) else { return Ok(()) };
    if found.nlink() < 2 || beside(path, "-wal").exists() {
        return Ok(());
    }
    let file = File::open(path).map_err(|error| unusable(path, &error))?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Err(OpenError::OtherName(path.to_owned())),
        _ => Ok(()),
    }
}

/// The lock file, which versions before there was a lock on the file itself look at.
fn lock_file(path: &Path) -> Result<File, OpenError> {
    let lock_path = beside(path, ".lock");
    let unusable = |error: &std::io::Error| unusable(&lock_path, error);
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&lock_path)
        .map_err(|error| unusable(&error))?;
    take(&file, path)?;
    // For the person who finds the file; nobody reads it back, so a full disk is no reason not to start.
    match file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())) {
        Err(error) if error.kind() != ErrorKind::StorageFull => Err(unusable(&error)),
        _ => Ok(file),
    }
}

fn take(file: &File, path: &Path) -> Result<(), OpenError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(unusable(path, &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_locked_by_one_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link, hard_link) =
            (folder.path().join("a.db"), folder.path().join("link.db"), folder.path().join("hard.db"));
        File::create(&path).unwrap();
        let locked = DatabaseFile::lock(&path).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        fs::hard_link(&path, &hard_link).unwrap();
        fs::remove_file(folder.path().join("a.db.lock")).unwrap();
        for name in [&path, &link, &hard_link] {
            assert!(matches!(DatabaseFile::lock(name), Err(OpenError::Locked(_))), "{}", name.display());
        }
        drop(locked);
        assert!(DatabaseFile::lock(&hard_link).is_ok());
    }
}
