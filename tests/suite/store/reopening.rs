//! The same store again: after a restart, made by a newer version, with rows of another tool.

use dev::answer::NOT_FOUND;
use dev::configs;

use crate::support::home::Home;

#[test]
fn everything_is_there_after_a_restart() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_address();
    server.create("/users/", r#"{"first_name":"Jöhn \u0001","last_name":"Doe","address":1}"#);
    server.create_user("Jane", "Roe");
    assert_eq!(server.status("DELETE /users/2/"), 200);
    assert_eq!(server.status(r#"PUT /address/1/ {"number":-9223372036854775808}"#), 200);
    let before = server.contents();
    server.stop();
    let server = home.serve();
    assert_eq!(server.contents(), before);
    server.check("GET /users/2/", NOT_FOUND);
}

#[test]
fn a_store_of_a_newer_format_is_refused_untouched() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_user("John", "Doe");
    server.stop();
    let format = home.query(home.either("PRAGMA user_version", "SELECT format FROM _carnet_version"));
    let set = home.either("PRAGMA user_version =", "UPDATE _carnet_version SET format =");
    home.execute(&format!("{set} 1000000"));
    let before = home.stored_bytes();
    let refused = home.refused_start();
    assert!(matches!(refused.code, Some(1 | 2)), "{refused:?}");
    assert!(refused.stderr.contains("newer"), "{refused:?}");
    assert!(home.stored_bytes() == before, "the store was touched");
    home.execute(&format!("{set} {}", format[0]));
    assert_eq!(home.serve().ids("/users/"), [1]);
}

#[test]
fn rows_that_another_tool_wrote_are_honoured_at_the_next_start() {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_user("John", "Doe");
    server.stop();
    home.execute(
        "INSERT INTO address (country, city, street, number) VALUES ('Italia', 'Roma', 'via', 7);
         INSERT INTO users (first_name, last_name) VALUES ('Jane', 'Roe');
         INSERT INTO users (first_name, last_name, address) VALUES ('Jim', 'Doe', 1);
         UPDATE users SET last_name = 'Moe' WHERE id = 1;",
    );
    let server = home.serve();
    server.check(
        "GET /users/",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":3,"next":"null","previous":"null","filters":{}},"object_list":[{"first_name":"John","last_name":"Moe","address":null,"id":1,"ressource_uri":"/users/1/"},{"first_name":"Jane","last_name":"Roe","address":null,"id":2,"ressource_uri":"/users/2/"},{"first_name":"Jim","last_name":"Doe","address":1,"id":3,"ressource_uri":"/users/3/"}]}"#,
    );
    assert_eq!(server.ids("/users/?last_name=Moe"), [1]);
    assert_eq!(server.ids("/users/?last_name=Doe&address=1"), [3]);
    server.refuses("DELETE /address/1/", 409);
    assert_eq!(server.create_user("New", "One"), 4);
    assert_eq!(server.status(r#"PUT /users/2/ {"address":1}"#), 200);
    server.stop();
    home.execute("DELETE FROM users WHERE id IN (2, 3)");
    let server = home.serve();
    assert_eq!(server.ids("/users/"), [1, 4]);
    assert_eq!(server.total("/users/"), 2);
    assert_eq!(server.status("DELETE /address/1/"), 200);
}
