//! Pages: `offset`, `count`, `next`, `previous`, and the totals beside them (2.4, 4.2).

use dev::configs;
use serde_json::{Value, json};

use crate::support::server::Server;

/// A server with this many users, the ids counting from 1.
fn with_users(config: &str, number: usize) -> Server {
    let server = Server::start(config);
    for index in 0..number {
        server.create_user(&format!("n{index}"), "Doe");
    }
    server
}

fn meta(server: &Server, list: &str) -> Value {
    server.ask(&format!("GET {list}")).json()["meta"].clone()
}

#[track_caller]
fn neighbours(server: &Server, list: &str, next: &str, previous: &str) {
    let meta = meta(server, list);
    assert_eq!((&meta["next"], &meta["previous"]), (&json!(next), &json!(previous)), "{list}");
}

#[test]
fn a_collection_is_cut_into_pages_of_twenty() {
    let server = with_users(&configs::built_in(), 45);
    assert_eq!(server.ids("/users/"), (1..=20).collect::<Vec<_>>());
    assert_eq!(server.ids("/users/?offset=20"), (21..=40).collect::<Vec<_>>());
    assert_eq!(server.ids("/users/?offset=40"), (41..=45).collect::<Vec<_>>());
    neighbours(&server, "/users/", "?offset=20", "null");
    neighbours(&server, "/users/?offset=20", "?offset=40", "?offset=0");
    neighbours(&server, "/users/?offset=40", "null", "?offset=20");
}

#[test]
fn meta_names_its_members_in_the_order_of_the_specification() {
    let server = with_users(&configs::built_in(), 21);
    let body = server.ask("GET /users/?offset=20").json();
    assert_eq!(
        body["meta"].to_string(),
        r#"{"count":20,"offset":20,"total_count":21,"next":"null","previous":"?offset=0","filters":{}}"#
    );
}

#[test]
fn a_page_that_ends_with_the_last_record_has_no_next() {
    let server = with_users(&configs::built_in(), 20);
    neighbours(&server, "/users/", "null", "null");
    server.create_user("one", "more");
    neighbours(&server, "/users/", "?offset=20", "null");
}

#[test]
fn an_offset_may_stand_anywhere() {
    let server = with_users(&configs::built_in(), 27);
    assert_eq!(server.ids("/users/?offset=5"), (6..=25).collect::<Vec<_>>());
    neighbours(&server, "/users/?offset=5", "?offset=25", "?offset=0");
    neighbours(&server, "/users/?offset=25", "null", "?offset=5");
    neighbours(&server, "/users/?offset=0", "?offset=20", "null");
}

#[test]
fn an_offset_past_the_end_is_an_empty_page() {
    let server = with_users(&configs::built_in(), 3);
    server.check(
        "GET /users/?offset=100",
        r#"200 OK
           Link: <{base_url}/users/?offset=80>; rel="prev"

           {"meta":{"count":20,"offset":100,"total_count":3,"next":"null","previous":"?offset=80","filters":{}},"object_list":[]}"#,
    );
    server.check(
        "GET /users/?offset=9223372036854775807",
        r#"200 OK
           Link: <{base_url}/users/?offset=9223372036854775787>; rel="prev"

           {"meta":{"count":20,"offset":9223372036854775807,"total_count":3,"next":"null","previous":"?offset=9223372036854775787","filters":{}},"object_list":[]}"#,
    );
}

#[test]
fn an_offset_that_is_no_offset_does_not_validate() {
    let server = Server::start(&configs::built_in());
    for offset in
        ["-1", "abc", "1.0", "1e2", "", "%201", "+1", "0x10", "9223372036854775808", "99999999999999999999"]
    {
        server.faults(&format!("GET /users/?offset={offset}"), "offset does not validate");
    }
}

#[test]
fn a_smaller_count_is_accepted_and_echoed() {
    let server = with_users(&configs::built_in(), 12);
    assert_eq!(server.ids("/users/?count=5"), [1, 2, 3, 4, 5]);
    assert_eq!(server.ids("/users/?count=5&offset=10"), [11, 12]);
    assert_eq!(meta(&server, "/users/?count=5")["count"], 5);
    assert_eq!(meta(&server, "/users/?count=20")["count"], 20);
    neighbours(&server, "/users/?count=5", "?offset=5", "null");
    neighbours(&server, "/users/?offset=5&count=5", "?offset=10", "?offset=0");
    neighbours(&server, "/users/?count=1&offset=11", "null", "?offset=10");
}

