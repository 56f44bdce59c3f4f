//! Web pages of other origins (CORS): the listed ones may read every answer, nobody else any.

use dev::answer::Answer;
use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::server::Server;

const APP: &str = "https://app.example.org";
const SENT: &str = "Authorization, X-API-Key, Content-Type, If-Match, If-None-Match, Prefer, Idempotency-Key";
const READ: &str = "Location, Link, ETag, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Preference-Applied, Idempotency-Replayed";

fn listed(config: &str, origins: &str) -> String {
    format!("[server]\ncors_origins = {origins}\n{config}")
}

fn from(origin: &str, line: &str) -> Request {
    Request::text(line).header("Origin", origin)
}

/// What a browser asks before a request that is not plain.
fn preflight(origin: &str, path: &str, method: &str) -> Request {
    Request::new(&format!("OPTIONS {path}"))
        .header("Origin", origin)
        .header("Access-Control-Request-Method", method)
        .header("Access-Control-Request-Headers", "authorization,content-type")
}

fn about_origins(answer: &Answer) -> Vec<String> {
    let headers = answer.headers.iter().map(|(name, value)| (name.to_lowercase(), value));
    let headers = headers.filter(|(name, _)| name.starts_with("access-control-") || name == "vary");
    headers.map(|(name, value)| format!("{name}: {value}")).collect()
}

#[track_caller]
fn is_for(origin: &str, answer: &Answer) {
    assert_eq!(answer.header("Access-Control-Allow-Origin"), Some(origin), "{answer:?}");
    assert_eq!(answer.header("Access-Control-Expose-Headers"), Some(READ), "{answer:?}");
    // Answers vary by what a client accepts, and by who it is, too.
    let vary = answer.header("Vary").unwrap_or_else(|| panic!("no Vary: {answer:?}"));
    assert!(vary.split(", ").any(|name| name == "Origin"), "{answer:?}");
    assert_eq!(answer.header("Access-Control-Allow-Credentials"), None, "{answer:?}");
}

