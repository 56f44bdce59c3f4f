//! Where a database file may stand, how it is made, and what stands beside it.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
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
    let folder = folder(path);
    if path.is_dir() {
        return Err(OpenError::Folder(path.to_owned()));
    }
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
    refuse_lost(path)?;
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        // Never opened again by us: closing it would drop the locks that SQLite holds for this process.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(unusable(path, &error)),
    }
}

/// Refuses to make a file where the log of an earlier one still stands: SQLite would delete it, and with it what it
/// holds.
pub(super) fn refuse_lost(path: &Path) -> Result<(), OpenError> {
    let log = beside(path, "-wal");
    match !path.exists() && log.exists() {
        true => Err(OpenError::Lost { path: path.to_owned(), log }),
        false => Ok(()),
    }
}

/// Whether a write-ahead log stands beside the file: a server has it open, or has not ended well.
pub(super) fn has_log(path: &Path) -> bool {
    beside(path, "-wal").exists()
}

/// `carnet.db-wal` for `carnet.db`. A link and its target are one database, whose other files stand beside the target.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = path.into_os_string();
    name.push(suffix);
    name.into()
}

/// The folder of a file.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// An error of the system about a file of ours, in words.
pub(super) fn unusable(path: &Path, error: &io::Error) -> OpenError {
    let cause = error.to_string();
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            OpenError::Denied { path: path.to_owned(), folder: folder(path).to_owned(), cause }
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            OpenError::Full { path: path.to_owned(), folder: folder(path).to_owned() }
        }
        _ => OpenError::Unusable { place: path.display().to_string(), cause },
    }
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
}
