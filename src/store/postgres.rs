//! The engine for many nodes: records are kept by a PostgreSQL server, which any number of nodes may share.

pub mod address;
mod agenda;
mod audit;
mod blocked_writes;
mod change_feed;
mod change_log;
mod change_log_reader;
mod change_row;
mod checked_writes;
mod columns;
mod connection;
pub(super) mod copy;
mod ddl;
mod engine;
mod freshness;
#[cfg(feature = "fuzzing")]
pub(super) mod fuzzing;
mod group;
mod group_announce;
mod group_attempt;
mod group_batch;
mod group_batches;
mod group_creates;
mod group_error;
mod group_run;
mod group_steps;
mod group_window;
mod id_counter;
mod import_table;
mod index_builds;
mod indexes;
mod key_check;
mod key_follower;
pub(super) mod key_table;
mod lifetime;
mod kind;
mod migration_lock;
mod own_commits;
mod own_feed;
mod pooler;
mod prepare;
mod prepared_conn;
mod quota;
mod reading;
mod refusal;
mod rights;
mod row;
mod rows;
mod rule_sql;
mod server;
mod server_checks;
mod session;
mod session_tasks;
mod set_reader;
mod sql;
mod stale_records;
mod start_failure;
mod statement_cache;
mod store_id;
mod stored_answers;
mod system_tables;
mod tables;
mod tls;
mod undeclared_refs;
mod upserts;
mod write_refusals;
mod writer;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use arc_swap::{ArcSwapOption, Guard};
use bytes::Bytes;

use super::audit::{Actor, Deed};
use super::cache::MemoryUse;
use super::cache::list_request::ListRequest;
use super::cache::read_path;
use super::fatal::FatalLatch;
use super::imports::{Begun, FileState, ImportRow, ImportedFile, NewImport};
use super::keys::{Changed, KeyAdminError, KeyChange, KeySet};
use super::migration::MigrationPlan;
use super::quota::{QuotaRequest, Usage};
use super::write::answer_budget::AnswerBudget;
use super::write::handle::WriterHandle;
use super::{OpenError, OpenSettings, Page, StoreError};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::observe::{Event, Observer};
use crate::record::RecordId;
use crate::record::access_key::{KeyEntry, KeyHash};
use address::PostgresUrl;
pub use engine::Postgres;
use key_follower::KeyFollower;
use key_table::KeyTable;
use server::{History, Server};
use session::{Session, SessionContext};
use statement_cache::Statements;
use write_refusals::WriteRefusals;

/// How long to wait before a server is looked for again: at first, and at the most.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// How many causes are told of while no server is found.
const MOST_TOLD: usize = 16;
/// A server that takes longer to open a session with is not there, whatever its network says.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);

/// What opening the database would change. Nothing is changed.
pub(super) async fn plan(url: &PostgresUrl, catalog: &Catalog) -> Result<MigrationPlan, OpenError> {
    let (_, mut conn) = Server::find(url, None).await?;
    prepare::inspect(&mut conn.client, &url.to_string(), catalog).await
}

impl Postgres {
    pub(super) async fn open(
        url: &PostgresUrl,
        catalog: Arc<Catalog>,
        settings: OpenSettings,
        observer: Arc<Observer>,
    ) -> Result<Arc<Self>, OpenError> {
        let (server, mut first) = Server::find(url, None).await?;
        let place = url.to_string();
        let plan = {
            let tell = |words: &str| observer.report(Event::Notice(words));
            prepare::prepare(&mut first.client, &place, &catalog, &tell).await?
        };
        for words in plan.steps.iter().map(|step| &step.words).chain(&plan.notes) {
            observer.report(Event::Notice(words));
        }
        let undeclared_refs = prepare::undeclared_refs(&mut first.client, &place, &catalog).await?;
        let id = store_id::read(&first.client).await.map_err(|error| OpenError::Unusable {
            place: place.clone(),
            cause: start_failure::cause(&error),
        })?;
        let budget = Arc::new(AnswerBudget::new(settings.stored_answers, observer.clone()));
        let context = SessionContext {
            statements: Statements::all(&catalog, &undeclared_refs),
            keys: Arc::new(KeyFollower::new(observer.clone())),
            catalog,
            observer,
            fatal: FatalLatch::new(),
            settings,
            budget,
        };
        let session = session_tasks::begin(server, first, &context).await.map_err(OpenError::Unreachable)?;
        let writer = WriterHandle::default();
        let engine = Arc::new(Self {
            id,
            context,
            writer,
            refusals: WriteRefusals::default(),
            careful_groups: AtomicUsize::new(0),
            current: ArcSwapOption::new(Some(session)),
        });
        let fatal = engine.context.fatal.clone();
        let work = writer::work(engine.clone());
        tokio::spawn(async move { fatal.guard_task("the writer", work).await });
        let fatal = engine.context.fatal.clone();
        let work = engine.clone().supervise(url.clone());
        tokio::spawn(async move { fatal.guard_task("the task that looks for a server", work).await });
        Ok(engine)
    }

