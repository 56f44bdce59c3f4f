//! The SHA-256 of a backup, in a file beside it, as `sha256sum` writes and checks it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::failure::BackupError;

/// So much is read at a time.
const PIECE: usize = 1 << 20;

/// `book.db.sha256` for `book.db`.
pub(super) fn path_for(backup: &Path) -> PathBuf {
    let mut name = backup.as_os_str().to_owned();
    name.push(".sha256");
    name.into()
}

/// Whether something else stands where the checksum of a backup belongs, which is not there itself. The checksum of one
/// that is gone, or that was killed before it had its name, is nobody's.
pub(super) fn is_taken(backup: &Path) -> bool {
    let path = path_for(backup);
    let Ok(found) = path.symlink_metadata() else { return false };
    let end = format!("  {}\n", backup.file_name().unwrap_or_default().to_string_lossy());
    let is_sum = |text: String| {
        text.strip_suffix(&end)
            .is_some_and(|sum| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    // None is longer than a line.
    let is_ours = found.is_file() && found.len() < 4096 && fs::read_to_string(&path).is_ok_and(is_sum);
    !is_ours
}

/// Writes the checksum of what is in `file` for the name that it will have.
pub(super) fn write(file: &File, backup: &Path) -> Result<(), BackupError> {
    let path = path_for(backup);
    let failed = BackupError::at(&path);
    let name = backup.file_name().unwrap_or_default().to_string_lossy();
    let line = format!("{}  {name}\n", sum(file).map_err(BackupError::at(backup))?);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut written = options.open(&path).map_err(&failed)?;
    written.write_all(line.as_bytes()).and_then(|()| written.sync_all()).map_err(failed)
}

/// Whether a checksum stands beside the file; one that is not the file's is a fault.
pub(super) fn compare(backup: &Path) -> Result<bool, BackupError> {
    let path = path_for(backup);
    let noted = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(BackupError::at(&path)(error)),
    };
    let found = File::open(backup).and_then(|file| sum(&file)).map_err(BackupError::at(backup))?;
    match noted.split_whitespace().next() {
        Some(noted) if noted == found => Ok(true),
        _ => {
            let fault = format!("it is not what {} says", path.display());
            Err(BackupError::Damaged { place: backup.display().to_string(), faults: vec![fault] })
        }
    }
}

fn sum(mut file: &File) -> io::Result<String> {
    io::Seek::rewind(&mut file)?;
    let (mut digest, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(data_encoding::HEXLOWER.encode(&digest.finalize())),
            length => digest.update(&piece[..length]),
        }
    }
}
