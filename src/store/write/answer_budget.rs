//! The budget of stored answers: how much stored answers take in the database, and how much they may.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::observe::{Event, Observer};
use crate::store::StoreError;

pub(in crate::store) struct AnswerBudget {
    limit: u64,
    bytes: AtomicU64,
    /// Whether the last who looked found no room: it is logged once.
    is_full: AtomicBool,
    observer: Arc<Observer>,
}

impl AnswerBudget {
    pub(in crate::store) fn new(limit: usize, observer: Arc<Observer>) -> Self {
        Self { limit: limit as u64, bytes: AtomicU64::new(0), is_full: AtomicBool::new(false), observer }
    }

    /// What stored answers take, as far as it is known.
    pub(in crate::store) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Whether one more may be stored. The last one may go beyond the limit: nobody knows how large it will be.
    pub(in crate::store) fn has_room(&self) -> bool {
        self.bytes() < self.limit
    }

    /// Lets a write in that has a token nobody has used: an answer must be stored of it, or it is not done.
    pub(in crate::store) fn admit(&self) -> Result<(), StoreError> {
        let is_full = !self.has_room();
        if self.is_full.swap(is_full, Relaxed) != is_full && is_full {
            self.observer.report(Event::Warning(
                "stored answers take all that [server] max_stored_answers lets them: requests with a new \
                 Idempotency-Key are refused",
            ));
        }
        if is_full { Err(StoreError::NoRoomForAnswers) } else { Ok(()) }
    }

    /// They take so much.
    pub(in crate::store) fn set(&self, bytes: u64) {
        self.bytes.store(bytes, Relaxed);
        self.show();
    }

    /// So much was added to them.
    pub(in crate::store) fn add(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
        self.show();
    }

    /// They took so much when [`AnswerBudget::bytes`] said `before`; what was added since comes on top.
    pub(in crate::store) fn correct(&self, before: u64, bytes: u64) {
        let corrected = |now: u64| Some(bytes.saturating_add(now.saturating_sub(before)));
        // Never refused.
        let _ = self.bytes.fetch_update(Relaxed, Relaxed, corrected);
        self.show();
    }

    fn show(&self) {
        self.observer.store().answers_are(self.bytes());
    }
}
