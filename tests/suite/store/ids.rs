//! Ids: ascending, never used again.

use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::race::race;
use crate::support::server::Server;

#[test]
fn ids_ascend_and_are_not_used_again_after_a_delete_and_a_restart() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    assert_eq!([server.create_user("a", "a"), server.create_user("b", "b")], [1, 2]);
    assert_eq!(server.status("DELETE /users/2/"), 200);
    server.stop();
    let server = home.serve();
    assert_eq!(server.create_user("c", "c"), 3);
    assert_eq!(server.status("DELETE /users/3/"), 200);
    assert_eq!(server.status("DELETE /users/1/"), 200);
    server.kill();
    let server = home.serve();
    assert_eq!(server.total("/users/"), 0);
    assert_eq!(server.create_user("d", "d"), 4);
}

#[test]
fn each_collection_counts_for_itself() {
    let server = Server::start(&configs::built_in());
    server.create_user("a", "a");
    server.create_user("b", "b");
    assert_eq!(server.create_address(), 1);
    assert_eq!(server.create_user("c", "c"), 3);
}

#[test]
fn ids_go_on_after_the_highest_that_another_tool_wrote() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute("INSERT INTO users (id, first_name, last_name) VALUES (9000000000000, 'Jane', 'Roe')");
    let server = home.serve();
    assert_eq!(server.create_user("a", "a"), 9_000_000_000_001);
    assert_eq!(server.ids("/users/"), [9_000_000_000_000, 9_000_000_000_001]);
    assert_eq!(server.status("GET /users/9000000000001/"), 200);
}

const USED_UP: &str = r#"{"error":"This collection has used up its ids. Nothing was changed"}"#;

/// Creates in the same collection are refused; what waits beside them, in the same commit, is not.
#[test]
fn used_up_ids_are_told_as_such_and_nobody_else_is_refused() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute("INSERT INTO users (id, first_name, last_name) VALUES (9223372036854775806, 'Jane', 'Roe')");
    let server = home.serve();
    let body = r#"{"first_name":"a","last_name":"b"}"#;
    let statuses = race(8, |number| {
        let mut client = server.client();
        let line = if number % 2 == 0 { "POST /users/" } else { "PUT /users/9223372036854775806/" };
        client.send(&Request::new(line).json(body)).status
    });
    let count = |status| statuses.iter().filter(|found| **found == status).count();
    let created = count(201);
    // An id that PostgreSQL gave to a write that was taken back is lost.
    let least: usize = home.either(1, 0);
    assert!((least..=1).contains(&created), "{statuses:?}");
    assert_eq!((count(507), count(200)), (4 - created, 4), "{statuses:?}");
    assert_eq!(server.ids("/users/"), [i64::MAX - 1, i64::MAX][..1 + created]);
    let server = server.stop().serve();
    let refused = server.send(&Request::new("POST /users/").json(body));
    assert_eq!((refused.status, refused.body_text()), (507, USED_UP));
    // The id stays given.
    let deleted = server.status("DELETE /users/9223372036854775807/");
    assert_eq!(deleted, if created == 1 { 200 } else { 404 });
    let refused = server.send(&Request::new("POST /users/").json(body));
    assert_eq!((refused.status, refused.body_text()), (507, USED_UP));
    assert_eq!(server.create_address(), 1);
    assert!(!server.stderr().contains("writes_refused"), "{}", server.stderr());
    server.stop().is_sound();
}

#[test]
fn ids_that_another_tool_used_up_meanwhile_are_told_as_such_at_the_second_try() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    home.execute("INSERT INTO users (id, first_name, last_name) VALUES (9223372036854775807, 'Jane', 'Roe')");
    let create = || server.send(&Request::new("POST /users/").json(r#"{"first_name":"a","last_name":"b"}"#));
    let first = create();
    assert!(matches!(first.status, 503 | 507), "{first:?}");
    let second = create();
    assert_eq!((second.status, second.body_text()), (507, USED_UP));
    assert_eq!(server.create_address(), 1);
}
