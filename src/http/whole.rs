//! A body that is whole: pieces that may share their memory with others, counted until the last byte has gone.

use std::vec;

use bytes::Bytes;

use super::room::{Outgoing, Room};

/// A body that is all there.
#[derive(Default)]
pub struct Whole {
    first: Piece,
    rest: vec::IntoIter<Piece>,
    /// How many bytes are left to be sent.
    left: usize,
    pub(super) room: Option<Room>,
}

/// Bytes of an answer, and how much memory they keep from being used for something else: more than they are, where
/// they are a slice.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    pub bytes: Bytes,
    pub holds: usize,
}

impl From<Bytes> for Piece {
    fn from(bytes: Bytes) -> Self {
        Piece { holds: bytes.len(), bytes }
    }
}

impl From<Bytes> for Whole {
    fn from(bytes: Bytes) -> Self {
        let first = Piece::from(bytes);
        Whole { left: first.bytes.len(), first, rest: vec::IntoIter::default(), room: None }
    }
}

impl Whole {
    /// The pieces one after the other.
    pub(super) fn of(pieces: Vec<Piece>) -> Self {
        let left = pieces.iter().map(|piece| piece.bytes.len()).sum();
        Whole { first: Piece::default(), rest: pieces.into_iter(), left, room: None }
    }

    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        self.left
    }

    /// How much memory it keeps.
    pub(super) fn holds(&self) -> usize {
        self.first.holds + self.rest.as_slice().iter().map(|piece| piece.holds).sum::<usize>()
    }

    /// All of its bytes.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &Bytes> {
        std::iter::once(&self.first).chain(self.rest.as_slice()).map(|piece| &piece.bytes)
    }

    /// The next bytes to be sent, at most so many.
    pub(super) fn next(&mut self, most: usize) -> Option<Outgoing> {
        while self.first.bytes.is_empty() {
            self.first = self.rest.next()?;
        }
        let length = self.first.bytes.len().min(most);
        self.left -= length;
        if length < self.first.bytes.len() {
            // Its memory is kept until the last part has gone.
            return Some(Outgoing { bytes: self.first.bytes.split_to(length), _room: None, _reserved: None });
        }
        let Piece { bytes, holds } = std::mem::take(&mut self.first);
        let room = match &mut self.room {
            Some(_) if self.left == 0 => self.room.take(),
            Some(room) => Some(room.split(holds)),
            None => None,
        };
        Some(Outgoing { bytes, _room: room, _reserved: None })
    }
}
