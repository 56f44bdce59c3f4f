//! Writes that wait for a lock of another tool, set aside so that the others of the node go on.
//!
//! One of them is tried again now and then, alone and shortly: while it waits for its lock, everybody else waits for
//! the writer. So the pause is several times as long as the try before it. Writes to one record keep their order.

use std::time::Duration;

use tokio::time::Instant;

use super::group_window::number;
use crate::store::write::handle::{PendingWrite, Record};

/// How long a write waits in all: in the queue, for its lock, and here.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The pause before the first try, and how many times as long as a try in vain the pause after it is.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const PAUSE_FACTOR: u32 = 4;
/// How often those are let go at the most who stood behind one whose time is over: each time costs everybody a wait.
const FREED_EVERY: Duration = Duration::from_millis(200);
/// How many may be set aside, each item of a batch counted, and how many bytes of text they may have together. One alone
/// is always taken.
const MOST: usize = 1_024;
const MOST_BYTES: usize = 32 << 20;

#[derive(Default)]
pub(super) struct BlockedWrites {
    /// The one that is tried next comes first.
    writes: Vec<PendingWrite>,
    /// When it is tried; `None` is at once.
    next_try: Option<Instant>,
    /// When some were last let go because one before them was over.
    freed: Option<Instant>,
}

impl BlockedWrites {
    pub(super) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    pub(super) fn has_room_for(&self, write: &PendingWrite) -> bool {
        let bytes: usize = self.writes.iter().map(PendingWrite::bytes).sum();
        let number = number(&self.writes);
        self.is_empty() || (number + write.work.len() <= MOST && bytes + write.bytes() <= MOST_BYTES)
    }

    pub(super) fn add(&mut self, write: PendingWrite, now: Instant) {
        if self.is_empty() {
            self.next_try = Some(now + FIRST_PAUSE);
        }
        self.writes.push(write);
    }

    /// Whether a write to the same record is here, which comes first.
    pub(super) fn has_one_before(&self, write: &PendingWrite) -> bool {
        let records = write.records();
        self.writes.iter().any(|other| names_one_of(other, &records))
    }

    /// When one is to be tried, or has waited for too long.
    pub(super) fn next_event(&self) -> Option<Instant> {
        let first_end = self.writes.iter().map(end).min()?;
        Some(self.next_try.map_or_else(Instant::now, |next_try| next_try.min(first_end)))
    }

    /// Takes out those that have waited for too long, and then, now and then, those that stood behind one of them: it may
    /// have waited for something else than they need.
    pub(super) fn take_overdue(&mut self, now: Instant) -> (Vec<PendingWrite>, Vec<PendingWrite>) {
        let overdue: Vec<PendingWrite> = self.writes.extract_if(.., |write| end(write) <= now).collect();
        if overdue.is_empty() || self.freed.is_some_and(|freed| now < freed + FREED_EVERY) {
            return (overdue, Vec::new());
        }
        let followers = self.take_followers(overdue.iter().flat_map(PendingWrite::records).collect());
        self.freed = if followers.is_empty() { self.freed } else { Some(now) };
        (overdue, followers)
    }

    /// Takes out the one that is to be tried now.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<PendingWrite> {
        let is_due = self.next_try.is_none_or(|next_try| next_try <= now);
        (is_due && !self.is_empty()).then(|| self.writes.remove(0))
    }

    /// It was tried in vain, from `began` until now: it waits behind those to other records.
    pub(super) fn put_back(&mut self, write: PendingWrite, began: Instant, now: Instant) {
        let followers = self.take_followers(write.records());
        self.writes.push(write);
        self.writes.extend(followers);
        self.next_try = Some(now + (now - began) * PAUSE_FACTOR);
    }

    /// One to these records is done: takes out those that came after it. The next one is tried at once: who has let go of
    /// this lock may have let go of others.
    pub(super) fn release(&mut self, records: Vec<Record>) -> Vec<PendingWrite> {
        self.next_try = None;
        self.take_followers(records)
    }

    /// Takes out those to these records, and those that stand behind one of them in turn, as they may behind a batch.
    fn take_followers(&mut self, mut records: Vec<Record>) -> Vec<PendingWrite> {
        let writes = self.writes.extract_if(.., |write| {
            let follows = names_one_of(write, &records);
            if follows && write.work.len() > 1 {
                records.extend(write.records());
            }
            follows
        });
        writes.collect()
    }
}

fn names_one_of(write: &PendingWrite, records: &[Record]) -> bool {
    write.records().iter().any(|record| records.contains(record))
}

