//! What only SQLite leaves open, and carnet does not: types, ids that are used again, bytes that are no text, and what
//! becomes of other tools' things where a table is built anew.

use dev::configs;

use crate::support::home::Home;
use crate::support::server::Server;

#[test]
fn tables_are_strict_and_ids_are_autoincrement() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    assert_eq!(
        home.query(
            "SELECT name FROM pragma_table_list WHERE name IN ('users', 'address') AND strict ORDER BY name"
        ),
        ["address", "users"]
    );
    let sql =
        home.query("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name IN ('users', 'address')");
    assert!(sql.iter().all(|sql| sql.to_uppercase().contains("AUTOINCREMENT")), "{sql:?}");
}

/// JSON cannot say such bytes; what a filter finds must still not depend on what happened before.
#[test]
fn bytes_that_are_no_text_are_found_alike_before_and_after_a_restart() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute(
        "INSERT INTO users (first_name, last_name) VALUES (CAST(x'ff' AS TEXT), 'Doe'), ('n', 'Doe')",
    );
    let lists =
        ["first_name=%EF%BF%BD", "first_name=%EF%BF%BD&last_name=Roe", "last_name=Roe", "last_name=Doe"];
    let server = home.serve();
    let found = |server: &Server| lists.map(|list| server.ids(&format!("/users/?{list}")));
    found(&server);
    assert_eq!(server.status(r#"PUT /users/1/ {"last_name":"Roe"}"#), 200);
    let before = found(&server);
    assert_eq!(found(&server.stop().serve()), before);
}

/// Users with a field of these keys, and what belongs to them.
fn with_key(keys: &str) -> String {
    format!(
        "[[collection]]\nname = \"users\"\n[collection.fields]\nk = {{ type = \"string\"{keys} }}\n\
         [[collection]]\nname = \"pets\"\n[collection.fields]\n\
         owner = {{ type = \"integer\", references = \"users\", on_delete = \"cascade\" }}\n"
    )
}

const CHOICES: &str = ", choices = [\"a\", \"b\"]";

#[test]
fn a_table_that_others_mention_is_built_anew_under_them() {
    let home = Home::new(&with_key(""));
    home.serve().stop();
    home.execute(
        "INSERT INTO users (k) VALUES ('a'), ('b'); INSERT INTO pets (owner) VALUES (1), (2);
         CREATE VIEW seen AS SELECT k FROM users; CREATE VIEW lost AS SELECT k FROM nowhere;
         CREATE TABLE _log (said TEXT, user INTEGER REFERENCES users (id));
         INSERT INTO _log VALUES ('first', 1);
         CREATE TRIGGER another AFTER INSERT ON _log BEGIN INSERT INTO users (k) VALUES (new.said); END",
    );
    let views = "SELECT sql FROM sqlite_schema WHERE name IN ('seen', 'lost', 'another', '_log', 'pets')";
    let before = home.query(views);
    for keys in [CHOICES, ", required = true", ", default = \"a\"", ", max_length = 3", ""] {
        home.configure(&with_key(keys));
        home.serve().stop();
        assert_eq!(home.query(views), before, "{keys}");
        assert_eq!(home.query("SELECT k FROM seen"), ["a", "b"], "{keys}");
        home.is_sound();
    }
    home.execute("INSERT INTO _log (said) VALUES ('b')");
    home.cannot_execute("INSERT INTO _log (user) VALUES (99)");
    let server = home.serve();
    assert_eq!(server.ids("/users/"), [1, 2, 3]);
    assert_eq!(server.status("DELETE /users/2/"), 200);
    assert_eq!(server.ids("/pets/"), [1]);
}

#[test]
fn indexes_and_triggers_of_other_tools_are_made_again_with_the_table() {
    let home = Home::new(&with_key(""));
    home.serve().stop();
    home.execute(
        "INSERT INTO users (k) VALUES ('a'), ('b'); CREATE TABLE _log (said TEXT);
         CREATE INDEX mine ON users (k, id DESC); CREATE UNIQUE INDEX \"no two\" ON Users (lower(k)) WHERE k <> '';
         CREATE TRIGGER told AFTER UPDATE OF k ON USERS BEGIN INSERT INTO _log VALUES (new.k); END",
    );
    let theirs = "SELECT sql FROM sqlite_schema WHERE name IN ('mine', 'no two', 'told') ORDER BY name";
    let before = home.query(theirs);
    assert_eq!(before.len(), 3);
    for keys in [CHOICES, ""] {
        home.configure(&with_key(keys));
        home.serve().stop();
        assert_eq!(home.query(theirs), before, "{keys}");
        home.is_sound();
    }
    home.cannot_execute("INSERT INTO users (k) VALUES ('A')");
    let server = home.serve();
    server.wait_for_error("the trigger told on USERS");
    assert_eq!(server.status(r#"PUT /users/1/ {"k":"c"}"#), 200);
    assert_eq!(home.query("SELECT said FROM _log"), ["c"]);
    server.stop();
    home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
}

#[test]
fn columns_of_other_tools_outlive_a_table_that_is_built_anew() {
    let home = Home::new(&with_key(""));
    home.serve().stop();
    home.execute(
        "ALTER TABLE users ADD COLUMN _note TEXT; ALTER TABLE users ADD COLUMN _rank INTEGER NOT NULL DEFAULT 7;
         ALTER TABLE users ADD COLUMN \"_it's\" TEXT DEFAULT 'a''b'; CREATE INDEX mine ON users (_rank);
         INSERT INTO users (k, _note, _rank) VALUES ('a', 'kept', 8), ('b', NULL, 9)",
    );
    let theirs = "SELECT k || coalesce(_note, '-') || _rank || \"_it's\" FROM users ORDER BY id";
    for keys in [CHOICES, ""] {
        home.configure(&with_key(keys));
        home.serve().stop();
        assert_eq!(home.query(theirs), ["akept8a'b", "b-9a'b"], "{keys}");
        home.is_sound();
    }
    let server = home.serve();
    assert_eq!(server.status(r#"POST /users/ {"k":"c"}"#), 201);
    server.stop();
    assert_eq!(home.query(theirs)[2], "c-7a'b");
    assert_eq!(home.query("SELECT name FROM sqlite_schema WHERE name = 'mine'"), ["mine"]);
    home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
}

/// The new table has no column that is computed.
#[test]
fn what_cannot_be_made_again_is_told_with_its_text() {
    let home = Home::new(&with_key(""));
    home.serve().stop();
    let theirs = [
        ("the index mine on users", "CREATE INDEX mine ON users (_note)"),
        (
            "the trigger told on users",
            "CREATE TRIGGER told AFTER INSERT ON users BEGIN SELECT new._note; END",
        ),
    ];
    home.execute("ALTER TABLE users ADD COLUMN _note TEXT AS (k || k)");
    theirs.iter().for_each(|(_, made)| home.execute(made));
    home.configure(&with_key(CHOICES));
    let server = home.serve();
    for (what, made) in theirs {
        let (at, text) = (format!("{what} could not be made again"), format!("it was: {made}"));
        server.wait_for_error(&at);
        let said = server.stderr();
        assert!(said.lines().any(|line| line.contains(&at) && line.contains(&text)), "{said}");
    }
    assert_eq!(server.create("/users/", r#"{"k":"a"}"#), 1);
}

/// Tables of before say less about days, and older versions of SQLite take what they say for less still.
#[test]
fn days_are_counted_in_new_tables_and_in_those_that_are_built_anew() {
    let home = Home::new(&configs::dates());
    home.serve().stop();
    home.cannot_execute("INSERT INTO events (name, born) VALUES ('a', '0300-02-29')");
    home.cannot_execute("INSERT INTO events (name, met) VALUES ('a', '2020-01-01T24:00:00.000000Z')");
    let made = || home.query("SELECT sql FROM sqlite_schema WHERE name = 'events'").remove(0);
    let new = made();
    let counted =
        |day: &str| format!(" AND julianday({day}) < julianday(substr({day}, 1, 8) || '01', '+1 month')");
    let mut old = new.clone();
    for column in ["born", "met", "day", "at"] {
        let column = format!("\"{column}\"");
        old = old.replace(&counted(&column), "").replace(&counted(&format!("substr({column}, 1, 10)")), "");
        old = old.replace(&format!(" AND substr({column}, 12, 2) < '24'"), "");
    }
    assert!(!old.contains("julianday") && !old.contains("'24'"), "{old}");
    home.execute(&format!(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '{}' WHERE name = 'events'",
        old.replace('\'', "''")
    ));
    home.run(&["check"]).exits(0).says(&["a start would change nothing"]);
    home.execute(
        "PRAGMA ignore_check_constraints = ON;
         INSERT INTO events (name, born) VALUES ('a', '2023-04-30'), ('b', '2023-04-31')",
    );
    home.serve().stop();
    assert_eq!(made(), old);
    home.configure(
        &configs::dates().replace("name = { type = \"string\"", "name = { type = \"string\", max_length = 9"),
    );
    let words =
        "the field born of events holds values that are no date (records 2). Remedy: correct those records";
    home.run(&["check"]).exits(2).says(&[words]);
    home.refused_start().exits(2).says(&[words]);
    home.execute("DELETE FROM events WHERE id = 2");
    home.serve().stop();
    home.configure(&configs::dates());
    home.serve().stop();
    assert_eq!(made(), new);
}
