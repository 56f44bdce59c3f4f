//! Properties of conditions, sorts, cursors and fields: what must hold whatever is stored and whatever is asked.

use std::collections::BTreeSet;

use dev::configs;
use dev::request::Request;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{create, encoded, holds, integer, text};
use crate::support::exchange::id_of;
use crate::support::server::Server;

/// The fields of a thing, `id` first.
const FIELDS: [&str; 9] = ["id", "name", "size", "weight", "fragile", "note", "code", "height", "sold"];

/// A server without rules that two things could break.
fn things() -> Server {
    Server::start(&configs::kinds().replace("unique", "# unique"))
}

/// A short text, such that some are equal, some fold alike, and some stand behind each other.
fn word() -> impl Strategy<Value = String> {
    let words = vec!["", "a", "A", "á", "ab", "b", "B c", "z", "é", "ß", "ss", "한", "ι"];
    prop_oneof![3 => prop::sample::select(words).prop_map(str::to_owned), 1 => text()]
}

/// Any thing, now and then without what it need not have.
fn thing() -> impl Strategy<Value = Value> {
    let number = prop_oneof![3 => -2..3_i64, 1 => integer()];
    let half = prop_oneof![3 => (-2..3_i64).prop_map(|number| number as f64 / 2.0), 1 => (-9_000..9_000_i64).prop_map(|number| number as f64 / 8.0)];
    let must = (word(), number.clone(), half.clone(), any::<bool>());
    let may = (
        prop::option::of(word()),
        prop::option::of(number),
        prop::option::of(half),
        prop::option::of(any::<bool>()),
    );
    (must, may).prop_map(|((name, size, weight, fragile), (note, code, height, sold))| {
        json!({"name": name, "size": size, "weight": weight, "fragile": fragile, "note": note, "code": code, "height": height, "sold": sold})
    })
}

/// One to three names in any direction.
fn sort() -> impl Strategy<Value = String> {
    let names = prop::sample::subsequence(FIELDS.to_vec(), 1..=3).prop_shuffle();
    (names, prop::collection::vec(any::<bool>(), 3)).prop_map(|(names, backwards)| {
        let each = names
            .iter()
            .zip(backwards)
            .map(|(name, is_back)| format!("{}{name}", ["", "-"][usize::from(is_back)]));
        each.collect::<Vec<_>>().join(",")
    })
}

/// The value of a field as a filter is written.
fn asked(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => encoded(text),
        other => other.to_string(),
    }
}

/// All ids of a list, by its pages.
fn all(server: &Server, query: &str, count: usize) -> Vec<i64> {
    let mut ids = Vec::new();
    loop {
        let page = server.ask(&format!("GET /things/?{query}&count={count}&offset={}", ids.len())).json();
        ids.extend(
            page["object_list"].as_array().unwrap_or_else(|| panic!("{query}: {page}")).iter().map(id_of),
        );
        if page["meta"]["next"] == "null" {
            assert_eq!(page["meta"]["total_count"], ids.len(), "{query}");
            return ids;
        }
    }
}

/// The next page of a walk: what it shows, and the path of the next one.
fn step(server: &Server, path: &str) -> (Vec<i64>, Option<String>) {
    let answer = server.ask(&format!("GET {path}"));
    let page = answer.json();
    let ids = page["object_list"].as_array().unwrap_or_else(|| panic!("{path}: {page}")).iter().map(id_of);
    let next = answer.header("Link").map(|link| {
        let url = link.strip_suffix(r#">; rel="next""#).unwrap_or_else(|| panic!("{link}"));
        url.trim_start_matches('<').replace(&server.base_url(), "")
    });
    (ids.collect(), next)
}

fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids
}

