//! Entries on their way into the store, so many at a time: each chunk is one batch, done wholly or not at all.

use std::collections::{HashMap, VecDeque};
use std::future::{Future, poll_fn, ready};
use std::pin::Pin;
use std::task::Poll;

use super::pieces::Pieces;
use super::plan::Plan;
use super::report::Report;
use super::{Fault, Import, ImportError, Match};
use crate::catalog::collection::Collection;
use crate::record::draft::{Draft, Patch};
use crate::record::etag::{ETag, ETags};
use crate::record::fault::not_unique;
use crate::record::{RecordId, Value, members};
use crate::store::write::{Batch, Item, Work, Write, WriteRequest, Written};
use crate::store::{Store, StoreError};
use crate::transfer::judge::Judged;
use crate::transfer::matching::{Found, tag_of};

/// How many bytes the texts of a chunk may have before it is stored.
const BYTES: usize = 8 << 20;

/// So many entries are a chunk while others write, too, who wait for all of it.
const FEW: usize = 64;

/// How much is stored in one piece.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Of which a chunk is made.
    entries: usize,
    /// How many chunks the store is asked for before the first of them is stored: while it writes, the next are read.
    chunks: usize,
}

impl Pace {
    /// Others write to the store, too, and soon.
    pub const AMONG_OTHERS: Self = Self { entries: 256, chunks: 1 };
    /// Nobody else has the store. A page that many entries change is written once for all of them.
    pub const ALONE: Self = Self { entries: 4_096, chunks: 2 };
}

pub(super) struct Chunks<'a> {
    import: &'a Import<'a>,
    plan: Plan,
    store: &'a Store,
    /// The number of the next entry.
    next: u64,
    waiting: Vec<Waiting>,
    bytes: usize,
    /// How many entries have come since the last write, those that change nothing too.
    entries: u64,
    /// How many writes the store had been asked for when the last chunk was.
    asked: u64,
    /// What the store was asked for, in that order.
    sent: VecDeque<Sent<'a>>,
}

/// A chunk that the store was asked to write.
struct Sent<'a> {
    waiting: Vec<Waiting>,
    deeds: Vec<Deed>,
    outcome: Pin<Box<dyn Future<Output = Result<Written, StoreError>> + Send + 'a>>,
}

struct Waiting {
    entry: u64,
    judged: Judged,
    found: Found,
}

/// What an item of a batch is for.
enum Deed {
    /// The record that the entry at this place refers to, for which the reference of the plan at the other place stands.
    Part(usize, usize),
    Record(usize),
}

impl<'a> Chunks<'a> {
    pub(super) fn new(import: &'a Import<'a>, plan: Plan, store: &'a Store) -> Self {
        Self {
            import,
            plan,
            store,
            next: 0,
            waiting: Vec::new(),
            bytes: 0,
            entries: 0,
            asked: store.writes_asked(),
            sent: VecDeque::new(),
        }
    }

    pub(super) fn add(&mut self, judged: Judged, report: &mut Report) -> Result<(), ImportError> {
        let entry = self.next;
        self.next += 1;
        self.entries += 1;
        let found = self.plan.records.get(entry)?;
        if !self.import.is_written(found) {
            report.unchanged += 1;
            return Ok(());
        }
        let parts = judged.parts.iter().flat_map(|(_, values)| values);
        let values = judged.values.iter().map(|(_, value)| value).chain(parts);
        self.bytes += values.map(Value::text_bytes).sum::<usize>();
        self.waiting.push(Waiting { entry, judged, found });
        Ok(())
    }

    pub(super) fn is_full(&self) -> bool {
        let count = self.waiting.len();
        let is_long = count >= self.import.pace.entries || self.bytes >= BYTES;
        is_long || (count >= FEW && self.store.writes_asked() > self.asked)
    }

    pub(super) fn entries(&mut self) -> u64 {
        std::mem::take(&mut self.entries)
    }

    /// Sends what waits to the store, and waits for chunks that were sent before while there are too many of them.
    pub(super) async fn write(&mut self, report: &mut Report) -> Result<(), ImportError> {
        if self.needs_what_is_sent()? {
            self.settle(0, report).await?;
        }
        self.bytes = 0;
        let waiting = std::mem::take(&mut self.waiting);
        let sent = self.send(waiting, report).await?;
        self.sent.extend(sent);
        self.settle(self.import.pace.chunks - 1, report).await
    }

