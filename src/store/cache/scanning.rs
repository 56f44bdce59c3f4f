//! A page by a scan: the records that match are judged and sorted here, for this one request.

use std::collections::HashSet;

use super::SMALL;
use super::backend::{Backend, catch_up};
use super::completion::{complete, fill_in};
use super::embedding::embed;
use super::list_request::ListRequest;
use super::order::{Order, OrderBuilder};
use super::query::Query;
use super::scan::{Scan, Which};
use super::sequence::Sequence;
use super::set_key::Probes;
use super::view::Read;
use crate::record::{RecordId, Value};
use crate::store::{Page, StoreError};

/// A scan may find so many records that match, and keep so many bytes of them.
const MOST_MATCHES: u64 = 1_000_000;
const MOST_BYTES: usize = 128 << 20;
/// How often a page is tried while others write its records.
const TRIES: usize = 32;

/// The page of what matches. `candidates` are all that match as of a version, where that is known and they are few;
/// what they are sorted by is read once, and then only of those that change.
pub(super) async fn page(
    backend: &impl Backend,
    request: &mut ListRequest<'_, '_>,
    query: &Query<'_>,
    candidates: Option<(u64, Vec<RecordId>)>,
) -> Result<Page, StoreError> {
    let named = query.ids.named();
    let _permit = match candidates.is_none() && named.is_none() {
        true => Some(backend.cache().scans.acquire().await.map_err(|_| StoreError::Unavailable)?),
        false => None,
    };
    backend.refresh().await?;
    let is_few = candidates.is_some();
    let known = if is_few { Matches::known(backend, query) } else { None };
    let is_known = known.is_some();
    let mut matches = known.unwrap_or_default();
    match candidates {
        _ if is_known => {}
        Some((version, ids)) => {
            matches.read(backend, query, Which::These(&ids)).await?;
            // What came in before they were read is none of them.
            matches.is_behind = matches.version != version;
            matches.version = matches.version.min(version);
        }
        None => {
            let conditions = query.set.conditions(query.collection);
            let which = named.as_deref().map_or(Which::Meeting(&conditions), Which::These);
            matches.read(backend, query, which).await?;
        }
    }
    let mut earlier: Vec<(u64, Vec<Read>)> = Vec::new();
    for _ in 0..TRIES {
        if !matches.catch_up(backend, query).await? {
            continue;
        }
        if let Some(key) = query.order.as_ref().filter(|_| is_few) {
            backend.cache().small_orders.keep(key, matches.version, &matches.order);
        }
        let found = Sequence::ByKey(&matches.order, 0..matches.order.len()).page(
            query.start,
            query.count,
            query.is_backwards,
        );
        matches.is_behind = true;
        let Some(mut view) = backend.cache().view_of(query.set.collection, matches.version, found) else {
            continue;
        };
        for (read_at, read) in &earlier {
            fill_in(backend, &mut view, *read_at, read);
        }
        earlier.extend(complete(backend, request, &mut view).await?);
        if view.is_complete()
            && let Some(embedded) = embed(backend, request, &view).await?
        {
            return view.assemble(request, &embedded);
        }
    }
    Err(StoreError::Busy)
}

/// The records that match, in their order, as of a version.
#[derive(Default)]
struct Matches {
    order: Order,
    version: u64,
    /// Others may have written since.
    is_behind: bool,
}

impl Matches {
    /// What an earlier request has found, where it is known what has changed since.
    fn known(backend: &impl Backend, query: &Query<'_>) -> Option<Self> {
        let cache = backend.cache();
        let (version, order) = cache.small_orders.find(query.order.as_ref()?)?;
        // First, since it waits for a commit that is being followed; the version alone would not.
        let changed = cache.changed_since(query.set.collection, version)?;
        (changed.len() <= SMALL).then_some(Self { order, version, is_behind: version != cache.version() })
    }

    /// Reads and judges records, and adds those that match.
    async fn read(
        &mut self,
        backend: &impl Backend,
        query: &Query<'_>,
        which: Which<'_>,
    ) -> Result<(), StoreError> {
        let mut builder = OrderBuilder::default();
        let (mut matches, mut has_room) = (0, true);
        let mut each = |id: RecordId, values: &[Value]| {
            let record = Probes::new(id, values);
            if query.ids.takes(id) && query.set.holds(query.collection, &record) {
                builder.push(&query.key(&record), id);
                matches += 1;
                has_room = matches <= MOST_MATCHES && builder.bytes() <= MOST_BYTES;
            }
            has_room
        };
        let scan = Scan::new(query.collection, query.positions(), which);
        self.version = backend.scan(scan, &mut each).await?;
        if !has_room {
            return Err(query.no_room(backend.cache().memory_for(query.order.as_ref())));
        }
        let read = builder.finish();
        if self.order.len() == 0 {
            self.order = read;
        } else {
            read.visit(0..read.len(), |key, ids| {
                for id in ids {
                    self.order.insert(key, *id);
                }
            });
        }
        catch_up(backend, self.version).await
    }

    /// Reads once more what others have written; `false` where they have written still more meanwhile.
    async fn catch_up(&mut self, backend: &impl Backend, query: &Query<'_>) -> Result<bool, StoreError> {
        if !self.is_behind {
            return Ok(true);
        }
        let (cache, collection, since) = (backend.cache(), query.set.collection, self.version);
        backend.refresh().await?;
        let now = cache.version();
        let Some(changed) = cache.changed_since(collection, since) else { return Err(StoreError::Busy) };
        if changed.is_empty() {
            (self.version, self.is_behind) = (now, false);
            return Ok(true);
        }
        self.take_out(&changed);
        let ids: Vec<RecordId> = changed.iter().copied().collect();
        self.read(backend, query, Which::These(&ids)).await?;
        // Of others that have changed it is not known whether that was before or after this read. Up to then all is
        // right, so the next time only these are read.
        let Some(later) = cache.changed_since(collection, now) else { return Err(StoreError::Busy) };
        self.is_behind = !later.is_subset(&changed);
        if self.is_behind {
            self.version = now;
        }
        Ok(!self.is_behind)
    }

    fn take_out(&mut self, ids: &HashSet<RecordId>) {
        let mut found = Vec::new();
        if !ids.is_empty() {
            self.order.visit(0..self.order.len(), |key, group| {
                found.extend(group.iter().filter(|id| ids.contains(id)).map(|id| (key.to_vec(), *id)));
            });
        }
        for (key, id) in found {
            self.order.remove(&key, id);
        }
    }
}
