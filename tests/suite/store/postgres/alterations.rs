//! Another tool alters or locks the table of a collection while a node serves it.

use dev::request::Request;
use dev::{configs, schema};

use crate::support::server::Server;

const CREATE: &str = r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#;

#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_column_of_another_type_is_read_and_written_by_the_nodes_that_run() {
    let server = Server::start(&configs::built_in());
    let home = server.home();
    home.execute(
        "INSERT INTO users (first_name, last_name) SELECT 'n' || i, 'Doe' FROM generate_series(1, 3000) AS i",
    );
    let with_tag = |id: i64| {
        let tag = server.ask(&format!("GET /users/{id}/"));
        let tag = tag.header("ETag").unwrap();
        let update = Request::new(&format!("PUT /users/{id}/")).header("If-Match", tag);
        server.send(&update.json(r#"{"last_name":"Roe"}"#)).status
    };
    // Each of them more than once: several connections take turns.
    let all_are_answered = |first: i64| {
        for id in (first..first + 400).step_by(100) {
            assert_eq!(server.status(&format!("GET /users/{id}/")), 200, "{id}");
            assert_eq!(server.total(&format!("/users/?id={id}")), 1);
            assert_eq!(server.total(&format!("/users/?first_name=n{id}")), 1);
            assert_eq!(with_tag(id + 1), 200);
            assert_eq!(server.status(&format!(r#"PUT /users/{}/ {{"last_name":"Poe"}}"#, id + 2)), 200);
            assert_eq!(server.status(&format!("DELETE /users/{}/", id + 3)), 200);
            assert_eq!(server.status(CREATE), 201);
        }
    };
    all_are_answered(100);
    home.execute("ALTER TABLE users ALTER COLUMN first_name TYPE varchar(100)");
    all_are_answered(1100);
    home.execute("ALTER TABLE users ALTER COLUMN first_name TYPE text");
    all_are_answered(2100);
    assert!(!server.stderr().contains("database_lost"), "{}", server.stderr());
}

/// `LOCK TABLE` and `ALTER TABLE` keep everybody out: for as long as the lock is held, all are told the same.
#[test]
#[ignore = "needs PostgreSQL: ./test postgres"]
fn a_locked_table_is_out_of_reach_for_the_moment_whoever_asks() {
    let server = Server::start(&configs::built_in());
    let home = server.home();
    home.execute(
        "INSERT INTO users (first_name, last_name) SELECT 'n' || i, 'Doe' FROM generate_series(1, 500) AS i",
    );
    assert_eq!(server.status("GET /users/1/"), 200);
    let requests = [
        "GET /users/300/",
        "GET /users/?id=300",
        "GET /users/?first_name=n300",
        "GET /users/?last_name=Doe&first_name=n200",
        "GET /users/?offset=400",
        CREATE,
        r#"PUT /users/400/ {"last_name":"Roe"}"#,
        "DELETE /users/401/",
    ];
    schema::hold(&home.database_url(), "LOCK TABLE users", || {
        std::thread::scope(|scope| {
            let asked = requests.map(|request| (request, scope.spawn(|| server.client().ask(request))));
            for (request, asked) in asked {
                let answer = asked.join().unwrap();
                assert_eq!(answer.status, 503, "{request}: {answer:?}");
                assert!(answer.header("Retry-After").is_some(), "{request}: {answer:?}");
            }
        });
    });
    for request in requests {
        assert!(server.status(request) < 300, "{request}");
    }
}
