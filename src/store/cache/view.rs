//! A view: a page as the sets have it, what it lacks, and how it becomes the bytes of a list.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::blocks::{Block, BlockKey};
use super::embedded::Embedded;
use super::list_request::ListRequest;
use super::sequence::Found;
use crate::record::RecordId;
use crate::record::cursor::Place;
use crate::store::page::{PIECE, PageBuilder};
use crate::store::{Page, Records, StoreError};

/// From so many wanted records on, the whole block is read instead of each of them.
const WORTH_A_BLOCK: usize = 4;
/// So many records of a page may stand in as many blocks without a second allocation.
const USUAL_PAGE: usize = 20;
/// Room for a record, and for what will be written around a page: nothing is moved where this is enough.
const USUAL_RECORD: usize = 128;
const ENVELOPE: usize = 512;

/// A page as the sets have it: its ids, the blocks that are at hand, all of one version.
pub(in crate::store) struct View {
    pub(in crate::store) version: u64,
    total: u64,
    offset: u64,
    next: Option<Place>,
    /// Ids whose records are not there are left out, instead of looked for at another moment.
    may_be_absent: bool,
    pub(super) ids: Vec<RecordId>,
    /// One for each run of ascending ids that share a block, in order.
    runs: Vec<Run>,
}

/// Ids of a view that share a block.
struct Run {
    key: BlockKey,
    /// Which ids of the view they are.
    ids: Range<usize>,
    /// `None` where it must be read.
    block: Option<Arc<Block>>,
    /// It has been read for this page: room was asked for already.
    is_read: bool,
}

/// What to read of a block: all of it, or some of its records.
pub(in crate::store) enum Wanted {
    Block(BlockKey),
    Records(BlockKey, Vec<RecordId>),
}

/// A block that was read, and whether all of it was.
pub(in crate::store) type Read = (BlockKey, Arc<Block>, bool);

impl View {
    /// What was found of a collection, with the blocks that are at hand.
    pub(super) fn new(
        collection: usize,
        version: u64,
        found: Found,
        block: impl Fn(BlockKey) -> Option<Arc<Block>>,
    ) -> Self {
        let Found { total, offset, ids, next } = found;
        let mut runs: Vec<Run> = Vec::with_capacity(ids.len().min(USUAL_PAGE));
        let mut rest = ids.as_slice();
        while let Some((first, others)) = rest.split_first() {
            let key = BlockKey::of(collection, *first);
            let (mut last, (_, end)) = (*first, key.ids());
            let follows = |id: &&RecordId| {
                let follows = last < **id && id.get() <= end;
                last = **id;
                follows
            };
            let length = 1 + others.iter().take_while(follows).count();
            let place = ids.len() - rest.len();
            runs.push(Run { key, ids: place..place + length, block: block(key), is_read: false });
            rest = &rest[length..];
        }
        View { version, total, offset, next, may_be_absent: false, ids, runs }
    }

    /// Says that some of its records may not be there.
    pub(super) fn allow_absent(&mut self) {
        self.may_be_absent = true;
    }

    /// The records that are at hand, with their ids.
    pub(super) fn records(&self) -> impl Iterator<Item = (RecordId, &[u8])> {
        self.runs.iter().flat_map(|run| {
            let block = run.block.as_deref();
            self.ids[run.ids.clone()].iter().filter_map(move |id| Some((*id, block?.text(*id)?)))
        })
    }

    /// What must be read before the page is complete, by ascending ids; `is_worth_reading` says for which blocks all of
    /// it should be.
    pub(in crate::store) fn missing(&self, is_worth_reading: impl Fn(BlockKey) -> bool) -> Vec<Wanted> {
        let mut ids: Vec<RecordId> = Vec::new();
        let mut last = None;
        let mut is_ascending = true;
        for run in self.runs.iter().filter(|run| run.block.is_none()) {
            is_ascending &= last.is_none_or(|last| last < run.key.number);
            last = Some(run.key.number);
            ids.extend_from_slice(&self.ids[run.ids.clone()]);
        }
        if !is_ascending {
            ids.sort_unstable();
        }
        let collection = self.runs.first().map_or(0, |run| run.key.collection);
        let blocks =
            ids.chunk_by(|one, other| BlockKey::of(collection, *one) == BlockKey::of(collection, *other));
        let wanted = blocks.map(|ids| {
            let key = BlockKey::of(collection, ids[0]);
            if ids.len() >= WORTH_A_BLOCK || is_worth_reading(key) {
                Wanted::Block(key)
            } else {
                Wanted::Records(key, ids.to_vec())
            }
        });
        wanted.collect()
    }

