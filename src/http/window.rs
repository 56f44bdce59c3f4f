//! Window: how many bytes of one stream may be on their way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// At most so many bytes have left the producer of a stream and not been taken by the socket.
pub(super) const WINDOW: usize = 64 * 1024;

#[derive(Clone)]
pub(super) struct Window {
    free: Arc<Semaphore>,
    /// The sweep at which something moved last.
    last_move: Arc<AtomicU64>,
}

/// A part of a window, free again when it is dropped.
pub(super) type Reserved = OwnedSemaphorePermit;

impl Window {
    pub(super) fn new(sweep: u64) -> Self {
        Window { free: Arc::new(Semaphore::new(WINDOW)), last_move: Arc::new(AtomicU64::new(sweep)) }
    }

    /// Waits until so many bytes fit in; `None` once the window is closed. No more than [`WINDOW`] ever do.
    pub(super) async fn reserve(&self, bytes: usize, sweep: u64) -> Option<Reserved> {
        if !self.is_in_use() {
            // The time in which the client has to take something begins now.
            self.note_move(sweep);
        }
        let bytes = u32::try_from(bytes).ok()?;
        Arc::clone(&self.free).acquire_many_owned(bytes).await.ok()
    }

    /// Notes that bytes have gone on their way.
    pub(super) fn note_move(&self, sweep: u64) {
        self.last_move.store(sweep, Relaxed);
    }

    /// Lets nobody wait any longer.
    pub(super) fn close(&self) {
        self.free.close();
    }

    /// Whether bytes are on their way and none have moved for more than this many sweeps.
    pub(super) fn is_stuck(&self, sweep: u64, timeout: u64) -> bool {
        self.is_in_use() && sweep.saturating_sub(self.last_move.load(Relaxed)) > timeout
    }

    fn is_in_use(&self) -> bool {
        self.free.available_permits() < WINDOW
    }
}
