//! A batch inside its group: all of its items or none, in a savepoint. It is done in stretches, each sent like a small
//! group.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use tokio_postgres::Error;

use super::agenda::{Agenda, Step};
use super::group::{Group, Part, Sent};
use super::group_batches::GivenIds;
use super::group_error::GroupError;
use crate::record::RecordId;
use crate::store::StoreError;
use crate::store::write::batch::BatchRun;
use crate::store::write::{Batch, Item, Write, WriteOutcome, Written};

/// How many updates are under way together: of each the whole record comes back, however little of it was changed.
const MOST_UPDATES: usize = 64;

/// A batch while it is done.
struct Walk<'a, 'g> {
    group: &'a Group<'g>,
    batch: &'a Batch,
    run: BatchRun<'a>,
    /// How many ids were drawn for each collection.
    drawn: BTreeMap<usize, i64>,
    /// The ids that creates were given beforehand, by place.
    given: GivenIds,
    /// The records that upserts were found to be about, by place.
    found: HashMap<usize, Option<RecordId>>,
    /// Why the next item was refused. Some behind it may have been done, too.
    refusal: Option<StoreError>,
}

impl Group<'_> {
    /// Does all items or nothing, behind what is under way, and leaves the end of the savepoint under way. Either all of
    /// its creates have been given ids, or none.
    pub(super) async fn run_batch<'f>(
        &'f self,
        sent: &mut Vec<Sent<'f>>,
        batch: &'f Batch,
        given: GivenIds,
    ) -> Result<WriteOutcome, GroupError> {
        self.send(sent, Part::Other, self.simply("SAVEPOINT batch"));
        let mut walk = Walk::new(self, batch, given.clone());
        let mut walked = walk.go(sent, usize::MAX).await;
        if walked.as_ref().is_err_and(GroupError::may_be_of_an_item) {
            // Which one it is shows one by one. Where another tool came in between, this is the second look.
            self.send(sent, Part::Other, self.simply("ROLLBACK TO batch"));
            walk = Walk::new(self, batch, given);
            walked = walk.go(sent, 1).await;
        }
        walked?;
        let Some(error) = walk.refusal.take() else {
            self.send(sent, Part::Other, self.simply("RELEASE batch"));
            return Ok(Ok(walk.run.finish()));
        };
        self.send(sent, Part::Other, self.simply("ROLLBACK TO batch; RELEASE batch"));
        walk.use_up_ids().await.map_err(|error| GroupError::of(&error, false))?;
        Ok(Err(walk.run.refusal(error)))
    }
}

impl<'a, 'g> Walk<'a, 'g> {
    fn new(group: &'a Group<'g>, batch: &'a Batch, given: GivenIds) -> Self {
        let (mut run, mut drawn) = (BatchRun::new(batch), BTreeMap::new());
        for (place, id) in &given {
            run.foresee(*place, *id);
            if let Write::Insert { collection, id: None, .. } = batch.items[*place].write {
                *drawn.entry(collection).or_default() += 1;
            }
        }
        Self { group, batch, run, drawn, given, found: HashMap::new(), refusal: None }
    }

    /// Does the items in stretches of so many at the most, until one is refused.
    async fn go(&mut self, begun: &mut Vec<Sent<'a>>, most: usize) -> Result<(), GroupError> {
        while self.refusal.is_none() && self.run.place() < self.batch.items.len() {
            let from = self.run.place();
            let looked = self.look_ahead(from, most).await;
            if looked.is_err() {
                // It may be that what was sent before has failed.
                self.group.settle(begun, &Agenda::default(), &mut Vec::new(), false).await?;
            }
            let places = looked.map_err(|error| GroupError::of(&error, false).at(0..1).of_item(from))?;
            let writes = places.clone().map(|place| self.write_at(place)).collect::<Result<Vec<_>, _>>();
            let writes = match writes {
                Ok(writes) => writes,
                Err(error) => {
                    self.refusal = Some(error);
                    break;
                }
            };
            let writes: Vec<&Write> = writes.iter().map(AsRef::as_ref).collect();
            let group = self.group;
            let mut agenda = Agenda::of_writes(group.catalog, group.statements, &writes);
            agenda.ids = places
                .clone()
                .enumerate()
                .filter_map(|(at, place)| Some((at, *self.given.get(&place)?)))
                .collect();
            let mut outcomes = Vec::with_capacity(places.len());
            let done = do_and_explain(group, std::mem::take(begun), &agenda, &mut outcomes).await;
            self.note(places.clone(), outcomes);
            // What failed behind an item that is refused does not count: all of it is taken back.
            if self.refusal.is_none() {
                done.map_err(|error| if places.len() == 1 { error.of_item(from) } else { error })?;
            }
        }
        Ok(())
    }

