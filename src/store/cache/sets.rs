//! Which ids live, and which match the filters in use: kept exact by every change, bounded in bytes.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::changed::Changed;
use super::ids::Ids;
use super::set_key::{Probes, SetKey};
use super::term::Term;
use crate::catalog::collection::Collection;
use crate::record::{RecordId, Value};
use crate::store::change::Change;

/// What a set takes besides its ids and its terms: itself and its places in the tables.
const OVERHEAD: usize = 256;
/// How many combinations of fields are kept for each collection; every write looks at each of them.
const MOST_SHAPES: usize = 64;
/// How many sets with conditions are kept for each collection; every write tests each of them.
const MOST_TESTED: usize = 128;
/// And how many of searches. A search has up to three: what it finds by itself, in whole words, in beginnings.
const MOST_SEARCHED: usize = 3 * 64;
/// A set's size is measured again after so many changes.
const MEASURE_AFTER: u32 = 256;
/// How many sets are remembered for being too large.
const MOST_TOO_LARGE: usize = 1_024;
/// What one more id takes, until the set is measured again.
const ONE_ID: usize = 2;
/// How many sets compete for staying when one must go.
const SAMPLE: usize = 8;

type Terms = HashMap<Vec<Term>, usize>;

/// All sets of one store.
pub(super) struct Sets {
    /// For each collection: by combination of fields, by terms, the place among the entries. There are so few
    /// combinations that to look at each costs less than to hash one.
    shapes: Vec<Vec<(Vec<usize>, Terms)>>,
    /// For each collection: those with conditions, each of which is tested at every change.
    tested: Vec<HashMap<SetKey, usize>>,
    /// For each collection: the place of the set of all ids, which most lists ask for.
    all: Vec<Option<usize>>,
    entries: Vec<Option<Entry>>,
    free: Vec<usize>,
    bytes: usize,
    limit_bytes: usize,
    /// Ticks when a set comes in: what was used between two of them was used at the same time.
    clock: AtomicU64,
    builds: Vec<Build>,
    next_build: u64,
    /// Sets that were built and did not fit: to build them again and again would help nobody.
    too_large: HashSet<SetKey>,
    dice: u64,
}

struct Entry {
    key: SetKey,
    ids: Ids,
    bytes: usize,
    changes: u32,
    used: AtomicU64,
}

/// A set that somebody is reading from the database right now, and what has changed meanwhile.
struct Build {
    number: u64,
    key: SetKey,
    /// The records that came in or went out since it began, and whether they are in now.
    changed: HashMap<RecordId, bool>,
}

impl Sets {
    pub(super) fn new(collections: usize, limit_bytes: usize) -> Self {
        Self {
            shapes: (0..collections).map(|_| Vec::new()).collect(),
            tested: (0..collections).map(|_| HashMap::new()).collect(),
            all: vec![None; collections],
            entries: Vec::new(),
            free: Vec::new(),
            bytes: 0,
            limit_bytes,
            clock: AtomicU64::new(0),
            builds: Vec::new(),
            next_build: 0,
            too_large: HashSet::new(),
            dice: 0x9e37_79b9_7f4a_7c15,
        }
    }

    fn place(&self, key: &SetKey) -> Option<usize> {
        if !key.conditions.is_empty() {
            self.tested[key.collection].get(key).copied()
        } else if key.fields.is_empty() {
            self.all[key.collection]
        } else {
            shape(&self.shapes[key.collection], &key.fields)?.get(&key.terms).copied()
        }
    }

