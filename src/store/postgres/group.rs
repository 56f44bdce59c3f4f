//! The statements of one group: sent one behind the other without waiting, inside one transaction, and their answers
//! read as the outcomes of its writes.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_util::FutureExt;
use parking_lot::Mutex;
use tokio_postgres::{Error, Row, Statement};

use super::agenda::{Agenda, Step};
use super::columns::{Bound, ids, updates};
use super::group_creates::GroupCreates;
use super::group_error::{GroupError, words};
use super::key_check::{self, KeyCheck};
use super::own_commits::{OwnCommits, Transaction};
use super::prepared_conn::{Parameter, PreparedConn};
use super::sql::RowOutcome;
use super::statement_cache::Statements;
use super::{kind, row, sql};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::Value;
use crate::store::StoreError;
use crate::store::write::answer_budget::AnswerBudget;
use crate::store::write::{Write, WriteOutcome, Written};

/// How long a lock is waited for, in the words of PostgreSQL.
pub(super) type LockWait = &'static str;
/// What all of a group wait for is waited for longer than what one of them needs.
pub(super) const WAIT_LONGER: &str = "SET LOCAL lock_timeout = '5s'";
/// After so many records that are read others have their turn.
const TURN: usize = 64;
const COMMIT: &str = "SET LOCAL lock_timeout = '5s'; COMMIT";

/// The writes that share one commit.
pub(super) struct Group<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) statements: &'a [Statements],
    pub(super) conn: &'a PreparedConn,
    pub(super) budget: &'a AnswerBudget,
    pub(super) key_check: KeyCheck<'a>,
    /// How long each of its writes waits for a lock.
    pub(super) lock_wait: LockWait,
    /// Whether several share it, who would wait for one that takes long.
    pub(super) is_shared: bool,
    /// Whether its batches are done one after the other, as a group was done again a short while ago.
    pub(super) is_careful: bool,
    /// How many groups after it do so.
    pub(super) careful_groups: &'a AtomicUsize,
    /// How many records its deletes have brought along so far.
    pub(super) reached: AtomicUsize,
    pub(super) creates: GroupCreates,
    pub(super) own: &'a OwnCommits,
    /// What was prepared for this group, by its text. The connection may drop what it keeps at any time.
    pub(super) at_hand: Mutex<HashMap<Arc<str>, Statement>>,
    /// Whether a transaction may be open on the connection. A statement that is cancelled may be the COMMIT itself.
    pub(super) is_open: AtomicBool,
}

pub(super) type Answering<'f> = Pin<Box<dyn Future<Output = Result<Vec<Row>, Error>> + Send + 'f>>;

/// What a statement is to a group.
pub(super) enum Part {
    Begin,
    Turn,
    SameKeys,
    /// The step of the agenda at this index.
    Step(usize),
    Commit,
    Other,
}

/// A statement under way, and its answer as soon as there is one.
pub(super) struct Sent<'f> {
    part: Part,
    answering: Answering<'f>,
    answer: Option<Result<Vec<Row>, Error>>,
}