    /// Learns what the next stretch has to know beforehand, and says how far it goes.
    async fn look_ahead(&mut self, from: usize, most: usize) -> Result<Range<usize>, Error> {
        let items = &self.batch.items[from..];
        let items = &items[..items.len().min(most)];
        if is_upsert(&items[0]) {
            if !self.found.contains_key(&from) {
                self.find(from, items).await?;
            }
            // One that creates is alone: it draws an id, and may do so only if nothing before it was refused.
            let finds_more = |place: &usize| self.found.get(place).is_some_and(Option::is_some);
            let found = (from..from + items.len()).take_while(finds_more).take(MOST_UPDATES).count();
            return Ok(from..from + found.max(1));
        }
        let mut updates = 0;
        let goes_on = |item: &&Item| {
            updates += usize::from(matches!(item.write, Write::Update { .. }));
            !is_upsert(item) && updates <= MOST_UPDATES
        };
        let places = from..from + items.iter().take_while(goes_on).count();
        self.draw(places.clone()).await?;
        Ok(places)
    }

    /// Looks for the records of neighbouring upserts together, as far as one cannot change what another finds.
    async fn find(&mut self, from: usize, items: &[Item]) -> Result<(), Error> {
        let names_earlier = |item: &&Item| is_upsert(item) && named(item).all(|named| named < from);
        let number = items.iter().take_while(names_earlier).count();
        let upserts =
            (from..from + number).map_while(|place| self.run.write_at(place).ok()).collect::<Vec<_>>();
        let upserts: Vec<&Write> = upserts.iter().map(AsRef::as_ref).collect();
        let agenda = Agenda::of_writes(self.group.catalog, self.group.statements, &upserts);
        if let Some(Step::Upserts(range)) = agenda.steps.first() {
            let found = self.group.find(&upserts[range.clone()]).await?;
            self.found.extend((from..).zip(found));
        }
        Ok(())
    }

    /// Draws ids for the creates of a stretch whose records others of it name, so that all of it can be sent at once.
    async fn draw(&mut self, places: Range<usize>) -> Result<(), Error> {
        let items = &self.batch.items;
        for place in places.clone() {
            if let Write::Insert { id: Some(id), .. } = items[place].write {
                self.run.foresee(place, id);
                self.given.insert(place, id);
            }
        }
        let own =
            places.clone().flat_map(|place| named(&items[place])).filter(|named| places.contains(named));
        let collections: BTreeSet<usize> = own.map(|named| items[named].write.collection()).collect();
        for collection in collections {
            let is_create = |write: &Write| {
                matches!(write, Write::Insert { id: None, .. }) && write.collection() == collection
            };
            let creates = |place: &usize| is_create(&items[*place].write) && !self.given.contains_key(place);
            let creates: Vec<usize> = places.clone().filter(creates).collect();
            if creates.is_empty() {
                continue;
            }
            let ids = self.draw_ids(collection, creates.len() as i64).await?;
            for (place, id) in creates.into_iter().zip(ids) {
                self.run.foresee(place, id);
                self.given.insert(place, id);
            }
        }
        Ok(())
    }

    async fn draw_ids(&mut self, collection: usize, number: i64) -> Result<Vec<RecordId>, Error> {
        let ids = self.group.draw_ids(collection, number).await?;
        *self.drawn.entry(collection).or_default() += number;
        Ok(ids)
    }

    /// What was drawn cannot be given back. So that the ids of all engines go on alike, a refused batch uses an id for
    /// each of its creates, and the others are drawn here.
    async fn use_up_ids(&mut self) -> Result<(), Error> {
        for collection in 0..self.group.catalog.collections().len() {
            let left = self.run.used_ids(collection) - self.drawn.get(&collection).copied().unwrap_or(0);
            if left > 0 {
                self.draw_ids(collection, left).await?;
            }
        }
        Ok(())
    }

    fn write_at(&self, place: usize) -> Result<Cow<'a, Write>, StoreError> {
        let write = self.run.write_at(place)?;
        match self.found.get(&place) {
            Some(found) => self.group.resolved(&write, *found).map(Cow::Owned),
            None => Ok(write),
        }
    }

    fn note(&mut self, places: Range<usize>, outcomes: Vec<WriteOutcome>) {
        for (place, outcome) in places.zip(outcomes) {
            let write = &self.batch.items[place].write;
            if !self.given.contains_key(&place) && has_drawn(write, &outcome) {
                *self.drawn.entry(write.collection()).or_default() += 1;
            }
            if self.refusal.is_none() {
                self.refusal = outcome.and_then(|written| self.run.push(written)).err();
            }
        }
    }
}

async fn do_and_explain<'f>(
    group: &'f Group<'_>,
    sent: Vec<Sent<'f>>,
    agenda: &Agenda<'f>,
    outcomes: &mut Vec<WriteOutcome>,
) -> Result<(), GroupError> {
    group.do_now(sent, agenda, outcomes).await?;
    group.explain_undone(agenda, outcomes).await.map_err(|error| GroupError::of(&error, false))?;
    // Else nobody could say which item an outcome is of.
    if outcomes.len() == agenda.writes.len() { Ok(()) } else { Err(GroupError::Unreachable) }
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

fn is_upsert(item: &Item) -> bool {
    matches!(item.write, Write::Upsert { .. })
}

/// The earlier items whose records an item names.
fn named(item: &Item) -> impl Iterator<Item = usize> {
    item.references.iter().map(|(_, named)| *named).chain(item.target)
}
