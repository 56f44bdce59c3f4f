//! A server that is full: of connections, or of data.

use std::io::{Read, Write};
use std::net::TcpStream;

use dev::cluster::Cluster;
use dev::waiting::{wait_for, wait_until};
use dev::{configs, schema};

use crate::support::home::Home;
use crate::support::server::Server;

const CREATE: &str = r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#;
/// How many connections the server has, and how many of them a node takes.
const MOST: usize = 24;
const OURS: usize = 9;

/// Strangers who have a connection each, and never say their password.
struct Crowd {
    port: u16,
    members: Vec<TcpStream>,
}

impl Crowd {
    /// Waits until there are so many of them.
    fn grow_to(&mut self, number: usize) {
        while self.members.len() < number {
            let member = wait_for(|| self.member().ok_or("the server takes no more"));
            self.members.push(member);
        }
    }

    /// One more, where the server has a place.
    fn member(&self) -> Option<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let said = b"\0\x03\0\0user\0carnet\0database\0postgres\0\0";
        stream.write_all(&(said.len() as u32 + 4).to_be_bytes()).unwrap();
        stream.write_all(said).unwrap();
        let mut answer = [0];
        stream.read_exact(&mut answer).unwrap();
        // A question for the password; else it says why not.
        (answer == *b"R").then_some(stream)
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_server_without_a_free_connection_is_written_to_and_one_write_more_is_refused_at_the_most() {
    let cluster = Cluster::start();
    cluster.set("max_connections", &MOST.to_string());
    cluster.kill();
    cluster.start_again();
    let home = Home::at(&cluster.url(), &configs::built_in());
    let server = home.serve();
    let ours = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'carnet'";
    wait_until("a node has nine connections", || cluster.query(ours) == [OURS.to_string()]);
    let mut crowd = Crowd { port: cluster.port, members: Vec::new() };
    crowd.grow_to(MOST - OURS);
    assert!(crowd.member().is_none(), "the server is not full");
    assert_eq!(server.status(CREATE), 201);
    assert_eq!(server.total("/users/"), 1);

    // The connection that writes is lost, and somebody else takes its place.
    crowd.members.pop();
    // The server takes a moment to notice that there is room.
    let ended = "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity \
         WHERE application_name = 'carnet' AND query LIKE '%; COMMIT' ORDER BY state_change DESC LIMIT 1) writing";
    let has_ended = || schema::query(&cluster.url(), ended).is_ok_and(|ended| ended == ["t"]);
    wait_until("nobody hung up", has_ended);
    crowd.grow_to(MOST - OURS + 1);
    // Of one that is sent before the node has noticed, nobody can say what became of it.
    let is_refused = || {
        let refused = server.ask(CREATE);
        assert_eq!(refused.status, 503, "{refused:?}");
        refused.error().contains("Nothing was changed")
    };
    wait_until("no write is told that nothing was changed", is_refused);
    for request in ["GET /users/", "GET /users/1/", "GET /users/?first_name=John", "GET /readyz"] {
        assert_eq!(server.status(request), 200, "{request}");
    }
    drop(crowd);
    wait_until("nothing can be written again", || server.status(CREATE) == 201);
    assert!(!server.stderr().contains("database_lost"), "{}", server.stderr());
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_full_tablespace_is_told_of_once_and_so_is_its_end() {
    let server = Server::start(&configs::built_in());
    let home = server.home();
    // In its words, and with its code.
    home.execute(
        "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
           RAISE EXCEPTION 'could not extend file \"base/5/16384\": No space left on device' USING ERRCODE = 'disk_full'; \
         END $$; CREATE TRIGGER fill BEFORE INSERT ON users EXECUTE FUNCTION fill()",
    );
    for _ in 0..3 {
        assert_eq!(server.status(CREATE), 507);
    }
    server.create_address();
    home.execute("DROP TRIGGER fill ON users");
    assert_eq!(server.status(CREATE), 201);
    server.wait_for_error("\"event\":\"writes_resumed\"");
    let said = server.stderr();
    assert!(said.contains("could not extend file"), "{said}");
    assert_eq!(said.matches("\"event\":\"writes_refused\"").count(), 1, "{said}");
}
