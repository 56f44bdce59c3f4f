//! Properties, for any Unicode, any 64-bit integer, any number of records; one server for many cases.

use dev::configs;
use dev::request::Request;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::support::exchange::id_of;
use crate::support::server::Server;

mod queries;

/// Runs a property on so many cases. A failing case is shrunk and shown; it is not written to a file.
#[track_caller]
fn holds<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    if let Err(error) = TestRunner::new(config).run(&strategy, property) {
        panic!("{error}");
    }
}

/// Any Unicode text without U+0000, with more than its share of troublesome characters.
fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => any::<char>().prop_filter("U+0000 does not validate", |character| *character != '\0'),
        2 => prop::char::range(' ', '~'),
        1 => prop::sample::select(vec!['\u{1}', '\t', '\n', '\u{1f}', '"', '\\', '%', '+', '&', '=', '\u{7f}', '\u{2028}', '\u{301}', '\u{feff}', '\u{ffff}', '\u{10ffff}']),
    ];
    prop::collection::vec(character, 0..40).prop_map(String::from_iter)
}

/// Any 64-bit integer, with more than its share of edges.
fn integer() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), -100..100_i64, Just(i64::MIN), Just(i64::MAX), Just((1 << 53) + 1), Just(0)]
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn create(server: &Server, path: &str, body: &Value) -> i64 {
    server.send(&Request::new(&format!("POST {path}")).json(body.to_string())).created_id()
}

#[test]
fn what_was_created_is_what_is_fetched() {
    let server = Server::start(&configs::built_in());
    holds(150, (text(), text(), text(), integer()), |(country, city, street, number)| {
        let body = json!({"country": country, "city": city, "street": street, "number": number});
        let id = create(&server, "/address/", &body);
        let mut expected = body;
        expected["ressource_uri"] = json!(format!("/address/{id}/"));
        let answer = server.ask(&format!("GET /address/{id}/"));
        // As text: `serde_json` writes what need be escaped and nothing else, as the server must.
        prop_assert_eq!(answer.body_text(), expected.to_string());
        Ok(())
    });
}

#[test]
fn what_was_updated_is_what_is_fetched_and_the_rest_is_kept() {
    let server = Server::start(&configs::built_in());
    let id = server.create_user("John", "Doe");
    holds(100, (prop::option::of(text()), prop::option::of(text())), |(first, last)| {
        let mut expected = server.ask(&format!("GET /users/{id}/")).json();
        let mut body = json!({});
        for (field, value) in [("first_name", first), ("last_name", last)] {
            if let Some(value) = value {
                body[field] = json!(value);
                expected[field] = json!(value);
            }
        }
        let answer = server.send(&Request::new(&format!("PUT /users/{id}/")).json(body.to_string()));
        prop_assert_eq!(answer.body_text(), expected.to_string());
        let fetched = server.ask(&format!("GET /users/{id}/"));
        prop_assert_eq!(fetched.body_text(), expected.to_string());
        Ok(())
    });
}

#[test]
fn a_filter_finds_exactly_the_equal_ones() {
    let server = Server::start(&configs::unpaged());
    let mut stored: Vec<(i64, String)> = Vec::new();
    let stored_names = std::cell::RefCell::new(&mut stored);
    holds(80, (text(), text()), |(name, other)| {
        let id = create(&server, "/users/", &json!({"first_name": "x", "last_name": name}));
        stored_names.borrow_mut().push((id, name.clone()));
        for wanted in [name, other] {
            let expected: Vec<i64> =
                stored_names.borrow().iter().filter(|(_, name)| *name == wanted).map(|(id, _)| *id).collect();
            let page = server.ask(&format!("GET /users/?last_name={}", encoded(&wanted))).json();
            let found: Vec<i64> = page["object_list"].as_array().unwrap().iter().map(id_of).collect();
            prop_assert_eq!(&page["meta"]["filters"], &json!({"last_name": wanted}));
            prop_assert_eq!(found, expected);
        }
        Ok(())
    });
}

#[test]
fn a_filter_by_integer_finds_exactly_the_equal_ones() {
    let server = Server::start(&configs::built_in());
    holds(80, integer(), |number| {
        let id = create(
            &server,
            "/address/",
            &json!({"country": "a", "city": "b", "street": "c", "number": number}),
        );
        let records = server.ask(&format!("GET /address/?number={number}&id={id}")).json();
        prop_assert_eq!(&records["meta"]["total_count"], &json!(1));
        prop_assert_eq!(&records["object_list"][0]["number"], &json!(number));
        Ok(())
    });
}

#[test]
fn walking_next_visits_each_record_exactly_once() {
    let server = Server::start(&configs::built_in());
    let steps = prop_oneof![3 => Just(None), 1 => (0..30_usize).prop_map(Some)];
    holds(64, (prop::collection::vec(steps, 1..8), 1..=20_i64, 0..50_i64), |(steps, count, offset)| {
        for step in steps {
            let ids: Vec<i64> = server.walk("/users/").iter().map(id_of).collect();
            match step {
                Some(index) if index < ids.len() => {
                    prop_assert_eq!(server.status(&format!("DELETE /users/{}/", ids[index])), 200);
                }
                _ => {
                    server.create_user("n", "Doe");
                }
            }
        }
        let walked: Vec<i64> = server.walk("/users/").iter().map(id_of).collect();
        prop_assert!(walked.is_sorted_by(|left, right| left < right));
        prop_assert_eq!(server.total("/users/"), walked.len() as i64);
        let page = server.ids(&format!("/users/?offset={offset}&count={count}"));
        let expected: Vec<i64> = walked.into_iter().skip(offset as usize).take(count as usize).collect();
        prop_assert_eq!(page, expected);
        Ok(())
    });
}

#[test]
fn any_bytes_as_a_body_are_refused_or_stored_and_never_more() {
    let server = Server::start(&configs::built_in());
    holds(150, prop::collection::vec(any::<u8>(), 0..200), |bytes| {
        let answer = server.send(&Request::new("POST /users/").json(bytes));
        prop_assert_eq!(answer.status, 400);
        Ok(())
    });
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn any_query_is_answered_with_200_or_400() {
    let server = Server::start(&configs::built_in());
    holds(150, prop::collection::vec((text(), text()), 0..4), |pairs| {
        let query: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        let status = server.status(&format!("GET /users/?{}", query.join("&")));
        prop_assert!(matches!(status, 200 | 400), "{status}");
        Ok(())
    });
}
