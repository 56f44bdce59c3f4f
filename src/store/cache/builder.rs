//! Builds large sets of ids, and orders, while requests and writes go on.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::error::TryRecvError;

use super::Cache;
use super::build_queue::{BuildRequest, Target};
use super::ids::Ids;
use super::kept_orders::KeptOrders;
use super::order::OrderBuilder;
use super::order_key::OrderKey;
use super::scan::{Each, Scan, Which};
use super::set_key::{Probes, SetKey};
use super::too_large::Lack;
use crate::observe::{Event, Observer};
use crate::record::Value;
use crate::store::StoreError;

/// How an engine reads a whole collection. Memory has every commit that was read before a method returns: one that is
/// not applied yet would show in what is built of it and nowhere else. Unavailable where nothing is applied any more.
pub(in crate::store) trait SetReader {
    /// The ids of a set whose conditions the database can tell.
    async fn read_set(&self, cache: &Cache, key: &SetKey) -> Result<Ids, StoreError>;

    /// Some fields of records.
    async fn scan(&self, cache: &Cache, scan: Scan<'_>, each: &mut Each<'_>) -> Result<(), StoreError>;
}

/// An order is given up when it takes so much more than it may: what it is made of takes more than itself.
const ROOM_TO_MAKE: usize = 64 << 20;

/// After so many records it is looked whether an order is still wanted.
const LOOK_AFTER: usize = 4_096;

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
        let mut kept = KeptOrders::new(self.cache.kept_orders());
        loop {
            let BuildRequest { target, done } = match waiting.try_recv() {
                Ok(request) => request,
                Err(TryRecvError::Disconnected) => return,
                // Those that stay are made while nobody waits for anything else.
                Err(TryRecvError::Empty) => {
                    if let Some(key) = kept.due(|key| self.cache.has_order(key)) {
                        let begun = Instant::now();
                        self.make_order(&key).await;
                        kept.note_made(&key, begun);
                        continue;
                    }
                    let Some(request) = waiting.recv().await else { return };
                    request
                }
            };
            match target {
                Target::Set(key) => drop(self.build(&key).await),
                Target::Order(key) => drop(self.make_order(&key).await),
                Target::Kept => {}
            }
            // Who asked may have hung up.
            done.map(|done| done.send(()));
        }
    }

    /// Builds a set; says whether it had to: whether nobody else does. A large set takes longer to read than the time
    /// between two commits: what changes meanwhile is remembered for it.
    pub(in crate::store) async fn build(&self, key: &SetKey) -> bool {
        let Some(number) = self.cache.begin_build(key.clone()) else { return false };
        let read = if key.is_folded() {
            self.scan_set(key).await
        } else {
            self.reader.read_set(&self.cache, key).await
        };
        match read {
            Ok(ids) => self.cache.finish_build(number, ids),
            Err(cause) => {
                self.cache.abandon_build(number);
                self.warn("a set of ids", &cause);
            }
        }
        true
    }

    async fn scan_set(&self, key: &SetKey) -> Result<Ids, StoreError> {
        let collection = self.cache.catalog.at(key.collection);
        let conditions = key.conditions(collection);
        let scan = Scan::new(collection, key.positions(collection), Which::Meeting(&conditions));
        let mut ids = Ids::default();
        let mut each = |id, values: &[Value]| {
            if key.holds(collection, &Probes::new(id, values)) {
                ids.insert(id);
            }
            true
        };
        self.reader.scan(&self.cache, scan, &mut each).await?;
        Ok(ids)
    }

    /// Makes an order of all records; says whether it had to: whether nobody else does.
    pub(in crate::store) async fn make_order(&self, key: &OrderKey) -> bool {
        let cache = &*self.cache;
        let Some(number) = cache.begin_order(key) else { return false };
        let collection = self.cache.catalog.at(key.set.collection);
        let scan = Scan::new(collection, key.sort.positions(), Which::Meeting(&[]));
        let (limit, is_kept) = (self.cache.limit_of_orders(), self.cache.kept_orders().contains(key));
        let (mut order, mut read, mut is_wanted) = (OrderBuilder::default(), 0_usize, true);
        let mut each = |id, values: &[Value]| {
            for key in key.sort.keys(collection, &Probes::new(id, values)) {
                order.push(&key, id);
            }
            read += 1;
            // One that was forgotten meanwhile would be made in vain.
            is_wanted = !read.is_multiple_of(LOOK_AFTER) || cache.is_order_announced(number);
            is_wanted && (is_kept || order.bytes() <= limit + ROOM_TO_MAKE)
        };
        let scanned = self.reader.scan(&self.cache, scan, &mut each).await;
        let bytes = order.bytes();
        if let Err(cause) = scanned {
            self.cache.abandon_order(number, None);
            self.warn("an order", &cause);
        } else if !is_wanted {
            self.cache.abandon_order(number, None);
        } else if !is_kept && bytes > limit + ROOM_TO_MAKE {
            // About what all of it would take.
            let all = self.cache.count(&key.set).map_or(read, |all| usize::try_from(all).unwrap_or(read));
            let bytes = (bytes / read.max(1)).saturating_mul(all).saturating_sub(limit);
            self.cache.abandon_order(number, Some(Lack { bytes, entries: all as u64 }));
        } else {
            self.cache.finish_order(number, order.finish());
        }
        true
    }

    fn warn(&self, what: &str, cause: &StoreError) {
        // What is being closed cannot be read, which is no news.
        if *cause != StoreError::Unavailable && !self.cache.builds.is_stopped() {
            self.observer.report(Event::Warning(&format!("{what} cannot be read: {cause}")));
        }
    }
}
