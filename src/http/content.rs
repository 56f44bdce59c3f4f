//! The body of an answer: pieces that may share their memory with others, counted until the last byte has gone.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec;

use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, SizeHint};

use super::room::Room;

/// The body of an answer.
#[derive(Default)]
pub struct Content {
    first: Piece,
    rest: vec::IntoIter<Piece>,
    /// How many bytes are left to be sent.
    left: usize,
    room: Option<Room>,
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

impl<T: Into<Bytes>> From<T> for Content {
    fn from(bytes: T) -> Self {
        let first = Piece::from(bytes.into());
        Content { left: first.bytes.len(), first, rest: vec::IntoIter::default(), room: None }
    }
}

impl Content {
    /// The pieces one after the other.
    pub fn of(pieces: Vec<Piece>) -> Self {
        let left = pieces.iter().map(|piece| piece.bytes.len()).sum();
        Content { first: Piece::default(), rest: pieces.into_iter(), left, room: None }
    }

    /// What was taken for it before it was made.
    pub fn within(mut self, room: Room) -> Self {
        self.room = Some(room);
        self
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.left
    }

    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// How much memory it keeps.
    pub(super) fn holds(&self) -> usize {
        self.first.holds + self.rest.as_slice().iter().map(|piece| piece.holds).sum::<usize>()
    }

    pub(super) fn take_room(&mut self) -> Option<Room> {
        self.room.take()
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
            return Some(Outgoing { bytes: self.first.bytes.split_to(length), _room: None });
        }
        let Piece { bytes, holds } = std::mem::take(&mut self.first);
        let room = match &mut self.room {
            Some(_) if self.left == 0 => self.room.take(),
            Some(room) => Some(room.split(holds)),
            None => None,
        };
        Some(Outgoing { bytes, _room: room })
    }
}

/// Bytes on their way, with what they take of the room for answers.
pub struct Outgoing {
    bytes: Bytes,
    _room: Option<Room>,
}

impl Buf for Outgoing {
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    fn advance(&mut self, length: usize) {
        self.bytes.advance(length);
    }
}

impl Body for Content {
    type Data = Outgoing;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Outgoing>, Infallible>>> {
        Poll::Ready(self.next(usize::MAX).map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left as u64)
    }
}
