//! Reading: from memory where the database says that it is fresh, else from the database, always of one moment.

use std::sync::Arc;

use bytes::Bytes;

use super::group_error::of_reading;
use super::prepared_conn::{Parameter, SharedConns};
use super::row::{self, Bound};
use super::rows::Rows;
use super::session::Session;
use super::sql;
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::record::listing::{Listing, Window};
use crate::store::cache::blocks::{Block, BlockBuilder, BlockKey};
use crate::store::cache::lookup::Lookup;
use crate::store::cache::sets::SetKey;
use crate::store::cache::view::{Read, Wanted, whole};
use crate::store::page::{Meter, PageBuilder};
use crate::store::{Page, Room, StoreError};

/// How often a page is tried from memory while others write; then it is counted. A long page takes long to read, so
/// that somebody writes meanwhile nearly every time.
const TRIES: usize = 8;
const TRIES_OF_A_LONG_PAGE: usize = 2;
const LONG_PAGE: u64 = 256;

impl Session {
    pub(super) async fn fetch(
        &self,
        collection: &Collection,
        id: RecordId,
    ) -> Result<Option<Bytes>, StoreError> {
        let key = BlockKey::of(collection.position(), id);
        if self.cache.block(key).is_some() {
            self.validator.refresh().await?;
            // Again, now that it is fresh; it may have been dropped meanwhile.
            if let Some(block) = self.cache.block(key) {
                return Ok(block.record(id));
            }
        }
        let whole_block = self.cache.is_worth_reading(key);
        let wanted = if whole_block { Wanted::Block(key) } else { Wanted::Records(key, vec![id]) };
        let (read_at, read) = self.read_blocks(collection, vec![wanted], &mut |_| true).await?;
        let record = read.first().and_then(|(_, block, _)| block.record(id));
        self.cache.keep(read_at, whole(read.into_iter()));
        Ok(record)
    }

    pub(super) async fn list(
        &self,
        collection: &Collection,
        listing: &Listing,
        room: &mut Room<'_>,
    ) -> Result<Page, StoreError> {
        let Some(window) = listing.window else {
            let _permit = self.limiter.acquire().await?;
            return self.read_page(&self.long, collection, listing, room).await;
        };
        match SetKey::of(collection, &listing.filters) {
            Lookup::Nothing => {
                self.validator.refresh().await?;
                Ok(Page::empty())
            }
            // At most one record: the database finds it at once.
            Lookup::OneId => self.read_page(&self.quick, collection, listing, room).await,
            Lookup::Set(key) => match self.page_of(collection, &key, window, room).await? {
                Some(page) => Ok(page),
                None => {
                    let _permit = self.limiter.acquire().await?;
                    self.first_page_of(collection, listing, &key, window, room).await
                }
            },
        }
    }

    /// The page of a set that is known.
    pub(super) async fn page_of(
        &self,
        collection: &Collection,
        key: &SetKey,
        window: Window,
        room: &mut Room<'_>,
    ) -> Result<Option<Page>, StoreError> {
        let tries = if window.count > LONG_PAGE { TRIES_OF_A_LONG_PAGE } else { TRIES };
        for _ in 0..tries {
            self.validator.refresh().await?;
            let Some(mut view) = self.cache.view(key, window) else { return Ok(None) };
            let wanted = view.missing(&self.cache);
            if wanted.is_empty() {
                return view.assemble(room).map(Some);
            }
            let (read_at, read) = self.read_blocks(collection, wanted, room).await?;
            let is_of_one_moment = read_at == view.version;
            view.fill_in(&read);
            if self.cache.version() < read_at {
                self.validator.refresh().await?;
            }
            self.cache.keep(read_at, whole(read.into_iter()));
            if is_of_one_moment {
                return view.assemble(room).map(Some);
            }
        }
        Ok(None)
    }

