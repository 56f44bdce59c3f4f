//! Search by the order of words: the records in which each word of the query begins one.

use std::ops::Range;

use super::ids::{Ids, IdsBuilder};
use super::order::Order;
use crate::record::listing::search::{Matching, Search, begins_nearly};

/// The records that match.
pub(super) fn matching(words: &Order, search: &Search) -> Ids {
    match search.matching {
        Matching::Begins => of_each(search, |word| beginning(words, word)),
        Matching::Whole => of_each(search, |word| {
            found_in(words, words.rank_of_key(word.as_bytes())..words.rank_after_key(word.as_bytes()))
        }),
        Matching::Partly => {
            let whole = matching(words, &search.met(Matching::Whole));
            matching(words, &search.met(Matching::Begins)).difference(&whole)
        }
        Matching::Typo => of_each(search, |word| beginning_nearly(words, word)),
    }
}

/// Those that each word of the query finds.
fn of_each(search: &Search, find: impl Fn(&str) -> Ids) -> Ids {
    let mut words = search.words.iter();
    let mut all = words.next().map_or_else(Ids::default, |word| find(word));
    for word in words {
        if all.len() == 0 {
            break;
        }
        all = all.intersection(&find(word));
    }
    all
}

fn beginning(words: &Order, word: &str) -> Ids {
    // No byte of a text is as large.
    let end = [word.as_bytes(), &[u8::MAX]].concat();
    found_in(words, words.rank_of_key(word.as_bytes())..words.rank_of_key(&end))
}

fn found_in(words: &Order, ranks: Range<u64>) -> Ids {
    let mut ids = IdsBuilder::default();
    words.visit(ranks, |_, found| ids.extend(found));
    ids.finish()
}

/// The first letter is right, so only words with that one are looked at.
fn beginning_nearly(words: &Order, word: &str) -> Ids {
    let first = word.chars().next().map_or(0, char::len_utf8);
    let end = [&word.as_bytes()[..first], &[u8::MAX]].concat();
    let ranks = words.rank_of_key(&word.as_bytes()[..first])..words.rank_of_key(&end);
    let (mut ids, mut last, mut is_found) = (IdsBuilder::default(), Vec::new(), false);
    words.visit(ranks, |key, found| {
        // A key comes once for each leaf that it is in.
        if last != key {
            last = key.to_vec();
            is_found = std::str::from_utf8(key).is_ok_and(|found| begins_nearly(word, found));
        }
        if is_found {
            ids.extend(found);
        }
    });
    ids.finish()
}
