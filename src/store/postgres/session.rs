//! A session: everything that a node has with one server, from the moment it is found until it is lost.
//!
//! When any connection of it breaks, all of it ends, memory included: the server that is found next may be another
//! one, with another past. The supervisor then looks for it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{select_all, try_join_all, try_join4};
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;
use tokio_postgres::{Error, Row};

use super::freshness::{CacheValidator, ChangeFeed};
use super::group_error::{of_reading, words};
use super::key_follower::KeyFollower;
use super::key_table::SharedKeyTable;
use super::prepared_conn::{Parameter, PreparedConn, SharedConns};
use super::rows::Rows;
use super::server::Server;
use super::set_reader::TableReader;
use super::statements::Statements;
use super::stored_responses;
use crate::catalog::Catalog;
use crate::observe::Observer;
use crate::store::StoreError;
use crate::store::cache::Cache;
use crate::store::cache::builder::Builder;
use crate::store::fatal::FatalLatch;
use crate::store::read_limiter::ReadLimiter;
use crate::store::write::answer_budget::AnswerBudget;

/// Connections that those share who read what is found at once, and those whose reads take long: each connection
/// answers one question after the other, and what is quick must not wait behind what is not.
const QUICK_CONNS: usize = 2;
const LONG_CONNS: usize = 2;
/// How many lists that take long are asked for at once.
const LONG_READS: usize = 6 * LONG_CONNS;
/// A read that takes longer is given up.
const READ_TIMEOUT: Duration = Duration::from_secs(60);
/// How often what nobody needs any more is taken out of the log of changes and the tables of quotas and answers.
const TIDY: Duration = Duration::from_secs(5);
/// How many versions of the log are kept: a node that is further behind starts anew.
const KEPT_VERSIONS: i64 = 1_000;

pub(super) struct Session {
    pub(super) cache: Arc<Cache>,
    pub(super) validator: CacheValidator,
    pub(super) observer: Arc<Observer>,
    pub(super) statements: Arc<[Statements]>,
    pub(super) server: Server,
    pub(super) limiter: ReadLimiter,
    /// The connection of the writer, opened when it is first needed and again after it was given up.
    pub(super) writing: Mutex<Option<Arc<PreparedConn>>>,
    pub(super) keys: SharedKeyTable,
    pub(super) quick: SharedConns,
    pub(super) long: SharedConns,
    /// For what is not worth a sync of the disk.
    aside: Arc<PreparedConn>,
    end: watch::Sender<Option<String>>,
}

/// What a session is about, handed from one to the next.
#[derive(Clone)]
pub(super) struct SessionContext {
    pub(super) catalog: Arc<Catalog>,
    pub(super) statements: Arc<[Statements]>,
    pub(super) keys: Arc<KeyFollower>,
    pub(super) observer: Arc<Observer>,
    pub(super) fatal: FatalLatch,
    pub(super) memory_bytes: usize,
    pub(super) budget: Arc<AnswerBudget>,
}

impl Session {
    /// Opens all connections to a server and starts what works in the background.
    pub(super) async fn begin(
        server: Server,
        first: PreparedConn,
        context: &SessionContext,
    ) -> Result<Arc<Self>, String> {
        let first = Arc::new(first);
        let version = first.query("SELECT number FROM _carnet_version", &[]).await;
        let version = version.and_then(|rows| rows.first().map_or(Ok(0), |row| row.try_get::<_, i64>(0)));
        let version = version.map_err(|error| words(&error))?.unsigned_abs();
        let cache = Arc::new(Cache::new(context.catalog.clone(), version, context.memory_bytes));
        // All at once: until they are there, nobody is served.
        let conns = |number| try_join_all((0..number).map(|_| server.conn()));
        let (quick, long) = (conns(QUICK_CONNS), conns(LONG_CONNS));
        let (quick, long, aside, for_sets) = try_join4(quick, long, server.conn(), server.conn()).await?;
        let aside = Arc::new(aside);
        aside.client.batch_execute("SET synchronous_commit = off").await.map_err(|error| words(&error))?;
        // A whole collection is read best from one end of the table to the other.
        for_sets.client.batch_execute("SET enable_seqscan = on").await.map_err(|error| words(&error))?;
        let session = Arc::new(Self {
            cache,
            validator: CacheValidator::default(),
            observer: context.observer.clone(),
            statements: context.statements.clone(),
            server,
            limiter: ReadLimiter::new(LONG_READS),
            writing: Mutex::new(None),
            keys: SharedKeyTable::default(),
            quick: SharedConns::new(quick),
            long: SharedConns::new(long),
            aside,
            end: watch::Sender::new(None),
        });
        // The keys are known before the first caller comes.
        context.keys.follow(&first, -2).await.map_err(|error| words(&error))?;
        stored_responses::measure(&first, &context.budget).await.map_err(|error| words(&error))?;
        session.clone().start(first, for_sets, context);
        Ok(session)
    }

