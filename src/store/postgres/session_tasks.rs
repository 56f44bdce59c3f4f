//! The beginning of a session: all its connections, and what works for it in the background until it ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{select_all, try_join, try_join_all, try_join5};
use tokio::sync::Mutex;

use super::change_feed::{self, ANY_KEYS, ChangeFeed};
use super::change_log;
use super::freshness::CacheValidator;
use super::group_error::words;
use super::key_follower::KeyFollower;
use super::key_table::SharedKeyTable;
use super::lifetime::Lifetime;
use super::prepared_conn::{PreparedConn, SharedConns};
use super::server::Server;
use super::session::{Session, SessionContext};
use super::set_reader::TableReader;
use super::stored_answers;
use crate::store::cache::Cache;
use crate::store::cache::builder::Builder;
use crate::store::patient_thread::PatientThread;
use crate::store::read_limiter::ReadLimiter;
use crate::store::write::answer_budget::AnswerBudget;

/// Connections that those share who read what is found at once, and those whose reads take long: each connection
/// answers one question after the other, and what is quick must not wait behind what is not.
const QUICK_CONNS: usize = 2;
const LONG_CONNS: usize = 2;
/// How many lists that take long are asked for at once.
const LONG_READS: usize = 6 * LONG_CONNS;
/// How often what nobody needs any more is taken out of the log of changes and the tables of quotas and answers.
const TIDY: Duration = Duration::from_secs(5);

/// Opens all connections to a server and starts what works in the background.
pub(super) async fn begin(
    server: Server,
    first: PreparedConn,
    context: &SessionContext,
) -> Result<Arc<Session>, String> {
    let first = Arc::new(first);
    let version = change_feed::newest(&first).await.map_err(|error| words(&error))?;
    let cache = Arc::new(Cache::new(context.catalog.clone(), version, &context.settings));
    // All at once: until they are there, nobody is served.
    let conns = |number| try_join_all((0..number).map(|_| server.conn()));
    let (quick, long) = (conns(QUICK_CONNS), conns(LONG_CONNS));
    let single = try_join(server.conn(), server.conn());
    let opened = try_join5(quick, long, single, server.conn(), server.writing_conn()).await;
    let (quick, long, (aside, beside), for_sets, writing) = opened.map_err(|refused| refused.words)?;
    let (aside, beside) = (Arc::new(aside), Arc::new(beside));
    aside.client.batch_execute("SET synchronous_commit = off").await.map_err(|error| words(&error))?;
    // A whole collection is read best from one end of the table to the other.
    for_sets.client.batch_execute("SET enable_seqscan = on").await.map_err(|error| words(&error))?;
    let session = Arc::new(Session {
        cache,
        validator: CacheValidator::default(),
        own: Arc::default(),
        observer: context.observer.clone(),
        statements: context.statements.clone(),
        server,
        limiter: ReadLimiter::new(LONG_READS),
        writing: Mutex::new(Some(Arc::new(writing))),
        keys: SharedKeyTable::default(),
        quick: SharedConns::new(quick),
        long: SharedConns::new(long),
        aside,
        lifetime: Lifetime::default(),
    });
    let asked = Instant::now();
    // The keys are known before the first caller comes.
    context.keys.follow(&first, ANY_KEYS, asked).await.map_err(|error| words(&error))?;
    stored_answers::measure(&first, &context.budget).await.map_err(|error| words(&error))?;
    let feed = ChangeFeed {
        conn: first,
        beside,
        catalog: context.catalog.clone(),
        cache: session.cache.clone(),
        keys: context.keys.clone(),
        own: session.own.clone(),
        patient: PatientThread::start("follower").map_err(|error| error.to_string())?,
    };
    start(session.clone(), feed, for_sets, context);
    Ok(session)
}

fn start(session: Arc<Session>, feed: ChangeFeed, for_sets: PreparedConn, context: &SessionContext) {
    let single = [&session.aside, &feed.conn, &feed.beside];
    let watched: Vec<_> = session.quick.all().chain(session.long.all()).chain(single).cloned().collect();
    let feed = Arc::new(feed);
    let budget = context.budget.clone();
    // The builder is busy for long at a time, and must hold up nobody.
    let (served, fatal) = (session.clone(), context.fatal.clone());
    let reader = TableReader { session: session.clone(), catalog: context.catalog.clone(), conn: for_sets };
    let builder = Builder { reader, cache: session.cache.clone(), observer: context.observer.clone() };
    tokio::spawn(async move {
        tokio::select! {
            // First: who waits for a set is let go when this is dropped, which it must have begun for.
            biased;
            _ = fatal.guard_task("the task that reads sets", builder.work()) => {}
            _ = served.lifetime.ended() => {}
        }
    });
    let fatal = context.fatal.clone();
    tokio::spawn(async move {
        let lost = select_all(watched.iter().map(|conn| Box::pin(conn.alive.ended())));
        let refresh = fatal.guard_task("the cache validator", session.validator.work(&feed));
        let cause = tokio::select! {
            cause = refresh => cause.unwrap_or_else(|| "the cache validator panicked".to_owned()),
            cause = tidy(&session, &feed.keys, &budget) => cause,
            _ = lost => "a connection was lost".to_owned(),
            cause = session.lifetime.ended() => cause,
        };
        session.lifetime.end(&cause);
        session.validator.close();
    });
}

/// Keeps the log of changes and the tables of quotas and answers short, and writes when keys were last used.
async fn tidy(session: &Session, keys: &KeyFollower, budget: &AnswerBudget) -> String {
    loop {
        tokio::time::sleep(TIDY).await;
        session.cache.request_forgotten();
        // Those that are being counted in are left for the next time.
        let quotas = "DELETE FROM _carnet_quota WHERE (collection, key) IN \
             (SELECT collection, key FROM _carnet_quota WHERE ends < clock_timestamp() FOR UPDATE SKIP LOCKED)";
        let tidied = async {
            session.aside.query(&change_log::tidy(), &[]).await?;
            session.aside.query(quotas, &[]).await?;
            stored_answers::clear(&session.aside).await?;
            stored_answers::measure(&session.aside, budget).await?;
            keys.write_uses(&session.aside).await
        };
        match tidied.await {
            Ok(()) => {}
            Err(error) if error.as_db_error().is_some() => {
                session.observer.store().found_busy();
            }
            Err(error) => return words(&error),
        }
    }
}
