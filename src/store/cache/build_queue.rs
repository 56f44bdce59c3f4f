//! Where large sets of ids, and orders, are asked for.

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use super::order_key::OrderKey;
use super::set_key::SetKey;
use crate::store::StoreError;

/// How many sets may wait to be built. One that finds no room is asked for again.
const QUEUE: usize = 64;

/// Where to ask for a set.
pub(in crate::store) struct BuildQueue {
    requests: Mutex<Option<mpsc::Sender<BuildRequest>>>,
    /// Until the builder takes it.
    waiting: Mutex<Option<mpsc::Receiver<BuildRequest>>>,
}

/// What to build.
pub(super) enum Target {
    Set(SetKey),
    Order(OrderKey),
    /// The orders that stay, where one is missing.
    Kept,
}

/// Something to build, and who waits for it.
pub(super) struct BuildRequest {
    pub(super) target: Target,
    pub(super) done: Option<oneshot::Sender<()>>,
}

impl Default for BuildQueue {
    fn default() -> Self {
        let (requests, waiting) = mpsc::channel(QUEUE);
        Self { requests: Mutex::new(Some(requests)), waiting: Mutex::new(Some(waiting)) }
    }
}

impl BuildQueue {
    /// Asks for a set, to be there some time later.
    pub(in crate::store) fn request(&self, key: SetKey) {
        self.ask(Target::Set(key));
    }

    /// Asks for the orders that stay and are missing.
    pub(in crate::store) fn request_kept(&self) {
        self.ask(Target::Kept);
    }

    fn ask(&self, target: Target) {
        if let Some(requests) = &*self.requests.lock() {
            // A builder that is gone was told to stop, or went with its session; one that is behind will be asked again.
            let _ = requests.try_send(BuildRequest { target, done: None });
        }
    }

    /// Waits until a set is built, or cannot be. Not built by who waits here: it may hang up.
    pub(in crate::store) async fn build(&self, key: SetKey) -> Result<(), StoreError> {
        self.wait_for(Target::Set(key)).await
    }

    /// Waits until an order is made, or cannot be.
    pub(in crate::store) async fn make_order(&self, key: OrderKey) -> Result<(), StoreError> {
        self.wait_for(Target::Order(key)).await
    }

    async fn wait_for(&self, target: Target) -> Result<(), StoreError> {
        let requests = self.requests.lock().clone().ok_or(StoreError::Unavailable)?;
        let (done, built) = oneshot::channel();
        let request = BuildRequest { target, done: Some(done) };
        requests.send(request).await.map_err(|_| StoreError::Unavailable)?;
        built.await.map_err(|_| StoreError::Unavailable)
    }

    /// What is asked for, for the one builder.
    pub(super) fn take(&self) -> Option<mpsc::Receiver<BuildRequest>> {
        self.waiting.lock().take()
    }

    /// Ends the builder once it has built what waits.
    pub(in crate::store) fn stop(&self) {
        self.requests.lock().take();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.requests.lock().is_none()
    }
}