    fn start(self: Arc<Self>, first: Arc<PreparedConn>, for_sets: PreparedConn, context: &SessionContext) {
        let watched: Vec<_> =
            self.quick.all().chain(self.long.all()).chain([&self.aside, &first]).cloned().collect();
        let feed = ChangeFeed {
            conn: first,
            catalog: context.catalog.clone(),
            cache: self.cache.clone(),
            keys: context.keys.clone(),
        };
        let budget = context.budget.clone();
        // The builder is busy for long at a time, and must hold up nobody.
        let (session, fatal) = (self.clone(), context.fatal.clone());
        let reader = TableReader { session: self.clone(), catalog: context.catalog.clone(), conn: for_sets };
        let builder = Builder { reader, cache: self.cache.clone(), observer: context.observer.clone() };
        tokio::spawn(async move {
            tokio::select! {
                // First: who waits for a set is let go when this is dropped, which it must have begun for.
                biased;
                _ = fatal.guard_task("the task that reads sets", builder.work()) => {}
                _ = session.ended() => {}
            }
        });
        let fatal = context.fatal.clone();
        tokio::spawn(async move {
            let lost = select_all(watched.iter().map(|conn| Box::pin(conn.alive.ended())));
            let refresh = fatal.guard_task("the cache validator", self.validator.work(&feed));
            let cause = tokio::select! {
                cause = refresh => cause.unwrap_or_else(|| "the cache validator panicked".to_owned()),
                cause = self.tidy(&feed.keys, &budget) => cause,
                _ = lost => "a connection was lost".to_owned(),
                cause = self.ended() => cause,
            };
            self.end(&cause);
            self.validator.close();
        });
    }

    /// Ends the session: whoever waits is told, and a server is looked for anew.
    pub(super) fn end(&self, cause: &str) {
        self.end.send_if_modified(|end| {
            let is_first = end.is_none();
            if is_first {
                *end = Some(cause.to_owned());
            }
            is_first
        });
    }

    /// Waits for the end, and says why.
    pub(super) async fn ended(&self) -> String {
        let mut end = self.end.subscribe();
        match end.wait_for(Option::is_some).await {
            Ok(cause) => cause.clone().unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// Asks through one of some connections.
    pub(super) async fn ask(
        &self,
        conns: &SharedConns,
        text: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        self.while_it_lasts(Instant::now() + READ_TIMEOUT, conns.one().query(text, parameters)).await
    }

    /// As [`Session::ask`], for answers that may be long: the rows are taken as they come.
    pub(super) async fn ask_for_rows(
        &self,
        conns: &SharedConns,
        text: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Rows<'_>, StoreError> {
        let deadline = Instant::now() + READ_TIMEOUT;
        let rows = self.while_it_lasts(deadline, conns.one().rows(text, parameters)).await?;
        Ok(Rows::new(self, rows, deadline))
    }

    /// Asks through the connection for what is not worth a sync of the disk.
    pub(super) async fn ask_aside(
        &self,
        text: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        self.while_it_lasts(Instant::now() + READ_TIMEOUT, self.aside.query(text, parameters)).await
    }

    /// Waits for an answer, but not beyond the end of the session: a server that hangs does not hang up.
    pub(super) async fn while_it_lasts<T>(
        &self,
        deadline: Instant,
        answer: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        tokio::select! {
            biased;
            answer = tokio::time::timeout_at(deadline, answer) => match answer {
                Ok(answer) => answer.map_err(|error| of_reading(&error)),
                Err(_) => Err(StoreError::Unavailable),
            },
            _ = self.ended() => Err(StoreError::Unavailable),
        }
    }

    /// Keeps the log of changes and the tables of quotas and answers short, and writes when keys were last used.
    async fn tidy(&self, keys: &KeyFollower, budget: &AnswerBudget) -> String {
        loop {
            tokio::time::sleep(TIDY).await;
            let log = "DELETE FROM _carnet_changes WHERE number <= (SELECT number FROM _carnet_version) - $1";
            let quotas = "DELETE FROM _carnet_quota WHERE ends < clock_timestamp()";
            let tidied = async {
                self.aside.query(log, &[&KEPT_VERSIONS]).await?;
                self.aside.query(quotas, &[]).await?;
                stored_responses::clear(&self.aside).await?;
                stored_responses::measure(&self.aside, budget).await?;
                keys.write_uses(&self.aside).await
            };
            match tidied.await {
                Ok(()) => {}
                Err(error) if error.as_db_error().is_some() => {
                    self.observer.store().found_busy();
                }
                Err(error) => return words(&error),
            }
        }
    }
}
