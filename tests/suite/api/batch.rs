//! `POST /_/batch/`: what a batch does and answers.

use dev::configs;
use dev::request::Request;
use serde_json::json;

use crate::support::batch::{address, batch, delete, put_user, user};
use crate::support::server::Server;

#[test]
fn a_batch_writes_to_all_collections_and_later_items_use_the_ids_of_earlier_ones() {
    let server = Server::start(&configs::built_in());
    server.create_address();
    server.create_user("John", "Doe");
    server.create_user("Jane", "Doe");
    let tag = server.ask("GET /users/1/").header("ETag").unwrap().to_owned();
    let guarded = put_user(1, r#"{"address":"$0"}"#).replacen(
        '}',
        &format!(r#"}},"if_match":{}"#, serde_json::to_string(&tag).unwrap()),
        1,
    );
    server.check_request(
        &batch(&[address(42), user("Ada", r#""$0""#), guarded, delete("/users/2/")]),
        r#"200 OK {"results":[{"status":201,"ressource_uri":"/address/2/"},{"status":201,"ressource_uri":"/users/3/"},{"status":200,"ressource_uri":"/users/1/"},{"status":200}]}"#,
    );
    let users: Vec<_> =
        server.walk("/users/").iter().map(|user| json!([user["id"], user["address"]])).collect();
    assert_eq!(users, [json!([1, 2]), json!([3, 2])]);
    assert_eq!(server.ask("GET /address/2/").json()["number"], 42);
}

#[test]
fn paths_name_records_of_earlier_items_and_later_items_see_what_earlier_ones_did() {
    let server = Server::start(&configs::built_in());
    let items = [
        address(1),
        user("Ada", r#""$0""#),
        put_user("$1", r#"{"last_name":"Lovelace"}"#),
        put_user("$1", r#"{"address":null}"#),
        delete("/address/$0"),
    ];
    let answer = server.send(&batch(&items).header("Prefer", "return=representation"));
    assert_eq!(answer.header("Preference-Applied"), Some("return=representation"));
    let record = |last_name: &str, address: &str| {
        format!(
            r#""ressource_uri":"/users/1/","record":{{"first_name":"Ada","last_name":"{last_name}","address":{address},"id":1,"ressource_uri":"/users/1/"}}"#
        )
    };
    let address = r#""record":{"country":"France","city":"Paris","street":"quai de Valmy","number":1,"ressource_uri":"/address/1/"}"#;
    let expected = [
        format!(r#"{{"status":201,"ressource_uri":"/address/1/",{address}}}"#),
        format!(r#"{{"status":201,{}}}"#, record("Doe", "1")),
        format!(r#"{{"status":200,{}}}"#, record("Lovelace", "1")),
        format!(r#"{{"status":200,{}}}"#, record("Lovelace", "null")),
        r#"{"status":200}"#.into(),
    ];
    assert_eq!(answer.body_text(), format!(r#"{{"results":[{}]}}"#, expected.join(",")));
    assert_eq!((server.total("/address/"), server.total("/users/")), (0, 1));
}

#[test]
fn patch_is_the_partial_put_and_an_empty_body_changes_nothing() {
    let server = Server::start(&configs::verbs(r#"["GET", "POST"]"#, r#"["GET", "PUT", "PATCH"]"#));
    server.create_user("John", "Doe");
    let patch =
        put_user(1, r#"{"last_name":"Roe","id":1,"ressource_uri":"/users/1/"}"#).replace("PUT", "PATCH");
    server.check_request(
        &batch(&[patch, put_user(1, "{}")]),
        r#"200 OK {"results":[{"status":200,"ressource_uri":"/users/1/"},{"status":200,"ressource_uri":"/users/1/"}]}"#,
    );
    assert_eq!(server.ask("GET /users/1/").json()["last_name"], "Roe");
}

#[test]
fn an_upsert_in_a_batch_finds_or_creates_and_both_can_be_referred_to() {
    let server = Server::start(&configs::users(
        "list_verbs = [\"GET\", \"POST\", \"PUT\"]\nunique = [[\"first_name\"], [\"first_name\", \"last_name\"]]",
        "",
    ));
    server.create_user("John", "Doe");
    let upsert = |name: &str, rest: &str| {
        let body = format!(r#"{{"first_name":"{name}","last_name":"Roe"}}"#);
        format!(r#"{{"method":"PUT","path":"/users/","body":{body}{rest}}}"#)
    };
    server.check_request(
        &batch(&[
            upsert("John", r#","by":"first_name""#),
            upsert("Ada", r#","if_none_match":"*""#),
            put_user("$0", r#"{"last_name":"Poe"}"#),
            delete("/users/$1/"),
        ]),
        r#"200 OK {"results":[{"status":200,"ressource_uri":"/users/1/"},{"status":201,"ressource_uri":"/users/2/"},{"status":200,"ressource_uri":"/users/1/"},{"status":200}]}"#,
    );
    assert_eq!(server.ask("GET /users/").json()["object_list"][0]["last_name"], "Poe");
    let refused = server.send(&batch(&[upsert("John", r#","if_none_match":"*""#)]));
    assert_eq!(
        (refused.status, refused.error()),
        (412, "item 0: The record is one that If-None-Match names. Nothing was changed".into())
    );
}

#[test]
fn a_thousand_items_are_one_commit_and_are_counted() {
    let server = Server::start(&configs::built_in());
    let before = server.metric("carnet_store_commits_total");
    let items: Vec<String> = (0..1_000).map(address).collect();
    let answer = server.send(&batch(&items));
    assert_eq!(answer.json()["results"][999]["ressource_uri"], "/address/1000/");
    assert_eq!(server.total("/address/"), 1_000);
    assert_eq!(server.total("/address/?number=999"), 1);
    assert_eq!(server.metric("carnet_store_commits_total"), before + 1);
    assert_eq!(server.metric("carnet_batch_items_count"), 1);
    assert!(server.ask("GET /metrics").body_text().contains("\ncarnet_batch_items_sum 1000.0\n"));
    let changes = r#"carnet_record_changes_total{collection="address",deed="created"}"#;
    assert_eq!(server.metric(changes), 1_000);
}

#[test]
fn the_path_takes_post_alone() {
    let server = Server::start(&configs::built_in());
    server.check("OPTIONS /_/batch", "204 No Content\nAllow: OPTIONS, POST");
    assert_eq!(
        server.refuses("GET /_/batch/", 405),
        "The method is not allowed for the requested URL. Allowed: POST, OPTIONS"
    );
    let request = Request::new("POST /_/batch/").header("Content-Type", "text/plain").body("{}");
    server.refuses_request(&request, 415);
}

#[test]
fn a_batch_is_sent_again_by_its_key_and_told_the_same() {
    let server = Server::start(&configs::built_in());
    let good = batch(&[address(1), user("Ada", r#""$0""#), delete("/users/$1/")]).key("good");
    let shown =
        batch(&[address(2), user("Ada", r#""$0""#)]).header("Prefer", "return=representation").key("shown");
    let bad = batch(&[address(3), user("Ada", "99")]).key("bad");
    for (request, status) in [(&good, 200), (&shown, 200), (&bad, 400)] {
        let (first, again) = (server.send(request), server.send(request));
        assert_eq!((first.status, first.header("Idempotency-Replayed")), (status, None), "{first:?}");
        assert_eq!((again.lasting(), again.header("Idempotency-Replayed")), (first.lasting(), Some("true")));
    }
    assert_eq!(server.send(&bad).error(), "item 1: address does not validate");
    assert_eq!((server.total("/address/"), server.total("/users/")), (2, 1));
    let other = batch(&[address(1)]).key("good");
    server.refuses_request(&other, 422);
}

#[test]
fn a_large_record_is_shown_again_as_long_as_it_is_the_same() {
    let server = Server::start(&configs::built_in());
    let long = "x".repeat(5_000);
    let request =
        batch(&[address(1), user(&long, "null")]).header("Prefer", "return=representation").key("k");
    let first = server.send(&request);
    assert_eq!(first.json()["results"][1]["record"]["first_name"], *long);
    assert_eq!(server.send(&request).lasting(), first.lasting());
    server.ask(r#"PUT /users/1/ {"first_name":"Ada"}"#);
    server.refuses_request(&request, 409);
}

#[test]
fn records_that_are_too_large_to_be_shown_together_are_refused_for_good() {
    let server = Server::start(&configs::built_in());
    server.create_user(&"x".repeat(900_000), "Doe");
    let shown = |items: usize| {
        let items: Vec<String> = (0..items).map(|_| put_user(1, r#"{"last_name":"Roe"}"#)).collect();
        batch(&items).header("Prefer", "return=representation")
    };
    let message = "item 37: The records of the answer have more than 32 MiB together. Nothing was changed; send fewer \
                   items, or send them without Prefer: return=representation";
    for request in [shown(50), shown(50).key("k"), shown(50).key("k"), shown(38)] {
        let answer = server.send(&request);
        assert_eq!((answer.status, answer.error().as_str()), (413, message));
        assert_eq!((answer.header("Retry-After"), answer.header("Connection")), (None, None));
    }
    assert_eq!(server.ask("GET /users/1/").json()["last_name"], "Doe");
    let problem = server.send(&shown(50).header("Accept", "application/problem+json")).json();
    assert_eq!(problem["type"], "/openapi.json#/x-problems/answer-too-large");
    // An upsert that created its record has used an id by then, a create uses one, done or not.
    let config = "list_verbs = [\"GET\", \"POST\", \"PUT\"]\nunique = [[\"first_name\", \"last_name\"]]";
    let upserting = Server::start(&configs::users(config, "[collection.pagination]\npage_size = 20"));
    let long = format!(r#"{{"first_name":"{}","last_name":"Doe"}}"#, "x".repeat(900_000));
    upserting.create("/users/", &long);
    let mut items: Vec<String> = (0..37).map(|_| put_user(1, r#"{"last_name":"Roe"}"#)).collect();
    items.push(format!(r#"{{"method":"PUT","path":"/users/","body":{long}}}"#));
    items.push(user("Ada", "null"));
    let refused = upserting.send(&batch(&items).header("Prefer", "return=representation"));
    assert_eq!((refused.status, refused.error().as_str()), (413, message));
    assert_eq!(upserting.create_user("Eve", "Doe"), 4);
    // What is said helps.
    let items: Vec<String> = (0..50).map(|_| put_user(1, r#"{"last_name":"Roe"}"#)).collect();
    assert_eq!(server.send(&batch(&items)).status, 200);
    assert_eq!(server.send(&shown(37)).json()["results"][36]["record"]["last_name"], "Roe");
}
