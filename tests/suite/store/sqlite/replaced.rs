//! The files of a store deleted, moved, replaced or cut under a running server: noticed, told, and nothing acknowledged
//! that the next start would not find.

use std::fs;
use std::path::Path;

use dev::configs;
use dev::request::Request;
use dev::waiting::wait_for;

use crate::support::home::Home;
use crate::support::server::Server;
use crate::support::under::Start;

/// What somebody does to a file by hand, and what is said of it.
struct Deed {
    file: &'static str,
    act: fn(&Path),
    said: &'static str,
}

fn delete(path: &Path) {
    fs::remove_file(path).unwrap();
}

fn move_away(path: &Path) {
    fs::rename(path, path.with_extension("elsewhere")).unwrap();
}

/// A copy takes its place: the same bytes, and another file.
fn replace(path: &Path) {
    let copy = path.with_extension("copy");
    fs::copy(path, &copy).unwrap();
    fs::rename(copy, path).unwrap();
}

/// With a commit to lose.
fn cut(path: &Path) {
    assert!(path.metadata().unwrap().len() > 0, "there is nothing to cut");
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(0).unwrap();
}

const DEEDS: [Deed; 8] = [
    Deed { file: "book.db", act: delete, said: "book.db was deleted or moved" },
    Deed { file: "book.db", act: move_away, said: "book.db was deleted or moved" },
    Deed { file: "book.db", act: replace, said: "book.db was replaced by another file" },
    Deed { file: "book.db-wal", act: delete, said: "book.db-wal was deleted or moved" },
    Deed { file: "book.db-wal", act: replace, said: "book.db-wal was replaced by another file" },
    Deed { file: "book.db-wal", act: cut, said: "book.db-wal was cut by another program" },
    Deed { file: "book.db-shm", act: delete, said: "book.db-shm was deleted or moved" },
    Deed { file: "book.db-shm", act: replace, said: "book.db-shm was replaced by another file" },
];

const ADMIN: &str = "the-key-of-the-administrator";

/// A server with a record in its log, to which this is done.
fn serve_and_do(deed: &Deed) -> Server {
    let home = Home::new(&configs::built_in());
    home.add_admin("root", ADMIN);
    let server = home.serve();
    server.create_user("John", "Doe");
    (deed.act)(&home.path(deed.file));
    server
}

#[track_caller]
fn ends_with(mut server: Server, said: &str) {
    assert_eq!(server.wait().code(), Some(1), "{said}");
    let errors = server.stderr();
    let last = errors.lines().last().unwrap_or_default();
    assert!(last.starts_with("carnet: the storage failed") && last.contains(said), "{said}: {errors}");
}

#[test]
fn a_file_that_is_gone_or_another_one_ends_a_server_that_rests() {
    for deed in &DEEDS {
        ends_with(serve_and_do(deed), deed.said);
    }
}

