//! A latch that is tripped when a part of the store can no longer be trusted: then the process must end.
//!
//! A panic in a thread that works for everybody is a bug of ours, and nobody can say in what state it left its work:
//! the writes in hand are as unknown as after a failed disk, keys would be followed no more. A new start knows again.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::watch;

/// Shared by all parts of a store, and by whoever ends the process.
#[derive(Clone, Debug)]
pub(super) struct FatalLatch {
    cause: Arc<watch::Sender<Option<String>>>,
}

impl FatalLatch {
    pub(super) fn new() -> Self {
        Self { cause: Arc::new(watch::Sender::new(None)) }
    }

    /// Says that the process must end. The first cause is the one that counts.
    pub(super) fn trip(&self, cause: &str) {
        self.cause.send_if_modified(|known| {
            let is_first = known.is_none();
            if is_first {
                *known = Some(cause.to_owned());
            }
            is_first
        });
    }

    pub(super) fn is_whole(&self) -> bool {
        self.cause.borrow().is_none()
    }

    /// Why it was tripped, if it was.
    pub(super) fn cause(&self) -> Option<String> {
        self.cause.borrow().clone()
    }

    /// Ends when it is tripped, with the cause.
    pub(super) async fn tripped(&self) -> String {
        let mut cause = self.cause.subscribe();
        match cause.wait_for(Option::is_some).await {
            Ok(cause) => cause.clone().unwrap_or_default(),
            // The sender is ours: it is there for as long as we are.
            Err(_) => std::future::pending().await,
        }
    }

    /// Does the work of a thread that the store cannot do without. `who` begins the sentence "… panicked".
    pub(super) fn guard<T>(&self, who: &str, work: impl FnOnce() -> T) -> Option<T> {
        let done = std::panic::catch_unwind(AssertUnwindSafe(work));
        self.check(who, done)
    }

    /// As [`FatalLatch::guard`], for a task.
    pub(super) async fn guard_task<T>(&self, who: &str, work: impl Future<Output = T>) -> Option<T> {
        let done = AssertUnwindSafe(work).catch_unwind().await;
        self.check(who, done)
    }

    fn check<T>(&self, who: &str, done: std::thread::Result<T>) -> Option<T> {
        // What it panicked with, and where, is the panic hook's to report.
        done.inspect_err(|_| self.trip(&format!("{who} panicked"))).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tripped(fatal: &FatalLatch) -> Option<String> {
        fatal.tripped().now_or_never()
    }

    #[test]
    fn a_panic_trips_it_and_the_first_cause_counts() {
        let fatal = FatalLatch::new();
        assert_eq!((fatal.guard("the thread", || 7), tripped(&fatal)), (Some(7), None));
        assert!(fatal.is_whole());
        assert_eq!(fatal.guard("the thread", || -> i32 { panic!("a bug") }), None);
        fatal.trip("something later");
        assert_eq!(tripped(&fatal).as_deref(), Some("the thread panicked"));
        assert!(!fatal.is_whole());
    }

    #[test]
    fn a_panic_in_a_task_trips_it_as_well() {
        let fatal = FatalLatch::new();
        let task = async { panic!("a bug") };
        let done: Option<Option<()>> = fatal.guard_task("the task", task).now_or_never();
        assert_eq!((done, tripped(&fatal)), (Some(None), Some("the task panicked".into())));
    }
}
