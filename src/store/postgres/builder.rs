//! The builder: reads large sets of ids from the database, on a connection of its own, while requests and writes go on.

use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, pin_mut};
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::Error;

use super::freshness::CacheValidator;
use super::group_error::words;
use super::prepared_conn::PreparedConn;
use super::row::Bound;
use super::sql;
use crate::catalog::Catalog;
use crate::observe::{Event, Observer};
use crate::record::RecordId;
use crate::store::StoreError;
use crate::store::cache::Cache;
use crate::store::cache::ids::Ids;
use crate::store::cache::sets::{Part, SetKey};

/// How many sets may wait to be built. One that finds no room is asked for again.
const QUEUE: usize = 64;
/// A copy in binary begins with a signature, flags and the length of an extension; each row with its number of
/// columns, each column with its length.
const COPY_HEADER: usize = 19;
const COPY_ROW: usize = 14;

/// Where to ask for a set.
pub(super) struct Builder {
    requests: mpsc::Sender<Request>,
}

/// A set to build, and who waits for it.
pub(super) struct Request {
    key: SetKey,
    done: Option<oneshot::Sender<()>>,
}

impl Builder {
    pub(super) fn new() -> (Self, mpsc::Receiver<Request>) {
        let (requests, waiting) = mpsc::channel(QUEUE);
        (Self { requests }, waiting)
    }

    /// Asks for a set, to be there some time later.
    pub(super) fn request(&self, key: SetKey) {
        // A workshop that is gone went with its session; one that is behind will be asked again.
        let _ = self.requests.try_send(Request { key, done: None });
    }

    /// Asks for the set of all ids of a collection.
    pub(super) fn request_all_of(&self, collection: usize) {
        self.request(SetKey { collection, fields: Vec::new(), terms: Vec::new() });
    }

    /// Waits until a set is built, or cannot be. Built by the workshop: who waits here may hang up.
    pub(super) async fn build(&self, key: SetKey) -> Result<(), StoreError> {
        let (done, built) = oneshot::channel();
        let request = Request { key, done: Some(done) };
        self.requests.send(request).await.map_err(|_| StoreError::Unavailable)?;
        built.await.map_err(|_| StoreError::Unavailable)
    }
}

/// What building a set takes: a connection of its own.
pub(super) struct Workshop {
    pub(super) catalog: Arc<Catalog>,
    pub(super) cache: Arc<Cache>,
    pub(super) conn: PreparedConn,
    pub(super) observer: Arc<Observer>,
}

impl Workshop {
    /// Builds what is asked for, until the connection breaks.
    pub(super) async fn work(&self, mut requests: mpsc::Receiver<Request>, validator: &CacheValidator) {
        while let Some(Request { key, done }) = requests.recv().await {
            if let Err(cause) = self.build(&key, validator).await {
                self.observer.report(Event::Warning(&format!("a set of ids cannot be read: {cause}")));
                if self.conn.client.batch_execute("ROLLBACK").await.is_err() {
                    return;
                }
            }
            // Who asked may have hung up.
            done.map(|done| done.send(()));
        }
    }

    /// Builds a set, unless it is known.
    async fn build(&self, key: &SetKey, validator: &CacheValidator) -> Result<(), String> {
        let Some(number) = self.cache.begin_build(key.clone()) else { return Ok(()) };
        let read = match self.read(key).await {
            // A commit that was read but is not applied yet would show in this set and nowhere else.
            Ok(part) => validator.refresh().await.map(|()| part).map_err(|error| error.to_string()),
            Err(error) => Err(words(&error)),
        };
        match read {
            Ok(part) => {
                self.cache.finish_build(number, vec![part]);
                Ok(())
            }
            Err(cause) => {
                self.cache.abandon_build(number);
                Err(cause)
            }
        }
    }

    /// Version and ids inside one transaction that sees one moment.
    async fn read(&self, key: &SetKey) -> Result<Part, Error> {
        let conn = &self.conn;
        conn.client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
        let version: i64 =
            conn.client.query_one("SELECT number FROM _carnet_version", &[]).await?.try_get(0)?;
        let collection = self.catalog.at(key.collection);
        let mut ids = Ids::default();
        if key.fields.is_empty() {
            let copy = conn.client.copy_out(&sql::all_ids(collection)).await?;
            pin_mut!(copy);
            while let Some(row) = copy.next().await {
                if let Some(id) = copied_id(&row?) {
                    ids.insert(id);
                }
            }
        } else {
            let (text, values) = sql::in_set(collection, &key.fields, &key.values());
            let rows = conn.client.query_raw(&text, values.iter().map(Bound)).await?;
            pin_mut!(rows);
            while let Some(row) = rows.try_next().await? {
                RecordId::new(row.try_get(0)?).map(|id| ids.insert(id));
            }
        }
        conn.client.batch_execute("COMMIT").await?;
        Ok(Part { version: version.unsigned_abs(), last: i64::MAX, ids })
    }
}

/// The id in one message of a copy: a row, perhaps behind the header; the trailer holds none.
fn copied_id(message: &[u8]) -> Option<RecordId> {
    let row = match message.len() {
        COPY_ROW => message,
        length if length == COPY_HEADER + COPY_ROW => &message[COPY_HEADER..],
        _ => return None,
    };
    let (head, id) = row.split_at(COPY_ROW - 8);
    // One column of eight bytes.
    if head != [0, 1, 0, 0, 0, 8] {
        return None;
    }
    RecordId::new(i64::from_be_bytes(id.try_into().ok()?))
}
