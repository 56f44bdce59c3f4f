//! Where records are kept: the only way to stored data, and the contract of every operation.

pub mod audit;
pub mod backup;
mod cache;
pub mod change;
mod conditions;
pub mod copy;
mod error;
pub mod extract;
mod fatal;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod ident;
pub mod imports;
pub mod key_admin;
pub mod keys;
pub mod migration;
mod page;
mod patient_thread;
pub mod postgres;
pub mod quota;
mod read_limiter;
mod rule_checks;
mod schema_diff;
mod settings;
pub mod snapshot;
mod sqlite;
pub mod store_id;
pub mod url;
pub mod write;

use std::sync::Arc;
use std::time::Instant;

use arc_swap::Guard;
use bytes::Bytes;

use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::observe::Observer;
use crate::record::RecordId;
use crate::record::access_key::{KeyEntry, KeyHash};
use crate::record::etag::ETag;
use crate::record::listing::Listing;
use audit::{Actor, Deed, Exported, Imported};
use cache::list_request::ListRequest;
use cache::read_path;
pub use error::{OpenError, StoreError};
use imports::{Begun, FileState, ImportRow, ImportedFile, NewImport};
use keys::{Changed, KeyAdminError, KeyChange, KeySet};
use migration::MigrationPlan;
pub use page::{Page, Piece, Records, Room};
use postgres::Postgres;
use quota::{QuotaRequest, Usage};
pub use settings::{OpenSettings, Schedule};
use sqlite::Sqlite;
pub use store_id::StoreId;
use url::StorageUrl;
use write::handle::WriterHandle;
use write::{Write, WriteReply, WriteRequest, Written};

/// Where records are kept. Each operation means the same on every engine.
#[derive(Clone)]
pub enum Store {
    Sqlite(Arc<Sqlite>),
    Postgres(Arc<Postgres>),
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

    /// Which store it is.
    pub fn id(&self) -> StoreId {
        match self {
            Self::Sqlite(engine) => engine.id,
            Self::Postgres(engine) => engine.id,
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

    /// The version of the data that a list may show now, where memory alone can say: nobody has been told of a later one.
    /// With PostgreSQL each request asks the database first.
    pub fn version(&self) -> Option<u64> {
        match self {
            Self::Sqlite(engine) => Some(engine.version()),
            Self::Postgres(_) => None,
        }
    }

    /// Does what is asked, wholly or not at all, and answers once it is on disk.
    pub async fn write(&self, request: WriteRequest) -> WriteReply {
        let collections = match request.token {
            Some(_) => request.work.writes().map(Write::collection).collect(),
            None => Vec::new(),
        };
        let reply = self.writer().submit(request).await;
        if reply.missing.is_empty() { reply } else { Box::pin(self.complete(reply, &collections)).await }
    }

    /// Puts the records back into an answer that they were too large to be kept with, as long as they are the same.
    async fn complete(&self, mut reply: WriteReply, collections: &[usize]) -> WriteReply {
        let Ok(written) = &mut reply.outcome else { return reply };
        for (place, tag) in std::mem::take(&mut reply.missing) {
            let (Some(one), Some(&collection)) = (written.each_mut().get_mut(place), collections.get(place))
            else {
                continue;
            };
            let (Written::Created { id, representation } | Written::Updated { id, representation }) = one
            else {
                continue;
            };
            match self.fetch(self.catalog().at(collection), *id).await {
                Ok(Some(found)) if ETag::of(&found) == tag => *representation = found,
                Ok(_) => {
                    reply.outcome = Err(StoreError::AnswerNotKept);
                    break;
                }
                Err(error) => return WriteReply::first(Err(error)),
            }
        }
        reply
    }

    /// How many writes were asked for, a batch counted as one.
    pub fn writes_asked(&self) -> u64 {
        self.writer().queue.pushed()
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

    /// Counts all these requests of a key, each to another collection, if all quotas have room for them; or else none of
    /// them. A window begins with its first request, and is the same for all nodes of one database.
    pub async fn use_quotas(
        &self,
        caller: KeyHash,
        asked: &[QuotaRequest<'_>],
    ) -> Result<Vec<Usage>, StoreError> {
        match self {
            Self::Sqlite(engine) => Ok(engine.use_quotas(caller, asked)),
            Self::Postgres(engine) => Box::pin(engine.use_quotas(caller, asked)).await,
        }
    }

    /// The known access keys as they are now; a change made elsewhere shows within a second.
    pub fn access_keys(&self) -> Guard<Arc<KeySet>> {
        match self {
            Self::Sqlite(engine) => engine.access_keys(),
            Self::Postgres(engine) => engine.access_keys(),
        }
    }

    /// The known access keys as they were at some moment after this one, where a server elsewhere knows them better
    /// than memory does. What memory is asked for within the same request mostly has brought the news already.
    pub async fn keys_since(&self, since: Instant) -> Result<Option<Guard<Arc<KeySet>>>, StoreError> {
        match self {
            Self::Sqlite(_) => Ok(None),
            Self::Postgres(engine) => Box::pin(engine.keys_since(since)).await.map(Some),
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

    /// Puts into the trail that records were handed out.
    pub async fn note_export(&self, export: &Exported, by: Actor) -> Result<(), KeyAdminError> {
        let deed = Deed::exported(export);
        match self {
            Self::Sqlite(engine) => engine.note(deed, by).await,
            Self::Postgres(engine) => engine.note(deed, by).await,
        }
    }

    /// Puts into the trail that a file was taken in.
    pub async fn note_import(&self, import: &Imported, by: Actor) -> Result<(), KeyAdminError> {
        let deed = Deed::imported(import);
        match self {
            Self::Sqlite(engine) => engine.note(deed, by).await,
            Self::Postgres(engine) => engine.note(deed, by).await,
        }
    }

    /// Begins an import, unless another node has one into the same collection under way. What this process runs is not
    /// asked for: it knows.
    pub async fn begin_import(&self, new: NewImport) -> Result<Begun, KeyAdminError> {
        match self {
            Self::Sqlite(engine) => engine.begin_import(new).await,
            Self::Postgres(engine) => engine.begin_import(&new).await,
        }
    }

    /// Tells how an import goes, or went.
    pub async fn tell_import(&self, number: i64, is_over: bool, report: String) -> Result<(), KeyAdminError> {
        match self {
            Self::Sqlite(engine) => engine.tell_import(number, is_over, report).await,
            Self::Postgres(engine) => engine.tell_import(number, is_over, &report).await,
        }
    }

    pub async fn import(&self, number: i64) -> Result<Option<ImportRow>, KeyAdminError> {
        match self {
            Self::Sqlite(engine) => engine.import(number).await,
            Self::Postgres(engine) => engine.import(number).await,
        }
    }

    /// Remembers for a week that the ids of a file are those of a collection, and whether its import is over.
    pub async fn note_file(&self, file: ImportedFile, is_over: bool) -> Result<(), KeyAdminError> {
        match self {
            Self::Sqlite(engine) => engine.note_file(file, is_over).await,
            Self::Postgres(engine) => engine.note_file(&file, is_over).await,
        }
    }

    pub async fn file_state(&self, file: ImportedFile) -> Result<FileState, KeyAdminError> {
        match self {
            Self::Sqlite(engine) => engine.file_state(file).await,
            Self::Postgres(engine) => engine.file_state(&file).await,
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
