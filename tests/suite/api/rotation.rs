//! Rotation: a new secret for the same key, two good ones for a while; and when a key was last used.

use dev::configs;
use dev::request::Request;
use dev::waiting::{wait_for, wait_until};
use serde_json::Value;

use crate::support::home::Home;
use crate::support::server::Server;

const ADMIN: &str = "the-key-of-the-administrator";

fn home() -> std::sync::Arc<Home> {
    let home = Home::new(&configs::patient(&configs::guarded()));
    home.add_admin("root", ADMIN);
    home
}

fn rotate(home: &Home, arguments: &[&str]) -> String {
    let rotated = home.run(&[&["keys", "rotate"], arguments].concat()).exits(0);
    let secret = rotated.stdout.strip_suffix('\n').unwrap().to_owned();
    assert!(secret.starts_with("ck_") && !secret.contains(char::is_whitespace), "{rotated:?}");
    assert!(!rotated.stderr.contains(&secret), "shown once");
    secret
}

fn status(server: &Server, secret: &str) -> u16 {
    server.send(&Request::new("GET /users/").header("X-API-Key", secret)).status
}

fn until(server: &Server, secret: &str, expected: u16) {
    wait_until(&format!("never {expected}"), || status(server, secret) == expected);
}

/// The entry of a key in the list over HTTP.
fn entry(server: &Server, name: &str) -> Value {
    let list = server.send(&Request::new("GET /_/keys/").header("X-API-Key", ADMIN)).json();
    let keys = list["keys"].as_array().unwrap();
    keys.iter().find(|key| key["name"] == name).unwrap_or_else(|| panic!("no {name} in {list}")).clone()
}

fn over_http(server: &Server, name: &str, body: &str) -> Value {
    let request = Request::new(&format!("POST /_/keys/{name}/rotate/")).header("X-API-Key", ADMIN);
    let answer = server.send(&if body.is_empty() { request } else { request.json(body) });
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("Cache-Control"), Some("no-store"));
    answer.json()
}

#[test]
fn both_secrets_are_good_beside_a_running_server_and_a_second_rotation_drops_the_oldest() {
    let home = home();
    home.add_key("till", "the-first-secret-of-the-till");
    let server = home.serve();
    let second = rotate(&home, &["till"]);
    until(&server, &second, 200);
    assert_eq!(status(&server, "the-first-secret-of-the-till"), 200);
    let third = rotate(&home, &["till", "--grace", "1h"]);
    until(&server, &third, 200);
    assert_eq!(status(&server, &second), 200);
    assert_eq!(status(&server, "the-first-secret-of-the-till"), 401);
    let last = rotate(&home, &["till", "--grace", "0s"]);
    until(&server, &last, 200);
    for secret in [&second, &third] {
        assert_eq!(status(&server, secret), 401);
    }
    assert!(entry(&server, "till")["previous_until"].is_null());
    home.run(&["keys", "revoke", "till"]).exits(0);
    until(&server, &last, 401);
}

/// The first secret is what a key is known by for good: its retries, its quota, its last use.
#[test]
fn the_first_secret_of_a_key_never_becomes_another_key() {
    let home = home();
    home.add_key("till", "the-first-secret-of-the-till");
    rotate(&home, &["till", "--grace", "0s"]);
    let again = ["keys", "create", "other", "--key", "the-first-secret-of-the-till"];
    home.run(&again).exits(1).says(&["already stored under the name till"]);
    home.run(&["keys", "revoke", "till"]).exits(0);
    home.add_key("other", "the-first-secret-of-the-till");
}

