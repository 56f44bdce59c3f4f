//! Counting from all cores at once: each thread adds to a part of its own, and who reads adds them up.
//!
//! A number that every request adds to would be handed from cache to cache all the time.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const PARTS: usize = 8;

/// How many threads have counted something, in all of the process: the next one's part follows from it.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN: usize = THREADS.fetch_add(1, Relaxed) % PARTS;
}

/// A number, or several, in parts.
#[derive(Debug, Default)]
pub(super) struct Parts<T>([Apart<T>; PARTS]);

/// On lines of the cache that hold nothing else. Processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

impl<T> Parts<T> {
    /// The part of this thread. With more threads than parts some share one, so it takes atomics all the same.
    pub(super) fn own(&self) -> &T {
        &self.0[OWN.with(|own| *own) % PARTS].0
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
        let parts = Parts::<AtomicUsize>::default();
        std::thread::scope(|scope| {
            for _ in 0..3 * PARTS {
                scope.spawn(|| parts.own().fetch_add(2, Relaxed));
            }
        });
        assert_eq!(parts.all().map(|part| part.load(Relaxed)).sum::<usize>(), 6 * PARTS);
    }
}
