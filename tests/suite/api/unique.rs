//! Unique rules: over a pair, over one field, and with a null among the values.

use dev::configs;

use crate::support::server::Server;

const TOGETHER: &str = "first_name,last_name must be unique together";

#[test]
fn a_second_record_with_the_same_pair_is_refused() {
    let server = Server::start(&configs::unique());
    server.create_user("John", "Doe");
    server.faults(r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#, TOGETHER);
    server.create_user("Jane", "Doe");
    server.create_user("John", "Roe");
    server.create_user("john", "Doe");
    server.create_user("John ", "Doe");
    assert_eq!(server.total("/users/"), 5);
}

#[test]
fn an_update_may_not_break_the_rule_and_may_repeat_its_own_values() {
    let server = Server::start(&configs::unique());
    server.create_user("John", "Doe");
    server.create_user("Jane", "Doe");
    server.faults(r#"PUT /users/2/ {"first_name":"John"}"#, TOGETHER);
    server.check(
        r#"PUT /users/2/ {"first_name":"Jane","last_name":"Doe"}"#,
        r#"200 OK {"first_name":"Jane","last_name":"Doe","address":null,"id":2,"ressource_uri":"/users/2/"}"#,
    );
    assert_eq!(server.status(r#"PUT /users/1/ {"last_name":"Roe"}"#), 200);
    assert_eq!(server.status(r#"PUT /users/2/ {"first_name":"John"}"#), 200);
}

#[test]
fn a_deleted_record_no_longer_stands_in_the_way() {
    let server = Server::start(&configs::unique());
    let id = server.create_user("John", "Doe");
    server.faults(r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#, TOGETHER);
    assert_eq!(server.status(&format!("DELETE /users/{id}/")), 200);
    server.create_user("John", "Doe");
}

#[test]
fn unique_rules_are_judged_after_references() {
    let server = Server::start(&configs::unique());
    server.create_user("John", "Doe");
    server.faults(
        r#"POST /users/ {"first_name":"John","last_name":"Doe","address":9}"#,
        "address does not validate",
    );
    server.faults(
        r#"POST /users/ {"first_name":"John","last_name":"Doe","age":9}"#,
        "age is not a field of users",
    );
}

#[test]
fn a_rule_over_one_field_names_it_alone_and_rules_are_judged_in_declared_order() {
    let server = Server::start(&configs::kinds());
    server.create("/things/", r#"{"name":"a","size":1,"weight":1,"fragile":true,"code":7}"#);
    server.faults(
        r#"POST /things/ {"name":"b","size":1,"weight":1,"fragile":true,"code":7}"#,
        "code must be unique",
    );
    server.faults(
        r#"POST /things/ {"name":"a","size":1,"weight":1,"fragile":true,"code":8}"#,
        "name,size must be unique together",
    );
    server.faults(
        r#"POST /things/ {"name":"a","size":1,"weight":1,"fragile":true,"code":7}"#,
        "code must be unique",
    );
    assert_eq!(server.total("/things/"), 1);
}

#[test]
fn a_record_with_a_null_in_the_rule_is_not_compared() {
    let server = Server::start(&configs::kinds());
    server.create("/things/", r#"{"name":"a","size":1,"weight":1,"fragile":true}"#);
    server.create("/things/", r#"{"name":"a","size":2,"weight":1,"fragile":true,"code":null}"#);
    server.create("/things/", r#"{"name":"a","size":3,"weight":1,"fragile":true,"code":0}"#);
    server.faults(r#"PUT /things/1/ {"code":0}"#, "code must be unique");
    assert_eq!(server.status(r#"PUT /things/3/ {"code":null}"#), 200);
    assert_eq!(server.status(r#"PUT /things/1/ {"code":0}"#), 200);
}
