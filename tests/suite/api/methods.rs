//! Every route against every method: the status, and the right `Allow`.

use dev::configs;

use crate::support::server::Server;

const METHODS: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "get"];

const READ: &str = "GET, HEAD, OPTIONS";
const LIST: &str = "GET, HEAD, OPTIONS, POST";
const RECORD: &str = "DELETE, GET, HEAD, OPTIONS, PUT";

/// Asks a path with every method, and compares who is let in with `allow`.
#[track_caller]
fn sweep(server: &Server, path: &str, allow: &str) {
    for method in METHODS {
        // A body that is refused, so that a sweep changes nothing. DELETE comes last by nature.
        let body = if matches!(method, "POST" | "PUT" | "PATCH") { " []" } else { "" };
        if method == "DELETE" && allow.contains("DELETE") {
            continue;
        }
        let answer = server.ask(&format!("{method} {path}{body}"));
        let expected = match method {
            "OPTIONS" => 204,
            _ if !allow.split(", ").any(|allowed| allowed == method) => 405,
            "GET" | "HEAD" => 200,
            _ => 400,
        };
        assert_eq!(answer.status, expected, "{method} {path}: {answer:?}");
        if matches!(expected, 204 | 405) {
            assert_eq!(answer.allow().as_deref(), Some(allow), "{method} {path}");
        }
    }
}

#[test]
fn every_route_answers_every_method() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    server.create_address();
    for (path, allow) in [
        ("/", READ),
        ("/users/", LIST),
        ("/users", LIST),
        ("/address/", LIST),
        ("/users/1/", RECORD),
        ("/users/1", RECORD),
        ("/address/1/", RECORD),
        ("/schema/", READ),
        ("/schema", READ),
        ("/schema/users/", READ),
        ("/schema/address", READ),
        ("/openapi.json", READ),
        ("/livez", READ),
        ("/readyz", READ),
        ("/metrics", READ),
    ] {
        sweep(&server, path, allow);
    }
    assert_eq!((server.total("/users/"), server.total("/address/")), (1, 1));
    assert_eq!(server.status("DELETE /users/1/"), 200);
}

#[test]
fn verbs_that_the_configuration_takes_away_are_not_allowed() {
    let server = Server::start(&configs::verbs(r#"["GET"]"#, r#"["GET"]"#));
    let home = server.stop();
    home.execute("INSERT INTO users (first_name, last_name) VALUES ('John', 'Doe')");
    let server = home.serve();
    sweep(&server, "/users/", READ);
    sweep(&server, "/users/1/", READ);
    sweep(&server, "/address/", LIST);
}

#[test]
fn patch_is_listed_where_it_is_configured() {
    let server = Server::start(&configs::verbs(r#"["GET", "POST"]"#, r#"["GET", "PUT", "PATCH", "DELETE"]"#));
    server.create_user("John", "Doe");
    sweep(&server, "/users/1/", "DELETE, GET, HEAD, OPTIONS, PATCH, PUT");
}

#[test]
fn without_get_there_is_no_head() {
    let server = Server::start(&configs::verbs(r#"["POST"]"#, r#"["PUT"]"#));
    server.create_user("John", "Doe");
    sweep(&server, "/users/", "OPTIONS, POST");
    sweep(&server, "/users/1/", "OPTIONS, PUT");
    server.check(
        r#"PUT /users/1/ {"last_name":"Roe"}"#,
        r#"200 OK {"first_name":"John","last_name":"Roe","address":null,"id":1,"ressource_uri":"/users/1/"}"#,
    );
}

#[test]
fn head_answers_as_get_without_the_body() {
    let server = Server::start(&configs::built_in());
    for number in 0..21 {
        server.create_user(&format!("n{number}"), "Doe");
    }
    for path in [
        "/",
        "/users/",
        "/users/?offset=20&last_name=Doe",
        "/users/1/",
        "/users/99/",
        "/users/?x=1",
        "/schema/",
        "/schema/users/",
        "/openapi.json",
    ] {
        let get = server.ask(&format!("GET {path}"));
        let head = server.ask(&format!("HEAD {path}"));
        assert_eq!(head.status, get.status, "{path}");
        assert!(head.body.is_empty(), "{path}");
        for name in ["Content-Type", "Content-Length", "Link", "Connection"] {
            assert_eq!(head.header(name), get.header(name), "{path}: {name}");
        }
    }
}

#[test]
fn options_is_answered_without_a_body() {
    let server = Server::start(&configs::built_in());
    server.check(
        "OPTIONS /users/",
        "204 No Content
         Allow: GET, HEAD, OPTIONS, POST",
    );
    server.check(
        "OPTIONS /users/99/",
        "204 No Content
         Allow: DELETE, GET, HEAD, OPTIONS, PUT",
    );
}

#[test]
fn the_connection_is_kept_after_a_method_that_is_not_allowed() {
    let server = Server::start(&configs::built_in());
    let mut client = server.client();
    for method in ["PUT", "DELETE", "PATCH", "TRACE"] {
        assert_eq!(client.ask(&format!("{method} /users/")).status, 405);
    }
    assert_eq!((client.ask("GET /users/").status, client.opened()), (200, 1));
}
