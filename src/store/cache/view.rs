//! A view: a page as the sets have it, what it lacks, and how it becomes the bytes of a list.

use std::ops::Range;
use std::sync::Arc;

use super::blocks::{Block, BlockKey};
use crate::record::RecordId;
use crate::store::page::{PIECE, PageBuilder};
use crate::store::{Page, Records, Room, StoreError};

/// From so many wanted records on, the whole block is read instead of each of them.
const WORTH_A_BLOCK: usize = 4;
/// Room for a record, and for what will be written around a page: nothing is moved where this is enough.
const USUAL_RECORD: usize = 128;
const ENVELOPE: usize = 512;

/// A page as the sets have it: its ids, the blocks that are at hand, all of one version.
pub(in crate::store) struct View {
    pub(in crate::store) version: u64,
    pub(super) total: u64,
    pub(super) ids: Vec<RecordId>,
    /// One for each run of ids that share a block, in order.
    pub(super) runs: Vec<Run>,
}

/// Ids of a view that share a block.
pub(super) struct Run {
    pub(super) key: BlockKey,
    /// Which ids of the view they are.
    pub(super) ids: Range<usize>,
    /// `None` where it must be read.
    pub(super) block: Option<Arc<Block>>,
    /// It has been read for this page: room was asked for already.
    pub(super) is_read: bool,
}

/// What to read of a block: all of it, or some of its records.
pub(in crate::store) enum Wanted {
    Block(BlockKey),
    Records(BlockKey, Vec<RecordId>),
}

/// A block that was read, and whether all of it was.
pub(in crate::store) type Read = (BlockKey, Arc<Block>, bool);

impl View {
    /// What must be read before the page is complete; `is_worth_reading` says for which blocks all of it should be.
    pub(in crate::store) fn missing(&self, is_worth_reading: impl Fn(BlockKey) -> bool) -> Vec<Wanted> {
        let missing = self.runs.iter().filter(|run| run.block.is_none());
        let wanted = missing.map(|run| {
            if run.ids.len() >= WORTH_A_BLOCK || is_worth_reading(run.key) {
                Wanted::Block(run.key)
            } else {
                Wanted::Records(run.key, self.ids[run.ids.clone()].to_vec())
            }
        });
        wanted.collect()
    }

    /// Puts the blocks that were read, in the order in which they were missing, into their places.
    pub(in crate::store) fn fill_in(&mut self, read: &[Read]) {
        let missing = self.runs.iter_mut().filter(|run| run.block.is_none());
        for (run, (_, block, _)) in missing.zip(read) {
            run.block = Some(block.clone());
            run.is_read = true;
        }
    }

    /// The records, joined by commas.
    pub(in crate::store) fn assemble(&self, room: &mut Room<'_>) -> Result<Page, StoreError> {
        let most: usize = self.runs.iter().filter_map(|run| run.block.as_deref()).map(Block::len).sum();
        if most <= PIECE { Ok(self.joined()) } else { self.in_pieces(room) }
    }

    /// In one piece: to copy a few kilobytes is cheaper than to send several pieces.
    fn joined(&self) -> Page {
        let mut bytes = Vec::with_capacity(self.ids.len() * USUAL_RECORD + ENVELOPE);
        let mut push = |text: &[u8]| {
            if !bytes.is_empty() {
                bytes.push(b',');
            }
            bytes.extend_from_slice(text);
        };
        for run in &self.runs {
            let Some(block) = &run.block else { continue };
            let ids = &self.ids[run.ids.clone()];
            match block.neighbours(ids) {
                Some(records) => push(records),
                None => ids.iter().filter_map(|id| block.text(*id)).for_each(&mut push),
            }
        }
        Page { records: Records::Joined(bytes), total: self.total }
    }

    /// Sharing the memory of blocks where most of a block is wanted; what is wanted of the others is copied.
    fn in_pieces(&self, room: &mut Room<'_>) -> Result<Page, StoreError> {
        let mut builder = PageBuilder::new(room);
        let mut push = |block: &Block, text: &[u8], is_read: bool| {
            if text.len() >= PIECE && text.len() >= block.len() / 2 {
                builder.share(block.share(text), block.len(), is_read);
            } else {
                builder.push(|out| out.extend_from_slice(text));
            }
        };
        for run in &self.runs {
            let Some(block) = &run.block else { continue };
            let ids = &self.ids[run.ids.clone()];
            match block.neighbours(ids) {
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
