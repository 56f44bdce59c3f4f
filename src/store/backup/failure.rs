//! Why a backup was not made, why a store is not whole, why a backup was not put in its place.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use crate::store::OpenError;
use crate::store::copy::{CopyError, MOST_FAULTS};
use crate::store::url::StorageUrl;

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Copy(#[from] CopyError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{path} exists; choose another name", path = .0.display())]
    Exists(PathBuf),
    #[error("{path} is being written by another backup; wait for it, or choose another name", path = .0.display())]
    UnderWay(PathBuf),
    #[error("there is no file {path}", path = .0.display())]
    NoFile(PathBuf),
    #[error("{0} is not a carnet store")]
    NoStore(String),
    #[error("{place} is damaged: {faults}", faults = counted(.faults))]
    Damaged { place: String, faults: Vec<String> },
    #[error("{folder} has no room for the {bytes} bytes of a backup; make room, or choose another folder", folder = .folder.display())]
    NoRoom { folder: PathBuf, bytes: u64 },
    #[error(
        "the write-ahead log has {0} bytes, more than the database: it cannot be cut while the backup reads. Nothing \
         was backed up; try again with --fast, or when less is written"
    )]
    LogGrew(u64),
    #[error("{path} has {records} records; replace it with --replace", path = .path.display())]
    HasRecords { path: PathBuf, records: u64 },
    #[error("{path} is open in another program, which must end first", path = .0.display())]
    StillOpen(PathBuf),
    #[error("{place}: {cause}")]
    Failed { place: String, cause: String },
}

impl BackupError {
    /// What the system or the database says about a file.
    pub(in crate::store) fn at<E: Display>(path: &Path) -> impl Fn(E) -> Self + use<E> {
        let place = path.display().to_string();
        move |error| Self::Failed { place: place.clone(), cause: error.to_string() }
    }
}

/// How a person names a store.
pub(super) fn place_of(url: &StorageUrl) -> String {
    match url {
        StorageUrl::Sqlite(path) => path.display().to_string(),
        StorageUrl::Postgres(_) => url.to_string(),
    }
}

fn counted(faults: &[String]) -> String {
    match faults {
        [one] => format!("1 fault: {one}"),
        [first, ..] if faults.len() < MOST_FAULTS => format!("{} faults, the first: {first}", faults.len()),
        [first, ..] => format!("{MOST_FAULTS} faults or more, the first: {first}"),
        [] => "0 faults".to_owned(),
    }
}
