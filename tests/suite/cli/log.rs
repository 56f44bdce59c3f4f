//! Lines of the log about requests: whom they name, and how long they may get.

use dev::configs;
use dev::request::Request;
use serde_json::Value;

use crate::support::home::Home;
use crate::support::server::Server;

/// The lines about requests, after the server has stopped.
fn request_lines(mut server: Server) -> Vec<Value> {
    server.signal("TERM");
    server.wait();
    let lines = server.stderr();
    let lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["event"] == "request").collect()
}

/// Requests to a server where each key may read users twice, as `key`, and what their lines say of it.
const WHO: [(&str, &str, u16, Option<&str>); 12] = [
    (
        "POST /users/ {\"first_name\":\"a\",\"last_name\":\"b\"}",
        "of-ann-of-ann-of-ann",
        201,
        Some("Ann's \"phone\""),
    ),
    ("POST /users/ {}", "of-ann-of-ann-of-ann", 400, Some("Ann's \"phone\"")),
    ("GET /users/99/", "of-ann-of-ann-of-ann", 429, Some("Ann's \"phone\"")),
    ("GET /users/1/", "of-bob-of-bob-of-bob", 200, Some("bob")),
    ("DELETE /users/1/", "of-bob-of-bob-of-bob", 403, Some("bob")),
    ("GET /_/keys/", "of-bob-of-bob-of-bob", 403, Some("bob")),
    ("GET /_/keys/", "of-root-of-root-of-root", 200, Some("root")),
    ("DELETE /_/keys/nobody/", "of-root-of-root-of-root", 404, Some("root")),
    ("GET /users/", "of-nobody-of-nobody", 401, None),
    ("GET /users/", "", 401, None),
    ("GET /address/", "", 200, None),
    ("POST /address/ {}", "", 400, None),
];

#[test]
fn a_line_names_the_key_of_who_asked() {
    for format in ["json", "text"] {
        let log = format!("[log]\nlevel = \"debug\"\nformat = \"{format}\"\n");
        let home = Home::new(&format!("{log}{}", configs::patient(&configs::guarded_and_rate_limited(2))));
        home.add_key("Ann's \"phone\"", "of-ann-of-ann-of-ann");
        home.add_admin("root", "of-root-of-root-of-root");
        home.run(&["keys", "create", "bob", "--key", "of-bob-of-bob-of-bob", "--scope", "users:read"])
            .exits(0);
        let mut server = home.serve();
        for (place, (request, key, status, _)) in WHO.iter().enumerate() {
            let request = Request::text(request).header("X-Request-Id", &format!("line-{place:02}"));
            let request = if key.is_empty() { request } else { request.header("X-API-Key", key) };
            assert_eq!(server.send(&request).status, *status, "{request:?}");
        }
        server.signal("TERM");
        server.wait();
        let log = server.stderr();
        for (place, (request, _, status, name)) in WHO.iter().enumerate() {
            let id = format!("line-{place:02}");
            let line = log.lines().find(|line| line.contains(&id)).unwrap();
            if format == "json" {
                let line: Value = serde_json::from_str(line).unwrap();
                assert_eq!(line["status"], *status, "{request}");
                assert_eq!(line.get("key").and_then(Value::as_str), *name, "{request}: {line}");
            } else {
                let named = name.map(|name| format!(" key={} request_id=", name.replace('"', "\\\"")));
                assert!(named.is_none_or(|named| line.contains(&named)), "{request}: {line}");
                assert_eq!(line.contains("key="), name.is_some(), "{request}: {line}");
            }
        }
    }
}

#[test]
fn a_line_is_short_however_long_the_request() {
    let server = Home::new(&configs::built_in()).serve();
    let mut sent = 0;
    for piece in ["\"", "a", "/a", "%22", "a/"] {
        let long = piece.repeat(8000 / piece.len());
        for line in [format!("GET /{long}"), format!("GET /users/{long}"), format!("PUT /users/1/{long}/")] {
            assert_eq!(server.send(&Request::new(&line)).status, 404, "{line}");
            sent += 1;
        }
    }
    let method = "M".repeat(8000);
    assert_eq!(server.send(&Request::new(&format!("{method} /users/"))).status, 405);
    assert_eq!(server.send(&Request::new(&format!("GET /{}", "long/".repeat(3000)))).status, 414);
    let lines = request_lines(server);
    assert_eq!(lines.len(), sent + 2);
    for line in &lines {
        // Each of the two stands in the message, too.
        assert!(line["path"].as_str().unwrap().len() <= 256, "{line}");
        assert!(line["method"].as_str().unwrap().len() <= 256, "{line}");
        assert!(line.to_string().len() < 1500, "{line}");
    }
}

/// What is served is shown as it was asked for, also where something else is refused.
#[test]
fn a_path_that_is_served_is_shown_whole() {
    let server = Home::new(&configs::with_server("max_body = 1024")).serve();
    let body = format!("{{\"first_name\":\"{}\"}}", "a".repeat(2048));
    for (request, shown, status) in [
        (Request::new("GET /users/123456789/"), "/users/123456789/", 404),
        (Request::new("POST /users").json("{"), "/users", 400),
        (Request::new("POST /address/").json(body), "/address/", 413),
        (Request::new("PUT /schema/address/"), "/schema/address/", 405),
        (Request::new("GET /users/1x/"), "/users/…/", 404),
        (Request::new("GET /userss/"), "/…/", 404),
        (Request::new("GET /schema/userss/"), "/schema/…/", 404),
        (Request::new("GET /users/1/address/"), "/users/…/address/", 404),
        (Request::new("GET /ünter/"), "/…/", 404),
    ] {
        let id = format!("shown{}", shown.replace(|character: char| !character.is_ascii_alphanumeric(), "-"));
        let request = request.header("X-Request-Id", &id);
        assert_eq!(server.send(&request).status, status, "{request:?}");
        server.wait_for_error(&format!("\"path\":\"{shown}\",\"status\":{status}"));
    }
}
