//! Where `Location` points: the configured base URL, or the request's own scheme and host.

use dev::configs;
use dev::request::Request;

use crate::support::server::Server;

const JOHN: &str = r#"{"first_name":"John","last_name":"Doe"}"#;

#[track_caller]
fn location(server: &Server, headers: &[(&str, &str)]) -> String {
    let mut request = Request::new("POST /users/").json(JOHN);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let answer = server.send(&request);
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.header("Location").unwrap().to_owned()
}

#[test]
fn location_takes_the_host_of_the_request() {
    let server = Server::start(&configs::built_in());
    assert_eq!(location(&server, &[]), format!("{}/users/1/", server.base_url()));
    assert_eq!(location(&server, &[("Host", "book.test")]), "http://book.test/users/2/");
    assert_eq!(location(&server, &[("Host", "book.test:8042")]), "http://book.test:8042/users/3/");
}

#[test]
fn location_takes_the_configured_base_url() {
    let server = Server::start(&configs::with_server(r#"base_url = "https://book.example.org""#));
    assert_eq!(location(&server, &[]), "https://book.example.org/users/1/");
    assert_eq!(location(&server, &[("Host", "book.test")]), "https://book.example.org/users/2/");
    server.check(
        "GET /users/1/",
        r#"200 OK {"first_name":"John","last_name":"Doe","address":null,"id":1,"ressource_uri":"/users/1/"}"#,
    );
}

#[test]
fn forwarded_headers_of_a_stranger_are_not_believed() {
    let strangers = [configs::built_in(), configs::with_server(r#"trusted_proxies = ["10.0.0.0/8"]"#)];
    for config in strangers {
        let server = Server::start(&config);
        let headers = [
            ("X-Forwarded-Proto", "https"),
            ("X-Forwarded-Host", "evil.example"),
            ("X-Forwarded-For", "::1"),
        ];
        assert_eq!(location(&server, &headers), format!("{}/users/1/", server.base_url()));
    }
}

#[test]
fn forwarded_headers_of_a_trusted_proxy_are_believed() {
    let server = Server::start(&configs::with_server(r#"trusted_proxies = ["127.0.0.0/8"]"#));
    let headers = [("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "book.example.org")];
    assert_eq!(location(&server, &headers), "https://book.example.org/users/1/");
    assert_eq!(location(&server, &[]), format!("{}/users/2/", server.base_url()));
    let headers = [("Host", "book.test"), ("X-Forwarded-Proto", "https")];
    assert_eq!(location(&server, &headers), "https://book.test/users/3/");
}
