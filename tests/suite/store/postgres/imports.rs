//! Imports on several nodes: every node knows all of them, and one that is gone stands in nobody's way.

use std::fs;
use std::time::Duration;

use dev::configs;
use dev::process::Process;
use dev::waiting::wait_until;
use serde_json::json;

use crate::support::home::Home;
use crate::support::imports::{counts, csv, people};

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn what_one_node_imports_every_node_tells_and_none_does_besides() {
    let home = Home::new(&configs::built_in());
    let nodes = [home.serve(), home.serve()];
    let file = people(20_000);
    let path = nodes[0].begins(csv("users/", &file[..]));
    for node in &nodes {
        let refused = node.refuses_request(&csv("users/", "first_name,last_name\nAda,Lovelace\n"), 409);
        assert_eq!(refused, format!("An import into users is under way: {path}"));
    }
    let report = nodes[1].follow(&path);
    assert_eq!((&report["state"], counts(&report)), (&json!("done"), [20_000, 0, 0]), "{report}");
    assert_eq!(nodes[0].report(&path), report);
    assert_eq!(nodes[1].total("/users/"), 20_000);
    let again = nodes[1].begins(csv("users/", &file[..]));
    assert_ne!(again, path);
    assert_eq!(counts(&nodes[0].follow(&again)), [0, 0, 20_000]);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn the_import_of_a_killed_node_is_stopped_and_another_node_completes_it() {
    let home = Home::new(&configs::built_in());
    let [one, other] = [home.serve(), home.serve()];
    let file = people(20_000);
    let path = one.begins(csv("users/", &file[..]));
    other.wait_for_more_than(0, "/users/");
    one.kill();
    let report = other.follow(&path);
    assert_eq!(report["state"], "stopped", "{report}");
    let before = other.total("/users/");
    let report = other.follow(&other.begins(csv("users/", &file[..])));
    assert_eq!(
        (&report["state"], counts(&report)),
        (&json!("done"), [20_000 - before, 0, before]),
        "{report}"
    );
    assert_eq!((other.total("/users/"), other.total("/address/")), (20_000, 500));
    assert_eq!(home.query("SELECT count(DISTINCT last_name) FROM users"), ["20000"]);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn ids_that_a_killed_import_used_up_are_still_those_of_its_file() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    let ids: Vec<String> = (0..3_000).map(|number| (3 * number + 5).to_string()).collect();
    let rows: String = ids.iter().map(|id| format!("{id},F,L\n")).collect();
    fs::write(home.path("a.csv"), format!("id,first_name,last_name\n{rows}")).unwrap();
    let stored = || home.query("SELECT id FROM users ORDER BY id");
    let mut import = Process::start(home.command_here(&["import", "a.csv", "--into", "users"]));
    wait_until("nothing is stored", || {
        let is_stored = !stored().is_empty();
        assert!(is_stored || import.wait_for(Duration::ZERO).is_none(), "nothing is stored");
        is_stored
    });
    import.kill();
    // As where it was killed within a chunk: what is taken back of that has moved the counter.
    home.query("SELECT setval(pg_get_serial_sequence('users', 'id'), max(id) + 300) FROM users");
    home.run(&["import", "a.csv", "--into", "users"]).exits(0);
    assert_eq!(stored(), ids);
}
