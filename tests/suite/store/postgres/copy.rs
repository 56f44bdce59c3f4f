//! Copying into a database: what it cannot hold, and nodes that run on it.

use dev::configs;

use crate::support::home::Home;

/// The URL of a file with one user whose last name is these bytes.
fn file_with(home: &Home, last_name: &str) -> String {
    let file = home.file_url("before.db");
    home.copy(&home.database_url(), &file).exits(0);
    let connection = rusqlite::Connection::open(home.path("before.db")).unwrap();
    let text = format!(
        "INSERT INTO users (id, first_name, last_name) VALUES (17, 'a', CAST(x'{last_name}' AS TEXT))"
    );
    connection.execute(&text, []).unwrap();
    file
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn text_that_postgresql_cannot_hold_is_refused_by_name() {
    for (bytes, what) in [("5a6feb", "not UTF-8"), ("610062", "U+0000")] {
        let (home, other) = (Home::new(&configs::built_in()), Home::new(&configs::built_in()));
        home.serve().stop();
        let refused = home.copy(&file_with(&home, bytes), &other.database_url());
        refused.exits(1).says(&["record 17 of users", "last_name", what]);
        assert!(!other.has_store());
    }
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn nodes_on_the_target_see_the_records_with_the_commit() {
    let (home, other) = (Home::new(&configs::built_in()), Home::new(&configs::built_in()));
    home.serve().stop();
    home.execute(
        "INSERT INTO users (first_name, last_name) SELECT 'a', 'b' || n FROM generate_series(1, 2500) AS n",
    );
    let nodes = [other.serve(), other.serve()];
    for node in &nodes {
        assert_eq!((node.total("/users/"), node.total("/users/?last_name=b7")), (0, 0));
    }
    home.copy_into(&other).exits(0);
    for node in &nodes {
        assert_eq!((node.total("/users/"), node.total("/users/?last_name=b7")), (2500, 1));
    }
    assert_eq!(nodes[0].create_user("c", "d"), 2501);
    assert_eq!(nodes[1].total("/users/"), 2501);
}

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_database_is_the_same_under_another_name() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    let other_name = format!("{}&application_name=other", home.database_url());
    home.copy(&home.database_url(), &other_name).exits(2).says(&["the same store"]);
}
