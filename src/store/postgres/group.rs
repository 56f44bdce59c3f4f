//! The writes of one group: sent one behind the other without waiting, inside one transaction, and each gets
//! a verdict of its own.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::line::{Line, Parameter};
use super::row;
use super::sql::{self, Judgement};
use super::statements::Statements;
use super::steps::{self, Step};
use super::trouble::Trouble;
use super::walk::Walk;
use super::write::{Verdict, Write};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::catalog::field::FieldKind;
use crate::record::{RecordId, Value, representation};
use crate::store::{Created, StoreError};

/// The writes that share one commit.
pub(super) struct Group<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) statements: &'a [Statements],
    pub(super) line: &'a Line,
}

type Answering<'f> = Pin<Box<dyn Future<Output = Result<Vec<Row>, Error>> + Send + 'f>>;

/// A statement under way: for which step, and its answer as soon as there is one.
struct Sent<'f> {
    step: Option<Step>,
    answering: Answering<'f>,
    answer: Option<Result<Vec<Row>, Error>>,
}

impl Group<'_> {
    /// Does all of them and commits. Every write has a verdict then; an error says what befell all of them.
    pub(super) async fn run(&self, writes: &[Write]) -> Result<Vec<Verdict>, Trouble> {
        let steps = steps::steps(self.catalog, self.statements, writes);
        self.prepare(writes, &steps).await.map_err(|error| Trouble::of(&error, false))?;
        let mut verdicts: Vec<Verdict> = Vec::with_capacity(writes.len());
        let mut sent = Vec::with_capacity(steps.len() + 3);
        let warned = self.line.alive.warnings();
        self.send(&mut sent, None, self.simply("BEGIN"));
        self.send(&mut sent, None, self.ask(sql::TAKE_TURN, Vec::new()));
        for step in steps {
            match step {
                Step::Careful(at) => {
                    let careful = match self.settle(&mut sent, writes, &mut verdicts, false).await {
                        Ok(()) => Walk { group: self }.run(&writes[at]).await,
                        Err(trouble) => return self.roll_back(trouble).await,
                    };
                    match careful {
                        Ok(verdict) => verdicts.push(verdict),
                        Err(error) => return self.roll_back(Trouble::of(&error, false)).await,
                    }
                }
                step => {
                    let answering = self.start(writes, &step);
                    self.send(&mut sent, Some(step), answering);
                }
            }
        }
        self.send(&mut sent, None, self.simply("COMMIT"));
        self.settle(&mut sent, writes, &mut verdicts, true).await?;
        if self.line.alive.warnings() != warned {
            return Err(Trouble::Unknown("the server committed with a warning".into()));
        }
        Ok(verdicts)
    }

    /// Takes back what a group has done before its commit was sent.
    async fn roll_back<T>(&self, trouble: Trouble) -> Result<T, Trouble> {
        match self.line.client.batch_execute("ROLLBACK").await {
            Ok(()) => Err(trouble),
            Err(error) => Err(Trouble::of(&error, false)),
        }
    }

    /// Has every statement at hand: to prepare one waits, and what waits would be overtaken.
    async fn prepare(&self, writes: &[Write], steps: &[Step]) -> Result<(), Error> {
        self.line.statement(sql::TAKE_TURN).await?;
        for step in steps {
            self.line.statement(&self.text(writes, step)).await?;
        }
        Ok(())
    }

    fn text(&self, writes: &[Write], step: &Step) -> Arc<str> {
        let statements = |at: usize| &self.statements[writes[at].collection()];
        match step {
            Step::Inserts(range) => statements(range.start).insert.clone(),
            Step::Deletes(range) => statements(range.start).delete.clone(),
            Step::Careful(at) => statements(*at).lock_one.clone(),
            Step::Updates(range) => match &writes[range.start] {
                Write::Update { collection, change, .. } => {
                    self.update_text(self.catalog.at(*collection), &change.given)
                }
                Write::Insert { .. } | Write::Delete { .. } => "".into(),
            },
        }
    }

    pub(super) fn update_text(&self, collection: &Collection, given: &[(usize, Value)]) -> Arc<str> {
        let positions: Vec<usize> = given.iter().map(|(position, _)| *position).collect();
        self.statements[collection.position()].update(self.catalog, collection, positions)
    }

    /// Puts a statement on its way; nothing waits for its answer yet.
    fn send<'f>(&self, sent: &mut Vec<Sent<'f>>, step: Option<Step>, mut answering: Answering<'f>) {
        // The first look at it sends it.
        let answer = (&mut answering).now_or_never();
        sent.push(Sent { step, answering, answer });
    }

    /// Waits for all that is under way and reads the verdicts. After the first failure the rest fails too, but
    /// is waited for, so that the line is free again.
    async fn settle(
        &self,
        sent: &mut Vec<Sent<'_>>,
        writes: &[Write],
        verdicts: &mut Vec<Verdict>,
        commit_was_sent: bool,
    ) -> Result<(), Trouble> {
        let mut failure = None;
        for Sent { step, answering, answer } in sent.drain(..) {
            let answer = match answer {
                Some(answer) => answer,
                None => answering.await,
            };
            if failure.is_some() {
                continue;
            }
            let judged = answer.and_then(|rows| match step {
                Some(step) => self.judge(writes, &step, &rows, verdicts),
                None => Ok(()),
            });
            failure = judged.err();
        }
        match failure {
            None => Ok(()),
            Some(error) => Err(Trouble::of(&error, commit_was_sent)),
        }
    }

    fn simply<'f>(&'f self, text: &'static str) -> Answering<'f> {
        Box::pin(async move { self.line.client.batch_execute(text).await.map(|()| Vec::new()) })
    }

    fn ask<'f>(&'f self, text: &str, parameters: Vec<Box<dyn ToSql + Sync + Send + 'f>>) -> Answering<'f> {
        let statement = self.line.prepared(text);
        Box::pin(async move {
            let parameters: Vec<Parameter<'_>> =
                parameters.iter().map(|parameter| &**parameter as Parameter<'_>).collect();
            match statement {
                Some(statement) => self.line.client.query(&statement, &parameters).await,
                None => Ok(Vec::new()),
            }
        })
    }

    fn start<'f>(&'f self, writes: &'f [Write], step: &Step) -> Answering<'f> {
        let text = self.text(writes, step);
        let mut parameters: Vec<Box<dyn ToSql + Sync + Send + 'f>> = Vec::new();
        match step {
            Step::Inserts(range) => {
                let collection = self.catalog.at(writes[range.start].collection());
                for (position, field) in collection.fields().iter().enumerate() {
                    let values = writes[range.clone()].iter().map(move |write| match write {
                        Write::Insert { values, .. } => &values[position],
                        Write::Update { .. } | Write::Delete { .. } => &Value::Null,
                    });
                    parameters.push(column(field.kind(), values));
                }
            }
            Step::Updates(range) => {
                let collection = self.catalog.at(writes[range.start].collection());
                let changes = writes[range.clone()].iter().filter_map(|write| match write {
                    Write::Update { id, change, .. } => Some((*id, change.given.as_slice())),
                    Write::Insert { .. } | Write::Delete { .. } => None,
                });
                parameters = updates(collection, &changes.collect::<Vec<_>>());
            }
            Step::Deletes(range) => parameters.push(ids(&writes[range.clone()])),
            Step::Careful(_) => {}
        }
        self.ask(&text, parameters)
    }

    fn judge(
        &self,
        writes: &[Write],
        step: &Step,
        rows: &[Row],
        verdicts: &mut Vec<Verdict>,
    ) -> Result<(), Error> {
        match step {
            Step::Inserts(range) => {
                let collection = self.catalog.at(writes[range.start].collection());
                let (judgements, ids) = match rows.first() {
                    None => (Vec::new(), Vec::new()),
                    Some(row) => (
                        row.try_get::<_, Option<Vec<i32>>>(0)?.unwrap_or_default(),
                        row.try_get::<_, Option<Vec<i64>>>(1)?.unwrap_or_default(),
                    ),
                };
                let mut ids = ids.into_iter().filter_map(RecordId::new);
                for (write, judgement) in writes[range.clone()].iter().zip(judgements) {
                    let (Write::Insert { values, .. }, judgement) = (write, Judgement::read(judgement))
                    else {
                        continue;
                    };
                    let created = matches!(judgement, Judgement::Done).then(|| ids.next()).flatten();
                    verdicts.push(match created {
                        Some(id) => {
                            let representation = representation::of(collection, id, values);
                            Verdict::Created(Created { id, representation })
                        }
                        None => refusal(collection, judgement),
                    });
                }
            }
            Step::Updates(range) => {
                let collection = self.catalog.at(writes[range.start].collection());
                for row in rows {
                    verdicts.push(self.judge_update(collection, row)?);
                }
            }
            Step::Deletes(range) => {
                for row in rows {
                    verdicts.push(self.judge_delete(writes[range.start].collection(), row)?);
                }
            }
            Step::Careful(_) => {}
        }
        Ok(())
    }

    pub(super) fn judge_update(&self, collection: &Collection, row: &Row) -> Result<Verdict, Error> {
        match row::id(row, 1)? {
            Some(id) => {
                let mut record = Vec::with_capacity(256);
                row::write(&mut record, collection, id, row, 2)?;
                Ok(Verdict::Updated(record.into()))
            }
            None => Ok(refusal(collection, Judgement::read(row.try_get(0)?))),
        }
    }

    pub(super) fn judge_delete(&self, collection: usize, row: &Row) -> Result<Verdict, Error> {
        let number: i32 = row.try_get(0)?;
        Ok(match usize::try_from(number) {
            Err(_) => Verdict::NoRecord,
            Ok(0) => Verdict::Deleted,
            Ok(place) => {
                let blocker = self.statements[collection].blockers.get(place - 1);
                let table = blocker.map_or_else(String::new, |blocker| blocker.table.clone());
                Verdict::Refused(StoreError::StillReferenced(table))
            }
        })
    }
}