/// When a write has waited for too long.
fn end(write: &PendingWrite) -> Instant {
    write.since() + LONGEST_WAIT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RecordId;
    use crate::store::write::{Batch, Item};
    use crate::store::write::{Work, Write};

    const SHORT: Duration = Duration::from_millis(20);

    fn delete(id: i64) -> Write {
        Write::Delete { collection: 0, id: RecordId::new(id).unwrap(), seen: None }
    }

    /// A delete of the record with this id.
    fn write(id: i64, since: Instant) -> PendingWrite {
        PendingWrite::unheard(Work::One(delete(id)), since)
    }

    /// A batch of such deletes, and of one that is not known yet by its id.
    fn batch(ids: &[i64], since: Instant) -> PendingWrite {
        let item = |id, target| Item { write: delete(id), references: Vec::new(), target };
        let items = ids.iter().map(|&id| item(id, None)).chain([item(99, Some(0))]).collect();
        PendingWrite::unheard(Work::Batch(Batch { items, shows_records: false }), since)
    }

    fn ids<'a>(writes: impl IntoIterator<Item = &'a PendingWrite>) -> Vec<i64> {
        writes.into_iter().map(|write| write.records()[0].1.get()).collect()
    }

    #[test]
    fn they_are_tried_in_turn_with_pauses_and_each_record_keeps_its_order() {
        let mut blocked = BlockedWrites::default();
        let began = Instant::now();
        assert_eq!(blocked.next_event(), None);
        for (place, id) in (0..).zip([1, 2, 1, 3]) {
            blocked.add(write(id, began + SHORT * place), began);
        }
        assert!(blocked.has_one_before(&write(2, began)) && !blocked.has_one_before(&write(4, began)));
        assert!(blocked.take_due(began).is_none());
        let first_try = began + FIRST_PAUSE;
        assert_eq!(blocked.next_event(), Some(first_try));
        let first = blocked.take_due(first_try).unwrap();
        assert_eq!((ids([&first]), blocked.has_one_before(&first)), (vec![1], true));
        blocked.put_back(first, first_try, first_try + SHORT);
        assert_eq!(ids(&blocked.writes), [2, 3, 1, 1]);
        assert!(blocked.writes[2].since() < blocked.writes[3].since());
        let second_try = first_try + SHORT + SHORT * PAUSE_FACTOR;
        assert_eq!(
            (blocked.take_due(second_try - SHORT).is_none(), blocked.next_event()),
            (true, Some(second_try))
        );
        let second = blocked.take_due(second_try).unwrap();
        assert_eq!((ids([&second]), ids(&blocked.release(second.records()))), (vec![2], vec![]));
        // Once a lock is free, the others are tried without a pause, whether or not another write comes.
        assert!(blocked.next_event().is_some_and(|event| event <= Instant::now()));
        assert_eq!(ids(&blocked.take_due(began)), [3]);
        let third = blocked.take_due(began).unwrap();
        assert_eq!((ids([&third]), ids(&blocked.release(third.records()))), (vec![1], vec![1]));
        assert!(blocked.is_empty() && blocked.take_due(began).is_none());
    }

    #[test]
    fn a_batch_keeps_its_place_among_the_writes_to_each_of_its_records() {
        let mut blocked = BlockedWrites::default();
        let began = Instant::now();
        blocked.add(batch(&[1, 2], began), began);
        assert!(blocked.has_one_before(&write(2, began)) && blocked.has_one_before(&batch(&[3, 1], began)));
        assert!(!blocked.has_one_before(&write(99, began)), "an item names what another makes");
        for write in [write(5, began), batch(&[2, 3], began), write(4, began), write(3, began)] {
            blocked.add(write, began);
        }
        let first_try = began + FIRST_PAUSE;
        let first = blocked.take_due(first_try).unwrap();
        blocked.put_back(first, first_try, first_try);
        assert_eq!(ids(&blocked.writes), [5, 4, 1, 2, 3], "they move together, in their order");
        let done = blocked.writes.remove(2);
        assert_eq!(
            ids(&blocked.release(done.records())),
            [2, 3],
            "one of them stands behind the other alone"
        );
        assert_eq!(ids(&blocked.writes), [5, 4]);
    }

    #[test]
    fn who_stood_behind_one_whose_time_is_over_is_free() {
        let mut blocked = BlockedWrites::default();
        let began = Instant::now();
        let (soon, later) = (began + SHORT, began + FREED_EVERY);
        for (write, since) in [
            (batch(&[1, 2], began), began),
            (batch(&[2, 3], soon), soon),
            (write(5, later), later),
            (write(3, later), later),
        ] {
            blocked.add(write, since);
        }
        let (overdue, followers) = blocked.take_overdue(began + LONGEST_WAIT);
        assert_eq!((ids(&overdue), ids(&followers)), (vec![1], vec![2, 3]));
        assert_eq!(ids(&blocked.writes), [5]);
        // It is still locked, and so are they set aside again.
        followers.into_iter().for_each(|write| blocked.add(write, later));
        let (overdue, followers) = blocked.take_overdue(soon + LONGEST_WAIT);
        assert_eq!((ids(&overdue), ids(&followers)), (vec![2], vec![]), "not so often");
        blocked.add(write(5, later + SHORT), later);
        let (overdue, followers) = blocked.take_overdue(later + LONGEST_WAIT);
        assert_eq!((ids(&overdue), ids(&followers)), (vec![5, 3], vec![5]));
    }

    #[test]
    fn none_waits_for_longer_than_allowed_and_no_more_than_there_is_room_for() {
        let mut blocked = BlockedWrites::default();
        let began = Instant::now();
        let (later, end) = (began + LONGEST_WAIT / 2, began + LONGEST_WAIT);
        blocked.add(write(1, began), later);
        while blocked.has_room_for(&write(2, later)) {
            blocked.add(write(2, later), later);
        }
        assert_eq!(blocked.writes.len(), MOST);
        assert!(blocked.take_overdue(later).0.is_empty());
        blocked.next_try = Some(end + LONGEST_WAIT);
        assert_eq!(blocked.next_event(), Some(end));
        assert_eq!(ids(&blocked.take_overdue(end).0), [1]);
        assert!(blocked.has_room_for(&write(1, end)));
    }
}