#[test]
fn conditions_that_exclude_each_other_part_the_list() {
    let server = things();
    holds(60, (thing(), prop::sample::select(FIELDS.to_vec())), |(thing, field)| {
        let id = create(&server, "/things/", &thing);
        let whole = all(&server, "", 20);
        let value = if field == "id" { id.to_string() } else { asked(&thing[field]) };
        let is_optional = ["note", "code", "height", "sold"].contains(&field);
        let mut parts = vec![
            vec![format!("{field}={value}"), format!("{field}.ne={value}")],
            vec![format!("{field}.in={value}&{field}.in={value}"), format!("{field}.ne={value}")],
        ];
        if is_optional {
            parts.push(vec![format!("{field}.null=true"), format!("{field}.null=false")]);
        }
        let can_bound = server.status(&format!("GET /things/?{field}.lt={value}")) == 200;
        if can_bound {
            let without = is_optional.then(|| format!("{field}.null=true"));
            parts.push(
                [format!("{field}.lt={value}"), format!("{field}.gte={value}")]
                    .into_iter()
                    .chain(without.clone())
                    .collect(),
            );
            parts.push(
                [format!("{field}.lte={value}"), format!("{field}.gt={value}")]
                    .into_iter()
                    .chain(without)
                    .collect(),
            );
        }
        for parts in parts {
            let found: Vec<i64> = parts.iter().flat_map(|part| all(&server, part, 20)).collect();
            prop_assert_eq!(&sorted(found), &whole, "{:?}", parts);
        }
        Ok(())
    });
}

/// Where one value stands before the other by what a record shows; `None` where only its fold tells.
fn is_before(left: &Value, right: &Value, is_backwards: bool) -> Option<bool> {
    let (less, more) = if is_backwards { (right, left) } else { (left, right) };
    match (less, more) {
        (Value::Null, Value::Null) => None,
        (Value::Null, _) | (_, Value::Null) => Some(right.is_null()),
        (Value::Bool(less), Value::Bool(more)) => (less != more).then_some(less < more),
        (Value::Number(less), Value::Number(more)) if less.is_i64() => {
            (less != more).then_some(less.as_i64() < more.as_i64())
        }
        (Value::Number(less), Value::Number(more)) => (less != more).then_some(less.as_f64() < more.as_f64()),
        _ => None,
    }
}

#[test]
fn pages_of_any_sort_are_the_whole_list_in_order_whatever_their_length() {
    let server = things();
    holds(60, (prop::collection::vec(thing(), 0..3), sort(), 1..=20_usize), |(new, sort, count)| {
        new.iter().for_each(|thing| {
            create(&server, "/things/", thing);
        });
        let pages = all(&server, &format!("sort={sort}"), count);
        prop_assert_eq!(&sorted(pages.clone()), &all(&server, "", 20));
        prop_assert_eq!(&pages, &all(&server, &format!("_sort={sort}"), 20));
        let mut walked = Vec::new();
        let mut path = Some(format!("/things/?sort={sort}&count={count}&after="));
        while let Some(now) = path {
            let (ids, next) = step(&server, &now);
            walked.extend(ids);
            path = next;
            prop_assert!(walked.len() <= pages.len(), "{sort}: the walk does not end");
        }
        prop_assert_eq!(&walked, &pages);
        // The first name alone is told by the records where it is no text.
        let first = sort.split(',').next().unwrap();
        let name = first.trim_start_matches('-');
        let records: Vec<Value> =
            pages.iter().map(|id| server.ask(&format!("GET /things/{id}/")).json()).collect();
        for pair in records.windows(2) {
            let is_right = is_before(&pair[0][name], &pair[1][name], first.starts_with('-'));
            prop_assert_ne!(is_right, Some(false), "{}: {:?}", sort, pair);
        }
        Ok(())
    });
}

#[test]
fn the_other_direction_is_the_same_list_backwards_but_for_those_without_a_value() {
    let server = things();
    holds(40, (thing(), prop::sample::select(FIELDS.to_vec()), 1..=20_usize), |(thing, field, count)| {
        create(&server, "/things/", &thing);
        let there = match field {
            "note" | "code" | "height" | "sold" => format!("{field}.null=false&"),
            _ => String::new(),
        };
        let mut forwards = all(&server, &format!("{there}sort={field}"), count);
        forwards.reverse();
        prop_assert_eq!(forwards, all(&server, &format!("{there}sort=-{field}"), count));
        if !there.is_empty() {
            let none = all(&server, &format!("{field}.null=true"), 20);
            for sort in [format!("sort={field}"), format!("sort=-{field},id")] {
                prop_assert!(all(&server, &sort, count).ends_with(&none), "{sort}");
            }
        }
        Ok(())
    });
}

