//! Copying into a file: who has it, and what becomes of one that was made.

use dev::configs;

use crate::support::home::Home;

#[test]
fn a_file_in_use_by_a_server_is_no_target() {
    let (home, other) = (Home::new(&configs::built_in()), Home::new(&configs::built_in()));
    home.serve().stop();
    let _server = other.serve();
    home.copy_into(&other).exits(1).says(&["in use by a running carnet server"]);
}

#[test]
fn a_file_that_was_made_for_a_copy_that_failed_is_gone() {
    let (home, other) = (Home::new(&configs::built_in()), Home::new(&configs::built_in()));
    home.serve().stop();
    home.execute(
        "PRAGMA foreign_keys = OFF; INSERT INTO users (id, first_name, last_name, address) VALUES (7, 'a', 'b', 99)",
    );
    home.copy_into(&other).exits(1).says(&["record 7 of users", "address", "refers to no record"]);
    assert!(!other.has_store());
}

#[test]
fn text_that_is_no_unicode_is_copied_to_the_byte() {
    let (home, other) = (Home::new(&configs::built_in()), Home::new(&configs::built_in()));
    home.serve().stop();
    home.execute(
        "INSERT INTO users (first_name, last_name) VALUES (CAST(x'5a6feb' AS TEXT), CAST(x'610062' AS TEXT))",
    );
    home.copy_into(&other).exits(0);
    assert_eq!(other.query("SELECT hex(first_name) || hex(last_name) FROM users"), ["5A6FEB610062"]);
}

#[test]
fn a_file_is_the_same_under_another_name() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    std::os::unix::fs::symlink(home.database_file(), home.path("link.db")).unwrap();
    home.copy(&home.database_url(), &home.file_url("link.db")).exits(2).says(&["the same store"]);
}
