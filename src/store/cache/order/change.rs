//! Changes of an order: entries come and go, leaves are split and joined.

use std::ops::Range;
use std::sync::Arc;

use super::edit;
use super::leaf::{self, Group, Leaf, LeafWriter};
use super::level::{Slot, first_bytes};
use super::{Block, Order};
use crate::record::RecordId;

/// A leaf with more bytes is split, since every change copies one.
pub(super) const LEAF_BYTES: usize = 16 << 10;

/// With so many bytes a leaf that is written counts as full, so that some more have room.
pub(super) const FULL_BYTES: usize = LEAF_BYTES / 4 * 3;

/// What a leaf takes besides its bytes: its allocation, and its place in a block with some room to grow.
pub(super) const LEAF_OVERHEAD: usize = 80;

/// A leaf, and how many entries it has.
pub(super) type Counted = (Leaf, usize);

impl Order {
    /// Adds an entry; says whether it was new.
    pub(in crate::store) fn insert(&mut self, key: &[u8], id: RecordId) -> bool {
        let id = id.get().unsigned_abs();
        if self.len == 0 {
            let mut writer = LeafWriter::default();
            writer.push(key, id);
            self.append(writer.take());
            return true;
        }
        let (place, at) = self.find(key, id);
        let block = &self.blocks.nodes()[place];
        let Some((leaf, is_last)) = edit::insert(&block.nodes()[at], key, id) else { return false };
        let len = block.node_len(at) + 1;
        if len > self.most || (leaf.len() > LEAF_BYTES && len > 1) {
            // Entries that come in their order, such as numbered ones, leave full leaves behind.
            let kept = if is_last { len - 1 } else { len / 2 };
            self.replace(place, at..at + 1, split(&leaf, kept));
        } else {
            self.replace(place, at..at + 1, [(leaf, len)]);
        }
        self.len += 1;
        true
    }

    /// Takes an entry out; says whether it was there.
    pub(in crate::store) fn remove(&mut self, key: &[u8], id: RecordId) -> bool {
        if self.len == 0 {
            return false;
        }
        let id = id.get().unsigned_abs();
        let (place, at) = self.find(key, id);
        let block = &self.blocks.nodes()[place];
        let Some(leaf) = edit::remove(&block.nodes()[at], key, id) else { return false };
        let len = block.node_len(at) - 1;
        if len == 0 {
            self.replace(place, at..at + 1, []);
        } else if let Some(pair) = self.pair_to_join(block, at, &leaf, len) {
            let joined = if pair.start == at {
                join(&leaf, &block.nodes()[at + 1])
            } else {
                join(&block.nodes()[pair.start], &leaf)
            };
            self.replace(place, pair, [joined]);
        } else {
            self.replace(place, at..at + 1, [(leaf, len)]);
        }
        self.len -= 1;
        true
    }

    /// The places of a leaf that has become thin and of a neighbour, where one leaf can take both.
    fn pair_to_join(&self, block: &Block, at: usize, leaf: &Leaf, len: usize) -> Option<Range<usize>> {
        let start = at.min(block.nodes().len().checked_sub(2)?);
        let other = if start == at { at + 1 } else { start };
        let is_possible = len < self.most / 4
            && len + block.node_len(other) <= self.full()
            && leaf.len() + block.nodes()[other].len() <= LEAF_BYTES / 2;
        is_possible.then_some(start..start + 2)
    }

    /// Puts leaves in the place of others.
    pub(super) fn replace(
        &mut self,
        place: usize,
        at: Range<usize>,
        leaves: impl IntoIterator<Item = Counted>,
    ) {
        let bytes = &mut self.bytes;
        let block = Arc::make_mut(self.blocks.node_mut(place));
        *bytes -= block.nodes()[at.clone()].iter().map(cost).sum::<usize>();
        let slots = leaves.into_iter().map(slot).inspect(|slot| *bytes += cost(&slot.node));
        block.replace(at, slots);
        let leaf_count = block.nodes().len();
        let later = (leaf_count > self.most).then(|| block.split_off(leaf_count / 2));
        let (first, len) = (block.first_of(0), block.len());
        self.blocks.note(place, first, len);
        if let Some(later) = later {
            self.blocks.replace(place + 1..place + 1, [later.into_slot()]);
        } else if leaf_count == 0 {
            self.blocks.replace(place..place + 1, []);
        }
    }

    /// Adds a leaf whose entries are greater than all others.
    pub(super) fn append(&mut self, leaf: Counted) {
        let is_room = self.blocks.nodes().last().is_some_and(|block| block.nodes().len() < self.full());
        if !is_room {
            let end = self.blocks.nodes().len();
            self.blocks.replace(end..end, [Block::default().into_slot()]);
        }
        let place = self.blocks.nodes().len() - 1;
        let end = self.blocks.nodes()[place].nodes().len();
        self.len += leaf.1 as u64;
        self.replace(place, end..end, [leaf]);
    }

    /// Whether a leaf that is written has as many entries as leaves are filled with, so that some more have room.
    pub(super) fn is_filled(&self, writer: &LeafWriter) -> bool {
        writer.len() >= self.full() || writer.bytes() >= FULL_BYTES
    }

    pub(super) fn full(&self) -> usize {
        self.most / 4 * 3
    }
}

fn slot((leaf, len): Counted) -> Slot<Leaf> {
    Slot { first: first_bytes(leaf::first(&leaf).0), len, node: leaf }
}

fn cost(leaf: &Leaf) -> usize {
    leaf.len() + LEAF_OVERHEAD
}

/// Two leaves of one, the first with `len` entries.
fn split(leaf: &Leaf, len: usize) -> [Counted; 2] {
    let (mut first, mut second) = (LeafWriter::default(), LeafWriter::default());
    write(leaf, |key, id| if first.len() < len { first.push(key, id) } else { second.push(key, id) });
    [first.take(), second.take()]
}

fn join(first: &Leaf, second: &Leaf) -> Counted {
    let mut both = LeafWriter::default();
    write(first, |key, id| both.push(key, id));
    write(second, |key, id| both.push(key, id));
    both.take()
}

pub(super) fn write(leaf: &Leaf, mut each: impl FnMut(&[u8], u64)) {
    let (mut at, mut key) = (0, Vec::new());
    while let Some(group) = Group::read(leaf, at) {
        group.advance(&mut key);
        group.ids().for_each(|id| each(&key, id));
        at = group.end;
    }
}
