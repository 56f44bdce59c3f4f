//! What the writing thread does between two writes: the log is copied, answers that are too old go, space comes back,
//! and memory gets what it had to forget.

use std::time::{Duration, Instant};

use super::{IDLE, LONG_IDLE, WriterState};
use crate::store::sqlite::{free_pages, stored_answers};
use crate::store::write::handle::WriterHandle;
use crate::store::write::queue::Waited;

/// Who rests looks so often whether stored answers have become too old.
const REST: Duration = Duration::from_hours(1);
/// How many answers that are too old are taken away at a time, when there is nothing else to do.
const CLEARED_IDLE: usize = 1_000;

impl WriterState {
    /// Waits for somebody to write, and sees meanwhile that memory has what it had to forget, that no stored answer
    /// outlives its day by much, and that space comes back. Says whether anybody came.
    pub(super) fn rest(&mut self, writes: &WriterHandle) -> Result<bool, String> {
        let mut is_long = false;
        loop {
            self.request_forgotten();
            let has_more = self.clear_answers()? == CLEARED_IDLE || self.give_space_back()?;
            // On a full disk its room is wanted at once.
            if is_long || self.is_full {
                self.log.empty(&self.connection)?;
            } else {
                self.log.copy_all(&self.connection)?;
            }
            let time = match is_long {
                _ if has_more || self.log.has_pages => IDLE,
                true if self.cache.lacks_kept_order() => LONG_IDLE,
                true => REST,
                false => LONG_IDLE,
            };
            match writes.queue.wait(time) {
                Waited::ForWrites => return Ok(true),
                Waited::InVain => is_long |= time == LONG_IDLE,
                Waited::ForTheEnd => return Ok(false),
            }
        }
    }

    /// Sees that memory gets what it had to forget.
    pub(super) fn request_forgotten(&mut self) {
        self.memory_checked = Instant::now();
        self.cache.request_forgotten();
    }

    /// Takes away some answers that nobody will be told again, while nobody waits.
    fn clear_answers(&mut self) -> Result<usize, String> {
        let cleared = stored_answers::clear(&self.connection, CLEARED_IDLE);
        let counted = cleared
            .and_then(|cleared| stored_answers::count(&self.connection, &self.budget).map(|()| cleared));
        match counted {
            Ok(cleared) => {
                self.log.has_pages |= cleared > 0;
                Ok(cleared)
            }
            Err(error) => self.judge(&error).1.map(|()| 0),
        }
    }

    /// Makes the file smaller by a step, where much of it is free. Says whether it did.
    fn give_space_back(&mut self) -> Result<bool, String> {
        match free_pages::give_back(&self.connection) {
            Ok(pages) => {
                self.log.has_pages |= pages > 0;
                Ok(pages > 0)
            }
            Err(error) => self.judge(&error).1.map(|()| false),
        }
    }
}