#[test]
fn without_a_list_there_is_not_a_word_of_it() {
    let server = Server::start(&configs::built_in());
    for request in [
        from(APP, "GET /users/"),
        from(APP, "GET /users/99/"),
        from(APP, r#"POST /users/ {"first_name":"a","last_name":"b"}"#),
        preflight(APP, "/users/", "POST"),
    ] {
        assert_eq!(about_origins(&server.send(&request)), Vec::<String>::new(), "{request:?}");
    }
    server
        .check_request(&preflight(APP, "/users/", "POST"), "204 No Content\nAllow: GET, HEAD, OPTIONS, POST");
}

#[test]
fn a_browser_that_asks_beforehand_is_told_what_the_route_allows() {
    let origins = r#"["https://app.example.org", "http://localhost:5173"]"#;
    let home = Home::new(&listed(&configs::guarded(), origins));
    let server = home.serve();
    for (origin, path, method, methods) in [
        (APP, "/users/", "POST", "GET, HEAD, POST, OPTIONS"),
        ("http://localhost:5173", "/users/1/", "PUT", "GET, HEAD, PUT, DELETE, OPTIONS"),
        (APP, "/users/1/", "PATCH", "GET, HEAD, PUT, DELETE, OPTIONS"),
        (APP, "/schema/", "GET", "GET, HEAD, OPTIONS"),
        (APP, "/_/me/", "GET", "GET, HEAD, OPTIONS"),
        (APP, "/_/keys/", "POST", "GET, HEAD, POST, OPTIONS"),
        (APP, "/_/keys/reader/", "DELETE", "DELETE, OPTIONS"),
    ] {
        let answer = server.send(&preflight(origin, path, method));
        assert_eq!(answer.status, 204, "{path}");
        is_for(origin, &answer);
        assert_eq!(answer.header("Access-Control-Allow-Methods"), Some(methods), "{path}");
        assert_eq!(answer.header("Access-Control-Allow-Headers"), Some(SENT), "{path}");
        assert_eq!(answer.header("Access-Control-Max-Age"), Some("600"), "{path}");
    }
    let nothing = server.send(&preflight(APP, "/nothing/", "GET"));
    assert_eq!(nothing.status, 404);
    is_for(APP, &nothing);
    assert_eq!(nothing.header("Access-Control-Allow-Methods"), None);
    // Without the question it is an OPTIONS like any other, and its answer may be read.
    let asked = server.send(&from(APP, "OPTIONS /users/"));
    is_for(APP, &asked);
    assert_eq!(asked.header("Access-Control-Allow-Methods"), None);
}

#[test]
fn every_answer_to_a_listed_origin_may_be_read_errors_included() {
    let config = listed(&configs::guarded_and_rate_limited(2), r#"["https://app.example.org"]"#);
    let home = Home::new(&config.replace("[server]\n", "[server]\nmax_body = 1000\n"));
    home.add_key("tests", "a-key-for-the-tests");
    let server = home.serve();
    server.create_address();
    let with_key = |line: &str| from(APP, line).header("X-API-Key", "a-key-for-the-tests");
    let long = "x".repeat(9000);
    for (status, request) in [
        (200, from(APP, "GET /")),
        (200, from(APP, "GET /address/1/")),
        (200, from(APP, "HEAD /address/")),
        (201, from(APP, r#"POST /address/ {"country":"a","city":"b","street":"c","number":1}"#)),
        (304, from(APP, "GET /address/1/").header("If-None-Match", "*")),
        (400, from(APP, "GET /address/?nope=1")),
        (401, from(APP, "GET /users/")),
        (401, from(APP, "GET /_/keys/")),
        (403, with_key("GET /_/keys/")),
        (404, from(APP, "GET /nothing/")),
        (405, from(APP, "BREW /address/")),
        (412, from(APP, r#"PUT /address/1/ {"number":2}"#).header("If-Match", "\"x\"")),
        (413, from(APP, "POST /address/").json(vec![b' '; 1001])),
        (414, from(APP, &format!("GET /{long}"))),
        (415, from(APP, "POST /address/").header("Content-Type", "text/plain").body("x")),
        (200, with_key("GET /users/")),
        (200, with_key("GET /users/")),
        (429, with_key("GET /users/")),
        (200, from(APP, "GET /metrics")),
    ] {
        let answer = server.send(&request);
        assert_eq!(answer.status, status, "{request:?}: {answer:?}");
        is_for(APP, &answer);
    }
}

#[test]
fn an_origin_that_is_not_listed_gets_none_of_it() {
    let server = Server::start(&listed(&configs::built_in(), r#"["https://app.example.org"]"#));
    for origin in [
        "https://evil.example",
        "http://app.example.org",
        "https://app.example.org:8443",
        "https://app.example.org.evil.example",
        "https://app.example.orgx",
        "https://app.example.or",
        "HTTPS://APP.EXAMPLE.ORG",
        "null",
        "*",
        "",
    ] {
        for request in [
            from(origin, "GET /users/"),
            from(origin, "GET /nothing/"),
            preflight(origin, "/users/", "POST"),
            from(APP, "GET /users/").header("Origin", origin),
        ] {
            assert_eq!(about_origins(&server.send(&request)), ["vary: Origin"], "{request:?}");
        }
    }
    assert_eq!(about_origins(&server.ask("GET /users/")), ["vary: Origin"]);
    is_for(APP, &server.send(&from(APP, "GET /users/")));
}

#[test]
fn a_star_stands_for_every_origin_and_never_allows_credentials() {
    let server = Server::start(&listed(&configs::built_in(), r#"["*"]"#));
    for origin in [APP, "https://other.example", "null"] {
        is_for("*", &server.send(&from(origin, "GET /users/")));
        is_for("*", &server.send(&from(origin, "GET /nothing/")));
        let answer = server.send(&preflight(origin, "/users/", "POST"));
        is_for("*", &answer);
        assert_eq!(answer.header("Access-Control-Allow-Methods"), Some("GET, HEAD, POST, OPTIONS"));
    }
    assert_eq!(about_origins(&server.ask("GET /users/")), ["vary: Origin"]);
}
