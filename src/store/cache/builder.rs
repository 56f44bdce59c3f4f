//! Builds large sets of ids, while requests and writes go on: where to ask for them, and what is done then.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use super::Cache;
use super::sets::{Part, SetKey};
use crate::observe::{Event, Observer};
use crate::store::StoreError;

/// How many sets may wait to be built. One that finds no room is asked for again.
const QUEUE: usize = 64;

/// Where to ask for a set.
pub(in crate::store) struct BuildQueue {
    requests: Mutex<Option<mpsc::Sender<Request>>>,
    /// Until the builder takes it.
    waiting: Mutex<Option<mpsc::Receiver<Request>>>,
}

/// A set to build, and who waits for it.
struct Request {
    key: SetKey,
    done: Option<oneshot::Sender<()>>,
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
        if let Some(requests) = &*self.requests.lock() {
            // A builder that is gone was told to stop, or went with its session; one that is behind will be asked again.
            let _ = requests.try_send(Request { key, done: None });
        }
    }

    /// Waits until a set is built, or cannot be. Not built by who waits here: it may hang up.
    pub(in crate::store) async fn build(&self, key: SetKey) -> Result<(), StoreError> {
        let requests = self.requests.lock().clone().ok_or(StoreError::Unavailable)?;
        let (done, built) = oneshot::channel();
        let request = Request { key, done: Some(done) };
        requests.send(request).await.map_err(|_| StoreError::Unavailable)?;
        built.await.map_err(|_| StoreError::Unavailable)
    }

    /// Ends the builder once it has built what waits.
    pub(super) fn stop(&self) {
        self.requests.lock().take();
    }
}

/// How an engine reads a set whole.
pub(in crate::store) trait SetReader {
    /// The ids of a set, in parts of ascending order. Memory has every commit that they show before this returns: one
    /// that was read but is not applied yet would show in this set and nowhere else. Unavailable where nothing is
    /// applied any more.
    async fn read_set(&self, cache: &Cache, key: &SetKey) -> Result<Vec<Part>, StoreError>;
}

/// Builds sets.
pub(in crate::store) struct Builder<R> {
    pub(in crate::store) reader: R,
    pub(in crate::store) cache: Arc<Cache>,
    pub(in crate::store) observer: Arc<Observer>,
}

impl<R: SetReader> Builder<R> {
    /// Builds what is asked for, the sets of all live ids first; until they are there, lists are read by counting.
    pub(in crate::store) async fn work(&self) {
        let Some(mut waiting) = self.cache.builds.waiting.lock().take() else { return };
        for collection in 0..self.cache.catalog.collections().len() {
            self.build(&SetKey::all_of(collection)).await;
        }
        while let Some(Request { key, done }) = waiting.recv().await {
            self.build(&key).await;
            // Who asked may have hung up.
            done.map(|done| done.send(()));
        }
    }

    /// Builds a set, unless it is known or under way. A large set takes longer to read than the time between two
    /// commits: what changes meanwhile is remembered for it.
    pub(in crate::store) async fn build(&self, key: &SetKey) {
        let Some(number) = self.cache.begin_build(key.clone()) else { return };
        match self.reader.read_set(&self.cache, key).await {
            Ok(parts) => self.cache.finish_build(number, parts),
            Err(cause) => {
                self.cache.abandon_build(number);
                if cause != StoreError::Unavailable {
                    self.observer.report(Event::Warning(&format!("a set of ids cannot be read: {cause}")));
                }
            }
        }
    }
}