    /// Sends what waits, and waits for all of it.
    pub(super) async fn finish(&mut self, report: &mut Report) -> Result<(), ImportError> {
        self.write(report).await?;
        self.settle(0, report).await
    }

    /// Whether an entry refers to a record that an entry of a chunk before creates, whose id is not known yet.
    fn needs_what_is_sent(&mut self) -> Result<bool, ImportError> {
        let firsts = self.sent.iter().filter_map(|sent| sent.waiting.first());
        let Some(oldest) = firsts.map(|waiting| waiting.entry).min() else { return Ok(false) };
        let first = self.waiting.first().map_or(u64::MAX, |waiting| waiting.entry);
        for (_, found) in &mut self.plan.parts {
            for waiting in &self.waiting {
                let maker = u64::try_from(-1 - found.get(waiting.entry)?.id).ok();
                if let Some(maker) = maker.filter(|maker| (oldest..first).contains(maker))
                    && found.get(maker)?.id <= 0
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Asks the store to write these entries. `None` where there is nothing to write.
    async fn send(
        &mut self,
        mut waiting: Vec<Waiting>,
        report: &mut Report,
    ) -> Result<Option<Sent<'a>>, ImportError> {
        let (items, deeds) = self.items(&mut waiting, report).await?;
        if items.is_empty() {
            return Ok(None);
        }
        let work = Work::Batch(Batch { items, shows_records: false });
        let request = WriteRequest { work, token: None, origin: self.import.origin.clone() };
        let store = self.store;
        let mut writing = Box::pin(async move { store.write(request).await.outcome });
        // It is on its way once it was asked for an outcome.
        let polled = poll_fn(|context| Poll::Ready(writing.as_mut().poll(context))).await;
        self.asked = store.writes_asked();
        Ok(Some(match polled {
            Poll::Ready(outcome) => Sent { waiting, deeds, outcome: Box::pin(ready(outcome)) },
            Poll::Pending => Sent { waiting, deeds, outcome: writing },
        }))
    }

    /// Waits until no more than so many chunks are on their way.
    async fn settle(&mut self, most: usize, report: &mut Report) -> Result<(), ImportError> {
        while self.sent.len() > most
            && let Some(sent) = self.sent.pop_front()
        {
            self.settle_one(sent, report).await?;
        }
        Ok(())
    }

    /// Waits for a chunk. An entry that is refused is named, and the others of its chunk are tried again without it.
    async fn settle_one(&mut self, chunk: Sent<'a>, report: &mut Report) -> Result<(), ImportError> {
        let (mut pieces, mut next) = (Pieces::default(), Some(chunk));
        while let Some(Sent { waiting, deeds, outcome }) = next {
            match outcome.await {
                Ok(Written::Batch(done)) => self.count(&waiting, &deeds, &done, report)?,
                Ok(_) => {}
                Err(StoreError::Item(place, error)) => {
                    let (Deed::Part(at, _) | Deed::Record(at)) = deeds[place];
                    if let Some(refused) = pieces.put_back(waiting, at) {
                        report.faults.push(self.refusal(&refused, *error)?);
                    }
                }
                Err(error) => return Err(error.into()),
            }
            next = None;
            while next.is_none()
                && let Some(piece) = pieces.take()
            {
                next = self.send(piece, report).await?;
            }
        }
        Ok(())
    }

    /// The writes of the entries that wait. One that changes nothing, or not any more, is taken out.
    async fn items(
        &mut self,
        waiting: &mut Vec<Waiting>,
        report: &mut Report,
    ) -> Result<(Vec<Item>, Vec<Deed>), ImportError> {
        let collection = self.import.collection;
        let (mut items, mut deeds): (Vec<Item>, Vec<Deed>) = (Vec::new(), Vec::new());
        // The items that create records which several entries refer to, by what makes them: reference and entry.
        let mut made: HashMap<(usize, i64), usize> = HashMap::new();
        let mut at = 0;
        while at < waiting.len() {
            let Waiting { entry, judged, found } = &waiting[at];
            let (entry, found, mut values) = (*entry, *found, judged.values.clone());
            let seen = match RecordId::new(found.id) {
                None => None,
                Some(id) => {
                    let record = self.store.fetch(collection, id).await?;
                    match record.filter(|record| tag_of(record) == found.tag) {
                        Some(record) if has_all(collection, &record, &values) && judged.parts.is_empty() => {
                            report.unchanged += 1;
                            waiting.remove(at);
                            continue;
                        }
                        Some(record) => Some((id, ETags::These(vec![ETag::of(&record)]))),
                        None => {
                            report.faults.push(changed(judged.line, found.id));
                            waiting.remove(at);
                            continue;
                        }
                    }
                }
            };
            let mut references = Vec::new();
            for (reference, part) in &judged.parts {
                let Some(place) = self.plan.parts.iter().position(|(known, _)| known == reference) else {
                    continue;
                };
                let part_found = self.plan.parts[place].1.get(entry)?;
                let made_by = u64::try_from(-1 - part_found.id).ok();
                // The entry that makes it may have been stored before, and has noted its id.
                let id = match made_by {
                    None => part_found.id,
                    Some(maker) => self.plan.parts[place].1.get(maker)?.id,
                };
                if id > 0 {
                    values.push((*reference, Value::from(id)));
                    continue;
                }
                let key = (*reference, part_found.id);
                let item = match made.get(&key) {
                    Some(item) => *item,
                    None => {
                        let Some(target) = collection.fields()[*reference].reference() else { continue };
                        let draft = Draft::of(part.clone());
                        let write = Write::Insert { collection: target.target, draft, id: None };
                        items.push(Item { write, references: Vec::new(), target: None });
                        deeds.push(Deed::Part(at, place));
                        made.insert(key, items.len() - 1);
                        items.len() - 1
                    }
                };
                values.push((*reference, Value::from(0)));
                references.push((*reference, item));
            }
            values.sort_by_key(|(position, _)| *position);
            let patch = Patch::of(values);
            let write = match seen {
                Some((id, seen)) => {
                    Write::Update { collection: collection.position(), id, patch, seen: Some(seen) }
                }
                None => {
                    let id = judged.id.filter(|_| self.plan.by == Match::Id);
                    Write::Insert {
                        collection: collection.position(),
                        draft: patch.into_draft(collection),
                        id,
                    }
                }
            };
            items.push(Item { write, references, target: None });
            deeds.push(Deed::Record(at));
            at += 1;
        }
        Ok((items, deeds))
    }

    fn count(
        &mut self,
        waiting: &[Waiting],
        deeds: &[Deed],
        done: &[Written],
        report: &mut Report,
    ) -> Result<(), ImportError> {
        for (deed, written) in deeds.iter().zip(done) {
            match (deed, written) {
                (Deed::Part(at, place), Written::Created { id, .. }) => {
                    let (reference, outcomes) = &mut self.plan.parts[*place];
                    let entry = waiting[*at].entry;
                    let maker = u64::try_from(-1 - outcomes.get(entry)?.id).unwrap_or(entry);
                    outcomes.set(maker, Found { id: id.get(), tag: 0 })?;
                    let name =
                        self.import.judge_of().target(*reference).map(|target| target.name().to_owned());
                    *report.related.entry(name.unwrap_or_default()).or_default() += 1;
                }
                (Deed::Record(_), Written::Created { .. }) => report.created += 1,
                (Deed::Record(_), Written::Updated { .. }) => report.updated += 1,
                _ => report.unchanged += 1,
            }
        }
        Ok(())
    }

    /// What is said of an entry that the store refuses, or why the import cannot go on.
    fn refusal(&self, waiting: &Waiting, error: StoreError) -> Result<Fault, ImportError> {
        let (line, collection) = (waiting.judged.line, self.import.collection);
        let words = match error {
            StoreError::NoRecord | StoreError::EtagMismatch => return Ok(changed(line, waiting.found.id)),
            StoreError::DanglingReference(field) => {
                let position = collection.find_field(&field);
                let id = waiting.judged.values.iter().find(|(given, _)| Some(*given) == position);
                let id = id.and_then(|(_, value)| value.id()).unwrap_or_default();
                format!("{field} does not validate: there is no record {id}")
            }
            StoreError::Duplicate(fields) => not_unique(&fields),
            StoreError::UndeclaredRule(said) => format!("the database refuses it: {said}"),
            error => return Err(error.into()),
        };
        Ok(Fault::at(line, &words))
    }
}

fn changed(line: u64, id: i64) -> Fault {
    Fault::at(line, &format!("record {id} was changed meanwhile"))
}

/// Whether a record has all these values already.
fn has_all(collection: &Collection, record: &[u8], values: &[(usize, Value)]) -> bool {
    let stored: Vec<&[u8]> = members::values(collection, record).collect();
    values.iter().all(|(position, value)| {
        let mut json = Vec::new();
        value.cell().write(&mut json);
        stored.get(*position).is_some_and(|stored| *stored == json)
    })
}
