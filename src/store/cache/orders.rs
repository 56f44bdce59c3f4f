//! The orders in use: the records of a set by their sort keys, followed by every change, bounded in bytes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::changed::Changed;
use super::order::Order;
use super::order_key::{Keys, OrderKey};
use super::set_key::{SetKey, searchable};
use super::sort_key::KeptSort;
use super::too_large::{Lack, TooLarge};
use crate::catalog::Catalog;
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::store::change::Change;

/// How many orders are kept for each collection; every write moves its record in each of them.
const MOST: usize = 16;
/// From so many moves on they are made beside the readers: a move takes some microseconds. So are those of so many bytes
/// of text, which may have any number of words.
const MANY: usize = 64;
const LONG: usize = 4 << 10;
/// How many bytes of changes are remembered for an order that is being made, and what each takes beside its keys.
const MOST_REMEMBERED: usize = 32 << 20;
const EACH_MOVE: usize = 128;
impl Changed<'_> {
    /// Where it was and where it is; `None` where that is the same, or of no concern.
    fn keys(&self, order: &OrderKey) -> Option<(Keys, Keys)> {
        if order.set.collection != self.change.collection {
            return None;
        }
        let keys = (order.keys(self.collection, self.before()), order.keys(self.collection, self.after()));
        (keys.0 != keys.1).then_some(keys)
    }

    /// Moves it in an order. `false` where it was not in its place: the order is wrong, and made anew by who needs it.
    fn follow(&self, key: &OrderKey, order: &mut Order) -> bool {
        let Some((old, new)) = self.keys(key) else { return true };
        let id = self.change.id;
        // Both are in order: words, of which there may be any number.
        let lacks = |keys: &Keys, key: &Vec<u8>| keys.binary_search(key).is_err();
        old.iter().filter(|key| lacks(&new, key)).all(|key| order.remove(key, id))
            && new.iter().filter(|key| lacks(&old, key)).all(|key| order.insert(key, id))
    }
}

impl Build {
    fn remember(&mut self, record: &Changed<'_>) {
        let Some((old, new)) = record.keys(&self.key) else { return };
        self.bytes += EACH_MOVE + [&old, &new].into_iter().flatten().map(Vec::len).sum::<usize>();
        let moved = self.changed.entry(record.change.id).or_default();
        moved.seen.extend(old.into_iter().chain(new.clone()));
        moved.now = new;
    }
}

/// Copies of orders; `None` for one that was found to be wrong.
pub(super) type Copies = HashMap<OrderKey, Option<Order>>;