/// What the statement for updates of the same fields takes: the ids, and the values of each field.
pub(super) fn updates<'f>(
    collection: &Collection,
    changes: &[(RecordId, &'f [(usize, Value)])],
) -> Vec<Box<dyn ToSql + Sync + Send + 'f>> {
    let ids: Vec<i64> = changes.iter().map(|(id, _)| id.get()).collect();
    let mut parameters: Vec<Box<dyn ToSql + Sync + Send + 'f>> = vec![Box::new(ids)];
    let positions =
        changes.first().map_or(&[][..], |(_, given)| *given).iter().map(|(position, _)| *position);
    for (place, position) in positions.enumerate() {
        let values = changes.iter().map(move |(_, given)| &given[place].1);
        parameters.push(column(collection.fields()[position].kind(), values));
    }
    parameters
}

fn ids<'f>(writes: &[Write]) -> Box<dyn ToSql + Sync + Send + 'f> {
    let ids = writes.iter().filter_map(|write| match write {
        Write::Delete { id, .. } => Some(id.get()),
        Write::Insert { .. } | Write::Update { .. } => None,
    });
    Box::new(ids.collect::<Vec<i64>>())
}

fn refusal(collection: &Collection, judgement: Judgement) -> Verdict {
    let name = |position: usize| collection.fields()[position].name().to_owned();
    match judgement {
        Judgement::NoRecord => Verdict::NoRecord,
        Judgement::Dangling(position) => Verdict::Refused(StoreError::DanglingReference(name(position))),
        Judgement::Duplicate(rule) => {
            let names = collection.unique()[rule].iter().map(|position| name(*position)).collect();
            Verdict::Refused(StoreError::Duplicate(names))
        }
        Judgement::Done => Verdict::Refused(StoreError::Broken("a write was done and is not there".into())),
    }
}

/// The values of one field of several records.
fn column<'f>(kind: FieldKind, values: impl Iterator<Item = &'f Value>) -> Box<dyn ToSql + Sync + Send + 'f> {
    match kind {
        FieldKind::String => Box::new(
            values
                .map(|value| if let Value::Text(text) = value { Some(text.as_str()) } else { None })
                .collect::<Vec<_>>(),
        ),
        FieldKind::Integer => Box::new(
            values
                .map(|value| if let Value::Integer(integer) = value { Some(*integer) } else { None })
                .collect::<Vec<_>>(),
        ),
        FieldKind::Float => Box::new(
            values
                .map(|value| if let Value::Float(float) = value { Some(*float) } else { None })
                .collect::<Vec<_>>(),
        ),
        FieldKind::Boolean => Box::new(
            values
                .map(|value| if let Value::Boolean(boolean) = value { Some(*boolean) } else { None })
                .collect::<Vec<_>>(),
        ),
    }
}
