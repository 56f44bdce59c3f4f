//! The id of a store: made with it, and kept wherever its records go.

use dev::configs;
use rusqlite::Connection;

use crate::support::home::Home;

fn id(home: &Home) -> String {
    let ids =
        home.query(home.either(
            "SELECT lower(hex(id)) FROM _carnet_store",
            "SELECT encode(id, 'hex') FROM _carnet_store",
        ));
    assert_eq!(ids.len(), 1);
    ids[0].clone()
}

fn id_in_file(home: &Home, name: &str) -> String {
    let file = Connection::open(home.path(name)).unwrap();
    file.query_row("SELECT lower(hex(id)) FROM _carnet_store", [], |row| row.get(0)).unwrap()
}

#[test]
fn every_store_has_an_id_of_its_own_that_stays() {
    let (home, other) = (Home::new(&configs::built_in()), Home::new(&configs::built_in()));
    home.serve().stop();
    let made = id(&home);
    assert_eq!(made.len(), 32);
    home.serve().stop();
    assert_eq!(id(&home), made);
    other.serve().stop();
    assert_ne!(id(&other), made);
}

#[test]
fn a_store_of_before_there_were_ids_gets_one_at_its_start() {
    let (home, other) = (Home::new(&configs::built_in()), Home::new(&configs::built_in()));
    home.serve().stop();
    let made = id(&home);
    home.execute("DROP TABLE _carnet_store");
    // What only reads does without: the copy has an id of its own.
    home.copy_into(&other).exits(0);
    assert_eq!(id(&other).len(), 32);
    home.serve().stop();
    assert_ne!(id(&home), made);
}

#[test]
fn a_copy_a_backup_and_what_is_restored_are_the_same_store() {
    let (home, other) = (Home::new(&configs::built_in()), Home::new(&configs::built_in()));
    let server = home.serve();
    server.create_user("John", "Doe");
    server.stop();
    let made = id(&home);
    home.copy(&home.database_url(), &home.file_url("between.db")).exits(0);
    assert_eq!(id_in_file(&home, "between.db"), made);
    other.copy(&home.file_url("between.db"), &other.database_url()).exits(0);
    assert_eq!(id(&other), made);
    home.run(&["backup", "one.db"]).exits(0);
    assert_eq!(id_in_file(&home, "one.db"), made);
    let third = Home::new(&configs::built_in());
    let backup = home.path("one.db").display().to_string();
    third.run(&["restore", &backup]).exits(0);
    assert_eq!(id(&third), made);
    third.serve().stop();
    assert_eq!(id(&third), made);
}