/// Moves the records that have changed.
pub(super) fn follow(copies: &mut Copies, records: &[Changed<'_>]) {
    for (key, order) in copies.iter_mut() {
        order.take_if(|order| !follow_all(records, key, order));
    }
}

/// Moves the records that have changed in one order. `false` where it is wrong.
fn follow_all(records: &[Changed<'_>], key: &OrderKey, order: &mut Order) -> bool {
    if records.iter().any(|record| record.before().is_some()) {
        return records.iter().all(|record| record.follow(key, order));
    }
    let keys = |record: &Changed<'_>| {
        let (id, keys) = (record.change.id, record.keys(key).unwrap_or_default().1);
        keys.into_iter().map(move |key| (key, id))
    };
    let mut entries: Vec<_> = records.iter().flat_map(keys).collect();
    entries.sort_unstable();
    order.insert_all(&entries)
}

/// All orders of one store.
pub(super) struct Orders {
    entries: Vec<Entry>,
    bytes: usize,
    /// Of those that do not stay.
    evictable_bytes: usize,
    limit_bytes: usize,
    clock: AtomicU64,
    builds: Vec<Build>,
    next_build: u64,
    /// Orders that were made and did not fit: to make them again and again would help nobody.
    too_large: TooLarge,
    /// Those that stay, whatever they take.
    kept: Vec<OrderKey>,
}

struct Entry {
    key: OrderKey,
    order: Order,
    used: AtomicU64,
    /// Whatever it takes.
    stays: bool,
}

/// An order that somebody is making right now, and what has changed meanwhile.
struct Build {
    number: u64,
    key: OrderKey,
    changed: HashMap<RecordId, Moved>,
    /// About what these take.
    bytes: usize,
}

/// Where a record may have been seen, and where it is.
#[derive(Default)]
struct Moved {
    seen: Vec<Vec<u8>>,
    now: Keys,
}

impl Orders {
    pub(super) fn new(catalog: &Catalog, limit_bytes: usize, keeps_any: bool) -> Self {
        let of_each = |collection: &Collection| {
            let kept = collection.fields().iter().enumerate().filter(|(_, field)| field.keeps_order());
            let set = SetKey::all_of(collection.position());
            let has_words = searchable(collection).next().is_some();
            let words = has_words.then(|| OrderKey::of_words(collection));
            kept.flat_map(|(position, _)| KeptSort::of_field(collection, position))
                .map(|sort| OrderKey { set: set.clone(), sort })
                .chain(words)
                .collect::<Vec<_>>()
        };
        Self {
            kept: catalog.collections().iter().filter(|_| keeps_any).flat_map(of_each).collect(),
            entries: Vec::new(),
            bytes: 0,
            evictable_bytes: 0,
            limit_bytes,
            clock: AtomicU64::new(0),
            builds: Vec::new(),
            next_build: 0,
            too_large: TooLarge::default(),
        }
    }

    /// The order, where it is known.
    pub(super) fn find(&self, key: &OrderKey) -> Option<&Order> {
        let entry = self.entries.iter().find(|entry| entry.key == *key)?;
        let now = self.clock.load(Relaxed);
        // Written once between two ticks: readers on all cores would fight over it otherwise.
        if entry.used.load(Relaxed) != now {
            entry.used.store(now, Relaxed);
        }
        Some(&entry.order)
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What the orders take that do not stay.
    pub(super) fn evictable_bytes(&self) -> usize {
        self.evictable_bytes
    }

    /// How much all orders may take.
    pub(super) fn limit_bytes(&self) -> usize {
        self.limit_bytes
    }

    /// By how much an order that was made did not fit.
    pub(super) fn lacks(&self, key: &OrderKey) -> Option<usize> {
        self.too_large.lacks(key)
    }

    /// Copies to be moved beside the readers, which share what does not change; `None` where so few records change that
    /// nobody need be spared.
    pub(super) fn copies(&self, changes: &[Change]) -> Option<Copies> {
        let copies = || self.entries.iter().map(|entry| (entry.key.clone(), Some(entry.order.clone())));
        let are_many = self.entries.len() * changes.len() >= MANY
            || changes.iter().map(Change::text_bytes).sum::<usize>() >= LONG;
        are_many.then(|| copies().collect())
    }

    /// Follows the changes of one commit. Orders that were moved already are put in their place; what they were is
    /// given back, to be dropped without a lock.
    pub(super) fn apply(&mut self, records: &[Changed<'_>], moved: Option<Copies>) -> Vec<Order> {
        self.too_large.count_deletes(records);
        if self.entries.is_empty() && self.builds.is_empty() {
            return Vec::new();
        }
        let mut moved = moved.unwrap_or_default();
        let mut replaced = Vec::new();
        self.entries.retain_mut(|entry| match moved.remove(&entry.key) {
            Some(Some(order)) => {
                replaced.push(std::mem::replace(&mut entry.order, order));
                true
            }
            Some(None) => false,
            // One that was made since then is moved here.
            None => follow_all(records, &entry.key, &mut entry.order),
        });
        for build in &mut self.builds {
            records.iter().for_each(|record| build.remember(record));
        }
        // One beside which so much is written is given up, and tried again by who needs it.
        self.builds.retain(|build| build.bytes <= MOST_REMEMBERED);
        self.measure();
        self.make_room();
        replaced
    }

    fn measure(&mut self) {
        let bytes = |entry: &Entry| entry.order.bytes();
        self.bytes = self.entries.iter().map(bytes).sum();
        self.evictable_bytes = self.entries.iter().filter(|entry| !entry.stays).map(bytes).sum();
    }

    /// Drops all orders of a collection, also those that are being made.
    pub(super) fn forget(&mut self, collection: usize) {
        self.entries.retain(|entry| entry.key.set.collection != collection);
        self.builds.retain(|build| build.key.set.collection != collection);
        self.too_large.forget(collection);
        self.measure();
    }

    /// Whether somebody makes an order.
    pub(super) fn is_under_way(&self, key: &OrderKey) -> bool {
        self.builds.iter().any(|build| build.key == *key)
    }

    /// Whether what was announced under this number is still to be made.
    pub(super) fn is_announced(&self, number: u64) -> bool {
        self.builds.iter().any(|build| build.number == number)
    }

    /// Announces that an order is going to be made: from now on what changes is remembered for it. `None` where it is
    /// known or somebody makes it.
    pub(super) fn begin_build(&mut self, key: &OrderKey) -> Option<u64> {
        if self.is_under_way(key) || self.find(key).is_some() || self.too_large.lacks(key).is_some() {
            return None;
        }
        self.next_build += 1;
        self.builds.push(Build {
            number: self.next_build,
            key: key.clone(),
            changed: HashMap::new(),
            bytes: 0,
        });
        Some(self.next_build)
    }

    /// Publishes an order that was made since it was announced, of what memory has.
    pub(super) fn finish_build(&mut self, number: u64, mut order: Order) {
        let Some(place) = self.builds.iter().position(|build| build.number == number) else { return };
        let build = self.builds.swap_remove(place);
        for (id, moved) in build.changed {
            for seen in moved.seen {
                order.remove(&seen, id);
            }
            for now in moved.now {
                order.insert(&now, id);
            }
        }
        if order.bytes() > self.limit_bytes && !self.kept.contains(&build.key) {
            let lack = Lack { bytes: order.bytes() - self.limit_bytes, entries: order.len() };
            return self.too_large.refuse(build.key, lack);
        }
        let used = AtomicU64::new(self.clock.fetch_add(1, Relaxed));
        let stays = self.kept.contains(&build.key);
        self.entries.push(Entry { key: build.key, order, used, stays });
        self.measure();
        self.make_room();
    }

    /// Gives up making an order; where it does not fit, `lacks` says by how much.
    pub(super) fn abandon_build(&mut self, number: u64, lacks: Option<Lack>) {
        let Some(place) = self.builds.iter().position(|build| build.number == number) else { return };
        let build = self.builds.swap_remove(place);
        if let Some(lack) = lacks {
            self.too_large.refuse(build.key, lack);
        }
    }

    /// The orders that stay, whatever they take.
    pub(super) fn kept(&self) -> &[OrderKey] {
        &self.kept
    }

    /// Drops the orders that were used longest ago, until the rest fits.
    fn make_room(&mut self) {
        loop {
            let may_go = self.entries.iter().enumerate().filter(|(_, entry)| !entry.stays);
            // Only where one came in last can there be too many.
            let last = self.entries.last().map(|entry| entry.key.set.collection);
            let of_last = may_go.clone().filter(|(_, entry)| Some(entry.key.set.collection) == last);
            let is_crowded = of_last.count() > MOST;
            let candidates =
                may_go.filter(|(_, entry)| !is_crowded || Some(entry.key.set.collection) == last);
            let oldest = candidates.min_by_key(|(_, entry)| entry.used.load(Relaxed)).map(|(place, _)| place);
            let (true, Some(place)) = (is_crowded || self.evictable_bytes > self.limit_bytes, oldest) else {
                return;
            };
            self.entries.remove(place);
            self.measure();
        }
    }
}
