//! A folder of backups: what they are called, which is the newest, and which of them go.

use std::fs;
use std::path::{Path, PathBuf};

use super::checksum;
use super::failure::BackupError;
use super::partial::{self, Partial};
use crate::record::moment::Moment;

const PREFIX: &str = "carnet-";
const SUFFIX: &str = ".db";

/// Where a backup that is made now belongs.
pub fn place(folder: &Path) -> PathBuf {
    folder.join(format!("{PREFIX}{}{SUFFIX}", Moment::now().compact()))
}

/// When the newest backup of a folder was begun.
pub(super) fn newest(folder: &Path) -> Result<Option<Moment>, BackupError> {
    Ok(backups(folder)?.last().map(|(begun, _)| *begun))
}

/// Takes away all but the newest, and says which.
pub fn prune(folder: &Path, keep: usize) -> Result<Vec<PathBuf>, BackupError> {
    let mut found = backups(folder)?;
    found.truncate(found.len().saturating_sub(keep));
    let found: Vec<PathBuf> = found.into_iter().map(|(_, path)| path).collect();
    for path in &found {
        fs::remove_file(path).map_err(BackupError::at(path))?;
        // It may have none.
        let _ = fs::remove_file(checksum::path_for(path));
    }
    Ok(found)
}

/// Takes away what backups left behind that were killed: each had a name that no other will have.
pub fn clear(folder: &Path) -> Result<(), BackupError> {
    for name in names(folder)? {
        if let Some(whole) = partial::whole_name(&name).filter(|whole| begun(whole).is_some())
            && let Ok(left) = Partial::adopt(folder.join(&name))
        {
            // One that could not be adopted is being written.
            left.discard(&folder.join(whole));
        }
    }
    Ok(())
}

/// The backups of a folder by their names, the oldest first. One that is later than now was made while the clock was
/// wrong: it is no reason to make none, nor to take others away.
fn backups(folder: &Path) -> Result<Vec<(Moment, PathBuf)>, BackupError> {
    let now = Moment::now();
    let dated = |name: String| Some((begun(&name)?, folder.join(name)));
    let mut found: Vec<_> = names(folder)?.into_iter().filter_map(dated).collect();
    found.retain(|(begun, _)| *begun <= now);
    found.sort();
    Ok(found)
}

/// What is in a folder; a name that is no text is none of ours.
fn names(folder: &Path) -> Result<Vec<String>, BackupError> {
    let failed = BackupError::at(folder);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(&failed)? {
        names.extend(entry.map_err(&failed)?.file_name().into_string());
    }
    Ok(names)
}

/// When the backup of this name was begun; nobody else's file is touched.
fn begun(name: &str) -> Option<Moment> {
    let time = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    Moment::parse(time).filter(|begun| begun.compact() == time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_backup_is_called_is_ours() {
        let time = |name: &str| begun(name).map(|begun| begun.to_string());
        assert_eq!(time("carnet-20261115T030000Z.db").as_deref(), Some("2026-11-15T03:00:00Z"));
        assert!(begun(place(Path::new("")).to_str().unwrap()).is_some());
        let others = [
            "carnet.db",
            "carnet-20261115T030000Z.db.sha256",
            "carnet-20261115T030000Z.db.partial",
            "carnet-2026-11-15.db",
            "carnet-2026-11-15T03:00:00Z.db",
            "carnet-20261115T03000aZ.db",
            "carnet-20261315T030000Z.db",
        ];
        for other in others {
            assert!(begun(other).is_none(), "{other}");
        }
    }
}