impl Group<'_> {
    pub(super) async fn commit<'f>(
        &'f self,
        sent: &mut Vec<Sent<'f>>,
        agenda: &Agenda<'_>,
        outcomes: &mut Vec<WriteOutcome>,
    ) -> Result<(), GroupError> {
        self.send(sent, Part::Commit, self.simply(COMMIT));
        self.settle(sent, agenda, outcomes, true).await
    }

    /// Makes the connection fit for another group after this one was taken back; says whether it is.
    pub(super) async fn close(&self) -> bool {
        !self.is_open.load(Ordering::Relaxed) || self.conn.client.batch_execute("ROLLBACK").await.is_ok()
    }

    pub(super) async fn have_at_hand(&self, text: Arc<str>) -> Result<(), Error> {
        let statement = self.conn.statement(&text).await?;
        self.at_hand.lock().insert(text, statement);
        Ok(())
    }

    /// The statement that a step begins with; none for a batch, which is many.
    pub(super) fn text(&self, agenda: &Agenda<'_>, step: &Step<'_>) -> Option<Arc<str>> {
        let statements = |at: usize| &self.statements[agenda.writes[at].collection()];
        match step {
            Step::Inserts(range) if agenda.is_all_or_nothing => {
                Some(statements(range.start).insert_given.clone())
            }
            Step::Inserts(range) => Some(statements(range.start).insert.clone()),
            Step::Deletes(range) => Some(statements(range.start).delete.clone()),
            Step::Careful(at) => Some(statements(*at).lock_one.clone()),
            Step::Updates(range) => match agenda.writes[range.start] {
                Write::Update { collection, patch, .. } => {
                    Some(self.update_text(self.catalog.at(*collection), patch.values()))
                }
                Write::Insert { .. } | Write::Delete { .. } | Write::Upsert { .. } => None,
            },
            Step::Upserts(range) => match agenda.writes[range.start] {
                Write::Upsert { rule, .. } => Some(statements(range.start).find[*rule].clone()),
                Write::Insert { .. } | Write::Update { .. } | Write::Delete { .. } => None,
            },
            Step::Batch(..) => None,
        }
    }

    pub(super) fn update_text(&self, collection: &Collection, given: &[(usize, Value)]) -> Arc<str> {
        let positions: Vec<usize> = given.iter().map(|(position, _)| *position).collect();
        self.statements[collection.position()].update(self.catalog, collection, positions)
    }

    /// Puts a statement on its way; nothing waits for its answer yet.
    pub(super) fn send<'f>(&self, sent: &mut Vec<Sent<'f>>, part: Part, mut answering: Answering<'f>) {
        // The first look at it sends it.
        let answer = (&mut answering).now_or_never();
        sent.push(Sent { part, answering, answer });
    }

    /// Waits for all that is under way and reads the outcomes. After the first failure the rest fails too, but
    /// is waited for, so that the connection is free again.
    pub(super) async fn settle(
        &self,
        sent: &mut Vec<Sent<'_>>,
        agenda: &Agenda<'_>,
        outcomes: &mut Vec<WriteOutcome>,
        commit_was_sent: bool,
    ) -> Result<(), GroupError> {
        let has_steps = have_steps(sent);
        let mut failure = None;
        for Sent { part, answering, answer } in sent.drain(..) {
            let answer = match answer {
                Some(answer) => answer,
                None => answering.await,
            };
            if answer.is_ok() && matches!(part, Part::Begin | Part::Commit) {
                self.is_open.store(matches!(part, Part::Begin), Ordering::Relaxed);
            }
            if failure.is_some() {
                continue;
            }
            failure = match (answer, part) {
                // What was sent behind it was done outside of any transaction.
                (Err(error), Part::Begin) if has_steps => Some(GroupError::Unknown(words(&error))),
                (Err(error), Part::SameKeys) if key_check::are_others(&error) => {
                    Some(GroupError::KeysChanged)
                }
                (Err(error), Part::Step(index)) => {
                    let places = agenda.places(&agenda.steps[index]);
                    Some(GroupError::of(&error, commit_was_sent).at(places))
                }
                (Err(error), _) => Some(GroupError::of(&error, commit_was_sent)),
                (Ok(rows), Part::Step(index)) => {
                    let judged = self.judge(agenda, &agenda.steps[index], &rows, outcomes).await;
                    judged.err().map(|error| GroupError::of(&error, commit_was_sent))
                }
                (Ok(rows), Part::Turn) => {
                    self.began(&rows).err().map(|error| GroupError::of(&error, commit_was_sent))
                }
                (Ok(_), Part::Begin | Part::SameKeys | Part::Commit | Part::Other) => None,
            };
        }
        failure.map_or(Ok(()), Err)
    }

    /// The turn is taken, by the transaction that is told.
    fn began(&self, rows: &[Row]) -> Result<(), Error> {
        let Some(row) = rows.first() else { return Ok(()) };
        self.creates.begin(Transaction::read(row, 3)?);
        Ok(())
    }

    pub(super) fn simply<'f>(&'f self, text: &'static str) -> Answering<'f> {
        Box::pin(async move { self.conn.client.batch_execute(text).await.map(|()| Vec::new()) })
    }

    pub(super) fn ask<'f>(&'f self, text: &str, parameters: Vec<Bound<'f>>) -> Answering<'f> {
        let statement = self.at_hand.lock().get(text).cloned();
        let statement = statement.ok_or_else(|| text.to_owned());
        Box::pin(async move {
            let parameters: Vec<Parameter<'_>> =
                parameters.iter().map(|parameter| &**parameter as Parameter<'_>).collect();
            match statement {
                Ok(statement) => self.conn.client.query(&statement, &parameters).await,
                // `prepare` has them all; one that it forgot is never left out.
                Err(text) => self.conn.client.query(&text, &parameters).await,
            }
        })
    }

    /// Puts a step on its way that is one statement; the others are not for this.
    pub(super) fn start<'f>(&'f self, sent: &mut Vec<Sent<'f>>, agenda: &Agenda<'f>, index: usize) {
        let (step, writes) = (&agenda.steps[index], &agenda.writes);
        let Some(text) = self.text(agenda, step) else { return };
        let mut parameters: Vec<Bound<'f>> = Vec::new();
        match step {
            Step::Inserts(range) => {
                let collection = self.catalog.at(writes[range.start].collection());
                for (position, field) in collection.fields().iter().enumerate() {
                    let values = writes[range.clone()].iter().map(move |&write| match write {
                        Write::Insert { draft, .. } => &draft.values()[position],
                        Write::Update { .. } | Write::Delete { .. } | Write::Upsert { .. } => &Value::Null,
                    });
                    parameters.push(kind::array(field.kind(), values));
                }
                let ids = range.clone().filter_map(|at| agenda.ids.get(&at).map(|id| id.get()));
                parameters.push(Box::new(ids.collect::<Vec<i64>>()));
            }
            Step::Updates(range) => {
                let collection = self.catalog.at(writes[range.start].collection());
                let changes = writes[range.clone()].iter().filter_map(|&write| match write {
                    Write::Update { id, patch, .. } => Some((*id, patch.values())),
                    Write::Insert { .. } | Write::Delete { .. } | Write::Upsert { .. } => None,
                });
                parameters = updates(collection, &changes.collect::<Vec<_>>());
            }
            Step::Deletes(range) => parameters.push(ids(&writes[range.clone()])),
            Step::Careful(_) | Step::Upserts(_) | Step::Batch(..) => return,
        }
        self.send(sent, Part::Step(index), self.ask(&text, parameters));
    }

    async fn judge(
        &self,
        agenda: &Agenda<'_>,
        step: &Step<'_>,
        rows: &[Row],
        outcomes: &mut Vec<WriteOutcome>,
    ) -> Result<(), Error> {
        let writes = &agenda.writes;
        match step {
            Step::Inserts(range) => {
                let collection = self.catalog.at(writes[range.start].collection());
                self.judge_inserts(collection, range.len(), rows, outcomes).await?;
            }
            Step::Updates(range) => {
                let collection = self.catalog.at(writes[range.start].collection());
                for row in rows {
                    outcomes.push(self.judge_update(collection, row)?);
                }
            }
            Step::Deletes(range) => {
                for row in rows {
                    outcomes.push(self.judge_delete(writes[range.start].collection(), row)?);
                }
            }
            Step::Careful(_) | Step::Upserts(_) | Step::Batch(..) => {}
        }
        Ok(())
    }

    async fn judge_inserts(
        &self,
        collection: &Collection,
        number: usize,
        rows: &[Row],
        outcomes: &mut Vec<WriteOutcome>,
    ) -> Result<(), Error> {
        let created = |row: &Row| -> Result<Option<Written>, Error> {
            let Some(id) = row::id(row, 1)? else { return Ok(None) };
            self.created(collection, id, row, 2).map(Some)
        };
        let (judged, others) = rows.split_at(number.min(rows.len()));
        let first = outcomes.len();
        for (place, row) in judged.iter().enumerate() {
            if place % TURN == TURN - 1 {
                tokio::task::yield_now().await;
            }
            outcomes.push(match created(row)? {
                Some(created) => Ok(created),
                None => refusal(collection, RowOutcome::read(row.try_get(0)?)),
            });
        }
        // A trigger has given them other ids. As many as are missing are those, in order; else nobody can say.
        let missing = outcomes[first..].iter_mut().filter(|outcome| is_undone(outcome));
        let missing: Vec<&mut WriteOutcome> = missing.collect();
        let are_all = missing.len() == others.len();
        for (outcome, row) in missing.into_iter().zip(others) {
            let created = created(row)?.filter(|_| are_all);
            *outcome = created.ok_or(StoreError::OutcomeUnknown);
        }
        Ok(())
    }

    pub(super) fn judge_update(&self, collection: &Collection, row: &Row) -> Result<WriteOutcome, Error> {
        match row::id(row, 1)? {
            Some(id) => {
                let mut record = Vec::with_capacity(256);
                row::write(&mut record, collection, id, row, 2)?;
                Ok(Ok(Written::Updated { id, representation: record.into() }))
            }
            None => Ok(refusal(collection, RowOutcome::read(row.try_get(0)?))),
        }
    }

    pub(super) fn judge_delete(&self, collection: usize, row: &Row) -> Result<WriteOutcome, Error> {
        let number: i32 = row.try_get(0)?;
        Ok(match usize::try_from(number) {
            Err(_) => Err(StoreError::NoRecord),
            Ok(0) if row::id(row, 1)?.is_none() => Err(undone()),
            Ok(0) => Ok(Written::Deleted),
            Ok(place) => {
                let blocker = self.statements[collection].blockers.get(place - 1);
                let table = blocker.map_or_else(String::new, |blocker| blocker.table.clone());
                Err(StoreError::StillReferenced(table))
            }
        })
    }

    /// Finds out why what was to be changed or deleted was not: another tool was first, or a trigger prevents it.
    pub(super) async fn explain_undone(
        &self,
        agenda: &Agenda<'_>,
        outcomes: &mut [WriteOutcome],
    ) -> Result<(), Error> {
        for (place, write) in agenda.placed() {
            let (Write::Update { collection, id, .. } | Write::Delete { collection, id, .. }) = write else {
                continue;
            };
            if let Some(outcome) = outcomes.get_mut(place)
                && is_undone(outcome)
            {
                let text = sql::is_there(self.catalog.at(*collection));
                if self.conn.query(&text, &[&id.get()]).await?.is_empty() {
                    *outcome = Err(StoreError::NoRecord);
                }
            }
        }
        Ok(())
    }
}

/// Whether writes are among what is under way.
pub(super) fn have_steps(sent: &[Sent<'_>]) -> bool {
    sent.iter().any(|sent| matches!(sent.part, Part::Step(_)))
}

/// What is said of a write that was not done although nothing stood against it.
const UNDONE: &str = "a trigger undoes it";

fn undone() -> StoreError {
    StoreError::UndeclaredRule(UNDONE.into())
}

fn is_undone(outcome: &WriteOutcome) -> bool {
    matches!(outcome, Err(StoreError::UndeclaredRule(said)) if said == UNDONE)
}

fn refusal(collection: &Collection, outcome: RowOutcome) -> WriteOutcome {
    let name = |position: usize| collection.fields()[position].name().to_owned();
    match outcome {
        RowOutcome::NoRecord => Err(StoreError::NoRecord),
        RowOutcome::Dangling(position) => Err(StoreError::DanglingReference(name(position))),
        RowOutcome::Duplicate(rule) => {
            let names = collection.unique()[rule].iter().map(|position| name(*position)).collect();
            Err(StoreError::Duplicate(names))
        }
        RowOutcome::Done => Err(undone()),
    }
}
