//! A page of a list: the bytes of its records, in one piece where they are few, else in pieces that may share their
//! memory with what is kept.

use bytes::Bytes;

use super::StoreError;
use crate::record::cursor::Place;

/// A page of a list and the number of all records that match, both of the same moment.
#[derive(Debug)]
pub struct Page {
    pub records: Records,
    pub total: u64,
    /// How many records stand before it, if the list is walked.
    pub offset: u64,
    /// Where its last record stands, if the list is walked and others follow.
    pub next: Option<Place>,
}

/// The representations in the order of the list, joined by commas.
#[derive(Debug)]
pub enum Records {
    Joined(Vec<u8>),
    Pieces(Vec<Piece>),
}

/// A part of a page, and how much memory it keeps.
#[derive(Debug)]
pub struct Piece {
    pub bytes: Bytes,
    pub holds: usize,
}

/// Asked for each part of a page that is not small, before it is made or as soon as its size is known: whether there is
/// room for so many bytes more.
pub type Room<'a> = dyn FnMut(usize) -> bool + Send + 'a;

/// From so many bytes on a page is made in pieces, each of about this size if it is not shared.
pub(super) const PIECE: usize = 64 * 1024;

impl Page {
    pub(super) fn new(records: Records, total: u64) -> Self {
        Page { records, total, offset: 0, next: None }
    }

    pub(super) fn empty() -> Self {
        Self::new(Records::Joined(Vec::new()), 0)
    }
}

/// Puts a page together.
pub(super) struct PageBuilder<'a, 'b> {
    room: &'a mut Room<'b>,
    pieces: Vec<Piece>,
    /// What is not a piece yet.
    buffer: Vec<u8>,
    is_refused: bool,
}

impl<'a, 'b> PageBuilder<'a, 'b> {
    pub(super) fn new(room: &'a mut Room<'b>) -> Self {
        PageBuilder { room, pieces: Vec::new(), buffer: Vec::with_capacity(4_096), is_refused: false }
    }

    /// Whether there is room for more.
    pub(super) fn has_room(&self) -> bool {
        !self.is_refused
    }

    /// Adds what `write` appends.
    pub(super) fn push<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        if !self.buffer.is_empty() || !self.pieces.is_empty() {
            self.buffer.push(b',');
        }
        let outcome = write(&mut self.buffer);
        if self.buffer.len() >= PIECE {
            self.end_piece();
        }
        outcome
    }

    /// Adds records whose memory is shared: a slice of something that takes `holds` bytes, for which there may have
    /// been asked already.
    pub(super) fn share(&mut self, bytes: Bytes, holds: usize, is_asked: bool) {
        if !self.buffer.is_empty() || !self.pieces.is_empty() {
            self.buffer.push(b',');
        }
        self.end_piece();
        self.is_refused |= !is_asked && !(self.room)(holds);
        self.pieces.push(Piece { bytes, holds });
    }

    fn end_piece(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        // As long as it is: what was grown into takes no more than is in it.
        let bytes = Bytes::from(std::mem::take(&mut self.buffer).into_boxed_slice());
        self.is_refused |= !(self.room)(bytes.len());
        self.pieces.push(Piece { holds: bytes.len(), bytes });
    }

    pub(super) fn finish(mut self, total: u64) -> Result<Page, StoreError> {
        if !self.pieces.is_empty() {
            self.end_piece();
        }
        if self.is_refused {
            return Err(StoreError::NoRoom);
        }
        let is_small = self.pieces.is_empty();
        let records = if is_small { Records::Joined(self.buffer) } else { Records::Pieces(self.pieces) };
        Ok(Page::new(records, total))
    }
}

/// Asks for room while the blocks of a page are read: who is refused should have read as little as possible.
pub(super) struct Meter<'a, 'b> {
    room: &'a mut Room<'b>,
    /// For how much of the block that is being read it has asked.
    asked: usize,
    is_refused: bool,
}

impl<'a, 'b> Meter<'a, 'b> {
    pub(super) fn new(room: &'a mut Room<'b>) -> Self {
        Meter { room, asked: 0, is_refused: false }
    }

    /// Whether there is room for more; the block that is being read has so many bytes.
    pub(super) fn has_room(&mut self, bytes: usize) -> bool {
        let more = bytes - self.asked;
        if more >= PIECE {
            self.asked = bytes;
            self.is_refused |= !(self.room)(more);
        }
        !self.is_refused
    }

    /// The block has so many bytes and is whole; the next one begins.
    pub(super) fn end_block(&mut self, bytes: usize) {
        self.has_room(bytes);
        self.asked = 0;
    }

    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.is_refused { Err(StoreError::NoRoom) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(page: Page) -> Vec<u8> {
        match page.records {
            Records::Joined(bytes) => bytes,
            Records::Pieces(pieces) => pieces.iter().flat_map(|piece| piece.bytes.to_vec()).collect(),
        }
    }

    #[test]
    fn a_page_is_the_same_in_one_piece_and_in_many() {
        let long = vec![b'x'; PIECE];
        let mut asked = Vec::new();
        let mut room = |bytes| {
            asked.push(bytes);
            true
        };
        let mut builder = PageBuilder::new(&mut room);
        builder.push(|out| out.push(b'a'));
        builder.push(|out| out.push(b'b'));
        assert!(matches!(PageBuilder::new(&mut |_| false).finish(0).unwrap().records, Records::Joined(_)));
        builder.share(Bytes::from_static(b"c,d"), 1_000, false);
        builder.push(|out| out.extend_from_slice(&long));
        builder.push(|out| out.push(b'e'));
        let page = text(builder.finish(5).unwrap());
        assert_eq!(page, [b"a,b,c,d,", &long[..], b",e"].concat());
        assert_eq!(asked, [4, 1_000, PIECE + 1, 2]);
    }

    #[test]
    fn without_room_there_is_no_page() {
        let mut room = |_| false;
        let mut builder = PageBuilder::new(&mut room);
        builder.share(Bytes::from_static(b"c"), 1, false);
        assert!(!builder.has_room());
        assert_eq!(builder.finish(1).unwrap_err(), StoreError::NoRoom);
    }
}
