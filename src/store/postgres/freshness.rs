//! The cache validator: asks the database, for every request, whether memory is still right, and brings it up to date.
//!
//! Who asks while a question is under way waits for the next one, so that its answer was given after they
//! asked; all who wait share one question. So a node answers from its memory, and never anything that the
//! database did not confirm within that same request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio_postgres::{Error, Row};

use super::change_row;
use super::group_error::words;
use super::key_follower::KeyFollower;
use super::prepared_conn::PreparedConn;
use super::sql;
use crate::catalog::Catalog;
use crate::record::{RecordId, representation};
use crate::store::StoreError;
use crate::store::cache::Cache;
use crate::store::cache::sets::SetKey;
use crate::store::change::{After, Change};

/// Without requests the database is asked so often: access keys are followed, and the log is read while it
/// is short.
const LOOK: Duration = Duration::from_millis(250);
/// Who is further behind than so many changes starts anew.
const MOST_NEWS: i64 = 20_000;
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
        let rows = self.conn.query(sql::CHANGES, &[&since, &(MOST_NEWS + 1)]).await?;
        let Some(first) = rows.first() else { return Ok(()) };
        let version = first.try_get::<_, i64>(0)?.unsigned_abs();
        if version != known {
            let News { changes, forgotten } = self.news(known, version, &rows)?;
            self.cache.apply(version, &changes, &forgotten);
            forgotten
                .into_iter()
                .for_each(|collection| self.cache.builds.request(SetKey::all_of(collection)));
        }
        self.keys.follow(&self.conn, first.try_get(1)?, asked).await
    }

    /// What has changed since `known`. Where the log does not tell all of it, everything is forgotten.
    fn news(&self, known: u64, version: u64, rows: &[Row]) -> Result<News, Error> {
        let mut news = News { changes: Vec::with_capacity(rows.len()), forgotten: Vec::new() };
        let (mut told, mut last) = (0, None);
        for row in rows {
            let Some(number) = row.try_get::<_, Option<i64>>(2)? else { continue };
            if last.replace(number) != Some(number) {
                told += 1;
            }
            let Some(collection) = self.catalog.find(row.try_get(3)?) else { continue };
            let position = collection.position();
            let Some(id) = row.try_get::<_, Option<i64>>(4)?.and_then(RecordId::new) else {
                news.forget(position);
                continue;
            };
            let record = |column| -> Result<Option<Option<Vec<_>>>, Error> {
                let text: Option<&str> = row.try_get(column)?;
                Ok(text.map(|text| change_row::read(collection, text)))
            };
            match (record(5)?, record(6)?) {
                (Some(None), _) | (_, Some(None)) => news.forget(position),
                (before, after) => {
                    let after = after.flatten().map(|values| After {
                        representation: representation::of(collection, id, &values),
                        values,
                    });
                    news.changes.push(Change { collection: position, id, before: before.flatten(), after });
                }
            }
        }
        // Less than the known version: another database stands at this address now.
        if version < known || told != version - known || rows.len() as i64 > MOST_NEWS {
            news.changes.clear();
            news.forgotten = (0..self.catalog.collections().len()).collect();
        }
        Ok(news)
    }
}

struct News {
    changes: Vec<Change>,
    forgotten: Vec<usize>,
}

impl News {
    fn forget(&mut self, collection: usize) {
        if !self.forgotten.contains(&collection) {
            self.forgotten.push(collection);
        }
    }
}
