//! Neighbouring batches of a group that only create: sent one behind the other without waiting, as if all of their items
//! were writes by themselves. Where one of them is refused, all are taken back and done again one after the other.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering::Relaxed;

use tokio_postgres::Error;

use super::agenda::{Agenda, Step};
use super::group::{Group, Part, Sent};
use super::group_error::GroupError;
use super::{row, sql};
use crate::record::RecordId;
use crate::store::write::batch::BatchRun;
use crate::store::write::{Batch, Write, WriteOutcome};

/// So many groups after one that had to be done again do their batches one after the other: who sends one batch that is
/// refused may send more.
const CAREFUL_GROUPS: usize = 16;

/// The ids that the creates of a batch were given beforehand, by place.
pub(super) type GivenIds = BTreeMap<usize, RecordId>;

/// How many of the steps, from the first on, are batches that only create.
pub(super) fn creating(steps: &[Step<'_>]) -> usize {
    let is_creating = |step: &&Step<'_>| match step {
        Step::Batch(_, batch) => batch.items.iter().all(|item| matches!(item.write, Write::Insert { .. })),
        _ => false,
    };
    steps.iter().take_while(is_creating).count()
}

impl Group<'_> {
    /// Does batches that only create, behind what is under way; answers the outcome of each.
    pub(super) async fn run_batches<'f>(
        &'f self,
        sent: &mut Vec<Sent<'f>>,
        batches: &[(usize, &'f Batch)],
    ) -> Result<Vec<WriteOutcome>, GroupError> {
        let drawn = self.draw_for(batches).await;
        if drawn.is_err() {
            // It may be that what was sent before has failed.
            self.settle(sent, &Agenda::default(), &mut Vec::new(), false).await?;
        }
        let places = batches.first().map_or(0, |first| first.0)..batches.last().map_or(0, |last| last.0 + 1);
        let given = drawn.map_err(|error| GroupError::of(&error, false).at(places))?;
        self.send(sent, Part::Other, self.simply("SAVEPOINT batches"));
        match self.try_together(std::mem::take(sent), batches, &given).await {
            Ok(Some(outcomes)) => {
                self.send(sent, Part::Other, self.simply("RELEASE batches"));
                return Ok(outcomes);
            }
            Err(error) if !error.may_be_of_an_item() => return Err(error),
            Ok(None) | Err(_) => {}
        }
        self.careful_groups.store(CAREFUL_GROUPS, Relaxed);
        self.send(sent, Part::Other, self.simply("ROLLBACK TO batches; RELEASE batches"));
        let mut outcomes = Vec::with_capacity(batches.len());
        for (&(place, batch), given) in batches.iter().zip(given) {
            let done = self.run_batch(sent, batch, given).await;
            outcomes.push(done.map_err(|error| error.of_batch_at(place))?);
        }
        Ok(outcomes)
    }

    /// Does all items of all batches; answers nothing where one is refused.
    async fn try_together(
        &self,
        sent: Vec<Sent<'_>>,
        batches: &[(usize, &Batch)],
        given: &[GivenIds],
    ) -> Result<Option<Vec<WriteOutcome>>, GroupError> {
        let mut runs: Vec<BatchRun<'_>> = Vec::with_capacity(batches.len());
        let (mut writes, mut places, mut ids) = (Vec::new(), Vec::new(), HashMap::new());
        for (&(place, batch), given) in batches.iter().zip(given) {
            let mut run = BatchRun::new(batch);
            given.iter().for_each(|(item, id)| run.foresee(*item, *id));
            for item in 0..batch.items.len() {
                let (Ok(write), Some(id)) = (run.write_at(item), given.get(&item)) else {
                    return self.settle_nothing(sent).await;
                };
                ids.insert(writes.len(), *id);
                writes.push(write);
                places.push(place);
            }
            runs.push(run);
        }
        let writes: Vec<&Write> = writes.iter().map(AsRef::as_ref).collect();
        let mut agenda = Agenda::of_writes(self.catalog, self.statements, &writes);
        agenda.ids = ids;
        agenda.is_all_or_nothing = true;
        let mut outcomes = Vec::with_capacity(writes.len());
        let done = self.do_now(sent, &agenda, &mut outcomes).await;
        done.map_err(|error| error.among(&places))?;
        if outcomes.len() != writes.len() {
            // Nobody could say which item an outcome is of.
            return Ok(None);
        }
        let mut outcomes = outcomes.into_iter();
        for (run, (_, batch)) in runs.iter_mut().zip(batches) {
            for outcome in outcomes.by_ref().take(batch.items.len()) {
                let Ok(()) = outcome.and_then(|written| run.push(written)) else { return Ok(None) };
            }
        }
        Ok(Some(runs.into_iter().map(|run| Ok(run.finish())).collect()))
    }

    async fn settle_nothing(&self, mut sent: Vec<Sent<'_>>) -> Result<Option<Vec<WriteOutcome>>, GroupError> {
        self.settle(&mut sent, &Agenda::default(), &mut Vec::new(), false).await.map(|()| None)
    }

    /// Draws an id for every create, in the order of the batches: each uses its ids up, whatever becomes of it.
    async fn draw_for(&self, batches: &[(usize, &Batch)]) -> Result<Vec<GivenIds>, Error> {
        let mut given = vec![GivenIds::new(); batches.len()];
        let mut creates: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (at, (_, batch)) in batches.iter().enumerate() {
            for (place, item) in batch.items.iter().enumerate() {
                match item.write {
                    Write::Insert { id: Some(id), .. } => _ = given[at].insert(place, id),
                    Write::Insert { collection, .. } => {
                        creates.entry(collection).or_default().push((at, place))
                    }
                    Write::Update { .. } | Write::Delete { .. } | Write::Upsert { .. } => {}
                }
            }
        }
        for (collection, creates) in creates {
            let ids = self.draw_ids(collection, creates.len() as i64).await?;
            for ((at, place), id) in creates.into_iter().zip(ids) {
                given[at].insert(place, id);
            }
        }
        Ok(given)
    }

    /// The next so many ids of a collection.
    pub(super) async fn draw_ids(&self, collection: usize, number: i64) -> Result<Vec<RecordId>, Error> {
        let text = sql::draw_ids(self.catalog.at(collection));
        let rows = self.conn.query(&text, &[&number]).await?;
        rows.iter().filter_map(|row| row::id(row, 0).transpose()).collect()
    }
}