#[test]
fn the_secret_before_ends_with_its_grace() {
    let home = home();
    home.add_key("till", "the-first-secret-of-the-till");
    let server = home.serve();
    let mut before = "the-first-secret-of-the-till".to_owned();
    // On a busy machine a short grace may be over before anybody looks.
    let was_seen = [2, 4, 8, 16, 32].into_iter().any(|seconds| {
        let after = over_http(&server, "till", &format!(r#"{{"grace":"{seconds}s"}}"#))["key"]
            .as_str()
            .unwrap()
            .to_owned();
        let was_good = status(&server, &before) == 200;
        until(&server, &before, 401);
        assert_eq!(status(&server, &after), 200);
        before = after;
        was_good
    });
    assert!(was_seen, "the secret before was never good");
    assert!(entry(&server, "till")["previous_until"].is_null(), "what is over is not shown");
}

#[test]
fn over_http_the_server_that_did_it_follows_at_once() {
    let home = home();
    home.add_key("till", "the-first-secret-of-the-till");
    let server = home.serve();
    let before = entry(&server, "till");
    let rotated = over_http(&server, "till", "");
    let second = rotated["key"].as_str().unwrap();
    assert_eq!([status(&server, second), status(&server, "the-first-secret-of-the-till")], [200, 200]);
    let after = entry(&server, "till");
    assert_eq!(after["previous_until"], rotated["previous_until"]);
    assert!(rotated["previous_until"].as_str() > before["created"].as_str(), "{rotated}");
    for member in ["name", "created", "scopes", "admin", "expires"] {
        assert_eq!(after[member], before[member], "{member}");
    }
    assert_eq!(after["prefix"], second[..4]);
    let third = over_http(&server, "till", r#"{"grace":"0s"}"#);
    assert!(third["previous_until"].is_null());
    assert_eq!(status(&server, second), 401);
    for (body, message) in [
        (
            r#"{"grace":"soon"}"#,
            "grace does not validate: it is a whole number with s, m, h, d or w, such as 7d, and at most 365 days",
        ),
        (r#"{"grace":7}"#, "grace does not validate"),
        (r#"{"key":"mine"}"#, "key is not a field of keys"),
        ("[]", "The body is not a JSON object"),
    ] {
        let request = Request::new("POST /_/keys/till/rotate/").header("X-API-Key", ADMIN).json(body);
        assert_eq!(server.refuses_request(&request, 400), message);
    }
}

/// The one who rotates may be the one who is rotated.
#[test]
fn an_administrator_may_rotate_its_own_key() {
    let server = home().serve();
    let rotated = over_http(&server, "root", r#"{"grace":"0s"}"#);
    let answer =
        server.send(&Request::new("GET /_/keys/").header("X-API-Key", rotated["key"].as_str().unwrap()));
    assert_eq!(answer.status, 200);
    assert_eq!(server.send(&Request::new("GET /_/keys/").header("X-API-Key", ADMIN)).status, 401);
}

#[test]
fn both_secrets_share_the_quota_of_their_key() {
    let home = Home::new(&configs::patient(&configs::guarded_and_rate_limited(4)));
    home.add_key("till", "the-first-secret-of-the-till");
    let second = rotate(&home, &["till"]);
    let server = home.serve();
    let secrets = ["the-first-secret-of-the-till", &second];
    let found: Vec<u16> = (0..6).map(|turn| status(&server, secrets[turn % 2])).collect();
    assert_eq!(found, [200, 200, 200, 200, 429, 429]);
    // So does the one after them.
    let third = rotate(&home, &["till"]);
    let found = wait_for(|| match status(&server, &third) {
        401 => Err("it is never known"),
        found => Ok(found),
    });
    assert_eq!(found, 429);
    // A key of the same name that is made anew is another one.
    home.run(&["keys", "revoke", "till"]).exits(0);
    home.add_key("till", "the-first-secret-of-another-till");
    until(&server, "the-first-secret-of-another-till", 200);
}

#[test]
fn what_cannot_be_rotated_changes_nothing() {
    let home = home();
    home.add_key("till", "the-first-secret-of-the-till");
    home.run(&["keys", "rotate", "nobody"]).exits(1).says(&["there is no access key named nobody"]);
    for grace in ["", "7", "soon", "-1d", "366d", "1.5h"] {
        home.run(&["keys", "rotate", "till", &format!("--grace={grace}")]).exits(2).says(&["--grace"]);
    }
    assert_eq!(status(&home.serve(), "the-first-secret-of-the-till"), 200);
    assert_eq!(home.query("SELECT count(*) FROM _carnet_audit WHERE event = 'key_rotated'"), ["0"]);
}

#[test]
fn a_secret_that_is_still_good_is_nobody_elses() {
    let home = home();
    home.add_key("till", "the-first-secret-of-the-till");
    rotate(&home, &["till"]);
    let taken = home.run(&["keys", "create", "other", "--key", "the-first-secret-of-the-till"]).exits(1);
    assert!(taken.stderr.contains("already stored under the name till"), "{taken:?}");
}

#[test]
fn the_last_use_is_told_and_is_no_change_of_the_keys() {
    let home = Home::new(&format!("[log]\nlevel = \"debug\"\nformat = \"json\"\n{}", configs::guarded()));
    home.add_admin("root", ADMIN);
    home.add_key("till", "the-first-secret-of-the-till");
    home.add_key("idle", "a-secret-that-nobody-presents");
    let mut server = home.serve();
    assert_eq!(status(&server, "the-first-secret-of-the-till"), 200);
    wait_until("it is never written", || !entry(&server, "till")["last_used"].is_null());
    let till = entry(&server, "till");
    assert!(till["last_used"].as_str() >= till["created"].as_str(), "{till}");
    assert!(entry(&server, "idle")["last_used"].is_null());
    let listed: Value = serde_json::from_str(&home.run(&["keys", "list", "--json"]).exits(0).stdout).unwrap();
    let named =
        |name: &str| listed.as_array().unwrap().iter().find(|key| key["name"] == name).unwrap().clone();
    assert_eq!(named("till")["last_used"], till["last_used"]);
    let table = home.run(&["keys", "list"]).exits(0).stdout;
    assert!(table.lines().any(|line| line.starts_with("idle") && line.contains("never")), "{table}");
    server.signal("TERM");
    server.wait();
    assert!(!server.stderr().contains("keys_reloaded"), "{}", server.stderr());
    // Gone with the key: one of the same name begins anew.
    home.run(&["keys", "revoke", "till"]).exits(0);
    assert_eq!(home.query("SELECT count(*) FROM _carnet_key_uses WHERE name = 'till'"), ["0"]);
}

#[test]
fn keys_that_nobody_uses_are_named() {
    let home = home();
    home.add_key("old", "a-secret-of-some-time-ago");
    home.add_key("used", "a-secret-that-is-in-use");
    home.execute("UPDATE _carnet_keys SET created = '2020-01-01T00:00:00Z' WHERE name <> 'root'");
    let today = home.query("SELECT created FROM _carnet_keys WHERE name = 'root'").remove(0);
    home.execute(&format!("INSERT INTO _carnet_key_uses (name, last_used) VALUES ('used', '{today}')"));
    let listed = home.run(&["keys", "list"]).exits(0);
    assert!(listed.stderr.contains("not used for 90 days: old;"), "{listed:?}");
}

/// What only nodes that share a server show.
mod postgres {
    use super::*;

    #[test]
    #[ignore = "needs a PostgreSQL server: ./test starts one"]
    fn another_node_follows_a_rotation_and_both_count_one_quota() {
        let home = Home::new(&configs::patient(&configs::guarded_and_rate_limited(1_000_000)));
        home.add_admin("root", ADMIN);
        home.add_key("till", "the-first-secret-of-the-till");
        let (one, other) = (home.serve(), home.serve());
        let rotated = over_http(&one, "till", "");
        let second = rotated["key"].as_str().unwrap();
        until(&other, second, 200);
        assert_eq!(status(&other, "the-first-secret-of-the-till"), 200);
        let left = |server: &Server, secret: &str| -> u64 {
            let answer = server.send(&Request::new("GET /users/").header("X-API-Key", secret));
            let said = answer.header("RateLimit").unwrap().split("r=").nth(1).unwrap().to_owned();
            said.split(';').next().unwrap().parse().unwrap()
        };
        let first = left(&one, "the-first-secret-of-the-till");
        assert_eq!(left(&other, second), first - 1);
        let third = over_http(&other, "till", r#"{"grace":"0s"}"#);
        assert_eq!(status(&other, second), 401);
        until(&one, second, 401);
        until(&one, third["key"].as_str().unwrap(), 200);
    }
}
