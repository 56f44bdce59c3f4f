//! Create: the record, its place, and what is refused (4.3, 7).

use dev::configs;
use dev::request::Request;

use crate::support::server::Server;

#[test]
fn a_create_answers_an_empty_201_with_the_absolute_location() {
    let server = Server::start(&configs::built_in());
    server.check(
        r#"POST /users/
           Content-type: application/json

           {"first_name": "John", "last_name": "Doe"}"#,
        "201 Created
         Content-Length: 0
         Location: {base_url}/users/1/",
    );
    server.check(
        r#"POST /address/ {"country": "France", "city": "Paris", "street": "Rivoli", "number": 5}"#,
        "201 Created
         Content-Length: 0
         Location: {base_url}/address/1/",
    );
    server.check(
        r#"POST /users {"first_name": "Jane", "last_name": "Doe", "address": 1}"#,
        "201 Created
         Content-Length: 0
         Location: {base_url}/users/2/",
    );
}

#[test]
fn a_required_field_that_is_missing_is_named() {
    let server = Server::start(&configs::built_in());
    for (body, field) in [
        (r#"{"last_name": "Doe"}"#, "first_name"),
        (r#"{"first_name": "John"}"#, "last_name"),
        (r#"{}"#, "first_name"),
    ] {
        server.faults(
            &format!("POST /users/ {body}"),
            &format!("{field} is missing. Cannot create the ressource"),
        );
    }
    server.faults(
        r#"POST /address/ {"country": "France", "city": "Paris", "street": "Rivoli"}"#,
        "number is missing. Cannot create the ressource",
    );
    assert_eq!(server.total("/users/") + server.total("/address/"), 0);
}

#[test]
fn a_value_of_the_wrong_type_does_not_validate() {
    let server = Server::start(&configs::built_in());
    for value in ["1", "1.5", "true", "null", "[]", r#"["a"]"#, r#"{"a":1}"#] {
        server.faults(
            &format!(r#"POST /users/ {{"first_name": {value}, "last_name": "Doe"}}"#),
            "first_name does not validate",
        );
    }
    for value in
        [r#""5""#, "1.0", "1e2", "-0", "true", "null", "[5]", "9223372036854775808", "-9223372036854775809"]
    {
        server.faults(
            &format!(r#"POST /address/ {{"country":"a","city":"b","street":"c","number":{value}}}"#),
            "number does not validate",
        );
    }
    assert_eq!(server.total("/users/") + server.total("/address/"), 0);
}

#[test]
fn a_reference_to_no_record_does_not_validate() {
    let server = Server::start(&configs::built_in());
    for value in ["1", "0", "-1", "9223372036854775807", r#""1""#, "1.0", "true"] {
        server.faults(
            &format!(r#"POST /users/ {{"first_name":"John","last_name":"Doe","address":{value}}}"#),
            "address does not validate",
        );
    }
    let id = server.create_address();
    assert_eq!(server.status(&format!("DELETE /address/{id}/")), 200);
    server.faults(
        &format!(r#"POST /users/ {{"first_name":"John","last_name":"Doe","address":{id}}}"#),
        "address does not validate",
    );
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn an_optional_field_may_be_left_out_or_null() {
    let server = Server::start(&configs::built_in());
    server.create("/users/", r#"{"first_name":"John","last_name":"Doe"}"#);
    server.create("/users/", r#"{"first_name":"John","last_name":"Doe","address":null}"#);
    for id in [1, 2] {
        server.check(
            &format!("GET /users/{id}/"),
            &format!(
                r#"200 OK {{"first_name":"John","last_name":"Doe","address":null,"id":{id},"ressource_uri":"/users/{id}/"}}"#
            ),
        );
    }
}

#[test]
fn duplicate_users_are_accepted_by_default() {
    let server = Server::start(&configs::built_in());
    assert_eq!(server.create_user("John", "Doe"), 1);
    assert_eq!(server.create_user("John", "Doe"), 2);
    assert_eq!(server.ids("/users/?first_name=John&last_name=Doe"), [1, 2]);
}

#[test]
fn an_unknown_field_is_refused_by_name() {
    let server = Server::start(&configs::built_in());
    server.faults(
        r#"POST /users/ {"first_name":"John","last_name":"Doe","age":42}"#,
        "age is not a field of users",
    );
    server.faults(
        r#"POST /address/ {"country":"a","city":"b","street":"c","number":1,"First_name":null}"#,
        "First_name is not a field of address",
    );
    server.faults(r#"POST /users/ {"":1}"#, " is not a field of users");
    assert_eq!(server.total("/users/") + server.total("/address/"), 0);
}

#[test]
fn id_and_ressource_uri_are_assigned_by_the_service() {
    let server = Server::start(&configs::built_in());
    for (member, value) in [("id", "1"), ("id", "null"), ("ressource_uri", r#""/users/1/""#)] {
        server.faults(
            &format!(r#"POST /users/ {{"first_name":"John","last_name":"Doe","{member}":{value}}}"#),
            &format!("{member} is assigned by the service"),
        );
    }
    server.faults(
        r#"POST /address/ {"country":"a","city":"b","street":"c","number":1,"id":7}"#,
        "id is assigned by the service",
    );
    assert_eq!(server.total("/users/") + server.total("/address/"), 0);
}

#[test]
fn the_shape_is_judged_before_the_fields_and_the_fields_in_declared_order() {
    let server = Server::start(&configs::built_in());
    server.faults(r#"POST /users/ {"first_name":1,"age":42}"#, "age is not a field of users");
    server.faults(
        r#"POST /users/ {"last_name":1,"address":"x","first_name":2}"#,
        "first_name does not validate",
    );
    server.faults(r#"POST /users/ {"last_name":1}"#, "first_name is missing. Cannot create the ressource");
    server.faults(r#"POST /users/ {"first_name":1}"#, "first_name does not validate");
    server.faults(
        r#"POST /users/ {"address":true,"first_name":"a"}"#,
        "last_name is missing. Cannot create the ressource",
    );
}

#[test]
fn references_are_judged_after_every_field() {
    let server = Server::start(&configs::built_in());
    server.faults(
        r#"POST /users/ {"address":99,"first_name":"John"}"#,
        "last_name is missing. Cannot create the ressource",
    );
    server.faults(
        r#"POST /users/ {"address":99,"first_name":"John","last_name":5}"#,
        "last_name does not validate",
    );
}

#[test]
fn prefer_return_representation_brings_the_record_along() {
    let server = Server::start(&configs::built_in());
    server.check(
        r#"POST /users/
           Content-Type: application/json
           Prefer: return=representation

           {"last_name": "Doe", "first_name": "John"}"#,
        r#"201 Created
           Location: {base_url}/users/1/
           Preference-Applied: return=representation

           {"first_name":"John","last_name":"Doe","address":null,"id":1,"ressource_uri":"/users/1/"}"#,
    );
    let minimal = server.ask(
        r#"POST /users/
           Prefer: return=minimal

           {"last_name": "Doe", "first_name": "John"}"#,
    );
    assert_eq!((minimal.created_id(), minimal.body_text()), (2, ""));
}

#[test]
fn a_preference_does_not_soften_a_refusal() {
    let server = Server::start(&configs::built_in());
    let request = Request::new("POST /users/").header("Prefer", "return=representation").json("{}");
    server.check_request(
        &request,
        r#"400 Bad Request {"error":"first_name is missing. Cannot create the ressource"}"#,
    );
}
