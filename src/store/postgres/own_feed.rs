//! The part of the feed of changes for what this node has created itself: the log is asked only whether that is all that
//! was committed. Where it is not, the log is read.

use std::time::Instant;

use tokio_postgres::{Error, Row};

use super::change_feed::{
    ChangeFeed, FEW_NEWS, FEW_NEWS_BYTES, Looked, News, one_more, signed, told, version_of,
};
use super::change_log_reader::LoggedChanges;
use super::own_commits::{CountedCommit, Transaction};
use super::sql;
use super::stale_records::{Stale, StaleRecords};
use crate::store::change::Change;

/// What the log says of commits of which only the number of creates was asked for.
struct Counted {
    /// The number of changes to the keys.
    keys: i64,
    commits: Vec<CountedCommit>,
}

impl ChangeFeed {
    /// Sees what has changed since the version of memory, and follows it where it is little; nothing where the log must
    /// be read.
    pub(super) async fn look_for_own(
        &self,
        known: u64,
        stale: &StaleRecords,
    ) -> Result<Option<Looked>, Error> {
        let asked = Instant::now();
        let Some(Counted { keys, commits }) = self.count(known, self.own.ask()).await? else {
            return Ok(None);
        };
        let Some(changes) = self.own.take(&commits) else { return Ok(None) };
        let version = commits.last().map_or(known, |commit| commit.version);
        let is_little =
            changes.len() <= FEW_NEWS && changes.iter().map(Change::bytes).sum::<usize>() <= FEW_NEWS_BYTES;
        let looked = if is_little {
            self.follow_own(version, changes);
            stale.clear();
            Looked::Met
        } else {
            // All of them are followed together.
            let record = |change: &Change| Stale { version, record: Some((change.collection, change.id)) };
            stale.note(known, version, changes.iter().map(record));
            Looked::Behind(News::Own { version, changes })
        };
        self.keys.follow(&self.conn, keys, asked).await?;
        Ok(Some(looked))
    }

    /// Notes which records have changed since a version; says whether nothing else has.
    pub(super) async fn note_own(&self, known: u64, stale: &StaleRecords) -> Result<bool, Error> {
        let asked = Instant::now();
        let counted = self.count(known, self.own.numbers()).await?;
        let Some(Counted { keys, commits }) = counted else { return Ok(false) };
        let Some(records) = self.own.records(&commits) else { return Ok(false) };
        stale.note(known, commits.last().map_or(known, |commit| commit.version), records);
        self.keys.follow(&self.conn, keys, asked).await?;
        Ok(true)
    }

    pub(super) fn follow_own(&self, version: u64, changes: Vec<Change>) {
        if !changes.is_empty() {
            self.apply(version, LoggedChanges { changes, forgotten: Vec::new() });
        }
    }

    /// How much was created since a version in commits of which some are known by these numbers of their transactions.
    /// `None` where the log must be read: nothing is known, or the log no longer has that version.
    async fn count(&self, known: u64, numbers: Vec<String>) -> Result<Option<Counted>, Error> {
        if numbers.is_empty() {
            return Ok(None);
        }
        let limit = one_more(numbers.len());
        let rows = self.conn.query(sql::COUNTED_COMMITS, &[&signed(known), &numbers, &limit]).await?;
        let Some((keys, news)) = told(&rows, known)? else { return Ok(None) };
        let commit = |row: &Row| {
            let (version, creates) = (version_of(row)?, row.try_get(4)?);
            Ok(CountedCommit { version, transaction: Transaction::read(row, 2)?, creates })
        };
        let commits = news.iter().map(commit).collect::<Result<_, Error>>()?;
        Ok(Some(Counted { keys, commits }))
    }
}
