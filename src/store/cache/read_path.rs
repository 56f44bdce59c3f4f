//! Fetch and list, for every engine: from memory where it knows, else from the database, always of one moment.

use bytes::Bytes;

use super::backend::{Backend, Cost, LONG_PAGE, ListRequest, catch_up};
use super::blocks::BlockKey;
use super::learning;
use super::lookup::Lookup;
use super::sets::SetKey;
use super::view::Wanted;
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::record::listing::Window;
use crate::store::{Page, StoreError};

/// What becomes of a page that is tried from memory.
enum Attempt {
    Page(Page),
    UnknownSet,
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
    let Some(window) = listing.window else {
        let _permit = backend.limiter().acquire().await?;
        return backend.count_page(&mut request, Cost::Long).await;
    };
    let key = match SetKey::of(collection, &listing.filters) {
        Lookup::Set(key) => key,
        Lookup::Nothing => return backend.refresh().await.map(|()| Page::empty()),
        // At most one record: the database finds it at once.
        Lookup::OneId => return backend.count_page(&mut request, Cost::Quick).await,
    };
    let is_known = match page_of(backend, &mut request, &key, window).await? {
        Attempt::Page(page) => return Ok(page),
        Attempt::UnknownSet => false,
        Attempt::Outpaced => true,
    };
    // Boxed: pages that memory has must not carry along what this needs.
    Box::pin(async move {
        let _permit = backend.limiter().acquire().await?;
        if !is_known
            && learning::learn(backend, collection, &listing.filters, &key).await?
            && let Attempt::Page(page) = page_of(backend, &mut request, &key, window).await?
        {
            return Ok(page);
        }
        backend.count_page(&mut request, Cost::Long).await
    })
    .await
}

/// The page of a set, if it is known. Its ids and the blocks that are at hand are of one version; where the missing
/// ones are of another, somebody wrote in between.
async fn page_of<B: Backend>(
    backend: &B,
    request: &mut ListRequest<'_, '_>,
    key: &SetKey,
    window: Window,
) -> Result<Attempt, StoreError> {
    let cache = backend.cache();
    let tries = if window.count > LONG_PAGE { B::TRIES_OF_A_LONG_PAGE } else { B::TRIES };
    for _ in 0..tries {
        backend.refresh().await?;
        let Some(mut view) = cache.view(key, window) else { return Ok(Attempt::UnknownSet) };
        let wanted = view.missing(|key| cache.is_worth_reading(key));
        if wanted.is_empty() {
            return view.assemble(request.room).map(Attempt::Page);
        }
        let (read_at, read) = backend.read_blocks(request.collection, wanted, request.room).await?;
        catch_up(backend, read_at).await?;
        view.fill_in(&read);
        cache.keep(read_at, read);
        if read_at == view.version {
            return view.assemble(request.room).map(Attempt::Page);
        }
    }
    let held = backend.page_held(request, key, window)?;
    Ok(held.map_or(Attempt::Outpaced, Attempt::Page))
}
