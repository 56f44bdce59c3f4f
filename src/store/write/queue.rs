//! The queue before a writer: bounded in number, in bytes and in time.
//!
//! A write is either still here or in the hands of the writer. Who has waited too long takes it out again, and can be
//! sure then that it was not done and never will be.

use std::collections::BTreeMap;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tokio::sync::{Notify, oneshot};

use crate::store::StoreError;

/// How many writes may wait, each item of a batch counted. Beyond it a client is told to come back rather than kept.
const MOST: usize = 16_384;
/// How many bytes of text they may have together. One alone is always taken.
const MOST_BYTES: usize = 128 << 20;
/// How long a write waits to be begun. Longer than a lock is waited for, which ends in an answer.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(6);

/// Writes that nobody has begun, in the order in which they came.
pub(in crate::store) struct Queue<T> {
    state: Mutex<State<T>>,
    timeout: Duration,
    /// Wakes a writer that is a thread, and one that is a task.
    thread: Condvar,
    task: Notify,
}

struct State<T> {
    /// By number, with what each counts for.
    waiting: BTreeMap<u64, (T, Weight)>,
    total: Weight,
    next: u64,
    /// What is said to those who come after the end.
    end: Option<StoreError>,
}

/// What something that waits counts for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::store) struct Weight {
    /// How many writes it is.
    pub(in crate::store) writes: usize,
    /// How many bytes their texts take.
    pub(in crate::store) bytes: usize,
}

/// What a writer has waited for.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store) enum Waited {
    ForWrites,
    InVain,
    /// Nothing waits, and nothing will come.
    ForTheEnd,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self::with_timeout(QUEUE_TIMEOUT)
    }
}

impl<T> Queue<T> {
    fn with_timeout(timeout: Duration) -> Self {
        let state =
            Mutex::new(State { waiting: BTreeMap::new(), total: Weight::default(), next: 0, end: None });
        Self { state, timeout, thread: Condvar::new(), task: Notify::new() }
    }

    /// Lets a write wait, and says under which number.
    pub(in crate::store) fn push(&self, write: T, weight: Weight) -> Result<u64, StoreError> {
        let mut state = self.state.lock();
        if let Some(end) = &state.end {
            return Err(end.clone());
        }
        let Weight { writes, bytes } = state.total;
        let is_heavy = weight.bytes > 0 && bytes > 0 && bytes.saturating_add(weight.bytes) > MOST_BYTES;
        if writes.saturating_add(weight.writes) > MOST || is_heavy {
            return Err(StoreError::Busy);
        }
        let number = state.next;
        state.next += 1;
        state.insert(number, write, weight);
        drop(state);
        self.thread.notify_one();
        self.task.notify_one();
        Ok(number)
    }

    /// Waits for the answer to a write; who is not begun in time is not done at all. A writer that gives no answer
    /// leaves the outcome unknown.
    pub(in crate::store) async fn answer<A>(
        &self,
        number: u64,
        mut answer: oneshot::Receiver<A>,
    ) -> Result<A, StoreError> {
        let answered = match tokio::time::timeout(self.timeout, &mut answer).await {
            Ok(answered) => answered,
            Err(_) if self.withdraw(number) => return Err(StoreError::Busy),
            Err(_) => answer.await,
        };
        answered.map_err(|_| StoreError::OutcomeUnknown)
    }

    /// Takes a write out that nobody has begun; says whether it was still there.
    fn withdraw(&self, number: u64) -> bool {
        let write = self.state.lock().remove(number);
        write.is_some()
    }

    /// The first that waits, if it is no more writes than `most`. From here on it is the writer's.
    pub(in crate::store) fn take(&self, most: usize) -> Option<(u64, T)> {
        let mut state = self.state.lock();
        let (&number, (_, weight)) = state.waiting.first_key_value()?;
        if weight.writes > most {
            return None;
        }
        Some((number, state.remove(number)?))
    }

    /// Lets a write wait again, where it stood: nothing of it was done.
    pub(in crate::store) fn put_back(&self, number: u64, write: T, weight: Weight) {
        // It had its place before, so it is never refused.
        self.state.lock().insert(number, write, weight);
    }

    /// How many have come since the start.
    pub(in crate::store) fn pushed(&self) -> u64 {
        self.state.lock().next
    }

    /// How many writes wait.
    pub(in crate::store) fn len(&self) -> usize {
        self.state.lock().total.writes
    }

    /// Waits on a thread until something waits, for so long at the most.
    pub(in crate::store) fn wait(&self, timeout: Duration) -> Waited {
        let mut state = self.state.lock();
        let is_over = self.thread.wait_while_for(&mut state, |state| state.is_idle(), timeout).timed_out();
        match (state.waiting.is_empty(), is_over) {
            (false, _) => Waited::ForWrites,
            (true, true) if state.end.is_none() => Waited::InVain,
            (true, _) => Waited::ForTheEnd,
        }
    }

