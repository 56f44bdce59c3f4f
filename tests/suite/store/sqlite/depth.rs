//! A page at depth costs what the first page costs: counted in steps of the database and blocks read, not timed.

use std::sync::Arc;

use dev::configs;
use dev::request::Request;
use dev::waiting::wait_for;

use crate::support::home::Home;
use crate::support::server::Server;

/// More than what is read at once when a filter is new. The first id is where a block of neighbours begins, and
/// so are the pages that are compared: a page that begins elsewhere may need one block more.
const USERS: usize = 24_000;
const FIRST_ID: usize = 32;

fn filled() -> Arc<Home> {
    let home = Home::new(&configs::built_in());
    home.serve().stop();
    home.execute(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {USERS})
         INSERT INTO users (id, first_name, last_name)
         SELECT i + {FIRST_ID}, CASE WHEN i % 64 = 0 THEN 'rare' WHEN i % 4 = 1 THEN 'Ada' ELSE 'n' || i END,
                CASE WHEN i % 2 = 1 THEN 'Doe' ELSE 'Roe' END FROM n"
    ));
    home
}

/// What a request cost: steps of the database, blocks read.
fn cost(server: &Server, list: &str) -> (u64, u64) {
    let counted =
        || (server.metric("carnet_store_read_steps_total"), server.metric("carnet_store_blocks_read_total"));
    let before = counted();
    // A request with an id of its own is never answered out of the response cache.
    let request = Request::new(&format!("GET {list}")).header("X-Request-Id", "counted");
    assert_eq!(server.send(&request).status, 200);
    let after = counted();
    (after.0 - before.0, after.1 - before.1)
}

/// Waits until the sets of a list are there: until a page costs nothing any more.
#[track_caller]
fn wait_until_built(server: &Server, list: &str) {
    wait_for(|| match cost(server, list) {
        (0, 0) => Ok(()),
        cost => Err(format!("{list} still costs {cost:?}")),
    });
}

/// `filter` has so many matches, evenly spread; a page of it begins at a block every `aligned` matches.
fn costs_the_same_at_any_depth(filter: &str, matches: usize, aligned: usize) {
    let server = filled().serve();
    let deep = matches * 9 / 10 / aligned * aligned;
    let middle = matches / 2 / aligned * aligned;
    let list = |offset: usize| format!("/users/?{filter}offset={offset}");
    assert_eq!(server.total(&list(middle)), matches as i64);
    // The middle, so that neither of those compared has been read before.
    wait_until_built(&server, &list(middle));
    let (first, at_depth) = (cost(&server, &list(0)), cost(&server, &list(deep)));
    assert!(first.1 > 0, "{filter}: the first page was read before: {first:?}");
    assert!(at_depth.0 <= first.0 && at_depth.1 <= first.1, "{filter} cold: {at_depth:?} against {first:?}");
    // Records that stand alone are kept from the second time on.
    for offset in [0, deep] {
        cost(&server, &list(offset));
        cost(&server, &list(offset));
        assert_eq!(cost(&server, &list(offset)), (0, 0), "{filter} warm, offset {offset}");
    }
    let ids = server.ids(&list(deep));
    let step = USERS / matches;
    assert!(ids.windows(2).all(|pair| pair[1] - pair[0] == step as i64), "{filter}: {ids:?}");
}

#[test]
fn a_plain_page_at_depth_costs_what_the_first_does() {
    costs_the_same_at_any_depth("", USERS, 32);
}

#[test]
fn a_page_of_a_filter_that_matches_half_costs_at_depth_what_the_first_does() {
    costs_the_same_at_any_depth("last_name=Doe&", USERS / 2, 16);
}

#[test]
fn a_page_of_a_filter_that_matches_little_costs_at_depth_what_the_first_does() {
    costs_the_same_at_any_depth("first_name=rare&", USERS / 64, 1);
}

#[test]
fn a_page_of_two_filters_costs_at_depth_what_the_first_does() {
    costs_the_same_at_any_depth("first_name=Ada&last_name=Doe&", USERS / 4, 8);
}

#[test]
fn a_page_of_a_filter_for_no_value_costs_at_depth_what_the_first_does() {
    costs_the_same_at_any_depth("address=&", USERS, 32);
}

/// A write does not make the next page dear: what it changed is changed in memory too.
#[test]
fn after_a_write_a_page_costs_as_little_as_before() {
    let server = filled().serve();
    for list in ["/users/?offset=21600", "/users/?last_name=Doe&offset=10800"] {
        wait_until_built(&server, list);
        let id = server.ids(list)[3];
        let answer = server.ask(&format!(r#"PUT /users/{id}/ {{"first_name":"changed"}}"#));
        assert_eq!(answer.status, 200, "{answer:?}");
        let gone = server.ids(list)[5];
        assert_eq!(server.status(&format!("DELETE /users/{gone}/")), 200);
        server.create_user("new", "Doe");
        let (steps, blocks) = cost(&server, list);
        // The page has moved by one, which may bring a further block into it.
        assert!(blocks <= 1, "{list}: {steps} steps, {blocks} blocks");
        assert_eq!(cost(&server, list), (0, 0), "{list}");
    }
}
