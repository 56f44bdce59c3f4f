//! Where records are kept: the only way to stored data, and the contract of every operation.

pub mod audit;
mod cache;
pub mod change;
mod conditions;
pub mod copy;
mod fatal;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod ident;
pub mod key_admin;
pub mod keys;
pub mod migration;
mod page;
pub mod postgres;
pub mod quota;
mod read_limiter;
mod schema_diff;
mod sqlite;
pub mod url;
pub mod write;

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::Guard;
use bytes::Bytes;

use crate::catalog::Catalog;
use crate::catalog::collection::{Collection, RateLimit};
use crate::observe::Observer;
use crate::record::RecordId;
use crate::record::access_key::{KeyEntry, KeyHash};
use crate::record::etag::{ETag, Mismatch};
use crate::record::listing::Listing;
use audit::Actor;
use cache::read_path::{self, ListRequest};
use keys::{Changed, KeyAdminError, KeyChange, KeySet};
use migration::{Conflict, MigrationPlan};
pub use page::{Page, Piece, Records, Room};
use postgres::Postgres;
use quota::Usage;
use sqlite::Sqlite;
use url::StorageUrl;
use write::handle::WriterHandle;
use write::{WriteReply, WriteRequest, Written};

/// Where records are kept. Each operation means the same on every engine.
#[derive(Clone)]
pub enum Store {
    Sqlite(Arc<Sqlite>),
    Postgres(Arc<Postgres>),
}

/// How to open a store, beyond where it is.
#[derive(Debug, Clone, Copy)]
pub struct OpenSettings {
    /// Whether to open a database on a network file system all the same.
    pub any_filesystem: bool,
    /// How much may be kept in memory, in bytes: sets of ids and records together.
    pub memory: usize,
    /// How much stored answers may take in the database, in bytes.
    pub stored_answers: usize,
}

impl Default for OpenSettings {
    fn default() -> Self {
        Self { any_filesystem: false, memory: 256 << 20, stored_answers: 2 << 30 }
    }
}

/// Why an operation was refused. Nothing was changed, unless the outcome is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
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

/// What PostgreSQL does is boxed where requests come by: each connection has room for all that a request may wait for,
/// and a request that goes over a network does not feel an allocation.
impl Store {
    /// Opens the store for a server: alone, with its tables in line with the catalog.
    pub async fn open(
        url: &StorageUrl,
        catalog: Arc<Catalog>,
        settings: OpenSettings,
        observer: Arc<Observer>,
    ) -> Result<Self, OpenError> {
        match url {
            StorageUrl::Sqlite(path) => {
                Ok(Self::Sqlite(Arc::new(Sqlite::open(path, catalog, settings, observer)?)))
            }
            StorageUrl::Postgres(url) => {
                Postgres::open(url, catalog, settings, observer).await.map(Self::Postgres)
            }
        }
    }

    /// What [`Store::open`] would change, and what stands against it. Changes nothing.
    pub async fn plan(url: &StorageUrl, catalog: &Catalog) -> Result<MigrationPlan, OpenError> {
        match url {
            StorageUrl::Sqlite(path) => sqlite::plan(path, catalog),
            StorageUrl::Postgres(url) => postgres::plan(url, catalog).await,
        }
    }

    /// The representation of the record with this id, or `None`.
    pub async fn fetch(&self, collection: &Collection, id: RecordId) -> Result<Option<Bytes>, StoreError> {
        match self {
            Self::Sqlite(engine) => match engine.fetch_known(collection, id) {
                Some(known) => Ok(known),
                None => Box::pin(read_path::fetch(engine.as_ref(), collection, id)).await,
            },
            Self::Postgres(engine) => Box::pin(engine.fetch(collection, id)).await,
        }
    }

    /// The records that match, in ascending order of ids, and their number: of one moment.
    /// `room` is asked for all of a page that is not small.
    pub async fn list(
        &self,
        collection: &Collection,
        listing: &Listing,
        room: &mut Room<'_>,
    ) -> Result<Page, StoreError> {
        let request = ListRequest { collection, listing, room };
        match self {
            Self::Sqlite(engine) => read_path::list(engine.as_ref(), request).await,
            Self::Postgres(engine) => Box::pin(engine.list(request)).await,
        }
    }

