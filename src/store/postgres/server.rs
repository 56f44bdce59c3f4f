//! The server that a session is with: one of the hosts of the address, found anew after every loss.

use std::cmp::Reverse;
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::PostgresUrl;
use super::group_error::words;
use super::prepared_conn::PreparedConn;
use super::refusal::{Cause, ConnectError};
use super::{connection, pooler};
use crate::store::OpenError;

/// How long to listen to the other hosts once one of them takes writes.
const SECOND_LOOK: Duration = Duration::from_secs(1);

const UNKNOWN: History = History { system: 0, timeline: 0 };

/// How to open further connections to the same server.
pub(super) struct Server {
    config: Config,
    tls: MakeRustlsConnect,
    /// When it was started. All connections of a session must lead to one server: what two of them say is compared.
    started: SystemTime,
    pub(super) history: History,
}

/// What the past of a server is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct History {
    /// Given when a cluster is made. One that was upgraded or restored from a dump is another, and counts anew.
    system: i64,
    /// Every promotion begins a timeline.
    timeline: i64,
}

impl History {
    /// Whether it lacks what the other one has.
    fn is_behind(self, other: Self) -> bool {
        self.system == other.system && self.timeline < other.timeline
    }
}

/// Why a server gives no connection.
#[derive(Debug)]
pub(super) struct NoConn {
    pub(super) words: String,
    /// Whether it has none left: those that it has given are as good as before.
    pub(super) is_full: bool,
}

impl Server {
    /// That of the hosts which takes writes, and a connection to it. None does: why not, of each.
    ///
    /// Several may say that they do: a primary that died comes back and knows of no successor. The one with the latest
    /// timeline is right; among equals, the first that is written. One that is behind `known`, the history of the server
    /// we had before, lacks what we were told there. Where there was none before, a pooler is looked for.
    pub(super) async fn find(
        url: &PostgresUrl,
        known: Option<History>,
    ) -> Result<(Self, PreparedConn), OpenError> {
        let unreachable = |causes: Vec<String>| OpenError::Unreachable(causes.join("\n"));
        let tls = url.tls().connector().map_err(|error| unreachable(vec![error.to_string()]))?;
        let hosts = url.hosts();
        let by = &tls;
        let asked = hosts.into_iter().enumerate().map(|(place, config)| async move {
            let opened = open(&config, by, known.is_none()).await;
            let history = match &opened {
                Ok((conn, _)) => history(conn).await,
                Err(_) => UNKNOWN,
            };
            (place, config, history, opened)
        });
        let mut asked: FuturesUnordered<_> = asked.collect();
        let (mut found, mut causes) = (Vec::new(), Vec::new());
        loop {
            let next = match found.is_empty() {
                true => asked.next().await,
                false => tokio::time::timeout(SECOND_LOOK, asked.next()).await.ok().flatten(),
            };
            let Some((place, config, history, opened)) = next else { break };
            match (opened, known) {
                (Ok(_), Some(known)) if history.is_behind(known) => {
                    causes.push((place, behind(history.timeline, known.timeline)));
                }
                (Ok((conn, started)), _) => found.push((history, Reverse(place), config, started, conn)),
                (Err(refused), _) => causes.push((place, refused.words)),
            }
        }
        drop(asked);
        // Of two clusters with nothing in common, the one that we had.
        let is_known = |history: &History| known.is_some_and(|known| known.system == history.system);
        let best = found
            .into_iter()
            .max_by_key(|(history, place, ..)| (is_known(history), history.timeline, *place));
        let Some((history, _, config, started, conn)) = best else {
            causes.sort_unstable();
            return Err(unreachable(causes.into_iter().map(|(_, cause)| cause).collect()));
        };
        Ok((Self { config, tls, started, history }, conn))
    }

    /// One more connection to this very server.
    pub(super) async fn conn(&self) -> Result<PreparedConn, NoConn> {
        let (conn, started) = open(&self.config, &self.tls, false).await?;
        if started != self.started {
            return Err(NoConn { words: "another server answers there now".into(), is_full: false });
        }
        Ok(conn)
    }

    /// One to write with. All writes of the node wait while it waits for a lock, so it does not wait for long; for the
    /// turn and a commit, a group sets another time.
    pub(super) async fn writing_conn(&self) -> Result<PreparedConn, NoConn> {
        let conn = self.conn().await?;
        conn.client.batch_execute("SET lock_timeout = '500ms'").await?;
        Ok(conn)
    }
}

/// A connection with its settings, and when its server was started. What looks for a pooler does so before anything is
/// set, which would be set for others.
async fn open(
    config: &Config,
    tls: &MakeRustlsConnect,
    looks_for_pooler: bool,
) -> Result<(PreparedConn, SystemTime), NoConn> {
    let connected = match looks_for_pooler {
        true => pooler::connect(config, tls).await?,
        false => connection::connect(config, tls).await?,
    };
    let conn = PreparedConn::new(connected).await?;
    let row = conn.client.query_one("SELECT pg_postmaster_start_time()", &[]).await;
    let started = row.and_then(|row| row.try_get(0))?;
    Ok((conn, started))
}

impl From<ConnectError> for NoConn {
    fn from(error: ConnectError) -> Self {
        Self { words: error.to_string(), is_full: matches!(error.cause, Cause::Full(_)) }
    }
}

impl From<tokio_postgres::Error> for NoConn {
    fn from(error: tokio_postgres::Error) -> Self {
        Self { words: words(&error), is_full: false }
    }
}

fn behind(timeline: i64, known: i64) -> String {
    format!(
        "a server that takes writes is on timeline {timeline}, and the one before was on {known}: it lacks what was \
         written since; if that is meant, start carnet anew"
    )
}

/// The history that a server writes; unknown where it does not say, as some that are only like PostgreSQL.
async fn history(conn: &PreparedConn) -> History {
    let text = "SELECT (SELECT system_identifier FROM pg_control_system()), \
         ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint";
    let row = conn.client.query_one(text, &[]).await;
    let read = row.and_then(|row| Ok(History { system: row.try_get(0)?, timeline: row.try_get(1)? }));
    read.unwrap_or(UNKNOWN)
}
