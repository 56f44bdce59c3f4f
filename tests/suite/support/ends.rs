//! Ends threads that go on until they are told, also where the test fails: a scope waits for all its threads.

use std::sync::atomic::{AtomicBool, Ordering};

/// Tells them when it is dropped.
pub(crate) struct Ends<'a>(pub(crate) &'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
