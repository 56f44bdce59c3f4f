//! Exports of much: of one moment, within little memory, few at once, and never half a file that looks whole.

use std::io::Read;
use std::sync::Arc;

use dev::client::Client;
use dev::configs;
use dev::request::Request;
use dev::waiting::wait_for;

use crate::support::home::Home;
use crate::support::server::Server;

/// So many users, each of more than a thousand bytes: much more than sockets and windows hold.
const USERS: usize = 48_000;

fn filled(keys: &str) -> Arc<Home> {
    let home = Home::new(&configs::with_server(keys));
    home.serve().stop();
    home.execute(home.either(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 48000)
         INSERT INTO users (first_name, last_name) SELECT 'n' || n, printf('%.1000c', 'x') FROM n",
        "INSERT INTO users (first_name, last_name) SELECT 'n' || n, repeat('x', 1000) FROM generate_series(1, 48000) n",
    ));
    home
}

fn line(id: usize) -> String {
    format!("{id},n{id},{},\r\n", "x".repeat(1000))
}

/// A client that has asked for an export, and takes nothing but the first bytes of the answer.
fn begun(server: &Server) -> (Client, Vec<u8>) {
    let mut client = server.client();
    client.write(&Request::new("GET /_/export/users.csv").bytes("test")).unwrap();
    let mut first = vec![0; 32];
    client.open().unwrap().read_exact(&mut first).unwrap();
    assert!(first.starts_with(b"HTTP/1.1 200 OK"), "{}", String::from_utf8_lossy(&first));
    (client, first)
}

#[test]
fn it_is_of_one_moment_while_others_write_and_takes_little_memory() {
    let server = filled("").serve();
    let before = server.memory();
    let (mut client, mut bytes) = begun(&server);
    server.create_user("late", "comer");
    for id in [1, USERS / 2, USERS] {
        assert_eq!(server.status(&format!("DELETE /users/{id}/")), 200);
    }
    assert_eq!(server.status(r#"PUT /users/2/ {"first_name":"changed"}"#), 200);
    client.finish_writing();
    bytes.extend(client.read_to_end());
    let (answer, _) = dev::answer::Answer::find(&bytes, false).unwrap().expect("a whole answer");
    let body = String::from_utf8(answer.body).unwrap();
    let rows = body.strip_prefix("id,first_name,last_name,address\r\n").unwrap();
    assert!(rows == (1..=USERS).map(line).collect::<String>(), "the records of before");
    let taken = server.peak_memory().saturating_sub(before);
    assert!(taken < 32 * 1024, "{taken} KiB");
}

#[test]
fn a_third_one_waits_and_is_told_so_and_others_are_served() {
    let server = filled("").serve();
    let (one, _) = begun(&server);
    let (_other, _) = begun(&server);
    let refused = "Too many requests are waiting. Nothing was changed; try again in a moment";
    assert_eq!(server.refuses("GET /_/export/users.csv", 503), refused);
    assert_eq!(server.status("GET /users/1/"), 200);
    server.create_user("Ada", "Lovelace");
    drop(one);
    // It has a place as soon as the server knows that nobody takes the file.
    let answer = wait_for(|| match server.ask("GET /_/export/address.csv") {
        answer if answer.status == 503 => Err("it has no place"),
        answer => Ok(answer),
    });
    assert_eq!(answer.body_text(), "id,country,city,street,number\r\n");
}

#[test]
fn one_that_takes_too_long_does_not_look_whole() {
    let server = filled("export_timeout = 1").serve();
    let (mut client, mut bytes) = begun(&server);
    server.wait_for_error(
        "an export of users was not finished: it took longer than the 1 seconds of export_timeout",
    );
    bytes.extend(client.read_to_end());
    assert!(!bytes.ends_with(b"0\r\n\r\n") && bytes.len() > 100_000);
    let trail = server.home().run(&["audit", "--json"]).exits(0).stdout;
    let rows: Vec<serde_json::Value> = serde_json::from_str(&trail).unwrap();
    assert_eq!(rows.last().unwrap()["details"]["whole"], false, "{trail}");
}