    /// Reads blocks by one statement, with the version of the data they are of.
    async fn read_blocks(
        &self,
        collection: &Collection,
        wanted: Vec<Wanted>,
        room: &mut Room<'_>,
    ) -> Result<(u64, Vec<Read>), StoreError> {
        let mut ids: Vec<i64> = Vec::with_capacity(wanted.len() * 8);
        for wanted in &wanted {
            match wanted {
                Wanted::Block(key) => {
                    let (first, last) = key.ids();
                    ids.extend(first..=last);
                }
                Wanted::Records(_, records) => ids.extend(records.iter().map(|id| id.get())),
            }
        }
        let is_long = u64::try_from(ids.len()).is_ok_and(|ids| ids > LONG_PAGE);
        let conns = if is_long { &self.long } else { &self.quick };
        let text = &self.statements[collection.position()].records;
        let rows = self.ask_for_rows(conns, text, &[&ids]).await?;
        let (read_at, blocks) = gather(collection, rows, Meter::new(room)).await?;
        let mut blocks = blocks.into_iter().peekable();
        let read = wanted.into_iter().map(|wanted| {
            let (key, is_whole) = match wanted {
                Wanted::Block(key) => (key, true),
                Wanted::Records(key, _) => (key, false),
            };
            let block =
                blocks.next_if(|(found, _)| *found == key).map(|(_, block)| block).unwrap_or_default();
            (key, block, is_whole)
        });
        let read: Vec<Read> = read.collect();
        self.observer.store().read_blocks(read.len());
        Ok((read_at.unsigned_abs(), read))
    }

    /// The total and the page by counting, in one statement: of one moment.
    pub(super) async fn read_page(
        &self,
        conns: &SharedConns,
        collection: &Collection,
        listing: &Listing,
        room: &mut Room<'_>,
    ) -> Result<Page, StoreError> {
        let (text, values) = sql::page(collection, &listing.filters, listing.window.is_some());
        let bound: Vec<Bound<'_>> = values.into_iter().map(Bound).collect();
        let mut parameters: Vec<Parameter<'_>> = bound.iter().map(|value| value as Parameter<'_>).collect();
        let window =
            listing.window.map(|window| (i64::try_from(window.count).unwrap_or(i64::MAX), window.offset));
        if let Some((count, offset)) = &window {
            parameters.push(count);
            parameters.push(offset);
        }
        let mut rows = self.ask_for_rows(conns, &text, &parameters).await?;
        let mut total = 0;
        let mut builder = PageBuilder::new(room);
        while builder.has_room()
            && let Some(row) = rows.next().await?
        {
            total = row.try_get::<_, i64>(0).map_err(|error| of_reading(&error))?;
            let Some(id) = row::id(&row, 1).map_err(|error| of_reading(&error))? else { continue };
            let written = builder.push(|out| row::write(out, collection, id, &row, 2));
            written.map_err(|error| of_reading(&error))?;
        }
        builder.finish(total.unsigned_abs())
    }
}

/// Rows `version, id, field, field, …`, in ascending order of ids, as blocks.
async fn gather(
    collection: &Collection,
    mut rows: Rows<'_>,
    mut room: Meter<'_, '_>,
) -> Result<(i64, Vec<(BlockKey, Arc<Block>)>), StoreError> {
    let mut read_at = 0;
    let mut blocks = Vec::new();
    let mut building: Option<(BlockKey, BlockBuilder)> = None;
    let mut finish = |building: Option<(BlockKey, BlockBuilder)>, room: &mut Meter<'_, '_>| {
        if let Some((key, builder)) = building {
            room.end_block(builder.len());
            blocks.push((key, Arc::new(builder.finish())));
        }
    };
    while let Some(row) = rows.next().await? {
        read_at = row.try_get(0).map_err(|error| of_reading(&error))?;
        let Some(id) = row::id(&row, 1).map_err(|error| of_reading(&error))? else { continue };
        let key = BlockKey::of(collection.position(), id);
        if building.as_ref().is_none_or(|(found, _)| *found != key) {
            finish(building.replace((key, BlockBuilder::default())), &mut room);
        }
        if let Some((_, builder)) = &mut building {
            let mut outcome = Ok(());
            builder.push(id, |out| outcome = row::write(out, collection, id, &row, 2));
            outcome.map_err(|error| of_reading(&error))?;
            room.has_room(builder.len());
        }
        room.check()?;
    }
    finish(building, &mut room);
    room.check()?;
    Ok((read_at, blocks))
}
