//! Signals: a graceful stop, an impatient one, and what is in flight meanwhile.

use std::net::TcpStream;

use dev::client::Client;
use dev::configs;
use dev::request::Request;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::server::Server;

const BODY: &str = r#"{"first_name":"John","last_name":"Doe"}"#;

/// A client in the middle of a create: the server has read the head and waits for the body.
fn in_flight(server: &Server) -> Client {
    let mut client = server.client();
    let head = Request::new("POST /users/")
        .header("Expect", "100-continue")
        .header("Content-Type", "application/json")
        .header("Content-Length", &BODY.len().to_string());
    client.write(&head.bytes("localhost")).unwrap();
    assert_eq!(client.read_one("POST").unwrap().status, 100);
    client.write(&BODY.as_bytes()[..10]).unwrap();
    client
}

/// Waits until the server takes no new connections, the sign that it has heard the signal.
fn until_closed(server: &Server) {
    wait_until("new connections are still accepted", || TcpStream::connect(server.address()).is_err());
}

#[test]
fn sigterm_and_sigint_stop_an_idle_server_with_exit_0() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::start(&configs::built_in());
        server.create_user("John", "Doe");
        server.signal(signal);
        assert_eq!(server.wait().code(), Some(0), "{signal}");
        server.home().is_sound();
    }
}

#[test]
fn a_request_in_flight_is_answered_before_the_end() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::start(&configs::built_in());
        let mut client = in_flight(&server);
        server.signal(signal);
        until_closed(&server);
        client.write(&BODY.as_bytes()[10..]).unwrap();
        let answer = client.read("POST").unwrap();
        assert_eq!(answer.created_id(), 1);
        assert_eq!(server.wait().code(), Some(0));
        assert_eq!(server.home().serve().ids("/users/"), [1]);
    }
}

#[test]
fn idle_connections_do_not_hold_up_the_end() {
    let mut server = Server::start(&configs::with_server("drain = 600"));
    let mut clients: Vec<Client> = (0..5).map(|_| server.client()).collect();
    for client in &mut clients {
        assert_eq!(client.ask("GET /users/").status, 200);
    }
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn a_client_that_never_finishes_holds_up_the_end_no_longer_than_drain() {
    let mut server = Server::start(&configs::with_server("drain = 1"));
    let client = in_flight(&server);
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    drop(client);
    assert_eq!(server.home().serve().total("/users/"), 0);
}

#[test]
fn a_second_signal_stops_at_once() {
    let mut server = Server::start(&configs::with_server("drain = 600"));
    let client = in_flight(&server);
    server.signal("TERM");
    until_closed(&server);
    server.signal("TERM");
    server.wait();
    drop(client);
    server.home().is_sound();
}

#[test]
fn a_signal_right_after_the_first_line_is_heard() {
    let home = Home::new(&configs::built_in());
    for _ in 0..5 {
        home.serve().stop();
    }
}

/// A list of some megabytes that nobody reads.
#[test]
fn a_client_that_does_not_take_its_answer_holds_up_the_end_no_longer_than_drain() {
    let mut server = Server::start(&configs::with_server("drain = 1"));
    let body = format!(r#"{{"first_name":"{}","last_name":"Doe"}}"#, "x".repeat(900_000));
    for _ in 0..10 {
        assert_eq!(server.send(&Request::new("POST /users/").json(body.clone())).status, 201);
    }
    let mut client = server.client();
    client.write(&Request::new("GET /users/").bytes("localhost")).unwrap();
    wait_until("it is not taken", || server.metric("http_server_open_connections") >= 2);
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    drop(client);
}