    /// Looks for a server whenever the one there was is lost, for as long as the process lives.
    async fn supervise(self: Arc<Self>, url: PostgresUrl) {
        let observer = &self.context.observer;
        let mut known = None;
        loop {
            if let Some(session) = self.session() {
                known = Some(session.server.history);
                let cause = session.lifetime.ended().await;
                self.current.store(None);
                observer.report(Event::DatabaseLost { cause: &cause });
            }
            let mut pause = FIRST_PAUSE;
            let mut told = Vec::new();
            let found = loop {
                let found = tokio::time::timeout(CONNECT_TIMEOUT, self.find(&url, known)).await;
                let cause = match found {
                    Ok(Ok(session)) => break session,
                    Ok(Err(cause)) => cause,
                    Err(_) => "a server answers, but too slowly".to_owned(),
                };
                // Each once: it is looked for twice a second, for as long as it takes.
                if told.len() < MOST_TOLD && !told.contains(&cause) {
                    observer.report(Event::Warning(&format!("the database is not found: {cause}")));
                    told.push(cause);
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            };
            self.current.store(Some(found));
            observer.report(Event::DatabaseFound);
        }
    }

    async fn find(&self, url: &PostgresUrl, known: Option<History>) -> Result<Arc<Session>, String> {
        let (server, first) = Server::find(url, known).await.map_err(|error| error.to_string())?;
        session_tasks::begin(server, first, &self.context).await
    }

    pub(super) fn catalog(&self) -> &Catalog {
        &self.context.catalog
    }

    /// How writes reach the writer of this node.
    pub(super) fn writer(&self) -> &WriterHandle {
        &self.writer
    }

    pub(super) async fn fetch(
        &self,
        collection: &Collection,
        id: RecordId,
    ) -> Result<Option<Bytes>, StoreError> {
        self.in_session()?.fetch(collection, id).await
    }

    pub(super) async fn list(&self, request: ListRequest<'_, '_>) -> Result<Page, StoreError> {
        read_path::list(&*self.in_session()?, request).await
    }

    pub(super) async fn use_quotas(
        &self,
        caller: KeyHash,
        asked: &[QuotaRequest<'_>],
    ) -> Result<Vec<Usage>, StoreError> {
        self.in_session()?.use_quotas(caller, asked).await
    }

    pub(super) fn access_keys(&self) -> Guard<Arc<KeySet>> {
        self.context.keys.current()
    }

    pub(super) async fn keys_since(&self, since: Instant) -> Result<Guard<Arc<KeySet>>, StoreError> {
        let keys = &self.context.keys;
        if !keys.are_newer_than(since) {
            self.in_session()?.validator.look().await?;
        }
        Ok(keys.current())
    }

    pub(super) async fn list_keys(&self) -> Result<Vec<KeyEntry>, KeyAdminError> {
        let session = self.in_session()?;
        session.keys.list(&session.server).await
    }

    pub(super) async fn change_key(&self, change: &KeyChange, by: &Actor) -> Result<Changed, KeyAdminError> {
        let session = self.in_session()?;
        let changed = session.keys.change(&session.server, change, by).await;
        // The change is made, whatever becomes of this; a session that ends here is followed by one that reads the
        // keys before anything else.
        let _ = session.validator.look().await;
        changed
    }

    /// Adds to the trail what changes nothing.
    pub(super) async fn note(&self, deed: Deed, by: Actor) -> Result<(), KeyAdminError> {
        let session = self.in_session()?;
        session.keys.note(&session.server, deed, by).await
    }

    pub(super) async fn begin_import(&self, new: &NewImport) -> Result<Begun, KeyAdminError> {
        let session = self.in_session()?;
        let begin = async |table: &mut KeyTable| table.begin_import(new).await;
        session.keys.with(&session.server, StoreError::OutcomeUnknown, begin).await
    }

    pub(super) async fn tell_import(
        &self,
        number: i64,
        is_over: bool,
        report: &str,
    ) -> Result<(), KeyAdminError> {
        let session = self.in_session()?;
        let tell = async |table: &mut KeyTable| table.tell_import(number, is_over, report).await;
        session.keys.with(&session.server, StoreError::OutcomeUnknown, tell).await
    }

    pub(super) async fn note_file(&self, file: &ImportedFile, is_over: bool) -> Result<(), KeyAdminError> {
        let session = self.in_session()?;
        let note = async |table: &mut KeyTable| table.note_file(file, is_over).await;
        session.keys.with(&session.server, StoreError::OutcomeUnknown, note).await
    }

    pub(super) async fn file_state(&self, file: &ImportedFile) -> Result<FileState, KeyAdminError> {
        let session = self.in_session()?;
        let look = async |table: &mut KeyTable| table.file_state(file).await;
        session.keys.with(&session.server, StoreError::Unavailable, look).await
    }

    pub(super) async fn import(&self, number: i64) -> Result<Option<ImportRow>, KeyAdminError> {
        let session = self.in_session()?;
        let find = async |table: &mut KeyTable| table.import(number).await;
        session.keys.with(&session.server, StoreError::Unavailable, find).await
    }

    pub(super) async fn ping(&self) -> Result<(), StoreError> {
        self.in_session()?.validator.look().await
    }

    /// Ends when a panic has left something undone. A server that is lost is found again.
    pub(super) async fn failed(&self) -> String {
        self.context.fatal.tripped().await
    }

    pub(super) fn measure(&self) {
        let usage = self.session().map_or_else(MemoryUse::default, |session| session.cache.bytes());
        self.context.observer.store().memory_is(usage.sets, usage.orders, usage.blocks);
    }
}
