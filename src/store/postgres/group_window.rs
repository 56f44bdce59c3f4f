//! When a group is large enough: a commit costs much the same for one write and for a hundred.
//!
//! Who was just answered mostly comes back at once. To begin without them would part the clients into two halves
//! that wait for each other's commits; so they are waited for, for a small part of what a commit takes.

use std::time::Duration;

use tokio::time::Instant;

use crate::store::write::handle::{PendingWrite, WriterHandle};

/// How many writes share a commit at the most, each item of a batch counted, so that the first of them does not wait for
/// ever.
pub(super) const LARGEST_GROUP: usize = 1_024;
/// So many writes take many times what their commit does, and wait for nobody.
const ENOUGH: usize = 256;
/// The part of a commit that is waited, and the most of it.
const PART: u32 = 4;
const LONGEST: Duration = Duration::from_millis(5);
/// The clock of the runtime knows no shorter time; below it only those get their turn who are ready.
const TICK: Duration = Duration::from_millis(1);
const MOST_TURNS: usize = 32;

/// What the last commit says about the next.
#[derive(Default)]
pub(super) struct GroupWindow {
    /// How many writes there will be when all are back.
    expected: usize,
    patience: Duration,
}

impl GroupWindow {
    /// A commit took this long; so many writes were answered by it or waited meanwhile.
    pub(super) fn note(&mut self, took: Duration, writes: usize) {
        self.expected = writes.min(ENOUGH);
        self.patience = (took / PART).min(LONGEST);
    }

    /// Waits for those who are expected, but not for long. Who writes alone waits for nobody.
    pub(super) async fn gather(&self, writes: &WriterHandle, group: &mut Vec<PendingWrite>) {
        let deadline = Instant::now() + self.patience;
        let mut turns = 0;
        while number(group) < self.expected {
            if take(writes, group, LARGEST_GROUP) > 0 {
                continue;
            }
            if writes.queue.len() > 0 {
                // The next one is a batch for which there is no room.
                return;
            }
            if self.patience >= TICK {
                if tokio::time::timeout_at(deadline, writes.queue.some()).await.is_err() {
                    return;
                }
            } else if turns < MOST_TURNS && Instant::now() < deadline {
                turns += 1;
                tokio::task::yield_now().await;
            } else {
                return;
            }
        }
    }
}

/// Takes what waits into a group, up to so many of them and no more writes than share a commit; says how many came. They
/// are begun with this.
pub(super) fn take(writes: &WriterHandle, group: &mut Vec<PendingWrite>, most: usize) -> usize {
    let before = group.len();
    let mut room = LARGEST_GROUP.saturating_sub(number(group));
    while group.len() < most
        && let Some(pending) = writes.take(if group.is_empty() { usize::MAX } else { room })
    {
        room = room.saturating_sub(pending.work.len());
        group.push(pending);
    }
    group.len() - before
}

/// How many writes these are, each item of a batch counted.
pub(super) fn number(group: &[PendingWrite]) -> usize {
    group.iter().map(|pending| pending.work.len()).sum()
}
