//! The embedded engine: opens the file, reads through lent connections, hands writes to the writing thread.

mod audit;
pub(super) mod backup;
mod batch;
mod connection;
pub(super) mod copy;
mod deletion;
pub(super) mod faults;
mod file;
mod follower;
mod foreign;
mod free_pages;
#[cfg(feature = "fuzzing")]
pub(super) mod fuzzing;
mod group;
mod ids;
mod import_table;
mod key_follower;
pub(super) mod key_table;
mod kind;
mod wal;
mod place;
mod reader;
mod reading;
mod reserve;
pub(super) mod restore;
mod row;
mod set_reader;
mod sql;
mod store_id;
mod stored_answers;
mod tables;
mod throttle;
mod undeclared_refs;
mod version;
mod write;
mod writer;

use std::path::Path;
use std::sync::Arc;

use arc_swap::Guard;
use rusqlite::{Connection, TransactionBehavior};

use super::audit::{Actor, Deed};
use super::cache::Cache;
use super::cache::builder::Builder;
use super::fatal::FatalLatch;
use super::imports::{Begun, FileState, ImportRow, ImportedFile, NewImport};
use super::keys::{Changed, KeyAdminError, KeyChange, KeySet};
use super::migration::MigrationPlan;
use super::quota::{QuotaRequest, Usage, Windows};
use super::read_limiter::ReadLimiter;
use super::write::handle::WriterHandle;
use super::{OpenError, OpenSettings, StoreError, StoreId};
use crate::catalog::Catalog;
use crate::observe::{Event, Observer};
use crate::record::access_key::{KeyEntry, KeyHash};
use connection::Role;
use file::DatabaseFile;
use key_follower::KeyFollower;
use key_table::KeyTable;
use reader::Readers;
use set_reader::FileReader;
use sql::Statements;
use writer::{Writer, WriterState};

/// Reading connections that lists which take long leave to others.
const FOR_QUICK_READS: usize = 2;

/// A database file, open for one server.
pub struct Sqlite {
    pub(super) id: StoreId,
    statements: Arc<[Statements]>,
    readers: Readers,
    limiter: ReadLimiter,
    cache: Arc<Cache>,
    writer: Writer,
    builder: Arc<Builder<FileReader>>,
    access_keys: Arc<KeyFollower>,
    windows: Windows,
    observer: Arc<Observer>,
    fatal: FatalLatch,
    /// Last: it outlives every connection.
    file: Arc<DatabaseFile>,
}

