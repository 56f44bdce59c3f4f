//! Problem details of batches and upserts: the first fault, and where it is.

use dev::configs;
use dev::request::Request;
use serde_json::{Value, json};

use crate::support::batch::{address, batch, put_user, user};
use crate::support::server::Server;

const PROBLEM: &str = "application/problem+json";
const REFERENCE: &str = "the id of a record of address; or null";

fn server() -> Server {
    Server::start(&configs::users(
        "list_verbs = [\"GET\", \"POST\", \"PUT\"]\nunique = [[\"first_name\", \"last_name\"]]",
        "[collection.pagination]\npage_size = 20",
    ))
}

/// The type, and the faults, of a request that is refused with 400.
#[track_caller]
fn faults(server: &Server, request: &Request) -> (String, Value) {
    let answer = server.send(&request.clone().header("Accept", PROBLEM));
    assert_eq!(answer.status, 400, "{answer:?}");
    let problem = answer.json();
    let (_, kind) = problem["type"].as_str().unwrap().rsplit_once('/').unwrap();
    (kind.to_owned(), problem["errors"].clone())
}

#[test]
fn the_fault_of_a_batch_has_its_place() {
    let server = server();
    let raw = |body: &str| Request::new("POST /_/batch/").json(body);
    let one = |item: &str| batch(&[address(1), item.to_owned()]);
    let object = "a JSON object";
    for (request, error) in [
        (raw("[]"), json!({"pointer": "", "detail": "The body is not a JSON object", "accepted": object})),
        (
            raw(""),
            json!({"pointer": "", "detail": "The body is empty. Send a JSON object", "accepted": object}),
        ),
        (raw("{}"), json!({"pointer": "/requests", "detail": "requests is missing. Send 1 to 1000 items"})),
        (
            raw(r#"{"requests":{}}"#),
            json!({
                "pointer": "/requests",
                "detail": "requests does not validate: it is an array of 1 to 1000 items",
            }),
        ),
        (
            raw(r#"{"request":[]}"#),
            json!({
                "pointer": "/request",
                "detail": "there is no field request; did you mean requests?",
                "accepted": "requests",
                "suggestion": "requests",
            }),
        ),
        (one("7"), json!({"pointer": "/requests/1", "detail": "item 1 is not a JSON object"})),
        (
            one(r#"{"metod":"POST"}"#),
            json!({
                "pointer": "/requests/1/metod",
                "detail": "there is no field metod; did you mean method?",
                "accepted": "one of method, path, body, by, if_match, if_none_match",
                "suggestion": "method",
            }),
        ),
        (one("{}"), json!({"pointer": "/requests/1/method", "detail": "method is missing"})),
        (
            one(r#"{"method":"GET"}"#),
            json!({
                "pointer": "/requests/1/method",
                "detail": "method does not validate: it is POST, PUT, PATCH or DELETE",
            }),
        ),
        (
            one(r#"{"method":"POST","path":"/users/?a"}"#),
            json!({"pointer": "/requests/1/path", "detail": "path does not validate: it has no query"}),
        ),
        (
            one(&put_user("$0", "{}")),
            json!({
                "pointer": "/requests/1/path",
                "detail": "$0 is not an earlier item that creates a record of users",
            }),
        ),
        (
            one(&user("Ada", r#""$7""#)),
            json!({
                "pointer": "/requests/1/body/address",
                "detail": "$7 is not an earlier item that creates a record of address",
                "accepted": REFERENCE,
            }),
        ),
        (
            one(&user("Ada", "true")),
            json!({
                "pointer": "/requests/1/body/address",
                "detail": "a boolean where an integer is wanted",
                "value": "true",
                "accepted": REFERENCE,
            }),
        ),
        (
            one(&put_user(1, "[]")),
            json!({
                "pointer": "/requests/1/body",
                "detail": "The body is not a JSON object",
                "accepted": object,
            }),
        ),
    ] {
        assert_eq!(faults(&server, &request), ("invalid-body".into(), json!([error])), "{request:?}");
    }
    let request = raw("{x");
    let (kind, errors) = faults(&server, &request);
    assert_eq!((kind.as_str(), &errors[0]["pointer"]), ("invalid-body", &json!("")), "{errors}");
}

#[test]
fn the_parameters_of_an_upsert_are_told_as_those_of_a_list() {
    let server = server();
    let rule = "first_name,last_name";
    for (query, error) in [
        (
            "by=x",
            json!({
                "parameter": "by",
                "detail": "there is no such unique rule",
                "value": "x",
                "accepted": rule,
            }),
        ),
        ("zz=1", json!({"parameter": "zz", "detail": "there is no parameter zz", "accepted": "by"})),
        (
            "by=first_name,last_name&by=x",
            json!({"parameter": "by", "detail": "the parameter is given more than once"}),
        ),
    ] {
        let request = Request::text(&format!("PUT /users/?{query} {{}}"));
        assert_eq!(faults(&server, &request), ("invalid-query".into(), json!([error])), "{query}");
    }
    let item = r#"{"method":"PUT","path":"/users/","by":"x","body":{}}"#;
    let error = json!({
        "pointer": "/requests/0/by",
        "detail": "there is no such unique rule",
        "value": "x",
        "accepted": rule,
    });
    // A batch has no query.
    assert_eq!(faults(&server, &batch(&[item])), ("invalid-body".into(), json!([error])));
}

#[test]
fn what_an_upsert_lacks_is_a_value_and_not_null() {
    let server = Server::start(
        "[[collection]]\nname = \"people\"\nunique = [[\"name\", \"nick\"]]\nlist_verbs = [\"GET\", \"POST\", \"PUT\"]\n\
         [collection.fields]\nname = { type = \"string\", required = true }\nnick = { type = \"string\" }\n",
    );
    let error = |pointer: &str| {
        json!([{
            "pointer": pointer,
            "detail": "records are found by name,nick, and it has no value",
            "accepted": "a string without the character U+0000",
        }])
    };
    let body = r#"{"name":"x"}"#;
    let alone = Request::text(&format!("PUT /people/ {body}"));
    assert_eq!(faults(&server, &alone).1, error("/nick"));
    let item = format!(r#"{{"method":"PUT","path":"/people/","body":{body}}}"#);
    assert_eq!(faults(&server, &batch(&[item])).1, error("/requests/0/body/nick"));
}
