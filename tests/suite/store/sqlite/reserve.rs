//! The reserve beside the database: room for a start, for keys and for the log, where the disk is full.

use std::fs;
use std::sync::Arc;

use dev::configs;
use dev::process::Outcome;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::server::Server;
use crate::support::under::Start;

const WHOLE: u64 = 1 << 20;
const STEP: u64 = 64 << 10;
const ADMIN: &str = "the-key-of-the-administrator";

/// How long the reserve is; none where there is no such file.
fn reserve(home: &Home) -> Option<u64> {
    fs::metadata(home.path("book.db.reserve")).ok().map(|found| found.len())
}

/// Words that make so many writes to this file of the store find the disk full, counted for each thread.
fn full(home: &Home, suffix: &str, when: &str) -> Vec<String> {
    let file = format!("{}{suffix}", home.database_file().display());
    let inject = format!("inject=pwrite64:error=ENOSPC{when}");
    let words =
        ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", &file, "-e", "trace=pwrite64", "-e", &inject];
    words.map(String::from).to_vec()
}

fn start(home: &Arc<Home>, suffix: &str, when: &str) -> Start {
    let words = full(home, suffix, when);
    home.try_under(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn serve(home: &Arc<Home>, suffix: &str, when: &str) -> Server {
    match start(home, suffix, when) {
        Start::Serves(server) => *server,
        Start::Refused(outcome) => panic!("it does not start: {outcome:?}"),
    }
}

fn run(home: &Home, suffix: &str, when: &str, arguments: &[&str]) -> Outcome {
    let words = full(home, suffix, when);
    home.run_under(&words.iter().map(String::as_str).collect::<Vec<_>>(), arguments)
}

/// A store after a clean stop.
fn stopped() -> Arc<Home> {
    let home = Home::new(&configs::patient(&configs::guarded()));
    home.add_admin("root", ADMIN);
    home.serve().stop();
    assert_eq!(reserve(&home), Some(WHOLE));
    home
}

/// SQLite makes an index of the log when it opens the file, and needs room for it.
#[test]
fn a_start_without_room_takes_it_from_the_reserve_and_fills_that_once_it_can() {
    let home = stopped();
    let server = serve(&home, "-shm", ":when=1");
    let left = format!("reserve; bytes left of it: {}\"", WHOLE - STEP);
    server.wait_for_error("\"event\":\"reserve_used\"");
    server.wait_for_error(&left);
    // The disk of this test has room after all.
    server.wait_for_error("\"event\":\"reserve_filled\"");
    assert_eq!(reserve(&home), Some(WHOLE));
    assert_eq!(server.send(&Request::new("GET /users/").header("X-API-Key", ADMIN)).status, 200);
    server.stop().is_sound();
}

#[test]
fn a_start_is_refused_when_the_reserve_is_used_up() {
    let home = stopped();
    let Start::Refused(refused) = start(&home, "-shm", "") else { panic!("it serves without an index") };
    refused.exits(1).says(&["book.db cannot be opened: the disk is full; make room in "]);
    assert_eq!(reserve(&home), Some(0));
    let server = home.serve();
    server.wait_for_error("\"event\":\"reserve_filled\"");
    server.stop().is_sound();
    assert_eq!(reserve(&home), Some(WHOLE));
}

/// SQLite takes a page of the index for allocated where a byte of it is. Touching one that is not ends the process.
#[test]
fn the_index_is_allocated_whole_before_anything_is_written_in_room_of_the_reserve() {
    let home = stopped();
    let index = format!("{}-shm", home.database_file().display());
    let words = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", &index, "-e", "trace=fallocate", "-e"];
    let start = |inject: &str| home.try_under(&[&words[..], &[inject]].concat());
    let Start::Serves(server) = start("inject=fallocate:error=ENOSPC:when=1") else {
        panic!("it does not start")
    };
    server.wait_for_error(&format!("reserve; bytes left of it: {}\"", WHOLE - STEP));
    server.stop();
    // A file system that cannot do it has to do without.
    let Start::Serves(server) = start("inject=fallocate:error=EOPNOTSUPP") else {
        panic!("it does not start")
    };
    server.stop();
    let Start::Refused(refused) = start("inject=fallocate:error=ENOSPC") else {
        panic!("it serves without an index")
    };
    refused.exits(1).says(&["the disk is full; make room in "]);
}

#[test]
fn keys_are_changed_in_room_of_the_reserve() {
    let home = stopped();
    let changes: [&[&str]; 3] =
        [&["keys", "create", "ann"], &["keys", "rotate", "ann", "--grace", "0s"], &["keys", "revoke", "ann"]];
    let mut left = WHOLE;
    for suffix in ["-shm", "-wal"] {
        for change in changes {
            run(&home, suffix, ":when=1", change).exits(0);
            left -= STEP;
            assert_eq!(reserve(&home), Some(left), "{suffix} {change:?}");
        }
    }
    // What is done is done once.
    home.run(&["audit", "--verify"]).exits(0);
    let trail = home.run(&["audit"]).exits(0).stdout;
    assert_eq!(trail.matches("ann").count(), 6, "{trail}");
    // Without a reserve nothing is changed.
    fs::remove_file(home.path("book.db.reserve")).unwrap();
    run(&home, "-wal", ":when=1", changes[0]).exits(1).says(&["the disk is full"]);
    assert!(!home.run(&["keys", "list"]).exits(0).stdout.contains("ann"));
    assert_eq!(reserve(&home), None, "a command does not make one");
}

#[test]
fn a_key_is_made_over_http_in_room_of_the_reserve() {
    let home = stopped();
    // The first write of each thread: of the start, of whoever makes the key, of the writer.
    let server = serve(&home, "-wal", ":when=1");
    server.wait_for_error("\"event\":\"writes_refused\"");
    let made = server.send(&Request::new("POST /_/keys/").header("X-API-Key", ADMIN).json("{}"));
    assert_eq!(made.status, 201, "{made:?}");
    let key = made.json()["key"].as_str().unwrap().to_owned();
    server.wait_for_error("\"event\":\"reserve_used\"");
    let user = r#"{"first_name":"John","last_name":"Doe"}"#;
    let create = || server.send(&Request::new("POST /users/").header("X-API-Key", &key).json(user)).status;
    assert_eq!((create(), create()), (507, 201));
    server.wait_for_error("\"event\":\"writes_resumed\"");
    server.stop().is_sound();
}

/// The log lets go of its room only when it is copied, for which the database must grow.
#[test]
fn a_log_that_cannot_be_copied_takes_room_from_the_reserve_and_leaves_some() {
    let home = stopped();
    let mut server = serve(&home, "", "");
    let user = format!(r#"{{"first_name":"John","last_name":"{}"}}"#, "x".repeat(100_000));
    assert_eq!(server.send(&Request::new("POST /users/").header("X-API-Key", ADMIN).json(user)).status, 201);
    server.wait_for_error("\"event\":\"reserve_used\"");
    assert!(reserve(&home) >= Some(4 * STEP));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    home.serve().stop().is_sound();
}

/// Where the system does not say how much is free, or says that it is little.
#[test]
fn where_room_is_scarce_the_log_is_copied_early_and_no_reserve_is_made() {
    let home = Home::new(&configs::with_server("any_filesystem = true"));
    let folder = home.folder().display().to_string();
    let words = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", &folder, "-e", "trace=statfs"];
    let server = home.serve_under(&[&words[..], &["-e", "inject=statfs:error=EIO"]].concat());
    let mut client = server.client();
    // A log of some hundred pages, which is copied at 8,000 or after a second's rest otherwise.
    let user = format!(r#"{{"first_name":"John","last_name":"{}"}}"#, "x".repeat(100_000));
    for _ in 0..8 {
        assert_eq!(client.send(&Request::new("POST /users/").json(user.as_str())).status, 201);
    }
    assert!(fs::metadata(home.database_file()).unwrap().len() > 500_000);
    assert_eq!(reserve(&home), None);
    server.stop().is_sound();
}

/// What another put there is not ours to cut or to fill.
#[test]
fn a_link_or_a_long_file_in_the_place_of_the_reserve_is_left_alone() {
    let home = stopped();
    let (letter, place) = (home.path("letter"), home.path("book.db.reserve"));
    for length in [8, 2 << 20] {
        let text = "x".repeat(length);
        fs::write(&letter, &text).unwrap();
        fs::remove_file(&place).unwrap();
        match length {
            8 => std::os::unix::fs::symlink(&letter, &place).unwrap(),
            _ => fs::rename(&letter, &place).unwrap(),
        }
        home.serve().stop();
        run(&home, "-wal", ":when=1", &["keys", "create"]).exits(1).says(&["the disk is full"]);
        assert!(fs::read_to_string(&place).unwrap() == text, "{length}");
    }
}
