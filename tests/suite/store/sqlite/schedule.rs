//! `[backup]`: backups that a server makes by itself, when the newest is old enough, and whatever becomes of the folder.

use std::fs;
use std::sync::Arc;

use dev::configs;
use dev::waiting::wait_until;

use crate::support::home::Home;
use crate::support::server::Server;

const DAY: i64 = 86_400;
const FAILURES: &str = "carnet_backup_failures_total";
const TIMESTAMP: &str = "carnet_backup_timestamp_seconds";

fn home(folder: &str, every: &str, keep: usize) -> Arc<Home> {
    let table = format!("[backup]\nfolder = {folder:?}\nevery = {every:?}\nkeep = {keep}\n\n");
    Home::new(&(table + &configs::built_in()))
}

/// What is in the folder, by name.
fn found(home: &Home, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(home.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The backups among them.
fn backups(home: &Home, folder: &str) -> Vec<String> {
    found(home, folder).into_iter().filter(|name| name.ends_with(".db")).collect()
}

/// Waits until so many backups were made.
#[track_caller]
fn wait_for_backups(server: &Server, count: usize) {
    wait_until("no backup is made", || server.stderr().matches("backup_done").count() >= count);
}

#[test]
fn backups_are_made_one_after_another_and_the_oldest_go() {
    let home = home("backups", "1s", 2);
    fs::create_dir(home.path("backups")).unwrap();
    fs::write(home.path("backups/notes.db"), "mine").unwrap();
    // Left behind by one that was killed before its name, and by one that was killed after it.
    for left in ["20200101T000000Z.db.partial", "20200101T000000Z.db.sha256", "20200202T000000Z.db.partial"] {
        fs::write(home.path(&format!("backups/carnet-{left}")), "").unwrap();
    }
    let server = home.serve();
    server.create_user("John", "Doe");
    wait_for_backups(&server, 4);
    assert_eq!(server.metric(FAILURES), 0);
    assert!(server.stderr().contains(r#""event":"backup_done","message":"backed up to backups/carnet-2"#));
    server.stop();
    let kept = backups(&home, "backups");
    let ours: Vec<&String> = kept.iter().filter(|name| *name != "notes.db").collect();
    // A stop may have come before the third was taken away.
    assert!((2..=3).contains(&ours.len()) && ours.len() < kept.len(), "{kept:?}");
    for name in &ours {
        let verified = home.run(&["verify", &format!("backups/{name}")]).exits(0);
        let sum = home.path(&format!("backups/{name}.sha256"));
        assert!(sum.exists() && verified.stdout.contains("users"), "{verified:?}");
    }
    assert_eq!(fs::read(home.path("backups/notes.db")).unwrap(), b"mine");
    let all = found(&home, "backups");
    assert!(all.iter().all(|name| !name.contains("carnet-2020") && !name.ends_with("partial")), "{all:?}");
}

#[test]
fn a_backup_is_due_when_the_newest_is_a_day_old_whoever_made_it() {
    let home = home("backups", "24h", 14);
    home.serve().stop();
    fs::create_dir(home.path("backups")).unwrap();
    home.run(&["backup", "backups"]).exits(0);
    let by_hand = backups(&home, "backups");
    // From a time when the clock was wrong.
    fs::write(home.path("backups/carnet-99990101T000000Z.db"), "").unwrap();
    let (server, clock) = home.serve_by_clock(0);
    wait_until("the folder is not looked at", || server.metric(TIMESTAMP) > 0);
    let first = server.metric(TIMESTAMP);
    clock.set(DAY + 1);
    wait_for_backups(&server, 1);
    wait_until("the metric stays", || server.metric(TIMESTAMP) > first);
    assert!(server.metric(TIMESTAMP) - first > DAY.unsigned_abs());
    server.stop();
    let now = backups(&home, "backups");
    assert_eq!((now.len(), &now[..1]), (3, &by_hand[..]), "{now:?}");
}

#[test]
fn a_folder_that_takes_no_backup_is_told_and_counted_and_the_server_serves_on() {
    let home = home("backups", "1s", 1);
    let server = home.serve();
    server.wait_for_error("backup_failed");
    wait_until("it is not tried again", || server.metric(FAILURES) > 1);
    assert_eq!(server.metric(TIMESTAMP), 0);
    server.create_user("John", "Doe");
    // A file is no folder either.
    fs::write(home.path("backups"), "").unwrap();
    let failures = server.metric(FAILURES);
    wait_until("it is not tried again", || server.metric(FAILURES) > failures + 1);
    fs::remove_file(home.path("backups")).unwrap();
    fs::create_dir(home.path("backups")).unwrap();
    wait_for_backups(&server, 1);
    wait_until("the metric stays", || server.metric(TIMESTAMP) > 0);
    server.stop();
}

#[test]
fn nothing_is_left_of_a_backup_that_the_disk_has_no_room_for() {
    let home = home("backups", "1s", 5);
    fs::create_dir(home.path("backups")).unwrap();
    let calls = "linkat,rename";
    let (trace, inject) = (format!("trace={calls}"), format!("inject={calls}:error=ENOSPC"));
    let server =
        home.serve_under(&["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject]);
    wait_until("it does not fail", || server.metric(FAILURES) > 1);
    server.create_user("John", "Doe");
    server.wait_for_error("No space left on device");
    server.stop();
    assert_eq!(found(&home, "backups"), Vec::<String>::new());
}

#[test]
fn a_stop_while_a_backup_is_made_leaves_no_half_of_one() {
    let home = home("backups", "1h", 5);
    home.serve().stop();
    home.execute(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
         INSERT INTO users (first_name, last_name) SELECT hex(zeroblob(200000)), 'Doe' FROM n",
    );
    fs::create_dir(home.path("backups")).unwrap();
    let server = home.serve();
    wait_until("no backup is begun", || !found(&home, "backups").is_empty());
    server.stop();
    for name in backups(&home, "backups") {
        home.run(&["verify", &format!("backups/{name}")]).exits(0);
        fs::remove_file(home.path(&format!("backups/{name}"))).unwrap();
    }
    let server = home.serve();
    wait_for_backups(&server, 1);
    server.stop();
    let all = found(&home, "backups");
    assert!(all.iter().all(|name| !name.ends_with("partial")), "{all:?}");
}
