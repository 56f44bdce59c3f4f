//! The configuration has changed: what only adds is applied at the next start.

use dev::configs;

use crate::support::home::Home;

const PAGES: &str = "[collection.pagination]\npage_size = 20\n";

/// Users with these fields.
fn fields(lines: &str) -> String {
    configs::users_with_fields("", &format!("[collection.fields]\n{lines}"), PAGES)
}

const FIRST: &str = "first_name = { type = \"string\", required = true }\n";
const LAST: &str = "last_name = { type = \"string\", required = true }\n";
const ADDRESS: &str = "address = { type = \"integer\", references = \"address\" }\n";

/// A store of the built-in book with one user.
fn with_john() -> std::sync::Arc<Home> {
    let home = Home::new(&configs::built_in());
    let server = home.serve();
    server.create_user("John", "Doe");
    server.stop();
    home
}

#[test]
fn an_added_collection_is_applied() {
    let home = with_john();
    home.configure(&format!("{}{}", configs::built_in(), configs::kinds()));
    let server = home.serve();
    server.create("/things/", r#"{"name":"a","size":1,"weight":1,"fragile":true}"#);
    assert_eq!(server.ids("/users/"), [1]);
    assert_eq!(server.ids("/things/"), [1]);
}

#[test]
fn an_added_optional_field_is_applied_and_null_in_what_was_there() {
    let home = with_john();
    home.configure(&fields(&format!(
        "{FIRST}nick = {{ type = \"string\" }}\n{LAST}{ADDRESS}vip = {{ type = \"boolean\" }}\n"
    )));
    let server = home.serve();
    server.check(
        "GET /users/1/",
        r#"200 OK {"first_name":"John","nick":null,"last_name":"Doe","address":null,"vip":null,"id":1,"ressource_uri":"/users/1/"}"#,
    );
    server.check(
        r#"PUT /users/1/ {"nick":"J","vip":true}"#,
        r#"200 OK {"first_name":"John","nick":"J","last_name":"Doe","address":null,"vip":true,"id":1,"ressource_uri":"/users/1/"}"#,
    );
    assert_eq!(server.ids("/users/?nick=J"), [1]);
    server.stop().is_sound();
}

#[test]
fn an_added_optional_reference_is_applied() {
    let home = with_john();
    home.configure(&fields(&format!(
        "{FIRST}{LAST}{ADDRESS}office = {{ type = \"integer\", references = \"address\" }}\n"
    )));
    let server = home.serve();
    let address = server.create_address();
    server.faults(r#"PUT /users/1/ {"office":99}"#, "office does not validate");
    assert_eq!(server.status(&format!(r#"PUT /users/1/ {{"office":{address}}}"#)), 200);
    server.refuses(&format!("DELETE /address/{address}/"), 409);
}

#[test]
fn a_unique_rule_that_the_data_meets_is_applied_and_one_taken_away_no_longer_holds() {
    let home = with_john();
    home.configure(&configs::unique());
    let server = home.serve();
    server.faults(
        r#"POST /users/ {"first_name":"John","last_name":"Doe"}"#,
        "first_name,last_name must be unique together",
    );
    server.stop();
    home.configure(&configs::built_in());
    let server = home.serve();
    assert_eq!(server.create_user("John", "Doe"), 2);
}

#[test]
fn the_order_of_fields_is_that_of_the_configuration() {
    let home = with_john();
    home.configure(&fields(&format!("{LAST}{ADDRESS}{FIRST}")));
    let server = home.serve();
    server.check(
        "GET /users/1/",
        r#"200 OK {"last_name":"Doe","address":null,"first_name":"John","id":1,"ressource_uri":"/users/1/"}"#,
    );
}

#[test]
fn what_the_representation_shows_and_the_page_size_may_change_at_any_time() {
    let home = with_john();
    home.configure(&configs::ids_shown_the_other_way());
    let server = home.serve();
    server.check(
        "GET /users/1/",
        r#"200 OK {"first_name":"John","last_name":"Doe","address":null,"ressource_uri":"/users/1/"}"#,
    );
    server.stop();
    home.configure(&configs::unpaged());
    assert_eq!(home.serve().ask("GET /users/").json()["meta"].to_string(), r#"{"filters":{}}"#);
}

#[test]
fn check_says_what_a_start_would_change_and_changes_nothing() {
    let home = with_john();
    home.configure(&format!("{}{}", configs::built_in(), configs::kinds()));
    let before = home.stored_bytes();
    home.run(&["check"]).exits(0).says(&["things"]);
    assert!(home.stored_bytes() == before, "the store was touched");
}
