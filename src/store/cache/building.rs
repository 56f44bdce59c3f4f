//! What is built beside reads and writes: sets and orders. Each is announced, so that what changes meanwhile is remembered
//! for it, and then finished or given up.

use super::ids::Ids;
use super::order::Order;
use super::order_key::OrderKey;
use super::set_key::SetKey;
use super::too_large::Lack;
use super::{Cache, SHARE_OF_ORDERS, State};

/// About what a set of more than a million ids takes.
const SOME_SET: usize = 2 << 20;

impl Cache {
    /// Keeps a set that was read at `version`, unless something has changed since.
    pub(in crate::store) fn keep_set(&self, version: u64, key: SetKey, ids: Ids) {
        let mut state = self.change();
        if state.version == version {
            state.sets.publish(key, ids);
        }
    }

    /// Makes the set of those that are in all of these sets, if all are known.
    pub(in crate::store) fn intersect(&self, key: &SetKey, singles: &[SetKey]) -> bool {
        let mut state = self.change();
        let mut known: Vec<&Ids> = Vec::with_capacity(singles.len());
        for single in singles {
            match state.sets.find(single) {
                Some(ids) => known.push(ids),
                None => return false,
            }
        }
        known.sort_by_key(|ids| ids.len());
        let Some((smallest, others)) = known.split_first() else { return false };
        let mut both = (*smallest).clone();
        for other in others {
            both = both.intersection(other);
        }
        state.sets.publish(key.clone(), both);
        true
    }

    pub(in crate::store) fn begin_build(&self, key: SetKey) -> Option<u64> {
        self.change().sets.begin_build(key)
    }

    pub(in crate::store) fn finish_build(&self, number: u64, ids: Ids) {
        self.change().sets.finish_build(number, ids);
        self.made.notify_waiters();
    }

    pub(in crate::store) fn abandon_build(&self, number: u64) {
        self.change().sets.abandon_build(number);
        self.made.notify_waiters();
    }

    /// Asks for what is always there but where a collection was forgotten: its ids, and the orders that stay.
    pub(in crate::store) fn request_forgotten(&self) {
        let sets = (0..self.catalog.collections().len()).map(SetKey::all_of);
        sets.filter(|all| self.count(all).is_none()).for_each(|all| self.builds.request(all));
        if self.lacks_kept_order() {
            self.builds.request_kept();
        }
    }

    /// Whether an order is missing that stays.
    pub(in crate::store) fn lacks_kept_order(&self) -> bool {
        self.kept_orders().iter().any(|key| !self.has_order(key))
    }

    /// Whether an order is known.
    pub(super) fn has_order(&self, key: &OrderKey) -> bool {
        self.known().is_some_and(|state| state.orders.find(key).is_some())
    }

    /// Waits while somebody else reads a set.
    pub(in crate::store) async fn wait_for_set(&self, key: &SetKey) {
        self.wait_while(|state| state.sets.is_under_way(key)).await;
    }

    /// Waits while somebody else makes an order.
    pub(in crate::store) async fn wait_for_order(&self, key: &OrderKey) {
        self.wait_while(|state| state.orders.is_under_way(key)).await;
    }

    async fn wait_while(&self, is_under_way: impl Fn(&State) -> bool) {
        loop {
            // Before the look: nothing that ends in between is missed.
            let made = self.made.notified();
            if !self.known().is_some_and(|state| is_under_way(&state)) {
                return;
            }
            made.await;
        }
    }

    /// Whether an order is neither there nor refused.
    pub(in crate::store) fn is_order_awaited(&self, key: &OrderKey) -> bool {
        !self.has_order(key) && self.order_lacks(key).is_none()
    }

    /// An order, and the ids of a set, of one moment. Both are copied in no time, or nearly so.
    pub(super) fn order_and_set(&self, order: &OrderKey, set: &SetKey) -> Option<(Order, Ids)> {
        let state = self.known()?;
        Some((state.orders.find(order)?.clone(), state.sets.find(set)?.clone()))
    }

    /// An order.
    pub(super) fn order(&self, key: &OrderKey) -> Option<Order> {
        Some(self.known()?.orders.find(key)?.clone())
    }

    pub(in crate::store) fn begin_order(&self, key: &OrderKey) -> Option<u64> {
        self.change().orders.begin_build(key)
    }

    /// Whether an order that was announced is still to be made: its collection may have been forgotten.
    pub(super) fn is_order_announced(&self, number: u64) -> bool {
        self.known().is_some_and(|state| state.orders.is_announced(number))
    }

    pub(in crate::store) fn finish_order(&self, number: u64, order: Order) {
        let mut state = self.change();
        state.orders.finish_build(number, order);
        self.blocks.leave_room(state.orders.evictable_bytes());
        self.made.notify_waiters();
    }

    pub(in crate::store) fn abandon_order(&self, number: u64, lacks: Option<Lack>) {
        self.change().orders.abandon_build(number, lacks);
        self.made.notify_waiters();
    }

    /// The orders that stay, whatever they take.
    pub(super) fn kept_orders(&self) -> Vec<OrderKey> {
        self.state.read_anyway().orders.kept().to_vec()
    }

    /// How much all orders may take.
    pub(in crate::store) fn limit_of_orders(&self) -> usize {
        self.state.read_anyway().orders.limit_bytes()
    }

    /// How much more memory there would have to be for an order that did not fit, or for a set.
    pub(super) fn memory_for(&self, order: Option<&OrderKey>) -> u64 {
        let lacks = order.and_then(|order| self.order_lacks(&order.of_all())).unwrap_or(SOME_SET);
        // Neither may take more than its share.
        (lacks * SHARE_OF_ORDERS) as u64
    }

    /// How many bytes more than there are an order would take, where it was tried and did not fit.
    pub(super) fn order_lacks(&self, key: &OrderKey) -> Option<usize> {
        self.known()?.orders.lacks(key)
    }
}
