//! The body of an answer: whole before the first byte is sent, or made while it is sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::room::{Outgoing, Room};
use super::stream::{Aborted, Stream};
use super::whole::{Piece, Whole};

/// The body of an answer.
pub enum Content {
    Whole(Whole),
    /// See `Request::stream`.
    Streamed(Box<Stream>),
}

impl Default for Content {
    fn default() -> Self {
        Content::Whole(Whole::default())
    }
}

impl<T: Into<Bytes>> From<T> for Content {
    fn from(bytes: T) -> Self {
        Content::Whole(Whole::from(bytes.into()))
    }
}

impl Content {
    /// The pieces one after the other.
    pub fn of(pieces: Vec<Piece>) -> Self {
        Content::Whole(Whole::of(pieces))
    }

    /// What was taken for it before it was made.
    pub fn within(mut self, room: Room) -> Self {
        *self.room() = Some(room);
        self
    }

    /// How many bytes it has, where that is known.
    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Content::Whole(whole) => Some(whole.len()),
            Content::Streamed(_) => None,
        }
    }

    /// How much memory it keeps.
    pub(super) fn holds(&self) -> usize {
        match self {
            Content::Whole(whole) => whole.holds(),
            Content::Streamed(stream) => stream.holds(),
        }
    }

    /// What is taken for it.
    pub(super) fn room(&mut self) -> &mut Option<Room> {
        match self {
            Content::Whole(whole) => &mut whole.room,
            Content::Streamed(stream) => &mut stream.room,
        }
    }

    /// The next bytes to be sent, of a whole body at most so many.
    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
        most: usize,
    ) -> Poll<Option<Result<Frame<Outgoing>, Aborted>>> {
        match self {
            Content::Whole(whole) => Poll::Ready(whole.next(most).map(|bytes| Ok(Frame::data(bytes)))),
            Content::Streamed(stream) => stream.poll_next(context).map_ok(Frame::data),
        }
    }
}

impl Body for Content {
    type Data = Outgoing;
    type Error = Aborted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Outgoing>, Aborted>>> {
        self.poll_next(context, usize::MAX)
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Content::Whole(whole) => whole.len() == 0,
            Content::Streamed(stream) => stream.is_done(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.len().map_or_else(SizeHint::default, |length| SizeHint::with_exact(length as u64))
    }
}
