//! The root and the paths for those who run the server: open to everybody.

use dev::answer::NOT_FOUND;
use dev::configs;

use crate::support::server::Server;

#[test]
fn the_root_says_what_is_here() {
    let server = Server::start(&configs::built_in());
    server.check(
        "GET /",
        &format!(
            r#"200 OK
            Link: </openapi.json>; rel="service-desc"
            Vary: Accept

            {{"name":"carnet","version":"{}","schema":"/schema/","openapi":"/openapi.json","collections":{{"address":"/address/","users":"/users/"}}}}"#,
            env!("CARGO_PKG_VERSION")
        ),
    );
}

#[test]
fn the_root_and_the_schema_say_where_they_are_described_for_programs() {
    let server = Server::start(&configs::built_in());
    for path in ["/", "/schema/", "/schema"] {
        for method in ["GET", "HEAD"] {
            let answer = server.ask(&format!("{method} {path}"));
            let link = answer.header("Link");
            assert_eq!(link, Some("</openapi.json>; rel=\"service-desc\""), "{method} {path}");
        }
    }
    for path in ["/users/", "/schema/users/", "/openapi.json", "/livez"] {
        assert_eq!(server.ask(&format!("GET {path}")).header("Link"), None, "{path}");
    }
}

#[test]
fn the_root_lists_the_configured_collections() {
    let server = Server::start(&configs::kinds());
    assert_eq!(server.ask("GET /").json()["collections"].to_string(), r#"{"things":"/things/"}"#);
}

#[test]
fn the_server_says_that_it_lives_and_that_it_is_ready() {
    let server = Server::start(&configs::guarded());
    assert_eq!(server.status("GET /livez"), 200);
    assert_eq!(server.status("GET /readyz"), 200);
}

#[test]
fn metrics_are_in_openmetrics() {
    let server = Server::start(&configs::guarded());
    server.ask("GET /address/");
    let answer = server.ask("GET /metrics");
    assert_eq!(answer.status, 200);
    assert!(answer.header("Content-Type").unwrap().starts_with("application/openmetrics-text"), "{answer:?}");
    assert!(answer.body_text().ends_with("# EOF\n"), "{answer:?}");
    assert!(answer.body_text().contains("# TYPE "), "{answer:?}");
}

#[test]
fn metrics_can_be_taken_away() {
    let server = Server::start(&configs::with_server("metrics = false"));
    server.check("GET /metrics", NOT_FOUND);
    assert_eq!(server.status("GET /livez"), 200);
}

#[test]
fn what_is_open_is_open_to_those_without_a_key_and_with_a_wrong_one() {
    let server = Server::start(&configs::guarded());
    for path in
        ["/", "/schema/", "/schema/users/", "/openapi.json", "/livez", "/readyz", "/metrics", "/address/"]
    {
        assert_eq!(server.status(&format!("GET {path}")), 200, "{path}");
        assert_eq!(server.status(&format!("GET {path}?accesskey=wrong")), 200, "{path}");
    }
}
