//! The embedded engine: opens the file, reads through lent connections, hands writes to the writing thread.

mod connection;
mod group;
pub(super) mod keys;
mod place;
mod reader;
mod row;
mod tables;
mod writer;

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use rusqlite::{Connection, TransactionBehavior, params_from_iter};

use super::keys::KeySet;
use super::plan::Plan;
use super::sql::{self, Statements};
use super::{Created, OpenError, OpenSettings, Page, StoreError};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::observe::{Event, Observer};
use crate::record::draft::{Draft, Patch};
use crate::record::listing::Listing;
use crate::record::{RecordId, Value};
use connection::Role;
use keys::Follower;
use place::Lock;
use reader::Readers;
use row::Bound;
use writer::Writer;

/// A database file, open for one server.
pub struct Sqlite {
    statements: Arc<[Statements]>,
    readers: Readers,
    writer: Writer,
    access_keys: Follower,
    _lock: Lock,
}

/// What opening the file would change. The file is not changed, nor made where there is none.
pub(super) fn plan(path: &Path, catalog: &Catalog) -> Result<Plan, OpenError> {
    let connection = if path.exists() {
        connection::open(path, Role::Inspector)?
    } else {
        Connection::open_in_memory().map_err(|error| connection::unusable(path, &error))?
    };
    tables::plan(&connection, catalog).map_err(|error| connection::unusable(path, &error))
}

impl Sqlite {
    pub(super) fn open(
        path: &Path,
        catalog: Arc<Catalog>,
        settings: OpenSettings,
        observer: Arc<Observer>,
    ) -> Result<Self, OpenError> {
        place::check(path, settings.any_filesystem)?;
        place::make_private(path)?;
        let lock = Lock::take(path)?;
        let mut connection = connection::open(path, Role::Writer)?;
        prepare(path, &mut connection, &catalog, &observer)?;
        let statements: Arc<[Statements]> = catalog.collections().iter().map(Statements::new).collect();
        let readers = Readers::open(path, reading_connections())?;
        let unusable =
            |cause: std::io::Error| OpenError::Unusable { path: path.to_owned(), cause: cause.to_string() };
        let access_keys = Follower::start(path, observer.clone())?;
        let writer =
            Writer::start(path, connection, catalog, statements.clone(), observer).map_err(unusable)?;
        Ok(Self { statements, readers, writer, access_keys, _lock: lock })
    }

    /// A read by id is over before a switch to another thread would be.
    pub(super) fn fetch(&self, collection: &Collection, id: RecordId) -> Result<Option<Bytes>, StoreError> {
        let connection = self.readers.lend();
        let read = || -> rusqlite::Result<Option<Bytes>> {
            let mut statement = connection.prepare_cached(&self.statements[collection.position()].fetch)?;
            let mut rows = statement.query([id.get()])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            let mut bytes = Vec::with_capacity(256);
            row::write(&mut bytes, collection, row)?;
            Ok(Some(bytes.into()))
        };
        read().map_err(broken)
    }

    /// Counting takes as long as there are records, so this thread's other work moves on to another.
    pub(super) fn list(&self, collection: &Collection, listing: &Listing) -> Result<Page, StoreError> {
        tokio::task::block_in_place(|| {
            let connection = self.readers.lend();
            read_page(&connection, collection, listing).map_err(broken)
        })
    }

    pub(super) async fn insert(&self, collection: &Collection, draft: Draft) -> Result<Created, StoreError> {
        let collection = collection.position();
        self.writer.submit(move |group| group.insert(collection, &draft)).await
    }

    pub(super) async fn update(
        &self,
        collection: &Collection,
        id: RecordId,
        patch: Patch,
    ) -> Result<Option<Bytes>, StoreError> {
        let collection = collection.position();
        self.writer.submit(move |group| group.update(collection, id, &patch)).await
    }

    pub(super) async fn delete(&self, collection: &Collection, id: RecordId) -> Result<bool, StoreError> {
        let collection = collection.position();
        self.writer.submit(move |group| group.delete(collection, id)).await
    }

    pub(super) fn access_keys(&self) -> Arc<KeySet> {
        self.access_keys.current()
    }

    pub(super) fn ping(&self) -> Result<(), StoreError> {
        if !self.writer.is_well() {
            return Err(StoreError::Broken("writes are not taken any more".into()));
        }
        self.readers.lend().query_row("SELECT 1", [], |_| Ok(())).map_err(broken)
    }

    pub(super) async fn failed(&self) -> String {
        self.writer.failed().await
    }

    pub(super) fn close(&self) {
        self.access_keys.stop();
        self.writer.close();
    }
}

/// Brings the tables in line with the catalog, wholly or not at all.
fn prepare(
    path: &Path,
    connection: &mut Connection,
    catalog: &Catalog,
    observer: &Observer,
) -> Result<(), OpenError> {
    let unusable = |error: rusqlite::Error| connection::unusable(path, &error);
    // A table that is built anew must not take along the records that refer to it. This setting cannot
    // change inside a transaction.
    connection.pragma_update(None, "foreign_keys", false).map_err(unusable)?;
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(unusable)?;
    let plan = tables::plan(&transaction, catalog).map_err(unusable)?;
    if !plan.obstacles.is_empty() {
        return Err(OpenError::Contradiction(plan.obstacles));
    }
    tables::apply(&transaction, &plan)
        .and_then(|()| keys::create_tables(&transaction))
        .and_then(|()| connection::mark(&transaction))
        .and_then(|()| transaction.commit())
        .map_err(unusable)?;
    for words in plan.steps.iter().map(|step| &step.words).chain(&plan.notes) {
        observer.report(Event::Notice(words));
    }
    connection.pragma_update(None, "foreign_keys", true).map_err(unusable)
}

/// One for each thread that answers, and some for lists that take long.
fn reading_connections() -> usize {
    std::thread::available_parallelism().map_or(4, |cores| cores.get() * 2 + 2)
}

/// The total and the page inside one read transaction: of one moment.
fn read_page(connection: &Connection, collection: &Collection, listing: &Listing) -> rusqlite::Result<Page> {
    let moment = connection.unchecked_transaction()?;
    let (text, values) = sql::count(collection, listing);
    let total: i64 = moment
        .prepare_cached(&text)?
        .query_row(params_from_iter(values.into_iter().map(Bound)), |row| row.get(0))?;
    let (text, mut values) = sql::page(collection, listing);
    let window = listing.window.map(|window| {
        let count = i64::try_from(window.count).unwrap_or(i64::MAX);
        (Value::Integer(count), Value::Integer(window.offset))
    });
    if let Some((count, offset)) = &window {
        values.extend([count, offset]);
    }
    let mut bytes = Vec::with_capacity(4_096);
    let mut statement = moment.prepare_cached(&text)?;
    let mut rows = statement.query(params_from_iter(values.into_iter().map(Bound)))?;
    while let Some(row) = rows.next()? {
        if !bytes.is_empty() {
            bytes.push(b',');
        }
        row::write(&mut bytes, collection, row)?;
    }
    Ok(Page { records: bytes.into(), total: total.unsigned_abs() })
}

fn broken(error: rusqlite::Error) -> StoreError {
    StoreError::Broken(error.to_string())
}
