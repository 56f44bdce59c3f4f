//! The first time that a filter is asked for: answered at once, and made cheap for the next time.

use rusqlite::params_from_iter;

use super::Sqlite;
use super::row::Bound;
use super::version;
use crate::catalog::collection::Collection;
use crate::record::RecordId;
use crate::record::listing::{Filter, Listing, Window};
use crate::store::cache::ids::Ids;
use crate::store::cache::lookup::Lookup;
use crate::store::cache::sets::SetKey;
use crate::store::sqlite::sql;
use crate::store::{Page, Room, StoreError};

/// A filter that matches at most so many records is read at once; a larger set is read in the background.
const SMALL: usize = 1_000;

impl Sqlite {
    /// The first time that a filter is asked for: answers at no more than what counting costs, and sees to it
    /// that the next time is cheap.
    pub(super) fn first_page_of(
        &self,
        collection: &Collection,
        listing: &Listing,
        key: &SetKey,
        window: Window,
        room: &mut Room<'_>,
    ) -> Result<Page, StoreError> {
        tokio::task::block_in_place(|| {
            if key.fields.len() > 1 {
                self.learn_combination(collection, listing, key)?;
            } else if key.fields.is_empty()
                || self.learn_small(collection, &listing.filters, key, None)?.is_none()
            {
                self.builder.request(key.clone());
            }
            match self.page_of(collection, key, window, room)? {
                Some(page) => Ok(page),
                None => self.read_page(collection, listing, room),
            }
        })
    }

    /// Reads the set of some filters, if it is small. `driver` names the filter whose index is to be used.
    fn learn_small(
        &self,
        collection: &Collection,
        filters: &[Filter],
        key: &SetKey,
        driver: Option<usize>,
    ) -> Result<Option<u64>, StoreError> {
        let read = || -> rusqlite::Result<(u64, Option<Ids>)> {
            let connection = self.readers.lend();
            let moment = connection.unchecked_transaction()?;
            let read_at = version::read(&moment)?;
            let (text, values) = sql::matching(collection, filters, driver);
            let mut statement = moment.prepare_cached(&format!("{text} LIMIT {}", SMALL + 1))?;
            let mut rows = statement.query(params_from_iter(values.into_iter().map(Bound)))?;
            let (mut ids, mut number) = (Ids::default(), 0);
            while let Some(row) = rows.next()? {
                number += 1;
                RecordId::new(row.get(0)?).map(|id| ids.insert(id));
            }
            Ok((read_at, (number <= SMALL).then_some(ids)))
        };
        let (read_at, ids) = read().map_err(super::broken)?;
        let Some(ids) = ids else { return Ok(None) };
        let number = ids.len();
        self.cache.wait_for(read_at)?;
        self.cache.keep_set(read_at, key.clone(), ids);
        Ok(Some(number))
    }

    /// Several filters together: by way of one that matches little, or else as an intersection.
    fn learn_combination(
        &self,
        collection: &Collection,
        listing: &Listing,
        key: &SetKey,
    ) -> Result<(), StoreError> {
        let mut singles = Vec::with_capacity(key.fields.len());
        let mut smallest: Option<(u64, usize)> = None;
        for (place, filter) in listing.filters.iter().enumerate() {
            let Lookup::Set(single) = SetKey::of(collection, std::slice::from_ref(filter)) else {
                return Ok(());
            };
            let number = match self.cache.count(&single) {
                Some(number) => Some(number),
                None => self.learn_small(collection, std::slice::from_ref(filter), &single, None)?,
            };
            if let Some(number) = number {
                smallest = smallest.min(Some((number, place))).or(Some((number, place)));
            }
            singles.push(single);
        }
        if let Some((number, place)) = smallest
            && number <= SMALL as u64
        {
            self.learn_small(collection, &listing.filters, key, Some(place))?;
            return Ok(());
        }
        for single in &singles {
            self.builder.build_now(single);
        }
        self.cache.intersect(key, &singles);
        Ok(())
    }
}
