//! What only SQLite leaves open, and carnet does not: types, ids that are used again, bytes that are no text.

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
