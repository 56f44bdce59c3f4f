//! Orders of few records, as requests have sorted them: kept for the next one, which reads only what has changed since.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::order::Order;
use super::order_key::OrderKey;

/// How many bytes all of them may take together.
const MOST_BYTES: usize = 4 << 20;
/// What one takes besides its entries.
const OVERHEAD: usize = 512;

/// Small orders, each with the version it is of. Unlike those of [`super::orders`] no write follows them, so that there
/// may be many.
pub(super) struct SmallOrders {
    kept: Mutex<Kept>,
    limit_bytes: usize,
}

#[derive(Default)]
struct Kept {
    orders: HashMap<OrderKey, (u64, Order)>,
    bytes: usize,
}

impl SmallOrders {
    /// With room for so many bytes, and no more than is good for any server.
    pub(super) fn new(limit_bytes: usize) -> Self {
        Self { kept: Mutex::default(), limit_bytes: limit_bytes.min(MOST_BYTES) }
    }

    pub(super) fn find(&self, key: &OrderKey) -> Option<(u64, Order)> {
        self.kept.lock().orders.get(key).cloned()
    }

    /// Keeps an order. Where there is no room for it, all others go: they are soon made again.
    pub(super) fn keep(&self, key: &OrderKey, version: u64, order: &Order) {
        let size = |order: &Order| OVERHEAD + key.set.bytes() + order.bytes();
        let bytes = size(order);
        if bytes > self.limit_bytes {
            return;
        }
        let mut kept = self.kept.lock();
        if kept.orders.get(key).is_some_and(|(of, _)| *of == version) {
            return;
        }
        let before = kept.orders.remove(key);
        kept.bytes -= before.map_or(0, |(_, before)| size(&before));
        if kept.bytes + bytes > self.limit_bytes {
            *kept = Kept::default();
        }
        kept.orders.insert(key.clone(), (version, order.clone()));
        kept.bytes += bytes;
    }
}
