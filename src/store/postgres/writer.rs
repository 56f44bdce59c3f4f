//! The one writer of a node: takes all that waits into one transaction. Where that is taken back for the sake of one
//! write, the writer finds out which one it is.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::time::Instant;

use super::engine::Postgres;
use super::group_attempt::refuse;
use super::group_error::GroupError;
use super::group_window::{GroupWindow, LARGEST_GROUP, take};
use crate::store::StoreError;
use crate::store::write::handle::PendingWrite;

/// How often a write is tried again when another tool came in between.
const TRIES: usize = 4;

/// Takes groups for as long as the process lives.
pub(super) async fn work(engine: Arc<Postgres>) {
    let writes = &engine.writer;
    let mut window = GroupWindow::default();
    // How large the next groups may be, where it is known that they must be small.
    let mut sizes = VecDeque::new();
    loop {
        writes.queue.some().await;
        let mut group = Vec::new();
        match sizes.pop_front() {
            Some(most) => _ = take(writes, &mut group, most),
            None => {
                take(writes, &mut group, LARGEST_GROUP);
                window.gather(writes, &mut group).await;
            }
        }
        if !group.is_empty() {
            let (began, size) = (Instant::now(), group.len());
            sizes.extend(engine.commit(group).await);
            window.note(began.elapsed(), size + writes.queue.len());
        }
    }
}

impl Postgres {
    /// Commits a group and answers it. Where the database takes back all of it for the sake of one, or one must not
    /// share its commit, all wait again, and the sizes of the groups that they are to form are answered.
    async fn commit(&self, mut writes: Vec<PendingWrite>) -> Vec<usize> {
        if writes.len() == 1
            && let Some(write) = writes.pop()
        {
            self.commit_alone(write).await;
            return Vec::new();
        }
        let (writes, error) = match self.attempt(writes).await {
            Ok(()) => return Vec::new(),
            Err(failed) => failed,
        };
        let sizes = match error {
            GroupError::OneIsLarge(0) => vec![1],
            GroupError::OneIsLarge(at) => vec![at, 1],
            error if error.is_passing() || error.may_be_of_one() => {
                self.context.observer.store().took_back();
                vec![1; writes.len()]
            }
            error => {
                refuse(writes, &error.into());
                return Vec::new();
            }
        };
        writes.into_iter().for_each(|pending| self.writer.put_back(pending));
        sizes
    }

    async fn commit_alone(&self, write: PendingWrite) {
        let mut pending = vec![write];
        for tried in 1.. {
            match self.attempt(pending).await {
                Ok(()) => return,
                Err((writes, error)) if tried < TRIES && error.is_passing() => pending = writes,
                Err((writes, error)) => {
                    let first = writes.first();
                    let error = first.map_or(StoreError::Unavailable, |pending| error.to(&pending.write));
                    return refuse(writes, &error);
                }
            }
        }
    }
}