#[test]
fn nothing_is_acknowledged_that_went_into_a_file_which_is_gone() {
    let requests = [
        Request::text(r#"POST /users/ {"first_name":"Jane","last_name":"Doe"}"#),
        Request::text(r#"PUT /users/1/ {"first_name":"Jane"}"#),
        Request::text("DELETE /users/1/"),
        Request::new("POST /_/keys/").header("X-API-Key", ADMIN).json("{}"),
    ];
    for deed in &DEEDS {
        for request in &requests {
            let server = serve_and_do(deed);
            // Or it ended before it could answer.
            if let Ok(answer) = server.client().try_send(request) {
                assert_eq!(answer.status, 503, "{}: {request:?}: {answer:?}", deed.said);
                assert!(answer.error().contains("is unknown"), "{answer:?}");
            }
            ends_with(server, deed.said);
        }
    }
}

#[test]
fn a_database_that_was_moved_away_and_back_has_everything_that_was_acknowledged() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    let ids: Vec<i64> = (0..20).map(|number| server.create_user(&format!("n{number}"), "Doe")).collect();
    let (here, elsewhere) = (home.path("book.db"), home.path("elsewhere.db"));
    fs::rename(&here, &elsewhere).unwrap();
    ends_with(server, "book.db was deleted or moved");
    // A new one in its place would cost what is in the log.
    let log = fs::read(home.path("book.db-wal")).unwrap();
    home.refused_start().exits(1).says(&["book.db is missing, but its log", "put it back"]);
    home.run(&["keys", "create", "me"]).exits(1).says(&["book.db is missing, but its log"]);
    assert!(!here.exists() && fs::read(home.path("book.db-wal")).unwrap() == log);
    fs::rename(&elsewhere, &here).unwrap();
    assert_eq!(home.serve().ids("/users/"), ids);
}

#[test]
fn a_second_server_is_refused_by_whichever_name_and_without_the_lock_file() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_user("John", "Doe");
    fs::hard_link(home.path("book.db"), home.path("hard.db")).unwrap();
    std::os::unix::fs::symlink(home.path("book.db"), home.path("soft.db")).unwrap();
    delete(&home.path("book.db.lock"));
    for name in ["book.db", "hard.db", "soft.db"] {
        let database = format!("sqlite:{name}");
        let serve = ["serve", "--config", "book.toml", "--database", &database, "--listen", "127.0.0.1:0"];
        home.run_bare(&serve).exits(1).says(&[name, "is in use by another carnet server"]);
        let copy = ["copy", "--config", "book.toml", "--from", "sqlite:none.db", "--to", &database];
        home.run_bare(&copy).exits(1);
    }
    server.create_user("Jane", "Doe");
    assert_eq!(server.ids("/users/"), [1, 2]);
    server.stop();
    assert_eq!(home.serve().ids("/users/"), [1, 2]);
}

#[test]
fn commands_work_beside_a_server_by_its_own_name_and_are_refused_by_another() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_user("John", "Doe");
    fs::hard_link(home.path("book.db"), home.path("hard.db")).unwrap();
    std::os::unix::fs::symlink(home.path("book.db"), home.path("soft.db")).unwrap();
    for (number, name) in ["book.db", "soft.db"].iter().enumerate() {
        let database = format!("sqlite:{name}");
        let with = |words: &[&str]| {
            home.run_bare(&[words, &["--config", "book.toml", "--database", &database]].concat()).exits(0)
        };
        with(&["keys", "create", &format!("key{number}")]);
        with(&["keys", "list"]).says(&["key0"]);
        with(&["audit"]).says(&["key0"]);
        with(&["check"]);
        let to = format!("sqlite:copy{number}.db");
        home.run_bare(&["copy", "--config", "book.toml", "--from", &database, "--to", &to]).exits(0);
    }
    // The log is beside the other name: what the server has written would not be seen, nor the other way round.
    for words in [&["keys", "create", "me"][..], &["keys", "list"], &["audit"], &["check"]] {
        let words = [words, &["--config", "book.toml", "--database", "sqlite:hard.db"]].concat();
        home.run_bare(&words).exits(1).says(&["hard.db is in use by a carnet server under another name"]);
    }
    let copy = ["copy", "--config", "book.toml", "--from", "sqlite:hard.db", "--to", "sqlite:copy.db"];
    home.run_bare(&copy).exits(1).says(&["under another name"]);
    // None of them has cost SQLite its locks.
    server.create_user("Jane", "Doe");
    assert_eq!(server.ids("/users/"), [1, 2]);
    server.stop().is_sound();
    home.run_bare(&["keys", "list", "--config", "book.toml", "--database", "sqlite:hard.db"]).exits(0);
}

/// Counted for each thread: the one that looks at the file reads a few pages at each look.
#[test]
fn readiness_says_when_reads_fail_and_when_they_do_no_longer() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    let Start::Serves(server) = home.serve_on_a_failing_disk("read,pread64", "error=EIO:when=60..68") else {
        panic!("it does not start");
    };
    let mut client = server.client();
    let mut becomes = |status: u16| {
        wait_for(|| {
            let answer = client.ask("GET /readyz");
            assert_eq!(client.ask("GET /livez").status, 200);
            if answer.status == status { Ok(answer) } else { Err(format!("not {status}: {answer:?}")) }
        })
    };
    becomes(200);
    let answer = becomes(503);
    assert!(answer.error().starts_with("The server is not ready: the file cannot be read"), "{answer:?}");
    assert_eq!(answer.header("Retry-After"), Some("1"));
    becomes(200);
    assert_eq!(server.stderr().matches("the file cannot be read").count(), 1, "said once");
}
