//! The first answers after a start: right at once, whatever was written while nobody served.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dev::client::Client;
use dev::configs;

use crate::support::exchange::id_of;
use crate::support::home::Home;

/// So many that the sets are still being read when the first requests come.
const USERS: i64 = 60_000;

fn fill(home: &Home, from: i64, to: i64) {
    home.execute(&format!(
        "WITH RECURSIVE n (i) AS (SELECT {from} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {to})
         INSERT INTO users (first_name, last_name) SELECT 'n' || (i % 1000), 'L' || (i % 3) FROM n"
    ));
}

fn filled() -> Arc<Home> {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    fill(&home, 0, USERS);
    home
}

#[track_caller]
fn total(client: &mut Client, list: &str) -> i64 {
    client.ask(&format!("GET {list}")).json()["meta"]["total_count"].as_i64().unwrap()
}

/// Totals, pages and filters, each as the first request of its kind and again.
#[track_caller]
fn shows(client: &mut Client, users: i64) {
    for _ in 0..3 {
        assert_eq!(total(client, "/users/"), users);
        assert_eq!(total(client, "/users/?last_name=L2"), users / 3);
        assert_eq!(total(client, "/users/?first_name=n7"), users / 1_000);
        assert_eq!(total(client, "/users/?last_name=L1&first_name=n7"), users / 3_000);
        assert_eq!(total(client, "/users/?address="), users);
        let last = client.ask(&format!("GET /users/?offset={}", users - 1)).json();
        assert_eq!(last["object_list"].as_array().unwrap().iter().map(id_of).collect::<Vec<_>>(), [users]);
        let page = client.ask(&format!("GET /users/?last_name=L0&offset={}&count=2", users / 3 - 1)).json();
        assert_eq!(
            page["object_list"].as_array().unwrap().iter().map(id_of).collect::<Vec<_>>(),
            [users - 2]
        );
    }
}

#[test]
fn what_another_tool_wrote_is_there_from_the_first_answer_on() {
    let home = filled();
    let server = home.serve();
    shows(&mut server.client(), USERS);
    server.stop();
    fill(&home, USERS, USERS + 3_000);
    let server = home.serve();
    shows(&mut server.client(), USERS + 3_000);
    server.stop();
    home.execute(&format!("DELETE FROM users WHERE id > {USERS}"));
    shows(&mut home.serve().client(), USERS);
}

#[test]
fn what_another_tool_wrote_after_a_kill_is_there_from_the_first_answer_on() {
    let home = filled();
    let server = home.serve();
    assert_eq!(server.create_user("n0", "L0"), USERS + 1);
    server.kill();
    home.execute(&format!("DELETE FROM users WHERE id = {}", USERS + 1));
    home.execute(&home.either(
        format!("UPDATE sqlite_sequence SET seq = {USERS} WHERE name = 'users'"),
        format!("SELECT setval(pg_get_serial_sequence('users', 'id'), {USERS})"),
    ));
    fill(&home, USERS, USERS + 3_000);
    let server = home.serve();
    shows(&mut server.client(), USERS + 3_000);
    server.kill();
    shows(&mut home.serve().client(), USERS + 3_000);
}

/// Each in its first moment, while the sets are being read: the total follows every write.
#[test]
fn writes_in_the_first_moment_count_at_once() {
    let home = filled();
    for round in 0..6 {
        let server = home.serve();
        let mut client = server.client();
        let before = USERS + round * 5;
        let body = format!(r#"{{"first_name":"fresh","last_name":"round{round}"}}"#);
        for number in 0..10 {
            let id = client.ask(&format!("POST /users/ {body}")).created_id();
            assert_eq!(total(&mut client, "/users/"), before + number % 2 + number / 2 + 1, "round {round}");
            assert_eq!(
                total(&mut client, "/users/?first_name=fresh"),
                round * 5 + number % 2 + number / 2 + 1
            );
            assert_eq!(total(&mut client, &format!("/users/?last_name=round{round}&first_name=fresh")), {
                number % 2 + number / 2 + 1
            });
            let last = client.ask(&format!("GET /users/?offset={}", before + number % 2 + number / 2)).json();
            assert_eq!(last["object_list"].as_array().unwrap().iter().map(id_of).collect::<Vec<_>>(), [id]);
            if number % 2 == 1 {
                assert_eq!(client.ask(&format!("DELETE /users/{id}/")).status, 200);
            }
        }
        if round % 2 == 0 {
            server.kill();
        } else {
            server.stop();
        }
    }
}

/// Readers from the first moment on, on many connections, while one client writes: totals only grow, and none
/// is behind what was acknowledged.
#[test]
fn totals_only_grow_while_the_sets_are_being_read() {
    let home = filled();
    let server = home.serve();
    let (acknowledged, is_over) = (std::sync::atomic::AtomicI64::new(USERS), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let (server, acknowledged, is_over) = (&server, &acknowledged, &is_over);
        for list in ["/users/", "/users/?address=", "/users/?offset=59990", "/users/?address=&offset=59990"] {
            scope.spawn(move || {
                let mut client = server.client();
                let mut seen = USERS;
                while !is_over.load(Ordering::Relaxed) {
                    let least = acknowledged.load(Ordering::SeqCst).max(seen);
                    seen = total(&mut client, list);
                    assert!(seen >= least, "{list}: {seen} after {least}");
                }
            });
        }
        let mut client = server.client();
        for number in 0..150 {
            let body = format!(r#"{{"first_name":"n{number}","last_name":"new"}}"#);
            client.ask(&format!("POST /users/ {body}")).created_id();
            acknowledged.fetch_add(1, Ordering::SeqCst);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(server.total("/users/"), USERS + 150);
}
