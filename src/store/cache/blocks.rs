//! Records as the bytes of their answer, in blocks of neighbouring ids, bounded in bytes.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::record::RecordId;

/// Ids in one block.
pub(in crate::store) const SIZE: i64 = 32;
/// What a block takes besides its bytes: itself, its ends, its place in the cache.
const OVERHEAD: usize = 320;
/// How much of others one record may keep in memory; what is counted around every answer covers it.
const SHARED: usize = 8 * 1024;
/// How many blocks are remembered for having been asked for once. A sorted page is in as many blocks as it has records,
/// and with fewer marks than blocks in use each would have to be asked for many times.
const DOORKEEPER: usize = 1 << 16;

/// The block of some ids of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::store) struct BlockKey {
    pub(in crate::store) collection: usize,
    pub(in crate::store) number: i64,
}

impl BlockKey {
    pub(in crate::store) fn of(collection: usize, id: RecordId) -> Self {
        // Ids are positive, and dividing is cheaper where that is known.
        Self { collection, number: (id.get().unsigned_abs() / SIZE.unsigned_abs()) as i64 }
    }

    /// The first and the last id that belong into it.
    pub(in crate::store) fn ids(self) -> (i64, i64) {
        let first = self.number * SIZE;
        (first, first.saturating_add(SIZE - 1))
    }
}

/// The records of neighbouring ids, each followed by a comma.
#[derive(Debug, Default)]
pub(in crate::store) struct Block {
    /// A bit for each id that has a record.
    present: u32,
    /// Where the bytes of each id end, its comma counted; an id without a record has none. It stands here rather than
    /// elsewhere in memory: who reads records from many blocks waits for each place that they take.
    ends: [u32; SIZE as usize],
    bytes: Bytes,
}

impl Block {
    /// The record with this id, sharing the block's memory where little else is in it: it keeps all of it, and for as
    /// long as its client likes.
    pub(in crate::store) fn record(&self, id: RecordId) -> Option<Bytes> {
        let place = self.place(id)?;
        let others = self.bytes.len() - place.len();
        Some(if others <= SHARED {
            self.bytes.slice(place)
        } else {
            Bytes::copy_from_slice(&self.bytes[place])
        })
    }

    /// How many bytes it has.
    pub(in crate::store) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// A part of it that [`Block::text`] or [`Block::neighbours`] have given, sharing its memory.
    pub(in crate::store) fn share(&self, part: &[u8]) -> Bytes {
        self.bytes.slice_ref(part)
    }

    /// The record with this id, to be copied.
    pub(in crate::store) fn text(&self, id: RecordId) -> Option<&[u8]> {
        self.place(id).map(|place| &self.bytes[place])
    }

    /// The records with these ascending ids and the commas between them, where no other lies between.
    pub(in crate::store) fn neighbours(&self, ids: &[RecordId]) -> Option<&[u8]> {
        let (first, last) = (*ids.first()?, *ids.last()?);
        let wanted = ids.iter().fold(0, |wanted, id| wanted | 1_u32 << bit(*id));
        let between = (u32::MAX << bit(first)) & (u32::MAX >> (SIZE as u32 - 1 - bit(last)));
        if self.present & between != wanted {
            return None;
        }
        Some(&self.bytes[self.place(first)?.start..self.place(last)?.end])
    }

    fn place(&self, id: RecordId) -> Option<Range<usize>> {
        let bit = bit(id);
        if self.present >> bit & 1 == 0 {
            return None;
        }
        let start = if bit == 0 { 0 } else { self.ends[bit as usize - 1] };
        Some(start as usize..self.ends[bit as usize] as usize - 1)
    }

    /// The same block after some of its records have changed.
    pub(in crate::store) fn patched(&self, changes: &[(RecordId, Option<&Bytes>)]) -> Block {
        let mut builder = BlockBuilder::default();
        let any = changes.first().map_or(0, |(id, _)| id.get() / SIZE * SIZE);
        for id in (any..=any.saturating_add(SIZE - 1)).filter_map(RecordId::new) {
            // The last change to a record is the one that counts.
            match changes.iter().rev().find(|(changed, _)| *changed == id) {
                Some((_, Some(record))) => builder.push(id, |out| out.extend_from_slice(record)),
                Some((_, None)) => {}
                None => {
                    if let Some(record) = self.text(id) {
                        builder.push(id, |out| out.extend_from_slice(record));
                    }
                }
            }
        }
        builder.finish()
    }
}

/// The place of an id in its block.
fn bit(id: RecordId) -> u32 {
    (id.get().unsigned_abs() % SIZE.unsigned_abs()) as u32
}

/// Puts a block together, record by record, in ascending order of ids.
#[derive(Debug, Default)]
pub(in crate::store) struct BlockBuilder {
    present: u32,
    ends: [u32; SIZE as usize],
    bytes: Vec<u8>,
}

