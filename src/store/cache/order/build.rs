//! Orders made from entries that come in any order, or from a part of another order.
//!
//! Entries are sorted run by run, and all runs are merged at the end. A run is kept as leaves, which go as they are
//! merged, so a builder takes little more than the order it makes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::vec;

use super::leaf::{Group, Leaf, LeafWriter};
use super::level::first_bytes;
use super::{MOST, Order};
use crate::record::RecordId;
use crate::store::cache::ids::Ids;

/// How many entries a run has at the most, and how many bytes their keys.
const RUN: usize = 262_144;
const RUN_BYTES: usize = 32 << 20;

pub(in crate::store) struct OrderBuilder {
    /// The keys of the run that is collected, one after the other.
    keys: Vec<u8>,
    entries: Vec<Entry>,
    runs: Vec<Order>,
    /// Smaller than `RUN` and `MOST` in tests.
    run: usize,
    most: usize,
}

/// An entry of a run. Most comparisons end with the first bytes of the key.
struct Entry {
    first: u128,
    id: u64,
    start: u32,
    end: u32,
}

impl Default for OrderBuilder {
    fn default() -> Self {
        Self::with_limits(RUN, MOST)
    }
}

impl OrderBuilder {
    pub(super) fn with_limits(run: usize, most: usize) -> Self {
        Self { keys: Vec::new(), entries: Vec::new(), runs: Vec::new(), run, most }
    }

    /// Adds an entry. The same one twice counts once.
    pub(in crate::store) fn push(&mut self, key: &[u8], id: RecordId) {
        let start = self.keys.len() as u32;
        self.keys.extend_from_slice(key);
        let end = self.keys.len() as u32;
        self.entries.push(Entry { first: first_bytes(key), id: id.get().unsigned_abs(), start, end });
        if self.entries.len() >= self.run || self.keys.len() >= RUN_BYTES {
            self.end_run();
        }
    }

    /// How much memory it takes at the moment.
    pub(in crate::store) fn bytes(&self) -> usize {
        let run = self.keys.capacity() + self.entries.capacity() * size_of::<Entry>();
        run + self.runs.iter().map(Order::bytes).sum::<usize>()
    }

    pub(in crate::store) fn finish(mut self) -> Order {
        self.end_run();
        (self.keys, self.entries) = (Vec::new(), Vec::new());
        let mut order = SortedWriter::new(self.most);
        let mut runs: Vec<Entries> = self.runs.into_iter().map(Entries::new).collect();
        let mut nexts = BinaryHeap::new();
        for (run, entries) in runs.iter_mut().enumerate() {
            let mut key = Vec::new();
            nexts.extend(entries.next(&mut key).map(|id| Reverse((key, id, run))));
        }
        while let Some(Reverse((mut key, mut id, run))) = nexts.pop() {
            // One run goes on as long as no other has a smaller entry.
            loop {
                order.push(&key, id);
                let Some(next) = runs[run].next(&mut key) else { break };
                id = next;
                if nexts.peek().is_some_and(|Reverse(other)| (&other.0, other.1) < (&key, id)) {
                    nexts.push(Reverse((key, id, run)));
                    break;
                }
            }
        }
        order.finish()
    }

    fn end_run(&mut self) {
        let key = |entry: &Entry| &self.keys[entry.start as usize..entry.end as usize];
        self.entries.sort_unstable_by(|one, other| {
            let by_first = one.first.cmp(&other.first);
            by_first.then_with(|| (key(one), one.id).cmp(&(key(other), other.id)))
        });
        let mut run = SortedWriter::new(self.most);
        self.entries.iter().for_each(|entry| run.push(key(entry), entry.id));
        self.runs.push(run.finish());
        self.keys.clear();
        self.entries.clear();
    }
}

impl Order {
    /// The entries whose ids are in a set.
    pub(in crate::store) fn subset(&self, set: &Ids) -> Order {
        let mut subset = SortedWriter::new(self.most);
        self.visit(0..self.len, |key, ids| {
            let chosen = ids.iter().filter(|id| set.contains(**id));
            chosen.for_each(|id| subset.push(key, id.get().unsigned_abs()));
        });
        subset.finish()
    }
}

/// Makes an order from entries that come in that order.
struct SortedWriter {
    order: Order,
    leaf: LeafWriter,
}

impl SortedWriter {
    fn new(most: usize) -> Self {
        Self { order: Order::with_most(most), leaf: LeafWriter::default() }
    }

    fn push(&mut self, key: &[u8], id: u64) {
        if self.leaf.ends_with(key, id) {
            return;
        }
        if self.order.is_filled(&self.leaf) {
            self.order.append(self.leaf.take());
        }
        self.leaf.push(key, id);
    }

    fn finish(mut self) -> Order {
        if self.leaf.len() > 0 {
            self.order.append(self.leaf.take());
        }
        self.order
    }
}

/// The entries of a run, whose leaves go one after the other.
struct Entries {
    leaves: vec::IntoIter<Leaf>,
    leaf: Leaf,
    at: usize,
    /// The ids of a group that are left, the next one last.
    ids: Vec<u64>,
}

impl Entries {
    fn new(run: Order) -> Self {
        let leaves: Vec<Leaf> = run.leaves(0, 0).cloned().collect();
        Self { leaves: leaves.into_iter(), leaf: Leaf::default(), at: 0, ids: Vec::new() }
    }

    /// The id of the next entry. Its key takes the place of the one before.
    fn next(&mut self, key: &mut Vec<u8>) -> Option<u64> {
        while self.ids.is_empty() {
            if let Some(group) = Group::read(&self.leaf, self.at) {
                group.advance(key);
                self.ids.extend(group.ids());
                self.ids.reverse();
                self.at = group.end;
            } else {
                (self.leaf, self.at) = (self.leaves.next()?, 0);
            }
        }
        self.ids.pop()
    }
}
