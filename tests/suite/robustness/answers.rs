//! Answers that their clients do not take: together they take no more memory than they may, everybody else is answered,
//! and whoever takes theirs slowly gets it whole.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use bytes::Bytes;
use dev::client::Client;
use dev::configs;
use dev::request::Request;
use dev::waiting::{SAFETY_NET, wait_until};
use hyper::Request as Http2Request;
use tokio_rustls::TlsConnector;

use crate::support::home::Home;
use crate::support::server::Server;
use crate::support::tls;

/// How long the long name of a record is: nearly as long as a body may be.
const LONG: usize = 1_000_000;
const RECORDS: usize = 12;
const ANSWERS: &str = "http_server_answers_bytes";

/// A dozen records of nearly 1 MiB.
fn fill(server: &Server) {
    for number in 0..RECORDS {
        server.create_user(&format!("n{number}"), &"z".repeat(LONG));
    }
}

/// The list asked for by so many clients, none of which reads.
fn crowd(server: &Server, number: usize, line: &str) -> Vec<Client> {
    let request = Request::text(line).bytes("localhost");
    let ask = |_| {
        let mut client = server.client();
        client.write(&request).unwrap();
        client
    };
    (0..number).map(ask).collect()
}

/// Reads what everybody was answered; gives how many got the list whole and how many were told to come back.
#[track_caller]
fn read(crowd: Vec<Client>) -> (usize, usize) {
    let (mut whole, mut refused) = (0, 0);
    for mut client in crowd {
        let answer = client.read("GET").unwrap();
        if answer.status == 200 {
            // All of it: each name, and between the names what little else there is.
            assert!(answer.body.starts_with(b"{\"meta\":{") && answer.body.ends_with(b"/users/12/\"}]}"));
            assert_eq!(answer.body.iter().filter(|byte| **byte == b'z').count(), RECORDS * LONG);
            whole += 1;
        } else {
            answer.keeps_its_promises("GET");
            assert_eq!((answer.status, answer.header("Retry-After")), (503, Some("1")), "{answer:?}");
            // Lists that are counted may also have to wait for each other too long.
            let words = answer.error();
            let is_expected = words.starts_with("Too many answers wait to be taken. Nothing was changed;")
                || words.starts_with("Too many requests are waiting. Nothing was changed;");
            assert!(is_expected, "{words}");
            refused += 1;
        }
    }
    (whole, refused)
}

/// Without pages the list comes whole.
fn without_pages(config: &str) -> String {
    let (before, users) = config.split_once("name = \"users\"").unwrap();
    format!("{before}name = \"users\"{}", users.replace("[collection.pagination]\npage_size = 20", ""))
}

#[track_caller]
fn a_crowd_that_does_not_read(memory: &str, pages: bool) {
    let config = configs::with_server(&format!("max_answers = \"64MiB\"\nmemory = \"{memory}\""));
    let config = if pages { config } else { without_pages(&config) };
    let home = Home::new(&config);
    // What is kept, the answers, the program itself, and nothing for hundreds of lists.
    let server = home.serve_under(&["prlimit", "--data=450000000"]);
    fill(&server);
    // Pages are all read from the database at once, and whoever takes nothing for half a minute is cut.
    let crowd = crowd(&server, if pages { 20 } else { 50 }, "GET /users/");
    // Everybody else is answered meanwhile.
    for _ in 0..3 {
        assert_eq!(server.status("GET /livez"), 200);
        assert_eq!(server.status("GET /address/"), 200);
        server.create_address();
        assert!(server.metric("http_server_answers_bytes") <= 64 * 1024 * 1024);
    }
    // Slow as they were, those who got an answer get all of it.
    let (whole, refused) = read(crowd);
    assert!(whole >= 2 && refused >= 10, "{whole} got the list, {refused} were told to come back");
    assert!(server.metric("http_server_answers_bytes") < 1024 * 1024);
    assert_eq!(server.status("GET /users/"), 200);
    server.stop();
}

#[test]
fn pages_that_nobody_takes_are_bounded_where_memory_has_them() {
    a_crowd_that_does_not_read("256MiB", true);
}

#[test]
fn pages_that_nobody_takes_are_bounded_where_the_database_is_asked() {
    a_crowd_that_does_not_read("1MiB", true);
}

#[test]
fn lists_without_pages_that_nobody_takes_are_bounded() {
    a_crowd_that_does_not_read("256MiB", false);
}

