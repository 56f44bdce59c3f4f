//! The one writer of a node: takes all that waits into one transaction. Where that is taken back for the sake of one
//! write, the writer finds out which one it is, and sets it aside where it is blocked.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::time::Instant;

use super::blocked_writes::BlockedWrites;
use super::engine::Postgres;
use super::group::LockWait;
use super::group_attempt::refuse;
use super::group_error::GroupError;
use super::group_window::{GroupWindow, LARGEST_GROUP, number, take};
use crate::store::StoreError;
use crate::store::write::handle::PendingWrite;

/// How often a write is tried again when another tool came in between.
const TRIES: usize = 4;

/// How long a lock of another tool is waited for: by a group, by one beside writes that are blocked, and by one of these
/// that is tried again. Everybody else of the node waits meanwhile.
const GROUP_WAIT: LockWait = "500ms";
const BESIDE_BLOCKED_WAIT: LockWait = "5ms";
const RETRY_WAIT: LockWait = "50ms";

/// How large the next group may be, where it is known that it must be small, and how long it waits for a lock.
type NextGroup = (usize, LockWait);

/// Takes groups for as long as the process lives.
pub(super) async fn work(engine: Arc<Postgres>) {
    let writes = &engine.writer;
    let mut window = GroupWindow::default();
    let mut next: VecDeque<NextGroup> = VecDeque::new();
    let mut blocked = BlockedWrites::default();
    loop {
        match blocked.next_event() {
            None => writes.queue.some().await,
            Some(event) => _ = tokio::time::timeout_at(event, writes.queue.some()).await,
        }
        if let Some(group) = engine.retry(&mut blocked).await {
            next.push_front(group);
        }
        let (mut group, mut lock_wait) = (Vec::new(), GROUP_WAIT);
        match next.pop_front() {
            Some((most, wait)) => {
                lock_wait = wait;
                take(writes, &mut group, most);
            }
            None => {
                take(writes, &mut group, LARGEST_GROUP);
                window.gather(writes, &mut group).await;
            }
        }
        if !blocked.is_empty() {
            lock_wait = BESIDE_BLOCKED_WAIT;
            // One after the other: a batch that is set aside holds back those behind it.
            for write in std::mem::take(&mut group) {
                match blocked.has_one_before(&write) {
                    true => engine.set_aside(&mut blocked, write),
                    false => group.push(write),
                }
            }
        }
        if !group.is_empty() {
            let (began, size) = (Instant::now(), number(&group));
            let parts = engine.commit(group, lock_wait, &mut blocked).await;
            // They are the first in the queue.
            parts.into_iter().rev().for_each(|part| next.push_front(part));
            window.note(began.elapsed(), size + writes.queue.len());
        }
    }
}

impl Postgres {
    /// Commits a group and answers it. Where the database takes back all of it for the sake of one, or one must not
    /// share its commit, all wait again, and the groups that they are to form are answered.
    async fn commit(
        &self,
        mut writes: Vec<PendingWrite>,
        lock_wait: LockWait,
        blocked: &mut BlockedWrites,
    ) -> Vec<NextGroup> {
        if writes.len() == 1
            && let Some(write) = writes.pop()
        {
            if let Some(write) = self.commit_alone(write, lock_wait).await {
                self.set_aside(blocked, write);
            }
            return Vec::new();
        }
        let (writes, error) = match self.attempt(writes, lock_wait).await {
            Ok(()) => return Vec::new(),
            Err(failed) => failed,
        };
        let parts = match error {
            GroupError::OneIsLarge(at) => vec![(at, lock_wait), (1, lock_wait)],
            GroupError::Locked(places) => {
                self.context.observer.store().took_back();
                let each = places.clone().map(|_| (1, BESIDE_BLOCKED_WAIT));
                std::iter::once((places.start, BESIDE_BLOCKED_WAIT)).chain(each).collect()
            }
            error if error.is_passing() || error.may_be_of_one() => {
                self.context.observer.store().took_back();
                vec![(1, lock_wait); writes.len()]
            }
            error => {
                refuse(writes, &error.into());
                return Vec::new();
            }
        };
        writes.into_iter().for_each(|pending| self.writer.put_back(pending));
        parts.into_iter().filter(|(most, _)| *most > 0).collect()
    }

    /// Commits one write and answers it; gives it back where somebody has locked what it needs.
    async fn commit_alone(&self, write: PendingWrite, lock_wait: LockWait) -> Option<PendingWrite> {
        let mut pending = vec![write];
        for tried in 1.. {
            match self.attempt(pending, lock_wait).await {
                Ok(()) => break,
                Err((mut writes, GroupError::Locked(_))) => return writes.pop(),
                Err((writes, error)) if tried < TRIES && error.is_passing() => pending = writes,
                Err((writes, error)) => {
                    let first = writes.first();
                    let error = first.map_or(StoreError::Unavailable, |pending| error.to(&pending.work));
                    refuse(writes, &error);
                    break;
                }
            }
        }
        None
    }

    /// Lets a write wait until its lock may be free, so that the others go on.
    fn set_aside(&self, blocked: &mut BlockedWrites, write: PendingWrite) {
        self.context.observer.store().found_busy();
        match blocked.has_room_for(&write) {
            true => blocked.add(write, Instant::now()),
            false => write.refuse(StoreError::Busy),
        }
    }

    /// Tries one of those that were set aside, where it is time to; refuses those whose time is over, and answers the
    /// group of those that need not wait for them any more.
    async fn retry(&self, blocked: &mut BlockedWrites) -> Option<NextGroup> {
        let began = Instant::now();
        let (overdue, followers) = blocked.take_overdue(began);
        refuse(overdue, &StoreError::Busy);
        let group = (followers.len(), BESIDE_BLOCKED_WAIT);
        followers.into_iter().for_each(|write| self.writer.put_back(write));
        if let Some(write) = blocked.take_due(began) {
            let records = write.records();
            match self.commit_alone(write, RETRY_WAIT).await {
                Some(write) => blocked.put_back(write, began, Instant::now()),
                None => blocked.release(records).into_iter().for_each(|write| self.writer.put_back(write)),
            }
        }
        (group.0 > 0).then_some(group)
    }
}
