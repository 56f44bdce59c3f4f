//! Builds large sets of ids, while requests and writes go on.

use std::sync::Arc;

use super::Cache;
use super::build_queue::BuildRequest;
use super::sets::{Part, SetKey};
use crate::observe::{Event, Observer};
use crate::store::StoreError;

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
        let Some(mut waiting) = self.cache.builds.take() else { return };
        for collection in 0..self.cache.catalog.collections().len() {
            self.build(&SetKey::all_of(collection)).await;
        }
        while let Some(BuildRequest { key, done }) = waiting.recv().await {
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