/// Between two pages of a walk somebody writes.
#[derive(Debug, Clone)]
enum Deed {
    Create(Value),
    Update(usize, Value),
    Delete(usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        thing().prop_map(Deed::Create),
        (any::<usize>(), thing()).prop_map(|(which, thing)| Deed::Update(which, thing)),
        any::<usize>().prop_map(Deed::Delete),
    ]
}

#[test]
fn a_walk_by_cursor_under_writes_shows_every_steady_record_exactly_once() {
    let server = things();
    let steady: Vec<i64> = (0..25)
        .map(|number| {
            let note = (number % 4 != 0).then(|| ["b", "B", "é", "m", "z"][number % 5]);
            let name = ["n", "N", "a", "z"][number % 4];
            let thing = json!({"name": name, "size": number % 3, "weight": 0.5, "fragile": number % 2 == 0, "note": note});
            create(&server, "/things/", &thing)
        })
        .collect();
    let deeds = prop::collection::vec(prop::collection::vec(deed(), 0..4), 1..12);
    holds(40, (sort(), 1..=9_usize, deeds), |(sort, count, deeds)| {
        let mut others: Vec<i64> =
            all(&server, "", 20).into_iter().filter(|id| !steady.contains(id)).collect();
        let mut seen: Vec<i64> = Vec::new();
        let mut deeds = deeds.into_iter();
        let mut path = Some(format!("/things/?sort={sort}&count={count}&after="));
        while let Some(now) = path {
            let (ids, next) = step(&server, &now);
            seen.extend(ids);
            path = next;
            prop_assert!(seen.len() < 2_000, "{sort}: the walk does not end");
            for deed in deeds.next().unwrap_or_default() {
                match deed {
                    Deed::Create(thing) => others.push(create(&server, "/things/", &thing)),
                    Deed::Update(..) | Deed::Delete(_) if others.is_empty() => {}
                    Deed::Update(which, thing) => {
                        let id = others[which % others.len()];
                        let update = Request::new(&format!("PUT /things/{id}/")).json(thing.to_string());
                        prop_assert_eq!(server.send(&update).status, 200);
                    }
                    Deed::Delete(which) => {
                        let id = others.swap_remove(which % others.len());
                        prop_assert_eq!(server.status(&format!("DELETE /things/{id}/")), 200);
                    }
                }
            }
        }
        let shown: Vec<i64> = seen.into_iter().filter(|id| steady.contains(id)).collect();
        prop_assert_eq!(&sorted(shown), &steady, "{}", sort);
        Ok(())
    });
}

#[test]
fn all_fields_are_the_record_and_some_are_a_part_of_it() {
    let server = things();
    holds(
        60,
        (thing(), prop::sample::subsequence(FIELDS.to_vec(), 1..=9).prop_shuffle()),
        |(thing, named)| {
            let id = create(&server, "/things/", &thing);
            let whole = server.ask(&format!("GET /things/{id}/"));
            let mut every = FIELDS.to_vec();
            every.reverse();
            let same = server.ask(&format!("GET /things/{id}/?fields={}", every.join(",")));
            prop_assert_eq!(same.body_text(), whole.body_text());
            prop_assert_eq!(same.header("ETag"), whole.header("ETag"));
            let shown: BTreeSet<&str> = named.iter().copied().chain(["ressource_uri"]).collect();
            let mut expected = whole.json();
            expected.as_object_mut().unwrap().retain(|name, _| shown.contains(name.as_str()));
            let part = server.ask(&format!("GET /things/{id}/?fields={}", named.join(",")));
            prop_assert_eq!(part.body_text(), expected.to_string());
            let listed = server.ask(&format!("GET /things/?id={id}&fields={}", named.join(",")));
            let list = format!("\"object_list\":[{expected}]}}");
            prop_assert!(listed.body_text().ends_with(&list), "{listed:?}");
            Ok(())
        },
    );
}
