//! Records at the edges, written by another tool: memory treats them as the database does.

use crate::support::configs;
use crate::support::home::Home;
use crate::support::server::Server;

/// The first look asks the database, the second one keeps what it finds in memory.
#[track_caller]
fn shows_everywhere(server: &Server, id: i64, first_name: &str) {
    for _ in 0..3 {
        let answer = server.ask(&format!("GET /users/{id}/"));
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["first_name"], first_name);
        assert!(server.ids("/users/").contains(&id));
        assert_eq!(server.total(&format!("/users/?first_name={first_name}")), 1);
        assert_eq!(server.ids(&format!("/users/?first_name={first_name}")), [id]);
    }
}

#[test]
fn the_largest_and_the_smallest_id_can_be_updated_and_deleted() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    for id in [1, 31, 32, 65_535, 65_536, 1 << 32, i64::MAX - 1, i64::MAX] {
        home.execute(&format!("INSERT INTO users (id, first_name, last_name) VALUES ({id}, 'a{id}', 'Doe')"));
    }
    let server = home.serve();
    for id in [1, 31, 32, 65_535, 65_536, 1 << 32, i64::MAX - 1, i64::MAX] {
        shows_everywhere(&server, id, &format!("a{id}"));
        let answer = server.ask(&format!(r#"PUT /users/{id}/ {{"first_name":"b{id}"}}"#));
        assert_eq!(answer.status, 200, "{answer:?}");
        shows_everywhere(&server, id, &format!("b{id}"));
    }
    for id in [i64::MAX, 1, 65_536] {
        assert_eq!(server.status(&format!("DELETE /users/{id}/")), 200);
        assert_eq!(server.status(&format!("GET /users/{id}/")), 404);
    }
    assert_eq!(server.ids("/users/"), [31, 32, 65_535, 1 << 32, i64::MAX - 1]);
}
