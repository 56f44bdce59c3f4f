//! Every error there is, in its one shape: an object with the single member `error`, a string.
//!
//! The client holds every answer of every test to that shape (`support/answer.rs`); this file goes
//! through the errors one by one, and states the words where the words are fixed.

use dev::answer::NOT_FOUND;
use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::server::Server;

#[test]
fn every_error_has_the_one_shape() {
    let home = Home::new(&configs::guarded_and_rate_limited(1000));
    home.add_key("tests", "a-key-for-the-tests");
    let server = home.serve();
    server.create_address();
    let key = "accesskey=a-key-for-the-tests";
    server.create(&format!("/users/?{key}"), r#"{"first_name":"a","last_name":"b","address":1}"#);
    let john = r#"{"first_name":"John","last_name":"Doe"}"#;
    let errors = [
        (400, Request::text("POST /address/ {")),
        (400, Request::text("POST /address/ []")),
        (400, Request::text("POST /address/")),
        (400, Request::text(r#"POST /address/ {"city":"a","city":"b"}"#)),
        (400, Request::text("POST /address/ {}")),
        (400, Request::text(r#"POST /address/ {"id":1}"#)),
        (400, Request::text(r#"PUT /address/1/ {"id":2}"#)),
        (400, Request::text(r#"PUT /address/1/ {"number":"1"}"#)),
        (400, Request::text("GET /address/?nope=1")),
        (400, Request::text("GET /address/?number=x")),
        (400, Request::text("GET /address/?city=a&city=b")),
        (400, Request::text("GET /address/?city=%FF")),
        (400, Request::text("GET /address/?offset=x")),
        (400, Request::text("GET /address/?count=21")),
        (400, Request::text(&format!("GET /users/?{key}&{key}"))),
        (
            400,
            Request::text(&format!(r#"POST /users/?{key} {{"first_name":"a","last_name":"b","address":9}}"#)),
        ),
        (401, Request::text("GET /users/")),
        (401, Request::text(&format!("POST /users/ {john}"))),
        (404, Request::text("GET /nothing/")),
        (404, Request::text("GET /address/99/")),
        (404, Request::text("PUT /address/99/ {}")),
        (404, Request::text("DELETE /address/99/")),
        (404, Request::text("GET /schema/nothing/")),
        (405, Request::text("DELETE /address/")),
        (405, Request::text("POST /schema/ {}")),
        (405, Request::text("POST / {}")),
        (405, Request::text("PUT /livez {}")),
        (409, Request::text("DELETE /address/1/")),
        (415, Request::new("POST /address/").header("Content-Type", "text/plain").body("x")),
    ];
    for (status, request) in errors {
        server.refuses_request(&request, status);
    }
}

#[test]
fn the_words_of_the_specification_are_used_to_the_letter() {
    let server = Server::start(&configs::built_in());
    server.check(
        r#"POST /users/ {"last_name":"Doe"}"#,
        r#"400 Bad Request {"error":"first_name is missing. Cannot create the ressource"}"#,
    );
    server.check(
        r#"POST /users/ {"first_name":1,"last_name":"Doe"}"#,
        r#"400 Bad Request {"error":"first_name does not validate"}"#,
    );
    server.check(
        r#"POST /users/ {"first_name":"John","last_name":"Doe","address":1}"#,
        r#"400 Bad Request {"error":"address does not validate"}"#,
    );
    server.check("GET /users/1/", NOT_FOUND);
}

#[test]
fn an_error_is_answered_alike_whatever_the_client_accepts() {
    let server = Server::start(&configs::built_in());
    for accept in ["text/html", "application/xml", "*/*;q=0", "text/csv"] {
        for (path, status) in [("/users/99/", 404), ("/users/?x=1", 400)] {
            let request = Request::new(&format!("GET {path}")).header("Accept", accept);
            server.refuses_request(&request, status);
        }
        assert_eq!(server.send(&Request::new("GET /users/").header("Accept", accept)).status, 200);
    }
}

#[test]
fn the_404_body_carries_nothing_of_the_request() {
    let server = Server::start(&configs::built_in());
    server.check("GET /%3Cscript%3E?x=%3Cscript%3E", NOT_FOUND);
}
