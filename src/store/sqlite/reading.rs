//! Reading: from memory where it knows, else from the database, always of one moment.

use std::sync::Arc;

use bytes::Bytes;
use rusqlite::{Connection, StatementStatus, params_from_iter};

use super::Sqlite;
use super::row::{self, Bound};
use super::version;
use crate::catalog::collection::Collection;
use crate::record::listing::{Listing, Window};
use crate::record::{RecordId, Value};
use crate::store::cache::blocks::{BlockBuilder, BlockKey};
use crate::store::cache::lookup::Lookup;
use crate::store::cache::sets::SetKey;
use crate::store::cache::view::{Read, View, Wanted, whole};
use crate::store::page::{Meter, PageBuilder};
use crate::store::sqlite::sql;
use crate::store::{Page, Room, StoreError};

/// How often a page is tried without holding up the writing thread.
const TRIES: usize = 3;

impl Sqlite {
    pub(in crate::store) fn fetch(
        &self,
        collection: &Collection,
        id: RecordId,
    ) -> Result<Option<Bytes>, StoreError> {
        let key = BlockKey::of(collection.position(), id);
        if let Some(block) = self.cache.block(key) {
            return Ok(block.record(id));
        }
        if self.cache.lives(collection.position(), id) == Some(false) {
            return Ok(None);
        }
        let is_worth_reading = self.cache.is_worth_reading(key);
        let wanted = if is_worth_reading { Wanted::Block(key) } else { Wanted::Records(key, vec![id]) };
        let (read_at, mut read) = self.read_blocks(collection, vec![wanted], &mut |_| true)?;
        self.cache.wait_for(read_at)?;
        let block = read.pop();
        let record = block.as_ref().and_then(|(_, block, _)| block.record(id));
        self.cache.keep(read_at, whole(block.into_iter()));
        Ok(record)
    }

    pub(in crate::store) async fn list(
        &self,
        collection: &Collection,
        listing: &Listing,
        room: &mut Room<'_>,
    ) -> Result<Page, StoreError> {
        let Some(window) = listing.window else {
            let _permit = self.limiter.acquire().await?;
            return self.read_page(collection, listing, room);
        };
        match SetKey::of(collection, &listing.filters) {
            Lookup::Nothing => Ok(Page::empty()),
            // At most one record: the database finds it at once.
            Lookup::OneId => self.read_page(collection, listing, room),
            Lookup::Set(key) => match self.page_of(collection, &key, window, room)? {
                Some(page) => Ok(page),
                None => {
                    let _permit = self.limiter.acquire().await?;
                    self.first_page_of(collection, listing, &key, window, room)
                }
            },
        }
    }

    /// The page of a set that is known.
    pub(super) fn page_of(
        &self,
        collection: &Collection,
        key: &SetKey,
        window: Window,
        room: &mut Room<'_>,
    ) -> Result<Option<Page>, StoreError> {
        for _ in 0..TRIES {
            let Some(mut view) = self.cache.view(key, window) else { return Ok(None) };
            if self.complete(collection, &mut view, room)? {
                return view.assemble(room).map(Some);
            }
        }
        // Others write all the time. With the state held still the database is at most one commit ahead, and
        // that one is applied as soon as we let go.
        loop {
            let held = self.cache.view_held(key, window, |mut view| {
                let is_complete = self.complete_held(collection, &mut view, room)?;
                is_complete.then(|| view.assemble(room)).transpose()
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

    /// Reads the blocks that a view lacks. Says no when the data has changed since the view was taken.
    fn complete(
        &self,
        collection: &Collection,
        view: &mut View,
        room: &mut Room<'_>,
    ) -> Result<bool, StoreError> {
        let Some((read_at, read)) = self.read_missing(collection, view, room)? else { return Ok(true) };
        self.cache.wait_for(read_at)?;
        let is_of_one_moment = read_at == view.version;
        view.fill_in(&read);
        self.cache.keep(read_at, whole(read.into_iter()));
        Ok(is_of_one_moment)
    }

    /// As [`Sqlite::complete`], while the state is held still: nothing is waited for, nothing kept.
    fn complete_held(
        &self,
        collection: &Collection,
        view: &mut View,
        room: &mut Room<'_>,
    ) -> Result<bool, StoreError> {
        let Some((read_at, read)) = self.read_missing(collection, view, room)? else { return Ok(true) };
        view.fill_in(&read);
        Ok(read_at == view.version)
    }

    fn read_missing(
        &self,
        collection: &Collection,
        view: &View,
        room: &mut Room<'_>,
    ) -> Result<Option<(u64, Vec<Read>)>, StoreError> {
        let wanted = view.missing(&self.cache);
        if wanted.is_empty() {
            return Ok(None);
        }
        self.read_blocks(collection, wanted, room).map(Some)
    }

    /// Reads blocks inside one transaction, with the version of the data they are of. On this thread: a read
    /// by id is over before a switch to another would be. The connection goes back before anybody waits for
    /// the writing thread, which may itself wait for somebody who needs a connection.
    fn read_blocks(
        &self,
        collection: &Collection,
        wanted: Vec<Wanted>,
        room: &mut Room<'_>,
    ) -> Result<(u64, Vec<Read>), StoreError> {
        let connection = self.readers.lend();
        let mut room = Meter::new(room);
        let read = self.read_blocks_by(&connection, collection, wanted, &mut room).map_err(super::broken)?;
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

    /// The total and the page by counting, inside one transaction: of one moment.
    pub(super) fn read_page(
        &self,
        collection: &Collection,
        listing: &Listing,
        room: &mut Room<'_>,
    ) -> Result<Page, StoreError> {
        let (read_at, page) = tokio::task::block_in_place(|| {
            let connection = self.readers.lend();
            let mut builder = PageBuilder::new(room);
            let (read_at, total, steps) =
                read_page(&connection, collection, listing, &mut builder).map_err(super::broken)?;
            self.observer.store().stepped(steps);
            Ok::<_, StoreError>((read_at, builder.finish(total)?))
        })?;
        self.cache.wait_for(read_at)?;
        Ok(page)
    }
}

fn read_page(
    connection: &Connection,
    collection: &Collection,
    listing: &Listing,
    builder: &mut PageBuilder<'_, '_>,
) -> rusqlite::Result<(u64, u64, u64)> {
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
        (Value::Integer(count), Value::Integer(window.offset))
    });
    if let Some((count, offset)) = &window {
        values.extend([count, offset]);
    }
    let mut statement = moment.prepare_cached(&text)?;
    let mut rows = statement.query(params_from_iter(values.into_iter().map(Bound)))?;
    while builder.has_room()
        && let Some(row) = rows.next()?
    {
        builder.push(|out| row::write(out, collection, row))?;
    }
    drop(rows);
    steps += taken(&statement);
    Ok((read_at, total.unsigned_abs(), steps))
}

/// How many steps a statement has taken since it was last asked.
fn taken(statement: &rusqlite::Statement<'_>) -> u64 {
    u64::try_from(statement.reset_status(StatementStatus::VmStep)).unwrap_or(0)
}
