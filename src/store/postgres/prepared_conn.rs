//! A connection: one connection to the server, with the statements that were prepared on it.
//!
//! A connection may be used by many at once: what they ask is sent without waiting for earlier answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, RowStream, Statement};

use super::connection::{Alive, Connected};

/// More statements than one catalog needs; the texts of updates depend on which fields are given.
const MOST_PREPARED: usize = 1_024;
/// What every connection is set to. Statements by key must not be planned anew each time, nor by a look at a table that
/// was small when they were planned; a lock is waited for, but not for ever; nobody hangs up on who is idle, or waits for
/// a turn; numbers are told exactly, and days in one way. `transaction_timeout` came with PostgreSQL 17.
pub(super) const SETTINGS: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off; \
     SET lock_timeout = '5s'; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = '60s'; \
     SET idle_session_timeout = 0; SET default_transaction_isolation = 'read committed'; SET extra_float_digits = 1; SET datestyle = 'ISO, YMD'; \
     SET quote_all_identifiers = off; SET client_min_messages = warning; \
     SELECT set_config('transaction_timeout', '0', false) WHERE current_setting('server_version_num')::int >= 170000";

/// A value to bind.
pub(super) type Parameter<'a> = &'a (dyn ToSql + Sync);

pub(in crate::store) struct PreparedConn {
    pub(super) client: Client,
    pub(super) alive: Alive,
    prepared: Mutex<HashMap<String, Statement>>,
}

impl PreparedConn {
    pub(super) async fn new(connected: Connected) -> Result<Self, Error> {
        let Connected { client, alive } = connected;
        client.batch_execute(SETTINGS).await?;
        Ok(Self { client, alive, prepared: Mutex::new(HashMap::new()) })
    }

    /// The prepared form of a statement, where it was made before.
    fn prepared(&self, text: &str) -> Option<Statement> {
        self.prepared.lock().get(text).cloned()
    }

    /// The prepared form of a statement, made when it is first asked for.
    pub(super) async fn statement(&self, text: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.prepared(text) {
            return Ok(statement);
        }
        let statement = self.client.prepare(text).await?;
        let mut prepared = self.prepared.lock();
        if prepared.len() >= MOST_PREPARED {
            prepared.clear();
        }
        prepared.insert(text.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Forgets what was prepared: tables were altered since.
    pub(super) fn forget_prepared(&self) {
        self.prepared.lock().clear();
    }

    /// The statement prepared anew, where this error says that a table was altered since; else the error. Inside a
    /// transaction, which has failed with it, nothing can be prepared.
    async fn prepare_anew(&self, text: &str, error: Error) -> Result<Statement, Error> {
        // The message is in the language of the server, the name of the routine is not.
        let routine = error.as_db_error().and_then(|said| said.routine());
        if routine != Some("RevalidateCachedQuery") {
            return Err(error);
        }
        self.forget_prepared();
        self.statement(text).await.map_err(|_| error)
    }

    pub(super) async fn query(&self, text: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Error> {
        let statement = self.statement(text).await?;
        match self.client.query(&statement, parameters).await {
            Err(error) => {
                let statement = self.prepare_anew(text, error).await?;
                self.client.query(&statement, parameters).await
            }
            answer => answer,
        }
    }

    /// As [`PreparedConn::query`], row by row: those who use the connection meanwhile wait for whoever does not take
    /// them.
    pub(super) async fn rows(&self, text: &str, parameters: &[Parameter<'_>]) -> Result<RowStream, Error> {
        let statement = self.statement(text).await?;
        match self.client.query_raw(&statement, parameters.iter().copied()).await {
            Err(error) => {
                let statement = self.prepare_anew(text, error).await?;
                self.client.query_raw(&statement, parameters.iter().copied()).await
            }
            rows => rows,
        }
    }
}

/// Some connections that take turns.
pub(super) struct SharedConns {
    conns: Vec<Arc<PreparedConn>>,
    next: AtomicUsize,
}

impl SharedConns {
    pub(super) fn new(conns: Vec<PreparedConn>) -> Self {
        Self { conns: conns.into_iter().map(Arc::new).collect(), next: AtomicUsize::new(0) }
    }

    pub(super) fn one(&self) -> &PreparedConn {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        &self.conns[turn % self.conns.len()]
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<PreparedConn>> {
        self.conns.iter()
    }
}
