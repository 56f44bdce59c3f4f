//! What the clients of a history saw, and what follows from it for each record.

use std::collections::{BTreeMap, HashMap};

use super::register::{Kind, Operation, Token, What};
use super::snapshots::Snapshot;

/// Everything that the clients saw.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) operations: usize,
    pub(super) unknown: usize,
    pub(super) kills: usize,
    pub(super) lists: usize,
    pub(super) snapshots: Vec<Snapshot>,
    pub(super) records: BTreeMap<i64, Vec<Operation>>,
    /// The kind that each token was written with.
    pub(super) kinds: Vec<Kind>,
    /// What is wrong without any comparison.
    pub(super) faults: Vec<String>,
    /// Creates without an answer, by their token: when they were sent.
    pub(super) open_creates: HashMap<Token, u64>,
    /// Lists of one kind: what must be noted of the records that were not in them.
    pub(super) absences: Vec<Absence>,
}

#[derive(Debug)]
pub(super) struct Absence {
    pub(super) kind: Kind,
    pub(super) sent: u64,
    pub(super) answered: u64,
    pub(super) shown: Vec<i64>,
}

impl History {
    /// Once everything is over: a create without an answer belongs to the record that shows its token, and a list of a
    /// kind says something about every record that it did not show.
    pub(super) fn settle(&mut self, counters: &[i64]) {
        for operations in self.records.values_mut() {
            let is_created = operations.iter().any(|operation| matches!(operation.what, What::Create(_)));
            let seen = operations.iter().find_map(|operation| match operation.what {
                What::Seen(token) => self.open_creates.get(&token).map(|sent| (token, *sent)),
                _ => None,
            });
            if let Some((token, sent)) = seen.filter(|_| !is_created) {
                operations.push(Operation { what: What::Create(token), sent, answered: None });
            }
        }
        let lives: Vec<(i64, u64, u64)> =
            self.records.iter().map(|(id, operations)| life(*id, operations)).collect();
        for absence in &self.absences {
            for (id, born, gone) in &lives {
                if absence.shown.contains(id) || counters.contains(id) {
                    continue;
                }
                if *born <= absence.answered && absence.sent <= *gone {
                    let what = What::NotOfKind(absence.kind);
                    let operation = Operation { what, sent: absence.sent, answered: Some(absence.answered) };
                    self.records.entry(*id).or_default().push(operation);
                }
            }
        }
    }

    pub(super) fn token(&mut self, kind: Kind) -> Token {
        self.kinds.push(kind);
        self.kinds.len() - 1
    }
}

/// A record, the first that was heard of it, and when a deletion of it was answered; what comes later has nothing to do
/// with it.
fn life(id: i64, operations: &[Operation]) -> (i64, u64, u64) {
    let born = operations.iter().map(|operation| operation.sent).min();
    let deletions = operations.iter().filter(|operation| operation.what == What::Delete);
    let gone = deletions.filter_map(|operation| operation.answered).min();
    (id, born.unwrap_or(0), gone.unwrap_or(u64::MAX))
}
