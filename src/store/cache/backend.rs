//! What the read path asks of an engine.

use super::Cache;
use super::ids::Ids;
use super::list_request::ListRequest;
use super::order_key::OrderKey;
use super::query::Query;
use super::scan::{Each, Scan};
use super::set_key::SetKey;
use super::view::{Read, Wanted};
use crate::catalog::collection::Collection;
use crate::record::listing::{Column, Condition};
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

    /// Reads some fields of records of one moment, with the version they are of.
    async fn scan(&self, scan: Scan<'_>, each: &mut Each<'_>) -> Result<u64, StoreError>;

    /// The total and the page by counting: of one moment.
    async fn count_page(&self, request: &mut ListRequest<'_, '_>, cost: Cost) -> Result<Page, StoreError>;

    /// Waits until a large set is built, or cannot be. For who has a permit to read.
    async fn build(&self, key: &SetKey) -> Result<(), StoreError> {
        self.limiter().step_out(self.cache().builds.build(key.clone())).await?
    }

    /// Waits until an order is made, or cannot be. For who has a permit to read.
    async fn make_order(&self, key: &OrderKey) -> Result<(), StoreError> {
        self.limiter().step_out(self.cache().builds.make_order(key.clone())).await?
    }

    /// The page of a known list while no commit is applied; `None` where others than this process write, too.
    fn page_held(
        &self,
        _request: &mut ListRequest<'_, '_>,
        _query: &Query<'_>,
    ) -> Result<Option<Page>, StoreError> {
        Ok(None)
    }
}

/// Conditions, and the place of the one whose index is to be used, for a database that does not pick it.
#[derive(Clone, Copy)]
pub(in crate::store) struct Matching<'a> {
    pub(in crate::store) collection: &'a Collection,
    pub(in crate::store) conditions: &'a [(Column, Condition)],
    pub(in crate::store) driver: Option<usize>,
}

impl<'a> Matching<'a> {
    /// What a record must meet.
    pub(in crate::store) fn conditions(&self) -> impl Iterator<Item = (Column, &'a Condition)> {
        self.conditions.iter().map(|(on, condition)| (*on, condition))
    }
}

/// How long a read takes, as far as can be foreseen: what is quick must not wait behind what is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Cost {
    Quick,
    Long,
}

/// Brings memory up to what was read: only what is of its own version can be kept.
pub(in crate::store) async fn catch_up(backend: &impl Backend, read_at: u64) -> Result<(), StoreError> {
    if backend.cache().version() < read_at { backend.refresh().await } else { Ok(()) }
}
