//! The server that a session is with: one of the hosts of the address, found anew after every loss.

use std::cmp::Reverse;
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::PostgresUrl;
use super::connection;
use super::group_error::words;
use super::prepared_conn::PreparedConn;
use crate::store::OpenError;

/// How long to listen to the other hosts once one of them takes writes.
const SECOND_LOOK: Duration = Duration::from_secs(1);

/// How to open further connections to the same server.
pub(super) struct Server {
    config: Config,
    tls: MakeRustlsConnect,
    /// When it was started. All connections of a session must lead to one server: what two of them say is compared.
    started: SystemTime,
    /// Every promotion begins a timeline.
    pub(super) timeline: i64,
}

impl Server {
    /// That of the hosts which takes writes, and a connection to it. None does: why not, of each.
    ///
    /// Several may say that they do: a primary that died comes back and knows of no successor. The one with the latest
    /// timeline is right; among equals, the first that is written. One with an older timeline than `known`, that of the
    /// server we had before, lacks what we were told there.
    pub(super) async fn find(url: &PostgresUrl, known: i64) -> Result<(Self, PreparedConn), OpenError> {
        let unreachable = |causes: Vec<String>| OpenError::Unreachable(causes.join("\n"));
        let tls = url.tls().connector().map_err(|error| unreachable(vec![error.to_string()]))?;
        let hosts = url.hosts();
        let by = &tls;
        let asked = hosts.into_iter().enumerate().map(|(place, config)| async move {
            let opened = open(&config, by).await;
            let timeline = match &opened {
                Ok((conn, _)) => timeline(conn).await,
                Err(_) => 0,
            };
            (place, config, timeline, opened)
        });
        let mut asked: FuturesUnordered<_> = asked.collect();
        let (mut found, mut causes) = (Vec::new(), Vec::new());
        loop {
            let next = match found.is_empty() {
                true => asked.next().await,
                false => tokio::time::timeout(SECOND_LOOK, asked.next()).await.ok().flatten(),
            };
            let Some((place, config, timeline, opened)) = next else { break };
            match opened {
                Ok(_) if timeline < known => causes.push((place, older(timeline, known))),
                Ok((conn, started)) => found.push((timeline, Reverse(place), config, started, conn)),
                Err(cause) => causes.push((place, cause)),
            }
        }
        drop(asked);
        let best = found.into_iter().max_by_key(|(timeline, place, ..)| (*timeline, *place));
        let Some((timeline, _, config, started, conn)) = best else {
            causes.sort_unstable();
            return Err(unreachable(causes.into_iter().map(|(_, cause)| cause).collect()));
        };
        Ok((Self { config, tls, started, timeline }, conn))
    }

    /// One more connection to this very server.
    pub(super) async fn conn(&self) -> Result<PreparedConn, String> {
        let (conn, started) = open(&self.config, &self.tls).await?;
        if started != self.started {
            return Err("another server answers there now".into());
        }
        Ok(conn)
    }
}

async fn open(config: &Config, tls: &MakeRustlsConnect) -> Result<(PreparedConn, SystemTime), String> {
    let connected = connection::connect(config, tls).await.map_err(|error| error.to_string())?;
    let conn = PreparedConn::new(connected).await.map_err(|error| words(&error))?;
    let row = conn.client.query_one("SELECT pg_postmaster_start_time()", &[]).await;
    let started = row.and_then(|row| row.try_get(0)).map_err(|error| words(&error))?;
    Ok((conn, started))
}

fn older(timeline: i64, known: i64) -> String {
    format!(
        "a server that takes writes is on timeline {timeline}, and the one before was on {known}: it lacks what was \
         written since; if that is meant, start carnet anew"
    )
}

/// The timeline that a server writes; 0 where it does not say, as some that are only like PostgreSQL.
async fn timeline(conn: &PreparedConn) -> i64 {
    let text = "SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint";
    let row = conn.client.query_one(text, &[]).await;
    row.and_then(|row| row.try_get(0)).unwrap_or(0)
}
