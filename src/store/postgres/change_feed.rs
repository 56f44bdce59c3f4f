//! The feed of changes: asks what has changed since the version that memory is of, and has memory follow it.
//!
//! What this node has created itself is not read back: the log is asked only whether that is all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_postgres::{Error, Row};

use super::change_log::NEWEST;
use super::change_log_reader::LoggedChanges;
use super::group_error::words;
use super::key_follower::KeyFollower;
use super::own_commits::OwnCommits;
use super::prepared_conn::PreparedConn;
use super::sql;
use super::stale_records::{Stale, StaleRecords};
use crate::catalog::Catalog;
use crate::record::RecordId;
use crate::store::cache::Cache;
use crate::store::cache::set_key::SetKey;
use crate::store::change::Change;
use crate::store::patient_thread::PatientThread;

/// Who is further behind than so many changes starts anew; of more bytes the records are not told.
const MOST_NEWS: usize = 20_000;
const MOST_NEWS_BYTES: usize = 8 << 20;
/// So much is followed at once, which takes some hundred microseconds. More would keep others waiting, and other tasks
/// off the thread: the writer that had just been woken there waited for 28 ms, whenever nobody had read for a while.
pub(super) const FEW_NEWS: usize = 100;
pub(super) const FEW_NEWS_BYTES: usize = 128 << 10;
/// A database that takes longer to say its version is not there.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(5);
/// Stands for a number of changes to the keys that is not known: they are read.
pub(super) const ANY_KEYS: i64 = -2;

pub(super) struct ChangeFeed {
    pub(super) conn: Arc<PreparedConn>,
    /// For many changes: questions need not wait behind them, nor they behind anything.
    pub(super) beside: Arc<PreparedConn>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) cache: Arc<Cache>,
    pub(super) keys: Arc<KeyFollower>,
    pub(super) own: Arc<OwnCommits>,
    /// Many changes are followed there.
    pub(super) patient: PatientThread,
}

/// What a look at the database has shown.
pub(super) enum Looked {
    /// Memory is what the database was.
    Met,
    /// There are more changes than are followed at once. Which records they are about is noted.
    Behind(News),
}

/// Changes that are yet to be followed.
pub(super) enum News {
    /// As the log has them.
    Logged,
    /// As this node has made them.
    Own { version: u64, changes: Vec<Change> },
}

impl ChangeFeed {
    /// Sees what has changed since the version of memory, and follows it where it is little.
    pub(super) async fn look(&self, stale: &StaleRecords) -> Result<Looked, Error> {
        let (asked, known) = (Instant::now(), self.cache.version());
        if let Some(looked) = self.look_for_own(known, stale).await? {
            return Ok(looked);
        }
        let rows = self.changes(&self.conn, known, FEW_NEWS, FEW_NEWS_BYTES).await?;
        match told(&rows, known)? {
            Some((keys, news)) if news.len() <= FEW_NEWS && !news.iter().any(is_cut) => {
                self.follow_all(news)?;
                stale.clear();
                self.keys.follow(&self.conn, keys, asked).await?;
                Ok(Looked::Met)
            }
            Some(_) => {
                self.note(known, stale).await?;
                Ok(Looked::Behind(News::Logged))
            }
            None => {
                self.start_anew(&self.conn).await?;
                stale.clear();
                self.keys.follow(&self.conn, ANY_KEYS, asked).await?;
                Ok(Looked::Met)
            }
        }
    }

    /// Notes which records have changed since a version, and not what they are now.
    async fn note(&self, known: u64, stale: &StaleRecords) -> Result<(), Error> {
        let asked = Instant::now();
        let rows = self.conn.query(sql::CHANGED, &[&signed(known), &one_more(MOST_NEWS)]).await?;
        let keys = match told(&rows, known)? {
            Some((keys, news)) if news.len() <= MOST_NEWS => {
                let newest = news.last().map_or(Ok(known), version_of)?;
                let news = news.iter().map(|row| self.stale(row)).collect::<Result<Vec<_>, Error>>()?;
                stale.note(known, newest, news.into_iter().flatten());
                keys
            }
            _ => {
                stale.note_all();
                keys_of(&rows)?
            }
        };
        self.keys.follow(&self.conn, keys, asked).await
    }

    /// What a row `keys, number, collection, id` is about; nothing where that collection is not served.
    fn stale(&self, row: &Row) -> Result<Option<Stale>, Error> {
        let collection = row.try_get::<_, Option<&str>>(2)?.map(|name| self.catalog.find(name));
        let id = row.try_get::<_, Option<i64>>(3)?.and_then(RecordId::new);
        let record = match collection {
            Some(None) => return Ok(None),
            Some(Some(collection)) => id.map(|id| (collection.position(), id)),
            None => None,
        };
        Ok(Some(Stale { version: version_of(row)?, record }))
    }

