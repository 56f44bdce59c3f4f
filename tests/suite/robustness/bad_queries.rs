//! Queries, paths and keys meant to hurt.

use dev::answer::NOT_FOUND;
use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::server::Server;

#[test]
fn every_bad_query_is_a_400_on_a_connection_that_is_kept() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let mut client = server.client();
    for query in [
        "offset=-1",
        "offset=abc",
        "offset=99999999999999999999",
        "offset=1&offset=2",
        "count=0",
        "count=99999999999999999999",
        "address=abc",
        "address=9223372036854775808",
        "id=18446744073709551616",
        "last_name=%FF",
        "last_name=%C3%28",
        "%FF=1",
        "nope=1",
        "=1",
        "last_name[]=Doe",
        "last_name=a&last_name=a",
        "ORDER+BY=1",
    ] {
        let answer = client.ask(&format!("GET /users/?{query}"));
        assert_eq!(answer.status, 400, "{query}: {answer:?}");
        assert_eq!(client.ask("GET /users/").status, 200);
    }
    assert_eq!(client.opened(), 1, "the connection was kept");
}

#[test]
fn an_empty_query_is_no_query() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    assert_eq!(server.ids("/users/?"), [1]);
    assert_eq!(server.ids("/users/?last_name=Doe&"), [1]);
    assert_eq!(server.ids("/users/?&last_name=Doe"), [1]);
}

#[test]
fn a_query_of_very_many_pairs_is_refused() {
    let server = Server::start(&configs::built_in());
    let query = vec!["last_name=a"; 3000].join("&");
    let mut client = server.client();
    client.write(&Request::new(&format!("GET /users/?{query}")).bytes("localhost")).unwrap();
    let answer = client.read("GET").unwrap();
    assert!(matches!(answer.status, 400 | 414 | 431), "{answer:?}");
    assert_eq!(server.status("GET /users/"), 200);
}

#[test]
fn strange_paths_are_not_found_and_strange_ids_too() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    for path in [
        "/users/18446744073709551616/",
        "/users/18446744073709551617/",
        "/users/-0/",
        "/users/0/",
        "/users/%31%00/",
        "/users/../users/1/x/",
        "/..%2f..%2fetc/passwd",
        "/users/%2e%2e/schema/",
        "/%FF/",
        "/users/1%2F/x",
        "/users/1'/",
    ] {
        for method in ["GET", "PUT", "DELETE"] {
            let body = if method == "PUT" { " {}" } else { "" };
            server.check(&format!("{method} {path}{body}"), NOT_FOUND);
        }
    }
    assert_eq!(server.total("/users/"), 1);
}

#[test]
fn a_strange_key_opens_nothing_and_breaks_nothing() {
    let home = Home::new(&configs::guarded());
    home.add_key("tests", "a-key-for-the-tests");
    let server = home.serve();
    for (query, statuses) in [
        ("accesskey=", &[401][..]),
        ("accesskey", &[401][..]),
        ("accesskey=%00", &[401][..]),
        ("accesskey=%FF", &[400, 401][..]),
        ("apikey=%C3", &[400, 401][..]),
        ("accesskey=%F0%9F%8E%89", &[401][..]),
    ] {
        for path in ["/users/", "/users/1/"] {
            let answer = server.ask(&format!("GET {path}?{query}"));
            assert!(statuses.contains(&answer.status), "{query}: {answer:?}");
        }
    }
    assert_eq!(server.status("GET /users/?accesskey=a-key-for-the-tests"), 200);
}

#[test]
fn a_key_of_a_mebibyte_is_refused() {
    let server = Server::start(&configs::guarded());
    let long = "k".repeat(1 << 20);
    for request in [
        Request::new(&format!("GET /users/?accesskey={long}")),
        Request::new("GET /users/").header("Authorization", &format!("Bearer {long}")),
        Request::new("GET /users/").header("X-API-Key", &long),
    ] {
        let mut client = server.client();
        client.write_meanwhile(request.bytes("localhost"));
        let answer = client.read("GET").unwrap();
        assert!(matches!(answer.status, 414 | 431), "{answer:?}");
    }
    assert_eq!(server.status("GET /users/"), 401);
}

#[test]
fn a_header_key_that_is_not_utf_8_is_refused() {
    let server = Server::start(&configs::guarded());
    for header in ["Authorization: Bearer ", "X-API-Key: "] {
        let mut client = server.client();
        let mut bytes = format!("GET /users/ HTTP/1.1\r\nHost: localhost\r\n{header}").into_bytes();
        bytes.extend(b"\xff\xfe\r\n\r\n");
        client.write(&bytes).unwrap();
        let answer = client.read("GET").unwrap();
        assert!(matches!(answer.status, 400 | 401), "{answer:?}");
    }
    assert_eq!(server.status("GET /users/"), 401);
}
