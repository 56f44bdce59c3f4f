//! Guards against request smuggling: every head of HTTP/1 is checked before the HTTP library sees it.
//!
//! The library is handed one whole head at a time, and then exactly the body that it says belongs to it (see
//! `framing.rs`): whatever a client sends in one piece or in many, no head reaches it unseen.
//!
//! A head whose answer is kept (see `response_cache.rs`) does not reach it at all: it has been checked before, each byte
//! of it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::answer::Answer;
use super::cached_delivery::CachedDelivery;
use super::connection::Connection;
use super::framing::Portion;
use super::phase::Phase;
use super::response_cache::{self, Lookup};

/// A stream whose bytes are looked at on their way to the HTTP/1 parser.
pub(super) struct SmugglingGuard<S, A> {
    stream: S,
    connection: Arc<Connection>,
    answer: Arc<A>,
    /// What was read and may not be handed on yet.
    held: BytesMut,
    /// A kept answer. While there is one nothing is read, so the library has nothing to say.
    delivery: Option<CachedDelivery>,
    /// The library has nothing left that it wants to write.
    is_flushed: bool,
}

impl<S, A: Answer> SmugglingGuard<S, A> {
    pub(super) fn new(stream: S, connection: Arc<Connection>, answer: Arc<A>) -> Self {
        SmugglingGuard { stream, connection, answer, held: BytesMut::new(), delivery: None, is_flushed: true }
    }

    /// The stream itself, and whether a part of a request has come.
    pub(super) fn into_parts(self) -> (S, bool) {
        let has_begun = self.has_begun();
        (self.stream, has_begun)
    }

    /// Whether more is held than empty lines, which may stand before a request and behind a body.
    fn has_begun(&self) -> bool {
        self.held.iter().any(|byte| !matches!(byte, b'\r' | b'\n'))
    }

    /// Hands on what is held, as far as it may be and there is room; says whether that is all for now.
    fn hand_on(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        loop {
            let portion = self.connection.framing.lock().portion(&self.held, buffer.remaining());
            match portion {
                Portion::These(length) => {
                    buffer.put_slice(&self.held[..length]);
                    self.held.advance(length);
                    break;
                }
                Portion::Other { length, head } => self.replace(length, &head),
                Portion::Nothing => {
                    if self.connection.phase() == Phase::Idle && self.has_begun() {
                        self.connection.enter(Phase::Head);
                    }
                    return false;
                }
                Portion::End => return true,
            }
        }
        if self.held.is_empty() {
            // An idle connection keeps no memory for it.
            self.held = BytesMut::new();
        }
        true
    }

    /// Looks whether the answer to what was just read is kept.
    ///
    /// The library reads only once it has written the answer before, which may still be in its buffer.
    fn look_up(&self, read: &[u8]) -> Lookup {
        let connection = &*self.connection;
        let is_free = self.held.is_empty()
            && self.is_flushed
            && matches!(connection.phase(), Phase::Fresh | Phase::Head)
            && !connection.lacks_tls()
            && connection.shared.stopping().is_none();
        if !is_free || !response_cache::may_be_kept(read) || !connection.framing.lock().is_before_head() {
            return Lookup::First;
        }
        let Some(version) = self.answer.version() else { return Lookup::First };
        connection.shared.response_cache.look_up(read, connection.believed_peer(), version)
    }

    /// Puts another head in the place of so many bytes.
    fn replace(&mut self, length: usize, head: &[u8]) {
        let rest = self.held.split_off(length);
        self.held = BytesMut::from(head);
        self.held.unsplit(rest);
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin, A: Answer> AsyncRead for SmugglingGuard<S, A> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        loop {
            ready!(self.poll_delivery(context))?;
            if !self.held.is_empty() && self.hand_on(buffer) {
                return Poll::Ready(Ok(()));
            }
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
            let read = &buffer.filled()[before..];
            if read.is_empty() {
                // The library is to see how the client has left off.
                let rest = self.held.len();
                if rest == 0 || !self.connection.framing.lock().give_up(rest) {
                    return Poll::Ready(Ok(()));
                }
                continue;
            }
            let asked = match self.look_up(read) {
                Lookup::Hit(response) => {
                    self.delivery = CachedDelivery::begin(response, &self.connection);
                    if self.delivery.is_some() {
                        buffer.set_filled(before);
                        continue;
                    }
                    None
                }
                Lookup::Again(asked) => Some(asked),
                Lookup::First => None,
            };
            let portion = if self.held.is_empty() {
                let mut framing = self.connection.framing.lock();
                let portion = framing.portion(read, read.len());
                let is_one_head = matches!(portion, Portion::These(length) if length == read.len());
                framing.asked = asked.filter(|_| is_one_head);
                portion
            } else {
                Portion::These(0)
            };
            // Nearly always all of it: one head, or a body or a part of one, and nothing is copied.
            let length = match portion {
                Portion::These(length) => length,
                Portion::Nothing => 0,
                Portion::Other { length, head } => {
                    self.held.extend_from_slice(&head);
                    self.held.extend_from_slice(&read[length..]);
                    buffer.set_filled(before);
                    continue;
                }
                Portion::End => {
                    buffer.set_filled(before);
                    return Poll::Ready(Ok(()));
                }
            };
            if length < read.len() {
                self.held.extend_from_slice(&read[length..]);
                buffer.set_filled(before + length);
            }
            if length > 0 {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<S: AsyncWrite + Unpin, A: Answer> SmugglingGuard<S, A> {
    /// Sends what is left of a kept answer.
    fn poll_delivery(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(delivery) = &mut self.delivery {
            ready!(delivery.poll(context, Pin::new(&mut self.stream), &self.connection))?;
            self.delivery = None;
            self.connection.set_delivering(false);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin, A: Answer> AsyncWrite for SmugglingGuard<S, A> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.is_flushed = false;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.is_flushed = false;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The library asks for it once it has written everything.
        self.is_flushed = true;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
