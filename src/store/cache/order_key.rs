//! Which records an order has, and how it is sorted.

use super::set_key::{Probes, SetKey};
use super::sort_key::KeptSort;
use crate::catalog::collection::Collection;

/// Which records an order has, and how it is sorted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::store) struct OrderKey {
    pub(in crate::store) set: SetKey,
    pub(in crate::store) sort: KeptSort,
}

impl OrderKey {
    /// The same order of all records of the collection.
    pub(in crate::store) fn of_all(&self) -> Self {
        Self { set: SetKey::all_of(self.set.collection), sort: self.sort.clone() }
    }

    /// The order of the words of a collection.
    pub(in crate::store) fn of_words(collection: &Collection) -> Self {
        Self { set: SetKey::all_of(collection.position()), sort: KeptSort::of_words(collection) }
    }

    /// The keys of a record, where it belongs to the order.
    pub(super) fn keys(&self, collection: &Collection, record: Option<&Probes<'_>>) -> Keys {
        let record = record.filter(|record| self.set.holds(collection, record));
        record.map_or_else(Vec::new, |record| self.sort.keys(collection, record))
    }
}

/// The keys of a record, ascending; none where the order does not have it.
pub(super) type Keys = Vec<Vec<u8>>;
