//! Conditions on the field that an order is sorted by first: a slice of it, between two ranks.

use std::ops::Range;

use super::order::Order;
use super::sort_key::KeptSort;
use crate::catalog::collection::Collection;
use crate::record::fold;
use crate::record::listing::condition::{Comparison, Condition};

/// Whether the records that meet a condition stand together in an order by its field.
pub(super) fn is_slice(condition: &Condition) -> bool {
    match condition {
        Condition::Compare(..) | Condition::Prefix(_) => true,
        // A longer one is not told by its beginning.
        Condition::Folded(text) => text.chars().nth(fold::KEY_CHARS - 1).is_none(),
        _ => false,
    }
}

/// Between which ranks of an order the records stand whose first field meets all these conditions.
pub(super) fn ranks<'a>(
    order: &Order,
    sort: &KeptSort,
    collection: &Collection,
    conditions: impl Iterator<Item = &'a Condition>,
) -> Range<u64> {
    let mut slice = values(order, sort, collection);
    for condition in conditions {
        let (from, to) = match condition {
            Condition::Compare(comparison, bound) => {
                let bounds = equal(order, sort, sort.beginning(collection, bound), bound.text().is_some());
                match comparison {
                    Comparison::Less => (slice.start, bounds.start),
                    Comparison::LessOrEqual => (slice.start, bounds.end),
                    Comparison::Greater => (bounds.end, slice.end),
                    Comparison::GreaterOrEqual => (bounds.start, slice.end),
                }
            }
            Condition::Folded(text) => {
                let bounds = equal(order, sort, sort.beginning_of_text(collection, text), true);
                (bounds.start, bounds.end)
            }
            Condition::Prefix(text) => {
                let mut key = sort.beginning_of_text(collection, text);
                let from = order.rank_of_key(&key);
                // No byte of a text is as large.
                key.push(u8::MAX);
                (from, order.rank_of_key(&key))
            }
            _ => continue,
        };
        slice.start = slice.start.max(from);
        slice.end = slice.end.min(to);
    }
    slice.end = slice.end.max(slice.start);
    slice
}

/// Between which ranks of an order the records stand that have a value in its first field.
pub(super) fn values(order: &Order, sort: &KeptSort, collection: &Collection) -> Range<u64> {
    match sort.values(collection) {
        Some(values) => order.rank_of_key(values.start)..order.rank_of_key(values.end),
        None => 0..order.len(),
    }
}

/// Where the records stand whose keys begin with a whole value, which may be a text.
fn equal(order: &Order, sort: &KeptSort, mut key: Vec<u8>, is_text: bool) -> Range<u64> {
    if !sort.has_more() {
        return order.rank_of_key(&key)..order.rank_after_key(&key);
    }
    if is_text {
        key.extend_from_slice(KeptSort::END);
    }
    let from = order.rank_of_key(&key);
    // What begins so stands before whatever is one larger in its last place.
    while key.last() == Some(&u8::MAX) {
        key.pop();
    }
    match key.last_mut() {
        Some(last) => *last += 1,
        None => return from..order.len(),
    }
    from..order.rank_of_key(&key)
}