/// The bound is smaller than the list, and yet it can be had by one at a time.
#[test]
fn one_list_larger_than_the_bound_is_always_possible() {
    let server = Server::start(&configs::with_server("max_answers = \"1MiB\""));
    fill(&server);
    let slow = crowd(&server, 1, "GET /users/");
    wait_until("the list is not made", || server.metric(ANSWERS) >= 10 * 1024 * 1024);
    assert_eq!(read(crowd(&server, 5, "GET /users/")), (0, 5));
    assert_eq!(server.status("GET /address/"), 200);
    server.create_user("John", "Doe");
    assert_eq!(server.status("DELETE /users/13/"), 200);
    assert_eq!(read(slow), (1, 0));
    assert_eq!(read(crowd(&server, 1, "GET /users/")), (1, 0));
}

/// What a write has done it has done, and its answer is sent; it is the next one that has to wait.
#[test]
fn answers_to_writes_that_nobody_takes_are_bounded_and_no_write_is_half_done() {
    // One record of 8 MB, more than sockets hold.
    let fields: String = (0..8).map(|number| format!("f{number} = {{ type = \"string\" }}\n")).collect();
    let config = "[server]\nmax_answers = \"32MiB\"\n[[collection]]\nname = \"notes\"\n[collection.fields]\n";
    let server = Server::start(&format!("{config}{fields}"));
    server.create("/notes/", "{}");
    for number in 0..8 {
        let body = format!(r#"{{"f{number}":"{}"}}"#, "z".repeat(LONG));
        assert_eq!(server.status(&format!("PUT /notes/1/ {body}")), 200);
    }
    let before = server.memory();
    let (mut held, mut statuses) = (Vec::new(), Vec::new());
    for number in 0..10 {
        let put = Request::text(&format!(r#"PUT /notes/1/ {{"f0":"{number}"}}"#));
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(SAFETY_NET)).unwrap();
        stream.write_all(&put.bytes("localhost")).unwrap();
        let mut status = [0; "HTTP/1.1 200".len()];
        stream.read_exact(&mut status).unwrap();
        statuses.push(String::from_utf8_lossy(&status[9..]).into_owned());
        held.push(stream);
    }
    let done = statuses.iter().filter(|status| *status == "200").count();
    let refused = statuses.iter().filter(|status| *status == "503").count();
    assert!((1..5).contains(&done) && done + refused == 10, "{statuses:?}");
    let peak = server.memory();
    assert!(peak < before + 150 * 1024, "{before} KiB before, {peak} KiB afterwards");
    // The last one that was done is stored, and none that was refused.
    drop(held);
    wait_until("the answers are still there", || server.metric(ANSWERS) <= 1024 * 1024);
    let stored = server.ask("GET /notes/1/").json()["f0"].as_str().unwrap().to_owned();
    let last = statuses.iter().rposition(|status| status == "200").unwrap();
    assert_eq!(stored, last.to_string());
    assert_eq!(server.status(r#"PUT /notes/1/ {"f0":"again"}"#), 200);
}

/// Three connections with a hundred requests each, on which nothing may be sent.
#[test]
fn http_2_without_a_window_takes_no_more_memory_than_it_may() {
    let (server, trust) = tls::serve("max_answers = \"16MiB\"");
    server.create_user("John", &"x".repeat(400_000));
    let before = server.memory();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (mut held, mut statuses) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
            let connector = TlsConnector::from(Arc::new(trust.client(&[b"h2"])));
            let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
            let stream = connector.connect(name, stream).await.unwrap();
            let mut client = h2::client::Builder::new();
            let (sender, connection) =
                client.initial_window_size(0).handshake::<_, Bytes>(stream).await.unwrap();
            tokio::spawn(connection);
            for _ in 0..100 {
                let mut sender = sender.clone().ready().await.unwrap();
                let request = Http2Request::builder().uri(format!("{}/users/1/", server.base_url()));
                let (answer, _) = sender.send_request(request.body(()).unwrap(), true).unwrap();
                let answer = answer.await.unwrap();
                statuses.push(answer.status().as_u16());
                held.push(answer);
            }
        }
        let count = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
        let (whole, refused) = (count(200), count(503));
        assert!(whole >= 10 && refused >= 200 && whole + refused == 300, "{whole} and {refused}");
        let peak = server.memory();
        assert!(peak < before + 60 * 1024, "{before} KiB before, {peak} KiB at the most");
        drop(held);
    });
    drop(runtime);
    // They are gone, and everything is as before.
    wait_until("the answers are still there", || server.metric(ANSWERS) <= 1024 * 1024);
    assert_eq!(server.ask("GET /users/1/").status, 200);
}
