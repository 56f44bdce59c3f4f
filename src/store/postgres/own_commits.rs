//! What this node has committed itself and memory has not followed yet. Of creates it knows all that the log of changes
//! could say, and need not read them back.
//!
//! The log is asked how many creates each commit has, and whether it has anything else. Where it has as many as the node
//! knows of and nothing else, it has no others: what a trigger of another tool does comes on top.

use std::collections::VecDeque;
use std::time::SystemTime;

use parking_lot::Mutex;
use tokio_postgres::{Error, Row};

use super::stale_records::Stale;
use crate::store::change::Change;

/// So much is kept; of what came before it the log tells.
const MOST: usize = 256;
pub(super) const MOST_BYTES: usize = 8 << 20;

/// A transaction as the log knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Transaction {
    number: String,
    began: SystemTime,
}

impl Transaction {
    /// In two columns.
    pub(super) fn read(row: &Row, column: usize) -> Result<Self, Error> {
        Ok(Self { number: row.try_get(column)?, began: row.try_get(column + 1)? })
    }

    #[cfg(test)]
    pub(super) fn numbered(number: u64) -> Self {
        Self { number: number.to_string(), began: SystemTime::UNIX_EPOCH }
    }
}

/// A commit of the log, of which only the number of creates is told, where we had asked for that and it has nothing
/// else.
pub(super) struct CountedCommit {
    pub(super) version: u64,
    pub(super) transaction: Transaction,
    pub(super) creates: Option<i64>,
}

#[derive(Default)]
pub(super) struct OwnCommits {
    kept: Mutex<VecDeque<OwnCommit>>,
}

struct OwnCommit {
    transaction: Transaction,
    changes: Vec<Change>,
    bytes: usize,
    is_committed: bool,
    /// Whether the log was asked for it when it was committed: where it was not found then, memory has followed it.
    is_asked_for: bool,
}

/// Changes that are forgotten again unless their commit is confirmed.
pub(super) struct Announced<'a> {
    own: &'a OwnCommits,
    transaction: Transaction,
}

impl OwnCommits {
    /// Tells of a commit, at best before it can be seen.
    pub(super) fn announce(&self, transaction: Transaction, changes: Vec<Change>) -> Announced<'_> {
        let bytes = changes.iter().map(Change::bytes).sum();
        let commit = OwnCommit {
            transaction: transaction.clone(),
            changes,
            bytes,
            is_committed: false,
            is_asked_for: false,
        };
        let mut kept = self.kept.lock();
        kept.push_back(commit);
        let mut all: usize = kept.iter().map(|own| own.bytes).sum();
        while (all > MOST_BYTES || kept.len() > MOST)
            && let Some(oldest) = kept.pop_front()
        {
            all -= oldest.bytes;
        }
        Announced { own: self, transaction }
    }

    /// The transactions that the log is to be asked for.
    pub(super) fn numbers(&self) -> Vec<String> {
        self.kept.lock().iter().map(|own| own.transaction.number.clone()).collect()
    }

    /// The same, where what is not found is forgotten: [`OwnCommits::take`] is to be told the answer.
    pub(super) fn ask(&self) -> Vec<String> {
        self.kept.lock().iter_mut().for_each(|own| own.is_asked_for = own.is_committed);
        self.numbers()
    }

    /// What these commits have done, in order; `None` where not all is known.
    pub(super) fn take(&self, commits: &[CountedCommit]) -> Option<Vec<Change>> {
        let mut kept = self.kept.lock();
        let mut changes = Some(Vec::new());
        for commit in commits {
            let place = kept.iter().position(|own| own.transaction == commit.transaction);
            let own = place.and_then(|place| kept.remove(place)).filter(|own| own.is_all_of(commit));
            changes = changes.zip(own).map(|(mut changes, own)| {
                changes.extend(own.changes);
                changes
            });
        }
        kept.retain(|own| !own.is_asked_for);
        changes
    }

    /// The records that these commits have changed, and when; `None` where not all is known.
    pub(super) fn records(&self, commits: &[CountedCommit]) -> Option<Vec<Stale>> {
        let kept = self.kept.lock();
        let mut records = Vec::new();
        for commit in commits {
            let own = kept.iter().find(|own| own.transaction == commit.transaction)?;
            if !own.is_all_of(commit) {
                return None;
            }
            let record = |change: &Change| Some((change.collection, change.id));
            let stale = |change| Stale { version: commit.version, record: record(change) };
            records.extend(own.changes.iter().map(stale));
        }
        Some(records)
    }
}

