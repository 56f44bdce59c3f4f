//! `PUT` on a list: changes the record that has the values of a unique rule, or creates it.

use dev::configs;
use dev::request::Request;

use crate::support::home::Home;
use crate::support::server::Server;

const JOHN: &str = r#"{"first_name":"John","last_name":"Doe"}"#;

fn server() -> Server {
    Server::start(&configs::users(
        "list_verbs = [\"GET\", \"POST\", \"PUT\"]\nunique = [[\"first_name\", \"last_name\"], [\"address\"]]",
        "[collection.pagination]\npage_size = 20",
    ))
}

#[test]
fn what_is_not_there_is_created_and_what_is_there_gets_the_fields_that_are_given() {
    let server = server();
    server.create_address();
    server.check(
        &format!("PUT /users/ {JOHN}"),
        "201 Created\nContent-Length: 0\nLocation: {base_url}/users/1/",
    );
    server.check(
        r#"PUT /users/ {"first_name":"John","last_name":"Doe","address":1}"#,
        r#"200 OK {"first_name":"John","last_name":"Doe","address":1,"id":1,"ressource_uri":"/users/1/"}"#,
    );
    server.check(
        &format!("PUT /users/ {JOHN}"),
        r#"200 OK {"first_name":"John","last_name":"Doe","address":1,"id":1,"ressource_uri":"/users/1/"}"#,
    );
    server.check(
        r#"PUT /users/?by=address {"first_name":"Jane","last_name":"Roe","address":1}"#,
        r#"200 OK {"first_name":"Jane","last_name":"Roe","address":1,"id":1,"ressource_uri":"/users/1/"}"#,
    );
    server.check(
        "PUT /users/\nPrefer: return=representation\n\n{\"first_name\":\"John\",\"last_name\":\"Doe\",\"address\":null}",
        r#"201 Created
           Location: {base_url}/users/2/
           Preference-Applied: return=representation

           {"first_name":"John","last_name":"Doe","address":null,"id":2,"ressource_uri":"/users/2/"}"#,
    );
    assert_eq!(server.ids("/users/"), [1, 2]);
    assert_eq!(server.total("/users/?first_name=Jane"), 1);
}

