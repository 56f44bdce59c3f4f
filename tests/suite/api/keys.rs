//! Access keys over HTTP (`/_/keys/`): who may, what is answered, and that the server follows at once.

use dev::answer::{Answer, NOT_FOUND};
use dev::configs;
use dev::request::Request;
use serde_json::Value;

use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

const ADMIN: &str = "the-key-of-the-administrator";
const PLAIN: &str = "a-key-that-opens-collections";

/// A server that knows a key that may manage keys, and one that may not.
fn serve() -> Server {
    let home = Home::new(&configs::patient(&configs::guarded()));
    home.add_admin("root", ADMIN);
    home.add_key("reader", PLAIN);
    home.serve()
}

/// Sends a request with the administrator's key.
#[track_caller]
fn manage(server: &Server, request: &str) -> Answer {
    server.send(&Request::text(request).header("X-API-Key", ADMIN))
}

/// Makes a key, and gives its name and the key itself.
#[track_caller]
fn create(server: &Server, body: &str) -> (String, String) {
    let answer = manage(server, &format!("POST /_/keys/ {body}"));
    assert_eq!(answer.status, 201, "{answer:?}");
    let created = answer.json();
    (created["name"].as_str().unwrap().to_owned(), created["key"].as_str().unwrap().to_owned())
}

#[track_caller]
fn names(server: &Server) -> Vec<String> {
    let keys = manage(server, "GET /_/keys/").json()["keys"].clone();
    keys.as_array().unwrap().iter().map(|key| key["name"].as_str().unwrap().to_owned()).collect()
}

/// Every method of every route, for nobody, a stranger, a known key and one that may.
#[test]
fn only_a_key_that_may_manage_keys_is_let_in() {
    let server = serve();
    for (path, allow, rows) in [
        (
            "/_/keys/",
            "GET, HEAD, OPTIONS, POST",
            [("GET", [401, 401, 403, 200]), ("HEAD", [401, 401, 403, 200]), ("POST", [401, 401, 403, 201])]
                .as_slice(),
        ),
        ("/_/keys/nobody/", "DELETE, OPTIONS", &[("DELETE", [401, 401, 403, 404])]),
        ("/_/keys/nobody/rotate/", "OPTIONS, POST", &[("POST", [401, 401, 403, 404])]),
    ] {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "get"] {
            let row = rows.iter().find(|(of, _)| *of == method);
            let otherwise = if method == "OPTIONS" { 204 } else { 405 };
            let expected = row.map_or([otherwise; 4], |(_, expected)| *expected);
            let callers = [None, Some("nobody-has-this-key"), Some(PLAIN), Some(ADMIN)];
            for (key, expected) in callers.into_iter().zip(expected) {
                for path in [path, path.trim_end_matches('/')] {
                    for request in presented(method, path, key) {
                        let answer = server.send(&request);
                        assert_eq!(answer.status, expected, "{request:?}: {answer:?}");
                        assert_eq!(answer.header("Cache-Control"), Some("no-store"), "{request:?}");
                        if matches!(expected, 204 | 405) {
                            assert_eq!(answer.allow().as_deref(), Some(allow), "{request:?}");
                        }
                    }
                }
            }
        }
    }
}

/// A request with this key in each of the places for one; without a key, as it is.
fn presented(method: &str, path: &str, key: Option<&str>) -> Vec<Request> {
    let request = |query: &str| {
        let request = Request::new(&format!("{method} {path}{query}"));
        if method == "POST" { request.json("{}") } else { request }
    };
    match key {
        None => vec![request("")],
        Some(key) => vec![
            request("").header("X-API-Key", key),
            request("").header("Authorization", &format!("Bearer {key}")),
            request(&format!("?accesskey={key}")),
            request(&format!("?nope=1&apikey={key}")),
        ],
    }
}

#[test]
fn the_401_is_that_of_a_collection_and_the_403_names_the_remedy() {
    let server = serve();
    let base_url = server.base_url();
    let refused = server.ask("GET /users/").text(&base_url);
    assert!(refused.starts_with("401"), "{refused}");
    for request in
        ["GET /_/keys/", "GET /_/keys/?accesskey=wrong", "POST /_/keys/ {}", "DELETE /_/keys/reader/"]
    {
        assert_eq!(server.ask(request).text(&base_url), refused, "{request}");
    }
    server.check(
        &format!("GET /_/keys/?accesskey={PLAIN}"),
        r#"403 Forbidden {"error":"This access key may not manage access keys. Make one that may: carnet keys create --admin"}"#,
    );
    server.refuses(&format!("GET /_/keys/?accesskey={ADMIN}&apikey={ADMIN}"), 400);
}

