//! The fuse: blows when a part of the store can no longer be trusted, and then the process must end.
//!
//! A panic in a thread that works for everybody is a bug of ours, and nobody can say in what state it left its work:
//! the writes in hand are as unknown as after a failed disk, keys would be followed no more. A new start knows again.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::watch;

/// Shared by all parts of a store, and by whoever ends the process.
#[derive(Clone, Debug)]
pub(super) struct Fuse {
    cause: Arc<watch::Sender<Option<String>>>,
}

impl Fuse {
    pub(super) fn new() -> Self {
        Self { cause: Arc::new(watch::Sender::new(None)) }
    }

    /// Says that the process must end. The first cause is the one that counts.
    pub(super) fn blow(&self, cause: &str) {
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

    /// Why it has blown, if it has.
    pub(super) fn cause(&self) -> Option<String> {
        self.cause.borrow().clone()
    }

    /// Ends when the fuse blows, with the cause.
    pub(super) async fn blown(&self) -> String {
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
        self.judge(who, done)
    }

    /// As [`Fuse::guard`], for a task.
    pub(super) async fn guard_task<T>(&self, who: &str, work: impl Future<Output = T>) -> Option<T> {
        let done = AssertUnwindSafe(work).catch_unwind().await;
        self.judge(who, done)
    }

    fn judge<T>(&self, who: &str, done: std::thread::Result<T>) -> Option<T> {
        // What it panicked with, and where, is the panic hook's to report.
        done.inspect_err(|_| self.blow(&format!("{who} panicked"))).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blown(fuse: &Fuse) -> Option<String> {
        fuse.blown().now_or_never()
    }

    #[test]
    fn a_panic_blows_it_and_the_first_cause_counts() {
        let fuse = Fuse::new();
        assert_eq!((fuse.guard("the thread", || 7), blown(&fuse)), (Some(7), None));
        assert!(fuse.is_whole());
        assert_eq!(fuse.guard("the thread", || -> i32 { panic!("a bug") }), None);
        fuse.blow("something later");
        assert_eq!(blown(&fuse).as_deref(), Some("the thread panicked"));
        assert!(!fuse.is_whole());
    }

    #[test]
    fn a_panic_in_a_task_blows_it_as_well() {
        let fuse = Fuse::new();
        let task = async { panic!("a bug") };
        let done: Option<Option<()>> = fuse.guard_task("the task", task).now_or_never();
        assert_eq!((done, blown(&fuse)), (Some(None), Some("the task panicked".into())));
    }
}