#[test]
fn a_count_above_the_page_size_is_refused_with_the_limit() {
    let server = Server::start(&configs::built_in());
    for count in ["21", "1000", "9223372036854775807"] {
        let message = server.refuses(&format!("GET /users/?count={count}"), 400);
        assert!(message.contains("count") && message.contains("20"), "{message}");
    }
}

#[test]
fn a_count_that_is_no_count_is_refused() {
    let server = Server::start(&configs::built_in());
    for count in ["0", "-1", "abc", "", "1.0", "99999999999999999999"] {
        let message = server.refuses(&format!("GET /users/?count={count}"), 400);
        assert!(message.contains("count"), "{message}");
    }
}

#[test]
fn offset_or_count_given_twice_is_refused() {
    let server = Server::start(&configs::built_in());
    server.faults("GET /users/?offset=0&offset=0", "offset is given twice");
    server.faults("GET /users/?count=5&count=5", "count is given twice");
}

#[test]
fn renamed_keys_replace_offset_and_count_everywhere() {
    let server = with_users(&configs::renamed(), 25);
    let body = server.ask("GET /users/?first_id=5&limit=10").json();
    assert_eq!(
        body["meta"].to_string(),
        r#"{"limit":10,"first_id":5,"total_count":25,"next":"?first_id=15","previous":"?first_id=0","filters":{}}"#
    );
    let body = server.ask("GET /users/").json();
    assert_eq!(
        body["meta"].to_string(),
        r#"{"limit":20,"first_id":0,"total_count":25,"next":"?first_id=20","previous":"null","filters":{}}"#
    );
    assert_eq!(server.ids("/users/?first_id=20"), (21..=25).collect::<Vec<_>>());
    assert_eq!(server.walk("/users/").len(), 25);
}

#[test]
fn with_renamed_keys_the_old_names_are_unknown() {
    let server = Server::start(&configs::renamed());
    server.faults("GET /users/?offset=0", "offset is not a field of users");
    server.faults("GET /users/?count=5", "count is not a field of users");
    server.faults("GET /users/?first_id=abc", "first_id does not validate");
    let message = server.refuses("GET /users/?limit=21", 400);
    assert!(message.contains("limit") && message.contains("20"), "{message}");
    // The other collection keeps its own names.
    assert_eq!(server.status("GET /address/?offset=0&count=1"), 200);
}

#[test]
fn the_page_size_is_the_configured_one() {
    let config = configs::users("", "[collection.pagination]\npage_size = 2\n");
    let server = with_users(&config, 5);
    assert_eq!(server.ids("/users/"), [1, 2]);
    assert_eq!(meta(&server, "/users/?offset=2")["count"], 2);
    neighbours(&server, "/users/?offset=2", "?offset=4", "?offset=0");
    assert_eq!(server.walk("/users/").len(), 5);
}

#[test]
fn filters_and_pages_work_together() {
    let server = with_users(&configs::built_in(), 3);
    for index in 0..23 {
        server.create_user(&format!("r{index}"), "Roe");
    }
    let body = server.ask("GET /users/?last_name=Roe&offset=20").json();
    assert_eq!(
        body["meta"].to_string(),
        r#"{"count":20,"offset":20,"total_count":23,"next":"null","previous":"?offset=0","filters":{"last_name":"Roe"}}"#
    );
    assert_eq!(server.ids("/users/?last_name=Roe&offset=20"), [24, 25, 26]);
    neighbours(&server, "/users/?last_name=Roe", "?offset=20", "null");
    neighbours(&server, "/users/?last_name=Doe", "null", "null");
}

#[test]
fn a_deleted_record_closes_its_gap_in_the_pages() {
    let server = with_users(&configs::built_in(), 22);
    for id in [1, 10, 21] {
        assert_eq!(server.status(&format!("DELETE /users/{id}/")), 200);
    }
    let expected: Vec<i64> = (1..=22).filter(|id| ![1, 10, 21].contains(id)).collect();
    assert_eq!(server.ids("/users/"), expected);
    neighbours(&server, "/users/", "null", "null");
}
