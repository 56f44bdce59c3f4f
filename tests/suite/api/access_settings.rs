//! Access keys under another parameter name, on a running server, and over restarts.

use std::time::{Duration, Instant};

use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::server::Server;

const KEY: &str = "kLmN0pQrStUvWxYz";

/// A running server follows the keys commands within one second; the rest is room for a loaded machine.
const FOLLOWS_WITHIN: Duration = Duration::from_secs(5);

/// Asks until the status is this one.
#[track_caller]
fn becomes(server: &Server, request: &str, status: u16) {
    let start = Instant::now();
    wait_until(&format!("{request} does not become {status}"), || server.status(request) == status);
    let took = start.elapsed();
    assert!(took < FOLLOWS_WITHIN, "{request} became {status} after {took:?}");
}

#[test]
fn the_parameter_has_the_configured_name_and_then_no_other() {
    let home = Home::new(&configs::guarded_by("token"));
    home.add_key("tests", KEY);
    let server = home.serve();
    assert_eq!(server.status(&format!("GET /users/?token={KEY}")), 200);
    assert_eq!(server.status(&format!("GET /users/?accesskey={KEY}")), 401);
    assert_eq!(server.status(&format!("GET /users/?apikey={KEY}")), 401);
    assert!(server.refuses("GET /users/", 401).contains("token"));
    server.faults(&format!("GET /users/?token={KEY}&apikey=x"), "apikey is not a field of users");
    server.faults(&format!("GET /users/?accesskey=x&token={KEY}"), "accesskey is not a field of users");
    let bearer = Request::new("GET /users/").header("Authorization", &format!("Bearer {KEY}"));
    assert_eq!(server.send(&bearer).status, 200);
}

#[test]
fn a_field_may_be_called_apikey_where_the_parameter_has_another_name() {
    let fields = "[collection.fields]\napikey = { type = \"string\", required = true }\n";
    let server = Server::start(&format!(
        "[access]\nparameter = \"token\"\n[[collection]]\nname = \"services\"\n{fields}"
    ));
    server.create("/services/", r#"{"apikey":"a"}"#);
    assert_eq!(server.ids("/services/?apikey=a"), [1]);
}

#[test]
fn a_key_made_beside_a_running_server_is_soon_known_and_a_revoked_one_soon_is_not() {
    let server = Server::start(&configs::patient(&configs::guarded()));
    let request = format!("GET /users/?accesskey={KEY}");
    let refused = server.ask(&request);
    assert_eq!(refused.status, 401);
    server.home().add_key("tests", KEY);
    becomes(&server, &request, 200);
    server.home().run(&["keys", "revoke", "tests"]).exits(0);
    becomes(&server, &request, 401);
    let base_url = server.base_url();
    assert_eq!(server.ask(&request).text(&base_url), refused.text(&base_url));
    assert_eq!(server.ask("GET /users/").text(&base_url), refused.text(&base_url));
}

#[test]
fn revoking_one_key_leaves_the_others() {
    let home = Home::new(&configs::guarded());
    home.add_key("first", KEY);
    home.add_key("second", "another-key-for-the-tests");
    let server = home.serve();
    home.run(&["keys", "revoke", "first"]).exits(0);
    becomes(&server, &format!("GET /users/?accesskey={KEY}"), 401);
    assert_eq!(server.status("GET /users/?accesskey=another-key-for-the-tests"), 200);
}

#[test]
fn keys_outlive_the_server() {
    let home = Home::new(&configs::guarded());
    home.add_key("tests", KEY);
    for _ in 0..2 {
        let server = home.serve();
        assert_eq!(server.status(&format!("GET /users/?accesskey={KEY}")), 200);
        server.kill();
    }
}

#[test]
fn a_key_of_any_printable_text_works() {
    let home = Home::new(&configs::guarded());
    home.add_key("strange", "a+b&c=d%41é/?#\"'<>");
    let server = home.serve();
    let encoded = "a%2Bb%26c%3Dd%2541%C3%A9%2F%3F%23%22%27%3C%3E";
    assert_eq!(server.status(&format!("GET /users/?accesskey={encoded}")), 200);
    assert_eq!(server.status("GET /users/?accesskey=a+b"), 401);
}
