//! The records of a list in their order: how many there are, which stand at an offset, and where one stands.

use std::ops::Range;

use super::id_filter::IdFilter;
use super::ids::Ids;
use super::order::Order;
use crate::record::RecordId;
use crate::record::cursor::Place;

/// The records of a list, ascending in the order that is kept.
pub(super) enum Sequence<'a> {
    ById(&'a Ids, &'a IdFilter),
    /// A slice of an order.
    ByKey(&'a Order, Range<u64>),
    /// Those of one set, and then those of another, each by id.
    Twice([&'a Ids; 2], &'a IdFilter),
}

/// The keys of the places in the first and the second of two sets.
pub(super) const FIRST: &[u8] = &[0];
pub(super) const SECOND: &[u8] = &[1];

/// Part of a sequence.
pub(super) struct Found {
    pub(super) total: u64,
    /// How many stand before it.
    pub(super) offset: u64,
    pub(super) ids: Vec<RecordId>,
    /// Where the last one stands, if others follow.
    pub(super) next: Option<Place>,
}

/// Where a page begins.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start<'a> {
    Offset(u64),
    /// Behind a record, or at the beginning: the list is walked, and goes on behind the last of the page.
    Walk(Option<&'a Place>),
}

impl Sequence<'_> {
    fn len(&self) -> u64 {
        match self {
            Self::ById(ids, filter) => filter.len(ids),
            Self::ByKey(_, ranks) => ranks.end - ranks.start,
            Self::Twice([first, second], filter) => filter.len(first) + filter.len(second),
        }
    }

    /// At most `count` records, and whether the list is read from its end.
    pub(super) fn page(&self, start: Start<'_>, count: u64, is_backwards: bool) -> Found {
        let total = self.len();
        let offset = match start {
            Start::Offset(offset) => offset,
            Start::Walk(None) => 0,
            Start::Walk(Some(place)) if is_backwards => total - self.rank(&place.key, Some(place.id)),
            Start::Walk(Some(place)) => {
                // Of those up to the place, the largest id has none behind it.
                self.rank(&place.key, place.id.get().checked_add(1).and_then(RecordId::new))
            }
        };
        let first = offset.min(total);
        let last = first.saturating_add(count).min(total);
        let mut ids = Vec::with_capacity(usize::try_from(last - first).unwrap_or(0).min(64));
        let length = usize::try_from(last - first).unwrap_or(usize::MAX);
        if is_backwards {
            self.ascending(total - last, length, &mut ids);
            ids.reverse();
        } else {
            self.ascending(first, length, &mut ids);
        }
        let next = (matches!(start, Start::Walk(_)) && last < total && last > first)
            .then(|| self.place(if is_backwards { total - last } else { last - 1 }))
            .flatten();
        Found { total, offset, ids, next }
    }

    fn ascending(&self, offset: u64, count: usize, out: &mut Vec<RecordId>) {
        match self {
            Self::ById(ids, filter) => filter.page(ids, offset, count, out),
            Self::ByKey(order, ranks) => order.page(ranks.start + offset, count, out),
            Self::Twice([first, second], filter) => {
                let (before, length) = (out.len(), filter.len(first));
                filter.page(first, offset, count, out);
                let count = count - (out.len() - before);
                filter.page(second, offset.saturating_sub(length), count, out);
            }
        }
    }

    /// How many stand before this key and id; without an id, up to this key.
    fn rank(&self, key: &[u8], id: Option<RecordId>) -> u64 {
        match self {
            Self::ById(ids, filter) => id.map_or_else(|| filter.len(ids), |id| filter.rank(ids, id)),
            Self::ByKey(order, ranks) => {
                let rank = id.map_or_else(|| order.rank_after_key(key), |id| order.rank(key, id));
                rank.clamp(ranks.start, ranks.end) - ranks.start
            }
            Self::Twice([first, _], filter) if key == FIRST => {
                id.map_or_else(|| filter.len(first), |id| filter.rank(first, id))
            }
            Self::Twice([first, second], filter) => {
                filter.len(first) + id.map_or_else(|| filter.len(second), |id| filter.rank(second, id))
            }
        }
    }

    fn place(&self, offset: u64) -> Option<Place> {
        match self {
            Self::ById(..) | Self::Twice(..) => {
                let mut found = Vec::with_capacity(1);
                self.ascending(offset, 1, &mut found);
                let key = match self {
                    Self::Twice([first, _], filter) if offset < filter.len(first) => FIRST.to_vec(),
                    Self::Twice(..) => SECOND.to_vec(),
                    _ => Vec::new(),
                };
                found.first().map(|id| Place { key, id: *id })
            }
            Self::ByKey(order, ranks) => {
                let (rank, mut place) = (ranks.start + offset, None);
                order.visit(rank..rank + 1, |key, ids| {
                    place = ids.first().map(|id| Place { key: key.to_vec(), id: *id });
                });
                place
            }
        }
    }
}
