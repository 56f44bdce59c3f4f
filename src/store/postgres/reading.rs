//! Reading: the statements and rows of the read path. One statement is of one moment, and says of which version.

use std::sync::Arc;

use bytes::Bytes;

use super::group_error::of_reading;
use super::kind::Bound;
use super::prepared_conn::Parameter;
use super::row;
use super::rows::Rows;
use super::session::Session;
use super::sql;
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::store::cache::Cache;
use crate::store::cache::backend::{Backend, Cost, LONG_PAGE, Matching};
use crate::store::cache::blocks::{Block, BlockBuilder, BlockKey};
use crate::store::cache::ids::{Ids, IdsBuilder};
use crate::store::cache::list_request::ListRequest;
use crate::store::cache::read_path;
use crate::store::cache::scan::{Each, Scan, Which};
use crate::store::cache::view::{Read, Wanted};
use crate::store::page::{Meter, PageBuilder};
use crate::store::read_limiter::ReadLimiter;
use crate::store::{Page, Room, StoreError};

impl Session {
    pub(super) async fn fetch(
        &self,
        collection: &Collection,
        id: RecordId,
    ) -> Result<Option<Bytes>, StoreError> {
        let key = BlockKey::of(collection.position(), id);
        if self.cache.block(key).is_some() {
            self.validator.refresh_record(collection.position(), id).await?;
            // Again, now that it is fresh; it may have been dropped meanwhile.
            if let Some(block) = self.cache.block(key) {
                return Ok(block.record(id));
            }
        }
        read_path::fetch(self, collection, id).await
    }
}

/// What the database says needs no confirmation: whoever asks later asks it as well, or has memory refreshed.
impl Backend for Session {
    /// Then the page is counted.
    const TRIES: usize = 8;
    const TRIES_OF_A_LONG_PAGE: usize = 2;
    /// By its statistics.
    const PICKS_INDEX: bool = true;

    fn cache(&self) -> &Cache {
        &self.cache
    }

    fn limiter(&self) -> &ReadLimiter {
        &self.limiter
    }

    async fn refresh(&self) -> Result<(), StoreError> {
        self.validator.refresh().await
    }

    /// By one statement.
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

    async fn matching(&self, matching: Matching<'_>, most: usize) -> Result<Option<(u64, Ids)>, StoreError> {
        let (text, values) = sql::matching(matching.collection, matching.conditions(), most + 1);
        let bound: Vec<Bound<'_>> = values.into_iter().map(Bound).collect();
        let parameters: Vec<Parameter<'_>> = bound.iter().map(|value| value as Parameter<'_>).collect();
        let rows = self.ask(&self.long, &text, &parameters).await?;
        if rows.len() > most {
            return Ok(None);
        }
        let read_at =
            rows.first().map_or(Ok(0), |row| row.try_get::<_, i64>(0)).map_err(|error| of_reading(&error))?;
        let mut ids = IdsBuilder::default();
        for row in &rows {
            if let Some(id) = row::id(row, 1).map_err(|error| of_reading(&error))? {
                ids.add(id);
            }
        }
        Ok(Some((read_at.unsigned_abs(), ids.finish())))
    }

    /// In one statement.
    async fn scan(&self, scan: Scan<'_>, each: &mut Each<'_>) -> Result<u64, StoreError> {
        self.observer.store().scanned();
        let (text, values) = sql::scan_at_once(&scan);
        let bound: Vec<Bound<'_>> = values.into_iter().map(Bound).collect();
        let mut parameters: Vec<Parameter<'_>> = bound.iter().map(|value| value as Parameter<'_>).collect();
        let ids: Vec<i64> = match scan.which {
            Which::These(ids) => ids.iter().map(|id| id.get()).collect(),
            Which::Meeting(_) => Vec::new(),
        };
        if let Which::These(_) = scan.which {
            parameters.push(&ids);
        }
        let mut rows = self.ask_for_rows(&self.long, &text, &parameters).await?;
        let (mut read_at, mut values) = (0, scan.no_values());
        while let Some(row) = rows.next().await? {
            read_at = row.try_get::<_, i64>(0).map_err(|error| of_reading(&error))?;
            let Some(id) = row::id(&row, 1).map_err(|error| of_reading(&error))? else { continue };
            row::read_some(&row, scan.collection, &scan.fields, 2, &mut values)
                .map_err(|error| of_reading(&error))?;
            if !each(id, &values) {
                break;
            }
        }
        Ok(read_at.unsigned_abs())
    }

    /// In one statement.
    async fn count_page(&self, request: &mut ListRequest<'_, '_>, cost: Cost) -> Result<Page, StoreError> {
        let shown = request.shown();
        let ListRequest { collection, listing, room } = request;
        let conns = match cost {
            Cost::Quick => &self.quick,
            Cost::Long => &self.long,
        };
        let (text, values) = sql::page(collection, listing);
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
            let written = shown.push(&mut builder, |out| row::write(out, collection, id, &row, 2));
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
            let written = builder.push(id, |out| row::write(out, collection, id, &row, 2));
            written.map_err(|error| of_reading(&error))?;
            room.has_room(builder.len());
        }
        room.check()?;
    }
    finish(building, &mut room);
    room.check()?;
    Ok((read_at, blocks))
}
