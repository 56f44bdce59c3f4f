//! Delete, and what it means for the records that refer to the one that goes (4.6).

use dev::answer::NOT_FOUND;
use dev::configs;

use crate::support::server::Server;

const DELETED: &str = "200 OK
    Content-Length: 0";

/// Two addresses; two users at the first, one at neither.
fn book(config: &str) -> Server {
    let server = Server::start(config);
    server.create_address();
    server.create_address();
    server.create("/users/", r#"{"first_name":"John","last_name":"Doe","address":1}"#);
    server.create("/users/", r#"{"first_name":"Jane","last_name":"Doe","address":1}"#);
    server.create_user("Jim", "Roe");
    server
}

#[test]
fn a_deleted_record_is_gone_from_its_path_and_from_lists() {
    let server = book(&configs::built_in());
    server.check("DELETE /users/2/", DELETED);
    server.check("GET /users/2/", NOT_FOUND);
    assert_eq!(server.ids("/users/"), [1, 3]);
    assert_eq!(server.ids("/users/?last_name=Doe"), [1]);
    assert_eq!(server.total("/users/?address=1"), 1);
    server.check("DELETE /users/1", DELETED);
    server.check("GET /users/1/", NOT_FOUND);
}

#[test]
fn deleting_twice_is_not_found() {
    let server = book(&configs::built_in());
    server.check("DELETE /users/3/", DELETED);
    server.check("DELETE /users/3/", NOT_FOUND);
    server.check("DELETE /users/99/", NOT_FOUND);
    server.check("DELETE /users/0/", NOT_FOUND);
    server.check("DELETE /users/abc/", NOT_FOUND);
    assert_eq!(server.ids("/users/"), [1, 2]);
}

#[test]
fn an_id_is_not_used_again() {
    let server = book(&configs::built_in());
    server.check("DELETE /users/3/", DELETED);
    assert_eq!(server.create_user("New", "One"), 4);
    for id in [1, 2, 4] {
        server.check(&format!("DELETE /users/{id}/"), DELETED);
    }
    assert_eq!(server.create_user("Newer", "One"), 5);
}

#[test]
fn a_body_on_a_delete_is_ignored() {
    let server = book(&configs::built_in());
    server.check(
        "DELETE /users/3/
         Content-Type: text/plain

         really?",
        DELETED,
    );
    server.check("GET /users/3/", NOT_FOUND);
}

#[test]
fn a_referenced_record_is_kept_and_the_refusal_names_the_referencing_collection() {
    let server = book(&configs::built_in());
    let message = server.refuses("DELETE /address/1/", 409);
    assert!(message.contains("users"), "{message}");
    assert_eq!(server.status("GET /address/1/"), 200);
    assert_eq!(server.ids("/users/?address=1"), [1, 2]);
}

#[test]
fn a_record_may_go_once_nothing_refers_to_it() {
    let server = book(&configs::built_in());
    server.check("DELETE /address/2/", DELETED);
    server.check("DELETE /users/1/", DELETED);
    server.refuses("DELETE /address/1/", 409);
    assert_eq!(server.status(r#"PUT /users/2/ {"address":null}"#), 200);
    server.check("DELETE /address/1/", DELETED);
    server.check("GET /address/1/", NOT_FOUND);
}

#[test]
fn set_null_clears_the_references() {
    let server = book(&configs::on_delete("set_null"));
    server.check("DELETE /address/1/", DELETED);
    for (id, name) in [(1, "John"), (2, "Jane")] {
        server.check(
            &format!("GET /users/{id}/"),
            &format!(
                r#"200 OK {{"first_name":"{name}","last_name":"Doe","address":null,"id":{id},"ressource_uri":"/users/{id}/"}}"#
            ),
        );
    }
    assert_eq!(server.ids("/users/?address="), [1, 2, 3]);
    assert_eq!(server.ids("/users/?address=1"), Vec::<i64>::new());
}

#[test]
fn cascade_deletes_the_referencing_records_too() {
    let server = book(&configs::on_delete("cascade"));
    server.check("DELETE /address/1/", DELETED);
    server.check("GET /users/1/", NOT_FOUND);
    server.check("GET /users/2/", NOT_FOUND);
    assert_eq!(server.ids("/users/"), [3]);
    assert_eq!(server.total("/users/"), 1);
    assert_eq!(server.create_user("New", "One"), 4);
}
