//! Lists: the envelope and the records in it (4.2, 2.4).

use dev::configs;

use crate::support::server::Server;

#[test]
fn an_empty_collection_is_an_empty_list_with_the_page_size_as_count() {
    let server = Server::start(&configs::built_in());
    server.check(
        "GET /users/",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":0,"next":"null","previous":"null","filters":{}},"object_list":[]}"#,
    );
}

#[test]
fn a_list_holds_whole_representations_in_ascending_order_of_id() {
    let server = Server::start(&configs::built_in());
    server.create_address();
    server.create_user("John", "Doe");
    server.check(
        r#"POST /users/ {"last_name": "Roe", "address": 1, "first_name": "Jane"}"#,
        "201 Created
         Content-Length: 0
         Location: {base_url}/users/2/",
    );
    server.check(
        "GET /users/",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":2,"next":"null","previous":"null","filters":{}},"object_list":[{"first_name":"John","last_name":"Doe","address":null,"id":1,"ressource_uri":"/users/1/"},{"first_name":"Jane","last_name":"Roe","address":1,"id":2,"ressource_uri":"/users/2/"}]}"#,
    );
    server.check(
        "GET /address/",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":1,"next":"null","previous":"null","filters":{}},"object_list":[{"country":"France","city":"Paris","street":"Rivoli","number":5,"ressource_uri":"/address/1/"}]}"#,
    );
}

#[test]
fn without_pagination_meta_holds_only_filters_and_the_list_is_whole() {
    let server = Server::start(&configs::unpaged());
    server.check("GET /users/", r#"200 OK {"meta":{"filters":{}},"object_list":[]}"#);
    for number in 0..25 {
        server.create_user(&format!("n{number}"), if number % 5 == 0 { "Doe" } else { "Roe" });
    }
    assert_eq!(server.ids("/users/"), (1..=25).collect::<Vec<_>>());
    assert_eq!(server.ids("/users/?last_name=Doe"), [1, 6, 11, 16, 21]);
    server.check(
        "GET /users/?id=6",
        r#"200 OK {"meta":{"filters":{"id":"6"}},"object_list":[{"first_name":"n5","last_name":"Doe","address":null,"id":6,"ressource_uri":"/users/6/"}]}"#,
    );
    assert_eq!(server.ask("GET /users/").header("Link"), None);
}

#[test]
fn without_pagination_offset_and_count_are_unknown_parameters() {
    let server = Server::start(&configs::unpaged());
    server.faults("GET /users/?offset=0", "offset is not a field of users");
    server.faults("GET /users/?count=5", "count is not a field of users");
}

#[test]
fn show_id_decides_whether_a_list_shows_the_id() {
    let server = Server::start(&configs::ids_shown_the_other_way());
    server.create_address();
    server.create_user("John", "Doe");
    server.check(
        "GET /users/",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":1,"next":"null","previous":"null","filters":{}},"object_list":[{"first_name":"John","last_name":"Doe","address":null,"ressource_uri":"/users/1/"}]}"#,
    );
    server.check(
        "GET /address/",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":1,"next":"null","previous":"null","filters":{}},"object_list":[{"country":"France","city":"Paris","street":"Rivoli","number":5,"id":1,"ressource_uri":"/address/1/"}]}"#,
    );
}

#[test]
fn a_list_is_answered_with_and_without_its_trailing_slash() {
    let server = Server::start(&configs::built_in());
    server.create_user("John", "Doe");
    let base_url = server.base_url();
    for (with, without) in [("/users/", "/users"), ("/users/?last_name=Doe", "/users?last_name=Doe")] {
        let with = server.ask(&format!("GET {with}")).text(&base_url);
        assert_eq!(server.ask(&format!("GET {without}")).text(&base_url), with);
    }
}

#[test]
fn a_body_on_a_list_request_is_ignored() {
    let server = Server::start(&configs::built_in());
    server.check(
        "GET /users/
         Content-Type: text/plain

         what is this?",
        r#"200 OK {"meta":{"count":20,"offset":0,"total_count":0,"next":"null","previous":"null","filters":{}},"object_list":[]}"#,
    );
}
