//! The cache validator: asks the database, for every request, whether memory is still right, and brings it up to date.
//!
//! Who asks while a question is under way waits for the next one, so that its answer was given after they
//! asked; all who wait share one question. So a node answers from its memory, and never anything that the
//! database did not confirm within that same request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio_postgres::Error;

use super::change_log::NEWEST;
use super::change_log_reader::LoggedChanges;
use super::group_error::words;
use super::key_follower::KeyFollower;
use super::prepared_conn::PreparedConn;
use super::sql;
use crate::catalog::Catalog;
use crate::store::StoreError;
use crate::store::cache::Cache;
use crate::store::cache::set_key::SetKey;

/// Without requests the database is asked so often: access keys are followed, and the log is read while it
/// is short.
const LOOK: Duration = Duration::from_millis(250);
/// Who is further behind than so many changes starts anew; of more bytes the records are not told.
const MOST_NEWS: i64 = 20_000;
const MOST_NEWS_BYTES: i64 = 8 << 20;
/// So many changes take some hundred microseconds. More of them would keep other tasks off the thread: the writer that
/// had just been woken there waited for 28 ms, whenever nobody had read for a while.
const MANY_NEWS: usize = 64;
/// A database that takes longer to say its version is not there.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(super) struct CacheValidator {
    /// The number of the question that is asked next: who comes now waits for its answer.
    next: AtomicU64,
    /// All questions before this one are answered.
    answered: AtomicU64,
    is_over: AtomicBool,
    question: Notify,
    /// Who waits for the question under way, and who for the one after it: apart, so that an answer wakes nobody
    /// who is not meant.
    answers: [Notify; 2],
}

impl CacheValidator {
    /// Waits until memory is as new as the database was after this call.
    pub(super) async fn refresh(&self) -> Result<(), StoreError> {
        // A change that changes nothing sees the latest number; a mere look might see one whose question is
        // under way already.
        let number = self.next.fetch_add(0, Ordering::AcqRel);
        let mut is_told = false;
        loop {
            let mut answered = std::pin::pin!(self.answer(number).notified());
            answered.as_mut().enable();
            if self.answered.load(Ordering::Acquire) > number {
                return Ok(());
            }
            if !std::mem::replace(&mut is_told, true) {
                self.question.notify_one();
            }
            if self.is_over.load(Ordering::Acquire) {
                return Err(StoreError::Unavailable);
            }
            answered.await;
        }
    }

    /// Answers until the database no longer does.
    pub(super) async fn work(&self, feed: &ChangeFeed) -> String {
        let cause = loop {
            // A look that nobody asked for is one all the same.
            let _ = tokio::time::timeout(LOOK, self.question.notified()).await;
            let number = self.next.fetch_add(1, Ordering::AcqRel);
            match tokio::time::timeout(REFRESH_TIMEOUT, feed.look()).await {
                Ok(Ok(())) => {
                    self.answered.store(number + 1, Ordering::Release);
                    self.answer(number).notify_waiters();
                }
                Ok(Err(error)) => break words(&error),
                Err(_) => break "it does not answer".to_owned(),
            }
        };
        self.close();
        cause
    }

    /// Lets nobody wait any more.
    pub(super) fn close(&self) {
        self.is_over.store(true, Ordering::Release);
        self.answers.iter().for_each(Notify::notify_waiters);
    }

    fn answer(&self, number: u64) -> &Notify {
        let [even, odd] = &self.answers;
        if number.is_multiple_of(2) { even } else { odd }
    }
}

/// What the validator reads changes from, and where it applies them.
pub(super) struct ChangeFeed {
    pub(super) conn: Arc<PreparedConn>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) cache: Arc<Cache>,
    pub(super) keys: Arc<KeyFollower>,
}

impl ChangeFeed {
    async fn look(&self) -> Result<(), Error> {
        let asked = Instant::now();
        let known = self.cache.version();
        let since = i64::try_from(known).unwrap_or(i64::MAX);
        let rows = self.conn.query(sql::CHANGES, &[&since, &(MOST_NEWS + 2), &MOST_NEWS_BYTES]).await?;
        let Some(first) = rows.first() else { return self.start_anew(asked).await };
        let version = rows.last().unwrap_or(first).try_get::<_, i64>(1)?.unsigned_abs();
        if first.try_get::<_, i64>(1)? != since || rows.len() as i64 > MOST_NEWS + 1 {
            return self.start_anew(asked).await;
        }
        if version != known {
            let news = &rows[1..];
            let follow = || LoggedChanges::read(&self.catalog, news).map(|read| self.apply(version, read));
            if news.len() > MANY_NEWS { tokio::task::block_in_place(follow)? } else { follow()? }
        }
        self.keys.follow(&self.conn, first.try_get(0)?, asked).await
    }

    /// Forgets everything: the log no longer reaches back to what is known, or another database stands at this address.
    async fn start_anew(&self, asked: Instant) -> Result<(), Error> {
        let version = newest(&self.conn).await?;
        self.apply(version, LoggedChanges::unknown(&self.catalog));
        self.keys.follow(&self.conn, -2, asked).await
    }

    fn apply(&self, version: u64, LoggedChanges { changes, forgotten }: LoggedChanges) {
        self.cache.apply(version, &changes, &forgotten);
        forgotten.into_iter().for_each(|collection| self.cache.builds.request(SetKey::all_of(collection)));
    }
}

/// The newest version. Where there is none, something has emptied the table, and nobody can tell what is new.
pub(super) async fn newest(conn: &PreparedConn) -> Result<u64, Error> {
    let rows = conn.query(&format!("SELECT number FROM {NEWEST} AS newest"), &[]).await?;
    let number = rows.first().map_or(Ok(0), |row| row.try_get::<_, i64>(0))?;
    Ok(number.unsigned_abs())
}
