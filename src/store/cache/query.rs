//! What a list asks for, as something that memory may know.

use super::id_filter::IdFilter;
use super::order_key::OrderKey;
use super::sequence::{FIRST, SECOND, Start};
use super::set_key::{Probes, SetKey};
use super::slice::is_slice;
use super::sort_key::KeptSort;
use crate::catalog::collection::Collection;
use crate::catalog::name::ID;
use crate::record::cursor::After;
use crate::record::listing::search::Matching;
use crate::record::listing::sort::Direction;
use crate::record::listing::{Column, Condition, Filter, Listing};
use crate::store::StoreError;

/// What a list asks for.
pub(in crate::store) struct Query<'a> {
    pub(in crate::store) collection: &'a Collection,
    pub(super) set: SetKey,
    /// Conditions on ids, where the list is sorted by id; else the set has them.
    pub(super) ids: IdFilter,
    pub(super) order: Option<OrderKey>,
    pub(super) slice: Option<Box<Slice<'a>>>,
    pub(super) is_backwards: bool,
    pub(super) start: Start<'a>,
    pub(super) count: u64,
    /// A search.
    pub(super) search: Option<Box<SearchQuery>>,
    /// Records are shown with others, which must be of the same moment.
    pub(super) is_expanded: bool,
}

/// The part of another order that a list is.
pub(super) struct Slice<'a> {
    pub(super) order: OrderKey,
    /// What the field that it is sorted by first must meet.
    pub(super) conditions: Vec<&'a Condition>,
}

/// A search among other filters.
pub(super) struct SearchQuery {
    /// What the search finds by itself, without typos: where that is nothing, typos are forgiven.
    pub(super) alone: SetKey,
    pub(super) forgives_typos: bool,
    /// Without a sort: the records in which every word is a whole one, and the others.
    pub(super) parts: Option<[SetKey; 2]>,
}

impl<'a> Query<'a> {
    /// `None` where no record can match.
    pub(in crate::store) fn of(collection: &'a Collection, listing: &'a Listing) -> Option<Self> {
        Self::made(collection, listing, Matching::Begins)
    }

    /// The same, with typos in the words of the search.
    pub(super) fn with_typos(&self, listing: &'a Listing) -> Option<Self> {
        Self::made(self.collection, listing, Matching::Typo)
    }

    fn made(collection: &'a Collection, listing: &'a Listing, matching: Matching) -> Option<Self> {
        let start = match (&listing.after, listing.window) {
            (Some(After::Start), _) => Start::Walk(None),
            (Some(After::Place(place)), _) => Start::Walk(Some(place)),
            (None, Some(window)) => Start::Offset(window.offset.unsigned_abs()),
            (None, None) => Start::Offset(0),
        };
        let count = listing.window.map_or(u64::MAX, |window| window.count);
        let mut query = Self {
            collection,
            set: SetKey::all_of(collection.position()),
            ids: IdFilter::default(),
            order: None,
            slice: None,
            is_backwards: listing.sort.ids == Direction::Descending,
            start,
            count,
            search: None,
            is_expanded: listing.expansion.is_some(),
        };
        if listing.sort.fields.is_empty() {
            let is_on_id = |filter: &&Filter| filter.on == Column::Id;
            query.set = SetKey::of(collection, listing.filters.iter().filter(|filter| !is_on_id(filter)))?;
            query.look_for(matching, listing.given.sort.is_none());
            let on_ids = listing.filters.iter().filter(is_on_id);
            on_ids.for_each(|filter| query.ids.add(&filter.condition));
            return Some(query);
        }
        let sort = KeptSort::of(collection, &listing.sort);
        query.set = SetKey::of(collection, listing.filters.iter())?;
        query.look_for(matching, false);
        let first = sort.first_ascending().map(Column::Field);
        let is_in_slice = |filter: &Filter| Some(filter.on) == first && is_slice(&filter.condition);
        let conditions: Vec<&Condition> = listing
            .filters
            .iter()
            .filter(|filter| is_in_slice(filter))
            .map(|filter| &filter.condition)
            .collect();
        if !conditions.is_empty() {
            let rest = listing.filters.iter().filter(|filter| !is_in_slice(filter));
            let set = SetKey::of(collection, rest)?.searched(matching);
            let order = OrderKey { set, sort: sort.clone() };
            query.slice = Some(Box::new(Slice { order, conditions }));
        }
        query.order = Some(OrderKey { set: query.set.clone(), sort });
        Some(query)
    }

    /// Takes note of a search among the conditions.
    fn look_for(&mut self, matching: Matching, is_unsorted: bool) {
        let Some(search) = self.set.search() else { return };
        let mut alone = SetKey::all_of(self.set.collection);
        alone.conditions.push((Column::Words, Condition::Search(search.met(Matching::Begins))));
        let parts = [Matching::Whole, Matching::Partly].map(|matching| self.set.searched(matching));
        let parts = (is_unsorted && matching == Matching::Begins).then_some(parts);
        self.set = self.set.searched(matching);
        let forgives_typos = matching == Matching::Typo;
        self.search = Some(Box::new(SearchQuery { alone, forgives_typos, parts }));
    }

    /// The key by which a record is sorted where there is no order.
    pub(super) fn key(&self, record: &Probes<'_>) -> Vec<u8> {
        if let Some(order) = &self.order {
            return order.sort.key(self.collection, record);
        }
        match self.search.as_ref().and_then(|search| search.parts.as_ref()) {
            Some([whole, _]) if whole.holds(self.collection, record) => FIRST.to_vec(),
            Some(_) => SECOND.to_vec(),
            None => Vec::new(),
        }
    }

    /// Whether the database can tell total and page by counting.
    pub(super) fn can_be_counted(&self) -> bool {
        let is_by_offset = matches!(self.start, Start::Offset(_));
        self.order.is_none()
            && !self.is_backwards
            && is_by_offset
            && !self.set.is_folded()
            && !self.is_expanded
    }

    /// Why a list must wait for what it needs.
    pub(super) fn being_made(&self) -> StoreError {
        StoreError::OrderBeingMade { collection: self.collection.name().to_owned(), sort: self.sorted_by() }
    }

    /// Why a list cannot be made without what would take so much more memory.
    pub(super) fn no_room(&self, bytes: u64) -> StoreError {
        let collection = self.collection.name().to_owned();
        StoreError::NoRoomToSort { collection, sort: self.sorted_by(), bytes }
    }

    fn sorted_by(&self) -> String {
        match (&self.order, &self.search) {
            (Some(order), _) => order.sort.names(self.collection),
            (None, Some(_)) => KeptSort::of_words(self.collection).names(self.collection),
            (None, None) => ID.to_owned(),
        }
    }

    /// The positions of the fields that must be read to judge and sort records here.
    pub(super) fn positions(&self) -> impl Iterator<Item = usize> {
        let of_set = self.set.positions(self.collection);
        of_set.chain(self.order.iter().flat_map(|order| order.sort.positions()))
    }
}