#[test]
fn it_is_the_same_where_no_collection_asks_for_a_key() {
    let server = Server::start(&configs::built_in());
    assert_eq!(server.status("GET /users/"), 200);
    assert_eq!(server.status("GET /_/keys/"), 401);
    assert_eq!(server.status("POST /_/keys/ {}"), 401);
}

#[test]
fn the_list_is_in_the_order_of_names_and_shows_no_key() {
    let home = Home::new(&configs::guarded());
    for (name, key) in [("reader", "WXYZ-a-key-of-some-length"), ("Zoe", "short"), ("\u{e9}", "third")] {
        home.add_key(name, key);
    }
    home.add_admin("root", ADMIN);
    let server = home.serve();
    let answer = manage(&server, "GET /_/keys/");
    assert_eq!(answer.status, 200);
    let mut list = answer.json();
    for key in list["keys"].as_array_mut().unwrap() {
        let created = key["created"].take();
        assert!(created.as_str().is_some_and(|created| created.ends_with('Z')), "{created}");
        key["last_used"].take();
    }
    let entry = |name: &str, prefix: &str, admin: bool| {
        // The server was asked with the key of the administrator a moment ago; when that is written is its own affair.
        format!(
            r#"{{"name":"{name}","prefix":"{prefix}","created":null,"admin":{admin},"scopes":["*"],"expires":null,"last_used":null,"previous_until":null}}"#
        )
    };
    let entries = [
        entry("Zoe", "", false),
        entry("reader", "WXYZ", false),
        entry("root", "the-", true),
        entry("\u{e9}", "", false),
    ];
    assert_eq!(list.to_string(), format!(r#"{{"keys":[{}]}}"#, entries.join(",")));
}

#[test]
fn a_new_key_is_shown_once_and_works_in_the_very_next_request() {
    let server = serve();
    let answer = manage(&server, r#"POST /_/keys/ {"name":"phone"}"#);
    let created = answer.json();
    let key = created["key"].as_str().unwrap();
    assert_eq!(server.status(&format!("GET /users/?accesskey={key}")), 200);
    server.check(
        &format!("GET /_/keys/?accesskey={key}"),
        &server.ask(&format!("GET /_/keys/?accesskey={PLAIN}")).text(&server.base_url()),
    );
    assert!(key.len() >= 40 && key.starts_with("ck_"), "{answer:?}");
    let expected = format!(
        "201 Created\nLocation: {{base_url}}/_/keys/phone/\n\n{{\"name\":\"phone\",\"key\":\"{key}\"}}"
    );
    assert_eq!(answer.text(&server.base_url()), expected);
    assert!(!manage(&server, "GET /_/keys/").body_text().contains(key));
}

#[test]
fn a_key_may_be_made_that_manages_keys() {
    let server = serve();
    let (_, key) = create(&server, r#"{"admin":true,"name":"deputy"}"#);
    assert_eq!(server.status(&format!("GET /_/keys/?accesskey={key}")), 200);
    assert_eq!(server.status(&format!("DELETE /_/keys/root/?accesskey={key}")), 200);
    assert_eq!(server.status(&format!("GET /_/keys/?accesskey={ADMIN}")), 401);
}

#[test]
fn a_key_without_a_name_gets_one() {
    let server = serve();
    for (body, name) in [("{}", "key-1"), (r#"{"name":null,"admin":null}"#, "key-2"), ("{}", "key-3")] {
        assert_eq!(create(&server, body).0, name);
    }
    assert_eq!(manage(&server, "DELETE /_/keys/key-2/").status, 200);
    assert_eq!(create(&server, "{}").0, "key-2");
}

#[test]
fn a_revoked_key_is_refused_in_the_very_next_request() {
    let server = serve();
    for round in 0..20 {
        let (_, key) = create(&server, r#"{"name":"phone"}"#);
        assert_eq!(server.status(&format!("GET /users/?accesskey={key}")), 200, "round {round}");
        server.check_request(
            &Request::new("DELETE /_/keys/phone/").header("X-API-Key", ADMIN),
            "200 OK\nContent-Length: 0",
        );
        assert_eq!(server.status(&format!("GET /users/?accesskey={key}")), 401, "round {round}");
    }
    server.check_request(&Request::new("DELETE /_/keys/phone/").header("X-API-Key", ADMIN), NOT_FOUND);
}

#[test]
fn the_last_key_that_manages_keys_may_revoke_itself_and_the_command_line_stays() {
    let server = serve();
    assert_eq!(manage(&server, "DELETE /_/keys/root/").status, 200);
    assert_eq!(manage(&server, "GET /_/keys/").status, 401);
    assert_eq!(server.status(&format!("GET /users/?accesskey={PLAIN}")), 200);
    let home = server.stop();
    home.add_admin("root", ADMIN);
    assert_eq!(names(&home.serve()), ["reader", "root"]);
}

#[test]
fn any_name_makes_the_whole_way_through_a_url() {
    let server = serve();
    for name in
        ["a/b", "50% off", "%2F", "Ann's phone", "a+b", " ", "?", "#", "\u{e9}\u{1f511}", "...", "\\\"<>"]
    {
        let body = serde_json::json!({ "name": name });
        let answer = manage(&server, &format!("POST /_/keys/ {body}"));
        assert_eq!(answer.json()["name"], name);
        let location = answer.header("Location").unwrap().to_owned();
        let path = location.strip_prefix(&server.base_url()).unwrap();
        assert!(names(&server).iter().any(|listed| listed == name), "{name}");
        assert_eq!(manage(&server, &format!("DELETE {path}")).status, 200, "{path}");
        assert!(!names(&server).iter().any(|listed| listed == name), "{name}");
    }
    // A plus in a path is a plus, and letters may be encoded or not.
    create(&server, r#"{"name":"a+b"}"#);
    assert_eq!(manage(&server, "DELETE /_/keys/a%20b/").status, 404);
    assert_eq!(manage(&server, "DELETE /_/keys/%61+b").status, 200);
}

#[test]
fn a_path_that_names_no_key_is_not_found() {
    let server = serve();
    let long = "a".repeat(201);
    let long = format!("/_/keys/{long}/");
    for path in [
        "/_/",
        "/_",
        "/_/key/",
        "/_/keysx/",
        "/_/keys//",
        "/_/keys/a/b/",
        "/_/keys/a/rotate/b/",
        "/_/keys//rotate/",
        "/_/keys/%/",
        "/_/keys/%zz/",
        "/_/keys/%FF/",
        "/_/keys/a%00/",
        "/_/keys/a%0A/",
        "/_/keys/%2E%2E/",
        &long,
    ] {
        for method in ["GET", "DELETE", "OPTIONS", "BREW"] {
            let request = Request::new(&format!("{method} {path}")).header("X-API-Key", ADMIN);
            server.check_request(&request, NOT_FOUND);
        }
    }
}

#[test]
fn a_body_is_judged_as_strictly_as_that_of_a_record() {
    let server = serve();
    let name = "name does not validate: it has 1 to 200 characters, none of them a control character, and is not . or ..";
    let long = format!(r#"{{"name":"{}"}}"#, "\u{e9}".repeat(201));
    for (body, message) in [
        (r#"{"key":"my-own"}"#, "key is not a field of keys"),
        (r#"{"name":"a","Admin":true}"#, "Admin is not a field of keys"),
        (r#"{"name":"a","name":"a"}"#, "name is given twice"),
        (r#"{"name":5}"#, "name does not validate"),
        (r#"{"name":["a"]}"#, "name does not validate"),
        (r#"{"name":"a\u0000"}"#, "name does not validate"),
        (r#"{"name":"\ud800"}"#, "name does not validate"),
        (r#"{"admin":1}"#, "admin does not validate"),
        (r#"{"admin":"true"}"#, "admin does not validate"),
        (r#"{"admin":1,"name":5}"#, "name does not validate"),
        (r#"{"name":""}"#, name),
        (r#"{"name":"a\nb"}"#, name),
        (r#"{"name":"\u007f"}"#, name),
        (r#"{"name":".."}"#, name),
        (&long, name),
        (r#"{"scopes":"*"}"#, "scopes does not validate"),
        (r#"{"scopes":[]}"#, "scopes does not validate: at least one scope must be named; * is everything"),
        (
            r#"{"scopes":["user:read"]}"#,
            "scopes does not validate: there is no collection `user`; did you mean `users`?",
        ),
        (
            r#"{"scopes":["users:own"]}"#,
            "scopes does not validate: `users:own` is no scope: write COLLECTION:read, COLLECTION:write, *:read or *:write, or * for everything",
        ),
        (r#"{"expires":"2020-01-01"}"#, "expires does not validate: it is over already"),
        ("[]", "The body is not a JSON object"),
        ("", "The body is empty. Send a JSON object"),
    ] {
        let error = serde_json::to_string(message).unwrap();
        let request = Request::new("POST /_/keys/").header("X-API-Key", ADMIN).json(body);
        server.check_request(&request, &format!(r#"400 Bad Request {{"error":{error}}}"#));
    }
    let request = Request::new("POST /_/keys/").header("X-API-Key", ADMIN);
    let message = server.refuses_request(&request.clone().json("{not json"), 400);
    assert!(message.starts_with("The body is not JSON: "), "{message}");
    server.refuses_request(&request.clone().json(b"{\"name\":\"\xff\"}".as_slice()), 400);
    server.refuses_request(&request.clone().json("[".repeat(40)), 400);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"] {
        server.refuses_request(&request.clone().header("Content-Type", kind).body("{}"), 415);
    }
    assert_eq!(names(&server), ["reader", "root"]);
    let longest = format!(r#"{{"name":"{}"}}"#, "\u{e9}".repeat(200));
    create(&server, &longest);
    assert_eq!(server.send(&request.body("{}")).status, 201, "without a Content-Type");
}

#[test]
fn access_comes_before_the_body_and_the_content_type() {
    let server = serve();
    for (key, status) in [("nobody-has-this-key", 401), (PLAIN, 403)] {
        let request = Request::new("POST /_/keys/").header("X-API-Key", key);
        server.refuses_request(&request.clone().json("{not json"), status);
        server.refuses_request(&request.header("Content-Type", "text/plain").body("x"), status);
        let known = Request::new("DELETE /_/keys/reader/").header("X-API-Key", key);
        let unknown = Request::new("DELETE /_/keys/nobody/").header("X-API-Key", key);
        let base_url = server.base_url();
        assert_eq!(server.send(&known).text(&base_url), server.send(&unknown).text(&base_url));
    }
    assert_eq!(names(&server), ["reader", "root"]);
}

#[test]
fn a_name_in_use_is_a_conflict_and_changes_nothing() {
    let server = serve();
    server.check_request(
        &Request::text(r#"POST /_/keys/ {"name":"reader","admin":true}"#).header("X-API-Key", ADMIN),
        r#"409 Conflict {"error":"There is already an access key named reader. Choose another name, or revoke that one first"}"#,
    );
    assert_eq!(server.status(&format!("GET /users/?accesskey={PLAIN}")), 200);
    assert_eq!(server.status(&format!("GET /_/keys/?accesskey={PLAIN}")), 403);
}

#[test]
fn what_was_changed_over_http_is_there_after_a_power_cut() {
    let server = serve();
    let (_, key) = create(&server, r#"{"name":"phone"}"#);
    assert_eq!(manage(&server, "DELETE /_/keys/reader/").status, 200);
    let home = server.kill();
    let server = home.serve();
    assert_eq!(server.status(&format!("GET /users/?accesskey={key}")), 200);
    assert_eq!(server.status(&format!("GET /users/?accesskey={PLAIN}")), 401);
    let listed: Value = serde_json::from_str(&home.run(&["keys", "list", "--json"]).exits(0).stdout).unwrap();
    let listed: Vec<(&str, bool)> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|key| (key["name"].as_str().unwrap(), key["admin"].as_bool().unwrap()))
        .collect();
    assert_eq!(listed, [("phone", false), ("root", true)]);
}

/// Keys are written beside the writer of records: neither may wait for the other for ever, or fail.
#[test]
fn many_make_keys_at_once_while_records_are_written() {
    let server = serve();
    let made = race(6, |racer| {
        let mut client = server.client();
        let mut made = Vec::new();
        for number in 0..10 {
            let body = format!(r#"{{"first_name":"n{number}","last_name":"racer{racer}"}}"#);
            let written =
                client.send(&Request::text(&format!("POST /users/ {body}")).header("X-API-Key", ADMIN));
            assert_eq!(written.status, 201, "{written:?}");
            let answer = client.send(&Request::text("POST /_/keys/ {}").header("X-API-Key", ADMIN));
            assert_eq!(answer.status, 201, "{answer:?}");
            let created = answer.json();
            let key = created["key"].as_str().unwrap().to_owned();
            assert_eq!(client.send(&Request::new("GET /users/").header("X-API-Key", &key)).status, 200);
            if number % 2 == 0 {
                let path = format!("DELETE /_/keys/{}/", created["name"].as_str().unwrap());
                assert_eq!(client.send(&Request::new(&path).header("X-API-Key", ADMIN)).status, 200);
                assert_eq!(client.send(&Request::new("GET /users/").header("X-API-Key", &key)).status, 401);
            } else {
                made.push(created["name"].as_str().unwrap().to_owned());
            }
        }
        made
    });
    let mut made: Vec<String> = made.concat();
    made.extend(["reader".to_owned(), "root".to_owned()]);
    made.sort_unstable();
    assert_eq!(names(&server), made);
    assert_eq!(server.total(&format!("/users/?accesskey={ADMIN}")), 60);
}

#[test]
fn the_log_tells_who_did_it_and_never_the_key() {
    let home = Home::new(&format!("[log]\nlevel = \"debug\"\nformat = \"json\"\n{}", configs::guarded()));
    home.add_admin("root", ADMIN);
    let server = home.serve();
    let request = Request::text(r#"POST /_/keys/ {"name":"Ann \"x\"","admin":true}"#);
    let answer = server.send(&request.header("X-API-Key", ADMIN).header("X-Request-Id", "made-it"));
    let key = answer.json()["key"].as_str().unwrap().to_owned();
    server.status(&format!("GET /_/keys/?accesskey={key}"));
    server.refuses(&format!(r#"POST /_/keys/?accesskey={key} {{"name":"root"}}"#), 409);
    let request = Request::new("DELETE /_/keys/Ann%20%22x%22/").header("X-API-Key", ADMIN);
    assert_eq!(server.send(&request.header("X-Request-Id", "revoked-it")).status, 200);
    // What the process said is read to its end, and a clean stop writes all of it.
    let mut server = server;
    server.signal("TERM");
    server.wait();
    let log = server.stderr();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = |event: &str| -> Value {
        let mut lines = lines.iter().filter(|line| line["event"] == event);
        let mut line = lines.next().unwrap_or_else(|| panic!("no {event} in:\n{log}")).clone();
        assert!(lines.next().is_none(), "{log}");
        line.as_object_mut().unwrap().remove("ts");
        line
    };
    assert_eq!(
        told("key_created"),
        serde_json::json!({
            "level": "info", "event": "key_created", "name": "Ann \"x\"", "admin": true, "by": "root",
            "message": "access key created: Ann \"x\", which may manage keys, by root", "request_id": "made-it",
        })
    );
    assert_eq!(
        told("key_revoked"),
        serde_json::json!({
            "level": "info", "event": "key_revoked", "name": "Ann \"x\"", "by": "root",
            "message": "access key revoked: Ann \"x\", by root", "request_id": "revoked-it",
        })
    );
    for secret in [ADMIN, &key, key.trim_start_matches("ck_")] {
        assert!(!log.contains(secret), "{log}");
    }
}

/// From before there were keys that manage keys: the store opens, and none of its keys does.
#[test]
fn a_store_of_an_earlier_version_opens() {
    let home = serve().stop();
    home.execute("ALTER TABLE _carnet_keys DROP COLUMN admin");
    let server = home.serve();
    assert_eq!(server.status(&format!("GET /users/?accesskey={ADMIN}")), 200);
    assert_eq!(server.status(&format!("GET /_/keys/?accesskey={ADMIN}")), 403);
    let home = server.stop();
    home.execute("ALTER TABLE _carnet_keys DROP COLUMN admin");
    home.add_admin("second", "another-key-that-may");
    let server = home.serve();
    assert_eq!(server.status("GET /_/keys/?accesskey=another-key-that-may"), 200);
    assert_eq!(server.status(&format!("GET /_/keys/?accesskey={ADMIN}")), 403);
}

/// What only nodes that share a server show.
mod postgres {
    use dev::waiting::wait_until;

    use super::*;

    #[test]
    #[ignore = "needs a PostgreSQL server: ./test starts one"]
    fn another_node_follows() {
        let home = Home::new(&configs::patient(&configs::guarded()));
        home.add_admin("root", ADMIN);
        let (one, other) = (home.serve(), home.serve());
        let (_, key) = create(&one, r#"{"name":"phone"}"#);
        until(&other, &key, 200);
        assert_eq!(manage(&other, "DELETE /_/keys/phone/").status, 200);
        assert_eq!(other.status(&format!("GET /users/?accesskey={key}")), 401);
        until(&one, &key, 401);
    }

    fn until(server: &Server, key: &str, status: u16) {
        let request = format!("GET /users/?accesskey={key}");
        wait_until(&format!("never {status}"), || server.status(&request) == status);
    }
}
