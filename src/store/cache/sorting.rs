//! The first time that a sort is asked for: its order becomes known.

use tokio::time::timeout;

use super::backend::Backend;
use super::learning;
use super::order_key::OrderKey;
use super::order_making::{WAIT, make};
use super::query::Query;
use super::set_key::SetKey;
use crate::record::RecordId;
use crate::store::StoreError;

/// So many matches of a filter are sorted for each request, even where an order of them could be made from that of all
/// records: there are many such filters, and few orders are kept.
const AT_ONCE: usize = 100;

/// What is known of a sorted list.
pub(super) enum Learned {
    /// Its order.
    Order,
    /// These records match, as of a version: so few that no order is made.
    Few((u64, Vec<RecordId>)),
    Nothing,
}

/// Sees to it that the order of a list is known, unless few records match or there is no room.
pub(super) async fn learn(
    backend: &impl Backend,
    query: &Query<'_>,
    order: &OrderKey,
) -> Result<Learned, StoreError> {
    let cache = backend.cache();
    if let Some(slice) = &query.slice
        && slice.order.set.is_all()
        && query.set.is_folded()
    {
        let is_made = make(backend, query.collection, &slice.order).await?;
        return Ok(if is_made { Learned::Order } else { Learned::Nothing });
    }
    if !order.set.is_all() {
        learn_set(backend, query, &order.set).await?;
    }
    let few = cache.few(&order.set);
    if let Some((_, ids)) = &few
        && !order.set.is_all()
        && (ids.len() <= AT_ONCE || !cache.has_order(&order.of_all()))
    {
        return Ok(few.map_or(Learned::Nothing, Learned::Few));
    }
    if !make(backend, query.collection, &order.of_all()).await? {
        return Ok(few.map_or(Learned::Nothing, Learned::Few));
    }
    if !order.set.is_all() {
        timeout(WAIT, make_part(backend, order)).await.map_err(|_| query.being_made())??;
    }
    Ok(if cache.has_order(order) { Learned::Order } else { Learned::Nothing })
}

/// Sees to it that a set of a list is known, however large it is; says whether there was room for it.
pub(super) async fn learn_set(
    backend: &impl Backend,
    query: &Query<'_>,
    set: &SetKey,
) -> Result<bool, StoreError> {
    let learning = async {
        if learning::learn(backend, query.collection, set).await? {
            return Ok(());
        }
        backend.build(set).await
    };
    timeout(WAIT, learning).await.map_err(|_| query.being_made())??;
    Ok(backend.cache().count(set).is_some())
}

/// Makes the order of a part of the records from the order of all, without the database.
async fn make_part(backend: &impl Backend, order: &OrderKey) -> Result<(), StoreError> {
    let cache = backend.cache();
    let Some(number) = cache.begin_order(order) else {
        return backend.limiter().step_out(cache.wait_for_order(order)).await;
    };
    match cache.order_and_set(&order.of_all(), &order.set) {
        Some((all, ids)) => cache.finish_order(number, tokio::task::block_in_place(|| all.subset(&ids))),
        None => cache.abandon_order(number, None),
    }
    Ok(())
}
