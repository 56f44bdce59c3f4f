//! Backups: one file of one moment, looked at before it gets its name; and a backup in the place of a store.

mod checksum;
mod failure;
pub mod folder;
mod partial;
pub mod schedule;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::OpenError;
use super::copy::{self, Care, CopyError, Looked, Order, Summary, Watch};
use super::sqlite;
use super::url::StorageUrl;
use crate::catalog::Catalog;
pub use failure::BackupError;
pub(super) use partial::{Partial, sync_folder};

/// What to back up, and into which file.
pub struct BackupOrder<'a> {
    pub from: &'a StorageUrl,
    pub to: &'a Path,
    pub catalog: Arc<Catalog>,
    /// Whether to leave disk and core to others for half of the time.
    pub rests: bool,
}

/// Makes a backup beside whoever serves the store. The file appears whole, with its checksum, or not at all.
pub async fn backup(order: &BackupOrder<'_>, watch: &Watch) -> Result<Summary, BackupError> {
    let BackupOrder { from, to, catalog, rests } = order;
    let path = partial::path_for(to)?;
    let made = match from {
        StorageUrl::Sqlite(from) => {
            let made = Partial::claim(path)?;
            let (from, watch, rests) = (from.clone(), watch.clone(), *rests);
            blocking(move || sqlite::backup::copy_pages(&from, &made, rests, &watch).map(|()| made)).await?
        }
        StorageUrl::Postgres(_) => {
            // What an earlier backup left behind goes.
            drop(Partial::claim(path.clone())?);
            let target = StorageUrl::Sqlite(path.clone());
            let (catalog, rests) = (catalog.clone(), *rests);
            let order = Order { from, to: &target, catalog, any_filesystem: true, keeps_trail: true, rests };
            let copied = copy::copy(&order, watch).await;
            let made = Partial::adopt(path)?;
            copied?;
            made
        }
    };
    made.leave_log_mode()?;
    let summary = whole(&made.url(), catalog, Care::Quick, *rests, watch).await?;
    made.publish(to)?;
    Ok(summary)
}

/// Looks at a store, or a backup of one, of one moment: every record, index, rule and reference, and the trail.
pub async fn verify(
    url: &StorageUrl,
    catalog: &Arc<Catalog>,
    watch: &Watch,
) -> Result<Verified, BackupError> {
    let has_checksum = match url {
        StorageUrl::Sqlite(path) if !path.exists() => return Err(BackupError::NoFile(path.clone())),
        StorageUrl::Sqlite(path) if path.is_file() => checksum::compare(path)?,
        _ => false,
    };
    match whole(url, catalog, Care::Thorough, false, watch).await {
        Ok(summary) => Ok(Verified { summary, has_checksum }),
        Err(BackupError::Copy(CopyError::NoSource(_))) => Err(BackupError::NoStore(failure::place_of(url))),
        Err(error) => Err(error),
    }
}

/// A store in which nothing is wrong.
#[derive(Debug)]
pub struct Verified {
    pub summary: Summary,
    /// Whether a checksum stood beside it.
    pub has_checksum: bool,
}

/// Which backup goes into the place of which store.
pub struct RestoreOrder<'a> {
    pub backup: &'a Path,
    pub to: &'a StorageUrl,
    pub catalog: Arc<Catalog>,
    /// Whether a store with records may go.
    pub replaces: bool,
    /// Whether access keys and the trail are the backup's, and not those of the store that goes.
    pub takes_keys: bool,
    /// Whether to write a database on a network file system all the same.
    pub any_filesystem: bool,
}

/// What became of a restore.
#[derive(Debug)]
pub struct Restored {
    pub verified: Verified,
    /// Where the store that was there before is kept.
    pub kept: Option<PathBuf>,
    /// The access keys that are good again, by their names.
    pub returned: Vec<String>,
}

/// Puts a verified backup in the place of the store, which nobody serves meanwhile. Any stop leaves the old or the new.
pub async fn restore(order: &RestoreOrder<'_>, watch: &Watch) -> Result<Restored, BackupError> {
    let RestoreOrder { backup, to, catalog, replaces, takes_keys, any_filesystem } = order;
    let source = StorageUrl::Sqlite(backup.to_path_buf());
    let verified = verify(&source, catalog, watch).await?;
    let (kept, returned) = match to {
        StorageUrl::Sqlite(path) => {
            let place = sqlite::restore::Place {
                backup: backup.to_path_buf(),
                store: path.clone(),
                replaces: *replaces,
                takes_keys: *takes_keys,
                any_filesystem: *any_filesystem,
            };
            let watch = watch.clone();
            blocking(move || sqlite::restore::restore(&place, &watch)).await?
        }
        StorageUrl::Postgres(_) => {
            let (catalog, any_filesystem) = (catalog.clone(), *any_filesystem);
            let order =
                Order { from: &source, to, catalog, any_filesystem, keeps_trail: false, rests: false };
            copy::copy(&order, watch).await?;
            (None, Vec::new())
        }
    };
    Ok(Restored { verified, kept, returned })
}

/// What is stored, if nothing is wrong with it.
async fn whole(
    url: &StorageUrl,
    catalog: &Arc<Catalog>,
    care: Care,
    rests: bool,
    watch: &Watch,
) -> Result<Summary, BackupError> {
    let Looked { summary, faults } = match copy::look(url, catalog, care, rests, watch).await {
        // Where pages are broken anything may fail, by whatever words, before the look at the pages comes.
        Err(error @ (CopyError::Failed { .. } | CopyError::Open(OpenError::Unusable { .. }))) => {
            let faults = faults_of_pages(url).await;
            if faults.is_empty() {
                return Err(error.into());
            }
            Looked { summary: Summary::default(), faults }
        }
        looked => looked?,
    };
    match faults.is_empty() {
        true => Ok(summary),
        false => Err(BackupError::Damaged { place: failure::place_of(url), faults }),
    }
}

/// What is wrong with the pages of a file that could not be looked at.
async fn faults_of_pages(url: &StorageUrl) -> Vec<String> {
    let StorageUrl::Sqlite(path) = url else { return Vec::new() };
    let path = path.clone();
    tokio::task::spawn_blocking(move || sqlite::faults::of_pages(&path)).await.unwrap_or_default()
}

/// Work that waits for the disk, where that holds up nobody.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, BackupError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| {
        Err(BackupError::Failed { place: "the backup".into(), cause: error.to_string() })
    })
}