impl OwnCommit {
    fn is_all_of(&self, commit: &CountedCommit) -> bool {
        commit.creates.is_some_and(|creates| usize::try_from(creates) == Ok(self.changes.len()))
    }
}

impl Announced<'_> {
    /// It is committed.
    pub(super) fn confirm(self) {
        // It may have been followed already.
        if let Some(own) = self.own.kept.lock().iter_mut().find(|own| own.transaction == self.transaction) {
            own.is_committed = true;
        }
    }
}

impl Drop for Announced<'_> {
    fn drop(&mut self) {
        self.own.kept.lock().retain(|own| own.is_committed || own.transaction != self.transaction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RecordId;

    fn creates(ids: std::ops::Range<i64>) -> Vec<Change> {
        let create = |id| Change { collection: 0, id: RecordId::new(id).unwrap(), before: None, after: None };
        ids.map(create).collect()
    }

    fn commit(number: u64, creates: i64) -> CountedCommit {
        CountedCommit {
            version: 100 + number,
            transaction: Transaction::numbered(number),
            creates: Some(creates),
        }
    }

    fn ids(changes: Option<Vec<Change>>) -> Option<Vec<i64>> {
        Some(changes?.iter().map(|change| change.id.get()).collect())
    }

    #[test]
    fn commits_are_taken_where_all_of_them_are_our_own() {
        let own = OwnCommits::default();
        own.announce(Transaction::numbered(1), creates(1..3)).confirm();
        own.announce(Transaction::numbered(2), creates(3..5)).confirm();
        assert_eq!(own.ask(), ["1", "2"]);
        assert_eq!(own.records(&[commit(1, 2), commit(2, 2)]).unwrap().len(), 4);
        assert_eq!(ids(own.take(&[commit(1, 2), commit(2, 2)])), Some(vec![1, 2, 3, 4]));
        assert!(own.ask().is_empty());
        // Nothing is new.
        assert_eq!(ids(own.take(&[])), Some(vec![]));
    }

    #[test]
    fn where_somebody_else_has_written_the_log_is_read() {
        let foreign = CountedCommit { creates: None, ..commit(7, 0) };
        let restored = CountedCommit {
            transaction: Transaction { number: "1".into(), began: SystemTime::now() },
            ..commit(1, 2)
        };
        for others in [vec![commit(1, 3)], vec![commit(1, 2), foreign], vec![restored]] {
            let own = OwnCommits::default();
            own.announce(Transaction::numbered(1), creates(1..3)).confirm();
            own.ask();
            assert!(own.records(&others).is_none());
            assert!(own.take(&others).is_none());
            assert!(own.ask().is_empty(), "the log tells of it");
        }
    }

    #[test]
    fn what_is_not_committed_is_forgotten_and_what_may_yet_be_is_kept() {
        let own = OwnCommits::default();
        drop(own.announce(Transaction::numbered(1), creates(1..3)));
        assert!(own.ask().is_empty());
        let announced = own.announce(Transaction::numbered(2), creates(1..3));
        own.ask();
        assert_eq!(ids(own.take(&[])), Some(vec![]));
        announced.confirm();
        // Committed before it was asked for, and not found: memory has followed it.
        assert_eq!(own.ask(), ["2"]);
        own.take(&[]);
        assert!(own.ask().is_empty());
    }

    #[test]
    fn no_more_is_kept_than_the_bound() {
        let own = OwnCommits::default();
        for number in 0..2 * MOST as u64 {
            own.announce(Transaction::numbered(number), creates(1..2)).confirm();
        }
        assert_eq!(own.ask().len(), MOST);
        let many = i64::try_from(MOST_BYTES / 160 + 2).unwrap();
        own.announce(Transaction::numbered(7), creates(1..many)).confirm();
        assert!(own.ask().is_empty());
    }
}
