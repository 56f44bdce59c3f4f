//! The socket of one connection, noting what it does for the connection's phase.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::connection::Connection;
use super::phase::Phase;

/// How much is swallowed at once while lingering.
const SWALLOW_BYTES: usize = 8 * 1024;

pub(super) struct Socket {
    stream: TcpStream,
    connection: Arc<Connection>,
    is_write_closed: bool,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, connection: Arc<Connection>) -> Self {
        Socket { stream, connection, is_write_closed: false }
    }

    fn note_write(&self, outcome: &Poll<io::Result<usize>>) {
        // Of many answers at once each keeps its own time, see `delivery.rs`.
        if self.connection.speaks_http_2() {
            return;
        }
        match (outcome, self.connection.phase()) {
            (Poll::Pending, Phase::Stuck) => {}
            (Poll::Pending, _) => self.connection.enter(Phase::Stuck),
            // Some went through: the next wait, if there is one, counts from now.
            (Poll::Ready(_), Phase::Stuck) => self.connection.rest(),
            (Poll::Ready(_), _) => {}
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.connection.ends_with_stream() && !self.is_write_closed {
            // Cut off: closed like any other, the connection would say that the answer is whole.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(context, buffer);
        let has_read = buffer.filled().len() > before;
        // What comes between two requests of HTTP/2 is mostly no request.
        if has_read && self.connection.phase() == Phase::Idle && !self.connection.speaks_http_2() {
            self.connection.enter(Phase::Head);
        }
        outcome
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.note_write(&outcome);
        outcome
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.note_write(&outcome);
        outcome
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// Says goodbye, and stays to listen where the client may still be talking.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_write_closed {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.is_write_closed = true;
            if !self.connection.must_linger() {
                return Poll::Ready(Ok(()));
            }
            self.connection.enter(Phase::Lingering);
        }
        // The sweep ends this when it takes too long.
        loop {
            let mut bytes = [0; SWALLOW_BYTES];
            let mut buffer = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
