//! A query string → pairs → a listing → statements and links.

use std::borrow::Cow;

use carnet::api::fuzzing::link;
use carnet::catalog::collection::Collection;
use carnet::catalog::date::Datetime;
use carnet::http::query;
use carnet::record::RecordId;
use carnet::record::Value;
use carnet::record::cursor::{After, Place};
use carnet::record::listing::{Condition, Filter, Listing, Operator};
use carnet::store::fuzzing::{of_list_on_postgres, of_list_on_sqlite};

use crate::targets::same_first_fault;
use crate::{catalog, is_planted, sql};

pub(crate) fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(pairs) = query::parse(text) else { return };
    assert!(pairs.len() <= query::MAX_PAIRS);
    assert_eq!(query::parse(&write(&pairs)).as_ref(), Ok(&pairs), "written back, it is the same");
    for collection in catalog::catalog().collections() {
        let listing = Listing::parse(collection, pairs.iter());
        same_first_fault(listing.as_ref().err(), &Listing::faults(collection, pairs.iter()));
        if let Ok(listing) = listing {
            judge(collection, &listing);
        }
    }
}

fn write(pairs: &[(Cow<'_, str>, Cow<'_, str>)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        query::push_pair(&mut text, name, value);
        text.push('&');
    }
    text
}

fn judge(collection: &Collection, listing: &Listing) {
    for filter in &listing.filters {
        if let Condition::Search(search) = &filter.condition {
            assert!(["search", "_search"].contains(&filter.name.as_str()) && filter.others.is_empty());
            assert!((1..=8).contains(&search.words.len()) && filter.text.chars().count() <= 200);
            continue;
        }
        if filter.operator != Operator::Equals {
            operator(filter);
            continue;
        }
        let Condition::Equals(value) = &filter.condition else {
            assert!(filter.text.is_empty(), "only an empty text asks for no value");
            continue;
        };
        // The planted bug: 32 bits where there should be 64.
        let value = match value {
            Value::Integer(integer) if is_planted() => &Value::Integer(i64::from(*integer as i32)),
            value => value,
        };
        match value {
            Value::Text(text) => assert!(*text == filter.text && !text.contains('\0')),
            Value::Integer(0) if filter.text == "-0" => {}
            Value::Integer(integer) => assert_eq!(integer.to_string(), filter.text, "integers are exact"),
            Value::Float(float) => {
                assert_eq!(filter.text.parse::<f64>().map(|same| same + 0.0), Ok(*float));
                assert!(float.is_finite() && !(*float == 0.0 && float.is_sign_negative()));
            }
            Value::Boolean(boolean) => assert_eq!(boolean.to_string(), filter.text),
            Value::Date(day) => assert_eq!(day.to_string(), filter.text, "a day has one text"),
            Value::Datetime(moment) => assert_eq!(Datetime::parse(&filter.text), Some(*moment)),
            Value::Null | Value::Garbled(_) => panic!("nobody can ask for {value:?}"),
        }
    }
    for statement in of_list_on_sqlite(collection, listing) {
        sql::judge(catalog::catalog(), &statement.text, '?', statement.values);
    }
    for statement in of_list_on_postgres(collection, listing) {
        sql::judge(catalog::catalog(), &statement.text, '$', statement.values);
    }
    links(collection, listing);
}

/// What is asked for with an operator is what its condition says, and nothing that no record could be asked for.
fn operator(filter: &Filter) {
    match (&filter.condition, filter.operator) {
        (Condition::Any(any), Operator::In) => assert_eq!(any.len(), 1 + filter.others.len()),
        (Condition::Prefix(text), Operator::Prefix) | (Condition::Contains(text), Operator::Contains) => {
            assert!((1..=64).contains(&text.chars().count()), "{text:?}");
        }
        (Condition::Folded(text), Operator::Folded) => assert!(!text.is_empty()),
        (Condition::Compare(_, bound), Operator::Lt | Operator::Lte | Operator::Gt | Operator::Gte) => {
            assert!(!bound.is_empty() && *bound != Value::Null);
        }
        (Condition::Not(_), Operator::Ne | Operator::Null) | (Condition::Absent, Operator::Null) => {}
        (condition, operator) => panic!("{operator:?} became {condition:?}"),
    }
    assert!(filter.operator == Operator::In || filter.others.is_empty(), "only `in` may be repeated");
}

/// The links of a page lead to listings of the same filters, one page further and one back.
fn links(collection: &Collection, listing: &Listing) {
    let Some(window) = listing.window else {
        assert!(link(collection, listing, u64::MAX, None, "http://h").is_none());
        return;
    };
    if listing.after.is_some() {
        return cursors(collection, listing);
    }
    assert!(window.offset >= 0 && window.count >= 1);
    let total = u64::try_from(i64::MAX).unwrap_or_default();
    let Some(links) = link(collection, listing, total, None, "http://h") else {
        assert!(window.offset == 0 && window.offset.unsigned_abs().saturating_add(window.count) >= total);
        return;
    };
    let links = std::str::from_utf8(&links).expect("links are ASCII");
    assert!(links.bytes().all(|byte| (0x21..0x7f).contains(&byte) || byte == b' '), "{links}");
    for link in links.split(", ") {
        let (there, relation) = follow(collection, link);
        assert_eq!(there.filters, listing.filters, "{link}");
        assert_eq!((&there.sort, &there.projection), (&listing.sort, &listing.projection), "{link}");
        assert_eq!(there.expansion, listing.expansion, "{link}");
        let at = there.window.expect("pages have windows");
        assert_eq!((at.count, at.count_was_given), (window.count, window.count_was_given));
        let (from, to) = (window.offset.unsigned_abs(), at.offset.unsigned_abs());
        match relation {
            "next\"" => assert_eq!(to, from + window.count),
            "prev\"" => assert_eq!(to, from.saturating_sub(window.count)),
            other => panic!("{other}"),
        }
    }
}

/// The listing behind a link, and its relation.
fn follow<'a>(collection: &Collection, link: &'a str) -> (Listing, &'a str) {
    let start = format!("<http://h/{}/?", collection.name());
    let query = link.strip_prefix(start.as_str()).and_then(|rest| rest.split_once(">; rel=\""));
    let (query, relation) = query.unwrap_or_else(|| panic!("{link}"));
    let pairs = query::parse(query).expect("a link can be followed");
    let there = Listing::parse(collection, pairs.iter());
    (there.unwrap_or_else(|error| panic!("{link}: {error:?}")), relation)
}

/// In a walk by cursors the one link leads behind the last record of the page.
fn cursors(collection: &Collection, listing: &Listing) {
    assert!(link(collection, listing, u64::MAX, None, "http://h").is_none(), "no record follows");
    let key = if listing.sort.fields.is_empty() { Vec::new() } else { b"key".to_vec() };
    let Some(id) = RecordId::new(7) else { return };
    let place = Place { key, id };
    let links = link(collection, listing, u64::MAX, Some(place.clone()), "http://h").expect("a next page");
    let (there, relation) = follow(collection, std::str::from_utf8(&links).expect("links are ASCII"));
    assert_eq!(relation, "next\"");
    assert_eq!(there, Listing { after: Some(After::Place(place)), ..listing.clone() });
}
