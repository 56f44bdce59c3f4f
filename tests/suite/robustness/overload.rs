//! More than the server takes on: the rest is told so at once, and comes back later.

use std::sync::atomic::{AtomicBool, Ordering};

use dev::answer::Answer;
use dev::client::Client;
use dev::configs;
use dev::request::Request;
use dev::waiting::{wait_for, wait_until};

use crate::support::home::Home;
use crate::support::server::Server;

const JOHN: &str = r#"{"first_name":"John","last_name":"Doe"}"#;

#[track_caller]
fn is_told_to_come_back(answer: &Answer) {
    assert_eq!((answer.status, answer.header("Retry-After")), (503, Some("1")), "{answer:?}");
    assert!(answer.body_text().contains("Nothing was changed"), "{answer:?}");
}

/// The head of a create and a part of its body: a request that is being answered.
fn begun(server: &Server, body: &str, sent: usize) -> Client {
    let mut client = server.client();
    let head = Request::new("POST /users/")
        .header("Expect", "100-continue")
        .header("Content-Type", "application/json")
        .header("Content-Length", &body.len().to_string());
    client.write(&head.bytes("localhost")).unwrap();
    assert_eq!(client.read_one("POST").unwrap().status, 100);
    client.write(&body.as_bytes()[..sent]).unwrap();
    client
}

