//! Rows that were written while triggers did not fire, as at the end of a logical replication: their ids are given to
//! nobody else, and the documented remedy shows them.

use std::sync::Arc;

use dev::configs;

use crate::support::home::Home;
use crate::support::server::Server;

/// Takes ids behind the back of every node.
fn insert_unseen(home: &Arc<Home>, first: i64, last: i64) {
    home.execute(&format!(
        "SET session_replication_role = replica; INSERT INTO users (id, first_name, last_name) \
         SELECT i, 'n' || i, 'Roe' FROM generate_series({first}, {last}) AS i"
    ));
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_start_counts_ids_on_from_the_largest() {
    // Within the steps that are taken one by one, and far beyond them.
    for last in [60, 5000] {
        let server = Server::start(&configs::built_in());
        assert_eq!(server.create_user("Jane", "Doe"), 1);
        insert_unseen(server.home(), 2, last);
        let home = server.stop();
        home.run(&["check"]).exits(0).says(&[&format!("# - count the ids of users on from {last}\n")]);
        let server = home.serve();
        assert_eq!(server.create_user("John", "Doe"), last + 1);
        assert_eq!(server.total("/users/"), last + 1);
        server.stop();
        home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn the_remedy_shows_the_rows_and_counts_ids_on_from_the_largest() {
    let home = Home::new(&configs::built_in());
    let nodes: Vec<Server> = (0..2).map(|_| home.serve()).collect();
    assert_eq!(nodes[0].create_user("Jane", "Doe"), 1);
    assert!(nodes.iter().all(|node| node.total("/users/") == 1));
    insert_unseen(&home, 2, 60);
    home.execute("SELECT _carnet_reread()");
    assert!(nodes.iter().all(|node| node.total("/users/") == 60));
    assert_eq!(nodes[1].create_user("John", "Doe"), 61);
}
