//! Limits: the size of a body, of a URL, of a head (8, and the contract's limits of HTTP).

use dev::configs;
use dev::request::Request;

use crate::support::batch::batch;
use crate::support::server::Server;

/// A user whose JSON is exactly this many bytes long.
fn user_of(length: usize) -> String {
    let frame = r#"{"first_name":"","last_name":"Doe"}"#.len();
    format!(r#"{{"first_name":"{}","last_name":"Doe"}}"#, "x".repeat(length - frame))
}

#[test]
fn a_body_of_one_mebibyte_is_accepted_and_one_byte_more_is_not() {
    let server = Server::start(&configs::built_in());
    let fits = Request::new("POST /users/").json(user_of(1 << 20));
    assert_eq!(server.send_anyway(&fits).status, 201);
    let larger = Request::new("POST /users/").json(user_of((1 << 20) + 1));
    assert_eq!(server.send_anyway(&larger).status, 413);
    assert_eq!(server.total("/users/"), 1);
}

#[test]
fn a_batch_may_have_a_body_of_one_mebibyte_too() {
    let server = Server::start(&configs::built_in());
    let frame = r#"{"requests":[{"method":"POST","path":"/users/","body":}]}"#.len();
    let of = |length: usize| {
        let body = user_of(length - frame);
        batch(&[format!(r#"{{"method":"POST","path":"/users/","body":{body}}}"#)])
    };
    assert_eq!(server.send_anyway(&of(1 << 20)).status, 200);
    assert_eq!(server.send_anyway(&of((1 << 20) + 1)).status, 413);
    assert_eq!(server.total("/users/"), 1);
}

#[test]
fn a_chunked_body_is_measured_as_it_comes() {
    let server = Server::start(&configs::built_in());
    let mut body = Vec::new();
    for _ in 0..40 {
        body.extend(b"10000\r\n");
        body.extend([b' '; 0x10000]);
        body.extend(b"\r\n");
    }
    body.extend(b"0\r\n\r\n");
    let request = Request::new("POST /users/").header("Transfer-Encoding", "chunked").json(body);
    assert_eq!(server.send_anyway(&request).status, 413);
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn the_limit_is_the_configured_one() {
    for (setting, limit) in [("max_body = 1000", 1000), (r#"max_body = "1KiB""#, 1024)] {
        let server = Server::start(&configs::with_server(setting));
        assert_eq!(server.send_anyway(&Request::new("POST /users/").json(user_of(limit))).status, 201);
        assert_eq!(server.send_anyway(&Request::new("POST /users/").json(user_of(limit + 1))).status, 413);
    }
}

#[test]
fn a_client_that_asks_first_is_told_before_it_sends_too_much() {
    let server = Server::start(&configs::built_in());
    let mut client = server.client();
    let head =
        Request::new("POST /users/").header("Expect", "100-continue").header("Content-Length", "2097152");
    client.write(&head.bytes("localhost")).unwrap();
    let answer = client.read_one("POST").unwrap();
    assert_eq!(answer.status, 413);
    answer.keeps_its_promises("POST");
}

#[test]
fn a_client_that_asks_first_is_told_to_go_on() {
    let server = Server::start(&configs::built_in());
    let mut client = server.client();
    let body = r#"{"first_name":"John","last_name":"Doe"}"#;
    let head = Request::new("POST /users/")
        .header("Expect", "100-continue")
        .header("Content-Type", "application/json")
        .header("Content-Length", &body.len().to_string());
    client.write(&head.bytes("localhost")).unwrap();
    assert_eq!(client.read_one("POST").unwrap().status, 100);
    client.write(body.as_bytes()).unwrap();
    assert_eq!(client.read("POST").unwrap().status, 201);
}

#[test]
fn a_url_or_a_head_beyond_all_measure_is_refused_and_the_server_goes_on() {
    let server = Server::start(&configs::built_in());
    let long = "x".repeat(1 << 20);
    for (request, statuses) in [
        (Request::new(&format!("GET /users/?last_name={long}")), &[414, 431][..]),
        (Request::new(&format!("GET /{long}")), &[414, 431][..]),
        (Request::new("GET /users/").header("X-Long", &long), &[431][..]),
    ] {
        let mut client = server.client();
        client.write_meanwhile(request.bytes("localhost"));
        let answer = client.read("GET").unwrap();
        assert!(statuses.contains(&answer.status), "{answer:?}");
        assert_eq!(server.status("GET /users/"), 200);
    }
}

#[test]
fn a_url_of_ordinary_length_is_fine() {
    let server = Server::start(&configs::built_in());
    let name = "x".repeat(2000);
    server.create_user("John", &name);
    assert_eq!(server.ids(&format!("/users/?last_name={name}")), [1]);
}
