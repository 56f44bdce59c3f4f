//! The bytes of request heads as they came, for what the HTTP library does not tell.
//!
//! A request that announces its length twice, by `Content-Length` and by chunks, is how one request is smuggled
//! inside another past a proxy. The library drops one of the two before anybody sees it, so the pair has to be
//! looked for in what the client really sent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection::Connection;
use super::pulse::Phase;

/// How much of the latest bytes is kept for a look. A head with chunks that is longer is refused unseen.
const KEPT_BYTES: usize = 16 * 1024;
/// What an idle connection may keep its memory for.
const SMALL: usize = 1024;

/// What was read since the last request was answered.
#[derive(Default)]
pub(super) struct Latest {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Latest {
    /// Begins anew: what came before belongs to requests that are answered.
    fn forget(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(SMALL);
        self.is_cut = false;
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES - self.bytes.len();
        self.is_cut |= bytes.len() > room;
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Whether a head of this method announces a length beside its chunks, or cannot be seen whole. Of several,
    /// one is enough.
    pub(super) fn has_two_lengths(&self, method: &str) -> bool {
        let ends = self.bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
        let begins = |at: &usize| {
            let rest = self.bytes[*at..].strip_prefix(method.as_bytes());
            rest.is_some_and(|rest| rest.starts_with(b" "))
        };
        let mut heads = starts.filter(begins).map(|at| Self::lines(&self.bytes[at..])).peekable();
        if heads.peek().is_none() {
            // Pipelined behind a request that was answered meanwhile, or too long: the HTTP library
            // takes the chunks for the body then, and closes.
            return self.is_cut;
        }
        heads.any(|(lines, is_whole)| {
            let has = |name: &str| lines.iter().any(|line| is_named(line, name));
            (!is_whole && self.is_cut) || has("transfer-encoding") && has("content-length")
        })
    }

    /// The lines of a head up to the empty one, or as far as they are there; and whether that is all of it.
    fn lines(bytes: &[u8]) -> (Vec<&[u8]>, bool) {
        let mut rest =
            bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let lines = rest.by_ref().take_while(|line| !line.is_empty()).collect();
        // What follows the empty line, if only nothing.
        (lines, rest.next().is_some())
    }
}

fn is_named(line: &[u8], name: &str) -> bool {
    line.split(|byte| *byte == b':').next().is_some_and(|given| given.eq_ignore_ascii_case(name.as_bytes()))
}

/// A stream whose bytes are noted on their way to the HTTP/1 parser.
pub(super) struct Heads<S> {
    stream: S,
    connection: Arc<Connection>,
}

impl<S> Heads<S> {
    pub(super) fn new(stream: S, connection: Arc<Connection>) -> Self {
        Heads { stream, connection }
    }

    pub(super) fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Heads<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        // Looked at before the socket below notes that a head begins.
        let phase = self.connection.phase();
        let outcome = Pin::new(&mut self.stream).poll_read(context, buffer);
        let read = &buffer.filled()[before..];
        // The bytes of a body are nobody's head.
        if !read.is_empty() && phase != Phase::Answering {
            let mut latest = self.connection.latest.lock();
            if phase == Phase::Idle {
                latest.forget();
            }
            latest.keep(read);
        }
        outcome
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Heads<S> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(bytes: &str) -> bool {
        let mut latest = Latest::default();
        latest.keep(bytes.as_bytes());
        latest.has_two_lengths("POST")
    }

    #[test]
    fn only_a_head_with_both_has_two_lengths() {
        assert!(judged("POST /a HTTP/1.1\r\nContent-Length: 1\r\nTRANSFER-ENCODING: chunked\r\n\r\n0"));
        assert!(judged("POST /a HTTP/1.1\nTransfer-Encoding: chunked\ncontent-length: 1\n\n"));
        assert!(!judged("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nContent-Length: 1\r\n\r\n"));
        let earlier = "POST /b HTTP/1.1\r\nContent-Length: 1\r\n\r\nx";
        assert!(!judged(&format!("{earlier}POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")));
        assert!(!judged(""));
    }

    #[test]
    fn what_is_too_long_to_be_seen_is_taken_for_the_worst() {
        let mut latest = Latest::default();
        latest.keep(&vec![b'x'; KEPT_BYTES + 1]);
        assert!(latest.has_two_lengths("POST"));
        latest.forget();
        assert!(!latest.has_two_lengths("POST") && latest.bytes.capacity() <= SMALL);
        let long = "x".repeat(KEPT_BYTES);
        let head = "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n";
        assert!(judged(&format!("{head}X-Pad: {long}\r\nContent-Length: 1\r\n\r\n")));
        assert!(!judged(&format!("{head}\r\n4000\r\n{long}")), "only the body is long");
    }
}
