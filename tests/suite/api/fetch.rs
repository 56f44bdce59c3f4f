//! Fetch: one record by its path (4.4).

use dev::answer::NOT_FOUND;
use dev::configs;

use crate::support::server::Server;

#[test]
fn a_user_is_its_fields_in_declared_order_then_id_then_its_own_path() {
    let server = Server::start(&configs::built_in());
    server.create_address();
    server.create("/users/", r#"{"address":1,"last_name":"Doe","first_name":"John"}"#);
    server.check(
        "GET /users/1/",
        r#"200 OK {"first_name":"John","last_name":"Doe","address":1,"id":1,"ressource_uri":"/users/1/"}"#,
    );
}

#[test]
fn an_address_does_not_show_its_id() {
    let server = Server::start(&configs::built_in());
    server.create("/address/", r#"{"number":5,"street":"Rivoli","city":"Paris","country":"France"}"#);
    server.check(
        "GET /address/1/",
        r#"200 OK {"country":"France","city":"Paris","street":"Rivoli","number":5,"ressource_uri":"/address/1/"}"#,
    );
}

#[test]
fn show_id_is_a_setting_of_each_collection() {
    let server = Server::start(&configs::ids_shown_the_other_way());
    server.create_address();
    server.create_user("John", "Doe");
    server.check(
        "GET /users/1/",
        r#"200 OK {"first_name":"John","last_name":"Doe","address":null,"ressource_uri":"/users/1/"}"#,
    );
    server.check(
        "GET /address/1/",
        r#"200 OK {"country":"France","city":"Paris","street":"Rivoli","number":5,"id":1,"ressource_uri":"/address/1/"}"#,
    );
}

#[test]
fn an_unknown_id_is_not_found() {
    let server = Server::start(&configs::built_in());
    server.check("GET /users/1/", NOT_FOUND);
    server.create_user("John", "Doe");
    server.check("GET /users/2/", NOT_FOUND);
    server.check("GET /address/1/", NOT_FOUND);
}

#[test]
fn an_id_that_is_no_id_is_not_found() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    for id in [
        "0",
        "-1",
        "abc",
        "1.0",
        "1e0",
        "+1",
        "0x1",
        "1%20",
        "%20",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "99999999999999999999999999",
        "null",
        "1,2",
        "1;2",
        "%00",
        "%FF",
    ] {
        server.check(&format!("GET /users/{id}/"), NOT_FOUND);
    }
}

#[test]
fn a_path_that_does_not_exist_is_not_found() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    for path in [
        "/nothing/",
        "/nothing",
        "/Users/",
        "/users/1/address/",
        "/users/1/2",
        "//users/",
        "/users//1/",
        "/accesskey/",
        "/access_keys/",
        "/_/",
        "/_",
        "/sqlite_master/",
        "/users.json",
    ] {
        server.check(&format!("GET {path}"), NOT_FOUND);
    }
    server.check("POST /nothing/ {}", NOT_FOUND);
    server.check("DELETE /nothing/1/", NOT_FOUND);
}

#[test]
fn a_record_is_answered_without_its_trailing_slash_too() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let answer =
        r#"200 OK {"first_name":"John","last_name":"Doe","address":null,"id":1,"ressource_uri":"/users/1/"}"#;
    server.check("GET /users/1", answer);
    server.check("GET /users/1?x=1", answer);
    server.check("GET /users/2", NOT_FOUND);
}

#[test]
fn after_a_404_the_server_really_closes_the_connection() {
    let server = Server::start(&configs::built_in());
    let mut client = server.client();
    assert_eq!(client.ask("GET /users/1/").status, 404);
    assert_eq!(client.ask("GET /users/").status, 200);
    assert_eq!(client.ask("GET /users/").status, 200);
    assert_eq!(client.opened(), 2);
}

#[test]
fn a_body_on_a_fetch_is_ignored() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    server.check(
        "GET /users/1/ {not json",
        r#"200 OK {"first_name":"John","last_name":"Doe","address":null,"id":1,"ressource_uri":"/users/1/"}"#,
    );
    assert_eq!(server.status("GET /users/1/"), 200);
}