    /// Sees what has changed further, while what a look has shown is being followed.
    pub(super) async fn look_on(&self, stale: &StaleRecords) -> Result<(), Error> {
        let Some(known) = stale.newest() else {
            // There is nothing more to note than everything.
            let asked = Instant::now();
            let rows = self.conn.query("SELECT keys FROM _carnet_version", &[]).await?;
            return self.keys.follow(&self.conn, keys_of(&rows)?, asked).await;
        };
        if !self.note_own(known, stale).await? {
            self.note(known, stale).await?;
        }
        Ok(())
    }

    /// Follows many changes, while others look; the keys are theirs to follow.
    pub(super) async fn follow(self: &Arc<Self>, news: News) -> Result<(), String> {
        let feed = self.clone();
        if let News::Own { version, changes } = news {
            self.patient.run(move || feed.follow_own(version, changes)).await;
            return Ok(());
        }
        let known = self.cache.version();
        let rows = in_time(self.changes(&self.beside, known, MOST_NEWS, MOST_NEWS_BYTES)).await?;
        let followed = self.patient.run(move || feed.follow_many(&rows, known)).await;
        match followed.map_err(|error| words(&error))? {
            true => Ok(()),
            false => in_time(self.start_anew(&self.beside)).await,
        }
    }

    /// Follows what was read since a version; says whether that is all.
    fn follow_many(&self, rows: &[Row], known: u64) -> Result<bool, Error> {
        match told(rows, known)? {
            Some((_, news)) if news.len() <= MOST_NEWS => self.follow_all(news).map(|()| true),
            _ => Ok(false),
        }
    }

    async fn changes(
        &self,
        conn: &PreparedConn,
        known: u64,
        most: usize,
        bytes: usize,
    ) -> Result<Vec<Row>, Error> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        conn.query(sql::CHANGES, &[&signed(known), &one_more(most), &bytes]).await
    }

    fn follow_all(&self, news: &[Row]) -> Result<(), Error> {
        let Some(last) = news.last() else { return Ok(()) };
        let version = version_of(last)?;
        self.apply(version, LoggedChanges::read(&self.catalog, news)?);
        Ok(())
    }

    /// Forgets everything: the log no longer reaches back to what is known, or another database stands at this address.
    async fn start_anew(&self, conn: &PreparedConn) -> Result<(), Error> {
        let version = newest(conn).await?;
        self.apply(version, LoggedChanges::unknown(&self.catalog));
        Ok(())
    }

    pub(super) fn apply(&self, version: u64, LoggedChanges { changes, forgotten }: LoggedChanges) {
        self.cache.apply(version, &changes, &forgotten);
        forgotten.into_iter().for_each(|collection| self.cache.builds.request(SetKey::all_of(collection)));
    }
}

/// What the database answers, unless it takes too long.
pub(super) async fn in_time<T>(answer: impl Future<Output = Result<T, Error>>) -> Result<T, String> {
    match tokio::time::timeout(REFRESH_TIMEOUT, answer).await {
        Ok(answer) => answer.map_err(|error| words(&error)),
        Err(_) => Err("it does not answer".to_owned()),
    }
}

/// The number of changes to the keys.
fn keys_of(rows: &[Row]) -> Result<i64, Error> {
    rows.first().map_or(Ok(ANY_KEYS), |row| row.try_get(0))
}

/// The number of changes to the keys, and the rows behind that of the version that is known; nothing where the log no
/// longer has that version.
pub(super) fn told(rows: &[Row], known: u64) -> Result<Option<(i64, &[Row])>, Error> {
    let Some((first, news)) = rows.split_first() else { return Ok(None) };
    let is_known = first.try_get::<_, i64>(1)? == signed(known);
    Ok(if is_known { Some((first.try_get(0)?, news)) } else { None })
}

/// Rows enough for the version that is known, so many changes, and one that shows that there are more.
pub(super) fn one_more(most: usize) -> i64 {
    i64::try_from(most + 2).unwrap_or(i64::MAX)
}

pub(super) fn signed(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(i64::MAX)
}

/// The version of a commit.
pub(super) fn version_of(row: &Row) -> Result<u64, Error> {
    Ok(row.try_get::<_, i64>(1)?.unsigned_abs())
}

fn is_cut(row: &Row) -> bool {
    row.get(6)
}

/// The newest version. Where there is none, something has emptied the table, and nobody can tell what is new.
pub(super) async fn newest(conn: &PreparedConn) -> Result<u64, Error> {
    let rows = conn.query(&format!("SELECT number FROM {NEWEST} AS newest"), &[]).await?;
    let number = rows.first().map_or(Ok(0), |row| row.try_get::<_, i64>(0))?;
    Ok(number.unsigned_abs())
}
