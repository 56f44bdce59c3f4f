//! A log line that is written at most once in ten seconds, however often its cause happens.

use std::time::{Duration, Instant};

/// How often the same line is written.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Counts something that may go wrong thousands of times a second.
#[derive(Default)]
pub(super) struct ThrottledLog {
    last_logged: Option<Instant>,
    unlogged: u64,
}

impl ThrottledLog {
    /// Counts one more; returns how many to log once a line is due.
    pub(super) fn count(&mut self) -> Option<u64> {
        self.unlogged += 1;
        let now = Instant::now();
        let is_due = self.last_logged.is_none_or(|last| now.duration_since(last) >= LOG_INTERVAL);
        is_due.then(|| {
            self.last_logged = Some(now);
            std::mem::take(&mut self.unlogged)
        })
    }
}
