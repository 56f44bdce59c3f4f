//! The first time that a filter is asked for: the set that it matches becomes known where that costs no more than
//! counting, and is built in the background where it is large.

use super::backend::{Backend, Matching, catch_up};
use super::lookup::Lookup;
use super::sets::SetKey;
use crate::catalog::collection::Collection;
use crate::record::listing::Filter;
use crate::store::StoreError;

/// A filter that matches at most so many records is read at once; a larger set is read in the background.
const SMALL: usize = 1_000;

/// Sees to it that the next time is cheap. Says whether this time already is: whether the set is known now.
pub(super) async fn learn(
    backend: &impl Backend,
    collection: &Collection,
    filters: &[Filter],
    key: &SetKey,
) -> Result<bool, StoreError> {
    // Somebody else may have seen to it while this reader waited to be let in.
    if backend.cache().count(key).is_some() {
        return Ok(true);
    }
    let all = Matching { collection, filters, driver: None };
    if key.fields.len() > 1 {
        return learn_combination(backend, all, key).await;
    }
    // All ids are being built since the start, or were forgotten since: then they are asked for again.
    let is_small = !key.fields.is_empty() && learn_small(backend, all, key).await?.is_some();
    if !is_small {
        backend.cache().builds.request(key.clone());
    }
    Ok(is_small)
}

/// Reads the set of some filters, if it is small, and says how many ids it has.
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

/// Several filters together: by way of one that matches little, or else as an intersection.
async fn learn_combination<B: Backend>(
    backend: &B,
    all: Matching<'_>,
    key: &SetKey,
) -> Result<bool, StoreError> {
    let cache = backend.cache();
    let mut singles = Vec::with_capacity(key.fields.len());
    for filters in all.filters.chunks(1) {
        let Lookup::Set(single) = SetKey::of(all.collection, filters) else { return Ok(false) };
        singles.push(single);
    }
    if cache.intersect(key, &singles) || (B::PICKS_INDEX && learn_small(backend, all, key).await?.is_some()) {
        return Ok(true);
    }
    let mut smallest: Option<(u64, usize)> = None;
    for (place, single) in singles.iter().enumerate() {
        let number = match cache.count(single) {
            Some(number) => Some(number),
            None => {
                learn_small(backend, Matching { filters: &all.filters[place..=place], ..all }, single).await?
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
