//! A session: everything that a node has with one server, from the moment it is found until it is lost.
//!
//! When any connection of it breaks, all of it ends, memory included: the server that is found next may be another
//! one, with another past. The supervisor then looks for it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_postgres::Row;

use super::freshness::CacheValidator;
use super::key_follower::KeyFollower;
use super::key_table::SharedKeyTable;
use super::lifetime::Lifetime;
use super::own_commits::OwnCommits;
use super::prepared_conn::{Parameter, PreparedConn, SharedConns};
use super::rows::Rows;
use super::server::Server;
use super::statement_cache::Statements;
use crate::catalog::Catalog;
use crate::observe::Observer;
use crate::store::cache::Cache;
use crate::store::fatal::FatalLatch;
use crate::store::read_limiter::ReadLimiter;
use crate::store::write::answer_budget::AnswerBudget;
use crate::store::{OpenSettings, StoreError};

/// A read that takes longer is given up.
const READ_TIMEOUT: Duration = Duration::from_secs(60);
pub(super) struct Session {
    pub(super) cache: Arc<Cache>,
    pub(super) validator: CacheValidator,
    pub(super) own: Arc<OwnCommits>,
    pub(super) observer: Arc<Observer>,
    pub(super) statements: Arc<[Statements]>,
    pub(super) server: Server,
    pub(super) limiter: ReadLimiter,
    /// The connection of the writer, opened again after it was given up.
    pub(super) writing: Mutex<Option<Arc<PreparedConn>>>,
    pub(super) keys: SharedKeyTable,
    pub(super) quick: SharedConns,
    pub(super) long: SharedConns,
    /// For what is not worth a sync of the disk.
    pub(super) aside: Arc<PreparedConn>,
    pub(super) lifetime: Lifetime,
}

/// What a session is about, handed from one to the next.
#[derive(Clone)]
pub(super) struct SessionContext {
    pub(super) catalog: Arc<Catalog>,
    pub(super) statements: Arc<[Statements]>,
    pub(super) keys: Arc<KeyFollower>,
    pub(super) observer: Arc<Observer>,
    pub(super) fatal: FatalLatch,
    pub(super) settings: OpenSettings,
    pub(super) budget: Arc<AnswerBudget>,
}

impl Session {
    /// Asks through one of some connections.
    pub(super) async fn ask(
        &self,
        conns: &SharedConns,
        text: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        self.lifetime.while_it_lasts(Instant::now() + READ_TIMEOUT, conns.one().query(text, parameters)).await
    }

    /// As [`Session::ask`], for answers that may be long: the rows are taken as they come.
    pub(super) async fn ask_for_rows(
        &self,
        conns: &SharedConns,
        text: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Rows<'_>, StoreError> {
        let deadline = Instant::now() + READ_TIMEOUT;
        let rows = self.lifetime.while_it_lasts(deadline, conns.one().rows(text, parameters)).await?;
        Ok(Rows::new(&self.lifetime, rows, deadline))
    }

    /// Asks through the connection for what is not worth a sync of the disk.
    pub(super) async fn ask_aside(
        &self,
        text: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        self.lifetime.while_it_lasts(Instant::now() + READ_TIMEOUT, self.aside.query(text, parameters)).await
    }
}
