//! Reading: the statements and rows of the read path, on lent connections, each inside one transaction.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use rusqlite::{Connection, params_from_iter};

use super::Sqlite;
use super::kind::Bound;
use super::row;
use super::set_reader::{self, read_ids, taken};
use super::version;
use crate::catalog::collection::Collection;
use crate::record::{RecordId, Value};
use crate::store::cache::Cache;
use crate::store::cache::backend::{Backend, Cost, Matching};
use crate::store::cache::blocks::{BlockBuilder, BlockKey};
use crate::store::cache::embedded::Embedded;
use crate::store::cache::ids::Ids;
use crate::store::cache::list_request::ListRequest;
use crate::store::cache::order_key::OrderKey;
use crate::store::cache::query::Query;
use crate::store::cache::scan::{Each, Scan};
use crate::store::cache::set_key::SetKey;
use crate::store::cache::view::{Read, Wanted};
use crate::store::page::{Meter, PageBuilder};
use crate::store::read_limiter::ReadLimiter;
use crate::store::sqlite::sql;
use crate::store::{Page, Room, StoreError};

/// The order of more records is made in the background.
const LARGE: u64 = 200_000;

impl Sqlite {
    /// What memory knows of a record, at once; the outer `None` where it does not. Memory is locked before anybody hears
    /// of a commit, until it has followed, so what it gives needs no confirmation.
    pub(in crate::store) fn fetch_known(
        &self,
        collection: &Collection,
        id: RecordId,
    ) -> Option<Option<Bytes>> {
        let position = collection.position();
        match self.cache.block(BlockKey::of(position, id)) {
            Some(block) => Some(block.record(id)),
            None => (self.cache.lives(position, id) == Some(false)).then_some(None),
        }
    }
}

/// Memory waits for no question, but who reads a commit in the database waits until memory has it as well
/// ([`Cache::wait_for`]).
impl Backend for Sqlite {
    /// Then the writing thread is held up.
    const TRIES: usize = 3;
    const TRIES_OF_A_LONG_PAGE: usize = 3;
    /// It has no statistics.
    const PICKS_INDEX: bool = false;

    fn cache(&self) -> &Cache {
        &self.cache
    }

    fn limiter(&self) -> &ReadLimiter {
        &self.limiter
    }

    /// Memory follows every commit before anybody reads from it who may have heard of that.
    async fn refresh(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// On this thread: a read by id is over before a switch to another would be.
    async fn read_blocks(
        &self,
        collection: &Collection,
        wanted: Vec<Wanted>,
        room: &mut Room<'_>,
    ) -> Result<(u64, Vec<Read>), StoreError> {
        let (read_at, read) = self.read_blocks_now(collection, wanted, room)?;
        self.cache.wait_for(read_at)?;
        Ok((read_at, read))
    }

    async fn matching(&self, matching: Matching<'_>, most: usize) -> Result<Option<(u64, Ids)>, StoreError> {
        let (text, values) = sql::matching(matching.collection, matching.conditions(), matching.driver);
        let text = format!("{text} LIMIT {}", most + 1);
        let (read_at, rows, ids) = tokio::task::block_in_place(|| {
            let connection = self.readers.lend();
            read_ids(&connection, &text, values).map_err(broken)
        })?;
        self.cache.wait_for(read_at)?;
        Ok((rows <= most).then_some((read_at, ids)))
    }

    async fn scan(&self, scan: Scan<'_>, each: &mut Each<'_>) -> Result<u64, StoreError> {
        let read_at = tokio::task::block_in_place(|| {
            let connection = self.readers.lend();
            set_reader::scan(&connection, &self.observer, scan, each).map_err(broken)
        })?;
        self.cache.wait_for(read_at)?;
        Ok(read_at)
    }

    /// By two statements inside one transaction.
    async fn count_page(&self, request: &mut ListRequest<'_, '_>, _: Cost) -> Result<Page, StoreError> {
        let (read_at, page) = tokio::task::block_in_place(|| {
            let connection = self.readers.lend();
            let (read_at, steps, page) = count_page(&connection, request).map_err(broken)?;
            self.observer.store().stepped(steps);
            Ok::<_, StoreError>((read_at, page?))
        })?;
        self.cache.wait_for(read_at)?;
        Ok(page)
    }

    /// On this thread, beside the one that builds in the background.
    async fn build(&self, key: &SetKey) -> Result<(), StoreError> {
        if !self.builder.build(key).await {
            self.limiter.step_out(self.cache.wait_for_set(key)).await?;
        }
        Ok(())
    }

    /// On this thread where that does not take long.
    async fn make_order(&self, key: &OrderKey) -> Result<(), StoreError> {
        if self.cache.count(&key.set).is_none_or(|number| number > LARGE) {
            return self.limiter.step_out(self.cache.builds.make_order(key.clone())).await?;
        }
        if !self.builder.make_order(key).await {
            self.limiter.step_out(self.cache.wait_for_order(key)).await?;
        }
        Ok(())
    }

    /// With the state held still the database is at most one commit ahead, as the reader is in lockstep with the writer,
    /// and that one is applied as soon as we let go. Nothing is waited for meanwhile, and nothing kept.
    fn page_held(
        &self,
        request: &mut ListRequest<'_, '_>,
        query: &Query<'_>,
    ) -> Result<Option<Page>, StoreError> {
        loop {
            let held = self.cache.view_held(query, |mut view| {
                let wanted = view.missing(|key| self.cache.is_worth_reading(key));
                if !wanted.is_empty() {
                    let (read_at, read) = self.read_blocks_now(request.collection, wanted, request.room)?;
                    if read_at != view.version {
                        return Ok(None);
                    }
                    view.fill_in(&read, &HashSet::new());
                }
                view.assemble(request, &Embedded::default()).map(Some)
            });
            match held {
                None => return Ok(None),
                Some(Err(error)) => return Err(error),
                Some(Ok(Some(page))) => return Ok(Some(page)),
                // Nothing is applied any more: the two will never meet.
                Some(Ok(None)) if self.cache.is_closed() => return Err(StoreError::Unavailable),
                Some(Ok(None)) => std::thread::yield_now(),
            }
        }
    }
}

impl Sqlite {
    /// Reads blocks inside one transaction, with the version of the data they are of. The connection goes back before
    /// anybody waits for the writing thread, which may itself wait for somebody who needs a connection.
    fn read_blocks_now(
        &self,
        collection: &Collection,
        wanted: Vec<Wanted>,
        room: &mut Room<'_>,
    ) -> Result<(u64, Vec<Read>), StoreError> {
        let connection = self.readers.lend();
        let mut room = Meter::new(room);
        let read = self.read_blocks_by(&connection, collection, wanted, &mut room).map_err(broken)?;
        room.check()?;
        Ok(read)
    }

