//! Connections: kept, reused, pipelined, slow and many.

use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::server::Server;

const JOHN: &str = r#"{"first_name":"John","last_name":"Doe"}"#;

#[test]
fn a_connection_is_kept_after_every_error_but_404_and_413() {
    let home = Home::new(&configs::guarded());
    home.add_key("tests", "a-key-for-the-tests");
    let server = home.serve();
    server.create_address();
    server.create(
        "/users/?accesskey=a-key-for-the-tests",
        r#"{"first_name":"John","last_name":"Doe","address":1}"#,
    );
    let mut client = server.client();
    for (request, status) in [
        (Request::text("POST /address/ {"), 400),
        (Request::text("POST /address/ {}"), 400),
        (Request::text("GET /address/?nope=1"), 400),
        (Request::text("GET /users/"), 401),
        (Request::text(&format!("POST /users/ {JOHN}")), 401),
        (Request::text("PATCH /address/1/ {}"), 405),
        (Request::text("DELETE /address/1/"), 409),
        (Request::new("POST /address/").header("Content-Type", "text/plain").body(JOHN), 415),
        (Request::text("OPTIONS /address/"), 204),
        (Request::text("HEAD /address/1/"), 200),
    ] {
        assert_eq!(client.send(&request).status, status, "{request:?}");
        assert_eq!(client.ask("GET /address/1/").status, 200, "after {request:?}");
    }
    assert_eq!(client.opened(), 1);
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = Server::start(&configs::built_in());
    for number in 1..=3 {
        server.create_user(&format!("n{number}"), "Doe");
    }
    let mut client = server.client();
    let mut bytes = Vec::new();
    let requests = [
        ("GET", Request::new("GET /users/3/")),
        ("POST", Request::new("POST /users/").json(JOHN)),
        ("HEAD", Request::new("HEAD /users/1/")),
        ("GET", Request::new("GET /users/?nope=1")),
        ("DELETE", Request::new("DELETE /users/2/")),
        ("GET", Request::new("GET /users/1/")),
    ];
    for (_, request) in &requests {
        bytes.extend(request.bytes("localhost"));
    }
    client.write(&bytes).unwrap();
    let answers: Vec<_> = requests.iter().map(|(method, _)| client.read(method).unwrap()).collect();
    assert_eq!(
        answers.iter().map(|answer| answer.status).collect::<Vec<_>>(),
        [200, 201, 200, 400, 200, 200]
    );
    assert_eq!(answers[0].json()["id"], 3);
    assert_eq!(answers[5].json()["id"], 1);
}

#[test]
fn what_is_pipelined_behind_a_404_is_not_answered() {
    let server = Server::start(&configs::built_in());
    let mut client = server.client();
    let mut bytes = Request::new("GET /users/1/").bytes("localhost");
    bytes.extend(Request::new("POST /users/").json(JOHN).bytes("localhost"));
    client.write(&bytes).unwrap();
    assert_eq!(client.read("GET").unwrap().status, 404);
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn slow_clients_do_not_keep_others_waiting() {
    let server = Server::start(&configs::built_in());
    let mut slow: Vec<_> = (0..50).map(|_| server.client()).collect();
    let request = Request::new("POST /users/").json(JOHN).bytes("localhost");
    let (first, rest) = request.split_at(request.len() / 2);
    for client in &mut slow {
        client.write(first).unwrap();
    }
    let id = server.create_user("Fast", "One");
    assert_eq!(server.status(&format!("GET /users/{id}/")), 200);
    for client in &mut slow {
        client.write(rest).unwrap();
    }
    let mut ids: Vec<i64> = slow.iter_mut().map(|client| client.read("POST").unwrap().created_id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 50);
}

#[test]
fn a_request_may_come_one_byte_at_a_time() {
    let server = Server::start(&configs::built_in());
    let mut client = server.client();
    for byte in Request::new("POST /users/").json(JOHN).bytes("localhost") {
        client.write(&[byte]).unwrap();
    }
    assert_eq!(client.read("POST").unwrap().created_id(), 1);
}

#[test]
fn two_hundred_connections_are_served_at_once() {
    let server = Server::start(&configs::built_in());
    let mut clients: Vec<_> = (0..200).map(|_| server.client()).collect();
    for client in &mut clients {
        client.write(&Request::new("GET /users/").bytes("localhost")).unwrap();
    }
    for client in &mut clients {
        assert_eq!(client.read("GET").unwrap().status, 200);
    }
    for client in &mut clients {
        assert_eq!((client.ask("GET /users/").status, client.opened()), (200, 1));
    }
}

#[test]
fn connection_close_from_the_client_is_honoured() {
    let server = Server::start(&configs::built_in());
    let mut client = server.client();
    let answer = client.send(&Request::new("GET /users/").header("Connection", "close"));
    assert_eq!((answer.status, answer.header("Connection")), (200, Some("close")));
}
