//! Lines of the log about requests: what they show, and how long they may get.

use serde_json::Value;

use crate::support::configs;
use crate::support::home::Home;
use crate::support::request::Request;
use crate::support::server::Server;

/// The lines about requests, after the server has stopped.
fn request_lines(mut server: Server) -> Vec<Value> {
    server.signal("TERM");
    server.wait();
    let lines = server.stderr();
    let lines = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["event"] == "request").collect()
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
        (Request::new("GET /users/1x/"), "/users/1x/", 404),
        (Request::new("GET /userss/"), "/user…/", 404),
        (Request::new("GET /schema/userss/"), "/schema/user…/", 404),
        (Request::new("GET /users/1/address/"), "/users/1/address/", 404),
        (Request::new("GET /ünter/"), "/ünte…/", 404),
    ] {
        let id = format!("shown{}", shown.replace(|character: char| !character.is_ascii_alphanumeric(), "-"));
        let request = request.header("X-Request-Id", &id);
        assert_eq!(server.send(&request).status, status, "{request:?}");
        server.wait_for_error(&format!("\"path\":\"{shown}\",\"status\":{status}"));
    }
}
