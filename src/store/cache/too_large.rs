//! Orders that were made and did not fit: to make them again and again would help nobody, until there are fewer records.

use std::collections::HashMap;

use super::changed::Changed;
use super::order_key::OrderKey;

/// How many orders are remembered for not fitting.
const MOST_TOO_LARGE: usize = 1_024;

/// An order that did not fit is tried again once its collection has shrunk by a tenth of its entries.
const WORTH_ANOTHER_TRY: u64 = 10;

/// What an order has that does not fit.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Lack {
    /// How many bytes it takes beyond the limit.
    pub(in crate::store) bytes: usize,
    pub(in crate::store) entries: u64,
}

/// Those that did not fit.
#[derive(Default)]
pub(super) struct TooLarge(HashMap<OrderKey, Refused>);

struct Refused {
    /// By how much it did not fit.
    lacks: usize,
    /// It is worth another try once its collection has so many records less.
    deletes_until_retry: i64,
}

impl TooLarge {
    /// By how much an order did not fit.
    pub(super) fn lacks(&self, key: &OrderKey) -> Option<usize> {
        self.0.get(key).map(|refused| refused.lacks)
    }

    /// Says that an order of so many entries does not fit, and by how much.
    pub(super) fn refuse(&mut self, key: OrderKey, Lack { bytes, entries }: Lack) {
        if self.0.len() >= MOST_TOO_LARGE {
            self.0.clear();
        }
        let deletes_until_retry = i64::try_from(entries / WORTH_ANOTHER_TRY).unwrap_or(i64::MAX);
        self.0.insert(key, Refused { lacks: bytes, deletes_until_retry });
    }

    /// Counts deletes, less creates: some may fit then.
    pub(super) fn count_deletes(&mut self, records: &[Changed<'_>]) {
        if self.0.is_empty() {
            return;
        }
        let mut fewer: HashMap<usize, i64> = HashMap::new();
        for record in records {
            let change = match (&record.change.before, &record.change.after) {
                (_, None) => 1,
                (None, Some(_)) => -1,
                (Some(_), Some(_)) => continue,
            };
            *fewer.entry(record.change.collection).or_default() += change;
        }
        self.0.retain(|key, refused| {
            let fewer = fewer.get(&key.set.collection).copied().unwrap_or(0);
            refused.deletes_until_retry = refused.deletes_until_retry.saturating_sub(fewer);
            refused.deletes_until_retry > 0
        });
    }

    /// Forgets those of a collection.
    pub(super) fn forget(&mut self, collection: usize) {
        self.0.retain(|key, _| key.set.collection != collection);
    }
}
