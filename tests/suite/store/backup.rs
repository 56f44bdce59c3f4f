//! Backups: one file of one moment, whole or not there, that either engine takes back.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dev::configs;
use dev::dice::Dice;
use dev::process::{Outcome, Process};
use rusqlite::Connection;

use crate::support::ends::Ends;
use crate::support::home::Home;

const KEY: &str = "the-key-of-alice-1";
const REVOKED: &str = "the-key-of-mallory-1";

/// A store with records, the last of them gone, and two keys.
fn filled() -> Arc<Home> {
    let home = Home::new(&configs::guarded());
    home.add_key("alice", KEY);
    home.add_key("mallory", REVOKED);
    let server = home.serve();
    for name in ["Jöhn", "Jane", "gone"] {
        let body = format!(r#"POST /users/?accesskey={KEY} {{"first_name":"{name}","last_name":""}}"#);
        assert_eq!(server.ask(&body).status, 201);
    }
    assert_eq!(server.status(&format!("DELETE /users/3/?accesskey={KEY}")), 200);
    server.stop()
}

fn backup(home: &Home, name: &str) -> Outcome {
    home.run(&["backup", name]).exits(0)
}

#[test]
fn a_backup_is_one_private_file_with_its_checksum_and_is_never_written_over() {
    let home = filled();
    let made = backup(&home, "one.db");
    let mode = |name: &str| fs::metadata(home.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("one.db"), mode("one.db.sha256")), (0o600, 0o600));
    let noted = fs::read_to_string(home.path("one.db.sha256")).unwrap();
    assert!(noted.len() == 64 + "  one.db\n".len() && noted.ends_with("  one.db\n"), "{noted}");
    // The same lines as a copy: name, number, digest.
    let copied = home.copy(&home.database_url(), &home.file_url("copy.db")).exits(0);
    assert_eq!(made.stdout, copied.stdout);
    assert_eq!(home.run(&["verify", "one.db"]).exits(0).stdout, made.stdout);
    assert_eq!(home.run(&["verify"]).exits(0).stdout, made.stdout);
    let before = fs::read(home.path("one.db")).unwrap();
    home.run(&["backup", "one.db"]).exits(1).says(&["one.db exists; choose another name"]);
    assert_eq!(fs::read(home.path("one.db")).unwrap(), before);
    home.run(&["backup", "nowhere/one.db"]).exits(1).says(&["nowhere"]);
    let left: Vec<_> = fs::read_dir(home.folder()).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("partial")), "{left:?}");
    // No secret is in it.
    let holds = |secret: &str| before.windows(secret.len()).any(|part| part == secret.as_bytes());
    assert!(!holds(KEY) && !holds(REVOKED));
}

#[test]
fn a_backup_beside_writers_has_all_that_was_acknowledged_before() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    let is_over = AtomicBool::new(false);
    let create = |client: &mut dev::client::Client, name: &str| {
        let body = format!(r#"POST /users/ {{"first_name":"{name}","last_name":"b"}}"#);
        client.ask(&body).created_id()
    };
    std::thread::scope(|scope| {
        let _end = Ends(&is_over);
        for writer in 0..2 {
            let (server, is_over) = (&server, &is_over);
            scope.spawn(move || {
                let mut client = server.client();
                while !is_over.load(Ordering::Relaxed) {
                    create(&mut client, &format!("w{writer}"));
                }
            });
        }
        for number in 0..3 {
            let known = create(&mut server.client(), "known");
            let made = backup(&home, &format!("{number}.db"));
            let users = made.stdout.lines().find(|line| line.starts_with("users")).unwrap();
            let records: i64 = users.split_whitespace().nth(1).unwrap().parse().unwrap();
            assert!(records >= known, "{records} of at least {known}");
            // Of one moment: ids were given without gaps, so the largest is their number.
            let file = Connection::open(home.path(&format!("{number}.db"))).unwrap();
            let gaps = file.query_row("SELECT max(id) - count(*) FROM users", [], |row| row.get::<_, i64>(0));
            assert_eq!(gaps.unwrap(), 0);
        }
    });
}