/// What opening the file would change. The file is not changed, nor made where there is none.
pub(super) fn plan(path: &Path, catalog: &Catalog) -> Result<MigrationPlan, OpenError> {
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
        let file = Arc::new(DatabaseFile::lock(path)?);
        let mut connection = connection::open(path, Role::Writer)?;
        prepare(path, &mut connection, &catalog, &observer)?;
        let id = store_id::read(&connection).map_err(|error| connection::unusable(path, &error))?;
        let statements: Arc<[Statements]> = catalog.collections().iter().map(Statements::new).collect();
        let reading = reading_connections();
        let readers = Readers::open(&file, reading)?;
        let limiter = ReadLimiter::new(reading - FOR_QUICK_READS);
        let unusable = |cause: std::io::Error| OpenError::Unusable {
            place: path.display().to_string(),
            cause: cause.to_string(),
        };
        let fatal = FatalLatch::new();
        let access_keys = Arc::new(KeyFollower::start(file.clone(), observer.clone(), fatal.clone())?);
        // Before anything is written: from here on a file that is replaced is noticed.
        file.watch_companions()?;
        let state = WriterState::new(
            file.clone(),
            connection,
            catalog.clone(),
            statements.clone(),
            observer.clone(),
            settings,
        )
        .map_err(|error| connection::unusable(path, &error))?;
        let cache = state.cache();
        let writer = Writer::start(state, fatal.clone()).map_err(unusable)?;
        let reader = FileReader { file: file.clone(), catalog, observer: observer.clone() };
        let builder = Builder { reader, cache: cache.clone(), observer: observer.clone() };
        let builder = set_reader::start(builder, fatal.clone())?;
        file.keep_reserve(&observer);
        let windows = Windows::default();
        Ok(Self {
            id,
            statements,
            readers,
            limiter,
            cache,
            writer,
            builder,
            access_keys,
            windows,
            observer,
            fatal,
            file,
        })
    }

    pub(super) fn catalog(&self) -> &Catalog {
        &self.builder.reader.catalog
    }

    /// How writes reach the writing thread.
    pub(super) fn writer(&self) -> &WriterHandle {
        &self.writer.handle
    }

    pub(super) fn access_keys(&self) -> Guard<Arc<KeySet>> {
        self.access_keys.current()
    }

    pub(super) async fn list_keys(&self) -> Result<Vec<KeyEntry>, KeyAdminError> {
        self.with_keys(|table| table.list()).await
    }

    pub(super) async fn change_key(&self, change: KeyChange, by: Actor) -> Result<Changed, KeyAdminError> {
        self.with_keys(move |table| table.change(&change, &by)).await
    }

    /// Adds to the trail what changes nothing.
    pub(super) async fn note(&self, deed: Deed, by: Actor) -> Result<(), KeyAdminError> {
        self.with_keys(move |table| table.note(&deed, &by)).await
    }

    pub(super) async fn begin_import(&self, new: NewImport) -> Result<Begun, KeyAdminError> {
        self.with_keys(move |table| table.begin_import(&new)).await
    }

    pub(super) async fn tell_import(
        &self,
        number: i64,
        is_over: bool,
        report: String,
    ) -> Result<(), KeyAdminError> {
        self.with_keys(move |table| table.tell_import(number, is_over, &report)).await
    }

    pub(super) async fn note_file(&self, file: ImportedFile, is_over: bool) -> Result<(), KeyAdminError> {
        self.with_keys(move |table| table.note_file(&file, is_over)).await
    }

    pub(super) async fn file_state(&self, file: ImportedFile) -> Result<FileState, KeyAdminError> {
        self.with_keys(move |table| table.file_state(&file)).await
    }

    pub(super) async fn import(&self, number: i64) -> Result<Option<ImportRow>, KeyAdminError> {
        self.with_keys(move |table| table.import(number)).await
    }

    /// Works on the stored keys as a command does, beside the writer and where waiting for it holds up nobody;
    /// who is answered then finds the change followed.
    async fn with_keys<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut KeyTable) -> Result<T, KeyAdminError> + Send + 'static,
    ) -> Result<T, KeyAdminError> {
        let (file, key_follower, fatal) = (self.file.clone(), self.access_keys.clone(), self.fatal.clone());
        let done = tokio::task::spawn_blocking(move || {
            let done = KeyTable::beside(&file).and_then(|mut table| work(&mut table));
            if let Err(cause) = key_follower.check_file() {
                fatal.trip(&cause);
                return Err(StoreError::OutcomeUnknown.into());
            }
            if let Err(KeyAdminError::Failed(StoreError::OutcomeUnknown)) = done {
                // As for every write: after a failed sync no other can be believed.
                fatal.trip("the disk failed while a change of keys was stored");
            }
            key_follower.look();
            done
        });
        done.await.unwrap_or_else(|error| Err(StoreError::Broken(error.to_string()).into()))
    }

    pub(super) fn use_quotas(&self, caller: KeyHash, asked: &[QuotaRequest<'_>]) -> Vec<Usage> {
        self.windows.count(caller, asked)
    }

    pub(super) fn ping(&self) -> Result<(), StoreError> {
        if let Some(cause) = self.fatal.cause() {
            return Err(StoreError::NotReady(cause));
        }
        if !self.writer.is_well() {
            return Err(StoreError::NotReady("the server is stopping".into()));
        }
        self.access_keys.readable().map_err(StoreError::NotReady)
    }

    pub(super) fn version(&self) -> u64 {
        self.cache.announced()
    }

    pub(super) fn measure(&self) {
        let usage = self.cache.bytes();
        self.observer.store().memory_is(usage.sets, usage.orders, usage.blocks);
    }

    pub(super) async fn failed(&self) -> String {
        self.fatal.tripped().await
    }

    pub(super) fn close(&self) {
        self.access_keys.stop();
        self.cache.builds.stop();
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
    if !plan.conflicts.is_empty() {
        return Err(OpenError::Contradiction(plan.conflicts));
    }
    let lost = tables::apply(&transaction, &plan).map_err(unusable)?;
    key_table::create_tables(&transaction)
        .and_then(|()| record(&transaction, &plan))
        .and_then(|()| version::create_table(&transaction))
        .and_then(|()| store_id::create_table(&transaction))
        .and_then(|()| import_table::create_tables(&transaction))
        .and_then(|()| stored_answers::create_tables(&transaction))
        .and_then(|()| connection::mark(&transaction))
        .and_then(|()| transaction.commit())
        .map_err(unusable)?;
    for words in plan.steps.iter().map(|step| &step.words).chain(&plan.notes).chain(&lost) {
        observer.report(Event::Notice(words));
    }
    connection.pragma_update(None, "foreign_keys", true).map_err(unusable)
}

/// Puts what a start changes into the trail.
fn record(connection: &Connection, plan: &MigrationPlan) -> rusqlite::Result<()> {
    let mut steps = plan.steps.iter();
    steps.try_for_each(|step| audit::append(connection, Deed::configured(&step.words), &Actor::start()))
}

/// One for each thread that answers, and some for lists that take long.
fn reading_connections() -> usize {
    std::thread::available_parallelism().map_or(4, |cores| cores.get() * 2 + 2)
}
