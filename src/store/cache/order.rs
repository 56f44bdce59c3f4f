//! Entries of a key and a record id in their order: how many there are, which stand at an offset, and how many stand
//! before one, without counting.
//!
//! Entries are in leaves, leaves in blocks, and beside each stands how many entries it has. Keys are bytes, compared
//! as such; entries of one key are in the order of their ids. A clone shares all leaves and blocks, so it takes
//! microseconds: a reader may go on with one while a writer changes the order, which copies the blocks it meets.
//! `docs/decisions/0016-front-coded-orders.md` has the figures.

mod build;
mod change;
mod edit;
mod leaf;
mod level;
mod merge;

use std::ops::Range;
use std::sync::Arc;

use crate::record::RecordId;
pub(in crate::store) use build::OrderBuilder;
use leaf::{Group, Leaf};
use level::{Level, first_bytes};

/// How many entries a leaf has at the most, and how many leaves a block.
const MOST: usize = 256;

type Block = Level<Leaf>;

#[derive(Debug, Clone)]
pub(in crate::store) struct Order {
    blocks: Level<Arc<Block>>,
    len: u64,
    bytes: usize,
    /// Smaller than `MOST` in tests.
    most: usize,
}

impl Default for Order {
    fn default() -> Self {
        Self::with_most(MOST)
    }
}

impl Order {
    fn with_most(most: usize) -> Self {
        Self { blocks: Level::default(), len: 0, bytes: 0, most }
    }

    pub(in crate::store) fn len(&self) -> u64 {
        self.len
    }

    /// How much memory it takes.
    pub(in crate::store) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends the ids from `offset` on, at most `count` of them, to `out`.
    pub(in crate::store) fn page(&self, offset: u64, count: usize, out: &mut Vec<RecordId>) {
        self.walk(offset..offset.saturating_add(count as u64), |group, wanted| {
            append_ids(group, wanted, out)
        });
    }

    /// Calls `each` with the keys and ids of the entries at some ranks. A key whose ids are in several leaves comes
    /// once for each.
    pub(in crate::store) fn visit(&self, ranks: Range<u64>, mut each: impl FnMut(&[u8], &[RecordId])) {
        let (mut key, mut ids) = (Vec::new(), Vec::new());
        self.walk(ranks, |group, wanted| {
            group.advance(&mut key);
            if !wanted.is_empty() {
                ids.clear();
                append_ids(group, wanted, &mut ids);
                each(&key, &ids);
            }
        });
    }

    /// Calls `each` with the groups of the entries at some ranks and which of the ids of each are among them. It begins
    /// with the first group of a leaf, without which no key is known.
    fn walk(&self, ranks: Range<u64>, mut each: impl FnMut(&Group<'_>, Range<usize>)) {
        let mut left = ranks.end.min(self.len).saturating_sub(ranks.start);
        let (block, offset) = self.blocks.at(ranks.start);
        let (leaf, mut skip) = self.blocks.nodes().get(block).map_or((0, 0), |block| block.at(offset));
        for leaf in self.leaves(block, leaf) {
            let mut at = 0;
            while left > 0
                && let Some(group) = Group::read(leaf, at)
            {
                at = group.end;
                let start = skip.min(group.len as u64);
                let end = (start + left).min(group.len as u64);
                each(&group, start as usize..end as usize);
                (skip, left) = (skip - start, left - (end - start));
            }
            if left == 0 {
                return;
            }
        }
    }

    /// The leaves from one on.
    fn leaves(&self, block: usize, leaf: usize) -> impl Iterator<Item = &Leaf> {
        self.blocks.nodes().iter().skip(block).flat_map(|block| block.nodes()).skip(leaf)
    }

    /// How many entries stand before an entry, whether that is there or not.
    pub(in crate::store) fn rank(&self, key: &[u8], id: RecordId) -> u64 {
        self.count_before(key, id.get().unsigned_abs())
    }

    /// How many entries have a smaller key.
    pub(in crate::store) fn rank_of_key(&self, key: &[u8]) -> u64 {
        self.count_before(key, 0)
    }

    /// How many entries have a smaller key or this one.
    pub(in crate::store) fn rank_after_key(&self, key: &[u8]) -> u64 {
        self.count_before(key, u64::MAX)
    }

    fn count_before(&self, key: &[u8], id: u64) -> u64 {
        if self.len == 0 {
            return 0;
        }
        let (place, leaf) = self.find(key, id);
        let block = &self.blocks.nodes()[place];
        self.blocks.before(place) + block.before(leaf) + edit::rank(&block.nodes()[leaf], key, id) as u64
    }

    /// The block and the leaf in it where an entry is, or would be. There must be an entry.
    fn find(&self, key: &[u8], id: u64) -> (usize, usize) {
        let first = first_bytes(key);
        let begins_after = |leaf: &Leaf| leaf::first(leaf) > (key, id);
        let block = self.blocks.find(first, |block| begins_after(&block.nodes()[0]));
        (block, self.blocks.nodes()[block].find(first, begins_after))
    }
}

fn append_ids(group: &Group<'_>, wanted: Range<usize>, out: &mut Vec<RecordId>) {
    if !wanted.is_empty() {
        // They were ids when they came.
        let ids = group.ids().filter_map(|id| RecordId::new(id.cast_signed()));
        out.extend(ids.skip(wanted.start).take(wanted.len()));
    }
}

#[cfg(test)]
mod tests;
