//! Why the store refuses an operation, or cannot be opened.

use std::path::PathBuf;

use super::migration::Conflict;
use crate::record::etag::Mismatch;

/// Why an operation was refused. Nothing was changed, unless the outcome is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is none to change or to delete.
    #[error("there is no such record")]
    NoRecord,
    /// There is no record, and the client asks for one that it has seen.
    #[error("there is no record that was seen")]
    NoneToMatch,
    /// The item of a batch that was refused, and with it all of them.
    #[error("item {0}: {1}")]
    Item(usize, Box<StoreError>),
    #[error("{0} refers to no record")]
    DanglingReference(String),
    /// The fields of the unique rule, in declared order.
    #[error("{0:?} must be unique")]
    Duplicate(Vec<String>),
    /// The collection that still refers to the record.
    #[error("{0} still refers to the record")]
    StillReferenced(String),
    /// A rule of the database that is not of the configuration: what the database said of it.
    #[error("the database refuses it: {0}")]
    UndeclaredRule(String),
    /// The record is not what the client has seen.
    #[error("the record has changed")]
    EtagMismatch,
    /// The record is one of those that the client wants to leave alone.
    #[error("the record is one that is left out")]
    PreconditionFailed,
    /// The key that the caller was let in by is not known any more. Nothing was changed.
    #[error("the access key is not known any more")]
    KeyRevoked,
    /// A write with this token is not done yet.
    #[error("the same write is under way")]
    InFlight,
    /// The write was done before. The record it was answered with was too large to be kept, and is another one now.
    #[error("the answer is not kept")]
    AnswerNotKept,
    /// The token was used for another request before.
    #[error("the key was used for another request")]
    IdempotencyKeyReused,
    /// Stored answers take all that they may, so that of a new token no answer could be kept.
    #[error("stored answers take all that they may")]
    NoRoomForAnswers,
    /// There is no room for what was asked for.
    #[error("there is no room for it")]
    NoRoom,
    /// The records that an answer would show have more than so many bytes together, whenever it is asked for.
    #[error("the answer would show more than {0} bytes")]
    TooMuchShown(usize),
    /// The order in which records are wanted is not there yet.
    #[error("the order of {collection} by {sort} is being made")]
    OrderBeingMade { collection: String, sort: String },
    /// There is no room for the order in which records are wanted: how many bytes more it would take.
    #[error("there is no room to sort {collection} by {sort}")]
    NoRoomToSort { collection: String, sort: String, bytes: u64 },
    /// More writes, or reads that take long, are waiting than the store is willing to keep.
    #[error("too many requests are waiting")]
    Busy,
    /// The database is elsewhere, and does not answer. Nothing was changed.
    #[error("the database cannot be reached")]
    Unavailable,
    #[error("the disk is full")]
    Full,
    /// The highest id that there is was given to a record of this collection.
    #[error("no id is left")]
    NoIdLeft,
    /// The write may or may not be on disk; only the next start can tell.
    #[error("whether the write is on disk is unknown")]
    OutcomeUnknown,
    /// Why the store cannot do its work just now; what a look at it says, never a request.
    #[error("{0}")]
    NotReady(String),
    #[error("{0}")]
    Broken(String),
}

impl From<Mismatch> for StoreError {
    fn from(mismatch: Mismatch) -> Self {
        match mismatch {
            Mismatch::NotNamed => Self::EtagMismatch,
            Mismatch::Excluded => Self::PreconditionFailed,
        }
    }
}

/// Why a store could not be opened. Nothing in it was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{path} is in use by another carnet server; stop that one first, or choose another file with --database", path = .0.display())]
    Locked(PathBuf),
    #[error("{path} is in use by a carnet server under another name; use the name that the server uses", path = .0.display())]
    OtherName(PathBuf),
    #[error("{path} is missing, but its log {log} is there: the database was moved or deleted under a running server; put it back, or delete the log to begin anew, without what it holds", path = .path.display(), log = .log.display())]
    Lost { path: PathBuf, log: PathBuf },
    #[error("the folder {path} does not exist; create it first (mkdir -p {path})", path = .0.display())]
    NoFolder(PathBuf),
    #[error("{path} lies on a network file system ({kind}), where SQLite cannot keep data safe; move it to a local disk, or set any_filesystem = true under [server] if you know that it is local", path = .path.display())]
    NetworkFilesystem { path: PathBuf, kind: &'static str },
    #[error(
        "{place} was written by a newer carnet (format {found}, this one knows up to {known}); use that version"
    )]
    Newer { place: String, found: i64, known: i64 },
    #[error("{path} is not a carnet database; choose another file with --database", path = .0.display())]
    Foreign(PathBuf),
    #[error("the SQLite inside is version {0}, which can corrupt data; carnet needs 3.51.3 or newer")]
    OldSqlite(&'static str),
    /// Why no server could be had, in whole sentences.
    #[error("{0}")]
    Unreachable(String),
    /// The stored data stands against the configuration.
    #[error("the stored data contradicts the configuration:\n{}", list(.0))]
    Contradiction(Vec<Conflict>),
    #[error("{place} is PostgreSQL {found}; carnet needs 14 or newer")]
    OldPostgres { place: String, found: String },
    #[error(
        "{place} keeps text as {found}, which cannot hold every character; make a database that can: CREATE DATABASE carnet ENCODING 'UTF8' TEMPLATE template0;"
    )]
    Encoding { place: String, found: String },
    /// The role that connects lacks a right: `right` completes "may not …".
    #[error("in {place}, the role {role} may not {right}; let a superuser grant it: {grant}")]
    Forbidden { place: String, role: String, right: String, grant: String },
    #[error("{path} is a folder; name a file in it: --database sqlite:{file}", path = .0.display(), file = .0.join("carnet.db").display())]
    Folder(PathBuf),
    /// Files of the store may not be made, read or written.
    #[error("{path} cannot be opened: {cause}; let the user that runs carnet read and write it and make files in {folder}, or choose another place with --database", path = .path.display(), folder = .folder.display())]
    Denied { path: PathBuf, folder: PathBuf, cause: String },
    /// There is no room for what must be written.
    #[error("{path} cannot be opened: the disk is full; make room in {folder} and try again", path = .path.display(), folder = .folder.display())]
    Full { path: PathBuf, folder: PathBuf },
    #[error("{place} cannot be opened: {cause}")]
    Unusable { place: String, cause: String },
}

fn list(conflicts: &[Conflict]) -> String {
    let lines: Vec<String> = conflicts.iter().map(|conflict| format!("  - {conflict}")).collect();
    lines.join("\n")
}
