//! Conditional requests: `ETag`, `If-None-Match` (304), `If-Match` (412).

use std::collections::BTreeSet;

use dev::answer::{Answer, NOT_FOUND};
use dev::client::Client;
use dev::configs;
use dev::request::Request;

use crate::support::race::race;
use crate::support::server::Server;

/// What a write is told that would have changed another record than the one its client has seen.
const CHANGED: &str = r#"412 Precondition Failed {"error":"The record is not the one that If-Match names. Fetch it again and look before you change it"}"#;
/// What a write is told that its client wanted only for another record.
const UNWANTED: &str =
    r#"412 Precondition Failed {"error":"The record is one that If-None-Match names. Nothing was changed"}"#;
/// The user of [`book`] as it was created.
const JOHN: &str =
    r#"200 OK {"first_name":"John","last_name":"Doe","address":1,"id":1,"ressource_uri":"/users/1/"}"#;
/// A tag of ours that no record has.
const OTHER: &str = "\"00000000000000000000000000000000\"";

fn book() -> Server {
    let server = Server::start(&configs::built_in());
    server.create_address();
    server.create("/users/", r#"{"first_name":"John","last_name":"Doe","address":1}"#);
    server
}

/// The tag of an answer: strong, 32 hexadecimal digits between quotes.
#[track_caller]
fn tag(answer: &Answer) -> String {
    let tag = answer.header("ETag").unwrap_or_else(|| panic!("no ETag: {answer:?}"));
    let digits = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or_default();
    let is_well_formed = digits.len() == 32 && digits.bytes().all(|it| b"0123456789abcdef".contains(&it));
    assert!(is_well_formed, "{answer:?}");
    tag.to_owned()
}

#[track_caller]
fn tag_of(server: &Server, path: &str) -> String {
    tag(&server.ask(&format!("GET {path}")))
}

/// A PUT that says what the client has seen.
fn put(path: &str, seen: &str, body: &str) -> Request {
    Request::new(&format!("PUT {path}")).header("If-Match", seen).json(body)
}

/// Fetches with a tag in hand. A 304 says nothing about a content that it does not have, so it is not held to what
/// every other answer promises.
#[track_caller]
fn fetch_with(client: &mut Client, line: &str, held: &[&str]) -> Answer {
    let request = held.iter().fold(Request::new(line), |request, tag| request.header("If-None-Match", tag));
    client.try_send(&request).unwrap_or_else(|error| panic!("{request:?}: {error}"))
}

#[track_caller]
fn is_not_modified(answer: &Answer, expected_tag: &str) {
    assert_eq!((answer.status, answer.reason.as_str()), (304, "Not Modified"), "{answer:?}");
    assert_eq!(tag(answer), expected_tag);
    assert!(answer.body.is_empty(), "{answer:?}");
    for absent in ["Content-Type", "Transfer-Encoding"] {
        assert_eq!(answer.header(absent), None, "{answer:?}");
    }
    assert_ne!(answer.header("Content-Length"), Some("0"), "the record is not empty: {answer:?}");
    assert_eq!(answer.header("Cache-Control"), Some("private, no-cache"), "{answer:?}");
    assert!(answer.header("X-Request-Id").is_some(), "{answer:?}");
}

#[test]
fn a_record_has_the_same_tag_in_every_answer_that_shows_it() {
    let server = book();
    let first = tag_of(&server, "/users/1/");
    assert_eq!(tag(&server.ask("HEAD /users/1/")), first);
    assert_eq!(tag_of(&server, "/users/1"), first, "without the slash");
    assert_eq!(tag(&server.ask("PUT /users/1/ {}")), first, "nothing changed");
    let changed = tag(&server.ask(r#"PUT /users/1/ {"first_name":"Jane"}"#));
    assert_ne!(changed, first);
    assert_eq!(tag_of(&server, "/users/1/"), changed);
    assert_eq!(tag(&server.ask("HEAD /users/1/")), changed);
}

#[test]
fn a_tag_follows_from_the_content_alone() {
    let server = book();
    let first = tag_of(&server, "/users/1/");
    server.create_user("Ada", "Lovelace");
    server.check(
        r#"PUT /address/1/ {"city":"Lyon"}"#,
        r#"200 OK {"country":"France","city":"Lyon","street":"Rivoli","number":5,"ressource_uri":"/address/1/"}"#,
    );
    assert_eq!(tag_of(&server, "/users/1/"), first, "others were written");
    let there = tag(&server.ask(r#"PUT /users/1/ {"last_name":"Roe"}"#));
    assert_ne!(there, first);
    assert_eq!(tag(&server.ask(r#"PUT /users/1/ {"last_name":"Doe"}"#)), first, "there and back");
    assert_ne!(tag_of(&server, "/users/2/"), first);
    let elsewhere = book();
    assert_eq!(tag_of(&elsewhere, "/users/1/"), first, "another store");
}

#[test]
fn a_tag_outlives_a_restart_and_a_crash() {
    let server = book();
    let (user, address) = (tag_of(&server, "/users/1/"), tag_of(&server, "/address/1/"));
    let server = server.stop().serve();
    assert_eq!(tag_of(&server, "/users/1/"), user);
    assert_eq!(tag_of(&server, "/address/1/"), address);
    let server = server.kill().serve();
    assert_eq!(tag_of(&server, "/users/1/"), user);
    server.check_request(&put("/users/1/", &user, "{}"), JOHN);
}

#[test]
fn values_of_every_type_have_one_tag_in_an_update_in_a_fetch_and_after_a_restart() {
    let server = Server::start(&configs::kinds());
    server.create("/things/", r#"{"name":"a","size":1,"weight":-0.0,"fragile":true}"#);
    for (number, body) in [
        r#"{"weight":-0.0,"height":1e22}"#,
        r#"{"weight":0.1,"height":5e-324,"size":-9223372036854775808}"#,
        r#"{"weight":3,"height":null,"code":9223372036854775807,"sold":false}"#,
        r#"{"name":"\u00e9\ud83d\ude00 \" \\ \n\u007f/","note":""}"#,
        r#"{"note":null,"fragile":false}"#,
    ]
    .into_iter()
    .enumerate()
    {
        let seen = tag_of(&server, "/things/1/");
        let answer = server.send(&put("/things/1/", &seen, body));
        assert_eq!(answer.status, 200, "{number}: {answer:?}");
        let fetched = server.ask("GET /things/1/");
        assert_eq!((tag(&fetched), &fetched.body), (tag(&answer), &answer.body), "{number}");
    }
    let seen = tag_of(&server, "/things/1/");
    let server = server.stop().serve();
    // Read from the file before anything is in memory, by a fetch and inside a write.
    assert_eq!(server.send(&put("/things/1/", &seen, "{}")).status, 200);
    assert_eq!(tag_of(&server, "/things/1/"), seen);
}

#[test]
fn what_another_tool_wrote_has_a_tag_that_an_update_accepts() {
    let server = Server::start(&configs::kinds());
    server.create("/things/", r#"{"name":"a","size":1,"weight":1,"fragile":true}"#);
    let home = server.stop();
    home.execute(home.either(
        "UPDATE things SET weight = -0.0, note = CAST(x'61ff62' AS TEXT), height = 3",
        "UPDATE things SET weight = '-0', note = 'a\u{fffd}b', height = 3",
    ));
    let server = home.serve();
    let seen = tag_of(&server, "/things/1/");
    let answer = server.send(&put("/things/1/", &seen, r#"{"name":"b"}"#));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(tag_of(&server, "/things/1/"), tag(&answer));
}

#[test]
fn lists_creates_deletes_errors_and_schemas_have_no_tag() {
    let server = book();
    for request in [
        "GET /users/",
        "HEAD /users/",
        "GET /users/?id=1",
        r#"POST /users/ {"first_name":"a","last_name":"b"}"#,
        "GET /users/99/",
        r#"PUT /users/1/ {"first_name":1}"#,
        "DELETE /users/2/",
        "OPTIONS /users/1/",
        "GET /schema/",
        "GET /",
    ] {
        let answer = server.ask(request);
        assert_eq!(answer.header("ETag"), None, "{request}: {answer:?}");
    }
    let preferred = server.ask(
        r#"POST /users/
           Content-Type: application/json
           Prefer: return=representation

           {"first_name":"a","last_name":"b"}"#,
    );
    assert_eq!((preferred.status, preferred.header("ETag")), (201, None), "{preferred:?}");
}

#[test]
fn who_has_the_description_of_the_service_is_told_so() {
    let server = book();
    let first = server.ask("GET /openapi.json");
    let tag = tag(&first);
    assert_eq!(first.header("Cache-Control"), Some("no-cache"));
    for encoding in ["identity", "gzip", "zstd"] {
        let ask = |method: &str, held: &str| {
            let request = Request::new(&format!("{method} /openapi.json"));
            server.send(&request.header("Accept-Encoding", encoding).header("If-None-Match", held))
        };
        let other = ask("HEAD", OTHER);
        assert_eq!(other.status, 200);
        let coded = other.header("ETag").unwrap();
        for held in [tag.as_str(), coded, &format!("W/{tag}"), "*"] {
            let again = ask("GET", held);
            assert_eq!((again.status, again.header("ETag")), (304, Some(coded)), "{encoding} {held}");
            assert_eq!((again.header("Cache-Control"), again.body.len()), (Some("no-cache"), 0));
        }
    }
}

#[test]
fn the_headers_mean_nothing_on_lists_and_creates() {
    let server = book();
    for header in ["If-Match", "If-None-Match"] {
        for value in ["*", OTHER] {
            for (line, body, status) in [
                ("GET /users/", None, 200),
                ("POST /users/", Some(r#"{"first_name":"a","last_name":"b"}"#), 201),
                ("GET /schema/users/", None, 200),
            ] {
                let request = Request::new(line).header(header, value);
                let request = if let Some(body) = body { request.json(body) } else { request };
                let answer = server.send(&request);
                assert_eq!(answer.status, status, "{request:?}: {answer:?}");
            }
        }
    }
}

#[test]
fn a_client_that_has_the_record_is_told_so_and_keeps_its_connection() {
    let server = book();
    let seen = tag_of(&server, "/users/1/");
    let mut client = server.client();
    for _ in 0..3 {
        is_not_modified(&fetch_with(&mut client, "GET /users/1/", &[&seen]), &seen);
        is_not_modified(&fetch_with(&mut client, "HEAD /users/1/", &[&seen]), &seen);
        let whole = client.ask("GET /users/1/");
        assert_eq!((whole.text(&server.base_url()), tag(&whole)), (expected_text(JOHN), seen.clone()));
    }
    assert_eq!(client.opened(), 1);
}

/// The text of an answer with a body and no header to show.
fn expected_text(answer: &str) -> String {
    dev::answer::expected(answer)
}

#[test]
fn a_client_whose_copy_is_old_gets_the_record() {
    let server = book();
    let old = tag_of(&server, "/users/1/");
    let new = tag(&server.ask(r#"PUT /users/1/ {"address":null}"#));
    let mut client = server.client();
    let answer = fetch_with(&mut client, "GET /users/1/", &[&old]);
    assert_eq!((answer.status, tag(&answer)), (200, new.clone()));
    assert_eq!(answer.json()["address"], serde_json::Value::Null);
    is_not_modified(&fetch_with(&mut client, "GET /users/1/", &[&new]), &new);
}

#[test]
fn a_tag_may_be_one_of_several_weakened_or_any() {
    let server = book();
    let seen = tag_of(&server, "/users/1/");
    let mut client = server.client();
    for held in [
        vec!["*"],
        vec![" * "],
        vec![&format!("W/{seen}")],
        vec![&format!("{OTHER}, {seen}")],
        vec![&format!("\"a\",W/\"b\" ,\t{seen},")],
        vec![OTHER, &seen],
        vec![&seen, OTHER],
        vec!["nonsense", &format!("W/{seen}")],
    ] {
        is_not_modified(&fetch_with(&mut client, "GET /users/1/", &held), &seen);
    }
    for held in
        [vec![OTHER], vec![""], vec!["\"\""], vec![seen.trim_matches('"')], vec!["\"*\""], vec!["W/*"]]
    {
        assert_eq!(fetch_with(&mut client, "GET /users/1/", &held).status, 200, "{held:?}");
    }
    let gone = fetch_with(&mut client, "GET /users/99/", &["*"]);
    assert_eq!((gone.status, gone.header("ETag")), (404, None), "{gone:?}");
}

#[test]
fn access_and_the_rate_limit_come_before_a_304_and_are_told_on_it() {
    let home = crate::support::home::Home::new(&configs::guarded_and_rate_limited(3));
    home.add_key("tests", "a-key-for-the-tests");
    let server = home.serve();
    let with_key = |line: &str| Request::new(line).header("X-API-Key", "a-key-for-the-tests");
    server.send(&with_key("POST /users/").json(r#"{"first_name":"a","last_name":"b"}"#)).created_id();
    let mut client = server.client();
    assert_eq!(client.send(&Request::new("GET /users/1/").header("If-None-Match", "*")).status, 401);
    assert_eq!(client.send(&put("/users/1/", OTHER, "{}")).status, 401);
    let held = client.try_send(&with_key("GET /users/1/").header("If-None-Match", "*")).unwrap();
    assert_eq!(held.status, 304, "{held:?}");
    assert!(held.header("RateLimit").is_some() && held.header("RateLimit-Policy").is_some(), "{held:?}");
    assert_eq!(client.send(&with_key("DELETE /users/1/").header("If-Match", OTHER)).status, 412);
    assert_eq!(client.send(&with_key("GET /users/1/").header("If-None-Match", "*")).status, 429);
}

#[test]
fn an_update_of_what_the_client_has_seen_goes_through() {
    let server = book();
    let seen = tag_of(&server, "/users/1/");
    let answer = server.send(&put("/users/1/", &seen, r#"{"last_name":"Roe"}"#));
    assert_eq!((answer.status, answer.json()["last_name"].as_str()), (200, Some("Roe")));
    // The tag of the answer is what the next update may name.
    let next = server.send(&put("/users/1/", &tag(&answer), r#"{"last_name":"Doe"}"#));
    assert_eq!((next.status, tag(&next)), (200, seen));
}

#[test]
fn an_update_of_something_else_is_refused_and_changes_nothing() {
    let server = book();
    let stale = tag_of(&server, "/users/1/");
    server.ask(r#"PUT /users/1/ {"last_name":"Roe"}"#);
    let before = server.contents();
    server.check_request(&put("/users/1/", &stale, r#"{"first_name":"Jane"}"#), CHANGED);
    server.check_request(&put("/users/1/", &stale, "{}"), CHANGED);
    server.check_request(&put("/users/1/", &tag_of(&server, "/address/1/"), "{}"), CHANGED);
    assert_eq!(server.contents(), before);
    let refused = server.send(&put("/users/1/", &stale, "{}"));
    assert_eq!(refused.header("ETag"), None, "a client should look, not try again: {refused:?}");
    let home = server.stop();
    assert_eq!(home.query("SELECT first_name || ' ' || last_name FROM users"), ["John Roe"]);
}

#[test]
fn without_the_header_the_last_one_wins_as_ever() {
    let server = book();
    server.ask(r#"PUT /users/1/ {"last_name":"Roe"}"#);
    assert_eq!(server.status(r#"PUT /users/1/ {"last_name":"Poe"}"#), 200);
    // It is none of those that this one names.
    let request = Request::new("PUT /users/1/").header("If-None-Match", OTHER).json(r#"{"last_name":"Moe"}"#);
    assert_eq!(server.send(&request).status, 200);
    assert_eq!(server.status("DELETE /users/1/"), 200);
}

#[test]
fn if_match_may_name_several_or_any_and_each_counts() {
    let server = book();
    let seen = tag_of(&server, "/users/1/");
    for value in [
        "*".to_owned(),
        " * ".to_owned(),
        seen.clone(),
        format!("{OTHER}, {seen}"),
        format!("{seen},{OTHER}"),
        format!("\"a\" ,W/\"b\",,\t{seen}\t,"),
    ] {
        server.check_request(&put("/users/1/", &value, "{}"), JOHN);
    }
    let two_lines =
        Request::new("PUT /users/1/").header("If-Match", OTHER).header("If-Match", &seen).json("{}");
    server.check_request(&two_lines, JOHN);
    server.check_request(&put("/users/1/", &format!("{OTHER}, \"x\""), "{}"), CHANGED);
}

#[test]
fn a_weak_tag_and_nonsense_never_match() {
    let server = book();
    let seen = tag_of(&server, "/users/1/");
    let digits = seen.trim_matches('"');
    for value in [
        format!("W/{seen}"),
        format!("w/{seen}"),
        String::new(),
        ",".to_owned(),
        "\"é\"".to_owned(),
        "\"\"".to_owned(),
        "\"".to_owned(),
        digits.to_owned(),
        format!("'{digits}'"),
        format!("\"{digits}"),
        format!("\"{digits}0\""),
        format!("\"{}\"", &digits[1..]),
        format!("\"+{}\"", &digits[1..]),
        format!("\" {digits}\""),
        format!("\"{}\"", digits.to_uppercase().replace(|c: char| c.is_ascii_digit(), "A")),
        "\"*\"".to_owned(),
        "W/*".to_owned(),
        format!("*, {OTHER}"),
        "x".repeat(4_000),
    ] {
        server.check_request(&put("/users/1/", &value, r#"{"first_name":"Jane"}"#), CHANGED);
        let delete = Request::new("DELETE /users/1/").header("If-Match", &value);
        server.check_request(&delete, CHANGED);
    }
    server.check("GET /users/1/", JOHN);
}

#[test]
fn an_unknown_id_is_not_found_whatever_the_client_has_seen() {
    let server = book();
    for value in ["*", OTHER, "nonsense"] {
        for body in ["{}", "{not json", r#"{"first_name":1}"#] {
            server.check_request(&put("/users/99/", value, body), NOT_FOUND);
        }
        server.check_request(&Request::new("DELETE /users/99/").header("If-Match", value), NOT_FOUND);
    }
    let seen = tag_of(&server, "/users/1/");
    assert_eq!(server.status("DELETE /users/1/"), 200);
    server.check_request(&put("/users/1/", &seen, "{}"), NOT_FOUND);
    server.check_request(&put("/users/1/", "*", "{}"), NOT_FOUND);
}

#[test]
fn a_body_that_cannot_be_read_comes_before_what_the_client_has_seen() {
    let server = book();
    let text = Request::new("PUT /users/1/").header("If-Match", OTHER).header("Content-Type", "text/plain");
    server.refuses_request(&text.body(r#"{"first_name":"Jane"}"#), 415);
    for body in ["{not json", "", "[]", "5", "\"x\"", r#"{"first_name":"a","first_name":"b"}"#] {
        server.refuses_request(&put("/users/1/", OTHER, body), 400);
    }
    server.refuses_request(&Request::new("PUT /users/1/").header("If-Match", OTHER), 400);
    server.refuses_request(&Request::new("PATCH /users/1/").header("If-Match", OTHER).json("{}"), 405);
    server.check("GET /users/1/", JOHN);
}

#[test]
fn what_the_client_has_seen_comes_before_validation() {
    let server = Server::start(&configs::unique());
    server.create_user("John", "Doe");
    server.create_user("Jane", "Doe");
    let seen = tag_of(&server, "/users/1/");
    for (body, message) in [
        (r#"{"first_name":1}"#, "first_name does not validate"),
        (r#"{"first_name":null}"#, "first_name does not validate"),
        (r#"{"age":1}"#, "age is not a field of users"),
        (r#"{"id":2}"#, "id cannot be changed"),
        (r#"{"ressource_uri":"/users/2/"}"#, "ressource_uri cannot be changed"),
        (r#"{"address":99}"#, "address does not validate"),
        (r#"{"first_name":"Jane"}"#, "first_name,last_name must be unique together"),
    ] {
        server.check_request(&put("/users/1/", OTHER, body), CHANGED);
        let fault = format!(r#"400 Bad Request {{"error":"{message}"}}"#);
        server.check_request(&put("/users/1/", &seen, body), &fault);
        server.check_request(&put("/users/1/", "*", body), &fault);
    }
    assert_eq!(tag_of(&server, "/users/1/"), seen);
}

#[test]
fn a_delete_takes_only_what_the_client_has_seen() {
    let server = book();
    let delete = |seen: &str| Request::new("DELETE /users/1/").header("If-Match", seen);
    let stale = tag_of(&server, "/users/1/");
    let seen = tag(&server.ask(r#"PUT /users/1/ {"last_name":"Roe"}"#));
    server.check_request(&delete(&stale), CHANGED);
    server.check_request(&delete(&format!("W/{seen}")), CHANGED);
    assert_eq!(server.total("/users/"), 1);
    server.check_request(&delete(&format!("{stale}, {seen}")), "200 OK\nContent-Length: 0");
    server.check("GET /users/1/", NOT_FOUND);
    server.check_request(&delete(&seen), NOT_FOUND);
    let id = server.create_user("Ada", "Lovelace");
    let any = Request::new(&format!("DELETE /users/{id}/")).header("If-Match", "*");
    server.check_request(&any, "200 OK\nContent-Length: 0");
}

#[test]
fn what_the_client_has_seen_comes_before_the_deletion_rules() {
    let server = book();
    let delete = |seen: &str| Request::new("DELETE /address/1/").header("If-Match", seen);
    let seen = tag_of(&server, "/address/1/");
    server.check_request(&delete(OTHER), CHANGED);
    server.refuses_request(&delete(&seen), 409);
    server.refuses_request(&delete("*"), 409);
    assert_eq!(server.status("DELETE /users/1/"), 200);
    server.check_request(&delete(&seen), "200 OK\nContent-Length: 0");
}

#[test]
fn a_record_that_a_deletion_rule_has_changed_has_another_tag() {
    let server = Server::start(&configs::on_delete("set_null"));
    server.create_address();
    server.create("/users/", r#"{"first_name":"John","last_name":"Doe","address":1}"#);
    let seen = tag_of(&server, "/users/1/");
    assert_eq!(server.status("DELETE /address/1/"), 200);
    assert_ne!(tag_of(&server, "/users/1/"), seen);
    server.check_request(&put("/users/1/", &seen, "{}"), CHANGED);
}

#[test]
fn a_patch_is_judged_like_a_put() {
    let server = Server::start(&configs::verbs(r#"["GET", "POST"]"#, r#"["GET", "PATCH"]"#));
    server.create_user("John", "Doe");
    let patch = |seen: &str, body: &str| {
        let request = Request::new("PATCH /users/1/").header("If-Match", seen);
        request.header("Content-Type", "application/merge-patch+json").body(body)
    };
    let seen = tag_of(&server, "/users/1/");
    server.check_request(&patch(OTHER, r#"{"last_name":"Roe"}"#), CHANGED);
    server.check_request(&patch(OTHER, r#"{"last_name":1}"#), CHANGED);
    server.refuses_request(&patch(OTHER, "{not json"), 400);
    let answer = server.send(&patch(&seen, r#"{"last_name":"Roe"}"#));
    assert_eq!((answer.status, tag(&answer)), (200, tag_of(&server, "/users/1/")));
    server.check_request(&patch(&seen, r#"{"last_name":"Poe"}"#), CHANGED);
}

#[test]
fn the_document_describes_304_and_412() {
    let server = book();
    let document = server.ask("GET /openapi.json").json();
    let item = &document["paths"]["/users/{id}/"];
    for (method, status) in [("get", "304"), ("head", "304"), ("put", "412"), ("delete", "412")] {
        assert!(item[method]["responses"][status].is_object(), "{method} {status}");
    }
    for method in ["get", "head", "put"] {
        assert!(item[method]["responses"]["200"]["headers"]["ETag"].is_object(), "{method}");
    }
    assert!(document["paths"]["/users/"]["get"]["responses"]["304"].is_null());
}

#[test]
fn of_32_racing_updates_that_have_seen_the_same_exactly_one_wins() {
    let server = book();
    for round in 0..5 {
        let seen = tag_of(&server, "/users/1/");
        let answers = race(32, |thread| {
            let body = format!(r#"{{"first_name":"r{round}t{thread}"}}"#);
            server.client().send(&put("/users/1/", &seen, &body))
        });
        let winners: Vec<&Answer> = answers.iter().filter(|answer| answer.status == 200).collect();
        assert_eq!(winners.len(), 1, "{answers:?}");
        assert_eq!(answers.iter().filter(|answer| answer.status == 412).count(), 31, "{answers:?}");
        assert_eq!(server.ask("GET /users/1/").body, winners[0].body);
        assert_eq!(tag_of(&server, "/users/1/"), tag(winners[0]));
    }
}

#[test]
fn of_racing_deletes_and_updates_that_have_seen_the_same_exactly_one_wins() {
    let server = Server::start(&configs::built_in());
    for _ in 0..10 {
        let path = format!("/users/{}/", server.create_user("John", "Doe"));
        let seen = tag_of(&server, &path);
        let statuses = race(8, |thread| {
            let request = if thread % 2 == 0 {
                Request::new(&format!("DELETE {path}")).header("If-Match", &seen)
            } else {
                put(&path, &seen, &format!(r#"{{"first_name":"t{thread}"}}"#))
            };
            server.client().send(&request).status
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| matches!(status, 200 | 404 | 412)), "{statuses:?}");
        let is_deleted = statuses.iter().step_by(2).any(|status| *status == 200);
        assert_eq!(server.status(&format!("GET {path}")), if is_deleted { 404 } else { 200 });
        // Only a record that is gone is not found.
        assert!(is_deleted || !statuses.contains(&404), "{statuses:?}");
    }
}

#[test]
fn no_update_is_lost_among_clients_that_look_before_they_write() {
    const CLIENTS: usize = 8;
    const INCREMENTS: i64 = 25;
    let server = Server::start(&configs::built_in());
    server.create("/address/", r#"{"country":"France","city":"Paris","street":"Rivoli","number":0}"#);
    let written: Vec<i64> = race(CLIENTS, |_| {
        let mut client = server.client();
        let mut written = Vec::new();
        while (written.len() as i64) < INCREMENTS {
            let fetched = client.ask("GET /address/1/");
            let next = fetched.json()["number"].as_i64().unwrap() + 1;
            let answer = client.send(&put("/address/1/", &tag(&fetched), &format!(r#"{{"number":{next}}}"#)));
            match answer.status {
                200 => written.push(next),
                412 => {}
                status => panic!("{status}: {answer:?}"),
            }
        }
        written
    })
    .concat();
    let all = CLIENTS as i64 * INCREMENTS;
    assert_eq!(server.ask("GET /address/1/").json()["number"], all);
    assert_eq!(written.iter().copied().collect::<BTreeSet<_>>(), (1..=all).collect(), "each value once");
}

#[test]
fn a_write_with_if_none_match_changes_only_what_is_not_named() {
    let server = book();
    let current = tag_of(&server, "/users/1/");
    let with = |line: &str, tags: &str| Request::text(line).header("If-None-Match", tags);
    let put = r#"PUT /users/1/ {"first_name":"Jane"}"#;
    for tags in ["*", &current, &format!("W/{current}"), &format!("{OTHER}, {current}")] {
        server.check_request(&with(put, tags), UNWANTED);
        server.check_request(&with("DELETE /users/1/", tags), UNWANTED);
        // What is wrong with the fields comes after.
        server.check_request(&with(r#"PUT /users/1/ {"first_name":1}"#, tags), UNWANTED);
    }
    server.check("GET /users/1/", JOHN);
    // With both, the record must be one that the first names and the second does not.
    server.check_request(&with(put, &current).header("If-Match", &current), UNWANTED);
    server.check_request(&with("DELETE /users/1/", "*").header("If-Match", &current), UNWANTED);
    server.check_request(
        &with(r#"PUT /users/1/ {"first_name":1}"#, &current).header("If-Match", "*"),
        UNWANTED,
    );
    server.check_request(&with(put, "*").header("If-Match", OTHER), CHANGED);
    server.check_request(&with("PUT /users/9/ {}", "*"), NOT_FOUND);
    server.check_request(&with("DELETE /users/9/", "*"), NOT_FOUND);
    assert_eq!(server.send(&with(put, OTHER)).status, 200);
    assert_eq!(server.send(&with(put, OTHER).header("If-Match", "*")).status, 200);
    assert_eq!(server.send(&with("DELETE /users/1/", OTHER)).status, 200);
}

#[test]
fn a_tag_that_is_not_ascii_does_not_hide_the_one_beside_it() {
    let server = book();
    let current = tag_of(&server, "/users/1/");
    for tags in
        [format!("\"é\", {current}"), format!("{current}, \"é\""), format!("\"\u{ff}\",{current},\"x\"")]
    {
        let held = Request::new("GET /users/1/").header("If-None-Match", &tags);
        assert_eq!(server.send(&held).status, 304, "{tags}");
        let put = Request::text(r#"PUT /users/1/ {"first_name":"John"}"#).header("If-Match", &tags);
        assert_eq!(server.send(&put).status, 200, "{tags}");
    }
    let none = Request::new("GET /users/1/").header("If-None-Match", "\"é\"");
    assert_eq!(server.send(&none).status, 200);
}
