//! `fields`: a part of a record, of its bytes, under the tag of the whole.

use dev::answer::NOT_FOUND;
use dev::configs;
use dev::request::Request;

use crate::support::server::Server;

#[test]
fn a_fetch_shows_the_fields_that_are_named() {
    let server = Server::start(&configs::built_in());
    server.create_address();
    server.create("/users/", r#"{"first_name":"\"é\\,","last_name":"Doe","address":1}"#);
    for (fields, shown) in [
        ("last_name", r#"{"last_name":"Doe","ressource_uri":"/users/1/"}"#),
        ("address,first_name", r#"{"first_name":"\"é\\,","address":1,"ressource_uri":"/users/1/"}"#),
        ("id", r#"{"id":1,"ressource_uri":"/users/1/"}"#),
        ("ressource_uri", r#"{"ressource_uri":"/users/1/"}"#),
    ] {
        for name in ["fields", "_fields"] {
            let answer = server.ask(&format!("GET /users/1/?{name}={fields}"));
            assert_eq!((answer.status, answer.body_text()), (200, shown), "{name}={fields}");
            let head = server.ask(&format!("HEAD /users/1/?{name}={fields}"));
            assert_eq!(head.header("Content-Length"), Some(shown.len().to_string().as_str()));
        }
    }
    // The id of an address is not among its fields unless it is asked for.
    assert_eq!(
        server.ask("GET /address/1/?fields=id,number").body_text(),
        r#"{"number":5,"id":1,"ressource_uri":"/address/1/"}"#
    );
    assert_eq!(
        server.ask("GET /users/1/?fields=id,address,last_name,first_name").body,
        server.ask("GET /users/1/").body
    );
}

#[test]
fn the_tag_is_that_of_the_whole_record() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let tag = server.ask("GET /users/1/").header("ETag").unwrap().to_owned();
    let part = server.ask("GET /users/1/?fields=id");
    assert_eq!(part.header("ETag"), Some(tag.as_str()));
    let held = server.send(&Request::new("GET /users/1/?fields=id").header("If-None-Match", &tag));
    assert_eq!((held.status, held.header("ETag")), (304, Some(tag.as_str())));
    let update = Request::text(r#"PUT /users/1/ {"last_name":"Roe"}"#).header("If-Match", &tag);
    assert_eq!(server.send(&update).status, 200);
    let held = server.send(&Request::new("GET /users/1/?fields=first_name").header("If-None-Match", &tag));
    assert_eq!(held.status, 200, "what is not shown has changed");
}

#[test]
fn a_fetch_refuses_bad_fields_after_an_unknown_record() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    server.faults("GET /users/1/?fields=", "fields does not validate: it names no field");
    server.faults("GET /users/1/?fields=nick", "fields does not validate: nick is not a field of users");
    server.faults("GET /users/1/?x=1&fields=id,id", "fields does not validate: id is named twice");
    server.faults("GET /users/1/?fields=id&_fields=id", "_fields is given twice");
    server.check("GET /users/2/?fields=nick", NOT_FOUND);
    for ignored in ["sort=nick", "after=x", "last_name.like=1", "offset=x", "search=x"] {
        assert_eq!(server.status(&format!("GET /users/1/?{ignored}")), 200, "{ignored}");
    }
    assert_eq!(server.status(r#"PUT /users/1/?fields=nick {"first_name":"a"}"#), 200);
}