#[test]
fn a_backup_comes_back_with_its_ids_keys_and_counters_into_an_empty_store() {
    let home = filled();
    let server = home.serve();
    let before = server.walk(&format!("/users/?accesskey={KEY}"));
    server.stop();
    let made = backup(&home, "one.db");
    let other = Home::new(&configs::guarded());
    let file = home.path("one.db");
    let restored = other.run(&["restore", file.to_str().unwrap()]).exits(0);
    assert_eq!(restored.stdout, made.stdout);
    other.is_sound();
    other.run(&["audit", "--verify"]).exits(0);
    let server = other.serve();
    assert_eq!(server.walk(&format!("/users/?accesskey={KEY}")), before);
    let next = server.ask(&format!(r#"POST /users/?accesskey={KEY} {{"first_name":"a","last_name":"b"}}"#));
    assert_eq!(next.created_id(), 4, "an id that was given once");
}

#[test]
fn what_is_damaged_is_neither_called_whole_nor_restored() {
    let home = filled();
    backup(&home, "one.db");
    let (path, other) = (home.path("one.db"), Home::new(&configs::guarded()));
    let whole = fs::read(&path).unwrap();
    let mut dice = Dice::new(7);
    for _ in 0..40 {
        let (byte, bit) = (dice.below(whole.len()), dice.below(8));
        let mut damaged = whole.clone();
        damaged[byte] ^= 1 << bit;
        fs::write(&path, damaged).unwrap();
        home.run(&["verify", "one.db"]).exits(1).says(&["one.db is damaged: 1 fault", "one.db.sha256"]);
    }
    other.run(&["restore", path.to_str().unwrap()]).exits(1).says(&["is damaged"]);
    fs::write(&path, &whole).unwrap();
    home.run(&["verify", "one.db"]).exits(0);
    fs::remove_file(home.path("one.db.sha256")).unwrap();
    home.run(&["verify", "one.db"]).exits(0).says(&["there is no one.db.sha256"]);
    fs::write(&path, b"no database").unwrap();
    home.run(&["verify", "one.db"]).exits(1).says(&["one.db is not a carnet database"]);
    fs::write(&path, b"").unwrap();
    home.run(&["verify", "one.db"]).exits(1).says(&["one.db is not a carnet store"]);
    home.run(&["verify", "nothing.db"]).exits(1).says(&["there is no file nothing.db"]);
    home.run(&["restore", "nothing.db"]).exits(1).says(&["there is no file nothing.db"]);
}

#[test]
fn damage_is_told_as_such_without_a_checksum_too() {
    let home = filled();
    backup(&home, "one.db");
    fs::remove_file(home.path("one.db.sha256")).unwrap();
    let (path, page) = (home.path("one.db"), 4096);
    let whole = fs::read(&path).unwrap();
    let mut damaged = vec![whole[..whole.len() / 2].to_vec(), whole[..page * 2 + 100].to_vec()];
    for at in (0..whole.len()).step_by(page) {
        // Behind the header of the file; in some pages more than the header of the page matters.
        let begin = at.max(100);
        let mut bytes = whole.clone();
        bytes[begin..at + page].fill(0xa5);
        damaged.push(bytes);
    }
    for bytes in damaged {
        fs::write(&path, bytes).unwrap();
        for command in [&["verify", "one.db"][..], &["restore", "one.db", "--replace"]] {
            let told = home.run(command).exits(1).says(&["one.db is damaged: ", " fault"]);
            assert!(!told.output().contains("***"), "{told:?}");
        }
    }
}

#[test]
fn records_that_the_configuration_does_not_declare_are_named() {
    let home = filled();
    backup(&home, "one.db");
    let file = home.path("one.db");
    let file = file.to_str().unwrap();
    let other =
        Home::new("[[collection]]\nname = \"pets\"\n[collection.fields]\nname = { type = \"string\" }\n");
    let words = "one.db also holds users (2 records), which the configuration does not declare: not counted";
    for command in ["verify", "restore"] {
        let told = other.run(&[command, file]).exits(0).says(&[words]);
        assert!(!told.output().contains("address ("), "{told:?}");
    }
    assert!(!home.run(&["verify", "one.db"]).exits(0).output().contains("does not declare"));
}

#[test]
fn a_backup_takes_no_name_that_another_file_has_and_makes_no_folder() {
    let home = filled();
    home.run(&["backup", "nowhere/"]).exits(1).says(&["the folder nowhere/ does not exist"]);
    let checksum = home.path("one.db.sha256");
    fs::write(&checksum, "mine").unwrap();
    home.run(&["backup", "one.db"]).exits(1).says(&["one.db.sha256 exists; choose another name"]);
    assert_eq!(fs::read_to_string(&checksum).unwrap(), "mine");
    assert!(!home.path("one.db").exists());
    // The checksum of a backup that is gone, or was killed before it had its name, is nobody's.
    fs::write(&checksum, format!("{}  one.db\n", "0".repeat(64))).unwrap();
    backup(&home, "one.db");
    home.run(&["verify", "one.db"]).exits(0);
}

#[test]
fn references_to_nothing_and_a_changed_trail_are_damage() {
    let home = filled();
    home.execute(&format!(
        "{}; UPDATE users SET address = 99 WHERE id = 2",
        home.either("PRAGMA foreign_keys = OFF", "SET session_replication_role = replica"),
    ));
    let words = "the record 2 of users refers to no record of address";
    home.run(&["verify"]).exits(1).says(&["is damaged: 1 fault", words]);
    let many: Vec<String> = (0..150).map(|number| format!("('{number}', '', 99)")).collect();
    home.execute(&format!(
        "{}; INSERT INTO users (first_name, last_name, address) VALUES {}",
        home.either("PRAGMA foreign_keys = OFF", "SET session_replication_role = replica"),
        many.join(", ")
    ));
    home.run(&["verify"]).exits(1).says(&["is damaged: 100 faults or more, the first: ", words]);
    home.execute("DELETE FROM users WHERE id > 3");
    home.execute("UPDATE users SET address = NULL WHERE id = 2");
    home.run(&["verify"]).exits(0);
    home.execute("UPDATE _carnet_audit_head SET number = number + 1");
    home.run(&["verify"]).exits(1).says(&["the audit trail is not whole"]);
}

#[test]
fn a_folder_keeps_the_newest_and_nobody_elses_files() {
    let home = filled();
    fs::create_dir(home.path("backups")).unwrap();
    let at = |name: &str| home.path("backups").join(name);
    let (old, older) = ("carnet-20200101T000000Z.db", "carnet-20190101T000000Z.db");
    for name in [old, older, "carnet-20190101T000000Z.db.sha256", "mine.db", "carnet.db"] {
        fs::write(at(name), "x").unwrap();
    }
    home.run(&["backup", "backups", "--keep", "2"]).exits(0).says(&["deleted", older]);
    let mut names: Vec<String> = fs::read_dir(home.path("backups"))
        .unwrap()
        .map(|one| one.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names.len(), 5, "{names:?}");
    assert!(names.contains(&old.to_owned()) && names.contains(&"mine.db".to_owned()), "{names:?}");
    let made =
        names.iter().find(|name| name.starts_with("carnet-20") && *name != old && name.ends_with(".db"));
    home.run(&["verify", at(made.unwrap()).to_str().unwrap()]).exits(0);
    home.run(&["backup", "one.db", "--keep", "2"]).exits(2).says(&["--keep is for a folder"]);
}

#[test]
fn a_backup_that_is_killed_is_not_there_and_the_next_one_is() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    let values: Vec<String> =
        (0..20_000).map(|number| format!("('{number}', '{}')", "x".repeat(100))).collect();
    home.execute(&format!("INSERT INTO users (first_name, last_name) VALUES {}", values.join(", ")));
    let partial = home.path("one.db.partial");
    for part in 0..6_u64 {
        let mut process = Process::start(home.command_here(&["backup", "one.db"]));
        // Killed once so much of it is there, or when it has ended.
        let length = || fs::metadata(&partial).map_or(0, |found| found.len());
        // A moment that is soon over, so the looks follow each other closely.
        while length() <= part * 400_000 && process.wait_for(Duration::from_micros(100)).is_none() {}
        process.kill();
        if home.path("one.db").exists() {
            home.run(&["verify", "one.db"]).exits(0);
            fs::remove_file(home.path("one.db")).unwrap();
        }
    }
    backup(&home, "one.db");
    home.run(&["verify", "one.db"]).exits(0);
    assert!(!partial.exists());
}
