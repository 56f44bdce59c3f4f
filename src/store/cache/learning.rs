//! The first time that a filter is asked for: the set that it matches becomes known where that costs no more than
//! counting, and is built in the background where it is large.

use super::backend::{Backend, Matching, catch_up};
use super::ids::{Ids, IdsBuilder};
use super::order::Order;
use super::order_key::OrderKey;
use super::order_making;
use super::scan::{Scan, Which};
use super::searching;
use super::set_key::{Probes, SetKey};
use super::slice;
use super::sort_key::KeptSort;
use super::{Cache, SMALL};
use crate::catalog::collection::Collection;
use crate::record::fold;
use crate::record::listing::{Column, Condition};
use crate::store::StoreError;

/// Sees to it that a set is known, but for one of a single condition that matches much: whoever asks has that built.
/// Says whether it is known.
pub(super) async fn learn(
    backend: &impl Backend,
    collection: &Collection,
    key: &SetKey,
) -> Result<bool, StoreError> {
    // Somebody else may have seen to it while this reader waited to be let in.
    if backend.cache().count(key).is_some() {
        return Ok(true);
    }
    let conditions = key.conditions(collection);
    let all = Matching { collection, conditions: &conditions, driver: None };
    if key.is_folded() {
        return learn_folded(backend, all, key).await;
    }
    if conditions.len() > 1 {
        return learn_combination(backend, all, key).await;
    }
    Ok(!key.is_all() && learn_small(backend, all, key).await?.is_some())
}

/// Asks for a set that is too large to be read at once when this is dropped: when the list is counted, or nobody waits
/// for that any more. Not earlier: who builds reads the same as who counts, and takes its time.
pub(super) struct BuildAfterwards<'a> {
    pub(super) cache: &'a Cache,
    pub(super) key: &'a SetKey,
}

impl Drop for BuildAfterwards<'_> {
    fn drop(&mut self) {
        request(self.cache, self.key);
    }
}

/// Asks for a set that is too large to be read at once. Several conditions were tried together by then. All ids are
/// being built since the start, or were forgotten since: then they are asked for again.
fn request(cache: &Cache, key: &SetKey) {
    if key.conditions.len() <= 1 {
        cache.builds.request(key.clone());
    }
}

/// Whether a search finds nothing without typos, as far as memory has followed.
pub(super) async fn finds_nothing(
    backend: &impl Backend,
    collection: &Collection,
    search: &SetKey,
) -> Result<bool, StoreError> {
    let cache = backend.cache();
    if cache.count(search).is_none() {
        backend.refresh().await?;
        let _permit = backend.limiter().acquire().await?;
        Box::pin(learn(backend, collection, search)).await?;
    }
    if let Some(number) = cache.count(search) {
        return Ok(number == 0);
    }
    // There is no room for the set, but for the words there is always.
    let (Some(words), Some(search)) = (cache.order(&OrderKey::of_words(collection)), search.search()) else {
        return Ok(false);
    };
    Ok(tokio::task::block_in_place(|| searching::matching(&words, search)).len() == 0)
}

/// Reads the set of some conditions, if it is small, and says how many ids it has.
async fn learn_small(
    backend: &impl Backend,
    matching: Matching<'_>,
    key: &SetKey,
) -> Result<Option<u64>, StoreError> {
    let Some((read_at, ids)) = backend.matching(matching, SMALL).await? else { return Ok(None) };
    let number = ids.len();
    catch_up(backend, read_at).await?;
    backend.cache().keep_set(read_at, key.clone(), ids);
    Ok(Some(number))
}

/// Several conditions together: by way of one that matches little, or else as an intersection.
async fn learn_combination<B: Backend>(
    backend: &B,
    all: Matching<'_>,
    key: &SetKey,
) -> Result<bool, StoreError> {
    let cache = backend.cache();
    let singles = key.parts();
    if cache.intersect(key, &singles) || (B::PICKS_INDEX && learn_small(backend, all, key).await?.is_some()) {
        return Ok(true);
    }
    let mut smallest: Option<(u64, usize)> = None;
    for (place, single) in singles.iter().enumerate() {
        let number = match cache.count(single) {
            Some(number) => Some(number),
            None => {
                let conditions = &all.conditions[place..=place];
                learn_small(backend, Matching { conditions, ..all }, single).await?
            }
        };
        smallest = smallest.into_iter().chain(number.map(|number| (number, place))).min();
    }
    if let Some((number, place)) = smallest
        && number <= SMALL as u64
    {
        return Ok(learn_small(backend, Matching { driver: Some(place), ..all }, key).await?.is_some());
    }
    for single in &singles {
        if cache.count(single).is_none() {
            backend.build(single).await?;
        }
    }
    Ok(cache.intersect(key, &singles))
}

