//! Problem details (RFC 9457) for clients that name `application/problem+json`: why a request was refused, all faults
//! at once.

use dev::answer::Answer;
use dev::configs;
use dev::request::Request;
use serde_json::{Value, json};

use crate::support::home::Home;
use crate::support::server::Server;

const PROBLEM: &str = "application/problem+json";
const KEY: &str = "a-key-for-the-tests";
const INTEGER: &str = "an integer from -9223372036854775808 to 9223372036854775807";
const STRING: &str = "a string without the character U+0000";

/// Asks for a problem, and gets one.
#[track_caller]
fn problem_of(server: &Server, request: &Request, status: u16) -> Value {
    let answer = server.send(&request.clone().header("Accept", PROBLEM));
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.header("Content-Type"), Some(PROBLEM), "{answer:?}");
    answer.json()
}

#[track_caller]
fn problem(server: &Server, request: &str, status: u16) -> Value {
    problem_of(server, &Request::text(request), status)
}

/// The faults of a request that is refused with 400.
#[track_caller]
fn errors_of(server: &Server, request: &str) -> Value {
    problem(server, request, 400)["errors"].clone()
}

/// What is the same in both forms.
fn frame(answer: &Answer) -> Vec<String> {
    let own =
        ["Content-Type", "Content-Length", "Content-Encoding", "Date", "Vary", "X-Request-Id", "RateLimit"];
    let others =
        answer.headers.iter().filter(|(name, _)| !own.iter().any(|own| name.eq_ignore_ascii_case(own)));
    others.map(|(name, value)| format!("{name}: {value}")).collect()
}

