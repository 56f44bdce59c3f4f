//! Many entries that come at once: a leaf that gets several of them is written once.

use super::Order;
use super::change::{Counted, FULL_BYTES, write};
use super::leaf::{self, LeafWriter};
use crate::record::RecordId;

/// To write a whole leaf takes as long as to put in so many entries one by one.
const FEW: usize = 4;

/// A key and an id.
pub(super) type Entry = (Vec<u8>, RecordId);

impl Order {
    /// Adds entries, which come in their order; says whether all were new. Where one was not, some may be missing.
    pub(in crate::store) fn insert_all(&mut self, entries: &[Entry]) -> bool {
        let mut rest = entries;
        while let Some((key, id)) = rest.first() {
            if self.len == 0 {
                self.insert(key, *id);
                rest = &rest[1..];
                continue;
            }
            let (block, at) = self.find(key, number(*id));
            let next = self.leaves(block, at).nth(1).map(|leaf| leaf::first(leaf));
            let is_before_next =
                |(key, id): &Entry| next.is_none_or(|next| (key.as_slice(), number(*id)) < next);
            let of_leaf = rest.partition_point(is_before_next).min(self.most);
            let (these, others) = rest.split_at(of_leaf);
            let is_new = if these.len() < FEW {
                these.iter().all(|(key, id)| self.insert(key, *id))
            } else {
                self.merge(block, at, these)
            };
            if !is_new {
                return false;
            }
            rest = others;
        }
        true
    }

    /// Adds entries to the leaf that they belong to, or to several that take its place.
    fn merge(&mut self, block: usize, at: usize, entries: &[Entry]) -> bool {
        let level = &self.blocks.nodes()[block];
        let total = level.node_len(at) + entries.len();
        // Filled alike, so that none is thin.
        let most = total.div_ceil(total.div_ceil(self.full()));
        let (mut leaves, mut writer, mut is_new) = (Vec::<Counted>::new(), LeafWriter::default(), true);
        let mut push = |key: &[u8], id: u64| {
            if writer.len() >= most || writer.bytes() >= FULL_BYTES {
                leaves.push(writer.take());
            }
            writer.push(key, id);
        };
        let mut coming = entries.iter().peekable();
        write(&level.nodes()[at], |key, id| {
            while let Some((key, id)) = coming.next_if(|new| (new.0.as_slice(), number(new.1)) < (key, id)) {
                push(key, number(*id));
            }
            is_new &= coming.peek().is_none_or(|new| (new.0.as_slice(), number(new.1)) != (key, id));
            push(key, id);
        });
        coming.for_each(|(key, id)| push(key, number(*id)));
        leaves.push(writer.take());
        self.replace(block, at..at + 1, leaves);
        self.len += entries.len() as u64;
        is_new
    }
}

fn number(id: RecordId) -> u64 {
    id.get().unsigned_abs()
}
