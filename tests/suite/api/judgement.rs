//! The order in which a request is judged: path, method, access, rate, record, body.

use dev::answer::NOT_FOUND;
use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::server::Server;

const KEY: &str = "a-key-for-the-tests";

fn guarded() -> Server {
    let home = Home::new(&configs::guarded());
    home.add_key("tests", KEY);
    home.serve()
}

#[test]
fn a_path_that_does_not_exist_comes_before_its_method() {
    let server = Server::start(&configs::built_in());
    server.check("BREW /nothing/", NOT_FOUND);
    server.check("OPTIONS /nothing/", NOT_FOUND);
    server.check("DELETE /schema/nothing/", NOT_FOUND);
}

#[test]
fn the_method_comes_before_access() {
    let server = guarded();
    assert_eq!(server.ask("PATCH /users/1/").allow().as_deref(), Some("DELETE, GET, HEAD, OPTIONS, PUT"));
    server.refuses("PUT /users/ {}", 405);
    server.check(
        "OPTIONS /users/1/",
        "204 No Content
         Allow: DELETE, GET, HEAD, OPTIONS, PUT",
    );
}

#[test]
fn the_method_comes_before_the_record() {
    let server = Server::start(&configs::built_in());
    server.refuses("PATCH /users/99/ {}", 405);
    server.refuses("POST /users/99/ {}", 405);
}

#[test]
fn access_comes_before_the_record_so_that_ids_stay_unknown() {
    let server = guarded();
    assert_eq!(
        server.create(&format!("/users/?accesskey={KEY}"), r#"{"first_name":"a","last_name":"b"}"#),
        1
    );
    let base_url = server.base_url();
    for method in ["GET", "DELETE", "PUT"] {
        let known = server.ask(&format!("{method} /users/1/")).text(&base_url);
        let unknown = server.ask(&format!("{method} /users/99/")).text(&base_url);
        assert_eq!(known, unknown);
        assert!(known.starts_with("401"), "{known}");
    }
    assert_eq!(server.status(&format!("GET /users/1/?accesskey={KEY}")), 200);
}

#[test]
fn access_comes_before_the_query_and_the_body() {
    let server = guarded();
    server.refuses("GET /users/?nope=1&offset=-1", 401);
    server.refuses("POST /users/ {not json", 401);
    server.refuses_request(&Request::new("POST /users/").header("Content-Type", "text/plain").body("x"), 401);
}

#[test]
fn the_record_comes_before_the_body() {
    let server = Server::start(&configs::built_in());
    server.check("PUT /users/99/ {not json", NOT_FOUND);
    server.check(r#"PUT /users/99/ {"id":1,"age":2}"#, NOT_FOUND);
    server.check("PUT /users/99/", NOT_FOUND);
    let request = Request::new("PUT /users/99/").header("Content-Type", "text/plain").body("x");
    server.check_request(&request, NOT_FOUND);
}

#[test]
fn the_content_type_comes_before_the_body() {
    let server = Server::start(&configs::built_in());
    server.refuses_request(
        &Request::new("POST /users/").header("Content-Type", "text/plain").body("{not json"),
        415,
    );
}

#[test]
fn a_body_that_is_too_large_comes_first_of_all() {
    let server = guarded();
    for line in ["POST /users/", "POST /nothing/", "PUT /users/99/", "PUT /users/"] {
        let mut client = server.client();
        client.write_meanwhile(Request::new(line).json(vec![b' '; 2 << 20]).bytes("localhost"));
        let answer = client.read("POST").unwrap();
        answer.keeps_its_promises("POST");
        assert_eq!(answer.status, 413, "{line}");
    }
}
