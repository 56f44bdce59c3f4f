//! A backup in the place of a file: what goes, what is kept, what stays revoked.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use dev::configs;
use dev::process::Process;
use rusqlite::Connection;

use crate::support::home::Home;

const KEY: &str = "the-key-of-alice-1";
const REVOKED: &str = "the-key-of-mallory-1";

/// A store whose backup has three users and two keys; after it one user more, and one key less.
fn changed_since() -> Arc<Home> {
    let home = Home::new(&configs::guarded());
    home.add_key("alice", KEY);
    home.add_key("mallory", REVOKED);
    home.serve().stop();
    home.execute("INSERT INTO users (first_name, last_name) VALUES ('a', ''), ('b', ''), ('c', '')");
    home.run(&["backup", "one.db"]).exits(0);
    home.execute("INSERT INTO users (first_name, last_name) VALUES ('d', '')");
    home.run(&["keys", "revoke", "mallory"]).exits(0);
    home
}

fn users(home: &Home) -> Vec<String> {
    home.query("SELECT count(*) FROM users")
}

/// The names of what stands beside the store.
fn kept(home: &Home) -> Vec<String> {
    let names =
        fs::read_dir(home.folder()).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("book.db.before-")).collect()
}

#[test]
fn a_store_with_records_goes_only_where_that_was_said_and_is_kept() {
    let home = changed_since();
    home.run(&["restore", "one.db"]).exits(1).says(&["book.db has 4 records; replace it with --replace"]);
    assert_eq!(users(&home), ["4"]);
    assert!(kept(&home).is_empty());
    home.run(&["restore", "one.db", "--replace"]).exits(0).says(&["book.db.before-"]);
    assert_eq!(users(&home), ["3"]);
    home.is_sound();
    let before = Connection::open(home.path(&kept(&home)[0])).unwrap();
    let users = before.query_row("SELECT count(*) FROM users", [], |row| row.get::<_, i64>(0));
    assert_eq!(users.unwrap(), 4);
}

#[test]
fn what_is_replaced_twice_within_a_second_is_kept_twice() {
    let home = changed_since();
    for times in 1..=8 {
        home.run(&["restore", "one.db", "--replace"]).exits(0);
        assert_eq!(kept(&home).len(), times);
    }
    assert_eq!(users(&home), ["3"]);
}

#[test]
fn a_key_that_was_revoked_after_the_backup_stays_revoked() {
    let home = changed_since();
    home.run(&["restore", "one.db", "--replace"]).exits(0);
    let server = home.serve();
    assert_eq!(server.status(&format!("GET /users/?accesskey={KEY}")), 200);
    assert_eq!(server.status(&format!("GET /users/?accesskey={REVOKED}")), 401);
    server.stop();
    home.run(&["audit", "--verify"]).exits(0);
    let trail = home.run(&["audit"]).exits(0).stdout;
    let place = |word: &str| trail.find(word).unwrap_or_else(|| panic!("{word}: {trail}"));
    assert!(place("revoked") < place("restored"), "{trail}");
}

#[test]
fn keys_of_the_backup_come_back_only_by_name() {
    let home = changed_since();
    let restored = home.run(&["restore", "one.db", "--replace", "--keys", "backup"]).exits(0);
    let restored = restored.says(&["the access key mallory of the backup is good again"]);
    assert!(!restored.output().contains("key alice"), "{restored:?}");
    let server = home.serve();
    assert_eq!(server.status(&format!("GET /users/?accesskey={REVOKED}")), 200);
    server.stop();
    home.run(&["audit", "--verify"]).exits(0);
}

#[test]
fn a_store_that_is_served_or_open_elsewhere_is_left_alone() {
    let home = changed_since();
    let server = home.serve();
    home.run(&["restore", "one.db", "--replace"]).exits(1).says(&["in use"]);
    assert_eq!(server.status(&format!("GET /users/4/?accesskey={KEY}")), 200);
    server.stop();
    assert_eq!(users(&home), ["4"]);
    let reader = Connection::open(home.database_file()).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM users").unwrap();
    home.run(&["restore", "one.db", "--replace"]).exits(1).says(&["open in another program"]);
    drop(reader);
    assert_eq!(users(&home), ["4"]);
    assert!(kept(&home).is_empty());
    home.run(&["restore", "one.db", "--replace"]).exits(0);
}

#[test]
fn a_link_to_the_store_stays_one() {
    let home = changed_since();
    let (path, moved) = (home.database_file().to_owned(), home.path("elsewhere.db"));
    fs::rename(&path, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &path).unwrap();
    home.run(&["restore", "one.db", "--replace"]).exits(0).says(&["elsewhere.db.before-"]);
    assert_eq!(fs::read_link(&path).unwrap(), moved);
    assert_eq!(users(&home), ["3"]);
    home.is_sound();
}

#[test]
fn a_restore_that_is_killed_leaves_the_old_or_the_new() {
    let home = changed_since();
    let values: Vec<String> =
        (0..20_000).map(|number| format!("('{number}', '{}')", "x".repeat(100))).collect();
    home.execute(&format!("INSERT INTO users (first_name, last_name) VALUES {}", values.join(", ")));
    home.run(&["backup", "large.db"]).exits(0);
    home.execute("INSERT INTO users (first_name, last_name) VALUES ('last', '')");
    let (old, new) = ("20005", "20004");
    let growing = home.path("book.db.restoring");
    for part in 0..8_u64 {
        let mut process = Process::start(home.command_here(&["restore", "large.db", "--replace"]));
        let length = || fs::metadata(&growing).map_or(0, |found| found.len());
        // A moment that is soon over, so the looks follow each other closely.
        while length() <= part * 400_000 && process.wait_for(Duration::from_micros(100)).is_none() {}
        process.kill();
        home.is_sound();
        home.run(&["verify"]).exits(0);
        let found = users(&home);
        assert!(found == [old] || found == [new], "{found:?}");
        if found == [new] {
            home.execute("INSERT INTO users (first_name, last_name) VALUES ('last', '')");
        }
    }
    home.run(&["restore", "large.db", "--replace"]).exits(0);
    assert_eq!(users(&home), [new]);
}