    fn read_blocks_by(
        &self,
        connection: &Connection,
        collection: &Collection,
        wanted: Vec<Wanted>,
        room: &mut Meter<'_, '_>,
    ) -> rusqlite::Result<(u64, Vec<Read>)> {
        let moment = connection.unchecked_transaction()?;
        let read_at = version::read(&moment)?;
        let statements = &self.statements[collection.position()];
        let mut steps = 0;
        let mut read = Vec::with_capacity(wanted.len());
        for wanted in wanted {
            let mut builder = BlockBuilder::default();
            let (key, is_whole) = match wanted {
                Wanted::Block(key) => {
                    let mut statement = moment.prepare_cached(&statements.block)?;
                    let mut rows = statement.query(key.ids())?;
                    while room.has_room(builder.len())
                        && let Some(row) = rows.next()?
                    {
                        row::push(&mut builder, collection, row)?;
                    }
                    drop(rows);
                    steps += taken(&statement);
                    (key, true)
                }
                Wanted::Records(key, ids) => {
                    let mut statement = moment.prepare_cached(&statements.fetch)?;
                    for id in ids {
                        if !room.has_room(builder.len()) {
                            break;
                        }
                        let mut rows = statement.query([id.get()])?;
                        if let Some(row) = rows.next()? {
                            row::push(&mut builder, collection, row)?;
                        }
                    }
                    steps += taken(&statement);
                    (key, false)
                }
            };
            room.end_block(builder.len());
            read.push((key, Arc::new(builder.finish()), is_whole));
        }
        self.observer.store().stepped(steps);
        self.observer.store().read_blocks(read.len());
        Ok((read_at, read))
    }
}

fn count_page(
    connection: &Connection,
    request: &mut ListRequest<'_, '_>,
) -> rusqlite::Result<(u64, u64, Result<Page, StoreError>)> {
    let ListRequest { collection, listing, .. } = *request;
    let shown = request.shown();
    let moment = connection.unchecked_transaction()?;
    let read_at = version::read(&moment)?;
    let (text, values) = sql::count(collection, listing);
    let mut statement = moment.prepare_cached(&text)?;
    let total: i64 =
        statement.query_row(params_from_iter(values.into_iter().map(Bound)), |row| row.get(0))?;
    let mut steps = taken(&statement);
    let (text, mut values) = sql::page(collection, listing);
    let window = listing.window.map(|window| {
        let count = i64::try_from(window.count).unwrap_or(i64::MAX);
        (Value::from(count), Value::from(window.offset))
    });
    if let Some((count, offset)) = &window {
        values.extend([count, offset]);
    }
    let mut statement = moment.prepare_cached(&text)?;
    let mut rows = statement.query(params_from_iter(values.into_iter().map(Bound)))?;
    let mut builder = PageBuilder::new(request.room);
    while builder.has_room()
        && let Some(row) = rows.next()?
    {
        shown.push(&mut builder, |out| row::write(out, collection, row))?;
    }
    drop(rows);
    steps += taken(&statement);
    Ok((read_at, steps, builder.finish(total.unsigned_abs())))
}

fn broken(error: rusqlite::Error) -> StoreError {
    StoreError::Broken(error.to_string())
}
