//! What is said on every answer, so that no browser makes more of it than data.

use dev::answer::Answer;
use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::tls::serve;

const DATA: &str = "default-src 'none'; frame-ancestors 'none'";

#[track_caller]
fn is_safe(answer: &Answer, policy: &str) {
    assert_eq!(answer.header("X-Content-Type-Options"), Some("nosniff"), "{answer:?}");
    assert_eq!(answer.header("Referrer-Policy"), Some("no-referrer"), "{answer:?}");
    assert_eq!(answer.header("Cross-Origin-Resource-Policy"), Some("same-origin"), "{answer:?}");
    let said = answer.header("Content-Security-Policy").unwrap_or_default();
    assert!(said.starts_with(policy), "{answer:?}");
}

#[test]
fn every_answer_says_what_it_may_be_used_for() {
    let home = Home::new(&format!("[server]\nmax_body = 1000\n{}", configs::guarded()));
    home.add_key("tests", "a-key-for-the-tests");
    let server = home.serve();
    server.create_address();
    for (status, request) in [
        (200, Request::new("GET /")),
        (303, Request::new("GET /").header("Accept", "text/html")),
        (200, Request::new("GET /address/")),
        (200, Request::new("HEAD /address/1/")),
        (204, Request::new("OPTIONS /address/")),
        (304, Request::new("GET /address/1/").header("If-None-Match", "*")),
        (400, Request::new("GET /address/?nope=1")),
        (401, Request::new("GET /users/")),
        (403, Request::new("GET /_/keys/").header("X-API-Key", "a-key-for-the-tests")),
        (404, Request::new("GET /nothing/")),
        (405, Request::new("BREW /address/")),
        (413, Request::new("POST /address/").json(vec![b' '; 1001])),
        (414, Request::new(&format!("GET /{}", "x".repeat(9000)))),
        (415, Request::new("POST /address/").header("Content-Type", "text/plain").body("x")),
        (200, Request::new("GET /metrics")),
        (200, Request::new("GET /openapi.json")),
        (200, Request::new("GET /livez")),
    ] {
        let answer = server.send(&request);
        assert_eq!(answer.status, status, "{request:?}");
        is_safe(&answer, DATA);
        assert_eq!(answer.header("Strict-Transport-Security"), None);
    }
    is_safe(&server.ask("GET /console/"), "default-src 'none'; script-src 'self'");
}

#[test]
fn an_answer_that_depends_on_who_asks_says_so() {
    let home = Home::new(&configs::guarded());
    home.add_key("tests", "a-key-for-the-tests");
    let server = home.serve();
    for request in [
        Request::new("GET /users/"),
        Request::new("GET /users/").header("X-API-Key", "a-key-for-the-tests"),
        Request::new("GET /users/?accesskey=a-key-for-the-tests"),
        Request::new("GET /_/keys/"),
    ] {
        assert_eq!(server.send(&request).header("Vary"), Some("Authorization, X-API-Key"), "{request:?}");
    }
    assert_eq!(server.ask("GET /address/").header("Vary"), None);
    for line in ["GET /users/", "GET /users/9/", "PATCH /users/", "OPTIONS /users/"] {
        let answer = server.send(&Request::new(&format!("{line}?accesskey=a-key-for-the-tests")));
        assert_eq!(answer.header("Cache-Control"), Some("no-store"), "the URL holds the key: {line}");
    }
}

#[test]
fn tls_is_promised_where_it_is_configured() {
    let (server, _) = serve("hsts = 31536000");
    for path in ["/users/", "/nothing/", "/console/"] {
        let answer = server.ask(&format!("GET {path}"));
        assert_eq!(answer.header("Strict-Transport-Security"), Some("max-age=31536000"), "{path}");
    }
    let (server, _) = serve("");
    assert_eq!(server.ask("GET /users/").header("Strict-Transport-Security"), None);
}

#[test]
fn a_query_that_cannot_be_read_is_refused_on_every_path() {
    let server = crate::support::server::Server::start(&configs::built_in());
    for path in [
        "/",
        "/users/",
        "/users/1/",
        "/schema/",
        "/schema/users/",
        "/openapi.json",
        "/livez",
        "/readyz",
        "/metrics",
        "/console/",
        "/_/me/",
        "/_/keys/",
    ] {
        let message = server.refuses(&format!("GET {path}?a=%ff"), 400);
        assert_eq!(message, "The query is not UTF-8", "{path}");
    }
}
