//! Update: PUT with some or all fields (4.5), and PATCH where it is configured.

use dev::answer::NOT_FOUND;
use dev::configs;

use crate::support::server::Server;

fn book() -> Server {
    let server = Server::start(&configs::built_in());
    server.create_address();
    server.create("/users/", r#"{"first_name":"John","last_name":"Doe","address":1}"#);
    server
}

/// The user of [`book`] as it was created.
const JOHN: &str =
    r#"200 OK {"first_name":"John","last_name":"Doe","address":1,"id":1,"ressource_uri":"/users/1/"}"#;

#[test]
fn a_partial_body_changes_its_fields_and_keeps_the_others() {
    let server = book();
    let changed =
        r#"200 OK {"first_name":"John","last_name":"Roe","address":1,"id":1,"ressource_uri":"/users/1/"}"#;
    server.check(r#"PUT /users/1/ {"last_name":"Roe"}"#, changed);
    server.check("GET /users/1/", changed);
    assert_eq!(server.ids("/users/?last_name=Roe"), [1]);
    assert_eq!(server.ids("/users/?last_name=Doe"), Vec::<i64>::new());
    server.check(
        r#"PUT /address/1/ {"number":-7,"city":"Lyon"}"#,
        r#"200 OK {"country":"France","city":"Lyon","street":"Rivoli","number":-7,"ressource_uri":"/address/1/"}"#,
    );
}

#[test]
fn a_whole_body_replaces_every_field() {
    let server = book();
    server.check(
        r#"PUT /users/1 {"address":null,"last_name":"Roe","first_name":"Jane"}"#,
        r#"200 OK {"first_name":"Jane","last_name":"Roe","address":null,"id":1,"ressource_uri":"/users/1/"}"#,
    );
}

#[test]
fn an_empty_object_changes_nothing() {
    let server = book();
    server.check("PUT /users/1/ {}", JOHN);
    server.check("GET /users/1/", JOHN);
}

#[test]
fn null_clears_an_optional_field_and_not_a_required_one() {
    let server = book();
    server.faults(r#"PUT /users/1/ {"first_name":null}"#, "first_name does not validate");
    server.check("GET /users/1/", JOHN);
    let cleared =
        r#"200 OK {"first_name":"John","last_name":"Doe","address":null,"id":1,"ressource_uri":"/users/1/"}"#;
    server.check(r#"PUT /users/1/ {"address":null}"#, cleared);
    server.check("GET /users/1/", cleared);
    assert_eq!(server.ids("/users/?address="), [1]);
}

#[test]
fn a_client_may_send_back_what_it_was_given() {
    let server = book();
    server.check(
        r#"PUT /users/1/ {"first_name":"John","last_name":"Doe","address":1,"id":1,"ressource_uri":"/users/1/"}"#,
        JOHN,
    );
    let address = server.ask("GET /address/1/");
    server.check(&format!("PUT /address/1/ {}", address.body_text()), &address.text(&server.base_url()));
    server.check(r#"PUT /address/1/ {"id":1}"#, &address.text(&server.base_url()));
}

#[test]
fn id_and_ressource_uri_cannot_be_changed() {
    let server = book();
    for (member, value) in [
        ("id", "2"),
        ("id", r#""1""#),
        ("id", "1.0"),
        ("id", "null"),
        ("ressource_uri", r#""/users/2/""#),
        ("ressource_uri", r#""/address/1/""#),
        ("ressource_uri", "1"),
        ("ressource_uri", "null"),
    ] {
        server.faults(
            &format!(r#"PUT /users/1/ {{"{member}":{value},"first_name":"Jane"}}"#),
            &format!("{member} cannot be changed"),
        );
    }
    server.faults(r#"PUT /address/1/ {"id":2}"#, "id cannot be changed");
    server.check("GET /users/1/", JOHN);
}

#[test]
fn an_update_is_validated_with_the_messages_of_a_create() {
    let server = book();
    server.faults(r#"PUT /users/1/ {"first_name":1}"#, "first_name does not validate");
    server.faults(r#"PUT /users/1/ {"address":"1"}"#, "address does not validate");
    server.faults(r#"PUT /users/1/ {"address":1.0}"#, "address does not validate");
    server.faults(r#"PUT /users/1/ {"address":2}"#, "address does not validate");
    server.faults(r#"PUT /users/1/ {"age":42}"#, "age is not a field of users");
    server.faults(r#"PUT /users/1/ {"last_name":"a","last_name":"b"}"#, "last_name is given twice");
    server.faults(r#"PUT /users/1/ {"last_name":1,"first_name":2,"age":3}"#, "age is not a field of users");
    server.faults(
        r#"PUT /users/1/ {"address":99,"last_name":1,"first_name":2}"#,
        "first_name does not validate",
    );
    server.faults(r#"PUT /users/1/ {"address":99,"last_name":1}"#, "last_name does not validate");
    server.faults(r#"PUT /address/1/ {"number":"5"}"#, "number does not validate");
    server.check("GET /users/1/", JOHN);
}

#[test]
fn a_refused_update_changes_none_of_its_fields() {
    let server = book();
    server.faults(r#"PUT /users/1/ {"first_name":"Jane","address":99}"#, "address does not validate");
    server.check("GET /users/1/", JOHN);
}

#[test]
fn an_update_without_a_body_is_refused() {
    let server = book();
    server.refuses("PUT /users/1/", 400);
    server.refuses(
        "PUT /users/1/
         Content-Type: application/json
         Content-Length: 0",
        400,
    );
    server.check("GET /users/1/", JOHN);
}

#[test]
fn an_update_of_an_unknown_id_is_not_found_and_creates_nothing() {
    let server = book();
    server.check(r#"PUT /users/2/ {"first_name":"Jane","last_name":"Doe"}"#, NOT_FOUND);
    server.check(r#"PUT /users/0/ {"first_name":"Jane","last_name":"Doe"}"#, NOT_FOUND);
    server.check(r#"PUT /users/abc/ {"first_name":"Jane","last_name":"Doe"}"#, NOT_FOUND);
    assert_eq!(server.total("/users/"), 1);
}

#[test]
fn patch_is_not_allowed_where_it_is_not_configured() {
    let server = book();
    server.refuses(r#"PATCH /users/1/ {"first_name":"Jane"}"#, 405);
    server.check("GET /users/1/", JOHN);
}

#[test]
fn patch_does_as_put_where_it_is_configured() {
    let server = Server::start(&configs::verbs(r#"["GET", "POST"]"#, r#"["GET", "PATCH"]"#));
    server.create_user("John", "Doe");
    server.check(
        r#"PATCH /users/1/
           Content-Type: application/merge-patch+json

           {"last_name":"Roe"}"#,
        r#"200 OK {"first_name":"John","last_name":"Roe","address":null,"id":1,"ressource_uri":"/users/1/"}"#,
    );
    server.check(
        r#"PATCH /users/1/ {"first_name":"Jane","address":null}"#,
        r#"200 OK {"first_name":"Jane","last_name":"Roe","address":null,"id":1,"ressource_uri":"/users/1/"}"#,
    );
    server.faults(r#"PATCH /users/1/ {"first_name":null}"#, "first_name does not validate");
    server.faults(r#"PATCH /users/1/ {"id":2}"#, "id cannot be changed");
    server.check(r#"PATCH /users/2/ {"first_name":"Jane"}"#, NOT_FOUND);
    server.refuses(r#"PUT /users/1/ {"first_name":"Jim"}"#, 405);
}