/// Conditions on the fold of texts, which the database cannot tell: by way of the others where these match little, or
/// else each by the order of its field.
async fn learn_folded(backend: &impl Backend, all: Matching<'_>, key: &SetKey) -> Result<bool, StoreError> {
    let cache = backend.cache();
    let (folded, plain): (Vec<SetKey>, Vec<SetKey>) = key.parts().into_iter().partition(SetKey::is_folded);
    if let Some(rest) = key.without_folded().filter(|rest| !rest.is_all()) {
        if !Box::pin(learn(backend, all.collection, &rest)).await? {
            request(cache, &rest);
        }
        if let Some((version, candidates)) = cache.few(&rest) {
            let scan = Scan::new(all.collection, key.positions(all.collection), Which::These(&candidates));
            let mut ids = Ids::default();
            let read_at = backend
                .scan(scan, &mut |id, values| {
                    if key.holds(all.collection, &Probes::new(id, values)) {
                        ids.insert(id);
                    }
                    true
                })
                .await?;
            catch_up(backend, read_at).await?;
            if read_at == version {
                cache.keep_set(read_at, key.clone(), ids);
                return Ok(cache.count(key).is_some());
            }
        }
    }
    for single in &folded {
        if cache.count(single).is_none() {
            learn_by_order(backend, all.collection, single).await?;
        }
    }
    for single in &plain {
        if cache.count(single).is_none() && !Box::pin(learn(backend, all.collection, single)).await? {
            backend.build(single).await?;
        }
    }
    if folded.len() + plain.len() > 1 {
        cache.intersect(key, &[folded, plain].concat());
    }
    Ok(cache.count(key).is_some())
}

/// One condition on the fold of a text, by the order of its field; by a scan where there is no room for that.
async fn learn_by_order(
    backend: &impl Backend,
    collection: &Collection,
    key: &SetKey,
) -> Result<(), StoreError> {
    let cache = backend.cache();
    let order = match key.conditions.first() {
        Some((Column::Field(position), _)) => {
            OrderKey { set: SetKey::all_of(key.collection), sort: KeptSort::ascending(*position) }
        }
        Some((Column::Words, _)) => OrderKey::of_words(collection),
        Some((Column::Id, _)) | None => return Ok(()),
    };
    let Some((_, condition)) = key.conditions.first() else { return Ok(()) };
    if !order_making::make(backend, collection, &order).await? {
        return backend.build(key).await;
    }
    let Some(number) = cache.begin_build(key.clone()) else {
        return backend.limiter().step_out(cache.wait_for_set(key)).await;
    };
    let ids = cache
        .order(&order)
        .and_then(|kept| tokio::task::block_in_place(|| ids_in(&kept, &order.sort, collection, condition)));
    match ids {
        Some(ids) => cache.finish_build(number, ids),
        None => {
            cache.abandon_build(number);
            backend.build(key).await?;
        }
    }
    Ok(())
}

/// The records whose field meets a condition; `None` where its order does not tell.
fn ids_in(order: &Order, sort: &KeptSort, collection: &Collection, condition: &Condition) -> Option<Ids> {
    let mut ids = IdsBuilder::default();
    if slice::is_slice(condition) {
        let ranks = slice::ranks(order, sort, collection, [condition].into_iter());
        order.visit(ranks, |_, found| ids.extend(found));
        return Some(ids.finish());
    }
    if let Condition::Search(search) = condition {
        return Some(searching::matching(order, search));
    }
    let Condition::Contains(text) = condition else { return None };
    let mut is_told = true;
    order.visit(slice::values(order, sort, collection), |key, found| {
        let key = String::from_utf8_lossy(key.get(sort.value_at(collection)..).unwrap_or_default());
        if key.contains(text.as_str()) {
            ids.extend(found);
        } else {
            // The rest of a long text may hold it.
            is_told &= key.chars().nth(fold::KEY_CHARS - 1).is_none();
        }
    });
    is_told.then(|| ids.finish())
}
