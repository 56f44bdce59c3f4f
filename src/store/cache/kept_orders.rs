//! When the orders that stay (`keep_order`, the words of a search) are made: at once, and again where memory had to
//! forget them, but for no more than a tenth of the time.

use std::time::Instant;

use super::orders::OrderKey;

/// For so many times as long as it took to make one, none is made in its place: where a tool makes memory forget a
/// collection again and again, its orders would be made all the time.
const REST: u32 = 9;

/// The orders that stay, each with the moment from which on it may be made.
pub(super) struct KeptOrders(Vec<(OrderKey, Instant)>);

impl KeptOrders {
    pub(super) fn new(keys: Vec<OrderKey>) -> Self {
        let now = Instant::now();
        Self(keys.into_iter().map(|key| (key, now)).collect())
    }

    /// One that is missing and may be made.
    pub(super) fn due(&self, is_there: impl Fn(&OrderKey) -> bool) -> Option<OrderKey> {
        let now = Instant::now();
        let due = self.0.iter().find(|(key, from)| *from <= now && !is_there(key));
        due.map(|(key, _)| key.clone())
    }

    /// Says that one was made, or tried, since `begun`.
    pub(super) fn rest(&mut self, key: &OrderKey, begun: Instant) {
        let from = Instant::now() + begun.elapsed() * REST;
        self.0.iter_mut().filter(|(other, _)| other == key).for_each(|(_, earliest)| *earliest = from);
    }
}
