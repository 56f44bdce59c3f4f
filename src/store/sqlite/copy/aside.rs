//! A connection whose work is done on threads that may block, beside the tasks that move what it reads or writes.

use rusqlite::{Connection, InterruptHandle};

use crate::store::copy::CopyError;

/// A connection, and what must outlive it.
pub(super) struct Aside<K: Send + 'static> {
    /// None while a thread has it, and after one that was given up.
    held: Option<Held<K>>,
    interrupt: InterruptHandle,
    place: String,
}

/// The connection is closed before the rest is dropped.
pub(super) struct Held<K> {
    pub(super) connection: Connection,
    pub(super) keeps: K,
}

impl<K: Send + 'static> Aside<K> {
    pub(super) fn new(connection: Connection, keeps: K, place: String) -> Self {
        let interrupt = connection.get_interrupt_handle();
        Self { held: Some(Held { connection, keeps }), interrupt, place }
    }

    /// Lets a thread work with the connection, and waits for it.
    pub(super) async fn run<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Held<K>, &str) -> Result<T, CopyError> + Send + 'static,
    ) -> Result<T, CopyError> {
        let mut held = self.held.take().ok_or(CopyError::Stopped)?;
        let place = self.place.clone();
        let worked = tokio::task::spawn_blocking(move || {
            let outcome = work(&mut held, &place);
            (held, outcome)
        });
        let (held, outcome) = worked.await.map_err(|error| CopyError::failed(&self.place, error))?;
        self.held = Some(held);
        outcome
    }
}

impl<K: Send + 'static> Drop for Aside<K> {
    fn drop(&mut self) {
        // A thread that still works is not waited for longer than it takes to notice.
        if self.held.is_none() {
            self.interrupt.interrupt();
        }
    }
}
