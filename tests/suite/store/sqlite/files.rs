//! The store as a file: where it may be, what may be in it, and that it has one server at a time.

use dev::configs;

use crate::support::home::Home;
use crate::support::server::Server;

#[test]
fn a_second_server_on_the_same_file_is_refused_with_a_sentence() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_user("John", "Doe");
    let refused = home.refused_start().exits(1);
    assert!(refused.stdout.is_empty(), "{refused:?}");
    assert!(refused.stderr.contains("book.db"), "it names the file: {refused:?}");
    assert_eq!(server.ids("/users/"), [1]);
    server.create_user("Jane", "Doe");
    server.stop();
    assert_eq!(home.serve().ids("/users/"), [1, 2]);
}

#[test]
fn a_file_that_is_no_database_is_refused_untouched() {
    let home = Home::new(&configs::built_in());
    let text = "This is a letter, not a database. ".repeat(500);
    std::fs::write(home.database_file(), &text).unwrap();
    home.refused_start().exits(1);
    assert_eq!(std::fs::read_to_string(home.database_file()).unwrap(), text);
}

#[test]
fn a_database_of_another_program_is_refused_untouched() {
    for statements in [
        "CREATE TABLE songs (title)",
        "CREATE TABLE users (id INTEGER PRIMARY KEY, first_name TEXT)",
        "CREATE TABLE songs (title); PRAGMA user_version = 7",
        "PRAGMA application_id = 7",
    ] {
        let home = Home::new(&configs::built_in());
        rusqlite::Connection::open(home.database_file()).unwrap().execute_batch(statements).unwrap();
        let before = std::fs::read(home.database_file()).unwrap();
        home.refused_start().exits(1).says(&["is not a carnet database"]);
        home.run(&["check"]).exits(1).says(&["is not a carnet database"]);
        assert!(std::fs::read(home.database_file()).unwrap() == before, "{statements}");
    }
}

/// A dump has the tables and not the mark of the file.
#[test]
fn a_store_that_was_restored_from_a_dump_is_one() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_user("John", "Doe");
    server.stop();
    home.execute("PRAGMA application_id = 0");
    assert_eq!(home.serve().ids("/users/"), [1]);
}

/// The names of all files in the folder of a test.
fn names(home: &Home) -> Vec<String> {
    let entries = std::fs::read_dir(home.folder()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn commands_that_only_read_leave_the_files_as_they_are() {
    const READING: [&[&str]; 5] =
        [&["check"], &["keys", "list"], &["audit"], &["audit", "--verify"], &["openapi"]];
    let home = Home::new(&configs::built_in());
    home.add_key("alice", "the-key-of-alice-to-read");
    let mut server = Some(home.serve());
    // After a clean stop, and with what a crash leaves.
    for is_clean in [true, false] {
        let ended = server.take().unwrap();
        ended.create_user("John", if is_clean { "Doe" } else { "Roe" });
        if is_clean {
            ended.stop()
        } else {
            ended.kill()
        };
        let (files, bytes) = (names(&home), home.stored_bytes());
        for arguments in READING {
            home.run(arguments).exits(0);
            assert_eq!(names(&home), files, "{arguments:?}");
            assert!(home.stored_bytes() == bytes, "{arguments:?}");
        }
        home.run(&["keys", "list"]).exits(0).says(&["alice"]);
        server = Some(home.serve());
        assert_eq!(server.as_ref().unwrap().ids("/users/").len(), if is_clean { 1 } else { 2 });
    }
}

/// A file that was made before some of our tables were thought of, or is still empty, has no keys and no trail.
#[test]
fn keys_and_trail_of_an_older_file_are_read_without_changing_it() {
    let home = Home::new(&configs::built_in());
    std::fs::write(home.database_file(), "").unwrap();
    home.run(&["keys", "list"]).exits(0);
    home.run(&["audit"]).exits(0);
    assert!(home.stored_bytes().is_empty());
    home.add_key("alice", "the-key-of-alice-to-read");
    home.execute(
        "DROP TABLE _carnet_audit; DROP TABLE _carnet_audit_head; DROP TABLE _carnet_key_uses;
         ALTER TABLE _carnet_keys DROP COLUMN first_hash",
    );
    let bytes = home.stored_bytes();
    home.run(&["keys", "list"]).exits(0).says(&["alice"]);
    home.run(&["audit", "--verify"]).exits(0);
    assert!(home.stored_bytes() == bytes);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_with_what_to_do() {
    let denied = |home: &Home, file: &str, error: &str, arguments: &[&str]| {
        let (file, inject) = (home.path(file).display().to_string(), format!("inject=openat:error={error}"));
        let words = [
            "strace",
            "-D",
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-P",
            &file,
            "-e",
            "trace=openat",
            "-e",
            &inject,
        ];
        home.run_under(&words, arguments)
    };
    for error in ["EACCES", "EROFS"] {
        for file in ["book.db", "book.db.lock"] {
            let home = Home::new(&configs::built_in());
            let refused = denied(&home, file, error, &["serve", "--listen", "127.0.0.1:0"]).exits(1);
            let folder =
                format!("make files in {}, or choose another place with --database", home.folder().display());
            refused.says(&[&format!("{file} cannot be opened"), &folder]);
        }
        let home = Home::new(&configs::built_in());
        denied(&home, "book.db", error, &["keys", "create"]).exits(1).says(&["make files in", "--database"]);
    }
}

#[test]
fn a_store_that_is_a_folder_is_refused() {
    let home = Home::new(&configs::built_in());
    std::fs::create_dir(home.database_file()).unwrap();
    let file = format!("--database sqlite:{}", home.path("book.db/carnet.db").display());
    home.refused_start().exits(1).says(&["is a folder", &file]);
    home.run(&["keys", "create"]).exits(1).says(&["is a folder", &file]);
    assert!(!home.path("book.db.lock").exists());
}

#[test]
fn a_store_in_a_folder_that_does_not_exist_is_refused() {
    let home = Home::new(&configs::built_in());
    let database = format!("sqlite:{}", home.path("no/such/folder/book.db").display());
    let config = home.path("book.toml").display().to_string();
    let arguments = ["serve", "--config", &config, "--database", &database, "--listen", "127.0.0.1:0"];
    home.run_bare(&arguments).exits(1).says(&["no/such/folder"]);
}

#[test]
fn a_relative_sqlite_path_is_relative_to_the_working_directory() {
    let home = Home::new(&configs::built_in());
    let command = home.command(&[
        "serve",
        "--config",
        "book.toml",
        "--database",
        "sqlite:here.db",
        "--listen",
        "127.0.0.1:0",
    ]);
    Server::launch(&home, command).stop();
    assert!(home.path("here.db").exists());
}

#[test]
fn the_file_is_in_wal_mode_and_a_clean_stop_leaves_nothing_beside_it() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    let wal = home.path("book.db-wal");
    assert!(!wal.exists() || wal.metadata().unwrap().len() == 0);
    assert_eq!(home.query("PRAGMA journal_mode"), ["wal"]);
    home.is_sound();
}
