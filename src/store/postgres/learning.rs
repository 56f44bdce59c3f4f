//! The first time that a filter is asked for: answered at once, and made cheap for the next time.

use super::group_error::of_reading;
use super::prepared_conn::Parameter;
use super::row::{self, Bound};
use super::session::Session;
use super::sql;
use crate::catalog::collection::Collection;
use crate::record::listing::{Filter, Listing, Window};
use crate::store::cache::ids::Ids;
use crate::store::cache::lookup::Lookup;
use crate::store::cache::sets::SetKey;
use crate::store::{Page, Room, StoreError};

/// A filter that matches at most so many records is read at once; a larger set is read in the background.
const SMALL: usize = 1_000;

impl Session {
    /// The first time that a filter is asked for: answers at about what counting costs, and sees to it that
    /// the next time is cheap.
    pub(super) async fn first_page_of(
        &self,
        collection: &Collection,
        listing: &Listing,
        key: &SetKey,
        window: Window,
        room: &mut Room<'_>,
    ) -> Result<Page, StoreError> {
        let is_learned = match key.fields.len() {
            // Being built already, or forgotten since: then it is asked for again.
            0 => {
                self.builder.request_all_of(key.collection);
                false
            }
            1 => {
                let is_small = self.learn_small(collection, &listing.filters, key).await?;
                if !is_small {
                    self.builder.request(key.clone());
                }
                is_small
            }
            _ => self.learn_combination(collection, listing, key).await?,
        };
        if is_learned && let Some(page) = self.page_of(collection, key, window, room).await? {
            return Ok(page);
        }
        self.read_page(&self.long, collection, listing, room).await
    }

    /// Reads the set of some filters, if it is small; says whether it is.
    async fn learn_small(
        &self,
        collection: &Collection,
        filters: &[Filter],
        key: &SetKey,
    ) -> Result<bool, StoreError> {
        let (text, values) = sql::matching(collection, filters, SMALL + 1);
        let bound: Vec<Bound<'_>> = values.into_iter().map(Bound).collect();
        let parameters: Vec<Parameter<'_>> = bound.iter().map(|value| value as Parameter<'_>).collect();
        let rows = self.ask(&self.long, &text, &parameters).await?;
        if rows.len() > SMALL {
            return Ok(false);
        }
        let read_at =
            rows.first().map_or(Ok(0), |row| row.try_get::<_, i64>(0)).map_err(|error| of_reading(&error))?;
        let read_at = read_at.unsigned_abs();
        let mut ids = Ids::default();
        for row in &rows {
            row::id(row, 1).map_err(|error| of_reading(&error))?.map(|id| ids.insert(id));
        }
        if self.cache.version() < read_at {
            self.validator.refresh().await?;
        }
        self.cache.keep_set(read_at, key.clone(), ids);
        Ok(true)
    }

    /// Several filters together: read where few match all of them, else an intersection of what each matches.
    async fn learn_combination(
        &self,
        collection: &Collection,
        listing: &Listing,
        key: &SetKey,
    ) -> Result<bool, StoreError> {
        let mut singles = Vec::with_capacity(key.fields.len());
        for filter in &listing.filters {
            let Lookup::Set(single) = SetKey::of(collection, std::slice::from_ref(filter)) else {
                return Ok(false);
            };
            singles.push(single);
        }
        if self.cache.intersect(key, &singles) {
            return Ok(true);
        }
        if self.learn_small(collection, &listing.filters, key).await? {
            return Ok(true);
        }
        for (single, filter) in singles.iter().zip(&listing.filters) {
            if self.cache.count(single).is_none()
                && !self.learn_small(collection, std::slice::from_ref(filter), single).await?
            {
                self.builder.build(single.clone()).await?;
            }
        }
        Ok(self.cache.intersect(key, &singles))
    }
}
