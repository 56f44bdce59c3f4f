//! HTTP/2 answers on their way: many on one connection, each held to the pace that is asked of HTTP/1.
//!
//! A client that opens no window for an answer makes us keep it, and on one connection it can ask for many. The
//! socket cannot show it, as other frames go through. So each answer is handed over piece by piece, notes here when the
//! last piece went, and the sweep cuts a connection on which one makes no headway.

use std::collections::HashMap;

/// The requests of one connection that are not done with.
#[derive(Default)]
pub(super) struct Deliveries {
    /// By number: `None` while the answer is made, then the sweep at which the last piece went.
    last_pieces: HashMap<u64, Option<u64>>,
    next: u64,
}

impl Deliveries {
    /// Takes on one more; answers its number.
    pub(super) fn begin(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        self.last_pieces.insert(number, None);
        number
    }

    /// Notes that a piece went.
    pub(super) fn note_piece(&mut self, number: u64, sweep: u64) {
        self.last_pieces.insert(number, Some(sweep));
    }

    /// Answers whether it was the last one.
    pub(super) fn end(&mut self, number: u64) -> bool {
        self.last_pieces.remove(&number);
        self.last_pieces.is_empty()
    }

    /// Whether an answer has made no headway for more than this many sweeps.
    pub(super) fn are_stuck(&self, sweep: u64, timeout: u64) -> bool {
        self.last_pieces.values().flatten().any(|last| sweep.saturating_sub(*last) > timeout)
    }
}