    /// The set, where it is known.
    pub(super) fn find(&self, key: &SetKey) -> Option<&Ids> {
        let entry = self.entries[self.place(key)?].as_ref()?;
        let now = self.clock.load(Relaxed);
        // Written once between two ticks: readers on all cores would fight over it otherwise.
        if entry.used.load(Relaxed) != now {
            entry.used.store(now, Relaxed);
        }
        Some(&entry.ids)
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Follows the changes of one commit.
    pub(super) fn apply(&mut self, records: &[Changed<'_>]) {
        for record in records {
            let (collection, change) = (record.collection, record.change);
            self.follow_terms(collection, change);
            let is_built = self.builds.iter().any(|build| build.key.collection == change.collection);
            if !is_built && self.tested[change.collection].is_empty() {
                continue;
            }
            let holds = |key: &SetKey, record: Option<&Probes<'_>>| {
                record.is_some_and(|record| key.holds(collection, record))
            };
            for (key, &place) in &self.tested[change.collection] {
                let (was_in, is_in) = (holds(key, record.before()), holds(key, record.after()));
                if was_in != is_in
                    && let Some(entry) = &mut self.entries[place]
                {
                    entry.follow(change.id, is_in, &mut self.bytes);
                }
            }
            for build in self.builds.iter_mut().filter(|build| build.key.collection == change.collection) {
                let (was_in, is_in) = (holds(&build.key, record.before()), holds(&build.key, record.after()));
                if was_in != is_in {
                    build.changed.insert(change.id, is_in);
                }
            }
        }
        self.make_room();
    }

    /// Of the sets that are made of terms a record is in one of each shape.
    fn follow_terms(&mut self, collection: &Collection, change: &Change) {
        let fields = collection.fields();
        let met = |positions: &[usize], values: Option<&[Value]>| {
            values.map(|values| {
                let terms = positions.iter().map(|&position| Term::met(&fields[position], &values[position]));
                terms.collect::<Vec<_>>()
            })
        };
        let after = change.after.as_ref().map(|after| &*after.values);
        for (positions, by_terms) in &self.shapes[change.collection] {
            let (old, new) = (met(positions, change.before.as_deref()), met(positions, after));
            if old == new {
                continue;
            }
            let places = [(old, false), (new, true)];
            for (terms, is_in) in places {
                let Some(place) = terms.and_then(|terms| by_terms.get(&terms).copied()) else { continue };
                if let Some(entry) = &mut self.entries[place] {
                    entry.follow(change.id, is_in, &mut self.bytes);
                }
            }
        }
    }

    /// Drops all sets of a collection, also those that are being read.
    pub(super) fn forget(&mut self, collection: usize) {
        let of_it =
            |entry: &Option<Entry>| entry.as_ref().is_some_and(|entry| entry.key.collection == collection);
        let places: Vec<usize> = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| of_it(entry))
            .map(|(place, _)| place)
            .collect();
        places.into_iter().for_each(|place| self.drop_entry(place));
        self.builds.retain(|build| build.key.collection != collection);
        self.too_large.retain(|key| key.collection != collection);
    }

    /// Whether somebody reads a set.
    pub(super) fn is_under_way(&self, key: &SetKey) -> bool {
        self.builds.iter().any(|build| build.key == *key)
    }

    /// Announces that a set is going to be read: from now on what changes is remembered for it.
    pub(super) fn begin_build(&mut self, key: SetKey) -> Option<u64> {
        if self.is_under_way(&key) || self.too_large.contains(&key) || self.find(&key).is_some() {
            return None;
        }
        self.next_build += 1;
        self.builds.push(Build { number: self.next_build, key, changed: HashMap::new() });
        Some(self.next_build)
    }

    /// Publishes a set that was read since it was announced. Memory has all that the reader saw, so that what has
    /// changed meanwhile is as remembered here, whether or not it was read.
    pub(super) fn finish_build(&mut self, number: u64, mut ids: Ids) {
        let Some(place) = self.builds.iter().position(|build| build.number == number) else { return };
        let build = self.builds.swap_remove(place);
        for (id, is_in) in build.changed {
            if is_in {
                ids.insert(id)
            } else {
                ids.remove(id)
            };
        }
        self.publish(build.key, ids);
    }

    pub(super) fn abandon_build(&mut self, number: u64) {
        self.builds.retain(|build| build.number != number);
    }

