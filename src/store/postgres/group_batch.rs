//! A batch inside its group: all of its items or none, in a savepoint. Neighbours share statements as long as none of them
//! needs to know what became of another.

use std::collections::BTreeMap;

use tokio_postgres::Error;

use super::agenda::Agenda;
use super::group::{Group, Part, Sent};
use super::group_error::GroupError;
use super::sql;
use crate::store::StoreError;
use crate::store::write::batch::BatchRun;
use crate::store::write::{Batch, Item};
use crate::store::write::{Write, WriteOutcome, Written};

/// How many updates are under way together: of each the whole record comes back, however little of it was changed.
const MOST_UPDATES: usize = 64;

/// How far a batch has come.
struct Progress<'b> {
    run: BatchRun<'b>,
    /// How many ids were drawn for each collection.
    drawn: BTreeMap<usize, i64>,
    /// Why the next item was refused. Some behind it may have been done, too.
    refusal: Option<StoreError>,
}

impl Group<'_> {
    /// Does all items or nothing, behind what is under way, and leaves the end of the savepoint under way.
    pub(super) async fn run_batch<'f>(
        &'f self,
        sent: &mut Vec<Sent<'f>>,
        batch: &'f Batch,
    ) -> Result<WriteOutcome, GroupError> {
        self.send(sent, Part::Other, self.simply("SAVEPOINT batch"));
        let mut walked = self.walk(sent, batch, end_of_stretch).await;
        if walked.as_ref().is_err_and(GroupError::may_be_of_an_item) {
            // Which one it is shows one by one. Where another tool came in between, this is the second look.
            self.send(sent, Part::Other, self.simply("ROLLBACK TO batch"));
            walked = self.walk(sent, batch, |_, from| from + 1).await;
        }
        let Progress { run, drawn, refusal } = walked?;
        let Some(error) = refusal else {
            self.send(sent, Part::Other, self.simply("RELEASE batch"));
            return Ok(Ok(run.finish()));
        };
        self.send(sent, Part::Other, self.simply("ROLLBACK TO batch; RELEASE batch"));
        let used_up = self.use_up_ids(&run, &drawn).await;
        used_up.map_err(|error| GroupError::of(&error, false))?;
        Ok(Err(run.refusal(error)))
    }

    /// Does the items, stretch by stretch, until one is refused. `end` says where a stretch ends that begins somewhere.
    async fn walk<'f>(
        &'f self,
        begun: &mut Vec<Sent<'f>>,
        batch: &'f Batch,
        end: impl Fn(&[Item], usize) -> usize,
    ) -> Result<Progress<'f>, GroupError> {
        let mut progress = Progress { run: BatchRun::new(batch), drawn: BTreeMap::new(), refusal: None };
        while progress.refusal.is_none() && progress.run.place() < batch.items.len() {
            let from = progress.run.place();
            let places = from..end(&batch.items, from);
            let writes = places.clone().map(|place| progress.run.write_at(place));
            let writes = match writes.collect::<Result<Vec<_>, _>>() {
                Ok(writes) => writes,
                Err(error) => {
                    progress.refusal = Some(error);
                    break;
                }
            };
            let writes: Vec<&Write> = writes.iter().map(AsRef::as_ref).collect();
            let agenda = Agenda::of_writes(self.catalog, self.statements, &writes);
            let mut outcomes = Vec::with_capacity(places.len());
            let ran = self.do_and_explain(std::mem::take(begun), &agenda, &mut outcomes).await;
            progress.note(&writes, outcomes);
            // What failed behind an item that is refused does not count: all of it is taken back.
            if progress.refusal.is_none() {
                ran.map_err(|error| if places.len() == 1 { error.of_item(from) } else { error })?;
            }
        }
        Ok(progress)
    }

    async fn do_and_explain<'f>(
        &'f self,
        sent: Vec<Sent<'f>>,
        agenda: &Agenda<'f>,
        outcomes: &mut Vec<WriteOutcome>,
    ) -> Result<(), GroupError> {
        self.do_now(sent, agenda, outcomes).await?;
        self.explain_undone(agenda, outcomes).await.map_err(|error| GroupError::of(&error, false))?;
        // Else nobody could say which item an outcome is of.
        if outcomes.len() == agenda.writes.len() { Ok(()) } else { Err(GroupError::Unreachable) }
    }

    /// What was drawn cannot be given back. So that the ids of all engines go on alike, a refused batch uses an id for
    /// each of its creates, and the others are drawn here.
    async fn use_up_ids(&self, run: &BatchRun<'_>, drawn: &BTreeMap<usize, i64>) -> Result<(), Error> {
        for collection in self.catalog.collections() {
            let position = collection.position();
            let left = run.used_ids(position) - drawn.get(&position).copied().unwrap_or(0);
            if left > 0 {
                self.conn.query(&sql::use_up_ids(collection), &[&left]).await?;
            }
        }
        Ok(())
    }
}

impl Progress<'_> {
    fn note(&mut self, writes: &[&Write], outcomes: Vec<WriteOutcome>) {
        for (write, outcome) in writes.iter().zip(outcomes) {
            if has_drawn(write, &outcome) {
                *self.drawn.entry(write.collection()).or_default() += 1;
            }
            if self.refusal.is_none() {
                self.refusal = outcome.and_then(|written| self.run.push(written)).err();
            }
        }
    }
}

/// Whether a write used an id up: a create that was judged good did, whatever became of it then.
fn has_drawn(write: &Write, outcome: &WriteOutcome) -> bool {
    match write {
        Write::Insert { .. } => {
            !matches!(outcome, Err(StoreError::DanglingReference(_) | StoreError::Duplicate(_)))
        }
        Write::Upsert { .. } => matches!(outcome, Ok(Written::Created { .. })),
        Write::Update { .. } | Write::Delete { .. } => false,
    }
}

/// Where a stretch ends that begins at `from`: before an item that names a record of it. An upsert is alone, since it draws
/// an id only if nothing before it is refused.
fn end_of_stretch(items: &[Item], from: usize) -> usize {
    let is_upsert = |item: &Item| matches!(item.write, Write::Upsert { .. });
    if is_upsert(&items[from]) {
        return from + 1;
    }
    let mut updates = 0;
    let goes_on = |item: &&Item| {
        updates += usize::from(matches!(item.write, Write::Update { .. }));
        let names_earlier = |named: usize| named < from;
        !is_upsert(item)
            && updates < MOST_UPDATES
            && item.references.iter().all(|(_, named)| names_earlier(*named))
            && item.target.is_none_or(names_earlier)
    };
    from + 1 + items[from + 1..].iter().take_while(goes_on).count()
}