/// Whether there is room for a body of so many bytes, the last of which comes by itself.
fn is_taken(server: &Server, bytes: usize) -> bool {
    let body = format!(r#"{{"first_name":"{}","last_name":"Doe"}}"#, "x".repeat(bytes));
    let mut client = begun(server, &body, bytes);
    // A server that has refused it already does not read on.
    let _ = client.write(&body.as_bytes()[bytes..]);
    client.read("POST").unwrap().status == 201
}

#[test]
fn one_request_too_many_is_told_to_come_back_on_the_same_connection() {
    let server = Server::start(&configs::with_server("max_requests = 2"));
    let mut held = [begun(&server, JOHN, 5), begun(&server, JOHN, 5)];
    let mut client = server.client();
    is_told_to_come_back(&client.ask("GET /users/"));
    is_told_to_come_back(&client.ask(&format!("POST /users/ {JOHN}")));
    for client in &mut held {
        client.write(&JOHN.as_bytes()[5..]).unwrap();
        assert_eq!(client.read("POST").unwrap().status, 201);
    }
    assert_eq!((client.ask("GET /users/").status, client.opened()), (200, 1));
    assert_eq!(server.total("/users/"), 2);
}

#[test]
fn bodies_that_do_not_end_take_no_more_memory_than_they_may() {
    let server = Server::start(&configs::with_server("max_bodies = \"300KiB\""));
    let body = format!(r#"{{"first_name":"{}","last_name":"Doe"}}"#, "x".repeat(400_000));
    // Each sends 200 kB and waits; two of them are more than there is room for.
    let mut first = wait_for(|| {
        let first = begun(&server, &body, 200_000);
        // All of it has arrived once there is no room for another that would fit beside a little less. That one may come
        // before its last bytes, which are too many then.
        let has_arrived = (0..20).any(|_| !is_taken(&server, 107_300));
        if has_arrived { Ok(first) } else { Err("there is still room") }
    });
    let mut others: Vec<Client> = (0..3).map(|_| begun(&server, &body, 200_000)).collect();
    for other in &mut others {
        is_told_to_come_back(&other.read("POST").unwrap());
    }
    // A body that comes whole is not held up by them.
    server.create_user("John", "Doe");
    drop(others);
    first.write(&body.as_bytes()[200_000..250_000]).unwrap();
    drop(first);
    // Their room is there again once the server has seen that they are gone.
    let wait_for_room = || wait_until("there is no room", || is_taken(&server, 250_000));
    wait_for_room();
    let mut last = begun(&server, &body, 100_000);
    // But for its end: a body that is whole is not counted, however little of it was there a moment ago.
    last.write(&body.as_bytes()[100_000..body.len() - 1]).unwrap();
    is_told_to_come_back(&last.read("POST").unwrap());
    wait_for_room();
}

/// A body of unknown length is read before anything else is judged. Nobody keeps what will be refused anyway.
#[test]
fn bodies_that_nobody_will_read_take_no_room() {
    let home = Home::new(&format!("[server]\nmax_bodies = \"300KiB\"\n{}", configs::guarded()));
    home.add_key("regular", "the-key-of-a-regular-customer");
    let server = home.serve();
    let piece = format!("30000\r\n{}\r\n", "x".repeat(0x30000));
    let lines = ["POST /nowhere/", "DELETE /users/1/", "PATCH /schema/", "POST /users/", "POST /_/keys/"];
    let mut held = Vec::new();
    for line in lines {
        let mut client = server.client();
        let head = Request::new(line)
            .header("Expect", "100-continue")
            .header("Content-Type", "application/json")
            .header("Transfer-Encoding", "chunked");
        client.write(&head.bytes("localhost")).unwrap();
        assert_eq!(client.read_one("POST").unwrap().status, 100, "{line}");
        client.write(piece.as_bytes()).unwrap();
        held.push(client);
    }
    let body = format!(r#"{{"first_name":"{}","last_name":"Doe"}}"#, "x".repeat(250_000));
    let create = Request::new("POST /users/").header("X-API-Key", "the-key-of-a-regular-customer").json(body);
    assert_eq!(server.send(&create).status, 201);
    // They are refused for what they are, in the order of the contract: a body that is too large comes first.
    for (mut client, status) in held.into_iter().zip([404, 401, 405, 401, 401]) {
        client.write(b"0\r\n\r\n").unwrap();
        assert_eq!(client.read("POST").unwrap().status, status);
    }
    let mut client = server.client();
    let head = Request::new("POST /nowhere/").header("Transfer-Encoding", "chunked");
    client.write(&head.bytes("localhost")).unwrap();
    // The server may close before it has all of them.
    let _ = (0..6).try_for_each(|_| client.write(piece.as_bytes()));
    assert_eq!(client.read("POST").unwrap().status, 413);
}

/// Lists that must be read whole by more clients than can be served: each is served or told to come back, and who asks
/// for something quick meanwhile gets it.
#[test]
fn lists_that_take_long_do_not_hold_up_what_is_quick() {
    let whole = configs::built_in().replace("[collection.pagination]\npage_size = 20\n", "");
    let home = Home::new(&whole);
    home.serve().stop();
    home.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
         INSERT INTO users (first_name, last_name) SELECT 'n' || i, 'Doe' FROM n",
    );
    let server = home.serve();
    let request = Request::new("GET /users/").bytes("localhost");
    let mut crowd: Vec<Client> = (0..300).map(|_| server.client()).collect();
    for client in &mut crowd {
        client.write(&request).unwrap();
    }
    let is_over = AtomicBool::new(false);
    let (served, told, quick) = std::thread::scope(|scope| {
        let quick = scope.spawn(|| {
            let (mut client, mut quick) = (server.client(), 0);
            while !is_over.load(Ordering::Relaxed) {
                // Some that memory has, and some that it has not.
                for id in [7, 8 + quick * 32 % 29_000] {
                    assert_eq!(
                        client.ask(&format!("GET /users/{id}/")).json()["first_name"],
                        format!("n{id}")
                    );
                }
                assert_eq!(client.ask("GET /readyz").status, 200);
                quick += 1;
            }
            quick
        });
        let (mut served, mut told) = (0, 0);
        for client in &mut crowd {
            let answer = client.read("GET").unwrap();
            if answer.status == 200 {
                served += 1;
            } else {
                is_told_to_come_back(&answer);
                told += 1;
            }
        }
        is_over.store(true, Ordering::Relaxed);
        (served, told, quick.join().unwrap())
    });
    assert!(served > 0 && told > 0 && quick > served / 3, "{served} served, {told} told, {quick} quick ones");
    assert_eq!(server.ask("GET /users/").json()["object_list"].as_array().unwrap().len(), 30_000);
}

/// Heads that never end, on five hundred connections, and answers that nobody reads.
#[test]
fn slow_heads_and_slow_readers_hold_up_nobody() {
    let home = Home::new(&configs::long_pages());
    home.serve().stop();
    home.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
         INSERT INTO users (first_name, last_name) SELECT 'n' || i, 'Doe' FROM n",
    );
    let server = home.serve();
    let head = Request::new("GET /users/").bytes("localhost");
    let mut slow: Vec<Client> = (0..500).map(|_| server.client()).collect();
    for (number, client) in slow.iter_mut().enumerate() {
        client.write(&head[..1 + number % (head.len() - 1)]).unwrap();
    }
    // Pipelined, so that more is on its way than the sockets hold.
    let mut deaf: Vec<Client> = (0..20).map(|_| server.client()).collect();
    for client in &mut deaf {
        client.write_meanwhile(Request::new("GET /users/?count=1000").bytes("localhost").repeat(200));
    }
    let mut client = server.client();
    for number in 1..=50 {
        assert_eq!(client.ask(&format!("GET /users/{number}/")).json()["id"], number);
        client.ask(&format!("POST /users/ {JOHN}")).created_id();
    }
    for (number, client) in slow.iter_mut().enumerate() {
        client.write(&head[1 + number % (head.len() - 1)..]).unwrap();
    }
    for client in &mut slow {
        assert_eq!(client.read("GET").unwrap().status, 200);
    }
    server.kill();
}
