//! Guards against request smuggling: every head of HTTP/1 is checked before the HTTP library sees it.
//!
//! The library is handed one whole head at a time, and then exactly the body that it says belongs to it (see
//! `framing.rs`): whatever a client sends in one piece or in many, no head reaches it unseen.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection::Connection;
use super::framing::Portion;
use super::phase::Phase;

/// A stream whose bytes are looked at on their way to the HTTP/1 parser.
pub(super) struct SmugglingGuard<S> {
    stream: S,
    connection: Arc<Connection>,
    /// What was read and may not be handed on yet.
    held: BytesMut,
}

impl<S> SmugglingGuard<S> {
    pub(super) fn new(stream: S, connection: Arc<Connection>) -> Self {
        SmugglingGuard { stream, connection, held: BytesMut::new() }
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

    /// Puts another head in the place of so many bytes.
    fn replace(&mut self, length: usize, head: &[u8]) {
        let rest = self.held.split_off(length);
        self.held = BytesMut::from(head);
        self.held.unsplit(rest);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for SmugglingGuard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        loop {
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
            let portion = if self.held.is_empty() {
                self.connection.framing.lock().portion(read, read.len())
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

impl<S: AsyncWrite + Unpin> AsyncWrite for SmugglingGuard<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
