//! When the orders that stay (`keep_order`, the words of a search) are made: at once, and again where memory had to
//! forget them, but for no more than a tenth of the time.

use std::time::{Duration, Instant};

use super::order_key::OrderKey;

/// For so many times as long as it took to make one, and for as many orders as there are, none is made in its place:
/// where a tool makes memory forget a collection again and again, its orders would be made all the time.
const REST: u32 = 9;
/// One that could not be made at all is not tried again at once, either.
const LEAST_REST: Duration = Duration::from_secs(1);

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

    /// Notes that one was made, or tried, since `begun`.
    pub(super) fn note_made(&mut self, key: &OrderKey, begun: Instant) {
        let orders = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let rest = begun.elapsed().saturating_mul(orders.saturating_mul(REST));
        let now = Instant::now();
        let from = now.checked_add(rest.max(LEAST_REST)).unwrap_or(now);
        self.0.iter_mut().filter(|(other, _)| other == key).for_each(|(_, earliest)| *earliest = from);
    }
}
