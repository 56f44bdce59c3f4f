//! `GET /_/me/`: who is calling, and what they may do. Whether it is true is tried in `rights.rs`.

use dev::configs;
use dev::request::Request;
use serde_json::json;

use crate::support::home::Home;
use crate::support::server::Server;

const ADMIN: &str = "the-key-of-the-administrator";
const KEY: &str = "a-key-that-opens-collections";

fn with(line: &str, key: &str) -> Request {
    Request::new(line).header("X-API-Key", key)
}

#[test]
fn who_presents_no_key_is_told_what_everybody_may_do() {
    let everything = r#"{"name":null,"admin":false,"scopes":[],"expires":null,"may":{"address":["read","write"],"users":["read","write"]}}"#;
    Server::start(&configs::built_in()).check("GET /_/me/", &format!("200 OK {everything}"));
    let guarded = Server::start(&configs::guarded());
    let nothing = everything.replace(r#""users":["read","write"]"#, r#""users":[]"#);
    for request in ["GET /_/me/", "GET /_/me", "GET /_/me/?accesskey="] {
        guarded.check(request, &format!("200 OK {nothing}"));
        let answer = guarded.ask(request);
        assert_eq!(answer.header("Cache-Control"), Some("no-store"), "{answer:?}");
        assert_eq!(answer.header("Vary"), Some("Authorization, X-API-Key"), "{answer:?}");
    }
}

#[test]
fn a_key_is_told_its_name_its_scopes_and_its_end() {
    let home = Home::new(&configs::patient(&configs::guarded()));
    let key = |name: &str, options: &[&str]| {
        home.run(&[&["keys", "create", name], options].concat()).exits(0).stdout.trim_end().to_owned()
    };
    let reader = key("Ann <b>", &["--scope", "users:read", "--expires", "2999-01-31"]);
    let admin = key("root", &["--admin"]);
    let server = home.serve();
    assert_eq!(
        server.send(&with("GET /_/me/", &reader)).json(),
        json!({
            "name": "Ann <b>", "admin": false, "scopes": ["users:read"], "expires": "2999-01-31T00:00:00Z",
            "may": { "address": ["read", "write"], "users": ["read"] },
        })
    );
    assert_eq!(
        server.send(&with("GET /_/me/", &admin)).json(),
        json!({
            "name": "root", "admin": true, "scopes": ["*"], "expires": null,
            "may": { "address": ["read", "write"], "users": ["read", "write"] },
        })
    );
}

/// What ends is the secret, and it is the secret that somebody holds.
#[test]
fn after_a_rotation_the_secret_before_ends_with_its_grace() {
    let home = Home::new(&configs::patient(&configs::guarded()));
    home.add_key("ann", KEY);
    home.add_admin("root", ADMIN);
    let server = home.serve();
    let ends = |key: &str| server.send(&with("GET /_/me/", key)).json()["expires"].clone();
    assert_eq!(ends(KEY), json!(null));
    let rotated = server.send(&with("POST /_/keys/ann/rotate/", ADMIN)).json();
    assert_eq!(ends(KEY), rotated["previous_until"]);
    assert_eq!(ends(rotated["key"].as_str().unwrap()), json!(null));
}

/// Where all collections are open nobody else looks at keys.
#[test]
fn a_key_that_is_none_is_refused_wherever_it_stands_and_counted() {
    for config in [configs::built_in(), configs::identified(), configs::guarded()] {
        let server = Server::start(&config);
        for request in [
            with("GET /_/me/", "wrong"),
            with("HEAD /_/me/", "wrong"),
            Request::new("GET /_/me/").header("Authorization", "Bearer wrong"),
            Request::new("GET /_/me/?accesskey=wrong"),
        ] {
            let answer = server.send(&request);
            assert_eq!(answer.status, 401, "{request:?}: {answer:?}");
            assert!(answer.header("WWW-Authenticate").is_some(), "{answer:?}");
        }
        assert_eq!(server.metric("carnet_access_unknown_keys_total"), 4);
    }
}

#[test]
fn a_revoked_key_is_refused_in_the_very_next_request() {
    let home = Home::new(&configs::patient(&configs::built_in()));
    home.add_key("ann", KEY);
    home.add_admin("root", ADMIN);
    let server = home.serve();
    assert_eq!(server.send(&with("GET /_/me/", KEY)).json()["name"], "ann");
    assert_eq!(server.send(&with("DELETE /_/keys/ann/", ADMIN)).status, 200);
    assert_eq!(server.send(&with("GET /_/me/", KEY)).status, 401);
}

#[test]
fn it_can_only_be_read() {
    let server = Server::start(&configs::built_in());
    server.check("OPTIONS /_/me/", "204 No Content\nAllow: GET, HEAD, OPTIONS");
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        assert_eq!(server.ask(&format!("{method} /_/me/")).status, 405, "{method}");
    }
}
