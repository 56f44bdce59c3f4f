//! A changed configuration on a large table: its indexes are built while others write.

use std::sync::Arc;
use std::time::Duration;

use dev::configs;
use dev::process::Process;
use dev::schema::hold;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

/// A snapshot, for which a build waits at its end.
const READING: &str = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT FROM pg_class";
/// A lock on rows, for which a build waits at its beginning. Without triggers it keeps no node from writing.
const WRITING: &str = "SET LOCAL session_replication_role = replica; DELETE FROM things WHERE id = 0";
const NOT_WHOLE: &str =
    "SELECT count(*) FROM pg_index WHERE indrelid = 'things'::regclass AND NOT indisvalid";

/// A node with more things than are worth a moment, and a configuration by which their codes are unique.
fn large() -> (Arc<Home>, Server) {
    let home = Home::new(&configs::kinds().replace(r#"["code"], "#, ""));
    let node = home.serve();
    home.execute(
        "INSERT INTO things (name, size, weight, fragile, code) \
         SELECT repeat('x', 80) || i, i, 1.5, true, i FROM generate_series(1, 15000) AS i",
    );
    home.configure(&configs::kinds());
    (home, node)
}

fn starting(home: &Arc<Home>) -> Process {
    let mut command = home.command_here(&["serve"]);
    command.args(["--listen", "127.0.0.1:0"]);
    Process::start(command)
}

/// Waits until an index is being built.
fn until_building(home: &Arc<Home>) {
    wait_until("no index is built while others could write", || home.query(NOT_WHOLE) != ["0"]);
}

/// A request to create a thing.
fn thing(name: &str, code: i64) -> String {
    format!(r#"POST /things/ {{"name":"{name}","size":1,"weight":1.5,"fragile":true,"code":{code}}}"#)
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn others_write_while_an_index_is_built() {
    let with_field = configs::kinds().replace("note ", "nick = { type = \"string\" }\nnote ");
    for changed in [configs::kinds(), with_field.replace(r#"["code"], "#, "")] {
        let (home, node) = large();
        home.configure(&changed);
        let mut started = hold(&home.database_url(), READING, || {
            let mut started = starting(&home);
            until_building(&home);
            assert_eq!(node.ask(&thing("a", -1)).created_id(), 15001);
            let insert =
                "INSERT INTO things (name, size, weight, fragile, code) VALUES ('b', 1, 1.5, true, -2)";
            home.execute(insert);
            assert_eq!(node.total("/things/?code=-2"), 1);
            assert!(started.wait_for(Duration::ZERO).is_none(), "{}", started.stderr());
            started
        });
        assert!(started.address().is_some(), "{}", started.stderr());
        started.wait_for_error("building the index");
        home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
        home.is_sound();
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_a_build_that_was_cut_off_left_behind_is_built_anew() {
    let (home, node) = large();
    hold(&home.database_url(), READING, || {
        let started = starting(&home);
        until_building(&home);
        home.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index WHERE relid = 'things'::regclass",
        );
        started.outcome().exits(1);
    });
    assert_eq!(home.query(NOT_WHOLE), ["1"]);
    let started = home.serve();
    assert_eq!(home.query(NOT_WHOLE), ["0"]);
    for node in [&node, &started] {
        assert!(node.refuses(&thing("a", 7), 400).contains("unique"));
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn nodes_that_start_during_a_build_wait_for_it() {
    let (home, node) = large();
    let mut started = hold(&home.database_url(), READING, || {
        let mut started = vec![starting(&home)];
        until_building(&home);
        started.extend([starting(&home), starting(&home)]);
        for waiting in &started[1..] {
            waiting.wait_for_error("another carnet is changing the tables");
        }
        // Who has nothing to change waits for nobody.
        home.add_key("till", "the-secret-of-the-till");
        started
    });
    assert!(started.iter_mut().all(|process| process.address().is_some()));
    assert!(node.refuses(&thing("a", 7), 400).contains("unique"));
    let steps = "SELECT count(*) FROM _carnet_audit WHERE subject = 'make things unique by code'";
    assert_eq!(home.query(steps), ["1"]);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn nodes_that_start_at_once_all_come_up() {
    let (home, _node) = large();
    let nodes = race(4, |_| home.serve());
    assert!(nodes.iter().all(|node| node.total("/things/") == 15000));
    home.is_sound();
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn doubles_that_come_during_a_build_are_named_and_nothing_of_it_stays() {
    let (home, node) = large();
    let refused = hold(&home.database_url(), WRITING, || {
        let started = starting(&home);
        until_building(&home);
        assert_eq!(node.ask(&thing("a", 7)).created_id(), 15001);
        started
    });
    refused.outcome().exits(2).says(&["must now be unique by code", "records 7, 15001"]);
    assert_eq!(home.query(NOT_WHOLE), ["0"]);
    assert_eq!(node.ask(&thing("b", 7)).created_id(), 15002);
}

/// Who waits for a lock on a whole table keeps those waiting who come later.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_start_that_somebody_keeps_waiting_lets_others_write() {
    let (home, node) = large();
    home.configure(&configs::kinds().replace("note ", "nick = { type = \"string\" }\nnote "));
    let mut started = hold(&home.database_url(), "SELECT FROM things LIMIT 1", || {
        let started = starting(&home);
        let waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'things'::regclass AND NOT granted";
        wait_until("nobody waits for the table", || home.query(waiting) != ["0"]);
        assert_eq!(node.ask(&thing("a", -1)).created_id(), 15001);
        started
    });
    assert!(started.address().is_some(), "{}", started.stderr());
}
