//! Records at the edges, written by another tool: memory treats them as the database does.

use dev::configs;

use crate::support::home::Home;
use crate::support::race::race;
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

#[test]
fn a_rule_of_another_tool_refuses_what_breaks_it_and_nothing_else() {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute("CREATE UNIQUE INDEX of_another_tool ON users (last_name)");
    let server = home.serve();
    server.create_user("Jane", "Doe");
    server.create_user("John", "Roe");
    for request in
        [r#"POST /users/ {"first_name":"Jim","last_name":"Doe"}"#, r#"PUT /users/2/ {"last_name":"Doe"}"#]
    {
        let answer = server.ask(request);
        assert_eq!(answer.status, 409, "{answer:?}");
        let said = "The database refuses it by a rule that the configuration does not declare: ";
        assert!(answer.error().starts_with(said), "{answer:?}");
        assert!(answer.error().len() > said.len(), "{answer:?}");
    }
    // Many at once, of which some are refused: each is judged by itself.
    let statuses = race(8, |at| {
        let family = if at % 2 == 0 { "Doe".to_owned() } else { format!("f{at}") };
        server.status(&format!(r#"POST /users/ {{"first_name":"Jim","last_name":"{family}"}}"#))
    });
    let expected: Vec<u16> = (0..8).map(|at| if at % 2 == 0 { 409 } else { 201 }).collect();
    assert_eq!(statuses, expected);
    assert_eq!(server.total("/users/"), 6);
    assert!(!server.stderr().contains("store_broken"), "{}", server.stderr());
}