    /// Does what is asked, wholly or not at all, and answers once it is on disk.
    pub async fn write(&self, request: WriteRequest) -> WriteReply {
        let (collection, id) = (request.write.collection(), request.write.id());
        let reply = self.writer().submit(request).await;
        match reply.missing {
            None => reply,
            Some(tag) => Box::pin(self.complete(reply, collection, id, tag)).await,
        }
    }

    /// Puts the record back into an answer that it was too large to be kept with, as long as it is the same.
    async fn complete(
        &self,
        mut reply: WriteReply,
        collection: usize,
        id: Option<RecordId>,
        tag: ETag,
    ) -> WriteReply {
        let (id, record) = match (&mut reply.outcome, id) {
            (Ok(Written::Created { id, representation }), _) => (*id, representation),
            (Ok(Written::Updated(record)), Some(id)) => (id, record),
            _ => return reply,
        };
        match self.fetch(self.catalog().at(collection), id).await {
            Ok(Some(found)) if ETag::of(&found) == tag => *record = found,
            Ok(_) => reply.outcome = Err(StoreError::AnswerNotKept),
            Err(error) => return WriteReply::first(Err(error)),
        }
        reply
    }

    fn writer(&self) -> &WriterHandle {
        match self {
            Self::Sqlite(engine) => engine.writer(),
            Self::Postgres(engine) => engine.writer(),
        }
    }

    fn catalog(&self) -> &Catalog {
        match self {
            Self::Sqlite(engine) => engine.catalog(),
            Self::Postgres(engine) => engine.catalog(),
        }
    }

    /// Counts so many requests of a key to a collection; none is a look. The window begins with its first
    /// request, and is the same for all nodes of one database.
    pub async fn use_quota(
        &self,
        collection: &Collection,
        caller: KeyHash,
        limit: RateLimit,
        requests: u64,
    ) -> Result<Usage, StoreError> {
        match self {
            Self::Sqlite(engine) => Ok(engine.use_quota(collection, caller, limit, requests)),
            Self::Postgres(engine) => Box::pin(engine.use_quota(collection, caller, limit, requests)).await,
        }
    }

    /// The known access keys as they are now; a change made elsewhere shows within a second.
    pub fn access_keys(&self) -> Guard<Arc<KeySet>> {
        match self {
            Self::Sqlite(engine) => engine.access_keys(),
            Self::Postgres(engine) => engine.access_keys(),
        }
    }

    /// The stored access keys in the order of their names.
    pub async fn list_keys(&self) -> Result<Vec<KeyEntry>, KeyAdminError> {
        match self {
            Self::Sqlite(engine) => engine.list_keys().await,
            Self::Postgres(engine) => engine.list_keys().await,
        }
    }

    /// Changes the stored access keys as the `keys` commands do. From then on this node follows the change, and every
    /// other within a second.
    pub async fn change_key(&self, change: KeyChange, by: Actor) -> Result<Changed, KeyAdminError> {
        match self {
            Self::Sqlite(engine) => engine.change_key(change, by).await,
            Self::Postgres(engine) => engine.change_key(&change, &by).await,
        }
    }

    /// Whether the store can be read and takes writes.
    pub async fn ping(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(engine) => engine.ping(),
            Self::Postgres(engine) => Box::pin(engine.ping()).await,
        }
    }

    /// Brings the metrics of what is kept in memory up to date.
    pub fn measure(&self) {
        match self {
            Self::Sqlite(engine) => engine.measure(),
            Self::Postgres(engine) => engine.measure(),
        }
    }

    /// Ends when the store can no longer be trusted and the process must stop.
    pub async fn failed(&self) -> String {
        match self {
            Self::Sqlite(engine) => engine.failed().await,
            Self::Postgres(engine) => engine.failed().await,
        }
    }

    /// Finishes what waits and closes the data. Every later operation is refused.
    pub fn close(&self) {
        match self {
            Self::Sqlite(engine) => engine.close(),
            // What was answered is with the server; nothing is kept here.
            Self::Postgres(_) => {}
        }
    }
}
