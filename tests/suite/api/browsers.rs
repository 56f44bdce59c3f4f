//! What web pages of other origins cannot do with somebody's browser: write, or reach a server that is only for its
//! own machine by a name of theirs. Whoever is no browser notices nothing.

use dev::configs;
use dev::request::Request;

use crate::support::server::Server;

const APP: &str = "https://app.example.org";
const OTHER: &str =
    "A web page of another origin may not change anything here. List its origin in cors_origins to let it";
const STRANGE: &str = "This server is for its own machine, and is not known by the name in Host. Set base_url to the name that browsers use";

fn writes() -> Vec<Request> {
    [
        r#"POST /users/ {"first_name":"Eve","last_name":"Evil"}"#,
        r#"PUT /users/1/ {"first_name":"Eve"}"#,
        r#"PATCH /users/1/ {"first_name":"Eve"}"#,
        "DELETE /users/1/",
        r#"POST /_/keys/ {"name":"eve"}"#,
        "POST /nothing/ {}",
    ]
    .iter()
    .map(|text| Request::text(text))
    .collect()
}

fn refused(server: &Server, request: &Request) {
    let answer = server.send(request);
    assert_eq!((answer.status, answer.error().as_str()), (403, OTHER), "{request:?}");
    assert_eq!(answer.header("Access-Control-Allow-Origin"), None);
}

#[test]
fn a_write_from_another_origin_is_refused_and_changes_nothing() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let before = server.contents();
    let host = server.address().to_string();
    let port = server.address().port();
    for write in writes() {
        for origin in [
            "https://evil.example",
            "null",
            "",
            &format!("https://{host}"),
            &format!("http://{host}.evil.example"),
            &format!("http://localhost:{port}"),
            "http://127.0.0.1",
            &format!("http://{host}/"),
        ] {
            refused(&server, &write.clone().header("Origin", origin));
            for site in ["cross-site", "same-site", "", "SAME-ORIGIN"] {
                refused(&server, &write.clone().header("Origin", origin).header("Sec-Fetch-Site", site));
            }
        }
        refused(&server, &write.clone().header("Sec-Fetch-Site", "cross-site"));
        for (first, second) in [("same-origin", "cross-site"), ("cross-site", "same-origin"), ("none", "")] {
            refused(&server, &write.clone().header("Sec-Fetch-Site", first).header("Sec-Fetch-Site", second));
        }
        let own = format!("http://{host}");
        refused(&server, &write.clone().header("Origin", &own).header("Origin", "https://evil.example"));
    }
    assert_eq!(server.contents(), before);
    // Reading is the browser's to forbid, and nothing here allows it.
    let answer = server.send(&Request::new("GET /users/1/").header("Origin", "https://evil.example"));
    assert_eq!((answer.status, answer.header("Access-Control-Allow-Origin")), (200, None));
    assert_eq!(answer.header("Cross-Origin-Resource-Policy"), Some("same-origin"));
}

#[test]
fn pages_of_the_server_itself_and_clients_that_are_no_browsers_write() {
    let server = Server::start(&configs::built_in());
    let create = Request::text(r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#);
    let own = server.base_url();
    for request in [
        create.clone(),
        create.clone().header("Origin", &own),
        create.clone().header("Origin", &own).header("Sec-Fetch-Site", "same-origin"),
        create.clone().header("Sec-Fetch-Site", "same-origin"),
        create.clone().header("Sec-Fetch-Site", "none"),
        create.clone().header("Referer", "https://evil.example/"),
    ] {
        assert_eq!(server.send(&request).status, 201, "{request:?}");
    }
}

#[test]
fn pages_of_the_base_url_and_of_listed_origins_write() {
    let keys = "base_url = \"https://book.example.org/under\"\ncors_origins = [\"https://app.example.org\"]";
    let server = Server::start(&configs::with_server(keys));
    let create = Request::text(r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#);
    for (origin, site, status) in [
        ("https://book.example.org", None, 201),
        ("https://book.example.org", Some("same-origin"), 201),
        (APP, None, 201),
        (APP, Some("cross-site"), 201),
        ("https://evil.example", Some("cross-site"), 403),
        ("https://book.example.org.evil.example", None, 403),
        ("https://app.example.org:444", None, 403),
    ] {
        let mut request = create.clone().header("Origin", origin);
        if let Some(site) = site {
            request = request.header("Sec-Fetch-Site", site);
        }
        assert_eq!(server.send(&request).status, status, "{request:?}");
    }
    let all = Server::start(&configs::with_server("cors_origins = [\"*\"]"));
    assert_eq!(all.send(&create.header("Origin", "https://any.example")).status, 201);
    let answer = all.ask("GET /users/");
    assert_eq!(answer.header("Cross-Origin-Resource-Policy"), Some("cross-origin"));
}

#[test]
fn a_name_that_was_made_to_lead_to_this_machine_opens_nothing() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let port = server.address().port();
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0", "192.168.0.1"]
    {
        let host = format!("{host}:{port}");
        for (name, value) in [
            ("Sec-Fetch-Site", "same-origin"),
            ("Sec-Fetch-Site", "none"),
            ("Origin", &format!("http://{host}")),
            ("User-Agent", "Mozilla/5.0"),
            ("Accept-Language", "en"),
        ] {
            for line in
                ["GET /users/1/", "HEAD /users/1/", "DELETE /users/1/", "OPTIONS /users/", "GET /console/"]
            {
                let request = Request::new(line).header("Host", &host).header(name, value);
                let answer = server.send(&request);
                assert_eq!(answer.status, 403, "{request:?}: {answer:?}");
                if !line.starts_with("HEAD") {
                    assert_eq!(answer.error(), STRANGE);
                }
            }
        }
        // No browser: as before.
        assert_eq!(server.send(&Request::new("GET /users/1/").header("Host", &host)).status, 200);
    }
    for host in ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "book.localhost"] {
        for host in [host.to_owned(), format!("{host}:{port}")] {
            let request =
                Request::new("GET /users/1/").header("Host", &host).header("Sec-Fetch-Site", "same-origin");
            assert_eq!(server.send(&request).status, 200, "{host}");
        }
    }
}

#[test]
fn a_proxy_on_this_machine_is_known_by_base_url_or_by_trust() {
    let asks = |server: &Server, host: &str, forwarded: bool| {
        let mut request =
            Request::new("GET /users/").header("Host", host).header("Sec-Fetch-Site", "same-origin");
        if forwarded {
            request = request.header("X-Forwarded-Host", "book.example.org");
        }
        server.send(&request).status
    };
    let named = Server::start(&configs::with_server("base_url = \"https://book.example.org\""));
    assert_eq!(asks(&named, "book.example.org", false), 200);
    assert_eq!(asks(&named, "evil.example", false), 403);
    let trusting = Server::start(&configs::with_server("trusted_proxies = [\"127.0.0.1\"]"));
    assert_eq!(asks(&trusting, "book.example.org", true), 200);
    assert_eq!(asks(&trusting, "evil.example", false), 403);
    // Whom nobody trusts is not believed.
    let plain = Server::start(&configs::built_in());
    assert_eq!(asks(&plain, "evil.example", true), 403);
}
