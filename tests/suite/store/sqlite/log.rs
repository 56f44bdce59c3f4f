//! The write-ahead log beside somebody who reads an old state of the file for long: it grows, and nobody waits.

use std::time::{Duration, Instant};

use dev::configs;
use dev::waiting::wait_until;
use rusqlite::{Connection, Row};

use crate::support::server::Server;

/// Beyond this the server wants the log cut.
const LIMIT: u64 = 64 << 20;
/// Writes that are timed, all of them beyond the limit.
const TIMED: usize = 15;
/// How much longer the median write may take beside a reader.
const MOST: u32 = 20;

/// Writes more than the log should hold.
fn write_past_the_limit(server: &Server) {
    server.home().execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70)
         INSERT INTO users (first_name, last_name) SELECT hex(zeroblob(500000)), 'Doe' FROM n",
    );
}

/// How long the median write takes at each of them. They take turns, so that whatever else the machine does slows all
/// of them.
fn median_writes(servers: [&Server; 2]) -> [Duration; 2] {
    let mut clients = servers.map(Server::client);
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..TIMED {
        for (client, times) in clients.iter_mut().zip(&mut times) {
            let begun = Instant::now();
            let answer = client.ask(r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#);
            assert_eq!(answer.status, 201, "{answer:?}");
            times.push(begun.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort();
        times[TIMED / 2]
    })
}

#[test]
fn a_reader_that_stays_holds_up_no_write_and_the_log_is_cut_when_it_goes() {
    let other = Server::start(&configs::built_in());
    let server = Server::start(&configs::built_in());
    server.create_user("before", "Doe");
    let reader = Connection::open(server.home().database_file()).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let seen = |reader: &Connection| -> i64 {
        reader.query_row("SELECT count(*) FROM users", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(seen(&reader), 1);
    write_past_the_limit(&server);
    write_past_the_limit(&other);
    let [alone, beside] = median_writes([&other, &server]);
    assert_eq!(seen(&reader), 1);
    assert!(server.metric("carnet_store_wal_bytes") > LIMIT, "this test was about nothing");
    assert!(beside < alone * MOST, "a write takes {alone:?} alone, {beside:?} beside a reader");
    let warned = server.stderr().matches("the write-ahead log has grown").count();
    assert_eq!(warned, 1, "{}", server.stderr());

    // Nobody writes any more, and still it is cut.
    reader.execute_batch("COMMIT").unwrap();
    wait_until("the log is not cut", || server.metric("carnet_store_wal_bytes") == 0);
    server.stop().is_sound();
}

#[test]
fn a_log_that_was_copied_is_written_over_and_is_empty_after_some_rest() {
    let server = Server::start(&configs::built_in());
    server.create_user("before", "Doe");
    let length = || server.metric("carnet_store_wal_bytes");
    let other = Connection::open(server.home().database_file()).unwrap();
    let is_copied = || -> bool {
        let pages = |row: &Row<'_>| Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?));
        let (all, copied) = other.query_row("PRAGMA wal_checkpoint(NOOP)", [], pages).unwrap();
        all == copied
    };
    wait_until("the log is not copied", || is_copied() && length() > 0);
    let before = length();
    server.create_user("after", "Doe");
    assert!(!is_copied());
    // A sync behind which a file is longer takes longer.
    assert_eq!(length(), before);
    wait_until("the log is not empty", || length() == 0);
    // A group that changes nothing makes it no longer.
    assert_eq!(server.status(r#"POST /users/ {"first_name":"John","last_name":"Doe","address":7}"#), 400);
    assert_eq!(length(), 0);
    server.stop().is_sound();
}
