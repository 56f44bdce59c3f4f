//! Field types beyond the built-in book: float, boolean, and optional fields of every type.

use dev::configs;

use crate::support::server::Server;

fn thing(name: &str, weight: &str) -> String {
    format!(r#"{{"name":"{name}","size":1,"weight":{weight},"fragile":false}}"#)
}

#[test]
fn optional_fields_without_a_value_are_present_as_null() {
    let server = Server::start(&configs::kinds());
    server.create("/things/", r#"{"fragile":true,"weight":0.5,"size":-3,"name":""}"#);
    server.check(
        "GET /things/1/",
        r#"200 OK {"name":"","size":-3,"weight":0.5,"fragile":true,"note":null,"code":null,"height":null,"sold":null,"id":1,"ressource_uri":"/things/1/"}"#,
    );
    server.check(
        r#"PUT /things/1/ {"note":"n","code":1,"height":2,"sold":false}"#,
        r#"200 OK {"name":"","size":-3,"weight":0.5,"fragile":true,"note":"n","code":1,"height":2.0,"sold":false,"id":1,"ressource_uri":"/things/1/"}"#,
    );
    server.check(
        r#"PUT /things/1/ {"note":null,"code":null,"height":null,"sold":null}"#,
        r#"200 OK {"name":"","size":-3,"weight":0.5,"fragile":true,"note":null,"code":null,"height":null,"sold":null,"id":1,"ressource_uri":"/things/1/"}"#,
    );
}

#[test]
fn a_float_is_answered_in_its_shortest_form() {
    let server = Server::start(&configs::kinds());
    for (number, (given, answered)) in [
        ("0.1", "0.1"),
        ("1", "1.0"),
        ("-2", "-2.0"),
        ("1.50", "1.5"),
        ("1e2", "100.0"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("0.1000000000000000055", "0.1"),
        ("123456789.125", "123456789.125"),
        ("0", "0.0"),
    ]
    .into_iter()
    .enumerate()
    {
        let body = thing(&format!("n{number}"), given);
        let id = server.create("/things/", &body);
        let answer = server.ask(&format!("GET /things/{id}/"));
        assert!(answer.body_text().contains(&format!(r#""weight":{answered},"#)), "{given}: {answer:?}");
    }
}

#[test]
fn a_float_of_any_size_comes_back_as_the_same_number() {
    let server = Server::start(&configs::kinds());
    for (number, given) in
        ["1.7976931348623157e308", "5e-324", "2.2250738585072014e-308", "1e21", "-1e-7"].iter().enumerate()
    {
        let id = server.create("/things/", &thing(&format!("n{number}"), given));
        let answer = server.ask(&format!("GET /things/{id}/"));
        let text = answer.body_text().split(r#""weight":"#).nth(1).unwrap().split(',').next().unwrap();
        assert_eq!(
            text.parse::<f64>().unwrap(),
            given.parse::<f64>().unwrap(),
            "{given} came back as {text}"
        );
    }
}

#[test]
fn what_is_no_float_does_not_validate() {
    let server = Server::start(&configs::kinds());
    for value in [r#""1.5""#, "true", "null", "[]", "1e999", "-1e999"] {
        server.faults(&format!("POST /things/ {}", thing("a", value)), "weight does not validate");
    }
    assert_eq!(server.total("/things/"), 0);
}

#[test]
fn what_is_no_boolean_does_not_validate() {
    let server = Server::start(&configs::kinds());
    for value in ["1", "0", r#""true""#, "null", "[]", "1.0"] {
        server.faults(
            &format!(r#"POST /things/ {{"name":"a","size":1,"weight":1,"fragile":{value}}}"#),
            "fragile does not validate",
        );
    }
    assert_eq!(server.total("/things/"), 0);
}

#[test]
fn optional_fields_of_the_wrong_type_do_not_validate() {
    let server = Server::start(&configs::kinds());
    server.create("/things/", &thing("a", "1"));
    for (field, value) in
        [("note", "1"), ("code", r#""1""#), ("code", "1.0"), ("height", r#""x""#), ("sold", "0")]
    {
        server.faults(
            &format!(r#"PUT /things/1/ {{"{field}":{value}}}"#),
            &format!("{field} does not validate"),
        );
    }
}

#[test]
fn filters_of_every_type_are_echoed_as_they_were_given() {
    let server = Server::start(&configs::kinds());
    server.create("/things/", r#"{"name":"a","size":1,"weight":1.5,"fragile":true,"note":""}"#);
    server
        .create("/things/", r#"{"name":"b","size":2,"weight":150,"fragile":false,"height":0.1,"sold":true}"#);
    assert_eq!(server.ids("/things/?weight=1.5"), [1]);
    assert_eq!(server.ids("/things/?weight=150"), [2]);
    assert_eq!(server.ids("/things/?weight=1.5e2"), [2]);
    assert_eq!(server.ids("/things/?height=0.1&sold=true&fragile=false"), [2]);
    assert_eq!(server.ids("/things/?fragile=true"), [1]);
    assert_eq!(server.ids("/things/?sold="), [1]);
    let body = server.ask("GET /things/?weight=1.50e0&fragile=true").json();
    assert_eq!(body["meta"]["filters"].to_string(), r#"{"weight":"1.50e0","fragile":"true"}"#);
    for value in ["abc", "1.", ".5", "01", "NaN", "inf", "1e999"] {
        server.faults(&format!("GET /things/?weight={value}"), "weight does not validate");
    }
    for value in ["1", "0", "TRUE", "yes", "null"] {
        server.faults(&format!("GET /things/?fragile={value}"), "fragile does not validate");
    }
}

#[test]
fn an_empty_value_of_an_optional_string_matches_both_no_value_and_the_empty_string() {
    let server = Server::start(&configs::kinds());
    server.create("/things/", r#"{"name":"a","size":1,"weight":1,"fragile":true,"note":""}"#);
    server.create("/things/", r#"{"name":"b","size":2,"weight":1,"fragile":true}"#);
    server.create("/things/", r#"{"name":"c","size":3,"weight":1,"fragile":true,"note":"x"}"#);
    assert_eq!(server.ids("/things/?note="), [1, 2]);
}
