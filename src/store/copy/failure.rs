//! Why a copy was refused or given up. The target is then as it was, unless its commit got no answer.

use std::path::PathBuf;

use crate::store::OpenError;

#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{0} and {1} are the same store; name another one with --to")]
    SamePlace(String, String),
    #[error("there is no carnet store at {0} to copy from")]
    NoSource(String),
    /// What a start would change, in words.
    #[error(
        "{place} is not in line with the configuration: a start would {changes}. Start a server on it once, or use the configuration that it was made with",
        changes = .changes.join("; ")
    )]
    NotInLine { place: String, changes: Vec<String> },
    /// `what` completes "has …".
    #[error("{place} is not empty: it has {what}. A copy goes only into an empty store; choose another one")]
    NotEmpty { place: String, what: String },
    #[error("{path} is in use by a running carnet server; stop it first, or copy into another file", path = .0.display())]
    InUse(PathBuf),
    /// `what` completes "holds …".
    #[error(
        "the record {id} of {collection} cannot be stored in PostgreSQL: its {field} holds {what}. Correct it at the source, then copy again"
    )]
    Unstorable { collection: String, id: i64, field: String, what: &'static str },
    #[error(
        "the record {id} of {collection} cannot be copied: its {field} refers to no record. Correct it at the source, then copy again"
    )]
    Dangling { collection: String, id: i64, field: String },
    #[error(
        "{what}: {read} were read at the source, and {found} that are not all the same were read back from the target; nothing was copied"
    )]
    Differs { what: String, read: u64, found: u64 },
    #[error("{place}: {cause}; nothing was copied")]
    Failed { place: String, cause: String },
    #[error("{place}: {cause}; whether the copy is there only a look can tell")]
    Unknown { place: String, cause: String },
    /// Nobody takes what is read any more; why, the other side says.
    #[error("the copy was stopped; nothing was copied")]
    Stopped,
}

impl CopyError {
    pub(in crate::store) fn failed(place: &str, cause: impl ToString) -> Self {
        Self::Failed { place: place.to_owned(), cause: cause.to_string() }
    }
}