    /// Waits in a task until something waits.
    pub(in crate::store) async fn some(&self) {
        while self.state.lock().waiting.is_empty() {
            self.task.notified().await;
        }
    }

    /// Takes no more writes; those that wait still get their turn.
    pub(in crate::store) fn close(&self, end: StoreError) {
        self.state.lock().end.get_or_insert(end);
        self.thread.notify_one();
    }

    /// Says that nobody will take any more: those who wait get no answer.
    pub(in crate::store) fn abandon(&self, end: StoreError) {
        self.close(end);
        let mut state = self.state.lock();
        state.total = Weight::default();
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        drop(waiting);
    }

    pub(in crate::store) fn is_open(&self) -> bool {
        self.state.lock().end.is_none()
    }
}

impl<T> State<T> {
    fn insert(&mut self, number: u64, write: T, weight: Weight) {
        self.total.writes += weight.writes;
        self.total.bytes += weight.bytes;
        self.waiting.insert(number, (write, weight));
    }

    fn remove(&mut self, number: u64) -> Option<T> {
        let (write, weight) = self.waiting.remove(&number)?;
        self.total.writes -= weight.writes;
        self.total.bytes -= weight.bytes;
        Some(write)
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.end.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(1);

    /// One write whose texts take so many bytes.
    fn one(bytes: usize) -> Weight {
        Weight { writes: 1, bytes }
    }

    #[test]
    fn writes_are_taken_in_order_and_put_back_where_they_stood() {
        let queue = Queue::with_timeout(SOON);
        for write in ["a", "b", "c"] {
            queue.push(write, one(0)).unwrap();
        }
        let (number, first) = queue.take(1).unwrap();
        assert_eq!((queue.take(1), first), (Some((1, "b")), "a"));
        queue.put_back(number, first, one(0));
        assert_eq!((queue.take(1), queue.take(1), queue.take(1)), (Some((0, "a")), Some((2, "c")), None));
        assert_eq!(queue.wait(SOON), Waited::InVain);
    }

    #[tokio::test]
    async fn a_write_that_is_not_begun_in_time_is_taken_out_and_one_that_is_begun_is_waited_for() {
        let queue = Queue::with_timeout(SOON);
        let (reply, answer) = oneshot::channel::<()>();
        let number = queue.push(reply, one(0)).unwrap();
        assert_eq!(queue.answer(number, answer).await, Err(StoreError::Busy));
        assert_eq!((queue.take(1).is_none(), queue.len()), (true, 0));
        let (reply, answer) = oneshot::channel();
        let number = queue.push(reply, one(0)).unwrap();
        let begun = async {
            let (_, reply) = queue.take(1).unwrap();
            tokio::time::sleep(SOON * 20).await;
            reply.send(()).unwrap();
        };
        assert_eq!(tokio::join!(queue.answer(number, answer), begun).0, Ok(()));
    }

    #[test]
    fn the_bytes_that_wait_are_bounded_and_one_write_alone_is_taken() {
        let queue = Queue::default();
        let number = queue.push('a', one(MOST_BYTES + 1)).unwrap();
        assert_eq!((queue.push('b', one(1)), queue.push('c', one(0))), (Err(StoreError::Busy), Ok(1)));
        assert!(queue.withdraw(number));
        queue.push('d', one(MOST_BYTES)).unwrap();
        assert_eq!(queue.push('e', one(1)), Err(StoreError::Busy));
        assert_eq!((queue.take(1), queue.take(1)), (Some((1, 'c')), Some((2, 'd'))));
        assert_eq!(queue.push('f', one(1)), Ok(3));
    }

    #[test]
    fn a_batch_counts_for_its_items_and_is_taken_whole() {
        let queue = Queue::default();
        let batch = |writes| Weight { writes, bytes: 0 };
        queue.push('a', batch(MOST - 1)).unwrap();
        assert_eq!((queue.push('b', batch(2)), queue.push('c', batch(1))), (Err(StoreError::Busy), Ok(1)));
        assert_eq!((queue.take(MOST - 2), queue.len()), (None, MOST));
        assert_eq!((queue.take(MOST - 1), queue.len()), (Some((0, 'a')), 1));
    }

    #[test]
    fn a_full_queue_takes_no_more_and_a_closed_one_none_at_all() {
        let queue = Queue::default();
        for write in 0..MOST {
            queue.push(write, one(0)).unwrap();
        }
        assert_eq!(queue.push(0, one(0)), Err(StoreError::Busy));
        assert!(queue.withdraw(7) && !queue.withdraw(7) && queue.push(0, one(0)).is_ok());
        queue.close(StoreError::Unavailable);
        assert_eq!(
            (queue.push(0, one(0)), queue.wait(SOON)),
            (Err(StoreError::Unavailable), Waited::ForWrites)
        );
        queue.abandon(StoreError::Full);
        assert_eq!(
            (queue.push(0, one(0)), queue.wait(SOON)),
            (Err(StoreError::Unavailable), Waited::ForTheEnd)
        );
    }
}
