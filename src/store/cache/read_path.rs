//! Fetch and list, for every engine: from memory where it knows, else from the database, always of one moment.

use bytes::Bytes;

use super::Cache;
use super::blocks::BlockKey;
use super::ids::Ids;
use super::learning;
use super::lookup::Lookup;
use super::sets::SetKey;
use super::view::{Read, Wanted};
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::record::listing::{Filter, Listing, Window};
use crate::store::read_limiter::ReadLimiter;
use crate::store::{Page, Room, StoreError};

/// A page of more records takes long to read.
pub(in crate::store) const LONG_PAGE: u64 = 256;

/// What the read path asks of an engine: statements and rows.
///
/// Whatever one of the methods has read may be told to a client: no later reader finds it undone.
pub(in crate::store) trait Backend {
    /// How often a page is tried from memory while others write. A long page takes long to read, so that somebody
    /// writes meanwhile nearly every time.
    const TRIES: usize;
    const TRIES_OF_A_LONG_PAGE: usize;
    /// Whether the database picks the index to use where several filters are given.
    const PICKS_INDEX: bool;

    fn cache(&self) -> &Cache;

    fn limiter(&self) -> &ReadLimiter;

    /// Waits until memory is as new as the database was after this call.
    async fn refresh(&self) -> Result<(), StoreError>;

    /// Reads blocks of one moment, in the order in which they are wanted, with the version they are of.
    async fn read_blocks(
        &self,
        collection: &Collection,
        wanted: Vec<Wanted>,
        room: &mut Room<'_>,
    ) -> Result<(u64, Vec<Read>), StoreError>;

    /// The ids of the records that match, with the version they are of; `None` where there are more than `most`.
    async fn matching(&self, matching: Matching<'_>, most: usize) -> Result<Option<(u64, Ids)>, StoreError>;

    /// The total and the page by counting: of one moment.
    async fn count_page(&self, request: &mut ListRequest<'_, '_>, cost: Cost) -> Result<Page, StoreError>;

    /// Waits until a large set is built, or cannot be.
    async fn build(&self, key: &SetKey) -> Result<(), StoreError> {
        self.cache().builds.build(key.clone()).await
    }

    /// The page of a known set while no commit is applied; `None` where others than this process write, too.
    fn page_held(
        &self,
        _request: &mut ListRequest<'_, '_>,
        _key: &SetKey,
        _window: Window,
    ) -> Result<Option<Page>, StoreError> {
        Ok(None)
    }
}

/// What to list, and where to ask for room.
pub(in crate::store) struct ListRequest<'a, 'b> {
    pub(in crate::store) collection: &'a Collection,
    pub(in crate::store) listing: &'a Listing,
    pub(in crate::store) room: &'a mut Room<'b>,
}

/// Filters, and the place of the one whose index is to be used, for a database that does not pick it.
#[derive(Clone, Copy)]
pub(in crate::store) struct Matching<'a> {
    pub(in crate::store) collection: &'a Collection,
    pub(in crate::store) filters: &'a [Filter],
    pub(in crate::store) driver: Option<usize>,
}

/// How long a read takes, as far as can be foreseen: what is quick must not wait behind what is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Cost {
    Quick,
    Long,
}

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
        let wanted = view.missing(cache);
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

/// Brings memory up to what was read: only what is of its own version can be kept.
pub(in crate::store) async fn catch_up(backend: &impl Backend, read_at: u64) -> Result<(), StoreError> {
    if backend.cache().version() < read_at { backend.refresh().await } else { Ok(()) }
}
