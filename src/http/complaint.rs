//! Trouble that is reported now and then, however often it happens.

use std::time::{Duration, Instant};

/// How often the same trouble is reported.
const COMPLAINT_INTERVAL: Duration = Duration::from_secs(10);

/// Something that may go wrong thousands of times a second and should not be told as often.
#[derive(Default)]
pub(super) struct Complaint {
    last_told: Option<Instant>,
    untold: u64,
}

impl Complaint {
    /// Counts one more; answers how many to tell of, when it is time to.
    pub(super) fn tell(&mut self) -> Option<u64> {
        self.untold += 1;
        let now = Instant::now();
        let is_due = self.last_told.is_none_or(|last| now.duration_since(last) >= COMPLAINT_INTERVAL);
        is_due.then(|| {
            self.last_told = Some(now);
            std::mem::take(&mut self.untold)
        })
    }
}