    /// Puts blocks that were read, by ascending ids, into their places, but for records that have changed since.
    pub(in crate::store) fn fill_in(&mut self, read: &[Read], changed: &HashSet<RecordId>) {
        for run in self.runs.iter_mut().filter(|run| run.block.is_none()) {
            let Ok(place) = read.binary_search_by_key(&run.key.number, |(key, ..)| key.number) else {
                continue;
            };
            let ids = &self.ids[run.ids.clone()];
            let is_there = |id: &RecordId| self.may_be_absent || read[place].1.text(*id).is_some();
            if ids.iter().all(|id| !changed.contains(id) && is_there(id)) {
                run.block = Some(read[place].1.clone());
                run.is_read = true;
            }
        }
    }

    pub(in crate::store) fn is_complete(&self) -> bool {
        self.runs.iter().all(|run| run.block.is_some())
    }

    /// The records, joined by commas, as far as they are shown.
    pub(in crate::store) fn assemble(
        self,
        request: &mut ListRequest<'_, '_>,
        embedded: &Embedded,
    ) -> Result<Page, StoreError> {
        let most: usize = self.runs.iter().filter_map(|run| run.block.as_deref()).map(Block::len).sum();
        // Each record may show all that is embedded.
        let page = match most.saturating_add(embedded.bytes().saturating_mul(self.ids.len())) {
            ..=PIECE => self.joined(request, embedded),
            _ => self.in_pieces(request, embedded)?,
        };
        Ok(Page { offset: self.offset, next: self.next, ..page })
    }

    /// In one piece: to copy a few kilobytes is cheaper than to send several pieces.
    fn joined(&self, request: &ListRequest<'_, '_>, embedded: &Embedded) -> Page {
        let shown = request.shown();
        let is_whole = shown.is_all();
        let mut texts: Vec<&[u8]> = Vec::with_capacity(self.ids.len());
        for run in &self.runs {
            let Some(block) = &run.block else { continue };
            let ids = &self.ids[run.ids.clone()];
            let neighbours = if is_whole && ids.len() > 1 { block.neighbours(ids) } else { None };
            match neighbours {
                Some(records) => texts.push(records),
                None => texts.extend(ids.iter().filter_map(|id| block.text(*id))),
            }
        }
        prefetch(texts.iter().copied());
        let mut bytes = Vec::with_capacity(self.ids.len() * USUAL_RECORD + ENVELOPE);
        for text in texts {
            if is_whole {
                bytes.extend_from_slice(text);
            } else {
                shown.write(text, embedded, &mut bytes);
            }
            bytes.push(b',');
        }
        // No comma behind the last.
        bytes.pop();
        Page::new(Records::Joined(bytes), self.total)
    }

    /// Sharing the memory of blocks where most of a block is wanted; what is wanted of the others is copied.
    fn in_pieces(&self, request: &mut ListRequest<'_, '_>, embedded: &Embedded) -> Result<Page, StoreError> {
        let shown = request.shown();
        let mut builder = PageBuilder::new(request.room);
        let mut push = |block: &Block, text: &[u8], is_read: bool| {
            if shown.is_all() && text.len() >= PIECE && text.len() >= block.len() / 2 {
                builder.share(block.share(text), block.len(), is_read);
            } else {
                builder.push(|out| shown.write(text, embedded, out));
            }
        };
        for run in &self.runs {
            let Some(block) = &run.block else { continue };
            let ids = &self.ids[run.ids.clone()];
            match block.neighbours(ids).filter(|_| shown.is_all()) {
                Some(records) => push(block, records, run.is_read),
                None => {
                    let texts = ids.iter().filter_map(|id| block.text(*id));
                    texts.for_each(|text| push(block, text, run.is_read));
                }
            }
        }
        builder.finish(self.total)
    }
}

/// Prefetches texts, by a look at both ends of each: where they stand far apart, the processor waits for all of them at
/// once, instead of for each while it is copied.
pub(super) fn prefetch<'a>(texts: impl Iterator<Item = &'a [u8]>) {
    let mut seen = 0;
    for text in texts {
        if let [first, .., last] = text {
            seen ^= first ^ last;
        }
    }
    std::hint::black_box(seen);
}
