//! A backup that is not finished: a file under a passing name, which one process at a time writes.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::checksum;
use super::failure::BackupError;
use crate::store::OpenError;
use crate::store::url::StorageUrl;

/// Where a database file says how it is written: 1 is with a journal, 2 with a log beside it.
const WRITE_VERSION_AT: u64 = 18;
const WITH_JOURNAL: [u8; 2] = [1, 1];

/// What a passing name ends in.
const SUFFIX: &str = ".partial";

/// What a copy from PostgreSQL has beside the file while it is made.
const COMPANIONS: [&str; 4] = ["-wal", "-shm", "-journal", ".lock"];

/// Gone when it is dropped, unless it was published.
pub(in crate::store) struct Partial {
    path: PathBuf,
    /// Opened before any connection to the file, and closed after all of them.
    file: File,
}

/// The passing name of a backup, whose own name must be free.
pub(super) fn path_for(to: &Path) -> Result<PathBuf, BackupError> {
    refuse_taken(to)?;
    // A name that ends so is that of a folder.
    if to.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(OpenError::NoFolder(to.to_owned()).into());
    }
    match to.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            return Err(OpenError::NoFolder(folder.to_owned()).into());
        }
        _ => {}
    }
    let mut name = to.as_os_str().to_owned();
    name.push(SUFFIX);
    Ok(name.into())
}

/// No file is written over, neither under the name of a backup nor under that of its checksum.
fn refuse_taken(to: &Path) -> Result<(), BackupError> {
    if to.symlink_metadata().is_ok() {
        return Err(BackupError::Exists(to.to_owned()));
    }
    match checksum::is_taken(to) {
        true => Err(BackupError::Exists(checksum::path_for(to))),
        false => Ok(()),
    }
}

/// The name that a file of this passing name was to have.
pub(super) fn whole_name(name: &str) -> Option<&str> {
    name.strip_suffix(SUFFIX)
}

impl Partial {
    /// An empty file that nobody else writes; what an earlier backup left there goes.
    pub(in crate::store) fn claim(path: PathBuf) -> Result<Self, BackupError> {
        let partial = Self::adopt(path)?;
        partial.remove_companions();
        partial.file.set_len(0).map_err(BackupError::at(&partial.path))?;
        Ok(partial)
    }

    /// The file as it is, which nobody else writes.
    pub(super) fn adopt(path: PathBuf) -> Result<Self, BackupError> {
        let failed = BackupError::at(&path);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(&path).map_err(&failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BackupError::UnderWay(path)),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // Between the opening and the lock another backup may have given the file its name.
        let ours = file.metadata().map_err(&failed)?;
        match fs::metadata(&path) {
            Ok(found) if (found.dev(), found.ino()) == (ours.dev(), ours.ino()) => Ok(Self { path, file }),
            _ => Err(BackupError::UnderWay(path)),
        }
    }

    pub(in crate::store) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn url(&self) -> StorageUrl {
        StorageUrl::Sqlite(self.path.clone())
    }

    /// Has what was written so far on disk.
    pub(in crate::store) fn sync(&self) -> Result<(), BackupError> {
        self.file.sync_data().map_err(BackupError::at(&self.path))
    }

    /// Makes it one file that every tool opens, also where nothing can be written beside it. No connection has it open,
    /// and its log is empty.
    pub(in crate::store) fn leave_log_mode(&self) -> Result<(), BackupError> {
        self.file.write_all_at(&WITH_JOURNAL, WRITE_VERSION_AT).map_err(BackupError::at(&self.path))
    }

    /// Takes it away, with the checksum that was written for the name it did not get.
    pub(super) fn discard(self, to: &Path) {
        if to.symlink_metadata().is_err() {
            // It may have none yet.
            let _ = fs::remove_file(checksum::path_for(to));
        }
    }

    /// Takes away what a backup that was stopped left beside it.
    fn remove_companions(&self) {
        for suffix in COMPANIONS {
            let mut name = self.path.as_os_str().to_owned();
            name.push(suffix);
            // What is not there need not go.
            let _ = fs::remove_file(name);
        }
    }

    /// Gives it its name, with the checksum beside it.
    pub(super) fn publish(self, to: &Path) -> Result<(), BackupError> {
        let failed = BackupError::at(to);
        self.file.sync_all().map_err(&failed)?;
        refuse_taken(to)?;
        checksum::write(&self.file, to)?;
        match fs::hard_link(&self.path, to) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(BackupError::Exists(to.to_owned()));
            }
            // Not every file system has links.
            Err(_) => {
                if let Err(error) = fs::rename(&self.path, to) {
                    self.discard(to);
                    return Err(failed(error));
                }
            }
        }
        sync_folder(to)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        self.remove_companions();
        // One that has got its name need not go; one that stays is emptied by the next backup of that name.
        let _ = fs::remove_file(&self.path);
    }
}

/// Has the names in the folder of a file on disk.
pub(in crate::store) fn sync_folder(path: &Path) -> Result<(), BackupError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(BackupError::at(folder))
}
