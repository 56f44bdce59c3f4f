//! Triggers and clauses of another tool: what they do is answered as it is, what they refuse is refused alone, and
//! lists, totals and fetches are what the database has, whatever was in memory before.

use std::sync::Arc;

use dev::configs;
use dev::request::Request;
use serde_json::Value;

use crate::support::exchange::id_of;
use crate::support::home::Home;
use crate::support::server::Server;

fn create(server: &Server, name: &str) -> i64 {
    server.create("/users/", &format!(r#"{{"first_name":"{name}","last_name":"Doe","address":1}}"#))
}

/// A server with two addresses, and a table of another tool.
fn serve(config: &str) -> (Arc<Home>, Server) {
    let home = Home::new(config);
    let server = home.serve();
    home.execute("CREATE TABLE _log (said TEXT)");
    server.create_address();
    server.create_address();
    (home, server)
}

/// Panics unless every list, total and fetch is what the database has.
#[track_caller]
fn agrees(home: &Home, server: &Server, when: &str) {
    // The first round may ask the database, the second one finds all of it in memory.
    for _ in 0..2 {
        for (table, field) in [("users", "last_name"), ("address", "street")] {
            let stored = home.query(&format!("SELECT id || ' ' || {field} FROM {table} ORDER BY id"));
            let line = |record: &Value| format!("{} {}", id_of(record), record[field].as_str().unwrap());
            let walked = server.walk(&format!("/{table}/"));
            assert_eq!(walked.iter().map(line).collect::<Vec<_>>(), stored, "{when}: {table}");
            assert_eq!(server.total(&format!("/{table}/")), stored.len() as i64, "{when}: {table}");
            for record in &walked {
                assert_eq!(&server.ask(&format!("GET /{table}/{}/", id_of(record))).json(), record, "{when}");
            }
        }
        for family in ["Doe", "Roe", "foreign"] {
            let count = home.query(&format!("SELECT count(*) FROM users WHERE last_name = '{family}'"));
            assert_eq!(count, [server.total(&format!("/users/?last_name={family}")).to_string()], "{when}");
        }
    }
}

/// Sends users with these bodies so that all of them wait for the same commit, and gives the statuses.
fn create_together(home: &Home, server: &Server, bodies: &[String]) -> Vec<u16> {
    let mut clients: Vec<_> = bodies.iter().map(|_| server.client()).collect();
    home.hold_writers(|| {
        for (client, body) in clients.iter_mut().zip(bodies) {
            let request = Request::new("POST /users/").json(body.as_str());
            client.write(&request.bytes(&server.address().to_string())).unwrap();
        }
        server.wait_for_requests(bodies.len());
    });
    clients.iter_mut().map(|client| client.read("POST").unwrap().status).collect()
}

/// What a trigger may do, and whether the write is then done, before and after its row is changed. `OTHER` is a record
/// that nobody writes to.
const ACTIONS: [(&str, [bool; 2]); 11] = [
    ("INSERT INTO users (first_name, last_name) VALUES ('t', 'foreign')", [true, true]),
    ("DELETE FROM users WHERE id = OTHER", [true, true]),
    ("UPDATE users SET last_name = 'foreign' WHERE id = OTHER", [true, true]),
    ("UPDATE users SET last_name = 'foreign'", [true, true]),
    ("UPDATE address SET street = 'foreign'", [true, true]),
    ("INSERT INTO _log VALUES ('something')", [true, true]),
    ("INSERT INTO _log VALUES ('left'); SELECT RAISE(IGNORE)", [false, true]),
    ("DELETE FROM users WHERE id = OTHER; SELECT RAISE(IGNORE)", [false, true]),
    ("INSERT INTO _log VALUES ('left'); SELECT RAISE(ABORT, 'said')", [false, false]),
    ("INSERT INTO _log VALUES ('left'); SELECT RAISE(FAIL, 'said')", [false, false]),
    ("INSERT INTO _log VALUES ('left'); SELECT RAISE(ROLLBACK, 'said')", [false, false]),
];

#[test]
fn whatever_a_trigger_does_answers_are_what_the_database_has() {
    let (home, server) = serve(&configs::long_pages());
    for event in ["INSERT", "UPDATE", "DELETE"] {
        for (place, timing) in ["BEFORE", "AFTER"].into_iter().enumerate() {
            for (does, is_done) in ACTIONS {
                let when = format!("{timing} {event} {does}");
                home.execute("DELETE FROM _log");
                let (own, other) = (create(&server, "own"), create(&server, "other"));
                agrees(&home, &server, "before");
                let before = server.contents();
                let row = if event == "DELETE" { "old" } else { "new" };
                home.execute(&format!(
                    "CREATE TRIGGER another {timing} {event} ON users WHEN {row}.first_name <> 't' BEGIN {}; END",
                    does.replace("OTHER", &other.to_string())
                ));
                let answer = server.ask(&match event {
                    "INSERT" => r#"POST /users/ {"first_name":"new","last_name":"Roe"}"#.to_owned(),
                    "UPDATE" => format!(r#"PUT /users/{own}/ {{"last_name":"Roe"}}"#),
                    _ => format!("DELETE /users/{own}/"),
                });
                home.execute("DROP TRIGGER another");
                let done = if event == "INSERT" { 201 } else { 200 };
                let expected = if is_done[place] { done } else { 409 };
                assert_eq!(answer.status, expected, "{when}: {answer:?}");
                if event == "UPDATE" && is_done[place] {
                    let stored = home.query(&format!("SELECT last_name FROM users WHERE id = {own}"));
                    assert_eq!(stored, [answer.json()["last_name"].as_str().unwrap()], "{when}");
                }
                if !is_done[place] {
                    assert_eq!(server.contents(), before, "{when}");
                    assert_eq!(home.query("SELECT said FROM _log"), Vec::<String>::new(), "{when}");
                }
                agrees(&home, &server, &when);
                for id in server.ids("/users/") {
                    assert_eq!(server.status(&format!("DELETE /users/{id}/")), 200);
                }
            }
        }
    }
    assert!(!server.stderr().contains("store_broken"), "{}", server.stderr());
    server.stop().is_sound();
}

#[test]
fn a_write_that_a_trigger_undoes_behind_it_is_refused() {
    let (home, server) = serve(&configs::long_pages());
    let id = create(&server, "own");
    for (trigger, request) in [
        (
            "AFTER INSERT ON users BEGIN DELETE FROM users WHERE id = new.id; END",
            r#"POST /users/ {"first_name":"new","last_name":"Roe"}"#.to_owned(),
        ),
        (
            "AFTER UPDATE ON users BEGIN DELETE FROM users WHERE id = new.id; END",
            format!(r#"PUT /users/{id}/ {{"last_name":"Roe"}}"#),
        ),
        (
            "AFTER DELETE ON users BEGIN INSERT INTO users (id, first_name, last_name)
             VALUES (old.id, 'back', 'again'); END",
            format!("DELETE /users/{id}/"),
        ),
    ] {
        let before = server.contents();
        home.execute(&format!("CREATE TRIGGER another {trigger}"));
        let answer = server.ask(&request);
        assert_eq!(answer.status, 409, "{trigger}: {answer:?}");
        assert!(answer.error().ends_with("a trigger undoes it"), "{answer:?}");
        home.execute("DROP TRIGGER another");
        assert_eq!(server.contents(), before, "{trigger}");
        agrees(&home, &server, trigger);
    }
}

#[test]
fn of_many_at_once_exactly_those_are_refused_that_a_trigger_refuses() {
    for raise in ["IGNORE", "ABORT, 'said'", "FAIL, 'said'", "ROLLBACK, 'said'"] {
        let (home, server) = serve(&configs::long_pages());
        home.execute(&format!(
            "CREATE TRIGGER another BEFORE INSERT ON users WHEN new.last_name = 'bad'
             BEGIN UPDATE address SET street = street || '.'; SELECT RAISE({raise}); END"
        ));
        let before = server.contents().0;
        for _ in 0..3 {
            let bodies: Vec<String> = (0..8)
                .map(|at| if at % 4 == 0 { "bad" } else { "Doe" })
                .map(|family| format!(r#"{{"first_name":"n","last_name":"{family}"}}"#))
                .collect();
            let statuses = create_together(&home, &server, &bodies);
            assert_eq!(statuses, [409, 201, 201, 201, 409, 201, 201, 201], "{raise}");
        }
        assert_eq!((server.total("/users/"), server.contents().0), (18, before), "{raise}");
        agrees(&home, &server, raise);
        server.stop().is_sound();
    }
}

#[test]
fn a_trigger_on_what_a_delete_brings_along_refuses_or_adds_to_it_as_a_whole() {
    for (rule, event) in [("cascade", "DELETE"), ("set_null", "UPDATE")] {
        for (does, status) in [
            ("SELECT RAISE(IGNORE)", 409),
            ("SELECT RAISE(ABORT, 'said')", 409),
            ("SELECT RAISE(ROLLBACK, 'said')", 409),
            ("INSERT INTO _log VALUES ('something')", 200),
            ("UPDATE users SET last_name = 'foreign' WHERE address = 2", 200),
        ] {
            let when = format!("{rule} {does}");
            let (home, server) = serve(&configs::on_delete(rule));
            (0..3).for_each(|_| _ = create(&server, "own"));
            server.create("/users/", r#"{"first_name":"other","last_name":"Doe","address":2}"#);
            agrees(&home, &server, "before");
            let before = server.contents();
            home.execute(&format!(
                "CREATE TRIGGER another BEFORE {event} ON users WHEN old.id = 2 BEGIN {does}; END"
            ));
            assert_eq!(server.status("DELETE /address/1/"), status, "{when}");
            if status == 409 {
                assert_eq!(server.contents(), before, "{when}");
            }
            agrees(&home, &server, &when);
            server.stop().is_sound();
        }
    }
}

/// Clauses that do something else than refuse, in a table that another tool has made.
#[test]
fn a_clause_of_another_tool_is_answered_as_it_is() {
    for (column, clause, status, left) in [
        ("last_name", "TEXT NOT NULL UNIQUE ON CONFLICT REPLACE", 201, vec![2, 3]),
        ("last_name", "TEXT NOT NULL UNIQUE ON CONFLICT IGNORE", 409, vec![1, 2]),
        ("last_name", "TEXT NOT NULL UNIQUE ON CONFLICT ROLLBACK", 409, vec![1, 2]),
        ("last_name", "TEXT NOT NULL UNIQUE ON CONFLICT FAIL", 409, vec![1, 2]),
    ] {
        let home = Home::new(&configs::long_pages());
        home.serve().stop();
        let made = home.query("SELECT sql FROM sqlite_schema WHERE name = 'users'").remove(0);
        let plain = format!("\"{column}\" TEXT NOT NULL");
        assert!(made.contains(&plain), "{made}");
        let made = made.replace(&plain, &format!("\"{column}\" {clause}"));
        home.execute(&format!("DROP TABLE users; {made}"));
        let server = home.serve();
        server.create_address();
        create(&server, "one");
        server.create("/users/", r#"{"first_name":"two","last_name":"Roe"}"#);
        agrees(&home, &server, clause);
        let answer = server.ask(r#"POST /users/ {"first_name":"new","last_name":"Doe"}"#);
        assert_eq!(answer.status, status, "{clause}: {answer:?}");
        assert_eq!(server.ids("/users/"), left, "{clause}");
        agrees(&home, &server, clause);
        assert!(!server.stderr().contains("store_broken"), "{}", server.stderr());
    }
}

/// A reference that is judged at the commit only.
#[test]
fn a_reference_that_is_judged_late_refuses_its_own_write_and_no_other() {
    let home = Home::new(&configs::long_pages());
    home.serve().stop();
    let made = home.query("SELECT sql FROM sqlite_schema WHERE name = 'users'").remove(0);
    let rule = "ON DELETE RESTRICT";
    assert!(made.contains(rule), "{made}");
    home.execute(&format!(
        "DROP TABLE users; {}",
        made.replace(rule, &format!("{rule} DEFERRABLE INITIALLY DEFERRED"))
    ));
    let server = home.serve();
    server.create_address();
    let bodies = [99, 1, 1, 1, 99, 1, 1, 1]
        .map(|address| format!(r#"{{"first_name":"n","last_name":"Doe","address":{address}}}"#));
    assert_eq!(create_together(&home, &server, &bodies), [409, 201, 201, 201, 409, 201, 201, 201]);
    agrees(&home, &server, "judged late");
}

/// A write that cannot begin has seen the new version of the file, and not what is new in it.
#[test]
fn a_trigger_that_comes_while_a_write_waits_in_vain_is_noticed() {
    let (home, server) = serve(&configs::built_in());
    create(&server, "first");
    agrees(&home, &server, "before");
    home.execute(
        "CREATE TRIGGER other AFTER INSERT ON users BEGIN UPDATE users SET last_name = 'foreign'; END",
    );
    home.hold_writers(|| {
        let answer = server.ask(r#"POST /users/ {"first_name":"second","last_name":"Doe"}"#);
        assert_eq!(answer.status, 503, "{answer:?}");
    });
    create(&server, "third");
    agrees(&home, &server, "afterwards");
}
