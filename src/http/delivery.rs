//! HTTP/2 answers on their way: many on one connection, each held to the pace that is asked of HTTP/1.
//!
//! A client that opens no window for an answer makes us keep it, and on one connection it can ask for many. The
//! socket cannot show it, as other frames go through. So each answer is handed over piece by piece, notes here when the
//! last piece went, and the sweep cuts a connection on which one makes no headway.

use std::collections::HashMap;

use super::window::Window;

/// The requests of one connection that are not done with.
#[derive(Default)]
pub(super) struct Deliveries {
    by_number: HashMap<u64, Delivery>,
    next: u64,
}

enum Delivery {
    /// The answer is being made.
    Awaited,
    /// A whole answer, whose last piece went at this sweep.
    Whole(u64),
    /// One that is streamed: where nothing is on its way, it waits for its producer.
    Streamed(Window),
}

impl Deliveries {
    /// Takes on one more; answers its number.
    pub(super) fn begin(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        self.by_number.insert(number, Delivery::Awaited);
        number
    }

    /// Notes that a piece went.
    pub(super) fn note_piece(&mut self, number: u64, sweep: u64) {
        match self.by_number.get_mut(&number) {
            Some(Delivery::Streamed(window)) => window.note_move(sweep),
            Some(delivery) => *delivery = Delivery::Whole(sweep),
            None => {}
        }
    }

    /// Notes that the answer is streamed.
    pub(super) fn note_stream(&mut self, number: u64, window: Window) {
        self.by_number.insert(number, Delivery::Streamed(window));
    }

    /// Answers whether it was the last one.
    pub(super) fn end(&mut self, number: u64) -> bool {
        self.by_number.remove(&number);
        self.by_number.is_empty()
    }

    /// Whether an answer has made no headway for more than this many sweeps.
    pub(super) fn are_stuck(&self, sweep: u64, timeout: u64) -> bool {
        self.by_number.values().any(|delivery| match delivery {
            Delivery::Awaited => false,
            Delivery::Whole(last_piece) => sweep.saturating_sub(*last_piece) > timeout,
            Delivery::Streamed(window) => window.is_stuck(sweep, timeout),
        })
    }
}