impl BlockBuilder {
    /// Adds the record that `write` appends.
    pub(in crate::store) fn push<T>(&mut self, id: RecordId, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let outcome = write(&mut self.bytes);
        self.bytes.push(b',');
        self.present |= 1 << bit(id);
        self.ends[bit(id) as usize..].fill(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
        outcome
    }

    /// How many bytes it has so far.
    pub(in crate::store) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(in crate::store) fn finish(self) -> Block {
        Block { present: self.present, ends: self.ends, bytes: self.bytes.into_boxed_slice().into() }
    }
}

/// The blocks that are kept, the least used dropped first.
pub(in crate::store) struct Blocks {
    kept: Cache<BlockKey, Arc<Block>, Bytewise>,
    limit_bytes: usize,
    /// How much of the limit was left to others when that last changed by much.
    left: AtomicUsize,
    /// By the hash of a block, another part of which is the mark.
    asked: Box<[AtomicU32]>,
}

#[derive(Clone)]
struct Bytewise;

impl Weighter<BlockKey, Arc<Block>> for Bytewise {
    fn weight(&self, _: &BlockKey, block: &Arc<Block>) -> u64 {
        (block.bytes.len() + OVERHEAD) as u64
    }
}

impl Blocks {
    pub(super) fn new(limit_bytes: usize) -> Self {
        // A guess at how many will fit, for the first size of the tables.
        let expected = limit_bytes / 4_096;
        Self {
            kept: Cache::with_weighter(expected.max(64), limit_bytes as u64, Bytewise),
            limit_bytes,
            left: AtomicUsize::new(0),
            asked: (0..DOORKEEPER).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    pub(in crate::store) fn get(&self, key: BlockKey) -> Option<Arc<Block>> {
        self.kept.get(&key)
    }

    pub(super) fn keep(&self, key: BlockKey, block: Arc<Block>) {
        self.kept.insert(key, block);
    }

    /// Leaves so many bytes of the limit to others.
    pub(super) fn leave_room(&self, bytes: usize) {
        // To change the limit takes time, which every commit would spend.
        if bytes.abs_diff(self.left.load(Relaxed)) > self.limit_bytes / 64
            || (bytes == 0) != (self.left.load(Relaxed) == 0)
        {
            self.left.store(bytes, Relaxed);
            self.kept.set_capacity(self.limit_bytes.saturating_sub(bytes) as u64);
        }
    }

    /// Drops all blocks of a collection.
    pub(super) fn forget(&self, collection: usize) {
        self.kept.retain(|key, _| key.collection != collection);
    }

    /// Whether a block that is not kept has been asked for before. To read all of it for the sake of one
    /// record that nobody asks for again would cost more than it gains.
    pub(in crate::store) fn is_worth_reading(&self, key: BlockKey) -> bool {
        let block = (key.number.unsigned_abs() << 8) ^ key.collection as u64;
        let hash = block.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (slot, mark) = ((hash >> 48) as usize, (hash >> 16) as u32 | 1);
        self.asked[slot % DOORKEEPER].swap(mark, Relaxed) == mark
    }

    /// How many bytes are kept.
    pub(super) fn bytes(&self) -> u64 {
        self.kept.weight()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(id: i64) -> RecordId {
        RecordId::new(id).unwrap()
    }

    fn block(records: &[(i64, &str)]) -> Block {
        let mut builder = BlockBuilder::default();
        for (number, text) in records {
            builder.push(id(*number), |out| out.extend_from_slice(text.as_bytes()));
        }
        builder.finish()
    }

    #[test]
    fn a_block_gives_each_record_by_its_id() {
        let block = block(&[(32, "a"), (40, "bb"), (63, "ccc")]);
        let said = |number| block.record(id(number));
        assert_eq!(said(32), Some(Bytes::from_static(b"a")));
        assert_eq!(said(40), Some(Bytes::from_static(b"bb")));
        assert_eq!(said(63), Some(Bytes::from_static(b"ccc")));
        assert_eq!(said(33), None);

        let text =
            |numbers: &[i64]| block.neighbours(&numbers.iter().map(|number| id(*number)).collect::<Vec<_>>());
        assert_eq!(text(&[32, 40, 63]), Some(&b"a,bb,ccc"[..]));
        assert_eq!(text(&[40, 63]), Some(&b"bb,ccc"[..]));
        assert_eq!(text(&[40]), Some(&b"bb"[..]));
        // One between them that is not asked for; one that is not there.
        assert_eq!((text(&[32, 63]), text(&[32, 33, 40]), text(&[])), (None, None, None));
    }

    #[test]
    fn a_patched_block_holds_what_was_changed_last() {
        let old = block(&[(32, "a"), (40, "bb"), (63, "ccc")]);
        let text = |text: &'static str| Some(Bytes::from_static(text.as_bytes()));
        let [x, y, z] = ["x", "y", "z"].map(|text| Bytes::from_static(text.as_bytes()));
        let new = old.patched(&[(id(40), None), (id(41), Some(&x)), (id(63), Some(&y)), (id(63), Some(&z))]);
        assert_eq!(new.record(id(32)), text("a"));
        assert_eq!(new.record(id(40)), None);
        assert_eq!(new.record(id(41)), text("x"));
        assert_eq!(new.record(id(63)), text("z"));
    }

    #[test]
    fn what_is_asked_for_again_is_worth_reading_also_where_much_else_was_asked_for() {
        let blocks = Blocks::new(0);
        let worthy = |number: i64| blocks.is_worth_reading(BlockKey { collection: 1, number: number * 311 });
        assert_eq!((0..10_000).filter(|number| worthy(*number)).count(), 0);
        let again = (0..10_000).filter(|number| worthy(*number)).count();
        assert!(again > 8_000, "{again}");
    }

    #[test]
    fn no_more_is_kept_than_the_limit() {
        let blocks = Blocks::new(100_000);
        for number in 0..10_000 {
            let key = BlockKey { collection: 0, number };
            blocks.keep(key, Arc::new(block(&[(number * SIZE + 1, &"x".repeat(500))])));
        }
        assert!(blocks.bytes() <= 100_000, "{}", blocks.bytes());
    }
}