    /// Keeps a set that is right as of now.
    pub(super) fn publish(&mut self, key: SetKey, ids: Ids) {
        let shapes = &self.shapes[key.collection];
        let is_a_shape_too_many =
            key.conditions.is_empty() && shapes.len() >= MOST_SHAPES && shape(shapes, &key.fields).is_none();
        if self.place(&key).is_some() || is_a_shape_too_many {
            return;
        }
        let bytes = OVERHEAD + 2 * key.bytes() + ids.bytes();
        if bytes > self.limit_bytes && !key.is_all() {
            if self.too_large.len() < MOST_TOO_LARGE {
                self.too_large.insert(key);
            }
            return;
        }
        if !key.conditions.is_empty() {
            self.make_room_beside(&key);
        }
        let used = AtomicU64::new(self.clock.fetch_add(1, Relaxed));
        let place = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            self.entries.len() - 1
        });
        if !key.conditions.is_empty() {
            self.tested[key.collection].insert(key.clone(), place);
        } else if key.is_all() {
            self.all[key.collection] = Some(place);
        }
        if key.conditions.is_empty() {
            let shapes = &mut self.shapes[key.collection];
            let at = shapes.iter().position(|(fields, _)| *fields == key.fields).unwrap_or_else(|| {
                shapes.push((key.fields.clone(), Terms::new()));
                shapes.len() - 1
            });
            shapes[at].1.insert(key.terms.clone(), place);
        }
        self.entries[place] = Some(Entry { key, ids, bytes, changes: 0, used });
        self.bytes += bytes;
        self.make_room();
    }

    /// Drops the set of the same sort that was used longest ago, where there are too many of them.
    fn make_room_beside(&mut self, key: &SetKey) {
        let is_searched = key.search().is_some();
        let most = if is_searched { MOST_SEARCHED } else { MOST_TESTED };
        let tested = self.tested[key.collection].iter();
        let alike = tested.filter(|(key, _)| key.search().is_some() == is_searched).map(|(_, &place)| place);
        let used = |place: &usize| self.entries[*place].as_ref().map(|entry| entry.used.load(Relaxed));
        if alike.clone().count() >= most
            && let Some(oldest) = alike.min_by_key(used)
        {
            self.drop_entry(oldest);
        }
    }

    /// Drops sets until the rest fits: of a few taken at random, the one that was used longest ago. The sets
    /// of all live ids stay.
    fn make_room(&mut self) {
        let mut attempts = 0;
        while self.bytes > self.limit_bytes && attempts < 4 * self.entries.len() {
            attempts += 1;
            let sample = (0..SAMPLE).filter_map(|_| {
                self.dice ^= self.dice << 13;
                self.dice ^= self.dice >> 7;
                self.dice ^= self.dice << 17;
                let place = (self.dice % self.entries.len() as u64) as usize;
                let entry = self.entries[place].as_ref()?;
                (!entry.key.is_all()).then(|| (entry.used.load(Relaxed), place))
            });
            if let Some((_, place)) = sample.min() {
                self.drop_entry(place);
            }
        }
    }

    fn drop_entry(&mut self, place: usize) {
        let Some(entry) = self.entries[place].take() else { return };
        self.free.push(place);
        self.bytes -= entry.bytes;
        if !entry.key.conditions.is_empty() {
            self.tested[entry.key.collection].remove(&entry.key);
            return;
        }
        if entry.key.is_all() {
            self.all[entry.key.collection] = None;
        }
        let shapes = &mut self.shapes[entry.key.collection];
        shapes.retain_mut(|(fields, by_terms)| {
            if *fields == entry.key.fields {
                by_terms.remove(&entry.key.terms);
            }
            !by_terms.is_empty()
        });
    }
}

/// The sets of a combination of fields.
fn shape<'a>(shapes: &'a [(Vec<usize>, Terms)], fields: &[usize]) -> Option<&'a Terms> {
    shapes.iter().find(|(of, _)| of == fields).map(|(_, by_terms)| by_terms)
}

impl Entry {
    fn follow(&mut self, id: RecordId, is_in: bool, bytes: &mut usize) {
        if is_in {
            self.ids.insert(id)
        } else {
            self.ids.remove(id)
        };
        self.bytes += ONE_ID;
        *bytes += ONE_ID;
        self.changes += 1;
        if self.changes >= MEASURE_AFTER {
            self.changes = 0;
            let measured = OVERHEAD + 2 * self.key.bytes() + self.ids.bytes();
            *bytes = *bytes - self.bytes + measured;
            self.bytes = measured;
        }
    }
}
