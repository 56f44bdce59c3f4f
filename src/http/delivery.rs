//! HTTP/2 answers on their way: many on one connection, each held to the pace that is asked of HTTP/1.
//!
//! A client that opens no window for an answer makes us keep it, and on one connection it can ask for many. The
//! socket cannot show it, as other frames go through. So each answer is handed over piece by piece, notes when the
//! last piece went, and the sweep cuts a connection on which one makes no headway.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};
use parking_lot::Mutex;

use super::Content;
use super::connection::Connection;
use super::content::Outgoing;
use super::phase::Phase;

/// How much is handed over at once: a frame of HTTP/2.
const PIECE: usize = 16 * 1024;

/// The requests of one connection that are not done with.
#[derive(Default)]
pub(super) struct Deliveries(Mutex<Open>);

#[derive(Default)]
struct Open {
    /// By number: `None` while the answer is made, then the sweep at which the last piece went.
    last_pieces: HashMap<u64, Option<u64>>,
    next: u64,
}

impl Deliveries {
    /// Whether an answer has made no headway for more than this many sweeps.
    pub(super) fn are_stuck(&self, sweep: u64, timeout: u64) -> bool {
        let open = self.0.lock();
        open.last_pieces.values().flatten().any(|last| sweep.saturating_sub(*last) > timeout)
    }
}

/// One request and its answer, from the first to the last piece; whatever ends it.
pub(super) struct Delivery {
    connection: Arc<Connection>,
    number: u64,
}

impl Delivery {
    pub(super) fn begin(connection: &Arc<Connection>) -> Self {
        let mut open = connection.deliveries().0.lock();
        // Within the lock: the end of another request must not say that nothing is under way.
        connection.enter(Phase::Answering);
        let number = open.next;
        open.next += 1;
        open.last_pieces.insert(number, None);
        drop(open);
        Delivery { connection: Arc::clone(connection), number }
    }

    fn note_piece(&self) {
        let sweep = self.connection.server.sweep();
        self.connection.deliveries().0.lock().last_pieces.insert(self.number, Some(sweep));
    }

    /// The answer, which the client may take from now on.
    pub(super) fn of(self, rest: Content) -> Pieces {
        self.note_piece();
        Pieces { rest, delivery: self }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        let mut open = self.connection.deliveries().0.lock();
        open.last_pieces.remove(&self.number);
        if open.last_pieces.is_empty() {
            self.connection.enter(Phase::Idle);
        }
    }
}

/// A body that is taken piece by piece.
pub(super) struct Pieces {
    rest: Content,
    delivery: Delivery,
}

impl Body for Pieces {
    type Data = Outgoing;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Outgoing>, Infallible>>> {
        let Some(piece) = self.rest.next(PIECE) else { return Poll::Ready(None) };
        self.delivery.note_piece();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
