//! Request bodies: what counts as JSON, and which `Content-Type` may say so.

use dev::configs;
use dev::request::Request;

use crate::support::server::Server;

const JOHN: &str = r#"{"first_name":"John","last_name":"Doe"}"#;

#[test]
fn a_body_that_is_not_json_is_refused_with_where_or_what() {
    let server = Server::start(&configs::built_in());
    for body in [
        "first_name=John&last_name=Doe",
        r#"{"first_name":"John","last_name":"Doe""#,
        r#"{"first_name":"John","last_name":"Doe",}"#,
        r#"{"first_name":"John" "last_name":"Doe"}"#,
        r#"{first_name:"John","last_name":"Doe"}"#,
        r#"{'first_name':'John','last_name':'Doe'}"#,
        r#"{"first_name":"John","last_name":"Doe"} x"#,
        r#"{"first_name":"John","last_name":"Doe"}{}"#,
        r#"{"first_name":"\x41","last_name":"Doe"}"#,
        r#"{"first_name":NaN,"last_name":"Doe"}"#,
        r#"{"first_name":01,"last_name":"Doe"}"#,
        "{",
        " ",
    ] {
        let message = server.refuses_request(&Request::new("POST /users/").json(body), 400);
        assert!(message.contains("JSON") || message.contains("column"), "{body}: {message}");
    }
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn a_body_that_is_not_an_object_is_refused() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    for body in ["[]", r#"[{"first_name":"John","last_name":"Doe"}]"#, r#""John""#, "42", "true", "null"] {
        let message = server.refuses_request(&Request::new("POST /users/").json(body), 400);
        assert!(message.contains("object"), "{body}: {message}");
        server.refuses_request(&Request::new("PUT /users/1/").json(body), 400);
    }
    assert_eq!(server.total("/users/"), 1);
}

#[test]
fn an_empty_body_is_refused() {
    let server = Server::start(&configs::built_in());
    server.refuses_request(&Request::new("POST /users/").json(""), 400);
    server.refuses_request(&Request::new("POST /users/"), 400);
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn a_member_given_twice_is_refused_also_when_it_is_spelled_differently() {
    let server = Server::start(&configs::built_in());
    for body in [
        r#"{"first_name":"John","last_name":"Doe","first_name":"Jane"}"#,
        r#"{"first_name":"John","last_name":"Doe","first_name":"John"}"#,
        r#"{"first_name":"John","last_name":"Doe","first\u005fname":"Jane"}"#,
        r#"{"\u0066irst_name":"John","last_name":"Doe","first_name":null}"#,
    ] {
        server.faults(&format!("POST /users/ {body}"), "first_name is given twice");
    }
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn white_space_and_escapes_in_a_body_mean_nothing() {
    let server = Server::start(&configs::built_in());
    let body =
        "\r\n\t { \"first\\u005fname\" :\n\"J\\u006fhn\" , \"last_name\":\"\\/\\u00e9\\ud83d\\ude00\"\t}\n ";
    assert_eq!(server.send(&Request::new("POST /users/").json(body)).created_id(), 1);
    server.check(
        "GET /users/1/",
        r#"200 OK {"first_name":"John","last_name":"/é😀","address":null,"id":1,"ressource_uri":"/users/1/"}"#,
    );
}

#[test]
fn json_content_types_are_accepted_and_so_is_none() {
    let server = Server::start(&configs::built_in());
    assert_eq!(server.send(&Request::new("POST /users/").body(JOHN)).status, 201);
    for kind in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        r#"application/json; charset="utf-8""#,
        "application/vnd.api+json",
        "application/merge-patch+json",
        "application/ld+json; charset=utf-8",
    ] {
        let request = Request::new("POST /users/").header("Content-Type", kind).body(JOHN);
        assert_eq!(server.send(&request).status, 201, "{kind}");
    }
}

#[test]
fn other_content_types_are_refused_with_415() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    for kind in [
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/jsonp",
        "application/json; charset=iso-8859-1",
        "application/json; charset=utf-16",
        "image/svg+xml",
        "text/plain+json",
    ] {
        for line in ["POST /users/", "PUT /users/1/"] {
            server.refuses_request(&Request::new(line).header("Content-Type", kind).body(JOHN), 415);
        }
    }
    let twice = Request::new("POST /users/").header("Content-Type", "application/json");
    server.refuses_request(&twice.header("Content-Type", "text/plain").body(JOHN), 415);
    assert_eq!(server.total("/users/"), 1);
}

#[test]
fn a_chunked_body_is_a_body() {
    let server = Server::start(&configs::built_in());
    let chunked: String = JOHN
        .as_bytes()
        .chunks(7)
        .map(|chunk| format!("{:x}\r\n{}\r\n", chunk.len(), std::str::from_utf8(chunk).unwrap()))
        .collect();
    let request =
        Request::new("POST /users/").header("Transfer-Encoding", "chunked").json(chunked + "0\r\n\r\n");
    assert_eq!(server.send(&request).created_id(), 1);
    assert_eq!(server.ids("/users/?first_name=John&last_name=Doe"), [1]);
}
