//! A thread that lets others go first: for work that comes in thousands of changes, and that no request may wait behind.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Sender};

use tokio::sync::oneshot;

/// How much less than others it asks for a core, as `nice` counts it: who sends many writes at once waits rather than
/// all who read. A little less only, since some wait for it: with 10 and readers that want all of both cores, a deletion
/// that takes many records along was not answered within ten seconds.
const PATIENCE: i32 = 3;

/// Has the thread that this is called on let others go first. Where that is not allowed, it is a thread like the others.
pub(super) fn be_patient() {
    let _ = rustix::process::nice(PATIENCE);
}

/// A thread that does one thing after the other, until nobody can ask it any more.
pub(super) struct PatientThread {
    work: Sender<Box<dyn FnOnce() + Send>>,
}

impl PatientThread {
    pub(super) fn start(name: &str) -> std::io::Result<Self> {
        let (work, waiting) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        std::thread::Builder::new().name(name.into()).spawn(move || {
            be_patient();
            waiting.into_iter().for_each(|work| work());
        })?;
        Ok(Self { work })
    }

    /// Has it done there. A panic goes on here.
    pub(super) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let (told, done) = oneshot::channel();
        let work = move || _ = told.send(catch_unwind(AssertUnwindSafe(work)));
        // It takes work for as long as we can send, and tells what became of it.
        let _ = self.work.send(Box::new(work));
        let done = done.await.unwrap_or_else(|_| Err(Box::new("the patient thread has ended")));
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }
}
