//! Has an order made, and waits for it.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::backend::Backend;
use super::order_key::OrderKey;
use crate::catalog::collection::Collection;
use crate::store::StoreError;

/// How long a request waits until an order is made.
pub(super) const WAIT: Duration = Duration::from_secs(5);
/// An order that was made may have been dropped again before it was used.
const TRIES: usize = 3;

/// Makes the order of all records of a collection; `false` where there is no room for it.
pub(super) async fn make(
    backend: &impl Backend,
    collection: &Collection,
    order: &OrderKey,
) -> Result<bool, StoreError> {
    let cache = backend.cache();
    let deadline = Instant::now() + WAIT;
    for _ in 0..TRIES {
        if !cache.is_order_awaited(order) {
            break;
        }
        let made = timeout_at(deadline, backend.make_order(order)).await;
        made.map_err(|_| StoreError::OrderBeingMade {
            collection: collection.name().to_owned(),
            sort: order.sort.names(collection),
        })??;
    }
    Ok(cache.has_order(order))
}