#[test]
fn every_error_has_both_forms_which_agree() {
    let config = configs::guarded_and_rate_limited(1000);
    let home = Home::new(&format!("[server]\nmax_body = 1000\n{config}"));
    home.add_key("tests", KEY);
    let server = home.serve();
    server.create_address();
    server.create(&format!("/users/?accesskey={KEY}"), r#"{"first_name":"a","last_name":"b","address":1}"#);
    let document = server.ask("GET /openapi.json").json();
    let key = format!("accesskey={KEY}");
    let text = |text: &str| Request::text(text);
    for (status, request) in [
        (400, text("POST /address/ {")),
        (400, text("POST /address/ []")),
        (400, text("POST /address/")),
        (400, Request::new("POST /address/").json(b"\xff".to_vec())),
        (400, Request::new("POST /address/").json("[".repeat(40))),
        (400, text(r#"POST /address/ {"city":"a","city":"b"}"#)),
        (400, text("POST /address/ {}")),
        (400, text(r#"PUT /address/1/ {"number":"1"}"#)),
        (400, text("GET /address/?nope=1")),
        (400, text("HEAD /address/?nope=1")),
        (400, text("GET /address/?city=%FF")),
        (400, text(&format!("GET /address/?{}", "a=1&".repeat(65)))),
        (400, text(&format!("GET /users/?{key}&{key}"))),
        (400, text(&format!(r#"POST /users/?{key} {{"first_name":"a","last_name":"b","address":9}}"#))),
        (400, text(r#"POST /address/ {"country":"a","city":"b","street":"c","number":1}"#).key("")),
        (400, text("GET /address/").header("Host", "a b")),
        (400, text("GET /address/?city=\"Paris\"")),
        (401, text("GET /users/")),
        (401, text("HEAD /users/")),
        (403, text("GET /_/keys/").header("X-API-Key", KEY)),
        (403, text("DELETE /address/1/").header("Origin", "http://other.example")),
        (404, text("GET /nothing/")),
        (404, text("GET /address/99/")),
        (404, text("HEAD /address/99/")),
        (404, text("PUT /address/99/ {}")),
        (405, text("DELETE /address/")),
        (405, text("POST /schema/ {}")),
        (405, text("BREW /_/keys/")),
        (409, text("DELETE /address/1/")),
        (412, text("DELETE /address/1/").header("If-Match", "\"other\"")),
        (412, text("DELETE /address/1/").header("If-None-Match", "*")),
        (413, Request::new("POST /address/").json(vec![b' '; 1001])),
        (414, text(&format!("GET /{}", "x".repeat(9000)))),
        (415, Request::new("POST /address/").header("Content-Type", "text/plain").body("x")),
        (415, text("POST /address/ {}").header("Content-Encoding", "gzip")),
    ] {
        let plain = server.send(&request);
        let answer = server.send(&request.clone().header("Accept", PROBLEM));
        assert_eq!((plain.status, answer.status), (status, status), "{request:?}");
        assert_eq!(frame(&plain), frame(&answer), "{request:?}");
        assert_eq!(answer.header("Content-Type"), Some(PROBLEM), "{request:?}");
        assert!(answer.header("Vary").is_some_and(|vary| vary.ends_with("Accept")), "{answer:?}");
        if request.method == "HEAD" {
            continue;
        }
        let problem = answer.json();
        assert_eq!(problem["title"], plain.json()["error"], "{request:?}");
        let kind = problem["type"].as_str().unwrap().strip_prefix("/openapi.json#").unwrap();
        let described = document.pointer(kind).unwrap_or_else(|| panic!("{kind} is not described"));
        assert_eq!(described["status"], status, "{problem}");
    }
}

#[test]
fn who_does_not_name_it_gets_the_one_member() {
    let server = Server::start(&configs::built_in());
    let refused = "GET /users/?nope=1";
    let plain = server.ask(refused);
    for accept in [
        "*/*",
        "application/json",
        "application/*",
        "application/problem+json;q=0",
        "application/problem+json;q=0.5, application/json",
        "text/html, application/problem+xml",
    ] {
        let answer = server.send(&Request::new(refused).header("Accept", accept));
        assert_eq!(answer.lasting(), plain.lasting(), "{accept}");
    }
    for accept in [
        "application/problem+json;q=0.1",
        "Application/Problem+JSON",
        "application/json, application/problem+json",
        "application/json;q=0.9, */*;q=0.1, application/problem+json;q=0.9",
    ] {
        let answer = server.send(&Request::new(refused).header("Accept", accept));
        assert_eq!(answer.header("Content-Type"), Some(PROBLEM), "{accept}");
    }
    // Header fields that are too many are not read.
    let many = (0..120).fold(Request::new("GET /users/"), |request, _| request.header("X-Many", "1"));
    server.refuses_request(&many.header("Accept", PROBLEM), 431);
    let granted = server.send(&Request::new("GET /users/").header("Accept", PROBLEM));
    assert_eq!((granted.status, granted.header("Content-Type")), (200, Some("application/json")));
    assert_eq!(granted.header("Vary"), None);
}

#[test]
fn all_faults_of_a_body_are_told_at_once() {
    let server = Server::start(&configs::built_in());
    let body = r#"{"number":"42","city":1,"contry":"France","id":7,"city":2}"#;
    assert_eq!(
        problem(&server, &format!("POST /address/ {body}"), 400),
        json!({
            "type": "/openapi.json#/x-problems/invalid-body",
            "title": "city is given twice",
            "status": 400,
            "detail": "city: the member is given more than once (and 6 more)",
            "errors": [
                { "pointer": "/city", "detail": "the member is given more than once" },
                {
                    "pointer": "/contry",
                    "detail": "there is no field contry; did you mean country?",
                    "accepted": "one of country, city, street, number",
                    "suggestion": "country",
                },
                { "pointer": "/id", "detail": "the service assigns it; leave it out", "value": "7" },
                {
                    "pointer": "/country",
                    "detail": "a value is required, and none is given",
                    "accepted": STRING,
                },
                {
                    "pointer": "/city",
                    "detail": "a number where a string is wanted",
                    "value": "1",
                    "accepted": STRING,
                },
                {
                    "pointer": "/street",
                    "detail": "a value is required, and none is given",
                    "accepted": STRING,
                },
                {
                    "pointer": "/number",
                    "detail": "a string where an integer is wanted; write it without quotes",
                    "value": "\"42\"",
                    "accepted": INTEGER,
                },
            ],
        })
    );
    assert_eq!(server.total("/address/"), 0);
}

#[test]
fn all_faults_of_an_update_are_told_at_once() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let body = r#"{"id":2,"ressource_uri":"/users/3/","first_name":null,"address":"x"}"#;
    let problem = problem(&server, &format!("PUT /users/1/ {body}"), 400);
    assert_eq!(problem["title"], "id cannot be changed");
    let own = "it is not the record's own, which cannot be changed; leave it out";
    assert_eq!(
        problem["errors"],
        json!([
            { "pointer": "/id", "detail": own, "value": "2", "accepted": "1" },
            { "pointer": "/ressource_uri", "detail": own, "value": "\"/users/3/\"", "accepted": "\"/users/1/\"" },
            {
                "pointer": "/first_name",
                "detail": "null where a string is wanted",
                "value": "null",
                "accepted": STRING,
            },
            {
                "pointer": "/address",
                "detail": "a string where an integer is wanted",
                "value": "\"x\"",
                "accepted": "the id of a record of address; or null",
            },
        ])
    );
    // The record is judged before the body, and what the client has seen before the fields, as ever.
    assert_eq!(
        self::problem(&server, &format!("PUT /users/9/ {body}"), 404)["detail"],
        "There is no record 9 in users"
    );
    let seen = Request::text(&format!("PUT /users/1/ {body}")).header("If-Match", "\"other\"");
    let problem = problem_of(&server, &seen, 412);
    assert_eq!(problem["type"], "/openapi.json#/x-problems/precondition-failed");
    assert_eq!(problem.get("errors"), None);
}

#[test]
fn a_value_is_told_what_it_is_and_what_it_should_be() {
    let server = Server::start(&configs::kinds());
    let thing = |field: &str, value: &str| {
        let mut thing = json!({ "name": "a", "size": 1, "weight": 1.5, "fragile": true });
        thing[field] = Value::Null;
        thing.to_string().replace(&format!("\"{field}\":null"), &format!("\"{field}\":{value}"))
    };
    let double = "a number that a double can hold";
    for (field, value, detail, accepted) in [
        ("size", "1.0", "a number with a point or an exponent where an integer is wanted", INTEGER),
        ("size", "1e2", "a number with a point or an exponent where an integer is wanted", INTEGER),
        ("size", "-0", "minus zero is not an integer here; write 0", INTEGER),
        ("size", "9223372036854775808", "the integer has more than 64 bits", INTEGER),
        ("size", "true", "a boolean where an integer is wanted", INTEGER),
        ("size", "[1]", "an array where an integer is wanted", INTEGER),
        ("size", "{}", "an object where an integer is wanted", INTEGER),
        ("size", "null", "null where an integer is wanted", INTEGER),
        ("size", r#""x""#, "a string where an integer is wanted", INTEGER),
        ("weight", "1e999", "the number is too large or too small for a double", double),
        ("weight", r#""1.5""#, "a string where a number is wanted; write it without quotes", double),
        (
            "fragile",
            r#""true""#,
            "a string where true or false is wanted; write it without quotes",
            "true or false",
        ),
        ("fragile", "1", "a number where true or false is wanted", "true or false"),
        ("name", "5", "a number where a string is wanted", STRING),
        ("name", r#""a\u0000""#, "the string has the character U+0000, or half of a surrogate pair", STRING),
        ("sold", "1", "a number where true or false is wanted", "true or false; or null"),
    ] {
        let expected = json!([{
            "pointer": format!("/{field}"),
            "detail": detail,
            "value": value,
            "accepted": accepted,
        }]);
        assert_eq!(errors_of(&server, &format!("POST /things/ {}", thing(field, value))), expected);
    }
}

#[test]
fn all_faults_of_a_query_are_told_at_once() {
    let server = Server::start(&configs::built_in());
    let problem = problem(&server, "GET /users/?adress=1&offset=-1&count=21&address=x&id=1.0&offset=2", 400);
    assert_eq!(problem["type"], "/openapi.json#/x-problems/invalid-query");
    assert_eq!(problem["title"], "adress is not a field of users");
    assert_eq!(problem["detail"], "adress: there is no parameter adress; did you mean address? (and 5 more)");
    assert_eq!(
        problem["errors"],
        json!([
            {
                "parameter": "adress",
                "detail": "there is no parameter adress; did you mean address?",
                "accepted": "one of first_name, last_name, address, id, offset, count, search, sort, fields, expand, after",
                "suggestion": "address",
            },
            {
                "parameter": "offset",
                "detail": "the text is not an integer from 0 on",
                "value": "-1",
                "accepted": "an integer from 0 to 9223372036854775807",
            },
            {
                "parameter": "count",
                "detail": "the text is not an integer from 1 to 20",
                "value": "21",
                "accepted": "an integer from 1 to 20",
            },
            { "parameter": "address", "detail": "the text is not an integer", "value": "x", "accepted": INTEGER },
            { "parameter": "id", "detail": "the text is not an integer", "value": "1.0", "accepted": INTEGER },
            { "parameter": "offset", "detail": "the parameter is given more than once" },
        ])
    );
}

#[test]
fn faults_of_operators_sorts_fields_and_cursors_say_what_would_be_right() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let operators =
        "one of address.ne, address.in, address.null, address.lt, address.lte, address.gt, address.gte";
    let names = "names separated by commas, each one of first_name, last_name, address, id";
    let bad_fields = json!({
        "parameter": "fields",
        "detail": "it names no field",
        "value": "",
        "accepted": format!("{names}, ressource_uri"),
    });
    assert_eq!(
        errors_of(
            &server,
            "GET /users/?address.lr=1&address.gt=x&address.null=x&last_name.prefix=&last_name.gt=&sort=last_nam&fields=\
             &after=x&offset=0"
        ),
        json!([
            {
                "parameter": "address.lr",
                "detail": "there is no filter address.lr; did you mean address.lt?",
                "accepted": operators,
                "suggestion": "address.lt",
            },
            { "parameter": "address.gt", "detail": "the text is not an integer", "value": "x", "accepted": INTEGER },
            {
                "parameter": "address.null",
                "detail": "the text is not true or false",
                "value": "x",
                "accepted": "true or false",
            },
            {
                "parameter": "last_name.prefix",
                "detail": "the text is not a text of 1 to 64 characters, case and accents aside",
                "value": "",
                "accepted": "a text of 1 to 64 characters",
            },
            {
                "parameter": "last_name.gt",
                "detail": "the text has the character U+0000, or nothing that could be compared",
                "value": "",
                "accepted": "a text with a character that is no accent and no space",
            },
            {
                "parameter": "sort",
                "detail": "last_nam is not a field of users; did you mean last_name?",
                "value": "last_nam",
                "accepted": names,
                "suggestion": "last_name",
            },
            bad_fields,
            {
                "parameter": "after",
                "detail": "the text is no cursor, or one of another collection, another sort or another search",
                "value": "x",
                "accepted": "the cursor of a Link, or nothing to begin at the start",
            },
            { "parameter": "after", "detail": "it cannot be given together with offset" },
        ])
    );
    let twice = json!({ "parameter": "_fields", "detail": "the parameter is given more than once" });
    assert_eq!(errors_of(&server, "GET /users/1/?fields=&offset=x&_fields=id"), json!([bad_fields, twice]));
}

#[test]
fn what_the_database_judges_is_told_with_its_fields() {
    let server = Server::start(&configs::unique());
    let john = r#"{"first_name":"John","last_name":"Doe"}"#;
    server.create("/users/", john);
    assert_eq!(
        problem(&server, r#"POST /users/ {"first_name":"Ann","last_name":"Doe","address":99}"#, 400),
        json!({
            "type": "/openapi.json#/x-problems/unknown-reference",
            "title": "address does not validate",
            "status": 400,
            "detail": "address: there is no record 99 in address",
            "errors": [{
                "pointer": "/address",
                "detail": "there is no record 99 in address",
                "value": "99",
                "accepted": "the id of a record of address",
            }],
        })
    );
    let detail = "there is already a record with this first_name and last_name";
    let expected = |first_name: Value| {
        let mut first = json!({ "pointer": "/first_name", "detail": detail });
        if !first_name.is_null() {
            first["value"] = first_name;
        }
        json!({
            "type": "/openapi.json#/x-problems/not-unique",
            "title": "first_name,last_name must be unique together",
            "status": 400,
            "detail": "There is already a record with this first_name and last_name",
            "errors": [first, { "pointer": "/last_name", "detail": detail, "value": "\"Doe\"" }],
        })
    };
    assert_eq!(problem(&server, &format!("POST /users/ {john}"), 400), expected("\"John\"".into()));
    // Of an update the fields that it does not name belong to the rule, too.
    server.create("/users/", r#"{"first_name":"John","last_name":"Roe"}"#);
    assert_eq!(problem(&server, r#"PUT /users/2/ {"last_name":"Doe"}"#, 400), expected(Value::Null));
    let update = problem(&server, r#"PUT /users/2/ {"address":7}"#, 400);
    assert_eq!(update["detail"], "address: there is no record 7 in address");
}

#[test]
fn a_stored_refusal_is_told_again_in_the_form_that_is_asked_for() {
    let server = Server::start(&configs::built_in());
    let body = r#"{"first_name":"Ann","last_name":"Doe","address":99}"#;
    let request = Request::new("POST /users/").json(body).key("once");
    let asking = request.clone().header("Accept", PROBLEM);
    let plain = server.send(&request);
    let first = server.send(&asking);
    assert_eq!(first.header("Idempotency-Replayed"), Some("true"));
    assert_eq!(first.json()["title"], plain.json()["error"]);
    assert_eq!(first.json()["errors"][0]["value"], "99");
    server.send(&asking).repeats(&first);
    server.send(&request).repeats(&plain);
    // The other way round.
    let request = request.header("Prefer", "return=minimal");
    let other = request.clone().header("Accept", PROBLEM);
    let problem = problem_of(&server, &other, 422);
    assert_eq!(problem["type"], "/openapi.json#/x-problems/idempotency-key-reused");
    assert_eq!(server.send(&request).error(), problem["title"].as_str().unwrap());
}

#[test]
fn no_secret_is_repeated() {
    let home = Home::new(&configs::guarded());
    home.add_admin("root", KEY);
    let server = home.serve();
    // A key under a misspelt name, beside a good one.
    let request =
        Request::new("GET /users/?acceskey=hunter2hunter2&nmae=hunter2hunter2").header("X-API-Key", KEY);
    let problem = problem_of(&server, &request, 400);
    assert!(!problem.to_string().contains("hunter2"), "{problem}");
    assert_eq!(problem["errors"][0]["suggestion"], "accesskey");
    let keys = r#"POST /_/keys/ {"key":"hunter2hunter2","nme":"ann","admin":"yes","scopes":["usrs:read"],"expires":"soon","name":7}"#;
    let problem = problem_of(&server, &Request::text(keys).header("X-API-Key", KEY), 400);
    assert!(!problem.to_string().contains("hunter2"), "{problem}");
    let pointers: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(pointers, ["/key", "/nme", "/name", "/scopes", "/expires", "/admin"]);
    assert_eq!(problem["errors"][1]["suggestion"], "name");
    assert!(problem["errors"][3]["detail"].as_str().unwrap().ends_with("did you mean `users`?"), "{problem}");
    let rotate = Request::text(r#"POST /_/keys/root/rotate/ {"grace":7,"until":1}"#).header("X-API-Key", KEY);
    let problem = problem_of(&server, &rotate, 400);
    assert_eq!(problem["errors"][0]["accepted"], "grace");
    assert_eq!(problem["errors"][1]["detail"], "a number where a string is wanted");
}

#[test]
fn what_is_not_there_is_named() {
    let home = Home::new(&configs::guarded());
    home.add_admin("root", KEY);
    let server = home.serve();
    for (path, detail) in [
        ("/address/99/", "There is no record 99 in address"),
        ("/adress/", "There is no such path; did you mean /address/?"),
        ("/nothing/", "There is no such path"),
        (
            "/address/x/",
            "A path of address ends there, or with the id of a record: a whole number from 1 to 9223372036854775807",
        ),
    ] {
        assert_eq!(problem(&server, &format!("GET {path}"), 404)["detail"], detail);
    }
    let key = Request::new("DELETE /_/keys/nobody/").header("X-API-Key", KEY);
    assert_eq!(problem_of(&server, &key, 404)["detail"], "There is no access key of this name");
    // Who may not come in learns nothing of ids.
    let stranger = problem(&server, "GET /users/99/", 401);
    assert_eq!(stranger["detail"], stranger["title"]);
}

#[test]
fn the_answer_is_bounded_however_many_faults_there_are() {
    let server = Server::start(&configs::built_in());
    let long = "é\\u0001".repeat(110);
    let members: Vec<String> = (0..500).map(|number| format!(r#""a~/b{number}{long}":1"#)).collect();
    let body = format!(r#"{{{},"number":"{}"}}"#, members.join(","), "9".repeat(5000));
    let request = Request::new("POST /address/").json(body).header("Accept", PROBLEM);
    let answer = server.send(&request);
    assert!(answer.body.len() < 200_000, "{}", answer.body.len());
    let problem = answer.json();
    let errors = problem["errors"].as_array().unwrap();
    // 500 unknown members, three that are missing, one of the wrong type.
    assert_eq!((errors.len(), &problem["more_errors"]), (100, &json!(404)));
    assert!(problem["detail"].as_str().unwrap().ends_with("(and 503 more)"), "{}", problem["detail"]);
    let pointer = errors[0]["pointer"].as_str().unwrap();
    assert!(pointer.starts_with("/a~0~1b0é") && pointer.ends_with('…'), "{pointer}");
    let long = format!(
        r#"POST /address/ {{"country":"a","city":"b","street":"c","number":"{}"}}"#,
        "9".repeat(5000)
    );
    let cut = errors_of(&server, &long)[0]["value"].as_str().unwrap().to_owned();
    assert_eq!(cut.chars().count(), 101);
    // As many as fit into a body.
    let members: Vec<String> = (0..80_000).map(|number| format!(r#""a{number}":1"#)).collect();
    let request = Request::new("POST /address/").json(format!("{{{}}}", members.join(",")));
    assert_eq!(problem_of(&server, &request, 400)["more_errors"], 80_004 - 100);
}

#[test]
fn a_request_that_is_not_taken_on_is_told_so_in_both_forms() {
    let server = Server::start(&configs::with_server("max_requests = 1"));
    let mut held = server.client();
    let head = Request::new("POST /users/")
        .header("Expect", "100-continue")
        .header("Content-Type", "application/json")
        .header("Content-Length", "2");
    held.write(&head.bytes("localhost")).unwrap();
    assert_eq!(held.read_one("POST").unwrap().status, 100);
    let problem = problem(&server, "GET /users/", 503);
    assert_eq!(problem["type"], "/openapi.json#/x-problems/unavailable");
    assert_eq!(problem["title"], server.refuses("GET /users/", 503));
}