#[test]
fn it_is_allowed_where_the_configuration_says_so_and_shows_in_the_schema() {
    let built_in = Server::start(&configs::unique());
    assert_eq!(
        built_in.refuses(&format!("PUT /users/ {JOHN}"), 405),
        "The method is not allowed for the requested URL. Allowed: GET, HEAD, POST, OPTIONS"
    );
    let schema = server().ask("GET /schema/").json();
    assert_eq!(schema["users"]["allowed list_verbs"], serde_json::json!(["GET", "POST", "PUT"]));
    let home = Home::new(&configs::verbs(r#"["PUT"]"#, r#"["GET"]"#));
    home.run(&["check"]).exits(2).says(&["`list_verbs` allows PUT, and `users` has no unique rule"]);
}

#[test]
fn the_query_names_a_rule_and_nothing_else() {
    let server = server();
    for (query, message) in [
        ("last_name=Doe", "last_name is not a parameter of this request: it takes by"),
        ("by=address&sort=id", "sort is not a parameter of this request: it takes by"),
        ("by=address&by=address", "by is given twice"),
        ("by=nick", "by does not validate: it is first_name,last_name or address"),
        ("by=last_name,first_name", "by does not validate: it is first_name,last_name or address"),
        ("by=", "by does not validate: it is first_name,last_name or address"),
    ] {
        server.faults(&format!("PUT /users/?{query} {JOHN}"), message);
    }
    assert_eq!(server.total("/users/"), 0);
}

#[test]
fn the_body_is_that_of_a_create_with_a_value_in_each_field_of_the_rule() {
    let server = server();
    let by_address = "address has no value, and records are found by address";
    for (request, message) in [
        (r#"PUT /users/ {"first_name":"John"}"#, "last_name is missing. Cannot create the ressource"),
        (r#"PUT /users/ {"first_name":1,"last_name":"Doe"}"#, "first_name does not validate"),
        (r#"PUT /users/ {"id":1}"#, "id is assigned by the service"),
        (r#"PUT /users/ {"age":1}"#, "age is not a field of users"),
        (r#"PUT /users/ []"#, "The body is not a JSON object"),
        (r#"PUT /users/ {"first_name":"John","last_name":"Doe","address":9}"#, "address does not validate"),
        (&format!("PUT /users/?by=address {JOHN}"), by_address),
        (r#"PUT /users/?by=address {"first_name":"J","last_name":"D","address":null}"#, by_address),
    ] {
        server.faults(request, message);
    }
    assert_eq!(server.total("/users/"), 0);
    assert_eq!(server.create_user("John", "Doe"), 1, "a refused upsert uses no id");
}

#[test]
fn a_rule_by_which_records_are_found_is_named_with_all_its_fields() {
    let fields = "name = { type = \"string\" }\nnick = { type = \"string\" }";
    let server = Server::start(&format!(
        "[[collection]]\nname = \"people\"\nlist_verbs = [\"GET\", \"PUT\"]\nunique = [[\"name\", \"nick\"]]\n\
         [collection.fields]\n{fields}\n"
    ));
    for (request, message) in [
        (r#"PUT /people/ {"name":"Ada"}"#, "nick has no value, and records are found by name,nick"),
        (r#"PUT /people/ {"nick":"a"}"#, "name has no value, and records are found by name,nick"),
        (r#"PUT /people/?by=nick {"name":"Ada","nick":"a"}"#, "by does not validate: it is name,nick"),
    ] {
        server.faults(request, message);
    }
}

#[test]
fn another_rule_may_stand_against_it() {
    let server = server();
    server.create_address();
    server.create("/users/", r#"{"first_name":"John","last_name":"Doe","address":1}"#);
    server.faults(
        r#"PUT /users/ {"first_name":"Ada","last_name":"Doe","address":1}"#,
        "address must be unique",
    );
    server.create_user("Ada", "Doe");
    server.faults(
        r#"PUT /users/ {"first_name":"Ada","last_name":"Doe","address":1}"#,
        "address must be unique",
    );
}

#[test]
fn what_the_client_has_seen_says_whether_it_may_change_or_create() {
    let server = server();
    let put = |header: &str, value: &str| {
        let answer = server.send(&Request::new("PUT /users/").header(header, value).json(JOHN));
        (answer.status, answer.try_json().map(|json| json["error"].clone()).ok())
    };
    let refused = |message: &str| (412, Some(message.into()));
    let none = "There is no such record, and If-Match asks for one";
    assert_eq!(put("If-Match", "*"), refused(none));
    assert_eq!(put("If-Match", "\"216a52a43bb1237e958fc44863314ee9\""), refused(none));
    assert_eq!(server.total("/users/"), 0);
    assert_eq!(put("If-None-Match", "*").0, 201);
    assert_eq!(
        put("If-None-Match", "*"),
        refused("The record is one that If-None-Match names. Nothing was changed")
    );
    let other = "The record is not the one that If-Match names. Fetch it again and look before you change it";
    assert_eq!(put("If-Match", "\"216a52a43bb1237e958fc44863314ee9\""), refused(other));
    let tag = server.ask("GET /users/1/").header("ETag").unwrap().to_owned();
    assert_eq!(put("If-Match", &tag).0, 200);
    assert_eq!(put("If-Match", "*").0, 200);
    // What is wrong with the body comes first.
    let request = Request::new("PUT /users/").header("If-Match", "\"x\"").json("{}");
    server.refuses_request(&request, 400);
}

#[test]
fn it_is_sent_again_by_its_key_which_stands_for_the_rule_too() {
    let server = server();
    server.create_address();
    let body = r#"{"first_name":"John","last_name":"Doe","address":1}"#;
    let put = |query: &str| Request::new(&format!("PUT /users/{query}")).key("k").json(body);
    let first = server.send(&put(""));
    assert_eq!(first.created_id(), 1);
    let again = server.send(&put("?by=first_name,last_name"));
    assert_eq!((again.lasting(), again.header("Idempotency-Replayed")), (first.lasting(), Some("true")));
    server.refuses_request(&put("?by=address"), 422);
    let update = Request::new("PUT /users/").key("u").json(body);
    assert_eq!((server.send(&update).status, server.send(&update).status), (200, 200));
}
