//! Fetch and list, for every engine: from memory where it knows, else from the database, always of one moment.

use bytes::Bytes;

use super::backend::{Backend, Cost, LONG_PAGE};
use super::blocks::BlockKey;
use super::completion::{complete, fill_in};
use super::embedding::embed;
use super::learning::BuildAfterwards;
use super::list_request::ListRequest;
use super::query::Query;
use super::view::{Read, Wanted};
use super::{learning, scanning, sorting};
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::record::listing::Listing;
use crate::store::{Page, StoreError};

/// What becomes of a page that is tried from memory.
enum Attempt {
    Page(Page),
    Unknown,
    /// Others wrote between each look at memory and each read.
    Outpaced,
}

/// Reads a record that memory does not have.
pub(in crate::store) async fn fetch(
    backend: &impl Backend,
    collection: &Collection,
    id: RecordId,
) -> Result<Option<Bytes>, StoreError> {
    let key = BlockKey::of(collection.position(), id);
    let is_worth_reading = backend.cache().is_worth_reading(key);
    let wanted = if is_worth_reading { Wanted::Block(key) } else { Wanted::Records(key, vec![id]) };
    let (read_at, read) = backend.read_blocks(collection, vec![wanted], &mut |_| true).await?;
    let record = read.first().and_then(|(_, block, _)| block.record(id));
    backend.cache().keep(read_at, read);
    Ok(record)
}

pub(in crate::store) async fn list(
    backend: &impl Backend,
    mut request: ListRequest<'_, '_>,
) -> Result<Page, StoreError> {
    let ListRequest { collection, listing, .. } = request;
    let Some(mut query) = Query::of(collection, listing) else {
        return backend.refresh().await.map(|()| Page::empty());
    };
    if query.search.is_some() {
        query = Box::pin(judge_typos(backend, query, listing)).await?;
    }
    let can_be_counted = query.can_be_counted();
    if can_be_counted && listing.window.is_none() {
        let _permit = backend.limiter().acquire().await?;
        return backend.count_page(&mut request, Cost::Long).await;
    }
    let mut attempt = page_of(backend, &mut request, &query).await?;
    if matches!(attempt, Attempt::Unknown) && query.search.is_some() {
        // What the search finds by itself may have changed since it was judged.
        query = Box::pin(judge_typos(backend, query, listing)).await?;
        attempt = page_of(backend, &mut request, &query).await?;
    }
    let is_known = match attempt {
        Attempt::Page(page) => return Ok(page),
        Attempt::Unknown => false,
        Attempt::Outpaced => true,
    };
    // At most a few records: the database finds them at once.
    if can_be_counted && query.ids.named().is_some() {
        return backend.count_page(&mut request, Cost::Quick).await;
    }
    // Boxed: pages that memory has must not carry along what this needs.
    Box::pin(async move {
        let _permit = backend.limiter().acquire().await?;
        // What it reads must be of the version of something that memory has.
        let _lockstep = backend.cache().lockstep();
        let learned = if is_known { Learned::Nothing } else { learn(backend, &mut request, &query).await? };
        let _afterwards = match learned {
            Learned::Page(page) => return Ok(page),
            Learned::Large => Some(BuildAfterwards { cache: backend.cache(), key: &query.set }),
            Learned::Nothing => None,
        };
        if can_be_counted {
            backend.count_page(&mut request, Cost::Long).await
        } else {
            scanning::page(backend, &mut request, &query, None).await
        }
    })
    .await
}

/// The same list, with typos in the words of its search or without, by what memory knows. That may be old: where it is,
/// the list is not found so.
async fn judge_typos<'a>(
    backend: &impl Backend,
    query: Query<'a>,
    listing: &'a Listing,
) -> Result<Query<'a>, StoreError> {
    let Some(search) = &query.search else { return Ok(query) };
    let forgives_typos = learning::finds_nothing(backend, query.collection, &search.alone).await?;
    if forgives_typos == search.forgives_typos {
        return Ok(query);
    }
    let judged =
        if forgives_typos { query.with_typos(listing) } else { Query::of(query.collection, listing) };
    Ok(judged.unwrap_or(query))
}

/// What came of making a list known to memory.
enum Learned {
    Page(Page),
    /// It is counted this time, and its set is too large to be read meanwhile.
    Large,
    /// Memory cannot have it, or it has changed meanwhile.
    Nothing,
}

/// Sees to it that memory knows the list, unless it can be counted and its set is large.
async fn learn(
    backend: &impl Backend,
    request: &mut ListRequest<'_, '_>,
    query: &Query<'_>,
) -> Result<Learned, StoreError> {
    let is_known = match &query.order {
        Some(order) => match sorting::learn(backend, query, order).await? {
            sorting::Learned::Order => true,
            sorting::Learned::Few(candidates) => {
                return scanning::page(backend, request, query, Some(candidates)).await.map(Learned::Page);
            }
            sorting::Learned::Nothing => false,
        },
        None if query.ids.named().is_some() => false,
        // A list that can be counted need not wait for a large set.
        None if query.can_be_counted() => {
            if !learning::learn(backend, query.collection, &query.set).await? {
                return Ok(Learned::Large);
            }
            true
        }
        None => learn_sets(backend, query).await?,
    };
    if !is_known {
        return Ok(Learned::Nothing);
    }
    Ok(match page_of(backend, request, query).await? {
        Attempt::Page(page) => Learned::Page(page),
        Attempt::Unknown | Attempt::Outpaced => Learned::Nothing,
    })
}

/// Sees to it that the sets of a list are known.
async fn learn_sets(backend: &impl Backend, query: &Query<'_>) -> Result<bool, StoreError> {
    let parts = query.search.as_ref().and_then(|search| search.parts.as_ref());
    let sets = parts.map_or(std::slice::from_ref(&query.set), |parts| parts);
    for set in sets {
        if !sorting::learn_set(backend, query, set).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The page of a list that memory knows. Its ids and the blocks that are at hand are of one version; what is read for
/// the missing ones completes it where none of their records was changed in between.
async fn page_of<B: Backend>(
    backend: &B,
    request: &mut ListRequest<'_, '_>,
    query: &Query<'_>,
) -> Result<Attempt, StoreError> {
    let cache = backend.cache();
    let tries = if query.count > LONG_PAGE { B::TRIES_OF_A_LONG_PAGE } else { B::TRIES };
    let mut earlier: Vec<(u64, Vec<Read>)> = Vec::new();
    for _ in 0..tries {
        backend.refresh().await?;
        let Some(mut view) = cache.view(query) else { return Ok(Attempt::Unknown) };
        for (read_at, read) in &earlier {
            fill_in(backend, &mut view, *read_at, read);
        }
        if let Some(read) = complete(backend, request, &mut view).await? {
            earlier.push(read);
        }
        if view.is_complete()
            && let Some(embedded) = embed(backend, request, &view).await?
        {
            return view.assemble(request, &embedded).map(Attempt::Page);
        }
    }
    // What is shown with the records would have to be held as well.
    let held = if query.is_expanded { None } else { backend.page_held(request, query)? };
    Ok(held.map_or(Attempt::Outpaced, Attempt::Page))
}
