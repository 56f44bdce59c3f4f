//! Sharded counters: each thread adds to a shard of its own, and who reads adds them up.
//!
//! A number that every request adds to would be handed from cache to cache all the time.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const SHARDS: usize = 8;

/// How many threads have counted something, in all of the process: the next one's part follows from it.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN: usize = THREADS.fetch_add(1, Relaxed) % SHARDS;
}

/// A number, or several, in shards.
#[derive(Debug, Default)]
pub(super) struct Sharded<T>([Shard<T>; SHARDS]);

/// On lines of the cache that hold nothing else. Processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard<T>(T);

impl<T> Sharded<T> {
    /// The shard of this thread. With more threads than shards some share one, so it takes atomics all the same.
    pub(super) fn own(&self) -> &T {
        &self.0[OWN.with(|own| *own) % SHARDS].0
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|part| &part.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_threads_counted_is_found_again() {
        let parts = Sharded::<AtomicUsize>::default();
        std::thread::scope(|scope| {
            for _ in 0..3 * SHARDS {
                scope.spawn(|| parts.own().fetch_add(2, Relaxed));
            }
        });
        assert_eq!(parts.all().map(|part| part.load(Relaxed)).sum::<usize>(), 6 * SHARDS);
    }
}
