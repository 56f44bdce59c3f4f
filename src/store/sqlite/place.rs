//! Where a database file may stand, and the lock that keeps a second server away from it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::store::OpenError;

/// File systems on which locks and shared memory cannot be relied upon, by the number `statfs` gives.
const NETWORK_FILESYSTEMS: &[(u64, &str)] = &[
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB2"),
    (0x6573_5546, "FUSE"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x7461_636f, "OCFS2"),
    (0x0116_1970, "GFS2"),
];

/// Refuses a folder that is missing or on a network file system.
pub(super) fn check(path: &Path, any_filesystem: bool) -> Result<(), OpenError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return Err(OpenError::NoFolder(folder.to_owned()));
    }
    if any_filesystem {
        return Ok(());
    }
    let status = rustix::fs::statfs(folder).map_err(|error| OpenError::Unusable {
        place: path.display().to_string(),
        cause: error.to_string(),
    })?;
    #[expect(
        clippy::cast_sign_loss,
        reason = "a magic number, not a quantity; its sign depends on the platform"
    )]
    match network_filesystem(status.f_type as u64) {
        Some(kind) => Err(OpenError::NetworkFilesystem { path: path.to_owned(), kind }),
        None => Ok(()),
    }
}

fn network_filesystem(magic: u64) -> Option<&'static str> {
    // The number is signed and 32 bits wide on some platforms.
    let magic = magic & 0xffff_ffff;
    NETWORK_FILESYSTEMS.iter().find(|(number, _)| *number == magic).map(|(_, name)| *name)
}

/// Makes an empty file that only its owner can read, where there is none. SQLite gives its companions the
/// same rights.
pub(super) fn make_private(path: &Path) -> Result<(), OpenError> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        // Never opened again by us: closing it would drop the locks that SQLite holds for this process.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => {
            Err(OpenError::Unusable { place: path.display().to_string(), cause: error.to_string() })
        }
    }
}

/// Held for as long as a server has the database open; the kernel gives it back when the process ends,
/// however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock, or says that another server has it.
    pub(super) fn take(path: &Path) -> Result<Self, OpenError> {
        let lock_path = beside(path);
        let unusable = |error: std::io::Error| OpenError::Unusable {
            place: lock_path.display().to_string(),
            cause: error.to_string(),
        };
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock_path)
            .map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::Locked(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        // For the person who finds the file; nobody reads it back.
        file.set_len(0).map_err(unusable)?;
        writeln!(file, "{}", std::process::id()).map_err(unusable)?;
        Ok(Self { _file: file })
    }
}

/// `carnet.db.lock`. A link and its target are one database, so the lock stands beside the target.
fn beside(path: &Path) -> PathBuf {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = path.into_os_string();
    name.push(".lock");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_told_by_their_number() {
        assert_eq!(network_filesystem(0x6969), Some("NFS"));
        assert_eq!(network_filesystem(0xffff_ffff_ff53_4d42), Some("CIFS"));
        assert_eq!(network_filesystem(0xef53), None);
    }

    #[test]
    fn a_lock_is_held_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        make_private(&path).unwrap();
        let lock = Lock::take(&path).unwrap();
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(matches!(Lock::take(&path), Err(OpenError::Locked(_))));
        assert!(matches!(Lock::take(&link), Err(OpenError::Locked(_))));
        drop(lock);
        assert!(Lock::take(&path).is_ok());
    }
}
