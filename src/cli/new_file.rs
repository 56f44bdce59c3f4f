//! A file that appears whole, under a name that was free, or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// A file under a passing name, which goes with it unless it is finished.
pub(super) struct NewFile {
    file: File,
    passing: PathBuf,
    path: PathBuf,
}

impl NewFile {
    /// Begins a file that only its owner may read; what an earlier attempt left behind goes.
    pub(super) fn begin(path: &Path) -> anyhow::Result<Self> {
        refuse_existing(path)?;
        let mut passing = path.as_os_str().to_owned();
        passing.push(".partial");
        let passing = PathBuf::from(passing);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(&passing).with_context(|| passing.display().to_string())?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            bail!("{} is being written by another export; choose another name", path.display());
        }
        file.set_len(0).with_context(|| passing.display().to_string())?;
        Ok(Self { file, passing, path: path.to_owned() })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Gives it its name, once all of it is on disk.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        let place = || self.path.display().to_string();
        self.file.sync_all().with_context(place)?;
        match fs::hard_link(&self.passing, &self.path) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => refuse_existing(&self.path),
            // Not every file system has links.
            Err(_) => {
                refuse_existing(&self.path)?;
                fs::rename(&self.passing, &self.path).with_context(place)
            }
        }
    }
}

fn refuse_existing(path: &Path) -> anyhow::Result<()> {
    match path.symlink_metadata() {
        Ok(_) => bail!("{} exists; choose another name", path.display()),
        Err(_) => Ok(()),
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // One that stays is emptied by the next attempt.
        let _ = fs::remove_file(&self.passing);
    }
}
